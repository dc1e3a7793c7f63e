//! What `sed` prints of a text that is known: lines chosen and substitutions made.
//!
//! Owns the few commands that people write in `$(…)` and pipes: `s`, `p`, `d`, `q`, with addresses. What else a script
//! holds makes it unknown.

use crate::model::Value;

use super::lines_of;
use super::pattern::{Pattern, Syntax};
use super::words::Words;

/// Most bytes that come out.
const OUTPUT_LIMIT: usize = 1024 * 1024;

enum Address {
    Line(usize),
    Last,
    Holds(Pattern),
}

enum Command {
    Substitute(Substitution),
    Print,
    Delete,
    Quit,
}

struct Step {
    from: Option<Address>,
    to: Option<Address>,
    inverted: bool,
    command: Command,
}

/// A script.
pub(super) struct Script {
    steps: Vec<Step>,
    silent: bool,
}

impl Script {
    /// Reads the options; the script stands in them or in the first operand. Also how many operands it took.
    pub(super) fn read(words: &Words<'_>) -> Option<(Self, usize)> {
        if words.options.iter().any(|(letter, _)| !"nErue".contains(*letter)) {
            return None;
        }
        let syntax = if words.has('E') || words.has('r') { Syntax::Extended } else { Syntax::Basic };
        let given: Vec<&str> =
            words.options.iter().filter(|(letter, _)| *letter == 'e').map(|(_, script)| *script).collect();
        let (scripts, used) = if given.is_empty() { (vec![*words.operands.first()?], 1) } else { (given, 0) };
        let mut reader = Reader { chars: scripts.join("\n").chars().collect(), at: 0, syntax };
        let steps = reader.steps()?;
        Some((Self { steps, silent: words.has('n') }, used))
    }

    /// What it prints.
    pub(super) fn of(&self, text: &Value) -> Option<Value> {
        let by_line = self.steps.iter().all(|step| {
            let free = |address: &Option<Address>| matches!(address, None | Some(Address::Holds(_)));
            free(&step.from) && step.to.is_none() && !matches!(step.command, Command::Quit)
        });
        if by_line && matches!(text, Value::Lines(_)) {
            return lines_of::each(text, |line| {
                let (mut printed, _) = self.run(&[line])?;
                (printed.len() < 2).then(|| printed.pop())
            });
        }
        lines_of::whole(text, |text| {
            let lines: Vec<&str> = text.lines().collect();
            let (printed, to_the_end) = self.run(&lines)?;
            let mut after: String = printed.iter().map(|line| format!("{line}\n")).collect();
            // The last line stays without its end.
            if to_the_end && !text.ends_with('\n') {
                after.pop();
            }
            Some(after)
        })
    }

    /// The lines that are printed, and whether the last of the input is among them.
    fn run(&self, lines: &[&str]) -> Option<(Vec<String>, bool)> {
        let mut printed: Vec<String> = Vec::new();
        let (mut size, mut to_the_end) = (0, false);
        let mut within = vec![false; self.steps.len()];
        'lines: for (at, line) in lines.iter().enumerate() {
            let (number, last) = (at + 1, at + 1 == lines.len());
            let mut line = (*line).to_owned();
            let before = printed.len();
            let (mut ends, mut put) = (false, !self.silent);
            for (step, within) in self.steps.iter().zip(&mut within) {
                if step.applies(&line, number, last, within)? == step.inverted {
                    continue;
                }
                match &step.command {
                    Command::Substitute(substitution) => {
                        if let Some(after) = substitution.of(&line)? {
                            line = after;
                            if substitution.prints {
                                printed.push(line.clone());
                            }
                        }
                    }
                    Command::Print => printed.push(line.clone()),
                    Command::Delete => {
                        put = false;
                        break;
                    }
                    Command::Quit => {
                        ends = true;
                        break;
                    }
                }
            }
            if put {
                printed.push(line.clone());
            }
            to_the_end = last && printed.len() > before;
            size += line.len();
            if size > OUTPUT_LIMIT {
                return None;
            }
            if ends {
                break 'lines;
            }
        }
        Some((printed, to_the_end))
    }
}

impl Step {
    fn applies(&self, line: &str, number: usize, last: bool, within: &mut bool) -> Option<bool> {
        let meets = |address: &Address| match address {
            Address::Line(wanted) => Some(*wanted == number),
            Address::Last => Some(last),
            Address::Holds(pattern) => pattern.holds(line),
        };
        let Some(from) = &self.from else { return Some(true) };
        let Some(to) = &self.to else { return meets(from) };
        if *within {
            // A line that lies in front of the first one ends it there.
            *within = match to {
                Address::Line(end) => *end > number,
                other => !meets(other)?,
            };
            return Some(true);
        }
        if meets(from)? {
            *within = match to {
                Address::Line(end) => *end > number,
                // The end is sought from the next line on.
                _ => !last,
            };
            return Some(true);
        }
        Some(false)
    }
}

/// `s/pattern/replacement/flags`
struct Substitution {
    pattern: Pattern,
    to: Vec<Part>,
    all: bool,
    prints: bool,
}

enum Part {
    Text(String),
    Group(usize),
}

impl Substitution {
    /// The line afterwards; `Some(None)` where nothing is found.
    fn of(&self, line: &str) -> Option<Option<String>> {
        let mut after = String::new();
        let (mut at, mut seen) = (0, 0);
        let mut found_any = false;
        while at <= line.len() {
            let Some(found) = self.pattern.first(line, at)? else { break };
            let whole = found.get(0)?;
            after.push_str(&line[seen..whole.start()]);
            for part in &self.to {
                match part {
                    Part::Text(text) => after.push_str(text),
                    Part::Group(number) => {
                        after.push_str(found.get(*number).map_or("", |group| group.as_str()));
                    }
                }
            }
            found_any = true;
            seen = whole.end();
            if !self.all {
                break;
            }
            // Where a match is empty, the sign behind it stays; that it may follow another is not settled here.
            if whole.start() == whole.end() {
                return None;
            }
            at = whole.end();
        }
        after.push_str(&line[seen..]);
        Some(found_any.then_some(after))
    }
}

struct Reader {
    chars: Vec<char>,
    at: usize,
    syntax: Syntax,
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

    fn skip(&mut self, signs: &[char]) {
        while self.peek().is_some_and(|c| signs.contains(&c)) {
            self.at += 1;
        }
    }

    fn steps(&mut self) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        loop {
            self.skip(&[' ', '\t', '\n', ';']);
            if self.peek().is_none() {
                return Some(steps);
            }
            let from = self.address()?;
            let mut to = None;
            if from.is_some() && self.peek() == Some(',') {
                self.at += 1;
                to = Some(self.address()??);
            }
            self.skip(&[' ']);
            let inverted = self.peek() == Some('!');
            if inverted {
                self.at += 1;
            }
            let command = match self.next()? {
                's' => Command::Substitute(self.substitution()?),
                'p' => Command::Print,
                'd' => Command::Delete,
                'q' if to.is_none() => Command::Quit,
                _ => return None,
            };
            self.skip(&[' ']);
            if !matches!(self.peek(), None | Some(';' | '\n')) {
                return None;
            }
            steps.push(Step { from, to, inverted, command });
        }
    }

    /// `Some(None)` where there is none.
    fn address(&mut self) -> Option<Option<Address>> {
        match self.peek() {
            Some('$') => {
                self.at += 1;
                Some(Some(Address::Last))
            }
            Some('0'..='9') => {
                let mut digits = String::new();
                while let Some(digit) = self.peek().filter(char::is_ascii_digit) {
                    digits.push(digit);
                    self.at += 1;
                }
                // `0,/x/` and `1~2` are GNU's.
                let number = digits.parse().ok().filter(|number| *number > 0)?;
                (self.peek() != Some('~')).then_some(Some(Address::Line(number)))
            }
            Some('/') => {
                self.at += 1;
                let text = self.delimited('/')?;
                Some(Some(Address::Holds(Pattern::read(&text, self.syntax, false)?)))
            }
            Some('\\' | '+' | '~') => None,
            _ => Some(None),
        }
    }

    /// Up to the delimiter, which behind a backslash stands for itself.
    fn delimited(&mut self, delimiter: char) -> Option<String> {
        let mut text = String::new();
        let mut bracket = false;
        loop {
            match self.next()? {
                '\\' => match self.next()? {
                    // As a sign of the expression it would mean something else than by itself.
                    c if c == delimiter
                        && c.is_ascii_punctuation()
                        && c != '/'
                        && c != ','
                        && c != '#'
                        && c != '@' =>
                    {
                        return None;
                    }
                    c if c == delimiter => text.push(c),
                    c => text.extend(['\\', c]),
                },
                '\n' => return None,
                '[' => {
                    bracket = true;
                    text.push('[');
                }
                ']' => {
                    bracket = false;
                    text.push(']');
                }
                // Some end the expression here, some do not.
                c if c == delimiter && bracket => return None,
                c if c == delimiter => return Some(text),
                c => text.push(c),
            }
        }
    }

    fn substitution(&mut self) -> Option<Substitution> {
        let delimiter = self.next().filter(|c| c.is_ascii_punctuation() && *c != '\\')?;
        let pattern = self.delimited(delimiter)?;
        let to = self.replacement(delimiter)?;
        let (mut all, mut prints, mut ignore) = (false, false, false);
        while let Some(flag) = self.peek().filter(char::is_ascii_alphanumeric) {
            self.at += 1;
            match flag {
                'g' => all = true,
                'p' => prints = true,
                'i' | 'I' if cfg!(target_os = "linux") => ignore = true,
                _ => return None,
            }
        }
        let pattern = Pattern::read(&pattern, self.syntax, ignore)?;
        let told = |part: &Part| match part {
            Part::Text(_) => true,
            Part::Group(number) => pattern.has_groups(*number),
        };
        to.iter().all(told).then_some(Substitution { pattern, to, all, prints })
    }

    fn replacement(&mut self, delimiter: char) -> Option<Vec<Part>> {
        let (mut parts, mut text) = (Vec::new(), String::new());
        loop {
            let c = self.next()?;
            let group = match c {
                '&' => 0,
                '\\' => match self.next()? {
                    digit @ '0'..='9' => digit.to_digit(10)? as usize,
                    // Letters are GNU's: `\n`, `\L`.
                    letter if letter.is_ascii_alphanumeric() || letter == '\n' => return None,
                    other => {
                        text.push(other);
                        continue;
                    }
                },
                '\n' => return None,
                c if c == delimiter => {
                    parts.push(Part::Text(text));
                    return Some(parts);
                }
                c => {
                    text.push(c);
                    continue;
                }
            };
            parts.push(Part::Text(std::mem::take(&mut text)));
            parts.push(Part::Group(group));
        }
    }
}
