//! Idle, prepare and check handles: calls in every turn of the loop.

use phasor_core::Result;

use crate::Loop;
use crate::handle::handle;

macro_rules! watcher {
    ($(#[$doc:meta])* $Name:ident, $open:ident $start:ident $stop:ident, $uv_init:literal $uv_start:literal $uv_stop:literal) => {
        handle! { $(#[$doc])* $Name }

        impl $Name {
            /// Opens a handle of this kind, not started.
            #[doc(alias = $uv_init)]
            pub fn new(l: &mut Loop) -> $Name {
                $Name(l.core.$open(Loop::bare()))
            }

            /// Starts it: `call` is called in every turn. A started one keeps its place and gets this closure.
            #[doc(alias = $uv_start)]
            pub fn start(self, l: &mut Loop, mut call: impl FnMut(&mut Loop, $Name) + 'static) -> Result<()> {
                l.core.$start(self.0)?;
                l.set_hook(self.0, Box::new(move |l, id, _| call(l, $Name(id))));
                Ok(())
            }

            /// Stops it. One that is not started stays so.
            #[doc(alias = $uv_stop)]
            pub fn stop(self, l: &mut Loop) -> Result<()> {
                l.core.$stop(self.0)
            }
        }
    };
}

watcher! {
    /// Called in the idle phase of every turn. While one is active the loop does not sleep.
    ///
    /// The one started last is called first.
    #[doc(alias = "uv_idle_t")]
    Idle, idle_open idle_start idle_stop, "uv_idle_init" "uv_idle_start" "uv_idle_stop"
}

watcher! {
    /// Called in the prepare phase of every turn, just before the loop may sleep.
    ///
    /// The one started last is called first.
    #[doc(alias = "uv_prepare_t")]
    Prepare, prepare_open prepare_start prepare_stop, "uv_prepare_init" "uv_prepare_start" "uv_prepare_stop"
}

watcher! {
    /// Called in the check phase of every turn, just after the loop may have slept.
    ///
    /// The one started last is called first.
    #[doc(alias = "uv_check_t")]
    Check, check_open check_start check_stop, "uv_check_init" "uv_check_start" "uv_check_stop"
}
