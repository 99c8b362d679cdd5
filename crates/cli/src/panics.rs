//! The panic message: a panic is always a bug of Phasor, and the message says so and asks for a report.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic::{PanicHookInfo, set_hook};

use crate::help::NODE_VERSION;

/// Installs the panic hook.
pub(crate) fn install() {
    set_hook(Box::new(|info| {
        let thread = std::thread::current();
        let place = info.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
        let backtrace = Backtrace::capture();
        let frames = (backtrace.status() == BacktraceStatus::Captured).then(|| backtrace.to_string());
        crate::print_error(&report(message(info), &place, thread.name(), frames.as_deref()));
    }));
}

/// The message of a panic.
fn message<'a>(info: &'a PanicHookInfo<'_>) -> &'a str {
    let payload = info.payload();
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

/// The text of the report: what happened, and what to include in a bug report.
fn report(message: &str, place: &str, thread: Option<&str>, frames: Option<&str>) -> String {
    let thread = thread.filter(|name| *name != "main").map(|name| format!(", thread {name}")).unwrap_or_default();
    let hint = match frames {
        Some(frames) => format!("\n{frames}"),
        None => "Run it again with RUST_BACKTRACE=1 for the frames.\n".to_owned(),
    };
    format!(
        "\nphasor: internal error: {message}\n    at {place}{thread}\n\n\
         This is a bug in Phasor, not in the program and not in Node.js. Please report it to Phasor, with this text, the\n\
         frames, the operating system and the smallest program that shows it.\n{hint}\n\
         Phasor v{} (Node.js {NODE_VERSION} compatible)\n",
        env!("CARGO_PKG_VERSION")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_asks_for_a_bug_report_of_phasor() {
        let text = report("index out of bounds", "crates/a.rs:1:2", Some("phasor-pool"), None);
        assert!(text.starts_with(
            "\nphasor: internal error: index out of bounds\n    at crates/a.rs:1:2, thread phasor-pool\n"
        ));
        assert!(text.contains("This is a bug in Phasor") && text.contains("RUST_BACKTRACE=1"), "{text}");
        assert!(
            text.ends_with(&format!("\nPhasor v{} (Node.js {NODE_VERSION} compatible)\n", env!("CARGO_PKG_VERSION")))
        );
        let with_frames = report("m", "p", Some("main"), Some("   0: a\n"));
        assert!(
            with_frames.contains("\n   0: a\n")
                && !with_frames.contains("RUST_BACKTRACE")
                && !with_frames.contains("thread")
        );
    }
}
