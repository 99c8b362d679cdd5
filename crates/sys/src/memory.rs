//! Memory straight from the kernel: regions that can be one huge page each, and the wish for huge pages.
//!
//! A heap of a hundred megabytes in small pages costs a fault for each of them, and misses in the processor's table of
//! pages ever after. Huge pages are given only to those who ask, on most systems.
//!
//! # Safety
//! Maps fresh memory and unmaps what it mapped; a hint about pages changes nothing that a program can see.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

use crate::clock;
use crate::errno::Result;

/// How large a region is, and how it is aligned: a huge page of most processors.
pub const REGION_BYTES: usize = 2 << 20;

/// The size of an ordinary page, or a divisor of it.
pub const PAGE_BYTES: usize = 4096;

/// Maps a region of [`REGION_BYTES`], full of zeros. Pages that are never touched take no memory, unless huge ones are
/// wished for.
#[doc(alias = "mmap")]
pub fn map_region() -> Result<NonNull<u8>> {
    let at = map(REGION_BYTES)?;
    if at.addr().get().is_multiple_of(REGION_BYTES) {
        return Ok(at);
    }
    // SAFETY: mapped just now. Twice as much has an aligned region in it, and the rest goes back.
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
/// It came from [`map_region`], and nobody uses it any more.
#[doc(alias = "munmap")]
pub unsafe fn unmap_region(region: NonNull<u8>) {
    // SAFETY: as the caller says.
    unsafe { unmap(region, REGION_BYTES) }
}

/// Wishes for huge pages under some memory. Only a hint: the kernel may have none, and whatever else lies in the same
/// pages is not harmed.
///
/// Where its memory is in pieces, the kernel moves other pages about until it has a huge one, which can take longer than
/// making all the small ones. The first that is made here is timed: if it was hard to get, the wish is taken back, and the
/// next ones are not even uttered, the more of them the oftener it was so. Tells whether the wish stands.
#[doc(alias = "MADV_HUGEPAGE")]
pub fn prefer_huge_pages(start: *const u8, bytes: usize) -> bool {
    if !WISHES.may_be_uttered((bytes / REGION_BYTES).max(1)) {
        return false;
    }
    advise(start, bytes, Advice::LinuxHugepage);
    let first = start.map_addr(|address| address.next_multiple_of(REGION_BYTES));
    if first.addr() + REGION_BYTES > start.addr() + bytes {
        return true;
    }
    let began = spent();
    populate(first, PAGE_BYTES);
    let is_easy = spent() - began <= HARD;
    WISHES.came(is_easy);
    if !is_easy {
        advise(start, bytes, Advice::LinuxNoHugepage);
    }
    is_easy
}

/// How much of the processor's time a huge page may take. The kernel fills it with zeros, a fifth of a millisecond; its small pages take
/// a whole one.
const HARD: Duration = Duration::from_millis(1);

/// How easily wishes came true of late. Threads may count at once: it is a rough measure.
struct Wishes {
    /// For how many regions no huge pages are wished for.
    rests: AtomicUsize,
    /// For how many they will not be when the next one is hard to get.
    next_rest: AtomicUsize,
}

static WISHES: Wishes = Wishes::new();

impl Wishes {
    /// At first, as it may have been by chance, and at most.
    const SHORT_REST: usize = 8;
    const LONG_REST: usize = 128;

    const fn new() -> Wishes {
        Wishes { rests: AtomicUsize::new(0), next_rest: AtomicUsize::new(Wishes::SHORT_REST) }
    }

    /// Whether huge pages may be wished for under so many regions.
    fn may_be_uttered(&self, regions: usize) -> bool {
        let rests = self.rests.load(Relaxed);
        self.rests.store(rests.saturating_sub(regions), Relaxed);
        rests == 0
    }

    /// One has come, easily or not.
    fn came(&self, easily: bool) {
        let rest = self.next_rest.load(Relaxed);
        if easily {
            self.next_rest.store(Wishes::SHORT_REST, Relaxed);
        } else {
            self.rests.store(rest, Relaxed);
            self.next_rest.store((2 * rest).min(Wishes::LONG_REST), Relaxed);
        }
    }
}

/// What this thread has spent of the processor's time: what others took meanwhile does not count.
fn spent() -> Duration {
    let (s, ns) = clock::of_thread();
    Duration::new(s as u64, ns as u32)
}

/// Has the pages of some memory made at once, which takes less time than one by one. Only a hint.
#[doc(alias = "MADV_POPULATE_WRITE")]
pub fn populate(start: *const u8, bytes: usize) {
    advise(start, bytes, Advice::LinuxPopulateWrite);
}

fn advise(start: *const u8, bytes: usize, advice: Advice) {
    let page_start = start.map_addr(|address| address & !(PAGE_BYTES - 1));
    let whole_bytes = (bytes + (start.addr() - page_start.addr())).next_multiple_of(PAGE_BYTES);
    // SAFETY: neither advice changes what the memory holds. The kernel looks at the range and may refuse it.
    let _ = unsafe { madvise(page_start.cast_mut().cast::<c_void>(), whole_bytes, advice) };
}

fn map(bytes: usize) -> Result<NonNull<u8>> {
    // SAFETY: a new mapping at a place of the kernel's choice.
    let at = unsafe { mmap_anonymous(null_mut(), bytes, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE)? };
    // The kernel maps nothing at address 0 that it was not asked to.
    NonNull::new(at.cast()).ok_or(crate::Errno::ENOMEM)
}

/// # Safety
/// As [`unmap_region`]; nothing at all if there are no bytes.
unsafe fn unmap(at: NonNull<u8>, bytes: usize) {
    if bytes > 0 {
        // SAFETY: as the caller says. It cannot fail for what was mapped so.
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
            // SAFETY: ours alone.
            unsafe {
                assert_eq!(region.read(), 0);
                assert_eq!(region.add(REGION_BYTES - 1).read(), 0);
                region.write_bytes(7, REGION_BYTES);
            }
        }
        for region in regions {
            // SAFETY: not used any more.
            unsafe { unmap_region(region) };
        }
    }

    #[test]
    fn after_wishes_that_are_hard_come_longer_and_longer_rests() {
        let wishes = Wishes::new();
        let rest = || (0..).take_while(|_| !wishes.may_be_uttered(1)).count();
        assert_eq!(rest(), 0);
        for expected in [8, 16, 32, 64, 128, 128] {
            wishes.came(false);
            assert_eq!(rest(), expected);
        }
        wishes.came(true);
        assert_eq!(rest(), 0);
        wishes.came(false);
        assert!(!wishes.may_be_uttered(100) && wishes.may_be_uttered(1), "a large piece is many regions");
    }

    #[test]
    fn a_hint_about_any_memory_is_harmless() {
        let bytes = vec![5u8; 3 * REGION_BYTES];
        prefer_huge_pages(bytes.as_ptr(), bytes.len());
        populate(bytes[1..].as_ptr(), 10);
        prefer_huge_pages(std::ptr::null(), 0);
        assert!(bytes.iter().all(|byte| *byte == 5));
    }
}
