//! What a recovery point says: a head in one line, then one line for each thing that was set aside.
//!
//! Owns the form of the file and nothing of the disk. The head alone tells what a list shows, so that a list never reads
//! what a point of ten thousand files holds.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The only version of the form that there is.
pub const VERSION: u32 = 1;

/// A file's name, byte for byte: text where it is valid text, else `{"bytes": BASE64}`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(pub PathBuf);

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written<'a> {
    Text(std::borrow::Cow<'a, str>),
    Bytes { bytes: String },
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.to_str() {
            Some(text) => Written::Text(text.into()).serialize(serializer),
            None => {
                Written::Bytes { bytes: STANDARD.encode(self.0.as_os_str().as_bytes()) }.serialize(serializer)
            }
        }
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(match Written::deserialize(deserializer)? {
            Written::Text(text) => PathBuf::from(text.into_owned()),
            Written::Bytes { bytes } => {
                let bytes = STANDARD.decode(bytes).map_err(serde::de::Error::custom)?;
                PathBuf::from(OsString::from_vec(bytes))
            }
        }))
    }
}

impl From<&Path> for Name {
    fn from(path: &Path) -> Self {
        Self(path.to_owned())
    }
}

/// Why a point was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Made {
    /// Before a command whose loss was known.
    ForLoss,
    /// Before a command that loses nothing for good, so that going back is no work.
    ForEase,
    /// Before a program that could not be read: what is not committed.
    ForUnread,
    /// While a command ran, of what it was about to destroy.
    WhileRunning,
    /// Before an undo, of what that undo replaces. The id is the point that was undone.
    ForUndo(String),
    /// Because somebody asked for it.
    Asked,
}

/// The first line of a point's file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Head {
    /// [`VERSION`].
    pub version: u32,
    /// Its id: eight characters from 0-9 and a-f.
    pub id: String,
    /// When, in milliseconds since the epoch.
    pub time: i64,
    /// Why.
    pub made: Made,
    /// The command or call, secrets masked.
    pub command: String,
    /// Where it ran.
    pub cwd: Name,
    /// Who ran it, for example `human/ada` or `agent/claude-code`.
    pub who: String,
    /// The terminal or the agent's session that it belongs to, where one can be told.
    pub session: Option<String>,
    /// What was set aside, in words: "notes.md (6 bytes)".
    pub what: String,
    /// Number of files.
    pub files: u64,
    /// Bytes of content that stand in it.
    pub bytes: u64,
    /// Of those, the bytes that were copied; the others were there anyway, under a name that goes.
    pub copied: u64,
    /// Folders with content: one for each file system that something was kept on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<Name>,
    /// Commits that the command itself makes, at most: what is committed beyond them is work that went on.
    #[serde(default, skip_serializing_if = "is_none")]
    pub commits: u64,
    /// What the command may destroy and is not in it, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<String>,
    /// Something went while the command ran that could not be set aside. Told by what is read, and never written.
    #[serde(skip)]
    pub missing: bool,
}

fn is_none(commits: &u64) -> bool {
    *commits == 0
}

impl Head {
    /// With what was set aside later, while the command ran.
    pub(super) fn take(&mut self, later: &Self) {
        self.files += later.files;
        self.bytes = self.bytes.saturating_add(later.bytes);
        self.copied = self.copied.saturating_add(later.copied);
        self.folders.extend(later.folders.iter().cloned());
        // Of what was left out beforehand the watch has set aside what was really about to go.
        if self.made == Made::ForUnread {
            self.without.clear();
        }
        self.without.extend(later.without.iter().cloned());
        self.missing = !later.without.is_empty();
        self.what = format!("{}, and {} while it ran", self.what, later.what);
    }

    /// Whether something that the command destroyed is known not to be in it. What was left out beforehand may all be there
    /// still.
    pub fn lacks_some(&self) -> bool {
        self.missing || self.made == Made::WhileRunning && !self.without.is_empty()
    }

    /// Whether whoever ran it wants to hear of it: what was kept before a program that nobody can read is kept in silence.
    pub fn is_worth_a_word(&self) -> bool {
        !matches!(self.made, Made::ForUnread | Made::ForEase)
    }
}

/// What stood at a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Item {
    /// The path, absolute, links of its parents resolved.
    pub path: Name,
    /// What stood there.
    pub was: Was,
    /// Permission bits.
    #[serde(default)]
    pub mode: u32,
    /// Owner and group.
    #[serde(default)]
    pub owner: (u32, u32),
    /// Last change: seconds and nanoseconds since the epoch.
    #[serde(default)]
    pub modified: (i64, u32),
    /// Extended attributes, name and value (base64), sorted by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<(String, String)>,
    /// Of a directory: what tells the names that stood in it from others. Its time comes back only with those.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<String>,
    /// Of a file whose content was copied: its number, and when anything of it changed last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<(u64, i64, u32)>,
    /// Kept before what nobody could read alone, in a point that also holds a loss that was known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub beside: bool,
}

impl Item {
    /// That nothing stands at a path.
    pub fn absent(path: &Path) -> Self {
        Self {
            path: path.into(),
            was: Was::Absent,
            mode: 0,
            owner: (0, 0),
            modified: (0, 0),
            attributes: Vec::new(),
            names: None,
            seen: None,
            beside: false,
        }
    }

    /// The same where so many folders come before its own.
    pub(super) fn behind(mut self, folders: u8) -> Self {
        if let Was::File { content, twin, .. } = &mut self.was {
            let folder = match content {
                Content::Here(_) => None,
                Content::Stored(folder, _) | Content::Linked(folder, _) | Content::Packed(folder, ..) => {
                    Some(folder)
                }
            };
            for folder in folder.into_iter().chain(twin.as_mut().map(|(folder, _)| folder)) {
                *folder = folder.saturating_add(folders);
            }
        }
        self
    }

    /// Bytes of its content.
    pub fn size(&self) -> u64 {
        if let Was::File { size, .. } = self.was { size } else { 0 }
    }

    /// The group of names of one file that it belongs to.
    pub fn group(&self) -> Option<u32> {
        match &self.was {
            Was::File { group, .. } => *group,
            _ => None,
        }
    }
}

/// What stood at a path, by kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Was {
    /// Nothing; undo takes away what stands there.
    Absent,
    /// A directory.
    Directory,
    /// A directory in which something else was set aside: only its time comes back.
    Around,
    /// A symbolic link to this.
    Link(Name),
    /// A named pipe.
    Pipe,
    /// A device's node. What the device holds was not set aside.
    Device {
        /// It is one of blocks; otherwise one of characters.
        blocks: bool,
        /// Its number, as the kernel has it.
        number: u64,
    },
    /// A regular file.
    #[serde(rename_all = "camelCase")]
    File {
        /// Size in bytes.
        size: u64,
        /// Where its content is.
        content: Content,
        /// Files of one group were one file with several names.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        group: Option<u32>,
        /// A further name of the file itself, which others may still write into: one of the head's folders, a number.
        /// It tells whether what stands somewhere now is the same file.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        twin: Option<(u8, u32)>,
    },
    /// Anything, whose content stays: only mode, owner and attributes were set aside.
    Rights,
    /// Anything, whose content stays: mode, owner, attributes and time were set aside.
    RightsAndTime,
    /// What a service holds. The path is no path, but what it is called.
    Service(Box<Held>),
}

/// What a service held, and the commands that fetch it and put it back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Held {
    /// What it is, for people: "crontab of bob".
    pub title: String,
    /// Its kind.
    pub kind: String,
    /// Fetches it.
    pub keep: Vec<String>,
    /// What that says when nothing is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub says: Option<String>,
    /// Takes it away again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remove: Vec<String>,
    /// JSON pointers to what is no part of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<String>,
    /// How lines begin that say nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub noise: Vec<String>,
    /// Runs before what puts it back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// Puts it back, from standard input.
    pub restore: Vec<String>,
    /// The same where something stands there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub over: Vec<String>,
    /// Variables that say which one is meant, as they were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<(String, Option<String>)>,
    /// Where the commands run.
    pub dir: Name,
    /// Bytes of content.
    pub size: u64,
    /// Its content; none: nothing was there.
    pub content: Option<Content>,
}

impl Was {
    /// Only what is said about a thing was set aside, not the thing.
    pub fn is_about(&self) -> bool {
        matches!(self, Self::Rights | Self::RightsAndTime | Self::Around)
    }
}

/// Where a file's content is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Content {
    /// Here (base64).
    Here(String),
    /// Copied into this one of the head's folders, under this number.
    Stored(u8, u32),
    /// The file itself has this further name in one of the head's folders.
    Linked(u8, u32),
    /// In this file of one of the head's folders, from this byte on.
    Packed(u8, u32, u64),
}
