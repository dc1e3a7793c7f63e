//! What a person allows always in one project: a rule of their own policy, limited to the project's directory. A project's own
//! file could only tighten.
//!
//! Never for what is blocked, for what nobody could tell, where every yes has to be attested, or where it may be no person
//! who answers.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::approvals::Here;
use crate::attest::disk::{Access, own_dir, write_atomic};
use crate::config::policy_files;
use crate::evaluate::Evaluation;
use crate::model::{Assessment, Cause, Verdict};
use crate::policy::{LayerKind, PolicyFile, Profile};
use crate::prompt::Lasting;

use super::Surroundings;

/// What makes a directory a project.
const SIGNS: [&str; 2] = [".git", ".recourse.toml"];

/// The rules that would allow it; `None` where it cannot be allowed always.
pub(super) fn lasting(evaluation: &Evaluation, around: &Surroundings<'_>) -> Option<Lasting> {
    let settings = around.policy.settings(Profile::Human);
    let human = around.context.profile == Some(Profile::Human);
    let report = &evaluation.report;
    if !human
        || !settings.allow_for_a_while
        || !around.attesting.is_off()
        || evaluation.verdict() != Verdict::Escalate
        || !report.cross_action_risks.is_empty()
        || Here::doubt().is_some()
    {
        return None;
    }
    let root = project(&around.context.cwd)?;
    let home = dirs::home_dir();
    let mut rules: Vec<String> = Vec::new();
    for one in evaluation.assessments.iter().filter(|one| one.verdict >= Verdict::Escalate) {
        let rule = rule(one, &shown(&root, home.as_deref()))?;
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    let (_, file, _) =
        policy_files(&around.context.cwd).ok()?.into_iter().find(|(kind, ..)| *kind == LayerKind::User)?;
    (1..=3).contains(&rules.len()).then(|| Lasting { file, rule: rules.join("\n") })
}

/// Puts the rules behind the file's others, which speak first.
///
/// # Errors
/// When the file cannot be read or written, or would not be a policy any more; it stays as it was then.
pub(super) fn write(lasting: &Lasting) -> Result<(), String> {
    let file = &lasting.file;
    let named = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let before = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(named(&error)),
    };
    let after = with_rule(&before, &lasting.rule);
    PolicyFile::parse(LayerKind::User, &file.to_string_lossy(), None, &after)
        .map_err(|error| error.to_string())?;
    // A link leads to the file that is meant.
    let real = fs::canonicalize(file).unwrap_or_else(|_| file.clone());
    if let Some(folder) = real.parent() {
        own_dir(folder).map_err(|error| error.to_string())?;
    }
    write_atomic(&real, after.as_bytes(), Access::Private).map_err(|error| error.to_string())
}

/// A file's text with a rule at its end.
fn with_rule(text: &str, rule: &str) -> String {
    let gap = match text {
        "" => "",
        text if text.ends_with("\n\n") => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    format!("{text}{gap}{rule}")
}

/// The project that a directory belongs to.
fn project(cwd: &Path) -> Option<PathBuf> {
    let root = cwd.ancestors().find(|folder| SIGNS.iter().any(|sign| folder.join(sign).exists()))?;
    // Everything at once is no project.
    let home = dirs::home_dir();
    (root.parent().is_some() && Some(root) != home.as_deref()).then(|| root.to_owned())
}

fn shown(root: &Path, home: Option<&Path>) -> String {
    match home.and_then(|home| root.strip_prefix(home).ok()) {
        Some(below) => format!("~/{}", below.display()),
        None => root.display().to_string(),
    }
}

/// A rule for exactly this act on exactly this target; `None` where one could be meant for more.
fn rule(one: &Assessment, directory: &str) -> Option<String> {
    let mutation = &one.mutation;
    // Where a rule asks, that rule has to go. A rule cannot say on which machine.
    let speaks = one.rule.is_some() || !matches!(mutation.cause, Cause::Rule);
    if one.verdict > Verdict::Escalate || speaks || mutation.context.host.is_some() {
        return None;
    }
    let action = serde_json::to_value(mutation.action).ok()?;
    let rows = [
        ("directory", directory),
        ("tool", mutation.rule.tool.as_str()),
        ("action", action.as_str()?),
        ("type", mutation.target.r#type.as_str()),
        ("target", mutation.target.id.as_str()),
    ];
    let mut rule = String::from("[[rule]]\n");
    for (key, value) in rows {
        // What cannot be written plainly, or would mean more than itself, is not written.
        let plain = !value.is_empty() && !value.chars().any(|c| c.is_control() || "*?[]\"\\…".contains(c));
        if !plain {
            return None;
        }
        rule.push_str(&format!("{key:<9} = \"{value}\"\n"));
    }
    rule.push_str("verdict   = \"warn\"\n");
    Some(rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_stands_behind_the_others() {
        let rule = "[[rule]]\nverdict = \"warn\"\n";
        assert_eq!(with_rule("", rule), rule);
        assert_eq!(with_rule("[keep]\ndays = 3\n", rule), format!("[keep]\ndays = 3\n\n{rule}"));
        let text = "# mine\n[[rule]]\nverdict = \"block\"\n";
        assert_eq!(with_rule(text, rule), format!("{text}\n{rule}"));
        for text in ["", "[keep]\ndays = 3", text] {
            PolicyFile::parse(LayerKind::User, "p", None, &with_rule(text, rule)).unwrap();
        }
    }

    #[test]
    fn a_file_that_would_be_no_policy_stays() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("recourse/policy.toml");
        let rule = "[[rule]]\ndirectory = \"~/a\"\nverdict = \"warn\"\n".to_owned();
        let lasting = Lasting { file: file.clone(), rule };
        write(&lasting).unwrap();
        write(&lasting).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap().matches("[[rule]]").count(), 2);
        fs::write(&file, "nonsense = [\n").unwrap();
        assert!(write(&lasting).is_err());
        assert_eq!(fs::read_to_string(&file).unwrap(), "nonsense = [\n");
    }

    #[test]
    fn a_project_is_found_by_its_signs() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("a/.git")).unwrap();
        fs::create_dir_all(folder.path().join("a/b/c")).unwrap();
        assert_eq!(project(&folder.path().join("a/b/c")), Some(folder.path().join("a")));
        assert_eq!(shown(Path::new("/home/u/a"), Some(Path::new("/home/u"))), "~/a");
    }
}
