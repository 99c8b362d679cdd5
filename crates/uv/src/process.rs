//! Child processes.
//!
//! # Safety
//! The contract of `access` holds: handle pointers are live and of the declared type. Texts are C strings; arrays of texts are
//! terminated by NULL.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int};
use std::slice;

use phasor_core::{Errno, ExitStatus, HandleId, Result, Spawn, Stdio};
use phasor_sys::objects::ImportSearch;

use crate::layout::*;
use crate::{access, handle, recording, stream};

/// A search for an object that both starts children and registers fork handlers. Such a program may be written for
/// libuv 1.51 or older, which forks for every child. An example is uvloop, whose handler calls Python's `preexec_fn`.
/// In musl, the function is `pthread_atfork`. In glibc, a program links a static function of that name, which calls
/// `__register_atfork`.
static FORK_HANDLERS: ImportSearch = ImportSearch::new(&[&[c"uv_spawn"], &[c"__register_atfork", c"pthread_atfork"]]);

/// Initialises a handle and starts a child process. The handle has to be closed even after an error.
///
/// # Safety
/// `lp` is an initialised loop, `process` points to memory for a process handle, `options` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_spawn(
    lp: *mut uv_loop_t,
    process: *mut uv_process_t,
    options: *const uv_process_options_t,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if let Err(errno) = access::init_handle(lp, process, UV_PROCESS, |core, face| Ok(core.process_open(face))) {
            return -errno.raw();
        }
        (*process).exit_cb = None;
        (*process).pid = 0;
        (*process).status = 0;
        let spawned = read_options(lp, options).and_then(|spawn| {
            let prepared = access::with_handle(process, |core, id| core.process_prepare(id, spawn))?;
            // The core is not borrowed while fork handlers run: the handlers of uvloop call `uv_loop_fork` in the
            // child.
            let started = prepared.start();
            let spawned = access::with(lp, |core| core.process_adopt(started));
            sync_pipes(options);
            spawned
        });
        match spawned {
            Ok(pid) => {
                (*process).exit_cb = (*options).exit_cb;
                (*process).pid = pid;
                (*process).handle.flags |= flag::ACTIVE;
                recording::describe_child(process, options);
                0
            }
            Err(errno) => -errno.raw(),
        }
    }
}

/// # Safety
/// See the head of this file.
unsafe fn read_options(lp: *mut uv_loop_t, options: *const uv_process_options_t) -> Result<Spawn> {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let flags = (*options).flags;
        // libuv asserts that there is a file name; without assertions `execvp` fails with `ENOENT`.
        let program = text((*options).file).ok_or(Errno::ENOENT)?;
        let stdio: Result<Vec<Stdio>> = containers(options).iter().map(|container| read_stdio(lp, container)).collect();
        Ok(Spawn {
            args: texts((*options).args).unwrap_or_else(|| vec![program.clone()]),
            program,
            env: texts((*options).env),
            cwd: text((*options).cwd),
            stdio: stdio?,
            uid: (flags & UV_PROCESS_SETUID != 0).then_some((*options).uid),
            gid: (flags & UV_PROCESS_SETGID != 0).then_some((*options).gid),
            detached: flags & UV_PROCESS_DETACHED != 0,
            fork_handlers: FORK_HANDLERS.succeeds(),
        })
    }
}

/// Updates the pipe handles of the options: a handle may have a descriptor even if the child could not be started.
/// # Safety
/// See the head of this file; [`read_options`] found no error.
unsafe fn sync_pipes(options: *const uv_process_options_t) {
    // SAFETY: guaranteed by the caller; with `UV_CREATE_PIPE`, `stream` is a live pipe handle.
    unsafe {
        for container in containers(options) {
            if container.flags & UV_CREATE_PIPE != 0 {
                stream::sync_fields(container.data.stream);
            }
        }
    }
}

/// # Safety
/// See the head of this file.
unsafe fn containers<'a>(options: *const uv_process_options_t) -> &'a [uv_stdio_container_t] {
    // SAFETY: guaranteed by the caller.
    unsafe {
        match usize::try_from((*options).stdio_count) {
            Ok(count @ 1..) if !(*options).stdio.is_null() => slice::from_raw_parts((*options).stdio, count),
            _ => &[],
        }
    }
}

/// Converts one element of `stdio` (`src/unix/process.c: uv__process_init_stdio`).
///
/// # Safety
/// See the head of this file.
unsafe fn read_stdio(lp: *mut uv_loop_t, container: &uv_stdio_container_t) -> Result<Stdio> {
    const KINDS: uv_stdio_flags = UV_IGNORE | UV_CREATE_PIPE | UV_INHERIT_FD | UV_INHERIT_STREAM;
    // SAFETY: guaranteed by the caller; the flags say which field of the union is set.
    unsafe {
        match container.flags & KINDS {
            UV_IGNORE => Ok(Stdio::Ignore),
            UV_INHERIT_FD => Ok(Stdio::Inherit(container.data.fd)),
            UV_INHERIT_STREAM => {
                // The stream may belong to another loop, since only its descriptor is used.
                let mut fd = -1;
                handle::uv_fileno(container.data.stream.cast(), &mut fd);
                Ok(Stdio::Inherit(fd))
            }
            UV_CREATE_PIPE => {
                let pipe = container.data.stream;
                if pipe.is_null() || (*pipe).handle.type_ != UV_NAMED_PIPE || (*pipe).handle.loop_ != lp {
                    return Err(Errno::EINVAL);
                }
                Ok(Stdio::Pipe {
                    handle: access::handle_id(pipe)?,
                    readable: container.flags & UV_READABLE_PIPE != 0,
                    writable: container.flags & UV_WRITABLE_PIPE != 0,
                })
            }
            _ => Err(Errno::EINVAL),
        }
    }
}

/// # Safety
/// `at` is NULL or a C string.
unsafe fn text(at: *const c_char) -> Option<CString> {
    // SAFETY: guaranteed by the caller.
    (!at.is_null()).then(|| unsafe { CStr::from_ptr(at) }.to_owned())
}

/// # Safety
/// `at` is NULL or an array of C strings that ends with NULL.
unsafe fn texts(at: *const *mut c_char) -> Option<Vec<CString>> {
    if at.is_null() {
        return None;
    }
    // SAFETY: guaranteed by the caller.
    Some((0..).map_while(|index| unsafe { text(*at.add(index)) }).collect())
}

/// Sends a signal to the child process.
///
/// # Safety
/// `process` is a process handle for which [`uv_spawn`] was called.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_process_kill(process: *mut uv_process_t, signum: c_int) -> c_int {
    // SAFETY: guaranteed by the caller.
    access::status(unsafe { access::with_handle(process, |core, id| core.process_kill(id, signum)) })
}

/// The id of the child process.
///
/// # Safety
/// `process` is a process handle for which [`uv_spawn`] was called.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_process_get_pid(process: *const uv_process_t) -> uv_pid_t {
    // SAFETY: guaranteed by the caller.
    unsafe { (*process).pid }
}

/// Calls the exit callback of a child process.
///
/// # Safety
/// See the head of this file.
pub(crate) unsafe fn on_exit(lp: *mut uv_loop_t, id: HandleId, status: ExitStatus) {
    // SAFETY: see the head of this file.
    unsafe {
        let Some(process) = access::handle_of::<uv_process_t>(lp, id) else { return };
        access::set_active(process, false);
        if let Some(call) = (*process).exit_cb {
            call(process, status.code, status.signal);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::mem::MaybeUninit;
    use std::ptr;

    use super::*;
    use crate::loop_::{uv_loop_close, uv_loop_init};
    use crate::run::uv_run;

    /// libuv asserts that the pipe is not NULL.
    #[test]
    fn a_null_pipe_is_invalid_and_the_handle_can_be_closed() {
        let (mut lp, mut process) = (MaybeUninit::<uv_loop_t>::uninit(), MaybeUninit::<uv_process_t>::uninit());
        let mut stdio = uv_stdio_container_t { flags: UV_CREATE_PIPE, data: uv_stdio_data { stream: ptr::null_mut() } };
        let options = uv_process_options_t {
            exit_cb: None,
            file: c"true".as_ptr(),
            args: ptr::null_mut(),
            env: ptr::null_mut(),
            cwd: ptr::null(),
            flags: 0,
            stdio_count: 1,
            stdio: &raw mut stdio,
            uid: 0,
            gid: 0,
        };
        // SAFETY: all pointers are to locals that outlive the loop.
        unsafe {
            assert_eq!(uv_loop_init(lp.as_mut_ptr()), 0);
            assert_eq!(uv_spawn(lp.as_mut_ptr(), process.as_mut_ptr(), &options), -libc::EINVAL);
            handle::uv_close(process.as_mut_ptr().cast(), None);
            assert_eq!(uv_run(lp.as_mut_ptr(), UV_RUN_DEFAULT), 0);
            assert_eq!(uv_loop_close(lp.as_mut_ptr()), 0);
        }
    }
}
