//! Tests of the store and of who answers.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use crate::attest::Places;
use crate::evaluate::{EvaluationContext, Input, evaluate};
use crate::knowledge::Knowledge;
use crate::policy::Policy;
use crate::report::ConsequenceReport;
use crate::shell;
use crate::world::MemoryWorld;

use super::*;

fn report(text: &str) -> ConsequenceReport {
    let world = MemoryWorld::new();
    let context = EvaluationContext { cwd: "/w".into(), ..EvaluationContext::default() };
    let input = Input::Shell(shell::Input::Text(text.to_owned()));
    evaluate(input, &context, &world, &Knowledge::builtin(), &Policy::default()).report
}

fn places() -> (tempfile::TempDir, Places) {
    let folder = tempfile::tempdir().unwrap();
    let places = Places::under(folder.path());
    (folder, places)
}

fn asked<'a>(text: &'a str, report: &'a ConsequenceReport) -> Asked<'a> {
    Asked { asker: "agent/codex", exact: Exact::Text(text), cwd: Path::new("/w"), report }
}

#[test]
fn an_approval_is_good_once_for_exactly_what_was_shown() {
    let (_folder, places) = places();
    let store = Approvals::open(&places).unwrap();
    let text = "terraform apply --token=ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let found = report(text);
    let this = asked(text, &found);
    assert_eq!(store.take(&this).unwrap(), Taken::Nothing);
    let entry = store.request(&this, None).unwrap();
    assert_eq!(store.request(&this, None).unwrap().id, entry.id, "asking again is the same request");
    assert_eq!(store.take(&this).unwrap(), Taken::Nothing, "asking is not being allowed");
    let path = places.state.join("approvals").join(format!("{}.json", entry.id));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!fs::read_to_string(&path).unwrap().contains("ghp_0123"), "no secret comes to rest");
    store.approve(&store.get(&entry.id).unwrap(), Uses::Once, WINDOW, "ann", None).unwrap();

    let elsewhere = Asked { cwd: Path::new("/w/other"), ..this };
    let other = Asked { asker: "agent/cursor", ..this };
    let longer = format!("{text} ");
    let similar = asked(&longer, &found);
    for not in [elsewhere, other, similar] {
        assert_eq!(store.take(&not).unwrap(), Taken::Nothing);
    }
    let mut worse = found.clone();
    worse.assessment_reason.push_str(" and more");
    assert_eq!(store.take(&asked(text, &worse)).unwrap(), Taken::Nothing, "it costs something else now");

    assert!(matches!(store.take(&this).unwrap(), Taken::Approved(_)));
    assert_eq!(store.take(&this).unwrap(), Taken::Nothing, "spent");
    assert!(store.list().unwrap().is_empty());
}

#[test]
fn one_of_many_takes_it() {
    let (_folder, places) = places();
    let store = Approvals::open(&places).unwrap();
    let found = report("terraform apply");
    let this = asked("terraform apply", &found);
    let entry = store.request(&this, None).unwrap();
    store.approve(&entry, Uses::Once, WINDOW, "ann", None).unwrap();
    let wins: usize = std::thread::scope(|scope| {
        let tries: Vec<_> = (0..16)
            .map(|_| scope.spawn(|| usize::from(matches!(store.take(&this), Ok(Taken::Approved(_))))))
            .collect();
        tries.into_iter().map(|one| one.join().unwrap()).sum()
    });
    assert_eq!(wins, 1);
}

#[test]
fn time_ends_everything_and_a_no_holds() {
    let (_folder, places) = places();
    let store = Approvals::open(&places).unwrap();
    let found = report("terraform apply");
    let this = asked("terraform apply", &found);
    let entry = store.request(&this, None).unwrap();
    store.approve(&entry, Uses::Often, Duration::ZERO, "ann", None).unwrap();
    assert_eq!(store.take(&this).unwrap(), Taken::Nothing, "expired");
    let entry = store.request(&this, None).unwrap();
    store.approve(&entry, Uses::Often, WINDOW, "ann", None).unwrap();
    for _ in 0..3 {
        assert!(matches!(store.take(&this).unwrap(), Taken::Approved(_)));
    }
    let other = asked("terraform destroy", &found);
    let entry = store.request(&other, None).unwrap();
    store.deny(&entry, "ann").unwrap();
    assert_eq!(store.take(&other).unwrap(), Taken::Denied);
    assert_eq!(store.request(&other, None).unwrap().state, State::Denied, "asking again does not undo it");
}

#[test]
fn what_is_not_ours_is_an_error_and_ids_name_no_other_file() {
    let (_folder, places) = places();
    let store = Approvals::open(&places).unwrap();
    for id in ["../lock", "", "0123456789abc", "ABCDEF012345", "lock"] {
        assert!(matches!(store.get(id), Err(ApprovalError::Id(_))), "{id}");
    }
    assert!(matches!(store.get("0123456789ab"), Err(ApprovalError::Unknown(_))));
    let found = report("terraform apply");
    let this = asked("terraform apply", &found);
    let entry = store.request(&this, None).unwrap();
    let path = places.state.join("approvals").join(format!("{}.json", entry.id));
    fs::write(&path, "{}").unwrap();
    assert!(matches!(store.take(&this), Err(ApprovalError::Foreign { .. })));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(matches!(store.take(&this), Err(ApprovalError::Disk(_))));
}

#[test]
fn what_changes_while_it_is_shown_is_not_approved() {
    let (_folder, places) = places();
    let store = Approvals::open(&places).unwrap();
    let found = report("terraform apply");
    let this = asked("terraform apply", &found);
    let mut entry = store.request(&this, None).unwrap();
    entry.shown = "ls".to_owned();
    let changed = store.approve(&entry, Uses::Once, WINDOW, "ann", None);
    assert!(matches!(changed, Err(ApprovalError::Changed(_))));
}

#[derive(Default)]
struct Around {
    variables: Vec<String>,
    processes: BTreeMap<u32, Process>,
    holders: Vec<u32>,
}

impl Around {
    /// Process 2, 3 … each started by the one before; the last one is us.
    fn chain(chain: &[&str]) -> Self {
        let mut around = Self::default();
        for (index, line) in chain.iter().enumerate() {
            let id = u32::try_from(index).unwrap() + 2;
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let name = words[0].rsplit('/').next().unwrap().to_owned();
            around.processes.insert(id, Process { parent: id - 1, name, words });
        }
        around
    }
}

impl Surroundings for Around {
    fn variables(&self) -> Vec<String> {
        self.variables.clone()
    }
    fn own(&self) -> u32 {
        *self.processes.keys().max().unwrap()
    }
    fn process(&self, id: u32) -> Option<Process> {
        self.processes.get(&id).cloned()
    }
    fn terminal_holders(&self) -> Vec<u32> {
        self.holders.clone()
    }
}

#[test]
fn an_agent_is_told_by_what_started_us() {
    for chain in [
        &["sshd", "-bash", "claude", "bash -c x", "recourse"][..],
        &["tmux", "zsh", "node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js", "sh", "recourse"],
        &["zsh", "/usr/bin/node /opt/codex/bin/codex.js exec", "recourse"],
        &["zsh", "bun /home/u/.bun/bin/gemini", "recourse"],
        &["/opt/Cursor/cursor", "zsh", "recourse"],
        &["zsh", "python3.12 -m aider", "recourse"],
    ] {
        assert!(matches!(doubt(&Around::chain(chain)), Some(Doubt::Ancestor { .. })), "{chain:?}");
    }
    for chain in [
        &["sshd", "-bash", "recourse"][..],
        &["gnome-terminal-server", "zsh", "recourse"],
        &["tmux: server", "fish", "python3 manage.py shell", "bash", "recourse"],
    ] {
        assert_eq!(doubt(&Around::chain(chain)), None, "{chain:?}");
    }
}

#[test]
fn an_agent_is_told_by_variables_and_by_the_other_end_of_the_terminal() {
    let person = &["sshd", "-bash", "recourse"];
    for name in ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CODEX_SANDBOX", "GEMINI_CLI", "CURSOR_AGENT"] {
        let around = Around { variables: vec![name.to_owned()], ..Around::chain(person) };
        assert_eq!(doubt(&around), Some(Doubt::Variable(name.to_owned())));
    }
    let around = Around { variables: vec!["CLAUDE".into(), "EDITOR".into()], ..Around::chain(person) };
    assert_eq!(doubt(&around), None);
    for holder in ["script -c x", "expect f", "/usr/bin/python3 -c pty", "claude"] {
        let mut around = Around::chain(person);
        let words: Vec<String> = holder.split(' ').map(str::to_owned).collect();
        let name = words[0].rsplit('/').next().unwrap().to_owned();
        around.processes.insert(1000, Process { parent: 1, name, words });
        // Number 1000 must not be taken for us.
        let own = around.processes.remove(&4).unwrap();
        around.processes.insert(1001, own);
        around.holders = vec![1000];
        assert!(matches!(doubt(&around), Some(Doubt::Terminal { .. })), "{holder}");
    }
    let mut untold = Around::chain(person);
    untold.processes.remove(&3);
    assert_eq!(doubt(&untold), Some(Doubt::Untold));
}
