//! Which paths of a working tree a git pathspec names.

use std::path::Path;

use crate::wildcard::{self, Crossing, Options};
use crate::world::resolve::logical;

/// One pathspec, relative to the top of the working tree.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Spec {
    text: String,
    exclude: bool,
    literal: bool,
    /// `*` does not match `/`.
    glob: bool,
    fold: bool,
}

/// The pathspecs of one command.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct Pathspecs {
    specs: Vec<Spec>,
}

impl Pathspecs {
    /// Reads pathspecs given in `prefix` (the directory git runs in, relative to the top; `""` at the top). `None` stands
    /// for one that is not known: it may name anything.
    pub(super) fn read(words: &[Option<String>], prefix: &str) -> Self {
        let mut specs = Vec::new();
        for word in words {
            specs.push(match word {
                Some(word) => Self::one(word, prefix),
                None => Spec { text: String::new(), exclude: false, literal: true, glob: false, fold: false },
            });
        }
        Self { specs }
    }

    fn one(word: &str, prefix: &str) -> Spec {
        let mut spec = Spec { text: String::new(), exclude: false, literal: false, glob: false, fold: false };
        let mut top = false;
        let mut rest = word;
        if let Some((magic, path)) = word.strip_prefix(":(").and_then(|tail| tail.split_once(')')) {
            for item in magic.split(',') {
                match item.trim() {
                    "top" => top = true,
                    "exclude" => spec.exclude = true,
                    "literal" => spec.literal = true,
                    "glob" => spec.glob = true,
                    "icase" => spec.fold = true,
                    _ => {}
                }
            }
            rest = path;
        } else if let Some(mut tail) = word.strip_prefix(':') {
            while let Some(c) = tail.chars().next() {
                match c {
                    '/' => top = true,
                    '!' | '^' => spec.exclude = true,
                    ':' => {
                        tail = &tail[1..];
                        break;
                    }
                    _ => break,
                }
                tail = &tail[1..];
            }
            rest = tail;
        }
        spec.text = resolve(if top { "" } else { prefix }, rest);
        if spec.fold {
            spec.text = spec.text.to_lowercase();
        }
        spec
    }

    /// Whether a path (relative to the top) is meant.
    pub(super) fn matches(&self, path: &str) -> bool {
        let mut included = self.specs.iter().all(|spec| spec.exclude);
        for spec in &self.specs {
            if spec.exclude {
                if spec.holds(path) {
                    return false;
                }
            } else {
                included = included || spec.holds(path);
            }
        }
        included
    }
}

impl Spec {
    fn holds(&self, path: &str) -> bool {
        let folded;
        let path = if self.fold {
            folded = path.to_lowercase();
            folded.as_str()
        } else {
            path
        };
        if self.text.is_empty() {
            return true;
        }
        let below = |dir: &str| path.strip_prefix(dir).is_some_and(|rest| rest.starts_with('/'));
        if path == self.text || below(&self.text) {
            return true;
        }
        if self.literal || !self.text.contains(['*', '?', '[', '\\']) {
            return false;
        }
        if !self.glob {
            return wildcard::matches(&self.text, path, Options::default());
        }
        // With `glob` each `*` stays within one name, and `**` crosses names.
        let options = Options { pathname: true, crossing: Crossing::WholeName, ..Options::default() };
        let fits = |path: &str| wildcard::matches(&self.text, path, options);
        fits(path) || path.match_indices('/').any(|(at, _)| fits(&path[..at]))
    }
}

/// `prefix` and `path` joined, `.` and `..` taken out, no slash at either end.
fn resolve(prefix: &str, path: &str) -> String {
    let path = logical(Path::new(&format!("/{prefix}/{path}")));
    path.to_string_lossy().trim_start_matches('/').to_owned()
}

#[cfg(test)]
mod tests {
    use super::Pathspecs;

    fn matches(specs: &[&str], prefix: &str, path: &str) -> bool {
        let words: Vec<_> = specs.iter().map(|s| Some((*s).to_owned())).collect();
        Pathspecs::read(&words, prefix).matches(path)
    }

    #[test]
    fn pathspecs_are_read_as_git_reads_them() {
        for (specs, prefix, path, expected) in [
            (&["."][..], "", "a/b", true),
            (&["."], "src", "src/a", true),
            (&["."], "src", "a", false),
            (&[":/"], "src", "a", true),
            (&["src/"], "", "src/a", true),
            (&["src"], "", "srcs", false),
            (&["../a"], "src", "a", true),
            (&["*.yaml"], "", "config/prod.yaml", true),
            (&[":(glob)*.yaml"], "", "config/prod.yaml", false),
            (&[":(glob)**/*.yaml"], "", "config/prod.yaml", true),
            (&[":(icase)README"], "", "readme", true),
            (&[".", ":!src"], "", "src/a", false),
            (&[".", ":(exclude)src"], "", "b", true),
            (&[":^src"], "", "b", true),
            (&[":(top,literal)a*"], "x", "ab", false),
            (&[], "", "anything", true),
        ] {
            assert_eq!(matches(specs, prefix, path), expected, "{specs:?} in {prefix:?} on {path:?}");
        }
        assert!(Pathspecs::read(&[None], "src").matches("anything"));
    }
}
