//! Where recourse's own files stand: XDG, through `dirs`; under a system's configuration that binds, what that says.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use nix::unistd::{User, geteuid};

use crate::attest::Places;

use super::SYSTEM_CONFIG;
use super::file::{self, ConfigFile};

/// This user's folders; `None` without a home directory.
///
/// Where the system's file sets the mode, the trusted instances or `[places]`, no variable moves them: a replay would be
/// one `XDG_STATE_HOME` away. Then they are those of the file, or stand below the home directory of the user's account.
pub fn user_places() -> Option<Places> {
    static FOUND: OnceLock<Option<Places>> = OnceLock::new();
    FOUND.get_or_init(find).clone()
}

fn find() -> Option<Places> {
    // A file that cannot be read stops whatever reads the configuration; until then it binds.
    let system = match file::read(Path::new(SYSTEM_CONFIG), false) {
        Ok(None) => return from_environment(),
        Ok(Some(system)) if !system.binds_places() => return from_environment(),
        Ok(Some(system)) => system,
        Err(_) => ConfigFile::default(),
    };
    let home = User::from_uid(geteuid()).ok().flatten().map(|user| user.dir);
    let found = bound(&system, home.as_deref())?;
    crate::world::keep_private([found.data.as_path(), &found.state, &found.cache]);
    Some(found)
}

fn from_environment() -> Option<Places> {
    // macOS names no folder for state.
    let state = dirs::state_dir().or_else(dirs::data_local_dir)?;
    Some(Places {
        data: dirs::data_dir()?.join("recourse"),
        state: state.join("recourse"),
        cache: dirs::cache_dir()?.join("recourse"),
    })
}

fn bound(system: &ConfigFile, home: Option<&Path>) -> Option<Places> {
    let below = |name: &str| Some(home?.join(name).join("recourse"));
    let place = |said: &Option<PathBuf>, name: &str| said.clone().or_else(|| below(name));
    let places = &system.places;
    Some(Places {
        data: place(&places.data_dir, ".local/share")?,
        state: place(&places.state_dir, ".local/state")?,
        cache: place(&places.cache_dir, ".cache")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_says_where_or_the_account_does() {
        let home = Path::new("/home/ann");
        let system = file::parse("[attestation]\nmode = \"require\"\n").unwrap();
        assert!(system.binds_places());
        let found = bound(&system, Some(home)).unwrap();
        assert_eq!(found.state, home.join(".local/state/recourse"));
        assert_eq!(found.data, home.join(".local/share/recourse"));
        assert_eq!(bound(&system, None), None);
        let text = "[places]\nstate_dir = \"/var/lib/recourse/state\"\ndata_dir = \"/var/lib/recourse/data\"\ncache_dir = \"/var/cache/recourse\"\n";
        let system = file::parse(text).unwrap();
        assert!(system.binds_places() && system.places.check().is_ok());
        let found = bound(&system, None).unwrap();
        assert_eq!(found.nonces(), Path::new("/var/lib/recourse/state/nonces"));
        assert_eq!(found.audit_log(), Path::new("/var/lib/recourse/data/audit.jsonl"));
        for text in ["", "[attestation]\nmode = \"ignore\"\n", "[attestation]\nvalidity = 60\n"] {
            assert!(!file::parse(text).unwrap().binds_places(), "{text}");
        }
        for text in ["state_dir = \"state\"", "data_dir = \"/var/lib/../tmp\""] {
            assert!(file::parse(&format!("[places]\n{text}\n")).unwrap().places.check().is_err(), "{text}");
        }
    }
}
