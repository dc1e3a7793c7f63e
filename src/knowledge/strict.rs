//! What a file must say beyond its form, told when it is read: roles from a closed list, and paths that a person would
//! understand as they are used.
//!
//! Built-in files are embedded as they passed this; it costs nothing while commands are judged.

use super::handle::Knowledge;
use super::kinds::SubjectKind;
use super::micro::{Count, OperandSpec, Piece, Template};
use super::pack::{Pack, Part};
use super::placed::{Fault, LoadError, did_you_mean, nearest};
use super::schema::{CommandSpec, EffectSpec, ToolFile};

/// Roles whose words mean something.
const MEANING: [&str; 16] = [
    "path",
    "file",
    "dir",
    "outfile",
    "appendfile",
    "assignment",
    "shell",
    "shell-list",
    "argv",
    "program",
    "commas",
    "library",
    "secret",
    "connection",
    "arguments",
    "variables",
];

/// Beginnings of roles behind which a language stands.
const HEADS: [&str; 4] = ["code", "script", "sql", "sqlfile"];

/// Languages behind `code:` and `script:`.
const LANGUAGES: [&str; 44] = [
    "applescript",
    "awk",
    "bpftrace",
    "cargo",
    "cmake",
    "dc",
    "debugfs",
    "ed",
    "elisp",
    "elixir",
    "fish",
    "ftp",
    "gdb",
    "gnuplot",
    "haskell",
    "julia",
    "lf",
    "lldb",
    "logrotate",
    "lua",
    "m4",
    "make",
    "maxima",
    "mlr",
    "mongosh",
    "mutt",
    "node",
    "octave",
    "perl",
    "php",
    "postscript",
    "powershell",
    "program",
    "python",
    "r",
    "rpm",
    "ruby",
    "sed",
    "sshconfig",
    "tcl",
    "tex",
    "tmux",
    "vim",
    "xslt",
];

/// Dialects behind `sql:` and `sqlfile:`.
const DIALECTS: [&str; 3] = ["mysql", "postgres", "sqlite"];

/// Labels: they say to a reader what a value is, and nothing more.
const LABELS: [&str; 34] = [
    "str", "num", "name", "word", "text", "bool", "list", "mode", "type", "kind", "when", "how", "fmt",
    "glob", "pattern", "key", "value", "id", "ref", "tag", "version", "url", "host", "port", "address",
    "user", "group", "date", "time", "size", "level", "module", "database", "socket",
];

/// Operands that stand for anything, which are near a role and not meant as one.
const ANYTHING: [&str; 4] = ["arg", "args", "verb", "task"];

/// Every role of a tool is on the list.
pub(super) fn roles(tool: &ToolFile) -> Result<(), Fault> {
    of_command(&tool.root, &tool.root)
}

fn of_command(command: &CommandSpec, root: &CommandSpec) -> Result<(), Fault> {
    for (number, option) in command.options.iter().enumerate() {
        for role in option.role.iter().chain(&option.further) {
            let place = ["options".to_owned(), number.to_string()];
            known(role).map_err(|why| Fault::from(format!("option `{}`: {why}", option.key)).below(place))?;
        }
    }
    operands("operands", &command.operands)?;
    for (number, form) in command.forms.iter().enumerate() {
        operands("operands", &form.operands).map_err(|fault| fault.below(["form", &number.to_string()]))?;
    }
    for (number, part) in command.parts.iter().enumerate() {
        let place = ["part".to_owned(), number.to_string(), "as".to_owned()];
        known(&part.r#as).map_err(|why| Fault::from(why).below(place))?;
    }
    for (number, stdin) in command.stdin.iter().enumerate() {
        let place = ["stdin".to_owned(), number.to_string(), "as".to_owned()];
        let role = stdin.r#as.as_str();
        if role != "paths" && !role.starts_with("commands:") {
            known(role).map_err(|why| Fault::from(why).below(place))?;
        }
    }
    for name in command.commands.names() {
        if let Some(under) = command.commands.get(name, root) {
            of_command(&under, root).map_err(|fault| fault.below(["cmd", name]))?;
        }
    }
    Ok(())
}

fn operands(key: &str, list: &[OperandSpec]) -> Result<(), Fault> {
    for (number, operand) in list.iter().enumerate() {
        let checked = if operand.role == operand.name { bare(&operand.name) } else { known(&operand.role) };
        let place = [key.to_owned(), number.to_string()];
        checked.map_err(|why| Fault::from(format!("operand `{}`: {why}", operand.name)).below(place))?;
    }
    Ok(())
}

/// Whether a role that is written out is on the list.
fn known(role: &str) -> Result<(), String> {
    if MEANING.contains(&role) || LABELS.contains(&role) {
        return Ok(());
    }
    let Some((head, language)) = role.split_once(':') else {
        if HEADS.contains(&role) {
            let language = if role.starts_with("sql") { "sqlite" } else { "python" };
            return Err(format!("role `{role}` needs a language: `{role}:{language}`"));
        }
        let hint = did_you_mean(role, MEANING.into_iter().chain(LABELS));
        return Err(format!("`{role}` is no role{hint} (a plain label is `str`, `num` or `name`)"));
    };
    let languages: &[&str] = match head {
        // Shell text as such has the role `shell`; of a file the operand's name alone says it.
        "script" if language == "sh" => return Ok(()),
        "code" | "script" => &LANGUAGES,
        "sql" | "sqlfile" => &DIALECTS,
        _ => {
            let hint = did_you_mean(head, HEADS);
            return Err(format!("`{role}` is no role{hint}"));
        }
    };
    if languages.contains(&language) {
        return Ok(());
    }
    Err(format!(
        "`{role}`: `{language}` is no language that is known{}",
        did_you_mean(language, languages.iter().copied())
    ))
}

/// An operand's name alone is a label, unless it was meant as a role.
fn bare(name: &str) -> Result<(), String> {
    if name.contains(':') {
        return known(name);
    }
    let meant = MEANING.into_iter().find(|role| !ANYTHING.contains(&name) && is_slip(name, role));
    match meant {
        Some(role) => Err(format!("did you mean `{role}`? (`{name}:str` when it is only a name)")),
        None => Ok(()),
    }
}

/// Whether two names differ by one slip of the hand.
fn is_slip(name: &str, role: &str) -> bool {
    name != role
        && role.len() > 3
        && super::placed::distance(name, role) == 1
        && nearest(name, [role]).is_some()
}

/// Effects on paths that would not happen, or would happen to something else than was meant.
pub(super) fn paths(pack: &Pack, knowledge: &Knowledge) -> Vec<LoadError> {
    let mut found = Vec::new();
    let mut tell = |part: &Part<ToolFile>, fault: Fault| {
        found.push(fault.below(part.at.clone()).in_file(&pack.file, &pack.text));
    };
    for part in &pack.tools {
        let mut faults = Vec::new();
        of_paths(&part.it.root, &part.it.root, &part.name, knowledge, &mut faults);
        faults.into_iter().for_each(|fault| tell(part, fault));
    }
    for part in &pack.servers {
        for (name, tool) in &part.it.tool {
            for (number, effect) in tool.effect.iter().enumerate() {
                if begins(&effect.on.target).is_some_and(|text| text.starts_with('~')) {
                    let what = "`~` is nothing to a server: name the argument that holds the path".to_owned();
                    let at = ["tool", name, "effect", &number.to_string(), "on"].map(str::to_owned);
                    found.push(
                        Fault::from(what).below(at).below(part.at.clone()).in_file(&pack.file, &pack.text),
                    );
                }
            }
        }
    }
    found
}

fn of_paths(
    command: &CommandSpec,
    root: &CommandSpec,
    path: &str,
    knowledge: &Knowledge,
    found: &mut Vec<Fault>,
) {
    let lists = Operands::of(command);
    for (number, effect) in command.effects.iter().enumerate() {
        let is_path = knowledge.kind(&effect.on.kind).is_some_and(|kind| kind.subject == SubjectKind::Path);
        if !is_path {
            continue;
        }
        if let Err(why) = of_effect(effect, &lists) {
            let what = format!("{path}, effect {}: {why}", number + 1);
            found.push(Fault::from(what).below(["effect", &number.to_string(), "on"]));
        }
    }
    for (key, template) in [("cwd", &command.cwd), ("host", &command.host)] {
        if template.as_ref().and_then(begins).is_some_and(|text| text.starts_with('~')) {
            let what = format!("{path}: `~` is known to effects alone, not to `{key}`");
            found.push(Fault::from(what).below([key]));
        }
    }
    for name in command.commands.names() {
        if let Some(under) = command.commands.get(name, root) {
            let mut below = Vec::new();
            of_paths(&under, root, &format!("{path} {name}"), knowledge, &mut below);
            found.extend(below.into_iter().map(|fault| fault.below(["cmd", name])));
        }
    }
}

/// The lists of operands that a command may have.
struct Operands<'a>(Vec<&'a [OperandSpec]>);

impl<'a> Operands<'a> {
    fn of(command: &'a CommandSpec) -> Self {
        let forms = command.forms.iter().map(|form| &form.operands[..]);
        Self(std::iter::once(&command.operands[..]).chain(forms).collect())
    }

    /// Whether there is always a word for it.
    fn is_required(&self, name: &str) -> bool {
        let must = |one: &OperandSpec| one.name == name && matches!(one.count, Count::One | Count::Many);
        self.0.iter().all(|list| list.iter().any(must))
    }
}

/// The text that a template begins with by itself.
fn begins(template: &Template) -> Option<&str> {
    match template.pieces.first()? {
        Piece::Text(text) => Some(text),
        Piece::Value { default, .. } => default.as_deref(),
    }
}

fn of_effect(effect: &EffectSpec, lists: &Operands<'_>) -> Result<(), String> {
    let first = effect.on.target.pieces.first();
    if let Some(Piece::Value { default: Some(text), .. }) = first
        && let Some(text) = text.split('|').next_back().filter(|text| !text.starts_with(['/', '~', '.']))
    {
        return Err(format!("the default `{text}` is a path: it begins with `/`, `~/` or `./`"));
    }
    if begins(&effect.on.target)
        .is_some_and(|text| text.starts_with('~') && !text.starts_with("~/") && text != "~")
    {
        return Err("only `~` and `~/…` are known, not another user's home".to_owned());
    }
    for piece in &effect.on.target.pieces {
        let Piece::Value { name, default: None, .. } = piece else { continue };
        let name = name.strip_prefix('@').unwrap_or(name);
        let guarded = effect.r#if.iter().any(|condition| condition.any.iter().all(|atom| atom.key == name));
        if name != "stdin" && !guarded && !lists.is_required(name) {
            return Err(format!(
                "`{name}` may be missing, and then nothing would be said: give it a default (`{{{name}|./dir}}`) and say so with \
                 `unless`, or `if = [\"{name}\"]` when nothing happens then"
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_a_closed_set() {
        for (text, said) in [
            (
                "operands = [\"thing:outfle\"]",
                "x:2: operand `thing`: `outfle` is no role; did you mean `outfile`?",
            ),
            ("operands = [\"outfil\"]", "x:2: operand `outfil`: did you mean `outfile`?"),
            ("options = [\"-a\", \"-o=scrpt\"]", "x:2: option `-o`: `scrpt` is no role"),
            ("options = [\"-e=code:pyhton\"]", "did you mean `python`?"),
            ("options = [\"-e=script\"]", "needs a language"),
        ] {
            let error = Pack::parse("x", &format!("tool = \"x\"\n{text}\n")).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
        for text in [
            "operands = [\"arg...?\"]",
            "operands = [\"thing\"]",
            "options = [\"-o=outfile\", \"-e=code:python\"]",
        ] {
            Pack::parse("x", &format!("tool = \"x\"\n{text}\n")).unwrap();
        }
    }

    #[test]
    fn paths_mean_what_they_say() {
        for (text, said) in [
            (
                "operands = [\"path?\"]\n[[effect]]\ndo = \"delete\"\non = \"tree {path|data}\"",
                "x:5: x, effect 1: the default `data`",
            ),
            (
                "operands = [\"path?\"]\n[[effect]]\ndo = \"delete\"\non = \"tree {path}\"",
                "x:5: x, effect 1: `path` may be missing",
            ),
            ("[[effect]]\ndo = \"delete\"\non = \"tree ~me/x\"", "another user's home"),
        ] {
            let texts = [("x".to_owned(), format!("tool = \"x\"\n{text}\n"))];
            let error = Knowledge::with_overlay(&texts).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
        for text in [
            "operands = [\"path?\"]\n[[effect]]\ndo = \"delete\"\non = \"tree {path|./data}\"",
            "operands = [\"path?\"]\n[[effect]]\ndo = \"delete\"\non = \"tree {path}\"\nif = [\"path\"]",
            "operands = [\"path\"]\n[[effect]]\ndo = \"delete\"\non = \"tree {path}\"",
            "[[effect]]\ndo = \"delete\"\non = \"tree ~/.x\"",
        ] {
            Knowledge::with_overlay(&[("x".to_owned(), format!("tool = \"x\"\n{text}\n"))]).unwrap();
        }
    }
}
