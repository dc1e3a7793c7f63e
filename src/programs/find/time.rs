//! The time texts of `-newermt`.

/// A moment, and by how many seconds it may be off because the local time zone is not known here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    /// Seconds since the epoch.
    pub(super) seconds: i64,
    /// Uncertainty to either side, seconds.
    pub(super) slack: i64,
}

const ZONES: i64 = 14 * 3600;

/// Reads `2024-01-31`, `2024-01-31 12:00[:30]`, `@1700000000`, `yesterday`, `3 days ago`, `-2 hours`; `None` for others.
pub(super) fn parse(text: &str, now: i64) -> Option<Moment> {
    let text = text.trim().to_ascii_lowercase();
    if let Some(epoch) = text.strip_prefix('@') {
        return Some(Moment { seconds: epoch.parse().ok()?, slack: 0 });
    }
    match text.as_str() {
        "now" | "" => return Some(Moment { seconds: now, slack: 0 }),
        // The time of day is kept by these words in GNU date texts.
        "today" => return Some(Moment { seconds: now, slack: 86_400 }),
        "yesterday" => return Some(Moment { seconds: now - 86_400, slack: 0 }),
        "tomorrow" => return Some(Moment { seconds: now + 86_400, slack: 0 }),
        _ => {}
    }
    date(&text).or_else(|| relative(&text, now))
}

fn date(text: &str) -> Option<Moment> {
    let (day, rest) = text.split_once([' ', 't']).unwrap_or((text, ""));
    let mut fields = day.split('-');
    let year = fields.next().filter(|y| y.len() == 4)?.parse::<i64>().ok()?;
    let month = fields.next()?.parse::<i64>().ok()?;
    let day = fields.next()?.parse::<i64>().ok()?;
    if fields.next().is_some() || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let (clock, slack) = match rest.trim().strip_suffix(['z']).or_else(|| rest.trim().strip_suffix("utc")) {
        Some(clock) => (clock.trim(), 0),
        None => (rest.trim(), ZONES),
    };
    let mut seconds = days(year, month, day) * 86_400;
    if !clock.is_empty() {
        for (part, scale) in clock.split(':').zip([3600, 60, 1]) {
            seconds += part.parse::<f64>().ok()? as i64 * scale;
        }
    }
    Some(Moment { seconds, slack })
}

/// Days since 1970-01-01 in the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

fn relative(text: &str, now: i64) -> Option<Moment> {
    let ago = text.ends_with(" ago");
    let body = text.strip_suffix(" ago").unwrap_or(text);
    let words = body.split_whitespace().collect::<Vec<_>>();
    let (count, unit) = match words.as_slice() {
        [count, unit] => (count.parse::<i64>().ok()?, *unit),
        [unit] => (1, *unit),
        _ => return None,
    };
    let (scale, slack) = match unit.trim_end_matches('s') {
        "sec" | "second" => (1, 0),
        "min" | "minute" => (60, 0),
        "hour" => (3600, 0),
        "day" => (86_400, 3600),
        "week" => (7 * 86_400, 3600),
        "month" => (30 * 86_400, count.abs().saturating_mul(2 * 86_400)),
        "year" => (365 * 86_400, count.abs().saturating_mul(86_400)),
        _ => return None,
    };
    let shift = count.checked_mul(scale)?;
    Some(Moment { seconds: now.checked_add(if ago { shift.checked_neg()? } else { shift })?, slack })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        assert_eq!(parse("2024-02-29 12:00 UTC", 0), Some(Moment { seconds: 1_709_208_000, slack: 0 }));
        assert_eq!(parse("1970-01-01", 0), Some(Moment { seconds: 0, slack: ZONES }));
        assert_eq!(parse("@5", 0), Some(Moment { seconds: 5, slack: 0 }));
        assert_eq!(parse("2 hours ago", 7200), Some(Moment { seconds: 0, slack: 0 }));
        assert_eq!(parse("-1 hour", 3600), Some(Moment { seconds: 0, slack: 0 }));
        assert_eq!(parse("next friday", 0), None);
        assert_eq!(parse("9223372036854775807 years ago", 0), None);
    }
}
