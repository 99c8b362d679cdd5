//! Links the example as the documentation says that an embedding program is linked.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // The text of `phasor_engine::WRAP_FLAG`.
    println!("cargo::rustc-link-arg-examples=-Wl,--wrap=_ZN11JSErrorBase16newMessageStringEP9JSContext");
}
