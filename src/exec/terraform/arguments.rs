//! Terraform's command line: which words belong to planning, which to applying, and whether there is anything to judge.
//!
//! Follows Go's `flag` rules as Terraform uses them: one or two dashes, `-name=value` or `-name value`, options end at
//! the first operand. `TF_CLI_ARGS` and `TF_CLI_ARGS_<command>` are put behind the subcommand as Terraform does it.

use std::ffi::{OsStr, OsString};

/// What a Terraform invocation asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Request {
    /// Nothing that changes resources through a plan: judged and run like any other program.
    Other,
    /// `apply`, `destroy` or `refresh`.
    Apply(Apply),
}

/// An apply, taken apart.
#[derive(Debug, PartialEq, Eq, Default)]
pub(super) struct Apply {
    /// Options before the subcommand (`-chdir=…`).
    pub(super) global: Vec<OsString>,
    /// Options for `plan`.
    pub(super) plan: Vec<OsString>,
    /// Options for applying the finished plan.
    pub(super) apply: Vec<OsString>,
    /// A plan file that the caller made.
    pub(super) planfile: Option<OsString>,
    /// Terraform would not ask.
    pub(super) auto_approve: bool,
}

/// Why an apply cannot be taken apart.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ArgumentError {
    /// Words that Terraform would refuse, or that we cannot place.
    #[error(
        "cannot tell what `{0}` means to terraform apply; leave it out or run the plan and the apply as two commands"
    )]
    Word(String),
    /// The environment's options cannot be split into words.
    #[error("the words of {0} cannot be split: {1}")]
    Environment(&'static str, String),
}

/// Options with a value.
const VALUED: &[&str] = &[
    "var",
    "var-file",
    "target",
    "target-file",
    "exclude",
    "exclude-file",
    "replace",
    "lock-timeout",
    "parallelism",
    "state",
    "state-out",
    "backup",
    "generate-config-out",
    "out",
    "deprecation",
];
/// Options that only planning takes.
const PLAN_ONLY: &[&str] = &[
    "var",
    "var-file",
    "target",
    "target-file",
    "exclude",
    "exclude-file",
    "replace",
    "destroy",
    "refresh",
    "refresh-only",
    "allow-deferral",
];
/// Options that only applying takes.
const APPLY_ONLY: &[&str] = &["state-out", "backup"];

/// Takes apart `argv` (the program first). `environment` gives the caller's variables.
///
/// # Errors
/// [`ArgumentError`] when it is an apply but not every word can be placed.
pub(super) fn understand(
    argv: &[OsString],
    environment: impl Fn(&str) -> Option<String>,
) -> Result<Request, ArgumentError> {
    let words = argv.get(1..).unwrap_or_default();
    let Some(at) = words.iter().position(|word| !is_option(word)) else { return Ok(Request::Other) };
    let global = words[..at].to_vec();
    if global.iter().any(|word| ["help", "h", "version", "v"].contains(&name_of(word).0.as_str())) {
        return Ok(Request::Other);
    }
    let verb = match words[at].to_str() {
        Some("apply") => "TF_CLI_ARGS_apply",
        Some("destroy") => "TF_CLI_ARGS_destroy",
        Some("refresh") => "TF_CLI_ARGS_refresh",
        _ => return Ok(Request::Other),
    };
    let mut rest = Vec::new();
    for variable in [verb, "TF_CLI_ARGS"] {
        if let Some(text) = environment(variable) {
            let split =
                shell_words::split(&text).map_err(|e| ArgumentError::Environment(verb, e.to_string()))?;
            rest.extend(split.into_iter().map(OsString::from));
        }
    }
    rest.extend_from_slice(&words[at + 1..]);
    let mut apply = Apply { global, ..Apply::default() };
    match verb {
        "TF_CLI_ARGS_destroy" => apply.plan.push("-destroy".into()),
        "TF_CLI_ARGS_refresh" => {
            apply.plan.push("-refresh-only".into());
            apply.auto_approve = true;
        }
        _ => {}
    }
    if place(&rest, &mut apply)? { Ok(Request::Apply(apply)) } else { Ok(Request::Other) }
}

/// Puts each word where it belongs; false when help is asked for.
fn place(rest: &[OsString], apply: &mut Apply) -> Result<bool, ArgumentError> {
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        if !is_option(word) {
            if word == "-" || word == "--" || apply.planfile.is_some() || words.len() > 0 {
                return Err(ArgumentError::Word(word.to_string_lossy().into_owned()));
            }
            apply.planfile = Some(word.clone());
            continue;
        }
        let (name, value) = name_of(word);
        if matches!(name.as_str(), "help" | "h") {
            return Ok(false);
        }
        if name == "auto-approve" {
            apply.auto_approve = value.as_deref().is_none_or(is_true);
            continue;
        }
        if name == "out" {
            return Err(ArgumentError::Word(word.to_string_lossy().into_owned()));
        }
        let mut group = vec![word.clone()];
        if VALUED.contains(&name.as_str()) && value.is_none() {
            group.extend(words.next().cloned());
        }
        if !APPLY_ONLY.contains(&name.as_str()) {
            apply.plan.extend(group.iter().cloned());
        }
        if !PLAN_ONLY.contains(&name.as_str()) {
            apply.apply.extend(group);
        }
    }
    Ok(true)
}

fn is_option(word: &OsStr) -> bool {
    let bytes = word.as_encoded_bytes();
    bytes.len() > 1 && bytes.starts_with(b"-") && bytes != b"--"
}

/// Name without dashes, and the value behind `=`.
fn name_of(word: &OsStr) -> (String, Option<String>) {
    let text = word.to_string_lossy();
    let bare = text.strip_prefix("--").or_else(|| text.strip_prefix('-')).unwrap_or(&text);
    match bare.split_once('=') {
        Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
        None => (bare.to_owned(), None),
    }
}

/// Go's `strconv.ParseBool`.
fn is_true(text: &str) -> bool {
    matches!(text, "1" | "t" | "T" | "true" | "TRUE" | "True")
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::{Apply, Request, understand};

    fn words(text: &str) -> Vec<OsString> {
        text.split_whitespace().map(OsString::from).collect()
    }

    fn apply(text: &str) -> Apply {
        match understand(&words(text), |_| None) {
            Ok(Request::Apply(apply)) => apply,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn what_is_no_apply_passes_through() {
        for text in [
            "terraform",
            "terraform init",
            "terraform plan -destroy",
            "terraform -help apply",
            "terraform apply -help",
            "terraform -chdir=x fmt",
            "terraform state rm a.b",
        ] {
            assert_eq!(understand(&words(text), |_| None), Ok(Request::Other), "{text}");
        }
    }

    #[test]
    fn options_go_where_they_belong() {
        let got = apply(
            "terraform -chdir=infra apply -auto-approve -target a.b -var=x=1 --replace=c.d -state-out=s -lock=false -parallelism 3",
        );
        assert_eq!(got.global, words("-chdir=infra"));
        assert_eq!(got.plan, words("-target a.b -var=x=1 --replace=c.d -lock=false -parallelism 3"));
        assert_eq!(got.apply, words("-state-out=s -lock=false -parallelism 3"));
        assert!(got.auto_approve && got.planfile.is_none());
    }

    #[test]
    fn destroy_and_refresh_are_applies() {
        assert_eq!(apply("terraform destroy").plan, words("-destroy"));
        assert!(apply("tofu refresh").auto_approve);
        assert!(!apply("terraform apply -auto-approve=false").auto_approve);
    }

    #[test]
    fn a_plan_file_is_the_last_word_and_the_only_operand() {
        assert_eq!(apply("terraform apply -no-color my.plan").planfile, Some("my.plan".into()));
        assert!(understand(&words("terraform apply my.plan -destroy"), |_| None).is_err());
        assert!(understand(&words("terraform apply a b"), |_| None).is_err());
        assert!(understand(&words("terraform apply -out=x"), |_| None).is_err());
    }

    #[test]
    fn the_environments_options_count() {
        let environment = |name: &str| match name {
            "TF_CLI_ARGS_apply" => Some("-target='a b' -auto-approve".to_owned()),
            "TF_CLI_ARGS" => Some("-no-color".to_owned()),
            _ => None,
        };
        let Ok(Request::Apply(got)) = understand(&words("terraform apply -destroy"), environment) else {
            panic!()
        };
        assert_eq!(got.plan, ["-target=a b", "-no-color", "-destroy"].map(OsString::from));
        assert_eq!(got.apply, words("-no-color"));
        assert!(got.auto_approve);
    }
}
