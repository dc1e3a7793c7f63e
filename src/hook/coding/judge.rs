//! From a call to an answer: evaluate, apply the agent profile, look for a person's approval.

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use crate::approvals::{Approvals, Asked, Demand, Entry, Exact, Files, Taken};
use crate::attest::{Mode, Places};
use crate::config::{self, AttestationConfig, Config};
use crate::evaluate::{Evaluation, EvaluationContext, Input, evaluate};
use crate::keep::{Head, Keeping, before_run, make_store};
use crate::knowledge::Knowledge;
use crate::model::Actor;
use crate::order;
use crate::policy::{EnforcementAction, Policy, Profile};
use crate::proof::{
    Event, Front, Gate, Judged, Presented, Proof, Record, Standing, Subject, follow, is_plain,
};
use crate::report::ConsequenceReport;
use crate::shell;
use crate::shell::Start;
use crate::text::{escape, shorten};
use crate::world::{Elsewhere, RealWorld, World};

use super::agents::Agent;
use super::call::{Act, Answer, Request, Unreadable};
use super::terminal::{Memory, Notes, Terminal};
use super::tools;

/// How long it may take to see where a text leaves its terminal.
const READING: Duration = Duration::from_secs(1);
/// Targets that a reason names, at most.
const NAMED: usize = 3;
/// Columns of one part of a reason.
const PART: usize = 300;

/// Judges a call. Whatever fails is a denial that says what failed.
pub(super) fn judge(agent: Agent, request: &Request) -> Answer {
    if request.acts.is_empty() {
        return Answer::Silent;
    }
    match Judging::new(agent, request).and_then(|mut judging| judging.run()) {
        Ok(answer) => answer,
        Err(why) => {
            unjudged(agent, request.session.as_deref(), &why);
            Answer::Deny(format!("recourse could not judge this call, so it does not run: {}", escape(&why)))
        }
    }
}

/// Notes that a call was refused because it could not be judged.
pub(super) fn unjudged(agent: Agent, session: Option<&str>, why: &str) {
    // The configuration may be what cannot be read: then what is usual holds.
    let config = Config::load().unwrap_or_default().attestation.record;
    let record = Record::from(&Front::Agent(agent.name().to_owned())).unjudged(why);
    let session = session.map(|id| format!("{}:{id}", agent.name()));
    record.and("session", session).note(Event::Refused, config::user_places().as_ref(), &config);
}

/// One call and all that judging it needs.
struct Judging<'a> {
    agent: Agent,
    request: &'a Request,
    context: EvaluationContext,
    policy: Policy,
    knowledge: Knowledge,
    attestation: AttestationConfig,
    places: Option<Places>,
}

impl<'a> Judging<'a> {
    fn new(agent: Agent, request: &'a Request) -> Result<Self, String> {
        let cwd = directory(request)?;
        let text = |error: config::ConfigError| error.to_string();
        let actor = config::variable("RECOURSE_ACTOR").map_err(text)?;
        let places = config::user_places();
        let (attestation, _) = follow(Config::load().map_err(text)?.attestation, places.as_ref());
        let context = EvaluationContext {
            signed: attestation.enabled,
            environment: config::variable("RECOURSE_ENVIRONMENT").map_err(text)?,
            actor: Some(Actor::parse(&actor.unwrap_or_else(|| format!("agent/{}", agent.name())))),
            profile: Some(Profile::Agent),
            // A directory that is not here may be on another machine.
            anywhere: !cwd.is_dir(),
            cwd,
            ..EvaluationContext::default()
        };
        Ok(Self {
            agent,
            request,
            policy: config::policy(&context.cwd).map_err(text)?,
            knowledge: config::knowledge().map_err(text)?,
            attestation,
            places,
            context,
        })
    }

    /// What is known of the terminal that shell text goes to.
    fn terminal(&self) -> Result<Option<(Notes, Memory)>, String> {
        let Terminal::Kept(name) = &self.request.terminal else { return Ok(None) };
        let places = self.places.as_ref().ok_or("there is no home directory to note terminals in")?;
        let notes = Notes::of(places, self.agent.name(), name);
        let memory = notes.read()?;
        Ok(Some((notes, memory)))
    }

    /// How shell text starts there.
    fn start(&self, memory: Option<&Memory>) -> Start {
        match (&self.request.terminal, memory) {
            (Terminal::Fresh, _) => Start::default(),
            (Terminal::Unseen, _) => Start { directories: Some(Vec::new()), open: true, ..Start::default() },
            (_, Some(memory)) => memory.start(&self.context.cwd),
            (_, None) => Start { open: true, ..Start::default() },
        }
    }

    /// Notes what the call may leave its terminal with.
    fn note(&self, (notes, before): (Notes, Memory), world: &RealWorld) -> Result<(), String> {
        let elsewhere = Elsewhere(world);
        let world: &dyn World = if self.context.anywhere { &elsewhere } else { world };
        let mut memory = before.clone();
        for act in &self.request.acts {
            let Act::Shell(text) = act else { continue };
            let mut options = shell::Options::fresh(&self.context.cwd);
            options.start = memory.start(&self.context.cwd);
            options.deadline = Some(world.elapsed() + READING);
            let left =
                crate::programs::left(&shell::Input::Text(text.clone()), world, &self.knowledge, &options);
            memory = memory.after(&left, &self.context.cwd);
        }
        if memory == before { Ok(()) } else { notes.write(&memory) }
    }

    fn run(&mut self) -> Result<Answer, String> {
        let world = RealWorld::new();
        let terminal = self.terminal()?;
        self.context.start = self.start(terminal.as_ref().map(|(_, memory)| memory));
        if let Some(terminal) = terminal {
            self.note(terminal, &world)?;
        }
        let mut judged = Vec::new();
        let mut kept: Vec<Head> = Vec::new();
        for act in self
            .request
            .acts
            .iter()
            .chain(&tools::patches(&self.request.acts).map_err(|Unreadable(why)| why)?)
        {
            let (input, subject) = input(act)?;
            let judge = || evaluate(input.clone(), &self.context, &world, &self.knowledge, &self.policy);
            let (evaluation, point) = self.keep(&judge, &world);
            kept.extend(point);
            let standing = self.attest(&subject, &evaluation, &world)?;
            judged.push(Done { evaluation, subject, standing });
        }
        let action = |evaluation: &Evaluation| {
            let stated = evaluation.report.enforcement.as_ref().map(|enforcement| enforcement.action);
            // Without a stated enforcement nothing may run.
            stated.unwrap_or(EnforcementAction::Refuse)
        };
        let worst = judged.iter().max_by_key(|done| (action(&done.evaluation), done.evaluation.verdict()));
        let Some(worst) = worst else { return Ok(Answer::Silent) };
        let report = &worst.evaluation.report;
        let answer = match action(&worst.evaluation) {
            EnforcementAction::Run => kept_line(&kept).map_or(Answer::Silent, Answer::Note),
            EnforcementAction::Note => {
                let said = note(report);
                Answer::Note(kept_line(&kept).map_or(said.clone(), |kept| format!("{kept}. {said}")))
            }
            EnforcementAction::Ask => self.ask(worst, &judged, &world),
            EnforcementAction::Refuse => Answer::Deny(reason("recourse blocks this", report)),
        };
        Ok(self.recorded(worst, answer, &kept))
    }

    /// Records what the agent is told. What must be recorded and is not does not run.
    fn recorded(&self, worst: &Done, answer: Answer, kept: &[Head]) -> Answer {
        let (config, report) = (&self.attestation.record, &worst.evaluation.report);
        let asked = report.enforcement.as_ref().is_some_and(|one| one.action == EnforcementAction::Ask);
        let (event, said) = match answer {
            Answer::Silent | Answer::Note(_) => {
                (Event::Permitted, asked.then_some("a person approved it before"))
            }
            Answer::Ask(_) => (Event::Asked, None),
            Answer::Deny(_) => (Event::Refused, asked.then_some("an agent is not asked")),
        };
        let plain = is_plain(report) && kept.is_empty() && event == Event::Permitted;
        let mode = self.attestation.mode;
        let demanded = mode != Mode::Ignore;
        if !demanded && (!config.enabled || (plain && !config.allowed)) {
            return answer;
        }
        let points: Vec<&str> = kept.iter().map(|head| head.id.as_str()).collect();
        let record = Record::from(&Front::Agent(self.agent.name().to_owned()))
            .command(&self.shown(report), &self.context.cwd, &report.secrets)
            .report(report, &self.context)
            .and("session", self.session())
            .and("answer", said)
            .and("recoveryPoints", (!points.is_empty()).then_some(points))
            .standing(&worst.standing);
        let Some(places) = self.places.as_ref().filter(|_| demanded) else {
            record.note(event, self.places.as_ref(), config);
            return answer;
        };
        let record = record.attested(mode, report, Some(&worst.subject), &self.context);
        match record.write(event, places, config) {
            Err(error) if event != Event::Refused => Answer::Deny(format!(
                "recourse: this does not run, because what runs must be recorded and the audit log failed: {}",
                escape(&error.to_string())
            )),
            _ => answer,
        }
    }

    /// The agent's session.
    fn session(&self) -> Option<String> {
        self.request.session.as_ref().map(|id| format!("{}:{id}", self.agent.name()))
    }

    /// Judges, and sets aside first what this would destroy.
    fn keep(&self, judge: &dyn Fn() -> Evaluation, world: &RealWorld) -> (Evaluation, Option<Head>) {
        let mut evaluation = judge();
        let Some(places) = self.places.as_ref().filter(|_| self.attestation.mode != Mode::Require) else {
            return (evaluation, None);
        };
        let command = self.shown(&evaluation.report);
        let keeping = Keeping {
            world,
            knowledge: &self.knowledge,
            policy: &self.policy,
            context: &self.context,
            places,
            command: &command,
            session: self.session(),
        };
        if make_store(&evaluation, &keeping) {
            evaluation = judge();
        }
        let kept = before_run(&evaluation, &keeping);
        (kept.evaluation.unwrap_or(evaluation), kept.point)
    }

    /// A person decides: through the agent where it really asks, else through `recourse approve`.
    fn ask(&self, judged: &Done, all: &[Done], world: &RealWorld) -> Answer {
        let said = reason("recourse: a person has to decide", &judged.evaluation.report);
        if self.agent.asks() {
            return Answer::Ask(said);
        }
        match self.approval(judged, all, world) {
            Ok(Approval::Given) => Answer::Silent,
            Ok(Approval::Denied) => {
                Answer::Deny(format!("{said}. A person was asked and said no: do not try again"))
            }
            Ok(Approval::Waits(entry, changed)) => Answer::Deny(format!(
                "{said}{}. To allow exactly this once, a person runs in a terminal of their own: recourse approve {}",
                changed.map_or(String::new(), |what| format!(
                    ". A person approved it before, but {what}: it is asked about again"
                )),
                entry.id
            )),
            Err(why) => Answer::Deny(format!("{said}. It cannot be approved: {}", escape(&why))),
        }
    }

    fn approval(&self, judged: &Done, all: &[Done], world: &RealWorld) -> Result<Approval, String> {
        let places = self.places.as_ref().ok_or("there is no home directory to keep approvals in")?;
        let store = Approvals::open(places).map_err(|error| error.to_string())?;
        let shown = self.shown(&judged.evaluation.report);
        let exact = match &self.request.acts[..] {
            [Act::Shell(text)] => Exact::Text(text),
            _ => Exact::Call { form: &self.request.form, shown: &shown },
        };
        let asker = format!("agent/{}", self.agent.name());
        let report = &judged.evaluation.report;
        let attested = self.attestation.approvals_are_attested();
        let files = Files::of(all.iter().map(|done| &done.evaluation), !attested, world);
        let asked = Asked { asker: &asker, exact, cwd: &self.context.cwd, report, files: &files };
        let gate = Gate { config: &self.attestation, places };
        let demand = if attested {
            let (subject, context) = (Ok(&judged.subject), &self.context);
            let judged = Judged { subject, context, evaluation: &judged.evaluation, world };
            Demand::Attested { gate: &gate, judged }
        } else {
            Demand::Stored
        };
        let changed = match store.take(&asked, demand).map_err(|error| error.to_string())? {
            Taken::Approved(_) => return Ok(Approval::Given),
            Taken::Denied => return Ok(Approval::Denied),
            Taken::Changed(what) => Some(what),
            Taken::Nothing => None,
        };
        let entry = store.request(&asked, judged.standing.evaluation.as_ref());
        Ok(Approval::Waits(Box::new(entry.map_err(|error| error.to_string())?), changed))
    }

    /// The call for people.
    fn shown(&self, report: &ConsequenceReport) -> String {
        let each = self.request.acts.iter().map(|act| match act {
            Act::Shell(text) => text.clone(),
            Act::Argv(words) => shell_words::join(words),
            Act::Tool(call) => call.shown(),
        });
        report.secrets.mask(&each.collect::<Vec<_>>().join("; ")).into_owned()
    }

    /// Signs the evaluation where that is on, and holds it against the mode's demands.
    fn attest(
        &self,
        subject: &Subject,
        evaluation: &Evaluation,
        world: &RealWorld,
    ) -> Result<Standing, String> {
        let config = &self.attestation;
        if !config.enabled && config.mode == Mode::Ignore {
            return Ok(Standing::default());
        }
        let places = self.places.as_ref().ok_or("there is no home directory to keep keys in")?;
        let mut absent = None;
        let own = if config.enabled {
            let signed = Proof::open(config, places)
                .and_then(|proof| proof.attest(subject, &self.context, &evaluation.report));
            match signed {
                Ok(signed) => Some(signed),
                Err(error) if config.mode == Mode::Require => return Err(error.to_string()),
                Err(error) => {
                    absent = Some(format!("{}: {error}", error.reason()));
                    None
                }
            }
        } else {
            None
        };
        let gate = Gate { config, places };
        let judged = Judged { subject: Ok(subject), context: &self.context, evaluation, world };
        let examined = gate.examine(&judged, &Presented::default(), own.as_ref());
        let mut standing = examined.map_err(|failure| failure.to_string())?;
        standing.warnings.extend(absent);
        Ok(standing)
    }
}

/// What was kept, for the agent.
fn kept_line(kept: &[Head]) -> Option<String> {
    let worth: Vec<&Head> = kept.iter().filter(|head| head.is_worth_a_word()).collect();
    let last = worth.last()?;
    let what: Vec<String> = worth.iter().map(|head| part(&head.what)).collect();
    Some(format!("recourse: kept {}: recourse undo {}", what.join(", "), last.id))
}

/// One act of a call, judged.
struct Done {
    evaluation: Evaluation,
    subject: Subject,
    standing: Standing,
}

/// What became of a request.
enum Approval {
    Given,
    Denied,
    /// It waits; what changed since it was approved with other files.
    Waits(Box<Entry>, Option<String>),
}

/// Where the call acts: the named directory, else this process's.
fn directory(request: &Request) -> Result<PathBuf, String> {
    match (&request.cwd, env::current_dir()) {
        (Some(named), _) if named.is_absolute() => Ok(named.clone()),
        (Some(named), Ok(here)) => Ok(here.join(named)),
        (None, Ok(here)) => Ok(here),
        (_, Err(error)) => Err(format!("the current directory cannot be told: {error}")),
    }
}

fn input(act: &Act) -> Result<(Input, Subject), String> {
    let shell = |input: shell::Input| {
        let subject = Subject::shell(&input).map_err(|error| error.to_string())?;
        Ok((Input::Shell(input), subject))
    };
    match act {
        Act::Shell(text) => shell(shell::Input::Text(text.clone())),
        Act::Argv(words) => shell(shell::Input::Argv(words.iter().cloned().map(Some).collect())),
        Act::Tool(call) => Ok((Input::Mcp(call.clone()), Subject::mcp(call))),
    }
}

fn part(text: &str) -> String {
    shorten(&escape(text), PART).trim_end_matches('.').to_owned()
}

/// What it costs, for a call that runs.
fn note(report: &ConsequenceReport) -> String {
    let mut said = format!("recourse: this runs, but {}", part(&report.assessment_reason));
    if let Some(step) = report.mutations.iter().find_map(|mutation| mutation.recovery.first()) {
        said.push_str(&format!(". To get it back: {}", part(step)));
    }
    said
}

/// What is lost, and what could be done instead: one line.
fn reason(head: &str, report: &ConsequenceReport) -> String {
    let mut said = format!("{head}: {}", part(&report.assessment_reason));
    let mut guilty: Vec<_> =
        report.mutations.iter().filter(|mutation| mutation.recoverability.tier >= 3).collect();
    order::by_key(&mut guilty, |mutation| std::cmp::Reverse(mutation.recoverability.tier % 5));
    let mut names: Vec<String> = Vec::new();
    for mutation in &guilty {
        let name = format!("{} {}", mutation.intent.target.r#type, part(&mutation.intent.target.id));
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if !names.is_empty() {
        let more = names.len().saturating_sub(NAMED);
        names.truncate(NAMED);
        said.push_str(&format!(". Affected: {}", names.join(", ")));
        if more > 0 {
            said.push_str(&format!(" and {more} more"));
        }
    }
    let safer = guilty.iter().find_map(|mutation| mutation.alternatives.first());
    if let Some(safer) = safer {
        said.push_str(&format!(". Instead: `{}` ({})", part(&safer.command), part(&safer.explanation)));
    }
    said
}
