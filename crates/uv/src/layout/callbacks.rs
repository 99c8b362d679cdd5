//! The function pointer types of `uv.h`. They are `Option`s because C programs may pass NULL.

use std::ffi::{c_char, c_int, c_uint, c_void};

use libc::{addrinfo, size_t, sockaddr, ssize_t};

use super::*;

pub type uv_alloc_cb = Option<unsafe extern "C" fn(*mut uv_handle_t, size_t, *mut uv_buf_t)>;
pub type uv_read_cb = Option<unsafe extern "C" fn(*mut uv_stream_t, ssize_t, *const uv_buf_t)>;
pub type uv_write_cb = Option<unsafe extern "C" fn(*mut uv_write_t, c_int)>;
pub type uv_connect_cb = Option<unsafe extern "C" fn(*mut uv_connect_t, c_int)>;
pub type uv_shutdown_cb = Option<unsafe extern "C" fn(*mut uv_shutdown_t, c_int)>;
pub type uv_connection_cb = Option<unsafe extern "C" fn(*mut uv_stream_t, c_int)>;
pub type uv_close_cb = Option<unsafe extern "C" fn(*mut uv_handle_t)>;
pub type uv_poll_cb = Option<unsafe extern "C" fn(*mut uv_poll_t, c_int, c_int)>;
pub type uv_timer_cb = Option<unsafe extern "C" fn(*mut uv_timer_t)>;
pub type uv_async_cb = Option<unsafe extern "C" fn(*mut uv_async_t)>;
pub type uv_prepare_cb = Option<unsafe extern "C" fn(*mut uv_prepare_t)>;
pub type uv_check_cb = Option<unsafe extern "C" fn(*mut uv_check_t)>;
pub type uv_idle_cb = Option<unsafe extern "C" fn(*mut uv_idle_t)>;
pub type uv_exit_cb = Option<unsafe extern "C" fn(*mut uv_process_t, i64, c_int)>;
pub type uv_walk_cb = Option<unsafe extern "C" fn(*mut uv_handle_t, *mut c_void)>;
pub type uv_fs_cb = Option<unsafe extern "C" fn(*mut uv_fs_t)>;
pub type uv_work_cb = Option<unsafe extern "C" fn(*mut uv_work_t)>;
pub type uv_after_work_cb = Option<unsafe extern "C" fn(*mut uv_work_t, c_int)>;
pub type uv_getaddrinfo_cb = Option<unsafe extern "C" fn(*mut uv_getaddrinfo_t, c_int, *mut addrinfo)>;
pub type uv_getnameinfo_cb = Option<unsafe extern "C" fn(*mut uv_getnameinfo_t, c_int, *const c_char, *const c_char)>;
pub type uv_random_cb = Option<unsafe extern "C" fn(*mut uv_random_t, c_int, *mut c_void, size_t)>;
pub type uv_fs_event_cb = Option<unsafe extern "C" fn(*mut uv_fs_event_t, *const c_char, c_int, c_int)>;
pub type uv_fs_poll_cb = Option<unsafe extern "C" fn(*mut uv_fs_poll_t, c_int, *const uv_stat_t, *const uv_stat_t)>;
pub type uv_signal_cb = Option<unsafe extern "C" fn(*mut uv_signal_t, c_int)>;
pub type uv_udp_send_cb = Option<unsafe extern "C" fn(*mut uv_udp_send_t, c_int)>;
pub type uv_udp_recv_cb =
    Option<unsafe extern "C" fn(*mut uv_udp_t, ssize_t, *const uv_buf_t, *const sockaddr, c_uint)>;
pub type uv_thread_cb = Option<unsafe extern "C" fn(*mut c_void)>;
pub type uv_malloc_func = Option<unsafe extern "C" fn(size_t) -> *mut c_void>;
pub type uv_realloc_func = Option<unsafe extern "C" fn(*mut c_void, size_t) -> *mut c_void>;
pub type uv_calloc_func = Option<unsafe extern "C" fn(size_t, size_t) -> *mut c_void>;
pub type uv_free_func = Option<unsafe extern "C" fn(*mut c_void)>;
