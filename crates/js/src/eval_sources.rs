//! Source text of code compiled by `eval` and `new Function`, kept for error messages because no file has it.
//!
//! Each source gets its own name in stack traces. Only the newest sources are kept. `phasor-node` interprets the text.
//!
//! # Safety
//! The engine passes the text it is about to compile, and takes another in its place, with a zero behind it. It has done with that and
//! its name before it compiles the next one.
#![allow(unsafe_code)]

use std::collections::VecDeque;
use std::ffi::{CStr, CString, c_char, c_int};

use rquickjs::qjs;

use crate::raw::{self, RawCtx};
use crate::state::{State, current_or_none};

/// What the names of all of them begin with. One that is not kept has no other.
const NAME: &CStr = c"<input>";

/// Lines before a text, as the engine's columns of a first line are one too small; and the number of the first.
const HEAD: &[u8] = b"\n\n";
const FIRST_LINE: c_int = -1;

/// How many are kept at most.
const MOST: usize = 64;

/// How many bytes they have together at most.
const MOST_BYTES: usize = 1 << 20;

/// The newest texts.
#[derive(Default)]
pub(crate) struct EvalSources {
    /// How many there were.
    count: u64,
    kept: VecDeque<Text>,
    /// How many bytes those have.
    bytes: usize,
}

/// One of them.
struct Text {
    name: CString,
    /// The file that has it compiled, if one does.
    origin: Option<String>,
    /// It is between [`HEAD`] and a zero.
    text: Box<[u8]>,
}

impl Text {
    /// Without what stands around it.
    fn inner(&self) -> &[u8] {
        self.text.get(HEAD.len()..self.text.len() - 1).unwrap_or_default()
    }
}

impl EvalSources {
    /// The one that has a name in stacks.
    fn find(&self, file: &str) -> Option<&Text> {
        self.kept.iter().rfind(|text| text.name.as_bytes() == file.as_bytes())
    }

    /// Keeps a text, if it is not too large. Its name and what the engine is to compile.
    fn keep(&mut self, text: &[u8], origin: Option<String>) -> Option<(&CStr, &[u8])> {
        // A line for the shell is one at the very beginning only.
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

/// Whether a file of a stack is such a text.
pub fn is_evaluated(file: &str) -> bool {
    file.as_bytes().starts_with(NAME.to_bytes())
}

impl State {
    /// The text that has a name in stacks, if it is kept.
    pub fn evaluated_text(&self, file: &str) -> Option<String> {
        self.evaluated.borrow().find(file).map(|text| String::from_utf8_lossy(text.inner()).into_owned())
    }

    /// The file that has the text compiled, if it is kept.
    pub(crate) fn evaluated_origin(&self, file: &str) -> Option<String> {
        self.evaluated.borrow().find(file)?.origin.clone()
    }
}

/// The engine is about to compile a text for a program: what it is to compile instead, and the number of its first line. The name of
/// the text.
#[unsafe(no_mangle)]
unsafe extern "C" fn phasor_evaluates(text: *mut *const c_char, length: *mut usize, line: *mut c_int) -> *const c_char {
    // SAFETY: on the thread of the engine's host, if there is one; a text with as many bytes as it says.
    unsafe {
        let given = std::slice::from_raw_parts((*text).cast::<u8>(), *length);
        let Some(state) = current_or_none() else { return NAME.as_ptr() };
        // `eval` and the constructors of functions are natives, which have no file, unless it is the operator.
        let origin = file_at(state.ctx, 0).or_else(|| file_at(state.ctx, 1));
        let mut evaluated = state.evaluated.borrow_mut();
        let Some((name, other)) = evaluated.keep(given, origin) else { return NAME.as_ptr() };
        (*text, *length, *line) = (other.as_ptr().cast(), other.len(), FIRST_LINE);
        name.as_ptr()
    }
}

/// The file of a frame.
///
/// # Safety
/// The context is alive.
unsafe fn file_at(ctx: RawCtx, level: c_int) -> Option<String> {
    // SAFETY: new references are given up; the text is copied.
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
    fn the_newest_are_kept_and_no_more_than_fit() {
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
