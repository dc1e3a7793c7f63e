//! `npm pkg set` and `delete`, and other commands that write into `package.json`: what its scripts are afterwards.

use serde_json::Value as Json;

use crate::shell::program::{Call, Now, Shell, State};
/// Remembers what a command of a package manager leaves in `package.json`.
pub(super) fn package_edit(shell: &Shell<'_>, state: &mut State, name: &str, call: &Call) {
    let words: Vec<Option<&str>> = call.arguments().iter().map(|word| word.arg.value.as_known()).collect();
    let at = words.iter().position(|word| word.is_none_or(|text| !text.starts_with('-')));
    let Some(rest) = at.and_then(|at| words.get(at..)).filter(|_| state.scope.host.is_none()) else {
        return;
    };
    let edits = match (name, rest) {
        ("npm" | "pnpm" | "bun", [Some("pkg"), Some("set" | "delete" | "fix"), edits @ ..]) => edits,
        ("npm", [Some("set-script"), edits @ ..]) => edits,
        _ => return,
    };
    let Some(cwd) = state.only_cwd() else { return };
    let found = cwd.ancestors().map(|dir| dir.join("package.json"));
    let Some(path) = found.into_iter().find(|path| shell.exists(state, path) != Some(false)) else {
        return;
    };
    let Some(path) = shell.physical(state, &path) else { return };
    let before = shell.read_text(state, &path, shell.options.limits.script_bytes);
    let setting = rest.get(1).copied().flatten() == Some("set");
    let after = before
        .filter(|_| setting && words.iter().all(|word| word.is_some_and(|text| !text.starts_with("-w"))));
    let after = after.and_then(|text| edited(&text, edits));
    state.files.rewrite(path, after.map_or(Now::Unread, Now::Text));
}

/// The text with `a.b=value` put in; `None` where a key has a form that is not followed.
fn edited(text: &str, edits: &[Option<&str>]) -> Option<String> {
    let mut package: Json = serde_json::from_str(text).ok()?;
    for edit in edits {
        let edit = (*edit)?;
        if edit.starts_with('-') {
            if edit == "--json" {
                return None;
            }
            continue;
        }
        let (key, value) = edit.split_once('=')?;
        if key.contains(['[', ']', '\\']) {
            return None;
        }
        let mut parts = key.split('.').peekable();
        let mut here = &mut package;
        while let Some(part) = parts.next() {
            let map = here.as_object_mut()?;
            if parts.peek().is_none() {
                map.insert(part.to_owned(), Json::String(value.to_owned()));
                break;
            }
            here = map.entry(part.to_owned()).or_insert_with(|| Json::Object(serde_json::Map::new()));
        }
    }
    serde_json::to_string(&package).ok()
}

#[cfg(test)]
mod tests {
    use super::edited;

    #[test]
    fn keys_are_put_in() {
        let text = r#"{"name":"a","scripts":{"test":"x"}}"#;
        let after = edited(text, &[Some("scripts.z=rm -f b"), Some("version=2")]).unwrap();
        assert_eq!(after, r#"{"name":"a","scripts":{"test":"x","z":"rm -f b"},"version":"2"}"#);
        for odd in ["a[0]=1", "a", "name.b=1"] {
            assert_eq!(edited(text, &[Some(odd)]), None, "{odd}");
        }
        assert_eq!(edited(text, &[None]), None);
    }
}
