//! `init mcp`: our server in a client's configuration, shown or written.
//!
//! Owns what is said of it; [`crate::hook::coding::install`] does it.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::hook::coding::install::{Installation, entry};
use crate::hook::coding::{Client, Scope};
use crate::text::escape;

use super::installing::{failure, folders, not_yet, program, tell};
use super::output::{self, Failure};
use super::setup;

#[derive(Debug, clap::Args)]
pub(super) struct InitMcpArgs {
    /// The client
    #[arg(long, value_parser = client())]
    pub(super) client: Client,
    /// Only show what would change (the default)
    #[arg(long, conflicts_with = "write")]
    pub(super) dry_run: bool,
    /// Change the client's configuration; what it was is kept for --uninstall
    #[arg(long, conflicts_with = "uninstall")]
    pub(super) write: bool,
    /// Take our entry out again
    #[arg(long)]
    pub(super) uninstall: bool,
    /// For the project in this directory instead of all of the user's
    #[arg(long)]
    pub(super) project: bool,
}

fn client() -> impl TypedValueParser<Value = Client> {
    let values = Client::all().map(|client| PossibleValue::new(client.name).help(client.servers.title));
    PossibleValuesParser::new(values)
        .try_map(|name| Client::named(&name).ok_or("no client of this name is known"))
}

/// The words by which a client starts our server.
pub(super) fn starts(program: &str) -> Vec<String> {
    [program, "mcp", "serve"].map(str::to_owned).to_vec()
}

pub(super) fn run(args: &InitMcpArgs) -> Result<u8, Failure> {
    let scope = if args.project { Scope::Project(setup::working_directory(None)?) } else { Scope::User };
    let (words, data) = (starts(&program()?), setup::places()?.data);
    let installation = Installation::of_client(args.client, &scope, &folders()?, &words, &data);
    let installation = installation.ok_or_else(|| {
        Failure::usage("this client has no configuration of a project; leave --project out")
    })?;
    let done = args.write || (args.uninstall && !args.dry_run);
    let changes = match (done, args.uninstall) {
        (true, true) => installation.remove(),
        (true, false) => installation.write(),
        (false, true) => installation.unwanted(),
        (false, false) => installation.wanted(),
    };
    let changes = changes.map_err(failure)?;
    // What others keep in the file is their own: only our entry is shown.
    tell(&changes, true);
    if !done && changes.iter().any(|change| !change.is_none()) {
        for line in entry(args.client, &words).lines() {
            output::print(&format!("  {} {}\n", if args.uninstall { '-' } else { '+' }, escape(line)));
        }
    }
    if let (false, Some(remark)) = (args.uninstall, installation.remark()) {
        output::note(remark);
    }
    if !done {
        not_yet(&changes, args.uninstall);
    }
    Ok(0)
}
