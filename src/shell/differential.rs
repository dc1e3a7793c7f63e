//! Bash itself beside the interpretation: whatever words a program really gets, a step says that it may get them. What is
//! told of a word as its text is the text that it has.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::knowledge::Knowledge;
use crate::model::Value;
use crate::world::MemoryWorld;

use super::*;

/// Words of each `rm`; and whether something stood there of which nothing is told.
#[derive(Default)]
struct Told {
    steps: Vec<Vec<Value>>,
    open: bool,
}

impl Sink for Told {
    fn step(&mut self, step: Step, _: &mut Files) {
        match step.kind {
            StepKind::Run(run) if run.name == "rm" => {
                self.steps.push(run.args.iter().skip(1).map(|arg| arg.value.clone()).collect());
            }
            StepKind::Opaque { .. } | StepKind::Gap { .. } | StepKind::Limit { .. } => self.open = true,
            _ => {}
        }
    }
}

fn told(place: &Path, text: &str) -> Told {
    let cwd = place.join("w");
    let cwd = cwd.to_str().unwrap();
    let world = MemoryWorld::new()
        .dir(cwd)
        .dir("/tmp")
        .dir("/home")
        .dir("/bin")
        .file("/bin/rm", "\x7fELF\0")
        .mode("/bin/rm", 0o755)
        .env("HOME", "/home/me")
        .env("PATH", "/bin");
    let mut told = Told::default();
    let input = Input::Text(text.to_owned());
    crate::programs::interpret(&input, &world, &Knowledge::builtin(), &Options::fresh(cwd), &mut told);
    told
}

/// Where `rm` is a program that writes down what it is given.
fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir_all(place.path().join("bin")).unwrap();
    fs::create_dir_all(place.path().join("w")).unwrap();
    let rm = place.path().join("bin/rm");
    let text =
        "#!/bin/sh\n[ $# = 0 ] || printf '%s\\037' \"$@\" >>\"$RM_LOG\"; printf '\\036' >>\"$RM_LOG\"\n";
    fs::write(&rm, text).unwrap();
    fs::set_permissions(&rm, fs::Permissions::from_mode(0o755)).unwrap();
    place
}

/// The words that each `rm` really gets.
fn really(place: &Path, text: &str) -> Vec<Vec<String>> {
    // What a line leaves running may write when the next one runs: each has a log of its own.
    static LOGS: AtomicUsize = AtomicUsize::new(0);
    let log = place.join(format!("log{}", LOGS.fetch_add(1, Ordering::Relaxed)));
    Command::new("/bin/bash")
        .arg0("bash")
        .args(["--norc", "--noprofile", "-c", text])
        .current_dir(place.join("w"))
        .env_clear()
        .env("PATH", format!("{}:/usr/bin:/bin", place.join("bin").display()))
        .env("HOME", "/home/me")
        .env("RM_LOG", &log)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    let written = fs::read(&log).unwrap_or_default();
    let _ = fs::remove_file(&log);
    let written = String::from_utf8_lossy(&written);
    let lines = written.split_terminator('\x1e');
    lines.map(|line| line.split_terminator('\x1f').map(str::to_owned).collect()).collect()
}

fn may_be(value: &Value, word: &str) -> bool {
    match value {
        Value::Known(text) => text == word,
        Value::OneOf(list) => list.iter().any(|text| text == word),
        Value::Affix { prefix, suffix } => {
            word.starts_with(prefix.as_str()) && word.ends_with(suffix.as_str())
        }
        Value::Woven(_) | Value::Lines(_) | Value::Unknown => true,
    }
}

/// Whether words that are not known, each of any number, may be these.
fn may_all_be(values: &[Value], words: &[String]) -> bool {
    let Some((value, others)) = values.split_first() else { return words.is_empty() };
    let one =
        || words.split_first().is_some_and(|(word, rest)| may_be(value, word) && may_all_be(others, rest));
    match value {
        Value::Known(_) => one(),
        Value::OneOf(list) if list.iter().all(|text| !text.is_empty()) => one(),
        Value::OneOf(_) => one() || may_all_be(others, words),
        _ => (0..=words.len()).any(|taken| may_all_be(others, &words[taken..])),
    }
}

/// What bash gave to `rm` and no step tells.
fn untold(place: &Path, text: &str) -> Option<String> {
    let told = told(place, text);
    if told.open {
        return None;
    }
    let real = really(place, text);
    // The words of what may be one of several, and of what has no order, stand side by side.
    let within = |values: &[Value], words: &[String]| {
        values.len() >= words.len() && words.iter().all(|word| values.iter().any(|value| may_be(value, word)))
    };
    let missed = real
        .iter()
        .find(|words| !told.steps.iter().any(|values| may_all_be(values, words) || within(values, words)))?;
    Some(format!("{text}\n  really {missed:?}\n  told {:?}", told.steps))
}

/// Numbers in an order that only looks like chance.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

/// Things that a line may do to what its names hold.
const ACTS: &[&str] = &[
    "x=b",
    "x=a.b.a",
    "y=x",
    "x+=1",
    "x=010",
    "x='1 2'",
    "x=",
    "unset x",
    "declare -n r=x",
    "declare -n r=a[1]",
    "declare -n r; r=a",
    "declare -n r=m[k]",
    "unset -n r",
    "unset r",
    "r=new",
    "r+=z",
    "local x=q",
    "local y",
    "f() { local x=in; rm f$x; y=out; }; f",
    "g() { local -n o=$1; o=set; }; g x",
    "for r in a y; do rm L$r; done",
    "a=(b.txt c.txt)",
    "a=([2]=two [5]=five one)",
    "a[1]=e1",
    "a[1]+=z",
    "a+=more",
    "a+=(k l)",
    "unset 'a[1]'",
    "unset 'a[-1]'",
    "unset 'a[y]'",
    "declare -A m=([k]=v [q]=w)",
    "m[k]+=u",
    "m=z",
    "declare -i x; x=2+3",
    "declare -i n=4; n+=3; x=$n",
    "declare +i x; x=1+1",
    "declare -u x=abc",
    "declare -c x=abc",
    "declare -au a=(p q)",
    "declare -ai a=(1+1 2+2)",
    "declare 'x+=tail'",
    "declare -a 'a=(s t)'",
    "export x=ex",
    "readonly z=1",
    "printf -vx %s-%s p q",
    "printf -v x '%03d' 7z",
    "printf -v a[1] '%5.2s|' abc",
    "x=$(printf '%d %i %x' 0x1f 010 -0)",
    "x=$(printf '%+d%%% d' 5 ' 6')",
    "x=$(printf '%05s.%-4s.%.2s' ab c def)",
    "x=$(printf '%q' 'a b,c' '')",
    "x=$(printf '\\0141\\x41')",
    "x=$(echo -e 'a\\0102\\t\\101')",
    "x=$'\\141\\x62'",
    "x=$(echo aab | tr a '[z*]')",
    "x=$(echo aab | tr ab '[c*1]d')",
    "x=$(echo aab | tr -d '[a*2]')",
    "x=$(echo a1b2 | tr '[:digit:]' '[x*]')",
    "mapfile -t a <<< $'l0\\nl1\\nl2'",
    "mapfile -t -s1 a <<< $'l0\\nl1\\nl2'",
    "mapfile -tn 2 a <<< $'l0\\nl1\\nl2'",
    "mapfile -O 2 -t a <<< $'l0\\nl1'",
    "mapfile -td, a <<< m0,m1,",
    "readarray a <<< q",
    "read x y <<< 'r1 r2 r3'",
    "read -r x <<< 'b\\ c'",
    "read x y <<< 'b\\ c d'",
    "IFS=: read x y <<< 'p::q:'",
    "IFS=: read x y z <<< 'p:q:'",
    "IFS=: read -a a <<< ':p:q:'",
    "read -n2 x <<< abcd",
    "read -N3 x <<< $'a\\nbc'",
    "read -d, x y <<< 'one two,three'",
    "exec 3<<< $'t1\\nt2'; read x <&3; read y <&3",
    "exec 4<<< 'rm four'; . /dev/fd/4",
    ". /dev/fd/5 5<<< 'x=five'",
    "{ read -u 6 x; read -u 6 y; } 6<<< $'s1\\ns2'",
    "eval 'x=$y'",
    "trap 'x=t$x' DEBUG",
    "trap 'y=9' ERR; false",
    "trap 'x=9' USR1; kill -USR1 $$",
    "trap 'h' DEBUG; h() { x=late; }",
    "trap - DEBUG",
    "cat <<E >/dev/null\n$((n++))${q:=in}\nE",
    "read x <<E\n$((n++))\nE",
    ": <<< $((n++))",
    "f2() { :; }; f2 <<< $((n++))",
    "true >/dev/null 2>$((n++ ? 0 : 0))/../dev/null",
    ": $((n++))",
    "v=$((n++)) true",
    "v=$((n++)) cat </dev/null",
    "v=1 w=$v; x=$w",
    "v=one w=$v eval 'x=$w'",
    "((n+=2))",
    "((a[1]=7))",
    "((a[n]++))",
    "y='n=5'; ((y))",
    "let n=n*2 x=n+1",
    "a[n++]=sub",
    "x=${a[n++]}",
    "x=${y:=dflt}",
    "x=${a[1]:=elem}",
    "x=${!y:=ind}",
    "set -- p1 'p 2' p3",
    "shift",
    "set --",
    "x=$#",
    "IFS=,",
    "IFS=",
    "unset IFS",
    "IFS=' '",
    "[[ $x == b ]] && y=eq",
    "case $x in b*) y=case;; *) y=other;; esac",
    "for x in ${a[@]}; do y+=$x; done",
    "while ((n++ < 2)); do y+=w; done",
    "x=$_",
    "getopts ab: x -a -b v",
    "shopt -u patsub_replacement",
    "shopt -s extglob",
    "set -u",
];

/// What is looked at.
const WORDS: &[&str] = &[
    "$x",
    "\"$x\"",
    "$y",
    "f$n",
    "$r",
    "${!r}",
    "${!y}",
    "${r[@]}",
    "$a",
    "${a[1]}",
    "${a[-1]}",
    "${a[@]}",
    "\"${a[*]}\"",
    "${a[@]:1}",
    "${a[@]:1:1}",
    "\"${a[@]: -1}\"",
    "${#a[@]}",
    "${!a[@]}",
    "${#x}",
    "${m[k]}",
    "\"${m[@]}\"",
    "${!m[@]}",
    "${x/b/&}",
    "${x/b/[&]}",
    "${x//a/\"&\"}",
    "${x//a/\\&&}",
    "${x/%/.txt}",
    "${x/#/p-}",
    "${a[*]/%/.txt}",
    "${a[@]/#/d/}",
    "${a[@]#b}",
    "${a[*]%.*}",
    "\"${a[*]^^}\"",
    "${a[@]/t/$y}",
    "${x/*/all}",
    "${x//?/_}",
    "${x/.*}",
    "${x%%.*}",
    "${x#*.}",
    "${x:1:2}",
    "${x: -1}",
    "${x:0:-1}",
    "${x^}",
    "${x@Q}",
    "${x@U}",
    "${x-unset}",
    "${x:-empty}",
    "${x+set}",
    "${y:+alt}",
    "${q}",
    "$v",
    "$w",
    "$z",
    "$((n))",
    "$((010 + x))",
    "$((x))",
    "$((n++))$n",
    "$@",
    "\"$@\"",
    "\"$*\"",
    "${@:2}",
    "${@: -1}",
    "$#",
    "$1",
    "${*/p/Q}",
    "$_",
    "${a[n]}",
    "$(echo $x)",
    "$(printf %s, \"${a[@]}\")",
    "{$x,1}.t",
    "${x//[ab]/-}",
    "${x/+(a)/E}",
    "${a:-none}",
    "${a[7]-gone}",
    "$[n+1]",
    "$OPTARG",
];

/// A small script.
fn script(chance: &mut Chance) -> String {
    let mut lines: Vec<String> = (0..1 + chance.below(5)).map(|_| chance.one(ACTS).to_owned()).collect();
    let words: Vec<&str> = (0..1 + chance.below(2)).map(|_| chance.one(WORDS)).collect();
    lines.push(format!("rm {}", words.join(" - ")));
    if chance.below(3) == 0 {
        let at = chance.below(lines.len());
        lines.insert(at, format!("rm {}", chance.one(WORDS)));
    }
    format!("n=1\n{}", lines.join("\n"))
}

/// Small scripts, one a line, each of them once told wrong or near to one that was. Another file of them may be named.
fn rows() -> Vec<String> {
    let own = include_str!("../../tests/data/differential.txt").to_owned();
    let text = std::env::var("RECOURSE_ROWS").map_or(own, |path| fs::read_to_string(path).unwrap());
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with("# "));
    lines.map(|line| line.replace("\u{2424}", "\n")).collect()
}

#[test]
fn what_is_told_of_rows_is_what_bash_makes_of_them() {
    if !Path::new("/bin/bash").exists() {
        return;
    }
    let place = place();
    let wrong: Vec<String> = rows().iter().filter_map(|text| untold(place.path(), text)).collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_is_told_of_a_word_is_what_bash_makes_of_it() {
    if !Path::new("/bin/bash").exists() {
        return;
    }
    let number =
        |name: &str, usual: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let place = place();
    let mut chance = Chance(number("RECOURSE_CHANCE", 7));
    let mut wrong = Vec::new();
    for act in ACTS {
        for word in ["$x", "$y", "f$n", "$r", "${a[@]}"] {
            let text = format!("n=1; x=0; a=(b.txt c.txt)\n{act}\nrm {word}");
            wrong.extend(untold(place.path(), &text));
        }
    }
    for _ in 0..number("RECOURSE_SCRIPTS", 400) {
        wrong.extend(untold(place.path(), &script(&mut chance)));
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
