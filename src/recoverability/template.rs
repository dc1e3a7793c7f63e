//! Placeholders in the data's sentences and commands.
//!
//! `{target}` is the target as people wrote it, `{key}` a fact. A count of one turns the noun behind it into the singular,
//! and keys that end in `bytes` are told as sizes.

use crate::model::{FactValue, Facts};

/// A sentence. A fact that is not known is `some`.
pub(super) fn prose(text: &str, target: &str, facts: &Facts) -> String {
    fill(text, |key| Some(prose_value(key, target, facts).unwrap_or_else(|| "some".to_owned())), true)
        .unwrap_or_default()
}

/// A command or step; `None` when it needs a fact that is not known. Values are quoted where a shell would split them.
pub(super) fn command(text: &str, target: &str, facts: &Facts) -> Option<String> {
    // A fact that ends a sentence behind a colon or `in` is text for people.
    let told = text.ends_with('}') && (text.contains(": {") || text.contains(" in {"));
    fill(
        text,
        |key| {
            let value = prose_value(key, target, facts)?;
            Some(if told { value } else { shell_words::quote(&value).into_owned() })
        },
        false,
    )
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
            Ok(count) if key.ends_with("bytes") => crate::evidence::text::size(count),
            Ok(count) => crate::evidence::text::grouped(count),
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
    }

    #[test]
    fn commands_are_quoted_or_left_out() {
        let known = facts(&[("ref.commit", FactValue::Text("abc".to_owned()))]);
        assert_eq!(
            command("git branch {target} {ref.commit}", "a b", &known).unwrap(),
            "git branch 'a b' abc"
        );
        assert_eq!(command("git branch {target} {other}", "a b", &known), None);
        assert_eq!(command("stash@{0}", "", &known).as_deref(), Some("stash@{0}"));
    }
}
