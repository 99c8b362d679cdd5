//! Bytes of posted messages that no receiver has taken yet.
//!
//! A queued message belongs to no engine heap, so no heap limit counts it. It is charged to the sender until it is received or
//! dropped. The sender sees it in `process.memoryUsage().external`, and runs out of memory if the sum exceeds its heap limit.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::memory;
use crate::state::State;
use crate::thread_control::StopReason;

/// The bytes that a thread has posted and no receiver has taken yet. Receivers decrement it.
pub(crate) type Posted = Arc<AtomicUsize>;

/// The share of one message in [`Posted`], subtracted when it is dropped.
#[derive(Debug)]
pub(crate) struct Charge {
    posted: Posted,
    bytes: usize,
}

impl Clone for Charge {
    fn clone(&self) -> Charge {
        self.posted.fetch_add(self.bytes, Ordering::Relaxed);
        Charge { posted: self.posted.clone(), bytes: self.bytes }
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.posted.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl State {
    /// How many bytes this thread has posted that no receiver has taken yet.
    pub fn posted_bytes(&self) -> usize {
        self.posted.load(Ordering::Relaxed)
    }

    /// Charges a message to this thread.
    pub(crate) fn charge(&self, bytes: usize) -> Charge {
        let all = self.posted.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if self.options.heap_limit_bytes.is_some_and(|limit| all > limit) {
            match &self.options.thread_control {
                Some(control) => control.end(StopReason::OutOfMemory),
                None => memory::end(),
            }
        }
        Charge { posted: self.posted.clone(), bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn received_and_dropped_messages_are_not_charged() {
        let posted = Posted::default();
        posted.fetch_add(5, Ordering::Relaxed);
        let one = Charge { posted: posted.clone(), bytes: 5 };
        let other = one.clone();
        assert_eq!(posted.load(Ordering::Relaxed), 10);
        drop(one);
        std::thread::spawn(move || drop(other)).join().unwrap();
        assert_eq!(posted.load(Ordering::Relaxed), 0);
    }
}
