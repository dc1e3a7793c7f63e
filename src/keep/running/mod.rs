//! What a command is about to destroy while it runs: whatever program does it, and wherever its name came from.
//!
//! Owns when the kernel is asked to tell ([`kernel`]), what of what it tells is set aside, and that it all stands in the
//! recovery point of the command. What is worth keeping is judged as any loss is, by evidence about that one file; no loss is
//! ever refused. Judging beforehand tells people what would go, and this brings back what nobody could foresee. Beside it, where
//! what runs has to be what was judged ([`bound`]), that it reads the very bytes.
//!
//! Not seen: what is written through a file that was open before, through another machine's calls, or by a service; what a
//! program in a container of its own does at places that have other names there; and what a program that outlives the command
//! does afterwards.

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod answers;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod asked;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod bound;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod calls;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod judged;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod kernel;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod moves;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod places;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod slight;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod views;

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) use answers::Answers;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) use bound::{Bound, NotBound};
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) use judged::Running;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) use kernel::{Listener, Side, below_filter, default_action, is_there, let_go, listener, split};
