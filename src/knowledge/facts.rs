//! The declared list of facts that code tells or asks for, so that a key which nobody else knows is seen to be misspelt.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

/// Facts by the module that tells or asks for them: `facts.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FactList {
    told: BTreeMap<String, Vec<String>>,
    asked: BTreeMap<String, Vec<String>>,
}

/// The list.
pub fn facts() -> &'static FactList {
    static FACTS: OnceLock<FactList> = OnceLock::new();
    // The tests rule out that it cannot be read.
    FACTS.get_or_init(|| {
        serde_json::from_str(include_str!(concat!(env!("OUT_DIR"), "/facts.json"))).unwrap_or_default()
    })
}

impl FactList {
    /// Whether code tells it.
    pub fn is_told(&self, key: &str) -> bool {
        self.told().any(|one| one == key)
    }

    /// Whether code asks for it.
    pub fn is_asked(&self, key: &str) -> bool {
        self.asked.values().flatten().any(|one| one == key)
    }

    /// All that code tells.
    pub fn told(&self) -> impl Iterator<Item = &str> {
        self.told.values().flatten().map(String::as_str)
    }

    /// Who tells what.
    pub fn tellers(&self) -> &BTreeMap<String, Vec<String>> {
        &self.told
    }

    /// Who asks for what.
    pub fn askers(&self) -> &BTreeMap<String, Vec<String>> {
        &self.asked
    }
}
