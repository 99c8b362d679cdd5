//! The way into a loop under many schedules: whatever is sent or left is seen, or the test hangs, which shuttle tells.

use phasor_sys::Errno;

use super::*;
use crate::event::Outcome;
use crate::requests::{RequestId, WorkFailure};
use crate::slab::Slab;
use crate::sync::{Condvar, thread};

const SCHEDULES: usize = 10_000;

struct Plain;

impl Face for Plain {
    type Handle = ();
    type Request = ();
    type Bytes = Vec<u8>;
}

/// Stands in for the eventfd and the wait of a loop.
struct Gate {
    rung: Mutex<bool>,
    opens: Condvar,
}

impl Gate {
    fn new() -> Arc<Gate> {
        Arc::new(Gate { rung: Mutex::new(false), opens: Condvar::new() })
    }

    fn wait(&self) {
        let mut rung = self.rung.lock().unwrap();
        while !*rung {
            rung = self.opens.wait(rung).unwrap();
        }
        *rung = false;
    }
}

impl Ring for Gate {
    fn ring(&self) {
        *self.rung.lock().unwrap() = true;
        self.opens.notify_one();
    }
}

fn completed(request: RequestId) -> Completed<Plain> {
    let outcome = Outcome::Work(Err(WorkFailure::NotBegun(Errno::ECANCELED)));
    Completed { request, outcome, started_ns: 0, finished_ns: 0 }
}

/// Marks of a pass, as `Asyncs::advance` takes them.
fn pass(board: &Board, mut seen: impl FnMut(usize)) {
    let mut from = 0;
    while let Some(place) = board.take_from(from) {
        seen(place);
        from = place + 1;
    }
}

/// What a sender wrote before its last send is there when the event of that send is handed out.
#[test]
fn every_send_after_the_last_event_leads_to_another() {
    shuttle::check_random(
        || {
            let gate = Gate::new();
            let bell = Arc::new(Bell::new(gate.clone()));
            let board = Arc::new(Board::new());
            // Two in one word and one in another, so that the summary is raced for as well.
            let places = [3, 5, 70];
            let written: Arc<[AtomicU64; 3]> = Arc::new(std::array::from_fn(|_| AtomicU64::new(0)));
            for (n, &place) in places.iter().enumerate() {
                let sender = AsyncSender { board: board.clone(), place, bell: bell.clone() };
                let written = written.clone();
                thread::spawn(move || {
                    for count in 1..=2 {
                        written[n].store(count, Ordering::SeqCst);
                        sender.send();
                    }
                });
            }
            let mut last = [0; 3];
            while last != [2; 3] {
                gate.wait();
                bell.lower();
                pass(&board, |place| {
                    let n = places.iter().position(|&other| other == place).unwrap();
                    last[n] = written[n].load(Ordering::SeqCst);
                });
            }
        },
        SCHEDULES,
    );
}

#[test]
fn every_result_that_is_left_is_collected_once() {
    shuttle::check_random(
        || {
            let gate = Gate::new();
            let mailbox = Arc::new(Mailbox::<Plain>::new(Arc::new(Bell::new(gate.clone()))));
            let mut ids = Slab::new();
            for _ in 0..3 {
                let ours: Vec<_> = (0..2).map(|_| RequestId(ids.insert(()))).collect();
                let mailbox = mailbox.clone();
                thread::spawn(move || ours.into_iter().for_each(|id| mailbox.leave(completed(id))));
            }
            let mut collected = Vec::new();
            while collected.len() < 6 {
                gate.wait();
                mailbox.bell.lower();
                let mut batch = Vec::new();
                mailbox.collect(&mut batch);
                collected.extend(batch.into_iter().map(|completed| completed.request));
            }
            collected.sort();
            collected.dedup();
            assert_eq!(collected.len(), 6);
        },
        SCHEDULES,
    );
}

#[test]
fn a_wake_is_never_lost() {
    shuttle::check_random(
        || {
            let gate = Gate::new();
            let bell = Arc::new(Bell::new(gate.clone()));
            let said = Arc::new(AtomicU64::new(0));
            for _ in 0..2 {
                let (remote, said) = (Remote(bell.clone()), said.clone());
                thread::spawn(move || {
                    said.fetch_add(1, Ordering::SeqCst);
                    remote.wake();
                });
            }
            while said.load(Ordering::SeqCst) < 2 {
                gate.wait();
                bell.lower();
            }
        },
        SCHEDULES,
    );
}
