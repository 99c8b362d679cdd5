//! Running closures on the thread pool.

use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, PoisonError};

use phasor_core::{Errno, Outcome, RequestId, Result, WorkFailure};

use crate::Loop;
use crate::face::RustFace;

/// Runs `work` on a thread of the pool and passes its result to `then`, on the loop's thread.
///
/// The result is an error only if the work was [cancelled](Loop::cancel) before a thread started it (`ECANCELED`), or
/// if no thread could be started (`EAGAIN`). A panic in `work` is resumed on the loop's thread and propagates out of
/// [`Loop::run`] instead of calling `then`.
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
    let completion = move |l: &mut Loop, outcome: Outcome<_>| {
        let value = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
        let result = match outcome {
            Outcome::Work(Err(WorkFailure::Panicked(panic))) => resume_unwind(panic),
            Outcome::Work(Err(WorkFailure::NotBegun(errno))) => Err(errno),
            _ => value.ok_or(Errno::ECANCELED),
        };
        then(l, result);
    };
    l.core.work(task, Box::new(completion))
}

/// Passes `len` cryptographically secure random bytes to `then`. `E2BIG` at once for 2 GiB or more.
///
/// ```
/// use phasor::{Loop, RunMode, random};
///
/// let mut l = Loop::new()?;
/// random(&mut l, 32, |_, key| assert_eq!(key.unwrap().len(), 32))?;
/// l.run(RunMode::Default)?;
/// # Ok::<(), phasor::Errno>(())
/// ```
#[doc(alias = "uv_random")]
pub fn random(l: &mut Loop, len: usize, then: impl FnOnce(&mut Loop, Result<Vec<u8>>) + 'static) -> Result<RequestId> {
    let completion = |l: &mut Loop, outcome: Outcome<RustFace>| {
        if let Outcome::Random(result, bytes) = outcome {
            then(l, result.map(|()| bytes.into_vec()));
        }
    };
    // Checked before the buffer is allocated.
    if i32::try_from(len).is_err() {
        return Err(Errno::E2BIG);
    }
    l.core.random(vec![0; len].into(), Box::new(completion)).map_err(|refused| refused.errno)
}
