//! `scan` as people call it: what is named where, what stays quiet, forms of output, baselines, exit statuses.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::Scratch;

/// A scratch directory with these files in it.
fn tree(files: &[(&str, &str)]) -> (Scratch, PathBuf) {
    let scratch = Scratch::new();
    for (name, text) in files {
        scratch.file(name, text);
    }
    let dir = scratch.work();
    (scratch, dir)
}

fn scanned(files: &[(&str, &str)]) -> Value {
    let (scratch, _) = tree(files);
    let output = scratch.run(&["scan", "--format", "json"]);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// `file:line verdict rule` of everything that is named one by one.
fn named(report: &Value) -> Vec<String> {
    let findings = report["findings"].as_array().unwrap();
    let shown = |finding: &Value| {
        let text = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
        format!("{}:{} {} {}", text("file"), finding["line"], text("verdict"), text("rule"))
    };
    findings.iter().filter(|finding| finding["unknown"] == false).map(shown).collect()
}

/// One danger per file, each with the line that it has to be found on.
const DANGERS: &[(&str, usize, &str)] = &[
    ("clean.sh", 3, "#!/bin/sh\nset -e\nrm -rf $BUILD_ROOT/*\n"),
    ("bin/reset", 2, "#!/usr/bin/env bash\ndropdb --if-exists production\n"),
    ("wipe.zsh", 1, "rm -rf ~/Documents/**/*(.)\n"),
    ("wipe.fish", 2, "set dir /srv\nrm -rf /srv/data\n"),
    ("db.sh", 1, "psql -h db.internal -c 'DROP TABLE orders'\n"),
    ("disk.sh", 1, "dd if=/dev/zero of=/dev/sda bs=1M\n"),
    ("fs.sh", 1, "mkfs.ext4 /dev/sdb1\n"),
    ("tf.sh", 2, "cd infra\nterraform destroy -auto-approve\n"),
    ("s3.sh", 1, "aws s3 rm s3://backups --recursive\n"),
    ("rds.sh", 1, "aws rds delete-db-instance --db-instance-identifier main --skip-final-snapshot\n"),
    ("k8s.sh", 2, "set -eu\nkubectl delete namespace shop\n"),
    ("helm.sh", 1, "helm uninstall shop\n"),
    ("push.sh", 1, "git push --force origin main\n"),
    ("prune.sh", 1, "docker system prune -a --volumes -f\n"),
    ("find.sh", 1, "find / -name '*.log' -delete\n"),
    ("redis.sh", 1, "redis-cli -h cache FLUSHALL\n"),
    ("mongo.sh", 1, "mongosh prod --eval 'db.dropDatabase()'\n"),
    ("gcloud.sh", 1, "gcloud sql instances delete main --quiet\n"),
    ("az.sh", 1, "az group delete --name prod --yes\n"),
    ("Dockerfile", 3, "FROM debian\nRUN echo a && \\\n    aws s3 rb s3://bucket --force\n"),
    ("web.Dockerfile", 2, "FROM a\nENTRYPOINT [\"sh\", \"-c\", \"rm -rf /data/* && serve\"]\n"),
    ("Heredoc.Dockerfile", 4, "FROM a\nRUN <<EOF\necho a\nkubectl delete pvc --all\nEOF\n"),
    (
        "docker-compose.yml",
        4,
        "services:\n  db:\n    image: x\n    command: sh -c 'rm -rf /var/lib/postgresql/data'\n",
    ),
    ("Makefile", 4, "all:\n\techo\nclean:\n\trm -rf $(PREFIX)/*\n"),
    ("justfile", 2, "reset:\n  dropdb shop\n"),
    ("package.json", 2, "{\"scripts\": {\n\"nuke\": \"rm -rf ~/*\"}}\n"),
    ("composer.json", 2, "{\"scripts\": {\"reset\": [\n\"mysql -e 'DROP DATABASE shop'\"]}}\n"),
    ("deno.json", 1, "{\"tasks\": {\"x\": \"git push --force origin main\"}}\n"),
    (
        ".github/workflows/cd.yml",
        7,
        "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: |\n          terraform apply -destroy -auto-approve\n",
    ),
    (
        "action.yml",
        5,
        "runs:\n  using: composite\n  steps:\n    - shell: bash\n      run: rm -rf \"${{ inputs.dir }}\"/*\n",
    ),
    (".gitlab-ci.yml", 3, "stop:\n  script:\n    - helm uninstall shop --namespace prod\n"),
    ("site.yml", 4, "- hosts: db\n  tasks:\n    - name: x\n      shell: rm -rf /var/lib/mysql\n"),
    (
        ".pre-commit-config.yaml",
        5,
        "repos:\n  - repo: local\n    hooks:\n      - id: x\n        entry: git clean -fdx\n        language: system\n        name: x\n",
    ),
    ("Taskfile.yml", 4, "tasks:\n  reset:\n    cmds:\n      - kubectl delete ns shop\n"),
];

#[test]
fn no_danger_passes() {
    let mut missed = Vec::new();
    for (name, line, text) in DANGERS {
        let report = scanned(&[(name, text)]);
        let found = named(&report);
        let start = format!("{name}:{line} ");
        let stops = |one: &&String| {
            one.starts_with(&start) && (one.contains(" block ") || one.contains(" escalate "))
        };
        if !found.iter().any(|one| stops(&one)) {
            missed.push(format!("{start}: {found:?}, not read: {}", report["notRead"]));
        }
    }
    assert!(missed.is_empty(), "{} of {}:\n{}", missed.len(), DANGERS.len(), missed.join("\n"));
}

/// What scripts of builds do all day.
const QUIET: &[(&str, &str)] = &[
    (
        "build.sh",
        "#!/bin/bash\nset -euo pipefail\nrm -rf build/ dist node_modules\nrm -rf \"$TMPDIR\"\nwork=$(mktemp -d)\ntrap 'rm -rf \"$work\"' EXIT\nmkdir -p out\necho x > out/version.txt\nrm -rf out\ncp a.txt b.txt\nrm -f *.log coverage.xml\nrm -rf \"${CACHE:?}/\"*\n",
    ),
    (
        "scripts/here.sh",
        "#!/bin/bash\nSCRIPT_DIR=\"$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)\"\nrm -rf \"$SCRIPT_DIR/../build\"\nfind . -name '*.pyc' -delete\n",
    ),
    (
        "Dockerfile",
        "FROM debian\nARG V\nRUN apt-get update && apt-get install -y curl \\\n && rm -rf /var/lib/apt/lists/* /usr/share/doc\nRUN useradd -m app && chown -R app /srv && rm -f /etc/nginx/conf.d/default.conf\nRUN apt-get purge -y --auto-remove curl\n",
    ),
    (
        "Makefile",
        "BUILD := build\nall:\n\t$(CC) -o app main.c\nclean:\n\trm -rf $(BUILD) *.o app\n\t-rm -f $@.tmp\n",
    ),
    (
        "package.json",
        "{\"scripts\": {\"clean\": \"rm -rf dist node_modules .cache\", \"build\": \"npm run clean && tsc\"}}",
    ),
    (
        ".github/workflows/ci.yml",
        "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: |\n          sudo rm -rf /usr/share/dotnet /opt/ghc\n          rm -rf \"${{ github.workspace }}/out\"\n          echo A=b >> \"$GITHUB_ENV\"\n          git config --global user.name x\n          git reset --hard\n",
    ),
];

#[test]
fn every_day_scripts_are_quiet() {
    for (name, text) in QUIET {
        let report = scanned(&[(name, text)]);
        assert_eq!(named(&report), [""; 0], "{name}: {report}");
    }
}

#[test]
fn the_machine_that_scans_says_nothing() {
    let (scratch, dir) =
        tree(&[("a.sh", "rm -rf /telltale-empty\n[ -e /etc/passwd ] || rm -rf /srv/data\n")]);
    fs::create_dir_all(dir.join("build")).unwrap();
    let output = scratch.run(&["scan", "--format", "json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    // Neither is a place that is absent here taken for absent there, nor one that is here for being there.
    assert_eq!(named(&report), ["a.sh:1 escalate tree/delete", "a.sh:2 escalate tree/delete"]);
    assert!(!report.to_string().contains(dir.to_str().unwrap()));
}

#[test]
fn what_is_not_read_is_said() {
    let (scratch, dir) = tree(&[(".github/workflows/x.yml", "jobs: [\n"), ("big.sh", ""), ("empty.sh", "")]);
    fs::write(dir.join("big.sh"), vec![b'a'; (1 << 20) + 1]).unwrap();
    fs::write(dir.join("binary.sh"), b"\x7fELF\0\xff").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", dir.join("link.sh")).unwrap();
    let output = scratch.run(&["scan", "--format", "json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let unread: Vec<&str> =
        report["notRead"].as_array().unwrap().iter().filter_map(|one| one["file"].as_str()).collect();
    assert_eq!(unread, [".github/workflows/x.yml", "big.sh", "binary.sh"]);
    let text = String::from_utf8(scratch.run(&["scan"]).stdout).unwrap();
    assert!(text.contains("not read: big.sh: ") && text.contains("3 not read"), "{text}");
    assert_eq!(scratch.run(&["scan", "nowhere"]).status.code(), Some(2));
}

#[test]
fn what_git_ignores_is_left_out() {
    let (scratch, dir) =
        tree(&[(".gitignore", "vendor/\n"), ("vendor/a.sh", "dropdb x\n"), ("b.sh", "dropdb x\n")]);
    let git = std::process::Command::new("git").args(["init", "-q"]).current_dir(&dir).status();
    if !git.is_ok_and(|status| status.success()) {
        crate::support::skipped("git is not there");
        return;
    }
    let output = scratch.run(&["scan", "--format", "json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(named(&report), ["b.sh:1 block db.database/delete"]);
    // What is asked for by name is read all the same.
    let output = scratch.run(&["scan", "--format", "json", "vendor/a.sh"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(named(&report), ["vendor/a.sh:1 block db.database/delete"]);
}

#[test]
fn a_baseline_hides_what_is_known_and_nothing_else() {
    let (scratch, dir) = tree(&[("a.sh", "echo\ndropdb x\n")]);
    assert_eq!(scratch.run(&["scan"]).status.code(), Some(30));
    assert_eq!(scratch.run(&["scan", "--fail-on", "never"]).status.code(), Some(0));
    assert_eq!(scratch.run(&["scan", "--write-baseline", "known.json"]).status.code(), Some(0));
    // The same finding on another line is still the same.
    fs::write(dir.join("a.sh"), "echo\necho\n\ndropdb x\n").unwrap();
    let output = scratch.run(&["scan", "--baseline", "known.json"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && text.contains("1 known from the baseline"), "{text}");
    // One more of its kind is not.
    fs::write(dir.join("a.sh"), "dropdb x\ndropdb x\n").unwrap();
    assert_eq!(scratch.run(&["scan", "--baseline", "known.json"]).status.code(), Some(30));
    fs::write(dir.join("known.json"), "{}").unwrap();
    assert_eq!(scratch.run(&["scan", "--baseline", "known.json"]).status.code(), Some(2));
}

#[test]
fn the_json_is_of_the_published_schema() {
    let (scratch, _) = tree(&[
        (
            "a.sh",
            "dropdb orders\nrm -rf \"$UNSET\"/*\nsome-unknown-tool --delete x\nterraform apply -auto-approve\n",
        ),
        (".github/workflows/x.yml", "a: [\n"),
        ("Makefile", "clean:\n\trm -rf /srv/data\n"),
    ]);
    let printed = scratch.run(&["schema", "scan"]);
    let schema: Value = serde_json::from_slice(&printed.stdout).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let valid = |options: &[&str]| {
        let output = scratch.run(options);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let wrong: Vec<String> = validator
            .iter_errors(&report)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(wrong.is_empty(), "{wrong:?}");
        report
    };
    let report = valid(&["scan", "--format", "json"]);
    assert!(
        report["findings"].as_array().unwrap().len() >= 3 && report["notRead"][0]["why"].is_string(),
        "{report}"
    );
    valid(&["scan", "--format", "json", "Makefile"]);
    scratch.run(&["scan", "--write-baseline", "known.json"]);
    let known = valid(&["scan", "--format", "json", "--baseline", "known.json"]);
    assert_eq!(
        (&known["verdict"], &known["findings"][0]["baseline"]),
        (&Value::from("allow"), &Value::from(true))
    );
    valid(&["scan", "--format", "json", "--", "."]);
}

#[test]
fn sarif_has_what_code_scanning_needs() {
    let (scratch, _) = tree(&[("a b.sh", "echo\n  dropdb x\n"), (".github/workflows/x.yml", "a: [\n")]);
    let output = scratch.run(&["scan", "--format", "sarif"]);
    assert_eq!(output.status.code(), Some(30));
    let log: Value = serde_json::from_slice(&output.stdout).unwrap();
    let run = &log["runs"][0];
    let result = &run["results"][0];
    assert_eq!((&log["version"], &result["level"]), (&Value::from("2.1.0"), &Value::from("error")));
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "a%20b.sh");
    assert_eq!(
        (&place["region"]["startLine"], place["region"]["startColumn"].as_u64()),
        (&Value::from(2), Some(10))
    );
    let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
    assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
    assert_eq!(result["partialFingerprints"]["recourseFinding/v1"].as_str().map(str::len), Some(32));
    assert_eq!(run["invocations"][0]["toolExecutionNotifications"].as_array().map(Vec::len), Some(1));
}
