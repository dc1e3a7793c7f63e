//! Code that a command runs by a name, and not by its text: task runners' files, modules, libraries. What destroys is
//! stopped, its harmless twin is not, and what nobody reads is a program that nothing is known of.

use crate::evasions::Fixture;

/// A file that is written first, commands that then destroy, and commands that do not.
struct Case {
    file: &'static str,
    text: &'static str,
    stopped: &'static [&'static str],
    free: &'static [&'static str],
}

const CASES: &[Case] = &[
    Case {
        file: "Rakefile",
        text: "require 'rake/clean'\nCLOBBER.include('scratch')\ntask(:spec) { sh 'echo' }\ntask(:prep) { rm_rf 'scratch' }\ntask(:x) { sh 'echo' }\nRake::Task[:spec].enhance([:prep])\n",
        stopped: &["rake clobber", "rake spec", "cp notes.md n.bak; rm notes.md; rake clean"],
        free: &["rake clean", "rake x"],
    },
    Case {
        file: "s.sh",
        text: "dry= conf=none\nwhile getopts 'nc:' o; do case $o in n) dry=1 ;; c) conf=$OPTARG ;; *) exit 2 ;; esac; done\nshift $((OPTIND - 1))\n[ -n \"$dry\" ] || rm -rf \"$1\"\nrm -f \"$conf\"\n",
        stopped: &[
            "sh s.sh scratch",
            "sh s.sh -c x scratch",
            "sh s.sh -cx -- scratch",
            "sh s.sh -nc notes.md",
            "sh s.sh -n -c notes.md x",
        ],
        free: &[
            "sh s.sh -n scratch",
            "sh s.sh -nc nope scratch",
            "sh s.sh -c nope -n scratch",
            "sh s.sh nope",
            "sh s.sh -z scratch",
        ],
    },
    Case {
        file: "facts.txt",
        text: "one apple\nTwo pears\n",
        stopped: &[
            "grep -q apple facts.txt && rm -r scratch",
            "grep -q plum facts.txt || rm -r scratch",
            "grep -qF 'two' facts.txt || rm -r scratch",
            "grep -qi two facts.txt && rm -r scratch",
            "grep -q 'pea*r$' facts.txt || rm -r scratch",
            "grep -qr apple . || rm -r scratch",
            "grep -qx apple facts.txt || rm -r scratch",
            "echo plum >> facts.txt; grep -q plum facts.txt && rm -r scratch",
            "if ! grep -q plum facts.txt; then rm -r scratch; fi",
        ],
        free: &[
            "grep -q apple facts.txt || rm -r scratch",
            "grep -q 'app*' facts.txt || rm -r scratch",
            "grep -q plum facts.txt && rm -r scratch",
            "grep -qi two facts.txt || rm -r scratch",
            "grep -q '^one a.ple$' facts.txt || rm -r scratch",
            "if grep -q plum facts.txt; then rm -r scratch; fi",
        ],
    },
    Case {
        file: "k.c",
        text: "#include <unistd.h>\nint main(int c, char **v) { for (int i = 1; i < c; i++) unlink(v[i]); return 0; }\n",
        stopped: &[
            "gcc -o k k.c && ./k notes.md",
            "cc k.c && ./a.out notes.md",
            "gcc -O2 -o /tmp/k k.c && /tmp/k notes.md",
            "gcc -c k.c && gcc -o k k.o && ./k notes.md",
            "make k && ./k notes.md",
        ],
        free: &["gcc -o k k.c", "gcc -c k.c && nm k.o"],
    },
    Case {
        file: "k.c",
        text: "#include <stdio.h>\nint main(int c, char **v) { FILE *f = fopen(v[1], \"r\"); puts(\"unlink(x)\"); return getc(f); }\n",
        stopped: &[],
        free: &[
            "gcc -o k k.c && ./k notes.md",
            "make k && ./k notes.md",
            "cc k.c && ./a.out notes.md; rm a.out",
        ],
    },
    Case {
        file: "start",
        text: "rm -rf scratch\n",
        stopped: &[
            "BASH_ENV=start bash -c true",
            "ENV=start dash -i </dev/null",
            "bash --rcfile start -i </dev/null",
        ],
        free: &[
            "BASH_ENV=start sh -c true",
            "ENV=start sh -c true",
            "bash --rcfile start -c true",
            "BASH_ENV=/dev/null bash -c true",
        ],
    },
    Case {
        file: "packages/a/package.json",
        text: "{\"name\": \"@x/a\", \"scripts\": {\"build\": \"echo a\", \"tidy\": \"rm -rf ../../scratch\"}}",
        stopped: &[
            "npm run tidy -w packages/a",
            "npm --prefix packages/a run tidy",
            "pnpm --filter ./packages/a run tidy",
        ],
        free: &["npm run build -w packages/a", "npm --prefix packages/a run build"],
    },
    Case {
        file: "node_modules/.bin/sweep",
        text: "#!/usr/bin/env node\nrequire('fs').rmSync(process.argv[2], {recursive: true})\n",
        stopped: &["npx sweep notes.md", "npx --no-install sweep notes.md", "npm exec -- sweep notes.md"],
        free: &[],
    },
    Case {
        file: "Rakefile",
        text: "task :default => :wipe\ntask :look do\n  sh \"ls\"\nend\ntask :wipe, [:a] do |t, args|\n  rm_rf \"scratch\"\nend\nnamespace :db do\n  task(:drop) { sh 'rm -rf scratch' }\n  task all: [:drop]\nend\n",
        stopped: &[
            "rake",
            "rake wipe",
            "rake 'wipe[1]'",
            "rake -f Rakefile wipe",
            "rake look db:all",
            "bundle exec rake db:drop",
        ],
        free: &["rake look", "rake -T", "rake --dry-run wipe"],
    },
    Case {
        file: "s.sh",
        text: "#!/bin/sh\necho hello $1\n",
        stopped: &[
            "sed -i 's/echo hello/rm -rf scratch #/' s.sh; sh s.sh",
            "sed -i -E 's/^e.*$/rm -rf scratch/' s.sh; sh s.sh",
            "sed -i '$a rm -rf scratch' s.sh; sh s.sh",
            "echo 'rm -rf scratch' >> s.sh; sh s.sh",
            "echo 'rm -rf scratch' > e; cat e >> s.sh; sh s.sh",
            "echo 'rm -rf scratch' | tee -a s.sh; sh s.sh",
            "echo 'rm -rf scratch' > e; cp e s.sh; sh s.sh",
            "echo 'rm -rf scratch' > e; mv e s.sh; bash s.sh",
            "echo 'rm -rf scratch' >> s.sh; cp s.sh t.sh; sh t.sh",
            "echo 'rm -rf scratch' >> s.sh; mv s.sh t.sh; sh t.sh",
            "python3 -c \"open('s.sh','a').write('rm -rf scratch')\"; sh s.sh",
            "perl -pi -e 's/hello/a; rm -rf scratch/' s.sh; sh s.sh",
            "tar xzf /x/y.tgz; sh s.sh",
            "unzip -o /x/y.zip && ./s.sh",
            "echo 'rm -rf scratch' > e; rsync -a e s.sh; sh s.sh",
            "cat /bin/rm > x; ./x -rf scratch",
            "printf '%s' 'int main(){unlink(\"draft.txt\");}' > k.c; gcc k.c -o k && ./k",
            "gcc -x c -o k - <<< 'int main(){unlink(\"draft.txt\");}' && ./k",
        ],
        free: &[
            "sed -i '$a echo more' s.sh; sh s.sh",
            "echo 'echo more' >> s.sh; sh s.sh",
            "cp s.sh t.sh; sh t.sh",
            "mv s.sh t.sh && sh t.sh",
            "chmod +x s.sh && sh s.sh",
            "git checkout main && sh s.sh",
            "gcc main.c -o main && ./main",
            "tar xzf /x/y.tgz -C /tmp/elsewhere && sh s.sh",
        ],
    },
    Case {
        file: "Taskfile.yml",
        text: "version: '3'\ntasks:\n  default:\n    deps: [look]\n    cmds:\n      - task: wipe\n  look:\n    cmds:\n      - ls\n  wipe:\n    cmds:\n      - cmd: rm -rf scratch\n  long:\n    cmds:\n      - |\n        ls\n        rm -rf scratch\n",
        stopped: &["task", "task wipe", "task long", "go-task -t Taskfile.yml look wipe"],
        free: &["task look", "task --list"],
    },
    Case {
        file: "tox.ini",
        text: "[tox]\nenvlist = lint\n[testenv:lint]\ncommands = ls\n[testenv:wipe]\ncommands =\n    ls\n    rm -rf scratch\n",
        stopped: &["tox -e wipe", "tox -e lint,wipe"],
        free: &["tox", "tox -e lint"],
    },
    Case {
        file: "composer.json",
        text: r#"{"scripts": {"wipe": ["ls", "@really"], "really": "rm -rf scratch", "look": "ls", "post-install-cmd": "rm -rf scratch"}}"#,
        stopped: &["composer run wipe", "composer install", "composer run-script really"],
        free: &["composer run look", "composer validate", "composer install --no-scripts"],
    },
    Case {
        file: "pyproject.toml",
        text: "[tool.pdm.scripts]\nwipe = {shell = 'rm -rf scratch'}\nlook = 'ls'\n[tool.poe.tasks]\nwipe = 'rm -rf scratch'\nboth = ['look', 'wipe']\nlook = 'ls'\n[tool.hatch.envs.default.scripts]\nwipe = 'rm -rf scratch'\n",
        stopped: &["pdm run wipe", "poe both", "hatch run wipe"],
        free: &["pdm run look", "poe look", "hatch run pytest"],
    },
    Case {
        file: "tasks.py",
        text: "from invoke import task\n@task\ndef wipe_all(c):\n    c.run('rm -rf scratch')\n@task(pre=[wipe_all])\ndef two(c):\n    pass\n@task\ndef look(c):\n    c.run('ls')\n",
        stopped: &["invoke wipe-all", "inv two"],
        free: &["invoke look", "invoke --list"],
    },
    Case {
        file: "noxfile.py",
        text: "import nox\n@nox.session\ndef wipe(session):\n    session.run('rm', '-rf', 'scratch', external=True)\n@nox.session\ndef lint(session):\n    session.run('ruff', 'check')\n",
        stopped: &["nox", "nox -s wipe"],
        free: &["nox -s lint", "nox --list"],
    },
    Case {
        file: "wipe.py",
        text: "import os\ndef later():\n    os.remove('draft.txt')\nif __name__ == '__main__':\n    later()\n",
        stopped: &[
            "python3 -m wipe",
            "python3 -m cProfile -o p.out wipe.py",
            "python3 -m pdb -m wipe",
            "python3 -m runpy wipe",
            "coverage run wipe.py",
            "coverage run -m wipe",
            "python3 -c 'import wipe; wipe.later()'",
            "python3 -c 'from wipe import later as x; x()'",
        ],
        free: &[
            "python3 -c 'import wipe'",
            "python3 -m json.tool wipe.py",
            "python3 -m http.server",
            "coverage report",
        ],
    },
    Case {
        file: "w.js",
        text: "require('fs').rmSync('notes.md')\n",
        stopped: &[
            "node w",
            "node ./w",
            "node -r ./w -e 1",
            "node -e \"require('./w')\"",
            "mkdir i; cp w.js i/index.js; node i",
            "bun w.js",
            "bun run ./w.js",
            "deno run -A w.js",
        ],
        free: &["node --check w.js", "node -e \"require('./nowhere')\"", "deno lint"],
    },
    Case {
        file: "evil.rb",
        text: "File.delete('notes.md')\n",
        stopped: &[
            "ruby -I. -revil -e 1",
            "ruby -r./evil -e 1",
            "ruby -e \"require_relative 'evil'\"",
            "ruby -run -e rm -- notes.md",
        ],
        free: &["ruby -rjson -e 'puts 1'", "ruby -run -e mkdir -- new"],
    },
    Case {
        file: "Evil.pm",
        text: "unlink 'notes.md'; 1;\n",
        stopped: &[
            "perl -I. -MEvil -e 1",
            "perl '-Mstrict;unlink(\"notes.md\")' -e 1",
            "perl -c -e 'BEGIN{unlink \"notes.md\"}'",
            "ls *.md | perl -nle unlink",
        ],
        free: &[
            "perl -MList::Util=sum -e 'print sum 1,2'",
            "perl -c -e 'unlink \"notes.md\"'",
            "perl -lane 'print $F[0]' README.md",
        ],
    },
    Case {
        file: "justfile",
        text: "place := 'scra' + 'tch'\nlook:\n    @ls\nwipe dir=place: look\n    -rm -rf {{dir}}\nalias w := wipe\nboth: look && wipe\nscript:\n    #!/usr/bin/env python3\n    import shutil; shutil.rmtree('scratch')\n",
        stopped: &[
            "just wipe",
            "just w",
            "just both",
            "just wipe src",
            "just script",
            "just look wipe",
            "just -f justfile wipe",
        ],
        free: &["just", "just look", "just --list", "just -n wipe", "just wipe build"],
    },
    Case {
        file: "deno.json",
        text: "{\"tasks\": {\"wipe\": \"rm -rf scratch\", \"look\": \"ls\"}}\n",
        stopped: &["deno task wipe"],
        free: &["deno task look"],
    },
];

#[test]
fn code_that_is_run_by_name_is_read() {
    let mut wrong = Vec::new();
    for case in CASES {
        let fixture = Fixture::lay();
        let path = fixture.proj().join(case.file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, case.text).unwrap();
        for (commands, stops) in [(case.stopped, true), (case.free, false)] {
            for command in commands {
                let verdict = fixture.verdict(command);
                if matches!(verdict.as_str(), "escalate" | "block") != stops {
                    wrong.push(format!("{verdict}: {command} ({})", case.file));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_not_read_is_a_program_that_nothing_is_known_of() {
    let fixture = Fixture::lay();
    for command in [
        "cargo run",
        "cargo xtask wipe",
        "go run ./cmd/wipe",
        "gradle wipe",
        "mvn exec:java",
        "bazel run //x",
        "mage wipe",
        "java -jar tool.jar drop",
        "python3 -m nobody.knows",
        "turbo run wipe",
        "node x && gulp wipe",
    ] {
        assert_eq!(fixture.verdict(command), "escalate", "{command}");
    }
    for command in [
        "cargo build",
        "cargo test",
        "go build ./...",
        "go test ./...",
        "gradle build",
        "gradle test",
        "mvn -B package",
        "bazel build //x",
        "turbo run build",
        "nx test app",
        "npm install",
        "python3 -m pytest -q",
        "python3 -m unittest discover",
        "vite build",
        "make -n",
    ] {
        assert_eq!(fixture.verdict(command), "allow", "{command}");
    }
}
