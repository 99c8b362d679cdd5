//! The synchronization primitives that are shared between a loop and other threads.
//!
//! With `--cfg shuttle` they are those of shuttle, a randomized scheduler for concurrency tests.

#[cfg(not(shuttle))]
pub(crate) use std::{
    sync::{
        Arc, Condvar, Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
};

#[cfg(shuttle)]
pub(crate) use shuttle::{
    sync::{
        Arc, Condvar, Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
};
