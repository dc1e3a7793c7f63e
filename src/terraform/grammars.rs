//! Rights written as text of a grammar of its own (Consul and Nomad, OCI, Boundary): whether what is written now gives only a part
//! of what was.
//!
//! Owns these grammars. What cannot be read as one of them is no part of anything.

use crate::knowledge::terraform_signs;

/// Whether the second text gives only what the first did, by one of the grammars that are known here.
pub(super) fn is_less(old: &str, new: &str) -> bool {
    let by_rules = || Some(Rule::all(old)?.is_less(&Rule::all(new)?));
    let by_sentence = || Some(Sentence::of(old)?.holds(&Sentence::of(new)?));
    by_rules().or_else(by_sentence).unwrap_or_else(|| is_fewer_pairs(old, new))
}

/// The right of these rules that is none.
const NONE: &str = "deny";

/// `key_prefix "app/" { policy = "write" }`, or `operator = "write"`.
#[derive(Debug, PartialEq)]
struct Rule<'t> {
    sort: &'t str,
    name: &'t str,
    /// It is about all names that begin so.
    begins: bool,
    level: &'t str,
}

#[derive(Debug, PartialEq)]
struct Rules<'t>(Vec<Rule<'t>>);

impl<'t> Rule<'t> {
    fn all(text: &'t str) -> Option<Rules<'t>> {
        let (mut rest, mut found) = (text.trim_start(), Vec::new());
        while !rest.is_empty() {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
            let (sort, after) = rest.split_at(end);
            let (name, level, after) = body(after.trim_start())?;
            if level != NONE && !terraform_signs().is_less(NONE, level) {
                return None;
            }
            let prefix = sort.strip_suffix("_prefix");
            let star = name.strip_suffix('*');
            if name.trim_end_matches('*').contains('*') || prefix.is_some() && star.is_some() {
                return None;
            }
            found.push(Rule {
                sort: prefix.unwrap_or(sort),
                name: star.unwrap_or(name),
                begins: prefix.or(star).is_some(),
                level,
            });
            rest = after.trim_start();
        }
        (!found.is_empty()).then_some(Rules(found))
    }
}

/// What stands behind a rule's first word: its name, its right, and the rest.
fn body(text: &str) -> Option<(&str, &str, &str)> {
    let quoted = |text: &'_ str| -> Option<(usize, usize)> {
        let inside = text.strip_prefix('"')?;
        Some((1, 1 + inside.find('"')?))
    };
    if let Some(value) = text.strip_prefix('=') {
        let value = value.trim_start();
        let (from, to) = quoted(value)?;
        return Some(("", &value[from..to], &value[to + 1..]));
    }
    let (name, text) = match quoted(text) {
        Some((from, to)) => (&text[from..to], text[to + 1..].trim_start()),
        None => ("", text),
    };
    let (inside, rest) = text.strip_prefix('{')?.split_once('}')?;
    let value = inside.trim().strip_prefix("policy")?.trim_start().strip_prefix('=')?.trim();
    let level = value.strip_prefix('"')?.strip_suffix('"')?;
    Some((name, level, rest))
}

impl Rules<'_> {
    /// The right on a name: the most exact rule about it counts.
    fn gives(&self, at: &Rule<'_>) -> &str {
        let fits = |rule: &&Rule<'_>| {
            let exact = rule.name == at.name && (rule.begins || !at.begins);
            rule.sort == at.sort && (exact || rule.begins && at.name.starts_with(rule.name))
        };
        let most = self.0.iter().filter(fits).max_by_key(|rule| (rule.name.len(), !rule.begins));
        most.map_or(NONE, |rule| rule.level)
    }

    /// All names that either side speaks of are looked at.
    fn is_less(&self, new: &Rules<'_>) -> bool {
        self.0.iter().chain(&new.0).all(|at| {
            let (now, was) = (new.gives(at), self.gives(at));
            now == was || now == NONE || terraform_signs().is_less(now, was)
        })
    }
}

/// `Allow group a to read buckets in compartment b where …`.
struct Sentence {
    whom: String,
    act: String,
    what: String,
    place: String,
    when: Option<String>,
}

impl Sentence {
    fn of(text: &str) -> Option<Self> {
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ").to_ascii_lowercase();
        let (whom, rest) = words.strip_prefix("allow ")?.split_once(" to ")?;
        let (rest, when) = rest.split_once(" where ").map_or((rest, None), |(rest, when)| (rest, Some(when)));
        let (what, place) = rest.split_once(" in ")?;
        let (act, what) = what.split_once(' ')?;
        Some(Self {
            whom: whom.into(),
            act: act.into(),
            what: what.into(),
            place: place.into(),
            when: when.map(str::to_owned),
        })
    }

    fn holds(&self, new: &Self) -> bool {
        let act = self.act == new.act || terraform_signs().is_less(&new.act, &self.act);
        let what = self.what == new.what || self.what == "all-resources";
        let place = self.place == new.place
            || self.place == "tenancy" && (new.place.starts_with("compartment ") || new.place == "tenancy");
        self.whom == new.whom && act && what && place && (self.when.is_none() || self.when == new.when)
    }
}

/// `ids=*;type=*;actions=*`: each list is a part of what it was.
fn is_fewer_pairs(old: &str, new: &str) -> bool {
    let pairs = |text: &'_ str| -> Option<Vec<(String, Vec<String>)>> {
        let pair = |part: &str| {
            let (key, list) = part.split_once('=')?;
            let list = list.split(',').map(|word| word.trim().to_owned()).collect::<Vec<_>>();
            let plain = key.chars().all(|c| c.is_ascii_alphabetic() || c == '_');
            (plain && list.iter().all(|word| !word.is_empty())).then(|| (key.trim().to_owned(), list))
        };
        text.split(';').map(pair).collect::<Option<Vec<_>>>().filter(|all| all.len() > 1)
    };
    let Some((old, new)) = pairs(old).zip(pairs(new)) else { return false };
    old.iter().all(|(key, wide)| {
        let narrow = new.iter().find(|(other, _)| other == key).map(|(_, list)| list);
        narrow.is_some_and(|narrow| {
            wide.iter().any(|word| word == "*") || narrow.iter().all(|word| wide.contains(word))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_what_was_given_is_less_and_never_the_other_way_round() {
        for (wide, part) in [
            (
                "service_prefix \"\" { policy = \"write\" }\noperator = \"write\"",
                "service \"web\" { policy = \"read\" }",
            ),
            ("namespace \"*\" { policy = \"write\" }", "namespace \"dev\" { policy = \"read\" }"),
            ("key_prefix \"app/\" { policy = \"write\" }", "key_prefix \"app/a/\" { policy = \"write\" }"),
            (
                "key_prefix \"a\" { policy = \"write\" }",
                "key_prefix \"a\" { policy = \"write\" } key \"ab\" { policy = \"deny\" }",
            ),
            (
                "Allow group devs to manage all-resources in tenancy",
                "Allow group devs to read buckets in compartment x",
            ),
            (
                "Allow group d to use buckets in tenancy",
                "allow group d to use buckets in tenancy where a = 'b'",
            ),
            ("ids=*;type=*;actions=*", "ids=*;type=target;actions=list,read"),
        ] {
            assert!(is_less(wide, part), "{wide} > {part}");
            assert!(!is_less(part, wide), "{part} > {wide}");
        }
    }

    #[test]
    fn what_gives_something_else_or_cannot_be_read_is_no_part() {
        for (old, new) in [
            // The more exact rule counted.
            (
                "service_prefix \"\" { policy = \"write\" } service \"web\" { policy = \"read\" }",
                "service_prefix \"\" { policy = \"write\" }",
            ),
            ("service \"a\" { policy = \"write\" }", "service \"b\" { policy = \"read\" }"),
            ("namespace \"*\" { capabilities = [\"read\"] }", "namespace \"a\" { policy = \"read\" }"),
            ("Allow group a to read buckets in tenancy", "Allow any-user to read buckets in tenancy"),
            ("Allow group a to read buckets in tenancy where x", "Allow group a to read buckets in tenancy"),
            ("ids=a;type=b", "ids=a;type=c"),
            ("ids=a", "ids=a"),
            ("", ""),
        ] {
            assert!(!is_less(old, new), "{old} > {new}");
        }
    }
}
