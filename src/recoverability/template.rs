//! Placeholders in the data's sentences and commands.
//!
//! `{target}` is the target as people wrote it, `{key}` a fact. A count of one turns the noun behind it into the singular,
//! and keys that end in `bytes` are told as sizes.
//!
//! Commands know more: `{name}` is a target that is one plain name, `{words}` one of several plain words, `{tool}` the program
//! of the rule, `{raw}` what was typed. A command that is nothing but `{key}` is a fact that holds a whole command. What
//! stands in brackets goes when a fact in it is not known (`[ --region {region}]`).

use crate::model::{FactValue, Facts};

/// A sentence. A fact that is not known is `some`.
pub(super) fn prose(text: &str, target: &str, facts: &Facts) -> String {
    fill(text, |key| Some(prose_value(key, target, facts).unwrap_or_else(|| "some".to_owned())), true)
        .unwrap_or_default()
}

/// What a command is about, besides its facts.
#[derive(Clone, Copy, Debug)]
pub(super) struct About<'a> {
    pub(super) target: &'a str,
    pub(super) tool: &'a str,
    pub(super) raw: &'a str,
}

/// A command or step; `None` when it needs a fact that is not known. Values are quoted where a shell would split them.
pub(super) fn command(text: &str, about: About<'_>, facts: &Facts) -> Option<String> {
    // A fact that ends a sentence behind a colon or `in` is text for people, one that stands alone is a command.
    let alone = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).is_some_and(is_key);
    let told = alone || text.ends_with('}') && (text.contains(": {") || text.contains(" in {"));
    let value = |key: &str| match key {
        "name" => plain(about.target).then(|| about.target.to_owned()),
        "words" => {
            let words: Vec<&str> = about.target.split(' ').collect();
            let all = words.len() > 1 && words.iter().all(|word| plain(word) && *word != "all");
            all.then(|| about.target.to_owned())
        }
        "tool" => Some(about.tool.to_owned()),
        // More than one command cannot be typed behind another's words.
        "raw" => (!about.raw.contains(['\n', ';', '&', '|', '<', '>', '…'])).then(|| about.raw.to_owned()),
        key => {
            let value = prose_value(key, about.target, facts)?;
            Some(if told { value } else { shell_words::quote(&value).into_owned() })
        }
    };
    fill(&optional(text, &value), value, false)
}

/// One word that means nothing else to a shell.
fn plain(word: &str) -> bool {
    let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '@' | ':' | '-' | ',' | '+');
    word.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') && word.chars().all(fine)
}

/// The text without the bracketed parts that need what is not known, and without the brackets of the others.
fn optional(text: &str, value: &impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, part, after)) = bracketed(rest) {
        out.push_str(before);
        if placeholders(part).all(|key| value(key).is_some()) {
            out.push_str(part);
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The first part in brackets that holds a placeholder, with what stands before and behind.
fn bracketed(text: &str) -> Option<(&str, &str, &str)> {
    let start = text.find("[ ")?;
    let length = text[start..].find(']')?;
    let part = &text[start + 1..start + length];
    part.contains('{').then(|| (&text[..start], part, &text[start + length + 1..]))
}

fn prose_value(key: &str, target: &str, facts: &Facts) -> Option<String> {
    if key == "target" {
        return Some(target.to_owned());
    }
    Some(match &facts.get(key)?.value {
        FactValue::Bool(true) => "yes".to_owned(),
        FactValue::Bool(false) => "no".to_owned(),
        FactValue::Text(text) => text.clone(),
        FactValue::Number(number) => match u64::try_from(*number) {
            Ok(count) if key.ends_with("bytes") => crate::text::size(count),
            Ok(count) => crate::text::grouped(count),
            Err(_) => number.to_string(),
        },
    })
}

/// Keys that a text asks for.
pub fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    text.split('{')
        .skip(1)
        .filter_map(|rest| rest.split_once('}'))
        .map(|(key, _)| key)
        .filter(|key| is_key(key))
}

/// `stash@{0}` is no placeholder.
fn is_key(key: &str) -> bool {
    key.starts_with(|c: char| c.is_ascii_alphabetic())
        && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
}

fn fill(text: &str, value: impl Fn(&str) -> Option<String>, words: bool) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        let Some(length) = rest[start..].find('}') else { break };
        let key = &rest[start + 1..start + length];
        out.push_str(&rest[..start]);
        rest = &rest[start + length + 1..];
        if !is_key(key) {
            out.push('{');
            out.push_str(key);
            out.push('}');
            continue;
        }
        let found = value(key)?;
        // Nobody counts a week in seconds.
        if words
            && let Some(after) = rest.strip_prefix(" seconds")
            && let Ok(seconds) = found.replace(',', "").parse()
        {
            out.push_str(&crate::text::time(seconds));
            rest = after;
            continue;
        }
        out.push_str(&found);
        if words && found == "1" {
            rest = singular(rest, &mut out);
        }
    }
    out.push_str(rest);
    Some(out)
}

/// Takes the noun behind a count of one and puts its singular; gives back what follows.
fn singular<'a>(rest: &'a str, out: &mut String) -> &'a str {
    let Some(after) = rest.strip_prefix(' ') else { return rest };
    // An adjective may stand before the noun: "1 untracked files".
    let mut at = 0;
    for word in after.split(' ').take(3) {
        let letters = word.trim_end_matches(|c: char| !c.is_alphabetic());
        let single = if let Some(stem) = letters.strip_suffix("ies") {
            Some(format!("{stem}y"))
        } else if ["ches", "shes", "xes", "sses"].iter().any(|end| letters.ends_with(end)) {
            Some(letters[..letters.len() - 2].to_owned())
        } else if letters.ends_with('s') && !letters.ends_with("ss") && letters.len() > 2 {
            Some(letters[..letters.len() - 1].to_owned())
        } else {
            None
        };
        if let Some(single) = single {
            out.push(' ');
            out.push_str(&after[..at]);
            out.push_str(&single);
            return &after[at + letters.len()..];
        }
        if letters.len() < word.len() {
            break;
        }
        at += word.len() + 1;
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Fact;

    fn facts(list: &[(&str, FactValue)]) -> Facts {
        list.iter().map(|(key, value)| ((*key).to_owned(), Fact::new(value.clone(), ""))).collect()
    }

    #[test]
    fn counts_agree_with_their_noun() {
        let one = facts(&[("n", FactValue::Number(1)), ("size.bytes", FactValue::Number(41_000))]);
        let many = facts(&[("n", FactValue::Number(12_345))]);
        assert_eq!(prose("{n} commits of {target}", "x", &one), "1 commit of x");
        assert_eq!(prose("{n} untracked files, {size.bytes}", "x", &one), "1 untracked file, 41 kB");
        assert_eq!(prose("{n} branches", "x", &one), "1 branch");
        assert_eq!(prose("{n} entries", "x", &one), "1 entry");
        assert_eq!(prose("{n} commits", "x", &many), "12,345 commits");
        assert_eq!(prose("{m} commits", "x", &many), "some commits");
        let week = facts(&[("n", FactValue::Number(604_800))]);
        assert_eq!(prose("kept for {n} seconds", "x", &week), "kept for 7 days");
    }

    #[test]
    fn commands_are_quoted_or_left_out() {
        let known = facts(&[("ref.commit", FactValue::Text("abc".to_owned()))]);
        let command = |text: &str, target: &str| {
            command(text, About { target, tool: "tool", raw: "tool rm x" }, &known)
        };
        assert_eq!(command("git branch {target} {ref.commit}", "a b").unwrap(), "git branch 'a b' abc");
        assert_eq!(command("git branch {target} {other}", "a b"), None);
        assert_eq!(command("stash@{0}", "").as_deref(), Some("stash@{0}"));
        assert_eq!(command("get {words}", "deploy web").as_deref(), Some("get deploy web"));
        for target in ["all", "deploy all", "a $b", "-n x", "x"] {
            assert_eq!(command("get {words}", target), None, "{target}");
        }
        for (target, expected) in [("data", Some("rm data")), ("-f", None), ("a b", None), ("a;b", None)] {
            assert_eq!(command("rm {name}", target).as_deref(), expected, "{target}");
        }
        assert_eq!(
            command("a[ --at {ref.commit}][ --in {other}] {tool}-x", "").as_deref(),
            Some("a --at abc tool-x")
        );
        assert_eq!(command("sure {raw}", "").as_deref(), Some("sure tool rm x"));
    }

    #[test]
    fn a_fact_alone_is_a_command() {
        let known = facts(&[("keep", FactValue::Text("git stash push -- 'a b'".to_owned()))]);
        let about = About { target: "", tool: "", raw: "a; b" };
        assert_eq!(command("{keep}", about, &known).as_deref(), Some("git stash push -- 'a b'"));
        assert_eq!(command("sure {raw}", about, &known), None);
    }
}
