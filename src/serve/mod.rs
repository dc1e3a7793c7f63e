//! `recourse serve`: the registry, attestations and evaluation over HTTP (protocol §5.3, §6.3, §6.5).
//!
//! Owns listening, limits, routes and headers. Loopback unless told otherwise; read-only routes for everybody, and
//! `POST /api/evaluate` behind a token. Holds no judgement: it calls the same function as every front end.

mod answers;
mod api;
mod log;
mod published;
mod routes;
mod state;
mod witness;

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Semaphore;

pub use api::{ApiError, Evaluator, Judge};
pub use published::{GoOn, Published};
pub use state::State;
pub use witness::witness;

/// Largest request body: a Terraform plan.
pub const BODY_LIMIT: usize = 64 << 20;
/// Connections served at once; further ones wait.
const CONNECTIONS: usize = 128;
/// How long a client may take over its request's head.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a whole request may take, its body and its answer included.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(60);
/// How long requests in progress are waited for at the end.
const GRACE: Duration = Duration::from_secs(10);

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
    listen(address, routes::router(Arc::new(state), REQUEST_TIMEOUT), started)
}

/// Serves these routes as [`run`] does.
fn listen(
    address: SocketAddr,
    router: axum::Router,
    started: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    // One thread moves bytes; what judges or reads files is on the others.
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
        let listener =
            TcpListener::bind(address).await.map_err(|source| ServeError::Listen { address, source })?;
        started(listener.local_addr()?);
        serve(listener, router, stop).await;
        Ok(())
    });
    // An evaluation that is still running is of no use to anybody any more.
    runtime.shutdown_background();
    served
}

/// Serves connections of a listener until `stop`.
async fn serve(listener: TcpListener, router: axum::Router, stop: impl Future<Output = ()>) {
    let graceful = GracefulShutdown::new();
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    tokio::pin!(stop);
    loop {
        let place = tokio::select! {
            () = &mut stop => break,
            place = Arc::clone(&room).acquire_owned() => match place {
                Ok(place) => place,
                Err(_) => break,
            },
        };
        let stream = tokio::select! {
            () = &mut stop => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(_) => {
                    // Out of descriptors, most likely: let some close.
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
        };
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_TIMEOUT)
            .max_buf_size(64 << 10)
            .max_headers(64)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router.clone()));
        let watched = graceful.watch(connection);
        tokio::spawn(async move {
            let _ = watched.await;
            drop(place);
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(GRACE, graceful.shutdown()).await;
}
