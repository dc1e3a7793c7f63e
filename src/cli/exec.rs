//! `exec`: options to what [`crate::exec`] takes.

use std::io::{self, IsTerminal};

use crate::exec::{Surroundings, What, run as run_command};

use super::args::{Common, ExecArgs};
use super::output::{self, Failure};
use super::setup::Setup;

pub(super) fn run(args: ExecArgs) -> Result<u8, Failure> {
    let common = Common {
        profile: args.profile,
        environment: args.environment,
        actor: args.actor,
        ..Common::default()
    };
    let setup = Setup::new(&common)?;
    let what = match args.text {
        Some(text) => What::Text(text),
        None => What::Argv(args.words),
    };
    let style = output::style_of(io::stderr().is_terminal());
    let around = Surroundings {
        world: &setup.world,
        knowledge: &setup.knowledge,
        policy: &setup.policy,
        context: setup.context.clone(),
        style,
    };
    Ok(run_command(&what, &around))
}
