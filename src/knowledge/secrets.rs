//! Words that carry secrets: a value with the role `secret`, what the patterns of a tool's `secrets` find among its words, and
//! those of `secrets.toml` among the words of any program, known or not. Says nothing of what a command does: a pattern never makes an option known or a word explained.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

use super::matched::{Match, compares};
use super::parts::after;
use crate::model::{Value, is_secret_name, names_a_secret};

/// The role of an option's value, an operand or a part that is a secret.
pub const SECRET: &str = "secret";

/// What stands in a place for any word without signs.
const NAME: &str = "<name>";

/// `secrets`: by the words that must have been given (in this order), where the secrets of such a command stand.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(try_from = "BTreeMap<String, Vec<String>>")]
pub struct SecretSpecs(Vec<SecretSpec>);

#[derive(Clone, Debug)]
struct SecretSpec {
    /// Options or words that must be there; `*` is any text.
    given: Vec<String>,
    place: SecretPlace,
}

/// Where a secret stands.
#[derive(Clone, Debug)]
enum SecretPlace {
    /// Standard input is the secret.
    Stdin,
    /// The line of this number of standard input, from 1.
    Line(usize),
    /// Behind this text in its word, and behind this word, where its own word does not tell it.
    Behind { before: Option<String>, head: String },
    /// The word of this number, from 1, behind those that were given; options are not counted.
    Word(usize),
}

impl TryFrom<BTreeMap<String, Vec<String>>> for SecretSpecs {
    type Error = String;

    fn try_from(table: BTreeMap<String, Vec<String>>) -> Result<Self, String> {
        let mut specs = Vec::new();
        for (given, places) in table {
            let given: Vec<String> = given.split_whitespace().map(str::to_owned).collect();
            for place in places {
                specs.push(SecretSpec { given: given.clone(), place: SecretPlace::parse(&place)? });
            }
        }
        Ok(Self(specs))
    }
}

impl SecretPlace {
    fn parse(place: &str) -> Result<Self, String> {
        if place == "<" {
            return Ok(Self::Stdin);
        }
        if let Some(Ok(number @ 1..)) = place.strip_prefix('<').map(str::parse) {
            return Ok(Self::Line(number));
        }
        let (before, last) = match place.rsplit_once(' ') {
            Some((before, last)) => (Some(before.to_owned()), last),
            None => (None, place),
        };
        if let (None, Some(Ok(number @ 1..))) = (&before, last.strip_prefix('@').map(str::parse)) {
            return Ok(Self::Word(number));
        }
        match last.strip_suffix('*') {
            Some(head) if place != "*" => Ok(Self::Behind { before, head: head.to_owned() }),
            _ => Err(format!(
                "`{place}`: a secret is written `*` at a word's end, `@` and a number, `<`, or `<` and a number"
            )),
        }
    }
}

impl SecretSpecs {
    /// Known texts of the secrets. `option` tells of words that are declared as options whether they were given.
    fn collect(
        &self,
        words: &[Vec<String>],
        stdin: Option<&Value>,
        option: impl Fn(&str) -> Option<bool>,
        found: &mut Vec<String>,
    ) {
        for spec in &self.0 {
            if let Some(behind) = spec.were_given(words, &option) {
                spec.place.collect(words, behind, stdin, found);
            }
        }
    }
}

impl SecretSpec {
    /// Whether these options and words are there, the words in this order: how many words that takes.
    fn were_given(&self, words: &[Vec<String>], option: impl Fn(&str) -> Option<bool>) -> Option<usize> {
        let mut behind = 0;
        for wanted in &self.given {
            let is = |word: &Vec<String>| word.iter().any(|text| compares(wanted, text));
            let there = match option(wanted) {
                Some(given) => given,
                None if wanted.starts_with('-') => words.iter().any(is),
                None => {
                    behind += words[behind..].iter().position(is)? + 1;
                    true
                }
            };
            if !there {
                return None;
            }
        }
        Some(behind)
    }
}

impl Match {
    /// Known texts of the secrets among `words` (without the command word) and in what comes in on standard input.
    pub fn secrets(&self, words: &[Value], stdin: Option<&Value>) -> Vec<String> {
        let options = self.options.iter().filter(|option| option.role.as_deref() == Some(SECRET));
        // An operand that is merely called so (`vault kv get secret/x`) names where one is kept.
        let operands = self.operands.iter().filter(|bound| bound.role == SECRET && bound.name != SECRET);
        let values = options.filter_map(|option| option.value.as_ref()).chain(operands.map(|o| &o.value));
        let mut found: Vec<String> = values.flat_map(texts).collect();
        found.extend(
            self.parts().iter().filter(|part| part.role == SECRET).flat_map(|part| texts(&part.value)),
        );
        let words: Vec<Vec<String>> = words.iter().map(texts).collect();
        let declared = |wanted: &str| {
            let option = self.levels.iter().flat_map(|level| &level.options).find(|o| o.is_on(wanted));
            option.map(|option| self.has(&option.key))
        };
        if let Some(tool) = self.levels.first() {
            tool.secrets.collect(&words, stdin, declared, &mut found);
        }
        found
    }
}

/// Known texts of the secrets among the words of any program, known or not (`secrets.toml`), and in its standard input.
pub fn secrets_of(program: &str, words: &[Value], stdin: Option<&Value>) -> Vec<String> {
    static PLACES: OnceLock<BTreeMap<String, SecretSpecs>> = OnceLock::new();
    let places = PLACES.get_or_init(|| {
        let json = include_str!(concat!(env!("OUT_DIR"), "/secrets.json"));
        let by_names: BTreeMap<String, SecretSpecs> = serde_json::from_str(json).unwrap_or_default();
        let each = |(names, specs): (String, SecretSpecs)| {
            let names: Vec<String> = names.split(' ').map(str::to_owned).collect();
            names.into_iter().map(move |name| (name, specs.clone()))
        };
        by_names.into_iter().flat_map(each).collect()
    });
    let mut found = Vec::new();
    let words: Vec<Vec<String>> = words.iter().map(texts).collect();
    if let Some(specs) = places.get(program) {
        specs.collect(&words, stdin, |_| None, &mut found);
        for inner in words.windows(2).filter(|two| holds_commands(&two[0])).flat_map(|two| &two[1]) {
            specs.collect(&commands_in(inner), None, |_| None, &mut found);
        }
    }
    by_option(&words, &mut found);
    by_name(&words, &mut found);
    found.retain(|text| is_telling(text));
    found
}

/// Whether the word behind this one holds commands of the program's own.
fn holds_commands(word: &[String]) -> bool {
    word.iter().any(|text| matches!(text.as_str(), "-c" | "-e" | "--command" | "--execute"))
}

/// The words of commands that one word holds.
fn commands_in(text: &str) -> Vec<Vec<String>> {
    let words = text.split(|c: char| c.is_whitespace() || c == ';').filter(|word| !word.is_empty());
    words.map(|word| vec![word.trim_matches(['"', '\'']).to_owned()]).collect()
}

/// Whether a text in a secret's place is one: words of every day and names of variables and files are none.
fn is_telling(text: &str) -> bool {
    const PLAIN: [&str; 9] = ["true", "false", "yes", "no", "null", "none", "default", "admin", "root"];
    !PLAIN.contains(&text) && !text.starts_with(['@', '$'])
}

/// The value behind an option whose name says that it is a secret, however options are written.
fn by_option(words: &[Vec<String>], found: &mut Vec<String>) {
    for (at, word) in words.iter().enumerate() {
        let [text] = word.as_slice() else { continue };
        let Some(name) = text.strip_prefix(['-', '/']).map(|name| name.trim_start_matches('-')) else {
            continue;
        };
        let value = words.get(at + 1).map(Vec::as_slice);
        if name == "secret" && value.is_some_and(|value| value.iter().all(|text| names_a_secret(text))) {
            continue;
        }
        match name.split_once(['=', ':']) {
            // `/srv/secrets:/secrets` is two places.
            Some((name, value))
                if is_secret_name(name)
                    && !name.contains('/')
                    && !value.starts_with('/')
                    && !names_a_secret(value) =>
            {
                found.push(value.to_owned());
            }
            None if text.starts_with('-') && is_secret_name(name) => {
                let value = words.get(at + 1).into_iter().flatten();
                found.extend(value.filter(|value| !value.starts_with('-')).cloned());
            }
            _ => {}
        }
    }
}

/// The value behind a setting's name that says that it is a secret: `config set dbPassword …`. A mere `secret` or `token`
/// is what is worked on, and no setting.
fn by_name(words: &[Vec<String>], found: &mut Vec<String>) {
    const SETS: [&str; 6] = ["set", "setenv", "config:set", "config", "configure", "modify"];
    const THINGS: [&str; 8] =
        ["secret", "secrets", "token", "tokens", "password", "passwords", "credential", "credentials"];
    let plain = |word: &Vec<String>, known: &[&str]| matches!(word.as_slice(), [text] if known.iter().any(|one| one.eq_ignore_ascii_case(text)));
    let Some(from) = words.iter().position(|word| plain(word, &SETS)) else { return };
    for (at, word) in words.iter().enumerate().skip(from + 1) {
        let [text] = word.as_slice() else { continue };
        let is_name = !text.starts_with('-') && !text.contains(['=', '/', '@']) && !plain(word, &THINGS);
        let last = text.rsplit('.').next().unwrap_or(text);
        if is_name && is_secret_name(last) {
            let value = words.get(at + 1).into_iter().flatten();
            found.extend(value.filter(|value| !value.starts_with('-')).cloned());
        }
    }
}

impl SecretPlace {
    fn collect(&self, words: &[Vec<String>], given: usize, stdin: Option<&Value>, found: &mut Vec<String>) {
        match self {
            Self::Stdin => found.extend(stdin.into_iter().flat_map(texts)),
            Self::Line(number) => {
                let all = stdin.into_iter().flat_map(texts);
                found.extend(all.filter_map(|text| text.lines().nth(number - 1).map(str::to_owned)));
            }
            Self::Word(number) => {
                let switch = |text: &str| text.strip_prefix('/').is_some_and(|name| !name.contains('/'));
                let option = |text: &String| text.starts_with('-') || switch(text);
                let plain = |word: &&Vec<String>| !word.iter().any(option);
                found.extend(
                    words[given..].iter().filter(plain).nth(number - 1).into_iter().flatten().cloned(),
                );
            }
            Self::Behind { before, head } => {
                for (at, word) in words.iter().enumerate() {
                    let fits = match before {
                        None => true,
                        Some(before) => at
                            .checked_sub(1)
                            .and_then(|at| words.get(at))
                            .is_some_and(|last| last.iter().any(|text| compares(before, text))),
                    };
                    // `-p` and `-P` are two options.
                    let cased = |text: &&String| !head.starts_with('-') || text.get(..2) == head.get(..2);
                    if fits {
                        let texts = word.iter().filter(cased);
                        // What may begin anyhow is no option: `put -mount=x k=v`.
                        let plain = |text: &&String| !head.starts_with('*') || !text.starts_with('-');
                        let values = texts.filter(plain).filter_map(|text| behind(head, text));
                        // A quote that opens in front of it is closed behind it.
                        let quoted = |text: &str| match head.ends_with('"') {
                            true => text.split(['"', '\\']).next().unwrap_or(text).to_owned(),
                            false => text.to_owned(),
                        };
                        found.extend(values.map(quoted));
                    }
                }
            }
        }
    }
}

/// The text behind a head, in which [`NAME`] stands for a word without signs: `<name>/` is in `ada/x` and not in `f=/x`. What
/// such a name has for a secret ends where a place is named, as in `ada/x@db`.
fn behind<'t>(head: &str, text: &'t str) -> Option<&'t str> {
    let Some((before, rest)) = head.split_once(NAME) else { return after(head, text) };
    let named = after(before, text)?;
    let length = named.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    let value = named[length..].strip_prefix(rest)?;
    (length > 0).then_some(value.split('@').next().unwrap_or(value))
}

/// What is known of a value as text: all that it may be, or what it begins with.
fn texts(value: &Value) -> Vec<String> {
    match value.choices() {
        Some(list) => list.to_vec(),
        None => vec![value.prefix()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(program: &str, words: &str) -> Vec<String> {
        let words: Vec<Value> = words.split_whitespace().map(Value::known).collect();
        let mut found = secrets_of(program, &words, None);
        found.sort();
        found.dedup();
        found
    }

    #[test]
    fn places_are_read_and_found() {
        for (program, words, secret) in [
            ("net", "use x: //h/s hidden", "hidden"),
            ("net", "use x: //h/s /user:u hidden", "hidden"),
            ("ldapsearch", "-x -w hidden", "hidden"),
            ("ipmitool", "-Phidden power off", "hidden"),
            ("doppler", "secrets set A hidden -p shop", "hidden"),
            ("aws", "ssm put-parameter --value hidden --type SecureString", "hidden"),
            ("nobody-knows-it", "up --authkey hidden", "hidden"),
            ("nobody-knows-it", "-password=hidden", "hidden"),
            ("nobody-knows-it", "/password:hidden", "hidden"),
            ("nobody-knows-it", "config set dbPassword hidden", "hidden"),
            ("nobody-knows-it", "setenv DB_PASSWORD hidden", "hidden"),
            ("nobody-knows-it", "--secret hidden", "hidden"),
            ("setx", "API_KEY hidden /M", "hidden"),
            ("setx", "/M GH_TOKEN hidden", "hidden"),
            ("exp", "ada/hidden file=/tmp/a.dmp", "hidden"),
            ("imp", "userid=ada/hidden@db file=a.dmp", "hidden"),
            ("vault", "kv put -mount=x s k=hidden", "hidden"),
        ] {
            assert!(
                found(program, words).contains(&secret.to_owned()),
                "{program} {words}: {:?}",
                found(program, words)
            );
        }
        let words = ["-c", "open -u ada,hidden files.test; ls"].map(Value::known);
        assert!(secrets_of("lftp", &words, None).contains(&"hidden".to_owned()));
        for (program, words) in [
            ("aws", "ssm put-parameter --value shown --type String"),
            ("ldapsearch", "-W -x"),
            ("mysql", "-P3306 -h h"),
            ("vault", "kv get secret/shown"),
            ("setx", "JAVA_HOME shown"),
            ("exp", "file=/tmp/a.dmp log=/tmp/a.log"),
            ("sqlldr", "control=/srv/load.ctl"),
            ("vault", "kv put -mount=shown s @file"),
            ("npm", "token revoke shown"),
            ("docker", "build --secret id=shown,src=/shown ."),
            ("docker", "build --secret=type=file,id=shown ."),
            ("nobody-knows-it", "-v /srv/secrets:/secrets /srv/tokens=/tokens"),
            ("nobody-knows-it", "create secret generic shown"),
            ("nobody-knows-it", "set token_file shown"),
            ("nobody-knows-it", "--token-file shown --password-stdin shown"),
        ] {
            assert_eq!(found(program, words), Vec::<String>::new(), "{program} {words}");
        }
    }

    #[test]
    fn a_place_is_written_in_one_of_few_ways() {
        for wrong in ["word", "*", "@0", "@x", "a b"] {
            assert!(SecretPlace::parse(wrong).is_err(), "{wrong}");
        }
    }
}
