//! Compiles libuv, from the sources in the crate libuv-sys2, and the C side of the benchmarks.
//!
//! libuv-sys2 itself is never built, because its bindings need libclang; `cargo metadata` finds its sources.

use std::path::{Path, PathBuf};

/// The source files of libuv for Linux, from its CMakeLists.txt. `cargo xtask uv-suite` compiles the same list.
const SOURCES: &str = include_str!("libuv/sources.txt");

/// The C side of the benchmarks: one function per benchmark.
const BENCHES: &[&str] = &["loop.c", "memory.c", "pool.c", "spawn.c", "tcp.c", "timers.c", "udp.c"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=libuv");
    let libuv = libuv_sources();
    // The benchmarks come first, because the linker resolves their undefined symbols from the archives after them.
    build(&libuv)
        .std("gnu11")
        .warnings(true)
        .extra_warnings(true)
        .files(BENCHES.iter().map(|file| Path::new("libuv").join(file)))
        .compile("uvbench");
    build(&libuv)
        .std("gnu89")
        .warnings(false)
        .flag("-fno-strict-aliasing")
        .include(libuv.join("src"))
        .files(SOURCES.lines().map(|file| libuv.join("src").join(file)))
        .compile("uv");
    for library in ["pthread", "dl", "rt"] {
        println!("cargo::rustc-link-lib={library}");
    }
}

/// The common flags. libuv gets its best configuration: in release mode without assertions and without a frame pointer, as in its own
/// release build.
fn build(libuv: &Path) -> cc::Build {
    let mut build = cc::Build::new();
    build.include(libuv.join("include")).define("_GNU_SOURCE", None).define("_FILE_OFFSET_BITS", "64");
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        build.define("NDEBUG", None).debug(false).force_frame_pointer(false);
    }
    build
}

fn libuv_sources() -> PathBuf {
    let metadata = cargo_metadata::MetadataCommand::new().exec().unwrap_or_else(|error| {
        panic!("cannot find libuv's sources with `cargo metadata` (try `cargo fetch`): {error}")
    });
    let package = metadata.packages.iter().find(|package| package.name.as_str() == "libuv-sys2");
    let manifest = &package.expect("libuv-sys2 stands in Cargo.toml").manifest_path;
    manifest.with_file_name("libuv").into_std_path_buf()
}
