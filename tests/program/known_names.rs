//! A known name that stands for something else: a file that the search path leads to, an alias, a runner of the
//! repository's, a variable that makes a program run what it holds.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A home that is no temporary place, with a project, and folders of programs beside it.
struct Fixture {
    root: tempfile::TempDir,
}

/// What starts the build tool, as its makers write it.
const WRAPPER: &str = "#!/bin/sh\napp_path=$0\nAPP_HOME=$( cd \"${app_path%\"${app_path##*/}\"}.\" > /dev/null && pwd -P ) || exit\n\
    CLASSPATH=$APP_HOME/gradle/wrapper/gradle-wrapper.jar\nif [ -n \"$JAVA_HOME\" ] ; then\n    JAVACMD=$JAVA_HOME/bin/java\n\
    else\n    JAVACMD=java\nfi\nset -- -classpath \"$CLASSPATH\" org.gradle.wrapper.GradleWrapperMain \"$@\"\n\
    eval \"set -- $(printf '%s\\n' \"$JAVA_OPTS $GRADLE_OPTS\" | xargs -n1 | tr '\\n' ' ')\" '\"$@\"'\nexec \"$JAVACMD\" \"$@\"\n";

impl Fixture {
    fn lay() -> Self {
        let fixture = Self { root: tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap() };
        let destroys = "#!/bin/sh\nrm -rf \"$HOME/Documents\"\n";
        for name in ["cat", "ls", "git", "date", "grep"] {
            fixture.program(&format!("b/{name}"), destroys);
        }
        fixture.program("w/cat", "#!/bin/sh\nexec /usr/bin/cat \"$@\"\n");
        fixture.program("w/kubectl", "\x7fELF\x01\x02\0\0");
        fixture.program(".cargo/bin/cat", "\x7fELF\x01\x02\0\0");
        fixture.program("venv/bin/pytest", "#!/usr/bin/python3\nimport os, sys\nsys.exit(0)\n");
        let installed = "#!/usr/bin/python3\nimport sys\nfrom somewhere.cli import main\nsys.exit(main())\n";
        fixture.program("venv/bin/aws", installed);
        fixture.program("proj/node_modules/.bin/aws", installed);
        fixture.program("w/aws", "#!/bin/sh\nexit 0\n");
        fixture.program("proj/tools/aws", "#!/bin/sh\nexit 0\n");
        fixture.program(
            "proj/tools/ls",
            "#!/usr/bin/python3\nimport os, shutil\nshutil.rmtree(os.path.expanduser('~/Documents'))\n",
        );
        fixture.write("venv/pyvenv.cfg", "home = /usr/bin\n");
        for (dir, name, of) in [("c", "cat", "rm"), ("c", "head", "head")] {
            fs::create_dir_all(fixture.home().join(dir)).unwrap();
            fs::copy(format!("/bin/{of}"), fixture.home().join(dir).join(name)).unwrap();
        }
        fs::create_dir_all(fixture.home().join("l")).unwrap();
        for (name, to) in [("ls", "/bin/rm"), ("cat", "/bin/cat")] {
            symlink(to, fixture.home().join("l").join(name)).unwrap();
        }
        for file in ["proj/README.md", "proj/notes.md", "Documents/thesis.md"] {
            fixture.write(file, &format!("words of {file} that stand nowhere else\n"));
        }
        fixture.program("proj/scripts/b.sh", "#!/bin/bash\ndate\n");
        fixture.write(
            "proj/Makefile",
            &format!("export PATH := {}/b:$(PATH)\nv:\n\t@cat README.md\n", fixture.home().display()),
        );
        fixture.program("proj/gradlew", WRAPPER);
        fixture.program("proj/own/gradlew", destroys);
        fixture.program("proj/own/mvnw", destroys);
        fixture.program(
            "proj/own/hidden/gradlew",
            &WRAPPER.replace("set -- -class", "rm -rf ~/Documents\nset -- -class"),
        );
        fixture.program("proj/vendor/bin/phpunit", destroys);
        fixture.program(
            "proj/vendor/bin/phpstan",
            "#!/usr/bin/env sh\nexport COMPOSER_RUNTIME_BIN_DIR=\"$(cd \"${0%[/\\\\]*}\" > /dev/null; pwd)\"\nexec \"$(cat x)\" \"$@\"\n",
        );
        fixture.program("s.sh", destroys);
        fixture.write("lib/libc.so.6", "\x7fELF\x01\x02\0\0");
        fixture.write("mine/libmine.so.6", "\x7fELF\x01\x02\0\0");
        fixture
    }

    fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.home().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn program(&self, path: &str, text: &str) {
        self.write(path, text);
        fs::set_permissions(self.home().join(path), fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// The verdict where these folders of the home stand first on the search path.
    fn verdict(&self, first: &str, command: &str) -> String {
        use std::io::Write;
        let system = "/usr/local/bin:/usr/bin:/bin";
        let path = match first {
            "" => system.to_owned(),
            first => format!("{}:{system}", self.home().join(first).display()),
        };
        let directory = self.home().join("proj");
        let mut child = Command::new(env!("CARGO_BIN_EXE_recourse"))
            .args(["evaluate", "shell", "--format", "json", "--fail-on", "never", "-"])
            .current_dir(&directory)
            .env_clear()
            .envs([("PATH", path.as_str()), ("SHELL", "/bin/bash")])
            .env("PWD", &directory)
            .env("HOME", self.home())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(command.replace('⏎', "\n").as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        report["riskAssessment"].as_str().unwrap().to_owned()
    }

    #[track_caller]
    fn all(&self, first: &str, commands: &[&str], stopped: bool) {
        let wrong: Vec<String> = commands
            .iter()
            .map(|command| (self.verdict(first, command), command))
            .filter(|(verdict, _)| matches!(verdict.as_str(), "escalate" | "block") != stopped)
            .map(|(verdict, command)| format!("{verdict}: {command}"))
            .collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

#[test]
fn what_the_search_path_leads_to_is_what_runs() {
    let fixture = Fixture::lay();
    fixture.all(
        "",
        &[
            "PATH=$HOME/b:$PATH cat README.md",
            "PATH=~/b:/usr/bin git status",
            "export PATH=\"$HOME/b:$PATH\"; head -1 README.md; cat README.md",
            "PATH=$HOME/b:$PATH; date",
            "env PATH=$HOME/b:$PATH ls",
            "PATH=$HOME/b:$PATH bash -c ls",
            "PATH=$HOME/b:/usr/bin nice grep -q x README.md",
            "PATH=$HOME/b:/usr/bin xargs -n1 grep x README.md",
            "make -s v",
            "git -c alias.st='!PATH=$HOME/b:$PATH cat README.md' st",
            // A copy of another program, and a link to one.
            "PATH=$HOME/c:$PATH cat notes.md",
            "~/c/cat -f notes.md",
            "PATH=$HOME/l:$PATH ls notes.md",
            "~/l/ls ~/Documents/thesis.md notes.md",
            // Nothing says what it is.
            "PATH=$HOME/w:$PATH kubectl get pods",
            "~/w/kubectl get pods",
        ],
        true,
    );
    fixture.all("b", &["ls", "cat README.md", "cat README.md | grep x"], true);
    fixture.all(
        "",
        &[
            "PATH=$PATH:$HOME/b cat README.md",
            "PATH=$HOME/nowhere:$PATH cat README.md",
            "PATH=$HOME/w:$PATH cat README.md",
            "PATH=$HOME/c:$PATH head README.md",
            "PATH=$HOME/l:$PATH cat README.md",
            "PATH=$HOME/.cargo/bin:$PATH cat README.md",
            "PATH=$HOME/venv/bin:$PATH pytest -q",
            "~/c/head README.md",
        ],
        false,
    );
    fixture.all("w", &["cat README.md", "ls"], false);
    fixture.all(".cargo/bin", &["cd; cat proj/README.md"], false);
    fixture.all(".cargo/bin", &["cat README.md"], false);
}

#[test]
fn what_a_name_says_counts_beside_what_its_file_does() {
    let fixture = Fixture::lay();
    let places = ["venv/bin", "proj/node_modules/.bin", "w", "proj/tools"];
    for place in places {
        fixture.all(
            place,
            &[
                "aws s3 rb s3://data --force",
                "aws s3 rm --recursive s3://data",
                "aws ec2 terminate-instances --instance-ids i-1",
            ],
            true,
        );
        fixture.all(place, &["aws s3 ls", "aws sts get-caller-identity"], false);
    }
    fixture.all("proj/tools", &["ls", "PATH=/usr/bin:$PATH; (PATH=$PWD/tools:$PATH ls)"], true);
    fixture.all(
        "",
        &[
            "mkdir t; printf '#!/bin/sh\\nexit 0\\n' > t/aws; chmod +x t/aws; PATH=$PWD/t:$PATH aws s3 rb s3://data --force",
            "mkdir t; printf '#!/bin/sh\\nrm -rf ~/Documents\\n' > t/ls; chmod +x t/ls; PATH=$PWD/t:$PATH; ls",
            "PATH=tools:$PATH aws s3 rb s3://data --force",
            // Who takes what is printed minds both.
            "mkdir t; printf '#!/bin/sh\\necho notes.md\\n' > t/ls; chmod +x t/ls; PATH=$PWD/t:$PATH; rm -f $(ls tools)",
        ],
        true,
    );
    fixture.all(
        "",
        &[
            "mkdir t; printf '#!/bin/sh\\nexit 0\\n' > t/aws; chmod +x t/aws; PATH=$PWD/t:$PATH aws s3 ls",
            "PATH=tools:$PATH aws s3 ls",
            "PATH=$PWD/node_modules/.bin:$PATH aws s3 ls",
        ],
        false,
    );
}

#[test]
fn shells_that_keep_to_posix_expand_aliases() {
    let fixture = Fixture::lay();
    fixture.all(
        "",
        &[
            "sh -c 'alias ls=\"rm -f notes.md\"⏎ls'",
            "dash -c 'alias cat=\"rm -f\"⏎cat notes.md'",
            "sh <<'E'⏎alias echo='rm -f'⏎echo notes.md⏎E",
            "bash --posix -c 'alias cat=\"rm -f\"⏎cat notes.md'",
            "bash -o posix -c 'alias cat=\"rm -f\"⏎cat notes.md'",
            "POSIXLY_CORRECT=1 bash -c 'alias cat=\"rm -f\"⏎cat notes.md'",
            "set -o posix; alias cat='rm -f'⏎cat notes.md",
            "python3 -c 'import os; os.system(\"\"\"alias cat=\"rm -f\"⏎cat notes.md\"\"\")'",
            // Of the same line, or told by what is read later, it may be none yet.
            "sh -c 'alias rm=echo; rm -f notes.md'",
            "sh -c 'eval \"alias rm=echo\"; rm -f notes.md'",
            "bash -c 'alias rm=echo⏎rm -f notes.md'",
            "shopt -s cdable_vars; d=~/Documents; cd d; rm -f thesis.md",
            "shopt -s cdable_vars; d=~/Documents; cd d && rm -f *",
        ],
        true,
    );
    fixture.all(
        "",
        &[
            "sh -c 'alias cat=\"cat -n\"⏎cat notes.md'",
            "sh -c 'alias rm=echo⏎rm -f notes.md'",
            "bash -c 'alias cat=\"rm -f\"⏎cat notes.md'",
            "sh -c 'alias cat=\"rm -f\"; cat notes.md'",
            "shopt -s cdable_vars; d=~/Documents; cd d; ls",
            "d=~/Documents; cd d && rm -f *",
        ],
        false,
    );
}

#[test]
fn a_runner_of_the_repository_is_what_its_file_says() {
    let fixture = Fixture::lay();
    fixture.all(
        "",
        &[
            "cd own && ./gradlew clean",
            "own/gradlew build",
            "own/mvnw test",
            "own/hidden/gradlew build",
            "vendor/bin/phpunit",
        ],
        true,
    );
    fixture.all("", &["./gradlew build", "./gradlew test --info", "vendor/bin/phpstan analyse"], false);
}

#[test]
fn variables_that_run_code_are_followed() {
    let fixture = Fixture::lay();
    fixture.all(
        "",
        &[
            "env $'BASH_FUNC_date%%=() {  rm -f notes.md⏎}' scripts/b.sh",
            "PYTHONBREAKPOINT=os.system python3 -c \"breakpoint('rm -f notes.md')\"",
            "LD_LIBRARY_PATH=$HOME/lib ls",
            "export LD_LIBRARY_PATH=$HOME/mine:$HOME/lib; git status",
            "LD_LIBRARY_PATH=$HOME/lib ls --version",
            "LD_PRELOAD=$HOME/lib/libc.so.6 ls --help",
            "SHELL=$HOME/s.sh script -qc true /dev/null",
            "SHELL=$HOME/s.sh tmux new-session -d",
            "RUSTC_WRAPPER=$HOME/s.sh cargo build",
            "RUSTC_WRAPPER=/usr/bin/../..$HOME/s.sh cargo build",
        ],
        true,
    );
    fixture.all(
        "",
        &[
            "scripts/b.sh",
            "PYTHONBREAKPOINT=0 python3 --version",
            "PYTHONBREAKPOINT=ipdb.set_trace python3 -c 'print(1)'",
            "LD_LIBRARY_PATH=$HOME/mine ls",
            "LD_LIBRARY_PATH=/usr/local/lib:/opt/x/lib ls",
            "LD_LIBRARY_PATH=$HOME/nowhere ls",
            "SHELL=/bin/sh tmux new-session -d",
            "RUSTC_WRAPPER=/usr/bin/sccache cargo build",
            "RUSTC_WRAPPER=sccache cargo build",
        ],
        false,
    );
}
