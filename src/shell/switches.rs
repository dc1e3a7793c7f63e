//! Shell options that change what is run, and what is known of them where two ways come together.

use crate::knowledge::{lists, places};

/// Shell options that change what is run.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct Switches {
    pub(super) errexit: bool,
    pub(super) nounset: bool,
    pub(super) noclobber: bool,
    pub(super) noglob: bool,
    pub(super) noexec: bool,
    /// What is assigned is exported.
    pub(super) allexport: bool,
    pub(super) pipefail: bool,
    pub(super) dotglob: bool,
    pub(super) nullglob: bool,
    pub(super) failglob: bool,
    pub(super) globstar: bool,
    pub(super) extglob: bool,
    pub(super) nocaseglob: bool,
    pub(super) nocasematch: bool,
    pub(super) expand_aliases: bool,
    /// Which shell reads it is not known: it may be one that expands no aliases.
    pub(super) perhaps_aliases: bool,
    /// `cd name` goes where the variable of that name says.
    pub(super) cdable_vars: bool,
    /// A local of a function further out is not taken away by `unset`, only emptied.
    pub(super) keeps_locals: bool,
    /// It may be a shell that lacks what bash has beyond the common: `+=`, `$RANDOM`, `echo -e`.
    pub(super) common: bool,
    pub(super) lastpipe: bool,
    /// A shell goes on when `exec` cannot start its program.
    pub(super) execfail: bool,
    pub(super) no_braces: bool,
    /// `cd` and `pwd` go by where links lead (`set -P`).
    pub(super) physical: bool,
    /// zsh reads it: `*(.)` is a pattern with conditions, `>!` one operator.
    pub(super) zsh: bool,
    /// An alias was made that holds anywhere in what comes after.
    pub(super) wide_alias: bool,
    /// fish reads it: its text is brought over before it is parsed.
    pub(super) fish: bool,
    /// What becomes of the words in a variable's value.
    pub(super) words: Words,
}

/// What a shell makes of a variable that stands without quotes and holds blanks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) enum Words {
    /// As many words as it holds.
    #[default]
    Split,
    /// One word, as in zsh and fish.
    Whole,
    /// One or several: an option decides that nobody told of.
    Unsure,
}

impl Switches {
    /// What a shell of this name starts with.
    pub(super) fn of_shell(name: &str) -> Self {
        let (zsh, fish) = (name == "zsh", name == "fish");
        let words = if zsh || fish { Words::Whole } else { Words::Split };
        let own = zsh || fish;
        // They run the last command of a pipeline themselves, so that `… | read x` stays.
        let expand_aliases = lists(&places().aliasing, name);
        Self {
            zsh,
            fish,
            words,
            globstar: own,
            lastpipe: own,
            expand_aliases,
            common: expand_aliases,
            no_braces: lists(&places().braceless, name),
            ..Self::default()
        }
    }

    /// What any shell that a program starts may start with.
    pub(super) fn of_any_shell() -> Self {
        Self { expand_aliases: true, perhaps_aliases: true, common: true, ..Self::default() }
    }

    /// Those after either of two ways: what holds for certain where it stops something, what may hold where it adds.
    pub(super) fn join(&self, other: &Self) -> Self {
        Self {
            errexit: self.errexit && other.errexit,
            nounset: self.nounset && other.nounset,
            noclobber: self.noclobber && other.noclobber,
            noglob: self.noglob && other.noglob,
            noexec: self.noexec && other.noexec,
            allexport: self.allexport || other.allexport,
            pipefail: self.pipefail && other.pipefail,
            dotglob: self.dotglob || other.dotglob,
            nullglob: self.nullglob && other.nullglob,
            failglob: self.failglob && other.failglob,
            globstar: self.globstar || other.globstar,
            extglob: self.extglob || other.extglob,
            nocaseglob: self.nocaseglob || other.nocaseglob,
            nocasematch: self.nocasematch && other.nocasematch,
            expand_aliases: self.expand_aliases || other.expand_aliases,
            perhaps_aliases: self.perhaps_aliases
                || other.perhaps_aliases
                || self.expand_aliases != other.expand_aliases,
            cdable_vars: self.cdable_vars || other.cdable_vars,
            keeps_locals: self.keeps_locals || other.keeps_locals,
            common: self.common || other.common,
            lastpipe: self.lastpipe && other.lastpipe,
            execfail: self.execfail || other.execfail,
            no_braces: self.no_braces && other.no_braces,
            physical: self.physical || other.physical,
            zsh: self.zsh || other.zsh,
            wide_alias: self.wide_alias || other.wide_alias,
            fish: self.fish || other.fish,
            words: if self.words == other.words { self.words } else { Words::Unsure },
        }
    }
}
