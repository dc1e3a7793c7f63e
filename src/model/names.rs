//! Names as lists of words, however they are written, and what a word in them says.

/// Words of a name: camelCase, snake_case, kebab-case, dots, slashes and blanks all separate; lower case.
pub fn words(name: &str) -> Vec<String> {
    let chars: Vec<char> = name.chars().collect();
    let mut found: Vec<String> = Vec::new();
    let mut word = String::new();
    for (at, c) in chars.iter().copied().enumerate() {
        if !c.is_alphanumeric() {
            found.extend(take(&mut word));
            continue;
        }
        if c.is_uppercase() && at > 0 {
            let before = chars[at - 1];
            let next_is_lower = chars.get(at + 1).is_some_and(|next| next.is_lowercase());
            // `deleteFile`, `SQLQuery`, `S3Bucket`; but `EC2` stays whole.
            if before.is_lowercase() || (before.is_alphanumeric() && next_is_lower && word.len() > 1) {
                found.extend(take(&mut word));
            }
        }
        word.extend(c.to_lowercase());
    }
    found.extend(take(&mut word));
    found
}

fn take(word: &mut String) -> Option<String> {
    (!word.is_empty()).then(|| std::mem::take(word))
}

/// Whether a name says production, as a word of its own: `prod-eu`, `acme-prd`, `liveDb`; not `non-prod`, `products`.
pub fn says_production(name: &str) -> bool {
    let words = words(name);
    words.iter().enumerate().any(|(at, word)| {
        // A number may stand at the end: `prod2`.
        let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let denied = at > 0 && matches!(words[at - 1].as_str(), "non" | "not" | "no" | "pre");
        matches!(word, "prod" | "production" | "prd" | "live") && !denied
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_gives_the_same_words() {
        for name in [
            "delete_file",
            "deleteFile",
            "delete-file",
            "DeleteFile",
            "delete.file",
            "delete/file",
            "DELETE_FILE",
        ] {
            assert_eq!(words(name), ["delete", "file"], "{name}");
        }
        assert_eq!(words("executeSQL"), ["execute", "sql"]);
        assert_eq!(words("SQLQuery"), ["sql", "query"]);
        assert_eq!(words("s3.delete_bucket"), ["s3", "delete", "bucket"]);
        assert_eq!(words("listS3Buckets"), ["list", "s3", "buckets"]);
        assert_eq!(words("@scope/server-git"), ["scope", "server", "git"]);
        assert_eq!(words("terminateEC2Instances"), ["terminate", "ec2", "instances"]);
        assert!(words("..//").is_empty());
    }

    #[test]
    fn production_is_a_word() {
        for yes in [
            "production",
            "prd",
            "PROD ",
            "prod-eu",
            "eu-prod",
            "production-eu",
            "prod-us-east-1",
            "prod2",
            "PROD_EU",
            "acmeProdDb",
            "live",
            "postgres://u:p@db.prod.example.org/x",
        ] {
            assert!(says_production(yes), "{yes}");
        }
        for no in [
            "development",
            "product",
            "products",
            "reproduction",
            "livestock",
            "",
            "non-prod",
            "pre-prod",
            "preprod",
            "staging",
        ] {
            assert!(!says_production(no), "{no}");
        }
    }
}
