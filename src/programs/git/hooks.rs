//! Where the hooks stand that a call of git runs: in the repository, where a setting says, or in the template of a repository
//! that this command makes.

use std::path::{Path, PathBuf};

use crate::model::Value;
use crate::order;
use crate::shell::program::{Call, Shell, State};
use crate::world::git_dir::{self, Config, GitDir};

use super::asked::Asked;

/// The folder of hooks that come with a new repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Template {
    /// Git's own, which run nothing.
    None,
    /// This one.
    Of(PathBuf),
    /// It cannot be told.
    Unknown,
}

/// Hooks of this call that are there and may run.
pub(super) fn git_hooks(
    shell: &Shell<'_>,
    state: &State,
    asked: &Asked<'_>,
    place: Option<&GitDir>,
    template: &Template,
) -> Vec<PathBuf> {
    let names = asked.hooks();
    if names.is_empty() && !asked.is(&["push", "send-pack"]) {
        return Vec::new();
    }
    let top = place.map(|place| place.work_tree.as_ref().unwrap_or(&place.git_dir).clone());
    let set = hooks_path(shell, asked);
    let elsewhere = set.is_some();
    let mut folders: Vec<PathBuf> = match (set, &top, place) {
        (Some(path), Some(top), _) => vec![settled(shell, state, top.join(path))],
        (Some(path), None, _) if path.is_absolute() => vec![path],
        // In what is cloned only now: nobody has seen it.
        (Some(path), None, _) if asked.name == "clone" => {
            return names.iter().map(|name| path.join(name)).collect();
        }
        (None, _, Some(place)) => vec![place.common_dir.join("hooks")],
        _ => Vec::new(),
    };
    if !elsewhere {
        folders.extend(state.files.hooks_brought().map(Path::to_owned));
        if let Template::Of(folder) = template {
            folders.push(folder.clone());
        }
    }
    let mut found = hooks_in(shell, state, &folders, &names);
    if asked.is(&["push", "send-pack"])
        && !asked.matched.dry_run
        && let Some(top) = &top
    {
        found.extend(hooks_pushed_to(shell, state, asked, top));
    }
    found
}

/// Hooks of a receiving repository.
const RECEIVING: [&str; 7] = [
    "pre-receive",
    "update",
    "post-receive",
    "post-update",
    "push-to-checkout",
    "proc-receive",
    "reference-transaction",
];

/// A repository on this machine runs its own hooks when it is pushed to: those of any remote that has a name, and of the
/// one that the call names.
fn hooks_pushed_to(shell: &Shell<'_>, state: &State, asked: &Asked<'_>, top: &Path) -> Vec<PathBuf> {
    let urls = asked.config.iter().filter(|(key, _)| {
        key.starts_with("remote.") && (key.ends_with(".url") || key.ends_with(".pushurl"))
    });
    let named = asked.matched.operands.first().and_then(|binding| binding.value.as_known());
    let named = named.into_iter().chain(asked.matched.value("--repo").and_then(Value::as_known));
    let mut folders = Vec::new();
    for url in urls.map(|(_, url)| url).chain(named) {
        let place = settled(shell, state, top.join(url.strip_prefix("file://").unwrap_or(url)));
        let beside = PathBuf::from(format!("{}.git", place.display()));
        for git_dir in [place.clone(), place.join(".git"), beside] {
            let found = git_dir::at(shell.world, &git_dir, None, None).ok().flatten();
            let set = found.and_then(|found| {
                let config = Config::load(shell.world, Some(&found));
                config.get("core.hooksPath").filter(|path| !path.is_empty()).map(str::to_owned)
            });
            folders.push(match set {
                Some(path) => git_dir.join(below_home(shell, &path)),
                None => git_dir.join("hooks"),
            });
        }
    }
    order::sort(&mut folders);
    folders.dedup();
    hooks_in(shell, state, &folders, &RECEIVING)
}

/// The folder that settings name; a clone takes settings of its own.
fn hooks_path(shell: &Shell<'_>, asked: &Asked<'_>) -> Option<PathBuf> {
    let own = asked.matched.options.iter().rev().filter(|option| {
        asked.name == "clone" && option.level > 0 && matches!(option.key.as_str(), "-c" | "--config")
    });
    let own = own.filter_map(|option| option.value.as_ref()?.as_known()?.split_once('='));
    let own = own.into_iter().find(|(key, _)| key.eq_ignore_ascii_case("core.hooksPath"));
    let path = own.map_or_else(|| asked.config.get("core.hooksPath"), |(_, path)| Some(path));
    path.filter(|path| !path.is_empty()).map(|path| below_home(shell, path))
}

fn below_home(shell: &Shell<'_>, path: &str) -> PathBuf {
    match path.strip_prefix("~/") {
        Some(rest) => shell.world.home(None).unwrap_or_default().join(rest),
        None => PathBuf::from(path),
    }
}

/// The hooks that `init` and `clone` put into a repository.
pub(super) fn git_template(
    shell: &Shell<'_>,
    state: &State,
    call: &Call,
    asked: &Asked<'_>,
    dirs: &[PathBuf],
) -> Template {
    if !asked.is(&["init", "init-db", "clone"]) {
        return Template::None;
    }
    let environment = shell.given_to(state, &call.environment);
    let variable = environment.iter().rev().find(|(name, _)| name == "GIT_TEMPLATE_DIR");
    let given = asked.matched.value("--template").or(variable.map(|(_, value)| value));
    let named = match given {
        Some(Value::Known(path)) => Some(path.clone()),
        Some(_) => return Template::Unknown,
        None => shell
            .world
            .env("GIT_TEMPLATE_DIR")
            .or_else(|| asked.config.get("init.templateDir").map(str::to_owned)),
    };
    match (named.filter(|path| !path.is_empty()).map(|path| below_home(shell, &path)), dirs) {
        (None, _) => Template::None,
        (Some(path), _) if path.is_absolute() => Template::Of(path.join("hooks")),
        (Some(path), [dir]) => Template::Of(settled(shell, state, dir.join(path)).join("hooks")),
        (Some(_), _) => Template::Unknown,
    }
}

/// The working tree that a call makes and runs its hooks in.
pub(super) fn git_new_tree(
    shell: &Shell<'_>,
    state: &State,
    asked: &Asked<'_>,
    dirs: &[PathBuf],
) -> Option<Vec<PathBuf>> {
    let operands = &asked.matched.operands;
    let named = |at: usize| operands.get(at).and_then(|binding| binding.value.as_known());
    let name = match (asked.name, asked.matched.typed.get(2).map(String::as_str)) {
        ("worktree", Some("add")) => named(0)?.to_owned(),
        ("clone", _) => match named(1) {
            Some(name) => name.to_owned(),
            None => {
                let url = named(0)?.trim_end_matches('/').trim_end_matches("/.git");
                let name = url.rsplit(['/', ':']).next().unwrap_or(url);
                name.trim_end_matches(".git").trim_end_matches(".bundle").to_owned()
            }
        },
        _ => return None,
    };
    Some(dirs.iter().map(|dir| settled(shell, state, dir.join(&name))).collect())
}

/// The path as the kernel finds it, or as it is written where that cannot be told.
fn settled(shell: &Shell<'_>, state: &State, path: PathBuf) -> PathBuf {
    shell.resolved(state, &path).unwrap_or(path)
}

fn hooks_in(shell: &Shell<'_>, state: &State, folders: &[PathBuf], names: &[&str]) -> Vec<PathBuf> {
    let folders = folders.iter().filter(|folder| shell.is_directory(state, folder) != Some(false));
    folders
        .flat_map(|folder| names.iter().map(move |name| folder.join(name)))
        .filter(|hook| shell.exists(state, hook) != Some(false))
        // Git leaves a hook alone that may not be run; one that this command makes may get the right by then.
        .filter(|hook| {
            shell.rights_changed || !matches!(shell.world.stat(hook), Ok(meta) if meta.mode & 0o111 == 0)
        })
        .collect()
}
