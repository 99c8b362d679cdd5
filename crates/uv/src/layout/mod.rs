//! The types of `uv.h` for Linux on x86_64, with C's names and exactly the layout that programs were compiled with.
//!
//! Public fields have libuv's names (with an underscore where the name is a Rust keyword: `type_`, `loop_`). Private fields are named
//! for their use in this library. `abi_table` asserts every size and offset when the crate is compiled, and `cargo xtask abi` compares
//! the same table with an installed `uv.h`. This module contains no functions.
#![allow(non_camel_case_types, missing_docs, reason = "libuv's names, documented in libuv's manual")]

mod abi_table;
mod callbacks;
mod constants;
mod handles;

mod requests;
mod values;

pub use self::callbacks::*;
pub use self::constants::*;
pub use self::handles::*;
pub use self::requests::*;
pub use self::values::*;
