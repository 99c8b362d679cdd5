//! Source text of code compiled by `eval` and `new Function`, kept for error messages because no file has it.
//!
//! Each source gets its own name in stack traces. Only the newest sources are kept. `phasor-node` interprets the text.
//!
//! # Safety
//! The engine passes the text that it is about to compile, and compiles the nul-terminated text returned in its place.
//! It has finished with that text and its name before it compiles the next one.
#![allow(unsafe_code)]

use std::collections::VecDeque;
use std::ffi::{CStr, CString, c_char, c_int};

use rquickjs::qjs;

use crate::raw::{self, RawCtx};
use crate::state::{State, current_or_none};

/// The common prefix of all names. The name itself if the source is not kept.
const NAME: &CStr = c"<input>";

/// The lines before a text, because the engine's columns in a first line are one too small; and the number of the first
/// of them.
const HEAD: &[u8] = b"\n\n";
const FIRST_LINE: c_int = -1;

/// The maximum number of sources kept.
const MOST: usize = 64;

/// The maximum of their total size.
const MOST_BYTES: usize = 1 << 20;

/// The newest sources.
#[derive(Default)]
pub(crate) struct EvalSources {
    /// The number of sources so far.
    count: u64,
    kept: VecDeque<Text>,
    /// The total size of the kept sources.
    bytes: usize,
}

/// A source.
struct Text {
    name: CString,
    /// The file that called `eval` or `new Function`, if it is known.
    origin: Option<String>,
    /// The text, between [`HEAD`] and a nul.
    text: Box<[u8]>,
}

impl Text {
    /// The text without [`HEAD`] and the nul.
    fn inner(&self) -> &[u8] {
        self.text.get(HEAD.len()..self.text.len() - 1).unwrap_or_default()
    }
}

impl EvalSources {
    /// Finds a source by its name in stack traces.
    fn find(&self, file: &str) -> Option<&Text> {
        self.kept.iter().rfind(|text| text.name.as_bytes() == file.as_bytes())
    }

    /// Keeps a source, unless it is too large. Returns its name and the text that the engine is to compile.
    fn keep(&mut self, text: &[u8], origin: Option<String>) -> Option<(&CStr, &[u8])> {
        // Do not prepend lines to a hashbang: it is only valid at the start of the text.
        if text.len() > MOST_BYTES || text.starts_with(b"#!") {
            return None;
        }
        self.count += 1;
        let name = CString::new(format!("{} {}", NAME.to_string_lossy(), self.count)).ok()?;
        let origin =
            origin.and_then(|file| if is_evaluated(&file) { self.find(&file)?.origin.clone() } else { Some(file) });
        self.bytes += text.len();
        self.kept.push_back(Text { name, origin, text: [HEAD, text, b"\0"].concat().into() });
        while self.kept.len() > MOST || self.bytes > MOST_BYTES {
            let Some(oldest) = self.kept.pop_front() else { break };
            self.bytes -= oldest.inner().len();
        }
        self.kept.back().map(|newest| (newest.name.as_c_str(), &newest.text[..newest.text.len() - 1]))
    }
}

/// Whether a file name in a stack trace is the name of such a source.
pub fn is_evaluated(file: &str) -> bool {
    file.as_bytes().starts_with(NAME.to_bytes())
}

impl State {
    /// A kept source by its name in stack traces.
    pub fn evaluated_text(&self, file: &str) -> Option<String> {
        self.eval_sources.borrow().find(file).map(|text| String::from_utf8_lossy(text.inner()).into_owned())
    }

    /// The names in stack traces of the kept sources, the newest last.
    pub fn evaluated_names(&self) -> Vec<String> {
        self.eval_sources.borrow().kept.iter().map(|text| text.name.to_string_lossy().into_owned()).collect()
    }

    /// The file that compiled a kept source.
    pub(crate) fn evaluated_origin(&self, file: &str) -> Option<String> {
        self.eval_sources.borrow().find(file)?.origin.clone()
    }
}

/// The engine is about to compile a text. Replaces the text and the number of its first line, and returns its name.
#[unsafe(no_mangle)]
unsafe extern "C" fn phasor_evaluates(text: *mut *const c_char, length: *mut usize, line: *mut c_int) -> *const c_char {
    // SAFETY: on the thread of the engine's host, if there is one; the text has the given length.
    unsafe {
        let given = std::slice::from_raw_parts((*text).cast::<u8>(), *length);
        let Some(state) = current_or_none() else { return NAME.as_ptr() };
        // Level 0 is the native (`eval` called indirectly, or a `Function` constructor), which has no file; its caller
        // is level 1. A direct `eval` has its caller at level 0.
        let origin = file_at(state.ctx, 0).or_else(|| file_at(state.ctx, 1));
        let mut evaluated = state.eval_sources.borrow_mut();
        let Some((name, other)) = evaluated.keep(given, origin) else { return NAME.as_ptr() };
        (*text, *length, *line) = (other.as_ptr().cast(), other.len(), FIRST_LINE);
        name.as_ptr()
    }
}

/// The file of a stack frame.
///
/// # Safety
/// The context is alive.
unsafe fn file_at(ctx: RawCtx, level: c_int) -> Option<String> {
    // SAFETY: new references are released; the text is copied.
    unsafe {
        let file = qjs::JS_GetScriptOrModuleName(ctx, level);
        if file == qjs::JS_ATOM_NULL {
            return None;
        }
        let text = qjs::JS_AtomToCStringLen(ctx, std::ptr::null_mut(), file);
        qjs::JS_FreeAtom(ctx, file);
        if text.is_null() {
            raw::free(ctx, qjs::JS_GetException(ctx));
            return None;
        }
        let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
        qjs::JS_FreeCString(ctx, text);
        Some(copy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_sources_are_kept_up_to_the_limits() {
        let mut texts = EvalSources::default();
        for count in 1..=100 {
            let (name, text) = texts.keep(b"1", None).unwrap();
            assert_eq!((name.to_str().unwrap(), text), (format!("<input> {count}").as_str(), &b"\n\n1"[..]));
        }
        assert_eq!((texts.kept.len(), texts.bytes), (MOST, MOST));
        assert!(texts.keep(&vec![b' '; MOST_BYTES], None).is_some());
        assert_eq!((texts.kept.len(), texts.bytes), (1, MOST_BYTES));
        assert!(texts.keep(&vec![b' '; MOST_BYTES + 1], None).is_none() && texts.keep(b"#! /bin/sh", None).is_none());
        assert!(is_evaluated("<input> 7") && is_evaluated("<input>") && !is_evaluated("/input.js"));
    }
}
