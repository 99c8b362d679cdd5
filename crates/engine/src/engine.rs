//! Starts the engine once per process, and shuts it down when the process ends.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error_text::ErrorFormat;
use crate::{error_stack, error_text};

/// How many runtimes exist.
static RUNTIMES: AtomicUsize = AtomicUsize::new(0);

/// Counts a new runtime. The first runtime starts the engine, with other formats for some messages.
pub(crate) fn add_runtime(error_formats: &[ErrorFormat]) {
    static STARTED: OnceLock<()> = OnceLock::new();
    STARTED.get_or_init(|| {
        // SAFETY: called once, before any other function of the engine. The handler runs before the destructors of the engine's
        // static variables, which were registered when the program was loaded.
        unsafe {
            end_by_memory_signals();
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

/// Lets `SIGSEGV` and `SIGBUS` end the process when another process sends them.
///
/// The engine handles both signals for WebAssembly (`wasm/WasmSignalHandlers.cpp`). For a signal that WebAssembly did
/// not cause, the engine restores the former disposition and returns, so that the faulting instruction runs again. A
/// signal that another process sent has no faulting instruction, so the first such signal would be lost. The engine
/// passes signals to a handler that was installed before its own; so this function installs one (`src/node.cc:
/// TrapWebAssemblyOrContinue`).
fn end_by_memory_signals() {
    for signum in [libc::SIGSEGV, libc::SIGBUS] {
        // SAFETY: a zeroed `sigaction` is valid. The handler calls only functions that are safe in signal handlers.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(signum, std::ptr::null(), &raw mut action) != 0 || action.sa_sigaction != libc::SIG_DFL {
                continue;
            }
            action.sa_sigaction = end_by_signal as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigaction(signum, &raw const action, std::ptr::null_mut());
        }
    }
}

extern "C" fn end_by_signal(signum: libc::c_int, _: *const libc::siginfo_t, _: *const libc::c_void) {
    // SAFETY: both functions are safe in signal handlers. The signal is blocked until the handler returns, and then ends the process.
    unsafe {
        libc::signal(signum, libc::SIG_DFL);
        libc::raise(signum);
    }
}

/// Decrements the count of runtimes: one was destroyed.
pub(crate) fn remove_runtime() {
    RUNTIMES.fetch_sub(1, Ordering::Release);
}

/// Ends the work of the engine's helper threads when the process ends: the destructors of static variables destroy a mutex
/// that they use. The engine cannot be shut down while a thread still has a runtime.
extern "C" fn shut_down() {
    if RUNTIMES.load(Ordering::Acquire) == 0 {
        // SAFETY: no runtime exists, and none can be made: the process ends.
        unsafe { mozjs::jsapi::JS_ShutDown() };
    } else {
        crate::helpers::stop();
    }
}

/// Reads the time zone of the process again, after the environment variable `TZ` has changed. All runtimes share the
/// time zone.
pub fn reset_time_zone() {
    // SAFETY: the function takes a lock of the engine, and needs no context.
    unsafe { mozjs::jsapi::ResetTimeZone() };
}

/// Ends the process at once, without running destructors of static variables: other threads may still use the engine.
pub fn exit_process(code: i32) -> ! {
    // SAFETY: the function does not return.
    unsafe { libc::_exit(code) }
}
