//! The C front end of Phasor: `libuv.so.1`, with libuv's symbols and struct layout, on Phasor's loop.
//!
//! This crate only converts arguments and results. A function turns its C arguments into Rust values, makes one call
//! into `phasor_core` (or into `phasor_sys`, when no loop is involved), and turns the result into libuv's return value.
//! The types of `uv.h` are in `layout`; `access` leads from a C pointer to the core; `run` calls the callbacks; each
//! other file implements one section of `uv.h`.
//!
//! # The contract
//! - The memory of a handle, a request or a loop belongs to the program, which may free it wherever libuv allows that. So the code
//!   uses raw pointers and reads and writes single fields: no reference outlives one expression, and none lives over a callback.
//! - The core is borrowed only inside [`access`], for one operation, and never while a callback of the program runs.
//! - No panic crosses into C. An `extern "C"` function aborts the process on a panic; no panic is expected to be reachable.
//!
//! Rust programs use the crate `phasor` instead.
#![deny(unsafe_code)]
#![allow(clippy::redundant_closure_for_method_calls, reason = "an operation on the core looks the same everywhere")]

pub mod access;
pub mod address;
pub mod allocator;
pub mod asyncs;
mod attach;
pub mod bufs;
pub mod descriptor;
pub mod dl;
pub mod dns;
pub mod error;
pub mod front_end;
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
mod recording;
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
mod why;
pub mod work;
pub mod wtf8;

#[cfg(test)]
mod libuv_defects;
