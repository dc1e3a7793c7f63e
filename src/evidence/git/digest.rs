//! Git's name of a file's content: SHA-1 (or SHA-256) of `blob <size>\0<content>`.
//!
//! SHA-1 is used for comparing with what git recorded, never for trust.

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
        Format::Sha1 => {
            let mut state = Sha1::new();
            state.update(header.as_bytes());
            state.update(content);
            state.finish().to_vec()
        }
        Format::Sha256 => {
            let mut state = Sha256::new();
            state.update(header.as_bytes());
            state.update(content);
            state.finalize().to_vec()
        }
    }
}

/// Lower-case hexadecimal.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

struct Sha1 {
    state: [u32; 5],
    pending: Vec<u8>,
    length: u64,
}

impl Sha1 {
    fn new() -> Self {
        Self {
            state: [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0],
            pending: Vec::with_capacity(64),
            length: 0,
        }
    }

    fn update(&mut self, mut data: &[u8]) {
        self.length = self.length.wrapping_add(data.len() as u64);
        if !self.pending.is_empty() {
            let take = data.len().min(64 - self.pending.len());
            self.pending.extend_from_slice(&data[..take]);
            data = &data[take..];
            if self.pending.len() < 64 {
                return;
            }
            let block = std::mem::take(&mut self.pending);
            self.block(&block);
        }
        let mut blocks = data.chunks_exact(64);
        for block in &mut blocks {
            self.block(block);
        }
        self.pending.extend_from_slice(blocks.remainder());
    }

    fn finish(mut self) -> [u8; 20] {
        let bits = self.length.wrapping_mul(8);
        let mut tail = std::mem::take(&mut self.pending);
        tail.push(0x80);
        while tail.len() % 64 != 56 {
            tail.push(0);
        }
        tail.extend_from_slice(&bits.to_be_bytes());
        for block in tail.chunks_exact(64) {
            self.block(block);
        }
        let mut out = [0; 20];
        for (slot, word) in out.chunks_exact_mut(4).zip(self.state) {
            slot.copy_from_slice(&word.to_be_bytes());
        }
        out
    }

    fn block(&mut self, block: &[u8]) {
        let mut w = [0u32; 80];
        for (slot, bytes) in w.iter_mut().zip(block.chunks_exact(4)) {
            *slot = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        for t in 16..80 {
            w[t] = (w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16]).rotate_left(1);
        }
        let [mut a, mut b, mut c, mut d, mut e] = self.state;
        for (t, word) in w.iter().enumerate() {
            let (f, k) = match t / 20 {
                0 => ((b & c) | (!b & d), 0x5a82_7999),
                1 => (b ^ c ^ d, 0x6ed9_eba1),
                2 => ((b & c) | (b & d) | (c & d), 0x8f1b_bcdc),
                _ => (b ^ c ^ d, 0xca62_c1d6u32),
            };
            let next = a.rotate_left(5).wrapping_add(f).wrapping_add(e).wrapping_add(k).wrapping_add(*word);
            e = d;
            d = c;
            c = b.rotate_left(30);
            b = a;
            a = next;
        }
        for (slot, value) in self.state.iter_mut().zip([a, b, c, d, e]) {
            *slot = slot.wrapping_add(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Format, blob, hex};

    #[test]
    fn ids_are_gits() {
        assert_eq!(hex(&blob(Format::Sha1, b"")), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(hex(&blob(Format::Sha1, b"hello\n")), "ce013625030ba8dba906f756967f9e9ca394464a");
        for length in [54, 55, 56, 57, 63, 64, 65, 119, 128] {
            assert_eq!(blob(Format::Sha1, &vec![b'x'; length]).len(), 20);
        }
        let long = vec![b'a'; 1_000_000];
        assert_eq!(hex(&blob(Format::Sha1, &long)), "de1fbf0c2f34f67f01f355f31ed0cf7319643c5e");
    }
}
