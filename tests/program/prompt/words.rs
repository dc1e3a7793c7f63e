//! What the question says of the command's words.

use super::{ASKED, no_person_here, program, scratch};

#[test]
fn what_a_variable_stands_for_is_said() {
    if no_person_here() {
        return;
    }
    let scratch = scratch();
    let line = "place=$PWD; rm \"$place/kept\"";
    let mut terminal = scratch.in_sized_terminal(&[program(), "exec", "-c", line], 200, &[]);
    terminal.expect(ASKED);
    let text = terminal.text();
    let said = format!("\"$place/kept\" is {}", scratch.work().join("kept").display());
    assert!(text.contains(&said), "{said}: {text}");
    terminal.send("\r");
    terminal.finish();
}
