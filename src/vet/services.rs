//! Services: they are of use to a kind, what fetches only reads, and their examples hold.

use crate::evaluate::Input;
use crate::knowledge::{Service, ServiceCall, ServiceExample};
use crate::model::{Action, Verdict};
use crate::shell;

use super::examples::judged;
use super::tools::{kind_hint, not_taken};
use super::{Vet, below};

pub(super) fn check(vet: &mut Vet<'_>) {
    let pack = vet.pack;
    for part in &pack.services {
        let kind = &part.name;
        let Some(known) = vet.knowledge.services(kind) else {
            let what = not_taken(vet.knowledge, kind, "services", "this one is");
            vet.tell(&part.at, what);
            continue;
        };
        for (number, service) in part.it.iter().enumerate() {
            let at = below(&part.at, &[&number.to_string()]);
            let of = format!("{kind}, {}", service.title);
            if !known.iter().any(|one| one.title == service.title && one.keep == service.keep) {
                vet.tell(&at, format!("{of}: `{kind}` is built in, and this one is not used"));
            }
            if vet.knowledge.kind(kind).is_none() {
                vet.tell(&at, format!("kind `{kind}` is not declared{}", kind_hint(vet.knowledge, kind)));
            }
            one(vet, &at, &of, service);
        }
    }
}

fn one(vet: &mut Vet<'_>, at: &[String], of: &str, service: &Service) {
    for name in service.tool.iter().filter(|name| vet.knowledge.tool(name).is_none()) {
        vet.tell(&below(at, &["tool"]), format!("{of}: no tool is called `{name}`"));
    }
    if !service.example.iter().any(|e| e.keep.is_some()) || !service.example.iter().any(|e| e.keep.is_none())
    {
        vet.tell(
            at,
            format!("{of}: needs an example of a call that it is for and one of a call that it is not for"),
        );
    }
    for (number, example) in service.example.iter().enumerate() {
        let at = below(at, &["example", &number.to_string()]);
        let call = called(vet, service, example);
        let fetched = call.as_ref().and_then(|call| call.words(&service.keep));
        let found = fetched.as_deref().map(shell_words::join);
        if found != example.keep {
            let said = |text: &Option<String>| {
                text.as_ref().map_or("nothing".to_owned(), |text| format!("`{text}`"))
            };
            let what =
                format!("{of}: for `{}` runs {}, not {}", example.run, said(&found), said(&example.keep));
            vet.tell(&at, what);
            continue;
        }
        let Some(call) = call.filter(|_| fetched.is_some()) else { continue };
        let restored = call.words(&service.restore).as_deref().map(shell_words::join);
        if restored != example.restore {
            let what =
                restored.map_or("cannot be put back".to_owned(), |text| format!("is put back by `{text}`"));
            vet.tell(&at, format!("{of}: what `{}` takes {what}", example.run));
        }
        if service.shown(&call).is_none() {
            vet.tell(&at, format!("{of}: the title cannot be filled for `{}`", example.run));
        }
        for (key, command) in service.commands() {
            let Some(words) = call.words(command) else {
                vet.tell(&at, format!("{of}: `{key}` cannot be filled for `{}`", example.run));
                continue;
            };
            if matches!(key, "learn" | "keep") {
                only_reads(vet, &at, of, &words);
            }
        }
    }
}

/// The call of an example, with what it says was learned.
fn called(vet: &Vet<'_>, service: &Service, example: &ServiceExample) -> Option<ServiceCall> {
    let words = shell_words::split(&example.run).ok()?;
    let name = words.first()?;
    let tool = vet.knowledge.tool(name)?;
    let acts = service.acts.iter().copied();
    let mut call =
        acts.filter_map(|action| service.call(&tool, &words, action, example.target.as_deref())).next()?;
    call.learned.clone_from(&example.learned);
    Some(call)
}

/// What runs before anybody was asked must be harmless.
fn only_reads(vet: &mut Vet<'_>, at: &[String], of: &str, words: &[String]) {
    let input = Input::Shell(shell::Input::Argv(words.iter().cloned().map(Some).collect()));
    let done = judged(input, "/work", vet.knowledge);
    let acts = done.assessments.iter().any(|judged| judged.mutation.action != Action::Read);
    if acts || done.verdict() != Verdict::Allow {
        let command = words.join(" ");
        vet.tell(at, format!("{of}: `{command}` does not only look: {}", done.report.assessment_reason));
    }
}
