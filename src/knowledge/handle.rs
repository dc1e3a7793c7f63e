//! The handle through which everybody asks for tools and kinds: embedded data, plus what users add.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::compile;
use super::kinds::KindFile;
use super::mcp::{McpServer, McpTool};
use super::schema::{LoadError, ToolFile};
use super::terraform::TerraformType;

/// An embedded tool: its own text and its subcommands' (names, text), examples left out.
struct ToolText {
    head: &'static str,
    commands: &'static [(&'static [&'static str], &'static str)],
}

/// An embedded family of MCP servers: its own text, and its tools' (names, text), examples left out.
struct McpText {
    names: &'static [&'static str],
    head: &'static str,
    reads: &'static [&'static str],
    tools: &'static [(&'static [&'static str], &'static str)],
}

include!(concat!(env!("OUT_DIR"), "/knowledge_index.rs"));

/// What is known of tools and kinds. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    overlay: Arc<Overlay>,
}

/// What users add.
#[derive(Debug, Default)]
struct Overlay {
    tools: BTreeMap<String, Arc<ToolFile>>,
    kinds: BTreeMap<String, Arc<KindFile>>,
    servers: Vec<Arc<McpServer>>,
}

/// A family of MCP servers; its tools are read when they are asked for.
#[derive(Clone, Debug)]
pub struct McpFamily {
    /// Names of its servers, best first.
    pub names: Vec<String>,
    /// Added by a user's file.
    pub added: bool,
    /// Names of the tools that only read.
    pub reads: Vec<String>,
    /// Names of the other tools.
    pub tools: Vec<Vec<String>>,
    place: Place,
}

/// Where a family's text stands.
#[derive(Clone, Debug)]
enum Place {
    Embedded(usize),
    Added(Arc<McpServer>),
}

impl McpFamily {
    /// What holds for all of its tools; without them.
    pub fn head(&self) -> Option<Arc<McpServer>> {
        match &self.place {
            Place::Embedded(at) => MCP.get(*at).and_then(|text| toml::from_str(text.head).ok()).map(Arc::new),
            Place::Added(server) => Some(Arc::clone(server)),
        }
    }

    /// The tool at a position of `tools`.
    pub fn tool(&self, position: usize) -> Option<Arc<McpTool>> {
        match &self.place {
            Place::Embedded(at) => {
                let (names, text) = MCP.get(*at)?.tools.get(position)?;
                McpTool::parse(names.first()?, text).ok().map(Arc::new)
            }
            Place::Added(server) => server.tool.values().nth(position).cloned().map(Arc::new),
        }
    }
}

/// What was read in this process, by key; `None` for what could not be read.
type Cache<K, V> = Mutex<HashMap<K, Option<Arc<V>>>>;

/// Tools that were read in this process.
fn tool_cache() -> &'static Cache<usize, ToolFile> {
    static CACHE: OnceLock<Cache<usize, ToolFile>> = OnceLock::new();
    CACHE.get_or_init(Mutex::default)
}

/// Kinds that were read in this process.
fn kind_cache() -> &'static Cache<&'static str, KindFile> {
    static CACHE: OnceLock<Cache<&'static str, KindFile>> = OnceLock::new();
    CACHE.get_or_init(Mutex::default)
}

/// Terraform types that were read in this process.
fn terraform_cache() -> &'static Cache<&'static str, TerraformType> {
    static CACHE: OnceLock<Cache<&'static str, TerraformType>> = OnceLock::new();
    CACHE.get_or_init(Mutex::default)
}

impl Knowledge {
    /// What is built in.
    pub fn builtin() -> Self {
        Self::default()
    }

    /// What is built in, and the users' files: pairs of name (for errors) and text. A file holds tools (`tool` or
    /// `[[tools]]`) or kinds. Theirs only add: see [`Knowledge::raised`].
    pub fn with_overlay(texts: &[(String, String)]) -> Result<Self, LoadError> {
        let mut overlay = Overlay::default();
        for (name, text) in texts {
            if declares(text, "server") {
                overlay.servers.push(Arc::new(McpServer::parse(name, text)?));
            } else if declares_tools(text) {
                for tool in ToolFile::parse(name, text)? {
                    let tool = Arc::new(tool);
                    for alias in &tool.names {
                        overlay.tools.insert(alias.clone(), Arc::clone(&tool));
                    }
                }
            } else {
                for (kind, file) in KindFile::parse(name, text)? {
                    overlay.kinds.insert(kind, Arc::new(file));
                }
            }
        }
        Ok(Self { overlay: Arc::new(overlay) })
    }

    /// The tool of this name. Reads its text the first time; a name that is not known is `None`.
    pub fn tool(&self, name: &str) -> Option<Arc<ToolFile>> {
        match TOOLS.binary_search_by_key(&name, |(known, _)| known) {
            Ok(at) => embedded_tool(TOOLS.get(at)?.1),
            Err(_) => self.overlay.tools.get(name).cloned(),
        }
    }

    /// What a user's file says about a tool that is built in: it counts in addition.
    pub fn raised(&self, name: &str) -> Option<Arc<ToolFile>> {
        let tool = self.overlay.tools.get(name)?;
        TOOLS.binary_search_by_key(&name, |(known, _)| known).is_ok().then(|| Arc::clone(tool))
    }

    /// The kind of this name.
    pub fn kind(&self, name: &str) -> Option<Arc<KindFile>> {
        let Ok(at) = KINDS.binary_search_by_key(&name, |(known, _)| known) else {
            return self.overlay.kinds.get(name).cloned();
        };
        let (name, text) = KINDS.get(at)?;
        let mut cache = kind_cache().lock().unwrap_or_else(PoisonError::into_inner);
        cache
            .entry(name)
            .or_insert_with(|| KindFile::parse(name, text).ok()?.remove(*name).map(Arc::new))
            .clone()
    }

    /// What a user's file says about a kind that is built in: the worse of both counts.
    pub fn raised_kind(&self, name: &str) -> Option<Arc<KindFile>> {
        let kind = self.overlay.kinds.get(name)?;
        KINDS.binary_search_by_key(&name, |(known, _)| known).is_ok().then(|| Arc::clone(kind))
    }

    /// What is known of a Terraform type.
    pub fn terraform(&self, resource_type: &str) -> Option<Arc<TerraformType>> {
        let at = TERRAFORM.binary_search_by_key(&resource_type, |(known, _)| known).ok()?;
        let (name, text) = TERRAFORM.get(at)?;
        let mut cache = terraform_cache().lock().unwrap_or_else(PoisonError::into_inner);
        cache
            .entry(name)
            .or_insert_with(|| TerraformType::parse(name, text).ok()?.remove(*name).map(Arc::new))
            .clone()
    }

    /// All families of MCP servers, built-in ones first. Names only: nothing of them is parsed yet.
    pub fn mcp(&self) -> Vec<McpFamily> {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let embedded = MCP.iter().enumerate().map(|(at, text)| McpFamily {
            names: owned(text.names),
            added: false,
            reads: owned(text.reads),
            tools: text.tools.iter().map(|(names, _)| owned(names)).collect(),
            place: Place::Embedded(at),
        });
        let added = self.overlay.servers.iter().map(|server| McpFamily {
            names: server.server.clone(),
            added: true,
            reads: server.reads.clone(),
            tools: server
                .tool
                .iter()
                .map(|(name, tool)| std::iter::once(name).chain(&tool.alias).cloned().collect())
                .collect(),
            place: Place::Added(Arc::clone(server)),
        });
        embedded.chain(added).collect()
    }

    /// All tools' names, aliases included, sorted.
    pub fn tool_names(&self) -> Vec<&str> {
        let mut names = TOOLS.iter().map(|(name, _)| *name).collect::<Vec<_>>();
        names.extend(self.overlay.tools.keys().map(String::as_str));
        names.sort_unstable();
        names.dedup();
        names
    }

    /// All kinds' names, sorted.
    pub fn kind_names(&self) -> Vec<&str> {
        let mut names = KINDS.iter().map(|(name, _)| *name).collect::<Vec<_>>();
        names.extend(self.overlay.kinds.keys().map(String::as_str));
        names.sort_unstable();
        names.dedup();
        names
    }

    /// All Terraform types, sorted.
    pub fn terraform_types(&self) -> impl Iterator<Item = &'static str> {
        TERRAFORM.iter().map(|(name, _)| *name)
    }
}

fn embedded_tool(position: usize) -> Option<Arc<ToolFile>> {
    let mut cache = tool_cache().lock().unwrap_or_else(PoisonError::into_inner);
    cache
        .entry(position)
        .or_insert_with(|| {
            let text = TOOL_TEXTS.get(position)?;
            compile::embedded(text.head, text.commands).ok().map(Arc::new)
        })
        .clone()
}

/// Whether a user's file declares tools; kinds otherwise.
fn declares_tools(text: &str) -> bool {
    declares(text, "tool") || text.lines().any(|line| line.trim_start().starts_with("[[tools]]"))
}

/// Whether a user's file has this key on its own line.
fn declares(text: &str, key: &str) -> bool {
    text.lines().any(|line| {
        line.trim_start().strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with('='))
    })
}
