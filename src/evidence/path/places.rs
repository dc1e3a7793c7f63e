//! What kind of place a path is: temporary, the system's, somebody's home, precious by its name.

use std::path::{Path, PathBuf};

use crate::knowledge::machine;
use crate::order;
use crate::world::{LookError, World};

use super::regenerable;

/// Files by which the running kernel, another process's memory or a device is changed when they are written.
pub(super) fn commands_the_kernel(path: &Path) -> bool {
    if path.starts_with("/sys") {
        return true;
    }
    let Ok(below) = path.strip_prefix("/proc") else { return false };
    let own = ["self/fd", "thread-self/fd", "self/comm", "self/oom_score_adj", "sys/vm/drop_caches"];
    !own.iter().any(|place| below.starts_with(place)) && !below.to_string_lossy().contains("/fd/")
}

/// Places of one evaluation, resolved once.
#[derive(Clone, Debug, Default)]
pub(in crate::evidence) struct Places {
    home: Option<PathBuf>,
    temporary: Vec<PathBuf>,
    mounts: Vec<PathBuf>,
    cache: Vec<PathBuf>,
}

impl Places {
    /// Looks the places up.
    pub(in crate::evidence) fn find(world: &dyn World) -> Self {
        let real = |path: PathBuf| world.canonicalize(&path).unwrap_or(path);
        let home = world.home(None).map(real).filter(|home| home != Path::new("/"));
        let mut temporary: Vec<PathBuf> = machine().temporary.iter().map(PathBuf::from).collect();
        if let Some(named) = world.env("TMPDIR").map(PathBuf::from)
            && named.is_absolute()
            && named.components().count() > 1
            && !home.as_ref().is_some_and(|home| home.starts_with(&named))
        {
            temporary.push(named);
        }
        let mut resolved: Vec<PathBuf> = temporary.iter().cloned().map(real).collect();
        resolved.extend(temporary);
        resolved.push(PathBuf::from("/private/var/folders"));
        order::sort(&mut resolved);
        resolved.dedup();
        let mut cache = Vec::new();
        if let Some(home) = &home {
            cache.extend(machine().caches.iter().map(|folder| home.join(folder)));
        }
        if let Some(named) = world.env("XDG_CACHE_HOME").map(PathBuf::from)
            && named.is_absolute()
            && home.as_ref().is_none_or(|home| !home.starts_with(&named))
        {
            cache.push(named);
        }
        Self { home, temporary: resolved, mounts: world.mounts(), cache }
    }

    /// Strictly below a temporary directory, and not below a home that happens to lie there.
    pub(super) fn is_temporary(&self, path: &Path) -> bool {
        let in_home = self.home.as_ref().is_some_and(|home| path.starts_with(home) || home.starts_with(path));
        !in_home && self.temporary.iter().any(|root| path != root && path.starts_with(root))
    }

    /// The temporary directories.
    pub(super) fn temporary_roots(&self) -> &[PathBuf] {
        &self.temporary
    }

    /// A temporary directory itself.
    pub(super) fn is_temporary_root(&self, path: &Path) -> bool {
        self.temporary.iter().any(|root| path == root)
    }

    /// A user's cache directory or something in it.
    pub(super) fn is_cache(&self, path: &Path) -> bool {
        self.cache.iter().any(|root| path.starts_with(root))
    }

    /// Something that a tool keeps in a cache of the user: what people put beside it, by its name, is not.
    pub(super) fn is_cached(&self, path: &Path) -> bool {
        let Some(rest) = self.cache.iter().find_map(|root| path.strip_prefix(root).ok()) else {
            return false;
        };
        let shared = self.cache.iter().any(|root| path.starts_with(root) && root.ends_with(".cache"));
        let mut parts = rest.components().map(|part| part.as_os_str().to_string_lossy());
        let (Some(first), deep) = (parts.next(), parts.count()) else { return true };
        let Some(name) = path.file_name().map(|name| name.to_string_lossy()) else { return true };
        !shared
            || deep > 1
            || (deep == 1 && regenerable::is_a_tools_cache(&first))
            || !(regenerable::is_a_persons(&name, true) || precious_name(path).is_some())
    }

    /// Below a directory that packages are installed to.
    pub(super) fn is_system(&self, path: &Path) -> bool {
        machine().trees.iter().any(|root| path.starts_with(root)) && !path.starts_with("/usr/local")
    }

    /// A file or link that the running machine cannot do without.
    pub(super) fn essential(&self, path: &Path) -> Option<&'static str> {
        let (dir, name) = (path.parent()?, path.file_name()?.to_str()?);
        if dir == Path::new("/etc") {
            return machine().settings.has(name).then_some("system settings");
        }
        let below = dir.strip_prefix("/usr").ok().map(|rest| Path::new("/").join(rest));
        let dir = below.as_deref().unwrap_or(dir);
        if dir == Path::new("/boot") {
            return machine().boot.fit(name).then_some("boot files");
        }
        let holds = machine().holders.iter().any(|at| dir == Path::new(at))
            || (dir.starts_with("/lib") && dir.components().count() == 3);
        (holds && machine().essential.fit(name)).then_some("program that the system runs from")
    }

    /// The caller's home.
    pub(super) fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// Places whose loss as a whole is certain to be terrible, whatever the walk sees of them.
    pub(super) fn catastrophe(&self, path: &Path) -> Option<&'static str> {
        if path == Path::new("/") {
            return Some("whole file system");
        }
        if self.is_temporary_root(path) {
            return None;
        }
        if self.home.as_ref().is_some_and(|home| home.starts_with(path)) {
            return Some(if self.home.as_deref() == Some(path) {
                "home directory"
            } else {
                "directory above home"
            });
        }
        if machine().roots.iter().any(|root| path == Path::new(root)) {
            return Some("system directory");
        }
        let parent = path.parent()?;
        if parent == Path::new("/home") || parent == Path::new("/Users") {
            return Some("home directory of another user");
        }
        None
    }

    /// Why a path is more than ordinary, by where it is and what it is called.
    pub(super) fn precious(&self, path: &Path) -> Option<&'static str> {
        if let Some(why) = self.catastrophe(path) {
            return Some(why);
        }
        if path.components().any(|part| part.as_os_str() == ".git") {
            return Some("git repository");
        }
        if let Some(home) = &self.home
            && let Ok(rest) = path.strip_prefix(home)
        {
            if let Some((why, _)) =
                machine().home.iter().find(|(_, trees)| trees.iter().any(|tree| rest.starts_with(tree)))
            {
                return Some(why);
            }
            if let Some(why) = precious_name(path) {
                return Some(why);
            }
            let first = rest.components().next()?.as_os_str().to_str()?;
            return (first.starts_with('.') && !self.is_cache(path)).then_some("dotfile");
        }
        if let Some(why) = precious_name(path) {
            return Some(why);
        }
        if self.mounts.iter().any(|mount| mount == path) {
            return Some("mounted file system");
        }
        self.is_system(path).then_some("system path")
    }

    /// Mount points strictly below a path.
    pub(super) fn mounts_below(&self, path: &Path) -> impl Iterator<Item = &PathBuf> {
        self.mounts.iter().filter(move |mount| mount.starts_with(path) && mount.as_path() != path)
    }

    /// The path for people: relative to a directory it may run in, or to home.
    pub(super) fn show(&self, path: &Path, cwd: &[PathBuf]) -> String {
        for dir in cwd {
            if let Ok(rest) = path.strip_prefix(dir)
                && !rest.as_os_str().is_empty()
            {
                return rest.display().to_string();
            }
        }
        match self.home.as_ref().and_then(|home| path.strip_prefix(home).ok()) {
            Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
            Some(rest) => format!("~/{}", rest.display()),
            None => path.display().to_string(),
        }
    }
}

/// Keys, databases, secrets and state, by the file's name.
pub(super) fn precious_name(path: &Path) -> Option<&'static str> {
    machine().precious(path.file_name()?.to_str()?)
}

/// The path with all links resolved; of a path that does not exist, its nearest existing directory is resolved.
pub(super) fn resolve(world: &dyn World, path: &Path) -> Result<PathBuf, LookError> {
    match world.canonicalize(path) {
        Err(LookError::NotFound) => {
            let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
                return Err(LookError::NotFound);
            };
            Ok(resolve(world, parent)?.join(name))
        }
        other => other,
    }
}

/// The path with the links above its last component resolved.
pub(super) fn resolve_parent(world: &dyn World, path: &Path) -> Result<PathBuf, LookError> {
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => Ok(resolve(world, parent)?.join(name)),
        _ => Ok(path.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::MemoryWorld;

    #[test]
    fn a_home_below_a_temporary_directory_is_no_temporary_place() {
        let world = MemoryWorld::new().env("HOME", "/tmp/box/me").dir("/tmp/box/me").dir("/tmp/other");
        let places = Places::find(&world);
        assert!(!places.is_temporary(Path::new("/tmp/box/me/notes")));
        assert!(!places.is_temporary(Path::new("/tmp/box")));
        assert!(places.is_temporary(Path::new("/tmp/other/x")));
        assert!(!places.is_temporary(Path::new("/tmp")));
        assert_eq!(places.catastrophe(Path::new("/tmp/box")), Some("directory above home"));
    }

    #[test]
    fn a_temporary_directory_that_holds_everything_is_not_believed() {
        let world = MemoryWorld::new().env("TMPDIR", "/");
        assert!(!Places::find(&world).is_temporary(Path::new("/home/me/x")));
        let world = MemoryWorld::new().env("TMPDIR", "/home");
        assert!(!Places::find(&world).is_temporary(Path::new("/home/you/x")));
    }

    #[test]
    fn names_tell_what_is_precious() {
        let places = Places::find(&MemoryWorld::new());
        let why = |path: &str| places.precious(Path::new(path));
        assert_eq!(why("/home/me"), Some("home directory"));
        assert_eq!(why("/home/me/.ssh/id_rsa"), Some("SSH keys"));
        assert_eq!(why("/home/me/p/.env"), Some("secrets"));
        assert_eq!(why("/home/me/p/.env.example"), None);
        assert_eq!(why("/home/me/p/app.db"), Some("database"));
        assert_eq!(why("/home/me/p/terraform.tfstate.backup"), Some("Terraform state"));
        assert_eq!(why("/home/me/p/data/model.pkl"), Some("model or data set"));
        assert_eq!(why("/home/me/p/notes.md"), None);
        assert_eq!(why("/home/me/.bashrc"), Some("dotfile"));
        assert_eq!(why("/etc/hosts"), Some("system path"));
        assert_eq!(why("/usr"), Some("system directory"));
        assert_eq!(why("/home/me/p/.git/config"), Some("git repository"));
        assert_eq!(why("/home/me/.cache/pip"), None);
    }

    #[test]
    fn what_the_machine_runs_from_is_known_by_its_place() {
        let places = Places::find(&MemoryWorld::new());
        let essential = |path: &str| places.essential(Path::new(path)).is_some();
        for path in [
            "/bin/sh",
            "/usr/bin/chmod",
            "/etc/passwd",
            "/lib64/ld-linux-x86-64.so.2",
            "/usr/lib/x86_64-linux-gnu/libc.so.6",
        ] {
            assert!(essential(path), "{path}");
        }
        for path in ["/usr/bin/git", "/etc/hosts", "/usr/local/bin/sh", "/home/me/bin/sh", "/usr/share/x/sh"]
        {
            assert!(!essential(path), "{path}");
        }
    }

    #[test]
    fn paths_are_shown_from_where_the_command_runs() {
        let places = Places::find(&MemoryWorld::new());
        let cwd = [PathBuf::from("/home/me/p")];
        assert_eq!(places.show(Path::new("/home/me/p/a/b"), &cwd), "a/b");
        assert_eq!(places.show(Path::new("/home/me/q"), &cwd), "~/q");
        assert_eq!(places.show(Path::new("/etc/hosts"), &cwd), "/etc/hosts");
    }
}
