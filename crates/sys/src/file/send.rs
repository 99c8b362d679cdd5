//! Copying bytes from one open file to another inside the kernel, with a fallback in user space.

use std::os::fd::{AsRawFd, BorrowedFd, RawFd};

use rustix::io::retry_on_intr;

use super::MAX_IO_BYTES;
use crate::fd::{borrow, wait_writable};
use crate::{Errno, Result};

/// The magic number of CephFS, whose `copy_file_range` fails with `EACCES` without reason before Linux 4.20.
const CEPH_MAGIC: u64 = 0x00C3_6400;
/// The magic numbers of SMB, SMB2 and CIFS.
const SMB_MAGICS: [u64; 3] = [0x517B, 0xFE53_4D42, 0xFF53_4D42];

/// The buffer size of the fallback.
const BUFFER_BYTES: usize = 8192;

/// Copies up to `len` bytes of `input` from `offset` on to the current position of `output`. Returns the number of
/// bytes copied.
///
/// As `src/unix/fs.c: uv__fs_sendfile`: tries `copy_file_range`, then `sendfile`, then read and write. The position of
/// `input` does not change; a pipe, which has no positions, is read from the front. `EINVAL` for more than
/// [`MAX_IO_BYTES`]. An offset above `i64::MAX` (negative in C) is refused by the kernel: `EINVAL`, or `EOVERFLOW` if
/// the sum overflows.
#[doc(alias = "uv_fs_sendfile")]
pub fn sendfile(output: RawFd, input: RawFd, offset: u64, len: usize) -> Result<usize> {
    if len > MAX_IO_BYTES {
        return Err(Errno::EINVAL);
    }
    let (output, input) = (borrow(output)?, borrow(input)?);
    let sent = match copy_range(output, input, offset, len) {
        Err(Errno::ENOSYS) => send_range(output, input, offset, len),
        sent => sent,
    };
    match sent {
        Err(Errno::EINVAL | Errno::EIO | Errno::ENOTSOCK | Errno::EXDEV) => read_and_write(output, input, offset, len),
        sent => sent,
    }
}

/// As `src/unix/fs.c: uv__fs_try_copy_file_range`: `ENOSYS` for every error after which `sendfile` may still succeed.
fn copy_range(output: BorrowedFd<'_>, input: BorrowedFd<'_>, offset: u64, len: usize) -> Result<usize> {
    let copied = retry_on_intr(|| {
        let mut position = offset;
        rustix::fs::copy_file_range(input, Some(&mut position), output, None, len)
    });
    match copied.map_err(Errno::from) {
        Err(Errno::ENOTSUP | Errno::EXDEV) => Err(Errno::ENOSYS),
        Err(Errno::EACCES) if fs_magic(input) == Some(CEPH_MAGIC) => Err(Errno::ENOSYS),
        Err(Errno::EPERM) if is_smb(output) => Err(Errno::ENOSYS),
        copied => copied,
    }
}

fn send_range(output: BorrowedFd<'_>, input: BorrowedFd<'_>, offset: u64, len: usize) -> Result<usize> {
    Ok(retry_on_intr(|| {
        let mut position = offset;
        rustix::fs::sendfile(output, input, Some(&mut position), len)
    })?)
}

/// True if the file is on an SMB share, where some calls fail without reason. As `src/unix/fs.c: uv__is_cifs_or_smb`.
pub(super) fn is_smb(fd: BorrowedFd<'_>) -> bool {
    fs_magic(fd).is_some_and(|kind| SMB_MAGICS.contains(&kind))
}

/// The low 32 bits of the file system's magic number: some machines sign-extend it.
fn fs_magic(fd: BorrowedFd<'_>) -> Option<u64> {
    let found = rustix::fs::fstatfs(fd).ok()?;
    Some(found.f_type as u64 & 0xFFFF_FFFF)
}

/// As `src/unix/fs.c: uv__fs_sendfile_emul`. A read error after some bytes were copied ends the copy and returns their
/// count. A write error is always returned, because bytes that were read are lost. Blocks while `output` is full.
fn read_and_write(output: BorrowedFd<'_>, input: BorrowedFd<'_>, offset: u64, len: usize) -> Result<usize> {
    let mut buffer = [0; BUFFER_BYTES];
    let mut has_position = true;
    let mut sent = 0;
    while sent < len {
        let piece = &mut buffer[..BUFFER_BYTES.min(len - sent)];
        let taken = retry_on_intr(|| match has_position {
            true => rustix::io::pread(input, &mut *piece, offset.saturating_add(sent as u64)),
            false => rustix::io::read(input, &mut *piece),
        });
        match taken.map_err(Errno::from) {
            Ok(0) => break,
            Ok(taken) => {
                write_whole(output, &buffer[..taken])?;
                sent += taken;
            }
            Err(Errno::EIO | Errno::ESPIPE) if has_position && sent == 0 => has_position = false,
            Err(error) if sent == 0 => return Err(error),
            Err(_) => break,
        }
    }
    Ok(sent)
}

fn write_whole(output: BorrowedFd<'_>, mut bytes: &[u8]) -> Result<()> {
    while !bytes.is_empty() {
        match retry_on_intr(|| rustix::io::write(output, bytes)).map_err(Errno::from) {
            Ok(written) => bytes = &bytes[written..],
            Err(Errno::EAGAIN) if wait_writable(output.as_raw_fd()) == Ok(true) => {}
            Err(Errno::EAGAIN) => return Err(Errno::EIO),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::fd::AsRawFd;
    use std::os::unix::net::UnixStream;

    use super::super::fixture::TempDir;
    use super::super::open;
    use super::*;

    fn pattern(length: usize) -> Vec<u8> {
        (0..length).map(|i| (i * 7 + i / 251) as u8).collect()
    }

    #[test]
    fn files_are_copied_from_an_offset() {
        let dir = TempDir::new();
        let bytes = pattern(100_000);
        let input = open(&dir.file("in", &bytes), libc::O_RDONLY, 0).unwrap();
        let output = open(&dir.at("out"), libc::O_WRONLY | libc::O_CREAT, 0o600).unwrap();
        let send = |offset, len| sendfile(output.as_raw_fd(), input.as_raw_fd(), offset, len);
        assert_eq!(send(10, 50_000), Ok(50_000));
        assert_eq!(send(50_010, 1_000_000), Ok(49_990), "up to the end of the file");
        assert_eq!(send(100_000, 10), Ok(0));
        assert_eq!(dir.content("out"), &bytes[10..]);
        assert_eq!(rustix::fs::tell(&input).unwrap(), 0);
    }

    #[test]
    fn sendfile_and_the_fallback_do_the_same() {
        let dir = TempDir::new();
        let bytes = pattern(3 * BUFFER_BYTES + 5);
        let input = open(&dir.file("in", &bytes), libc::O_RDONLY, 0).unwrap();
        let input = borrow(input.as_raw_fd()).unwrap();
        for (name, way) in [("send", send_range as fn(_, _, _, _) -> _), ("emulated", read_and_write)] {
            let output = open(&dir.at(name), libc::O_WRONLY | libc::O_CREAT, 0o600).unwrap();
            assert_eq!(way(borrow(output.as_raw_fd()).unwrap(), input, 3, MAX_IO_BYTES), Ok(bytes.len() - 3));
            assert_eq!(dir.content(name), &bytes[3..], "{name}");
        }
    }

    #[test]
    fn a_pipe_can_be_the_input() {
        let dir = TempDir::new();
        let (reader, writer) = rustix::pipe::pipe().unwrap();
        rustix::io::write(&writer, b"from a pipe").unwrap();
        drop(writer);
        let output = open(&dir.at("out"), libc::O_WRONLY | libc::O_CREAT, 0o600).unwrap();
        assert_eq!(sendfile(output.as_raw_fd(), reader.as_raw_fd(), 0, 1000), Ok(11));
        assert_eq!(dir.content("out"), b"from a pipe");
    }

    #[test]
    fn the_fallback_waits_for_a_full_socket() {
        let dir = TempDir::new();
        let bytes = pattern(2_000_000);
        let input = open(&dir.file("in", &bytes), libc::O_RDONLY, 0).unwrap();
        let (near, mut far) = UnixStream::pair().unwrap();
        near.set_nonblocking(true).unwrap();
        let reader = std::thread::spawn(move || {
            let mut all = Vec::new();
            far.read_to_end(&mut all).unwrap();
            all
        });
        assert_eq!(sendfile(near.as_raw_fd(), input.as_raw_fd(), 0, bytes.len()), Ok(bytes.len()));
        drop(near);
        assert!(reader.join().unwrap() == bytes);
    }

    #[test]
    fn invalid_arguments_are_refused() {
        let dir = TempDir::new();
        let path = dir.file("f", "abc");
        let input = open(&path, libc::O_RDONLY, 0).unwrap();
        let output = open(&dir.at("out"), libc::O_WRONLY | libc::O_CREAT, 0o600).unwrap();
        let (input, output) = (input.as_raw_fd(), output.as_raw_fd());
        assert_eq!(sendfile(-1, input, 0, 1), Err(Errno::EBADF));
        assert_eq!(sendfile(output, -1, 0, 1), Err(Errno::EBADF));
        assert_eq!(sendfile(input, input, 0, 1), Err(Errno::EBADF), "not open for writing");
        assert_eq!(sendfile(output, input, i64::MIN as u64, 1), Err(Errno::EINVAL));
        assert!(matches!(sendfile(output, input, -1_i64 as u64, 1), Err(Errno::EINVAL | Errno::EOVERFLOW)));
        assert_eq!(sendfile(output, input, 0, MAX_IO_BYTES + 1), Err(Errno::EINVAL));
        let folder = open(&dir.root_c(), libc::O_RDONLY, 0).unwrap();
        assert_eq!(sendfile(output, folder.as_raw_fd(), 0, 1), Err(Errno::EISDIR));
    }
}
