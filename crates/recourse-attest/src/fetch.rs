//! Documents over HTTP, from addresses that untrusted input may name.
//!
//! Owns what is never fetched: anything but https (http on this machine alone), redirects, large or slow answers, and
//! addresses that belong to a machine's own surroundings, such as a cloud's metadata service. What is checked is the
//! address that is connected to, not the name. No proxy, no credentials, no cookies.

use std::fmt;
use std::io::{self, Read};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};

use super::cache::{Fetch, FetchError};
use super::origin::Origin;

/// Connecting, sending and receiving together take at most this long, unless configured.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(5);

/// Gets documents over HTTP.
#[derive(Clone)]
pub struct HttpFetch {
    agent: ureq::Agent,
}

impl HttpFetch {
    /// With the usual timeout.
    pub fn new() -> Self {
        Self::with_timeout(DEFAULT_TIMEOUT)
    }

    /// With another timeout for everything together.
    pub fn with_timeout(timeout: Duration) -> Self {
        let config = ureq::Agent::config_builder()
            .timeout_global(Some(timeout))
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .proxy(None)
            .max_idle_connections(0)
            .max_response_header_size(16 << 10)
            .user_agent(concat!("recourse/", env!("CARGO_PKG_VERSION")))
            .accept("application/json")
            .build();
        let resolver = Guarded(DefaultResolver::default());
        Self { agent: ureq::Agent::with_parts(config, DefaultConnector::default(), resolver) }
    }
}

impl HttpFetch {
    /// Sends a text of this type to a URL that an operator named, with the bearer token for it alone. Its status and at most
    /// `limit` bytes of its answer.
    ///
    /// # Errors
    /// When there is no answer, or it is larger.
    pub fn post(
        &self,
        url: &str,
        body: &str,
        content: &str,
        token: Option<&str>,
        limit: usize,
    ) -> Result<(u16, Vec<u8>), FetchError> {
        let failed = |why: String, transient| FetchError::of(url, why, transient);
        let origin = Origin::of(url).map_err(|error| failed(error.why.to_owned(), false))?;
        if !origin.is_secure() && !origin.is_loopback() {
            return Err(failed("only https is asked, and http on this machine".to_owned(), false));
        }
        let mut call = self.agent.post(url).header("content-type", content);
        if let Some(token) = token {
            call = call.header("authorization", format!("Bearer {token}"));
        }
        let answer = call.send(body).map_err(|error| failed(error.to_string(), !is_refusal(&error)))?;
        let status = answer.status().as_u16();
        let bytes = read(answer, limit).map_err(|(why, transient)| failed(why, transient))?;
        Ok((status, bytes))
    }
}

/// An answer's body.
fn read(answer: ureq::http::Response<ureq::Body>, limit: usize) -> Result<Vec<u8>, (String, bool)> {
    let mut bytes = Vec::new();
    let body = answer.into_body().into_reader();
    body.take(limit as u64 + 1).read_to_end(&mut bytes).map_err(|error| (error.to_string(), true))?;
    if bytes.len() > limit {
        return Err((format!("it is larger than {limit} bytes"), false));
    }
    Ok(bytes)
}

impl Default for HttpFetch {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for HttpFetch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("HttpFetch")
    }
}

impl Fetch for HttpFetch {
    fn get(&self, url: &str, limit: usize) -> Result<Vec<u8>, FetchError> {
        let failed = |why: String, transient| FetchError::of(url, why, transient);
        let origin = Origin::of(url).map_err(|error| failed(error.why.to_owned(), false))?;
        if !origin.is_secure() && !origin.is_loopback() {
            return Err(failed("only https is fetched, and http from this machine".to_owned(), false));
        }
        let answer = self.agent.get(url).call().map_err(|error| {
            // Nobody answered; a name that is not found now may be later.
            let transient = matches!(
                error,
                ureq::Error::Io(_)
                    | ureq::Error::Timeout(_)
                    | ureq::Error::ConnectionFailed
                    | ureq::Error::HostNotFound
            ) && !is_refusal(&error);
            failed(error.to_string(), transient)
        })?;
        let status = answer.status().as_u16();
        match status {
            200 => {}
            300..=399 => {
                return Err(failed(format!("it answers {status}, redirects are not followed"), false));
            }
            _ => return Err(failed(format!("it answers {status}"), status >= 500 || status == 429)),
        }
        read(answer, limit).map_err(|(why, transient)| failed(why, transient))
    }
}

/// Resolves names, and refuses addresses that must not be asked.
#[derive(Debug)]
struct Guarded(DefaultResolver);

impl Resolver for Guarded {
    fn resolve(
        &self,
        uri: &Uri,
        config: &ureq::config::Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let addresses = self.0.resolve(uri, config, timeout)?;
        let plain = uri.scheme_str() != Some("https");
        for address in &addresses[..] {
            let ip = address.ip().to_canonical();
            if is_forbidden(ip) || (plain && !ip.is_loopback()) {
                return Err(ureq::Error::Io(io::Error::new(
                    io::ErrorKind::PermissionDenied,
                    format!("the address {ip} must not be asked"),
                )));
            }
        }
        Ok(addresses)
    }
}

fn is_refusal(error: &ureq::Error) -> bool {
    matches!(error, ureq::Error::Io(inner) if inner.kind() == io::ErrorKind::PermissionDenied)
}

/// Addresses of a machine's own surroundings: link-local (with the metadata services of most clouds), the other metadata
/// services, and what is no single machine.
fn is_forbidden(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(ip) => is_forbidden_v4(ip),
        IpAddr::V6(ip) => {
            let parts = ip.segments();
            let embedded = Ipv4Addr::from((u32::from(parts[6]) << 16) | u32::from(parts[7]));
            // NAT64 (64:ff9b::/96) and 6to4 (2002::/16) carry IPv4 addresses, as do the old IPv4-compatible ones.
            let translated = parts[..6] == [0x64, 0xff9b, 0, 0, 0, 0] && is_forbidden_v4(embedded);
            let compatible = parts[..6] == [0; 6] && !ip.is_loopback();
            let tunnelled = parts[0] == 0x2002
                && is_forbidden_v4(Ipv4Addr::from((u32::from(parts[1]) << 16) | u32::from(parts[2])));
            let metadata = [
                Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254),
                Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254),
            ];
            ip.is_unspecified()
                || ip.is_multicast()
                || parts[0] & 0xffc0 == 0xfe80
                || metadata.contains(&ip)
                || translated
                || compatible
                || tunnelled
        }
    }
}

fn is_forbidden_v4(ip: Ipv4Addr) -> bool {
    let metadata =
        [Ipv4Addr::new(100, 100, 100, 200), Ipv4Addr::new(192, 0, 0, 192), Ipv4Addr::new(168, 63, 129, 16)];
    ip.octets()[0] == 0
        || ip.is_link_local()
        || ip.is_multicast()
        || ip.is_broadcast()
        || metadata.contains(&ip)
}

#[cfg(test)]
#[path = "fetch_tests.rs"]
mod tests;
