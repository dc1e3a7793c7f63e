//! Compose files: what services run, how they are looked after, and images that are described in place.
//!
//! Facts: <https://docs.docker.com/reference/compose-file/services/>. `command` and `entrypoint` are words, as a list or as a
//! text that is taken apart without a shell; `$$` stands for `$`, `${NAME}` is put in before.

use std::rc::Rc;

use super::align::{filled, lines};
use super::{Found, Piece, Runs, UNKNOWN, docker};
use crate::yaml::Node;

/// Reads a Compose file.
pub(super) fn read(text: &str) -> Found {
    let mut found = Found::default();
    let source: Vec<&str> = text.split('\n').collect();
    let Some(document) = found.yaml(text) else { return found };
    for (name, service) in document.get("services").map_or(&[][..], |all| all.entries()) {
        let mut put = |what: &str, node: &Rc<Node>, shell: bool| {
            found.pieces.extend(piece(&source, &format!("{}, {what}", name.name), node, shell));
        };
        for what in ["entrypoint", "command"] {
            if let Some(node) = service.get(what) {
                put(what, node, false);
            }
        }
        for hook in ["post_start", "pre_stop"] {
            for one in service.get(hook).map_or(&[][..], |hooks| hooks.items()) {
                if let Some(command) = one.get("command") {
                    put(hook, command, false);
                }
            }
        }
        if let Some(test) = service.at(&["healthcheck", "test"]) {
            put("healthcheck", test, true);
        }
        if let Some(inline) = service.at(&["build", "dockerfile_inline"])
            && let Some(text) = inline.text()
        {
            let at = lines(&source, inline);
            let mut inner = docker::read(text);
            for piece in &mut inner.pieces {
                piece.lines = piece.lines.through(text, &at);
            }
            found.pieces.append(&mut inner.pieces);
            found.unread.append(&mut inner.unread);
        }
    }
    found
}

/// The words or the text of one value.
fn piece(source: &[&str], label: &str, node: &Rc<Node>, healthcheck: bool) -> Option<Piece> {
    let at = lines(source, node);
    let words = |text: &str| {
        Some(text.replace("$$", "\u{1}"))
            .filter(|text| !text.contains('$'))
            .map(|text| text.replace('\u{1}', "$"))
    };
    let mut piece = Piece::shell(label, String::new(), at.clone());
    piece.directory = None;
    let Some(text) = node.text() else {
        let mut items = node.items().iter();
        if healthcheck {
            match items.next()?.text()? {
                "CMD" => {}
                "CMD-SHELL" => {
                    let text = items.next()?;
                    let at = lines(source, text);
                    let (text, at) = shell_text(text.text()?, &at);
                    piece.runs = Runs::Shell(super::Dialect::Bash, text);
                    piece.lines = at;
                    return Some(piece);
                }
                _ => return None,
            }
        }
        let given: Vec<Option<String>> = items.map(|item| item.text().and_then(words)).collect();
        // Options alone go to the program of the image.
        let first = given.first()?;
        if first.as_ref().is_some_and(|first| first.starts_with('-')) {
            return None;
        }
        piece.runs = Runs::Words(given);
        return Some(piece);
    };
    let (text, at) = shell_text(text, &at);
    if text.trim_start().starts_with('-') || text.trim().is_empty() {
        return None;
    }
    // Taken apart as a shell would, but operators mean nothing: what has none is the same as shell text.
    piece.runs = match shell_words::split(&text) {
        Ok(words) if !healthcheck => {
            let known = |word: String| Some(word).filter(|word| !word.contains(&format!("${{{UNKNOWN}}}")));
            Runs::Words(words.into_iter().map(known).collect())
        }
        _ => Runs::Shell(super::Dialect::Bash, text),
    };
    piece.lines = at;
    Some(piece)
}

/// A text with the variables of Compose put aside, which are not those of the container.
fn shell_text(text: &str, at: &super::Lines) -> (String, super::Lines) {
    let marked = text.replace("$$", "\u{1}\u{1}");
    let unknown = |_: &str| format!("${{{UNKNOWN}}}");
    let (filled, at) = filled(&marked, at, ("${", "}"), &unknown);
    (filled.replace("\u{1}\u{1}", "$"), at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_run_words_and_texts() {
        let text = "services:\n  db:\n    image: x\n    entrypoint: [sh, -c, 'rm -rf $$DATA']\n    command: psql -c 'drop table x'\n    healthcheck:\n      test: [CMD-SHELL, 'curl x || rm y']\n  web:\n    command: [--port, '80']\n    build:\n      dockerfile_inline: |\n        FROM a\n        RUN rm -rf /x\n";
        let found = read(text);
        let shown: Vec<String> = found
            .pieces
            .iter()
            .map(|piece| format!("{} {} {:?}", piece.lines.first(), piece.label, piece.runs))
            .collect();
        assert_eq!(shown.len(), 4, "{shown:?}");
        assert!(shown[0].starts_with("4 db, entrypoint") && shown[0].contains("rm -rf $DATA"), "{shown:?}");
        assert!(shown[1].contains("drop table x") && shown[2].contains("rm y"), "{shown:?}");
        assert!(shown[3].starts_with("13 RUN"), "{shown:?}");
    }
}
