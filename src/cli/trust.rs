//! `trust`: the bundle of an organisation: made and signed there, followed here.
//!
//! Owns options, files and output. What counts is [`crate::attest::trust`]'s, what is kept [`crate::proof`]'s.

use std::path::PathBuf;

use clap::{Subcommand, ValueHint};
use serde_json::{Value, json};

use crate::attest::tlog::Kind;
use crate::attest::tlog::signer::NoteSigner;
use crate::attest::trust::{BUNDLE_LIMIT, Bundle, TrustError, VERSION};
use crate::attest::{Reason, Time};
use crate::config::{Config, TrustConfig};
use crate::proof::{InForce, follow, in_force, refresh, trust_signer};
use crate::text::escape;

use super::common::Format;
use super::output::{self, Failure};
use super::{setup, status};

#[derive(Debug, Subcommand)]
pub(super) enum TrustCommand {
    /// Make a key that signs bundles where there is none, and print its public half for `keys` under [trust]
    Key {
        /// The file of the private key
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: PathBuf,
        /// Its name, for example `trust.acme.example/1`
        #[arg(long, value_name = "NAME")]
        name: String,
    },
    /// Print a bundle of a description in TOML, signed; or a bundle with one more signature
    Sign(SignArgs),
    /// Ask for the bundle that this machine follows, and accept it
    Refresh,
    /// Print what is in force here
    Show {
        /// Form of the output
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
}

#[derive(Debug, clap::Args)]
pub(super) struct SignArgs {
    /// The file of the private key
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    key: PathBuf,
    /// The key's name
    #[arg(long, value_name = "NAME")]
    name: String,
    /// The bundle before it: the number goes on from there [default: this is the first]
    #[arg(long, value_name = "BUNDLE", value_hint = ValueHint::FilePath)]
    previous: Option<PathBuf>,
    /// In how many days it ends
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(i64).range(1..=400))]
    days: i64,
    /// The description, or a bundle
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: PathBuf,
}

pub(super) fn run(command: &TrustCommand) -> Result<u8, Failure> {
    match command {
        TrustCommand::Key { file, name } => {
            output::print(&format!("{}\n", signer(file, name, true)?.vkey()));
            Ok(0)
        }
        TrustCommand::Sign(args) => sign(args),
        TrustCommand::Refresh => ask(),
        TrustCommand::Show { format } => show(*format),
    }
}

fn signer(file: &std::path::Path, name: &str, make: bool) -> Result<NoteSigner, Failure> {
    trust_signer(&Config::load()?.attestation, file, name, make)
        .map_err(|error| Failure::usage(error.to_string()))
}

fn wrong(path: &std::path::Path) -> impl Fn(TrustError) -> Failure {
    let path = path.display().to_string();
    move |error| Failure::usage(format!("{path}: {error}"))
}

fn sign(args: &SignArgs) -> Result<u8, Failure> {
    let signer = signer(&args.key, &args.name, false)?;
    debug_assert_eq!(signer.vkey().kind(), Kind::Log);
    let bytes = setup::read_input(&args.file, BUNDLE_LIMIT as u64)?;
    let is_bundle = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
    let mut bundle = match is_bundle {
        true => Bundle::parse(&bytes).map_err(wrong(&args.file))?,
        false => described(args, &bytes)?,
    };
    bundle.add(signer.sign(bundle.text(), 0).trim_end()).map_err(wrong(&args.file))?;
    output::print_json(&bundle.to_value())?;
    Ok(0)
}

/// The bundle of a description.
fn described(args: &SignArgs, bytes: &[u8]) -> Result<Bundle, Failure> {
    let name = args.file.display();
    let text = std::str::from_utf8(bytes).map_err(|_| Failure::usage(format!("{name}: not valid text")))?;
    let mut document: Value = toml::from_str(text)
        .map_err(|error| Failure::usage(format!("{name}: {}", error.to_string().trim_end())))?;
    let serial = match &args.previous {
        None => 1,
        Some(path) => {
            let previous = setup::read_input(path, BUNDLE_LIMIT as u64)?;
            Bundle::parse(&previous).map_err(wrong(path))?.serial + 1
        }
    };
    let now = Time::now();
    if let Some(members) = document.as_object_mut() {
        for given in ["version", "serial", "issued_at", "expires_at", "signatures"] {
            if members.contains_key(given) {
                return Err(Failure::usage(format!(
                    "{name}: `{given}` is not for the description: it is filled in"
                )));
            }
        }
        if let Some(instances) = members.remove("instance") {
            members.insert("instances".to_owned(), instances);
        }
        members.insert("version".to_owned(), json!(VERSION));
        members.insert("serial".to_owned(), json!(serial));
        members.insert("issued_at".to_owned(), json!(now.to_string()));
        members.insert("expires_at".to_owned(), json!(now.plus_seconds(args.days * 86_400).to_string()));
    }
    Bundle::from_document(document, Vec::new()).map_err(wrong(&args.file))
}

fn configured() -> Result<TrustConfig, Failure> {
    let none =
        || Failure::usage("no bundle is followed here: `bundle` and `keys` under [trust] in config.toml");
    Config::load()?.attestation.trust.ok_or_else(none)
}

fn refused(failure: &crate::attest::Failure) -> u8 {
    output::error(&escape(&failure.to_string()));
    match failure.reason {
        Reason::NetworkError | Reason::LocalFault => status::UNCHECKED,
        _ => status::INVALID,
    }
}

fn ask() -> Result<u8, Failure> {
    let trust = configured()?;
    match refresh(&trust, &setup::places()?) {
        Ok(InForce { bundle, .. }) => {
            output::print(&escape(&format!(
                "{}: number {}, {} instances, until {}",
                bundle.organisation,
                bundle.serial,
                bundle.instances.len(),
                bundle.expires_at
            )));
            output::print("\n");
            Ok(0)
        }
        Err(failure) => Ok(refused(&failure)),
    }
}

fn show(format: Format) -> Result<u8, Failure> {
    let places = setup::places()?;
    let found = match in_force(&configured()?, &places) {
        Ok(found) => found,
        Err(failure) => return Ok(refused(&failure)),
    };
    let (config, _) = follow(Config::load()?.attestation, Some(&places));
    let counts = config.followed.as_ref().and_then(|followed| followed.0.as_ref().ok());
    let counts: Vec<String> = counts.into_iter().flatten().map(|one| one.origin.to_string()).collect();
    let said = json!({
        "organisation": found.bundle.organisation, "serial": found.bundle.serial,
        "issuedAt": found.bundle.issued_at.to_string(), "expiresAt": found.bundle.expires_at.to_string(),
        "fetchedAt": found.fetched_at.to_string(), "instances": counts,
        "mode": config.mode.as_str(), "maxAge": config.max_age.map(|age| age.as_secs()),
        "requireLog": config.log.require, "warning": found.warning,
    });
    if format == Format::Json {
        output::print_json(&said)?;
        return Ok(0);
    }
    let mut page = format!(
        "{}: number {}, until {}\nmode here: {}\ninstances that count here:\n",
        found.bundle.organisation, found.bundle.serial, found.bundle.expires_at, config.mode
    );
    counts.iter().for_each(|one| page.push_str(&format!("  {one}\n")));
    if let Some(warning) = &found.warning {
        page.push_str(&format!("warning: {warning}\n"));
    }
    output::print(&page);
    Ok(0)
}
