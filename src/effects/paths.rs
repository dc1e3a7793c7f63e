//! Paths as values: made absolute against every directory that a step may run in, `..` taken out as the kernel does it.

use std::path::{Path, PathBuf};

use crate::model::Value;

pub(crate) use crate::model::keeps_nothing;

/// The places that a path names, without `..`; `None` where one is not known.
pub(super) type Places<'a> = &'a dyn Fn(&Path) -> Option<Vec<PathBuf>>;

/// The name under which a content goes on: a longer one, or `stem`, the one without its last extension.
pub(super) fn renamed(text: &str, end: &str) -> Option<PathBuf> {
    let to = if end == "stem" {
        let name = text.rsplit('/').next()?;
        let at = name.rfind('.').filter(|at| *at > 0)?;
        text[..text.len() - name.len() + at].to_owned()
    } else {
        format!("{text}{end}")
    };
    Some(PathBuf::from(to))
}

/// The absolute path of `value` for a program that runs in one of `cwds` (empty: not known where). Unknown where what
/// stands before a `..` is.
pub(super) fn absolute(value: &Value, cwds: &[PathBuf], places: Places<'_>) -> Value {
    match value {
        Value::Known(_) | Value::OneOf(_) => {
            let mut all = Vec::new();
            for text in value.choices().unwrap_or_default() {
                if text.starts_with('/') {
                    all.push(places(Path::new(text)));
                } else if cwds.is_empty() {
                    return below_somewhere(text);
                } else {
                    all.extend(cwds.iter().map(|dir| places(&dir.join(text))));
                }
            }
            let all = all.into_iter().collect::<Option<Vec<_>>>();
            all.map_or(Value::Unknown, |all| {
                Value::one_of(all.iter().flatten().map(|path| text_of(path)).collect())
            })
        }
        Value::Affix { prefix, suffix } => {
            let (directory, rest) = match prefix.rfind('/') {
                Some(at) => prefix.split_at(at + 1),
                None => ("", prefix.as_str()),
            };
            // `..` behind the unknown part may lead out of what is known as well.
            if has_parent(suffix) {
                return Value::Unknown;
            }
            let anchored = |dir: &Path| {
                let inside = |place: &PathBuf| {
                    let mut text = text_of(place);
                    if !text.ends_with('/') {
                        text.push('/');
                    }
                    Value::Affix { prefix: format!("{text}{rest}"), suffix: suffix.clone() }
                };
                let all = places(dir).unwrap_or_default();
                all.iter().map(inside).reduce(|all, one| all.join(&one)).unwrap_or(Value::Unknown)
            };
            if directory.starts_with('/') {
                return anchored(Path::new(directory));
            }
            // Nothing known at the start: it may be absolute.
            if prefix.is_empty() || cwds.is_empty() {
                return if suffix.is_empty() {
                    Value::Unknown
                } else {
                    Value::Affix { prefix: String::new(), suffix: suffix.clone() }
                };
            }
            let all = cwds.iter().map(|dir| anchored(&dir.join(directory)));
            all.reduce(|all, one| all.join(&one)).unwrap_or(Value::Unknown)
        }
        Value::Woven(_) => absolute(&value.clone().plain(), cwds, places),
        Value::Lines(_) | Value::Unknown => Value::Unknown,
    }
}

/// The file that SQLite opens for a name: `file:app.db?mode=rw` is a URI.
pub(super) fn database_file(name: Value) -> Value {
    match name {
        Value::Known(text) => Value::Known(uri_path(&text).unwrap_or(text)),
        Value::OneOf(list) => {
            Value::one_of(list.into_iter().map(|text| uri_path(&text).unwrap_or(text)).collect())
        }
        Value::Affix { prefix, .. } if prefix.starts_with("file:") => Value::Unknown,
        other => other,
    }
}

fn uri_path(text: &str) -> Option<String> {
    let rest = text.strip_prefix("file:")?;
    let rest = rest.split('#').next().unwrap_or(rest);
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    if query.split('&').any(|pair| pair == "mode=memory") || path == ":memory:" {
        return Some(":memory:".to_owned());
    }
    let path = path.strip_prefix("//localhost").or_else(|| path.strip_prefix("//")).unwrap_or(path);
    let bytes = path.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let code = path.get(at + 1..at + 3).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match code.filter(|_| *byte == b'%') {
            Some(code) => {
                decoded.push(code);
                at += 3;
            }
            None => {
                decoded.push(*byte);
                at += 1;
            }
        }
    }
    Some(String::from_utf8_lossy(&decoded).into_owned())
}

/// A relative path in a directory that is not known.
fn below_somewhere(text: &str) -> Value {
    let tail = text.trim_end_matches('/').trim_start_matches("./");
    if tail.is_empty() || tail == "." || has_parent(tail) {
        return Value::Unknown;
    }
    Value::Affix { prefix: "/".to_owned(), suffix: format!("/{tail}") }
}

fn has_parent(text: &str) -> bool {
    text.split('/').any(|part| part == "..")
}

/// The path as text. Paths come from text, so nothing is lost.
pub(crate) fn text_of(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// `directory/name` for every possibility.
pub(crate) fn below(directory: &Value, name: &Value) -> Value {
    let slash = match directory {
        Value::Known(text) if text.ends_with('/') => Value::known(""),
        _ => Value::known("/"),
    };
    directory.concat(&slash).concat(name)
}

/// Last component of a word as programs see it: trailing slashes do not count. `None` for `.`, `..` and `/`.
pub(crate) fn base_name(text: &str) -> Option<&str> {
    let trimmed = text.trim_end_matches('/');
    let name = trimmed.rsplit('/').next().unwrap_or(trimmed);
    (!name.is_empty() && name != "." && name != "..").then_some(name)
}

/// `host:path`, `user@host::module`, `rsync://…`: a colon before any slash.
pub(crate) fn is_remote(value: &Value) -> bool {
    let text = value.prefix();
    text.starts_with("rsync://")
        || text.find(':').is_some_and(|colon| !text[..colon].contains('/') && colon > 0)
}

/// The path behind the name of another machine; what names none is the path itself.
pub(crate) fn behind_host(text: &str) -> &str {
    let remote = is_remote(&Value::known(text)) && !text.starts_with("rsync://");
    text.split_once(':').filter(|_| remote).map_or(text, |(_, path)| path.trim_start_matches(':'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::resolve::{Link, Links, resolve};

    struct NoLinks;

    impl Links for NoLinks {
        fn link(&self, path: &Path) -> Link {
            if path.ends_with("hidden") { Link::Unknown } else { Link::None }
        }
    }

    fn plain(path: &Path) -> Option<Vec<PathBuf>> {
        Some(vec![resolve(path, &NoLinks)?])
    }

    #[test]
    fn a_databases_name_may_be_a_uri() {
        for (name, file) in [
            ("app.db", "app.db"),
            ("file:app.db", "app.db"),
            ("file:app.db?mode=rw&cache=shared", "app.db"),
            ("file:///srv/a%20b.db#x", "/srv/a b.db"),
            ("file://localhost/srv/a.db", "/srv/a.db"),
            ("file:x?mode=memory", ":memory:"),
            ("file::memory:", ":memory:"),
        ] {
            assert_eq!(database_file(Value::known(name)), Value::known(file), "{name}");
        }
    }

    fn at(text: &str, cwds: &[&str]) -> Value {
        absolute(&Value::known(text), &cwds.iter().map(PathBuf::from).collect::<Vec<_>>(), &plain)
    }

    #[test]
    fn known_paths() {
        assert_eq!(at("a/./b/../c/", &["/w"]), Value::known("/w/a/c"));
        assert_eq!(at("../../..", &["/w"]), Value::known("/"));
        assert_eq!(at("/etc//hosts", &[]), Value::known("/etc/hosts"));
        assert_eq!(at("x", &["/a", "/b"]), Value::OneOf(vec!["/a/x".into(), "/b/x".into()]));
        assert_eq!(at("x/y", &[]), Value::Affix { prefix: "/".into(), suffix: "/x/y".into() });
        assert_eq!(at("..", &[]), Value::Unknown);
        assert_eq!(at("hidden/../x", &["/w"]), Value::Unknown);
        assert_eq!(at("hidden/x", &["/w"]), Value::known("/w/hidden/x"));
    }

    #[test]
    fn partly_known_paths() {
        let cwds = [PathBuf::from("/w")];
        let affix =
            |prefix: &str, suffix: &str| Value::Affix { prefix: prefix.into(), suffix: suffix.into() };
        assert_eq!(absolute(&affix("out/x", ".o"), &cwds, &plain), affix("/w/out/x", ".o"));
        assert_eq!(absolute(&affix("/tmp/a/../", ""), &cwds, &plain), affix("/tmp/", ""));
        assert_eq!(absolute(&affix("/tmp/a", "/../x"), &cwds, &plain), Value::Unknown);
        assert_eq!(absolute(&affix("", "/bin"), &cwds, &plain), affix("", "/bin"));
        assert_eq!(absolute(&affix("x", "/../.."), &[], &plain), Value::Unknown);
    }

    #[test]
    fn names() {
        assert_eq!(base_name("a/b/"), Some("b"));
        assert_eq!(base_name("a/."), None);
    }
}
