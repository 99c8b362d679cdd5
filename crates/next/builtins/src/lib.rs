//! The JavaScript of Node's core modules, compiled to bytecode when this crate is built, and the engine's own.
//!
//! The bytecode is used from the data segment of the program: it is mapped, not copied, and only what runs is read from the disk. The
//! sources, and the table of builtins, are in `phasor-node`.
//!
//! # Safety
//!
//! The bytes come from `build.rs`, which is compiled with the same version of the engine, because one lock file resolves both.
#![deny(unsafe_code)]

use phasor_engine::{CompiledScript, SelfHostedCode};

/// Bytes with the alignment of compiled code.
#[repr(C, align(16))]
struct Aligned<T: ?Sized>(T);

static CODE: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/code")));

/// The ranges of the builtins in [`CODE`], sorted by id.
static TABLE: &[(&str, (usize, usize))] = &include!(concat!(env!("OUT_DIR"), "/table.rs"));

/// The range of the engine's own JavaScript.
const SELF_HOSTED: (usize, usize) = include!(concat!(env!("OUT_DIR"), "/self_hosted.rs"));

/// The compiled code of the builtin with this id.
#[allow(unsafe_code)]
pub fn code(id: &str) -> Option<CompiledScript> {
    let at = TABLE.binary_search_by_key(&id, |(id, _)| id).ok()?;
    let (start, end) = TABLE[at].1;
    // SAFETY: `build.rs` has compiled these bytes with this engine.
    Some(unsafe { CompiledScript::new(&CODE.0[start..end]) })
}

/// The engine's own JavaScript.
#[allow(unsafe_code)]
pub fn self_hosted() -> SelfHostedCode {
    // SAFETY: as in `code`.
    unsafe { SelfHostedCode::new(&CODE.0[SELF_HOSTED.0..SELF_HOSTED.1]) }
}
