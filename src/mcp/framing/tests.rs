//! Frames: whole, broken off, too large.

use super::*;

/// Gives its bytes in pieces of this size.
struct Pieces<'a>(&'a [u8], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.1.min(self.0.len()).min(into.len());
        into[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

fn frames(bytes: &[u8]) -> Vec<(Framing, Result<String, FrameError>)> {
    let all = |size: usize| {
        let mut reader = Reader::new(Pieces(bytes, size));
        let mut found = Vec::new();
        while let Some(frame) = reader.next_frame().unwrap() {
            let body = frame.body.map(|body| String::from_utf8_lossy(&body).into_owned());
            found.push((frame.framing, body));
        }
        found
    };
    let whole = all(usize::MAX);
    for size in [1, 2, 3, 7, 64] {
        assert_eq!(all(size), whole, "in pieces of {size}");
    }
    whole
}

fn line(text: &str) -> (Framing, Result<String, FrameError>) {
    (Framing::Line, Ok(text.to_owned()))
}

fn framed(text: &str) -> (Framing, Result<String, FrameError>) {
    (Framing::Header, Ok(text.to_owned()))
}

fn bad(error: FrameError) -> (Framing, Result<String, FrameError>) {
    (Framing::Header, Err(error))
}

#[test]
fn both_framings_in_one_stream() {
    let stream = b"{1}\nContent-Length: 3\r\n\r\n{2}{3}\r\n\r\n \ncontent-length:3\n\n{4}Content-Type: x\r\nCONTENT-LENGTH: 3\r\n\r\n{5}{6}";
    let wanted = [line("{1}"), framed("{2}"), line("{3}"), framed("{4}"), framed("{5}"), line("{6}")];
    assert_eq!(frames(stream), wanted);
    assert_eq!(frames(b""), []);
    assert_eq!(frames(b" \r\n\n"), []);
    assert_eq!(frames(b"\xef\xbb\xbf{}\n"), [line("{}")]);
}

#[test]
fn lengths_count_bytes_and_lines_inside_are_content() {
    let body = "{\"a\":\"é\"}\n\r\n{}";
    let stream = format!("Content-Length: {}\r\n\r\n{body}{{}}\n", body.len());
    assert_eq!(frames(stream.as_bytes()), [framed(body), line("{}")]);
    assert_eq!(frames(b"Content-Length: 0\r\n\r\n{}\n"), [framed(""), line("{}")]);
}

#[test]
fn bad_headers_are_told_and_the_next_message_is_read() {
    for head in ["abc", "-5", "", "999999999999999999999", "2\r\nContent-Length: 3", "1 2"] {
        let stream = format!("Content-Length: {head}\r\n\r\n{{}}Content-Length: 2\r\n\r\n[]{{}}\n");
        assert_eq!(frames(stream.as_bytes()), [bad(FrameError::Header), framed("[]"), line("{}")], "{head}");
    }
    let stream = b"Content-Length: 4000000000\r\n\r\n{}\n{}\n";
    assert_eq!(frames(stream), [bad(FrameError::TooLarge), line("{}")]);
    assert_eq!(frames(b"Content-Type: x\r\n\r\n{}\n[]\n"), [bad(FrameError::Header), line("[]")]);
    assert_eq!(frames(b"contentment\n{}\n"), [line("contentment"), line("{}")]);
    assert_eq!(frames(b"content-ment\n{}\n"), [bad(FrameError::Header), line("{}")]);
    assert_eq!(frames(b"Content-Length: 2\r\n{}\n"), [bad(FrameError::Header), line("{}")]);
}

#[test]
fn what_breaks_off_does_not_take_the_next_one_with_it() {
    let whole = "Content-Length: 2\r\n\r\n{}";
    let cut = format!("Content-Length: 500\r\n\r\n{{\"a\":{whole}{whole}{}", " ".repeat(600));
    assert_eq!(frames(cut.as_bytes()), [bad(FrameError::Truncated), framed("{}"), framed("{}")]);
    let cut = format!("{{\"a\":{whole}[]\n");
    assert_eq!(frames(cut.as_bytes()), [line("{\"a\":"), framed("{}"), line("[]")]);
    assert_eq!(frames(b"Content-Length: 500\r\n\r\n{"), [bad(FrameError::Truncated)]);
    assert_eq!(frames(b"Content-Len"), [bad(FrameError::Truncated)]);
    assert_eq!(frames(b"Content-Length: 5"), [bad(FrameError::Truncated)]);
    // The words inside a string are no header.
    let text = r#"{"a":"Content-Length: 5\r\n\r\n"}"#;
    let stream = format!("Content-Length: {}\r\n\r\n{text}", text.len());
    assert_eq!(frames(stream.as_bytes()), [framed(text)]);
}

#[test]
fn large_messages_are_refused_without_keeping_them() {
    let mut stream = vec![b'x'; MESSAGE_LIMIT + 1];
    stream.extend_from_slice(b"\n{}\n");
    let mut reader = Reader::new(stream.as_slice());
    assert_eq!(reader.next_frame().unwrap().unwrap().body, Err(FrameError::TooLarge));
    assert_eq!(reader.next_frame().unwrap().unwrap().body, Ok(b"{}".to_vec()));
    assert!(reader.buffer.capacity() <= 2 * MESSAGE_LIMIT);

    let mut stream = format!("Content-Length: {}\r\n\r\n", MESSAGE_LIMIT + 1).into_bytes();
    stream.resize(stream.len() + MESSAGE_LIMIT + 1, b'x');
    stream.extend_from_slice(b"{}\n");
    let mut reader = Reader::new(stream.as_slice());
    assert_eq!(reader.next_frame().unwrap().unwrap().body, Err(FrameError::TooLarge));
    assert_eq!(reader.next_frame().unwrap().unwrap().body, Ok(b"{}".to_vec()));
}

#[test]
fn writing_answers_in_kind() {
    let mut out = Vec::new();
    write(&mut out, Framing::Line, "{}").unwrap();
    write(&mut out, Framing::Header, "\"é\"").unwrap();
    assert_eq!(out, "{}\nContent-Length: 4\r\n\r\n\"é\"".as_bytes());
}
