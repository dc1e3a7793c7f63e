//! Redirections and other plain writes.

use crate::model::{Action, Value};
use crate::shell::{Arg, Mode};

use super::draft::Draft;
use super::scene::{Scene, Word, flag};

/// A redirection opens a file for writing.
pub(super) fn write(
    scene: &Scene<'_>,
    path: &Arg,
    mode: Mode,
    noclobber: bool,
    content: Option<&Value>,
) -> Vec<Draft> {
    let word = Word::new(path.value.clone(), path.explicit);
    match mode {
        Mode::Truncate => {
            let content = content.and_then(Value::as_known).map(str::to_owned);
            vec![overwrite(scene, &word, content, noclobber)]
        }
        Mode::Append => {
            let mut drafts = append(scene, &word);
            let text = content.and_then(Value::as_known).map(str::to_owned);
            for subject in
                drafts.iter_mut().filter_map(|draft| draft.mutation.as_mut()).map(|m| &mut m.subject)
            {
                if let crate::model::Subject::Path(subject) = subject {
                    subject.content.clone_from(&text);
                }
            }
            drafts
        }
        Mode::ReadWrite => {
            let mut mutation = scene.on_path(Action::Update, "file", &word);
            flag(&mut mutation, "in-place", "written from the start, without being emptied");
            vec![Draft::of(mutation)]
        }
    }
}

/// A file is emptied and written.
pub(super) fn overwrite(scene: &Scene<'_>, word: &Word, content: Option<String>, noclobber: bool) -> Draft {
    let mut mutation = scene.on_path(Action::Replace, "file", word);
    if noclobber {
        flag(&mut mutation, "no-clobber", "an existing file is refused");
    }
    flag(&mut mutation, "in-place", "written in place");
    if let crate::model::Subject::Path(subject) = &mut mutation.subject {
        subject.content = content;
    }
    Draft::of(mutation)
}

/// A file is added to: nothing is lost unless it is a device, and a new file is one of this command's.
pub(super) fn append(scene: &Scene<'_>, word: &Word) -> Vec<Draft> {
    let device = scene
        .path(&word.value)
        .as_known()
        .is_some_and(|path| ["/dev/", "/proc/", "/sys/"].iter().any(|place| path.starts_with(place)));
    let action = if device { Action::Update } else { Action::Create };
    let mut mutation = scene.on_path(action, "file", word);
    if device {
        flag(&mut mutation, "in-place", "written in place");
    } else {
        flag(&mut mutation, "append", "written at the end");
    }
    vec![Draft::of(mutation)]
}
