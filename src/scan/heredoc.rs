//! The names of here-documents on a line of shell text.

/// What ends each here-document that the text names, in order, and whether tabs in front of it count for nothing.
pub(super) fn names(text: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    let mut quote = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some('\''), _) => {}
            (_, '\\') => {
                chars.next();
            }
            (None, '"' | '\'') => quote = Some(c),
            (None, '<') if text.get(at..).is_some_and(|rest| rest.starts_with("<<")) => {
                let rest = text.get(at + 2..).unwrap_or("");
                // `<<<` is a text of its own.
                if let Some(rest) = rest.strip_prefix('<') {
                    while chars.next_if(|(at, _)| *at < text.len() - rest.len()).is_some() {}
                    continue;
                }
                let tabs = rest.starts_with('-');
                let rest = rest.strip_prefix('-').unwrap_or(rest);
                let rest = rest.trim_start_matches([' ', '\t']);
                let (name, behind) = word(rest);
                while chars.next_if(|(at, _)| *at < text.len() - behind.len()).is_some() {}
                if !name.is_empty() {
                    found.push((name, tabs));
                }
            }
            _ => {}
        }
    }
    found
}

/// A word without its quotes, and what stands behind it.
fn word(text: &str) -> (String, &str) {
    if let Some(open) = text.chars().next().filter(|c| matches!(c, '"' | '\''))
        && let Some((name, behind)) = text.get(1..).and_then(|rest| rest.split_once(open))
    {
        return (name.to_owned(), behind);
    }
    let end = text.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.' | '\\'));
    let end = end.unwrap_or(text.len());
    (text.get(..end).unwrap_or("").replace('\\', ""), text.get(end..).unwrap_or(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn here_documents_are_named() {
        let names = |text: &str| names(text).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(names("cat <<EOF > x && sh <<-'B C'"), ["EOF", "B C"]);
        assert_eq!(names("a <<<word; echo '<<no' \"<<no\" \\<<yes"), ["yes"; 0]);
        assert_eq!(names("python3 - << \"PY\""), ["PY"]);
    }
}
