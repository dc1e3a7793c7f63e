//! Listing a zip archive through its central directory.

use super::Member;

/// Whether bytes begin as a zip archive does.
pub(super) fn is_zip(data: &[u8]) -> bool {
    data.starts_with(b"PK\x03\x04") || data.starts_with(b"PK\x05\x06")
}

/// All members; `None` when the directory makes no sense (or is of the 64-bit kind).
pub(super) fn members(data: &[u8]) -> Option<Vec<Member<'_>>> {
    let end = (0..=data.len().checked_sub(22)?)
        .rev()
        .take(66_000)
        .find(|at| data[*at..].starts_with(b"PK\x05\x06"))?;
    let count = short(data, end + 10)?;
    let mut at = usize::try_from(long(data, end + 16)?).ok()?;
    if count == 0xffff || at == 0xffff_ffff {
        return None;
    }
    let mut members = Vec::new();
    for _ in 0..count {
        if !data.get(at..)?.starts_with(b"PK\x01\x02") {
            return None;
        }
        let (name, extra, comment) = (short(data, at + 28)?, short(data, at + 30)?, short(data, at + 32)?);
        let from = at + 46;
        let raw = data.get(from..from + name)?;
        let name_text = String::from_utf8_lossy(raw).into_owned();
        if !name_text.ends_with('/') {
            members.push(Member {
                name: name_text,
                size: Some(u64::from(long(data, at + 24)?)),
                content: None,
                crc: Some(long(data, at + 16)?),
                blob: None,
                modified: None,
            });
        }
        at = from + name + extra + comment;
    }
    Some(members)
}

fn short(data: &[u8], at: usize) -> Option<usize> {
    let bytes = data.get(at..at + 2)?;
    Some(usize::from(u16::from_le_bytes([bytes[0], bytes[1]])))
}

fn long(data: &[u8], at: usize) -> Option<u32> {
    let bytes = data.get(at..at + 4)?;
    Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

/// What each byte adds to a checksum.
const TABLE: [u32; 256] = table();

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0_u32;
    while byte < 256 {
        let mut crc = byte;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
            bit += 1;
        }
        table[byte as usize] = crc;
        byte += 1;
    }
    table
}

/// The checksum that zip and gzip keep of their content.
pub(super) fn crc32(data: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| (crc >> 8) ^ TABLE[usize::from(crc.to_le_bytes()[0] ^ byte)];
    !data.iter().fold(u32::MAX, step)
}
