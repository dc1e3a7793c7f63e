//! An alarm's threshold that moves away from what it watches: it has to get worse before anybody is told.
//!
//! Owns which way that is. The block that holds the threshold says it; where it does not, only a great change is told, elsewhere.

use serde_json::{Map, Value};

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
    } else if further(after, before, DEPTH).is_some() {
        found.retain(|known| !known.is_of(&terraform_signs().crossing.thresholds));
    }
}

fn of(before: &Value, after: &Value) -> Option<Beside> {
    let (name, was, now) = further(before, after, DEPTH)?;
    let mut found = Beside::new(Action::Update, "protection.alarm");
    found.tell("attribute", FactValue::Text(name));
    found.tell("had", FactValue::Text(was.to_string()));
    found.tell("left", FactValue::Text(now.to_string()));
    Some(found)
}

fn further(before: &Value, after: &Value, depth: usize) -> Option<(String, f64, f64)> {
    let depth = depth.checked_sub(1)?;
    match (before, after) {
        (Value::Object(old), Value::Object(new)) => here(old, new)
            .or_else(|| new.iter().find_map(|(name, value)| further(old.get(name)?, value, depth))),
        // Rules that come or go move the others: only where as many stay they are the same.
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            old.iter().zip(new).find_map(|(old, new)| further(old, new, depth))
        }
        _ => None,
    }
}

fn here(old: &Map<String, Value>, new: &Map<String, Value>) -> Option<(String, f64, f64)> {
    let lists = &terraform_signs().crossing;
    if let Some(found) = lists.queries.iter().find_map(|name| asked(name, old.get(name)?, new.get(name)?)) {
        return Some(found);
    }
    let said = |side: &Map<String, Value>| {
        lists.operators.iter().find_map(|name| side.get(name)?.as_str().map(str::to_ascii_lowercase))
    };
    let (was, way) = (said(old)?, said(new)?);
    let [above, below] = [&lists.above, &lists.below].map(|words| words.fit(&way));
    if was != way || above == below {
        return None;
    }
    lists.thresholds.iter().find_map(|name| {
        let (was, now) = (number(old.get(name)?)?, number(new.get(name)?)?);
        let moves = if above { now > was } else { now < was };
        moves.then(|| (name.to_owned(), was, now))
    })
}

/// A text that ends with what is crossed: `avg(last_5m):avg:system.cpu.user{*} > 80`.
fn asked(name: &str, old: &Value, new: &Value) -> Option<(String, f64, f64)> {
    let (old, new) = (old.as_str()?, new.as_str()?);
    let cut = |text: &'_ str| text.rfind(['>', '<']);
    let (at, other) = (cut(old)?, cut(new)?);
    let end = |text: &str, at: usize| text[at + 1..].trim_start_matches('=').trim().parse::<f64>().ok();
    let (was, now) = (end(old, at)?, end(new, other)?);
    let moves = if old[at..].starts_with('>') { now > was } else { now < was };
    (old[..=at] == new[..=other] && moves).then(|| (name.to_owned(), was, now))
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
            let mut named = Beside::new(Action::Update, "protection.alarm");
            named.tell("attribute", FactValue::Text("criteria.threshold".into()));
            found.push(named);
            tell(&alarm(way, far), &alarm(way, near), &mut found);
            assert!(found.is_empty(), "it comes nearer");
        }
        let (was, now) = (alarm("GreaterThan", 1), alarm("LessThan", 2));
        assert!(of(&was, &now).is_none(), "another way round, told by its name");
        let text = json!({"comparison_operator": "GreaterThanThreshold", "threshold": "80.5"});
        let more = json!({"comparison_operator": "GreaterThanThreshold", "threshold": "99"});
        assert!(of(&text, &more).is_some());
        let query = |at: &str| json!({"query": format!("avg(last_5m):avg:cpu{{*}} {at}")});
        for (near, far) in [("> 80", "> 99.5"), ("< 5", "< 1"), (">= 1", ">= 2")] {
            assert!(of(&query(near), &query(far)).is_some() && of(&query(far), &query(near)).is_none());
        }
    }
}
