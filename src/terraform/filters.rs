//! Conditions that are texts: of what is recorded, watched or found. Whether one lets through what another did.

use super::said::whole;
use crate::knowledge::terraform_signs;
use crate::model::FactValue;

/// Words by which more is asked for.
const BOUNDS: [&str; 4] = ["where ", "and ", "&& ", "| where "];

/// Whether the second asks for all that the first did, and for more.
pub(super) fn is_bounded(was: Option<&FactValue>, now: Option<&FactValue>) -> bool {
    let both = was.zip(now).map(|(was, now)| (plain(was), plain(now)));
    both.is_some_and(|(was, now)| is_more(&was, &now))
}

/// Whether the second lets through all that the first did.
pub(super) fn lets_more(was: Option<&FactValue>, now: Option<&FactValue>) -> bool {
    let now = now.map(plain).unwrap_or_default();
    let was = was.map(plain).unwrap_or_default();
    now.is_empty()
        || is_more(&now, &was)
        || severity(&was)
            .zip(severity(&now))
            .is_some_and(|((front, place), (other, less))| front == other && less < place)
        || now
            .strip_prefix(was.as_str())
            .is_some_and(|rest| rest.trim_start().starts_with("or ") && !was.contains(" and "))
        || alternatives(&was)
            .zip(alternatives(&now))
            .is_some_and(|(was, now)| was.iter().all(|one| now.contains(one)))
}

/// Conditions of which one is enough; `None`: more is asked besides.
fn alternatives(text: &str) -> Option<Vec<String>> {
    let text = text.trim_start_matches(['{', ' ']).trim_end_matches(['}', ' ']);
    if text.contains("&&") || text.contains(" and ") || text.contains("not ") {
        return None;
    }
    let all = text.split("||").flat_map(|part| part.split(" or "));
    Some(all.map(|one| one.trim_matches(['(', ')', ' ']).to_owned()).collect())
}

/// Whether rules that are calls, `length(8) and digits(1)`, all still stand, none of them with a smaller number.
pub(super) fn asks_more(was: &str, now: &str) -> bool {
    let rules = |text: &str| {
        let each = text.split(" and ").map(|rule| {
            let (name, rest) = rule.trim().split_once('(')?;
            let number = rest.strip_suffix(')')?;
            Some((name.to_owned(), number.parse::<u32>().unwrap_or(0)))
        });
        each.collect::<Option<Vec<_>>>().filter(|rules| !rules.is_empty())
    };
    let both = rules(was).zip(rules(now));
    both.is_some_and(|(was, now)| {
        was.iter().all(|(name, number)| now.iter().any(|(other, more)| other == name && more >= number))
    })
}

fn plain(value: &FactValue) -> String {
    whole(value).to_ascii_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_more(was: &str, now: &str) -> bool {
    let rest = now.strip_prefix(was).map(str::trim_start);
    // What stands behind an "or" bounds only the last of several.
    !was.is_empty()
        && !was.contains(" or ")
        && rest.is_some_and(|rest| BOUNDS.iter().any(|word| rest.starts_with(word)) && !rest.contains(" or "))
}

/// A condition that ends with how bad something has to be: what stands in front of it, and its place.
fn severity(text: &str) -> Option<(&str, usize)> {
    let (front, word) = text.rsplit_once(['=', ' '])?;
    let front = front.trim_end_matches(['=', ' ']);
    let place = terraform_signs().severities.iter().position(|known| known == word.trim_matches('"'))?;
    front.ends_with('>').then_some((front, place))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> FactValue {
        FactValue::Text(text.to_owned())
    }

    #[test]
    fn more_that_is_asked_for_bounds() {
        let bounded = |was: &str, now: &str| is_bounded(Some(&text(was)), Some(&text(now)));
        for (wide, narrow) in [
            ("SELECT count(*) FROM Transaction", "SELECT count(*) FROM Transaction WHERE host = 'a'"),
            ("FROM T SELECT x WHERE a = 1", "FROM T SELECT x WHERE a = 1 AND b = 2"),
            ("severity>=ERROR", "severity>=ERROR AND resource.type=\"x\""),
        ] {
            assert!(bounded(wide, narrow) && !bounded(narrow, wide), "{wide}");
        }
        let long = format!("FROM T SELECT x WHERE a IN ('{}')", "y".repeat(400));
        assert!(bounded(&long, &format!("{long} AND b = 2")), "however long it is");
        assert!(!bounded("a = 1 or b = 2", "a = 1 or b = 2 and c = 3"));
    }

    #[test]
    fn rules_that_are_calls_ask_for_more() {
        for (lax, strict) in [("length(8)", "length(12)"), ("length(8)", "length(8) and digits(1)")] {
            assert!(asks_more(lax, strict) && !asks_more(strict, lax), "{lax} {strict}");
        }
        assert!(!asks_more("length(8) and digits(1)", "length(12)") && !asks_more("a", "length(1)"));
    }

    #[test]
    fn what_lets_more_through_is_told_from_what_does_not() {
        let more = |was: &str, now: &str| lets_more(Some(&text(was)), Some(&text(now)));
        for (narrow, wide) in [
            ("severity>=ERROR", "severity>=WARNING"),
            ("severity >= ERROR", ""),
            ("a=1 AND b=2", "a=1"),
            ("logName=\"a\"", "logName=\"a\" OR logName=\"b\""),
            ("{ ($.a = \"x\") || ($.a = \"y\") }", "{ ($.a = \"x\") || ($.b = 1) || ($.a = \"y\") }"),
        ] {
            assert!(more(narrow, wide) && !more(wide, narrow), "{narrow} {wide}");
        }
        assert!(!more("logName=\"a\"", "logName=\"b\""));
    }
}
