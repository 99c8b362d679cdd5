//! Open files: opening, closing, reading, writing, cutting, and pushing to the disk.
//!
//! # Safety
//! [`close`] takes a number on trust, because a program that holds numbers is who asks for it. A wrong one closes
//! somebody else's file: that one's next call answers `EBADF`, or acts on another file, as in C. No memory is touched.
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::io::{IoSlice, IoSliceMut};
use std::os::fd::{BorrowedFd, RawFd};

use rustix::fs::{Mode, OFlags};
use rustix::io::retry_on_intr;

use super::MAX_IO_BYTES;
use crate::fd::borrow;
use crate::{Errno, Fd, Result};

/// How many slices the kernel takes at once.
const IOV_MAX: usize = libc::UIO_MAXIOV as usize;

/// Opens a file with the kernel's own `O_` flags, plus close-on-exec. `mode` counts, less the umask, if one is made.
#[doc(alias = "uv_fs_open")]
pub fn open(path: &CStr, flags: i32, mode: u32) -> Result<Fd> {
    let flags = OFlags::from_bits_retain(flags as u32) | OFlags::CLOEXEC;
    let opened = retry_on_intr(|| rustix::fs::open(path, flags, Mode::from_bits_retain(mode)))?;
    Ok(opened.into())
}

/// Closes a number, the standard ones as well. As `uv__fs_close`: a close that was interrupted or goes on by itself
/// has happened.
#[doc(alias = "uv_fs_close")]
pub fn close(fd: RawFd) -> Result<()> {
    // SAFETY: `close` reads no memory; for whose number this is see the head of this file.
    if unsafe { libc::close(fd) } == 0 {
        return Ok(());
    }
    match Errno::last().raw() {
        libc::EINTR | libc::EINPROGRESS => Ok(()),
        error => Err(Errno::from_raw(error)),
    }
}

/// Reads once into the slices, in order, at `offset` or else at the current position. 0 is the end of the file.
///
/// As `uv__fs_read`: no slices at all is `EINVAL`; of very many, or of more than [`MAX_IO_BYTES`] in all, the last ones
/// stay empty.
#[doc(alias = "uv_fs_read")]
pub fn read(fd: RawFd, slices: &mut [IoSliceMut<'_>], offset: Option<u64>) -> Result<usize> {
    let count = readable_count(slices);
    let fd = if count == 0 { return Err(Errno::EINVAL) } else { borrow(fd)? };
    let slices = &mut slices[..count];
    // One slice goes by the plain call: some devices implement no other.
    let single = if let [only] = slices { Some(only.len().min(MAX_IO_BYTES)) } else { None };
    Ok(retry_on_intr(|| match (single, offset) {
        (Some(length), None) => rustix::io::read(fd, &mut slices[0][..length]),
        (Some(length), Some(offset)) => rustix::io::pread(fd, &mut slices[0][..length], offset),
        (None, None) => rustix::io::readv(fd, slices),
        (None, Some(offset)) => rustix::io::preadv(fd, slices, offset),
    })?)
}

/// How many of the slices one call can fill. At least one, if there is one.
fn readable_count(slices: &[IoSliceMut<'_>]) -> usize {
    let mut total_bytes = 0;
    let fitting = slices.iter().take(IOV_MAX).take_while(|slice| {
        total_bytes = slice.len().saturating_add(total_bytes);
        total_bytes <= MAX_IO_BYTES
    });
    fitting.count().max(slices.len().min(1))
}

/// Writes the slices, in order, at `offset` or else at the current position, in as many calls as it takes.
///
/// As `uv__fs_write_all`: an error after some bytes went out is not reported, their number is. No slices at all, or
/// more than [`MAX_IO_BYTES`] in all, is `EINVAL`.
#[doc(alias = "uv_fs_write")]
pub fn write(fd: RawFd, slices: &[IoSlice<'_>], offset: Option<u64>) -> Result<usize> {
    let wanted = slices.iter().fold(0_usize, |sum, slice| sum.saturating_add(slice.len()));
    if slices.is_empty() || wanted > MAX_IO_BYTES {
        return Err(Errno::EINVAL);
    }
    let fd = borrow(fd)?;
    let mut total = write_once(fd, slices, offset)?;
    if total == 0 || total == wanted {
        return Ok(total);
    }
    // Only the rare incomplete write pays for a list that can be cut.
    let mut list = slices.to_vec();
    let mut rest = &mut list[..];
    IoSlice::advance_slices(&mut rest, total);
    while total < wanted {
        let position = offset.map(|offset| offset.saturating_add(total as u64));
        match write_once(fd, rest, position) {
            Ok(0) | Err(_) => break,
            Ok(written) => {
                total += written;
                IoSlice::advance_slices(&mut rest, written);
            }
        }
    }
    Ok(total)
}

fn write_once(fd: BorrowedFd<'_>, slices: &[IoSlice<'_>], offset: Option<u64>) -> Result<usize> {
    let slices = &slices[..slices.len().min(IOV_MAX)];
    Ok(retry_on_intr(|| match (slices, offset) {
        ([only], None) => rustix::io::write(fd, only),
        ([only], Some(offset)) => rustix::io::pwrite(fd, only, offset),
        (_, None) => rustix::io::writev(fd, slices),
        (_, Some(offset)) => rustix::io::pwritev(fd, slices, offset),
    })?)
}

/// Waits until content and description are on the disk.
#[doc(alias = "uv_fs_fsync")]
pub fn fsync(fd: RawFd) -> Result<()> {
    let fd = borrow(fd)?;
    Ok(retry_on_intr(|| rustix::fs::fsync(fd))?)
}

/// Waits until the content, and what is needed to find it again, is on the disk.
#[doc(alias = "uv_fs_fdatasync")]
pub fn fdatasync(fd: RawFd) -> Result<()> {
    let fd = borrow(fd)?;
    Ok(retry_on_intr(|| rustix::fs::fdatasync(fd))?)
}

/// Makes the file this long, cutting it or adding a hole. Above `i64::MAX`, where C's negative lengths land, `EINVAL`.
#[doc(alias = "uv_fs_ftruncate")]
pub fn ftruncate(fd: RawFd, length: u64) -> Result<()> {
    let fd = borrow(fd)?;
    Ok(retry_on_intr(|| rustix::fs::ftruncate(fd, length))?)
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;

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
    fn opening_and_its_errors() {
        let dir = TempDir::new();
        let path = dir.at("f");
        let fd = open(&path, NEW, 0o640).unwrap();
        assert_eq!(stat(&path).unwrap().mode & 0o7137, 0o000, "at most what was asked for");
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
    fn closing_reports_a_bad_number() {
        let dir = TempDir::new();
        assert_eq!(close(open(&dir.at("f"), NEW, 0o600).unwrap().release()), Ok(()));
        assert_eq!(close(-1), Err(Errno::EBADF));
        assert_eq!(close(1_000_000_000), Err(Errno::EBADF));
    }

    #[test]
    fn position_moves_only_without_an_offset() {
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
    fn several_slices_are_one_text() {
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
    fn more_slices_than_the_kernel_takes() {
        let dir = TempDir::new();
        let fd = open(&dir.at("f"), NEW, 0o600).unwrap();
        let bytes: Vec<[u8; 3]> = (0..3000_u32).map(|i| [i as u8, (i >> 8) as u8, b'.']).collect();
        let slices: Vec<IoSlice<'_>> = bytes.iter().map(|b| IoSlice::new(b)).collect();
        assert_eq!(write(fd.as_raw_fd(), &slices, None), Ok(9000));
        assert_eq!(write(fd.as_raw_fd(), &slices, Some(9000)), Ok(9000));
        assert_eq!(dir.content("f"), bytes.concat().repeat(2));
        let mut into = vec![[0; 3]; 3000];
        let mut slices: Vec<IoSliceMut<'_>> = into.iter_mut().map(|b| IoSliceMut::new(b)).collect();
        assert_eq!(read(fd.as_raw_fd(), &mut slices, Some(0)), Ok(3 * IOV_MAX), "only the first are filled");
        assert_eq!((&into[..IOV_MAX], into[IOV_MAX]), (&bytes[..IOV_MAX], [0; 3]));
    }

    #[test]
    fn an_error_after_some_bytes_is_their_number() {
        let (reader, writer) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::NONBLOCK).unwrap();
        let bytes = vec![7; 100_000];
        let slices: Vec<IoSlice<'_>> = bytes.chunks(50).map(IoSlice::new).collect();
        let n = write(writer.as_raw_fd(), &slices, None).unwrap();
        assert!((1..100_000).contains(&n), "what the pipe holds: {n}");
        assert_eq!(write(writer.as_raw_fd(), &slices, None), Err(Errno::EAGAIN));
        drop(reader);
    }

    #[test]
    fn refused_before_the_kernel_is_asked() {
        assert_eq!(read(0, &mut [], None), Err(Errno::EINVAL));
        assert_eq!(write(0, &[], None), Err(Errno::EINVAL));
        let mut byte = [0];
        assert_eq!(read(-1, &mut [IoSliceMut::new(&mut byte)], None), Err(Errno::EBADF));
        assert_eq!(write(-1, &[IoSlice::new(&byte)], None), Err(Errno::EBADF));
        // Only mapped, never touched.
        let vast = vec![0; MAX_IO_BYTES];
        let two = [IoSlice::new(&vast), IoSlice::new(&byte)];
        assert_eq!(write(1_000_000_000, &two, None), Err(Errno::EINVAL));
        assert_eq!(write(1_000_000_000, &two[..1], None), Err(Errno::EBADF));
    }

    #[test]
    fn reads_are_cut_at_the_limit() {
        let (mut vast, mut small, mut tiny) = (vec![0; MAX_IO_BYTES + 1], [0; 8], [0; 8]);
        let mut slices = [IoSliceMut::new(&mut small), IoSliceMut::new(&mut vast), IoSliceMut::new(&mut tiny)];
        assert_eq!(readable_count(&slices), 1);
        assert_eq!(readable_count(&slices[1..]), 1, "one is always tried");
        assert_eq!(readable_count(&slices[2..]), 1);
        assert_eq!(readable_count(&[]), 0);
        let zeros = open(c"/dev/null", libc::O_RDONLY, 0).unwrap();
        assert_eq!(read(zeros.as_raw_fd(), &mut slices[1..2], None), Ok(0));
    }

    #[test]
    fn wrong_kinds_of_descriptor() {
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
    fn cutting_and_syncing() {
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
