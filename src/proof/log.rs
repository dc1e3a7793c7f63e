//! The instance's transparency log as configured: opened, gone on with, shown to its witnesses; and what is demanded of
//! others' logs.

use std::time::Duration;

use crate::attest::beside::{Net, Sent};
use crate::attest::keys::KeyError;
use crate::attest::store::StoreError;
use crate::attest::tlog::ask::{ANSWER_LIMIT, Said};
use crate::attest::tlog::book::{Log, LogError, Wanted};
use crate::attest::tlog::{LogPolicy, Proof};
use crate::attest::{Failure, Origin, Places, Proven, Reason};
use crate::config::AttestationConfig;

use super::ProofError;

/// How long a witness may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// What going on with the log came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WentOn {
    /// How many leaves it has.
    pub size: u64,
    /// How many of them the checkpoint before did not count.
    pub added: u64,
    /// What each witness said that was asked now.
    pub witnesses: Vec<(String, Said)>,
    /// What the operator should know.
    pub notes: Vec<String>,
    /// Something that belongs into it could not be read, and is not in it.
    pub left_out: bool,
}

/// The log as configured; touches nothing yet.
///
/// # Errors
/// When the passphrase cannot be read.
pub fn open_log(config: &AttestationConfig, places: &Places) -> Result<Log, ProofError> {
    Ok(Log::open(places).with_passphrase(super::passphrase(config)?).sharing(super::shared(config)))
}

/// Begins the log where it is to be kept and is not there. False: there is none, and none is to be.
///
/// # Errors
/// When it cannot be begun.
pub fn keep_log(config: &AttestationConfig, log: &Log, begin: bool) -> Result<bool, ProofError> {
    if log.vkey()?.is_some() {
        return Ok(true);
    }
    if begin || config.log.keep {
        let base = Origin::base(&config.base_url).map_err(|error| ProofError::Base(error.to_string()))?;
        log.begin(&base)?;
        return Ok(true);
    }
    Ok(false)
}

/// Puts in what is not there yet, signs, and asks the witnesses.
///
/// # Errors
/// When the log cannot go on. A witness that does not answer is none.
pub fn go_on(config: &AttestationConfig, log: &Log) -> Result<WentOn, LogError> {
    let advanced = log.advance()?;
    let net = Net::new();
    let post = |url: &str, body: &str| {
        let content = "text/plain; charset=utf-8".to_owned();
        let sent = Sent { body: body.to_owned(), content, token: None };
        net.post(url, sent, ANSWER_LIMIT, PATIENCE).map_err(|error| error.to_string())
    };
    let witnesses = log.ask(&config.log.witnesses, &post)?;
    let (size, added, left_out) = (advanced.size, advanced.added, advanced.left_out);
    Ok(WentOn { size, added, witnesses, notes: advanced.notes, left_out })
}

/// Which logs and witnesses count: those configured, and where no log is, this instance's own.
///
/// # Errors
/// When the own log cannot be read.
pub fn log_policy(config: &AttestationConfig, places: &Places) -> Result<LogPolicy, LogError> {
    let mut logs = config.log.keys.clone();
    if logs.is_empty() && !config.log.believed {
        logs.extend(Log::open(places).vkey()?);
    }
    let witnesses = config.log.witnesses.iter().map(|one| one.key.clone()).collect();
    Ok(LogPolicy { logs, witnesses, quorum: config.log.quorum })
}

/// The proof of what this instance signed, or of its registry, from its own log; put in first where it is not there yet. None:
/// it is not in a log of this machine.
///
/// # Errors
/// Why the log did not go on, where it has to.
pub fn own_proof(
    config: &AttestationConfig,
    places: &Places,
    subject: Proven<'_>,
) -> Result<Option<Proof>, Failure> {
    let local = |why: String| Failure::new(Reason::LocalFault, why);
    let log = open_log(config, places).map_err(|error| local(error.to_string()))?;
    if log.vkey().map_err(|error| failed(&error))?.is_none() {
        return Ok(None);
    }
    let wanted = match subject {
        Proven::Attestation(attestation) => Wanted::Attestation(attestation.id().to_owned()),
        Proven::Registry(_) => Wanted::Registry,
    };
    let found = match log.prove(&wanted) {
        Err(LogError::NotYet(_)) => {
            go_on(config, &log).map_err(|error| failed(&error))?;
            log.prove(&wanted)
        }
        found => found,
    };
    match found {
        Ok((proof, _)) => Ok(Some(proof)),
        Err(LogError::NotYet(_)) => Ok(None),
        Err(error) => Err(failed(&error)),
    }
}

/// What it means for what is to run that the own log does not go on.
pub(super) fn failed(error: &LogError) -> Failure {
    let reason = match error {
        LogError::Away(_) | LogError::Keys(KeyError::Away(_)) | LogError::Store(StoreError::Away(_)) => {
            Reason::StoreUnavailable
        }
        LogError::Contradicted(_) | LogError::None | LogError::NotYet(_) => Reason::NotLogged,
        _ => Reason::LocalFault,
    };
    Failure::new(reason, format!("the own transparency log: {error}"))
}
