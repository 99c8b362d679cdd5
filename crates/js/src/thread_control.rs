//! Control of a JavaScript thread from other threads: terminate it, and read how long its loop was idle.
//!
//! # Ground rules
//! Whoever asks sets the flag first and wakes the thread then; the thread says where it sleeps first and looks at the flag
//! then. So one of the two always sees the other, wherever the thread is: in JavaScript (the engine looks at the flag now
//! and then), in the poll phase (the async handle), or in `Atomics.wait` (its condition).

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use phasor_core::{AsyncSender, Event, HandleId, Remote};
use rquickjs::{Ctx, Result};

use crate::atomics;
use crate::face::{JsFace, OnEvent};
use crate::state::State;

const GOES_ON: u8 = 0;
const TERMINATED: u8 = 1;
const OUT_OF_MEMORY: u8 = 2;

/// How long a thread may go without noticing that it is to end before it is given no more memory. The engine looks at the
/// flag once in ten thousand jumps: a loop around something slow may take minutes for that many.
const DEAF_NS: u64 = 50_000_000;

/// Why a thread is to end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopReason {
    /// Somebody wants it to.
    Terminated,
    /// It has taken more memory than it may.
    OutOfMemory,
}

/// The part of a JavaScript thread that all threads see. See [`Options::outside`](crate::Options::outside).
#[derive(Debug, Default)]
pub struct ThreadControl {
    asked: AtomicU8,
    links: Mutex<Links>,
    /// When the loop began to turn, by the monotonic clock; 0 before.
    loop_start_ns: AtomicU64,
    /// Since when the thread is asked to end and has not noticed, by the monotonic clock; 0 if neither.
    unheard_since_ns: AtomicU64,
}

#[derive(Debug, Default)]
struct Links {
    /// Wakes the loop for its end.
    end: Option<AsyncSender>,
    /// Tells how long the loop has slept.
    remote: Option<Remote>,
}

impl ThreadControl {
    /// Asks the thread to end. It runs no more JavaScript than it takes to notice.
    pub fn end(&self, why: StopReason) {
        let asked = if why == StopReason::Terminated { TERMINATED } else { OUT_OF_MEMORY };
        self.unheard_since_ns.store(phasor_sys::clock::monotonic_ns(), Ordering::Relaxed);
        // The first reason stays.
        let _ = self.asked.compare_exchange(GOES_ON, asked, Ordering::SeqCst, Ordering::SeqCst);
        if let Some(end) = &self.links().end {
            end.send();
        }
        atomics::wake_all_asked();
    }

    /// For the thread's own allocator, which may not lock: the engine looks at the flag soon.
    pub(crate) fn out_of_memory(&self) {
        let _ = self.asked.compare_exchange(GOES_ON, OUT_OF_MEMORY, Ordering::SeqCst, Ordering::SeqCst);
    }

    /// For the thread's own allocator: whether the thread is to end and has run on for too long since. It gets out by an
    /// exception, then: the only other place where the engine stops to ask.
    #[inline]
    pub(crate) fn is_deaf(&self) -> bool {
        match self.unheard_since_ns.load(Ordering::Relaxed) {
            0 => false,
            since => phasor_sys::clock::monotonic_ns().saturating_sub(since) > DEAF_NS,
        }
    }

    /// The engine has looked, or the thread is back in the host: the way out needs memory.
    pub(crate) fn hear(&self) -> bool {
        let is_asked = self.ending().is_some();
        if is_asked {
            self.unheard_since_ns.store(0, Ordering::Relaxed);
        }
        is_asked
    }

    /// Why the thread is to end, if it is.
    pub fn ending(&self) -> Option<StopReason> {
        match self.asked.load(Ordering::SeqCst) {
            GOES_ON => None,
            TERMINATED => Some(StopReason::Terminated),
            _ => Some(StopReason::OutOfMemory),
        }
    }

    /// How long the loop has slept, and how long it has been turning, in nanoseconds; nothing if it is not there yet, or
    /// no more.
    pub fn loop_times_ns(&self) -> Option<(u64, u64)> {
        let start = self.loop_start_ns.load(Ordering::Acquire);
        let idle = self.links().remote.as_ref()?.idle_ns();
        (start > 0).then(|| (idle, phasor_sys::clock::monotonic_ns().saturating_sub(start)))
    }

    pub(crate) fn loop_starts(&self) {
        let now = phasor_sys::clock::monotonic_ns();
        let _ = self.loop_start_ns.compare_exchange(0, now, Ordering::AcqRel, Ordering::Relaxed);
    }

    fn links(&self) -> MutexGuard<'_, Links> {
        self.links.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The loop is gone.
    pub(crate) fn unlink(&self) {
        *self.links() = Links::default();
    }
}

/// Hung on the handle that wakes a loop for its end.
struct EndHandle;

impl OnEvent for EndHandle {
    fn on_event(&self, ctx: &Ctx<'_>, _id: HandleId, _event: Event<JsFace>) -> Result<()> {
        // It may have come for nothing: the flag says.
        let host = crate::state::state(ctx);
        host.poll_control();
        Ok(())
    }
}

impl State {
    /// Opens the handle by which others end this thread, and lets them see the loop.
    pub(crate) fn link_outside(&self) {
        let Some(outside) = &self.options.outside else { return };
        let mut core = self.core();
        let (id, sender) = core.async_open(std::rc::Rc::new(EndHandle));
        // It was opened just now.
        let _ = core.set_ref(id, false);
        let remote = core.remote();
        drop(core);
        if outside.ending().is_some() {
            sender.send();
        }
        *outside.links() = Links { end: Some(sender), remote: Some(remote) };
        // Asked between the look and the link: nobody could send then.
        if let (Some(_), Some(end)) = (outside.ending(), &outside.links().end) {
            end.send();
        }
    }

    /// For a verb that takes its time: nothing, or an error that cannot be caught if this thread is to end.
    pub fn go_on(&self) -> Result<()> {
        if self.poll_control() {
            self.throw_uncatchable();
            return Err(rquickjs::Error::Exception);
        }
        Ok(())
    }

    /// Whether another thread wants this one to end; then it is being left from now on.
    pub(crate) fn poll_control(&self) -> bool {
        let asked = self.options.outside.as_ref().is_some_and(|outside| outside.hear());
        if asked && self.leaving.get().is_none() {
            self.leaving.set(Some(1));
        }
        asked
    }
}
