//! Git's name of a file's content: SHA-1 (or SHA-256) of `blob <size>\0<content>`.
//!
//! SHA-1 is used for comparing with what git recorded, never for trust.

use sha1::Sha1;
use sha2::{Digest, Sha256};

/// The object format of a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// 20 bytes.
    Sha1,
    /// 32 bytes.
    Sha256,
}

impl Format {
    /// Length of an object id in bytes.
    pub(super) fn length(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => 32,
        }
    }
}

/// The id that git gives a file with this content.
pub(super) fn blob(format: Format, content: &[u8]) -> Vec<u8> {
    let header = format!("blob {}\0", content.len());
    match format {
        Format::Sha1 => digest::<Sha1>(&header, content),
        Format::Sha256 => digest::<Sha256>(&header, content),
    }
}

fn digest<D: Digest>(header: &str, content: &[u8]) -> Vec<u8> {
    let mut state = D::new();
    state.update(header.as_bytes());
    state.update(content);
    state.finalize().to_vec()
}

/// The name of a content in git's large file storage: SHA-256 without a header.
pub(super) fn content(content: &[u8]) -> Vec<u8> {
    digest::<Sha256>("", content)
}

/// Lower-case hexadecimal.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::{Format, blob, hex};

    #[test]
    fn ids_are_gits() {
        assert_eq!(hex(&blob(Format::Sha1, b"")), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(hex(&blob(Format::Sha1, b"hello\n")), "ce013625030ba8dba906f756967f9e9ca394464a");
        let long = vec![b'a'; 1_000_000];
        assert_eq!(hex(&blob(Format::Sha1, &long)), "de1fbf0c2f34f67f01f355f31ed0cf7319643c5e");
    }
}
