//! Temporary files and directories with unique names.

use std::ffi::{CStr, CString};

use super::{mkdir, open};
use crate::{Errno, Fd, Result, random};

/// The end of a template, which is replaced.
const PATTERN: &[u8] = b"XXXXXX";
const LETTERS: &[u8; 62] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
/// The number of names to try, as in glibc (`sysdeps/posix/tempname.c: ATTEMPTS_MIN`).
const ATTEMPTS: u32 = 62 * 62 * 62;

/// Creates a directory with mode 0700 and returns its path. `EINVAL` for a template that does not end with `XXXXXX`.
#[doc(alias = "uv_fs_mkdtemp")]
pub fn mkdtemp(template: &CStr) -> Result<CString> {
    let ((), path) = with_unique_name(template, |path| mkdir(path, 0o700))?;
    Ok(path)
}

/// Creates a file with mode 0600, opens it for reading and writing, and returns its path too. `EINVAL` for a template
/// that does not end with `XXXXXX`.
#[doc(alias = "uv_fs_mkstemp")]
pub fn mkstemp(template: &CStr) -> Result<(Fd, CString)> {
    let flags = libc::O_RDWR | libc::O_CREAT | libc::O_EXCL;
    with_unique_name(template, |path| open(path, flags, 0o600))
}

fn with_unique_name<T>(template: &CStr, make: impl Fn(&CStr) -> Result<T>) -> Result<(T, CString)> {
    let stem = template.to_bytes().strip_suffix(PATTERN).ok_or(Errno::EINVAL)?;
    for _ in 0..ATTEMPTS {
        let mut bytes = stem.to_vec();
        bytes.extend_from_slice(&random_letters()?);
        let path = super::path(bytes)?;
        match make(&path) {
            Err(Errno::EEXIST) => {}
            made => return Ok((made?, path)),
        }
    }
    Err(Errno::EEXIST)
}

fn random_letters() -> Result<[u8; PATTERN.len()]> {
    let mut seed = [0; 8];
    random::fill(&mut seed)?;
    let mut number = u64::from_ne_bytes(seed);
    let mut letters = [0; PATTERN.len()];
    for letter in &mut letters {
        *letter = LETTERS[(number % 62) as usize];
        number /= 62;
    }
    Ok(letters)
}

#[cfg(test)]
mod tests {
    use std::io::IoSlice;
    use std::os::fd::AsRawFd;

    use super::super::fixture::TempDir;
    use super::super::{stat, write};
    use super::*;

    #[test]
    fn directories_have_mode_0700_and_unique_names() {
        let dir = TempDir::new();
        let template = dir.at("d-XXXXXX");
        let (a, b) = (mkdtemp(&template).unwrap(), mkdtemp(&template).unwrap());
        assert_ne!(a, b);
        assert_eq!(a.to_bytes().len(), template.to_bytes().len());
        assert!(a.to_bytes().starts_with(dir.at("d-").to_bytes()));
        assert_eq!(stat(&a).unwrap().mode, u64::from(libc::S_IFDIR) | 0o700);
    }

    #[test]
    fn files_have_mode_0600_and_are_close_on_exec() {
        let dir = TempDir::new();
        let (fd, path) = mkstemp(&dir.at("XXXXXX")).unwrap();
        assert_eq!(write(fd.as_raw_fd(), &[IoSlice::new(b"hi")], None), Ok(2));
        let found = stat(&path).unwrap();
        assert_eq!((found.mode, found.size), (u64::from(libc::S_IFREG) | 0o600, 2));
        assert!(rustix::io::fcntl_getfd(&fd).unwrap().contains(rustix::io::FdFlags::CLOEXEC));
    }

    #[test]
    fn invalid_templates_are_refused() {
        let dir = TempDir::new();
        for bad in ["XXXXX", "aXXXXXXb", "XXXXXx", ""] {
            let template = super::super::path(bad).unwrap();
            assert_eq!(mkdtemp(&template).unwrap_err(), Errno::EINVAL, "{bad}");
            assert_eq!(mkstemp(&template).unwrap_err(), Errno::EINVAL, "{bad}");
        }
        assert_eq!(mkdtemp(&dir.at("none/XXXXXX")).unwrap_err(), Errno::ENOENT);
        assert_eq!(mkstemp(&dir.at("none/XXXXXX")).unwrap_err(), Errno::ENOENT);
    }

    #[test]
    fn an_existing_name_is_tried_again() {
        let calls = std::cell::Cell::new(0);
        let made = with_unique_name(c"XXXXXX", |_| {
            calls.set(calls.get() + 1);
            if calls.get() < 5 { Err(Errno::EEXIST) } else { Ok(()) }
        });
        assert!(made.is_ok());
        assert_eq!(calls.get(), 5);
    }
}
