//! `recourse serve`: the registry, attestations and evaluation over HTTP (protocol §5.3, §6.3, §6.5).
//!
//! Owns listening, limits, routes and headers. Loopback unless told otherwise; read-only routes for everybody, and
//! `POST /api/evaluate` behind tokens. Holds no judgement: it calls the same function as every front end.

mod access;
mod answers;
mod api;
mod callers;
mod connections;
mod documents;
mod evaluations;
mod log;
mod published;
mod routes;
mod state;
mod traffic;
mod turns;
mod witness;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket};
use tokio::signal::unix::{SignalKind, signal};

pub use access::AccessLog;
pub use api::{ApiError, Evaluator, Judge};
pub use callers::{Caller, Callers, Scope};
pub use published::{GoOn, Published};
pub use state::State;
pub use traffic::Traffic;
pub use witness::witness;

/// Largest request body: a Terraform plan.
pub const BODY_LIMIT: usize = 64 << 20;
/// How long a request may take until its answer begins, its body included.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(60);
/// Bytes of answers that the system takes for a client who does not: each is work done for nobody.
const AHEAD: u32 = 128 << 10;
/// Connections that wait to be accepted, at most.
const BACKLOG: u32 = 1024;

/// Why serving ended.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}; choose another with --listen ADDRESS:PORT")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
    /// The system refused something else.
    #[error("{0}")]
    System(#[from] std::io::Error),
}

/// Serves until SIGTERM or SIGINT; then finishes what it has begun. `started` hears the address.
///
/// # Errors
/// When it cannot listen.
pub fn run(address: SocketAddr, state: State, started: impl FnOnce(SocketAddr)) -> Result<(), ServeError> {
    let traffic = Arc::clone(&state.traffic);
    listen(address, routes::router(Arc::new(state), REQUEST_TIMEOUT), traffic, started)
}

/// A listener whose connections take so much ahead of the other end.
fn listening(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    socket.set_reuseaddr(true)?;
    socket.set_send_buffer_size(AHEAD)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Serves these routes as [`run`] does.
fn listen(
    address: SocketAddr,
    router: axum::Router,
    traffic: Arc<Traffic>,
    started: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    // One thread moves bytes; what reads files is on the others, and what judges on its own (`evaluations`).
    let runtime =
        tokio::runtime::Builder::new_current_thread().max_blocking_threads(8).enable_all().build()?;
    let served = runtime.block_on(async {
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        let stop = async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
        };
        let listener = listening(address).map_err(|source| ServeError::Listen { address, source })?;
        started(listener.local_addr()?);
        connections::serve(listener, router, Arc::clone(&traffic), stop).await;
        Ok(())
    });
    traffic.finish();
    // An evaluation that is still running is of no use to anybody any more.
    runtime.shutdown_background();
    served
}
