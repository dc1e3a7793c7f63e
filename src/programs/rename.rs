//! `rename` of util-linux, whose new names are a plain replacement; and `vidir`, whose editor says what becomes of files.

use std::path::Path;

use crate::model::{Action, FactValue, Mutation, Subject, Value};
use crate::shell::Invocation;

use crate::effects::program::{Change, Draft, Scene, Word, fact, flag, text_of};

/// See [`Room::Rename`](crate::knowledge::Room::Rename).
pub(super) struct Rename;

impl super::Program for Rename {
    fn does(&self, scene: &Scene<'_>, invocation: &Invocation, declared: Vec<Draft>) -> Vec<Draft> {
        rename(scene, invocation, declared)
    }
}

/// New names as far as they can be told; otherwise what the data says stands.
fn rename(scene: &Scene<'_>, invocation: &Invocation, drafts: Vec<Draft>) -> Vec<Draft> {
    let matched = &invocation.matched;
    match matched.tool.names.first().map(String::as_str) {
        Some("rename.ul") => {}
        Some("vidir") => return edited(invocation, drafts),
        _ => return drafts,
    }
    let text = |name: &str| matched.operand(name).and_then(|word| word.value.as_known());
    let (Some(from), Some(to)) = (text("from"), text("to")) else { return drafts };
    let links = matched.has("-s");
    let files = matched.operands("path");
    if links || from.is_empty() || files.iter().any(|file| scene.only_path(&file.value).is_none()) {
        return drafts;
    }
    let manner = (matched.has("-a"), matched.has("-l"));
    let plan = files.iter().filter_map(|file| {
        let shown = file.value.as_known()?;
        let (dir, name) = shown.rsplit_once('/').map_or(("", shown), |(dir, name)| (dir, name));
        let new = renamed(name, from, to, manner).filter(|new| new != name)?;
        let new = if shown.contains('/') { format!("{dir}/{new}") } else { new };
        let place = scene.only_path(&Value::known(new.as_str()))?;
        let path = scene.only_path(&file.value)?;
        scene.at(&path)?;
        let mut mutation = scene.on_absolute(
            Action::Replace,
            "file",
            Value::Known(text_of(&place)),
            &Word::new(Value::Known(new), false),
        );
        manners(invocation, &mut mutation);
        flag(&mut mutation, "renames", "only the name is taken over");
        if let Subject::Path(subject) = &mut mutation.subject {
            subject.follow = false;
            subject.from = Some(path.clone());
        }
        let kept = (matched.has("-o") || mutation.context.asks) && scene.at(Path::new(&place)).is_some();
        let changes = if kept { Vec::new() } else { vec![Change::Moved { from: path, to: place }] };
        Some(Draft::with(mutation, changes))
    });
    plan.collect()
}

fn manners(invocation: &Invocation, mutation: &mut Mutation) {
    if invocation.matched.has("-o") {
        flag(mutation, "no-clobber", "existing files are left alone");
    } else if invocation.matched.has("-i") {
        mutation.context.asks = true;
        fact(mutation, "asks", FactValue::Bool(true), "asks before it overwrites");
    }
}

/// A name with one text put in another's place: the first, `all` of them, or the `last`.
fn renamed(name: &str, from: &str, to: &str, (all, last): (bool, bool)) -> Option<String> {
    if all {
        return Some(name.replace(from, to));
    }
    let at = if last { name.rfind(from) } else { name.find(from) }?;
    let (before, after) = (name.get(..at)?, name.get(at + from.len()..)?);
    Some(format!("{before}{to}{after}"))
}

/// A person sees the names in the editor first; an editor that the command itself names is no person.
fn edited(invocation: &Invocation, mut drafts: Vec<Draft>) -> Vec<Draft> {
    let named = invocation.environment.iter().any(|(name, _)| matches!(name.as_str(), "EDITOR" | "VISUAL"));
    for mutation in drafts.iter_mut().filter_map(|draft| draft.mutation.as_mut()).filter(|_| !named) {
        mutation.context.asks = true;
        flag(mutation, "asks", "shows the names in an editor first");
    }
    drafts
}

#[cfg(test)]
mod tests {
    use super::renamed;

    #[test]
    fn names() {
        let name = |all, last| renamed("a.a.txt", "a", "b", (all, last));
        assert_eq!(name(false, false).as_deref(), Some("b.a.txt"));
        assert_eq!(name(false, true).as_deref(), Some("a.b.txt"));
        assert_eq!(name(true, false).as_deref(), Some("b.b.txt"));
        assert_eq!(renamed("x", "a", "b", (false, false)), None);
    }
}
