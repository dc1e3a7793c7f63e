//! Simple commands: assignments, words and redirections in any order.

use super::expansion::is_variable;
use super::reader::{Mark, Reader, is_meta, is_name_start};
use super::tokens::{Redirected, Simple};
use super::word::Place;
use super::{
    AssignedValue, Assignment, DeclarationArgument, Gap, GapReason, Redirection, RedirectionOperator,
    RedirectionTarget, Word,
};

const DECLARATIONS: &[&str] = &["declare", "typeset", "export", "readonly", "local"];
/// Other builtins whose arguments may hold `name=( … )`.
const TAKES_ARRAYS: &[&str] = &["alias", "eval", "let"];

impl Reader<'_, '_> {
    /// Reads up to the next operator. With a name, the text was `name ()`.
    pub(super) fn simple_command(&mut self) -> (Simple, Vec<Redirected>, Option<String>) {
        let mut simple = Simple::default();
        let mut redirections = Vec::new();
        loop {
            self.skip_blanks();
            let Some(byte) = self.peek() else { break };
            if let Some(redirection) = self.redirection() {
                redirections.push(redirection);
                continue;
            }
            if is_meta(byte) && !(matches!(byte, b'<' | b'>') && self.peek_at(1) == Some(b'(')) {
                break;
            }
            let first = simple.words.is_empty() && simple.declaration.is_none();
            let arrays =
                simple.words.first().and_then(Word::bare).is_some_and(|word| TAKES_ARRAYS.contains(&word));
            if first && let Some(assignment) = self.assignment() {
                if !redirections.is_empty() {
                    self.doubt_subscript(&assignment);
                }
                simple.assignments.push(assignment);
                continue;
            }
            if let Some((_, arguments)) = &mut simple.declaration {
                let mark = self.mark();
                let assignment = self.assignment();
                if assignment.as_ref().is_some_and(|assignment| self.splits_subscript(assignment)) {
                    // Here a subscript is no reason for bash to read over blanks and operators.
                    self.back_to(&mark);
                    arguments.push(DeclarationArgument::Word(self.word(Place::Argument)));
                } else {
                    arguments.push(match assignment {
                        Some(assignment) => DeclarationArgument::Assignment(assignment),
                        None => DeclarationArgument::Word(self.word(Place::Argument)),
                    });
                }
                continue;
            }
            if arrays
                && let Some(Assignment { value: AssignedValue::Array(items), span, .. }) =
                    self.array_assignment()
            {
                simple.words.extend(items.into_iter().map(|(_, word)| Word { span, ..word }));
                continue;
            }
            let word = self.word(if first { Place::Command } else { Place::Argument });
            if first && simple.assignments.is_empty() && redirections.is_empty() && self.empty_parentheses() {
                match word.fixed_text() {
                    Some(name) => return (simple, redirections, Some(name)),
                    None => self.gap(self.position, GapReason::Syntax),
                }
            }
            match word.bare() {
                Some(keyword) if first && DECLARATIONS.contains(&keyword) => {
                    let before = std::mem::take(&mut simple.assignments);
                    let arguments = before.into_iter().map(DeclarationArgument::Assignment).collect();
                    simple.declaration = Some((keyword.to_owned(), arguments));
                }
                _ => simple.words.push(word),
            }
        }
        (simple, redirections, None)
    }

    /// True when a subscript holds what would end a word.
    fn splits_subscript(&self, assignment: &Assignment) -> bool {
        let Some(index) = &assignment.index else { return false };
        let (start, end) = (assignment.span.start, index.span.end);
        // Spans are those of the whole text; a reader's own differ where escapes were taken out, and then by more.
        let own = match &self.origin {
            super::reader::Origin::Offset(offset) => self.bytes.get(start - offset..end - offset),
            super::reader::Origin::Map(_) => None,
        };
        own.is_none_or(|bytes| bytes.iter().any(|byte| is_meta(*byte) || *byte == b'#'))
    }

    /// Behind a redirection, versions of bash differ in how far a subscript reaches.
    fn doubt_subscript(&mut self, assignment: &Assignment) {
        if self.splits_subscript(assignment) {
            self.context.gaps.push(Gap { span: assignment.span, reason: GapReason::Syntax });
        }
    }

    /// `()` behind a name.
    fn empty_parentheses(&mut self) -> bool {
        let mark = self.mark();
        self.skip_blanks();
        if self.accept(b'(') {
            self.skip_blanks();
            if self.accept(b')') {
                return true;
            }
        }
        self.back_to(&mark);
        false
    }

    /// Redirections behind a compound command.
    pub(super) fn redirections(&mut self) -> Vec<Redirected> {
        let mut found = Vec::new();
        loop {
            let end = self.position;
            self.skip_blanks();
            match self.redirection() {
                Some(redirection) => found.push(redirection),
                None => {
                    // Blanks behind the last one are no part of the command.
                    if self.bytes[end..self.position].iter().all(|byte| matches!(byte, b' ' | b'\t')) {
                        self.position = end;
                    }
                    return found;
                }
            }
        }
    }

    /// The redirection at the cursor, if one starts here.
    fn redirection(&mut self) -> Option<Redirected> {
        let start = self.position;
        let (descriptor, named, length) = self.descriptor();
        let byte = self.peek_at(length)?;
        let next = self.peek_at(length + 1);
        let third = self.peek_at(length + 2);
        use RedirectionOperator as Op;
        let (operator, size) = match (byte, next, third) {
            (b'<' | b'>', Some(b'('), _) => return None,
            (b'<', Some(b'<'), Some(b'<')) => (Op::HereString, 3),
            (b'<', Some(b'<'), Some(b'-')) => (Op::HereDocument, 3),
            (b'<', Some(b'<'), _) => (Op::HereDocument, 2),
            (b'<', Some(b'&'), _) => (Op::Duplicate, 2),
            (b'<', Some(b'>'), _) => (Op::ReadWrite, 2),
            (b'<', ..) => (Op::Read, 1),
            (b'>', Some(b'>'), _) => (Op::Append, 2),
            (b'>', Some(b'|'), _) => (Op::Clobber, 2),
            (b'>', Some(b'&'), _) => (Op::WriteBoth, 2),
            (b'>', ..) => (Op::Write, 1),
            (b'&', Some(b'>'), Some(b'>')) if length == 0 => (Op::AppendBoth, 3),
            (b'&', Some(b'>'), _) if length == 0 => (Op::WriteBoth, 2),
            _ => return None,
        };
        self.count();
        self.skip(length + size);
        while let Some(b' ' | b'\t') = self.peek() {
            self.position += 1;
        }
        let mut operator = operator;
        let mut slot = None;
        let target = if operator == Op::HereDocument {
            if self.peek().is_none_or(is_meta) {
                self.gap(start, GapReason::Syntax);
            }
            slot = Some(self.here_delimiter(third == Some(b'-')));
            RedirectionTarget::HereDocument(Word::default())
        } else {
            let before = self.position;
            let word = self.word(Place::Argument);
            if self.position == before {
                self.gap(start, GapReason::Syntax);
            }
            if byte == b'>' && next == Some(b'&') {
                // `>&` copies a descriptor, unless a file name stands behind it.
                let copies = word.bare().is_some_and(is_descriptor)
                    || descriptor.as_deref().is_some_and(|number| number != "1");
                if copies {
                    operator = Op::Duplicate;
                }
            }
            RedirectionTarget::Word(word)
        };
        let span = self.span(start);
        let redirection = Redirection { descriptor, named, operator, target, span };
        Some(Redirected { redirection, slot })
    }

    /// Digits or `{name}` directly before `<` or `>`, with their length. The cursor stays.
    fn descriptor(&mut self) -> (Option<String>, bool, usize) {
        let none = (None, false, 0);
        let Some(first) = self.peek() else { return none };
        if !first.is_ascii_digit() && first != b'{' {
            return none;
        }
        let named = first == b'{';
        let mut text = String::new();
        let mut length = usize::from(named);
        loop {
            match self.peek_at(length) {
                Some(b'}') if named => {
                    length += 1;
                    break;
                }
                Some(byte)
                    if byte.is_ascii_digit() || (named && (byte == b'_' || byte.is_ascii_alphabetic())) =>
                {
                    text.push(char::from(byte));
                    length += 1;
                }
                _ if named => return none,
                _ => break,
            }
            if length > 64 {
                return none;
            }
        }
        let follows = matches!(self.peek_at(length), Some(b'<' | b'>'));
        if !follows || (named && !is_variable(&text)) {
            return none;
        }
        (Some(text), named, length)
    }

    /// `name=value`, `name[index]+=value` at the cursor, or nothing (the cursor stays).
    fn assignment(&mut self) -> Option<Assignment> {
        let first = self.peek()?;
        let start = self.position;
        if !is_name_start(first) || self.known_subscript(start) {
            return None;
        }
        let mark = self.mark();
        let name = self.name()?;
        let mut index = None;
        if self.peek() == Some(b'[') {
            self.position += 1;
            index = Some(self.inner_word(b"]", super::word::Quoting::None));
            if !self.accept(b']') {
                self.refute_subscript(start, &mark, false);
                return None;
            }
        }
        let append = self.peek() == Some(b'+') && self.peek_at(1) == Some(b'=');
        if append {
            self.skip(1);
        }
        if !self.accept(b'=') {
            if index.is_some() {
                self.refute_subscript(start, &mark, true);
            } else {
                self.back_to(&mark);
            }
            return None;
        }
        let value = if self.peek() == Some(b'(') {
            let array_start = self.position;
            let mut items = self.array();
            if self.peek().is_some_and(|byte| !is_meta(byte)) {
                // `a=(b)c` is plain text after all, or an error.
                items.push((None, self.word(Place::Argument)));
                self.gap(array_start, GapReason::Syntax);
            }
            AssignedValue::Array(items)
        } else {
            AssignedValue::Scalar(self.word(Place::Argument))
        };
        Some(Assignment { name, index, append, value, span: self.span(start) })
    }

    /// `name=( … )` at the cursor, or nothing.
    fn array_assignment(&mut self) -> Option<Assignment> {
        let mut at = 0;
        while self.peek_at(at).is_some_and(super::reader::is_name) {
            at += 1;
        }
        at += usize::from(self.peek_at(at) == Some(b'+'));
        let array = self.peek_at(at) == Some(b'=') && self.peek_at(at + 1) == Some(b'(');
        if array { self.assignment() } else { None }
    }

    /// `( … )` behind `=`.
    fn array(&mut self) -> Vec<(Option<Word>, Word)> {
        let start = self.position;
        self.position += 1;
        let mut items = Vec::new();
        loop {
            self.skip_lines();
            match self.peek() {
                Some(b')') => {
                    self.position += 1;
                    return items;
                }
                Some(b'[') => {
                    let index = self.array_index();
                    items.push((index, self.word(Place::Argument)));
                }
                Some(byte)
                    if !is_meta(byte) || (matches!(byte, b'<' | b'>') && self.peek_at(1) == Some(b'(')) =>
                {
                    items.push((None, self.word(Place::Argument)));
                }
                _ => {
                    self.gap(start, GapReason::Syntax);
                    return items;
                }
            }
        }
    }

    /// `[index]=` of an array's element, or nothing (the cursor stays).
    fn array_index(&mut self) -> Option<Word> {
        let start = self.position;
        if self.known_subscript(start) {
            return None;
        }
        let mark = self.mark();
        self.position += 1;
        let index = self.inner_word(b"]", super::word::Quoting::None);
        let closed = self.accept(b']');
        if closed {
            if self.peek() == Some(b'+') && self.peek_at(1) == Some(b'=') {
                self.skip(1);
            }
            if self.accept(b'=') {
                return Some(index);
            }
        }
        self.refute_subscript(start, &mark, closed);
        None
    }

    /// `name[…]` without `=` is a plain word. bash has then read up to the bracket whatever was in between, so blanks,
    /// operators and comments in there did not count for it: that is a gap.
    fn refute_subscript(&mut self, start: usize, mark: &Mark, closed: bool) {
        let end = self.position;
        self.back_to(mark);
        let plain = closed && !self.bytes[start..end].iter().any(|byte| is_meta(*byte) || *byte == b'#');
        self.refuted.insert(start, if plain { start } else { end });
        self.known_subscript(start);
    }

    /// True where a subscript is known to be none.
    fn known_subscript(&mut self, start: usize) -> bool {
        let Some(end) = self.refuted.get(&start).copied() else { return false };
        if end > start {
            let span = self.span_of(start, end);
            self.context.gaps.push(Gap { span, reason: GapReason::Syntax });
        }
        true
    }
}

/// `1`, `-`, `1-`: what a descriptor is copied from or closed with.
fn is_descriptor(text: &str) -> bool {
    let digits = text.strip_suffix('-').unwrap_or(text);
    !text.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}
