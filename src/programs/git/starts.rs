//! Programs that git starts by itself: hooks, and what the settings of a repository name for one job (monitors, editors,
//! filters, drivers …). Each program is followed as it would be when called by name; which call starts which is `asked`.

use std::path::Path;

use crate::knowledge::Match;
use crate::model::Value;
use crate::programs::git::attributes::{git_attributes, git_checks_out, git_touches};
use crate::programs::git::hooks::{git_hooks, git_new_tree, git_template};
use crate::programs::git::settings::{
    MESSAGE, compares, git_directories, git_given, git_place_named, git_transport,
};
use crate::shell::program::{Arg, Call, Expansion, Positional, Shell, State, StepKind};
use crate::world::git_dir::{Config, GitDir};

use super::asked::Asked;
use super::attributes::Attributes;
use super::hooks::Template;

/// A program that git starts: shell text, and the words that git adds.
type Started = (Value, Vec<Value>);

/// Hooks that git tells nothing.
const NO_WORDS: [&str; 4] = ["/pre-commit", "/post-commit", "/pre-merge-commit", "/pre-auto-gc"];

/// Follows the programs that git itself starts for this call.
pub(super) fn git_starts(shell: &mut Shell<'_>, state: &mut State, call: &Call, matched: &Match) {
    let Some(name) = matched.typed.get(1).cloned() else { return };
    if matched.informational || state.scope.host.is_some() {
        return;
    }
    let dirs = git_directories(shell, state, matched);
    let place = git_place_named(shell, state, call, matched, &dirs);
    let mut config = Config::load(shell.world, place.as_ref().filter(|_| name != "clone"));
    if let Some(file) = config.unread() {
        let reason = format!("git reads {}, which could not be read", file.display());
        shell.emit_as(state, call.span, &call.raw, StepKind::Opaque { reason });
    }
    for (key, value) in git_given(shell, state, matched, call) {
        config.set(&key, value);
    }
    let asked = asked(shell, state, call, matched, &name, &config);
    let own = Config::load(shell.world, None);
    let texts = git_named(shell, state, &asked, place.as_ref(), &own);
    // A clone has hooks of its own, and no settings of the repository that it is called in.
    let of = place.as_ref().filter(|_| name != "clone");
    let template = git_template(shell, state, call, &asked, &dirs);
    if template == Template::Unknown {
        let reason = "git puts hooks of a directory into the repository that is not known".to_owned();
        shell.emit_as(state, call.span, &call.raw, StepKind::Opaque { reason });
    }
    let hooks = git_hooks(shell, state, &asked, of, &template);
    if let Template::Of(folder) = template {
        state.files.bring_hooks(folder);
    }
    let addresses = asked.addresses();
    let plain = !asked.sets("GIT_SSH_COMMAND") && asked.config.get("core.sshCommand").is_none();
    if plain && asked.is_other_side_by_ssh() {
        crate::programs::ssh::settings(shell, state, call);
    }
    if texts.is_empty() && hooks.is_empty() && addresses.is_empty() {
        return;
    }
    let guard = format!("git hooks of {name}");
    if state.scope.aliases.contains(&guard) {
        return;
    }
    let mut inner = state.scope.through("git");
    inner.aliases.push(guard);
    let (status, cwd) = (state.status, state.cwd.clone());
    let checked_out = git_checks_out(shell, state, &asked, place.as_ref());
    // Both run at the top of the working tree, or in the git directory where there is none.
    if let Some(tree) = git_new_tree(shell, state, &asked, &dirs) {
        state.cwd = tree;
    } else if let Some(place) = &place {
        state.cwd = vec![place.work_tree.clone().unwrap_or_else(|| place.git_dir.clone())];
    }
    for address in addresses {
        git_transport(shell, state, call, &address);
    }
    let outer = compares(shell, state, matched);
    for (text, values) in texts {
        let text = text.concat(&Value::known(" \"$@\""));
        let positional = Positional { open: false, values };
        state.within(&inner, |state| {
            shell.fresh_shell(state, &text, call.span, Value::known("sh"), positional)
        });
    }
    state.variables = outer;
    for hook in hooks {
        let name = hook.to_string_lossy().into_owned();
        let hook = hook_call(call, matched, &name, checked_out.as_ref());
        shell.shell(state, |interp, state| {
            state
                .within(&inner, |state| interp.program_file(state, &name, &hook))
                .unwrap_or_else(|| state.within(&inner, |state| interp.unknown_program(state, &name, &hook)))
        });
    }
    state.cwd = cwd;
    state.status = status;
}

/// What a call asks for, with the settings that hold for it.
fn asked<'a>(
    shell: &Shell<'_>,
    state: &State,
    call: &'a Call,
    matched: &'a Match,
    name: &'a str,
    config: &'a Config,
) -> Asked<'a> {
    // What stands in front of the subcommand is told to git itself.
    let general =
        |at: &usize| matched.options.iter().any(|o| o.level == 0 && (o.index == *at || o.value_index == *at));
    let words = call.arguments().iter().enumerate().filter(|(at, _)| !general(at));
    let words = words.filter_map(|(_, word)| word.arg.value.as_known()).collect();
    let shown = !state.scope.capture && call.opened.is_none();
    let set = shell.exported(state).into_iter().chain(call.environment.iter().cloned());
    let set = set.map(|(name, _)| name).collect();
    Asked { name, matched, words, config, shown, set }
}

/// The call of a hook, with the words that git tells it.
fn hook_call(call: &Call, matched: &Match, name: &str, checked_out: Option<&Value>) -> Call {
    let word = |value: Value| Expansion {
        arg: Arg { value, span: call.span, explicit: true },
        elastic: false,
        unordered: false,
    };
    // A hook is called like a program of its purpose (`pre-commit`), and is none of that name.
    let mut words = vec![word(Value::known(name))];
    if name.ends_with("/commit-msg") || name.ends_with("/applypatch-msg") {
        words.push(word(Value::known(MESSAGE)));
    } else if let Some(flag) = checked_out.filter(|_| name.ends_with("/post-checkout")) {
        // The commits before and after: each may also be none.
        let commit = || word(Value::one_of(vec!["0".repeat(40), "HEAD".to_owned()]));
        words.extend([commit(), commit(), word(flag.clone())]);
    } else if name.ends_with("/prepare-commit-msg") {
        // Where the message comes from, and of which commit; each may be left out.
        let given = matched.has("-m") || matched.has("-F");
        let sources = if given { &["message"][..] } else { &["", "template", "merge", "squash", "commit"] };
        let sources = sources.iter().map(|source| (*source).to_owned()).collect();
        words.extend([Value::known(MESSAGE), Value::one_of(sources)].map(word));
    } else if !NO_WORDS.iter().any(|hook| name.ends_with(hook)) {
        words.push(Expansion { elastic: true, ..word(Value::Unknown) });
    }
    let raw = name.to_owned();
    Call { words, environment: Vec::new(), span: call.span, raw, external: true, opened: None }
}

/// Programs that settings in files name. What a person's own settings name is followed only where it can be read: the
/// editor and the pager of a person, of which nothing is known, are no finding.
fn git_named(
    shell: &Shell<'_>,
    state: &State,
    asked: &Asked<'_>,
    place: Option<&GitDir>,
    own: &Config,
) -> Vec<Started> {
    let mut attributes: Option<Attributes> = None;
    let mut texts = Vec::new();
    for (key, value) in asked.config.iter() {
        // The last one counts, but for helpers, which are asked one after the other.
        let helper = key.starts_with("credential.");
        if !helper && asked.config.get(key) != Some(value) {
            continue;
        }
        let personal = own.iter().any(|(known, text)| known == key && text == value);
        let read = std::cell::RefCell::new(&mut attributes);
        let used = |kind: &str, driver: &str| {
            let mut read = read.borrow_mut();
            let attributes = read.get_or_insert_with(|| git_attributes(shell, state, asked.config, place));
            attributes.names(kind, driver).any(|pattern| git_touches(shell, state, asked, place, pattern))
        };
        let Some(words) = asked.starts(key, value, &used) else { continue };
        let text = if personal { of_a_person(shell, state, value) } else { Some(value.to_owned()) };
        let Some(text) = text else { continue };
        texts.push((Value::known(text.strip_prefix('!').unwrap_or(&text)), words));
    }
    texts
}

/// What of a person's setting is followed: shell text, a script that can be read, or programs that something is known of.
fn of_a_person(shell: &Shell<'_>, state: &State, value: &str) -> Option<String> {
    let first = value.split_whitespace().next().unwrap_or_default();
    let limit = shell.options.limits.script_bytes;
    let script =
        || shell.read_text(state, Path::new(first), limit).is_some_and(|text| text.starts_with("#!"));
    if value.starts_with('!') || first.starts_with('/') && script() {
        return Some(value.to_owned());
    }
    shell.own_command(value)
}
