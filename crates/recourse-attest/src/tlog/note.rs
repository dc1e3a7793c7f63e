//! Signed notes (c2sp.org/signed-note) and the two kinds of Ed25519 signature that are used on them: a log's own, and a
//! witness's with its time (c2sp.org/tlog-cosignature).
//!
//! Owns the formats and the verification. Looks at nothing but its arguments.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::document::hex;
use crate::signature::PublicKey;

/// A note larger than this is not read, in bytes.
pub const NOTE_LIMIT: usize = 64 << 10;
/// More signatures are not read.
const SIGNATURES: usize = 64;

/// What a key signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A log's checkpoints.
    Log,
    /// Checkpoints that a witness saw, with the time.
    Witness,
}

impl Kind {
    /// The byte that stands for it.
    pub fn byte(self) -> u8 {
        match self {
            Self::Log => 1,
            Self::Witness => 4,
        }
    }
}

/// Why a text is no note or key, or why a note is not believed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoteError {
    /// Not a verifier key.
    #[error(
        "{0:?} is no verifier key: a name, 8 hexadecimal digits and base64 with `+` between them are wanted"
    )]
    Key(String),
    /// Not a signed note.
    #[error("it is no signed note: {0}")]
    Form(&'static str),
    /// A signature that says it is of a known key and is not.
    #[error("the signature of {0} does not belong to it")]
    Forged(String),
}

/// A public key with its name: a verifier key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vkey {
    name: String,
    kind: Kind,
    key: PublicKey,
    id: [u8; 4],
}

impl Vkey {
    /// Puts them together.
    ///
    /// # Errors
    /// When the name can name no key.
    pub fn new(name: &str, kind: Kind, key: PublicKey) -> Result<Self, NoteError> {
        if !is_name(name) {
            return Err(NoteError::Key(name.chars().take(80).collect()));
        }
        let id = key_id(name, kind, key.as_bytes());
        Ok(Self { name: name.to_owned(), kind, key, id })
    }

    /// Whose it is.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it signs.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The public key.
    pub fn key(&self) -> &PublicKey {
        &self.key
    }

    /// The number that signatures name it by.
    pub fn id(&self) -> [u8; 4] {
        self.id
    }
}

impl FromStr for Vkey {
    type Err = NoteError;

    fn from_str(text: &str) -> Result<Self, NoteError> {
        let wrong = || NoteError::Key(text.chars().take(200).collect());
        let (name, rest) = text.split_once('+').ok_or_else(wrong)?;
        let (id, material) = rest.split_once('+').ok_or_else(wrong)?;
        let material = STANDARD.decode(material).map_err(|_| wrong())?;
        let (kind, key) = material.split_first().ok_or_else(wrong)?;
        let kind =
            [Kind::Log, Kind::Witness].into_iter().find(|one| one.byte() == *kind).ok_or_else(wrong)?;
        let key: [u8; 32] = key.try_into().map_err(|_| wrong())?;
        let found = Self::new(name, kind, PublicKey::from_bytes(&key).map_err(|_| wrong())?)?;
        if hex(&found.id) == id { Ok(found) } else { Err(wrong()) }
    }
}

impl fmt::Display for Vkey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut material = vec![self.kind.byte()];
        material.extend_from_slice(self.key.as_bytes());
        write!(formatter, "{}+{}+{}", self.name, hex(&self.id), STANDARD.encode(material))
    }
}

/// One line of signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    name: String,
    id: [u8; 4],
    bytes: Vec<u8>,
    text: String,
}

/// A text with signatures. Of the right shape; not yet verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    text: String,
    lines: Vec<Line>,
}

impl Note {
    /// Reads a note of at most [`NOTE_LIMIT`] bytes.
    ///
    /// # Errors
    /// [`NoteError::Form`].
    pub fn parse(bytes: &[u8]) -> Result<Self, NoteError> {
        if bytes.len() > NOTE_LIMIT {
            return Err(NoteError::Form("it is too large"));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| NoteError::Form("it is not UTF-8"))?;
        if text.bytes().any(|byte| byte < 0x20 && byte != b'\n') {
            return Err(NoteError::Form("it has control characters"));
        }
        let end = text.rfind("\n\n").ok_or(NoteError::Form("it has no signatures"))?;
        let (body, rest) = text.split_at(end + 1);
        let lines = read_lines(rest.strip_prefix('\n').unwrap_or(rest))?;
        if lines.is_empty() {
            return Err(NoteError::Form("it has no signatures"));
        }
        Ok(Self { text: body.to_owned(), lines })
    }

    /// The text that is signed, with its last newline.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Adds lines of signatures, those that are there already once.
    ///
    /// # Errors
    /// [`NoteError::Form`].
    pub fn add(&mut self, lines: &str) -> Result<(), NoteError> {
        for line in read_lines(lines)? {
            if !self.lines.contains(&line) && self.lines.len() < SIGNATURES {
                self.lines.push(line);
            }
        }
        Ok(())
    }

    /// Leaves only the signatures of these keys.
    pub fn retain(&mut self, keys: &[&Vkey]) {
        self.lines.retain(|line| keys.iter().any(|key| line.name == key.name && line.id == key.id));
    }

    /// How many signatures there are.
    pub fn signatures(&self) -> usize {
        self.lines.len()
    }

    /// Whether a key signed: the time in seconds since 1970 where it is a witness's, 0 where it is a log's.
    ///
    /// # Errors
    /// [`NoteError::Forged`] where a signature names this key and is not its.
    pub fn signed_by(&self, key: &Vkey) -> Result<Option<u64>, NoteError> {
        let mut found = None;
        for line in self.lines.iter().filter(|line| line.name == key.name && line.id == key.id) {
            let time = verified(&self.text, &line.bytes, key);
            found = Some(time.ok_or_else(|| NoteError::Forged(key.name.clone()))?);
        }
        Ok(found)
    }
}

impl fmt::Display for Note {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}", self.text)?;
        self.lines.iter().try_for_each(|line| writeln!(formatter, "{}", line.text))
    }
}

/// What a witness signs.
pub(super) fn cosigned(text: &str, time: u64) -> String {
    format!("cosignature/v1\ntime {time}\n{text}")
}

fn verified(text: &str, signature: &[u8], key: &Vkey) -> Option<u64> {
    match key.kind {
        Kind::Log => key.key.verify_bytes(text.as_bytes(), signature.try_into().ok()?).ok().map(|()| 0),
        Kind::Witness => {
            let (time, signature) = signature.split_first_chunk::<8>()?;
            let time = u64::from_be_bytes(*time);
            if time == 0 || time > i64::MAX as u64 {
                return None;
            }
            let message = cosigned(text, time);
            key.key.verify_bytes(message.as_bytes(), signature.try_into().ok()?).ok().map(|()| time)
        }
    }
}

fn read_lines(text: &str) -> Result<Vec<Line>, NoteError> {
    let wrong = || NoteError::Form("a line of its signatures is none");
    let mut lines = Vec::new();
    for text in text.split_terminator('\n') {
        let rest = text.strip_prefix("\u{2014} ").ok_or_else(wrong)?;
        let (name, encoded) = rest.split_once(' ').ok_or_else(wrong)?;
        let bytes = STANDARD.decode(encoded).map_err(|_| wrong())?;
        let (id, signature) = bytes.split_first_chunk::<4>().ok_or_else(wrong)?;
        if !is_name(name) || signature.is_empty() || lines.len() == SIGNATURES {
            return Err(wrong());
        }
        lines.push(Line { name: name.to_owned(), id: *id, bytes: signature.to_vec(), text: text.to_owned() });
    }
    if text.is_empty() || text.ends_with('\n') { Ok(lines) } else { Err(wrong()) }
}

/// Whether a text can name a key.
pub fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 300
        && !text.contains('+')
        && !text.chars().any(|c| c.is_whitespace() || c.is_control())
}

fn key_id(name: &str, kind: Kind, key: &[u8; 32]) -> [u8; 4] {
    let digest: [u8; 32] =
        Sha256::new_with_prefix(name).chain_update([b'\n', kind.byte()]).chain_update(key).finalize().into();
    let [a, b, c, d, ..] = digest;
    [a, b, c, d]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOTE: &str = "This is an example message.\n\n\u{2014} example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n";
    const KEY: &str = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k";

    /// The example of the specification, and the one of the first implementation.
    #[test]
    fn published_vectors() {
        let key: Vkey = KEY.parse().unwrap();
        let note = Note::parse(NOTE.as_bytes()).unwrap();
        assert_eq!(note.signed_by(&key), Ok(Some(0)));
        assert_eq!((key.to_string().as_str(), note.to_string().as_str()), (KEY, NOTE));
        let key: Vkey = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW".parse().unwrap();
        let text = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n\u{2014} PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";
        assert_eq!(Note::parse(text.as_bytes()).unwrap().signed_by(&key), Ok(Some(0)));
        assert_eq!(note.signed_by(&key), Ok(None));
    }

    #[test]
    fn what_is_changed_is_forged() {
        let key: Vkey = KEY.parse().unwrap();
        let changed = NOTE.replacen("example m", "Example m", 1);
        assert!(matches!(
            Note::parse(changed.as_bytes()).unwrap().signed_by(&key),
            Err(NoteError::Forged(_))
        ));
        // A good signature does not make up for a bad one that says it is the same key's.
        let both = format!("{NOTE}\u{2014} example.com/foo Uw2QOgAA\n");
        assert!(matches!(Note::parse(both.as_bytes()).unwrap().signed_by(&key), Err(NoteError::Forged(_))));
        for wrong in [
            "",
            "text\n",
            "text\n\n",
            "text\n\n- a b\n",
            "text\n\n\u{2014} a AAAAAAA=",
            "a\tb\n\n\u{2014} a AAAAAAA=\n",
            "text\n\n\u{2014} a+b AAAAAAA=\n",
            "text\n\n\u{2014} a AAAA\n",
            "text\n\n\u{2014} a AAAAAAA\n",
        ] {
            assert!(Note::parse(wrong.as_bytes()).is_err(), "{wrong:?}");
        }
        for wrong in [
            "",
            "a",
            "a+b+c",
            &KEY.replace("530d903a", "530d903b"),
            &KEY.replace("530d903a", "530D903A"),
            &format!("{KEY}="),
            &KEY.replace("example.com", "example com"),
            &KEY.replace("+AekyeR", "+BekyeR"),
        ] {
            assert!(wrong.parse::<Vkey>().is_err(), "{wrong:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200), at in 0usize..120, byte in any::<u8>()) {
            let _ = Note::parse(&bytes);
            let mut near = NOTE.as_bytes().to_vec();
            near[at] = byte;
            let key: Vkey = KEY.parse().unwrap();
            if let Ok(note) = Note::parse(&near) {
                prop_assert_eq!(note.signed_by(&key) == Ok(Some(0)), near == NOTE.as_bytes());
            }
        }
    }
}
