//! Tiles and entry bundles: the tree as static files (c2sp.org/tlog-tiles).
//!
//! Owns names and which of them a tree of a given size has. Does no I/O.

use super::merkle::{Hash, Nodes};

/// Hashes in a full tile.
const WIDTH: u64 = 256;
/// Levels of binary nodes in a tile.
const HEIGHT: u32 = 8;

/// A tile, or the bundle of entries below one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// The level; none: a bundle of entries.
    pub level: Option<u32>,
    /// Its index in its level.
    pub index: u64,
    /// How many hashes or entries, 1 to 256.
    pub width: u64,
}

impl Tile {
    /// Its path below the log's prefix.
    pub fn path(&self) -> String {
        let mut parts = vec![format!("{:03}", self.index % 1000)];
        let mut rest = self.index / 1000;
        while rest > 0 {
            parts.push(format!("x{:03}", rest % 1000));
            rest /= 1000;
        }
        parts.reverse();
        let level = self.level.map_or("entries".to_owned(), |level| level.to_string());
        let partial = if self.width < WIDTH { format!(".p/{}", self.width) } else { String::new() };
        format!("tile/{level}/{}{partial}", parts.join("/"))
    }

    /// Reads a path, in its one spelling.
    pub fn parse(path: &str) -> Option<Self> {
        let (level, rest) = path.strip_prefix("tile/")?.split_once('/')?;
        let level = match level {
            "entries" => None,
            digits => Some(digits.parse::<u32>().ok().filter(|level| *level < 64)?),
        };
        let (index, width) = match rest.split_once(".p/") {
            Some((index, width)) => (index, width.parse::<u64>().ok().filter(|w| (1..WIDTH).contains(w))?),
            None => (rest, WIDTH),
        };
        let mut number: u64 = 0;
        for part in index.split('/') {
            let digits = part.strip_prefix('x').unwrap_or(part);
            number = number.checked_mul(1000)?.checked_add(digits.parse().ok()?)?;
        }
        let tile = Self { level, index: number, width };
        // Signs, zeros and misplaced `x` are other spellings.
        (tile.path() == path).then_some(tile)
    }

    /// The first of its leaves' or hashes' numbers in its level, and the one behind the last.
    pub fn span(&self) -> Option<(u64, u64)> {
        let from = self.index.checked_mul(WIDTH)?;
        Some((from, from.checked_add(self.width)?))
    }

    /// Whether a tree of this size has it. Partial tiles of smaller trees count: proofs of the time rest on them.
    pub fn is_of(&self, size: u64) -> bool {
        let shift = self.level.unwrap_or(0).saturating_mul(HEIGHT);
        let count = size.checked_shr(shift).unwrap_or(0);
        self.span().is_some_and(|(_, end)| end <= count)
    }

    /// The bytes of a tile of hashes.
    ///
    /// # Errors
    /// When a node cannot be read.
    pub fn hashes<N: Nodes>(&self, nodes: &N) -> Result<Vec<u8>, N::Error> {
        let level = self.level.unwrap_or(0) * HEIGHT;
        let (from, to) = self.span().unwrap_or_default();
        let hashes = (from..to).map(|index| nodes.node(level, index));
        Ok(hashes.collect::<Result<Vec<Hash>, _>>()?.concat())
    }

    /// The tiles and bundles of a tree that a tree of `old` leaves does not have.
    pub fn grown(old: u64, size: u64) -> Vec<Self> {
        let mut tiles = Vec::new();
        let mut of_level = |level: Option<u32>, old: u64, size: u64| {
            if size == old {
                return;
            }
            let full = (old / WIDTH)..(size / WIDTH);
            tiles.extend(full.map(|index| Self { level, index, width: WIDTH }));
            if !size.is_multiple_of(WIDTH) {
                tiles.push(Self { level, index: size / WIDTH, width: size % WIDTH });
            }
        };
        of_level(None, old, size);
        for level in 0..HEIGHT {
            of_level(Some(level), old >> (level * HEIGHT), size >> (level * HEIGHT));
        }
        tiles
    }
}

/// The bytes of a bundle: each entry behind its length.
pub fn bundle<'a>(entries: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in entries {
        bytes.extend_from_slice(&u16::try_from(entry.len()).unwrap_or(u16::MAX).to_be_bytes());
        bytes.extend_from_slice(entry);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    /// The examples of the specification.
    #[test]
    fn published_vectors() {
        let tile = |level, index, width| Tile { level, index, width };
        assert_eq!(tile(Some(0), 1_234_067, 256).path(), "tile/0/x001/x234/067");
        assert_eq!(tile(Some(1), 0, 17).path(), "tile/1/000.p/17");
        assert_eq!(tile(None, 273, 112).path(), "tile/entries/273.p/112");
        let of = |level| {
            let all = Tile::grown(0, 70_000);
            let mine: Vec<u64> = all.iter().filter(|one| one.level == level).map(|one| one.width).collect();
            (mine.iter().filter(|width| **width == 256).count(), mine.last().copied())
        };
        assert_eq!((of(Some(0)), of(Some(1)), of(Some(2))), ((273, Some(112)), (1, Some(17)), (0, Some(1))));
        assert_eq!(of(Some(3)), (0, None));
        let paths: Vec<String> = Tile::grown(0, 256).iter().map(Tile::path).collect();
        assert_eq!(paths, ["tile/entries/000", "tile/0/000", "tile/1/000.p/1"]);
    }

    #[test]
    fn one_spelling() {
        for wrong in [
            "tile/0/0",
            "tile/00/000",
            "tile/0/x000/001",
            "tile/0/000.p/256",
            "tile/0/000.p/0",
            "tile/0/000.p/01",
            "tile/+1/000",
            "tile/64/000",
            "tile/0/../000",
            "tile/0/x001",
            "tile/0/",
            "tile/0",
            "checkpoint",
            "tile/0/x001/1234",
            "tile/data/000",
            "tile/0/999/000",
            "tile/0/x99999999999999999999/000",
        ] {
            assert_eq!(Tile::parse(wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn paths_come_back(level in prop::option::of(0u32..8), index in 0u64..10_000_000_000, width in 1u64..=256) {
            let tile = Tile { level, index, width };
            prop_assert_eq!(Tile::parse(&tile.path()), Some(tile));
        }

        #[test]
        fn nothing_is_missing_after_growing(steps in prop::collection::vec(0u64..3000, 1..6)) {
            let (mut size, mut have) = (0, HashSet::new());
            for step in steps {
                have.extend(Tile::grown(size, size + step).iter().map(Tile::path));
                size += step;
            }
            for tile in Tile::grown(0, size) {
                prop_assert!(tile.is_of(size));
                prop_assert!(have.contains(&tile.path()), "{}", tile.path());
            }
        }

        #[test]
        fn any_text(text in "\\PC{0,40}") {
            let _ = Tile::parse(&text);
        }
    }
}
