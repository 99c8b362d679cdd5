//! The JavaScript side of Phasor's loop: the engine, Node's inner scheduler, and the code that keeps the two in step.
//!
//! A [`Host`] is one JavaScript thread: an engine, a [`Loop`](phasor_core::Loop), and the queues that Node adds to a loop (ticks,
//! microtasks, immediates, timer lists, rejections). Node's modules are not here: they are JavaScript in `phasor-node`, passed in as a
//! table of [`Builtin`]s.
//!
//! # Ground rules
//! - **Calls into JavaScript.** Only `dispatch`, the queue runners that it calls (ticks, timers, immediates, rejections), and closures
//!   passed to them ([`OnEvent`], [`Request`]) may call JavaScript. Every exception goes to `State::report`.
//! - **Borrowing the core.** [`State::core`] is borrowed for one short call and never while JavaScript runs: not across a call, nor
//!   across freeing a value (a finalizer may run), nor across creating one (a garbage collection may run). The same holds for the
//!   queues of this crate.
//! - **Exiting.** After `process.exit` no JavaScript may run. The engine unwinds with an uncatchable error, and every caller between the
//!   engine and the host returns [`Exiting`].
//! - **One host per thread.** Raw functions and finalizers find their host through a thread-local; a second host is rejected.
#![deny(unsafe_code)]

/// Defines a native function on an object. Stack traces show its name.
macro_rules! native {
    ($object:ident, $name:literal, $function:expr) => {
        $object.set($name, rquickjs::Function::new($object.ctx().clone(), $function)?.with_name($name)?)?
    };
}

pub mod ascii;
mod atomics;
mod builtins;
pub mod bytes;
mod class;
pub mod clone;
pub mod collation;
mod context;
pub mod date_string;
mod dispatch;
pub mod emit;
mod engine;
pub mod errors;
mod eval_sources;
mod face;
pub mod fast_paths;
pub mod guards;
mod host;
mod immediates;
pub mod inspect;
mod intrinsics;
pub mod keys;
mod limits;
mod memory;
mod message_quota;
mod modules;
mod native_data;
pub mod port;
mod primordials;
pub mod proto_guard;
mod raw;
pub mod raw_fn;
mod reactions;
mod realm;
mod registries;
mod rejections;
mod script;
mod scripts;
mod shape_cache;
pub mod shared;
mod state;
pub mod streams;
pub mod subarray;
mod thread_control;
mod ticks;
mod timers;
mod times;
mod weakref_roots;

pub use rquickjs;

pub use self::builtins::{Builtin, Natives, compile_builtin, compile_function, require as require_builtin};
pub use self::context::{ASYNC_CONTEXT, Tracked, call_tracked};
pub use self::dispatch::Exiting;
pub use self::eval_sources::is_evaluated;
pub use self::face::{JsFace, OnEvent, Request};
pub use self::host::{AtExit, Host, HostError, Options, SCHEDULER};
pub use self::modules::MODULES;
pub use self::native_data::{NativeData, NativeObject};
pub use self::script::run_script;
pub use self::scripts::SCRIPTS;
pub use self::shape_cache::Record;
pub use self::state::{State, engine_version, heap_bytes, state};
pub use self::thread_control::{StopReason, ThreadControl};
pub use self::times::Times;
