//! The plan's JSON, read strictly enough that something else is never taken for a plan without changes.
//!
//! Implements the "JSON output format" of Terraform's internals documentation, format versions 0.1, 0.2 and 1. Parts that judgement
//! does not need (planned values, checks) are skipped while parsing, and attributes are kept as text until somebody asks
//! for one of them ([`super::select`]), so that a plan of a hundred megabytes costs less than parsing it all.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// Why a text is not a plan that can be judged.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// Not JSON, or JSON of another shape.
    #[error("not a Terraform plan in JSON: {0}; make one with `terraform show -json PLANFILE`")]
    Json(String),
    /// An object without `format_version` and `resource_changes`.
    #[error("not a Terraform plan: it has no `{0}`; make one with `terraform show -json PLANFILE`")]
    Missing(&'static str),
    /// A state, not a plan.
    #[error(
        "this is a Terraform state, not a plan; make a plan with `terraform plan -out=FILE` and `terraform show -json FILE`"
    )]
    State,
    /// A format that this version does not know.
    #[error("plan format version {0} is not supported (known: 0.1, 0.2, 1.x)")]
    Version(String),
    /// A binary plan file.
    #[error("this is a binary plan file; turn it into JSON with `terraform show -json FILE`")]
    Binary,
}

/// A plan.
#[derive(Debug, Deserialize)]
pub struct Plan {
    /// `1.x`; `0.1` and `0.2` before Terraform 1.1. In the redacted plans of HCP Terraform it has a name of its own.
    #[serde(alias = "plan_format_version")]
    pub(super) format_version: Option<String>,
    /// Terraform's own version.
    pub terraform_version: Option<String>,
    pub(super) resource_changes: Option<Vec<ResourceChange>>,
    #[serde(default)]
    pub(super) deferred_changes: Vec<DeferredChange>,
    #[serde(default)]
    pub(super) action_invocations: Vec<ActionInvocation>,
    pub(super) prior_state: Option<PriorState>,
    pub(super) configuration: Option<Configuration>,
    pub(super) planned_values: Option<serde::de::IgnoredAny>,
    pub(super) values: Option<serde::de::IgnoredAny>,
    #[serde(default)]
    pub(super) errored: bool,
    /// Applying it would do something (Terraform 1.7 and later say so).
    pub(super) applyable: Option<bool>,
}

impl Plan {
    /// Terraform itself says that there is nothing to apply.
    pub fn changes_nothing(&self) -> bool {
        self.applyable == Some(false) && !self.errored
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct ResourceChange {
    pub(super) address: String,
    #[serde(default)]
    pub(super) mode: String,
    pub(super) r#type: String,
    pub(super) provider_name: Option<String>,
    pub(super) deposed: Option<String>,
    /// Why the action was chosen.
    pub(super) action_reason: Option<String>,
    pub(super) change: Change,
}

#[derive(Debug, Deserialize)]
pub(super) struct Change {
    pub(super) actions: Vec<String>,
    #[serde(default = "null")]
    pub(super) before: Box<RawValue>,
    #[serde(default = "null")]
    pub(super) after: Box<RawValue>,
    #[serde(default = "null")]
    pub(super) after_unknown: Box<RawValue>,
    #[serde(default = "null")]
    pub(super) before_sensitive: Box<RawValue>,
    #[serde(default = "null")]
    pub(super) after_sensitive: Box<RawValue>,
    /// Attributes that force a replacement, as lists of names and indices.
    pub(super) replace_paths: Option<Vec<Value>>,
}

fn null() -> Box<RawValue> {
    RawValue::NULL.to_owned()
}

#[derive(Debug, Deserialize)]
pub(super) struct DeferredChange {
    #[serde(default)]
    pub(super) reason: String,
    pub(super) resource_change: ResourceChange,
}

#[derive(Debug, Deserialize)]
pub(super) struct ActionInvocation {
    pub(super) address: String,
    pub(super) r#type: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct PriorState {
    pub(super) values: Option<StateValues>,
}

#[derive(Debug, Deserialize)]
pub(super) struct StateValues {
    pub(super) root_module: Option<StateModule>,
}

#[derive(Debug, Deserialize)]
pub(super) struct StateModule {
    #[serde(default)]
    pub(super) resources: Vec<StateResource>,
    #[serde(default)]
    pub(super) child_modules: Vec<StateModule>,
}

#[derive(Debug, Deserialize)]
pub(super) struct StateResource {
    pub(super) address: String,
    #[serde(default)]
    pub(super) mode: String,
    pub(super) r#type: String,
    #[serde(default = "null")]
    pub(super) values: Box<RawValue>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Configuration {
    #[serde(default)]
    pub(super) root_module: ConfigurationModule,
    #[serde(default)]
    pub(super) provider_config: BTreeMap<String, ProviderConfiguration>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ProviderConfiguration {
    pub(super) full_name: Option<String>,
    #[serde(default)]
    pub(super) expressions: Value,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct ConfigurationModule {
    #[serde(default)]
    pub(super) resources: Vec<ConfigurationResource>,
    #[serde(default)]
    pub(super) module_calls: BTreeMap<String, ModuleCall>,
    #[serde(default)]
    pub(super) outputs: BTreeMap<String, Value>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ConfigurationResource {
    pub(super) address: String,
    pub(super) provider_config_key: Option<String>,
    #[serde(default)]
    pub(super) expressions: Value,
    #[serde(default)]
    pub(super) count_expression: Value,
    #[serde(default)]
    pub(super) for_each_expression: Value,
    #[serde(default)]
    pub(super) depends_on: Vec<String>,
    #[serde(default)]
    pub(super) provisioners: Vec<Provisioner>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Provisioner {
    #[serde(default)]
    pub(super) r#type: String,
    #[serde(default)]
    pub(super) expressions: Value,
}

#[derive(Debug, Deserialize)]
pub(super) struct ModuleCall {
    #[serde(default)]
    pub(super) module: ConfigurationModule,
    #[serde(default)]
    pub(super) expressions: Value,
    #[serde(default)]
    pub(super) depends_on: Vec<String>,
}

/// Reads a plan.
///
/// # Errors
/// [`PlanError`] when the bytes are anything but a complete plan of a known format; never an empty plan instead.
pub fn read(bytes: &[u8]) -> Result<Plan, PlanError> {
    if bytes.starts_with(b"PK\x03\x04") {
        return Err(PlanError::Binary);
    }
    let plan: Plan = serde_json::from_slice(bytes).map_err(|error| PlanError::Json(describe(&error)))?;
    let Some(version) = &plan.format_version else { return Err(PlanError::Missing("format_version")) };
    // 0.1 and 0.2 are those of Terraform 0.12 to 1.0: what judgement reads of them is the same.
    if version.split('.').next() != Some("1") && !["0.1", "0.2"].contains(&version.as_str()) {
        return Err(PlanError::Version(version.chars().take(20).collect()));
    }
    if plan.resource_changes.is_none() {
        if plan.values.is_some() {
            return Err(PlanError::State);
        }
        // A plan without any change leaves `resource_changes` out, but it still says what it plans.
        if plan.planned_values.is_none() {
            return Err(PlanError::Missing("resource_changes"));
        }
    }
    Ok(plan)
}

/// The error without any of the document's own text, which may hold secrets.
fn describe(error: &serde_json::Error) -> String {
    use serde_json::error::Category;
    let what = match error.classify() {
        Category::Syntax => "invalid JSON",
        Category::Eof => "the JSON ends too early",
        Category::Data => "a field has another type than a plan's",
        Category::Io => "it could not be read",
    };
    format!("{what} at line {}, column {}", error.line(), error.column())
}

#[cfg(test)]
mod tests {
    use super::{PlanError, read};

    #[test]
    fn what_is_not_a_plan_is_an_error_and_never_an_empty_plan() {
        for (text, want) in [
            ("{}", "format_version"),
            ("", "ends too early"),
            ("[]", "another type"),
            ("null", "another type"),
            ("{\"format_version\":\"1.2\"}", "resource_changes"),
            (
                "{\"format_version\":\"1.0\",\"terraform_version\":\"1.11.4\",\"values\":{}}",
                "state, not a plan",
            ),
            ("{\"format_version\":\"9.0\",\"resource_changes\":[]}", "9.0"),
            ("{\"format_version\":\"1.2\",\"resource_changes\":{}}", "another type"),
            ("{\"format_version\":\"1.2\",\"resource_changes\":[{}]}", "another type"),
            ("PK\u{3}\u{4}", "binary plan"),
        ] {
            let error = read(text.as_bytes()).expect_err(text).to_string();
            assert!(error.contains(want), "{text}: {error}");
        }
        for version in ["0.1", "0.2", "1.0", "1.2"] {
            let plan = format!(r#"{{"format_version":"{version}","resource_changes":[]}}"#);
            assert!(read(plan.as_bytes()).is_ok(), "{version}");
        }
        assert!(read(br#"{"format_version":"0.3","resource_changes":[]}"#).is_err());
        assert!(read(br#"{"format_version":"1.2","planned_values":{"root_module":{}}}"#).is_ok());
    }

    #[test]
    fn errors_hold_nothing_of_the_document() {
        let error =
            read(br#"{"format_version":"1.2","resource_changes":[{"address":{"password":"hunter2"}}]}"#);
        let text = format!("{:?}", error.map(|_| ()).map_err(|e: PlanError| e.to_string()));
        assert!(!text.contains("hunter2"), "{text}");
    }
}
