//! What guards, and is changed in a way of which nothing says whether it guards less: told, since what is not known is no
//! permission.

use super::beside::Beside;
use super::diff::Leaf;
use super::filters;
use super::said::{printable, show};
use super::senses::{is_taken, word};
use super::spoken::{Named, Spoken};
use crate::knowledge::{Range, Sign, terraform_gains, terraform_signs};
use crate::model::{Action, FactValue};

/// Kinds of what deletes at once, or lets everybody in, when it gets less.
const LOSES: [&str; 6] = [
    "protection.retention",
    "protection.backups",
    "protection.recovery",
    "protection.kept",
    "protection.exposure",
    "protection.audit",
];

/// The kind of what nobody knows of a guard.
pub(super) const UNCLEAR: &str = "protection.unclear";

/// How much of a value is told.
const SHOWN: usize = 60;

/// The change of an attribute that decides, where no sign says that it is as good as before. `signs`: those that name it.
pub(super) fn unclear<'s>(
    spoken: &Spoken,
    named: &Named,
    leaf: &Leaf,
    all: &[Leaf],
    mut signs: impl Iterator<Item = &'s Sign>,
) -> Option<Beside> {
    let guards = named.guards && (spoken.guards || named.says);
    if !spoken.known || leaf.is_list && !leaf.unknown || !guards && !named.decides {
        return None;
    }
    if leaf.unknown {
        return (guards && leaf.was.is_some()).then(|| later(&leaf.path, ""));
    }
    const SWITCHES: [&str; 3] = ["enabled", "is_enabled", "active"];
    if leaf.now == Some(FactValue::Bool(true)) && SWITCHES.contains(&leaf.path.as_str()) {
        return None;
    }
    let ways =
        |(was, now): (String, String)| [was, now].iter().all(|word| terraform_signs().deciding.is_way(word));
    let less = |(was, now): &(String, String)| terraform_signs().is_less(now, was);
    let both = || word(leaf.was.as_ref()).zip(word(leaf.now.as_ref()));
    let words = || both().is_some_and(|both| !less(&both) && !ways(both));
    let empty = |value: &Option<FactValue>| value.as_ref().is_none_or(|value| show(value).is_empty());
    let told = match (&leaf.was, &leaf.now) {
        // A filter that is added leaves something out; one of who is let in leaves out more.
        (was, Some(FactValue::Text(_))) if empty(was) => {
            let filters = ["filter", "selector"].iter().any(|word| leaf.path.contains(word));
            let of_others = [".from.", ".to."].iter().any(|side| leaf.path.contains(side));
            guards && filters && !of_others && is_alone(leaf, all)
        }
        (Some(was), Some(now)) if guards => is_alone(leaf, all) && is_told(was, now),
        (Some(was), None) if guards => is_alone(leaf, all) && is_told(was, &FactValue::Bool(false)),
        (Some(FactValue::Text(_)), Some(FactValue::Text(_))) => words(),
        _ => false,
    };
    let back = Leaf { was: leaf.now.clone(), now: leaf.was.clone(), ..leaf.clone() };
    if !told || signs.any(|sign| is_taken(sign, &back)) {
        return None;
    }
    Some(shown(leaf, UNCLEAR))
}

/// What an attribute was and is, where nothing says which of both guards less.
pub(super) fn shown(leaf: &Leaf, kind: &str) -> Beside {
    let mut found = Beside::new(Action::Update, kind);
    let shown = |value: Option<&FactValue>| {
        let text = value.map_or_else(|| "not set".to_owned(), show);
        let short: String = text.chars().take(SHOWN).collect();
        FactValue::Text(printable(if short.is_empty() { "empty" } else { &short }))
    };
    found.tell("attribute", FactValue::Text(leaf.path.clone()));
    found.tell("had", shown(leaf.was.as_ref()));
    found.tell("left", shown(leaf.now.as_ref()));
    found
}

/// A switch that kept something out by a name that negates, and goes off: `disable_public_network_access`.
pub(super) fn turned(leaf: &Leaf) -> Option<Beside> {
    let is = |value: bool| Some(FactValue::Bool(value));
    let off = leaf.was == is(true) && (leaf.now == is(false) || leaf.now.is_none() && !leaf.unknown);
    if !off || !terraform_gains().keeps_out(&leaf.path) {
        return None;
    }
    let mut found = Beside::new(Action::Update, "protection.switch");
    found.tell("attribute", FactValue::Text(leaf.path.clone()));
    found.tell("had", FactValue::Bool(true));
    found.tell("left", FactValue::Bool(false));
    Some(found)
}

/// What decides and is known only after the apply. `kind`: of what it would be if it got less.
pub(super) fn later(path: &str, kind: &str) -> Beside {
    let mut found = Beside::new(Action::Update, "protection.later");
    found.tell("attribute", FactValue::Text(path.to_owned()));
    if LOSES.contains(&kind) {
        found.tell("loses", FactValue::Bool(true));
    }
    found
}

/// No part of an entry of a list that is longer or shorter: the list says it.
fn is_alone(leaf: &Leaf, all: &[Leaf]) -> bool {
    let inside = |list: &Leaf| {
        list.is_list
            && leaf
                .path
                .strip_prefix(list.path.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    !all.iter().any(inside)
}

/// Whether what it says decides: not where it only names something, and not what other modules compare.
fn is_told(was: &FactValue, now: &FactValue) -> bool {
    let (FactValue::Text(was), now) = (was, show(now)) else { return true };
    if was.is_empty() {
        return false;
    }
    if filters::asks_more(was, &now) {
        return false;
    }
    if let Some((old, new)) = Range::of(was).zip(Range::of(&now)) {
        return !old.holds(new);
    }
    let names =
        |text: &str| text.starts_with(['{', '[', '/']) || text.starts_with("arn:") || text.contains("://");
    !names(was) && !names(&now)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::diff::leaves;
    use super::super::gains;
    use super::super::signs::{Names, read};
    use super::*;
    use crate::knowledge::{Knowledge, Sense, terraform_signs};

    /// Kinds of what an update of a type does besides.
    fn kinds(r#type: &str, before: &Value, after: &Value, unknown: &Value) -> Vec<String> {
        let declared = Knowledge::builtin().terraform(r#type);
        let spoken = Spoken::of(r#type, declared.as_deref(), &[]);
        let none = json!({});
        let differing = leaves(before, after, unknown, [&none, &none]);
        let said = read(&mut Names::default(), &differing, &spoken, &gains::Beside::default(), |_| None);
        said.beside.iter().map(|beside| beside.kind().to_owned()).collect()
    }

    #[test]
    fn a_weaker_word_is_told_and_a_stronger_one_is_silent() {
        let path = "what_is_done";
        let signs: Vec<&Sign> =
            terraform_signs().of(path).0.into_iter().filter(|sign| sign.sense == Sense::Relaxes).collect();
        let text = |word: &str| Some(FactValue::Text(word.to_owned()));
        let taken = |was: &str, now: &str| {
            let leaf = Leaf {
                path: path.into(),
                was: text(was),
                now: text(now),
                unknown: false,
                is_list: false,
                whole: false,
            };
            signs.iter().any(|sign| is_taken(sign, &leaf))
        };
        let mut pairs = 0;
        for sign in &signs {
            let words: Vec<&str> = sign.words.iter().collect();
            let at = words.iter().position(|word| *word == ">").unwrap();
            let plain = |word: &&&str| !word.contains('*');
            for strict in words[..at].iter().filter(plain) {
                for lax in words[at + 1..].iter().filter(plain) {
                    assert!(taken(strict, lax), "{strict} > {lax}");
                    assert!(!taken(lax, strict), "{lax} > {strict}");
                    pairs += 1;
                }
            }
        }
        assert!(pairs > 500, "{pairs}");
    }

    #[test]
    fn what_guards_is_told_where_nothing_says_which_way_is_weaker() {
        for (r#type, was, now, kind) in [
            (
                "cloudflare_ruleset",
                json!({"rules": [{"expression": "a b"}]}),
                json!({"rules": [{"expression": "c d"}]}),
                "protection.unclear",
            ),
            (
                "tfe_policy",
                json!({"enforce_mode": "new-word"}),
                json!({"enforce_mode": "other-word"}),
                "protection.unclear",
            ),
            (
                "aws_wafv2_web_acl",
                json!({"rule": [{"statement": [{"rate": 10}]}]}),
                json!({"rule": [{"statement": [{"rate": 20}]}]}),
                "protection.unclear",
            ),
            (
                "aws_lb",
                json!({"desync_mitigation_mode": "some"}),
                json!({"desync_mitigation_mode": "other"}),
                "protection.unclear",
            ),
        ] {
            let none = json!({});
            assert_eq!(kinds(r#type, &was, &now, &none), [kind], "{type} {was} {now}");
            assert_eq!(kinds(r#type, &now, &was, &none), [kind], "{type} {now} {was}");
        }
        for (r#type, was, now) in [
            ("aws_wafv2_web_acl", json!({"name": "a", "tags": {"a": "b"}}), json!({"name": "b", "tags": {}})),
            ("aws_wafv2_web_acl", json!({"rule": []}), json!({"rule": [{"action": "block"}]})),
            ("tfe_policy", json!({"enforce_mode": "advisory"}), json!({"enforce_mode": "hard-mandatory"})),
            (
                "aws_s3_bucket",
                json!({"acceleration_mode": "some thing"}),
                json!({"acceleration_mode": "other thing"}),
            ),
            (
                "aws_dynamodb_table",
                json!({"billing_mode": "PROVISIONED"}),
                json!({"billing_mode": "PAY_PER_REQUEST"}),
            ),
        ] {
            let found = kinds(r#type, &was, &now, &json!({}));
            assert!(found.is_empty(), "{type} {was} {now}: {found:?}");
        }
    }

    #[test]
    fn what_guards_and_is_known_only_after_the_apply_is_told() {
        let found = |r#type: &str, was: Value, unknown: Value| {
            let mut now = was.clone();
            for name in unknown.as_object().into_iter().flat_map(|marks| marks.keys()) {
                now.as_object_mut().map(|now| now.remove(name));
            }
            kinds(r#type, &was, &now, &unknown)
        };
        let rule = json!({"rule": [{"action": "block"}]});
        assert_eq!(found("aws_wafv2_web_acl", rule.clone(), json!({"rule": true})), ["protection.later"]);
        assert_eq!(found("aws_wafv2_web_acl", rule.clone(), json!({"arn": true})), Vec::<String>::new());
        assert_eq!(
            found("aws_instance", json!({"deletion_protection": true}), json!({"deletion_protection": true})),
            ["protection.later"]
        );
    }
}
