//! What a service holds (a crontab, a table, an object of a cluster), fetched before a command takes it, and put back.
//!
//! Owns for which calls that may be done, and whether what is meant is on this machine. Which commands fetch and put back is data
//! of the kinds ([`Service`]); they run only where nothing on the command line can make the command speak to somebody else
//! than they do.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use crate::knowledge::{Learn, Service, ServiceCall, ServiceWord};
use crate::model::{Assessment, FactValue, Source, Subject};
use crate::syntax::{self, CommandKind, Part, Word};

use super::Keeping;
use super::commands::{Setting, run};
use super::files::{CannotKeep, Capture};
use super::point::{Held, Item, Name, Was};

/// How long all commands that fetch may take together, before a command runs.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long putting one thing back may take.
const LONG: Duration = Duration::from_secs(600);
/// Longest answer of what is asked first.
const ANSWER: u64 = 4096;
/// Names of this machine.
const HERE: [&str; 4] = ["localhost", "127.0.0.1", "::1", "[::1]"];

/// Something of a service that is set aside.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    kind: String,
    entry: Service,
    call: ServiceCall,
}

impl PartialEq for Wanted {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
            && self.entry == other.entry
            && self.call.words(&self.entry.restore) == other.call.words(&other.entry.restore)
            && self.entry.shown(&self.call) == other.entry.shown(&other.call)
    }
}

/// What to set aside for an act on a service; `None` when it cannot be, or a person has to be asked first.
pub(super) fn wanted(judged: &Assessment, keeping: &Keeping<'_>, asked: bool) -> Option<Wanted> {
    let mutation = &judged.mutation;
    let context = &mutation.context;
    let elsewhere = context.host.is_some() || context.privileged || !context.via.is_empty();
    let aimed = mutation.facts.get("aimed").is_some_and(|fact| fact.value != FactValue::Bool(false));
    if elsewhere || aimed || mutation.source != Source::Shell || keeping.context.anywhere {
        return None;
    }
    let target = match &mutation.subject {
        Subject::Sql { object, .. } => object.clone(),
        Subject::Named(name) => name.as_known().map(str::to_owned),
        _ => None,
    };
    let entries = keeping.knowledge.services(&mutation.kind)?;
    let words = plain_words(&mutation.raw)?;
    let tool = keeping.knowledge.tool(words.first()?.rsplit('/').next()?)?;
    entries.iter().find_map(|entry| {
        let call = entry.call(&tool, &words, mutation.action, target.as_deref())?;
        let first = !entry.alone || begins_with(keeping.command, &mutation.raw);
        let may = asked || keeping.policy.keep().remote || is_here(entry, &call);
        // What is filled in later is known only when it is asked.
        let command = entry.learn.first().map_or(&entry.keep, |learn| &learn.run);
        let fits = call.words(command).is_some();
        (first && may && fits).then(|| Wanted { kind: mutation.kind.clone(), entry: entry.clone(), call })
    })
}

/// The command line begins with this call.
fn begins_with(line: &str, call: &str) -> bool {
    line.trim_start()
        .strip_prefix(call)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\n', ';', '&', '|']))
}

/// The words of a simple command, when each stands for itself.
fn plain_words(text: &str) -> Option<Vec<String>> {
    let (script, gaps) = syntax::parse(text);
    let [only] = script.items.as_slice() else { return None };
    match &only.command.kind {
        CommandKind::Simple { assignments, words } if assignments.is_empty() && gaps.is_empty() => {
            words.iter().map(plain_word).collect()
        }
        _ => None,
    }
}

fn plain_word(word: &Word) -> Option<String> {
    let mut text = String::new();
    for part in &word.parts {
        match part {
            Part::Literal(literal) if literal.contains(['*', '?', '[', '{', '~', '!', '(']) => return None,
            Part::Literal(literal) | Part::Quoted(literal) => text.push_str(literal),
            Part::DoubleQuoted(parts) => {
                for part in parts {
                    match part {
                        Part::Literal(literal) | Part::Quoted(literal) => text.push_str(literal),
                        _ => return None,
                    }
                }
            }
            _ => return None,
        }
    }
    Some(text)
}

/// Whether what is meant is on this machine, as far as the call and the surroundings say.
fn is_here(entry: &Service, call: &ServiceCall) -> bool {
    let local = |place: &str| {
        // Several places are tried one after the other.
        if place.contains(',') {
            return false;
        }
        HERE.contains(&place)
            || place.starts_with('/')
            || place.strip_prefix("unix://").is_some_and(|p| p.starts_with('/'))
    };
    entry.local
        && entry.at.iter().all(|place| match place.strip_prefix('$') {
            Some(name) => std::env::var_os(name)
                .is_none_or(|value| value.is_empty() || value.to_str().is_some_and(local)),
            None => match call.value(place.trim_matches(['{', '}'])) {
                Some(place) => local(&place),
                None => true,
            },
        })
}

/// Fetches what is wanted into the point.
pub(super) fn set_aside(wanted: &[Wanted], dir: &Path, capture: &mut Capture) -> Result<(), CannotKeep> {
    let deadline = Instant::now() + PATIENCE;
    for one in wanted {
        let (held, content) = fetch(one, dir, deadline, capture.room())?;
        capture.add_held(held, content)?;
    }
    Ok(())
}

fn untold(shown: &str, why: &str) -> CannotKeep {
    CannotKeep::Untold(format!("{}: {}", crate::text::escape(shown), crate::text::escape(why)))
}

/// The value of a placeholder. `Err` in words.
fn ask(learn: &Learn, call: &ServiceCall, setting: &Setting<'_>) -> Result<String, String> {
    if let Some(said) = learn.said.as_ref().and_then(|key| call.value(key)) {
        return Ok(said);
    }
    let words = call.words(&learn.run).ok_or_else(|| learn.otherwise.clone())?;
    let ended = run(&words, None, setting)?;
    if !ended.well {
        return Err(ended.why(words.first().map_or("", String::as_str)));
    }
    let answer = String::from_utf8(ended.output).map_err(|_| learn.otherwise.clone())?;
    let answer = answer.trim_end();
    let value = learn.map.get(answer).map_or(answer, String::as_str);
    let wanted = learn.is.as_ref().is_none_or(|wanted| wanted == value);
    if value.is_empty() || value.contains('\n') || !wanted {
        return Err(learn.otherwise.clone());
    }
    Ok(value.to_owned())
}

/// Asks what has to be known, then fetches.
fn fetch(
    wanted: &Wanted,
    dir: &Path,
    deadline: Instant,
    limit: u64,
) -> Result<(Held, Option<Vec<u8>>), CannotKeep> {
    let entry = &wanted.entry;
    let mut call = wanted.call.clone();
    let setting = Setting { dir, env: &[], deadline, limit: ANSWER };
    for learn in &entry.learn {
        let value = ask(learn, &call, &setting).map_err(|why| untold(&wanted.kind, &why))?;
        call.learned.insert(learn.key.clone(), value);
    }
    let shown = entry.shown(&call).unwrap_or_else(|| wanted.kind.clone());
    let fill = |command: &[ServiceWord]| {
        call.words(command).ok_or_else(|| untold(&shown, "a name in it could be taken for an option"))
    };
    let or_none = |command: &[ServiceWord]| {
        if command.is_empty() { Ok(Vec::new()) } else { fill(command) }
    };
    let nothing = entry.nothing.as_ref();
    let held = Held {
        title: shown.clone(),
        kind: wanted.kind.clone(),
        keep: fill(&entry.keep)?,
        says: nothing.map(|nothing| nothing.says.clone()),
        remove: nothing.map_or(Ok(Vec::new()), |nothing| fill(&nothing.restore))?,
        without: entry.without.clone(),
        noise: entry.noise.clone(),
        before: or_none(&entry.before)?,
        restore: fill(&entry.restore)?,
        over: or_none(&entry.over)?,
        env: entry.env.iter().map(|name| (name.clone(), std::env::var(name).ok())).collect(),
        dir: Name(dir.to_owned()),
        size: 0,
        content: None,
    };
    let content = held.fetch(deadline, limit).map_err(|why| untold(&shown, &why))?;
    Ok((held, content))
}

impl Held {
    /// What is there now; `None` when nothing is. `Err` in words.
    fn fetch(&self, deadline: Instant, limit: u64) -> Result<Option<Vec<u8>>, String> {
        let ended = run(&self.keep, None, &Setting { dir: self.place(), env: &self.env, deadline, limit })?;
        let program = self.keep.first().map_or("", String::as_str);
        match &self.says {
            Some(says) if says.is_empty() && ended.well && ended.output.is_empty() => return Ok(None),
            Some(says) if !says.is_empty() && !ended.well && ended.said.contains(says.as_str()) => {
                return Ok(None);
            }
            _ if !ended.well => return Err(ended.why(program)),
            _ => {}
        }
        if self.without.is_empty() {
            return Ok(Some(ended.output));
        }
        let mut json: Json = serde_json::from_slice(&ended.output)
            .map_err(|error| format!("{program} gives no JSON: {error}"))?;
        for pointer in &self.without {
            remove(&mut json, pointer);
        }
        serde_json::to_vec(&json).map(Some).map_err(|error| error.to_string())
    }

    /// What is there now, for an undo.
    ///
    /// # Errors
    /// In words.
    pub(crate) fn now(&self, limit: u64) -> Result<Option<Vec<u8>>, String> {
        self.fetch(Instant::now() + PATIENCE, limit)
    }

    /// Whether two contents are the same but for what says nothing.
    pub(crate) fn are_same(&self, one: &[u8], other: &[u8]) -> bool {
        if self.noise.is_empty() {
            return one == other;
        }
        let says = |line: &&[u8]| !self.noise.iter().any(|noise| line.starts_with(noise.as_bytes()));
        let lines = |text| <[u8]>::split(text, |byte| *byte == b'\n').filter(says);
        lines(one).eq(lines(other))
    }

    /// Puts it back where something stands or nothing does.
    ///
    /// # Errors
    /// In words.
    pub(crate) fn put_back(&self, content: Option<Vec<u8>>, over: bool) -> Result<(), String> {
        let deadline = Instant::now() + LONG;
        let setting = Setting { dir: self.place(), env: &self.env, deadline, limit: 1 << 20 };
        let one = |words: &[String], input: Option<Vec<u8>>| {
            let ended = run(words, input, &setting)?;
            if ended.well { Ok(()) } else { Err(ended.why(words.first().map_or("", String::as_str))) }
        };
        let Some(content) = content else {
            return if over { one(&self.remove, None) } else { Ok(()) };
        };
        if !self.before.is_empty() {
            one(&self.before, None)?;
        }
        let restore = if over && !self.over.is_empty() { &self.over } else { &self.restore };
        one(restore, Some(content))
    }

    /// Where its commands run: the directory may be gone by now.
    fn place(&self) -> &Path {
        if self.dir.0.is_dir() { &self.dir.0 } else { Path::new("/") }
    }
}

/// Removes what a JSON pointer leads to; of a list of objects, of each.
fn remove(json: &mut Json, pointer: &str) {
    if let Some(items) = json.get_mut("items").and_then(Json::as_array_mut) {
        items.iter_mut().for_each(|item| remove(item, pointer));
        return;
    }
    let Some((above, last)) = pointer.rsplit_once('/') else { return };
    if let Some(Json::Object(object)) = json.pointer_mut(above) {
        object.remove(&last.replace("~1", "/").replace("~0", "~"));
    }
}

impl Capture {
    /// Adds what a service holds; `None` is that nothing is there.
    ///
    /// # Errors
    /// When it does not fit, or the disk refuses.
    pub(crate) fn add_held(&mut self, mut held: Held, content: Option<Vec<u8>>) -> Result<(), CannotKeep> {
        let path = PathBuf::from(&held.title);
        (held.size, held.content) = (0, None);
        if let Some(bytes) = content {
            held.size = bytes.len() as u64;
            held.content = Some(self.store_bytes(&bytes, &path)?);
        }
        let item = Item { was: Was::Service(Box::new(held)), ..Item::absent(&path) };
        self.items.insert(path, item);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_do_not_stand_for_themselves_are_no_words() {
        assert_eq!(plain_words("a 'b c' \"d;e\" f\\ g").unwrap(), ["a", "b c", "d;e", "f g"]);
        for odd in [
            "a $b", "a \"$b\"", "a *", "a {b,c}", "x=1 a", "a `b`", "a; b", "a | b", "a ~", "a $(b)",
            "a <(b)",
        ] {
            assert_eq!(plain_words(odd), None, "{odd}");
        }
    }

    #[test]
    fn a_call_begins_the_line() {
        assert!(begins_with("crontab -r", "crontab -r"));
        assert!(begins_with(" crontab -r && echo", "crontab -r"));
        assert!(!begins_with("crontab -rx", "crontab -r"));
        assert!(!begins_with("export A=b; crontab -r", "crontab -r"));
    }

    #[test]
    fn what_is_no_part_of_it_is_taken_out() {
        let mut json: Json = serde_json::from_str(r#"{"a": {"b": 1, "c/d": 2}, "s": 3}"#).unwrap();
        ["/a/b", "/a/c~1d", "/s", "/x/y"].iter().for_each(|pointer| remove(&mut json, pointer));
        assert_eq!(json.to_string(), r#"{"a":{}}"#);
        let mut list: Json = serde_json::from_str(r#"{"items": [{"s": 1, "t": 2}]}"#).unwrap();
        remove(&mut list, "/s");
        assert_eq!(list.to_string(), r#"{"items":[{"t":2}]}"#);
    }
}
