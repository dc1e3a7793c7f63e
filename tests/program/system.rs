//! What the machine runs from, and what is suggested instead.

use std::path::Path;
use std::process::Command;

fn report(home: &Path, command: &str) -> serde_json::Value {
    let output = Command::new(env!("CARGO_BIN_EXE_recourse"))
        .args(["evaluate", "shell", "--format", "json", "--fail-on", "never", "--"])
        .arg(command)
        .current_dir(home)
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", home)
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(home.path().join(".ssh")).unwrap();
    std::fs::create_dir_all(home.path().join("d/deep")).unwrap();
    for (name, text) in
        [(".ssh/id_rsa", "a key"), ("a.txt", "text"), ("a.txt.bak", "older"), ("d/deep/b", "b")]
    {
        std::fs::write(home.path().join(name), text).unwrap();
    }
    home
}

#[test]
fn what_the_machine_runs_from_stays_where_it_is() {
    let home = home();
    // `sudo`: whoever runs the tests may not do it otherwise.
    for command in [
        "sudo mv /usr /usr.old",
        "sudo mv /etc /tmp/",
        "sudo mv /bin/sh /bin/sh.old",
        "sudo rm /bin/sh",
        "sudo rm /etc/passwd",
        "sudo chmod 000 /etc",
        "sudo chmod -x /bin/chmod",
        "sudo find / -exec chmod 000 {} +",
        "sudo trash-put /etc",
        "chmod 000 ~",
        "mv ~/.ssh /tmp/",
    ] {
        let found = report(home.path(), command);
        let verdict = found["riskAssessment"].as_str().unwrap();
        assert!(matches!(verdict, "escalate" | "block"), "{command}: {found:#}");
    }
    for command in
        ["chmod 700 ~", "chmod 755 ~/a.txt", "sudo chmod 755 /etc", "mv a.txt b.txt", "chmod +x a.txt"]
    {
        assert_eq!(report(home.path(), command)["riskAssessment"], "allow", "{command}");
    }
}

#[test]
fn what_is_suggested_is_milder_than_what_it_replaces() {
    let home = home();
    let rank = |verdict: &serde_json::Value| {
        ["allow", "warn", "escalate", "block"].iter().position(|word| verdict == word).unwrap()
    };
    for command in [
        "rm a.txt",
        "rm -rf d",
        "sudo rm -rf /etc",
        "sudo rm -rf /bin",
        "rm -rf ~",
        "> a.txt",
        "rm -rf ~/.ssh",
    ] {
        let found = report(home.path(), command);
        for mutation in found["mutations"].as_array().unwrap() {
            for other in mutation["alternatives"].as_array().into_iter().flatten() {
                let other = other["command"].as_str().unwrap();
                let verdict = report(home.path(), other)["riskAssessment"].clone();
                assert!(rank(&verdict) < rank(&found["riskAssessment"]), "{command}: {other} is {verdict}");
            }
        }
    }
    // A copy onto a file that is there is none.
    let file = report(home.path(), "rm a.txt").to_string();
    assert!(file.contains("a.txt.bak2") && !file.contains("a.txt.bak\""), "{file}");
    let tree = report(home.path(), "rm -rf d");
    assert!(tree.to_string().contains("d.old"), "{tree:#}");
    assert!(!report(home.path(), "sudo rm -rf /etc").to_string().contains("/etc.old"));
}
