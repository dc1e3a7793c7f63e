//! What a guarded prompt costs: the time from Enter to the next prompt, with the hook, without it, and with an empty program
//! started for each line, which nothing that judges can undercut.
//!
//! Nothing here fails: timings are read by people, on a machine that does nothing else. The three shells take turns line by
//! line, so that what else happens hits them alike. Needs `python3` for the pseudo-terminal's other end. Another binary is
//! measured with `RECOURSE_BENCH_BINARY`.

#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used)]

use std::process::Command;

use support::binary;

mod support;

const ROUNDS: &str = "60";

/// Arguments: the program, how many rounds, the shells.
const DRIVER: &str = r##"
import os, pty, re, select, shutil, subprocess, sys, tempfile, time
binary, rounds, shells = sys.argv[1], int(sys.argv[2]), sys.argv[3].split()
LINES = ['true', 'ls', 'git status', 'echo $HOME', 'rm -rf build']
# A prompt is numbered: shells draw the one at hand again while a line is accepted, which is not the next one.
MARK = re.compile(rb'@(\d+)@')
folder = tempfile.mkdtemp()
home, work, empty = folder + '/home', folder + '/work', folder + '/empty'
os.makedirs(home + '/.config/fish')
os.makedirs(work)
shutil.copy('/bin/true', empty)
SETUP = """cd "$0"; git init -q .; git config user.email a@b; git config user.name n; mkdir src; echo 'int main(){}' > src/a.c
printf 'build\\n' > .gitignore; printf 'all:\\n\\tmkdir -p build && cc -o build/a src/a.c\\n' > Makefile; git add -A; git commit -qm one"""
env = dict(os.environ, HOME=home, ZDOTDIR=folder, TERM='dumb', XDG_CONFIG_HOME=home + '/.config', GIT_CONFIG_GLOBAL='/dev/null')
for name in ('XDG_STATE_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME', 'RECOURSE_SHELL_HOOK'):
    env.pop(name, None)
subprocess.run(['bash', '-c', SETUP, work], check=True, env=env)
EMPTY = {
    'bash': "PS0='${x:+}$(%s)'\n" % empty,
    'zsh': 'preexec() { %s }\n' % empty,
    'fish': 'function p --on-event fish_preexec; %s; end\n' % empty,
}
PROMPT = {
    'bash': "PROMPT_COMMAND='((++n))'\nPS1='@$n@ '\nHISTFILE=\n",
    'zsh': "precmd() { ((++n)) }\nsetopt promptsubst\nPS1='@$n@ '\nunsetopt PROMPT_SP\n",
    'fish': "set -g fish_greeting\nset -g n 0\nfunction c --on-event fish_prompt; set n (math $n + 1); end\nfunction fish_prompt; printf '@%s@ ' $n; end\n",
}

class Shell:
    def __init__(self, shell, mode):
        hook = ('%s init fish | source\n' if shell == 'fish' else 'eval "$(%s init ' + shell + ')"\n') % binary
        more = {'bare': '', 'empty': EMPTY[shell], 'guarded': hook}[mode]
        file = {'bash': folder + '/rc', 'zsh': folder + '/.zshrc', 'fish': home + '/.config/fish/config.fish'}[shell]
        with open(file, 'w') as out:
            out.write(PROMPT[shell] + more)
        words = {'bash': ['bash', '--noprofile', '--rcfile', file, '-i'], 'zsh': ['zsh', '-d', '-i'], 'fish': ['fish', '-i']}[shell]
        pid, self.fd = pty.fork()
        if pid == 0:
            os.chdir(work)
            os.execvpe(words[0], words, env)
        self.count = -1
        self.prompt()
        # What it does behind its first prompt is not measured.
        time.sleep(1)

    def prompt(self):
        seen = b''
        while True:
            new = [int(n) for n in MARK.findall(seen) if int(n) > self.count]
            if new:
                self.count = new[-1]
                return
            if not select.select([self.fd], [], [], 20)[0]:
                sys.exit('no prompt: %r' % seen[-2000:])
            seen += os.read(self.fd, 65536)

    def enter(self, line):
        if line.startswith('rm'):
            os.makedirs(work + '/build', exist_ok=True)
            open(work + '/build/a.o', 'w').close()
        os.write(self.fd, line.encode())
        time.sleep(0.03)
        while select.select([self.fd], [], [], 0)[0]:
            os.read(self.fd, 65536)
        start = time.perf_counter()
        os.write(self.fd, b'\r')
        self.prompt()
        return 1e3 * (time.perf_counter() - start)

def at(times, part):
    return sorted(times)[int((len(times) - 1) * part)]

print('%-5s %-13s %16s %16s %16s %16s' % ('', 'median / p95, ms', 'bare', 'empty program', 'guarded', 'added by hook'))
for shell in shells:
    modes = {mode: Shell(shell, mode) for mode in ('bare', 'empty', 'guarded')}
    for line in LINES:
        times = {mode: [] for mode in modes}
        for turn in range(rounds + 5):
            for mode, typing in modes.items():
                times[mode].append(typing.enter(line))
        both = {mode: (at(all[5:], .5), at(all[5:], .95)) for mode, all in times.items()}
        added = tuple(both['guarded'][part] - both['bare'][part] for part in (0, 1))
        cells = ['%.1f / %.1f' % pair for pair in (*both.values(), added)]
        print('%-5s %-16s %13s %16s %16s %16s' % (shell, line, *cells), flush=True)
shutil.rmtree(folder, ignore_errors=True)
"##;

fn main() {
    if std::env::args().any(|a| a == "--test" || a == "--list") {
        return;
    }
    let binary = binary();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let there = |shell: &&str| std::env::split_paths(&path).any(|dir| dir.join(shell).is_file());
    let shells: Vec<&str> = ["bash", "zsh", "fish"].into_iter().filter(there).collect();
    let status = Command::new("python3").args(["-c", DRIVER, &binary, ROUNDS, &shells.join(" ")]).status();
    if let Err(error) = status {
        println!("python3 could not be started: {error}");
    }
}
