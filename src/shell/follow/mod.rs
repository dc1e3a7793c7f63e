//! Texts that a command line names and the shell goes on with: scripts, code, startup files, and what variables and options
//! say is to be run. One idea per file.

mod code;
mod command_line;
mod env_files;
mod first_files;
mod first_line;
mod project_code;
mod said;
mod settings;
mod shells;
mod starts;
mod startup;
mod woven;

pub(crate) use code::language_of;
pub(super) use code::reading;
pub use code::{Beside, Code};
pub use shells::FileText;
pub(crate) use shells::is_shell;
