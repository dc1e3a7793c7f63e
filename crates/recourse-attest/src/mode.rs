//! What an agent does with an attestation, or without one: the four modes (§7.3, §7.6, §7.7).
//!
//! Owns that table and nothing else: it verifies nothing, logs nothing, asks nobody.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::reason::{Failure, Reason};
use super::verify::Verified;

/// How much an attestation matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Nothing is verified.
    #[default]
    Ignore,
    /// It is recorded, and nothing waits for it.
    Log,
    /// It must be valid where there is one.
    Verify,
    /// There must be a valid one.
    Require,
}

impl Mode {
    /// Every mode, from the mildest.
    pub const ALL: [Self; 4] = [Self::Ignore, Self::Log, Self::Verify, Self::Require];

    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ignore => "ignore",
            Self::Log => "log",
            Self::Verify => "verify",
            Self::Require => "require",
        }
    }

    /// Whether verification comes before acting. In the other modes it must not.
    pub fn verifies(self) -> bool {
        matches!(self, Self::Verify | Self::Require)
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A word that is no mode.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} is no attestation mode: use ignore, log, verify or require")]
pub struct UnknownMode(String);

impl FromStr for Mode {
    type Err = UnknownMode;

    fn from_str(text: &str) -> Result<Self, UnknownMode> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == text).ok_or_else(|| UnknownMode(text.to_owned()))
    }
}

/// What was found.
#[derive(Clone, Copy, Debug)]
pub enum Outcome<'a> {
    /// There is no attestation.
    Absent,
    /// There is one; it was not verified.
    Unverified,
    /// It is valid.
    Valid(&'a Verified),
    /// It is not, or could not be checked.
    Failed(&'a Failure),
}

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proceed {
    /// Whether to go on to what the verdict says. Independent of the verdict: a `block` stays one.
    pub proceed: bool,
    /// Whether the attestation (or its digest and URI), or its absence, must be recorded first.
    pub record: bool,
    /// What to warn about while going on.
    pub warning: Option<Reason>,
    /// Why not to go on; a person must decide, and it is logged as a security event.
    pub refusal: Option<Reason>,
}

/// The four modes' table.
pub fn decide(mode: Mode, outcome: Outcome<'_>) -> Proceed {
    let go_on = |record, warning| Proceed { proceed: true, record, warning, refusal: None };
    let refuse = |reason| Proceed { proceed: false, record: true, warning: None, refusal: Some(reason) };
    match (mode, outcome) {
        (Mode::Ignore, _) => go_on(false, None),
        (Mode::Log, _) => go_on(true, None),
        (Mode::Verify | Mode::Require, Outcome::Valid(_)) => go_on(true, None),
        (Mode::Verify | Mode::Require, Outcome::Failed(failure)) => refuse(failure.reason),
        (Mode::Verify, Outcome::Absent) => go_on(true, Some(Reason::AttestationAbsent)),
        (Mode::Require, Outcome::Absent) => refuse(Reason::AttestationAbsent),
        // Verification was due and did not happen.
        (Mode::Verify | Mode::Require, Outcome::Unverified) => refuse(Reason::InvalidAttestation),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::KeyState;

    #[test]
    fn the_table_of_modes() {
        let valid = Verified {
            logged: None,
            registry_logged: None,
            id: "0".repeat(32),
            key_id: "k-1".to_owned(),
            key_state: KeyState::Active,
            registry_version: Some(1),
            warnings: Vec::new(),
        };
        let failed = Failure::new(Reason::SignatureInvalid, "");
        let absent = Some(Reason::AttestationAbsent);
        let all = [Outcome::Absent, Outcome::Unverified, Outcome::Valid(&valid), Outcome::Failed(&failed)];
        for outcome in all {
            let ignored = decide(Mode::Ignore, outcome);
            assert_eq!((ignored.proceed, ignored.record, ignored.warning), (true, false, None));
            let logged = decide(Mode::Log, outcome);
            assert_eq!((logged.proceed, logged.record, logged.warning), (true, true, None));
        }
        for mode in [Mode::Verify, Mode::Require] {
            assert!(decide(mode, Outcome::Valid(&valid)).proceed);
            assert_eq!(decide(mode, Outcome::Failed(&failed)).refusal, Some(Reason::SignatureInvalid));
            assert!(!decide(mode, Outcome::Unverified).proceed);
        }
        let without = decide(Mode::Verify, Outcome::Absent);
        assert_eq!((without.proceed, without.warning, without.refusal), (true, absent, None));
        let without = decide(Mode::Require, Outcome::Absent);
        assert_eq!((without.proceed, without.warning, without.refusal), (false, None, absent));
    }

    #[test]
    fn words() {
        for mode in Mode::ALL {
            assert_eq!(mode.to_string().parse(), Ok(mode));
            assert_eq!(mode.verifies(), matches!(mode, Mode::Verify | Mode::Require));
        }
        assert!("Require".parse::<Mode>().is_err());
        assert_eq!(Mode::default(), Mode::Ignore);
    }
}
