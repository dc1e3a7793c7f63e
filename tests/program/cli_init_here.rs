//! `init` without a name: everything that is here, guarded after one yes and taken out again.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::support::{Scratch, program};

fn init(scratch: &Scratch, more: &[&str]) -> (Option<i32>, String, String) {
    let words = [&["init"], more].concat();
    let mut command = scratch.recourse(&words);
    command.env_remove("CLAUDE_CONFIG_DIR").env_remove("CODEX_HOME").env_remove("ZDOTDIR");
    let output = command.env("SHELL", "/bin/bash").output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// All files below the home and the folder of configurations, with their modes; not our own.
fn all(scratch: &Scratch) -> Vec<(PathBuf, Option<Vec<u8>>, u32)> {
    fn walk(folder: &Path, found: &mut Vec<(PathBuf, Option<Vec<u8>>, u32)>) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.ends_with(".local") {
                continue;
            }
            let mode = fs::symlink_metadata(&path).unwrap().permissions().mode();
            found.push((path.clone(), fs::read(&path).ok(), mode));
            if path.is_dir() {
                walk(&path, found);
            }
        }
    }
    let mut found = Vec::new();
    walk(&scratch.root().join("home"), &mut found);
    walk(&scratch.root().join("config"), &mut found);
    found.sort();
    found
}

/// A home in which every shell and agent was used.
fn lived_in() -> Scratch {
    let scratch = Scratch::new();
    let home = |path: &str, text: &str| {
        let file = scratch.root().join("home").join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    };
    home(".bashrc", "alias ll='ls -l'");
    home(".zshrc", "setopt autocd\n\n");
    home(".claude/settings.json", "{\n  // mine\n  \"model\": \"x\",\n  \"hooks\": {}\n}\n");
    home(".claude.json", "{\"mcpServers\":{\"other\":{\"env\":{\"TOKEN\":\"s3cret\"}}},\"n\":1}");
    home(".codex/config.toml", "# mine\nmodel = \"x\"\n");
    home(".gemini/settings.json", "{\"theme\": \"dark\"}\n");
    for folder in [
        ".cursor",
        ".copilot",
        ".codeium/windsurf",
        ".cline",
        ".config/opencode",
        ".config/amp",
        ".config/crush",
        ".config/Code/User",
    ] {
        fs::create_dir_all(scratch.root().join("home").join(folder)).unwrap();
    }
    scratch
}

/// Files that are written into, by their form.
const SHELLS: [&str; 2] = [".bashrc", ".zshrc"];
const JSON: [&str; 11] = [
    ".claude/settings.json",
    ".claude.json",
    ".gemini/settings.json",
    ".cursor/hooks.json",
    ".cursor/mcp.json",
    ".copilot/mcp-config.json",
    ".codeium/windsurf/hooks.json",
    ".codeium/windsurf/mcp_config.json",
    ".config/opencode/opencode.json",
    ".config/amp/settings.json",
    ".config/crush/crush.json",
];

/// However people write their files: each form, alone, behind links and read-only.
#[test]
fn every_form_of_a_file_comes_back_byte_for_byte() {
    let shells = ["", "\n\n", "alias a=b", "alias a=b\r\nexport X=1", "\u{feff}alias a=b\n", "alias a=b \\"];
    let json = [
        "",
        "{}",
        "{ }\n\n",
        "{\r\n  \"a\": 1,\r\n  \"hooks\": {}\r\n}\r\n",
        "// top\n{\n\t/* c */ \"a\": 1, // x\n\t\"hooks\": { /* none */ },\n\t\"mcpServers\": {\n\t\t\"o\": {\"command\": \"x\"}, // tail\n\t},\n}\n// end",
        "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"mine\"}]}]},\"mcpServers\":{}}",
        "{\n  // nothing yet\n}\n",
        "\u{feff}{\"a\": [1]}\n",
    ];
    let toml = [
        "",
        "model = \"x\"",
        "# m\r\nmodel = \"x\"\r\n[a]\r\nb = 1\r\n",
        "[mcp_servers.o]\ncommand = \"x\"\n",
    ];
    for (turn, way) in ["alone", "linked", "read-only"].into_iter().cycle().take(json.len() * 3).enumerate() {
        let scratch = lived_in();
        let home = scratch.root().join("home");
        let put = |name: &str, text: &str| {
            let file = home.join(name);
            let real =
                if way == "linked" { home.join("dots").join(name.replace('/', "_")) } else { file.clone() };
            for folder in [&file, &real].into_iter().filter_map(|path| path.parent()) {
                fs::create_dir_all(folder).unwrap();
            }
            let _ = fs::remove_file(&file);
            fs::write(&real, text).unwrap();
            if way == "read-only" {
                fs::set_permissions(&real, fs::Permissions::from_mode(0o444)).unwrap();
            }
            if way == "linked" {
                std::os::unix::fs::symlink(&real, &file).unwrap();
            }
        };
        SHELLS.iter().for_each(|name| put(name, shells[turn % shells.len()]));
        JSON.iter().for_each(|name| put(name, json[turn % json.len()]));
        put(".codex/config.toml", toml[turn % toml.len()]);
        let before = all(&scratch);
        let (code, out, note) = init(&scratch, &["--yes"]);
        assert!(code == Some(0) && !out.contains("left alone"), "{turn}, {way}: {out}{note}");
        assert_ne!(all(&scratch), before);
        let (code, out, note) = init(&scratch, &["--uninstall", "--yes"]);
        assert_eq!(code, Some(0), "{turn}, {way}: {out}{note}");
        assert_eq!(all(&scratch), before, "{turn}, {way}");
        for name in SHELLS.iter().chain(&JSON) {
            let link = fs::symlink_metadata(home.join(name)).unwrap().is_symlink();
            assert_eq!(link, way == "linked", "{turn}: {name}");
        }
    }
}

#[test]
fn all_that_is_here_is_guarded_and_taken_out_byte_for_byte() {
    let scratch = lived_in();
    let before = all(&scratch);
    // Without a yes nothing happens: nobody is at a terminal.
    for more in [&[][..], &["--dry-run"]] {
        let (code, out, note) = init(&scratch, more);
        assert_eq!(code, Some(0), "{note}");
        for part in
            ["~/.bashrc", "Claude Code", "MCP server comes: ~/.claude.json", "OpenAI Codex", "Gemini CLI"]
        {
            assert!(out.contains(part), "{part}: {out}");
        }
        assert!(!out.contains("s3cret") && note.contains("recourse init --yes"), "{out}{note}");
        assert_eq!(all(&scratch), before);
    }
    let (code, out, note) = init(&scratch, &["--yes"]);
    assert_eq!(code, Some(0), "{out}{note}");
    let bashrc = fs::read_to_string(scratch.root().join("home/.bashrc")).unwrap();
    assert!(bashrc.starts_with("alias ll='ls -l'\n") && bashrc.contains("init bash)\""), "{bashrc}");
    let with = all(&scratch);
    let (code, out, _) = init(&scratch, &["--yes"]);
    assert!(code == Some(0) && out.contains("is there") && !out.contains("comes"), "{out}");
    assert_eq!(all(&scratch), with);
    let (code, out, note) = init(&scratch, &["--uninstall", "--yes"]);
    assert_eq!(code, Some(0), "{out}{note}");
    assert!(
        out.contains("goes: ~/.bashrc") && out.contains("keys, the log and what is kept stay: "),
        "{out}"
    );
    assert_eq!(all(&scratch), before);
    let (code, out, _) = init(&scratch, &["--uninstall"]);
    assert!(code == Some(0) && out.contains("nothing of recourse"), "{out}");
}

#[test]
fn what_was_changed_meanwhile_keeps_the_change() {
    let scratch = lived_in();
    assert_eq!(init(&scratch, &["--yes"]).0, Some(0));
    let bashrc = scratch.root().join("home/.bashrc");
    let text = fs::read_to_string(&bashrc).unwrap();
    fs::write(&bashrc, format!("{text}export A=1\n")).unwrap();
    assert_eq!(init(&scratch, &["--uninstall", "--yes"]).0, Some(0));
    assert_eq!(fs::read_to_string(&bashrc).unwrap(), "alias ll='ls -l'\nexport A=1\n");
}

#[test]
fn what_cannot_be_read_is_left_alone_and_said() {
    let scratch = lived_in();
    let file = scratch.root().join("home/.gemini/settings.json");
    fs::write(&file, "{\"theme\": ").unwrap();
    let (code, out, _) = init(&scratch, &["--yes"]);
    assert!(code == Some(0) && out.contains("left alone: ") && out.contains("gemini"), "{out}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "{\"theme\": ");
}

#[test]
fn a_person_says_yes_at_the_terminal() {
    let scratch = lived_in();
    let before = all(&scratch);
    let mut asked = scratch.in_terminal(&[program(), "init"]);
    asked.expect("[y/N]");
    asked.send("\r");
    assert_eq!(asked.finish().0, 0);
    assert_eq!(all(&scratch), before);
    let mut asked = scratch.in_terminal(&[program(), "init"]);
    asked.expect("[y/N]");
    asked.send("y\r");
    assert_eq!(asked.finish().0, 0);
    assert_ne!(all(&scratch), before);
}

#[test]
fn the_line_works_before_path_leads_to_the_program() {
    let scratch = lived_in();
    let bashrc = scratch.root().join("home/.bashrc");
    // As an earlier version put it there: it makes room, and goes with the rest.
    let earlier = "alias ll='ls -l'\n# recourse: what is typed here is judged before it runs\neval \"$(recourse init bash)\"\n";
    fs::write(&bashrc, earlier).unwrap();
    let doctor = |next: &str| {
        let mut command = scratch.recourse(&["doctor", "--format", "json"]);
        let report = crate::support::json(&command.env("SHELL", "/bin/bash").output().unwrap());
        let rows = report["findings"].as_array().unwrap().clone();
        let row =
            rows.iter().find(|row| row["what"] == "bash" && row["detail"].as_str().unwrap().contains(next));
        row.unwrap_or_else(|| panic!("{next}: {report}")).clone()
    };
    let row = doctor("PATH does not lead to `recourse`");
    assert_eq!(
        (row["state"].as_str(), row["next"].as_str()),
        (Some("broken"), Some("recourse init")),
        "{row}"
    );
    // One that a person wrote stays as it is, and they are told what to write.
    fs::write(&bashrc, "eval \"$(recourse init bash)\"\n").unwrap();
    assert_eq!(
        doctor("PATH does not lead to `recourse`")["next"],
        "write the whole path in that line; `command -v recourse` tells it"
    );
    fs::write(&bashrc, earlier).unwrap();
    let (code, out, note) = init(&scratch, &["--yes"]);
    assert!(code == Some(0) && out.contains("hook comes: ~/.bashrc"), "{out}{note}");
    let text = fs::read_to_string(&bashrc).unwrap();
    assert!(text.contains(program()) && !text.contains("$(recourse init"), "{text}");
    doctor("hook installed");
    // Nothing tells a login shell to read it.
    let row = doctor("no ~/.bash_profile tells them to");
    assert_eq!(row["next"], "echo '. ~/.bashrc' >> ~/.bash_profile", "{row}");
    fs::write(scratch.root().join("home/.bash_profile"), ". ~/.bashrc\nPATH=$PATH:/opt\n").unwrap();
    let words = ["env", "PATH=/usr/bin:/bin", "bash", "-l", "-i"];
    let mut login = scratch.in_sized_terminal(&words, 80, &[]);
    login.send("echo ${RECOURSE_SHELL_HOOK%:*} is here\r");
    login.expect("bash:full is here");
    login.send("exit\r");
    let (_, said) = login.finish();
    assert!(!said.contains("not found"), "{said}");
    assert_eq!(init(&scratch, &["--uninstall", "--yes"]).0, Some(0));
    assert_eq!(fs::read_to_string(&bashrc).unwrap(), "alias ll='ls -l'\n");
}

#[test]
fn a_line_that_works_here_is_not_broken_and_one_that_is_never_reached_is() {
    let scratch = lived_in();
    let home = scratch.root().join("home");
    fs::create_dir(home.join("bin")).unwrap();
    std::os::unix::fs::symlink(program(), home.join("bin/recourse")).unwrap();
    fs::write(home.join(".bash_profile"), ". ~/.bashrc\n").unwrap();
    let path = format!("{}:/usr/bin:/bin", home.join("bin").display());
    let line = "eval \"$(recourse init bash)\"\n";
    for (before, state, said) in [
        ("", "lacking", "a login shell may read it before"),
        ("PATH=$HOME/bin:$PATH\n", "good", "hook installed"),
        ("exec fish\n", "broken", "never reached: `exec fish` before it"),
        ("return\n", "broken", "never reached: `return` before it"),
        ("case $- in\n *i*) ;;\n *) return;;\nesac\nPATH=~/bin:$PATH\n", "good", "hook installed"),
    ] {
        fs::write(home.join(".bashrc"), format!("{before}{line}")).unwrap();
        let mut command = scratch.recourse(&["doctor", "--format", "json"]);
        let output = command.env("SHELL", "/bin/bash").env("PATH", &path).output().unwrap();
        let report = crate::support::json(&output);
        let rows = report["findings"].as_array().unwrap();
        let row =
            rows.iter().find(|row| row["what"] == "bash" && row["detail"].as_str().unwrap().contains("hook"));
        let row = row.unwrap_or_else(|| panic!("{report:#}"));
        assert!(row["state"] == state && row["detail"].as_str().unwrap().contains(said), "{before}: {row:#}");
    }
}

#[test]
fn the_doctor_misses_the_program_beside() {
    let scratch = Scratch::new();
    let alone = scratch.work().join("recourse");
    fs::copy(program(), &alone).unwrap();
    let output =
        std::process::Command::new(&alone).arg("doctor").env("HOME", scratch.work()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("lacking  recourse-net") && text.contains("install it beside recourse"), "{text}");
}
