//! Scheme, host and port of an http(s) URL: what trust is given to.
//!
//! Owns the reading of URLs in attestations and trust lists. What URL readers disagree about (user names, backslashes,
//! white space, letters beyond ASCII) is refused, not interpreted. Looks at nothing but its arguments.

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

use thiserror::Error;

/// The origin of an instance, in one spelling: lower case, no default port, no path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    secure: bool,
    host: String,
    port: Option<u16>,
}

/// Text that is no URL of an instance.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{url:?} is no URL of an instance: {why}")]
pub struct OriginError {
    /// The text, cut to 200 characters.
    pub url: String,
    /// What is wrong with it.
    pub why: &'static str,
}

impl Origin {
    /// Reads the origin of any http(s) URL.
    ///
    /// # Errors
    ///
    /// Another scheme, no host, a user name, a port that is none, white space, a backslash, anything beyond ASCII.
    pub fn of(url: &str) -> Result<Self, OriginError> {
        split(url).map(|(origin, _)| origin)
    }

    /// Reads a base URL, as trust lists hold them: an origin, at most with a `/` behind it.
    ///
    /// # Errors
    ///
    /// As [`Origin::of`], and where there is a path, query or fragment: trust is given to whole instances.
    pub fn base(url: &str) -> Result<Self, OriginError> {
        match split(url)? {
            (origin, "" | "/") => Ok(origin),
            _ => Err(wrong(url, "only a scheme, host and port are wanted, without a path")),
        }
    }

    /// Whether its scheme is https.
    pub fn is_secure(&self) -> bool {
        self.secure
    }

    /// The host, lower case; IPv6 without brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port, the scheme's own where none is given.
    pub fn port(&self) -> u16 {
        self.port.unwrap_or(if self.secure { 443 } else { 80 })
    }

    /// Whether the host names this machine by a loopback address or `localhost`.
    pub fn is_loopback(&self) -> bool {
        self.host == "localhost"
            || self.host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
            || self.host.parse::<Ipv6Addr>().is_ok_and(|address| address.is_loopback())
    }

    /// Where this instance publishes its keys.
    pub fn registry_url(&self) -> String {
        format!("{self}/.well-known/recourse-keys.json")
    }

    /// Where this instance publishes the attestation with this id.
    pub fn attestation_url(&self, id: &str) -> String {
        format!("{self}{}", attestation_path(id))
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.secure { "https://" } else { "http://" })?;
        if self.host.contains(':') {
            write!(formatter, "[{}]", self.host)?;
        } else {
            formatter.write_str(&self.host)?;
        }
        match self.port {
            Some(port) => write!(formatter, ":{port}"),
            None => Ok(()),
        }
    }
}

/// The path of the attestation with this id on every instance.
pub fn attestation_path(id: &str) -> String {
    format!("/.well-known/attestations/{id}.json")
}

/// An http(s) URL as its origin and what follows (path, query, fragment).
///
/// # Errors
///
/// As [`Origin::of`].
pub fn split(url: &str) -> Result<(Origin, &str), OriginError> {
    if !url.bytes().all(|byte| (0x21..=0x7e).contains(&byte) && byte != b'\\') {
        return Err(wrong(
            url,
            "it holds white space, a backslash, a control character or a letter beyond ASCII",
        ));
    }
    let (scheme, rest) = url.split_once("://").ok_or_else(|| wrong(url, "it has no scheme and host"))?;
    let secure = match scheme.to_ascii_lowercase().as_str() {
        "https" => true,
        "http" => false,
        _ => return Err(wrong(url, "only https and http are known")),
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(end);
    if authority.contains('@') {
        return Err(wrong(url, "a user name is not allowed"));
    }
    let (host, port) = match authority.strip_prefix('[') {
        Some(inner) => {
            let (host, after) =
                inner.split_once(']').ok_or_else(|| wrong(url, "its bracket is not closed"))?;
            let address: Ipv6Addr = host.parse().map_err(|_| wrong(url, "its IPv6 address is none"))?;
            let port = match after {
                "" => None,
                _ => Some(
                    after.strip_prefix(':').ok_or_else(|| wrong(url, "its host is followed by something"))?,
                ),
            };
            (address.to_string(), port)
        }
        None => {
            let (host, port) = match authority.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (authority, None),
            };
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
            if host.is_empty() || host.len() > 253 || !host.bytes().all(plain) {
                return Err(wrong(url, "its host is no name or address"));
            }
            (host.to_ascii_lowercase(), port)
        }
    };
    let port = match port {
        None => None,
        Some(digits) if digits.len() <= 5 && digits.bytes().all(|byte| byte.is_ascii_digit()) => Some(
            digits
                .parse::<u16>()
                .ok()
                .filter(|port| *port > 0)
                .ok_or_else(|| wrong(url, "its port is none"))?,
        ),
        Some(_) => return Err(wrong(url, "its port is none")),
    };
    let port = port.filter(|port| *port != if secure { 443 } else { 80 });
    Ok((Origin { secure, host, port }, rest))
}

fn wrong(url: &str, why: &'static str) -> OriginError {
    OriginError { url: url.chars().take(200).collect(), why }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_spelling() {
        for (url, origin) in [
            ("https://recourse.example", "https://recourse.example"),
            ("HTTPS://Recourse.Example:443/x?y#z", "https://recourse.example"),
            ("http://127.0.0.1:3001/", "http://127.0.0.1:3001"),
            ("http://localhost:80", "http://localhost"),
            ("https://[::1]:8443/a", "https://[::1]:8443"),
            ("https://[0:0:0:0:0:0:0:1]", "https://[::1]"),
            ("https://evil.test#@recourse.example/", "https://evil.test"),
            ("https://evil.test?.recourse.example/", "https://evil.test"),
        ] {
            assert_eq!(Origin::of(url).unwrap().to_string(), origin, "{url}");
        }
        let origin = Origin::of("https://recourse.example:8443/a").unwrap();
        assert_eq!((origin.host(), origin.port(), origin.is_secure()), ("recourse.example", 8443, true));
        assert_eq!(origin.registry_url(), "https://recourse.example:8443/.well-known/recourse-keys.json");
        assert_eq!(
            origin.attestation_url("ab"),
            "https://recourse.example:8443/.well-known/attestations/ab.json"
        );
    }

    #[test]
    fn what_readers_disagree_about_is_refused() {
        for url in [
            "",
            "recourse.example",
            "//recourse.example",
            "/.well-known/x",
            "file:///etc/passwd",
            "data:application/json,{}",
            "https://",
            "https:///x",
            "https://a@b",
            "https://a:443@b",
            "https://evil.test\\@recourse.example",
            "https://rec\u{43e}urse.example",
            "https://recourse.ex\tample",
            "https://recourse.example /",
            "https://a:",
            "https://a:0",
            "https://a:65536",
            "https://a:+80",
            "https://a:80:80",
            "https://[::1",
            "https://[::1]x",
            "https://[fe80::1%25eth0]",
            "https://a%2eb",
            "https://a_b",
        ] {
            assert!(Origin::of(url).is_err(), "{url}");
        }
        assert!(Origin::base("https://a/").is_ok());
        assert!(Origin::base("https://a/b").is_err());
        assert!(Origin::base("https://a?b").is_err());
    }

    #[test]
    fn loopback() {
        for (url, expected) in [
            ("http://localhost:1", true),
            ("http://127.8.9.1", true),
            ("http://[::1]:1", true),
            ("http://localhost.evil.test", false),
            ("http://127.1", false),
            ("http://10.0.0.1", false),
        ] {
            assert_eq!(Origin::of(url).unwrap().is_loopback(), expected, "{url}");
        }
    }
}
