//! Tools that nobody declared: several weak signs, their sum, and how sure it is. Weak evidence never says that a call is
//! harmless; what the server says of itself may raise, and counts for little in its favour.

use super::name::Named;
use super::signs;
use super::words::{self, Verb};
use super::{Act, Analysis, McpCall, Place};
use crate::knowledge::tool_words;
use crate::model::{Action, Fact, FactValue, RuleRef, Subject, Target, Value};

pub(super) use super::signs::{is_secret, part_of_command, suspicious};

/// What an undeclared tool seems to do.
pub(super) fn of(call: &McpCall, named: &Named, place: &Place<'_>) -> Analysis {
    let (verb, word) = words::verb(&named.bare);
    let signs = signs::of(&call.arguments, verb);
    let verb = said(verb, word, &signs);
    let family = named.families.first().and_then(|family| family.names.first());
    let mut analysis = Analysis {
        cwd: place.dirs(),
        // Nobody knows where a server runs: what is here says nothing.
        host: match &call.server {
            _ if call.own => None,
            Some(server) => Some(super::shorten(server, 120)),
            None => Some("wherever its server runs".to_owned()),
        },
        rule: RuleRef {
            tool: family.map_or_else(|| "mcp".to_owned(), |name| format!("mcp {name}")),
            rule: "by name and arguments".to_owned(),
        },
        title: call.title(),
        raw: call.shown(),
        ..Analysis::default()
    };
    let doubts = doubts(call, named, verb, &signs);
    let runs = !signs.acts.is_empty();
    let harmless_name = verb == Verb::Reads || (runs && matches!(verb, Verb::Runs | Verb::Unknown));
    let agreed = harmless_name && doubts.is_empty();
    let destructive = call.hint("destructiveHint") == Some(true) && call.hint("readOnlyHint") != Some(true);
    let lasting = signs.forced || destructive || words::holds_data(&named.bare);
    let action = match verb {
        _ if harmless_name => Action::Read,
        Verb::Deletes => Action::Delete,
        Verb::Changes => Action::Update,
        Verb::Creates | Verb::Sends => Action::Create,
        Verb::Reads | Verb::Runs | Verb::Unknown => Action::Execute,
    };
    let sure = confidence(call, verb, agreed, lasting, family.is_some());
    let target = Target { r#type: "mcp.unknown".to_owned(), id: call.title(), ..Target::default() };
    let subject = Subject::Named(Value::known(call.title()));
    let mut mutation = analysis.mutation(action, "mcp.unknown", subject, target);
    let mut fact = |key: &str, value: FactValue, said: &'static str| {
        mutation.facts.insert(key.to_owned(), Fact::new(value, said));
    };
    if let Some(word) = word {
        fact("verb", FactValue::Text(word.to_owned()), "the word of its name that tells most");
    }
    fact("agreed", FactValue::Bool(agreed), "whether all signs say that it only looks");
    fact("lasting", FactValue::Bool(lasting), "whether signs say that much would be lost for good");
    if let Some(doubt) = doubts.first() {
        fact("doubt", FactValue::Text(doubt.clone()), "what speaks against its being harmless");
    }
    analysis.confidence = Some(sure);
    analysis.acts = signs.acts;
    analysis.acts.push(Act::Mutation(Box::new(mutation)));
    analysis
}

/// Whether anything in a call could act.
pub(super) fn could_act(name: &[String], arguments: &serde_json::Map<String, serde_json::Value>) -> bool {
    matches!(words::verb(name).0, Verb::Deletes | Verb::Runs) || signs::could_act(arguments)
}

/// What is done: where the name leaves it open, an argument may say (`contact` with `action`).
fn said(verb: Verb, word: Option<&str>, signs: &signs::Signs) -> Verb {
    let open = verb == Verb::Unknown || word.is_some_and(|word| tool_words().verbs.neutral.has(word));
    match signs.act {
        Some(act) if open => act,
        _ => verb,
    }
}

/// What speaks against a tool that seems to read.
fn doubts(call: &McpCall, named: &Named, verb: Verb, signs: &signs::Signs) -> Vec<String> {
    let mut doubts = signs.mutating.clone();
    if verb == Verb::Reads
        && let Some(word) = words::not_reading(&named.bare)
    {
        doubts.push(format!("its name also says `{word}`"));
    }
    if let Some(word) = call.description.as_deref().and_then(words::said_to_change) {
        doubts.push(format!("its description says `{word}`"));
    }
    if call.hint("readOnlyHint") == Some(false) {
        doubts.push("its server says that it does not only read".to_owned());
    }
    if call.hint("destructiveHint") == Some(true) && call.hint("readOnlyHint") != Some(true) {
        doubts.push("its server calls it destructive".to_owned());
    }
    doubts
}

/// Per cent; always below 100.
fn confidence(call: &McpCall, verb: Verb, agreed: bool, lasting: bool, family: bool) -> i64 {
    let mut sure = match verb {
        Verb::Reads if agreed => 60,
        Verb::Reads | Verb::Unknown => 30,
        Verb::Deletes => 60,
        Verb::Runs if agreed => 60,
        Verb::Sends | Verb::Changes | Verb::Creates | Verb::Runs => 40,
    };
    if agreed && call.hint("readOnlyHint") == Some(true) {
        sure += 10;
    }
    if agreed && call.description.is_some() {
        sure += 5;
    }
    if verb == Verb::Deletes && lasting {
        sure += 15;
    }
    if family {
        sure += 10;
    }
    sure
}
