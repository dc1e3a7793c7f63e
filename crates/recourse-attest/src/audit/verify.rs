//! Whether the log is as it was written, over all its files.

use std::time::Instant;

use super::lines::{Lines, Parsed};
use super::segments::Open;
use super::{AuditError, AuditLog, HEADLESS, Head, TORN, broken};

use crate::time::{CLOCK_SKEW, Time};

/// What a log that holds has to say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// The number of the last event.
    pub entries: u64,
    /// Events that were taken away as the configuration says, all before the others.
    pub pruned: u64,
    /// Lines that a dying process left half-written.
    pub torn: Vec<u64>,
    /// Lines before which the head was missing, so that nobody knows whether lines were cut off there.
    pub headless: Vec<u64>,
    /// Events before which the clock went back, by more than clocks differ; the first of them.
    pub backwards: Vec<u64>,
    /// The time was over: what comes behind `entries` was not looked at.
    pub unfinished: bool,
}

/// Events before which the clock went back, so many at most are named.
const NAMED: usize = 16;
/// After so many lines it is asked what time it is.
const OFTEN: u64 = 256;

const UNREADABLE: &str = "it is not a line that was written whole";

/// How far the check is.
struct Walk {
    reached: Head,
    head: Option<Head>,
    /// Whether the log ever stood as the head says.
    met: bool,
    torn: Option<u64>,
    /// Whether the last line was ended.
    ended: bool,
    /// The latest time that an event has.
    latest: Option<Time>,
    until: Option<Instant>,
    found: Verified,
}

impl AuditLog {
    /// Checks the whole chain and its end.
    ///
    /// # Errors
    /// [`AuditError::Broken`] names the first line that is not as it was written.
    pub fn verify(&self) -> Result<Verified, AuditError> {
        self.verify_until(None)
    }

    /// The same, as far as it comes by then.
    ///
    /// # Errors
    /// As [`AuditLog::verify`].
    pub fn verify_until(&self, until: Option<Instant>) -> Result<Verified, AuditError> {
        let files = self.look()?;
        let head = self.read_head()?;
        if files.is_empty() {
            return match head {
                Some(head) if head.seq > 0 => {
                    Err(broken(1, format!("the log is gone, its head counts {} events", head.seq)))
                }
                _ => Ok(Verified::default()),
            };
        }
        let mut reached = Head::start();
        if let Some((seq, digest)) = head.as_ref().and_then(|head| head.start.clone()) {
            (reached.seq, reached.digest) = (seq, digest);
        }
        let found = Verified { pruned: reached.seq, ..Verified::default() };
        let mut walk =
            Walk { reached, head, met: false, torn: None, ended: true, latest: None, until, found };
        let (mut last, mut empty) = (0, true);
        for open in files {
            empty &= open.size == 0;
            let (closed, name) =
                (open.last, open.path.file_name().map(|name| name.to_string_lossy().into_owned()));
            last = walk.file(open).map_err(|error| match (error, closed) {
                (AuditError::Broken { line, why }, Some(_)) => {
                    broken(line, format!("of {}: {why}", name.unwrap_or_default()))
                }
                (error, _) => error,
            })?;
            if walk.found.unfinished {
                walk.found.entries = walk.reached.seq;
                return Ok(walk.found);
            }
        }
        // A process died when it had put the full file away: the next one is not there yet.
        let length = std::mem::take(&mut walk.reached.length);
        walk.meet();
        walk.reached.length = length;
        self.end_of(walk, last, empty)
    }

    /// Whether it reaches as far as the head says, and ends well.
    fn end_of(&self, mut walk: Walk, last: u64, empty: bool) -> Result<Verified, AuditError> {
        match walk.head {
            None if !empty => {
                return Err(broken(last, format!("its head {} is missing", self.head.display())));
            }
            Some(head) if !walk.met => {
                let why = if head.length > walk.reached.length {
                    format!("the log ends here, its head counts {} events", head.seq)
                } else {
                    "it is not the line that the log's head names".to_owned()
                };
                return Err(broken(last.max(1), why));
            }
            _ => {}
        }
        // Nobody wrote after it yet. A whole line that cannot be read was not left by a dying process.
        if let Some(line) = walk.torn {
            if walk.ended {
                return Err(broken(line, UNREADABLE.to_owned()));
            }
            walk.found.torn.push(line);
        }
        walk.found.entries = walk.reached.seq;
        Ok(walk.found)
    }
}

impl Walk {
    /// Goes over one file; the number of its last line.
    fn file(&mut self, open: Open) -> Result<u64, AuditError> {
        self.reached.length = 0;
        self.meet();
        let mut lines = Lines::new(open.file, &open.path).up_to(open.size);
        while let Some(line) = lines.next()? {
            let number = line.number;
            if number.is_multiple_of(OFTEN) && self.until.is_some_and(|until| Instant::now() >= until) {
                self.found.unfinished = true;
                break;
            }
            match line.parsed {
                Some(parsed) => {
                    follow(&self.reached, &parsed, number, self.torn)?;
                    self.found.torn.extend(self.torn.take());
                    if parsed.after.as_deref() == Some(HEADLESS) {
                        self.found.headless.push(number);
                    }
                    self.reached.seq = parsed.entry.seq;
                    self.dated(&parsed);
                }
                _ if self.torn.is_some() => {
                    return Err(broken(self.torn.unwrap_or(number), UNREADABLE.to_owned()));
                }
                _ => self.torn = Some(number),
            }
            self.reached.digest = line.digest;
            // A whole line of which only the end of line is missing counts as ended: the next writer ends it.
            self.reached.length = line.end + u64::from(!line.complete && self.torn.is_none());
            self.meet();
        }
        self.ended = lines.ended;
        Ok(lines.number)
    }

    /// Notes where the clock went back.
    fn dated(&mut self, line: &Parsed) {
        let Ok(time) = line.entry.time.parse::<Time>() else { return };
        if self.latest.is_some_and(|latest| latest.since(time) > CLOCK_SKEW) {
            if self.found.backwards.len() < NAMED {
                self.found.backwards.push(line.entry.seq);
            }
            // It may stay where it is: each step is told once.
            self.latest = None;
        }
        self.latest = self.latest.max(Some(time));
    }

    fn meet(&mut self) {
        self.met |= self.head.as_ref().is_some_and(|head| head.is_at(&self.reached));
    }
}

/// That a line follows what was reached.
fn follow(reached: &Head, line: &Parsed, number: u64, torn: Option<u64>) -> Result<(), AuditError> {
    let says_torn = line.after.as_deref() == Some(TORN);
    if let Some(torn) = torn.filter(|_| !says_torn) {
        return Err(broken(torn, UNREADABLE.to_owned()));
    }
    let expected = reached.seq.saturating_add(1);
    let why = if line.entry.seq != expected {
        format!("it is event {}, event {expected} should follow", line.entry.seq)
    } else if line.previous != reached.digest {
        "the line before it is not the one that it followed when it was written".to_owned()
    } else if says_torn && torn.is_none() {
        "it says that the line before it is torn, which it is not".to_owned()
    } else if !line.canonical {
        "it is not written as the log writes".to_owned()
    } else {
        return Ok(());
    };
    Err(broken(number, why))
}
