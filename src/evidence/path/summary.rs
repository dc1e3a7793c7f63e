//! A loss in one plain sentence.

use crate::model::{Loss, LossClass, Tally};
use crate::text::{count, grouped, list, size};

/// What would become of the content: `3 untracked files and 1 modified file, 41 kB, exist nowhere else: a.txt, b.txt`.
///
/// `untracked` says that the files lie in a working tree, where "not tracked" means something.
pub(super) fn sentence(loss: &Loss, untracked: bool) -> String {
    let worst = loss.worst();
    let Some(tally) = loss.classes.get(&worst) else {
        return "nothing is lost".to_owned();
    };
    let one = tally.files == 1;
    let what = if one { example(tally) } else { count(tally.files, "file") };
    let are = if one { "is" } else { "are" };
    match worst {
        LossClass::Nothing => "nothing is lost".to_owned(),
        LossClass::Temporary => format!("{what} {} only temporary", are),
        LossClass::Tracked => {
            format!("{what} {are} in git exactly as {}", if one { "it is" } else { "they are" })
        }
        LossClass::Copied => format!("the content of {what} stays elsewhere"),
        LossClass::Regenerable => format!("{what} can be made again by a tool"),
        LossClass::Packaged => {
            format!("{what} {} to an installed package", if one { "belongs" } else { "belong" })
        }
        LossClass::Snapshot => {
            format!("the content of {what} is kept, for example in git's object store or a backup")
        }
        LossClass::Lost => {
            let why = loss.precious.as_ref().map(|why| format!("{why}: ")).unwrap_or_default();
            let least = if loss.truncated && !one { "at least " } else { "" };
            format!("{why}{least}{}", lost(loss, tally, untracked))
        }
        LossClass::Unseen if loss.truncated => {
            let known = loss.classes.get(&LossClass::Lost).filter(|known| known.files > 0);
            match known {
                Some(known) => {
                    format!("at least {}; not everything was looked at", lost(loss, known, untracked))
                }
                None => "there is more than could be looked at".to_owned(),
            }
        }
        LossClass::Unseen => format!("{what} could not be looked at"),
    }
}

fn lost(loss: &Loss, tally: &Tally, untracked: bool) -> String {
    let bytes = if tally.bytes > 0 { format!(", {},", size(tally.bytes)) } else { String::new() };
    if tally.files == 1 {
        let name = example(tally);
        return if loss.modified > 0 {
            format!("changes to {name}{bytes} exist nowhere else")
        } else {
            format!("{name}{bytes} exists nowhere else")
        };
    }
    let modified = loss.modified.min(tally.files);
    let rest = tally.files - modified;
    let kind = |number: u64, word: &str| count(number, word);
    let mut parts = Vec::new();
    if rest > 0 {
        parts.push(kind(rest, if untracked { "untracked file" } else { "file" }));
    }
    if modified > 0 {
        parts.push(kind(modified, "modified file"));
    }
    let more = if tally.files > tally.examples.len() as u64 { ", …" } else { "" };
    format!("{}{bytes} exist nowhere else: {}{more}", list(&parts), tally.examples.join(", "))
}

fn example(tally: &Tally) -> String {
    tally.examples.first().cloned().unwrap_or_else(|| format!("{} file", grouped(tally.files)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_is_told_in_a_sentence() {
        let mut loss = Loss::default();
        assert_eq!(sentence(&loss, true), "nothing is lost");
        loss.add(LossClass::Lost, 1200, || "a.txt".to_owned());
        assert_eq!(sentence(&loss, true), "a.txt, 1.2 kB, exists nowhere else");
        for name in ["b.txt", "c.txt", "d.py"] {
            loss.add(LossClass::Lost, 13_266, || name.to_owned());
        }
        loss.modified = 1;
        assert_eq!(
            sentence(&loss, true),
            "3 untracked files and 1 modified file, 41 kB, exist nowhere else: a.txt, b.txt, c.txt, d.py"
        );
        loss.truncated = true;
        assert!(
            sentence(&loss, true).starts_with("at least 3 untracked files and 1 modified file, 41 kB, exist")
        );
        loss.add(LossClass::Unseen, 0, || "…".to_owned());
        assert!(sentence(&loss, false).starts_with("at least 3 files and 1 modified file"));
    }

    #[test]
    fn harmless_classes_are_told_too() {
        let mut loss = Loss::default();
        loss.add(LossClass::Tracked, 10, || "src/main.py".to_owned());
        assert_eq!(sentence(&loss, true), "src/main.py is in git exactly as it is");
        loss.add(LossClass::Tracked, 10, || "src/util.py".to_owned());
        assert_eq!(sentence(&loss, true), "2 files are in git exactly as they are");
    }
}
