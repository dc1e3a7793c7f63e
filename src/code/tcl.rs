//! Tcl scripts: commands that delete, write or run; everything else is taken to be harmless.

use crate::model::Value;

use super::effect::CodeEffect;

/// How deep scripts stand in scripts (`if`, `foreach`, `[…]`).
const DEPTH: usize = 12;

/// What a Tcl script does.
pub(super) fn analyse(text: &str, arguments: &[Value]) -> Vec<CodeEffect> {
    let mut reader =
        Reader { effects: Vec::new(), variables: vec![("argv".to_owned(), one_of(arguments))], work: 20_000 };
    reader.script(text, 0);
    reader.effects
}

fn one_of(values: &[Value]) -> Value {
    values.iter().cloned().reduce(|a, b| a.join(&b)).unwrap_or(Value::Unknown)
}

struct Reader {
    effects: Vec<CodeEffect>,
    variables: Vec<(String, Value)>,
    work: usize,
}

/// A word of a command: its value, and its text when it is braced.
struct Word {
    value: Value,
    body: String,
}

impl Reader {
    fn script(&mut self, text: &str, depth: usize) {
        if depth > DEPTH {
            self.effects.push(CodeEffect::Unknown { reason: "scripts nested too deep".to_owned() });
            return;
        }
        let chars = text.chars().collect::<Vec<_>>();
        let mut at = 0;
        while at < chars.len() {
            let Some(left) = self.work.checked_sub(1) else { return };
            self.work = left;
            let mut words = Vec::new();
            while let Some(&c) = chars.get(at) {
                match c {
                    '\n' | ';' => {
                        at += 1;
                        break;
                    }
                    '#' if words.is_empty() => {
                        while chars.get(at).is_some_and(|c| *c != '\n') {
                            at += 1;
                        }
                    }
                    '\\' if chars.get(at + 1) == Some(&'\n') => at += 2,
                    _ if c.is_whitespace() => at += 1,
                    _ => words.push(self.word(&chars, &mut at, depth)),
                }
            }
            self.command(&words, depth);
        }
    }

    fn word(&mut self, chars: &[char], at: &mut usize, depth: usize) -> Word {
        match chars.get(*at) {
            Some('{') => {
                let body = balanced(chars, at, '{', '}');
                // `{*}` expands the word behind it.
                if body == "*" && chars.get(*at).is_some_and(|c| !c.is_whitespace()) {
                    return self.word(chars, at, depth);
                }
                Word { value: Value::known(body.clone()), body }
            }
            Some('"') => {
                *at += 1;
                let value = self.substituted(chars, at, depth, |c| c == '"');
                *at += 1;
                Word { body: value.display(), value }
            }
            _ => {
                let value = self.substituted(chars, at, depth, |c| c.is_whitespace() || c == ';');
                Word { body: value.display(), value }
            }
        }
    }

    fn substituted(
        &mut self,
        chars: &[char],
        at: &mut usize,
        depth: usize,
        ends: impl Fn(char) -> bool,
    ) -> Value {
        let mut value = Value::known("");
        while let Some(&c) = chars.get(*at) {
            if ends(c) {
                break;
            }
            let next = match c {
                '[' => {
                    let inner = balanced(chars, at, '[', ']');
                    self.script(&inner, depth + 1);
                    self.result(&inner)
                }
                '$' => {
                    *at += 1;
                    let name = if chars.get(*at) == Some(&'{') {
                        balanced(chars, at, '{', '}')
                    } else {
                        let start = *at;
                        while chars.get(*at).is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | ':')) {
                            *at += 1;
                        }
                        chars[start..*at].iter().collect()
                    };
                    self.variable(&name)
                }
                '\\' => {
                    *at += 2;
                    Value::known(chars.get(*at - 1).map_or(String::new(), char::to_string))
                }
                other => {
                    *at += 1;
                    Value::known(other.to_string())
                }
            };
            value = value.concat(&next);
        }
        value
    }

    fn variable(&self, name: &str) -> Value {
        self.variables
            .iter()
            .rev()
            .find(|(known, _)| known == name)
            .map_or(Value::Unknown, |(_, value)| value.clone())
    }

    /// What a bracketed command gives, for the few that name files.
    fn result(&self, command: &str) -> Value {
        let words = command.split_whitespace().collect::<Vec<_>>();
        match words.as_slice() {
            ["glob", .., pattern] if !pattern.contains('$') => {
                let first = pattern.find(['*', '?', '[', '{']).unwrap_or(pattern.len());
                Value::Affix { prefix: pattern[..first].to_owned(), suffix: String::new() }
            }
            ["file", "join", parts @ ..] if parts.iter().all(|part| !part.contains(['$', '['])) => {
                Value::known(parts.join("/"))
            }
            ["list", only] if !only.contains(['$', '[']) => Value::known(*only),
            _ => Value::Unknown,
        }
    }

    fn command(&mut self, words: &[Word], depth: usize) {
        let Some((first, rest)) = words.split_first() else { return };
        let Some(name) = first.value.as_known() else {
            self.effects
                .push(CodeEffect::Unknown { reason: "a Tcl command that is chosen at run time".to_owned() });
            return;
        };
        let values = |from: usize| {
            rest.get(from..).unwrap_or_default().iter().map(|w| w.value.clone()).collect::<Vec<_>>()
        };
        let word = |at: usize| rest.get(at).and_then(|w| w.value.as_known());
        match name.trim_start_matches("::") {
            "file" => match word(0) {
                Some("delete") => {
                    let force = word(1) == Some("-force");
                    for path in
                        values(1).into_iter().filter(|v| !matches!(v.as_known(), Some("-force" | "--")))
                    {
                        self.effects.push(CodeEffect::Delete { path, glob: false, recursive: force });
                    }
                }
                Some(what @ ("rename" | "copy")) => {
                    let mut paths = values(1);
                    paths.retain(|v| !matches!(v.as_known(), Some("-force" | "--")));
                    if let Some(to) = paths.pop() {
                        for from in paths {
                            let to = to.clone();
                            self.effects.push(if what == "rename" {
                                CodeEffect::Rename { from, to }
                            } else {
                                CodeEffect::Copy { from, to }
                            });
                        }
                    }
                }
                _ => {}
            },
            "exec" | "spawn" | "system" => {
                let mut argv = values(0);
                while argv.first().and_then(Value::as_known).is_some_and(|w| w.starts_with('-')) {
                    argv.remove(0);
                }
                // Redirections and pipes among the words are as in a shell.
                let known = argv.iter().map(|v| v.as_known()).collect::<Option<Vec<_>>>();
                let shell =
                    argv.iter().any(|v| v.as_known().is_some_and(|w| w.starts_with(['|', '>', '<', '&'])));
                self.effects.push(match known {
                    Some(known) if shell => CodeEffect::Shell { text: Value::known(known.join(" ")) },
                    _ if shell => CodeEffect::Shell { text: Value::Unknown },
                    _ => CodeEffect::Run { argv },
                });
            }
            "open" => {
                let path = rest.first().map_or(Value::Unknown, |w| w.value.clone());
                if let Some(command) = path.as_known().and_then(|p| p.strip_prefix('|')) {
                    self.effects.push(CodeEffect::Shell { text: Value::known(command.trim()) });
                    return;
                }
                match word(1) {
                    Some(mode) if mode.starts_with('w') || mode.contains("TRUNC") => {
                        self.effects.push(CodeEffect::Overwrite { path });
                    }
                    Some(mode) if mode.starts_with('a') => self.effects.push(CodeEffect::Append { path }),
                    Some(mode) if mode.contains('+') => self.effects.push(CodeEffect::Update { path }),
                    _ => {}
                }
            }
            "cd" => {
                if let Some(path) = rest.first() {
                    self.effects.push(CodeEffect::ChangeDirectory { path: path.value.clone() });
                }
            }
            "set" | "variable" => {
                if let (Some(name), Some(value)) = (word(0), rest.get(1)) {
                    let known = self.variables.iter().position(|(known, _)| known == name);
                    let value = value.value.clone();
                    match known {
                        Some(at) if depth > 0 => self.variables[at].1 = self.variables[at].1.join(&value),
                        Some(at) => self.variables[at].1 = value,
                        None => self.variables.push((name.to_owned(), value)),
                    }
                }
            }
            "foreach" => {
                if let (Some(name), Some(list), Some(body)) = (word(0), rest.get(1), rest.last()) {
                    let values = match list.value.as_known() {
                        Some(text) => text.split_whitespace().take(64).map(Value::known).collect(),
                        None => vec![list.value.clone()],
                    };
                    for value in values {
                        self.variables.push((name.to_owned(), value));
                        self.script(&body.body, depth + 1);
                        self.variables.pop();
                    }
                }
            }
            "eval" | "uplevel" => match rest {
                [only] if only.value.as_known().is_some() => self.script(&only.body, depth + 1),
                _ => {
                    let known = rest.iter().map(|w| w.value.as_known()).collect::<Option<Vec<_>>>();
                    match known {
                        Some(words) => self.script(&words.join(" "), depth + 1),
                        None => {
                            self.effects.push(CodeEffect::Unknown {
                                reason: "Tcl code that is made at run time".to_owned(),
                            });
                        }
                    }
                }
            },
            "if" | "while" | "for" | "catch" | "try" | "switch" | "proc" | "namespace" | "after" | "expr"
            | "dict" => {
                for word in rest {
                    let body = word.body.trim_start();
                    if body.starts_with(|c: char| !c.is_alphabetic() && c != ':') {
                        // A condition: only the commands in it run.
                        let chars = body.chars().collect::<Vec<_>>();
                        if depth < DEPTH {
                            self.substituted(&chars, &mut 0, depth + 1, |_| false);
                        }
                    } else if body.contains([' ', '\n']) {
                        self.script(&word.body, depth + 1);
                    }
                }
            }
            "source" | "load" => {
                self.effects.push(CodeEffect::Unknown { reason: "another Tcl file is run".to_owned() })
            }
            "exit" if depth == 0 => self.work = 0,
            _ => {}
        }
    }
}

/// The text between two brackets; the place is moved behind the closing one.
fn balanced(chars: &[char], at: &mut usize, open: char, close: char) -> String {
    let start = *at + 1;
    let mut level = 0;
    while let Some(&c) = chars.get(*at) {
        *at += 1;
        if c == '\\' {
            *at += 1;
        } else if c == open {
            level += 1;
        } else if c == close {
            level -= 1;
            if level == 0 {
                return chars[start..*at - 1].iter().collect();
            }
        }
    }
    *at = chars.len();
    chars.get(start..).unwrap_or_default().iter().collect()
}

#[cfg(test)]
mod tests {
    use crate::code::interpret::tests::show;

    #[test]
    fn scripts() {
        for (script, expected) in [
            ("file delete notes.md", "rm notes.md"),
            ("file delete -force -- d e", "rm -r d; rm -r e"),
            ("set f a; file delete $f.txt", "rm a.txt"),
            ("foreach f {a b} { file delete $f }", "rm a; rm b"),
            ("foreach f [glob *.o] { file delete $f }", "rm …"),
            ("file delete {*}[glob d/*.o]", "rm d/…"),
            ("if {[file exists a]} { file delete a }", "rm a"),
            ("exec rm -rf d", "run rm -rf d"),
            ("exec echo x > a", "sh echo x > a"),
            ("puts [exec ls]", "run ls"),
            ("set f [open a w]; puts $f x; close $f", "> a"),
            ("open a; open b r; open c a; open {|sh} w", ">> c; sh sh"),
            ("file rename a b; file copy -force c d", "mv a b; cp c d"),
            ("eval {file delete a}", "rm a"),
            ("eval \"file delete a\"", "rm a"),
            ("puts {file delete a}; # file delete b", ""),
            ("puts \"hello [expr {1 + 2}]\"; exit; file delete a", ""),
            ("proc f {x} { return [string toupper $x] }; puts [f a]", ""),
        ] {
            assert_eq!(show("tcl", script, &[]), expected, "{script}");
        }
    }
}
