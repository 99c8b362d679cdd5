//! Gives the library the name that programs ask the linker for, and makes it quick to load.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libuv.so.1");
    // Threads of the pool run code of the library: a program that closes it must not take it from under them.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    if let Some(folder) = unwinder() {
        println!("cargo::rustc-link-search=native={}", folder.display());
        println!("cargo::rustc-link-lib=static:+whole-archive,-bundle=gcc_eh");
    }
}

/// Where the compiler's unwinder is as an archive, if it has one. With it the library needs the C library alone, as libuv does;
/// without it `libgcc_s.so.1` is loaded too, which every start of a program would pay for.
fn unwinder() -> Option<PathBuf> {
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let asked = Command::new(compiler).arg("-print-file-name=libgcc_eh.a").output().ok()?;
    let path = String::from_utf8(asked.stdout).ok()?;
    // A compiler that does not have it says the name as it was asked.
    let path = Path::new(path.trim());
    path.is_absolute().then(|| path.parent().map(Path::to_owned)).flatten()
}
