//! Builds the index of the embedded knowledge: tool, kind, look, service and Terraform type names with what is declared of each.
//!
//! Files are people's TOML; a process reads what occurs several times faster as JSON, so that is what is embedded, in
//! one text for all. The index beside it holds positions in that text and no addresses: a table of thousands of
//! addresses would have to be corrected at every start. Examples and what rules rest on
//! are left out (tests read the files themselves) and a tool's subcommands are kept apart, so that a process reads no
//! more than what occurs. Strict reading is the loader's business and the tests'.

#![allow(clippy::print_stdout)]

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    // The verification library alone holds no knowledge.
    #[cfg(feature = "cli")]
    {
        unwinder::link();
        folding::link();
        knowledge::write()?;
    }
    Ok(())
}

/// What the functions of languages do is read here alone: the program finds it sorted.
#[cfg(feature = "cli")]
#[path = "src/knowledge/libraries.rs"]
mod libraries;
#[cfg(feature = "cli")]
#[path = "src/knowledge/nearest.rs"]
#[allow(unreachable_pub)] // Public in the program.
mod nearest;

/// The program is started before every command of a shell: each shared library that it does not need is time saved.
#[cfg(feature = "cli")]
mod unwinder {
    use std::env;
    use std::path::Path;
    use std::process::Command;

    const ARCHIVE: &str = "libgcc_eh.a";

    /// Takes the unwinder from gcc's archive where there is one, and not from a library that is loaded at every start.
    pub(super) fn link() {
        let target = |name: &str| env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
        // Elsewhere that archive may want helpers of a library that nobody links; there the shared one is loaded.
        let tried = ["ARCH", "OS", "ENV"].map(target) == ["x86_64", "linux", "gnu"];
        if !tried || env::var("HOST") != env::var("TARGET") {
            return;
        }
        let Ok(found) = Command::new("cc").arg(format!("-print-file-name={ARCHIVE}")).output() else {
            return;
        };
        let Ok(path) = String::from_utf8(found.stdout) else { return };
        let path = Path::new(path.trim());
        // A compiler that has none prints the bare name.
        if let Some(folder) = path.parent().filter(|_| path.is_absolute() && path.is_file()) {
            println!("cargo::rustc-link-search=native={}", folder.display());
            println!("cargo::rustc-link-lib=static:-bundle=gcc_eh");
            // So that all of it comes from there, also what only the standard library names.
            println!("cargo::rustc-link-arg-bin=recourse=-Wl,-u,_Unwind_RaiseException");
        }
    }
}

/// What is less is loaded faster: functions that came out the same for several types stand in the program once.
#[cfg(feature = "cli")]
mod folding {
    use std::env;
    use std::path::Path;
    use std::process::Command;

    /// Asks the linker that comes with the compiler for it, where that is the one that is used: another may not know how.
    pub(super) fn link() {
        let set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
        let target = env::var("TARGET").unwrap_or_default();
        if target != "x86_64-unknown-linux-gnu" || set("RUSTC_LINKER") || set("CARGO_ENCODED_RUSTFLAGS") {
            return;
        }
        let compiler = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let Ok(found) = Command::new(compiler).args(["--print", "sysroot"]).output() else { return };
        let Ok(root) = String::from_utf8(found.stdout) else { return };
        if Path::new(root.trim()).join("lib/rustlib").join(target).join("bin/gcc-ld/ld.lld").is_file() {
            println!("cargo::rustc-link-arg-bins=-Wl,--icf=all");
        }
    }
}

#[cfg(feature = "cli")]
mod knowledge {
    use std::collections::BTreeMap;
    use std::error::Error;
    use std::fmt::Write as _;
    use std::ops::Range;
    use std::path::{Path, PathBuf};
    use std::{env, fs};

    use toml::{Table, Value};

    type Failure = Box<dyn Error>;

    /// Rows of numbers, by table.
    type Rows = BTreeMap<&'static str, Vec<Vec<usize>>>;

    /// Files of lists that nearly every process asks something of.
    const WORD_LISTS: [&str; 7] =
        ["agents", "machine", "regenerable", "terraform_gains", "terraform_signs", "tool_words", "variables"];

    /// Of these that are long and that no prompt reads: deflated.
    const PACKED: [&str; 1] = ["terraform_signs"];

    /// What is written.
    #[derive(Default)]
    struct Index {
        /// Names, apart from the long texts: looking one up touches few pages.
        names: String,
        texts: String,
        /// What is declared of Terraform types: no prompt reads it, so it is kept small in the program.
        plans: String,
        rows: Rows,
    }

    pub(super) fn write() -> Result<(), Failure> {
        let data = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("src/knowledge");
        let out = PathBuf::from(env::var("OUT_DIR")?);
        // Read whole where they are used.
        for name in [
            "agents",
            "facts",
            "guard",
            "languages",
            "machine",
            "places",
            "prints",
            "regenerable",
            "secrets",
            "terraform_gains",
            "terraform_signs",
            "tool_words",
            "variables",
        ] {
            let file = data.join(name).with_extension("toml");
            let mut json = String::new();
            let mut table = read(&file)?;
            if WORD_LISTS.contains(&name) {
                as_words(&mut table);
            }
            write_table(&mut json, &table)?;
            let out = out.join(name);
            if PACKED.contains(&name) {
                fs::write(out.with_extension("deflate"), deflated(&json))?;
            } else {
                fs::write(out.with_extension("json"), json)?;
            }
        }
        let mut index = Index::default();
        index.tools(&data.join("tools"))?;
        index.tables("KINDS", &data.join("kinds"))?;
        index.tables("LOOKS", &data.join("looks"))?;
        index.tables("SERVICES", &data.join("keeping"))?;
        index.tables("TERRAFORM", &data.join("terraform"))?;
        index.servers(&data.join("mcp"))?;
        let mut code = String::new();
        for (name, rows) in &index.rows {
            let width = rows.first().map_or(0, Vec::len);
            writeln!(code, "static {name}: &[[u32; {width}]] = &{rows:?};")?;
        }
        fs::write(out.join("knowledge_index.rs"), code)?;
        fs::write(out.join("code_libraries.rs"), code_libraries(&data.join("code"), &out)?)?;
        fs::write(out.join("knowledge_names.txt"), index.names)?;
        fs::write(out.join("knowledge_texts.txt"), index.texts)?;
        fs::write(out.join("knowledge_plans.deflate"), deflated(&index.plans))?;
        Ok(())
    }

    impl Index {
        fn name(&mut self, name: &str) -> Range<usize> {
            append(&mut self.names, name)
        }

        /// Adds names to a table of them; tells their numbers.
        fn names(&mut self, table: &'static str, names: impl IntoIterator<Item = String>) -> Range<usize> {
            let first = self.rows(table);
            for name in names {
                let name = self.name(&name);
                self.row(table, vec![name.start, name.end]);
            }
            first..self.rows(table)
        }

        fn text(&mut self, table: &Table) -> Result<Range<usize>, Failure> {
            let mut json = String::new();
            write_table(&mut json, table)?;
            Ok(append(&mut self.texts, &json))
        }

        fn plan(&mut self, table: &Table) -> Result<Range<usize>, Failure> {
            let mut json = String::new();
            write_table(&mut json, table)?;
            Ok(append(&mut self.plans, &json))
        }

        /// Adds a row; tells its number.
        fn row(&mut self, table: &'static str, row: Vec<usize>) -> usize {
            let rows = self.rows.entry(table).or_default();
            rows.push(row);
            rows.len() - 1
        }

        /// How many rows a table has so far.
        fn rows(&self, table: &str) -> usize {
            self.rows.get(table).map_or(0, Vec::len)
        }

        fn tools(&mut self, folder: &Path) -> Result<(), Failure> {
            let mut found: BTreeMap<String, usize> = BTreeMap::new();
            for (file, table) in files(folder)? {
                let wrong = |what: String| format!("{}: {what}", file.display());
                for mut tool in split_tools(table) {
                    let names = strings(tool.get("tool"));
                    if names.is_empty() {
                        return Err(wrong("a tool without a name".to_owned()).into());
                    }
                    let number = self.tool(&mut tool)?;
                    for name in names {
                        if found.insert(name.clone(), number).is_some() {
                            return Err(wrong(format!("tool `{name}` is declared twice")).into());
                        }
                    }
                }
            }
            for (name, number) in found {
                let name = self.name(&name);
                self.row("TOOLS", vec![name.start, name.end, number]);
            }
            Ok(())
        }

        /// A tool and, apart from it, its subcommands.
        fn tool(&mut self, tool: &mut Table) -> Result<usize, Failure> {
            let first = self.rows("COMMANDS");
            tool.remove("examples");
            if let Some(Value::Table(commands)) = tool.remove("cmd") {
                for (name, command) in commands {
                    let Value::Table(mut command) = command else {
                        return Err(format!("`cmd.{name}` is no table").into());
                    };
                    let aliases = strings(command.remove("alias").as_ref());
                    let names = self.names("COMMAND_NAMES", std::iter::once(name).chain(aliases));
                    let text = self.text(&command)?;
                    self.row("COMMANDS", vec![text.start, text.end, names.start, names.end]);
                }
            }
            let text = self.text(tool)?;
            let commands = [first, self.rows("COMMANDS")];
            Ok(self.row("TOOL_TEXTS", vec![text.start, text.end, commands[0], commands[1]]))
        }

        /// One family of MCP servers per file and, apart from it, its tools.
        fn servers(&mut self, folder: &Path) -> Result<(), Failure> {
            for (file, mut server) in files(folder)? {
                let names = strings(server.get("server"));
                if names.is_empty() {
                    return Err(format!("{}: `server` is missing", file.display()).into());
                }
                let names = self.names("MCP_NAMES", names);
                let reads = self.names("MCP_NAMES", strings(server.get("reads")));
                let first = self.rows("MCP_TOOLS");
                if let Some(Value::Table(tools)) = server.remove("tool") {
                    // As written: of two tools that go by the same words the later one counts.
                    let text = fs::read_to_string(&file)?;
                    let mut tools: Vec<(String, Value)> = tools.into_iter().collect();
                    tools.sort_by_key(|(name, _)| text.lines().position(|line| is_header_of(line, name)));
                    for (name, tool) in tools {
                        let Value::Table(tool) = tool else {
                            return Err(format!("{}: `tool.{name}` is no table", file.display()).into());
                        };
                        let aliases = strings(tool.get("alias"));
                        let names = self.names("MCP_NAMES", std::iter::once(name).chain(aliases));
                        let text = self.text(&tool)?;
                        self.row("MCP_TOOLS", vec![text.start, text.end, names.start, names.end]);
                    }
                }
                let tools = first..self.rows("MCP_TOOLS");
                let text = self.text(&server)?;
                let row = [text, names, reads, tools].map(|part| [part.start, part.end]);
                self.row("MCP", row.concat());
            }
            Ok(())
        }

        /// Files whose tables are named by their keys: one text per name.
        fn tables(&mut self, rows: &'static str, folder: &Path) -> Result<(), Failure> {
            let mut found: BTreeMap<String, Range<usize>> = BTreeMap::new();
            for (file, table) in files(folder)? {
                for (name, value) in table {
                    let mut value = match value {
                        Value::Table(value) => value,
                        // A list stands in a table of its own.
                        Value::Array(_) => Table::from_iter([("list".to_owned(), value)]),
                        _ => return Err(format!("{}: keys before the first table", file.display()).into()),
                    };
                    let names = std::iter::once(name).chain(strings(value.remove("also").as_ref()));
                    let text = if rows == "TERRAFORM" { self.plan(&value) } else { self.text(&value) }?;
                    for name in names {
                        if found.insert(name.clone(), text.clone()).is_some() {
                            return Err(format!("{}: `{name}` is declared twice", file.display()).into());
                        }
                    }
                }
            }
            for (name, text) in found {
                let name = self.name(&name);
                self.row(rows, vec![name.start, name.end, text.start, text.end]);
            }
            Ok(())
        }
    }

    /// Tables of what functions do, sorted by name; the names stand in a text beside them.
    fn code_libraries(folder: &Path, out: &Path) -> Result<String, Failure> {
        let mut names = String::new();
        let mut code = String::new();
        for path in paths(folder)? {
            println!("cargo::rerun-if-changed={}", path.display());
            let library = super::libraries::read(&path.display().to_string(), &fs::read_to_string(&path)?)?;
            let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
            let mut place = |name: &str| {
                let range = append(&mut names, name);
                format!("[{}, {}]", range.start, range.end)
            };
            writeln!(code, "static {}: Library = Library {{ functions: &[", stem.to_uppercase())?;
            for (name, act) in &library.functions {
                writeln!(code, "({}, {act}),", place(name))?;
            }
            writeln!(code, "], renamed: &[")?;
            for (name, real) in &library.renamed {
                writeln!(code, "({}, {}),", place(name), place(real))?;
            }
            writeln!(code, "],")?;
            for full in super::libraries::lists() {
                let mut list = library.lists.get(&full).cloned().unwrap_or_default();
                list.sort();
                let places: Vec<_> = list.iter().map(|name| place(name)).collect();
                let field = full.rsplit('.').next().unwrap_or(&full);
                writeln!(code, "{field}: &[{}],", places.join(", "))?;
            }
            writeln!(code, "}};")?;
        }
        // The words by which tools are judged speak of functions as well.
        let words = read(&folder.with_file_name("tool_words.toml"))?;
        let list = |table: &str, list: &str| {
            let text = words.get(table).and_then(|table| table.get(list)).and_then(Value::as_str);
            let mut list: Vec<String> =
                text.unwrap_or_default().split_whitespace().map(str::to_owned).collect();
            list.sort();
            list
        };
        let mild = list("commands", "mild");
        let mut destroying = list("verbs", "deletes");
        destroying.retain(|word| !mild.contains(word));
        let writing = list("commands", "writing_calls");
        for (table, list) in [("DESTROYING", destroying), ("MILD", mild), ("WRITING", writing)] {
            let places: Vec<_> = list
                .iter()
                .map(|word| {
                    let range = append(&mut names, word);
                    format!("[{}, {}]", range.start, range.end)
                })
                .collect();
            writeln!(code, "static {table}: &[Place] = &[{}];", places.join(", "))?;
        }
        fs::write(out.join("code_names.txt"), names)?;
        Ok(code)
    }

    /// All data files of a folder, sorted; none when it is missing.
    fn files(folder: &Path) -> Result<Vec<(PathBuf, Table)>, Failure> {
        paths(folder)?.into_iter().map(|path| read(&path).map(|table| (path, table))).collect()
    }

    fn paths(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
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
        Ok(paths)
    }

    fn read(path: &Path) -> Result<Table, Failure> {
        println!("cargo::rerun-if-changed={}", path.display());
        let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(text.parse::<Table>().map_err(|e| format!("{}: {e}", path.display()))?)
    }

    /// A file is one tool, or several under `tools`.
    fn split_tools(mut table: Table) -> Vec<Table> {
        let Some(Value::Array(tools)) = table.remove("tools") else { return vec![table] };
        let mut split: Vec<Table> = tools
            .into_iter()
            .filter_map(|tool| match tool {
                Value::Table(tool) => Some(tool),
                _ => None,
            })
            .collect();
        if !table.is_empty() {
            split.push(table);
        }
        split
    }

    /// Whether a line is a header of a tool's table, or of a table in it.
    fn is_header_of(line: &str, tool: &str) -> bool {
        let name = line.trim_start_matches('[').strip_prefix("tool.").filter(|_| line.starts_with('['));
        let after = name.and_then(|name| name.trim_start_matches('"').strip_prefix(tool));
        after.is_some_and(|after| after.starts_with(['.', ']', '"']))
    }

    /// A string, or a list of strings.
    fn strings(value: Option<&Value>) -> Vec<String> {
        match value {
            Some(Value::String(text)) => vec![text.clone()],
            Some(Value::Array(list)) => {
                list.iter().filter_map(|text| text.as_str().map(str::to_owned)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Lists of words as one text with single spaces: it is used where it stands, nothing is made of it. What is found in the
    /// middle of a text (`when`, `unless`) may hold a space and stays a list.
    fn as_words(table: &mut Table) {
        for (_, value) in table.iter_mut().filter(|(key, _)| {
            !matches!(
                key.as_str(),
                "when"
                    | "unless"
                    | "behind"
                    | "cut"
                    | "begins"
                    | "says"
                    | "closes"
                    | "sites"
                    | "named"
                    | "split"
            )
        }) {
            match value {
                Value::Table(table) => as_words(table),
                Value::String(text) => *text = text.split_whitespace().collect::<Vec<_>>().join(" "),
                Value::Array(list) => {
                    list.iter_mut().filter_map(Value::as_table_mut).for_each(as_words);
                    let words: Option<Vec<&str>> = list.iter().map(Value::as_str).collect();
                    if let Some(text) = words.map(|words| words.join(" ")) {
                        *value = Value::String(text);
                    }
                }
                _ => {}
            }
        }
    }

    fn append(all: &mut String, text: &str) -> Range<usize> {
        let start = all.len();
        all.push_str(text);
        start..all.len()
    }

    /// As small as it gets; `knowledge::packed` reads it.
    fn deflated(text: &str) -> Vec<u8> {
        miniz_oxide::deflate::compress_to_vec(text.as_bytes(), 10)
    }

    /// A table as JSON, without what only people and tests read of it: its examples, and what its rules rest on.
    fn write_table(out: &mut String, table: &Table) -> Result<(), Failure> {
        out.push('{');
        let kept = table
            .iter()
            .filter(|(key, value)| !(matches!(key.as_str(), "example" | "doc") && value.is_array()));
        for (number, (key, value)) in kept.enumerate() {
            if number > 0 {
                out.push(',');
            }
            write_string(out, key);
            out.push(':');
            write_value(out, value)?;
        }
        out.push('}');
        Ok(())
    }

    fn write_value(out: &mut String, value: &Value) -> Result<(), Failure> {
        match value {
            Value::String(text) => write_string(out, text),
            Value::Integer(number) => write!(out, "{number}")?,
            Value::Boolean(truth) => write!(out, "{truth}")?,
            Value::Table(table) => write_table(out, table)?,
            Value::Array(list) => {
                out.push('[');
                for (number, value) in list.iter().enumerate() {
                    if number > 0 {
                        out.push(',');
                    }
                    write_value(out, value)?;
                }
                out.push(']');
            }
            Value::Float(_) | Value::Datetime(_) => {
                return Err(format!("`{value}`: knowledge has no such values").into());
            }
        }
        Ok(())
    }

    fn write_string(out: &mut String, text: &str) {
        out.push('"');
        for c in text.chars() {
            match c {
                '"' | '\\' => out.extend(['\\', c]),
                c if c.is_control() => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        out.push_str(&format!("\\u{unit:04x}"));
                    }
                }
                c => out.push(c),
            }
        }
        out.push('"');
    }
}
