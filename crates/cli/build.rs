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
    println!("cargo::rerun-if-changed=start-order.txt");
    if env::var("PROFILE").as_deref() == Ok("release") && can_order_functions() == Some(true) {
        let file = Path::new(&env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("start-order.txt");
        println!("cargo::rustc-link-arg-bins=-Wl,--symbol-ordering-file={}", file.display());
        println!("cargo::rustc-link-arg-bins=-Wl,--no-warn-symbol-ordering");
    }
}

/// Whether the linker takes a list of functions to place first, as LLD does. Found out by linking an empty program with such a list.
///
/// `start-order.txt` lists the engine's functions that run in hello world. They are a tenth of the code, and without the list they are
/// all over it, so that the kernel maps most of the program. The names are those of valgrind's output for the program without the list:
/// `valgrind --tool=callgrind --demangle=no --smc-check=all-non-file phasor benches/js/hello.js`. A name that the engine does not have
/// any more changes nothing.
fn can_order_functions() -> Option<bool> {
    let out = PathBuf::from(env::var_os("OUT_DIR")?);
    let (source, list) = (out.join("empty.rs"), out.join("empty.txt"));
    fs::write(&source, "fn main() {}").ok()?;
    fs::write(&list, "").ok()?;
    let mut rustc = Command::new(env::var_os("RUSTC")?);
    rustc.arg(&source).arg("--target").arg(env::var_os("TARGET")?).arg("-o").arg(out.join("empty"));
    rustc.args(["-C", &format!("link-arg=-Wl,--symbol-ordering-file={}", list.display())]);
    if let Some(linker) = env::var_os("RUSTC_LINKER") {
        rustc.arg("-C").arg(format!("linker={}", linker.to_str()?));
    }
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    rustc.args(flags.split('\u{1f}').filter(|flag| !flag.is_empty()));
    Some(rustc.output().ok()?.status.success())
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
