//! Async handles and channels: calls that other threads cause.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use phasor_core::{AsyncSender, Result};

use crate::Loop;
use crate::handle::handle;

handle! {
    /// Called on the loop's thread after another thread or a signal handler has sent to it.
    ///
    /// It is active until it is closed. Several sends before the call are coalesced into one call; to pass values use
    /// [`Loop::channel`].
    ///
    /// ```
    /// use phasor::{Async, Loop, RunMode};
    ///
    /// let mut l = Loop::new()?;
    /// let (_, sender) = Async::new(&mut l, |l, wake| wake.close(l));
    /// std::thread::spawn(move || sender.send());
    /// l.run(RunMode::Default)?;
    /// # Ok::<(), phasor::Errno>(())
    /// ```
    #[doc(alias = "uv_async_t")]
    Async
}

impl Async {
    /// Opens an async handle. The sender can be cloned and used on any thread, and may outlive the handle.
    #[doc(alias = "uv_async_init")]
    pub fn new(l: &mut Loop, mut call: impl FnMut(&mut Loop, Async) + 'static) -> (Async, AsyncSender) {
        let (id, sender) = l.core.async_open(Loop::no_hooks());
        l.set_hook(id, Box::new(move |l, id, _| call(l, Async(id))));
        (Async(id), sender)
    }

    /// Another sender for the handle.
    pub fn sender(self, l: &Loop) -> Result<AsyncSender> {
        l.core.async_sender(self.0)
    }
}

impl Loop {
    /// Opens an async handle with a queue of values: each value that a thread sends is passed to one call, in the order
    /// of sending.
    ///
    /// The queue is unbounded, but a turn of the loop takes at most 1024 values, so that other handles are not starved.
    /// If a call panics, the values behind it wait for the next send. Closing the handle or dropping the loop drops the
    /// queued values, and sending fails from then on.
    ///
    /// ```
    /// use phasor::{Loop, RunMode};
    ///
    /// let mut l = Loop::new()?;
    /// let (_, sender) = l.channel(|l, inbox, word: String| {
    ///     println!("a thread says {word}");
    ///     inbox.close(l);
    /// });
    /// std::thread::spawn(move || sender.send("hello".to_owned()));
    /// l.run(RunMode::Default)?;
    /// # Ok::<(), phasor::Errno>(())
    /// ```
    pub fn channel<T: Send + 'static>(
        &mut self,
        mut call: impl FnMut(&mut Loop, Async, T) + 'static,
    ) -> (Async, Sender<T>) {
        let queue = Queue(Arc::new(Mutex::new(Some(VecDeque::new()))));
        let inbox = Inbox(queue.clone());
        let (id, sender) = Async::new(self, move |l, id| {
            // Values that are sent from now on wake the loop again. Popped one at a time, so that a panic loses only
            // one value.
            let waiting = inbox.0.len();
            for _ in 0..waiting.min(VALUES_PER_TURN) {
                match inbox.0.pop() {
                    Some(value) => call(l, id, value),
                    None => break,
                }
                if id.is_closing(l) {
                    return;
                }
            }
            if waiting > VALUES_PER_TURN
                && let Ok(sender) = id.sender(l)
            {
                sender.send();
            }
        });
        (id, Sender { queue, sender })
    }
}

/// The most values that one turn of the loop takes from a channel.
const VALUES_PER_TURN: usize = 1024;

/// The queue of a channel; `None` once the receiving end is gone.
struct Queue<T>(Arc<Mutex<Option<VecDeque<T>>>>);

impl<T> Queue<T> {
    /// Ignores poisoning: nothing under this lock can panic halfway, since values are dropped outside of it.
    fn locked(&self) -> MutexGuard<'_, Option<VecDeque<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, value: T) -> std::result::Result<(), T> {
        match &mut *self.locked() {
            Some(values) => {
                values.push_back(value);
                Ok(())
            }
            None => Err(value),
        }
    }

    fn pop(&self) -> Option<T> {
        self.locked().as_mut().and_then(VecDeque::pop_front)
    }

    fn len(&self) -> usize {
        self.locked().as_ref().map_or(0, VecDeque::len)
    }
}

impl<T> Clone for Queue<T> {
    fn clone(&self) -> Queue<T> {
        Queue(self.0.clone())
    }
}

/// The receiving end of a queue, owned by the handle's closure. Dropping it drops the queued values.
struct Inbox<T>(Queue<T>);

impl<T> Drop for Inbox<T> {
    fn drop(&mut self) {
        let left = self.0.locked().take();
        drop(left);
    }
}

/// The sending end of a channel, for any thread. See [`Loop::channel`].
pub struct Sender<T> {
    queue: Queue<T>,
    sender: AsyncSender,
}

impl<T> Sender<T> {
    /// Queues a value and wakes the loop; never blocks. Returns the value as the error if the handle is closed or the
    /// loop was dropped.
    ///
    /// `Ok` does not guarantee that the value is received: the handle may be closed before.
    pub fn send(&self, value: T) -> std::result::Result<(), T> {
        self.queue.push(value)?;
        self.sender.send();
        Ok(())
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Sender<T> {
        Sender { queue: self.queue.clone(), sender: self.sender.clone() }
    }
}

impl<T> std::fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sender")
    }
}
