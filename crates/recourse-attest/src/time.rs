//! Points in time as attestations write them: RFC 3339, counted in milliseconds since 1970.
//!
//! Owns reading and writing of timestamps. Reads the clock in [`Time::now`] alone.

use std::fmt;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use thiserror::Error;

/// How far ahead another machine's clock may be, in milliseconds.
pub const CLOCK_SKEW: i64 = 300_000;

const DAY: i64 = 86_400_000;
/// 0001-01-01T00:00:00Z and the last millisecond of the year 9999.
const LEAST: i64 = -62_135_596_800_000;
const MOST: i64 = 253_402_300_799_999;

/// A point in time, in milliseconds since 1970-01-01T00:00:00Z, between the years 1 and 9999.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(i64);

/// Text that is no timestamp.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} is no RFC 3339 time such as 2026-05-01T14:30:00.000Z")]
pub struct TimeError(String);

impl Time {
    /// From milliseconds since 1970; years outside 1 to 9999 become the nearest that can be written.
    pub fn from_millis(millis: i64) -> Self {
        Self(millis.clamp(LEAST, MOST))
    }

    /// Milliseconds since 1970.
    pub fn millis(self) -> i64 {
        self.0
    }

    /// Its day in UTC, as `2026-05-01`.
    pub fn day(self) -> String {
        self.to_string().chars().take(10).collect()
    }

    /// The machine's clock.
    pub fn now() -> Self {
        let millis = match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => i64::try_from(since.as_millis()).unwrap_or(MOST),
            Err(before) => i64::try_from(before.duration().as_millis()).map_or(LEAST, |millis| -millis),
        };
        Self::from_millis(millis)
    }

    /// This many milliseconds later (earlier where negative).
    #[must_use]
    pub fn plus_millis(self, millis: i64) -> Self {
        Self::from_millis(self.0.saturating_add(millis))
    }

    /// This many seconds later (earlier where negative).
    #[must_use]
    pub fn plus_seconds(self, seconds: i64) -> Self {
        self.plus_millis(seconds.saturating_mul(1000))
    }

    /// Milliseconds from another time to this one; negative when this one is earlier.
    pub fn since(self, other: Self) -> i64 {
        self.0 - other.0
    }
}

impl FromStr for Time {
    type Err = TimeError;

    /// Reads `2026-05-01T14:30:00Z`, with any number of decimals (finer than a millisecond is cut) and any offset.
    fn from_str(text: &str) -> Result<Self, TimeError> {
        read(text).map(Self).ok_or_else(|| TimeError(text.chars().take(64).collect()))
    }
}

impl fmt::Display for Time {
    /// `2026-05-01T14:30:00.000Z`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = civil(self.0.div_euclid(DAY));
        let rest = self.0.rem_euclid(DAY);
        let (hour, minute) = (rest / 3_600_000, rest / 60_000 % 60);
        let (second, milli) = (rest / 1000 % 60, rest % 1000);
        write!(formatter, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
    }
}

fn read(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let number = |from: usize, to: usize| -> Option<i64> {
        let digits = bytes.get(from..to)?;
        digits
            .iter()
            .try_fold(0, |sum, digit| digit.is_ascii_digit().then(|| sum * 10 + i64::from(digit - b'0')))
    };
    for (at, sign) in [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')] {
        if bytes.get(at) != Some(&sign) {
            return None;
        }
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    if year < 1 || !(1..=12).contains(&month) || !(1..=days_in(year, month)).contains(&day) {
        return None;
    }
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let mut at = 19;
    let mut milli = 0;
    if bytes.get(at) == Some(&b'.') {
        let digits = bytes.get(at + 1..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            return None;
        }
        for place in 1..=3 {
            milli = milli * 10 + if place <= digits { number(at + place, at + place + 1)? } else { 0 };
        }
        at += 1 + digits;
    }
    let offset = match bytes.get(at..)? {
        [b'Z'] => 0,
        [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
            let (hours, minutes) = (number(at + 1, at + 3)?, number(at + 4, at + 6)?);
            if hours > 23 || minutes > 59 {
                return None;
            }
            (hours * 60 + minutes) * if *sign == b'-' { -60_000 } else { 60_000 }
        }
        _ => return None,
    };
    let in_day = ((hour * 60 + minute) * 60 + second) * 1000 + milli;
    let millis = days(year, month, day) * DAY + in_day - offset;
    (LEAST..=MOST).contains(&millis).then_some(millis)
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01 to a day of the Gregorian calendar. Years are counted from March, so that a leap day is the last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (cycle, in_cycle) = (year.div_euclid(400), year.rem_euclid(400));
    let in_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    cycle * 146_097 + in_cycle * 365 + in_cycle / 4 - in_cycle / 100 + in_year - 719_468
}

/// The day of the Gregorian calendar, so many days from 1970-01-01.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (cycle, in_cycle) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (in_cycle - in_cycle / 1460 + in_cycle / 36_524 - in_cycle / 146_096) / 365;
    let in_year = in_cycle - (365 * year + year / 4 - year / 100);
    let shifted = (5 * in_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let day = in_year - (153 * shifted + 2) / 5 + 1;
    (year + cycle * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn known_times() {
        for (text, millis) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2026-05-01T14:30:00.000Z", 1_777_645_800_000),
            ("2026-05-01T14:30:00.1239999Z", 1_777_645_800_123),
            ("2026-05-01T16:30:00+02:00", 1_777_645_800_000),
            ("2026-05-01T12:30:00.5-02:00", 1_777_645_800_500),
            ("2024-02-29T23:59:59Z", 1_709_251_199_000),
            ("0001-01-01T00:00:00Z", LEAST),
            ("9999-12-31T23:59:59.999Z", MOST),
        ] {
            assert_eq!(text.parse(), Ok(Time(millis)), "{text}");
        }
        assert_eq!(Time(1_777_645_800_000).to_string(), "2026-05-01T14:30:00.000Z");
        assert_eq!(Time(-1).to_string(), "1969-12-31T23:59:59.999Z");
    }

    #[test]
    fn what_is_no_time() {
        for text in [
            "",
            "yesterday",
            "2026-02-30T00:00:00Z",
            "2025-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-05-01T24:00:00Z",
            "2026-05-01T00:00:60Z",
            "2026-05-01T00:00:00",
            "2026-05-01T00:00:00.Z",
            "2026-05-01T00:00:00z",
            "2026-05-01 00:00:00Z",
            "2026-05-01T00:00:00+0200",
            "2026-05-01T00:00:00Zx",
            "0000-01-01T00:00:00Z",
            "0001-01-01T00:00:00+01:00",
            "２026-05-01T00:00:00Z",
        ] {
            assert!(text.parse::<Time>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(millis in LEAST..=MOST) {
            prop_assert_eq!(Time(millis).to_string().parse(), Ok(Time(millis)));
        }
    }
}
