//! `approve`: a person at a terminal allows what an agent was denied.

use std::path::Path;
use std::time::Duration;

use nix::unistd::{Uid, User};
use serde_json::json;

use crate::approvals::{ApprovalError, Approvals, Entry, Here, State, Uses, WINDOW, changed_since};
use crate::attest::time::Time;
use crate::attest::{Attestation, Places};
use crate::config::Config;
use crate::model::{Part, Secrets};
use crate::proof::{Approver, Event, Front, Gate, Proof, Record, follow};
use crate::text::escape;
use crate::world::RealWorld;

use super::output::{self, Failure};
use super::setup;

#[derive(Debug, clap::Args)]
pub(super) struct ApproveArgs {
    /// Say no instead: the same command is not asked about again for a while
    #[arg(long, requires = "id")]
    pub(super) deny: bool,
    /// The request, as the denial named it; without it, what waits is listed
    #[arg(value_name = "ID")]
    pub(super) id: Option<String>,
}

/// Files that a person is shown, at most.
const SHOWN: usize = 20;
/// A person said no, or it is no person.
const NO: u8 = 1;
pub(super) fn run(args: &ApproveArgs) -> Result<u8, Failure> {
    let places = setup::places()?;
    let store = Approvals::open(&places).map_err(failure)?;
    let Some(id) = &args.id else { return list(&store) };
    if let Some(doubt) = Here::doubt() {
        return Ok(refused(&format!(
            "{doubt}; a person approves in a terminal of their own that no agent started"
        )));
    }
    let entry = store.get(id).map_err(failure)?;
    let approver = approver();
    match entry.state {
        State::Approved => {
            output::note("it is approved already");
            return Ok(0);
        }
        State::Denied => return Ok(refused("it was denied; what was denied is asked about again later")),
        State::Requested if args.deny => {
            store.deny(&entry, &approver.user).map_err(failure)?;
            noted(&entry, Event::Denied, &places)?;
            output::note("denied");
            return Ok(0);
        }
        State::Requested => {}
    }
    if let Some(changed) = changed_since(&entry.files, &RealWorld::new()) {
        return Ok(refused(&format!("{changed} it was asked; let the agent ask again")));
    }
    let code = crate::prompt::code().map_err(|error| Failure::internal(error.to_string()))?;
    match crate::prompt::confirm(&described(&entry), &code) {
        Ok(Some(true)) => {}
        Ok(Some(false)) => return Ok(NO),
        Ok(None) => return Ok(refused("there is no terminal to ask at, or this runs in its background")),
        Err(error) => return Ok(refused(&format!("the terminal could not be asked: {error}"))),
    }
    let approval = attested(&entry, &approver, &places)?;
    store.approve(&entry, Uses::Once, WINDOW, &approver.user, approval.as_ref()).map_err(failure)?;
    noted(&entry, Event::Approved, &places)?;
    output::note(&format!(
        "approved: {} may do exactly this once within {} minutes",
        entry.asker,
        WINDOW.as_secs() / 60
    ));
    super::tidy::tidy();
    Ok(0)
}

/// What a person answered is recorded.
fn noted(entry: &Entry, event: Event, places: &Places) -> Result<(), Failure> {
    let config = Config::load()?.attestation.record;
    Record::from(&Front::Exec)
        // It was masked when it was asked for.
        .command(&entry.shown, Path::new(&entry.cwd), &Secrets::default())
        .with("riskAssessment", json!(entry.verdict))
        .with("asker", json!(escape(&entry.asker)))
        .with("request", json!(entry.id))
        .note(event, Some(places), &config);
    Ok(())
}

fn failure(error: ApprovalError) -> Failure {
    Failure::usage(error.to_string())
}

fn refused(why: &str) -> u8 {
    output::error(&format!("refused: {why}"));
    NO
}

fn list(store: &Approvals) -> Result<u8, Failure> {
    let now = Time::now().millis();
    let entries = store.list().map_err(failure)?;
    if entries.is_empty() {
        output::note("nothing waits for a person");
    }
    for entry in entries {
        let left = Duration::from_millis(u64::try_from(entry.expires - now).unwrap_or(0)).as_secs() / 60;
        let state = match entry.state {
            State::Requested => "waits",
            State::Approved => "approved",
            State::Denied => "denied",
        };
        output::print(&format!(
            "{}  {state}, {} min left  {}  in {}\n    {}\n    {}\n",
            entry.id,
            left + 1,
            escape(&entry.asker),
            escape(&entry.cwd),
            escape(&entry.shown),
            escape(&entry.reason),
        ));
    }
    Ok(0)
}

/// What the person reads before the question. Line breaks of the command stay; all else that hides is made visible.
fn described(entry: &Entry) -> String {
    let command: Vec<String> = entry.shown.lines().map(|line| format!("    {}", escape(line))).collect();
    let follows: Vec<String> = entry
        .files
        .iter()
        .filter(|file| file.part == Part::Script)
        .take(SHOWN)
        .map(|file| format!("    {}\n", escape(&file.path)))
        .collect();
    let files = match follows.is_empty() {
        true => String::new(),
        false => format!("It follows these files, as they are now:\n\n{}\n", follows.concat()),
    };
    format!(
        "\n{} wants to run in {}:\n\n{}\n\n{files}{}: {}\n\nTyping the code allows exactly this, once, within {} minutes.\n",
        escape(&entry.asker),
        escape(&entry.cwd),
        command.join("\n"),
        entry.verdict.as_str(),
        escape(&entry.reason),
        WINDOW.as_secs() / 60
    )
}

fn approver() -> Approver {
    let uid = Uid::current();
    let name = User::from_uid(uid).ok().flatten().map(|user| user.name);
    Approver { user: name.unwrap_or_else(|| uid.to_string()), uid: uid.as_raw() }
}

/// The approval's attestation, chained to that of the evaluation; `None` where attestation is off. Where it is on, a yes
/// without one would count for nothing.
fn attested(entry: &Entry, approver: &Approver, places: &Places) -> Result<Option<Attestation>, Failure> {
    let (config, _) = follow(Config::load()?.attestation, Some(places));
    if !config.approvals_are_attested() {
        return Ok(None);
    }
    let sign = || -> Result<Attestation, String> {
        let parent = entry.evaluation.as_ref().ok_or("it was asked when attestation was off")?;
        let parent = Attestation::from_value(parent).map_err(|error| error.to_string())?;
        if !entry.is_of(parent.input()) {
            return Err("what was evaluated is not what the request shows".to_owned());
        }
        let proof = Proof::open(&config, places).map_err(|error| error.to_string())?;
        let approval = proof.approve(&parent, approver, "approved at the terminal");
        let approval = approval.map_err(|error| error.to_string())?;
        let gate = Gate { config: &config, places };
        gate.genuine(&parent, &approval, approver.uid).map_err(|failure| failure.to_string())?;
        Ok(approval)
    };
    sign().map(Some).map_err(|why| {
        Failure::internal(format!(
            "the approval cannot be attested, so it was not given: {why}; let the agent ask again"
        ))
    })
}
