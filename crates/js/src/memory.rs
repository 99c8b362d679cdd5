//! The heap limit of the main thread: reaching it ends the process, as in Node.

use std::io::Write;

/// The exit code of an aborted process, as in Node: 128 plus the signal number.
const EXIT_CODE: i32 = 134;

/// Ends a process that has reached its limit.
#[cold]
pub(crate) fn end() -> ! {
    // This runs inside an allocation and must not panic: ignore a closed standard error.
    let text = b"FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n";
    let _ = std::io::stderr().write_all(text);
    phasor_core::tty_reset_mode_at_exit();
    crate::attach::exit_process(EXIT_CODE)
}
