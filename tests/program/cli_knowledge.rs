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

[[kinds."my.thing".delete]]
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
        ("[[example]]", "[cmd.ls]\n\n[[example]]", "zork ls says nothing about what it does"),
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

#[test]
fn a_new_file_is_valid_and_used() {
    for tool in ["zork", "git", "g++", "Zork-2.0"] {
        let scratch = Scratch::new();
        let made = scratch.run(&["knowledge", "new", tool]);
        assert!(made.status.success(), "{tool}");
        scratch.file("mine.toml", &made.stdout);
        let output = scratch.run(&["knowledge", "check", "mine.toml"]);
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(said, "mine.toml: valid, 1 tool, 1 kind\n", "{tool}");
    }
    let odd = Scratch::new().run(&["knowledge", "new", "a b"]);
    assert_eq!(odd.status.code(), Some(2));
}

/// The verdict on a command, with the documentation's three files in use.
fn judged(scratch: &Scratch, command: &str) -> i32 {
    scratch.run(&["evaluate", "shell", "--fail-on", "warn", command]).status.code().unwrap()
}

const DOCS: [&str; 3] = ["chezmoi", "pgbackrest", "rustic"];

#[test]
fn the_files_of_the_documentation_are_valid_and_judge_rightly() {
    let scratch = Scratch::new();
    for name in DOCS {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/knowledge").join(name);
        let text = std::fs::read_to_string(path.with_extension("toml")).unwrap();
        scratch.file(&format!("../config/recourse/knowledge/{name}.toml"), text);
    }
    let output = scratch.run(&["knowledge", "check"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    scratch.file("../home/.zshrc", "alias a=b");
    scratch.file("../home/.local/share/chezmoi/dot_zshrc", "alias a=b");
    scratch.file("../home/cluster/base/1", "rows");
    let (allow, warn, ask, block) = (0, 10, 20, 30);
    for (command, code) in [
        ("chezmoi status", allow),
        ("chezmoi apply -n", allow),
        ("chezmoi apply", warn),
        ("chezmoi destroy ~/.zshrc", block),
        ("chezmoi rm ~/.zshrc", block),
        ("chezmoi destroy", ask),
        ("chezmoi purge", block),
        ("chezmoi purge -S ~/.local/share/chezmoi", block),
        ("chezmoi purge -S ./not-there", allow),
        ("HOME=/nowhere chezmoi purge", allow),
        ("HOME=$(cat where) chezmoi purge", ask),
        ("rustic snapshots", allow),
        ("rustic -r /srv/b backup .", allow),
        ("rustic forget --keep-last 1 -n", allow),
        ("rustic forget --keep-last 1", block),
        ("rustic restore latest ~/cluster", block),
        ("rustic restore latest not-there", allow),
        ("pgbackrest info", allow),
        ("pgbackrest --stanza=main backup", allow),
        ("pgbackrest --stanza=main --force stanza-delete", block),
        ("pgbackrest --stanza=main --delta restore", block),
        ("pgbackrest --stanza=main --delta --pg1-path ~/cluster restore", block),
    ] {
        assert_eq!(judged(&scratch, command), code, "{command}");
    }
}

#[test]
fn the_tutorial_holds() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/knowledge.md");
    let page = std::fs::read_to_string(page).unwrap();
    let taught = page.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    assert_eq!(check(taught), ("mine.toml: valid, 1 tool, 1 kind\n".to_owned(), 0));
}

#[test]
fn users_files_only_tighten_what_is_built_in() {
    let scratch = Scratch::new();
    scratch.file("../home/a/b", "only here");
    let plan = |kind: &str| {
        let change = serde_json::json!({"address": format!("{kind}.it"), "mode": "managed", "type": kind, "name": "it",
            "provider_name": "registry.terraform.io/hashicorp/x",
            "change": {"actions": ["delete"], "before": {"name": "n"}, "after": null, "after_unknown": {}}});
        serde_json::json!({"format_version": "1.2", "resource_changes": [change]}).to_string()
    };
    for kind in ["aws_dynamodb_table", "aws_cloudwatch_metric_alarm", "acme_thing"] {
        scratch.file(&format!("{kind}.json"), plan(kind));
    }
    let commands = |scratch: &Scratch| {
        let code = |words: &[&str]| scratch.run(words).status.code().unwrap();
        [
            code(&["evaluate", "shell", "--fail-on", "warn", "rm -rf ~/a"]),
            code(&["evaluate", "shell", "--fail-on", "warn", "aws s3 rb s3://logs --force"]),
            code(&["evaluate", "terraform", "--fail-on", "warn", "aws_dynamodb_table.json"]),
            code(&["evaluate", "terraform", "--fail-on", "warn", "aws_cloudwatch_metric_alarm.json"]),
            code(&["evaluate", "terraform", "--fail-on", "warn", "acme_thing.json"]),
        ]
    };
    let before = commands(&scratch);
    let mild = r#"
[[tools]]
tool = ["rm", "aws"]
unlisted = "reads"
unlisted_options = "reads"
operands = ["word...?"]
reads = true

[kinds.tree]
title = "directory"
subject = "path"
[[kinds.tree.delete]]
tier = 1
reason = "nothing"
harmless = true

[kinds."aws.s3.bucket"]
title = "bucket"
[[kinds."aws.s3.bucket".delete]]
tier = 1
reason = "nothing"

[kinds."my.thing"]
title = "thing"
[[kinds."my.thing".delete]]
tier = 1
reason = "it is made again"

[terraform.aws_dynamodb_table]
kind = "my.thing"

[terraform.acme_thing]
kind = "my.thing"

[[looks."aws.s3.bucket"]]
key = "objects"
type = "git"
argv = ["git", "status"]
about = ""
expects = ""
fails = ""
suppose = 0
parse = { line = "x" }
"#;
    scratch.file("../config/recourse/knowledge/mild.toml", mild);
    let mild = commands(&scratch);
    assert_eq!(mild[..4], before[..4], "what is built in stands");
    assert!(mild[4] < before[4], "a type of one's own is judged by one's own rule");
    let strict = r#"
[terraform.aws_cloudwatch_metric_alarm]
kind = "my.precious"
[kinds."my.precious"]
title = "precious"
[[kinds."my.precious".delete]]
tier = 4
reason = "gone"
"#;
    scratch.file("../config/recourse/knowledge/strict.toml", strict);
    assert_eq!(commands(&scratch)[3], 30, "the worse of both");
}

#[test]
fn looks_of_ones_own_only_look() {
    let look = |argv: &str| {
        format!(
            "{ZORK}if = [\"copies >= 1\"]\n\n[[kinds.\"my.thing\".delete]]\ntier = 5\nreason = \"\"\n\n[[looks.\"my.thing\"]]\nkey = \"copies\"\n\
             type = \"git\"\nargv = {argv}\nabout = \"copies\"\nexpects = \"one\"\nfails = \"none\"\nsuppose = 1\nparse = {{ starts = \"{{name}}\" }}\n\
             example = [{{ given = {{ name = \"a\" }}, raw = \"a\\n\", is = 1 }}, {{ given = {{ name = \"a\" }}, raw = \"\" }}, {{ given = {{}}, raw = \"a\" }}]\n"
        )
    };
    let (said, code) = check(&look("[\"git\", \"branch\", \"--list\", \"{name}\"]"));
    assert_eq!(code, 0, "{said}");
    let (said, code) = check(&look("[\"git\", \"clean\", \"-fdx\", \"{name}\"]"));
    assert!(code == 2 && said.contains("does not only look"), "{said}");
    let (said, code) = check(&look("[\"git\", \"branch\", \"--list\", \"{nme}\"]"));
    assert!(code == 2 && said.contains("nobody tells `nme`"), "{said}");
}
