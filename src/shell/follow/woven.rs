//! Shell text of which only the signs are known that stand at some places: whether it is the same commands whatever stands
//! there.

use crate::model::{Mark, is_mark};

/// Words behind which a name stands that the text may come back to.
const NAMERS: &str = "for select read export declare typeset local readonly unset let getopts mapfile readarray alias \
                      unalias function eval source trap";

/// Whether all that is not known stands in words whose commands are known, and is a part of them alone.
pub(super) fn is_inert(text: &str) -> bool {
    let words = text.split(|c: char| c.is_whitespace() || ";|&()`'\"".contains(c));
    let names = words.into_iter().any(|word| NAMERS.split(' ').any(|namer| namer == word));
    let other = ["<<", "((", "printf -v", "${"].iter().any(|sign| text.contains(sign))
        || text.contains('{') && text.contains("..");
    let chars = text.chars().collect::<Vec<_>>();
    let fits = |at: usize| {
        let before = chars.get(..at).unwrap_or_default();
        // `$x` with a digit behind it is another variable.
        let run =
            before.iter().rev().take_while(|c| c.is_alphanumeric() || **c == '_' || is_mark(**c)).count();
        let start = before.len().checked_sub(run + 1).and_then(|at| before.get(at));
        before.last().is_none_or(|c| stands_before(*c))
            && !matches!(start, Some('$' | '{' | '!' | '#'))
            && chars.get(at + 1).is_none_or(|c| stands_behind(*c))
    };
    !names
        && !other
        && chars
            .iter()
            .enumerate()
            .all(|(at, c)| !is_mark(*c) || Mark::of(*c).is_some_and(|mark| !mark.lines) && fits(at))
}

fn stands_before(c: char) -> bool {
    c.is_ascii_alphanumeric() || is_mark(c) || " \t\n\"'/._-:=,@+%".contains(c)
}

fn stands_behind(c: char) -> bool {
    c.is_ascii_alphanumeric() || is_mark(c) || " \t\n\"'/._-:,@+%;|&)".contains(c)
}

#[cfg(test)]
mod tests {
    use super::is_inert;
    use crate::model::{Mark, Signs};

    #[test]
    fn what_could_be_another_command_is_not_inert() {
        let mark = Mark { signs: Signs::Word, lines: false }.sign();
        let with = |text: &str| is_inert(&text.replace('~', &mark.to_string()));
        for inert in ["git log ~", "docker pull r:~", "echo '~' > f", "tail -n +~ log", "echo a~; ls"] {
            assert!(with(inert), "{inert}");
        }
        for other in [
            "for ~ in /; do rm -rf $x; done",
            "rm -rf $x~",
            "rm -rf ${x~}",
            "~=x ls",
            "cat <<~",
            "rm {1..~}",
            "echo \\~",
            "a~() { ls; }",
            "rm a~>f",
            "printf -v ~ x",
        ] {
            assert!(!with(other), "{other}");
        }
        let lines = Mark { signs: Signs::Hex, lines: true }.sign();
        assert!(!is_inert(&format!("git show {lines}")));
    }
}
