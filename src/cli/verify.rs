//! `recourse verify`: an attestation, or a report with one beside it, is it valid and what does a mode do about it.
//!
//! Owns options, files, output and exit statuses of that command. Every check is [`crate::attest`]'s.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::ValueHint;
use serde::Serialize;
use serde_json::Value;

use crate::attest::beside::Net;
use crate::attest::cache::{self, read_registry};
use crate::attest::chain::is_approval;
use crate::attest::keys::KeyStore;
use crate::attest::tlog::merkle::Hash;
use crate::attest::trust::Pinned;
use crate::attest::{
    Attestation, DirectoryStore, Expect, Failure as Refusal, KeyState, MemoryStore, Mode, Options, Origin,
    Outcome, Proceed, Reason, Registry, Time, Verified, Verifier, decide, verify,
};
use crate::config::{AttestationConfig, Config};
use crate::evaluate::EvaluationContext;
use crate::json::{self, DOCUMENT_LIMIT};
use crate::proof::{Subject, follow};
use crate::text::escape;

use super::common::Format;
use super::output::{self, Failure};
use super::status;
use super::transparency::{self, LogDemand};

#[derive(Debug, clap::Args)]
pub(super) struct VerifyArgs {
    /// Base URLs of the instances to trust, separated by commas [default: any]
    #[arg(long, value_name = "URL", value_delimiter = ',', value_hint = ValueHint::Url)]
    pub(super) trust: Vec<String>,
    /// What to do with it: ignore, log, verify or require [default: require]
    #[arg(long, value_name = "MODE")]
    pub(super) mode: Option<String>,
    /// Whether to fetch the durable copy and compare
    #[arg(
        long,
        value_name = "true|false",
        num_args = 0..=1,
        require_equals = true,
        default_value_t = false,
        default_missing_value = "true",
        action = clap::ArgAction::Set
    )]
    pub(super) cross_check: bool,
    /// How old it may be, in seconds [default: as it says itself]
    #[arg(long, value_name = "SECONDS")]
    pub(super) max_age: Option<String>,
    /// Refuse what was signed while its key was not the active one, give or take five minutes
    #[arg(long)]
    pub(super) key_validity: bool,
    /// The registry that was accepted last, instead of the cache folder; only read, and a fetch is always made
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) cached_registry: Option<OsString>,
    /// The registry to verify with; nothing is fetched
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) registry: Option<OsString>,
    /// The time that it is, such as 2026-05-01T14:30:00Z [default: the clock]
    #[arg(long, value_name = "TIME")]
    pub(super) now: Option<String>,
    /// Insist on a report with its attestation beside it
    #[arg(long)]
    pub(super) report: bool,
    /// What was to be evaluated, as JSON; another input is refused
    #[arg(long, value_name = "JSON")]
    pub(super) input: Option<String>,
    /// The Terraform plan (`terraform show -json`) that was to be evaluated; another plan is refused
    #[arg(long, value_name = "PLAN.json", conflicts_with = "input", value_hint = ValueHint::FilePath)]
    pub(super) plan: Option<PathBuf>,
    /// Verdicts that let it go on, separated by commas; a chained approval lets it go on too [default: all]
    #[arg(long, value_name = "VERDICT", value_delimiter = ',', value_parser = ["allow", "warn", "escalate", "block"])]
    pub(super) permit: Vec<String>,
    /// The attestation that it follows; repeated for a longer chain, the first one first
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) parent: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) log: LogDemand,
    /// Form of the output
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
    /// A file, a URL, or `-` for standard input
    #[arg(value_name = "FILE|URL", value_hint = ValueHint::AnyPath)]
    pub(super) source: PathBuf,
}

/// A report and the attestation beside it, which holds a copy of the report.
const REPORT_LIMIT: usize = 2 * DOCUMENT_LIMIT + (1 << 20);

/// The answer, as it is printed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    /// Null: the mode forbids looking.
    valid: Option<bool>,
    proceed: bool,
    reason: Option<&'static str>,
    detail: Option<String>,
    mode: &'static str,
    attestation_id: Option<String>,
    attestation_uri: Option<String>,
    digest: Option<String>,
    key_id: Option<String>,
    key_state: Option<&'static str>,
    instance: Option<String>,
    timestamp: Option<String>,
    /// Only of a valid attestation: nobody should act on another's.
    risk_assessment: Option<String>,
    /// Whether the verdict is one that was said to permit; absent when none was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    permitted: Option<bool>,
    /// Where it is logged; absent when that was not demanded.
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<Value>,
    warnings: Vec<String>,
}

/// What stands in the file.
struct Document {
    /// The report around the attestation, where there is one.
    report: Option<Value>,
    /// The attestation, or why there is none.
    attestation: Result<Attestation, Refusal>,
}

pub(super) fn run(args: &VerifyArgs) -> Result<u8, Failure> {
    let mode = match given(args.mode.as_deref()) {
        Some(text) => text.parse::<Mode>().map_err(|error| Failure::usage(format!("--mode: {error}")))?,
        None => Mode::Require,
    };
    let verifier = verifier(args)?;
    let input = given(args.input.as_deref())
        .map(|text| json::parse(text.as_bytes(), DOCUMENT_LIMIT))
        .transpose()
        .map_err(|error| Failure::usage(format!("--input: {error}")))?;
    let plan = args.plan.as_deref().map(plan_subject).transpose()?;
    let parents = args.parent.iter().map(read_file).collect::<Result<Vec<_>, _>>()?;

    let source = read_source(&args.source, &verifier)?;
    let document = source.and_then(|bytes| read_document(bytes, &args.source, args.report));
    let (document, mut result) = match document {
        Ok(document) => (Some(document), None),
        Err(refusal) => (None, Some(refusal)),
    };
    let attestation = document.as_ref().and_then(|document| document.attestation.as_ref().ok());
    if let Some(Document { attestation: Err(refusal), .. }) = &document {
        result = Some(refusal.clone());
    }
    let mut verified = None;
    if mode.verifies()
        && result.is_none()
        && let Some(attestation) = attestation
    {
        let report = document.as_ref().and_then(|document| document.report.as_ref());
        match verify_all(&verifier, attestation, &parents, Expect { report, input: input.as_ref() })
            .and_then(|found| of_plan(attestation, plan.as_ref()).map(|()| found))
        {
            Ok(found) => verified = Some(found),
            Err(refusal) => result = Some(refusal),
        }
    }
    let outcome = match (&verified, &result) {
        (Some(verified), _) => Outcome::Valid(verified),
        (None, Some(refusal)) if refusal.reason == Reason::AttestationAbsent => Outcome::Absent,
        (None, Some(refusal)) => Outcome::Failed(refusal),
        (None, None) => Outcome::Unverified,
    };
    let decision = decide(mode, outcome);
    let mut answer = answer(mode, decision, attestation, verified, result);
    if !args.permit.is_empty() && answer.valid == Some(true) {
        let approval = !parents.is_empty() && attestation.is_some_and(is_approval);
        let permitted =
            approval || answer.risk_assessment.as_ref().is_some_and(|one| args.permit.contains(one));
        answer.permitted = Some(permitted);
        answer.proceed &= permitted;
    }
    match args.format {
        Format::Json => output::print_json(&answer)?,
        Format::Human => print_human(&answer),
    }
    Ok(match decision.refusal {
        None if answer.permitted == Some(false) => status::INVALID,
        None => 0,
        Some(Reason::NetworkError | Reason::LocalFault) => status::UNCHECKED,
        Some(_) => status::INVALID,
    })
}

/// A value, unless it is empty.
fn given(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}

fn given_path(path: Option<&OsStr>) -> Option<&Path> {
    path.filter(|path| !path.is_empty()).map(Path::new)
}

fn verifier(args: &VerifyArgs) -> Result<Verifier, Failure> {
    let proofs = args.log.proofs()?;
    Ok(verifier_without_proofs(args)?.with_proofs(move |_| proofs.clone()))
}

fn verifier_without_proofs(args: &VerifyArgs) -> Result<Verifier, Failure> {
    let trusted = args
        .trust
        .iter()
        .filter(|url| !url.is_empty())
        .map(|url| Origin::base(url).map_err(|error| Failure::usage(format!("--trust: {error}"))))
        .collect::<Result<Vec<_>, _>>()?;
    let max_age = given(args.max_age.as_deref())
        .map(|text| text.parse::<u64>())
        .transpose()
        .map_err(|_| Failure::usage("--max-age: a whole number of seconds is wanted"))?;
    let now = given(args.now.as_deref())
        .map(|text| text.parse::<Time>())
        .transpose()
        .map_err(|error| Failure::usage(format!("--now: {error}")))?;
    let (config, warning) = follow(Config::load()?.attestation, crate::config::user_places().as_ref());
    if let Some(warning) = warning {
        output::note(&format!("trust: {warning}"));
    }
    let (trusted, pins) = trusted_under(&config, trusted)?;
    let max_age = max_age.or(config.max_age.map(|age| age.as_secs()));
    // The own registry is fetched from nobody; a comparison with the durable copy has to ask all the same.
    let cross_check = args.cross_check || (config.cross_check && args.registry.is_none());
    let log = args.log.policy(&config)?;
    let key_validity = args.key_validity;
    let options =
        Options { trusted, pins, max_age, now, cross_check, key_validity, log, ..Options::default() };
    match (given_path(args.registry.as_deref()), given_path(args.cached_registry.as_deref())) {
        (Some(_), Some(_)) => Err(Failure::usage(
            "--registry and --cached-registry cannot be used together: the first fetches nothing",
        )),
        (Some(_), None) if args.cross_check => Err(Failure::usage(
            "--registry and --cross-check cannot be used together: the first fetches nothing",
        )),
        (Some(path), None) => {
            let registry = registry_file(path)?.ok_or_else(|| {
                Failure::usage(format!("--registry {}: there is no such file", path.display()))
            })?;
            let (registry, digest) = registry;
            Ok(Verifier::offline(options, registry).read_from(digest))
        }
        (None, Some(path)) => {
            let seen = registry_file(path)?.map(|(registry, _)| registry);
            let store = seen.map_or_else(MemoryStore::default, MemoryStore::having_accepted);
            Ok(Verifier::new(Options { ttl: 0, ..options }, Net::new(), store))
        }
        (None, None) => {
            let options = Options { ttl: config.key_cache_ttl.as_secs(), ..options };
            let places = super::setup::places()?;
            let verifier = Verifier::new(options, Net::new(), DirectoryStore::new(places.registries()));
            let own =
                KeyStore::open(&places).registry().map_err(|error| Failure::internal(error.to_string()))?;
            Ok(match (own, configured(&[config.base_url])?.pop()) {
                (Some(registry), Some(base)) => verifier.with_registry(base, registry),
                _ => verifier,
            })
        }
    }
}

fn configured(urls: &[String]) -> Result<Vec<Origin>, Failure> {
    let read = |url: &String| Origin::base(url).map_err(|error| Failure::usage(error.to_string()));
    urls.iter().map(read).collect()
}

/// Whom to trust: those that were named, or configured; and of these no others than the bundle names that is followed.
fn trusted_under(
    config: &AttestationConfig,
    named: Vec<Origin>,
) -> Result<(Vec<Origin>, Vec<Pinned>), Failure> {
    let Some(followed) = &config.followed else {
        let named = if named.is_empty() { configured(&config.trusted_instances)? } else { named };
        return Ok((named, Vec::new()));
    };
    let pins = followed.0.as_ref().map_err(|failure| Failure::usage(failure.to_string()))?;
    let known = |origin: &Origin| pins.iter().any(|one| one.origin == *origin);
    if let Some(other) = named.iter().find(|origin| !known(origin)) {
        return Err(Failure::usage(format!(
            "--trust {other}: the trust bundle that is followed here does not name it"
        )));
    }
    if pins.is_empty() {
        return Err(Failure::usage("no instance of the trust bundle that is followed counts here"));
    }
    let all = || pins.iter().map(|one| one.origin.clone()).collect();
    Ok((if named.is_empty() { all() } else { named }, pins.clone()))
}

/// What is attested of a plan.
fn plan_subject(path: &Path) -> Result<Subject, Failure> {
    let bytes = super::setup::read_document(path)?;
    Subject::terraform(&bytes).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
}

/// Whether it is this plan that was attested.
fn of_plan(attestation: &Attestation, plan: Option<&Subject>) -> Result<(), Refusal> {
    let Some(plan) = plan else { return Ok(()) };
    // The plan alone is asked about: whoever pins the environment or the audience gives the whole input.
    let said = |name: &str| attestation.input().get(name).and_then(Value::as_str).map(str::to_owned);
    let context = EvaluationContext {
        environment: said("environment"),
        audience: said("audience"),
        ..EvaluationContext::default()
    };
    plan.matches(attestation.input(), &context)
        .map_err(|detail| Refusal::new(Reason::CrossCheckMismatch, detail))
}

/// The folder where registries of other instances are kept.
pub(super) fn cache_store() -> Result<DirectoryStore, Failure> {
    Ok(DirectoryStore::new(super::setup::places()?.registries()))
}

fn registry_file(path: &Path) -> Result<Option<(Registry, Hash)>, Failure> {
    let name = path.display();
    let mut bytes = Vec::new();
    match fs::File::open(path) {
        Ok(file) => file.take(cache::REGISTRY_LIMIT as u64 + 1).read_to_end(&mut bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => Err(error),
    }
    .map_err(|error| Failure::usage(format!("{name}: {error}")))?;
    read_registry(&bytes).map(Some).map_err(|why| Failure::usage(format!("{name}: {why}")))
}

/// A file's content, one byte more than allowed where it is too large.
fn read_file(path: &PathBuf) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let limit = REPORT_LIMIT as u64 + 1;
    if path.as_os_str() == "-" {
        io::stdin().lock().take(limit).read_to_end(&mut bytes)
    } else {
        fs::File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes))
    }
    .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
    Ok(bytes)
}

fn url_of(source: &Path) -> Option<&str> {
    source.to_str().filter(|text| {
        let scheme = text.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
        scheme.is_some_and(|scheme| scheme == "https" || scheme == "http")
    })
}

/// The document's bytes. A URL that cannot be fetched is an answer, a file that cannot be read a usage error.
fn read_source(source: &PathBuf, verifier: &Verifier) -> Result<Result<Vec<u8>, Refusal>, Failure> {
    match url_of(source) {
        Some(_) if verifier.is_offline() => {
            Err(Failure::usage("with --registry nothing is fetched: give a file or `-` instead of a URL"))
        }
        Some(url) => Ok(cache::get(verifier.fetcher(), url, DOCUMENT_LIMIT, verifier.options().retries)),
        None => read_file(source).map(Ok),
    }
}

/// Tells a report from an attestation by its shape, and reads the attestation.
fn read_document(bytes: Vec<u8>, source: &Path, must_be_report: bool) -> Result<Document, Refusal> {
    let invalid = |detail: String| Refusal::new(Reason::InvalidAttestation, detail);
    // The limit is one of memory, too: what could be no more than an attestation has no room for more.
    let limit = if bytes.len() <= DOCUMENT_LIMIT { DOCUMENT_LIMIT } else { REPORT_LIMIT };
    let mut value = json::parse(&bytes, limit).map_err(|error| invalid(error.to_string()))?;
    // Both would be held until it is verified.
    drop(bytes);
    let has = |name: &str| value.get(name).is_some();
    if has("dsseEnvelope") {
        let get = "`jq -r .dsseEnvelope.payload FILE | base64 -d | jq .predicate`";
        return Err(invalid(format!(
            "this is a Sigstore bundle: give the attestation in it, which is {get}"
        )));
    }
    if (has("schemaVersion") || has("attestation")) && !has("signature") {
        return Ok(Document { attestation: verify::take_from(&mut value), report: Some(value) });
    }
    if must_be_report {
        return Err(invalid(
            "this is no report: it has no schemaVersion and no attestation beside it".to_owned(),
        ));
    }
    let attestation = Attestation::from_parsed(value).map_err(|error| invalid(error.to_string())).and_then(
        |found| match url_of(source) {
            Some(url) if url != found.uri() => Err(Refusal::new(
                Reason::CrossCheckMismatch,
                "the attestation says that its place is another URL than the one that it was fetched from",
            )),
            _ => Ok(found),
        },
    );
    Ok(Document { report: None, attestation })
}

fn verify_all(
    verifier: &Verifier,
    attestation: &Attestation,
    parents: &[Vec<u8>],
    expect: Expect<'_>,
) -> Result<Verified, Refusal> {
    if parents.is_empty() {
        let mut verified = verifier.verify(attestation, expect)?;
        if attestation.parent().is_some() {
            verified.warnings.push("it names a parent: give it with --parent to check the chain".to_owned());
        }
        return Ok(verified);
    }
    let mut chain = parents.iter().map(|bytes| verify::read(bytes)).collect::<Result<Vec<_>, _>>()?;
    chain.push(attestation.clone());
    verifier.verify_chain(&chain, expect)
}

fn answer(
    mode: Mode,
    decision: Proceed,
    attestation: Option<&Attestation>,
    verified: Option<Verified>,
    refusal: Option<Refusal>,
) -> Answer {
    let refusal = refusal.filter(|refusal| mode.verifies() || refusal.reason == Reason::AttestationAbsent);
    let valid = verified.is_some();
    Answer {
        valid: mode.verifies().then_some(valid),
        proceed: decision.proceed,
        reason: refusal.as_ref().map(|refusal| refusal.reason.as_str()),
        detail: refusal.map(|refusal| refusal.detail),
        mode: mode.as_str(),
        attestation_id: attestation.map(|found| found.id().to_owned()),
        attestation_uri: attestation.map(|found| found.uri().to_owned()),
        digest: attestation.map(Attestation::digest),
        key_id: attestation.map(|found| found.key_id().to_owned()),
        key_state: verified.as_ref().map(|found| KeyState::as_str(found.key_state)),
        instance: attestation.map(|found| found.origin().to_string()),
        timestamp: attestation.map(|found| found.timestamp_text().to_owned()),
        risk_assessment: attestation
            .filter(|_| valid)
            .and_then(|found| found.risk_assessment().map(str::to_owned)),
        permitted: None,
        log: verified.as_ref().and_then(transparency::shown),
        warnings: verified.map(|found| found.warnings).unwrap_or_default(),
    }
}

fn print_human(answer: &Answer) {
    let mut text = String::new();
    let mut line = |words: String| {
        text.push_str(&escape(&words));
        text.push('\n');
    };
    let verdict = answer.risk_assessment.as_deref().unwrap_or("no verdict");
    match (answer.valid, answer.reason) {
        (Some(true), _) => line(format!("valid, and its verdict is: {verdict}")),
        (Some(false), reason) => line(format!("not valid: {}", reason.unwrap_or("unknown"))),
        (None, Some(reason)) => line(format!("not looked at: {reason}")),
        (None, None) => line("not looked at".to_owned()),
    }
    if let Some(detail) = &answer.detail {
        line(format!("  {detail}"));
    }
    let key = answer.key_id.as_ref().map(|key| match answer.key_state {
        Some(state) => format!("{key} ({state})"),
        None => key.clone(),
    });
    for (name, value) in [
        ("attestation", &answer.attestation_id),
        ("instance", &answer.instance),
        ("key", &key),
        ("time", &answer.timestamp),
    ] {
        if let Some(value) = value {
            line(format!("  {name:<12} {value}"));
        }
    }
    if let Some(log) = &answer.log {
        line(format!("  {:<12} {}", "log", transparency::in_words(log)));
    }
    for warning in &answer.warnings {
        line(format!("  warning: {warning}"));
    }
    if answer.permitted == Some(false) {
        line(format!("  the verdict {verdict} does not permit it"));
    }
    match answer.proceed {
        true => line(format!("mode {}: go on", answer.mode)),
        false => line(format!("mode {}: do not go on; a person must decide", answer.mode)),
    }
    output::print(&text);
}
