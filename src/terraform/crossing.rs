//! An alarm's threshold that moves away from what it watches: it has to get worse before anybody is told.
//!
//! Owns which way that is. The block that holds the threshold says it; where it does not, only a great change is told, elsewhere.

use serde_json::{Map, Value};

use super::amounts;
use super::beside::Beside;
use crate::knowledge::terraform_signs;
use crate::model::{Action, FactValue};

/// How deep attributes are looked into.
const DEPTH: usize = 16;

/// Of what is an alarm: the first threshold that is further away than before; where all that move come nearer, what only looks far is none.
pub(super) fn tell(before: &Value, after: &Value, found: &mut Vec<Beside>) {
    if let Some(further) = of(before, after) {
        if found.iter().all(|known| known.kind() != further.kind()) {
            found.push(further);
        }
    } else if further(after, before, None, DEPTH).is_some() {
        found.retain(|known| !known.is_of(&terraform_signs().crossing.thresholds));
    }
}

fn of(before: &Value, after: &Value) -> Option<Beside> {
    let (name, was, now) = further(before, after, None, DEPTH)?;
    let mut found = Beside::new(Action::Update, "protection.hearing");
    found.tell("attribute", FactValue::Text(name));
    found.tell("had", FactValue::Text(was.to_string()));
    found.tell("left", FactValue::Text(now.to_string()));
    Some(found)
}

/// `around`: which way what stands around it says that it is crossed.
fn further(before: &Value, after: &Value, around: Option<&str>, depth: usize) -> Option<(String, f64, f64)> {
    let depth = depth.checked_sub(1)?;
    match (before, after) {
        (Value::Object(old), Value::Object(new)) => {
            let (was, now) = (way(old), way(new));
            let both = if was == now { now.or(around.map(str::to_owned)) } else { None };
            here(old, new, both.as_deref()).or_else(|| {
                new.iter().find_map(|(name, value)| further(old.get(name)?, value, both.as_deref(), depth))
            })
        }
        // Rules that come or go move the others: only where as many stay they are the same.
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            old.iter().zip(new).find_map(|(old, new)| further(old, new, around, depth))
        }
        _ => None,
    }
}

/// Which way what stands here is crossed.
fn way(side: &Map<String, Value>) -> Option<String> {
    let operators = &terraform_signs().crossing.operators;
    operators.iter().find_map(|name| side.get(name)?.as_str().map(str::to_ascii_lowercase))
}

fn here(old: &Map<String, Value>, new: &Map<String, Value>, way: Option<&str>) -> Option<(String, f64, f64)> {
    let lists = &terraform_signs().crossing;
    if let Some(found) = lists.queries.iter().find_map(|name| asked(name, old.get(name)?, new.get(name)?)) {
        return Some(found);
    }
    let way = way?;
    let [above, below] = [&lists.above, &lists.below].map(|words| words.fit(way));
    if above == below {
        return None;
    }
    lists.thresholds.iter().find_map(|name| {
        let (was, now) = (number(old.get(name)?)?, number(new.get(name)?)?);
        let moves = if above { now > was } else { now < was };
        moves.then(|| (name.to_owned(), was, now))
    })
}

/// A text that says what is crossed, and over which time: `avg(last_5m):avg:system.cpu.user{*} > 80`. Only where nothing but its
/// numbers differs they can be compared.
fn asked(name: &str, old: &Value, new: &Value) -> Option<(String, f64, f64)> {
    let (old, new) = (parts(old.as_str()?), parts(new.as_str()?));
    if old.0 != new.0 {
        return None;
    }
    let further = |(was, now): &(Number, Number)| match was.way {
        Way::Above => now.amount > was.amount,
        Way::Below => now.amount < was.amount,
        // A little longer is an everyday change.
        Way::Time => was.amount > 0.0 && now.amount >= was.amount * 2.0,
        Way::Unclear => false,
    };
    let (was, now) = old.1.into_iter().zip(new.1).find(further)?;
    Some((name.to_owned(), was.amount, now.amount))
}

/// What a number in a text is.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Above,
    Below,
    /// How long something is looked at, or has to last.
    Time,
    Unclear,
}

struct Number {
    amount: f64,
    way: Way,
}

/// A text without its numbers, and the numbers.
fn parts(text: &str) -> (String, Vec<Number>) {
    let (mut rest, mut plain, mut found) = (text, String::new(), Vec::new());
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let inside = plain.ends_with(|c: char| c.is_ascii_alphabetic());
        let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
        let (digits, after) = rest.split_at(end);
        let unit = after.find(|c: char| !c.is_ascii_alphanumeric()).map_or(after, |end| &after[..end]);
        let time = || amounts::number(&FactValue::Text(format!("1{unit}"))).map(|seconds| seconds as f64);
        let seconds =
            (!unit.is_empty() && unit.bytes().all(|byte| byte.is_ascii_alphabetic())).then(time).flatten();
        let before = plain.trim_end().trim_end_matches('=').trim_end();
        let way = match before.chars().last() {
            _ if inside => Way::Unclear,
            Some('>') => Way::Above,
            Some('<') => Way::Below,
            _ if seconds.is_some() => Way::Time,
            _ => Way::Unclear,
        };
        // A number within a name belongs to the name.
        match digits.trim_end_matches('.').parse::<f64>() {
            Ok(amount) if way != Way::Unclear => {
                plain.push('#');
                found.push(Number { amount: amount * seconds.unwrap_or(1.0), way });
                rest = &after[seconds.map_or(0, |_| unit.len())..];
            }
            _ => {
                plain.push_str(digits);
                rest = after;
            }
        }
    }
    plain.push_str(rest);
    (plain, found)
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_is_crossed_later_is_told() {
        let alarm = |way: &str, at: i64| json!({"criteria": [{"operator": way, "threshold": at}]});
        for (way, near, far) in [("GreaterThan", 80, 95), ("LessThanOrEqual", 20, 5), ("above", 1, 2)] {
            let told = |was, now| of(&alarm(way, was), &alarm(way, now)).is_some();
            assert!(told(near, far) && !told(far, near), "{way}");
            let mut found = Vec::new();
            let mut named = Beside::new(Action::Update, "protection.hearing");
            named.tell("attribute", FactValue::Text("criteria.threshold".into()));
            found.push(named);
            tell(&alarm(way, far), &alarm(way, near), &mut found);
            assert!(found.is_empty(), "it comes nearer");
        }
        let inner = |at: i64| json!({"comparison": "above", "critical": [{"value": at}]});
        assert!(of(&inner(80), &inner(99)).is_some() && of(&inner(99), &inner(80)).is_none());
        let (was, now) = (alarm("GreaterThan", 1), alarm("LessThan", 2));
        assert!(of(&was, &now).is_none(), "another way round, told by its name");
        let text = json!({"comparison_operator": "GreaterThanThreshold", "threshold": "80.5"});
        let more = json!({"comparison_operator": "GreaterThanThreshold", "threshold": "99"});
        assert!(of(&text, &more).is_some());
        let query = |at: &str| json!({"query": format!("avg(last_5m):avg:cpu{{*}} {at}")});
        for (near, far) in [("> 80", "> 99.5"), ("< 5", "< 1"), (">= 1", ">= 2")] {
            assert!(of(&query(near), &query(far)).is_some() && of(&query(far), &query(near)).is_none());
        }
        let asks = |text: &str| json!({"query": text});
        for (near, far) in [
            ("avg(last_5m):avg:cpu{*} > 80", "avg(last_1h):avg:cpu{*} > 80"),
            ("detect(when(A > 80)).publish('x')", "detect(when(A > 99)).publish('x')"),
            ("cpu2[1m].mean() >= 10", "cpu2[10m].mean() >= 10"),
        ] {
            assert!(of(&asks(near), &asks(far)).is_some(), "{far}");
            assert!(of(&asks(far), &asks(near)).is_none(), "{near}");
        }
        assert!(of(&asks("cpu2 > 5"), &asks("cpu3 > 9")).is_none(), "it asks for something else");
    }
}
