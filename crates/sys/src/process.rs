//! State of the calling process: resource usage, user and group ids, umask, working directory, environment. Child
//! processes are in `spawn`.
//!
//! # Safety
//! `getrusage` fills a struct of ours, `getcwd` a buffer of ours. `umask` and the calls that set ids touch no memory;
//! those for groups read a slice or a C string of ours. Changing the environment races with threads that read it
//! without the standard library's lock, such as the C library's resolver. Callers therefore change it on the main
//! thread only, the same contract as `setenv(3)` in C.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString};

use rustix::process::{Resource, getrlimit, setrlimit};

use crate::{Errno, Result};

/// Resource usage, as in `getrusage(2)`.
#[doc(alias = "uv_rusage_t")]
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs, reason = "the names are getrusage's, written out")]
pub struct Usage {
    pub user_us: u64,
    pub system_us: u64,
    pub max_rss_kib: u64,
    pub minor_faults: u64,
    pub major_faults: u64,
    pub fs_reads: u64,
    pub fs_writes: u64,
    pub voluntary_switches: u64,
    pub involuntary_switches: u64,
}

/// The resource usage of the process.
#[doc(alias = "uv_getrusage")]
pub fn usage() -> Result<Usage> {
    used_by(libc::RUSAGE_SELF)
}

/// The resource usage of the calling thread.
#[doc(alias = "uv_getrusage_thread")]
pub fn thread_usage() -> Result<Usage> {
    used_by(libc::RUSAGE_THREAD)
}

fn used_by(who: libc::c_int) -> Result<Usage> {
    // SAFETY: `rusage` is plain data; all zeros are a valid value.
    let mut raw: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `raw` is a whole `rusage` for the call to fill.
    if unsafe { libc::getrusage(who, &mut raw) } != 0 {
        return Err(Errno::last());
    }
    let us = |time: libc::timeval| time.tv_sec as u64 * 1_000_000 + time.tv_usec as u64;
    Ok(Usage {
        user_us: us(raw.ru_utime),
        system_us: us(raw.ru_stime),
        max_rss_kib: raw.ru_maxrss as u64,
        minor_faults: raw.ru_minflt as u64,
        major_faults: raw.ru_majflt as u64,
        fs_reads: raw.ru_inblock as u64,
        fs_writes: raw.ru_oublock as u64,
        voluntary_switches: raw.ru_nvcsw as u64,
        involuntary_switches: raw.ru_nivcsw as u64,
    })
}

/// The resident set size of the process in bytes, from `/proc/self/statm` (`proc(5)`).
#[doc(alias = "uv_resident_set_memory")]
pub fn resident_bytes() -> Result<u64> {
    let text = std::fs::read_to_string("/proc/self/statm")?;
    let pages: u64 = text.split(' ').nth(1).and_then(|word| word.parse().ok()).ok_or(Errno::EINVAL)?;
    Ok(pages * page_bytes())
}

/// The size of a page of memory.
pub fn page_bytes() -> u64 {
    // SAFETY: no memory is involved.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    bytes.max(1) as u64
}

/// Sets the file mode creation mask and returns the previous one. `None` only reads it: `umask(2)` cannot read without
/// setting, so the mask is 0 for a moment and then restored.
pub fn umask(new: Option<u32>) -> u32 {
    // SAFETY: no memory is involved.
    unsafe {
        let before = libc::umask(new.unwrap_or(0) as libc::mode_t);
        if new.is_none() {
            libc::umask(before);
        }
        before as u32
    }
}

/// The real and effective ids: user, effective user, group, effective group.
pub fn ids() -> [u32; 4] {
    use rustix::process::{getegid, geteuid, getgid, getuid};
    [getuid().as_raw(), geteuid().as_raw(), getgid().as_raw(), getegid().as_raw()]
}

/// The id of the calling thread, as in `/proc/self/task`.
#[doc(alias = "gettid")]
pub fn thread_id() -> u32 {
    rustix::thread::gettid().as_raw_nonzero().get().cast_unsigned()
}

/// The supplementary group ids of the process. The effective group id is added if the kernel's list lacks it, as in
/// `src/node_credentials.cc: GetGroups` of Node.
pub fn groups() -> Result<Vec<u32>> {
    let mut all: Vec<u32> = rustix::process::getgroups()?.into_iter().map(rustix::process::Gid::as_raw).collect();
    let effective = rustix::process::getegid().as_raw();
    if !all.contains(&effective) {
        all.push(effective);
    }
    Ok(all)
}

/// The id that [`set_id`] changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names of the ids")]
pub enum Id {
    User,
    EffectiveUser,
    Group,
    EffectiveGroup,
}

/// Sets one of the process's ids, on all of its threads.
pub fn set_id(which: Id, id: u32) -> Result<()> {
    // SAFETY: no memory is involved. The C library's functions and not the raw system calls: the kernel changes the id
    // of one thread only, and the C library repeats the call on every thread (`nptl(7)`).
    let result = unsafe {
        match which {
            Id::User => libc::setuid(id),
            Id::EffectiveUser => libc::seteuid(id),
            Id::Group => libc::setgid(id),
            Id::EffectiveGroup => libc::setegid(id),
        }
    };
    if result == 0 { Ok(()) } else { Err(Errno::last()) }
}

/// Sets the supplementary group ids, on all of the process's threads.
pub fn set_groups(groups: &[u32]) -> Result<()> {
    // SAFETY: the pointer and the length are those of one slice.
    let result = unsafe { libc::setgroups(groups.len() as _, groups.as_ptr()) };
    if result == 0 { Ok(()) } else { Err(Errno::last()) }
}

/// Sets the supplementary group ids to those of `user` in the group database plus `extra`, as `initgroups(3)`.
pub fn init_groups(user: &CStr, extra: u32) -> Result<()> {
    // SAFETY: the name ends with NUL and outlives the call.
    let result = unsafe { libc::initgroups(user.as_ptr(), extra as _) };
    if result == 0 { Ok(()) } else { Err(Errno::last()) }
}

/// The soft limit of the main thread's stack in bytes; `None` if it is unlimited.
pub fn stack_limit_bytes() -> Option<usize> {
    getrlimit(Resource::Stack).current.and_then(|bytes| bytes.try_into().ok())
}

/// Raises the soft limit of open file descriptors to the hard limit, as `src/node.cc: PlatformInit` of Node does.
///
/// The default soft limit is low for programs that use `select(2)`. If it cannot be raised it stays unchanged.
#[doc(alias = "RLIMIT_NOFILE")]
pub fn allow_all_descriptors() {
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        limit.current = limit.maximum;
        let _ = setrlimit(Resource::Nofile, limit);
    }
}

/// Changes the working directory.
#[doc(alias = "uv_chdir")]
pub fn chdir(path: impl rustix::path::Arg) -> Result<()> {
    Ok(rustix::process::chdir(path)?)
}

/// The working directory.
///
/// Uses the C library's `getcwd(3)`, not the system call: the system call fails for paths longer than a page, and
/// prefixes an unreachable directory with `(unreachable)` instead of failing.
#[doc(alias = "uv_cwd")]
pub fn cwd() -> Result<CString> {
    let mut buffer = vec![0_u8; 512];
    loop {
        // SAFETY: the pointer and the length are those of one vector.
        if !unsafe { libc::getcwd(buffer.as_mut_ptr().cast(), buffer.len()) }.is_null() {
            let path = CStr::from_bytes_until_nul(&buffer).map_err(|_| Errno::ERANGE)?;
            return Ok(path.to_owned());
        }
        match Errno::last() {
            Errno::ERANGE => buffer.resize(buffer.len() * 2, 0),
            errno => return Err(errno),
        }
    }
}

/// The path of the executable that this process runs.
#[doc(alias = "uv_exepath")]
pub fn exe_path() -> Result<CString> {
    Ok(rustix::fs::readlink("/proc/self/exe", Vec::new())?)
}

/// Sets the name of the calling thread as `ps` and `top` show it; on the main thread this is also the name of the
/// process. The kernel keeps only the first 15 bytes.
pub fn set_thread_name(name: &CStr) -> Result<()> {
    Ok(rustix::thread::set_name(name)?)
}

/// Replaces the program of this process by `execve(2)`. `args[0]` becomes `argv[0]`. A path without a slash is relative
/// to the working directory; `PATH` is not searched. Returns only if it fails, with the error.
#[doc(alias = "execve")]
pub fn become_program(path: &str, args: &[String], environment: &[(String, String)]) -> Errno {
    let path = if path.contains('/') { path.to_owned() } else { format!("./{path}") };
    let mut command = std::process::Command::new(path);
    command.env_clear().envs(environment.iter().map(|(name, value)| (name, value)));
    if let [name, rest @ ..] = args {
        std::os::unix::process::CommandExt::arg0(&mut command, name).args(rest);
    }
    let error = std::os::unix::process::CommandExt::exec(&mut command);
    error.raw_os_error().map_or(Errno::EIO, Errno::from_raw)
}

unsafe extern "C" {
    fn tzset();
}

/// Sets a variable of the environment, or removes it if `value` is `None`. `EINVAL` for an empty name, a name with `=`,
/// or a NUL in either. Main thread only.
#[doc(alias = "uv_os_setenv")]
pub fn set_env(name: &str, value: Option<&str>) -> Result<()> {
    let bad = name.is_empty() || name.contains(['=', '\0']) || value.is_some_and(|value| value.contains('\0'));
    if bad {
        return Err(Errno::EINVAL);
    }
    // SAFETY: the name and the value were checked above, so the standard library does not panic; for threads see the
    // head of the file.
    unsafe {
        match value {
            Some(value) => std::env::set_var(name, value),
            None => std::env::remove_var(name),
        }
        // The C library reads `TZ` once. `tzset(3)` makes it read the variable again.
        if name == "TZ" {
            tzset();
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resource_usage_is_not_zero() {
        let usage = usage().unwrap();
        assert!(usage.max_rss_kib > 100 && usage.minor_faults > 0);
        assert!(resident_bytes().unwrap() > 100_000);
        let of_thread = thread_usage().unwrap();
        assert!(of_thread.user_us + of_thread.system_us <= usage.user_us + usage.system_us + 1_000_000);
    }

    #[test]
    fn working_directory_and_executable_match_std() {
        assert_eq!(cwd().unwrap().to_str().unwrap(), std::env::current_dir().unwrap().to_str().unwrap());
        assert_eq!(exe_path().unwrap().to_str().unwrap(), std::env::current_exe().unwrap().to_str().unwrap());
    }

    #[test]
    fn a_thread_name_is_cut_to_15_bytes() {
        let named = std::thread::spawn(|| {
            set_thread_name(c"a rather long name").unwrap();
            std::fs::read_to_string("/proc/thread-self/comm").unwrap()
        });
        assert_eq!(named.join().unwrap(), "a rather long n\n");
    }

    #[test]
    fn reading_the_umask_does_not_change_it() {
        assert_eq!(umask(None), umask(None));
    }

    #[test]
    fn invalid_names_and_values_are_refused() {
        for name in ["", "a=b", "a\0"] {
            assert_eq!(set_env(name, Some("x")), Err(Errno::EINVAL));
        }
        assert_eq!(set_env("PHASOR_TEST_OF_SET_ENV", Some("a\0")), Err(Errno::EINVAL));
        assert_eq!(chdir("/nowhere/at/all"), Err(Errno::ENOENT));
    }
}
