//! The enums and macros of `uv.h`. They are integers, not Rust enums, because C programs may pass any value.
//!
//! One constant per line: `cargo xtask abi` parses this file and compares each value with an installed `uv.h`.

use std::ffi::{c_int, c_uint};

pub type uv_handle_type = c_uint;
pub const UV_UNKNOWN_HANDLE: uv_handle_type = 0;
pub const UV_ASYNC: uv_handle_type = 1;
pub const UV_CHECK: uv_handle_type = 2;
pub const UV_FS_EVENT: uv_handle_type = 3;
pub const UV_FS_POLL: uv_handle_type = 4;
pub const UV_HANDLE: uv_handle_type = 5;
pub const UV_IDLE: uv_handle_type = 6;
pub const UV_NAMED_PIPE: uv_handle_type = 7;
pub const UV_POLL: uv_handle_type = 8;
pub const UV_PREPARE: uv_handle_type = 9;
pub const UV_PROCESS: uv_handle_type = 10;
pub const UV_STREAM: uv_handle_type = 11;
pub const UV_TCP: uv_handle_type = 12;
pub const UV_TIMER: uv_handle_type = 13;
pub const UV_TTY: uv_handle_type = 14;
pub const UV_UDP: uv_handle_type = 15;
pub const UV_SIGNAL: uv_handle_type = 16;
pub const UV_FILE: uv_handle_type = 17;
pub const UV_HANDLE_TYPE_MAX: uv_handle_type = 18;

pub type uv_req_type = c_uint;
pub const UV_UNKNOWN_REQ: uv_req_type = 0;
pub const UV_REQ: uv_req_type = 1;
pub const UV_CONNECT: uv_req_type = 2;
pub const UV_WRITE: uv_req_type = 3;
pub const UV_SHUTDOWN: uv_req_type = 4;
pub const UV_UDP_SEND: uv_req_type = 5;
pub const UV_FS: uv_req_type = 6;
pub const UV_WORK: uv_req_type = 7;
pub const UV_GETADDRINFO: uv_req_type = 8;
pub const UV_GETNAMEINFO: uv_req_type = 9;
pub const UV_RANDOM: uv_req_type = 10;
pub const UV_REQ_TYPE_MAX: uv_req_type = 11;

pub type uv_loop_option = c_uint;
pub const UV_LOOP_BLOCK_SIGNAL: uv_loop_option = 0;
pub const UV_METRICS_IDLE_TIME: uv_loop_option = 1;
pub const UV_LOOP_USE_IO_URING_SQPOLL: uv_loop_option = 2;

pub type uv_run_mode = c_uint;
pub const UV_RUN_DEFAULT: uv_run_mode = 0;
pub const UV_RUN_ONCE: uv_run_mode = 1;
pub const UV_RUN_NOWAIT: uv_run_mode = 2;

pub type uv_clock_id = c_uint;
pub const UV_CLOCK_MONOTONIC: uv_clock_id = 0;
pub const UV_CLOCK_REALTIME: uv_clock_id = 1;

pub type uv_membership = c_uint;
pub const UV_LEAVE_GROUP: uv_membership = 0;
pub const UV_JOIN_GROUP: uv_membership = 1;

pub const UV_TCP_IPV6ONLY: c_uint = 1;
pub const UV_TCP_REUSEPORT: c_uint = 2;

pub const UV_UDP_IPV6ONLY: c_uint = 1;
pub const UV_UDP_PARTIAL: c_uint = 2;
pub const UV_UDP_REUSEADDR: c_uint = 4;
pub const UV_UDP_MMSG_CHUNK: c_uint = 8;
pub const UV_UDP_MMSG_FREE: c_uint = 16;
pub const UV_UDP_LINUX_RECVERR: c_uint = 32;
pub const UV_UDP_REUSEPORT: c_uint = 64;
pub const UV_UDP_RECVMMSG: c_uint = 256;

pub type uv_tty_mode_t = c_uint;
pub const UV_TTY_MODE_NORMAL: uv_tty_mode_t = 0;
pub const UV_TTY_MODE_RAW: uv_tty_mode_t = 1;
pub const UV_TTY_MODE_IO: uv_tty_mode_t = 2;
pub const UV_TTY_MODE_RAW_VT: uv_tty_mode_t = 3;

pub type uv_tty_vtermstate_t = c_uint;
pub const UV_TTY_SUPPORTED: uv_tty_vtermstate_t = 0;
pub const UV_TTY_UNSUPPORTED: uv_tty_vtermstate_t = 1;

pub const UV_PIPE_NO_TRUNCATE: c_uint = 1;

pub const UV_READABLE: c_int = 1;
pub const UV_WRITABLE: c_int = 2;
pub const UV_DISCONNECT: c_int = 4;
pub const UV_PRIORITIZED: c_int = 8;

pub type uv_stdio_flags = c_uint;
pub const UV_IGNORE: uv_stdio_flags = 0;
pub const UV_CREATE_PIPE: uv_stdio_flags = 1;
pub const UV_INHERIT_FD: uv_stdio_flags = 2;
pub const UV_INHERIT_STREAM: uv_stdio_flags = 4;
pub const UV_READABLE_PIPE: uv_stdio_flags = 16;
pub const UV_WRITABLE_PIPE: uv_stdio_flags = 32;
pub const UV_NONBLOCK_PIPE: uv_stdio_flags = 64;

pub const UV_PROCESS_SETUID: c_uint = 1;
pub const UV_PROCESS_SETGID: c_uint = 2;
pub const UV_PROCESS_WINDOWS_VERBATIM_ARGUMENTS: c_uint = 4;
pub const UV_PROCESS_DETACHED: c_uint = 8;
pub const UV_PROCESS_WINDOWS_HIDE: c_uint = 16;
pub const UV_PROCESS_WINDOWS_HIDE_CONSOLE: c_uint = 32;
pub const UV_PROCESS_WINDOWS_HIDE_GUI: c_uint = 64;
pub const UV_PROCESS_WINDOWS_FILE_PATH_EXACT_NAME: c_uint = 128;

pub type uv_dirent_type_t = c_uint;
pub const UV_DIRENT_UNKNOWN: uv_dirent_type_t = 0;
pub const UV_DIRENT_FILE: uv_dirent_type_t = 1;
pub const UV_DIRENT_DIR: uv_dirent_type_t = 2;
pub const UV_DIRENT_LINK: uv_dirent_type_t = 3;
pub const UV_DIRENT_FIFO: uv_dirent_type_t = 4;
pub const UV_DIRENT_SOCKET: uv_dirent_type_t = 5;
pub const UV_DIRENT_CHAR: uv_dirent_type_t = 6;
pub const UV_DIRENT_BLOCK: uv_dirent_type_t = 7;

pub const UV_PRIORITY_LOW: c_int = 19;
pub const UV_PRIORITY_BELOW_NORMAL: c_int = 10;
pub const UV_PRIORITY_NORMAL: c_int = 0;
pub const UV_PRIORITY_ABOVE_NORMAL: c_int = -7;
pub const UV_PRIORITY_HIGH: c_int = -14;
pub const UV_PRIORITY_HIGHEST: c_int = -20;

pub const UV_THREAD_PRIORITY_HIGHEST: c_int = 2;
pub const UV_THREAD_PRIORITY_ABOVE_NORMAL: c_int = 1;
pub const UV_THREAD_PRIORITY_NORMAL: c_int = 0;
pub const UV_THREAD_PRIORITY_BELOW_NORMAL: c_int = -1;
pub const UV_THREAD_PRIORITY_LOWEST: c_int = -2;

pub type uv_fs_type = c_int;
pub const UV_FS_UNKNOWN: uv_fs_type = -1;
pub const UV_FS_CUSTOM: uv_fs_type = 0;
pub const UV_FS_OPEN: uv_fs_type = 1;
pub const UV_FS_CLOSE: uv_fs_type = 2;
pub const UV_FS_READ: uv_fs_type = 3;
pub const UV_FS_WRITE: uv_fs_type = 4;
pub const UV_FS_SENDFILE: uv_fs_type = 5;
pub const UV_FS_STAT: uv_fs_type = 6;
pub const UV_FS_LSTAT: uv_fs_type = 7;
pub const UV_FS_FSTAT: uv_fs_type = 8;
pub const UV_FS_FTRUNCATE: uv_fs_type = 9;
pub const UV_FS_UTIME: uv_fs_type = 10;
pub const UV_FS_FUTIME: uv_fs_type = 11;
pub const UV_FS_ACCESS: uv_fs_type = 12;
pub const UV_FS_CHMOD: uv_fs_type = 13;
pub const UV_FS_FCHMOD: uv_fs_type = 14;
pub const UV_FS_FSYNC: uv_fs_type = 15;
pub const UV_FS_FDATASYNC: uv_fs_type = 16;
pub const UV_FS_UNLINK: uv_fs_type = 17;
pub const UV_FS_RMDIR: uv_fs_type = 18;
pub const UV_FS_MKDIR: uv_fs_type = 19;
pub const UV_FS_MKDTEMP: uv_fs_type = 20;
pub const UV_FS_RENAME: uv_fs_type = 21;
pub const UV_FS_SCANDIR: uv_fs_type = 22;
pub const UV_FS_LINK: uv_fs_type = 23;
pub const UV_FS_SYMLINK: uv_fs_type = 24;
pub const UV_FS_READLINK: uv_fs_type = 25;
pub const UV_FS_CHOWN: uv_fs_type = 26;
pub const UV_FS_FCHOWN: uv_fs_type = 27;
pub const UV_FS_REALPATH: uv_fs_type = 28;
pub const UV_FS_COPYFILE: uv_fs_type = 29;
pub const UV_FS_LCHOWN: uv_fs_type = 30;
pub const UV_FS_OPENDIR: uv_fs_type = 31;
pub const UV_FS_READDIR: uv_fs_type = 32;
pub const UV_FS_CLOSEDIR: uv_fs_type = 33;
pub const UV_FS_STATFS: uv_fs_type = 34;
pub const UV_FS_MKSTEMP: uv_fs_type = 35;
pub const UV_FS_LUTIME: uv_fs_type = 36;

pub const UV_FS_COPYFILE_EXCL: c_int = 1;
pub const UV_FS_COPYFILE_FICLONE: c_int = 2;
pub const UV_FS_COPYFILE_FICLONE_FORCE: c_int = 4;
pub const UV_FS_SYMLINK_DIR: c_int = 1;
pub const UV_FS_SYMLINK_JUNCTION: c_int = 2;

pub const UV_RENAME: c_int = 1;
pub const UV_CHANGE: c_int = 2;

pub const UV_FS_EVENT_WATCH_ENTRY: c_uint = 1;
pub const UV_FS_EVENT_STAT: c_uint = 2;
pub const UV_FS_EVENT_RECURSIVE: c_uint = 4;

pub const UV_THREAD_NO_FLAGS: c_uint = 0;
pub const UV_THREAD_HAS_STACK_SIZE: c_uint = 1;

pub const UV_IF_NAMESIZE: usize = 17;
pub const UV_MAXHOSTNAMESIZE: usize = 65;

/// The bits of `uv_handle_t.flags` that programs read or write, with the values of `src/uv-common.h`.
pub mod flag {
    use std::ffi::c_uint;

    pub const CLOSING: c_uint = 0x1;
    pub const CLOSED: c_uint = 0x2;
    pub const ACTIVE: c_uint = 0x4;
    pub const REF: c_uint = 0x8;
    pub const INTERNAL: c_uint = 0x10;
    pub const READABLE: c_uint = 0x4000;
    pub const WRITABLE: c_uint = 0x8000;
    pub const BLOCKING_WRITES: c_uint = 0x10_0000;
    /// Signal handles: the handle was started with `uv_signal_start_oneshot`.
    pub const ONE_SHOT: c_uint = 0x200_0000;
}
