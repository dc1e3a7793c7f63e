//! Whether an attested report speaks of all that is about to happen: its consequences, and the files that they come from.
//!
//! An attestation names a command by its words. What the words do stands in files, which may be others by now.

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value;
use unicode_normalization::UnicodeNormalization as _;

use crate::attest::document::hex;
use crate::model::{Material, Part, Secrets, Tier};
use crate::report::{ConsequenceReport, MutationReport};
use crate::text::escape;
use crate::world::World;

/// Largest file that is compared.
const LIMIT: u64 = 4 << 30;

/// Whether `output` names every change that this report names, none of them less severe.
///
/// # Errors
/// The first change that it lacks, for the detail of `cross_check_mismatch`.
pub(super) fn consequences(report: &ConsequenceReport, output: &Value) -> Result<(), String> {
    let attested = output.get("mutations").and_then(Value::as_array);
    let mut worst: HashMap<(&str, &str, &str), u8> = HashMap::new();
    for (change, severity) in attested.into_iter().flatten().filter_map(change) {
        let known = worst.entry(change).or_default();
        *known = severity.max(*known);
    }
    let lacks = |own: &&MutationReport| {
        let target = &own.intent.target;
        let (kind, id): (String, String) = (target.r#type.nfc().collect(), target.id.nfc().collect());
        let severity = Tier::from_number(own.recoverability.tier).map(Tier::severity);
        let there = worst.get(&(own.intent.action.as_str(), &kind, &id)).copied();
        // A tier that there is not is none that anybody attested.
        severity.is_none() || there < severity
    };
    match report.mutations.iter().find(lacks) {
        None => Ok(()),
        Some(lacking) => {
            let target = &lacking.intent.target;
            let change = format!("{} {} {}", lacking.intent.action.as_str(), target.r#type, target.id);
            Err(format!(
                "this machine finds `{}` ({}), which the attested evaluation did not",
                escape(&change),
                lacking.recoverability.label,
            ))
        }
    }
}

/// What an attested mutation does to what, and how severe that is.
fn change(mutation: &Value) -> Option<((&str, &str, &str), u8)> {
    let text = |pointer: &str| mutation.pointer(pointer).and_then(Value::as_str);
    let tier = mutation.pointer("/recoverability/tier").and_then(Value::as_f64)?;
    let tier = (1..=5).find(|number| tier == f64::from(*number)).and_then(Tier::from_number)?;
    let change = (text("/intent/action")?, text("/intent/target/type")?, text("/intent/target/id")?);
    Some((change, tier.severity()))
}

/// Whether every file that this evaluation rests on is named in `output` with the same digest, and every file that
/// `output` names is still the same. A plan is bound by what it says, not by the file that held it.
///
/// # Errors
/// The first file that is not, for the detail of `cross_check_mismatch`.
pub(super) fn materials(
    own: &[Material],
    secrets: &Secrets,
    output: &Value,
    world: &dyn World,
) -> Result<(), String> {
    let named = |material: &Material| -> String {
        let path = material.path.to_string_lossy();
        secrets.mask(&path).nfc().collect()
    };
    let attested: Vec<(&str, &str, Option<&str>)> = output
        .get("materials")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|one| {
            let text = |name: &str| one.get(name).and_then(Value::as_str);
            Some((text("path")?, text("part")?, text("sha256")))
        })
        .collect();
    for material in own.iter().filter(|material| material.part != Part::Plan) {
        let name = named(material);
        let shown = escape(&name);
        let Some(digest) = &material.sha256 else {
            return Err(format!(
                "{shown} may not be looked at, or is too large for that, so no attestation can name what it holds"
            ));
        };
        let mut there = attested.iter().filter(|(path, ..)| *path == name).peekable();
        if there.peek().is_none() {
            return Err(format!("the attested evaluation did not see {shown}"));
        }
        if there.any(|(.., sha256)| *sha256 != Some(digest.as_str())) {
            return Err(format!("{shown} is not what was attested: it has changed since"));
        }
    }
    for (path, part, sha256) in attested {
        let known = own.iter().any(|own| named(own) == path);
        if known || part == "plan" {
            continue;
        }
        let now = world.digest(Path::new(path), LIMIT).ok().map(|bytes| hex(&bytes));
        if now.is_none() || now.as_deref() != sha256 {
            return Err(format!("{} is not what was attested: it has changed or gone since", escape(path)));
        }
    }
    Ok(())
}

/// The first of these files that is not any more what was judged, with what is wrong with it.
pub fn changed(materials: &[Material], world: &dyn World) -> Option<String> {
    materials.iter().filter(|material| material.part != Part::Plan).find_map(|material| {
        let now = world.digest(&material.path, LIMIT).map(|bytes| hex(&bytes));
        let what = match (now, &material.sha256) {
            (Ok(now), Some(then)) if now == *then => return None,
            (Ok(_), Some(_)) => "changed after it was judged".to_owned(),
            // Nothing was known of it then, and the verdict says so.
            (_, None) => return None,
            (Err(why), _) => format!("cannot be compared with what was judged: {why}"),
        };
        Some(format!("{} {what}", escape(&material.path.to_string_lossy())))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::world::MemoryWorld;

    fn script(path: &str, sha256: Option<&str>) -> Material {
        Material { path: path.into(), part: Part::Script, sha256: sha256.map(str::to_owned) }
    }

    #[test]
    fn each_file_must_be_named_with_its_digest() {
        let world = MemoryWorld::new();
        let output = json!({"materials": [{"path": "/a", "part": "script", "sha256": "11"}]});
        assert!(materials(&[script("/a", Some("11"))], &Secrets::default(), &output, &world).is_ok());
        for (own, why) in [
            (script("/a", Some("22")), "has changed"),
            (script("/b", Some("11")), "did not see"),
            (script("/a", None), "may not be looked at"),
        ] {
            let said = materials(&[own], &Secrets::default(), &output, &world).unwrap_err();
            assert!(said.contains(why), "{said}");
        }
        // Named there, and not found here at all.
        assert!(materials(&[], &Secrets::default(), &output, &world).unwrap_err().contains("gone"));
        let plan = json!({"materials": [{"path": "/p", "part": "plan", "sha256": "11"}]});
        assert!(materials(&[], &Secrets::default(), &plan, &world).is_ok());
        let twice = json!({"materials": [
            {"path": "/a", "part": "script", "sha256": "22"}, {"path": "/a", "part": "data", "sha256": "11"},
        ]});
        assert!(materials(&[script("/a", Some("11"))], &Secrets::default(), &twice, &world).is_err());
    }
}
