//! Versions of engines and clusters: which step from one to the next nobody takes back.

use super::said::show;
use crate::model::FactValue;

/// From this number on the first one alone says what is another version: `14.9` and `14.10` are the same PostgreSQL.
const WHOLE: u64 = 10;

/// Whether the new version is one from which the old one does not come back.
pub(super) fn is_upgrade(was: Option<&FactValue>, now: Option<&FactValue>) -> bool {
    let both = was.map(show).zip(now.map(show));
    both.is_some_and(|(was, now)| {
        let parts = numbers(&was).zip(numbers(&now));
        parts.is_some_and(|((front, old), (other, new))| front == other && new > old)
    })
}

/// What stands in front of the numbers (`POSTGRES_14`, `v1.29.1`), and those that count.
fn numbers(version: &str) -> Option<(String, (u64, u64))> {
    let at = version.find(|c: char| c.is_ascii_digit())?;
    let mut parts = version[at..].split(|c: char| !c.is_ascii_digit());
    let first: u64 = parts.next()?.parse().ok()?;
    let point = version[at..].chars().find(|c| !c.is_ascii_digit());
    let second = parts.next().filter(|_| point.is_some_and(|c| ['.', '_'].contains(&c)));
    let second = second.and_then(|part| part.parse().ok()).filter(|_| first < WHOLE).unwrap_or(0);
    Some((version[..at].to_ascii_lowercase(), (first, second)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_steps_that_are_never_taken_back_are_told() {
        let step = |was: &str, now: &str| {
            let [was, now] = [was, now].map(|text| FactValue::Text(text.to_owned()));
            is_upgrade(Some(&was), Some(&now))
        };
        for (was, now) in [
            ("1.28", "1.29"),
            ("v1.28.3+1", "v1.30.1+1"),
            ("14.9", "16.1"),
            ("5.7", "8.0.36"),
            ("POSTGRES_14", "POSTGRES_16"),
            ("MYSQL_5_7", "MYSQL_8_0"),
            ("OpenSearch_1.3", "OpenSearch_2.11"),
            ("postgresql/14", "postgresql/16"),
            ("9.6", "10.1"),
        ] {
            assert!(step(was, now), "{was} {now}");
            assert!(!step(now, was), "{now} {was}");
        }
        for (was, now) in
            [("14.9", "14.10"), ("v1.29.1", "v1.29.4"), ("8.0.35", "8.0.36"), ("latest", "1.30")]
        {
            assert!(!step(was, now), "{was} {now}");
        }
    }
}
