//! Where a client keeps the MCP servers that it starts, and in which form.

use std::path::PathBuf;

use super::places::{Folders, Form};

/// Where a client keeps its servers.
#[derive(Debug)]
pub struct Servers {
    /// The client as people call it.
    pub title: &'static str,
    /// Its configuration for all of the user's projects.
    pub(super) user: fn(&Folders) -> PathBuf,
    /// The same below a project's directory.
    pub(super) project: Option<&'static str>,
    /// The key of the list.
    pub list: &'static str,
    /// How an entry is written there.
    pub form: Form,
    /// What a person has to do or know besides.
    pub(super) remark: Option<&'static str>,
    /// The same for a project's configuration.
    pub(super) remark_in_project: Option<&'static str>,
}

impl Servers {
    /// What most clients have in common.
    pub(super) const COMMON: Self = Self {
        title: "",
        user: |folders| folders.home.clone(),
        project: None,
        list: "mcpServers",
        form: Form::Plain,
        remark: None,
        remark_in_project: None,
    };
}
