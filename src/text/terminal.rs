//! Text on a terminal: what may be printed, how wide it is, how long lines break.

/// Control characters, bidirectional overrides and other characters that show nothing are made visible, so that hostile
/// names cannot rewrite what a person reads. Newlines and tabs count as control characters here.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        escape_into(c, &mut out);
    }
    out
}

/// [`escape`] for one character.
pub(crate) fn escape_into(c: char, out: &mut String) {
    match c {
        '\n' => out.push_str("\\n"),
        '\t' => out.push_str("\\t"),
        '\r' => out.push_str("\\r"),
        '\u{1b}' => out.push_str("\\e"),
        c if c.is_control() || is_invisible(c) => {
            let code = u32::from(c);
            if code < 0x100 {
                out.push_str(&format!("\\x{code:02x}"));
            } else {
                out.push_str(&format!("\\u{{{code:x}}}"));
            }
        }
        c => out.push(c),
    }
}

/// Characters that reorder or hide text.
fn is_invisible(c: char) -> bool {
    matches!(u32::from(c),
        0xad | 0x34f | 0x61c | 0x115f | 0x1160 | 0x17b4 | 0x17b5 | 0x180b..=0x180f
        | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0x3164 | 0xfe00..=0xfe0f | 0xfeff | 0xffa0
        | 0xfff0..=0xfffb | 0x1d173..=0x1d17a | 0xe0000..=0xe0fff)
}

/// Columns that a character takes.
pub(crate) fn char_width(c: char) -> usize {
    let code = u32::from(c);
    match code {
        0 => 0,
        // Combining marks.
        0x300..=0x36f
        | 0x483..=0x489
        | 0x591..=0x5bd
        | 0x610..=0x61a
        | 0x64b..=0x65f
        | 0x1ab0..=0x1aff
        | 0x1dc0..=0x1dff
        | 0x20d0..=0x20ff
        | 0xfe20..=0xfe2f => 0,
        // East Asian wide and emoji.
        0x1100..=0x115f
        | 0x2e80..=0x303e
        | 0x3041..=0x33ff
        | 0x3400..=0x4dbf
        | 0x4e00..=0x9fff
        | 0xa000..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f300..=0x1f64f
        | 0x1f680..=0x1f6ff
        | 0x1f900..=0x1f9ff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

/// Columns that a text takes.
pub fn width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

/// At most `columns` columns, the middle replaced by `…`.
pub fn shorten(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let head = columns.saturating_sub(1) * 2 / 3;
    let tail = columns.saturating_sub(1) - head;
    let mut front = String::new();
    let mut used = 0;
    for c in text.chars() {
        if used + char_width(c) > head {
            break;
        }
        used += char_width(c);
        front.push(c);
    }
    let mut back = Vec::new();
    used = 0;
    for c in text.chars().rev() {
        if used + char_width(c) > tail {
            break;
        }
        used += char_width(c);
        back.push(c);
    }
    front.push('…');
    front.extend(back.into_iter().rev());
    front
}

/// Breaks a text at blanks into lines of at most `columns` columns; longer words are cut.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(10);
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let mut word = word;
        loop {
            let wide = width(word);
            let blank = usize::from(used > 0);
            if used + blank + wide <= columns {
                if blank == 1 {
                    line.push(' ');
                }
                line.push_str(word);
                used += blank + wide;
                break;
            }
            if used > 0 {
                lines.push(std::mem::take(&mut line));
                used = 0;
                continue;
            }
            let mut cut = 0;
            let mut taken = 0;
            for (at, c) in word.char_indices() {
                if taken + char_width(c) > columns {
                    break;
                }
                taken += char_width(c);
                cut = at + c.len_utf8();
            }
            let cut = cut.max(word.chars().next().map_or(0, char::len_utf8));
            lines.push(word[..cut].to_owned());
            word = &word[cut..];
            if word.is_empty() {
                break;
            }
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{escape, shorten, width, wrap};

    #[test]
    fn what_hides_or_moves_text_is_made_visible() {
        assert_eq!(escape("a\u{1b}[2Jb\n\u{202e}c\u{200b}\u{7f}"), "a\\e[2Jb\\n\\u{202e}c\\u{200b}\\x7f");
        assert_eq!(escape("naïve 日本"), "naïve 日本");
    }

    #[test]
    fn widths_and_shortening() {
        assert_eq!(width("日本"), 4);
        assert_eq!(shorten("short", 10), "short");
        let short = shorten("/a/very/long/path/that/does/not/fit", 12);
        assert!(width(&short) <= 12 && short.contains('…'), "{short}");
    }

    #[test]
    fn wrapping_never_exceeds_the_width() {
        for line in wrap(&format!("some words and {} end", "x".repeat(50)), 20) {
            assert!(width(&line) <= 20, "{line}");
        }
        assert!(wrap("", 20).is_empty());
    }
}
