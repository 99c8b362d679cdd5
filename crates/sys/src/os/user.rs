//! The user and group databases.
//!
//! # Safety
//!
//! `getpwuid_r(3)` and `getgrgid_r(3)` fill a record with pointers into a buffer of ours. Everything is copied while
//! the buffer lives and before anything else is written to it.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString};

use crate::{Errno, Result};

/// An entry of the user database (`passwd(5)`).
#[derive(Clone, Debug)]
pub struct User {
    /// The login name.
    pub name: CString,
    /// The user id.
    pub uid: u32,
    /// The id of the primary group.
    pub gid: u32,
    /// The login shell.
    pub shell: CString,
    /// The home directory.
    pub home: CString,
}

/// An entry of the group database (`group(5)`).
#[derive(Clone, Debug)]
pub struct Group {
    /// The group's name.
    pub name: CString,
    /// The group id.
    pub gid: u32,
    /// The names of the members. Users whose primary group this is are usually not listed.
    pub members: Vec<CString>,
}

/// The effective user of this process.
#[doc(alias = "uv_os_get_passwd")]
pub fn user() -> Result<User> {
    user_by_id(rustix::process::geteuid().as_raw())
}

/// The user with an id. `ENOENT` if there is none.
#[doc(alias = "uv_os_get_passwd2")]
pub fn user_by_id(uid: u32) -> Result<User> {
    look_up(|buffer| {
        let mut record = std::mem::MaybeUninit::<libc::passwd>::uninit();
        let mut found = std::ptr::null_mut();
        // SAFETY: the record and the buffer outlive the call and the copies below.
        let status =
            unsafe { libc::getpwuid_r(uid, record.as_mut_ptr(), buffer.as_mut_ptr().cast(), buffer.len(), &mut found) };
        if status != 0 || found.is_null() {
            return Err(status);
        }
        // SAFETY: success filled the record; its strings are in `buffer`.
        Ok(unsafe {
            let record = record.assume_init();
            User {
                name: text(record.pw_name),
                uid: record.pw_uid,
                gid: record.pw_gid,
                shell: text(record.pw_shell),
                home: text(record.pw_dir),
            }
        })
    })
}

/// The group with an id. `ENOENT` if there is none.
#[doc(alias = "uv_os_get_group")]
pub fn group(gid: u32) -> Result<Group> {
    look_up(|buffer| {
        let mut record = std::mem::MaybeUninit::<libc::group>::uninit();
        let mut found = std::ptr::null_mut();
        // SAFETY: the record and the buffer outlive the call and the copies below.
        let status =
            unsafe { libc::getgrgid_r(gid, record.as_mut_ptr(), buffer.as_mut_ptr().cast(), buffer.len(), &mut found) };
        if status != 0 || found.is_null() {
            return Err(status);
        }
        // SAFETY: success filled the record; its strings and its null-terminated member list are in `buffer`.
        Ok(unsafe {
            let record = record.assume_init();
            let mut members = Vec::new();
            let mut next = record.gr_mem;
            while !next.is_null() && !(*next).is_null() {
                members.push(text(*next));
                next = next.add(1);
            }
            Group { name: text(record.gr_name), gid: record.gr_gid, members }
        })
    })
}

/// Repeats `call` with a larger buffer while it fails with `ERANGE`. An error is the C library's number, or 0 if there
/// is no such entry.
fn look_up<T>(mut call: impl FnMut(&mut [u8]) -> std::result::Result<T, i32>) -> Result<T> {
    /// More than any member list takes, so that a call that always fails with `ERANGE` terminates.
    const LIMIT_BYTES: usize = 1 << 28;
    let mut buffer = vec![0_u8; 2000];
    loop {
        match call(&mut buffer) {
            Ok(found) => return Ok(found),
            Err(0) => return Err(Errno::ENOENT),
            Err(libc::ERANGE) if buffer.len() < LIMIT_BYTES => buffer.resize(buffer.len() * 2, 0),
            Err(libc::EINTR) => {}
            Err(error) => return Err(Errno::from_raw(error)),
        }
    }
}

/// # Safety
/// `pointer` is null or a C string.
unsafe fn text(pointer: *const libc::c_char) -> CString {
    // SAFETY: the caller's contract.
    if pointer.is_null() { CString::default() } else { unsafe { CStr::from_ptr(pointer) }.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_is_a_user_and_a_group() {
        let root = user_by_id(0).expect("root");
        assert_eq!((root.name.as_c_str(), root.uid, root.gid), (c"root", 0, 0));
        let group = group(0).expect("root's group");
        assert_eq!((group.name.as_c_str(), group.gid), (c"root", 0));
    }

    #[test]
    fn an_unused_id_is_not_found() {
        assert_eq!(user_by_id(u32::MAX - 1).err(), Some(Errno::ENOENT));
        assert_eq!(group(u32::MAX - 1).err(), Some(Errno::ENOENT));
    }

    #[test]
    fn the_buffer_grows_after_erange() {
        let mut sizes = Vec::new();
        let result = look_up(|buffer| {
            sizes.push(buffer.len());
            match sizes.len() {
                1 | 3 => Err(libc::ERANGE),
                2 => Err(libc::EINTR),
                _ => Ok(()),
            }
        });
        assert_eq!((result, sizes), (Ok(()), vec![2000, 4000, 4000, 8000]));
        assert_eq!(look_up::<()>(|_| Err(libc::EIO)), Err(Errno::EIO));
    }
}
