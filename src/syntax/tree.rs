//! The tree: plain data, made by this module's parser, read by abstract interpretation.
//!
//! Spans are byte ranges of the text given to [`super::parse`], also inside rescanned parts (a here-document's body, a
//! backtick's, a joined continuation line): the nearest enclosing range where an exact one cannot be had.

use crate::model::Span;

/// A whole text, or the body of a compound command or substitution.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Script {
    /// Commands in order, each run to its end before the next unless it is in the background.
    pub items: Vec<Item>,
}

/// One entry of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The command.
    pub command: Command,
    /// Ended by `&`.
    pub background: bool,
}

/// A command with its redirections (those of a simple command included).
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// What it is.
    pub kind: CommandKind,
    /// Redirections in source order.
    pub redirections: Vec<Redirection>,
    /// Where.
    pub span: Span,
}

/// The kinds of command.
#[derive(Clone, Debug, PartialEq)]
pub enum CommandKind {
    /// Assignments and words.
    Simple {
        /// `a=1`, `a+=1`, `arr[0]=x`, `arr=(x y)` before the command word. Also where the words of `declare`, `export`,
        /// `local`, `readonly`, `typeset` are assignments, those stand in `words` as [`Part`]s and here not.
        assignments: Vec<Assignment>,
        /// Command word and arguments, redirections and assignments taken out. Empty for `a=1` alone or `> f` alone.
        words: Vec<Word>,
    },
    /// `declare`, `typeset`, `export`, `readonly`, `local`: arguments may be assignments, arrays included.
    Declaration {
        /// Which of the five.
        keyword: String,
        /// Options and names in source order.
        arguments: Vec<DeclarationArgument>,
    },
    /// `a | b |& c`; at least one stage when negated or timed, at least two otherwise.
    Pipeline {
        /// Preceded by `!`.
        negated: bool,
        /// Preceded by `time` (with or without `-p`).
        timed: bool,
        /// The stages; `true` when this stage's standard error goes into the pipe too (`|&` after it).
        stages: Vec<(Command, bool)>,
    },
    /// `a && b || c`, left-associative.
    AndOr {
        /// Leftmost command.
        first: Box<Command>,
        /// The others with the operator before each.
        rest: Vec<(AndOr, Command)>,
    },
    /// `( list )`.
    Subshell(Script),
    /// `{ list; }`.
    Group(Script),
    /// `if`, with every `elif`.
    If {
        /// Conditions and bodies, the first for `if`.
        branches: Vec<(Script, Script)>,
        /// `else`.
        otherwise: Option<Script>,
    },
    /// `while` and `until`.
    While {
        /// True for `until`.
        until: bool,
        /// Condition list.
        condition: Script,
        /// Body.
        body: Script,
    },
    /// `for name [in words]` and `select` (`words` is `None` without `in`: the positional parameters).
    For {
        /// Loop variable.
        variable: String,
        /// Words to go over.
        words: Option<Vec<Word>>,
        /// Body.
        body: Script,
        /// It is `select`: choices are made by a person, the body may run any number of times.
        select: bool,
    },
    /// `for (( a; b; c ))`; the three expressions' substitutions.
    ArithmeticFor {
        /// Substitutions inside the header.
        header: Word,
        /// Body.
        body: Script,
    },
    /// `case word in …`.
    Case {
        /// The word.
        word: Word,
        /// The arms in order.
        arms: Vec<CaseArm>,
    },
    /// `name() body`, `function name body`.
    Function {
        /// Its name.
        name: String,
        /// Its body with its own redirections.
        body: Box<Command>,
    },
    /// `[[ … ]]`.
    Test(TestExpression),
    /// `(( … ))`: the text with its substitutions as parts.
    Arithmetic(Word),
    /// `coproc [NAME] command`.
    Coproc {
        /// Name, `COPROC` when absent.
        name: String,
        /// What runs.
        body: Box<Command>,
    },
    /// Text that could not be read; the same range is among the gaps. Commands salvaged from it may only make a verdict
    /// stricter.
    Gap(Vec<Command>),
}

/// `&&` or `||`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AndOr {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// One arm of `case`.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseArm {
    /// Patterns.
    pub patterns: Vec<Word>,
    /// Body.
    pub body: Script,
    /// What follows the body.
    pub end: CaseEnd,
}

/// How an arm of `case` ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseEnd {
    /// `;;`
    Break,
    /// `;&`
    FallThrough,
    /// `;;&`
    TestNext,
}

/// Expression of `[[ … ]]`.
#[derive(Clone, Debug, PartialEq)]
pub enum TestExpression {
    /// `-f word`, `-n word` … operator and operand.
    Unary(String, Word),
    /// `a = b`, `a -nt b`, `a =~ b` … left, operator, right (right is a pattern for `=`, `==`, `!=`).
    Binary(Word, String, Word),
    /// A word alone: true when not empty.
    Word(Word),
    /// `! e`
    Not(Box<TestExpression>),
    /// `a && b`
    And(Box<TestExpression>, Box<TestExpression>),
    /// `a || b`
    Or(Box<TestExpression>, Box<TestExpression>),
    /// Not understood; the words' substitutions still run.
    Other(Vec<Word>),
}

/// An assignment.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// Variable.
    pub name: String,
    /// Subscript.
    pub index: Option<Word>,
    /// `+=`.
    pub append: bool,
    /// Right side.
    pub value: AssignedValue,
    /// Where.
    pub span: Span,
}

/// Right side of an assignment.
#[derive(Clone, Debug, PartialEq)]
pub enum AssignedValue {
    /// One word (no word splitting, no globbing); an empty word for `a=`.
    Scalar(Word),
    /// `( … )`: elements with their subscripts.
    Array(Vec<(Option<Word>, Word)>),
}

/// An argument of `declare` and its kin.
#[derive(Clone, Debug, PartialEq)]
pub enum DeclarationArgument {
    /// An option, a bare name, or a word only known at run time.
    Word(Word),
    /// `name=value`.
    Assignment(Assignment),
}

/// A redirection.
#[derive(Clone, Debug, PartialEq)]
pub struct Redirection {
    /// File descriptor as written: `2`, `{fd}` (without braces, `named` is true).
    pub descriptor: Option<String>,
    /// Descriptor is `{name}`.
    pub named: bool,
    /// Operator.
    pub operator: RedirectionOperator,
    /// What follows it.
    pub target: RedirectionTarget,
    /// Where.
    pub span: Span,
}

/// Redirection operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectionOperator {
    /// `<`
    Read,
    /// `>`
    Write,
    /// `>|`
    Clobber,
    /// `>>`
    Append,
    /// `<>`
    ReadWrite,
    /// `&>` and `>&word`
    WriteBoth,
    /// `&>>`
    AppendBoth,
    /// `<&`, `>&` with a descriptor or `-`
    Duplicate,
    /// `<<`, `<<-`
    HereDocument,
    /// `<<<`
    HereString,
}

/// What a redirection points at.
#[derive(Clone, Debug, PartialEq)]
pub enum RedirectionTarget {
    /// A file name, a descriptor, or a here-string's text.
    Word(Word),
    /// A here-document's body, tabs already stripped for `<<-`. With a quoted delimiter the body is one
    /// [`Part::Quoted`].
    HereDocument(Word),
}

/// A word: parts joined without anything between. No parts: the empty unquoted word.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Word {
    /// Its parts.
    pub parts: Vec<Part>,
    /// Where.
    pub span: Span,
}

/// A part of a word.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Unquoted text: subject to brace expansion, tilde, globs (extglob included), never to word splitting. Backslash
    /// escapes are taken out as [`Part::Quoted`].
    Literal(String),
    /// Text that stands for itself: single-quoted, `$'…'` (decoded), an escaped character, a quoted here-document.
    Quoted(String),
    /// `"…"` and `$"…"`: parts inside are not split and not globbed (their [`Part::Literal`]s stand for themselves).
    DoubleQuoted(Vec<Part>),
    /// `$x`, `${x…}`.
    Parameter(Box<Parameter>),
    /// `$( … )`, `` ` … ` ``, `${ …; }`.
    Command(Script, Span),
    /// `<( … )`, `>( … )`; true for `>`.
    Process(Script, bool, Span),
    /// `$(( … ))`, `$[ … ]`: the text as parts.
    Arithmetic(Vec<Part>),
    /// A part that could not be read (also among the gaps): any text.
    Gap(Span),
}

/// A parameter expansion.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// `x`, `1`, `@`, `*`, `#`, `?`, `$`, `!`, `-`, `_`.
    pub name: String,
    /// Subscript: a word; `@` and `*` are words with that literal.
    pub index: Option<Word>,
    /// `${!x}`.
    pub indirect: bool,
    /// `${#x}`.
    pub length: bool,
    /// The operator with its words.
    pub operator: Option<ParameterOperator>,
    /// Where.
    pub span: Span,
}

/// Operators of `${x…}`.
#[derive(Clone, Debug, PartialEq)]
pub enum ParameterOperator {
    /// `-`, `=`, `?`, `+` and with a colon (`true`): which, colon, word.
    Default(char, bool, Word),
    /// `#`, `##`, `%`, `%%`: which, doubled, pattern.
    Remove(char, bool, Word),
    /// `/`, `//`, `/#`, `/%`: second character or space, pattern, replacement.
    Replace(char, Word, Word),
    /// `:offset` and `:offset:length`.
    Substring(Word, Option<Word>),
    /// `^`, `^^`, `,`, `,,`: which, doubled, pattern.
    Case(char, bool, Option<Word>),
    /// `@Q`, `@P` …
    Transform(char),
    /// `${!x*}`, `${!x@}`: names with a prefix; `${!x[@]}`: keys.
    Names,
}

/// A part of the text whose meaning is not known. It may hide any command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Where.
    pub span: Span,
    /// Why.
    pub reason: GapReason,
}

/// Why there is a gap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GapReason {
    /// The grammar gave an error or a missing node.
    Syntax,
    /// A node of a kind that we do not interpret; its name.
    UnknownNode(String),
    /// A substitution that no visited node explains.
    Uncovered,
    /// A limit was reached; its name (`size`, `depth`, `nodes`, `deadline`).
    Limit(&'static str),
    /// Not text that a shell can take: NUL bytes, not UTF-8.
    Encoding,
}

impl GapReason {
    /// For people.
    pub fn describe(&self) -> String {
        match self {
            Self::Syntax => "this part could not be parsed as bash".to_owned(),
            Self::UnknownNode(kind) => format!("a construct that is not interpreted ({kind})"),
            Self::Uncovered => "a substitution that the parser did not explain".to_owned(),
            Self::Limit(name) => format!("the {name} limit was reached"),
            Self::Encoding => "not valid text".to_owned(),
        }
    }
}
