//! An organisation's trust bundle: which instances count, with which keys, and what is demanded of attestations at least
//! (docs/trust.md).
//!
//! Owns the document, who has to have signed it, and that it never goes back. Looks at nothing but its arguments.
//!
//! What is signed is a note (as a log's checkpoint is one) that begins with words of its own and names the document by its
//! digest, so that no signature of another kind can be taken for one of a bundle.

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::document::hex;
use super::mode::Mode;
use super::origin::Origin;
use super::signature::PublicKey;
use super::time::{CLOCK_SKEW, Time};
use super::tlog::{Kind, Note, Vkey};
pub use super::validity::Pinned;
use crate::json;

/// A bundle is at most this many bytes: some thirty thousand instances.
pub const BUNDLE_LIMIT: usize = 8 << 20;
/// What it says of itself.
pub const VERSION: &str = "recourse.trust.v1";
/// The first line of what is signed.
const MAGIC: &str = "recourse-trust/v1";
/// The longest that one bundle may be in force.
pub const LONGEST_DAYS: i64 = 400;

/// Why a document is no bundle that counts.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TrustError {
    /// It lacks its shape.
    #[error("it is no trust bundle: {0}")]
    Form(String),
    /// Too few of those who have to have signed it did.
    #[error("{found} of the known keys signed the trust bundle, {wanted} are demanded")]
    Signatures {
        /// How many did.
        found: usize,
        /// How many have to.
        wanted: usize,
    },
    /// A signature names a known key and is not its.
    #[error("a signature of {0} on the trust bundle is not its")]
    Forged(String),
    /// An older one than was accepted before, or another one under the same number.
    #[error("the trust bundle goes back: {0}")]
    Rollback(String),
    /// Its time is over, or has not come.
    #[error("the trust bundle does not hold now: {0}")]
    Time(String),
}

/// What is demanded at least. What is not said is left to each machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Demands {
    /// The mildest mode.
    pub mode: Option<Mode>,
    /// The oldest attestation, in seconds.
    pub max_age: Option<u64>,
    /// The longest that a registry is kept, in seconds.
    pub key_cache_ttl: Option<u64>,
    /// The durable copy is compared.
    pub cross_check: bool,
    /// What no log is shown to hold counts for nothing.
    pub require_log: bool,
    /// Logs that are believed.
    pub log_keys: Vec<Vkey>,
    /// Witnesses that are believed.
    pub witnesses: Vec<Vkey>,
    /// How many of them have to have seen a checkpoint.
    pub witness_quorum: Option<usize>,
}

/// A bundle of the right shape. Not yet verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    /// Whose it is.
    pub organisation: String,
    /// Its number, which grows with every change.
    pub serial: u64,
    /// When it was signed.
    pub issued_at: Time,
    /// When it ends.
    pub expires_at: Time,
    /// The instances that count, and no others.
    pub instances: Vec<Pinned>,
    /// What is demanded of attestations.
    pub demands: Demands,
    text: String,
    lines: Vec<String>,
    document: Value,
}

impl Bundle {
    /// Reads a bundle.
    ///
    /// # Errors
    /// [`TrustError::Form`]: what is not known is refused, because it may be what matters.
    pub fn parse(bytes: &[u8]) -> Result<Self, TrustError> {
        let mut value =
            json::parse(bytes, BUNDLE_LIMIT).map_err(|error| TrustError::Form(error.to_string()))?;
        let signatures = value.as_object_mut().and_then(|all| all.remove("signatures"));
        let lines = match signatures {
            None => Vec::new(),
            Some(Value::Array(lines)) => lines
                .iter()
                .map(|line| line.as_str().map(str::to_owned).ok_or_else(|| form("a signature is no text")))
                .collect::<Result<_, _>>()?,
            Some(_) => return Err(form("`signatures` is no list")),
        };
        Self::from_document(value, lines)
    }

    /// A bundle of this content, without or with lines of signatures.
    ///
    /// # Errors
    /// As [`Bundle::parse`].
    pub fn from_document(document: Value, lines: Vec<String>) -> Result<Self, TrustError> {
        let fields = Fields::of(
            &document,
            "",
            &["version", "organisation", "serial", "issued_at", "expires_at", "instances", "policy"],
        )?;
        if fields.text("version")? != VERSION {
            return Err(form("its version is another"));
        }
        let organisation = fields.text("organisation")?.to_owned();
        if organisation.is_empty() || organisation.len() > 200 || organisation.chars().any(char::is_control) {
            return Err(form("`organisation` is no name"));
        }
        let time = |name: &str| {
            fields.text(name)?.parse::<Time>().map_err(|error| form(&format!("`{name}`: {error}")))
        };
        let (issued_at, expires_at) = (time("issued_at")?, time("expires_at")?);
        if expires_at <= issued_at || expires_at.since(issued_at) > LONGEST_DAYS * 86_400_000 {
            return Err(form("`expires_at` is at most 400 days after `issued_at`"));
        }
        let serial = fields.number("serial")?.ok_or_else(|| form("`serial` is missing"))?;
        let instances = fields.list("instances")?.iter().map(pinned).collect::<Result<Vec<_>, _>>()?;
        for (at, one) in instances.iter().enumerate() {
            if instances.iter().skip(at + 1).any(|other| other.origin == one.origin) {
                return Err(form(&format!("{} stands in it twice", one.origin)));
            }
        }
        let demands = document.get("policy").map(demands).transpose()?.unwrap_or_default();
        let canonical = json::canonical(&document).map_err(|error| form(&error.to_string()))?;
        let digest = hex(&Sha256::digest(canonical));
        let text = format!("{MAGIC}\n{organisation}\n{serial}\nsha256:{digest}\n");
        Ok(Self { organisation, serial, issued_at, expires_at, instances, demands, text, lines, document })
    }

    /// What has to be signed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Adds lines of signatures.
    ///
    /// # Errors
    /// When they are none.
    pub fn add(&mut self, lines: &str) -> Result<(), TrustError> {
        for line in lines.lines() {
            if !self.lines.iter().any(|known| known == line) {
                self.lines.push(line.to_owned());
            }
        }
        self.note().map(|_| ())
    }

    /// The document with its signatures.
    pub fn to_value(&self) -> Value {
        let mut value = self.document.clone();
        if let Some(all) = value.as_object_mut() {
            all.insert("signatures".to_owned(), self.lines.iter().cloned().map(Value::String).collect());
        }
        value
    }

    /// Whether enough of these keys signed it.
    ///
    /// # Errors
    /// [`TrustError::Signatures`], [`TrustError::Forged`].
    pub fn signed_by(&self, keys: &[Vkey], threshold: usize) -> Result<(), TrustError> {
        let wanted = threshold.max(1);
        if self.lines.is_empty() {
            return Err(TrustError::Signatures { found: 0, wanted });
        }
        let note = self.note()?;
        // One key is one signer, under however many names it is listed.
        let mut signers: Vec<&Vkey> = Vec::new();
        for key in keys.iter().filter(|key| key.kind() == Kind::Log) {
            let signed = note.signed_by(key).map_err(|_| TrustError::Forged(key.name().to_owned()))?;
            if signed.is_some() && !signers.iter().any(|one| one.key() == key.key()) {
                signers.push(key);
            }
        }
        if signers.len() < wanted {
            Err(TrustError::Signatures { found: signers.len(), wanted })
        } else {
            Ok(())
        }
    }

    /// Whether it may follow the one that was accepted last.
    ///
    /// # Errors
    /// [`TrustError::Rollback`].
    pub fn follows(&self, kept: &Self) -> Result<(), TrustError> {
        let back = |why: String| Err(TrustError::Rollback(why));
        if self.organisation != kept.organisation {
            return back(format!(
                "it is {:?}'s, {:?}'s was accepted before",
                self.organisation, kept.organisation
            ));
        }
        if self.serial < kept.serial {
            return back(format!("its number is {}, {} was accepted before", self.serial, kept.serial));
        }
        if self.serial == kept.serial && self.text != kept.text {
            return back(format!("number {} was accepted before with another content", kept.serial));
        }
        Ok(())
    }

    /// Whether it holds at a time.
    ///
    /// # Errors
    /// [`TrustError::Time`].
    pub fn holds(&self, now: Time) -> Result<(), TrustError> {
        if self.issued_at.since(now) > CLOCK_SKEW {
            return Err(TrustError::Time(format!("it was signed at {}, it is {now}", self.issued_at)));
        }
        if now > self.expires_at {
            return Err(TrustError::Time(format!("it ended at {}, it is {now}", self.expires_at)));
        }
        Ok(())
    }

    fn note(&self) -> Result<Note, TrustError> {
        let lines: String = self.lines.iter().map(|line| format!("{line}\n")).collect();
        Note::parse(format!("{}\n{lines}", self.text).as_bytes()).map_err(|error| form(&error.to_string()))
    }
}

fn form(why: &str) -> TrustError {
    TrustError::Form(why.to_owned())
}

/// The members of an object, all of which are known.
struct Fields<'a>(&'a Map<String, Value>);

impl<'a> Fields<'a> {
    fn of(value: &'a Value, of: &str, known: &[&str]) -> Result<Self, TrustError> {
        let fields = value.as_object().ok_or_else(|| form(&format!("{of} is no object")))?;
        match fields.keys().find(|name| !known.contains(&name.as_str())) {
            Some(name) => Err(form(&format!("`{name}` is not known{of}"))),
            None => Ok(Self(fields)),
        }
    }

    fn text(&self, name: &str) -> Result<&'a str, TrustError> {
        self.0.get(name).and_then(Value::as_str).ok_or_else(|| form(&format!("`{name}` is no text")))
    }

    fn list(&self, name: &str) -> Result<&'a [Value], TrustError> {
        match self.0.get(name) {
            None => Ok(&[]),
            Some(Value::Array(items)) => Ok(items),
            Some(_) => Err(form(&format!("`{name}` is no list"))),
        }
    }

    fn number(&self, name: &str) -> Result<Option<u64>, TrustError> {
        let Some(value) = self.0.get(name) else { return Ok(None) };
        // Strict parsing makes every number a double.
        let whole = value.as_f64().filter(|n| *n >= 0.0 && n.fract() == 0.0 && *n < 9e15);
        whole.map(|n| Some(n as u64)).ok_or_else(|| form(&format!("`{name}` is no whole number")))
    }

    fn flag(&self, name: &str) -> Result<bool, TrustError> {
        match self.0.get(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(form(&format!("`{name}` is neither true nor false"))),
        }
    }
}

fn pinned(value: &Value) -> Result<Pinned, TrustError> {
    let fields = Fields::of(value, " of an instance", &["base_url", "public_keys"])?;
    let origin = Origin::base(fields.text("base_url")?).map_err(|error| form(&error.to_string()))?;
    let mut keys = Vec::new();
    for key in fields.list("public_keys")? {
        let key = key.as_str().ok_or_else(|| form("a public key is no text"))?;
        PublicKey::from_base64url(key).map_err(|error| form(&format!("a key of {origin}: {error}")))?;
        keys.push(key.to_owned());
    }
    Ok(Pinned { origin, keys })
}

fn demands(value: &Value) -> Result<Demands, TrustError> {
    let known = [
        "mode",
        "max_age",
        "key_cache_ttl",
        "cross_check",
        "require_log",
        "log_keys",
        "witnesses",
        "witness_quorum",
    ];
    let fields = Fields::of(value, " of the policy", &known)?;
    let mode = match fields.0.get("mode") {
        None => None,
        Some(_) => match fields.text("mode")?.parse().map_err(|_| form("`mode` is no mode"))? {
            Mode::Ignore => {
                return Err(form("`mode` is \"log\", \"verify\" or \"require\": a bundle only demands"));
            }
            mode => Some(mode),
        },
    };
    let keys = |name: &str| {
        let read = |key: &Value| {
            let key = key.as_str().and_then(|text| text.parse::<Vkey>().ok());
            key.ok_or_else(|| form(&format!("a key of `{name}` is none")))
        };
        fields.list(name)?.iter().map(read).collect::<Result<Vec<_>, _>>()
    };
    let quorum = fields.number("witness_quorum")?.map(|n| usize::try_from(n).unwrap_or(usize::MAX));
    let found = Demands {
        mode,
        max_age: fields.number("max_age")?,
        key_cache_ttl: fields.number("key_cache_ttl")?,
        cross_check: fields.flag("cross_check")?,
        require_log: fields.flag("require_log")?,
        log_keys: keys("log_keys")?,
        witnesses: keys("witnesses")?,
        witness_quorum: quorum,
    };
    if found.require_log && found.log_keys.is_empty() {
        return Err(form("`require_log` without `log_keys`: nobody says which logs are believed"));
    }
    if quorum.is_some_and(|quorum| quorum > found.witnesses.len()) {
        return Err(form("`witness_quorum` demands more witnesses than there are"));
    }
    Ok(found)
}

#[cfg(test)]
#[path = "trust_tests.rs"]
mod tests;
