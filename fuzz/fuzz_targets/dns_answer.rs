//! Fuzzes the parser of DNS responses: any bytes are parsed or refused, and the result is consistent with the input.
//!
//! `cargo +nightly fuzz run dns_answer`.
#![no_main]
#![forbid(unsafe_code)]

use phasor_node::dns::wire::{answer, question};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some(read) = answer(bytes) else { return };
    // A resource record has at least eleven bytes (RFC 1035 section 4.1.3).
    assert!(read.records.len() * 11 <= bytes.len());
    assert_eq!(read.id, u16::from_be_bytes([bytes[0], bytes[1]]));
    let (name, kind, _) = &read.question;
    assert!(name.is_ascii() && name.len() <= 4 * 255);
    // A question that can be encoded is parsed as the same question.
    if let Some(asked) = question(read.id, name, *kind) {
        let end = asked.len();
        let same = answer(&asked).expect("a question is an answer without records");
        assert_eq!(same.question.0, *name, "{end}");
    }
});
