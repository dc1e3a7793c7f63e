//! Bytes to message bodies and back: one message a line, or a body behind a `Content-Length` header.
//!
//! Owns the two framings, the size limit, and how a reader finds its way again after bytes that are neither. Which framing a
//! message has is decided by its first bytes alone, message by message. Knows nothing of JSON.
//!
//! A line that ends in a header, or a body with a whole header inside, cannot be JSON: something was cut off in front of it,
//! and reading goes on with the header. So a sender that broke off in one message does not take the next one with it.

use std::io::{self, Read, Write};

/// Largest message that is read, in bytes.
pub const MESSAGE_LIMIT: usize = 16 << 20;
/// A message that says it is larger than this is not skipped by its own count, which cannot be right.
const SKIP_LIMIT: u64 = 1 << 30;
/// Longest header block, in bytes.
const HEADER_LIMIT: usize = 8 << 10;
/// How much is read at once.
const CHUNK: usize = 64 << 10;

/// How a message is told from the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// It ends with its line.
    Line,
    /// A header says its length in bytes.
    Header,
}

/// Why there is no message where one should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// Larger than [`MESSAGE_LIMIT`].
    #[error("the message is larger than 16 MiB")]
    TooLarge,
    /// The header says no length, two lengths, or one that is no number.
    #[error("the header holds no usable Content-Length")]
    Header,
    /// The message breaks off.
    #[error("the message breaks off before its end")]
    Truncated,
}

/// What came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// In which framing.
    pub framing: Framing,
    /// The body's bytes, or why there are none.
    pub body: Result<Vec<u8>, FrameError>,
}

/// Takes a stream apart.
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    buffer: Vec<u8>,
    /// Where in `buffer` the unread bytes start.
    start: usize,
    ended: bool,
    /// After a bad header: nothing counts before the next header or line.
    lost: bool,
}

impl<R: Read> Reader<R> {
    /// Of this stream.
    pub fn new(input: R) -> Self {
        Self { input, buffer: Vec::new(), start: 0, ended: false, lost: false }
    }

    /// The next frame; `None` at the end of the stream. Blank lines are nothing.
    ///
    /// # Errors
    /// When the stream cannot be read.
    pub fn next_frame(&mut self) -> io::Result<Option<Frame>> {
        if self.lost {
            self.find_way()?;
        }
        // Blank bytes between messages, and a byte order mark, belong to none.
        loop {
            let skipped = self
                .unread()
                .iter()
                .position(|byte| !byte.is_ascii_whitespace())
                .unwrap_or(self.unread().len());
            self.start += skipped;
            if self.unread().starts_with(b"\xef\xbb\xbf") {
                self.start += 3;
                continue;
            }
            let undecided = self.unread().is_empty() || b"\xef\xbb\xbf".starts_with(self.unread());
            if !undecided || !self.fill()? {
                break;
            }
        }
        if self.unread().is_empty() {
            return Ok(None);
        }
        while self.unread().len() < NAME.len() && could_be_header(self.unread()) {
            if !self.fill()? {
                break;
            }
        }
        if self.unread().len() >= NAME.len() && could_be_header(self.unread()) {
            return self.after_header().map(Some);
        }
        self.line().map(Some)
    }

    fn unread(&self) -> &[u8] {
        self.buffer.get(self.start..).unwrap_or_default()
    }

    /// Reads more; false at the end.
    fn fill(&mut self) -> io::Result<bool> {
        if self.ended {
            return Ok(false);
        }
        if self.start > 0 && (self.start == self.buffer.len() || self.start > CHUNK) {
            self.buffer.drain(..self.start);
            self.start = 0;
            // One large message must not stay in memory for good.
            if self.buffer.capacity() > 16 * CHUNK && self.buffer.len() < CHUNK {
                self.buffer.shrink_to(CHUNK);
            }
        }
        let length = self.buffer.len();
        self.buffer.resize(length + CHUNK, 0);
        let read = loop {
            match self.input.read(self.buffer.get_mut(length..).unwrap_or_default()) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        self.buffer.truncate(length + *read.as_ref().unwrap_or(&0));
        self.ended = read? == 0;
        Ok(!self.ended)
    }

    /// Takes the next bytes away.
    fn take(&mut self, length: usize) -> Vec<u8> {
        let taken = self.unread().get(..length).unwrap_or_default().to_vec();
        self.start += length;
        taken
    }

    /// A message that ends with its line, or with the stream.
    fn line(&mut self) -> io::Result<Frame> {
        let mut seen = 0;
        let mut oversize = false;
        loop {
            if let Some(at) = find_byte(self.unread(), seen, b'\n') {
                let line = self.unread().get(..at).unwrap_or_default();
                if let Some(header) = header_at_end(line) {
                    let body = self.take(header);
                    return Ok(Frame {
                        framing: Framing::Line,
                        body: if oversize { Err(FrameError::TooLarge) } else { Ok(body) },
                    });
                }
                let mut body = self.take(at);
                self.start += 1;
                if body.last() == Some(&b'\r') {
                    body.pop();
                }
                oversize |= body.len() > MESSAGE_LIMIT;
                return Ok(Frame {
                    framing: Framing::Line,
                    body: if oversize { Err(FrameError::TooLarge) } else { Ok(body) },
                });
            }
            if self.unread().len() > MESSAGE_LIMIT {
                // What is kept is enough to see a header at the end.
                oversize = true;
                self.start = self.buffer.len() - HEADER_TAIL;
            }
            seen = self.unread().len();
            if !self.fill()? {
                let body = self.take(self.unread().len());
                let body = if oversize { Err(FrameError::TooLarge) } else { Ok(body) };
                return Ok(Frame { framing: Framing::Line, body });
            }
        }
    }

    /// A message behind a header.
    fn after_header(&mut self) -> io::Result<Frame> {
        let frame = |body| Frame { framing: Framing::Header, body };
        let end = loop {
            match header_block(self.unread()) {
                Block::Whole(end) => break end,
                Block::Broken(at) => {
                    self.start += at;
                    return Ok(frame(Err(FrameError::Header)));
                }
                Block::Partial if self.unread().len() > HEADER_LIMIT => {
                    self.lost = true;
                    self.start += NAME.len();
                    return Ok(frame(Err(FrameError::Header)));
                }
                Block::Partial => {}
            }
            if !self.fill()? {
                self.start = self.buffer.len();
                return Ok(frame(Err(FrameError::Truncated)));
            }
        };
        let head = self.unread().get(..end).unwrap_or_default();
        let length = length_in(head);
        self.start += end;
        match length {
            Some(length) if length <= MESSAGE_LIMIT as u64 => self.body(length as usize).map(frame),
            Some(length) if length <= SKIP_LIMIT => {
                self.skip(length)?;
                Ok(frame(Err(FrameError::TooLarge)))
            }
            Some(_) => {
                self.lost = true;
                Ok(frame(Err(FrameError::TooLarge)))
            }
            None => {
                self.lost = true;
                Ok(frame(Err(FrameError::Header)))
            }
        }
    }

    fn body(&mut self, length: usize) -> io::Result<Result<Vec<u8>, FrameError>> {
        let mut seen = 0;
        loop {
            let here = self.unread().len().min(length);
            if let Some(at) = header_inside(self.unread().get(..here).unwrap_or_default(), seen) {
                self.start += at;
                return Ok(Err(FrameError::Truncated));
            }
            if here == length {
                return Ok(Ok(self.take(length)));
            }
            seen = here.saturating_sub(HEADER_TAIL);
            if !self.fill()? {
                self.start = self.buffer.len();
                return Ok(Err(FrameError::Truncated));
            }
        }
    }

    fn skip(&mut self, length: u64) -> io::Result<()> {
        let mut left = length;
        loop {
            let here = (self.unread().len() as u64).min(left);
            self.start += here as usize;
            left -= here;
            if left == 0 || !self.fill()? {
                return Ok(());
            }
        }
    }

    /// Goes on behind a bad header: at the next header, or behind the next line's end.
    fn find_way(&mut self) -> io::Result<()> {
        self.lost = false;
        loop {
            let unread = self.unread();
            let line_end = find_byte(unread, 0, b'\n');
            let until = line_end.unwrap_or(unread.len());
            if let Some(at) = find_name(unread.get(..until).unwrap_or_default()) {
                self.start += at;
                return Ok(());
            }
            match line_end {
                Some(at) => {
                    self.start += at + 1;
                    return Ok(());
                }
                None => self.start = self.buffer.len() - unread.len().min(HEADER_TAIL),
            }
            if !self.fill()? {
                self.start = self.buffer.len();
                return Ok(());
            }
        }
    }
}

/// Writes a body in a framing, in one piece.
///
/// # Errors
/// When the stream does not take it.
pub fn write(output: &mut impl Write, framing: Framing, body: &str) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(body.len() + 32);
    match framing {
        Framing::Line => {
            bytes.extend_from_slice(body.as_bytes());
            bytes.push(b'\n');
        }
        Framing::Header => {
            write!(bytes, "Content-Length: {}\r\n\r\n", body.len())?;
            bytes.extend_from_slice(body.as_bytes());
        }
    }
    output.write_all(&bytes)?;
    output.flush()
}

/// What every header of this framing starts with.
const NAME: &[u8] = b"content-";
/// The one that counts.
const LENGTH: &[u8] = b"content-length:";
/// The most that a length's header line and the blank line behind it need.
const HEADER_TAIL: usize = 64;

/// Whether these first bytes are, or may become, a header.
fn could_be_header(bytes: &[u8]) -> bool {
    bytes.iter().zip(NAME).all(|(byte, wanted)| byte.to_ascii_lowercase() == *wanted)
}

fn find_byte(bytes: &[u8], from: usize, wanted: u8) -> Option<usize> {
    bytes.get(from..)?.iter().position(|byte| *byte == wanted).map(|at| from + at)
}

fn find_name(bytes: &[u8]) -> Option<usize> {
    bytes.windows(LENGTH.len()).position(|window| window.eq_ignore_ascii_case(LENGTH))
}

/// What stands where a header block should.
enum Block {
    /// One that ends here.
    Whole(usize),
    /// One that has not ended yet.
    Partial,
    /// From here on it is none.
    Broken(usize),
}

fn header_block(bytes: &[u8]) -> Block {
    let mut at = 0;
    while let Some(end) = find_byte(bytes, at, b'\n') {
        let line = bytes.get(at..end).unwrap_or_default().trim_ascii();
        if line.is_empty() {
            return Block::Whole(end + 1);
        }
        let name = line.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-').count();
        if name == 0 || line.get(name) != Some(&b':') {
            return Block::Broken(if at == 0 { end + 1 } else { at });
        }
        at = end + 1;
    }
    Block::Partial
}

/// Behind the blank line that ends a header block.
fn blank_line(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let end = find_byte(bytes, at, b'\n')?;
        match bytes.get(end + 1..)? {
            [b'\n', ..] => return Some(end + 2),
            [b'\r', b'\n', ..] => return Some(end + 3),
            _ => at = end + 1,
        }
    }
}

/// The length in a header block.
fn length_in(head: &[u8]) -> Option<u64> {
    let mut found = None;
    for line in head.split(|byte| *byte == b'\n') {
        let line = line.trim_ascii();
        let Some((name, value)) = line.split_at_checked(LENGTH.len()) else { continue };
        if !name.eq_ignore_ascii_case(LENGTH) {
            continue;
        }
        let value = value.trim_ascii();
        if value.is_empty() || !value.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let length = std::str::from_utf8(value).ok()?.parse::<u64>().ok()?;
        if found.is_some_and(|other| other != length) {
            return None;
        }
        found = Some(length);
    }
    found
}

/// Where in a line's bytes a header starts that the line ends with.
fn header_at_end(line: &[u8]) -> Option<usize> {
    let line = line.trim_ascii_end();
    let digits = line.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 || digits > 20 {
        return None;
    }
    let before = line.get(..line.len() - digits)?.trim_ascii_end();
    let at = before.len().checked_sub(LENGTH.len())?;
    // A line that is nothing but the header is not cut off.
    (at > 0 && before.get(at..)?.eq_ignore_ascii_case(LENGTH)).then_some(at)
}

/// Where in a body a header with its blank line starts.
fn header_inside(body: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let end = blank_line(body, at)?;
        let head = body.get(..end)?.trim_ascii_end();
        let start = head.len().saturating_sub(HEADER_TAIL);
        let tail = head.get(start..)?;
        if let Some(found) = header_at_end(tail) {
            return Some(start + found);
        }
        if tail.get(..LENGTH.len()).is_some_and(|name| name.eq_ignore_ascii_case(LENGTH))
            && length_in(tail).is_some()
        {
            return Some(start);
        }
        at = end;
    }
}

#[cfg(test)]
mod tests;
