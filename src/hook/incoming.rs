//! The bytes that a hook sends: the line with what stands before it, and, when the hook is asked, what the line names.
//!
//! Both come through one pipe to one process. The first part ends with the byte that ends the line; the second with an empty
//! name. Where the pipe ends before, the hook cannot be asked.

use std::io::{self, Read};

/// More than that no shell sends.
const LIMIT: u64 = 16 << 20;

/// What came so far.
#[derive(Debug)]
pub struct Incoming<R> {
    from: R,
    bytes: Vec<u8>,
    /// Where the first part ends.
    line: Option<usize>,
}

impl<R: Read> Incoming<R> {
    /// Reads until the line ends, which is the last of so many parts.
    ///
    /// # Errors
    /// When it cannot be read, or is too much.
    pub fn line(from: R, parts: usize) -> io::Result<Self> {
        let mut all = Self { from, bytes: Vec::new(), line: None };
        let mut ends = 0;
        let mut seen = 0;
        while all.line.is_none() && all.more()? {
            for (at, byte) in all.bytes.iter().enumerate().skip(seen) {
                ends += usize::from(*byte == 0);
                if ends == parts {
                    all.line = Some(at);
                    break;
                }
            }
            seen = all.bytes.len();
        }
        Ok(all)
    }

    /// The first part.
    pub fn first(&self) -> &[u8] {
        self.line.map_or(&self.bytes, |at| &self.bytes[..at])
    }

    /// The shell waits whether it is asked for more.
    pub fn can_be_asked(&self) -> bool {
        self.line.is_some()
    }

    /// All, with what comes after the question.
    ///
    /// # Errors
    /// When it cannot be read, or is too much.
    pub fn whole(mut self) -> io::Result<Vec<u8>> {
        let start = self.line.map_or(0, |at| at + 1);
        while !ended(&self.bytes[start..]) && self.more()? {}
        Ok(self.bytes)
    }

    /// Reads on; false at the end.
    fn more(&mut self) -> io::Result<bool> {
        let mut piece = [0; 8192];
        let length = loop {
            match self.from.read(&mut piece) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        self.bytes.extend_from_slice(&piece[..length]);
        if self.bytes.len() as u64 > LIMIT {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("larger than {}", crate::text::size(LIMIT)),
            ));
        }
        Ok(length > 0)
    }
}

/// Whether an empty name came: names and texts stand in turn, each with its end.
fn ended(bytes: &[u8]) -> bool {
    let mut parts = bytes.split(|byte| *byte == 0);
    let mut left = bytes.iter().filter(|byte| **byte == 0).count();
    while left > 0
        && let Some(name) = parts.next()
    {
        if name.is_empty() {
            return true;
        }
        parts.next();
        left = left.saturating_sub(2);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out what it holds piece by piece, and then no end of nothing but an error.
    struct Open<'a>(std::slice::Iter<'a, &'a str>);

    impl Read for Open<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let piece = self.0.next().ok_or_else(|| io::Error::other("it would wait for ever"))?;
            into[..piece.len()].copy_from_slice(piece.as_bytes());
            Ok(piece.len())
        }
    }

    #[test]
    fn the_line_ends_without_the_end_of_the_pipe() {
        let pieces = ["a\0b\0l", "s\0"];
        let incoming = Incoming::line(Open(pieces.iter()), 3).unwrap();
        assert!(incoming.can_be_asked());
        assert_eq!(incoming.first(), b"a\0b\0ls");
    }

    #[test]
    fn what_was_asked_for_ends_with_an_empty_name() {
        let pieces = ["a\0b\0f\0", "f\0f () { :", "; }\0=\0", "\0", "\0"];
        let incoming = Incoming::line(Open(pieces.iter()), 3).unwrap();
        assert_eq!(incoming.whole().unwrap(), b"a\0b\0f\0f\0f () { :; }\0=\0\0\0");
    }

    #[test]
    fn a_pipe_that_ends_with_the_line_cannot_be_asked() {
        let incoming = Incoming::line(&b"a\0b\0ls"[..], 3).unwrap();
        assert!(!incoming.can_be_asked());
        assert_eq!(incoming.first(), b"a\0b\0ls");
        let told = Incoming::line(&b"a\0b\0ls\0f\0text"[..], 3).unwrap();
        assert_eq!(told.whole().unwrap(), b"a\0b\0ls\0f\0text");
    }

    #[test]
    fn too_much_is_an_error() {
        let endless = io::repeat(b'x');
        assert!(Incoming::line(endless, 3).is_err());
    }
}
