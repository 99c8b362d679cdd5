//! Computing on the threads of the pool.

use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, PoisonError};

use phasor_core::{Errno, Outcome, RequestId, Result, WorkFailure};

use crate::Loop;
use crate::face::RustFace;

/// Runs `work` on a thread of the pool and gives what it returns to `then`, on the loop's thread.
///
/// The result is an error only if the work was [cancelled](Loop::cancel) before a thread began it (`ECANCELED`), or no
/// thread could be started (`EAGAIN`). If it panics, the panic goes on in the loop's thread, out of [`Loop::run`], at the moment `then` would have been called.
///
/// ```
/// use phasor::{Loop, RunMode, work};
///
/// let mut l = Loop::new()?;
/// work(&mut l, || (1..=20u64).product::<u64>(), |_, product| assert_eq!(product, Ok(2_432_902_008_176_640_000)));
/// l.run(RunMode::Default)?;
/// # Ok::<(), phasor::Errno>(())
/// ```
#[doc(alias = "uv_queue_work")]
pub fn work<T: Send + 'static>(
    l: &mut Loop,
    work: impl FnOnce() -> T + Send + 'static,
    then: impl FnOnce(&mut Loop, Result<T>) + 'static,
) -> RequestId {
    let slot = Arc::new(Mutex::new(None));
    let there = slot.clone();
    let task = move || {
        let value = work();
        *there.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
    };
    let finish = move |l: &mut Loop, outcome: Outcome<_>| {
        let value = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
        let result = match outcome {
            Outcome::Work(Err(WorkFailure::Panicked(panic))) => resume_unwind(panic),
            Outcome::Work(Err(WorkFailure::NotBegun(errno))) => Err(errno),
            _ => value.ok_or(Errno::ECANCELED),
        };
        then(l, result);
    };
    l.core.work(task, Box::new(finish))
}

/// Gives `then` so many random bytes, fit for keys. `E2BIG` if they are more than 2 GiB.
#[doc(alias = "uv_random")]
pub fn random(l: &mut Loop, len: usize, then: impl FnOnce(&mut Loop, Result<Vec<u8>>) + 'static) -> Result<RequestId> {
    let finish = |l: &mut Loop, outcome: Outcome<RustFace>| {
        if let Outcome::Random(result, bytes) = outcome {
            then(l, result.map(|()| bytes.into_vec()));
        }
    };
    // Before there is memory for them.
    if i32::try_from(len).is_err() {
        return Err(Errno::E2BIG);
    }
    l.core.random(vec![0; len].into(), Box::new(finish)).map_err(|refused| refused.errno)
}
