//! Looks: they are of use to a kind, only read, refuse odd names, and read what they should from an output.

use std::collections::BTreeMap;

use crate::evaluate::Input;
use crate::knowledge::{Literal, Look, did_you_mean};
use crate::model::{Action, FactValue, Verdict};
use crate::shell;

use super::examples::judged;
use super::tools::not_taken;
use super::{Vet, below};

/// What every target has, besides its facts.
const SAID: [&str; 5] = ["name", "tool", "region", "database", "dialect"];

pub(super) fn check(vet: &mut Vet<'_>) {
    let pack = vet.pack;
    for part in &pack.looks {
        let kind = &part.name;
        let Some(known) = vet.knowledge.looks(kind) else {
            let what = not_taken(vet.knowledge, kind, "looks", "this one is");
            vet.tell(&part.at, what);
            continue;
        };
        for (number, look) in part.it.iter().enumerate() {
            let at = below(&part.at, &[&number.to_string()]);
            let of = format!("{kind}, {}", look.key);
            if !known
                .iter()
                .any(|one| one.key == look.key && one.argv == look.argv && one.parse == look.parse)
            {
                vet.tell(&at, format!("{of}: `{kind}` is built in, and this look is not used"));
            }
            for key in look.needs().iter().filter(|key| !SAID.contains(&key.as_str())) {
                if let Some(hint) = vet.facts.untold(kind, key) {
                    vet.tell(&at, format!("{of}: nobody tells `{key}`{hint}"));
                }
            }
            if !vet.facts.is_asked(kind, &look.key) {
                vet.tell(&at, format!("{of}: no case of the kind asks for it"));
            }
            if !look.example.iter().any(|e| e.is.is_some()) || !look.example.iter().any(|e| e.is.is_none()) {
                vet.tell(&at, format!("{of}: needs an output that tells it and one that does not"));
            }
            for (number, example) in look.example.iter().enumerate() {
                let asked = look.asks();
                for key in example.given.keys().filter(|key| *key != "name" && !asked.contains(key)) {
                    let hint = did_you_mean(key, asked.iter().map(String::as_str));
                    let at = below(&at, &["example", &number.to_string(), "given"]);
                    vet.tell(&at, format!("{of}: it does not ask for `{key}`{hint}"));
                }
                let found = look.parse.read(&example.raw, &|key| example.given.get(key).cloned());
                let expected = example.is.as_ref().map(Literal::value);
                if found != expected {
                    let at = below(&at, &["example", &number.to_string()]);
                    vet.tell(
                        &at,
                        format!("{of}: `{}` tells {}, not {}", example.raw, shown(found), shown(expected)),
                    );
                }
            }
            only_reads(vet, &at, &of, look);
        }
    }
}

/// A fact's value in words.
fn shown(value: Option<FactValue>) -> String {
    match value {
        None => "nothing".to_owned(),
        Some(FactValue::Bool(yes)) => yes.to_string(),
        Some(FactValue::Number(number)) => number.to_string(),
        Some(FactValue::Text(text)) => format!("`{text}`"),
    }
}

/// What is suggested to somebody must be harmless, whatever the target is called.
fn only_reads(vet: &mut Vet<'_>, at: &[String], of: &str, look: &Look) {
    let given: BTreeMap<String, String> =
        look.example.iter().find(|e| e.is.is_some()).map(|e| e.given.clone()).unwrap_or_default();
    let Some(words) = look.words(&|key| given.get(key).cloned()) else {
        return vet.tell(at, format!("{of}: its own example does not fill the words"));
    };
    let input = Input::Shell(shell::Input::Argv(words.iter().cloned().map(Some).collect()));
    let done = judged(input, "/work", vet.knowledge);
    // In an empty world nothing is lost by a deletion: what it does counts, not what it costs.
    let acts = done.assessments.iter().any(|judged| judged.mutation.action != Action::Read);
    if acts || done.verdict() != Verdict::Allow {
        let command = words.join(" ");
        vet.tell(at, format!("{of}: `{command}` does not only look: {}", done.report.assessment_reason));
    }
    for odd in ["--profile=evil", "-x", "a\nb", ""] {
        let asks = look.argv.iter().any(|w| w.contains('{') && !w.starts_with('-'));
        let filled = look.words(&|_| Some(odd.to_owned()));
        if asks && filled.is_some_and(|words| words.iter().any(|w| w == odd)) {
            vet.tell(at, format!("{of}: takes a target that is called {odd:?}"));
        }
    }
}
