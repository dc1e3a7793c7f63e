//! `recourse serve --tokens`: what each token may do, and for whom it speaks.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::serve::Server;
use crate::support::Scratch;

const CI: &str = "the-token-of-the-pipeline";
const PERSON: &str = "the-token-of-a-person-here";
const METRICS: &str = "the-token-of-the-counters";

const TOKENS: &str = r#"
[[token]]
name = "pipeline"
token = "the-token-of-the-pipeline"
scopes = ["evaluate"]
actor = "ci/main"
environments = ["staging", "test"]

[[token]]
name = "person"
token = "the-token-of-a-person-here"
scopes = ["evaluate", "read"]

[[token]]
name = "counters"
token = "the-token-of-the-counters"
scopes = ["metrics"]
"#;

fn body(scratch: &Scratch, more: &Value) -> String {
    let mut body = json!({"source": "shell", "command": "rm -rf /etc", "cwd": scratch.work()});
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    body.to_string()
}

#[test]
fn a_token_does_what_it_may_and_speaks_for_whom_it_is() {
    let scratch = Scratch::new();
    scratch.config("[attestation]\nenabled = true\n");
    let file = scratch.file("tokens.toml", TOKENS);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let log = scratch.root().join("access.jsonl");
    let options = ["--tokens", file.to_str().unwrap(), "--access-log", log.to_str().unwrap()];
    let mut server = Server::start_with(&scratch, false, &options);
    let staging = json!({"environment": "staging"});
    // Whom it speaks for is signed without being said, and nobody else can be.
    let (status, report) = server.evaluate(CI, &body(&scratch, &staging));
    assert_eq!((status, &report["attestation"]["input"]["actor"]), (200, &json!("ci/main")), "{report}");
    for (more, expected) in [
        (json!({"environment": "staging", "actor": "ci/main"}), 200),
        (json!({"environment": "staging", "actor": "human/ceo"}), 403),
        (json!({"environment": "production"}), 403),
        (json!({}), 403),
    ] {
        assert_eq!(server.evaluate(CI, &body(&scratch, &more)).0, expected, "{more}");
    }
    let (status, report) = server.evaluate(PERSON, &body(&scratch, &json!({"actor": "human/ann"})));
    assert_eq!((status, &report["attestation"]["input"]["actor"]), (200, &json!("human/ann")), "{report}");
    assert_eq!(server.evaluate(METRICS, &body(&scratch, &staging)).0, 403);
    assert_eq!(server.evaluate("the-token-of-nobody-at-all", &body(&scratch, &staging)).0, 401);
    // What is not for everybody is for who may read.
    let uri = report["attestation"]["attestation_uri"].as_str().unwrap();
    let path = format!("/{}", uri.splitn(4, '/').last().unwrap());
    let get = |path: &str, token: &str| server.get(path, &format!("authorization: Bearer {token}\r\n")).0;
    assert_eq!([get(&path, PERSON), get(&path, CI), get(&path, METRICS)], [200, 404, 404]);
    assert_eq!([get("/metrics", METRICS), get("/metrics", PERSON), get("/metrics", CI)], [200, 403, 403]);
    assert_eq!(get("/metrics", "the-token-of-nobody-at-all"), 401);
    // The log and the record name them, and hold no token.
    server.stop();
    let text = std::fs::read_to_string(&log).unwrap();
    assert!(text.contains(r#""caller":"pipeline""#) && text.contains(r#""caller":"counters""#), "{text}");
    let record = String::from_utf8(scratch.run(&["log", "--format", "json"]).stdout).unwrap();
    assert!(record.contains(r#""caller":"pipeline""#), "{record}");
    assert!(!text.contains("the-token") && !record.contains("the-token"));
}

#[test]
fn a_file_of_tokens_that_others_can_read_or_that_says_nonsense_is_refused() {
    let scratch = Scratch::new();
    for (text, mode) in [(TOKENS, 0o644), ("[[token]]\nname = \"x\"\n", 0o600), ("{", 0o600)] {
        let file = scratch.file("tokens.toml", text);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        let words = ["serve", "--listen", "127.0.0.1:0", "--tokens", file.to_str().unwrap()];
        assert_eq!(scratch.run(&words).status.code(), Some(2), "{text}");
    }
}
