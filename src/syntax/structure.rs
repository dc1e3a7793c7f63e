//! Tokens to tree: which command stands in which, as tree-sitter-bash reads it.
//!
//! The grammar sees one short word per simple command. Its nodes are taken by an allow-list of kinds; anything else,
//! an ERROR or a MISSING node is a gap, and so is every token that no node accounted for.

use std::ops::ControlFlow;

use tree_sitter::{Node, ParseOptions, ParseState, Parser};

use crate::model::Span;

use super::commands::List;
use super::reader::Context;
use super::tokens::{Prefix, Redirected, Token, TokenKind};
use super::{
    AndOr, CaseArm, CaseEnd, Command, CommandKind, Gap, GapReason, Item, Part, Redirection,
    RedirectionTarget, Script, Word,
};

/// The tree of a list. `bodies` are the here-documents read so far, `span` is the whole list.
pub(super) fn build(list: List, bodies: &mut [Option<Word>], span: Span, context: &mut Context) -> Script {
    let List { tokens, text, .. } = list;
    if tokens.is_empty() {
        return Script::default();
    }
    let starts = tokens.iter().map(|token| token.at).collect();
    let spans = tokens.iter().map(|token| token.span).collect();
    let mut builder = Builder {
        tokens: tokens.into_iter().map(Some).collect(),
        starts,
        spans,
        text: &text,
        bodies,
        context,
    };
    let mut script = builder.whole();
    builder.leftovers(&mut script, span);
    script
}

struct Builder<'a> {
    /// Tokens not accounted for yet.
    tokens: Vec<Option<Token>>,
    starts: Vec<usize>,
    spans: Vec<Span>,
    text: &'a str,
    bodies: &'a mut [Option<Word>],
    context: &'a mut Context,
}

impl Builder<'_> {
    fn whole(&mut self) -> Script {
        let plain = |token: &Option<Token>| {
            token.as_ref().is_some_and(|token| {
                matches!(token.kind, TokenKind::Simple(_) | TokenKind::Test(_) | TokenKind::Arithmetic(_))
                    && token.prefixes.iter().all(|prefix| matches!(prefix, Prefix::Not | Prefix::Time))
            })
        };
        if self.tokens.iter().all(plain) {
            // Commands one after the other: there is no structure to ask the grammar for.
            let items = (0..self.tokens.len()).filter_map(|at| self.leaf(at)).collect::<Vec<_>>();
            let items = items
                .into_iter()
                .map(|(command, prefixes)| Item { command: wrap(command, prefixes, true), background: false })
                .collect();
            return Script { items };
        }
        let Some(tree) = self.parse() else { return Script::default() };
        let root = tree.root_node();
        if root.kind() != "program" {
            return Script::default();
        }
        let mut cursor = root.walk();
        let children: Vec<Node> = root.children(&mut cursor).collect();
        self.list(&children)
    }

    fn parse(&mut self) -> Option<tree_sitter::Tree> {
        if self.context.parser.is_none() {
            let mut parser = Parser::new();
            parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
            self.context.parser = Some(parser);
        }
        let deadline = self.context.deadline;
        let mut late = false;
        let mut watch = |_: &ParseState| {
            late = deadline.is_some_and(|deadline| std::time::Instant::now() >= deadline);
            if late { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let bytes = self.text.as_bytes();
        let options = ParseOptions::new().progress_callback(&mut watch);
        let parser = self.context.parser.as_mut()?;
        let tree =
            parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options));
        if tree.is_none() {
            parser.reset();
            let span = self.spans.iter().copied().reduce(Span::to).unwrap_or_default();
            self.context.gaps.push(Gap { span, reason: GapReason::Limit("deadline") });
        }
        tree
    }

    /// The token whose text starts at `offset`.
    fn at(&self, offset: usize) -> Option<usize> {
        self.starts.binary_search(&offset).ok()
    }

    /// The tokens of a node.
    fn range(&self, node: Node) -> std::ops::Range<usize> {
        let first = self.starts.partition_point(|start| *start < node.start_byte());
        let last = self.starts.partition_point(|start| *start < node.end_byte());
        first..last.max(first)
    }

    fn span(&self, node: Node) -> Span {
        self.spans[self.range(node)].iter().copied().reduce(Span::to).unwrap_or_default()
    }

    fn redirections(&mut self, redirected: Vec<Redirected>) -> Vec<Redirection> {
        redirected
            .into_iter()
            .map(|Redirected { mut redirection, slot }| {
                if let Some(slot) = slot {
                    let body = self.bodies.get_mut(slot).and_then(Option::take).unwrap_or_else(|| {
                        // The body stands behind the end of the substitution that holds `<<`.
                        self.context.gaps.push(Gap { span: redirection.span, reason: GapReason::Syntax });
                        Word { parts: vec![Part::Gap(redirection.span)], span: redirection.span }
                    });
                    redirection.target = RedirectionTarget::HereDocument(body);
                }
                redirection
            })
            .collect()
    }

    /// A simple command, test or arithmetic command, with what stands before it.
    fn leaf(&mut self, at: usize) -> Option<(Command, Vec<Prefix>)> {
        let token = self.tokens.get_mut(at)?.take()?;
        let kind = match token.kind {
            TokenKind::Simple(simple) => match simple.declaration {
                Some((keyword, arguments)) => CommandKind::Declaration { keyword, arguments },
                None => CommandKind::Simple { assignments: simple.assignments, words: simple.words },
            },
            TokenKind::Test(expression) => CommandKind::Test(expression),
            TokenKind::Arithmetic(word) => CommandKind::Arithmetic(word),
            _ => {
                self.tokens[at] = Some(token);
                return None;
            }
        };
        let redirections = self.redirections(token.redirections);
        Some((Command { kind, redirections, span: token.span }, token.prefixes))
    }

    /// Children that are statements with separators between them.
    fn list(&mut self, children: &[Node]) -> Script {
        let mut items: Vec<Item> = Vec::new();
        for node in children {
            if node.is_error() || node.is_missing() {
                let command = self.gap(*node, GapReason::Syntax);
                items.push(Item { command, background: false });
            } else if node.is_named() {
                let command = self.statement(*node);
                items.push(Item { command, background: false });
            } else {
                match node.kind() {
                    "&" => {
                        self.keyword(*node);
                        if let Some(last) = items.last_mut() {
                            last.background = true;
                        }
                    }
                    "\n" => {}
                    _ => {
                        let command = self.gap(*node, GapReason::Syntax);
                        items.push(Item { command, background: false });
                    }
                }
            }
        }
        Script { items }
    }

    /// Accounts for a reserved word or operator.
    fn keyword(&mut self, node: Node) -> Option<Token> {
        let at = self.at(node.start_byte())?;
        self.tokens.get_mut(at)?.take()
    }

    /// A statement: commands joined by operators are laid out flat and joined by bash's precedence.
    fn statement(&mut self, node: Node) -> Command {
        if node.kind() != "list" {
            let (command, prefixes) = self.stage(node);
            return wrap(command, prefixes, true);
        }
        let mut first = Vec::new();
        let mut rest: Vec<(AndOr, Vec<Stage>)> = Vec::new();
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            match node.kind() {
                "list" if !node.is_error() => {
                    let mut cursor = node.walk();
                    let at = open.len();
                    open.extend(node.children(&mut cursor));
                    open[at..].reverse();
                    continue;
                }
                "&&" if !node.is_missing() => {
                    match self.keyword(node).map(|token| token.kind) {
                        Some(TokenKind::And) => rest.push((AndOr::And, Vec::new())),
                        Some(TokenKind::Or) => rest.push((AndOr::Or, Vec::new())),
                        Some(TokenKind::Pipe(both)) => {
                            let stages = rest.last_mut().map_or(&mut first, |(_, stages)| stages);
                            if let Some(last) = stages.last_mut() {
                                last.both = both;
                            }
                        }
                        _ => {}
                    }
                    continue;
                }
                _ => {}
            }
            let (command, prefixes) = if node.is_error() || node.is_missing() {
                (self.gap(node, GapReason::Syntax), Vec::new())
            } else {
                self.stage(node)
            };
            let stages = rest.last_mut().map_or(&mut first, |(_, stages)| stages);
            stages.push(Stage { command, prefixes, both: false });
        }
        let first = pipeline(first);
        if rest.is_empty() {
            return first;
        }
        let rest: Vec<_> = rest.into_iter().map(|(operator, stages)| (operator, pipeline(stages))).collect();
        let span = rest.iter().fold(first.span, |span, (_, command)| span.to(command.span));
        command(CommandKind::AndOr { first: Box::new(first), rest }, span)
    }

    /// One command with what stands before it.
    fn stage(&mut self, node: Node) -> (Command, Vec<Prefix>) {
        if node.kind() == "command" {
            return match self.at(node.start_byte()).filter(|_| self.range(node).len() == 1) {
                Some(at) => self.leaf(at).unwrap_or_else(|| (self.gap(node, GapReason::Syntax), Vec::new())),
                None => (self.gap(node, GapReason::Syntax), Vec::new()),
            };
        }
        let span = self.span(node);
        let mut cursor = node.walk();
        let children: Vec<Node> = node.children(&mut cursor).collect();
        if children.iter().any(|child| child.is_missing() || child.is_error()) {
            return (self.gap(node, GapReason::Syntax), Vec::new());
        }
        let range = self.range(node);
        let prefixes = range
            .clone()
            .next()
            .and_then(|first| self.tokens[first].as_mut())
            .map(|token| std::mem::take(&mut token.prefixes))
            .unwrap_or_default();
        let closing = range.clone().last().and_then(|last| self.tokens[last].as_mut());
        let redirected = match closing {
            Some(Token { kind: TokenKind::Keyword(_), redirections, .. }) => std::mem::take(redirections),
            _ => Vec::new(),
        };
        let kind = match node.kind() {
            "subshell" => self.bracketed(&children, "(", ")").map(CommandKind::Subshell),
            "compound_statement" => self.bracketed(&children, "{", "}").map(CommandKind::Group),
            "if_statement" => self.conditional(&children),
            "while_statement" => self.repeated(&children),
            "for_statement" => self.counted(&children),
            "case_statement" => self.chosen(&children),
            other => {
                let reason = GapReason::UnknownNode(other.to_owned());
                return (self.gap(node, reason), prefixes);
            }
        };
        let Some(kind) = kind else { return (self.gap(node, GapReason::Syntax), prefixes) };
        let redirections = self.redirections(redirected);
        (Command { kind, redirections, span }, prefixes)
    }

    fn bracketed(&mut self, children: &[Node], open: &str, close: &str) -> Option<Script> {
        let [first, inside @ .., last] = children else { return None };
        if first.kind() != open || last.kind() != close {
            return None;
        }
        self.keyword(*first)?;
        let script = self.list(inside);
        self.keyword(*last)?;
        Some(script)
    }

    /// Splits `children` at the reserved word `word`, which is accounted for.
    fn until<'n, 't>(&mut self, children: &'n [Node<'t>], word: &str) -> Option<(Script, &'n [Node<'t>])> {
        let at = children.iter().position(|child| child.kind() == word)?;
        let script = self.list(&children[..at]);
        self.keyword(children[at])?;
        Some((script, &children[at + 1..]))
    }

    fn conditional(&mut self, children: &[Node]) -> Option<CommandKind> {
        let (_, rest) = self.until(children, "if")?;
        let (condition, rest) = self.until(rest, "then")?;
        let end =
            rest.iter().position(|child| matches!(child.kind(), "elif_clause" | "else_clause" | "fi"))?;
        let mut branches = vec![(condition, self.list(&rest[..end]))];
        let mut otherwise = None;
        for clause in &rest[end..] {
            let mut cursor = clause.walk();
            let inner: Vec<Node> = clause.children(&mut cursor).collect();
            match clause.kind() {
                "elif_clause" => {
                    let (_, inner) = self.until(&inner, "elif")?;
                    let (condition, inner) = self.until(inner, "then")?;
                    branches.push((condition, self.list(inner)));
                }
                "else_clause" => {
                    let (_, inner) = self.until(&inner, "else")?;
                    otherwise = Some(self.list(inner));
                }
                "fi" => {
                    self.keyword(*clause)?;
                }
                _ => return None,
            }
        }
        Some(CommandKind::If { branches, otherwise })
    }

    fn do_group(&mut self, node: Node) -> Option<Script> {
        if node.kind() != "do_group" {
            return None;
        }
        let mut cursor = node.walk();
        let children: Vec<Node> = node.children(&mut cursor).collect();
        let (_, rest) = self.until(&children, "do")?;
        let (body, rest) = self.until(rest, "done")?;
        rest.is_empty().then_some(body)
    }

    fn repeated(&mut self, children: &[Node]) -> Option<CommandKind> {
        let [first, condition @ .., body] = children else { return None };
        let until = match first.kind() {
            "while" => false,
            "until" => true,
            _ => return None,
        };
        self.keyword(*first)?;
        let condition = self.list(condition);
        let body = self.do_group(*body)?;
        Some(CommandKind::While { until, condition, body })
    }

    fn counted(&mut self, children: &[Node]) -> Option<CommandKind> {
        let (first, body) = (children.first()?, children.last()?);
        let header = self.keyword(*first)?;
        let body = self.do_group(*body)?;
        match header.kind {
            TokenKind::For { variable, words, select } => {
                Some(CommandKind::For { variable, words, body, select })
            }
            TokenKind::ArithmeticFor(header) => Some(CommandKind::ArithmeticFor { header, body }),
            _ => None,
        }
    }

    fn chosen(&mut self, children: &[Node]) -> Option<CommandKind> {
        let header = self.keyword(*children.first()?)?;
        let TokenKind::Case(word) = header.kind else { return None };
        let mut arms = Vec::new();
        for child in children {
            match child.kind() {
                "case_item" => arms.push(self.arm(*child)?),
                "esac" => {
                    self.keyword(*child)?;
                }
                _ => {}
            }
        }
        Some(CommandKind::Case { word, arms })
    }

    fn arm(&mut self, node: Node) -> Option<CaseArm> {
        let mut cursor = node.walk();
        let children: Vec<Node> = node.children(&mut cursor).collect();
        let [pattern, parenthesis, body @ .., end] = children.as_slice() else { return None };
        if parenthesis.kind() != ")" {
            return None;
        }
        let TokenKind::Pattern(patterns) = self.keyword(*pattern)?.kind else { return None };
        let body = self.list(body);
        let end = match self.keyword(*end)?.kind {
            TokenKind::CaseEnd(end) => end,
            _ => CaseEnd::Break,
        };
        Some(CaseArm { patterns, body, end })
    }

    /// A node that is not understood, with the commands salvaged from it.
    fn gap(&mut self, node: Node, reason: GapReason) -> Command {
        let span = self.span(node);
        let range = self.range(node);
        let salvaged = range.filter_map(|at| self.salvage(at)).collect();
        self.context.gaps.push(Gap { span, reason });
        command(CommandKind::Gap(salvaged), span)
    }

    /// What a token alone tells.
    fn salvage(&mut self, at: usize) -> Option<Command> {
        if let Some((command, prefixes)) = self.leaf(at) {
            return Some(wrap(command, prefixes, true));
        }
        let token = self.tokens.get_mut(at)?.take()?;
        let words = match token.kind {
            TokenKind::For { words, .. } => words.unwrap_or_default(),
            TokenKind::Pattern(words) => words,
            TokenKind::ArithmeticFor(word) | TokenKind::Case(word) => vec![word],
            _ => Vec::new(),
        };
        let redirections = self.redirections(token.redirections);
        if words.is_empty() && redirections.is_empty() {
            return None;
        }
        // Read for their expansions alone.
        let parts = words.into_iter().flat_map(|word| word.parts).collect();
        let kind = CommandKind::Arithmetic(Word { parts, span: token.span });
        Some(Command { kind, redirections, span: token.span })
    }

    /// Tokens that no node accounted for.
    fn leftovers(&mut self, script: &mut Script, span: Span) {
        let lost = |token: &Token| {
            !matches!(token.kind, TokenKind::Keyword(_) | TokenKind::CaseEnd(_))
                || !token.redirections.is_empty()
        };
        if !self.tokens.iter().flatten().any(lost) {
            return;
        }
        let salvaged = (0..self.tokens.len()).filter_map(|at| self.salvage(at)).collect();
        self.context.gaps.push(Gap { span, reason: GapReason::Uncovered });
        let command = command(CommandKind::Gap(salvaged), span);
        script.items.push(Item { command, background: false });
    }
}

struct Stage {
    command: Command,
    prefixes: Vec<Prefix>,
    both: bool,
}

fn command(kind: CommandKind, span: Span) -> Command {
    Command { kind, redirections: Vec::new(), span }
}

/// Joins stages; `!` and `time` before the first belong to the whole.
fn pipeline(mut stages: Vec<Stage>) -> Command {
    if stages.len() == 1
        && let Some(stage) = stages.pop()
    {
        return wrap(stage.command, stage.prefixes, true);
    }
    let mut whole = Vec::new();
    let stages: Vec<(Command, bool)> = stages
        .into_iter()
        .enumerate()
        .map(|(at, mut stage)| {
            if at == 0 {
                let own = stage.prefixes.iter().position(|prefix| !is_of_pipeline(prefix));
                let rest = stage.prefixes.split_off(own.unwrap_or(stage.prefixes.len()));
                whole = std::mem::replace(&mut stage.prefixes, rest);
            }
            (wrap(stage.command, stage.prefixes, false), stage.both)
        })
        .collect();
    let span = stages.iter().map(|(command, _)| command.span).reduce(Span::to).unwrap_or_default();
    let (negated, timed) = flags(&whole);
    command(CommandKind::Pipeline { negated, timed, stages }, span)
}

fn is_of_pipeline(prefix: &Prefix) -> bool {
    matches!(prefix, Prefix::Not | Prefix::Time)
}

fn flags(prefixes: &[Prefix]) -> (bool, bool) {
    let negated = prefixes.iter().filter(|prefix| **prefix == Prefix::Not).count() % 2 == 1;
    (negated, prefixes.contains(&Prefix::Time))
}

/// Puts a command into what stands before it, innermost first.
fn wrap(inner: Command, mut prefixes: Vec<Prefix>, pipelines: bool) -> Command {
    let mut wrapped = inner;
    while let Some(prefix) = prefixes.pop() {
        let span = wrapped.span;
        let kind = match prefix {
            Prefix::Function(name) => CommandKind::Function { name, body: Box::new(wrapped) },
            Prefix::Coproc(name) => CommandKind::Coproc { name, body: Box::new(wrapped) },
            Prefix::Not | Prefix::Time => {
                let mut run = vec![prefix];
                while prefixes.last().is_some_and(is_of_pipeline) {
                    run.extend(prefixes.pop());
                }
                let (negated, timed) = flags(&run);
                debug_assert!(pipelines || !prefixes.is_empty() || negated || timed || !run.is_empty());
                CommandKind::Pipeline { negated, timed, stages: vec![(wrapped, false)] }
            }
        };
        wrapped = command(kind, span);
    }
    wrapped
}
