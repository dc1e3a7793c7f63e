//! Lines that no shell runs: a redirection stands at their end, and its file does not (`git clone <url>`).
//!
//! A shell reads a whole line before it runs any of it, so of such a line nothing runs.

/// Whether a text is one line that ends in a redirection without its file.
pub fn ends_in_redirection(text: &str) -> bool {
    let text = text.trim_end_matches([' ', '\t']);
    if !text.ends_with(['>', '<'])
        || text.contains(['\n', '\r', '`'])
        || text.contains("$(")
        || text.contains("<<")
    {
        return false;
    }
    // Of zsh: any file with a number in this range.
    let inner = text.strip_suffix('>').and_then(|rest| rest.rsplit_once('<')).map_or("x", |(_, inner)| inner);
    if inner.chars().all(|c| c.is_ascii_digit() || c == '-') {
        return false;
    }
    let mut quote = None;
    let mut before = ' ';
    let mut escaped = false;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None | Some('"'), '\\') => {
                chars.next();
                escaped = chars.as_str().is_empty();
            }
            (None, '\'' | '"') => quote = Some(c),
            // What `$'…'` means inside is another matter.
            (Some(open), c) if c == open => quote = None,
            (None, '#') if before.is_whitespace() || ";|&()".contains(before) => return false,
            (None, '$') if chars.as_str().starts_with(['\'', '"', '{', '[']) => return false,
            _ => {}
        }
        before = c;
    }
    quote.is_none() && !escaped
}

#[cfg(test)]
mod tests {
    use super::ends_in_redirection;

    #[test]
    fn a_line_that_waits_for_a_file_is_known() {
        for text in [
            "<p>",
            "git clone <url>",
            "rm -rf <dir>",
            "echo 'a b' >",
            "kubectl logs <pod> ",
            "cat \"x\" <y>",
            "a \\> <b>",
        ] {
            assert!(ends_in_redirection(text), "{text}");
        }
        for text in [
            "rm x",
            "rm x # <dir>",
            "rm x;# >",
            "echo '<p>",
            "echo \"rm >\"",
            "rm x \\>",
            "rm <1-5>",
            "rm x <->",
            "rm x\n<p>",
            "cat <<x >",
            "rm `x` >",
            "rm $'\\'' >",
            "echo ${x#'} >",
        ] {
            assert!(!ends_in_redirection(text), "{text}");
        }
    }
}
