//! The walk: every path below the starting points, with the expression run on it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::world::{FileKind, LookError};

use super::expression::{Node, Plan};
use super::test::{Candidate, Truth};
use super::view::{Seen, View};
use super::{FindAction, FindLimits, FoundPath};

/// Directories deeper than this are not entered.
const DEPTH: usize = 256;

/// A walk under way.
pub(super) struct Walk<'a> {
    pub(super) plan: &'a Plan,
    pub(super) view: View<'a>,
    pub(super) limits: FindLimits,
    pub(super) started: Duration,
    /// Paths per action.
    pub(super) found: Vec<Vec<FoundPath>>,
    entries: usize,
    /// A limit that was reached.
    pub(super) stopped: Option<String>,
    quit: bool,
    /// A `-quit` may have come before: nothing after it is certain.
    doubt: bool,
    device: Option<u64>,
}

struct Outcome {
    prune: bool,
    maybe_prune: bool,
}

impl<'a> Walk<'a> {
    /// A walk that has not begun.
    pub(super) fn new(plan: &'a Plan, view: View<'a>, limits: FindLimits) -> Self {
        let started = view.world.elapsed();
        let found = plan.actions.iter().map(|_| Vec::new()).collect();
        Self {
            plan,
            view,
            limits,
            started,
            found,
            entries: 0,
            stopped: None,
            quit: false,
            doubt: false,
            device: None,
        }
    }

    /// Walks one starting point.
    pub(super) fn start(&mut self, shown: &str, certain: bool) {
        let Some(path) = self.view.absolute(shown) else {
            self.stopped = Some(format!("where {shown} leads cannot be told"));
            return;
        };
        let path = if self.plan.follow_starts { self.view.files.through(&path, true) } else { Some(path) };
        let Some(path) = path else {
            self.stopped = Some(format!("where {shown} leads cannot be told"));
            return;
        };
        let follow = self.view.follow;
        self.view.follow = self.plan.follow_starts;
        let seen = self.view.seen(&path);
        self.view.follow = follow;
        let Some(mut seen) = seen else { return };
        if seen.kind == FileKind::Symlink && shown.ends_with('/') {
            seen.kind = self.view.followed_kind(&path).unwrap_or(seen.kind);
        }
        self.device = seen.meta.as_ref().map(|meta| meta.id.0);
        self.visit(shown, &path, true, seen, 0, certain);
    }

    fn visit(&mut self, shown: &str, path: &Path, exact: bool, seen: Seen, depth: usize, certain: bool) {
        self.entries += 1;
        if self.entries > self.limits.entries {
            self.stopped = Some(format!("more than {} entries", self.limits.entries));
        } else if self.entries.is_multiple_of(256)
            && self.view.world.elapsed().saturating_sub(self.started) > self.limits.time
        {
            self.stopped = Some("out of time".to_owned());
        }
        if self.over() {
            return;
        }
        let acts = depth >= self.plan.min_depth;
        let mut outcome = Outcome { prune: false, maybe_prune: false };
        if acts && !self.plan.depth_first {
            self.run(shown, path, exact, &seen, certain, &mut outcome);
        }
        if seen.kind == FileKind::Directory && depth < self.plan.max_depth && !outcome.prune && !self.over() {
            self.children(shown, path, &seen, depth, certain && !outcome.maybe_prune);
        }
        if acts && self.plan.depth_first && !self.over() {
            self.run(shown, path, exact, &seen, certain, &mut outcome);
        }
    }

    fn over(&self) -> bool {
        self.quit || self.stopped.is_some()
    }

    fn children(&mut self, shown: &str, path: &Path, seen: &Seen, depth: usize, certain: bool) {
        if self.plan.one_device && seen.meta.as_ref().map(|meta| meta.id.0) != self.device {
            return;
        }
        if depth >= DEPTH {
            self.stopped = Some(format!("directories nested more than {DEPTH} deep"));
            return;
        }
        if self.view.is_lost(path) {
            self.stopped = Some(format!("where {shown} leads cannot be told"));
            return;
        }
        let room = self.limits.entries.saturating_sub(self.entries);
        let entries = match self.view.entries(path, room) {
            Ok(entries) => entries,
            // Find itself cannot look here either, and goes on with an error message.
            Err(LookError::NotFound | LookError::Loop) => return,
            Err(LookError::Denied) if !self.limits.other_rights => return,
            Err(error) => {
                self.stopped = Some(format!("{}: {error}", path.display()));
                return;
            }
        };
        for entry in entries {
            let below = path.join(&entry.name);
            let text = if shown.ends_with('/') {
                format!("{shown}{}", entry.name)
            } else {
                format!("{shown}/{}", entry.name)
            };
            let seen = match entry.kind {
                _ if entry.exact => self.view.seen(&below),
                kind => Some(Seen { kind, meta: None }),
            };
            if let Some(seen) = seen {
                self.visit(&text, &below, entry.exact, seen, depth + 1, certain);
            }
            if self.over() {
                return;
            }
        }
    }

    fn run(
        &mut self,
        shown: &str,
        path: &Path,
        exact: bool,
        seen: &Seen,
        certain: bool,
        outcome: &mut Outcome,
    ) {
        let plan = self.plan;
        let certain = certain && !self.doubt;
        let candidate = Candidate { shown, path, exact, seen };
        self.evaluate(&plan.root, &candidate, certain, outcome);
    }

    fn evaluate(
        &mut self,
        node: &Node,
        candidate: &Candidate<'_>,
        certain: bool,
        outcome: &mut Outcome,
    ) -> Truth {
        match node {
            Node::True => Truth::Yes,
            Node::False => Truth::No,
            Node::Test(test) => test.holds(candidate, &self.view),
            Node::Not(inner) => self.evaluate(inner, candidate, certain, outcome).not(),
            Node::And(parts) => {
                let mut so_far = Truth::Yes;
                for part in parts {
                    match self.evaluate(part, candidate, certain && so_far == Truth::Yes, outcome) {
                        Truth::No => return Truth::No,
                        Truth::Maybe => so_far = Truth::Maybe,
                        Truth::Yes => {}
                    }
                    if self.quit {
                        break;
                    }
                }
                so_far
            }
            Node::Or(parts) => {
                let mut so_far = Truth::No;
                for part in parts {
                    match self.evaluate(part, candidate, certain && so_far == Truth::No, outcome) {
                        Truth::Yes => return Truth::Yes,
                        Truth::Maybe => so_far = Truth::Maybe,
                        Truth::No => {}
                    }
                    if self.quit {
                        break;
                    }
                }
                so_far
            }
            Node::Comma(parts) => {
                let mut last = Truth::Yes;
                for part in parts {
                    last = self.evaluate(part, candidate, certain, outcome);
                }
                last
            }
            Node::Prune => {
                if certain {
                    outcome.prune = !self.plan.depth_first;
                } else {
                    outcome.maybe_prune = true;
                }
                Truth::Yes
            }
            Node::Quit => {
                if certain {
                    self.quit = true;
                } else {
                    self.doubt = true;
                }
                Truth::Yes
            }
            Node::Action(index) => self.act(*index, candidate, certain),
        }
    }

    fn act(&mut self, index: usize, candidate: &Candidate<'_>, certain: bool) -> Truth {
        let action = &self.plan.actions[index];
        if matches!(action, FindAction::Write { .. }) {
            return Truth::Yes;
        }
        // `find . -delete` never deletes the starting point `.`.
        if matches!(action, FindAction::Delete) && matches!(candidate.shown, "." | "./") {
            return Truth::Yes;
        }
        let directory = candidate.seen.kind == FileKind::Directory;
        if let Some(list) = self.found.get_mut(index) {
            if list.len() >= self.limits.paths {
                self.stopped = Some(format!("more than {} paths", self.limits.paths));
                return Truth::Maybe;
            }
            list.push(FoundPath {
                path: candidate.shown.to_owned(),
                directory,
                certain: certain && candidate.exact,
            });
        }
        match action {
            FindAction::Delete => {
                if certain {
                    self.view.deleted.insert(PathBuf::from(candidate.path));
                }
                Truth::Yes
            }
            // The command's exit status decides.
            FindAction::Exec { batch: false, .. } => Truth::Maybe,
            _ => Truth::Yes,
        }
    }
}
