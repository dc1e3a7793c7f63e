//! A policy as JSON, for whoever wants to see what is in force.

use serde_json::{Map, Value, json};

use crate::model::Tier;

use super::{Policy, Profile, default_verdict};

impl Policy {
    /// Verdicts by tier, the profiles' settings, and each layer's rules in words.
    pub fn describe(&self) -> Value {
        let verdicts: Vec<Value> = (1..=5)
            .filter_map(Tier::from_number)
            .map(|tier| {
                json!({
                    "tier": tier.number(),
                    "label": tier.label(),
                    "default": default_verdict(tier, false),
                    "production": default_verdict(tier, true),
                })
            })
            .collect();
        let profiles: Map<String, Value> = [Profile::Human, Profile::Agent, Profile::Ci]
            .into_iter()
            .map(|profile| {
                let settings = self.settings(profile);
                let value = json!({
                    "unknownProgram": settings.unknown_program,
                    "overrideBlock": settings.override_block,
                    "allowForAWhile": settings.allow_for_a_while,
                });
                (profile.as_str().to_owned(), value)
            })
            .collect();
        let layers: Vec<Value> = self
            .layers()
            .iter()
            .map(|layer| json!({"layer": layer.kind().as_str(), "file": layer.name(), "rules": layer.describe()}))
            .collect();
        json!({ "verdicts": verdicts, "profiles": profiles, "keep": self.keep(), "looks": { "kinds": self.look_kinds().collect::<Vec<_>>() }, "layers": layers })
    }
}
