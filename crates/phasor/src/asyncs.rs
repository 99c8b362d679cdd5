//! Calls that other threads cause.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use phasor_core::{AsyncSender, Result};

use crate::Loop;
use crate::handle::handle;

handle! {
    /// Called on the loop's thread after another thread, or a signal handler, has sent to it.
    ///
    /// It is active until it is closed. Sends before the call melt into one; to hand values over use
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
    /// Opens an async handle. The sender may be cloned, may be used from any thread, and may outlive the handle.
    #[doc(alias = "uv_async_init")]
    pub fn new(l: &mut Loop, mut call: impl FnMut(&mut Loop, Async) + 'static) -> (Async, AsyncSender) {
        let (id, sender) = l.core.async_open(Loop::bare());
        l.set_hook(id, Box::new(move |l, id, _| call(l, Async(id))));
        (Async(id), sender)
    }

    /// A further sender.
    pub fn sender(self, l: &Loop) -> Result<AsyncSender> {
        l.core.async_sender(self.0)
    }
}

impl Loop {
    /// Opens an async handle through which other threads hand values to the loop: each is given to one call, in the
    /// order they were sent.
    ///
    /// There is no limit to what may wait, but the loop takes no more than 1024 values in a turn, so that a flood of
    /// them keeps nothing else from its turn. Those behind one whose call panicked wait for the next send. When the
    /// handle is closed, or the loop dropped, what waits is dropped, and sends are refused from then on.
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
        let (id, bell) = Async::new(self, move |l, id| {
            // Those that are sent from now on ring again. One at a time, so that a panic costs no other value.
            let waiting = inbox.0.len();
            for _ in 0..waiting.min(VALUES_A_TURN) {
                match inbox.0.pop() {
                    Some(value) => call(l, id, value),
                    None => break,
                }
                if id.is_closing(l) {
                    return;
                }
            }
            if waiting > VALUES_A_TURN
                && let Ok(bell) = id.sender(l)
            {
                bell.send();
            }
        });
        (id, Sender { queue, bell })
    }
}

/// How many values one turn of the loop takes out of a channel.
const VALUES_A_TURN: usize = 1024;

/// Values on their way to a loop; none once nobody will take them.
struct Queue<T>(Arc<Mutex<Option<VecDeque<T>>>>);

impl<T> Queue<T> {
    /// Nothing that happens under this lock could panic and leave the queue broken: values are dropped outside.
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

/// The loop's end of a queue. It goes with the closure of the handle, and with it what waits.
struct Inbox<T>(Queue<T>);

impl<T> Drop for Inbox<T> {
    fn drop(&mut self) {
        let left = self.0.locked().take();
        drop(left);
    }
}

/// Hands values to a loop, from any thread. See [`Loop::channel`].
pub struct Sender<T> {
    queue: Queue<T>,
    bell: AsyncSender,
}

impl<T> Sender<T> {
    /// Leaves a value and rings. It never waits for the loop. The value comes back if nobody will take it: the handle is
    /// closed, or the loop gone.
    ///
    /// `Ok` does not mean that it will be seen: the handle may be closed before its turn comes.
    pub fn send(&self, value: T) -> std::result::Result<(), T> {
        self.queue.push(value)?;
        self.bell.send();
        Ok(())
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Sender<T> {
        Sender { queue: self.queue.clone(), bell: self.bell.clone() }
    }
}

impl<T> std::fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sender")
    }
}
