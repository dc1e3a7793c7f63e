//! Files whose text is never followed, compared aloud or quoted: keys, tokens, and what belongs to the guard itself.
//!
//! Owns the one list of them, for every front end. A file that is refused here is one that could not be looked at.

use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use super::Meta;

/// Directories that hold secrets, by name, wherever they are.
const FOLDERS: [&str; 12] = [
    ".ssh",
    ".gnupg",
    ".password-store",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".mozilla",
    ".thunderbird",
    "keyrings",
    "Keychains",
    "gcloud",
];

/// Files that hold secrets, by name.
const NAMES: [&str; 15] = [
    ".netrc",
    "_netrc",
    ".pgpass",
    ".my.cnf",
    ".mylogin.cnf",
    ".pypirc",
    ".git-credentials",
    ".htpasswd",
    ".vault-token",
    "shadow",
    "shadow-",
    "gshadow",
    "gshadow-",
    "master.passwd",
    "sudoers",
];

/// Beginnings of the names of private keys.
const KEYS: [&str; 5] = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "ssh_host_"];

/// Endings of files that hold keys.
const ENDINGS: [&str; 10] = ["pem", "key", "p12", "pfx", "jks", "keystore", "ppk", "kdbx", "kdb", "age"];

/// Where the guard keeps its keys, attestations and logs, below any home.
const OWN: [&str; 4] = [
    ".local/share/recourse",
    ".local/state/recourse",
    ".cache/recourse",
    "Library/Application Support/recourse",
];

/// The same on the machine.
const OWN_SYSTEM: [&str; 2] = ["/var/lib/recourse", "/etc/recourse"];

/// The folder of programs in front of others, in the place that keeps data.
const SHIMS: &str = "shims";

/// Variables that put these places elsewhere.
const MOVED: [&str; 3] = ["XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"];

/// Further files that configuration names as secret.
static NAMED: RwLock<Vec<PathBuf>> = RwLock::new(Vec::new());

/// From now on these files are private, and what is in these folders: a token, a passphrase, a place of the guard's own.
pub fn keep_private<'a>(files: impl IntoIterator<Item = &'a Path>) {
    let mut named = NAMED.write().unwrap_or_else(PoisonError::into_inner);
    for file in files {
        let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
        for path in [std::fs::canonicalize(&file).ok(), Some(file)].into_iter().flatten() {
            if !named.contains(&path) {
                named.push(path);
            }
        }
    }
}

/// Whether a path is the guard's own.
pub(super) fn is_own(path: &Path) -> bool {
    if NAMED.read().unwrap_or_else(PoisonError::into_inner).iter().any(|named| path.starts_with(named)) {
        return true;
    }
    let below = |name: &str| path.components().any(|part| part.as_os_str() == name);
    // Its shims only start it, and are looked into to know them.
    // The list of files that have a name among what is kept holds numbers alone.
    if !below("recourse") || below(SHIMS) || path.ends_with("recourse/kept/names") {
        return false;
    }
    OWN_SYSTEM.iter().any(|root| path.starts_with(root))
        || path.ancestors().any(|above| OWN.iter().any(|own| above.ends_with(own)))
        || MOVED.iter().any(|name| {
            std::env::var_os(name).is_some_and(|moved| path.starts_with(Path::new(&moved).join("recourse")))
        })
}

/// Whether a path names something private by where it stands and what it is called.
pub(super) fn is_named(path: &Path) -> bool {
    if is_own(path) {
        return true;
    }
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return false };
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    NAMES.contains(&name)
        || KEYS.iter().any(|key| name.starts_with(key))
        || ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str()))
        || path.components().any(|part| part.as_os_str().to_str().is_some_and(|part| FOLDERS.contains(&part)))
        || path.starts_with("/proc") && !path.starts_with("/proc/self/fd")
}

/// Whether a file is not for everybody's eyes: nobody who merely asks may learn what is in it.
pub(super) fn is_for_its_owner(meta: &Meta, uid: u32) -> bool {
    let everybody = meta.mode & 0o004 != 0;
    let group = uid != 0 && meta.owner.0 == uid && meta.mode & 0o040 != 0;
    !everybody && !group
}

/// Whether a text holds a private key, whatever the file is called.
pub(super) fn holds_a_key(text: &str) -> bool {
    text.match_indices("-----BEGIN ").any(|(at, begin)| {
        let title = text.get(at + begin.len()..).unwrap_or_default();
        title.split_once("-----").is_some_and(|(title, _)| title.contains("PRIVATE KEY") && title.len() < 80)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_tokens_and_the_guard_s_own_files_are_private() {
        for path in [
            "/home/me/.ssh/config",
            "/home/me/.local/share/recourse/keys/a-1.pem",
            "/home/me/.local/state/recourse/log.jsonl",
            "/home/me/p/server.key",
            "/home/me/p/tls.PEM",
            "/etc/shadow",
            "/root/.netrc",
            "/etc/recourse/token",
            "/mnt/backup/id_ed25519_old",
            "/proc/1/environ",
        ] {
            assert!(is_named(Path::new(path)), "{path}");
        }
        for path in [
            "/home/me/code/recourse/deploy.sh",
            "/home/me/p/deploy.sh",
            "/home/me/p/.env",
            "/etc/hosts",
            "/proc/self/fd/0",
        ] {
            assert!(!is_named(Path::new(path)), "{path}");
        }
        assert!(!is_own(Path::new("/home/me/p/token")));
        keep_private([Path::new("/home/me/p/token")]);
        assert!(is_own(Path::new("/home/me/p/token")));
    }

    #[test]
    fn a_private_key_is_one_under_any_name() {
        assert!(holds_a_key("#!/bin/sh\n-----BEGIN ENCRYPTED PRIVATE KEY-----\nabc\n"));
        assert!(!holds_a_key("-----BEGIN PUBLIC KEY-----\nabc\n"));
        assert!(!holds_a_key("echo -----BEGIN "));
    }
}
