//! The one entry: input and circumstances in, verdict and report out.
//!
//! Owns the order of the stages and the boundary at which a panic inside any of them becomes `escalate`. Holds no
//! judgement of its own. Release builds unwind for this reason: a fault in one rule must end in a question, not in a
//! dead guard that lets its caller go on.

mod guard;
#[cfg(test)]
mod guard_tests;
mod look;
mod made;
mod once;
#[cfg(test)]
mod once_tests;
mod places;
mod safer;
mod stages;
mod suggest;
mod supplied;
#[cfg(test)]
mod tests;
mod untold;

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;

use crate::knowledge::Knowledge;
use crate::mcp_call::McpCall;
use crate::model::{
    Action, Actor, Assessment, Cause, Context, CrossActionRisk, Evidence, Facts, Material, MissingEffect,
    Mutation, Recoverability, RecoverySource, RuleRef, Secrets, Source, Subject, Target, Tier, Verdict,
};
use crate::policy::{Policy, PolicyContext, Profile};
use crate::recoverability;
use crate::report::{ConsequenceReport, Parts, StageTimes, build};
use crate::shell;
use crate::terraform;
use crate::world::{Checkout, Elsewhere, Tree, World};

pub use supplied::Supplied;

/// The JSON Schema of [`Supplied`], as published in `docs/evidence.schema.json`.
pub const EVIDENCE_SCHEMA: &str = include_str!("../../docs/evidence.schema.json");

/// What is evaluated.
#[derive(Clone, Debug)]
pub enum Input {
    /// Shell text, or an argument vector.
    Shell(shell::Input),
    /// A Terraform plan, and the state where a caller has it (`terraform show -json`).
    Terraform {
        /// The plan.
        plan: Arc<terraform::Plan>,
        /// The state.
        state: Option<Arc<serde_json::Value>>,
    },
    /// A call of another MCP server's tool.
    Mcp(McpCall),
}

impl Input {
    /// For people, secrets not masked yet.
    pub fn shown(&self) -> String {
        match self {
            Self::Shell(input) => input.shown(),
            Self::Terraform { .. } => "(a plan)".to_owned(),
            Self::Mcp(call) => call.shown(),
        }
    }

    /// A plan without a separate state.
    pub fn terraform(plan: terraform::Plan) -> Self {
        Self::Terraform { plan: Arc::new(plan), state: None }
    }

    fn source(&self) -> Source {
        match self {
            Self::Shell(_) => Source::Shell,
            Self::Terraform { .. } => Source::Terraform,
            Self::Mcp(_) => Source::Mcp,
        }
    }
}

/// Circumstances of an evaluation.
#[derive(Clone, Debug, Default)]
pub struct EvaluationContext {
    /// Directory that the command would run in (absolute); empty where it was not told.
    pub cwd: PathBuf,
    /// Environment that the caller named, for example `production`.
    pub environment: Option<String>,
    /// Who asks.
    pub actor: Option<Actor>,
    /// Whom an attestation of it is for; nothing else depends on it.
    pub audience: Option<String>,
    /// Whose enforcement the report should state.
    pub profile: Option<Profile>,
    /// It is not known that the command will run on this machine in that directory: then nothing here is a fact, and
    /// nothing here is looked at.
    pub anywhere: bool,
    /// The working tree that it runs in there, where its files are known.
    pub tree: Option<Arc<Tree>>,
    /// The container or machine is made for this run and goes with it.
    pub made_for_it: bool,
    /// Evidence that the caller gathered.
    pub supplied: Supplied,
    /// What no rule speaks of needs a person's review, whatever general signs say.
    pub rules_only: bool,
    /// The text was typed at the prompt of this shell; otherwise it is a fresh one's.
    pub session: Option<Arc<shell::Session>>,
    /// What is not as `cwd` and the environment say.
    pub start: shell::Start,
    /// The environment seen here is the very one that it would run with: a name that it lacks is unset. Otherwise the shell
    /// that runs it may know more of them, and both are judged.
    pub same_environment: bool,
    /// The report will be signed: the programs that are started are named by their digest, too.
    pub signed: bool,
    /// Files that the input itself was read from.
    pub materials: Vec<Material>,
}

/// The outcome.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// The report, secrets masked.
    pub report: ConsequenceReport,
    /// The judged mutations behind it.
    pub assessments: Vec<Assessment>,
    /// What is fatal together.
    pub risks: Vec<CrossActionRisk>,
    /// The files whose content it rests on, sorted by path; in the report with secrets masked.
    pub materials: Vec<Material>,
    /// The links that led to what was looked at, and what each of them says.
    pub links: Vec<(PathBuf, PathBuf)>,
    /// Programs that are started, and files that words of a command that changes something name: not among them, because
    /// nothing is signed, and without their digests.
    pub started: Vec<Material>,
    /// Programs that are started, as they are named.
    pub programs: BTreeSet<String>,
    /// Places that words of the command name, whether or not anything is known of its programs.
    pub touched: Vec<PathBuf>,
    /// A stage panicked: the verdict is `escalate` for that reason.
    pub internal_error: bool,
}

impl Evaluation {
    /// The verdict.
    pub fn verdict(&self) -> Verdict {
        self.report.risk_assessment
    }
}

/// Judges an input. Total: whatever happens inside, there is a report, and a fault never ends in `allow`.
pub fn evaluate(
    input: Input,
    context: &EvaluationContext,
    world: &dyn World,
    knowledge: &Knowledge,
    policy: &Policy,
) -> Evaluation {
    let source = input.source();
    let elsewhere = Elsewhere(world);
    let nothing = Tree::default();
    let checkout = Checkout { here: world, tree: context.tree.as_deref().unwrap_or(&nothing) };
    let world: &dyn World = match (context.anywhere, &context.tree) {
        (true, Some(_)) => &checkout,
        (true, None) => &elsewhere,
        _ => world,
    };
    let once = once::Once::new(world);
    let run = catch_unwind(AssertUnwindSafe(|| judge(&input, context, &once, knowledge, policy)));
    let world: &dyn World = &once;
    match run {
        Ok(evaluation) => evaluation,
        Err(_) => {
            let mut assessments = vec![fault(source, INTERNAL)];
            let finished = catch_unwind(AssertUnwindSafe(|| {
                finish(&mut assessments, Found::default(), context, world, knowledge, policy)
            }));
            // A policy that itself faults is left out; the built-in one holds.
            let report = finished.unwrap_or_else(|_| {
                let built_in = Policy::default();
                finish(&mut assessments, Found::default(), context, world, knowledge, &built_in)
            });
            Evaluation {
                report,
                assessments,
                risks: Vec::new(),
                materials: Vec::new(),
                links: Vec::new(),
                started: Vec::new(),
                programs: BTreeSet::new(),
                touched: Vec::new(),
                internal_error: true,
            }
        }
    }
}

fn judge(
    input: &Input,
    context: &EvaluationContext,
    once: &once::Once<'_>,
    knowledge: &Knowledge,
    policy: &Policy,
) -> Evaluation {
    let world: &dyn World = once;
    let start = world.elapsed();
    let mut told = stages::Told::default();
    let mut mutations = match input {
        Input::Shell(input) => stages::shell(input, context, world, knowledge, &mut told),
        Input::Terraform { plan, state } => {
            stages::terraform(plan, state.as_deref(), context, world, knowledge, &mut told)
        }
        Input::Mcp(call) => stages::mcp(call, context, world, knowledge, &mut told),
    };
    // Before anything is advised: what advice would follow is no part of the input.
    let mut materials = context.materials.clone();
    once.operands(&told.operands, &mutations);
    materials.extend(once.materials(context.signed));
    let links = once.links();
    let started = if context.signed { Vec::new() } else { once.named() };
    stages::once_by_name(&mut mutations);
    guard::add(&mut mutations, input, context, world);
    let parsed = world.elapsed();
    let bar = stages::bar(input, context, world, knowledge, policy);
    let mut assessments = stages::assess(mutations, told.named, context, bar, world, knowledge);
    let judge = safer::Judge { input, context, bar, world, knowledge };
    safer::keep_only_what_works(&mut assessments, &judge);
    let risks = stages::together(&mut assessments);
    untold::hide(&assessments, input, context, once, knowledge, &mut told.secrets);
    let analysed = world.elapsed();
    let times = StageTimes {
        parse: parsed.saturating_sub(start),
        analysis: analysed.saturating_sub(parsed),
        ..StageTimes::default()
    };
    let report = finish(
        &mut assessments,
        Found {
            risks: &risks,
            secrets: told.secrets,
            resources: told.resources,
            materials: &materials,
            times,
        },
        context,
        world,
        knowledge,
        policy,
    );
    Evaluation {
        report,
        assessments,
        risks,
        materials,
        links,
        started,
        programs: told.programs,
        touched: told.touched,
        internal_error: false,
    }
}

/// What the stages found besides the assessments.
#[derive(Default)]
struct Found<'a> {
    /// What is fatal together.
    risks: &'a [CrossActionRisk],
    /// What the input's words say is secret.
    secrets: Secrets,
    /// Resources that a plan names.
    resources: Option<usize>,
    /// The files whose content it rests on.
    materials: &'a [Material],
    /// Where the time went.
    times: StageTimes,
}

/// Policy and report.
fn finish(
    assessments: &mut [Assessment],
    found: Found<'_>,
    context: &EvaluationContext,
    world: &dyn World,
    knowledge: &Knowledge,
    policy: &Policy,
) -> ConsequenceReport {
    let Found { risks, secrets, resources, materials, mut times } = found;
    let before = world.elapsed();
    let home = world.home(None);
    let places = places::places(policy, assessments, home.as_deref(), world);
    let seen = PolicyContext {
        cwd: Some(&context.cwd),
        environment: context.environment.as_deref(),
        actor: context.actor.as_ref(),
        home: home.as_deref(),
        places: Some(&places),
    };
    let decision = policy.decide(assessments, risks, &seen);
    let enforcement = context.profile.map(|profile| policy.enforce(profile, &decision, assessments));
    let suggestions = suggest::suggest(assessments, risks, knowledge, policy, &seen);
    times.policy = world.elapsed().saturating_sub(before);
    times.total = times.parse + times.analysis + times.policy;
    build(Parts {
        assessments,
        risks,
        decision: &decision,
        enforcement: enforcement.as_ref(),
        actor: context.actor.as_ref(),
        environment: context.environment.as_deref(),
        suggestions: &suggestions,
        secrets: &secrets,
        resources,
        materials,
        times,
    })
}

/// The same evaluation once a recovery point holds what some of it would destroy (`covered`, in the order of the
/// assessments): their loss can be undone. Policy and report are made again from that; nothing else is judged anew.
pub fn with_recovery_point(
    evaluation: &Evaluation,
    covered: &[bool],
    point: &str,
    context: &EvaluationContext,
    world: &dyn World,
    knowledge: &Knowledge,
    policy: &Policy,
) -> Evaluation {
    let mut assessments = evaluation.assessments.clone();
    for (judged, _) in assessments.iter_mut().zip(covered).filter(|(_, covered)| **covered) {
        recoverability::by_recovery_point(judged, point);
    }
    let raises = |risk: &&CrossActionRisk| {
        !assessments.iter().zip(covered).all(|(judged, covered)| {
            *covered || !risk.affected_resources.contains(&judged.mutation.target.id)
        })
    };
    let risks: Vec<CrossActionRisk> = evaluation.risks.iter().filter(raises).cloned().collect();
    let secrets = evaluation.report.secrets.clone();
    let resources = evaluation.report.resources;
    let materials = evaluation.materials.clone();
    let found =
        Found { risks: &risks, secrets, resources, materials: &materials, times: StageTimes::default() };
    let report = finish(&mut assessments, found, context, world, knowledge, policy);
    Evaluation {
        report,
        assessments,
        risks,
        materials,
        links: evaluation.links.clone(),
        started: evaluation.started.clone(),
        programs: evaluation.programs.clone(),
        touched: evaluation.touched.clone(),
        internal_error: evaluation.internal_error,
    }
}

/// What is said when a stage broke.
const INTERNAL: &str = "recourse itself failed while judging this; that is a bug worth reporting";

/// The evaluation of shell text that could not even be looked at, for a reason outside: a person has to decide.
pub fn unjudged(why: &str, context: &EvaluationContext, world: &dyn World) -> Evaluation {
    let mut assessments = vec![fault(Source::Shell, why)];
    let built_in = Policy::default();
    let report = finish(&mut assessments, Found::default(), context, world, &Knowledge::builtin(), &built_in);
    let materials = Vec::new();
    Evaluation {
        report,
        assessments,
        risks: Vec::new(),
        materials,
        links: Vec::new(),
        started: Vec::new(),
        programs: BTreeSet::new(),
        touched: Vec::new(),
        internal_error: true,
    }
}

/// What takes the place of a judgement that was not made.
fn fault(source: Source, said: &str) -> Assessment {
    let mut evidence = Evidence::default();
    evidence.miss("internal-error", said, MissingEffect::BlocksSafeVerdict);
    Assessment {
        mutation: Mutation {
            action: Action::Execute,
            kind: "unknown".to_owned(),
            subject: Subject::Unknown,
            target: Target { r#type: "unknown".to_owned(), id: "unknown".to_owned(), ..Target::default() },
            source,
            raw: String::new(),
            span: None,
            rule: RuleRef::default(),
            cause: Cause::Limit("internal error".to_owned()),
            context: Context::default(),
            facts: Facts::new(),
            dependents: Vec::new(),
        },
        evidence,
        recoverability: Recoverability {
            tier: Tier::NeedsReview,
            reasoning: said.to_owned(),
            source: RecoverySource::Classifier,
            confidence: 0,
        },
        harmless: false,
        recovery: Vec::new(),
        alternatives: Vec::new(),
        verdict: Verdict::Escalate,
        message: None,
        rule: None,
    }
}
