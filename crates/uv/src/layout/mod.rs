//! The types of `uv.h` for Linux on x86_64, named as C names them, byte for byte as programs were compiled with them.
//!
//! Public fields have libuv's names (`type_` and `loop_` where Rust has a word of its own). Private bytes are named for
//! what is kept in them here. `proof` asserts every size and offset when the crate is compiled, and `cargo xtask abi`
//! compares the same table with an installed `uv.h`. Nothing here does anything.
#![allow(non_camel_case_types, missing_docs, reason = "libuv's names, documented in libuv's manual")]

mod callbacks;
mod constants;
mod handles;
mod proof;
mod requests;
mod values;

pub use self::callbacks::*;
pub use self::constants::*;
pub use self::handles::*;
pub use self::requests::*;
pub use self::values::*;
