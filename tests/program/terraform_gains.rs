//! Updates that lose nothing because of the way they go, and updates of several attributes at once.

use std::collections::BTreeMap;

use recourse::model::Verdict;
use serde_json::{Map, Value};

use crate::terraform_changes::{judged, verdict};

/// Attributes before and after, and what came of it.
type Row = (Map<String, Value>, Map<String, Value>, Verdict);

#[test]
fn what_grows_or_guards_more_is_silent_and_turned_round_it_is_told() {
    judged(include_str!("../data/terraform_gains.tsv"), 25, 0);
}

/// Two updates of one type that share no attribute, made at once, come out as the worse of them: what is harmless alone is
/// harmless together.
#[test]
fn an_update_of_several_attributes_is_judged_as_the_worst_of_them() {
    let mut by_type: BTreeMap<&str, Vec<Row>> = BTreeMap::new();
    let lists = [
        include_str!("../data/terraform_changes.tsv"),
        include_str!("../data/terraform_updates.tsv"),
        include_str!("../data/terraform_gains.tsv"),
    ];
    for line in lists.iter().flat_map(|list| list.lines()).filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [r#type, "update", before, after, ..] = fields[..] else { continue };
        let [was, now] =
            [before, after].map(|text| serde_json::from_str::<Map<String, Value>>(text).unwrap());
        by_type.entry(r#type).or_default().push((was, now, verdict(r#type, "update", before, after).0));
    }
    let (mut pairs, mut wrong) = (0, Vec::new());
    for (r#type, rows) in by_type {
        for (at, one) in rows.iter().enumerate() {
            for other in rows.iter().skip(at + 1).take(6) {
                let Some((before, after)) = together(one, other) else { continue };
                let (found, reason) = verdict(r#type, "update", &before, &after);
                pairs += 1;
                // Two losses at once may be more than each, a loss and nothing may not.
                let worst = one.2.max(other.2);
                let both = one.2.min(other.2) > Verdict::Allow;
                if found < worst || found > worst && !both {
                    wrong.push(format!("{found:?}: {type} {before} {after}\n    {reason}"));
                }
            }
        }
    }
    assert!(pairs > 300, "{pairs}");
    assert!(wrong.is_empty(), "{} of {pairs}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Both changes as one, if neither says anything of what the other changes.
fn together(one: &Row, other: &Row) -> Option<(String, String)> {
    let changed = |row: &Row| -> Vec<String> {
        let names = row.0.keys().chain(row.1.keys());
        names.filter(|name| row.0.get(*name) != row.1.get(*name)).cloned().collect()
    };
    let apart = |names: &[String], row: &Row| {
        names.iter().all(|name| !row.0.contains_key(name) && !row.1.contains_key(name))
    };
    let same = one.0.iter().all(|(name, value)| {
        changed(one).contains(name) || other.0.get(name).is_none_or(|known| known == value)
    });
    if !same || !apart(&changed(one), other) || !apart(&changed(other), one) {
        return None;
    }
    let join = |one: &Map<String, Value>, other: &Map<String, Value>| {
        let all = one.iter().chain(other).map(|(name, value)| (name.clone(), value.clone()));
        Value::Object(all.collect()).to_string()
    };
    Some((join(&one.0, &other.0), join(&one.1, &other.1)))
}
