//! The abstract state of a shell, and how the states of two ways of going on come together.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::model::{Span, Value};
use crate::syntax::Command;

use super::files::Files;
use super::interp::Scope;
use super::step::Stdin;

/// What is known of an exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    True,
    False,
    Unknown,
}

impl Status {
    pub(super) fn from_bool(value: bool) -> Self {
        if value { Self::True } else { Self::False }
    }

    pub(super) fn from_option(value: Option<bool>) -> Self {
        value.map_or(Self::Unknown, Self::from_bool)
    }

    /// Success of both.
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::False, _) | (_, Self::False) => Self::False,
            (Self::True, Self::True) => Self::True,
            _ => Self::Unknown,
        }
    }

    pub(super) fn negate(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            Self::Unknown => Self::Unknown,
        }
    }
}

/// How a command ends, as far as it is certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// The next command follows.
    Next,
    /// `break n`.
    Break(usize),
    /// `continue n`.
    Continue(usize),
    /// `return`.
    Return,
    /// `exit`, `exec`, a fatal error: this shell is over.
    Exit,
}

/// What a variable holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Content {
    /// Explicitly unset: the environment's value is gone.
    Unset,
    Scalar(Value),
    Indexed(BTreeMap<i64, Value>),
    Assoc(Vec<(String, Value)>),
    /// An array of unknown length.
    UnknownArray,
}

/// A variable with its attributes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Variable {
    pub(super) content: Content,
    pub(super) exported: bool,
    pub(super) readonly: bool,
    pub(super) integer: bool,
    pub(super) case: Option<char>,
    pub(super) nameref: bool,
}

impl Variable {
    pub(super) fn new(content: Content) -> Self {
        Self { content, exported: false, readonly: false, integer: false, case: None, nameref: false }
    }

    fn join(&self, other: &Self) -> Self {
        let mut joined = self.clone();
        joined.exported |= other.exported;
        joined.readonly &= other.readonly;
        joined.integer &= other.integer;
        joined.nameref &= other.nameref;
        if self.case != other.case {
            joined.case = None;
        }
        joined.content = match (&self.content, &other.content) {
            (a, b) if a == b => a.clone(),
            (Content::Unset, Content::Scalar(v)) | (Content::Scalar(v), Content::Unset) => {
                Content::Scalar(v.join(&Value::known("")))
            }
            (Content::Scalar(a), Content::Scalar(b)) => Content::Scalar(a.join(b)),
            (Content::Indexed(a), Content::Indexed(b)) if a.keys().eq(b.keys()) => Content::Indexed(
                a.iter().zip(b.values()).map(|((key, left), right)| (*key, left.join(right))).collect(),
            ),
            _ => Content::UnknownArray,
        };
        joined
    }
}

/// A function's body with the text it stands in.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) body: Command,
    /// Text that the body's spans refer to.
    pub(super) source: Arc<str>,
    /// Span that stands for all of the body, when the text is not the evaluated one.
    pub(super) span: Option<Span>,
    /// The person's own, from the session.
    pub(super) own: bool,
}

/// Possible definitions of a name; more than one when branches differ.
#[derive(Clone, Debug, Default)]
pub(super) struct Definitions {
    pub(super) bodies: Vec<Arc<Function>>,
    /// It may also not be defined.
    pub(super) maybe_undefined: bool,
    pub(super) exported: bool,
}

/// `trap text EXIT`, or some signal.
#[derive(Clone, Debug)]
pub(super) struct Trap {
    pub(super) text: Value,
    pub(super) scope: Scope,
    /// It runs when the shell ends; otherwise only if its signal comes.
    pub(super) exit: bool,
}

/// An alias, and where it was defined (it takes effect on the next line).
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Alias {
    pub(super) text: String,
    pub(super) defined: Option<(usize, usize)>,
}

/// Shell options that change what is run.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct Switches {
    pub(super) errexit: bool,
    pub(super) nounset: bool,
    pub(super) noclobber: bool,
    pub(super) noglob: bool,
    pub(super) noexec: bool,
    /// What is assigned is exported.
    pub(super) allexport: bool,
    pub(super) pipefail: bool,
    pub(super) dotglob: bool,
    pub(super) nullglob: bool,
    pub(super) failglob: bool,
    pub(super) globstar: bool,
    pub(super) extglob: bool,
    pub(super) nocaseglob: bool,
    pub(super) nocasematch: bool,
    pub(super) expand_aliases: bool,
    pub(super) lastpipe: bool,
    /// A shell goes on when `exec` cannot start its program.
    pub(super) execfail: bool,
    pub(super) no_braces: bool,
    /// `cd` and `pwd` go by where links lead (`set -P`).
    pub(super) physical: bool,
    /// zsh reads it: `*(.)` is a pattern with conditions, `>!` one operator.
    pub(super) zsh: bool,
    /// An alias was made that holds anywhere in what comes after.
    pub(super) wide_alias: bool,
    /// fish reads it: its text is brought over before it is parsed.
    pub(super) fish: bool,
    /// What becomes of the words in a variable's value.
    pub(super) words: Words,
}

/// What a shell makes of a variable that stands without quotes and holds blanks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) enum Words {
    /// As many words as it holds.
    #[default]
    Split,
    /// One word, as in zsh and fish.
    Whole,
    /// One or several: an option decides that nobody told of.
    Unsure,
}

impl Switches {
    /// What a shell of this name starts with.
    pub(super) fn of_shell(name: &str) -> Self {
        let (zsh, fish) = (name == "zsh", name == "fish");
        let words = if zsh || fish { Words::Whole } else { Words::Split };
        let own = zsh || fish;
        // They run the last command of a pipeline themselves, so that `… | read x` stays.
        Self { zsh, fish, words, globstar: own, lastpipe: own, ..Self::default() }
    }

    fn join(&self, other: &Self) -> Self {
        Self {
            errexit: self.errexit && other.errexit,
            nounset: self.nounset && other.nounset,
            noclobber: self.noclobber && other.noclobber,
            noglob: self.noglob && other.noglob,
            noexec: self.noexec && other.noexec,
            allexport: self.allexport || other.allexport,
            pipefail: self.pipefail && other.pipefail,
            dotglob: self.dotglob || other.dotglob,
            nullglob: self.nullglob && other.nullglob,
            failglob: self.failglob && other.failglob,
            globstar: self.globstar || other.globstar,
            extglob: self.extglob || other.extglob,
            nocaseglob: self.nocaseglob || other.nocaseglob,
            nocasematch: self.nocasematch && other.nocasematch,
            expand_aliases: self.expand_aliases || other.expand_aliases,
            lastpipe: self.lastpipe && other.lastpipe,
            execfail: self.execfail || other.execfail,
            no_braces: self.no_braces && other.no_braces,
            physical: self.physical || other.physical,
            zsh: self.zsh || other.zsh,
            wide_alias: self.wide_alias || other.wide_alias,
            fish: self.fish || other.fish,
            words: if self.words == other.words { self.words } else { Words::Unsure },
        }
    }
}

/// Positional parameters.
#[derive(Clone, Debug, PartialEq, Default)]
pub(super) struct Positional {
    pub(super) values: Vec<Value>,
    /// Their number is not known (an unknown list was among the words).
    pub(super) open: bool,
}

/// A shell's state at one point of the program.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// Directories it may be in; empty when unknown. When `status` is unknown: those of success.
    pub(super) cwd: Vec<PathBuf>,
    /// Directories it is in when the last command failed, where these are others.
    pub(super) failed_cwd: Option<Vec<PathBuf>>,
    /// `$OLDPWD`.
    pub(super) previous: Vec<PathBuf>,
    /// The directory stack below the current directory.
    pub(super) stack: Vec<Vec<PathBuf>>,
    /// Every variable that is set, those of the environment included.
    pub(super) variables: Arc<BTreeMap<String, Variable>>,
    /// A name that is not among them is unset; otherwise its value is unknown.
    pub(super) unset_is_empty: bool,
    /// Values shadowed by `local`, one map per function call.
    pub(super) shadowed: Vec<BTreeMap<String, Option<Variable>>>,
    pub(super) functions: BTreeMap<String, Definitions>,
    /// Names that were no function any more after `unset -f`.
    pub(super) no_functions: BTreeSet<String>,
    pub(super) aliases: BTreeMap<String, Alias>,
    pub(super) switches: Switches,
    pub(super) zero: Value,
    /// `$BASH_SOURCE`: the script that these commands stand in; text that was typed stands in none.
    pub(super) source: Option<Value>,
    pub(super) positional: Positional,
    pub(super) status: Status,
    /// `$_`: last word of the previous command.
    pub(super) last_word: Value,
    /// Standard input.
    pub(super) stdin: Stdin,
    /// What was written to standard output since the capture began.
    pub(super) output: Value,
    pub(super) files: Files,
    /// What stands here runs only if something unknown turns out so.
    pub(super) maybe: bool,
    /// Within a function or a sourced file, where `return` leaves something; elsewhere it only complains.
    pub(super) returns: bool,
    /// Loops of this function or shell around here; without one, `break` and `continue` do nothing.
    pub(super) loops: usize,
    /// This is the shell that the person types into, with its functions and its hook.
    pub(super) session: bool,
    /// Commands to run when the shell ends or a signal comes.
    pub(super) exit_traps: Vec<Trap>,
    /// Open file descriptors above 2 and redirections by `exec`: what reading them gives.
    pub(super) descriptors: BTreeMap<String, Stdin>,
}

impl State {
    /// Adds to what was written to standard output.
    pub(super) fn print(&mut self, text: &Value) {
        self.output = super::expand::capped(self.output.concat(text));
    }

    /// This way is the one of success.
    pub(super) fn succeed(&mut self) {
        self.status = Status::True;
        self.failed_cwd = None;
    }

    /// This way is the one of failure.
    pub(super) fn fail(&mut self) {
        self.status = Status::False;
        if let Some(cwd) = self.failed_cwd.take() {
            self.cwd = cwd;
        }
    }

    /// Either way goes on from here.
    pub(super) fn settle(&mut self) {
        if let Some(failed) = self.failed_cwd.take() {
            self.cwd = union(&self.cwd, &failed);
        }
    }

    fn success_cwd(&self) -> Option<&[PathBuf]> {
        (self.status != Status::False).then_some(self.cwd.as_slice())
    }

    fn failure_cwd(&self) -> Option<&[PathBuf]> {
        match self.status {
            Status::True => None,
            Status::False => Some(&self.cwd),
            Status::Unknown => Some(self.failed_cwd.as_deref().unwrap_or(&self.cwd)),
        }
    }

    /// The state after either of two ways.
    pub(super) fn join(self, other: Self) -> Self {
        let success = either(self.success_cwd(), other.success_cwd());
        let failure = either(self.failure_cwd(), other.failure_cwd());
        let status = match (&success, &failure) {
            (Some(_), None) => Status::True,
            (None, Some(_)) => Status::False,
            _ => Status::Unknown,
        };
        let (cwd, failed_cwd) = match (success, failure) {
            (Some(yes), Some(no)) if yes != no => (yes, Some(no)),
            (Some(cwd), _) | (None, Some(cwd)) => (cwd, None),
            (None, None) => (self.cwd.clone(), None),
        };
        let mut joined = self;
        joined.status = status;
        joined.cwd = cwd;
        joined.failed_cwd = failed_cwd;
        joined.previous = union(&joined.previous, &other.previous);
        if joined.stack != other.stack {
            joined.stack = Vec::new();
        }
        if !Arc::ptr_eq(&joined.variables, &other.variables) && joined.variables != other.variables {
            joined.variables =
                Arc::new(join_variables(&joined.variables, &other.variables, joined.unset_is_empty));
        }
        for (name, definitions) in &mut joined.functions {
            match other.functions.get(name) {
                Some(theirs) => {
                    for body in &theirs.bodies {
                        if !definitions.bodies.iter().any(|known| Arc::ptr_eq(known, body)) {
                            definitions.bodies.push(Arc::clone(body));
                        }
                    }
                    definitions.maybe_undefined |= theirs.maybe_undefined;
                    definitions.exported |= theirs.exported;
                }
                None => definitions.maybe_undefined = true,
            }
        }
        for (name, definitions) in other.functions {
            joined
                .functions
                .entry(name)
                .or_insert_with(|| Definitions { maybe_undefined: true, ..definitions });
        }
        joined.no_functions.retain(|name| other.no_functions.contains(name));
        for (name, alias) in other.aliases {
            joined.aliases.entry(name).or_insert(alias);
        }
        joined.switches = joined.switches.join(&other.switches);
        joined.zero = joined.zero.join(&other.zero);
        if joined.source != other.source {
            joined.source = Some(Value::Unknown);
        }
        if joined.positional != other.positional {
            joined.positional = if joined.positional.values.len() == other.positional.values.len()
                && !joined.positional.open
                && !other.positional.open
            {
                Positional {
                    values: joined
                        .positional
                        .values
                        .iter()
                        .zip(&other.positional.values)
                        .map(|(a, b)| a.join(b))
                        .collect(),
                    open: false,
                }
            } else {
                Positional { values: vec![Value::Unknown], open: true }
            };
        }
        joined.last_word = joined.last_word.join(&other.last_word);
        if joined.stdin != other.stdin {
            joined.stdin = Stdin::Unknown;
        }
        joined.output = joined.output.join(&other.output);
        joined.files.merge(&other.files);
        joined.maybe |= other.maybe;
        for trap in other.exit_traps {
            if !joined.exit_traps.iter().any(|known| known.text == trap.text) {
                joined.exit_traps.push(trap);
            }
        }
        if joined.descriptors != other.descriptors {
            joined.descriptors.clear();
        }
        joined
    }

    /// The single directory it is in, when that is known.
    pub(super) fn only_cwd(&self) -> Option<&Path> {
        match self.cwd.as_slice() {
            [one] => Some(one),
            _ => None,
        }
    }
}

fn join_variables(
    mine: &BTreeMap<String, Variable>,
    theirs: &BTreeMap<String, Variable>,
    unset_is_empty: bool,
) -> BTreeMap<String, Variable> {
    let missing =
        Variable::new(if unset_is_empty { Content::Unset } else { Content::Scalar(Value::Unknown) });
    let mut joined = BTreeMap::new();
    for (name, variable) in mine {
        joined.insert(name.clone(), variable.join(theirs.get(name).unwrap_or(&missing)));
    }
    for (name, variable) in theirs {
        if !mine.contains_key(name) {
            joined.insert(name.clone(), variable.join(&missing));
        }
    }
    joined
}

fn either(a: Option<&[PathBuf]>, b: Option<&[PathBuf]>) -> Option<Vec<PathBuf>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(union(a, b)),
        (Some(one), None) | (None, Some(one)) => Some(one.to_vec()),
        (None, None) => None,
    }
}

/// Directories that may be either; unknown (empty) when one of them is, or when they grow too many.
pub(super) fn union(a: &[PathBuf], b: &[PathBuf]) -> Vec<PathBuf> {
    if a.is_empty() || b.is_empty() {
        return Vec::new();
    }
    let mut all = a.to_vec();
    for path in b {
        if !all.contains(path) {
            all.push(path.clone());
        }
    }
    if all.len() > Value::MAX_CHOICES { Vec::new() } else { all }
}
