//! Pipes: sockets with names in the file system, and descriptors of any pipe.
//!
//! # Safety
//! The promises of `door` hold: handles and requests are the program's, alive, and of the kind that is said.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int, c_uint};
use std::{ptr, slice};

use phasor_core::{Errno, Fd, Kind, Result};

use crate::layout::*;
use crate::{allocator, door, stream};

/// Initialises a handle. With `ipc` descriptors can be passed through it.
///
/// # Safety
/// `lp` is an initialised loop, `handle` has room for a pipe handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_pipe_init(lp: *mut uv_loop_t, handle: *mut uv_pipe_t, ipc: c_int) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        let status = stream::open(lp, handle.cast(), UV_NAMED_PIPE, |core, face| Ok(core.pipe_open(ipc != 0, face)));
        (*handle).ipc = ipc;
        (*handle).pipe_fname = ptr::null();
        status
    }
}

/// Takes over a descriptor, which is made nonblocking.
///
/// # Safety
/// `handle` is an initialised pipe handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_pipe_open(handle: *mut uv_pipe_t, file: uv_file) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        // uvloop sets this bit between init and open, and libuv only ever adds to it.
        let claimed = (*handle).stream.handle.flags & flag::READABLE != 0;
        let adopted = door::with_handle(handle, |core, id| {
            let fd = Fd::adopt(file)?;
            core.pipe_adopt(id, fd).map_err(|(errno, fd)| {
                fd.release();
                errno
            })?;
            if claimed { core.stream_add_directions(id, true, false) } else { Ok(()) }
        });
        stream::show(handle.cast());
        door::status(adopted)
    }
}

/// Binds to a path, which is cut off if it is too long.
///
/// # Safety
/// `handle` is an initialised pipe handle, `name` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_pipe_bind(handle: *mut uv_pipe_t, name: *const c_char) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        let len = if name.is_null() { 0 } else { CStr::from_ptr(name).count_bytes() };
        uv_pipe_bind2(handle, name, len, 0)
    }
}

/// Binds to a path, or to an abstract name, which begins with NUL. No name at all lets the kernel choose an abstract one.
///
/// # Safety
/// `handle` is an initialised pipe handle, `name` has `namelen` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_pipe_bind2(
    handle: *mut uv_pipe_t,
    name: *const c_char,
    namelen: usize,
    flags: c_uint,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        if flags & !UV_PIPE_NO_TRUNCATE != 0 || name.is_null() {
            return -Errno::EINVAL.raw();
        }
        let name = slice::from_raw_parts(name.cast::<u8>(), namelen);
        let bound = door::with_handle(handle, |core, id| {
            core.pipe_bind(id, name, flags & UV_PIPE_NO_TRUNCATE != 0)?;
            core.pipe_local_name(id)
        });
        if let Ok(name) = &bound
            && let Ok(path) = CString::new(name.as_slice())
        {
            (*handle).pipe_fname = allocator::string(&path);
        }
        stream::show(handle.cast());
        door::status(bound.map(|_| ()))
    }
}

/// Frees what a pipe that is closed shows of its name.
///
/// # Safety
/// `handle` is a pipe handle that is about to be reported closed.
pub(crate) unsafe fn release(handle: *mut uv_pipe_t) {
    // SAFETY: the caller's promise; the name is NULL or of the allocator.
    unsafe {
        allocator::free((*handle).pipe_fname.cast_mut().cast());
        (*handle).pipe_fname = ptr::null();
    }
}

/// Connects to a path. Every error is told to `cb`.
///
/// # Safety
/// `handle` is an initialised pipe handle, `name` is a C string; `req` has room for a request, which stays until `cb`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_pipe_connect(
    req: *mut uv_connect_t,
    handle: *mut uv_pipe_t,
    name: *const c_char,
    cb: uv_connect_cb,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let name = if name.is_null() { &[][..] } else { CStr::from_ptr(name).to_bytes() };
        // There is nobody to tell that a connection is under way, and that has its own callback.
        let _ = stream::connect(req, handle.cast(), cb, |core, id, face| Ok(core.pipe_connect(id, name, face)?));
    }
}

/// Connects to a path, or to an abstract name. A name that is none is `EINVAL` at once.
///
/// # Safety
/// As [`uv_pipe_connect`]; `name` has `namelen` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_pipe_connect2(
    req: *mut uv_connect_t,
    handle: *mut uv_pipe_t,
    name: *const c_char,
    namelen: usize,
    flags: c_uint,
    cb: uv_connect_cb,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        if flags & !UV_PIPE_NO_TRUNCATE != 0 || name.is_null() || namelen == 0 {
            return -Errno::EINVAL.raw();
        }
        let name = slice::from_raw_parts(name.cast::<u8>(), namelen);
        let whole = flags & UV_PIPE_NO_TRUNCATE != 0;
        stream::connect(req, handle.cast(), cb, |core, id, face| Ok(core.pipe_connect_checked(id, name, whole, face)?))
    }
}

/// The handle's own name.
///
/// # Safety
/// `handle` is an initialised pipe handle; `buffer` has room for `*size` bytes, or is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_pipe_getsockname(handle: *const uv_pipe_t, buffer: *mut c_char, size: *mut usize) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { give_name(buffer, size, || door::with_handle(handle, |core, id| core.pipe_local_name(id))) }
}

/// The other end's name.
///
/// # Safety
/// As [`uv_pipe_getsockname`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_pipe_getpeername(handle: *const uv_pipe_t, buffer: *mut c_char, size: *mut usize) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { give_name(buffer, size, || door::with_handle(handle, |core, id| core.pipe_peer_name(id))) }
}

/// As `uv__pipe_getsockpeername`: a path ends with a NUL that is not counted, an abstract name has none.
///
/// # Safety
/// `buffer` has room for `*size` bytes, or is NULL.
unsafe fn give_name(buffer: *mut c_char, size: *mut usize, name: impl FnOnce() -> Result<Vec<u8>>) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        if buffer.is_null() || size.is_null() || *size == 0 {
            return -Errno::EINVAL.raw();
        }
        let name = match name() {
            Ok(name) => name,
            Err(errno) => {
                *size = 0;
                return -errno.raw();
            }
        };
        let is_path = name.first().is_some_and(|&byte| byte != 0);
        let needed = name.len() + usize::from(is_path);
        if needed > *size {
            *size = needed;
            return -Errno::ENOBUFS.raw();
        }
        buffer.cast::<u8>().copy_from_nonoverlapping(name.as_ptr(), name.len());
        if is_path || name.is_empty() {
            *buffer.add(name.len()) = 0;
        }
        *size = name.len();
    }
    0
}

/// Lets everybody connect.
///
/// # Safety
/// `handle` is an initialised pipe handle, or NULL, which is `EBADF`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_pipe_chmod(handle: *mut uv_pipe_t, flags: c_int) -> c_int {
    if handle.is_null() {
        return -Errno::EBADF.raw();
    }
    // SAFETY: the caller's promise.
    door::status(unsafe {
        door::with_handle(handle, |core, id| {
            core.fileno(id)?;
            if flags == 0 || flags & !(UV_READABLE | UV_WRITABLE) != 0 {
                return Err(Errno::EINVAL);
            }
            core.pipe_chmod(id, flags & UV_READABLE != 0, flags & UV_WRITABLE != 0)
        })
    })
}

/// Matters to Windows alone.
///
/// # Safety
/// None is needed.
#[unsafe(no_mangle)]
pub extern "C" fn uv_pipe_pending_instances(_handle: *mut uv_pipe_t, _count: c_int) {}

/// How many descriptors came through and wait to be accepted.
///
/// # Safety
/// `handle` is an initialised pipe handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_pipe_pending_count(handle: *mut uv_pipe_t) -> c_int {
    // SAFETY: the caller's promise.
    let count = unsafe { door::with_handle(handle, |core, id| Ok(core.pipe_pending_count(id))) };
    count.unwrap_or(0) as c_int
}

/// The kind of handle that can accept the next of them.
///
/// # Safety
/// `handle` is an initialised pipe handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_pipe_pending_type(handle: *mut uv_pipe_t) -> uv_handle_type {
    // SAFETY: the caller's promise.
    match unsafe { door::with_handle(handle, |core, id| Ok(core.pipe_pending_kind(id))) } {
        Ok(Some(Kind::Tcp)) => UV_TCP,
        Ok(Some(Kind::Pipe)) => UV_NAMED_PIPE,
        Ok(Some(Kind::Tty)) => UV_TTY,
        Ok(Some(Kind::Udp)) => UV_UDP,
        _ => UV_UNKNOWN_HANDLE,
    }
}
