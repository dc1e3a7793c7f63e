//! Judge a command, then become it.
//!
//! Owns looking a program up, acting on a person's decision, and replacing this process. Holds no judgement. What is judged is
//! what runs: the program is looked up once and that very file is executed, with the words as given, never through a
//! shell unless shell text was asked for.
//!
//! Terraform is different, because what it would do is only known from a plan: `terraform` makes the plan, hands it to
//! `permission`, and applies that plan.

mod allowed;
mod always;
mod asking;
mod case;
mod kept;
mod looks;
mod permission;
mod program;
pub mod shim;
mod terraform;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod watched;

use std::cell::Cell;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::approvals::Here;
use crate::attest::Mode;
use crate::config::{Config, user_places};
use crate::evaluate::{Evaluation, EvaluationContext, Input, unjudged};
use crate::knowledge::{Knowledge, variables};
use crate::model::{Material, Part};
use crate::policy::{EnforcementAction, Policy, Profile};
use crate::prompt::{self, Replaceable};
use crate::proof::{self, Event, Front, Record, Subject};
use crate::report::Style;
use crate::shell;
use crate::syntax::aligned::Aligned;
use crate::text::escape;
use crate::world::{World, lossy};

use case::Case;
pub use kept::session;
use kept::{First, Ran};
pub use looks::Looks;
pub use permission::Attesting;
use permission::{Permission, permission};
use program::Lookup;
pub(crate) use program::Program;
use program::Standing;
pub use terraform::{ShowError, is_binary, show};

/// recourse itself failed.
pub(crate) const FAILED: u8 = 125;
/// Refused, or found but not executable.
pub(crate) const REFUSED: u8 = 126;
/// There is no such program.
pub(crate) const NOT_FOUND: u8 = 127;

/// How often a person may replace what is judged.
const ROUNDS: usize = 5;

/// The passphrase of our keys is no business of what runs.
pub(crate) const SECRET: &str = "RECOURSE_KEY_PASSPHRASE";

/// What is to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// Exactly these words; at least one.
    Argv(Vec<OsString>),
    /// Shell text, by the user's bash.
    Text(OsString),
}

/// What judging needs, and how to print on standard error.
#[derive(Clone)]
pub struct Surroundings<'a> {
    /// The machine.
    pub world: &'a dyn World,
    /// What is known of tools.
    pub knowledge: &'a Knowledge,
    /// The policy in force.
    pub policy: &'a Policy,
    /// Circumstances; its profile is the one that was named, if any.
    pub context: EvaluationContext,
    /// How to print on standard error.
    pub style: Style,
    /// What attestation demands.
    pub attesting: &'a Attesting,
    /// Which looks are taken first, and which were.
    pub looks: Looks,
}

/// Runs a command if it may run. Returns only when it may not, or cannot: with the exit status to end with.
pub fn run(what: &What, around: &Surroundings<'_>) -> u8 {
    let mut instead = match round(what, around) {
        Ok(text) => text,
        Err(code) => return code,
    };
    for _ in 0..ROUNDS {
        instead = match round(&What::Text(instead.into()), around) {
            Ok(text) => text,
            Err(code) => return code,
        };
    }
    say("recourse: refused: it was replaced too often");
    REFUSED
}

/// Judges once, and runs. Gives back the exit status to end with, or the text that a person wants to run instead.
fn round(what: &What, around: &Surroundings<'_>) -> Result<String, u8> {
    let (program, argv, input) = prepare(what)?;
    let text = input.shown();
    let around = &mut with_profile(around);
    if let What::Argv(_) = what
        && let Some(code) = terraform::run(&program, &argv, around)
    {
        return Err(code);
    }
    let input = Input::Shell(input);
    let subject = subject(what);
    let subject = subject.as_ref().map_err(String::as_str);
    loop {
        let mut evaluation = looks::evaluated(&input, around, &|| {});
        if First::makes_store(&evaluation, around) {
            evaluation = looks::evaluated(&input, around, &|| {});
        }
        let programs = Standing::of(&evaluation.started);
        let mut first = First::keep(evaluation, &text, around);
        first.evaluation.report.call_by_words(&text);
        let case = Case {
            first: &first,
            text: Some(&text),
            subject,
            replaceable: Replaceable::AtOnce,
            answer: Cell::default(),
        };
        return match permission(&case, around) {
            Permission::Granted => {
                first.close();
                match programs.are_still().and_then(|()| start(&first, &program, &argv, around)) {
                    Ok(code) => Err(code),
                    Err(code) => {
                        around.attesting.not_started(code);
                        Err(code)
                    }
                }
            }
            Permission::Instead(text) => Ok(text),
            Permission::Refused(code) => Err(code),
            Permission::Look(wanted) => {
                looks::take(&wanted, true, around);
                continue;
            }
        };
    }
}

/// Starts what was judged: its status, or that of not having been started.
fn start(first: &First, program: &Program, argv: &[OsString], around: &Surroundings<'_>) -> Result<u8, u8> {
    // Before the last look: what is not copied has to be what is compared then.
    #[cfg_attr(not(target_os = "linux"), allow(unused_mut))]
    let mut bound = kept::bound(first, around).map_err(|why| not_judged(&why))?;
    let opened = still(&first.evaluation, program, around)?;
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
    if let Some(bound) = &mut bound {
        let words = argv.get(1..).unwrap_or_default();
        bound.starts(&program.absolute(&around.context.cwd), program.path().as_os_str(), words);
    }
    let start = command(program, opened.as_ref(), argv, &[]);
    match kept::watched(first, start, bound, around) {
        Ran::ToItsEnd(code) => Ok(code),
        Ran::Failed(error) => Err(not_started(&error, program)),
        Ran::Unwatched(start) => Err(become_it(start, program)),
    }
}

/// Says that something is not what was judged; the status to end with.
fn not_judged(why: &str) -> u8 {
    say(&format!("recourse: refused: {why}"));
    say("recourse: run it again, and it is judged as it is now");
    REFUSED
}

/// The last look before it runs: what is followed must be what was judged, whatever happened while somebody was asked. What
/// is only read matters where it is attested; a log that grows is no reason. Where `require` holds, gives the program
/// itself, opened and compared. The error is the status of a refusal.
fn still(evaluation: &Evaluation, program: &Program, around: &Surroundings<'_>) -> Result<Option<File>, u8> {
    let materials = &evaluation.materials;
    if program::has_moved(&around.context.cwd) {
        return Err(not_judged("this directory was moved or replaced after the command was judged"));
    }
    let moved = |(at, to): &&(PathBuf, PathBuf)| around.world.read_link(at).as_ref() != Ok(to);
    if let Some((at, _)) = evaluation.links.iter().find(moved) {
        let shown = escape(&at.to_string_lossy());
        return Err(not_judged(&format!("{shown} leads elsewhere than when it was judged")));
    }
    let mode = around.attesting.config.mode;
    let bound: Vec<Material> =
        materials.iter().filter(|one| mode.verifies() || one.part != Part::Data).cloned().collect();
    let its_own =
        |one: &&Material| one.part == Part::Program && one.path == program.absolute(&around.context.cwd);
    let digest = materials.iter().find(its_own).and_then(|one| one.sha256.as_deref());
    let opened = match digest.filter(|_| mode == Mode::Require) {
        Some(digest) => program.open_as(digest),
        None => Ok(None),
    };
    match (opened, proof::changed(&bound, around.world)) {
        (Ok(opened), None) => Ok(opened),
        (Err(changed), _) | (Ok(_), Some(changed)) => Err(not_judged(&changed)),
    }
}

/// What becomes of a line that a shell is about to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Permit {
    /// It may run.
    Run {
        /// It changes something.
        changes: bool,
    },
    /// It may not; this is the status of the refusal.
    Refused(u8),
    /// The person wants this text on the line, to go on with.
    Instead(String),
}

/// A line that a shell runs by itself.
#[derive(Clone, Copy)]
pub struct ShellLine<'a> {
    /// The line in the syntax that recourse reads.
    pub judged: &'a str,
    /// The line itself.
    pub typed: &'a str,
    /// What there is to say begins on a new line.
    pub below: bool,
    /// The shell can take another text onto its line.
    pub takes_text: bool,
    /// Called when it has been looked at, before anything is kept or a person may be asked.
    pub looked: &'a dyn Fn(),
}

/// Whether a line may run that a shell will run by itself. The reason was said, and where somebody had to be asked, they
/// were.
pub fn permit(line: &ShellLine<'_>, around: &Surroundings<'_>) -> Permit {
    let ShellLine { judged, typed, below, takes_text, looked } = *line;
    let around = &mut with_profile(around);
    let input = Input::Shell(shell::Input::Text(judged.to_owned()));
    let subject = subject(&What::Text(typed.into()));
    let subject = subject.as_ref().map_err(String::as_str);
    let mut below = below;
    loop {
        // The shell minds only our own looking; looks are other programs, and bounded.
        let mut evaluation = looks::evaluated(&input, around, looked);
        if First::makes_store(&evaluation, around) {
            evaluation = looks::evaluated(&input, around, looked);
        }
        // Keeping tells by itself how far it is, and may take as long as it needs. Where nothing changes there is nothing to
        // keep or to ask, and the shell is spared the word.
        if !is_idle(&evaluation) {
            looked();
        }
        let mut first = First::keep(evaluation, typed, around);
        if judged != typed {
            first.evaluation.report.speak_of(&Aligned::new(typed, judged));
        }
        first.evaluation.report.call_by_words(typed);
        let enforcement = first.evaluation.report.enforcement.as_ref();
        let quiet = !first.speaks() && enforcement.is_some_and(|e| e.action == EnforcementAction::Run);
        if below && !quiet {
            say("");
            below = false;
        }
        // The shell runs the line that it has read, and no other: what is to run instead has to be accepted there.
        let replaceable =
            if takes_text { Replaceable::OnTheLine { as_typed: judged == typed } } else { Replaceable::No };
        let case = Case { first: &first, text: Some(typed), subject, replaceable, answer: Cell::default() };
        return match permission(&case, around) {
            Permission::Granted => {
                first.close();
                Permit::Run { changes: !first.evaluation.assessments.is_empty() }
            }
            Permission::Instead(text) => Permit::Instead(text),
            Permission::Refused(code) => Permit::Refused(code),
            Permission::Look(wanted) => {
                looks::take(&wanted, true, around);
                continue;
            }
        };
    }
}

/// Nothing changes, and nothing speaks against it.
fn is_idle(evaluation: &Evaluation) -> bool {
    let enforcement = evaluation.report.enforcement.as_ref();
    evaluation.assessments.is_empty() && enforcement.is_some_and(|e| e.action == EnforcementAction::Run)
}

/// Asks a person whether to run what could not be judged, for this reason: 0, or the status of a refusal.
pub fn ask_unjudged(why: &str, cwd: &Path, world: &dyn World) -> u8 {
    let noted = |event: Event, answer: &str| {
        // The configuration may be what cannot be read: then what is usual holds.
        let config = Config::load().unwrap_or_default().attestation.record;
        let record = Record::from(&Front::Shell).unjudged(why).and("session", session());
        record.with("answer", json!(answer)).note(event, user_places().as_ref(), &config);
    };
    if !prompt::available() {
        let lines: Vec<String> = why.lines().map(escape).collect();
        say(&format!("recourse: refused: this could not be judged: {}", lines.join("\n")));
        noted(Event::Refused, "nobody to ask");
        return REFUSED;
    }
    let context = EvaluationContext {
        cwd: cwd.to_path_buf(),
        profile: Some(Profile::Human),
        ..EvaluationContext::default()
    };
    let nothing = unjudged(why, &context, world);
    let yes = asking::confirm_unjudged(&nothing, cwd, why);
    if yes {
        noted(Event::Executed, "yes");
        0
    } else {
        noted(Event::Refused, "no");
        REFUSED
    }
}

/// What is attested of a command: its words as they were given.
fn subject(what: &What) -> Result<Subject, String> {
    let input = match what {
        What::Argv(words) => {
            shell::Input::Argv(words.iter().map(|word| word.to_str().map(str::to_owned)).collect())
        }
        What::Text(text) => {
            shell::Input::Text(text.to_str().ok_or("the text is not valid UTF-8")?.to_owned())
        }
    };
    Subject::shell(&input).map_err(|error| error.to_string())
}

/// The surroundings with a profile: the one named, else `agent` where one started us, `human` where a terminal can be
/// asked, and `ci`. What is let pass for people is for people.
pub(crate) fn with_profile<'a>(around: &Surroundings<'a>) -> Surroundings<'a> {
    let mut around = around.clone();
    let context = &mut around.context;
    if matches!(context.profile, None | Some(Profile::Human)) && Here::agent().is_some() {
        context.profile = Some(Profile::Agent);
    }
    context.signed = !around.attesting.is_off();
    context.same_environment = true;
    if context.profile.is_none() {
        context.profile = Some(if prompt::available() { Profile::Human } else { Profile::Ci });
    }
    around
}

/// The program, its words, and what is judged.
fn prepare(what: &What) -> Result<(Program, Vec<OsString>, shell::Input), u8> {
    match what {
        What::Argv(words) => {
            let Some(first) = words.first() else {
                say("recourse: no command was given");
                return Err(FAILED);
            };
            let program = look_up(first)?;
            let mut judged: Vec<Option<String>> = words.iter().map(|word| lossy::word(word)).collect();
            if let Some(name) = judged.first_mut() {
                *name = program.judged_as(first);
            }
            Ok((program, words.clone(), shell::Input::Argv(judged)))
        }
        What::Text(text) => {
            let Some(valid) = text.to_str() else {
                say("recourse: the shell text is not valid UTF-8 and cannot be judged");
                return Err(FAILED);
            };
            let bash = OsString::from("bash");
            let argv = vec![bash.clone(), OsString::from("-c"), text.clone()];
            if let Some(program) = program::system(&bash) {
                return Ok((program, argv, shell::Input::Text(valid.to_owned())));
            }
            // One that nobody vouches for by its place is judged as any program is.
            let program = look_up(&bash)?;
            let judged = vec![program.judged_as(&bash), Some("-c".to_owned()), Some(valid.to_owned())];
            Ok((program, argv, shell::Input::Argv(judged)))
        }
    }
}

pub(crate) fn look_up(name: &OsStr) -> Result<Program, u8> {
    if shim::Behind::now().is_too_deep() {
        say("recourse: refused: programs behind shims start one another without end");
        return Err(FAILED);
    }
    let shown = escape(&name.to_string_lossy());
    match program::look_up(name) {
        Lookup::Found(program) => Ok(program),
        Lookup::NotFound => {
            say(&format!("recourse: {shown}: command not found"));
            Err(NOT_FOUND)
        }
        Lookup::NotExecutable => {
            say(&format!("recourse: {shown}: found, but it may not be executed"));
            Err(REFUSED)
        }
    }
}

/// Replaces this process, without the environment variables named. Returns only when that fails.
fn become_program(program: &Program, bound: Option<&File>, argv: &[OsString], without: &[OsString]) -> u8 {
    become_it(command(program, bound, argv, without), program)
}

/// The program with its words, without the environment variables named. With `bound`, it is the file that was compared, and
/// no other that took its name since.
fn command(program: &Program, bound: Option<&File>, argv: &[OsString], without: &[OsString]) -> Command {
    let (name, arguments) = match argv.split_first() {
        Some((name, rest)) => (name.as_os_str(), rest),
        None => (program.path().as_os_str(), argv),
    };
    // `exec` puts SIGPIPE back to its default, which the Rust runtime had set to be ignored.
    let mut command = match bound {
        Some(file) => Command::new(format!("/proc/self/fd/{}", file.as_raw_fd())),
        None => Command::new(program.path()),
    };
    command.arg0(name).args(arguments).env_remove(SECRET);
    if let Some((variable, chain, called)) = shim::Behind::now().told(program.path()) {
        command.env(variable, chain).env_remove(called);
    }
    for variable in without {
        command.env_remove(variable);
    }
    for variable in std::env::vars_os().map(|(name, _)| name).filter(|name| runs_unjudged(name)) {
        command.env_remove(variable);
    }
    command
}

/// Replaces this process. Returns only when that fails.
fn become_it(mut command: Command, program: &Program) -> u8 {
    not_started(&command.exec(), program)
}

/// Says why a program could not be started; the status to end with.
fn not_started(error: &io::Error, program: &Program) -> u8 {
    say(&format!("recourse: {}: {error}", escape(&program.path().to_string_lossy())));
    match error.kind() {
        io::ErrorKind::NotFound => NOT_FOUND,
        io::ErrorKind::PermissionDenied => REFUSED,
        _ if error.raw_os_error() == Some(nix::errno::Errno::ENOEXEC as i32) => REFUSED,
        _ => FAILED,
    }
}

/// Whether a variable makes a shell run text that was not judged: a file that it reads first, a function in a name's place,
/// a prompt. Only what was judged may run, so they are not handed on.
fn runs_unjudged(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| variables().is_startup(name))
}

/// A line on standard error.
pub(crate) fn say(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}
