//! Tests of the `uv_fs_*` functions as a C program calls them. libuv's test suite and `crates/uv/differential` cover more.
//!
//! # Safety
//! Requests and loops are locals of a test, which runs its loop until nothing is left in it.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString};
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use crate::loop_::{uv_loop_close, uv_loop_init};
use crate::request::uv_cancel;
use crate::run::uv_run;

/// A temporary directory, removed when it is dropped.
struct TempDir(PathBuf);

impl TempDir {
    fn new() -> TempDir {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("phasor-uv-fs-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).expect("a folder");
        TempDir(path)
    }

    fn at(&self, name: &str) -> CString {
        c(&self.0.join(name))
    }

    fn file(&self, name: &str, text: &str) -> CString {
        std::fs::write(self.0.join(name), text).expect("a file");
        self.at(name)
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn c(path: &Path) -> CString {
    CString::new(path.as_os_str().as_bytes()).expect("a path")
}

/// A request whose memory is filled with a pattern, as if it had been used before.
fn request() -> Box<uv_fs_t> {
    let mut req = Box::<uv_fs_t>::new_uninit();
    // SAFETY: every field is a number, an array of numbers, a raw pointer or an `Option` of a function; the function
    // pointers are set to NULL.
    unsafe {
        ptr::write_bytes(req.as_mut_ptr().cast::<u8>(), 0x5a, size_of::<uv_fs_t>());
        (&raw mut (*req.as_mut_ptr()).cb).write(None);
        req.assume_init()
    }
}

/// Runs `test` with a loop, then checks that the loop is empty.
fn with_loop(test: impl FnOnce(*mut uv_loop_t)) {
    let mut lp = Box::new(MaybeUninit::<uv_loop_t>::uninit());
    // SAFETY: the box has the size of a loop, which is closed after the test.
    unsafe {
        assert_eq!(uv_loop_init(lp.as_mut_ptr()), 0);
        test(lp.as_mut_ptr());
        assert_eq!(uv_run(lp.as_mut_ptr(), UV_RUN_DEFAULT), 0);
        assert_eq!(uv_loop_close(lp.as_mut_ptr()), 0);
    }
}

/// Counts its calls in the `usize` that `data` points to.
unsafe extern "C" fn count(req: *mut uv_fs_t) {
    // SAFETY: `data` of each request points to a counter of its test.
    unsafe { *(*req).req.data.cast::<usize>() += 1 }
}

#[test]
fn a_synchronous_request_needs_no_loop_and_does_not_copy_the_path() {
    let folder = TempDir::new();
    let path = folder.file("f", "text");
    let mut req = request();
    // SAFETY: see the head of this file.
    unsafe {
        assert_eq!(uv_fs_stat(ptr::null_mut(), &mut *req, path.as_ptr(), None), 0);
        assert_eq!((req.result, req.statbuf.st_size, req.fs_type), (0, 4, UV_FS_STAT));
        assert!(ptr::eq(req.path, path.as_ptr()));
        assert!(ptr::eq(uv_fs_get_ptr(&*req).cast(), uv_fs_get_statbuf(&mut *req)));
        for _ in 0..2 {
            uv_fs_req_cleanup(&mut *req);
            assert!(req.path.is_null() && req.ptr.is_null() && req.bufs.is_null());
        }
        assert_eq!(uv_fs_stat(ptr::null_mut(), &mut *req, folder.at("none").as_ptr(), None), -libc::ENOENT);
        assert_eq!((uv_fs_get_result(&*req), uv_fs_get_system_error(&*req)), (-libc::ENOENT as isize, libc::ENOENT));
    }
}

#[test]
fn missing_arguments_are_invalid() {
    let mut req = request();
    let null = ptr::null_mut();
    // SAFETY: see the head of this file.
    unsafe {
        assert_eq!(uv_fs_stat(null, ptr::null_mut(), c"f".as_ptr(), None), -libc::EINVAL);
        assert_eq!(uv_fs_stat(null, &mut *req, ptr::null(), None), -libc::EINVAL);
        assert_eq!(uv_fs_link(null, &mut *req, c"f".as_ptr(), ptr::null(), None), -libc::EINVAL);
        assert_eq!(uv_fs_mkdtemp(null, &mut *req, ptr::null(), None), -libc::EINVAL);
        assert_eq!(uv_fs_read(null, &mut *req, 0, ptr::null(), 1, 0, None), -libc::EINVAL);
        assert!(req.bufs.is_null());
        assert_eq!(uv_fs_readdir(null, &mut *req, ptr::null_mut(), None), -libc::EINVAL);
        assert_eq!(uv_fs_fsync(null, &mut *req, 0, Some(count)), -libc::EINVAL, "a callback needs a loop");
        uv_fs_req_cleanup(ptr::null_mut());
    }
}

#[test]
fn a_read_fills_the_program_s_buffers() {
    let folder = TempDir::new();
    folder.file("f", "abcdefghijkl");
    let file = std::fs::File::open(folder.0.join("f")).expect("it is there");
    let (mut memory, mut calls) = ([b'.'; 12], 0_usize);
    let mut req = request();
    req.req.data = (&raw mut calls).cast();
    with_loop(|lp| {
        // There are more buffers than fit in `bufsml`. The array itself is freed when the call returns.
        let list: Vec<uv_buf_t> =
            memory.chunks_mut(2).map(|chunk| uv_buf_t { base: chunk.as_mut_ptr().cast(), len: chunk.len() }).collect();
        // SAFETY: see the head of this file.
        unsafe {
            assert_eq!(uv_fs_read(lp, &mut *req, file.as_raw_fd(), list.as_ptr(), 6, 1, Some(count)), 0);
            drop(list);
            assert_eq!((*lp).active_reqs, 1);
        }
    });
    assert_eq!((req.result, calls, &memory), (11, 1, b"bcdefghijkl."));
    assert!(req.bufs.is_null(), "the list is freed");
    // SAFETY: see the head of this file.
    unsafe { uv_fs_req_cleanup(&mut *req) };
}

#[test]
fn a_template_is_copied_and_becomes_the_name() {
    let folder = TempDir::new();
    let template = folder.at("XXXXXX");
    let mut req = request();
    // SAFETY: see the head of this file.
    unsafe {
        assert_eq!(uv_fs_mkdtemp(ptr::null_mut(), &mut *req, template.as_ptr(), None), 0);
        let name = CStr::from_ptr(req.path).to_owned();
        uv_fs_req_cleanup(&mut *req);
        assert!(name != template && Path::new(std::ffi::OsStr::from_bytes(name.as_bytes())).is_dir());
        assert_eq!(uv_fs_mkstemp(ptr::null_mut(), &mut *req, c"no".as_ptr(), None), -libc::EINVAL);
        assert_eq!(CStr::from_ptr(req.path), c"");
        uv_fs_req_cleanup(&mut *req);
    }
}

#[test]
fn entries_are_sorted_and_the_listing_is_freed_once() {
    let folder = TempDir::new();
    for name in ["b", "a", "c"] {
        folder.file(name, "");
    }
    let path = c(&folder.0);
    let (mut req, mut entry) = (request(), uv_dirent_t { name: ptr::null(), type_: 99 });
    // SAFETY: see the head of this file; a name is read before the next entry is requested.
    unsafe {
        for calls_made in [4, 2, 0] {
            assert_eq!(uv_fs_scandir(ptr::null_mut(), &mut *req, path.as_ptr(), 0, None), 3);
            for place in 0..calls_made {
                let status = uv_fs_scandir_next(&mut *req, &mut entry);
                assert_eq!(status, if place < 3 { 0 } else { -Errno::EOF.raw() });
                if place < 3 {
                    assert_eq!(CStr::from_ptr(entry.name).to_bytes(), &b"abc"[place..=place]);
                    assert_eq!(entry.type_, UV_DIRENT_FILE);
                }
            }
            assert_eq!(req.ptr.is_null(), calls_made == 4);
            uv_fs_req_cleanup(&mut *req);
            assert!(req.ptr.is_null());
        }
    }
}

#[test]
fn cancelled_requests_report_it_and_free_their_buffers() {
    let mut calls = 0_usize;
    let mut reqs: Vec<_> = (0..64).map(|_| request()).collect();
    let list = [uv_buf_t { base: ptr::null_mut(), len: 0 }; 9];
    with_loop(|lp| {
        for req in &mut reqs {
            req.req.data = (&raw mut calls).cast();
            // SAFETY: see the head of this file.
            unsafe { assert_eq!(uv_fs_read(lp, &mut **req, -1, list.as_ptr(), 9, 0, Some(count)), 0) };
        }
        for req in reqs.iter_mut().rev() {
            // Some requests are cancelled before a pool thread starts them, others complete.
            // SAFETY: see the head of this file.
            let status = unsafe { uv_cancel((&raw mut **req).cast()) };
            assert!([0, -libc::EBUSY].contains(&status));
        }
    });
    assert_eq!(calls, 64);
    for req in &mut reqs {
        assert!([-libc::ECANCELED as isize, -libc::EBADF as isize].contains(&req.result));
        // SAFETY: see the head of this file.
        unsafe { uv_fs_req_cleanup(&mut **req) };
        assert!(req.bufs.is_null());
    }
}
