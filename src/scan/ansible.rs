//! Ansible: tasks that hand a text to a shell or words to a program.
//!
//! Facts: <https://docs.ansible.com/projects/ansible/latest/collections/ansible/builtin/shell_module.html> and those of
//! `command`, `raw` and `script` beside it. Tasks stand in plays, in files of roles, and in blocks; what `{{ }}` gives is
//! put in before.

use std::rc::Rc;

use super::align::{filled, lines};
use super::{Found, GIVEN, Lines, Piece, Runs};
use crate::yaml::{self, Node};

/// Blocks within each other deeper than this are not followed.
const DEPTH: usize = 24;
/// Where tasks stand in a play or block.
const LISTS: [&str; 7] = ["tasks", "pre_tasks", "post_tasks", "handlers", "block", "rescue", "always"];
/// What modules do with their text.
const MODULES: [(&str, How); 4] =
    [("shell", How::Shell), ("raw", How::Shell), ("command", How::Words), ("script", How::Words)];
/// Collections that modules are named with.
const COLLECTIONS: [&str; 3] = ["ansible.builtin.", "ansible.legacy.", ""];

#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    Shell,
    Words,
}

/// Whether a file holds plays or tasks.
pub(super) fn is_one(path: &str, text: &str) -> bool {
    let folder = |name: &str| path.starts_with(&format!("{name}/")) || path.contains(&format!("/{name}/"));
    let role = ["tasks", "handlers"].into_iter().any(folder);
    let play = text.lines().any(|line| {
        let line = line.strip_prefix("- ").unwrap_or(line.strip_prefix("  ").unwrap_or("")).trim_start();
        line.starts_with("hosts:")
    });
    let modules = || MODULES.iter().any(|(name, _)| text.contains(&format!("{name}:")));
    (role || play || path.contains("playbook")) && modules()
}

/// Reads a playbook or a file of tasks.
pub(super) fn read(text: &str) -> Found {
    let mut found = Found::default();
    let source: Vec<&str> = text.split('\n').collect();
    match yaml::documents(text) {
        Ok(documents) => {
            for document in documents {
                list(&mut found, &source, &document, 0);
            }
        }
        Err(error) => found.unread(Some(error.line), format!("no YAML that is read: {}", error.what)),
    }
    found
}

fn list(found: &mut Found, source: &[&str], node: &Rc<Node>, depth: usize) {
    for item in node.items() {
        if depth > DEPTH {
            return found.unread(Some(node.line), "blocks are nested too deep");
        }
        for inner in LISTS.iter().filter_map(|key| item.get(key)) {
            list(found, source, inner, depth + 1);
        }
        task(found, source, item);
    }
}

fn task(found: &mut Found, source: &[&str], task: &Rc<Node>) {
    for (module, how) in MODULES {
        let names = COLLECTIONS.map(|collection| format!("{collection}{module}"));
        let node = names.iter().find_map(|name| task.get(name));
        // `action: shell …` and `local_action: …` name the module in the text.
        let Some(node) = node else { continue };
        let label = task.get("name").and_then(|name| name.text()).unwrap_or(module).to_owned();
        let chdir = node.get("chdir").or_else(|| task.at(&["args", "chdir"])).and_then(|dir| dir.text());
        let (text, argv) = match node.text() {
            Some(_) => (Some(node), None),
            None => (node.get("cmd").or_else(|| node.get("_raw_params")), node.get("argv")),
        };
        let mut piece = Piece::shell(label, String::new(), Lines::at(node.line, node.column));
        piece.directory = None;
        if let Some(argv) = argv {
            let word = |item: &Rc<Node>| item.text().filter(|text| !text.contains("{{")).map(str::to_owned);
            piece.runs = Runs::Words(argv.items().iter().map(word).collect());
            found.pieces.push(piece);
            continue;
        }
        let Some((node, text)) = text.and_then(|node| Some((node, node.text()?))) else { continue };
        let at = lines(source, node);
        let (text, at) = filled(text, &at, ("{{", "}}"), &|_| format!("${{{GIVEN}}}"));
        let (text, at) = without(&text, &at, ("{%", "%}"));
        let (text, inline) = settings(&text);
        piece.lines = at;
        piece.runs = match (how, shell_words::split(&text)) {
            (How::Words, Ok(words)) => {
                let known = |word: String| Some(word).filter(|word| !word.contains(&format!("${{{GIVEN}}}")));
                Runs::Words(words.into_iter().map(known).collect())
            }
            _ => Runs::Shell(super::Dialect::Bash, text.clone()),
        };
        if how == How::Words && text.contains(GIVEN) {
            // A word that is known in part says more as text; operators mean nothing to the module, and there are none.
            let plain = !text.contains([';', '|', '&', '<', '>', '`', '(', '#', '\n']);
            if plain {
                piece.runs = Runs::Shell(super::Dialect::Bash, text);
            }
        }
        if let Some(dir) = chdir.map(str::to_owned).or(inline).filter(|dir| !dir.contains("{{")) {
            piece.directory = Some(dir);
        }
        found.pieces.push(piece);
    }
}

/// A text without what stands between two marks: conditions of a template, whose ways are all read.
fn without(text: &str, at: &Lines, marks: (&str, &str)) -> (String, Lines) {
    filled(text, at, marks, &|_| String::new())
}

/// The text without `creates=…`, `chdir=…` and the like in front of it; the directory that they name.
fn settings(text: &str) -> (String, Option<String>) {
    let mut rest = text.to_owned();
    let mut dir = None;
    for name in ["chdir", "creates", "removes", "executable", "warn", "stdin"] {
        let mark = format!("{name}=");
        let Some(at) = rest.find(&mark).filter(|at| *at == 0 || rest[..*at].ends_with(char::is_whitespace))
        else {
            continue;
        };
        let end = rest[at..].find(char::is_whitespace).map_or(rest.len(), |end| at + end);
        if name == "chdir" {
            dir = Some(rest[at + mark.len()..end].to_owned());
        }
        rest.replace_range(at..end, &" ".repeat(end - at));
    }
    (rest, dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_in_plays_and_blocks() {
        let text = "- hosts: all\n  tasks:\n    - name: Wipe\n      shell: rm -rf {{ dir }}/*\n      args: {chdir: /srv}\n    - block:\n        - command: dropdb prod\n        - ansible.builtin.command:\n            argv: [rm, -rf, /x]\n      rescue:\n        - raw: reboot\n    - copy: {src: a, dest: b}\n    - command: rm x creates=/y chdir=/z\n";
        assert!(is_one("site.yml", text));
        let found = read(text);
        let shown: Vec<String> = found
            .pieces
            .iter()
            .map(|piece| format!("{} {} {:?}", piece.lines.first(), piece.label, piece.directory))
            .collect();
        let want = [
            "4 Wipe Some(\"/srv\")",
            "7 command None",
            "9 command None",
            "11 raw None",
            "13 command Some(\"/z\")",
        ];
        assert_eq!(shown, want);
        assert!(
            matches!(&found.pieces[4].runs, Runs::Words(words) if words.len() == 2),
            "{:?}",
            found.pieces[4]
        );
    }
}
