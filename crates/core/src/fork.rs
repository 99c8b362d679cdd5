//! Continuing a loop in a child of `fork`.
//!
//! # Ground rules
//! - The child shares every open file description with its parent. The descriptions that the loop itself owns (epoll,
//!   the eventfd, the signal pipe, inotify) are replaced before any descriptor is watched or unwatched, because that
//!   would change the parent's epoll instance.
//! - The child has none of the parent's threads. A lock that other threads take may have been held at the time of the
//!   fork, and then stays locked forever. Such state is replaced without taking the lock.

use std::any::Any;
use std::sync::Mutex as StaticMutex;

use phasor_sys::Result;

use crate::face::Face;
use crate::remote::Mailbox;
use crate::state::Loop;
use crate::sync::Arc;

impl<F: Face> Loop<F> {
    /// Replaces everything that is shared with the parent. Call this in the child before any other operation on the
    /// loop. Started handles stay started; the sockets and files of handles stay shared with the parent.
    ///
    /// As with `uv_loop_fork`, tasks that the parent's pool had not finished are not run: their requests keep the loop
    /// alive and get no outcome. Child processes belong to the parent: the exit of a child that has a handle is
    /// reported as an error.
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

/// Objects that are still referenced by threads of the parent. These threads do not exist in the child and never drop
/// their references. The objects stay reachable, so that leak checkers do not report them.
static LEAKED: StaticMutex<Vec<Arc<dyn Any + Send + Sync>>> = StaticMutex::new(Vec::new());

fn leak_reachable<T: Send + Sync + 'static>(shared: Arc<T>) {
    if Arc::strong_count(&shared) > 1
        && let Ok(mut leaked) = LEAKED.try_lock()
    {
        leaked.push(shared);
    }
}
