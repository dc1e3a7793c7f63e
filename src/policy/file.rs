//! The policy file's form, read strictly.
//!
//! Owns parsing and its errors. An unknown key, a wrong value or a key where it may not stand is an error that names the
//! file and the line.

use serde::{Deserialize, Deserializer};

use crate::model::{Action, ActorKind, Source, Verdict};

use super::decide::LayerKind;
use super::keep::KeepSpec;
use super::profile::EnforcementAction;

/// Why a policy file cannot be used. Nothing is judged with a broken policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {message}")]
pub struct PolicyError {
    /// The file, as a person finds it.
    pub file: String,
    /// Line, from 1; 1 when the whole file is meant.
    pub line: usize,
    /// What is wrong and what to do.
    pub message: String,
}

/// One value or a list of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Many<T>(pub(super) Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Many<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "not a value that this key takes, nor a list of such values")]
        enum Form<T> {
            One(T),
            List(Vec<T>),
        }
        match Form::deserialize(deserializer)? {
            Form::One(value) => Ok(Self(vec![value])),
            Form::List(values) if values.is_empty() => {
                Err(serde::de::Error::custom("an empty list matches nothing; leave the key out"))
            }
            Form::List(values) => Ok(Self(values)),
        }
    }
}

/// Tier numbers that a rule matches: `4`, `"2..4"`, `"3.."` or a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tiers(pub(super) Vec<u8>);

impl<'de> Deserialize<'de> for Tiers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(
            untagged,
            expecting = "not a tier: write a number from 1 to 5, a range such as \"2..4\", or a list"
        )]
        enum Form {
            Number(u8),
            Range(String),
            List(Vec<u8>),
        }
        let wrong = || serde::de::Error::custom("tiers are numbers from 1 to 5, a range \"2..4\", or a list");
        let tiers: Vec<u8> = match Form::deserialize(deserializer)? {
            Form::Number(number) => vec![number],
            Form::List(list) => list,
            Form::Range(text) => {
                let (first, last) = text.split_once("..").ok_or_else(wrong)?;
                let bound = |text: &str, empty: u8| {
                    if text.trim().is_empty() {
                        Ok(empty)
                    } else {
                        text.trim().parse::<u8>().map_err(|_| wrong())
                    }
                };
                (bound(first, 1)?..=bound(last, 5)?).collect()
            }
        };
        if tiers.is_empty() || tiers.iter().any(|tier| !(1..=5).contains(tier)) {
            return Err(wrong());
        }
        Ok(Self(tiers))
    }
}

/// `[[rule]]`: everything given must match; what is not given matches anything.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RuleSpec {
    /// For people, in `policy show` and reports.
    pub(super) name: Option<String>,
    pub(super) source: Option<Many<Source>>,
    /// Wildcards over the actor's id.
    pub(super) actor: Option<Many<String>>,
    pub(super) actor_kind: Option<Many<ActorKind>>,
    pub(super) environment: Option<Many<String>>,
    pub(super) directory: Option<Many<String>>,
    pub(super) tool: Option<Many<String>>,
    pub(super) action: Option<Many<Action>>,
    pub(super) service: Option<Many<String>>,
    pub(super) r#type: Option<Many<String>>,
    pub(super) target: Option<Many<String>>,
    pub(super) tier: Option<Tiers>,
    pub(super) verdict: Verdict,
    pub(super) message: Option<String>,
    #[serde(default)]
    pub(super) r#final: bool,
}

impl RuleSpec {
    fn describe(&self, line: usize) -> String {
        fn words<T: std::fmt::Debug>(label: &str, wanted: &Option<Many<T>>, out: &mut Vec<String>) {
            if let Some(many) = wanted {
                let list: Vec<String> = many
                    .0
                    .iter()
                    .map(|value| format!("{value:?}").trim_matches('"').to_lowercase())
                    .collect();
                out.push(format!("{label} {}", list.join(" or ")));
            }
        }
        let mut when = Vec::new();
        words("source", &self.source, &mut when);
        words("actor", &self.actor, &mut when);
        words("actor kind", &self.actor_kind, &mut when);
        words("environment", &self.environment, &mut when);
        words("directory", &self.directory, &mut when);
        words("tool", &self.tool, &mut when);
        words("action", &self.action, &mut when);
        words("service", &self.service, &mut when);
        words("type", &self.r#type, &mut when);
        words("target", &self.target, &mut when);
        if let Some(tiers) = &self.tier {
            let list: Vec<String> = tiers.0.iter().map(u8::to_string).collect();
            when.push(format!("tier {}", list.join(" or ")));
        }
        let when = if when.is_empty() { "everything".to_owned() } else { when.join(", ") };
        let name = self.name.as_deref().map(|name| format!(" `{name}`")).unwrap_or_default();
        let last = if self.r#final { ", final" } else { "" };
        format!("{}: {when} (line {line}{name}{last})", self.verdict.as_str())
    }
}

/// `[[protect]]`: paths that nothing may remove or change without this verdict.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct ProtectSpec {
    pub(super) path: Many<String>,
    pub(super) verdict: Option<Verdict>,
    pub(super) message: Option<String>,
}

/// `[profile.NAME]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct ProfileSpec {
    /// What happens when the only cause is a program that nothing is known of.
    pub(super) unknown_program: Option<EnforcementAction>,
    /// A person may run what is blocked by typing the target's name.
    pub(super) override_block: Option<bool>,
    /// A person may allow an exact command for a while.
    pub(super) allow_for_a_while: Option<bool>,
}

/// `[profile]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct ProfilesSpec {
    #[serde(default)]
    pub(super) human: ProfileSpec,
    #[serde(default)]
    pub(super) agent: ProfileSpec,
    #[serde(default)]
    pub(super) ci: ProfileSpec,
}

/// `[production]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct ProductionSpec {
    /// Environment names (wildcards) that count as production beside `production`, `prod` and `live`.
    #[serde(default)]
    pub(super) names: Vec<String>,
}

/// `[look]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct LookSpec {
    /// Kinds (wildcards) about which suggested looks are taken without a question.
    #[serde(default)]
    pub(super) kinds: Vec<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct FileSpec {
    #[serde(default)]
    pub(super) rule: Vec<toml::Spanned<RuleSpec>>,
    #[serde(default)]
    pub(super) protect: Vec<ProtectSpec>,
    #[serde(default)]
    pub(super) profile: ProfilesSpec,
    #[serde(default)]
    pub(super) production: ProductionSpec,
    #[serde(default)]
    pub(super) keep: KeepSpec,
    #[serde(default)]
    pub(super) look: LookSpec,
}

/// A policy file that was read without an error, and the layer it speaks for.
#[derive(Clone, Debug)]
pub struct PolicyFile {
    pub(super) kind: LayerKind,
    pub(super) name: String,
    /// Directory that relative patterns are meant from.
    pub(super) directory: Option<String>,
    pub(super) spec: FileSpec,
    pub(super) lines: Vec<usize>,
}

impl PolicyFile {
    /// Reads a policy file's text. `name` is its path, for errors; `directory` is where relative patterns start.
    ///
    /// # Errors
    /// Anything that is not exactly in the documented form.
    pub fn parse(
        kind: LayerKind,
        name: &str,
        directory: Option<&str>,
        text: &str,
    ) -> Result<Self, PolicyError> {
        let spec: FileSpec = toml::from_str(text).map_err(|error| PolicyError {
            file: name.to_owned(),
            line: error.span().map_or(1, |span| line_of(text, span.start)),
            message: error.message().lines().collect::<Vec<_>>().join(" "),
        })?;
        let lines: Vec<usize> = spec.rule.iter().map(|rule| line_of(text, rule.span().start)).collect();
        let fail = |line: usize, message: &str| {
            Err(PolicyError { file: name.to_owned(), line, message: message.to_owned() })
        };
        for (rule, line) in spec.rule.iter().zip(&lines) {
            if rule.get_ref().r#final && kind != LayerKind::System {
                return fail(*line, "only the system policy may mark a rule final");
            }
        }
        let profiles = &spec.profile;
        for (profile, spec) in [("agent", &profiles.agent), ("ci", &profiles.ci)] {
            if spec.override_block.is_some() || spec.allow_for_a_while.is_some() {
                return fail(
                    1,
                    &format!(
                        "override-block and allow-for-a-while belong to [profile.human], not to {profile}"
                    ),
                );
            }
        }
        if !spec.look.kinds.is_empty() && kind == LayerKind::Project {
            return fail(1, "[look] belongs to your own policy: a project may not have commands run");
        }
        Ok(Self { kind, name: name.to_owned(), directory: directory.map(str::to_owned), spec, lines })
    }

    /// Where the file is, or what it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The layer it speaks for.
    pub fn kind(&self) -> LayerKind {
        self.kind
    }

    /// Each rule in one line, for people.
    pub fn describe(&self) -> Vec<String> {
        let rules = self.spec.rule.iter().zip(&self.lines).map(|(rule, line)| rule.get_ref().describe(*line));
        let protected = self.spec.protect.iter().map(|protect| {
            let verdict = protect.verdict.unwrap_or(Verdict::Block);
            format!("{}: whatever changes {}", verdict.as_str(), protect.path.0.join(", "))
        });
        rules.chain(protected).collect()
    }

    /// Rules that have no effect because a project may only tighten: line and name.
    pub fn toothless(&self) -> Vec<(usize, String)> {
        if self.kind != LayerKind::Project {
            return Vec::new();
        }
        self.spec
            .rule
            .iter()
            .zip(&self.lines)
            .filter(|(rule, _)| rule.get_ref().verdict == Verdict::Allow)
            .map(|(rule, line)| (*line, rule.get_ref().name.clone().unwrap_or_default()))
            .collect()
    }
}

fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() + 1
}
