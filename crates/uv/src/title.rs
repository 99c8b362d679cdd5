//! The process title: the command line that `ps` shows for the process.
//!
//! The kernel shows the memory of the original arguments, which lie one after the other. `uv_setup_args` copies the arguments
//! elsewhere, and `uv_set_process_title` then overwrites the original memory.
//!
//! # Safety
//! `argc` and `argv` are the arguments of `main`, and the program does not use the strings of the old `argv`
//! afterwards. The memory for a title ends where the next argument is not adjacent, so that nothing else is
//! overwritten. `STATE` protects it from concurrent access.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use phasor_sys::{Errno, process};

use crate::allocator;

/// The memory of the original arguments, where a title is written.
struct TitleMemory {
    /// The address of the first of the original arguments.
    start: *mut c_char,
    /// The size of the memory in bytes, including the NUL.
    capacity: usize,
    /// The length of the current title.
    len: usize,
}

struct State {
    /// The memory for titles. `None` before `uv_setup_args`.
    memory: Option<TitleMemory>,
    /// The blocks with the copied arguments, from the replaceable allocator.
    blocks: Vec<*mut c_void>,
}

// SAFETY: any thread may access the memory that the pointers point to, and only the holder of the lock does.
unsafe impl Send for State {}

static STATE: Mutex<State> = Mutex::new(State { memory: None, blocks: Vec::new() });

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Copies the arguments, to free their memory for a title. Returns `argv` itself if it is empty or there is no memory.
///
/// # Safety
/// See the head of this file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_setup_args(argc: c_int, argv: *mut *mut c_char) -> *mut *mut c_char {
    let count = usize::try_from(argc).unwrap_or(0);
    if count == 0 || argv.is_null() {
        return argv;
    }
    // SAFETY: guaranteed by the caller: `count` C strings. The block has the size of the array with its NULL, and of the strings.
    unsafe {
        if (0..count).any(|index| (*argv.add(index)).is_null()) {
            return argv;
        }
        let bytes_of = |index: usize| CStr::from_ptr(*argv.add(index)).to_bytes_with_nul().len();
        let texts_bytes: usize = (0..count).map(bytes_of).sum();
        let block = allocator::malloc((count + 1) * size_of::<*mut c_char>() + texts_bytes);
        if block.is_null() {
            return argv;
        }
        let moved: *mut *mut c_char = block.cast();
        let mut place: *mut c_char = moved.add(count + 1).cast();
        let start = *argv;
        let mut capacity = 0;
        for index in 0..count {
            let bytes = bytes_of(index);
            if *argv.add(index) == start.wrapping_add(capacity) {
                capacity += bytes;
            }
            std::ptr::copy_nonoverlapping(*argv.add(index), place, bytes);
            *moved.add(index) = place;
            place = place.add(bytes);
        }
        *moved.add(count) = std::ptr::null_mut();
        let mut state = state();
        state.memory = Some(TitleMemory { start, capacity, len: bytes_of(0) - 1 });
        state.blocks.push(block);
        moved
    }
}

/// Sets the title, truncated to the size of the original arguments. `ENOBUFS` before `uv_setup_args`.
///
/// # Safety
/// `title` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_set_process_title(title: *const c_char) -> c_int {
    let mut state = state();
    let Some(memory) = &mut state.memory else { return -Errno::ENOBUFS.raw() };
    // SAFETY: guaranteed by the caller; see the head of this file. The capacity is at least 1, for the NUL of the first argument.
    unsafe {
        memory.len = CStr::from_ptr(title).to_bytes().len().min(memory.capacity - 1);
        std::ptr::copy(title, memory.start, memory.len);
        std::ptr::write_bytes(memory.start.add(memory.len), 0, memory.capacity - memory.len);
        // A failure to set the thread name is ignored (`src/unix/linux.c: uv__set_process_title`).
        let _ = process::set_thread_name(CStr::from_ptr(memory.start));
    }
    0
}

/// The current title. `ENOBUFS` before `uv_setup_args`, or if the buffer is too small.
///
/// # Safety
/// `buffer` has `size` bytes, or is NULL, which is `EINVAL`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_get_process_title(buffer: *mut c_char, size: usize) -> c_int {
    if buffer.is_null() || size == 0 {
        return -Errno::EINVAL.raw();
    }
    let state = state();
    let Some(memory) = state.memory.as_ref().filter(|memory| memory.len < size) else { return -Errno::ENOBUFS.raw() };
    // SAFETY: guaranteed by the caller; the length of the title and its NUL was checked.
    unsafe {
        std::ptr::copy(memory.start, buffer, memory.len);
        *buffer.add(memory.len) = 0;
    }
    0
}

/// Frees the copied arguments when the library shuts down. Does nothing while the lock is held: a signal handler that
/// has interrupted `uv_set_process_title` may call `exit`, and waiting for the lock would deadlock.
pub(crate) fn shutdown() {
    let mut state = match STATE.try_lock() {
        Ok(state) => state,
        Err(TryLockError::Poisoned(state)) => state.into_inner(),
        Err(TryLockError::WouldBlock) => return,
    };
    state.memory = None;
    for block in std::mem::take(&mut state.blocks) {
        // SAFETY: the block is from the replaceable allocator, and no longer in the list.
        unsafe { allocator::free(block) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// There is only one test, because the title is global to the process.
    #[test]
    fn a_title_uses_the_memory_of_adjacent_arguments() {
        let mut memory = *b"prog\0arg\0\0elsewhere\0";
        let start: *mut c_char = memory.as_mut_ptr().cast();
        let mut buffer = [0; 32];
        // SAFETY: the arguments are C strings in `memory`, which outlives the title. The last argument is not adjacent
        // to the others.
        unsafe {
            let title = |buffer: &[c_char]| CStr::from_ptr(buffer.as_ptr()).to_string_lossy().into_owned();
            assert_eq!(uv_set_process_title(c"early".as_ptr()), -libc::ENOBUFS);
            assert_eq!(uv_get_process_title(buffer.as_mut_ptr(), 32), -libc::ENOBUFS);
            let mut argv = [start, start.add(5), start.add(10), std::ptr::null_mut()];
            assert_eq!(uv_setup_args(0, argv.as_mut_ptr()), argv.as_mut_ptr());
            let moved = uv_setup_args(3, argv.as_mut_ptr());
            assert_ne!(moved, argv.as_mut_ptr());
            assert_eq!(uv_get_process_title(buffer.as_mut_ptr(), 4), -libc::ENOBUFS);
            assert_eq!((uv_get_process_title(buffer.as_mut_ptr(), 5), title(&buffer)), (0, "prog".into()));
            assert_eq!(uv_set_process_title(c"longer than the memory".as_ptr()), 0);
            assert_eq!((uv_get_process_title(buffer.as_mut_ptr(), 32), title(&buffer)), (0, "longer t".into()));
            assert_eq!(memory[9..], *b"\0elsewhere\0", "memory of other strings is unchanged");
            assert_eq!(CStr::from_ptr(*moved.add(1)), c"arg");
            assert!((*moved.add(3)).is_null());
            shutdown();
            assert_eq!(uv_get_process_title(buffer.as_mut_ptr(), 32), -libc::ENOBUFS);
        }
    }
}
