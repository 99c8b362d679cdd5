//! Signals: the signal handler writes signal numbers into a pipe per event loop, which the loop polls (self-pipe
//! trick).
//!
//! A [`Receiver`] has a set of wanted signals. The handler writes one byte, the signal number, into the pipe of each
//! receiver that wants it. Dispatching the numbers to signal handles is the job of `phasor-core`.
//!
//! # Ground rules
//! - The handler only reads and counts atomics and calls `write(2)`; it takes no lock, does not allocate and preserves
//!   `errno`.
//! - All other state (counts, saved dispositions, the free list) is behind one mutex. It is only locked while all
//!   signals are blocked on the thread, so the handler never interrupts a thread that holds it.
//! - A `Node` is leaked and never freed, so the handler can walk the list without protection. A node is reused by the
//!   next receiver, so there are never more nodes than receivers existed at one time.
//! - A node's pipe is closed only after its set of wanted signals was emptied and `in_flight` was then seen at zero.
//!   The handler increments `in_flight` first and checks the set after that, so it never writes to a recycled
//!   descriptor number.
//!
//! # Safety
//! `sigaction` and `pthread_sigmask` get pointers to live, initialized structs. The handler is async-signal-safe
//! (`signal-safety(7)`) by the rules above. Nodes are `&'static`.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::pipe::{PipeFlags, pipe_with};

use crate::{Errno, Fd, Result};

/// The highest signal number on Linux; the first is 1.
const SIGNAL_MAX: i32 = 64;

/// The part of a receiver that the handler reads.
struct Node {
    /// The set of wanted signals: bit `signum - 1`. Empty while the node is on the free list.
    wanted: AtomicU64,
    /// The write end of the pipe; only valid while `wanted` is not empty.
    write_fd: AtomicI32,
    /// The number of handlers that have incremented it and not yet finished writing.
    in_flight: AtomicUsize,
    /// The node created before this one. Constant once the node is published.
    next: *const Node,
}

// SAFETY: `next` points to a leaked node and is only read; the other fields are atomics.
unsafe impl Sync for Node {}

/// The most recent node, the head of the linked list.
static NODES: AtomicPtr<Node> = AtomicPtr::new(std::ptr::null_mut());

/// The state behind the mutex.
struct Registry {
    /// The free list: nodes without a receiver.
    free: Vec<&'static Node>,
    /// The watchers of each signal, indexed by `signum - 1`.
    signals: [SignalWatchers; SIGNAL_MAX as usize],
}

/// Counts of the watchers of one signal over all receivers.
#[derive(Clone, Copy)]
struct SignalWatchers {
    persistent: usize,
    oneshot: usize,
    /// The disposition to restore when the last watcher stops; `None` while there is no watcher.
    before: Option<libc::sigaction>,
}

static REGISTRY: Mutex<Registry> = Mutex::new(Registry {
    free: Vec::new(),
    signals: [SignalWatchers { persistent: 0, oneshot: 0, before: None }; SIGNAL_MAX as usize],
});

/// The end of the signal delivery that belongs to one event loop.
///
/// Poll its [`AsRawFd`] for reading. Dropping it ends all its watches.
#[derive(Debug)]
pub struct Receiver {
    node: &'static Node,
    read_end: Fd,
    /// Owned so that dropping closes it; the handler uses the number in the node.
    write_end: Option<Fd>,
    /// The watches of this receiver, ended on drop. A vector, since there are only a few.
    watches: Vec<Watch>,
}

/// The number of watches of one signal by one receiver.
#[derive(Debug)]
struct Watch {
    signum: i32,
    persistent: usize,
    oneshot: usize,
}

impl Receiver {
    /// A receiver that watches no signal. Both ends of its pipe are nonblocking and close-on-exec.
    pub fn new() -> Result<Receiver> {
        let (read_end, write_end) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        let write_end = Fd::from(write_end);
        let (_blocked, mut registry) = lock();
        let node = registry.free.pop().unwrap_or_else(publish_node);
        node.write_fd.store(write_end.as_raw_fd(), SeqCst);
        Ok(Receiver { node, read_end: read_end.into(), write_end: Some(write_end), watches: Vec::new() })
    }

    /// In a child of `fork`: replaces the pipe, so that the child's signals do not reach the parent. The watches stay.
    pub fn renew(&mut self) -> Result<()> {
        let (read_end, write_end) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        let write_end = Fd::from(write_end);
        let (_blocked, _registry) = lock();
        self.node.write_fd.store(write_end.as_raw_fd(), SeqCst);
        // Handlers that were running belong to the parent's threads, which this process does not have.
        self.node.in_flight.store(0, SeqCst);
        self.read_end = read_end.into();
        self.write_end = Some(write_end);
        Ok(())
    }

    /// Starts to deliver `signum` to this receiver, or increments the count of its watches.
    ///
    /// While every watcher in the process is one-shot, the kernel resets the disposition to the default at the first
    /// delivery (`SA_RESETHAND`), as with `uv_signal_start_oneshot`. `EINVAL` for a number that is not a signal or
    /// cannot be caught.
    #[doc(alias = "uv_signal_start")]
    #[doc(alias = "uv_signal_start_oneshot")]
    pub fn watch(&mut self, signum: i32, oneshot: bool) -> Result<()> {
        let bit = bit(signum)?;
        let (_blocked, mut registry) = lock();
        let watched = registry.signals.get_mut(signum as usize - 1).ok_or(Errno::EINVAL)?;
        // Set the bit before installing the handler: a signal that arrives in between must not be lost.
        let wanted_before = self.node.wanted.fetch_or(bit, SeqCst);
        if let Err(error) = watched.add(signum, oneshot) {
            self.node.wanted.store(wanted_before, SeqCst);
            return Err(error);
        }
        let at = match self.watches.iter().position(|watch| watch.signum == signum) {
            Some(at) => at,
            None => {
                self.watches.push(Watch { signum, persistent: 0, oneshot: 0 });
                self.watches.len() - 1
            }
        };
        let watch = &mut self.watches[at];
        *(if oneshot { &mut watch.oneshot } else { &mut watch.persistent }) += 1;
        Ok(())
    }

    /// Takes back one [`watch`](Receiver::watch) with the same arguments; `EINVAL` if there is none. When the last
    /// watch in the process ends, the disposition from before the first is restored (libuv resets it to `SIG_DFL`:
    /// libuv#2435).
    ///
    /// [`read`](Receiver::read) may still return numbers that were delivered before.
    #[doc(alias = "uv_signal_stop")]
    pub fn unwatch(&mut self, signum: i32, oneshot: bool) -> Result<()> {
        let bit = bit(signum)?;
        let at = self.watches.iter().position(|watch| watch.signum == signum).ok_or(Errno::EINVAL)?;
        let watch = &mut self.watches[at];
        let count = if oneshot { &mut watch.oneshot } else { &mut watch.persistent };
        *count = count.checked_sub(1).ok_or(Errno::EINVAL)?;
        let last_here = watch.persistent + watch.oneshot == 0;
        if last_here {
            self.watches.swap_remove(at);
        }
        let (_blocked, mut registry) = lock();
        if let Some(watched) = registry.signals.get_mut(signum as usize - 1) {
            watched.remove(signum, oneshot);
        }
        // Clear the bit after the handler is uninstalled: while the handler is installed, the signals it catches must
        // have a receiver.
        if last_here {
            self.node.wanted.fetch_and(!bit, SeqCst);
        }
        Ok(())
    }

    /// Appends the numbers of the signals that arrived, oldest first, and returns their count. Signals are dropped
    /// while the pipe is full (64 Ki unread signals), as in libuv.
    pub fn read(&self, numbers: &mut Vec<i32>) -> Result<usize> {
        let before = numbers.len();
        let mut bytes = [0; 512];
        loop {
            match rustix::io::read(&self.read_end, &mut bytes).map_err(Errno::from) {
                Ok(count) => {
                    numbers.extend(bytes.iter().take(count).map(|&byte| i32::from(byte)));
                    if count < bytes.len() {
                        return Ok(numbers.len() - before);
                    }
                }
                Err(Errno::EINTR) => {}
                Err(Errno::EAGAIN) => return Ok(numbers.len() - before),
                Err(error) => return Err(error),
            }
        }
    }
}

impl AsRawFd for Receiver {
    fn as_raw_fd(&self) -> RawFd {
        self.read_end.as_raw_fd()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        {
            let (_blocked, mut registry) = lock();
            for watch in self.watches.drain(..) {
                if let Some(watched) = registry.signals.get_mut(watch.signum as usize - 1) {
                    (0..watch.persistent).for_each(|_| watched.remove(watch.signum, false));
                    (0..watch.oneshot).for_each(|_| watched.remove(watch.signum, true));
                }
            }
            self.node.wanted.store(0, SeqCst);
        }
        // A handler on another thread may have checked `wanted` just before and be about to write. It makes one
        // nonblocking call, so spinning is short.
        while self.node.in_flight.load(SeqCst) != 0 {
            std::thread::yield_now();
        }
        self.write_end = None;
        let (_blocked, mut registry) = lock();
        registry.free.push(self.node);
    }
}

impl std::fmt::Debug for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Node({:#x})", self.wanted.load(SeqCst))
    }
}

impl SignalWatchers {
    fn add(&mut self, signum: i32, oneshot: bool) -> Result<()> {
        // A one-shot disposition may have fired and been reset by the kernel, so each new one-shot watch installs it
        // again. A persistent watcher removes `SA_RESETHAND` for the one-shot watchers too, as `src/unix/signal.c:
        // uv__signal_start`.
        if self.persistent == 0 {
            let before = install(signum, oneshot)?;
            self.before.get_or_insert(before);
        }
        *(if oneshot { &mut self.oneshot } else { &mut self.persistent }) += 1;
        Ok(())
    }

    fn remove(&mut self, signum: i32, oneshot: bool) {
        let count = if oneshot { &mut self.oneshot } else { &mut self.persistent };
        *count = count.saturating_sub(1);
        if self.persistent + self.oneshot == 0 {
            if let Some(before) = self.before.take() {
                // SAFETY: `before` was filled in by `sigaction` for this signal, so restoring it cannot fail.
                unsafe { libc::sigaction(signum, &before, std::ptr::null_mut()) };
            }
        } else if !oneshot && self.persistent == 0 {
            // Only one-shot watchers are left, so the handler is installed with `SA_RESETHAND` again, as
            // `src/unix/signal.c: uv__signal_stop`. It was installed before for the same number, so it cannot fail.
            let _ = install(signum, true);
        }
    }
}

/// Resets the signal dispositions and the signal mask inherited from the parent process, as `src/node.cc:
/// ResetSignalHandlers` of Node.
///
/// Ignored signals get their default disposition and no signal stays blocked, so that a program started in the
/// background of a shell script can be interrupted. `SIGPIPE` and `SIGXFSZ` are ignored, so that the failing call
/// returns an error instead of ending the process. The Rust standard library's stack overflow handlers on `SIGSEGV` and
/// `SIGBUS` are removed, because they swallow the first of these signals that another process sends.
///
/// Call it once, before any thread or [`Receiver`] exists.
pub fn reset_inherited() {
    // SAFETY: all zeros are a valid `sigaction` and a valid, empty set; the pointers are to live locals. `SIG_DFL` and
    // `SIG_IGN` run no code.
    unsafe {
        for signum in 1..libc::SIGSYS + 1 {
            let mut now: libc::sigaction = std::mem::zeroed();
            // Fails only for signals that the C library reserves.
            if libc::sigaction(signum, std::ptr::null(), &mut now) != 0 {
                continue;
            }
            let is_ignored = [libc::SIGPIPE, libc::SIGXFSZ].contains(&signum);
            let inherited = if is_ignored { libc::SIG_DFL } else { libc::SIG_IGN };
            let is_caught_by_std = [libc::SIGSEGV, libc::SIGBUS].contains(&signum);
            if now.sa_sigaction == inherited || is_caught_by_std {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = if is_ignored { libc::SIG_IGN } else { libc::SIG_DFL };
                libc::sigaction(signum, &action, std::ptr::null_mut());
            }
        }
        let none: libc::sigset_t = std::mem::zeroed();
        libc::pthread_sigmask(libc::SIG_SETMASK, &none, std::ptr::null_mut());
    }
}

/// The functions of [`call_on`], indexed by `signum - 1`.
static CALLS: [AtomicPtr<()>; SIGNAL_MAX as usize] =
    [const { AtomicPtr::new(std::ptr::null_mut()) }; SIGNAL_MAX as usize];

/// Calls a function in the handler of a signal, while no [`Receiver`] watches the signal. One system call. Interrupted
/// system calls are restarted.
///
/// # Safety
///
/// The function is async-signal-safe (`signal-safety(7)`): it takes no lock and does not allocate.
pub unsafe fn call_on(signum: i32, call: fn()) -> Result<()> {
    let place = CALLS.get(usize::try_from(signum - 1).unwrap_or(usize::MAX)).ok_or(Errno::EINVAL)?;
    place.store(call as *mut (), SeqCst);
    install_handler(signum, call_stored, libc::SA_RESTART).map(drop)
}

/// Whether a signal has a handler, or is ignored.
pub fn is_handled(signum: i32) -> bool {
    // SAFETY: all zeros are a valid `sigaction`; the pointer is to a live local.
    unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signum, std::ptr::null(), &mut now) == 0 && now.sa_sigaction != libc::SIG_DFL
    }
}

/// Ends the process by a signal, as if nothing had caught it. Returns only for a signal that does not end a process.
pub fn end_process(signum: i32) {
    // SAFETY: all zeros are a valid `sigaction` (SIG_DFL) and a valid set; the pointers are to live locals.
    unsafe {
        let action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signum, &action, std::ptr::null_mut());
        let none: libc::sigset_t = std::mem::zeroed();
        libc::pthread_sigmask(libc::SIG_SETMASK, &none, std::ptr::null_mut());
        libc::raise(signum);
    }
}

/// Ignores a signal, unless a [`Receiver`] watches it. Programs that this process starts inherit that.
pub fn ignore(signum: i32) {
    // SAFETY: all zeros are a valid `sigaction`; `SIG_IGN` runs no code.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = libc::SIG_IGN;
        libc::sigaction(signum, &action, std::ptr::null_mut());
    }
}

/// The signal handler of [`call_on`].
extern "C" fn call_stored(signum: libc::c_int) {
    let Some(place) = CALLS.get(signum as usize - 1) else { return };
    // SAFETY: null, or a function that `call_on` stored before it installed this handler.
    let call = unsafe { std::mem::transmute::<*mut (), Option<fn()>>(place.load(SeqCst)) };
    // SAFETY: the thread's `errno`, which exists as long as the thread runs.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: the thread's `errno`, which exists as long as the thread runs.
    let errno_before = unsafe { *errno };
    if let Some(call) = call {
        call();
    }
    // SAFETY: the thread's `errno`, which exists as long as the thread runs.
    unsafe { *errno = errno_before };
}

/// Installs our handler and returns the previous disposition.
fn install(signum: i32, oneshot: bool) -> Result<libc::sigaction> {
    install_handler(signum, deliver, libc::SA_RESTART | if oneshot { libc::SA_RESETHAND } else { 0 })
}

/// Installs a handler, which runs with all signals blocked, and returns the previous disposition.
fn install_handler(signum: i32, handler: extern "C" fn(libc::c_int), flags: libc::c_int) -> Result<libc::sigaction> {
    // SAFETY: all zeros are a valid `sigaction` (SIG_DFL, no flags, empty mask); the pointers are to live locals.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        let mut before: libc::sigaction = std::mem::zeroed();
        libc::sigfillset(&mut action.sa_mask);
        action.sa_sigaction = handler as libc::sighandler_t;
        action.sa_flags = flags;
        if libc::sigaction(signum, &action, &mut before) != 0 {
            return Err(Errno::last());
        }
        Ok(before)
    }
}

/// The signal handler. See the ground rules.
extern "C" fn deliver(signum: libc::c_int) {
    let Ok(bit) = bit(signum) else { return };
    let byte = signum as u8;
    // SAFETY: the thread's `errno`, which exists as long as the thread runs.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: the thread's `errno`, which exists as long as the thread runs.
    let errno_before = unsafe { *errno };
    // SAFETY: null or a leaked node.
    let mut next = unsafe { NODES.load(SeqCst).cast_const().as_ref() };
    while let Some(node) = next {
        if node.wanted.load(SeqCst) & bit != 0 {
            node.in_flight.fetch_add(1, SeqCst);
            // Checked again: since the increment, a concurrent drop waits for this handler.
            if node.wanted.load(SeqCst) & bit != 0 {
                let write_fd = node.write_fd.load(SeqCst);
                // SAFETY: one byte of a live local. The pipe is nonblocking, and its read end is open, so there is no
                // SIGPIPE.
                unsafe { while libc::write(write_fd, (&raw const byte).cast(), 1) < 0 && *errno == libc::EINTR {} }
            }
            node.in_flight.fetch_sub(1, SeqCst);
        }
        // SAFETY: null or a leaked node.
        next = unsafe { node.next.as_ref() };
    }
    // SAFETY: the thread's `errno`, which exists as long as the thread runs.
    unsafe { *errno = errno_before };
}

/// Creates a node and publishes it to the handler. Only called with the registry locked.
fn publish_node() -> &'static Node {
    let node: &'static Node = Box::leak(Box::new(Node {
        wanted: AtomicU64::new(0),
        write_fd: AtomicI32::new(-1),
        in_flight: AtomicUsize::new(0),
        next: NODES.load(SeqCst),
    }));
    NODES.store(std::ptr::from_ref(node).cast_mut(), SeqCst);
    node
}

fn bit(signum: i32) -> Result<u64> {
    if (1..=SIGNAL_MAX).contains(&signum) { Ok(1 << (signum - 1)) } else { Err(Errno::EINVAL) }
}

/// Locks the registry, with all signals blocked on this thread. Callers bind the mask guard before the lock guard:
/// locals drop in reverse order, and the lock must be released before signals are delivered again.
fn lock() -> (AllBlocked, MutexGuard<'static, Registry>) {
    let blocked = AllBlocked::new();
    (blocked, REGISTRY.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Runs `work` with all signals blocked on this thread. A thread that it starts never gets one: the handlers of a program
/// run on the program's threads.
pub fn with_all_blocked<R>(work: impl FnOnce() -> R) -> R {
    let _blocked = AllBlocked::new();
    work()
}

/// Blocks all signals on this thread while it lives; dropping it restores the signal mask.
pub(crate) struct AllBlocked {
    before: libc::sigset_t,
    /// The signal mask belongs to the thread, so the value must stay on it.
    _not_send: std::marker::PhantomData<*const ()>,
}

impl AllBlocked {
    pub(crate) fn new() -> AllBlocked {
        let mut all = MaybeUninit::uninit();
        let mut before = MaybeUninit::uninit();
        // SAFETY: `sigfillset` fills `all`; `pthread_sigmask` fills `before` and cannot fail with a valid `how`.
        unsafe {
            libc::sigfillset(all.as_mut_ptr());
            libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
            AllBlocked { before: before.assume_init(), _not_send: std::marker::PhantomData }
        }
    }
}

impl Drop for AllBlocked {
    fn drop(&mut self) {
        // SAFETY: the mask that `new` saved.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.before, std::ptr::null_mut()) };
    }
}

#[cfg(test)]
mod tests;
