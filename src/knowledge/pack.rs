//! A data file taken apart: which tools, kinds, Terraform types, MCP servers, looks and services it declares.
//!
//! Owns the one form that built-in files and users' files share. What a table declares is told by its place in the file:
//! `[[tools]]`, `[kinds.NAME]`, `[terraform.TYPE]`, `[[servers]]`, `[[looks.KIND]]` and `[[keeping.KIND]]` may stand side by side; in a file
//! of one sort the section's name may be left out.

use std::collections::BTreeMap;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::compile;
use super::handle::Knowledge;
use super::kinds::KindFile;
use super::looks::Look;
use super::mcp::McpServer;
use super::placed::{Fault, LoadError, did_you_mean, line_of, nearest, read};
use super::raw::Raw;
use super::schema::ToolFile;
use super::services::Service;
use super::strict;
use super::terraform::TerraformType;

/// What one file declares.
#[derive(Clone, Debug, Default)]
pub struct Pack {
    /// The file's name.
    pub file: String,
    /// Its text.
    pub text: String,
    /// Tools.
    pub tools: Vec<Part<ToolFile>>,
    /// Kinds.
    pub kinds: Vec<Part<KindFile>>,
    /// Terraform types.
    pub terraform: Vec<Part<TerraformType>>,
    /// MCP servers.
    pub servers: Vec<Part<McpServer>>,
    /// Looks, by kind.
    pub looks: Vec<Part<Vec<Look>>>,
    /// Services, by kind.
    pub services: Vec<Part<Vec<Service>>>,
    /// Tools as they are written, for those that are like them.
    written: BTreeMap<String, Raw>,
}

/// One thing that a file declares.
#[derive(Debug)]
pub struct Part<T> {
    /// Its name; the first one of several.
    pub name: String,
    /// Keys that lead to its table.
    pub at: Vec<String>,
    /// What is declared.
    pub it: Arc<T>,
}

impl<T> Clone for Part<T> {
    fn clone(&self) -> Self {
        Self { name: self.name.clone(), at: self.at.clone(), it: Arc::clone(&self.it) }
    }
}

/// Sections of a file.
const SECTIONS: [&str; 6] = ["tools", "kinds", "terraform", "servers", "looks", "keeping"];

/// Keys that only a Terraform type has.
const OF_A_TYPE: [&str; 6] = ["kind", "id", "facts", "related", "relation", "source"];

type Table<'a> = Spanned<DeTable<'a>>;
type Value<'a> = Spanned<DeValue<'a>>;

impl Pack {
    /// Reads a file strictly.
    ///
    /// # Errors
    /// When it is not of this form; names the line.
    pub fn parse(file: &str, text: &str) -> Result<Self, LoadError> {
        let mut pack = Self { file: file.to_owned(), text: text.to_owned(), ..Self::default() };
        pack.fill(text).map_err(|fault| fault.in_file(file, text))?;
        pack.written.clear();
        Ok(pack)
    }

    /// The line of what these keys lead to.
    pub fn line(&self, at: &[String]) -> Option<usize> {
        line_of(&self.text, at)
    }

    /// Effects on paths that would not happen, or would happen to something else than was meant.
    pub fn odd_paths(&self, knowledge: &Knowledge) -> Vec<LoadError> {
        strict::paths(self, knowledge)
    }

    /// Whether it declares nothing at all.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
            && self.kinds.is_empty()
            && self.terraform.is_empty()
            && self.servers.is_empty()
            && self.looks.is_empty()
            && self.services.is_empty()
    }

    fn fill(&mut self, text: &str) -> Result<(), Fault> {
        let mut rest = DeTable::parse(text)?;
        for section in SECTIONS {
            let Some(value) = rest.get_mut().remove(section) else { continue };
            self.section(section, value)?;
        }
        let has = |key: &str| rest.get_ref().get(key).map(Spanned::get_ref);
        match (has("server"), has("tool")) {
            (Some(_), Some(DeValue::String(_))) => Err(Fault::from(
                "one file holds `tool = …` or `server = …`; write `[[tools]]` and `[[servers]]`".to_owned(),
            )),
            (Some(_), _) | (None, Some(DeValue::Table(_))) => self.server(rest, Vec::new()),
            (None, Some(DeValue::Array(list))) if list.iter().any(|one| one.get_ref().is_table()) => {
                Err(Fault::from("several tools are written `[[tools]]`".to_owned()).below(["tool"]))
            }
            (None, Some(_)) => self.tool(rest, Vec::new()),
            (None, None) => self.bare(rest),
        }
    }

    /// What stands below the name of a section.
    fn section(&mut self, section: &str, value: Value<'_>) -> Result<(), Fault> {
        let wrong = |form: &str| Err(Fault::from(format!("`{section}` is written {form}")).below([section]));
        let span = value.span();
        match (section, value.into_inner()) {
            ("tools" | "servers", DeValue::Array(list)) => {
                for (number, one) in list.into_iter().enumerate() {
                    let at = vec![section.to_owned(), number.to_string()];
                    let one = table(one).map_err(|fault| fault.below(at.clone()))?;
                    if section == "tools" { self.tool(one, at) } else { self.server(one, at) }?;
                }
                Ok(())
            }
            ("kinds" | "terraform" | "looks" | "keeping", DeValue::Table(tables)) => {
                for (name, one) in Spanned::new(span, tables).into_inner() {
                    let name = name.into_inner().into_owned();
                    self.named(section, &name, one, vec![section.to_owned(), name.clone()])?;
                }
                Ok(())
            }
            ("tools" | "servers", _) => wrong(&format!("`[[{section}]]`")),
            ("looks" | "keeping", _) => wrong(&format!("`[[{section}.\"KIND\"]]`")),
            _ => wrong(&format!("`[{section}.NAME]`")),
        }
    }

    /// A file of kinds, Terraform types, looks or services, each under its own name: a Terraform type says which `kind` it is,
    /// looks are a list, and so are services, which say how they `restore`.
    fn bare(&mut self, rest: Table<'_>) -> Result<(), Fault> {
        for (name, value) in rest.into_inner() {
            let name = name.into_inner().into_owned();
            let section = match value.get_ref() {
                DeValue::Array(list) if list.iter().any(restores) => "keeping",
                DeValue::Array(_) => "looks",
                DeValue::Table(table) if OF_A_TYPE.iter().any(|key| table.contains_key(*key)) => "terraform",
                DeValue::Table(_) => "kinds",
                _ => {
                    let what = format!(
                        "`{name}` stands in no table: a tool begins with `tool = …`, a server with `server = …`{}",
                        did_you_mean(&name, ["tool", "server"])
                    );
                    return Err(Fault::from(what).below([name]));
                }
            };
            if let Some(meant) = nearest(&name, SECTIONS).filter(|_| is_section(&value)) {
                return Err(
                    Fault::from(format!("unknown section `{name}`; did you mean `{meant}`?")).below([name])
                );
            }
            self.named(section, &name, value, vec![name.clone()])?;
        }
        Ok(())
    }

    fn named(&mut self, section: &str, name: &str, value: Value<'_>, at: Vec<String>) -> Result<(), Fault> {
        let name = name.to_owned();
        match section {
            "looks" => {
                let list = Look::read(&name, value).map_err(|fault| fault.below(at.clone()))?;
                self.looks.push(Part { name, at, it: Arc::new(list) });
            }
            "keeping" => {
                let list = Service::read(&name, value).map_err(|fault| fault.below(at.clone()))?;
                self.services.push(Part { name, at, it: Arc::new(list) });
            }
            "terraform" => {
                let found: TerraformType =
                    table(value).and_then(read).map_err(|fault| fault.below(at.clone()).of(&name))?;
                let it = Arc::new(found);
                for name in std::iter::once(name).chain(it.also.iter().cloned()) {
                    self.terraform.push(Part { name, at: at.clone(), it: Arc::clone(&it) });
                }
            }
            _ => {
                let found = table(value).and_then(KindFile::read);
                let found = found.map_err(|fault| fault.below(at.clone()).of(&format!("kind {name}")))?;
                self.kinds.push(Part { name, at, it: Arc::new(found) });
            }
        }
        Ok(())
    }

    fn tool(&mut self, table: Table<'_>, at: Vec<String>) -> Result<(), Fault> {
        let tool = compile::tool_of(table, &mut self.written).map_err(|fault| fault.below(at.clone()))?;
        strict::roles(&tool).map_err(|fault| fault.below(at.clone()))?;
        let name = tool.names.first().cloned().unwrap_or_default();
        self.tools.push(Part { name, at, it: Arc::new(tool) });
        Ok(())
    }

    fn server(&mut self, table: Table<'_>, at: Vec<String>) -> Result<(), Fault> {
        let server = McpServer::read(table).map_err(|fault| fault.below(at.clone()))?;
        let name = server.server.first().cloned().unwrap_or_default();
        self.servers.push(Part { name, at, it: Arc::new(server) });
        Ok(())
    }
}

/// Whether an entry of a list is a service's.
fn restores(entry: &Value<'_>) -> bool {
    matches!(entry.get_ref(), DeValue::Table(table) if table.contains_key("restore"))
}

/// Whether everything in a table is a table or a list of them: then its name is a section's, not a kind's.
fn is_section(value: &Value<'_>) -> bool {
    match value.get_ref() {
        DeValue::Table(table) => {
            !table.is_empty()
                && table.values().all(|one| one.get_ref().is_table() || one.get_ref().is_array())
        }
        _ => false,
    }
}

fn table(value: Value<'_>) -> Result<Table<'_>, Fault> {
    let span = value.span();
    match value.into_inner() {
        DeValue::Table(table) => Ok(Spanned::new(span, table)),
        other => Err(Fault::from(format!("a table is expected, not a {}", other.type_str()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_sorts_stand_in_one_file() {
        let text = r#"
            [[tools]]
            tool = "zork"
            doc = ["""
            server = "a line in a text declares nothing"
            """]
            [kinds."my.thing"]
            title = "thing"
            [terraform.my_thing]
            kind = "my.thing"
            [[servers]]
            server = ["zork"]
            [[looks."my.thing"]]
            key = "copies"
            type = "git"
            argv = ["git", "status"]
            about = ""
            expects = ""
            fails = ""
            suppose = 1
            parse = { value = "/V" }
        "#;
        let pack = Pack::parse("x.toml", text).unwrap();
        let counts =
            [pack.tools.len(), pack.kinds.len(), pack.terraform.len(), pack.servers.len(), pack.looks.len()];
        assert_eq!(counts, [1; 5]);
        assert_eq!(pack.line(&pack.kinds[0].at), Some(7));
        // Of one sort, without the section's name.
        let bare = Pack::parse("x.toml", "[my_type]\nkind = \"file\"\n[thing]\ntitle = \"t\"\n").unwrap();
        assert_eq!((bare.terraform.len(), bare.kinds.len()), (1, 1));
    }

    #[test]
    fn what_is_meant_otherwise_is_said() {
        for (text, said) in [
            ("[[tool]]\ntool = \"x\"\n", "x.toml:1: several tools are written `[[tools]]`"),
            ("[kind.x]\ntitle = \"t\"\n", "x.toml:1: unknown section `kind`; did you mean `kinds`?"),
            ("[kinds]\nx = 1\n", "x.toml:2: kind x: a table is expected"),
            ("tools = 1\n", "x.toml:1: `tools` is written `[[tools]]`"),
            ("colour = 1\n", "x.toml:1: `colour` stands in no table"),
            ("tool = \"x\"\nserver = [\"y\"]\n", "one file holds"),
        ] {
            let error = Pack::parse("x.toml", text).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
