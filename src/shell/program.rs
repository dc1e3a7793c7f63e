//! The door between the shell and the programs that it runs: what the shell asks of them, and what they may ask of it.
//!
//! A program is handed the shell and the state that it finds, and nothing else. What it may ask ([`Shell`], [`State`]):
//!
//! | it wants to know | |
//! | --- | --- |
//! | what stands in a file or variable | `read_text`, `file_text`, `stdin_text`, `list`, `pattern_names`, `scalar`, `exported` |
//! | what stands at a place | `exists`, `is_directory`, `is_kind`, `absolute`, `resolved`, `physical`, `untouched`, `directories`, `in_path` |
//! | what it has been given | `Call`, `Match`, `State::stdin`, `State::cwd`, `State::scope` |
//!
//! | it wants to say | |
//! | --- | --- |
//! | that it runs words, shell text, a script, code | `program`, `external`, `known`, `fresh_shell`, `script_word`, `program_file`, `code`, `code_file`, `run_code` |
//! | that something runs only perhaps, or elsewhere | `State::perhaps`, `State::possible`, `State::within`, `shell` |
//! | that it cannot tell | `emit_as` with [`StepKind::Opaque`], `unknown_program`, `suspect`, `unknown_result` |
//! | what it leaves | `State::files`, `assign_scalar`, `export`, `State::status`, `State::print` |

use std::path::Path;

use crate::knowledge::Match;
use crate::model::Value;

pub(crate) use super::brought::is_source;
pub(crate) use super::builtins::decode_escapes;
pub use super::expand::Expansion;
pub use super::files::{FileState, Files};
pub use super::follow::{Beside, Code, FileText};
pub(crate) use super::follow::{is_shell, language_of};
pub use super::interp::{Scope, Shell};
pub use super::rewritten::{Laid, Now};
pub use super::simple::Call;
pub use super::state::{Flow, Positional, State, Status, Variable};
pub use super::step::{Arg, Invocation, Mode, Stdin, StepKind};
pub(crate) use super::variables::OWN_PROCESS;

/// One run of a known program.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The name that it is known by.
    pub name: &'a str,
    /// Its words, and what stands around them.
    pub call: &'a Call,
    /// Its words, as its declaration reads them.
    pub matched: &'a Match,
}

/// What happens in place of a run.
#[derive(Debug)]
pub enum Instead {
    /// The program runs with these words: an alias of its own stood there.
    Words(Call),
    /// It reads this as its standard input.
    Input(Stdin),
    /// All that it does has been told.
    Done(Flow),
}

impl Run<'_> {
    /// The program runs with these options in front of its words: by them its declaration tells what was found out about it.
    /// Without any it runs as it is.
    pub fn told<'o>(&self, options: impl IntoIterator<Item = (&'o str, Value)>) -> Option<Instead> {
        let word = |value| Expansion {
            arg: Arg { value, span: self.call.span, explicit: false },
            elastic: false,
            unordered: false,
        };
        let more: Vec<Expansion> = options
            .into_iter()
            .flat_map(|(option, value)| [word(Value::known(option)), word(value)])
            .collect();
        (!more.is_empty()).then(|| {
            let mut words = self.call.words.clone();
            let behind = words.len().min(1);
            words.splice(behind..behind, more);
            Instead::Words(Call { words, ..self.call.clone() })
        })
    }
}

/// What the shell asks about the programs that it comes to. `crate::programs` answers.
pub trait Programs: Sync {
    /// Before its own effects: whether something else happens in its place.
    fn begins(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Instead>;

    /// What it runs besides what its declaration says. With a flow, that says all.
    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow>;

    /// What it leaves for the commands behind it.
    fn leaves(&self, shell: &mut Shell<'_>, state: &mut State, done: &Invocation);

    /// The text that a version control system laid out at a path; `None` where what stood there stays.
    fn laid_out(&self, shell: &Shell<'_>, laid: &Laid, path: &Path) -> Option<String>;

    /// What its options load in front of the code that they hold, as code.
    fn preloads(&self, matched: &Match) -> String;

    /// What it writes to standard output, where that can be told.
    fn prints(&self, shell: &Shell<'_>, state: &State, name: &str, call: &Call) -> Option<Value>;

    /// Whether it succeeds, where that can be told.
    fn succeeds(&self, shell: &Shell<'_>, state: &State, name: &str, call: &Call) -> Status;
}
