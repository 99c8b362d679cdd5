//! Signals: carried from the handler into a pipe that each event loop polls.
//!
//! A [`Receiver`] says which signals it wants; the handler writes one byte, the signal's number, into the pipe of each
//! receiver that wants it. What a loop then does with the numbers is not known here.
//!
//! # Ground rules
//! - The handler reads atomics and calls `write`; it takes no lock, allocates nothing and leaves `errno` alone.
//! - Everything else (counts, saved dispositions, the list of free nodes) is behind one mutex, which is only ever taken
//!   with all signals blocked on the thread, so no handler runs on top of a half-done change.
//! - A node is leaked and never freed, so the handler's walk needs no protection. It is reused by the next receiver:
//!   there are never more nodes than there were receivers at one time.
//! - A node's descriptor is closed only after its wish list was emptied and `in_flight` was then seen at zero. The
//!   handler raises `in_flight` first and looks at the wish list second, so it can never write into a recycled number.
//!
//! # Safety
//! `sigaction` and `pthread_sigmask` get pointers to live, initialised structures. The handler is async-signal-safe by
//! the rules above. Nodes are `&'static`.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::pipe::{PipeFlags, pipe_with};

use crate::{Errno, Fd, Result};

/// Linux numbers its signals from 1 to 64.
const SIGNAL_MAX: i32 = 64;

/// What the handler sees of a receiver.
struct Node {
    /// The signals that are wanted: bit `signum - 1`. Empty while the node is free.
    wanted: AtomicU64,
    /// Where the handler writes; only meaningful while `wanted` is not empty.
    write_fd: AtomicI32,
    /// How many handlers are between reading `wanted` and having written.
    in_flight: AtomicUsize,
    /// The node made before this one. Never changes once the node is published.
    next: *const Node,
}

// SAFETY: `next` points at a leaked node and is read only; the other fields are atomics.
unsafe impl Sync for Node {}

/// The newest node; all others hang on it.
static NODES: AtomicPtr<Node> = AtomicPtr::new(std::ptr::null_mut());

/// What the mutex guards.
struct Registry {
    /// Nodes without a receiver.
    free: Vec<&'static Node>,
    /// Who watches each signal, by `signum - 1`.
    signals: [Watched; SIGNAL_MAX as usize],
}

/// The watchers of one signal over all receivers.
#[derive(Clone, Copy)]
struct Watched {
    persistent: usize,
    oneshot: usize,
    /// The disposition from before the first watcher, while there is one.
    before: Option<libc::sigaction>,
}

static REGISTRY: Mutex<Registry> = Mutex::new(Registry {
    free: Vec::new(),
    signals: [Watched { persistent: 0, oneshot: 0, before: None }; SIGNAL_MAX as usize],
});

/// One loop's share of the process's signals.
///
/// The descriptor to poll for reading is its [`AsRawFd`]. Dropping it ends all its watches.
#[derive(Debug)]
pub struct Receiver {
    node: &'static Node,
    read_end: Fd,
    /// Kept for its drop; the handler uses the number in the node.
    write_end: Option<Fd>,
    /// The watches of this receiver, so that dropping can end them: a handful at most.
    watches: Vec<Watch>,
}

/// How often one receiver watches one signal.
#[derive(Debug)]
struct Watch {
    signum: i32,
    persistent: usize,
    oneshot: usize,
}

impl Receiver {
    /// A receiver that wants nothing yet. Both ends of its pipe are nonblocking and close-on-exec.
    pub fn new() -> Result<Receiver> {
        let (read_end, write_end) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        let write_end = Fd::from(write_end);
        let (_blocked, mut registry) = lock();
        let node = registry.free.pop().unwrap_or_else(publish_node);
        node.write_fd.store(write_end.as_raw_fd(), SeqCst);
        Ok(Receiver { node, read_end: read_end.into(), write_end: Some(write_end), watches: Vec::new() })
    }

    /// In a child of `fork`: a pipe of its own, so that the child's signals do not reach the parent. What was wanted is.
    pub fn renew(&mut self) -> Result<()> {
        let (read_end, write_end) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        let write_end = Fd::from(write_end);
        let (_blocked, _registry) = lock();
        self.node.write_fd.store(write_end.as_raw_fd(), SeqCst);
        // Handlers that were under way are the parent's, on threads that this process does not have.
        self.node.in_flight.store(0, SeqCst);
        self.read_end = read_end.into();
        self.write_end = Some(write_end);
        Ok(())
    }

    /// Starts to deliver `signum` here, or adds one to the count of those who want it.
    ///
    /// While every watcher in the process is one-shot, the kernel falls back to the default disposition after the first
    /// delivery (`SA_RESETHAND`), as with `uv_signal_start_oneshot`. A number that cannot be caught is `EINVAL`.
    #[doc(alias = "uv_signal_start")]
    #[doc(alias = "uv_signal_start_oneshot")]
    pub fn watch(&mut self, signum: i32, oneshot: bool) -> Result<()> {
        let bit = bit(signum)?;
        let (_blocked, mut registry) = lock();
        let watched = registry.signals.get_mut(signum as usize - 1).ok_or(Errno::EINVAL)?;
        // Wanted first, caught second: a signal in between must not be swallowed.
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

    /// Takes back one [`watch`](Receiver::watch) of the same two arguments; `EINVAL` if there is none. The last one in
    /// the process puts back the disposition from before the first (libuv loses it: libuv#2435).
    ///
    /// Numbers that were delivered before may still come out of [`read`](Receiver::read).
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
        // Only now: as long as the handler is in place somebody must want what it catches.
        if last_here {
            self.node.wanted.fetch_and(!bit, SeqCst);
        }
        Ok(())
    }

    /// Appends the numbers of the signals that arrived, oldest first, and says how many there were. When more arrive
    /// than the pipe holds (64 Ki unread) the rest is dropped, as in libuv.
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
        // A handler on another thread may have read `wanted` just before and be about to write. It makes one
        // nonblocking call and is gone.
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

impl Watched {
    fn add(&mut self, signum: i32, oneshot: bool) -> Result<()> {
        // A one-shot disposition may have fired and be gone, unknown to us, so one more one-shot installs it again.
        // As `uv__signal_start`: a persistent watcher takes RESETHAND away from those who came before.
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
                // SAFETY: `before` was filled in by `sigaction` for this signal. It cannot fail on what it gave out.
                unsafe { libc::sigaction(signum, &before, std::ptr::null_mut()) };
            }
        } else if !oneshot && self.persistent == 0 {
            // As `uv__signal_stop`: only one-shots are left, so the next delivery is the last one. It was installed
            // before for the same number, so it cannot fail.
            let _ = install(signum, true);
        }
    }
}

/// Takes back what a parent has done to this process's signals, as Node does at its start: those that it ignores are at
/// their defaults again and none is blocked, so that a program started in a script's background can be interrupted. A
/// write to a closed pipe and a file that grows too large are errors, and not the end of the process. The standard library
/// watches for overflows of the stack, and takes no notice of the first of these signals that somebody sends: no longer.
///
/// To be called once, before there is a thread or a [`Receiver`].
pub fn forget_parents_wishes() {
    // SAFETY: all zeroes is a valid `sigaction` and a valid, empty set; the pointers are to live locals. `SIG_DFL` and
    // `SIG_IGN` run no code.
    unsafe {
        for signum in 1..libc::SIGSYS + 1 {
            let mut now: libc::sigaction = std::mem::zeroed();
            // Fails for none but those of the C library.
            if libc::sigaction(signum, std::ptr::null(), &mut now) != 0 {
                continue;
            }
            let errors_instead = [libc::SIGPIPE, libc::SIGXFSZ].contains(&signum);
            let from = if errors_instead { libc::SIG_DFL } else { libc::SIG_IGN };
            let is_watched = [libc::SIGSEGV, libc::SIGBUS].contains(&signum);
            if now.sa_sigaction == from || is_watched {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = if errors_instead { libc::SIG_IGN } else { libc::SIG_DFL };
                libc::sigaction(signum, &action, std::ptr::null_mut());
            }
        }
        let none: libc::sigset_t = std::mem::zeroed();
        libc::pthread_sigmask(libc::SIG_SETMASK, &none, std::ptr::null_mut());
    }
}

/// Puts our handler in place and returns what was there.
fn install(signum: i32, oneshot: bool) -> Result<libc::sigaction> {
    let handler: extern "C" fn(libc::c_int) = deliver;
    // SAFETY: all zeroes is a valid `sigaction` (SIG_DFL, no flags, nothing blocked); the pointers are to live locals.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        let mut before: libc::sigaction = std::mem::zeroed();
        libc::sigfillset(&mut action.sa_mask);
        action.sa_sigaction = handler as libc::sighandler_t;
        action.sa_flags = libc::SA_RESTART | if oneshot { libc::SA_RESETHAND } else { 0 };
        if libc::sigaction(signum, &action, &mut before) != 0 {
            return Err(Errno::last());
        }
        Ok(before)
    }
}

/// The handler. See the ground rules.
extern "C" fn deliver(signum: libc::c_int) {
    let Ok(bit) = bit(signum) else { return };
    let byte = signum as u8;
    // SAFETY: the thread's own errno, which exists as long as the thread runs.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    let errno_before = unsafe { *errno };
    // SAFETY: null or a leaked node.
    let mut next = unsafe { NODES.load(SeqCst).cast_const().as_ref() };
    while let Some(node) = next {
        if node.wanted.load(SeqCst) & bit != 0 {
            node.in_flight.fetch_add(1, SeqCst);
            // Looked at again, now that a drop would wait for us.
            if node.wanted.load(SeqCst) & bit != 0 {
                let write_fd = node.write_fd.load(SeqCst);
                // SAFETY: one byte of a live local. The pipe is nonblocking; with its reader there is no SIGPIPE.
                unsafe { while libc::write(write_fd, (&raw const byte).cast(), 1) < 0 && *errno == libc::EINTR {} }
            }
            node.in_flight.fetch_sub(1, SeqCst);
        }
        // SAFETY: null or a leaked node.
        next = unsafe { node.next.as_ref() };
    }
    // SAFETY: as above.
    unsafe { *errno = errno_before };
}

/// Makes a node that every handler from now on sees. Only called with the registry locked.
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

/// The registry, with all signals blocked on this thread. Fields drop in order: the lock must go before the signals
/// come back, so the guard of the mask is bound first by every caller.
fn lock() -> (AllBlocked, MutexGuard<'static, Registry>) {
    let blocked = AllBlocked::new();
    (blocked, REGISTRY.lock().unwrap_or_else(PoisonError::into_inner))
}

/// While this lives, no signal is delivered to this thread; then its mask is as it was.
pub(crate) struct AllBlocked {
    before: libc::sigset_t,
    /// A mask belongs to a thread, and so does this.
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
        // SAFETY: the mask that `new` was given.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.before, std::ptr::null_mut()) };
    }
}

#[cfg(test)]
mod tests;
