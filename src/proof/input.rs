//! What an attestation says was evaluated, and whether that is what is about to run.
//!
//! The wire form is the protocol's `input`: shell text with its directory, a Terraform plan by digest, an MCP call.
//! Recognisable secrets are never signed: the text stands masked beside a salted digest of the exact bytes.

use std::borrow::Cow;
use std::path::Path;

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::attest::document::hex;
use crate::evaluate::EvaluationContext;
use crate::json::{self as strict, is_nfc};
use crate::mcp_call::McpCall;
use crate::model::Secrets;
use crate::shell;

/// Where the evidence stands that a caller supplied.
const SUPPLIED: &str = "suppliedEvidence";

/// A plan is at most this many bytes.
const PLAN_LIMIT: usize = 1 << 30;

/// Why an input cannot be attested or compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// A word or the directory is not text.
    #[error("{0} is not valid UTF-8, which an attestation cannot express")]
    NotText(&'static str),
    /// Normalisation would change it.
    #[error("{0} is not in Unicode normalisation form C, so an attestation cannot name it exactly")]
    NotNormal(&'static str),
    /// A number that a double does not hold.
    #[error("{0} is beyond 2^53, which an attestation cannot name exactly; give it as text")]
    NotExact(String),
    /// An argument that looks like a masked secret.
    #[error("an argument with exactly the members sha256 and salt could be taken for a masked secret")]
    Mistakable,
    /// The plan is not JSON that has one canonical form.
    #[error("the plan has no canonical form: {0}")]
    Plan(String),
}

/// What is attested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A command.
    Shell {
        /// The text; of an argument vector its quoted words.
        text: String,
        /// The argument vector, where one was judged.
        argv: Option<Vec<String>>,
    },
    /// A plan.
    Terraform {
        /// SHA-256 of its canonical JSON, lower-case hexadecimal.
        plan_sha256: String,
    },
    /// A call of another server's tool.
    Mcp {
        /// The server's name, where it was given.
        server: Option<String>,
        /// The tool.
        tool: String,
        /// Its arguments.
        arguments: Value,
    },
}

impl Subject {
    /// Of a command.
    ///
    /// # Errors
    /// When a word is not text.
    pub fn shell(input: &shell::Input) -> Result<Self, InputError> {
        match input {
            shell::Input::Text(text) => Ok(Self::Shell { text: text.clone(), argv: None }),
            shell::Input::Argv(words) => {
                let words: Option<Vec<String>> = words.iter().cloned().collect();
                let argv = words.ok_or(InputError::NotText("a word of the command"))?;
                Ok(Self::Shell { text: shell_words::join(&argv), argv: Some(argv) })
            }
        }
    }

    /// Of a plan's bytes (`terraform show -json`).
    ///
    /// # Errors
    /// When the bytes are not strict JSON.
    pub fn terraform(plan: &[u8]) -> Result<Self, InputError> {
        let wrong = |error: strict::JsonError| InputError::Plan(error.to_string());
        let value = strict::parse(plan, PLAN_LIMIT).map_err(wrong)?;
        let bytes = strict::canonical(&value).map_err(wrong)?;
        Ok(Self::Terraform { plan_sha256: hex(&Sha256::digest(bytes)) })
    }

    /// Of a call of another server's tool.
    pub fn mcp(call: &McpCall) -> Self {
        Self::Mcp {
            server: call.server().map(str::to_owned),
            tool: call.tool().to_owned(),
            arguments: Value::Object(call.arguments().clone()),
        }
    }

    /// The `input` of an attestation. `salt` keeps digests of masked secrets from being guessed; `secrets` are those that
    /// the evaluation found.
    ///
    /// # Errors
    /// When the directory is not text, or a number is beyond what an attestation can name.
    pub fn wire(
        &self,
        context: &EvaluationContext,
        salt: &str,
        secrets: &Secrets,
    ) -> Result<Value, InputError> {
        let mut input = Map::new();
        match self {
            Self::Shell { text, argv } => {
                input.insert("source".into(), json!("shell"));
                let shown = secrets.mask(text);
                input.insert("input".into(), json!(shown));
                if shown != *text {
                    input.insert("inputSha256".into(), json!(digest(salt, text)));
                    input.insert("salt".into(), json!(salt));
                } else if let Some(argv) = argv {
                    input.insert("argv".into(), json!(argv));
                }
                if let (true, Some(argv)) = (shown != *text, argv) {
                    input.insert("argvSha256".into(), json!(digest(salt, &words(argv))));
                }
                // Where no directory was told, none is attested, and nothing that is about to run has none.
                if !context.cwd.as_os_str().is_empty() {
                    input.insert("cwd".into(), json!(directory(&context.cwd)?));
                }
            }
            Self::Terraform { plan_sha256 } => {
                input.insert("source".into(), json!("terraform"));
                input.insert("input".into(), json!({ "planSha256": plan_sha256 }));
            }
            Self::Mcp { server, tool, arguments } => {
                exact(arguments)?;
                input.insert("source".into(), json!("mcp"));
                let mut call = Map::new();
                if let Some(server) = server {
                    call.insert("server".into(), json!(server));
                }
                call.insert("tool".into(), json!(tool));
                call.insert("arguments".into(), masked(arguments, salt, secrets));
                input.insert("input".into(), Value::Object(call));
            }
        }
        if !context.supplied.is_empty() {
            // The outputs may hold secrets; a salted digest says which they were.
            let claims = context.supplied.claims().map(|(target, key, raw)| {
                json!({ "target": secrets.mask(target), "key": key, "rawSha256": digest(salt, raw) })
            });
            input.insert(SUPPLIED.into(), json!({ "salt": salt, "claims": claims.collect::<Vec<_>>() }));
        }
        if let Some(actor) = &context.actor {
            input.insert("actor".into(), json!(actor.id));
        }
        if let Some(environment) = &context.environment {
            input.insert("environment".into(), json!(environment));
        }
        if let Some(audience) = &context.audience {
            input.insert("audience".into(), json!(audience));
        }
        Ok(Value::Object(input))
    }

    /// Whether an attested `input` is exactly this, in this directory and environment.
    ///
    /// # Errors
    /// What differs, for the detail of `cross_check_mismatch`; or why it cannot be compared.
    pub fn matches(&self, attested: &Value, context: &EvaluationContext) -> Result<(), String> {
        let field = |name: &str| attested.get(name).and_then(Value::as_str);
        let source = match self {
            Self::Shell { .. } => "shell",
            Self::Terraform { .. } => "terraform",
            Self::Mcp { .. } => "mcp",
        };
        if field("source") != Some(source) {
            return Err(format!("the attested input is not of source {source}"));
        }
        if attested.get(SUPPLIED).is_some() && context.supplied.is_empty() {
            return Err("the attested evaluation rests on evidence that its caller supplied".to_owned());
        }
        if field("environment") != context.environment.as_deref() {
            return Err("the attested environment is not this one".to_owned());
        }
        if field("audience") != context.audience.as_deref() {
            let of = |name: Option<&str>| {
                name.map_or("no audience".to_owned(), |name| format!("the audience {name:?}"))
            };
            return Err(format!(
                "the attested input is for {}, and this is {}",
                of(field("audience")),
                of(context.audience.as_deref())
            ));
        }
        if let Some(actor) = &context.actor
            && field("actor") != Some(actor.id.as_str())
        {
            return Err("the attested actor is not this one".to_owned());
        }
        match self {
            Self::Shell { text, argv } => {
                let cwd = directory(&context.cwd).map_err(|error| error.to_string())?;
                if field("cwd") != Some(cwd) {
                    return Err("the attested directory is not this one".to_owned());
                }
                self.matches_text(attested, text, argv.as_deref())
            }
            Self::Terraform { plan_sha256 } => {
                let attested = attested.pointer("/input/planSha256").and_then(Value::as_str);
                if attested == Some(plan_sha256) {
                    return Ok(());
                }
                Err("the attested plan is not this plan".to_owned())
            }
            Self::Mcp { server, tool, arguments } => {
                let there = attested.get("input").unwrap_or(&Value::Null);
                let same = there.get("server").and_then(Value::as_str) == server.as_deref()
                    && there.get("tool").and_then(Value::as_str) == Some(tool)
                    && is_masked(there.get("arguments").unwrap_or(&Value::Null), arguments);
                if same { Ok(()) } else { Err("the attested call is not what is about to run".to_owned()) }
            }
        }
    }

    fn matches_text(&self, attested: &Value, text: &str, argv: Option<&[String]>) -> Result<(), String> {
        let differs = || Err("the attested command is not what is about to run".to_owned());
        let normal = Value::String(text.to_owned());
        if !is_nfc(&normal) {
            return Err(InputError::NotNormal("the command").to_string());
        }
        if let Some(expected) = attested.get("inputSha256") {
            let Some(salt) = attested.get("salt").and_then(Value::as_str) else { return differs() };
            let words_same = match (attested.get("argvSha256"), argv) {
                (Some(Value::String(there)), Some(argv)) => *there == digest(salt, &words(argv)),
                (None, _) => plain(argv),
                _ => false,
            };
            return if expected == &json!(digest(salt, text)) && words_same { Ok(()) } else { differs() };
        }
        let same_text = attested.get("input").and_then(Value::as_str) == Some(text);
        let same_words = match (attested.get("argv"), argv) {
            (Some(there), Some(argv)) => *there == json!(argv),
            (Some(_), None) => false,
            // Text was judged: these words are what it runs only if no shell would make anything else of it.
            (None, argv) => plain(argv),
        };
        if same_text && same_words { Ok(()) } else { differs() }
    }
}

/// Whether a shell, reading the quoted words, would run exactly them: no assignment, keyword, alias or builtin is
/// looked for in front, so the first word must be an ordinary program's name. `None`: it is shell text on both sides.
fn plain(argv: Option<&[String]>) -> bool {
    let Some(argv) = argv else { return true };
    argv.first().is_some_and(|first| {
        !first.is_empty()
            && first.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-+".contains(&byte))
            && !crate::syntax::is_reserved_word(first)
    }) && !argv.iter().any(|word| is_expanded(word))
}

/// Whether a word that needs no quotes for other reasons is several words to shells that know `{a,b}` and `{1..9}`.
fn is_expanded(word: &str) -> bool {
    let between = word.split_once('{').and_then(|(_, rest)| rest.rsplit_once('}')).map(|(inner, _)| inner);
    between.is_some_and(|inner| inner.contains(',') || inner.contains(".."))
        && shell_words::quote(word) == word
}

/// The circumstances with the audience that is configured, where the caller named none.
pub(super) fn meant_for<'a>(
    context: &'a EvaluationContext,
    audience: Option<&str>,
) -> Cow<'a, EvaluationContext> {
    match audience {
        Some(name) if context.audience.is_none() => {
            let mut context = context.clone();
            context.audience = Some(name.to_owned());
            Cow::Owned(context)
        }
        _ => Cow::Borrowed(context),
    }
}

fn directory(path: &Path) -> Result<&str, InputError> {
    path.to_str().ok_or(InputError::NotText("the directory"))
}

/// Whether every number is what its canonical form says: integers beyond 2^53 are not.
fn exact(value: &Value) -> Result<(), InputError> {
    const LARGEST: f64 = 9_007_199_254_740_992.0;
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(value) if value.abs() < LARGEST || value.fract() != 0.0 => Ok(()),
            _ => Err(InputError::NotExact(number.to_string())),
        },
        Value::Array(items) => items.iter().try_for_each(exact),
        // What stands for a masked string may stand for nothing else.
        Value::Object(members)
            if members.len() == 2 && ["salt", "sha256"].iter().all(|name| members.contains_key(*name)) =>
        {
            Err(InputError::Mistakable)
        }
        Value::Object(members) => members.values().try_for_each(exact),
        _ => Ok(()),
    }
}

/// The salted digest of exact bytes.
fn digest(salt: &str, text: &str) -> String {
    let mut hasher = Sha256::new();
    hasher.update(salt.as_bytes());
    hasher.update([0]);
    hasher.update(text.as_bytes());
    format!("sha256:{}", hex(&hasher.finalize()))
}

/// Words, so that no two vectors read the same.
fn words(argv: &[String]) -> String {
    argv.join("\0")
}

/// A value with every string that holds a recognisable secret, or that stands under a name that says so, as a digest.
fn masked(value: &Value, salt: &str, secrets: &Secrets) -> Value {
    match value {
        Value::String(text) => {
            let shown = secrets.mask(text);
            if shown == *text { value.clone() } else { json!({ "sha256": digest(salt, text), "salt": salt }) }
        }
        Value::Array(items) => Value::Array(items.iter().map(|item| masked(item, salt, secrets)).collect()),
        Value::Object(members) => {
            let one = |(name, value): (&String, &Value)| {
                let value = match value {
                    Value::String(text) if crate::model::is_secret_name(name) => {
                        json!({ "sha256": digest(salt, text), "salt": salt })
                    }
                    other => masked(other, salt, secrets),
                };
                (name.clone(), value)
            };
            Value::Object(members.iter().map(one).collect())
        }
        other => other.clone(),
    }
}

/// Whether an attested value is what [`masked`] makes of this one.
fn is_masked(attested: &Value, value: &Value) -> bool {
    match value {
        Value::String(text) => match attested.get("salt").and_then(Value::as_str) {
            Some(salt) => *attested == json!({ "sha256": digest(salt, text), "salt": salt }),
            None => attested == value,
        },
        Value::Array(items) => attested.as_array().is_some_and(|there| {
            there.len() == items.len() && there.iter().zip(items).all(|(there, item)| is_masked(there, item))
        }),
        Value::Object(members) => attested.as_object().is_some_and(|there| {
            there.len() == members.len()
                && members
                    .iter()
                    .all(|(name, item)| there.get(name).is_some_and(|there| is_masked(there, item)))
        }),
        // Numbers as the canonical form writes them.
        other => strict::canonical(attested).ok() == strict::canonical(other).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Actor;

    fn here(cwd: &str) -> EvaluationContext {
        EvaluationContext { cwd: cwd.into(), ..EvaluationContext::default() }
    }

    fn argv(words: &[&str]) -> Subject {
        Subject::shell(&shell::Input::Argv(words.iter().map(|w| Some((*w).to_owned())).collect())).unwrap()
    }

    fn text(text: &str) -> Subject {
        Subject::shell(&shell::Input::Text(text.to_owned())).unwrap()
    }

    #[test]
    fn numbers_that_a_double_does_not_hold_are_not_attested() {
        let of = |arguments: Value| {
            let call = Subject::Mcp { server: None, tool: "t".into(), arguments };
            call.wire(&here("/w"), "s", &Secrets::default()).map(|_| ())
        };
        for fine in [
            json!({"a": 9_007_199_254_740_991_i64}),
            json!({"a": [1.5, -3, 1e10]}),
            json!({"a": "9007199254740993"}),
        ] {
            assert_eq!(of(fine.clone()), Ok(()), "{fine}");
        }
        for not in [
            json!({"a": 9_007_199_254_740_993_i64}),
            json!({"a": [{"b": u64::MAX}]}),
            json!({"a": -9_007_199_254_740_993_i64}),
        ] {
            assert!(matches!(of(not.clone()), Err(InputError::NotExact(_))), "{not}");
        }
    }

    #[test]
    fn an_input_binds_text_words_and_directory() {
        let attested = argv(&["rm", "-rf", "a b"]).wire(&here("/w"), "s", &Secrets::default()).unwrap();
        assert_eq!(
            attested,
            json!({"source": "shell", "input": "rm -rf 'a b'", "argv": ["rm", "-rf", "a b"], "cwd": "/w"})
        );
        assert!(argv(&["rm", "-rf", "a b"]).matches(&attested, &here("/w")).is_ok());
        assert!(argv(&["rm", "-rf", "a c"]).matches(&attested, &here("/w")).is_err());
        assert!(argv(&["rm", "-rf", "a b"]).matches(&attested, &here("/v")).is_err());
        assert!(text("rm -rf 'a b'").matches(&attested, &here("/w")).is_err(), "words were judged, not text");
    }

    #[test]
    fn attested_text_covers_the_same_plain_words_only() {
        let attested = text("rm -rf build").wire(&here("/w"), "s", &Secrets::default()).unwrap();
        assert!(text("rm -rf build").matches(&attested, &here("/w")).is_ok());
        assert!(argv(&["rm", "-rf", "build"]).matches(&attested, &here("/w")).is_ok());
        assert!(text("rm -rf build ").matches(&attested, &here("/w")).is_err());
        let globbed = text("rm *").wire(&here("/w"), "s", &Secrets::default()).unwrap();
        assert!(argv(&["rm", "*"]).matches(&globbed, &here("/w")).is_err());
        let assigned = text("a=b ls").wire(&here("/w"), "s", &Secrets::default()).unwrap();
        assert!(argv(&["a=b", "ls"]).matches(&assigned, &here("/w")).is_err());
        let keyword = text("time ls").wire(&here("/w"), "s", &Secrets::default()).unwrap();
        assert!(argv(&["time", "ls"]).matches(&keyword, &here("/w")).is_err());
        let braced = text("rm {a,b}").wire(&here("/w"), "s", &Secrets::default()).unwrap();
        assert!(argv(&["rm", "{a,b}"]).matches(&braced, &here("/w")).is_err());
    }

    #[test]
    fn environment_and_actor_bind() {
        let mut context = here("/w");
        context.environment = Some("production".to_owned());
        let attested = text("ls").wire(&context, "s", &Secrets::default()).unwrap();
        assert!(text("ls").matches(&attested, &context).is_ok());
        assert!(text("ls").matches(&attested, &here("/w")).is_err());
        context.actor = Some(Actor::parse("agent/x"));
        assert!(text("ls").matches(&attested, &context).is_err());
    }

    #[test]
    fn what_normalisation_changes_cannot_be_bound() {
        let decomposed = "rm cafe\u{301}";
        let attested =
            strict::to_nfc(text(decomposed).wire(&here("/w"), "s", &Secrets::default()).unwrap()).unwrap();
        assert!(text(decomposed).matches(&attested, &here("/w")).is_err());
        assert!(text("rm caf\u{e9}").matches(&attested, &here("/w")).is_ok());
    }

    #[test]
    fn no_secret_is_written_and_it_still_binds() {
        let command =
            "curl -H 'Authorization: Bearer ghp_0123456789abcdefghijABCDEFGHIJ012345' https://x.example";
        let attested = text(command).wire(&here("/w"), "s", &Secrets::default()).unwrap();
        assert!(!attested.to_string().contains("ghp_0123"));
        assert!(text(command).matches(&attested, &here("/w")).is_ok());
        let other = command.replace("012345'", "012346'");
        assert!(text(&other).matches(&attested, &here("/w")).is_err());
        let call = Subject::Mcp {
            server: None,
            tool: "connect".to_owned(),
            arguments: json!({"password": "hunter2", "deep": [{"token": "abc"}]}),
        };
        let attested = call.wire(&here("/w"), "s", &Secrets::default()).unwrap();
        assert!(call.matches(&attested, &here("/w")).is_ok());
        let other = Subject::Mcp {
            server: None,
            tool: "connect".to_owned(),
            arguments: json!({"password": "hunter3", "deep": [{"token": "abc"}]}),
        };
        assert!(other.matches(&attested, &here("/w")).is_err());
        let attested = attested.to_string();
        assert!(!attested.contains("hunter2") && !attested.contains("abc\""));
    }

    #[test]
    fn plans_are_bound_by_their_canonical_form() {
        let one = Subject::terraform(br#"{"b": 1, "a": 2.0}"#).unwrap();
        assert_eq!(one, Subject::terraform(br#"{"a":2,"b":1}"#).unwrap());
        let attested = one.wire(&here("/w"), "s", &Secrets::default()).unwrap();
        assert!(one.matches(&attested, &here("/elsewhere")).is_ok(), "a plan says itself where it applies");
        let other = Subject::terraform(br#"{"a":3,"b":1}"#).unwrap();
        assert!(other.matches(&attested, &here("/w")).is_err());
        assert!(Subject::terraform(br#"{"a":1,"a":2}"#).is_err());
    }
}
