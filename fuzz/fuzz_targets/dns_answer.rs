//! Bytes as a name server's answer: whatever they are, they are read or refused, and what is read is as long as they are.
//!
//! `cargo +nightly fuzz run dns_answer`.
#![no_main]
#![forbid(unsafe_code)]

use phasor_node::dns::wire::{answer, question};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some(read) = answer(bytes) else { return };
    // A record takes eleven bytes at the least, so there are never more than fit.
    assert!(read.records.len() * 11 <= bytes.len());
    assert_eq!(read.id, u16::from_be_bytes([bytes[0], bytes[1]]));
    let (name, kind, _) = &read.question;
    assert!(name.is_ascii() && name.len() <= 4 * 255);
    // What can be asked for is what was asked.
    if let Some(asked) = question(read.id, name, *kind) {
        let end = asked.len();
        let same = answer(&asked).expect("a question is an answer without records");
        assert_eq!(same.question.0, *name, "{end}");
    }
});
