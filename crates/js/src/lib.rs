//! The JavaScript side of Phasor's loop: one JavaScript thread, its builtin modules, and the code that keeps Node's inner scheduler (ticks,
//! microtasks) and libuv's loop in step.
//!
//! A [`Host`] is one JavaScript thread: an engine and a [`Loop`](phasor_core::Loop). The queues that Node adds to a loop (ticks,
//! immediates, timer lists, rejections) and Node's modules are JavaScript in `phasor-builtins`. They are passed in as a [`BuiltinSet`], with
//! their native functions from `phasor-node`.
//!
//! # Ground rules
//! - **Calls into JavaScript.** Only `dispatch`, the drain, and closures passed to them ([`OnEvent`], [`Request`]) may call JavaScript.
//!   Every exception goes to `State::report`.
//! - **Borrowing the core.** [`State::core`] is borrowed for one short call and never while JavaScript runs: not across a call, nor across
//!   creating a value (a garbage collection may run finalizers).
//! - **Exiting.** After `process.exit` no JavaScript may run. The engine unwinds without running `finally`, and every caller between the
//!   engine and the host returns [`Exiting`].
#![deny(unsafe_code)]

mod attach;
mod blocked;
mod builtins;
pub mod bytes;
pub mod clone;
mod context;
mod dispatch;
mod engine_tasks;
mod face;
mod host;
mod limits;
mod memory;
mod message_quota;
mod modules;
pub mod port;
mod primordials;
mod recording;
mod sampler;
mod scheduler;
mod scripts;
mod state;
mod thread_control;
mod times;
mod why;

pub use phasor_engine as engine;
pub use phasor_lens::{ResourceId, SpanKind};

pub use self::attach::exit_process;
pub use self::blocked::{set_block_listener, shown_text};
pub use self::builtins::{Builtin, BuiltinSet, Compiled, Natives, compile_builtins, require as require_builtin};
pub use self::context::{ASYNC_CONTEXT, Tracked, call_tracked};
pub use self::dispatch::Exiting;
pub use self::face::{JsFace, OnDone, OnEvent, Request, request};
pub use self::host::{AtExit, Host, HostError, Options};
pub use self::limits::InterruptFlag;
pub use self::modules::MODULES;
pub use self::recording::Recording;
pub use self::scheduler::SCHEDULER;
pub use self::scripts::SCRIPTS;
pub use self::state::{State, state};
pub use self::thread_control::{StopReason, ThreadControl};
pub use self::times::Times;
pub use self::why::{About, function_site, stack_frames};
