//! The data of MCP servers: every file loads strictly, every name it uses exists, every example holds in the whole
//! pipeline, and every effect and command is reached by one.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use recourse::evaluate::{EvaluationContext, Input, evaluate};
use recourse::knowledge::{Knowledge, McpServer, McpTool, SubjectKind};
use recourse::mcp_call::McpCall;
use recourse::model::{Action, Subject};
use recourse::policy::Policy;
use recourse::world::MemoryWorld;

fn servers() -> Vec<(String, McpServer)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/knowledge/mcp");
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        match McpServer::parse(&file, &fs::read_to_string(&path).unwrap()) {
            Ok(server) => found.push((file, server)),
            Err(error) => panic!("{error}"),
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

fn complain(problems: &[String]) {
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

fn mutations(server: &str, tool: &str, arguments: &toml::Table) -> Vec<String> {
    let call = McpCall::new(Some(server), tool, Some(serde_json::to_value(arguments).unwrap())).unwrap();
    of(Input::Mcp(call))
}

/// `action kind target` of what comes of an input in an empty directory.
fn of(input: Input) -> Vec<String> {
    let world = MemoryWorld::new();
    let context = EvaluationContext { cwd: "/home/u".into(), ..EvaluationContext::default() };
    let done = evaluate(input, &context, &world, &Knowledge::builtin(), &Policy::default());
    assert!(!done.internal_error);
    done.assessments
        .iter()
        .map(|a| {
            let m = &a.mutation;
            let shown = match &m.subject {
                Subject::Path(path) => path.shown.clone(),
                _ => m.target.name.clone().unwrap_or_else(|| m.target.id.clone()),
            };
            format!("{} {} {shown}", format!("{:?}", m.action).to_lowercase(), m.kind).trim().to_owned()
        })
        .collect()
}

#[test]
fn examples_hold() {
    let mut problems = Vec::new();
    let (mut tools, mut examples, mut names) = (0, 0, 0);
    for (file, server) in servers() {
        for (name, tool) in &server.tool {
            tools += 1;
            names += 1 + tool.alias.len();
            if tool.example.is_empty() {
                problems.push(format!("{file}: {name} has no example"));
            }
            for example in &tool.example {
                examples += 1;
                let called = example.tool.as_deref().unwrap_or(name);
                let mut found = mutations(&server.server[0], called, &example.call);
                let mut expected = match (&example.is, &example.like) {
                    (Some(expected), None) => expected.clone(),
                    (None, Some(text)) => of(Input::Shell(recourse::shell::Input::Text(text.clone()))),
                    _ => panic!("{file}: {called}: an example has either `is` or `like`"),
                };
                found.sort();
                expected.sort();
                if found != expected {
                    problems.push(format!("{file}: {called} {}: gives {found:?}", example.call));
                }
            }
        }
        names += server.reads.len();
        for name in &server.reads {
            let found = mutations(&server.server[0], name, &toml::Table::new());
            if !found.is_empty() {
                problems.push(format!("{file}: {name} should only read: {found:?}"));
            }
        }
    }
    eprintln!("{tools} declared tools, {names} names, {examples} examples");
    complain(&problems);
}

#[test]
fn every_effect_is_reached_by_an_example() {
    let mut problems = Vec::new();
    for (file, server) in servers() {
        for (name, tool) in &server.tool {
            let seen: BTreeSet<String> = tool
                .example
                .iter()
                .flat_map(|example| example.is.iter().flatten())
                .map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" "))
                .collect();
            for effect in &tool.effect {
                let wanted = format!("{} {}", format!("{:?}", effect.action).to_lowercase(), effect.on.kind);
                if !seen.contains(&wanted) {
                    problems.push(format!("{file}: {name}: no example gives `{wanted}`"));
                }
            }
        }
    }
    complain(&problems);
}

#[test]
fn every_kind_exists_and_says_what_it_costs() {
    let knowledge = Knowledge::builtin();
    let mut problems = Vec::new();
    for (file, server) in servers() {
        for (name, tool) in &server.tool {
            for effect in &tool.effect {
                let kind = &effect.on.kind;
                match knowledge.kind(kind) {
                    None => problems.push(format!("{file}: {name}: kind {kind} is not declared")),
                    Some(found) if !matches!(found.subject, SubjectKind::Path | SubjectKind::Name) => {
                        problems.push(format!("{file}: {name}: {kind} needs a command (`run`)"));
                    }
                    Some(found)
                        if found.cases(effect.action).is_empty()
                            && !matches!(effect.action, Action::Create | Action::Read) =>
                    {
                        problems.push(format!("{file}: {name}: {kind} has no case for {:?}", effect.action));
                    }
                    Some(_) => {}
                }
            }
        }
    }
    complain(&problems);
}

#[test]
fn names_are_written_once_and_in_one_way() {
    let mut problems = Vec::new();
    let fine = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    let mut families = BTreeSet::new();
    for (file, server) in servers() {
        let mut seen = BTreeSet::new();
        let of_tools = server.tool.iter().flat_map(|(name, tool): (_, &McpTool)| {
            std::iter::once(name.clone()).chain(tool.alias.iter().cloned())
        });
        for name in of_tools.chain(server.reads.iter().cloned()) {
            let mut words: Vec<&str> = name.split('_').collect();
            words.sort_unstable();
            if !fine(&name) || !seen.insert(words.join(" ")) {
                problems.push(format!("{file}: tool `{name}` twice, or not lower case words joined by `_`"));
            }
        }
        for name in &server.server {
            if !fine(name) || !families.insert(name.clone()) {
                problems
                    .push(format!("{file}: server `{name}` twice, or not lower case words joined by `_`"));
            }
        }
    }
    complain(&problems);
}

#[test]
fn the_index_holds_the_same_as_the_files() {
    let families = Knowledge::builtin().mcp();
    for (file, server) in servers() {
        let family = families.iter().find(|family| family.names == server.server);
        let family = family.unwrap_or_else(|| panic!("{file} is not in the index"));
        assert_eq!(family.reads, server.reads, "{file}");
        assert_eq!(family.tools.len(), server.tool.len(), "{file}");
        let head = family.head().unwrap_or_else(|| panic!("{file}: its head cannot be read"));
        assert_eq!((head.alone, head.remote), (server.alone, server.remote), "{file}");
        for (at, names) in family.tools.iter().enumerate() {
            let cut = family.tool(at).unwrap_or_else(|| panic!("{file}: {names:?} cannot be read"));
            let whole = &server.tool[&names[0]];
            assert_eq!(
                (cut.args.len(), cut.effect.len(), cut.run.len(), cut.reads),
                (whole.args.len(), whole.effect.len(), whole.run.len(), whole.reads),
                "{file}: {names:?}"
            );
        }
    }
}
