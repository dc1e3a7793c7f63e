//! Events of the audit log: which are wanted, and how one is written in a line.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::attest::audit::Entry;
use crate::attest::time::Time;
use crate::text::escape;

use super::common::Format;

/// Events that say that something did not run.
const REFUSALS: [&str; 3] = ["refused", "verification_failed", "denied"];

/// Which events are shown.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct Wanted {
    /// Only what is not older: a time such as 2026-03-01T00:00:00Z, or 90m, 12h, 7d ago
    #[arg(long, value_name = "TIME", value_parser = since)]
    since: Option<Time>,
    /// Only what was refused
    #[arg(long)]
    refused: bool,
    /// Only what came from this session, as the log names it, or its end
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

impl Wanted {
    /// Whether everything before this event is too old, too.
    pub(super) fn is_past(&self, entry: &Entry) -> bool {
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
pub(super) fn written(entry: &Entry, format: Format) -> String {
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
    json!({"seq": entry.seq, "time": entry.time, "event": entry.event, "details": whole(&entry.details)})
}

/// The same value; every number was read as a double, and whole ones are written as such.
fn whole(value: &Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(double) if double.fract() == 0.0 && double.abs() < 9e15 => json!(double as i64),
            _ => value.clone(),
        },
        Value::Array(items) => items.iter().map(whole).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, value)| (name.clone(), whole(value))).collect())
        }
        other => other.clone(),
    }
}
