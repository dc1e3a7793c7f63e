//! `init` without a name: what is here that could be guarded, shown, and guarded after one yes; or all of it taken out again.
//!
//! Owns what counts as being here and what is said; [`crate::hook::coding::install`] does it.

use std::env;
use std::fmt::Write as _;
use std::io::{self, BufRead, IsTerminal, Write as _};
use std::path::{Path, PathBuf};

use crate::hook::coding::install::{Change, InstallError, Installation};
use crate::hook::coding::{Agent, Client, Folders, Scope};
use crate::text::{count, escape};

use super::doctor::which;
use super::init_mcp::starts;
use super::installing::{failure, folders, program};
use super::output::{self, Failure};
use super::setup;

/// What is done with all that is found; by default it is shown, and done after a yes.
#[derive(Debug, clap::Args)]
pub(super) struct InitHereArgs {
    /// Only show what would change
    #[arg(long)]
    dry_run: bool,
    /// Do it without a question
    #[arg(long, conflicts_with = "dry_run")]
    yes: bool,
    /// Take all that is ours out again
    #[arg(long)]
    uninstall: bool,
}

/// Columns of a name on the page.
const NAME: usize = 20;

/// Something that can be guarded.
pub(super) struct Found {
    /// As people call it.
    pub(super) title: &'static str,
    /// What of it is guarded.
    pub(super) how: &'static str,
    pub(super) installation: Installation,
}

/// What has to be done for one of them.
struct Step<'a> {
    found: &'a Found,
    changes: Result<Vec<Change>, InstallError>,
}

impl Step<'_> {
    fn files(&self) -> impl Iterator<Item = &Path> {
        let changes = self.changes.as_deref().unwrap_or_default();
        changes.iter().filter(|change| !change.is_none()).map(|change| change.file.as_path())
    }
}

pub(super) fn run(args: &InitHereArgs) -> Result<u8, Failure> {
    let (folders, program, data) = (folders()?, program()?, setup::places()?.data);
    let all = everything(&folders, &program, &data, args.uninstall);
    let steps: Vec<Step<'_>> = all
        .iter()
        .map(|found| {
            let there = &found.installation;
            Step { found, changes: if args.uninstall { there.unwanted() } else { there.wanted() } }
        })
        .collect();
    output::print(&page(&steps, &folders.home, args.uninstall));
    let open: Vec<&Step<'_>> = steps.iter().filter(|step| step.files().next().is_some()).collect();
    let files = open.iter().map(|step| step.files().count()).sum::<usize>() as u64;
    if files == 0 {
        if args.uninstall {
            output::print(&left());
        }
        return Ok(0);
    }
    let what = if args.uninstall { "Take it out of" } else { "Change" };
    if !args.yes && (args.dry_run || !agreed(&format!("{what} {}?", count(files, "file")))?) {
        let again = if args.uninstall { "recourse init --uninstall --yes" } else { "recourse init --yes" };
        output::note(&format!("nothing was changed; `{again}` does it without a question"));
        return Ok(0);
    }
    for step in &open {
        let there = &step.found.installation;
        let done = if args.uninstall { there.remove() } else { there.write() };
        done.map_err(failure)?;
        if let (false, Some(remark)) = (args.uninstall, there.remark()) {
            output::note(&format!("{}: {remark}", step.found.title));
        }
    }
    if args.uninstall {
        output::print(&format!(
            "taken out of {}; shells that are open keep the hook until they end\n",
            count(files, "file")
        ));
        output::print(&left());
    } else {
        let done = count(files, "file");
        output::print(&format!(
            "changed {done}; open a new shell, and `recourse doctor` says what is guarded\n"
        ));
    }
    Ok(0)
}

/// All that is here; for taking out, whatever might hold something of ours.
pub(super) fn everything(folders: &Folders, program: &str, data: &Path, all: bool) -> Vec<Found> {
    let mut found = Vec::new();
    for (title, file, line) in shells(&folders.home, &folders.config, program) {
        let used = which(title).is_some() && (file.exists() || is_login_shell(title));
        if used || all {
            let installation = Installation::of_shell(file, line, data);
            found.push(Found { title, how: "hook", installation });
        }
    }
    for agent in Agent::ALL.into_iter().filter(|agent| all || is_used(*agent, folders)) {
        let installation = Installation::new(agent, &Scope::User, folders, program, data);
        found.push(Found { title: agent.title(), how: "hook", installation });
    }
    for client in Client::all() {
        let agent = Agent::ALL.into_iter().find(|agent| agent.name() == client.name);
        let file = client.of_user(folders);
        let own_folder = file.parent().is_some_and(|folder| folder != folders.home && folder.is_dir());
        if (all || own_folder || agent.is_some_and(|agent| is_used(agent, folders)))
            && let Some(installation) =
                Installation::of_client(client, &Scope::User, folders, &starts(program), data)
        {
            found.push(Found { title: client.servers.title, how: "MCP server", installation });
        }
    }
    found
}

/// Shells that have a hook: their file, and the line that loads it.
fn shells(home: &Path, config: &Path, program: &str) -> [(&'static str, PathBuf, String); 3] {
    // A start-up file may be read before it puts a folder of the user's own on PATH: only these are on it in every shell.
    let everywhere = ["/usr/local/bin/recourse", "/usr/bin/recourse", "/bin/recourse"].contains(&program);
    let named = everywhere && which("recourse").is_some_and(|found| found == program);
    let word = if named { "recourse".into() } else { shell_words::quote(program) };
    let zsh = env::var_os("ZDOTDIR").map(PathBuf::from).filter(|path| path.is_absolute());
    [
        ("bash", home.join(".bashrc"), format!("eval \"$({word} init bash)\"")),
        (
            "zsh",
            zsh.unwrap_or_else(|| home.to_owned()).join(".zshrc"),
            format!("eval \"$({word} init zsh)\""),
        ),
        ("fish", config.join("fish/config.fish"), format!("{word} init fish | source")),
    ]
}

fn is_login_shell(name: &str) -> bool {
    env::var_os("SHELL").is_some_and(|shell| Path::new(&shell).file_name().is_some_and(|base| base == name))
}

fn is_used(agent: Agent, folders: &Folders) -> bool {
    let own = match agent.name() {
        "claude-code" => folders.claude.as_ref(),
        "codex" => folders.codex.as_ref(),
        _ => None,
    };
    own.is_some_and(|folder| folder.is_dir())
        || agent.signs().iter().any(|sign| match sign.strip_prefix('/') {
            Some(folder) => folders.home.join(folder).is_dir(),
            None => which(sign).is_some(),
        })
}

/// What is here and what becomes of it, a line each.
fn page(steps: &[Step<'_>], home: &Path, uninstall: bool) -> String {
    let mut page = String::new();
    let short = |file: &Path| match file.strip_prefix(home) {
        Ok(below) => escape(&format!("~/{}", below.display())),
        Err(_) => escape(&file.to_string_lossy()),
    };
    for step in steps {
        let files: Vec<String> = step.files().map(short).collect();
        let told = match (&step.changes, files.is_empty(), uninstall) {
            (Err(error), ..) => format!("left alone: {}", escape(&error.to_string())),
            (Ok(_), true, true) => continue,
            (Ok(_), true, false) => format!("{} is there", step.found.how),
            (Ok(_), false, true) => format!("{} goes: {}", step.found.how, files.join(", ")),
            (Ok(_), false, false) => format!("{} comes: {}", step.found.how, files.join(", ")),
        };
        let _ = writeln!(page, "{:<NAME$} {told}", step.found.title);
    }
    match (page.is_empty(), uninstall) {
        (true, true) => "nothing of recourse is in the files of shells, agents and MCP clients\n".to_owned(),
        (true, false) => {
            "no shell, agent or MCP client was found here; `recourse init --help` names them\n".to_owned()
        }
        _ => page,
    }
}

/// What taking out leaves.
fn left() -> String {
    let there = |folder: &Path| folder.is_dir().then(|| escape(&folder.to_string_lossy()));
    let config = dirs::config_dir().and_then(|folder| there(&folder.join("recourse")));
    let own = setup::places().ok().map(|places| [places.data, places.state, places.cache]);
    let own: Vec<String> = own.iter().flatten().filter_map(|folder| there(folder)).collect();
    let mut page = String::new();
    if let Some(config) = config {
        let _ = writeln!(page, "your settings, policy and knowledge stay: {config}");
    }
    if !own.is_empty() {
        let _ = writeln!(page, "keys, the log and what is kept stay: {}", own.join(", "));
    }
    page
}

/// One yes of a person at the terminal. Nothing else is a yes.
fn agreed(question: &str) -> Result<bool, Failure> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Ok(false);
    }
    let failed = |error: io::Error| Failure::internal(format!("the answer could not be read: {error}"));
    let mut terminal = io::stderr().lock();
    write!(terminal, "{question} [y/N] ").and_then(|()| terminal.flush()).map_err(failed)?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).map_err(failed)?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}
