//! The JavaScript face of Phasor's loop: the engine, Node's inner scheduler, and what keeps the two in step.
//!
//! A [`Host`] is one JavaScript thread: an engine, a [`Loop`](phasor_core::Loop), and the queues that Node adds to a
//! loop (ticks, microtasks, immediates, timer lists, rejections). What Node's modules *mean* is not here: that is
//! JavaScript in `phasor-node`, handed in as a table of [`Builtin`]s.
//!
//! # Ground rules
//! - **Who may call JavaScript.** Only `dispatch` (the one funnel), the queue runners that it calls (ticks, timers,
//!   immediates, rejections), and closures that they were given ([`OnEvent`], [`Request`]). Whatever throws goes to one
//!   place, `State::report`.
//! - **When may the core be borrowed.** [`State::core`] is borrowed for one short call and never while JavaScript runs:
//!   not across a call, nor across freeing a value (a finalizer may run), nor across making one (a collection may run).
//!   The same holds for the queues of this crate.
//! - **Leaving.** After `process.exit` no JavaScript may run any more. The engine unwinds with an error that cannot be
//!   caught, and everything between it and the host passes [`Leaving`] on.
//! - **One host per thread.** Raw functions and finalizers find their host by the thread; a second one is refused.
#![deny(unsafe_code)]

/// Puts a verb on an object, under its name, by which stacks know it.
macro_rules! verb {
    ($object:ident, $name:literal, $function:expr) => {
        $object.set($name, rquickjs::Function::new($object.ctx().clone(), $function)?.with_name($name)?)?
    };
}

pub mod ascii;
mod atomics;
mod builtins;
pub mod bytes;
mod carried;
mod class;
pub mod clone;
pub mod collation;
mod context;
pub mod dates;
mod dispatch;
pub mod emit;
mod engine;
pub mod errors;
mod evaluated;
mod face;
mod host;
mod immediates;
pub mod inspect;
mod kept;
pub mod keys;
pub mod layers;
mod limits;
pub mod looks;
mod memory;
mod mend;
mod modules;
mod outside;
pub mod parts;
pub mod port;
mod posted;
mod raw;
mod reactions;
mod realm;
mod record;
mod registries;
mod rejections;
mod script;
mod scripts;
pub mod shared;
mod state;
pub mod streams;
mod ticks;
mod timers;
mod times;
pub mod verbs;

pub use rquickjs;

pub use self::builtins::{Builtin, Natives, compile_builtin, compile_function, require as require_builtin};
pub use self::carried::{Carried, Carrier};
pub use self::context::{ASYNC_CONTEXT, Tracked, call_tracked};
pub use self::dispatch::Leaving;
pub use self::evaluated::is_evaluated;
pub use self::face::{JsFace, OnEvent, Request};
pub use self::host::{AtExit, Host, HostError, Options, SCHEDULER};
pub use self::modules::MODULES;
pub use self::outside::{Outside, Why};
pub use self::record::Record;
pub use self::script::run_script;
pub use self::scripts::SCRIPTS;
pub use self::state::{State, engine_version, heap_bytes, state};
pub use self::times::Times;
