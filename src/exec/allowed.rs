//! What a person allowed for a while: this exact command, in this directory, with these consequences.
//!
//! Never a blocked one, never where every yes has to be attested by itself, never where it may be no person who answers.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::json;

use crate::approvals::{Approvals, Asked, Exact, Here, Taken, Uses, doubt};
use crate::model::{Verdict, redact};
use crate::policy::Profile;
use crate::proof::Subject;
use crate::report::escape;

use super::permission::{Case, user_name};
use super::{Surroundings, say};

/// How long that is.
pub(super) const WHILE: Duration = Duration::from_secs(15 * 60);

/// A command that can be allowed.
pub(super) struct Exactly {
    /// Equal if and only if the commands are.
    form: String,
    /// For people, secrets masked.
    shown: String,
    store: Approvals,
}

impl Exactly {
    /// `None` where it cannot be allowed for a while.
    pub(super) fn of(case: &Case<'_>, around: &Surroundings<'_>) -> Option<Self> {
        let human = around.context.profile == Some(Profile::Human);
        let settings = around.policy.settings(Profile::Human);
        let places = around.attesting.places.as_ref()?;
        if !human
            || !settings.allow_for_a_while
            || !around.attesting.is_off()
            || case.evaluation.verdict() >= Verdict::Block
        {
            return None;
        }
        let Ok(Subject::Shell { text, argv }) = case.subject else { return None };
        let form =
            json!({ "text": text, "argv": argv, "environment": around.context.environment }).to_string();
        let shown = redact(case.text?).into_owned();
        if doubt(&Here::new()).is_some() {
            return None;
        }
        Some(Self { form, shown, store: Approvals::open(places).ok()? })
    }

    /// Whether it was, and still is. Says so then.
    pub(super) fn is_allowed(&self, case: &Case<'_>, around: &Surroundings<'_>) -> bool {
        match self.asked(case, around, |asked| self.store.take(asked)) {
            Ok(Taken::Approved(entry)) => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs());
                let left = u64::try_from(entry.expires / 1000).unwrap_or(0).saturating_sub(now);
                let minutes = left.div_ceil(60);
                say(&format!(
                    "recourse: you allowed this here; it is not asked about for another {minutes} min"
                ));
                true
            }
            Ok(Taken::Nothing | Taken::Denied) | Err(_) => false,
        }
    }

    /// From now on it is. That this cannot be written down does not stop the command itself, which the person wants.
    pub(super) fn allow(&self, case: &Case<'_>, around: &Surroundings<'_>, time: Duration) {
        let allowed = self.asked(case, around, |asked| {
            let entry = self.store.request(asked, None)?;
            self.store.approve(&entry, Uses::Often, time, &user_name(), None)
        });
        if let Err(error) = allowed {
            say(&format!("recourse: it will be asked about again: {}", escape(&error.to_string())));
        }
    }

    fn asked<T>(&self, case: &Case<'_>, around: &Surroundings<'_>, then: impl FnOnce(&Asked<'_>) -> T) -> T {
        let asker = around.context.actor.as_ref().map_or("human", |actor| actor.id.as_str());
        then(&Asked {
            asker,
            exact: Exact::Call { form: &self.form, shown: &self.shown },
            cwd: &around.context.cwd,
            report: &case.evaluation.report,
        })
    }
}
