//! Tests of the HTTP parser: events, faults, and that the result does not depend on how the input is split.

use super::*;

fn settings(kind: Kind, max_strings: u32) -> Settings {
    Settings { kind, lenient: false, max_head_bytes: 16 << 10, max_strings }
}

/// Parses `input` in pieces of `cut` bytes. Returns the events as text, and the fault.
fn events_of(kind: Kind, input: &[u8], cut: usize) -> (Vec<String>, Result<(), Fault>) {
    let mut parser = Parser::new(settings(kind, 2000));
    let mut events: Vec<String> = Vec::new();
    for piece in input.chunks(cut) {
        let mut at = 0;
        loop {
            match parser.step(piece, &mut at) {
                Ok(Step::More) => break,
                Ok(Step::Head) => {
                    let text = String::from_utf8_lossy(parser.block()).replace('\n', "|");
                    let line = String::from_utf8_lossy(parser.target()).into_owned();
                    events.push(format!("{} {} {line} {text}", parser.method(), parser.status()));
                    if parser.is_upgrade() {
                        parser.proceed(Follows::Upgrade);
                    }
                }
                Ok(Step::Body(body)) => match events.last_mut() {
                    Some(last) if last.starts_with("body ") => last.push_str(&String::from_utf8_lossy(body)),
                    _ => events.push(format!("body {}", String::from_utf8_lossy(body))),
                },
                Ok(Step::Complete) => {
                    events.push(format!("end {}", String::from_utf8_lossy(parser.block()).replace('\n', "|")));
                }
                Ok(Step::Upgraded) => {
                    events.push("upgraded".to_owned());
                    return (events, Ok(()));
                }
                Err(fault) => return (events, Err(fault)),
            }
        }
    }
    (events, Ok(()))
}

#[test]
fn events_do_not_depend_on_how_the_input_is_split() {
    let requests: &[&[u8]] = &[
        b"\r\nGET /a?b HTTP/1.1\r\nHost: x\r\nA:  b \t\r\n\r\nPOST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello",
        b"PUT / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n5;a=\"b\\\"\"\r\nhello\r\n0\r\nX: y\r\n\r\n",
        b"CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\nrest",
        b"M-SEARCH http://a@b:1?c HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    ];
    for input in requests {
        let whole = events_of(Kind::Request, input, input.len());
        assert_eq!(whole.1, Ok(()));
        assert!(whole.0.len() >= 2);
        for cut in 1..input.len() {
            assert_eq!(events_of(Kind::Request, input, cut), whole, "cut by {cut}");
        }
    }
    assert_eq!(
        events_of(Kind::Response, b"HTTP/1.1 100 \r\n\r\nHTTP/1.1 200 OK\r\nX: \xe9\r\n\r\nab", 3).0,
        ["0 100  ", "end ", "0 200 OK X|\u{FFFD}|", "body ab"]
    );
}

#[test]
fn ambiguous_messages_are_rejected() {
    for (head, code) in [
        ("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "HPE_INVALID_TRANSFER_ENCODING"),
        ("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "HPE_INVALID_CONTENT_LENGTH"),
        ("Content-Length: 5\r\nContent-Length: 5\r\n", "HPE_UNEXPECTED_CONTENT_LENGTH"),
        ("Content-Length: 5, 5\r\n", "HPE_INVALID_CONTENT_LENGTH"),
        ("Content-Length: +5\r\n", "HPE_INVALID_CONTENT_LENGTH"),
        ("Content-Length: 18446744073709551616\r\n", "HPE_INVALID_CONTENT_LENGTH"),
        ("Transfer-Encoding: gzip\r\n", "HPE_INVALID_TRANSFER_ENCODING"),
        ("Transfer-Encoding: chunked, gzip\r\n", "HPE_INVALID_TRANSFER_ENCODING"),
        ("Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n", "HPE_INVALID_TRANSFER_ENCODING"),
        ("Transfer-Encoding: xchunked\r\n", "HPE_INVALID_TRANSFER_ENCODING"),
        ("Host : a\r\n", "HPE_INVALID_HEADER_TOKEN"),
        ("A: b\r\n c\r\n", "HPE_INVALID_HEADER_TOKEN"),
        ("A: b\nC: d\r\n", "HPE_CR_EXPECTED"),
        ("A: b\rC: d\r\n", "HPE_LF_EXPECTED"),
        ("A: b\0\r\n", "HPE_INVALID_HEADER_TOKEN"),
    ] {
        let input = format!("POST / HTTP/1.1\r\n{head}\r\n");
        for cut in [1, 2, 7, 1000] {
            let (_, result) = events_of(Kind::Request, input.as_bytes(), cut);
            assert_eq!(result.map_err(|fault| fault.code), Err(code), "{head:?} cut by {cut}");
        }
    }
    for (chunks, code) in [
        ("5\nhello\r\n", "HPE_CR_EXPECTED"),
        ("5\r\nhello\n", "HPE_CR_EXPECTED"),
        ("5\r\nhelloX", "HPE_STRICT"),
        ("0x5\r\n", "HPE_INVALID_CHUNK_SIZE"),
        ("-5\r\n", "HPE_INVALID_CHUNK_SIZE"),
        ("5 \r\n", "HPE_INVALID_CHUNK_SIZE"),
        ("\r\n", "HPE_INVALID_CHUNK_SIZE"),
        ("FFFFFFFFFFFFFFFFF\r\n", "HPE_INVALID_CHUNK_SIZE"),
        ("0\r\nContent-Length: 5\r\n\r\n", "HPE_INVALID_CONTENT_LENGTH"),
    ] {
        let input = format!("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}");
        let (_, result) = events_of(Kind::Request, input.as_bytes(), 1000);
        assert_eq!(result.map_err(|fault| fault.code), Err(code), "{chunks:?}");
    }
}

#[test]
fn bodiless_responses_ignore_framing_headers() {
    for (status, head) in
        [(204, "Transfer-Encoding: chunked"), (304, "Transfer-Encoding: gzip"), (204, "Content-Length: 5")]
    {
        let input = format!("HTTP/1.1 {status} X\r\n{head}\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        let (events, result) = events_of(Kind::Response, input.as_bytes(), 3);
        assert_eq!(result, Ok(()));
        assert_eq!(events.iter().filter(|event| event.starts_with("body")).count(), 0, "{head}");
        assert_eq!(events.iter().filter(|event| event.starts_with("end")).count(), 2, "{head}");
    }
    let (events, _) = events_of(Kind::Response, b"HTTP/1.1 101 X\r\nContent-Length: 5\r\n\r\nhello", 4);
    assert_eq!(events.last().map(String::as_str), Some("upgraded"));
}

#[test]
fn heads_and_extensions_have_limits() {
    let long = "a".repeat(17_000);
    for (input, code) in [
        (format!("GET /{long} HTTP/1.1\r\n"), "HPE_HEADER_OVERFLOW"),
        (format!("GET / HTTP/1.1\r\nA: {long}\r\n"), "HPE_HEADER_OVERFLOW"),
        (format!("GET / HTTP/1.1\r\n{}", "A: b\r\n".repeat(1001)), "HPE_HEADER_OVERFLOW"),
        (format!("PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5;{long}"), "HPE_CHUNK_EXTENSIONS_OVERFLOW"),
    ] {
        for cut in [7, input.len()] {
            let (_, result) = events_of(Kind::Request, input.as_bytes(), cut);
            assert_eq!(result.map_err(|fault| fault.code), Err(code));
        }
    }
}

#[test]
fn the_end_of_the_connection_ends_a_body_without_length() {
    let mut parser = Parser::new(settings(Kind::Response, 0));
    let mut at = 0;
    let input = b"HTTP/1.1 200 OK\r\n\r\nab";
    assert_eq!(parser.step(input, &mut at), Ok(Step::Head));
    assert!(!parser.keeps_alive());
    assert_eq!(parser.step(input, &mut at), Ok(Step::Body(b"ab")));
    assert_eq!(parser.finish(), Ok(true));
    assert_eq!(parser.finish(), Ok(false));
    let mut parser = Parser::new(settings(Kind::Request, 0));
    assert_eq!(parser.step(b"GET", &mut 0), Ok(Step::More));
    assert_eq!(parser.finish().map_err(|fault| fault.code), Err("HPE_INVALID_EOF_STATE"));
}

/// RFC 9112 section 5.2. llhttp takes such a message as not chunked when lenient, other recipients as chunked: request smuggling.
#[test]
fn a_folded_list_of_codings_is_rejected_even_if_lenient() {
    for value in
        ["chun\r\n ked", "\r\n chunked", "chunked\r\n ", "gzip,\r\n\tchunked", "chunked\r\n , gzip", "chunked\n x"]
    {
        for kind in [Kind::Request, Kind::Response] {
            let start = if kind == Kind::Request { "POST / HTTP/1.1" } else { "HTTP/1.1 200 OK" };
            let input = format!("{start}\r\nTransfer-Encoding: {value}\r\n\r\n0\r\n\r\n");
            let mut parser = Parser::new(Settings { lenient: true, ..settings(kind, 2000) });
            let result = parser.step(input.as_bytes(), &mut 0);
            assert_eq!(result.map_err(|fault| fault.code), Err("HPE_INVALID_TRANSFER_ENCODING"), "{value:?}");
        }
    }
    let mut parser = Parser::new(Settings { lenient: true, ..settings(Kind::Request, 2000) });
    assert_eq!(parser.step(b"GET / HTTP/1.1\r\nA: b\r\n c\r\nB:\r\n d\r\n\r\n", &mut 0), Ok(Step::Head));
    assert_eq!(String::from_utf8_lossy(parser.block()), "A\nb c\nB\nd\n");
}
