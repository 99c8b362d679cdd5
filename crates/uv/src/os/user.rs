//! Users and groups.
//!
//! # Safety
//! The strings of a record are one block of the replaceable allocator, which begins at `username` (a user) or `members` (a group).
//! Pointers to records are writable.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_ulong};

use phasor_sys::os::{self, Group, User};
use phasor_sys::{Errno, Result};

use crate::allocator;
use crate::layout::{uv_group_t, uv_passwd_t, uv_uid_t};

/// Copies a string with its NUL, and returns the address after it.
///
/// # Safety
/// `place` has enough bytes for the string.
unsafe fn copy_string(text: &CStr, place: *mut c_char) -> *mut c_char {
    let bytes = text.to_bytes_with_nul();
    // SAFETY: guaranteed by the caller.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr(), place, bytes.len());
        place.add(bytes.len())
    }
}

/// The effective user of this process.
///
/// # Safety
/// `pwd` is writable, or NULL, which is `EINVAL`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_os_get_passwd(pwd: *mut uv_passwd_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { copy_user(pwd, os::user) }
}

/// The user with the given id.
///
/// # Safety
/// `pwd` is writable, or NULL, which is `EINVAL`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_os_get_passwd2(pwd: *mut uv_passwd_t, uid: uv_uid_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { copy_user(pwd, || os::user_by_id(uid)) }
}

/// # Safety
/// `pwd` is writable, or NULL, which is `EINVAL`.
unsafe fn copy_user(pwd: *mut uv_passwd_t, find: impl FnOnce() -> Result<User>) -> c_int {
    if pwd.is_null() {
        return -Errno::EINVAL.raw();
    }
    let user = match find() {
        Ok(user) => user,
        Err(errno) => return -errno.raw(),
    };
    let bytes = [&user.name, &user.home, &user.shell].map(|text| text.to_bytes_with_nul().len()).iter().sum();
    // SAFETY: guaranteed by the caller; the block has the size of the three strings.
    unsafe {
        let username: *mut c_char = allocator::malloc(bytes).cast();
        if username.is_null() {
            return -Errno::ENOMEM.raw();
        }
        let homedir = copy_string(&user.name, username);
        let shell = copy_string(&user.home, homedir);
        copy_string(&user.shell, shell);
        *pwd = uv_passwd_t { username, uid: c_ulong::from(user.uid), gid: c_ulong::from(user.gid), shell, homedir };
    }
    0
}

/// Frees the strings of a user.
///
/// # Safety
/// `pwd` is NULL, or was filled by [`uv_os_get_passwd`] or [`uv_os_get_passwd2`]; its strings may be freed already.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_os_free_passwd(pwd: *mut uv_passwd_t) {
    if pwd.is_null() {
        return;
    }
    // SAFETY: guaranteed by the caller.
    unsafe {
        allocator::free((*pwd).username.cast());
        (*pwd).username = std::ptr::null_mut();
        (*pwd).shell = std::ptr::null_mut();
        (*pwd).homedir = std::ptr::null_mut();
    }
}

/// The group with the given id.
///
/// # Safety
/// `grp` is writable, or NULL, which is `EINVAL`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_os_get_group(grp: *mut uv_group_t, gid: uv_uid_t) -> c_int {
    if grp.is_null() {
        return -Errno::EINVAL.raw();
    }
    let Group { name, gid, members } = match os::group(gid) {
        Ok(group) => group,
        Err(errno) => return -errno.raw(),
    };
    let texts_bytes: usize = members.iter().chain([&name]).map(|text| text.to_bytes_with_nul().len()).sum();
    // SAFETY: guaranteed by the caller; the block has the size of the list with its NULL, and of the strings.
    unsafe {
        let list: *mut *mut c_char =
            allocator::malloc((members.len() + 1) * size_of::<*mut c_char>() + texts_bytes).cast();
        if list.is_null() {
            return -Errno::ENOMEM.raw();
        }
        let mut place: *mut c_char = list.add(members.len() + 1).cast();
        for (index, member) in members.iter().enumerate() {
            *list.add(index) = place;
            place = copy_string(member, place);
        }
        *list.add(members.len()) = std::ptr::null_mut();
        copy_string(&name, place);
        *grp = uv_group_t { groupname: place, gid: c_ulong::from(gid), members: list };
    }
    0
}

/// Frees the strings of a group.
///
/// # Safety
/// `grp` is NULL, or was filled by [`uv_os_get_group`]; its strings may be freed already.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_os_free_group(grp: *mut uv_group_t) {
    if grp.is_null() {
        return;
    }
    // SAFETY: guaranteed by the caller.
    unsafe {
        allocator::free((*grp).members.cast());
        (*grp).members = std::ptr::null_mut();
        (*grp).groupname = std::ptr::null_mut();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_is_copied_and_freed() {
        let mut user = uv_passwd_t {
            username: std::ptr::null_mut(),
            uid: 9,
            gid: 9,
            shell: std::ptr::null_mut(),
            homedir: std::ptr::null_mut(),
        };
        let mut group = uv_group_t { groupname: std::ptr::null_mut(), gid: 9, members: std::ptr::null_mut() };
        // SAFETY: the records are locals, and their strings are valid until they are freed.
        unsafe {
            assert_eq!(uv_os_get_passwd2(&mut user, 0), 0);
            let known = os::user_by_id(0).expect("root");
            assert_eq!((CStr::from_ptr(user.username), user.uid, user.gid), (c"root", 0, 0));
            assert_eq!(CStr::from_ptr(user.shell), known.shell.as_c_str());
            assert_eq!(CStr::from_ptr(user.homedir), known.home.as_c_str());
            uv_os_free_passwd(&mut user);
            assert!(user.username.is_null() && user.shell.is_null() && user.homedir.is_null());
            uv_os_free_passwd(&mut user);

            assert_eq!(uv_os_get_group(&mut group, 0), 0);
            assert_eq!((CStr::from_ptr(group.groupname), group.gid), (c"root", 0));
            let mut members = 0;
            while !(*group.members.add(members)).is_null() {
                members += 1;
            }
            assert_eq!(members, os::group(0).expect("root's group").members.len());
            uv_os_free_group(&mut group);
            uv_os_free_group(&mut group);
            assert_eq!(uv_os_get_passwd(std::ptr::null_mut()), -libc::EINVAL);
            assert_eq!(uv_os_get_group(std::ptr::null_mut(), 0), -libc::EINVAL);
        }
    }
}
