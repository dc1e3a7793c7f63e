//! Unpacking: which archive goes where, for the probe that lists its members.

use std::path::{Path, PathBuf};

use crate::knowledge::Match;
use crate::model::{FactValue, Mutation, Subject, Value};
use crate::shell::{Invocation, Stdin};

use super::backup;
use crate::effects::program::{Draft, Scene, directories, fact, flag, packing, text_of};

/// See [`Room::Extract`](crate::knowledge::Room::Extract).
pub(super) struct Extract;

impl super::Program for Extract {
    fn does(&self, scene: &Scene<'_>, invocation: &Invocation, declared: Vec<Draft>) -> Vec<Draft> {
        extract(scene, invocation, declared)
    }
}

/// Adds to drafts of kind `archive.extract` the archive, the members asked for and how existing files are treated. Other
/// drafts stay as they are.
fn extract(scene: &Scene<'_>, invocation: &Invocation, drafts: Vec<Draft>) -> Vec<Draft> {
    chained(scene, invocation, drafts)
        .into_iter()
        .map(|mut draft| {
            if let Some(mutation) = draft.mutation.as_mut().filter(|m| m.kind == "archive.extract") {
                let named = archive(scene, invocation);
                packing::of_archive(scene, mutation, named.as_deref());
                if named.is_none() && matches!(invocation.stdin, Stdin::Text(_) | Stdin::Unknown) {
                    if let Some(packing) = scene.files.packings.pipe() {
                        packing::tell(mutation, packing);
                    }
                    if let [only] = scene.files.stream() {
                        let about = "what comes through the pipe is made of this";
                        fact(mutation, "archive.piped", FactValue::Text(text_of(only)), about);
                    }
                }
                told(scene, invocation, mutation);
            }
            draft
        })
        .collect()
}

/// Each `-C` counts from the one before: where no member stands between them, all goes into the last.
fn chained(scene: &Scene<'_>, invocation: &Invocation, drafts: Vec<Draft>) -> Vec<Draft> {
    let matched = &invocation.matched;
    let is_one = |draft: &Draft| draft.mutation.as_ref().is_some_and(|m| m.kind == "archive.extract");
    if !is_tar(matched) || matched.values("-C").len() < 2 || !matched.operands.is_empty() {
        return drafts;
    }
    let dirs = directories(scene, matched);
    let [dir] = dirs.as_slice() else { return drafts };
    let (mut unpacks, mut others): (Vec<Draft>, Vec<Draft>) = drafts.into_iter().partition(is_one);
    let Some(mut last) = unpacks.pop() else { return others };
    if let Some(Subject::Path(subject)) = last.mutation.as_mut().map(|mutation| &mut mutation.subject) {
        subject.path = Value::known(text_of(dir));
    }
    others.push(last);
    others
}

/// What the options say of which members are unpacked, and how.
fn told(scene: &Scene<'_>, invocation: &Invocation, mutation: &mut Mutation) {
    let matched = &invocation.matched;
    if let Some(excluded) = excluded(matched) {
        let about = "these are left out, one a line";
        fact(mutation, "excluded", FactValue::Text(excluded), about);
    }
    if let Some(members) = members(matched) {
        fact(mutation, "members", FactValue::Text(members), "only these are unpacked, one a line");
    }
    if let Some(strip) = matched.value("--strip-components").and_then(Value::as_known)
        && let Ok(strip) = strip.parse::<i64>()
    {
        fact(mutation, "strip", FactValue::Number(strip), "leading directories taken off each name");
    }
    top_level(matched, mutation);
    if is(matched, &["unzip"]) {
        flag(mutation, "inward", "of names that lead out of the directory the rest counts");
    }
    if is(matched, &["unzip"]) && matched.has("-C") {
        flag(mutation, "any-case", "members are found whatever their case");
    }
    if matched.has("--transform") || matched.has("-s") && is_tar(matched) {
        flag(mutation, "transform", "names are changed on the way");
    }
    if matched.has("-P") && is_tar(matched)
        || is(matched, &["unzip"]) && matched.has("-:")
        || full_names(matched)
    {
        flag(mutation, "absolute", "names lead to where they say, also outside the directory");
    }
    if is_tar(matched) || is(matched, &["unzip"]) {
        overwriting(scene, invocation, mutation);
    }
    if is_flat(matched) {
        flag(mutation, "flat", "directories inside the archive are not made");
    }
    if is_tar(matched) && (matched.has("-G") || matched.has("-g")) {
        flag(mutation, "clears", "of directories that are members what the archive does not list is deleted");
        flag(mutation, "transform", "directories lose what the archive does not list");
    }
    if is_tar(matched) && matched.has("--recursive-unlink") {
        flag(mutation, "clears", "what stands in the way of a member goes with all below it");
        // Then directories that are members are emptied first, and no list names those.
        if matched.has("-U") {
            flag(mutation, "transform", "directories are emptied on the way");
        }
    }
}

/// All goes into one directory: one that is named, or one of the archive's own name.
fn top_level(matched: &Match, mutation: &mut Mutation) {
    let about = "unpacked into a directory of its own";
    match matched.value("--one-top-level") {
        Some(Value::Known(dir)) if !dir.is_empty() => {
            fact(mutation, "one-top-level", FactValue::Text(dir.clone()), about);
        }
        None if matched.has("--one-top-level") => flag(mutation, "one-top-level", about),
        None => {}
        Some(_) => flag(mutation, "transform", "names are changed on the way"),
    }
}

fn overwriting(scene: &Scene<'_>, invocation: &Invocation, mutation: &mut Mutation) {
    let matched = &invocation.matched;
    let tar = is_tar(matched);
    let keeps = if tar {
        ["-k", "--keep-old-files", "--skip-old-files"].iter().any(|key| matched.has(key))
    } else {
        matched.has("-n")
    };
    if keeps {
        flag(mutation, "no-clobber", "existing files are left alone");
    }
    if tar && matched.has("--keep-newer-files") || !tar && (matched.has("-u") || matched.has("-f")) {
        flag(mutation, "update-only", "newer files are left alone");
    }
    if tar && backs_up(scene, invocation, mutation) || !tar && matched.has("-B") {
        flag(mutation, "backup", "existing files are kept under another name");
        if tar && let Some((suffix, plain)) = backup::plain(invocation) {
            fact(mutation, "backup-suffix", FactValue::Text(suffix), "backups get this behind their names");
            if plain {
                flag(mutation, "backup-plain", "whether or not numbered ones are there");
            }
        }
    }
    // Without -o unzip asks about each file that exists.
    if !tar && !keeps && !matched.has("-o") {
        mutation.context.asks = true;
        flag(mutation, "asks", "asks before it overwrites");
    }
}

/// Whether tar keeps all that it overwrites. Plain backups of what this command unpacked there before would take the place of
/// those that it made then.
fn backs_up(scene: &Scene<'_>, invocation: &Invocation, mutation: &Mutation) -> bool {
    let Some(naming) = backup::naming(invocation) else { return false };
    let Subject::Path(subject) = &mutation.subject else { return false };
    let again = subject.path.as_known().is_none_or(|path| scene.files.is_altered(Path::new(path)));
    naming == backup::Naming::Numbered || !again
}

fn is(matched: &Match, names: &[&str]) -> bool {
    matched.tool.names.iter().any(|name| names.contains(&name.as_str()))
}

/// Whether all members land in one directory.
fn is_flat(matched: &Match) -> bool {
    let typed = matched.typed.last().map(String::as_str);
    match is(matched, &["unzip"]) {
        true => matched.has("-j"),
        false => matched.path.len() > 1 && typed == Some("e"),
    }
}

/// 7-Zip's `-spf`: members go where their names say.
fn full_names(matched: &Match) -> bool {
    let told = matched.values("-s").into_iter().filter_map(Value::as_known);
    is(matched, &["7z"]) && told.into_iter().any(|how| how.starts_with("pf"))
}

fn is_tar(matched: &Match) -> bool {
    is(matched, &["tar", "bsdtar"])
}

/// The archive's absolute path. `None`: standard input from who knows where.
fn archive(scene: &Scene<'_>, invocation: &Invocation) -> Option<PathBuf> {
    let matched = &invocation.matched;
    let named = matched
        .operand("archive")
        .map(|binding| &binding.value)
        .or_else(|| matched.value("-f"))
        .or_else(|| matched.value("-F"))
        .or_else(|| matched.value("-I"))
        .filter(|value| value.as_known() != Some("-"));
    let value = match (named, &invocation.stdin) {
        (Some(value), _) => value,
        (None, Stdin::File(path)) => path,
        _ => return None,
    };
    scene.only_path(value)
}

/// Where unzip's list of members to leave out begins: it goes on to the end.
fn exclusions(matched: &Match) -> Option<usize> {
    if !is(matched, &["unzip"]) {
        return None;
    }
    matched.options.iter().find(|option| option.key == "-x").map(|option| option.index)
}

fn excluded(matched: &Match) -> Option<String> {
    // A plain name leaves out the member of exactly that name, whatever else it leaves out.
    if is_tar(matched) {
        let names = matched.values("--exclude").into_iter().filter_map(Value::as_known);
        let names: Vec<_> = names.filter(|name| !name.contains(['*', '?', '[', '\\'])).collect();
        return (!names.is_empty()).then(|| names.join("\n"));
    }
    let from = exclusions(matched)?;
    let first = matched.value("-x")?.as_known()?;
    let rest = matched.operands.iter().filter(|b| b.name == "member" && b.index > from);
    let names =
        std::iter::once(Some(first)).chain(rest.map(|b| b.value.as_known())).collect::<Option<Vec<_>>>()?;
    // Patterns are not compared: what they may leave out still counts.
    let names: Vec<_> = names.into_iter().filter(|name| !name.contains(['*', '?', '['])).collect();
    (!names.is_empty()).then(|| names.join("\n"))
}

fn members(matched: &Match) -> Option<String> {
    let end = exclusions(matched).unwrap_or(usize::MAX);
    let names = matched
        .operands
        .iter()
        .filter(|b| matches!(b.name.as_str(), "member" | "pattern") && b.index < end)
        .map(|b| b.value.as_known())
        .collect::<Option<Vec<_>>>()?;
    (!names.is_empty()).then(|| names.join("\n"))
}
