//! What is to be done if a message never arrives: things that live outside of any engine, like a descriptor, go with a message by
//! their number, and nobody else knows of them then.

use std::cell::RefCell;
use std::fmt;

/// Gives up something that nobody will take any more, on whatever thread the message is lost.
type Loss = Box<dyn FnOnce() + Send + Sync>;

thread_local! {
    /// Those of the message that is being written, and whether each is to be done as well if that is refused.
    static WRITTEN: RefCell<Vec<(Loss, bool)>> = RefCell::default();
}

/// For natives that are asked for the data of an object while a message is written: what is to be done if it is lost; and also if it
/// cannot be written, where the sender has taken something for it.
pub fn if_lost(loss: impl FnOnce() + Send + Sync + 'static, also_if_refused: bool) {
    WRITTEN.with_borrow_mut(|written| written.push((Box::new(loss), also_if_refused)));
}

/// Those of a message. Dropped, they are done.
#[derive(Default)]
pub(super) struct Losses(Vec<Loss>);

impl Losses {
    /// Writes a message, and gives what it has to lose.
    pub(super) fn of<T, E>(write: impl FnOnce() -> Result<T, E>) -> Result<(T, Losses), E> {
        // A getter of the message may clone something else meanwhile.
        let outer = WRITTEN.take();
        let result = write();
        let written = WRITTEN.replace(outer);
        match result {
            Ok(message) => Ok((message, Losses(written.into_iter().map(|(loss, _)| loss).collect()))),
            Err(error) => {
                written.into_iter().filter(|(_, also_if_refused)| *also_if_refused).for_each(|(loss, _)| loss());
                Err(error)
            }
        }
    }

    /// The message has arrived.
    pub(super) fn none(mut self) {
        self.0.clear();
    }
}

impl Drop for Losses {
    fn drop(&mut self) {
        self.0.drain(..).for_each(|loss| loss());
    }
}

impl Clone for Losses {
    /// There is one of each: it stays with the first.
    fn clone(&self) -> Losses {
        Losses::default()
    }
}

impl fmt::Debug for Losses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} losses", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn what_is_lost_is_done_once_and_what_arrives_is_not() {
        let lost = Arc::new(AtomicUsize::new(0));
        let pack = |also_if_refused: bool| {
            let lost = lost.clone();
            let loss = move || {
                lost.fetch_add(1, Ordering::Relaxed);
            };
            if_lost(loss, also_if_refused);
        };
        let written = || {
            let write = || {
                pack(false);
                Ok::<_, ()>(())
            };
            Losses::of(write).unwrap().1
        };
        drop(written().clone());
        assert_eq!(lost.load(Ordering::Relaxed), 1);
        written().none();
        assert_eq!(lost.load(Ordering::Relaxed), 1);
        let refused = Losses::of(|| {
            pack(true);
            pack(false);
            Err::<(), _>(())
        });
        assert!(refused.is_err());
        assert_eq!(lost.load(Ordering::Relaxed), 2);
    }
}
