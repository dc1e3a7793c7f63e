//! find's command line: starting points, options, and the expression as a tree.

use crate::model::Value;
use crate::shell::program::Arg;

use super::FindAction;
use super::test::Test;

/// The expression.
#[derive(Debug)]
pub(super) enum Node {
    And(Vec<Node>),
    Or(Vec<Node>),
    Comma(Vec<Node>),
    Not(Box<Node>),
    Test(Test),
    /// Index into [`Plan::actions`].
    Action(usize),
    Prune,
    Quit,
    True,
    False,
}

/// What the command line says.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) starts: Vec<Value>,
    pub(super) root: Node,
    pub(super) actions: Vec<FindAction>,
    pub(super) depth_first: bool,
    pub(super) follow: bool,
    pub(super) follow_starts: bool,
    pub(super) one_device: bool,
    pub(super) min_depth: usize,
    pub(super) max_depth: usize,
}

impl Plan {
    /// Whether files below the starting points may be left alone.
    pub(super) fn chooses(&self) -> bool {
        self.min_depth > 1 || self.max_depth < usize::MAX || !takes_all_files(&self.root)
    }
}

/// How every path ends on which an action is taken, where a name is asked for before it and nothing else can lead to it.
pub(super) fn name_before(root: &Node, action: usize) -> Option<String> {
    let Node::And(parts) = root else { return None };
    let at = parts.iter().position(|part| matches!(part, Node::Action(index) if *index == action))?;
    parts.get(..at)?.iter().find_map(|part| {
        let Node::Test(Test::Name { pattern, ignore_case: false }) = part else { return None };
        let text = pattern.as_known()?;
        let end = text.trim_start_matches('*');
        let plain = !end.is_empty() && !end.contains(['*', '?', '[', '\\']);
        plain.then(|| if end == text { format!("/{end}") } else { end.to_owned() })
    })
}

fn takes_all_files(node: &Node) -> bool {
    match node {
        Node::True | Node::Action(_) => true,
        Node::Test(Test::Type { letters, followed: false }) => letters.contains('f'),
        Node::And(parts) => parts.iter().all(takes_all_files),
        _ => false,
    }
}

/// Why there is no plan.
#[derive(Debug)]
pub(super) enum Stop {
    /// Find refuses this command line, or only prints about itself.
    Refused,
    /// Not understood: why, and the actions that the words seem to hold.
    Gap { starts: Vec<Value>, reason: String, actions: Vec<FindAction> },
}

/// Reads the words after `find`.
pub(super) fn parse(arguments: &[Arg]) -> Result<Plan, Stop> {
    let mut at = 0;
    let (mut follow, mut follow_starts) = (false, false);
    while let Some(text) = arguments.get(at).and_then(|a| a.value.as_known()) {
        match text {
            "-H" => (follow, follow_starts) = (false, true),
            "-L" => (follow, follow_starts) = (true, true),
            "-P" => (follow, follow_starts) = (false, false),
            "-D" => at += 1,
            "--" => {
                at += 1;
                break;
            }
            _ if text.starts_with("-O") => {}
            _ => break,
        }
        at += 1;
    }
    let mut starts = Vec::new();
    while let Some(argument) = arguments.get(at) {
        let first = argument.value.prefix();
        if first.starts_with('-') || matches!(argument.value.as_known(), Some("(" | ")" | "!" | ",")) {
            break;
        }
        starts.push(argument.value.clone());
        at += 1;
    }
    if starts.is_empty() {
        starts.push(Value::known("."));
    }
    let rest = &arguments[at..];
    let mut parser = Parser {
        words: rest,
        at: 0,
        actions: Vec::new(),
        depth: 0,
        depth_first: false,
        delete: false,
        prune: false,
        follow,
        one_device: false,
        daystart: false,
        extended: false,
        known_regex: true,
        min_depth: 0,
        max_depth: usize::MAX,
    };
    let root = match parser.expression() {
        Ok(root) => root,
        Err(Fault::Refused) => return Err(Stop::Refused),
        Err(Fault::Gap(reason)) => return Err(Stop::Gap { starts, reason, actions: salvage(rest) }),
    };
    // GNU find refuses `-prune … -delete`, since -delete turns on -depth and -prune then does nothing.
    if parser.delete && parser.prune && !parser.depth_first {
        return Err(Stop::Refused);
    }
    let mut actions = parser.actions;
    let root = if actions.is_empty() {
        actions.push(FindAction::Print);
        Node::And(vec![root, Node::Action(0)])
    } else {
        root
    };
    Ok(Plan {
        starts,
        root,
        actions,
        depth_first: parser.depth_first || parser.delete,
        follow: parser.follow,
        follow_starts: follow_starts || parser.follow,
        one_device: parser.one_device,
        min_depth: parser.min_depth,
        max_depth: parser.max_depth,
    })
}

/// Actions that words which are not understood seem to hold, for the careful reading.
fn salvage(words: &[Arg]) -> Vec<FindAction> {
    let mut actions = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        match word.value.as_known() {
            Some("-delete") => actions.push(FindAction::Delete),
            Some(name @ ("-exec" | "-execdir" | "-ok" | "-okdir")) => {
                if let Some((action, length)) = command(name, &words[at..]) {
                    actions.push(action);
                    at += length;
                }
            }
            Some("-fprint" | "-fprint0" | "-fls" | "-fprintf") => {
                if let Some(file) = words.get(at) {
                    actions.push(FindAction::Write { file: file.clone() });
                }
            }
            _ => {}
        }
    }
    actions
}

/// The command of an `-exec` whose name was read, and the number of its words with the terminator.
fn command(name: &str, words: &[Arg]) -> Option<(FindAction, usize)> {
    let asks = name.starts_with("-ok");
    let mut end = None;
    for (index, word) in words.iter().enumerate() {
        let text = word.value.as_known();
        let after_braces = index > 0 && words[index - 1].value.as_known() == Some("{}");
        if text == Some(";") || (text == Some("+") && after_braces && !asks) {
            end = Some((index, text == Some("+")));
            break;
        }
    }
    let (end, batch) = end?;
    if end == 0 {
        return None;
    }
    let action =
        FindAction::Exec { argv: words[..end].to_vec(), batch, in_directory: name.ends_with("dir"), asks };
    Some((action, end + 1))
}

/// Why reading ends.
pub(super) enum Fault {
    Refused,
    Gap(String),
}

/// The words, and what was read of them.
pub(super) struct Parser<'a> {
    words: &'a [Arg],
    at: usize,
    actions: Vec<FindAction>,
    depth: usize,
    depth_first: bool,
    delete: bool,
    prune: bool,
    follow: bool,
    one_device: bool,
    pub(super) daystart: bool,
    pub(super) extended: bool,
    pub(super) known_regex: bool,
    min_depth: usize,
    max_depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&str> {
        self.words.get(self.at).and_then(|w| w.value.as_known())
    }

    fn expression(&mut self) -> Result<Node, Fault> {
        if self.words.is_empty() {
            return Ok(Node::True);
        }
        let root = self.comma()?;
        if self.at < self.words.len() { Err(Fault::Refused) } else { Ok(root) }
    }

    fn comma(&mut self) -> Result<Node, Fault> {
        let mut parts = vec![self.or()?];
        while self.peek() == Some(",") {
            self.at += 1;
            parts.push(self.or()?);
        }
        Ok(one(parts, Node::Comma))
    }

    fn or(&mut self) -> Result<Node, Fault> {
        let mut parts = vec![self.and()?];
        while matches!(self.peek(), Some("-o" | "-or")) {
            self.at += 1;
            parts.push(self.and()?);
        }
        Ok(one(parts, Node::Or))
    }

    fn and(&mut self) -> Result<Node, Fault> {
        let mut parts = vec![self.not()?];
        loop {
            match self.peek() {
                Some("-a" | "-and") => {
                    self.at += 1;
                    parts.push(self.not()?);
                }
                Some("-o" | "-or" | "," | ")") => break,
                _ if self.at >= self.words.len() => break,
                _ => parts.push(self.not()?),
            }
        }
        Ok(one(parts, Node::And))
    }

    fn not(&mut self) -> Result<Node, Fault> {
        let mut negate = false;
        while matches!(self.peek(), Some("!" | "-not")) {
            self.at += 1;
            negate = !negate;
        }
        let node = self.primary()?;
        Ok(if negate { Node::Not(Box::new(node)) } else { node })
    }

    fn primary(&mut self) -> Result<Node, Fault> {
        let Some(word) = self.words.get(self.at) else { return Err(Fault::Refused) };
        self.at += 1;
        let Some(name) = word.value.as_known().map(str::to_owned) else {
            return Err(Fault::Gap("find: a word of the expression is not known".to_owned()));
        };
        if name == "(" {
            self.depth += 1;
            if self.depth > 64 {
                return Err(Fault::Gap("find: too many nested parentheses".to_owned()));
            }
            let inner = self.comma()?;
            if self.peek() != Some(")") {
                return Err(Fault::Refused);
            }
            self.at += 1;
            self.depth -= 1;
            return Ok(inner);
        }
        if let Some(node) = self.option(&name)? {
            return Ok(node);
        }
        if let Some(node) = self.action(&name)? {
            return Ok(node);
        }
        self.test(&name)
    }

    fn option(&mut self, name: &str) -> Result<Option<Node>, Fault> {
        match name {
            "-depth" | "-d" => self.depth_first = true,
            "-xdev" | "-mount" | "-x" => self.one_device = true,
            "-follow" => self.follow = true,
            "-daystart" => self.daystart = true,
            "-noleaf" | "-warn" | "-nowarn" | "-ignore_readdir_race" | "-noignore_readdir_race" => {}
            "-maxdepth" | "-mindepth" => {
                let Some(text) = self.value()?.as_known().map(str::to_owned) else {
                    return Err(Fault::Gap(format!("find: the value of {name} is not known")));
                };
                let Ok(levels) = text.parse() else { return Err(Fault::Refused) };
                if name == "-maxdepth" { self.max_depth = levels } else { self.min_depth = levels }
            }
            "-regextype" => {
                let kind = self.value()?;
                let kind = kind.as_known().unwrap_or_default();
                self.extended =
                    matches!(kind, "posix-extended" | "egrep" | "posix-egrep" | "awk" | "gnu-awk");
                self.known_regex = self.extended || matches!(kind, "emacs" | "findutils-default");
            }
            "-help" | "--help" | "-version" | "--version" => return Err(Fault::Refused),
            _ => return Ok(None),
        }
        Ok(Some(Node::True))
    }

    fn action(&mut self, name: &str) -> Result<Option<Node>, Fault> {
        let action = match name {
            "-print" | "-print0" | "-ls" => FindAction::Print,
            "-printf" => {
                self.value()?;
                FindAction::Print
            }
            "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                let Some(file) = self.words.get(self.at).cloned() else { return Err(Fault::Refused) };
                self.at += 1;
                if name == "-fprintf" {
                    self.value()?;
                }
                FindAction::Write { file }
            }
            "-delete" => {
                self.delete = true;
                FindAction::Delete
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let rest = &self.words[self.at..];
                let Some((action, length)) = command(name, rest) else {
                    let unknown = rest.iter().any(|w| w.value.as_known().is_none());
                    return Err(if unknown {
                        Fault::Gap(format!("find: the end of {name}'s command is not known"))
                    } else {
                        Fault::Refused
                    });
                };
                self.at += length;
                action
            }
            "-prune" => {
                self.prune = true;
                return Ok(Some(Node::Prune));
            }
            "-quit" => return Ok(Some(Node::Quit)),
            "-true" => return Ok(Some(Node::True)),
            "-false" => return Ok(Some(Node::False)),
            _ => return Ok(None),
        };
        self.actions.push(action);
        Ok(Some(Node::Action(self.actions.len() - 1)))
    }

    /// The word behind a predicate.
    pub(super) fn value(&mut self) -> Result<Value, Fault> {
        let word = self.words.get(self.at).ok_or(Fault::Refused)?;
        self.at += 1;
        Ok(word.value.clone())
    }
}

fn one(mut parts: Vec<Node>, make: impl Fn(Vec<Node>) -> Node) -> Node {
    if parts.len() == 1 { parts.remove(0) } else { make(parts) }
}
