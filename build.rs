//! Builds the index of the embedded knowledge: tool, kind and Terraform type names with the text that declares them.
//!
//! Only cuts text: examples are left out (tests read the files themselves) and a tool's subcommands are kept apart, so
//! that a process parses no more than what occurs. Strict reading is the loader's business and the tests'.

#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

type Failure = Box<dyn Error>;

/// A header with the lines that follow it.
struct Section {
    /// Keys of the header; empty for the lines before the first one.
    path: Vec<String>,
    /// `[[…]]`.
    array: bool,
    /// Text below the header.
    body: String,
}

/// One tool with its subcommands cut off.
struct Tool {
    names: Vec<String>,
    head: String,
    commands: Vec<(Vec<String>, String)>,
}

fn main() -> Result<(), Failure> {
    if env::var_os("CARGO_FEATURE_CLI").is_none() {
        return Ok(()); // The verification library alone holds no knowledge.
    }
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?).join("knowledge_index.rs");
    let data = root.join("src/knowledge");
    println!("cargo::rerun-if-changed=build.rs");
    let mut text = String::new();
    write_tools(&mut text, &data.join("tools"))?;
    write_tables(&mut text, "KINDS", &data.join("kinds"))?;
    write_tables(&mut text, "TERRAFORM", &data.join("terraform"))?;
    write_mcp(&mut text, &data.join("mcp"))?;
    fs::write(out, text)?;
    Ok(())
}

fn write_tools(out: &mut String, folder: &Path) -> Result<(), Failure> {
    let mut tools = Vec::new();
    let mut index = BTreeMap::new();
    let mut twice = Vec::new();
    for (file, text) in files(folder)? {
        for tool in split_tools(sections(&text)) {
            if tool.names.is_empty() {
                return Err(format!("{}: a tool without a name", file.display()).into());
            }
            for name in &tool.names {
                if index.insert(name.clone(), tools.len()).is_some() {
                    twice.push(format!("{}: tool `{name}` is declared twice", file.display()));
                }
            }
            tools.push(tool);
        }
    }
    if !twice.is_empty() {
        return Err(twice.join("; ").into());
    }
    writeln!(out, "static TOOL_TEXTS: &[ToolText] = &[")?;
    for tool in &tools {
        writeln!(out, "ToolText {{ head: {}, commands: &[", literal(&tool.head))?;
        for (names, text) in &tool.commands {
            writeln!(out, "(&{names:?}, {}),", literal(text))?;
        }
        writeln!(out, "] }},")?;
    }
    writeln!(out, "];\nstatic TOOLS: &[(&str, usize)] = &[")?;
    for (name, position) in index {
        writeln!(out, "({name:?}, {position}),")?;
    }
    writeln!(out, "];")?;
    Ok(())
}

/// Files whose tables are named by their first key: one text per name.
fn write_tables(out: &mut String, name: &str, folder: &Path) -> Result<(), Failure> {
    let mut index: BTreeMap<String, (PathBuf, String)> = BTreeMap::new();
    for (file, text) in files(folder)? {
        for section in sections(&text) {
            let Some(first) = section.path.first() else {
                if section.body.lines().any(|l| !l.trim().is_empty() && !l.trim().starts_with('#')) {
                    return Err(format!("{}: keys before the first table", file.display()).into());
                }
                continue;
            };
            let entry = index.entry(first.clone()).or_insert_with(|| (file.clone(), String::new()));
            if entry.0 != file {
                return Err(format!("{}: `{first}` is declared in two files", file.display()).into());
            }
            if section.path.last().is_some_and(|key| key == "example") {
                continue;
            }
            entry.1.push_str(&header(&section.path, section.array));
            entry.1.push_str(&section.body);
        }
    }
    writeln!(out, "static {name}: &[(&str, &str)] = &[")?;
    for (key, (_, text)) in index {
        writeln!(out, "({key:?}, {}),", literal(&text))?;
    }
    writeln!(out, "];")?;
    Ok(())
}

/// One family of MCP servers per file, its tools cut off.
fn write_mcp(out: &mut String, folder: &Path) -> Result<(), Failure> {
    writeln!(out, "static MCP: &[McpText] = &[")?;
    for (file, text) in files(folder)? {
        let mut head = String::new();
        let mut order: Vec<String> = Vec::new();
        let mut tools: BTreeMap<String, (Vec<String>, String)> = BTreeMap::new();
        for section in sections(&text) {
            match section.path.as_slice() {
                [] => head = section.body,
                [.., last] if last == "example" => {}
                [key, name, below @ ..] if key == "tool" => {
                    let (names, text) = tools.entry(name.clone()).or_insert_with(|| {
                        order.push(name.clone());
                        (vec![name.clone()], String::new())
                    });
                    if below.is_empty() {
                        names.extend(strings_of(&section.body, "alias"));
                        text.insert_str(0, &section.body);
                    } else {
                        text.push_str(&header(below, section.array));
                        text.push_str(&section.body);
                    }
                }
                other => return Err(format!("{}: a table `{}`", file.display(), other.join(".")).into()),
            }
        }
        let names = strings_of(&head, "server");
        if names.is_empty() {
            return Err(format!("{}: `server` is missing", file.display()).into());
        }
        let reads = strings_of(&head, "reads");
        writeln!(
            out,
            "McpText {{ names: &{names:?}, head: {}, reads: &{reads:?}, tools: &[",
            literal(&head)
        )?;
        for (names, text) in order.iter().filter_map(|name| tools.get(name)) {
            writeln!(out, "(&{names:?}, {}),", literal(text))?;
        }
        writeln!(out, "] }},")?;
    }
    writeln!(out, "];")?;
    Ok(())
}

/// All data files of a folder, sorted; none when it is missing.
fn files(folder: &Path) -> Result<Vec<(PathBuf, String)>, Failure> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let Ok(entries) = fs::read_dir(folder) else { return Ok(Vec::new()) };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "toml") {
            paths.push(path);
        }
    }
    paths.sort();
    paths
        .into_iter()
        .map(|path| {
            println!("cargo::rerun-if-changed={}", path.display());
            let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            Ok((path, text))
        })
        .collect()
}

fn split_tools(sections: Vec<Section>) -> Vec<Tool> {
    let mut groups: Vec<Vec<Section>> = vec![Vec::new()];
    for mut section in sections {
        if section.path.first().is_some_and(|key| key == "tools") {
            if section.path.len() == 1 {
                groups.push(Vec::new());
            }
            section.path.remove(0);
        }
        if let Some(group) = groups.last_mut() {
            group.push(section);
        }
    }
    let several = groups.len() > 1;
    groups
        .into_iter()
        .map(split_commands)
        .filter(|tool| !several || !tool.names.is_empty() || tool.head.contains('['))
        .collect()
}

fn split_commands(group: Vec<Section>) -> Tool {
    let mut tool = Tool { names: Vec::new(), head: String::new(), commands: Vec::new() };
    let mut own: BTreeMap<String, String> = BTreeMap::new();
    let mut rest: BTreeMap<String, String> = BTreeMap::new();
    let mut order: Vec<String> = Vec::new();
    for section in group {
        if section.path.last().is_some_and(|key| key == "example") && section.array {
            continue;
        }
        match section.path.as_slice() {
            [] => {
                tool.names = strings_of(&section.body, "tool");
                // Lines before any header must come first.
                tool.head.insert_str(0, &section.body);
            }
            [cmd, name, below @ ..] if cmd == "cmd" => {
                if !order.contains(name) {
                    order.push(name.clone());
                }
                if below.is_empty() {
                    own.entry(name.clone()).or_default().push_str(&section.body);
                } else {
                    let text = rest.entry(name.clone()).or_default();
                    text.push_str(&header(below, section.array));
                    text.push_str(&section.body);
                }
            }
            path => {
                tool.head.push_str(&header(path, section.array));
                tool.head.push_str(&section.body);
            }
        }
    }
    for name in order {
        let mut text = own.remove(&name).unwrap_or_default();
        let mut names = vec![name.clone()];
        names.extend(strings_of(&text, "alias"));
        text.push_str(&rest.remove(&name).unwrap_or_default());
        tool.commands.push((names, text));
    }
    tool
}

fn header(path: &[String], array: bool) -> String {
    let keys = path.iter().map(|key| format!("{key:?}")).collect::<Vec<_>>().join(".");
    if array { format!("[[{keys}]]\n") } else { format!("[{keys}]\n") }
}

/// The string or list of strings that `key` has among these lines.
fn strings_of(body: &str, key: &str) -> Vec<String> {
    let mut offset = 0;
    for line in body.split_inclusive('\n') {
        let trimmed = line.trim_start();
        if let Some(after) = trimmed.strip_prefix(key)
            && after.trim_start().starts_with('=')
        {
            let start = offset + (line.len() - after.len());
            return quoted(body[start..].trim_start().trim_start_matches('=').trim_start());
        }
        offset += line.len();
    }
    Vec::new()
}

fn quoted(text: &str) -> Vec<String> {
    let list = text.starts_with('[');
    let mut found = Vec::new();
    let mut rest = text;
    loop {
        let Some(start) = rest.find(['"', '\'', ']', '#']) else { return found };
        let mark = rest.as_bytes()[start];
        match mark {
            b']' => return found,
            b'#' => match rest[start..].find('\n') {
                Some(end) => rest = &rest[start + end..],
                None => return found,
            },
            _ => {
                let inner = &rest[start + 1..];
                let Some(end) = inner.find(char::from(mark)) else { return found };
                found.push(inner[..end].to_owned());
                rest = &inner[end + 1..];
                if !list {
                    return found;
                }
            }
        }
    }
}

/// Cuts a TOML text at its headers. Brackets inside strings, arrays and comments are no headers.
fn sections(text: &str) -> Vec<Section> {
    let mut found = vec![Section { path: Vec::new(), array: false, body: String::new() }];
    let mut depth = 0_i32;
    let mut multiline: Option<&str> = None;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start();
        if depth == 0 && multiline.is_none() && trimmed.starts_with('[') {
            let array = trimmed.starts_with("[[");
            found.push(Section { path: header_keys(trimmed), array, body: String::new() });
            continue;
        }
        if let Some(last) = found.last_mut() {
            last.body.push_str(line);
        }
        scan(line, &mut depth, &mut multiline);
    }
    if let Some(last) = found.last_mut()
        && !last.body.ends_with('\n')
    {
        last.body.push('\n');
    }
    found
}

fn header_keys(line: &str) -> Vec<String> {
    let mut keys = Vec::new();
    let mut key = String::new();
    let mut quote = None;
    for c in line.trim_start_matches('[').chars() {
        match quote {
            Some(q) if c == q => quote = None,
            Some(_) => key.push(c),
            None => match c {
                '"' | '\'' => quote = Some(c),
                '.' => keys.push(std::mem::take(&mut key)),
                ']' => break,
                c if c.is_whitespace() => {}
                c => key.push(c),
            },
        }
    }
    keys.push(key);
    keys
}

/// Follows strings and brackets through one line.
fn scan(line: &str, depth: &mut i32, multiline: &mut Option<&'static str>) {
    let mut rest = line;
    while !rest.is_empty() {
        if let Some(mark) = multiline {
            let Some(end) = rest.find(*mark) else { return };
            rest = &rest[end + 3..];
            *multiline = None;
            continue;
        }
        if rest.starts_with("\"\"\"") {
            *multiline = Some("\"\"\"");
            rest = &rest[3..];
        } else if rest.starts_with("'''") {
            *multiline = Some("'''");
            rest = &rest[3..];
        } else if let Some(inner) = rest.strip_prefix('\'') {
            rest = inner.find('\'').map_or("", |end| &inner[end + 1..]);
        } else if let Some(inner) = rest.strip_prefix('"') {
            let mut escaped = false;
            let end = inner.char_indices().find_map(|(i, c)| {
                if escaped {
                    escaped = false;
                } else if c == '\\' {
                    escaped = true;
                } else if c == '"' {
                    return Some(i + 1);
                }
                None
            });
            rest = end.map_or("", |end| &inner[end..]);
        } else {
            let Some(c) = rest.chars().next() else { return };
            match c {
                '#' => return,
                '[' | '{' => *depth += 1,
                ']' | '}' => *depth -= 1,
                _ => {}
            }
            rest = &rest[c.len_utf8()..];
        }
    }
}

/// A raw string literal; comments and empty lines are left out.
fn literal(text: &str) -> String {
    let kept = text
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
        .collect::<Vec<_>>()
        .join("\n");
    let mut hashes = "#".to_owned();
    while kept.contains(&format!("\"{hashes}")) {
        hashes.push('#');
    }
    format!("r{hashes}\"{kept}\n\"{hashes}")
}
