//! Whether a rule speaks of a mutation.
//!
//! Owns matching. A target is often known only in part; a rule that would loosen must match every possibility, a rule
//! that tightens any.

use std::path::Path;

use crate::model::{Assessment, PathSubject, Subject, Value};

use super::decide::PolicyContext;
use super::file::{Many, RuleSpec};
use super::pattern::{literal_prefix, matches};
use super::places::{Places, folder};

/// How sure a match has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// Every possible target matches: for rules that loosen.
    Every,
    /// Some possible target matches: for rules that tighten.
    Any,
}

/// Where patterns in a file start from.
pub(super) struct Base<'a> {
    /// For `~`.
    pub(super) home: Option<&'a str>,
    /// For relative patterns with a `/` (project files).
    pub(super) directory: Option<&'a str>,
}

pub(super) fn applies(
    rule: &RuleSpec,
    assessment: &Assessment,
    context: &PolicyContext<'_>,
    base: &Base<'_>,
    need: Need,
) -> bool {
    let mutation = &assessment.mutation;
    let target = &mutation.target;
    let actor = context.actor;
    listed(&rule.source, |source| *source == mutation.source)
        && listed(&rule.action, |action| *action == mutation.action)
        && listed(&rule.actor, |pattern| actor.is_some_and(|actor| matches(pattern, &actor.id, false)))
        && listed(&rule.actor_kind, |kind| actor.is_some_and(|actor| actor.kind == *kind))
        && listed(&rule.environment, |pattern| in_environment(pattern, assessment, context))
        && listed(&rule.directory, |folder| is_below(context.cwd, folder, base))
        && listed(&rule.tool, |pattern| matches(pattern, &mutation.rule.tool, false))
        && listed(&rule.service, |pattern| {
            target.service.as_deref().is_some_and(|service| matches(pattern, service, false))
        })
        && listed(&rule.r#type, |pattern| {
            matches(pattern, &target.r#type, false) || matches(pattern, &mutation.kind, false)
        })
        && rule.tier.as_ref().is_none_or(|tiers| tiers.0.contains(&assessment.recoverability.tier.number()))
        && on_target(&rule.target, assessment, base, context.places(), need)
}

fn listed<T>(wanted: &Option<Many<T>>, hit: impl Fn(&T) -> bool) -> bool {
    wanted.as_ref().is_none_or(|list| list.0.iter().any(hit))
}

/// Whether the command was given in this folder, or below it.
fn is_below(cwd: Option<&Path>, folder: &str, base: &Base<'_>) -> bool {
    cwd.is_some_and(|cwd| cwd.starts_with(absolute(folder, base).trim_end_matches('/')))
}

fn in_environment(pattern: &str, assessment: &Assessment, context: &PolicyContext<'_>) -> bool {
    let named = [assessment.mutation.target.environment.as_deref(), context.environment];
    named.into_iter().flatten().any(|name| matches(&pattern.to_lowercase(), &name.to_lowercase(), false))
}

fn on_target(
    wanted: &Option<Many<String>>,
    assessment: &Assessment,
    base: &Base<'_>,
    places: &Places,
    need: Need,
) -> bool {
    let Some(patterns) = wanted else { return true };
    let target = &assessment.mutation.target;
    if let Subject::Path(subject) = &assessment.mutation.subject {
        return on_path(&patterns.0, subject, base, places, need);
    }
    patterns.0.iter().any(|pattern| {
        matches(pattern, &target.id, false)
            || target.name.as_deref().is_some_and(|name| matches(pattern, name, false))
    })
}

/// Whether patterns speak of a path. A pattern without `/` is about the last component. A rule that loosens must speak of
/// the place under every name, also where a link really leads; for one that tightens, one of them is enough.
fn on_path(patterns: &[String], subject: &PathSubject, base: &Base<'_>, places: &Places, need: Need) -> bool {
    let hit = |path: &str| {
        patterns.iter().any(|pattern| {
            if pattern.contains('/') || pattern.starts_with('~') {
                let mut all = places.patterns(absolute(pattern, base)).into_iter();
                all.any(|pattern| matches(&pattern, path, true))
            } else {
                matches(pattern, path.rsplit('/').next().unwrap_or(path), true)
            }
        })
    };
    match (subject.path.choices(), need) {
        (Some(choices), Need::Every) => choices.iter().all(|path| places.of(path).all(hit)),
        (Some(choices), Need::Any) => choices.iter().any(|path| places.of(path).any(hit)),
        (None, _) => false,
    }
}

/// The pattern with `~` and the file's directory filled in.
pub(super) fn absolute(pattern: &str, base: &Base<'_>) -> String {
    if let Some(home) = base.home {
        if pattern == "~" {
            return home.to_owned();
        }
        if let Some(rest) = pattern.strip_prefix("~/") {
            return format!("{}/{rest}", home.trim_end_matches('/'));
        }
    }
    if pattern.starts_with('/') || pattern.starts_with("**") {
        return pattern.to_owned();
    }
    match base.directory {
        Some(directory) => {
            format!("{}/{}", directory.trim_end_matches('/'), pattern.trim_start_matches("./"))
        }
        None => format!("**/{}", pattern.trim_start_matches("./")),
    }
}

/// Whether acting on `subject` may touch what a protected pattern names: the path itself, something below it, or (for a
/// tree) a directory above it; each by any of its names.
pub(super) fn touches(pattern: &str, subject: &PathSubject, base: &Base<'_>, places: &Places) -> bool {
    let patterns = places.patterns(absolute(pattern.trim_end_matches('/'), base));
    patterns.iter().any(|pattern| touches_one(pattern, subject, places))
}

fn touches_one(pattern: &str, subject: &PathSubject, places: &Places) -> bool {
    let below = format!("{pattern}/**");
    let literal = literal_prefix(pattern).trim_end_matches('/');
    let above = |path: &str| {
        let directory = path.trim_end_matches('/');
        subject.recursive && literal.starts_with(directory) && {
            let rest = &literal[directory.len()..];
            directory.is_empty() || rest.is_empty() || rest.starts_with('/')
        }
    };
    let inside = |path: &str| matches(pattern, path, true) || matches(&below, path, true);
    let hit = |path: &str| places.of(path).any(|path| inside(path) || above(path));
    match &subject.path {
        Value::Known(path) => hit(path),
        Value::OneOf(paths) => paths.iter().any(|path| hit(path)),
        // Only the beginning is known: inside for sure when that beginning is.
        Value::Affix { prefix, .. } => {
            let within = |path: &str| path.starts_with(&format!("{literal}/")) || inside(path);
            let dir = folder(prefix);
            let rest = &prefix[dir.len()..];
            within(prefix) || places.of(dir).any(|real| within(&format!("{real}{rest}")))
        }
        Value::Woven(_) | Value::Lines(_) | Value::Unknown => false,
    }
}
