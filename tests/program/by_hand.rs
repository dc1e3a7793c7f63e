//! What people lose by their own hand is kept first or asked about, however small it is and however it was named.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// A home with a project of files that exist nowhere else.
struct Fixture {
    root: tempfile::TempDir,
}

impl Fixture {
    fn lay() -> Self {
        // No place of the system and no hidden one: what stands below those is not ordinary.
        let root = tempfile::Builder::new().prefix("by-hand-").tempdir().unwrap();
        let fixture = Self { root };
        fs::create_dir_all(fixture.proj().join("many")).unwrap();
        for name in ["server.key", "db.sqlite3", "terraform.tfstate", "model.pkl", "a.txt", "b.txt", "c.csv"]
        {
            fs::write(fixture.proj().join(name), format!("{name}: stands nowhere else\n")).unwrap();
        }
        fixture
    }

    fn proj(&self) -> PathBuf {
        self.root.path().join("home/proj")
    }

    fn report(&self, profile: &str, command: &str) -> serde_json::Value {
        let output = Command::new(env!("CARGO_BIN_EXE_recourse"))
            .args(["evaluate", "shell", "--format", "json", "--fail-on", "never", "--profile", profile, "--"])
            .arg(command)
            .current_dir(self.proj())
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.root.path().join("home"))
            .output()
            .unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

fn action(report: &serde_json::Value) -> &str {
    report["enforcement"]["action"].as_str().unwrap()
}

#[test]
fn nothing_that_people_lose_is_only_noted() {
    let fixture = Fixture::lay();
    let dear = ["rm server.key", "rm db.sqlite3", "> db.sqlite3", "rm terraform.tfstate", "rm model.pkl"];
    let kept_first = [
        "find . -name '*.csv' -delete",
        "find . -name c.csv -exec rm {} +",
        "ls c.csv | xargs rm",
        "python3 -c 'import os; os.remove(\"a.txt\")'",
        "cp a.txt b.txt",
        "mv a.txt b.txt",
        "ln -sf a.txt b.txt",
        "sort a.txt > a.txt",
        "awk '{print}' a.txt > ./a.txt",
        "sort < a.txt > a.txt",
        "rm a.txt",
        "> a.txt",
        "sort a.txt > b.txt",
        "rm c.csv",
    ];
    for command in dear.iter().chain(&kept_first) {
        let report = fixture.report("human", command);
        assert!(matches!(action(&report), "ask" | "refuse"), "{command}: {report:#}");
    }
    // Of these `exec` makes a recovery point, and no question.
    for command in kept_first {
        let report = fixture.report("human", command);
        let kept = &report["keepFirst"];
        assert!(matches!(kept["action"].as_str(), Some("run" | "note")), "{command}: {report:#}");
        assert!(!kept["keeps"].as_array().unwrap().is_empty(), "{command}: {report:#}");
        assert!(fixture.report("ci", command)["keepFirst"].is_null(), "{command}");
    }
}

#[test]
fn beyond_a_limit_find_says_that_not_everything_was_looked_at() {
    let fixture = Fixture::lay();
    for n in 0..10_100 {
        fs::write(fixture.proj().join(format!("many/{n}.o")), "").unwrap();
    }
    let report = fixture.report("agent", "find . -name '*.o' -delete");
    assert_eq!(report["riskAssessment"], "escalate", "{report:#}");
    let text = report.to_string();
    assert!(text.contains("not everything that it deletes was looked at"), "{text}");
    assert!(!text.contains("server.key"), "what does not match is not spoken of");
}
