//! What comes in one piece was pasted or typed by a program: it is no answer.

use super::{ASKED, asked, has, no_person_here, scratch};

#[test]
fn a_text_is_no_key_and_keys_one_by_one_are() {
    if no_person_here() {
        return;
    }
    let scratch = scratch();
    let mut terminal = asked(&scratch, 80, &[]);
    terminal.send("rr");
    terminal.expect_count(ASKED, 2);
    terminal.send("\u{1b}[200~r\r\u{1b}[201~");
    terminal.expect_count(ASKED, 3);
    assert!(terminal.text().contains("that was a text, not a key") && has(&scratch, "kept"));
    terminal.press(&["x", "r"]);
    let (status, text) = terminal.finish();
    assert_eq!(status, 0, "{text}");
    assert!(!has(&scratch, "kept"));
}
