//! `set`: what a variable holds afterwards.

use super::{Reader, is_name};

/// Variables that fish itself sets, or that stand for something else.
const ITS_OWN: &str = "argv CMD_DURATION COLUMNS fish_pid history hostname last_pid LINES pipestatus PWD SHLVL status \
    status_generation umask version _";

/// Commands that do more than their words say.
pub(super) const MORE: &str = "string bind abbr";

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

    /// `bind KEY COMMAND`: fish runs it when the key is pressed.
    fn binds(&mut self, out: &mut String) {
        let words = self.ahead();
        let erases = words.iter().any(|word| matches!(word.as_str(), "-e" | "--erase"));
        let commands = words.iter().filter(|word| !word.starts_with('-')).skip(1);
        let commands: Vec<&str> = commands.map(|word| unquoted(word)).collect();
        for command in commands.into_iter().filter(|_| !erases) {
            self.later(Some(command.to_owned()), out);
        }
    }

    /// What fish runs by itself, at some time until it ends.
    pub(super) fn later(&mut self, command: Option<String>, out: &mut String) {
        if let Some(command) = command.filter(|command| !command.contains('\'')) {
            self.handlers.push(command);
            out.push_str(&format!("trap '{}' EXIT; ", self.handlers.join("; ")));
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
