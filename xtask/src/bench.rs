//! `cargo xtask bench`: builds the benchmark program in release and passes its arguments on.
//!
//! The benchmarks are in `benches/`. `bench js` is in `bench_js.rs`, `bench uv` in `bench_uv.rs`.

use anyhow::Result;

use crate::test::{cargo, succeed};
use crate::{bench_js, bench_uv};

/// Runs the benchmarks of the loop; with `js` first, those of the JavaScript runtimes; with `uv` first, those of libuv.
pub(crate) fn run(args: &[String]) -> Result<()> {
    match args.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        Some(("js", args)) => return bench_js::run(args),
        Some(("uv", args)) => return bench_uv::run(args),
        _ => {}
    }
    succeed(cargo().args(["run", "--release", "--quiet", "--package", "phasor-benches", "--"]).args(args))
}
