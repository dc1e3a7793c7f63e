//! A short notation for trees, for tests to compare.

use super::super::*;

/// Items by `; `, `&` behind those in the background.
pub(super) fn script(node: &Script) -> String {
    let items = node.items.iter().map(|item| {
        let ending = if item.background { " &" } else { "" };
        format!("{}{ending}", command(&item.command))
    });
    items.collect::<Vec<_>>().join("; ")
}

fn command(node: &Command) -> String {
    let body = match &node.kind {
        CommandKind::Simple { assignments, words: arguments } => {
            let mut all: Vec<String> = assignments.iter().map(assignment).collect();
            all.extend(arguments.iter().map(word));
            format!("[{}]", all.join(" "))
        }
        CommandKind::Declaration { keyword, arguments } => {
            let all = arguments.iter().map(|argument| match argument {
                DeclarationArgument::Word(inner) => word(inner),
                DeclarationArgument::Assignment(inner) => assignment(inner),
            });
            format!("{keyword}[{}]", all.collect::<Vec<_>>().join(" "))
        }
        CommandKind::Pipeline { negated, timed, stages } => {
            let mut text = String::new();
            text.push_str(if *negated { "not " } else { "" });
            text.push_str(if *timed { "time " } else { "" });
            for (at, (stage, both)) in stages.iter().enumerate() {
                text.push_str(&command(stage));
                text.push_str(if *both { " |& " } else { " | " });
                if at + 1 == stages.len() {
                    text.truncate(text.len() - 3);
                }
            }
            format!("<{text}>")
        }
        CommandKind::AndOr { first, rest } => {
            let mut text = command(first);
            for (operator, next) in rest {
                text.push_str(if *operator == AndOr::And { " && " } else { " || " });
                text.push_str(&command(next));
            }
            text
        }
        CommandKind::Subshell(body) => format!("({})", script(body)),
        CommandKind::Group(body) => format!("{{{}}}", script(body)),
        CommandKind::If { branches, otherwise } => {
            let mut text = String::new();
            for (condition, body) in branches {
                text.push_str(&format!("if {} then {} ", script(condition), script(body)));
            }
            if let Some(body) = otherwise {
                text.push_str(&format!("else {} ", script(body)));
            }
            text + "fi"
        }
        CommandKind::While { until, condition, body } => {
            let keyword = if *until { "until" } else { "while" };
            format!("{keyword} {} do {} done", script(condition), script(body))
        }
        CommandKind::For { variable, words: list, body, select } => {
            let keyword = if *select { "select" } else { "for" };
            let list = list.as_ref().map_or(String::new(), |list| format!(" in {}", words(list)));
            format!("{keyword} {variable}{list} do {} done", script(body))
        }
        CommandKind::ArithmeticFor { header, body } => {
            format!("for (({})) do {} done", word(header), script(body))
        }
        CommandKind::Case { word: subject, arms } => {
            let arms = arms.iter().map(|arm| {
                let end = match arm.end {
                    CaseEnd::Break => ";;",
                    CaseEnd::FallThrough => ";&",
                    CaseEnd::TestNext => ";;&",
                };
                format!("{}) {}{end}", words(&arm.patterns), script(&arm.body))
            });
            format!("case {} {} esac", word(subject), arms.collect::<Vec<_>>().join(" "))
        }
        CommandKind::Function { name, body } => format!("{name}() {}", command(body)),
        CommandKind::Test(expression) => format!("[[{}]]", test(expression)),
        CommandKind::Arithmetic(inner) => format!("(({}))", word(inner)),
        CommandKind::Coproc { name, body } => format!("coproc {name} {}", command(body)),
        CommandKind::Gap(salvaged) => {
            format!("GAP<{}>", salvaged.iter().map(command).collect::<Vec<_>>().join("; "))
        }
    };
    node.redirections.iter().fold(body, |text, redirection| text + &redirected(redirection))
}

fn redirected(node: &Redirection) -> String {
    let descriptor = node.descriptor.clone().unwrap_or_default();
    let descriptor = if node.named { format!("{{{descriptor}}}") } else { descriptor };
    let target = match &node.target {
        RedirectionTarget::Word(inner) => word(inner),
        RedirectionTarget::HereDocument(inner) => format!("<<{}>>", word(inner)),
    };
    format!(" {descriptor}{:?}:{target}", node.operator)
}

fn assignment(node: &Assignment) -> String {
    let index = node.index.as_ref().map_or(String::new(), |index| format!("[{}]", word(index)));
    let operator = if node.append { "+=" } else { "=" };
    let value = match &node.value {
        AssignedValue::Scalar(value) => word(value),
        AssignedValue::Array(items) => {
            let items = items.iter().map(|(index, value)| {
                let index = index.as_ref().map_or(String::new(), |index| format!("[{}]=", word(index)));
                index + &word(value)
            });
            format!("({})", items.collect::<Vec<_>>().join(" "))
        }
    };
    format!("{}{index}{operator}{value}", node.name)
}

fn test(node: &TestExpression) -> String {
    match node {
        TestExpression::Unary(operator, inner) => format!("{operator} {}", word(inner)),
        TestExpression::Binary(left, operator, right) => format!("{} {operator} {}", word(left), word(right)),
        TestExpression::Word(inner) => word(inner),
        TestExpression::Not(inner) => format!("!({})", test(inner)),
        TestExpression::And(left, right) => format!("({} && {})", test(left), test(right)),
        TestExpression::Or(left, right) => format!("({} || {})", test(left), test(right)),
        TestExpression::Other(list) => format!("?{}", words(list)),
    }
}

fn words(list: &[Word]) -> String {
    list.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// Plain text as it is, `'quoted'`, `"double"`, `ε` for a word without parts.
fn word(node: &Word) -> String {
    if node.parts.is_empty() { "ε".to_owned() } else { parts(&node.parts) }
}

fn parts(list: &[Part]) -> String {
    let list = list.iter().map(|part| match part {
        Part::Literal(text) => text.clone(),
        Part::Quoted(text) => format!("'{text}'"),
        Part::DoubleQuoted(inside) => format!("\"{}\"", parts(inside)),
        Part::Parameter(inner) => parameter(inner),
        Part::Command(body, _) => format!("$({})", script(body)),
        Part::Process(body, written, _) => format!("{}({})", if *written { ">" } else { "<" }, script(body)),
        Part::Arithmetic(inside) => format!("$(({}))", parts(inside)),
        Part::Gap(_) => "GAP".to_owned(),
    });
    list.collect()
}

fn parameter(node: &Parameter) -> String {
    let index = node.index.as_ref().map_or(String::new(), |index| format!("[{}]", word(index)));
    let operator = match &node.operator {
        None => String::new(),
        Some(ParameterOperator::Default(which, colon, inner)) => {
            format!(" {}{which} {}", if *colon { ":" } else { "" }, word(inner))
        }
        Some(ParameterOperator::Remove(which, doubled, inner)) => {
            format!(" {which}{} {}", if *doubled { "2" } else { "" }, word(inner))
        }
        Some(ParameterOperator::Replace(kind, pattern, replacement)) => {
            format!(" /{kind} {} {}", word(pattern), word(replacement))
        }
        Some(ParameterOperator::Substring(offset, length)) => {
            format!(" : {} {}", word(offset), length.as_ref().map_or("-".to_owned(), word))
        }
        Some(ParameterOperator::Case(which, doubled, pattern)) => {
            let pattern = pattern.as_ref().map_or("-".to_owned(), word);
            format!(" {which}{} {pattern}", if *doubled { "2" } else { "" })
        }
        Some(ParameterOperator::Transform(which)) => format!(" @{which}"),
        Some(ParameterOperator::Names) => " names".to_owned(),
    };
    let flags = format!("{}{}", if node.indirect { "!" } else { "" }, if node.length { "#" } else { "" });
    format!("${{{flags}{}{index}{operator}}}", node.name)
}
