//! One line of ours at the end of a file that a shell reads at its start.

use std::ffi::OsStr;
use std::path::Path;

use super::reached;

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

/// What is wrong with the lines that load the hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// None of them loads it: what stands before it ends the file.
    Unreached(String),
    /// None of them loads it.
    Sure(String),
    /// In some shells none of them may.
    Maybe(String),
}

/// Folders that are on PATH before any file of a user's own is read.
const EVERYWHERE: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];

/// Why no line that loads the hook does so in every shell. `path` is PATH as it is here.
pub(super) fn fault(text: &str, path: &OsStr, home: Option<&Path>) -> Option<Fault> {
    let mut fault = None;
    let lines: Vec<&str> = text.lines().collect();
    for (at, there) in lines.iter().enumerate().filter(|(_, there)| !is_remark(there) && loads(there)) {
        let before = lines[..at].iter().copied().filter(|line| !is_remark(line));
        if let Some(why) = reached::blocked(before.clone()) {
            fault = Some(Fault::Unreached(format!("it is never reached: {why}")));
            continue;
        }
        let name = program(there)?;
        if name.starts_with('/') && !Path::new(&name).exists() {
            fault = Some(Fault::Sure(format!("it starts {name}, which is not there")));
        } else if name.contains('/') {
            return None;
        } else {
            match std::env::split_paths(path).find(|folder| folder.join(&name).is_file()) {
                None => fault = Some(Fault::Sure(format!("PATH does not lead to `{name}`"))),
                Some(folder) if is_on_path(&folder, before.clone(), home) => return None,
                Some(folder) => {
                    let why = format!("a login shell may read it before {} is on PATH", folder.display());
                    fault = Some(Fault::Maybe(why));
                }
            }
        }
    }
    fault
}

/// Whether a folder is on PATH in every shell, or these lines put it there.
fn is_on_path<'a>(folder: &Path, mut before: impl Iterator<Item = &'a str>, home: Option<&Path>) -> bool {
    if EVERYWHERE.iter().any(|known| folder == Path::new(known)) {
        return true;
    }
    let whole = folder.to_string_lossy().into_owned();
    let below = home.and_then(|home| folder.strip_prefix(home).ok()).map(|below| below.to_string_lossy());
    let mut names = vec![whole];
    for home in ["$HOME/", "${HOME}/", "~/"] {
        names.extend(below.iter().map(|below| format!("{home}{below}")));
    }
    before.any(|line| {
        let sets = line.contains("PATH=") || line.contains("path=") || line.contains("add_path");
        (sets || line.contains("path+=")) && names.iter().any(|name| line.contains(name.as_str()))
    })
}

fn is_remark(line: &str) -> bool {
    line.trim_start().starts_with('#')
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
    use super::*;

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
    fn a_name_that_path_may_not_lead_to_yet_is_a_doubt_and_one_that_it_does_not_lead_to_a_fault() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("bin");
        std::fs::create_dir(&folder).unwrap();
        let program = folder.join("recourse");
        std::fs::write(&program, "").unwrap();
        let (path, none) = (folder.as_os_str(), OsStr::new("/no such"));
        let of = |text: &str, path: &OsStr| fault(text, path, Some(home.path()));
        let bare = "eval \"$(recourse init bash)\"\n";
        assert!(matches!(of(bare, path), Some(Fault::Maybe(why)) if why.contains("login shell")));
        assert!(matches!(of(bare, none), Some(Fault::Sure(why)) if why.contains("PATH")));
        let whole = format!("eval \"$({} init bash)\"\n", program.display());
        assert_eq!(of(&format!("{bare}{whole}"), none), None);
        assert_eq!(of(&format!("export PATH=\"$HOME/bin:$PATH\"\n{bare}"), path), None);
        assert_eq!(of("\"$HOME/bin/recourse\" init fish | source\n", none), None);
        let gone = of("'/no such/recourse' init fish | source\n", path);
        assert!(matches!(gone, Some(Fault::Sure(why)) if why.contains("/no such/recourse")));
        let unreached = of(&format!("return\n{whole}"), path);
        assert!(matches!(unreached, Some(Fault::Unreached(why)) if why.contains("return")));
    }
}
