//! Grants that come with every new service and give little: a policy that a service needs, a reader of one's own. One list
//! of them for commands and plans (`ordinary` in `tool_words.toml`).
//!
//! Owns the language in which they are told apart. A line holds when all its parts, between `, `, do:
//!
//! * `role = reader | writer`: all its values are one of these; `not` instead of `=`: none is, or it is not given;
//! * `policy in arn:aws:iam::aws:policy/{aws_policies}`: they stand in a list, behind that text;
//! * `policy in … from aws_iam_policy !aws_iam_user`: or it is known only after the apply, and comes from such a type alone;
//! * `cidr private`: they are ranges of addresses that nobody has on the Internet;
//! * `member own`: no project of others is in it; `source`: it is given.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::ranges::Range;
use super::tool_words::{Words, tool_words};
use crate::wildcard::fits;

/// What is known of an attribute or an option.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Given {
    /// It is not given.
    #[default]
    Unset,
    /// Its values.
    Known(Vec<String>),
    /// It is known only later, and comes from resources of these types.
    Later(Vec<String>),
    /// Nobody knows.
    Unknown,
}

/// Lists, and the commands that give so little.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub struct Ordinary {
    /// Words by the name of their list.
    pub lists: BTreeMap<String, Words>,
    /// Commands.
    pub command: Vec<OrdinaryCommand>,
}

/// A command that hands out little under one of these conditions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub struct OrdinaryCommand {
    /// Its words; `*` is any of them.
    pub run: Words,
    /// Lines, of which one has to hold.
    pub when: Vec<String>,
    /// An option, or the number of a word, that names one's own project.
    #[serde(default)]
    pub own: Words,
}

/// Whether a line holds. `given` tells of an attribute or option, `own` names one's own projects, where any are known.
pub fn is_ordinary(line: &str, given: impl Fn(&str) -> Given, own: impl Fn() -> Vec<String>) -> bool {
    line.split(", ").all(|part| holds(part.trim(), &given, &own))
}

fn holds(part: &str, given: &impl Fn(&str) -> Given, own: &impl Fn() -> Vec<String>) -> bool {
    let (name, rest) = part.split_once(' ').unwrap_or((part, ""));
    let (how, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let given = given(name);
    let all = |is: &dyn Fn(&str) -> bool| match &given {
        Given::Known(values) => !values.is_empty() && values.iter().all(|value| is(&plain(value))),
        _ => false,
    };
    match how {
        "" => {
            matches!(&given, Given::Known(values) if values.iter().all(|value| !value.is_empty()))
                || matches!(given, Given::Later(_))
        }
        "=" => all(&|value| rest.split(" | ").any(|word| fits(word, value))),
        "not" => match &given {
            Given::Known(values) => {
                !values.iter().any(|value| rest.split(" | ").any(|word| fits(word, &plain(value))))
            }
            Given::Unset => true,
            Given::Later(_) | Given::Unknown => false,
        },
        "in" => {
            let (list, from) = rest.split_once(" from ").unwrap_or((rest, ""));
            all(&|value| stands_in(list, value)) || is_from(from, &given)
        }
        "private" => all(&is_private),
        "own" => match &given {
            Given::Known(values) => {
                let own = own();
                let is_own = |project: &str| own.iter().any(|one| one == project);
                values.iter().all(|value| project(value).is_none_or(is_own))
            }
            Given::Later(_) => true,
            _ => false,
        },
        _ => false,
    }
}

/// Small letters, without blanks, as the lists are.
fn plain(value: &str) -> String {
    value.trim().to_lowercase().replace(' ', "_")
}

/// A text with the name of a list in it.
fn stands_in(template: &str, value: &str) -> bool {
    let Some((front, rest)) = template.split_once('{') else { return fits(template, value) };
    let Some((name, end)) = rest.split_once('}') else { return false };
    let Some(list) = tool_words().ordinary.lists.get(name) else { return false };
    list.iter().any(|word| fits(&format!("{front}{word}{end}"), value))
}

/// A range of addresses within those that anybody may use inside.
pub fn is_private(value: &str) -> bool {
    let list = tool_words().ordinary.lists.get("private_ranges");
    let wide = list.into_iter().flat_map(Words::iter).filter_map(Range::of);
    Range::of(value).is_some_and(|part| wide.into_iter().any(|wide| wide.holds(part)))
}

fn is_from(types: &str, given: &Given) -> bool {
    let Given::Later(found) = given else { return false };
    let not = |name: &String| {
        types.split(' ').filter_map(|word| word.strip_prefix('!')).any(|word| fits(word, name))
    };
    let is = |name: &String| types.split(' ').any(|word| fits(word, name));
    !types.is_empty() && !found.is_empty() && found.iter().all(|name| is(name) && !not(name))
}

/// The project whose service account this is; none of the provider's own agents and of accounts that only have a number.
fn project(member: &str) -> Option<&str> {
    let (name, domain) = member.split_once('@')?;
    if let Some(project) = domain.strip_suffix(".iam.gserviceaccount.com") {
        return Some(project).filter(|project| !project.starts_with("gcp-sa-"));
    }
    (domain == "appspot.gserviceaccount.com").then(|| name.rsplit(':').next().unwrap_or(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(text: &str) -> Given {
        Given::Known(vec![text.to_owned()])
    }

    #[test]
    fn all_parts_of_a_line_have_to_hold() {
        let policy = |given: Given| {
            is_ordinary(
                "p in arn:*:iam::aws:policy/{aws_policies} from aws_iam_policy !aws_x",
                |_| given.clone(),
                Vec::new,
            )
        };
        assert!(policy(known("arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore")));
        assert!(policy(Given::Later(vec!["aws_iam_policy".into()])));
        for other in [
            known("arn:aws:iam::111122223333:policy/AmazonSSMManagedInstanceCore"),
            known("arn:aws:iam::aws:policy/PowerUserAccess"),
            Given::Later(vec!["aws_iam_policy".into(), "aws_x".into()]),
            Given::Later(Vec::new()),
            Given::Unset,
            Given::Unknown,
        ] {
            assert!(!policy(other.clone()), "{other:?}");
        }
        let own = |project: &str, member: &str| {
            is_ordinary("m in {google_machines}, m own", |_| known(member), || vec![project.to_owned()])
        };
        assert!(own("p", "serviceAccount:a@p.iam.gserviceaccount.com"));
        assert!(!own("q", "serviceAccount:a@p.iam.gserviceaccount.com"));
        assert!(!own("p", "user:a@p.iam.gserviceaccount.com"));
        assert!(is_ordinary(
            "a not user | group, b",
            |name| if name == "a" { Given::Unset } else { known("x") },
            Vec::new
        ));
        assert!(!is_ordinary("a not user | group", |_| known("Group"), Vec::new));
        assert!(!is_ordinary("a is x", |_| known("x"), Vec::new), "an unknown word never holds");
        assert!(!is_ordinary("a in {nothing}", |_| known("x"), Vec::new), "neither does an unknown list");
    }
}
