//! Idle, prepare and check handles: a call in every turn of the loop.

use phasor_core::Result;

use crate::Loop;
use crate::handle::handle;

macro_rules! watcher {
    ($(#[$doc:meta])* $Name:ident, $open:ident $start:ident $stop:ident, $uv_init:literal $uv_start:literal $uv_stop:literal) => {
        handle! { $(#[$doc])* $Name }

        impl $Name {
            /// Opens a handle that is not started.
            #[doc(alias = $uv_init)]
            pub fn new(l: &mut Loop) -> $Name {
                $Name(l.core.$open(Loop::no_hooks()))
            }

            /// Starts the handle: `call` is called in every turn. If it is started already, it keeps its position and
            /// gets the new closure.
            #[doc(alias = $uv_start)]
            pub fn start(self, l: &mut Loop, mut call: impl FnMut(&mut Loop, $Name) + 'static) -> Result<()> {
                l.core.$start(self.0)?;
                l.set_hook(self.0, Box::new(move |l, id, _| call(l, $Name(id))));
                Ok(())
            }

            /// Stops the handle. Does nothing if it is not started.
            #[doc(alias = $uv_stop)]
            pub fn stop(self, l: &mut Loop) -> Result<()> {
                l.core.$stop(self.0)
            }
        }
    };
}

watcher! {
    /// Called in the idle phase of every turn. While an idle handle is active the loop does not sleep in poll.
    ///
    /// Handles are called in reverse order of starting.
    ///
    /// ```
    /// use phasor::{Idle, Loop, RunMode};
    ///
    /// let mut l = Loop::new()?;
    /// let mut turns = 0;
    /// Idle::new(&mut l).start(&mut l, move |l, idle| {
    ///     turns += 1;
    ///     if turns == 3 {
    ///         idle.close(l);
    ///     }
    /// })?;
    /// l.run(RunMode::Default)?;
    /// # Ok::<(), phasor::Errno>(())
    /// ```
    #[doc(alias = "uv_idle_t")]
    Idle, idle_open idle_start idle_stop, "uv_idle_init" "uv_idle_start" "uv_idle_stop"
}

watcher! {
    /// Called in the prepare phase of every turn, just before poll, where the loop may sleep.
    ///
    /// Handles are called in reverse order of starting.
    #[doc(alias = "uv_prepare_t")]
    Prepare, prepare_open prepare_start prepare_stop, "uv_prepare_init" "uv_prepare_start" "uv_prepare_stop"
}

watcher! {
    /// Called in the check phase of every turn, just after poll. Node's `setImmediate` runs in this phase.
    ///
    /// Handles are called in reverse order of starting.
    ///
    /// ```
    /// use phasor::{Check, Loop, Prepare, RunMode};
    ///
    /// let mut l = Loop::new()?;
    /// Prepare::new(&mut l).start(&mut l, |l, prepare| {
    ///     println!("before poll");
    ///     prepare.close(l);
    /// })?;
    /// Check::new(&mut l).start(&mut l, |l, check| {
    ///     println!("after poll");
    ///     check.close(l);
    /// })?;
    /// l.run(RunMode::Default)?;
    /// # Ok::<(), phasor::Errno>(())
    /// ```
    #[doc(alias = "uv_check_t")]
    Check, check_open check_start check_stop, "uv_check_init" "uv_check_start" "uv_check_stop"
}
