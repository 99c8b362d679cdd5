//! The start of the engine, once in a process, and its end.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error_text::ErrorFormat;
use crate::{error_stack, error_text};

/// How many runtimes exist.
static RUNTIMES: AtomicUsize = AtomicUsize::new(0);

/// Counts a new runtime. The first starts the engine, with other formats for some messages.
pub(crate) fn add_runtime(error_formats: &[ErrorFormat]) {
    static STARTED: OnceLock<()> = OnceLock::new();
    STARTED.get_or_init(|| {
        // SAFETY: called once, before any other function of the engine. The handler runs before the destructors of the engine's
        // static variables, which were registered when the program was loaded.
        unsafe {
            error_text::install(error_formats);
            error_stack::install();
            assert!(mozjs::jsapi::glue::JS_Init(), "the JavaScript engine cannot start: out of memory");
            crate::compiled::set_build_id();
            crate::helpers::install();
            libc::atexit(shut_down);
        }
    });
    RUNTIMES.fetch_add(1, Ordering::Relaxed);
}

/// Counts a runtime that was destroyed.
pub(crate) fn remove_runtime() {
    RUNTIMES.fetch_sub(1, Ordering::Release);
}

/// Ends the engine's helper threads when the process ends: the destructors of static variables would destroy a mutex that they use.
/// Impossible while a thread still has a runtime; a program that ends like that leaves by `_exit`.
extern "C" fn shut_down() {
    if RUNTIMES.load(Ordering::Acquire) == 0 {
        // SAFETY: no runtime exists, and none can be made: the process ends.
        unsafe { mozjs::jsapi::JS_ShutDown() };
    }
}

/// Reads the time zone of the process again, after the environment variable `TZ` has changed. It is that of all runtimes.
pub fn reset_time_zone() {
    // SAFETY: the function takes a lock of the engine, and needs no context.
    unsafe { mozjs::jsapi::ResetTimeZone() };
}

/// Ends the process at once, without running destructors of static variables: other threads may still use the engine.
pub fn exit_process(code: i32) -> ! {
    // SAFETY: the function does not return.
    unsafe { libc::_exit(code) }
}
