//! The synchronisation primitives that threads of the pool and senders share with a loop.
//!
//! Under `--cfg shuttle` they are shuttle's, which runs every schedule a test asks for.

#[cfg(not(shuttle))]
pub(crate) use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

#[cfg(shuttle)]
pub(crate) use shuttle::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, AtomicU64, Ordering},
};
