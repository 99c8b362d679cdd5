//! Noticing that this process is a fork of the one in which something was set up.
//!
//! A child of `fork` has its parent's memory and none of its threads. Whoever keeps threads asks for the
//! [`generation`] when it starts them, and again before it counts on them.
//!
//! # Safety
//! One call of the C library takes a function to be run in each child. Ours adds to an atomic and does nothing else, so
//! it is safe to run there, whatever the parent's other threads were doing.
#![allow(unsafe_code)]

use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};

static FORKS: AtomicU32 = AtomicU32::new(0);

/// How many forks, since the first call, lie between the process of the first call and this one. Costs two loads.
#[doc(alias = "pthread_atfork")]
pub fn generation() -> u32 {
    static ASKED: Once = Once::new();
    ASKED.call_once(|| {
        // SAFETY: the function lives as long as the program and keeps to what a forked child may do. If there is no
        // memory to note it forks go unnoticed: nothing worse than before the call.
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
    fn a_child_is_a_generation_further_and_its_parent_is_not() {
        let before = generation();
        // SAFETY: the child makes only calls that are safe after a fork, and ends without returning here.
        let child = unsafe { libc::fork() };
        assert!(child >= 0);
        if child == 0 {
            let further = generation().wrapping_sub(before);
            // SAFETY: ends the process at once.
            unsafe { libc::_exit(further as i32) };
        }
        let mut status = 0;
        // SAFETY: `child` is ours and `status` is a whole number on this stack.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert!(libc::WIFEXITED(status));
        assert_eq!(libc::WEXITSTATUS(status), 1);
        assert_eq!(generation(), before);
    }
}
