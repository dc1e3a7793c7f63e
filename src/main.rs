//! The `recourse` program.

fn main() {}
