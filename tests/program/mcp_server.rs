//! The MCP server's loop around services that misbehave: faults inside, slow calls, readers that go away.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use recourse::mcp::protocol::{Era, Fault};
use recourse::mcp::{Server, Service, Stopper};
use serde_json::value::RawValue;
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(60);

/// Answers `quick`, panics on `panic`, and on `slow` says that it has begun and waits until it may go on.
struct Odd {
    begun: Mutex<Sender<()>>,
    go_on: Mutex<Receiver<()>>,
}

impl Service for Odd {
    fn instructions(&self) -> &str {
        "none"
    }

    fn tools(&self) -> &str {
        "{\"tools\":[]}"
    }

    fn resources(&self) -> &str {
        "{\"resources\":[]}"
    }

    fn prompts(&self) -> &str {
        "{\"prompts\":[]}"
    }

    fn call(&self, tool: &str, _: Option<&RawValue>) -> Result<String, Fault> {
        match tool {
            "panic" => panic!("allow"),
            "slow" => {
                self.begun.lock().unwrap().send(()).unwrap();
                self.go_on.lock().unwrap().recv().unwrap();
            }
            _ => {}
        }
        Ok(json!({"content": [{"type": "text", "text": tool}], "isError": false}).to_string())
    }

    fn resource(&self, _: &str, _: Era) -> Result<String, Fault> {
        panic!("allow")
    }

    fn prompt(&self, _: &str, _: Option<&RawValue>) -> Result<String, Fault> {
        panic!("allow")
    }
}

/// A server on a socket of this process.
struct Running {
    input: UnixStream,
    output: BufReader<UnixStream>,
    begun: Receiver<()>,
    go_on: Sender<()>,
    stopper: Stopper,
    ended: JoinHandle<std::io::Result<()>>,
}

impl Running {
    fn start() -> Self {
        let (say_begun, begun) = channel();
        let (go_on, may_go_on) = channel();
        let odd = Odd { begun: Mutex::new(say_begun), go_on: Mutex::new(may_go_on) };
        let server = Server::new(Arc::new(odd));
        let stopper = server.stopper();
        let (input, from_client) = UnixStream::pair().unwrap();
        let (output, to_client) = UnixStream::pair().unwrap();
        output.set_read_timeout(Some(PATIENCE)).unwrap();
        let ended = thread::spawn(move || server.run(from_client, to_client));
        Self { input, output: BufReader::new(output), begun, go_on, stopper, ended }
    }

    fn raw(&mut self, text: &str) {
        self.input.write_all(text.as_bytes()).unwrap();
    }

    fn call(&mut self, id: &str, tool: &str) {
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool}});
        self.raw(&format!("{call}\n"));
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).expect("a message on a line")
    }

    /// What is still said after the input has ended, which it waits for.
    fn rest(self) -> String {
        self.input.shutdown(std::net::Shutdown::Write).unwrap();
        self.ended.join().unwrap().unwrap();
        let mut rest = String::new();
        let mut output = self.output;
        output.get_mut().set_read_timeout(Some(Duration::from_millis(200))).unwrap();
        let _ = output.read_to_string(&mut rest);
        rest
    }
}

#[test]
fn a_fault_inside_is_an_error_and_permits_nothing() {
    let mut server = Running::start();
    for round in 0..40 {
        let id = format!("p{round}");
        server.call(&id, "panic");
        let answer = server.next();
        assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(id), &json!(true)), "{answer}");
        assert!(answer["result"].get("structuredContent").is_none() && !answer.to_string().contains("allow"));
        assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains("nothing is permitted"));
    }
    for (method, params) in [("resources/read", json!({"uri": "x"})), ("prompts/get", json!({"name": "x"}))] {
        server.raw(&format!("{}\n", json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})));
        let answer = server.next();
        assert_eq!(answer["error"]["code"], -32603, "{answer}");
        assert!(!answer.to_string().contains("allow"));
    }
    // In the middle of a batch the others are answered all the same.
    let one = |id: u32, tool: &str| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool}});
    server.raw(&format!("{}\n", json!([one(1, "quick"), one(2, "panic"), one(3, "quick")])));
    let answers = server.next();
    let failed = answers.as_array().unwrap().iter().filter(|answer| answer["result"]["isError"] == true);
    assert_eq!(failed.map(|answer| answer["id"].clone()).collect::<Vec<_>>(), [json!(2)], "{answers}");
    assert_eq!(answers.as_array().unwrap().len(), 3);
    server.call("after", "quick");
    assert_eq!(server.next()["result"]["isError"], false);
    assert_eq!(server.rest(), "");
}

#[test]
fn a_slow_call_holds_nobody_up() {
    let mut server = Running::start();
    server.call("slow", "slow");
    server.begun.recv_timeout(PATIENCE).unwrap();
    for n in 0..50 {
        server.call(&format!("q{n}"), "quick");
    }
    server.raw("{\"jsonrpc\":\"2.0\",\"id\":\"ping\",\"method\":\"ping\"}\n");
    let mut answered: Vec<String> =
        (0..51).map(|_| server.next()["id"].as_str().unwrap().to_owned()).collect();
    answered.sort();
    answered.dedup();
    assert_eq!(answered.len(), 51);
    assert!(!answered.contains(&"slow".to_owned()));
    server.go_on.send(()).unwrap();
    assert_eq!(server.next()["id"], "slow");
    assert_eq!(server.rest(), "");
}

#[test]
fn what_is_cancelled_while_it_runs_is_not_answered() {
    let mut server = Running::start();
    server.call("slow", "slow");
    server.begun.recv_timeout(PATIENCE).unwrap();
    let cancel =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "slow"}});
    server.raw(&format!("{cancel}\n"));
    // The answer to this shows that the cancellation was read.
    server.raw("{\"jsonrpc\":\"2.0\",\"id\":\"ping\",\"method\":\"ping\"}\n");
    assert_eq!(server.next()["id"], "ping");
    server.go_on.send(()).unwrap();
    assert_eq!(server.rest(), "");
}

#[test]
fn the_end_of_the_input_waits_for_what_is_in_flight() {
    let mut server = Running::start();
    server.call("slow", "slow");
    server.begun.recv_timeout(PATIENCE).unwrap();
    let go_on = server.go_on.clone();
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        go_on.send(()).unwrap();
    });
    let rest: Value = serde_json::from_str(&server.rest()).unwrap();
    assert_eq!(rest["id"], "slow");
}

#[test]
fn it_ends_when_asked_to_though_a_call_hangs() {
    let mut server = Running::start();
    server.call("slow", "slow");
    server.begun.recv_timeout(PATIENCE).unwrap();
    server.stopper.stop();
    server.ended.join().unwrap().unwrap();
}

#[test]
fn it_ends_when_nobody_reads_any_more() {
    let Running { mut input, output, ended, begun, go_on, .. } = Running::start();
    drop(output);
    for _ in 0..3 {
        // The server may be gone already.
        let _ = input.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
    }
    ended.join().unwrap().unwrap();
    drop((begun, go_on));
}
