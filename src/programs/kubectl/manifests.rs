//! Manifests that `-f` and `-k` name: which objects stand in them that hold more than their manifest says.
//!
//! What cannot be read adds nothing here; the command is judged by its options all the same.

use std::path::{Path, PathBuf};

use crate::knowledge::tool_words;
use crate::model::Value;
use crate::shell::program::{Shell, State};
use crate::yaml::{self, Node};

/// Longest manifest that is read.
const LIMIT: u64 = 4 << 20;

/// Objects of one command that are looked at.
const OBJECTS: usize = 500;

/// How deep kustomizations lead to one another.
const DEPTH: usize = 8;

/// An object that is named in a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Object {
    /// As the command line would say it.
    pub(super) kind: String,
    pub(super) name: String,
    pub(super) namespace: Option<String>,
}

/// All objects of the files that are named; of directories those that stand in them.
pub(super) fn named(shell: &Shell<'_>, state: &State, files: &[&Value]) -> Vec<Object> {
    let mut found = Vec::new();
    for file in files {
        let Some(path) = shell.absolute(state, file) else { continue };
        match shell.read_data(state, &path, LIMIT) {
            Some(text) => found.extend(objects(&text)),
            None => {
                for path in manifests_in(shell, state, &path) {
                    found.extend(shell.read_data(state, &path, LIMIT).iter().flat_map(|text| objects(text)));
                }
            }
        }
    }
    found.truncate(OBJECTS);
    found
}

/// The files of a directory that are read as manifests.
fn manifests_in(shell: &Shell<'_>, state: &State, dir: &Path) -> Vec<PathBuf> {
    let names = shell.list(state, dir, OBJECTS).unwrap_or_default().into_iter().map(|entry| entry.name);
    let is_one =
        |path: &PathBuf| path.extension().is_some_and(|end| end == "yaml" || end == "yml" || end == "json");
    names.map(|name| dir.join(name)).filter(is_one).collect()
}

/// All objects that a kustomization leads to.
pub(super) fn built(shell: &Shell<'_>, state: &State, place: &Value) -> Vec<Object> {
    let mut found = Vec::new();
    if let Some(path) = shell.absolute(state, place) {
        resources(shell, state, &path, DEPTH, &mut found);
    }
    found.truncate(OBJECTS);
    found
}

fn resources(shell: &Shell<'_>, state: &State, dir: &Path, depth: usize, found: &mut Vec<Object>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    let text = ["kustomization.yaml", "kustomization.yml", "Kustomization"]
        .iter()
        .find_map(|name| shell.read_data(state, &dir.join(name), LIMIT));
    let Some(Ok(Some(root))) = text.map(|text| yaml::read(&text)) else { return };
    for list in ["resources", "bases", "components"] {
        for entry in root.get(list).iter().flat_map(|list| list.items()) {
            let Some(entry) = entry.text().filter(|_| found.len() < OBJECTS) else { continue };
            match shell.read_data(state, &dir.join(entry), LIMIT) {
                Some(text) => found.extend(objects(&text)),
                None => resources(shell, state, &dir.join(entry), depth, found),
            }
        }
    }
}

/// The objects of a manifest.
fn objects(text: &str) -> Vec<Object> {
    let documents = yaml::documents(text).unwrap_or_default();
    let each = |document: &std::rc::Rc<Node>| match document.get("items") {
        Some(items) => items.items().iter().filter_map(|item| object(item)).collect::<Vec<_>>(),
        None => object(document).into_iter().collect(),
    };
    documents.iter().flat_map(each).take(OBJECTS).collect()
}

fn object(node: &Node) -> Option<Object> {
    let text = |keys: &[&str]| node.at(keys).and_then(|value| value.text()).map(str::to_owned);
    let (kind, name) = (text(&["kind"])?.to_ascii_lowercase(), text(&["metadata", "name"])?);
    let version = text(&["apiVersion"]).unwrap_or_default();
    // The same word may be another thing in another group.
    let group = version.split_once('/').map(|(group, _)| group.to_owned()).filter(|group| !is_builtin(group));
    let kind = group.map_or(kind.clone(), |group| format!("{kind}.{group}"));
    Some(Object { kind, name, namespace: text(&["metadata", "namespace"]) })
}

/// Groups of the cluster's own kinds.
fn is_builtin(group: &str) -> bool {
    tool_words().objects.own_groups.fit(group)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_told_by_kind_and_name() {
        let told = |text: &str| {
            let all = objects(text);
            all.iter().map(|one| format!("{} {}", one.kind, one.name)).collect::<Vec<_>>()
        };
        let text = "apiVersion: v1\nkind: Namespace\nmetadata: {name: prod}\n---\napiVersion: serving.knative.dev/v1\nkind: Service\nmetadata:\n  name: web\n";
        assert_eq!(told(text), ["namespace prod", "service.serving.knative.dev web"]);
        let list = r#"{"apiVersion": "v1", "kind": "List", "items": [{"kind": "PersistentVolumeClaim", "metadata": {"name": "d"}}]}"#;
        assert_eq!(told(list), ["persistentvolumeclaim d"]);
        assert!(told("kind: {{ .Values.kind }}").is_empty() && told("a: [").is_empty());
    }
}
