//! Pages of 4 KiB, which the engine divides into small blocks itself.
//!
//! They come from regions of the size of a huge page. The first few regions have ordinary pages, because a small
//! program touches little of them. Later regions are advised to become one huge page each; where huge pages are not
//! available, their pages are populated in one call. An empty region is returned to the kernel, except for a few that
//! are kept for reuse.
//!
//! # Safety
//! A region begins with its [`Head`], in place of its first page. Masking a page's address gives the head, as regions
//! are aligned. Only one thread uses a pool, and no reference to a head outlives its expression.
#![allow(unsafe_code)]

use std::ptr::{NonNull, null_mut};

use phasor_sys::memory::{PAGE_BYTES, REGION_BYTES, map_region, populate, prefer_huge_pages, unmap_region};

/// The number of regions with ordinary pages.
const PLAIN_REGIONS: usize = 4;
/// The memory that every program touches during startup.
const FIRST_BYTES: usize = 512 << 10;
/// The number of usable pages in a region.
const REGION_PAGES: usize = REGION_BYTES / PAGE_BYTES - 1;

/// The header of a region.
struct Head {
    /// The neighbours in the list of regions with free pages.
    prev: *mut Head,
    next: *mut Head,
    /// Head of the free list; each free page stores the address of the next.
    back: *mut u8,
    /// The number of pages that were handed out at least once.
    begun: usize,
    /// The number of pages in use.
    used: usize,
}

/// A pool of pages.
pub(super) struct Pages {
    /// The first region with a free page.
    open: *mut Head,
    /// The number of regions.
    count: usize,
    /// The number of empty regions.
    empty: usize,
}

impl Pages {
    pub(super) const fn new() -> Pages {
        Pages { open: null_mut(), count: 0, empty: 0 }
    }

    /// Allocates a page with undefined content. `None` if the kernel has no memory.
    pub(super) fn take(&mut self) -> Option<NonNull<u8>> {
        if self.open.is_null() {
            self.add_region()?;
        }
        let head = self.open;
        // SAFETY: an open region has a page on its free list, or one that was never handed out.
        unsafe {
            self.empty -= usize::from((*head).used == 0);
            (*head).used += 1;
            let page = match NonNull::new((*head).back) {
                Some(page) => {
                    (*head).back = page.cast::<*mut u8>().read();
                    page
                }
                None => {
                    (*head).begun += 1;
                    NonNull::new_unchecked(head.cast::<u8>().add((*head).begun * PAGE_BYTES))
                }
            };
            if (*head).used == REGION_PAGES {
                self.unlink(head);
            }
            Some(page)
        }
    }

    /// Frees a page.
    ///
    /// # Safety
    /// It came from this pool, and the caller does not use it again.
    pub(super) unsafe fn give(&mut self, page: NonNull<u8>) {
        let head: *mut Head = page.as_ptr().map_addr(|address| address & !(REGION_BYTES - 1)).cast();
        // SAFETY: the head of the page's region.
        unsafe {
            page.cast::<*mut u8>().write((*head).back);
            (*head).back = page.as_ptr();
            if (*head).used == REGION_PAGES {
                self.link(head);
            }
            (*head).used -= 1;
            if (*head).used > 0 {
                return;
            }
            self.empty += 1;
            if self.empty > 1 + self.count / 4 {
                self.remove_region(head);
            }
        }
    }

    #[cold]
    fn add_region(&mut self) -> Option<()> {
        let region = map_region().ok()?;
        if self.count == 0 {
            populate(region.as_ptr(), FIRST_BYTES);
        } else if self.count >= PLAIN_REGIONS && !prefer_huge_pages(region.as_ptr(), REGION_BYTES) {
            populate(region.as_ptr(), REGION_BYTES);
        }
        let head = region.cast::<Head>().as_ptr();
        // SAFETY: a region of our own, large enough and aligned.
        unsafe {
            head.write(Head { prev: null_mut(), next: null_mut(), back: null_mut(), begun: 0, used: 0 });
            self.link(head);
        }
        self.count += 1;
        self.empty += 1;
        Some(())
    }

    /// # Safety
    /// The region is open and empty.
    #[cold]
    unsafe fn remove_region(&mut self, head: *mut Head) {
        // SAFETY: none of its pages is used, and it leaves the list.
        unsafe {
            self.unlink(head);
            unmap_region(NonNull::new_unchecked(head.cast()));
        }
        self.count -= 1;
        self.empty -= 1;
    }

    /// # Safety
    /// The region is of this pool and not open.
    unsafe fn link(&mut self, head: *mut Head) {
        // SAFETY: heads of this pool.
        unsafe {
            ((*head).prev, (*head).next) = (null_mut(), self.open);
            if !self.open.is_null() {
                (*self.open).prev = head;
            }
        }
        self.open = head;
    }

    /// # Safety
    /// The region is open.
    unsafe fn unlink(&mut self, head: *mut Head) {
        // SAFETY: heads of this pool.
        unsafe {
            match (*head).prev.as_mut() {
                Some(prev) => prev.next = (*head).next,
                None => self.open = (*head).next,
            }
            if let Some(next) = (*head).next.as_mut() {
                next.prev = (*head).prev;
            }
        }
    }
}

impl Drop for Pages {
    /// Returns the empty regions to the kernel; a page in use stays valid.
    fn drop(&mut self) {
        let mut head = self.open;
        while !head.is_null() {
            // SAFETY: open regions of this pool; the next pointer is read before the region may be unmapped.
            unsafe {
                let next = (*head).next;
                if (*head).used == 0 {
                    self.remove_region(head);
                }
                head = next;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_distinct_and_empty_regions_are_unmapped() {
        let mut pool = Pages::new();
        let taken: Vec<_> = (0..8 * REGION_PAGES + 1).map(|_| pool.take().unwrap()).collect();
        assert_eq!((pool.count, pool.empty), (9, 0));
        for (at, page) in taken.iter().enumerate() {
            assert_eq!(page.addr().get() % PAGE_BYTES, 0);
            // SAFETY: only this test uses the page.
            unsafe {
                page.write_bytes(1, PAGE_BYTES);
                page.cast::<usize>().write(at);
            }
        }
        for (at, page) in taken.iter().enumerate() {
            // SAFETY: as above, and freed once.
            unsafe {
                assert_eq!(page.cast::<usize>().read(), at);
                pool.give(*page);
            }
        }
        assert_eq!(pool.empty, pool.count);
        assert!(pool.count <= 3, "{} regions are kept", pool.count);
        let again = pool.take().unwrap();
        assert_eq!(pool.empty, pool.count - 1);
        // SAFETY: just allocated.
        unsafe { pool.give(again) };
    }

    #[test]
    fn the_last_freed_page_is_reused_first() {
        let mut pool = Pages::new();
        let (one, other) = (pool.take().unwrap(), pool.take().unwrap());
        // SAFETY: just allocated.
        unsafe { pool.give(one) };
        assert_eq!(pool.take(), Some(one));
        // SAFETY: each is freed once.
        unsafe {
            pool.give(one);
            pool.give(other);
        }
    }
}
