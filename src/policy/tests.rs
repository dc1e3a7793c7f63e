//! Tests of verdicts, layers, protection and enforcement.

use std::path::Path;

use super::*;
use crate::model::{
    Action, Actor, Assessment, Cause, Context, CrossActionRisk, Evidence, Loss, LossClass, Mutation,
    PathSubject, Recoverability, RecoverySource, RuleRef, Source, Subject, Target, Tier, Value, Verdict,
};

/// Deleting one file with the given tier.
fn file(path: &str, tier: Tier) -> Assessment {
    let mut evidence = Evidence::default();
    let mut loss = Loss::default();
    loss.add(LossClass::Lost, 100, || path.to_owned());
    evidence.loss = Some(loss);
    Assessment {
        mutation: Mutation {
            action: Action::Delete,
            kind: "file".to_owned(),
            subject: Subject::Path(PathSubject {
                explicit: true,
                ..PathSubject::new(Value::known(path), path)
            }),
            target: Target { r#type: "file".to_owned(), id: path.to_owned(), ..Target::default() },
            source: Source::Shell,
            raw: format!("rm {path}"),
            span: None,
            rule: RuleRef { tool: "rm".to_owned(), rule: String::new() },
            cause: Cause::Rule,
            context: Context::default(),
            facts: Default::default(),
            dependents: Vec::new(),
        },
        evidence,
        recoverability: Recoverability {
            tier,
            reasoning: "only here".to_owned(),
            source: RecoverySource::Rules,
            confidence: 100,
        },
        harmless: false,
        recovery: Vec::new(),
        alternatives: Vec::new(),
        verdict: Verdict::Allow,
        message: None,
        rule: None,
    }
}

fn tree(path: &str, tier: Tier) -> Assessment {
    let mut made = file(path, tier);
    if let Subject::Path(subject) = &mut made.mutation.subject {
        subject.recursive = true;
    }
    made
}

fn unknown_program() -> Assessment {
    let mut made = file("/x", Tier::NeedsReview);
    made.mutation.subject = Subject::Unknown;
    made.mutation.cause = Cause::UnknownProgram;
    made.evidence = Evidence::default();
    made
}

fn layer(kind: LayerKind, text: &str) -> PolicyFile {
    let directory = (kind == LayerKind::Project).then_some("/home/u/proj");
    PolicyFile::parse(kind, "policy.toml", directory, text).unwrap()
}

fn verdict_in(layers: Vec<PolicyFile>, assessment: Assessment, environment: Option<&str>) -> Verdict {
    let actor = Actor::parse("agent/bot");
    let home = Some(Path::new("/home/u"));
    let context = PolicyContext { environment, actor: Some(&actor), home, ..PolicyContext::default() };
    Policy::new(layers).decide(&mut [assessment], &[], &context).verdict
}

fn verdict(layers: Vec<PolicyFile>, assessment: Assessment) -> Verdict {
    verdict_in(layers, assessment, None)
}

#[test]
fn tiers_mean_what_the_table_says() {
    for (tier, usual, production) in [
        (1, Verdict::Allow, Verdict::Allow),
        (2, Verdict::Allow, Verdict::Warn),
        (3, Verdict::Warn, Verdict::Escalate),
        (4, Verdict::Block, Verdict::Block),
        (5, Verdict::Escalate, Verdict::Escalate),
    ] {
        let tier = Tier::from_number(tier).unwrap();
        assert_eq!(verdict(vec![], file("/a", tier)), usual);
        assert_eq!(verdict_in(vec![], file("/a", tier), Some("Production")), production);
        let mut elsewhere = file("/a", tier);
        elsewhere.mutation.target.environment = Some("prod".to_owned());
        assert_eq!(verdict(vec![], elsewhere), production);
    }
}

#[test]
fn the_worst_wins_and_a_sure_loss_beats_a_doubt() {
    let mut both = [file("/a", Tier::Unrecoverable), file("/b", Tier::NeedsReview)];
    let decision = Policy::default().decide(&mut both, &[], &PolicyContext::default());
    assert_eq!(decision.verdict, Verdict::Block);
    assert_eq!(Policy::default().decide(&mut [], &[], &PolicyContext::default()).verdict, Verdict::Allow);
}

#[test]
fn a_risk_of_several_actions_is_never_allowed() {
    let risk = CrossActionRisk {
        pattern: "p".to_owned(),
        pattern_name: "P".to_owned(),
        affected_resources: Vec::new(),
        explanation: "both go".to_owned(),
        upgraded_tier: 4,
    };
    let mut none = [file("/a", Tier::Reversible)];
    let decision =
        Policy::default().decide(&mut none, std::slice::from_ref(&risk), &PolicyContext::default());
    assert!(decision.verdict >= Verdict::Escalate);
    let done = Policy::default().enforce(Profile::Human, &decision, &none);
    assert!(done.action >= EnforcementAction::Ask);
}

#[test]
fn users_may_loosen_and_projects_may_not() {
    let loosen = "[[rule]]\ntarget = \"*.log\"\nverdict = \"allow\"\n";
    let log = || file("/home/u/proj/a.log", Tier::Unrecoverable);
    assert_eq!(verdict(vec![layer(LayerKind::User, loosen)], log()), Verdict::Allow);
    assert_eq!(verdict(vec![layer(LayerKind::Project, loosen)], log()), Verdict::Block);
    assert_eq!(
        verdict(vec![layer(LayerKind::User, loosen)], file("/a", Tier::Unrecoverable)),
        Verdict::Block
    );
    let tighten = "[[rule]]\nverdict = \"escalate\"\n";
    let both = || vec![layer(LayerKind::Project, tighten), layer(LayerKind::User, loosen)];
    assert_eq!(verdict(both(), log()), Verdict::Escalate);
    assert_eq!(verdict(both(), file("/a", Tier::Unrecoverable)), Verdict::Block);
}

#[test]
fn a_final_system_rule_cannot_be_undercut() {
    let system = "[[rule]]\ntool = \"rm\"\nverdict = \"escalate\"\nfinal = true\nmessage = \"ask ops\"\n";
    let user = "[[rule]]\ntool = \"rm\"\nverdict = \"allow\"\n";
    let layers = || vec![layer(LayerKind::User, user), layer(LayerKind::System, system)];
    assert_eq!(verdict(layers(), file("/a", Tier::Reversible)), Verdict::Escalate);
    let open = system.replace("final = true\n", "");
    let layers = vec![layer(LayerKind::User, user), layer(LayerKind::System, &open)];
    assert_eq!(verdict(layers, file("/a", Tier::Reversible)), Verdict::Allow);
    let error = PolicyFile::parse(LayerKind::User, "p.toml", None, system).unwrap_err();
    assert!(error.to_string().starts_with("p.toml:1: only the system policy"), "{error}");
}

#[test]
fn the_first_rule_that_matches_decides() {
    let text = "[[rule]]\ntier = \"4..5\"\nactor-kind = \"agent\"\nverdict = \"escalate\"\nmessage = \"first\"\n\
                [[rule]]\ntype = [\"file\", \"tree\"]\nverdict = \"warn\"\n";
    assert_eq!(
        verdict(vec![layer(LayerKind::User, text)], file("/a", Tier::Unrecoverable)),
        Verdict::Escalate
    );
    assert_eq!(verdict(vec![layer(LayerKind::User, text)], file("/a", Tier::Reversible)), Verdict::Warn);
    let mut judged = [file("/a", Tier::Unrecoverable)];
    let actor = Actor::parse("agent/x");
    let context = PolicyContext { actor: Some(&actor), ..PolicyContext::default() };
    let policy = Policy::new(vec![layer(LayerKind::User, text)]);
    assert_eq!(policy.decide(&mut judged, &[], &context).reason, "first");
}

#[test]
fn a_loosening_rule_needs_every_possible_target() {
    let loosen = "[[rule]]\ntarget = \"/tmp/**\"\nverdict = \"allow\"\n";
    let tighten = "[[rule]]\ntarget = \"/srv/**\"\nverdict = \"block\"\n";
    let either = |tier| {
        let mut made = file("/tmp/a", tier);
        if let Subject::Path(subject) = &mut made.mutation.subject {
            subject.path = Value::OneOf(vec!["/tmp/a".into(), "/srv/b".into()]);
        }
        made
    };
    assert_eq!(verdict(vec![layer(LayerKind::User, loosen)], either(Tier::Unrecoverable)), Verdict::Block);
    assert_eq!(verdict(vec![layer(LayerKind::User, tighten)], either(Tier::Reversible)), Verdict::Block);
    let mut blind = file("/tmp/a", Tier::NeedsReview);
    if let Subject::Path(subject) = &mut blind.mutation.subject {
        subject.path = Value::Unknown;
    }
    assert_eq!(verdict(vec![layer(LayerKind::User, loosen)], blind), Verdict::Escalate);
}

#[test]
fn protected_paths_hold_for_what_is_in_them_and_for_what_they_are_in() {
    let text = "[[protect]]\npath = [\"~/Documents\", \"keep\"]\nmessage = \"hands off\"\n";
    let project = || vec![layer(LayerKind::Project, text)];
    for (path, recursive, want) in [
        ("/home/u/Documents", true, Verdict::Block),
        ("/home/u/Documents/a/b", false, Verdict::Block),
        ("/home/u", true, Verdict::Block),
        ("/", true, Verdict::Block),
        ("/home/u", false, Verdict::Allow),
        ("/home/u/Documents2", true, Verdict::Allow),
        ("/home/u/proj/keep/x", false, Verdict::Block),
        ("/home/u/proj", true, Verdict::Block),
        ("/home/u/pro", true, Verdict::Allow),
    ] {
        let made = if recursive { tree(path, Tier::Reversible) } else { file(path, Tier::Reversible) };
        assert_eq!(verdict(project(), made), want, "{path}");
    }
    let mut read = file("/home/u/Documents/a", Tier::Reversible);
    read.mutation.action = Action::Read;
    assert_eq!(verdict(project(), read), Verdict::Allow);
}

#[test]
fn mistakes_in_files_are_errors_with_their_line() {
    for (text, line, part) in [
        ("[[rule]]\nverdict = \"allow\"\nvrdict = 1\n", 3, "unknown field"),
        ("\n[[rule]]\nverdict = \"maybe\"\n", 3, "unknown variant"),
        ("[[rule]]\ntool = \"rm\"\n", 1, "verdict"),
        ("[[rule]]\nverdict = \"warn\"\ntier = \"6\"\n", 3, "tier"),
        ("[[rule]]\nverdict = \"warn\"\ntier = \"5..2\"\n", 3, "tier"),
        ("[[rule]]\nverdict = \"warn\"\naction = \"explode\"\n", 3, ""),
        ("[[rule]]\nverdict = \"warn\"\ntool = []\n", 3, "empty list"),
        ("rules = 1\n", 1, "unknown field"),
        ("[profile.agent]\noverride-block = true\n", 1, "profile.human"),
        ("[profile.robot]\n", 1, "unknown field"),
        ("not toml", 1, ""),
    ] {
        let error = PolicyFile::parse(LayerKind::User, "p.toml", None, text).unwrap_err();
        assert_eq!(error.line, line, "{text}: {error}");
        assert!(error.message.contains(part), "{text}: {error}");
    }
    assert!(PolicyFile::parse(LayerKind::User, "p.toml", None, "").is_ok());
}

fn enforced(policy: &Policy, profile: Profile, assessments: &mut [Assessment]) -> EnforcementAction {
    let decision = policy.decide(assessments, &[], &PolicyContext::default());
    policy.enforce(profile, &decision, assessments).action
}

#[test]
fn profiles_enforce_as_the_table_says() {
    use EnforcementAction::{Ask, Note, Refuse, Run};
    let policy = Policy::default();
    for (tier, human, agent, ci) in [
        (Tier::Reversible, Run, Run, Run),
        (Tier::RecoverableFromBackup, Note, Note, Note),
        (Tier::NeedsReview, Ask, Ask, Refuse),
        (Tier::Unrecoverable, Refuse, Refuse, Refuse),
    ] {
        for (profile, want) in [(Profile::Human, human), (Profile::Agent, agent), (Profile::Ci, ci)] {
            assert_eq!(enforced(&policy, profile, &mut [tree("/a", tier)]), want, "{tier:?} {profile}");
        }
    }
}

#[test]
fn an_unknown_program_alone_runs_for_people_and_agents() {
    use EnforcementAction::{Ask, Refuse, Run};
    let policy = Policy::default();
    for (profile, want) in [(Profile::Human, Run), (Profile::Agent, Run), (Profile::Ci, Refuse)] {
        assert_eq!(enforced(&policy, profile, &mut [unknown_program()]), want);
    }
    let with_more = &mut [unknown_program(), tree("/a", Tier::NeedsReview)];
    assert_eq!(enforced(&policy, Profile::Human, with_more), Ask);
    let strict = Policy::new(vec![layer(LayerKind::Project, "[profile.human]\nunknown-program = \"ask\"\n")]);
    assert_eq!(enforced(&strict, Profile::Human, &mut [unknown_program()]), Ask);
    let loose = "[profile.ci]\nunknown-program = \"run\"\n";
    let user = Policy::new(vec![layer(LayerKind::User, loose)]);
    assert_eq!(enforced(&user, Profile::Ci, &mut [unknown_program()]), Run);
    let project = Policy::new(vec![layer(LayerKind::Project, loose)]);
    assert_eq!(enforced(&project, Profile::Ci, &mut [unknown_program()]), Refuse);
}

#[test]
fn a_lost_file_is_no_note_however_small() {
    let policy = Policy::default();
    for profile in [Profile::Human, Profile::Agent, Profile::Ci] {
        let lost = &mut [file("/home/u/notes.txt", Tier::Unrecoverable)];
        assert_eq!(enforced(&policy, profile, lost), EnforcementAction::Refuse, "{profile}");
        assert_eq!(policy.decide(lost, &[], &PolicyContext::default()).verdict, Verdict::Block);
    }
}

#[test]
fn only_people_may_run_what_is_blocked_and_a_project_may_forbid_it() {
    let may = |layers: Vec<PolicyFile>, profile| Policy::new(layers).settings(profile).override_block;
    assert!(may(Vec::new(), Profile::Human));
    assert!(!may(Vec::new(), Profile::Agent) && !may(Vec::new(), Profile::Ci));
    let no = || layer(LayerKind::Project, "[profile.human]\noverride-block = false\n");
    let yes = |kind| layer(kind, "[profile.human]\noverride-block = true\n");
    assert!(!may(vec![no()], Profile::Human));
    assert!(!may(
        vec![layer(LayerKind::User, "[profile.human]\noverride-block = false\n"), yes(LayerKind::Project)],
        Profile::Human
    ));
    assert!(may(
        vec![layer(LayerKind::System, "[profile.human]\noverride-block = false\n"), yes(LayerKind::User)],
        Profile::Human
    ));
}

#[test]
fn a_project_may_only_make_keeping_stricter() {
    let keep = |layers: Vec<PolicyFile>| Policy::new(layers).keep();
    let built_in = keep(Vec::new());
    let loose = "[keep]\nwhen = \"loss\"\nbytes = 99000000000\nfiles = 99000000\ntotal-bytes = 99000000000000\ndays = 1\nfree = 0\nunknown-programs = \"never\"\n";
    assert_eq!(keep(vec![layer(LayerKind::Project, loose)]), built_in);
    let user = keep(vec![layer(LayerKind::User, loose)]);
    assert_eq!((user.days, user.free, user.unknown_programs), (1, 0, UnknownPrograms::Never));
    let strict = "[keep]\nwhen = \"never\"\nbytes = 1\nfree = 200\nunknown-programs = \"always\"\n";
    let project = keep(vec![layer(LayerKind::User, loose), layer(LayerKind::Project, strict)]);
    assert_eq!((project.when, project.bytes, project.free), (KeepWhen::Never, 1, 100));
    assert_eq!(project.unknown_programs, UnknownPrograms::Always);
}

#[test]
fn a_rule_of_a_directory_holds_there_and_below() {
    let text = "[[rule]]\ndirectory = \"~/code/a\"\nverdict = \"block\"\n";
    let policy = Policy::new(vec![layer(LayerKind::User, text)]);
    for (cwd, verdict) in [
        ("/home/u/code/a", Verdict::Block),
        ("/home/u/code/a/b", Verdict::Block),
        ("/home/u/code/ab", Verdict::Allow),
        ("/home/u", Verdict::Allow),
    ] {
        let context = PolicyContext {
            cwd: Some(Path::new(cwd)),
            home: Some(Path::new("/home/u")),
            ..PolicyContext::default()
        };
        let mut all = [file("/x", Tier::Reversible)];
        assert_eq!(policy.decide(&mut all, &[], &context).verdict, verdict, "{cwd}");
    }
    // Where it is not known, it holds nowhere.
    let mut all = [file("/x", Tier::Reversible)];
    assert_eq!(policy.decide(&mut all, &[], &PolicyContext::default()).verdict, Verdict::Allow);
}
