//! Which accounts and projects a plan shows to be one's own: those that its resources are in.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use serde_json::Value;
use serde_json::value::RawValue;

use super::plan::{Plan, StateModule};
use super::select::select;

/// Attributes that say where a resource is. Accounts count only as far as the provider has told them: what a plan wants may
/// name anybody's.
const NAMES: [&str; 4] = ["arn", "owner_id", "account_id", "project"];

/// How deep modules are looked into.
const DEPTH: usize = 64;

/// Gathered when somebody asks.
pub(super) struct Own<'p> {
    plan: &'p Plan,
    found: OnceLock<Places>,
}

#[derive(Debug, Default)]
struct Places {
    accounts: BTreeSet<String>,
    projects: BTreeSet<String>,
}

impl<'p> Own<'p> {
    pub(super) fn of(plan: &'p Plan) -> Self {
        Self { plan, found: OnceLock::new() }
    }

    /// Accounts of AWS.
    pub(super) fn accounts(&self) -> &BTreeSet<String> {
        &self.found().accounts
    }

    /// Projects of Google.
    pub(super) fn projects(&self) -> &BTreeSet<String> {
        &self.found().projects
    }

    fn found(&self) -> &Places {
        self.found.get_or_init(|| {
            let mut places = Places::default();
            for change in self.plan.resource_changes.iter().flatten().filter(|one| one.mode != "data") {
                places.look(&change.r#type, &change.change.before);
                if change.r#type.starts_with("google_") {
                    places.look(&change.r#type, &change.change.after);
                }
            }
            for provider in self.plan.configuration.iter().flat_map(|all| all.provider_config.values()) {
                let google = provider.full_name.as_deref().is_some_and(|name| name.contains("/google"));
                let project = provider.expressions.pointer("/project/constant_value").and_then(Value::as_str);
                places.projects.extend(project.filter(|_| google).map(str::to_owned));
            }
            let state = self.plan.prior_state.as_ref().and_then(|state| state.values.as_ref());
            if let Some(root) = state.and_then(|values| values.root_module.as_ref()) {
                places.module(root, DEPTH);
            }
            places
        })
    }
}

impl Places {
    fn module(&mut self, module: &StateModule, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        for resource in &module.resources {
            if resource.mode != "data" || resource.r#type == "aws_caller_identity" {
                self.look(&resource.r#type, &resource.values);
            }
        }
        module.child_modules.iter().for_each(|child| self.module(child, depth));
    }

    fn look(&mut self, r#type: &str, values: &RawValue) {
        let (amazon, google) = (r#type.starts_with("aws_"), r#type.starts_with("google_"));
        if !amazon && !google {
            return;
        }
        let Ok(values) = select(values, &NAMES) else { return };
        let text = |name: &str| values.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        if google {
            self.projects.extend(text("project").map(str::to_owned));
            return;
        }
        // Other types name members of other accounts by the same word.
        let own = if r#type == "aws_caller_identity" { "account_id" } else { "owner_id" };
        let numbers = text(own).into_iter().filter(|text| is_account(text));
        let arns = text("arn").into_iter().filter_map(account);
        self.accounts.extend(numbers.chain(arns).map(str::to_owned));
    }
}

/// The account that an ARN names.
pub(super) fn account(arn: &str) -> Option<&str> {
    let mut parts = arn.split(':');
    let at = match parts.next()? {
        "arn" => 3,
        "acs" => 2,
        _ => return None,
    };
    parts.nth(at).filter(|account| !account.is_empty())
}

/// Twelve digits.
pub(super) fn is_account(text: &str) -> bool {
    text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_digit())
}
