//! The handle through which everybody asks for tools and kinds: embedded data, plus what users add.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::compile;
use super::index;
use super::kinds::KindFile;
use super::looks::Look;
use super::mcp::{McpServer, McpTool};
use super::schema::{LoadError, ToolFile};
use super::terraform::TerraformType;

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
            Place::Embedded(at) => serde_json::from_str(index::server_text(*at)?).ok().map(Arc::new),
            Place::Added(server) => Some(Arc::clone(server)),
        }
    }

    /// The tool at a position of `tools`.
    pub fn tool(&self, position: usize) -> Option<Arc<McpTool>> {
        match &self.place {
            Place::Embedded(at) => {
                let (_, text) = index::server_tools(*at).nth(position)?;
                McpTool::embedded(text).ok().map(Arc::new)
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

/// Looks that were read in this process.
fn look_cache() -> &'static Cache<&'static str, Vec<Look>> {
    static CACHE: OnceLock<Cache<&'static str, Vec<Look>>> = OnceLock::new();
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
        match index::tool(name) {
            Some(number) => embedded_tool(number),
            None => self.overlay.tools.get(name).cloned(),
        }
    }

    /// What a user's file says about a tool that is built in: it counts in addition.
    pub fn raised(&self, name: &str) -> Option<Arc<ToolFile>> {
        let tool = self.overlay.tools.get(name)?;
        index::tool(name).is_some().then(|| Arc::clone(tool))
    }

    /// The kind of this name.
    pub fn kind(&self, name: &str) -> Option<Arc<KindFile>> {
        let Some((name, text)) = index::kind(name) else {
            return self.overlay.kinds.get(name).cloned();
        };
        let mut cache = kind_cache().lock().unwrap_or_else(PoisonError::into_inner);
        cache.entry(name).or_insert_with(|| KindFile::embedded(text).ok().map(Arc::new)).clone()
    }

    /// What a user's file says about a kind that is built in: the worse of both counts.
    pub fn raised_kind(&self, name: &str) -> Option<Arc<KindFile>> {
        let kind = self.overlay.kinds.get(name)?;
        index::kind(name).is_some().then(|| Arc::clone(kind))
    }

    /// How facts about a resource of a kind can be looked up. Built in only: a user's file never lowers a judgement.
    pub fn looks(&self, kind: &str) -> Option<Arc<Vec<Look>>> {
        let (name, text) = index::looks(kind)?;
        let mut cache = look_cache().lock().unwrap_or_else(PoisonError::into_inner);
        cache.entry(name).or_insert_with(|| Look::embedded(text).ok().map(Arc::new)).clone()
    }

    /// What is known of a Terraform type.
    pub fn terraform(&self, resource_type: &str) -> Option<Arc<TerraformType>> {
        let (name, text) = index::terraform(resource_type)?;
        let mut cache = terraform_cache().lock().unwrap_or_else(PoisonError::into_inner);
        cache.entry(name).or_insert_with(|| TerraformType::embedded(text).ok().map(Arc::new)).clone()
    }

    /// All families of MCP servers, built-in ones first. Names only: nothing of them is parsed yet.
    pub fn mcp(&self) -> Vec<McpFamily> {
        let embedded = (0..index::servers()).map(|at| McpFamily {
            names: index::server_names(at).map(str::to_owned).collect(),
            added: false,
            reads: index::server_reads(at).map(str::to_owned).collect(),
            tools: index::server_tools(at).map(|(names, _)| names.map(str::to_owned).collect()).collect(),
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
        let mut names = index::tool_names().collect::<Vec<_>>();
        names.extend(self.overlay.tools.keys().map(String::as_str));
        names.sort_unstable();
        names.dedup();
        names
    }

    /// All kinds' names, sorted.
    pub fn kind_names(&self) -> Vec<&str> {
        let mut names = index::kind_names().collect::<Vec<_>>();
        names.extend(self.overlay.kinds.keys().map(String::as_str));
        names.sort_unstable();
        names.dedup();
        names
    }

    /// All Terraform types, sorted.
    pub fn terraform_types(&self) -> impl Iterator<Item = &'static str> {
        index::terraform_types()
    }
}

fn embedded_tool(number: usize) -> Option<Arc<ToolFile>> {
    let mut cache = tool_cache().lock().unwrap_or_else(PoisonError::into_inner);
    cache
        .entry(number)
        .or_insert_with(|| {
            let text = index::tool_text(number)?;
            compile::embedded(text, index::subcommands(number)).ok().map(Arc::new)
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
