//! `scan`: what the files of a tree would destroy where they run, each part judged as on a machine that is not this one.

mod args;
mod finding;
mod human;
mod judge;

use std::path::PathBuf;

use serde::Serialize;

use crate::model::Verdict;
use crate::scan::{Bounds, walk};

use super::output::{self, Failure};
use super::setup::Setup;
use super::status;

pub(super) use args::ScanArgs;
use args::ScanFormat;
use finding::{Finding, Unseen};

/// Version of the JSON form.
const VERSION: &str = "recourse.scan.v1";

/// What a scan gives.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    schema_version: &'static str,
    /// The worst of what is found and not in the baseline.
    verdict: Verdict,
    summary: Summary,
    /// The worst first.
    findings: Vec<Finding>,
    /// What was not read, or not to its end.
    not_read: Vec<Unseen>,
}

/// The whole in numbers.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    /// Names that were looked at.
    names: usize,
    /// Files that were read.
    files: usize,
    /// Things in them that run something.
    pieces: usize,
    block: usize,
    escalate: usize,
    warn: usize,
    not_read: usize,
}

impl Summary {
    fn count(&mut self, findings: &[Finding]) {
        for finding in findings {
            match finding.verdict {
                Verdict::Block => self.block += 1,
                Verdict::Escalate => self.escalate += 1,
                Verdict::Warn => self.warn += 1,
                Verdict::Allow => {}
            }
        }
    }
}

pub(super) fn run(args: &ScanArgs) -> Result<u8, Failure> {
    let setup = Setup::new(&args.common())?;
    let paths = args.paths();
    let here: Vec<(String, PathBuf)> = paths
        .iter()
        .map(|path| (path.to_string_lossy().into_owned(), setup.context.cwd.join(path)))
        .collect();
    if let Some((shown, _)) = here.iter().find(|(_, path)| !path.exists()) {
        return Err(Failure::usage(format!("{shown}: no such file or directory")));
    }
    let walked = walk(&here, Bounds::default(), &setup.world);
    let mut summary = Summary { names: walked.names, files: walked.sources.len(), ..Summary::default() };
    let judged = judge::all(&walked, &setup, args.seconds());
    summary.pieces = judged.pieces;
    let mut findings = judged.findings;
    findings.sort_by(Finding::order);
    summary.count(&findings);
    summary.not_read = judged.unseen.len();
    let verdict = findings.iter().map(|finding| finding.verdict).max().unwrap_or(Verdict::Allow);
    let report = Report { schema_version: VERSION, verdict, summary, findings, not_read: judged.unseen };
    match args.format {
        ScanFormat::Human => output::print(&human::page(&report, output::style())),
        ScanFormat::Json => output::print_json(&report)?,
    }
    Ok(if judged.fault { status::INTERNAL } else { args.fail_on.status(verdict) })
}
