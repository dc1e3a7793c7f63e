//! The review for a pipeline: JUnit's XML, which most of them show as a table of tests, and GitHub's annotations.
//!
//! Owns both forms and their escapes. What fails is what the caller's threshold says, so that the table and the exit status
//! never disagree.

use std::fmt::Write as _;

use crate::model::Verdict;
use crate::report::contract::ConsequenceReport;
use crate::report::human::outcome;
use crate::text::{escape, shorten};

use super::group::{Group, groups};
use super::{Said, looked_at, said, title};

/// The longest annotation: GitHub cuts at some 4 kB.
const LONGEST: usize = 3_000;

/// Every change a test case; one whose verdict fails is a failure.
pub(in crate::report) fn junit(
    report: &ConsequenceReport,
    file: Option<&str>,
    fails: &dyn Fn(Verdict) -> bool,
) -> String {
    let all = groups(report);
    let failures: usize =
        all.iter().filter(|group| fails(group.verdict)).map(|group| group.members.len()).sum();
    let tests: usize = all.iter().map(|group| group.members.len()).sum();
    // What is fatal only together fails nothing by itself.
    let whole = failures == 0 && fails(report.risk_assessment);
    let (tests, failures) =
        if whole || tests == 0 { (tests + 1, failures + usize::from(whole)) } else { (tests, failures) };
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let name = xml(file.unwrap_or("recourse"));
    let _ = writeln!(out, "<testsuites tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">");
    let _ = writeln!(
        out,
        "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"0\">"
    );
    if whole || report.mutations.is_empty() {
        case(
            &mut out,
            "recourse",
            "the whole",
            report,
            whole.then_some(report.assessment_reason.as_str()),
            "",
        );
    }
    for group in &all {
        let details = details(group, report);
        for one in &group.members {
            let target = &one.intent.target;
            let name = format!("{} {}", group.action, target.id);
            let why = one.decided.as_deref().unwrap_or(&one.recoverability.reasoning);
            let failure = fails(group.verdict).then_some(why);
            let kind = if target.r#type.is_empty() { "change" } else { &target.r#type };
            case(&mut out, kind, &name, report, failure, if group.weighs() { &details } else { "" });
        }
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

fn case(
    out: &mut String,
    class: &str,
    name: &str,
    report: &ConsequenceReport,
    failure: Option<&str>,
    details: &str,
) {
    let _ = write!(out, "    <testcase classname=\"{}\" name=\"{}\"", xml(class), xml(name));
    match failure {
        Some(why) => {
            let kind = report.risk_assessment.as_str();
            let _ = writeln!(
                out,
                ">\n      <failure message=\"{}\" type=\"{kind}\">{}</failure>\n    </testcase>",
                xml(why),
                xml(details)
            );
        }
        None if details.is_empty() => out.push_str("/>\n"),
        None => {
            let _ = writeln!(out, ">\n      <system-out>{}</system-out>\n    </testcase>", xml(details));
        }
    }
}

/// All that is said of a group, a line each.
fn details(group: &Group<'_>, report: &ConsequenceReport) -> String {
    let mut lines = vec![format!("verdict: {}, {}", group.verdict.as_str(), group.label())];
    for Said { label, lines: of } in said(group, report) {
        lines.push(format!("{label}: {}", of.join("; ")));
    }
    lines.join("\n")
}

/// Text within XML. Line ends stay; what XML cannot hold is spelled out.
fn xml(text: &str) -> String {
    let mut out = String::new();
    for (n, line) in text.split('\n').enumerate() {
        if n > 0 {
            out.push('\n');
        }
        for c in escape(line).chars() {
            match c {
                '&' => out.push_str("&amp;"),
                '<' => out.push_str("&lt;"),
                '>' => out.push_str("&gt;"),
                '"' => out.push_str("&quot;"),
                '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
                _ => out.push(c),
            }
        }
    }
    out
}

/// An annotation for each sort of change that is not simply let through, the worst first, and one for the whole.
pub(in crate::report) fn github(
    report: &ConsequenceReport,
    file: Option<&str>,
    fails: &dyn Fn(Verdict) -> bool,
) -> String {
    let mut out = String::new();
    let mut say = |level: &str, title: &str, text: &str| {
        let file = file.map(|file| format!("file={},", property(file))).unwrap_or_default();
        let title = property(&shorten(&escape(title), 200));
        let _ = writeln!(out, "::{level} {file}title={title}::{}", data(text));
    };
    let level = |verdict: Verdict| if fails(verdict) { "error" } else { "warning" };
    let (word, _) = outcome(report);
    let whole = match looked_at(report) {
        Some(seen) => format!("{}; {seen}", escape(&report.assessment_reason)),
        None => escape(&report.assessment_reason),
    };
    let of_whole =
        if report.risk_assessment == Verdict::Allow { "notice" } else { level(report.risk_assessment) };
    say(of_whole, &format!("recourse: {word}"), &shorten(&whole, LONGEST));
    for group in groups(report).iter().filter(|group| group.verdict > Verdict::Allow) {
        let lines: Vec<String> =
            details(group, report).lines().map(|line| shorten(&escape(line), LONGEST / 2)).collect();
        let mut text = lines.join("\n");
        if text.chars().count() > LONGEST {
            text = text.chars().take(LONGEST).collect::<String>() + "…";
        }
        say(level(group.verdict), &format!("{}: {}", group.verdict.as_str(), title(group)), &text);
    }
    out
}

/// The text of a workflow command: a line end would end it.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property's value: neither a colon nor a comma may end it.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_early() {
        assert_eq!(data("a%\r\nb"), "a%25%0D%0Ab");
        assert_eq!(property("a: b, c"), "a%3A b%2C c");
        assert_eq!(xml("<a b=\"c\">&\u{1b}\nd"), "&lt;a b=&quot;c&quot;&gt;&amp;\\e\nd");
    }
}
