//! The `recourse` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    recourse::cli::main(std::env::args_os(), None)
}
