//! The types of `uv.h` that are neither handles nor requests.

use std::ffi::{c_char, c_int, c_long, c_uint, c_ulong, c_void};

use libc::{sockaddr_in, sockaddr_in6};

use super::*;

pub type uv_file = c_int;
pub type uv_os_sock_t = c_int;
pub type uv_os_fd_t = c_int;
pub type uv_pid_t = libc::pid_t;
pub type uv_uid_t = libc::uid_t;
pub type uv_gid_t = libc::gid_t;
pub type uv_once_t = libc::pthread_once_t;
pub type uv_thread_t = libc::pthread_t;
pub type uv_mutex_t = libc::pthread_mutex_t;
pub type uv_rwlock_t = libc::pthread_rwlock_t;
pub type uv_sem_t = libc::sem_t;
pub type uv_cond_t = libc::pthread_cond_t;
pub type uv_key_t = libc::pthread_key_t;
pub type uv_barrier_t = libc::pthread_barrier_t;

/// A buffer with the layout of `struct iovec`, which libuv's manual guarantees.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct uv_buf_t {
    pub base: *mut c_char,
    pub len: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct uv_timespec_t {
    pub tv_sec: c_long,
    pub tv_nsec: c_long,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct uv_timespec64_t {
    pub tv_sec: i64,
    pub tv_nsec: i32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct uv_timeval_t {
    pub tv_sec: c_long,
    pub tv_usec: c_long,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct uv_timeval64_t {
    pub tv_sec: i64,
    pub tv_usec: i32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct uv_stat_t {
    pub st_dev: u64,
    pub st_mode: u64,
    pub st_nlink: u64,
    pub st_uid: u64,
    pub st_gid: u64,
    pub st_rdev: u64,
    pub st_ino: u64,
    pub st_size: u64,
    pub st_blksize: u64,
    pub st_blocks: u64,
    pub st_flags: u64,
    pub st_gen: u64,
    pub st_atim: uv_timespec_t,
    pub st_mtim: uv_timespec_t,
    pub st_ctim: uv_timespec_t,
    pub st_birthtim: uv_timespec_t,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct uv_statfs_t {
    pub f_type: u64,
    pub f_bsize: u64,
    pub f_blocks: u64,
    pub f_bfree: u64,
    pub f_bavail: u64,
    pub f_files: u64,
    pub f_ffree: u64,
    /// Added in libuv 1.53. Older versions have the first of four spare words here.
    pub f_frsize: u64,
    pub f_spare: [u64; 3],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct uv_dirent_t {
    pub name: *const c_char,
    pub type_: uv_dirent_type_t,
}

#[repr(C)]
pub struct uv_dir_t {
    pub dirents: *mut uv_dirent_t,
    pub nentries: usize,
    pub(crate) reserved: [usize; 4],
    /// The open directory: a `Box<phasor_sys::file::Dir>`.
    pub(crate) dir: *mut c_void,
}

#[repr(C)]
pub union uv_stdio_data {
    pub stream: *mut uv_stream_t,
    pub fd: c_int,
}

#[repr(C)]
pub struct uv_stdio_container_t {
    pub flags: uv_stdio_flags,
    pub data: uv_stdio_data,
}

#[repr(C)]
pub struct uv_process_options_t {
    pub exit_cb: uv_exit_cb,
    pub file: *const c_char,
    pub args: *mut *mut c_char,
    pub env: *mut *mut c_char,
    pub cwd: *const c_char,
    pub flags: c_uint,
    pub stdio_count: c_int,
    pub stdio: *mut uv_stdio_container_t,
    pub uid: uv_uid_t,
    pub gid: uv_gid_t,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct uv_cpu_times_s {
    pub user: u64,
    pub nice: u64,
    pub sys: u64,
    pub idle: u64,
    pub irq: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct uv_cpu_info_t {
    pub model: *mut c_char,
    pub speed: c_int,
    pub cpu_times: uv_cpu_times_s,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union uv_interface_sockaddr {
    pub address4: sockaddr_in,
    pub address6: sockaddr_in6,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct uv_interface_address_t {
    pub name: *mut c_char,
    pub phys_addr: [c_char; 6],
    pub is_internal: c_int,
    pub address: uv_interface_sockaddr,
    pub netmask: uv_interface_sockaddr,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct uv_passwd_t {
    pub username: *mut c_char,
    pub uid: c_ulong,
    pub gid: c_ulong,
    pub shell: *mut c_char,
    pub homedir: *mut c_char,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct uv_group_t {
    pub groupname: *mut c_char,
    pub gid: c_ulong,
    pub members: *mut *mut c_char,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct uv_utsname_t {
    pub sysname: [c_char; 256],
    pub release: [c_char; 256],
    pub version: [c_char; 256],
    pub machine: [c_char; 256],
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct uv_rusage_t {
    pub ru_utime: uv_timeval_t,
    pub ru_stime: uv_timeval_t,
    pub ru_maxrss: u64,
    pub ru_ixrss: u64,
    pub ru_idrss: u64,
    pub ru_isrss: u64,
    pub ru_minflt: u64,
    pub ru_majflt: u64,
    pub ru_nswap: u64,
    pub ru_inblock: u64,
    pub ru_oublock: u64,
    pub ru_msgsnd: u64,
    pub ru_msgrcv: u64,
    pub ru_nsignals: u64,
    pub ru_nvcsw: u64,
    pub ru_nivcsw: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct uv_env_item_t {
    pub name: *mut c_char,
    pub value: *mut c_char,
}

#[repr(C)]
pub struct uv_metrics_t {
    pub loop_count: u64,
    pub events: u64,
    pub events_waiting: u64,
    pub reserved: [*mut u64; 13],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct uv_lib_t {
    pub handle: *mut c_void,
    pub errmsg: *mut c_char,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct uv_thread_options_t {
    pub flags: c_uint,
    pub stack_size: usize,
}
