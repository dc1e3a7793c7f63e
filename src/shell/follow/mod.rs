//! Programs that run other programs in ways that their declarations cannot say: shells, scripts, `xargs`, `find`,
//! `make`, package scripts, code. One idea per file.

mod bindings;
mod code;
mod find;
mod first_line;
mod git;
mod git_attributes;
mod git_hooks;
mod git_starts;
mod hooks;
mod keys;
mod make;
mod modules;
mod package_edit;
mod packages;
mod settings;
mod shells;
mod starts;
mod startup;
mod suites;
mod tasks;
mod terraform;
mod words;
mod workspaces;

use crate::knowledge::{Follower, Match};

use super::interp::{Interp, Scope};
use super::simple::Call;
use super::state::{Flow, State};

pub(super) use code::{Code, reading};
pub(super) use shells::is_shell;

impl Interp<'_> {
    /// Follows a known program; `None` when there is nothing special about it.
    pub(super) fn follow(
        &mut self,
        state: &mut State,
        scope: &Scope,
        name: &str,
        call: &Call,
        matched: &Match,
    ) -> Option<Flow> {
        self.hooks(state, scope, name, call, matched);
        self.rights_changed |= matches!(
            name,
            "chmod" | "chown" | "chgrp" | "setfacl" | "chattr" | "chflags" | "mount" | "umount" | "diskutil"
        );
        match matched.command.follow {
            Some(Follower::Perl) => self.perl_modules(state, scope, call, matched),
            Some(Follower::Ruby) => {
                if let Some(flow) = self.ruby_libraries(state, scope, call, matched) {
                    return Some(flow);
                }
            }
            Some(Follower::PythonModule) => {
                if let Some(flow) = self.python_module(state, scope, call, matched) {
                    return Some(flow);
                }
            }
            Some(follower) => return self.task_runner(state, scope, name, call, matched, follower),
            None => {}
        }
        match name {
            "xargs" | "gxargs" => Some(self.xargs(state, scope, call, matched)),
            "parallel" => Some(self.parallel(state, scope, call)),
            "find" | "gfind" => Some(self.find(state, scope, call)),
            "git" => {
                self.git_programs(state, scope, call, matched);
                self.git_starts(state, scope, call, matched);
                self.git_foreach(state, scope, call, matched)
            }
            "tmux" => self.typed(state, scope, call, matched),
            "terraform" | "tofu" => {
                self.planned(state, scope, call, matched);
                None
            }
            "make" | "gmake" => self.make(state, scope, call),
            "node" | "nodejs" => {
                self.node_tests(state, scope, call, matched);
                None
            }
            "socat" => self.socat(state, scope, call),
            "deno" => self.deno(state, scope, call),
            "npm" | "yarn" | "yarnpkg" | "pnpm" | "bun" => {
                self.package_script(state, scope, name, call, matched)
            }
            _ => None,
        }
    }
}
