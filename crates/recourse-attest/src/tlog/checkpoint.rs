//! Checkpoints (c2sp.org/tlog-checkpoint): what a log says that it holds.
//!
//! Owns the text. Looks at nothing but its arguments.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::merkle::Hash;
use super::note::NoteError;

/// A log's size and root at some time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Names the log.
    pub origin: String,
    /// How many leaves it has.
    pub size: u64,
    /// Their root.
    pub root: Hash,
}

impl Checkpoint {
    /// Reads a note's text. Lines behind the third are not looked at.
    ///
    /// # Errors
    /// [`NoteError::Form`].
    pub fn parse(text: &str) -> Result<Self, NoteError> {
        let wrong = || NoteError::Form("its text is no checkpoint");
        let mut lines = text.strip_suffix('\n').ok_or_else(wrong)?.split('\n');
        let origin = lines.next().filter(|line| !line.is_empty()).ok_or_else(wrong)?;
        let size = lines.next().and_then(number).ok_or_else(wrong)?;
        let root = lines.next().and_then(hash).ok_or_else(wrong)?;
        if lines.any(str::is_empty) {
            return Err(wrong());
        }
        Ok(Self { origin: origin.to_owned(), size, root })
    }
}

impl fmt::Display for Checkpoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}\n{}\n{}", self.origin, self.size, STANDARD.encode(self.root))
    }
}

/// A decimal number below 2^63 in its one spelling.
pub fn number(text: &str) -> Option<u64> {
    let found = text.parse::<u64>().ok().filter(|found| *found <= i64::MAX as u64)?;
    (found.to_string() == text).then_some(found)
}

/// A hash in base64.
pub fn hash(text: &str) -> Option<Hash> {
    STANDARD.decode(text).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXT: &str =
        "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n";

    #[test]
    fn one_spelling() {
        let found = Checkpoint::parse(TEXT).unwrap();
        assert_eq!((found.size, found.to_string().as_str()), (20_852_163, TEXT));
        assert!(Checkpoint::parse(&format!("{TEXT}more\n")).is_ok());
        for wrong in [
            String::new(),
            TEXT.replace("2085", "02085"),
            TEXT.replace("2085", "+2085"),
            TEXT.replace("20852163", "9223372036854775808"),
            TEXT.replace("q2I=", "q2I"),
            TEXT.replace("CsUY", ""),
            TEXT.replace("example.com/behind-the-sofa", ""),
            format!("{TEXT}\n"),
            TEXT.trim_end().to_owned(),
        ] {
            assert!(Checkpoint::parse(&wrong).is_err(), "{wrong:?}");
        }
    }

    proptest! {
        #[test]
        fn checkpoints_come_back(size in 0u64..=i64::MAX as u64, root in any::<[u8; 32]>(), origin in "[a-z./]{1,30}") {
            let one = Checkpoint { origin, size, root };
            prop_assert_eq!(Checkpoint::parse(&one.to_string()), Ok(one));
        }

        #[test]
        fn any_text(text in "\\PC{0,100}") {
            let _ = Checkpoint::parse(&text);
        }
    }
}
