//! Functions that are called by a name, out of a table, before they are declared, or from a file of the project.

use std::collections::BTreeMap;

use crate::code::sources::{Program, Reading, Source, Sources};
use crate::code::{CodeEffect, analyse_with};
use crate::model::Value;

use super::tests::show;

/// Whether a program deletes `a`, or says that what it does is not known.
fn stops(language: &str, text: &str, arguments: &[&str]) -> bool {
    let found = show(language, text, arguments);
    found.contains("rm a") || found.contains("unknown") || found.contains("rm …")
}

#[test]
fn functions_are_known_before_they_are_declared() {
    for (language, text) in [
        ("node", "f(); function f() { require('fs').rmSync('a') }"),
        ("perl", "f('a'); sub f { unlink $_[0] }"),
        ("perl", "my %T = (x => \\&f); $T{$ARGV[0]}->('a'); sub f { unlink $_[0] }"),
        ("php", "f(); function f() { unlink('a'); }"),
    ] {
        assert_eq!(show(language, text, &["x"]), "rm a", "{text}");
    }
}

#[test]
fn what_is_called_out_of_a_table_runs() {
    for (language, text) in [
        ("node", "const h = { rm() { require('fs').rmSync('a') } }; h[process.argv[2]]()"),
        ("node", "const m = new Map([['x', () => require('fs').rmSync('a')]]); m.get(process.argv[2])()"),
        ("node", "const o = make(); o.drop = () => require('fs').rmSync('a'); other().drop()"),
        ("python", "import os, sys\nD = {'x': lambda: os.remove('a')}\nD[sys.argv[1]]()"),
        ("python", "import os, sys\ndef cmd_x(): os.remove('a')\nglobals()['cmd_' + sys.argv[1]]()"),
        (
            "python",
            "import os\nD = {}\ndef add(f):\n  D[f.__name__] = f\n  return f\n@add\ndef x(): os.remove('a')\nD[input()]()",
        ),
        (
            "python",
            "import os, sys\ndef x(*all):\n  for one in all: os.remove(one)\nD = dict(x=x)\nD[sys.argv[1]]('a')",
        ),
        ("ruby", "H = { 'x' => -> { File.delete('a') } }; H[ARGV[0]].call"),
        ("ruby", "def cmd_x; File.delete('a'); end; send(\"cmd_#{ARGV[0]}\")"),
        ("perl", "sub cmd_x { unlink 'a' } main->can(\"cmd_$ARGV[0]\")->()"),
        ("perl", "sub cmd_x { unlink 'a' } my $n = \"cmd_$ARGV[0]\"; &$n()"),
        ("perl", "sub go { unlink 'a' } Some::Class->new->go"),
        ("php", "function cmd_x() { unlink('a'); } $f = 'cmd_' . $argv[1]; $f();"),
        ("lua", "local t = { x = function() os.remove('a') end }; t[arg[1]]()"),
    ] {
        assert!(stops(language, text, &["x"]), "{text}: {}", show(language, text, &["x"]));
    }
}

#[test]
fn a_module_is_what_it_is_wherever_it_is_found() {
    for text in [
        "import shutil\nshutil.os.remove('a')",
        "from pathlib import os as o\no.remove('a')",
        "import os\nx = [os]\nx[0].remove('a')",
        "import os\nx = {'m': os}\nx['m'].remove('a')",
    ] {
        assert_eq!(show("python", text, &[]), "rm a", "{text}");
    }
    for text in ["x = [[1, 2]]\nx[0].remove(1)", "import asyncio.subprocess\nprint(asyncio.subprocess.PIPE)"]
    {
        assert_eq!(show("python", text, &[]), "", "{text}");
    }
}

#[test]
fn what_a_process_reads_later_is_not_known() {
    for (language, text) in [
        ("python", "import subprocess as s\ns.Popen(['sh'], stdin=s.PIPE).communicate(b'rm a')"),
        ("node", "const c = require('child_process').spawn('sh'); c.stdin.end('rm a')"),
    ] {
        assert_eq!(show(language, text, &[]), "sh cat | sh", "{text}");
    }
}

#[test]
fn what_nobody_calls_does_not_run() {
    for (language, text) in [
        ("node", "function f() { require('fs').rmSync('a') } console.log(1)"),
        ("python", "import os\ndef f(): os.remove('a')\nprint(1)"),
        ("perl", "sub f { unlink 'a' } print 1"),
        ("ruby", "def f; File.delete('a'); end; puts 1"),
    ] {
        assert_eq!(show(language, text, &[]), "", "{text}");
    }
}

#[test]
fn a_value_that_is_there_is_not_joined_to_its_default() {
    for (language, text) in [
        ("node", "let d = 'a'; d ||= 'b'; require('fs').rmSync(d)"),
        ("perl", "my $d = 'a'; $d ||= 'b'; unlink $d"),
        ("perl", "my $d = 'a'; $d //= 'b'; unlink $d"),
    ] {
        let found = show(language, text, &[]);
        assert!(!found.contains("ab"), "{text}: {found}");
    }
    let path = "import pathlib\np = pathlib.Path('x')\np /= 'a'\np.unlink()";
    assert_eq!(show("python", path, &[]), "rm x/a");
}

/// Files of a project at `/p`.
struct Project(BTreeMap<&'static str, &'static str>);

impl Sources for Project {
    fn first(&self, paths: &[String]) -> Source {
        for path in paths {
            let path = self.place(path, false).unwrap_or_default();
            if let Some(text) = self.0.get(path.as_str()) {
                return Source::Text { path, text: (*text).to_owned() };
            }
        }
        Source::Absent
    }

    fn place(&self, path: &str, _: bool) -> Option<String> {
        let mut parts = Vec::new();
        let whole = if path.starts_with('/') { path.to_owned() } else { format!("/p/{path}") };
        for part in whole.split('/').filter(|part| !matches!(*part, "" | ".")) {
            if part == ".." {
                parts.pop();
            } else {
                parts.push(part.to_owned());
            }
        }
        Some(format!("/{}", parts.join("/")))
    }
}

/// What the first file does, among the others.
fn runs(language: &str, files: &[(&'static str, &'static str)]) -> Vec<CodeEffect> {
    let (file, text) = files[0];
    let program =
        Program { language, text, arguments: &[], file: Some(file), roots: &[], reading: Reading::default() };
    analyse_with(&program, &Project(files.iter().copied().collect()))
}

#[test]
fn modules_are_found_where_the_program_says() {
    let gone = || vec![CodeEffect::Delete { path: Value::known("a"), glob: false, recursive: false }];
    for (language, files) in [
        (
            "python",
            &[
                (
                    "/p/bin/t",
                    "import os, sys\nsys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))\nfrom m.x import go\ngo()",
                ),
                ("/p/lib/m/__init__.py", ""),
                ("/p/lib/m/x.py", "from . import y\ndef go(): y.drop('a')"),
                ("/p/lib/m/y.py", "import os\ndrop = os.remove"),
            ][..],
        ),
        (
            "perl",
            &[
                ("/p/bin/t", "use FindBin; use lib \"$FindBin::Bin/lib\"; use My::X; My::X->go('a');"),
                ("/p/bin/lib/My/X.pm", "package My::X; sub go { my ($c, $f) = @_; unlink $f } 1;"),
            ][..],
        ),
        (
            "node",
            &[
                ("/p/bin/t.js", "require('sweeper').sweep('a')"),
                ("/p/node_modules/sweeper/package.json", "{\"main\": \"lib/i.js\"}"),
                ("/p/node_modules/sweeper/lib/i.js", "exports.sweep = d => require('fs').unlinkSync(d)"),
            ][..],
        ),
        (
            "node",
            &[
                ("/p/t.mjs", "import { sweep } from '#s'; sweep('a')"),
                ("/p/package.json", "{\"imports\": {\"#s\": \"./i.mjs\"}}"),
                ("/p/i.mjs", "import fs from 'fs'; export function sweep(d) { fs.unlinkSync(d) }"),
            ][..],
        ),
        (
            "ruby",
            &[
                ("/p/bin/t", "$LOAD_PATH.unshift(File.join(__dir__, '..', 'lib')); require 'x'; go('a')"),
                ("/p/lib/x.rb", "def go(f) File.delete(f) end"),
            ][..],
        ),
    ] {
        assert_eq!(runs(language, files), gone(), "{}", files[0].1);
    }
}

#[test]
fn a_module_in_a_directory_that_is_not_known_is_not_known() {
    for (language, text) in [
        ("python", "import os, sys\nsys.path.insert(0, os.environ['X'] + '/lib')\nimport acme\nacme.go()"),
        ("perl", "use lib $ENV{X}; use My::X; My::X->go"),
    ] {
        let found = runs(language, &[("/p/t", text)]);
        assert!(found.iter().any(|effect| matches!(effect, CodeEffect::Unknown { .. })), "{text}: {found:?}");
    }
    // Those of the language itself are.
    let own = "use lib $ENV{X}; use strict; use File::Basename; print 1";
    assert_eq!(runs("perl", &[("/p/t", own)]), Vec::new());
}

#[test]
fn options_are_no_longer_what_they_were_set_to_first() {
    for text in [
        "my $d = 'b'; GetOptions('dir=s' => \\$d); unlink $d",
        "my %o = (dir => 'b'); GetOptionsFromArray(\\@ARGV, \\%o, 'dir=s'); unlink $o{dir}",
        "my $d = 'b'; sub read_them { Getopt::Long::GetOptions('dir=s' => \\$d) } read_them(); unlink $d",
    ] {
        let found = show("perl", text, &["--dir", "a"]);
        assert!(found != "rm b" && !found.is_empty(), "{text}: {found}");
    }
}

#[test]
fn what_is_run_sees_the_variables_that_code_sets() {
    use crate::code::analyse;
    for (language, text) in [
        ("python", "import os\nos.environ['T'] = 'a'\nos.system('rm $T')"),
        ("python", "import os as o\no.environ['T'] = 'a'\no.system('rm $T')"),
        ("python", "import os, subprocess\nsubprocess.run('rm $T', shell=True, env=dict(os.environ, T='a'))"),
        ("node", "process.env['T'] = 'a'; require('child_process').execSync('rm $T')"),
        (
            "node",
            "require('child_process').spawnSync('sh', ['-c', 'rm $T'], { env: { ...process.env, T: 'a' } })",
        ),
        ("ruby", "ENV['T'] = 'a'\nsystem('rm $T')"),
        ("perl", "$ENV{T} = 'a'; system('rm $T')"),
        ("php", "putenv('T=a'); system('rm $T');"),
    ] {
        let effects = analyse(language, text, &[]);
        let set = CodeEffect::SetVariable { name: Value::known("T"), value: Value::known("a") };
        assert!(effects.contains(&set), "{text}\n{effects:?}");
    }
}

#[test]
fn tests_keep_what_they_made_for_those_behind() {
    let before = "import os, shutil, tempfile, unittest\nclass A(unittest.TestCase):\n";
    for (body, removed) in [
        (
            " def setUp(self): self.d = tempfile.mkdtemp()\n def tearDown(self): shutil.rmtree(self.d)",
            "/tmp/",
        ),
        (" def setUp(self): self.d = 'a'\n def tearDown(self): shutil.rmtree(self.d)", "a"),
        (" @classmethod\n def setUpClass(cls): cls.d = 'a'\n def test_x(self): shutil.rmtree(self.d)", "a"),
        (" def setUp(self): self.addCleanup(shutil.rmtree, 'a')", "a"),
        (" def test_x(self): shutil.rmtree('a')", "a"),
    ] {
        let text = format!("{before}{body}\n");
        let reading = Reading { tests: true, ..Reading::default() };
        let program = Program {
            language: "python",
            text: &text,
            arguments: &[],
            file: Some("test_a.py"),
            roots: &[],
            reading,
        };
        let effects = analyse_with(&program, &crate::code::Nowhere);
        let found = effects.iter().all(|effect| match effect {
            CodeEffect::Delete { path, recursive: true, .. } => path.prefix() == removed,
            _ => false,
        });
        assert!(found && !effects.is_empty(), "{text}\n{effects:?}");
        let plain = Program { reading: Reading::default(), ..program };
        assert!(analyse_with(&plain, &crate::code::Nowhere).is_empty(), "{text}");
    }
}

#[test]
fn what_a_library_or_the_language_may_call_waits() {
    let waits = |language: &str, text: &str| {
        let file = Some("program");
        let reading = Reading::default();
        let program = Program { language, text, arguments: &[], file, roots: &[], reading };
        analyse_with(&program, &crate::code::Nowhere)
            .iter()
            .any(|effect| matches!(effect, CodeEffect::Waits { .. }))
    };
    let class = "import os, unittest\nclass A(unittest.TestCase):\n def test_x(self): os.remove('a')\n";
    for (language, text, wanted) in [
        ("python", format!("{class}unittest.main()"), true),
        ("python", class.to_owned(), false),
        ("python", "import os\nclass A:\n @property\n def x(self): os.remove('a')\nA().x".to_owned(), true),
        ("python", "import os\nclass A:\n def x(self): print(1)\nA().x".to_owned(), false),
        ("python", "import os\ndef clean(): os.remove('a')".to_owned(), false),
        ("python", "import os, sys\nsys.excepthook = lambda *a: os.remove('a')".to_owned(), true),
        ("python", "import doctest\ndoctest.testmod()".to_owned(), true),
        (
            "node",
            "const fs = require('fs'); const o = {get x() { fs.unlinkSync('a') }}; o.x".to_owned(),
            true,
        ),
        ("node", "const fs = require('fs'); function clean() { fs.unlinkSync('a') }".to_owned(), false),
        ("ruby", "class A\ndef ==(o); File.delete('a'); end\nend\nA.new == 1".to_owned(), true),
        ("perl", "sub AUTOLOAD { unlink 'a' } foo();".to_owned(), true),
        ("perl", "sub clean { unlink 'a' } print 1;".to_owned(), false),
    ] {
        assert_eq!(waits(language, &text), wanted, "{text}");
    }
}

#[test]
fn a_file_that_the_program_wrote_is_not_what_stands_there() {
    for (language, text) in [
        ("python", "import runpy\nopen('x.py', 'w').write(t)\nrunpy.run_path('x.py')"),
        ("python", "import shutil\nshutil.copy('y.py', '/p/x.py')\nimport x"),
        ("ruby", "File.write('x.rb', t)\nload 'x.rb'"),
        ("php", "file_put_contents('x.php', $t); include 'x.php';"),
    ] {
        let effects =
            runs(language, &[("/p/main", text), ("/p/x.py", ""), ("/p/x.rb", ""), ("/p/x.php", "")]);
        let unknown = effects.iter().any(|effect| matches!(effect, CodeEffect::Unknown { .. }));
        assert!(unknown, "{text}\n{effects:?}");
    }
}
