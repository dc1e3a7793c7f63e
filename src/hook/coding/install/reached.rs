//! Whether a line of a shell's start-up file is reached, as far as that stands there plainly.
//!
//! Nothing is run for it, and what is not understood counts as reached: the line that was judged last is the proof.

/// Why a line is never reached: an earlier one ends the file.
pub(super) fn blocked<'a>(lines: impl Iterator<Item = &'a str>) -> Option<String> {
    // Whatever stands in something that is open may not run.
    let mut open = 0_usize;
    for line in lines {
        // Texts of several lines are not read here.
        if line.contains("<<") {
            return None;
        }
        for part in line.split(';') {
            let words = part.split_whitespace().take_while(|word| !word.starts_with('#'));
            let mut words: Vec<&str> =
                words.skip_while(|word| matches!(*word, "then" | "do" | "else")).collect();
            let plain = words.len() == part.split_whitespace().count();
            match words.first().copied() {
                Some(
                    "if" | "while" | "for" | "until" | "select" | "case" | "begin" | "switch" | "function",
                ) => {
                    open += 1;
                }
                Some("fi" | "done" | "esac" | "end" | "}") => open = open.saturating_sub(1),
                Some("return" | "exit") if open == 0 && plain && words.len() <= 2 => {
                    return Some(format!("`{}` before it ends the file", words.join(" ")));
                }
                // With a redirection alone it goes on.
                Some("exec") if open == 0 && plain && starts(words.get(1).copied()) => {
                    words.truncate(2);
                    return Some(format!("`{}` before it becomes another program", words.join(" ")));
                }
                _ if words.contains(&"{") => open += 1,
                _ => {}
            }
        }
    }
    None
}

/// A word that names a program, and nothing else.
fn starts(word: Option<&str>) -> bool {
    word.is_some_and(|word| word.starts_with(|first: char| first.is_ascii_alphabetic() || first == '/'))
}

#[cfg(test)]
mod tests {
    use super::blocked;

    #[test]
    fn what_ends_a_file_plainly_is_seen_and_nothing_else() {
        for text in ["return", "a=1\nreturn 0", "exec fish", "if true; then\n a\nfi\nexit"] {
            assert!(blocked(text.lines()).is_some(), "{text}");
        }
        for text in [
            "case $- in *i*) ;; *) return;; esac",
            "[ -z \"$PS1\" ] && return",
            "if [ -z \"$PS1\" ]; then\n  return\nfi",
            "f() {\n  return\n}",
            "exec 2>/dev/null",
            "if false; then\n a\nfi",
            "if false; then\n a\nelse",
            "# return",
            "cat <<X\nreturn\nX",
            "if test -t 0; exec fish; end",
            "function f\n  return\nend",
            "return && a",
        ] {
            assert_eq!(blocked(text.lines()), None, "{text}");
        }
    }
}
