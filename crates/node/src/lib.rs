//! Node's core modules: a folder per module with its native functions. The JavaScript that gives them Node's semantics is in
//! `phasor-builtins`.
//!
//! A folder's `mod.rs` has `pub fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>>`; the table `NATIVES` lists them. To add a module, add
//! its folder and a line here, and its JavaScript to the table of `phasor-builtins`.
//!
//! # Embedding
//!
//! A program embeds the runtime with [`Host`]: `examples/embed.rs` runs a script that calls a function of the program. Its manifest and its
//! build script:
//!
//! ```toml
//! [package]
//! resolver = "1"   # with later ones the engine is compiled twice
//! [dependencies]
//! phasor-node = "0.1"
//! ```
//! ```text
//! // These options replace two functions of the engine. Without them messages such as "Cannot read properties of undefined (reading 'x')"
//! // have the engine's wording instead of V8's, and stacks do not include the async functions that wait.
//! fn main() {
//!     println!("cargo::rustc-link-arg-bins=-Wl,--wrap=_ZN11JSErrorBase16newMessageStringEP9JSContext");
//!     println!("cargo::rustc-link-arg-bins=-Wl,--wrap=_ZN2JS19CaptureCurrentStackEP9JSContextNS_13MutableHandleIP8JSObjectEEON7mozilla7VariantIJNS_9AllFramesENS_9MaxFramesENS_18FirstSubsumedFrameEEEENS_6HandleIS4_EE");
//! }
//! ```
//!
//! The engine is the crate `mozjs`: its build downloads the compiled engine that its authors publish, or compiles it, which takes a quarter
//! of an hour and needs clang, libclang, llvm, m4, python3 and make. To use an engine that was compiled before, set the environment variable
//! that `./x env` of Phasor's repository prints.
//!
//! The engine and the order of the loop do not belong here: they are in `phasor-engine` and `phasor-js`.
#![forbid(unsafe_code)]

pub mod assert;
pub mod buffer;
pub mod child_process;
pub mod console;
pub mod crypto;
pub mod dgram;
pub mod dns;
pub mod encoding;
pub mod event_loop;
pub mod fs;
pub mod http;
pub mod messaging;
pub mod module;
pub mod navigator;
pub mod net;
pub mod os;
pub mod performance;
pub mod process;
pub mod repl;
pub mod stack;
pub mod url;
pub mod util;
pub mod worker_threads;
pub mod zlib;

pub use phasor_js::{AtExit, Host, HostError, Options, engine};
use phasor_js::{BuiltinSet, Natives};

/// Node's core modules, for [`phasor_js::Options`].
pub fn builtins() -> BuiltinSet {
    BuiltinSet {
        find: phasor_builtins::find,
        all: || phasor_builtins::all().collect(),
        natives: NATIVES,
        compiled: phasor_builtins::compiled(),
        error_formats: stack::WORDINGS,
    }
}

/// The native functions of all modules.
const NATIVES: &[Natives] = &[
    Natives { name: "assert", make: assert::natives },
    Natives { name: "buffer", make: buffer::natives },
    Natives { name: "child_process", make: child_process::natives },
    Natives { name: "console", make: console::natives },
    Natives { name: "crypto", make: crypto::natives },
    Natives { name: "dgram", make: dgram::natives },
    Natives { name: "dns", make: dns::natives },
    Natives { name: "encoding", make: encoding::natives },
    Natives { name: "event_loop", make: event_loop::natives },
    Natives { name: "fs", make: fs::natives },
    Natives { name: "http", make: http::natives },
    Natives { name: "messaging", make: messaging::natives },
    Natives { name: "module", make: module::natives },
    Natives { name: "navigator", make: navigator::natives },
    Natives { name: "net", make: net::natives },
    Natives { name: "os", make: os::natives },
    Natives { name: "performance", make: performance::natives },
    Natives { name: "process", make: process::natives },
    Natives { name: "repl", make: repl::natives },
    Natives { name: "stack", make: stack::natives },
    Natives { name: "url", make: url::natives },
    Natives { name: "util", make: util::natives },
    Natives { name: "worker_threads", make: worker_threads::natives },
    Natives { name: "zlib", make: zlib::natives },
];
