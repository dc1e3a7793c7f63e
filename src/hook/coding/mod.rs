//! The hooks of coding agents: a tool call on standard input becomes a verdict in the agent's own words.
//!
//! Owns the table of agents, one thin adapter for each (what its call looks like, what it can be told, where its settings
//! stand) and the shared way from a call to an
//! answer. Holds no judgement: `evaluate` judges, here its verdict is put into the agent's terms. Every agent goes on when
//! a hook fails silently, so nothing here may: whatever goes wrong ends in a denial that says so.

mod agents;
mod call;
mod clients;
pub mod install;
mod judge;
mod patch;
mod places;
mod servers;
mod terminal;
mod tools;

use std::io::Read;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

pub use agents::Agent;
use call::{Answer, Unreadable};
pub use clients::Client;
pub use places::{Folders, Form, Scope};
pub use servers::Servers;

/// A call larger than this is refused unread.
const INPUT_LIMIT: u64 = 8 << 20;
/// Agents stop waiting after five seconds (as `init` installs us) and then go on; our answer must come before that.
const PATIENCE: Duration = Duration::from_millis(4000);
/// What agents call their session's id.
const SESSION: &[&str] = &[
    "session_id",
    "sessionId",
    "sessionID",
    "conversation_id",
    "conversationId",
    "thread_id",
    "threadId",
    "trajectory_id",
    "taskId",
];
/// As much stack as the main thread has.
const STACK: usize = 16 << 20;

/// What the process prints and how it ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// One JSON object and a newline, or nothing.
    pub stdout: String,
    /// For agents that read the reason here.
    pub stderr: String,
    /// Exit status.
    pub code: u8,
}

/// Reads one call from `input`, judges it, and gives the agent's answer.
pub fn run(agent: Agent, input: impl Read + Send + 'static) -> Output {
    // A panic is answered below; its text could show what was being judged.
    std::panic::set_hook(Box::new(|_| {}));
    let (sender, receiver) = mpsc::channel();
    let work = move || {
        let _ = sender.send(answer(agent, input));
    };
    if thread::Builder::new().stack_size(STACK).spawn(work).is_err() {
        return failed(agent, "no thread could be started");
    }
    match receiver.recv_timeout(PATIENCE) {
        Ok(output) => output,
        Err(mpsc::RecvTimeoutError::Timeout) => failed(agent, "judging it took too long"),
        Err(mpsc::RecvTimeoutError::Disconnected) => failed(agent, "a fault while judging it"),
    }
}

/// The answer when we cannot judge.
fn failed(agent: Agent, why: &str) -> Output {
    judge::unjudged(agent, None, why);
    let reason = format!("recourse could not judge this call ({why}), so it does not run");
    agent.write("", &Answer::Deny(reason))
}

fn answer(agent: Agent, input: impl Read) -> Output {
    let mut bytes = Vec::new();
    if let Err(error) = input.take(INPUT_LIMIT + 1).read_to_end(&mut bytes) {
        return failed(agent, &format!("its input cannot be read: {error}"));
    }
    if bytes.len() as u64 > INPUT_LIMIT {
        return failed(agent, "it is larger than 8 MiB");
    }
    let value = match serde_json::from_slice::<serde_json::Value>(&bytes) {
        Ok(serde_json::Value::Object(value)) => value,
        Ok(_) => return failed(agent, "the hook's input is not a JSON object"),
        // The parser's own words quote nothing of the text.
        Err(error) => {
            let place = format!("line {}, column {}", error.line(), error.column());
            return failed(agent, &format!("the hook's input is not JSON that can be read, {place}"));
        }
    };
    match agent.read(&value) {
        Ok(mut request) => {
            request.session = call::text(&value, SESSION).map(str::to_owned);
            let answer = judge::judge(agent, &request);
            agent.write(&request.event, &answer)
        }
        Err(Unreadable(why)) => failed(agent, &why),
    }
}
