//! A secret that a command's own words carry stands nowhere in what is said of the command.

use std::process::Command;

/// Commands in which `SECRET` stands for a secret that has no form of its own, where the tool's data says that it is one.
const COMMANDS: [&str; 28] = [
    "aws configure set aws_secret_access_key SECRET",
    "redis-cli -a SECRET FLUSHALL",
    "docker login -u u -p SECRET",
    "echo SECRET | docker login -u u --password-stdin r",
    "openssl enc -k SECRET -in a -out b",
    "openssl enc -pass pass:SECRET -in a -out b",
    "echo SECRET | sudo -S rm -rf /srv",
    "sudo -S rm -rf /srv <<< SECRET",
    "mysql -pSECRET -e 'DROP TABLE t'",
    "sshpass -p SECRET ssh h rm -rf x",
    "kubectl create secret generic x --from-literal=k=SECRET",
    "kubectl create secret generic x --from-literal k=SECRET",
    "npm config set //reg/:_authToken SECRET",
    "npm config set //reg/:_authToken=SECRET",
    "gh secret set -b SECRET NAME",
    "vault kv put s k=SECRET",
    "curl -u u:SECRET -X DELETE https://h/x",
    "curl -uu:SECRET -X DELETE https://h/x",
    "helm registry login -u u -p SECRET r",
    "az login -u u -p SECRET",
    "gpg --passphrase SECRET -d f",
    "7z a -pSECRET x.7z f",
    "unzip -P SECRET x.zip",
    "zip -P SECRET x.zip f",
    "PW=SECRET; redis-cli -a \"$PW\" FLUSHALL",
    "bash -c 'redis-cli -a SECRET FLUSHALL'",
    "redis-cli -a SECRET FLUSHALL; unknown-program SECRET; rm -rf SECRET",
    "ssh h redis-cli -a SECRET FLUSHALL",
];

fn said(arguments: &[&str], command: &str) -> String {
    let home = tempfile::tempdir().unwrap();
    let done = Command::new(env!("CARGO_BIN_EXE_recourse"))
        .args(arguments)
        .args(["--", command])
        .current_dir(home.path())
        .env_clear()
        .env("HOME", home.path())
        .env("PATH", "/usr/bin:/bin")
        .output()
        .unwrap();
    let text = [done.stdout, done.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(
        text.contains("timing") || text.contains("recourse") || text.contains("allow"),
        "{command}: {text}"
    );
    text
}

#[test]
fn secrets_in_words_are_said_nowhere() {
    let mut told = Vec::new();
    for command in COMMANDS {
        // What is said of the deletion names it, unless it is known to be secret.
        let command = format!("{command}; rm -rf SECRET").replace("SECRET", "qzvplain");
        if said(&["evaluate", "shell", "--format", "json"], &command).contains("qzvplain") {
            told.push(command);
        }
    }
    assert_eq!(told, Vec::<String>::new());
}

#[test]
fn what_is_no_secret_stays() {
    for command in
        ["docker run -p 8080:80 i; rm -rf qzvplain", "kubectl delete ns qzvplain", "rm -rf qzvplain-p"]
    {
        assert!(said(&["evaluate", "shell", "--format", "json"], command).contains("qzvplain"), "{command}");
    }
}
