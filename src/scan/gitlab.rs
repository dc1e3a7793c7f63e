//! GitLab CI: the scripts of jobs.
//!
//! Facts: <https://docs.gitlab.com/ci/yaml/>. The lines of `before_script` and `script` go to one shell, those of
//! `after_script` to another; lists may hold lists; `!reference` takes them from elsewhere in the file. With an image, a
//! job has a container for itself.

use std::rc::Rc;

use super::align::lines;
use super::{Found, Lines, Piece, Place, TREE};
use crate::yaml::{self, Node};

/// References within each other deeper than this are not followed.
const DEPTH: usize = 10;
/// Keys that stand beside jobs and are none.
const RESERVED: [&str; 9] =
    ["stages", "variables", "include", "workflow", "cache", "image", "services", "spec", "pages:deploy"];

struct Reader<'a> {
    source: Vec<&'a str>,
    document: Rc<Node>,
    found: Found,
}

/// Reads a file of GitLab CI.
pub(super) fn read(text: &str) -> Found {
    let mut found = Found::default();
    let documents = match yaml::documents(text) {
        Ok(documents) => documents,
        Err(error) => {
            found.unread(Some(error.line), format!("no YAML that is read: {}", error.what));
            return found;
        }
    };
    for document in documents {
        let mut reader = Reader { source: text.split('\n').collect(), document, found };
        reader.jobs();
        found = reader.found;
    }
    found
}

impl Reader<'_> {
    fn jobs(&mut self) {
        let document = Rc::clone(&self.document);
        let default = document.get("default").cloned();
        let usual = |key: &str| {
            default.as_ref().and_then(|node| node.get(key)).or_else(|| document.get(key)).cloned()
        };
        for (name, job) in document.entries() {
            if RESERVED.contains(&name.name.as_str()) || job.entries().is_empty() {
                continue;
            }
            let image = job.get("image").cloned().or_else(|| usual("image")).is_some();
            let mut variables = vec![
                ("CI_PROJECT_DIR".to_owned(), Some(TREE.to_owned())),
                ("CI".to_owned(), Some("true".to_owned())),
            ];
            for map in [document.get("variables"), job.get("variables")].into_iter().flatten() {
                variables.extend(map.entries().iter().map(|(key, value)| {
                    let value = value.get("value").unwrap_or(value);
                    let known = value.text().filter(|text| !text.contains('$'));
                    (key.name.clone(), known.map(str::to_owned))
                }));
            }
            let before = job.get("before_script").cloned().or_else(|| usual("before_script"));
            let after = job.get("after_script").cloned().or_else(|| usual("after_script"));
            // What runs before a script runs only with one.
            let before = before.filter(|_| job.get("script").is_some() || name.name == "default");
            for (what, parts) in [
                ("script", [before, job.get("script").cloned()]),
                ("after_script", [after, None]),
                ("pre_get_sources_script", [job.at(&["hooks", "pre_get_sources_script"]).cloned(), None]),
            ] {
                let (mut text, mut at) = (String::new(), Lines::default());
                for part in parts.iter().flatten() {
                    self.add(&mut text, &mut at, part, 0);
                }
                if text.trim().is_empty() {
                    continue;
                }
                let mut piece = Piece::shell(format!("{}, {what}", name.name), text, at);
                piece.variables.clone_from(&variables);
                piece.place = if image { Place::Runner } else { Place::Machine };
                self.found.pieces.push(piece);
            }
        }
    }

    /// Adds the lines of a script.
    fn add(&mut self, text: &mut String, at: &mut Lines, node: &Rc<Node>, depth: usize) {
        if depth > DEPTH {
            return self.found.unread(Some(node.line), "references are nested too deep");
        }
        if node.tag.as_deref() == Some("reference") {
            let keys: Vec<&str> = node.items().iter().filter_map(|key| key.text()).collect();
            return match self.document.at(&keys).cloned() {
                Some(named) => self.add(text, at, &named, depth + 1),
                None => {
                    let why = format!("`!reference [{}]` leads to another file", keys.join(", "));
                    self.found.unread(Some(node.line), why);
                }
            };
        }
        if let Some(line) = node.text() {
            lines(&self.source, node).copy(0..line.len() + 1, text.len(), line, at);
            text.push_str(line);
            text.push('\n');
        }
        for item in node.items() {
            self.add(text, at, item, depth + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::Runs;

    #[test]
    fn scripts_of_jobs() {
        let text = "image: alpine\ndefault:\n  before_script: [echo hi]\n.clean: &clean\n  - rm -rf a\nbuild:\n  script:\n    - *clean\n    - !reference [.other, script]\n    - |\n      rm -rf b\n  after_script: rm -rf c\n.other:\n  script:\n    - rm -rf d\nlost:\n  script: [!reference [.x, script]]\n";
        let found = read(text);
        let build = found.pieces.iter().find(|piece| piece.label == "build, script").unwrap();
        let Runs::Shell(_, script) = &build.runs else { panic!() };
        assert_eq!(script, "echo hi\nrm -rf a\nrm -rf d\nrm -rf b\n\n");
        let line = |word: &str| build.lines.position(script, script.find(word).unwrap()).line;
        assert_eq!((line("echo"), line("rm -rf a"), line("rm -rf b")), (3, 5, 11));
        assert_eq!(build.place, Place::Runner);
        assert!(found.pieces.iter().any(|piece| piece.label == "build, after_script"));
        assert_eq!(found.unread.len(), 1);
    }
}
