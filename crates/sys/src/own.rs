//! The process's own state: what it uses, who it runs as, its mask, its directory, its environment.
//!
//! # Safety
//! `getrusage` fills a struct of ours, `getcwd` a buffer of ours. `umask` and the calls that set ids touch no memory, those for
//! groups read a list or a name of ours. Changing the environment races with whoever reads it on
//! another thread without the standard library's lock, such as the C library's resolver: callers do it from the main
//! thread only, as every program with `setenv` does.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString};

use rustix::process::{Resource, getrlimit, setrlimit};

use crate::{Errno, Result};

/// What the process has used so far.
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

/// What the process has used so far.
#[doc(alias = "uv_getrusage")]
pub fn usage() -> Result<Usage> {
    used_by(libc::RUSAGE_SELF)
}

/// What the thread that asks has used so far.
#[doc(alias = "uv_getrusage_thread")]
pub fn thread_usage() -> Result<Usage> {
    used_by(libc::RUSAGE_THREAD)
}

fn used_by(who: libc::c_int) -> Result<Usage> {
    // SAFETY: plain old data, for which zeros are a value.
    let mut raw: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: fills the struct.
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

/// How much memory of the process is resident, in bytes.
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

/// Sets the mask of file modes, and gives the one before. Without a new one it is put back at once.
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

/// Who the process runs as: user, effective user, group, effective group.
pub fn ids() -> [u32; 4] {
    use rustix::process::{getegid, geteuid, getgid, getuid};
    [getuid().as_raw(), geteuid().as_raw(), getgid().as_raw(), getegid().as_raw()]
}

/// The groups that the process is in, its effective one among them.
pub fn groups() -> Result<Vec<u32>> {
    let mut all: Vec<u32> = rustix::process::getgroups()?.into_iter().map(rustix::process::Gid::as_raw).collect();
    let effective = rustix::process::getegid().as_raw();
    if !all.contains(&effective) {
        all.push(effective);
    }
    Ok(all)
}

/// Which of the process's ids is set by [`set_id`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names of the ids")]
pub enum Id {
    User,
    EffectiveUser,
    Group,
    EffectiveGroup,
}

/// Sets who the process runs as, on all of its threads.
pub fn set_id(which: Id, id: u32) -> Result<()> {
    // SAFETY: no memory is involved. The C library's calls and not the kernel's, because only those reach every thread.
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

/// Sets the groups that the process is in, on all of its threads.
pub fn set_groups(groups: &[u32]) -> Result<()> {
    // SAFETY: the list and its length belong together.
    let result = unsafe { libc::setgroups(groups.len() as _, groups.as_ptr()) };
    if result == 0 { Ok(()) } else { Err(Errno::last()) }
}

/// Sets the groups to those that the system's list has for a user, and one more.
pub fn init_groups(user: &CStr, extra: u32) -> Result<()> {
    // SAFETY: the name ends with a nul and outlives the call.
    let result = unsafe { libc::initgroups(user.as_ptr(), extra as _) };
    if result == 0 { Ok(()) } else { Err(Errno::last()) }
}

/// How large the main thread's stack may grow, in bytes; nothing if there is no limit.
pub fn stack_limit_bytes() -> Option<usize> {
    getrlimit(Resource::Stack).current.and_then(|bytes| bytes.try_into().ok())
}

/// Lets the process have as many descriptors as it may: the soft limit becomes the hard one.
///
/// The soft limit is low for the sake of programs that use `select`. Where it cannot be raised it stays.
#[doc(alias = "RLIMIT_NOFILE")]
pub fn allow_all_descriptors() {
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        limit.current = limit.maximum;
        let _ = setrlimit(Resource::Nofile, limit);
    }
}

/// Goes to another directory.
#[doc(alias = "uv_chdir")]
pub fn chdir(path: impl rustix::path::Arg) -> Result<()> {
    Ok(rustix::process::chdir(path)?)
}

/// The directory that the process is in.
///
/// The C library's call and not the kernel's: that gives up on paths longer than a page, and names a directory that is out
/// of reach as if it were in reach.
#[doc(alias = "uv_cwd")]
pub fn cwd() -> Result<CString> {
    let mut buffer = vec![0_u8; 512];
    loop {
        // SAFETY: the buffer and its length belong together.
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

/// The program that this process runs.
#[doc(alias = "uv_exepath")]
pub fn exe_path() -> Result<CString> {
    Ok(rustix::fs::readlink("/proc/self/exe", Vec::new())?)
}

/// Sets the name that the thread, and the process if this is its first thread, has in the system's lists. Only 15 bytes of
/// it are kept.
pub fn set_thread_name(name: &CStr) -> Result<()> {
    Ok(rustix::thread::set_name(name)?)
}

/// Makes another program of this process, with these arguments, the first of which is its name, and this environment. Returns if
/// that cannot be. A path without a slash is one of the working directory.
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

/// Sets a variable of the environment, or removes it. A name that cannot be one is `EINVAL`. Main thread only.
#[doc(alias = "uv_os_setenv")]
pub fn set_env(name: &str, value: Option<&str>) -> Result<()> {
    let bad = name.is_empty() || name.contains(['=', '\0']) || value.is_some_and(|value| value.contains('\0'));
    if bad {
        return Err(Errno::EINVAL);
    }
    // SAFETY: the name and the value can be such; on threads see the head of the file.
    unsafe {
        match value {
            Some(value) => std::env::set_var(name, value),
            None => std::env::remove_var(name),
        }
        // The C library looks at it once, else.
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
    fn the_process_uses_something() {
        let usage = usage().unwrap();
        assert!(usage.max_rss_kib > 100 && usage.minor_faults > 0);
        assert!(resident_bytes().unwrap() > 100_000);
        let of_thread = thread_usage().unwrap();
        assert!(of_thread.user_us + of_thread.system_us <= usage.user_us + usage.system_us + 1_000_000);
    }

    #[test]
    fn the_process_is_somewhere() {
        assert_eq!(cwd().unwrap().to_str().unwrap(), std::env::current_dir().unwrap().to_str().unwrap());
        assert_eq!(exe_path().unwrap().to_str().unwrap(), std::env::current_exe().unwrap().to_str().unwrap());
    }

    #[test]
    fn a_thread_is_named() {
        let named = std::thread::spawn(|| {
            set_thread_name(c"a rather long name").unwrap();
            std::fs::read_to_string("/proc/thread-self/comm").unwrap()
        });
        assert_eq!(named.join().unwrap(), "a rather long n\n");
    }

    #[test]
    fn the_mask_is_seen_without_a_change() {
        assert_eq!(umask(None), umask(None));
    }

    #[test]
    fn impossible_names_are_refused() {
        for name in ["", "a=b", "a\0"] {
            assert_eq!(set_env(name, Some("x")), Err(Errno::EINVAL));
        }
        assert_eq!(set_env("PHASOR_TEST_OF_SET_ENV", Some("a\0")), Err(Errno::EINVAL));
        assert_eq!(chdir("/nowhere/at/all"), Err(Errno::ENOENT));
    }
}
