//! Files in which programs keep their own settings and logins: some of their commands write those anew, secrets and all.
//!
//! Owns that the files are named. Which program keeps what where stands in the knowledge.

use std::path::Path;

use crate::knowledge::places;
use crate::model::{Action, Value};
use crate::shell::Arg;

use super::draft::Draft;
use super::paths::text_of;
use super::scene::{Scene, Word};

/// Kind of such a file.
const SETTINGS: &str = "tool.settings";
/// Words that are looked at.
const WORDS: usize = 8;

/// The settings that a call writes anew, of those that are there.
pub(super) fn rewritten(scene: &Scene<'_>, name: &str, args: &[Arg]) -> Vec<Draft> {
    if scene.step.context.host.is_some() {
        return Vec::new();
    }
    let name = name.rsplit('/').next().unwrap_or(name);
    let words = args.iter().skip(1).filter_map(|arg| arg.value.as_known());
    let words: Vec<&str> = words.filter(|word| !word.starts_with('-')).take(WORDS).collect();
    let files = places().settings(name, &words);
    files.filter_map(|file| one(scene, file)).collect()
}

fn one(scene: &Scene<'_>, file: &str) -> Option<Draft> {
    let shown = match file.strip_prefix("~/") {
        Some(rest) => text_of(&scene.home()?.join(rest)),
        None => file.to_owned(),
    };
    let word = Word::new(Value::known(shown), false);
    let path = scene.only_path(&word.value)?;
    is_there(scene, &path).then(|| Draft::of(scene.on_path(Action::Update, SETTINGS, &word)))
}

fn is_there(scene: &Scene<'_>, path: &Path) -> bool {
    scene.at(path).is_some() && !scene.is_directory(path)
}
