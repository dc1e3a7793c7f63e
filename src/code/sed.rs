//! sed scripts: the commands that write files or run programs. Everything else only edits the stream.

use crate::model::{Mark, Signs, Value, is_mark};

use super::effect::CodeEffect;

/// What a sed script writes and runs. In-place editing is the command line's matter.
pub(super) fn analyse(text: &str) -> Vec<CodeEffect> {
    let chars = text.chars().collect::<Vec<_>>();
    let mut reader = Reader { woven: chars.iter().any(|c| is_mark(*c)), chars, at: 0, effects: Vec::new() };
    reader.script();
    reader.effects
}

/// A place where signs of an alphabet stand: where they could be more than text, nobody knows what the script does.
fn is_number(c: char) -> bool {
    Mark::of(c).is_some_and(|mark| mark.signs == Signs::Number && !mark.lines)
}

struct Reader {
    chars: Vec<char>,
    at: usize,
    /// Signs stand in it that are not known.
    woven: bool,
    effects: Vec<CodeEffect>,
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    fn skip(&mut self, wanted: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&wanted) {
            self.at += 1;
        }
    }

    fn line(&mut self) -> String {
        let start = self.at;
        self.skip(|c| c != '\n');
        // What has lines of its own may end this one.
        if self.chars[start..self.at].iter().any(|c| Mark::of(*c).is_some_and(|mark| mark.lines)) {
            self.exposed();
        }
        self.chars[start..self.at].iter().collect()
    }

    /// Signs that are not known stand where they could be a command.
    fn exposed(&mut self) {
        let reason = "sed code of which a part is not known before it runs".to_owned();
        self.effects.push(CodeEffect::Unknown { reason });
    }

    /// A sign that text with marks in it may not be divided by: the marks might hold it.
    fn divides(&mut self, delimiter: char) {
        if self.woven && (is_mark(delimiter) || Signs::Word.holds(delimiter)) {
            self.exposed();
        }
    }

    fn script(&mut self) {
        loop {
            self.skip(|c| c.is_whitespace() || c == ';' || c == '}');
            if self.peek().is_none() {
                return;
            }
            self.address();
            self.skip(|c| c.is_whitespace() || c == '!');
            let Some(command) = self.next() else { return };
            self.command(command);
        }
    }

    /// `1,5`, `/re/I`, `\,re,`, `$`, `0~4`, `2!`
    fn address(&mut self) {
        loop {
            match self.peek() {
                Some('/') => {
                    self.at += 1;
                    self.delimited('/');
                    self.skip(|c| matches!(c, 'I' | 'M'));
                }
                Some('\\') => {
                    self.at += 1;
                    if let Some(delimiter) = self.next() {
                        self.divides(delimiter);
                        self.delimited(delimiter);
                    }
                    self.skip(|c| matches!(c, 'I' | 'M'));
                }
                // A number with a line behind it is a mistake, and nothing runs.
                Some(c) if Mark::of(c).is_some_and(|mark| mark.signs == Signs::Number) => self.at += 1,
                Some(c) if c.is_ascii_digit() || matches!(c, '$' | ',' | '~' | '+' | ' ') => self.at += 1,
                _ => return,
            }
        }
    }

    /// Passes to behind the next delimiter that is neither escaped nor in brackets.
    fn delimited(&mut self, delimiter: char) -> String {
        let mut text = String::new();
        let mut bracket = false;
        while let Some(c) = self.next() {
            match c {
                '\\' => {
                    if self.peek().is_some_and(is_mark) {
                        self.exposed();
                    }
                    text.push(c);
                    text.extend(self.next());
                    continue;
                }
                // What may be empty would leave the bracket open.
                '[' if self.peek().is_some_and(|c| is_mark(c) || c == '^') && self.woven => {
                    self.exposed();
                }
                // A bracket expression that is closed may hold the delimiter.
                '[' if !bracket && delimiter != ']' => bracket = self.bracket_closes(),
                ']' if bracket => bracket = false,
                _ if c == delimiter && !bracket => return text,
                _ => {}
            }
            text.push(c);
        }
        text
    }

    fn bracket_closes(&self) -> bool {
        let rest = self.chars.get(self.at..).unwrap_or_default();
        let skip = usize::from(rest.first() == Some(&'^')) + 1;
        rest.iter().skip(skip).take_while(|c| **c != '\n').take(200).any(|c| *c == ']')
    }

    fn command(&mut self, command: char) {
        match command {
            '#' => {
                self.line();
            }
            's' => self.substitute(),
            'y' => {
                if let Some(delimiter) = self.next() {
                    self.divides(delimiter);
                    self.delimited(delimiter);
                    self.delimited(delimiter);
                }
            }
            'a' | 'i' | 'c' => self.text(),
            'w' | 'W' => {
                let file = self.line();
                self.write(file.trim());
            }
            'e' => {
                let command = self.line();
                let text = match command.trim() {
                    // The pattern space itself is run.
                    "" | ";" | "}" => Value::Unknown,
                    command => Value::marked(command).plain(),
                };
                self.effects.push(CodeEffect::Shell { text });
            }
            'r' | 'R' => {
                self.line();
            }
            ':' | 'b' | 't' | 'T' | 'v' => {
                let start = self.at;
                self.skip(|c| !matches!(c, '\n' | ';' | '}'));
                if self.chars[start..self.at].iter().any(|c| is_mark(*c)) {
                    self.exposed();
                }
            }
            c if is_mark(c) => self.exposed(),
            // q, Q, l and L may have a number behind them; all others stand alone.
            _ => self.skip(|c| c.is_ascii_digit() || is_number(c) || c == ' '),
        }
    }

    fn substitute(&mut self) {
        let Some(delimiter) = self.next() else { return };
        self.divides(delimiter);
        self.delimited(delimiter);
        let replacement = self.replacement(delimiter);
        let mut runs = false;
        loop {
            match self.peek() {
                Some('e') => runs = true,
                Some('g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9') => {}
                Some(c) if is_number(c) => {}
                Some(c) if is_mark(c) => {
                    self.exposed();
                    break;
                }
                Some('w') => {
                    self.at += 1;
                    let file = self.line();
                    self.write(file.trim());
                    break;
                }
                _ => break,
            }
            self.at += 1;
        }
        if runs {
            // References to the match make the text unknown from there on.
            let text = match replacement.find(|c| matches!(c, '&' | '\\') || is_mark(c)) {
                None => Value::known(replacement),
                Some(at) if at > 0 => {
                    Value::Affix { prefix: replacement[..at].to_owned(), suffix: String::new() }
                }
                Some(_) => Value::Unknown,
            };
            self.effects.push(CodeEffect::Shell { text });
        }
    }

    /// Brackets mean nothing in a replacement.
    fn replacement(&mut self, delimiter: char) -> String {
        let mut text = String::new();
        while let Some(c) = self.next() {
            if c == delimiter {
                break;
            }
            text.push(c);
            if c == '\\' {
                if self.peek().is_some_and(is_mark) {
                    self.exposed();
                }
                match self.next() {
                    Some(next) if next == delimiter => {
                        text.pop();
                        text.push(next);
                    }
                    next => text.extend(next),
                }
            }
        }
        text
    }

    /// Text of `a`, `i`, `c`: to the end of the line, or further where a backslash ends the line.
    fn text(&mut self) {
        while let Some(c) = self.next() {
            match c {
                '\\' => {
                    if self.peek().is_some_and(is_mark) {
                        self.exposed();
                    }
                    self.next();
                }
                c if Mark::of(c).is_some_and(|mark| mark.lines) => return self.exposed(),
                '\n' => return,
                _ => {}
            }
        }
    }

    fn write(&mut self, file: &str) {
        if !file.is_empty() && !matches!(file, "/dev/stdout" | "/dev/stderr") {
            self.effects.push(CodeEffect::Overwrite { path: Value::marked(file).plain() });
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::code::interpret::tests::show;

    #[test]
    fn scripts() {
        for (script, expected) in [
            ("s/a/b/g", ""),
            ("s/x/rm y/", ""),
            ("w notes.md", "> notes.md"),
            ("/x/w out.txt\np", "> out.txt"),
            ("s/a/b/w out", "> out"),
            ("s/a/b/gpw /dev/stdout", ""),
            ("1s/.*/rm -f a/e", "sh rm -f a"),
            ("s/.*/rm &/e", "sh rm …"),
            ("1e rm a", "sh rm a"),
            ("e", "sh …"),
            ("s/\\(.*\\)/w \\1/;s,a/b,c,", ""),
            ("s;[^/]*/;|____;g;s;____|; |;g", ""),
            ("1d;2{h;s/./ /g;x};/^\\s*$/b;G;s/\\n/ /", ""),
            ("/^lib/b 1;d;:1;s,/[^/.][^/]*/\\.\\./,/,;t 1;s,:[^=]*=,:;,;s,;,;  ,g", ""),
            ("s/[/]/w x/", ""),
            ("$!N;P;D", ""),
            ("2i\\\nw out\n3a text; w out", ""),
            ("/start/,/end/{s/a/b/;w out\n}", "> out"),
            ("y/abc/wex/", ""),
            ("/a/ {s//c/; :loop; n; b loop}", ""),
            ("s=/=\\\\/=g", ""),
            ("0~3p;5q;l 3", ""),
            ("r w", ""),
            ("\\,a,w out", "> out"),
            ("s/a/[/;w out", "> out"),
        ] {
            assert_eq!(show("sed", script, &[]), expected, "{script}");
        }
    }
}
