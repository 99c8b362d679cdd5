//! The C face of Phasor: `libuv.so.1`, with libuv's symbols and struct layout, on Phasor's loop.
//!
//! It only converts: a function makes C's arguments into Rust's, makes one call into the core (or, where the loop has no
//! part in it, into `phasor_sys`), and makes the answer into C's. `layout` has the types, `door` is the way from a pointer
//! to the core, `run` makes the calls; then there is a file for each section of `uv.h`.
//!
//! # The contract
//! - A handle, a request and a loop are memory of the program's, which it may free where libuv says so. No reference to it
//!   outlives one expression, and none lives over a callback: there are raw pointers and reads and writes of fields.
//! - The core is borrowed inside [`door`], for one operation, never while the program is called.
//! - No panic crosses: `extern "C"` ends the process before that, and none is meant to be reachable.
//!
//! Nothing here is for Rust programs; theirs is the crate `phasor`.
#![deny(unsafe_code)]
#![allow(clippy::redundant_closure_for_method_calls, reason = "an operation on the core looks the same everywhere")]

pub mod address;
pub mod allocator;
pub mod asyncs;
pub mod bufs;
pub mod descriptor;
pub mod dl;
pub mod dns;
pub mod door;
pub mod error;
pub mod face;
pub mod fs;
pub mod fs_event;
pub mod fs_poll;
pub mod handle;
pub mod layout;
pub mod loop_;
pub mod net;
pub mod os;
pub mod pipe;
pub mod poll;
pub mod process;
pub mod random;
pub mod request;
pub mod run;
pub mod signal;
pub mod stream;
pub mod tcp;
pub mod text;
pub mod threads;
pub mod time;
pub mod timer;
pub mod title;
pub mod tty;
pub mod udp;
pub mod version;
pub mod watchers;
pub mod work;
pub mod wtf8;

#[cfg(test)]
mod weak_spots;
