//! The synchronisation primitives that threads of the pool and senders share with a loop.
//!
//! Under `--cfg shuttle` they are shuttle's, which tries as many schedules as a test asks for.

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
