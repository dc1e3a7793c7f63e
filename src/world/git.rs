//! How git is asked without letting a repository's configuration run anything.
//!
//! Owns the hardened argument vector and environment of [`super::Query::Git`]: a closed list of reading subcommands, every
//! configuration key that names a program overridden, every `GIT_*` variable of the caller dropped. Pure: it builds the
//! words, `real` runs them. The probes add one rule of their own: they ask only for objects, refs and names of files,
//! never for a comparison of file contents, so that no clean or smudge filter is ever due.

use super::LookError;

/// Words and environment of one hardened call. The caller starts from an empty environment with a `PATH` of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitCall {
    /// Arguments after `git`.
    pub arguments: Vec<String>,
    /// The environment.
    pub environment: Vec<(String, String)>,
}

/// Subcommands that a probe may use, all of which only read.
const READING: &[&str] = &[
    "cat-file",
    "check-attr",
    "diff-index",
    "diff-tree",
    "for-each-ref",
    "fsck",
    "ls-files",
    "ls-tree",
    "merge-base",
    "prune",
    "reflog",
    "rev-list",
    "rev-parse",
    "version",
];

/// Options of those that would write, run a program or reach a network.
const FORBIDDEN: &[&str] = &[
    "--ext-diff",
    "--exec",
    "--filters",
    "--lost-found",
    "--open-files-in-pager",
    "--output",
    "--receive-pack",
    "--show-signature",
    "--textconv",
    "--upload-pack",
];

/// Configuration that could name a program or a connection, and what it is set to instead.
const OVERRIDES: &[&str] = &[
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.editor=false",
    "core.askPass=false",
    "core.sshCommand=false",
    "core.gitProxy=false",
    "core.alternateRefsCommand=false",
    "core.attributesFile=/dev/null",
    "core.commitGraph=true",
    "core.quotePath=true",
    "sequence.editor=false",
    "credential.helper=",
    "credential.interactive=false",
    "diff.external=",
    "gpg.program=false",
    "gpg.openpgp.program=false",
    "gpg.x509.program=false",
    "gpg.ssh.program=false",
    "gpg.ssh.defaultKeyCommand=false",
    "log.showSignature=false",
    "uploadpack.packObjectsHook=false",
    "protocol.allow=never",
    "protocol.file.allow=never",
    "protocol.ext.allow=never",
    "protocol.ssh.allow=never",
    "protocol.git.allow=never",
    "protocol.http.allow=never",
    "protocol.https.allow=never",
    "submodule.recurse=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "color.ui=false",
];

/// Variables of the caller that git keeps: where programs and the user's own configuration are found (`safe.directory` and
/// the global ignore file stand there).
const KEPT: &[&str] = &["HOME", "XDG_CONFIG_HOME", "USER", "LOGNAME"];

/// The hardened call, or [`LookError::Denied`] when a subcommand or option is not on the list of those that only read.
///
/// `env` looks up the caller's variables.
///
/// # Errors
/// [`LookError::Denied`] as said.
pub fn harden(arguments: &[String], env: &dyn Fn(&str) -> Option<String>) -> Result<GitCall, LookError> {
    let (globals, rest) = split_globals(arguments);
    let Some((subcommand, options)) = rest.split_first() else { return Err(LookError::Denied) };
    if !READING.contains(&subcommand.as_str()) {
        return Err(LookError::Denied);
    }
    let options_end = options.iter().position(|word| word == "--").unwrap_or(options.len());
    if options[..options_end].iter().any(|word| FORBIDDEN.iter().any(|bad| is_option(word, bad))) {
        return Err(LookError::Denied);
    }
    match subcommand.as_str() {
        // Without it the working tree would be compared, and filters would run.
        "diff-index" if !options.iter().any(|word| word == "--cached") => return Err(LookError::Denied),
        "prune" if !options.iter().any(|word| word == "-n") => return Err(LookError::Denied),
        "reflog" if !matches!(options.first().map(String::as_str), Some("show" | "exists" | "list")) => {
            return Err(LookError::Denied);
        }
        _ => {}
    }
    let mut words = ["--no-optional-locks", "--no-pager", "--no-replace-objects"].map(str::to_owned).to_vec();
    for setting in OVERRIDES {
        words.push("-c".to_owned());
        words.push((*setting).to_owned());
    }
    words.extend(globals.iter().cloned());
    words.extend(rest.iter().cloned());
    Ok(GitCall { arguments: words, environment: environment(env) })
}

/// `--git-dir=` and `--work-tree=` may stand before the subcommand.
fn split_globals(arguments: &[String]) -> (&[String], &[String]) {
    let end = arguments
        .iter()
        .position(|word| {
            !(word.starts_with("--git-dir=")
                || word.starts_with("--work-tree=")
                || word == "--literal-pathspecs")
        })
        .unwrap_or(arguments.len());
    arguments.split_at(end)
}

/// Whether a word is the option, or an abbreviation of it that git would take for it.
fn is_option(word: &str, option: &str) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    name == option || (name.len() > 4 && option.starts_with(name))
}

fn environment(env: &dyn Fn(&str) -> Option<String>) -> Vec<(String, String)> {
    let mut list: Vec<(String, String)> =
        KEPT.iter().filter_map(|name| env(name).map(|value| ((*name).to_owned(), value))).collect();
    for (name, value) in [
        ("LC_ALL", "C"),
        ("TERM", "dumb"),
        ("GIT_OPTIONAL_LOCKS", "0"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_ASKPASS", "false"),
        ("SSH_ASKPASS", "false"),
        ("GIT_SSH_COMMAND", "false"),
        ("GIT_PAGER", "cat"),
        ("GIT_EDITOR", "false"),
        ("GIT_NO_LAZY_FETCH", "1"),
        ("GIT_ALLOW_PROTOCOL", "none"),
        ("GIT_ATTR_NOSYSTEM", "1"),
        ("GIT_TRACE2", "0"),
        ("GIT_TRACE2_EVENT", "0"),
        ("GIT_TRACE2_PERF", "0"),
    ] {
        list.push((name.to_owned(), value.to_owned()));
    }
    list
}

#[cfg(test)]
mod tests {
    use super::harden;
    use crate::world::LookError;

    fn call(words: &[&str]) -> Result<super::GitCall, LookError> {
        let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
        let env = |name: &str| match name {
            "HOME" => Some("/home/a".to_owned()),
            "GIT_EXTERNAL_DIFF" => Some("evil".to_owned()),
            _ => None,
        };
        harden(&words, &env)
    }

    #[test]
    fn only_reading_subcommands_pass() {
        assert!(call(&["rev-list", "--count", "HEAD"]).is_ok());
        assert!(call(&["--git-dir=/x.git", "rev-parse", "HEAD"]).is_ok());
        assert!(call(&["prune", "-n", "--expire=now"]).is_ok());
        for bad in [
            &["gc"][..],
            &[],
            &["prune"],
            &["reflog", "expire"],
            &["-c", "alias.x=!id", "x"],
            &["cat-file", "--textconv", "a"],
            &["diff-tree", "--outpu=/x"],
            &["fsck", "--lost-found"],
        ] {
            assert_eq!(call(bad), Err(LookError::Denied), "{bad:?}");
        }
    }

    #[test]
    fn the_environment_holds_nothing_of_the_callers_git() {
        let call = call(&["rev-parse", "HEAD"]).unwrap();
        assert!(call.environment.iter().all(|(name, _)| name != "GIT_EXTERNAL_DIFF"));
        assert!(call.environment.contains(&("HOME".to_owned(), "/home/a".to_owned())));
        assert!(call.arguments.windows(2).any(|pair| pair == ["-c", "core.fsmonitor=false"]));
    }
}
