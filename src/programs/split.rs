//! `split` and `csplit`: names made by counting up from the first one.

use std::path::PathBuf;

use crate::knowledge::Match;
use crate::model::{Subject, Value};
use crate::shell::Invocation;
use crate::shell::program::{Flow, Run, Shell, State};

use crate::effects::program::{Draft, Scene, text_of};

/// See [`Room::Split`](crate::knowledge::Room::Split).
pub(super) struct Split;

impl super::Program for Split {
    fn does(&self, scene: &Scene<'_>, invocation: &Invocation, declared: Vec<Draft>) -> Vec<Draft> {
        split(scene, invocation, declared)
    }

    fn runs(&self, shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>) -> Option<Flow> {
        let filter = run.matched.value("--filter")?;
        let inner = state.scope.through(run.name);
        state.within(&inner, |state| filtered(shell, state, run, filter));
        shell.unknown_result(state);
        Some(Flow::Next)
    }
}

/// The variable in which a filter finds the piece's name.
const FILE: &str = "FILE";

/// `--filter`: a command for each piece. The first ones, and those whose name something there has.
fn filtered(shell: &mut Shell<'_>, state: &mut State, run: &Run<'_>, filter: &Value) {
    let base = run.matched.operand("prefix").map_or(Value::known("x"), |bound| bound.value.clone());
    let before = shell.scalar(state, FILE);
    let mut pieces = vec![base.concat(&Value::Unknown)];
    if let (Some(text), Some(names)) = (base.as_known(), base.as_known().map(|base| names(run.matched, base)))
    {
        let there = shell.pattern_names(state, &format!("{text}*"));
        if let (Some(names), Some(there)) = (names, there) {
            let taken = |name: &String| there.iter().any(|there| there.starts_with(name.as_str()));
            let first = names.iter().take(PIECES);
            let further = names.iter().skip(PIECES).filter(|name| taken(name)).take(PIECES);
            pieces = first.chain(further).cloned().map(Value::Known).collect();
        }
    }
    for piece in pieces {
        shell.assign_scalar(state, FILE, piece);
        shell.export(state, FILE);
        shell.fresh_shell(state, filter, run.call.span, Value::known("sh"), Default::default());
    }
    shell.assign_scalar(state, FILE, before.unwrap_or_else(|| Value::known("")));
}

/// Most pieces whose filter is followed.
const PIECES: usize = 32;

/// Most names of one command that are looked at.
const NAMES: usize = 1000;

/// The declared draft names the first piece, as it is called without further options; every piece that exists already is
/// overwritten.
fn split(scene: &Scene<'_>, invocation: &Invocation, drafts: Vec<Draft>) -> Vec<Draft> {
    let mut all = Vec::new();
    for mut draft in drafts {
        let declared = draft.mutation.as_ref().and_then(|mutation| match &mutation.subject {
            Subject::Path(subject) => subject.path.as_known().map(str::to_owned),
            _ => None,
        });
        // The declaration ends in two places of a counter.
        let base = declared.as_deref().and_then(|path| path.get(..path.len().saturating_sub(2)));
        let names = base.map(|base| names(&invocation.matched, base));
        if names.as_ref().is_some_and(|names| names.as_ref().is_some_and(Vec::is_empty)) {
            continue;
        }
        let Some(mutation) = &mut draft.mutation else { continue };
        let Subject::Path(subject) = &mut mutation.subject else { continue };
        let (first, further) = match names {
            Some(Some(names)) => {
                let mut names = names.into_iter();
                (names.next().map(Value::Known), names.collect())
            }
            // How the pieces are called cannot be told.
            Some(None) => (base.map(|base| Value::known(base).concat(&Value::Unknown)), Vec::new()),
            None => (None, Vec::new()),
        };
        if let Some(first) = first {
            if Some(&first) != declared.map(Value::Known).as_ref() {
                subject.shown = first.display();
                mutation.target.id = first.display();
                mutation.target.name = None;
            }
            subject.path = first;
        }
        let more = further.into_iter().filter(|path| scene.at(&PathBuf::from(path)).is_some()).map(|text| {
            let mut other = mutation.clone();
            if let Subject::Path(subject) = &mut other.subject {
                subject.shown.clone_from(&text);
                subject.path = Value::Known(text_of(&PathBuf::from(&text)));
                subject.explicit = false;
            }
            other.target.id = text;
            other.target.name = None;
            Draft::of(other)
        });
        let more: Vec<_> = more.collect();
        all.push(draft);
        all.extend(more);
    }
    all
}

/// The names of all pieces; `None` where options say something that is not understood.
fn names(matched: &Match, base: &str) -> Option<Vec<String>> {
    let number = |key: &str, otherwise: usize| match matched.value(key) {
        Some(value) => value.as_known()?.parse().ok(),
        None => Some(otherwise),
    };
    if matched.tool.names.iter().any(|name| name == "csplit") {
        let width = number("-n", 2)?;
        return match matched.value("-b") {
            None => Some(counted(base, "", width, (10, 0))),
            Some(format) => formatted(base, format.as_known()?),
        };
    }
    let end = match matched.value("--additional-suffix") {
        Some(value) => value.as_known()?,
        None => "",
    };
    let width = match number("-a", 2)? {
        0 => 2,
        width => width,
    };
    for (key, radix) in [("--numeric-suffixes", 10), ("--hex-suffixes", 16)] {
        if matched.has(key) {
            return Some(counted(base, end, width, (radix, number(key, 0)?)));
        }
    }
    let radix = if matched.has("-x") { 16 } else { 10 };
    if matched.has("-x") || matched.has("-d") {
        return Some(counted(base, end, width, (radix, 0)));
    }
    let letters = |mut number: usize| {
        let mut text = vec!['a'; width.min(8)];
        for place in text.iter_mut().rev() {
            *place = char::from(b'a' + u8::try_from(number % 26).unwrap_or_default());
            number /= 26;
        }
        text.into_iter().collect::<String>()
    };
    let most = 26_usize.saturating_pow(u32::try_from(width).unwrap_or(u32::MAX)).min(NAMES);
    Some((0..most).map(|number| format!("{base}{}{end}", letters(number))).collect())
}

fn counted(base: &str, end: &str, width: usize, (radix, first): (usize, usize)) -> Vec<String> {
    let width = width.min(20);
    let most = radix.saturating_pow(u32::try_from(width).unwrap_or(u32::MAX));
    let numbers = (first..most.max(first + 1)).take(NAMES);
    if radix == 16 {
        numbers.map(|number| format!("{base}{number:0width$x}{end}")).collect()
    } else {
        numbers.map(|number| format!("{base}{number:0width$}{end}")).collect()
    }
}

/// Names by a format of `printf` with one number in it.
fn formatted(base: &str, format: &str) -> Option<Vec<String>> {
    // Without a place for the number it refuses to begin.
    let Some((before, rest)) = format.split_once('%') else { return Some(Vec::new()) };
    let at = rest.find(|c: char| c.is_ascii_alphabetic())?;
    let (spec, rest) = rest.split_at_checked(at)?;
    let radix = match rest.chars().next()? {
        'd' | 'i' | 'u' => 10,
        'x' => 16,
        _ => return None,
    };
    let end = rest.get(1..)?;
    let digits = match spec.strip_prefix('0').or_else(|| spec.strip_prefix('.')) {
        Some(width) => width.parse().ok()?,
        None if spec.is_empty() => 1,
        None => return None,
    };
    if end.contains('%') || before.contains('%') {
        return None;
    }
    let base = format!("{base}{before}");
    let count = |number: usize| match radix {
        16 => format!("{base}{number:0digits$x}{end}"),
        _ => format!("{base}{number:0digits$}{end}"),
    };
    (digits <= 20).then(|| (0..NAMES).map(count).collect())
}

#[cfg(test)]
mod tests {
    use super::{counted, formatted};

    #[test]
    fn names_of_pieces() {
        assert_eq!(counted("x", ".py", 1, (10, 1))[..2], ["x1.py", "x2.py"]);
        assert_eq!(counted("x", "", 2, (16, 0))[10..12], ["x0a", "x0b"]);
        assert_eq!(formatted("c", "%d.tmp").unwrap()[..2], ["c0.tmp", "c1.tmp"]);
        assert_eq!(formatted("c", "-%03x").unwrap()[10], "c-00a");
        assert_eq!(formatted("c", "%s"), None);
        assert_eq!(formatted("c", "none"), Some(Vec::new()));
    }
}
