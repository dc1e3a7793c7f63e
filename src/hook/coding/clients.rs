//! Clients that start us as an MCP server: the agents that have a list of servers, and what is no agent with hooks.

use std::path::{Path, PathBuf};

use super::agents::Agent;
use super::places::Folders;
use super::servers::Servers;

/// A client, by the name that the command line takes.
#[derive(Clone, Copy, Debug)]
pub struct Client {
    /// The name.
    pub name: &'static str,
    /// Where it keeps its servers.
    pub servers: &'static Servers,
}

/// A client that is no agent with hooks.
static CLAUDE_DESKTOP: Servers = Servers {
    title: "Claude Desktop",
    user: |folders| folders.applications.join("Claude/claude_desktop_config.json"),
    remark: Some("quit Claude Desktop and start it again: it reads this at its start"),
    ..Servers::COMMON
};

impl Client {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        let agents = Agent::ALL
            .into_iter()
            .filter_map(|agent| Some(Self { name: agent.name(), servers: agent.servers()? }));
        agents.chain([Self { name: "claude-desktop", servers: &CLAUDE_DESKTOP }])
    }

    /// The client of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|client| client.name == name)
    }

    /// Its configuration for all of the user's projects.
    pub fn of_user(self, folders: &Folders) -> PathBuf {
        (self.servers.user)(folders)
    }

    /// That of the project in this directory, where it has one.
    pub fn of_project(self, root: &Path) -> Option<PathBuf> {
        self.servers.project.map(|place| root.join(place))
    }

    /// What a person has to do or know besides.
    pub fn remark(self, project: bool) -> Option<&'static str> {
        self.servers.remark.or(self.servers.remark_in_project.filter(|_| project))
    }
}
