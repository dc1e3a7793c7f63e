//! Grants of access never pass in silence, and commands that look like them do. `tests/data/grants.txt` says what must come
//! of each.

use std::path::PathBuf;

use recourse::evaluate::{EvaluationContext, Input, evaluate};
use recourse::knowledge::Knowledge;
use recourse::model::Verdict;
use recourse::policy::Policy;
use recourse::shell;
use recourse::world::MemoryWorld;

/// The lines of the data with what must come of them.
fn lines() -> Vec<(&'static str, &'static str)> {
    let mut wanted = "";
    let mut all = Vec::new();
    for line in include_str!("../data/grants.txt").lines() {
        match line.strip_prefix("## ") {
            Some(said) => wanted = said,
            None if line.starts_with('#') || line.is_empty() => {}
            None => all.push((wanted, line)),
        }
    }
    all
}

fn verdict(text: &str) -> Verdict {
    let context = EvaluationContext { cwd: PathBuf::from("/home/me"), ..EvaluationContext::default() };
    let input = Input::Shell(shell::Input::Text(text.to_owned()));
    evaluate(input, &context, &MemoryWorld::new(), &Knowledge::builtin(), &Policy::default()).verdict()
}

#[test]
fn grants_are_told_and_what_looks_like_them_is_not() {
    let wrong: Vec<String> = lines()
        .into_iter()
        .filter_map(|(wanted, line)| {
            let verdict = verdict(line);
            let right = match wanted {
                "stop" => verdict >= Verdict::Escalate,
                "said" => verdict >= Verdict::Warn,
                _ => verdict == Verdict::Allow,
            };
            (!right).then(|| format!("{wanted}, not {verdict:?}: {line}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Where a program's help or dry run is asked for nothing is granted, and an option of the program in front changes nothing.
#[test]
fn an_option_in_front_never_hides_a_grant() {
    let fronts = [
        ("aws ", "aws --profile prod --region eu-1 "),
        ("gcloud ", "gcloud --project=p "),
        ("az ", "az --debug "),
    ];
    let mut wrong = Vec::new();
    for (wanted, line) in lines() {
        for (program, longer) in fronts {
            if let Some(rest) = line.strip_prefix(program)
                && wanted != "allow"
                && verdict(&format!("{longer}{rest}")) < verdict(line)
            {
                wrong.push(line);
            }
        }
    }
    assert!(wrong.is_empty(), "milder with an option in front:\n{}", wrong.join("\n"));
}
