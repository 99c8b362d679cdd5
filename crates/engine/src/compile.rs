//! Compiles source text to functions that have a referrer: the value that the handler of `import()` gets.
//!
//! # Safety
//!
//! The engine copies the text and the name of the file, so both live for the call only.

use std::ffi::CString;
use std::ptr;

use mozjs::jsapi;
use mozjs::rooted;

use crate::exception::{Fallible, Thrown};
use crate::function::Function;
use crate::local::Local;
use crate::object::Object;
use crate::raw::{self, RawObject};
use crate::scope::Scope;
use crate::string::{JsString, Units};
use crate::value::Value;

/// Source text, its file name and position, and its referrer.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The text.
    pub text: Local<'a, JsString>,
    /// The name of the file.
    pub file: &'a str,
    /// The number of the first line.
    pub line: u32,
    /// The number of the first column of that line, from 1 on.
    pub column: u32,
    /// What the handler of [`Runtime::on_import`](crate::Runtime::on_import) gets as the referrer when this code calls `import()`. Code
    /// that `eval` or `Function` compiles does not inherit it.
    pub referrer: Option<Local<'a, Value>>,
}

impl<'a> Source<'a> {
    /// Source text that begins at line 1 and column 1 of a file, without a referrer.
    pub fn new(text: Local<'a, JsString>, file: &'a str) -> Source<'a> {
        Source { text, file, line: 1, column: 1, referrer: None }
    }
}

/// The engine's options for one compilation.
pub(crate) struct CompileOptions(*mut jsapi::ReadOnlyCompileOptions);

impl CompileOptions {
    pub(crate) fn new(scope: Scope<'_>, file: &str, line: u32, column: u32) -> CompileOptions {
        let file = CString::new(file).unwrap_or_default();
        // SAFETY: the name of the file is copied; the options are new, so nothing else refers to them.
        unsafe {
            let options = mozjs::glue::NewCompileOptions(scope.cx(), file.as_ptr(), line);
            assert!(!options.is_null(), "no memory for compile options");
            (*options).column = jsapi::ColumnNumberOneOrigin { _base: column.max(1) };
            CompileOptions(options)
        }
    }

    pub(crate) fn as_ptr(&self) -> *const jsapi::ReadOnlyCompileOptions {
        self.0
    }

    /// Compiles a script whose names are looked up in an object before the global scope.
    pub(crate) fn in_environment(&self) {
        // SAFETY: nothing else refers to the options.
        unsafe { (*self.0)._base.nonSyntacticScope = true };
    }

    /// Compiles all functions at once, and keeps no source text.
    pub(crate) fn compile_ahead(&self) {
        // SAFETY: nothing else refers to the options.
        unsafe {
            (*self.0)._base.eagerDelazificationStrategy_ = jsapi::DelazificationOption::ParseEverythingEagerly;
            (*self.0)._base.discardSource = true;
        }
    }
}

impl Drop for CompileOptions {
    fn drop(&mut self) {
        // SAFETY: `NewCompileOptions` made them.
        unsafe { mozjs::glue::DeleteCompileOptions(self.0) }
    }
}

/// Source text in an encoding that the engine compiles: UTF-8, or UTF-16 if the text has lone surrogates.
pub(crate) enum Text {
    Utf8(String),
    Utf16(Vec<u16>),
}

impl Text {
    pub(crate) fn of(scope: Scope<'_>, string: Local<'_, JsString>) -> Fallible<Text> {
        string.read_units(scope, |units| match units {
            Units::Latin1(bytes) => Text::Utf8(bytes.iter().map(|&byte| char::from(byte)).collect()),
            Units::Utf16(units) => String::from_utf16(units).map_or_else(|_| Text::Utf16(units.to_vec()), Text::Utf8),
        })
    }
}

impl Function {
    /// Compiles a function from its body, as a statement `function name(parameters) { text }` would define it. A `name` may be any text.
    ///
    /// # Errors
    ///
    /// A SyntaxError, also if `text` closes the function body and continues after it.
    pub fn compile<'s>(
        scope: Scope<'s>,
        source: Source<'_>,
        name: &str,
        parameters: &[&str],
    ) -> Fallible<Local<'s, Function>> {
        let cx = scope.cx();
        // The engine converts the text to UTF-16 anyway, and would read UTF-8 bytes as Latin-1
        // (`FunctionCompiler::addFunctionBody`).
        let text = source.text.to_utf16(scope)?;
        let mut text = mozjs::rust::transform_u16_to_source_text(&text);
        let c_text = |text: &str| CString::new(text).unwrap_or_default();
        let name = c_text(name);
        let parameters: Vec<_> = parameters.iter().map(|name| c_text(name)).collect();
        let parameters: Vec<_> = parameters.iter().map(|name| name.as_ptr()).collect();
        // The engine puts a line with the parameters before the text.
        let options = CompileOptions::new(scope, source.file, source.line.saturating_sub(1), source.column);
        let chain = EnvironmentChain::new(scope, None);
        // SAFETY: the texts live during the call; the environment chain roots its object.
        let function = unsafe {
            let (count, names) = (parameters.len() as u32, parameters.as_ptr());
            jsapi::CompileFunction(cx, chain.0, options.0, name.as_ptr(), count, names, &raw mut text)
        };
        if function.is_null() {
            return Err(Thrown::pending(scope));
        }
        rooted!(in(cx) let function = function);
        // SAFETY: the function has just been compiled, so it has a script; the referrer is read from its slot.
        unsafe {
            if let Some(referrer) = source.referrer {
                let script = jsapi::JS_GetFunctionScript(cx, function.handle().into());
                if script.is_null() {
                    return Err(Thrown::pending(scope));
                }
                jsapi::SetScriptPrivate(script, &referrer.raw());
            }
            Ok(scope.root(raw::object(jsapi::JS_GetFunctionObject(function.get()))))
        }
    }
}

/// The engine's list of objects in which code looks names up before it does so in the global object.
pub(crate) struct EnvironmentChain(*mut jsapi::EnvironmentChain);

impl EnvironmentChain {
    pub(crate) fn as_ptr(&self) -> *const jsapi::EnvironmentChain {
        self.0
    }

    /// Makes an environment chain of one object, or an empty chain. The engine allows any object but its own global
    /// objects.
    pub(crate) fn new(scope: Scope<'_>, object: Option<Local<'_, Object>>) -> EnvironmentChain {
        // SAFETY: the context is alive; the object is read from its slot, and the chain roots it.
        unsafe {
            let chain = jsapi::glue::NewEnvironmentChain(scope.cx(), jsapi::SupportUnscopables::No);
            assert!(!chain.is_null(), "no memory for an environment chain");
            if let Some(object) = object {
                let object: *mut RawObject = object.raw().to_object();
                assert!(jsapi::glue::AppendToEnvironmentChain(chain, object), "no memory for an environment chain");
            }
            EnvironmentChain(chain)
        }
    }
}

impl Drop for EnvironmentChain {
    fn drop(&mut self) {
        // SAFETY: `NewEnvironmentChain` made it.
        unsafe { jsapi::glue::DeleteEnvironmentChain(self.0) }
        self.0 = ptr::null_mut();
    }
}
