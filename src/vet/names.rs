//! Names that several declarations share: each must be given once.

use std::collections::BTreeMap;

use crate::knowledge::{McpTool, Pack};

use super::{Problem, below};

pub(super) fn check(packs: &[Pack], found: &mut Vec<Problem>) {
    twice(packs, found);
    let mut families = BTreeMap::new();
    for pack in packs {
        let mut tell = |at: &[String], message: String| {
            found.push(Problem { file: pack.file.clone(), line: pack.line(at), message });
        };
        for part in &pack.servers {
            let mut seen = BTreeMap::new();
            let of_tools = part.it.tool.iter().flat_map(|(name, tool): (_, &McpTool)| {
                let at = below(&part.at, &["tool", name]);
                std::iter::once(name).chain(&tool.alias).map(move |name| (name, at.clone()))
            });
            let reads = part.it.reads.iter().map(|name| (name, below(&part.at, &["reads"])));
            for (name, at) in of_tools.chain(reads) {
                // The order of its words does not count.
                let mut words: Vec<&str> = name.split('_').collect();
                words.sort_unstable();
                if !is_plain(name) {
                    tell(&at, format!("tool `{name}`: names are lower case words joined by `_`"));
                } else if let Some(first) = seen.insert(words.join(" "), name) {
                    tell(&at, format!("tool `{name}` is declared twice (`{first}` is the same to a client)"));
                }
            }
            for name in &part.it.server {
                let at = below(&part.at, &["server"]);
                if !is_plain(name) {
                    tell(&at, format!("server `{name}`: names are lower case words joined by `_`"));
                } else if families.insert(name.clone(), ()).is_some() {
                    tell(&at, format!("server `{name}` is declared twice"));
                }
            }
        }
    }
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// Tools, kinds and Terraform types that two of the files declare.
fn twice(packs: &[Pack], found: &mut Vec<Problem>) {
    let mut seen: BTreeMap<(&str, String), &str> = BTreeMap::new();
    for pack in packs {
        let tools =
            pack.tools.iter().flat_map(|part| part.it.names.iter().map(move |name| ("tool", name, &part.at)));
        let kinds = pack.kinds.iter().map(|part| ("kind", &part.name, &part.at));
        let types = pack.terraform.iter().map(|part| ("Terraform type", &part.name, &part.at));
        for (sort, name, at) in tools.chain(kinds).chain(types) {
            if let Some(other) = seen.insert((sort, name.clone()), &pack.file) {
                let message =
                    format!("{sort} `{name}` is declared in {other} already; both count, the worse decides");
                found.push(Problem { file: pack.file.clone(), line: pack.line(at), message });
            }
        }
    }
}
