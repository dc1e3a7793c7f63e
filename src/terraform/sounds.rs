//! An attribute of a declared type of which neither the type's data nor any sign says what its change takes away: told where its
//! name sounds like what guards, keeps, opens, doubles, renews, tells or lets in and it goes the weaker way; and whatever its name,
//! unless that says that less is no loss, where the new value is plainly less than the old one.
//!
//! Owns which way that is. What is not known is no permission; what goes the stronger way is silent.

use super::amounts::{endless, number};
use super::beside::Beside;
use super::diff::Leaf;
use super::guards;
use super::less;
use super::senses::{is_taken, switch};
use super::spoken::Spoken;
use crate::knowledge::{Sign, Sounds, terraform_signs};
use crate::model::FactValue;

/// The change, if it goes the weaker way by the sound of its name. `signs`: those that name it; of what one of them tells turned
/// round the stronger way is known.
pub(super) fn unclear<'s>(
    spoken: &Spoken,
    sounds: Sounds,
    leaf: &Leaf,
    mut signs: impl Iterator<Item = &'s Sign>,
) -> Option<Beside> {
    if !spoken.known || leaf.unknown || sounds == Sounds::default() {
        return None;
    }
    let weaker = if leaf.is_list { is_weaker_list(sounds, leaf) } else { is_weaker(spoken, sounds, leaf) };
    let back = Leaf { was: leaf.now.clone(), now: leaf.was.clone(), ..leaf.clone() };
    let known = |sign: &Sign| !sign.is_of_any_name() && is_taken(sign, &back);
    if !weaker && !less::is_less(spoken, sounds, leaf) || signs.any(known) {
        return None;
    }
    Some(guards::shown(leaf, if weaker { guards::UNCLEAR } else { less::KIND }))
}

/// A list whose last entry goes, one that names more of those who may, or fewer of those who are told or get a copy.
fn is_weaker_list(sounds: Sounds, leaf: &Leaf) -> bool {
    let length = |value: &Option<FactValue>| value.as_ref().and_then(number).unwrap_or(0);
    let (was, now) = (length(&leaf.was), length(&leaf.now));
    if leaf.whole {
        return false;
    }
    sounds.guards && was > 0 && now == 0
        || sounds.rights && was > 0 && now > was
        || sounds.covers && now < was
}

fn is_weaker(spoken: &Spoken, sounds: Sounds, leaf: &Leaf) -> bool {
    let (was, now) = (leaf.was.as_ref(), leaf.now.as_ref());
    // What stands in an entry that comes or goes is said by the list.
    if leaf.whole {
        return false;
    }
    let is_switch = was.is_none_or(|was| switch(Some(was)).is_some());
    if is_switch && (switch(was), switch(now)) == (Some(true), Some(false)) {
        return sounds.guards;
    }
    if is_switch && (switch(was), switch(now)) == (Some(false), Some(true)) {
        return sounds.opens;
    }
    // Where it is named that something guards, and nothing is named any more.
    let text = |value: Option<&FactValue>| matches!(value, Some(FactValue::Text(text)) if !text.is_empty());
    let is_none = now.is_none_or(|now| *now == FactValue::Text(String::new()));
    if sounds.guards && text(was) && is_none {
        return true;
    }
    if let (Some(FactValue::Text(was)), Some(FactValue::Text(now))) = (was, now)
        && sounds.rights
        && number(&FactValue::Text(was.clone())).is_none()
    {
        let less = || terraform_signs().is_less(&now.to_lowercase(), &was.to_lowercase());
        return !was.is_empty() && !now.is_empty() && !names(was) && !names(now) && !less();
    }
    let (Some(old), new) = (was.and_then(number), now.and_then(number)) else { return false };
    if now.is_some() && new.is_none() {
        return false;
    }
    // What is not set any more is the provider's own value.
    let Some(new) = new else { return (sounds.kept || sounds.many) && old > 0 };
    let fewer = endless(new) < endless(old);
    // A time of 0 is none.
    let longer = |times: i64| old > 0 && new >= old.saturating_mul(times) || old == 0 && new > 0;
    (sounds.kept || sounds.many) && fewer
        || sounds.renews && (new > old || new == 0)
        || sounds.watches && spoken.alarms && longer(2)
}

/// It only names where something is.
fn names(text: &str) -> bool {
    text.starts_with(['{', '[', '/']) || text.contains("://")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::diff::leaves;
    use super::super::gains;
    use super::super::signs::{Names, read};
    use super::*;
    use crate::knowledge::Knowledge;

    /// Kinds of what an update of a type does besides.
    fn kinds(r#type: &str, before: &Value, after: &Value) -> Vec<String> {
        let declared = Knowledge::builtin().terraform(r#type);
        let spoken = Spoken::of(r#type, declared.as_deref(), &[]);
        let none = json!({});
        let differing = leaves(before, after, &none, [&none, &none]);
        let said = read(&mut Names::default(), &differing, &spoken, &gains::Beside::default(), |_| None);
        said.beside.iter().map(|beside| beside.kind().to_owned()).collect()
    }

    /// Names that nobody lists, made of words: of every sort of type the weaker way is told and the stronger one is silent.
    #[test]
    fn a_name_that_sounds_like_a_guard_is_told_the_weaker_way_alone() {
        let types = [
            "azurerm_bastion_host",
            "azurerm_route",
            "google_compute_network",
            "google_compute_address",
            "aws_ssm_document",
            "aws_route_table",
            "datadog_integration_aws",
            "kubernetes_config_map",
        ];
        let list = |count: usize| json!((0..count).map(|at| format!("e{at}")).collect::<Vec<_>>());
        for (name, strong, weak) in [
            ("stream_recording_enabled", json!(true), json!(false)),
            ("extended_cspm", json!(true), json!(false)),
            ("without_inspection", json!(false), json!(true)),
            ("skip_attestation", json!(false), json!(true)),
            ("raw_key_export_enabled", json!(false), json!(true)),
            ("legacy_listener_enabled", json!(false), json!(true)),
            ("journal_kept_quantity", json!(30), json!(3)),
            ("standby_replicas_wanted_count", json!(3), json!(1)),
            ("token_rotation_days", json!(30), json!(300)),
            ("stream_recording_arn", json!("arn:x"), json!("")),
            ("plugin_scopes", list(1), list(3)),
            ("copy_destinations", list(3), list(1)),
        ] {
            for r#type in types {
                assert!(Knowledge::builtin().terraform(r#type).is_some(), "{type}");
                let (was, now) = (json!({name: strong}), json!({name: weak}));
                assert!(!kinds(r#type, &was, &now).is_empty(), "{type} {was} {now}");
                let back = kinds(r#type, &now, &was);
                assert!(back.is_empty(), "{type} {now} {was}: {back:?}");
            }
        }
    }

    #[test]
    fn what_tells_somebody_is_told_when_it_tells_later() {
        let window = |window: &str| json!({"window_size": window});
        assert!(!kinds("azurerm_monitor_metric_alert", &window("PT5M"), &window("PT12H")).is_empty());
        assert!(kinds("azurerm_monitor_metric_alert", &window("PT12H"), &window("PT5M")).is_empty());
        assert!(kinds("azurerm_route", &window("PT5M"), &window("PT12H")).is_empty());
    }
}
