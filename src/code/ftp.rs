//! Commands of sftp and ftp clients: looking and fetching; what changes the server is unknown.

use crate::model::Value;

use super::effect::CodeEffect;

/// Commands that only look, move about or set how files are sent.
const LOOKS: [&str; 37] = [
    "ls",
    "dir",
    "nlist",
    "mls",
    "cd",
    "cdup",
    "pwd",
    "lpwd",
    "lls",
    "lumask",
    "version",
    "help",
    "?",
    "bye",
    "quit",
    "exit",
    "close",
    "disconnect",
    "open",
    "user",
    "ascii",
    "binary",
    "bin",
    "passive",
    "prompt",
    "progress",
    "verbose",
    "hash",
    "status",
    "system",
    "df",
    "size",
    "modtime",
    "type",
    "cat",
    "mkdir",
    "lmkdir",
];

/// What a batch of commands does here.
pub(super) fn analyse(text: &str) -> Vec<CodeEffect> {
    let mut effects = Vec::new();
    for line in text.lines() {
        // `-` before a command: go on when it fails; `@`: do not show it.
        let line = line.trim().trim_start_matches(['-', '@']).trim_start();
        if let Some(shell) = line.strip_prefix('!') {
            if !shell.trim().is_empty() {
                effects.push(CodeEffect::Shell { text: Value::known(shell.trim()) });
            }
            continue;
        }
        if !line.starts_with('#') {
            // Some clients have several commands on a line.
            line.split([';', '|', '&']).for_each(|command| one(command, &mut effects));
        }
    }
    effects
}

fn one(command: &str, effects: &mut Vec<CodeEffect>) {
    let mut words = command.split_whitespace();
    let Some(verb) = words.next() else { return };
    let (options, plain): (Vec<&str>, Vec<&str>) = words.partition(|word| word.starts_with('-'));
    let strange = command.contains(['"', '\'', '\\', '>', '`', '$', '!']);
    match verb {
        "lcd" if !strange => {
            let path = plain.first().map_or(Value::Unknown, |path| Value::known(*path));
            effects.push(CodeEffect::ChangeDirectory { path });
        }
        // Old clients keep a listing in the file that the second word names.
        "ls" | "dir" | "nlist" | "mls" if !strange && plain.len() > 1 => {
            effects.push(CodeEffect::Overwrite {
                path: plain.last().map_or(Value::Unknown, |path| Value::known(*path)),
            });
        }
        "open" if !options.is_empty() => effects.push(unknown(verb)),
        verb if LOOKS.contains(&verb) && !strange => {}
        "get" | "recv" | "reget" => {
            let odd = strange || command.contains(['*', '?', '[']);
            let sets =
                options.iter().any(|option| !matches!(*option, "-a" | "-f" | "-p" | "-P" | "-r" | "-R"));
            let path = match plain.as_slice() {
                [remote, rest @ ..] if !odd && !sets && rest.len() < 2 => {
                    fetched(remote, rest.first().copied())
                }
                _ => Value::Unknown,
            };
            effects.push(CodeEffect::Overwrite { path });
        }
        _ => effects.push(unknown(verb)),
    }
}

/// Where a fetched file lands.
fn fetched(remote: &str, local: Option<&str>) -> Value {
    let name = remote.rsplit('/').next().unwrap_or(remote);
    match local {
        Some(directory) if directory.ends_with('/') => Value::Known(format!("{directory}{name}")),
        Some(file) => Value::known(file),
        None => Value::known(name),
    }
}

fn unknown(verb: &str) -> CodeEffect {
    CodeEffect::Unknown { reason: format!("`{verb}` may change or remove what is on the server") }
}

#[cfg(test)]
mod tests {
    use crate::code::interpret::tests::show;

    #[test]
    fn looking_and_fetching_are_told_from_changing() {
        for (script, expected) in [
            ("ls -l\ncd /srv\npwd\nbye", ""),
            ("cd /srv\nget logs/x.log\nbye", "> x.log"),
            ("get x a/b", "> a/b"),
            ("!rm -f x", "sh rm -f x"),
        ] {
            assert_eq!(show("ftp", script, &[]), expected, "{script}");
        }
        for script in ["rm x", "-rm x", "put a", "rename a b", "open h; rm -r x", "ls && mrm x", "ls `rm x`"]
        {
            let told = show("ftp", script, &[]);
            assert!(told.contains("unknown"), "{script}: {told}");
        }
        assert_ne!(show("ftp", "get *.log", &[]), "");
    }
}
