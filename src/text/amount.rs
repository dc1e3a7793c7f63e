//! Plain English for counts and sizes: the one place where they are worded.

/// `1 file`, `3 files`, `12,345 copies`.
pub fn count(number: u64, noun: &str) -> String {
    if number == 1 {
        return format!("1 {noun}");
    }
    format!("{} {}", grouped(number), plural(noun))
}

/// The plural of the last word, or of what stands before `of`: `untracked files`, `copies`, `pieces of evidence`.
pub fn plural(noun: &str) -> String {
    if let Some((what, of)) = noun.split_once(" of ") {
        return format!("{} of {of}", plural(what));
    }
    if let Some(stem) = noun.strip_suffix('y')
        && !stem.ends_with(['a', 'e', 'i', 'o', 'u'])
    {
        return format!("{stem}ies");
    }
    let hissing = ["s", "x", "ch", "sh"].iter().any(|end| noun.ends_with(end));
    format!("{noun}{}", if hissing { "es" } else { "s" })
}

/// `12,345`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `512 bytes`, `2.3 kB`, `41 MB`: powers of ten, two digits below ten.
pub fn size(bytes: u64) -> String {
    if bytes < 1000 {
        return count(bytes, "byte");
    }
    let mut unit = "kB";
    let mut divisor = 1000_u64;
    let units =
        [(1_000_000, "MB"), (1_000_000_000, "GB"), (1_000_000_000_000, "TB"), (1_000_000_000_000_000, "PB")];
    for (next, name) in units {
        // Half a unit early, so that 999,999 bytes are 1.0 MB and not 1000 kB.
        if bytes >= next - next / 2000 {
            unit = name;
            divisor = next;
        }
    }
    let (bytes, divisor) = (u128::from(bytes), u128::from(divisor));
    let tenths = (bytes * 10 + divisor / 2) / divisor;
    if tenths < 100 {
        format!("{}.{} {unit}", tenths / 10, tenths % 10)
    } else {
        format!("{} {unit}", (bytes + divisor / 2) / divisor)
    }
}

/// `7 days`, `36 hours`, `90 seconds`: in the largest unit that says it whole.
pub fn time(seconds: u64) -> String {
    let units = [(86_400, "day"), (3_600, "hour"), (60, "minute")];
    match units.into_iter().find(|(unit, _)| seconds > 0 && seconds.is_multiple_of(*unit)) {
        Some((unit, noun)) => count(seconds / unit, noun),
        None => count(seconds, "second"),
    }
}

/// `a`, `a and b`, `a, b and c`.
pub fn list(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [start @ .., last] => format!("{} and {last}", start.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals_are_right() {
        assert_eq!(count(1, "file"), "1 file");
        assert_eq!(count(3, "copy"), "3 copies");
        assert_eq!(count(2, "branch"), "2 branches");
        assert_eq!(count(2, "piece of evidence"), "2 pieces of evidence");
        assert_eq!(count(2, "stash"), "2 stashes");
        assert_eq!(count(2, "day"), "2 days");
        assert_eq!(count(12_345, "row"), "12,345 rows");
    }

    #[test]
    fn sizes_are_short() {
        let given = [0, 1, 999, 1000, 41_200, 999_499, 999_999, 2_345_678, 41_000_000, 5_000_000_000];
        let said: Vec<_> = given.into_iter().map(size).collect();
        assert_eq!(
            said,
            [
                "0 bytes",
                "1 byte",
                "999 bytes",
                "1.0 kB",
                "41 kB",
                "999 kB",
                "1.0 MB",
                "2.3 MB",
                "41 MB",
                "5.0 GB"
            ]
        );
    }
}
