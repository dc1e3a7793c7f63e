//! Whether knowledge says what it means: every name exists, every example holds, every effect is reached by one.
//!
//! Owns the checks of data files beyond their form, for what is built in (the tests call them) and for what users add
//! (`recourse knowledge check`, `recourse doctor`). A file that is found wanting is still used as it stands: it can only add.

mod examples;
mod facts;
mod kinds;
mod looks;
mod names;
mod servers;
mod services;
mod terraform;
mod tools;

use serde::{Deserialize, Serialize};

use crate::knowledge::{Knowledge, LoadError, Pack};
use crate::order;

pub use tools::{bound, examples_of, words};

/// Something in a data file that does not say what was meant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Problem {
    /// The file.
    pub file: String,
    /// The line, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// What is wrong, and what was probably meant.
    pub message: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.message),
            None => write!(f, "{}: {}", self.file, self.message),
        }
    }
}

impl From<LoadError> for Problem {
    fn from(error: LoadError) -> Self {
        Self { file: error.file, line: error.line, message: error.message }
    }
}

/// Everything that is wrong in these files, by file and line. `knowledge` is what judges: what is built in, and what users
/// add, these files among it.
pub fn check(packs: &[Pack], knowledge: &Knowledge) -> Vec<Problem> {
    let mut found = Vec::new();
    let facts = facts::Known::new(packs, knowledge);
    for pack in packs {
        let mut vet = Vet { pack, knowledge, facts: &facts, found: &mut found };
        if pack.is_empty() {
            vet.tell(&[], "nothing is declared".to_owned());
        }
        vet.found.extend(pack.odd_paths(knowledge).into_iter().map(Problem::from));
        tools::check(&mut vet);
        kinds::check(&mut vet);
        servers::check(&mut vet);
        terraform::check(&mut vet);
        looks::check(&mut vet);
        services::check(&mut vet);
    }
    names::check(packs, &mut found);
    order::sort(&mut found);
    found.dedup();
    found
}

/// One file under the eye.
struct Vet<'a> {
    pack: &'a Pack,
    knowledge: &'a Knowledge,
    facts: &'a facts::Known,
    found: &'a mut Vec<Problem>,
}

impl Vet<'_> {
    /// Notes a problem below these keys.
    fn tell(&mut self, at: &[String], message: String) {
        let line = self.pack.line(at);
        self.found.push(Problem { file: self.pack.file.clone(), line, message });
    }
}

/// Keys with further ones behind them.
fn below(at: &[String], more: &[&str]) -> Vec<String> {
    at.iter().cloned().chain(more.iter().map(|step| (*step).to_owned())).collect()
}
