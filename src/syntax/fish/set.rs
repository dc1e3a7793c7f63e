//! `set`: what a variable holds afterwards.

use super::{Reader, is_name};

/// Variables that fish itself sets, or that stand for something else.
const ITS_OWN: &str = "argv CMD_DURATION COLUMNS fish_pid history hostname last_pid LINES pipestatus PWD SHLVL status \
    status_generation umask version _";

/// Commands that do more than their words say.
pub(super) const MORE: &str = "string bind abbr complete";

impl Reader {
    /// `set name words…`: the substitutions run, and the variable holds one plain word, or is not known any more. Whether it
    /// is set beyond a block or function depends on where it was before: there nothing is known of it. `top`: within no
    /// substitution; `outside`: within no block.
    pub(super) fn set(&mut self, out: &mut String, top: bool, outside: bool) {
        let words = self.words();
        let asks = words.iter().any(|w| {
            w.starts_with("--") && matches!(w.as_str(), "--query" | "--names" | "--show")
                || w.starts_with('-') && !w.starts_with("--") && w.contains(['q', 'n', 'S'])
        });
        let mut rest = words.iter().skip_while(|word| word.starts_with('-'));
        let told = rest.next().map(String::as_str).unwrap_or_default();
        let name = told.split('[').next().unwrap_or_default();
        let values: Vec<&str> = rest.map(String::as_str).collect();
        let command = values.iter().fold(":".to_owned(), |text, word| text + " " + word);
        if asks || !is_name(name) {
            out.push_str(&command);
            return;
        }
        // What is set universally is kept in a file, in which the value of before stands no longer.
        let universally = |word: &&String| {
            *word == "--universal" || word.starts_with('-') && !word.starts_with("--") && word.contains('U')
        };
        if words.iter().take_while(|word| word.starts_with('-')).any(|word| universally(&word)) {
            out.push_str(&format!("__fish_universal {name}; "));
        }
        if !top && !self.changed.iter().any(|known| known == name) {
            self.changed.push(name.to_owned());
        }
        let its_own = ITS_OWN.split_whitespace().any(|own| own == name);
        let alone = top && outside && name == told && values.len() == 1 && !its_own;
        let plain = values.first().filter(|word| alone && is_plain(word)).filter(|_| only_sets(&words));
        // It is set in fish itself also where it stands in a pipeline or in the background.
        if matches!(self.next(0), Some('|' | '&')) && self.next(1) != self.next(0) {
            out.push_str(&format!("{name}=${{__recourse_unknown}}; {command}"));
            return;
        }
        let value = plain.map_or("${__recourse_unknown}", |word| unquoted(word));
        out.push_str(&format!("{command}; {name}={value}"));
        // fish calls the function that it names, at once.
        if name == "fish_key_bindings"
            && let [bindings] = values.as_slice()
        {
            out.push_str(&format!("; {bindings}"));
        }
    }
}

impl Reader {
    /// Whether this word comes next.
    pub(super) fn follows(&self, word: &str) -> bool {
        let rest = self.chars[self.at..].iter().skip_while(|c| **c == ' ');
        let mut rest = rest.copied();
        word.chars().all(|c| rest.next() == Some(c)) && rest.next() == Some(' ')
    }

    /// The words of the command at hand, which is read again by whoever asked.
    fn ahead(&mut self) -> Vec<String> {
        let (at, changed) = (self.at, self.changed.len());
        let words = self.words();
        self.changed.truncate(changed);
        self.at = at;
        words
    }

    /// What a command does besides what its words say.
    pub(super) fn besides(&mut self, name: &str, out: &mut String) {
        match name {
            "string" => self.captures(),
            "bind" => self.binds(out),
            "complete" => self.completes(out),
            _ => self.expands(out),
        }
    }

    /// `string match -r '(?<name>…)'` sets what it names.
    fn captures(&mut self) {
        let names: Vec<String> = self
            .ahead()
            .iter()
            .flat_map(|word| word.split("(?<").skip(1))
            .filter_map(|rest| rest.split_once('>'))
            .map(|(name, _)| name.to_owned())
            .filter(|name| is_name(name))
            .collect();
        self.changed.extend(names);
    }

    /// `bind KEY COMMAND`: fish runs it when the key is pressed, and what it puts onto the line may be executed with it.
    fn binds(&mut self, out: &mut String) {
        let words = self.ahead();
        let erases = words.iter().any(|word| matches!(word.as_str(), "-e" | "--erase"));
        let commands = words.iter().filter(|word| !word.starts_with('-')).skip(1);
        let commands: Vec<String> = commands.map(|word| meant(word)).collect();
        for command in commands.into_iter().filter(|_| !erases) {
            let line = executed(&command);
            self.later(Some(command), out);
            for text in line {
                self.later(Some(text), out);
            }
        }
    }

    /// `complete -a '(command)' -n command`: fish runs them when a word is completed.
    fn completes(&mut self, out: &mut String) {
        let words = self.ahead();
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            let (letter, joined) = match word.split_once('=') {
                Some(("--arguments", text)) => ('a', Some(text)),
                Some(("--condition", text)) => ('n', Some(text)),
                _ => match word.as_str() {
                    "--arguments" => ('a', None),
                    "--condition" => ('n', None),
                    short if short.starts_with('-') && !short.starts_with("--") => {
                        let Some(at) = short.find(['a', 'n']) else { continue };
                        let text = &short[at + 1..];
                        let letter = if short[at..].starts_with('a') { 'a' } else { 'n' };
                        (letter, Some(text).filter(|text| !text.is_empty()))
                    }
                    _ => continue,
                },
            };
            let Some(text) = joined.map(meant).or_else(|| rest.next().map(|word| meant(word))) else { break };
            let command = if letter == 'a' { format!("echo {text}") } else { text };
            if letter == 'n' || command.contains(['(', '$']) {
                self.later(Some(command), out);
            }
        }
    }

    /// What fish runs by itself, at some time until it ends.
    pub(super) fn later(&mut self, command: Option<String>, out: &mut String) {
        if let Some(command) = command {
            self.handlers.push(super::to_bash(&command));
            let all = self.handlers.join("; ").replace('\'', "'\\''");
            out.push_str(&format!("trap '{all}' EXIT; "));
        }
    }

    /// `abbr --function f`: fish calls it when a line is accepted.
    fn expands(&mut self, out: &mut String) {
        let words = self.ahead();
        let behind = words.windows(2).find(|pair| matches!(pair[0].as_str(), "-f" | "--function"));
        let behind = behind.map(|pair| pair[1].as_str());
        let name = behind.or_else(|| words.iter().find_map(|word| word.strip_prefix("--function=")));
        let name = name.map(str::to_owned);
        self.later(name, out);
    }
}

/// What a command puts onto the line that it then executes: `commandline -r TEXT; commandline -f execute`.
fn executed(command: &str) -> Vec<String> {
    if !command.contains("commandline") || !command.contains("execute") {
        return Vec::new();
    }
    let mut reader = Reader::of(command);
    let mut found = Vec::new();
    while reader.next(0).is_some() {
        let words = reader.words();
        let puts = words.first().is_some_and(|word| word == "commandline")
            && !words.iter().any(|word| word == "-f" || word == "--function");
        found.extend(
            words.iter().skip(1).filter(|word| puts && !word.starts_with('-')).map(|word| meant(word)),
        );
        reader.at += 1;
    }
    found
}

/// The text that a quoted word stands for.
pub(super) fn meant(word: &str) -> String {
    let split = shell_words::split(word).ok();
    match split.as_deref() {
        Some([text]) => text.clone(),
        _ => unquoted(word).to_owned(),
    }
}

/// Options that say where it is set, and no more.
fn only_sets(words: &[String]) -> bool {
    let scope = ["--local", "--global", "--universal", "--function", "--export", "--unexport"];
    words.iter().take_while(|word| word.starts_with('-')).all(|word| {
        scope.contains(&word.as_str())
            || word.len() > 1 && !word.starts_with("--") && word[1..].chars().all(|c| "lgUfxu".contains(c))
    })
}

fn unquoted(word: &str) -> &str {
    let quoted = |quote: char| word.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    quoted('\'').or_else(|| quoted('"')).unwrap_or(word)
}

/// One word in both shells, whatever stands around the variable.
fn is_plain(word: &str) -> bool {
    let word = unquoted(word);
    !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "_./:@%+=,-".contains(c))
}
