//! Which paths a question is about, in our words, and how what stands there goes.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use super::super::files::Way;
use super::kernel::{Act, Named, Question};
use super::places;

/// A name of a question, in our words, the way to it resolved.
pub(super) fn name(question: &Question, named: Named) -> Option<PathBuf> {
    places::named(question.thread, named).and_then(|path| places::name(&path))
}

/// The name that a file has, and the further one that it gets. None where the system is going to refuse that.
pub(super) fn linked(
    question: &Question,
    from: Named,
    to: Named,
    through: bool,
) -> Option<(PathBuf, PathBuf)> {
    let from = match through {
        true => places::named(question.thread, from).and_then(|path| places::end(&path))?,
        false => name(question, from)?,
    };
    let to = name(question, to)?;
    let is_file = fs::symlink_metadata(&from).is_ok_and(|meta| meta.is_file());
    (is_file && fs::symlink_metadata(&to).is_err()).then_some((from, to))
}

/// What gets another name: the old one, and the new one. None where the system is going to refuse that.
pub(super) fn renamed(question: &Question) -> Option<(PathBuf, PathBuf)> {
    let Some(Act::Rename(from, to, alone)) = question.act else { return None };
    let (from, to) = (name(question, from)?, name(question, to)?);
    let goes = fs::symlink_metadata(&from).ok()?;
    let device = fs::symlink_metadata(to.parent()?).ok()?.dev();
    let fits = match fs::symlink_metadata(&to) {
        Err(_) => true,
        Ok(_) if alone => false,
        Ok(stands) if goes.is_dir() => {
            stands.is_dir() && fs::read_dir(&to).is_ok_and(|mut entries| entries.next().is_none())
        }
        Ok(stands) => !stands.is_dir(),
    };
    (fits && device == goes.dev()).then_some((from, to))
}

/// What a question is about: paths, and how what stands there goes.
pub(super) fn touched(question: &Question) -> Vec<(PathBuf, Way)> {
    let thread = question.thread;
    let some = |path: Option<PathBuf>, way| path.map(|path| (path, way)).into_iter().collect();
    match question.act {
        // A link is followed. A directory is opened for writing only to make a file in it that has no name (`O_TMPFILE`).
        Some(Act::Write(named)) => {
            let path = places::named(thread, named).and_then(|path| places::end(&path));
            some(path.filter(|path| path.is_file()), Way::Content)
        }
        Some(Act::Cut(descriptor)) => some(places::opened(thread, descriptor), Way::Content),
        Some(Act::Remove(named)) => some(name(question, named), Way::Name),
        Some(Act::Rename(..)) => {
            let Some((from, to)) = renamed(question) else { return Vec::new() };
            // It lives on under its other name, unless nothing lasts there. Where that name comes back to what it was, it
            // lives on nowhere.
            let away = (places::is_fleeting(&to) || to.is_file()).then_some((from, Way::Content));
            std::iter::once((to, Way::Name)).chain(away).collect()
        }
        // Each lives on, but under the other's name.
        Some(Act::Exchange(one, other)) => {
            let names = [one, other].into_iter().filter_map(|named| name(question, named));
            names.filter(|path| path.is_file()).map(|path| (path, Way::Content)).collect()
        }
        Some(Act::Rights(named)) => {
            some(places::named(thread, named).and_then(|path| places::end(&path)), Way::Rights)
        }
        Some(Act::RightsOf(descriptor)) => some(places::opened(thread, descriptor), Way::Rights),
        Some(Act::Link(..) | Act::Read(..) | Act::Add(_)) | None => Vec::new(),
    }
}
