//! The work of the phases timers, pending, poll and closing. Idle, prepare and check only walk over their handles: see
//! `handles::watcher`.

mod closing;
mod pending;
mod poll;
mod timers;

pub(crate) use self::poll::{Deferred, InProgress};
