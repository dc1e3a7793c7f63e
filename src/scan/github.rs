//! GitHub Actions: the steps of workflows and of composite actions.
//!
//! Facts: <https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax>. A step's text goes to bash
//! where nothing else is said (on Windows to PowerShell), expressions are put in before; a job on a machine of GitHub's,
//! or in a container, has it for itself.

use std::rc::Rc;

use super::align::{filled, lines};
use super::{Dialect, Found, GIVEN, Piece, Place, Runs, TREE, UNKNOWN};
use crate::yaml::Node;

/// Labels of machines that are made for one job.
const HOSTED: [&str; 3] = ["ubuntu-", "windows-", "macos-"];
/// Variables of a runner that name its own places.
const PLACES: [(&str, &str); 8] = [
    ("RUNNER_TEMP", "/tmp/runner"),
    ("GITHUB_ENV", "/tmp/runner/env"),
    ("GITHUB_OUTPUT", "/tmp/runner/output"),
    ("GITHUB_PATH", "/tmp/runner/path"),
    ("GITHUB_STATE", "/tmp/runner/state"),
    ("GITHUB_STEP_SUMMARY", "/tmp/runner/summary"),
    ("GITHUB_WORKSPACE", TREE),
    ("CI", "true"),
];

/// What holds for steps from around them.
#[derive(Clone, Default)]
struct Around {
    variables: Vec<(String, Option<String>)>,
    shell: Option<String>,
    directory: Option<String>,
}

struct Reader<'a> {
    source: Vec<&'a str>,
    found: Found,
}

/// Reads a workflow or an action.
pub(super) fn read(text: &str) -> Found {
    let mut reader = Reader { source: text.split('\n').collect(), found: Found::default() };
    let Some(document) = reader.found.yaml(text) else { return reader.found };
    let around = Around::default().within(&document);
    for (name, job) in document.get("jobs").map_or(&[][..], |jobs| jobs.entries()) {
        let place = place(job);
        let mut inner = around.within(job);
        if windows(job) && inner.shell.is_none() {
            inner.shell = Some("pwsh".to_owned());
        }
        let steps = job.get("steps").map_or(&[][..], |steps| steps.items());
        for (number, step) in steps.iter().enumerate() {
            reader.step(&format!("{}, step {}", name.name, number + 1), step, &inner, place);
        }
    }
    let steps = document.at(&["runs", "steps"]).map_or(&[][..], |steps| steps.items());
    for (number, step) in steps.iter().enumerate() {
        reader.step(&format!("step {}", number + 1), step, &around, Place::Machine);
    }
    reader.found
}

impl Around {
    fn within(&self, node: &Node) -> Self {
        let mut inner = self.clone();
        for (key, value) in node.get("env").map_or(&[][..], |env| env.entries()) {
            let value = value.text().filter(|text| !text.contains("${{")).map(str::to_owned);
            inner.variables.push((key.name.clone(), value));
        }
        let run = node.at(&["defaults", "run"]);
        let said = |key: &str| run.and_then(|run| run.get(key)?.text()).map(str::to_owned);
        inner.shell = said("shell").or(inner.shell);
        inner.directory = said("working-directory").or(inner.directory);
        inner
    }
}

impl Reader<'_> {
    fn step(&mut self, label: &str, step: &Rc<Node>, around: &Around, place: Place) {
        let label = match step.get("name").and_then(|name| name.text()) {
            Some(name) => format!("{label} ({name})"),
            None => label.to_owned(),
        };
        let uses = step.get("uses").and_then(|uses| uses.text()).unwrap_or_default();
        if uses.starts_with("actions/github-script@") {
            self.found.unread(Some(step.line), "the script of actions/github-script is JavaScript");
        }
        let Some(run) = step.get("run").filter(|run| run.text().is_some()) else { return };
        let inner = around.within(step);
        let own = |key: &str| step.get(key).and_then(|value| value.text()).map(str::to_owned);
        let shell = own("shell").or(inner.shell).unwrap_or_else(|| "bash".to_owned());
        let directory = own("working-directory").or(inner.directory);
        let at = lines(&self.source, run);
        let (text, at) = filled(run.text().unwrap_or_default(), &at, ("${{", "}}"), &expression);
        let mut piece = Piece::shell(label, text, at);
        piece.place = place;
        piece.directory = match directory {
            None => Some(String::new()),
            Some(dir) if dir.contains("${{") => None,
            Some(dir) => Some(dir.trim_start_matches("./").to_owned()),
        };
        piece.variables = PLACES.map(|(name, value)| (name.to_owned(), Some(value.to_owned()))).to_vec();
        piece.variables.extend(inner.variables);
        let program = shell.split_whitespace().next().unwrap_or_default().to_owned();
        let program = program.rsplit('/').next().unwrap_or_default();
        match (program, std::mem::replace(&mut piece.runs, Runs::Words(Vec::new()))) {
            ("bash" | "sh", runs) => piece.runs = runs,
            ("zsh", Runs::Shell(_, text)) => piece.runs = Runs::Shell(Dialect::Zsh, text),
            ("fish", Runs::Shell(_, text)) => piece.runs = Runs::Shell(Dialect::Fish, text),
            ("python" | "python3" | "perl" | "ruby" | "node", Runs::Shell(_, text)) => {
                let option = if program.starts_with("python") { "-c" } else { "-e" };
                let words = [program, option, &text].map(|word| Some(word.to_owned()));
                piece.runs = Runs::Words(words.to_vec());
            }
            _ => {
                let why = format!("the language of the shell `{shell}` is not read");
                return self.found.unread(Some(run.line), why);
            }
        }
        self.found.pieces.push(piece);
    }
}

/// The value of an expression, for a shell.
fn expression(inner: &str) -> String {
    let name = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match inner {
        "github.workspace" => "${GITHUB_WORKSPACE}".to_owned(),
        "runner.temp" => "${RUNNER_TEMP}".to_owned(),
        _ => match inner.split_once('.') {
            Some(("env", variable)) if name(variable) => format!("${{{variable}}}"),
            // What a caller may leave out, or a step before may not have said, can be empty.
            Some(("inputs" | "vars" | "secrets" | "steps" | "needs", _)) => format!("${{{UNKNOWN}}}"),
            _ if inner.starts_with("github.event.") => format!("${{{UNKNOWN}}}"),
            _ => format!("${{{GIVEN}}}"),
        },
    }
}

/// On what a job runs.
fn place(job: &Node) -> Place {
    let hosted = |label: &str| HOSTED.iter().any(|hosted| label.starts_with(hosted));
    let listed = |node: &Rc<Node>| -> Vec<String> {
        let one = node.text().into_iter().map(str::to_owned);
        one.chain(node.items().iter().filter_map(|item| item.text()).map(str::to_owned)).collect()
    };
    if job.get("container").is_some() {
        return Place::Runner;
    }
    let labels = job.get("runs-on").map(listed).unwrap_or_default();
    let meant = |label: &String| -> Vec<String> {
        let inner = label.strip_prefix("${{").and_then(|rest| rest.strip_suffix("}}")).map(str::trim);
        let Some(key) = inner.and_then(|inner| inner.strip_prefix("matrix.")) else {
            return vec![label.clone()];
        };
        let matrix = job.at(&["strategy", "matrix"]);
        let mut values = matrix.and_then(|matrix| matrix.get(key)).map(listed).unwrap_or_default();
        let included = matrix.and_then(|matrix| matrix.get("include"));
        let included = included.map_or(&[][..], |list| list.items());
        values.extend(included.iter().filter_map(|entry| entry.get(key)?.text()).map(str::to_owned));
        values
    };
    let labels: Vec<String> = labels.iter().flat_map(meant).collect();
    if !labels.is_empty() && labels.iter().all(|label| hosted(label)) {
        Place::Runner
    } else {
        Place::Machine
    }
}

fn windows(job: &Node) -> bool {
    let label = job.get("runs-on").and_then(|node| node.text().or_else(|| node.items().first()?.text()));
    label.is_some_and(|label| label.starts_with("windows"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORKFLOW: &str = "on: push\nenv:\n  A: x\njobs:\n  build:\n    runs-on: ${{ matrix.os }}\n    strategy:\n      matrix:\n        os: [ubuntu-latest, macos-14]\n    steps:\n      - uses: actions/checkout@v4\n      - name: Clean\n        working-directory: sub\n        env: {B: '${{ secrets.B }}'}\n        run: |\n          rm -rf \"${{ inputs.dir }}\"/*\n      - run: import shutil\n        shell: python\n      - run: rm x\n        shell: pwsh\n  deploy:\n    runs-on: [self-hosted, linux]\n    steps: [{run: make}]\n";

    #[test]
    fn steps_of_jobs() {
        let found = read(WORKFLOW);
        let [clean, python, make] = found.pieces.as_slice() else { panic!("{found:?}") };
        assert_eq!(clean.label, "build, step 2 (Clean)");
        assert_eq!(clean.runs, Runs::Shell(Dialect::Bash, format!("rm -rf \"${{{UNKNOWN}}}\"/*\n")));
        assert_eq!(
            (clean.lines.first(), clean.place, clean.directory.as_deref()),
            (16, Place::Runner, Some("sub"))
        );
        assert!(clean.variables.contains(&("A".to_owned(), Some("x".to_owned()))));
        assert!(clean.variables.contains(&("B".to_owned(), None)));
        assert!(matches!(&python.runs, Runs::Words(words) if words.len() == 3));
        assert_eq!((make.place, make.lines.first()), (Place::Machine, 23));
        assert_eq!(found.unread.len(), 1);
    }

    #[test]
    fn composite_actions_and_files_that_are_none() {
        let found = read("runs:\n  using: composite\n  steps:\n    - run: rm -rf x\n      shell: bash\n");
        assert_eq!((found.pieces.len(), found.pieces[0].lines.first()), (1, 4));
        assert_eq!(read("a: [").unread.len(), 1);
    }
}
