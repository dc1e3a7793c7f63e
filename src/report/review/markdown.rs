//! The review as a comment on a pull request.
//!
//! Owns the form and its size. The same report is the same bytes: no times, no numbers of runs. What others named is shown as
//! code or escaped, so that it can neither mention somebody, close a fold nor become a link.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::model::Verdict;
use crate::order;
use crate::report::contract::ConsequenceReport;
use crate::report::human::outcome;
use crate::text::escape;

use super::group::{Group, LIKEWISE, groups};
use super::{Said, looked_at, rows, said, title};

/// Characters of a comment, with room for what a job puts around it: GitHub takes 65,536.
const MOST: usize = 60_000;
/// What tells our comment from others, so that a job can find and replace it.
pub(super) const MARK: &str = "<!-- recourse review -->";

/// The page.
pub(in crate::report) fn markdown(report: &ConsequenceReport) -> String {
    let (word, _) = outcome(report);
    let mut out = format!("{MARK}\n### recourse: {word}\n\n{}\n", prose(&report.assessment_reason));
    if let Some(seen) = looked_at(report) {
        let _ = write!(out, "\n{}.\n", prose(&upper(&seen)));
    }
    if !report.mutations.is_empty() {
        out.push_str("\n| verdict | changes | of which |\n| --- | ---: | --- |\n");
        for row in rows(report) {
            let types: Vec<String> =
                row.named().map(|(name, number)| format!("{number} × {}", cell(name))).collect();
            let more = row.unnamed();
            let more = if more > 0 { format!(", {more} of other types") } else { String::new() };
            let _ = writeln!(out, "| {} | {} | {}{more} |", bold(row.verdict), row.changes, types.join(", "));
        }
    }
    let closing = closing(report);
    let all = groups(report);
    let (told, counted): (Vec<Group<'_>>, Vec<Group<'_>>) =
        all.into_iter().partition(|group| group.weighs() || group.takes());
    // What does not fit in full still has its line, and what does not fit with its names is counted.
    let tail = 400;
    let room = MOST.saturating_sub(closing.chars().count() + tail);
    let mut used = out.chars().count();
    let mut left = 0;
    for (at, group) in told.iter().enumerate() {
        let full = fold(group, report, at == 0);
        let short = format!("\n- {}\n", line(group, true));
        let least = format!("\n- {}\n", line(group, false));
        // Every later one keeps room for its own shortest line.
        let later: usize =
            told.iter().skip(at + 1).take(200).map(|one| line(one, false).chars().count() + 4).sum();
        let fits = |text: &str| used + text.chars().count() + later <= room;
        let Some(text) = [full, short]
            .into_iter()
            .find(|text| fits(text))
            .or_else(|| (used + least.chars().count() <= room).then_some(least))
        else {
            left += group.members.len();
            continue;
        };
        used += text.chars().count();
        out.push_str(&text);
    }
    if left > 0 {
        let _ = write!(
            out,
            "\n**{left} more changes** have no room here: `recourse evaluate terraform` lists them all.\n"
        );
    }
    let above: BTreeSet<&str> = order::set(told.iter().flat_map(addresses));
    let rest: BTreeSet<&str> =
        counted.iter().flat_map(addresses).filter(|one| !above.contains(one)).collect();
    // Where nothing else is told the headline says so.
    match (rest.len(), told.is_empty()) {
        (0, _) | (_, true) => {}
        (1, false) => out.push_str("\nNothing is lost by the other change.\n"),
        (rest, false) => {
            let _ = write!(out, "\nNothing is lost by the other {rest} changes.\n");
        }
    }
    out.push_str(&closing);
    out
}

/// What is changed by a group: several effects on one thing are one change of it.
fn addresses<'a>(group: &Group<'a>) -> impl Iterator<Item = &'a str> {
    group.members.iter().map(|one| one.intent.target.id.as_str())
}

/// A command as code, and what is said of it as text.
fn instead(group: &Group<'_>, line: &str) -> String {
    let explained = group.first().into_iter().flat_map(|first| &first.alternatives);
    if explained.map(|other| other.explanation.as_str()).any(|text| text == line) {
        return prose(line);
    }
    match line.strip_suffix(LIKEWISE) {
        Some(command) => format!("{}{LIKEWISE}", code(command)),
        None => code(line),
    }
}

/// What is said of the whole.
fn closing(report: &ConsequenceReport) -> String {
    let mut out = String::new();
    for risk in report.cross_action_risks.iter().take(20) {
        let _ = write!(out, "\n**Together:** {}\n", prose(&crate::text::shorten(&risk.explanation, 500)));
    }
    if let Some(enforcement) = &report.enforcement
        && report.risk_assessment >= Verdict::Escalate
    {
        let _ = write!(out, "\n{} ({} profile)\n", prose(&enforcement.reason), enforcement.profile);
    }
    out
}

/// One group, folded; the first is open.
fn fold(group: &Group<'_>, report: &ConsequenceReport, open: bool) -> String {
    let open = if open && group.verdict >= Verdict::Escalate { " open" } else { "" };
    let mut out = format!(
        "\n<details{open}><summary><b>{}</b> <code>{}</code> {}</summary>\n\n",
        group.verdict.as_str(),
        html(&escape(&title(group))),
        html(&group.label()),
    );
    for Said { label, lines } in said(group, report) {
        let shown: Vec<String> = lines
            .iter()
            .map(|line| match label {
                "resources" | "to check" => code(line),
                "instead" => instead(group, line),
                _ => prose(line),
            })
            .collect();
        let _ = writeln!(out, "- **{label}**: {}", shown.join("<br>"));
    }
    out.push_str("\n</details>\n");
    out
}

/// One group in a line.
fn line(group: &Group<'_>, names: bool) -> String {
    let mut text = format!("{} {} {}", bold(group.verdict), code(&title(group)), group.label());
    if names && group.members.len() > 1 {
        let _ = write!(text, ": {}", code(&group.names().join(", ")));
    }
    text
}

fn bold(verdict: Verdict) -> String {
    match verdict {
        Verdict::Allow => verdict.as_str().to_owned(),
        _ => format!("**{}**", verdict.as_str()),
    }
}

fn upper(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Text as code, in a fence that it cannot close.
fn code(text: &str) -> String {
    let text = escape(text);
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

/// [`code`] in a table, where a bar would end the cell.
fn cell(text: &str) -> String {
    code(text).replace('|', "\\|")
}

/// Text as HTML.
fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Sentences that hold names of others: no markup, no mention, no link. What stands between backticks is code.
fn prose(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) || parts.iter().skip(1).step_by(2).any(|part| part.trim().is_empty()) {
        return plain(text);
    }
    let shown = parts.iter().enumerate().map(|(at, part)| if at % 2 == 1 { code(part) } else { plain(part) });
    shown.collect()
}

fn plain(text: &str) -> String {
    let mut out = String::new();
    for c in escape(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // A comment within the word keeps it from becoming a mention, an issue or a link.
            '@' => out.push_str("@<!-- -->"),
            '#' => out.push_str("#<!-- -->"),
            ':' => out.push_str(":<!-- -->"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '!' => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    // Only before a slash can a colon begin a link.
    out.replace(":<!-- --> ", ": ").replace("www.", "www<!-- -->.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_others_stay_text() {
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("a`b``c"), "```a`b``c```");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(cell("a|b"), "`a\\|b`");
        assert_eq!(prose("see: <b>@you</b>"), "see: &lt;b&gt;@<!-- -->you&lt;/b&gt;");
        assert_eq!(prose("run `a_b @c` *d*"), "run `a_b @c` \\*d\\*");
        assert_eq!(prose("a ` b"), "a \\` b");
        assert_eq!(prose("https://x www.y"), "https:<!-- -->//x www<!-- -->.y");
        assert_eq!(prose("[a](b) *c* _d_ #1"), "\\[a\\](b) \\*c\\* \\_d\\_ #<!-- -->1");
    }
}
