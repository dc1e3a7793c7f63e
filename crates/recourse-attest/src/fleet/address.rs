//! Where a store of many machines is: `s3://bucket/prefix`, `gs://…`, `az://…`, `file:///folder` (docs/fleet.md).
//!
//! Owns the reading of that one setting. Everything that decides *which* store is asked stands in it; the environment
//! only has credentials, so that nobody's variable can put another store in its place.

use std::fmt;

use thiserror::Error;

use super::super::origin::Origin;

/// The kind of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Amazon S3, or what speaks as it does.
    S3,
    /// Google Cloud Storage.
    Gcs,
    /// Azure Blob Storage.
    Azure,
    /// A folder that the machines share.
    File,
}

/// A store's address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    text: String,
    /// Of what kind it is.
    pub kind: Kind,
    /// Bucket or container; empty for a folder.
    pub bucket: String,
    /// What every name in it begins with, without slashes at the ends; for a folder its absolute path.
    pub prefix: String,
    /// `endpoint=`: another server that speaks S3, https, or http on this machine; for Google's and Azure's protocols one on this
    /// machine alone, for tests.
    pub endpoint: Option<String>,
    /// `region=` of the bucket (S3).
    pub region: Option<String>,
    /// `account=` that the container belongs to (Azure).
    pub account: Option<String>,
}

/// Why an address is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum AddressError {
    /// Another scheme, or none.
    #[error("begins with s3://, gs://, az:// or file:///")]
    Scheme,
    /// No bucket, or one that cannot be.
    #[error("names a bucket of letters, digits, `-`, `_` and `.` after the scheme")]
    Bucket,
    /// A prefix that would not come out as it was written.
    #[error("has a path of letters, digits, `-`, `_`, `.` and single slashes, without `.` and `..`")]
    Path,
    /// Something after `?` that is not known for this kind.
    #[error("takes after `?` only endpoint=, region= (s3) and account= (az), once each")]
    Option,
    /// An endpoint that is not used.
    #[error(
        "has an endpoint of the form https://host:port; http, and any of gs:// and az://, only on this machine"
    )]
    Endpoint,
    /// Azure without an account.
    #[error("says whose container it is: az://container/prefix?account=NAME")]
    Account,
}

impl Address {
    /// Reads an address.
    ///
    /// # Errors
    /// When it is not one of the four forms, exactly.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        let (kind, rest) =
            [("s3://", Kind::S3), ("gs://", Kind::Gcs), ("az://", Kind::Azure), ("file://", Kind::File)]
                .into_iter()
                .find_map(|(scheme, kind)| Some((kind, text.strip_prefix(scheme)?)))
                .ok_or(AddressError::Scheme)?;
        let (place, options) =
            rest.split_once('?').map_or((rest, None), |(place, options)| (place, Some(options)));
        let (bucket, prefix) = place.split_once('/').unwrap_or((place, ""));
        let word =
            |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
        if kind == Kind::File {
            if !bucket.is_empty() || prefix.is_empty() {
                return Err(AddressError::Scheme);
            }
        } else if bucket.len() < 3 || bucket.len() > 63 || !word(bucket) {
            return Err(AddressError::Bucket);
        }
        let prefix = prefix.strip_suffix('/').unwrap_or(prefix);
        let good = |part: &str| !matches!(part, "" | "." | "..") && word(part);
        if prefix.len() > 512 || (!prefix.is_empty() && !prefix.split('/').all(good)) {
            return Err(AddressError::Path);
        }
        let prefix = if kind == Kind::File { format!("/{prefix}") } else { prefix.to_owned() };
        let mut found = Self {
            text: text.to_owned(),
            kind,
            bucket: bucket.to_owned(),
            prefix,
            endpoint: None,
            region: None,
            account: None,
        };
        for option in options.into_iter().flat_map(|options| options.split('&')) {
            found.take(option)?;
        }
        if kind == Kind::Azure && found.account.is_none() {
            return Err(AddressError::Account);
        }
        Ok(found)
    }

    fn take(&mut self, option: &str) -> Result<(), AddressError> {
        let (name, value) = option.split_once('=').ok_or(AddressError::Option)?;
        let place = match (name, self.kind) {
            ("endpoint", Kind::S3 | Kind::Gcs | Kind::Azure) => {
                let origin = Origin::base(value).map_err(|_| AddressError::Endpoint)?;
                let elsewhere = self.kind == Kind::S3 && origin.is_secure();
                if !elsewhere && !origin.is_loopback() {
                    return Err(AddressError::Endpoint);
                }
                &mut self.endpoint
            }
            ("region", Kind::S3) => &mut self.region,
            ("account", Kind::Azure) => &mut self.account,
            _ => return Err(AddressError::Option),
        };
        let plain =
            name == "endpoint" || value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if value.is_empty() || !plain || place.is_some() {
            return Err(AddressError::Option);
        }
        *place = Some(value.to_owned());
        Ok(())
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_exactly() {
        let s3 = Address::parse("s3://acme-guard/prod/eu?region=eu-central-1&endpoint=http://127.0.0.1:5000")
            .unwrap();
        assert_eq!((s3.kind, s3.bucket.as_str(), s3.prefix.as_str()), (Kind::S3, "acme-guard", "prod/eu"));
        assert_eq!(s3.region.as_deref(), Some("eu-central-1"));
        assert_eq!(s3.endpoint.as_deref(), Some("http://127.0.0.1:5000"));
        assert_eq!(Address::parse("gs://acme").unwrap().prefix, "");
        assert_eq!(Address::parse("az://acme/x/?account=guard").unwrap().prefix, "x");
        assert_eq!(Address::parse("file:///srv/recourse").unwrap().prefix, "/srv/recourse");
        for (bad, why) in [
            ("http://acme/x", AddressError::Scheme),
            ("S3://acme/x", AddressError::Scheme),
            ("file://host/x", AddressError::Scheme),
            ("file:///", AddressError::Scheme),
            ("s3:///x", AddressError::Bucket),
            ("s3://key:secret@acme/x", AddressError::Bucket),
            ("s3://acme/../x", AddressError::Path),
            ("s3://acme//x", AddressError::Path),
            ("s3://acme/%2e", AddressError::Path),
            ("s3://acme/x?account=a", AddressError::Option),
            ("s3://acme/x?region=a&region=b", AddressError::Option),
            ("s3://acme/x?", AddressError::Option),
            ("gs://acme/x?endpoint=https://evil.example", AddressError::Endpoint),
            ("az://acme/x?account=a&endpoint=https://evil.example", AddressError::Endpoint),
            ("file:///x?endpoint=http://127.0.0.1:1", AddressError::Option),
            ("s3://acme/x?endpoint=http://store.example", AddressError::Endpoint),
            ("az://acme/x", AddressError::Account),
        ] {
            assert_eq!(Address::parse(bad), Err(why), "{bad}");
        }
    }
}
