//! Numbers and times of attributes: how much is kept, in whose unit, and what is done less often.

use super::protections::is_on;
use crate::model::FactValue;
use crate::text::{count, time};

/// A number, or a time as the providers write it: `604800s`, `7d`, `24h`, `P7D`. Only times of the same unit compare well, so
/// all are seconds.
pub(super) fn number(value: &FactValue) -> Option<i64> {
    let text = match value {
        FactValue::Number(number) => return Some(*number),
        FactValue::Bool(_) => return None,
        FactValue::Text(text) => text.trim(),
    };
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    if let Some(whole) = text.strip_suffix(".0").and_then(|whole| whole.parse().ok()) {
        return Some(whole);
    }
    if let Some(seconds) = several(text) {
        return Some(seconds);
    }
    // `days=30`
    if let Some((unit, digits)) = text.split_once('=') {
        return number(&FactValue::Text(format!("{} {}", digits.trim(), unit.trim())));
    }
    let (digits, unit) = match text.strip_prefix('P') {
        Some(period) => {
            let period = period.trim_start_matches('T');
            let (digits, unit) = period.split_at(period.find(|c: char| c.is_ascii_alphabetic())?);
            // Of several the first counts: `P30DT2H`.
            (digits, &unit[..1])
        }
        None => text.split_at(text.find(|c: char| c.is_ascii_alphabetic())?),
    };
    const UNITS: [&str; 5] = ["hours", "days", "weeks", "months", "years"];
    // A unit alone is one of it.
    let digits = if UNITS.contains(&text) { "1" } else { digits };
    let digits = digits.trim().split('.').next()?.parse::<i64>().ok()?;
    // Outside of periods a capital letter may be months, or millions.
    if unit == "M" && !text.starts_with('P') {
        return None;
    }
    // `P1M` is a month, `PT1M` a minute.
    let seconds = match (unit.to_ascii_lowercase().as_str(), text.starts_with('P') && !text.starts_with("PT"))
    {
        ("s" | "second" | "seconds", _) => 1,
        ("month" | "months", _) => 2_592_000,
        ("m", true) => 2_592_000,
        ("m" | "minute" | "minutes", _) => 60,
        ("h" | "hour" | "hours", _) => 3_600,
        ("d" | "day" | "days", _) => 86_400,
        ("y" | "year" | "years", _) => 31_536_000,
        // Sizes as Kubernetes and others write them.
        ("ki" | "kib" | "kb", _) => 1 << 10,
        ("mi" | "mib" | "mb", _) => 1 << 20,
        ("gi" | "gib" | "gb" | "g", _) => 1 << 30,
        ("ti" | "tib" | "tb" | "t", _) => 1 << 40,
        (weeks, _) if weeks.starts_with('w') => 604_800,
        _ => return None,
    };
    digits.checked_mul(seconds)
}

/// `720h0m0s`: several times in one.
fn several(text: &str) -> Option<i64> {
    let parts: Vec<&str> = text.split_inclusive(|c: char| c.is_ascii_alphabetic()).collect();
    let time = |part: &&str| part.len() > 1 && part.ends_with(['d', 'h', 'm', 's']);
    if parts.len() < 2 || !parts.iter().all(time) {
        return None;
    }
    parts.iter().try_fold(0_i64, |sum, part| sum.checked_add(number(&FactValue::Text((*part).to_owned()))?))
}

/// Services write a time or number without end as -1.
pub(super) fn endless(number: i64) -> i64 {
    if number < 0 { i64::MAX } else { number }
}

/// How much is kept by an attribute of this name: `kept`, a time in words; `copies`, a number of things; `off`, nothing.
pub(super) fn kept(path: &str, now: Option<&FactValue>) -> Option<(&'static str, FactValue)> {
    let now = now?;
    if !is_on(now) {
        return Some(("off", FactValue::Bool(true)));
    }
    let has = |parts: &[&str]| parts.iter().any(|part| path.contains(part));
    let amount = u64::try_from(number(now)?).ok().filter(|amount| *amount > 0)?;
    let words = match now {
        FactValue::Text(text) if text.parse::<i64>().is_err() => time(amount),
        _ if has(&["interval"]) => return None,
        _ if has(&["hour"]) => count(amount, "hour"),
        _ if has(&["minute"]) => count(amount, "minute"),
        _ if has(&["second"]) => time(amount),
        _ if has(&["week"]) => count(amount, "week"),
        _ if has(&["count", "retained", "quantity", "number", "copies", "keep", "max_retention"]) => {
            return Some(("copies", FactValue::Number(i64::try_from(amount).ok()?)));
        }
        _ if has(&["day", "retention", "retain"]) => count(amount, "day"),
        _ => return None,
    };
    Some(("kept", FactValue::Text(words)))
}

/// Words for how often, from the most often on.
const OFTEN: [&[&str]; 6] = [
    &["minutely", "minutes", "every_minute"],
    &["hourly", "hours", "one_hour"],
    &["daily", "days", "every_day", "one_day"],
    &["weekly", "weeks", "one_week"],
    &["monthly", "months", "one_month"],
    &["yearly", "years", "annually", "one_year"],
];

/// Whether something is done less often than before: a longer interval, a rarer word, or fewer days of a cron line.
pub(super) fn is_rarer(was: Option<&FactValue>, now: Option<&FactValue>) -> bool {
    match (was, now) {
        (Some(FactValue::Text(was)), Some(FactValue::Text(now))) => {
            let word = |text: &str| {
                let text = text.to_ascii_lowercase();
                OFTEN.iter().position(|words| words.contains(&text.as_str()))
            };
            let plain = |text: &str| text.trim_start_matches("rate(").trim_end_matches(')').to_owned();
            let times =
                [was, now].map(|text| number(&FactValue::Text(plain(text))).or_else(|| spelled(text)));
            match (word(was), word(now), times) {
                (Some(was), Some(now), _) => now > was,
                (_, _, [Some(was), Some(now)]) => was > 0 && now > was,
                _ => days(now) < days(was) || is_fewer(was, now),
            }
        }
        (Some(was), Some(now)) => {
            let [was, now] = [was, now].map(number);
            matches!((was, now), (Some(was), Some(now)) if was > 0 && now > was)
        }
        _ => false,
    }
}

/// Entries between commas (`1,2,3`), of which only some are left.
fn is_fewer(was: &str, now: &str) -> bool {
    let all: Vec<&str> = was.split(',').map(str::trim).collect();
    let left: Vec<&str> = now.split(',').map(str::trim).collect();
    all.len() > left.len() && left.iter().all(|one| !one.is_empty() && all.contains(one))
}

/// A time in words: `FIFTEEN_MINUTES`, `Six_Hours`, `EVERY_5_MINUTES`, `EVERY_DAY`.
fn spelled(text: &str) -> Option<i64> {
    const NUMBERS: [(&str, i64); 12] = [
        ("one", 1),
        ("two", 2),
        ("three", 3),
        ("four", 4),
        ("five", 5),
        ("six", 6),
        ("ten", 10),
        ("twelve", 12),
        ("fifteen", 15),
        ("twentyfour", 24),
        ("thirty", 30),
        ("every", 1),
    ];
    let text = text.to_ascii_lowercase().replace('-', "_").replace("twenty_four", "twentyfour");
    let (front, unit) = text.rsplit_once('_')?;
    let word = front.strip_prefix("every_").unwrap_or(front);
    let times = NUMBERS.iter().find(|(name, _)| *name == word).map(|(_, times)| *times);
    let unit = number(&FactValue::Text(format!("1 {}", unit.trim_end_matches('s'))))
        .or_else(|| (unit.starts_with("minute")).then_some(60))?;
    times.or_else(|| word.parse().ok())?.checked_mul(unit)
}

/// How many of a cron line's fields for hours, days and months say "each": a line that is none says none.
fn days(text: &str) -> usize {
    let line = text.trim_start_matches("cron(").trim_end_matches(')');
    let fields: Vec<&str> = line.split_whitespace().collect();
    if fields.len() < 5 {
        return 0;
    }
    let each = |field: &&&str| ["*", "?"].contains(*field) || field.starts_with("*/") || field.contains(',');
    fields.iter().skip(1).filter(each).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_numbers() {
        for (text, seconds) in [
            ("604800s", 604_800),
            ("7d", 604_800),
            ("P7D", 604_800),
            ("24h", 86_400),
            ("720h0m0s", 2_592_000),
            ("12", 12),
            ("P1M", 2_592_000),
            ("PT1M", 60),
            ("2w", 1_209_600),
            ("10Gi", 10 << 30),
            ("512Mi", 512 << 20),
        ] {
            assert_eq!(number(&FactValue::Text(text.to_owned())), Some(seconds), "{text}");
        }
        assert_eq!(number(&FactValue::Text("db.t3.large".to_owned())), None);
    }

    #[test]
    fn amounts_are_told_in_their_own_unit() {
        let told = |path: &str, now: FactValue| match kept(path, Some(&now)) {
            Some((key, FactValue::Text(text))) => format!("{key} {text}"),
            Some((key, FactValue::Number(number))) => format!("{key} {number}"),
            Some((key, FactValue::Bool(_))) => key.to_owned(),
            None => "-".to_owned(),
        };
        let number = FactValue::Number;
        assert_eq!(told("backup_retention_period", number(3)), "kept 3 days");
        assert_eq!(told("backup.retention_in_hours", number(8)), "kept 8 hours");
        assert_eq!(told("backup_retention_settings.retained_backups", number(3)), "copies 3");
        assert_eq!(told("weekly_retention", FactValue::Text("P4W".into())), "kept 28 days");
        assert_eq!(told("retention", FactValue::Text("604800s".into())), "kept 7 days");
        assert_eq!(told("backup_retention_period", number(0)), "off");
        assert_eq!(told("backup.enabled", FactValue::Bool(false)), "off");
    }

    #[test]
    fn less_often_is_rarer() {
        let text = |text: &str| FactValue::Text(text.to_owned());
        let rarer = |was: FactValue, now: FactValue| is_rarer(Some(&was), Some(&now));
        assert!(rarer(text("Daily"), text("Weekly")) && !rarer(text("Weekly"), text("Daily")));
        assert!(rarer(FactValue::Number(2), FactValue::Number(24)));
        for (often, seldom) in [
            ("FIFTEEN_MINUTES", "SIX_HOURS"),
            ("One_Hour", "TwentyFour_Hours"),
            ("EVERY_MINUTE", "EVERY_15_MINUTES"),
            ("EVERY_15_MINUTES", "EVERY_DAY"),
        ] {
            assert!(rarer(text(often), text(seldom)) && !rarer(text(seldom), text(often)), "{often}");
        }
        assert!(rarer(text("cron(0 5 ? * * *)"), text("cron(0 5 1 * ? *)")));
        assert!(!rarer(text("cron(0 5 ? * * *)"), text("cron(30 6 ? * * *)")));
        assert!(!rarer(text("cron(0 5 1 * ? *)"), text("cron(0 5 ? * * *)")));
    }
}
