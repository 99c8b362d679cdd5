//! Fuzzes the loop with scripts of operations, on the real loop and on a naive model: any difference is a crash.
//!
//! `cargo install cargo-fuzz`, then `cargo +nightly fuzz run loop_script`. A crash prints its script in a form that can be pasted into
//! `crates/core/tests/loop_script.rs` as a test.
#![no_main]
#![forbid(unsafe_code)]

#[path = "../../crates/core/tests/model/mod.rs"]
mod model;

libfuzzer_sys::fuzz_target!(|script: model::script::Script| {
    if let Err(difference) = model::check(&script) {
        panic!("{difference}\n\nagree(&{script});\n");
    }
});
