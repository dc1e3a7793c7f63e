//! Files that a download writes although no word names them as they are: addresses that stand for several, names made of
//! an address, and servers that are this machine's own files.

use crate::knowledge::Match;
use crate::model::{Action, Value};
use crate::shell::Invocation;

use crate::effects::program::{Draft, Scene, Word, flag};

/// Most addresses that one pattern is taken for.
const ADDRESSES: usize = 1000;

/// What a download writes over, besides what the declaration says.
pub(super) fn saved(scene: &Scene<'_>, invocation: &Invocation) -> Vec<Draft> {
    let matched = &invocation.matched;
    let names = match matched.tool.names.first().map(String::as_str) {
        Some("curl") => curl(matched),
        Some("wget") => wget(matched),
        _ => return Vec::new(),
    };
    let there = |name: &Value| match scene.only_path(name) {
        Some(path) => scene.at(&path).is_some(),
        None => true,
    };
    let files = names.into_iter().filter(there).map(|name| Draft::of(written(scene, name)));
    let below = recursive(matched)
        .map(|dir| Draft::of(scene.on_path(Action::Update, "download.into", &Word::new(dir, false))));
    files.chain(below).collect()
}

/// The directory below which a download that follows what it finds writes names of its own.
fn recursive(matched: &Match) -> Option<Value> {
    let follows = ["-r", "-m", "-p"].iter().any(|key| matched.has(key));
    let wget = matched.tool.names.first().is_some_and(|name| name == "wget");
    (wget && follows && !matched.has("-nc") && !matched.has("--spider"))
        .then(|| matched.value("-P").cloned().unwrap_or(Value::known(".")))
}

fn written(scene: &Scene<'_>, name: Value) -> crate::model::Mutation {
    let mut mutation = scene.on_path(Action::Replace, "file", &Word::new(name, false));
    flag(&mut mutation, "in-place", "written in place");
    mutation
}

fn urls(matched: &Match) -> Vec<&Value> {
    let operands = matched.operands.iter().filter(|bound| bound.name == "url").map(|bound| &bound.value);
    operands.chain(matched.values("--url")).collect()
}

fn curl(matched: &Match) -> Vec<Value> {
    let mut names = Vec::new();
    let named = matched.values("-o");
    let remote = matched.has("-O") || matched.has("--remote-name-all");
    for url in urls(matched).into_iter().filter_map(Value::as_known) {
        let globs = !matched.has("-g") && url.contains(['{', '[']);
        match if globs { addresses(url) } else { Some(vec![(url.to_owned(), Vec::new())]) } {
            Some(all) => {
                let bases = all.iter().filter(|_| remote && (globs || matched.has("--url")));
                names.extend(bases.map(|(url, _)| base(url).to_owned()).map(Value::Known));
                let filled =
                    named.iter().filter_map(|name| name.as_known()).filter(|name| name.contains('#'));
                names.extend(filled.flat_map(|name| all.iter().map(|(_, parts)| fill(name, parts))));
            }
            None if remote || named.iter().any(|name| name.prefix().contains('#')) => {
                names.push(Value::Unknown);
            }
            None => {}
        }
        // A server that is this machine: what is sent lands in a file of it.
        let sends = matched.has("-T") && !matched.has("-a");
        if let Some(path) = url.strip_prefix("file://").filter(|_| sends) {
            let path = path.strip_prefix("localhost").unwrap_or(path);
            let last =
                || matched.value("-T").and_then(Value::as_known).map(base).unwrap_or_default().to_owned();
            let path = if path.ends_with('/') { format!("{path}{}", last()) } else { path.to_owned() };
            names.push(Value::Known(path));
        }
    }
    if let Some(dir) = matched.value("--output-dir") {
        let inside = |name: Value| dir.concat(&Value::known("/")).concat(&name);
        let (here, below): (Vec<_>, Vec<_>) =
            names.into_iter().partition(|name| name.prefix().starts_with('/'));
        names = here.into_iter().chain(below.into_iter().map(inside)).collect();
    }
    let format = matched.value("-w").and_then(Value::as_known).unwrap_or_default();
    names.extend(format.split("%output{").skip(1).filter_map(|rest| {
        let name = rest.split('}').next()?;
        (!name.starts_with(">>")).then(|| Value::known(name))
    }));
    names
}

/// Names that come of an address, and not of a word: where a download keeps its own copy of a site, or takes a newer one.
fn wget(matched: &Match) -> Vec<Value> {
    let whole = ["-r", "-m", "-p", "-x"].iter().any(|key| matched.has(key)) && !matched.has("-nd");
    let newer = matched.has("-N") || matched.has("-m") || matched.has("-r") && matched.has("-nd");
    if !(whole || newer) || matched.has("-O") || matched.has("-nc") || matched.has("--spider") {
        return Vec::new();
    }
    let dir = matched.value("-P").map(|dir| dir.concat(&Value::known("/")));
    let names = urls(matched).into_iter().map(|url| {
        let Some(url) = url.as_known() else { return Value::Unknown };
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        let name = match whole {
            true if matched.has("-nH") => rest.split_once('/').map_or("", |(_, path)| path),
            true => rest,
            false => base(rest),
        };
        let name =
            if name.is_empty() || name.ends_with('/') { format!("{name}index.html") } else { name.into() };
        Value::known(name)
    });
    let names: Vec<Value> = names.collect();
    match dir {
        Some(dir) => names.into_iter().map(|name| dir.concat(&name)).collect(),
        None => names,
    }
}

/// The last part of an address, as a file is called after it.
fn base(url: &str) -> &str {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    path.rsplit('/').next().unwrap_or(path)
}

/// `#1` in a name is the first part of a pattern that was filled in.
fn fill(name: &str, parts: &[String]) -> Value {
    let filled = parts.iter().enumerate().rev();
    let text = filled.fold(name.to_owned(), |text, (at, part)| text.replace(&format!("#{}", at + 1), part));
    Value::Known(text)
}

/// The addresses that curl's `{a,b}` and `[1-9]` stand for, each with its parts; `None` where they cannot be told.
fn addresses(url: &str) -> Option<Vec<(String, Vec<String>)>> {
    let mut all = vec![(String::new(), Vec::new())];
    let mut rest = url;
    while let Some(at) = rest.find(['{', '[']) {
        let (plain, behind) = rest.split_at(at);
        let close = if behind.starts_with('{') { '}' } else { ']' };
        let end = behind.find(close)?;
        let parts = match close {
            '}' => behind[1..end].split(',').map(str::to_owned).collect(),
            _ => range(&behind[1..end])?,
        };
        if all.len().saturating_mul(parts.len()) > ADDRESSES {
            return None;
        }
        let grown = |(text, had): &(String, Vec<String>)| {
            let (text, had) = (format!("{text}{plain}"), had.clone());
            let each = parts.clone().into_iter().map(move |part| {
                (format!("{text}{part}"), had.iter().cloned().chain([part]).collect::<Vec<_>>())
            });
            each.collect::<Vec<_>>()
        };
        all = all.iter().flat_map(grown).collect();
        rest = behind.get(end + 1..)?;
    }
    for (text, _) in &mut all {
        text.push_str(rest);
    }
    Some(all)
}

/// `a-z`, `001-100`, `0-10:2`.
fn range(text: &str) -> Option<Vec<String>> {
    let (span, step) = match text.split_once(':') {
        Some((span, step)) => (span, step.parse::<usize>().ok().filter(|step| *step > 0)?),
        None => (text, 1),
    };
    let (from, to) = span.split_once('-')?;
    if let (Ok(first), Ok(last)) = (from.parse::<u64>(), to.parse::<u64>()) {
        if last.saturating_sub(first) / step as u64 > ADDRESSES as u64 {
            return None;
        }
        let width = if from.starts_with('0') { from.len() } else { 0 };
        return Some((first..=last).step_by(step).map(|number| format!("{number:0width$}")).collect());
    }
    let mut letters = (from.chars(), to.chars());
    let (first, last) = (letters.0.next()?, letters.1.next()?);
    (from.len() == 1 && to.len() == 1)
        .then(|| (first..=last).step_by(step).map(|letter| letter.to_string()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_addresses() {
        let urls = |text| addresses(text).map(|all| all.into_iter().map(|(url, _)| url).collect::<Vec<_>>());
        assert_eq!(urls("h/{a,b}[1-2]").unwrap(), ["h/a1", "h/a2", "h/b1", "h/b2"]);
        assert_eq!(urls("h/[08-10].png").unwrap(), ["h/08.png", "h/09.png", "h/10.png"]);
        assert_eq!(urls("h/[a-e:2]").unwrap(), ["h/a", "h/c", "h/e"]);
        assert_eq!(urls("h/[1-9999999]"), None);
        assert_eq!(urls("http://[::1]/x"), None);
        assert_eq!(fill("n#1-#2", &["a".to_owned(), "b".to_owned()]), Value::known("na-b"));
    }
}
