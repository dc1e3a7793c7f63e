//! A walk over everything in a tree.

use super::{
    AssignedValue, Assignment, Command, CommandKind, DeclarationArgument, Parameter, ParameterOperator, Part,
    RedirectionTarget, Script, TestExpression, Word,
};

/// What a walk meets.
#[derive(Clone, Copy, Debug)]
pub enum Visit<'a> {
    /// A command, before what it holds.
    Command(&'a Command),
    /// A word of any role, before its parts.
    Word(&'a Word),
    /// A part of a word, before what it holds.
    Part(&'a Part),
}

/// Calls `visit` for every command, word and part, in source order where the tree keeps it.
pub fn walk<'a>(script: &'a Script, visit: &mut dyn FnMut(Visit<'a>)) {
    for item in &script.items {
        command(&item.command, visit);
    }
}

type Visitor<'v, 'a> = &'v mut dyn FnMut(Visit<'a>);

fn command<'a>(node: &'a Command, visit: Visitor<'_, 'a>) {
    visit(Visit::Command(node));
    match &node.kind {
        CommandKind::Simple { assignments, words } => {
            for assigned in assignments {
                assignment(assigned, visit);
            }
            all(words, visit);
        }
        CommandKind::Declaration { arguments, .. } => {
            for argument in arguments {
                match argument {
                    DeclarationArgument::Word(inner) => word(inner, visit),
                    DeclarationArgument::Assignment(inner) => assignment(inner, visit),
                }
            }
        }
        CommandKind::Pipeline { stages, .. } => {
            for (stage, _) in stages {
                command(stage, visit);
            }
        }
        CommandKind::AndOr { first, rest } => {
            command(first, visit);
            for (_, next) in rest {
                command(next, visit);
            }
        }
        CommandKind::Subshell(body) | CommandKind::Group(body) => walk(body, visit),
        CommandKind::If { branches, otherwise } => {
            for (condition, body) in branches {
                walk(condition, visit);
                walk(body, visit);
            }
            if let Some(body) = otherwise {
                walk(body, visit);
            }
        }
        CommandKind::While { condition, body, .. } => {
            walk(condition, visit);
            walk(body, visit);
        }
        CommandKind::For { words, body, .. } => {
            all(words.as_deref().unwrap_or_default(), visit);
            walk(body, visit);
        }
        CommandKind::ArithmeticFor { header, body } => {
            word(header, visit);
            walk(body, visit);
        }
        CommandKind::Case { word: subject, arms } => {
            word(subject, visit);
            for arm in arms {
                all(&arm.patterns, visit);
                walk(&arm.body, visit);
            }
        }
        CommandKind::Function { body, .. } | CommandKind::Coproc { body, .. } => command(body, visit),
        CommandKind::Test(expression) => test(expression, visit),
        CommandKind::Arithmetic(inner) => word(inner, visit),
        CommandKind::Gap(commands) => {
            for inner in commands {
                command(inner, visit);
            }
        }
    }
    for redirection in &node.redirections {
        match &redirection.target {
            RedirectionTarget::Word(inner) | RedirectionTarget::HereDocument(inner) => word(inner, visit),
        }
    }
}

fn assignment<'a>(node: &'a Assignment, visit: Visitor<'_, 'a>) {
    if let Some(index) = &node.index {
        word(index, visit);
    }
    match &node.value {
        AssignedValue::Scalar(value) => word(value, visit),
        AssignedValue::Array(items) => {
            for (index, value) in items {
                if let Some(index) = index {
                    word(index, visit);
                }
                word(value, visit);
            }
        }
    }
}

fn test<'a>(node: &'a TestExpression, visit: Visitor<'_, 'a>) {
    match node {
        TestExpression::Unary(_, inner) | TestExpression::Word(inner) => word(inner, visit),
        TestExpression::Binary(left, _, right) => {
            word(left, visit);
            word(right, visit);
        }
        TestExpression::Not(inner) => test(inner, visit),
        TestExpression::And(left, right) | TestExpression::Or(left, right) => {
            test(left, visit);
            test(right, visit);
        }
        TestExpression::Other(words) => all(words, visit),
    }
}

fn all<'a>(words: &'a [Word], visit: Visitor<'_, 'a>) {
    for inner in words {
        word(inner, visit);
    }
}

fn word<'a>(node: &'a Word, visit: Visitor<'_, 'a>) {
    visit(Visit::Word(node));
    parts(&node.parts, visit);
}

fn parts<'a>(nodes: &'a [Part], visit: Visitor<'_, 'a>) {
    for node in nodes {
        visit(Visit::Part(node));
        match node {
            Part::Literal(_) | Part::Quoted(_) | Part::Gap(_) => {}
            Part::DoubleQuoted(inside) | Part::Arithmetic(inside) => parts(inside, visit),
            Part::Parameter(inner) => parameter(inner, visit),
            Part::Command(script, _) | Part::Process(script, ..) => walk(script, visit),
        }
    }
}

fn parameter<'a>(node: &'a Parameter, visit: Visitor<'_, 'a>) {
    if let Some(index) = &node.index {
        word(index, visit);
    }
    match &node.operator {
        Some(ParameterOperator::Default(_, _, inner) | ParameterOperator::Remove(_, _, inner)) => {
            word(inner, visit);
        }
        Some(ParameterOperator::Replace(_, pattern, replacement)) => {
            word(pattern, visit);
            word(replacement, visit);
        }
        Some(ParameterOperator::Substring(offset, length)) => {
            word(offset, visit);
            if let Some(length) = length {
                word(length, visit);
            }
        }
        Some(ParameterOperator::Case(_, _, Some(pattern))) => word(pattern, visit),
        Some(
            ParameterOperator::Case(_, _, None) | ParameterOperator::Transform(_) | ParameterOperator::Names,
        )
        | None => {}
    }
}
