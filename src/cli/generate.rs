//! Completion scripts and manual pages, from the command line's own definition.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::{Command, ValueEnum, ValueHint};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use crate::order;

use super::output::{self, Failure};
use super::statuses::{Row, statuses};

#[derive(Debug, clap::Args)]
pub(super) struct GenerateArgs {
    /// The folder; `completions` and `man` in it are filled
    #[arg(value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub(super) folder: PathBuf,
}

/// Shells that can be completed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CompletionShell {
    /// GNU bash
    Bash,
    /// Z shell
    Zsh,
    /// fish
    Fish,
    /// PowerShell
    #[value(name = "powershell")]
    PowerShell,
    /// Nushell
    Nushell,
    /// Elvish
    Elvish,
}

/// Files in `completions/`, by shell.
const SCRIPTS: &[(CompletionShell, &str)] = &[
    (CompletionShell::Bash, "recourse.bash"),
    (CompletionShell::Zsh, "_recourse"),
    (CompletionShell::Fish, "recourse.fish"),
    (CompletionShell::PowerShell, "_recourse.ps1"),
    (CompletionShell::Nushell, "recourse.nu"),
];

/// Behind `exec --` and its like stands another command, which is completed as it would be by itself.
const BEHIND: &str = r#"
_recourse_behind() {
    local i first=0
    for ((i = 2; i < COMP_CWORD; i++)); do
        if [[ ${COMP_WORDS[i]} == -- ]]; then
            first=$((i + 1))
            break
        fi
    done
    case "$first ${COMP_WORDS[1]}" in
        "0 "*) ;;
        *" exec" | *" explain" | *" evaluate")
            if declare -F _comp_command_offset >/dev/null; then
                _comp_command_offset "$first"
            elif declare -F _command_offset >/dev/null; then
                _command_offset "$first"
            elif ((COMP_CWORD == first)); then
                COMPREPLY=($(compgen -c -- "${COMP_WORDS[COMP_CWORD]}"))
            else
                COMPREPLY=()
            fi
            return
            ;;
    esac
    if ((first == 0)) && _recourse_points; then
        return
    fi
    _recourse "$@"
}

# Ids of recovery points.
_recourse_points() {
    local cur=${COMP_WORDS[COMP_CWORD]} id about
    case "$cur ${COMP_WORDS[COMP_CWORD - 1]}" in
        -* | *" --to" | *" --format") return 1 ;;
    esac
    case "${COMP_WORDS[1]} ${COMP_WORDS[2]}" in
        "kept pin" | "kept unpin" | "kept forget" | "kept show") ((COMP_CWORD > 2)) || return 1 ;;
        "undo "*) ((COMP_CWORD > 1)) || return 1 ;;
        *) return 1 ;;
    esac
    COMPREPLY=()
    while IFS=$'\t' read -r id about; do
        [[ $id == "$cur"* ]] && COMPREPLY+=("$id")
    done < <(command recourse kept list --ids 2>/dev/null)
}

if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -F _recourse_behind -o nosort -o bashdefault -o default recourse
else
    complete -F _recourse_behind -o bashdefault -o default recourse
fi
"#;

/// Ids of recovery points for zsh, with what ran beside them.
const ZSH_POINTS: &str = r#"
(( $+functions[_recourse_points] )) ||
_recourse_points() {
    local -a points
    local id about
    while IFS=$'\t' read -r id about; do
        points+=("$id:${about//:/\\:}")
    done < <(command recourse kept list --ids 2>/dev/null)
    _describe -V -t recovery-points 'recovery point' points
}
"#;

/// Ids of recovery points for fish, with what ran beside them.
const FISH_POINTS: &str = r#"
function __fish_recourse_points
    contains -- -- (commandline -opc)
    or command recourse kept list --ids 2>/dev/null
end
complete -c recourse -n "__fish_recourse_using_subcommand undo; and not contains -- -- (commandline -opc)" -f -k -a "(__fish_recourse_points)"
complete -c recourse -n "__fish_recourse_using_subcommand kept; and __fish_seen_subcommand_from show pin unpin forget" -f -k -a "(__fish_recourse_points)"
"#;

/// The script for zsh, in which the words that are recovery points are completed by their ids.
fn with_points(script: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(script);
    let (head, body) = text.split_once('\n').unwrap_or((&text, ""));
    let mut page = format!("{head}\n{ZSH_POINTS}");
    for line in body.lines() {
        let is_point =
            line.contains("id -- The recovery point") || line.contains("ids -- The recovery points");
        let line = if is_point { line.replace(":_default'", ":_recourse_points'") } else { line.to_owned() };
        page.push_str(&line);
        page.push('\n');
    }
    page.into_bytes()
}

/// The completion script for a shell.
pub(super) fn script(definition: &Command, shell: CompletionShell) -> Vec<u8> {
    let mut script = Vec::new();
    let mut command = visible(definition);
    let mut generate = |shell: Shell| clap_complete::generate(shell, &mut command, "recourse", &mut script);
    match shell {
        CompletionShell::Bash => {
            generate(Shell::Bash);
            script.extend_from_slice(BEHIND.as_bytes());
        }
        CompletionShell::Zsh => {
            generate(Shell::Zsh);
            script = with_points(&script);
        }
        CompletionShell::Fish => {
            generate(Shell::Fish);
            script.extend_from_slice(FISH_POINTS.as_bytes());
        }
        CompletionShell::PowerShell => generate(Shell::PowerShell),
        CompletionShell::Elvish => generate(Shell::Elvish),
        CompletionShell::Nushell => {
            clap_complete::generate(clap_complete_nushell::Nushell, &mut command, "recourse", &mut script);
        }
    }
    script
}

/// Prints the completion script for a shell.
pub(super) fn print(shell: CompletionShell) -> Result<u8, Failure> {
    output::print_bytes(&script(&super::command(), shell));
    Ok(0)
}

/// Writes `DIR/completions` and `DIR/man`, and removes pages that nothing makes any more.
pub(super) fn run(args: &GenerateArgs) -> Result<u8, Failure> {
    let definition = &super::command();
    let completions_folder = args.folder.join("completions");
    let man = args.folder.join("man");
    write_all(
        &completions_folder,
        SCRIPTS.iter().map(|(shell, name)| ((*name).to_owned(), script(definition, *shell))),
    )?;
    let pages = pages(definition).map_err(|error| Failure::internal(error.to_string()))?;
    for entry in fs::read_dir(&man).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with("recourse")
            && name.ends_with(".1")
            && !pages.iter().any(|(page, _)| *page == name)
        {
            fs::remove_file(entry.path()).map_err(|error| failed(&entry.path(), &error))?;
        }
    }
    write_all(&man, pages.into_iter())?;
    Ok(0)
}

fn write_all(folder: &Path, files: impl Iterator<Item = (String, Vec<u8>)>) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    for (name, bytes) in files {
        let path: PathBuf = folder.join(name);
        fs::write(&path, bytes).map_err(|error| failed(&path, &error))?;
    }
    Ok(())
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::usage(format!("{}: {error}", path.display()))
}

/// The command line without what is for building only.
fn visible(all: &Command) -> Command {
    let mut visible = Command::new("recourse")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommand_required(true)
        .disable_help_subcommand(true);
    if let Some(about) = all.get_about() {
        visible = visible.about(about.clone());
    }
    visible
        .args(all.get_arguments().cloned())
        .subcommands(all.get_subcommands().filter(|sub| !sub.is_hide_set()).cloned())
}

/// Manual pages by file name, one for each command.
fn pages(definition: &Command) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut all = visible(definition);
    all.build();
    let mut pages = Vec::new();
    add_pages(&all, &mut pages)?;
    order::sort(&mut pages);
    Ok(pages)
}

fn add_pages(command: &Command, pages: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    let man = Man::new(command.clone()).manual("recourse");
    let mut page = Vec::new();
    man.render(&mut page)?;
    let name = man.get_filename();
    for (of, title, rows) in SECTIONS {
        if *of == name {
            section(title, rows).to_writer(&mut page)?;
        }
    }
    let words = name.trim_end_matches(".1").replace('-', " ");
    section("EXIT STATUS", statuses(&words)).to_writer(&mut page)?;
    pages.push((name, page));
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        add_pages(sub, pages)?;
    }
    Ok(())
}

fn section(title: &str, rows: &[Row]) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", [title]);
    for (term, text) in rows {
        roff.control("TP", []);
        roff.text([bold(*term)]);
        roff.text([roman(*text)]);
    }
    roff
}

/// What the definition of the command line does not say: page, section, and its terms.
const SECTIONS: &[(&str, &str, &[Row])] = &[
    (
        "recourse.1",
        "ENVIRONMENT",
        &[
            ("RECOURSE_PROFILE", "Whose enforcement to apply: human, agent or ci."),
            ("RECOURSE_ENVIRONMENT", "The environment that commands act on, for example production."),
            ("RECOURSE_ACTOR", "Who asks, as KIND/NAME."),
            (
                "RECOURSE_PROMPT_TIMEOUT",
                "Seconds after which a question at the terminal is answered with no; 0 for never. Otherwise 300.",
            ),
            (
                "RECOURSE_PLAIN",
                "When set and not 0, questions are sentences and nothing is drawn twice: for screen readers. TERM=dumb does the same.",
            ),
            ("NO_COLOR", "When set, nothing is coloured."),
        ],
    ),
    (
        "recourse.1",
        "FILES",
        &[
            ("~/.config/recourse/policy.toml", "Your rules."),
            ("~/.config/recourse/config.toml", "Attestation and other settings."),
            ("~/.config/recourse/knowledge/", "What your own tools do."),
            ("~/.local/share/recourse/kept/", "What was kept before commands ran."),
            (".recourse.toml", "A project's rules, which can only make things stricter."),
        ],
    ),
    (
        "recourse-exec.1",
        "KEYS",
        &[
            ("k", "Keep what can be kept, then run it once. What cannot be kept is named above the keys."),
            (
                "r",
                "Run it once. What is blocked runs only after its name was typed, unless the policy forbids that (override-block = false).",
            ),
            ("s", "Run the safer form that is shown. It is judged first."),
            ("e", "Edit the command line. What comes out is judged before it runs."),
            ("d", "Show the whole report."),
            ("w", "Allow this exact command in this directory for 15 minutes. Never for what is blocked."),
            (
                "p",
                "Allow it always in this project: shows the rule that goes into your policy, and p again writes it. Never for what is blocked.",
            ),
            ("a, Enter, Escape, Ctrl-C, Ctrl-D", "Do not run it. So do silence and signals."),
        ],
    ),
    (
        "recourse-undo.1",
        "FILES",
        &[("~/.local/share/recourse/kept/", "The recovery points. Private to you.")],
    ),
    (
        "recourse-kept.1",
        "FILES",
        &[("~/.local/share/recourse/kept/", "The recovery points. Private to you.")],
    ),
];
