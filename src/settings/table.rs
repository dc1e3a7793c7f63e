//! A table of our own in a TOML file: put in, found, taken out, with everything else left byte for byte as it is.
//!
//! A library reads the file and says where things stand; its own editing would change line ends and byte order marks, so
//! lines are put in and taken out here.

use std::ops::Range;

use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};

use crate::order;

/// Why a file is left alone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TableError {
    /// Not TOML.
    #[error("line {0} is not TOML; nothing was changed: repair it first")]
    Broken(usize),
    /// It is there, but not as a table with a header of its own.
    #[error("`{0}` is there in another form than [{0}]; nothing was changed: change it by hand")]
    Form(String),
}

/// The text with these members in the table that `path` leads to, at its end; what else somebody put in it stays.
pub(crate) fn put(text: &str, path: &[&str], members: &Table) -> Result<String, TableError> {
    let parsed = parse(text)?;
    let mut whole = match find(&parsed, path) {
        None => Table::new(),
        Some(Value::Table(now)) if members.iter().all(|(key, value)| now.get(key) == Some(value)) => {
            return Ok(text.to_owned());
        }
        Some(Value::Table(now)) => now.clone(),
        Some(_) => return Err(TableError::Form(path.join("."))),
    };
    whole.extend(members.clone());
    let nested = path
        .iter()
        .rev()
        .fold(whole, |inner, key| Table::from_iter([((*key).to_owned(), Value::Table(inner))]));
    let mut after = take(text, path)?;
    let end = if after.contains("\r\n") { "\r\n" } else { "\n" };
    let mut block = nested.to_string().replace('\n', end);
    if !after.is_empty() {
        if !after.ends_with('\n') {
            // A file without a last line end keeps none: so taking the table out gives the same file.
            after.push_str(end);
            block.truncate(block.trim_end().len());
        }
        after.push_str(end);
    }
    after.push_str(&block);
    checked(text, after, path)
}

/// The text without the table and those below it.
pub(crate) fn take(text: &str, path: &[&str]) -> Result<String, TableError> {
    let form = || TableError::Form(path.join("."));
    if find(&parse(text)?, path).is_none() {
        return Ok(text.to_owned());
    }
    let tree = DeTable::parse(text).map_err(|_| form())?;
    let table = at(tree.get_ref(), path).filter(|table| is_headed(text, table)).ok_or_else(form)?;
    let mut lines = Vec::new();
    block(text, table, &mut lines);
    order::by_key(&mut lines, |range| range.start);
    let mut after = text.to_owned();
    for range in lines.into_iter().rev() {
        after.replace_range(with_line_before(&after, range), "");
    }
    if parse(&after).ok().is_none_or(|left| find(&left, path).is_some()) {
        return Err(form());
    }
    checked(text, after, path)
}

/// The value that a path leads to, with its place.
fn at<'t, 'i>(table: &'t DeTable<'i>, path: &[&str]) -> Option<&'t Spanned<DeValue<'i>>> {
    let (first, rest) = path.split_first()?;
    let (_, value) = table.iter().find(|(key, _)| key.get_ref() == first)?;
    match (rest, value.get_ref()) {
        ([], _) => Some(value),
        (_, DeValue::Table(below)) => at(below, rest),
        _ => None,
    }
}

/// A table or list of tables whose place is a line `[so]`.
fn is_headed(text: &str, value: &Spanned<DeValue<'_>>) -> bool {
    let span = value.span();
    text[line_start(text, span.start)..span.start].trim_start_matches('\u{feff}').trim().is_empty()
        && text[span].starts_with('[')
}

/// The lines of a table with a header, and of those with headers below it: from each header to its last value.
fn block(text: &str, table: &Spanned<DeValue<'_>>, found: &mut Vec<Range<usize>>) {
    let mut last = table.span().end;
    members(text, table.get_ref(), &mut last, found);
    found.push(line_start(text, table.span().start)..line_end(text, last));
}

/// Goes through what stands in a table itself, and through a block for each header.
fn members(text: &str, value: &DeValue<'_>, last: &mut usize, found: &mut Vec<Range<usize>>) {
    let DeValue::Table(table) = value else { return };
    for (_, value) in table.iter() {
        match value.get_ref() {
            DeValue::Table(_) if is_headed(text, value) => block(text, value, found),
            DeValue::Array(list) if !list.is_empty() && list.iter().all(|one| is_headed(text, one)) => {
                list.iter().for_each(|one| block(text, one, found));
            }
            other => {
                *last = (*last).max(value.span().end);
                // Of `a.b = 1` only the value says where it ends.
                members(text, other, last, found);
            }
        }
    }
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |end| at + end + 1)
}

/// Lines with the empty one that was put before them, and at the end of a file without a line end the end before that.
fn with_line_before(text: &str, lines: Range<usize>) -> Range<usize> {
    let before = |at: usize| {
        let above = &text[..at];
        above.strip_suffix("\r\n").or_else(|| above.strip_suffix('\n')).map_or(at, str::len)
    };
    let empty = before(lines.start);
    let start = if line_start(text, empty) == empty { empty } else { lines.start };
    let ends_without = lines.end == text.len() && !text.ends_with('\n');
    (if ends_without { before(start) } else { start })..lines.end
}

/// The new text, when nothing but our table differs: a line inside a text of several lines may look like a header.
fn checked(before: &str, after: String, path: &[&str]) -> Result<String, TableError> {
    let rest = |text: &str| {
        let mut table = parse(text).ok()?;
        remove(&mut table, path);
        Some(table)
    };
    match (rest(before), rest(&after)) {
        (Some(before), Some(left)) if before == left => Ok(after),
        _ => Err(TableError::Form(path.join("."))),
    }
}

/// Takes what the path leads to away, with tables that this leaves empty.
fn remove(table: &mut Table, path: &[&str]) {
    match path {
        [] => {}
        [last] => {
            table.remove(*last);
        }
        [first, rest @ ..] => {
            if let Some(Value::Table(inner)) = table.get_mut(*first) {
                remove(inner, rest);
                if inner.is_empty() {
                    table.remove(*first);
                }
            }
        }
    }
}

fn find<'a>(table: &'a Table, path: &[&str]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(table.get(*first)?, |at, key| at.get(key))
}

fn parse(text: &str) -> Result<Table, TableError> {
    text.trim_start_matches('\u{feff}').parse::<Table>().map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        TableError::Broken(text.get(..at).unwrap_or_default().matches('\n').count() + 1)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PATH: &[&str] = &["servers", "ours"];

    fn ours(command: &str) -> Table {
        Table::from_iter([("command".to_owned(), Value::from(command))])
    }

    #[test]
    fn a_table_comes_and_goes_and_the_rest_stays() {
        let text = "# mine\nmodel = \"x\"\n\n[servers.a]\ncommand = \"a\" # b\n";
        let with = put(text, PATH, &ours("/bin/x")).unwrap();
        assert_eq!(with, format!("{text}\n[servers.ours]\ncommand = \"/bin/x\"\n"));
        assert_eq!(put(&with, PATH, &ours("/bin/x")).unwrap(), with, "again changes nothing");
        assert!(put(&with, PATH, &ours("/other")).unwrap().contains("/other"));
        assert_eq!(take(&with, PATH).unwrap(), text);
        let added = format!("{with}timeout = 5\n\n[servers.ours.env]\nA = \"1\"\n");
        let again = put(&added, PATH, &ours("/other")).unwrap();
        assert!(again.contains("timeout = 5") && again.contains("[servers.ours.env]\nA = \"1\""), "{again}");
        assert_eq!(take(text, PATH).unwrap(), text);
        assert_eq!(take(&put("", PATH, &ours("x")).unwrap(), PATH).unwrap(), "");
        let odd = "[servers . \"ours\"] # c\ncommand = \"old\"\n[servers.ours.env]\nA = \"1\"\n[b]\nc = 1\n";
        assert_eq!(take(odd, PATH).unwrap(), "[b]\nc = 1\n");
    }

    #[test]
    fn bytes_come_back_whatever_the_file_looks_like() {
        for text in [
            "",
            "\n",
            "a = 1",
            "a = 1\n\n\n",
            "a = 1\r\n[b]\r\nc=2\r\n",
            "\u{feff}a = 1\n",
            "[servers]\n# c\n[z]\nq=1\n# end\n",
            "x.y = 1\n[servers.a]\n b=1\n# tail",
            "[[servers.list]]\na = '''\n[b]\n'''\n",
        ] {
            // Tables of a list cannot have others beside them.
            let Ok(with) = put(text, PATH, &ours("/bin/x")) else { panic!("{text:?}") };
            assert_eq!(take(&with, PATH).unwrap(), text, "{with:?}");
            let gap = if with.ends_with('\n') { "\n" } else { "\n\n" };
            let more = format!("{with}{gap}[later]\nd = 4 # e\n");
            assert!(take(&more, PATH).unwrap().ends_with("[later]\nd = 4 # e\n"), "{more:?}");
        }
    }

    #[test]
    fn lines_that_only_look_like_headers_are_none() {
        for (text, left) in [
            ("[servers.ours]\ncommand = \"x\"\nabout = '''\n[b]\n'''\n", ""),
            (
                "a = '''\n[servers.ours]\nx\n'''\n[servers.ours]\ncommand = \"x\"\n",
                "a = '''\n[servers.ours]\nx\n'''\n",
            ),
        ] {
            assert_eq!(take(text, PATH).unwrap(), left);
        }
    }

    proptest! {
        #[test]
        fn taking_out_what_was_put_in_gives_the_same_bytes(
            lines in proptest::collection::vec(
                prop_oneof![
                    Just("# a comment [servers.ours]"), Just(""), Just("  "), Just("[other]"), Just("[[more]]"),
                    Just("[servers.a]"), Just("key = 'x' # y"), Just("'k.l'.m = [1,"), Just("2]"), Just("t = {a = 1}"),
                    Just("s = \"\"\""), Just("[servers.ours]"), Just("\"\"\""),
                ],
                0..8,
            ),
            end in prop_oneof![Just("\n"), Just("\r\n")],
            last in any::<bool>(),
        ) {
            let mut text = lines.join(end);
            if last {
                text.push_str(end);
            }
            if parse(&text).is_ok_and(|table| find(&table, PATH).is_none())
                && let Ok(with) = put(&text, PATH, &ours("/bin/x"))
            {
                prop_assert_eq!(take(&with, PATH).unwrap(), text);
            }
        }
    }

    #[test]
    fn what_is_of_another_form_is_left_alone() {
        for (text, said) in [
            ("servers = {ours = {command = \"x\"}}", "another form"),
            ("servers.ours.command = \"x\"", "another form"),
            ("a = 1\n[", "line 2"),
        ] {
            let error = put(text, PATH, &ours("y")).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
