//! `cargo xtask bench`: builds the benchmark program in release and hands it the words it was given.
//!
//! The benchmarks themselves live in `benches/`; nothing here measures. `bench js` is in `bench_js.rs`.

use anyhow::Result;

use crate::bench_js;
use crate::test::{cargo, succeed};

/// Builds and runs the benchmarks: of the loop, or with `js` first those of the JavaScript runtimes.
pub(crate) fn run(words: &[String]) -> Result<()> {
    if let Some(("js", words)) = words.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        return bench_js::run(words);
    }
    succeed(cargo().args(["run", "--release", "--quiet", "--package", "phasor-benches", "--"]).args(words))
}
