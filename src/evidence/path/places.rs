//! What kind of place a path is: temporary, the system's, somebody's home, precious by its name.

use std::path::{Path, PathBuf};

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

/// Directories whose direct loss breaks the machine.
const SYSTEM_ROOTS: &[&str] = &[
    "/bin",
    "/boot",
    "/dev",
    "/efi",
    "/etc",
    "/home",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    "/proc",
    "/root",
    "/run",
    "/sbin",
    "/srv",
    "/sys",
    "/usr",
    "/var",
    "/usr/bin",
    "/usr/lib",
    "/usr/local",
    "/usr/sbin",
    "/usr/share",
    "/var/lib",
    "/var/log",
    "/Applications",
    "/Library",
    "/System",
    "/Users",
    "/Volumes",
    "/private",
    "/private/etc",
    "/private/var",
    "/nix",
    "/nix/store",
    "/snap",
    "/mnt",
    "/media",
];

/// Everything below these belongs to the system.
const SYSTEM_TREES: &[&str] = &[
    "/bin",
    "/boot",
    "/efi",
    "/etc",
    "/lib",
    "/lib32",
    "/lib64",
    "/sbin",
    "/usr",
    "/System",
    "/Library",
    "/private/etc",
    "/nix/store",
    "/var/lib",
    "/snap",
];

/// Files without which nothing starts any more, or nobody gets in: programs and libraries by their name's beginning, below
/// the directories that hold them.
const ESSENTIAL: &[&str] = &[
    "sh",
    "bash",
    "dash",
    "env",
    "init",
    "systemd",
    "sudo",
    "su",
    "login",
    "mount",
    "chmod",
    "chown",
    "mv",
    "cp",
    "ln",
    "rm",
    "cat",
    "ls",
    "apt",
    "apt-get",
    "dpkg",
    "dnf",
    "yum",
    "rpm",
    "pacman",
    "busybox",
    "ld.so",
    "libc.so.6",
];

/// The same in `/etc`.
const ESSENTIAL_SETTINGS: &[&str] = &[
    "passwd",
    "shadow",
    "group",
    "gshadow",
    "sudoers",
    "fstab",
    "crypttab",
    "nsswitch.conf",
    "ld.so.conf",
    "ld.so.cache",
    "pam.d",
    "inittab",
];

/// Whose loss is more than ordinary, by a directory's name below a home.
const HOME_TREES: &[(&str, &str)] = &[
    (".ssh", "SSH keys"),
    (".gnupg", "GnuPG keys"),
    (".password-store", "password store"),
    (".aws", "cloud credentials"),
    (".azure", "cloud credentials"),
    (".config/gcloud", "cloud credentials"),
    (".kube", "cluster credentials"),
    (".docker", "registry credentials"),
    ("Library/Keychains", "keychain"),
    (".local/share/keyrings", "keyring"),
    (".mozilla", "browser profile"),
    (".thunderbird", "mail"),
    ("Maildir", "mail"),
    (".local/share/Trash", "trash"),
    (".bitcoin", "wallet"),
    (".ethereum", "wallet"),
];

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
        let mut temporary: Vec<PathBuf> = ["/tmp", "/var/tmp", "/dev/shm"].map(PathBuf::from).to_vec();
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
        resolved.sort();
        resolved.dedup();
        let mut cache = Vec::new();
        if let Some(home) = &home {
            cache.push(home.join(".cache"));
            cache.push(home.join("Library/Caches"));
            cache.push(home.join(".npm/_cacache"));
            cache.push(home.join(".cargo/registry"));
            cache.push(home.join("go/pkg/mod"));
            cache.push(home.join(".gradle/caches"));
            cache.push(home.join(".m2/repository"));
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
        SYSTEM_TREES.iter().any(|root| path.starts_with(root)) && !path.starts_with("/usr/local")
    }

    /// A file or link that the running machine cannot do without.
    pub(super) fn essential(&self, path: &Path) -> Option<&'static str> {
        let (dir, name) = (path.parent()?, path.file_name()?.to_str()?);
        if dir == Path::new("/etc") {
            return ESSENTIAL_SETTINGS.contains(&name).then_some("system settings");
        }
        let below = dir.strip_prefix("/usr").ok().map(|rest| Path::new("/").join(rest));
        let dir = below.as_deref().unwrap_or(dir);
        if dir == Path::new("/boot") {
            return (name.starts_with("vmlinuz") || name.starts_with("init")).then_some("boot files");
        }
        let holds = ["/bin", "/sbin", "/lib", "/lib64", "/lib32"].iter().any(|at| dir == Path::new(at))
            || (dir.starts_with("/lib") && dir.components().count() == 3);
        (holds && (ESSENTIAL.contains(&name) || name.starts_with("ld-linux")))
            .then_some("program that the system runs from")
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
        if SYSTEM_ROOTS.iter().any(|root| path == Path::new(root)) {
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
            if let Some((_, why)) = HOME_TREES.iter().find(|(tree, _)| rest.starts_with(tree)) {
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
    let name = path.file_name()?.to_str()?;
    let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, ending)| ending);
    if let Some(ending) = ending {
        match ending.to_ascii_lowercase().as_str() {
            "kdbx" | "kdb" | "1pif" | "opvault" => return Some("password database"),
            "db" | "sqlite" | "sqlite3" | "db3" | "mdb" | "accdb" | "frm" | "ibd" | "rdb" => {
                return Some("database");
            }
            "pem" | "key" | "p12" | "pfx" | "jks" | "keystore" | "ppk" | "gpg" | "asc" => return Some("key"),
            "tfstate" => return Some("Terraform state"),
            "pkl" | "pickle" | "joblib" | "pt" | "pth" | "ckpt" | "safetensors" | "onnx" | "gguf"
            | "tflite" | "h5" | "hdf5" | "keras" | "parquet" | "feather" | "arrow" => {
                return Some("model or data set");
            }
            "vmdk" | "qcow2" | "vdi" | "vhd" | "vhdx" => return Some("disk image"),
            _ => {}
        }
    }
    if name.ends_with(".tfstate.backup") {
        return Some("Terraform state");
    }
    if name == ".env"
        || (name.starts_with(".env.") && !matches!(ending, Some("example" | "sample" | "template" | "dist")))
    {
        return Some("secrets");
    }
    match name {
        ".npmrc" | ".pypirc" | ".netrc" | ".pgpass" | ".my.cnf" | ".git-credentials" => Some("credentials"),
        _ if name.starts_with("id_rsa") || name.starts_with("id_ed25519") || name.starts_with("id_ecdsa") => {
            Some("key")
        }
        _ => None,
    }
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
