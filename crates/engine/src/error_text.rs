//! The texts of the engine's own errors: a table of formats in place of the engine's, and a function that rewrites a message before the
//! error is made.
//!
//! # How
//!
//! The engine has one table of formats, `js_ErrorFormatString`, which `js::GetErrorMessage` reads. [`install`] writes into it before the
//! engine starts. The table is constant data with pointers, so its pages are writable until the loader has relocated them.
//!
//! The engine makes the string of a message in one place, `JSErrorBase::newMessageString`, before it creates the error and throws it. A
//! program that is linked with `--wrap` for that function calls [`new_message_string`] instead, which asks the handler of
//! [`Scope::on_error_message`]. Without the flag the messages are those of the table.

use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char};
use std::rc::Rc;

use mozjs::jsapi;

use crate::exception::ErrorKind;
use crate::function::guarded;
use crate::raw::RawContext;
use crate::realm::is_foreign;
use crate::runtime::{State, state_of};
use crate::scope::Scope;

/// The linker flag that lets [`Scope::on_error_message`] see messages. For the build script of a program:
/// `cargo::rustc-link-arg-bins=` followed by this text.
pub const WRAP_FLAG: &str = "-Wl,--wrap=_ZN11JSErrorBase16newMessageStringEP9JSContext";

/// Separates the arguments in a format that a handler of [`Scope::on_error_message`] completes.
pub const SEPARATOR: char = '\u{1}';

/// Another format for one of the engine's messages.
#[derive(Clone, Copy, Debug)]
pub struct ErrorFormat {
    /// The engine's name for the message: `JSMSG_NOT_DEFINED`.
    pub name: &'static str,
    /// ASCII, with `{0}`, `{1}`… for the first arguments, each exactly once. Trailing arguments can be left out. A format with a
    /// [`SEPARATOR`] is only used in a program that has the handler.
    pub format: &'static str,
    /// The class of the error. None: the class that the engine gives the message.
    pub kind: Option<ErrorKind>,
}

/// A message for which the engine is about to make an error.
#[derive(Clone, Copy, Debug)]
pub struct ErrorReport<'a> {
    /// The engine's name for the message; empty for a message without a format.
    pub name: &'a str,
    /// The text that the format gives.
    pub message: &'a str,
    /// The file of the running script, or of the script that does not compile. Empty if nothing runs.
    pub file: &'a str,
    /// The line, from 1 on.
    pub line: u32,
    /// The column in UTF-16 units, from 1 on.
    pub column: u32,
    /// Part of the line of a script that does not compile, and the place of the error in it, in UTF-16 units.
    pub line_text: Option<(&'a [u16], usize)>,
}

pub(crate) type MessageHandler = Rc<dyn Fn(Scope<'_>, ErrorReport<'_>) -> Option<String>>;

impl Scope<'_> {
    /// Sets the handler that may replace the text of a message. The handler runs before the error exists. It can read
    /// the embedder's value through its scope, and must not call JavaScript.
    pub fn on_error_message(self, handler: impl Fn(Scope<'_>, ErrorReport<'_>) -> Option<String> + 'static) {
        self.state().error_message.replace(Some(Rc::new(handler)));
    }
}

/// Whether the program was linked with [`WRAP_FLAG`].
pub fn handles_error_messages() -> bool {
    unsafe extern "C" {
        #[link_name = "_ZN11JSErrorBase16newMessageStringEP9JSContext"]
        fn called(report: *mut jsapi::JSErrorBase, cx: *mut RawContext) -> *mut jsapi::JSString;
    }
    // With the flag, the linker resolves the engine's symbol to `new_message_string`.
    std::ptr::fn_addr_eq(called as MessageFn, new_message_string as MessageFn)
}

type MessageFn = unsafe extern "C" fn(*mut jsapi::JSErrorBase, *mut RawContext) -> *mut jsapi::JSString;

/// Takes the place of `JSErrorBase::newMessageString`.
#[unsafe(export_name = "__wrap__ZN11JSErrorBase16newMessageStringEP9JSContext")]
unsafe extern "C" fn new_message_string(report: *mut jsapi::JSErrorBase, cx: *mut RawContext) -> *mut jsapi::JSString {
    // SAFETY: the engine calls this with a report that is alive and a running context.
    unsafe {
        let state = state_of(cx);
        let text = rewritten(state, report);
        let text = text.as_deref().unwrap_or_else(|| text_of((*report).message_.data_));
        let chars = mozjs::conversions::Utf8Chars::from(text);
        jsapi::JS_NewStringCopyUTF8N(cx, &raw const *chars)
    }
}

/// The message that the handler returns for a report; None keeps the engine's message.
///
/// # Safety
///
/// The report is alive.
unsafe fn rewritten(state: &State, report: *mut jsapi::JSErrorBase) -> Option<String> {
    let handler = state.error_message.borrow().clone()?;
    // SAFETY: guaranteed by the caller; texts end with a zero. A report of another kind than a note is a `JSErrorReport`.
    unsafe {
        if is_foreign(state, jsapi::CurrentGlobalOrNull(state.cx)) {
            return None;
        }
        let format = jsapi::GetErrorMessage(std::ptr::null_mut(), (*report).errorNumber);
        let is_note = !format.is_null() && (*format).exnType >= jsapi::JSExnType::JSEXN_WARN as i16;
        let line_text = if is_note { None } else { line_text(&*report.cast::<jsapi::JSErrorReport>()) };
        let report = ErrorReport {
            name: text_of((*report).errorMessageName),
            message: text_of((*report).message_.data_),
            file: text_of((*report).filename.data_),
            line: (*report).lineno,
            column: (*report).column._base,
            line_text,
        };
        // An error that the handler itself makes keeps its text.
        state.error_message.replace(None);
        let text = guarded(state, |scope| Ok(handler(scope, report)));
        if state.error_message.borrow().is_none() {
            state.error_message.replace(Some(handler));
        }
        if text.is_none() {
            state.interrupter().interrupt();
        }
        text.flatten()
    }
}

fn line_text(report: &jsapi::JSErrorReport) -> Option<(&[u16], usize)> {
    if report.linebuf_.is_null() {
        return None;
    }
    // SAFETY: the report owns `linebufLength_` units.
    let line = unsafe { std::slice::from_raw_parts(report.linebuf_, report.linebufLength_) };
    Some((line, report.tokenOffset_))
}

/// # Safety
///
/// `text` is null or ends with a zero, and lives for `'a`.
unsafe fn text_of<'a>(text: *const c_char) -> &'a str {
    // SAFETY: guaranteed by the caller.
    if text.is_null() { "" } else { unsafe { CStr::from_ptr(text) }.to_str().unwrap_or_default() }
}

/// Writes formats into the engine's table.
///
/// # Safety
///
/// The engine was not started: no other thread reads the table.
///
/// # Panics
///
/// If the engine has no message of a name, or a format does not take the arguments that the engine passes.
pub(crate) unsafe fn install(formats: &[ErrorFormat]) {
    // One pass over the engine's table of some nine hundred messages. Searching the table for each format took a fifth
    // of the start time.
    let mut formats: HashMap<&[u8], &ErrorFormat> = formats
        .iter()
        .filter(|one| !one.format.contains(SEPARATOR) || handles_error_messages())
        .map(|one| (one.name.as_bytes(), one))
        .collect();
    // SAFETY: guaranteed by the caller. The engine's function only reads its table, whose names are NUL-terminated.
    unsafe {
        let entries: Vec<*mut jsapi::JSErrorFormatString> = (1..jsapi::JSErrNum::JSErr_Limit as u32)
            .map(|number| jsapi::GetErrorMessage(std::ptr::null_mut(), number).cast_mut())
            .collect();
        if formats.is_empty() || !make_writable(&entries) {
            return;
        }
        for entry in entries {
            let Some(format) = formats.remove(CStr::from_ptr((*entry).name).to_bytes()) else { continue };
            let count = argument_count(format.format).filter(|count| *count <= (*entry).argCount);
            (*entry).argCount = count.unwrap_or_else(|| panic!("the arguments of {}", format.name));
            // Leaked: the table lives as long as the process.
            (*entry).format = CString::new(format.format).unwrap_or_default().into_raw();
            if let Some(kind) = format.kind {
                (*entry).exnType = kind.exception_type() as i16;
            }
        }
    }
    assert!(
        formats.is_empty(),
        "the engine has no message {:?}",
        formats.values().map(|one| one.name).collect::<Vec<_>>()
    );
}

/// The number of arguments of a format, if it has each of the first arguments exactly once, which the engine asserts.
fn argument_count(format: &str) -> Option<u16> {
    let bytes = format.as_bytes();
    let mut used: Vec<u8> =
        bytes.windows(2).filter(|two| two[0] == b'{' && two[1].is_ascii_digit()).map(|two| two[1]).collect();
    used.sort_unstable();
    used.iter().zip(b'0'..).all(|(one, expected)| *one == expected).then_some(used.len() as u16)
}

/// Makes the pages of the table writable. They stay writable, because the same pages may contain other writable data.
///
/// # Safety
///
/// The entries belong to the engine's table.
unsafe fn make_writable(entries: &[*mut jsapi::JSErrorFormatString]) -> bool {
    let (Some(first), Some(last)) = (entries.iter().min(), entries.iter().max()) else { return false };
    // SAFETY: the pages are those of the table, which are mapped.
    unsafe { protect(first.cast::<u8>(), last.add(1).cast::<u8>()) }
}

/// Makes the pages from an address to another readable and writable.
///
/// # Safety
///
/// The pages contain constant data of this program.
pub(crate) unsafe fn protect(start: *mut u8, end: *mut u8) -> bool {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let page = usize::try_from(libc::sysconf(libc::_SC_PAGESIZE)).unwrap_or(4096);
        let below = start.addr() % page;
        let length = end.addr() - start.addr() + below;
        libc::mprotect(start.sub(below).cast(), length, libc::PROT_READ | libc::PROT_WRITE) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::argument_count;

    #[test]
    fn formats_use_each_of_the_first_arguments_once() {
        assert_eq!(argument_count("too much recursion"), Some(0));
        assert_eq!(argument_count("{1} of {0}"), Some(2));
        assert_eq!(argument_count("numbers out of order in {} quantifier"), Some(0));
        assert_eq!(argument_count("{1}"), None);
        assert_eq!(argument_count("{0} and {0}"), None);
    }
}
