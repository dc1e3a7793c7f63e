//! `recourse mcp serve` as a client sees it: bytes in, bytes out.

mod answers;
mod clients;
mod keep;
mod names;

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::support::Scratch;

const PATIENCE: Duration = Duration::from_secs(60);

/// A running server.
struct Server {
    child: Child,
    input: Option<ChildStdin>,
    answers: Receiver<(char, Value)>,
}

impl Server {
    fn start(scratch: &Scratch) -> Self {
        Self::of(scratch.recourse(&["mcp", "serve"]))
    }

    fn of(mut command: Command) -> Self {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let (sender, answers) = channel();
        thread::spawn(move || {
            loop {
                let mut line = String::new();
                if output.read_line(&mut line).unwrap_or(0) == 0 {
                    return;
                }
                let answer = match line.strip_prefix("Content-Length: ") {
                    Some(length) => {
                        let mut blank = String::new();
                        output.read_line(&mut blank).unwrap();
                        assert_eq!(blank, "\r\n");
                        let mut body = vec![0; length.trim().parse().unwrap()];
                        output.read_exact(&mut body).unwrap();
                        ('H', serde_json::from_slice(&body).unwrap())
                    }
                    None => ('L', serde_json::from_str(&line).expect("only messages on stdout")),
                };
                if sender.send(answer).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        Self { child, input, answers }
    }

    fn raw(&mut self, bytes: &[u8]) {
        // The server may be gone already; what it said is looked at.
        let _ = self.input.as_mut().unwrap().write_all(bytes);
    }

    fn send(&mut self, message: &Value) {
        self.raw(format!("{message}\n").as_bytes());
    }

    fn send_framed(&mut self, message: &Value) {
        let body = message.to_string();
        self.raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    fn next(&self) -> (char, Value) {
        self.answers.recv_timeout(PATIENCE).expect("an answer")
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": "r", "method": method, "params": params}));
        let (_, answer) = self.next();
        assert_eq!(answer["id"], "r", "{answer}");
        answer
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    fn initialize(&mut self, version: &str) -> Value {
        self.request(
            "initialize",
            json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}),
        )
    }

    /// Ends the input; gives what still came and the exit status.
    fn end(mut self) -> (Vec<Value>, Option<i32>) {
        self.input = None;
        self.ended()
    }

    fn ended(mut self) -> (Vec<Value>, Option<i32>) {
        let mut rest = Vec::new();
        let until = Instant::now() + PATIENCE;
        while let Ok((_, answer)) = self.answers.recv_timeout(until.saturating_duration_since(Instant::now()))
        {
            rest.push(answer);
        }
        (rest, self.child.wait().unwrap().code())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn shell(id: &Value, command: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
        "params": {"name": "recourse_evaluate_shell", "arguments": {"command": command}}})
}

fn verdict(answer: &Value) -> &str {
    answer["result"]["structuredContent"]["riskAssessment"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

#[test]
fn the_error_behaviours() {
    let scratch = Scratch::new();
    let mut server = Server::start(&scratch);
    server.initialize("2025-11-25");
    // A tool that could not do its work: an error result that says what was expected, and never a verdict.
    for (tool, arguments, said) in [
        ("recourse_evaluate_shell", json!({}), "`command` is missing"),
        ("recourse_evaluate_shell", json!({"command": 5}), "`command` is a number, expected a text"),
        ("recourse_evaluate_shell", json!({"command": ""}), "an empty text"),
        (
            "recourse_evaluate_shell",
            json!({"command": "ls", "enviroment": "x"}),
            "`enviroment` is not expected",
        ),
        ("recourse_evaluate_shell", json!({"command": "ls", "cwd": "here"}), "absolute path"),
        ("recourse_evaluate_terraform", json!({"plan": "not json"}), "`plan`"),
        ("recourse_evaluate_terraform", json!({"plan": {}}), "`plan`"),
        ("recourse_evaluate_terraform", json!({"plan": [1]}), "expected an object"),
        ("recourse_evaluate_mcp_call", json!({"server": "aws"}), "`tool` is missing"),
        ("recourse_evaluate_mcp_call", json!({"tool": "x", "arguments": "y"}), "expected an object"),
        ("recourse_evaluate_with_evidence", json!({"evidence": []}), "exactly one of"),
        (
            "recourse_evaluate_with_evidence",
            json!({"command": "ls", "state": {}, "evidence": []}),
            "belongs to",
        ),
        (
            "recourse_evaluate_with_evidence",
            json!({"command": "ls", "evidence": [{"target": "x"}]}),
            "evidence",
        ),
        ("recourse_verify_attestation", json!({}), "give `attestation`"),
        ("check_command", json!({}), "`command` is missing"),
    ] {
        let answer = server.call(tool, arguments.clone());
        let result = &answer["result"];
        assert_eq!(result["isError"], true, "{tool} {arguments}: {answer}");
        assert!(result.get("structuredContent").is_none(), "{answer}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(said), "{tool} {arguments}: {text}");
    }
    // An unsupported source, and missing evidence: what can be parsed and not be judged is a question.
    let plan = |kind: &str| {
        json!({"format_version": "1.2", "terraform_version": "1.7.0", "resource_changes": [{
            "address": format!("{kind}.x"), "mode": "managed", "type": kind, "name": "x",
            "provider_name": "registry.terraform.io/acme/acme",
            "change": {"actions": ["delete"], "before": {"name": "x"}, "after": null, "after_unknown": {}}}]})
    };
    let claim = json!([{"target": "s3://b", "key": "objects", "value": 0, "raw": ""}]);
    let odd = json!([{"target": "s3://b", "key": "objects", "value": 0, "raw": "An error occurred (AccessDenied)"}]);
    let other = json!([{"target": "s3://b", "key": "objects", "value": 0, "raw": "{\"Name\": \"c\", \"IsTruncated\": false}"}]);
    for (tool, arguments) in [
        ("recourse_evaluate_terraform", json!({"plan": plan("acme_thing"), "classifier": false})),
        ("recourse_evaluate_terraform", json!({"plan": plan("acme_database")})),
        (
            "recourse_evaluate_mcp_call",
            json!({"server": "acme", "tool": "frobnicate", "arguments": {"id": 1}}),
        ),
        (
            "recourse_evaluate_mcp_call",
            json!({"server": "sqlite", "tool": "write_query", "arguments": {"query": "DELETE FROM t", "db_path": "/gone/x.db"}}),
        ),
        (
            "recourse_evaluate_mcp_call",
            json!({"server": "git", "tool": "git_reset", "arguments": {"repo_path": "/gone/r", "mode": "hard"}}),
        ),
        ("recourse_evaluate_shell", json!({"command": "aws s3 rb s3://b --force"})),
        ("recourse_evaluate_shell", json!({"command": "git reset --hard"})),
        (
            "recourse_evaluate_with_evidence",
            json!({"command": "aws s3 rb s3://b --force", "evidence": claim}),
        ),
        ("recourse_evaluate_with_evidence", json!({"command": "aws s3 rb s3://b --force", "evidence": odd})),
        (
            "recourse_evaluate_with_evidence",
            json!({"command": "aws s3 rb s3://b --force", "evidence": other}),
        ),
        ("recourse_evaluate_shell", json!({"command": "rm -rf /data/production"})),
        ("recourse_evaluate_shell", json!({"command": "frobnicate --all"})),
        ("recourse_evaluate_shell", json!({"command": "$UNKNOWN x"})),
        ("recourse_evaluate_mcp_call", json!({"tool": "purge_everything"})),
    ] {
        let answer = server.call(tool, arguments.clone());
        assert!(matches!(verdict(&answer), "escalate" | "block"), "{tool} {arguments}: {answer}");
    }
    // Protocol faults.
    for (method, params, code) in [
        ("tools/call", json!({"name": "no_such_tool"}), -32602),
        ("tools/call", json!({}), -32602),
        ("tools/call", json!({"name": "check_command", "arguments": [1]}), -32602),
        ("tools/call", json!([1]), -32602),
        ("tools/list", json!({"cursor": "x"}), -32602),
        ("no/such", json!({}), -32601),
        ("resources/read", json!({"uri": "recourse://nothing"}), -32002),
        ("prompts/get", json!({"name": "nothing"}), -32602),
        ("initialize", json!({}), -32602),
    ] {
        let answer = server.request(method, params.clone());
        assert_eq!(answer["error"]["code"], code, "{method} {params}: {answer}");
    }
    assert_eq!(server.end().1, Some(0));
}

#[test]
fn every_tool_answers_with_what_its_schema_says() {
    let scratch = Scratch::new();
    scratch.file("notes.md", "only here");
    let mut server = Server::start(&scratch);
    let tools = server.request("tools/list", json!({}))["result"]["tools"].clone();
    let here = scratch.work().display().to_string();
    let plan = json!({"format_version": "1.2", "terraform_version": "1.7.0", "resource_changes": [{
        "address": "aws_db_instance.x", "mode": "managed", "type": "aws_db_instance", "name": "x",
        "provider_name": "registry.terraform.io/hashicorp/aws",
        "change": {"actions": ["delete"], "before": {"identifier": "x", "skip_final_snapshot": true}, "after": null, "after_unknown": {}}}]});
    let lossy = json!({"command": "rm notes.md", "cwd": here});
    for (tool, arguments) in [
        ("recourse_evaluate_shell", lossy.clone()),
        (
            "recourse_evaluate_terraform",
            json!({"plan": plan, "actor": "agent/x", "environment": "production"}),
        ),
        ("recourse_evaluate_terraform", json!({"plan": plan.to_string(), "classifier": true})),
        (
            "recourse_evaluate_mcp_call",
            json!({"server": "aws", "tool": "s3.delete_bucket", "arguments": {"bucket": "b"}}),
        ),
        ("recourse_evaluate_with_evidence", json!({"command": "rm notes.md", "cwd": here, "evidence": []})),
        ("recourse_supported_resources", json!({"filter": "git"})),
        ("recourse_verify_attestation", json!({"attestation": {"signature": "x"}})),
        ("check_command", lossy.clone()),
        ("check_command", json!({"command": "ls"})),
        ("suggest_alternative", json!({"command": "git push --force"})),
        ("get_policy", json!({})),
        ("explain_risk", lossy),
    ] {
        let answer = server.call(tool, arguments);
        let result = &answer["result"];
        assert_eq!(result["isError"], false, "{tool}: {answer}");
        let content = &result["structuredContent"];
        let same: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(*content, same, "{tool}");
        let declared = tools.as_array().unwrap().iter().find(|found| found["name"] == tool).unwrap();
        let schema = jsonschema::validator_for(&declared["outputSchema"]).unwrap();
        let wrong: Vec<String> = schema.iter_errors(content).map(|error| error.to_string()).collect();
        assert!(wrong.is_empty(), "{tool}: {wrong:?}\n{content}");
    }
    let checked = server.call("check_command", json!({"command": "rm -rf /data/production"}))["result"]["structuredContent"].clone();
    assert_eq!(checked["allowed"], false, "{checked}");
    assert!(matches!(checked["severity"].as_str(), Some("High" | "Critical")), "{checked}");
    assert!(checked["matched_rules"][0]["id"].as_str().unwrap().starts_with("fs:rm"), "{checked}");
    let instructions = server.request("resources/read", json!({"uri": "recourse://instructions"}));
    assert!(instructions["result"]["contents"][0]["text"].as_str().unwrap().contains("Never execute"));
    let policy = server.request("resources/read", json!({"uri": "recourse://policy"}));
    assert!(policy["result"]["contents"][0]["text"].as_str().unwrap().contains("needs-review"));
    let prompt = server
        .request("prompts/get", json!({"name": "review_terraform_plan", "arguments": {"plan": "p.json"}}));
    assert!(prompt["result"]["messages"][0]["content"]["text"].as_str().unwrap().contains("p.json"));
}

#[test]
fn the_place_the_environment_and_the_policy_take_part() {
    let scratch = Scratch::new();
    let here = scratch.work().display().to_string();
    let mut server = Server::start(&scratch);
    let mut judged = |arguments: Value| {
        let answer = server.call("recourse_evaluate_shell", arguments);
        verdict(&answer).to_owned()
    };
    // Absent here is nothing to lose here; elsewhere nobody knows.
    assert_eq!(judged(json!({"command": "rm -rf gone", "cwd": here})), "allow");
    assert_ne!(judged(json!({"command": "rm -rf gone"})), "allow");
    assert_ne!(judged(json!({"command": "rm -rf gone", "cwd": "/no/such/place"})), "allow");
    // Read anew for each call.
    scratch.policy("[[rule]]\nsource = \"shell\"\nactor = \"agent/*\"\nverdict = \"block\"\n");
    assert_eq!(judged(json!({"command": "rm -rf gone", "cwd": here, "actor": "agent/x"})), "block");
    scratch.policy("not a policy");
    let answer = server.call("recourse_evaluate_shell", json!({"command": "ls"}));
    assert_eq!(answer["result"]["isError"], true, "{answer}");
}

#[test]
fn reports_carry_a_proof_that_the_server_itself_verifies() {
    let scratch = Scratch::new();
    scratch.config("[attestation]\nenabled = true\ninstance_id = \"recourse-test\"\n");
    let mut server = Server::start(&scratch);
    let here = scratch.work().display().to_string();
    let answer =
        server.call("recourse_evaluate_shell", json!({"command": "ls", "cwd": here, "detail": "full"}));
    let mut report = answer["result"]["structuredContent"].clone();
    assert!(report["attestation"]["signature"].is_string(), "{report}");
    let valid = server.call("recourse_verify_attestation", json!({"report": report}));
    assert_eq!(valid["result"]["structuredContent"]["valid"], true, "{valid}");
    assert_eq!(valid["result"]["structuredContent"]["riskAssessment"], "allow");
    report["riskAssessment"] = json!("block");
    let forged = server.call("recourse_verify_attestation", json!({"report": report}));
    assert_eq!(forged["result"]["structuredContent"]["valid"], false, "{forged}");
    // What is not the signed text is not told as if it were.
    let answer = server.call("recourse_evaluate_shell", json!({"command": "ls", "cwd": here}));
    let brief = answer["result"]["structuredContent"].clone();
    assert!(
        brief["proof"]["attestationUri"].is_string() && brief["proof"]["signature"].is_string(),
        "{brief}"
    );
    let refused = server.call("recourse_verify_attestation", json!({"report": brief}));
    let refused = &refused["result"]["structuredContent"];
    assert_eq!((&refused["valid"], &refused["reason"]), (&json!(false), &json!("attestation_absent")));
    assert!(refused["detail"].as_str().unwrap().contains("detail \"full\""), "{refused}");
}

#[test]
fn framings_interleave_and_are_answered_in_kind() {
    let scratch = Scratch::new();
    let mut server = Server::start(&scratch);
    let ping = |id: u32| json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
    for id in 0..20 {
        if id % 2 == 0 { server.send(&ping(id)) } else { server.send_framed(&ping(id)) }
    }
    for id in 0..20 {
        let (framing, answer) = server.next();
        assert_eq!((framing, &answer["id"]), (if id % 2 == 0 { 'L' } else { 'H' }, &json!(id)));
    }
    // Cut off, then the other framing.
    server.raw(b"Content-Length: 500\r\n\r\n{\"jsonrpc\":");
    server.send_framed(&ping(21));
    assert_eq!(server.next().1["error"]["code"], -32600);
    assert_eq!(server.next().1["id"], 21);
    server.raw(b"{\"jsonrpc\":");
    server.send_framed(&ping(22));
    assert_eq!(server.next().1["error"]["code"], -32700);
    assert_eq!(server.next().1["id"], 22);
    // Too large, in both.
    let large = vec![b' '; (16 << 20) + 10];
    server.raw(b"{");
    server.raw(&large);
    server.raw(b"}\n");
    assert_eq!(server.next().1["error"]["code"], -32600);
    server.raw(format!("Content-Length: {}\r\n\r\n", large.len()).as_bytes());
    server.raw(&large);
    assert_eq!(
        server.next(),
        (
            'H',
            json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": "the message is larger than 16 MiB"}})
        )
    );
    server.send(&ping(23));
    assert_eq!(server.next().1["id"], 23);
}

#[test]
fn a_thousand_calls_in_flight_are_answered_once_each() {
    let scratch = Scratch::new();
    let mut server = Server::start(&scratch);
    let mut input = server.input.take().unwrap();
    // The end of input comes while they are in flight.
    thread::spawn(move || {
        for id in 0..1000 {
            let id = if id % 2 == 0 { json!(id) } else { json!(id.to_string()) };
            input.write_all(format!("{}\n", shell(&id, "rm -rf /data/production")).as_bytes()).unwrap();
        }
    });
    let (answers, code) = server.ended();
    let mut ids: Vec<String> = answers.iter().map(|answer| answer["id"].to_string()).collect();
    ids.sort();
    ids.dedup();
    assert_eq!((answers.len(), ids.len(), code), (1000, 1000, Some(0)));
    assert!(answers.iter().all(|answer| verdict(answer) != "allow"));
}

#[test]
fn a_cancelled_call_is_not_answered_and_others_are() {
    let scratch = Scratch::new();
    let mut server = Server::start(&scratch);
    // Something to do for a while for as many threads as there are.
    let slow = "for i in 1 2 3; do rm -rf a/$i; done; ".repeat(400);
    for id in 0..200 {
        server.send(&shell(&json!(id), &slow));
        server.send(
            &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}),
        );
    }
    server.send(&json!({"jsonrpc": "2.0", "id": "after", "method": "ping"}));
    let begun = Instant::now();
    let (_, answer) = server.next();
    assert_eq!(answer["id"], "after", "calls hold up a ping");
    assert!(begun.elapsed() < Duration::from_secs(20));
    server.send(&shell(&json!("last"), "ls"));
    assert_eq!(server.next().1["id"], "last");
    assert_eq!(server.end(), (Vec::new(), Some(0)));
}

#[test]
fn batches_by_revision() {
    let scratch = Scratch::new();
    let batch = b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},{\"jsonrpc\":\"2.0\",\"method\":\"x\"},7,{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"check_command\",\"arguments\":{\"command\":\"ls\"}}}]\n";
    let mut server = Server::start(&scratch);
    server.initialize("2025-03-26");
    server.raw(batch);
    let (_, answers) = server.next();
    assert_eq!(answers.as_array().map(Vec::len), Some(3), "{answers}");
    let mut server = Server::start(&scratch);
    server.initialize("2025-06-18");
    server.raw(batch);
    assert_eq!(server.next().1["error"]["code"], -32600);
}

#[test]
fn both_eras_on_one_connection() {
    let scratch = Scratch::new();
    let mut server = Server::start(&scratch);
    let meta = |version: &str| {
        json!({"_meta": {"io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {}, "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"}}})
    };
    let found = server.request("server/discover", meta("2026-07-28"));
    assert_eq!(found["result"]["supportedVersions"][0], "2026-07-28");
    let listed = server.request("tools/list", meta("2026-07-28"));
    assert_eq!(listed["result"]["resultType"], "complete");
    assert_eq!(server.request("tools/list", meta("1999-01-01"))["error"]["code"], -32022);
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        assert_eq!(server.initialize(version)["result"]["protocolVersion"], version);
    }
    assert_eq!(server.initialize("2099-01-01")["result"]["protocolVersion"], "2025-11-25");
    assert!(server.request("tools/list", json!({}))["result"].get("resultType").is_none());
}

#[test]
fn it_ends_on_a_signal() {
    let scratch = Scratch::new();
    for signal in [Signal::SIGTERM, Signal::SIGINT] {
        let mut server = Server::start(&scratch);
        server.initialize("2025-11-25");
        kill(Pid::from_raw(server.child.id().try_into().unwrap()), signal).unwrap();
        let input = server.input.take();
        assert_eq!(server.ended(), (Vec::new(), Some(0)), "{signal}");
        drop(input);
    }
}

#[test]
fn an_answer_never_grows_beyond_what_clients_take() {
    let scratch = Scratch::new();
    let mut server = Server::start(&scratch);
    let changes: Vec<Value> = (0..20_000)
        .map(|n| {
            json!({"address": format!("aws_db_instance.x[{n}]"), "mode": "managed", "type": "aws_db_instance", "name": "x",
                "provider_name": "registry.terraform.io/hashicorp/aws", "index": n,
                "change": {"actions": ["delete"], "before": {"identifier": format!("x-{n}")}, "after": null, "after_unknown": {}}})
        })
        .collect();
    let plan = json!({"format_version": "1.2", "terraform_version": "1.7.0", "resource_changes": changes});
    let answer = server.call("recourse_evaluate_terraform", json!({"plan": plan, "detail": "full"}));
    assert!(answer.to_string().len() < 10 << 20);
    let report = &answer["result"]["structuredContent"];
    assert_eq!(report["summary"]["totalMutations"], 20_000);
    let listed = report["mutations"].as_array().unwrap().len() as u64;
    assert!(listed > 100);
    assert_eq!(report["truncated"]["omittedMutations"], 20_000 - listed);
    let answer = server.call("recourse_evaluate_terraform", json!({"plan": plan}));
    assert!(answer.to_string().len() < 6000, "{}", answer.to_string().len());
    let report = &answer["result"]["structuredContent"];
    assert_eq!(report["summary"]["totalMutations"], 20_000);
    assert_eq!(report["mutations"][0]["count"], 20_000, "{report}");
}
