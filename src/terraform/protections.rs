//! Protections: when less is protected than before.

use super::amounts;
use crate::model::FactValue;

/// Whether less is protected than before. What is not known any more protects nothing.
pub(super) fn is_weaker(was: &FactValue, now: Option<&FactValue>, endless: bool) -> bool {
    // Some services write "never" as -1.
    let never = |value: &FactValue| endless && matches!(value, FactValue::Number(number) if *number < 0);
    let was = if never(was) { &FactValue::Number(0) } else { was };
    let now = now.map(|now| if never(now) { &FactValue::Number(0) } else { now });
    match (amount(was), now.map(amount)) {
        (Some(0), Some(Some(now))) => endless && now > 0,
        (Some(was), Some(Some(now))) => now < was && !(endless && now == 0),
        (Some(0), None) => endless,
        (Some(_), _) => true,
        _ => is_on(was) && !now.is_some_and(is_on),
    }
}

/// A number, or how long a time written as text is (`86400s`, `24h`, `7d`), in seconds.
fn amount(value: &FactValue) -> Option<i64> {
    let text = match value {
        FactValue::Number(number) => return Some(*number),
        FactValue::Text(text) => text,
        FactValue::Bool(_) => return None,
    };
    let digits = text.trim_end_matches(|sign: char| sign.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" | "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => return amounts::number(value),
    };
    let whole = digits.split_once('.').map_or(digits, |(whole, _)| whole);
    // `168h0m0s` says several times.
    whole.parse::<i64>().ok().map_or_else(|| amounts::number(value), |number| number.checked_mul(unit))
}

/// Words by which an attribute says that a protection does not work.
const OFF: [&str; 18] = [
    "",
    "0",
    "no",
    "close",
    "closed",
    "disabled",
    "suspended",
    "inactive",
    "off",
    "none",
    "basic",
    "inherited",
    "unspecified",
    "unlocked",
    "mutable",
    "disable",
    "delete",
    "unprotected",
];

pub(super) fn is_on(value: &FactValue) -> bool {
    match value {
        FactValue::Bool(yes) => *yes,
        FactValue::Number(number) => *number != 0,
        FactValue::Text(text) => {
            let text = text.to_ascii_lowercase();
            let off = OFF.contains(&text.as_str()) || text.parse() == Ok(false);
            !off && !text.ends_with("_disabled")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_weaker;
    use crate::model::FactValue::{Bool, Number, Text};

    #[test]
    fn less_than_before_is_weaker() {
        assert!(is_weaker(&Bool(true), Some(&Bool(false)), false));
        assert!(is_weaker(&Bool(true), None, false));
        assert!(!is_weaker(&Bool(false), Some(&Bool(true)), false));
        assert!(is_weaker(&Number(35), Some(&Number(1)), false));
        assert!(is_weaker(&Number(7), Some(&Number(0)), false));
        assert!(!is_weaker(&Number(0), Some(&Number(7)), false));
        assert!(is_weaker(&Number(0), Some(&Number(7)), true));
        assert!(is_weaker(&Number(-1), Some(&Number(7)), true));
        assert!(!is_weaker(&Number(7), Some(&Number(-1)), true));
        assert!(is_weaker(&Text("604800s".into()), Some(&Text("1h".into())), false));
        assert!(!is_weaker(&Text("1h".into()), Some(&Text("7d".into())), false));
        assert!(is_weaker(&Text("168".into()), Some(&Text("48".into())), false));
        assert!(!is_weaker(&Number(7), Some(&Number(0)), true));
        assert!(is_weaker(&Text("Enabled".into()), Some(&Text("Suspended".into())), false));
        assert!(!is_weaker(&Text("Suspended".into()), Some(&Text("Enabled".into())), false));
    }
}
