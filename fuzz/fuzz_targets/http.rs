//! Fuzzes the HTTP parser: wherever the input is split, it reports the same, and it never panics. A body may be reported in other
//! pieces, so consecutive body events are joined.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use phasor_http1::{Fault, Follows, Kind, Parser, Settings, Step};

/// The input, and how it is split.
#[derive(Arbitrary, Debug)]
struct Case<'a> {
    is_response: bool,
    is_lenient: bool,
    /// The answer to `proceed` after each head, cyclically.
    follows: [u8; 4],
    /// The sizes of the pieces, cyclically.
    cuts: [u8; 8],
    input: &'a [u8],
}

/// An event of the parser.
#[derive(Debug, PartialEq)]
enum ParserEvent {
    Head { method: u8, status: u16, version: (u8, u8), line: Vec<u8>, block: Vec<u8>, keeps_alive: bool, upgrade: bool },
    Body(Vec<u8>),
    Complete(Vec<u8>),
    Upgraded,
    Fault(Fault),
}

fn run(case: &Case<'_>, cuts: &[u8]) -> (Vec<ParserEvent>, Result<bool, Fault>) {
    let kind = if case.is_response { Kind::Response } else { Kind::Request };
    let mut parser = Parser::new(Settings { kind, lenient: case.is_lenient, max_head_bytes: 256, max_strings: 40 });
    let mut events = Vec::new();
    let (mut rest, mut turn, mut heads) = (case.input, 0, 0);
    while !rest.is_empty() {
        let size = cuts.get(turn % cuts.len().max(1)).map_or(rest.len(), |&cut| usize::from(cut) + 1);
        let (piece, after) = rest.split_at(size.min(rest.len()));
        (rest, turn) = (after, turn + 1);
        let mut at = 0;
        loop {
            let before = at;
            let step = parser.step(piece, &mut at);
            assert!(at >= before && at <= piece.len());
            match step {
                Ok(Step::More) => {
                    assert_eq!(at, piece.len());
                    break;
                }
                Ok(Step::Head) => {
                    events.push(ParserEvent::Head {
                        method: parser.method(),
                        status: parser.status(),
                        version: parser.version(),
                        line: parser.target().to_vec(),
                        block: parser.block().to_vec(),
                        keeps_alive: parser.keeps_alive(),
                        upgrade: parser.is_upgrade(),
                    });
                    // The block has a line for each name and each value, so their number is even.
                    assert_eq!(parser.block().iter().filter(|&&byte| byte == b'\n').count() % 2, 0);
                    parser.proceed(match case.follows[heads % 4] % 8 {
                        0 => Follows::NoBody,
                        1 => Follows::Upgrade,
                        _ => Follows::Message,
                    });
                    heads += 1;
                }
                Ok(Step::Body(body)) => {
                    assert!(!body.is_empty());
                    match events.last_mut() {
                        Some(ParserEvent::Body(all)) => all.extend_from_slice(body),
                        _ => events.push(ParserEvent::Body(body.to_vec())),
                    }
                }
                Ok(Step::Complete) => events.push(ParserEvent::Complete(parser.block().to_vec())),
                Ok(Step::Upgraded) => {
                    events.push(ParserEvent::Upgraded);
                    return (events, parser.finish());
                }
                Err(fault) => {
                    events.push(ParserEvent::Fault(fault));
                    assert_eq!(parser.step(b"x", &mut 0), Err(fault));
                    return (events, parser.finish());
                }
            }
        }
    }
    (events, parser.finish())
}

fuzz_target!(|case: Case<'_>| {
    let whole = run(&case, &[]);
    assert_eq!(run(&case, &case.cuts), whole);
    assert_eq!(run(&case, &[0]), whole);
});
