//! Listing a tar archive: ustar, GNU long names, pax paths.

use super::Member;

const BLOCK: usize = 512;

/// Whether bytes look like a tar archive: the first header's checksum fits.
pub(super) fn is_tar(data: &[u8]) -> bool {
    data.get(..BLOCK).is_some_and(checksum_fits)
}

/// Whether nothing but padding stands behind the archive's end, so that the list is all there is.
pub(super) fn ends_clean(data: &[u8]) -> bool {
    end(data).is_some_and(|(_, end)| data.get(end..).is_some_and(|rest| rest.iter().all(|byte| *byte == 0)))
}

/// All members but directories; `None` when the archive makes no sense.
pub(super) fn members(data: &[u8]) -> Option<Vec<Member<'_>>> {
    let mut members = entries(data)?;
    members.retain(|member| !member.name.ends_with('/'));
    Some(members)
}

/// All members, directories too; `None` when the archive makes no sense.
pub(super) fn entries(data: &[u8]) -> Option<Vec<Member<'_>>> {
    end(data).map(|(members, _)| members)
}

/// The members, and where the last one ends.
fn end(data: &[u8]) -> Option<(Vec<Member<'_>>, usize)> {
    let mut members = Vec::new();
    let mut at = 0_usize;
    let mut long_name: Option<String> = None;
    while let Some(header) = data.get(at..at + BLOCK) {
        if header.iter().all(|byte| *byte == 0) {
            break;
        }
        if !checksum_fits(header) {
            return None;
        }
        let size = number(&header[124..136])?;
        let length = usize::try_from(size).ok()?;
        let start = at + BLOCK;
        let content = data.get(start..start.checked_add(length)?);
        let kind = header[156];
        let next = start.checked_add(length.div_ceil(BLOCK).checked_mul(BLOCK)?)?;
        match kind {
            b'L' => long_name = content.map(text),
            b'x' => long_name = content.and_then(pax_path).or(long_name),
            b'g' | b'K' => {}
            _ => {
                let name = long_name.take().unwrap_or_else(|| name(header));
                let modified = number(&header[136..148]).and_then(|seconds| i64::try_from(seconds).ok());
                let regular = matches!(kind, b'0' | 0 | b'7');
                if kind == b'5' && !name.ends_with('/') {
                    let name = name + "/";
                    members.push(Member { name, size: None, content: None, crc: None, blob: None, modified });
                } else if regular && !name.ends_with('/') {
                    members.push(Member { name, size: Some(size), content, crc: None, blob: None, modified });
                } else {
                    // A link, a device or a directory takes the place of a file that stands there.
                    members.push(Member { name, size: None, content: None, crc: None, blob: None, modified });
                }
            }
        }
        // Links and directories have no content, whatever their size field says.
        at = if matches!(kind, b'1' | b'2' | b'3' | b'4' | b'5' | b'6') { start } else { next };
    }
    Some((members, at.min(data.len())))
}

fn name(header: &[u8]) -> String {
    let base = text(&header[..100]);
    let ustar = &header[257..262] == b"ustar" && header[262] == 0;
    let prefix = if ustar { text(&header[345..500]) } else { String::new() };
    if prefix.is_empty() { base } else { format!("{prefix}/{base}") }
}

fn text(field: &[u8]) -> String {
    let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
    String::from_utf8_lossy(&field[..end]).into_owned()
}

/// `<length> path=<name>\n` among the records.
fn pax_path(content: &[u8]) -> Option<String> {
    String::from_utf8_lossy(content)
        .split('\n')
        .find_map(|record| record.split_once(' ')?.1.strip_prefix("path=").map(str::to_owned))
}

/// Octal, or big-endian binary when the first bit is set.
fn number(field: &[u8]) -> Option<u64> {
    if field.first()? & 0x80 != 0 {
        return field[1..]
            .iter()
            .try_fold(0_u64, |sum, byte| sum.checked_mul(256)?.checked_add(u64::from(*byte)));
    }
    let digits = text(field);
    let digits = digits.trim();
    if digits.is_empty() { Some(0) } else { u64::from_str_radix(digits, 8).ok() }
}

fn checksum_fits(header: &[u8]) -> bool {
    let sum: u64 = header
        .iter()
        .enumerate()
        .map(|(at, byte)| if (148..156).contains(&at) { u64::from(b' ') } else { u64::from(*byte) })
        .sum();
    header.get(148..156).and_then(number).is_some_and(|known| known == sum) && header[0] != 0
}
