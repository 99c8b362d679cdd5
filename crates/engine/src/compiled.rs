//! Code compiled ahead of time: [`CompiledScript`]s, and the engine's own JavaScript ([`SelfHostedCode`]).
//!
//! A program compiles its scripts when it is built, keeps the bytes in its data segment, and runs them without parsing.
//!
//! # Safety
//!
//! The engine decodes the bytes without checking them, and refers to them as long as the process runs. So a
//! `CompiledScript` is made from `'static` bytes, by an `unsafe` function whose caller guarantees their origin. Bytes
//! of another version of the engine are refused by their build id, which `set_build_id` sets when the engine starts.

use std::cell::RefCell;
use std::ffi::c_char;
use std::ptr;

use mozjs::jsapi;
use mozjs::rooted;

use crate::compile::CompileOptions;
use crate::exception::{Fallible, Thrown};
use crate::local::Local;
use crate::raw::{self, RawContext};
use crate::runtime::Runtime;
use crate::scope::Scope;
use crate::script::Origin;
use crate::value::Value;

/// The alignment of compiled code: `js/public/Transcoding.h: BytecodeOffsetAlignment`.
pub const COMPILED_ALIGNMENT: usize = 4;

/// A script that was compiled when the program was built.
#[derive(Clone, Copy, Debug)]
pub struct CompiledScript(&'static [u8]);

impl CompiledScript {
    /// Wraps bytes that [`Scope::compile_ahead`] returned.
    ///
    /// # Safety
    ///
    /// The bytes are unchanged, and of a build of this crate with the same features.
    ///
    /// # Panics
    ///
    /// If the bytes are not aligned to [`COMPILED_ALIGNMENT`].
    pub const unsafe fn new(bytes: &'static [u8]) -> CompiledScript {
        CompiledScript(bytes)
    }
}

/// The engine's own JavaScript (`Array.prototype.map` and the like), compiled when the program was built. Without it each runtime parses the
/// text when it is made, which takes 3 ms.
#[derive(Clone, Copy, Debug)]
pub struct SelfHostedCode(&'static [u8]);

impl SelfHostedCode {
    /// Wraps bytes that [`SelfHostedCode::compile`] returned.
    ///
    /// # Safety
    ///
    /// The requirements of [`CompiledScript::new`].
    pub const unsafe fn new(bytes: &'static [u8]) -> SelfHostedCode {
        SelfHostedCode(bytes)
    }

    /// Compiles the engine's JavaScript, in a runtime of its own. Call this when a program is built, on a thread
    /// without a runtime.
    pub fn compile() -> Vec<u8> {
        WRITTEN.with(|written| written.replace(Some(Vec::new())));
        drop(Runtime::new(crate::Options::default()));
        WRITTEN.with(RefCell::take).unwrap_or_default()
    }
}

thread_local! {
    /// The buffer to which the next runtime of this thread writes the compiled code of the engine.
    static WRITTEN: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
}

/// Loads the engine's own JavaScript into a new context.
///
/// # Safety
///
/// The context is new, and of this thread.
pub(crate) unsafe fn load_self_hosted(cx: *mut RawContext, code: Option<SelfHostedCode>) -> bool {
    unsafe extern "C" fn write(_: *mut RawContext, code: jsapi::SelfHostedCache) -> bool {
        // SAFETY: the type stands for a `mozilla::Span<const uint8_t>`, a length and a pointer (`mfbt/Span.h: storage_type`), of bytes that live during the call.
        let bytes = unsafe {
            let [length, start] = std::mem::transmute::<jsapi::SelfHostedCache, [usize; 2]>(code);
            std::slice::from_raw_parts(start as *const u8, length)
        };
        WRITTEN.with(|written| written.replace(Some(bytes.to_vec())));
        true
    }
    let writes = WRITTEN.with(|written| written.borrow().is_some());
    let span = code.map_or([0, 1], |code| [code.0.len(), code.0.as_ptr() as usize]);
    // SAFETY: the bytes of the span live as long as the process. The pointer of an empty span is not null, as
    // `mozilla::Span` requires.
    unsafe {
        let span = std::mem::transmute::<[usize; 2], jsapi::SelfHostedCache>(span);
        jsapi::InitSelfHostedCode(cx, span, writes.then_some(write))
    }
}

/// Sets the build id that marks compiled code of this build.
///
/// # Safety
///
/// The function is called once, when the engine starts.
pub(crate) unsafe fn set_build_id() {
    unsafe extern "C" fn build_id(id: *mut jsapi::BuildIdCharVector) -> bool {
        const ID: &str = if cfg!(feature = "debug-engine") {
            concat!("phasor-engine ", env!("CARGO_PKG_VERSION"), " mozjs_sys 153.6.0-2 debug")
        } else {
            concat!("phasor-engine ", env!("CARGO_PKG_VERSION"), " mozjs_sys 153.6.0-2")
        };
        // SAFETY: `id` is the engine's empty vector, to which the text is copied.
        unsafe { mozjs::glue::SetBuildId(id, ID.as_ptr().cast::<c_char>(), ID.len()) }
    }
    // SAFETY: guaranteed by the caller.
    unsafe { jsapi::SetProcessBuildIdOp(Some(build_id)) };
}

/// `mozilla::Vector<uint8_t>`, which the bindings of the engine leave out: a pointer, a length and a capacity. The
/// memory is allocated with `malloc`.
#[repr(C)]
struct ByteVector {
    begin: *mut u8,
    length: usize,
    capacity: usize,
    /// The reserved length, and a flag that only debug builds have.
    debug: [usize; 2],
}

impl ByteVector {
    /// An empty vector. The address of its first element is the size of an element: `mfbt/Vector.h:
    /// CRAndStorage<0>::storage`.
    fn new() -> ByteVector {
        ByteVector { begin: ptr::without_provenance_mut(1), length: 0, capacity: 0, debug: [0; 2] }
    }
}

impl Drop for ByteVector {
    fn drop(&mut self) {
        if self.capacity > 0 {
            // SAFETY: the engine has allocated the memory with `malloc`, as `MallocAllocPolicy` does.
            unsafe { libc::free(self.begin.cast()) };
        }
    }
}

unsafe extern "C" {
    #[link_name = "_ZN2JS13EncodeStencilEP9JSContextPN2js8frontend32InitialStencilAndDelazificationsERN7mozilla6VectorIhLm0ENS6_17MallocAllocPolicyEEE"]
    fn encode_stencil(
        cx: *mut RawContext,
        stencil: *mut jsapi::Stencil,
        buffer: *mut ByteVector,
    ) -> jsapi::TranscodeResult;
}

/// A script that has been parsed and belongs to no realm.
struct Stencil(*mut jsapi::Stencil);

impl Drop for Stencil {
    fn drop(&mut self) {
        // SAFETY: the stencil owns one reference.
        unsafe { jsapi::StencilRelease(self.0) };
    }
}

/// A parser that belongs to no context.
struct Parser(*mut jsapi::FrontendContext);

impl Parser {
    /// The stack that a parser may use.
    const STACK_BYTES: usize = 512 << 10;

    fn new() -> Parser {
        // SAFETY: the engine was started. The parser is used on this thread alone.
        unsafe {
            let parser = jsapi::NewFrontendContext();
            assert!(!parser.is_null(), "no memory for a parser");
            jsapi::SetNativeStackQuota(parser, Parser::STACK_BYTES);
            Parser(parser)
        }
    }
}

impl Drop for Parser {
    fn drop(&mut self) {
        // SAFETY: `NewFrontendContext` made it.
        unsafe { jsapi::DestroyFrontendContext(self.0) };
    }
}

impl<'s> Scope<'s> {
    /// Compiles a script, with all functions in it, to bytes for [`CompiledScript::new`]. The bytes do not contain the source text, so
    /// `toString` of its functions does not show it.
    ///
    /// # Errors
    ///
    /// A SyntaxError.
    pub fn compile_ahead(self, source: &str, origin: Origin<'_>) -> Fallible<Vec<u8>> {
        let cx = self.cx();
        let options = CompileOptions::new(self, origin.file, origin.line, 1);
        options.compile_ahead();
        // SAFETY: the source and the options live during the calls; the stencil and the parser are released.
        unsafe {
            let mut text = mozjs::rust::transform_str_to_source_text(source);
            let parser = Parser::new();
            let mut stencil = jsapi::already_AddRefed { mRawPtr: ptr::null_mut(), _phantom_0: Default::default() };
            // Not `JS::CompileGlobalScriptToStencil`: its return convention depends on whether the engine was built
            // with assertions.
            let compile = mozjs::glue::CompileGlobalScriptToStencil_C;
            compile(parser.0, options.as_ptr(), &raw mut text, &raw mut stencil);
            if stencil.mRawPtr.is_null() {
                jsapi::ConvertFrontendErrorsToRuntimeErrors(cx, parser.0, options.as_ptr());
                return Err(Thrown::pending(self));
            }
            let stencil = Stencil(stencil.mRawPtr);
            let mut bytes = ByteVector::new();
            let result = encode_stencil(cx, stencil.0, &raw mut bytes);
            if result != jsapi::TranscodeResult::Ok {
                return Err(Thrown::pending(self));
            }
            Ok(std::slice::from_raw_parts(bytes.begin, bytes.length).to_vec())
        }
    }

    /// Runs a compiled script in the current realm. Returns the value of its last statement. None: the bytes belong to
    /// another build, so the source text has to be compiled.
    ///
    /// # Errors
    ///
    /// The exception that the script throws.
    pub fn run_compiled(self, script: CompiledScript) -> Fallible<Option<Local<'s, Value>>> {
        let cx = self.cx();
        assert!(script.0.as_ptr().addr().is_multiple_of(COMPILED_ALIGNMENT), "compiled code is not aligned");
        let options = jsapi::ReadOnlyDecodeOptions {
            borrowBuffer: true,
            usePinnedBytecode: true,
            introducerFilename_: jsapi::ConstUTF8CharsZ { data_: ptr::null() },
            introductionType: ptr::null(),
            introductionLineno: 0,
            introductionOffset: 0,
        };
        let range = script.0.as_ptr_range();
        let pointer = |at: *const u8| jsapi::mozilla::RangedPtr {
            _phantom_0: Default::default(),
            mPtr: at.cast_mut(),
            // The engine's debug build checks that the bytes are inside of this range.
            #[cfg(feature = "debug-engine")]
            mRangeStart: range.start.cast_mut(),
            #[cfg(feature = "debug-engine")]
            mRangeEnd: range.end.cast_mut(),
        };
        let range = jsapi::mozilla::Range {
            _phantom_0: Default::default(),
            mStart: pointer(range.start),
            mEnd: pointer(range.end),
        };
        let mut stencil = ptr::null_mut();
        // SAFETY: the bytes encode a stencil and live as long as the process: see `CompiledScript::new`. The engine
        // only reads them.
        let result = unsafe { jsapi::DecodeStencil(cx, &raw const options, &raw const range, &raw mut stencil) };
        if result == jsapi::TranscodeResult::Throw {
            return Err(Thrown::pending(self));
        }
        if result != jsapi::TranscodeResult::Ok {
            return Ok(None);
        }
        let stencil = Stencil(stencil);
        let options = jsapi::InstantiateOptions {
            skipFilenameValidation: false,
            hideScriptFromDebugger: false,
            deferDebugMetadata: false,
            eagerDelazificationStrategy_: jsapi::DelazificationOption::OnDemandOnly,
            eagerBaselineStrategy_: jsapi::EagerBaselineOption::None,
        };
        // SAFETY: the script is rooted at once.
        let instance = unsafe { jsapi::InstantiateGlobalStencil(cx, &raw const options, stencil.0, ptr::null_mut()) };
        if instance.is_null() {
            return Err(Thrown::pending(self));
        }
        rooted!(in(cx) let instance = instance);
        let value = self.out();
        // SAFETY: both handles are rooted.
        let ok =
            unsafe { jsapi::JS_ExecuteScript(cx, instance.handle().into(), raw::handle_mut(value.slot().cast_mut())) };
        Thrown::check(self, ok)?;
        Ok(Some(value))
    }
}
