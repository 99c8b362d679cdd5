//! Idle, prepare and check handles: three kinds from one definition (`src/unix/loop-watcher.c` does the same).

use phasor_sys::{Errno, Result};

use super::{Handle, HandleBody, HandleId};
use crate::face::Face;
use crate::list::{Chain, Links, List};
use crate::slab::{END, Slab};
use crate::state::Loop;

/// The started handles of one of the three kinds, and the position of its phase.
pub(crate) struct Watchers {
    pub(crate) started: List<Watching>,
    /// The next handle of the current phase; [`END`] outside of the phase.
    ///
    /// A handle that starts is added at the front, behind the cursor, so it waits for the next phase. One list thus
    /// gives the order of libuv, where `uv__run_idle` moves all handles to a second queue and appends each to the first
    /// before its callback.
    cursor: u32,
}

/// The list of started handles of one kind.
pub(crate) struct Watching;

impl<F: Face> Chain<Handle<F>> for Watching {
    fn links(handle: &Handle<F>) -> &Links {
        match &handle.body {
            HandleBody::Idle(links) | HandleBody::Prepare(links) | HandleBody::Check(links) => links,
            _ => unreachable!("only idle, prepare and check handles are in these lists"),
        }
    }

    fn links_mut(handle: &mut Handle<F>) -> &mut Links {
        match &mut handle.body {
            HandleBody::Idle(links) | HandleBody::Prepare(links) | HandleBody::Check(links) => links,
            _ => unreachable!("only idle, prepare and check handles are in these lists"),
        }
    }
}

impl Watchers {
    pub(crate) const fn new() -> Watchers {
        Watchers { started: List::new(), cursor: END }
    }

    fn stop<F: Face>(&mut self, handles: &mut Slab<Handle<F>>, index: u32) {
        if self.cursor == index {
            self.cursor = self.started.after(handles, index);
        }
        self.started.remove(handles, index);
    }

    /// Begins a phase.
    #[inline]
    pub(crate) fn begin(&mut self) {
        self.cursor = self.started.first();
    }

    /// The next handle of the current phase.
    #[inline]
    pub(crate) fn advance<F: Face>(&mut self, handles: &Slab<Handle<F>>) -> Option<HandleId> {
        if self.cursor == END {
            return None;
        }
        let index = self.cursor;
        self.cursor = self.started.after(handles, index);
        handles.at(index).map(|(key, _)| HandleId(key))
    }
}

macro_rules! watcher {
    ($Kind:ident in $phase:ident, $noun:literal, $open:ident $start:ident $stop:ident, $uv_init:literal $uv_start:literal $uv_stop:literal) => {
        impl<F: Face> Loop<F> {
            #[doc = concat!("Opens ", $noun, " handle.")]
            #[doc(alias = $uv_init)]
            pub fn $open(&mut self, face: F::Handle) -> HandleId {
                self.open(HandleBody::$Kind(Links::default()), face)
            }

            #[doc = concat!("Starts ", $noun, " handle: it has its turn in every turn of the loop.")]
            /// The handle started last runs first. Does nothing if the handle is started.
            #[doc(alias = $uv_start)]
            pub fn $start(&mut self, id: HandleId) -> Result<()> {
                let handle = self.handles.open_mut(id)?;
                let HandleBody::$Kind(_) = handle.body else { return Err(Errno::EBADF) };
                if !handle.active {
                    self.$phase.started.push_front(&mut self.handles.slab, id.0.index);
                    self.activate(id);
                }
                Ok(())
            }

            #[doc = concat!("Stops ", $noun, " handle. One that is not started stays so.")]
            #[doc(alias = $uv_stop)]
            pub fn $stop(&mut self, id: HandleId) -> Result<()> {
                let handle = self.handles.get_mut(id)?;
                let HandleBody::$Kind(_) = handle.body else { return Err(Errno::EBADF) };
                if handle.active {
                    self.$phase.stop(&mut self.handles.slab, id.0.index);
                    self.deactivate(id);
                }
                Ok(())
            }
        }
    };
}

watcher!(Idle in idle, "an idle", idle_open idle_start idle_stop, "uv_idle_init" "uv_idle_start" "uv_idle_stop");
watcher!(Prepare in prepare, "a prepare", prepare_open prepare_start prepare_stop, "uv_prepare_init" "uv_prepare_start" "uv_prepare_stop");
watcher!(Check in check, "a check", check_open check_start check_stop, "uv_check_init" "uv_check_start" "uv_check_stop");
