//! Servers that speak S3 and Azure's protocol, and between each and the machines a proxy that fails, is slow, and drops
//! answers.
//!
//! The one for S3 is moto's, where `RECOURSE_CLOUD_TOOLS` names a folder with it. Its "make it if it is not there" looks first
//! and writes then, with no lock between: the proxy passes one request at a time, which stands for the promise that S3
//! itself makes. So this proves our requests and our reading of the answers, not Amazon's promise. The one for Azure is
//! azurite, Microsoft's own stand-in, below the same folder: it checks and writes in one step, and nothing passes in turn.
//! For Google's protocol there is none that heeds conditions.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::Machines;
use super::memory::{Machine, lives_there, log_lives_there};
use crate::support::skipped;

/// What the proxy does with the requests that come.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    Pass,
    /// Answers 503 without asking.
    Fail,
    /// Takes the request and never answers.
    Slow,
    /// Hands requests on and drops the answers.
    Deaf,
    /// The same, for the next request that writes.
    DeafOnce,
    /// Says 200 to what writes, and asks nobody.
    Lie,
    /// Hands on what writes without its condition: what is there is overwritten.
    Overwrite,
    /// The same, for every second request that writes.
    OverwriteNowAndThen,
}

/// What went over the wire, for the arithmetic of docs/fleet.md.
#[derive(Clone, Copy, Debug, Default)]
struct Wire {
    requests: usize,
    sent: usize,
    received: usize,
}

struct Cloud {
    server: Child,
    address: String,
    fault: Arc<Mutex<Fault>>,
    wire: Arc<Mutex<Wire>>,
}

impl Drop for Cloud {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

impl Cloud {
    /// S3 as moto speaks it.
    fn s3() -> Option<Self> {
        let moto = tool("bin/moto_server")?;
        let port = free();
        let server = quiet(Command::new(moto).args(["-H", "127.0.0.1", "-p", &port.to_string()]));
        wait_for("moto_server", || {
            let bucket = b"PUT /acme-guard HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 0\r\n\r\n";
            forward(port, bucket).is_some_and(|answer| answer.starts_with(b"HTTP/1.1 200"))
        });
        let address =
            |proxy| format!("s3://acme-guard/prod?region=us-east-1&endpoint=http://127.0.0.1:{proxy}");
        Some(Self::behind_a_proxy(server, port, address, true))
    }

    /// Azure's protocol as azurite speaks it.
    fn azure() -> Option<Self> {
        let (azurite, python) = (tool("node_modules/.bin/azurite-blob")?, tool("bin/python")?);
        let port = free();
        let server = quiet(
            Command::new(azurite)
                .args(["--inMemoryPersistence", "--silent", "--skipApiVersionCheck", "--disableTelemetry"])
                .args(["--blobHost", "127.0.0.1", "--blobPort", &port.to_string()])
                .env("AZURITE_ACCOUNTS", format!("guard:{}", super::AZURE_KEY)),
        );
        wait_for("azurite", || {
            let mut made = Command::new(&python);
            made.args(["-c", CONTAINER, &port.to_string(), super::AZURE_KEY]).stderr(Stdio::null());
            made.status().unwrap().success()
        });
        let address = |proxy| format!("az://acme-guard/prod?account=guard&endpoint=http://127.0.0.1:{proxy}");
        Some(Self::behind_a_proxy(server, port, address, false))
    }

    fn behind_a_proxy(server: Child, port: u16, address: impl Fn(u16) -> String, in_turn: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = address(listener.local_addr().unwrap().port());
        let cloud = Self { server, address, fault: Arc::new(Mutex::new(Fault::Pass)), wire: Arc::default() };
        let (fault, wire) = (Arc::clone(&cloud.fault), Arc::clone(&cloud.wire));
        let turn = in_turn.then(|| Arc::new(Mutex::new(())));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(stream) = stream else { return };
                let (fault, wire, turn) = (Arc::clone(&fault), Arc::clone(&wire), turn.clone());
                thread::spawn(move || pass(stream, port, &fault, &wire, turn.as_deref()));
            }
        });
        cloud
    }

    fn set(&self, fault: Fault) {
        *self.fault.lock().unwrap() = fault;
    }
}

/// Makes the container; a request that has to be signed.
const CONTAINER: &str = r#"
import base64, email.utils, hashlib, hmac, http.client, sys
port, key = int(sys.argv[1]), base64.b64decode(sys.argv[2])
date = email.utils.formatdate(usegmt=True)
text = "PUT" + "\n" * 12 + f"x-ms-date:{date}\nx-ms-version:2021-08-06\n/guard/guard/acme-guard\nrestype:container"
sign = base64.b64encode(hmac.new(key, text.encode(), hashlib.sha256).digest()).decode()
server = http.client.HTTPConnection("127.0.0.1", port)
server.request("PUT", "/guard/acme-guard?restype=container", headers={
    "x-ms-date": date, "x-ms-version": "2021-08-06", "Authorization": f"SharedKey guard:{sign}", "Content-Length": "0"})
sys.exit(server.getresponse().status != 201)
"#;

/// A program below the folder that `RECOURSE_CLOUD_TOOLS` names.
fn tool(name: &str) -> Option<PathBuf> {
    let tools = std::env::var_os("RECOURSE_CLOUD_TOOLS").map(PathBuf::from);
    let found = tools.map(|tools| tools.join(name)).filter(|path| path.is_file());
    if found.is_none() {
        skipped(&format!("{name} is not installed (RECOURSE_CLOUD_TOOLS names a folder with it)"));
    }
    found
}

fn free() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn quiet(command: &mut Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn wait_for(name: &str, there: impl Fn() -> bool) {
    let start = Instant::now();
    while !there() {
        assert!(start.elapsed() < Duration::from_secs(120), "{name} starts");
        thread::sleep(Duration::from_millis(200));
    }
}

/// One connection: one request, one answer.
fn pass(
    mut client: TcpStream,
    server: u16,
    fault: &Mutex<Fault>,
    wire: &Mutex<Wire>,
    turn: Option<&Mutex<()>>,
) {
    let Some(request) = read_request(&mut client) else { return };
    let writes = request.starts_with(b"PUT ");
    let now = {
        let mut fault = fault.lock().unwrap();
        let now = *fault;
        if now == Fault::DeafOnce && writes {
            *fault = Fault::Pass;
        }
        now
    };
    let answer = match now {
        Fault::Fail => b"HTTP/1.1 503 Slow Down\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_vec(),
        Fault::Slow => {
            // Until the other side gives up.
            let _ = client.read(&mut [0]);
            return;
        }
        Fault::Lie if writes => {
            b"HTTP/1.1 200 OK\r\netag: \"0\"\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_vec()
        }
        _ => {
            let _turn = turn.map(|turn| turn.lock().unwrap());
            let often = wire.lock().unwrap().requests.is_multiple_of(2);
            let overwrites = now == Fault::Overwrite || now == Fault::OverwriteNowAndThen && often;
            let request = if writes && overwrites { unconditional(&request) } else { request.clone() };
            let Some(answer) = forward(server, &request) else { return };
            answer
        }
    };
    {
        let mut wire = wire.lock().unwrap();
        wire.requests += 1;
        wire.sent += request.len();
        wire.received += answer.len();
    }
    if now == Fault::Deaf || (now == Fault::DeafOnce && writes) {
        return;
    }
    let _ = client.write_all(&answer);
}

/// A request without the condition that nothing is there.
fn unconditional(request: &[u8]) -> Vec<u8> {
    let Some(end) = request.windows(4).position(|four| four == b"\r\n\r\n") else { return request.to_vec() };
    let head = String::from_utf8_lossy(&request[..end]).into_owned();
    let left = head.split("\r\n").filter(|line| !line.to_ascii_lowercase().starts_with("if-none-match:"));
    [left.collect::<Vec<_>>().join("\r\n").as_bytes(), &request[end..]].concat()
}

/// Hands a request to the server and reads its whole answer.
fn forward(server: u16, request: &[u8]) -> Option<Vec<u8>> {
    let mut stream = TcpStream::connect(("127.0.0.1", server)).ok()?;
    let end = request.windows(2).position(|two| two == b"\r\n")? + 2;
    stream.write_all(&request[..end]).ok()?;
    stream.write_all(b"connection: close\r\n").ok()?;
    stream.write_all(&request[end..]).ok()?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).ok()?;
    (!answer.is_empty()).then_some(answer)
}

fn read_request(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let count = stream.read(&mut chunk).ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&chunk[..count]);
        let Some(head) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let text = String::from_utf8_lossy(&bytes[..head]).to_ascii_lowercase();
        let length = text
            .lines()
            .find_map(|line| line.strip_prefix("content-length:"))
            .map_or(0, |length| length.trim().parse::<usize>().unwrap());
        if bytes.len() >= head + 4 + length {
            return Some(bytes);
        }
    }
}

fn race(cloud: &Cloud) {
    Machines::new(&cloud.address).race();
}

fn the_log_does_not_go_on_without_it(cloud: &Cloud) {
    log_lives_there(&cloud.address);
    let machine = Machine::new(&cloud.address);
    assert!(machine.checkpoint().status.success());
    let local = machine.scratch.root().join("home/.local/share/recourse/tlog/checkpoint");
    for fault in [Fault::Fail, Fault::Slow, Fault::Deaf, Fault::Lie, Fault::DeafOnce] {
        assert_eq!(machine.exec().0, "ran", "{fault:?}");
        let before = std::fs::read(&local).unwrap();
        cloud.set(fault);
        let output = machine.run(&["log", "checkpoint"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let went_on = std::fs::read(&local).unwrap() != before;
        assert_eq!(output.status.success(), went_on, "{fault:?}: {said}");
        if fault != Fault::DeafOnce {
            assert!(!went_on && said.contains("://acme-guard"), "{fault:?}: {said}");
        } else if !said.contains("did not answer in time") {
            // An answer that was lost once is found again in the store.
            assert!(went_on, "{said}");
        }
        cloud.set(Fault::Pass);
        let output = machine.checkpoint();
        assert!(output.status.success(), "{fault:?}: {}", String::from_utf8_lossy(&output.stderr));
        assert_ne!(std::fs::read(&local).unwrap(), before, "{fault:?}");
    }
}

fn what_is_attested_needs_a_clear_answer(cloud: &Cloud) {
    let machine = Machine::new(&cloud.address);
    assert_eq!(machine.exec().0, "ran");
    *cloud.wire.lock().unwrap() = Wire::default();
    assert_eq!(machine.exec().0, "ran");
    println!("on the wire for one attestation and its claim: {:?}", cloud.wire.lock().unwrap());
    for fault in [Fault::Fail, Fault::Slow, Fault::Deaf, Fault::Lie] {
        cloud.set(fault);
        let (word, said) = machine.exec();
        assert_eq!(word, "store_unavailable", "{fault:?}: {said}");
        assert!(said.contains("://acme-guard"), "{fault:?}: {said}");
        cloud.set(Fault::Pass);
        assert_eq!(machine.exec().0, "ran", "{fault:?}");
    }
}

fn one_that_fails_is_slow_or_lies_never_lets_two_run(cloud: &Cloud) {
    let machines = Machines::new(&cloud.address);
    // What the store is proved with, once a day, is not what this test is about.
    for machine in 0..3 {
        assert_eq!(machines.word(machine, &machines.attestation()), "ran");
    }
    *cloud.wire.lock().unwrap() = Wire::default();
    assert_eq!(machines.word(0, &machines.attestation()), "ran");
    println!("on the wire for one claim: {:?}", cloud.wire.lock().unwrap());
    for (fault, during, after) in [
        (Fault::Fail, "store_unavailable", "ran"),
        (Fault::Slow, "store_unavailable", "ran"),
        // It came through, and nobody could know: spent.
        (Fault::Deaf, "store_unavailable", "nonce_reused"),
        // Its own words are there.
        (Fault::DeafOnce, "ran", "nonce_reused"),
        (Fault::Lie, "store_unavailable", "ran"),
    ] {
        let attestation = machines.attestation();
        cloud.set(fault);
        let (word, said) = machines.outcome(0, &attestation);
        assert_eq!(word, during, "{fault:?}: {said}");
        cloud.set(Fault::Pass);
        assert_eq!(machines.word(1, &attestation), after, "{fault:?}");
        assert_eq!(machines.word(2, &attestation), "nonce_reused", "{fault:?}");
    }
}

fn one_that_stops_heeding_conditions_never_lets_two_run(cloud: &Cloud) {
    let machines = Machines::new(&cloud.address);
    // That day's proof was given.
    for machine in 0..3 {
        assert_eq!(machines.word(machine, &machines.attestation()), "ran");
    }
    cloud.set(Fault::Overwrite);
    let attestation = machines.attestation();
    let first = machines.outcome(0, &attestation);
    for machine in 1..3 {
        let (word, said) = machines.outcome(machine, &attestation);
        assert_eq!(word, "store_unavailable", "{said}");
        // A server that checks what is signed takes no request that was changed on its way.
        assert!(first.0 != "ran" || said.contains("overwrites what is there"), "{said}");
    }
    for fault in [Fault::Overwrite, Fault::OverwriteNowAndThen] {
        cloud.set(Fault::Pass);
        let attestation = machines.attestation();
        cloud.set(fault);
        let words: Vec<_> = thread::scope(|scope| {
            let tries: Vec<_> = (0..12)
                .map(|number| {
                    scope.spawn({
                        let (machines, attestation) = (&machines, &attestation);
                        move || machines.word(number % 3, attestation)
                    })
                })
                .collect();
            tries.into_iter().map(|one| one.join().unwrap()).collect()
        });
        let ran = words.iter().filter(|word| *word == "ran").count();
        assert!(ran <= 1, "{fault:?}: {words:?}");
    }
}

macro_rules! of_each_engine {
    ($($engine:ident)*) => {
        $(mod $engine {
            use super::*;

            #[test]
            fn fifty_processes_on_three_machines_race_for_a_nonce() {
                if let Some(cloud) = Cloud::$engine() {
                    race(&cloud);
                }
            }

            #[test]
            fn attestations_registry_and_record_live_there() {
                if let Some(cloud) = Cloud::$engine() {
                    lives_there(&cloud.address);
                }
            }

            #[test]
            fn the_transparency_log_lives_there_and_does_not_go_on_without_it() {
                if let Some(cloud) = Cloud::$engine() {
                    the_log_does_not_go_on_without_it(&cloud);
                }
            }

            #[test]
            fn what_a_machine_attests_itself_needs_the_store_to_say_clearly_that_it_has_it() {
                if let Some(cloud) = Cloud::$engine() {
                    what_is_attested_needs_a_clear_answer(&cloud);
                }
            }

            #[test]
            fn a_store_that_stops_heeding_conditions_never_lets_two_run() {
                if let Some(cloud) = Cloud::$engine() {
                    one_that_stops_heeding_conditions_never_lets_two_run(&cloud);
                }
            }

            #[test]
            fn a_store_that_fails_is_slow_or_lies_never_lets_two_run() {
                if let Some(cloud) = Cloud::$engine() {
                    one_that_fails_is_slow_or_lies_never_lets_two_run(&cloud);
                }
            }
        })*
    };
}

of_each_engine!(s3 azure);
