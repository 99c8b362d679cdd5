//! Work of the engine that the loop has to run: tasks that settle promises (`Atomics.waitAsync`, WebAssembly), and the callbacks of
//! `FinalizationRegistry`.
//!
//! Both work as in Node, where they are tasks of V8's platform (`src/node_platform.cc`): an async handle wakes the
//! loop, neither keeps it alive, and what is left runs when the loop has ended (`src/api/embed_helpers.cc:
//! SpinEventLoopInternal`).

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use phasor_core::{AsyncSender, Event, HandleId};
use phasor_engine::{Fallible, Runtime, Scope};

use crate::dispatch::{Ended, Exiting};
use crate::face::{JsFace, OnEvent};
use crate::state::{State, state};

/// Attached to the async handle and to the timer.
struct EngineTasks {
    /// The timer of the tasks that are not due yet.
    timer: Cell<Option<HandleId>>,
}

impl OnEvent for EngineTasks {
    fn on_event(&self, scope: Scope<'_>, _id: HandleId, _event: Event<JsFace>) -> Fallible<()> {
        let host = state(scope);
        // Each task drains.
        host.skip_drain();
        let next = match host.run_engine_tasks(scope) {
            Ok(next) => next,
            // The loop finds the exit code.
            Err(Exiting) => return Ok(()),
        };
        if let (Some(due), Some(timer)) = (next, self.timer.get()) {
            let wait = due.saturating_duration_since(Instant::now()) + Duration::from_micros(999);
            let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
            let mut core = host.core();
            core.update_time();
            let _ = core.timer_start(timer, wait_ms, 0);
            let _ = core.set_ref(timer, false);
        }
        Ok(())
    }
}

impl State {
    /// Opens the handle through which the engine wakes the loop.
    pub(crate) fn link_engine_tasks(&self, runtime: &Runtime) {
        let tasks = Rc::new(EngineTasks { timer: Cell::new(None) });
        let mut core = self.core();
        let timer = core.timer_open(tasks.clone());
        tasks.timer.set(Some(timer));
        let (id, sender) = core.async_open(tasks);
        // Cannot fail: the handles were just opened.
        let _ = core.set_ref(id, false);
        let _ = core.set_ref(timer, false);
        drop(core);
        let sender: Arc<AsyncSender> = Arc::new(sender);
        let other = sender.clone();
        runtime.on_async_task(move || sender.send());
        runtime.on_registry_cleanup(move || other.send());
    }

    /// Runs the engine's tasks, and drains after each kind. Returns when the next task is due.
    pub(crate) fn run_engine_tasks(&self, scope: Scope<'_>) -> Result<Option<Instant>, Exiting> {
        let next = scope.nested(|scope| scope.run_async_tasks());
        self.drain(scope)?;
        loop {
            let cleaned = scope.nested(|scope| {
                let result = scope.clean_up_registry();
                let is_more = !matches!(result, Ok(false));
                self.settled(scope, result).map(|ended| (is_more, ended))
            })?;
            match cleaned {
                (false, _) => return Ok(next),
                (true, Ended::Completed) => self.drain(scope)?,
                (true, Ended::Threw) => {}
            }
        }
    }
}
