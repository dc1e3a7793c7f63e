//! `log`: the audit log, shown, checked and shortened. What goes elsewhere is `log_export`'s, what others hold us to
//! `transparency`'s.

use std::fmt::Write as _;
use std::thread;
use std::time::Duration;

use clap::Subcommand;
use serde_json::json;

use crate::attest::audit::{AuditError, AuditLog};
use crate::attest::tlog::book::{Log, LogError};
use crate::config::Config;
use crate::proof::shared;
use crate::text::{count, escape, size};

use super::common::Format;
use super::log_export::{self, ExportArgs};
use super::log_lines::{Wanted, written};
use super::output::{self, Failure};
use super::setup;
use super::transparency::{self, TransparencyCommand, Witnessing};

/// `log verify`: the log is not as it was written.
const BROKEN: u8 = 1;
/// How often `--follow` looks.
const PAUSE: Duration = Duration::from_millis(500);
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct LogArgs {
    #[command(subcommand)]
    command: Option<LogCommand>,
    /// Only the last so many events
    #[arg(long, value_name = "N")]
    last: Option<usize>,
    #[command(flatten)]
    wanted: Wanted,
    /// Go on with what is added, until Ctrl-C; oldest first
    #[arg(long)]
    follow: bool,
    /// Form of the output; JSON is one event on each line
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Debug, Subcommand)]
enum LogCommand {
    /// Check that nothing in it was changed, removed, moved or cut off
    Verify {
        /// Form of the output
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Write it out for other systems, oldest first
    Export(ExportArgs),
    /// Take the oldest files of it away, as `[record]` says or as said here
    Prune {
        /// Keep what is not older
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
        days: Option<u64>,
        /// Keep so many files of it, the one that is written to included
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
        segments: Option<u64>,
    },
    /// Put its full files into the store that machines share, as `store` says
    Push {
        /// The file that is written to as well: a machine is about to go away
        #[arg(long)]
        all: bool,
        /// Form of the output
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    #[command(flatten)]
    Transparency(TransparencyCommand),
}

pub(super) fn run(args: &LogArgs, witness: Witnessing) -> Result<u8, Failure> {
    let log = AuditLog::open(&setup::places()?);
    match &args.command {
        Some(LogCommand::Verify { format }) => return verify(&log, *format),
        Some(LogCommand::Transparency(command)) => return transparency::run(command, witness),
        Some(LogCommand::Export(args)) => return log_export::run(&log, args),
        Some(LogCommand::Prune { days, segments }) => return prune(log, *days, *segments),
        Some(LogCommand::Push { all, format }) => return push(&log, *all, *format),
        None => {}
    }
    let (mut shown, mut newest) = (0, 0);
    let mut held = Vec::new();
    let most = args.last.unwrap_or(usize::MAX);
    let read = log.newest_first(|entry| {
        newest = newest.max(entry.seq);
        if args.wanted.is_past(&entry) {
            return false;
        }
        if args.wanted.takes(&entry) && shown < most {
            shown += 1;
            let line = written(&entry, args.format);
            // What is followed is told in the order in which it happened.
            if args.follow { held.push(line) } else { output::print(&line) }
        }
        shown < most
    });
    read.map_err(|error| Failure::internal(error.to_string()))?;
    if args.follow {
        held.iter().rev().for_each(|line| output::print(line));
        return follow(&log, args, newest);
    }
    if newest == 0 && args.format == Format::Human {
        output::print("the audit log is empty\n");
    }
    Ok(0)
}

/// Tells what is added, for ever.
fn follow(log: &AuditLog, args: &LogArgs, mut newest: u64) -> Result<u8, Failure> {
    loop {
        thread::sleep(PAUSE);
        let mut added = Vec::new();
        let read = log.newest_first(|entry| {
            let is_new = entry.seq > newest;
            if is_new {
                added.push(entry);
            }
            is_new
        });
        read.map_err(|error| Failure::internal(error.to_string()))?;
        for entry in added.iter().rev() {
            newest = newest.max(entry.seq);
            if args.wanted.takes(entry) {
                output::print(&written(entry, args.format));
            }
        }
    }
}

fn push(log: &AuditLog, all: bool, format: Format) -> Result<u8, Failure> {
    let Some(shared) = shared(&Config::load()?.attestation) else {
        return Err(Failure::usage(
            "no store is configured that machines share: `store` under [attestation]",
        ));
    };
    let done = log.ship(&shared, all).map_err(|error| Failure::internal(error.to_string()))?;
    if format == Format::Json {
        output::print_json(
            &json!({ "segments": done.segments, "bytes": done.bytes, "lastEvent": done.last }),
        )?;
        return Ok(0);
    }
    output::print(&match done.segments {
        0 => format!("everything is there, up to event {}\n", done.last),
        files => format!(
            "put {} of {} there, up to event {}\n",
            count(files as u64, "file"),
            size(done.bytes),
            done.last
        ),
    });
    Ok(0)
}

fn prune(log: AuditLog, days: Option<u64>, segments: Option<u64>) -> Result<u8, Failure> {
    let config = Config::load()?.attestation;
    let (log, mut limits) = (log.sharing(shared(&config)), config.record.limits);
    if days.is_some() || segments.is_some() {
        limits.age = days.map(|days| Duration::from_secs(days.saturating_mul(86_400)));
        limits.segments = segments.map_or(0, |segments| usize::try_from(segments).unwrap_or(usize::MAX));
    }
    let gone = log.prune(&limits).map_err(|error| Failure::internal(error.to_string()))?;
    output::print(&match gone.segments {
        0 => "nothing is older or more than is kept\n".to_owned(),
        files => format!(
            "took {} of {} away, up to event {}\n",
            count(files as u64, "file"),
            size(gone.bytes),
            gone.last
        ),
    });
    Ok(0)
}

/// Checks the log by itself, and against the digests of its lines that others have seen.
fn verify(log: &AuditLog, format: Format) -> Result<u8, Failure> {
    let shown = match Log::open(&setup::places()?).audit_lines() {
        Ok(shown) => shown,
        Err(error @ (LogError::Damaged(..) | LogError::Hashes(_))) => {
            let why = error.to_string();
            if format == Format::Json {
                output::print_json(&json!({"valid": false, "why": why}))?;
            } else {
                output::print(&format!("{}\n", escape(&why)));
            }
            return Ok(BROKEN);
        }
        Err(error) => return Err(Failure::internal(error.to_string())),
    };
    match log.verify().and_then(|found| log.holds(&shown).map(|()| found)) {
        Ok(found) => {
            if format == Format::Json {
                output::print_json(&json!({
                    "valid": true, "entries": found.entries, "pruned": found.pruned,
                    "torn": found.torn, "headless": found.headless, "clockWentBack": found.backwards,
                }))?;
                return Ok(0);
            }
            let mut page = format!("the audit log holds: {} events\n", found.entries);
            if found.pruned > 0 {
                let _ = writeln!(page, "note: the first {} were taken away, as configured", found.pruned);
            }
            for line in found.torn {
                let _ = writeln!(page, "note: line {line} is half a line, left by a process that died");
            }
            for event in found.backwards {
                let _ = writeln!(page, "note: the clock went back before event {event}");
            }
            for line in found.headless {
                let _ = writeln!(page, "note: the log's head was missing before line {line} was written");
            }
            output::print(&page);
            Ok(0)
        }
        Err(AuditError::Broken { line, why }) => {
            if format == Format::Json {
                output::print_json(&json!({"valid": false, "line": line, "why": why}))?;
            } else {
                output::print(&format!("the audit log is broken at line {line}: {}\n", escape(&why)));
            }
            Ok(BROKEN)
        }
        Err(error) => Err(Failure::internal(error.to_string())),
    }
}
