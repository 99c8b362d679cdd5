//! Scripts: source text that is compiled and run in the current realm.

use std::ffi::CString;

use mozjs::rooted;

use crate::exception::{Fallible, Thrown};
use crate::local::Local;
use crate::raw;
use crate::scope::Scope;
use crate::value::Value;

/// Where source text comes from, as errors tell it.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The name of the file.
    pub file: &'a str,
    /// The number of the first line.
    pub line: u32,
}

impl<'a> Origin<'a> {
    /// A file from its first line on.
    pub fn new(file: &'a str) -> Origin<'a> {
        Origin { file, line: 1 }
    }
}

/// The engine's options of one compilation.
struct CompileOptions(*mut mozjs::jsapi::ReadOnlyCompileOptions);

impl Drop for CompileOptions {
    fn drop(&mut self) {
        // SAFETY: `NewCompileOptions` made them.
        unsafe { mozjs::glue::DeleteCompileOptions(self.0) }
    }
}

impl<'s> Scope<'s> {
    /// Compiles and runs a script in the current realm. Its value is that of its last statement.
    ///
    /// # Errors
    ///
    /// A SyntaxError, or what the script throws.
    pub fn eval(self, source: &str, origin: Origin<'_>) -> Fallible<Local<'s, Value>> {
        let cx = self.cx();
        let file = CString::new(origin.file).unwrap_or_default();
        rooted!(in(cx) let mut value = raw::undefined());
        // SAFETY: the source and the options live during the call; the handle is rooted.
        let ok = unsafe {
            let options = CompileOptions(mozjs::glue::NewCompileOptions(cx, file.as_ptr(), origin.line));
            assert!(!options.0.is_null(), "no memory for compile options");
            let mut text = mozjs::rust::transform_str_to_source_text(source);
            mozjs::jsapi::Evaluate2(cx, options.0, &raw mut text, value.handle_mut().into())
        };
        Thrown::check(self, ok)?;
        Ok(self.value(value.get()))
    }
}
