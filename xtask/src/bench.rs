//! `cargo xtask bench`: builds the benchmark program in release and hands it the words it was given.
//!
//! The benchmarks themselves live in `benches/`; nothing here measures.

use anyhow::Result;

use crate::test::{cargo, succeed};

/// Builds and runs the benchmarks.
pub(crate) fn run(words: &[String]) -> Result<()> {
    succeed(cargo().args(["run", "--release", "--quiet", "--package", "phasor-benches", "--"]).args(words))
}
