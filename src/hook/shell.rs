//! The helper of the interactive shells' hooks: one line that a person accepted, judged before it runs.
//!
//! What comes in on standard input are parts with NUL bytes between them: the shell's options, aliases, names of functions,
//! the line, and then name and text of functions that it may call, in turn; under the name `=`, what sets the variables that
//! it names, the positional parameters and the directories. What goes out is the exit status (0: run it, 126: do not), where
//! it is asked for [`WANTS_BODIES`] before: these are needed and read from the same pipe. A text that the person wants on the line instead is printed
//! to standard output; for bash as a sum, which its script evaluates in the shell itself, together with what else to mind.

use std::fmt::Write as _;

use crate::exec::{self, Permit, ShellLine, Surroundings};
use crate::shell::Session;
use crate::syntax::{fish, zsh};

pub use super::kind::ShellKind;
use super::session::{STATE, bodies, by_options, prelude, session};

/// Answer: the line names functions or variables of the shell, and what they are is not known yet.
pub const WANTS_BODIES: u8 = 3;

/// For bash's script: the line could not be seen.
pub const UNSEEN: u8 = 4;

/// For bash's script: a text stands in `__rc_put`.
const PUT: u8 = 16;

/// Longest text that is handed back to bash.
const LONGEST: usize = 64 * 1024;

/// A line as a hook hands it over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What runs, as the shell at hand reads it.
    pub typed: String,
    /// What was typed, for people: zsh expands aliases and breaks lines before it hands the line over.
    pub shown: String,
    /// What is judged: the same in the syntax that recourse reads.
    pub judged: String,
    /// The shell around it.
    pub session: Session,
    /// The shell said what the functions do that it may call.
    told: bool,
    /// It names or defines a function of which the shell's list says nothing.
    hidden: bool,
    /// `cd` may go where the shell's variables say.
    led: bool,
}

/// How the line comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// The shell.
    pub shell: ShellKind,
    /// The line is the last entry as `history 1` prints it.
    pub history: bool,
    /// `#` begins a comment (zsh alone may say no).
    pub comments: bool,
    /// The shell's options come first.
    pub state: bool,
    /// The line as it was typed comes before the line.
    pub shown: bool,
}

impl Form {
    /// How many parts there are up to the line, with it.
    pub fn parts(self) -> usize {
        3 + usize::from(self.state) + usize::from(self.shown)
    }
}

impl Line {
    /// Takes apart what a hook sent.
    ///
    /// # Errors
    /// When it is not valid text, and so cannot be judged.
    pub fn read(bytes: &[u8], form: Form) -> Result<Self, String> {
        let text = std::str::from_utf8(bytes).map_err(|_| "the line is not valid UTF-8".to_owned())?;
        let (options, text) = match text.split_once('\0').filter(|_| form.state) {
            Some((options, rest)) => (options, rest),
            None => ("", text),
        };
        let mut parts = text.splitn(4 + usize::from(form.shown), '\0');
        let (aliases, functions) = (parts.next(), parts.next());
        let shown = form.shown.then(|| parts.next()).flatten();
        let (aliases, functions, line) = match (aliases, functions, parts.next()) {
            (Some(aliases), Some(functions), Some(line)) => (aliases, functions, line),
            _ => ("", "", text),
        };
        let told = parts.next();
        let typed = if form.history { entry(line) } else { line };
        let mut session = session(aliases, functions);
        let judged = match form.shell {
            ShellKind::Bash => typed.to_owned(),
            ShellKind::Zsh => zsh::to_bash(&by_options(typed, options), form.comments),
            ShellKind::Fish => fish::to_bash(typed),
        };
        // Of zsh's functions those whose names begin so are not told: there are hundreds. And what it will call some day.
        let hidden = form.shell == ShellKind::Zsh
            && (typed.contains("()")
                || words(typed).any(|word| word.starts_with('_') || word.starts_with("function")));
        session.translated = form.shell != ShellKind::Bash;
        session.fish = form.shell == ShellKind::Fish;
        session.bodies = bodies(told.unwrap_or_default(), |name, body| match form.shell {
            ShellKind::Bash => body.to_owned(),
            // No function, and in bash's syntax already.
            ShellKind::Zsh | ShellKind::Fish if name == STATE => body.to_owned(),
            // zsh prints what it read, without comments.
            ShellKind::Zsh => format!("{name} () {{\n{}\n}}", zsh::to_bash(body, false)),
            ShellKind::Fish => fish::to_bash(body),
        });
        session.prelude = prelude(form.shell, options, &mut session.bodies);
        let shown = shown.unwrap_or(typed).to_owned();
        let leads =
            |option: &str| matches!(option, "cdpath_set" | "cdpathset" | "cdable_vars" | "cdablevars");
        let led = options.split([':', ' ']).any(leads);
        Ok(Self { typed: typed.to_owned(), shown, judged, session, told: told.is_some(), hidden, led })
    }

    /// It may call functions of the shell, and what they do was not said.
    pub fn wants_bodies(&self) -> bool {
        if self.hidden && !self.told {
            return true;
        }
        let mut texts = vec![self.typed.as_str()];
        let mut seen: Vec<&str> = Vec::new();
        while !self.told
            && let Some(text) = texts.pop()
        {
            if depends_on_state(text) || self.led && words(text).any(|word| word == "cd") {
                return true;
            }
            // `*(+name)` and `*(e:name:)` of zsh call it.
            for word in words(text).chain(pieces(text)) {
                if self.session.functions.iter().any(|function| function == word) {
                    return true;
                }
                if let Some((name, text)) = self.session.aliases.iter().find(|(name, _)| name == word)
                    && !seen.contains(&name.as_str())
                {
                    seen.push(name);
                    texts.push(text);
                }
            }
        }
        false
    }

    /// What may be names in it, with blanks between them; `$F.new` names `F`.
    pub fn names(&self) -> String {
        words(&self.typed).chain(pieces(&self.typed)).collect::<Vec<_>>().join(" ")
    }

    /// How often it names a word, by itself or by an alias or a function that it names.
    pub fn mentions(&self, name: &str) -> usize {
        let count = |text: &str| words(text).filter(|word| word.rsplit('/').next() == Some(name)).count();
        let stands_for = |word: &str| -> usize {
            let aliases = self.session.aliases.iter().chain(&self.session.bodies);
            aliases.filter(|(known, _)| known == word).map(|(_, text)| count(text)).sum()
        };
        words(&self.typed).map(stands_for).sum::<usize>() + count(&self.typed)
    }

    /// There is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.typed.trim().is_empty()
    }

    /// For bash's script: 2 when the line begins with a blank.
    pub fn marks(&self) -> u8 {
        u8::from(self.typed.starts_with(' ')) * 2
    }
}

/// Whether what a text does may depend on variables, positional parameters or directories of the shell.
fn depends_on_state(text: &str) -> bool {
    let place = |(at, _)| text[at + 1..].starts_with(|c: char| c.is_ascii_digit() || c == '+' || c == '-');
    text.contains('$')
        || text.match_indices('~').any(place)
        || words(text).any(|word| matches!(word, "popd" | "pushd" | "dirs" | "shift"))
}

/// What may be names of commands in a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || "_-.:+".contains(c))).filter(|word| !word.is_empty())
}

/// What may be names of variables in a text.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

/// The command of an entry as `history 1` prints it: number, a mark, a blank, the command, a line break.
fn entry(text: &str) -> &str {
    let rest = text.trim_start_matches(' ').trim_start_matches(|c: char| c.is_ascii_digit());
    let mut chars = rest.chars();
    match (chars.next(), chars.next()) {
        (Some(' ' | '*'), Some(' ')) => {
            let line = chars.as_str();
            line.strip_suffix('\n').unwrap_or(line)
        }
        _ => text,
    }
}

/// How the shell that asks is answered.
#[derive(Clone, Copy)]
pub struct Manner<'a> {
    /// What is said begins on a new line.
    pub below: bool,
    /// The shell can put another text onto its line.
    pub takes_text: bool,
    /// Called when the line has been looked at, before anything is kept or a person may be asked.
    pub looked: &'a dyn Fn(),
}

/// Judges the line, and asks where that is due.
pub fn run(line: &Line, manner: Manner<'_>, around: &Surroundings<'_>) -> Permit {
    let Manner { below, takes_text, looked } = manner;
    exec::permit(&ShellLine { judged: &line.judged, typed: &line.shown, below, takes_text, looked }, around)
}

/// A text for bash's script: arithmetic that puts its bytes into an array, and is worth the mark for that. `None` when it
/// is too long.
pub fn for_bash(text: &str) -> Option<String> {
    if text.len() > LONGEST {
        return None;
    }
    let mut sum = String::from("(");
    for (at, byte) in text.bytes().enumerate() {
        let _ = write!(sum, "__rc_put[{at}]={byte},");
    }
    let _ = write!(sum, "{PUT})+");
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Line {
        Line::read(
            text.as_bytes(),
            Form { shell: ShellKind::Bash, history: true, comments: true, state: false, shown: false },
        )
        .unwrap()
    }

    #[test]
    fn an_entry_of_history_is_the_line_alone() {
        for (text, line) in [
            ("  501  rm x\n", "rm x"),
            ("  501   rm x\n", " rm x"),
            ("12345* rm x\n", "rm x"),
            ("    1  cat <<E\na\nE\n", "cat <<E\na\nE"),
            ("   12  3  4\n", "3  4"),
        ] {
            assert_eq!(read(&format!("alias a='b'\n\0declare -f f\n\0{text}")).typed, line);
        }
        assert_eq!(read("  501  rm x\n").typed, "rm x");
    }

    #[test]
    fn marks_for_bash() {
        for (line, marks) in [("ls", 0), (" ls", 2), ("trap '' INT", 0)] {
            assert_eq!(read(&format!("\0declare -f up\n\0    1  {line}\n")).marks(), marks, "{line}");
        }
    }

    #[test]
    fn functions_are_asked_for_when_a_line_may_call_them() {
        for (line, wants) in
            [("up now", true), ("ls", false), ("a; ls", true), ("echo 'up'", true), ("b", false)]
        {
            let text =
                format!("alias a='c x'\nalias c='up'\nalias b='b c_x'\n\0declare -f up\n\0    1  {line}\n");
            assert_eq!(read(&text).wants_bodies(), wants, "{line}");
            assert!(read(&text).names().chars().all(|c| c == ' ' || c.is_ascii_alphanumeric()), "{line}");
            assert!(!read(&format!("{text}\0up\0up () {{ ls; }}")).wants_bodies(), "they were told");
        }
    }

    #[test]
    fn functions_come_as_their_shell_prints_them() {
        let of = |shell, text: &str| {
            let form = Form { shell, history: false, comments: true, state: false, shown: false };
            Line::read(format!("\0\0f\0{text}").as_bytes(), form).unwrap().session.bodies
        };
        let bash = of(ShellKind::Bash, "f\0f () \n{ \n    rm \"$1\"\n}\0g\0g () { :; }");
        assert_eq!(bash[0], ("f".to_owned(), "f () \n{ \n    rm \"$1\"\n}".to_owned()));
        assert_eq!(bash.len(), 2);
        let told = b"\0\0\0rm $F\0=\0F='keep'\n";
        let form = Form { shell: ShellKind::Zsh, history: false, comments: true, state: true, shown: false };
        let prelude = |line: &Line| line.session.prelude.split_once('\n').map(|(_, state)| state.to_owned());
        assert_eq!(prelude(&Line::read(told, form).unwrap()).as_deref(), Some("F='keep'\n"));
        let both =
            Line::read(b"\0\0\0l; rm $F\0ls -l\nrm $F\0=\0F='keep'\n", Form { shown: true, ..form }).unwrap();
        assert_eq!((both.shown.as_str(), both.typed.as_str()), ("l; rm $F", "ls -l\nrm $F"));
        assert_eq!(prelude(&both).as_deref(), Some("F='keep'\n"));
        assert_eq!(of(ShellKind::Zsh, "f\0\trm \"$1\"")[0].1, "f () {\n\trm \"$1\"\n}");
        let fish = &of(ShellKind::Fish, "f\0# Defined interactively\nfunction f\n  rm $argv[1]\nend\n")[0].1;
        assert!(fish.contains("f() {") && fish.contains("rm \"$1\""), "{fish}");
    }

    #[test]
    fn a_text_for_bash_is_a_sum() {
        assert_eq!(for_bash("ls").unwrap(), "(__rc_put[0]=108,__rc_put[1]=115,16)+");
        assert_eq!(for_bash(&"x".repeat(LONGEST + 1)), None);
    }

    #[test]
    fn what_is_no_text_is_an_error() {
        assert!(
            Line::read(
                b"\0\0rm \xff",
                Form { shell: ShellKind::Bash, history: false, comments: true, state: false, shown: false }
            )
            .is_err()
        );
    }
}
