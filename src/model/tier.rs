//! Recoverability tiers and verdicts, with the order in which they worsen.

use serde::{Deserialize, Serialize};

/// What it takes to get a thing back (design: tiers 1 to 5).
///
/// The derived order is the number's; which tier is *worse* is the policy's business: 5 asks for a human, 4 blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// 1: nothing is lost, or one command undoes it.
    Reversible,
    /// 2: it can be had again with work: rebuilt, reinstalled, dug out of git's object store.
    RecoverableWithEffort,
    /// 3: only a backup or snapshot holds it.
    RecoverableFromBackup,
    /// 4: it exists nowhere else.
    Unrecoverable,
    /// 5: what would happen cannot be told; a human has to look.
    NeedsReview,
}

impl Tier {
    /// The tier's number, 1 to 5.
    pub fn number(self) -> u8 {
        match self {
            Self::Reversible => 1,
            Self::RecoverableWithEffort => 2,
            Self::RecoverableFromBackup => 3,
            Self::Unrecoverable => 4,
            Self::NeedsReview => 5,
        }
    }

    /// The tier with this number.
    pub fn from_number(number: u8) -> Option<Self> {
        Some(match number {
            1 => Self::Reversible,
            2 => Self::RecoverableWithEffort,
            3 => Self::RecoverableFromBackup,
            4 => Self::Unrecoverable,
            5 => Self::NeedsReview,
            _ => return None,
        })
    }

    /// The label in reports.
    pub fn label(self) -> &'static str {
        match self {
            Self::Reversible => "reversible",
            Self::RecoverableWithEffort => "recoverable-with-effort",
            Self::RecoverableFromBackup => "recoverable-from-backup",
            Self::Unrecoverable => "unrecoverable",
            Self::NeedsReview => "needs-review",
        }
    }

    /// Rank by harm: needs-review stands between a backup and a sure loss, as its default verdict does.
    pub fn severity(self) -> u8 {
        match self {
            Self::Reversible => 1,
            Self::RecoverableWithEffort => 2,
            Self::RecoverableFromBackup => 3,
            Self::NeedsReview => 4,
            Self::Unrecoverable => 5,
        }
    }
}

/// What is said of a command: `allow < warn < escalate < block`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Run it.
    Allow,
    /// Run it, and say what it costs.
    Warn,
    /// A human must decide.
    Escalate,
    /// Must not run.
    Block,
}

impl Verdict {
    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Warn => "warn",
            Self::Escalate => "escalate",
            Self::Block => "block",
        }
    }
}
