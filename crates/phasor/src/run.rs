//! The [`Loop`]: takes events from the core and calls the closures of handles and requests.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Duration;

use phasor_core::{
    Errno, Event, HandleId, HandleView, Metrics, Observer, Os, Platform, Reason, Remote, RequestId, Result, RunMode,
    Sim,
};

use phasor_lens::{LoopActivity, Origins, ResourceId, WhyEntry, WhyLoop};

use crate::face::{HandleEvent, Hook, Hooks, RustFace};
use crate::stream::Read;

/// The size of the read buffer: that of libuv's suggested allocations (`uv_alloc_cb`), and enough for the largest
/// datagram.
const BUFFER_BYTES: usize = 64 * 1024;

/// An event loop, which calls the closures of the handles that were opened on it.
///
/// It stays on the thread that created it, so closures need not be [`Send`] and can share state through
/// [`Rc`](std::rc::Rc). Other threads can send to an [`Async`](crate::Async) handle, [wake](Loop::remote) the loop, and
/// run [`work`](crate::work) for it.
///
/// ```compile_fail
/// let mut l = phasor::Loop::new().unwrap();
/// std::thread::spawn(move || l.run(phasor::RunMode::Default)); // make the loop on that thread instead
/// ```
///
/// # Panics in closures
/// A panic propagates out of [`run`](Loop::run) and leaves the loop usable. The closure that panicked stays on its
/// handle and is called again at the handle's next event; the closure of a request or of `close_then` is called only
/// once and is lost. The next run continues the turn at the event after the panic.
pub struct Loop {
    pub(crate) core: phasor_core::Loop<RustFace>,
    /// True while `run` is executing.
    running: bool,
    /// When handles and requests were made, if that is kept.
    origins: Option<Origins>,
    /// The read buffer for streams and datagrams. Empty until the first read, and while a closure borrows it.
    buffer: Vec<u8>,
}

impl std::fmt::Debug for Loop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Loop").field("now", &self.now()).field("alive", &self.is_alive()).finish_non_exhaustive()
    }
}

impl Loop {
    /// A loop on the operating system's clock and poller. It needs two descriptors: `EMFILE` or `ENFILE` if there are
    /// none.
    #[doc(alias = "uv_loop_init")]
    pub fn new() -> Result<Loop> {
        Ok(Loop::on(Os::new()?))
    }

    /// A loop on a simulated platform with virtual time: time advances only when the loop would sleep. A test of an
    /// hour of timers takes a moment, and its order is always the same. Keep a clone of `world` to control the
    /// simulation.
    ///
    /// ```
    /// use std::time::Duration;
    /// use phasor::{Loop, RunMode, Sim};
    ///
    /// let world = Sim::new();
    /// let mut l = Loop::simulated(world.clone());
    /// l.after(Duration::from_secs(3600), |_| println!("an hour later"));
    /// l.run(RunMode::Default)?;
    /// assert_eq!(world.now_ms(), 3_600_000);
    /// # Ok::<(), phasor::Errno>(())
    /// ```
    pub fn simulated(world: Sim) -> Loop {
        Loop::on(world)
    }

    /// A loop on a custom [`Platform`].
    pub fn on(platform: impl Platform + 'static) -> Loop {
        Loop { core: phasor_core::Loop::on(platform), running: false, origins: None, buffer: Vec::new() }
    }

    /// Runs the loop and returns whether it is still alive afterwards: in default mode only after [`stop`](Loop::stop).
    ///
    /// `EBUSY` if it is called from a closure of the same loop. Another error means that waiting for events failed; no
    /// event is lost, but another run would fail too.
    ///
    /// ```
    /// use std::time::Duration;
    /// use phasor::{Loop, RunMode};
    ///
    /// let mut l = Loop::new()?;
    /// l.after(Duration::ZERO, |_| println!("once"));
    /// assert_eq!(l.run(RunMode::Default), Ok(false));
    /// # Ok::<(), phasor::Errno>(())
    /// ```
    #[doc(alias = "uv_run")]
    pub fn run(&mut self, mode: RunMode) -> Result<bool> {
        if self.running {
            return Err(Errno::EBUSY);
        }
        let run = Running(self);
        run.0.running = true;
        while let Some(event) = run.0.core.next(mode) {
            run.0.dispatch(event);
        }
        drop(run);
        match self.core.fault() {
            Some(errno) => Err(errno),
            None => Ok(self.is_alive()),
        }
    }

    /// Makes the call for one event.
    #[inline]
    fn dispatch(&mut self, event: Event<RustFace>) {
        match event {
            Event::Timer(id) | Event::Idle(id) | Event::Prepare(id) | Event::Check(id) | Event::Async(id) => {
                self.call(id, &HandleEvent::Turn);
            }
            // Closures have no way to ask for it.
            Event::Attention => {}
            Event::Ready(id, readiness) => self.call(id, &HandleEvent::Ready(readiness)),
            Event::Readable(id) => self.readable(id),
            Event::Hangup(id) => self.call(id, &HandleEvent::Read(Ok(Read::End))),
            // As `src/unix/stream.c: uv__server_io` of libuv, which drops errors of accepting: they concern a client,
            // not the program.
            Event::Connection(id, Ok(())) => self.call(id, &HandleEvent::Connection),
            Event::Connection(_, Err(_)) => {}
            Event::Datagram(id) => self.datagram(id),
            Event::Exit(id, status) => self.call(id, &HandleEvent::Exit(status)),
            Event::FsEvent(id, change) => self.call(id, &HandleEvent::FsEvent(&change)),
            Event::FsPoll(id, change) => self.call(id, &HandleEvent::FsPoll(&change)),
            Event::Signal(id, signum) => self.call(id, &HandleEvent::Signal(signum)),
            Event::Done(completion, outcome) => completion(self, outcome),
            Event::Closed(hooks) => {
                // Drop the handle's closure before calling `after_close`, which may rely on its captured values being
                // released. If dropping panics, the panic continues after that call, which would otherwise be lost.
                let dropped = catch_unwind(AssertUnwindSafe(|| drop(hooks.hook)));
                if let Some(then) = hooks.after_close {
                    then(self);
                }
                if let Err(panic) = dropped {
                    resume_unwind(panic);
                }
            }
        }
    }

    /// Calls the closure of a handle, if it has one.
    #[inline]
    pub(crate) fn call(&mut self, id: HandleId, event: &HandleEvent<'_>) {
        let Some(hook) = self.core.face_mut(id).and_then(|hooks| hooks.hook.take()) else { return };
        let mut guard = ClosureGuard { l: self, id, hook: Some(hook) };
        if let Some(hook) = &mut guard.hook {
            hook(guard.l, id, event);
        }
    }

    /// Lends the read buffer to `read`, which may call closures with slices of it.
    pub(crate) fn with_buffer(&mut self, read: impl FnOnce(&mut Loop, &mut [u8])) {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.resize(BUFFER_BYTES, 0);
        let mut guard = BufferGuard { l: self, buffer };
        read(guard.l, &mut guard.buffer);
    }

    /// Sets a handle's closure, replacing the previous one. Called after the core has accepted the start of the handle.
    pub(crate) fn set_hook(&mut self, id: HandleId, hook: Hook) {
        if let Some(hooks) = self.core.face_mut(id) {
            // Set the flag first, because dropping the previous closure may panic.
            hooks.was_set = true;
            hooks.hook = Some(hook);
        }
    }

    /// Makes the current run return at the end of its turn, without sleeping. Outside a run, makes the next run return
    /// at once.
    #[doc(alias = "uv_stop")]
    pub fn stop(&mut self) {
        self.core.stop();
    }

    /// True if something keeps the loop alive: an active handle that is referenced, a request, or a closing handle.
    #[doc(alias = "uv_loop_alive")]
    pub fn is_alive(&self) -> bool {
        self.core.is_alive()
    }

    /// Everything that keeps the loop alive; empty if it is not alive.
    ///
    /// ```
    /// use std::time::Duration;
    /// use phasor::{Kind, Loop, Reason};
    ///
    /// let mut l = Loop::new()?;
    /// let timer = l.after(Duration::from_secs(1), |_| ());
    /// assert_eq!(l.why_alive(), [Reason::Handle(timer.id(), Kind::Timer)]);
    /// # Ok::<(), phasor::Errno>(())
    /// ```
    pub fn why_alive(&self) -> Vec<Reason> {
        self.core.why_alive()
    }

    /// A report of everything that keeps the loop alive, for people and for tools: addresses, paths, due times. An entry for each reason of
    /// [`Loop::why_alive`], in the same order.
    ///
    /// ```
    /// use std::time::Duration;
    /// use phasor::Loop;
    ///
    /// let mut l = Loop::new()?;
    /// let timer = l.after(Duration::from_secs(3), |_| ());
    /// let report = l.why_report();
    /// assert_eq!(report.entries[0].kind, "timer");
    /// assert_eq!(report.entries[0].deadline_ms, Some(3000.0));
    /// println!("{report}"); // One thing keeps the event loop of thread main alive. …
    /// timer.close(&mut l);
    /// # Ok::<(), phasor::Errno>(())
    /// ```
    pub fn why_report(&self) -> WhyLoop {
        let origins = self.origins.as_ref();
        let entry = |reason: Reason| {
            let resource = match reason {
                Reason::Handle(id, _) | Reason::Closing(id, _) | Reason::Pending(id, _) => ResourceId::handle(id),
                Reason::Request(id, _) => ResourceId::request(id),
                Reason::Counted(_) => ResourceId::NONE,
            };
            let age_ms = origins.and_then(|origins| origins.of(resource)).map(|origin| origin.age_ms());
            WhyEntry { age_ms, ..WhyEntry::of_reason(&self.core, reason) }
        };
        let activity = match self.running {
            true => LoopActivity::Callback { for_ms: None, location: None },
            false => LoopActivity::of_idle(&self.core),
        };
        let thread = std::thread::current().name().unwrap_or("without a name").to_owned();
        WhyLoop { thread, activity, entries: self.core.why_alive().into_iter().map(entry).collect() }
    }

    /// Keeps what [`Loop::why_report`] needs for the age of handles and requests, and for the paths and names of requests that run on the
    /// thread pool. Only what is made from now on has them.
    pub fn keep_details(&mut self) {
        if self.origins.is_none() {
            let origins = Origins::default();
            self.core.keep_task_details(true);
            self.core.add_observer(origins.observer(|| ()));
            self.origins = Some(origins);
        }
    }

    /// The loop's cached time, in whole milliseconds since an arbitrary start. It does not advance while a closure
    /// runs, so timers that one closure starts have the same base.
    #[doc(alias = "uv_now")]
    pub fn now(&self) -> Duration {
        Duration::from_millis(self.core.now_ms())
    }

    /// Updates the cached time from the clock. Call it in a closure that has run for long, before starting timers.
    #[doc(alias = "uv_update_time")]
    pub fn update_time(&mut self) {
        self.core.update_time();
    }

    /// All handles in the order in which they were opened, including those that are closing.
    #[doc(alias = "uv_walk")]
    pub fn handles(&self) -> Vec<HandleView> {
        self.core.handles()
    }

    /// Closes a handle of any type. Does nothing if it is closing or closed.
    ///
    /// ```
    /// # use phasor::{Idle, Loop, RunMode, Timer};
    /// # let mut l = Loop::new()?;
    /// # (Timer::new(&mut l), Idle::new(&mut l));
    /// for handle in l.handles() {
    ///     l.close(handle.id);
    /// }
    /// assert!(!l.run(RunMode::Default)?);
    /// # Ok::<(), phasor::Errno>(())
    /// ```
    #[doc(alias = "uv_close")]
    pub fn close(&mut self, handle: impl Into<HandleId>) {
        // The two errors, EALREADY and EBADF, are the cases in which this does nothing.
        let _ = self.core.close(handle.into());
    }

    /// Sets whether a handle keeps the loop alive while it is active: one that [`Loop::why_alive`] lists, for example. Does nothing if it is
    /// closed.
    #[doc(alias = "uv_ref")]
    #[doc(alias = "uv_unref")]
    pub fn set_ref(&mut self, handle: impl Into<HandleId>, keeps_alive: bool) {
        // A closed handle keeps nothing alive, so its error is ignored.
        let _ = self.core.set_ref(handle.into(), keeps_alive);
    }

    /// Closes a handle of any type and calls `then` in the closing phase. `EALREADY` if it is closing, `EBADF` if it is
    /// closed.
    #[doc(alias = "uv_close")]
    pub fn close_then(&mut self, handle: impl Into<HandleId>, then: impl FnOnce(&mut Loop) + 'static) -> Result<()> {
        let id = handle.into();
        self.core.close(id)?;
        if let Some(hooks) = self.core.face_mut(id) {
            hooks.after_close = Some(Box::new(then));
        }
        Ok(())
    }

    /// Cancels a request that no thread of the pool has started: its closure is called with `ECANCELED` in a later
    /// turn.
    ///
    /// `EBUSY` if it is running or done, `EBADF` if its closure was already called.
    ///
    /// ```
    /// use phasor::{Errno, Loop, work};
    ///
    /// let mut l = Loop::new()?;
    /// let request = work(&mut l, || 6 * 7, |_, product| assert!(matches!(product, Ok(42) | Err(Errno::ECANCELED))));
    /// match l.cancel(request) {
    ///     Ok(()) => println!("no thread will run it"),
    ///     Err(errno) => assert_eq!(errno, Errno::EBUSY),
    /// }
    /// l.run(phasor::RunMode::Default)?;
    /// # Ok::<(), phasor::Errno>(())
    /// ```
    #[doc(alias = "uv_cancel")]
    pub fn cancel(&mut self, request: RequestId) -> Result<()> {
        self.core.cancel(request)
    }

    /// A handle for other threads and signal handlers to wake the loop with. Waking calls no closure.
    pub fn remote(&self) -> Remote {
        self.core.remote()
    }

    /// Sets the observer, which is notified of every phase and event, or removes it with `None`. Returns the previous
    /// one.
    pub fn observe(&mut self, observer: Option<Box<dyn Observer>>) -> Option<Box<dyn Observer>> {
        self.core.observe(observer)
    }

    /// Enables or disables the metrics that need extra readings of the clock: idle time, waiting events, time in each
    /// phase.
    #[doc(alias = "UV_METRICS_IDLE_TIME")]
    pub fn measure(&mut self, measuring: bool) {
        self.core.measure(measuring);
    }

    /// The counters collected so far.
    #[doc(alias = "uv_metrics_info")]
    #[doc(alias = "uv_metrics_idle_time")]
    pub fn metrics(&self) -> Metrics {
        self.core.metrics()
    }

    /// A descriptor that becomes readable when [`RunMode::NoWait`](crate::RunMode::NoWait) would find an event, for
    /// embedding this loop in another. `None` for a simulated loop.
    #[doc(alias = "uv_backend_fd")]
    pub fn backend_fd(&self) -> Option<std::os::fd::RawFd> {
        self.core.backend_fd()
    }

    /// The longest time to wait for [`backend_fd`](Loop::backend_fd); `None` means no limit.
    #[doc(alias = "uv_backend_timeout")]
    pub fn backend_timeout(&self) -> Option<Duration> {
        self.core.backend_timeout_ms().map(Duration::from_millis)
    }

    /// The hooks of a new handle, which has no closure yet.
    pub(crate) fn no_hooks() -> Hooks {
        Hooks::default()
    }
}

/// Guard of a running loop. Resets the flag when the run ends, also by a panic.
struct Running<'a>(&'a mut Loop);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.running = false;
    }
}

/// Guard of the lent read buffer. Returns the buffer on drop, also in a panic.
struct BufferGuard<'a> {
    l: &'a mut Loop,
    buffer: Vec<u8>,
}

impl Drop for BufferGuard<'_> {
    fn drop(&mut self) {
        self.l.buffer = std::mem::take(&mut self.buffer);
    }
}

/// Guard of a closure that was taken out of its handle to be called. Puts it back on drop, also in a panic.
struct ClosureGuard<'a> {
    l: &'a mut Loop,
    id: HandleId,
    hook: Option<Hook>,
}

impl Drop for ClosureGuard<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(hooks) = self.l.core.face_mut(self.id)
            && hooks.hook.is_none()
        {
            hooks.hook = self.hook.take();
        }
    }
}
