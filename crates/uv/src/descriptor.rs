//! Functions on descriptors and buffers that do not belong to a handle.
//!
//! # Safety
//! An array of descriptors has two elements.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_uint};

use phasor_sys::tty::{self, Kind};
use phasor_sys::{Fd, Result, socket};

use crate::access::status;
use crate::layout::{
    UV_FILE, UV_NAMED_PIPE, UV_NONBLOCK_PIPE, UV_TCP, UV_TTY, UV_UDP, UV_UNKNOWN_HANDLE, uv_buf_t, uv_file,
    uv_handle_type, uv_os_fd_t, uv_os_sock_t,
};

/// Makes a `uv_buf_t` of a pointer and a length.
#[unsafe(no_mangle)]
pub extern "C" fn uv_buf_init(base: *mut c_char, len: c_uint) -> uv_buf_t {
    uv_buf_t { base, len: len as usize }
}

/// The operating system's handle for a C descriptor. On Unix, the descriptor itself.
#[unsafe(no_mangle)]
pub extern "C" fn uv_get_osfhandle(fd: c_int) -> uv_os_fd_t {
    fd
}

/// The C descriptor for an operating system's handle. On Unix, the descriptor itself.
#[unsafe(no_mangle)]
pub extern "C" fn uv_open_osfhandle(os_fd: uv_os_fd_t) -> c_int {
    os_fd
}

/// The type of handle that fits a descriptor.
#[unsafe(no_mangle)]
pub extern "C" fn uv_guess_handle(file: uv_file) -> uv_handle_type {
    match tty::guess_kind(file) {
        Kind::Tty => UV_TTY,
        Kind::File => UV_FILE,
        Kind::NamedPipe => UV_NAMED_PIPE,
        Kind::Tcp => UV_TCP,
        Kind::Udp => UV_UDP,
        Kind::Unknown => UV_UNKNOWN_HANDLE,
    }
}

/// Creates a pipe: `fds[0]` is the reading end, `fds[1]` the writing end.
///
/// # Safety
/// `fds` has two elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_pipe(fds: *mut uv_file, read_flags: c_int, write_flags: c_int) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { write_pair(socket::pipe([is_nonblocking(read_flags), is_nonblocking(write_flags)]), fds) }
}

/// Creates two connected sockets.
///
/// # Safety
/// `socket_vector` has two elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_socketpair(
    kind: c_int,
    protocol: c_int,
    socket_vector: *mut uv_os_sock_t,
    flags0: c_int,
    flags1: c_int,
) -> c_int {
    let nonblocking = [is_nonblocking(flags0), is_nonblocking(flags1)];
    // SAFETY: guaranteed by the caller.
    unsafe { write_pair(socket::pair(kind, protocol, nonblocking), socket_vector) }
}

fn is_nonblocking(flags: c_int) -> bool {
    flags & UV_NONBLOCK_PIPE as c_int != 0
}

/// # Safety
/// `places` has two elements.
unsafe fn write_pair(pair: Result<(Fd, Fd)>, places: *mut c_int) -> c_int {
    // SAFETY: guaranteed by the caller; two `int`s have the layout of an array.
    status(pair.map(|(one, other)| unsafe { places.cast::<[c_int; 2]>().write([one.release(), other.release()]) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_written_and_failures_write_nothing() {
        let mut fds = [-7; 2];
        // SAFETY: the array has two elements; the test owns the descriptors until it adopts them.
        unsafe {
            assert_eq!(uv_socketpair(99, 0, fds.as_mut_ptr(), 0, 0), -libc::EINVAL);
            assert_eq!(fds, [-7; 2]);
            assert_eq!(uv_pipe(fds.as_mut_ptr(), UV_NONBLOCK_PIPE as c_int, 0), 0);
            let ends = fds.map(|fd| Fd::adopt(fd).expect("open"));
            assert_eq!(fds.map(|fd| uv_guess_handle(fd)), [UV_NAMED_PIPE; 2]);
            let blocks = |fd: c_int| libc::fcntl(fd, libc::F_GETFL) & libc::O_NONBLOCK == 0;
            assert_eq!(fds.map(blocks), [false, true]);
            drop(ends);
        }
        assert_eq!(uv_guess_handle(-1), UV_UNKNOWN_HANDLE);
    }
}
