//! The demands of the four modes on what is about to run (protocol §7.3 and §7.4).

use std::borrow::Cow;
use std::time::Duration;

use serde_json::Value;

use crate::attest::beside::Net;
use crate::attest::cache::DirectoryStore;
use crate::attest::chain::is_approval;
use crate::attest::clock::{self, ClockError};
use crate::attest::fleet::{Fleet, FleetError};
use crate::attest::keys::KeyStore;
use crate::attest::nonces::{NonceError, Nonces};
use crate::attest::verify::{Expect, Options, Verifier};
use crate::attest::{Attestation, Failure, Mode, Origin, Outcome, Places, Reason, Time, decide};
use crate::config::{AttestationConfig, Followed};
use crate::evaluate::{Evaluation, EvaluationContext};
use crate::model::Verdict;
use crate::world::World;

use super::input::meant_for;
use super::{Attested, Subject, covers};

/// After so many seconds the registry is asked for again: a compromise must not wait for a day.
const REVALIDATE: u64 = 300;
/// How long a nonce without an expiry is remembered.
const NONCE_MEMORY: i64 = 400 * 24 * 60 * 60;

/// Attestations that somebody hands over with a command.
#[derive(Clone, Debug, Default)]
pub struct Presented {
    /// Of the evaluation.
    pub evaluation: Option<Attestation>,
    /// Of a person's approval of it.
    pub approval: Option<Attestation>,
    /// The report that came with the evaluation's.
    pub report: Option<Value>,
    /// Why something that was handed over is none of these.
    faults: Vec<Failure>,
}

impl Presented {
    /// Adds a document: an attestation, or a report with one beside it.
    ///
    /// # Errors
    /// When it is neither, or there is already one of its kind.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let invalid = |detail: String| Failure::new(Reason::InvalidAttestation, detail);
        let mut value = crate::json::parse(bytes, crate::json::DOCUMENT_LIMIT)
            .map_err(|error| invalid(error.to_string()))?;
        let (attestation, report) =
            if value.get("signature").is_none() && value.get("schemaVersion").is_some() {
                (crate::attest::verify::take_from(&mut value)?, Some(value))
            } else {
                (Attestation::from_parsed(value).map_err(|error| invalid(error.to_string()))?, None)
            };
        let place = if is_approval(&attestation) { &mut self.approval } else { &mut self.evaluation };
        if place.is_some() {
            return Err(invalid("more than one attestation of the same kind was given".to_owned()));
        }
        *place = Some(attestation);
        if report.is_some() {
            self.report = report;
        }
        Ok(())
    }

    /// Adds a document of this name, or why there is none: the mode decides what a bad one means, and it is logged.
    pub fn add_named(&mut self, name: &str, read: Result<Vec<u8>, Failure>) {
        if let Err(failure) = read.and_then(|bytes| self.add(&bytes)) {
            self.faults.push(Failure::new(failure.reason, format!("{name}: {}", failure.detail)));
        }
    }

    /// Whether nothing was handed over.
    pub fn is_empty(&self) -> bool {
        self.evaluation.is_none() && self.approval.is_none() && self.faults.is_empty()
    }

    /// What was handed over and is no attestation. That there was none in it counts less.
    fn fault(&self) -> Option<&Failure> {
        let broken = |fault: &&Failure| fault.reason != Reason::AttestationAbsent;
        self.faults.iter().find(broken).or(self.faults.first())
    }
}

/// Where a command stands with its attestations, before the verdict is looked at.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    /// The evaluation's attestation, verified where the mode demands it.
    pub evaluation: Option<Attestation>,
    /// The approval, verified.
    pub approval: Option<Attestation>,
    /// The verdict that is attested by somebody else than this process. Its own evaluation speaks for itself.
    pub attested: Option<Verdict>,
    /// Whether it must be recorded before it runs.
    pub record: bool,
    /// What to warn about.
    pub warnings: Vec<String>,
    /// Why verification failed, where a person may go on all the same.
    pub failed: Option<Failure>,
}

impl Standing {
    /// The severest verdict that a verified approval covers.
    pub fn approved(&self) -> Option<Verdict> {
        self.approval.as_ref().and_then(verdict_of)
    }
}

/// What is about to run, as this machine judged it just now.
#[derive(Clone, Copy)]
pub struct Judged<'a> {
    /// What is attested of it; or why nothing can be.
    pub subject: Result<&'a Subject, &'a str>,
    /// Its circumstances.
    pub context: &'a EvaluationContext,
    /// What it would do, and the files that this rests on.
    pub evaluation: &'a Evaluation,
    /// The machine.
    pub world: &'a dyn World,
}

/// Checks attestations against the configuration.
pub struct Gate<'a> {
    /// The configuration.
    pub config: &'a AttestationConfig,
    /// Where keys, registries and nonces are.
    pub places: &'a Places,
}

impl Gate<'_> {
    /// The mode in force.
    pub fn mode(&self) -> Mode {
        self.config.mode
    }

    /// Looks at what there is: attestations handed over, or that of the own evaluation.
    ///
    /// # Errors
    /// Why it must not go on. Nothing but a network error may be tried again.
    pub fn examine(
        &self,
        judged: &Judged<'_>,
        presented: &Presented,
        own: Option<&Attested>,
    ) -> Result<Standing, Failure> {
        let foreign = !presented.is_empty();
        if let Some(fault) = presented.fault()
            && (fault.reason != Reason::AttestationAbsent || presented.evaluation.is_none())
        {
            return self.without(fault);
        }
        if presented.approval.is_some() && presented.evaluation.is_none() && self.mode().verifies() {
            return Err(Failure::new(
                Reason::ChainInvalid,
                "an approval was given without the evaluation that it approves",
            ));
        }
        let evaluation =
            presented.evaluation.as_ref().or(own.filter(|_| !foreign).map(|own| &own.attestation));
        let Some(evaluation) = evaluation else {
            return self.settle(Outcome::Absent, "there is no attestation", Standing::default());
        };
        let mut standing = Standing { evaluation: Some(evaluation.clone()), ..Standing::default() };
        if !self.mode().verifies() {
            return self.settle(Outcome::Unverified, "", standing);
        }
        match self.verify(judged, evaluation, presented) {
            Ok(verified) => {
                standing.warnings.clone_from(&verified.warnings);
                standing.approval.clone_from(&presented.approval);
                if foreign {
                    // An output without a verdict permits nothing.
                    standing.attested = Some(verdict_of(evaluation).unwrap_or(Verdict::Block));
                }
                self.settle(Outcome::Valid(&verified), "", standing)
            }
            Err(failure) => self.settle(Outcome::Failed(&failure), &failure.detail, standing),
        }
    }

    /// What was handed over is not there, or is none.
    fn without(&self, fault: &Failure) -> Result<Standing, Failure> {
        let outcome = match fault.reason {
            Reason::AttestationAbsent => Outcome::Absent,
            _ => Outcome::Failed(fault),
        };
        let mut standing = self.settle(outcome, &fault.detail, Standing::default())?;
        if standing.warnings.is_empty() {
            standing.warnings.push(fault.to_string());
        }
        Ok(standing)
    }

    fn settle(
        &self,
        outcome: Outcome<'_>,
        detail: &str,
        mut standing: Standing,
    ) -> Result<Standing, Failure> {
        let decision = decide(self.mode(), outcome);
        if let Some(reason) = decision.refusal.filter(|_| !decision.proceed) {
            return Err(Failure::new(reason, detail));
        }
        standing.record = decision.record;
        if let Some(reason) = decision.warning {
            standing.warnings.push(format!("{reason}: {detail}"));
        }
        Ok(standing)
    }

    fn verify(
        &self,
        judged: &Judged<'_>,
        evaluation: &Attestation,
        presented: &Presented,
    ) -> Result<crate::attest::Verified, Failure> {
        let verifier = self.verifier()?;
        let expect = Expect { report: presented.report.as_ref(), input: None };
        let verified = verifier.verify(evaluation, expect)?;
        if is_approval(evaluation) {
            return Err(Failure::new(Reason::ChainInvalid, "an approval is no evaluation"));
        }
        self.speaks_of(judged, evaluation)?;
        // What was signed just now is of this very evaluation.
        if presented.evaluation.is_some() {
            covers_it(judged, evaluation)?;
        }
        if let Some(approval) = &presented.approval {
            verifier.verify_chain(&[evaluation.clone(), approval.clone()], Expect::default())?;
            // Elsewhere users have other numbers.
            if *approval.origin() == self.own()? {
                by_user(approval, judged.world.uid())?;
            }
        }
        Ok(verified)
    }

    /// Whether an attestation speaks of these words in these circumstances.
    fn speaks_of(&self, judged: &Judged<'_>, evaluation: &Attestation) -> Result<(), Failure> {
        let differs = |detail: String| Failure::new(Reason::CrossCheckMismatch, detail);
        judged
            .subject
            .map_err(|why| differs(why.to_owned()))?
            .matches(evaluation.input(), &self.meant_for_us(judged.context))
            .map_err(differs)
    }

    /// Whether `approval` is this user's yes, attested by this very instance, to what was evaluated in `evaluation`, and that
    /// is what is about to run.
    ///
    /// # Errors
    /// The first check that fails.
    pub fn approved(
        &self,
        judged: &Judged<'_>,
        evaluation: &Attestation,
        approval: &Attestation,
        user: u32,
    ) -> Result<(), Failure> {
        self.speaks_of(judged, evaluation)?;
        covers_it(judged, evaluation)?;
        self.genuine(evaluation, approval, user)
    }

    /// [`Gate::approved`] without the question of what.
    ///
    /// # Errors
    /// The first check that fails.
    pub fn genuine(
        &self,
        evaluation: &Attestation,
        approval: &Attestation,
        user: u32,
    ) -> Result<(), Failure> {
        let wrong = |reason, detail: String| Err(Failure::new(reason, detail));
        let own = self.own()?;
        if [evaluation, approval].into_iter().any(|one| *one.origin() != own) {
            return wrong(Reason::InstanceNotTrusted, "another instance attested it".to_owned());
        }
        if is_approval(evaluation) || !is_approval(approval) {
            return wrong(Reason::ChainInvalid, "it is no approval of an evaluation".to_owned());
        }
        by_user(approval, user)?;
        // What this machine signed itself is not fetched from anywhere.
        let verifier = self.verifier_of(vec![own], false)?;
        verifier.verify_chain(&[evaluation.clone(), approval.clone()], Expect::default()).map(|_| ())
    }

    /// Spends an approval's nonce.
    ///
    /// # Errors
    /// When it was spent before or has none, or it cannot be recorded that it is spent now.
    pub fn spend_approval(&self, approval: &Attestation) -> Result<(), Failure> {
        if approval.nonce().is_none() {
            return Err(Failure::new(
                Reason::InvalidAttestation,
                "it has no nonce, so it could be used again",
            ));
        }
        self.spend_each([approval])
    }

    fn meant_for_us<'c>(&self, context: &'c EvaluationContext) -> Cow<'c, EvaluationContext> {
        meant_for(context, self.config.audience.as_deref())
    }

    /// Whether what permits it has not ended while somebody was asked.
    ///
    /// # Errors
    /// [`Reason::AttestationExpired`], or why the time cannot be told.
    pub fn still_holds(&self, standing: &Standing) -> Result<(), Failure> {
        if !self.mode().verifies() {
            return Ok(());
        }
        let verifier = self.verifier()?;
        let all = [&standing.evaluation, &standing.approval];
        all.into_iter().flatten().try_for_each(|attestation| verifier.check_time(attestation))
    }

    fn own(&self) -> Result<Origin, Failure> {
        Origin::base(&self.config.base_url)
            .map_err(|error| Failure::new(Reason::InstanceNotTrusted, error.to_string()))
    }

    /// A verifier as configured. The own instance's registry is read from this machine, never fetched.
    ///
    /// # Errors
    /// When the configuration or the own registry cannot be used.
    pub fn verifier(&self) -> Result<Verifier, Failure> {
        let unusable = |detail: String| Failure::new(Reason::InstanceNotTrusted, detail);
        if let Some(followed) = &self.config.followed {
            let pins = followed.0.as_ref().map_err(Clone::clone)?;
            if pins.is_empty() {
                return Err(unusable("no instance of the trust bundle counts here".to_owned()));
            }
            let trusted = pins.iter().map(|one| one.origin.clone()).collect();
            return self.verifier_of(trusted, self.config.cross_check);
        }
        let own = self.own()?;
        let mut trusted = Vec::new();
        for instance in &self.config.trusted_instances {
            trusted.push(Origin::base(instance).map_err(|error| unusable(error.to_string()))?);
        }
        if trusted.is_empty() && self.mode() == Mode::Require {
            // Anybody can sign for an instance of his own.
            trusted.push(own.clone());
            // The operator named it as the one to ask.
            if let Some(evaluator) = &self.config.evaluator_url {
                trusted.push(Origin::base(evaluator).map_err(|error| unusable(error.to_string()))?);
            }
        }
        self.verifier_of(trusted, self.config.cross_check)
    }

    fn verifier_of(&self, trusted: Vec<Origin>, cross_check: bool) -> Result<Verifier, Failure> {
        let options = Options {
            trusted,
            ttl: self.config.key_cache_ttl.as_secs(),
            revalidate: REVALIDATE,
            key_validity: self.mode() == Mode::Require,
            cross_check,
            max_age: self.config.max_age.map(|age| age.as_secs()),
            now: Some(self.now()?),
            pins: match &self.config.followed {
                Some(Followed(Ok(pins))) => pins.clone(),
                _ => Vec::new(),
            },
            require_freshness: self.mode() == Mode::Require && !self.config.allow_unfresh,
            log: self
                .config
                .log
                .require
                .then(|| super::log_policy(self.config, self.places))
                .transpose()
                .map_err(|error| super::log::failed(&error))?,
            ..Options::default()
        };
        let verifier = Verifier::new(options, Net::new(), DirectoryStore::new(self.places.registries()));
        let (config, places, own) = (self.config.clone(), self.places.clone(), self.own()?);
        let verifier = verifier.with_proofs(move |subject| {
            let ours = *subject.origin() == own;
            let proof = ours.then(|| super::own_proof(&config, &places, subject)).transpose()?;
            Ok(proof.flatten().into_iter().collect())
        });
        let registry = KeyStore::open(self.places)
            .registry()
            .map_err(|error| Failure::new(Reason::LocalFault, error.to_string()))?;
        Ok(match registry {
            Some(registry) => verifier.with_registry(self.own()?, registry),
            None => verifier,
        })
    }

    /// What time it is; never earlier than it was before.
    fn now(&self) -> Result<Time, Failure> {
        clock::seen(self.places, Time::now()).map_err(|error| match error {
            ClockError::Backwards { .. } => Failure::new(Reason::AttestationExpired, error.to_string()),
            error => Failure::new(Reason::LocalFault, error.to_string()),
        })
    }

    /// Spends the nonces of what is about to run: the last step before it does.
    ///
    /// # Errors
    /// When one was spent before, or it cannot be recorded that it is spent now.
    pub fn spend(&self, standing: &Standing) -> Result<(), Failure> {
        if !self.mode().verifies() {
            return Ok(());
        }
        self.spend_each([&standing.evaluation, &standing.approval].into_iter().flatten())
    }

    fn spend_each<'b>(&self, attestations: impl IntoIterator<Item = &'b Attestation>) -> Result<(), Failure> {
        let nonces = Nonces::open(self.places);
        let now = Time::now();
        for attestation in attestations {
            let Some(nonce) = attestation.nonce() else { continue };
            let until = attestation.expires_at().unwrap_or_else(|| now.plus_seconds(NONCE_MEMORY));
            self.spend_everywhere(attestation, nonce, &nonces)?;
            nonces.spend(nonce, until).map_err(|error| match error {
                NonceError::Reused(_) => {
                    Failure::new(Reason::NonceReused, "this attestation was used before; evaluate again")
                }
                NonceError::Forgotten(_) => Failure::new(Reason::NonceReused, error.to_string()),
                NonceError::NotANonce => Failure::new(Reason::InvalidAttestation, error.to_string()),
                NonceError::Disk(_) | NonceError::Damaged(_) => Failure::new(
                    Reason::LocalFault,
                    format!("it cannot be recorded that it is used now: {error}"),
                ),
            })?;
        }
        Ok(())
    }

    /// Spends a nonce in the memory that machines share, where there is one. This machine's own is asked first, because it
    /// is near, and spent last, because what did not run must not count as used here.
    fn spend_everywhere(
        &self,
        attestation: &Attestation,
        nonce: &str,
        nonces: &Nonces,
    ) -> Result<(), Failure> {
        let Some(address) = &self.config.store else { return Ok(()) };
        if nonces.is_spent(nonce).unwrap_or(false) {
            return Ok(());
        }
        let fleet = Fleet::new(address.clone(), self.places);
        fleet.spend(nonce, attestation.expires_at()).map_err(|error| {
            let reason = match error {
                FleetError::Reused => Reason::NonceReused,
                FleetError::Away { .. } => Reason::StoreUnavailable,
            };
            Failure::new(reason, error.to_string())
        })
    }

    /// How long an attestation of this instance is good for.
    pub fn validity(&self) -> Duration {
        self.config.validity
    }
}

/// Whether the attested output names all files and consequences that were found now.
fn covers_it(judged: &Judged<'_>, evaluation: &Attestation) -> Result<(), Failure> {
    let differs = |detail: String| Failure::new(Reason::CrossCheckMismatch, detail);
    let (done, output) = (judged.evaluation, evaluation.output());
    // The files first: they say why the consequences are others.
    covers::materials(&done.materials, &done.report.secrets, output, judged.world).map_err(differs)?;
    covers::consequences(&done.report, output).map_err(differs)
}

/// Whether an approval is of the user of this number.
fn by_user(approval: &Attestation, user: u32) -> Result<(), Failure> {
    let approver = approval.output().pointer("/approver/uid").and_then(Value::as_f64);
    match approver {
        Some(approver) if approver == f64::from(user) => Ok(()),
        _ => Err(Failure::new(Reason::CrossCheckMismatch, "another user approved it")),
    }
}

/// The verdict that an attestation's output states; `None` for a word that is none.
fn verdict_of(attestation: &Attestation) -> Option<Verdict> {
    let word = attestation.risk_assessment()?;
    [Verdict::Allow, Verdict::Warn, Verdict::Escalate, Verdict::Block]
        .into_iter()
        .find(|verdict| verdict.as_str() == word)
}
