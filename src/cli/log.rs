//! `log` and `log verify`: the audit log. What others hold us to stands in `transparency`.

use std::fmt::Write as _;

use clap::Subcommand;
use serde_json::{Value, json};

use crate::attest::audit::{AuditError, AuditLog, Entry};
use crate::attest::tlog::book::Log;
use crate::text::escape;

use super::common::Format;
use super::output::{self, Failure};
use super::setup;
use super::transparency::{self, TransparencyCommand};

/// `log verify`: the log is not as it was written.
const BROKEN: u8 = 1;

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct LogArgs {
    #[command(subcommand)]
    command: Option<LogCommand>,
    /// Only the last so many events
    #[arg(long, value_name = "N")]
    last: Option<usize>,
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
    #[command(flatten)]
    Transparency(TransparencyCommand),
}

pub(super) fn run(args: &LogArgs) -> Result<u8, Failure> {
    let log = AuditLog::open(&setup::places()?);
    match &args.command {
        Some(LogCommand::Verify { format }) => return verify(&log, *format),
        Some(LogCommand::Transparency(command)) => return transparency::run(command),
        None => {}
    }
    let entries = log.read().map_err(|error| Failure::internal(error.to_string()))?;
    let skip = args.last.map_or(0, |last| entries.len().saturating_sub(last));
    let mut page = String::new();
    for entry in entries.iter().skip(skip) {
        let _ = match args.format {
            Format::Json => writeln!(page, "{}", as_json(entry)),
            Format::Human => {
                let details = match &entry.details {
                    Value::Object(fields) => fields.iter().map(|(name, value)| field(name, value)).collect(),
                    Value::Null => String::new(),
                    other => format!("  {other}"),
                };
                let line = format!("{:>5}  {}  {}{details}", entry.seq, entry.time, entry.event);
                writeln!(page, "{}", escape(&line))
            }
        };
    }
    if entries.is_empty() && args.format == Format::Human {
        page.push_str("the audit log is empty\n");
    }
    output::print(&page);
    Ok(0)
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

fn as_json(entry: &Entry) -> Value {
    json!({"seq": entry.seq, "time": entry.time, "event": entry.event, "details": entry.details})
}

/// Checks the log by itself, and against the digests of its lines that others have seen.
fn verify(log: &AuditLog, format: Format) -> Result<u8, Failure> {
    let shown =
        Log::open(&setup::places()?).audit_lines().map_err(|error| Failure::internal(error.to_string()))?;
    match log.verify().and_then(|found| log.holds(&shown).map(|()| found)) {
        Ok(found) => {
            if format == Format::Json {
                output::print_json(&json!({
                    "valid": true, "entries": found.entries, "torn": found.torn, "headless": found.headless,
                }))?;
                return Ok(0);
            }
            let mut page = format!("the audit log holds: {} events\n", found.entries);
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
