//! What is covered by a rule of its own, by name.

use serde::Serialize;

use crate::order;

use super::Knowledge;

/// All that is known, by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Coverage {
    /// Programs, aliases included.
    pub tools: Vec<String>,
    /// Kinds of resources, and what they are called.
    pub kinds: Vec<CoveredKind>,
    /// Terraform types.
    pub terraform_types: Vec<String>,
    /// Families of MCP servers.
    pub mcp_servers: Vec<CoveredServer>,
}

/// A kind of resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CoveredKind {
    /// Its key.
    pub kind: String,
    /// For people.
    pub title: String,
}

/// A family of MCP servers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CoveredServer {
    /// Its first name.
    pub server: String,
    /// Other names of such servers.
    pub also: Vec<String>,
    /// Their tools.
    pub tools: Vec<String>,
}

impl Knowledge {
    /// What has this in its name; everything, without a filter.
    pub fn coverage(&self, filter: Option<&str>) -> Coverage {
        let wanted = |name: &str| filter.is_none_or(|filter| name.contains(filter));
        let names =
            |list: Vec<&str>| list.into_iter().filter(|name| wanted(name)).map(str::to_owned).collect();
        let kinds = self.kind_names().into_iter().filter(|name| wanted(name)).map(|name| CoveredKind {
            kind: name.to_owned(),
            title: self.kind(name).map(|kind| kind.title.clone()).unwrap_or_default(),
        });
        let servers = self.mcp().into_iter().map(|family| {
            let mut tools: Vec<String> = family.tools.into_iter().flatten().chain(family.reads).collect();
            order::sort(&mut tools);
            tools.dedup();
            let server = family.names.first().cloned().unwrap_or_default();
            if !wanted(&server) {
                tools.retain(|tool| wanted(tool));
            }
            CoveredServer { server, also: family.names.into_iter().skip(1).collect(), tools }
        });
        Coverage {
            tools: names(self.tool_names()),
            kinds: kinds.collect(),
            terraform_types: names(self.terraform_types()),
            mcp_servers: servers.filter(|server| !server.tools.is_empty()).collect(),
        }
    }
}
