//! Gives the library the name that programs ask the linker for.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libuv.so.1");
    // Threads of the pool run code of the library: a program that closes it must not take it from under them.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
