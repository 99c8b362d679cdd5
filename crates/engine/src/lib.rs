//! A safe facade over SpiderMonkey, in the shape of rusty_v8: a [`Runtime`] for each thread, [`Scope`]s, [`Local`]s, [`Global`]s.
//!
//! # Ground rules
//!
//! - **A local cannot be unrooted.** The engine's collector moves objects, so a pointer to one is valid only until the next
//!   allocation. A [`Local`] is not such a pointer: it is the address of a slot on a stack that the collector traces and updates
//!   (`slots.rs`). The slots of a scope are freed when it ends, and the lifetime of a local is that of its scope.
//! - **Scopes are closures.** `scope.nested(|scope| ...)` gives each scope a lifetime that no other has, so no local outlives its
//!   scope. A scope is free to copy, and each has slots of its own, so the scope around it stays usable.
//! - **An operation that may run JavaScript or collect takes a [`Scope`].** An operation that only reads a slot takes
//!   none.
//! - **An exception is an `Err(`[`Thrown`]`)`.** The runtime stores the exception itself until [`Scope::caught`] takes
//!   it. A native function that returns `Err` throws it on.
//! - **A panic in a native function does not cross the engine**: it is caught, ends the JavaScript that called the function, and goes
//!   on in the Rust code around that JavaScript.
//! - No type of the engine is public in this crate, so that another engine could replace SpiderMonkey. `unsafe` code is
//!   confined to this crate.

mod array;
mod async_stack;
mod async_task;
mod bytes;
mod clone;
mod compile;
mod compiled;
mod convert;
mod engine;
mod error_stack;
mod error_text;
mod exception;
mod function;
mod global;
mod heap;
mod helpers;
mod inspect;
mod job_observer;
mod local;
mod microtask;
mod module;
mod module_hooks;
mod object;
mod payload;
mod promise;
mod promise_hooks;
mod raw;
mod realm;
mod runtime;
mod sandbox;
mod scope;
mod script;
mod sites;
mod slots;
mod string;
mod value;
mod weak;

pub use array::Array;
pub use async_stack::WRAP_STACK_FLAG;
pub use bytes::{ArrayBuffer, BufferView, Bytes, ElementType, Part, SharedArrayBuffer, TypedArray, Uint8Array};
pub use clone::Serialized;
pub use compile::Source;
pub use compiled::{COMPILED_ALIGNMENT, CompiledScript, SelfHostedCode};
pub use convert::{Callee, FromJs, IntoArguments, IntoJs, Parameter, Rest, This, invoke};
pub use engine::{exit_process, reset_time_zone};
pub use error_stack::StackFrame;
pub use error_text::{ErrorFormat, ErrorReport, SEPARATOR, WRAP_FLAG, handles_error_messages};
pub use exception::{ErrorKind, Fallible, Thrown};
pub use function::{Arguments, Function, Native};
pub use global::Global;
pub use inspect::{BuiltinClass, FunctionKind, IteratorItems, IteratorPosition, PromiseState};
pub use job_observer::{MicrotaskObserver, MicrotaskStep};
pub use local::{Kind, Local};
pub use module::{Module, ModuleStatus, Request, RequestKind};
pub use module_hooks::ImportCall;
pub use object::{Attributes, IsObject, Key, Object, OwnKeys};
pub use realm::Realm;
pub use runtime::{Interrupter, Options, Runtime, version};
pub use scope::Scope;
pub use script::{Origin, Script};
pub use sites::{CollectionStep, FunctionSite, NativeEnd, SiteNumber};
pub use string::{JsString, Units};
pub use value::{BigInt, Symbol, Value};
