//! `cargo xtask bench`: builds the benchmark program in release and hands it the words it was given.
//!
//! The benchmarks themselves live in `benches/`; nothing here measures. `bench js` is in `bench_js.rs`, `bench uv` in
//! `bench_uv.rs`.

use anyhow::Result;

use crate::test::{cargo, succeed};
use crate::{bench_js, bench_uv};

/// Builds and runs the benchmarks: of the loop, or with `js` first those of the JavaScript runtimes, with `uv` those of libuv itself.
pub(crate) fn run(words: &[String]) -> Result<()> {
    match words.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        Some(("js", words)) => return bench_js::run(words),
        Some(("uv", words)) => return bench_uv::run(words),
        _ => {}
    }
    succeed(cargo().args(["run", "--release", "--quiet", "--package", "phasor-benches", "--"]).args(words))
}
