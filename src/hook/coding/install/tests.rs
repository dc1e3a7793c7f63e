//! Round trips: install, check, remove.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use super::*;

fn folders(root: &Path) -> Folders {
    Folders {
        home: root.join("home"),
        config: root.join("home/.config"),
        applications: root.join("home/.config"),
        claude: None,
        codex: None,
    }
}

fn installation(agent: Agent, root: &Path, scope: &Scope) -> Installation {
    Installation::new(agent, scope, &folders(root), "/opt/my tools/recourse", &root.join("data"))
}

fn snapshot(folder: &Path, found: &mut Vec<(PathBuf, Vec<u8>, u32)>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let mode = fs::symlink_metadata(&path).unwrap().permissions().mode();
        if path.is_dir() && !path.is_symlink() {
            found.push((path.clone(), Vec::new(), mode));
            snapshot(&path, found);
        } else {
            found.push((path.clone(), fs::read(&path).unwrap(), mode));
        }
    }
    found.sort();
}

fn all(folder: &Path) -> Vec<(PathBuf, Vec<u8>, u32)> {
    let mut found = Vec::new();
    snapshot(folder, &mut found);
    found
}

#[test]
fn every_agent_is_installed_checked_and_removed_without_a_trace() {
    for agent in Agent::ALL {
        for project in [false, true] {
            let root = tempfile::tempdir().unwrap();
            let scope = if project { Scope::Project(root.path().join("home/project")) } else { Scope::User };
            fs::create_dir_all(root.path().join("home/project")).unwrap();
            let before = all(&root.path().join("home"));
            let installation = installation(agent, root.path(), &scope);
            assert!(!installation.verify().unwrap().is_empty(), "{agent:?}: nothing is there yet");
            assert!(installation.wanted().unwrap().iter().all(|change| !change.is_none()));
            assert_eq!(all(&root.path().join("home")), before, "{agent:?}: looking changes nothing");
            installation.write().unwrap();
            assert_eq!(installation.verify().unwrap(), Vec::<String>::new(), "{agent:?}");
            let with = all(&root.path().join("home"));
            assert!(installation.write().unwrap().iter().all(Change::is_none), "{agent:?}: again");
            assert_eq!(all(&root.path().join("home")), with);
            installation.remove().unwrap();
            assert_eq!(all(&root.path().join("home")), before, "{agent:?}: nothing stays");
            assert!(installation.remove().unwrap().iter().all(Change::is_none), "{agent:?}: again");
        }
    }
}

#[test]
fn what_was_there_comes_back_byte_for_byte() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("home/.claude");
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("settings.json");
    // Odd on purpose: order, spacing, a comment, no newline at the end.
    let text = "{\"z\":1,\n // mine\n  \"hooks\" : { \"PreToolUse\":[ {\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"mine\"}]} ] },\"a\":2}";
    fs::write(&file, text).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    let installation = installation(Agent::named("claude-code").unwrap(), root.path(), &Scope::User);
    installation.write().unwrap();
    let with = fs::read_to_string(&file).unwrap();
    assert!(
        with.contains("// mine")
            && with.contains("\"command\":\"mine\"")
            && with.contains("hook claude-code")
    );
    assert!(with.find("\"z\"") < with.find("\"a\""));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    installation.remove().unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), text);

    // Changed meanwhile: only our entry goes.
    installation.write().unwrap();
    let changed = fs::read_to_string(&file).unwrap().replace("\"a\":2", "\"a\":3");
    fs::write(&file, changed).unwrap();
    installation.remove().unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), text.replace("\"a\":2", "\"a\":3"));
}

#[test]
fn links_stay_links_and_foreign_files_stay() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("home/.claude");
    fs::create_dir_all(&folder).unwrap();
    fs::write(root.path().join("dotfile"), "{}\n").unwrap();
    symlink(root.path().join("dotfile"), folder.join("settings.json")).unwrap();
    let claude = installation(Agent::named("claude-code").unwrap(), root.path(), &Scope::User);
    claude.write().unwrap();
    assert!(folder.join("settings.json").is_symlink());
    assert!(fs::read_to_string(root.path().join("dotfile")).unwrap().contains("recourse"));
    claude.remove().unwrap();
    assert_eq!(fs::read_to_string(root.path().join("dotfile")).unwrap(), "{}\n");

    let hooks = root.path().join("home/.cline/hooks");
    fs::create_dir_all(&hooks).unwrap();
    fs::write(hooks.join("PreToolUse"), "#!/bin/sh\n").unwrap();
    let cline = installation(Agent::named("cline").unwrap(), root.path(), &Scope::User);
    assert!(matches!(cline.write(), Err(InstallError::Form { .. })));
    cline.remove().unwrap();
    assert_eq!(fs::read_to_string(hooks.join("PreToolUse")).unwrap(), "#!/bin/sh\n");
}
