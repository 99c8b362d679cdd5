//! When and where the handles and requests of a loop were made, kept while they live.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;

use phasor_core::{EventKind, HandleId, Kind, ObservedEvent, Observer, RequestId, RequestKind, monotonic_ns};

use crate::record::ResourceId;

/// When and where something was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// When, by the monotonic clock.
    pub at_ns: u64,
    /// The stack of the code that made it: a number of the front end; 0 for none.
    pub stack: u32,
}

impl Origin {
    /// For how long it exists.
    pub fn age_ms(self) -> f64 {
        monotonic_ns().saturating_sub(self.at_ns) as f64 / 1e6
    }
}

/// The origins of the handles and requests of one loop. Clones share them.
#[derive(Clone, Default)]
pub struct Origins(Rc<RefCell<Collected>>);

#[derive(Default)]
struct Collected {
    known: HashMap<ResourceId, Origin>,
    /// Those whose stack will be given next.
    unsettled: Vec<ResourceId>,
}

impl fmt::Debug for Origins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Origins")
    }
}

impl Origins {
    /// Where and when a resource was made, if it was made while the observer was set and still lives.
    pub fn of(&self, resource: ResourceId) -> Option<Origin> {
        self.0.borrow().known.get(&resource).copied()
    }

    /// The observer that collects them. It calls `wants_stack` for each, in the middle of a call of the loop; the front end captures the
    /// stack as soon as it can, and gives it to [`Origins::settle`].
    pub fn observer(&self, wants_stack: impl Fn() + 'static) -> Box<dyn Observer> {
        Box::new(OriginObserver { origins: self.clone(), wants_stack: Box::new(wants_stack) })
    }

    /// Whether [`Origins::settle`] has something to do.
    pub fn wants_stack(&self) -> bool {
        !self.0.borrow().unsettled.is_empty()
    }

    /// The stack of the code that made what was made since the last call: a number that the front end can turn into locations.
    pub fn settle(&self, stack: u32) {
        let Collected { known, unsettled } = &mut *self.0.borrow_mut();
        for resource in unsettled.drain(..) {
            if let Some(origin) = known.get_mut(&resource) {
                origin.stack = stack;
            }
        }
    }
}

/// Collects origins.
struct OriginObserver {
    origins: Origins,
    wants_stack: Box<dyn Fn()>,
}

impl OriginObserver {
    fn add(&self, resource: ResourceId) {
        let mut collected = self.origins.0.borrow_mut();
        collected.known.insert(resource, Origin { at_ns: monotonic_ns(), stack: 0 });
        collected.unsettled.push(resource);
        drop(collected);
        (self.wants_stack)();
    }

    fn remove(&self, resource: ResourceId) {
        self.origins.0.borrow_mut().known.remove(&resource);
    }
}

impl Observer for OriginObserver {
    fn handle_opened(&mut self, handle: HandleId, _kind: Kind) {
        self.add(ResourceId::handle(handle));
    }

    fn request_begun(&mut self, request: RequestId, _kind: RequestKind, _handle: Option<HandleId>) {
        self.add(ResourceId::request(request));
    }

    fn callback_begin(&mut self, callback: ObservedEvent) {
        // No stack was given: what was made until now was not made by code of the front end's language.
        self.origins.0.borrow_mut().unsettled.clear();
        match (callback.kind, callback.handle, callback.request) {
            (EventKind::Closed, Some(handle), _) => self.remove(ResourceId::handle(handle)),
            (EventKind::Done, _, Some(request)) => self.remove(ResourceId::request(request)),
            _ => {}
        }
    }
}
