//! The handle through which everybody asks for tools and kinds: embedded data, plus what users add.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::compile;
use super::index;
use super::kinds::KindFile;
use super::looks::Look;
use super::mcp::{McpServer, McpTool};
use super::pack::Pack;
use super::placed::LoadError;
use super::places::places;
use super::schema::ToolFile;
use super::services::Service;
use super::terraform::TerraformType;
use super::versioned;

/// What is known of tools and kinds. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    overlay: Arc<Overlay>,
}

/// What users add.
#[derive(Debug, Default)]
struct Overlay {
    tools: BTreeMap<String, Vec<Arc<ToolFile>>>,
    kinds: BTreeMap<String, Vec<Arc<KindFile>>>,
    terraform: BTreeMap<String, Vec<Arc<TerraformType>>>,
    looks: BTreeMap<String, Arc<Vec<Look>>>,
    services: BTreeMap<String, Arc<Vec<Service>>>,
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

/// Services that were read in this process.
fn service_cache() -> &'static Cache<&'static str, Vec<Service>> {
    static CACHE: OnceLock<Cache<&'static str, Vec<Service>>> = OnceLock::new();
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

    /// What is built in, and the users' files: pairs of name (for errors) and text. Theirs only add: what they say of
    /// something that is known already counts in addition ([`Knowledge::raised`]).
    ///
    /// # Errors
    /// When a file cannot be read; names it and the line.
    pub fn with_overlay(texts: &[(String, String)]) -> Result<Self, LoadError> {
        let packs =
            texts.iter().map(|(name, text)| Pack::parse(name, text)).collect::<Result<Vec<_>, _>>()?;
        let knowledge = Self::with_packs(&packs);
        match packs.iter().flat_map(|pack| pack.odd_paths(&knowledge)).next() {
            Some(error) => Err(error),
            None => Ok(knowledge),
        }
    }

    /// What is built in, and what the users' files declare.
    pub fn with_packs(packs: &[Pack]) -> Self {
        let mut overlay = Overlay::default();
        let mut looks: BTreeMap<String, Vec<Look>> = BTreeMap::new();
        let mut services: BTreeMap<String, Vec<Service>> = BTreeMap::new();
        for pack in packs {
            for part in &pack.tools {
                for name in &part.it.names {
                    overlay.tools.entry(name.clone()).or_default().push(Arc::clone(&part.it));
                }
            }
            for part in &pack.kinds {
                overlay.kinds.entry(part.name.clone()).or_default().push(Arc::clone(&part.it));
            }
            for part in &pack.terraform {
                overlay.terraform.entry(part.name.clone()).or_default().push(Arc::clone(&part.it));
            }
            for part in &pack.looks {
                looks.entry(part.name.clone()).or_default().extend(part.it.iter().cloned());
            }
            for part in &pack.services {
                services.entry(part.name.clone()).or_default().extend(part.it.iter().cloned());
            }
            overlay.servers.extend(pack.servers.iter().map(|part| Arc::clone(&part.it)));
        }
        looks.retain(|kind, _| index::kind(kind).is_none());
        overlay.looks = looks.into_iter().map(|(kind, list)| (kind, Arc::new(list))).collect();
        services.retain(|kind, _| index::kind(kind).is_none());
        overlay.services = services.into_iter().map(|(kind, list)| (kind, Arc::new(list))).collect();
        Self { overlay: Arc::new(overlay) }
    }

    /// The tool of this name. Reads its text the first time; a name that is not known is `None`.
    pub fn tool(&self, name: &str) -> Option<Arc<ToolFile>> {
        match index::tool(name) {
            Some(number) => embedded_tool(number),
            None => self.overlay.tools.get(name)?.first().cloned(),
        }
    }

    /// The name of the tool that a name with a version or a machine in it stands for (`gcc-12`), or with GNU's letter in
    /// front (`grm`); `None` for a tool's own name and for one that stands for none.
    pub fn plain_name<'n>(&self, name: &'n str) -> Option<&'n str> {
        let is_tool = |name: &str| index::tool(name).is_some() || self.overlay.tools.contains_key(name);
        if is_tool(name) {
            return None;
        }
        let gnu = name.strip_prefix('g').filter(|rest| places().gnu.iter().any(|known| known == rest));
        versioned::plainer(name).chain(gnu).find(|plain| is_tool(plain))
    }

    /// What users' files say about a tool that is known already: it counts in addition.
    pub fn raised(&self, name: &str) -> Vec<Arc<ToolFile>> {
        self.overlay.tools.get(name).map_or_else(Vec::new, |list| more(list, index::tool(name).is_some()))
    }

    /// The kind of this name.
    pub fn kind(&self, name: &str) -> Option<Arc<KindFile>> {
        let Some((name, text)) = index::kind(name) else {
            return self.overlay.kinds.get(name)?.first().cloned();
        };
        let mut cache = kind_cache().lock().unwrap_or_else(PoisonError::into_inner);
        cache.entry(name).or_insert_with(|| KindFile::embedded(text).ok().map(Arc::new)).clone()
    }

    /// What users' files say about a kind that is known already: the worst of all counts.
    pub fn raised_kind(&self, name: &str) -> Vec<Arc<KindFile>> {
        self.overlay.kinds.get(name).map_or_else(Vec::new, |list| more(list, index::kind(name).is_some()))
    }

    /// How facts about a resource of a kind can be looked up. Users tell it of their own kinds alone: a fact never lowers a
    /// judgement that is built in.
    pub fn looks(&self, kind: &str) -> Option<Arc<Vec<Look>>> {
        let Some((name, text)) = index::looks(kind) else {
            return self.overlay.looks.get(kind).cloned();
        };
        let mut cache = look_cache().lock().unwrap_or_else(PoisonError::into_inner);
        cache.entry(name).or_insert_with(|| Look::embedded(text).ok().map(Arc::new)).clone()
    }

    /// How resources of a kind are fetched before they go, and put back. Users tell it of their own kinds alone, as looks.
    pub fn services(&self, kind: &str) -> Option<Arc<Vec<Service>>> {
        let Some((name, text)) = index::services(kind) else {
            return self.overlay.services.get(kind).cloned();
        };
        let mut cache = service_cache().lock().unwrap_or_else(PoisonError::into_inner);
        cache.entry(name).or_insert_with(|| Service::embedded(text).ok().map(Arc::new)).clone()
    }

    /// What is known of a Terraform type.
    pub fn terraform(&self, resource_type: &str) -> Option<Arc<TerraformType>> {
        let Some((name, text)) = index::terraform(resource_type) else {
            return self.overlay.terraform.get(resource_type)?.first().cloned();
        };
        let mut cache = terraform_cache().lock().unwrap_or_else(PoisonError::into_inner);
        cache.entry(name).or_insert_with(|| TerraformType::embedded(text).ok().map(Arc::new)).clone()
    }

    /// What users' files say about a Terraform type that is known already: the worst of all counts.
    pub fn raised_terraform(&self, resource_type: &str) -> Vec<Arc<TerraformType>> {
        let known = index::terraform(resource_type).is_some();
        self.overlay.terraform.get(resource_type).map_or_else(Vec::new, |list| more(list, known))
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
    pub fn terraform_types(&self) -> Vec<&str> {
        let mut names = index::terraform_types().collect::<Vec<_>>();
        names.extend(self.overlay.terraform.keys().map(String::as_str));
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// What of a user's list is in addition: all of it where something is built in, otherwise all but the first.
fn more<T>(list: &[Arc<T>], builtin: bool) -> Vec<Arc<T>> {
    list.iter().skip(usize::from(!builtin)).cloned().collect()
}

fn embedded_tool(number: usize) -> Option<Arc<ToolFile>> {
    let mut cache = tool_cache().lock().unwrap_or_else(PoisonError::into_inner);
    cache.entry(number).or_insert_with(|| compile::embedded(number).ok().map(Arc::new)).clone()
}
