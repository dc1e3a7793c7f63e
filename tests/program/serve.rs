//! `recourse serve` over real sockets.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::support::Scratch;

const TOKEN: &str = "a-token-for-the-test";

/// A running server; killed when dropped.
pub(crate) struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(scratch: &Scratch, token: bool) -> Self {
        Self::start_with(scratch, token, &[])
    }

    pub(crate) fn start_with(scratch: &Scratch, token: bool, options: &[&str]) -> Self {
        let file = scratch.root().join("token");
        std::fs::write(&file, format!("{TOKEN}\n")).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        let mut words = vec!["serve", "--listen", "127.0.0.1:0"];
        if token {
            words.extend(["--token-file", file.to_str().unwrap()]);
        }
        words.extend(options);
        let mut child = scratch.recourse(&words).stderr(Stdio::piped()).stdin(Stdio::null()).spawn().unwrap();
        let mut said = String::new();
        BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut said).unwrap();
        let address =
            said.split("http://").nth(1).and_then(|rest| rest.split(',').next()).expect(&said).to_owned();
        Self { child, address }
    }

    /// Ends it as an operator does: what it began is there then.
    pub(crate) fn stop(&mut self) {
        kill(Pid::from_raw(i32::try_from(self.child.id()).unwrap()), Signal::SIGTERM).unwrap();
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
    }

    fn raw(&self, request: &[u8]) -> (u16, String, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        // The server may refuse before everything is written.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or(answer.len());
        let head = String::from_utf8_lossy(&answer[..end]).to_ascii_lowercase();
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        (status, head, answer.get(end + 4..).unwrap_or_default().to_vec())
    }

    pub(crate) fn get(&self, path: &str, headers: &str) -> (u16, String, Vec<u8>) {
        self.raw(format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{headers}\r\n").as_bytes())
    }

    pub(crate) fn evaluate(&self, token: &str, body: &str) -> (u16, Value) {
        let length = body.len();
        let (status, _, body) = self.raw(
            format!("POST /api/evaluate HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}").as_bytes(),
        );
        (status, serde_json::from_slice(&body).unwrap_or(Value::Null))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn attesting() -> Scratch {
    let scratch = Scratch::new();
    scratch.config(
        "[attestation]\nenabled = true\ninstance_id = \"recourse-test\"\npublish_evaluations = true\n",
    );
    scratch
}

#[test]
fn keys_and_attestations_are_served_as_they_are() {
    let scratch = attesting();
    let report = crate::support::json(&scratch.run(&["evaluate", "shell", "--format", "json", "ls"]));
    let attestation = &report["attestation"];
    let server = Server::start(&scratch, false);

    let (status, head, body) = server.get("/.well-known/recourse-keys.json", "");
    assert_eq!(status, 200);
    assert!(head.contains("content-type: application/json"), "{head}");
    assert!(head.contains("cache-control: public, max-age=300"), "{head}");
    assert!(head.contains("x-content-type-options: nosniff"), "{head}");
    let registry: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(registry["instance_id"], "recourse-test");
    assert_eq!(registry["sequence"], registry["registry_version"]);
    let tag = head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap().to_owned();
    let (status, _, body) =
        server.get("/.well-known/recourse-keys.json", &format!("if-none-match: {tag}\r\n"));
    assert_eq!((status, body.len()), (304, 0));

    let uri = attestation["attestation_uri"].as_str().unwrap();
    let path = &uri[uri.find("/.well-known").unwrap()..];
    let (status, _, body) = server.get(path, "");
    assert_eq!(status, 200);
    assert_eq!(&serde_json::from_slice::<Value>(&body).unwrap(), attestation);
    let (status, _, body) = server.get("/attestation/public-key", "");
    assert_eq!(status, 200);
    assert_eq!(serde_json::from_slice::<Value>(&body).unwrap()["key_id"], attestation["key_id"]);

    // A change of keys shows at once, and what a compromised key signed is gone.
    let key = attestation["key_id"].as_str().unwrap();
    assert_eq!(scratch.run(&["keys", "compromise", key]).status.code(), Some(0));
    assert_eq!(server.get(path, "").0, 410);
    assert_eq!(server.get("/attestation/public-key", "").0, 404);
}

#[test]
fn no_name_leads_out_of_the_store() {
    let scratch = attesting();
    scratch.run(&["evaluate", "shell", "ls"]);
    let server = Server::start(&scratch, false);
    let zeros = "0".repeat(32);
    for path in [
        "/.well-known/attestations/../../keys/recourse-test-1.pem".to_owned(),
        "/.well-known/attestations/..%2f..%2fregistry.json".to_owned(),
        "/.well-known/attestations/%2e%2e%2fregistry.json".to_owned(),
        "/.well-known/attestations/../registry.json".to_owned(),
        "/.well-known/attestations/.json".to_owned(),
        "/.well-known/attestations/".to_owned(),
        "/keys/recourse-test-1.pem".to_owned(),
        "/".to_owned(),
        format!("/.well-known/attestations/{zeros}.json"),
        format!("/.well-known/attestations/{zeros}"),
        format!("/.well-known/attestations/{zeros}.json%00.pem"),
    ] {
        let (status, _, body) = server.get(&path, "");
        assert_eq!(status, 404, "{path}");
        assert!(!String::from_utf8_lossy(&body).contains("PRIVATE"), "{path}");
    }
}

#[test]
fn evaluation_needs_its_token_and_sound_input() {
    let scratch = attesting();
    let server = Server::start(&scratch, true);
    let ls = json!({"source": "shell", "command": "ls", "cwd": scratch.work()}).to_string();
    assert_eq!(server.evaluate("wrong", &ls).0, 401);
    assert_eq!(server.evaluate("", &ls).0, 401);
    let (status, report) = server.evaluate(TOKEN, &ls);
    assert_eq!((status, &report["riskAssessment"]), (200, &json!("allow")), "{report}");
    assert!(report["attestation"]["signature"].is_string());
    let rm = json!({"source": "shell", "argv": ["rm", "-rf", "/etc"], "cwd": scratch.work()}).to_string();
    let (status, report) = server.evaluate(TOKEN, &rm);
    assert_eq!((status, &report["riskAssessment"]), (200, &json!("block")), "{report}");
    // It may run anywhere: what is not here is no evidence.
    let (status, report) = server.evaluate(TOKEN, r#"{"source":"shell","command":"rm -rf /srv/not/here"}"#);
    assert_eq!((status, &report["riskAssessment"]), (200, &json!("escalate")), "{report}");
    let plan =
        json!({"source": "terraform", "plan": {"format_version": "1.2", "resource_changes": []}}).to_string();
    assert_eq!(server.evaluate(TOKEN, &plan).0, 200);
    let call = r#"{"source":"mcp","server":"aws","tool":"s3.delete_bucket","arguments":{"bucket":"prod"}}"#;
    let (status, report) = server.evaluate(TOKEN, call);
    assert_eq!((status, &report["attestation"]["input"]["source"]), (200, &json!("mcp")), "{report}");
    assert_ne!(report["riskAssessment"], "allow");
    for wrong in [
        "",
        "{",
        "[]",
        r#"["shell","ls",null,null,null,null,null,null,null,null,null,null,null,null,null]"#,
        r#"{"source":"shell"}"#,
        r#"{"source":"shell","command":"ls","argv":["ls"]}"#,
        r#"{"source":"shell","command":"ls","plan":{}}"#,
        r#"{"source":"shell","command":"ls","cwd":"relative"}"#,
        r#"{"source":"shell","command":"ls","cwd":"/a\u0000b"}"#,
        r#"{"source":"shell","command":"ls","actor":"human/a\nb"}"#,
        r#"{"source":"shell","command":"ls","environment":"\u001b[2J"}"#,
        &json!({"source": "shell", "command": "ls", "actor": "a".repeat(201)}).to_string(),
        r#"{"source":"shell","command":"ls","surprise":1}"#,
        r#"{"source":"terraform","plan":{}}"#,
        r#"{"source":"mcp","tool":""}"#,
        r#"{"source":"mcp","tool":"x","arguments":[]}"#,
        r#"{"source":"weather","command":"ls"}"#,
    ] {
        let (status, answer) = server.evaluate(TOKEN, wrong);
        assert_eq!(status, 400, "{wrong}: {answer}");
        assert!(answer["error"].is_string(), "{wrong}: {answer}");
    }
}

#[test]
fn without_a_token_evaluation_is_off() {
    let scratch = attesting();
    let server = Server::start(&scratch, false);
    assert_eq!(server.evaluate(TOKEN, r#"{"source":"shell","command":"ls"}"#).0, 403);
    assert_eq!(server.get("/api/evaluate", "").0, 405);
}

#[test]
fn a_token_that_others_can_read_is_refused() {
    let scratch = attesting();
    let file = scratch.file("token", TOKEN);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let output = scratch.run(&["serve", "--listen", "127.0.0.1:0", "--token-file", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn nonsense_and_too_much_of_it_kill_nothing() {
    let scratch = attesting();
    let server = Server::start(&scratch, true);
    server.raw(b"\x16\x03\x01\x00\x00 hello\r\n\r\n");
    let headers = "a: b\r\n".repeat(2000);
    assert_ne!(server.get("/healthz", &headers).0, 200);
    let huge = format!("GET /{} HTTP/1.1\r\nhost: x\r\n\r\n", "a".repeat(1 << 20));
    assert_ne!(server.raw(huge.as_bytes()).0, 200);
    let (status, _, _) = server.raw(
        format!("POST /api/evaluate HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {TOKEN}\r\nconnection: close\r\ncontent-length: 99999999999\r\n\r\n").as_bytes(),
    );
    assert!(matches!(status, 400 | 413), "{status}");
    // What two would read differently is nobody's request.
    for hosts in ["", "host: x\r\nhost: y\r\n"] {
        let request = format!("GET /healthz HTTP/1.1\r\nconnection: close\r\n{hosts}\r\n");
        assert_eq!(server.raw(request.as_bytes()).0, 400, "{hosts:?}");
    }
    assert_eq!(server.raw(b"GET /healthz HTTP/1.0\r\n\r\n").0, 200);
    let body = r#"{"source":"shell","command":"ls"}"#;
    let twice = format!("{TOKEN}\r\nauthorization: Bearer another");
    assert_eq!(server.evaluate(&twice, body).0, 401);
    assert_eq!(server.get("/healthz", "").0, 200);
}

#[test]
fn it_ends_by_sigterm_with_what_it_began() {
    let scratch = attesting();
    let mut server = Server::start(&scratch, false);
    assert_eq!(server.get("/healthz", "").0, 200);
    server.stop();
}

#[test]
fn a_remote_evaluator_is_asked_and_its_word_is_verified() {
    let evaluator = attesting();
    evaluator.policy("[[rule]]\nverdict = \"allow\"\n");
    let server = Server::start(&evaluator, true);
    let scratch = Scratch::with_policy("[[rule]]\nverdict = \"allow\"\n");
    let token = scratch.root().join("token");
    std::fs::write(&token, TOKEN).unwrap();
    std::fs::set_permissions(&token, std::fs::Permissions::from_mode(0o600)).unwrap();
    let address = &server.address;
    let base = |base: &str| {
        let config = format!(
            "[attestation]\nmode = \"require\"\nevaluator_url = \"http://{address}\"\nevaluator_token_file = \"{}\"\ntrusted_instances = [\"{base}\"]\n",
            token.display()
        );
        scratch.config(&config);
    };
    // It names another address than the one it is trusted under.
    base(&format!("http://{address}"));
    let refused = scratch.run(&["exec", "--", "touch", "ran"]);
    assert_eq!(refused.status.code(), Some(126));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("instance_not_trusted"));
    drop(server);
    let refused = scratch.run(&["exec", "--", "touch", "ran"]);
    assert_eq!(refused.status.code(), Some(126));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("network_error"));
}

/// Whether a text holds any piece of a private key that is long enough to be no accident.
fn holds(text: &str, key: &str) -> bool {
    let lines = key.lines().filter(|line| !line.starts_with("-----") && line.len() > 16);
    lines
        .flat_map(|line| line.as_bytes().windows(10).map(|part| std::str::from_utf8(part).unwrap()))
        .any(|part| text.contains(part))
}

#[test]
fn no_door_gives_away_a_byte_of_the_signing_key() {
    let scratch = Scratch::new();
    scratch.config("[attestation]\nenabled = true\ninstance_id = \"recourse-test\"\n");
    let server = Server::start(&scratch, true);
    let folder = scratch.root().join("home/.local/share/recourse/keys");
    let pem = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|end| end == "pem"))
        .unwrap();
    let key = std::fs::read_to_string(&pem).unwrap();
    assert!(holds(&format!("x {key}"), &key), "the check sees a key");
    let copy = scratch.file("copy.txt", &key);
    std::os::unix::fs::symlink(&pem, scratch.work().join("link")).unwrap();
    let (pem, here) = (pem.display().to_string(), scratch.work().display().to_string());
    let copy = copy.display().to_string();
    let files = ["~/.local/share/recourse/keys/*.pem", pem.as_str(), copy.as_str(), "link"];
    for file in files {
        for form in [
            "bash FILE",
            ". FILE",
            "sh < FILE",
            "cat FILE | sh",
            "eval \"$(cat FILE)\"",
            "xargs rm < FILE",
            "rm -rf $(cat FILE)",
            "while read -r l; do rm \"$l\"; done < FILE",
            "python3 FILE",
            "make -f FILE",
            "psql -f FILE",
            "redis-cli < FILE",
            "cp $(< FILE) /x",
            "awk -f FILE x",
        ] {
            let command = form.replace("FILE", file);
            for body in [
                json!({"source": "shell", "command": command}),
                json!({"source": "shell", "command": command, "cwd": here}),
                json!({"source": "mcp", "server": "shell", "tool": "run_command", "arguments": {"command": command}, "cwd": here}),
            ] {
                let (status, answer) = server.evaluate(TOKEN, &body.to_string());
                assert_eq!(status, 200, "{answer}");
                assert!(!holds(&answer.to_string(), &key), "{body}: {answer:#}");
                let uri = answer["attestation"]["attestation_uri"].as_str().unwrap();
                let path = &uri[uri.find("/.well-known").unwrap()..];
                assert_eq!(server.get(path, "").0, 404, "what was signed for somebody is not for everybody");
                let own = server.get(path, &format!("authorization: Bearer {TOKEN}\r\n"));
                assert_eq!(own.0, 200, "who may ask may fetch it");
            }
            for words in [
                vec!["evaluate", "shell", "--format", "json", "--fail-on", "never", &command],
                vec!["exec", "--profile", "ci", "-c", &command],
            ] {
                let done = scratch.run_detached(&words, "");
                let said = [done.stdout, done.stderr].concat();
                assert!(!holds(&String::from_utf8_lossy(&said), &key), "{words:?}");
            }
            let call = json!({
                "session_id": "s", "hook_event_name": "PreToolUse", "cwd": here, "tool_name": "Bash",
                "tool_input": {"command": command},
            });
            let done = scratch.run_detached(&["hook", "claude-code"], &call.to_string());
            let said = [done.stdout, done.stderr].concat();
            assert!(!holds(&String::from_utf8_lossy(&said), &key), "hook: {command}");
        }
    }
}

#[test]
fn what_a_followed_file_says_is_not_said_again() {
    let scratch = attesting();
    let server = Server::start(&scratch, true);
    let here = scratch.work().display().to_string();
    scratch.file(
        "words.sh",
        "# one\nzqzqzqhunter2secret\nzqzqzqfoo: `zqzqzqbar` $zqzqzqbaz\n}zqzqzqsyntax ((\n",
    );
    std::fs::set_permissions(scratch.work().join("words.sh"), std::fs::Permissions::from_mode(0o644))
        .unwrap();
    let body = json!({"source": "shell", "command": "bash words.sh", "cwd": here});
    let (_, answer) = server.evaluate(TOKEN, &body.to_string());
    let text = answer.to_string();
    assert!(!text.contains("zqzqzq"), "{answer:#}");
    assert!(text.contains("words.sh:2"), "{answer:#}");
    assert_eq!(answer["riskAssessment"], "escalate");
    std::fs::set_permissions(scratch.work().join("words.sh"), std::fs::Permissions::from_mode(0o600))
        .unwrap();
    let (_, answer) = server.evaluate(TOKEN, &body.to_string());
    assert!(answer.to_string().contains("could not be read"), "{answer:#}");
    // For its owner it is followed.
    let words = ["evaluate", "shell", "--format", "json", "--fail-on", "never", "bash words.sh"];
    let done = String::from_utf8(scratch.run(&words).stdout).unwrap();
    assert!(done.contains("words.sh:2") && !done.contains("zqzqzq"), "{done}");
}

/// Of how many bytes in memory the server is now.
#[cfg(target_os = "linux")]
fn resident(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.child.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

/// Everybody else is answered.
fn answers(server: &Server) {
    for path in ["/healthz", "/.well-known/recourse-keys.json"] {
        assert_eq!(server.get(path, "").0, 200, "{path}");
    }
}

#[test]
fn who_does_not_take_an_answer_holds_nobody_up() {
    let scratch = attesting();
    let server = Server::start(&scratch, true);
    // The text is in it twice at least.
    let long = "x".repeat(3 << 20);
    let (status, report) =
        server.evaluate(TOKEN, &json!({"source": "shell", "command": format!("echo {long}")}).to_string());
    assert_eq!(status, 200, "{}", report["error"]);
    let uri = report["attestation"]["attestation_uri"].as_str().unwrap();
    let path = &uri[uri.find("/.well-known").unwrap()..];
    let (status, _, body) = server.get(path, "");
    assert!(status == 200 && body.len() > 3 << 20, "{status}");
    let asked: Vec<TcpStream> = (0..140)
        .map(|_| {
            let mut stream = TcpStream::connect(&server.address).unwrap();
            stream.write_all(format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n").as_bytes()).unwrap();
            stream
        })
        .collect();
    answers(&server);
    #[cfg(target_os = "linux")]
    assert!(resident(&server) < 400 << 20, "{} bytes", resident(&server));
    // Who asks for the same and takes it gets it.
    drop(asked);
    assert_eq!(server.get(path, "").2.len(), body.len());
}

#[test]
fn heads_that_never_end_hold_nobody_up() {
    let server = Server::start(&attesting(), false);
    let open: Vec<TcpStream> = (0..140)
        .map(|_| {
            let mut stream = TcpStream::connect(&server.address).unwrap();
            stream.write_all(b"GET /healthz HTTP/1.1\r\nhost:").unwrap();
            stream
        })
        .collect();
    assert_eq!(server.get("/healthz", "").0, 200);
    drop(open);
}

#[test]
fn what_is_read_once_still_goes_with_its_key() {
    let scratch = attesting();
    let server = Server::start(&scratch, true);
    let (_, report) = server.evaluate(TOKEN, &json!({"source": "shell", "command": "ls"}).to_string());
    let uri = report["attestation"]["attestation_uri"].as_str().unwrap();
    let path = &uri[uri.find("/.well-known").unwrap()..];
    for _ in 0..2 {
        assert_eq!(server.get(path, "").0, 200);
    }
    let before = server.get("/.well-known/recourse-keys.json", "").2;
    assert!(scratch.run(&["keys", "rotate"]).status.success());
    let after = server.get("/.well-known/recourse-keys.json", "").2;
    assert_ne!(before, after, "a change of keys shows at once");
    assert_eq!(server.get(path, "").0, 200);
    let key = report["attestation"]["key_id"].as_str().unwrap();
    let done = scratch.run(&["keys", "compromise", key]);
    assert!(done.status.success(), "{done:?}");
    assert_eq!(server.get(path, "").0, 410);
}

#[test]
fn requests_are_counted_and_logged_without_what_is_secret() {
    let scratch = attesting();
    let log = scratch.root().join("access");
    let mut server = Server::start_with(&scratch, true, &["--access-log", log.to_str().unwrap()]);
    assert_eq!(server.get("/healthz?token=hunter2secret", "authorization: Bearer hunter2secret\r\n").0, 200);
    assert_eq!(server.get("/nothing\u{1b}[31m", "").0, 400);
    assert_eq!(server.get("/no/such", "").0, 404);
    assert_eq!(server.get("/metrics", "").0, 401);
    // The scheme's case means nothing.
    let (status, _, metrics) = server.get("/metrics", &format!("authorization: bearer {TOKEN}\r\n"));
    let metrics = String::from_utf8(metrics).unwrap();
    assert_eq!(status, 200, "{metrics}");
    for line in [
        "recourse_requests_total{route=\"health\",status=\"200\"} 1",
        "recourse_requests_total{route=\"other\",status=\"404\"} 1",
        "recourse_requests_total{route=\"metrics\",status=\"401\"} 1",
        "recourse_evaluations 0",
    ] {
        assert!(metrics.contains(line), "{line}\n{metrics}");
    }
    server.stop();
    let text = std::fs::read_to_string(&log).unwrap();
    assert!(text.lines().count() >= 4, "{text}");
    assert!(!text.contains("hunter2") && !text.contains(TOKEN), "{text}");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        (&lines[0]["path"], &lines[0]["status"], &lines[0]["peer"]),
        (&json!("/healthz"), &json!(200), &json!("127.0.0.1"))
    );
    let mode = std::fs::metadata(&log).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}
