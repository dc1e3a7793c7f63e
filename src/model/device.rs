//! Places under `/dev` that keep nothing.

/// Whether a path is one of the devices that hold nothing (terminals, `null`, random numbers, the kernel's log) or one of the shell's
/// own names for streams and connections: writing there loses nothing, and a copy there is none.
pub fn keeps_nothing(path: &str) -> bool {
    const NAMES: [&str; 12] = [
        "null", "zero", "full", "random", "urandom", "tty", "stdin", "stdout", "stderr", "console", "ptmx",
        "kmsg",
    ];
    let Some(name) = path.strip_prefix("/dev/") else { return false };
    NAMES.contains(&name)
        || ["fd/", "pts/", "tcp/", "udp/"].iter().any(|start| name.starts_with(start))
        || name.strip_prefix("tty").is_some_and(|rest| rest.chars().all(|c| c.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::keeps_nothing;

    #[test]
    fn devices() {
        for path in
            ["/dev/null", "/dev/ttyS0", "/dev/pts/3", "/dev/fd/2", "/dev/kmsg", "/dev/tcp/localhost/80"]
        {
            assert!(keeps_nothing(path), "{path}");
        }
        for path in ["/dev/sda", "/dev/shm/x", "/dev", "/dev/null/x", "null", "/dev/tty/x"] {
            assert!(!keeps_nothing(path), "{path}");
        }
    }
}
