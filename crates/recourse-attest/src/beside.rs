//! `recourse-net`, the program beside this one that alone speaks with networks: what it is asked, a line of JSON for each
//! question and answer, each with its deadline.
//!
//! Owns how the program is found and what it is started with. It stands beside this program, is of the same version, and is
//! looked for nowhere else; who asks a store hands it credentials, and nothing else of the environment goes to it, because a
//! variable such as an endpoint or a proxy would choose another one.

use std::env;
use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::cache::{Fetch, FetchError};

/// The program's name.
pub const PROGRAM: &str = "recourse-net";
/// What it is started with first, before the version that it must have.
pub const FOR: &str = "for";
/// The version of both programs.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// A line of a conversation is at most this many bytes.
pub const LINE_LIMIT: u64 = 64 << 20;
/// How long a document may take to come, unless it is said.
const PATIENCE: Duration = Duration::from_secs(5);
/// What starting the program may take besides.
const START: Duration = Duration::from_secs(1);

/// What is asked of the net: one line of JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// Where.
    pub url: String,
    /// What is sent there; none: the document there is had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub send: Option<Sent>,
    /// Bytes of the answer, at most.
    pub limit: usize,
    /// Milliseconds that it may take.
    pub patience: u64,
}

/// What is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sent {
    /// The text.
    pub body: String,
    /// Of which type.
    pub content: String,
    /// The bearer token, for this place alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

/// What comes back: one line of JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "lowercase", deny_unknown_fields)]
pub enum Heard {
    /// An answer.
    Answer {
        /// Its status; 200 for each document that was had.
        status: u16,
        /// Its bytes in base64.
        body: String,
    },
    /// None.
    Nothing {
        /// Why.
        why: String,
        /// Whether trying again may help.
        transient: bool,
    },
}

/// Whether credentials of stores go to the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Credentials {
    None,
    OfStores,
}

/// The variables that say who asks, none of which says whom: a region, too, becomes part of a host's name.
const CREDENTIALS: &[&str] = &[
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_ROLE_ARN",
    "AWS_ROLE_SESSION_NAME",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "GOOGLE_SERVICE_ACCOUNT",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "AZURE_STORAGE_ACCOUNT_KEY",
    "AZURE_STORAGE_ACCESS_KEY",
    "AZURE_STORAGE_CLIENT_ID",
    "AZURE_STORAGE_CLIENT_SECRET",
    "AZURE_STORAGE_TENANT_ID",
    "AZURE_CLIENT_ID",
    "AZURE_CLIENT_SECRET",
    "AZURE_TENANT_ID",
    "AZURE_FEDERATED_TOKEN_FILE",
    "HOME",
];

type Pipes = (ChildStdin, BufReader<ChildStdout>);

/// A conversation.
pub(super) struct Session {
    child: Child,
    pipes: Option<Pipes>,
}

impl Session {
    /// Starts the program for what these words say; `with` credentials where a store is asked.
    pub(super) fn start(words: &[&str], with: Credentials) -> Result<Self, String> {
        let mut command = command()?;
        command.args(words).env_clear();
        if with == Credentials::OfStores {
            command.envs(CREDENTIALS.iter().filter_map(|name| Some((name, env::var_os(name)?))));
        }
        command.current_dir("/").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| not_started(&error))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let pipes = pipes.map(|(asks, answers)| (asks, BufReader::new(answers)));
        Ok(Self { child, pipes })
    }

    /// Asks once.
    ///
    /// # Errors
    /// No answer in time, or nothing that is one.
    pub(super) fn ask<A: DeserializeOwned>(
        &mut self,
        ask: &impl Serialize,
        deadline: Instant,
    ) -> Result<A, String> {
        let mut line = serde_json::to_string(ask).map_err(|error| error.to_string())?;
        line.push('\n');
        let pipes = self.pipes.take().ok_or_else(|| format!("{PROGRAM} does not answer any more"))?;
        let (done, answered) = mpsc::channel();
        // Pipes know no deadline; killing the program ends the thread.
        thread::spawn(move || {
            let _ = done.send(exchange(pipes, &line));
        });
        let left = deadline.saturating_duration_since(Instant::now());
        let Ok(answered) = answered.recv_timeout(left) else {
            let _ = self.child.kill();
            return Err("it did not answer in time".to_owned());
        };
        let (pipes, text) = answered?;
        self.pipes = Some(pipes);
        serde_json::from_str(&text).map_err(|_| format!("{PROGRAM} answered what is no answer"))
    }
}

fn exchange((mut asks, mut answers): Pipes, line: &str) -> Result<(Pipes, String), String> {
    let ended = |_| format!("{PROGRAM} ended without an answer");
    asks.write_all(line.as_bytes()).and_then(|()| asks.flush()).map_err(ended)?;
    let mut text = String::new();
    (&mut answers).take(LINE_LIMIT).read_line(&mut text).map_err(ended)?;
    if !text.ends_with('\n') {
        return Err(format!("{PROGRAM} ended without an answer"));
    }
    Ok(((asks, answers), text))
}

impl Drop for Session {
    fn drop(&mut self) {
        // It has nothing of its own to finish, and must leave no zombie behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The program, to be started for this one: it answers nobody of another version.
///
/// # Errors
/// When it is not there; says what to do.
pub fn command() -> Result<Command, String> {
    let own = env::current_exe().map_err(|error| format!("the place of recourse is not known: {error}"))?;
    let path = own.with_file_name(PROGRAM);
    if !path.is_file() {
        return Err(format!("{} is not there: install it beside recourse", path.display()));
    }
    let mut command = Command::new(path);
    command.args([FOR, VERSION]);
    Ok(command)
}

/// Why it could not be started.
pub fn not_started(error: &std::io::Error) -> String {
    format!("{PROGRAM} cannot be started ({error}): install it beside recourse")
}

/// Documents of others, had through the program beside this one.
#[derive(Default)]
pub struct Net {
    line: Mutex<Option<Session>>,
}

impl fmt::Debug for Net {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Net")
    }
}

impl Net {
    /// Starts nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sends something to a URL that an operator named. The answer's status and at most `limit` bytes of it.
    ///
    /// # Errors
    /// When there is no answer, or it is larger.
    pub fn post(
        &self,
        url: &str,
        send: Sent,
        limit: usize,
        patience: Duration,
    ) -> Result<(u16, Vec<u8>), FetchError> {
        self.call(url, Some(send), limit, patience)
    }

    fn call(
        &self,
        url: &str,
        send: Option<Sent>,
        limit: usize,
        patience: Duration,
    ) -> Result<(u16, Vec<u8>), FetchError> {
        let failed = |why: String, transient| FetchError::of(url, why, transient);
        let millis = u64::try_from(patience.as_millis()).unwrap_or(u64::MAX);
        let call = Call { url: url.to_owned(), send, limit, patience: millis };
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        let mut session = match line.take() {
            Some(session) => session,
            None => Session::start(&["fetch"], Credentials::None)
                .map_err(|why| FetchError { local: true, ..failed(why, false) })?,
        };
        let heard = session.ask(&call, Instant::now() + patience + START).map_err(|why| failed(why, true))?;
        *line = Some(session);
        match heard {
            Heard::Nothing { why, transient } => Err(failed(why, transient)),
            Heard::Answer { status, body } => {
                let bytes = STANDARD.decode(body).map_err(|error| failed(error.to_string(), false))?;
                Ok((status, bytes))
            }
        }
    }
}

impl Fetch for Net {
    fn get(&self, url: &str, limit: usize) -> Result<Vec<u8>, FetchError> {
        Ok(self.call(url, None, limit, PATIENCE)?.1)
    }
}

#[cfg(test)]
mod tests {
    use super::CREDENTIALS;

    #[test]
    fn no_variable_chooses_the_store() {
        for name in CREDENTIALS {
            for word in
                ["REGION", "ENDPOINT", "PROXY", "URL", "HOST", "ACCOUNT_NAME", "BUCKET", "ALLOW", "CERT"]
            {
                assert!(!name.contains(word), "{name}");
            }
        }
    }
}
