//! Policy documents as statements: who may do what, on what, and when. The language is that of AWS, which others speak too.
//!
//! Owns reading them out of attributes, and whether a statement says all that another one says.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::triggers;
use crate::knowledge::Range;
use crate::wildcard::fits;

/// How deep attributes are looked into for documents.
const DEPTH: usize = 16;

/// Words, or all but these.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Set {
    pub(super) words: Vec<String>,
    except: bool,
}

/// One word of a set, or all that a set of exceptions leaves.
#[derive(Clone, Copy, Debug)]
pub(super) enum One<'s> {
    Word(&'s str),
    Rest(&'s [String]),
}

impl One<'_> {
    pub(super) fn word(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word),
            Self::Rest(_) => None,
        }
    }
}

impl Set {
    fn ones(&self) -> Vec<One<'_>> {
        if self.except {
            return vec![One::Rest(&self.words)];
        }
        self.words.iter().map(|word| One::Word(word)).collect()
    }

    fn holds(&self, one: One<'_>) -> bool {
        match one {
            One::Word(word) if self.except => {
                !self.words.iter().any(|own| fits(own, word) || fits(word, own))
            }
            One::Word(word) => self.words.iter().any(|own| fits(own, word)),
            One::Rest(left) if self.except => {
                self.words.iter().all(|own| left.iter().any(|out| fits(out, own)))
            }
            One::Rest(_) => self.words.iter().any(|own| own == "*"),
        }
    }
}

/// Tests by operator and key, in small letters, with the values that each asks for.
pub(super) type Conditions = BTreeMap<(String, String), BTreeSet<String>>;

/// Statements by the attribute at the top.
type Documents<'v> = BTreeMap<&'v str, Vec<Statement>>;

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Statement {
    pub(super) allows: bool,
    /// Nobody is named where the document belongs to somebody.
    pub(super) whom: Option<Set>,
    acts: Set,
    on: Set,
    pub(super) when: Conditions,
}

/// One act of one for one thing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Atom<'s> {
    pub(super) whom: Option<One<'s>>,
    pub(super) act: One<'s>,
    pub(super) on: One<'s>,
    pub(super) when: &'s Conditions,
}

impl Statement {
    fn of(map: &Map<String, Value>) -> Self {
        let get = |name: &str| map.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, v)| v);
        let set = |name: &str, not: &str| {
            let except = get(not).is_some();
            let words = words(get(name).or_else(|| get(not)));
            (!words.is_empty() || except).then_some(Set { words, except })
        };
        let whom = get("Principal").or_else(|| get("NotPrincipal"));
        let small = |mut set: Set| {
            set.words.iter_mut().for_each(|word| word.make_ascii_lowercase());
            set
        };
        Self {
            allows: !get("Effect").and_then(Value::as_str).is_some_and(|e| e.eq_ignore_ascii_case("deny")),
            whom: whom.map(|value| Set { words: principals(value), except: get("NotPrincipal").is_some() }),
            acts: set("Action", "NotAction").map(small).unwrap_or_default(),
            on: set("Resource", "NotResource")
                .unwrap_or_else(|| Set { words: vec!["*".to_owned()], except: false }),
            when: get("Condition").map(conditions).unwrap_or_default(),
        }
    }

    /// All that it says, one by one.
    pub(super) fn atoms(&self) -> impl Iterator<Item = Atom<'_>> {
        let whom: Vec<Option<One<'_>>> = match &self.whom {
            Some(set) => set.ones().into_iter().map(Some).collect(),
            None => vec![None],
        };
        let (acts, on) = (self.acts.ones(), self.on.ones());
        whom.into_iter().flat_map(move |whom| {
            let (acts, on) = (acts.clone(), on.clone());
            acts.into_iter().flat_map(move |act| {
                on.clone().into_iter().map(move |on| Atom { whom, act, on, when: &self.when })
            })
        })
    }

    /// Whether it says all of this, but for when.
    pub(super) fn names(&self, atom: &Atom<'_>) -> bool {
        self.is_for(atom.whom) && self.acts.holds(atom.act) && self.on.holds(atom.on)
    }

    /// Whether it says all of this.
    pub(super) fn says(&self, atom: &Atom<'_>) -> bool {
        self.names(atom) && wider(&self.when, atom.when).is_none()
    }

    fn is_for(&self, whom: Option<One<'_>>) -> bool {
        match (&self.whom, whom) {
            (None, None) => true,
            (Some(own), Some(one)) => {
                own.holds(one)
                    || !own.except
                        && one.word().is_some_and(|one| own.words.iter().any(|own| is_root_of(own, one)))
            }
            _ => false,
        }
    }

    /// A part of what this allows, or of those for whom it does, that the atom goes beyond.
    pub(super) fn part_of<'a>(&'a self, atom: &Atom<'_>) -> Option<&'a str> {
        let within = |set: &'a Set, one: One<'_>| {
            let wide = one.word()?;
            let inside = |own: &&String| own.as_str() != wide && (fits(wide, own) || is_root_of(wide, own));
            set.words.iter().find(inside).filter(|_| !set.except).map(String::as_str)
        };
        if !self.acts.holds(atom.act) {
            return None;
        }
        if self.is_for(atom.whom) {
            return within(&self.on, atom.on);
        }
        let whom = atom.whom.filter(|_| self.on.holds(atom.on))?;
        self.whom.as_ref().and_then(|own| within(own, whom))
    }

    /// Words that name what it is about.
    pub(super) fn on(&self) -> &[String] {
        if self.on.except { &[] } else { &self.on.words }
    }

    /// Words of what it allows.
    pub(super) fn acts(&self) -> &[String] {
        if self.acts.except { &[] } else { &self.acts.words }
    }
}

/// An account stands for all in it.
fn is_root_of(root: &str, one: &str) -> bool {
    root.strip_suffix("root").is_some_and(|account| account.starts_with("arn:") && one.starts_with(account))
}

/// The key of a condition that the first conditions ask and the second do not, or not as narrowly.
pub(super) fn wider(asked: &Conditions, now: &Conditions) -> Option<(String, bool)> {
    let base = |op: &str| op.trim_end_matches("ifexists").to_owned();
    for ((op, key), values) in asked {
        let same = |known: &str| known == op || known == base(op) || is_text(known) && is_text(op);
        let mut tests = now.iter().filter(|((known, own), _)| own == key && same(known)).peekable();
        if tests.peek().is_none() {
            return Some((key.clone(), true));
        }
        if !tests.any(|((known, _), new)| is_narrower(op, values, known, new)) {
            return Some((key.clone(), false));
        }
    }
    None
}

/// Operators by which a text has to be one of several.
fn is_text(op: &str) -> bool {
    ["stringequals", "stringlike", "arnequals", "arnlike", "stringequalsignorecase"].contains(&op)
}

fn is_narrower(op: &str, asked: &BTreeSet<String>, new_op: &str, new: &BTreeSet<String>) -> bool {
    if op.contains("not") && !op.starts_with("null") {
        return asked.is_subset(new);
    }
    let one = |new: &String| {
        asked.iter().any(|own| match op {
            _ if own == new => {
                !(op.starts_with("stringequals") && new_op.contains("like") && new.contains('*'))
            }
            _ if op.contains("like") || op.starts_with("arn") => fits(own, new),
            _ if op.starts_with("ipaddress") => {
                Range::of(own).zip(Range::of(new)).is_some_and(|(wide, part)| wide.holds(part))
            }
            _ => false,
        })
    };
    !new.is_empty() && new.iter().all(one)
}

/// The statements of the documents in a resource's attributes, by the attribute at the top; what the other side says in the same
/// words is left out.
fn of<'v>(values: &'v Value, other: &Value) -> Documents<'v> {
    let mut found = BTreeMap::new();
    let all = values.as_object().into_iter().flatten();
    for (name, value) in all.filter(|(name, value)| other.get(name) != Some(value)) {
        let mut all = Vec::new();
        gather(value, DEPTH, &mut all);
        if !all.is_empty() {
            found.insert(name.as_str(), all);
        }
    }
    found
}

/// The documents of both sides, of the attributes that differ.
pub(super) fn both<'v>(before: &'v Value, after: &'v Value) -> (Documents<'v>, Documents<'v>) {
    (of(before, after), of(after, before))
}

fn gather(value: &Value, depth: usize, found: &mut Vec<Statement>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match value {
        Value::String(text) if triggers::said(text).documents => {
            if let Ok(document @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(text) {
                gather(&document, depth, found);
            }
        }
        Value::Array(list) => list.iter().for_each(|inner| gather(inner, depth, found)),
        Value::Object(map) => {
            for (key, inner) in map {
                let is_list = key.eq_ignore_ascii_case("statement");
                match inner {
                    Value::Array(list) if is_list => {
                        found.extend(list.iter().filter_map(Value::as_object).filter_map(statement));
                    }
                    Value::Object(one) if is_list => found.extend(statement(one)),
                    other => gather(other, depth, found),
                }
            }
        }
        _ => {}
    }
}

/// What does not say whether it allows is no statement.
fn statement(map: &Map<String, Value>) -> Option<Statement> {
    let says = |name: &str| map.keys().any(|key| key.eq_ignore_ascii_case(name));
    (says("Effect") && (says("Action") || says("NotAction"))).then(|| Statement::of(map))
}

/// Whom a statement is for: an ARN, `*`, or a word with its sort in front.
fn principals(value: &Value) -> Vec<String> {
    let whole = |word: String| {
        let account = word.len() == 12 && word.bytes().all(|byte| byte.is_ascii_digit());
        if account { format!("arn:aws:iam::{word}:root") } else { word }
    };
    let Value::Object(map) = value else { return words(Some(value)).into_iter().map(whole).collect() };
    let mut found = Vec::new();
    for (sort, inner) in map {
        let all = words(Some(inner)).into_iter();
        match sort.to_ascii_uppercase().as_str() {
            "AWS" | "RAM" | "QCS" => found.extend(all.map(whole)),
            _ => {
                let sort = sort.to_ascii_lowercase();
                found.extend(all.map(|word| if word == "*" { word } else { format!("{sort}:{word}") }));
            }
        }
    }
    found
}

fn conditions(value: &Value) -> Conditions {
    let mut found = Conditions::new();
    for (op, tests) in value.as_object().into_iter().flatten() {
        for (key, values) in tests.as_object().into_iter().flatten() {
            let asked = found.entry((op.to_ascii_lowercase(), key.to_ascii_lowercase())).or_default();
            asked.extend(words(Some(values)));
        }
    }
    found
}

/// A word, or a list of them; numbers and switches are words here.
fn words(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::Array(list)) => list.iter().flat_map(|one| words(Some(one))).collect(),
        Some(Value::String(text)) => vec![text.clone()],
        Some(other @ (Value::Bool(_) | Value::Number(_))) => vec![other.to_string()],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn says(wide: &Value, narrow: &Value) -> bool {
        let read = |value: &Value| {
            of(&json!({"policy": json!({"Statement": value}).to_string()}), &json!({})).remove("policy")
        };
        let [wide, narrow] = [wide, narrow].map(|value| read(value).unwrap());
        narrow.iter().flat_map(Statement::atoms).all(|atom| wide.iter().any(|own| own.says(&atom)))
    }

    #[test]
    fn a_statement_says_what_stands_within_it() {
        let allow = |act: Value, on: Value| json!({"Effect": "Allow", "Action": act, "Resource": on});
        let when = |op: &str, key: &str, value: &str| json!({"Effect": "Allow", "Principal": {"Federated": "f"}, "Action": "a:b", "Condition": {op: {key: value}}});
        let from = |whom: Value| json!({"Effect": "Allow", "Principal": whom, "Action": "a:b"});
        for (wide, narrow) in [
            (allow(json!("s3:*"), json!("*")), allow(json!(["s3:GetObject"]), json!("arn:aws:s3:::b/*"))),
            (allow(json!("S3:GetObject"), json!(["a", "b"])), allow(json!("s3:getobject"), json!("b"))),
            (when("StringLike", "x:sub", "repo:acme/*"), when("StringLike", "x:sub", "repo:acme/a:ref:main")),
            (
                when("StringLike", "x:sub", "repo:acme/*"),
                when("StringEquals", "x:sub", "repo:acme/a:ref:main"),
            ),
            (
                when("IpAddress", "aws:SourceIp", "10.0.0.0/8"),
                when("IpAddress", "aws:SourceIp", "10.1.0.0/16"),
            ),
            (from(json!({"AWS": "111122223333"})), from(json!({"AWS": "arn:aws:iam::111122223333:role/a"}))),
            (from(json!("*")), from(json!({"Service": "ec2.amazonaws.com"}))),
            (
                json!({"Effect": "Allow", "NotAction": "iam:*", "Resource": "*"}),
                json!({"Effect": "Allow", "NotAction": ["iam:*", "sts:*"], "Resource": "*"}),
            ),
            (
                json!({"Effect": "Allow", "NotAction": "iam:*", "Resource": "*"}),
                allow(json!("s3:GetObject"), json!("*")),
            ),
        ] {
            assert!(says(&wide, &wide) && says(&narrow, &narrow));
            assert!(says(&wide, &narrow), "{wide} {narrow}");
            assert!(!says(&narrow, &wide), "{narrow} {wide}");
        }
        let [one, all] = [("StringEquals", "repo:acme/*"), ("StringLike", "repo:acme/*")]
            .map(|(op, value)| when(op, "x:sub", value));
        assert!(!says(&one, &all), "a star is a letter to one of them");
        assert!(!says(&allow(json!("a:b"), json!("*")), &from(json!("*"))));
    }
}
