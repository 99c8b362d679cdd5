//! A simulated [`Platform`] for tests: virtual time, and readiness from a script.
//!
//! Time advances by [`Sim::advance_ms`], and by a wait that finds nothing ready: such a wait jumps to its timeout or to
//! the next entry of the script. No thread blocks. Jobs of the pool run at the beginning of the next wait.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::os::fd::RawFd;
use std::rc::Rc;

use phasor_sys::{Errno, Result};

use super::{Platform, Readiness, Ready, Ring, WAKE};
use crate::pool::{Class, Job, JobQueue, Ticket};
use crate::sync::{Arc, AtomicBool, Ordering};

/// A simulated platform. Clones share their state: the loop owns one clone, and the test keeps the other.
#[derive(Clone)]
pub struct Sim(Rc<RefCell<World>>);

impl std::fmt::Debug for Sim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sim").field("now_ms", &self.now_ms()).finish_non_exhaustive()
    }
}

struct World {
    now_ns: u64,
    bell: Arc<Bell>,
    watched: BTreeMap<RawFd, Watched>,
    /// The readiness of every descriptor, watched or not, in the order in which it occurred.
    ready: Vec<(RawFd, Readiness)>,
    /// Future readiness, by time.
    script: BTreeMap<u64, Vec<(RawFd, Readiness)>>,
    /// Jobs that have not started.
    jobs: JobQueue,
}

struct Watched {
    token: u64,
    interest: Readiness,
}

struct Bell(AtomicBool);

impl Ring for Bell {
    fn ring(&self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl Default for Sim {
    fn default() -> Sim {
        Sim::new()
    }
}

impl Sim {
    /// Makes a platform at time 0 on which no descriptor is ready.
    pub fn new() -> Sim {
        Sim(Rc::new(RefCell::new(World {
            now_ns: 0,
            bell: Arc::new(Bell(AtomicBool::new(false))),
            watched: BTreeMap::new(),
            ready: Vec::new(),
            script: BTreeMap::new(),
            jobs: JobQueue::new(),
        })))
    }

    /// Advances the clock. The loop notices when it next reads it.
    pub fn advance_ms(&self, ms: u64) {
        let mut world = self.0.borrow_mut();
        world.now_ns = world.now_ns.saturating_add(ms.saturating_mul(1_000_000));
        world.follow_script();
    }

    /// The current time.
    pub fn now_ms(&self) -> u64 {
        self.0.borrow().now_ns / 1_000_000
    }

    /// Sets the readiness of a descriptor, from now on.
    pub fn set_ready(&self, fd: RawFd, readiness: Readiness) {
        self.0.borrow_mut().set_ready(fd, readiness);
    }

    /// Sets the readiness of a descriptor like [`Sim::set_ready`], at a later time.
    pub fn set_ready_at(&self, at_ms: u64, fd: RawFd, readiness: Readiness) {
        let mut world = self.0.borrow_mut();
        world.script.entry(at_ms.saturating_mul(1_000_000)).or_default().push((fd, readiness));
        world.follow_script();
    }

    /// The interest with which a descriptor is watched, if it is watched.
    pub fn interest(&self, fd: RawFd) -> Option<Readiness> {
        self.0.borrow().watched.get(&fd).map(|watched| watched.interest)
    }
}

impl World {
    fn set_ready(&mut self, fd: RawFd, readiness: Readiness) {
        self.ready.retain(|&(other, _)| other != fd);
        if !readiness.is_empty() {
            self.ready.push((fd, readiness));
        }
    }

    /// Applies the entries of the script that are due.
    fn follow_script(&mut self) {
        while let Some(entry) = self.script.first_entry().filter(|entry| *entry.key() <= self.now_ns) {
            for (fd, readiness) in entry.remove() {
                self.set_ready(fd, readiness);
            }
        }
    }

    fn collect(&self, ready: &mut Vec<Ready>) {
        if self.bell.0.swap(false, Ordering::SeqCst) {
            ready.push(Ready { token: WAKE, readiness: Readiness::READABLE });
        }
        for &(fd, readiness) in &self.ready {
            let Some(watched) = self.watched.get(&fd) else { continue };
            let reported = readiness & (watched.interest | Readiness::ERROR | Readiness::HANGUP);
            if !reported.is_empty() {
                ready.push(Ready { token: watched.token, readiness: reported });
            }
        }
    }
}

impl Platform for Sim {
    fn now_ns(&mut self) -> u64 {
        self.0.borrow().now_ns
    }

    /// `EDEADLK` for an endless wait that no event could end.
    fn wait(&mut self, timeout_ms: Option<u64>, ready: &mut Vec<Ready>) -> Result<()> {
        loop {
            // The state must not be borrowed while a job runs.
            let job = self.0.borrow_mut().jobs.pop(true);
            let Some((job, _)) = job else { break };
            job.run();
        }
        let mut world = self.0.borrow_mut();
        // A time beyond the range of the clock never comes: the wait is endless.
        let deadline = timeout_ms.and_then(|ms| world.now_ns.checked_add(ms.checked_mul(1_000_000)?));
        loop {
            world.collect(ready);
            if !ready.is_empty() {
                return Ok(());
            }
            let next = world.script.keys().next().copied();
            match (deadline, next) {
                (Some(end), None) => {
                    world.now_ns = end;
                    return Ok(());
                }
                (Some(end), Some(at)) if at > end => {
                    world.now_ns = end;
                    return Ok(());
                }
                (_, Some(at)) => world.now_ns = at,
                (None, None) => return Err(Errno::from_raw(EDEADLK)),
            }
            world.follow_script();
        }
    }

    /// Does nothing: the descriptors of the simulation are only numbers.
    fn set_nonblocking(&mut self, _fd: RawFd) -> Result<()> {
        Ok(())
    }

    fn watch(&mut self, fd: RawFd, token: u64, interest: Readiness) -> Result<()> {
        match self.0.borrow_mut().watched.insert(fd, Watched { token, interest }) {
            Some(_) => Err(Errno::EEXIST),
            None => Ok(()),
        }
    }

    fn rewatch(&mut self, fd: RawFd, token: u64, interest: Readiness) -> Result<()> {
        match self.0.borrow_mut().watched.get_mut(&fd) {
            Some(watched) => {
                *watched = Watched { token, interest };
                Ok(())
            }
            None => Err(Errno::ENOENT),
        }
    }

    fn unwatch(&mut self, fd: RawFd) {
        self.0.borrow_mut().watched.remove(&fd);
    }

    fn ring(&self) -> Arc<dyn Ring> {
        self.0.borrow().bell.clone()
    }

    fn submit(&mut self, job: Box<dyn Job>, class: Class) -> Ticket {
        let number = self.0.borrow_mut().jobs.push(job, class);
        Ticket { number, generation: 0 }
    }

    fn take_back(&mut self, ticket: Ticket) -> Option<Box<dyn Job>> {
        self.0.borrow_mut().jobs.take_back(ticket.number)
    }

    fn backend_fd(&self) -> Option<RawFd> {
        None
    }
}

/// Linux's number for a wait that could never end.
const EDEADLK: i32 = 35;
