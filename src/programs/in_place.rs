//! Editing in place (`sed -i`, `perl -pi`, `ruby -pi`): backups, and edits that surely change nothing or only add.

use std::path::{Path, PathBuf};

use crate::knowledge::Match;
use crate::model::{Action, Subject, Value};
use crate::shell::Invocation;

use super::backup;
use crate::effects::program::{Change, Draft, Scene, flag, text_of};

/// See [`Room::InPlace`](crate::knowledge::Room::InPlace).
pub(super) struct InPlace;

impl super::Program for InPlace {
    fn does(&self, scene: &Scene<'_>, invocation: &Invocation, declared: Vec<Draft>) -> Vec<Draft> {
        in_place(scene, invocation, declared)
    }
}

/// What a script does to a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Edit {
    /// Leaves it as it is.
    Nothing,
    /// Puts lines in, takes none away.
    Adds,
    /// May change anything.
    Changes,
}

/// How patterns are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    /// sed's basic ones: parentheses, braces and the like stand for themselves.
    Basic,
    /// Any other.
    Extended,
}

impl Dialect {
    fn of(matched: &Match) -> Self {
        let sed = matched.tool.names.iter().any(|name| name == "sed");
        if sed && !["-E", "-r"].iter().any(|key| matched.has(key)) { Self::Basic } else { Self::Extended }
    }
}

/// Adds to updates of files what the backup suffix and the script say.
fn in_place(scene: &Scene<'_>, invocation: &Invocation, drafts: Vec<Draft>) -> Vec<Draft> {
    let matched = &invocation.matched;
    let suffix = ["-i", "-I"]
        .iter()
        .find_map(|key| matched.value(key))
        .and_then(Value::as_known)
        .filter(|suffix| !suffix.is_empty() && !is_awk(matched))
        .or_else(|| awk_suffix(matched));
    let scripts = scripts(matched);
    let dialect = Dialect::of(matched);
    drafts
        .into_iter()
        .flat_map(|mut draft| {
            let Some(mutation) = draft.mutation.as_mut().filter(|m| m.action == Action::Update) else {
                return vec![draft];
            };
            let follows = matched.has("--follow-symlinks");
            let Subject::Path(subject) = &mut mutation.subject else { return vec![draft] };
            subject.follow &= follows;
            let Some(path) = subject.path.as_known().map(PathBuf::from) else { return vec![draft] };
            if !follows {
                // A new file takes the name over: other names of the old one keep it, and a link is no more than replaced.
                flag(mutation, "renames", "a new file takes the name over");
            }
            let mut displaced = None;
            let text = scene.text(&path);
            let edit = match (&scripts, &text) {
                (Some(scripts), Some(text)) => {
                    scripts.iter().map(|script| edit(script, text, dialect)).max().unwrap_or(Edit::Changes)
                }
                _ => Edit::Changes,
            };
            if edit != Edit::Nothing && !mutation.context.maybe {
                let after =
                    scripts.as_ref().zip(text).and_then(|(scripts, text)| edited(scripts, text, dialect));
                draft.changes.push(Change::Rewritten { path: path.clone(), text: after });
            }
            match edit {
                Edit::Nothing => flag(mutation, "no-change", "the edit matches nothing in it"),
                Edit::Adds => flag(mutation, "append", "the edit only adds lines"),
                Edit::Changes => {}
            }
            if let Some(suffix) = suffix {
                flag(mutation, "backup", "the old content is kept beside it");
                let to = scene.absolute(&Value::Known(text_of(&backup_name(&path, suffix))), &[]);
                if let Some(to) = to.as_known().map(PathBuf::from) {
                    // Where there is nothing to edit, nothing is backed up.
                    displaced =
                        scene.at(&path).and_then(|_| backup::overwritten(scene, mutation, &path, &to));
                    draft.changes.push(Change::Copied { from: path, to, packed: false });
                }
            }
            displaced.into_iter().chain([draft]).collect()
        })
        .collect()
}

fn is_awk(matched: &Match) -> bool {
    matched.tool.names.iter().any(|name| name == "gawk")
}

/// What gawk's `inplace` puts behind the name of the old file.
fn awk_suffix(matched: &Match) -> Option<&str> {
    if !is_awk(matched) {
        return None;
    }
    let assigned = matched.options.iter().rev().filter(|option| option.key == "-v");
    assigned
        .filter_map(|option| option.value.as_ref()?.as_known()?.split_once('='))
        .find(|(name, _)| matches!(*name, "INPLACE_SUFFIX" | "inplace::suffix"))
        .map(|(_, suffix)| suffix)
        .filter(|suffix| !suffix.is_empty())
}

/// The scripts, when all of them are known and what they do not touch is kept.
fn scripts(matched: &Match) -> Option<Vec<String>> {
    if is_awk(matched) {
        return None;
    }
    let is_sed = matched.tool.names.iter().any(|name| name == "sed");
    if is_sed && (matched.has("-n") || matched.has("-f")) || !is_sed && !matched.has("-p") {
        return None;
    }
    let nested = matched.nested();
    let texts = nested
        .iter()
        .filter(|n| n.role.starts_with("code:"))
        .flat_map(|n| &n.values)
        .map(|value| value.as_known().map(str::to_owned))
        .collect::<Option<Vec<_>>>()?;
    (!texts.is_empty()).then_some(texts)
}

/// `*` in a suffix stands for the name; a suffix with a slash names another directory.
fn backup_name(path: &Path, suffix: &str) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let new = if suffix.contains('*') { suffix.replace('*', &name) } else { format!("{name}{suffix}") };
    let directory = path.parent().unwrap_or(Path::new("/"));
    directory.join(new)
}

/// The commands of a script, one after the other; anything but the simplest may change all.
fn edit(script: &str, text: &str, dialect: Dialect) -> Edit {
    let mut worst = Edit::Nothing;
    let mut rest = script.trim();
    while !rest.is_empty() {
        let Some((found, after)) = command(rest, text, dialect) else { return Edit::Changes };
        worst = worst.max(found);
        rest = after.trim_start_matches([';', '\n', ' ', '\t']);
    }
    worst
}

/// What substitutions of plain text, and lines put at the end, leave of a text; `None` where that cannot be said.
fn edited(scripts: &[String], text: String, dialect: Dialect) -> Option<String> {
    let mut text = text;
    for script in scripts {
        let mut rest = script.trim();
        while !rest.is_empty() {
            let (_, after) = command(rest, &text, dialect)?;
            let one = rest.get(..rest.len() - after.len())?.trim();
            text = match one.strip_prefix('$') {
                Some(added) => {
                    let line = added.trim_start().strip_prefix('a')?.trim_start();
                    if line.contains('\\') {
                        return None;
                    }
                    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
                    format!("{text}{end}{line}\n")
                }
                None => substituted(one, &text, dialect)?,
            };
            rest = after.trim_start_matches([';', '\n', ' ', '\t']);
        }
    }
    Some(text)
}

/// `s/plain/plain/g` on each line.
fn substituted(script: &str, text: &str, dialect: Dialect) -> Option<String> {
    let rest = script.strip_prefix('s')?;
    let mark = rest.chars().next()?;
    let (pattern, rest) = until(rest.strip_prefix(mark)?, mark)?;
    let (new, flags) = until(rest, mark)?;
    let old = literal(pattern, dialect)?;
    let new = replacement(new, dialect)?;
    if !matches!(flags, "" | "g") {
        return None;
    }
    let one = |line: &str| if flags == "g" { line.replace(&old, &new) } else { line.replacen(&old, &new, 1) };
    Some(text.split_inclusive('\n').map(one).collect())
}

/// The text that stands for what was found, when nothing in it stands for something else.
fn replacement(new: &str, dialect: Dialect) -> Option<String> {
    let mut found = String::new();
    let mut chars = new.chars();
    while let Some(c) = chars.next() {
        match c {
            // Any mark can be written with a backslash; a letter or digit behind one means something.
            '\\' => found.push(chars.next().filter(|c| c.is_ascii_punctuation())?),
            '&' | '\n' => return None,
            '$' | '@' if dialect != Dialect::Basic => return None,
            c => found.push(c),
        }
    }
    Some(found)
}

/// The first command and what follows it.
fn command<'a>(script: &'a str, text: &str, dialect: Dialect) -> Option<(Edit, &'a str)> {
    let (address, rest) = address(script, dialect)?;
    let rest = rest.trim_start();
    let letter = rest.chars().next()?;
    let after = &rest[letter.len_utf8()..];
    match letter {
        'i' | 'a' => {
            // The text goes on over lines that end in a backslash.
            let body = after.strip_prefix("\\\n").unwrap_or(after);
            let mut end = 0;
            loop {
                match body[end..].find('\n') {
                    Some(at) if body[..end + at].ends_with('\\') => end += at + 1,
                    Some(at) => break Some((Edit::Adds, &body[end + at..])),
                    None => break Some((Edit::Adds, "")),
                }
            }
        }
        'd' => {
            let gone = match address {
                Some(pattern) if !text.contains(&pattern) => Edit::Nothing,
                _ => Edit::Changes,
            };
            Some((gone, after))
        }
        's' => {
            let mark =
                after.chars().next().filter(|c| !c.is_alphanumeric() && !c.is_whitespace() && *c != '\\')?;
            let (pattern, after) = until(&after[mark.len_utf8()..], mark)?;
            let (_, after) = until(after, mark)?;
            let flags = after.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(after.len());
            if after[..flags].contains(['I', 'i', 'M', 'm', 'x', 'w']) {
                return None;
            }
            let literal = literal(pattern, dialect)?;
            let found = if text.contains(&literal) { Edit::Changes } else { Edit::Nothing };
            Some((found, &after[flags..]))
        }
        _ => None,
    }
}

/// A line address: a number, `$` or a pattern. The pattern is told when it is literal text.
fn address(script: &str, dialect: Dialect) -> Option<(Option<String>, &str)> {
    if let Some(rest) = script.strip_prefix('/') {
        let (pattern, rest) = until(rest, '/')?;
        return Some((Some(literal(pattern, dialect)?), rest));
    }
    let end = script.find(|c: char| !c.is_ascii_digit() && c != '$' && c != ',').unwrap_or(script.len());
    Some((None, &script[end..]))
}

/// Text up to an unescaped mark, and what follows the mark.
fn until(text: &str, mark: char) -> Option<(&str, &str)> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == mark {
            return Some((&text[..at], &text[at + c.len_utf8()..]));
        }
    }
    None
}

/// The text that a pattern stands for, when nothing in it is special in its dialect.
fn literal(pattern: &str, dialect: Dialect) -> Option<String> {
    let mut found = String::new();
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                let plain =
                    |c: &char| matches!(c, '.' | '/' | '-' | '*' | '$' | '^' | '[' | ']' | '\\' | '"');
                found.push(chars.next().filter(plain)?);
            }
            // At its beginning and end these are places, elsewhere a basic pattern takes them as they are: too fine a line.
            '.' | '*' | '[' | ']' | '^' | '$' => return None,
            '+' | '?' | '(' | ')' | '{' | '}' | '|' if dialect == Dialect::Basic => found.push(c),
            '+' | '?' | '(' | ')' | '{' | '}' | '|' | '&' | '@' => return None,
            c => found.push(c),
        }
    }
    (!found.is_empty()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::{Dialect, Edit, edited};

    fn edit(script: &str, text: &str) -> Edit {
        super::edit(script, text, Dialect::Extended)
    }

    #[test]
    fn scripts() {
        let text = "alpha\nbeta.txt\n";
        assert_eq!(edit("s/gamma/x/", text), Edit::Nothing);
        assert_eq!(edit("s/alpha/x/g", text), Edit::Changes);
        assert_eq!(edit("s|beta\\.txt|x|;s/none/y/", text), Edit::Changes);
        assert_eq!(edit("s/a.b/x/", text), Edit::Changes, "a pattern may match anything");
        assert_eq!(edit("1i # header", text), Edit::Adds);
        assert_eq!(edit("$a\\\nend; s/alpha/x/", text), Edit::Adds, "it is all text");
        assert_eq!(edit("/gamma/d", text), Edit::Nothing);
        assert_eq!(edit("2d", text), Edit::Changes);
        assert_eq!(edit("s/ALPHA/x/I", text), Edit::Changes);
        assert_eq!(edit("1,2!d", text), Edit::Changes);
        assert_eq!(edit("", text), Edit::Nothing);
    }

    #[test]
    fn what_a_text_is_after_plain_substitutions() {
        let after = |script: &str, text: &str| edited(&[script.to_owned()], text.to_owned(), Dialect::Basic);
        let is = |script: &str, text: &str, want: &str| {
            assert_eq!(after(script, text).as_deref(), Some(want), "{script}");
        };
        is(r#"s/f(r\["a"\] or 0)/f(r["a"] or 3)/"#, "x f(r[\"a\"] or 0)\n", "x f(r[\"a\"] or 3)\n");
        is(r"s/';\\n'/'; \/\/ made\\n'/", r"'a';\n'", r"'a'; // made\n'");
        is("s/a/$b/g; s/x/y/", "a a x\n", "$b $b y\n");
        for unsure in [r"s/\(a\)/\1/", "s/a/[&]/", r"s/a/\n/", r"s/a\+/b/", "s/^a/b/", "s/a/b/2", r"s/a/\U&/"]
        {
            assert_eq!(after(unsure, "a a\n"), None, "{unsure}");
        }
        let extended = edited(&["s/f(x)/y/".to_owned()], "f(x)\n".to_owned(), Dialect::Extended);
        assert_eq!(extended, None);
    }
}
