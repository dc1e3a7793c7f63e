//! The options of `scan`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ValueEnum, ValueHint};

use crate::cli::common::{Common, FailOn, profile};
use crate::policy::Profile;

/// Options of `scan`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct ScanArgs {
    /// Files and directories; what git ignores in a directory is left out [default: the current directory]
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    paths: Vec<PathBuf>,
    /// Form of the output
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: ScanFormat,
    /// Verdict from which on the exit status is not 0
    #[arg(long, value_enum, default_value_t = FailOn::Block, value_name = "VERDICT")]
    pub(super) fail_on: FailOn,
    /// Findings that are known already: they are counted and decide nothing
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) baseline: Option<PathBuf>,
    /// Write down all that is found as known, for --baseline
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) write_baseline: Option<PathBuf>,
    /// List what is only unknown too, which is otherwise counted
    #[arg(long)]
    pub(super) all: bool,
    /// Environment that it acts on, for example `production` [env: RECOURSE_ENVIRONMENT]
    #[arg(long, value_name = "NAME", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    environment: Option<String>,
    /// Whose rules to apply [env: RECOURSE_PROFILE]
    #[arg(long, value_name = "PROFILE", value_parser = profile())]
    profile: Option<Profile>,
    /// Seconds after which the rest is left unread, and said to be
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    timeout: u32,
}

/// Forms of output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum ScanFormat {
    /// For people
    #[default]
    Human,
    /// For programs
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
}

impl ScanArgs {
    /// The circumstances as other commands take them.
    pub(super) fn common(&self) -> Common {
        Common { environment: self.environment.clone(), profile: self.profile, ..Common::default() }
    }

    /// What is scanned.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        if self.paths.is_empty() { vec![PathBuf::from(".")] } else { self.paths.clone() }
    }

    /// How long it may take.
    pub(super) fn seconds(&self) -> Duration {
        Duration::from_secs(u64::from(self.timeout))
    }
}
