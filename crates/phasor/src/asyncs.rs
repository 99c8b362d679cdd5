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
    pub fn sender(self, l: &mut Loop) -> Result<AsyncSender> {
        l.core.async_sender(self.0)
    }
}

impl Loop {
    /// Opens an async handle through which other threads hand values to the loop: each is given to one call, in the
    /// order they were sent. Values that the handle did not live to see go
    /// with the last sender; those behind one whose call panicked wait for the next send.
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
        let queue = Arc::new(Mutex::new(VecDeque::new()));
        let inbox = queue.clone();
        let (id, bell) = Async::new(self, move |l, id| {
            // Those that are sent from now on ring again. One at a time, so that a panic costs no other value.
            let waiting = locked(&inbox).len();
            for _ in 0..waiting {
                let value = locked(&inbox).pop_front();
                match value {
                    Some(value) if !id.is_closing(l) => call(l, id, value),
                    _ => break,
                }
            }
        });
        (id, Sender { queue, bell })
    }
}

/// Hands values to a loop, from any thread. See [`Loop::channel`].
pub struct Sender<T> {
    queue: Arc<Mutex<VecDeque<T>>>,
    bell: AsyncSender,
}

impl<T> Sender<T> {
    /// Leaves a value and rings. It never waits for the loop.
    pub fn send(&self, value: T) {
        locked(&self.queue).push_back(value);
        self.bell.send();
    }
}

/// Nothing that happens under this lock could panic and leave the queue broken.
fn locked<T>(queue: &Mutex<VecDeque<T>>) -> MutexGuard<'_, VecDeque<T>> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
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
