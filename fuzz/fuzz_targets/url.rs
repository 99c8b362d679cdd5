//! Text as a URL, against a base, and put into every part of one: what comes out is a URL that is read as itself.
//!
//! `cargo +nightly fuzz run url`.
#![no_main]
#![forbid(unsafe_code)]

#[allow(dead_code, reason = "the target takes what it checks")]
#[path = "../../crates/node/src/url"]
mod url {
    mod host;
    mod parser;
    mod record;

    pub(crate) use record::Url;

    pub(crate) fn show(url: &Url) -> String {
        let (text, places) = record::serialize(url);
        // The parts are where they are said to be, one after another.
        assert!(places.iter().all(|&place| text.is_char_boundary(place)), "{text} {places:?}");
        text
    }
}

use url::{Url, show};

const PARTS: [&str; 9] =
    ["protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"];

/// The text of a URL, which must be that of the URL it names.
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
