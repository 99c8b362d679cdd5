//! Memory mapped from the kernel: aligned regions of the size of a huge page, and advice to use huge pages.
//!
//! A heap of a hundred megabytes in small pages costs a page fault for each of them, and TLB misses afterwards. Most
//! systems use transparent huge pages only where `madvise(2)` asks for them.
//!
//! # Safety
//! Maps fresh memory and unmaps only what it mapped; advice about pages changes nothing that a program can observe.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

use crate::clock;
use crate::errno::Result;

/// The size and alignment of a region: a huge page of most processors.
pub const REGION_BYTES: usize = 2 << 20;

/// The size of an ordinary page, or a divisor of it.
pub const PAGE_BYTES: usize = 4096;

/// Maps a region of [`REGION_BYTES`], all zeros and aligned to its size. Pages that are never touched take no memory,
/// unless huge pages were asked for.
#[doc(alias = "mmap")]
pub fn map_region() -> Result<NonNull<u8>> {
    let at = map(REGION_BYTES)?;
    if at.addr().get().is_multiple_of(REGION_BYTES) {
        return Ok(at);
    }
    // SAFETY: mapped just now and not used. A mapping of twice the size contains an aligned region; the rest is
    // unmapped.
    unsafe {
        unmap(at, REGION_BYTES);
        let twice = map(2 * REGION_BYTES)?;
        let before = twice.addr().get().next_multiple_of(REGION_BYTES) - twice.addr().get();
        let region = twice.add(before);
        unmap(twice, before);
        unmap(region.add(REGION_BYTES), REGION_BYTES - before);
        Ok(region)
    }
}

/// Unmaps a region.
///
/// # Safety
/// `region` record from [`map_region`] and is not used afterwards.
#[doc(alias = "munmap")]
pub unsafe fn unmap_region(region: NonNull<u8>) {
    // SAFETY: the caller's contract.
    unsafe { unmap(region, REGION_BYTES) }
}

/// Asks for huge pages under a range of memory. Returns true if the advice stands. It is only advice: the kernel may
/// have no huge page, and other data in the same pages is not harmed.
///
/// If physical memory is fragmented, the kernel compacts it to get a huge page, which can take longer than making all
/// the small pages. So the first huge page of the range is populated and timed. If it was expensive the advice is
/// withdrawn, and the next calls do nothing, for a number of regions that doubles with each expensive page
/// (`HugePageBackoff`).
#[doc(alias = "MADV_HUGEPAGE")]
pub fn prefer_huge_pages(start: *const u8, bytes: usize) -> bool {
    if !BACKOFF.should_try((bytes / REGION_BYTES).max(1)) {
        return false;
    }
    advise(start, bytes, Advice::LinuxHugepage);
    let first = start.map_addr(|address| address.next_multiple_of(REGION_BYTES));
    if first.addr() + REGION_BYTES > start.addr() + bytes {
        return true;
    }
    let began = thread_cpu_time();
    populate(first, PAGE_BYTES);
    let is_cheap = thread_cpu_time() - began <= MAX_POPULATE_TIME;
    BACKOFF.record(is_cheap);
    if !is_cheap {
        advise(start, bytes, Advice::LinuxNoHugepage);
    }
    is_cheap
}

/// The limit of CPU time for populating one huge page. Zeroing it takes about 0.2 ms; populating its small pages
/// instead takes 1 ms.
const MAX_POPULATE_TIME: Duration = Duration::from_millis(1);

/// Exponential backoff after expensive huge pages. Threads may update it at once and lose an update: it is a rough
/// measure.
struct HugePageBackoff {
    /// The number of regions to skip before asking for huge pages again.
    skip: AtomicUsize,
    /// The number of regions to skip after the next expensive page.
    next_skip: AtomicUsize,
}

static BACKOFF: HugePageBackoff = HugePageBackoff::new();

impl HugePageBackoff {
    /// The first and shortest backoff, and the longest one, in regions.
    const SHORTEST_SKIP: usize = 8;
    const LONGEST_SKIP: usize = 128;

    const fn new() -> HugePageBackoff {
        HugePageBackoff { skip: AtomicUsize::new(0), next_skip: AtomicUsize::new(HugePageBackoff::SHORTEST_SKIP) }
    }

    /// True if huge pages should be asked for under the next `regions` regions; otherwise counts them as skipped.
    fn should_try(&self, regions: usize) -> bool {
        let skip = self.skip.load(Relaxed);
        self.skip.store(skip.saturating_sub(regions), Relaxed);
        skip == 0
    }

    /// Records whether populating a huge page was cheap.
    fn record(&self, is_cheap: bool) {
        let skip = self.next_skip.load(Relaxed);
        if is_cheap {
            self.next_skip.store(HugePageBackoff::SHORTEST_SKIP, Relaxed);
        } else {
            self.skip.store(skip, Relaxed);
            self.next_skip.store((2 * skip).min(HugePageBackoff::LONGEST_SKIP), Relaxed);
        }
    }
}

/// The CPU time of this thread: preemption by other threads does not count.
fn thread_cpu_time() -> Duration {
    let (s, ns) = clock::thread_cpu();
    Duration::new(s as u64, ns as u32)
}

/// Populates the pages of a range at once, which is cheaper than one page fault each (`MADV_POPULATE_WRITE`). Errors
/// are ignored.
#[doc(alias = "MADV_POPULATE_WRITE")]
pub fn populate(start: *const u8, bytes: usize) {
    advise(start, bytes, Advice::LinuxPopulateWrite);
}

fn advise(start: *const u8, bytes: usize, advice: Advice) {
    let page_start = start.map_addr(|address| address & !(PAGE_BYTES - 1));
    let whole_bytes = (bytes + (start.addr() - page_start.addr())).next_multiple_of(PAGE_BYTES);
    // SAFETY: none of the kinds of advice used here changes the content of the memory. The kernel checks the range.
    let _ = unsafe { madvise(page_start.cast_mut().cast::<c_void>(), whole_bytes, advice) };
}

fn map(bytes: usize) -> Result<NonNull<u8>> {
    // SAFETY: a new mapping at an address that the kernel chooses.
    let at = unsafe { mmap_anonymous(null_mut(), bytes, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE)? };
    // The kernel maps address 0 only on request.
    NonNull::new(at.cast()).ok_or(crate::Errno::ENOMEM)
}

/// # Safety
/// Unmaps like [`unmap_region`]. Does nothing if `bytes` is 0.
unsafe fn unmap(at: NonNull<u8>, bytes: usize) {
    if bytes > 0 {
        // SAFETY: the caller's contract. It cannot fail for a range that was mapped.
        let _ = unsafe { munmap(at.as_ptr().cast(), bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_are_aligned_zero_and_can_be_written() {
        let regions: Vec<_> = (0..5).map(|_| map_region().unwrap()).collect();
        for region in &regions {
            assert_eq!(region.addr().get() % REGION_BYTES, 0);
            prefer_huge_pages(region.as_ptr(), REGION_BYTES);
            populate(region.as_ptr(), 3 * PAGE_BYTES);
            // SAFETY: no other code uses the region.
            unsafe {
                assert_eq!(region.read(), 0);
                assert_eq!(region.add(REGION_BYTES - 1).read(), 0);
                region.write_bytes(7, REGION_BYTES);
            }
        }
        for region in regions {
            // SAFETY: the region is not used afterwards.
            unsafe { unmap_region(region) };
        }
    }

    #[test]
    fn expensive_huge_pages_double_the_backoff() {
        let backoff = HugePageBackoff::new();
        let skip = || (0..).take_while(|_| !backoff.should_try(1)).count();
        assert_eq!(skip(), 0);
        for expected in [8, 16, 32, 64, 128, 128] {
            backoff.record(false);
            assert_eq!(skip(), expected);
        }
        backoff.record(true);
        assert_eq!(skip(), 0);
        backoff.record(false);
        assert!(!backoff.should_try(100) && backoff.should_try(1), "a large range counts as many regions");
    }

    #[test]
    fn advice_about_any_memory_is_harmless() {
        let bytes = vec![5u8; 3 * REGION_BYTES];
        prefer_huge_pages(bytes.as_ptr(), bytes.len());
        populate(bytes[1..].as_ptr(), 10);
        prefer_huge_pages(std::ptr::null(), 0);
        assert!(bytes.iter().all(|byte| *byte == 5));
    }
}
