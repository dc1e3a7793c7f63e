use std::fs;
use std::path::PathBuf;

use toml::{Table, Value};

use super::*;
use crate::code::interpret::tests::show;

#[test]
fn names() {
    for name in
        ["delete", "deleteMany", "drop_database", "terminate_instances", "purgeCache", "delete_object"]
    {
        assert!(destroys(name), "{name}");
    }
    for name in ["drop", "dropna", "drop_duplicates", "deleted", "remove", "clear", "truncatechars"] {
        assert!(!destroys(name), "{name}");
    }
    assert!(takes_away("clean_all"));
    assert!(!takes_away("execute_cleanly"));
}

/// The data files, by their language's name.
fn files() -> Vec<(String, Table)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/knowledge/code");
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let file = |path: PathBuf| {
        let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (stem, fs::read_to_string(path).unwrap().parse().unwrap())
    };
    paths.map(file).collect()
}

fn examples(table: &Table) -> Vec<(&str, &str)> {
    let list = table.get("example").and_then(Value::as_array).into_iter().flatten();
    list.map(|one| (one["code"].as_str().unwrap(), one["does"].as_str().unwrap())).collect()
}

#[test]
fn examples_do_what_they_say() {
    let mut wrong = Vec::new();
    for (name, table) in files() {
        // Methods are the same in all languages.
        let language = if name == "methods" { "python" } else { &name };
        for (code, does) in examples(&table) {
            let found = show(language, code, &[]);
            if found != does {
                wrong.push(format!("{name}.toml: {code}\n   wanted: {does}\n   found:  {found}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_act_that_changes_something_is_seen_in_an_example() {
    let mut silent = Vec::new();
    for (name, table) in files() {
        let examples = examples(&table);
        let shown = |function: &str| {
            let last = function.rsplit(['.', ':', '\\']).next().unwrap();
            examples.iter().any(|(code, _)| code.contains(last))
        };
        let library = if name == "methods" { &METHODS } else { Library::of(Language::named(&name).unwrap()) };
        let changes = |function: &str| library.act(function).unwrap().changes();
        for (act, list) in table["functions"].as_table().unwrap() {
            let lists = match list {
                Value::Array(list) => vec![list],
                other => other.as_table().unwrap().values().map(|list| list.as_array().unwrap()).collect(),
            };
            for list in lists {
                let functions: Vec<&str> = list.iter().map(|name| name.as_str().unwrap()).collect();
                if changes(functions[0]) && !functions.iter().any(|function| shown(function)) {
                    silent.push(format!("{name}.toml: {act} = {functions:?}"));
                }
            }
        }
    }
    assert!(silent.is_empty(), "acts without an example:\n{}", silent.join("\n"));
}

#[test]
fn every_listed_name_is_found() {
    for (name, table) in files().iter().filter(|(name, _)| name != "methods") {
        let language = Language::named(name).unwrap();
        let library = Library::of(language);
        assert!(!library.functions.is_empty());
        for (place, act) in library.functions {
            assert_eq!(library.act(name_at(place)), Some(*act), "{}", name_at(place));
        }
        for (list, places) in [("builtin", library.builtin), ("common", library.common)] {
            let listed = table.get("modules").and_then(|modules| modules.get(list)).and_then(Value::as_array);
            for module in listed.into_iter().flatten().map(|module| module.as_str().unwrap()) {
                assert!(has(places, module) && library.has_module(module), "{name}: {module}");
            }
        }
    }
}
