//! Which recovery point is meant when none is named.

use std::collections::HashMap;
use std::path::Path;

use crate::keep::{Head, Made, PointName, Store};

use super::{Undo, UndoError};

/// Points that are compared with what stands there, at most.
const LOOKED: usize = 20;

/// Which point `undo` without an id means: the last of this session, else the last in this place.
///
/// # Errors
/// When there is none, or the store cannot be read.
pub fn last(store: &Store, session: Option<&str>, cwd: &Path) -> Result<PointName, UndoError> {
    let names = store.names()?;
    let mut here = None;
    let mut looked = 0;
    let mut heads = HashMap::new();
    for name in &names {
        if store.is_marked(name, "undone") {
            continue;
        }
        let Ok(head) = store.head(name) else { continue };
        if is_of_an_undo(&head, store, &names, &mut heads) {
            continue;
        }
        let of_session = session.is_some() && head.session.as_deref() == session;
        let of_place = here.is_none() && (head.cwd.0.starts_with(cwd) || cwd.starts_with(&head.cwd.0));
        // What was kept before something that then changed nothing is not what anybody means.
        if !(of_session || of_place) || looked < LOOKED && is_as_it_was(store, name, &mut looked) {
            continue;
        }
        if of_session {
            return Ok(name.clone());
        }
        here = Some(name.clone());
    }
    here.ok_or(UndoError::Nothing)
}

/// Whether all that a point holds stands there as it was. A point that cannot be read is not passed over: that is said.
fn is_as_it_was(store: &Store, name: &PointName, looked: &mut usize) -> bool {
    *looked += 1;
    Undo::of(store.clone(), name.clone()).is_ok_and(|undo| undo.is_done())
}

/// Whether taking it back would do a command again, instead of taking one back: an undo of an undo does what the command did,
/// and can be taken back like one.
fn is_of_an_undo(
    head: &Head,
    store: &Store,
    names: &[PointName],
    heads: &mut HashMap<String, Option<String>>,
) -> bool {
    let mut undo = false;
    let mut made = match &head.made {
        Made::ForUndo(of) => Some(of.clone()),
        _ => None,
    };
    // Each was made before the one that names it; a forged ring ends too.
    for _ in 0..names.len() {
        let Some(of) = made else { break };
        undo = !undo;
        let next = heads.entry(of.clone()).or_insert_with(|| {
            let name = names.iter().find(|name| name.id() == of)?;
            match store.head(name).ok()?.made {
                Made::ForUndo(of) => Some(of),
                _ => None,
            }
        });
        made = next.clone();
    }
    undo
}

/// Which point `undo --redo` means: what the last undo replaced, of this session, else in this place.
///
/// # Errors
/// When there is none, or the store cannot be read.
pub fn last_undo(store: &Store, session: Option<&str>, cwd: &Path) -> Result<PointName, UndoError> {
    for name in store.names()? {
        let Ok(head) = store.head(&name) else { continue };
        let ours = session.is_some() && head.session.as_deref() == session
            || head.cwd.0.starts_with(cwd)
            || cwd.starts_with(&head.cwd.0);
        let Made::ForUndo(of) = &head.made else { continue };
        if !ours || store.is_marked(&name, "undone") {
            continue;
        }
        // What a redo replaced that was killed half-way: the redo is meant, and goes on.
        let begun = store.find(of).ok().filter(|of| store.is_marked(of, "underway"));
        let redo = begun.filter(|of| store.head(of).is_ok_and(|head| matches!(head.made, Made::ForUndo(_))));
        return Ok(redo.unwrap_or(name));
    }
    Err(UndoError::Nothing)
}
