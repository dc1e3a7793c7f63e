//! One line of ours at the end of a file that a shell reads at its start.

/// The line above ours, by which it is found again.
const MARK: &str = "# recourse: what is typed here is judged before it runs";
/// What a line that loads the hook says, however a person wrote it.
const LOADS: &str = "recourse init ";

/// Whether the hook is loaded there: by our line or by one of the user's own.
pub(super) fn stands(text: &str) -> bool {
    text.lines().any(|line| !line.trim_start().starts_with('#') && loads(line))
}

/// The text with our line at its end.
pub(super) fn put(text: &str, line: &str) -> String {
    if stands(text) {
        return text.to_owned();
    }
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{end}{MARK}\n{line}\n")
}

/// The text without our line. A line that the user wrote stays.
pub(super) fn take(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        if line.trim_end() == MARK && lines.next_if(|next| loads(next)).is_some() {
            continue;
        }
        kept.push_str(line);
    }
    kept
}

/// A path may be quoted: `'/opt/my tools/recourse' init bash`.
fn loads(line: &str) -> bool {
    line.replace(['\'', '"'], "").contains(LOADS)
}

#[cfg(test)]
mod tests {
    use super::{put, stands, take};

    #[test]
    fn a_line_comes_and_goes() {
        let line = "eval \"$(recourse init bash)\"";
        for text in ["", "a=1\n", "a=1\n\n# recourse init bash, some day\n"] {
            let with = put(text, line);
            assert!(stands(&with) && with.ends_with(&format!("{line}\n")), "{with}");
            assert_eq!(put(&with, line), with);
            assert_eq!(take(&with), text);
            assert_eq!(take(&format!("{with}b=2\n")), format!("{text}b=2\n"));
        }
        let own = format!("{line}\n");
        assert_eq!((put(&own, line), take(&own)), (own.clone(), own.clone()));
        assert!(
            stands("eval \"$('/opt/my tools/recourse' init zsh)\"\n") && !stands("# recourse init zsh\n")
        );
    }
}
