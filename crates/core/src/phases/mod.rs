//! The phases with a part of their own: timers, pending, poll and closing. Idle, prepare and check have none: their
//! handles have their turns, one after the other, as `handles::watcher` keeps them.

mod closing;
mod pending;
mod poll;
mod timers;

pub(crate) use self::poll::{Deferred, InProgress};
