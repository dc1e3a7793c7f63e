//! Makefiles and justfiles: the recipes of every target.

use crate::programs::{just_recipes, recipes};

use super::{Dialect, Found, Lines, Piece, Runs, script};

/// The name that stands in a makefile's text for a value that is not known.
const MAKE: &str = "__make_unknown";
/// The same in a justfile.
const JUST: &str = "__just_unknown";

/// Reads a makefile; `include` gives the text of another one.
pub(super) fn makefile(path: &str, text: &str, include: &dyn Fn(&str) -> Option<String>) -> Found {
    let mut found = Found::default();
    let (listed, gap) = recipes(text, include);
    let parts = gap.is_some();
    if let Some(gap) = gap {
        found.unread(None, gap);
    }
    for recipe in listed {
        let label = match recipe.targets.is_empty() {
            true => "read at once".to_owned(),
            false => format!("target {}", shown(&recipe.targets)),
        };
        // Each line is a shell of its own, unless the file says otherwise.
        for group in groups(recipe.lines, recipe.together) {
            let mut piece = put(label.clone(), path, group);
            // What another file may set is not taken to be empty.
            if parts {
                piece.variables.push((MAKE.to_owned(), None));
            }
            found.pieces.push(piece);
        }
    }
    found
}

/// Reads a justfile.
pub(super) fn justfile(path: &str, text: &str) -> Found {
    let mut found = Found::default();
    let (listed, plain) = just_recipes(text);
    if !plain {
        found.unread(None, "another program than a shell runs its recipes");
        return found;
    }
    for (name, lines) in listed {
        let label = format!("recipe {name}");
        let first = lines.first().map(|(line, text)| (*line, text.trim().to_owned()));
        let whole = first.as_ref().is_some_and(|(_, text)| text.starts_with("#!"));
        if let Some((line, text)) = first.filter(|_| whole)
            && script::shebang(&text).is_none()
        {
            found.unread(Some(line), "the first line names a program whose language is not read");
            continue;
        }
        let lines = lines.into_iter().map(|(line, text)| {
            let text = text.trim_start();
            (line, if whole { text } else { text.trim_start_matches(['@', '-']) }.to_owned())
        });
        for group in groups(lines.collect(), whole) {
            let mut piece = put(label.clone(), path, group);
            piece.variables.push((JUST.to_owned(), None));
            found.pieces.push(piece);
        }
    }
    found
}

/// Lines that go to one shell: all of them, or each with those that it goes on over.
fn groups(lines: Vec<(usize, String)>, together: bool) -> Vec<Vec<(usize, String)>> {
    if together {
        return vec![lines];
    }
    let mut found: Vec<Vec<(usize, String)>> = Vec::new();
    for line in lines {
        match found.last_mut().filter(|group| group.last().is_some_and(|(_, text)| text.ends_with('\\'))) {
            Some(group) => group.push(line),
            None => found.push(vec![line]),
        }
    }
    found
}

fn put(label: String, path: &str, group: Vec<(usize, String)>) -> Piece {
    let mut lines = Lines::default();
    let mut text = String::new();
    for (line, one) in group {
        lines.push(text.len(), line, 2);
        text.push_str(&one);
        text.push('\n');
    }
    let mut piece = Piece::shell(label, String::new(), lines);
    piece.runs = Runs::Shell(Dialect::Bash, text);
    piece.directory = Some(path.rsplit_once('/').map_or("", |(dir, _)| dir).to_owned());
    piece
}

/// A target with places that are not known left out.
fn shown(targets: &str) -> String {
    targets.replace(&format!("${{{MAKE}}}"), "…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipes_of_every_target() {
        let text = "D = build\nall:\n\techo $(D)\nclean:\n\t@rm -rf $(D)/* \\\n\t  b\n\tls\n";
        let want = [
            "3 target all: echo build\n",
            "5 target clean: rm -rf build/* \\\n  b\n",
            "7 target clean: ls\n",
        ];
        assert_eq!(makefile("sub/Makefile", text, &|_| None).shown(), want);
        let text =
            "d := 'x'\nclean a:\n  @rm -rf {{d}}/{{a}}\n  ls\npy:\n  #!/usr/bin/env python3\n  import os\n";
        let found = justfile("justfile", text);
        assert_eq!(found.shown(), ["3 recipe clean: rm -rf x/${__just_unknown}\n", "4 recipe clean: ls\n"]);
        assert_eq!(found.unread.len(), 1);
    }
}
