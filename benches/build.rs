//! Builds libuv from the sources that the crate libuv-sys2 carries, and our side of its benchmarks, with the C compiler.
//!
//! The crate is never built itself (its bindings need libclang): `cargo metadata` says where its sources are.

use std::path::{Path, PathBuf};

/// The files of libuv that Linux needs, as its CMakeLists.txt lists them; `cargo xtask uv-suite` compiles them as well.
const SOURCES: &str = include_str!("libuv/sources.txt");

/// Our own files: one function per benchmark.
const BENCHES: &[&str] = &["loop.c", "memory.c", "pool.c", "spawn.c", "tcp.c", "timers.c", "udp.c"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=libuv");
    let libuv = libuv_sources();
    // Ours first: what it leaves open, the archive after it fills.
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

/// What both share. libuv is to be at its best: in release its assertions are off, as in its own release build, and no
/// register is given up for the debugger.
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
