//! `shim`: programs that are run through `recourse exec` wherever they are called from.

use clap::Subcommand;

use crate::exec::shim::{ShimError, Shims};
use crate::text::escape;

use super::installing::program;
use super::output::{self, Failure};
use super::setup;

#[derive(Debug, Subcommand)]
pub(super) enum ShimCommand {
    /// Make shims
    Add {
        /// Programs by their names, such as terraform
        #[arg(required = true, value_name = "NAME")]
        names: Vec<String>,
    },
    /// Take shims away
    Remove {
        /// Their names
        #[arg(required = true, value_name = "NAME")]
        names: Vec<String>,
    },
    /// Say which there are, and whether PATH leads to them
    List,
}

pub(super) fn run(command: &ShimCommand) -> Result<u8, Failure> {
    let shims = Shims::below(&setup::places()?.data);
    match command {
        ShimCommand::Add { names } => {
            let program = program()?;
            for name in names {
                let made = shims.add(name, &program).map_err(failure)?;
                output::print(&format!("{} {}\n", if made { "added" } else { "unchanged" }, escape(name)));
            }
            let unreached: Vec<&str> =
                names.iter().map(String::as_str).filter(|name| !shims.is_first(name)).collect();
            if !unreached.is_empty() {
                output::note(&format!(
                    "PATH does not lead to the shim of {} yet: put {} first, for example with export PATH={}:\"$PATH\"",
                    unreached.join(", "),
                    shims.folder().display(),
                    shell_words::quote(&shims.folder().to_string_lossy()),
                ));
            }
        }
        ShimCommand::Remove { names } => {
            for name in names {
                let gone = shims.remove(name).map_err(failure)?;
                output::print(&format!("{} {}\n", if gone { "removed" } else { "no shim of" }, escape(name)));
            }
        }
        ShimCommand::List => {
            let names = shims.list().map_err(failure)?;
            if names.is_empty() {
                output::note("there are no shims; `recourse shim add NAME` makes one");
            }
            for name in names {
                let reached = if shims.is_first(&name) { "" } else { "  (PATH does not lead to it)" };
                output::print(&format!("{}{reached}\n", escape(&name)));
            }
        }
    }
    Ok(0)
}

fn failure(error: ShimError) -> Failure {
    Failure::usage(error.to_string())
}
