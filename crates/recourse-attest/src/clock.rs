//! The latest time that was seen: time that runs backwards revives nothing.
//!
//! Owns one private file. The clock itself is `time`'s.

use std::path::PathBuf;

use thiserror::Error;

use super::disk::{self, DiskError};
use super::places::Places;
use super::time::Time;
use super::verify::CLOCK_SKEW;

/// Why it cannot be told what time it is.
#[derive(Debug, Error)]
pub enum ClockError {
    /// The clock shows a time long before one that it has shown.
    #[error("the clock went back: it shows {now} and has shown {seen}; set it right, or if {seen} was wrong, remove {}", path.display())]
    Backwards {
        /// What it shows.
        now: Time,
        /// The latest that it has shown.
        seen: Time,
        /// Where that is kept.
        path: PathBuf,
    },
    /// What is kept is no time.
    #[error("{} is damaged: remove it when the clock is right", .0.display())]
    Damaged(PathBuf),
    /// It cannot be read or written.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

/// What time it is, never earlier than it was before; `clock` is what the machine's clock shows. Small steps back, as
/// clocks that are set over the network make them, stand still here.
///
/// # Errors
/// [`ClockError`]; then nothing that may have expired is to be believed.
pub fn seen(places: &Places, clock: Time) -> Result<Time, ClockError> {
    match look(places, clock)? {
        Some(before) if before >= clock => Ok(before),
        _ => {
            let path = places.clock();
            if let Some(folder) = path.parent() {
                disk::own_dir(folder)?;
            }
            disk::write_atomic(&path, clock.to_string().as_bytes(), disk::Access::Private)?;
            Ok(clock)
        }
    }
}

/// The latest time that was seen, where any was. Keeps nothing.
///
/// # Errors
/// As [`seen`].
pub fn look(places: &Places, clock: Time) -> Result<Option<Time>, ClockError> {
    let path = places.clock();
    let Some(bytes) = disk::read_private(&path, 64)? else { return Ok(None) };
    let time: Option<Time> = std::str::from_utf8(&bytes).ok().and_then(|text| text.parse().ok());
    match time {
        None => Err(ClockError::Damaged(path)),
        Some(before) if before.since(clock) > CLOCK_SKEW => {
            Err(ClockError::Backwards { now: clock, seen: before, path })
        }
        seen => Ok(seen),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_never_goes_back() {
        let folder = tempfile::tempdir().unwrap();
        let places = Places::under(folder.path());
        let now: Time = "2026-05-01T14:30:00Z".parse().unwrap();
        assert_eq!(seen(&places, now).unwrap(), now);
        assert_eq!(seen(&places, now.plus_seconds(-10)).unwrap(), now);
        let later = now.plus_seconds(40 * 86_400);
        assert_eq!(seen(&places, later).unwrap(), later);
        assert!(matches!(seen(&places, now), Err(ClockError::Backwards { .. })));
        std::fs::remove_file(places.clock()).unwrap();
        assert_eq!(seen(&places, now).unwrap(), now);
        std::fs::write(places.clock(), "noon").unwrap();
        assert!(matches!(seen(&places, now), Err(ClockError::Damaged(_))));
    }
}
