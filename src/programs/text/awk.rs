//! What `awk` prints of a text that is known: fields of chosen lines.
//!
//! Owns rules such as `/x/ {print $2}` and `NR==1 {print $1 "-" $NF; exit}`. What else a program holds makes it unknown.

use crate::model::Value;

use super::lines_of;
use super::pattern::{Pattern, Syntax};
use super::words::Words;

/// What a rule waits for.
enum When {
    Always,
    Holds(Pattern, bool),
    /// The number of the line.
    Line(usize),
    /// A field is a text.
    Is(Field, String, bool),
}

#[derive(Clone, Copy)]
enum Field {
    Number(usize),
    /// So many in front of the last.
    Last(usize),
}

enum Item {
    Field(Field),
    Text(String),
    /// The separator of what is printed.
    Comma,
    Line,
    Fields,
    Cased(Field, bool),
}

struct Rule {
    when: When,
    print: Vec<Item>,
    exits: bool,
}

enum Separator {
    Blanks,
    Sign(char),
    Pattern(Pattern),
}

/// A program.
pub(super) struct Program {
    rules: Vec<Rule>,
    separator: Separator,
    between: String,
}

impl Program {
    /// Reads the options; the program is the first operand.
    pub(super) fn read(words: &Words<'_>) -> Option<Self> {
        let mut between = " ".to_owned();
        let mut separator = words.value('F');
        for (letter, value) in &words.options {
            match (*letter, value.split_once('=')) {
                ('F', _) => {}
                ('v', Some(("OFS", text))) if !text.contains('\\') => text.clone_into(&mut between),
                ('v', Some(("FS", text))) => separator = Some(text),
                _ => return None,
            }
        }
        let separator = match separator {
            None | Some(" ") => Separator::Blanks,
            Some("\\t") => Separator::Sign('\t'),
            // `-Ft` is a tabulator.
            Some("t" | "") => return None,
            // It is read once more before it is an expression.
            Some(other) if other.contains('\\') => return None,
            Some(one) if one.len() == 1 => Separator::Sign(one.chars().next()?),
            Some(other) => Separator::Pattern(pattern(other)?),
        };
        let tokens = tokens(words.operands.first()?)?;
        let mut reader = Reader { tokens, at: 0 };
        Some(Self { rules: reader.rules()?, separator, between })
    }

    /// What it prints.
    pub(super) fn of(&self, text: &Value) -> Option<Value> {
        let numbered = |rule: &Rule| {
            rule.exits
                || matches!(rule.when, When::Line(_))
                || rule.print.iter().any(|item| matches!(item, Item::Line))
        };
        if self.rules.len() == 1 && !self.rules.iter().any(numbered) {
            return lines_of::each(text, |line| Some(self.line(line, 0)?.0.pop()));
        }
        lines_of::whole(text, |text| {
            let mut printed = String::new();
            for (at, line) in text.lines().enumerate() {
                let (lines, ends) = self.line(line, at + 1)?;
                lines.iter().for_each(|line| printed.push_str(&format!("{line}\n")));
                if ends {
                    break;
                }
            }
            Some(printed)
        })
    }

    /// What is printed for one line, and whether it is the last.
    fn line(&self, line: &str, number: usize) -> Option<(Vec<String>, bool)> {
        let fields = self.fields(line)?;
        let field = |field: Field| match field {
            Field::Number(0) => Some(line),
            Field::Number(at) => Some(fields.get(at - 1).map_or("", String::as_str)),
            Field::Last(before) if before == 0 && fields.is_empty() => Some(line),
            Field::Last(before) => Some(fields.get(fields.len().checked_sub(before + 1)?)?.as_str()),
        };
        let mut printed = Vec::new();
        for rule in &self.rules {
            let meets = match &rule.when {
                When::Always => true,
                When::Holds(pattern, wanted) => pattern.holds(line)? == *wanted,
                When::Line(wanted) => *wanted == number,
                When::Is(one, text, wanted) => (field(*one)? == text) == *wanted,
            };
            if !meets {
                continue;
            }
            let mut text = String::new();
            for item in &rule.print {
                match item {
                    Item::Field(one) => text.push_str(field(*one)?),
                    Item::Text(known) => text.push_str(known),
                    Item::Comma => text.push_str(&self.between),
                    Item::Line => text.push_str(&number.to_string()),
                    Item::Fields => text.push_str(&fields.len().to_string()),
                    Item::Cased(one, upper) => {
                        let one = field(*one).filter(|text| text.is_ascii())?;
                        text.push_str(&if *upper {
                            one.to_ascii_uppercase()
                        } else {
                            one.to_ascii_lowercase()
                        });
                    }
                }
            }
            printed.push(text);
            if rule.exits {
                return Some((printed, true));
            }
        }
        Some((printed, false))
    }

    fn fields(&self, line: &str) -> Option<Vec<String>> {
        if line.is_empty() {
            return Some(Vec::new());
        }
        let divided = match &self.separator {
            Separator::Blanks => {
                let parts = line.split([' ', '\t']).filter(|part| !part.is_empty());
                return Some(parts.map(str::to_owned).collect());
            }
            Separator::Sign(sign) => return Some(line.split(*sign).map(str::to_owned).collect()),
            Separator::Pattern(pattern) => pattern,
        };
        let (mut fields, mut at) = (Vec::new(), 0);
        while let Some(found) = divided.first(line, at)? {
            let whole = found.get(0).filter(|found| !found.is_empty())?;
            fields.push(line.get(at..whole.start())?.to_owned());
            at = whole.end();
        }
        fields.push(line.get(at..)?.to_owned());
        Some(fields)
    }
}

/// An expression; not all programs of this name know intervals and classes with a backslash.
fn pattern(text: &str) -> Option<Pattern> {
    let signs: Vec<char> = text.chars().collect();
    let odd = signs.windows(2).any(|two| two[0] == '\\' && two[1].is_ascii_alphanumeric());
    if odd || text.contains('{') { None } else { Pattern::read(text, Syntax::Extended, false) }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Number(usize),
    Text(String),
    Pattern(String),
    Sign(&'static str),
}

const SIGNS: [&str; 13] = ["==", "!=", "!~", "~", "!", "$", "{", "}", "(", ")", ",", ";", "-"];

fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let taken = match c {
            ' ' | '\t' => 1,
            '\n' => {
                tokens.push(Token::Sign(";"));
                1
            }
            '"' => {
                let body = &rest[1..];
                let end = body.find('"')?;
                // What a backslash means there is not told here.
                let text = body[..end].to_owned();
                if text.contains('\\') {
                    return None;
                }
                tokens.push(Token::Text(text));
                end + 2
            }
            '/' => {
                let body = &rest[1..];
                let end = body.find('/')?;
                let text = body[..end].to_owned();
                // `[/]` and `\/` are read in more than one way.
                if text.ends_with('\\') || text.contains('[') && !text.contains(']') {
                    return None;
                }
                tokens.push(Token::Pattern(text));
                end + 2
            }
            '0'..='9' => {
                let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                tokens.push(Token::Number(rest[..end].parse().ok()?));
                end
            }
            c if c.is_ascii_alphabetic() => {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                tokens.push(Token::Word(rest[..end].to_owned()));
                end
            }
            _ => {
                let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign))?;
                tokens.push(Token::Sign(sign));
                sign.len()
            }
        };
        rest = &rest[taken..];
    }
    Some(tokens)
}

struct Reader {
    tokens: Vec<Token>,
    at: usize,
}

impl Reader {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn take(&mut self, sign: &'static str) -> bool {
        let there = self.peek() == Some(&Token::Sign(sign));
        self.at += usize::from(there);
        there
    }

    fn word(&mut self, word: &str) -> bool {
        let there = matches!(self.peek(), Some(Token::Word(text)) if text == word);
        self.at += usize::from(there);
        there
    }

    fn rules(&mut self) -> Option<Vec<Rule>> {
        let mut rules = Vec::new();
        loop {
            while self.take(";") {}
            if self.peek().is_none() {
                return (!rules.is_empty()).then_some(rules);
            }
            let when = self.when()?;
            let (mut print, mut exits) = (vec![Item::Field(Field::Number(0))], false);
            if self.take("{") {
                while self.take(";") {}
                if !self.word("print") {
                    return None;
                }
                let items = self.items()?;
                if !items.is_empty() {
                    print = items;
                }
                while self.take(";") {}
                if self.word("exit") {
                    exits = true;
                    while self.take(";") {}
                }
                if !self.take("}") {
                    return None;
                }
            } else if matches!(when, When::Always) {
                return None;
            }
            rules.push(Rule { when, print, exits });
        }
    }

    fn when(&mut self) -> Option<When> {
        if self.peek() == Some(&Token::Sign("{")) {
            return Some(When::Always);
        }
        let wanted = !self.take("!");
        if let Some(Token::Pattern(text)) = self.peek().cloned() {
            self.at += 1;
            return Some(When::Holds(pattern(&text)?, wanted));
        }
        if !wanted {
            return None;
        }
        if self.word("NR") {
            let (true, Some(Token::Number(number))) = (self.take("=="), self.peek().cloned()) else {
                return None;
            };
            self.at += 1;
            return Some(When::Line(number));
        }
        let field = self.field()?;
        let wanted = if self.take("==") { true } else { self.take("!=").then_some(false)? };
        let Some(Token::Text(text)) = self.peek().cloned() else { return None };
        self.at += 1;
        // Such a text and a field that looks like a number are compared as numbers by none, as texts by all.
        Some(When::Is(field, text, wanted))
    }

    fn items(&mut self) -> Option<Vec<Item>> {
        let mut items = Vec::new();
        loop {
            let item = match self.peek()?.clone() {
                Token::Sign(";" | "}") => {
                    return (!matches!(items.last(), Some(Item::Comma))).then_some(items);
                }
                Token::Sign(",") if !items.is_empty() => {
                    self.at += 1;
                    Item::Comma
                }
                Token::Sign("$") => Item::Field(self.field()?),
                Token::Text(text) => {
                    self.at += 1;
                    Item::Text(text)
                }
                Token::Word(word) => {
                    self.at += 1;
                    match word.as_str() {
                        "NR" => Item::Line,
                        "NF" => Item::Fields,
                        "tolower" | "toupper" => {
                            let field = self.take("(").then(|| self.field())??;
                            if !self.take(")") {
                                return None;
                            }
                            Item::Cased(field, word == "toupper")
                        }
                        _ => return None,
                    }
                }
                _ => return None,
            };
            items.push(item);
        }
    }

    /// `$1`, `$NF`, `$(NF-1)`
    fn field(&mut self) -> Option<Field> {
        if !self.take("$") {
            return None;
        }
        if let Some(Token::Number(number)) = self.peek().cloned() {
            self.at += 1;
            return Some(Field::Number(number));
        }
        if self.word("NF") {
            return Some(Field::Last(0));
        }
        let (true, true, true) = (self.take("("), self.word("NF"), self.take("-")) else { return None };
        let Some(Token::Number(before)) = self.peek().cloned() else { return None };
        self.at += 1;
        self.take(")").then_some(Field::Last(before))
    }
}
