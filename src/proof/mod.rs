//! Proof that a command was evaluated, and execution that demands it.
//!
//! Owns what stands between evaluations and the attestation protocol: what of an evaluation is attested ([`Subject`]), the
//! instance's own signing ([`Proof`]), and the four modes' demands on what is about to run ([`Gate`]). Judges nothing: the
//! verdict is the evaluation's. Signing and verification themselves are `attest`'s.

mod covers;
mod gate;
mod input;
mod log;
mod record;
mod remote;
mod trust;
mod who;

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::attest::fleet::Shared;
use crate::attest::keys::{KeyError, KeyStore, Passphrase};
use crate::attest::sign::{Chain, Evaluation, Profile, SignError, Signer, SignerSettings};
use crate::attest::store::{Store, StoreError};
use crate::attest::tlog::Kind;
use crate::attest::tlog::signer::NoteSigner;
use crate::attest::{Attestation, Places, Reason, document, json as strict};
use crate::config::{self, AttestationConfig};
use crate::evaluate::EvaluationContext;
use crate::report::ConsequenceReport;

pub use covers::changed;
pub use gate::{Gate, Judged, Presented, Standing};
pub use input::{InputError, Subject};
pub use log::{WentOn, go_on, keep_log, log_policy, open_log, own_proof};
pub use record::{Event, Record, is_plain};
pub use remote::{RemoteError, evaluate as evaluate_remotely};
pub use trust::{InForce, follow, in_force, refresh};
pub use who::Front;

/// What attestations say who evaluated.
pub const EVALUATOR: &str = concat!("recourse:consequence:", env!("CARGO_PKG_VERSION"));
/// A passphrase file is at most this many bytes.
const PASSPHRASE_LIMIT: u64 = 4096;

/// Why there is no attestation.
#[derive(Debug, thiserror::Error)]
pub enum ProofError {
    /// There is no home directory to keep keys in.
    #[error("there is no home directory, so there is no place for keys; set HOME or XDG_DATA_HOME")]
    NoHome,
    /// The base URL is none.
    #[error("attestation.base_url: {0}")]
    Base(String),
    /// The file with the passphrase.
    #[error("{path}: {what}")]
    Passphrase {
        /// The file.
        path: String,
        /// What is wrong.
        what: String,
    },
    /// A variable.
    #[error(transparent)]
    Config(#[from] config::ConfigError),
    /// Keys.
    #[error(transparent)]
    Keys(#[from] KeyError),
    /// Signing.
    #[error(transparent)]
    Sign(#[from] SignError),
    /// The input cannot be attested.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The report has no canonical form.
    #[error("the report cannot be attested: {0}")]
    Report(#[from] strict::JsonError),
    /// The report could not be written as JSON.
    #[error("the report could not be written as JSON: {0}")]
    Shape(String),
    /// The transparency log.
    #[error(transparent)]
    Log(#[from] crate::attest::tlog::book::LogError),
    /// The key that signs trust bundles.
    #[error("the key for trust bundles: {0}; `recourse trust key FILE --name NAME` makes one")]
    TrustKey(crate::attest::tlog::signer::SignerError),
    /// No random bytes.
    #[error("the system gave no random bytes")]
    Random,
}

impl ProofError {
    /// What it is called where a verification fails for it.
    pub fn reason(&self) -> Reason {
        let keys = match self {
            Self::Keys(error) | Self::Sign(SignError::Key(error)) => Some(error),
            _ => None,
        };
        let unlike = |error: &KeyError| {
            matches!(error, KeyError::Away(_) | KeyError::NotInStore { .. } | KeyError::Elsewhere { .. })
        };
        match self {
            _ if keys.is_some_and(KeyError::is_of_this_machine) => Reason::LocalFault,
            Self::Sign(SignError::NotOurs(failure)) => failure.reason,
            Self::Sign(SignError::Store(StoreError::Away(_))) => Reason::StoreUnavailable,
            _ if keys.is_some_and(unlike) => Reason::StoreUnavailable,
            _ => Reason::AttestationAbsent,
        }
    }
}

/// The store that machines share, as configured; touches nothing yet.
pub fn shared(config: &AttestationConfig) -> Option<Arc<Shared>> {
    config.store.clone().map(|address| Arc::new(Shared::new(address)))
}

/// A signed evaluation.
#[derive(Clone, Debug)]
pub struct Attested {
    /// The attestation.
    pub attestation: Attestation,
    /// The attestation's canonical form.
    canonical: Box<RawValue>,
    /// The report as it was signed, where normalisation to NFC made it another than the evaluation's.
    normal: Option<Value>,
}

impl Attested {
    /// The evaluation's report with the attestation beside it, for output. Equals what was signed.
    pub fn beside<'a>(&'a self, report: &'a ConsequenceReport) -> WithAttestation<'a> {
        let report = match &self.normal {
            Some(normal) => Signed::Normal(normal),
            None => Signed::Same(report),
        };
        WithAttestation { report, attestation: &self.canonical }
    }
}

/// A report and its attestation, in the contract's order.
#[derive(Serialize)]
pub struct WithAttestation<'a> {
    #[serde(flatten)]
    report: Signed<'a>,
    attestation: &'a RawValue,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Signed<'a> {
    Same(&'a ConsequenceReport),
    Normal(&'a Value),
}

/// Who approved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approver {
    /// The user's name, or its number where there is no name.
    pub user: String,
    /// The user's number.
    pub uid: u32,
}

/// This instance's signing.
pub struct Proof {
    signer: Signer,
    audience: Option<String>,
}

impl Proof {
    /// Opens keys and store. Makes the instance and its first key when there are none.
    ///
    /// # Errors
    /// When keys cannot be used or made.
    pub fn open(config: &AttestationConfig, places: &Places) -> Result<Self, ProofError> {
        Self::storing(config, places, Store::open(places))
    }

    /// The same for what is signed for others who ask: published only where the configuration says so.
    ///
    /// # Errors
    /// As [`Proof::open`].
    pub fn for_others(config: &AttestationConfig, places: &Places) -> Result<Self, ProofError> {
        let publish = config.publish_evaluations;
        let store = if publish { Store::open(places) } else { Store::unpublished(places) };
        Self::storing(config, places, store)
    }

    fn storing(config: &AttestationConfig, places: &Places, store: Store) -> Result<Self, ProofError> {
        let shared = shared(config);
        let (keys, store) = (key_store(config, places)?.sharing(shared.clone()), store.sharing(shared));
        keys.ensure_active()?;
        let base = crate::attest::Origin::base(&config.base_url)
            .map_err(|error| ProofError::Base(error.to_string()))?;
        let settings = SignerSettings {
            base,
            evaluator: EVALUATOR.to_owned(),
            profile: if config.core_profile { Profile::Core } else { Profile::Full },
            validity: config.validity,
        };
        Ok(Self { signer: Signer::new(keys, store, settings), audience: config.audience.clone() })
    }

    /// Signs an evaluation's report.
    ///
    /// # Errors
    /// When the input cannot be expressed, or signing fails.
    pub fn attest(
        &self,
        subject: &Subject,
        context: &EvaluationContext,
        report: &ConsequenceReport,
    ) -> Result<Attested, ProofError> {
        let context = input::meant_for(context, self.audience.as_deref());
        let input = subject.wire(&context, &random_hex()?, &report.secrets)?;
        let report = serde_json::to_value(report).map_err(|error| ProofError::Shape(error.to_string()))?;
        let (output, normal) = if strict::is_nfc(&report) {
            (report, None)
        } else {
            let normal = strict::to_nfc(report)?;
            (normal.clone(), Some(normal))
        };
        let attestation = self.signer.attest(Evaluation { input, output, chain: None })?;
        let text = String::from_utf8_lossy(attestation.canonical()).into_owned();
        let canonical = RawValue::from_string(text).map_err(|error| ProofError::Shape(error.to_string()))?;
        Ok(Attested { canonical, attestation, normal })
    }

    /// An attestation as a Sigstore bundle (protocol §3.1).
    ///
    /// # Errors
    /// When signing fails.
    pub fn bundle(&self, attestation: &Attestation) -> Result<Value, ProofError> {
        Ok(self.signer.bundle(attestation)?)
    }

    /// Signs a person's approval of an evaluation.
    ///
    /// # Errors
    /// When signing fails; the core profile has no fields for it.
    pub fn approve(
        &self,
        parent: &Attestation,
        approver: &Approver,
        reason: &str,
    ) -> Result<Attestation, ProofError> {
        let output = json!({
            "schemaVersion": crate::attest::chain::APPROVAL,
            "decision": "approved",
            "riskAssessment": parent.risk_assessment(),
            "assessmentReason": reason,
            "approver": { "user": approver.user, "uid": approver.uid, "method": "terminal" },
        });
        let chain_id = parent.chain_id().unwrap_or_else(|| parent.id()).to_owned();
        let chain = Some(Chain { chain_id, parent: Some(parent.digest()) });
        Ok(self.signer.attest(Evaluation { input: parent.input().clone(), output, chain })?)
    }
}

/// The instance's keys as configured.
///
/// # Errors
/// When the name or the passphrase's file cannot be used.
pub fn key_store(config: &AttestationConfig, places: &Places) -> Result<KeyStore, ProofError> {
    let mut keys = KeyStore::open(places).sharing(shared(config));
    if let Some(instance) = &config.instance_id {
        keys = keys.named(instance)?;
    }
    if let Some(root) = &config.publish_dir {
        keys = keys.publishing_to(root);
    }
    if let Some(passphrase) = passphrase(config)? {
        keys = keys.with_passphrase(passphrase)?;
    }
    Ok(keys)
}

/// A key that signs trust bundles, from its file; `make` makes one where there is none.
///
/// # Errors
/// When the file cannot be used.
pub fn trust_signer(
    config: &AttestationConfig,
    file: &Path,
    name: &str,
    make: bool,
) -> Result<NoteSigner, ProofError> {
    let passphrase = passphrase(config)?;
    NoteSigner::open(file, name, Kind::Log, passphrase.as_ref(), make).map_err(ProofError::TrustKey)
}

/// The passphrase of encrypted keys, where one is configured.
fn passphrase(config: &AttestationConfig) -> Result<Option<Passphrase>, ProofError> {
    if let Some(path) = &config.passphrase_file {
        let wrong = |what: String| ProofError::Passphrase { path: path.display().to_string(), what };
        let bytes = crate::attest::disk::read_private(path, PASSPHRASE_LIMIT)
            .map_err(|error| wrong(error.to_string()))?
            .ok_or_else(|| wrong("there is no such file".to_owned()))?;
        let text = String::from_utf8(bytes).map_err(|_| wrong("not valid text".to_owned()))?;
        return Ok(Some(Passphrase::new(text.trim_end_matches(['\r', '\n']).to_owned())));
    }
    Ok(config::variable("RECOURSE_KEY_PASSPHRASE")?.map(Passphrase::new))
}

/// 128 random bits in hexadecimal.
fn random_hex() -> Result<String, ProofError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|_| ProofError::Random)?;
    Ok(document::hex(&bytes))
}
