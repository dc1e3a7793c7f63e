//! Keeping first and taking back, as people and agents see it: lines, questions, keys, lists and exit statuses.

mod people;
mod said;

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use crate::support::{InTerminal, Scratch, exists, program};

/// Only after these words do keys count.
const ASKED: &str = "Your decision";

/// A project below a home of its own: what lies in it exists nowhere else.
struct Place {
    scratch: Scratch,
}

impl Place {
    fn new() -> Self {
        let place = Self { scratch: Scratch::new() };
        fs::create_dir_all(place.proj()).unwrap();
        place.write("notes.md", "hello, nowhere else\n");
        place
    }

    fn with_policy(text: &str) -> Self {
        let place = Self::new();
        place.scratch.policy(text);
        place
    }

    fn proj(&self) -> PathBuf {
        self.scratch.root().join("home/proj")
    }

    fn write(&self, name: &str, content: &str) {
        let path = self.proj().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.proj().join(name)).ok()
    }

    fn has(&self, name: &str) -> bool {
        exists(&self.proj().join(name))
    }

    /// The line in a terminal, with `recourse` for the program.
    fn typed(&self, line: &str) -> InTerminal {
        self.typed_with(line, 80, &[])
    }

    fn typed_with(&self, line: &str, columns: u16, variables: &[(&str, &str)]) -> InTerminal {
        let line = format!("recourse() {{ {} \"$@\"; }}; cd ../home/proj && {line}", program());
        self.scratch.in_sized_terminal(&["bash", "--norc", "-c", &line], columns, variables)
    }

    /// The program without a terminal, as an agent runs it.
    fn agent(&self, words: &[&str]) -> Output {
        let mut command = self.scratch.recourse(words);
        command.current_dir(self.proj()).env("CLAUDECODE", "1").stdin(std::process::Stdio::null());
        command.output().unwrap()
    }

    /// The program without a terminal.
    fn run(&self, words: &[&str]) -> Output {
        let mut command = self.scratch.recourse(words);
        command.current_dir(self.proj()).stdin(std::process::Stdio::null()).output().unwrap()
    }

    /// Keeps and runs a line as an agent.
    fn kept(&self, line: &str) {
        let output = self.agent(&["exec", "-c", line]);
        assert_eq!(output.status.code(), Some(0), "{line}: {}", both(&output));
    }
}

/// All that was printed.
fn both(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// The id of the newest point.
fn newest(place: &Place) -> String {
    let list = crate::support::json(&place.run(&["kept", "--format", "json"]));
    list["points"][0]["id"].as_str().unwrap().to_owned()
}
