//! What lines of a start-up file plainly do: run a shell, write or delete a file that they name. The rest of the file is not told.

use std::rc::Rc;

use crate::code::effect::CodeEffect;
use crate::model::Value;
use crate::wildcard::fits;
use crate::yaml::Node;

use super::{Plain, languages};

/// Commands in each other.
const DEPTH: usize = 4;

/// What is listed of a text's lines, in order; nothing of what they may do besides.
pub(in crate::code) fn told(language: &str, text: &str) -> Vec<CodeEffect> {
    let mut effects = Vec::new();
    let Some(plain) = languages().get(language) else { return effects };
    if !plain.argv.is_empty() {
        return of_tree(plain, text);
    }
    if !plain.settings.is_empty() {
        of_settings(plain, text, &mut effects);
        return effects;
    }
    let mut inside: Vec<&str> = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        // What is only defined does not run by that.
        if inside.last().is_some_and(|end| line.starts_with(end)) {
            inside.pop();
            continue;
        }
        match block(plain, line) {
            Some(end) => inside.push(end),
            None if inside.is_empty() => of_line(plain, line, 0, &mut effects),
            None => {}
        }
    }
    effects
}

/// The settings of a file that is divided by `[section]`: `name = value` or `name: value`, in several lines where those that
/// follow are indented. Programs differ in what an indented line is, so it counts as a setting, too.
fn of_settings(plain: &Plain, text: &str, effects: &mut Vec<CodeEffect>) {
    // A service runs where it says, and else where such services do.
    let place = plain.settings.values().find_map(|act| act.strip_prefix("service "));
    if let Some(place) = place {
        let said = text.lines().rev().find_map(|line| line.trim().strip_prefix("WorkingDirectory="));
        let place = said.map_or(place, |said| said.trim().trim_start_matches('-'));
        let path = Value::Known(place.replace("%h", "~"));
        effects.push(CodeEffect::ChangeDirectory { path });
    }
    let mut section = "";
    let mut open: Vec<(&str, String)> = Vec::new();
    for line in text.lines() {
        let said = line.trim();
        if said.is_empty() || said.starts_with(['#', ';']) {
            continue;
        }
        if line.starts_with(char::is_whitespace) {
            open.iter_mut().for_each(|(_, value)| *value = format!("{value} {said}"));
        } else {
            open.drain(..).for_each(|(act, value)| does(plain, act, value.trim(), 0, effects));
        }
        if let Some(name) = said.strip_prefix('[') {
            section = name.split(']').next().unwrap_or(name).trim();
            continue;
        }
        open.extend(['=', ':'].iter().filter_map(|sign| {
            let (name, value) = said.split_once(*sign)?;
            let path = format!("{section}.{}", name.trim()).to_ascii_lowercase();
            let (_, act) = plain.settings.iter().find(|(pattern, _)| fits(pattern, &path))?;
            Some((act.as_str(), value.trim().to_owned()))
        }));
    }
    open.into_iter().for_each(|(act, value)| does(plain, act, value.trim(), 0, effects));
}

/// The commands of a YAML file. One that is not read may hold any.
fn of_tree(plain: &Plain, text: &str) -> Vec<CodeEffect> {
    let documents = match crate::yaml::documents(text) {
        Ok(documents) => documents,
        Err(error) => {
            return vec![CodeEffect::Unknown { reason: format!("settings that name programs: {error}") }];
        }
    };
    let below = |node: &Rc<Node>, key: &str| -> Vec<Rc<Node>> {
        let items = node.items();
        let nodes = if items.is_empty() { std::slice::from_ref(node) } else { items };
        nodes.iter().filter_map(|node| node.get(key).cloned()).collect()
    };
    let told = |(root, said): (&Rc<Node>, &String)| {
        let mut words = said.split(' ');
        let start = vec![Rc::clone(root)];
        let ends = words
            .next()
            .unwrap_or_default()
            .split('.')
            .fold(start, |nodes, key| nodes.iter().flat_map(|node| below(node, key)).collect::<Vec<_>>());
        let keys = [(); 3].map(|()| words.next().unwrap_or_default());
        let each = |node: &Rc<Node>| match node.items() {
            [] => vec![Rc::clone(node)],
            items => items.to_vec(),
        };
        ends.iter().flat_map(each).flat_map(|node| argv(&node, keys)).collect::<Vec<_>>()
    };
    documents.iter().flat_map(|root| plain.argv.iter().map(move |said| (root, said))).flat_map(told).collect()
}

/// What runs by these keys: the program, its arguments, and variables for it.
fn argv(node: &Node, [program, arguments, variables]: [&str; 3]) -> Vec<CodeEffect> {
    let text = |node: &Rc<Node>| node.text().map(Value::known);
    let any = |node: &Rc<Node>| text(node).unwrap_or(Value::Unknown);
    let items = |key: &str| node.get(key).map(|list| list.items().to_vec()).unwrap_or_default();
    let Some(program) = node.get(program).and_then(text) else { return Vec::new() };
    let set = |pair: &Rc<Node>| {
        let (name, value) = (text(pair.get("name")?)?, text(pair.get("value")?)?);
        Some(CodeEffect::SetVariable { name, value })
    };
    let mut effects: Vec<CodeEffect> = items(variables).iter().filter_map(set).collect();
    let arguments = items(arguments);
    let argv = std::iter::once(program).chain(arguments.iter().map(any)).collect();
    effects.push(CodeEffect::Run { argv });
    effects
}

/// What closes the block that a line opens.
fn block<'p>(plain: &'p Plain, line: &str) -> Option<&'p str> {
    let opens = |start: &str| {
        line.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '!']))
    };
    plain.blocks.iter().find(|(start, _)| opens(start)).map(|(_, end)| end.as_str())
}

fn of_line(plain: &Plain, line: &str, depth: usize, effects: &mut Vec<CodeEffect>) {
    let mut rest = line;
    if rest.is_empty() || !plain.remark.is_empty() && rest.starts_with(&plain.remark) || depth > DEPTH {
        return;
    }
    while let Some(behind) = plain.lead.iter().find_map(|lead| rest.strip_prefix(lead.as_str())) {
        rest = behind.trim_start();
    }
    // The longest beginning counts.
    let begins =
        plain.begins.iter().filter(|(start, _)| starts(rest, start)).max_by_key(|(start, _)| start.len());
    if let Some((start, act)) = begins {
        let (act, rest) = match act.strip_prefix("whole ") {
            Some(act) => (act, rest),
            None => (act.as_str(), rest[start.len()..].trim()),
        };
        return does(plain, act, rest, depth, effects);
    }
    let mut any = false;
    for (call, act) in &plain.within {
        for (at, _) in rest.match_indices(call.as_str()) {
            let alone =
                !rest[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '#' | '.'));
            if let Some(text) = literal(&rest[at + call.len()..]).filter(|_| alone) {
                any = true;
                does(plain, act, text, depth, effects);
            }
        }
    }
    if !any && !plain.otherwise.is_empty() {
        does(plain, &plain.otherwise, rest, depth, effects);
    }
}

/// Whether a line begins with a command: a word of letters ends where it does.
fn starts(line: &str, start: &str) -> bool {
    line.strip_prefix(start).is_some_and(|rest| {
        !start.ends_with(|c: char| c.is_alphanumeric())
            || rest.is_empty()
            || rest.starts_with(char::is_whitespace)
    })
}

/// The only argument, or the first, where it is a plain text in quotes.
fn literal(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (inner, behind) = text[1..].split_once(quote)?;
    (behind.trim_start().starts_with([')', ',']) && !inner.contains('\\')).then_some(inner)
}

fn does(plain: &Plain, act: &str, rest: &str, depth: usize, effects: &mut Vec<CodeEffect>) {
    if rest.is_empty() {
        return;
    }
    match act {
        "shell" => effects.push(CodeEffect::Shell { text: Value::known(rest) }),
        "overwrite" => {
            let path = rest.trim_matches(['"', '\'']);
            if !path.starts_with(['|', '-']) && !matches!(path, "stdout" | "stderr" | "off" | "on") {
                effects.push(CodeEffect::Overwrite { path: Value::known(path) });
            }
        }
        "delete" => {
            effects.push(CodeEffect::Delete { path: Value::known(rest), glob: false, recursive: false });
        }
        // The first word that is no option is a shell's, what stands behind it are commands like this one.
        "words" => {
            let Ok(words) = shell_words::split(rest) else { return };
            let mut words = words.into_iter().skip_while(|word| word.starts_with('-'));
            if let Some(text) = words.next() {
                effects.push(CodeEffect::Shell { text: Value::Known(text) });
            }
            for command in words {
                of_line(plain, command.trim_matches(['{', '}']).trim(), depth + 1, effects);
            }
        }
        "command" => of_line(plain, rest, depth + 1, effects),
        // A command of a service: signs in front say how it runs, and a percent sign stands for what is known of it.
        service if service.starts_with("service ") => {
            let text =
                rest.trim_start_matches(['@', '-', ':', '+', '!', '|']).replace("%h", "~").replace("%%", "%");
            effects.push(CodeEffect::Shell { text: Value::Known(text) });
        }
        "" => {}
        language => {
            let known = |effect: &CodeEffect| {
                !matches!(effect, CodeEffect::Unknown { .. } | CodeEffect::Waits { .. })
            };
            effects.extend(crate::code::analyse(language, rest, &[]).into_iter().filter(known));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(language: &str, text: &str) -> Vec<String> {
        let show = |effect: CodeEffect| match effect {
            CodeEffect::Shell { text } => format!("sh {}", text.display()),
            CodeEffect::Overwrite { path } => format!("> {}", path.display()),
            CodeEffect::Delete { path, .. } => format!("rm {}", path.display()),
            other => format!("{other:?}"),
        };
        told(language, text).into_iter().map(show).collect()
    }

    #[test]
    fn commands_in_settings_are_told() {
        for config in [
            "[profile a]\nregion = x\ncredential_process = rm a\n# credential_process = rm b",
            "[a] # mine\ncredential_process=rm a",
            "[a]\nCredential_Process: rm a",
            "[a]\ncredential_process =\n  rm a",
            "[a]\n  credential_process = rm\n   a",
        ] {
            assert_eq!(of("awsconfig", config), ["sh rm a"], "{config}");
        }
        let hooks = "[ui]\nusername = rm\n[hooks] ; mine\ncommit.x:y = rm a\n[alias]\nx = rm b";
        assert!(of("hgrc", hooks).contains(&"sh rm a".to_owned()) && of("hgrc", hooks).len() <= 2);
        let users = "users:\n- name: a\n  user:\n    token: x\n- name: b\n  user:\n    exec:\n      command: rm\n      args: [-rf, a]\n";
        assert_eq!(of("kubeconfig", users), [r#"Run { argv: [Known("rm"), Known("-rf"), Known("a")] }"#]);
        let hooks = "repos:\n- repo: local\n  hooks:\n  - id: x\n    entry: rm -f a\n  - id: y\n    entry: ls\n    args: [-l]\n";
        assert_eq!(of("precommit", hooks).len(), 2, "{:?}", of("precommit", hooks));
        assert!(of("kubeconfig", "users: []\nusers: []")[0].starts_with("Unknown"), "which one counts");
        let far = format!("{}\\! rm a", "\n".repeat(20_000));
        assert_eq!(of("psqlrc", &far), ["sh rm a"], "however far down");
        let unit = "[Unit]\nDescription=x\n[Service]\nType=oneshot\nExecStartPre=-/bin/mkdir -p %h/x\nExecStart=/bin/rm -rf %h/d\n";
        assert_eq!(of("unit-of-user", unit)[1..], ["sh /bin/mkdir -p ~/x", "sh /bin/rm -rf ~/d"]);
        assert!(of("unit", unit)[0].contains("/\""), "{:?}", of("unit", unit));
        assert_eq!(of("psqlrc", "\\set QUIET on\n\\! rm a\n-- \\! rm b"), ["sh rm a"]);
        assert_eq!(of("rprofile", "options(a = 1)\nsystem('rm a'); unlink(\"b\")"), ["sh rm a", "rm b"]);
    }

    #[test]
    fn lines_that_run_a_shell_are_told() {
        assert_eq!(of("gdb", "set confirm off\nshell rm a\n!rm b\n# shell rm c"), ["sh rm a", "sh rm b"]);
        assert_eq!(
            of("vim", "silent! !rm a\ncall delete('b')\nlet x = system(\"rm c\")"),
            ["sh rm a", "rm b", "sh rm c"]
        );
        assert_eq!(of("sqliterc", ".headers on\n.shell rm a\n.output b\n.once stdout"), ["sh rm a", "> b"]);
        assert_eq!(
            of("tmux", "set -g mouse on\nrun-shell -b \"rm a\"\nif \"test b\" 'run \"rm c\"'"),
            ["sh rm a", "sh test b", "sh rm c"]
        );
        assert_eq!(
            of("pdbrc", "alias pi p %1\n!import os; os.unlink('a')\nimport os;os.unlink('b')"),
            ["rm a", "rm b"]
        );
        assert_eq!(of("pth", "/usr/lib\nimport os; os.unlink('a')"), ["rm a"]);
        assert_eq!(of("lldb", "platform shell rm a\nsettings set x y"), ["sh rm a"]);
    }

    #[test]
    fn what_is_defined_or_bound_does_not_run() {
        assert_eq!(of("gdb", "define x\nif 1\nshell rm a\nend\nshell rm b\nend"), [""; 0]);
        let vim = "function! s:Clean()\n  call delete('a')\nendfunction\nnnoremap x :!rm %<CR>\n\" call delete('a')\ncall delete(expand('%'))";
        assert_eq!(of("vim", vim), [""; 0]);
        assert_eq!(of("tmux", "bind r run-shell 'rm a'\nset -g status-right '#(date)'"), [""; 0]);
    }
}
