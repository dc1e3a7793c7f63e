//! Turns: whoever asks now and then is answered at once, whoever asks without a pause in turn with others who do.
//!
//! Owns nothing but the order. A connection that sends request behind request, perhaps without taking the answers, costs the
//! others no more than a moment; where nobody else asks, it waits for nobody.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;
use tokio::task::yield_now;

/// So many requests of one connection within [`LATELY`] are answered at once.
const AT_ONCE: u32 = 8;
const LATELY: Duration = Duration::from_secs(1);
/// So many of those beyond are answered before everybody else was looked at again.
const CROWD: usize = 2;

/// The queue of all connections that ask without a pause.
#[derive(Clone, Debug)]
pub(super) struct Turns(Arc<Semaphore>);

impl Default for Turns {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(CROWD)))
    }
}

/// One connection's place in it.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    crowd: Turns,
    /// Since when it is counted, and how many requests there were.
    lately: Arc<Mutex<(Instant, u32)>>,
}

impl Turns {
    /// For a new connection.
    pub(super) fn of_one(&self) -> Turn {
        Turn { crowd: self.clone(), lately: Arc::new(Mutex::new((Instant::now(), 0))) }
    }
}

impl Turn {
    /// Waits until this connection's next request is to be answered.
    pub(super) async fn wait(&self) {
        let place = match self.is_at_once() {
            true => None,
            false => self.crowd.0.acquire().await.ok(),
        };
        // Whatever else can go on goes on first.
        yield_now().await;
        drop(place);
    }

    fn is_at_once(&self) -> bool {
        let mut lately = self.lately.lock().unwrap_or_else(PoisonError::into_inner);
        if lately.0.elapsed() >= LATELY {
            *lately = (Instant::now(), 0);
        }
        lately.1 = lately.1.saturating_add(1);
        lately.1 <= AT_ONCE
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn one_that_asks_once_waits_for_a_few_of_many_that_ask_without_a_pause() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (turns, answered) = (Turns::default(), Arc::new(AtomicU32::new(0)));
            for _ in 0..128 {
                let (turn, answered) = (turns.of_one(), Arc::clone(&answered));
                tokio::spawn(async move {
                    loop {
                        turn.wait().await;
                        answered.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
            let count = || answered.load(Ordering::Relaxed);
            while count() < 128 * (AT_ONCE + 2) {
                yield_now().await;
            }
            let one = turns.of_one();
            let before = count();
            one.wait().await;
            let meanwhile = count() - before;
            assert!(meanwhile <= 2 * u32::try_from(CROWD).unwrap(), "{meanwhile}");
            // They go on all the same.
            while count() < before + 1000 {
                yield_now().await;
            }
        });
    }
}
