//! Cryptographically secure random bytes from the kernel.
//!
//! This file has only the blocking call. No generator in user space may be added: it would need a seed, and a fork
//! would duplicate its state.

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::retry_on_intr;
use rustix::rand::GetRandomFlags;

use crate::{Errno, ReadBuf, Result};

/// The longest request; more is `E2BIG`, as in `src/random.c: uv_random`.
pub const MAX_BYTES: usize = 0x7FFF_FFFF;

/// `getrandom(2)` of up to 256 bytes is neither cut short nor interrupted once the entropy pool is initialized. Longer
/// requests could in theory be interrupted forever.
const CHUNK_BYTES: usize = 256;

/// Fills `bytes` with random data. Blocks until the kernel's entropy pool is initialized, which happens early in the
/// boot.
///
/// Falls back to `/dev/urandom` if the kernel has no `getrandom`, as `src/random.c: uv__random`. The `sysctl` that
/// libuv tries last was removed in Linux 5.5 and is not tried.
#[doc(alias = "uv_random")]
pub fn fill(bytes: &mut [u8]) -> Result<()> {
    fill_uninit(bytes.into())
}

/// [`fill`] for memory that may be uninitialized.
pub fn fill_uninit(mut buf: ReadBuf<'_>) -> Result<()> {
    if buf.len() > MAX_BYTES {
        return Err(Errno::E2BIG);
    }
    match fill_from_call(buf.as_uninit()) {
        Err(Errno::ENOSYS) => fill_from_device(buf.as_uninit()),
        result => result,
    }
}

fn fill_from_call(bytes: &mut [MaybeUninit<u8>]) -> Result<()> {
    fill_by_pieces(bytes, |rest| {
        let end = rest.len().min(CHUNK_BYTES);
        rustix::rand::getrandom(&mut rest[..end], GetRandomFlags::empty()).map(|(filled, _)| filled.len())
    })
}

/// Reads one byte of `/dev/random` first, which blocks until the pool is initialized; `/dev/urandom` never blocks. As
/// `src/unix/random-devurandom.c: uv__random_devurandom`.
fn fill_from_device(bytes: &mut [MaybeUninit<u8>]) -> Result<()> {
    // A plain flag and not a `Once`: waiting for another thread's initialization would hang in a child of `fork`, where
    // that thread does not exist.
    static SEEDED: AtomicBool = AtomicBool::new(false);
    if !SEEDED.load(Ordering::Relaxed) {
        fill_from_path(c"/dev/random", &mut [MaybeUninit::uninit()])?;
        SEEDED.store(true, Ordering::Relaxed);
    }
    fill_from_path(c"/dev/urandom", bytes)
}

/// Fills `bytes` from the character device at `path`. `EIO` for any other type of file, as
/// `src/unix/random-devurandom.c: uv__random_readpath`.
fn fill_from_path(path: &std::ffi::CStr, bytes: &mut [MaybeUninit<u8>]) -> Result<()> {
    let device = retry_on_intr(|| rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()))?;
    let kind = FileType::from_raw_mode(rustix::fs::fstat(&device)?.st_mode);
    if kind != FileType::CharacterDevice {
        return Err(Errno::EIO);
    }
    fill_by_pieces(bytes, |rest| rustix::io::read(&device, rest).map(|(filled, _)| filled.len()))
}

fn fill_by_pieces(
    bytes: &mut [MaybeUninit<u8>],
    mut piece: impl FnMut(&mut [MaybeUninit<u8>]) -> rustix::io::Result<usize>,
) -> Result<()> {
    let mut filled = 0;
    while filled < bytes.len() {
        match retry_on_intr(|| piece(&mut bytes[filled..]))? {
            0 => return Err(Errno::EIO),
            n => filled += n,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fills_every_size() {
        assert_eq!(fill(&mut []), Ok(()));
        for size in [1, 16, 255, 256, 257, 100_000] {
            let mut a = vec![0; size];
            fill(&mut a).unwrap();
            // 16 zero bytes at the end come up once in 2^128 runs, so this shows that the tail was filled.
            assert!(size < 16 || a[size - 16..].iter().any(|&byte| byte != 0), "{size}");
        }
    }

    #[test]
    fn the_device_fallback_fills_the_buffer() {
        let mut a = [0; 1000];
        fill_from_device(ReadBuf::from(&mut a).as_uninit()).unwrap();
        assert!(a[984..].iter().any(|&byte| byte != 0));
    }

    #[test]
    fn only_a_character_device_is_accepted() {
        assert_eq!(fill_from_path(c"/proc/self/stat", &mut [MaybeUninit::uninit(); 4]), Err(Errno::EIO));
        assert_eq!(
            fill_from_path(c"/dev/null", &mut [MaybeUninit::uninit(); 4]),
            Err(Errno::EIO),
            "end of file at once"
        );
        assert_eq!(fill_from_path(c"/dev/no-such", &mut [MaybeUninit::uninit(); 4]), Err(Errno::ENOENT));
    }

    #[test]
    fn too_long_a_request_is_refused() {
        // Zeroed memory of this size is only mapped, and the request is refused before it is touched.
        let mut vast = vec![0; MAX_BYTES + 1];
        assert_eq!(fill(&mut vast), Err(Errno::E2BIG));
    }
}
