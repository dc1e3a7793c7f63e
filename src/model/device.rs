//! Places under `/dev`: those that keep nothing, and those that may keep what somebody stored.

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

/// Whether a path may be a disk, a partition or a tape: anything under `/dev` that is not known to be something else.
pub fn is_storage(path: &str) -> bool {
    const OTHERS: [&str; 49] = [
        "input/",
        "snd/",
        "dri/",
        "video",
        "media",
        "bus/",
        "net/",
        "kvm",
        "fuse",
        "hidraw",
        "i2c",
        "rtc",
        "hpet",
        "watchdog",
        "lp",
        "usb",
        "serial/",
        "shm/",
        "fb",
        "loop-control",
        "uinput",
        "uhid",
        "vhost",
        "dvb/",
        "v4l",
        "gpiochip",
        "spidev",
        "cuse",
        "nvidia",
        "kfd",
        "autofs",
        "mqueue/",
        "hugepages",
        "log",
        "initctl",
        "core",
        "rfkill",
        "accel",
        "cpu",
        "mixer",
        "dsp",
        "audio",
        "midi",
        "sequencer",
        "tty",
        "cu.",
        "ptp",
        "tpm",
        "vfio",
    ];
    let Some(name) = path.strip_prefix("/dev/") else { return false };
    !name.is_empty() && !keeps_nothing(path) && !OTHERS.iter().any(|other| name.starts_with(other))
}

#[cfg(test)]
mod tests {
    use super::{is_storage, keeps_nothing};

    #[test]
    fn storage() {
        for path in [
            "/dev/sda",
            "/dev/nvme0n1p2",
            "/dev/mapper/vg-root",
            "/dev/disk/by-id/x",
            "/dev/loop0",
            "/dev/st0",
        ] {
            assert!(is_storage(path), "{path}");
        }
        for path in [
            "/dev/null",
            "/dev/ttyUSB0",
            "/dev/video0",
            "/dev/",
            "dev/sda",
            "/dev/shm/x",
            "/dev/loop-control",
        ] {
            assert!(!is_storage(path), "{path}");
        }
    }

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
