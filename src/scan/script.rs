//! Shell scripts: the whole file is one text.

use super::{Dialect, Found, Lines, Piece, Runs};

pub(super) fn read(dialect: Dialect, path: &str, text: &str) -> Found {
    let mut piece = Piece::shell("script", String::new(), Lines::at(1, 1));
    piece.runs = Runs::Shell(dialect, text.to_owned());
    piece.script = Some(path.to_owned());
    Found { pieces: vec![piece], unread: Vec::new() }
}

/// What the first line of a file says about who reads it.
pub(super) fn shebang(text: &str) -> Option<Dialect> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_whitespace();
    let mut program = words.next()?;
    if base(program) == "env" {
        program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    }
    match base(program) {
        "sh" | "bash" | "dash" | "ash" | "ksh" | "mksh" => Some(Dialect::Bash),
        "zsh" => Some(Dialect::Zsh),
        "fish" => Some(Dialect::Fish),
        _ => None,
    }
}

fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_names_the_shell() {
        for (line, want) in [
            ("#!/bin/sh\n", Some(Dialect::Bash)),
            ("#!/usr/bin/env bash\n", Some(Dialect::Bash)),
            ("#!/usr/bin/env -S A=b zsh -e\n", Some(Dialect::Zsh)),
            ("#! /usr/bin/fish", Some(Dialect::Fish)),
            ("#!/usr/bin/python3\n", None),
            ("sh\n", None),
        ] {
            assert_eq!(shebang(line), want, "{line}");
        }
    }
}
