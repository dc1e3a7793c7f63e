//! A call of another MCP server's tool becomes mutations.
//!
//! Owns how names and arguments are read, what a declared tool does with them, and the guess about tools that nobody
//! declared. Pure. Uses `knowledge` and `code`; commands and SQL inside arguments are handed on to whoever interprets
//! them. What a server says of itself (description, annotations) is a claim: it may raise, alone it never lowers.

mod arguments;
mod classify;
mod known;
mod name;
mod paths;
mod signs;
mod words;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value as Json};

use crate::knowledge::{Knowledge, tool_words};
use crate::model::{
    Action, Cause, Context, Fact, FactValue, Facts, Mutation, RuleRef, Source, Subject, Target, Value,
};

use crate::world::resolve::Links;
use name::Named;

/// A tool call, as an agent is about to make it.
#[derive(Clone, Debug, PartialEq)]
pub struct McpCall {
    server: Option<String>,
    tool: String,
    arguments: Map<String, Json>,
    description: Option<String>,
    annotations: Option<Map<String, Json>>,
    own: bool,
}

/// Input that is not a tool call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// No tool is named.
    #[error("`tool` is empty; give the name of the tool that would be called")]
    NoTool,
    /// A name that no server can have.
    #[error("`{0}` is longer than {NAME} characters; that is not a name")]
    Long(&'static str),
    /// Arguments that are not an object.
    #[error("`{0}` is {1}, not an object; give a JSON object with named values")]
    NotAnObject(&'static str, &'static str),
}

/// Longest name of a server or tool, in bytes.
const NAME: usize = 512;

impl McpCall {
    /// A call of `tool` with `arguments` (`None` and null: without any).
    ///
    /// # Errors
    /// [`CallError`] when no tool is named or the arguments are anything but an object.
    pub fn new(server: Option<&str>, tool: &str, arguments: Option<Json>) -> Result<Self, CallError> {
        if tool.trim().is_empty() {
            return Err(CallError::NoTool);
        }
        let server = server.filter(|name| !name.trim().is_empty());
        for (what, name) in [("tool", tool), ("server", server.unwrap_or_default())] {
            if name.len() > NAME {
                return Err(CallError::Long(what));
            }
        }
        Ok(Self {
            server: server.map(str::to_owned),
            tool: tool.to_owned(),
            arguments: object("arguments", arguments)?.unwrap_or_default(),
            description: None,
            annotations: None,
            own: false,
        })
    }

    /// With the description that the server gives of the tool.
    #[must_use]
    pub fn described(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// With the annotations that the server gives (`readOnlyHint`, `destructiveHint`, …).
    ///
    /// # Errors
    /// [`CallError`] when they are not an object.
    pub fn annotated(mut self, annotations: Json) -> Result<Self, CallError> {
        self.annotations = object("annotations", Some(annotations))?;
        Ok(self)
    }

    /// The tool is the agent's own, and acts on the machine that the agent works on.
    #[must_use]
    pub fn of_the_agent(mut self) -> Self {
        self.own = true;
        self
    }

    /// Whether anything in the call could act: its name says that it deletes or runs, or an argument holds a path, a
    /// command, code or a switch.
    pub fn could_act(&self) -> bool {
        classify::could_act(&name::words(&self.tool), &self.arguments)
    }

    /// The server as it was named.
    pub fn server(&self) -> Option<&str> {
        self.server.as_deref()
    }

    /// The tool as it was named.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The arguments.
    pub fn arguments(&self) -> &Map<String, Json> {
        &self.arguments
    }

    /// One line for people: `server.tool(argument: value, …)`, values of secret names masked, long ones cut.
    pub fn shown(&self) -> String {
        let arguments = self
            .arguments
            .iter()
            .map(|(name, value)| format!("{name}: {}", shown(name, value)))
            .collect::<Vec<_>>();
        shorten(&format!("{}({})", self.title(), arguments.join(", ")), 240)
    }

    /// `server.tool`.
    fn title(&self) -> String {
        match &self.server {
            Some(server) => shorten(&format!("{server}.{}", self.tool), 120),
            None => shorten(&self.tool, 120),
        }
    }

    /// The same with the real arguments, when all of them stand in one object: `{"params": {"sql": …}}`.
    fn unwrapped(&self) -> Option<Self> {
        let mut given = self.arguments.iter();
        let (Some((name, Json::Object(inner))), None) = (given.next(), given.next()) else { return None };
        if inner.is_empty() || !tool_words().arguments.wrappers.has(&name::snake(name)) {
            return None;
        }
        Some(Self { arguments: inner.clone(), ..self.clone() })
    }

    /// What the server claims about the tool.
    fn hint(&self, name: &str) -> Option<bool> {
        self.annotations.as_ref()?.get(name)?.as_bool()
    }
}

fn object(what: &'static str, value: Option<Json>) -> Result<Option<Map<String, Json>>, CallError> {
    let kind = match value {
        None | Some(Json::Null) => return Ok(None),
        Some(Json::Object(map)) => return Ok(Some(map)),
        Some(Json::Array(_)) => "a list",
        Some(Json::String(_)) => "a text",
        Some(Json::Number(_)) => "a number",
        Some(Json::Bool(_)) => "a truth value",
    };
    Err(CallError::NotAnObject(what, kind))
}

fn shown(name: &str, value: &Json) -> String {
    if classify::is_secret(&name::snake(name)) {
        return crate::model::MASK.to_owned();
    }
    match value {
        Json::Object(map) => {
            let inner = map.iter().take(12).map(|(name, value)| format!("{name}: {}", shown(name, value)));
            format!("{{{}}}", inner.collect::<Vec<_>>().join(", "))
        }
        Json::Array(list) => {
            let inner = list.iter().take(12).map(|value| shown("", value));
            format!("[{}]", inner.collect::<Vec<_>>().join(", "))
        }
        Json::String(text) => shorten(text, 80),
        other => other.to_string(),
    }
}

fn shorten(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Where a call is judged.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// Directory that paths are relative to, absolute; empty when it is not known.
    pub cwd: &'a Path,
    /// The user's home, for `~`.
    pub home: Option<&'a Path>,
    /// Who can tell about symbolic links.
    pub links: &'a dyn Links,
}

impl Place<'_> {
    /// The directory, where it is known.
    fn dirs(&self) -> Vec<PathBuf> {
        Some(self.cwd).filter(|cwd| !cwd.as_os_str().is_empty()).map(Path::to_owned).into_iter().collect()
    }
}

/// One thing that a call does.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// A change that the call's own data tells.
    Mutation(Box<Mutation>),
    /// Shell text is run.
    Shell(String),
    /// A program is run with these words (`None`: not known).
    Argv(Vec<Option<String>>),
    /// SQL is run.
    Sql {
        /// `sqlite`, `postgres`, `mysql`; anything else is read generically.
        dialect: &'static str,
        /// The database, where it is named.
        database: Value,
        /// The statements.
        text: String,
    },
}

/// What a call does, with what holds for all of it.
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    /// Acts in order. None: nothing changes.
    pub acts: Vec<Act>,
    /// Directories that nested commands run in, when the call names any.
    pub cwd: Vec<PathBuf>,
    /// Machine that nested commands run on, when it is another one.
    host: Option<String>,
    environment: Option<String>,
    /// It acts on the machine that the agent works on.
    here: bool,
    /// How sure a guess is, per cent; none where rules speak.
    confidence: Option<i64>,
    rule: RuleRef,
    title: String,
    raw: String,
}

impl Analysis {
    /// Completes a mutation that came out of an [`Act`]: it belongs to this call.
    #[must_use]
    pub fn complete(&self, mut mutation: Mutation, nested: bool) -> Mutation {
        mutation.source = Source::Mcp;
        // What it speaks of stands in an argument, not in evaluated text.
        mutation.span = None;
        if nested {
            mutation.context.via.insert(0, self.title.clone());
            if mutation.context.host.is_none() && self.host.is_some() {
                mutation.context.host.clone_from(&self.host);
                mutation.context.cwd.clear();
            }
        }
        if !matches!(mutation.subject, Subject::Path(_) | Subject::Git { .. })
            && mutation.target.environment.is_none()
        {
            mutation.target.environment.clone_from(&self.environment);
        }
        if let Some(sure) = self.confidence {
            let said = "no rule knows this tool; judged by its name and arguments";
            mutation
                .facts
                .entry("classifier.confidence".to_owned())
                .or_insert_with(|| Fact::new(FactValue::Number(sure), said));
        }
        if mutation.raw.is_empty() {
            mutation.raw.clone_from(&self.raw);
        }
        if self.here {
            let fact = Fact::new(FactValue::Bool(true), "the agent's own tool acts on this machine");
            mutation.facts.entry("here".to_owned()).or_insert(fact);
        }
        mutation
    }

    /// A mutation of this call.
    fn mutation(&self, action: Action, kind: &str, subject: Subject, target: Target) -> Mutation {
        Mutation {
            action,
            kind: kind.to_owned(),
            subject,
            target,
            source: Source::Mcp,
            raw: self.raw.clone(),
            span: None,
            rule: self.rule.clone(),
            cause: Cause::Rule,
            context: Context { cwd: self.cwd.clone(), host: None, ..Context::default() },
            facts: Facts::new(),
            dependents: Vec::new(),
        }
    }

    /// Something about the call cannot be told.
    fn opaque(&mut self, reason: String) {
        let target = Target { r#type: "unknown".to_owned(), id: self.title.clone(), ..Target::default() };
        let mut mutation = self.mutation(Action::Execute, "unknown", Subject::Unknown, target);
        mutation.cause = Cause::Opaque(reason);
        self.acts.push(Act::Mutation(Box::new(mutation)));
    }
}

/// What a call does.
pub fn analyse(call: &McpCall, knowledge: &Knowledge, place: &Place<'_>) -> Analysis {
    let inner = call.unwrapped();
    let call = inner.as_ref().unwrap_or(call);
    let named = Named::of(call.server.as_deref(), &call.tool, knowledge);
    let mut analysis = match (known::of(call, &named, knowledge, place), called(call, &named)) {
        (Some(known), _) => known,
        (None, Some(inner)) => return analyse(&inner, knowledge, place),
        (None, None) => classify::of(call, &named, place),
    };
    analysis.environment = environment(call);
    analysis
}

/// The call of another tool that a call is made of: `call_tool(server, tool, arguments)`, `storage(command, parameters)`.
fn called(call: &McpCall, named: &Named) -> Option<McpCall> {
    let lists = &tool_words().arguments;
    let (mut server, mut tool, mut inner) = (call.server.as_deref(), None, None);
    for (name, value) in &call.arguments {
        let name = name::snake(name);
        match value {
            Json::String(text) if tool.is_none() && lists.called_tools.has(&name) && is_tool(text, &name) => {
                tool = Some(text);
            }
            Json::String(text) if lists.called_servers.has(&name) => server = Some(text),
            Json::Object(map) if lists.wrappers.has(&name) && inner.is_none() => inner = Some(map),
            Json::String(_) | Json::Bool(_) if lists.beside_calls.has(&name) => {}
            _ => return None,
        }
    }
    let (tool, inner) = (tool?, inner?);
    // A name that says what is done stands for more than what it calls.
    let (verb, word) = words::verb(&named.bare);
    let open = verb == words::Verb::Unknown || word.is_some_and(|word| tool_words().verbs.neutral.has(word));
    if !open {
        return None;
    }
    let found = McpCall { arguments: inner.clone(), ..McpCall::new(server, tool, None).ok()? };
    Some(found)
}

/// The name of a tool, and no command line: several words, joined. Of what may be a command, no path and no file.
fn is_tool(text: &str, argument: &str) -> bool {
    let command = tool_words().arguments.shell.has(argument);
    let joined =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '-') || (!command && matches!(c, '.' | '/'));
    text.len() <= NAME && text.chars().all(joined) && name::words(text).len() > 1
}

/// The environment that the call itself names: an argument of that name, or production in the name of the server or of a
/// thing.
fn environment(call: &McpCall) -> Option<String> {
    let named = |wanted: &[&str]| {
        let mut given = call.arguments.iter();
        given.find_map(|(name, value)| {
            value.as_str().filter(|text| wanted.contains(&name::snake(name).as_str()) && !text.is_empty())
        })
    };
    if let Some(environment) = named(&["environment", "env", "stage", "env_name", "environment_name"]) {
        return Some(shorten(environment, 60));
    }
    let is_name = |text: &str| {
        text.len() <= 160 && !text.contains(char::is_whitespace) && !text.starts_with(['/', '.', '~'])
    };
    let says = call.server.as_deref().is_some_and(name::says_production)
        || call
            .arguments
            .values()
            .flat_map(arguments::texts)
            .any(|text| is_name(&text) && name::says_production(&text));
    says.then(|| "production".to_owned())
}
