//! The process's title: what the system's lists show of its arguments.
//!
//! The arguments that a program was started with lie one after the other in memory that the system looks at. `uv_setup_args`
//! moves them elsewhere, and a title is written where they were.
//!
//! # Safety
//! C owes the `argc` and `argv` that `main` was given, and does not look at the strings of the old `argv` any more. The
//! room for a title ends where the arguments stop lying one after the other, so that nothing else is ever overwritten.
//! `STATE` guards the room against several threads.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use phasor_sys::{Errno, process};

use crate::allocator;

/// Where a title may be written.
struct Room {
    /// The first argument, as the process was started with it.
    start: *mut c_char,
    /// How many bytes there are, for the title and its nul.
    capacity: usize,
    /// The length of the present title.
    len: usize,
}

struct State {
    /// Nothing before `uv_setup_args`.
    room: Option<Room>,
    /// The blocks with the moved arguments, the allocator's.
    blocks: Vec<*mut c_void>,
}

// SAFETY: the pointers are to memory that any thread may touch, and only the holder of the lock does.
unsafe impl Send for State {}

static STATE: Mutex<State> = Mutex::new(State { room: None, blocks: Vec::new() });

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Moves the arguments away to make room for a title. The old ones are given back if there are none or no memory.
///
/// # Safety
/// See the head of the file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_setup_args(argc: c_int, argv: *mut *mut c_char) -> *mut *mut c_char {
    let count = usize::try_from(argc).unwrap_or(0);
    if count == 0 || argv.is_null() {
        return argv;
    }
    // SAFETY: the caller's promise: so many C strings. The block has room for the list with its null and the strings.
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
        state.room = Some(Room { start, capacity, len: bytes_of(0) - 1 });
        state.blocks.push(block);
        moved
    }
}

/// Sets the title, cut to the room that the arguments had. `ENOBUFS` before `uv_setup_args`.
///
/// # Safety
/// `title` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_set_process_title(title: *const c_char) -> c_int {
    let mut state = state();
    let Some(room) = &mut state.room else { return -Errno::ENOBUFS.raw() };
    // SAFETY: the caller's promise; see the head of the file for the room. The capacity counts a nul at least.
    unsafe {
        room.len = CStr::from_ptr(title).to_bytes().len().min(room.capacity - 1);
        std::ptr::copy(title, room.start, room.len);
        std::ptr::write_bytes(room.start.add(room.len), 0, room.capacity - room.len);
        // As in libuv, a kernel that refuses the short name is no failure.
        let _ = process::set_thread_name(CStr::from_ptr(room.start));
    }
    0
}

/// The title. `ENOBUFS` before `uv_setup_args`, and if it does not fit.
///
/// # Safety
/// `buffer` has `size` bytes, or is null, which is `EINVAL`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_get_process_title(buffer: *mut c_char, size: usize) -> c_int {
    if buffer.is_null() || size == 0 {
        return -Errno::EINVAL.raw();
    }
    let state = state();
    let Some(room) = state.room.as_ref().filter(|room| room.len < size) else { return -Errno::ENOBUFS.raw() };
    // SAFETY: the caller's promise; the title and its nul fit.
    unsafe {
        std::ptr::copy(room.start, buffer, room.len);
        *buffer.add(room.len) = 0;
    }
    0
}

/// Frees the moved arguments, at the library's end. Not if a title is being set: a signal's handler may end the process, and
/// must not wait for what it interrupted.
pub(crate) fn shutdown() {
    let mut state = match STATE.try_lock() {
        Ok(state) => state,
        Err(TryLockError::Poisoned(state)) => state.into_inner(),
        Err(TryLockError::WouldBlock) => return,
    };
    state.room = None;
    for block in std::mem::take(&mut state.blocks) {
        // SAFETY: the allocator's, and forgotten here.
        unsafe { allocator::free(block) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One test, because the title is the process's.
    #[test]
    fn a_title_takes_the_room_of_arguments_that_lie_together() {
        let mut memory = *b"prog\0arg\0\0elsewhere\0";
        let start: *mut c_char = memory.as_mut_ptr().cast();
        let mut buffer = [0; 32];
        // SAFETY: C strings in `memory`, which outlives the title; the last one does not follow the others.
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
            assert_eq!(uv_set_process_title(c"longer than the room".as_ptr()), 0);
            assert_eq!((uv_get_process_title(buffer.as_mut_ptr(), 32), title(&buffer)), (0, "longer t".into()));
            assert_eq!(memory[9..], *b"\0elsewhere\0", "what does not belong to it is left alone");
            assert_eq!(CStr::from_ptr(*moved.add(1)), c"arg");
            assert!((*moved.add(3)).is_null());
            shutdown();
            assert_eq!(uv_get_process_title(buffer.as_mut_ptr(), 32), -libc::ENOBUFS);
        }
    }
}
