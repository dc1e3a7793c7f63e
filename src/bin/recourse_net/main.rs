//! `recourse-net`: the program beside `recourse` that alone speaks with networks: it has documents of others, asks object
//! stores, and serves. It also does what nobody waits for at a prompt.
//!
//! `recourse` starts it, or becomes it, and says for which version; so nothing of it is loaded at a prompt. It is asked over
//! its standard input and answers over its standard output, a line of JSON each (`attest::beside`), or it is given a command
//! line, as `recourse` was.

mod fetch;
mod folder;
mod store;

use std::ffi::OsString;
use std::io::{self, BufRead, Read, Write};
use std::process::ExitCode;

use recourse::attest::beside::{FOR, VERSION};
use recourse::cli::{self, Beside};
use serde::Serialize;
use serde::de::DeserializeOwned;

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    if words.next().is_none_or(|word| word != FOR) {
        return refuse("recourse starts this program by itself: `recourse serve`, for example");
    }
    let version = words.next().unwrap_or_default();
    if version != VERSION {
        return refuse(&format!(
            "recourse-net has version {VERSION} and was started by recourse {}: install both again, of one version",
            version.to_string_lossy()
        ));
    }
    let words: Vec<OsString> = words.collect();
    match words.iter().map(|word| word.to_str()).collect::<Option<Vec<_>>>().as_deref() {
        Some(["fetch"]) => fetch::answer(),
        Some(["store", address]) => store::answer_about(address),
        _ => cli::main(std::iter::once(OsString::from("recourse")).chain(words), Some(&Beside::HERE)),
    }
}

#[allow(clippy::print_stderr)]
fn refuse(why: &str) -> ExitCode {
    eprintln!("recourse-net: {why}");
    ExitCode::from(2)
}

/// Answers each line until there is none, or one that is no question.
fn converse<Q: DeserializeOwned, A: Serialize>(limit: u64, mut answer: impl FnMut(Q) -> A) -> ExitCode {
    let (mut questions, mut answers) = (io::stdin().lock(), io::stdout().lock());
    loop {
        let mut line = String::new();
        match (&mut questions).take(limit).read_line(&mut line) {
            Ok(0) => return ExitCode::SUCCESS,
            Ok(_) if line.ends_with('\n') => {}
            _ => return ExitCode::FAILURE,
        }
        let Ok(question) = serde_json::from_str(&line) else { return ExitCode::FAILURE };
        let Ok(mut text) = serde_json::to_string(&answer(question)) else { return ExitCode::FAILURE };
        text.push('\n');
        if answers.write_all(text.as_bytes()).and_then(|()| answers.flush()).is_err() {
            return ExitCode::FAILURE;
        }
    }
}
