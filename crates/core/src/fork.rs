//! Going on with a loop in a child of `fork`.
//!
//! # Ground rules
//! - The child shares every open file with its parent. What the loop itself made of them (epoll, the bell, the pipe of
//!   signals, inotify) is made anew before anything is watched or unwatched, since that would change the parent's.
//! - The child has none of the parent's threads. A lock that only other threads' business is under may have been held
//!   by one of them, and then stays so: it is replaced, not taken.

use std::any::Any;
use std::sync::Mutex as StaticMutex;

use phasor_sys::Result;

use crate::face::Face;
use crate::remote::Mailbox;
use crate::state::Loop;
use crate::sync::Arc;

impl<F: Face> Loop<F> {
    /// Takes everything that is shared with the parent anew, in the child, before anything else is done with the loop
    /// there. What was started goes on; what a handle was opened for (sockets, files) stays shared.
    ///
    /// As with `uv_loop_fork`, tasks that the parent's pool has not done are not done here: their requests keep the loop
    /// alive, and no outcome comes. Children are the parent's: the end of one that has a handle is told as an error.
    #[doc(alias = "uv_loop_fork")]
    pub fn after_fork(&mut self) -> Result<()> {
        self.platform.renew()?;
        self.batch.clear();
        self.batch_at = 0;
        self.completed.clear();
        let before = std::mem::replace(&mut self.mailbox, Arc::new(Mailbox::new(self.bell.clone())));
        leak_reachable(before);
        self.bell.rearm();
        self.fs_polls_renew();
        self.processes_renew();
        self.reregister_all();
        self.signals_renew()?;
        self.fs_events_renew()
    }
}

/// What threads of the parent had when it forked, which are not here to give it up: it stays, where a tool that looks for what is lost
/// finds it.
static LEAKED: StaticMutex<Vec<Arc<dyn Any + Send + Sync>>> = StaticMutex::new(Vec::new());

fn leak_reachable<T: Send + Sync + 'static>(shared: Arc<T>) {
    if Arc::strong_count(&shared) > 1
        && let Ok(mut left) = LEAKED.try_lock()
    {
        left.push(shared);
    }
}
