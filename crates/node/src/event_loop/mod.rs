//! Native functions of `phasor:loop`: an observer of the core that records the phases of each loop iteration.

mod why;

use std::cell::RefCell;
use std::collections::VecDeque;

use phasor_core::{ObservedEvent, Observer, Phase, monotonic_ns};
use phasor_engine::{Fallible, Function, Local, Object, Scope, define_natives};
use phasor_js::{set_block_listener, state};

/// The number of phases to keep; older ones are dropped.
const MOST: usize = 4096;

thread_local! {
    /// The records of this thread's loop.
    static NOTES: RefCell<VecDeque<Note>> = const { RefCell::new(VecDeque::new()) };
}

/// The record of one phase.
#[derive(Clone, Copy)]
struct Note {
    phase: Phase,
    /// How many events the phase returned.
    events: u32,
    /// How long the loop blocked in it.
    waited_ns: u64,
}

/// The observer; contains when the loop began to poll.
#[derive(Default)]
struct Notes(Option<u64>);

impl Observer for Notes {
    fn phase_begin(&mut self, phase: Phase) {
        NOTES.with_borrow_mut(|notes| {
            if notes.len() == MOST {
                notes.pop_front();
            }
            notes.push_back(Note { phase, events: 0, waited_ns: 0 });
        });
    }

    fn callback_begin(&mut self, _callback: ObservedEvent) {
        last(|note| note.events += 1);
    }

    fn poll_begin(&mut self, _timeout_ms: Option<u64>) {
        self.0 = Some(monotonic_ns());
    }

    fn poll_end(&mut self, _ready: usize) {
        let waited_ns = self.0.take().map_or(0, |since_ns| monotonic_ns().saturating_sub(since_ns));
        last(|note| note.waited_ns += waited_ns);
    }
}

/// Applies `work` to the record of the current phase.
fn last(work: impl FnOnce(&mut Note)) {
    NOTES.with_borrow_mut(|notes| notes.back_mut().map(work));
}

/// Creates the object of native functions.
pub fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    let natives = Object::new(scope);
    define_natives!(scope, natives, "watch" => watch, "walked" => walked,
        // `(limits, callback)`: calls back after a block with `(ms, stack, native)`.
        "setBlockListener" => |scope: Scope<'_>, limits_ms: Vec<f64>, callback: Local<'_, Function>| {
            set_block_listener(scope, &limits_ms, callback)
        },
    );
    why::define(scope, natives)?;
    Ok(natives)
}

/// Starts or stops recording. Starting clears earlier records.
fn watch(scope: Scope<'_>, on: bool) {
    if on {
        NOTES.take();
    }
    state(scope).core().observe(on.then(|| Box::new(Notes::default()) as Box<dyn Observer>));
}

/// The records, oldest first.
fn walked<'s>(scope: Scope<'s>) -> Fallible<Vec<Local<'s, Object>>> {
    let notes: Vec<Note> = NOTES.with_borrow(|notes| notes.iter().copied().collect());
    let object = |note: Note| {
        let object = Object::new(scope);
        object.set(scope, "phase", note.phase.name())?;
        object.set(scope, "events", note.events)?;
        object.set(scope, "waitedMs", note.waited_ns as f64 / 1e6)?;
        Ok(object)
    };
    notes.into_iter().map(object).collect()
}
