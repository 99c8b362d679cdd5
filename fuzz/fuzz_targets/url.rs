//! Fuzzes the URL parser: parses a text, resolves another against it, and sets each part. The serialized result must parse as itself.
//!
//! `cargo +nightly fuzz run url`.
#![no_main]
#![forbid(unsafe_code)]

use phasor_url::{Url, serialize};

fn show(url: &Url) -> String {
    let (text, places) = serialize(url);
    // The offsets of the parts are at character boundaries.
    assert!(places.iter().all(|&place| text.is_char_boundary(place)), "{text} {places:?}");
    text
}

const PARTS: [&str; 9] =
    ["protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"];

/// The serialized URL, after checking that it parses to the same URL.
fn same(url: &Url) -> String {
    let text = show(url);
    let Some(again) = Url::parse(&text, None) else { panic!("{text} cannot be read again") };
    assert_eq!(show(&again), text);
    text
}

libfuzzer_sys::fuzz_target!(|input: (&str, &str)| {
    let (first, second) = input;
    let Some(base) = Url::parse(first, None) else {
        let _ = Url::parse(second, None);
        return;
    };
    same(&base);
    if let Some(joined) = Url::parse(second, Some(&base)) {
        same(&joined);
    }
    for part in PARTS {
        let Some(mut url) = Url::parse(first, None) else { unreachable!("it was read before") };
        url.update(part, second);
        same(&url);
    }
});
