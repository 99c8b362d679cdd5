//! Users and groups.
//!
//! # Safety
//! A record's texts are one block of the allocator, which its first field (a user's) or its list (a group's) begins.
//! Pointers to records may be written.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_ulong};

use phasor_sys::os::{self, Group, User};
use phasor_sys::{Errno, Result};

use crate::allocator;
use crate::layout::{uv_group_t, uv_passwd_t, uv_uid_t};

/// Copies a text with its nul, and gives where the next one may begin.
///
/// # Safety
/// `place` has room for it.
unsafe fn put(text: &CStr, place: *mut c_char) -> *mut c_char {
    let bytes = text.to_bytes_with_nul();
    // SAFETY: the caller's promise.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr(), place, bytes.len());
        place.add(bytes.len())
    }
}

/// The effective user of this process.
///
/// # Safety
/// `pwd` may be written, or is null, which is `EINVAL`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_os_get_passwd(pwd: *mut uv_passwd_t) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { give_user(pwd, os::user) }
}

/// A user by number.
///
/// # Safety
/// `pwd` may be written, or is null, which is `EINVAL`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_os_get_passwd2(pwd: *mut uv_passwd_t, uid: uv_uid_t) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { give_user(pwd, || os::user_by_id(uid)) }
}

/// # Safety
/// `pwd` may be written, or is null, which is `EINVAL`.
unsafe fn give_user(pwd: *mut uv_passwd_t, find: impl FnOnce() -> Result<User>) -> c_int {
    if pwd.is_null() {
        return -Errno::EINVAL.raw();
    }
    let user = match find() {
        Ok(user) => user,
        Err(errno) => return -errno.raw(),
    };
    let bytes = [&user.name, &user.home, &user.shell].map(|text| text.to_bytes_with_nul().len()).iter().sum();
    // SAFETY: the block has room for the three; the caller's promise.
    unsafe {
        let username: *mut c_char = allocator::malloc(bytes).cast();
        if username.is_null() {
            return -Errno::ENOMEM.raw();
        }
        let homedir = put(&user.name, username);
        let shell = put(&user.home, homedir);
        put(&user.shell, shell);
        *pwd = uv_passwd_t { username, uid: c_ulong::from(user.uid), gid: c_ulong::from(user.gid), shell, homedir };
    }
    0
}

/// Frees a user's texts.
///
/// # Safety
/// `pwd` is null, or was filled by one of the functions above, or freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_os_free_passwd(pwd: *mut uv_passwd_t) {
    if pwd.is_null() {
        return;
    }
    // SAFETY: the caller's promise.
    unsafe {
        allocator::free((*pwd).username.cast());
        (*pwd).username = std::ptr::null_mut();
        (*pwd).shell = std::ptr::null_mut();
        (*pwd).homedir = std::ptr::null_mut();
    }
}

/// A group by number.
///
/// # Safety
/// `grp` may be written, or is null, which is `EINVAL`.
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
    // SAFETY: the block has room for the list with its null and the texts; the caller's promise.
    unsafe {
        let list: *mut *mut c_char =
            allocator::malloc((members.len() + 1) * size_of::<*mut c_char>() + texts_bytes).cast();
        if list.is_null() {
            return -Errno::ENOMEM.raw();
        }
        let mut place: *mut c_char = list.add(members.len() + 1).cast();
        for (index, member) in members.iter().enumerate() {
            *list.add(index) = place;
            place = put(member, place);
        }
        *list.add(members.len()) = std::ptr::null_mut();
        put(&name, place);
        *grp = uv_group_t { groupname: place, gid: c_ulong::from(gid), members: list };
    }
    0
}

/// Frees a group's texts.
///
/// # Safety
/// `grp` is null, or was filled by [`uv_os_get_group`], or freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_os_free_group(grp: *mut uv_group_t) {
    if grp.is_null() {
        return;
    }
    // SAFETY: the caller's promise.
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
    fn root_is_given_whole_and_freed() {
        let mut user = uv_passwd_t {
            username: std::ptr::null_mut(),
            uid: 9,
            gid: 9,
            shell: std::ptr::null_mut(),
            homedir: std::ptr::null_mut(),
        };
        let mut group = uv_group_t { groupname: std::ptr::null_mut(), gid: 9, members: std::ptr::null_mut() };
        // SAFETY: records that may be written; their texts live until they are freed.
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
