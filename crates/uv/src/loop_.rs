//! The loop as a whole. How it runs is in `run`.
//!
//! # Safety
//! The promises of `door` hold: a loop is initialised, not closed, and used on its own thread.
#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use phasor_core::{Errno, Loop};

use crate::door::{self, Inside};
use crate::face::C;
use crate::layout::*;
use crate::{allocator, asyncs, handle};

/// Initialises a loop.
///
/// # Safety
/// `lp` has room for a loop. What it holds does not matter, but for `data`, which stays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_loop_init(lp: *mut uv_loop_t) -> c_int {
    let core = match Loop::new() {
        Ok(core) => core,
        Err(errno) => return -errno.raw(),
    };
    // SAFETY: the caller's promise.
    unsafe {
        let data = (*lp).data;
        ptr::write_bytes(lp, 0, 1);
        (*lp).data = data;
        (*lp).backend_fd = core.backend_fd().unwrap_or(-1);
        (*lp).time = core.now_ms();
        (*lp).internal_fields = Box::into_raw(Inside::new(core)).cast();
    }
    0
}

/// Lets go of a loop. `EBUSY` if anything is left in it.
///
/// # Safety
/// `lp` is an initialised loop that nobody uses any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_loop_close(lp: *mut uv_loop_t) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        if !door::is_open(lp) {
            return 0;
        }
        if !door::with(lp, |core| core.is_vacant()) {
            return -Errno::EBUSY.raw();
        }
        drop(Box::from_raw(door::inside(lp)));
        (*lp).internal_fields = ptr::null_mut();
        (*lp).backend_fd = -1;
    }
    let _ = DEFAULT.compare_exchange(lp, ptr::null_mut(), Ordering::AcqRel, Ordering::Relaxed);
    0
}

/// A loop of its own memory.
///
/// # Safety
/// None is needed; [`uv_loop_delete`] lets go of it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_loop_new() -> *mut uv_loop_t {
    let lp = allocator::malloc(size_of::<uv_loop_t>()).cast::<uv_loop_t>();
    if lp.is_null() {
        return lp;
    }
    // SAFETY: the block is new, and large enough.
    unsafe {
        (*lp).data = ptr::null_mut();
        if uv_loop_init(lp) == 0 {
            return lp;
        }
        allocator::free(lp.cast());
    }
    ptr::null_mut()
}

/// Closes a loop of [`uv_loop_new`] and frees its memory.
///
/// # Safety
/// `lp` is from there (or is the default loop), and nothing is left in it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_loop_delete(lp: *mut uv_loop_t) {
    // SAFETY: the caller's promise.
    unsafe {
        let closed = uv_loop_close(lp);
        debug_assert_eq!(closed, 0);
        if lp != DEFAULT_ROOM.0.get().cast() {
            allocator::free(lp.cast());
        }
    }
}

/// How large a loop is.
///
/// # Safety
/// None is needed.
#[unsafe(no_mangle)]
pub extern "C" fn uv_loop_size() -> usize {
    size_of::<uv_loop_t>()
}

/// Room for one loop, for the whole process.
struct Room(UnsafeCell<MaybeUninit<uv_loop_t>>);

// SAFETY: as with libuv, the default loop is used by one thread.
unsafe impl Sync for Room {}

static DEFAULT_ROOM: Room = Room(UnsafeCell::new(MaybeUninit::zeroed()));

/// The default loop while it is initialised.
static DEFAULT: AtomicPtr<uv_loop_t> = AtomicPtr::new(ptr::null_mut());

/// The loop of the process, initialised at the first call; NULL if that failed.
///
/// # Safety
/// As in libuv, one thread calls this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_default_loop() -> *mut uv_loop_t {
    let known = DEFAULT.load(Ordering::Acquire);
    if !known.is_null() {
        return known;
    }
    let lp = DEFAULT_ROOM.0.get().cast::<uv_loop_t>();
    // SAFETY: nobody uses the room while there is no default loop.
    if unsafe { uv_loop_init(lp) } != 0 {
        return ptr::null_mut();
    }
    DEFAULT.store(lp, Ordering::Release);
    lp
}

/// Whether anything is left in a loop that a run would find.
///
/// # Safety
/// `lp` is an initialised loop.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_loop_alive(lp: *const uv_loop_t) -> c_int {
    // SAFETY: the caller's promise; C's `const` is kept, as far as the program can see.
    unsafe {
        // The two counts are true at any time, and most often they are all there is to ask.
        let counted = (*lp).active_handles != 0 || (*lp).active_reqs != 0;
        if !door::is_open(lp) {
            return c_int::from(counted);
        }
        // A loop that cannot wait any more, since somebody closed its descriptor: libuv calls `abort()`. Whoever runs a loop
        // as long as it is alive would do so for ever.
        if (*door::inside(lp)).core.fault().is_some() {
            return 0;
        }
        c_int::from(counted || door::with(lp.cast_mut(), |core| core.is_alive()))
    }
}

/// Sets an option. It is variadic in C; a third word is passed the same way.
///
/// # Safety
/// `lp` is an initialised loop, and the option's word is given if it has one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_loop_configure(lp: *mut uv_loop_t, option: uv_loop_option, word: c_int) -> c_int {
    let configure = |core: &mut Loop<C>| match option {
        UV_LOOP_BLOCK_SIGNAL if word == libc::SIGPROF => core.block_signal(libc::SIGPROF),
        UV_LOOP_BLOCK_SIGNAL => Err(Errno::EINVAL),
        UV_METRICS_IDLE_TIME => {
            core.measure(true);
            Ok(())
        }
        // Allows what is not done: files are the pool's business.
        UV_LOOP_USE_IO_URING_SQPOLL => Ok(()),
        _ => Err(Errno::ENOSYS),
    };
    // SAFETY: the caller's promise.
    door::status(unsafe { door::with(lp, configure) })
}

/// Goes on with a loop in a child of `fork`.
///
/// # Safety
/// `lp` is an initialised loop, and nothing was done with it in the child.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_loop_fork(lp: *mut uv_loop_t) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        for_each(lp, |at| {
            if (*at).type_ == UV_ASYNC {
                asyncs::forget_senders(at.cast());
            }
        });
        let renewed = door::with(lp, |core| core.after_fork());
        (*lp).backend_fd = door::with(lp, |core| core.backend_fd()).unwrap_or(-1);
        door::status(renewed)
    }
}

/// What the program hung on a loop.
///
/// # Safety
/// `lp` is a loop.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_loop_get_data(lp: *const uv_loop_t) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe { (*lp).data }
}

/// Hangs something on a loop.
///
/// # Safety
/// `lp` is a loop.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_loop_set_data(lp: *mut uv_loop_t, data: *mut c_void) {
    // SAFETY: the caller's promise.
    unsafe { (*lp).data = data }
}

/// Has the run end after the turn under way, or the next one at once.
///
/// # Safety
/// `lp` is an initialised loop. It is a store to memory, so a signal handler may do it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_stop(lp: *mut uv_loop_t) {
    // SAFETY: the caller's promise. The core hears of it at the next operation, which comes before it goes on.
    unsafe {
        let stop_flag: *const AtomicU32 = &raw const (*lp).stop_flag;
        (*stop_flag).store(1, Ordering::Relaxed);
    }
}

/// The loop's idea of the time, in milliseconds.
///
/// # Safety
/// `lp` is an initialised loop.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_now(lp: *const uv_loop_t) -> u64 {
    // SAFETY: the caller's promise.
    unsafe { (*lp).time }
}

/// Looks at the clock.
///
/// # Safety
/// `lp` is an initialised loop.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_update_time(lp: *mut uv_loop_t) {
    // SAFETY: the caller's promise.
    unsafe {
        (*lp).time = door::with(lp, |core| {
            core.update_time();
            core.now_ms()
        });
    }
}

/// The descriptor that is ready when a run without waiting would find something.
///
/// # Safety
/// `lp` is an initialised loop.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_backend_fd(lp: *const uv_loop_t) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { (*lp).backend_fd }
}

/// How long a poll of that descriptor may sleep, in milliseconds; -1 for ever.
///
/// # Safety
/// `lp` is an initialised loop.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_backend_timeout(lp: *const uv_loop_t) -> c_int {
    // SAFETY: the caller's promise; C's `const` is kept, as far as the program can see.
    match unsafe { door::with(lp.cast_mut(), |core| core.backend_timeout_ms()) } {
        Some(timeout_ms) => c_int::try_from(timeout_ms).unwrap_or(c_int::MAX),
        None => -1,
    }
}

/// Calls `visit` for all handles that the loop has now, in the order they were initialised, and still has when their turn
/// comes.
///
/// # Safety
/// The head of this file. `visit` may call the program.
unsafe fn for_each(lp: *mut uv_loop_t, mut visit: impl FnMut(*mut uv_handle_t)) {
    // SAFETY: the head of this file.
    unsafe {
        if !door::is_open(lp) {
            return;
        }
        for view in door::with(lp, |core| core.handles()) {
            if let Some(handle) = door::face::<uv_handle_t>(lp, view.id) {
                visit(handle);
            }
        }
    }
}

/// Calls `walk_cb` for all handles. It may close them, and initialise others, which are not visited.
///
/// # Safety
/// `lp` is an initialised loop.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_walk(lp: *mut uv_loop_t, walk_cb: uv_walk_cb, arg: *mut c_void) {
    let Some(call) = walk_cb else { return };
    // SAFETY: the caller's promise.
    unsafe { for_each(lp, |handle| call(handle, arg)) }
}

/// Fills in what the loop has counted.
///
/// # Safety
/// `lp` is an initialised loop, `metrics` has room for the answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_metrics_info(lp: *mut uv_loop_t, metrics: *mut uv_metrics_t) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        let counted = door::with(lp, |core| core.metrics());
        ptr::write_bytes(metrics, 0, 1);
        (*metrics).loop_count = counted.turns;
        (*metrics).events = counted.events;
        (*metrics).events_waiting = counted.events_waiting;
    }
    0
}

/// How long the loop has slept in its poll phase, in nanoseconds; 0 unless that is measured. From any thread.
///
/// # Safety
/// `lp` is an initialised loop.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_metrics_idle_time(lp: *mut uv_loop_t) -> u64 {
    // SAFETY: the caller's promise. Only this field is looked at, which nobody writes while the loop lives.
    unsafe { (*door::inside(lp)).remote.idle_ns() }
}

/// Lets go of what the library keeps for the whole process. Nothing of it may be used after this.
///
/// # Safety
/// No loop is in use.
#[unsafe(no_mangle)]
pub extern "C" fn uv_library_shutdown() {
    phasor_core::shut_pool_down();
    crate::title::shutdown();
}

/// As libuv, the library shuts down by itself when the process ends.
#[used]
#[unsafe(link_section = ".fini_array")]
static AT_THE_END: extern "C" fn() = uv_library_shutdown;

/// Prints all handles, a line each.
///
/// # Safety
/// `lp` is NULL (then it is the default loop) or an initialised loop, `stream` NULL (then it is stderr) or a `FILE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_print_all_handles(lp: *mut uv_loop_t, stream: *mut libc::FILE) {
    // SAFETY: the caller's promise.
    unsafe { print(lp, stream, false) }
}

/// Prints the active handles, a line each.
///
/// # Safety
/// As [`uv_print_all_handles`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_print_active_handles(lp: *mut uv_loop_t, stream: *mut libc::FILE) {
    // SAFETY: the caller's promise.
    unsafe { print(lp, stream, true) }
}

unsafe extern "C" {
    /// The C library's; the crate `libc` does not have it.
    #[link_name = "stderr"]
    static STDERR: *mut libc::FILE;
}

/// # Safety
/// As [`uv_print_all_handles`].
unsafe fn print(lp: *mut uv_loop_t, stream: *mut libc::FILE, only_active: bool) {
    // SAFETY: the caller's promise; the format's words are given as they are asked for.
    unsafe {
        let stream = if stream.is_null() { STDERR } else { stream };
        let lp = if lp.is_null() { uv_default_loop() } else { lp };
        if lp.is_null() {
            return;
        }
        for_each(lp, |at| {
            let active = handle::uv_is_active(at) != 0;
            if only_active && !active {
                return;
            }
            let bit = |set: bool, letter: u8| c_int::from(if set { letter } else { b'-' });
            libc::fprintf(
                stream,
                c"[%c%c%c] %-8s %p\n".as_ptr(),
                bit((*at).flags & flag::REF != 0, b'R'),
                bit(active, b'A'),
                bit((*at).flags & flag::INTERNAL != 0, b'I'),
                name_of(at),
                at.cast::<c_void>(),
            );
        });
    }
}

/// # Safety
/// `at` is a handle.
unsafe fn name_of(at: *const uv_handle_t) -> *const std::ffi::c_char {
    // SAFETY: the caller's promise.
    let name = handle::uv_handle_type_name(unsafe { (*at).type_ });
    if name.is_null() { c"<unknown>".as_ptr() } else { name }
}
