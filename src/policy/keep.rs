//! `[keep]`: when what would be lost is set aside first, and what that may cost.

use serde::{Deserialize, Serialize};

/// When something is set aside before it is lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeepWhen {
    /// Whenever a loss can be made good by it; the command then runs.
    #[default]
    Loss,
    /// Only when a person wants it, at the question.
    Ask,
    /// Never.
    Never,
}

/// For whom something is set aside that is not known to be lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnknownPrograms {
    /// For nobody.
    Never,
    /// For agents.
    #[default]
    Agents,
    /// For people too.
    Always,
}

/// `[keep]` after all layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeepSettings {
    /// When.
    pub when: KeepWhen,
    /// Bytes that are copied for one command, at most.
    pub bytes: u64,
    /// Files that are kept for one command, at most.
    pub files: u64,
    /// Bytes of the whole store, at most: the oldest go first.
    pub total_bytes: u64,
    /// Days that a recovery point stays.
    pub days: u64,
    /// Part of the disk in percent that stays free.
    pub free: u64,
    /// Before which programs.
    pub unknown_programs: UnknownPrograms,
    /// For whom is kept what any program is about to destroy while the command runs.
    pub while_running: UnknownPrograms,
    /// What services of other machines hold is fetched and kept too, without a question.
    pub remote: bool,
}

impl Default for KeepSettings {
    fn default() -> Self {
        Self {
            when: KeepWhen::Loss,
            bytes: 1 << 30,
            files: 20_000,
            total_bytes: 10 << 30,
            days: 14,
            free: 10,
            unknown_programs: UnknownPrograms::Agents,
            while_running: UnknownPrograms::Agents,
            remote: false,
        }
    }
}

/// `[keep]` as a file says it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct KeepSpec {
    when: Option<KeepWhen>,
    bytes: Option<u64>,
    files: Option<u64>,
    total_bytes: Option<u64>,
    days: Option<u64>,
    free: Option<u64>,
    unknown_programs: Option<UnknownPrograms>,
    while_running: Option<UnknownPrograms>,
    remote: Option<bool>,
}

impl KeepSettings {
    /// A layer's wishes on top. With `tighten_only`, wishes that would let more run, or cost more, are not heard.
    pub(super) fn overlay(&mut self, spec: &KeepSpec, tighten_only: bool) {
        fn set<T: Copy>(place: &mut T, wish: Option<T>, tighten_only: bool, tighter: fn(T, T) -> T) {
            if let Some(wish) = wish {
                *place = if tighten_only { tighter(*place, wish) } else { wish };
            }
        }
        set(&mut self.when, spec.when, tighten_only, Ord::max);
        set(&mut self.bytes, spec.bytes, tighten_only, Ord::min);
        set(&mut self.files, spec.files, tighten_only, Ord::min);
        set(&mut self.total_bytes, spec.total_bytes, tighten_only, Ord::min);
        set(&mut self.days, spec.days, tighten_only, Ord::max);
        set(&mut self.free, spec.free.map(|part| part.min(100)), tighten_only, Ord::max);
        set(&mut self.unknown_programs, spec.unknown_programs, tighten_only, Ord::max);
        set(&mut self.while_running, spec.while_running, tighten_only, Ord::max);
        set(&mut self.remote, spec.remote, tighten_only, Ord::min);
    }
}
