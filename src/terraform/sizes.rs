//! Sizes of machines, plans and shares as providers write them: `db.r6g.2xlarge`, `Standard_D4s_v3`, `s-2vcpu-4gb`, `M30`, `512Mi`.
//!
//! Owns whether one is less than another of its family. Where the names do not say it, nothing is said.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::knowledge::terraform_signs;
use crate::model::FactValue;

/// Longer texts name no size.
const LONGEST: usize = 80;

/// Series that have little in common are told apart where there is a quarter left, in steps of halves.
const FAR: f64 = 2.0;

/// Whether there is less of it: both are amounts, or sizes by name of one family.
pub(super) fn is_smaller(was: &FactValue, now: &FactValue) -> bool {
    if let Some((was, now)) = quantity(was).zip(quantity(now)) {
        // 0 may be no limit.
        return now > 0.0 && now < was;
    }
    match (was, now) {
        (FactValue::Text(was), FactValue::Text(now)) => is_less(was, now),
        _ => false,
    }
}

/// Whether answers that are right, `200,300-304`, are all still so, with others besides that are no plain success.
pub(super) fn is_wider(was: &str, now: &str) -> bool {
    let ranges = |text: &str| {
        let each = text.split([',', '|', ' ']).filter(|part| !part.is_empty()).map(|part| {
            let (from, to) = part.split_once('-').unwrap_or((part, part));
            Some((from.trim().parse::<u32>().ok()?, to.trim().parse::<u32>().ok()?))
        });
        each.collect::<Option<Vec<_>>>().filter(|ranges| !ranges.is_empty())
    };
    let holds = |wide: &[(u32, u32)], narrow: &[(u32, u32)]| {
        narrow.iter().all(|(from, to)| wide.iter().any(|(start, end)| start <= from && to <= end))
    };
    let both = ranges(was).zip(ranges(now));
    let fails = |ranges: &[(u32, u32)]| -> Vec<_> {
        ranges.iter().filter(|(_, end)| *end >= 300).map(|(from, end)| ((*from).max(300), *end)).collect()
    };
    both.is_some_and(|(was, now)| holds(&now, &was) && !holds(&was, &fails(&now)))
}

/// An amount as people write it: `2`, `0.5`, `500m`, `2Gi`, `4GB`.
fn quantity(value: &FactValue) -> Option<f64> {
    let text = match value {
        FactValue::Number(number) => return Some(*number as f64),
        FactValue::Bool(_) => return None,
        FactValue::Text(text) => text.trim(),
    };
    let (digits, unit) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len()));
    let number = digits.trim().parse::<f64>().ok()?;
    let unit = if unit == "m" { 0.001 } else { unit_of(&unit.to_ascii_lowercase())? };
    Some(number * unit)
}

fn unit_of(unit: &str) -> Option<f64> {
    let letter = unit.trim_end_matches('b').trim_end_matches('i');
    let power = match letter.len() {
        0 => 0,
        1 => i32::try_from("kmgt".find(letter)?).ok()? + 1,
        _ => return None,
    };
    let step: f64 = if unit.contains('i') { 1024.0 } else { 1000.0 };
    Some(step.powi(power))
}

/// A part of a name between signs.
#[derive(Debug, PartialEq)]
enum Piece {
    /// A word for a size, in steps of twice as much.
    Size(f64),
    /// Letters with `#` for each number, and the numbers.
    Named(String, Vec<f64>),
}

fn is_less(was: &str, now: &str) -> bool {
    if was.len().max(now.len()) > LONGEST || was == now {
        return false;
    }
    let [old, new] = [pieces(was), pieces(now)];
    if let Some((old, new)) = tiers(&old).zip(tiers(&new)).filter(|(old, new)| old != new) {
        return new < old;
    }
    if old.len() != new.len() {
        return is_shared(&old, &new);
    }
    steps(&old, &new).is_some_and(|steps| steps < 0.0) || is_shared(&old, &new)
}

/// The place of the first word of a tier, from the least on.
fn tiers(pieces: &[Piece]) -> Option<usize> {
    static TIERS: OnceLock<HashMap<&str, usize>> = OnceLock::new();
    let tiers = TIERS
        .get_or_init(|| terraform_signs().tiers.iter().enumerate().map(|(at, word)| (word, at)).collect());
    pieces.iter().find_map(|piece| match piece {
        Piece::Named(word, numbers) if numbers.is_empty() => tiers.get(word.as_str()).copied(),
        _ => None,
    })
}

/// By how many halves it gets smaller, below 0; `None`: the names do not say it.
fn steps(old: &[Piece], new: &[Piece]) -> Option<f64> {
    let size = |piece: &Piece| match piece {
        Piece::Size(_) => true,
        Piece::Named(letters, numbers) => letters.starts_with('#') && !numbers.is_empty(),
    };
    // A number behind letters is a generation, where another part says the size: `r6g.large`, `e2-standard-4`.
    let [sized, other] = [old, new].map(|pieces| pieces.iter().any(size));
    if sized != other {
        return None;
    }
    let (mut sum, mut grows, mut strange) = (0.0_f64, false, false);
    // All that is so small has a share of a processor.
    let share = |pieces: &[Piece]| matches!(pieces.last(), Some(Piece::Size(size)) if *size <= MEDIUM);
    let shares = share(old) && share(new);
    for (old, new) in old.iter().zip(new) {
        let step = match (old, new) {
            (Piece::Size(old), Piece::Size(new)) => new - old,
            (Piece::Named(was, old), Piece::Named(now, new)) => {
                strange |= !is_kin(was, now);
                let counts = (!sized || was.starts_with('#')) && old.len() == new.len();
                if was.starts_with('#') && was != now {
                    return None;
                }
                if counts { ratio(old, new)? } else { 0.0 }
            }
            _ => return None,
        };
        grows |= step > 0.0;
        sum += step;
    }
    (!grows && (!strange || shares || sum <= -FAR)).then_some(sum)
}

/// How many times twice as much; `None`: less of one and more of another.
fn ratio(old: &[f64], new: &[f64]) -> Option<f64> {
    let each: Vec<f64> = old.iter().zip(new).map(|(old, new)| step(*new) - step(*old)).collect();
    let [less, more] = [each.iter().any(|step| *step < 0.0), each.iter().any(|step| *step > 0.0)];
    (!less || !more).then(|| each.iter().sum())
}

fn step(number: f64) -> f64 {
    if number > 0.0 { number.log2() } else { -1.0 }
}

/// Series of one kind begin with the same letter: `r6g` and `r5`.
fn is_kin(was: &str, now: &str) -> bool {
    was == now || was.chars().next() == now.chars().next() && was.contains('#') && now.contains('#')
}

/// Whole processors before, and a share of one now: `n1-standard-4`, `e2-small`.
fn is_shared(old: &[Piece], new: &[Piece]) -> bool {
    let named = |piece: &Piece| matches!(piece, Piece::Named(word, _) if terraform_signs().whole.has(word));
    let small = |piece: &Piece| matches!(piece, Piece::Size(size) if *size <= MEDIUM);
    old.iter().any(named)
        && !old.iter().any(|piece| matches!(piece, Piece::Size(_)))
        && new.last().is_some_and(small)
}

/// The steps of a medium size, and of the least one.
const MEDIUM: f64 = 2.0;
const LEAST: f64 = -2.0;

fn pieces(text: &str) -> Vec<Piece> {
    let lower = text.to_ascii_lowercase();
    let mut parts: Vec<String> = Vec::new();
    for part in lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty()) {
        // `2x-large`
        let front = parts.last().filter(|front| {
            front.ends_with('x') && front[..front.len() - 1].chars().all(|c| c.is_ascii_digit())
        });
        match front.map(|front| format!("{front}{part}")).filter(|joined| size_of(joined, false).is_some()) {
            Some(joined) => {
                parts.pop();
                parts.push(joined);
            }
            None => parts.push(part.to_owned()),
        }
    }
    let last = parts.len().saturating_sub(1);
    let mut found = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        if let Some(size) = size_of(part, at == last) {
            found.push(Piece::Size(size));
            continue;
        }
        let (letters, numbers) = named(part);
        // A version behind: `Standard_D4s_v3`, `P1v2`.
        if letters == "v#" && at > 0 {
            continue;
        }
        found.push(match letters.strip_suffix("v#").filter(|front| front.contains('#')) {
            Some(front) => Piece::Named(front.to_owned(), numbers[..numbers.len() - 1].to_vec()),
            None => Piece::Named(letters, numbers),
        });
    }
    found
}

/// A word for a size, as its step; single letters are one at the end alone.
fn size_of(part: &str, last: bool) -> Option<f64> {
    let words = terraform_signs().sizes.iter().zip(0_u8..).map(|(word, at)| (word, f64::from(at) + LEAST));
    let letters = ["s", "m", "l"].into_iter().zip([1.0, MEDIUM, 3.0]);
    let (word, base) = words.chain(letters).find(|(word, _)| part.ends_with(word))?;
    let front = &part[..part.len() - word.len()];
    if front.is_empty() {
        return (word.len() > 1 || last).then_some(base);
    }
    let digits: String = front.chars().filter(char::is_ascii_digit).collect();
    let times = front.chars().filter(|c| *c == 'x').count();
    if times == 0 || digits.len() + times != front.len() || !(base > MEDIUM || base == 1.0) {
        return None;
    }
    let times = digits.parse().unwrap_or(times as f64);
    let more = 1.0 + f64::log2(f64::max(times, 1.0));
    Some(if base > MEDIUM { base + more } else { base - more })
}

/// Letters with `#` for each number, and the numbers.
fn named(part: &str) -> (String, Vec<f64>) {
    let (mut letters, mut numbers, mut digits) = (String::new(), Vec::new(), String::new());
    for c in part.chars().chain([' ']) {
        if c.is_ascii_digit() {
            digits.push(c);
            continue;
        }
        if !digits.is_empty() {
            letters.push('#');
            numbers.push(digits.parse().unwrap_or(f64::MAX));
            digits.clear();
        }
        letters.push(c);
    }
    letters.truncate(letters.len() - 1);
    (letters, numbers)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(text: &str) -> FactValue {
        FactValue::Text(text.to_owned())
    }

    /// Each from great to small, as its provider lists them.
    const LADDERS: &[&str] = &[
        "db.r6g.4xlarge db.r6g.2xlarge db.r6g.xlarge db.r5.large db.t3.small db.t3.micro",
        "cache.m5.2xlarge cache.m5.xlarge cache.m5.large cache.t3.small cache.t3.micro",
        "t3.2xlarge t3.xlarge t3.large t3.medium t3.small t3.micro t3.nano",
        "r6g.2xlarge.search r6g.xlarge.search r6g.large.search t3.small.search",
        "db-n1-standard-16 db-n1-standard-8 db-n1-standard-4 db-n1-standard-1 db-g1-small db-f1-micro",
        "db-custom-8-30720 db-custom-4-15360 db-custom-2-7680",
        "e2-standard-8 e2-standard-4 e2-standard-2 e2-medium e2-small e2-micro",
        "n2-highmem-16 n2-highmem-8 n1-highmem-4",
        "Standard_D16s_v3 Standard_D8s_v3 Standard_D4s_v5 Standard_D2as_v5",
        "BC_Gen5_8 GP_Gen5_8 GP_Gen5_4 GP_Gen5_2",
        "MO_Standard_E4s_v3 GP_Standard_D4s_v3 GP_Standard_D2s_v3 B_Standard_B2s B_Standard_B1ms",
        "P3v3 P2v3 P1v3",
        "P3v2 P2v2 P1v2",
        "S3 S2 S1 S0",
        "s-8vcpu-16gb s-4vcpu-8gb s-2vcpu-4gb s-1vcpu-2gb s-1vcpu-1gb",
        "db-s-4vcpu-8gb db-s-2vcpu-4gb db-s-1vcpu-1gb",
        "cx52 cx42 cx32 cx22",
        "cpx51 cpx41 cpx31 cpx21 cpx11",
        "M80 M60 M50 M40 M30 M20 M10 M2",
        "X6LARGE X4LARGE XXLARGE XLARGE LARGE MEDIUM SMALL XSMALL",
        "4X-Large 3X-Large 2X-Large X-Large Large Medium Small X-Small 2X-Small",
        "business-32 business-8 startup-8 startup-4 hobbyist",
        "performance-l performance-m standard-2x standard-1x basic eco",
        "heroku-postgresql:premium-2 heroku-postgresql:standard-2 heroku-postgresql:standard-0 heroku-postgresql:essential-0",
        "g6-dedicated-8 g6-standard-8 g6-standard-2 g6-nanode-1",
        "vc2-4c-8gb vc2-2c-4gb vc2-1c-1gb",
        "8xCPU-32GB 4xCPU-8GB 2xCPU-4GB 1xCPU-1GB",
        "bx2-8x32 bx2-4x16 bx2-2x8",
        "DEV1-XL DEV1-L DEV1-M DEV1-S",
        "DB-DEV-L DB-DEV-M DB-DEV-S",
        "b2-30 b2-15 b2-7",
        "ecs.g6.2xlarge ecs.g6.xlarge ecs.g6.large",
        "Premium Standard Basic Free",
        "enterprise business pro free",
        "VM.Standard2.8 VM.Standard2.4 VM.Standard2.1",
        "s3-c8-m32 s3-c4-m16 s3-c2-m8",
        "2Gi 1Gi 512Mi 64Mi",
        "2 1 500m 0.1",
        "8GB 4GB 512MB",
    ];

    #[test]
    fn each_is_less_than_those_before_and_never_the_other_way_round() {
        for ladder in LADDERS {
            let sizes: Vec<&str> = ladder.split(' ').collect();
            for (at, great) in sizes.iter().enumerate() {
                assert!(!is_smaller(&text(great), &text(great)));
                for small in &sizes[at + 1..] {
                    assert!(!is_smaller(&text(small), &text(great)), "{small} -> {great}");
                    assert!(is_smaller(&text(great), &text(small)), "{great} -> {small}");
                }
            }
        }
    }

    #[test]
    fn more_numbers_than_before_are_wider() {
        for (was, now) in
            [("200", "200-499"), ("200-299", "200-399"), ("200", "200,404"), ("200,302", "200,300-304")]
        {
            assert!(is_wider(was, now) && !is_wider(now, was), "{was} {now}");
        }
        assert!(
            !is_wider("200", "200-299")
                && !is_wider("200", "204")
                && !is_wider("200-299", "300-399")
                && !is_wider("ok", "200")
        );
    }

    #[test]
    fn another_generation_or_another_series_of_the_same_size_is_no_less() {
        for (one, other) in [
            ("db.r5.large", "db.r6g.large"),
            ("m5.xlarge", "c5.xlarge"),
            ("m5.xlarge", "r5.large"),
            ("Standard_D4s_v3", "Standard_D4as_v5"),
            ("n1-standard-4", "n2-standard-4"),
            ("GP_Gen4_4", "GP_Gen5_4"),
            ("P1v2", "P1v3"),
            ("eu-west-1", "eu-west-2"),
            ("postgres-15", "mysql-8"),
            ("Hot", "Cool"),
            ("custom-4-8192", "custom-2-16384"),
        ] {
            let both = is_smaller(&text(one), &text(other)) && is_smaller(&text(other), &text(one));
            assert!(!both, "{one} {other}");
            if !one.contains("west") {
                assert!(!is_smaller(&text(one), &text(other)), "{one} -> {other}");
                assert!(!is_smaller(&text(other), &text(one)), "{other} -> {one}");
            }
        }
        assert!(!is_smaller(&FactValue::Number(4), &FactValue::Number(0)), "may be no limit");
    }

    proptest! {
        #[test]
        fn nothing_is_less_than_what_is_less_than_it(one in "[a-zA-Z0-9_.:-]{0,24}", other in "[a-zA-Z0-9_.:-]{0,24}") {
            let (one, other) = (text(&one), text(&other));
            prop_assert!(!is_smaller(&one, &one));
            prop_assert!(!(is_smaller(&one, &other) && is_smaller(&other, &one)));
        }

        #[test]
        fn of_two_that_differ_in_one_number_the_lesser_is_less(
            front in prop::sample::select(vec!["Standard_D#s_v3", "n2-standard-#", "s-#vcpu-4gb", "M#", "GP_Gen5_#", "db.r6g.#xlarge", "business-#"]),
            (less, more) in (2_u32..400, 1_u32..400).prop_map(|(less, by)| (less, less + by)),
        ) {
            let of = |number: u32| text(&front.replace('#', &number.to_string()));
            prop_assert!(is_smaller(&of(more), &of(less)));
            prop_assert!(!is_smaller(&of(less), &of(more)));
        }
    }
}
