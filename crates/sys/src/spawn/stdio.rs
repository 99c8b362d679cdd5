//! Which descriptor goes where in the child, in an order in which none is overwritten before it was copied.
//!
//! Targets are filled from 0 upwards, so a source above its target is still intact when its turn comes, and a source
//! below may be gone. Those are duplicated in the parent beforehand, to numbers no target has.

use std::os::fd::{AsRawFd, RawFd};

use rustix::io::fcntl_dupfd_cloexec;

use crate::fd::{borrow, set_nonblocking};
use crate::{Errno, Fd, Result};

/// One thing to do in the child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// `to` becomes what `from` is, without close-on-exec; also where the two are equal.
    Copy { from: RawFd, to: RawFd },
    /// `to` becomes `/dev/null`.
    Null { to: RawFd },
    /// The number under which the parent knows it is not for the child.
    Close { number: RawFd },
}

/// The steps in order, and what they need to stay open until the child has been made.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) steps: Vec<Step>,
    /// All targets are below this number.
    pub(super) count: RawFd,
    /// Copies of sources that would be overwritten, by source. Close-on-exec, so the child loses them by itself.
    copies: Vec<(RawFd, Fd)>,
}

impl Plan {
    /// Makes the copies that are needed, and the descriptors meant for 0, 1 and 2 blocking. A negative descriptor is
    /// `EINVAL`, as in `uv_spawn`.
    pub(super) fn new(stdio: &[Option<RawFd>]) -> Result<Plan> {
        let count = RawFd::try_from(stdio.len().max(3)).map_err(|_| Errno::EINVAL)?;
        let mut plan = Plan { steps: Vec::with_capacity(2 * count as usize), count, copies: Vec::new() };
        for to in 0..count {
            let source = stdio.get(to as usize).copied().flatten();
            match source {
                Some(from) if from < 0 => return Err(Errno::EINVAL),
                Some(from) => {
                    let from = if from < to && is_overwritten(from, stdio) { plan.copy_of(from)? } else { from };
                    plan.steps.push(Step::Copy { from, to });
                }
                None if to < 3 => plan.steps.push(Step::Null { to }),
                None => {}
            }
        }
        for (at, from) in stdio.iter().enumerate() {
            let Some(from) = *from else { continue };
            if stdio.iter().take(at).any(|earlier| *earlier == Some(from)) {
                continue;
            }
            // As `uv__process_child_init`. A descriptor that is not open is found out by the copying.
            if at < 3 {
                let _ = set_nonblocking(from, false);
            }
            if from >= count {
                plan.steps.push(Step::Close { number: from });
            }
        }
        Ok(plan)
    }

    /// The number of a copy of `from`, above all targets.
    fn copy_of(&mut self, from: RawFd) -> Result<RawFd> {
        if let Some((_, copy)) = self.copies.iter().find(|(source, _)| *source == from) {
            return Ok(copy.as_raw_fd());
        }
        let copy = Fd::from(fcntl_dupfd_cloexec(borrow(from)?, self.count)?);
        let number = copy.as_raw_fd();
        self.copies.push((from, copy));
        Ok(number)
    }
}

/// Whether the child's number `fd` will be something else than the parent's.
fn is_overwritten(fd: RawFd, stdio: &[Option<RawFd>]) -> bool {
    match stdio.get(fd as usize).copied().flatten() {
        Some(source) => source != fd,
        None => fd < 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_overwritten_is_not_copied() {
        let plan = Plan::new(&[Some(0), Some(1), Some(1)]).unwrap();
        let copy = |from, to| Step::Copy { from, to };
        assert_eq!(plan.steps, [copy(0, 0), copy(1, 1), copy(1, 2)]);
        assert!(plan.copies.is_empty());
        let plan = Plan::new(&[]).unwrap();
        assert_eq!(plan.steps, [Step::Null { to: 0 }, Step::Null { to: 1 }, Step::Null { to: 2 }]);
    }

    #[test]
    fn a_swap_copies_once() {
        let plan = Plan::new(&[None, Some(2), Some(1), Some(1)]).unwrap();
        assert_eq!(plan.copies.len(), 1);
        let number = plan.copies[0].1.as_raw_fd();
        assert!(number >= 4);
        let copy = |from, to| Step::Copy { from, to };
        assert_eq!(plan.steps, [Step::Null { to: 0 }, copy(2, 1), copy(number, 2), copy(number, 3)]);
    }

    #[test]
    fn negative_and_closed_numbers_are_refused() {
        assert_eq!(Plan::new(&[Some(-1)]).unwrap_err(), Errno::EINVAL);
        assert_eq!(Plan::new(&[None, None, None, None, None, None, None]).unwrap().count, 7);
    }
}
