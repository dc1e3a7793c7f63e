//! One line of ours at the end of a file that a shell reads at its start.

use std::path::Path;

/// The line above ours, by which it is found again.
const MARK: &str = "# recourse: what is typed here is judged before it runs";
/// What a line that loads the hook says, however a person wrote it.
const LOADS: &str = "recourse init ";

/// Whether the hook is loaded there: by our line or by one of the user's own.
pub(super) fn stands(text: &str) -> bool {
    text.lines().any(|line| !line.trim_start().starts_with('#') && loads(line))
}

/// The text with our line at its end. One that we put there before and that says something else makes room for it.
pub(super) fn put(text: &str, line: &str) -> String {
    let stale = text
        .lines()
        .zip(text.lines().skip(1))
        .any(|(mark, ours)| mark.trim_end() == MARK && loads(ours) && ours.trim_end() != line);
    if stale {
        return put(&take(text), line);
    }
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

/// Why no line that loads the hook does so in every shell; `line` is ours as it should be.
pub(super) fn fault(text: &str, line: &str) -> Option<String> {
    let bare = program(line).is_some_and(|name| !name.contains('/'));
    let mut fault = None;
    for there in text.lines().filter(|there| !there.trim_start().starts_with('#') && loads(there)) {
        let name = program(there)?;
        if !name.contains('/') {
            if bare {
                return None;
            }
            fault = Some("a login shell may read it before PATH leads to `recourse`".to_owned());
        } else if name.starts_with('/') && !Path::new(&name).exists() {
            fault = Some(format!("it starts {name}, which is not there"));
        } else {
            return None;
        }
    }
    fault
}

/// What a line that loads the hook starts, where that is plain text.
fn program(line: &str) -> Option<String> {
    let before = line.split_once(" init ")?.0;
    let word = before.rsplit_once("$(").map_or(before, |(_, word)| word).trim();
    let [word] = &shell_words::split(word).ok()?[..] else { return None };
    (!word.contains(['$', '`', '~'])).then(|| word.clone())
}

/// A path may be quoted: `'/opt/my tools/recourse' init bash`.
fn loads(line: &str) -> bool {
    line.replace(['\'', '"'], "").contains(LOADS)
}

#[cfg(test)]
mod tests {
    use super::{fault, put, stands, take};

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
        // What an earlier version put there makes room, and goes the same way.
        let whole = "eval \"$('/opt/my tools/recourse' init bash)\"";
        let with = put(&put("a=1\n", line), whole);
        assert!(with.contains(whole) && !with.contains(line), "{with}");
        assert_eq!(take(&with), "a=1\n");
        let own = format!("{line}\n");
        assert_eq!((put(&own, line), take(&own)), (own.clone(), own.clone()));
        assert!(
            stands("eval \"$('/opt/my tools/recourse' init zsh)\"\n") && !stands("# recourse init zsh\n")
        );
    }

    #[test]
    fn a_name_that_path_may_not_lead_to_yet_is_a_fault() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("recourse");
        std::fs::write(&program, "").unwrap();
        let bare = "eval \"$(recourse init bash)\"\n";
        let whole = format!("eval \"$({} init bash)\"", program.display());
        assert!(fault(bare, &whole).is_some_and(|why| why.contains("PATH")));
        assert_eq!(fault(bare, bare.trim_end()), None);
        assert_eq!(fault(&format!("{bare}{whole}\n"), &whole), None);
        assert_eq!(fault("\"$HOME/bin/recourse\" init fish | source\n", &whole), None);
        let gone = fault("'/no such/recourse' init fish | source\n", &whole);
        assert!(gone.is_some_and(|why| why.contains("/no such/recourse")));
    }
}
