//! The Phasor side of the benchmarks, on the core without a front end's overhead.
//!
//! The front end here is minimal: a function pointer for each handle and request, as in C.

mod pool;
mod spawn;
mod tcp;
mod timers;
mod turns;
mod udp;

use std::io::{IoSlice, IoSliceMut};

use phasor_core::{Buffers, Errno, Event, Face, HandleId, Loop, Outcome, RunMode};

pub(crate) use self::pool::{fs_stat, fs_stat_sync, queue_work};
pub(crate) use self::spawn::spawn;
pub(crate) use self::tcp::{idle_tcp_memory, ping_pongs, tcp_pump, tcp_write_batch};
pub(crate) use self::timers::{million_timers, timers_restart};
pub(crate) use self::turns::{async_pummel, loop_count, million_async};
pub(crate) use self::udp::udp_pummel;

/// A front end whose callbacks share a state `S`.
pub(crate) struct FnFrontEnd<S>(std::marker::PhantomData<S>);

/// The callback of a handle.
pub(crate) type Call<S> = fn(&mut Loop<FnFrontEnd<S>>, &mut S, HandleId, &Event<FnFrontEnd<S>>);

/// The callback of a finished request, with the number that was stored with it.
pub(crate) type Finish<S> = fn(&mut Loop<FnFrontEnd<S>>, &mut S, usize, Outcome<FnFrontEnd<S>>);

impl<S: 'static> Face for FnFrontEnd<S> {
    type Handle = Call<S>;
    type Request = (Finish<S>, usize);
    type Bytes = Pieces;
}

/// Static buffers, like those of the C side.
#[derive(Clone, Copy)]
pub(crate) struct Pieces(pub(crate) &'static [&'static [u8]]);

impl Buffers for Pieces {
    fn len(&self) -> usize {
        self.0.iter().map(|piece| piece.len()).sum()
    }

    fn pieces<'a>(&'a self, mut skip: usize, take: &mut dyn FnMut(IoSlice<'a>) -> bool) {
        for piece in self.0 {
            if skip >= piece.len() {
                skip -= piece.len();
                continue;
            }
            if !take(IoSlice::new(&piece[skip..])) {
                return;
            }
            skip = 0;
        }
    }

    fn pieces_mut<'a>(&'a mut self, _take: &mut dyn FnMut(IoSliceMut<'a>) -> bool) {
        unreachable!("nothing here reads from files");
    }
}

/// Runs the loop until it ends. Returns how many handles were closed.
pub(crate) fn run<S: 'static>(core: &mut Loop<FnFrontEnd<S>>, state: &mut S, mode: RunMode) -> u64 {
    let mut closed = 0;
    while let Some(event) = core.next(mode) {
        match event {
            Event::Done((finish, at), outcome) => finish(core, state, at, outcome),
            Event::Closed(_) => closed += 1,
            other => {
                let id = other.handle().expect("every other event has a handle");
                let call = *core.face(id).expect("the handle lives");
                call(core, state, id, &other);
            }
        }
    }
    closed
}

/// Panics on an error: a benchmark that fails has no result.
pub(crate) fn unwrap<T>(result: Result<T, impl Into<Errno>>) -> T {
    result.unwrap_or_else(|errno| panic!("{}", errno.into()))
}

/// A loop on the operating system's clock and poller.
pub(crate) fn new_loop<S: 'static>() -> Loop<FnFrontEnd<S>> {
    unwrap(Loop::new())
}
