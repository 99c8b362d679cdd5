//! Node's core modules: native functions in Rust, Node's semantics in JavaScript.
#![forbid(unsafe_code)]
