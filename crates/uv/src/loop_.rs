//! Functions on a loop: creation, options, time, walking its handles. `run` has `uv_run`.
//!
//! # Safety
//! The contract of `access` holds: a loop is initialised, not closed, and used on its own thread.
#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use phasor_core::{Errno, Loop};

use crate::access::{self, LoopState};
use crate::front_end::C;
use crate::layout::*;
use crate::{allocator, asyncs, attach, handle, recording};

/// Initialises a loop.
///
/// # Safety
/// `lp` points to memory for a loop, which may be uninitialised, except for `data`, which keeps its value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_loop_init(lp: *mut uv_loop_t) -> c_int {
    let core = match Loop::new() {
        Ok(core) => core,
        Err(errno) => return -errno.raw(),
    };
    // SAFETY: guaranteed by the caller.
    unsafe {
        let data = (*lp).data;
        ptr::write_bytes(lp, 0, 1);
        (*lp).data = data;
        (*lp).backend_fd = core.backend_fd().unwrap_or(-1);
        (*lp).time = core.now_ms();
        (*lp).internal_fields = Box::into_raw(LoopState::new(core)).cast();
    }
    0
}

/// Closes a loop. `EBUSY` if it has handles or requests (`src/uv-common.c: uv_loop_close`).
///
/// # Safety
/// `lp` is an initialised loop that is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_loop_close(lp: *mut uv_loop_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        // A build of libuv with assertions overwrites a closed loop (`src/uv-common.c: uv_loop_close`), so that a second close
        // finds requests. Without assertions it follows a null pointer.
        if !access::is_open(lp) {
            return -Errno::EBUSY.raw();
        }
        if !access::with(lp, |core| core.is_vacant()) {
            return -Errno::EBUSY.raw();
        }
        drop(Box::from_raw(access::state(lp)));
        (*lp).internal_fields = ptr::null_mut();
        (*lp).backend_fd = -1;
    }
    let _ = DEFAULT.compare_exchange(lp, ptr::null_mut(), Ordering::AcqRel, Ordering::Relaxed);
    0
}

/// Allocates and initialises a loop.
///
/// # Safety
/// Always safe to call; [`uv_loop_delete`] frees it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_loop_new() -> *mut uv_loop_t {
    let lp = allocator::malloc(size_of::<uv_loop_t>()).cast::<uv_loop_t>();
    if lp.is_null() {
        return lp;
    }
    // SAFETY: the block is new and has the size of a loop.
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
/// `lp` is from [`uv_loop_new`], or the default loop, and has no handles and requests.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_loop_delete(lp: *mut uv_loop_t) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let closed = uv_loop_close(lp);
        debug_assert_eq!(closed, 0);
        if lp != DEFAULT_MEMORY.0.get().cast() {
            allocator::free(lp.cast());
        }
    }
}

/// The size of a loop.
///
/// # Safety
/// Always safe to call.
#[unsafe(no_mangle)]
pub extern "C" fn uv_loop_size() -> usize {
    size_of::<uv_loop_t>()
}

/// Memory for the default loop of the process.
struct LoopMemory(UnsafeCell<MaybeUninit<uv_loop_t>>);

// SAFETY: as in libuv, only one thread uses the default loop.
unsafe impl Sync for LoopMemory {}

static DEFAULT_MEMORY: LoopMemory = LoopMemory(UnsafeCell::new(MaybeUninit::zeroed()));

/// The default loop while it is initialised, else NULL.
static DEFAULT: AtomicPtr<uv_loop_t> = AtomicPtr::new(ptr::null_mut());

/// The default loop of the process, initialised by the first call. NULL if that fails.
///
/// # Safety
/// As in libuv, only one thread calls this function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_default_loop() -> *mut uv_loop_t {
    let current = DEFAULT.load(Ordering::Acquire);
    if !current.is_null() {
        return current;
    }
    let lp = DEFAULT_MEMORY.0.get().cast::<uv_loop_t>();
    // SAFETY: no loop is in this memory while `DEFAULT` is NULL.
    if unsafe { uv_loop_init(lp) } != 0 {
        return ptr::null_mut();
    }
    DEFAULT.store(lp, Ordering::Release);
    lp
}

/// Whether the loop has active referenced handles, active requests or closing handles (`src/unix/core.c: uv__loop_alive`).
///
/// # Safety
/// `lp` is an initialised loop.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_loop_alive(lp: *const uv_loop_t) -> c_int {
    // SAFETY: guaranteed by the caller; nothing that the program can see of the `const` loop changes.
    unsafe {
        // Fast path: the two counts are always up to date, and usually one of them is not zero.
        let counted = (*lp).active_handles != 0 || (*lp).active_reqs != 0;
        if !access::is_open(lp) {
            return c_int::from(counted);
        }
        // The program has closed the loop's epoll descriptor, so the loop cannot wait; libuv calls `abort()`. If this returned 1, a
        // program that runs the loop while it is alive would never end.
        if (*access::state(lp)).core.fault().is_some() {
            return 0;
        }
        c_int::from(counted || access::with(lp.cast_mut(), |core| core.is_alive()))
    }
}

/// Sets an option. The function is variadic in C; its only possible argument is an `int`, which is passed in the same
/// register.
///
/// # Safety
/// `lp` is an initialised loop, and the argument is passed if the option has one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_loop_configure(lp: *mut uv_loop_t, option: uv_loop_option, value: c_int) -> c_int {
    let configure = |core: &mut Loop<C>| match option {
        UV_LOOP_BLOCK_SIGNAL if value == libc::SIGPROF => core.block_signal(libc::SIGPROF),
        UV_LOOP_BLOCK_SIGNAL => Err(Errno::EINVAL),
        UV_METRICS_IDLE_TIME => {
            core.measure(true);
            Ok(())
        }
        // This option is accepted without effect: file operations run on the pool, never on io_uring.
        UV_LOOP_USE_IO_URING_SQPOLL => Ok(()),
        _ => Err(Errno::ENOSYS),
    };
    // SAFETY: guaranteed by the caller.
    access::status(unsafe { access::with(lp, configure) })
}

/// Makes a loop usable in a child of `fork`.
///
/// # Safety
/// `lp` is an initialised loop that was not used in the child before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_loop_fork(lp: *mut uv_loop_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        for_each(lp, |at| {
            if (*at).type_ == UV_ASYNC {
                asyncs::forget_senders(at.cast());
            }
        });
        let restarted = access::with(lp, |core| core.after_fork());
        (*lp).backend_fd = access::with(lp, |core| core.backend_fd()).unwrap_or(-1);
        recording::after_fork(lp);
        attach::after_fork();
        access::status(restarted)
    }
}

/// The user data of a loop.
///
/// # Safety
/// `lp` is a loop.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_loop_get_data(lp: *const uv_loop_t) -> *mut c_void {
    // SAFETY: guaranteed by the caller.
    unsafe { (*lp).data }
}

/// Sets the user data of a loop.
///
/// # Safety
/// `lp` is a loop.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_loop_set_data(lp: *mut uv_loop_t, data: *mut c_void) {
    // SAFETY: guaranteed by the caller.
    unsafe { (*lp).data = data }
}

/// Ends `uv_run` after the current iteration. If it is called outside of `uv_run`, the next `uv_run` returns at once.
///
/// # Safety
/// `lp` is an initialised loop. The function only stores to an atomic, so a signal handler may call it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_stop(lp: *mut uv_loop_t) {
    // SAFETY: guaranteed by the caller. `access::with` passes the flag to the core at the next operation.
    unsafe {
        let stop_flag: *const AtomicU32 = &raw const (*lp).stop_flag;
        (*stop_flag).store(1, Ordering::Relaxed);
    }
}

/// The loop's cached time, in milliseconds.
///
/// # Safety
/// `lp` is an initialised loop.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_now(lp: *const uv_loop_t) -> u64 {
    // SAFETY: guaranteed by the caller.
    unsafe { (*lp).time }
}

/// Updates the cached time from the clock.
///
/// # Safety
/// `lp` is an initialised loop.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_update_time(lp: *mut uv_loop_t) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        (*lp).time = access::with(lp, |core| {
            core.update_time();
            core.now_ms()
        });
    }
}

/// A descriptor that is readable when `uv_run` without waiting would find an event.
///
/// # Safety
/// `lp` is an initialised loop.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_backend_fd(lp: *const uv_loop_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { (*lp).backend_fd }
}

/// How long a poll of the descriptor of [`uv_backend_fd`] may wait, in milliseconds; -1 for no limit.
///
/// # Safety
/// `lp` is an initialised loop.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_backend_timeout(lp: *const uv_loop_t) -> c_int {
    // SAFETY: guaranteed by the caller; nothing that the program can see of the `const` loop changes.
    match unsafe { access::with(lp.cast_mut(), |core| core.backend_timeout_ms()) } {
        Some(timeout_ms) => c_int::try_from(timeout_ms).unwrap_or(c_int::MAX),
        None => -1,
    }
}

/// Calls `visit` for each handle that the loop has now, in the order of initialisation. A handle that is closed before
/// its turn is skipped.
///
/// # Safety
/// See the head of this file. `visit` may call the program.
unsafe fn for_each(lp: *mut uv_loop_t, mut visit: impl FnMut(*mut uv_handle_t)) {
    // SAFETY: see the head of this file.
    unsafe {
        if !access::is_open(lp) {
            return;
        }
        for view in access::with(lp, |core| core.handles()) {
            if let Some(handle) = access::handle_of::<uv_handle_t>(lp, view.id) {
                visit(handle);
            }
        }
    }
}

/// Calls `walk_cb` for each handle. The callback may close handles. It may also initialise new handles, which are not
/// visited.
///
/// # Safety
/// `lp` is an initialised loop.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_walk(lp: *mut uv_loop_t, walk_cb: uv_walk_cb, arg: *mut c_void) {
    let Some(call) = walk_cb else { return };
    // SAFETY: guaranteed by the caller.
    unsafe { for_each(lp, |handle| call(handle, arg)) }
}

/// Returns the counters of the loop.
///
/// # Safety
/// `lp` is an initialised loop, `metrics` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_metrics_info(lp: *mut uv_loop_t, metrics: *mut uv_metrics_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let counted = access::with(lp, |core| core.metrics());
        ptr::write_bytes(metrics, 0, 1);
        (*metrics).loop_count = counted.turns;
        (*metrics).events = counted.events;
        (*metrics).events_waiting = counted.events_waiting;
    }
    0
}

/// How long the loop has waited in the poll phase, in nanoseconds; 0 unless `UV_METRICS_IDLE_TIME` is set. Callable from any thread.
///
/// # Safety
/// `lp` is an initialised loop.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_metrics_idle_time(lp: *mut uv_loop_t) -> u64 {
    // SAFETY: guaranteed by the caller. Only the field `remote` is read, which does not change while the loop exists.
    unsafe { (*access::state(lp)).remote.idle_ns() }
}

/// Frees the global state of the library: the pool and the process title. No function may be called after this.
///
/// # Safety
/// No loop is in use.
#[unsafe(no_mangle)]
pub extern "C" fn uv_library_shutdown() {
    recording::finish();
    phasor_lens::agent::end();
    phasor_core::shut_pool_down();
    crate::title::shutdown();
}

/// The library shuts down when the process ends (`src/uv-common.c: uv_library_shutdown` is a destructor).
#[used]
#[unsafe(link_section = ".fini_array")]
static DESTRUCTOR: extern "C" fn() = uv_library_shutdown;

/// Prints all handles, one per line (`src/uv-common.c: uv__print_handles`).
///
/// # Safety
/// `lp` is NULL for the default loop, or an initialised loop; `stream` is NULL for stderr, or a `FILE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_print_all_handles(lp: *mut uv_loop_t, stream: *mut libc::FILE) {
    // SAFETY: guaranteed by the caller.
    unsafe { print(lp, stream, false) }
}

/// Prints the active handles, one per line.
///
/// # Safety
/// The requirements of [`uv_print_all_handles`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_print_active_handles(lp: *mut uv_loop_t, stream: *mut libc::FILE) {
    // SAFETY: guaranteed by the caller.
    unsafe { print(lp, stream, true) }
}

unsafe extern "C" {
    /// The variable `stderr` of the C library, which the crate `libc` does not declare.
    #[link_name = "stderr"]
    static STDERR: *mut libc::FILE;
}

/// # Safety
/// The requirements of [`uv_print_all_handles`].
unsafe fn print(lp: *mut uv_loop_t, stream: *mut libc::FILE, only_active: bool) {
    // SAFETY: guaranteed by the caller; the arguments match the format string.
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
/// `at` points to a handle.
unsafe fn name_of(at: *const uv_handle_t) -> *const std::ffi::c_char {
    // SAFETY: guaranteed by the caller.
    let name = handle::uv_handle_type_name(unsafe { (*at).type_ });
    if name.is_null() { c"<unknown>".as_ptr() } else { name }
}
