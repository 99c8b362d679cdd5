//! Plans the descriptors of the child: which number is copied where, in an order in which none is overwritten before it
//! is copied.
//!
//! Targets are filled from 0 upwards. A source above its target is still intact when its turn comes; a source below it
//! may have been overwritten. Those are duplicated in the parent beforehand, to numbers above all targets.

use std::os::fd::{AsRawFd, RawFd};

use rustix::io::fcntl_dupfd_cloexec;

use crate::fd::{borrow, set_nonblocking};
use crate::{Errno, Fd, Result};

/// One action on the child's descriptor table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FdAction {
    /// Duplicates `from` to `to` without close-on-exec; if they are equal it only clears close-on-exec.
    Copy { from: RawFd, to: RawFd },
    /// Opens `/dev/null` as `to`.
    Null { to: RawFd },
    /// Closes a number above all targets, so that the child has the file under its target number only.
    Close { number: RawFd },
}

/// The actions in order, and the duplicates that must stay open until the child has started.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) actions: Vec<FdAction>,
    /// All targets are below this number.
    pub(super) count: RawFd,
    /// Duplicates of the sources that would be overwritten, by source. Close-on-exec, so the exec closes them in the
    /// child.
    copies: Vec<(RawFd, Fd)>,
}

impl Plan {
    /// Creates the duplicates that are needed, and makes the descriptors for 0, 1 and 2 blocking. `EINVAL` for a
    /// negative descriptor, as in `uv_spawn`.
    pub(super) fn new(stdio: &[Option<RawFd>]) -> Result<Plan> {
        let count = RawFd::try_from(stdio.len().max(3)).map_err(|_| Errno::EINVAL)?;
        let mut plan = Plan { actions: Vec::with_capacity(2 * count as usize), count, copies: Vec::new() };
        for to in 0..count {
            let source = stdio.get(to as usize).copied().flatten();
            match source {
                Some(from) if from < 0 => return Err(Errno::EINVAL),
                Some(from) => {
                    let from = if from < to && is_overwritten(from, stdio) { plan.copy_of(from)? } else { from };
                    plan.actions.push(FdAction::Copy { from, to });
                }
                None if to < 3 => plan.actions.push(FdAction::Null { to }),
                None => {}
            }
        }
        for (at, from) in stdio.iter().enumerate() {
            let Some(from) = *from else { continue };
            if stdio.iter().take(at).any(|earlier| *earlier == Some(from)) {
                continue;
            }
            // As `src/unix/process.c: uv__process_child_init`. The error for a closed descriptor is ignored:
            // duplicating it fails later.
            if at < 3 {
                let _ = set_nonblocking(from, false);
            }
            if from >= count {
                plan.actions.push(FdAction::Close { number: from });
            }
        }
        Ok(plan)
    }

    /// The number of a duplicate of `from`, above all targets.
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

/// True if the child's descriptor `fd` will be another file than the parent's.
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
    fn sources_that_are_not_overwritten_are_not_duplicated() {
        let plan = Plan::new(&[Some(0), Some(1), Some(1)]).unwrap();
        let copy = |from, to| FdAction::Copy { from, to };
        assert_eq!(plan.actions, [copy(0, 0), copy(1, 1), copy(1, 2)]);
        assert!(plan.copies.is_empty());
        let plan = Plan::new(&[]).unwrap();
        assert_eq!(plan.actions, [FdAction::Null { to: 0 }, FdAction::Null { to: 1 }, FdAction::Null { to: 2 }]);
    }

    #[test]
    fn a_swap_duplicates_one_source() {
        let plan = Plan::new(&[None, Some(2), Some(1), Some(1)]).unwrap();
        assert_eq!(plan.copies.len(), 1);
        let number = plan.copies[0].1.as_raw_fd();
        assert!(number >= 4);
        let copy = |from, to| FdAction::Copy { from, to };
        assert_eq!(plan.actions, [FdAction::Null { to: 0 }, copy(2, 1), copy(number, 2), copy(number, 3)]);
    }

    #[test]
    fn negative_numbers_are_refused() {
        assert_eq!(Plan::new(&[Some(-1)]).unwrap_err(), Errno::EINVAL);
        assert_eq!(Plan::new(&[None, None, None, None, None, None, None]).unwrap().count, 7);
    }
}
