//! Options that several commands share: circumstances, forms of output, thresholds.

use std::path::PathBuf;

use clap::{ValueEnum, ValueHint};

use crate::model::Verdict;
use crate::policy::Profile;

/// Circumstances that every judging command takes.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct Common {
    /// Directory that the command would run in [default: the current one]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(super) cwd: Option<PathBuf>,
    /// Whose enforcement to state [env: RECOURSE_PROFILE]
    #[arg(long, value_name = "PROFILE", value_parser = profile())]
    pub(super) profile: Option<Profile>,
    /// Environment that it acts on, for example `production` [env: RECOURSE_ENVIRONMENT]
    #[arg(long, value_name = "NAME", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(super) environment: Option<String>,
    /// Who asks, as KIND/NAME with the kind human, agent, ci or service [env: RECOURSE_ACTOR]
    #[arg(long, value_name = "ID", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(super) actor: Option<String>,
    /// Whom an attestation is for: a host, or the machines of one kind; it counts nowhere else [env: RECOURSE_AUDIENCE]
    #[arg(long, value_name = "NAME", value_parser = audience)]
    pub(super) audience: Option<String>,
    /// Evidence gathered elsewhere, with the raw output that proves it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) evidence: Option<PathBuf>,
}

fn audience(text: &str) -> Result<String, &'static str> {
    let good = crate::config::is_audience(text);
    good.then(|| text.to_owned()).ok_or("is up to 200 printable ASCII characters without spaces")
}

#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct Threshold {
    /// Form of the output
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: ReportFormat,
    /// Verdict from which on the exit status is not 0
    #[arg(long, value_enum, default_value_t = FailOn::Block, value_name = "VERDICT")]
    pub(super) fail_on: FailOn,
    /// Sign the report, also where the configuration does not say so
    #[arg(long)]
    pub(super) attest: bool,
}

/// Forms of output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people
    #[default]
    Human,
    /// For programs
    Json,
}

/// Forms of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum ReportFormat {
    /// For people
    #[default]
    Human,
    /// For programs
    Json,
    /// For a comment on a pull request
    Markdown,
    /// For code scanning: SARIF 2.1.0
    Sarif,
    /// For a pipeline's table of tests: JUnit's XML
    Junit,
    /// For GitHub Actions: annotations
    Github,
    /// For Sigstore, in-toto and policy engines, with --attest: the attestation in a bundle v0.3
    Bundle,
}

/// Thresholds of `--fail-on`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FailOn {
    Warn,
    Escalate,
    Block,
    Never,
}

impl FailOn {
    /// The exit status for a verdict.
    pub(super) fn status(self, verdict: Verdict) -> u8 {
        let least = match self {
            Self::Warn => Verdict::Warn,
            Self::Escalate => Verdict::Escalate,
            Self::Block => Verdict::Block,
            Self::Never => return 0,
        };
        match verdict {
            below if below < least => 0,
            Verdict::Allow => 0,
            Verdict::Warn => 10,
            Verdict::Escalate => 20,
            Verdict::Block => 30,
        }
    }
}

/// Reads a profile.
pub(super) fn profile() -> impl clap::builder::TypedValueParser<Value = Profile> {
    use clap::builder::TypedValueParser as _;
    clap::builder::PossibleValuesParser::new(["human", "agent", "ci"]).try_map(|text| text.parse::<Profile>())
}
