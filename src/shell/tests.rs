//! Tables of commands and the steps that come out of them, one table per idea.

use std::fmt::Write as _;

use crate::knowledge::Knowledge;
use crate::model::Value;
use crate::world::{FileKind, MemoryWorld};

use super::*;

/// Prints steps, and records what the simplest programs do to files.
#[derive(Default)]
struct Recorder(Vec<String>);

fn words(args: &[Arg]) -> String {
    args.iter()
        .map(|arg| match arg.value.display() {
            text if text.contains(' ') || text.is_empty() => format!("'{text}'"),
            text => text,
        })
        .collect::<Vec<_>>()
        .join(" ")
}

impl Sink for Recorder {
    fn step(&mut self, step: Step, files: &mut Files) {
        let mut line = String::new();
        if step.context.maybe {
            line.push_str("? ");
        }
        if let Some(host) = &step.context.host {
            let _ = write!(line, "@{host} ");
        }
        let cwd = step.context.cwd.iter().map(|p| p.display().to_string()).collect::<Vec<_>>().join("|");
        match (cwd.as_str(), &step.context.host) {
            ("/w", _) | (_, Some(_)) => {}
            ("", None) => line.push_str("(?) "),
            (other, None) => {
                let _ = write!(line, "({other}) ");
            }
        }
        let base = step.context.cwd.first().cloned().unwrap_or_default();
        let absolute =
            |value: &Value| value.as_known().map(|text| crate::world::resolve::logical(&base.join(text)));
        match &step.kind {
            StepKind::Run(run) => {
                line.push_str(&words(&run.args));
                let plain = run.args[1..]
                    .iter()
                    .filter(|arg| !arg.value.prefix().starts_with('-'))
                    .filter_map(|arg| absolute(&arg.value))
                    .collect::<Vec<_>>();
                for path in &plain {
                    match run.name.as_str() {
                        "mkdir" => files.set(path, FileState::Created { content: None, directory: true }),
                        "rm" => files.set(path, FileState::Gone),
                        _ => {}
                    }
                }
                if let ("mv", [from, to]) = (run.name.as_str(), plain.as_slice()) {
                    files.set(from, FileState::Gone);
                    files.set(to, FileState::MovedFrom(from.clone()));
                }
            }
            StepKind::UnknownProgram { args, .. } => {
                let _ = write!(line, "unknown {}", words(args));
            }
            StepKind::Write { path, mode, content, .. } => {
                let sign = match mode {
                    Mode::Truncate => ">",
                    Mode::Append => ">>",
                    Mode::ReadWrite => "<>",
                };
                let _ = write!(line, "{sign} {}", path.value.display());
                if let (Mode::Truncate, Some(path)) = (mode, absolute(&path.value)) {
                    let content = content.as_ref().and_then(Value::as_known).map(str::to_owned);
                    files.set(path, FileState::Created { content, directory: false });
                }
            }
            StepKind::Guard { variable } => {
                let _ = write!(line, "guard {variable}");
            }
            StepKind::Code { language, effect } => {
                let _ = write!(line, "code {language} {effect:?}");
            }
            StepKind::Gap { .. } => line.push_str("gap"),
            StepKind::Opaque { .. } => line.push_str("opaque"),
            StepKind::Limit { name } => {
                let _ = write!(line, "limit {name}");
            }
        }
        // Reading and making is not what these tables are about.
        let skipped = [
            "echo", "cat", "true", "seq", "ls", "mkdir", "date", "base64", "printf", "basename", "dirname",
            "xargs", "find ", "env ",
        ];
        let bare = line.trim_start_matches("? ");
        if !skipped.iter().any(|name| bare.starts_with(name)) {
            self.0.push(line);
        }
    }
}

fn world() -> MemoryWorld {
    MemoryWorld::new()
        .dir("/w/src")
        .dir("/w/docs")
        .dir("/w/empty")
        .dir("/bin")
        .file("/bin/rm", "\x7fELF\0")
        .mode("/bin/rm", 0o755)
        .file("/w/a.txt", "alpha\n")
        .file("/w/b.txt", "beta\n")
        .file("/w/list", "a.txt\nb.txt\n")
        .file("/w/src/one.py", "1")
        .file("/w/src/two.py", "2")
        .file("/w/.hidden", "h")
        .file("/w/clean.sh", "#!/bin/bash\nrm -rf \"$1\" build\n")
        .mode("/w/clean.sh", 0o755)
        .file("/w/lib.sh", "wipe() { rm -rf \"$@\"; }\nTARGET=docs\n")
        .file(
            "/w/Makefile",
            "OUT = build\nall: prog\n\tcc -o prog x.c\nclean:\n\trm -rf $(OUT) *.o\n.PHONY: clean\n",
        )
        .file("/w/package.json", r#"{"scripts": {"clean": "rm -rf dist", "pretest": "rm -f cache"}}"#)
        .file("/home/me/.bashrc", "")
        .special("/dev/null", FileKind::CharDevice)
        .env("HOME", "/home/me")
        .env("PATH", "/bin")
}

fn steps_with(text: &str, options: &Options) -> Vec<String> {
    let mut recorder = Recorder::default();
    crate::programs::interpret(
        &Input::Text(text.to_owned()),
        &world(),
        &Knowledge::builtin(),
        options,
        &mut recorder,
    );
    recorder.0
}

fn table(rows: &[(&str, &[&str])]) {
    let options = Options::fresh("/w");
    let mut wrong = String::new();
    for (text, expected) in rows {
        let steps = steps_with(text, &options);
        if steps != *expected {
            let _ = writeln!(wrong, "{text}\n  expected {expected:?}\n  got      {steps:?}");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn words_are_expanded_in_the_shells_order() {
    table(&[
        ("rm a.txt", &["rm a.txt"]),
        ("r''m -f \"a.txt\"", &["rm -f a.txt"]),
        ("rm {a,b}.txt x{1..3}", &["rm a.txt b.txt x1 x2 x3"]),
        ("rm ~/x ~nobody/x", &["rm /home/me/x ~nobody/x"]),
        ("x='a b'; rm $x \"$x\"", &["rm a b 'a b'"]),
        ("IFS=,; x=a,b; rm $x", &["rm a b"]),
        ("rm *.txt '*.txt'", &["rm a.txt b.txt *.txt"]),
        ("rm *.nothing", &["rm *.nothing"]),
        ("shopt -s nullglob; rm -f *.nothing", &["rm -f"]),
        ("shopt -s dotglob; rm *hid*", &["rm .hidden"]),
        ("shopt -s extglob; rm src/!(one.py)", &["rm src/two.py"]),
        ("shopt -s globstar; rm **/*.py", &["rm src/one.py src/two.py"]),
        ("set -f; rm *.txt", &["rm *.txt"]),
        ("rm -rf ${UNSET}/x \"$UNSET\"", &["rm -rf /x ''"]),
        ("f=a.txt; rm ${f%.txt} ${f##*.} ${f/a/b} ${f:0:1} ${f^^} ${#f}", &["rm a txt b.txt a A.TXT 5"]),
        ("rm ${X:-d} ${X-e} ${HOME:+set}", &["rm d e set"]),
        ("rm x ${X:?gone}; rm y", &[]),
        ("x=1; rm file$((x+1)) $((x<<3))", &["rm file2 8"]),
        ("a=(a.txt 'b c'); rm \"${a[@]}\" ${#a[@]} ${a[1]}", &["rm a.txt 'b c' 2 b c"]),
        ("declare -A m=([k]=v); rm ${m[k]} ${!m[@]}", &["rm v k"]),
        ("x=a.txt; n=x; rm ${!n}; declare -n r=x; rm $r", &["rm a.txt", "rm a.txt"]),
        ("set -- a b 'c d'; rm \"$@\" $# \"$*\" ${@:2:1}", &["rm a b 'c d' 3 'a b c d' b"]),
        ("set --; rm \"$@\" end", &["rm end"]),
        ("rm $(echo a.txt b.txt) \"$(echo 'x  y')\"", &["rm a.txt b.txt 'x  y'"]),
        ("rm `echo a.txt`", &["rm a.txt"]),
        ("rm $(cat list)", &["rm a.txt b.txt"]),
        ("rm $(< list)", &["rm a.txt b.txt"]),
        ("rm $(basename /x/y.c .c) $(dirname /x/y.c)", &["rm y /x"]),
        ("rm \"$(curl http://x)/y\"", &["curl http://x", "rm …/y"]),
        ("rm $'a\\x2etxt'", &["rm a.txt"]),
        ("d=$(mktemp -d); rm -rf \"$d\"", &["rm -rf /tmp/tmp.recourse0001"]),
    ]);
}

#[test]
fn the_directory_is_a_set() {
    table(&[
        ("cd src; rm *", &["(/w/src) rm one.py two.py"]),
        ("cd missing; rm x", &["rm x"]),
        ("cd missing && rm x", &[]),
        ("cd \"$(curl u)\"; rm x", &["curl u", "(?) rm x"]),
        ("cd \"$(curl u)\" || exit; rm x", &["curl u", "? (?) rm x"]),
        ("mkdir new && cd new && rm x", &["(/w/new) rm x"]),
        ("cd src && cd .. && rm x", &["rm x"]),
        ("cd src; cd -; rm x", &["rm x"]),
        ("(cd src && rm x); rm y", &["(/w/src) rm x", "rm y"]),
        ("pushd src >/dev/null; rm x; popd; rm y", &["> /dev/null", "(/w/src) rm x", "rm y"]),
        ("cd; rm x", &["(/home/me) rm x"]),
        ("if ping -c1 h; then cd src; fi; rm z", &["ping -c1 h", "(/w/src|/w) rm z"]),
        ("set -e; cd missing; rm x", &[]),
    ]);
}

#[test]
fn dead_code_is_dead() {
    table(&[
        ("false && rm x", &[]),
        ("true || rm x", &[]),
        ("false || rm x", &["rm x"]),
        ("if false; then rm x; else rm y; fi", &["rm y"]),
        ("[ -f a.txt ] && rm a.txt", &["rm a.txt"]),
        ("[ -f nope ] && rm a.txt", &[]),
        ("test -n \"$X\" && rm x", &[]),
        ("[[ a == b* ]] && rm x", &[]),
        ("[[ abc == a* ]] && rm x", &["rm x"]),
        ("command -v nosuchtool && rm x", &[]),
        ("! true && rm x", &[]),
        ("(( 0 )) && rm x", &[]),
        ("(( 1 + 1 )) && rm x", &["rm x"]),
        ("while false; do rm x; done", &[]),
        ("until true; do rm x; done", &[]),
        ("case y in x) rm x;; [yz]) rm y;; *) rm z;; esac", &["rm y"]),
        ("case y in x) rm x;; y) rm y;& z) rm z;; esac", &["rm y", "rm z"]),
        ("exit 1; rm x", &[]),
        ("exec ls; rm x", &[]),
        ("f() { return; rm x; }; f; rm y", &["rm y"]),
        ("set -e; false; rm x", &[]),
        ("set -e; false || true; rm x", &["rm x"]),
        ("set -u; rm $NOPE; rm y", &[]),
        ("kill -9 $$; rm x", &["kill -9 4194305"]),
        ("PATH=/nowhere; rm x", &[]),
        ("for f in a b; do continue; rm $f; done", &[]),
        ("for f in a b; do rm $f; break; done", &["rm a"]),
        ("rm x < missing", &[]),
        ("set -o noclobber; echo x > a.txt && rm b.txt", &["> a.txt"]),
        ("bash -n -c 'rm x'", &[]),
        ("ping -c1 h && rm x", &["ping -c1 h", "? rm x"]),
        // A text that is known answers for itself.
        ("grep -q zzz a.txt && rm x", &["grep -q zzz a.txt"]),
        ("ping -c1 h || exit; rm x", &["ping -c1 h", "? rm x"]),
        ("trap 'rm x' EXIT; true", &["rm x"]),
        ("trap 'rm x' EXIT; trap - EXIT", &[]),
        ("trap 'rm -f $t' INT; t=y; true", &["? rm -f y"]),
        ("history | grep rm; history -c", &["grep rm"]),
        ("history -w a.txt", &["> a.txt"]),
        ("return; rm x", &["rm x"]),
        ("break; rm x", &["rm x"]),
        ("f() { return; rm x; }; f; rm y", &["rm y"]),
        ("f() { break; rm x; }; for i in 1; do f; break; rm y; done", &["rm x"]),
        ("for i in 1; do (break; rm x); break; rm y; done", &[]),
    ]);
}

#[test]
fn loops_functions_and_aliases() {
    table(&[
        ("for f in *.txt; do rm \"$f\"; done", &["rm a.txt", "rm b.txt"]),
        ("for f in $(curl u); do rm \"$f\"; done", &["curl u", "? rm …"]),
        ("for ((i=0; i<2; i++)); do rm f$i; done", &["rm f0", "rm f1"]),
        ("while read -r f; do rm \"$f\"; done < list", &["rm a.txt", "rm b.txt"]),
        ("cat list | while read f; do rm $f; done", &["rm a.txt", "rm b.txt"]),
        ("i=0; while [ $i -lt 2 ]; do rm $i; i=$((i+1)); done", &["rm 0", "rm 1"]),
        ("while curl u; do rm x; done", &["curl u", "? rm x", "? curl u"]),
        ("f() { rm \"$1\"; }; f a.txt", &["rm a.txt"]),
        ("f() { local d=$1; rm $d; }; d=x; f a; rm $d", &["rm a", "rm x"]),
        ("f() { rm x; }; export -f f; bash -c f", &["rm x"]),
        ("f() { rm x; }; unset -f f; f", &[]),
        ("unset -f rm; rm x", &["rm x"]),
        ("unset -f f; command_not_found_handle() { rm x; }; f", &["? rm x", "unknown f"]),
        ("rm() { echo no; }; rm x; command rm y; \\rm z", &["rm y"]),
        ("f() { [ $1 -gt 0 ] && f $(($1-1)) || rm x; }; f 2", &["rm x", "? rm x", "? rm x"]),
        ("f() { f; }; f", &["limit recursion"]),
        ("alias zap='rm -rf'\nzap x", &["unknown zap x"]),
        ("shopt -s expand_aliases\nalias zap='rm -rf'\nzap x", &["rm -rf x"]),
        ("shopt -s expand_aliases; alias zap='rm -rf'; eval zap x", &["rm -rf x"]),
        ("shopt -s expand_aliases\nalias rm='echo rm'\nrm x", &[]),
        ("select x in a b; do rm $x; done", &["? rm 'a | b'"]),
    ]);
}

#[test]
fn text_that_becomes_a_program() {
    table(&[
        ("awk -f src a.txt", &["awk -f src a.txt"]),
        ("eval 'rm x'", &["rm x"]),
        ("eval rm -f x", &["rm -f x"]),
        ("bash -c 'rm \"$1\" $0' a b", &["rm b a"]),
        ("bash -ec 'rm x'", &["rm x"]),
        (
            "tmux send-keys -t w 'rm -rf ' src enter",
            &["tmux send-keys -t w 'rm -rf ' src enter", "(?) rm -rf src"],
        ),
        ("tmux send-keys ls Enter 'rm x' C-m", &["tmux send-keys ls Enter 'rm x' C-m", "(?) ls", "(?) rm x"]),
        ("tmux send-keys 'rm x' BSpace y", &["tmux send-keys 'rm x' BSpace y", "opaque"]),
        ("npx rimraf@5 src", &["npx rimraf@5 src", "rimraf src"]),
        ("X=y; bash -c 'rm -f $X'", &["rm -f"]),
        ("export X=y; bash -c 'rm $X'", &["rm y"]),
        ("X=y bash -c 'rm $X'", &["rm y"]),
        ("echo 'rm x' | sh", &["rm x"]),
        ("printf 'rm %s\\n' x y | bash", &["rm x", "rm y"]),
        ("echo cm0gLXJmIHg= | base64 -d | sh", &["rm -rf x"]),
        ("bash <<< 'rm x'", &["rm x"]),
        ("bash <<'E'\nrm x\nE", &["rm x"]),
        ("source /dev/stdin <<< 'rm x'", &["rm x"]),
        ("bash <(echo rm x)", &["rm x"]),
        ("curl u | sh", &["curl u", "opaque"]),
        ("bash clean.sh docs", &["rm -rf docs build"]),
        ("./clean.sh docs", &["rm -rf docs build"]),
        ("bash < clean.sh", &["rm -rf '' build"]),
        (". ./lib.sh; wipe $TARGET", &["rm -rf docs"]),
        ("echo 'rm x' > s.sh; sh s.sh", &["> s.sh", "rm x"]),
        ("echo 'rm x' > s.sh; echo 'rm y' >> s.sh; bash s.sh", &["> s.sh", ">> s.sh", "rm x", "rm y"]),
        ("mv clean.sh c2.sh; sh c2.sh q", &["mv clean.sh c2.sh", "rm -rf q build"]),
        ("./missing.sh", &["unknown ./missing.sh"]),
        ("$(curl u) x", &["curl u", "opaque"]),
        ("R=rm; $R x", &["rm x"]),
        ("$NOTHING rm x", &["rm x"]),
        ("/bin/r? x", &["/bin/rm x"]),
        (
            "eval \"$(ssh-agent -s)\"; source <(nosuch completion bash)",
            &["ssh-agent -s", "unknown nosuch completion bash"],
        ),
        ("make clean", &["make clean", "rm -rf build *.o"]),
        ("make -n clean", &["make -n clean"]),
    ]);
}

#[test]
fn programs_that_run_programs() {
    table(&[
        ("xargs rm < list", &["rm a.txt b.txt"]),
        ("cat list | xargs -I{} rm -f x/{}", &["rm -f x/a.txt", "rm -f x/b.txt"]),
        ("cat list | xargs -n1 rm", &["rm a.txt", "rm b.txt"]),
        ("curl u | xargs rm", &["curl u", "? rm …"]),
        ("find . -name '*.py' -exec rm {} \\;", &["rm ./src/one.py", "rm ./src/two.py"]),
        ("find src -type f -exec rm {} +", &["rm src/one.py src/two.py"]),
        ("find . -name '*.py' | xargs rm", &["rm ./src/one.py ./src/two.py"]),
        ("nohup rm x", &["nohup rm x", "rm x"]),
        ("env A=1 rm x", &["rm x"]),
        ("nosuchwrapper --flag rm -rf x", &["unknown nosuchwrapper --flag rm -rf x", "? rm -rf x"]),
        ("exec rm x", &["rm x"]),
        ("flock l -c 'rm x'", &["flock l -c 'rm x'", "rm x"]),
        ("find . -name '*.py' -print0 | xargs -0 rm", &["rm ./src/one.py ./src/two.py"]),
        (
            "find . -name '*.py' -delete",
            &[
                "code find Delete { path: Known(\"./src/one.py\"), glob: false, recursive: false }",
                "code find Delete { path: Known(\"./src/two.py\"), glob: false, recursive: false }",
            ],
        ),
        ("builtin eval 'rm x'", &["rm x"]),
        ("git -c alias.zap='!rm x' zap y", &["rm x y"]),
        ("git -c alias.st=status st", &["git -c alias.st=status status"]),
        ("git config alias.z '!rm x' && git z", &["git config alias.z '!rm x'", "? rm x"]),
        ("GIT_EDITOR='rm x' git commit", &["git commit", "rm x /dev/null"]),
        ("GIT_EDITOR=true git commit", &["git commit"]),
    ]);
}

#[test]
fn redirections_are_writes_wherever_they_stand() {
    table(&[
        ("> a.txt", &["> a.txt"]),
        ("echo x > a.txt", &["> a.txt"]),
        (">a.txt echo x", &["> a.txt"]),
        ("echo x 1> a.txt 2>&1", &["> a.txt"]),
        ("echo x &> a.txt", &["> a.txt"]),
        ("echo x >| a.txt", &["> a.txt"]),
        ("echo x >> a.txt", &[">> a.txt"]),
        ("cat <> a.txt", &[]),
        ("echo x 1<> a.txt", &["<> a.txt"]),
        ("{ echo a; rm x; } > a.txt", &["> a.txt", "rm x"]),
        ("for i in 1 2; do echo; done > a.txt", &["> a.txt"]),
        ("f=a.txt; echo > $f", &["> a.txt"]),
        ("exec 3> a.txt", &["> a.txt"]),
        ("rm x 2>/dev/null", &["> /dev/null", "rm x"]),
    ]);
}

#[test]
fn builtin_names_are_sorted() {
    for name in ["cd", "eval", ".", "[", "wait", "printf", "command", "shift", "trap", "export"] {
        assert!(builtins::is_builtin(name), "{name}");
    }
}

#[test]
fn hostile_text_ends() {
    let options = Options::fresh("/w");
    for text in [
        ":(){ :|:& };:",
        "while true; do rm x; done",
        "f() { f x$1; }; f",
        "rm {1..100000000}",
        "eval \"$(printf 'eval %.0s' {1..5000})\"",
        "a() { b; b; }; b() { c; c; }; c() { d; d; }; d() { e; e; }; e() { a; a; }; a",
        "for i in {1..3000}; do for j in {1..3000}; do rm $i$j; done; done",
        "x=x; while :; do x=$x$x; done",
    ] {
        let start = std::time::Instant::now();
        let steps = steps_with(text, &options);
        println!("{:?} {} {text}", start.elapsed(), steps.len());
        assert!(steps.len() < 50_000, "{text}");
    }
}

#[test]
fn a_program_of_the_persons_own_counts_by_its_name_when_nobody_else_put_it_there() {
    const OLD: i64 = 1_600_000_000;
    const NEW: i64 = 1_699_999_990;
    let placed = |folder: &str| {
        let file = format!("{folder}/truncate");
        world().file(&file, "\x7fELF\0").mode(&file, 0o755).modified(&file, OLD).env("PATH", folder)
    };
    let steps = |world: MemoryWorld| {
        let mut recorder = Recorder::default();
        let input = Input::Text("truncate -s 0 a.txt".to_owned());
        let knowledge = Knowledge::builtin();
        crate::programs::interpret(&input, &world, &knowledge, &Options::fresh("/w"), &mut recorder);
        recorder.0
    };
    let bin = "/home/me/.local/bin";
    let file = "/home/me/.local/bin/truncate";
    let named = ["truncate -s 0 a.txt"];
    assert_eq!(steps(placed(bin)), named);
    assert_eq!(steps(placed("/home/me/bin")), named);
    assert_eq!(steps(placed(bin).owner(file, 0)), named, "an administrator's");
    for (why, world) in [
        ("somebody else's", placed(bin).owner(file, 1001)),
        ("anybody may write it", placed(bin).mode(file, 0o757)),
        ("anybody may write beside it", placed(bin).mode(bin, 0o777)),
        ("anybody may write above it", placed(bin).mode("/home/me", 0o777)),
        ("it came just now", placed(bin).modified(file, NEW)),
        ("a repository holds it", placed(bin).dir("/home/me/.local/.git")),
        ("it is the project's", placed("/w")),
        (
            "it leads into a repository",
            world()
                .dir("/home/me/src/.git")
                .file("/home/me/src/truncate", "\x7fELF\0")
                .mode("/home/me/src/truncate", 0o755)
                .link(file, "/home/me/src/truncate")
                .env("PATH", bin),
        ),
    ] {
        let steps = steps(world);
        assert!(steps.iter().any(|step| step.starts_with("unknown")), "{why}: {steps:?}");
    }
}

/// Whoever exports a function named like a program hides no program: not every shell takes it over.
#[test]
fn exported_functions_are_called_and_hide_nothing() {
    let steps = |text: &str| {
        let world = world()
            .env("BASH_FUNC_rm%%", "() { :; }")
            .env("BASH_FUNC_gone%%", "() {  truncate -s 0 a.txt\n}");
        let mut recorder = Recorder::default();
        let knowledge = Knowledge::builtin();
        let input = Input::Text(text.to_owned());
        crate::programs::interpret(&input, &world, &knowledge, &Options::fresh("/w"), &mut recorder);
        format!("{:?}", recorder.0)
    };
    assert!(steps("rm a.txt").contains("a.txt"), "{}", steps("rm a.txt"));
    assert!(steps("bash -c gone").contains("a.txt"), "{}", steps("bash -c gone"));
}
