//! The JavaScript of Node's core modules, compiled to bytecode when this crate is built, and the engine's own.
//!
//! A folder for each module has its sources; `table.rs` is the list of builtins. Their native functions are Rust, in `phasor-node`.
//!
//! The bytecode is used from the data segment of the program: it is mapped, not copied, and only what runs is read from the disk.
//!
//! # Safety
//!
//! The bytes come from `build.rs`, which is compiled with the same version of the engine, because one lock file resolves both.
#![deny(unsafe_code)]

use phasor_js::engine::{CompiledScript, SelfHostedCode};
use phasor_js::{Builtin, Compiled};

/// Bytes with the alignment of compiled code.
#[repr(C, align(16))]
struct Aligned<T: ?Sized>(T);

static CODE: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/code")));

/// The builtins with the ranges of their code in [`CODE`], sorted by id.
static TABLE: &[(Builtin, (usize, usize))] = &include!(concat!(env!("OUT_DIR"), "/table.rs"));

/// The range of the engine's own JavaScript.
const SELF_HOSTED: (usize, usize) = include!(concat!(env!("OUT_DIR"), "/self_hosted.rs"));

/// All builtins, sorted by id.
pub fn all() -> impl Iterator<Item = &'static Builtin> {
    TABLE.iter().map(|(builtin, _)| builtin)
}

/// The builtin with this id.
pub fn find(id: &str) -> Option<&'static Builtin> {
    entry(id).map(|(builtin, _)| builtin)
}

/// The compiled code of the builtins. None if `PHASOR_BUILTINS` replaces the sources.
#[allow(unsafe_code)]
pub fn compiled() -> Option<Compiled> {
    if folders().is_some() {
        return None;
    }
    // SAFETY: `build.rs` has compiled these bytes with this engine.
    let self_hosted = unsafe { SelfHostedCode::new(&CODE.0[SELF_HOSTED.0..SELF_HOSTED.1]) };
    Some(Compiled { code, self_hosted })
}

/// The compiled code of the builtin with this id.
#[allow(unsafe_code)]
fn code(id: &str) -> Option<CompiledScript> {
    let (start, end) = entry(id)?.1;
    // SAFETY: as in `compiled`.
    Some(unsafe { CompiledScript::new(&CODE.0[start..end]) })
}

fn entry(id: &str) -> Option<&'static (Builtin, (usize, usize))> {
    let at = TABLE.binary_search_by_key(&id, |(builtin, _)| builtin.id).ok()?;
    Some(&TABLE[at])
}

/// The source of a builtin. In debug builds the variable `PHASOR_BUILTINS` names folders, separated by colons, whose files replace the
/// sources in the program, so that a change of a source needs no build: `PHASOR_BUILTINS=crates/builtins/src`.
fn source(file: &str, text: &'static str) -> &'static str {
    if let Some(folders) = folders()
        && let Some(read) =
            std::env::split_paths(&folders).find_map(|path| std::fs::read_to_string(path.join(file)).ok())
    {
        return read.leak();
    }
    text
}

fn folders() -> Option<std::ffi::OsString> {
    if cfg!(debug_assertions) { std::env::var_os("PHASOR_BUILTINS") } else { None }
}
