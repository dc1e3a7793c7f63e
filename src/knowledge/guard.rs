//! What guards this machine, by name (`guard.toml`).

use std::sync::OnceLock;

use serde::Deserialize;

/// The lists.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Guard {
    /// Files in which agents and shells are told to call us, by how their paths end.
    pub hooks: Vec<String>,
    /// Those of them that a shell reads at its start.
    pub startup: Vec<String>,
    /// Settings that go before those that name us: how the one's path ends, and the other's.
    pub beside: Vec<(String, String)>,
    /// Words of a settings file that switch hooks off.
    pub switches: Vec<String>,
    /// Words that take our hook out of a shell.
    pub unhooks: Vec<String>,
    /// What the variables that say how is judged begin with.
    variables: String,
    /// Those of them that say only how it looks.
    looks: Vec<String>,
}

impl Guard {
    /// Whether a variable says how is judged.
    pub fn watches(&self, variable: &str) -> bool {
        // Without the lists, everything.
        variable.starts_with(&self.variables) && !self.looks.iter().any(|known| known == variable)
    }
}

/// The folder of our shims ends so.
pub const SHIMS: &str = "recourse/shims";

/// Whether a search path leads through the folder of our shims.
pub fn leads_to_shims(path: &str) -> bool {
    path.split(':').any(|folder| folder.trim_end_matches('/').ends_with(SHIMS))
}

/// The lists, read once.
pub fn guard() -> &'static Guard {
    static GUARD: OnceLock<Guard> = OnceLock::new();
    GUARD.get_or_init(|| read().unwrap_or_default())
}

/// `build.rs` made JSON of it, which is read several times faster.
fn read() -> Result<Guard, serde_json::Error> {
    serde_json::from_str(include_str!(concat!(env!("OUT_DIR"), "/guard.json")))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_lists_can_be_read() {
        let guard = super::read().unwrap();
        assert!(
            guard.watches("RECOURSE_POLICY") && !guard.watches("RECOURSE_PLAIN") && !guard.watches("PATH")
        );
        assert!(guard.startup.iter().all(|file| guard.hooks.contains(file)));
    }
}
