//! All recipes of a makefile at once, for whoever reads it without running it.

use super::expand::{Outside, UNKNOWN, Variable, expand};
use super::read::{AtOnce, Included, Makefile, Reader};
use super::recipe_lines;

/// What a rule runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Recipe {
    /// The names of what it makes.
    pub(crate) targets: String,
    /// Its lines as a shell gets them, each with the line of the file that it stands on.
    pub(crate) lines: Vec<(usize, String)>,
    /// They go to one shell.
    pub(crate) together: bool,
}

/// The recipes of a makefile, and what of it is not followed. `include` gives the text of another one.
pub(crate) fn recipes(text: &str, include: &dyn Fn(&str) -> Option<String>) -> (Vec<Recipe>, Option<String>) {
    let mut makefile = Makefile::default();
    for (name, value) in [("MAKE", "make"), ("CURDIR", "$PWD")] {
        makefile.variables.insert(name.to_owned(), Variable { text: value.to_owned(), simple: true });
    }
    let at_once = AtOnce::default();
    let include = |name: &str| include(name).map_or(Included::Unknown, Included::Text);
    // What nobody sets is empty, and what the caller sets instead is the caller's.
    let outside = Outside { variable: &|_| None, files: &|_| None, at_once: Some(&at_once) };
    Reader { outside, include: &include, files: 0 }.read(&mut makefile, text, 0);
    let mut found = Vec::new();
    for run in at_once.take() {
        found.push(Recipe {
            targets: String::new(),
            lines: vec![(line_of(text, &run), run)],
            together: true,
        });
    }
    let unknown = |_: &str| Some(UNKNOWN.to_owned());
    let outside = Outside { variable: &unknown, files: &|_| None, at_once: None };
    for rule in makefile.rules.iter().filter(|rule| !rule.recipe.is_empty()) {
        let mut local = makefile.variables.clone();
        // Any name will do: of all that a pattern fits, none is more dangerous than another.
        let put = |text: &str| text.replace('%', "any");
        let names: Vec<String> = rule.prerequisites.iter().map(|name| put(name)).collect();
        let target = put(&rule.targets.join(" "));
        for (name, text) in [
            ("@", target.clone()),
            ("<", names.first().cloned().unwrap_or_default()),
            ("^", names.join(" ")),
            ("+", names.join(" ")),
            ("?", names.join(" ")),
            ("*", "any".to_owned()),
        ] {
            local.insert(name.to_owned(), Variable { text, simple: true });
        }
        let mut lines = Vec::new();
        for (number, line) in rule.recipe.iter().filter(|(number, _)| *number > 0) {
            let whole = expand(line, &local, &outside, 0);
            for text in recipe_lines(&whole) {
                lines.push((*number, text.trim_start_matches([' ', '\t', '@', '-', '+']).to_owned()));
            }
        }
        found.push(Recipe { targets: rule.targets.join(" "), lines, together: makefile.one_shell });
    }
    (found, makefile.gap)
}

/// The line that holds the beginning of a command which runs while the file is read.
fn line_of(text: &str, run: &str) -> usize {
    let first: String = run.trim_start().chars().take(12).collect();
    text.find(&first).map_or(1, |at| text.get(..at).unwrap_or("").matches('\n').count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipes_know_their_lines() {
        let text = "OUT := build\nX := $(shell rm -rf y)\nall: a\n\t@echo $(OUT)\n\nclean:\n\t-rm -rf $(OUT) \\\n\t  $@ $(GIVEN)\n%.o: %.c\n\tcc $<\n";
        let (found, gap) = recipes(text, &|_| None);
        assert_eq!(gap, None);
        let lines: Vec<(usize, &str)> = found
            .iter()
            .flat_map(|recipe| &recipe.lines)
            .map(|(line, text)| (*line, text.as_str()))
            .collect();
        assert_eq!(lines[0], (2, "rm -rf y"));
        assert_eq!(lines[1], (4, "echo build"));
        assert_eq!(lines[2].0, 7);
        assert!(lines[2].1.contains("clean ${__make_unknown}"), "{lines:?}");
    }
}
