//! Tests of the argument grammar.

use std::sync::Arc;

use proptest::prelude::*;

use super::grammar::match_words;
use super::matched::Match;
use super::schema::ToolFile;
use crate::model::Value;

const RM: &str = r#"
tool = "rm"
options = ["-f --force", "-i", "-r -R --recursive", "-d --dir", "--interactive[=when]", "--help!", "--version!"]
operands = ["path..."]
"#;

const GIT: &str = r#"
tool = "git"
style = "posix"
options = ["-C=dir*", "-c=str*", "--help!", "--git-dir=dir"]
cwd = "{-C}"
[cmd.push]
style = "gnu"
options = ["-f --force / --no-force", "--force-with-lease[=ref]", "-n --dry-run!dry", "-d --delete", "-o --push-option=str*"]
operands = ["remote?", "refspec...?"]
[cmd.stash]
style = "gnu"
default = "push"
[cmd.stash.cmd.push]
options = ["-u --include-untracked", "-m --message=str", "-C=str"]
operands = ["pathspec...?"]
[cmd.stash.cmd.drop]
operands = ["stash?"]
[cmd.remote]
default = "list"
cmd.list = { reads = true }
[cmd.remote.cmd.remove]
alias = ["rm"]
operands = ["name"]
"#;

fn tool(text: &str) -> Arc<ToolFile> {
    ToolFile::parse("test", text).unwrap().remove(0)
}

fn words(line: &str) -> Vec<Value> {
    line.split_whitespace()
        .map(|w| match w.split_once('…') {
            None => Value::known(w),
            Some(("", "")) => Value::Unknown,
            Some((prefix, suffix)) => Value::Affix { prefix: prefix.into(), suffix: suffix.into() },
        })
        .collect()
}

fn matched(text: &str, line: &str) -> Match {
    match_words(&tool(text), &words(line))
}

fn show(text: &str, line: &str) -> String {
    let m = matched(text, line);
    let mut out = m.path[1..].join(" ");
    for o in &m.options {
        out += &format!(" {}", o.key);
        if let Some(v) = &o.value {
            out += &format!("={}", v.display());
        }
    }
    for b in &m.operands {
        out += &format!(" {}:{}", b.name, b.value.display());
    }
    for g in &m.gaps {
        out += &format!(" gap@{}", g.index);
    }
    if m.informational {
        out += " info";
    }
    if m.dry_run {
        out += " dry";
    }
    out.trim().to_owned()
}

#[test]
fn gnu_clusters_prefixes_and_the_end_of_options() {
    assert_eq!(show(RM, "-rf a b"), "-r -f path:a path:b");
    assert_eq!(show(RM, "a --recur --forc"), "-r -f path:a");
    assert_eq!(show(RM, "-f -- -r"), "-f path:-r");
    assert_eq!(show(RM, "-rZ a"), "-r path:a gap@0");
    assert_eq!(show(RM, "--interactive=never -"), "--interactive=never path:-");
    assert_eq!(show(RM, "--in a"), "--interactive path:a");
    assert_eq!(show(RM, "--help a"), "--help path:a info");
    assert_eq!(show(RM, "--nonsense=x"), "gap@0");
}

const KUBE: &str = r#"
tool = "kube"
options = ["-v --verbose", "--help!"]
inherit = true
[cmd.delete]
options = ["-n --dry-run[=mode]!dry=client|server", "--check!", "--cascade[=mode]", "--selector=str"]
operands = ["name...?"]
unlisted_options = "reads"
"#;

#[test]
fn doing_nothing_has_to_be_said() {
    for idle in [
        "delete --dry-run x",
        "delete --dry-run=client x",
        "delete --dry-run=true x",
        "delete --dry-run=none --dry-run=server x",
        "delete --no-dry-run --dry-run x",
        "delete --no-colour --dry-run x",
        "delete --other=1 --dry-run x",
        "delete -n x",
        "delete --help x",
        "delete --check=1 x",
    ] {
        let m = matched(KUBE, idle);
        assert!(m.does_nothing(), "{idle}");
    }
    for done in [
        "delete --dry-run=none x",
        "delete --dry-run=false x",
        "delete --dry-run= x",
        "delete --dry-run=… x",
        "delete --dry-run=cl… x",
        "delete --dry-run=sometimes x",
        "delete --dry-run none x",
        "delete --dry-run=client --dry-run=none x",
        "delete --dry-run --no-dry-run x",
        "delete --dry-run --no-dry x",
        "delete -n=false x",
        "delete -n=… x",
        "delete --help=false x",
        "delete --help=… x",
        "delete --help --no-help x",
        "delete --check no x",
        "delete --selector --dry-run x",
        "delete --unlisted --dry-run x",
        "delete -Z --help x",
    ] {
        let m = matched(KUBE, done);
        assert!(!m.does_nothing(), "{done}: {:?}", m.options);
    }
}

#[test]
fn what_is_not_known_may_be_an_option() {
    assert_eq!(show(RM, "… /tmp/…"), "path:… path:/tmp/…");
    assert_eq!(show(RM, "-… a"), "path:a gap@0");
    assert_eq!(show(RM, "--interactive=…"), "--interactive=…");
    let m = match_words(&tool(RM), &[Value::OneOf(vec!["-r".into(), "x".into()])]);
    assert_eq!(m.gaps.len(), 1);
}

#[test]
fn subcommands_with_options_before_and_behind() {
    assert_eq!(
        show(GIT, "-C sub -C x push -f origin main"),
        "push -C=sub -C=x -f remote:origin refspec:main"
    );
    assert_eq!(matched(GIT, "-C sub -C x push").cwd(), [Value::known("sub"), Value::known("x")]);
    assert_eq!(show(GIT, "push --force --no-force"), "push");
    assert_eq!(show(GIT, "push -n"), "push -n dry");
    assert_eq!(show(GIT, "push --dry-run --no-force"), "push -n dry");
    assert_eq!(show(GIT, "push -fo ci.skip"), "push -f -o=ci.skip");
    assert_eq!(show(GIT, "frob -f"), "gap@0");
    assert_eq!(show(GIT, "remote"), "remote list");
    assert_eq!(show(GIT, "remote rm x"), "remote remove name:x");
    assert_eq!(show(GIT, "… x"), "gap@0");
}

#[test]
fn a_default_subcommand_takes_its_own_options() {
    assert_eq!(show(GIT, "stash"), "stash push");
    assert_eq!(show(GIT, "stash -u -m wip"), "stash push -u -m=wip");
    assert_eq!(show(GIT, "stash -- a"), "stash push pathspec:a");
    assert_eq!(show(GIT, "stash drop 2"), "stash drop stash:2");
    let m = matched(GIT, "-C sub stash -C x");
    assert_eq!((m.cwd(), m.value("-C")), (vec![Value::known("sub")], Some(&Value::known("x"))));
}

#[test]
fn operands_are_shared_out_required_first() {
    let cp = "tool = \"cp\"\noperands = [\"src:path...\", \"dest:path\"]\n";
    assert_eq!(show(cp, "a b c"), "src:a src:b dest:c");
    let ssh =
        "tool=\"ssh\"\nstyle=\"gnu\"\noptions=[\"-p=num\"]\noperands=[\"host\",\"command:shell...?\"]\n";
    assert_eq!(show(ssh, "box -p 22 rm -rf x"), "-p=22 host:box command:rm command:-rf command:x");
    assert_eq!(matched(ssh, "box rm -rf x").nested()[0].values.len(), 3);
    assert_eq!(show(cp, "a"), "src:a");
    let one = "tool = \"one\"\noperands = [\"path\"]\n";
    assert_eq!(show(one, "a b"), "path:a gap@1");
}

#[test]
fn nested_commands_keep_their_options() {
    let env = "tool=\"env\"\nstyle=\"posix\"\noptions=[\"-i\",\"-u --unset=name\"]\noperands=[\"assignment...?\",\"command:argv\"]\n";
    assert_eq!(
        show(env, "-u X A=1 B=2 rm -rf -- x"),
        "-u=X assignment:A=1 assignment:B=2 command:rm command:-rf command:-- command:x"
    );
    let kubectl = "tool=\"kubectl\"\ninherit=true\noptions=[\"-n --namespace=name\"]\n[cmd.exec]\noptions=[\"-c=name\"]\noperands=[\"pod\",\"command:argv\"]\n";
    assert_eq!(
        show(kubectl, "exec web -n prod -- rm -n x"),
        "exec -n=prod pod:web command:rm command:-n command:x"
    );
}

#[test]
fn other_styles() {
    let tar = "tool=\"tar\"\nstyle=\"bundle\"\noptions=[\"-x --extract\",\"-z\",\"-f --file=path\",\"-C=dir\"]\noperands=[\"member...?\"]\n";
    assert_eq!(show(tar, "xzf a.tgz -C out m"), "-x -z -f=a.tgz -C=out member:m");
    assert_eq!(show(tar, "-xfa.tgz"), "-x -f=a.tgz");
    assert_eq!(show(tar, "--extract --file a.tgz"), "-x -f=a.tgz");
    let dd = "tool=\"dd\"\nstyle=\"assign\"\noptions=[\"if=file\",\"of=outfile\",\"--help!\"]\n";
    assert_eq!(show(dd, "if=/dev/zero of=/dev/sd…"), "if=/dev/zero of=/dev/sd…");
    assert_eq!(show(dd, "zz=1"), "gap@0");
    assert_eq!(show(dd, "--help"), "--help info");
    let terraform = "tool=\"terraform\"\nstyle=\"long\"\noptions=[\"-chdir=dir\"]\ncwd=\"{-chdir}\"\n[cmd.apply]\noptions=[\"-auto-approve\",\"-var=str*\"]\noperands=[\"plan?\"]\n";
    assert_eq!(
        show(terraform, "-chdir=x apply -var a=b --auto-approve"),
        "apply -chdir=x -var=a=b -auto-approve"
    );
    assert_eq!(show(terraform, "apply -auto-approve=false"), "apply");
    let echo = "tool=\"echo\"\nstyle=\"raw\"\nreads=true\noperands=[\"str...?\"]\n";
    assert_eq!(show(echo, "--help -n"), "str:--help str:-n");
    let head = "tool=\"head\"\nnumeric=true\nreads=true\noptions=[\"-n=num\"]\noperands=[\"file...?\"]\n";
    assert_eq!(show(head, "-5 f"), "file:f");
    assert_eq!(show(head, "--unknown f"), "file:f", "a reader's unknown option can do nothing");
}

#[test]
fn forms_replace_operands() {
    let sed = "tool=\"sed\"\noptions=[\"-e --expression=code:sed*\",\"-i --in-place[=str]\"]\noperands=[\"script:code:sed\",\"file...?\"]\n[[form]]\nif=[\"-e\"]\noperands=[\"file...?\"]\n";
    assert_eq!(show(sed, "s/a/b/ f"), "script:s/a/b/ file:f");
    assert_eq!(show(sed, "f -i.bak -e p"), "-i=.bak -e=p file:f");
    assert_eq!(matched(sed, "-i p f").nested().len(), 1);
}

#[test]
fn conditions_compare_values() {
    let text = "tool=\"x\"\noptions=[\"--mode=str\",\"-q\"]\n[[effect]]\ndo=\"delete\"\non=\"file a\"\nif=[\"--mode=drop | -q\"]\n";
    let holds = |line: &str| {
        let m = matched(text, line);
        m.holds(&m.command.effects[0].r#if, &[])
    };
    assert!(holds("--mode drop") && holds("-q") && holds("--mode=…"));
    assert!(!holds("--mode keep") && !holds(""));
}

#[test]
fn a_beginning_stands_for_the_only_subcommand_that_begins_so() {
    let text = "tool=\"qm\"\nshortened=true\n[cmd.start]\nalias=[\"stand\"]\n[cmd.stop]\noperands=[\"id\"]\n[cmd.disk.cmd.move]\n";
    let path = |line: &str| matched(text, line).path.join(" ");
    assert_eq!(path("sto 1"), "qm stop");
    assert_eq!(path("sta 1"), "qm start", "two names of one command");
    assert_eq!(path("d m"), "qm disk move");
    assert!(!matched(text, "st 1").gaps.is_empty(), "start or stop");
    assert!(!matched(&text.replace("shortened=true", ""), "sto 1").gaps.is_empty());
}

#[test]
fn names_that_ask_and_abbreviations_are_not_judged_by_words() {
    let text = "tool=\"git\"\nunlisted=\"words\"\nasks=[\"sync\"]\n[cmd.log]\nreads=true\n[cmd.merge]\nalias=[\"rebase\"]\n[[cmd.merge.effect]]\ndo=\"delete\"\non=\"file a\"\n";
    let by_words = |line: &str| matched(text, line).is_judged_by_words();
    assert!(by_words("summary") && by_words("logs x"));
    assert!(!by_words("sync") && !by_words("mer x") && !by_words("reba x") && !by_words("co ."));
}

#[test]
fn errors_have_a_place() {
    let wrong =
        ToolFile::parse("x.toml", "tool = \"x\"\noptions = [\"-a\", \"-b!wet\"]\n").unwrap_err().to_string();
    assert!(wrong.contains("x.toml") && wrong.contains("x.toml:2:") && wrong.contains("!wet"), "{wrong}");
    let unknown = ToolFile::parse("x.toml", "tool = \"x\"\ncolour = 1\n").unwrap_err().to_string();
    assert!(unknown.contains("x.toml:2:"), "{unknown}");
    let condition = "tool=\"x\"\n[[effect]]\ndo=\"delete\"\non=\"file {path}\"\n";
    assert!(ToolFile::parse("x", condition).is_err(), "names that mean nothing are errors");
    assert!(ToolFile::parse("x", "tool=\"x\"\noptions=[\"-a\",\"-b -a\"]\n").is_err());
}

fn any_value() -> impl Strategy<Value = Value> {
    let text = "[-=a-zéR/.{}| ]{0,8}";
    prop_oneof![
        4 => text.prop_map(Value::Known),
        1 => Just(Value::Unknown),
        1 => (text, text).prop_map(|(prefix, suffix)| Value::Affix { prefix, suffix }),
        1 => proptest::collection::vec(text, 0..4).prop_map(Value::one_of),
    ]
}

proptest! {
    #[test]
    fn total(line in proptest::collection::vec(any_value(), 0..8)) {
        for text in [RM, GIT] {
            let m = match_words(&tool(text), &line);
            prop_assert!(m.operands.iter().all(|b| b.index < line.len()));
            prop_assert!(m.options.iter().all(|o| o.index < line.len()));
            m.nested();
            m.cwd();
        }
    }
}
