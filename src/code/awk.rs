//! awk programs: `system`, pipes, and output files. Everything else only reads and prints.

use std::collections::BTreeMap;

use crate::model::{Mark, Signs, Value, is_mark};

use super::effect::CodeEffect;
use super::quote::fed;

/// What programs in it are run by.
pub(super) const NAME: &str = "awk";

/// What an awk program writes and runs.
pub(super) fn analyse(text: &str) -> Vec<CodeEffect> {
    let tokens = tokens(text);
    if exposed(text, &tokens) {
        let reason = "awk code of which a part is not known before it runs".to_owned();
        return vec![CodeEffect::Unknown { reason }];
    }
    let mut reader = Reader { tokens: &tokens, variables: BTreeMap::new(), effects: Vec::new() };
    reader.assignments();
    reader.read();
    reader.effects
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Text(String),
    Number(String),
    Name(String),
    Regex,
    Op(&'static str),
    /// A line break, which ends a statement.
    Line,
}

const OPERATORS: &[&str] = &[
    ">>", "|&", "||", "&&", "==", "!=", "<=", ">=", "++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "!~",
    "|", ">", "<", "=", "+", "-", "*", "/", "%", "^", "!", "~", "?", ":", ",", ";", "(", ")", "{", "}", "[",
    "]", "$", "@",
];

fn tokens(text: &str) -> Vec<Token> {
    let chars = text.chars().collect::<Vec<_>>();
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        match c {
            '\n' => {
                tokens.push(Token::Line);
                at += 1;
            }
            '\\' if chars.get(at + 1) == Some(&'\n') => at += 2,
            _ if c.is_whitespace() => at += 1,
            '#' => {
                while chars.get(at).is_some_and(|c| *c != '\n') {
                    at += 1;
                }
            }
            '"' => {
                let (value, end) = string(&chars, at + 1);
                tokens.push(Token::Text(value));
                at = end;
            }
            '/' if !matches!(
                tokens.last(),
                Some(
                    Token::Name(_)
                        | Token::Number(_)
                        | Token::Text(_)
                        | Token::Op(")" | "]" | "++" | "--" | "$")
                )
            ) =>
            {
                let mut bracket = false;
                at += 1;
                while let Some(&c) = chars.get(at) {
                    match c {
                        '\\' => at += 1,
                        '[' => bracket = true,
                        ']' => bracket = false,
                        '/' if !bracket => break,
                        '\n' => break,
                        _ => {}
                    }
                    at += 1;
                }
                at += 1;
                tokens.push(Token::Regex);
            }
            _ if c.is_ascii_digit() || is_mark(c) => {
                let start = at;
                while chars.get(at).is_some_and(|c| c.is_alphanumeric() || *c == '.' || is_mark(*c)) {
                    at += 1;
                }
                tokens.push(Token::Number(chars[start..at].iter().collect()));
            }
            _ if c.is_alphabetic() || c == '_' => {
                let start = at;
                while chars.get(at).is_some_and(|c| c.is_alphanumeric() || *c == '_' || is_mark(*c)) {
                    at += 1;
                }
                tokens.push(Token::Name(chars[start..at].iter().collect()));
            }
            _ => {
                let found = OPERATORS
                    .iter()
                    .find(|op| op.chars().enumerate().all(|(i, c)| chars.get(at + i) == Some(&c)));
                at += found.map_or(1, |op| op.len());
                if let Some(op) = found {
                    tokens.push(Token::Op(op));
                }
            }
        }
    }
    tokens
}

/// Whether signs that are not known stand anywhere but in a string, in a regular expression or for a number.
fn exposed(text: &str, tokens: &[Token]) -> bool {
    if !text.contains(is_mark) {
        return false;
    }
    // What a backslash or a bracket gives another meaning may be nothing at all.
    let escaped =
        text.chars().zip(text.chars().skip(1)).any(|(before, c)| matches!(before, '\\' | '[') && is_mark(c));
    let lines = text.chars().any(|c| Mark::of(c).is_none_or(|mark| mark.lines) && is_mark(c));
    let apart = tokens.iter().any(|token| match token {
        Token::Name(name) => name.contains(is_mark),
        Token::Number(number) => {
            number.contains(is_mark)
                && (number.contains(char::is_alphabetic)
                    || number
                        .chars()
                        .any(|c| is_mark(c) && Mark::of(c).is_none_or(|m| m.signs != Signs::Number)))
        }
        _ => false,
    });
    // What may be nothing at all before a slash makes it the beginning of an expression.
    let divided = tokens
        .windows(2)
        .any(|two| matches!(two, [Token::Number(number), Token::Op("/" | "/=")] if number.contains(is_mark)));
    escaped || lines || apart || divided
}

/// A string's value, and the place behind its closing quote.
fn string(chars: &[char], mut at: usize) -> (String, usize) {
    let mut value = String::new();
    while let Some(&c) = chars.get(at) {
        at += 1;
        match c {
            '"' => break,
            '\\' => {
                match chars.get(at) {
                    Some('n') => value.push('\n'),
                    Some('t') => value.push('\t'),
                    Some('\n') | None => {}
                    Some(first @ '0'..='7') => {
                        let mut code = first.to_digit(8).unwrap_or(0);
                        for _ in 0..2 {
                            let Some(digit) = chars.get(at + 1).and_then(|c| c.to_digit(8)) else { break };
                            code = code * 8 + digit;
                            at += 1;
                        }
                        value.extend(char::from_u32(code));
                    }
                    Some('x') => {
                        let mut code = 0;
                        for _ in 0..2 {
                            let Some(digit) = chars.get(at + 1).and_then(|c| c.to_digit(16)) else { break };
                            code = code * 16 + digit;
                            at += 1;
                        }
                        value.extend(char::from_u32(code));
                    }
                    Some(other) => value.push(*other),
                }
                at += 1;
            }
            other => value.push(other),
        }
    }
    (value, at)
}

struct Reader<'a> {
    tokens: &'a [Token],
    variables: BTreeMap<String, Value>,
    effects: Vec<CodeEffect>,
}

impl Reader<'_> {
    fn op(&self, at: usize, op: &str) -> bool {
        matches!(self.tokens.get(at), Some(Token::Op(found)) if *found == op)
    }

    /// Variables that are set exactly once, to a text.
    fn assignments(&mut self) {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for (at, token) in self.tokens.iter().enumerate() {
            let Token::Name(name) = token else { continue };
            let changed = matches!(self.tokens.get(at + 1), Some(Token::Op("=" | "+=" | "++" | "--" | "-=")))
                || (at > 0 && (self.op(at - 1, "++") || self.op(at - 1, "--")));
            if changed {
                *seen.entry(name.clone()).or_default() += 1;
                if self.op(at + 1, "=") {
                    let (value, _) = self.concatenation(at + 2);
                    self.variables.insert(name.clone(), value);
                }
            }
            // Names that functions set.
            if matches!(name.as_str(), "getline" | "split" | "sub" | "gsub" | "for" | "in") {
                for other in self.tokens.iter().skip(at + 1).take(8) {
                    if let Token::Name(other) = other {
                        *seen.entry(other.clone()).or_default() += 2;
                    }
                }
            }
        }
        self.variables.retain(|name, _| seen.get(name) == Some(&1));
    }

    fn read(&mut self) {
        let mut at = 0;
        let mut printing = false;
        let mut printed = 0;
        let mut level = 0_usize;
        while let Some(token) = self.tokens.get(at) {
            match token {
                Token::Name(name) if matches!(name.as_str(), "print" | "printf") => {
                    printing = true;
                    printed = at;
                    level = 0;
                }
                Token::Name(name) if name == "system" && self.op(at + 1, "(") => {
                    let (text, _) = self.concatenation(at + 2);
                    self.effects.push(CodeEffect::Shell { text });
                }
                Token::Op("@") if matches!(self.tokens.get(at + 1), Some(Token::Name(name)) if name == "include") =>
                {
                    // The same program reads the file, as if it were told to.
                    let (file, _) = self.concatenation(at + 2);
                    self.effects
                        .push(CodeEffect::Run { argv: vec![Value::known(NAME), Value::known("-f"), file] });
                }
                Token::Op("@") => {
                    // An indirect call may be of `system`.
                    if matches!(self.tokens.get(at + 1), Some(Token::Name(name)) if !matches!(name.as_str(), "include" | "load" | "namespace"))
                    {
                        self.effects.push(CodeEffect::Unknown {
                            reason: "a function that is chosen at run time".to_owned(),
                        });
                    }
                }
                Token::Op("(" | "[") => level += 1,
                Token::Op(")" | "]") => level = level.saturating_sub(1),
                Token::Op(";" | "}" | "{") | Token::Line => printing = false,
                Token::Op(">" | ">>") if printing && level == 0 => self.output(at),
                Token::Op("|" | "|&") => self.pipe(at, printing.then_some(printed)),
                _ => {}
            }
            at += 1;
        }
    }

    /// `print … > target`
    fn output(&mut self, at: usize) {
        let (path, _) = self.concatenation(at + 1);
        if path.as_known().is_some_and(|path| {
            matches!(path, "/dev/stderr" | "/dev/stdout" | "/dev/null" | "/dev/tty" | "-")
        }) {
            return;
        }
        self.effects.push(if self.op(at, ">>") {
            CodeEffect::Append { path }
        } else {
            CodeEffect::Overwrite { path }
        });
    }

    /// `print … | command`, `command | getline`
    fn pipe(&mut self, at: usize, printed: Option<usize>) {
        let text = if matches!(self.tokens.get(at + 1), Some(Token::Name(name)) if name == "getline") {
            self.concatenation_before(at)
        } else if printed.is_some() || self.op(at, "|&") {
            let (command, _) = self.concatenation(at + 1);
            fed(self.printed(printed, at).as_ref(), &command)
        } else {
            return;
        };
        self.effects.push(CodeEffect::Shell { text });
    }

    /// What the `print` at a place prints, when it is one known text.
    fn printed(&self, print: Option<usize>, end: usize) -> Option<Value> {
        let print = print?;
        let plain = matches!(self.tokens.get(print), Some(Token::Name(name)) if name == "print");
        let (value, after) = self.concatenation(print + 1);
        (plain && after == end && value.as_known().is_some()).then_some(value)
    }

    /// The value of texts and variables side by side, and the place behind them.
    fn concatenation(&self, mut at: usize) -> (Value, usize) {
        let mut value: Option<Value> = None;
        let mut level = 0;
        loop {
            let next = match self.tokens.get(at) {
                Some(Token::Op("(")) => {
                    level += 1;
                    at += 1;
                    continue;
                }
                Some(Token::Op(")")) if level > 0 => {
                    level -= 1;
                    at += 1;
                    continue;
                }
                Some(Token::Text(text) | Token::Number(text)) => Value::marked(text.clone()).plain(),
                Some(Token::Name(name)) => {
                    let called = self.op(at + 1, "(") || self.op(at + 1, "[");
                    let known = if called { None } else { self.variables.get(name).cloned() };
                    if called {
                        // The arguments or subscripts belong to the value that is not known.
                        let (mut depth, mut end) = (0_i32, at + 1);
                        while let Some(token) = self.tokens.get(end) {
                            depth += match token {
                                Token::Op("(" | "[") => 1,
                                Token::Op(")" | "]") => -1,
                                _ => 0,
                            };
                            if depth == 0 {
                                break;
                            }
                            end += 1;
                        }
                        at = end;
                    }
                    known.unwrap_or(Value::Unknown)
                }
                Some(Token::Op("$")) => {
                    at += 1;
                    Value::Unknown
                }
                Some(Token::Op("?" | ":" | "+" | "-" | "*" | "/" | "%" | "^" | "~")) => {
                    // More than texts side by side: any value.
                    return (Value::Unknown, at);
                }
                _ => break,
            };
            value = Some(match value {
                Some(before) => before.concat(&next),
                None => next,
            });
            at += 1;
        }
        (value.unwrap_or(Value::Unknown), at)
    }

    /// The texts that stand in front of a place.
    fn concatenation_before(&self, at: usize) -> Value {
        let mut start = at;
        while start > 0
            && matches!(
                self.tokens.get(start - 1),
                Some(Token::Text(_) | Token::Name(_) | Token::Number(_) | Token::Op("$" | "(" | ")"))
            )
            && !matches!(self.tokens.get(start - 1), Some(Token::Name(name)) if matches!(name.as_str(), "while" | "if" | "BEGIN" | "END" | "print"))
        {
            start -= 1;
        }
        self.concatenation(start).0
    }
}

#[cfg(test)]
mod tests {
    use crate::code::interpret::tests::show;

    #[test]
    fn programs() {
        for (program, expected) in [
            ("{print $2}", ""),
            ("$1 > 5", ""),
            ("$1 > 5 {print}", ""),
            ("/rm -rf/{print FILENAME}", ""),
            ("BEGIN{print \"rm notes.md\"}", ""),
            ("BEGIN{print \"x\" > \"notes.md\"}", "> notes.md"),
            ("{print >> \"log\"}", ">> log"),
            ("{print > \"/tmp/out-\" NR}", "> /tmp/out-…"),
            ("{print > $1}", "> …"),
            ("{print > $1 \".txt\"}", "> ….txt"),
            ("{print $1 > \"/dev/stderr\"}", ""),
            ("BEGIN{system(\"rm notes.md\")}", "sh rm notes.md"),
            ("{system(\"rm \" $1)}", "sh rm …"),
            ("BEGIN{c=\"rm a\"; system(c)}", "sh rm a"),
            ("BEGIN{c=\"rm\"; c=c \" a\"; system(c)}", "sh …"),
            ("BEGIN{print \"rm -f a\" | \"sh\"}", "sh printf '%s\\n' 'rm -f a' | sh"),
            ("{print \"rm \" $1 | \"sh\"}", "sh cat | sh"),
            ("{print | \"sort -u\"}", "sh cat | sort -u"),
            ("BEGIN{while ((\"ls\" | getline f) > 0) print f}", "sh ls"),
            ("BEGIN{\"date\" | getline d; print d}", "sh date"),
            ("BEGIN{f=\"system\"; @f(\"rm a\")}", "unknown"),
            ("NR==1 {gsub(/\"/,\"\",$3);print $3}", ""),
            ("{if ($1 > 3) print $2; else print ($1 > 2)}", ""),
            ("!seen[$0]++", ""),
            ("a || b {x = y | 1}", ""),
            ("BEGIN{FS=\":\"} {n[$1]++} END{for (k in n) printf \"%s %d\\n\", k, n[k]}", ""),
            ("{printf(\"%.2f\\n\", $1/$2)}", ""),
            ("# print > \"a\"\n{print}", ""),
            ("{print ($1 > 2) > \"out\"}", "> out"),
            ("/[/]/ {print}", ""),
            ("{ while ((getline line < \"in\") > 0) print line }", ""),
            ("{ print $1, $2 > (FILENAME \".new\") }", "> ….new"),
        ] {
            assert_eq!(show("awk", program, &[]), expected, "{program}");
        }
    }
}
