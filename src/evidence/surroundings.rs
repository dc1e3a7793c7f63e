//! What the environment says about where this happens: production or not.

use crate::model::{Evidence, FactValue, Mutation, says_production};
use crate::world::World;

use super::Session;

/// Variables that name an environment or an account.
const VARIABLES: &[&str] = &[
    "NODE_ENV",
    "RAILS_ENV",
    "RACK_ENV",
    "APP_ENV",
    "DJANGO_ENV",
    "FLASK_ENV",
    "ASPNETCORE_ENVIRONMENT",
    "MIX_ENV",
    "ENV",
    "ENVIRONMENT",
    "DEPLOY_ENV",
    "STAGE",
    "AWS_PROFILE",
    "AWS_VAULT",
    "CLOUDSDK_ACTIVE_CONFIG_NAME",
    "GOOGLE_CLOUD_PROJECT",
    "AZURE_SUBSCRIPTION_ID",
    "TF_WORKSPACE",
    "DOCKER_CONTEXT",
    "PGHOST",
    "DATABASE_URL",
];

/// The variable that names production, if one does.
pub(super) fn production(world: &dyn World) -> Option<&'static str> {
    VARIABLES.iter().copied().find(|name| world.env(name).is_some_and(|value| says_production(&value)))
}

/// Records a hint at production. Local files are the same whatever the environment is called.
pub(super) fn probe(mutation: &Mutation, world: &dyn World, session: &mut Session, evidence: &mut Evidence) {
    if matches!(mutation.subject, crate::model::Subject::Path(_) | crate::model::Subject::Git { .. }) {
        return;
    }
    if let Some(name) = session.production(world) {
        // The value may hold a password; the name is enough.
        let said = format!("{name} names production");
        evidence.fact("environment.production", FactValue::Bool(true), said);
    }
}
