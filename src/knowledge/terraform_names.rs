//! Which of many lists of names have a path, without asking each list: a plan has thousands of paths, and there are hundreds of lists.
//!
//! Owns the index over the names of all signs; what a name means is [`ends_so`].

use std::collections::HashMap;

use crate::wildcard::fits;

/// The part of a path behind the last period.
pub(super) fn last_part(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// Whether the last parts of a path are these.
pub(super) fn ends_so(path: &str, name: &str) -> bool {
    if let Some(whole) = name.strip_prefix('.') {
        return path == whole;
    }
    let parts = name.bytes().filter(|byte| *byte == b'.').count();
    let cut = path.rmatch_indices('.').nth(parts).map_or(0, |(at, _)| at + 1);
    let tail = &path[cut..];
    tail == name || (name.contains('*') && fits(name, tail))
}

/// The names of all lists, by the number of their list.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// Names without a star, as they end a path.
    ends: HashMap<&'static str, Vec<usize>>,
    /// Names that are a path as a whole.
    wholes: HashMap<&'static str, Vec<usize>>,
    /// The others, with how many periods stand in each.
    patterns: Vec<(usize, Shape, usize)>,
}

/// What a pattern asks for: nearly all are of the first three sorts.
#[derive(Debug)]
enum Shape {
    Begins(&'static str),
    Ends(&'static str),
    Holds(&'static str),
    Other(&'static str),
}

impl Shape {
    fn of(name: &'static str) -> Self {
        let plain = |text: &str| !text.contains(['*', '?', '[', '\\']);
        let (front, back) = (name.strip_prefix('*'), name.strip_suffix('*'));
        match (front, back) {
            (Some(rest), _) if plain(rest) => Self::Ends(rest),
            (_, Some(rest)) if plain(rest) => Self::Begins(rest),
            (Some(rest), Some(_)) => match rest.strip_suffix('*').filter(|rest| plain(rest)) {
                Some(inner) => Self::Holds(inner),
                None => Self::Other(name),
            },
            _ => Self::Other(name),
        }
    }

    fn fits(&self, text: &str) -> bool {
        match self {
            Self::Begins(front) => text.starts_with(front),
            Self::Ends(back) => text.ends_with(back),
            Self::Holds(part) => text.contains(part),
            Self::Other(pattern) => fits(pattern, text),
        }
    }
}

impl Index {
    /// Adds a name of a list.
    pub(super) fn add(&mut self, name: &'static str, list: usize) {
        if let Some(whole) = name.strip_prefix('.') {
            self.wholes.entry(whole).or_default().push(list);
        } else if name.contains('*') {
            let periods = name.bytes().filter(|byte| *byte == b'.').count();
            self.patterns.push((periods, Shape::of(name), list));
        } else {
            self.ends.entry(name).or_default().push(list);
        }
    }

    /// The numbers of the lists that have a path, from the least on.
    pub(super) fn lists(&self, path: &str) -> Vec<usize> {
        let cuts = path.rmatch_indices('.').map(|(at, _)| at + 1).chain([0]);
        let tails: Vec<&str> = cuts.map(|cut| &path[cut..]).collect();
        let named = tails.iter().filter_map(|tail| self.ends.get(tail)).chain(self.wholes.get(path));
        let mut found: Vec<usize> = named.flatten().copied().collect();
        for (periods, shape, list) in &self.patterns {
            let tail = tails.get(*periods).unwrap_or(&path);
            if shape.fits(tail) {
                found.push(*list);
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::terraform_signs;

    #[test]
    fn the_last_parts_of_a_path_decide() {
        assert!(ends_so("settings.versioning.enabled", "versioning.enabled"));
        assert!(!ends_so("settings.reversioning.enabled", "versioning.enabled"));
        assert!(ends_so("point_in_time_recovery_specification.enabled", "point_in_time_recovery*.enabled"));
        assert!(ends_so("default_ttl", ".default_ttl") && !ends_so("cache.default_ttl", ".default_ttl"));
        assert!(ends_so("a.force_destroy", "force_destroy") && !ends_so("force_destroy.x", "force_destroy"));
    }

    /// Every list has exactly the paths that each of its names has.
    #[test]
    fn the_index_says_what_the_names_say() {
        let names: Vec<&'static str> = terraform_signs().all_names().collect();
        let mut index = Index::default();
        names.iter().enumerate().for_each(|(list, name)| index.add(name, list));
        let mut paths: Vec<String> = names.iter().step_by(17).map(|name| name.replace('*', "x")).collect();
        paths.extend(
            names.iter().step_by(29).map(|name| format!("outer.block.{}", name.replace(['*', '.'], "a"))),
        );
        paths.extend(["name", "a.b.c.d", "versioning.enabled", ""].map(str::to_owned));
        assert!(names.len() > 3_000, "{}", names.len());
        for path in paths {
            let told: Vec<usize> = (0..names.len()).filter(|list| ends_so(&path, names[*list])).collect();
            assert_eq!(index.lists(&path), told, "{path}");
        }
    }
}
