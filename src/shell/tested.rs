//! Whether a program works on the database of a project's tests, and on no other: it is told so, and nothing says which
//! database is meant besides the project's own settings.

use crate::knowledge::{lists, places};
use crate::model::Value;

use super::interp::Shell;
use super::simple::Call;
use super::state::State;

/// Longest file of variables that is read.
const LONGEST: u64 = 64 * 1024;

impl Shell<'_> {
    /// See above.
    pub(super) fn is_for_tests(&self, state: &State, call: &Call, environment: &[(String, Value)]) -> bool {
        let texts = call.texts().unwrap_or_default();
        let said = |name: &str| {
            let set = environment.iter().rev().find(|(own, _)| own == name).map(|(_, value)| value.clone());
            set.or_else(|| self.scalar(state, name)).and_then(|value| value.as_known().map(str::to_owned))
        };
        let mut told = places().tests.iter().filter_map(|one| one.split_once('='));
        let told = told.find(|(name, value)| match name.strip_prefix("--") {
            Some(_) => texts.contains(&format!("{name}={value}").as_str()),
            None => said(name).as_deref() == Some(*value),
        });
        // A word of its own may say another environment, or all of them.
        let plain = |text: &&str| {
            let told = places().tests.iter().any(|one| one == text);
            told || !text.starts_with('-') && !text.contains('=') && !text.ends_with(":all")
                || matches!(*text, "--force" | "--seed" | "--quiet" | "--trace" | "--no-interaction")
        };
        if !texts.iter().all(plain) || texts.len() != call.arguments().len() {
            return false;
        }
        let Some((name, value)) = told.filter(|_| state.scope.host.is_none()) else { return false };
        let set = |name: &String| {
            let given = environment.iter().any(|(own, _)| own == name);
            given || self.scalar(state, name).is_some_and(|value| value.as_known() != Some(""))
        };
        let Some(cwd) = state.only_cwd() else { return false };
        if places().connects.iter().any(set) || self.world.is_elsewhere() {
            return false;
        }
        // An option names a file of its own, without which the one for everyday is read.
        let own = format!(".env.{value}");
        if name.starts_with("--") && self.exists(state, &cwd.join(&own)) != Some(true) {
            return false;
        }
        let everyday = |file: &&String| !name.starts_with("--") && **file != own;
        let mut files = places().connecting.iter().filter(everyday);
        !files.any(|file| {
            let path = cwd.join(file);
            match self.exists(state, &path) {
                Some(false) => false,
                Some(true) => {
                    self.read_text(state, &path, LONGEST).is_none_or(|text| names_a_database(&text))
                }
                None => true,
            }
        })
    }
}

/// Whether a file of variables says which database is meant.
fn names_a_database(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start().trim_start_matches("export ");
        line.split_once('=').is_some_and(|(name, _)| lists(&places().connects, name.trim()))
    })
}

#[cfg(test)]
mod tests {
    use super::names_a_database;

    #[test]
    fn files_of_variables_may_name_a_database() {
        assert!(names_a_database("A=1\nexport DATABASE_URL=postgres://x\n"));
        assert!(!names_a_database("# DATABASE_URL=postgres://x\nB=2\n"));
    }
}
