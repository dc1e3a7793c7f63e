//! Integer arithmetic, `$(( … ))`, `(( … ))`, subscripts: evaluated where all of it is known.

use crate::model::Value;
use crate::shell::interp::Shell;
use crate::shell::state::{Content, State};
use crate::syntax::Part;

use super::Expanded;

/// A result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::shell) enum Number {
    Known(i64),
    Unknown,
}

impl Shell<'_> {
    /// Evaluates an expression given as parts; its substitutions run.
    pub(in crate::shell) fn arithmetic(&mut self, state: &mut State, parts: &[Part]) -> Expanded<Number> {
        let text = self.expand_quoted(state, parts)?;
        Ok(match text.as_known() {
            Some(text) => self.evaluate_arithmetic(state, text),
            None => {
                // Whatever stands where nobody knows: what is assigned beside it is not known.
                let known = parts.iter().map(|part| match part {
                    Part::Literal(text) | Part::Quoted(text) => text.as_str(),
                    _ => " 0 ",
                });
                forget_assigned(self, state, &tokens(&known.collect::<String>()));
                Number::Unknown
            }
        })
    }

    /// Evaluates an expression, assigning where it assigns.
    pub(in crate::shell) fn evaluate_arithmetic(&mut self, state: &mut State, text: &str) -> Number {
        self.substitutes(text);
        if text.len() > 4096 {
            return Number::Unknown;
        }
        if let Some(number) = decimal(text.trim()) {
            return Number::Known(number);
        }
        let tokens = tokens(text);
        let mut reader = Reader { tokens: &tokens, at: 0, interp: self, state, depth: 0, skip: 0 };
        if reader.tokens.is_empty() {
            return Number::Known(0);
        }
        match reader.comma() {
            Some(number) if reader.at == reader.tokens.len() => Number::Known(number),
            _ => {
                forget_assigned(reader.interp, reader.state, &tokens);
                Number::Unknown
            }
        }
    }
}

impl Shell<'_> {
    /// Variables that the beginning of an expression assigns are not known any more.
    pub(in crate::shell) fn forget_in(&mut self, state: &mut State, beginning: &str) {
        forget_assigned(self, state, &tokens(&format!("{beginning} 0")));
    }

    /// Notes text that the shell would expand once more, as it does with subscripts in arithmetic and in names.
    pub(in crate::shell) fn substitutes(&mut self, text: &str) {
        if text.contains("$(") || text.contains('`') {
            self.hidden.push(text.to_owned());
        }
    }

    /// A text is expanded as a prompt is: what it substitutes runs.
    pub(in crate::shell) fn prompt(&mut self, value: &Value) {
        for text in value.choices().unwrap_or_default() {
            self.substitutes(text);
        }
    }
}

/// What an expression that could not be evaluated may have assigned is not known any more.
fn forget_assigned(interp: &mut Shell<'_>, state: &mut State, tokens: &[Token]) {
    for (index, token) in tokens.iter().enumerate() {
        let Token::Name(name) = token else { continue };
        // `a[i]=1`: which element, and from where the subscript ends, is not followed.
        if matches!(tokens.get(index + 1), Some(Token::Operator("["))) {
            if tokens.iter().any(|token| matches!(token, Token::Operator(op) if is_change(op))) {
                interp.assign_content(state, name, Content::UnknownArray);
            }
            continue;
        }
        let assigned = |token: Option<&Token>| matches!(token, Some(Token::Operator(op)) if is_change(op));
        if assigned(tokens.get(index + 1))
            || index
                .checked_sub(1)
                .is_some_and(|before| matches!(tokens.get(before), Some(Token::Operator("++" | "--"))))
        {
            interp.assign_scalar(state, name, Value::Unknown);
        }
    }
}

fn is_change(op: &str) -> bool {
    matches!(op, "++" | "--") || is_assignment(op)
}

/// A number as it is mostly written: what begins with a zero is one to another base.
fn decimal(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let plain = digits.bytes().all(|b| b.is_ascii_digit()) && (digits.len() == 1 || !digits.starts_with('0'));
    plain.then(|| text.parse().ok())?
}

fn is_assignment(op: &str) -> bool {
    op.ends_with('=') && !matches!(op, "==" | "!=" | "<=" | ">=")
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Number(i64),
    Name(String),
    Operator(&'static str),
    Bad,
}

const OPERATORS: [&str; 40] = [
    "<<=", ">>=", "**", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=",
    "%=", "&=", "^=", "|=", "+", "-", "*", "/", "%", "<", ">", "&", "|", "^", "!", "~", "?", ":", "=", "(",
    ")", ",", "[",
];

fn tokens(text: &str) -> Vec<Token> {
    let mut all = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        if first.is_ascii_digit() {
            let end = rest
                .find(|c: char| !(c.is_ascii_alphanumeric() || c == '#' || c == '_'))
                .unwrap_or(rest.len());
            all.push(number(&rest[..end]).map_or(Token::Bad, Token::Number));
            rest = &rest[end..];
        } else if first.is_ascii_alphabetic() || first == '_' {
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
            all.push(Token::Name(rest[..end].to_owned()));
            rest = &rest[end..];
        } else if let Some(op) = OPERATORS.iter().find(|op| rest.starts_with(**op)) {
            all.push(Token::Operator(op));
            rest = &rest[op.len()..];
        } else {
            all.push(Token::Bad);
            rest = &rest[first.len_utf8()..];
        }
        rest = rest.trim_start();
    }
    all
}

fn number(text: &str) -> Option<i64> {
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return i64::from_str_radix(hex, 16).ok();
    }
    if let Some((base, digits)) = text.split_once('#') {
        let base = base.parse().ok().filter(|base| (2..=36).contains(base))?;
        return i64::from_str_radix(digits, base).ok();
    }
    if text.len() > 1 && text.starts_with('0') {
        return i64::from_str_radix(text, 8).ok();
    }
    text.parse().ok()
}

struct Reader<'r, 'i, 'w> {
    tokens: &'r [Token],
    at: usize,
    interp: &'r mut Shell<'w>,
    state: &'i mut State,
    depth: usize,
    /// Inside an operand that is not evaluated.
    skip: usize,
}

impl Reader<'_, '_, '_> {
    fn eat(&mut self, op: &str) -> bool {
        let found = matches!(self.tokens.get(self.at), Some(Token::Operator(known)) if *known == op);
        self.at += usize::from(found);
        found
    }

    fn comma(&mut self) -> Option<i64> {
        let mut value = self.assignment()?;
        while self.eat(",") {
            value = self.assignment()?;
        }
        Some(value)
    }

    fn assignment(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > 64 {
            return None;
        }
        let result = self.assignment_inner();
        self.depth -= 1;
        result
    }

    fn assignment_inner(&mut self) -> Option<i64> {
        if let (Some(Token::Name(name)), Some(Token::Operator(op))) =
            (self.tokens.get(self.at), self.tokens.get(self.at + 1))
            && is_assignment(op)
        {
            let (name, op) = (name.clone(), *op);
            self.at += 2;
            let right = self.assignment()?;
            let value = match op {
                "=" => right,
                _ => binary(op.trim_end_matches('='), self.variable(&name)?, right)?,
            };
            self.store(&name, value);
            return Some(value);
        }
        let condition = self.level(0)?;
        if !self.eat("?") {
            return Some(condition);
        }
        self.skip += usize::from(condition == 0);
        let yes = self.assignment();
        self.skip -= usize::from(condition == 0);
        if !self.eat(":") {
            return None;
        }
        self.skip += usize::from(condition != 0);
        let no = self.assignment();
        self.skip -= usize::from(condition != 0);
        if condition != 0 { yes } else { no }
    }

    fn level(&mut self, level: usize) -> Option<i64> {
        const LEVELS: [&[&str]; 10] = [
            &["||"],
            &["&&"],
            &["|"],
            &["^"],
            &["&"],
            &["==", "!="],
            &["<=", ">=", "<", ">"],
            &["<<", ">>"],
            &["+", "-"],
            &["*", "/", "%"],
        ];
        let Some(operators) = LEVELS.get(level) else { return self.power() };
        let mut left = self.level(level + 1)?;
        while let Some(op) = operators.iter().find(|op| self.eat(op)) {
            let short = (*op == "||" && left != 0) || (*op == "&&" && left == 0);
            self.skip += usize::from(short);
            let right = self.level(level + 1);
            self.skip -= usize::from(short);
            left = if short { i64::from(*op == "||") } else { binary(op, left, right?)? };
        }
        Some(left)
    }

    fn power(&mut self) -> Option<i64> {
        let base = self.unary()?;
        if self.eat("**") {
            let exponent = u32::try_from(self.power()?).ok()?;
            return base.checked_pow(exponent);
        }
        Some(base)
    }

    fn unary(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > 64 {
            return None;
        }
        let result = self.unary_inner();
        self.depth -= 1;
        result
    }

    fn unary_inner(&mut self) -> Option<i64> {
        for op in ["++", "--"] {
            if self.eat(op) {
                let Some(Token::Name(name)) = self.tokens.get(self.at).cloned() else { return None };
                self.at += 1;
                let value = self.variable(&name)?.checked_add(if op == "++" { 1 } else { -1 })?;
                self.store(&name, value);
                return Some(value);
            }
        }
        if self.eat("-") {
            return self.unary()?.checked_neg();
        }
        if self.eat("+") {
            return self.unary();
        }
        if self.eat("!") {
            return Some(i64::from(self.unary()? == 0));
        }
        if self.eat("~") {
            return Some(!self.unary()?);
        }
        if self.eat("(") {
            let value = self.comma()?;
            return self.eat(")").then_some(value);
        }
        match self.tokens.get(self.at).cloned()? {
            Token::Number(n) => {
                self.at += 1;
                Some(n)
            }
            Token::Name(name) => {
                self.at += 1;
                let value = self.variable(&name)?;
                if self.eat("++") {
                    self.store(&name, value.checked_add(1)?);
                } else if self.eat("--") {
                    self.store(&name, value.checked_sub(1)?);
                }
                Some(value)
            }
            _ => None,
        }
    }

    fn variable(&mut self, name: &str) -> Option<i64> {
        let Some(value) = self.interp.scalar(self.state, name) else {
            return Some(0);
        };
        let text = value.as_known()?.trim();
        self.interp.substitutes(text);
        if text.is_empty() {
            return Some(0);
        }
        if let Some(n) = decimal(text) {
            return Some(n);
        }
        if text.chars().all(|c| c.is_alphanumeric() || c == '_') && text != name && self.depth < 16 {
            self.depth += 8;
            let value = match number(text) {
                Some(n) => Some(n),
                None => self.variable(text),
            };
            self.depth -= 8;
            return value;
        }
        // What a variable holds is an expression of its own, which may assign.
        let tokens = tokens(text);
        forget_assigned(self.interp, self.state, &tokens);
        None
    }

    fn store(&mut self, name: &str, value: i64) {
        if self.skip == 0 {
            self.interp.assign_scalar(self.state, name, Value::Known(value.to_string()));
        }
    }
}

fn binary(op: &str, left: i64, right: i64) -> Option<i64> {
    Some(match op {
        "||" => i64::from(left != 0 || right != 0),
        "&&" => i64::from(left != 0 && right != 0),
        "|" => left | right,
        "^" => left ^ right,
        "&" => left & right,
        "==" => i64::from(left == right),
        "!=" => i64::from(left != right),
        "<=" => i64::from(left <= right),
        ">=" => i64::from(left >= right),
        "<" => i64::from(left < right),
        ">" => i64::from(left > right),
        "<<" => left.wrapping_shl(u32::try_from(right).ok()?),
        ">>" => left.wrapping_shr(u32::try_from(right).ok()?),
        "+" => left.wrapping_add(right),
        "-" => left.wrapping_sub(right),
        "*" => left.wrapping_mul(right),
        "/" => left.checked_div(right)?,
        "%" => left.checked_rem(right)?,
        _ => return None,
    })
}
