//! Creates the child process: by `posix_spawn`, or by `fork` and `exec` if `posix_spawn` cannot do what is needed.
//!
//! `posix_spawn` shares the parent's memory until the exec (`CLONE_VFORK`), so its cost does not grow with the parent's
//! size. It cannot change the user or the group, and runs no functions registered with `pthread_atfork`; only for these
//! `fork` is used.
//!
//! # Safety
//! Pointers passed to the C library point into `Command`, `Argv` and locals, all of which outlive the call. Between
//! `fork` and `exec` the child calls only async-signal-safe functions (`signal-safety(7)`): it does not allocate, lock
//! or panic. Functions registered with `pthread_atfork` run inside `fork`, and what they may do is up to the program.
//! `environ` is read without a lock, as every `exec` does; that is why Rust makes changing the environment
//! while other threads run `unsafe`.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int, c_short};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::Once;

use rustix::pipe::{PipeFlags, pipe_with};

use super::Command;
use super::search::{Argv, first_that_starts};
use super::stdio::{FdAction, Plan};
use crate::signal::AllBlocked;
use crate::{Errno, Fd, Result};

/// `POSIX_SPAWN_SETSID` of glibc and musl, missing in the libc crate.
const SPAWN_SETSID: c_int = 0x80;

const DEV_NULL: &CStr = c"/dev/null";

unsafe extern "C" {
    static mut environ: *const *const c_char;
}

/// Starts the first candidate that can be started and returns its process id.
pub(super) fn start(command: &Command, plan: &Plan, candidates: &[CString]) -> Result<i32> {
    let mut argv = Argv::new(&command.args);
    let given: Option<Vec<*const c_char>> =
        command.env.as_ref().map(|env| env.iter().map(|entry| entry.as_ptr()).chain([std::ptr::null()]).collect());
    // SAFETY: copies the pointer; see the head of this file.
    let envp = given.as_ref().map_or_else(|| unsafe { (&raw const environ).read() }, Vec::as_ptr);
    if command.uid.is_none() && command.gid.is_none() && !command.fork_handlers {
        spawn_by_libc(command, plan, candidates, &mut argv, envp)
    } else {
        fork_and_exec(command, plan, candidates, &mut argv, envp)
    }
}

/// Starts the child by `posix_spawn`: the usual path.
fn spawn_by_libc(
    command: &Command,
    plan: &Plan,
    candidates: &[CString],
    argv: &mut Argv,
    envp: *const *const c_char,
) -> Result<i32> {
    let attributes = Attributes::new(command.detached)?;
    let actions = Actions::new(plan, command.cwd.as_deref())?;
    let mut pid = 0;
    let error = first_that_starts(candidates, argv, |path, argv| {
        // `access(2)` costs a fraction of a child process that fails its exec. Not possible for paths relative to the
        // child's working directory.
        let can_check = candidates.len() > 1 && (command.cwd.is_none() || path.to_bytes().starts_with(b"/"));
        if can_check && is_absent(path) {
            return libc::ENOENT;
        }
        loop {
            // SAFETY: all pointers are to live, null-terminated data. The lists are only read, although the types are
            // mutable.
            let error = unsafe {
                libc::posix_spawn(&mut pid, path.as_ptr(), &actions.0, &attributes.0, argv.cast(), envp.cast())
            };
            if error != libc::EINTR {
                return error;
            }
        }
    });
    if error == 0 { Ok(pid) } else { Err(Errno::from_raw(error)) }
}

fn is_absent(path: &CStr) -> bool {
    let result = rustix::fs::access(path, rustix::fs::Access::EXISTS);
    matches!(result, Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR))
}

struct Attributes(libc::posix_spawnattr_t);

impl Attributes {
    /// No signal blocked, every signal at its default, and a new session if `detached`.
    fn new(detached: bool) -> Result<Attributes> {
        let flags =
            libc::POSIX_SPAWN_SETSIGDEF | libc::POSIX_SPAWN_SETSIGMASK | if detached { SPAWN_SETSID } else { 0 };
        let mut attributes = MaybeUninit::uninit();
        let mut signals = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: each struct is initialized before it is read; a signal set is plain bits.
        unsafe {
            check(libc::posix_spawnattr_init(attributes.as_mut_ptr()))?;
            let mut attributes = Attributes(attributes.assume_init());
            // All bits. `sigfillset` leaves out the two signals that glibc reserves, and they would stay ignored in the
            // child if they are ignored here.
            signals.as_mut_ptr().write_bytes(0xff, 1);
            check(libc::posix_spawnattr_setsigdefault(&mut attributes.0, signals.as_ptr()))?;
            libc::sigemptyset(signals.as_mut_ptr());
            check(libc::posix_spawnattr_setsigmask(&mut attributes.0, signals.as_ptr()))?;
            check(libc::posix_spawnattr_setflags(&mut attributes.0, flags as c_short))?;
            Ok(attributes)
        }
    }
}

impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: initialized in `new`, not used afterwards.
        unsafe { libc::posix_spawnattr_destroy(&mut self.0) };
    }
}

struct Actions(libc::posix_spawn_file_actions_t);

impl Actions {
    fn new(plan: &Plan, cwd: Option<&CStr>) -> Result<Actions> {
        let mut actions = MaybeUninit::uninit();
        // SAFETY: filled by its init function; the calls copy the strings that they take.
        unsafe {
            check(libc::posix_spawn_file_actions_init(actions.as_mut_ptr()))?;
            let mut actions = Actions(actions.assume_init());
            let list = &mut actions.0;
            if let Some(cwd) = cwd {
                check(libc::posix_spawn_file_actions_addchdir_np(list, cwd.as_ptr()))?;
            }
            for action in &plan.actions {
                check(match *action {
                    // With equal numbers this clears close-on-exec (glibc 2.29, musl 1.1.22).
                    FdAction::Copy { from, to } => libc::posix_spawn_file_actions_adddup2(list, from, to),
                    FdAction::Null { to } => {
                        libc::posix_spawn_file_actions_addopen(list, to, DEV_NULL.as_ptr(), null_mode(to), 0)
                    }
                    FdAction::Close { number } => libc::posix_spawn_file_actions_addclose(list, number),
                })?;
            }
            Ok(actions)
        }
    }
}

impl Drop for Actions {
    fn drop(&mut self) {
        // SAFETY: initialized in `new`, not used afterwards.
        unsafe { libc::posix_spawn_file_actions_destroy(&mut self.0) };
    }
}

/// Converts a result of the `posix_spawn` family, which returns an error number and does not set `errno`.
fn check(error: c_int) -> Result<()> {
    if error == 0 { Ok(()) } else { Err(Errno::from_raw(error)) }
}

/// The access mode for `/dev/null`, as in `src/unix/process.c: uv__process_child_init`.
fn null_mode(to: RawFd) -> c_int {
    if to == 0 { libc::O_RDONLY } else { libc::O_RDWR }
}

/// Starts the child by `fork`, to change its user or group or to run the functions of `pthread_atfork`.
fn fork_and_exec(
    command: &Command,
    plan: &Plan,
    candidates: &[CString],
    argv: &mut Argv,
    envp: *const *const c_char,
) -> Result<i32> {
    // `Fd` is not used, because it does not close 0, 1 and 2: if those are closed in the parent, the pipe may get their
    // numbers.
    let (read_end, mut write_end) = pipe_with(PipeFlags::CLOEXEC)?;
    // The pipe must not use a number that a descriptor is copied to.
    if write_end.as_raw_fd() < plan.count {
        write_end = rustix::io::fcntl_dupfd_cloexec(&write_end, plan.count)?;
    }
    // The child must not run the parent's signal handlers, which write to pipes that both processes share.
    let blocked = AllBlocked::new();
    // SAFETY: the child calls only what the head of this file allows, and `exec_child` never returns.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        exec_child(command, plan, candidates, argv, envp, write_end.as_raw_fd());
    }
    let forked = if pid < 0 { Err(Errno::last()) } else { Ok(pid) };
    drop(blocked);
    drop(write_end);
    let pid = forked?;
    let mut error = [0; size_of::<c_int>()];
    // The read returns 0 when the exec closes the write end: success.
    loop {
        match rustix::io::read(&read_end, &mut error) {
            Ok(count) if count == error.len() => {
                reap(pid);
                return Err(Errno::from_raw(c_int::from_ne_bytes(error)));
            }
            Err(rustix::io::Errno::INTR) => {}
            _ => return Ok(pid),
        }
    }
}

/// The child's side of `fork`: executes the program, or writes the error number to the pipe.
fn exec_child(
    command: &Command,
    plan: &Plan,
    candidates: &[CString],
    argv: &mut Argv,
    envp: *const *const c_char,
    write_end: RawFd,
) -> ! {
    let mut error = set_up(command, plan);
    if error == 0 && command.fork_handlers && command.env.is_none() {
        // As `src/unix/process.c: uv__process_child_init`: with the environment and the `PATH` of the child, which a
        // function of `pthread_atfork` may have changed. glibc's and musl's `execvp` do not allocate.
        // SAFETY: null-terminated arrays of C strings.
        unsafe { libc::execvp(command.program.as_ptr(), argv.direct()) };
        error = errno();
    } else if error == 0 {
        error = first_that_starts(candidates, argv, |path, argv| {
            // SAFETY: null-terminated arrays of C strings.
            unsafe { libc::execve(path.as_ptr(), argv, envp) };
            match errno() {
                // A `PATH` entry that is a file counts as a missing one.
                libc::ENOTDIR if candidates.len() > 1 => libc::ENOENT,
                error => error,
            }
        });
    }
    // SAFETY: the bytes of a live local; then the process ends.
    unsafe {
        while libc::write(write_end, (&raw const error).cast(), size_of::<c_int>()) < 0 && errno() == libc::EINTR {}
        libc::_exit(127)
    }
}

/// Prepares the child between fork and exec, in the order of `src/unix/process.c: uv__process_child_init`. Returns an
/// error number, or 0.
fn set_up(command: &Command, plan: &Plan) -> c_int {
    // SAFETY: only async-signal-safe calls on live data.
    unsafe {
        // The raw system call: the C library refuses to change the two signals that it reserves, which the parent may
        // have inherited as ignored. All zeros in the kernel's struct (handler, flags, restorer, mask) are SIG_DFL.
        let default = [0u64; 8];
        for signum in 1..=64 {
            // Fails for SIGKILL and SIGSTOP, whose disposition cannot change.
            libc::syscall(libc::SYS_rt_sigaction, signum, default.as_ptr(), std::ptr::null::<u64>(), size_of::<u64>());
        }
        if command.detached {
            libc::setsid();
        }
        if plan.actions.iter().any(|action| perform(*action) < 0) {
            return errno();
        }
        if command.cwd.as_ref().is_some_and(|cwd| libc::chdir(cwd.as_ptr()) < 0) {
            return errno();
        }
        // The child must not keep the parent's supplementary groups with another user (CVE-2015-0278). The result is
        // ignored as in libuv: without privileges it fails, and there is nothing to drop.
        if command.uid.is_some() || command.gid.is_some() {
            libc::setgroups(0, std::ptr::null());
        }
        if command.gid.is_some_and(|gid| libc::setgid(gid) < 0) {
            return errno();
        }
        if command.uid.is_some_and(|uid| libc::setuid(uid) < 0) {
            return errno();
        }
        let mut none = MaybeUninit::uninit();
        libc::sigemptyset(none.as_mut_ptr());
        libc::sigprocmask(libc::SIG_SETMASK, none.as_ptr(), std::ptr::null_mut());
        0
    }
}

/// Performs one action in the child. Negative on failure, with `errno` set.
fn perform(action: FdAction) -> c_int {
    // SAFETY: only descriptors and a constant string. The child has a single thread.
    unsafe {
        match action {
            FdAction::Copy { from, to } if from == to => libc::fcntl(to, libc::F_SETFD, 0),
            FdAction::Copy { from, to } => libc::dup2(from, to),
            FdAction::Null { to } => {
                let null = libc::open(DEV_NULL.as_ptr(), null_mode(to));
                if null < 0 || null == to {
                    return null;
                }
                let copied = libc::dup2(null, to);
                libc::close(null);
                copied
            }
            FdAction::Close { number } => {
                libc::close(number);
                0
            }
        }
    }
}

fn errno() -> c_int {
    // SAFETY: this thread's errno.
    unsafe { *libc::__errno_location() }
}

/// Waits for a child that is about to end, and discards its status.
pub(super) fn reap(pid: i32) {
    // SAFETY: a null status pointer is allowed.
    while unsafe { libc::waitpid(pid, std::ptr::null_mut(), 0) } < 0 && errno() == libc::EINTR {}
}

/// Makes sure that children can be waited for. In a process that ignores `SIGCHLD` (which survives exec) the kernel
/// reaps children itself, so their status would be lost. Checked once, at the first spawn.
pub(super) fn ensure_children_are_waitable() {
    static ONCE: Once = Once::new();
    // SAFETY: `sigaction` on live, initialized structs.
    ONCE.call_once(|| unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(libc::SIGCHLD, std::ptr::null(), &mut action) != 0 {
            return;
        }
        if action.sa_sigaction == libc::SIG_IGN || action.sa_flags & libc::SA_NOCLDWAIT != 0 {
            action.sa_flags &= !libc::SA_NOCLDWAIT;
            if action.sa_sigaction == libc::SIG_IGN {
                action.sa_sigaction = libc::SIG_DFL;
            }
            libc::sigaction(libc::SIGCHLD, &action, std::ptr::null_mut());
        }
    });
}

/// Sends a signal to a process, or to a process group if `pid` is 0 or negative, as `kill(2)`. Signal 0 only checks
/// that the process exists and may be signaled. `EINVAL` for an unknown signal.
#[doc(alias = "uv_kill")]
pub fn kill(pid: i32, signum: i32) -> Result<()> {
    // SAFETY: no memory is involved.
    if unsafe { libc::kill(pid, signum) } == 0 { Ok(()) } else { Err(Errno::last()) }
}

/// Sends a signal to a child by its pidfd, so it never reaches another process that reuses the id. `ESRCH` if the child
/// has ended and was reaped.
#[doc(alias = "uv_process_kill")]
pub fn kill_child(pidfd: &Fd, signum: i32) -> Result<()> {
    let no_info = std::ptr::null::<libc::siginfo_t>();
    // SAFETY: a null siginfo means the one that `kill(2)` would send.
    let sent = unsafe { libc::syscall(libc::SYS_pidfd_send_signal, pidfd.as_raw_fd(), signum, no_info, 0) };
    if sent == 0 { Ok(()) } else { Err(Errno::last()) }
}
