//! Records what an event loop of Phasor does, and reads recordings.
//!
//! A *recording* has a track for each thread with a loop. The thread writes [`Record`]s of 32 bytes into a ring without a
//! lock; a writer thread puts them into a file. Nothing here knows a front end: what JavaScript or a C program adds to a
//! record comes through [`Recorder`].
#![forbid(unsafe_code)]

pub mod agent;
mod config;
mod definition;
pub mod doctor;
pub mod export;
mod file;
pub mod json;
pub mod metrics;
mod origin;
mod record;
mod recorder;
pub mod registry;
mod ring;
mod session;
pub mod stats;
pub mod trace;
pub mod watchdog;
mod why;

pub use self::config::{Config, Mode};
pub use self::definition::{Definition, Location, ProcessInfo, ThreadInfo};
pub use self::file::{ReadError, Recording, ThreadRecording, VERSION};
pub use self::origin::{Origin, Origins};
pub use self::record::{
    CallbackKind, CounterKind, FindingKind, RECORD_BYTES, Record, RecordKind, ResourceId, ResourceKind, SpanKind, THREW,
};
pub use self::recorder::{LoopObserver, Recorder, callback_kind};
pub use self::session::Session;
pub use self::trace::Trace;
pub use self::why::{LoopActivity, WhyEntry, WhyLoop, WhyReport};
