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
pub struct Origins(Rc<RefCell<HashMap<ResourceId, Origin>>>);

impl fmt::Debug for Origins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Origins")
    }
}

impl Origins {
    /// Where and when a resource was made, if it was made while the observer was set and still lives.
    pub fn of(&self, resource: ResourceId) -> Option<Origin> {
        self.0.borrow().get(&resource).copied()
    }

    /// The observer that collects them. `stack` returns the stack of the code that runs: a number that the front end can turn into locations.
    pub fn observer(&self, stack: impl Fn() -> u32 + 'static) -> Box<dyn Observer> {
        Box::new(OriginObserver { origins: self.clone(), stack: Box::new(stack) })
    }

    fn remove(&self, resource: ResourceId) {
        self.0.borrow_mut().remove(&resource);
    }
}

/// Collects origins.
struct OriginObserver {
    origins: Origins,
    stack: Box<dyn Fn() -> u32>,
}

impl OriginObserver {
    fn add(&self, resource: ResourceId) {
        let origin = Origin { at_ns: monotonic_ns(), stack: (self.stack)() };
        self.origins.0.borrow_mut().insert(resource, origin);
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
        match (callback.kind, callback.handle, callback.request) {
            (EventKind::Closed, Some(handle), _) => self.origins.remove(ResourceId::handle(handle)),
            (EventKind::Done, _, Some(request)) => self.origins.remove(ResourceId::request(request)),
            _ => {}
        }
    }
}
