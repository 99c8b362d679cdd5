//! Links the program: the engine's error messages and stacks pass through `phasor-engine`, and the C++ library becomes part of the program.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // The text of `phasor_engine::WRAP_FLAG`.
    println!("cargo::rustc-link-arg-bins=-Wl,--wrap=_ZN11JSErrorBase16newMessageStringEP9JSContext");
    // The text of `phasor_engine::WRAP_STACK_FLAG`.
    println!(
        "cargo::rustc-link-arg-bins=-Wl,--wrap=_ZN2JS19CaptureCurrentStackEP9JSContextNS_13MutableHandleIP8JSObjectEEON7mozilla7VariantIJNS_9AllFramesENS_9MaxFramesENS_18FirstSubsumedFrameEEEENS_6HandleIS4_EE"
    );
    if let Some(folder) = static_cxx_library() {
        println!("cargo::rustc-link-search=native={}", folder.display());
    }
}

/// A folder with nothing but the static C++ library of the system, if it has one. The linker takes the first library that it finds for
/// `-lstdc++`, and this folder comes before those of the system. The shared library costs each start 1.5 MB of memory and 1.5 of 25 million
/// instructions.
fn static_cxx_library() -> Option<PathBuf> {
    if env::var("CARGO_CFG_TARGET_OS").ok()? != "linux" || env::var("HOST").ok()? != env::var("TARGET").ok()? {
        return None;
    }
    let found = Command::new("cc").arg("-print-file-name=libstdc++.a").output().ok()?;
    let library = PathBuf::from(String::from_utf8(found.stdout).ok()?.trim());
    // Without the library, the compiler prints the name as it got it.
    if !library.is_absolute() {
        return None;
    }
    let folder = Path::new(&env::var_os("OUT_DIR")?).join("cxx");
    fs::create_dir_all(&folder).ok()?;
    let link = folder.join("libstdc++.a");
    let _ = fs::remove_file(&link);
    std::os::unix::fs::symlink(library, link).ok()?;
    Some(folder)
}
