//! Statements with numbers in them that are not known before they run.

use crate::model::{Mark, Signs, is_mark};

/// The text with a number at each place for one; `None` where what stands there could be more than a number or a part of
/// a quoted text.
pub fn sql_with_numbers(text: &str) -> Option<String> {
    // Other quotes, comments and what a client reads for itself end where the signs may say.
    let other = ["--", "/*", "$", "\\", "`", "\"", "#"].iter().any(|sign| text.contains(sign));
    if other || text.starts_with('.') {
        return None;
    }
    let mut quoted = false;
    let mut before = None;
    let mut whole = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\'' {
            quoted = !quoted;
        }
        let mark = Mark::of(c);
        if is_mark(c) {
            let number = mark.is_some_and(|mark| mark.signs == Signs::Number);
            let starts = before.is_some_and(|c| matches!(c, ' ' | '=' | '(' | ',' | '<' | '>'));
            let ends = chars.peek().is_none_or(|c| matches!(c, ' ' | ')' | ',' | ';'));
            let fits = quoted || number && starts && ends;
            (fits && mark.is_some_and(|mark| !mark.lines)).then_some(())?;
            whole.push('1');
        } else {
            whole.push(c);
        }
        before = Some(c);
    }
    (!quoted).then_some(whole)
}

#[cfg(test)]
mod tests {
    use super::sql_with_numbers;
    use crate::model::{Mark, Signs};

    #[test]
    fn a_number_is_no_more_than_a_number() {
        let with = |signs, text: &str| {
            let mark = Mark { signs, lines: false }.sign().to_string();
            sql_with_numbers(&text.replace('?', &mark))
        };
        assert_eq!(with(Signs::Number, "select ?, '?'").as_deref(), Some("select 1, '1'"));
        assert_eq!(with(Signs::Word, "select '?'").as_deref(), Some("select '1'"));
        assert_eq!(with(Signs::Word, "select ?"), None);
        assert_eq!(with(Signs::Number, "select -?"), None, "a minus makes a comment of it");
        assert_eq!(with(Signs::Number, "select 1 -- ?"), None);
        assert_eq!(with(Signs::Number, "select t?"), None);
    }
}
