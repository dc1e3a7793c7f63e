//! `explain`: every mutation with the rule it rests on, what was found, what was not, and who decided.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::PathBuf;

use clap::ValueHint;
use serde::Serialize;

use crate::evaluate::{Evaluation, Input, evaluate};
use crate::model::{Assessment, Cause, FactValue, RecoverySource, Secrets, Verdict};
use crate::report::{ConsequenceReport, MutationReport, render};
use crate::text::{escape, wrap};

use super::common::{Common, Format};
use super::finish::say_what_is_kept;
use super::inputs::{plan_bytes, plan_input, shell_input};
use super::mcp;
use super::output::{self, Failure};
use super::setup::Setup;
use super::status;

#[derive(Debug, clap::Args)]
pub(super) struct ExplainArgs {
    #[command(flatten)]
    pub(super) common: Common,
    /// Form of the output
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
    /// Explain a Terraform plan, binary or in JSON, instead of a command
    #[arg(long, value_name = "PLAN", conflicts_with = "words", value_hint = ValueHint::FilePath)]
    pub(super) plan: Option<PathBuf>,
    /// Explain a call of this MCP tool instead of a command
    #[arg(long, value_name = "NAME", conflicts_with_all = ["words", "plan"])]
    pub(super) tool: Option<String>,
    /// The tool's server
    #[arg(long, value_name = "NAME", requires = "tool")]
    pub(super) server: Option<String>,
    /// The tool's arguments, a JSON object; `-` reads standard input, `@FILE` a file
    #[arg(long, value_name = "JSON|-|@FILE", requires = "tool")]
    pub(super) arguments: Option<String>,
    /// One word is shell text, several are an argument vector; `-` reads shell text from standard input. From the first
    /// word on all belongs to the command
    #[arg(trailing_var_arg = true, required_unless_present_any = ["plan", "tool"], value_name = "COMMAND", value_hint = ValueHint::CommandString)]
    pub(super) words: Vec<OsString>,
}

/// Version of the JSON form.
const VERSION: &str = "recourse.explanation.v1";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Explanation<'a> {
    schema_version: &'static str,
    explanations: Vec<Item<'a>>,
    report: &'a ConsequenceReport,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Item<'a> {
    resource: Resource<'a>,
    verdict: Judged<'a>,
    confidence: Confidence,
    rule: Rule<'a>,
    trace: Vec<Check<'a>>,
    limitations: Vec<&'a str>,
}

#[derive(Serialize)]
struct Resource<'a> {
    address: &'a str,
    r#type: &'a str,
    action: crate::model::Action,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Judged<'a> {
    tier: u8,
    label: &'a str,
    reasoning: &'a str,
    decision: Verdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<String>,
}

#[derive(Serialize)]
struct Confidence {
    level: &'static str,
    reason: String,
}

#[derive(Serialize)]
struct Rule<'a> {
    tool: &'a str,
    rule: &'a str,
    via: &'a [String],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Check<'a> {
    check: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'a FactValue>,
    value_display: String,
    passed: bool,
    note: &'a str,
}

pub(super) fn run(args: &ExplainArgs) -> Result<u8, Failure> {
    let setup = Setup::new(&args.common)?;
    let (input, text) = match (&args.plan, &args.tool) {
        (Some(plan), _) => (plan_input(plan, &plan_bytes(plan, &setup)?.0, None)?, None),
        (None, Some(tool)) => {
            let call = mcp::call(args.server.as_deref(), tool, args.arguments.as_deref())?;
            (Input::Mcp(call), None)
        }
        (None, None) => {
            let input = shell_input(&args.words)?;
            let text = input.shown();
            (Input::Shell(input), Some(text))
        }
    };
    let mut done = evaluate(input, &setup.context, &setup.world, &setup.knowledge, &setup.policy);
    if let Some(text) = &text {
        say_what_is_kept(&mut done, text, &setup);
    }
    match args.format {
        Format::Json => output::print_json(&Explanation {
            schema_version: VERSION,
            explanations: pairs(&done)
                .map(|(judged, said)| item(judged, said, &done.report.secrets))
                .collect(),
            report: &done.report,
        })?,
        Format::Human => {
            let style = output::style();
            let mut page = render(&done.report, text.as_deref(), style);
            for (number, (judged, said)) in pairs(&done).enumerate() {
                let mut described = Described { page: &mut page, columns: style.width };
                described.one(number + 1, judged, said, &done.report.secrets);
            }
            output::print(&page);
        }
    }
    Ok(if done.internal_error { status::INTERNAL } else { 0 })
}

fn pairs(done: &Evaluation) -> impl Iterator<Item = (&Assessment, &MutationReport)> {
    done.assessments.iter().zip(&done.report.mutations)
}

fn item<'a>(judged: &'a Assessment, said: &'a MutationReport, secrets: &Secrets) -> Item<'a> {
    Item {
        resource: Resource {
            address: &said.intent.target.id,
            r#type: &said.intent.target.r#type,
            action: said.intent.action,
        },
        verdict: Judged {
            tier: said.recoverability.tier,
            label: said.recoverability.label,
            reasoning: &said.recoverability.reasoning,
            decision: judged.verdict,
            policy: judged.message.as_deref().map(|text| secrets.mask(text).into_owned()),
        },
        confidence: Confidence {
            level: level(said.recoverability.confidence),
            reason: rests_on(judged, secrets),
        },
        rule: Rule {
            tool: &judged.mutation.rule.tool,
            rule: &judged.mutation.rule.rule,
            via: &judged.mutation.context.via,
        },
        trace: said
            .evidence
            .iter()
            .map(|found| Check {
                check: &found.key,
                value: found.value.as_ref(),
                value_display: found.value.as_ref().map(display).unwrap_or_default(),
                passed: found.present,
                note: &found.description,
            })
            .collect(),
        limitations: said.missing_evidence.iter().map(|missing| missing.description.as_str()).collect(),
    }
}

fn level(confidence: f64) -> &'static str {
    match confidence {
        high if high >= 0.9 => "high",
        medium if medium >= 0.5 => "medium",
        _ => "low",
    }
}

fn display(value: &FactValue) -> String {
    match value {
        FactValue::Bool(true) => "yes".to_owned(),
        FactValue::Bool(false) => "no".to_owned(),
        FactValue::Number(number) => number.to_string(),
        FactValue::Text(text) => text.clone(),
    }
}

/// What the judgement rests on, in words.
fn rests_on(judged: &Assessment, secrets: &Secrets) -> String {
    match (&judged.mutation.cause, judged.recoverability.source) {
        (Cause::Rule, RecoverySource::Rules) => "a rule for this tool and kind".to_owned(),
        (Cause::Rule, RecoverySource::Classifier) => "general signs; no rule speaks of this kind".to_owned(),
        (Cause::UnknownProgram, _) => "nothing is known of this program".to_owned(),
        (Cause::UnknownForm, _) => "the program is known, this form of it is not".to_owned(),
        (Cause::Gap(why) | Cause::Opaque(why) | Cause::Limit(why), _) => secrets.mask(why).into_owned(),
    }
}

/// Columns before the text of a line.
const INDENT: usize = 13;

/// What is said of each mutation, no wider than the terminal.
struct Described<'a> {
    page: &'a mut String,
    columns: usize,
}

impl Described<'_> {
    fn line(&mut self, label: &str, text: &str) {
        let mut label = label;
        for part in wrap(&escape(text), self.columns.saturating_sub(INDENT)) {
            let _ = writeln!(self.page, "   {label:<10}{part}");
            label = "";
        }
    }

    fn one(&mut self, number: usize, judged: &Assessment, said: &MutationReport, secrets: &Secrets) {
        let intent = &said.intent;
        let action = serde_json::to_string(&intent.action).unwrap_or_default();
        let kind = &intent.target.r#type;
        let _ = writeln!(
            self.page,
            "\n{number}. {} {} {}",
            action.trim_matches('"'),
            escape(kind),
            escape(&intent.target.id)
        );
        self.line("from", &intent.raw);
        let rule = &judged.mutation.rule;
        if !rule.tool.is_empty() {
            self.line("rule", format!("{} {}", rule.tool, rule.rule).trim());
        }
        if !judged.mutation.context.via.is_empty() {
            self.line("through", &judged.mutation.context.via.join(", "));
        }
        if let Some(host) = &judged.mutation.context.host {
            self.line("on", host);
        }
        self.line("rests on", &rests_on(judged, secrets));
        for (n, found) in said.evidence.iter().enumerate() {
            let value = found.value.as_ref().map(display).unwrap_or_default();
            self.line(
                if n == 0 { "found" } else { "" },
                &format!("{} = {value}: {}", found.key, found.description),
            );
        }
        for (n, missing) in said.missing_evidence.iter().enumerate() {
            self.line(
                if n == 0 { "not seen" } else { "" },
                &format!("{}: {}", missing.key, missing.description),
            );
        }
        let judgement = &said.recoverability;
        let sure = (judgement.confidence * 100.0).round();
        self.line("tier", &format!("{} {} ({sure} % sure)", judgement.tier, judgement.label));
        self.line("because", &judgement.reasoning);
        for (n, step) in said.recovery.iter().enumerate() {
            self.line(if n == 0 { "back" } else { "" }, step);
        }
        let decided =
            judged.message.as_deref().map(|text| secrets.mask(text)).unwrap_or("the built-in table".into());
        self.line("verdict", &format!("{} ({decided})", judged.verdict.as_str()));
        if let Some(rule) = &judged.rule {
            self.line("by", rule);
        }
    }
}
