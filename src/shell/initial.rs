//! What a shell starts with: its variables, its directory, its switches and what the session brings.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::model::Value;
use crate::world::resolve::logical;

use super::files::Files;
use super::interp::{Scope, Shell};
use super::state::{Alias, Content, Positional, State, Status, Switches, Variable, Words};
use super::step::Stdin;

impl Shell<'_> {
    /// The state before the first command.
    pub(super) fn initial(&self) -> State {
        let options = self.options;
        let variables: BTreeMap<String, Variable> = self
            .world
            .environment()
            .into_iter()
            // A shell sets these itself, whatever it was given.
            .filter(|(name, _)| {
                !matches!(name.as_str(), "PWD" | "OLDPWD" | "IFS" | "UID" | "EUID" | "BASHPID")
            })
            .map(|(name, value)| {
                let value = if options.start.changed && name != "PATH" { None } else { value };
                // Set, but to something that is no text: anything but empty.
                let value = value.map_or(Value::Unknown, Value::Known);
                let mut variable = Variable::new(Content::Scalar(value));
                variable.exported = true;
                (name, variable)
            })
            .collect();
        let mut variables = self.with_hook(variables);
        for (name, value) in &options.start.variables {
            let value = value.clone().map_or(Value::Unknown, Value::Known);
            let mut variable = Variable::new(Content::Scalar(value));
            variable.exported = true;
            variables.insert(name.clone(), variable);
        }
        let (zero, positional) = self.called();
        let aliases = options.session.aliases.iter();
        let previous = self.world.env("OLDPWD").map(PathBuf::from).into_iter().collect();
        State {
            scope: Arc::new(Scope::top(Arc::from(""))),
            cwd: options.start.directories.clone().unwrap_or_else(|| {
                Some(self.start()).filter(|cwd| !cwd.as_os_str().is_empty()).into_iter().collect()
            }),
            failed_cwd: None,
            previous,
            stack: Vec::new(),
            variables: Arc::new(variables),
            unset_is_empty: self.unset_is_empty(),
            shadowed: Vec::new(),
            functions: BTreeMap::new(),
            no_functions: Default::default(),
            aliases: aliases
                .map(|(name, text)| (name.clone(), Alias { text: text.clone(), defined: None }))
                .collect(),
            switches: Switches {
                expand_aliases: options.interactive,
                execfail: options.interactive,
                // zsh and fish have `**` without being told.
                globstar: options.session.translated,
                // … and run the last command of a pipeline themselves.
                lastpipe: options.session.translated,
                zsh: options.session.translated && !options.session.fish,
                fish: options.session.fish,
                words: match (options.session.translated, options.session.fish) {
                    (_, true) => Words::Whole,
                    (true, _) => Words::Unsure,
                    _ => Words::Split,
                },
                ..Switches::default()
            },
            zero,
            source: options.start.script.as_ref().map(Value::known),
            positional,
            status: Status::True,
            last_word: Value::Unknown,
            stdin: Stdin::Inherited,
            output: Value::known(""),
            files: Files::default(),
            maybe: false,
            returns: false,
            loops: 0,
            session: options.interactive,
            exit_traps: Vec::new(),
            descriptors: BTreeMap::new(),
            names: Default::default(),
            inputs: Default::default(),
        }
    }

    /// `$0` and the positional parameters.
    fn called(&self) -> (Value, Positional) {
        let mut arguments = self.options.arguments.iter().map(Value::known);
        let zero = arguments.next().unwrap_or(Value::known("bash"));
        let start = &self.options.start;
        match &start.script {
            Some(name) if start.unset => (Value::known(name), Positional::default()),
            Some(name) => (Value::known(name), Positional { values: vec![Value::Unknown], open: true }),
            // A shell at hand may have any until it says which.
            None => {
                let open = self.options.session.guarded;
                let values: Vec<Value> = arguments.collect();
                let values = if open && values.is_empty() { vec![Value::Unknown] } else { values };
                (zero, Positional { values, open })
            }
        }
    }

    /// Whether a name that nothing sets is empty.
    fn unset_is_empty(&self) -> bool {
        let start = &self.options.start;
        let here = !self.world.is_elsewhere() && !start.open && !start.changed;
        start.unset || self.options.unset_is_empty && here
    }

    /// The directory by the name that the shell goes on with: `PWD`, where it names the same place, since `cd ..` goes by
    /// the name. A name with links in it was given by somebody who knows.
    fn start(&self) -> PathBuf {
        let given = &self.options.cwd;
        let named = self.world.env("PWD").map(PathBuf::from);
        let same = |named: &PathBuf| {
            named != given
                && named.is_absolute()
                && logical(named) == *named
                && self.world.canonicalize(named).as_ref() == Ok(given)
        };
        named.filter(same).unwrap_or_else(|| given.clone())
    }
}
