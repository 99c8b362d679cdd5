//! The WHATWG URL parser and the setters of its components. No JavaScript here, so that it can be fuzzed alone.
//!
//! A serialization is ASCII, so its byte offsets equal offsets in UTF-16.
#![forbid(unsafe_code)]

pub mod host;
mod parser;
mod record;

pub use record::{Url, serialize};
