//! Profiles: how a front end enforces a verdict. They never change the verdict.
//!
//! Owns the enforcement table and its one relaxation: programs that nothing is known of.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::model::{AGAINST, Assessment, BY_WORDS, Cause, Tier, Verdict};

use super::file::ProfileSpec;

/// Who is at the other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// A person at a terminal.
    Human,
    /// An AI agent, through its hook.
    Agent,
    /// `exec` without a terminal, or a CI job.
    Ci,
}

impl Profile {
    /// The word in reports and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Agent => "agent",
            Self::Ci => "ci",
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Profile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "human" => Ok(Self::Human),
            "agent" => Ok(Self::Agent),
            "ci" => Ok(Self::Ci),
            _ => Err(format!("unknown profile `{text}`: use human, agent or ci")),
        }
    }
}

/// What a front end does, from least to most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EnforcementAction {
    /// Runs it without a word.
    Run,
    /// Runs it and says what it costs.
    Note,
    /// Asks a person first.
    Ask,
    /// Does not run it.
    Refuse,
}

impl EnforcementAction {
    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Note => "note",
            Self::Ask => "ask",
            Self::Refuse => "refuse",
        }
    }
}

/// What a profile does with a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Enforcement {
    /// The profile.
    pub profile: Profile,
    /// What it does.
    pub action: EnforcementAction,
    /// Why, in one line.
    pub reason: String,
    /// The rule of the policy that decided, and its file; `None` where the built-in table did. Never written out.
    #[serde(skip)]
    pub rule: Option<String>,
}

/// A profile's settings after all layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProfileSettings {
    /// When the only cause is a program that nothing is known of.
    pub unknown_program: EnforcementAction,
    /// A person at their terminal may run what is blocked by typing the target's name.
    pub override_block: bool,
    /// A policy says so; it is not only what is built in.
    pub override_said: bool,
    /// A person may allow an exact command in a directory for a while, so that it is not asked about again.
    pub allow_for_a_while: bool,
}

impl ProfileSettings {
    /// What is built in.
    pub fn built_in(profile: Profile) -> Self {
        Self {
            unknown_program: match profile {
                Profile::Human | Profile::Agent => EnforcementAction::Run,
                Profile::Ci => EnforcementAction::Refuse,
            },
            override_block: profile == Profile::Human,
            override_said: false,
            allow_for_a_while: profile == Profile::Human,
        }
    }

    /// A layer's wishes on top. With `tighten_only`, wishes that loosen are not heard.
    pub(super) fn overlay(&mut self, spec: &ProfileSpec, tighten_only: bool) {
        if let Some(action) = spec.unknown_program {
            self.unknown_program = if tighten_only { self.unknown_program.max(action) } else { action };
        }
        if let Some(on) = spec.override_block {
            self.override_block = if tighten_only { self.override_block && on } else { on };
            // What loosens has to be said by those who may loosen.
            self.override_said = if tighten_only { self.override_said && on } else { on };
        }
        if let Some(on) = spec.allow_for_a_while {
            self.allow_for_a_while = if tighten_only { self.allow_for_a_while && on } else { on };
        }
    }
}

/// What a profile does with a verdict, before the relaxation.
fn usual(profile: Profile, verdict: Verdict) -> EnforcementAction {
    match (verdict, profile) {
        (Verdict::Allow, _) => EnforcementAction::Run,
        (Verdict::Warn, _) => EnforcementAction::Note,
        (Verdict::Escalate, Profile::Human | Profile::Agent) => EnforcementAction::Ask,
        (Verdict::Escalate, Profile::Ci) | (Verdict::Block, _) => EnforcementAction::Refuse,
    }
}

/// What the profile does with these assessments, whose worst verdict is `verdict`.
pub(super) fn enforce(
    profile: Profile,
    settings: &ProfileSettings,
    verdict: Verdict,
    assessments: &[Assessment],
) -> Enforcement {
    let full = usual(profile, verdict);
    let mut action = EnforcementAction::Run;
    let mut relaxed = None;
    for assessment in assessments {
        let usual = usual(profile, assessment.verdict);
        let this = if assessment.verdict >= Verdict::Escalate && is_unknown_program(assessment) {
            relaxed = relaxed.or(Some("nothing is known of this program, and nothing speaks against it"));
            settings.unknown_program
        } else {
            usual
        };
        action = action.max(this);
    }
    // A verdict that no assessment explains (a cross-action risk, an internal error) is enforced in full.
    let explained = assessments.iter().map(|a| a.verdict).max().unwrap_or(Verdict::Allow);
    if explained < verdict {
        action = full;
    }
    let reason = match (action, relaxed) {
        (action, Some(why)) if action < full => why.to_owned(),
        (EnforcementAction::Run, _) => "nothing stands against it".to_owned(),
        (EnforcementAction::Note, _) => "it runs, and what it costs is said".to_owned(),
        (EnforcementAction::Ask, _) => "a person has to decide".to_owned(),
        (EnforcementAction::Refuse, _) if verdict == Verdict::Block => "policy blocks it".to_owned(),
        (EnforcementAction::Refuse, _) => "a person would have to decide, and nobody can be asked".to_owned(),
    };
    let rule = assessments.iter().find(|one| one.verdict == verdict).and_then(|one| one.rule.clone());
    Enforcement { profile, action, reason, rule }
}

/// A program, or a form of one whose words are judged, that nothing is known of and that nothing speaks against.
fn is_unknown_program(assessment: &Assessment) -> bool {
    let facts = &assessment.mutation.facts;
    let unknown = match assessment.mutation.cause {
        Cause::UnknownProgram => true,
        Cause::UnknownForm => facts.contains_key(BY_WORDS),
        _ => false,
    };
    unknown
        && !facts.contains_key(AGAINST)
        && assessment.recoverability.tier == Tier::NeedsReview
        && assessment.message.is_none()
        && assessment.verdict < Verdict::Block
}
