//! recourse (front page to be written).

pub mod code;
pub mod knowledge;
pub mod model;
pub mod shell;
pub mod syntax;
pub mod world;
