//! The cursor over shell text: positions, line continuations, limits and what is noted on the way.
//!
//! Text inside backquotes and here-documents is unescaped and read by a reader of its own, whose [`Origin`] leads every
//! position back to the text given to `parse`.

use std::collections::HashMap;
use std::time::Instant;

use crate::model::Span;

use super::{Gap, GapReason, Limits};

/// Gaps after which a text is given up: nobody reads more, and a shell would have stopped at the first.
const MOST_GAPS: usize = 1000;

/// Where the bytes of a reader's text stand in the text given to `parse`.
pub(super) enum Origin {
    /// The same bytes, this much further on.
    Offset(usize),
    /// One entry per byte and one for the end.
    Map(Vec<usize>),
}

impl Origin {
    pub(super) fn of(&self, position: usize) -> usize {
        match self {
            Self::Offset(offset) => offset + position,
            Self::Map(map) => map.get(position).or(map.last()).copied().unwrap_or(0),
        }
    }
}

/// What all readers of one parse share.
pub(super) struct Context {
    pub(super) gaps: Vec<Gap>,
    /// Ranges in which nothing is expanded: comments, single quotes, quoted here-documents.
    pub(super) inert: Vec<Span>,
    /// Ranges in which `<(` and `>(` are plain text, and the first bytes of arithmetic.
    pub(super) plain: Vec<Span>,
    /// Nesting of substitutions, groups and compound commands together.
    pub(super) depth: usize,
    pub(super) limits: Limits,
    pub(super) deadline: Option<Instant>,
    pub(super) parser: Option<tree_sitter::Parser>,
    nodes: usize,
    /// Work done, for a look at the clock now and then; unlike `nodes` it counts what was read in vain too.
    ticks: usize,
    stopped: bool,
}

impl Context {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            gaps: Vec::new(),
            inert: Vec::new(),
            plain: Vec::new(),
            depth: 0,
            deadline: Instant::now().checked_add(limits.deadline),
            limits,
            parser: None,
            nodes: 0,
            ticks: 0,
            stopped: false,
        }
    }

    pub(super) fn stopped(&self) -> bool {
        self.stopped
    }

    pub(super) fn past_deadline(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// A place to go back to.
pub(super) struct Mark {
    position: usize,
    gaps: usize,
    inert: usize,
    plain: usize,
    pending: usize,
    depth: usize,
    nodes: usize,
}

/// A here-document whose body is still to come.
pub(super) struct Pending {
    /// Its place among the bodies of this reader.
    pub(super) slot: usize,
    pub(super) delimiter: String,
    pub(super) quoted: bool,
    pub(super) strip_tabs: bool,
}

/// Reads one text. The methods are spread over the files of this module by what they read.
pub(super) struct Reader<'t, 'c> {
    pub(super) text: &'t str,
    pub(super) bytes: &'t [u8],
    pub(super) position: usize,
    pub(super) origin: Origin,
    pub(super) context: &'c mut Context,
    pub(super) pending: Vec<Pending>,
    /// Bodies of here-documents read so far, by slot.
    pub(super) bodies: Vec<Option<super::Word>>,
    /// Positions where an attempt at `((` or `name[…]=` is known to fail, and where it did.
    pub(super) refuted: HashMap<usize, usize>,
    /// Inside `$( … )`, where a here-document also ends at a line such as `EOF)`.
    pub(super) in_parentheses: usize,
}

impl<'t, 'c> Reader<'t, 'c> {
    pub(super) fn new(text: &'t str, origin: Origin, context: &'c mut Context) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            position: 0,
            origin,
            context,
            pending: Vec::new(),
            bodies: Vec::new(),
            refuted: HashMap::new(),
            in_parentheses: 0,
        }
    }

    /// The next byte, after any line continuation. `None` at the end and once a limit is passed.
    pub(super) fn peek(&mut self) -> Option<u8> {
        if self.context.stopped {
            return None;
        }
        while self.bytes[self.position..].starts_with(b"\\\n") {
            self.position += 2;
        }
        self.bytes.get(self.position).copied()
    }

    /// The byte `ahead` places behind [`Self::peek`]'s.
    pub(super) fn peek_at(&mut self, ahead: usize) -> Option<u8> {
        self.peek()?;
        let mut at = self.position;
        for _ in 0..ahead {
            at += 1;
            while self.bytes.get(at..).is_some_and(|rest| rest.starts_with(b"\\\n")) {
                at += 2;
            }
        }
        self.bytes.get(at).copied()
    }

    /// Steps over `count` bytes and the line continuations between them.
    pub(super) fn skip(&mut self, count: usize) {
        for _ in 0..count {
            if self.peek().is_some() {
                self.position += 1;
            }
        }
    }

    /// Steps over `byte` if it is next.
    pub(super) fn accept(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.position += 1;
        }
        found
    }

    /// The range from `start` to here, in the text given to `parse`.
    pub(super) fn span(&self, start: usize) -> Span {
        self.span_of(start, self.position)
    }

    pub(super) fn span_of(&self, start: usize, end: usize) -> Span {
        let start = self.origin.of(start);
        Span::new(start, self.origin.of(end).max(start))
    }

    /// Notes a gap from `start` to here.
    pub(super) fn gap(&mut self, start: usize, reason: GapReason) {
        let span = self.span(start);
        self.context.gaps.push(Gap { span, reason });
        if self.context.gaps.len() > MOST_GAPS {
            self.stop("nodes");
        }
    }

    /// Notes that a limit was passed; every reader sees the end of its text from now on.
    pub(super) fn stop(&mut self, limit: &'static str) {
        if !self.context.stopped {
            self.context.stopped = true;
            let span = self.span_of(self.position, self.bytes.len());
            self.context.gaps.push(Gap { span, reason: GapReason::Limit(limit) });
        }
    }

    /// Counts a node.
    pub(super) fn count(&mut self) {
        self.context.nodes += 1;
        if self.context.nodes > self.context.limits.nodes {
            self.stop("nodes");
        }
        self.tick();
    }

    /// Looks at the clock now and then.
    pub(super) fn tick(&mut self) {
        self.context.ticks += 1;
        if self.context.ticks.is_multiple_of(1024) && self.context.past_deadline() {
            self.stop("deadline");
        }
    }

    /// Goes one level deeper; false when that is too deep (a limit is noted then).
    pub(super) fn enter(&mut self) -> bool {
        if self.context.depth >= self.context.limits.depth {
            self.stop("depth");
            return false;
        }
        self.context.depth += 1;
        true
    }

    pub(super) fn leave(&mut self) {
        self.context.depth = self.context.depth.saturating_sub(1);
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            position: self.position,
            gaps: self.context.gaps.len(),
            inert: self.context.inert.len(),
            plain: self.context.plain.len(),
            pending: self.pending.len(),
            depth: self.context.depth,
            nodes: self.context.nodes,
        }
    }

    /// Undoes everything since `mark` (limits passed stay passed).
    pub(super) fn back_to(&mut self, mark: &Mark) {
        if self.context.stopped {
            return;
        }
        self.position = mark.position;
        self.context.gaps.truncate(mark.gaps);
        self.context.inert.truncate(mark.inert);
        self.context.plain.truncate(mark.plain);
        self.pending.truncate(mark.pending);
        self.context.depth = mark.depth;
        self.context.nodes = mark.nodes;
    }

    /// Steps over blanks; a comment too, when one starts here or behind them.
    pub(super) fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t') = self.peek() {
            self.position += 1;
        }
        if self.peek() == Some(b'#') && self.at_word_start() {
            let start = self.position;
            self.position = self.bytes[start..]
                .iter()
                .position(|byte| *byte == b'\n')
                .map_or(self.bytes.len(), |length| start + length);
            let span = self.span(start);
            self.context.inert.push(span);
        }
    }

    fn at_word_start(&self) -> bool {
        let mut before = &self.bytes[..self.position];
        while let Some(line) = before.strip_suffix(b"\\\n")
            && line.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 0
        {
            before = line;
        }
        matches!(
            before.last(),
            None | Some(b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>')
        )
    }

    /// Steps over blanks, comments and newlines (here-documents' bodies with them).
    pub(super) fn skip_lines(&mut self) {
        loop {
            self.skip_blanks();
            if self.peek() != Some(b'\n') {
                return;
            }
            self.newline();
        }
    }

    /// Steps over a newline and over the here-documents that start behind it.
    pub(super) fn newline(&mut self) {
        self.position += 1;
        if !self.pending.is_empty() {
            self.here_documents();
        }
    }
}

/// Ends an unquoted word.
pub(super) fn is_meta(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')')
}

/// May start a name.
pub(super) fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

/// May stand in a name.
pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
