//! `recourse knowledge`: what users teach is checked as strictly as what is built in, and says where it is wrong.

use crate::support::Scratch;

/// Text that a run of `knowledge check` prints for one file, and its status.
fn check(text: &str) -> (String, i32) {
    let scratch = Scratch::new();
    scratch.file("mine.toml", text);
    let output = scratch.run(&["knowledge", "check", "mine.toml"]);
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (said, output.status.code().unwrap())
}

const ZORK: &str = r#"tool     = "zork"
options  = ["-h --help!", "-o --out=outfile"]
operands = ["verb", "thing:str"]

[[effect]]
do = "delete"
on = "my.thing {thing}"
if = ["verb=rm"]

[[example]]
run = "zork rm a"
is  = ["delete my.thing a"]

[kinds."my.thing"]
title = "thing"

[["kinds"."my.thing".delete]]
tier   = 4
reason = "{target} is gone"
"#;

#[test]
fn a_good_file_is_valid() {
    assert_eq!(check(ZORK), ("mine.toml: valid, 1 tool, 1 kind\n".to_owned(), 0));
}

#[test]
fn each_mistake_is_named_with_its_line() {
    for (old, new, said) in [
        ("options ", "optoins ", "mine.toml:2: unknown field `optoins`"),
        ("options ", "optoins ", "did you mean `options`?"),
        ("do = \"delete\"", "do = \"delet\"", "mine.toml:6: unknown variant `delet`"),
        (
            "{thing}",
            "{thng}",
            "mine.toml:7: effect 1: `thng` is no option and no operand of zork; did you mean `thing`?",
        ),
        ("verb=rm\"", "vreb=rm\"", "mine.toml:8: effect 1: `vreb` is no option and no operand"),
        (
            "on = \"my.thing",
            "on = \"my.thng",
            "mine.toml:7: zork: kind `my.thng` is not declared; did you mean `my.thing`?",
        ),
        ("on = \"my.thing", "on = \"backup.snapshot", "of `backup` there are backup.repository"),
        (
            "zork rm a",
            "zork rm b",
            "mine.toml:10: `zork rm b`: gives `delete my.thing b`, not `delete my.thing a`",
        ),
        ("zork rm a", "zork ls a", "mine.toml:5: no example reaches zork, effect 1"),
        ("do = \"delete\"", "do = \"revoke\"", "mine.toml:6: zork: kind `my.thing` has no case for revoke"),
        (
            "title = \"thing\"",
            "title = \"thing\"\nprobes = [\"git-reff\"]",
            "mine.toml:16: kind my.thing: `git-reff` is no probe",
        ),
        ("{target} is gone", "{nosuch} is gone", "mine.toml:19: kind my.thing: nobody tells `nosuch`"),
        (
            "if = [\"verb=rm\"]",
            "if = [\"verb=rm\"]\nwith = [\"no-clober\"]",
            "mine.toml:9: zork: nobody asks a `my.thing` for `no-clober`",
        ),
        ("tier   = 4", "tier   = 9", "mine.toml:18: kind my.thing: tier 9 is none of 1 to 5"),
    ] {
        assert!(ZORK.contains(old), "{old}");
        let (found, code) = check(&ZORK.replacen(old, new, 1));
        assert!(found.contains(said) && code == 2, "{new}: {found}");
    }
    let (found, code) = check(&ZORK.split("[[example]]").next().unwrap().replace("my.thing", "file"));
    assert!(found.contains("zork has no example") && code == 2, "{found}");
}

#[test]
fn doctor_says_which_file_and_judging_goes_on() {
    let scratch = Scratch::new();
    let wrong = ZORK.replace("{target} is gone", "{nosuch} is gone");
    scratch.file("../config/recourse/knowledge/mine.toml", &wrong);
    let run = |args: &[&str]| {
        let output = scratch.run(args);
        (
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr),
            output.status.code(),
        )
    };
    let (said, _) = run(&["doctor"]);
    assert!(
        said.contains("lacking  knowledge")
            && said.contains("mine.toml:19")
            && said.contains("`recourse knowledge check`"),
        "{said}"
    );
    assert_eq!(run(&["knowledge", "check"]).1, Some(2));
    assert_eq!(run(&["evaluate", "shell", "zork rm a"]).1, Some(30));
    // What cannot be read at all stops everything.
    scratch.file("../config/recourse/knowledge/other.toml", "tool = \"x\"\ncolour = 1\n");
    let (said, code) = run(&["evaluate", "shell", "ls"]);
    assert!(said.contains("other.toml:2") && code == Some(2), "{said}");
    let (said, _) = run(&["knowledge", "check"]);
    assert!(said.contains("other.toml:2") && said.contains("mine.toml:19"), "{said}");
    assert!(run(&["doctor"]).0.contains("BROKEN   knowledge"));
    let (json, _) = run(&["knowledge", "check", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["valid"], false);
    assert_eq!(json["files"][0]["problems"][0]["line"], 19);
}
