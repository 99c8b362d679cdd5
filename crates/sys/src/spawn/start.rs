//! Making the process: `posix_spawn`, or `fork` and `exec` where it cannot do the job.
//!
//! `posix_spawn` shares the parent's memory until the exec, so its cost does not grow with the parent. It cannot change
//! the user or the group; only then a fork is made.
//!
//! # Safety
//! Pointers handed to the C library point into `Command`, `Argv` and locals, all of which outlive the call. Between
//! `fork` and `exec` the child calls only async-signal-safe functions: it neither allocates, locks nor panics.
//! `environ` is read without a lock, as every `exec` does; changing the environment beside running threads is already
//! `unsafe` in Rust for that reason.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int, c_short};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::Once;

use rustix::pipe::{PipeFlags, pipe_with};

use super::Command;
use super::search::{Argv, first_that_starts};
use super::stdio::{Plan, Step};
use crate::signal::AllBlocked;
use crate::{Errno, Fd, Result};

/// `POSIX_SPAWN_SETSID` of glibc and musl, which the libc crate does not have.
const SPAWN_SETSID: c_int = 0x80;

const DEV_NULL: &CStr = c"/dev/null";

unsafe extern "C" {
    static mut environ: *const *const c_char;
}

/// Starts the first candidate that can be started and returns its pid.
pub(super) fn start(command: &Command, plan: &Plan, candidates: &[CString]) -> Result<i32> {
    let mut argv = Argv::new(&command.args);
    let given: Option<Vec<*const c_char>> =
        command.env.as_ref().map(|env| env.iter().map(|entry| entry.as_ptr()).chain([std::ptr::null()]).collect());
    // SAFETY: copies the pointer; see the head of this file.
    let envp = given.as_ref().map_or_else(|| unsafe { (&raw const environ).read() }, Vec::as_ptr);
    if command.uid.is_none() && command.gid.is_none() {
        spawn_by_libc(command, plan, candidates, &mut argv, envp)
    } else {
        fork_and_exec(command, plan, candidates, &mut argv, envp)
    }
}

/// The usual way.
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
        // A look costs a fraction of a process that dies at once. Relative to a new directory there is none to look in.
        let can_look = candidates.len() > 1 && (command.cwd.is_none() || path.to_bytes().starts_with(b"/"));
        if can_look && is_absent(path) {
            return libc::ENOENT;
        }
        loop {
            // SAFETY: all pointers are to live, null-terminated data; the lists are only read, whatever their type says.
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
    let looked = rustix::fs::access(path, rustix::fs::Access::EXISTS);
    matches!(looked, Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR))
}

struct Attributes(libc::posix_spawnattr_t);

impl Attributes {
    /// No signal blocked, all at their defaults, and a new session if wanted.
    fn new(detached: bool) -> Result<Attributes> {
        let flags =
            libc::POSIX_SPAWN_SETSIGDEF | libc::POSIX_SPAWN_SETSIGMASK | if detached { SPAWN_SETSID } else { 0 };
        let mut attributes = MaybeUninit::uninit();
        let mut signals = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: each structure is filled in before it is read; a signal set is plain bits.
        unsafe {
            check(libc::posix_spawnattr_init(attributes.as_mut_ptr()))?;
            let mut attributes = Attributes(attributes.assume_init());
            // Every bit, which `sigfillset` would not set: glibc would leave the two signals of its own ignored in the
            // child.
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
        // SAFETY: initialised in `new`, not used again.
        unsafe { libc::posix_spawnattr_destroy(&mut self.0) };
    }
}

struct Actions(libc::posix_spawn_file_actions_t);

impl Actions {
    fn new(plan: &Plan, cwd: Option<&CStr>) -> Result<Actions> {
        let mut actions = MaybeUninit::uninit();
        // SAFETY: filled by its init function; the strings are copied by the calls that take them.
        unsafe {
            check(libc::posix_spawn_file_actions_init(actions.as_mut_ptr()))?;
            let mut actions = Actions(actions.assume_init());
            let list = &mut actions.0;
            if let Some(cwd) = cwd {
                check(libc::posix_spawn_file_actions_addchdir_np(list, cwd.as_ptr()))?;
            }
            for step in &plan.steps {
                check(match *step {
                    // With equal numbers it clears close-on-exec (glibc 2.29, musl 1.1.22).
                    Step::Copy { from, to } => libc::posix_spawn_file_actions_adddup2(list, from, to),
                    Step::Null { to } => {
                        libc::posix_spawn_file_actions_addopen(list, to, DEV_NULL.as_ptr(), null_mode(to), 0)
                    }
                    Step::Close { number } => libc::posix_spawn_file_actions_addclose(list, number),
                })?;
            }
            Ok(actions)
        }
    }
}

impl Drop for Actions {
    fn drop(&mut self) {
        // SAFETY: initialised in `new`, not used again.
        unsafe { libc::posix_spawn_file_actions_destroy(&mut self.0) };
    }
}

/// The `posix_spawn` family returns its error instead of setting `errno`.
fn check(error: c_int) -> Result<()> {
    if error == 0 { Ok(()) } else { Err(Errno::from_raw(error)) }
}

/// As libuv opens `/dev/null` for `UV_IGNORE`.
fn null_mode(to: RawFd) -> c_int {
    if to == 0 { libc::O_RDONLY } else { libc::O_RDWR }
}

/// The way for a change of user or group.
fn fork_and_exec(
    command: &Command,
    plan: &Plan,
    candidates: &[CString],
    argv: &mut Argv,
    envp: *const *const c_char,
) -> Result<i32> {
    // Not `Fd`: should the parent's 0, 1 or 2 be closed, these may get their numbers and must be closed all the same.
    let (verdict, mut report) = pipe_with(PipeFlags::CLOEXEC)?;
    // Must not sit on a number that a target is copied to.
    if report.as_raw_fd() < plan.count {
        report = rustix::io::fcntl_dupfd_cloexec(&report, plan.count)?;
    }
    // The child must not run the parent's handlers, which write into pipes that the two share.
    let blocked = AllBlocked::new();
    // SAFETY: the child does only what the head of this file allows, and never returns from `become_program`.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        become_program(command, plan, candidates, argv, envp, report.as_raw_fd());
    }
    let forked = if pid < 0 { Err(Errno::last()) } else { Ok(pid) };
    drop(blocked);
    drop(report);
    let pid = forked?;
    let mut error = [0; size_of::<c_int>()];
    // Ends without a byte when the exec closes the other end.
    loop {
        match rustix::io::read(&verdict, &mut error) {
            Ok(count) if count == error.len() => {
                reap(pid);
                return Err(Errno::from_raw(c_int::from_ne_bytes(error)));
            }
            Err(rustix::io::Errno::INTR) => {}
            _ => return Ok(pid),
        }
    }
}

/// The child's side of the fork: becomes the program or reports why not.
fn become_program(
    command: &Command,
    plan: &Plan,
    candidates: &[CString],
    argv: &mut Argv,
    envp: *const *const c_char,
    report: RawFd,
) -> ! {
    let mut error = set_up(command, plan);
    if error == 0 {
        error = first_that_starts(candidates, argv, |path, argv| {
            // SAFETY: null-terminated lists of null-terminated strings.
            unsafe { libc::execve(path.as_ptr(), argv, envp) };
            match errno() {
                // A file in the middle of PATH is no better than nothing there.
                libc::ENOTDIR if candidates.len() > 1 => libc::ENOENT,
                error => error,
            }
        });
    }
    // SAFETY: the bytes of a live local; then the process ends.
    unsafe {
        while libc::write(report, (&raw const error).cast(), size_of::<c_int>()) < 0 && errno() == libc::EINTR {}
        libc::_exit(127)
    }
}

/// Everything between fork and exec, in `uv__process_child_init`'s order. Returns an error number or 0.
fn set_up(command: &Command, plan: &Plan) -> c_int {
    // SAFETY: async-signal-safe calls on live data only.
    unsafe {
        // The kernel's own call: the C library refuses to reset the two signals it keeps for itself, which a parent may
        // have passed on ignored. The kernel's structure (handler, flags, restorer, mask) of zeroes is SIG_DFL.
        let default = [0u64; 8];
        for signum in 1..=64 {
            // Refused for SIGKILL and SIGSTOP, which are always at their defaults.
            libc::syscall(libc::SYS_rt_sigaction, signum, default.as_ptr(), std::ptr::null::<u64>(), size_of::<u64>());
        }
        if command.detached {
            libc::setsid();
        }
        if plan.steps.iter().any(|step| take(*step) < 0) {
            return errno();
        }
        if command.cwd.as_ref().is_some_and(|cwd| libc::chdir(cwd.as_ptr()) < 0) {
            return errno();
        }
        // The parent's extra groups must not outlive its user (CVE-2015-0278). As in libuv the answer is not looked at:
        // it fails for those who have no privilege to give up.
        libc::setgroups(0, std::ptr::null());
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

/// Carries one step out in the child; negative if it failed.
fn take(step: Step) -> c_int {
    // SAFETY: descriptors and a constant string only. Nothing else runs in this process.
    unsafe {
        match step {
            Step::Copy { from, to } if from == to => libc::fcntl(to, libc::F_SETFD, 0),
            Step::Copy { from, to } => libc::dup2(from, to),
            Step::Null { to } => {
                let null = libc::open(DEV_NULL.as_ptr(), null_mode(to));
                if null < 0 || null == to {
                    return null;
                }
                let copied = libc::dup2(null, to);
                libc::close(null);
                copied
            }
            Step::Close { number } => {
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

/// Waits for a child that is about to end and forgets it.
pub(super) fn reap(pid: i32) {
    // SAFETY: a null status is allowed.
    while unsafe { libc::waitpid(pid, std::ptr::null_mut(), 0) } < 0 && errno() == libc::EINTR {}
}

/// A process that ignores `SIGCHLD` (a setting that survives exec) has its children reaped by the kernel, and could
/// never learn how they ended. Looked at once, at the first spawn.
pub(super) fn keep_children() {
    static ONCE: Once = Once::new();
    // SAFETY: `sigaction` on live, initialised structures.
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

/// Sends a signal to a process, or with a `pid` of 0 or below to a group, as kill(2). Signal 0 only asks whether it
/// could; an unknown signal is `EINVAL`.
#[doc(alias = "uv_kill")]
pub fn kill(pid: i32, signum: i32) -> Result<()> {
    // SAFETY: no memory is involved.
    if unsafe { libc::kill(pid, signum) } == 0 { Ok(()) } else { Err(Errno::last()) }
}

/// Sends a signal to one's own child, never to a stranger who got its number later: that is `ESRCH`.
#[doc(alias = "uv_process_kill")]
pub fn kill_child(pidfd: &Fd, signum: i32) -> Result<()> {
    let no_info = std::ptr::null::<libc::siginfo_t>();
    // SAFETY: a null siginfo means the one kill(2) would send.
    let sent = unsafe { libc::syscall(libc::SYS_pidfd_send_signal, pidfd.as_raw_fd(), signum, no_info, 0) };
    if sent == 0 { Ok(()) } else { Err(Errno::last()) }
}
