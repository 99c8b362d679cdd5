//! Native resources that accompany a message: objects outside any engine, of which the message data has only an id.
//! While the message is queued, it alone owns them.

use std::any::Any;
use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

/// Releases a resource of a message that was dropped unread, on whatever thread drops it.
type Loss = Box<dyn FnOnce() + Send + Sync>;

thread_local! {
    /// The resources attached to the message that is being serialized.
    static WRITTEN: RefCell<Attachments> = RefCell::default();
}

/// Attaches a callback that runs if the message is dropped unread. For natives that return the data of a transferred
/// object while a message is serialized; a transferred object has one owner.
pub fn if_lost(loss: impl FnOnce() + Send + Sync + 'static) {
    WRITTEN.with_borrow_mut(|written| written.losses.push(Box::new(loss)));
}

/// Registers like [`if_lost`], for a cloned object: the resource lives as long as the message and all its copies, and
/// while one of them is deserialized.
pub fn keep_along(thing: Arc<impl Send + Sync + 'static>) {
    WRITTEN.with_borrow_mut(|written| written.kept.push(thing));
}

/// The resources of a message. Dropping this runs the callbacks of [`if_lost`].
#[derive(Default)]
pub(super) struct Attachments {
    losses: Vec<Loss>,
    kept: Vec<Arc<dyn Any + Send + Sync>>,
}

impl Attachments {
    /// Runs the serialization, and returns its result with the resources that were attached meanwhile.
    pub(super) fn of<T, E>(write: impl FnOnce() -> Result<T, E>) -> Result<(T, Attachments), E> {
        // Save the outer list: a getter of the message may serialize another message.
        let outer = WRITTEN.take();
        let result = write();
        let mut written = WRITTEN.replace(outer);
        if result.is_err() {
            // The serialization failed, so the sender keeps the objects on the transfer list.
            written.arrive();
        }
        result.map(|message| (message, written))
    }

    /// The message was deserialized: drop the callbacks without running them.
    pub(super) fn arrive(&mut self) {
        self.losses.clear();
    }
}

impl Drop for Attachments {
    fn drop(&mut self) {
        self.losses.drain(..).for_each(|loss| loss());
    }
}

impl Clone for Attachments {
    /// The callbacks stay with the original, because a transferred object has one owner.
    fn clone(&self) -> Attachments {
        Attachments { losses: Vec::new(), kept: self.kept.clone() }
    }
}

impl fmt::Debug for Attachments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to lose, {} kept", self.losses.len(), self.kept.len())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn loss_callbacks_run_once_and_only_for_dropped_messages() {
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
            Attachments::of(write).unwrap().1
        };
        drop(written().clone());
        assert_eq!(lost.load(Ordering::Relaxed), 1);
        written().arrive();
        assert_eq!(lost.load(Ordering::Relaxed), 1);
        let refused = Attachments::of(|| {
            pack();
            Err::<(), _>(())
        });
        assert!(refused.is_err());
        assert_eq!(lost.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn every_copy_keeps_attached_resources_alive() {
        let thing = Arc::new(());
        let write = || {
            keep_along(thing.clone());
            Ok::<_, ()>(())
        };
        let (_, first) = Attachments::of(write).unwrap();
        let mut second = first.clone();
        drop(first);
        second.arrive();
        assert_eq!(Arc::strong_count(&thing), 2);
        drop(second);
        let refused = Attachments::of(|| {
            keep_along(thing.clone());
            Err::<(), _>(())
        });
        assert!(refused.is_err());
        assert_eq!(Arc::strong_count(&thing), 1);
    }
}
