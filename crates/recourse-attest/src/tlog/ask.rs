//! The log's side of witnessing: the newest checkpoint goes to each witness, with the proof that it goes on from what that
//! witness saw last; its cosignature comes back and stays with the checkpoint.
//!
//! Owns what the log remembers of each witness. The network is the caller's.

use std::collections::BTreeMap;
use std::str::FromStr;

use serde_json::json;

use super::book::{Log, LogError};
use super::checkpoint::number;
use super::note::{Kind, Note, NoteError, Vkey};
use crate::disk::{self, Access};
use crate::document::hex;

/// An answer of a witness is at most this many bytes.
pub const ANSWER_LIMIT: usize = 16 << 10;

/// A witness: its key, and where it is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// What its cosignatures are verified with.
    pub key: Vkey,
    /// The URL in front of `/add-checkpoint`. None: it is believed, and somebody else asks it.
    pub url: Option<String>,
}

impl FromStr for Asked {
    type Err = NoteError;

    /// Reads `KEY` or `KEY URL`.
    fn from_str(text: &str) -> Result<Self, NoteError> {
        let mut words = text.split_whitespace();
        let key: Vkey = words.next().unwrap_or_default().parse()?;
        let url = words.next().map(|url| url.trim_end_matches('/').to_owned());
        if key.kind() != Kind::Witness || words.next().is_some() {
            return Err(NoteError::Key(text.chars().take(200).collect()));
        }
        Ok(Self { key, url })
    }
}

/// Sends a text to a URL: the status and at most [`ANSWER_LIMIT`] bytes, or why there is no answer.
pub type Post<'a> = &'a dyn Fn(&str, &str) -> Result<(u16, Vec<u8>), String>;

/// What one witness said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// It saw the checkpoint.
    Saw,
    /// It could not be asked, or its answer is none: try again later.
    Nothing(String),
    /// It saw something that this log does not go on from.
    Contradicts(String),
    /// It saw the checkpoint, and had forgotten what it had seen before.
    Forgot(String),
}

impl Log {
    /// Asks every witness that has not seen the newest checkpoint. Says what each said, by its name.
    ///
    /// # Errors
    /// When the log itself cannot be read or written.
    pub fn ask(&self, witnesses: &[Asked], post: Post<'_>) -> Result<Vec<(String, Said)>, LogError> {
        let note = self.checkpoint()?.ok_or(LogError::None)?;
        let mut remembered = self.remembered()?;
        let mut all = Vec::new();
        for witness in witnesses {
            let (Some(url), Ok(None)) = (&witness.url, note.signed_by(&witness.key)) else { continue };
            let name = format!("{}+{}", witness.key.name(), hex(&witness.key.id()));
            let old = remembered.get(&name).copied().unwrap_or(0);
            let said = match self.ask_one(&witness.key, url, &note, old, post)? {
                (Ok((lines, size)), forgot) => {
                    self.add_cosignatures(note.text(), &lines)?;
                    remembered.insert(name, size);
                    self.remember(&remembered)?;
                    forgot.map_or(Said::Saw, Said::Forgot)
                }
                (Err(said), _) => said,
            };
            all.push((witness.key.name().to_owned(), said));
        }
        Ok(all)
    }

    /// One witness's cosignature and the checkpoint's size, and whether it had forgotten.
    #[allow(clippy::type_complexity)]
    fn ask_one(
        &self,
        key: &Vkey,
        url: &str,
        note: &Note,
        remembered: u64,
        post: Post<'_>,
    ) -> Result<(Result<(String, u64), Said>, Option<String>), LogError> {
        let url = format!("{url}/add-checkpoint");
        let (mut old, mut forgot) = (remembered, None);
        // What it saw last may be more than the log knows of, once.
        for _ in 0..2 {
            let (proof, newest) = match self.goes_on_from(old) {
                Ok(found) => found,
                Err(LogError::Contradicted(why)) => {
                    let why = format!(
                        "it has seen another history: {why}; this log was put back from an old copy, or rewritten"
                    );
                    return Ok((Err(Said::Contradicts(why)), None));
                }
                Err(error) => return Err(error),
            };
            if newest.text() != note.text() {
                return Ok((Err(Said::Nothing("the log went on meanwhile".to_owned())), None));
            }
            let body = super::witness::request(old, &proof, note);
            let said = match post(&url, &body) {
                Err(why) => Err(Said::Nothing(why)),
                Ok((200, answer)) => cosignature(key, note, &answer),
                Ok((409, answer)) => {
                    let size = std::str::from_utf8(&answer).ok().and_then(|text| number(text.trim_end()));
                    match size.filter(|size| *size != old) {
                        Some(size) => {
                            if size < remembered {
                                forgot = Some(format!(
                                    "it remembers {size} leaves after it had cosigned {remembered}: its memory was put back from an old copy"
                                ));
                            }
                            old = size;
                            continue;
                        }
                        None => Err(Said::Nothing("it answers 409 without another size".to_owned())),
                    }
                }
                Ok((422, answer)) => Err(Said::Contradicts(format!("it refuses: {}", first_line(&answer)))),
                Ok((status, answer)) => {
                    Err(Said::Nothing(format!("it answers {status}: {}", first_line(&answer))))
                }
            };
            let size = super::checkpoint::Checkpoint::parse(note.text()).map_or(0, |now| now.size);
            return Ok((said.map(|lines| (lines, size)), forgot));
        }
        Ok((Err(Said::Nothing("what it saw last keeps changing".to_owned())), forgot))
    }

    fn remembered(&self) -> Result<BTreeMap<String, u64>, LogError> {
        let bytes = disk::read_private(&self.folder.join("witnesses.json"), 1 << 20)?;
        // Lost or damaged, the witnesses themselves say where they are.
        Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default())
    }

    fn remember(&self, sizes: &BTreeMap<String, u64>) -> Result<(), LogError> {
        let path = self.folder.join("witnesses.json");
        // Whoever holds the lock sweeps files under way away.
        let _going = self.going()?;
        Ok(disk::write_atomic(&path, json!(sizes).to_string().as_bytes(), Access::Private)?)
    }
}

/// The line of an answer that is this witness's, verified.
fn cosignature(key: &Vkey, note: &Note, answer: &[u8]) -> Result<String, Said> {
    let bad = |why: &str| Said::Nothing(format!("its answer is no cosignature: {why}"));
    let text = std::str::from_utf8(answer).map_err(|_| bad("it is not UTF-8"))?;
    for line in text.split_inclusive('\n') {
        let alone = Note::parse(format!("{}\n{line}", note.text()).as_bytes());
        match alone.and_then(|alone| alone.signed_by(key)) {
            Ok(Some(_)) => return Ok(line.to_owned()),
            Ok(None) => {}
            Err(error) => return Err(bad(&error.to_string())),
        }
    }
    Err(bad("none is of the key that was named"))
}

fn first_line(answer: &[u8]) -> String {
    String::from_utf8_lossy(answer).lines().next().unwrap_or_default().chars().take(200).collect()
}
