//! `doctor`: what is and is not covered on this machine, one table: programs, settings, what is guarded, what is kept.

mod covered;
mod kept;
mod logged;
mod repair;

use std::env;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{self, IsTerminal};
use std::path::Path;

use serde::Serialize;
use serde_json::json;

use crate::attest::Places;
use crate::attest::beside;
use crate::attest::keys::KeyStore;
use crate::config::Config;
use crate::proof::{InForce, in_force, shared};
use crate::text::{count, escape, wrap};

use super::common::Format;
use super::knowledge::own_problems;
use super::output::{self, Failure};
use super::setup;

#[derive(Debug, clap::Args)]
pub(super) struct DoctorArgs {
    /// Form of the output
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
    /// Close to others what is recourse's own, where something opened it, before looking
    #[arg(long)]
    pub(super) repair: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    /// As it should be.
    Good,
    /// Something is covered less well.
    Lacking,
    /// Judging fails until it is mended.
    Broken,
}

#[derive(Serialize)]
struct Finding {
    what: &'static str,
    state: State,
    detail: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

impl Finding {
    fn new(what: &'static str, state: State, detail: String) -> Self {
        Self { what, state, detail, next: None }
    }

    fn then(self, next: &str) -> Self {
        Self { next: Some(next.to_owned()), ..self }
    }
}

/// Programs, what they are for, and what is missing without them.
const PROGRAMS: &[(&str, &str)] = &[
    ("bash", "`recourse exec -c` cannot run shell text"),
    ("git", "commits, branches and stashes cannot be looked at; acting on them needs a human's look"),
    ("sqlite3", "rows in SQLite files cannot be counted; changing them counts as a loss"),
];

/// Where details begin on the page.
const INDENT: usize = 25;

pub(super) fn run(args: &DoctorArgs) -> Result<u8, Failure> {
    if args.repair {
        mend()?;
    }
    let mut found = vec![Finding::new(
        "version",
        State::Good,
        format!("recourse {} on {}", env!("CARGO_PKG_VERSION"), env::consts::OS),
    )];
    for (program, without) in PROGRAMS {
        found.push(match which(program) {
            Some(path) => Finding::new(program, State::Good, path),
            None => Finding::new(program, State::Lacking, format!("not found: {without}")),
        });
    }
    found.push(match which("terraform").or_else(|| which("tofu")) {
        Some(path) => Finding::new("terraform", State::Good, path),
        None => {
            let detail = "not found; only needed for `recourse exec -- terraform apply`".to_owned();
            Finding::new("terraform", State::Good, detail)
        }
    });
    let terminal = OpenOptions::new().read(true).write(true).open("/dev/tty").is_ok();
    found.push(Finding::new(
        "terminal",
        State::Good,
        if terminal {
            "`recourse exec` can ask here".to_owned()
        } else {
            "none: `recourse exec` refuses where it would ask".to_owned()
        },
    ));
    found.push(knowledge());
    let policy = setup::working_directory(None).and_then(|cwd| setup::policy(&cwd));
    found.push(match policy {
        Ok(policy) => {
            let files: Vec<&str> = policy.layers().iter().map(|layer| layer.name()).collect();
            let detail = if files.is_empty() {
                "built in".to_owned()
            } else {
                format!("built in, {}", files.join(", "))
            };
            Finding::new("policy", State::Good, detail)
        }
        Err(failure) => Finding::new("policy", State::Broken, failure.message)
            .then("mend that file; `recourse doctor` says whether it can be read"),
    });
    found.extend(modes());
    found.push(kept::kept());
    found.extend(beside_us());
    found.extend(covered::covered());
    found.extend(attestation());
    if env::var_os("BASH_ENV").is_some_and(|value| !value.is_empty()) {
        let detail = "set: bash runs that file before anything else, which is not judged".to_owned();
        found.push(Finding::new("BASH_ENV", State::Lacking, detail));
    }
    let broken = found.iter().any(|finding| finding.state == State::Broken);
    if args.format == Format::Json {
        output::print_json(&json!({"healthy": !broken, "findings": found}))?;
    } else {
        output::print(&table(&found));
    }
    Ok(u8::from(broken))
}

/// The findings, a row each, with what to do about it below.
fn table(found: &[Finding]) -> String {
    let mut page = String::new();
    // Whoever reads it through a pipe wants a finding a line.
    let columns = io::stdout().is_terminal().then(|| output::style().width);
    for finding in found {
        let mark = match finding.state {
            State::Good => "ok",
            State::Lacking => "lacking",
            State::Broken => "BROKEN",
        };
        let detail = escape(&finding.detail);
        let mut lines = match columns {
            Some(columns) => wrap(&detail, columns.saturating_sub(INDENT + 1)),
            None => vec![detail],
        }
        .into_iter();
        let first = lines.next().unwrap_or_default();
        let _ = writeln!(page, "{mark:<8} {:<15} {first}", finding.what);
        for line in lines {
            let _ = writeln!(page, "{:INDENT$}{line}", "");
        }
        if let Some(next) = &finding.next {
            let _ = writeln!(page, "{:INDENT$}next: {}", "", escape(next));
        }
    }
    page
}

/// What is known, and whether the user's own files say what they mean.
fn knowledge() -> Finding {
    let what = "knowledge";
    let known = match setup::knowledge() {
        Ok(known) => known,
        Err(failure) => return Finding::new(what, State::Broken, failure.message),
    };
    let problems = match own_problems() {
        Ok(problems) => problems,
        Err(why) => {
            return Finding::new(what, State::Lacking, format!("your own files are not checked: {why}"));
        }
    };
    if let Some(first) = problems.first() {
        let more = match problems.len() {
            1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        let detail = format!("{first}{more}; `recourse knowledge check` shows all of it");
        return Finding::new(what, State::Lacking, detail);
    }
    let detail = format!(
        "{} tools, {} kinds, {} Terraform types",
        known.tool_names().len(),
        known.kind_names().len(),
        known.terraform_types().len()
    );
    Finding::new(what, State::Good, detail)
}

/// Closes what is ours, and says how much that was.
fn mend() -> Result<(), Failure> {
    let places = setup::places()?;
    let mut failed = Vec::new();
    let open = repair::open(&places, &mut |open| failed.extend(open.close().err()));
    for why in &failed {
        output::error(why);
    }
    let done = count((open.len() - failed.len()) as u64, "place");
    output::note(&if open.is_empty() {
        "nothing of recourse's own is open to others".to_owned()
    } else {
        format!("closed to others: {done} of recourse's own")
    });
    if open.iter().any(|open| open.path.extension().is_some_and(|ending| ending == "pem")) {
        output::note("a key was among them: others may have read it; `recourse keys rotate` makes a new one");
    }
    Ok(())
}

/// What of ours others can get at, or we cannot.
fn modes() -> Option<Finding> {
    let open = repair::open(&setup::places().ok()?, &mut |_| {});
    let first = open.first()?;
    let detail = format!(
        "{} of recourse's own with a mode that lets others in or us out, {} first: nothing is kept or undone",
        count(open.len() as u64, "place"),
        first.path.display()
    );
    Some(Finding::new("modes", State::Broken, detail).then("recourse doctor --repair"))
}

/// The program beside this one: what stands at the prompt does without it, the rest does not.
fn beside_us() -> Option<Finding> {
    let why = beside::command().err()?;
    let detail =
        format!("{why}; until then `log`, `scan`, `mcp`, `serve` and completions fail (judging goes on)");
    Some(Finding::new("recourse-net", State::Lacking, detail))
}

/// What there is to say about keys and the audit log; where there is neither, what they would be for.
fn attestation() -> Vec<Finding> {
    let Ok(places) = setup::places() else { return Vec::new() };
    let mut found = Vec::new();
    let keys = KeyStore::open(&places);
    match keys.registry().and_then(|registry| Ok((registry, keys.warnings()?))) {
        Ok((None, _)) => {}
        Ok((Some(registry), warnings)) if warnings.is_empty() => {
            let active = registry.active().map_or("none", |key| key.key_id.as_str());
            let detail = format!("{} of {}, {active} signs", registry.keys.len(), registry.instance_id);
            found.push(Finding::new("keys", State::Good, detail));
        }
        Ok((Some(_), warnings)) => {
            found.extend(warnings.into_iter().map(|detail| Finding::new("keys", State::Lacking, detail)))
        }
        Err(error) => {
            found.push(Finding::new("keys", State::Lacking, error.to_string()));
        }
    }
    found.extend(logged::logged(&places));
    found.extend(shared_with_others(&places));
    if found.is_empty() {
        let detail = "not set up, and you are guarded without it: it signs what was judged and decided, so that \
            somebody else can check it later (docs/attestation.md)";
        found.push(Finding::new("attestation", State::Good, detail.to_owned()));
    }
    found
}

/// What is had from other machines or shared with them: the program that speaks with them, the store, the organisation's bundle.
fn shared_with_others(places: &Places) -> Vec<Finding> {
    let config = Config::load().unwrap_or_default().attestation;
    let mut found = Vec::new();
    if let Some(shared) = shared(&config) {
        found.push(match shared.read("probe/doctor") {
            Ok(_) => Finding::new("store", State::Good, format!("{} answers", shared.address())),
            Err(error) => Finding::new("store", State::Lacking, error.to_string()),
        });
    }
    if let Some(trust) = &config.trust {
        found.push(match in_force(trust, places) {
            Ok(InForce { warning: Some(warning), .. }) => {
                Finding::new("trust bundle", State::Lacking, warning)
            }
            Ok(InForce { bundle, .. }) => {
                let (serial, until) = (bundle.serial, bundle.expires_at);
                let detail = format!("{}: number {serial}, until {until}", escape(&bundle.organisation));
                Finding::new("trust bundle", State::Good, detail)
            }
            Err(failure) => Finding::new("trust bundle", State::Lacking, failure.to_string()),
        });
    }
    found
}

/// The first executable file of this name along PATH.
pub(super) fn which(name: &str) -> Option<String> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|dir| dir.join(OsStr::new(name)))
        .find(|file| is_executable(file))
        .map(|file| file.display().to_string())
}

fn is_executable(file: &Path) -> bool {
    file.is_file() && nix::unistd::access(file, nix::unistd::AccessFlags::X_OK).is_ok()
}
