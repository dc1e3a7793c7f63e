//! The key that writes a rule.

use super::*;

#[test]
fn always_in_this_project_is_a_rule_that_was_shown() {
    if no_person_here() {
        return;
    }
    let scratch = Scratch::lasting();
    let folder = scratch.root().join("config/recourse/knowledge");
    std::fs::create_dir_all(&folder).unwrap();
    let tool = "tool = \"emptybox\"\noperands = [\"name...\"]\n\
        [[effect]]\ndo = \"delete\"\non = \"test.box {name}\"\n\
        [[example]]\nrun = \"emptybox a\"\nis = [\"delete test.box a\"]\n";
    let kind = "[\"test.box\"]\ntitle = \"box\"\nsubject = \"name\"\nservice = \"test\"\n\
        [[\"test.box\".delete]]\ntier = 5\nreason = \"nobody has looked into {target}\"\n";
    std::fs::write(folder.join("tool.toml"), tool).unwrap();
    std::fs::write(folder.join("kind.toml"), kind).unwrap();
    let policy = scratch.root().join("config/recourse/policy.toml");
    let ask = |name: &str| {
        let text = format!("emptybox {name} 2>/dev/null; touch ran-{name}");
        scratch.in_terminal(&[program(), "exec", "-c", &text])
    };

    // Shown, and not wanted after all.
    let mut terminal = ask("red");
    terminal.expect("[p] always in this project");
    terminal.expect(ASKED);
    terminal.press(&["p"]);
    terminal.expect("Write it?");
    assert!(terminal.text().contains("target    = \"red\"") && terminal.text().contains("directory = \""));
    terminal.press(&["\r"]);
    terminal.expect("no rule was written");
    terminal.expect_count(ASKED, 2);
    assert!(!exists(&policy));

    // Wanted: it runs, and does so from now on without a question.
    terminal.press(&["p"]);
    terminal.expect_count("Write it?", 2);
    terminal.press(&["p"]);
    let (status, text) = terminal.finish();
    assert!(status == 0 && has(&scratch, "ran-red"), "{text}");
    let written = std::fs::read_to_string(&policy).unwrap();
    assert!(written.contains("target    = \"red\"") && written.contains("verdict   = \"warn\""), "{written}");
    let (status, text) = ask("red").finish();
    assert!(status == 0 && !text.contains(ASKED), "{text}");

    // Anything else is asked about.
    let mut terminal = ask("blue");
    terminal.expect(ASKED);
    terminal.press(&["\r"]);
    assert_eq!(terminal.finish().0, 126);
    assert!(!has(&scratch, "ran-blue"));
}
