//! What goes along with a message without being data: things that live outside of any engine, of which the message has but the
//! number. Nobody else may know of them while it is on its way.

use std::any::Any;
use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

/// Gives up something that nobody will take any more, on whatever thread the message is lost.
type Loss = Box<dyn FnOnce() + Send + Sync>;

thread_local! {
    /// What goes along with the message that is being written.
    static WRITTEN: RefCell<Along> = RefCell::default();
}

/// For natives that are asked for the data of an object while a message is written: what is to be done if it is written and then
/// lost. Only for what is transferred, of which there is one.
pub fn if_lost(loss: impl FnOnce() + Send + Sync + 'static) {
    WRITTEN.with_borrow_mut(|written| written.losses.push(Box::new(loss)));
}

/// As [`if_lost`], for what is cloned: it lives at least as long as the message and its copies, also while one is read.
pub fn keep_along(thing: Arc<impl Send + Sync + 'static>) {
    WRITTEN.with_borrow_mut(|written| written.kept.push(thing));
}

/// What goes along with a message. Dropped, it is lost.
#[derive(Default)]
pub(super) struct Along {
    losses: Vec<Loss>,
    kept: Vec<Arc<dyn Any + Send + Sync>>,
}

impl Along {
    /// Writes a message, and gives what goes along with it.
    pub(super) fn of<T, E>(write: impl FnOnce() -> Result<T, E>) -> Result<(T, Along), E> {
        // A getter of the message may clone something else meanwhile.
        let outer = WRITTEN.take();
        let result = write();
        let mut written = WRITTEN.replace(outer);
        if result.is_err() {
            // The sender still has what it would have transferred.
            written.arrive();
        }
        result.map(|message| (message, written))
    }

    /// The message has arrived: nothing can be lost any more.
    pub(super) fn arrive(&mut self) {
        self.losses.clear();
    }
}

impl Drop for Along {
    fn drop(&mut self) {
        self.losses.drain(..).for_each(|loss| loss());
    }
}

impl Clone for Along {
    /// What can be lost stays with the first, as there is one of each.
    fn clone(&self) -> Along {
        Along { losses: Vec::new(), kept: self.kept.clone() }
    }
}

impl fmt::Debug for Along {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to lose, {} kept", self.losses.len(), self.kept.len())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn what_is_lost_is_done_once_and_what_arrives_or_is_refused_is_not() {
        let lost = Arc::new(AtomicUsize::new(0));
        let pack = || {
            let lost = lost.clone();
            if_lost(move || {
                lost.fetch_add(1, Ordering::Relaxed);
            });
        };
        let written = || {
            let write = || {
                pack();
                Ok::<_, ()>(())
            };
            Along::of(write).unwrap().1
        };
        drop(written().clone());
        assert_eq!(lost.load(Ordering::Relaxed), 1);
        written().arrive();
        assert_eq!(lost.load(Ordering::Relaxed), 1);
        let refused = Along::of(|| {
            pack();
            Err::<(), _>(())
        });
        assert!(refused.is_err());
        assert_eq!(lost.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn what_is_kept_is_kept_by_every_copy_and_also_when_it_has_arrived() {
        let thing = Arc::new(());
        let write = || {
            keep_along(thing.clone());
            Ok::<_, ()>(())
        };
        let (_, first) = Along::of(write).unwrap();
        let mut second = first.clone();
        drop(first);
        second.arrive();
        assert_eq!(Arc::strong_count(&thing), 2);
        drop(second);
        let refused = Along::of(|| {
            keep_along(thing.clone());
            Err::<(), _>(())
        });
        assert!(refused.is_err());
        assert_eq!(Arc::strong_count(&thing), 1);
    }
}
