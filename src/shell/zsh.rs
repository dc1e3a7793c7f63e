//! What zsh reads otherwise than bash: options by their own names, subscripts without braces, arrays from one on.

use crate::model::Value;
use crate::syntax::{Command, Part};

use super::interp::Shell;
use super::simple::Call;
use super::state::{Content, Flow, State, Status, Switches, Words};
use super::step::StepKind;

/// Options that change nothing of what is judged: what they allow is taken to be so anyway, or only a prompt shows it.
const WITHOUT_EFFECT: &[&str] = &[
    "aliases",
    "alwaystoend",
    "appendhistory",
    "autocd",
    "autolist",
    "automenu",
    "autopushd",
    "badpattern",
    "bareglobqual",
    "beep",
    "bgnice",
    "banghist",
    "completeinword",
    "correct",
    "correctall",
    "extendedglob",
    "extendedhistory",
    "flowcontrol",
    "globstarshort",
    "hashlistall",
    "histexpiredupsfirst",
    "histfindnodups",
    "histignorealldups",
    "histignoredups",
    "histignorespace",
    "histreduceblanks",
    "histsavenodups",
    "histverify",
    "hup",
    "incappendhistory",
    "interactivecomments",
    "ksharrays",
    "listbeep",
    "listtypes",
    "localoptions",
    "localtraps",
    "longlistjobs",
    "magicequalsubst",
    "menucomplete",
    "monitor",
    "multios",
    "nomatch",
    "notify",
    "numericglobsort",
    "printexitvalue",
    "promptpercent",
    "promptsubst",
    "pushdignoredups",
    "pushdminus",
    "pushdsilent",
    "pushdtohome",
    "rcexpandparam",
    "rcquotes",
    "rmstarsilent",
    "rmstarwait",
    "sharehistory",
    "transientrprompt",
    "typesetsilent",
    "verbose",
    "warncreateglobal",
    "xtrace",
    "zle",
];

/// Switches an option by one of zsh's spellings. `None` for one of which it is not known what it changes.
fn switch(switches: &mut Switches, name: &str, on: bool) -> Option<()> {
    let plain: String = name.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect();
    if WITHOUT_EFFECT.contains(&plain.as_str()) {
        return Some(());
    }
    if plain == "shwordsplit" {
        switches.words = if on { Words::Split } else { Words::Whole };
        return Some(());
    }
    let (slot, on) = match plain.as_str() {
        "errexit" => (&mut switches.errexit, on),
        "unset" => (&mut switches.nounset, !on),
        "clobber" => (&mut switches.noclobber, !on),
        "glob" => (&mut switches.noglob, !on),
        "exec" => (&mut switches.noexec, !on),
        "allexport" => (&mut switches.allexport, on),
        "pipefail" => (&mut switches.pipefail, on),
        "globdots" | "dotglob" => (&mut switches.dotglob, on),
        "nullglob" | "cshnullglob" => (&mut switches.nullglob, on),
        "kshglob" => (&mut switches.extglob, on),
        "caseglob" => (&mut switches.nocaseglob, !on),
        "casematch" => (&mut switches.nocasematch, !on),
        "chaselinks" | "chasedots" | "physical" => (&mut switches.physical, on),
        "ignorebraces" => (&mut switches.no_braces, on),
        "cdablevars" => (&mut switches.cdable_vars, on),
        other => return other.strip_prefix("no").and_then(|rest| switch(switches, rest, !on)),
    };
    *slot = on;
    Some(())
}

/// The same for an option on zsh's own command line: one that is not known may be the one that splits words.
pub(super) fn switch_or_doubt(switches: &mut Switches, name: Option<&str>, on: bool) {
    if name.and_then(|name| switch(switches, name, on)).is_none() {
        switches.words = Words::Unsure;
    }
}

/// An array, of which a name alone is all, and whose first element is the one or the zeroth, as an option says.
pub(super) fn is_counted_otherwise(switches: &Switches, content: Option<&Content>) -> bool {
    (switches.zsh || switches.fish) && matches!(content, Some(Content::Indexed(_)))
}

/// Whether a word holds what bash takes for text: a subscript without braces (`$a[1]`), or a sign that says what becomes
/// of a variable (`$=a`, `$~a`, `$^a`).
pub(super) fn is_subscripted(parts: &[Part]) -> bool {
    let signed = |part: &Part| match part {
        Part::Literal(text) => ["$=", "$~", "$^"].iter().any(|sign| text.contains(sign)),
        _ => false,
    };
    if parts.iter().any(signed) {
        return true;
    }
    let pairs = parts.iter().zip(parts.iter().skip(1));
    let here = pairs.into_iter().any(|(first, second)| match (first, second) {
        (Part::Parameter(parameter), Part::Literal(text) | Part::Quoted(text)) => {
            let bare = parameter.span.end.saturating_sub(parameter.span.start) == parameter.name.len() + 1;
            bare && text.starts_with('[')
        }
        _ => false,
    });
    here || parts.iter().any(|part| match part {
        Part::DoubleQuoted(inner) => is_subscripted(inner),
        _ => false,
    })
}

impl Shell<'_> {
    /// `emulate sh`, `emulate sh -c text`: another shell's rules.
    pub(super) fn zsh_emulate(&mut self, state: &mut State, call: &Call) -> Flow {
        let before = std::mem::replace(&mut state.switches.words, Words::Unsure);
        state.status = Status::True;
        let mut words = call.arguments().iter();
        let Some(word) = words.find(|word| word.arg.value.as_known() == Some("-c")).and(words.next()) else {
            return Flow::Next;
        };
        let flow = self.shell_text(state, &word.arg.value, word.arg.span);
        state.switches.words = before;
        flow
    }

    /// `setopt` and `unsetopt`. `None` when one of the options is not known.
    pub(super) fn zsh_options(&self, state: &mut State, call: &Call, on: bool) -> Option<Flow> {
        let mut switches = state.switches.clone();
        for name in call.texts()?.into_iter().filter(|name| *name != "-o") {
            switch(&mut switches, name, on)?;
        }
        state.switches = switches;
        state.status = Status::True;
        Some(Flow::Next)
    }

    /// `alias -g x=…` stands anywhere in a line, `alias -s txt=…` opens every file of that name: in what comes after.
    pub(super) fn zsh_alias(state: &mut State, call: &Call) {
        let wide = |word: &Value| word.prefix().starts_with('-') && word.prefix().contains(['g', 's']);
        state.switches.wide_alias |= state.switches.zsh && call.values().first().is_some_and(wide);
    }

    /// A command behind such an alias.
    pub(super) fn behind_wide_alias(&mut self, state: &mut State, command: &Command) {
        if std::mem::take(&mut state.switches.wide_alias) {
            let reason = "an alias that holds anywhere in a line changes what later words mean".to_owned();
            self.emit_as(state, command.span, "alias", StepKind::Opaque { reason });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_options() {
        for (name, on) in
            [("nocaseglob", true), ("NO_CASE_GLOB", true), ("caseglob", false), ("case_glob", false)]
        {
            let mut switches = Switches::default();
            assert_eq!(switch(&mut switches, name, on), Some(()), "{name}");
            assert!(switches.nocaseglob, "{name}");
        }
        let mut switches = Switches::default();
        assert_eq!(switch(&mut switches, "nomatch", false), Some(()));
        assert_eq!(switch(&mut switches, "no_nomatch", true), Some(()));
        assert_eq!(switches, Switches::default());
        assert_eq!(switch(&mut switches, "errexit", true), Some(()));
        assert!(switches.errexit);
        assert_eq!(switch(&mut switches, "unheardof", true), None);
    }
}
