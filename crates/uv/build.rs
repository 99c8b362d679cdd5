//! Sets the library's soname, prevents unloading, and links the unwinder statically to make loading faster.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libuv.so.1");
    // Pool threads run code of the library, so `dlclose` must not unload it.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    if let Some(folder) = unwinder() {
        println!("cargo::rustc-link-search=native={}", folder.display());
        println!("cargo::rustc-link-lib=static:+whole-archive,-bundle=gcc_eh");
    }
}

/// The folder with the static unwinder of the C compiler, if there is one. With it the library only needs the C library, as libuv does;
/// otherwise every program would load `libgcc_s.so.1` too.
fn unwinder() -> Option<PathBuf> {
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let asked = Command::new(compiler).arg("-print-file-name=libgcc_eh.a").output().ok()?;
    let path = String::from_utf8(asked.stdout).ok()?;
    // If the compiler does not have the file, it prints the name unchanged.
    let path = Path::new(path.trim());
    path.is_absolute().then(|| path.parent().map(Path::to_owned)).flatten()
}
