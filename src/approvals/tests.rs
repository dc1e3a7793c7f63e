//! Tests of the store and of who answers.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use crate::attest::Places;
use crate::config::AttestationConfig;
use crate::evaluate::{Evaluation, EvaluationContext, Input, evaluate};
use crate::knowledge::Knowledge;
use crate::policy::Policy;
use crate::proof::{Approver, Gate, Judged, Proof, Subject};
use crate::report::ConsequenceReport;
use crate::shell;
use crate::world::MemoryWorld;

use super::*;

fn report(text: &str) -> ConsequenceReport {
    evaluated(text, &MemoryWorld::new()).report
}

fn evaluated(text: &str, world: &MemoryWorld) -> Evaluation {
    let context = EvaluationContext { cwd: "/w".into(), ..EvaluationContext::default() };
    let input = Input::Shell(shell::Input::Text(text.to_owned()));
    evaluate(input, &context, world, &Knowledge::builtin(), &Policy::default())
}

fn places() -> (tempfile::TempDir, Places) {
    let folder = tempfile::tempdir().unwrap();
    let places = Places::under(folder.path());
    (folder, places)
}

fn asked<'a>(text: &'a str, report: &'a ConsequenceReport) -> Asked<'a> {
    let world: &'a MemoryWorld = Box::leak(Box::new(MemoryWorld::new()));
    with(text, report, Box::leak(Box::new(Files::of([], true, world))))
}

fn with<'a>(text: &'a str, report: &'a ConsequenceReport, files: &'a Files<'a>) -> Asked<'a> {
    Asked { asker: "agent/codex", exact: Exact::Text(text), cwd: Path::new("/w"), report, files }
}

#[test]
fn a_yes_is_for_the_files_as_they_were() {
    let script = |text: &str| MemoryWorld::new().file("/w/d.sh", text).file("/w/list", "a\n").dir("/w");
    let text = "bash d.sh; xargs -a list ./unknown-tool";
    let before = script("./unknown-tool one\n");
    let first = evaluated(text, &before);
    assert!(first.materials.iter().any(|one| one.path == Path::new("/w/d.sh")), "{:?}", first.materials);
    let changes: [(&str, MemoryWorld, bool, &str); 5] = [
        ("the same", script("./unknown-tool one\n"), true, ""),
        ("another script", script("./unknown-tool two\n"), true, "/w/d.sh has changed since"),
        ("a longer list", script("./unknown-tool one\n").file("/w/list", "a\na\n"), true, ""),
        ("the same, attested", script("./unknown-tool one\n").file("/w/list", "a\na\n"), false, "/w/list"),
        ("another list", script("./unknown-tool one\n").file("/w/list", "b\n"), true, "/w/list has"),
    ];
    for (name, world, grow, why) in changes {
        let (_folder, places) = places();
        let store = Approvals::open(&places).unwrap();
        let files = Files::of([&first], grow, &before);
        let entry = store.request(&with(text, &first.report, &files), None).unwrap();
        store.approve(&entry, Uses::Once, WINDOW, "ann", None).unwrap();
        let now = evaluated(text, &world);
        let files = Files::of([&now], grow, &world);
        // What it costs is the same: nothing but the files may tell.
        let this = with(text, &first.report, &files);
        match store.take(&this, Demand::Stored).unwrap() {
            Taken::Approved(_) => assert_eq!(why, "", "{name}"),
            Taken::Changed(said) => assert!(!why.is_empty() && said.starts_with(why), "{name}: {said}"),
            other => panic!("{name}: {other:?}"),
        }
        if !why.is_empty() {
            assert_eq!(store.request(&this, None).unwrap().state, State::Requested, "{name}");
        }
    }
}

#[test]
fn an_approval_is_good_once_for_exactly_what_was_shown() {
    let (_folder, places) = places();
    let store = Approvals::open(&places).unwrap();
    let text = "terraform apply --token=ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let found = report(text);
    let this = asked(text, &found);
    assert_eq!(store.take(&this, Demand::Stored).unwrap(), Taken::Nothing);
    let entry = store.request(&this, None).unwrap();
    assert_eq!(store.request(&this, None).unwrap().id, entry.id, "asking again is the same request");
    assert_eq!(store.take(&this, Demand::Stored).unwrap(), Taken::Nothing, "asking is not being allowed");
    let path = places.state.join("approvals").join(format!("{}.json", entry.id));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!fs::read_to_string(&path).unwrap().contains("ghp_0123"), "no secret comes to rest");
    store.approve(&store.get(&entry.id).unwrap(), Uses::Once, WINDOW, "ann", None).unwrap();

    let elsewhere = Asked { cwd: Path::new("/w/other"), ..this };
    let other = Asked { asker: "agent/cursor", ..this };
    let longer = format!("{text} ");
    let similar = asked(&longer, &found);
    for not in [elsewhere, other, similar] {
        assert_eq!(store.take(&not, Demand::Stored).unwrap(), Taken::Nothing);
    }
    let mut worse = found.clone();
    worse.assessment_reason.push_str(" and more");
    assert_eq!(
        store.take(&asked(text, &worse), Demand::Stored).unwrap(),
        Taken::Nothing,
        "it costs something else now"
    );

    assert!(matches!(store.take(&this, Demand::Stored).unwrap(), Taken::Approved(_)));
    assert_eq!(store.take(&this, Demand::Stored).unwrap(), Taken::Nothing, "spent");
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
            .map(|_| {
                scope.spawn(|| {
                    let this = asked("terraform apply", &found);
                    usize::from(matches!(store.take(&this, Demand::Stored), Ok(Taken::Approved(_))))
                })
            })
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
    assert_eq!(store.take(&this, Demand::Stored).unwrap(), Taken::Nothing, "expired");
    let entry = store.request(&this, None).unwrap();
    store.approve(&entry, Uses::Often, WINDOW, "ann", None).unwrap();
    for _ in 0..3 {
        assert!(matches!(store.take(&this, Demand::Stored).unwrap(), Taken::Approved(_)));
    }
    let other = asked("terraform destroy", &found);
    let entry = store.request(&other, None).unwrap();
    store.deny(&entry, "ann").unwrap();
    assert_eq!(store.take(&other, Demand::Stored).unwrap(), Taken::Denied);
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
    assert!(matches!(store.take(&this, Demand::Stored), Err(ApprovalError::Foreign { .. })));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(matches!(store.take(&this, Demand::Stored), Err(ApprovalError::Disk(_))));
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
        &["/usr/share/code/code", "zsh", "claude", "zsh", "recourse"],
        &["zsh", "python3.12 -m aider", "recourse"],
    ] {
        assert!(matches!(doubt(&Around::chain(chain)), Some(Doubt::Ancestor { .. })), "{chain:?}");
    }
    for chain in [
        &["/opt/Cursor/cursor", "zsh", "recourse"][..],
        &["systemd", "/usr/share/code/code", "bash", "recourse"],
    ] {
        let found = doubt(&Around::chain(chain)).unwrap();
        assert!(matches!(found, Doubt::Editor { .. }) && found.is_open(), "{chain:?}: people type there too");
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
    // By these people configure an agent, in shells of their own.
    let theirs = [
        "CLAUDE",
        "EDITOR",
        "CLAUDE_CODE_USE_BEDROCK",
        "CLAUDE_CODE_EFFORT_LEVEL",
        "CODEX_HOME",
        "CURSOR_TRACE_ID",
    ];
    let around = Around { variables: theirs.map(String::from).to_vec(), ..Around::chain(person) };
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

#[test]
fn what_is_certain_comes_before_what_may_be() {
    let mut around = Around::chain(&["/opt/Cursor/cursor", "zsh", "recourse"]);
    let holder = Process { parent: 1, name: "expect".to_owned(), words: vec!["expect".to_owned()] };
    around.processes.insert(1, holder);
    around.holders = vec![1];
    assert!(matches!(doubt(&around), Some(Doubt::Terminal { .. })));
    around.variables = vec!["CLAUDECODE".to_owned()];
    assert!(matches!(doubt(&around), Some(Doubt::Variable(_))));
}

/// An instance with attestation on, and a signed evaluation of `text`.
struct Attesting {
    _folder: tempfile::TempDir,
    places: Places,
    config: AttestationConfig,
    context: EvaluationContext,
    subject: Subject,
    evaluation: Evaluation,
}

impl Attesting {
    fn new(text: &str) -> Self {
        let (folder, places) = places();
        let config = AttestationConfig { enabled: true, ..AttestationConfig::default() };
        let actor = Some(crate::model::Actor::parse("agent/codex"));
        let context = EvaluationContext { cwd: "/w".into(), actor, ..EvaluationContext::default() };
        let subject = Subject::shell(&shell::Input::Text(text.to_owned())).unwrap();
        Self {
            _folder: folder,
            places,
            config,
            context,
            subject,
            evaluation: evaluated(text, &MemoryWorld::new()),
        }
    }

    fn store(&self) -> Approvals {
        Approvals::open(&self.places).unwrap()
    }

    /// Asked, and approved by this user with this change of who says so.
    fn approved(&self, text: &str, uid: u32) -> Entry {
        let proof = Proof::open(&self.config, &self.places).unwrap();
        let evaluation =
            proof.attest(&self.subject, &self.context, &self.evaluation.report).unwrap().attestation;
        let entry = self.store().request(&asked(text, &self.evaluation.report), Some(&evaluation)).unwrap();
        let approver = Approver { user: "ann".to_owned(), uid };
        let approval = proof.approve(&evaluation, &approver, "approved at the terminal").unwrap();
        self.store().approve(&entry, Uses::Once, WINDOW, "ann", Some(&approval)).unwrap()
    }

    fn take(&self, text: &str) -> Result<Taken, ApprovalError> {
        let gate = Gate { config: &self.config, places: &self.places };
        let world = MemoryWorld::new();
        let (subject, context) = (Ok(&self.subject), &self.context);
        let judged = Judged { subject, context, evaluation: &self.evaluation, world: &world };
        self.store().take(&asked(text, &self.evaluation.report), Demand::Attested { gate: &gate, judged })
    }

    fn file(&self, entry: &Entry) -> std::path::PathBuf {
        self.places.state.join("approvals").join(format!("{}.json", entry.id))
    }

    /// Rewrites what stands on the disk.
    fn tamper(&self, entry: &Entry, change: impl FnOnce(&mut serde_json::Value)) {
        let path = self.file(entry);
        let mut value: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        change(&mut value);
        fs::write(&path, serde_json::to_vec(&value).unwrap()).unwrap();
    }
}

const APPLY: &str = "terraform apply";

fn own() -> u32 {
    nix::unistd::geteuid().as_raw()
}

#[test]
fn an_attested_approval_holds_once_even_when_its_file_is_put_back() {
    let this = Attesting::new(APPLY);
    let entry = this.approved(APPLY, own());
    let kept = fs::read(this.file(&entry)).unwrap();
    assert!(matches!(this.take(APPLY).unwrap(), Taken::Approved(_)));
    assert_eq!(this.take(APPLY).unwrap(), Taken::Nothing, "spent");
    let back = this.file(&entry);
    fs::write(&back, &kept).unwrap();
    fs::set_permissions(&back, fs::Permissions::from_mode(0o600)).unwrap();
    assert!(matches!(this.take(APPLY), Err(ApprovalError::Unproven { .. })), "its nonce is spent");
    assert_eq!(this.take(APPLY).unwrap(), Taken::Nothing, "and it is gone");
}

#[test]
fn what_is_not_attested_as_it_should_be_is_no_approval() {
    type Tamper = fn(&mut serde_json::Value);
    let tampers: &[(&str, Tamper)] = &[
        ("no approval", |value| value["approval"] = serde_json::Value::Null),
        ("no evaluation", |value| value["evaluation"] = serde_json::Value::Null),
        ("the evaluation as approval", |value| value["approval"] = value["evaluation"].clone()),
        ("another verdict", |value| value["approval"]["output"]["riskAssessment"] = "allow".into()),
        ("another user", |value| value["approval"]["output"]["approver"]["uid"] = 4242.into()),
        ("another signature", |value| {
            let signature = value["approval"]["signature"].as_str().unwrap().to_owned();
            let other = if signature.starts_with('A') { "B" } else { "A" };
            value["approval"]["signature"] = format!("{other}{}", &signature[1..]).into();
        }),
        ("a later end", |value| value["approval"]["expires_at"] = "2999-01-01T00:00:00Z".into()),
        ("text", |value| value["approval"] = "yes".into()),
    ];
    for (name, tamper) in tampers {
        let this = Attesting::new(APPLY);
        let entry = this.approved(APPLY, own());
        this.tamper(&entry, tamper);
        assert!(matches!(this.take(APPLY), Err(ApprovalError::Unproven { .. })), "{name}");
        assert_eq!(this.take(APPLY).unwrap(), Taken::Nothing, "{name}: it is gone");
    }
    // Signed as it should be, and still not this.
    let this = Attesting::new(APPLY);
    this.approved(APPLY, own() + 1);
    assert!(matches!(this.take(APPLY), Err(ApprovalError::Unproven { .. })), "another user's");
    let mut this = Attesting::new(APPLY);
    this.approved(APPLY, own());
    this.subject = Subject::shell(&shell::Input::Text("terraform destroy".to_owned())).unwrap();
    assert!(matches!(this.take(APPLY), Err(ApprovalError::Unproven { .. })), "another command's");
    let mut this = Attesting::new(APPLY);
    this.approved(APPLY, own());
    this.context.cwd = "/elsewhere".into();
    assert!(matches!(this.take(APPLY), Err(ApprovalError::Unproven { .. })), "another directory's");
    let mut this = Attesting::new(APPLY);
    this.approved(APPLY, own());
    this.config.base_url = "https://other.example".to_owned();
    assert!(matches!(this.take(APPLY), Err(ApprovalError::Unproven { .. })), "another instance's");
}

#[test]
fn often_does_not_stretch_an_attested_approval() {
    let this = Attesting::new(APPLY);
    let entry = this.approved(APPLY, own());
    this.tamper(&entry, |value| value["uses"] = "often".into());
    assert!(matches!(this.take(APPLY).unwrap(), Taken::Approved(_)));
    assert_eq!(this.take(APPLY).unwrap(), Taken::Nothing);
}

#[test]
fn a_request_shows_what_was_evaluated() {
    let this = Attesting::new(APPLY);
    let entry = this.approved(APPLY, own());
    let input = this.subject.wire(&this.context, "s", &crate::model::Secrets::default()).unwrap();
    assert!(entry.is_of(&input));
    for (key, value) in [("input", "terraform destroy"), ("cwd", "/elsewhere"), ("actor", "agent/cursor")] {
        let mut other = input.clone();
        other[key] = value.into();
        assert!(!entry.is_of(&other), "{key}");
    }
}

#[test]
fn a_file_of_somebody_else_is_refused() {
    let (_folder, places) = places();
    let store = Approvals::open(&places).unwrap();
    let found = report(APPLY);
    let this = asked(APPLY, &found);
    let entry = store.request(&this, None).unwrap();
    store.approve(&entry, Uses::Once, WINDOW, "ann", None).unwrap();
    let path = places.state.join("approvals").join(format!("{}.json", entry.id));
    let kept = path.with_extension("kept");
    fs::rename(&path, &kept).unwrap();
    std::os::unix::fs::symlink(&kept, &path).unwrap();
    assert!(matches!(store.take(&this, Demand::Stored), Err(ApprovalError::Disk(_))), "a link");
    fs::remove_file(&path).unwrap();
    fs::rename(&kept, &path).unwrap();
    // Only root can give a file away.
    if own() == 0 {
        std::os::unix::fs::chown(&path, Some(4242), None).unwrap();
        assert!(matches!(store.take(&this, Demand::Stored), Err(ApprovalError::Disk(_))), "another user's");
        std::os::unix::fs::chown(&path, Some(0), None).unwrap();
    }
    fs::set_permissions(path.parent().unwrap(), fs::Permissions::from_mode(0o755)).unwrap();
    assert!(Approvals::open(&places).is_err(), "a folder that others can look into");
}
