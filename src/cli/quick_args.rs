//! Command lines that are called all day, before every command of a shell or agent, read without the whole definition.
//!
//! Building that definition takes longer than judging most commands. What is not plainly of a known form is left to it,
//! errors and help above all: what is read here must mean the same there (a test compares).

use std::ffi::OsString;
use std::path::PathBuf;

use clap::ValueEnum;

use crate::hook::coding::Agent;

use super::args::Command;
use super::common::{Common, FailOn, ReportFormat, Threshold};
use super::evaluate::{Evaluate, ShellArgs};
use super::exec::ExecArgs;
use super::hook::{HookCommand, HookedAgent};
use super::shell_hook::{GuardedShell, HookShellArgs};

/// The command of these words (the program's own name first); `None` when the whole definition must read them.
pub(super) fn read(words: &[OsString]) -> Option<Command> {
    let word = |at: usize| words.get(at).and_then(|word| word.to_str());
    match (word(1)?, word(2)) {
        ("evaluate", Some("shell")) => shell(words.get(3..)?),
        ("exec", _) => exec(words.get(2..)?),
        ("hook", Some(who)) => hook(who, words.get(3..)?).map(|command| Command::Hook { command }),
        _ => None,
    }
}

fn shell(words: &[OsString]) -> Option<Command> {
    let mut common = Common::default();
    let mut fail_on = None;
    let mut format = None;
    let mut attest = false;
    let mut rest = words;
    loop {
        let [first, after @ ..] = rest else { return None };
        let name = first.to_str()?;
        if name == "--" {
            rest = after;
            break;
        }
        if name == "-" || !name.starts_with('-') {
            // From the first word on all belongs to the command; what ends options is left to the whole definition.
            if after.iter().any(|word| word == "--") {
                return None;
            }
            break;
        }
        if name == "--attest" && !attest {
            attest = true;
            rest = after;
            continue;
        }
        let (value, after) = value(after)?;
        match name {
            "--cwd" => once(&mut common.cwd, PathBuf::from(value))?,
            "--evidence" => once(&mut common.evidence, PathBuf::from(value))?,
            "--profile" => once(&mut common.profile, value.to_str()?.parse().ok()?)?,
            "--environment" => once(&mut common.environment, value.to_str()?.to_owned())?,
            "--actor" => once(&mut common.actor, value.to_str()?.to_owned())?,
            "--format" => once(&mut format, ReportFormat::from_str(value.to_str()?, false).ok()?)?,
            "--fail-on" => once(&mut fail_on, FailOn::from_str(value.to_str()?, false).ok()?)?,
            _ => return None,
        }
        rest = after;
    }
    if rest.is_empty() {
        return None;
    }
    let format = format.unwrap_or_default();
    let threshold = Threshold { format, fail_on: fail_on.unwrap_or(FailOn::Block), attest };
    Some(Command::Evaluate(Evaluate::Shell(ShellArgs { common, threshold, words: rest.to_vec() })))
}

fn exec(words: &[OsString]) -> Option<Command> {
    let mut read = ExecArgs {
        profile: None,
        environment: None,
        actor: None,
        attestation: Vec::new(),
        look: false,
        text: None,
        words: Vec::new(),
    };
    let mut rest = words;
    while let [first, after @ ..] = rest {
        let name = first.to_str()?;
        if name == "--" {
            read.words = after.to_vec();
            break;
        }
        let (value, after) = value(after)?;
        match name {
            "--profile" => once(&mut read.profile, value.to_str()?.parse().ok()?)?,
            "--environment" => once(&mut read.environment, value.to_str()?.to_owned())?,
            "--actor" => once(&mut read.actor, value.to_str()?.to_owned())?,
            "--attestation" => read.attestation.push(PathBuf::from(value)),
            "-c" => once(&mut read.text, value.clone())?,
            _ => return None,
        }
        rest = after;
    }
    // One of both.
    (read.text.is_some() == read.words.is_empty()).then_some(Command::Exec(read))
}

fn hook(who: &str, words: &[OsString]) -> Option<HookCommand> {
    if who == "shell" {
        return hook_shell(words);
    }
    let agent = Agent::named(who)?;
    words.is_empty().then_some(HookCommand::Agent(HookedAgent(agent)))
}

fn hook_shell(words: &[OsString]) -> Option<HookCommand> {
    let mut shell = None;
    let mut watcher = None;
    let (mut plain, mut below, mut comments) = (false, false, false);
    let (mut functions, mut text, mut state, mut answer, mut shown) = (false, false, false, false, false);
    let mut rest = words;
    while let [first, after @ ..] = rest {
        rest = after;
        let flag = match first.to_str()? {
            "--plain" => &mut plain,
            "--below" => &mut below,
            "--comments" => &mut comments,
            "--functions" => &mut functions,
            "--text" => &mut text,
            "--state" => &mut state,
            "--answer" => &mut answer,
            "--shown" => &mut shown,
            "--shell" => {
                let (value, after) = value(after)?;
                once(&mut shell, GuardedShell::from_str(value.to_str()?, false).ok()?)?;
                rest = after;
                continue;
            }
            "--watcher" => {
                let (value, after) = value(after)?;
                let value = value.to_str()?;
                // No sign.
                if !value.bytes().all(|byte| byte.is_ascii_digit()) {
                    return None;
                }
                once(&mut watcher, value.parse().ok()?)?;
                rest = after;
                continue;
            }
            _ => return None,
        };
        if std::mem::replace(flag, true) {
            return None;
        }
    }
    let shell = shell?;
    Some(HookCommand::Shell(HookShellArgs {
        shell,
        plain,
        below,
        comments,
        functions,
        text,
        state,
        answer,
        shown,
        watcher,
    }))
}

/// The word after an option. What looks like an option itself, or is empty, may be no value.
fn value(words: &[OsString]) -> Option<(&OsString, &[OsString])> {
    let (value, rest) = words.split_first()?;
    let plain = !value.is_empty() && !value.as_encoded_bytes().starts_with(b"-");
    plain.then_some((value, rest))
}

/// Sets what may be set once.
fn once<T>(place: &mut Option<T>, value: T) -> Option<()> {
    place.is_none().then(|| *place = Some(value))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::args::Args;

    #[test]
    fn what_is_read_here_means_the_same_in_the_whole_definition() {
        let mut here = 0;
        let agents: Vec<String> = Agent::ALL.iter().map(|agent| format!("hook {}", agent.name())).collect();
        let lines = [
            "evaluate shell ls",
            "evaluate shell -- ls",
            "evaluate shell --format json --fail-on warn --profile agent -- rm -rf x",
            "evaluate shell --cwd / --actor a/b --environment production -",
            "evaluate shell --evidence e --fail-on never --format human rm x",
            "evaluate shell --fail-on Warn ls",
            "evaluate shell --attest ls",
            "evaluate shell --attest --format json -- ls",
            "evaluate shell --attest --attest ls",
            "evaluate shell --attest=true ls",
            "evaluate shell --attest",
            "evaluate shell ls --attest",
            "evaluate shell --format json --format json ls",
            "evaluate shell --cwd -- ls",
            "evaluate shell --cwd --format json ls",
            "evaluate shell --cwd EMPTY ls",
            "evaluate shell --environment EMPTY ls",
            "evaluate shell EMPTY",
            "evaluate shell -- EMPTY",
            "evaluate shell EMPTY --",
            "evaluate shell -- -- x",
            "evaluate shell - x",
            "evaluate shell -",
            "evaluate shell --",
            "evaluate shell --format",
            "evaluate shell rm -rf x",
            "evaluate shell ls --format json",
            "evaluate shell ls -la -- -x",
            "evaluate shell git reset --hard",
            "evaluate shell",
            "evaluate shell --help",
            "evaluate shell --help -- ls",
            "evaluate shell --version x",
            "evaluate shell --profile nobody ls",
            "evaluate shell --format=json ls",
            "evaluate shell --form json ls",
            "evaluate terraform plan.json",
            "evaluate",
            "exec -- ls -la",
            "exec -- -c",
            "exec -- EMPTY",
            "exec --",
            "exec ls -la -c x",
            "exec -c ls --profile ci",
            "exec -c ls --",
            "exec -c ls -- ls",
            "exec -c ls ls",
            "exec -c -x",
            "exec -c EMPTY",
            "exec --profile human --actor x --environment y -- --help",
            "exec --profile human",
            "exec --attestation a --attestation b -- ls",
            "exec --attestation EMPTY -- ls",
            "exec --attestation -- ls",
            "exec --help",
            "exec",
            "hook shell --shell bash",
            "hook shell --shell zsh --below --comments",
            "hook shell --shell bash --text --functions",
            "hook shell --shell bash --text --text",
            "hook shell --plain --shell Fish",
            "hook shell --plain --plain --shell bash",
            "hook shell --shell bash --shell bash",
            "hook shell --shell fish --watcher 4711",
            "hook shell --shell fish --watcher -1",
            "hook shell --shell fish --watcher",
            "hook shell --shell tcsh",
            "hook shell --shell --plain",
            "hook shell --shell bash x",
            "hook shell --shell bash --",
            "hook shell --shell=bash",
            "hook shell",
            "hook shell --help",
            "hook claude",
            "hook nobody",
            "hook crush x",
            "hook",
            "--help",
            "",
        ];
        for line in lines.into_iter().chain(agents.iter().map(String::as_str)) {
            let words: Vec<OsString> = std::iter::once("recourse")
                .chain(line.split_whitespace().map(|word| if word == "EMPTY" { "" } else { word }))
                .map(OsString::from)
                .collect();
            let Some(command) = read(&words) else { continue };
            here += 1;
            let whole = Args::try_parse_from(&words).ok().map(|args| format!("{:?}", args.command));
            assert_eq!(Some(format!("{command:?}")), whole, "{line}");
        }
        assert!(here > 12, "{here}");
    }
}
