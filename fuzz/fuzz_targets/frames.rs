//! Any bytes as the input of the MCP server: `cargo +nightly fuzz run frames`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use recourse::mcp::framing::{MESSAGE_LIMIT, Reader};
use recourse::mcp::protocol::{Body, Message, read};

fuzz_target!(|data: &[u8]| {
    let mut reader = Reader::new(data);
    let mut frames = 0;
    while let Ok(Some(frame)) = reader.next_frame() {
        frames += 1;
        assert!(frames <= data.len(), "every frame takes at least one byte");
        let Ok(body) = frame.body else { continue };
        assert!(body.len() <= MESSAGE_LIMIT);
        if let Body::One(Message::Request(request)) = read(&body) {
            assert!(!request.id.key().is_empty());
        }
    }
});
