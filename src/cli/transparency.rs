//! `log checkpoint`, `log prove`, `log key`: the transparency log; and the options that demand a log.
//!
//! Owns options, output and exit statuses. Every check is [`crate::attest::tlog`]'s.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Subcommand, ValueHint};
use serde_json::{Value, json};

use crate::attest::document::is_id;
use crate::attest::tlog::ask::{Asked, Said};
use crate::attest::tlog::book::{Log, LogError, Wanted};
use crate::attest::tlog::proof;
use crate::attest::tlog::{LogPolicy, Logged, Proof, Vkey};
use crate::attest::{Failure as Refusal, Reason, Verified};
use crate::config::{AttestationConfig, Config, most};
use crate::proof::{ProofError, WentOn, go_on, keep_log, log_policy, open_log};
use crate::text::escape;

use super::common::Format;
use super::output::{self, Failure};
use super::{setup, status};

#[derive(Debug, Subcommand)]
pub(super) enum TransparencyCommand {
    /// Put everything that was signed or recorded into the transparency log, sign it, and ask its witnesses
    Checkpoint {
        /// Form of the output
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Print the proof that something is in the transparency log, or that the log only grew
    Prove(ProveArgs),
    /// Print the transparency log's key, for those who verify or witness it
    Key,
    /// Witness transparency logs of others: cosign what only grew since it was seen last
    Witness(WitnessArgs),
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
pub(super) struct ProveArgs {
    /// The attestation's id
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// The registry of keys that is in force
    #[arg(long)]
    registry: bool,
    /// An event of the audit log, by its number
    #[arg(long, value_name = "N")]
    event: Option<u64>,
    /// That the log goes on from so many leaves
    #[arg(long, value_name = "SIZE")]
    since: Option<u64>,
}

/// Options that demand a log.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Transparency log")]
pub(super) struct LogDemand {
    /// Refuse what no transparency log is shown to hold, the registry that its key stands in included
    #[arg(long)]
    require_log: bool,
    /// The key of a log that is believed [default: as configured, else this instance's own]
    #[arg(long, value_name = "KEY", requires = "require_log")]
    log_key: Vec<Vkey>,
    /// The key of a witness that is believed [default: as configured]
    #[arg(long, value_name = "KEY", requires = "require_log")]
    witness: Vec<Asked>,
    /// How many of the witnesses must have seen the log [default: as configured, else most of them]
    #[arg(long, value_name = "K", requires = "require_log")]
    witness_quorum: Option<usize>,
    /// A proof, instead of the one that is published: of the attestation, of the registry, of each link of a chain; repeated
    #[arg(long, value_name = "FILE", requires = "require_log", value_hint = ValueHint::FilePath)]
    proof: Vec<PathBuf>,
}

impl LogDemand {
    /// What is demanded, with what is configured.
    pub(super) fn policy(&self, config: &AttestationConfig) -> Result<Option<LogPolicy>, Failure> {
        if !self.require_log && !config.log.require {
            return Ok(None);
        }
        let mut policy = match crate::config::user_places() {
            Some(places) => {
                log_policy(config, &places).map_err(|error| Failure::internal(error.to_string()))?
            }
            None => LogPolicy::default(),
        };
        if !self.log_key.is_empty() {
            policy.logs.clone_from(&self.log_key);
        }
        if !self.witness.is_empty() {
            policy.witnesses = self.witness.iter().map(|one| one.key.clone()).collect();
            policy.quorum = most(policy.witnesses.len());
        }
        policy.quorum = self.witness_quorum.unwrap_or(policy.quorum);
        if policy.logs.is_empty() {
            return Err(Failure::usage(
                "no log is believed: give its key with --log-key, as `recourse log key` prints it on its own machine",
            ));
        }
        if policy.quorum > policy.witnesses.len() {
            return Err(Failure::usage(format!(
                "{} witnesses are demanded and {} are known: give their keys with --witness",
                policy.quorum,
                policy.witnesses.len()
            )));
        }
        Ok(Some(policy))
    }

    /// The proofs that were given, or why none of what was given is one.
    pub(super) fn proofs(&self) -> Result<Result<Vec<Proof>, Refusal>, Failure> {
        let (mut proofs, mut none) = (Vec::new(), None);
        for path in &self.proof {
            let bytes = setup::read_input(path, proof::LIMIT as u64)?;
            match Proof::parse(&bytes) {
                Ok(proof) => proofs.push(proof),
                Err(error) => {
                    let why = format!("{} is no proof: {error}", path.display());
                    none = Some(Refusal::new(Reason::NotLogged, why));
                }
            }
        }
        Ok(match none.filter(|_| proofs.is_empty()) {
            Some(refusal) => Err(refusal),
            None => Ok(proofs),
        })
    }
}

/// Where a log holds an attestation and the registry behind it, as it is printed.
pub(super) fn shown(verified: &Verified) -> Option<Value> {
    let place = |logged: &Logged| {
        json!({
            "origin": logged.origin, "index": logged.index, "size": logged.size, "witnesses": logged.witnesses,
        })
    };
    let mut shown = place(verified.logged.as_ref()?);
    if let (Some(registry), Some(shown)) = (&verified.registry_logged, shown.as_object_mut()) {
        shown.insert("registry".to_owned(), place(registry));
    }
    Some(shown)
}

/// The same in words.
pub(super) fn in_words(log: &Value) -> String {
    let text = |name: &str| log.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let number = |name: &str| log.get(name).and_then(Value::as_u64).unwrap_or_default();
    let witnesses = log.get("witnesses").and_then(Value::as_array).map_or(0, Vec::len);
    let seen = match witnesses {
        0 => String::new(),
        1 => ", seen by 1 witness".to_owned(),
        n => format!(", seen by {n} witnesses"),
    };
    let place = format!("leaf {} of {} in {}{seen}", number("index"), number("size"), text("origin"));
    match log.get("registry") {
        Some(registry) => format!("{place}; its registry: {}", in_words(registry)),
        None => place,
    }
}

#[derive(Debug, clap::Args)]
pub(super) struct WitnessArgs {
    /// Where to listen
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7472")]
    pub(super) listen: SocketAddr,
    /// The key of a log to witness, as `recourse log key` prints it there; repeated for more
    #[arg(long = "log", value_name = "KEY", required = true)]
    pub(super) logs: Vec<Vkey>,
    /// The witness's name, once and for all: a host and path without a scheme
    #[arg(long, value_name = "NAME", required = true)]
    pub(super) name: String,
}

/// What serves as a witness.
pub(super) type Witnessing = fn(&WitnessArgs) -> Result<u8, Failure>;

pub(super) fn run(command: &TransparencyCommand, witness: Witnessing) -> Result<u8, Failure> {
    match command {
        TransparencyCommand::Checkpoint { format } => checkpoint(*format),
        TransparencyCommand::Prove(args) => prove(args),
        TransparencyCommand::Key => key(),
        TransparencyCommand::Witness(args) => witness(args),
    }
}

/// Says what the operator should know of a log that went on. True: somebody has to look at it.
pub(super) fn warn(went_on: &WentOn) -> bool {
    let mut wrong = went_on.left_out;
    for note in &went_on.notes {
        output::note(&escape(note));
    }
    for (name, said) in &went_on.witnesses {
        let what = match said {
            Said::Saw => continue,
            Said::Nothing(why) => format!("did not answer: {why}"),
            Said::Forgot(why) => format!("saw it, but {why}"),
            Said::Contradicts(why) => {
                wrong = true;
                why.clone()
            }
        };
        output::note(&escape(&format!("witness {name}: {what}")));
    }
    wrong
}

fn failure(error: &LogError) -> Failure {
    match error {
        LogError::None | LogError::NotYet(_) | LogError::Contradicted(_) => Failure::usage(error.to_string()),
        other => Failure::internal(other.to_string()),
    }
}

fn checkpoint(format: Format) -> Result<u8, Failure> {
    let (config, places) = (Config::load()?.attestation, setup::places()?);
    let own = |error: ProofError| Failure::internal(error.to_string());
    let log = open_log(&config, &places).map_err(own)?;
    keep_log(&config, &log, true).map_err(own)?;
    mend(&log)?;
    let went_on = go_on(&config, &log).map_err(|error| failure(&error))?;
    let wrong = warn(&went_on);
    let note = log.checkpoint().map_err(|error| failure(&error))?;
    let seen: Vec<&str> =
        config.log.witnesses.iter().filter(|one| saw(note.as_ref(), one)).map(|one| one.key.name()).collect();
    if format == Format::Json {
        output::print_json(&json!({
            "size": went_on.size, "added": went_on.added, "witnesses": seen,
            "checkpoint": note.map(|note| note.to_string()),
        }))?;
    } else {
        let mut page = format!("transparency log: {} leaves, {} new\n", went_on.size, went_on.added);
        if !config.log.witnesses.is_empty() {
            let _ = writeln!(page, "seen by {} of {} witnesses", seen.len(), config.log.witnesses.len());
        }
        output::print(&page);
    }
    super::tidy::tidy();
    Ok(if wrong { status::INVALID } else { 0 })
}

/// Makes hashes that are damaged again from the leaves, and says so.
pub(super) fn mend(log: &Log) -> Result<(), Failure> {
    if log.mend().map_err(|error| failure(&error))? {
        output::note("hashes of the transparency log were damaged, and were made again from its leaves");
    }
    Ok(())
}

fn saw(note: Option<&crate::attest::tlog::Note>, one: &Asked) -> bool {
    note.is_some_and(|note| matches!(note.signed_by(&one.key), Ok(Some(_))))
}

fn prove(args: &ProveArgs) -> Result<u8, Failure> {
    let log = open_log(&Config::load()?.attestation, &setup::places()?)
        .map_err(|error| Failure::internal(error.to_string()))?;
    if let Some(since) = args.since {
        let (hashes, note) = log.goes_on_from(since).map_err(|error| failure(&error))?;
        output::print(&crate::attest::tlog::witness::request(since, &hashes, &note));
        return Ok(0);
    }
    let wanted = match (&args.id, args.event) {
        (Some(id), _) if !is_id(id) => {
            return Err(Failure::usage("an attestation's id is 32 lower-case hexadecimal digits"));
        }
        (Some(id), _) => Wanted::Attestation(id.clone()),
        (None, Some(event)) => Wanted::Audit(event),
        (None, None) => Wanted::Registry,
    };
    let (proof, _) = log.prove(&wanted).map_err(|error| failure(&error))?;
    output::print(&proof.to_string());
    Ok(0)
}

fn key() -> Result<u8, Failure> {
    let log = open_log(&Config::load()?.attestation, &setup::places()?)
        .map_err(|error| Failure::internal(error.to_string()))?;
    let vkey = log.vkey().map_err(|error| failure(&error))?.ok_or_else(|| failure(&LogError::None))?;
    output::print(&format!("{vkey}\n"));
    Ok(0)
}
