//! The words of a script's commands as a shell reads them; none where a part of one is not known.

use std::path::Path;

use super::read::Word;
use super::script::Script;

impl Script<'_, '_> {
    /// Whether a path is where the build puts what it makes.
    pub(super) fn is_built(&self, path: &str) -> bool {
        let path = Path::new(path);
        path.starts_with(&self.binary) && !self.source.starts_with(&self.binary)
    }

    /// A word that names a file: none where it is one of the build's own.
    pub(super) fn place(&self, word: &Word) -> Option<String> {
        let text = self.word(word)?;
        (!self.is_built(text.trim_matches('"'))).then_some(text)
    }

    /// A word whose text is known here and now.
    pub(super) fn plain(&self, word: Option<&Word>) -> Option<String> {
        let text = self.filled(&word?.text)?;
        (!text.contains(['$', ';'])).then_some(text)
    }

    /// A word as a shell reads it; `None` where a part of it is not known.
    pub(super) fn word(&self, word: &Word) -> Option<String> {
        if word.quoted {
            return self.pieces(word, true);
        }
        let parts = word.text.split(';').filter(|part| !part.is_empty());
        let parts: Option<Vec<String>> =
            parts.map(|part| self.pieces(&Word { text: part.to_owned(), ..word.clone() }, false)).collect();
        parts.map(|parts| parts.join(" ")).filter(|text| !text.is_empty())
    }

    /// The same, of which signs for any text stay what they are.
    pub(super) fn pattern(&self, word: &Word) -> Option<String> {
        let text = self.pieces(word, true)?;
        Some(text.replace('*', "\"*\"").replace('?', "\"?\""))
    }

    /// Known directories put in.
    fn filled(&self, text: &str) -> Option<String> {
        let (source, binary) = (self.source.join(&self.below), self.binary.join(&self.below));
        let mut text = text.to_owned();
        for (name, path) in [
            ("CMAKE_SOURCE_DIR", &self.source),
            ("PROJECT_SOURCE_DIR", &self.source),
            ("CMAKE_HOME_DIRECTORY", &self.source),
            ("CMAKE_BINARY_DIR", &self.binary),
            ("PROJECT_BINARY_DIR", &self.binary),
            ("CMAKE_CURRENT_SOURCE_DIR", &source),
            ("CMAKE_CURRENT_LIST_DIR", &source),
            ("CMAKE_CURRENT_BINARY_DIR", &binary),
        ] {
            text = text.replace(&format!("${{{name}}}"), path.to_str()?.trim_end_matches('/'));
        }
        text = text.replace("${CMAKE_COMMAND}", "cmake");
        if text.contains("$ENV{HOME}") {
            let home = self.shell.home_text(self.state)?;
            text = text.replace("$ENV{HOME}", &home);
        }
        (!text.contains("$<")).then_some(text)
    }

    /// A word with its variables; in quotes it stays one.
    pub(super) fn pieces(&self, word: &Word, whole: bool) -> Option<String> {
        if word.plain {
            return Some(shell_words::quote(&word.text).into_owned());
        }
        let text = self.filled(&word.text)?;
        let mut made = String::from("\"");
        let mut rest = text.as_str();
        while let Some(c) = rest.chars().next() {
            let variable = rest.strip_prefix("${").map(|inner| ("CMK_", inner));
            let variable = variable.or_else(|| rest.strip_prefix("$ENV{").map(|inner| ("", inner)));
            if let Some((front, inner)) = variable {
                let (name, behind) = inner.split_once('}')?;
                let known = front.is_empty() || self.set.contains(name);
                if !known || name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                    return None;
                }
                made.push_str(&match whole {
                    true => format!("${{{front}{name}}}"),
                    false => format!("\"${{{front}{name}}}\""),
                });
                rest = behind;
                continue;
            }
            if matches!(c, '"' | '`' | '$' | '\\') {
                made.push('\\');
            }
            if let Some(marked) = rest.strip_prefix("\\$") {
                made.push('$');
                rest = marked;
                continue;
            }
            made.push(c);
            rest = &rest[c.len_utf8()..];
        }
        made.push('"');
        Some(made)
    }
}

pub(super) fn quote(path: &Path) -> String {
    shell_words::quote(&path.to_string_lossy()).into_owned()
}

/// Whether a text was made of a template: lines in which nothing is put in stand in it, most of them.
pub(super) fn is_made_of(text: &str, template: &str) -> bool {
    let lines = template.lines().map(str::trim).filter(|line| !line.is_empty());
    let fixed: Vec<&str> =
        lines.filter(|line| !line.contains(['@', '$']) && !line.contains("#cmakedefine")).collect();
    let known = fixed.iter().filter(|line| text.lines().any(|own| own.trim() == **line)).count();
    // A template of places alone may have made anything that is short.
    if fixed.is_empty() {
        text.lines().count() <= template.lines().count() + 1 && !template.is_empty()
    } else {
        known * 2 >= fixed.len()
    }
}
