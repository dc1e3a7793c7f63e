//! Pre-commit configurations: hooks that the repository itself declares.
//!
//! Facts: <https://pre-commit.com/#repository-local-hooks>. `entry` is taken apart into words, `args` come behind, names of
//! files last.

use super::align::lines;
use super::{Found, Piece, Runs};

/// Reads a configuration of pre-commit.
pub(super) fn read(text: &str) -> Found {
    let mut found = Found::default();
    let source: Vec<&str> = text.split('\n').collect();
    let Some(document) = found.yaml(text) else { return found };
    for repository in document.get("repos").map_or(&[][..], |repos| repos.items()) {
        if repository.get("repo").and_then(|repo| repo.text()) != Some("local") {
            continue;
        }
        for hook in repository.get("hooks").map_or(&[][..], |hooks| hooks.items()) {
            let text = |key: &str| hook.get(key).and_then(|value| value.text());
            let Some((entry, node)) = text("entry").zip(hook.get("entry")) else { continue };
            if matches!(text("language"), Some("pygrep" | "fail" | "docker_image" | "docker")) {
                continue;
            }
            let Ok(words) = shell_words::split(entry) else {
                found.unread(Some(node.line), "quotes of the entry are not closed");
                continue;
            };
            let mut words: Vec<Option<String>> = words.into_iter().map(Some).collect();
            let args = hook.get("args").map_or(&[][..], |args| args.items());
            words.extend(args.iter().map(|arg| arg.text().map(str::to_owned)));
            let label = format!("hook {}", text("id").unwrap_or(entry));
            let mut piece = Piece::shell(label, String::new(), lines(&source, node));
            piece.runs = Runs::Words(words);
            found.pieces.push(piece);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_of_the_repository() {
        let text = "repos:\n  - repo: https://x\n    hooks: [{id: y}]\n  - repo: local\n    hooks:\n      - id: clean\n        name: Clean\n        entry: bash -c 'rm -rf x'\n        language: system\n        args: [--all]\n      - {id: grep, entry: 'TODO', language: pygrep}\n";
        let found = read(text);
        assert_eq!(found.pieces.len(), 1);
        assert_eq!((found.pieces[0].lines.first(), found.pieces[0].label.as_str()), (8, "hook clean"));
        assert!(matches!(&found.pieces[0].runs, Runs::Words(words) if words.len() == 4));
    }
}
