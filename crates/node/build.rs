//! Links the example as the documentation says that an embedding program is linked.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // The text of `phasor_engine::WRAP_FLAG`.
    println!("cargo::rustc-link-arg-examples=-Wl,--wrap=_ZN11JSErrorBase16newMessageStringEP9JSContext");
    // The text of `phasor_engine::WRAP_STACK_FLAG`.
    println!(
        "cargo::rustc-link-arg-examples=-Wl,--wrap=_ZN2JS19CaptureCurrentStackEP9JSContextNS_13MutableHandleIP8JSObjectEEON7mozilla7VariantIJNS_9AllFramesENS_9MaxFramesENS_18FirstSubsumedFrameEEEENS_6HandleIS4_EE"
    );
}
