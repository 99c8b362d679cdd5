//! The request types.

use std::ffi::{c_char, c_int, c_uint, c_void};

use libc::{addrinfo, sockaddr_storage, ssize_t};

use super::*;

#[repr(C)]
pub struct uv_req_t {
    pub data: *mut c_void,
    pub type_: uv_req_type,
    /// The bits of the request's id in the core. Uses the first word of libuv's `reserved`.
    pub(crate) id: u64,
    pub(crate) reserved: [usize; 4],
    /// The result of `uv_write_nwritten`. Uses the last word of `reserved` of libuv until 1.52.
    pub(crate) nwritten: usize,
}

#[repr(C)]
pub struct uv_shutdown_t {
    pub req: uv_req_t,
    pub handle: *mut uv_stream_t,
    pub cb: uv_shutdown_cb,
}

#[repr(C)]
pub struct uv_write_t {
    pub req: uv_req_t,
    pub cb: uv_write_cb,
    pub send_handle: *mut uv_stream_t,
    pub handle: *mut uv_stream_t,
    pub(crate) queue: [usize; 2],
    pub(crate) write_index: c_uint,
    /// The array of buffers: `bufsml`, or a block of the replaceable allocator.
    pub bufs: *mut uv_buf_t,
    pub nbufs: c_uint,
    pub error: c_int,
    pub bufsml: [uv_buf_t; 4],
}

#[repr(C)]
pub struct uv_connect_t {
    pub req: uv_req_t,
    pub cb: uv_connect_cb,
    pub handle: *mut uv_stream_t,
    pub(crate) queue: [usize; 2],
}

#[repr(C)]
pub struct uv_udp_send_t {
    pub req: uv_req_t,
    pub handle: *mut uv_udp_t,
    pub cb: uv_udp_send_cb,
    pub(crate) queue: [usize; 2],
    pub(crate) u: sockaddr_storage,
    pub nbufs: c_uint,
    pub bufs: *mut uv_buf_t,
    pub status: ssize_t,
    pub send_cb: uv_udp_send_cb,
    pub bufsml: [uv_buf_t; 4],
}

/// A task of libuv's thread pool. Only `done` is set here: NULL would mean that io_uring has the request.
#[repr(C)]
pub struct uv__work {
    pub(crate) work: usize,
    pub(crate) done: usize,
    pub(crate) loop_: *mut uv_loop_t,
    pub(crate) wq: [usize; 2],
}

#[repr(C)]
pub struct uv_fs_t {
    pub req: uv_req_t,
    pub fs_type: uv_fs_type,
    pub loop_: *mut uv_loop_t,
    pub cb: uv_fs_cb,
    pub result: ssize_t,
    pub ptr: *mut c_void,
    pub path: *const c_char,
    pub statbuf: uv_stat_t,
    pub new_path: *const c_char,
    pub file: uv_file,
    pub flags: c_int,
    pub mode: libc::mode_t,
    pub nbufs: c_uint,
    pub bufs: *mut uv_buf_t,
    pub off: libc::off_t,
    pub uid: libc::uid_t,
    pub gid: libc::gid_t,
    pub atime: f64,
    pub mtime: f64,
    pub(crate) work_req: uv__work,
    pub bufsml: [uv_buf_t; 4],
}

#[repr(C)]
pub struct uv_work_t {
    pub req: uv_req_t,
    pub loop_: *mut uv_loop_t,
    pub work_cb: uv_work_cb,
    pub after_work_cb: uv_after_work_cb,
    pub(crate) work_req: uv__work,
}

#[repr(C)]
pub struct uv_getaddrinfo_t {
    pub req: uv_req_t,
    pub loop_: *mut uv_loop_t,
    pub(crate) work_req: uv__work,
    pub cb: uv_getaddrinfo_cb,
    pub(crate) hints: *mut addrinfo,
    pub(crate) hostname: *mut c_char,
    pub(crate) service: *mut c_char,
    pub addrinfo: *mut addrinfo,
    pub retcode: c_int,
}

#[repr(C)]
pub struct uv_getnameinfo_t {
    pub req: uv_req_t,
    pub loop_: *mut uv_loop_t,
    pub(crate) work_req: uv__work,
    pub getnameinfo_cb: uv_getnameinfo_cb,
    pub(crate) storage: sockaddr_storage,
    pub(crate) flags: c_int,
    pub host: [c_char; 1025],
    pub service: [c_char; 32],
    pub retcode: c_int,
}

#[repr(C)]
pub struct uv_random_t {
    pub req: uv_req_t,
    pub loop_: *mut uv_loop_t,
    pub status: c_int,
    pub buf: *mut c_void,
    pub buflen: usize,
    pub cb: uv_random_cb,
    pub(crate) work_req: uv__work,
}

/// Memory for any request.
#[repr(C)]
pub union uv_any_req {
    pub req: std::mem::ManuallyDrop<uv_req_t>,
    pub getnameinfo: std::mem::ManuallyDrop<uv_getnameinfo_t>,
}
