//! The sizes and offsets with which programs were compiled, asserted when this crate is compiled.
//!
//! A line has the form `type size { field offset, … }` with libuv's names. Where the path of a field in the Rust types
//! differs, it stands in brackets. `cargo xtask abi` parses the same lines and compares them with an installed `uv.h`.

use std::mem::offset_of;

use super::*;

macro_rules! abi_table {
    ($($type:ident $size:literal { $($field:ident $([$($way:tt)+])? $offset:literal),* })*) => {
        $(
            const _: () = assert!(size_of::<$type>() == $size, stringify!(the size of $type));
            $(const _: () = assert!(abi_table!(@offset $type, $field $([$($way)+])?) == $offset, stringify!($type.$field));)*
        )*
    };
    (@offset $type:ident, $field:ident) => { offset_of!($type, $field) };
    (@offset $type:ident, $field:ident [$($way:tt)+]) => { offset_of!($type, $($way)+) };
}

#[rustfmt::skip] // The table has one line per type, so rustfmt must not break lines.
abi_table! {
    uv_loop_t 848 { data 0, active_handles 8, active_reqs 32, internal_fields 40, stop_flag 48, flags 56, backend_fd 64, time 544 }
    uv_handle_t 96 { data 0, loop [loop_] 8, type [type_] 16, close_cb 24, u 48, flags 88, next_closing 80 }
    uv_stream_t 248 { data [handle.data] 0, loop [handle.loop_] 8, type [handle.type_] 16, close_cb [handle.close_cb] 24, u [handle.u] 48, flags [handle.flags] 88, write_queue_size 96, alloc_cb 104, read_cb 112, connect_req 120, shutdown_req 128, io_watcher 136, write_queue 192, write_completed_queue 208, connection_cb 224, delayed_error 232, accepted_fd 236, queued_fds 240 }
    uv_tcp_t 248 { data [stream.handle.data] 0, loop [stream.handle.loop_] 8, type [stream.handle.type_] 16, close_cb [stream.handle.close_cb] 24, u [stream.handle.u] 48, flags [stream.handle.flags] 88, write_queue_size [stream.write_queue_size] 96, alloc_cb [stream.alloc_cb] 104, read_cb [stream.read_cb] 112 }
    uv_pipe_t 264 { data [stream.handle.data] 0, loop [stream.handle.loop_] 8, type [stream.handle.type_] 16, close_cb [stream.handle.close_cb] 24, u [stream.handle.u] 48, flags [stream.handle.flags] 88, write_queue_size [stream.write_queue_size] 96, alloc_cb [stream.alloc_cb] 104, read_cb [stream.read_cb] 112, ipc 248, pipe_fname 256 }
    uv_tty_t 312 { data [stream.handle.data] 0, loop [stream.handle.loop_] 8, type [stream.handle.type_] 16, close_cb [stream.handle.close_cb] 24, u [stream.handle.u] 48, flags [stream.handle.flags] 88, write_queue_size [stream.write_queue_size] 96, alloc_cb [stream.alloc_cb] 104, read_cb [stream.read_cb] 112, orig_termios 248, mode 308 }
    uv_udp_t 216 { data [handle.data] 0, loop [handle.loop_] 8, type [handle.type_] 16, close_cb [handle.close_cb] 24, u [handle.u] 48, flags [handle.flags] 88, send_queue_size 96, send_queue_count 104, alloc_cb 112, recv_cb 120, io_watcher 128, write_queue 184, write_completed_queue 200 }
    uv_poll_t 160 { data [handle.data] 0, loop [handle.loop_] 8, type [handle.type_] 16, close_cb [handle.close_cb] 24, u [handle.u] 48, flags [handle.flags] 88, poll_cb 96, io_watcher 104 }
    uv_timer_t 152 { data [handle.data] 0, loop [handle.loop_] 8, type [handle.type_] 16, close_cb [handle.close_cb] 24, u [handle.u] 48, flags [handle.flags] 88, timer_cb 96, timeout 128, repeat 136, start_id 144 }
    uv_prepare_t 120 { data [handle.data] 0, loop [handle.loop_] 8, type [handle.type_] 16, close_cb [handle.close_cb] 24, u [handle.u] 48, flags [handle.flags] 88, prepare_cb 96, queue 104 }
    uv_check_t 120 { data [handle.data] 0, loop [handle.loop_] 8, type [handle.type_] 16, close_cb [handle.close_cb] 24, u [handle.u] 48, flags [handle.flags] 88, check_cb 96, queue 104 }
    uv_idle_t 120 { data [handle.data] 0, loop [handle.loop_] 8, type [handle.type_] 16, close_cb [handle.close_cb] 24, u [handle.u] 48, flags [handle.flags] 88, idle_cb 96, queue 104 }
    uv_async_t 128 { data [handle.data] 0, loop [handle.loop_] 8, type [handle.type_] 16, close_cb [handle.close_cb] 24, u [handle.u] 48, flags [handle.flags] 88, async_cb 96 }
    uv_process_t 136 { data [handle.data] 0, loop [handle.loop_] 8, type [handle.type_] 16, close_cb [handle.close_cb] 24, u [handle.u] 48, flags [handle.flags] 88, exit_cb 96, pid 104, queue 112, status 128 }
    uv_fs_event_t 136 { data [handle.data] 0, loop [handle.loop_] 8, type [handle.type_] 16, close_cb [handle.close_cb] 24, u [handle.u] 48, flags [handle.flags] 88, path 96, cb 104, watchers 112, wd 128 }
    uv_fs_poll_t 104 { data [handle.data] 0, loop [handle.loop_] 8, type [handle.type_] 16, close_cb [handle.close_cb] 24, u [handle.u] 48, flags [handle.flags] 88, poll_ctx 96 }
    uv_signal_t 152 { data [handle.data] 0, loop [handle.loop_] 8, type [handle.type_] 16, close_cb [handle.close_cb] 24, u [handle.u] 48, flags [handle.flags] 88, signal_cb 96, signum 104, tree_entry 112, caught_signals 144, dispatched_signals 148 }
    uv__io_t 56 { fd 48 }
    uv_req_t 64 { data 0, type [type_] 8 }
    uv_shutdown_t 80 { data [req.data] 0, type [req.type_] 8, handle 64, cb 72 }
    uv_write_t 192 { data [req.data] 0, type [req.type_] 8, cb 64, send_handle 72, handle 80, queue 88, write_index 104, bufs 112, nbufs 120, error 124, bufsml 128 }
    uv_connect_t 96 { data [req.data] 0, type [req.type_] 8, cb 64, handle 72, queue 80 }
    uv_udp_send_t 320 { data [req.data] 0, type [req.type_] 8, handle 64, cb 72, queue 80, nbufs 224, bufs 232, status 240, send_cb 248, bufsml 256 }
    uv_fs_t 440 { data [req.data] 0, type [req.type_] 8, fs_type 64, loop [loop_] 72, cb 80, result 88, ptr 96, path 104, statbuf 112, new_path 272, file 280, flags 284, mode 288, nbufs 292, bufs 296, off 304, uid 312, gid 316, atime 320, mtime 328, work_req 336, bufsml 376 }
    uv_work_t 128 { data [req.data] 0, type [req.type_] 8, loop [loop_] 64, work_cb 72, after_work_cb 80, work_req 88 }
    uv_getaddrinfo_t 160 { data [req.data] 0, type [req.type_] 8, loop [loop_] 64, work_req 72, cb 112, hints 120, hostname 128, service 136, addrinfo 144, retcode 152 }
    uv_getnameinfo_t 1320 { data [req.data] 0, type [req.type_] 8, loop [loop_] 64, work_req 72, getnameinfo_cb 112, storage 120, flags 248, host 252, service 1277, retcode 1312 }
    uv_random_t 144 { data [req.data] 0, type [req.type_] 8, loop [loop_] 64, status 72, buf 80, buflen 88, cb 96, work_req 104 }
    uv_buf_t 16 { base 0, len 8 }
    uv_timespec_t 16 { tv_sec 0, tv_nsec 8 }
    uv_timespec64_t 16 { tv_sec 0, tv_nsec 8 }
    uv_timeval_t 16 { tv_sec 0, tv_usec 8 }
    uv_timeval64_t 16 { tv_sec 0, tv_usec 8 }
    uv_stat_t 160 { st_dev 0, st_mode 8, st_nlink 16, st_uid 24, st_gid 32, st_rdev 40, st_ino 48, st_size 56, st_blksize 64, st_blocks 72, st_flags 80, st_gen 88, st_atim 96, st_mtim 112, st_ctim 128, st_birthtim 144 }
    uv_statfs_t 88 { f_type 0, f_bsize 8, f_blocks 16, f_bfree 24, f_bavail 32, f_files 40, f_ffree 48 }
    uv_dirent_t 16 { name 0, type [type_] 8 }
    uv_dir_t 56 { dirents 0, nentries 8, reserved 16, dir 48 }
    uv_stdio_container_t 16 { flags 0, data 8 }
    uv_process_options_t 64 { exit_cb 0, file 8, args 16, env 24, cwd 32, flags 40, stdio_count 44, stdio 48, uid 56, gid 60 }
    uv_cpu_info_t 56 { model 0, speed 8, cpu_times 16 }
    uv_interface_address_t 80 { name 0, phys_addr 8, is_internal 16, address 20, netmask 48 }
    uv_passwd_t 40 { username 0, uid 8, gid 16, shell 24, homedir 32 }
    uv_group_t 24 { groupname 0, gid 8, members 16 }
    uv_utsname_t 1024 { sysname 0, release 256, version 512, machine 768 }
    uv_rusage_t 144 { ru_utime 0, ru_stime 16, ru_maxrss 32, ru_ixrss 40, ru_idrss 48, ru_isrss 56, ru_minflt 64, ru_majflt 72, ru_nswap 80, ru_inblock 88, ru_oublock 96, ru_msgsnd 104, ru_msgrcv 112, ru_nsignals 120, ru_nvcsw 128, ru_nivcsw 136 }
    uv_env_item_t 16 { name 0, value 8 }
    uv_metrics_t 128 { loop_count 0, events 8, events_waiting 16, reserved 24 }
    uv_lib_t 16 { handle 0, errmsg 8 }
    uv_thread_options_t 16 { flags 0, stack_size 8 }
    uv_thread_t 8 {}
    uv_mutex_t 40 {}
    uv_rwlock_t 56 {}
    uv_sem_t 32 {}
    uv_cond_t 48 {}
    uv_once_t 4 {}
    uv_key_t 4 {}
    uv_barrier_t 32 {}
    uv_any_handle 312 {}
    uv_any_req 1320 {}
    uv_file 4 {}
    uv_os_sock_t 4 {}
    uv_os_fd_t 4 {}
    uv_pid_t 4 {}
    uv_uid_t 4 {}
    uv_gid_t 4 {}
}

/// Added in libuv 1.53, so the field is not in the table, which `cargo xtask abi` may compare with an older header.
const _: () = assert!(offset_of!(uv_statfs_t, f_frsize) == 56);
