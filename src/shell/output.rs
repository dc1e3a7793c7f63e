//! What simple, well-known programs print, and whether they succeed, where that can be told without running them.

use base64::Engine as _;

use crate::model::Value;

use super::builtins::{decode_escapes, format_printf};
use super::files::FileState;
use super::interp::{Interp, Scope};
use super::lines::{Cut, matching};
use super::simple::Call;
use super::state::{Flow, State, Status};
use super::step::Stdin;

impl Interp<'_> {
    /// The standard output of a command, where it can be told.
    pub(super) fn printed(&mut self, state: &State, scope: &Scope, call: &Call) -> Option<Value> {
        let name = call.words.first()?.arg.value.as_known()?;
        if !call.external && state.functions.contains_key(name) {
            return None;
        }
        let name = name.rsplit('/').next().unwrap_or(name);
        let here = scope.host.is_none();
        let seen = here && !self.world.is_elsewhere();
        match name {
            "echo" => Some(echo(call)),
            "printf" if call.arguments().first().is_some_and(|w| w.arg.value.as_known() != Some("-v")) => {
                format_printf(&call.values())
            }
            "pwd" if here => Some(self.directory_name(state, call).concat(&newline())),
            ":" | "true" | "false" | "cd" | "test" | "[" | "set" | "shopt" | "export" | "unset" | "mkdir"
            | "touch" | "rm" | "sleep" | "read" | "shift" => Some(Value::known("")),
            "cat" if here => self.cat(state, call),
            "tac" | "rev" | "tr" | "base64" | "sed" | "head" | "tail" | "xxd" | "sort" | "uniq" | "cut"
            | "tee" | "grep" | "egrep" | "fgrep"
                if here =>
            {
                self.filter(state, name, call)
            }
            "basename" | "dirname" => path_part(name, call),
            "realpath" | "readlink" if seen => self.real_path(state, name, call),
            "seq" => sequence(call),
            "whoami" if seen => Some(Value::Known(self.world.user() + "\n")),
            "id" if seen && matches!(call.texts().as_deref(), Some(["-un"])) => {
                Some(Value::Known(self.world.user() + "\n"))
            }
            "ls" if here => self.listing(state, call),
            "which" if seen => match call.texts().as_deref() {
                Some([one]) => Some(match self.in_path(state, one) {
                    Some(path) => Value::Known(format!("{}\n", path.display())),
                    None => Value::known(""),
                }),
                _ => None,
            },
            "git" if here => self.git_answer(state, call),
            _ if prints_settings(name, call) => Some(Value::known("# settings of the shell\n")),
            _ => None,
        }
    }

    /// Text of the files that a filter is given, or of standard input.
    fn input(&self, state: &State, files: &[&Value]) -> Option<Value> {
        if files.is_empty() {
            return self.stdin_text(state, &state.stdin);
        }
        let mut whole = Value::known("");
        for file in files {
            let text = match file.as_known()? {
                "-" => self.stdin_text(state, &state.stdin)?,
                name => match state.descriptors.get(name) {
                    Some(input) => self.stdin_text(state, input)?,
                    None => self.stdin_text(state, &Stdin::File((*file).clone()))?,
                },
            };
            whole = whole.concat(&text);
        }
        Some(whole)
    }

    fn cat(&self, state: &State, call: &Call) -> Option<Value> {
        let files = call.arguments().iter().map(|word| &word.arg.value).collect::<Vec<_>>();
        if files.iter().any(|f| f.as_known().is_some_and(|t| t.len() > 1 && t.starts_with('-'))) {
            return None;
        }
        self.input(state, &files)
    }

    fn filter(&self, state: &State, name: &str, call: &Call) -> Option<Value> {
        let texts = call.texts()?;
        let (options, operands): (Vec<&str>, Vec<&str>) =
            texts.iter().partition(|text| text.len() > 1 && text.starts_with('-'));
        let files =
            |from: usize| operands.iter().skip(from).map(|text| Value::known(*text)).collect::<Vec<_>>();
        let read = |from: usize| {
            let files = files(from);
            self.input(state, &files.iter().collect::<Vec<_>>())
        };
        match (name, options.as_slice()) {
            ("rev", []) => Some(read(0)?.map_lines(|line| line.chars().rev().collect())),
            ("tac", []) => match read(0)? {
                lines @ Value::Lines(_) => Some(lines),
                text => Some(text.map(|text| text.lines().rev().map(|line| format!("{line}\n")).collect())),
            },
            ("sort", options) => self.sorted(state, options, read(0)?),
            ("tee", [] | ["-a"]) => self.stdin_text(state, &state.stdin),
            ("base64", ["-d" | "-D" | "--decode"] | ["-di"]) => {
                let text = read(0)?;
                let clean = text.as_known()?.split_whitespace().collect::<String>();
                let clean = clean.trim_end_matches('=');
                let bytes = base64::engine::general_purpose::STANDARD_NO_PAD.decode(clean).ok()?;
                String::from_utf8(bytes).ok().map(Value::Known)
            }
            ("xxd", ["-r", "-p"] | ["-p", "-r"]) | ("xxd", ["-rp" | "-pr"]) => {
                let text = read(0)?;
                let clean = text.as_known()?.split_whitespace().collect::<String>();
                let bytes = (0..clean.len() / 2)
                    .map(|at| u8::from_str_radix(clean.get(at * 2..at * 2 + 2)?, 16).ok())
                    .collect::<Option<Vec<_>>>()?;
                String::from_utf8(bytes).ok().map(Value::Known)
            }
            ("tr", options) => {
                let text = self.stdin_text(state, &state.stdin)?;
                translate(&text, options, &operands)
            }
            ("sed", []) => {
                let (script, _) = operands.split_first()?;
                let substitution = Substitution::read(script)?;
                Some(read(1)?.map_lines(|line| substitution.apply(line)))
            }
            ("head" | "tail", options) => {
                let (cut, used) = Cut::read(name, options, operands.first().copied())?;
                cut.of(&read(used)?)
            }
            ("grep" | "egrep" | "fgrep", options) => {
                let (pattern, files) = operands.split_first()?;
                if !files.is_empty() {
                    return None;
                }
                matching(&self.stdin_text(state, &state.stdin)?, pattern, options)
            }
            _ => None,
        }
    }

    fn real_path(&self, state: &State, name: &str, call: &Call) -> Option<Value> {
        let texts = call.texts()?;
        let operands = texts.iter().filter(|text| !text.starts_with('-')).collect::<Vec<_>>();
        let [path] = operands.as_slice() else { return None };
        if name == "readlink" && !texts.iter().any(|t| matches!(*t, "-f" | "-e" | "-m" | "--canonicalize")) {
            return None;
        }
        let path = self.absolute(state, &Value::known(**path))?;
        let real = self.physical(state, &path)?;
        Some(Value::Known(format!("{}\n", real.display())))
    }

    /// What `pwd` says: the path that the shell came by, or where that really is. The program of that name goes by the
    /// links unless it is told otherwise.
    fn directory_name(&self, state: &State, call: &Call) -> Value {
        let texts = call.texts().unwrap_or_default();
        let chosen = texts.iter().rev().find_map(|text| text.chars().rev().find(|c| matches!(c, 'L' | 'P')));
        let program =
            call.external || call.words.first().is_some_and(|word| word.arg.value.prefix().contains('/'));
        if !chosen.map_or(program || state.switches.physical, |letter| letter == 'P') {
            return self.scalar(state, "PWD").unwrap_or(Value::Unknown);
        }
        let real = state.only_cwd().and_then(|dir| self.physical(state, dir));
        real.map_or(Value::Unknown, |dir| Value::Known(dir.to_string_lossy().into_owned()))
    }

    /// `git rev-parse --show-toplevel` and the like: seen from the directories alone.
    fn git_answer(&self, state: &State, call: &Call) -> Option<Value> {
        let mut texts = call.texts()?;
        let mut cwd = self.physical(state, state.only_cwd()?)?;
        if let ["-C", dir, ..] = texts.as_slice() {
            cwd = self.physical(state, &self.absolute(state, &Value::known(*dir))?)?;
            texts.drain(..2);
        }
        match texts.as_slice() {
            ["rev-parse", "--show-toplevel"] => {
                let root = cwd.ancestors().find(|dir| self.exists(state, &dir.join(".git")) == Some(true))?;
                Some(Value::Known(format!("{}\n", root.display())))
            }
            ["rev-parse", "--abbrev-ref", "HEAD"] | ["branch", "--show-current"] => {
                let root = cwd.ancestors().find(|dir| self.exists(state, &dir.join(".git")) == Some(true))?;
                let head = self.read_text(state, &root.join(".git/HEAD"), 4096)?;
                let branch = head.trim().strip_prefix("ref: refs/heads/")?;
                Some(Value::Known(format!("{branch}\n")))
            }
            _ => None,
        }
    }

    /// `mktemp`: a name that nothing has yet.
    pub(super) fn fresh_name(&mut self, state: &mut State, scope: &Scope, call: &Call) -> Flow {
        let texts = call.texts();
        let directory = texts.as_ref().is_some_and(|t| {
            t.iter().any(|w| {
                *w == "--directory" || (w.starts_with('-') && !w.starts_with("--") && w.contains('d'))
            })
        });
        self.counter += 1;
        let unique = format!("recourse{:04}", self.counter);
        let mut base = self
            .scalar(state, "TMPDIR")
            .and_then(|v| v.as_known().filter(|t| t.starts_with('/')).map(str::to_owned))
            .unwrap_or_else(|| "/tmp".to_owned());
        let mut template = format!("tmp.{unique}");
        let mut in_base = true;
        match &texts {
            None => {
                self.unknown_result(state, scope);
                return Flow::Next;
            }
            Some(texts) => {
                in_base &= texts.iter().all(|t| t.starts_with('-'));
                let mut words = texts.iter();
                while let Some(word) = words.next() {
                    match *word {
                        "-p" => base = words.next().map_or(base, |w| (*w).to_owned()),
                        "-t" => in_base = true,
                        w if w.starts_with("--tmpdir=") => {
                            base = w["--tmpdir=".len()..].to_owned();
                            in_base = true;
                        }
                        "--tmpdir" => in_base = true,
                        w if w.starts_with('-') => {}
                        w => template = filled(w, &unique),
                    }
                }
            }
        }
        let name = if in_base && !template.starts_with('/') {
            format!("{}/{template}", base.trim_end_matches('/'))
        } else {
            template
        };
        if let Some(path) = self.absolute(state, &Value::known(&name))
            && scope.host.is_none()
        {
            let content = (!directory).then(String::new);
            state.files.set(path, FileState::Created { content, directory });
        }
        state.status = Status::True;
        if scope.capture {
            state.print(&Value::Known(name + "\n"));
        }
        Flow::Next
    }

    /// Whether a known program succeeds, before it runs.
    pub(super) fn status_of(&self, state: &State, scope: &Scope, name: &str, call: &Call) -> Status {
        if scope.host.is_some() {
            return Status::Unknown;
        }
        match name {
            "true" | "echo" | "printf" | ":" | "sleep" | "whoami" | "date" | "seq" | "basename"
            | "dirname" => Status::True,
            "false" => Status::False,
            "mkdir" => {
                let Some(texts) = call.texts() else { return Status::Unknown };
                let parents = texts.iter().any(|t| {
                    *t == "--parents" || (t.starts_with('-') && !t.starts_with("--") && t.contains('p'))
                });
                let mut all = Status::True;
                for name in texts.iter().filter(|t| !t.starts_with('-')) {
                    let Some(path) = self.absolute(state, &Value::known(*name)) else {
                        return Status::Unknown;
                    };
                    let above = path.parent().unwrap_or(&path);
                    let one = match (self.exists(state, &path), parents) {
                        (Some(true), true) if self.is_directory(state, &path) == Some(true) => Status::True,
                        (Some(true), _) => Status::False,
                        (Some(false), true) if self.world.writable(nearest(self, state, &path).as_path()) => {
                            Status::True
                        }
                        (Some(false), false)
                            if self.is_directory(state, above) == Some(true)
                                && (self.untouched(state, above).is_none() || self.world.writable(above)) =>
                        {
                            Status::True
                        }
                        (Some(false), false) if self.exists(state, above) == Some(false) => Status::False,
                        _ => Status::Unknown,
                    };
                    if one == Status::False {
                        return Status::False;
                    }
                    all = if one == Status::True { all } else { Status::Unknown };
                }
                all
            }
            "cat" | "ls" | "stat" => {
                let Some(texts) = call.texts() else { return Status::Unknown };
                let missing = texts.iter().filter(|t| !t.starts_with('-')).any(|name| {
                    self.absolute(state, &Value::known(*name)).is_some_and(|path| {
                        !path.starts_with("/dev") && self.exists(state, &path) == Some(false)
                    })
                });
                if missing { Status::False } else { Status::Unknown }
            }
            "grep" | "egrep" | "fgrep" => self.grep_status(state, name, call),
            "which" if self.world.is_elsewhere() => Status::Unknown,
            "which" => match call.texts().as_deref() {
                Some([one]) if !one.starts_with('-') => Status::from_bool(self.in_path(state, one).is_some()),
                _ => Status::Unknown,
            },
            _ => Status::Unknown,
        }
    }
}

/// The nearest directory above that exists.
fn nearest(interp: &Interp<'_>, state: &State, path: &std::path::Path) -> std::path::PathBuf {
    path.ancestors()
        .find(|dir| interp.is_directory(state, dir) == Some(true))
        .map_or_else(|| std::path::PathBuf::from("/"), std::path::Path::to_path_buf)
}

/// Programs that print settings for `eval` and `source`: variables, completions, hooks of a prompt.
fn prints_settings(name: &str, call: &Call) -> bool {
    let Some(texts) = call.texts() else { return false };
    let words = texts.iter().filter(|text| !text.starts_with('-')).copied().collect::<Vec<_>>();
    match name {
        "ssh-agent"
        | "dircolors"
        | "lesspipe"
        | "lesspipe.sh"
        | "keychain"
        | "gpg-agent"
        | "resize"
        | "tset"
        | "register-python-argcomplete" => true,
        "direnv" => matches!(words.first(), Some(&("hook" | "export"))),
        "brew" => words.first() == Some(&"shellenv"),
        "conda" | "mamba" => words.first().is_some_and(|word| word.starts_with("shell.")),
        "pyenv" | "rbenv" | "nodenv" | "goenv" | "jenv" | "starship" | "zoxide" | "atuin" | "mcfly"
        | "oh-my-posh" | "thefuck" | "pyenv-virtualenv" => {
            matches!(words.first(), Some(&("init" | "virtualenv-init" | "sh-shell"))) || name == "thefuck"
        }
        "fnm" | "opam" | "nvm" | "volta" => words.first() == Some(&"env"),
        "mise" | "rtx" => matches!(words.first(), Some(&("activate" | "env"))),
        "fzf" => texts.contains(&"--bash") || texts.contains(&"--zsh"),
        "minikube" => words.first() == Some(&"docker-env"),
        "docker-machine" => words.first() == Some(&"env"),
        "luarocks" => words.first() == Some(&"path"),
        "locale" | "localectl" => true,
        _ => match words.as_slice() {
            ["completion" | "completions", rest @ ..] => {
                rest.len() <= 1 && rest.iter().all(|shell| matches!(*shell, "bash" | "zsh" | "fish" | "sh"))
            }
            _ => false,
        },
    }
}

fn newline() -> Value {
    Value::known("\n")
}

fn filled(template: &str, unique: &str) -> String {
    match template.find("XXX") {
        Some(at) => {
            let end = at + template[at..].chars().take_while(|c| *c == 'X').count();
            format!("{}{unique}{}", &template[..at], &template[end..])
        }
        None => template.to_owned(),
    }
}

fn echo(call: &Call) -> Value {
    let mut arguments = call.arguments();
    let mut end = true;
    let mut escapes = false;
    while let Some(text) = arguments.first().and_then(|word| word.arg.value.as_known()) {
        if text.len() < 2
            || !text.starts_with('-')
            || !text[1..].chars().all(|c| matches!(c, 'n' | 'e' | 'E'))
        {
            break;
        }
        for c in text[1..].chars() {
            match c {
                'n' => end = false,
                'e' => escapes = true,
                _ => escapes = false,
            }
        }
        arguments = &arguments[1..];
    }
    let mut whole = Value::known("");
    for (index, word) in arguments.iter().enumerate() {
        if index > 0 {
            whole = whole.concat(&Value::known(" "));
        }
        whole = whole.concat(&word.arg.value);
    }
    if escapes {
        whole = whole.map(decode_escapes);
    }
    if end { whole.concat(&newline()) } else { whole }
}

fn path_part(name: &str, call: &Call) -> Option<Value> {
    let arguments = call.arguments();
    let (path, suffix) = match arguments {
        [path] => (&path.arg.value, None),
        [path, suffix] if name == "basename" => {
            (&path.arg.value, Some(suffix.arg.value.as_known()?.to_owned()))
        }
        _ => return None,
    };
    if path.as_known().is_some_and(|text| text.starts_with('-')) {
        return None;
    }
    let part = path.map(|text| {
        let trimmed = text.trim_end_matches('/');
        if trimmed.is_empty() {
            return if text.is_empty() && name == "dirname" {
                ".".to_owned()
            } else {
                text.chars().take(1).collect()
            };
        }
        if name == "basename" {
            let base = trimmed.rsplit('/').next().unwrap_or(trimmed);
            match &suffix {
                Some(suffix) if base != suffix => {
                    base.strip_suffix(suffix.as_str()).unwrap_or(base).to_owned()
                }
                _ => base.to_owned(),
            }
        } else {
            match trimmed.rsplit_once('/') {
                Some((dir, _)) if dir.trim_end_matches('/').is_empty() => "/".to_owned(),
                Some((dir, _)) => dir.trim_end_matches('/').to_owned(),
                None => ".".to_owned(),
            }
        }
    });
    Some(part.concat(&newline()))
}

fn sequence(call: &Call) -> Option<Value> {
    let numbers = call.texts()?.iter().map(|text| text.parse::<i64>().ok()).collect::<Option<Vec<_>>>()?;
    let (first, step, last) = match numbers.as_slice() {
        [last] => (1, 1, *last),
        [first, last] => (*first, 1, *last),
        [first, step, last] if *step != 0 => (*first, *step, *last),
        _ => return None,
    };
    let mut text = String::new();
    let mut n = first;
    for _ in 0..4096 {
        if (step > 0 && n > last) || (step < 0 && n < last) {
            return Some(Value::Known(text));
        }
        text.push_str(&format!("{n}\n"));
        n = n.checked_add(step)?;
    }
    None
}

fn translate(text: &Value, options: &[&str], operands: &[&str]) -> Option<Value> {
    let set = |text: &str| -> Option<Vec<char>> {
        let named = match text {
            "[:upper:]" => "A-Z",
            "[:lower:]" => "a-z",
            "[:digit:]" => "0-9",
            "[:space:]" => " \t\n\r",
            other if other.contains("[:") => return None,
            other => other,
        };
        let chars = decode_escapes(named).chars().collect::<Vec<_>>();
        let mut all = Vec::new();
        let mut at = 0;
        while let Some(&c) = chars.get(at) {
            match (chars.get(at + 1), chars.get(at + 2)) {
                (Some('-'), Some(&end)) if c <= end => {
                    all.extend(c..=end);
                    at += 3;
                }
                _ => {
                    all.push(c);
                    at += 1;
                }
            }
        }
        Some(all)
    };
    match (options, operands) {
        (["-d"], [from]) => {
            let from = set(from)?;
            Some(text.map(|text| text.chars().filter(|c| !from.contains(c)).collect()))
        }
        ([], [from, to]) => {
            let (from, to) = (set(from)?, set(to)?);
            let last = *to.last()?;
            Some(text.map(|text| {
                text.chars()
                    .map(|c| match from.iter().rposition(|f| *f == c) {
                        Some(at) => to.get(at).copied().unwrap_or(last),
                        None => c,
                    })
                    .collect()
            }))
        }
        _ => None,
    }
}

/// `s/plain text/replacement/g`.
struct Substitution {
    from: String,
    to: String,
    all: bool,
}

impl Substitution {
    fn read(script: &str) -> Option<Self> {
        let rest = script.strip_prefix('s')?;
        let separator = rest.chars().next()?;
        let mut parts = rest.strip_prefix(separator)?.split(separator);
        let (from, to, flags) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() || from.is_empty() || !matches!(flags, "" | "g") {
            return None;
        }
        if from.contains(['.', '*', '[', ']', '^', '$', '\\']) || to.contains(['&', '\\']) {
            return None;
        }
        Some(Self { from: from.to_owned(), to: to.to_owned(), all: flags == "g" })
    }

    fn apply(&self, line: &str) -> String {
        if self.all { line.replace(&self.from, &self.to) } else { line.replacen(&self.from, &self.to, 1) }
    }
}
