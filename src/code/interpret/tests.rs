use proptest::prelude::*;

use crate::code::analyse;
use crate::code::effect::CodeEffect;
use crate::model::Value;

/// Effects in short: `rm a`, `rm -r a`, `rm glob:a`, `> a`, `>> a`, `+ a`, `mv a b`, `cp a b`, `sh text`, `run a b`, `sql db text`.
pub(in crate::code) fn show(language: &str, text: &str, arguments: &[&str]) -> String {
    let arguments = arguments.iter().map(|a| Value::known(*a)).collect::<Vec<_>>();
    // What files hold afterwards, and what waits to be called, have tests of their own.
    let effects = analyse(language, text, &arguments);
    let acts = effects
        .iter()
        .filter(|effect| !matches!(effect, CodeEffect::Holds { .. } | CodeEffect::Waits { .. }));
    acts.map(shown).collect::<Vec<_>>().join("; ")
}

fn shown(effect: &CodeEffect) -> String {
    match effect {
        CodeEffect::Delete { path, glob, recursive } => format!(
            "rm {}{}{}",
            if *recursive { "-r " } else { "" },
            if *glob { "glob:" } else { "" },
            path.display()
        ),
        CodeEffect::RemoveDirectory { path } => format!("rmdir {}", path.display()),
        CodeEffect::Overwrite { path } => format!("> {}", path.display()),
        CodeEffect::Holds { path, text } => format!("{} = {text:?}", path.display()),
        CodeEffect::Append { path } => format!(">> {}", path.display()),
        CodeEffect::Update { path } => format!("+ {}", path.display()),
        CodeEffect::Rights { path, recursive, as_owner } => {
            let (tree, own) =
                (if *recursive { "-r " } else { "" }, if *as_owner { "as its owner " } else { "" });
            format!("rights {own}{tree}{}", path.display())
        }
        CodeEffect::Rename { from, to } => format!("mv {} {}", from.display(), to.display()),
        CodeEffect::Copy { from, to } => format!("cp {} {}", from.display(), to.display()),
        CodeEffect::Unpack { archive, into } => format!("unpack {} {}", archive.display(), into.display()),
        CodeEffect::Shell { text } => format!("sh {}", text.display()),
        CodeEffect::Run { argv } => {
            format!("run {}", argv.iter().map(Value::display).collect::<Vec<_>>().join(" "))
        }
        CodeEffect::Sql { database, text, .. } => {
            format!("sql {} {}", database.display(), text.display())
        }
        CodeEffect::SetVariable { name, value } => format!("set {}={}", name.display(), value.display()),
        CodeEffect::ChangeDirectory { path } => format!("cd {}", path.display()),
        CodeEffect::Waits { .. } => "waits".to_owned(),
        CodeEffect::Unknown { .. } => "unknown".to_owned(),
        CodeEffect::Each { effect, .. } => format!("each {}", shown(effect)),
    }
}

fn check(language: &str, table: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (text, expected) in table {
        let found = show(language, text, &["one", "two"]);
        if found != *expected {
            wrong.push(format!("{text}\n   wanted: {expected}\n   found:  {found}"));
        }
    }
    assert!(wrong.is_empty(), "{language}:\n{}", wrong.join("\n"));
}

#[test]
fn python_acts() {
    check(
        "python",
        &[
            ("import os; os.remove('a')", "rm a"),
            ("import os as o; o.unlink('a' + '.txt')", "rm a.txt"),
            ("from os import remove as r; r('a')", "rm a"),
            ("from os import *; remove('a')", "rm a"),
            ("__import__('os').remove('a')", "rm a"),
            ("import importlib; importlib.import_module('os').remove('a')", "rm a"),
            ("getattr(__import__('os'), 're' + 'move')('a')", "rm a"),
            ("import os; getattr(os, x)('a')", "unknown"),
            ("import os; os.rmdir('d'); os.removedirs('e')", "rm d; rm e"),
            ("import shutil; shutil.rmtree('d', ignore_errors=True)", "rm -r d"),
            ("import shutil\nfor d in ('a', 'b'):\n    shutil.rmtree(d)", "rm -r a; rm -r b"),
            ("import os; [os.remove(f) for f in ['a', 'b']]", "rm a; rm b"),
            ("import glob, os; [os.remove(f) for f in glob.glob('d/*.py')]", "rm glob:d/*.py"),
            ("import os, glob\nlist(map(os.remove, glob.glob('*.o')))", "rm glob:*.o"),
            ("from pathlib import Path; Path('a').unlink()", "rm a"),
            (
                "from pathlib import Path\nfor p in Path('d').rglob('*.png'): p.unlink(missing_ok=True)",
                "rm glob:d/**/*.png",
            ),
            (
                "import pathlib; [p.unlink() for p in pathlib.Path('d').glob('*') if p.is_file()]",
                "rm glob:d/*",
            ),
            ("from pathlib import Path; (Path('a') / 'b').unlink()", "rm a/b"),
            ("from pathlib import Path; Path('a', 'b').rmdir()", "rm a/b"),
            ("from pathlib import Path; p = Path('a'); p.write_text('x')", "> a"),
            ("from pathlib import Path; Path('a').rename('b')", "mv a b"),
            ("from pathlib import Path; Path.home().joinpath('x')", ""),
            ("import os; os.remove(os.path.join('a', 'b'))", "rm a/b"),
            ("import os\nd = 'x'\nfor f in os.listdir(d): os.remove(os.path.join(d, f))", "rm glob:x/*"),
            (
                "import os\nfor f in os.listdir('.'):\n  if f.endswith('.tmp'):\n    os.remove(f)",
                "rm glob:*.tmp",
            ),
            ("import os\n[os.remove(f) for f in os.listdir() if f.endswith('.pyc')]", "rm glob:*.pyc"),
            (
                "import os\nfor r, ds, fs in os.walk('d'):\n  for f in fs:\n    os.remove(os.path.join(r, f))",
                "rm glob:d/**/*",
            ),
            ("import os, sys; os.remove(sys.argv[1])", "rm one"),
            ("import os, sys\nfor f in sys.argv[1:]: os.remove(f)", "rm one; rm two"),
            ("import os; os.remove(input())", "rm …"),
            ("import os; os.remove(f'{\"a\"}.txt')", "rm a.txt"),
            ("import os; os.remove('%s.%s' % ('a', 'b')); os.remove('{}.c'.format('d'))", "rm a.b; rm d.c"),
            ("import os; os.remove(''.join(['a', 'b']))", "rm ab"),
            ("open('a', 'w').write('x')", "> a"),
            ("with open('a', mode='w') as f:\n  f.write('x')", "> a"),
            (
                "open('a', 'a'); open('b', 'x'); open('c', 'r+'); open('d'); open('e', 'rb')",
                ">> a; >> b; + c",
            ),
            ("import os; os.rename('a', 'b'); os.replace('c', 'd')", "mv a b; mv c d"),
            ("import shutil; shutil.copy('a', 'b'); shutil.move('c', 'd')", "cp a b; mv c d"),
            ("import os; os.truncate('a', 0)", "> a"),
            ("import os; os.system('rm -rf a')", "sh rm -rf a"),
            ("import os; os.popen('git reset --hard').read()", "sh git reset --hard"),
            ("import subprocess; subprocess.run(['rm', '-rf', 'a'], check=True)", "run rm -rf a"),
            ("import subprocess as s; s.check_output('rm a', shell=True)", "sh rm a"),
            ("from subprocess import run, PIPE; run('ls')", "run ls"),
            ("import subprocess, shlex; subprocess.run(shlex.split('rm a'))", "run …"),
            ("import subprocess; subprocess.run(['rm', x])", "run rm …"),
            (
                "import subprocess; subprocess.run('sh', input='rm a', text=True)",
                "sh printf '%s\\n' 'rm a' | sh",
            ),
            ("import subprocess; subprocess.run(['rm', 'a b'], cwd='d')", "sh cd d && rm 'a b'"),
            ("import subprocess; subprocess.run(['git', 'status'], cwd=d)", "cd …; sh git status"),
            ("import os; os.execvp('rm', ['rm', 'a'])", "run rm a"),
            ("exec('import os; os.rem' + 'ove(\"a\")')", "rm a"),
            ("import base64; exec(base64.b64decode('aW1wb3J0IG9zOyBvcy5yZW1vdmUoImEiKQ=='))", "rm a"),
            (
                "exec(bytes.fromhex('696d706f7274206f733b206f732e72656d6f766528226122 29'.replace(' ', '')).decode())",
                "rm a",
            ),
            ("import requests; exec(requests.get('http://x').text)", "unknown"),
            ("import urllib.request as u; exec(u.urlopen('http://x').read())", "unknown"),
            ("eval(compile('__import__(\"os\").remove(\"a\")', '', 'eval'))", "rm a"),
            ("def f(p):\n  import os\n  os.remove(p)\nf('a')\nf('b')", "rm a; rm b"),
            ("import os\ndef f(): os.remove('a')", ""),
            ("import os\nif __name__ == '__main__':\n  os.remove('a')", "rm a"),
            ("import os\ntry:\n  os.remove('a')\nexcept OSError:\n  pass", "rm a"),
            ("import os\nif os.path.exists('a'):\n  os.remove('a')\nelse:\n  print('no')", "rm a"),
            ("import os\nos.path.exists('a') and os.remove('a')", "rm a"),
            ("import os\nx = os.remove if True else None\nx('a')", "rm a"),
            ("import os\nclass A:\n  def run(self):\n    os.remove('a')\nA().run()", "rm a"),
            (
                "import os\nclass A:\n  def __init__(self, p):\n    self.p = p\n  def go(self):\n    os.remove(self.p)\nA('x').go()",
                "rm …",
            ),
            ("import os\nfiles = []\nfiles.append('a')\nfor f in files: os.remove(f)", "rm a"),
            ("import os\nos.chdir('d')\nos.remove('a')", "cd d; rm a"),
            ("import tempfile, shutil; d = tempfile.mkdtemp(); shutil.rmtree(d)", "rm -r /tmp/…"),
            (
                "import sqlite3; sqlite3.connect('d.db').executescript('DROP TABLE t')",
                "sql d.db DROP TABLE t",
            ),
            (
                "import sqlite3; c = sqlite3.connect('d.db'); c.execute('DELETE FROM t'); c.commit()",
                "sql d.db DELETE FROM t",
            ),
            ("import sqlite3; sqlite3.connect('d.db').execute('DELETE FROM t')", ""),
            (
                "import sqlite3\nwith sqlite3.connect('d.db') as c:\n  c.cursor().execute('DELETE FROM t')",
                "sql d.db DELETE FROM t",
            ),
            (
                "import sqlite3; print(sqlite3.connect('d.db').execute('SELECT 1').fetchone())",
                "sql d.db SELECT 1",
            ),
            ("import boto3; boto3.client('s3').delete_object(Bucket='b', Key='k')", "unknown"),
            ("import ctypes; ctypes.CDLL('libc.so.6').unlink(b'a')", "unknown; rm a"),
            ("from app import db; db.drop_all()", "unknown"),
            ("import os; os.kill(5, 9)", "run kill 5 9"),
            ("import pandas as pd; pd.read_csv('a.csv').to_csv('b.csv')", "> b.csv"),
            ("import os; os.open('a', os.O_WRONLY | os.O_TRUNC)", "> a"),
            ("import zipfile; zipfile.ZipFile('a.zip', 'w')", "> a.zip"),
            ("import json; json.dump({}, open('a', 'w'))", "> a"),
            ("import os, threading; threading.Thread(target=os.remove, args=('a',)).start()", "rm a"),
            ("import atexit, os; atexit.register(os.remove, 'a')", "rm a"),
        ],
    );
}

#[test]
fn python_is_harmless() {
    for text in [
        "print('rm -rf /')",
        "print(\"shutil.rmtree('src')\")",
        "# os.remove('notes.md')",
        "'''os.remove('a')'''",
        "import sys; sys.exit(0); import os; os.remove('a')",
        "import sys, json; print(json.dumps(json.load(sys.stdin), indent=2))",
        "import json,sys;d=json.load(sys.stdin);print(d['a'][0]['b'])",
        "print(open('a').read())",
        "import os; print(os.listdir('.'), os.getcwd(), os.environ.get('X'))",
        "x = [1, 2]; x.remove(1); d = {}; d.clear(); s = set(); s.discard(1)",
        "import re; print(re.sub('a', 'b', 'c'))",
        "import requests; r = requests.get('http://x'); print(r.json()['a'])",
        "import numpy as np; print(np.arange(3).sum())",
        "import pandas as pd; df = pd.read_csv('a'); df = df.drop(columns=['x']); print(df.head())",
        "import yaml; print(yaml.safe_load(open('a.yml'))['b'])",
        "import http.server; http.server.test()",
        "import mypackage; print(mypackage.__version__)",
        "from mypackage.core import thing; print(thing(3).result())",
        "import django; django.setup()",
        "print(sum(int(l.split()[1]) for l in open('a') if l.strip()))",
        "for i in range(3):\n    if i == 2:\n        break\n    else:\n        print(i)",
        "import sys\nfor line in sys.stdin:\n    k, _, v = line.partition('=')\n    print(f'{k:>10}: {v!r}')",
        "def fib(n):\n    return n if n < 2 else fib(n-1) + fib(n-2)\nprint(fib(10))",
        "import ast; ast.parse(open('a.py').read())",
        "import py_compile; py_compile.compile('a.py')",
        "x: int = 3\nprint(x if x > 2 else -x)",
        "import os.path as p; print(p.exists('a') and p.getsize('a'))",
        "print(*[chr(i) for i in range(65, 70)], sep='\\n')",
        "import hashlib; print(hashlib.sha256(b'x').hexdigest())",
        "import torch; print(torch.cuda.is_available())",
        "import secrets; print(secrets.token_hex(16))",
        "lambda: __import__('os').remove('a')",
        "import asyncio\nasync def main():\n    await asyncio.sleep(1)\nasyncio.run(main())",
        "match x:\n    case 1:\n        print(1)\n    case _:\n        pass",
        "print('a' 'b' \"c\")",
        "try:\n    import foo\n    print('ok')\nexcept ImportError as e:\n    print(e)",
        "assert 1 == 1, 'no'",
        "print(len(sorted(set('abc'), key=lambda c: -ord(c))))",
    ] {
        assert_eq!(show("python", text, &[]), "", "{text}");
    }
}

#[test]
fn node() {
    check(
        "node",
        &[
            ("require('fs').unlinkSync('a')", "rm a"),
            ("fs.truncateSync('a')", "> a"),
            ("const {unlinkSync} = require('fs'); unlinkSync('a')", "rm a"),
            ("const {unlinkSync: u, readFileSync} = require('node:fs'); u(`a${1}`)", "rm a1"),
            ("const fs = require('fs'); fs.rmSync('d', {recursive: true, force: true})", "rm -r d"),
            ("import {rm} from 'node:fs/promises'; await rm('d', {recursive:true})", "rm -r d"),
            ("import fs from 'fs'; fs.promises.unlink('a').then(() => console.log(1))", "rm a"),
            ("import * as f from 'fs'; f['unlink' + 'Sync']('a')", "rm a"),
            ("['a','b'].forEach(f => fs.unlinkSync(f))", "rm a; rm b"),
            ("for (const f of ['a', 'b']) { fs.unlinkSync(f) }", "rm a; rm b"),
            ("fs.readdirSync('d').forEach(function (f) { fs.unlinkSync('d/' + f) })", "rm glob:d/*"),
            ("fs.readdirSync('.').filter(f => f.endsWith('.o')).map(fs.unlinkSync)", "rm glob:*"),
            ("const p = require('path'); fs.unlinkSync(p.join('a', 'b'))", "rm a/b"),
            (
                "fs.writeFileSync('a', 'x'); fs.appendFileSync('b', 'y'); fs.writeFileSync('c', 'x', {flag: 'a'})",
                "> a; >> b; >> c",
            ),
            (
                "fs.createWriteStream('a'); fs.renameSync('b', 'c'); fs.copyFileSync('d', 'e')",
                "> a; mv b c; cp d e",
            ),
            ("require('child_process').execSync('rm -rf d')", "sh rm -rf d"),
            ("const cp = require('child_process'); cp.spawnSync('rm', ['-rf', 'd'])", "run rm -rf d"),
            ("const {exec} = require('child_process'); exec(`rm ${process.argv[1]}`)", "sh rm one | rm two"),
            ("eval('fs.unlink' + 'Sync(\"a\")')", "rm a"),
            ("new Function('require(\"fs\").unlinkSync(\"a\")')()", "rm a"),
            ("eval(Buffer.from('ZnMudW5saW5rU3luYygnYScp', 'base64').toString())", "rm a"),
            ("require('rimraf').sync('d')", "rm -r d"),
            ("fs.unlink('a', err => { if (err) throw err; })", "rm a"),
            ("(async () => { await fs.promises.rm('d', { recursive: true }) })()", "rm -r d"),
            ("function f(x) { fs.unlinkSync(x) }\nf('a')", "rm a"),
            ("if (fs.existsSync('a')) fs.unlinkSync('a'); else console.log('no')", "rm a"),
            ("fs.existsSync('a') && fs.unlinkSync('a')", "rm a"),
            ("try { fs.unlinkSync('a') } catch (e) { }", "rm a"),
            ("setTimeout(() => fs.unlinkSync('a'), 10)", "rm a"),
            ("process.exit(); fs.unlinkSync('a')", ""),
            ("require('./cleanup').deleteAll()", "unknown; unknown"),
            (
                "const D = require('better-sqlite3'); new D('x.db').exec('DROP TABLE t')",
                "sql x.db DROP TABLE t",
            ),
            ("fetch('http://x').then(r => r.text()).then(eval)", "unknown"),
            // Harmless.
            ("console.log(require('fs').readFileSync('a','utf8'))", ""),
            ("console.log('rm -rf src')", ""),
            ("const m = new Map(); m.set(1, 2); m.delete(1); [1,2].map(x => x * 2)", ""),
            ("console.log(JSON.stringify(JSON.parse(require('fs').readFileSync(0)), null, 2))", ""),
            ("const {version} = require('./package.json'); console.log(version)", ""),
            ("console.log([...new Set([1,2])].length, /a[/]b/.test('x'), 6 / 2)", ""),
            ("// fs.unlinkSync('a')\n/* fs.rmSync('b') */", ""),
            ("const s = `fs.unlinkSync('a')`; console.log(s)", ""),
            ("require('http').createServer((req, res) => { res.end('ok') }).listen(8080)", ""),
            (
                "class A { constructor() { this.x = 1 } get y() { return this.x } }\nconsole.log(new A().y)",
                "",
            ),
            ("let x = {a: 1, b, ...c, f() { return 1 }}; const {a, ...rest} = x; delete x.a", ""),
            ("switch (1) { case 1: console.log(1); break; default: console.log(2) }", ""),
            ("for (let i = 0; i < 3; i++) { console.log(i) }", ""),
        ],
    );
}

#[test]
fn perl() {
    check(
        "perl",
        &[
            ("unlink 'a', 'b'", "rm a; rm b"),
            ("unlink('a') or die", "rm a"),
            ("unlink qw(a b)", "rm a; rm b"),
            ("unlink glob \"d/*.py\"", "rm glob:d/*.py"),
            ("unlink <*.o>;", "rm glob:*.o"),
            ("unlink for glob '*.o'", "rm glob:*.o"),
            ("unlink $_ foreach ('a', 'b')", "rm a; rm b"),
            ("foreach my $f ('a', 'b') { unlink $f; }", "rm a; rm b"),
            ("unlink @ARGV", "rm one; rm two"),
            ("my $f = shift; unlink $f", "rm one"),
            ("unlink $ARGV[1]", "rm two"),
            ("my @l = ('a', 'b'); unlink @l", "rm a; rm b"),
            ("map { unlink } glob('*.x')", "rm glob:*.x"),
            ("use File::Path qw(remove_tree); remove_tree('d', 'e')", "rm -r d; rm -r e"),
            ("use File::Path; File::Path::rmtree(\"d\")", "rm -r d"),
            ("rename 'a', 'b'", "mv a b"),
            ("rmdir 'd'; truncate 'a', 0", "rm d; > a"),
            ("open(F, '>', 'a'); print F 'x'", "> a"),
            (
                "open F, '>a' or die; open(my $g, '>>', 'b') || die; open(H, '<', 'c'); open I, 'd'",
                "> a; >> b",
            ),
            (
                "open(my $p, '|-', 'sh'); open(Q, '| tee x'); open(R, 'ls |')",
                "sh cat | sh; sh cat | tee x; sh ls",
            ),
            ("system('rm -rf d')", "sh rm -rf d"),
            ("system 'rm', '-rf', 'd'", "run rm -rf d"),
            ("exec \"rm $ARGV[0]\"", "sh rm one"),
            ("`rm -rf d`; my $x = qx{ls}", "sh rm -rf d; sh ls"),
            ("eval 'unlink \"a\"'", "rm a"),
            ("eval { unlink 'a' }", "rm a"),
            ("my $c = 'unl' . 'ink \"a\"'; eval $c", "rm a"),
            ("s/(.*)/`rm $1`/e while <>", "sh rm …"),
            ("-e 'a' and unlink 'a'", "rm a"),
            ("unlink 'a' if -e 'a'", "rm a"),
            ("if (-d 'x') { rmdir 'x' } else { print 1 }", "rm x"),
            ("sub f { my ($x) = @_; unlink $x } f('a')", "rm a"),
            ("use File::Find; find(sub { unlink $_ if /\\.o$/ }, 'd')", "rm glob:d/**"),
            ("use File::Copy; move('a', 'b'); copy('c', 'd')", "mv a b; cp c d"),
            ("print \"@{[ unlink 'a' ]}\"", "rm a"),
            ("chdir 'd'; unlink 'a'", "cd d; rm a"),
            ("exit; unlink 'a'", ""),
            ("@ARGV = ('>a', '+>> b', 'rm c |'); print while <>", "> a; >> b; sh rm c"),
            ("@ARGV = ('a'); $^I = ''; while (<>) { print }", "+ a"),
            ("BEGIN { $^I = '.b' } print while <>", "cp one one.b; + one; cp two two.b; + two"),
            ("local @ARGV = glob('*.o'); local $^I = ''; my @l = readline", "each + *.o"),
            ("my $f = '>a'; open F, $f; open G, \">$x\"", "> a; > …"),
            // Harmless.
            ("@ARGV = ('a', 'b'); print while <>", ""),
            ("print \"unlink notes.md\\n\"", ""),
            ("print for glob \"d/*\"", ""),
            ("print if /untracked/", ""),
            ("s/untracked/y/g; print", ""),
            ("$h{$_}++ for split /,/; print join(\"\\n\", sort keys %h)", ""),
            ("my %h = (a => 1, b => 2); delete $h{a}; print scalar keys %h", ""),
            ("while (<STDIN>) { chomp; my @f = split; print \"$f[0]\\t$f[-1]\\n\" if $f[2] > 10 }", ""),
            ("print reverse <>", ""),
            ("$s += $F[1]; END { print $s / $. }", ""),
            ("printf \"%.2f\\n\", 3.14159; print 'a' x 3", ""),
            ("use POSIX qw(strftime); print strftime('%Y', localtime)", ""),
            ("BEGIN { $/ = undef } s/\\n+/\\n/g; y/a-z/A-Z/", ""),
            ("use JSON::PP; print JSON::PP->new->pretty->encode(decode_json(join '', <>))", ""),
            ("open(my $fh, '<', 'a') or die \"no: $!\"; while (my $l = <$fh>) { print $l } close $fh", ""),
            ("print <<EOT;\nunlink 'a'\nEOT\n", ""),
            ("# unlink 'a'\nprint 1", ""),
            ("print \"$ENV{HOME} @ARGV[0] $0 $$\"", ""),
        ],
    );
}

#[test]
fn ruby() {
    check(
        "ruby",
        &[
            ("File.delete('a', 'b')", "rm a; rm b"),
            ("$-i = ''; ARGF.each { |l| puts l }", "+ one; + two"),
            ("ARGF.inplace_mode = ''; while gets; end", "+ one; + two"),
            ("IO.read('|rm a'); open(\"|rm #{x}\")", "sh rm a; sh …"),
            ("ARGF.each { |l| puts l }; puts IO.read('a')", ""),
            ("File.delete 'a' if File.exist?('a')", "rm a"),
            ("require 'fileutils'; FileUtils.rm_rf 'd'", "rm -r d"),
            ("require 'fileutils'; FileUtils.rm_rf(['d', 'e'])", "rm -r d; rm -r e"),
            ("include FileUtils; rm_rf 'd'", "rm -r d"),
            ("FileUtils.rm Dir.glob('*.o')", "rm glob:*.o"),
            ("Dir['*.o'].each { |f| File.delete(f) }", "rm glob:*.o"),
            ("Dir.glob('d/*') do |f|\n  File.unlink f\nend", "rm glob:d/*"),
            ("%w[a b].each { |f| File.delete f }", "rm a; rm b"),
            ("ARGV.each do |f| File.delete(f) end", "rm one; rm two"),
            ("Dir.glob('*.o').each(&File.method(:delete))", "rm glob:*.o"),
            ("for f in ['a', 'b'] do File.delete(f) end", "rm a; rm b"),
            ("Dir.rmdir('d')", "rm d"),
            ("File.write('a', 'x'); IO.write 'b', 'y'; File.write('c', 'z', mode: 'a')", "> a; > b; >> c"),
            ("File.open('a', 'w') { |f| f.puts 1 }", "> a"),
            ("File.open('a').each_line { |l| puts l }", ""),
            (
                "File.rename('a', 'b'); FileUtils.mv('c', 'd'); FileUtils.cp 'e', 'f'",
                "mv a b; mv c d; cp e f",
            ),
            ("`rm -rf d`", "sh rm -rf d"),
            ("%x(rm #{ARGV[0]})", "sh rm one"),
            ("system 'rm -rf d'", "sh rm -rf d"),
            ("system('rm', '-rf', 'd')", "run rm -rf d"),
            ("exec \"rm a\"", "sh rm a"),
            ("IO.popen('rm a') { |io| io.read }", "sh rm a"),
            ("Kernel.send(:system, 'rm a')", "sh rm a"),
            ("eval 'File.delete(\"a\")'", "rm a"),
            ("Pathname.new('a').delete; Pathname('d').rmtree", "rm a; rm -r d"),
            ("def f(x)\n  File.delete(x)\nend\nf 'a'", "rm a"),
            ("begin\n  File.delete 'a'\nrescue => e\n  puts e\nend", "rm a"),
            ("File.delete('a') rescue nil", "rm a"),
            ("x = 'a'\nFile.delete \"#{x}.txt\"", "rm a.txt"),
            ("case 1\nwhen 1 then File.delete 'a'\nend", "rm a"),
            ("open('|rm a')", "sh rm a"),
            ("exit\nFile.delete 'a'", ""),
            // Harmless.
            ("puts 'rm -rf /'", ""),
            ("puts ARGF.read.lines.sort.uniq", ""),
            ("$_.upcase!", ""),
            ("h = {a: 1, 'b' => 2}; h.delete(:a); puts h.map { |k, v| \"#{k}=#{v}\" }.join(',')", ""),
            ("[1, 2].each_with_index { |x, i| puts x + i }; a = [3]; a.delete(3); a.clear", ""),
            ("puts File.read('a').scan(/\\w+/).tally.max_by { |_, n| n }.first", ""),
            ("require 'json'; puts JSON.pretty_generate(JSON.parse(STDIN.read))", ""),
            ("puts RUBY_VERSION; puts Gem::Version.new('1') > Gem::Version.new('2') ? 'a' : 'b'", ""),
            ("class A\n  attr_reader :x\n  def initialize(x)\n    @x = x\n  end\nend\nputs A.new(1).x", ""),
            ("puts <<~E\n  File.delete 'a'\nE\n", ""),
            ("# File.delete('a')\nputs :ok unless false", ""),
            ("puts (1..10).select(&:even?).sum", ""),
            ("while line = gets\n  next if line =~ /x/\n  puts line.split(',')[2]\nend", ""),
        ],
    );
}

#[test]
fn php_and_lua() {
    check(
        "php",
        &[
            ("unlink('a');", "rm a"),
            ("<?php foreach (glob('*.o') as $f) unlink($f);", "rm glob:*.o"),
            ("array_map('unlink', glob('*.o'));", "rm glob:*.o"),
            ("$f = 'a'; unlink(\"$f.txt\"); rmdir('d');", "rm a.txt; rm d"),
            (
                "file_put_contents('a', 'x'); file_put_contents('b', 'y', FILE_APPEND); fopen('c', 'w');",
                "> a; >> b; > c",
            ),
            ("rename('a', 'b'); copy('c', 'd');", "mv a b; cp c d"),
            ("system('rm -rf d'); echo `ls`; exec('rm a', $out);", "sh rm -rf d; sh ls; sh rm a"),
            ("eval('unlink(\"a\");');", "rm a"),
            ("unlink($argv[1]);", "rm one"),
            ("$db = new PDO('sqlite:x'); $db->exec('DROP TABLE t');", "sql … DROP TABLE t"),
            ("echo 'unlink(1)'; print_r(json_decode(file_get_contents('a'), true)); echo PHP_VERSION;", ""),
            ("function f($x) { return $x * 2; } echo f(2), PHP_EOL; $a = ['b' => 1]; unset($a['b']);", ""),
        ],
    );
    check(
        "lua",
        &[
            ("os.remove('a')", "rm a"),
            ("for _, f in ipairs({'a', 'b'}) do os.remove(f) end", "rm a; rm b"),
            ("local r = os.remove; r 'a'", "rm a"),
            ("os.execute('rm -rf ' .. 'd')", "sh rm -rf d"),
            ("local f = io.open('a', 'w'); f:write('x'); f:close()", "> a"),
            ("os.rename('a', 'b'); io.popen('ls'):read('*a')", "mv a b; sh ls"),
            ("if true then os.remove('a') else print(1) end", "rm a"),
            ("print('os.remove(1)') -- os.remove('a')", ""),
            ("local t = {1, 2}; table.remove(t, 1); print(#t, string.format('%d', 3))", ""),
        ],
    );
}

proptest! {
    #[test]
    fn never_panics(text in "[\\PC\n]{0,60}") {
        for language in ["python", "node", "perl", "ruby", "php", "lua", "awk", "sed", "tcl"] {
            let _ = analyse(language, &text, &[]);
        }
    }

    #[test]
    fn never_panics_on_pieces(pieces in prop::collection::vec(prop::sample::select(vec![
        "import os", ";", "\n", "os.remove", "(", ")", "'a'", "x", "=", "for", "in", "[", "]", "lambda", ":", "def f():", "exec",
        "f", "{", "}", "unlink", "$x", "@ARGV", "glob", "system", "eval", "File", ".", "delete", "each", "|f|", "do", "end", "=>",
        "require('fs')", "unlinkSync", "`ls`", "print", ">", "|", "getline", "BEGIN", "s/a/b/e", "w f", ",", "+", "%", "*", "3",
    ]), 0..16)) {
        for language in ["python", "node", "perl", "ruby", "php", "lua", "awk", "sed", "tcl"] {
            let _ = analyse(language, &pieces.join(" "), &[]);
            let _ = analyse(language, &pieces.concat(), &[]);
        }
    }
}

#[test]
fn hostile_text_ends() {
    let pieces = [
        "(",
        "[",
        "{",
        "'",
        "\"",
        "`",
        "/",
        "#",
        "\\",
        "$",
        "@",
        "%",
        "<<A\n",
        "<<~A ",
        "s{",
        "q(",
        "\"#{",
        "`${",
        "f'{",
        "${",
        "@{",
        "a.b(",
        "x=",
        "if x:\n ",
        "for a in b:",
        "lambda:",
        "=>",
        "->",
        "do |x| ",
        "/*",
        "=begin\n",
        "\"\"\"",
        "print ",
        "x ? ",
        "!",
        "[*",
        "eval('",
        "exec(\"",
        "a,",
        "{a:",
        "w x\n",
        "s/[",
        "y",
        "%w[",
        "<",
        "--[[",
        "def f(x): return f(x)\n",
        "x = x + x\n",
    ];
    for language in ["python", "node", "perl", "ruby", "php", "lua", "awk", "sed", "tcl"] {
        for piece in pieces {
            let _ = analyse(language, &piece.repeat(10_000 / piece.len()), &[]);
        }
    }
}

#[test]
fn what_runs_without_being_called_by_name() {
    check(
        "python",
        &[
            (
                "class A:\n  def __enter__(s): import os; os.remove('a')\n  def __exit__(s,*a): pass\nwith A(): pass",
                "rm a",
            ),
            ("import atexit,os\n@atexit.register\ndef f(): os.remove('a')", "rm a"),
            ("import os\nsorted(['a'], key=os.remove)", "unknown"),
            ("import os\n(lambda p=os.remove: p('a'))()", "rm a"),
            ("import os\nos.remove.__call__('a')", "rm a"),
            ("from pathlib import Path\nnext(Path('data').iterdir()).unlink()", "rm glob:data/*"),
            ("import timeit\ntimeit.timeit(\"open('a','w')\")", "> a"),
            ("import functools\n@functools.lru_cache\ndef f(): import os; os.remove('a')", ""),
            ("import os\nf = os.remove\nf('a')", "rm a"),
        ],
    );
    check(
        "node",
        &[
            ("const f=require('fs'); f.unlinkSync.call(null,'a')", "rm a"),
            ("const f=require('fs'); setTimeout(f.unlinkSync,0,'a')", "unknown"),
            ("const f=require('fs'); class A{constructor(){f.unlinkSync('a')}}; new A", "rm a"),
            ("new Function('fs','fs.unlinkSync(\"a\")')(fs)", "rm a"),
        ],
    );
    check("ruby", &[("class A; def initialize; File.delete('a'); end; end; A.new", "rm a")]);
    check(
        "php",
        &[("$f='un'.'link'; $f('a');", "rm a"), ("register_shutdown_function('unlink','a');", "rm a")],
    );
}
