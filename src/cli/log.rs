//! `log`: the audit log, shown, checked and shortened. What goes elsewhere is `log_export`'s, what others hold us to
//! `transparency`'s.

use std::fmt::Write as _;
use std::thread;
use std::time::Duration;

use clap::Subcommand;
use serde_json::{Value, json};

use crate::attest::audit::{AuditError, AuditLog, Entry};
use crate::attest::time::Time;
use crate::attest::tlog::book::Log;
use crate::config::Config;
use crate::text::{count, escape, size};

use super::common::Format;
use super::log_export::{self, ExportArgs};
use super::output::{self, Failure};
use super::setup;
use super::transparency::{self, TransparencyCommand};

/// `log verify`: the log is not as it was written.
const BROKEN: u8 = 1;
/// How often `--follow` looks.
const PAUSE: Duration = Duration::from_millis(500);
/// Events that say that something did not run.
const REFUSALS: [&str; 3] = ["refused", "verification_failed", "denied"];

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

/// Which events are shown.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct Wanted {
    /// Only what is not older: a time such as 2026-03-01T00:00:00Z, or 90m, 12h, 7d ago
    #[arg(long, value_name = "TIME", value_parser = since)]
    pub(super) since: Option<Time>,
    /// Only what was refused
    #[arg(long)]
    refused: bool,
    /// Only what came from this session, as the log names it, or its end
    #[arg(long, value_name = "ID")]
    session: Option<String>,
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
    #[command(flatten)]
    Transparency(TransparencyCommand),
}

pub(super) fn run(args: &LogArgs) -> Result<u8, Failure> {
    let log = AuditLog::open(&setup::places()?);
    match &args.command {
        Some(LogCommand::Verify { format }) => return verify(&log, *format),
        Some(LogCommand::Transparency(command)) => return transparency::run(command),
        Some(LogCommand::Export(args)) => return log_export::run(&log, args),
        Some(LogCommand::Prune { days, segments }) => return prune(&log, *days, *segments),
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

impl Wanted {
    /// Whether everything before this event is too old, too.
    fn is_past(&self, entry: &Entry) -> bool {
        self.since.is_some_and(|since| entry.time.parse::<Time>().is_ok_and(|time| time < since))
    }

    /// Whether this event is wanted.
    pub(super) fn takes(&self, entry: &Entry) -> bool {
        let session = || entry.details.get("session").and_then(Value::as_str);
        !self.is_past(entry)
            && (!self.refused || REFUSALS.contains(&entry.event.as_str()))
            && self.session.as_deref().is_none_or(|wanted| session().is_some_and(|id| id.ends_with(wanted)))
    }
}

/// A time, or how long ago.
fn since(text: &str) -> Result<Time, String> {
    if let Ok(time) = text.parse::<Time>() {
        return Ok(time);
    }
    let units = [('m', 60), ('h', 3600), ('d', 86_400)];
    let ago = units.iter().find_map(|(unit, seconds)| {
        text.strip_suffix(*unit)?.parse::<i64>().ok()?.checked_mul(*seconds).filter(|ago| *ago >= 0)
    });
    ago.map(|ago| Time::now().plus_seconds(-ago))
        .ok_or_else(|| "is a time such as 2026-03-01T00:00:00Z, or 90m, 12h, 7d".to_owned())
}

/// One line.
fn written(entry: &Entry, format: Format) -> String {
    if format == Format::Json {
        return format!("{}\n", as_json(entry));
    }
    let mut line = format!("{:>5}  {}  {}", entry.seq, entry.time, entry.event);
    let text = |name: &str| entry.details.pointer(name).and_then(Value::as_str);
    match (&entry.details, text("/frontEnd")) {
        (details, Some(front)) => {
            let verdict = text("/riskAssessment").unwrap_or("unjudged");
            let user = text("/who/user").unwrap_or("?");
            let _ = write!(line, "  {verdict}  {front}  {user}");
            if let Some(command) = text("/command").or_else(|| text("/reason")) {
                let _ = write!(line, "  {command}");
            }
            for name in ["answer", "exitStatus", "session", "attestationId"] {
                line.push_str(&details.get(name).map(|value| field(name, value)).unwrap_or_default());
            }
        }
        (Value::Object(fields), None) => {
            fields.iter().for_each(|(name, value)| line.push_str(&field(name, value)))
        }
        (Value::Null, None) => {}
        (other, None) => {
            let _ = write!(line, "  {other}");
        }
    }
    format!("{}\n", escape(&line))
}

fn field(name: &str, value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => format!("  {name}={text}"),
        // Every number was read as a double; whole ones are shown as such.
        Value::Number(number) => match number.as_f64() {
            Some(double) if double.fract() == 0.0 && double.abs() < 9e15 => format!("  {name}={double:.0}"),
            _ => format!("  {name}={number}"),
        },
        other => format!("  {name}={other}"),
    }
}

pub(super) fn as_json(entry: &Entry) -> Value {
    json!({"seq": entry.seq, "time": entry.time, "event": entry.event, "details": entry.details})
}

fn prune(log: &AuditLog, days: Option<u64>, segments: Option<u64>) -> Result<u8, Failure> {
    let mut limits = Config::load()?.attestation.record.limits;
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
    let shown =
        Log::open(&setup::places()?).audit_lines().map_err(|error| Failure::internal(error.to_string()))?;
    match log.verify().and_then(|found| log.holds(&shown).map(|()| found)) {
        Ok(found) => {
            if format == Format::Json {
                output::print_json(&json!({
                    "valid": true, "entries": found.entries, "pruned": found.pruned,
                    "torn": found.torn, "headless": found.headless,
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
