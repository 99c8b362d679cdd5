//! Directory operations, and the memory that their requests own, with the same layout as in libuv.
//!
//! The result of `uv_fs_scandir` is an array of pointers to `struct dirent`. The array and the entries are allocated
//! with the C library's `malloc`, as `scandir` does. The names that `uv_fs_readdir` returns are allocated with the
//! replaceable allocator.
//!
//! # Safety
//! The contract in the documentation of the module `fs` applies.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int, c_uint};
use std::{mem, ptr};

use libc::dirent64;
use phasor_core::file::{self, FileKind};
use phasor_core::{Errno, Result};

use crate::allocator;
use crate::layout::*;

/// # Safety
/// See the head of this file.
pub(super) unsafe fn opendir(req: *mut uv_fs_t) -> Result<usize> {
    // SAFETY: see the head of this file; the block is new and has the size of a `uv_dir_t`.
    unsafe {
        let opened = file::opendir(CStr::from_ptr((*req).path))?;
        let block = allocator::malloc(size_of::<uv_dir_t>()).cast::<uv_dir_t>();
        if block.is_null() {
            return Err(Errno::ENOMEM);
        }
        block.write(uv_dir_t {
            dirents: ptr::null_mut(),
            nentries: 0,
            reserved: [0; 4],
            dir: Box::into_raw(Box::new(opened)).cast(),
        });
        (*req).ptr = block.cast();
        Ok(0)
    }
}

/// # Safety
/// See the head of this file; `uv_fs_readdir` has checked that no pointer is NULL.
pub(super) unsafe fn readdir(req: *mut uv_fs_t) -> Result<usize> {
    // SAFETY: see the head of this file; `dirents` has `nentries` elements.
    unsafe {
        let dir = (*req).ptr.cast::<uv_dir_t>();
        let opened = (*dir).dir.cast::<file::Dir>();
        let mut count = 0;
        (*opened).read_each((*dir).nentries, |name, kind| {
            (*dir).dirents.add(count).write(uv_dirent_t { name: allocator::string(name), type_: kind as c_uint });
            count += 1;
        })?;
        if (0..count).any(|place| (*(*dir).dirents.add(place)).name.is_null()) {
            free_names(dir, count as isize);
            return Err(Errno::ENOMEM);
        }
        Ok(count)
    }
}

/// # Safety
/// See the head of this file.
pub(super) unsafe fn closedir(req: *mut uv_fs_t) -> Result<usize> {
    // SAFETY: see the head of this file.
    unsafe { close(mem::replace(&mut (*req).ptr, ptr::null_mut()).cast()) };
    Ok(0)
}

/// Closes a directory and frees its `uv_dir_t`.
///
/// # Safety
/// `dir` is NULL or from [`opendir`], and is not used again.
pub(super) unsafe fn close(dir: *mut uv_dir_t) {
    if dir.is_null() {
        return;
    }
    // SAFETY: guaranteed by the caller.
    unsafe {
        let opened = (*dir).dir.cast::<file::Dir>();
        if !opened.is_null() {
            drop(Box::from_raw(opened));
        }
        allocator::free(dir.cast());
    }
}

/// Frees the names of the first `count` entries that [`readdir`] filled.
///
/// # Safety
/// `dir` is NULL, or has at least `count` entries.
pub(super) unsafe fn free_names(dir: *mut uv_dir_t, count: isize) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if dir.is_null() || (*dir).dirents.is_null() {
            return;
        }
        for place in 0..usize::try_from(count).unwrap_or(0) {
            let entry = (*dir).dirents.add(place);
            allocator::free((*entry).name.cast_mut().cast());
            (*entry).name = ptr::null();
        }
    }
}

/// # Safety
/// See the head of this file.
pub(super) unsafe fn scandir(req: *mut uv_fs_t) -> Result<usize> {
    let mut entries: Vec<*mut dirent64> = Vec::new();
    // SAFETY: see the head of this file; `strcmp` compares the names that `entry` has written.
    unsafe {
        // `nbufs` counts the entries that `uv_fs_scandir_next` has returned (`src/unix/fs.c: uv__fs_scandir`).
        (*req).nbufs = 0;
        let mut full = false;
        let listed = file::list(CStr::from_ptr((*req).path), |name, kind| match entry(name, kind) {
            Some(entry) => entries.push(entry),
            None => full = true,
        });
        let size = entries.len().saturating_mul(size_of::<*mut dirent64>());
        let array: *mut *mut dirent64 = if size == 0 { ptr::null_mut() } else { libc::malloc(size).cast() };
        let kept = if full || (size != 0 && array.is_null()) { Err(Errno::ENOMEM) } else { listed };
        if let Err(errno) = kept {
            entries.into_iter().for_each(|entry| libc::free(entry.cast()));
            libc::free(array.cast());
            return Err(errno);
        }
        let name = |entry: *mut dirent64| (&raw const (*entry).d_name).cast();
        entries.sort_unstable_by(|&a, &b| libc::strcmp(name(a), name(b)).cmp(&0));
        if size != 0 {
            ptr::copy_nonoverlapping(entries.as_ptr(), array, entries.len());
        }
        (*req).ptr = array.cast();
        Ok(entries.len())
    }
}

/// Allocates an entry with the size that its name needs, as the C library does.
fn entry(name: &CStr, kind: FileKind) -> Option<*mut dirent64> {
    let bytes = name.to_bytes_with_nul();
    let size = mem::offset_of!(dirent64, d_name) + bytes.len();
    // SAFETY: the block is new and has the size of the fields before the name, and of the name.
    unsafe {
        let entry = libc::calloc(1, size).cast::<dirent64>();
        if entry.is_null() {
            return None;
        }
        (*entry).d_reclen = size as u16;
        (*entry).d_type = match kind {
            FileKind::Unknown => libc::DT_UNKNOWN,
            FileKind::File => libc::DT_REG,
            FileKind::Dir => libc::DT_DIR,
            FileKind::Link => libc::DT_LNK,
            FileKind::Fifo => libc::DT_FIFO,
            FileKind::Socket => libc::DT_SOCK,
            FileKind::Char => libc::DT_CHR,
            FileKind::Block => libc::DT_BLK,
        };
        ptr::copy_nonoverlapping(bytes.as_ptr(), (&raw mut (*entry).d_name).cast(), bytes.len());
        Some(entry)
    }
}

/// Returns the next entry of a directory listing. Its name is valid until the next call. `EOF` after the last entry.
///
/// # Safety
/// `req` is a completed request of `uv_fs_scandir`, and `ent` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_scandir_next(req: *mut uv_fs_t, ent: *mut uv_dirent_t) -> c_int {
    // SAFETY: guaranteed by the caller; only the entries before the last returned entry are freed.
    unsafe {
        if (*req).result < 0 {
            return (*req).result as c_int;
        }
        let entries = (*req).ptr.cast::<*mut dirent64>();
        if entries.is_null() {
            return -Errno::EOF.raw();
        }
        let place = (*req).nbufs as usize;
        if place > 0 {
            libc::free((*entries.add(place - 1)).cast());
        }
        if place == (*req).result as usize {
            libc::free(entries.cast());
            (*req).ptr = ptr::null_mut();
            return -Errno::EOF.raw();
        }
        (*req).nbufs += 1;
        let entry = *entries.add(place);
        ent.write(uv_dirent_t { name: (&raw const (*entry).d_name).cast(), type_: type_of((*entry).d_type) });
        0
    }
}

fn type_of(kind: u8) -> uv_dirent_type_t {
    match kind {
        libc::DT_REG => UV_DIRENT_FILE,
        libc::DT_DIR => UV_DIRENT_DIR,
        libc::DT_LNK => UV_DIRENT_LINK,
        libc::DT_FIFO => UV_DIRENT_FIFO,
        libc::DT_SOCK => UV_DIRENT_SOCKET,
        libc::DT_CHR => UV_DIRENT_CHAR,
        libc::DT_BLK => UV_DIRENT_BLOCK,
        _ => UV_DIRENT_UNKNOWN,
    }
}

/// Frees a directory listing of `count` entries. `uv_fs_scandir_next` has returned the first `returned` of them, and has freed all of
/// these but the last.
///
/// # Safety
/// `entries` is NULL or the array of [`scandir`], and is not used again.
pub(super) unsafe fn free_entries(entries: *mut *mut dirent64, returned: c_uint, count: isize) {
    if entries.is_null() {
        return;
    }
    // SAFETY: guaranteed by the caller.
    unsafe {
        for place in (returned as usize).saturating_sub(1)..usize::try_from(count).unwrap_or(0) {
            libc::free((*entries.add(place)).cast());
        }
        libc::free(entries.cast());
    }
}
