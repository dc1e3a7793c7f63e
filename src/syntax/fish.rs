//! fish's syntax, brought over to what recourse reads.
//!
//! Every command of the text is a command of the result, and every word one of its words; the flow of control keeps its
//! shape. What a variable holds is given up unless it is one plain word: bash would split and index it differently, so it
//! counts as unknown.

mod functions;
mod set;
mod words;

pub(crate) use words::LINES;

/// The text as bash would have to be given it.
pub fn to_bash(text: &str) -> String {
    let mut reader = Reader::of(text);
    let out = reader.list(None);
    // Substitutions run in the shell itself, wherever they stand.
    let unknown = reader.changed.iter().map(|name| format!("{name}=${{__recourse_unknown}}; "));
    unknown.collect::<String>() + &out
}

/// What `end` closes, and what is still to be said of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    Group,
    If { then: bool },
    Loop { r#do: bool },
    Switch { first: bool },
}

struct Reader {
    chars: Vec<char>,
    at: usize,
    /// Variables that hold one word each: named arguments of functions.
    single: Vec<String>,
    /// Functions that fish calls by itself.
    handlers: Vec<String>,
    /// Variables that are set where the result has a shell of its own, or by the way.
    changed: Vec<String>,
}

impl Reader {
    fn of(text: &str) -> Self {
        Self {
            chars: text.chars().collect(),
            at: 0,
            single: Vec::new(),
            handlers: Vec::new(),
            changed: Vec::new(),
        }
    }

    fn next(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn blanks(&mut self, out: &mut String) {
        while let Some(c) = self.next(0) {
            match c {
                ' ' | '\t' | '\r' => out.push(' '),
                '\\' if self.next(1) == Some('\n') => self.at += 1,
                _ => return,
            }
            self.at += 1;
        }
    }

    /// Commands up to `end` (which is stepped over) or the end of the text.
    fn list(&mut self, end: Option<char>) -> String {
        let mut out = String::new();
        let mut open: Vec<Block> = Vec::new();
        let mut command = true;
        loop {
            self.blanks(&mut out);
            let Some(c) = self.next(0) else { break };
            let before = self.at;
            match c {
                _ if Some(c) == end => {
                    self.at += 1;
                    break;
                }
                '#' if out.is_empty() || out.ends_with([' ', '\n', ';', '&', '|']) => {
                    while self.next(0).is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                ';' | '\n' => {
                    self.at += 1;
                    command = true;
                    separate(&mut out, c, open.last_mut());
                    while self.next(0) == Some(' ') {
                        self.at += 1;
                    }
                }
                '&' if self.next(1) == Some('>') => self.redirection(&mut out),
                '&' | '|' => {
                    command = true;
                    self.operator(c, &mut out, open.last_mut());
                }
                '>' | '<' => self.redirection(&mut out),
                _ if command => command = self.command(&mut out, &mut open, end.is_none()),
                _ => {
                    let word = self.word();
                    // A descriptor before a redirection belongs to it.
                    let descriptor = word.chars().all(|c| c.is_ascii_digit()) && self.next(0) == Some('>');
                    if descriptor && self.next(1) == Some('|') {
                        self.at += 2;
                        out.push_str(" |& ");
                        command = true;
                    } else {
                        out.push_str(&word);
                    }
                }
            }
            if self.at == before {
                // A parenthesis that closes nothing: bash cannot read it either, and so it is judged as a gap.
                self.at += 1;
                out.push(c);
            }
        }
        out
    }

    /// A word where a command stands; whether the next one stands there too. `top`: within no substitution.
    fn command(&mut self, out: &mut String, open: &mut Vec<Block>, top: bool) -> bool {
        let mark = self.at;
        let word = self.word();
        match word.as_str() {
            "and" | "or" => {
                while out.ends_with([' ', ';', '\n']) {
                    out.pop();
                }
                // At the beginning, or behind `then`, it joins nothing.
                let joins = !out.is_empty() && !out.ends_with(['{', '(', '&', '|', ':']);
                out.push_str(match (joins, word.as_str()) {
                    (false, _) => " ; ",
                    (true, "and") => " && ",
                    _ => " || ",
                });
                fix_empty(out);
                true
            }
            "not" | "!" => {
                out.push_str("! ");
                true
            }
            "begin" => {
                open.push(Block::Group);
                out.push_str("{ :; ");
                true
            }
            "if" => {
                open.push(Block::If { then: false });
                out.push_str("if ");
                true
            }
            "else" if matches!(open.last(), Some(Block::If { .. })) => {
                let mut blanks = String::new();
                self.blanks(&mut blanks);
                let here = self.at;
                let again = self.word() == "if";
                if again {
                    out.push_str("elif ");
                } else {
                    self.at = here;
                    out.push_str("else :; ");
                }
                if let Some(Block::If { then }) = open.last_mut() {
                    *then = !again;
                }
                true
            }
            "while" => {
                open.push(Block::Loop { r#do: false });
                out.push_str("while ");
                true
            }
            "for" => {
                open.push(Block::Loop { r#do: false });
                out.push_str("for ");
                false
            }
            "switch" => {
                open.push(Block::Switch { first: true });
                out.push_str("case ");
                let words = self.words();
                out.push_str(words.first().map_or("\"\"", String::as_str));
                out.push_str(" in ");
                false
            }
            "case" if matches!(open.last(), Some(Block::Switch { .. })) => {
                let patterns: Vec<String> = self.words().iter().map(|word| pattern(word)).collect();
                let patterns = patterns.join(" | ");
                if let Some(Block::Switch { first }) = open.last_mut() {
                    out.push_str(if *first { "" } else { ";; " });
                    *first = false;
                }
                out.push_str(if patterns.is_empty() { "*" } else { &patterns });
                out.push_str(") :");
                false
            }
            "function" => {
                let words = self.words();
                open.push(Block::Group);
                self.handles(&words, out);
                out.push_str(words.first().map_or("f", String::as_str));
                out.push_str("() { :");
                self.named_arguments(&words, out);
                false
            }
            "end" => {
                match open.pop() {
                    Some(Block::Group) => out.push_str("; }"),
                    Some(Block::If { .. }) => out.push_str("; fi"),
                    Some(Block::Loop { .. }) => out.push_str("; done"),
                    Some(Block::Switch { .. }) => out.push_str(" ;; esac"),
                    None => out.push_str("end"),
                }
                tidy(out);
                false
            }
            "builtin" if self.follows("set") => true,
            name if set::MORE.split(' ').any(|more| more == name) => {
                self.besides(&word, out);
                out.push_str(&word);
                false
            }
            "set" | "alias" => {
                self.defines(&word, out, top, open.is_empty());
                false
            }
            _ => {
                out.push_str(&word);
                if self.at == mark {
                    // Nothing could be read: never stand still.
                    self.at += 1;
                    out.push_str(" ) ");
                }
                // Assignments may stand before a command.
                is_assignment(&word)
            }
        }
    }

    /// `$argv`, all of it or what its index picks.
    fn arguments(&mut self, out: &mut String, quoted: bool) {
        let start = self.at + 1;
        let which = if self.next(0) == Some('[') {
            self.index();
            let index: String = self.chars[start..self.at.saturating_sub(1).max(start)].iter().collect();
            match index.split_once("..") {
                None => index.parse::<usize>().map_or("__recourse_unknown".to_owned(), |n| n.to_string()),
                Some((from, "-1" | "")) if from.parse::<usize>().is_ok() => format!("@:{from}"),
                Some(_) => "__recourse_unknown".to_owned(),
            }
        } else {
            if quoted { "*" } else { "@" }.to_owned()
        };
        let text = format!("${{{which}}}").replace("${@}", "$@");
        let text = if which.chars().all(|c| c.is_ascii_digit()) { format!("${which}") } else { text };
        out.push_str(&if quoted { text } else { format!("\"{text}\"") });
    }

    /// The words up to the end of the command.
    fn words(&mut self) -> Vec<String> {
        let mut found = Vec::new();
        let mut blanks = String::new();
        loop {
            self.blanks(&mut blanks);
            match self.next(0) {
                None | Some(';' | '\n' | '&' | '|' | '>' | '<' | ')' | '#') => return found,
                Some(_) => found.push(self.word()),
            }
        }
    }

    fn operator(&mut self, c: char, out: &mut String, block: Option<&mut Block>) {
        let (text, length) = match (c, self.next(1)) {
            ('&', Some('&')) => (" && ", 2),
            ('&', Some('|')) => (" |& ", 2),
            ('|', Some('|')) => (" || ", 2),
            ('|', Some('&')) => (" |& ", 2),
            ('|', _) => (" | ", 1),
            _ => {
                self.at += 1;
                out.push_str(" &");
                if let Some(text) = block.and_then(pending) {
                    out.push(' ');
                    out.push_str(text);
                }
                out.push(' ');
                return;
            }
        };
        // The blanks of the text are enough.
        out.push_str(if out.ends_with(' ') && !out.ends_with("\\ ") { text.trim_start() } else { text });
        self.at += length;
        while self.next(0) == Some(' ') {
            self.at += 1;
        }
    }

    fn redirection(&mut self, out: &mut String) {
        while let Some(c @ ('<' | '>' | '&' | '?' | '|')) = self.next(0) {
            self.at += 1;
            // `>?` does not overwrite; it is taken for one that does.
            if c != '?' {
                out.push(c);
            }
        }
    }

    /// One word, in bash's spelling.
    fn word(&mut self) -> String {
        let mut out = String::new();
        while let Some(c) = self.next(0) {
            match c {
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '<' | '>' | ')' => break,
                '(' => {
                    self.at += 1;
                    let alone = out.is_empty();
                    let text = self.substitution(false);
                    out.push_str(&self.spread(text, alone));
                }
                '\'' => self.single(&mut out),
                '"' => self.double(&mut out),
                '$' => self.dollar(&mut out, false),
                '{' if self.next(1) == Some('$') => {
                    // `{$name}` keeps a name apart from what follows.
                    self.at += 1;
                    self.dollar(&mut out, false);
                    if self.next(0) == Some('}') {
                        self.at += 1;
                    } else {
                        out.insert(0, '{');
                    }
                }
                '\\' => self.escape(&mut out),
                _ => self.plain(c, &mut out),
            }
        }
        out
    }
}

/// What a block still has to say once its head is over.
fn pending(block: &mut Block) -> Option<&'static str> {
    match block {
        Block::If { then } if !*then => {
            *then = true;
            Some("then :;")
        }
        Block::Loop { r#do } if !*r#do => {
            *r#do = true;
            Some("do :;")
        }
        _ => None,
    }
}

fn separate(out: &mut String, c: char, block: Option<&mut Block>) {
    while out.ends_with(' ') {
        out.pop();
    }
    let wants = !(out.is_empty() || out.ends_with([';', '\n', '&', '|', '{', '(']) || out.ends_with(" in"));
    let text = block.and_then(pending);
    if wants {
        out.push(if text.is_some() { ';' } else { c });
    }
    if let Some(text) = text {
        out.push(' ');
        out.push_str(text);
    }
    out.push(' ');
}

/// No separator stands twice before a word that closes.
fn tidy(out: &mut String) {
    for close in ["; }", "; fi", "; done"] {
        if let Some(before) = out.strip_suffix(close) {
            let kept = before.trim_end_matches([' ', ';', '\n']).len();
            let background = before[..kept].ends_with('&');
            let mut text = before[..kept].to_owned();
            text.push_str(if background { close.trim_start_matches(';') } else { close });
            *out = text;
            return;
        }
    }
}

/// A text does not begin with a separator.
fn fix_empty(out: &mut String) {
    if out.trim() == ";" {
        out.clear();
    }
}

fn is_name(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| is_name(name))
}
/// A pattern of `case` as bash has it: in quotes it is a pattern all the same, of which fish keeps its own files out so.
fn pattern(word: &str) -> String {
    let inner = ['\'', '"'].iter().find_map(|quote| word.strip_prefix(*quote)?.strip_suffix(*quote));
    let Some(inner) = inner.filter(|inner| !inner.contains(['\'', '"', '$', '\\'])) else {
        return word.to_owned();
    };
    let mut out = String::new();
    for c in inner.chars() {
        if !(c.is_alphanumeric() || "*?_-./".contains(c)) {
            out.push('\\');
        }
        out.push(c);
    }
    if out.is_empty() { "\"\"".to_owned() } else { out }
}
