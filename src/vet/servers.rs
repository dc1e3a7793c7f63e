//! MCP servers: every example holds in the whole pipeline, every effect is reached by one, and what is said to read reads.

use std::collections::BTreeSet;

use crate::evaluate::Input;
use crate::knowledge::{McpExample, McpServer, Part};
use crate::mcp_call::McpCall;
use crate::shell;

use super::examples::{action, agree, judged, mutations, told};
use super::tools::of_effect;
use super::{Vet, below};

/// Where calls are judged.
const HOME: &str = "/home/u";

pub(super) fn check(vet: &mut Vet<'_>) {
    let pack = vet.pack;
    for part in &pack.servers {
        for (name, tool) in &part.it.tool {
            let at = below(&part.at, &["tool", name]);
            if tool.example.is_empty() {
                vet.tell(&at, format!("{name} has no example"));
            }
            let mut seen = BTreeSet::new();
            for (number, example) in tool.example.iter().enumerate() {
                let kinds = example.is.iter().flatten();
                seen.extend(kinds.map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" ")));
                let at = below(&at, &["example", &number.to_string()]);
                of_example(vet, part, &at, name, example);
            }
            for (number, effect) in tool.effect.iter().enumerate() {
                let at = below(&at, &["effect", &number.to_string()]);
                of_effect(vet, &at, name, effect, true);
                let wanted = format!("{} {}", action(effect.action), effect.on.kind);
                if !seen.contains(&wanted) {
                    vet.tell(&at, format!("{name}: no example gives `{wanted}`"));
                }
            }
        }
        for name in &part.it.reads {
            let found = called(vet, &part.it, name, &toml::Table::new());
            if found.as_ref().is_none_or(|list| !list.is_empty()) {
                let found = told(&found.unwrap_or_default());
                vet.tell(&below(&part.at, &["reads"]), format!("{name} should only read, but gives {found}"));
            }
        }
    }
}

fn of_example(vet: &mut Vet<'_>, part: &Part<McpServer>, at: &[String], name: &str, example: &McpExample) {
    let called_as = example.tool.as_deref().unwrap_or(name);
    let expected = match (&example.is, &example.like) {
        (Some(expected), None) => expected.clone(),
        (None, Some(text)) => {
            let input = Input::Shell(shell::Input::Text(text.clone()));
            mutations(&judged(input, HOME, vet.knowledge))
        }
        _ => return vet.tell(at, format!("{called_as}: an example has either `is` or `like`")),
    };
    let Some(found) = called(vet, &part.it, called_as, &example.call) else {
        return vet.tell(at, format!("{called_as}: the call cannot be read"));
    };
    if !agree(&found, &expected, is_raised(vet, &part.it)) {
        let call = example.call.to_string();
        let call = call.trim().replace('\n', ", ");
        vet.tell(at, format!("{called_as} {{{call}}} gives {}, not {}", told(&found), told(&expected)));
    }
}

/// Whether others speak of servers that are called so as well.
fn is_raised(vet: &Vet<'_>, server: &McpServer) -> bool {
    let same = |names: &[String]| names.iter().any(|name| server.server.contains(name));
    vet.knowledge.mcp().iter().filter(|family| same(&family.names)).count() > 1
}

/// What a call gives; `None` when it is no call at all.
fn called(vet: &Vet<'_>, server: &McpServer, tool: &str, arguments: &toml::Table) -> Option<Vec<String>> {
    let arguments = serde_json::to_value(arguments).ok()?;
    let call = McpCall::new(server.server.first().map(String::as_str), tool, Some(arguments)).ok()?;
    let done = judged(Input::Mcp(call), HOME, vet.knowledge);
    (!done.internal_error).then(|| mutations(&done))
}
