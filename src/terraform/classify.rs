//! Types that no data file knows: what their name and attributes suggest. Weak evidence, said so, never a reason to
//! call a deletion harmless.

/// What a type seems to be, with how sure that is (per cent).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Guess {
    /// `runs`, `expiry`, `relationship`, `configuration`, `access`, `credential`, `data`, `unknown`.
    pub(super) class: &'static str,
    /// Per cent.
    pub(super) confidence: i64,
}

/// Last words of a type's name and the class they suggest. Whole words between underscores, never substrings.
const BY_LAST_WORD: &[(&str, &[&str], i64)] = &[
    (
        "relationship",
        &["attachment", "association", "membership", "member", "binding", "assignment", "peering"],
        75,
    ),
    (
        "configuration",
        &[
            "policy",
            "rule",
            "rules",
            "configuration",
            "config",
            "settings",
            "setting",
            "permission",
            "alarm",
            "dashboard",
            "listener",
            "record",
            "route",
            "schedule",
            "monitor",
        ],
        65,
    ),
    ("access", &["role", "group", "user", "account", "grant", "acl"], 60),
    ("credential", &["key", "secret", "password", "token", "certificate", "credential"], 60),
    (
        "data",
        &[
            "database",
            "db",
            "instance",
            "cluster",
            "bucket",
            "table",
            "volume",
            "disk",
            "snapshot",
            "backup",
            "vault",
            "repository",
            "registry",
            "queue",
            "topic",
            "stream",
            "index",
            "domain",
            "filesystem",
            "share",
            "store",
            "claim",
            "namespace",
            "project",
            "zone",
            "server",
            "collection",
        ],
        60,
    ),
];

/// Words anywhere in a name that say more than its last one: it runs something, or it deletes after a time.
const BY_ANY_WORD: &[(&str, &[&str], i64)] = &[
    ("runs", &["script", "command", "exec", "shell", "playbook", "cmd", "run", "runbook"], 50),
    ("expiry", &["lifecycle", "retention", "expiration", "expiry", "ttl", "purge", "cleanup", "prune"], 50),
];

/// Whether the name is one of something that says what becomes of other things.
pub(super) fn is_setting(r#type: &str) -> bool {
    matches!(guess(r#type).class, "configuration" | "expiry")
}

/// Guesses from a type's name.
pub(super) fn guess(r#type: &str) -> Guess {
    for (class, words, confidence) in BY_ANY_WORD {
        // Cloud Run serves containers; what they do is theirs.
        let plain = r#type.replace("cloud_run", "service");
        if plain.split('_').any(|word| words.contains(&word)) {
            return Guess { class, confidence: *confidence };
        }
    }
    let last = r#type.rsplit('_').next().unwrap_or("");
    for (class, words, confidence) in BY_LAST_WORD {
        if words.contains(&last) {
            return Guess { class, confidence: *confidence };
        }
    }
    // A word that means data anywhere in the name outweighs an unknown last word.
    let data =
        BY_LAST_WORD.iter().find(|(class, ..)| *class == "data").map_or(&[][..], |(_, words, _)| words);
    if r#type.split('_').skip(1).any(|word| data.contains(&word)) {
        return Guess { class: "data", confidence: 45 };
    }
    Guess { class: "unknown", confidence: 30 }
}

#[cfg(test)]
mod tests {
    use super::guess;

    #[test]
    fn whole_words_decide() {
        assert_eq!(guess("cloudflare_record").class, "configuration");
        assert_eq!(guess("kubernetes_persistent_volume_claim").class, "data");
        assert_eq!(guess("acme_widget").class, "unknown");
        assert_eq!(guess("acme_role_attachment").class, "relationship");
        assert_eq!(guess("acme_metadatabased_thing").class, "unknown");
        assert_eq!(guess("acme_shell_script").class, "runs");
        assert_eq!(guess("acme_retention_policy").class, "expiry");
        assert_ne!(guess("acme_cloud_run_service").class, "runs");
    }

    /// The guess for 1,782 real types whose class is known, none of which it has seen: what it is good for, measured. A name
    /// alone never lets a removal go; what it must not do is to call a thing of worth a mere setting.
    #[test]
    fn names_of_real_types_are_guessed_as_well_as_measured() {
        let (mut told, mut right, mut worth, mut belittled) = (0, 0, 0, Vec::new());
        let all = include_str!("../../tests/data/terraform_classes.tsv");
        for line in all.lines().filter(|line| !line.starts_with('#')) {
            let (name, class) = line.split_once('\t').unwrap();
            let found = guess(name).class;
            let mild = ["relationship", "configuration"].contains(&found);
            if ["data", "key", "identity"].contains(&class) {
                worth += 1;
                if mild {
                    belittled.push(name);
                }
            }
            if found != "unknown" {
                told += 1;
                right += usize::from(match class {
                    "data" | "compute" => ["data", "expiry", "credential"].contains(&found),
                    "key" => ["credential", "data"].contains(&found),
                    "identity" => ["access", "data"].contains(&found),
                    "access" => ["access", "relationship", "configuration"].contains(&found),
                    "link" => found == "relationship",
                    _ => ["configuration", "expiry", "runs"].contains(&found),
                });
            }
        }
        assert!(worth > 600 && told > 1000, "{worth} {told}");
        assert!(
            belittled.len() * 100 < worth,
            "more than 1 % of what has worth is called a setting: {belittled:?}"
        );
        assert!(right * 100 >= told * 70, "{right} of {told}");
    }
}
