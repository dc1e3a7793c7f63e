//! Walls: which module may use which, and which may look at the machine, as the table of `src/lib.rs` says.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::source::{self, File, Named};
use super::src;

/// A row of the table in `src/lib.rs`.
#[derive(Debug)]
struct Room {
    name: String,
    /// It looks at nothing but its arguments, or at the machine through another module's eyes.
    pure: bool,
}

/// What a pure module must not name, wherever it stands in a path.
const IMPURE: &[&str] = &[
    "std::fs",
    "std::env",
    "std::process",
    "std::net",
    "std::os",
    "SystemTime::now",
    "Instant::now",
    "io::stdin",
    "io::stdout",
    "io::stderr",
    "File::open",
    "File::create",
    "Command::new",
    "nix",
    "libc",
    "crossterm",
    "ureq",
];

/// What may be named after all: by module and path.
const MAY: &[(&str, &str)] = &[
    // The deadline of a parse.
    ("syntax", "Instant::now"),
    // Bytes and text of the system, without the system.
    ("", "std::os::unix::ffi"),
];

/// Rooms whose own files import each other in circles: the size of the largest circle. It may only shrink.
const CIRCLES: &[(&str, usize)] = &[
    ("syntax", 2),
    ("code", 2),
    ("world", 2),
    ("knowledge", 16),
    ("shell", 15),
    ("effects", 6),
    ("programs", 15),
    ("terraform", 3),
    ("mcp_call", 3),
    ("evidence", 6),
    ("policy", 5),
    ("prompt", 2),
];

/// A room that the table speaks of before it stands.
const PLANNED: &str = "programs";

fn rooms() -> Vec<Room> {
    let text = std::fs::read_to_string(src().join("lib.rs")).unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("//! | "));
    let rooms: Vec<Room> = rows
        .filter_map(|row| {
            let cells: Vec<&str> = row.split(" | ").collect();
            let name = cells[0].trim_start_matches(['[', '`']);
            let name: String = name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let eyes = cells.get(2)?.trim_end_matches('|').trim();
            let room = Room { name, pure: eyes == "no" || eyes.starts_with("through ") };
            (!matches!(cells[0], "module" | "---")).then_some(room)
        })
        .collect();
    assert!(rooms.len() > 20, "the table of src/lib.rs is found");
    rooms
}

/// Uses that lead where they may not.
fn pointing_down(file: &File, rooms: &[Room]) -> Vec<String> {
    let place = |name: &str| rooms.iter().position(|room| room.name == name);
    let Some(own) = place(file.room()) else {
        return vec![format!("{}: the table of src/lib.rs has no row for this module", file.at(1))];
    };
    let wrong = |named: &Named| {
        let whole = named.renamed && matches!(named.names[..], [ref only] if only == "crate");
        let target = file.absolute(named)?;
        let leads_down = match target.first().map(String::as_str) {
            Some("*") => true,
            Some(room) => place(room).is_some_and(|other| other > own),
            None => whole,
        };
        leads_down
            .then(|| format!("{}: `{}` uses {}", file.at(named.line), file.room(), named.names.join("::")))
    };
    file.said.paths.iter().filter_map(wrong).collect()
}

#[test]
fn imports_never_point_down_the_table() {
    let rooms = rooms();
    let wrong: Vec<String> = source::crate_files(&src())
        .iter()
        .filter(|file| !file.is_test && !file.module.is_empty())
        .flat_map(|file| pointing_down(file, &rooms))
        .collect();
    assert!(wrong.is_empty(), "uses of what stands below in the table of src/lib.rs:\n{}", wrong.join("\n"));
}

#[test]
fn the_table_of_the_house_has_a_row_for_each_room_and_no_other() {
    let files = source::crate_files(&src());
    let house = files.iter().find(|file| file.path == Path::new("lib.rs")).unwrap();
    // A crate beside the house is a room under the name that the house gives it.
    let beside = house.said.paths.iter().filter(|named| named.names[0] == "recourse_attest");
    let beside = beside.map(|named| match &named.names[..] {
        [_, own] => own.clone(),
        _ => "attest".to_owned(),
    });
    let declared: BTreeSet<String> = house.said.modules.iter().cloned().chain(beside).collect();
    let rows = rooms().into_iter().map(|room| room.name);
    let rows: BTreeSet<String> = rows.filter(|row| row != PLANNED || declared.contains(PLANNED)).collect();
    assert_eq!(rows, declared);
}

/// What a pure module names that looks at the machine.
fn impure(file: &File) -> Vec<String> {
    let mut wrong = Vec::new();
    for named in &file.said.paths {
        let text = named.names.join("::");
        let whole_std = named.names[0] == "std"
            && (named.names.len() == 1 && named.renamed
                || named.names.get(1).is_some_and(|name| name == "*"));
        let hit = IMPURE.iter().find(|name| names(&named.names, name)).copied();
        let may = MAY
            .iter()
            .any(|(room, path)| (room.is_empty() || *room == file.room()) && names(&named.names, path));
        if whole_std || (hit.is_some() && !may) {
            wrong.push(format!("{}: {text}", file.at(named.line)));
        }
    }
    wrong
}

/// Whether a path has these names one after the other; single names only at its start.
fn names(path: &[String], what: &str) -> bool {
    let what: Vec<&str> = what.split("::").collect();
    match what[..] {
        [only] => path.len() > 1 && path[0] == only,
        _ => path.windows(what.len()).any(|part| part == what),
    }
}

#[test]
fn pure_modules_do_no_input_or_output() {
    let pure: Vec<String> = rooms().into_iter().filter(|room| room.pure).map(|room| room.name).collect();
    let wrong: Vec<String> = source::crate_files(&src())
        .iter()
        .filter(|file| !file.is_test && pure.iter().any(|room| room == file.room()))
        .flat_map(impure)
        .collect();
    assert!(wrong.is_empty(), "looks at the machine outside `world`:\n{}", wrong.join("\n"));
}

#[test]
fn holes_in_the_walls_are_seen() {
    let file = |text: &str| File {
        path: "model/x.rs".into(),
        module: vec!["model".into(), "x".into()],
        text: text.to_owned(),
        said: source::read(text),
        is_test: false,
    };
    let rooms = rooms();
    for text in [
        "#[cfg(test)]\nmod tests;\nuse crate::cli::main;",
        "use crate::{text, shell::Step};",
        "use crate::{\n    shell,\n};",
        "use super::super::shell;",
        "fn f() { mac!(crate::shell::x()) }",
        "use crate as all;",
        "use crate::*;",
    ] {
        assert_eq!(pointing_down(&file(text), &rooms).len(), 1, "{text}");
    }
    for text in
        ["use crate::model::Tier;", "use super::value;", "#[cfg(test)]\nmod tests {\n use crate::cli;\n}"]
    {
        assert_eq!(pointing_down(&file(text), &rooms), Vec::<String>::new(), "{text}");
    }
    for text in [
        "#[cfg(test)]\nmod tests;\nuse std::fs;",
        "use std::{fs};",
        "use std::{collections::BTreeMap, env as e};",
        "use std as s;",
        "use std::*;",
        "fn f() { nix::unistd::getpid(); }",
        "fn f() { let _ = SystemTime::now(); }",
    ] {
        assert_eq!(impure(&file(text)).len(), 1, "{text}");
    }
    assert!(impure(&file("use std::fmt; // std::fs\nfn unix() { \"std::fs\"; }")).is_empty());
}

/// The largest circle of imports among a room's files.
fn largest_circle(files: &[&File]) -> Vec<String> {
    let place: BTreeMap<&[String], usize> =
        files.iter().enumerate().map(|(at, file)| (file.module.as_slice(), at)).collect();
    let uses: Vec<BTreeSet<usize>> = files
        .iter()
        .map(|file| {
            let targets = file.said.paths.iter().filter_map(|named| file.absolute(named));
            let used = targets.filter_map(|target| {
                (0..=target.len()).rev().find_map(|end| place.get(&target[..end]).copied())
            });
            // That a module's own file uses what stands below it is no way back.
            used.filter(|other| !files[*other].module.starts_with(&file.module)).collect()
        })
        .collect();
    let reached = |from: usize| {
        let mut seen = BTreeSet::new();
        let mut open = vec![from];
        while let Some(at) = open.pop() {
            open.extend(uses[at].iter().filter(|next| seen.insert(**next)));
        }
        seen
    };
    let all: Vec<BTreeSet<usize>> = (0..files.len()).map(reached).collect();
    let circle = |at: usize| -> Vec<usize> {
        (0..files.len()).filter(|other| all[at].contains(other) && all[*other].contains(&at)).collect()
    };
    let largest = (0..files.len()).map(circle).max_by_key(Vec::len);
    largest.unwrap_or_default().into_iter().map(|at| files[at].path.display().to_string()).collect()
}

#[test]
fn the_circles_of_imports_inside_a_room_only_shrink() {
    let files = source::crate_files(&src());
    let mut wrong = Vec::new();
    for room in rooms() {
        let own: Vec<&File> = files.iter().filter(|file| !file.is_test && file.room() == room.name).collect();
        let circle = largest_circle(&own);
        let limit = CIRCLES.iter().find(|(name, _)| *name == room.name).map_or(0, |(_, limit)| *limit);
        if circle.len() > limit {
            wrong.push(format!(
                "{}: {} files, at most {limit}: {}",
                room.name,
                circle.len(),
                circle.join(" ")
            ));
        }
    }
    assert!(wrong.is_empty(), "files that import each other in a circle:\n{}", wrong.join("\n"));
}
