//! The abstract state of a shell, and how the states of two ways of going on come together.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::model::{Span, Value};
use crate::syntax::Command;

use super::files::Files;
use super::interp::Scope;
use super::names::Names;
use super::step::Stdin;
pub(super) use super::switches::{Switches, Words};

/// What is known of an exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    True,
    False,
    Unknown,
}

impl Status {
    pub(crate) fn from_bool(value: bool) -> Self {
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
pub enum Flow {
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
pub(crate) enum Content {
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
pub struct Variable {
    pub(crate) content: Content,
    pub(crate) exported: bool,
    pub(crate) readonly: bool,
    pub(crate) integer: bool,
    pub(crate) case: Option<char>,
    pub(crate) nameref: bool,
    /// A trap may change it before any command: whatever it is given, it may hold something else.
    pub(crate) loose: bool,
}

impl Variable {
    pub(super) fn new(content: Content) -> Self {
        Self {
            content,
            exported: false,
            readonly: false,
            integer: false,
            case: None,
            nameref: false,
            loose: false,
        }
    }

    fn join(&self, other: &Self) -> Self {
        let mut joined = self.clone();
        joined.exported |= other.exported;
        joined.readonly &= other.readonly;
        joined.integer &= other.integer;
        joined.loose |= other.loose;
        // What only one of them does to a value is done to none that is known.
        if self.case != other.case || self.integer != other.integer || self.nameref != other.nameref {
            joined.loose = true;
            joined.nameref = false;
            joined.content.blur();
            return joined;
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
    /// It may run before any command, by a signal or by what the shell counts as one.
    pub(super) comes: bool,
    /// Its signal comes from outside, if this command does not send it itself.
    pub(super) waits: bool,
}

/// An alias, and where it was defined (it takes effect on the next line).
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Alias {
    pub(super) text: String,
    pub(super) defined: Option<(usize, usize)>,
}

/// Positional parameters.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Positional {
    pub(crate) values: Vec<Value>,
    /// Their number is not known (an unknown list was among the words).
    pub(crate) open: bool,
}

impl Positional {
    /// Those of either way; of another number they are any list.
    fn join(&self, other: &Self) -> Self {
        if self.values.len() != other.values.len() || self.open || other.open {
            return Self { values: vec![Value::Unknown], open: true };
        }
        let both = self.values.iter().zip(&other.values);
        Self { values: both.map(|(mine, theirs)| mine.join(theirs)).collect(), open: false }
    }
}

/// Which open input each name leads to, and what is left of those of which something was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Inputs {
    /// With what was left when that was noted: a name that holds something else since then leads elsewhere.
    pub(super) of: BTreeMap<String, (u32, Stdin)>,
    pub(super) left: BTreeMap<u32, Stdin>,
    pub(super) next: u32,
}

impl Inputs {
    /// Those after either of two ways: what only one of them read from holds nobody knows what.
    fn join(&mut self, other: &Self) {
        let read: Vec<u32> = self.left.keys().chain(other.left.keys()).copied().collect();
        for id in read {
            if self.left.get(&id) != other.left.get(&id) {
                self.left.insert(id, Stdin::Unknown);
            }
        }
        self.of.retain(|name, known| other.of.get(name).is_none_or(|theirs| theirs.0 == known.0));
        self.next = self.next.max(other.next);
    }
}

/// A shell's state at one point of the program.
///
/// It is everything that a command finds when it is its turn: what commands before it left, and in `scope` the
/// circumstances of the region that it stands in.
#[derive(Clone, Debug)]
pub struct State {
    /// The region's circumstances; see [`State::within`].
    pub(crate) scope: Arc<Scope>,
    /// Directories it may be in; empty when unknown. When `status` is unknown: those of success.
    pub(crate) cwd: Vec<PathBuf>,
    /// Directories it is in when the last command failed, where these are others.
    pub(super) failed_cwd: Option<Vec<PathBuf>>,
    /// `$OLDPWD`.
    pub(super) previous: Vec<PathBuf>,
    /// The directory stack below the current directory.
    pub(super) stack: Vec<Vec<PathBuf>>,
    /// Every variable that is set, those of the environment included.
    pub(crate) variables: Arc<BTreeMap<String, Variable>>,
    /// A name that is not among them is unset; otherwise its value is unknown.
    pub(super) unset_is_empty: bool,
    /// Values shadowed by `local`, one map per function call.
    pub(super) shadowed: Vec<BTreeMap<String, Option<Variable>>>,
    pub(super) functions: BTreeMap<String, Definitions>,
    /// Names that were no function any more after `unset -f`.
    pub(super) no_functions: BTreeSet<String>,
    pub(super) aliases: BTreeMap<String, Alias>,
    pub(super) switches: Switches,
    pub(crate) zero: Value,
    /// `$BASH_SOURCE`: the script that these commands stand in; text that was typed stands in none.
    pub(super) source: Option<Value>,
    pub(super) positional: Positional,
    pub(crate) status: Status,
    /// `$_`: last word of the previous command.
    pub(super) last_word: Value,
    /// Standard input.
    pub(crate) stdin: Stdin,
    /// What was written to standard output since the capture began.
    pub(crate) output: Value,
    pub(crate) files: Files,
    /// What stands here runs only if something unknown turns out so.
    pub(crate) maybe: bool,
    /// Within a function or a sourced file, where `return` leaves something; elsewhere it only complains.
    pub(super) returns: bool,
    /// Loops of this function or shell around here; without one, `break` and `continue` do nothing.
    pub(super) loops: usize,
    /// This is the shell that the person types into, with its functions and its hook.
    pub(super) session: bool,
    /// Commands to run when the shell ends or a signal comes.
    pub(super) exit_traps: Vec<Trap>,
    /// Open file descriptors above 2 and redirections by `exec`: what reading them gives.
    pub(crate) descriptors: BTreeMap<String, Stdin>,
    /// What names of the process mean: its open files, and the shells that it comes from.
    pub(crate) names: Arc<Names>,
    /// Which open inputs those are, and what is left of them.
    pub(super) inputs: Arc<Inputs>,
}

impl State {
    /// Goes through a region with circumstances of its own; behind it those from before hold again.
    pub(crate) fn within<R>(&mut self, scope: &Scope, run: impl FnOnce(&mut Self) -> R) -> R {
        let before = std::mem::replace(&mut self.scope, Arc::new(scope.clone()));
        let result = run(self);
        self.scope = before;
        result
    }

    /// What starts here is another process than the shell, which stays in its directory.
    pub(crate) fn go_out(&mut self) {
        if !self.names.knows_outer(&self.cwd) {
            Arc::make_mut(&mut self.names).go_out(&self.cwd);
        }
    }

    /// Goes through what runs only if something unknown turns out so.
    pub(crate) fn perhaps<R>(&mut self, run: impl FnOnce(&mut Self) -> R) -> R {
        let before = std::mem::replace(&mut self.maybe, true);
        let result = run(self);
        self.maybe = before;
        result
    }

    /// A way of going on from here that is taken only if something unknown turns out so.
    pub(super) fn possible(&self) -> Self {
        Self { maybe: true, ..self.clone() }
    }

    /// Adds to what was written to standard output.
    pub(crate) fn print(&mut self, text: &Value) {
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
    pub(super) fn join(mut self, other: Self) -> Self {
        self.join_directories(&other);
        if !Arc::ptr_eq(&self.variables, &other.variables) && self.variables != other.variables {
            self.variables = Arc::new(join_variables(&self.variables, &other.variables, self.unset_is_empty));
        }
        join_functions(&mut self.functions, other.functions);
        self.no_functions.retain(|name| other.no_functions.contains(name));
        for (name, alias) in other.aliases {
            self.aliases.entry(name).or_insert(alias);
        }
        self.switches = self.switches.join(&other.switches);
        self.zero = self.zero.join(&other.zero);
        if self.source != other.source {
            self.source = Some(Value::Unknown);
        }
        if self.positional != other.positional {
            self.positional = self.positional.join(&other.positional);
        }
        self.last_word = self.last_word.join(&other.last_word);
        if self.inputs != other.inputs {
            Arc::make_mut(&mut self.inputs).join(&other.inputs);
        }
        if self.stdin != other.stdin {
            self.stdin = Stdin::Unknown;
        }
        self.output = self.output.join(&other.output);
        self.files.merge(&other.files);
        self.maybe |= other.maybe;
        for trap in other.exit_traps {
            if !self.exit_traps.iter().any(|known| known.text == trap.text) {
                self.exit_traps.push(trap);
            }
        }
        if self.descriptors != other.descriptors {
            self.descriptors.clear();
        }
        if self.names != other.names {
            self.names = Arc::new(self.names.join(&other.names));
        }
        self
    }

    /// The directories of either way with the status that goes with them, and the stack.
    fn join_directories(&mut self, other: &Self) {
        let success = either(self.success_cwd(), other.success_cwd());
        let failure = either(self.failure_cwd(), other.failure_cwd());
        self.status = match (&success, &failure) {
            (Some(_), None) => Status::True,
            (None, Some(_)) => Status::False,
            _ => Status::Unknown,
        };
        self.failed_cwd = None;
        match (success, failure) {
            (Some(yes), Some(no)) if yes != no => (self.cwd, self.failed_cwd) = (yes, Some(no)),
            (Some(cwd), _) | (None, Some(cwd)) => self.cwd = cwd,
            (None, None) => {}
        }
        self.previous = union(&self.previous, &other.previous);
        if self.stack != other.stack {
            self.stack = Vec::new();
        }
    }

    /// The single directory it is in, when that is known.
    pub(crate) fn only_cwd(&self) -> Option<&Path> {
        match self.cwd.as_slice() {
            [one] => Some(one),
            _ => None,
        }
    }
}

/// Functions of either way: all bodies that a name may have.
fn join_functions(mine: &mut BTreeMap<String, Definitions>, theirs: BTreeMap<String, Definitions>) {
    for (name, definitions) in mine.iter_mut() {
        let Some(others) = theirs.get(name) else {
            definitions.maybe_undefined = true;
            continue;
        };
        for body in &others.bodies {
            if !definitions.bodies.iter().any(|known| Arc::ptr_eq(known, body)) {
                definitions.bodies.push(Arc::clone(body));
            }
        }
        definitions.maybe_undefined |= others.maybe_undefined;
        definitions.exported |= others.exported;
    }
    for (name, definitions) in theirs {
        mine.entry(name).or_insert_with(|| Definitions { maybe_undefined: true, ..definitions });
    }
}

/// Variables of either way.
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
