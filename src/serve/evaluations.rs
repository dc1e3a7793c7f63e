//! Evaluations beside everything else: so many at once, on threads of their own, behind what is published.
//!
//! Owns the threads and the queue. A document that verifiers wait for never stands behind an evaluation.

use std::sync::Arc;
use std::thread;

use rustix::process::nice;
use tokio::sync::{Semaphore, oneshot};

use super::api::{ApiError, Judge};
use super::callers::Caller;

/// Bodies that are read, wait or are judged at once. Each may be as large as a body may be.
const BODIES: usize = 16;
/// Bytes of a body that one place is for: what is large takes more room in memory while it is judged, and so more places.
const SHARE: usize = 8 << 20;
/// How far evaluations stand behind the thread that answers.
const NICE: i32 = 10;

/// Room for evaluations.
#[derive(Clone, Debug)]
pub(super) struct Evaluations {
    bodies: Arc<Semaphore>,
    running: Arc<Semaphore>,
    places: u32,
}

impl Default for Evaluations {
    fn default() -> Self {
        // One core is left to the thread that answers.
        let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let places = u32::try_from(cores.saturating_sub(1)).unwrap_or(u32::MAX).clamp(1, 1024);
        let running = Arc::new(Semaphore::new(places as usize));
        Self { bodies: Arc::new(Semaphore::new(BODIES)), running, places }
    }
}

impl Evaluations {
    /// The right to send a body; waits for it.
    pub(super) async fn body(&self) -> Option<tokio::sync::OwnedSemaphorePermit> {
        Arc::clone(&self.bodies).acquire_owned().await.ok()
    }

    /// Judges on a thread of its own. `None`: it failed.
    pub(super) async fn judge(
        &self,
        judge: Arc<dyn Judge>,
        caller: Caller,
        body: impl AsRef<[u8]> + Send + 'static,
    ) -> Option<Result<String, ApiError>> {
        let share = u32::try_from(body.as_ref().len() / SHARE).unwrap_or(u32::MAX).saturating_add(1);
        let place = Arc::clone(&self.running).acquire_many_owned(share.min(self.places)).await.ok()?;
        let (sender, receiver) = oneshot::channel();
        let work = move || {
            // Of this thread alone, on Linux; where it is refused, it is only less polite.
            let _ = nice(NICE);
            let _ = sender.send(judge.judge(body.as_ref(), &caller));
            drop(place);
        };
        thread::Builder::new().name("evaluation".to_owned()).stack_size(8 << 20).spawn(work).ok()?;
        receiver.await.ok()
    }
}
