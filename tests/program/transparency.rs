//! The transparency log with the real program: checkpoints, proofs, witnesses, static files, and histories that were rewritten.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use recourse::attest::tlog::{Entry, LogPolicy, Proof};
use serde_json::Value;

use crate::support::{Scratch, json};

/// A program of ours that listens, and what it said first; killed when dropped.
struct Running {
    child: Child,
    address: String,
    said: String,
}

impl Running {
    fn start(scratch: &Scratch, words: &[&str]) -> Self {
        let mut command = scratch.recourse(words);
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).stdin(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.split("http://").nth(1).and_then(|rest| rest.split([',', ';']).next());
        let address = address.unwrap_or_else(|| panic!("{line}")).to_owned();
        let mut said = String::new();
        if words[0] == "log" {
            BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut said).unwrap();
        }
        Self { child, address, said: said.trim_end().to_owned() }
    }

    fn witness(scratch: &Scratch, log: &str) -> Self {
        let words = ["log", "witness", "--listen", "127.0.0.1:0", "--name", "w.example/1", "--log", log];
        Self::start(scratch, &words)
    }

    fn ask(&self, request: &[u8]) -> (u16, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.write_all(request).unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or(answer.len());
        let head = String::from_utf8_lossy(&answer[..end]).into_owned();
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        (status, answer.get(end + 4..).unwrap_or_default().to_vec())
    }

    fn get(&self, path: &str) -> (u16, Vec<u8>) {
        self.ask(format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").as_bytes())
    }

    fn post(&self, body: &str) -> (u16, String) {
        let head = format!(
            "POST /add-checkpoint HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {}",
            body.len()
        );
        let (status, body) = self.ask(format!("{head}\r\n\r\n{body}").as_bytes());
        (status, String::from_utf8(body).unwrap())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn done(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn data(scratch: &Scratch) -> PathBuf {
    scratch.root().join("home/.local/share/recourse")
}

/// Evaluates and signs; the attestation.
fn attest(scratch: &Scratch, command: &str) -> Value {
    let words = ["evaluate", "shell", "--attest", "--format", "json", "--fail-on", "never", command];
    json(&scratch.run(&words))["attestation"].clone()
}

fn id(attestation: &Value) -> String {
    let uri = attestation["attestation_uri"].as_str().unwrap();
    uri.rsplit('/').next().unwrap().trim_end_matches(".json").to_owned()
}

fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    assert!(std::process::Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap().success());
}

/// `verify --require-log` of an attestation, with more options.
fn verify(scratch: &Scratch, attestation: &Value, more: &[&str]) -> Output {
    let file = scratch.file("attestation.json", attestation.to_string());
    let registry = data(scratch).join("registry.json");
    let mut words = vec!["verify", "--format", "json", "--require-log"];
    words.extend(["--registry", registry.to_str().unwrap()]);
    words.extend(more);
    words.push(file.to_str().unwrap());
    scratch.run(&words)
}

#[test]
fn what_was_signed_is_proven_to_others() {
    let scratch = Scratch::new();
    assert!(String::from_utf8(scratch.run(&["log", "key"]).stderr).unwrap().contains("log checkpoint"));
    let one = attest(&scratch, "ls");
    let first = json(&scratch.run(&["log", "checkpoint", "--format", "json"]));
    assert_eq!((first["size"].as_u64(), first["added"].as_u64()), (Some(4), Some(4)), "{first}");
    assert_eq!(json(&scratch.run(&["log", "checkpoint", "--format", "json"]))["added"], 0);
    let key = done(&scratch.run(&["log", "key"]));
    let proof = done(&scratch.run(&["log", "prove", &id(&one)]));
    let policy = LogPolicy { logs: vec![key.trim_end().parse().unwrap()], ..LogPolicy::default() };
    let leaf = Entry::Attestation.leaf_of(&recourse::attest::json::canonical(&one).unwrap());
    assert_eq!(policy.check(&Proof::parse(proof.as_bytes()).unwrap(), &leaf).unwrap().size, 4);
    done(&scratch.run(&["log", "prove", "--registry"]));
    done(&scratch.run(&["log", "prove", "--event", "2"]));
    assert!(done(&scratch.run(&["log", "prove", "--since", "3"])).starts_with("old 3\n"));
    assert_eq!(scratch.run(&["log", "prove", "--since", "9"]).status.code(), Some(2));

    // Another machine, which has the key, the proof and the registry.
    let file = scratch.file("proof", &proof);
    let of_registry = scratch.file("registry.proof", done(&scratch.run(&["log", "prove", "--registry"])));
    let (file, of_registry) = (file.to_str().unwrap(), of_registry.to_str().unwrap());
    let more = ["--log-key", key.trim_end(), "--proof", file, "--proof", of_registry];
    let answer = json(&verify(&scratch, &one, &more));
    assert_eq!((&answer["valid"], &answer["log"]["size"]), (&Value::Bool(true), &4.into()), "{answer}");
    assert_eq!(answer["log"]["registry"]["size"], 4, "{answer}");
    // The registry that its key stands in has to be shown, too.
    let half = json(&verify(&scratch, &one, &more[..4]));
    assert_eq!(half["reason"], "not_logged", "{half}");
    assert!(half["detail"].as_str().unwrap().contains("registry"), "{half}");
    let two = attest(&scratch, "pwd");
    let refused = verify(&scratch, &two, &more);
    assert_eq!(refused.status.code(), Some(1));
    assert_eq!(json(&refused)["reason"], "not_logged");
    let stranger = "other.example/log+eb4b9f46+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k";
    assert_eq!(verify(&scratch, &one, &["--log-key", stranger]).status.code(), Some(2), "no such key id");
    let other = Scratch::new();
    attest(&other, "ls");
    done(&other.run(&["log", "checkpoint"]));
    let other_key = done(&other.run(&["log", "key"]));
    let wrong = verify(&scratch, &one, &["--log-key", other_key.trim_end(), "--proof", file]);
    assert_eq!(json(&wrong)["reason"], "not_logged", "another log of the same name");
    let quorum = verify(&scratch, &one, &["--log-key", key.trim_end(), "--witness-quorum", "1"]);
    assert!(String::from_utf8_lossy(&quorum.stderr).contains("--witness"), "{quorum:?}");
}

#[test]
fn a_witness_sees_it_grow_and_finds_a_rewritten_history() {
    let (scratch, elsewhere) = (Scratch::new(), Scratch::new());
    let one = attest(&scratch, "ls");
    done(&scratch.run(&["log", "checkpoint"]));
    let key = done(&scratch.run(&["log", "key"])).trim_end().to_owned();
    let witness = Running::witness(&elsewhere, &key);
    let vkey = witness.said.clone();
    scratch.config(&format!("[log]\nwitnesses = [\"{vkey} http://{}\"]\n", witness.address));
    let old = scratch.root().join("old");
    copy(&data(&scratch).join("tlog"), &old);
    let seen = json(&scratch.run(&["log", "checkpoint", "--format", "json"]));
    assert_eq!(seen["witnesses"][0], "w.example/1", "{seen}");
    let proof = scratch.file("proof", done(&scratch.run(&["log", "prove", &id(&one)])));
    let registry = scratch.file("registry.proof", done(&scratch.run(&["log", "prove", "--registry"])));
    let (proof, registry) = (proof.to_str().unwrap(), registry.to_str().unwrap());
    let more = ["--witness", &vkey, "--witness-quorum", "1", "--proof", proof, "--proof", registry];
    assert_eq!(json(&verify(&scratch, &one, &more))["log"]["witnesses"][0], "w.example/1");

    // It goes on, also when the witness was away meanwhile and comes back with what it remembers.
    let address = witness.address.clone();
    drop(witness);
    attest(&scratch, "pwd");
    let alone = scratch.run(&["log", "checkpoint"]);
    assert!(alone.status.success(), "a witness that is away stops nothing");
    assert!(String::from_utf8_lossy(&alone.stderr).contains("did not answer"), "{alone:?}");
    let words = ["log", "witness", "--listen", &address, "--name", "w.example/1", "--log", &key];
    let witness = Running::start(&elsewhere, &words);
    assert_eq!(witness.said, vkey);
    done(&scratch.run(&["log", "checkpoint"]));
    assert!(done(&scratch.run(&["log", "checkpoint"])).contains("seen by 1 of 1"));

    // The log is put back from an old copy, and another history is written: nobody cosigns it.
    copy(&old, &data(&scratch).join("tlog"));
    fs::remove_dir_all(data(&scratch).join("attestations")).unwrap();
    for command in ["id", "date", "true", "who"] {
        attest(&scratch, command);
    }
    let rewritten = scratch.run(&["log", "checkpoint"]);
    assert_eq!(rewritten.status.code(), Some(1), "{rewritten:?}");
    assert!(String::from_utf8_lossy(&rewritten.stderr).contains("w.example/1"), "{rewritten:?}");
    assert!(String::from_utf8_lossy(&rewritten.stdout).contains("seen by 0 of 1"), "{rewritten:?}");
}

#[test]
fn a_witness_answers_as_the_protocol_says() {
    let (scratch, elsewhere) = (Scratch::new(), Scratch::new());
    attest(&scratch, "ls");
    done(&scratch.run(&["log", "checkpoint"]));
    let key = done(&scratch.run(&["log", "key"])).trim_end().to_owned();
    let witness = Running::witness(&elsewhere, &key);
    let request = done(&scratch.run(&["log", "prove", "--since", "0"]));
    assert_eq!(witness.post("nonsense").0, 400);
    assert_eq!(witness.post(&request.replacen("\n4\n", "\n3\n", 1)).0, 403);
    assert_eq!(witness.post(&request.replacen(".well-known", "else", 2)).0, 404);
    assert_eq!(witness.post(&request.replacen("old 0", "old 5", 1)).0, 400);
    assert_eq!(witness.post(&request.replacen("old 0", "old 2", 1)), (409, "0\n".to_owned()));
    let proof = "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n";
    assert_eq!(witness.post(&request.replacen("old 0\n", &format!("old 0\n{proof}"), 1)).0, 422);
    assert_eq!(witness.post(&"x".repeat(1 << 20)).0, 413);
    let (status, line) = witness.post(&request);
    assert_eq!(status, 200);
    assert!(line.starts_with("\u{2014} w.example/1 "), "{line}");
    assert_eq!(witness.post(&request), (409, "4\n".to_owned()));
    assert_eq!(witness.get("/healthz").0, 200);
}

#[test]
fn the_log_is_served_and_published_as_static_files() {
    let scratch = Scratch::new();
    let probe = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = probe.local_addr().unwrap().to_string();
    drop(probe);
    scratch.config(&format!("[attestation]\nbase_url = \"http://{address}\"\n[log]\nkeep = true\n"));
    let one = attest(&scratch, "ls");
    let web = scratch.root().join("web");
    let published = json(&scratch.run(&["registry", "publish", web.to_str().unwrap(), "--format", "json"]));
    assert_eq!(published["logSize"], 4);
    let well_known = web.join(".well-known");
    let file = |path: &str| fs::read(well_known.join(path)).unwrap_or_else(|_| panic!("{path}"));
    let name = id(&one);
    let serve = Running::start(&scratch, &["serve", "--listen", &address]);
    for path in [
        "recourse-log/checkpoint",
        "recourse-log/key",
        "recourse-log/tile/0/000.p/4",
        "recourse-log/tile/entries/000.p/4",
        "recourse-keys.proof",
        &format!("attestations/{name}.proof"),
    ] {
        assert_eq!(serve.get(&format!("/.well-known/{path}")), (200, file(path)), "{path}");
    }
    for none in [
        "recourse-log/tile/0/000",
        "recourse-log/key.pem",
        "recourse-log/../recourse-keys.json",
        "recourse-log/",
    ] {
        assert_eq!(serve.get(&format!("/.well-known/{none}")).0, 404, "{none}");
    }
    // What is not in the log yet is put in when somebody asks for its proof; a verifier that knows the log does.
    let two = attest(&scratch, "pwd");
    let other = Scratch::new();
    let given = other.file("two.json", two.to_string());
    let key = done(&scratch.run(&["log", "key"]));
    let words =
        ["verify", "--require-log", "--log-key", key.trim_end(), "--format", "json", given.to_str().unwrap()];
    let answer = json(&other.run(&words));
    assert_eq!(
        (&answer["log"]["index"], &answer["log"]["registry"]["size"]),
        (&4.into(), &5.into()),
        "{answer}"
    );
    assert_eq!(serve.get(&format!("/.well-known/attestations/{name}x.proof")).0, 404);
}

#[test]
fn what_contradicts_its_hashes_is_not_published() {
    let scratch = Scratch::new();
    scratch.config("[log]\nkeep = true\n");
    attest(&scratch, "ls");
    let web = scratch.root().join("web");
    let publish = || scratch.run(&["registry", "publish", web.to_str().unwrap()]);
    done(&publish());
    let leaves = data(&scratch).join("tlog/leaves");
    let good = fs::read(&leaves).unwrap();
    let mut bad = good.clone();
    *bad.get_mut(20).unwrap() ^= 1;
    fs::write(&leaves, &bad).unwrap();
    for fresh in [false, true] {
        if fresh {
            fs::remove_dir_all(&web).unwrap();
        }
        let output = publish();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains("not those that its checkpoint was"), "{said}");
    }
    assert_eq!(fs::read(&leaves).unwrap(), bad, "nothing is logged a second time");
    fs::write(&leaves, good).unwrap();
    done(&publish());
}

#[test]
fn a_killed_process_leaves_a_log_that_goes_on() {
    let scratch = Scratch::new();
    attest(&scratch, "ls");
    done(&scratch.run(&["log", "checkpoint"]));
    let key = done(&scratch.run(&["log", "key"])).trim_end().to_owned();
    let elsewhere = Scratch::new();
    let witness = Running::witness(&elsewhere, &key);
    scratch.config(&format!("[log]\nwitnesses = [\"{} http://{}\"]\n", witness.said, witness.address));
    for round in 0..25u64 {
        attest(&scratch, &format!("echo {round}"));
        let mut child = scratch
            .recourse(&["log", "checkpoint"])
            .stderr(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(round * 3));
        let _ = child.kill();
        let _ = child.wait();
    }
    let end = json(&scratch.run(&["log", "checkpoint", "--format", "json"]));
    assert_eq!(
        (end["size"].as_u64(), end["witnesses"][0].as_str()),
        (Some(29), Some("w.example/1")),
        "{end}"
    );
    done(&scratch.run(&["log", "verify"]));
}

#[test]
fn an_audit_log_that_its_owner_rewrote_is_found() {
    let scratch = Scratch::new();
    attest(&scratch, "ls");
    done(&scratch.run(&["log", "checkpoint"]));
    done(&scratch.run(&["log", "verify"]));
    // Both files of the audit log are the owner's: a new history by itself holds.
    fs::remove_file(data(&scratch).join("audit.jsonl")).unwrap();
    fs::remove_file(scratch.root().join("home/.local/state/recourse/audit.head")).unwrap();
    done(&scratch.run(&["keys", "generate"]));
    done(&scratch.run(&["keys", "generate"]));
    let found = scratch.run(&["log", "verify"]);
    assert_eq!(found.status.code(), Some(1), "{found:?}");
    assert!(String::from_utf8_lossy(&found.stdout).contains("transparency log"), "{found:?}");
}

#[test]
fn what_is_damaged_is_said_by_a_status_and_hashes_are_made_again() {
    let scratch = Scratch::new();
    attest(&scratch, "ls");
    attest(&scratch, "ls -l");
    done(&scratch.run(&["log", "checkpoint"]));
    let log = data(&scratch).join("tlog");
    let verify = |what: &str, says: &str| {
        let output = scratch.run(&["log", "verify"]);
        assert_eq!(output.status.code(), Some(1), "{what}: {output:?}");
        assert!(String::from_utf8_lossy(&output.stdout).contains(says), "{what}: {output:?}");
    };
    // A hash that no root is made of.
    let hashes = log.join("hashes");
    let good = fs::read(&hashes).unwrap();
    for (what, bytes) in [("another", [&[7; 32], &good[32..]].concat()), ("short", good[..40].to_vec())] {
        fs::write(&hashes, bytes).unwrap();
        verify(what, "`recourse log checkpoint` makes them again");
        done(&scratch.run(&["log", "checkpoint"]));
        assert_eq!(fs::read(&hashes).unwrap(), good, "{what}");
        done(&scratch.run(&["log", "verify"]));
    }
    for name in ["vkey", "checkpoint"] {
        let kept = fs::read(log.join(name)).unwrap();
        fs::remove_file(log.join(name)).unwrap();
        verify(name, "damaged");
        fs::write(log.join(name), kept).unwrap();
        fs::set_permissions(log.join(name), std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    }
    done(&scratch.run(&["log", "verify"]));
    // An attestation that was damaged keeps nothing else from being published, and is not passed over in silence.
    let store = data(&scratch).join("attestations");
    let one = fs::read_dir(&store).unwrap().next().unwrap().unwrap().path();
    fs::write(&one, b"").unwrap();
    let root = scratch.root().join("web");
    let output = scratch.run(&["registry", "publish", "--format", "json", root.to_str().unwrap()]);
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!((said["attestations"].as_u64(), said["damaged"].as_u64()), (Some(1), Some(1)), "{said}");
}

/// Serves a web root on this address, but for paths that end so: those get this status instead.
fn host(listener: std::net::TcpListener, root: PathBuf, instead: Arc<Mutex<(String, u16)>>) {
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut request = [0; 4096];
            let count = stream.read(&mut request).unwrap_or(0);
            let text = String::from_utf8_lossy(&request[..count]).into_owned();
            let path = text.split(' ').nth(1).unwrap_or_default().to_owned();
            let (end, status) = instead.lock().unwrap().clone();
            let found = fs::read(root.join(path.trim_start_matches('/'))).ok();
            let (status, body) = match found {
                _ if path.ends_with(&end) => (status, Vec::new()),
                Some(body) => (200, body),
                None => (404, Vec::new()),
            };
            let length = body.len();
            let head =
                format!("HTTP/1.1 {status} x\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
            let _ = stream.write_all(&[head.into_bytes(), body].concat());
        }
    });
}

#[test]
fn exec_demands_that_a_log_holds_the_attestation_and_the_registry() {
    let (scratch, other) = (Scratch::new(), Scratch::new());
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    scratch.config(&format!("[attestation]\nbase_url = \"{base}\"\n[log]\nkeep = true\n"));
    let instead = Arc::new(Mutex::new((" ".to_owned(), 0)));
    let web = scratch.root().join("web");
    host(listener, web.clone(), Arc::clone(&instead));
    let publish = || done(&scratch.run(&["registry", "publish", web.to_str().unwrap()]));
    let evaluated = || {
        let made = attest(&scratch, "echo ran");
        publish();
        scratch.file(&format!("{}.json", id(&made)), made.to_string())
    };
    let first = evaluated();
    let key = done(&scratch.run(&["log", "key"])).trim_end().to_owned();
    let exec = |file: &Path| {
        let output = other
            .recourse(&["exec", "--attestation", file.to_str().unwrap(), "-c", "echo ran"])
            .current_dir(scratch.work())
            .env("RECOURSE_ATTESTATION_MODE", "require")
            .env("RECOURSE_TRUSTED_INSTANCES", &base)
            .env("RECOURSE_REQUIRE_LOG", "true")
            .env("RECOURSE_LOG_KEYS", &key)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.stdout == b"ran\n" {
            return ("ran".to_owned(), said);
        }
        let reason = said.split("refused: ").nth(1).unwrap_or(&said);
        (reason.split([':', ' ', '\n']).next().unwrap_or_default().to_owned(), said)
    };
    for (end, status, reason) in [
        ("recourse-keys.proof", 404, "not_logged"),
        ("recourse-keys.proof", 410, "not_logged"),
        ("recourse-keys.proof", 503, "network_error"),
        (".proof", 404, "not_logged"),
        (".proof", 500, "network_error"),
    ] {
        *instead.lock().unwrap() = (end.to_owned(), status);
        let (word, said) = exec(&first);
        assert_eq!(word, reason, "{end} {status}: {said}");
    }
    *instead.lock().unwrap() = (" ".to_owned(), 0);
    assert_eq!(exec(&first).0, "ran");
    // The kept registry is an older one than the published proof is of.
    done(&scratch.run(&["keys", "rotate"]));
    let second = evaluated();
    let (word, said) = exec(&second);
    assert_eq!(word, "ran", "{said}");
}
