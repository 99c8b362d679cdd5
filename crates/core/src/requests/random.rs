//! Random bytes, filled on a pool thread, because the kernel may block early after boot.

use phasor_sys::{Errno, Result, random};

use super::{Failure, RequestId, RequestKind, Task};
use crate::describe::TaskDetail;
use crate::event::{Outcome, Refused};
use crate::face::{Buffers, Face};
use crate::pool::Class;
use crate::state::Loop;

struct Random<B>(B);

impl<F: Face> Task<F> for Random<F::Bytes> {
    type Value = ();

    fn detail(&self) -> TaskDetail {
        TaskDetail::of("random")
    }

    fn perform(&mut self) -> Result<()> {
        let mut result = Ok(());
        self.0.pieces_mut(&mut |mut piece| {
            result = random::fill(&mut piece);
            result.is_ok()
        });
        result
    }

    fn outcome(self, ended: Result<(), Failure>) -> Outcome<F> {
        Outcome::Random(ended.map_err(Errno::from), self.0)
    }
}

impl<F: Face> Loop<F> {
    /// Fills `bytes` with cryptographically secure random data. The result is an [`Outcome::Random`] with the buffer.
    ///
    /// `E2BIG` for more than [`random::MAX_BYTES`] bytes, as in `uv_random`.
    #[doc(alias = "uv_random")]
    pub fn random(&mut self, bytes: F::Bytes, request: F::Request) -> Result<RequestId, Refused<F>> {
        if bytes.len() > random::MAX_BYTES {
            return Err(Refused { errno: Errno::E2BIG, bytes, request });
        }
        Ok(self.submit(RequestKind::Random, Class::Fast, request, Random(bytes)))
    }
}
