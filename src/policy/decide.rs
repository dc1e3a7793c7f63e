//! The layers together: a verdict for each mutation, and the worst of them for the whole.

use std::path::Path;

use crate::model::{Action, Actor, Assessment, CrossActionRisk, Source, Tier, Verdict, says_production};
use crate::order;

use super::file::{PolicyFile, ProfileSpec, ProtectSpec};
use super::keep::KeepSettings;
use super::places::{Places, subjects};
use super::profile::{Enforcement, Profile, ProfileSettings, enforce};
use super::rule::{Base, Need, applies, touches};

/// Whose policy a file is. The order is the order in which they speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LayerKind {
    /// The machine's: `/etc/recourse/policy.toml`.
    System,
    /// The user's.
    User,
    /// A project's `.recourse.toml`: tightens only.
    Project,
}

impl LayerKind {
    /// For people.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

/// What a policy may look at besides the mutations.
#[derive(Clone, Copy, Debug, Default)]
pub struct PolicyContext<'a> {
    /// Environment that the caller named.
    pub environment: Option<&'a str>,
    /// Who asks.
    pub actor: Option<&'a Actor>,
    /// The directory in which the command was given.
    pub cwd: Option<&'a Path>,
    /// The caller's home, for `~` in patterns.
    pub home: Option<&'a Path>,
    /// Where paths really lead, as far as [`Policy::asks`] wanted to know.
    pub places: Option<&'a Places>,
}

/// Of no path is another name known.
static NO_PLACES: Places = Places::none();

impl<'a> PolicyContext<'a> {
    pub(super) fn places(&self) -> &'a Places {
        self.places.unwrap_or(&NO_PLACES)
    }
}

/// The built-in table and the layers on top of it.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    layers: Vec<PolicyFile>,
}

/// The outcome for the whole input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The worst verdict.
    pub verdict: Verdict,
    /// Why, in one line.
    pub reason: String,
}

/// What a tier means when no rule speaks.
pub fn default_verdict(tier: Tier, production: bool) -> Verdict {
    match (tier, production) {
        (Tier::Reversible, _) | (Tier::RecoverableWithEffort, false) => Verdict::Allow,
        (Tier::RecoverableWithEffort, true) | (Tier::RecoverableFromBackup, false) => Verdict::Warn,
        (Tier::RecoverableFromBackup, true) | (Tier::NeedsReview, _) => Verdict::Escalate,
        (Tier::Unrecoverable, _) => Verdict::Block,
    }
}

impl Policy {
    /// The built-in policy with these files on top, in any order.
    pub fn new(mut layers: Vec<PolicyFile>) -> Self {
        order::by_key(&mut layers, |layer| layer.kind);
        Self { layers }
    }

    /// The files, in the order in which they speak.
    pub fn layers(&self) -> &[PolicyFile] {
        &self.layers
    }

    /// Whether this environment counts as production.
    pub fn is_production(&self, environment: &str) -> bool {
        let name = environment.to_lowercase();
        says_production(environment)
            || self.layers.iter().any(|layer| {
                let names = &layer.spec.production.names;
                names.iter().any(|pattern| super::pattern::matches(&pattern.to_lowercase(), &name, false))
            })
    }

    /// A profile's settings after all layers.
    pub fn settings(&self, profile: Profile) -> ProfileSettings {
        let mut settings = ProfileSettings::built_in(profile);
        for layer in &self.layers {
            let profiles = &layer.spec.profile;
            let spec: &ProfileSpec = match profile {
                Profile::Human => &profiles.human,
                Profile::Agent => &profiles.agent,
                Profile::Ci => &profiles.ci,
            };
            settings.overlay(spec, layer.kind == LayerKind::Project);
        }
        settings
    }

    /// What is set aside first, after all layers.
    pub fn keep(&self) -> KeepSettings {
        let mut settings = KeepSettings::default();
        for layer in &self.layers {
            settings.overlay(&layer.spec.keep, layer.kind == LayerKind::Project);
        }
        settings
    }

    /// Whether looks at things of this kind are taken without a question, where they are suggested.
    pub fn looks_at(&self, kind: &str) -> bool {
        let patterns = self.layers.iter().flat_map(|layer| &layer.spec.look.kinds);
        patterns.into_iter().any(|pattern| super::pattern::matches(pattern, kind, false))
    }

    /// The kinds of [`Policy::looks_at`], as they were written.
    pub fn look_kinds(&self) -> impl Iterator<Item = &str> {
        self.layers.iter().flat_map(|layer| layer.spec.look.kinds.iter().map(String::as_str))
    }

    /// Sets the verdict of every assessment and gives the worst.
    pub fn decide(
        &self,
        assessments: &mut [Assessment],
        risks: &[CrossActionRisk],
        context: &PolicyContext<'_>,
    ) -> Decision {
        for assessment in assessments.iter_mut() {
            let (verdict, said) = self.judge(assessment, context);
            assessment.verdict = verdict;
            (assessment.message, assessment.rule) = said.unzip();
        }
        let upgraded = risks.iter().filter_map(|risk| Tier::from_number(risk.upgraded_tier));
        let production = context.environment.is_some_and(|name| self.is_production(name));
        // The tier of those involved was raised already; this keeps a risk from being lost when its targets are not listed.
        let floor = upgraded.map(|tier| default_verdict(tier, production).min(Verdict::Escalate)).max();
        let verdict = assessments.iter().map(|a| a.verdict).max().unwrap_or(Verdict::Allow);
        let verdict = verdict.max(floor.unwrap_or(Verdict::Allow));
        Decision { verdict, reason: reason(verdict, assessments, risks) }
    }

    /// What a profile does with a decision.
    pub fn enforce(&self, profile: Profile, decision: &Decision, assessments: &[Assessment]) -> Enforcement {
        enforce(profile, &self.settings(profile), decision.verdict, assessments)
    }

    fn judge(
        &self,
        assessment: &Assessment,
        context: &PolicyContext<'_>,
    ) -> (Verdict, Option<(String, String)>) {
        let named = [context.environment, assessment.mutation.target.environment.as_deref()];
        let production = named.into_iter().flatten().any(|name| self.is_production(name));
        let mut verdict = default_verdict(assessment.recoverability.tier, production);
        let mut message = None;
        // No layer after a final rule may go below it.
        let mut floor = Verdict::Allow;
        let home = context.home.map(|home| home.to_string_lossy().into_owned());
        for layer in &self.layers {
            let base = Base { home: home.as_deref(), directory: layer.directory.as_deref() };
            let project = layer.kind == LayerKind::Project;
            let rules = layer.spec.rule.iter().map(toml::Spanned::get_ref).zip(&layer.lines);
            let found = rules.into_iter().find(|(rule, _)| {
                let need = if rule.verdict < verdict { Need::Every } else { Need::Any };
                applies(rule, assessment, context, &base, need)
            });
            if let Some((rule, line)) = found {
                let wanted = if project { verdict.max(rule.verdict) } else { rule.verdict.max(floor) };
                let heard = wanted == rule.verdict && (!project || rule.verdict > verdict);
                verdict = wanted;
                if heard {
                    let named = rule.name.as_ref().map_or(String::new(), |name| format!(" `{name}`"));
                    message = Some((
                        words(rule.message.as_deref(), rule.name.as_deref(), layer),
                        format!("rule{named} at {}:{line}", layer.name),
                    ));
                }
                if rule.r#final {
                    floor = floor.max(rule.verdict);
                }
            }
            for protect in &layer.spec.protect {
                let wanted = protect.verdict.unwrap_or(Verdict::Block);
                // What is lost for good is blocked already: that it is protected is said all the same.
                let heard = wanted > verdict || wanted == verdict && message.is_none();
                if heard && protects(protect, assessment, &base, context.places()) {
                    verdict = wanted;
                    let paths = protect.path.0.join(", ");
                    let by = format!("the protection of {paths} in {}", layer.name);
                    let told = match &protect.message {
                        Some(text) => text.clone(),
                        None => format!("{paths} is protected by {}", layer.name),
                    };
                    message = Some((told, by));
                }
            }
        }
        (verdict, message)
    }
}

fn words(message: Option<&str>, name: Option<&str>, layer: &PolicyFile) -> String {
    match (message, name) {
        (Some(text), _) => text.to_owned(),
        (None, Some(name)) => format!("rule `{name}` of {}", layer.name),
        (None, None) => format!("a rule of {}", layer.name),
    }
}

fn protects(protect: &ProtectSpec, assessment: &Assessment, base: &Base<'_>, places: &Places) -> bool {
    let mutation = &assessment.mutation;
    if matches!(mutation.action, Action::Read | Action::Create) {
        return false;
    }
    subjects(mutation, places)
        .iter()
        .filter(|(_, always)| *always || !assessment.harmless)
        .any(|(subject, _)| protect.path.0.iter().any(|pattern| touches(pattern, subject, base, places)))
}

/// Why, with what it is about: of a plan's changes nobody else says which one is meant.
fn about(judged: &Assessment) -> String {
    let (target, why) = (&judged.mutation.target, &judged.recoverability.reasoning);
    let named = target.name.as_deref().is_some_and(|name| why.contains(name)) || why.contains(&target.id);
    match judged.mutation.source {
        Source::Terraform if !named => format!("`{}`: {why}", target.id),
        _ => why.clone(),
    }
}

fn reason(verdict: Verdict, assessments: &[Assessment], risks: &[CrossActionRisk]) -> String {
    let worst: Vec<&Assessment> = assessments.iter().filter(|a| a.verdict == verdict).collect();
    if verdict == Verdict::Allow {
        let changes =
            assessments.iter().filter(|a| !a.harmless && a.recoverability.tier > Tier::Reversible).count();
        return match (assessments.is_empty(), changes) {
            (true, _) => "nothing is changed".to_owned(),
            (false, 0) => "nothing is lost".to_owned(),
            (false, _) => "what it changes can be had again".to_owned(),
        };
    }
    let Some(first) = worst.iter().max_by_key(|a| a.recoverability.tier.severity()) else {
        return risks
            .first()
            .map_or_else(|| "several actions together".to_owned(), |risk| risk.explanation.clone());
    };
    let base = first.message.clone().unwrap_or_else(|| about(first));
    match worst.len() {
        0 | 1 => base,
        n => format!("{base} (and {} more)", n - 1),
    }
}
