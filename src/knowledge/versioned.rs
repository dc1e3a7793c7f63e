//! Names under which distributions install several versions of one program, or one for each machine that it makes programs
//! for: `gcc-12`, `ruby3.1`, `x86_64-linux-gnu-strip`, `php.default`, `git.exe`.
//!
//! Owns taking such a name apart. Pure.

/// First words of a machine's name, as compilers spell it.
const MACHINES: [&str; 9] =
    ["x86_64", "i686", "i586", "aarch64", "arm", "armv7l", "riscv64", "powerpc64le", "s390x"];

/// What distributions and Windows write behind the name of a program that is the same without it: the one that an alternative
/// points to, the program behind a wrapper, one that was put aside for another, a program at all.
const ENDINGS: [&str; 6] = [".default", ".bin", ".real", ".distrib", ".x11", ".exe"];

/// The names that a program's name may be a variant of, the longest first; without the name itself.
pub(super) fn plainer(name: &str) -> impl Iterator<Item = &str> {
    let whole = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending)).filter(|name| !name.is_empty());
    let named = whole.unwrap_or(name);
    let machine = named.split_once('-').filter(|(first, _)| MACHINES.contains(first));
    let bare = machine.and_then(|_| {
        // The machine's name has two to four words; the program's is the rest.
        named.match_indices('-').skip(1).map(|(at, _)| &named[at + 1..]).find(|rest| !is_system(rest))
    });
    let before = without_machine(named);
    let versions = [named, before.unwrap_or(named), bare.unwrap_or(named)].map(without_version);
    [
        whole,
        versions[0],
        before,
        versions[1].filter(|_| before.is_some()),
        bare,
        versions[2].filter(|_| bare.is_some()),
    ]
    .into_iter()
    .flatten()
}

/// A name without the machine's name at its end: `perl5.36-x86_64-linux-gnu`.
fn without_machine(name: &str) -> Option<&str> {
    MACHINES.iter().find_map(|machine| {
        let (plain, rest) = name.split_once(machine)?;
        let rest = rest.strip_prefix('-')?;
        plain.strip_suffix('-').filter(|plain| !plain.is_empty() && rest.split('-').all(is_system))
    })
}

/// Whether a rest still starts with words of a machine's name.
fn is_system(rest: &str) -> bool {
    let first = rest.split('-').next().unwrap_or(rest);
    ["linux", "gnu", "gnueabi", "gnueabihf", "musl", "none", "eabi", "elf", "mingw32", "w64"].contains(&first)
}

/// A name without the version at its end. A number alone is one of the name's own letters more often than not (`bzip2`),
/// so a dash or a point has to be in it.
fn without_version(name: &str) -> Option<&str> {
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let version = &name[plain.len()..];
    let (plain, dash) = match plain.strip_suffix('-') {
        Some(plain) => (plain, true),
        None => (plain, false),
    };
    let numbers = version.split('.').all(|part| !part.is_empty());
    (plain.len() > 1 && numbers && (dash || version.contains('.'))).then_some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_and_machines_are_taken_off() {
        for (name, plain) in [
            ("gcc-12", &["gcc"][..]),
            ("ruby3.1", &["ruby"]),
            ("perl5.36.0", &["perl"]),
            ("llvm-objcopy-14", &["llvm-objcopy"]),
            ("x86_64-linux-gnu-strip", &["strip"]),
            ("x86_64-linux-gnu-gcc-12", &["x86_64-linux-gnu-gcc", "gcc-12", "gcc"]),
            ("arm-none-eabi-objcopy", &["objcopy"]),
            ("bzip2", &[]),
            ("mkfs.ext4", &[]),
            ("a-1.", &[]),
            ("7.1", &[]),
            ("arm-1", &["arm"]),
            ("perl5.36-x86_64-linux-gnu", &["perl5.36", "perl"]),
            ("php8.2.default", &["php8.2", "php"]),
            ("phar.phar8.2", &["phar.phar"]),
            ("git.exe", &["git"]),
            ("tool-x86_64-pc", &[]),
            (".exe", &[]),
        ] {
            assert_eq!(plainer(name).collect::<Vec<_>>(), plain, "{name}");
        }
    }
}
