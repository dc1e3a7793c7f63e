//! Scripts of `package.json`, `composer.json` and `deno.json`, and the commands of a Taskfile.

use super::align::{filled, lines};
use super::{Found, Lines, Piece, UNKNOWN};
use crate::programs::composer_command;
use crate::settings::syntax::{Kind, Node, parse};

/// Whose scripts they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Package {
    /// npm and the like: `scripts`.
    Npm,
    /// Composer: `scripts`, lists among them, some of which are no commands.
    Composer,
    /// Deno: `tasks`.
    Deno,
}

/// Reads a file with scripts.
pub(super) fn read(package: Package, text: &str) -> Found {
    let mut found = Found::default();
    let root = match parse(text) {
        Ok(root) => root,
        Err(broken) => {
            let line = text.get(..broken.0).unwrap_or("").matches('\n').count() + 1;
            found.unread(Some(line), "it is no JSON");
            return found;
        }
    };
    let (key, label) = if package == Package::Deno { ("tasks", "task") } else { ("scripts", "script") };
    let Some(Kind::Object(scripts)) = root.member(key).map(|scripts| &scripts.kind) else { return found };
    for (name, _, value) in scripts {
        let label = format!("{label} {name}");
        match &value.kind {
            Kind::Text(_) => one(&mut found, package, text, &label, value),
            Kind::Array(items) => items.iter().for_each(|item| one(&mut found, package, text, &label, item)),
            Kind::Object(_) => {
                if let Some(command) = value.member("command") {
                    one(&mut found, package, text, &label, command);
                }
            }
            Kind::Other => {}
        }
    }
    found
}

fn one(found: &mut Found, package: Package, text: &str, label: &str, value: &Node) {
    let Kind::Text(command) = &value.kind else { return };
    let before = text.get(..value.span.start).unwrap_or("");
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 2;
    let command = match package {
        Package::Composer => composer_command(command),
        _ => Some(command.as_str()),
    };
    if let Some(command) = command {
        found.pieces.push(Piece::shell(label, command.to_owned(), Lines::at(line, column)));
    }
}

/// Reads a Taskfile: every text of a task that a shell gets.
pub(super) fn taskfile(text: &str) -> Found {
    let mut found = Found::default();
    let source: Vec<&str> = text.split('\n').collect();
    let Some(document) = found.yaml(text) else { return found };
    for (name, task) in document.get("tasks").map_or(&[][..], |tasks| tasks.entries()) {
        let mut commands = vec![task];
        let listed = ["cmds", "cmd", "status", "preconditions"].iter().filter_map(|key| task.get(key));
        commands.extend(listed.clone());
        commands.extend(listed.flat_map(|list| list.items()));
        commands.extend(task.items());
        commands
            .extend(task.get("vars").map_or(&[][..], |vars| vars.entries()).iter().map(|(_, value)| value));
        for node in commands {
            let text = node.text().map(|_| node);
            let named = ["cmd", "sh", "defer"]
                .iter()
                .filter_map(|key| node.get(key).filter(|node| node.text().is_some()));
            for node in text.into_iter().chain(named) {
                let (command, at) = (node.text().unwrap_or_default(), lines(&source, node));
                let (command, at) = filled(command, &at, ("{{", "}}"), &|_| format!("${{{UNKNOWN}}}"));
                let mut piece = Piece::shell(format!("task {}", name.name), command, at);
                if let Some(dir) = task.get("dir").and_then(|dir| dir.text()) {
                    piece.directory = (!dir.contains("{{")).then(|| dir.to_owned());
                }
                let same = |other: &Piece| (other.runs == piece.runs) && other.lines == piece.lines;
                if !found.pieces.iter().any(same) {
                    found.pieces.push(piece);
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_of_packages() {
        let npm = read(
            Package::Npm,
            "{\n \"scripts\": {\n  \"clean\": \"rm -rf dist\",\n  \"x\": \"a \\\"b\\\"\"\n }\n}",
        );
        assert_eq!(npm.shown(), ["3 script clean: rm -rf dist", "4 script x: a \"b\""]);
        let composer =
            read(Package::Composer, "{\"scripts\": {\"a\": [\"@b\", \"My::c\",\n\"rm d\", \"@php e.php\"]}}");
        assert_eq!(composer.shown(), ["2 script a: rm d", "2 script a: php e.php"]);
        let deno =
            read(Package::Deno, "{// c\n\"tasks\": {\"a\": {\"command\": \"rm b\"}, \"c\": \"rm d\"}}");
        assert_eq!(deno.shown(), ["2 task a: rm b", "2 task c: rm d"]);
        assert_eq!(read(Package::Npm, "{").unread.len(), 1);
    }

    #[test]
    fn commands_of_tasks() {
        let found = taskfile(
            "tasks:\n  a:\n    cmds:\n      - rm -rf {{.X}}\n      - cmd: rm b\n      - task: c\n  c: rm d\n  e: [rm f]\n",
        );
        let want =
            ["4 task a: rm -rf ${__scan_unknown}", "5 task a: rm b", "7 task c: rm d", "8 task e: rm f"];
        assert_eq!(found.shown(), want);
    }
}
