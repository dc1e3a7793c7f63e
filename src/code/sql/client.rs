//! Commands of the clients: sqlite3's dot commands, psql's backslash commands, mysql's words.

use crate::code::effect::{CodeEffect, SqlStatement, SqlVerb};
use crate::model::Value;

use super::{Session, statement};

/// What a client command is, and how the session changes by it.
pub(super) enum Client {
    /// It does this.
    Does(Vec<SqlStatement>),
    /// The client ends here.
    Quits,
}

fn escape(effect: CodeEffect, text: &str) -> SqlStatement {
    SqlStatement { escape: Some(effect), ..statement(SqlVerb::Escape, None, "file", text) }
}

fn shell(command: &str, text: &str) -> Client {
    Client::Does(vec![escape(CodeEffect::Shell { text: Value::known(command.trim()) }, text)])
}

fn overwrites(path: &str, text: &str) -> Client {
    Client::Does(vec![escape(CodeEffect::Overwrite { path: Value::known(path) }, text)])
}

fn appends(path: &str, text: &str) -> Client {
    Client::Does(vec![escape(CodeEffect::Append { path: Value::known(path) }, text)])
}

fn script(path: &str, text: &str) -> Client {
    Client::Does(vec![statement(SqlVerb::Unknown, Some(path.to_owned()), "script", text)])
}

fn simple(verb: SqlVerb, text: &str) -> Client {
    Client::Does(vec![statement(verb, None, "session", text)])
}

/// A client command's target that may be a file or, after a bar, a command.
fn file_or_pipe(target: &str, text: &str) -> Client {
    match target.strip_prefix('|') {
        Some(command) => shell(command, text),
        None => overwrites(target, text),
    }
}

/// Words of a command line, quotes removed.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(&first) = chars.peek() {
        if first.is_whitespace() {
            chars.next();
            continue;
        }
        let mut word = String::new();
        if matches!(first, '\'' | '"') {
            chars.next();
            for c in chars.by_ref() {
                if c == first {
                    break;
                }
                word.push(c);
            }
        } else {
            while let Some(c) = chars.next_if(|c| !c.is_whitespace()) {
                word.push(c);
            }
        }
        words.push(word);
    }
    words
}

/// Commands of sqlite3 that do more than show or set something. It takes unique beginnings, too.
const DOTS: &[&str] = &[
    "archive", "backup", "cd", "clone", "exit", "import", "load", "log", "once", "open", "output", "quit",
    "read", "restore", "save", "session", "shell", "system", "trace", "testcase",
];
const HARMLESS_DOTS: &[&str] = &["show", "schema", "separator", "stats", "limit", "lint", "tables", "timer"];

/// A line that starts with a dot.
pub(super) fn dot(line: &str, session: &mut Session) -> Client {
    let words = words(line.trim_start().trim_start_matches('.'));
    let Some((name, rest)) = words.split_first() else { return simple(SqlVerb::Control, line) };
    let name = name.to_lowercase();
    let name = match name.as_str() {
        "ar" => "archive",
        name if HARMLESS_DOTS.iter().any(|harmless| harmless.starts_with(name) && name.len() > 1) => name,
        name => {
            DOTS.iter().find(|known| !name.is_empty() && known.starts_with(name)).copied().unwrap_or(name)
        }
    };
    let operands = rest.iter().filter(|word| !word.starts_with('-')).map(String::as_str).collect::<Vec<_>>();
    let last = operands.last().copied();
    match (name, last) {
        ("exit" | "quit", _) => Client::Quits,
        ("shell" | "system", _) => {
            let line = line.trim_start();
            let command = line.split_once(char::is_whitespace).map_or("", |(_, command)| command);
            shell(command, line)
        }
        ("output" | "once" | "log" | "trace", Some("stdout" | "stderr" | "off" | "on")) => {
            simple(SqlVerb::Control, line)
        }
        ("output" | "once", Some(target)) if target.starts_with('|') => {
            let command = line.split_once('|').map_or("", |(_, command)| command);
            shell(command.trim_end_matches(['\'', '"']), line)
        }
        ("output" | "once" | "log" | "trace" | "backup" | "save", Some(file)) => overwrites(file, line),
        ("session", Some(file)) if operands.iter().any(|word| matches!(*word, "changeset" | "patchset")) => {
            overwrites(file, line)
        }
        // What is printed from here on goes into a file of that name.
        ("testcase", _) => overwrites("testcase-out.txt", line),
        ("clone", Some(file)) => appends(file, line),
        ("read" | "import", _) if operands.first().is_some_and(|file| file.starts_with('|')) => {
            let command = operands.first().map_or("", |file| &file[1..]);
            shell(command, line)
        }
        ("read", Some(file)) => script(file, line),
        ("import", Some(table)) => {
            Client::Does(vec![statement(SqlVerb::Create, Some(table.to_owned()), "table", line)])
        }
        ("restore", Some(_)) => {
            let mut restored = statement(SqlVerb::Drop, None, "database", line);
            restored.database.clone_from(&session.database);
            Client::Does(vec![restored])
        }
        ("open", Some(file)) => {
            session.database = Some(file.to_owned());
            if rest.iter().any(|word| word.trim_start_matches('-') == "new") {
                overwrites(file, line)
            } else {
                simple(SqlVerb::Control, line)
            }
        }
        ("cd", Some(directory)) => {
            Client::Does(vec![escape(CodeEffect::ChangeDirectory { path: Value::known(directory) }, line)])
        }
        ("load", Some(file)) => unknown(&format!("loads the library {file} into sqlite3"), line),
        ("archive", _) => {
            let letters = |word: &String| {
                let word = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
                let word = word.and_then(|word| word.split('f').next()).unwrap_or_default();
                word.contains('t') && !word.contains(['c', 'i', 'r', 'u', 'x'])
            };
            let list = rest.iter().any(|word| word == "--list" || letters(word));
            if list { simple(SqlVerb::Read, line) } else { unknown("works on an archive", line) }
        }
        _ => simple(SqlVerb::Read, line),
    }
}

fn unknown(reason: &str, text: &str) -> Client {
    Client::Does(vec![escape(CodeEffect::Unknown { reason: reason.to_owned() }, text)])
}

/// A psql command: its text from the backslash to the end of the line. `pending` is the statement in the buffer.
pub(super) fn backslash(line: &str, session: &mut Session) -> Client {
    let body = &line[1..];
    let length = body
        .char_indices()
        .find(|(at, c)| !(c.is_alphanumeric() || matches!(c, '_' | '+' | '?') || (*at == 0 && *c == '!')))
        .map_or(body.len(), |(at, _)| at);
    let length = if body.starts_with('!') { 1 } else { length };
    let (name, rest) = body.split_at(length);
    let rest = rest.trim();
    if name == "!" {
        return shell(rest, line);
    }
    if let Some((_, after)) = rest.split_once('`') {
        return shell(after.split('`').next().unwrap_or(after), line);
    }
    let operands = words(rest);
    let first = operands.first().map(String::as_str);
    match (name, first) {
        ("q" | "quit", _) => Client::Quits,
        ("o" | "out" | "g" | "gx" | "w" | "write", Some(target)) if !target.starts_with('(') => {
            file_or_pipe(if target.starts_with('|') { rest } else { target }, line)
        }
        ("s", Some(file)) => overwrites(file, line),
        ("i" | "ir" | "include" | "include_relative", Some(file)) => script(file, line),
        ("gexec", _) => unknown("runs the rows of a query as statements", line),
        ("copy", _) => super::copy::copy(rest, line, session, true),
        ("lo_unlink", Some(object)) => {
            Client::Does(vec![statement(SqlVerb::Delete, Some(object.to_owned()), "large object", line)])
        }
        ("lo_export", Some(_)) => match operands.get(1) {
            Some(file) => overwrites(file, line),
            None => simple(SqlVerb::Read, line),
        },
        ("password", _) => simple(SqlVerb::Rights, line),
        ("c" | "connect", Some(database)) if database != "-" => {
            session.database = Some(database.to_owned());
            simple(SqlVerb::Control, line)
        }
        ("cd", Some(directory)) => {
            Client::Does(vec![escape(CodeEffect::ChangeDirectory { path: Value::known(directory) }, line)])
        }
        _ => simple(SqlVerb::Read, line),
    }
}

/// A line of the mysql client that is a command of its own; `None` when it is SQL.
pub(super) fn mysql(line: &str, session: &mut Session) -> Option<Client> {
    let line = line.trim();
    let (name, rest) = match line.strip_prefix('\\') {
        Some(short) => {
            let letter = short.chars().next()?;
            let name = match letter {
                '!' => "system",
                '.' => "source",
                'T' => "tee",
                'P' => "pager",
                'u' => "use",
                'd' => "delimiter",
                'q' => "quit",
                _ => return Some(simple(SqlVerb::Control, line)),
            };
            (name.to_owned(), &short[letter.len_utf8()..])
        }
        None => {
            let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            (name.trim_end_matches(';').to_lowercase(), rest)
        }
    };
    let rest = rest.trim();
    let operand = rest.trim_end_matches(';').trim().trim_matches(['\'', '"', '`']);
    Some(match name.as_str() {
        "system" => shell(rest, line),
        "source" => script(operand, line),
        "tee" => appends(operand, line),
        "pager" if !operand.is_empty() => shell(operand, line),
        "pager" | "nopager" | "notee" => simple(SqlVerb::Control, line),
        "use" => {
            session.database = Some(operand.to_owned());
            simple(SqlVerb::Control, line)
        }
        "delimiter" => {
            session.delimiter = rest.to_owned();
            simple(SqlVerb::Control, line)
        }
        "quit" | "exit" => Client::Quits,
        _ => return None,
    })
}
