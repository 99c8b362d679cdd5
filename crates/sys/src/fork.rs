//! Detects that this process is a fork of the process in which some state was set up.
//!
//! A child of `fork(2)` has its parent's memory but only the forking thread. Code that keeps threads stores the
//! [`generation`] when it starts them, and compares it before it relies on them.
//!
//! # Safety
//! `pthread_atfork(3)` takes a function to run in each child. Ours increments an atomic and does nothing else, so it is
//! async-signal-safe and may run there whatever the parent's other threads were doing.
#![allow(unsafe_code)]

use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};

static FORKS: AtomicU32 = AtomicU32::new(0);

/// The number of forks between the process that first called this function and the calling process. Costs two loads.
#[doc(alias = "pthread_atfork")]
pub fn generation() -> u32 {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        // SAFETY: the function is static and async-signal-safe. If registering fails for lack of memory, forks go
        // undetected, as before the call.
        unsafe { libc::pthread_atfork(None, None, Some(count_fork)) };
    });
    FORKS.load(Ordering::Relaxed)
}

extern "C" fn count_fork() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fork_increments_the_generation_of_the_child_only() {
        let before = generation();
        // SAFETY: the child makes only async-signal-safe calls and ends without returning from this function.
        let child = unsafe { libc::fork() };
        assert!(child >= 0);
        if child == 0 {
            let further = generation().wrapping_sub(before);
            // SAFETY: ends the process at once.
            unsafe { libc::_exit(further as i32) };
        }
        let mut status = 0;
        // SAFETY: `child` is our child, and `status` lives on this stack.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert!(libc::WIFEXITED(status));
        assert_eq!(libc::WEXITSTATUS(status), 1);
        assert_eq!(generation(), before);
    }
}
