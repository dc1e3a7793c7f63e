//! `recourse mcp serve`: agents ask before they act, over the Model Context Protocol on standard input and output.
//!
//! Owns the protocol, the tools, the resources and the prompt. A front end: it holds no judgement, everything it says comes
//! from the one evaluation function.
//!
//! Why the loop is our own and not the Rust SDK's: the SDK has one framing for a connection and hands a transport typed
//! messages without the framing they came in; it reads lines of any length; it ends the process when the first message is
//! a notification or an answer; an id must fit 64 bits; and a panic in a tool leaves its call without any answer. What is
//! left after replacing all that is a table of structs.

pub mod framing;
mod outbox;
mod pool;
pub mod protocol;
mod server;
mod texts;
mod tools;

pub use server::{Server, Service, Stopper};
pub use tools::Tools;
