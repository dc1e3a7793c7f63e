//! A table of our own in a TOML file: put in, found, taken out, line by line.

use toml::{Table, Value};

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
    after.truncate(after.trim_end().len());
    if !after.is_empty() {
        after.push_str("\n\n");
    }
    after.push_str(&nested.to_string());
    checked(text, after, path)
}

/// The text without the table and those below it.
pub(crate) fn take(text: &str, path: &[&str]) -> Result<String, TableError> {
    if find(&parse(text)?, path).is_none() {
        return Ok(text.to_owned());
    }
    let mut kept: Vec<&str> = Vec::new();
    let mut inside = false;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with('[') {
            inside = header(line).is_some_and(|keys| {
                keys.len() >= path.len() && keys.iter().zip(path).all(|(key, wanted)| key == wanted)
            });
        }
        if !inside {
            kept.push(line);
        }
    }
    let mut after = kept.concat();
    after.truncate(after.trim_end().len());
    if !after.is_empty() {
        after.push('\n');
    }
    if parse(&after).ok().is_none_or(|left| find(&left, path).is_some()) {
        return Err(TableError::Form(path.join(".")));
    }
    checked(text, after, path)
}

/// The keys of a table's header, however they are quoted and spaced.
fn header(line: &str) -> Option<Vec<String>> {
    let parsed = line.trim().parse::<Table>().ok()?;
    let mut keys = Vec::new();
    let mut at = &parsed;
    while let Some((key, value)) = at.iter().next() {
        keys.push(key.clone());
        at = match value {
            Value::Table(inner) => inner,
            // `[[list]]`
            Value::Array(list) => list.first()?.as_table()?,
            _ => return None,
        };
    }
    Some(keys)
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
    fn what_is_of_another_form_is_left_alone() {
        for (text, said) in [
            ("servers = {ours = {command = \"x\"}}", "another form"),
            ("servers.ours.command = \"x\"", "another form"),
            ("a = 1\n[", "line 2"),
            ("[servers.ours]\ncommand = \"x\"\nabout = '''\n[b]\n'''\n", "another form"),
            ("a = '''\n[servers.ours]\nx\n'''\n[servers.ours]\ncommand = \"x\"\n", "another form"),
        ] {
            let error = put(text, PATH, &ours("y")).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
