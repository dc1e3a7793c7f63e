//! What the benches share.

/// The program that is measured: the one that was built with the bench, or the one that `RECOURSE_BENCH_BINARY` names.
pub(crate) fn binary() -> String {
    std::env::var("RECOURSE_BENCH_BINARY").unwrap_or_else(|_| env!("CARGO_BIN_EXE_recourse").to_owned())
}
