//! Text that both exporters write: JSON strings, and the names of callbacks.

use std::io::{self, Write};

use crate::definition::Location;
use crate::trace::{Callback, Thread, Trace};

/// Writes a text as a JSON string (RFC 8259 section 7) that may stand in an HTML script element.
pub(super) fn write_string(out: &mut impl Write, text: &str) -> io::Result<()> {
    out.write_all(b"\"")?;
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c < ' ' || matches!(c, '"' | '\\' | '<' | '\u{2028}' | '\u{2029}')) {
        out.write_all(&rest.as_bytes()[..at])?;
        let special = rest[at..].chars().next().unwrap_or(' ');
        match special {
            '"' => out.write_all(b"\\\"")?,
            '\\' => out.write_all(b"\\\\")?,
            '\n' => out.write_all(b"\\n")?,
            _ => write!(out, "\\u{:04x}", u32::from(special))?,
        }
        rest = &rest[at + special.len_utf8()..];
    }
    out.write_all(rest.as_bytes())?;
    out.write_all(b"\"")
}

/// The name of a callback for people: its function, else its place, else why it ran.
pub(super) fn callback_name(trace: &Trace, thread: &Thread, callback: &Callback) -> String {
    match trace.location(callback.location) {
        Some(Location { function, .. }) if !function.is_empty() => function.clone(),
        Some(Location { file, line, .. }) if !file.is_empty() => {
            // Modules of the runtime have names like `node:http/server`.
            let is_module = file.starts_with("node:") || file.starts_with("phasor:");
            let name = if is_module { file } else { file.rsplit('/').next().unwrap_or(file) };
            if *line == 0 { name.to_owned() } else { format!("{name}:{line}") }
        }
        _ => {
            let request = thread.request(callback.resource).and_then(|request| request.kind);
            match (request, callback.kind) {
                (Some(request), _) => format!("{} done", request.name()),
                (None, Some(kind)) => kind.name().to_owned(),
                (None, None) => "callback".to_owned(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped() {
        let mut out = Vec::new();
        write_string(&mut out, "a\"b\\c\n\t</script>\u{2028}ä🦀").unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), r#""a\"b\\c\n\u0009\u003c/script>\u2028ä🦀""#);
    }
}
