//! The conversation with `recourse-store`: one process, one line for each question and answer, each with its deadline.
//!
//! Owns how the program is found and what it is started with. It stands beside this program; it gets credentials and
//! nothing else of the environment, because a variable such as an endpoint or a proxy would choose another store.

use std::env;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use super::{Address, Answer, Ask, HELPER, LINE_LIMIT};

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

/// A helper that runs.
pub(super) struct Session {
    child: Child,
    pipes: Option<Pipes>,
}

impl Session {
    /// Starts the helper for a store.
    pub(super) fn start(address: &Address) -> Result<Self, String> {
        let program = beside()?;
        let mut command = Command::new(&program);
        command.arg(address.to_string()).env_clear();
        command.envs(CREDENTIALS.iter().filter_map(|name| Some((name, env::var_os(name)?))));
        command.current_dir("/").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let failed = |error: std::io::Error| {
            format!("{} cannot be started ({error}): install it beside recourse", program.display())
        };
        let mut child = command.spawn().map_err(failed)?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let pipes = pipes.map(|(asks, answers)| (asks, BufReader::new(answers)));
        Ok(Self { child, pipes })
    }

    /// Asks once. No answer in time, and nothing that is one, is unclear.
    pub(super) fn ask(&mut self, ask: &Ask, deadline: Instant) -> Answer {
        self.try_ask(ask, deadline).unwrap_or_else(|why| Answer::Unclear { why })
    }

    fn try_ask(&mut self, ask: &Ask, deadline: Instant) -> Result<Answer, String> {
        let mut line = serde_json::to_string(ask).map_err(|error| error.to_string())?;
        line.push('\n');
        let pipes = self.pipes.take().ok_or_else(|| format!("{HELPER} does not answer any more"))?;
        let (done, answered) = mpsc::channel();
        // Pipes know no deadline; killing the helper ends the thread.
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
        serde_json::from_str(&text).map_err(|_| format!("{HELPER} answered what is no answer"))
    }
}

fn exchange((mut asks, mut answers): Pipes, line: &str) -> Result<(Pipes, String), String> {
    let ended = |_| format!("{HELPER} ended without an answer");
    asks.write_all(line.as_bytes()).and_then(|()| asks.flush()).map_err(ended)?;
    let mut text = String::new();
    (&mut answers).take(LINE_LIMIT).read_line(&mut text).map_err(ended)?;
    if !text.ends_with('\n') {
        return Err(format!("{HELPER} ended without an answer"));
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

/// The helper's path.
fn beside() -> Result<PathBuf, String> {
    let own = env::current_exe().map_err(|error| format!("the place of recourse is not known: {error}"))?;
    let path = own.with_file_name(HELPER);
    if path.is_file() {
        Ok(path)
    } else {
        Err(format!("{} is not there: install it beside recourse", path.display()))
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
