//! What an apply runs on this machine: `local-exec` provisioners and programs of `external` data; and the files that it
//! writes there.

use std::collections::HashMap;

use serde_json::Value;
use serde_json::value::RawValue;

use super::judge::Analysis;
use super::plan::{Configuration, ConfigurationModule, Provisioner, ResourceChange};
use super::references::without_instances;
use super::said::{printable, unclear};
use super::select::select;

/// A command that an apply runs on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalCommand {
    /// The resource.
    pub address: String,
    /// What starts it: `local-exec`, `external data`.
    pub by: &'static str,
    /// What is run; `None`: the plan does not hold it.
    pub run: Option<Run>,
    /// Where.
    pub directory: Directory,
    /// Variables that are set for it; `None`: which, and to what, the plan does not hold.
    pub environment: Option<Vec<(String, Option<String>)>>,
}

/// What is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Run {
    /// Text, by the shell.
    Shell(String),
    /// A program with these words.
    Words(Vec<String>),
}

/// Where a command runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Directory {
    /// Where Terraform runs.
    Terraforms,
    /// A directory, relative to that one.
    Named(String),
    /// The plan does not hold it.
    Unknown,
}

/// A file that an apply writes on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalFile {
    /// The resource.
    pub address: String,
    /// Its name, relative to where Terraform runs; `None`: the plan does not hold it.
    pub name: Option<String>,
    /// What is written, where the plan holds it.
    pub content: Option<String>,
}

/// Types that write a file of this machine.
const FILES: [&str; 2] = ["local_file", "local_sensitive_file"];

/// A file that is new to Terraform and may be there already.
pub(super) fn file(change: &ResourceChange) -> Option<LocalFile> {
    if !FILES.contains(&change.r#type.as_str()) {
        return None;
    }
    let name = |raw: &RawValue| text(raw, "filename");
    let after = name(&change.change.after);
    // Written anew where it was: what Terraform wrote there before.
    if after.is_some() && after == name(&change.change.before) {
        return None;
    }
    Some(LocalFile {
        address: change.address.clone(),
        name: after,
        content: text(&change.change.after, "content"),
    })
}

fn text(raw: &RawValue, key: &str) -> Option<String> {
    select(raw, &[key]).ok()?.get(key)?.as_str().map(str::to_owned)
}

/// The program of `external` data that is read during the apply.
pub(super) fn external(change: &ResourceChange) -> Option<LocalCommand> {
    if change.r#type != "external" || !change.change.actions.iter().any(|action| action == "read") {
        return None;
    }
    let words = select(&change.change.after, &["program"]).ok().and_then(|after| {
        let words = after.get("program")?.as_array()?.iter().map(|word| word.as_str().map(str::to_owned));
        words.collect::<Option<Vec<_>>>().filter(|words| !words.is_empty())
    });
    let unknown = select(&change.change.after_unknown, &["working_dir"]).ok();
    let directory = match text(&change.change.after, "working_dir") {
        Some(dir) => Directory::Named(dir),
        None if unknown
            .is_none_or(|mark| mark.get("working_dir").is_some_and(|m| m != &Value::Bool(false))) =>
        {
            Directory::Unknown
        }
        None => Directory::Terraforms,
    };
    Some(LocalCommand {
        address: change.address.clone(),
        by: "external data",
        run: words.map(Run::Words),
        directory,
        environment: Some(Vec::new()),
    })
}

/// Resources of the configuration with provisioners, by address without instance keys.
pub(super) struct Provisioned<'p>(HashMap<String, &'p [Provisioner]>);

impl<'p> Provisioned<'p> {
    pub(super) fn of(configuration: Option<&'p Configuration>) -> Self {
        let mut found = HashMap::new();
        let mut pending: Vec<(String, &ConfigurationModule)> =
            configuration.map(|c| (String::new(), &c.root_module)).into_iter().collect();
        while let Some((prefix, module)) = pending.pop() {
            for resource in module.resources.iter().filter(|resource| !resource.provisioners.is_empty()) {
                found.insert(format!("{prefix}{}", resource.address), &resource.provisioners[..]);
            }
            let calls = module.module_calls.iter();
            pending.extend(calls.map(|(name, call)| (format!("{prefix}module.{name}."), &call.module)));
        }
        Self(found)
    }

    pub(super) fn judge(&self, change: &ResourceChange, analysis: &mut Analysis) {
        if self.0.is_empty() {
            return;
        }
        let found = self.0.get(&without_instances(&change.address)).copied().unwrap_or_default();
        for provisioner in found {
            match provisioner.r#type.as_str() {
                "local-exec" => analysis.commands.push(local_exec(&change.address, &provisioner.expressions)),
                other => {
                    let reason = format!(
                        "a `{}` provisioner of {} runs on another machine",
                        printable(other),
                        change.address
                    );
                    analysis.mutations.push(unclear(&change.address, &reason));
                }
            }
        }
    }
}

/// An argument of a provisioner.
enum Given<'a> {
    /// Left out.
    Absent,
    /// Written literally.
    Literal(&'a Value),
    /// It comes from elsewhere.
    Computed,
}

fn given<'a>(expressions: &'a Value, name: &str) -> Given<'a> {
    match expressions.get(name) {
        None | Some(Value::Null) => Given::Absent,
        Some(expression) => match expression.get("constant_value") {
            Some(Value::Null) => Given::Absent,
            Some(value) => Given::Literal(value),
            None => Given::Computed,
        },
    }
}

fn local_exec(address: &str, expressions: &Value) -> LocalCommand {
    let text = match given(expressions, "command") {
        Given::Literal(value) => value.as_str().map(str::to_owned),
        Given::Absent | Given::Computed => None,
    };
    let run = match (text, given(expressions, "interpreter")) {
        (None, _) | (_, Given::Computed) => None,
        (Some(text), Given::Absent) => Some(Run::Shell(text)),
        (Some(text), Given::Literal(words)) => strings(words).map(|mut words| {
            if words.is_empty() {
                return Run::Shell(text);
            }
            words.push(text);
            Run::Words(words)
        }),
    };
    let directory = match given(expressions, "working_dir") {
        Given::Absent => Directory::Terraforms,
        Given::Literal(dir) => {
            dir.as_str().map_or(Directory::Unknown, |dir| Directory::Named(dir.to_owned()))
        }
        Given::Computed => Directory::Unknown,
    };
    let environment = match given(expressions, "environment") {
        Given::Absent => Some(Vec::new()),
        Given::Literal(Value::Object(map)) => Some(
            map.iter()
                .map(|(name, value)| match value {
                    Value::String(text) => (name.clone(), Some(text.clone())),
                    Value::Number(_) | Value::Bool(_) => (name.clone(), Some(value.to_string())),
                    _ => (name.clone(), None),
                })
                .collect(),
        ),
        Given::Literal(_) | Given::Computed => None,
    };
    LocalCommand { address: address.to_owned(), by: "local-exec", run, directory, environment }
}

fn strings(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|word| word.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_command_has_its_directory_environment_and_interpreter() {
        let of = |expressions: Value| local_exec("terraform_data.a", &expressions);
        let plain = of(json!({"command": {"constant_value": "make"}}));
        assert_eq!(plain.run, Some(Run::Shell("make".to_owned())));
        assert_eq!((plain.directory, plain.environment), (Directory::Terraforms, Some(Vec::new())));
        let all = of(json!({
            "command": {"constant_value": "x"},
            "interpreter": {"constant_value": ["python3", "-c"]},
            "working_dir": {"constant_value": "sub"},
            "environment": {"constant_value": {"A": "b"}},
        }));
        assert_eq!(all.run, Some(Run::Words(["python3", "-c", "x"].map(str::to_owned).into())));
        assert_eq!(all.directory, Directory::Named("sub".to_owned()));
        assert_eq!(all.environment, Some(vec![("A".to_owned(), Some("b".to_owned()))]));
        let computed = json!({"references": ["var.x"]});
        let unknown = of(json!({
            "command": {"constant_value": "x"},
            "working_dir": computed.clone(),
            "environment": computed.clone(),
        }));
        assert_eq!((unknown.directory, unknown.environment), (Directory::Unknown, None));
        assert_eq!(of(json!({"command": computed.clone()})).run, None);
        assert_eq!(of(json!({"command": {"constant_value": "x"}, "interpreter": computed})).run, None);
    }
}
