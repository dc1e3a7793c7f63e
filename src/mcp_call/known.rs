//! Tools that the data declares: their effects, and the commands that stand in their arguments.

use std::path::PathBuf;
use std::sync::Arc;

use super::arguments::{Bound, Unfilled, VALUES, known};
use super::name::{Entry, Named};
use super::{Act, Analysis, McpCall, Place, classify, paths, words};
use serde_json::Value as Json;

use crate::knowledge::{EffectSpec, Knowledge, McpFamily, McpRun, McpServer, McpTool, SubjectKind, is_true};
use crate::model::{Action, Fact, FactValue, Mutation, PathSubject, RuleRef, Subject, Target, Value};

/// What a declared tool does; `None` when none of the families at hand knows the tool.
pub(super) fn of(
    call: &McpCall,
    named: &Named,
    knowledge: &Knowledge,
    place: &Place<'_>,
) -> Option<Analysis> {
    let (built_in, added): (Vec<_>, Vec<_>) =
        candidates(call, named, knowledge).into_iter().partition(|found| !found.family.added);
    let mut first = built_in.into_iter();
    // A user's file alone, or in addition: it may only raise.
    let mut added = added.into_iter();
    let Some(found) = first.next().or_else(|| added.next()) else {
        return named.families.iter().find_map(|family| by_program(call, named, family));
    };
    let mut analysis = apply(call, &found, knowledge, place);
    for more in added {
        analysis.acts.extend(apply(call, &more, knowledge, place).acts);
    }
    Some(analysis)
}

/// A tool that is named after a subcommand of a program, judged as that command.
fn by_program(call: &McpCall, named: &Named, family: &McpFamily) -> Option<Analysis> {
    let head = family.head()?;
    let program = head.cli.clone()?;
    let prefix = [program.clone()];
    let tool = named.bare.strip_prefix(&prefix).unwrap_or(&named.bare);
    // `awslabs.dynamodb-mcp-server` has `describe_table`: its own name says the service.
    let (service, verb) = match (named.service(family), tool) {
        (Some(service), [first, ..]) if *first != service => (service, tool),
        (_, [service, verb @ ..]) if !verb.is_empty() => (service.clone(), verb),
        _ => return None,
    };
    let service = head.services.get(&service).cloned().unwrap_or(service);
    let mut words = vec![program, service, verb.join("-")];
    for (name, value) in &call.arguments {
        let option = format!("--{}", super::name::words(name).join("-"));
        match value {
            Json::Null | Json::Bool(false) => {}
            Json::Bool(true) => words.push(option),
            Json::Object(_) => words.extend([option, value.to_string()]),
            _ => {
                words.push(option);
                words.extend(super::arguments::texts(value).into_iter().take(VALUES));
            }
        }
    }
    if words
        .iter()
        .skip(1)
        .any(|word| matches!(word.as_str(), "--help" | "--version" | "--generate-cli-skeleton"))
    {
        return None;
    }
    Some(Analysis {
        rule: RuleRef { tool: format!("mcp {}", family.names.first()?), rule: tool.join("_") },
        title: call.title(),
        raw: call.shown(),
        acts: vec![Act::Argv(words.into_iter().map(Some).collect())],
        ..Analysis::default()
    })
}

/// A tool of a family.
struct Found {
    family: McpFamily,
    head: Arc<McpServer>,
    tool: Arc<McpTool>,
}

impl Found {
    fn new(named: &Named, family: &McpFamily) -> Option<Self> {
        let tool = match named.entry(family)? {
            Entry::Reads => Arc::new(McpTool { reads: true, ..McpTool::default() }),
            Entry::Tool(at) => family.tool(at)?,
        };
        Some(Self { family: family.clone(), head: family.head()?, tool })
    }
}

/// Declarations of the tool, the likeliest first.
fn candidates(call: &McpCall, named: &Named, knowledge: &Knowledge) -> Vec<Found> {
    let found: Vec<Found> = named.families.iter().filter_map(|family| Found::new(named, family)).collect();
    if named.told || !found.is_empty() {
        return found;
    }
    // No server is named: the tool's own name has to tell.
    knowledge
        .mcp()
        .iter()
        .filter_map(|family| Found::new(named, family))
        .filter(|found| found.head.alone && fits(call, &found.tool))
        .collect()
}

/// Whether the arguments are those of this tool.
fn fits(call: &McpCall, tool: &McpTool) -> bool {
    tool.args.is_empty() || Bound::of(tool, &call.arguments).unlisted.len() < call.arguments.len().max(1)
}

fn apply(call: &McpCall, found: &Found, knowledge: &Knowledge, place: &Place<'_>) -> Analysis {
    let Found { family, head, tool } = found;
    let bound = Bound::of(tool, &call.arguments);
    let cwd: Vec<PathBuf> = bound
        .of_role("cwd")
        .flat_map(|key| bound.get(key))
        .flat_map(|text| paths::directories(text, place))
        .collect();
    let host = bound.one("host").map(str::to_owned);
    let mut analysis = Analysis {
        cwd,
        here: call.own,
        host: host.or_else(|| head.remote.then(|| call.title())),
        rule: RuleRef {
            tool: format!("mcp {}", family.names.first().map_or("", String::as_str)),
            rule: super::name::snake(&call.tool),
        },
        title: call.title(),
        raw: call.shown(),
        ..Analysis::default()
    };
    if bound.too_many {
        analysis.opaque(format!("an argument holds more than {VALUES} values"));
        return analysis;
    }
    doubts(call, &bound, tool, &mut analysis);
    if bound.of_role("dry").any(|key| is_dry(bound.get(key))) {
        return analysis;
    }
    let mut work = Work { bound: &bound, knowledge, place, analysis };
    let before = work.analysis.acts.len();
    for effect in &tool.effect {
        if bound.holds(&effect.r#if, &effect.unless) {
            work.effect(effect);
        }
    }
    for run in &tool.run {
        if bound.holds(&run.r#if, &run.unless) {
            work.run(run);
        }
    }
    work.roles();
    if tool.runs_arguments()
        && tool.effect.is_empty()
        && tool.run.is_empty()
        && work.analysis.acts.len() == before
    {
        work.analysis.opaque(format!("{} is called without anything to run", call.title()));
    }
    if work.analysis.acts.len() == before
        && let Some((key, value)) = unforeseen(tool, &bound)
    {
        let said = super::shorten(&value, 40);
        work.analysis.opaque(format!("what {} does with `{key}: {said}` is not known", call.title()));
    }
    work.analysis
}

/// An argument by which the declaration tells cases apart, with a value that is none of them and does not say that it reads.
fn unforeseen(tool: &McpTool, bound: &Bound) -> Option<(String, String)> {
    let effects = tool.effect.iter().flat_map(|effect| effect.r#if.iter().chain(&effect.unless));
    let runs = tool.run.iter().flat_map(|run| run.r#if.iter().chain(&run.unless));
    let atoms: Vec<_> = effects.chain(runs).flat_map(|condition| &condition.any).collect();
    let given = atoms
        .iter()
        .filter(|atom| atom.value.is_some())
        .flat_map(|atom| bound.get(&atom.key).iter().map(move |value| (&atom.key, value)));
    let foreseen = |key: &str, value: &str| {
        atoms.iter().any(|atom| {
            atom.key == key && atom.value.as_ref().is_some_and(|own| own.eq_ignore_ascii_case(value))
        })
    };
    let reads = |value: &str| words::verb(&super::name::words(value)).0 == words::Verb::Reads;
    let mut odd = given.filter(|(key, value)| !foreseen(key, value) && !reads(value));
    odd.next().map(|(key, value)| (key.clone(), value.clone()))
}

/// What speaks against the declaration: arguments that it does not know and that look as if they did something. A general
/// hint of the server (servers call each visit of a page destructive) does not outweigh a rule that knows the tool.
fn doubts(call: &McpCall, bound: &Bound, tool: &McpTool, analysis: &mut Analysis) {
    if let Some((name, why)) = classify::suspicious(&bound.unlisted) {
        analysis.opaque(format!(
            "`{}` is no known argument of {}: {why}",
            super::shorten(&name, 60),
            call.title()
        ));
    }
    if tool.run.iter().any(|run| run.text.is_some())
        && let Some(name) = classify::part_of_command(&bound.unlisted)
    {
        analysis.opaque(format!(
            "`{}` of {} may be a part of the command, and how is not known",
            super::shorten(&name, 60),
            call.title()
        ));
    }
}

/// One tool with its arguments, on the way to acts.
struct Work<'a> {
    bound: &'a Bound,
    knowledge: &'a Knowledge,
    place: &'a Place<'a>,
    analysis: Analysis,
}

impl Work<'_> {
    fn unfilled(&mut self, why: &Unfilled) {
        let title = self.analysis.title.clone();
        self.analysis.opaque(match why {
            Unfilled::Missing(name) => format!("{title} is called without `{name}`"),
            Unfilled::Option(name) => {
                format!("`{name}` of {title} starts with a dash and may be taken for an option")
            }
        });
    }

    fn effect(&mut self, effect: &EffectSpec) {
        match self.bound.fill(&effect.on.target) {
            Err(why) => self.unfilled(&why),
            Ok(texts) => {
                for text in texts {
                    for mutation in self.mutations(effect, &text) {
                        self.analysis.acts.push(Act::Mutation(Box::new(mutation)));
                    }
                }
            }
        }
    }

    fn mutations(&self, effect: &EffectSpec, text: &str) -> Vec<Mutation> {
        let spec = self.knowledge.kind(&effect.on.kind);
        let base = Target {
            provider: spec.as_ref().and_then(|kind| kind.provider.clone()),
            service: spec.as_ref().and_then(|kind| kind.service.clone()),
            r#type: effect.on.kind.clone(),
            id: text.to_owned(),
            region: self.bound.get("region").first().cloned(),
            ..Target::default()
        };
        let path = spec.as_ref().is_some_and(|kind| kind.subject == SubjectKind::Path);
        let mut found = if path {
            let recursive = spec.as_ref().is_some_and(|kind| kind.tree);
            paths::absolute(text, &self.analysis.cwd, self.place)
                .into_iter()
                .map(|path| self.on_path(effect, path, text, recursive, &base))
                .collect()
        } else {
            let subject = Subject::Named(known(text));
            vec![self.analysis.mutation(effect.action, &effect.on.kind, subject, base)]
        };
        for mutation in &mut found {
            for fact in &effect.with {
                let (key, value) = match fact.split_once('=') {
                    Some((key, value)) => (key, FactValue::Text(value.to_owned())),
                    None => (fact.as_str(), FactValue::Bool(true)),
                };
                mutation.facts.insert(key.to_owned(), Fact::new(value, "the call says so"));
            }
        }
        found
    }

    fn on_path(
        &self,
        effect: &EffectSpec,
        path: Value,
        shown: &str,
        recursive: bool,
        base: &Target,
    ) -> Mutation {
        let id = path.as_known().unwrap_or(shown).to_owned();
        let mut subject = PathSubject::new(path, shown);
        subject.recursive = recursive;
        subject.explicit = true;
        subject.follow = effect.action != Action::Delete;
        if effect.action == Action::Replace {
            subject.content = self.bound.one("content").map(str::to_owned);
        }
        let target = Target { name: (id != shown).then(|| shown.to_owned()), id, ..base.clone() };
        let mut mutation =
            self.analysis.mutation(effect.action, &effect.on.kind, Subject::Path(subject), target);
        mutation.context.host.clone_from(&self.analysis.host);
        mutation
    }

    fn run(&mut self, run: &McpRun) {
        if let Some(template) = &run.text {
            match self.bound.fill(template) {
                Ok(texts) => {
                    for text in texts {
                        self.analysis.acts.push(Act::Shell(said_once(text)));
                    }
                }
                Err(why) => self.unfilled(&why),
            }
            return;
        }
        let mut words = Vec::new();
        for word in &run.argv {
            if word.when.as_ref().is_some_and(|key| self.bound.is_on(key) == word.not) {
                continue;
            }
            for template in &word.words {
                match self.bound.fill_word(template) {
                    Ok(texts) => words.extend(texts.into_iter().map(Some)),
                    Err(why) => return self.unfilled(&why),
                }
            }
        }
        self.analysis.acts.push(Act::Argv(words));
    }

    /// Arguments that are run by their role.
    fn roles(&mut self) {
        let roles: Vec<(String, String)> =
            self.bound.roles().map(|(key, role)| (key.to_owned(), role.to_owned())).collect();
        for (key, role) in roles {
            match role.as_str() {
                "shell" => self.shell(&key),
                "argv" => self.words(&key),
                "code" => {
                    let language = self.bound.one("language").unwrap_or("unknown").to_owned();
                    self.code(&key, &language);
                }
                other => {
                    if let Some(dialect) = other.strip_prefix("sql:") {
                        self.sql(&key, dialect);
                    } else if let Some(language) = other.strip_prefix("code:") {
                        self.code(&key, language);
                    }
                }
            }
        }
    }

    fn shell(&mut self, key: &str) {
        let args: Vec<String> =
            self.bound.of_role("args").flat_map(|key| self.bound.get(key)).cloned().collect();
        let values = self.bound.get(key).to_vec();
        self.analysis.acts.extend(command(self.bound.is_several(key), &values, &args));
    }

    fn words(&mut self, key: &str) {
        let values = self.bound.get(key).to_vec();
        let listed = self.bound.given(key).is_some_and(serde_json::Value::is_array);
        self.analysis.acts.extend(if listed {
            vec![Act::Argv(values.into_iter().map(Some).collect())]
        } else {
            values.into_iter().map(Act::Shell).collect()
        });
    }

    fn sql(&mut self, key: &str, dialect: &str) {
        let database = match self.bound.one("database") {
            Some(name) if dialect == "sqlite" && is_file(name) => {
                let found = paths::absolute(name, &self.analysis.cwd, self.place);
                let all = found.iter().map(|path| path.as_known().map(str::to_owned)).collect::<Option<_>>();
                all.map_or(Value::Unknown, Value::one_of)
            }
            // Which file it has open, and what it calls it, is the server's own business.
            _ if dialect == "sqlite" => Value::Unknown,
            Some(name) => Value::known(name),
            None => Value::known(""),
        };
        for text in self.bound.get(key) {
            self.analysis.acts.push(Act::Sql {
                dialect: match dialect {
                    "sqlite" => "sqlite",
                    "postgres" => "postgres",
                    "mysql" => "mysql",
                    _ => "sql",
                },
                database: database.clone(),
                text: text.clone(),
            });
        }
    }

    fn code(&mut self, key: &str, language: &str) {
        for text in self.bound.get(key).to_vec() {
            match code(language, &text) {
                Some(act) => self.analysis.acts.push(act),
                None => self.analysis.opaque(format!("{} code is run", super::shorten(language, 30))),
            }
        }
    }
}

/// A database by its file, and not by a name that a service gave it.
fn is_file(name: &str) -> bool {
    let last = name.rsplit('/').next().unwrap_or(name);
    name == ":memory:" || name.contains('/') || (last.contains('.') && !last.ends_with('.'))
}

/// The command that a `command` argument holds, with arguments that stand beside it.
pub(super) fn command(several: bool, values: &[String], args: &[String]) -> Vec<Act> {
    match (values, args) {
        ([], _) => Vec::new(),
        ([text], []) => vec![Act::Shell(text.clone())],
        ([program], [only]) if only.contains(char::is_whitespace) => {
            vec![Act::Shell(format!("{program} {only}"))]
        }
        ([program], args) if program.contains(char::is_whitespace) => {
            vec![Act::Shell(format!("{program} {}", shell_words::join(args)))]
        }
        ([program], args) => {
            vec![Act::Argv(std::iter::once(program).chain(args).cloned().map(Some).collect())]
        }
        // `commands`: one after the other; otherwise the words of one command.
        (list, _) if several => list.iter().cloned().map(Act::Shell).collect(),
        (list, args) => vec![Act::Argv(list.iter().chain(args).cloned().map(Some).collect())],
    }
}

/// Code as the interpreter that would run it.
pub(super) fn code(language: &str, text: &str) -> Option<Act> {
    let argv = |words: [&str; 2]| {
        Some(Act::Argv(words.into_iter().chain([text]).map(|word| Some(word.to_owned())).collect()))
    };
    match language.to_ascii_lowercase().as_str() {
        "python" | "python3" | "py" => argv(["python3", "-c"]),
        "node" | "javascript" | "js" | "typescript" | "ts" | "nodejs" => argv(["node", "-e"]),
        "ruby" | "rb" => argv(["ruby", "-e"]),
        "perl" => argv(["perl", "-e"]),
        "php" => argv(["php", "-r"]),
        "bash" | "sh" | "shell" | "zsh" => Some(Act::Shell(text.to_owned())),
        _ => None,
    }
}

/// `kubectl kubectl get pods`: the argument held the program's name as well.
fn said_once(text: String) -> String {
    let mut words = text.splitn(3, ' ');
    match (words.next(), words.next(), words.next()) {
        (Some(first), Some(second), Some(rest)) if first == second => format!("{second} {rest}"),
        _ => text,
    }
}

/// Whether all that was given for a dry run's argument says that it is one; Kubernetes has words of its own for it.
fn is_dry(values: &[String]) -> bool {
    let says = |text: &String| {
        is_true(text) || ["client", "server", "all"].iter().any(|word| word.eq_ignore_ascii_case(text))
    };
    !values.is_empty() && values.iter().all(says)
}
