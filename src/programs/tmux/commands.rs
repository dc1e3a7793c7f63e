//! How tmux reads commands in its files and in words: much like a shell, with braces around commands of commands.

/// The commands of a text, each as its words. What stands in braces is one word.
pub(super) fn of_text(text: &str) -> Vec<Vec<String>> {
    let text = text.replace("\\\n", "");
    let mut found = Vec::new();
    let mut words: Vec<String> = Vec::new();
    let mut open: Option<String> = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '#' if open.is_none() => while chars.next_if(|c| *c != '\n').is_some() {},
            '%' if open.is_none() && words.is_empty() => while chars.next_if(|c| *c != '\n').is_some() {},
            '\n' | ';' => {
                words.extend(open.take());
                found.push(std::mem::take(&mut words));
            }
            c if c.is_whitespace() => words.extend(open.take()),
            '{' if open.is_none() => words.push(braced(&mut chars)),
            '\'' | '"' => {
                let word = open.get_or_insert_default();
                while let Some(inner) = chars.next().filter(|inner| *inner != c) {
                    match inner {
                        '\\' if c == '"' => word.extend(chars.next()),
                        inner => word.push(inner),
                    }
                }
            }
            '\\' => open.get_or_insert_default().extend(chars.next()),
            c => open.get_or_insert_default().push(c),
        }
    }
    words.extend(open);
    found.push(words);
    found.retain(|words| !words.is_empty());
    found
}

/// What stands up to the brace that closes the one before it.
fn braced(chars: &mut impl Iterator<Item = char>) -> String {
    let (mut inside, mut depth, mut quote) = (String::new(), 1, None);
    for c in chars {
        match (c, quote) {
            ('\'' | '"', None) => quote = Some(c),
            (c, Some(mark)) if c == mark => quote = None,
            ('{', None) => depth += 1,
            ('}', None) => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
        inside.push(c);
    }
    inside
}

/// The shell texts in a format: what stands in `#(…)`.
pub(super) fn of_format(format: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = format;
    while let Some((_, behind)) = rest.split_once("#(") {
        let mut depth = 1;
        let end = behind.char_indices().find_map(|(at, c)| {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            (depth == 0).then_some(at)
        });
        let end = end.unwrap_or(behind.len());
        found.push(&behind[..end]);
        rest = &behind[end..];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{of_format, of_text};

    #[test]
    fn commands_of_a_text() {
        let words = |text| of_text(text).into_iter().map(|words| words.join("|")).collect::<Vec<_>>();
        assert_eq!(words("set -g mouse on # all\nrun 'rm a'"), ["set|-g|mouse|on", "run|rm a"]);
        assert_eq!(words("neww \"a \\\"b\"; killw"), ["neww|a \"b", "killw"]);
        assert_eq!(
            words("if true {\n run { rm a }\n}\n%if x\nset a\\;b"),
            ["if|true|\n run { rm a }\n", "set|a;b"]
        );
        assert!(words("# nothing\n\n").is_empty());
    }

    #[test]
    fn shell_text_of_a_format() {
        assert_eq!(of_format("#(date) #{x} #(a (b) c)"), ["date", "a (b) c"]);
        assert!(of_format("#{session_name}").is_empty());
    }
}
