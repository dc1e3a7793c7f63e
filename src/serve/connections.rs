//! Connections: how many there are, how many of one client, and how long one may hold its place.
//!
//! Owns accepting them and the end. A client that does not take its answer, or takes it by the byte, is cut off; one that
//! opens many leaves room for others. Knows nothing of what is asked.

use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Sleep, sleep};

use super::traffic::{Peer, Traffic};
use super::turns::Turns;

/// Connections served at once, where the system gives so many descriptors; further ones wait.
const CONNECTIONS: usize = 1024;
/// Descriptors that are for files.
const FILES: usize = 64;
/// Connections of one address. A proxy on this machine stands for many.
const PER_PEER: usize = 128;
/// How long a client may take over its request's head, and be silent before it.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// How long requests in progress are waited for at the end.
const GRACE: Duration = Duration::from_secs(10);

/// How patient we are with a client that does not take what we write.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// Without a byte.
    at_once: Duration,
    /// In all, before the first byte that was taken.
    base: Duration,
    /// Bytes that must be taken in a second of further waiting.
    rate: u64,
}

const PATIENCE: Patience =
    Patience { at_once: Duration::from_secs(10), base: Duration::from_secs(30), rate: 16 << 10 };

/// Serves connections of a listener until `stop`.
pub(super) async fn serve(
    listener: TcpListener,
    router: axum::Router,
    traffic: Arc<Traffic>,
    stop: impl Future<Output = ()>,
) {
    let graceful = GracefulShutdown::new();
    let room = Arc::new(Room::new());
    let turns = Turns::default();
    tokio::pin!(stop);
    loop {
        let place = tokio::select! {
            () = &mut stop => break,
            place = Arc::clone(&room.places).acquire_owned() => match place {
                Ok(place) => place,
                Err(_) => break,
            },
        };
        let (stream, from) = tokio::select! {
            () = &mut stop => break,
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(_) => {
                    // Out of descriptors, most likely: let some close.
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
        };
        let Some(seat) = Room::seat(&room, from, place) else {
            traffic.turned_away();
            continue;
        };
        traffic.opened();
        let service =
            router.clone().layer(axum::Extension(Peer(from))).layer(axum::Extension(turns.of_one()));
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_TIMEOUT)
            .max_buf_size(64 << 10)
            .max_headers(64)
            .serve_connection(
                TokioIo::new(Watched::new(stream, PATIENCE)),
                TowerToHyperService::new(service),
            );
        let watched = graceful.watch(connection);
        let traffic = Arc::clone(&traffic);
        tokio::spawn(async move {
            let _ = watched.await;
            drop(seat);
            traffic.closed();
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(GRACE, graceful.shutdown()).await;
}

/// The places there are, and who has how many.
struct Room {
    places: Arc<Semaphore>,
    peers: Mutex<HashMap<IpAddr, usize>>,
}

/// A connection's place; free again when it is dropped.
struct Seat {
    room: Arc<Room>,
    peer: IpAddr,
    _place: OwnedSemaphorePermit,
}

impl Room {
    /// As many places as there are descriptors for, the limit raised as far as it goes.
    fn new() -> Self {
        let mut limit = getrlimit(Resource::Nofile);
        limit.current = limit.maximum.map_or(Some(u64::MAX), Some).map(|most| most.min(4096));
        // What cannot be raised stays as it is.
        let _ = setrlimit(Resource::Nofile, limit);
        let descriptors = getrlimit(Resource::Nofile).current.unwrap_or(4096);
        let places = usize::try_from(descriptors).unwrap_or(CONNECTIONS).saturating_sub(FILES);
        Self { places: Arc::new(Semaphore::new(places.clamp(8, CONNECTIONS))), peers: Mutex::default() }
    }

    fn seat(room: &Arc<Self>, from: SocketAddr, place: OwnedSemaphorePermit) -> Option<Seat> {
        let peer = from.ip().to_canonical();
        let mut peers = room.peers.lock().unwrap_or_else(PoisonError::into_inner);
        let held = peers.entry(peer).or_default();
        if *held >= PER_PEER && !peer.is_loopback() {
            return None;
        }
        *held += 1;
        Some(Seat { room: Arc::clone(room), peer, _place: place })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut peers = self.room.peers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(held) = peers.get_mut(&self.peer) {
            *held -= 1;
            if *held == 0 {
                peers.remove(&self.peer);
            }
        }
    }
}

/// A stream whose other end has to take what is written.
struct Watched<S = TcpStream> {
    stream: S,
    patience: Patience,
    /// Since when it takes nothing.
    since: Option<Instant>,
    /// How long it took nothing before.
    waited: Duration,
    taken: u64,
    alarm: Option<Pin<Box<Sleep>>>,
}

impl<S: AsyncWrite + Unpin> Watched<S> {
    fn new(stream: S, patience: Patience) -> Self {
        Self { stream, patience, since: None, waited: Duration::ZERO, taken: 0, alarm: None }
    }

    /// What a write came to; one that has to wait, waits only so long.
    fn checked(&mut self, cx: &mut Context<'_>, done: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match done {
            Poll::Ready(Ok(bytes)) => {
                self.taken += bytes as u64;
                if let Some(since) = self.since.take() {
                    self.waited += since.elapsed();
                    self.alarm = None;
                }
                Poll::Ready(Ok(bytes))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => {
                let now = self.since.get_or_insert_with(Instant::now).elapsed();
                let earned = Duration::from_secs(self.taken / self.patience.rate.max(1));
                let in_all = (self.patience.base + earned).saturating_sub(self.waited + now);
                let left = self.patience.at_once.saturating_sub(now).min(in_all);
                if left.is_zero() {
                    return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
                }
                let alarm = self.alarm.insert(Box::pin(sleep(left)));
                match alarm.as_mut().poll(cx) {
                    Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
                    Poll::Pending => Poll::Pending,
                }
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let done = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.checked(cx, done)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let done = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.checked(cx, done)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    fn run(test: impl Future<Output = ()>) {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test);
    }

    const SHORT: Patience =
        Patience { at_once: Duration::from_millis(200), base: Duration::from_millis(400), rate: 1 << 20 };

    #[test]
    fn who_takes_nothing_is_cut_off() {
        run(async {
            let (ours, _theirs) = tokio::io::duplex(1000);
            let mut ours = Watched::new(ours, SHORT);
            let error = ours.write_all(&[0; 5000]).await.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        });
    }

    #[test]
    fn who_takes_it_by_the_byte_is_cut_off() {
        run(async {
            let (ours, mut theirs) = tokio::io::duplex(16);
            let mut ours = Watched::new(ours, SHORT);
            let writing = tokio::spawn(async move { ours.write_all(&[0; 5000]).await });
            // A byte is taken sooner than silence would be noticed.
            let mut byte = [0];
            while !writing.is_finished() && theirs.read_exact(&mut byte).await.is_ok() {
                sleep(Duration::from_millis(50)).await;
            }
            assert_eq!(writing.await.unwrap().unwrap_err().kind(), io::ErrorKind::TimedOut);
        });
    }

    #[test]
    fn who_takes_it_gets_it_all() {
        run(async {
            let (ours, mut theirs) = tokio::io::duplex(4096);
            let mut ours = Watched::new(ours, SHORT);
            let writing = tokio::spawn(async move { ours.write_all(&vec![7; 3 << 20]).await });
            let mut got = Vec::new();
            theirs.read_to_end(&mut got).await.unwrap();
            writing.await.unwrap().unwrap();
            assert_eq!(got.len(), 3 << 20);
        });
    }

    #[test]
    fn one_address_has_its_share_and_gets_it_back() {
        run(async {
            let room = Arc::new(Room::new());
            let place = || Arc::clone(&room.places).try_acquire_owned().unwrap();
            let one: SocketAddr = "192.0.2.1:9".parse().unwrap();
            // The same address in its other spelling.
            let mapped: SocketAddr = "[::ffff:192.0.2.1]:9".parse().unwrap();
            let seats: Vec<_> = (0..PER_PEER)
                .map(|n| Room::seat(&room, if n % 2 == 0 { one } else { mapped }, place()))
                .collect();
            assert!(seats.iter().all(Option::is_some));
            assert!(
                Room::seat(&room, one, place()).is_none() && Room::seat(&room, mapped, place()).is_none()
            );
            assert!(Room::seat(&room, "192.0.2.2:9".parse().unwrap(), place()).is_some());
            drop(seats);
            assert!(Room::seat(&room, one, place()).is_some());
        });
    }
}
