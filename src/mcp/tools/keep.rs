//! The tool that judges and keeps: what an action would destroy is set aside first, and its caller then does it himself.
//!
//! Owns nothing of how that is done: it is what the hooks of agents do, from the same function. Offered only where the server was
//! started with a policy that has anything kept.

use serde::Serialize;

use crate::attest::{Mode, Places};
use crate::config::{self, AttestationConfig};
use crate::evaluate::{Evaluation, Input, Supplied};
use crate::keep::{Keeping, Kept, before_run, make_store};
use crate::model::{Actor, Verdict};
use crate::policy::{EnforcementAction, KeepWhen, Profile};
use crate::shell as words;
use crate::text::{escape, shorten};
use crate::world::RealWorld;

use super::fields::{Arguments, Kind, optional, required};
use super::judge::{self, Circumstances};
use super::result::{self, object};
use super::{ENVIRONMENT, Effect, Tool, Tools};

/// Names of what is not kept, at most.
const NAMED: usize = 3;
/// Columns of a name or a reason.
const WIDTH: usize = 160;

pub(super) const TOOLS: &[Tool] = &[Tool {
    name: "recourse_keep",
    title: "Keep what an action would destroy",
    description: "Call this directly BEFORE you run what would destroy something on this machine: sets aside what would be lost, and judges again. Runs nothing itself. mayRun true: run it; recourse_undo takes it back.",
    fields: &[
        optional("command", Kind::Text, "The shell command."),
        optional("argv", Kind::Texts, "Or a program's words."),
        optional("tool", Kind::Text, "Or another MCP server's tool."),
        optional("server", Kind::Text, "With a tool."),
        optional("arguments", Kind::Object, "With a tool."),
        required("cwd", Kind::Text, "Absolute path of where it will run."),
        ENVIRONMENT,
    ],
    output: schema,
    effect: Effect::Keeps,
    run: keep,
}];

/// What is answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    /// The verdict with what is kept.
    risk_assessment: &'static str,
    /// The verdict without it.
    before: &'static str,
    may_run: bool,
    reason: String,
    /// The recovery point.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kept: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undo: Option<String>,
    /// What would be lost and is not kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_kept: Vec<String>,
    /// How much more is not kept than is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_kept_more: Option<usize>,
    /// Why nothing is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    nothing_kept: Option<String>,
}

/// Where recovery points are; none where the policy here has nothing kept, or cannot be read. What is attested with `require`
/// is the judgement of a machine that keeps nothing.
pub(super) fn places(attestation: &AttestationConfig) -> Option<Places> {
    let here = std::env::current_dir().ok()?;
    let keeps = config::policy(&here).is_ok_and(|policy| policy.keep().when != KeepWhen::Never);
    (keeps && attestation.mode != Mode::Require).then(config::user_places).flatten()
}

fn keep(tools: &Tools, arguments: &Arguments<'_>) -> Result<String, String> {
    let places = tools.places.as_ref().ok_or("nothing is kept here: the policy says so")?;
    let input = input(tools, arguments)?;
    let shown = shown(arguments);
    let mut at = tools.circumstances(arguments, Supplied::default())?;
    if at.context.anywhere {
        return Err("`cwd` is no directory on this machine, so nothing there can be kept".to_owned());
    }
    at.context.profile = Some(Profile::Agent);
    at.context.actor.get_or_insert_with(|| Actor::parse(&tools.who()));
    // It keeps files of this user for this user, as a hook does.
    let world = RealWorld::new();
    let mut before = tools.judge_in(input.clone(), &at, &world)?;
    let command = before.report.secrets.mask(&shown).into_owned();
    let keeping = Keeping {
        world: &world,
        knowledge: &tools.knowledge,
        policy: &at.policy,
        context: &at.context,
        places,
        command: &command,
        session: Some(tools.session()),
    };
    if make_store(&before, &keeping) {
        before = tools.judge_in(input, &at, &world)?;
    }
    let kept = before_run(&before, &keeping);
    serde_json::to_string(&answer(&before, &kept, &at))
        .map(|json| result::structured(&json))
        .map_err(|error| error.to_string())
}

/// What is about to happen: exactly one of the three.
fn input(tools: &Tools, arguments: &Arguments<'_>) -> Result<Input, String> {
    let given: Vec<&str> =
        ["command", "argv", "tool"].into_iter().filter(|name| arguments.value(name).is_some()).collect();
    let [source] = given.as_slice() else {
        return Err("give exactly one of `command`, `argv` and `tool`".to_owned());
    };
    let stray = ["server", "arguments"];
    if let Some(stray) = stray.iter().find(|name| *source != "tool" && arguments.value(name).is_some()) {
        return Err(format!("`{stray}` belongs to `tool`, not to `{source}`"));
    }
    Ok(match *source {
        "command" => judge::command(tools, arguments)?.0,
        "argv" => {
            let given = arguments.texts("argv").unwrap_or_default();
            Input::Shell(words::Input::Argv(given.into_iter().map(|word| Some(word.to_owned())).collect()))
        }
        _ => judge::tool_call(tools, arguments)?.0,
    })
}

/// The action as it was given, for the list of what is kept.
fn shown(arguments: &Arguments<'_>) -> String {
    if let Some(words) = arguments.texts("argv") {
        return shell_words::join(words);
    }
    let tool = || {
        let given = arguments.value("arguments").map(ToString::to_string).unwrap_or_default();
        let server = arguments.text("server").map(|server| format!("{server}."));
        format!("{}{} {given}", server.unwrap_or_default(), arguments.text("tool").unwrap_or_default())
    };
    arguments.text("command").map_or_else(tool, str::to_owned)
}

fn answer(before: &Evaluation, kept: &Kept, at: &Circumstances) -> Answer {
    let after = kept.evaluation.as_ref().unwrap_or(before);
    // Without a stated enforcement nothing may run.
    let action = after.report.enforcement.as_ref().map_or(EnforcementAction::Refuse, |stated| stated.action);
    let mut not_kept: Vec<String> = Vec::new();
    for mutation in after.report.mutations.iter().filter(|mutation| mutation.recoverability.tier >= 3) {
        let target = &mutation.intent.target;
        let name = part(target.name.as_ref().unwrap_or(&target.id));
        if !not_kept.contains(&name) {
            not_kept.push(name);
        }
    }
    let more = not_kept.len().saturating_sub(NAMED);
    not_kept.truncate(NAMED);
    not_kept.extend(kept.point.iter().flat_map(|head| head.without.iter().take(NAMED).map(|one| part(one))));
    let id = kept.point.as_ref().map(|head| head.id.clone());
    Answer {
        risk_assessment: after.verdict().as_str(),
        before: before.verdict().as_str(),
        may_run: action <= EnforcementAction::Note,
        reason: part(&after.report.assessment_reason),
        kept: kept.point.as_ref().map(|head| part(&head.what)),
        undo: id.as_ref().map(|id| format!("recourse undo {id}")),
        nothing_kept: id.is_none().then(|| nothing(kept, before.verdict(), action, at)),
        id,
        not_kept,
        not_kept_more: (more > 0).then_some(more),
    }
}

fn nothing(kept: &Kept, verdict: Verdict, action: EnforcementAction, at: &Circumstances) -> String {
    if let Some(why) = &kept.failed {
        return part(why);
    }
    match (at.policy.keep().when, verdict, action) {
        (KeepWhen::Never, ..) => "the policy of this directory has nothing kept",
        (KeepWhen::Ask, ..) => "the policy has something kept only when a person asks for it",
        (_, Verdict::Allow | Verdict::Warn, _) => "nothing is lost that undo would have to bring back",
        (.., EnforcementAction::Run | EnforcementAction::Note) => {
            "what it does is not known, and nothing uncommitted is here"
        }
        _ => "what would be lost cannot be kept, or needs a person all the same",
    }
    .to_owned()
}

fn part(text: &str) -> String {
    shorten(&escape(text), WIDTH)
}

fn schema() -> serde_json::Value {
    let mut schema = object(serde_json::json!({
        "riskAssessment": { "enum": ["allow", "warn", "escalate", "block"], "description": "With what is kept." },
        "before": { "enum": ["allow", "warn", "escalate", "block"], "description": "Without it." },
        "mayRun": { "type": "boolean" },
        "reason": { "type": "string" },
    }));
    // What is absent is empty.
    if let Some(members) = schema.as_object_mut() {
        members.insert("additionalProperties".to_owned(), serde_json::json!(true));
    }
    schema
}
