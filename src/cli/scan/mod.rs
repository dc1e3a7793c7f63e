//! `scan`: what the files of a tree would destroy where they run, each part judged as on a machine that is not this one.

mod args;
mod baseline;
mod finding;
mod human;
mod judge;
mod sarif;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;

use crate::model::Verdict;
use crate::order;
use crate::scan::{Bounds, TREE, Walked, walk};
use crate::world::Tree;

use super::output::{self, Failure};
use super::setup::Setup;
use super::status;

pub(super) use args::ScanArgs;
use args::ScanFormat;
use baseline::Baseline;
use finding::{Finding, Unseen};

/// Version of the JSON form.
const VERSION: &str = "recourse.scan.v1";

/// The JSON Schema of the JSON form, as published in `docs/scan.schema.json`.
pub(super) const SCHEMA: &str = include_str!("../../../docs/scan.schema.json");

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
    /// Files that were found.
    names: usize,
    /// Files that were read.
    files: usize,
    /// Things in them that run something.
    pieces: usize,
    block: usize,
    escalate: usize,
    warn: usize,
    /// Of those to decide: where only something unknown speaks against it.
    unknown: usize,
    /// Findings that the baseline has.
    baseline: usize,
    not_read: usize,
}

impl Summary {
    fn count(&mut self, findings: &[Finding]) {
        for finding in findings {
            match finding.verdict {
                _ if finding.known => self.baseline += 1,
                Verdict::Block => self.block += 1,
                Verdict::Escalate => self.escalate += 1,
                Verdict::Warn => self.warn += 1,
                Verdict::Allow => {}
            }
            self.unknown += usize::from(finding.unknown && !finding.known);
        }
    }
}

pub(super) fn run(args: &ScanArgs) -> Result<u8, Failure> {
    let setup = Setup::new(&args.common())?;
    let known = args.baseline.as_deref().map(Baseline::read).transpose()?;
    let mut here: Vec<(String, PathBuf)> = Vec::new();
    for path in args.paths() {
        let real = setup.context.cwd.join(&path);
        if !real.exists() {
            return Err(Failure::usage(format!("{}: no such file or directory", path.display())));
        }
        here.push((path.to_string_lossy().into_owned(), real));
    }
    let walked = walk(&here, Bounds::default(), &setup.world);
    let tree = Arc::new(tree(&walked));
    let mut summary =
        Summary { names: walked.names.len(), files: walked.sources.len(), ..Summary::default() };
    let judged = judge::all(&walked, &tree, &setup, args.seconds());
    summary.pieces = judged.pieces;
    let mut findings = judged.findings;
    order::by(&mut findings, Finding::order);
    if let Some(known) = &known {
        findings.iter_mut().for_each(|finding| finding.known = known.has(&finding.fingerprint));
    }
    summary.count(&findings);
    summary.not_read = judged.unseen.len();
    let new = findings.iter().filter(|finding| !finding.known);
    let verdict = new.map(|finding| finding.verdict).max().unwrap_or(Verdict::Allow);
    if let Some(path) = &args.write_baseline {
        baseline::write(path, &findings)?;
    }
    let report = Report { schema_version: VERSION, verdict, summary, findings, not_read: judged.unseen };
    match args.format {
        ScanFormat::Human => output::print(&human::page(&report, args.all, output::style())),
        ScanFormat::Json => output::print_json(&report)?,
        ScanFormat::Sarif => output::print_json(&sarif::log(&report))?,
    }
    // What is written down as known is no failure of the run that writes it.
    let verdict = if args.write_baseline.is_some() { Verdict::Allow } else { verdict };
    Ok(if judged.fault { status::INTERNAL } else { args.fail_on.status(verdict) })
}

/// The files of the trees, at the place where a working tree is thought to stand.
fn tree(walked: &Walked) -> Tree {
    let mut tree = Tree::new(TREE);
    for (name, real) in &walked.names {
        tree.add(Path::new(below(name)), real.clone());
    }
    tree
}

/// The name of a file without what would lead out of the tree.
fn below(name: &str) -> &str {
    let mut rest = name;
    while let Some(shorter) =
        rest.strip_prefix('/').or_else(|| rest.strip_prefix("../")).or_else(|| rest.strip_prefix("./"))
    {
        rest = shorter;
    }
    rest
}
