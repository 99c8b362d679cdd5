//! Pipe handles: Unix domain sockets, and descriptors of pipes and FIFOs.
//!
//! # Safety
//! The contract of `access` holds: pointers to handles and requests are live and of the declared type.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int, c_uint};
use std::{ptr, slice};

use phasor_core::{Errno, Fd, Kind, Result};

use crate::layout::*;
use crate::{access, allocator, stream};

/// Initialises a handle. If `ipc` is not 0, descriptors can be passed over the pipe.
///
/// # Safety
/// `lp` is an initialised loop, `handle` points to memory for a pipe handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_pipe_init(lp: *mut uv_loop_t, handle: *mut uv_pipe_t, ipc: c_int) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let status = stream::open(lp, handle.cast(), UV_NAMED_PIPE, |core, face| Ok(core.pipe_open(ipc != 0, face)));
        (*handle).ipc = ipc;
        (*handle).pipe_fname = ptr::null();
        status
    }
}

/// Adopts a descriptor and makes it nonblocking.
///
/// # Safety
/// `handle` is an initialised pipe handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_pipe_open(handle: *mut uv_pipe_t, file: uv_file) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        // uvloop sets this bit itself between `uv_pipe_init` and `uv_pipe_open`, and libuv only ever adds to the bits
        // (`src/unix/stream.c: uv__stream_open`).
        let marked_readable = (*handle).stream.handle.flags & flag::READABLE != 0;
        let adopted = access::with_handle(handle, |core, id| {
            let fd = Fd::adopt(file)?;
            core.pipe_adopt(id, fd).map_err(|(errno, fd)| {
                fd.release();
                errno
            })?;
            if marked_readable { core.stream_add_directions(id, true, false) } else { Ok(()) }
        });
        stream::sync_fields(handle.cast());
        access::status(adopted)
    }
}

/// Binds to a path, which is truncated if it is too long.
///
/// # Safety
/// `handle` is an initialised pipe handle, `name` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_pipe_bind(handle: *mut uv_pipe_t, name: *const c_char) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let len = if name.is_null() { 0 } else { CStr::from_ptr(name).count_bytes() };
        uv_pipe_bind2(handle, name, len, 0)
    }
}

/// Binds to a path, or to an abstract name, which begins with NUL. If `namelen` is 0 the kernel chooses an abstract name.
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
    // SAFETY: guaranteed by the caller.
    unsafe {
        if flags & !UV_PIPE_NO_TRUNCATE != 0 || name.is_null() {
            return -Errno::EINVAL.raw();
        }
        let name = slice::from_raw_parts(name.cast::<u8>(), namelen);
        let bound = access::with_handle(handle, |core, id| {
            core.pipe_bind(id, name, flags & UV_PIPE_NO_TRUNCATE != 0)?;
            core.pipe_local_name(id)
        });
        if let Ok(name) = &bound
            && let Ok(path) = CString::new(name.as_slice())
        {
            (*handle).pipe_fname = allocator::string(&path);
        }
        stream::sync_fields(handle.cast());
        access::status(bound.map(|_| ()))
    }
}

/// Frees the bound path of a closed handle.
///
/// # Safety
/// `handle` is a pipe handle whose close callback is about to be called.
pub(crate) unsafe fn release(handle: *mut uv_pipe_t) {
    // SAFETY: guaranteed by the caller; the path is NULL or from the replaceable allocator.
    unsafe {
        allocator::free((*handle).pipe_fname.cast_mut().cast());
        (*handle).pipe_fname = ptr::null();
    }
}

/// Connects to a path. Every error is passed to `cb` (`src/unix/pipe.c: uv_pipe_connect`).
///
/// # Safety
/// `handle` is an initialised pipe handle, `name` is a C string; `req` points to memory for a request, valid until `cb` is called.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_pipe_connect(
    req: *mut uv_connect_t,
    handle: *mut uv_pipe_t,
    name: *const c_char,
    cb: uv_connect_cb,
) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let name = if name.is_null() { &[][..] } else { CStr::from_ptr(name).to_bytes() };
        // `uv_pipe_connect` returns nothing. The core passes errors to `cb`. If another connect is pending, the core
        // keeps its request and reports no error.
        let _ = stream::connect(req, handle.cast(), cb, |core, id, face| Ok(core.pipe_connect(id, name, face)?));
    }
}

/// Connects to a path or an abstract name. `EINVAL` at once for an invalid name.
///
/// # Safety
/// The requirements of [`uv_pipe_connect`]; `name` has `namelen` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_pipe_connect2(
    req: *mut uv_connect_t,
    handle: *mut uv_pipe_t,
    name: *const c_char,
    namelen: usize,
    flags: c_uint,
    cb: uv_connect_cb,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if flags & !UV_PIPE_NO_TRUNCATE != 0 || name.is_null() || namelen == 0 {
            return -Errno::EINVAL.raw();
        }
        let name = slice::from_raw_parts(name.cast::<u8>(), namelen);
        let whole = flags & UV_PIPE_NO_TRUNCATE != 0;
        stream::connect(req, handle.cast(), cb, |core, id, face| Ok(core.pipe_connect_checked(id, name, whole, face)?))
    }
}

/// The local address.
///
/// # Safety
/// `handle` is an initialised pipe handle; `buffer` has `*size` bytes, or is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_pipe_getsockname(handle: *const uv_pipe_t, buffer: *mut c_char, size: *mut usize) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { copy_name(buffer, size, || access::with_handle(handle, |core, id| core.pipe_local_name(id))) }
}

/// The address of the peer.
///
/// # Safety
/// The requirements of [`uv_pipe_getsockname`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_pipe_getpeername(handle: *const uv_pipe_t, buffer: *mut c_char, size: *mut usize) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { copy_name(buffer, size, || access::with_handle(handle, |core, id| core.pipe_peer_name(id))) }
}

/// Copies an address like `src/unix/pipe.c: uv__pipe_getsockpeername`: a path gets a NUL that is not counted, an
/// abstract name gets no NUL.
///
/// # Safety
/// `buffer` has `*size` bytes, or is NULL.
unsafe fn copy_name(buffer: *mut c_char, size: *mut usize, name: impl FnOnce() -> Result<Vec<u8>>) -> c_int {
    // SAFETY: guaranteed by the caller.
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

/// Gives all users access to a bound pipe. The flags are `UV_READABLE`, `UV_WRITABLE` or both.
///
/// # Safety
/// `handle` is an initialised pipe handle, or NULL, which is `EBADF`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_pipe_chmod(handle: *mut uv_pipe_t, flags: c_int) -> c_int {
    if handle.is_null() {
        return -Errno::EBADF.raw();
    }
    // SAFETY: guaranteed by the caller.
    access::status(unsafe {
        access::with_handle(handle, |core, id| {
            core.fileno(id)?;
            if flags == 0 || flags & !(UV_READABLE | UV_WRITABLE) != 0 {
                return Err(Errno::EINVAL);
            }
            core.pipe_chmod(id, flags & UV_READABLE != 0, flags & UV_WRITABLE != 0)
        })
    })
}

/// Does nothing: this function only has an effect on Windows.
///
/// # Safety
/// Always safe to call.
#[unsafe(no_mangle)]
pub extern "C" fn uv_pipe_pending_instances(_handle: *mut uv_pipe_t, _count: c_int) {}

/// The number of received descriptors that are not accepted yet.
///
/// # Safety
/// `handle` is an initialised pipe handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_pipe_pending_count(handle: *mut uv_pipe_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    let count = unsafe { access::with_handle(handle, |core, id| Ok(core.pipe_pending_count(id))) };
    count.unwrap_or(0) as c_int
}

/// The handle type that can accept the next received descriptor.
///
/// # Safety
/// `handle` is an initialised pipe handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_pipe_pending_type(handle: *mut uv_pipe_t) -> uv_handle_type {
    // SAFETY: guaranteed by the caller.
    match unsafe { access::with_handle(handle, |core, id| Ok(core.pipe_pending_kind(id))) } {
        Ok(Some(Kind::Tcp)) => UV_TCP,
        Ok(Some(Kind::Pipe)) => UV_NAMED_PIPE,
        Ok(Some(Kind::Tty)) => UV_TTY,
        Ok(Some(Kind::Udp)) => UV_UDP,
        _ => UV_UNKNOWN_HANDLE,
    }
}
