//! Commands and code in variables that programs run: editors, pagers, transports, startup files. Git has its own.

use crate::model::Value;
use crate::shell::expand::Expansion;
use crate::shell::interp::{Interp, Scope};
use crate::shell::simple::Call;
use crate::shell::state::State;
use crate::shell::step::Arg;

/// What a variable's value is to the program that reads it.
#[derive(Clone, Copy)]
enum Holds {
    /// A command: the first word is looked up, or a shell reads it.
    Command,
    /// A program's name, mostly a compiler's; followed only where it is more than a plain name.
    Program,
    /// Code of a language.
    Code(&'static str),
    /// Name of a file with code of a language.
    CodeFile(&'static str),
}

/// Which programs run what a variable names; an empty list of programs means all of them.
const SETTINGS: &[(&[&str], &[&str], Holds)] = &[
    (
        &["EDITOR", "VISUAL"],
        &[
            "crontab",
            "visudo",
            "sudoedit",
            "vipw",
            "vigr",
            "less",
            "svn",
            "hg",
            "cvs",
            "jj",
            "kubectl",
            "gh",
            "systemctl",
        ],
        Holds::Command,
    ),
    (&["SUDO_EDITOR"], &["sudoedit", "sudo"], Holds::Command),
    (&["KUBE_EDITOR"], &["kubectl", "oc"], Holds::Command),
    (&["SYSTEMD_EDITOR"], &["systemctl"], Holds::Command),
    (
        &["SYSTEMD_PAGER"],
        &["systemctl", "journalctl", "loginctl", "machinectl", "networkctl"],
        Holds::Command,
    ),
    (&["SVN_EDITOR", "SVN_SSH"], &["svn"], Holds::Command),
    (&["HGEDITOR", "HGMERGE"], &["hg"], Holds::Command),
    (&["CVS_RSH", "CVSEDITOR"], &["cvs"], Holds::Command),
    (&["JJ_EDITOR"], &["jj"], Holds::Command),
    (
        &["PAGER"],
        &["man", "psql", "mysql", "bat", "gh", "systemctl", "journalctl", "svn", "hg", "jj"],
        Holds::Command,
    ),
    (&["MANPAGER"], &["man", "apropos", "whatis"], Holds::Command),
    (&["BAT_PAGER"], &["bat", "batcat"], Holds::Command),
    (&["DELTA_PAGER"], &["delta"], Holds::Command),
    (&["AWS_PAGER"], &["aws"], Holds::Command),
    (&["GH_PAGER", "GH_EDITOR", "GH_BROWSER"], &["gh"], Holds::Command),
    (&["LESSOPEN", "LESSCLOSE"], &["less", "lesspipe"], Holds::Command),
    (&["BROWSER"], &["xdg-open", "gh", "man", "sensible-browser", "npm", "git"], Holds::Command),
    (&["RSYNC_RSH", "RSYNC_CONNECT_PROG"], &["rsync"], Holds::Command),
    (&["PSQL_EDITOR", "PSQL_PAGER"], &["psql"], Holds::Command),
    (&["SSH_ASKPASS"], &["ssh", "scp", "sftp", "ssh-add", "git"], Holds::Command),
    (&["SUDO_ASKPASS"], &["sudo", "sudoedit"], Holds::Command),
    (&["FZF_DEFAULT_COMMAND"], &["fzf"], Holds::Command),
    (
        &["npm_config_script_shell", "npm_config_shell", "npm_config_editor", "npm_config_git"],
        &["npm", "npx", "yarn", "pnpm"],
        Holds::Program,
    ),
    (&["RUSTC", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "RUSTDOC"], &["cargo"], Holds::Program),
    (
        &["CC", "CXX", "LD", "AR", "AS", "CPP", "FC", "SHELL", "YACC", "LEX"],
        &["make", "gmake", "cmake", "configure", "cargo", "go", "pip", "pip3", "npm", "python", "python3"],
        Holds::Program,
    ),
    (&["PYTHONSTARTUP"], &["python", "python3", "python2"], Holds::CodeFile("python")),
    (
        &["LUA_INIT", "LUA_INIT_5_3", "LUA_INIT_5_4"],
        &["lua", "lua5.3", "lua5.4", "luajit"],
        Holds::Code("lua"),
    ),
    (&["VIMINIT", "EXINIT"], &["vim", "vi", "ex", "view", "nvim"], Holds::Code("vim")),
    (&["PERL5DB"], &["perl"], Holds::Code("perl")),
];

/// Variables whose words a program takes as if they stood among its own.
const OPTION_VARIABLES: &[(&str, &[&str])] =
    &[("TAR_OPTIONS", &["tar", "gtar"]), ("ZIPOPT", &["zip"]), ("ZIP", &["zip"]), ("UNZIP", &["unzip"])];

impl Interp<'_> {
    /// Follows the commands in `environment`, the variables that this command itself sets.
    pub(in crate::shell) fn environment_commands(
        &mut self,
        state: &mut State,
        scope: &Scope,
        name: &str,
        call: &Call,
        environment: &[(String, Value)],
    ) {
        for (variable, value) in environment {
            if loads(variable, value, name) && value.as_known() != self.world.env(variable).as_deref() {
                let reason = format!("`{variable}` makes the program load code that is not looked at");
                let kind = crate::shell::step::StepKind::Opaque { reason };
                self.emit_as(state, scope, call.span, &call.raw, kind);
                continue;
            }
            let Some(holds) = held(variable, name) else { continue };
            if value.as_known() == Some("") {
                continue;
            }
            let inner = scope.through(variable);
            let mut way = state.clone();
            way.maybe = true;
            match holds {
                Holds::Program if !value.as_known().is_none_or(runs_more) => continue,
                Holds::Command | Holds::Program => {
                    // `LESSOPEN` marks a command whose output is read by a bar in front.
                    let text = match value.as_known() {
                        Some(text) => Value::known(text.trim_start_matches(['|', '-'])),
                        None => value.clone(),
                    };
                    self.fresh_shell(
                        &mut way,
                        &inner,
                        &text,
                        call.span,
                        Value::known("sh"),
                        Default::default(),
                    );
                }
                Holds::Code(language) => match value.as_known().and_then(|text| text.strip_prefix('@')) {
                    Some(file) if language == "lua" => {
                        let file = Arg { value: Value::known(file), span: call.span, explicit: false };
                        self.code_file(&mut way, &inner, language, &file, &[]);
                    }
                    _ => self.code(&mut way, &inner, language, value, &[], call.span, &call.raw),
                },
                Holds::CodeFile(language) => {
                    let file = Arg { value: value.clone(), span: call.span, explicit: false };
                    self.code_file(&mut way, &inner, language, &file, &[]);
                }
            }
            state.files.merge(&way.files);
        }
    }

    /// The call with the words that variables add to it; `None` where they add nothing.
    pub(in crate::shell) fn with_options_of_variables(
        &self,
        state: &State,
        name: &str,
        call: &Call,
    ) -> Option<Call> {
        let list = OPTION_VARIABLES.iter().filter(|(_, programs)| programs.contains(&name));
        let mut words = Vec::new();
        for (variable, _) in list {
            let exported = || self.exported(state).into_iter().find(|(known, _)| known == variable);
            let given = call.environment.iter().rev().find(|(known, _)| known == variable).cloned();
            let Some((_, value)) = given.or_else(exported) else { continue };
            let texts = value.as_known().map(shell_words::split);
            let values = match texts {
                Some(Ok(texts)) => texts.into_iter().map(Value::Known).collect(),
                _ => vec![Value::Unknown],
            };
            words.extend(values.into_iter().map(|value| Expansion {
                arg: Arg { value, span: call.span, explicit: false },
                elastic: false,
                unordered: false,
            }));
        }
        if words.is_empty() {
            return None;
        }
        let mut call = call.clone();
        let dashes = call.words.iter().position(|word| word.arg.value.as_known() == Some("--"));
        let at = dashes.unwrap_or(call.words.len());
        call.words.splice(at..at, words);
        Some(call)
    }
}

fn held(variable: &str, program: &str) -> Option<Holds> {
    // `CARGO_TARGET_<TRIPLE>_RUNNER` and `…_LINKER`.
    let cargo = variable.starts_with("CARGO_TARGET_")
        && (variable.ends_with("_RUNNER") || variable.ends_with("_LINKER"))
        && program == "cargo";
    if cargo {
        return Some(Holds::Program);
    }
    SETTINGS
        .iter()
        .find(|(variables, programs, _)| variables.contains(&variable) && programs.contains(&program))
        .map(|(_, _, holds)| *holds)
}

/// Whether a compiler's or shell's name is more than that: shell text, or a file of this directory.
fn runs_more(text: &str) -> bool {
    text.contains([';', '|', '&', '$', '`', '(', '<', '>']) || text.contains('/') && !text.starts_with('/')
}

/// Whether a variable makes a program load code of somebody's choice.
fn loads(variable: &str, value: &Value, program: &str) -> bool {
    let text = value.as_known();
    let has = |parts: &[&str]| text.is_none_or(|text| parts.iter().any(|part| text.contains(part)));
    match variable {
        // A bare name is looked for where libraries are installed.
        "LD_PRELOAD" | "LD_AUDIT" | "DYLD_INSERT_LIBRARIES" => {
            text.is_none_or(|text| text.split([':', ' ']).any(|one| one.contains('/') && !is_library(one)))
        }
        "NODE_OPTIONS" => {
            has(&["--require", "-r ", "--import", "--loader", "--eval", "-e "]) && text.is_some()
        }
        "PERL5OPT" => program == "perl" && has(&["-M", "-m", "-e"]),
        "RUBYOPT" => has(&["-r"]) && matches!(program, "ruby" | "irb" | "rake" | "bundle" | "gem"),
        "GIT_EXEC_PATH" => program == "git" && text != Some(""),
        "JAVA_TOOL_OPTIONS" | "_JAVA_OPTIONS" | "JDK_JAVA_OPTIONS" | "MAVEN_OPTS" | "GRADLE_OPTS"
        | "JAVA_OPTS" => {
            has(&[
                "-javaagent",
                "-agentpath",
                "-agentlib",
                "-Xbootclasspath",
                "OnError",
                "OnOutOfMemoryError",
            ]) && text.is_some()
        }
        "DOTNET_STARTUP_HOOKS" => program == "dotnet" && text != Some(""),
        "GCC_EXEC_PREFIX" | "COMPILER_PATH" => {
            matches!(program, "gcc" | "g++" | "cc" | "c++" | "clang")
                && text.is_none_or(|text| !text.starts_with("/usr/"))
        }
        _ => false,
    }
}

pub(super) fn is_library(path: &str) -> bool {
    ["/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", "/usr/local/lib/", "/opt/homebrew/"]
        .iter()
        .any(|place| path.starts_with(place))
}
