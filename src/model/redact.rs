//! Secrets in text, so that nothing we print carries them.
//!
//! Recognises by form (token prefixes, private key blocks), by place (a URL's password and query, an `Authorization:` header) and by
//! name (`PGPASSWORD=…`, `--password …`, `"secret": "…"`). A scanner, total and linear; errs towards masking.

use std::borrow::Cow;
use std::ops::Range;

use super::headers::headers;
use super::queries::queries;
use super::quoted::{is_value, push_value};
use super::statements::passwords;
pub use super::tokens::MASK;
use super::tokens::{addresses, by_chance, is_reference, tokens, url_passwords};
use crate::order;

/// The text with recognisable secrets masked.
pub fn redact(text: &str) -> Cow<'_, str> {
    mask_ranges(text, secret_ranges(text))
}

/// The text with the mask in place of these ranges, in any order.
pub(super) fn mask_ranges(text: &str, ranges: Vec<Range<usize>>) -> Cow<'_, str> {
    let ranges = merge(ranges);
    if ranges.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for range in ranges {
        out.push_str(&text[at..range.start]);
        out.push_str(MASK);
        at = range.end;
    }
    out.push_str(&text[at..]);
    Cow::Owned(out)
}

/// The byte ranges of recognisable secrets, in order, not overlapping, on character boundaries.
pub fn secret_ranges(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    private_keys(text, &mut found);
    tokens(text, &mut found);
    url_passwords(text, &mut found);
    addresses(text, &mut found);
    queries(text, is_secret_name, &mut found);
    by_chance(text, &mut found);
    headers(text, &mut found);
    named_values(text, &mut found);
    options(text, &mut found);
    merge(found)
}

pub(super) fn merge(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.retain(|range| range.start < range.end);
    order::by_key(&mut ranges, |range| (range.start, range.end));
    let mut out: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match out.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => out.push(range),
        }
    }
    out
}

/// `-----BEGIN … PRIVATE KEY-----` up to its end, or to the end of the text.
fn private_keys(text: &str, found: &mut Vec<Range<usize>>) {
    if !text.contains('-') {
        return;
    }
    let mut at = 0;
    while let Some(begin) = text[at..].find("-----BEGIN ").map(|i| i + at) {
        let rest = &text[begin + 11..];
        let Some(close) = rest.find("-----") else { return };
        let title = &rest[..close];
        let body = begin + 11 + close + 5;
        if !title.contains("PRIVATE KEY") {
            at = body;
            continue;
        }
        let end = text[body..].find("-----END ").map_or(text.len(), |i| i + body);
        found.push(body..end);
        at = end.max(body);
        if end == text.len() {
            return;
        }
        at += 9;
    }
}

/// Whether the value of an option `--secret` says which secret is meant and where it lies, as builders of images take it.
pub fn names_a_secret(value: &str) -> bool {
    ["id=", "src=", "source=", "type=", "target=", "env="].iter().any(|start| value.starts_with(start))
}

/// Whether a name says that its value is secret.
pub fn is_secret_name(name: &str) -> bool {
    if is_key_of_the_environment(name) {
        return true;
    }
    // `RABBITMQ_DEFAULT_PASS`: a word of its own, however long the name is.
    let last = name.rsplit(['_', '-', '.']).next().unwrap_or_default().to_lowercase();
    let last = if last.len() == name.len() { String::new() } else { last };
    let name: String =
        name.chars().filter(|c| !matches!(c, '_' | '-' | '.')).flat_map(char::to_lowercase).collect();
    const PARTS: &[&str] = &[
        "password",
        "passwd",
        "passphrase",
        "secret",
        "token",
        "apikey",
        "accesskey",
        "accountkey",
        "privatekey",
        "credential",
        "authkey",
        "encryptionkey",
        "clientkey",
        "sharedkey",
        "hmackey",
        "connectionstring",
    ];
    const WHOLE: &[&str] = &["pass", "pwd", "pgpass", "dbpass", "mysqlpwd", "userpass", "auth", "pw"];
    // Names of files and counts, not of secrets.
    const NOT: &[&str] = &[
        "file", "path", "dir", "length", "count", "name", "arn", "id", "ttl", "type", "policy", "stdin",
        "prompt", "helper", "provider", "endpoint", "lifetime", "expiry",
    ];
    let secret = PARTS.iter().any(|part| name.contains(part))
        || matches!(last.as_str(), "pass" | "pw")
        || WHOLE.iter().any(|whole| name.ends_with(whole) && name.len() <= whole.len() + 6)
        || matches!(name.as_str(), "pin" | "psk" | "otp" | "totp");
    let about = NOT.iter().any(|end| name.ends_with(end)) && !name.ends_with("keyid");
    let directory = matches!(name.as_str(), "pwd" | "oldpwd");
    secret && !about && !directory
}

/// `STRIPE_KEY`, `MASTER_KEY`: what variables of that form hold, but for keys that are for everybody or merely name something.
fn is_key_of_the_environment(name: &str) -> bool {
    const OPEN: [&str; 13] = [
        "PUBLIC",
        "PRIMARY",
        "FOREIGN",
        "CACHE",
        "SORT",
        "PARTITION",
        "HOST",
        "KNOWN",
        "OBJECT",
        "GROUP",
        "S3",
        "HOT",
        "REGISTRY",
    ];
    let upper = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    name.strip_suffix("_KEY").is_some_and(|of| {
        !of.is_empty()
            && of.chars().all(upper)
            && !of.rsplit('_').next().is_some_and(|last| OPEN.contains(&last))
    })
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// `name=value`, `name: value`, `"name": "value"`.
fn named_values(text: &str, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        if !matches!(byte, b'=' | b':') {
            continue;
        }
        if bytes.get(at + 1) == Some(byte) || (at > 0 && bytes[at - 1] == *byte) {
            continue;
        }
        // The name before it, perhaps quoted.
        let mut end = at;
        while end > 0 && matches!(bytes[end - 1], b' ' | b'"' | b'\'' | b'+' | b']') {
            end -= 1;
        }
        let start = bytes[..end].iter().rposition(|byte| !is_name_byte(*byte)).map_or(0, |i| i + 1);
        let name = text[start..end].trim_start_matches('-');
        if name.is_empty() || !is_secret_name(name) {
            continue;
        }
        let after = &text[at + 1..];
        // `/srv/tokens:/tokens` is two places.
        if start > 0 && bytes[start - 1] == b'/' && after.starts_with('/') {
            continue;
        }
        // `feature/token=abc` is a branch or a path; in an address it may be more.
        if *byte == b'=' && is_below(&bytes[start.saturating_sub(PATH)..start]) {
            continue;
        }
        let blanks = after.len() - after.trim_start_matches([' ', '\t']).len();
        if name == "secret" && names_a_secret(after) {
            continue;
        }
        // `name= other` in shell is an empty value; only `:` and spaced `=` take blanks.
        if *byte == b'=' && blanks > 0 && end == at {
            continue;
        }
        push_value(text, at + 1 + blanks, found);
    }
    texts_for_files(text, found);
    passwords(text, found);
    // Only a quoted value counts here.
    if !text.contains(['\'', '"', '$']) {
        return;
    }
    // `set_password('value')`
    for (at, _) in text.match_indices('(') {
        let quoted = text[at + 1..].starts_with(['\'', '"']);
        let start = bytes[..at].iter().rposition(|byte| !is_name_byte(*byte)).map_or(0, |i| i + 1);
        let name = text[start..at].to_ascii_lowercase();
        let sets = name.contains("passw") || name.ends_with("passphrase");
        if quoted && sets && !name.starts_with("get") {
            push_value(text, at + 1, found);
        }
    }
}

/// Longest path in front of a name that is looked at, in bytes.
const PATH: usize = 256;

/// Whether the last word of a text is a plain relative path that ends with a slash: no address, no rule of an editor (`s/…/`).
fn is_below(before: &[u8]) -> bool {
    let start = before.iter().rposition(u8::is_ascii_whitespace).map_or(0, |at| at + 1);
    let word = &before[start..];
    let first = word.split(|byte| *byte == b'/').next().unwrap_or_default();
    word.ends_with(b"/") && first.len() > 1 && word.iter().all(|byte| is_name_byte(*byte) || *byte == b'/')
}

/// `--password-file=<(echo value)`: a text in place of the file that holds a secret.
fn texts_for_files(text: &str, found: &mut Vec<Range<usize>>) {
    for (at, _) in text.match_indices("<(") {
        let before = text[..at].trim_end_matches(['=', ' ']);
        let option = before.rsplit([' ', '\t', '\n']).next().unwrap_or(before);
        let of = option.trim_start_matches('-').trim_end_matches("-file").trim_end_matches("_file");
        let inner = text[at + 2..].trim_start();
        let said = ["echo -n ", "echo ", "printf '%s' ", "printf %s ", "printf "];
        let Some(value) = said.iter().find_map(|said| inner.strip_prefix(said)) else { continue };
        if option.starts_with('-') && is_secret_name(of) {
            push_value(text, text.len() - value.len(), found);
        }
    }
}

/// The secret in one whole word of a command that is an option (`--password=a b`), or in a variable and its value, if the name
/// says that it is one. Other words may be texts that are run or read, of which people have to see the rest.
pub fn secret_of_word(word: &str) -> Option<&str> {
    let (name, value) = word.split_once('=')?;
    let name = name.trim_start_matches('-');
    if !name.bytes().all(is_name_byte) {
        return None;
    }
    let about = name == "secret" && names_a_secret(value);
    (is_secret_name(name) && !about && is_value(value)).then_some(value)
}

/// Gives a password to a program that would ask for it.
const ASKS_NOBODY: &str = "sshpass";

/// `--password value`, `sshpass -p value`, `curl -u user:value`, `mysql -pvalue`.
fn options(text: &str, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let begins = |at: usize| at == 0 || !bytes[at - 1].is_ascii_graphic();
    if !bytes.iter().enumerate().any(|(at, byte)| *byte == b'-' && begins(at)) {
        return;
    }
    let words: Vec<(usize, &str)> = words(text);
    let mut program = "";
    let mut fresh = true;
    for (index, (at, word)) in words.iter().enumerate() {
        if fresh {
            program = word.rsplit('/').next().unwrap_or(word);
        }
        fresh = matches!(*word, "|" | "||" | "&&" | ";" | "&" | "sudo" | "env" | "time")
            || word.ends_with(';')
            || (fresh && word.contains('='));
        let next = words.get(index + 1);
        let long = word.strip_prefix("--").filter(|name| !name.contains('='));
        if let (Some(name), Some((value_at, value))) = (long, next)
            && is_secret_name(name)
            && !value.starts_with('-')
            && !(name == "secret" && names_a_secret(value))
        {
            push_value(text, *value_at, found);
        }
        let is = |names: &[&str]| names.contains(&program);
        if *word == "-p"
            && is(&[ASKS_NOBODY])
            && let Some((value_at, _)) = next
        {
            push_value(text, *value_at, found);
        }
        if let Some(value) = word.strip_prefix("-p").filter(|value| !value.is_empty())
            && is(&["mysql", "mysqldump", "mysqladmin", "mariadb", "mariadb-dump", ASKS_NOBODY])
            && !is_reference(value)
        {
            push_value(text, at + 2, found);
        }
        if is(&["curl", "http", "https", "wget"]) {
            let user = matches!(*word, "-u" | "--user" | "-a" | "--auth") || is_cluster(word, 'u');
            let glued = word.strip_prefix("-u").filter(|value| !value.is_empty());
            let glued = glued.map(|value| (at + 2, value));
            if let Some((value_at, value)) = glued.or(next.filter(|_| user).copied())
                && let Some(colon) = value.find(':')
            {
                push_value(text, value_at + colon + 1, found);
            }
        }
    }
}

/// Whether a word is several one-letter options, the last of which is this one (`-sSu`).
fn is_cluster(word: &str, last: char) -> bool {
    let letters = word.strip_prefix('-').and_then(|letters| letters.strip_suffix(last));
    letters.is_some_and(|letters| !letters.is_empty() && letters.bytes().all(|b| b.is_ascii_alphabetic()))
}

fn words(text: &str) -> Vec<(usize, &str)> {
    let mut out = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices() {
        if c.is_whitespace() {
            if let Some(begin) = start.take() {
                out.push((begin, &text[begin..at]));
            }
        } else if start.is_none() {
            start = Some(at);
        }
    }
    if let Some(begin) = start {
        out.push((begin, &text[begin..]));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::redact;

    #[test]
    fn secrets_are_masked() {
        for (text, want) in [
            ("PGPASSWORD=hunter2 psql", "PGPASSWORD=*** psql"),
            ("export API_KEY='a b c'", "export API_KEY='***'"),
            ("curl https://bob:s3cr3t@host/x", "curl https://bob:***@host/x"),
            ("psql postgres://u:p%40ss@db/prod", "psql postgres://u:***@db/prod"),
            ("curl -H 'Authorization: Bearer abcdef123456' x", "curl -H 'Authorization: Bearer ***' x"),
            ("curl -H \"X-Api-Key: k\" x", "curl -H \"X-Api-Key: ***\" x"),
            ("tool --password hunter2 -v", "tool --password *** -v"),
            ("tool --password=hunter2 -v", "tool --password=*** -v"),
            ("mysql -uroot -phunter2 db", "mysql -uroot -p*** db"),
            ("sshpass -p hunter2 ssh h", "sshpass -p *** ssh h"),
            ("curl -u bob:hunter2 x", "curl -u bob:*** x"),
            ("curl -sSu bob:hunter2 x", "curl -sSu bob:*** x"),
            ("curl -ubob:hunter2 x", "curl -ubob:*** x"),
            ("RABBITMQ_DEFAULT_PASS=hunter2 x", "RABBITMQ_DEFAULT_PASS=*** x"),
            ("ansible -e ansible_become_pass=hunter2", "ansible -e ansible_become_pass=***"),
            ("ALTER ROLE x PASSWORD $$hunter2 x$$", "ALTER ROLE x PASSWORD $$***$$"),
            ("TOKEN=$'a b' x", "TOKEN=$'***' x"),
            ("TOKEN=a\\ b x", "TOKEN=*** x"),
            ("TOKEN='a'b'c d' x", "TOKEN=*** x"),
            ("TOKEN=\"a\\\"b c\" x", "TOKEN=\"***\" x"),
            ("TOKEN='it'\\''s' x", "TOKEN=*** x"),
            ("sh -c 'TOKEN=\"a b\"' && ls 'b'", "sh -c 'TOKEN=\"***\"' && ls 'b'"),
            ("sed 's/password=hunter2/x/' f", "sed 's/password=***' f"),
            ("sed -i s/password=hunter2/x/ f", "sed -i s/password=*** f"),
            ("curl https://h/token=hunter2", "curl https://h/token=***"),
            ("x=`TOKEN=abc y`", "x=`TOKEN=*** y`"),
            ("x=`y TOKEN=abc`", "x=`y TOKEN=***`"),
            ("password: it's", "password: ***'s"),
            ("aws AKIAIOSFODNN7EXAMPLE x", "aws *** x"),
            ("echo ghp_0123456789abcdefghijABCDEFGHIJ0123", "echo ***"),
            ("{\"password\": \"hunter2\", \"a\": 1}", "{\"password\": \"***\", \"a\": 1}"),
            ("ALTER USER x IDENTIFIED BY 'hunter2'", "ALTER USER x IDENTIFIED BY '***'"),
            ("git clone https://hunter2@host/x", "git clone https://***@host/x"),
            ("git clone https://hunter2:x-oauth-basic@host/x", "git clone https://***:***@host/x"),
            ("pip install git+https://hunter2:@host/x", "pip install git+https://***:@host/x"),
            ("tailscale up --authkey tskey-abc", "tailscale up --authkey ***"),
            ("STRIPE_KEY=abc PIN=1234 ./x", "STRIPE_KEY=*** PIN=*** ./x"),
            ("./x -p q7Rk2bTz9LmW4xYc8NvH3dGs", "./x -p ***"),
            ("X=q7Rk2bTz9LmW4xYc8NvH3dGs ./x", "X=*** ./x"),
            ("u.set_password('hunter2')", "u.set_password('***')"),
            ("os.environ['API_KEY']='hunter2'", "os.environ['API_KEY']='***'"),
            ("rsync --password-file=<(echo hunter2) a h::b", "rsync --password-file=<(echo ***) a h::b"),
            (
                "curl https://hooks.slack.com/services/T00/B00/abcd",
                "curl https://hooks.slack.com/services/***",
            ),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----",
                "-----BEGIN RSA PRIVATE KEY-----***-----END RSA PRIVATE KEY-----",
            ),
        ] {
            assert_eq!(redact(text), want);
        }
    }

    #[test]
    fn ordinary_text_stays() {
        for text in [
            "ls -la",
            "docker run -p 80:80 -u 1000:1000 x",
            "PGPASSWORD=$PW psql",
            "cd $OLDPWD; PWD=/tmp",
            "git push https://github.com/a/b",
            "ssh user@host",
            "mkdir -p a/b",
            "rm secrets.txt",
            "git checkout -b feature/token=abc; ls cache/auth=old/data",
            "a sketch-of-something-longer-than-twenty",
            "git clone https://ada@host/x; git clone ssh://Deploy1@host/x",
            "git clone https://git@host/x https://oauth2:$TOKEN@host/x",
            "docker run -v /srv/tokens:/tokens x@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
            "PUBLIC_KEY=abc SSH_KNOWN_HOST_KEY=abc CACHE_KEY=v1-linux x",
            "docker login --password-stdin registry.example",
            "aws cloudformation delete-stack --stack-name MyVeryLongStackName2ForProduction1",
            "terraform apply -target=module.NetworkAndStorage2.aws_instance.WebServerOfTheShop",
            "git show 1b7f2e9c4d8a6f0b3e5c7d9a1f2b4c6d8e0f1a3b",
            "kubectl delete pod web-6d4cf56db6-x7k2p --grace-period=0",
            "get_password('db')",
            "docker build --secret id=npm,src=.npmrc . --secret=id=b,env=B",
            "gdrive delete 1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms",
        ] {
            assert_eq!(redact(text), text);
        }
    }

    #[test]
    fn odd_text_does_not_panic() {
        for text in
            ["://@", "=:=", "-----BEGIN ", "é=é:é", "password:", "--password", "authorization:", "a://é:é@é"]
        {
            let _ = redact(text);
        }
    }
}
