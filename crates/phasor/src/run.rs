//! The loop: it asks the core for the next call, and makes it.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Duration;

use phasor_core::{
    Errno, Event, HandleId, HandleView, Metrics, Observer, Os, Platform, Reason, Remote, RequestId, Result, RunMode,
    Sim,
};

use crate::face::{Happening, Hook, Hooks, RustFace};
use crate::stream::Read;

/// How much is read at a time: what libuv's programs use, and what the largest datagram needs.
const BUFFER_BYTES: usize = 64 * 1024;

/// An event loop, which calls the closures of the handles that were opened on it.
///
/// It stays on the thread that made it: closures need not be [`Send`], and share state with [`Rc`](std::rc::Rc). What
/// other threads may do is send to an [`Async`](crate::Async) handle, [wake](Loop::remote) the loop, and do
/// [`work`](crate::work) for it.
///
/// ```compile_fail
/// let mut l = phasor::Loop::new().unwrap();
/// std::thread::spawn(move || l.run(phasor::RunMode::Default)); // make the loop on that thread instead
/// ```
///
/// # Panics in closures
/// A panic comes out of [`run`](Loop::run) and leaves the loop usable. The closure that panicked stays on its handle and
/// will be called again if the handle goes on; that of a request or of `close_then`, which is called once, is gone. The
/// next run takes up the turn where this one left it.
pub struct Loop {
    pub(crate) core: phasor_core::Loop<RustFace>,
    /// Whether a run is under way.
    running: bool,
    /// Where streams and datagrams are read into; empty until the first read, and while a closure looks at it.
    buffer: Vec<u8>,
}

impl std::fmt::Debug for Loop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Loop").field("now", &self.now()).field("alive", &self.is_alive()).finish_non_exhaustive()
    }
}

impl Loop {
    /// A loop on the operating system. `EMFILE` and its like if there are no descriptors left: a loop needs two.
    #[doc(alias = "uv_loop_init")]
    pub fn new() -> Result<Loop> {
        Ok(Loop::on(Os::new()?))
    }

    /// A loop in a simulated world, in which time passes only while the loop would sleep: a test of an hour of timers
    /// takes a moment, and always gives the same order. Keep a clone of the world to script it.
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

    /// A loop on a platform of one's own.
    pub fn on(platform: impl Platform + 'static) -> Loop {
        Loop { core: phasor_core::Loop::on(platform), running: false, buffer: Vec::new() }
    }

    /// Runs the loop and tells whether it is still alive after: in default mode it is only if it was
    /// [stopped](Loop::stop).
    ///
    /// `EBUSY` if a run is under way: a closure may do everything with its loop but run it. Another error means that
    /// the system could not wait for events; nothing is lost, but it is no use to run again.
    #[doc(alias = "uv_run")]
    pub fn run(&mut self, mode: RunMode) -> Result<bool> {
        if self.running {
            return Err(Errno::EBUSY);
        }
        let run = Run(self);
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

    /// Makes one call.
    #[inline]
    fn dispatch(&mut self, event: Event<RustFace>) {
        match event {
            Event::Timer(id) | Event::Idle(id) | Event::Prepare(id) | Event::Check(id) | Event::Async(id) => {
                self.call(id, &Happening::Turn);
            }
            Event::Ready(id, readiness) => self.call(id, &Happening::Ready(readiness)),
            Event::Readable(id) => self.readable(id),
            Event::Hangup(id) => self.call(id, &Happening::Read(Ok(Read::End))),
            // As in libuv, errors of accepting are not told: they are not the program's.
            Event::Connection(id, Ok(())) => self.call(id, &Happening::Connection),
            Event::Connection(_, Err(_)) => {}
            Event::Datagram(id) => self.datagram(id),
            Event::Exit(id, status) => self.call(id, &Happening::Exit(status)),
            Event::FsEvent(id, change) => self.call(id, &Happening::FsEvent(&change)),
            Event::FsPoll(id, change) => self.call(id, &Happening::FsPoll(&change)),
            Event::Signal(id, signum) => self.call(id, &Happening::Signal(signum)),
            Event::Done(finish, outcome) => finish(self, outcome),
            Event::Closed(hooks) => {
                // What the closure holds goes first: `after_close` may want to find it released. If letting go of it
                // panics, that comes out after the call, which nobody else would make any more.
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
    pub(crate) fn call(&mut self, id: HandleId, happening: &Happening<'_>) {
        let Some(hook) = self.core.face_mut(id).and_then(|hooks| hooks.hook.take()) else { return };
        let mut loan = Loan { l: self, id, hook: Some(hook) };
        if let Some(hook) = &mut loan.hook {
            hook(loan.l, id, happening);
        }
    }

    /// Lends the read buffer to `read`, which may call closures with what it has read.
    pub(crate) fn with_buffer(&mut self, read: impl FnOnce(&mut Loop, &mut [u8])) {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.resize(BUFFER_BYTES, 0);
        let mut loan = BufferLoan { l: self, buffer };
        read(loan.l, &mut loan.buffer);
    }

    /// Gives a handle its closure, instead of the one it had. Called after the core has agreed to start the handle.
    pub(crate) fn set_hook(&mut self, id: HandleId, hook: Hook) {
        if let Some(hooks) = self.core.face_mut(id) {
            // First, because letting go of the closure before may panic.
            hooks.given = true;
            hooks.hook = Some(hook);
        }
    }

    /// Makes the run that is under way end with its turn, without sleeping; or the next one at once, if none is.
    #[doc(alias = "uv_stop")]
    pub fn stop(&mut self) {
        self.core.stop();
    }

    /// Whether anything keeps the loop alive: an active handle with a reference, a request, a handle still closing.
    #[doc(alias = "uv_loop_alive")]
    pub fn is_alive(&self) -> bool {
        self.core.is_alive()
    }

    /// Everything that keeps the loop alive; nothing if it is not.
    pub fn why_alive(&self) -> Vec<Reason> {
        self.core.why_alive()
    }

    /// The loop's idea of the time, in whole milliseconds of a clock with an arbitrary start. It stands still during a
    /// call: timers started in one closure agree on it.
    #[doc(alias = "uv_now")]
    pub fn now(&self) -> Duration {
        Duration::from_millis(self.core.now_ms())
    }

    /// Looks at the clock, as a closure that took long may want to before it starts timers.
    #[doc(alias = "uv_update_time")]
    pub fn update_time(&mut self) {
        self.core.update_time();
    }

    /// All handles in the order they were opened, those being closed among them.
    #[doc(alias = "uv_walk")]
    pub fn handles(&self) -> Vec<HandleView> {
        self.core.handles()
    }

    /// Closes a handle of any kind. One that is closed, or about to be, stays so.
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
        // The two errors are the two that the sentence above allows.
        let _ = self.core.close(handle.into());
    }

    /// Closes a handle of any kind and calls `then` in the closing phase. `EALREADY` if it is being closed, `EBADF` if
    /// it is closed.
    #[doc(alias = "uv_close")]
    pub fn close_then(&mut self, handle: impl Into<HandleId>, then: impl FnOnce(&mut Loop) + 'static) -> Result<()> {
        let id = handle.into();
        self.core.close(id)?;
        if let Some(hooks) = self.core.face_mut(id) {
            hooks.after_close = Some(Box::new(then));
        }
        Ok(())
    }

    /// Cancels a request that no thread has begun: its closure is called with `ECANCELED`, soon.
    ///
    /// `EBUSY` if it is under way or done, `EBADF` if its closure was called.
    #[doc(alias = "uv_cancel")]
    pub fn cancel(&mut self, request: RequestId) -> Result<()> {
        self.core.cancel(request)
    }

    /// Wakes the loop from another thread or a signal handler; no closure is called for it.
    pub fn remote(&self) -> Remote {
        self.core.remote()
    }

    /// Sets the observer, which is told of every phase and every call, or takes it away; returns the one before.
    pub fn observe(&mut self, observer: Option<Box<dyn Observer>>) -> Option<Box<dyn Observer>> {
        self.core.observe(observer)
    }

    /// Starts or stops counting what costs a look at the clock: idle time, events waiting, time in each phase.
    #[doc(alias = "UV_METRICS_IDLE_TIME")]
    pub fn measure(&mut self, measuring: bool) {
        self.core.measure(measuring);
    }

    /// What was counted so far.
    #[doc(alias = "uv_metrics_info")]
    #[doc(alias = "uv_metrics_idle_time")]
    pub fn metrics(&self) -> Metrics {
        self.core.metrics()
    }

    /// The descriptor that becomes readable when a run without waiting would find something, for those who embed this
    /// loop in another. A simulated loop has none.
    #[doc(alias = "uv_backend_fd")]
    pub fn backend_fd(&self) -> Option<std::os::fd::RawFd> {
        self.core.backend_fd()
    }

    /// How long a wait for [`backend_fd`](Loop::backend_fd) may sleep; `None` for ever.
    #[doc(alias = "uv_backend_timeout")]
    pub fn backend_timeout(&self) -> Option<Duration> {
        self.core.backend_timeout_ms().map(Duration::from_millis)
    }

    /// A handle's hooks before it has any.
    pub(crate) fn bare() -> Hooks {
        Hooks::default()
    }
}

/// A run under way. Dropped when it ends, also by a panic.
struct Run<'a>(&'a mut Loop);

impl Drop for Run<'_> {
    fn drop(&mut self) {
        self.0.running = false;
    }
}

/// The read buffer while it is lent. Dropping gives it back, also in a panic.
struct BufferLoan<'a> {
    l: &'a mut Loop,
    buffer: Vec<u8>,
}

impl Drop for BufferLoan<'_> {
    fn drop(&mut self) {
        self.l.buffer = std::mem::take(&mut self.buffer);
    }
}

/// A closure that is away from its handle while it runs. Dropping puts it back, also in a panic.
struct Loan<'a> {
    l: &'a mut Loop,
    id: HandleId,
    hook: Option<Hook>,
}

impl Drop for Loan<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(hooks) = self.l.core.face_mut(self.id)
            && hooks.hook.is_none()
        {
            hooks.hook = self.hook.take();
        }
    }
}
