//! Links the program so that the engine's error messages pass through `phasor-engine`.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // The text of `phasor_engine::WRAP_FLAG`.
    println!("cargo::rustc-link-arg-bins=-Wl,--wrap=_ZN11JSErrorBase16newMessageStringEP9JSContext");
}
