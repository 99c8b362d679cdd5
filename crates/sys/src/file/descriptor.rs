//! Open files: opening, closing, reading, writing, truncating and syncing.
//!
//! [`close`] closes a number that a program passes to it. A wrong number closes another owner's file, whose next use
//! then fails with `EBADF` or acts on another file, as in C. No memory is touched.
//!
//! Bytes are read and written through lists of pointers ([`read_list`], [`write_list`]), whose memory the caller
//! guarantees; [`read`] and [`write`] guarantee it by borrowing slices. The kernel refuses unmapped memory with
//! `EFAULT`.
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::io::{IoSlice, IoSliceMut};
use std::os::fd::{AsRawFd, RawFd};

use rustix::fs::{Mode, OFlags};
use rustix::io::retry_on_intr;

use super::MAX_IO_BYTES;
use crate::fd::borrow;
use crate::{Errno, Fd, Result};

/// The most slices that one system call takes.
const IOV_MAX: usize = libc::UIO_MAXIOV as usize;

/// Opens a file with the kernel's `O_*` flags plus `O_CLOEXEC`. `mode`, less the umask, applies if the file is created.
#[doc(alias = "uv_fs_open")]
pub fn open(path: &CStr, flags: i32, mode: u32) -> Result<Fd> {
    let flags = OFlags::from_bits_retain(flags as u32) | OFlags::CLOEXEC;
    let opened = retry_on_intr(|| rustix::fs::open(path, flags, Mode::from_bits_retain(mode)))?;
    Ok(opened.into())
}

/// Closes a descriptor number, also 0, 1 and 2. `EINTR` and `EINPROGRESS` count as success, because the number is free
/// afterwards; as `src/unix/fs.c: uv__fs_close`.
#[doc(alias = "uv_fs_close")]
pub fn close(fd: RawFd) -> Result<()> {
    // SAFETY: `close` reads no memory; for the ownership of the number see the head of this file.
    if unsafe { libc::close(fd) } == 0 {
        return Ok(());
    }
    match Errno::last().raw() {
        libc::EINTR | libc::EINPROGRESS => Ok(()),
        error => Err(Errno::from_raw(error)),
    }
}

/// Reads once into the slices, in order, at `offset` or at the current position. Returns 0 at the end of the file.
///
/// As `src/unix/fs.c: uv__fs_read`: an empty list is `EINVAL`; if there are more than `IOV_MAX` slices, or more than
/// [`MAX_IO_BYTES`] in total, the last ones are not filled.
#[doc(alias = "uv_fs_read")]
pub fn read(fd: RawFd, slices: &mut [IoSliceMut<'_>], offset: Option<u64>) -> Result<usize> {
    // SAFETY: the standard library guarantees that `IoSliceMut` has the layout of `iovec`; the slices are mutably
    // borrowed during the call.
    unsafe { read_list(fd, std::slice::from_raw_parts(slices.as_ptr().cast(), slices.len()), offset) }
}

/// [`read`] that appends at most `limit` bytes to a vector, without initializing its spare capacity first. `ENOMEM` if
/// the memory cannot be allocated.
pub fn read_more(fd: RawFd, bytes: &mut Vec<u8>, limit: usize, offset: Option<u64>) -> Result<usize> {
    let limit = limit.min(MAX_IO_BYTES);
    bytes.try_reserve_exact(limit).map_err(|_| Errno::ENOMEM)?;
    let spare = libc::iovec { iov_base: bytes.spare_capacity_mut().as_mut_ptr().cast(), iov_len: limit };
    // SAFETY: the vector has this much spare capacity and is borrowed; the kernel initializes the bytes that it counts.
    unsafe {
        let count = read_list(fd, &[spare], offset)?;
        bytes.set_len(bytes.len() + count);
        Ok(count)
    }
}

/// [`read`] into memory that need not be a Rust slice: it may be uninitialized, overlap, or be null if the length is 0.
///
/// # Safety
/// Each piece is writable and used by no other code until this returns.
pub unsafe fn read_list(fd: RawFd, list: &[libc::iovec], offset: Option<u64>) -> Result<usize> {
    let list = &list[..readable_count(list)];
    let fd = if list.is_empty() { return Err(Errno::EINVAL) } else { borrow(fd)?.as_raw_fd() };
    // SAFETY: the caller's contract.
    count(|| unsafe {
        // One piece uses the plain call, because some devices do not implement the vectored one.
        match (list, offset) {
            ([only], None) => libc::read(fd, only.iov_base, only.iov_len.min(MAX_IO_BYTES)),
            ([only], Some(at)) => libc::pread64(fd, only.iov_base, only.iov_len.min(MAX_IO_BYTES), at as i64),
            (list, None) => libc::readv(fd, list.as_ptr(), list.len() as i32),
            (list, Some(at)) => libc::preadv64(fd, list.as_ptr(), list.len() as i32, at as i64),
        }
    })
}

/// The number of pieces that one call can fill: at least one unless the list is empty.
fn readable_count(list: &[libc::iovec]) -> usize {
    let mut total_bytes = 0;
    let fitting = list.iter().take(IOV_MAX).take_while(|piece| {
        total_bytes = piece.iov_len.saturating_add(total_bytes);
        total_bytes <= MAX_IO_BYTES
    });
    fitting.count().max(list.len().min(1))
}

/// Writes the slices, in order, at `offset` or at the current position, with as many calls as needed.
///
/// As `src/unix/fs.c: uv__fs_write_all`: after an error with some bytes written, returns their count and not the error.
/// `EINVAL` for an empty list or more than [`MAX_IO_BYTES`] in total.
#[doc(alias = "uv_fs_write")]
pub fn write(fd: RawFd, slices: &[IoSlice<'_>], offset: Option<u64>) -> Result<usize> {
    // SAFETY: the standard library guarantees that `IoSlice` has the layout of `iovec`; the slices are borrowed during
    // the call.
    unsafe { write_list(fd, std::slice::from_raw_parts(slices.as_ptr().cast(), slices.len()), offset) }
}

/// [`write()`] of memory that need not be a Rust slice: it may be uninitialized, or null if the length is 0.
///
/// # Safety
/// Each piece is readable, and no other code writes to it, until this returns.
pub unsafe fn write_list(fd: RawFd, list: &[libc::iovec], offset: Option<u64>) -> Result<usize> {
    let wanted = list.iter().fold(0_usize, |sum, piece| sum.saturating_add(piece.iov_len));
    if list.is_empty() || wanted > MAX_IO_BYTES {
        return Err(Errno::EINVAL);
    }
    let fd = borrow(fd)?.as_raw_fd();
    // SAFETY: the caller's contract.
    let mut total = unsafe { write_once(fd, list, offset)? };
    if total == 0 || total == wanted {
        return Ok(total);
    }
    // A mutable copy of the list is needed only after a partial write, which is rare.
    let mut rest = list.to_vec();
    let mut first = advance(&mut rest, total);
    while total < wanted {
        let position = offset.map(|offset| offset.saturating_add(total as u64));
        // SAFETY: the caller's contract; the rest is part of the list.
        match unsafe { write_once(fd, &rest[first..], position) } {
            Ok(0) | Err(_) => break,
            Ok(written) => {
                total += written;
                first += advance(&mut rest[first..], written);
            }
        }
    }
    Ok(total)
}

/// Removes `written` bytes from the front of the pieces, and returns the number of pieces that are written completely.
fn advance(list: &mut [libc::iovec], mut written: usize) -> usize {
    for (done, piece) in list.iter_mut().enumerate() {
        if written < piece.iov_len {
            piece.iov_base = piece.iov_base.wrapping_byte_add(written);
            piece.iov_len -= written;
            return done;
        }
        written -= piece.iov_len;
    }
    list.len()
}

/// # Safety
/// The requirements of [`write_list`].
unsafe fn write_once(fd: RawFd, list: &[libc::iovec], offset: Option<u64>) -> Result<usize> {
    let list = &list[..list.len().min(IOV_MAX)];
    // SAFETY: the caller's contract.
    count(|| unsafe {
        match (list, offset) {
            ([only], None) => libc::write(fd, only.iov_base, only.iov_len),
            ([only], Some(at)) => libc::pwrite64(fd, only.iov_base, only.iov_len, at as i64),
            (list, None) => libc::writev(fd, list.as_ptr(), list.len() as i32),
            (list, Some(at)) => libc::pwritev64(fd, list.as_ptr(), list.len() as i32, at as i64),
        }
    })
}

/// Repeats a call while it is interrupted. A negative result means `errno`.
fn count(mut call: impl FnMut() -> isize) -> Result<usize> {
    loop {
        match usize::try_from(call()) {
            Ok(count) => return Ok(count),
            Err(_) => match Errno::last() {
                Errno::EINTR => {}
                errno => return Err(errno),
            },
        }
    }
}

/// Waits until the content and the metadata are on the disk.
#[doc(alias = "uv_fs_fsync")]
pub fn fsync(fd: RawFd) -> Result<()> {
    let fd = borrow(fd)?;
    Ok(retry_on_intr(|| rustix::fs::fsync(fd))?)
}

/// Waits until the content, and the metadata needed to read it, are on the disk.
#[doc(alias = "uv_fs_fdatasync")]
pub fn fdatasync(fd: RawFd) -> Result<()> {
    let fd = borrow(fd)?;
    Ok(retry_on_intr(|| rustix::fs::fdatasync(fd))?)
}

/// Truncates or extends the file to this length; an extension is a hole. `EINVAL` above `i64::MAX`, the range of C's
/// negative lengths.
#[doc(alias = "uv_fs_ftruncate")]
pub fn ftruncate(fd: RawFd, length: u64) -> Result<()> {
    // Checked before the descriptor, as the kernel does.
    if length > i64::MAX as u64 {
        return Err(Errno::EINVAL);
    }
    let fd = borrow(fd)?;
    Ok(retry_on_intr(|| rustix::fs::ftruncate(fd, length))?)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::TempDir;
    use super::super::{stat, symlink};
    use super::*;

    const NEW: i32 = libc::O_RDWR | libc::O_CREAT | libc::O_EXCL;

    fn put(fd: &Fd, bytes: &[u8], offset: Option<u64>) -> Result<usize> {
        write(fd.as_raw_fd(), &[IoSlice::new(bytes)], offset)
    }

    fn get(fd: &Fd, length: usize, offset: Option<u64>) -> Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        let n = read(fd.as_raw_fd(), &mut [IoSliceMut::new(&mut bytes)], offset)?;
        bytes.truncate(n);
        Ok(bytes)
    }

    #[test]
    fn open_sets_mode_and_flags_and_reports_errors() {
        let dir = TempDir::new();
        let path = dir.at("f");
        let fd = open(&path, NEW, 0o640).unwrap();
        assert_eq!(stat(&path).unwrap().mode & 0o7137, 0o000, "no bits beyond the requested mode");
        assert!(rustix::io::fcntl_getfd(&fd).unwrap().contains(rustix::io::FdFlags::CLOEXEC));
        let fails = |path: &CStr, flags| open(path, flags, 0o644).unwrap_err();
        assert_eq!(fails(&path, NEW), Errno::EEXIST);
        assert_eq!(fails(&dir.at("none"), libc::O_RDONLY), Errno::ENOENT);
        assert_eq!(fails(&dir.at("f/x"), libc::O_RDONLY), Errno::ENOTDIR);
        assert_eq!(fails(&path, libc::O_DIRECTORY), Errno::ENOTDIR);
        assert_eq!(fails(&dir.root_c(), libc::O_WRONLY), Errno::EISDIR);
        symlink(c"l", &dir.at("l")).unwrap();
        assert_eq!(fails(&dir.at("l"), libc::O_RDONLY), Errno::ELOOP);
    }

    #[test]
    fn closing_an_invalid_number_fails() {
        let dir = TempDir::new();
        assert_eq!(close(open(&dir.at("f"), NEW, 0o600).unwrap().release()), Ok(()));
        assert_eq!(close(-1), Err(Errno::EBADF));
        assert_eq!(close(1_000_000_000), Err(Errno::EBADF));
    }

    #[test]
    fn the_position_moves_only_without_an_offset() {
        let dir = TempDir::new();
        let fd = open(&dir.at("f"), NEW, 0o600).unwrap();
        assert_eq!(put(&fd, b"hello", None), Ok(5));
        assert_eq!(put(&fd, b"J", Some(0)), Ok(1));
        assert_eq!(put(&fd, b" world", None), Ok(6));
        assert_eq!(get(&fd, 100, Some(0)).unwrap(), b"Jello world");
        assert_eq!(get(&fd, 100, None).unwrap(), b"", "the position is at the end");
        assert_eq!(get(&fd, 3, Some(6)).unwrap(), b"wor");
        assert_eq!(get(&fd, 3, Some(1000)).unwrap(), b"");
    }

    #[test]
    fn several_slices_are_written_and_read_in_order() {
        let dir = TempDir::new();
        let fd = open(&dir.at("f"), NEW, 0o600).unwrap();
        let text = [IoSlice::new(b"one "), IoSlice::new(b""), IoSlice::new(b"two")];
        assert_eq!(write(fd.as_raw_fd(), &text, None), Ok(7));
        assert_eq!(write(fd.as_raw_fd(), &text, Some(7)), Ok(7));
        let (mut a, mut b) = ([0; 6], [0; 20]);
        let n = read(fd.as_raw_fd(), &mut [IoSliceMut::new(&mut a), IoSliceMut::new(&mut b)], Some(0)).unwrap();
        assert_eq!((n, &a, &b[..8]), (14, b"one tw", b"oone two".as_slice()));
    }

    #[test]
    fn more_slices_than_iov_max_are_written() {
        let dir = TempDir::new();
        let fd = open(&dir.at("f"), NEW, 0o600).unwrap();
        let bytes: Vec<[u8; 3]> = (0..3000_u32).map(|i| [i as u8, (i >> 8) as u8, b'.']).collect();
        let slices: Vec<IoSlice<'_>> = bytes.iter().map(|b| IoSlice::new(b)).collect();
        assert_eq!(write(fd.as_raw_fd(), &slices, None), Ok(9000));
        assert_eq!(write(fd.as_raw_fd(), &slices, Some(9000)), Ok(9000));
        assert_eq!(dir.content("f"), bytes.concat().repeat(2));
        let mut into = vec![[0; 3]; 3000];
        let mut slices: Vec<IoSliceMut<'_>> = into.iter_mut().map(|b| IoSliceMut::new(b)).collect();
        assert_eq!(read(fd.as_raw_fd(), &mut slices, Some(0)), Ok(3 * IOV_MAX), "only the first IOV_MAX are filled");
        assert_eq!((&into[..IOV_MAX], into[IOV_MAX]), (&bytes[..IOV_MAX], [0; 3]));
    }

    #[test]
    fn an_error_after_a_partial_write_returns_the_count() {
        let (reader, writer) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::NONBLOCK).unwrap();
        let bytes = vec![7; 100_000];
        let slices: Vec<IoSlice<'_>> = bytes.chunks(50).map(IoSlice::new).collect();
        let n = write(writer.as_raw_fd(), &slices, None).unwrap();
        assert!((1..100_000).contains(&n), "the capacity of the pipe: {n}");
        assert_eq!(write(writer.as_raw_fd(), &slices, None), Err(Errno::EAGAIN));
        drop(reader);
    }

    #[test]
    fn invalid_arguments_are_refused_before_the_system_call() {
        assert_eq!(read(0, &mut [], None), Err(Errno::EINVAL));
        assert_eq!(write(0, &[], None), Err(Errno::EINVAL));
        let mut byte = [0];
        assert_eq!(read(-1, &mut [IoSliceMut::new(&mut byte)], None), Err(Errno::EBADF));
        assert_eq!(write(-1, &[IoSlice::new(&byte)], None), Err(Errno::EBADF));
        // The memory is only mapped, never touched.
        let vast = vec![0; MAX_IO_BYTES];
        let two = [IoSlice::new(&vast), IoSlice::new(&byte)];
        assert_eq!(write(1_000_000_000, &two, None), Err(Errno::EINVAL));
        assert_eq!(write(1_000_000_000, &two[..1], None), Err(Errno::EBADF));
    }

    #[test]
    fn reads_are_limited_to_max_io_bytes() {
        let piece = |len| libc::iovec { iov_base: std::ptr::null_mut(), iov_len: len };
        let list = [piece(8), piece(MAX_IO_BYTES + 1), piece(8)];
        assert_eq!(readable_count(&list), 1);
        assert_eq!(readable_count(&list[1..]), 1, "at least one piece is tried");
        assert_eq!(readable_count(&list[2..]), 1);
        assert_eq!(readable_count(&[]), 0);
        let mut vast = vec![0; MAX_IO_BYTES + 1];
        let zeros = open(c"/dev/null", libc::O_RDONLY, 0).unwrap();
        assert_eq!(read(zeros.as_raw_fd(), &mut [IoSliceMut::new(&mut vast)], None), Ok(0));
    }

    #[test]
    fn null_and_overlapping_pieces() {
        let dir = TempDir::new();
        let fd = open(&dir.at("f"), NEW, 0o600).unwrap().release();
        let piece = |base: *mut u8, len| libc::iovec { iov_base: base.cast(), iov_len: len };
        let mut bytes = *b"abcd";
        let (nothing, nowhere) = (piece(std::ptr::null_mut(), 0), piece(std::ptr::null_mut(), 4));
        let some = piece(bytes.as_mut_ptr(), 4);
        // SAFETY: the valid pieces may be read and written; the kernel refuses the null ones.
        unsafe {
            assert_eq!(write_list(fd, &[nothing, some, nothing], None), Ok(4));
            assert_eq!(write_list(fd, &[nothing], None), Ok(0));
            assert_eq!(write_list(fd, &[nowhere], None), Err(Errno::EFAULT));
            assert_eq!(read_list(fd, &[nothing], Some(0)), Ok(0));
            assert_eq!(read_list(fd, &[nowhere], Some(0)), Err(Errno::EFAULT));
            // Both pieces have the same bytes: the second piece overwrites the first.
            assert_eq!(read_list(fd, &[piece(some.iov_base.cast(), 2), nothing, some], Some(0)), Ok(4));
        }
        assert_eq!(&bytes, b"cdcd");
        close(fd).unwrap();
    }

    #[test]
    fn advance_removes_the_written_bytes() {
        let mut bytes = *b"abcdef";
        let mut list: Vec<_> = bytes
            .chunks_mut(2)
            .map(|chunk| libc::iovec { iov_base: chunk.as_mut_ptr().cast(), iov_len: chunk.len() })
            .collect();
        assert_eq!(advance(&mut list, 3), 1);
        assert_eq!((list[1].iov_len, list[1].iov_base), (1, (&raw mut bytes[3]).cast()));
        assert_eq!(advance(&mut list[1..], 1), 1);
        assert_eq!(advance(&mut list[2..], 2), 1);
    }

    #[test]
    fn wrong_types_of_descriptor_are_refused() {
        let dir = TempDir::new();
        let folder = open(&dir.root_c(), libc::O_RDONLY, 0).unwrap();
        assert_eq!(get(&folder, 1, None), Err(Errno::EISDIR));
        assert_eq!(put(&folder, b"x", None), Err(Errno::EBADF));
        let file = open(&dir.file("f", "x"), libc::O_RDONLY, 0).unwrap();
        assert_eq!(put(&file, b"x", None), Err(Errno::EBADF));
        assert_eq!(get(&file, 1, Some(u64::MAX)), Err(Errno::EINVAL));
        let (reader, _writer) = rustix::pipe::pipe().unwrap();
        assert_eq!(get(&reader.into(), 1, Some(0)), Err(Errno::ESPIPE));
    }

    #[test]
    fn ftruncate_and_sync() {
        let dir = TempDir::new();
        let fd = open(&dir.at("f"), NEW, 0o600).unwrap();
        put(&fd, b"hello", None).unwrap();
        let raw = fd.as_raw_fd();
        assert_eq!(ftruncate(raw, 3), Ok(()));
        assert_eq!(ftruncate(raw, 5), Ok(()));
        assert_eq!((fsync(raw), fdatasync(raw)), (Ok(()), Ok(())));
        assert_eq!(dir.content("f"), b"hel\0\0");
        assert_eq!(ftruncate(raw, -1_i64 as u64), Err(Errno::EINVAL));
        assert_eq!(ftruncate(-1, 0), Err(Errno::EBADF));
        assert_eq!((fsync(-1), fdatasync(-1)), (Err(Errno::EBADF), Err(Errno::EBADF)));
        let (reader, _writer) = rustix::pipe::pipe().unwrap();
        assert_eq!(fsync(reader.as_raw_fd()), Err(Errno::EINVAL));
    }
}
