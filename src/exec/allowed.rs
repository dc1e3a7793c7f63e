//! What a person allowed beforehand: this exact command, in this directory, with
//! these files and these consequences. For themselves for a
//! while; for an agent once, by `recourse approve`.
//!
//! Never a blocked one, never where every yes has to be attested by itself, never where it may be no person who answers.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::json;

use crate::approvals::{Approvals, Asked, Demand, Exact, Files, Here, State, Taken, Uses};
use crate::model::Verdict;
use crate::policy::Profile;
use crate::proof::Subject;
use crate::text::escape;

use super::case::{Case, user_name};
use super::{Surroundings, say};

/// How long that is.
pub(super) const WHILE: Duration = Duration::from_secs(15 * 60);

/// A command that can be allowed.
pub(super) struct Exactly {
    /// Who wants it.
    asker: String,
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
        if !human || !settings.allow_for_a_while || Here::doubt().is_some() {
            return None;
        }
        Self::by("human", case, around)
    }

    /// What an agent asks for; `None` where a person cannot approve it.
    pub(super) fn for_agent(case: &Case<'_>, around: &Surroundings<'_>) -> Option<Self> {
        Self::by("agent", case, around)
    }

    fn by(asker: &str, case: &Case<'_>, around: &Surroundings<'_>) -> Option<Self> {
        let places = around.attesting.places.as_ref()?;
        if !around.attesting.is_off() || case.first.evaluation.verdict() >= Verdict::Block {
            return None;
        }
        let Ok(Subject::Shell { text, argv }) = case.subject else { return None };
        let form =
            json!({ "text": text, "argv": argv, "environment": around.context.environment }).to_string();
        let shown = case.first.evaluation.report.secrets.mask(case.text?).into_owned();
        let asker = around.context.actor.as_ref().map_or(asker, |actor| actor.id.as_str()).to_owned();
        Some(Self { asker, form, shown, store: Approvals::open(places).ok()? })
    }

    /// Whether a person approved what an agent asks for, which is spent now. Says so then.
    pub(super) fn was_approved(&self, case: &Case<'_>, around: &Surroundings<'_>) -> bool {
        match self.asked(case, around, |asked| self.store.take(asked, Demand::Stored)) {
            Ok(Taken::Approved(entry)) => {
                let by = entry.by.as_deref().unwrap_or("a person");
                say(&format!("recourse: {} approved this; it runs this once", escape(by)));
                true
            }
            Ok(Taken::Changed(what)) => asked_again(&what),
            Ok(Taken::Nothing | Taken::Denied) => false,
            Err(error) => {
                say(&format!("recourse: approvals cannot be used: {}", escape(&error.to_string())));
                false
            }
        }
    }

    /// Writes down that an agent wants it, and says how a person approves it.
    pub(super) fn request(&self, case: &Case<'_>, around: &Surroundings<'_>) {
        say(&match self.asked(case, around, |asked| self.store.request(asked, None)) {
            Ok(entry) if entry.state == State::Denied => {
                "recourse: a person was asked and said no: do not try again".to_owned()
            }
            Ok(entry) => format!(
                "recourse: to allow exactly this once, a person runs in a terminal of their own: recourse approve {}",
                entry.id
            ),
            Err(error) => format!("recourse: it cannot be approved: {}", escape(&error.to_string())),
        });
    }

    /// Whether it was, and still is. Says so then.
    pub(super) fn is_allowed(&self, case: &Case<'_>, around: &Surroundings<'_>) -> bool {
        match self.asked(case, around, |asked| self.store.take(asked, Demand::Stored)) {
            Ok(Taken::Approved(entry)) => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs());
                let left = u64::try_from(entry.expires / 1000).unwrap_or(0).saturating_sub(now);
                let minutes = left.div_ceil(60);
                say(&format!(
                    "recourse: you allowed this here; it is not asked about for another {minutes} min"
                ));
                true
            }
            Ok(Taken::Changed(what)) => asked_again(&what),
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
        let evaluation = &case.first.evaluation;
        let files = Files::of([evaluation], true, around.world);
        then(&Asked {
            asker: &self.asker,
            exact: Exact::Call { form: &self.form, shown: &self.shown },
            cwd: &around.context.cwd,
            report: &evaluation.report,
            files: &files,
        })
    }
}

/// It was allowed when the files were others.
fn asked_again(what: &str) -> bool {
    say(&format!("recourse: this was allowed before, but {what}: it is asked about again"));
    false
}
