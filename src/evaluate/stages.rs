//! The stages, wired: input to mutations, mutations to assessments.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use crate::code::CodeEffect;
use crate::cores;
use crate::cross_action;
use crate::effects;
use crate::evidence::{self, Session};
use crate::knowledge::Knowledge;
use crate::mcp_call::{self, Act, McpCall};
use crate::model::{
    Action, Assessment, Cause, Context, CrossActionRisk, Evidence, Facts, Mutation, PathSubject,
    RecoverySource, RuleRef, Secrets, Source, Span, Subject, Target, Tier, Value, says_production,
};
use crate::policy::Policy;
use crate::programs;
use crate::shell::{self, Sink as _};
use crate::terraform;
use crate::world::World;
use crate::world::resolve::{Disk, resolve};

use super::supplied::Bar;
use super::{EvaluationContext, Input, made};

/// How long interpretation may take; past it the verdict is a human's.
const READING: Duration = Duration::from_secs(2);

/// What the words of the input tell besides mutations.
#[derive(Default)]
pub(super) struct Told {
    /// What they say is secret.
    pub(super) secrets: Secrets,
    /// Places that they name.
    pub(super) named: Vec<PathBuf>,
    /// Places that the words of any program name.
    pub(super) touched: Vec<PathBuf>,
    /// Files that words of commands may name, with the place of the command.
    pub(super) operands: Vec<(Span, PathBuf)>,
    /// Programs that are started, as they are named.
    pub(super) programs: BTreeSet<String>,
    /// Resources that a plan names, those that stay as they are included.
    pub(super) resources: Option<usize>,
}

/// What the steps of shell text or of an argument vector would change.
pub(super) fn shell(
    input: &shell::Input,
    context: &EvaluationContext,
    world: &dyn World,
    knowledge: &Knowledge,
    told: &mut Told,
) -> Vec<Mutation> {
    let look = effects::WorldLook::new(world);
    let mut collect = programs::collect(knowledge, &look);
    collect.secrets = std::mem::take(&mut told.secrets);
    collect.named = std::mem::take(&mut told.named);
    let mut options = match &context.session {
        Some(session) => shell::Options::at_prompt(&context.cwd, shell::Session::clone(session)),
        None => shell::Options::fresh(&context.cwd),
    };
    options.deadline = Some(world.elapsed() + READING);
    options.start = context.start.clone();
    options.bound = context.signed && context.same_environment;
    let unset = programs::interpret(input, world, knowledge, &options, &mut collect);
    let mut mutations = std::mem::take(&mut collect.mutations);
    if !unset.is_empty() && !context.same_environment {
        // Who writes a name means it to be set: where the shell that runs this knows it, this is what happens.
        options.start.variables.extend(unset.into_iter().map(|name| (name, None)));
        programs::interpret(input, world, knowledge, &options, &mut collect);
        let further = std::mem::take(&mut collect.mutations);
        mutations = joined(mutations, further);
    }
    told.secrets = collect.secrets;
    told.named = collect.named;
    told.touched = collect.touched;
    told.operands.extend(collect.operands);
    told.programs.extend(collect.started);
    if context.made_for_it {
        made::settle(&mut mutations, knowledge);
    }
    mutations
}

/// What happens in one case, and what else happens in another.
fn joined(mut first: Vec<Mutation>, further: Vec<Mutation>) -> Vec<Mutation> {
    let more: Vec<Mutation> = further.into_iter().filter(|one| !first.contains(one)).collect();
    first.extend(more);
    first
}

/// A script that bears a program's name and hands on to that program says no more than the name does.
pub(super) fn once_by_name(mutations: &mut Vec<Mutation>) {
    let handed_on = |mutation: &Mutation| {
        let bears = |via: &String| via.rsplit_once('/').is_some_and(|(_, base)| base == mutation.rule.tool);
        mutation.context.via.iter().any(bears)
    };
    if !mutations.iter().any(handed_on) {
        return;
    }
    let said: Vec<Mutation> = mutations.iter().filter(|mutation| !handed_on(mutation)).cloned().collect();
    let same = |one: &Mutation, other: &Mutation| {
        (one.action, &one.kind, &one.subject, &one.facts, &one.rule)
            == (other.action, &other.kind, &other.subject, &other.facts, &other.rule)
            && one.context.cwd == other.context.cwd
            && one.context.host == other.context.host
    };
    mutations.retain(|mutation| !handed_on(mutation) || !said.iter().any(|other| same(mutation, other)));
}

/// A plan's changes, and what the commands that its apply runs on this machine would do.
pub(super) fn terraform(
    plan: &terraform::Plan,
    state: Option<&serde_json::Value>,
    context: &EvaluationContext,
    world: &dyn World,
    knowledge: &Knowledge,
    told: &mut Told,
) -> Vec<Mutation> {
    let analysis = terraform::analyse(plan, state, knowledge);
    told.resources = Some(analysis.resources);
    let mut mutations = analysis.mutations;
    mutations.extend(analysis.files.into_iter().map(|file| local_file(file, context, world)));
    for command in analysis.commands {
        let (at, via) = (started(&command, context, world), format!("{} of {}", command.by, command.address));
        let found = match command.run {
            Some(terraform::Run::Shell(text)) => {
                shell(&shell::Input::Text(text), &at, world, knowledge, told)
            }
            Some(terraform::Run::Words(words)) => {
                let input = shell::Input::Argv(words.into_iter().map(Some).collect());
                shell(&input, &at, world, knowledge, told)
            }
            None => vec![terraform::unread_command(&command.address)],
        };
        mutations.extend(found.into_iter().map(|mut mutation| {
            mutation.context.via.insert(0, via.clone());
            // The text stands in the plan's configuration, not in what was typed.
            mutation.span = None;
            mutation
        }));
    }
    mutations
}

/// Where a command runs that Terraform starts, and with which variables.
fn started(
    command: &terraform::LocalCommand,
    context: &EvaluationContext,
    world: &dyn World,
) -> EvaluationContext {
    let mut at = context.clone();
    match &command.directory {
        terraform::Directory::Terraforms => {}
        terraform::Directory::Named(dir) => {
            let named = context.cwd.join(dir);
            match resolve(&named, &Disk(world)).filter(|path| path.is_absolute()) {
                Some(path) => at.cwd = path,
                None => at.start.directories = Some(Vec::new()),
            }
        }
        terraform::Directory::Unknown => at.start.directories = Some(Vec::new()),
    }
    match &command.environment {
        Some(set) => at.start.variables.extend(set.iter().cloned()),
        None => at.start.changed = true,
    }
    at
}

/// A file that Terraform writes: what stands there already goes.
fn local_file(file: terraform::LocalFile, context: &EvaluationContext, world: &dyn World) -> Mutation {
    let Some(name) = file.name else { return terraform::unread_file(&file.address) };
    let named = context.cwd.join(&name);
    let real = resolve(&named, &Disk(world)).filter(|path| path.is_absolute());
    let known = real.as_ref().map_or(Value::Unknown, |path| Value::known(path.to_string_lossy()));
    let path = real.unwrap_or(named).to_string_lossy().into_owned();
    let mut subject = PathSubject::new(known, &name);
    subject.content = file.content;
    Mutation {
        action: Action::Replace,
        kind: "file".to_owned(),
        subject: Subject::Path(subject),
        target: Target { r#type: "file".to_owned(), id: path, name: Some(name), ..Target::default() },
        source: Source::Terraform,
        raw: file.address,
        span: None,
        rule: RuleRef { tool: "terraform".to_owned(), rule: "local_file".to_owned() },
        cause: Cause::Rule,
        context: Context { cwd: told(&context.cwd), ..Context::default() },
        facts: Facts::new(),
        dependents: Vec::new(),
    }
}

/// What a tool call would change: by its own data, and by the commands and SQL in its arguments.
pub(super) fn mcp(
    call: &McpCall,
    context: &EvaluationContext,
    world: &dyn World,
    knowledge: &Knowledge,
    told: &mut Told,
) -> Vec<Mutation> {
    let home = world.home(None);
    let links = Disk(world);
    let place = mcp_call::Place { cwd: &context.cwd, home: home.as_deref(), links: &links };
    let mut analysis = mcp_call::analyse(call, knowledge, &place);
    let mut mutations = Vec::new();
    for act in std::mem::take(&mut analysis.acts) {
        let (nested, found) = match act {
            Act::Mutation(mutation) => (false, vec![*mutation]),
            Act::Shell(text) => {
                (true, in_each(&analysis.cwd, shell::Input::Text(text), context, world, knowledge, told))
            }
            Act::Argv(words) => {
                (true, in_each(&analysis.cwd, shell::Input::Argv(words), context, world, knowledge, told))
            }
            Act::Sql { dialect, database, text } => {
                (true, sql(dialect, database, text, call, context, world, knowledge))
            }
        };
        mutations.extend(found.into_iter().map(|mutation| analysis.complete(mutation, nested)));
    }
    mutations
}

/// A command in every directory that a call names, or in the usual one.
fn in_each(
    cwd: &[std::path::PathBuf],
    input: shell::Input,
    context: &EvaluationContext,
    world: &dyn World,
    knowledge: &Knowledge,
    told: &mut Told,
) -> Vec<Mutation> {
    if cwd.is_empty() {
        return shell(&input, context, world, knowledge, told);
    }
    let inside = |dir: &std::path::PathBuf| EvaluationContext { cwd: dir.clone(), ..context.clone() };
    cwd.iter().flat_map(|dir| shell(&input, &inside(dir), world, knowledge, told)).collect()
}

/// SQL that a server is handed.
fn sql(
    dialect: &'static str,
    database: Value,
    text: String,
    call: &McpCall,
    context: &EvaluationContext,
    world: &dyn World,
    knowledge: &Knowledge,
) -> Vec<Mutation> {
    let look = effects::WorldLook::new(world);
    let mut collect = programs::collect(knowledge, &look);
    let effect = CodeEffect::Sql { dialect, database, text: Value::Known(text) };
    let step = shell::Step {
        kind: shell::StepKind::Code { language: "sql", effect },
        span: Span::default(),
        raw: call.shown(),
        context: Context { cwd: told(&context.cwd), ..Context::default() },
        names: std::sync::Arc::default(),
    };
    collect.step(step, &mut shell::Files::default());
    collect.mutations
}

/// The directory that a command runs in, where it was told.
fn told(cwd: &std::path::Path) -> Vec<std::path::PathBuf> {
    Some(cwd).filter(|cwd| !cwd.as_os_str().is_empty()).map(std::path::Path::to_owned).into_iter().collect()
}

/// What keeps supplied evidence from lowering a verdict.
pub(super) fn bar(
    input: &Input,
    context: &EvaluationContext,
    world: &dyn World,
    knowledge: &Knowledge,
    policy: &Policy,
) -> Bar {
    if context.supplied.is_empty() {
        return Bar::None;
    }
    let production = context.environment.as_deref().is_some_and(|name| policy.is_production(name));
    let alone = if production { Bar::Production } else { Bar::None };
    let Input::Shell(input) = input else { return alone };
    let mut counted = Counted::default();
    let mut options = shell::Options::fresh(&context.cwd);
    options.deadline = Some(world.elapsed() + READING);
    programs::interpret(input, world, knowledge, &options, &mut counted);
    if counted.count > 1 { Bar::After } else { alone }
}

/// Counts what a line runs: wrappers with what they run as one, and a program that cannot be read with what its name says.
#[derive(Default)]
struct Counted {
    count: usize,
    /// Place and name of the program before, where it could not be read.
    unread: Option<(crate::model::Span, String)>,
}

impl shell::Sink for Counted {
    fn step(&mut self, step: shell::Step, _: &mut shell::Files) {
        let base = |name: &str| name.rsplit('/').next().unwrap_or(name).to_owned();
        let before = self.unread.take();
        let counts = match &step.kind {
            shell::StepKind::Run(run) => {
                before != Some((step.span, base(&run.name)))
                    && !matches!(run.name.as_str(), "cd" | "export" | "set" | ":" | "true")
            }
            shell::StepKind::UnknownProgram { name, .. } => {
                self.unread = Some((step.span, base(name)));
                true
            }
            _ => true,
        };
        self.count += usize::from(counts && step.context.via.is_empty());
    }
}

pub(super) fn assess(
    mutations: Vec<Mutation>,
    named: Vec<PathBuf>,
    context: &EvaluationContext,
    bar: Bar,
    world: &dyn World,
    knowledge: &Knowledge,
) -> Vec<Assessment> {
    let mut session = Session::new();
    session.tell_words(named);
    let looked: Vec<(Mutation, Evidence)> = mutations
        .into_iter()
        .map(|mutation| {
            let evidence = evidence::collect(&mutation, world, &mut session);
            (mutation, evidence)
        })
        .collect();
    let (supplied, rules_only) = (&context.supplied, context.rules_only);
    let judged = |(mutation, evidence): (Mutation, Evidence)| {
        let named = mutation.target.environment.as_deref();
        let production = named.is_some_and(says_production) && bar == Bar::None;
        let bar = if production { Bar::Production } else { bar };
        let mut judged = supplied.assess(mutation, evidence, bar, knowledge);
        if rules_only {
            without_classifier(&mut judged);
        }
        judged
    };
    // Each core judges some of a long plan.
    let parts = cores::each_of(looked, |part| part.into_iter().map(judged).collect::<Vec<_>>());
    parts.into_iter().flatten().collect()
}

/// A guess counts for nothing, unless it is worse than not to know.
fn without_classifier(judged: &mut Assessment) {
    let found = &mut judged.recoverability;
    if found.source == RecoverySource::Classifier && found.tier.severity() < Tier::NeedsReview.severity() {
        found.tier = Tier::NeedsReview;
        found.reasoning =
            format!("no rule speaks of {}, and guesses were not wanted", judged.mutation.target.r#type);
        judged.harmless = false;
    }
}

pub(super) fn together(assessments: &mut [Assessment]) -> Vec<CrossActionRisk> {
    cross_action::examine(assessments)
}
