//! Moving bytes from one open file to another without a detour, as far as the kernel can.

use std::os::fd::{AsRawFd, BorrowedFd, RawFd};

use rustix::io::retry_on_intr;

use super::MAX_IO_BYTES;
use crate::fd::{borrow, wait_writable};
use crate::{Errno, Result};

/// The kind of file system whose `copy_file_range` is refused for no reason, before Linux 4.20.
const CEPH_MAGIC: u64 = 0x00C3_6400;
/// SMB, SMB2 and CIFS.
const SMB_MAGICS: [u64; 3] = [0x517B, 0xFE53_4D42, 0xFF53_4D42];

/// How much the fallback copies at a time.
const BUFFER_BYTES: usize = 8192;

/// Sends up to `len` bytes of `input`, from `offset` on, to the current position of `output`. Says how many went.
///
/// As `uv__fs_sendfile`: `copy_file_range`, else `sendfile`, else read and write. The position of `input` stays; one
/// without positions, a pipe, is read from where it is. More than [`MAX_IO_BYTES`] is `EINVAL`. An offset above
/// `i64::MAX`, where C's negative ones land, is the kernel's to refuse: `EINVAL`, or `EOVERFLOW` if the sum wraps.
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

/// As `uv__fs_try_copy_file_range`: `ENOSYS` for every failure that another way may not share.
fn copy_range(output: BorrowedFd<'_>, input: BorrowedFd<'_>, offset: u64, len: usize) -> Result<usize> {
    let copied = retry_on_intr(|| {
        let mut position = offset;
        rustix::fs::copy_file_range(input, Some(&mut position), output, None, len)
    });
    match copied.map_err(Errno::from) {
        Err(Errno::ENOTSUP | Errno::EXDEV) => Err(Errno::ENOSYS),
        Err(Errno::EACCES) if kind_of_file_system(input) == Some(CEPH_MAGIC) => Err(Errno::ENOSYS),
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

/// Whether a file lives on a Windows share, where some calls fail for no reason.
pub(super) fn is_smb(fd: BorrowedFd<'_>) -> bool {
    kind_of_file_system(fd).is_some_and(|kind| SMB_MAGICS.contains(&kind))
}

/// The low half of the magic number: on some machines it comes sign-extended.
fn kind_of_file_system(fd: BorrowedFd<'_>) -> Option<u64> {
    let found = rustix::fs::fstatfs(fd).ok()?;
    Some(found.f_type as u64 & 0xFFFF_FFFF)
}

/// As `uv__fs_sendfile_emul`. A read that fails after some bytes went ends the work with their number; a write that
/// fails is always reported, since bytes were taken and are lost. An output that is full is waited for.
fn read_and_write(output: BorrowedFd<'_>, input: BorrowedFd<'_>, offset: u64, len: usize) -> Result<usize> {
    let mut buffer = [0; BUFFER_BYTES];
    let mut has_positions = true;
    let mut sent = 0;
    while sent < len {
        let room = &mut buffer[..BUFFER_BYTES.min(len - sent)];
        let taken = retry_on_intr(|| match has_positions {
            true => rustix::io::pread(input, &mut *room, offset.saturating_add(sent as u64)),
            false => rustix::io::read(input, &mut *room),
        });
        match taken.map_err(Errno::from) {
            Ok(0) => break,
            Ok(taken) => {
                write_whole(output, &buffer[..taken])?;
                sent += taken;
            }
            Err(Errno::EIO | Errno::ESPIPE) if has_positions && sent == 0 => has_positions = false,
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
    fn between_files_from_an_offset() {
        let dir = TempDir::new();
        let bytes = pattern(100_000);
        let input = open(&dir.file("in", &bytes), libc::O_RDONLY, 0).unwrap();
        let output = open(&dir.at("out"), libc::O_WRONLY | libc::O_CREAT, 0o600).unwrap();
        let send = |offset, len| sendfile(output.as_raw_fd(), input.as_raw_fd(), offset, len);
        assert_eq!(send(10, 50_000), Ok(50_000));
        assert_eq!(send(50_010, 1_000_000), Ok(49_990), "up to the end");
        assert_eq!(send(100_000, 10), Ok(0));
        assert_eq!(dir.content("out"), &bytes[10..]);
        assert_eq!(rustix::fs::tell(&input).unwrap(), 0);
    }

    #[test]
    fn each_way_does_the_same() {
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
    fn from_a_pipe() {
        let dir = TempDir::new();
        let (reader, writer) = rustix::pipe::pipe().unwrap();
        rustix::io::write(&writer, b"from a pipe").unwrap();
        drop(writer);
        let output = open(&dir.at("out"), libc::O_WRONLY | libc::O_CREAT, 0o600).unwrap();
        assert_eq!(sendfile(output.as_raw_fd(), reader.as_raw_fd(), 0, 1000), Ok(11));
        assert_eq!(dir.content("out"), b"from a pipe");
    }

    #[test]
    fn a_full_socket_is_waited_for() {
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
    fn errors() {
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
