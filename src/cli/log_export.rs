//! `log export`: the audit log in forms that other systems take: JSON lines, syslog, OpenTelemetry.

use clap::ValueEnum;
use serde_json::{Map, Value, json};

use crate::attest::audit::{AuditLog, Entry};
use crate::attest::time::Time;

use super::log_lines::{Wanted, as_json};
use super::output::{self, Failure};

/// Facility of syslog: log audit.
const FACILITY: u8 = 13;
/// Severities of syslog.
const WARNING: u8 = 4;
const NOTICE: u8 = 5;
/// Severities of OpenTelemetry.
const OTEL_INFO: u8 = 9;
const OTEL_WARN: u8 = 13;

#[derive(Debug, clap::Args)]
pub(super) struct ExportArgs {
    /// Form of the lines
    #[arg(long, value_enum, default_value_t)]
    format: Form,
    #[command(flatten)]
    wanted: Wanted,
}

/// What the lines are written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Form {
    /// One JSON object for each event
    #[default]
    Jsonl,
    /// RFC 5424, the event as JSON (`@cee:`) in the message
    Syslog,
    /// OTLP in JSON, one request with one log record on each line
    Otel,
}

/// Writes events out, one line each, holding one at a time.
pub(super) fn run(log: &AuditLog, args: &ExportArgs) -> Result<u8, Failure> {
    let written = log.oldest_first(|entry| {
        if args.wanted.takes(&entry) {
            let line = match args.format {
                Form::Jsonl => as_json(&entry).to_string(),
                Form::Syslog => syslog(&entry),
                Form::Otel => otel(&entry).to_string(),
            };
            output::print(&format!("{line}\n"));
        }
        true
    });
    written.map_err(|error| Failure::internal(error.to_string()))?;
    Ok(0)
}

/// Whether somebody should look at it.
fn is_warning(entry: &Entry) -> bool {
    matches!(
        entry.event.as_str(),
        "refused" | "verification_failed" | "not_started" | "registry_force_refresh"
    )
}

/// A line of RFC 5424.
fn syslog(entry: &Entry) -> String {
    let priority = FACILITY * 8 + if is_warning(entry) { WARNING } else { NOTICE };
    let host = entry.details.pointer("/who/host").and_then(Value::as_str).unwrap_or_default();
    let process = entry.details.pointer("/who/pid").and_then(Value::as_f64).map(|pid| format!("{pid:.0}"));
    format!(
        "<{priority}>1 {} {} recourse {} {} - @cee: {}",
        entry.time,
        token(host, 255),
        token(&process.unwrap_or_default(), 128),
        token(&entry.event, 32),
        as_json(entry)
    )
}

/// A header's field: printable ASCII without blanks, `-` for nothing.
fn token(text: &str, most: usize) -> String {
    let plain: String = text.chars().filter(char::is_ascii_graphic).take(most).collect();
    if plain.is_empty() { "-".to_owned() } else { plain }
}

/// A request of OTLP with this event alone.
fn otel(entry: &Entry) -> Value {
    let time = entry.time.parse::<Time>().map_or(0, |time| i128::from(time.millis()) * 1_000_000);
    let (number, severity) = if is_warning(entry) { (OTEL_WARN, "WARN") } else { (OTEL_INFO, "INFO") };
    let said = |name: &str| entry.details.get(name).and_then(Value::as_str);
    let body = said("command").or(said("reason")).unwrap_or(&entry.event);
    let mut attributes =
        vec![pair("recourse.event", &json!(entry.event)), pair("recourse.seq", &json!(entry.seq))];
    if let Value::Object(fields) = &entry.details {
        attributes.extend(
            fields
                .iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(name, value)| pair(&format!("recourse.{name}"), value)),
        );
    }
    let mut resource = vec![pair("service.name", &json!("recourse"))];
    let host = entry.details.pointer("/who/host").filter(|host| host.is_string());
    resource.extend(host.map(|host| pair("host.name", host)));
    json!({"resourceLogs": [{
        "resource": {"attributes": resource},
        "scopeLogs": [{
            "scope": {"name": "recourse.audit", "version": env!("CARGO_PKG_VERSION")},
            "logRecords": [{
                "timeUnixNano": time.to_string(),
                "severityNumber": number,
                "severityText": severity,
                "eventName": format!("recourse.{}", entry.event),
                "body": {"stringValue": body},
                "attributes": attributes,
            }],
        }],
    }]})
}

fn pair(key: &str, value: &Value) -> Value {
    json!({"key": key, "value": any(value)})
}

/// A value in OTLP's own form.
fn any(value: &Value) -> Value {
    match value {
        Value::Null => json!({}),
        Value::Bool(flag) => json!({"boolValue": flag}),
        Value::String(text) => json!({"stringValue": text}),
        // Every number was read as a double. Whole ones are text in OTLP's JSON.
        Value::Number(number) => match number.as_f64() {
            Some(double) if double.fract() == 0.0 && double.abs() < 9e15 => {
                json!({"intValue": format!("{double:.0}")})
            }
            double => json!({"doubleValue": double}),
        },
        Value::Array(items) => json!({"arrayValue": {"values": items.iter().map(any).collect::<Vec<_>>()}}),
        Value::Object(fields) => json!({"kvlistValue": {"values": pairs(fields)}}),
    }
}

fn pairs(fields: &Map<String, Value>) -> Vec<Value> {
    fields.iter().map(|(name, value)| pair(name, value)).collect()
}
