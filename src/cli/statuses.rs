//! What each command's exit status means, for its help and its manual page.

use clap::Command;

/// A status and what it means.
pub(super) type Row = (&'static str, &'static str);

const USAGE: Row = ("2", "Bad usage or unreadable input.");
const INTERNAL: Row = ("70", "recourse itself failed. This is never permission.");
const DONE: Row = ("0", "Done.");
const VERDICTS: Row =
    ("0, 10, 20, 30", "allow, warn, escalate, block; below the verdict of --fail-on it is 0.");

/// Of the commands that have more to say than that it was done; by the words that name them.
const OWN: &[(&str, &[Row])] = &[
    (
        "recourse",
        &[
            (
                "0, 10, 20, 30",
                "evaluate: allow, warn, escalate, block; below the verdict of --fail-on it is 0.",
            ),
            USAGE,
            INTERNAL,
        ],
    ),
    ("recourse evaluate", &[VERDICTS, USAGE, INTERNAL]),
    ("recourse explain", &[("0", "It was judged, whatever the verdict."), USAGE, INTERNAL]),
    (
        "recourse scan",
        &[
            (
                "0, 10, 20, 30",
                "The worst that is found: allow, warn, escalate, block; below the verdict of --fail-on it is 0.",
            ),
            ("2", "Bad usage, or a baseline that cannot be read."),
            ("70", "recourse itself failed."),
        ],
    ),
    (
        "recourse exec",
        &[
            ("125", "recourse itself failed."),
            ("126", "Refused, or found but not executable."),
            ("127", "There is no such command."),
            ("anything else", "The command's own."),
        ],
    ),
    (
        "recourse undo",
        &[
            ("0", "All of it is back."),
            ("1", "Part of it is back, or nothing because nobody agreed; it was said which and why."),
            ("2", "Bad usage, or there is no such recovery point."),
            ("3", "There is nothing to undo."),
        ],
    ),
    (
        "recourse hook shell",
        &[
            ("0", "The line may run."),
            ("3", "Come again with the functions and variables that the line names."),
            ("126", "It was refused."),
            USAGE,
            INTERNAL,
        ],
    ),
    (
        "recourse doctor",
        &[("0", "Nothing that is set up is broken."), ("1", "Something that is set up is broken."), USAGE],
    ),
    (
        "recourse verify",
        &[("0", "Valid."), ("1", "Not valid."), USAGE, ("3", "It could not be checked."), INTERNAL],
    ),
    (
        "recourse trust refresh",
        &[
            ("0", "Accepted."),
            ("1", "What was had is not one that counts."),
            USAGE,
            ("3", "It could not be had."),
            INTERNAL,
        ],
    ),
    (
        "recourse trust show",
        &[
            ("0", "A bundle is in force."),
            ("1", "None counts."),
            USAGE,
            ("3", "None could be had."),
            INTERNAL,
        ],
    ),
    (
        "recourse registry refresh",
        &[
            ("0", "Fetched."),
            ("1", "What was fetched is not valid."),
            USAGE,
            ("3", "It could not be fetched."),
            INTERNAL,
        ],
    ),
    (
        "recourse log verify",
        &[
            ("0", "It holds."),
            ("1", "It is not as it was written, or the transparency log beside it is not."),
            USAGE,
            INTERNAL,
        ],
    ),
    (
        "recourse log checkpoint",
        &[
            ("0", "All is in it."),
            ("1", "Something could not be read and is left out, or a witness saw another history."),
            USAGE,
            INTERNAL,
        ],
    ),
    (
        "recourse registry publish",
        &[
            ("0", "All is published."),
            ("1", "Something could not be read and is left out, or a witness saw another history."),
            USAGE,
            INTERNAL,
        ],
    ),
    (
        "recourse policy check",
        &[("0", "Nothing is wrong."), ("2", "Something is wrong with a file, or bad usage."), INTERNAL],
    ),
];

/// What a command's exit status means; the words name it. The nearest command above it speaks for one that has nothing
/// of its own, except the program itself.
pub(super) fn statuses(command: &str) -> &'static [Row] {
    let mut name = command;
    loop {
        if let Some((_, rows)) = OWN.iter().find(|(own, _)| *own == name) {
            return rows;
        }
        match name.rsplit_once(' ') {
            Some((above, _)) if above != "recourse" => name = above,
            _ => return &[DONE, USAGE, INTERNAL],
        }
    }
}

/// The definition with the exit statuses in the help of every command.
pub(super) fn with_statuses(command: Command) -> Command {
    let name = command.get_name().to_owned();
    told(command, &name)
}

fn told(command: Command, name: &str) -> Command {
    let mut text = String::from("Exit status:\n");
    let rows = statuses(name);
    let width = rows.iter().map(|(status, _)| status.len()).max().unwrap_or(0);
    for (status, meaning) in rows {
        text.push_str(&format!("  {status:width$}  {meaning}\n"));
    }
    if name == "recourse" {
        text.push_str("\n`recourse help COMMAND` says more about one of them.");
    }
    let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    let mut command = command.after_help(text.trim_end().to_owned());
    for sub in names {
        let path = format!("{name} {sub}");
        command = command.mut_subcommand(sub, |sub| told(sub, &path));
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_says_its_statuses() {
        fn look(command: &Command) {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.starts_with("Exit status:"), "{}", command.get_name());
            command.get_subcommands().for_each(look);
        }
        let all = with_statuses(crate::cli::command());
        look(&all);
        let names: Vec<String> = {
            fn collect(command: &Command, at: &str, into: &mut Vec<String>) {
                into.push(at.to_owned());
                for sub in command.get_subcommands() {
                    collect(sub, &format!("{at} {}", sub.get_name()), into);
                }
            }
            let mut names = Vec::new();
            collect(&all, "recourse", &mut names);
            names
        };
        for (own, _) in OWN {
            assert!(names.iter().any(|name| name == own), "{own} is no command");
        }
        assert_eq!(statuses("recourse evaluate shell")[0], VERDICTS);
    }
}
