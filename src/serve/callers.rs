//! Who may ask for more than what is published: bearer tokens, what each may do, and for whom it speaks.
//!
//! Owns the form of the file with several of them, and that a token's time tells nothing of another's.

use axum::http::{HeaderMap, header};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::config::is_audience;

/// A token has at least so many characters: shorter ones can be guessed.
const SHORTEST: usize = 20;

/// What a caller may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// `POST /api/evaluate`.
    Evaluate,
    /// Attestations that are not for everybody.
    Read,
    /// `/metrics`.
    Metrics,
}

/// One who has a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// What the access log and the record call it; none for the one token that may do everything.
    pub name: Option<String>,
    /// Whom it speaks for, and no other; none: whom it says.
    pub actor: Option<String>,
    /// The environments that it may speak of; none: any.
    pub environments: Option<Vec<String>>,
    scopes: Vec<Scope>,
    digest: [u8; 32],
}

/// Everybody who has a token.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Callers(Vec<Caller>);

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TokensFile {
    #[serde(default)]
    token: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    token: Option<String>,
    sha256: Option<String>,
    scopes: Vec<Scope>,
    actor: Option<String>,
    environments: Option<Vec<String>>,
}

impl Caller {
    /// Whether it may do this.
    pub(super) fn may(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope)
    }
}

impl Callers {
    /// One token that may do everything, and says for whom it speaks.
    pub fn one(token: &str) -> Self {
        let scopes = vec![Scope::Evaluate, Scope::Read, Scope::Metrics];
        let digest = Sha256::digest(token).into();
        Self(vec![Caller { name: None, actor: None, environments: None, scopes, digest }])
    }

    /// Those of a file in TOML.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let file: TokensFile =
            toml::from_str(text).map_err(|error| error.to_string().trim_end().to_owned())?;
        let mut callers: Vec<Caller> = Vec::new();
        for entry in file.token {
            let shown = crate::text::escape(&entry.name);
            if !is_audience(&entry.name) {
                return Err(format!(
                    "`name` is up to 200 printable ASCII characters without spaces, not {shown:?}"
                ));
            }
            let digest: [u8; 32] = match (&entry.token, &entry.sha256) {
                (Some(token), None) if token.len() >= SHORTEST => Sha256::digest(token).into(),
                (Some(_), None) => {
                    return Err(format!("{shown}: a token has at least {SHORTEST} characters"));
                }
                (None, Some(digest)) => {
                    unhex(digest).ok_or_else(|| format!("{shown}: `sha256` is 64 hexadecimal digits"))?
                }
                _ => return Err(format!("{shown}: either `token` or `sha256` says which it is")),
            };
            if callers.iter().any(|one| one.name.as_ref() == Some(&entry.name) || one.digest == digest) {
                return Err(format!("{shown}: the name or the token stands in it twice"));
            }
            if entry.scopes.is_empty() {
                return Err(format!("{shown}: `scopes` are one or more of evaluate, read and metrics"));
            }
            if entry.actor.as_deref() == Some("") {
                return Err(format!("{shown}: `actor` is empty"));
            }
            let Entry { name, scopes, actor, environments, .. } = entry;
            callers.push(Caller { name: Some(name), actor, environments, scopes, digest });
        }
        Ok(Self(callers))
    }

    /// Adds those of another place.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Nobody.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whose token a request carries.
    pub(super) fn who(&self, headers: &HeaderMap) -> Option<&Caller> {
        // Of two one would count here, and the other for who stands between.
        let mut all = headers.get_all(header::AUTHORIZATION).iter();
        let (given, None) = (all.next()?.as_bytes(), all.next()) else { return None };
        let (scheme, token) = given.split_at_checked(7)?;
        // The scheme's case means nothing (RFC 9110 §11.1).
        if !scheme.eq_ignore_ascii_case(b"bearer ") {
            return None;
        }
        let digest: [u8; 32] = Sha256::digest(token).into();
        // All of them are looked at, each to its end.
        let mut found = None;
        for caller in &self.0 {
            if caller.digest.iter().zip(digest).fold(0, |seen, (a, b)| seen | (a ^ b)) == 0 {
                found = Some(caller);
            }
        }
        found
    }
}

fn unhex(text: &str) -> Option<[u8; 32]> {
    let mut digest = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (place, byte) in digest.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * place..2 * place + 2)?, 16).ok()?;
    }
    Some(digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_who_may_what() {
        let ci = "a-token-of-the-pipeline";
        let text = format!(
            "[[token]]\nname = \"ci\"\ntoken = \"{ci}\"\nscopes = [\"evaluate\"]\nactor = \"ci/main\"\n\
             [[token]]\nname = \"prometheus\"\nsha256 = \"{:064x}\"\nscopes = [\"metrics\"]\n",
            7
        );
        let callers = Callers::parse(&text).unwrap();
        let mut headers = HeaderMap::new();
        assert_eq!(callers.who(&headers), None);
        headers.insert(header::AUTHORIZATION, format!("bEaRer {ci}").parse().unwrap());
        let found = callers.who(&headers).unwrap();
        assert_eq!((found.name.as_deref(), found.actor.as_deref()), (Some("ci"), Some("ci/main")));
        assert!(found.may(Scope::Evaluate) && !found.may(Scope::Read) && !found.may(Scope::Metrics));
        headers.append(header::AUTHORIZATION, "Bearer of-somebody-else".parse().unwrap());
        assert_eq!(callers.who(&headers), None, "two tokens");
        headers.insert(header::AUTHORIZATION, format!("Bearer {ci}x").parse().unwrap());
        assert_eq!(callers.who(&headers), None);
        for wrong in [
            "token = 1",
            "[[token]]\nname = \"x\"\nscopes = [\"evaluate\"]",
            "[[token]]\nname = \"x\"\ntoken = \"short\"\nscopes = [\"evaluate\"]",
            "[[token]]\nname = \"x\"\ntoken = \"a-token-of-the-pipeline\"\nscopes = []",
            "[[token]]\nname = \"x\"\ntoken = \"a-token-of-the-pipeline\"\nscopes = [\"everything\"]",
            "[[token]]\nname = \"x y\"\ntoken = \"a-token-of-the-pipeline\"\nscopes = [\"read\"]",
            "[[token]]\nname = \"x\"\nsha256 = \"12\"\nscopes = [\"read\"]",
            "[[token]]\nname = \"x\"\ntoken = \"a-token-of-the-pipeline\"\nscopes = [\"read\"]\nadmin = true",
        ] {
            assert!(Callers::parse(wrong).is_err(), "{wrong}");
        }
        let one = "[[token]]\nname = \"x\"\ntoken = \"a-token-of-the-pipeline\"\nscopes = [\"read\"]\n";
        assert!(Callers::parse(&format!("{one}{one}")).is_err(), "twice");
    }
}
