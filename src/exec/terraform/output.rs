//! What `terraform plan` prints, without the last remark: it would tell people to apply a file that only this process
//! can reach.

use std::io::{self, Read, Write};

/// Copies `from` to `to` as it comes, the closing remark about the saved plan left out.
///
/// # Errors
/// When either side fails.
pub(super) fn forward(mut from: impl Read, mut to: impl Write) -> io::Result<()> {
    let mut filter = Filter::default();
    let mut chunk = [0; 8192];
    loop {
        let read = from.read(&mut chunk)?;
        if read == 0 {
            break;
        }
        to.write_all(&filter.take(&chunk[..read]))?;
        to.flush()?;
    }
    to.write_all(&filter.end())?;
    to.flush()
}

/// The rule that stands before the remark, in UTF-8.
const RULE: &str = "─";

#[derive(Default)]
struct Filter {
    /// The current line as far as it may be a rule, then everything behind that rule.
    held: Vec<u8>,
    place: Place,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// At a line's start, or within what may become a rule.
    #[default]
    Start,
    /// Within an ordinary line.
    Line,
    /// Behind a rule.
    Behind,
}

impl Filter {
    fn take(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len());
        for &byte in bytes {
            match self.place {
                Place::Line => {
                    out.push(byte);
                    if byte == b'\n' {
                        self.place = Place::Start;
                    }
                }
                Place::Behind => self.held.push(byte),
                Place::Start => {
                    self.held.push(byte);
                    if byte == b'\n' {
                        if is_rule(&self.held) {
                            self.place = Place::Behind;
                        } else {
                            out.append(&mut self.held);
                        }
                    } else if !may_be_rule(&self.held) {
                        out.append(&mut self.held);
                        self.place = Place::Line;
                    }
                }
            }
        }
        out
    }

    fn end(self) -> Vec<u8> {
        let remark = String::from_utf8_lossy(&self.held);
        if self.place == Place::Behind && remark.contains("Saved the plan to") {
            Vec::new()
        } else {
            self.held
        }
    }
}

/// Whether a line's beginning may still become a rule: colour codes and the rule's character.
fn may_be_rule(line: &[u8]) -> bool {
    let mut rest = line;
    loop {
        if rest.is_empty() || RULE.as_bytes().starts_with(rest) || rest == b"\r" {
            return true;
        }
        if let Some(tail) = rest.strip_prefix(RULE.as_bytes()) {
            rest = tail;
        } else if rest[0] == 0x1b {
            let Some(end) = rest.iter().position(|byte| *byte == b'm') else { return rest.len() < 16 };
            rest = &rest[end + 1..];
        } else {
            return false;
        }
    }
}

fn is_rule(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    text.matches(RULE).count() >= 20 && may_be_rule(line.strip_suffix(b"\n").unwrap_or(line))
}

#[cfg(test)]
mod tests {
    use super::forward;

    fn filtered(text: &str) -> String {
        let mut out = Vec::new();
        forward(text.as_bytes(), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn only_the_remark_about_the_saved_plan_goes() {
        let rule = "─".repeat(70);
        let plan = "Plan: 1 to add.\nvar.x\n  Enter a value: ";
        assert_eq!(filtered(plan), plan);
        assert_eq!(
            filtered(&format!("{plan}\n\u{1b}[90m\n{rule}\u{1b}[0m\n\nSaved the plan to: /x\n")),
            format!("{plan}\n\u{1b}[90m\n")
        );
        let other = format!("a\n{rule}\nNote: something else\n");
        assert_eq!(filtered(&other), other);
        assert_eq!(filtered("── a heading\n"), "── a heading\n");
    }
}
