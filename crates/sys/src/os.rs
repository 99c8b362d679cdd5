//! Facts about the machine and its user: names, memory, processors, interfaces, priorities, and the numbers that programs
//! know by name.
//!
//! # Safety
//!
//! `getifaddrs` and `getpwuid_r` are C interfaces that hand out pointers into memory they own or were lent. Everything is
//! copied out while that memory lives: the list until `freeifaddrs`, the user's record until its buffer goes.
#![allow(unsafe_code)]

use std::ffi::{CStr, OsString};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::unix::ffi::OsStringExt;

use crate::{Errno, Result};

/// What the kernel says of itself.
#[doc(alias = "uv_os_uname")]
pub struct Uname {
    /// Such as `Linux`.
    pub sysname: String,
    /// The host's name.
    pub nodename: String,
    /// Such as `6.1.0`.
    pub release: String,
    /// The build.
    pub version: String,
    /// Such as `x86_64`.
    pub machine: String,
}

/// The kernel's names.
#[doc(alias = "uv_os_uname")]
pub fn uname() -> Uname {
    let names = rustix::system::uname();
    let text = |text: &CStr| text.to_string_lossy().into_owned();
    Uname {
        sysname: text(names.sysname()),
        nodename: text(names.nodename()),
        release: text(names.release()),
        version: text(names.version()),
        machine: text(names.machine()),
    }
}

/// Seconds since the machine started. As `uv_uptime`: `/proc/uptime` first, since a container may have its own.
#[doc(alias = "uv_uptime")]
pub fn uptime_s() -> f64 {
    let told = std::fs::read_to_string("/proc/uptime").ok();
    let told = told.as_deref().and_then(|text| text.split_whitespace().next()?.parse().ok());
    told.unwrap_or_else(|| {
        #[cfg(target_os = "linux")]
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
        #[cfg(not(target_os = "linux"))]
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        now.tv_sec as f64
    })
}

/// The load over one, five and fifteen minutes.
#[doc(alias = "uv_loadavg")]
pub fn loadavg() -> [f64; 3] {
    let mut loads = [0.0; 3];
    if let Ok(text) = std::fs::read_to_string("/proc/loadavg") {
        for (load, word) in loads.iter_mut().zip(text.split_whitespace()) {
            *load = word.parse().unwrap_or(0.0);
        }
    }
    loads
}

/// All memory and what a program could still get, in bytes: `MemTotal` and `MemAvailable`, as libuv reads them.
#[doc(alias = "uv_get_total_memory")]
pub fn memory_bytes() -> (u64, u64) {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let field = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) * 1024
    };
    (field("MemTotal:"), field("MemAvailable:"))
}

/// One processor.
#[derive(Clone, Debug, Default)]
pub struct Cpu {
    /// The maker's name for it.
    pub model: String,
    /// In MHz; zero if it is not known.
    pub speed_mhz: u64,
    /// Milliseconds spent for users, for users with low priority, for the kernel, idle, and in interrupts.
    pub times_ms: [u64; 5],
}

/// The processors that are online.
#[doc(alias = "uv_cpu_info")]
pub fn cpus() -> Vec<Cpu> {
    let stat = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let models: Vec<&str> = info
        .lines()
        .filter_map(|line| {
            let (name, value) = line.split_once(':')?;
            matches!(name.trim(), "model name" | "CPU part").then_some(value.trim())
        })
        .collect();
    // SAFETY: takes a number and gives one.
    let ticks_per_s = u64::try_from(unsafe { libc::sysconf(libc::_SC_CLK_TCK) }).unwrap_or(100).max(1);
    let mut cpus = Vec::new();
    for line in stat.lines() {
        let mut words = line.split_whitespace();
        let Some(number) = words.next().and_then(|name| name.strip_prefix("cpu")?.parse::<usize>().ok()) else {
            continue;
        };
        let ticks: Vec<u64> = words.map(|word| word.parse().unwrap_or(0)).collect();
        // user nice system idle iowait irq
        let time = |index: usize| ticks.get(index).copied().unwrap_or(0) * 1000 / ticks_per_s;
        let frequency = format!("/sys/devices/system/cpu/cpu{number}/cpufreq/scaling_cur_freq");
        let khz: u64 = std::fs::read_to_string(frequency).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0);
        let model = models.get(cpus.len()).or(models.last()).copied().unwrap_or("unknown");
        cpus.push(Cpu {
            model: model.to_owned(),
            speed_mhz: khz / 1000,
            times_ms: [time(0), time(1), time(2), time(3), time(5)],
        });
    }
    cpus
}

/// An address of a network interface.
#[derive(Clone, Debug)]
pub struct Interface {
    /// Such as `eth0`.
    pub name: String,
    /// The address.
    pub address: IpAddr,
    /// Its mask.
    pub netmask: IpAddr,
    /// The address of the hardware; zeros if it has none.
    pub mac: [u8; 6],
    /// Whether it is a loopback.
    pub is_internal: bool,
    /// The scope of an IPv6 address.
    pub scope_id: u32,
}

/// Every address of the interfaces that are up and running.
#[doc(alias = "uv_interface_addresses")]
pub fn interfaces() -> Result<Vec<Interface>> {
    let mut list: *mut libc::ifaddrs = std::ptr::null_mut();
    // SAFETY: `list` is filled on success and freed below, after everything was copied.
    if unsafe { libc::getifaddrs(&mut list) } != 0 {
        return Err(Errno::last());
    }
    let mut found = Vec::new();
    let mut macs: Vec<(String, [u8; 6])> = Vec::new();
    let mut entry = list;
    while !entry.is_null() {
        // SAFETY: `entry` is a live node of the list.
        let node = unsafe { &*entry };
        entry = node.ifa_next;
        let up = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_uint;
        if node.ifa_flags & up != up || node.ifa_addr.is_null() {
            continue;
        }
        // SAFETY: the list's names are C strings.
        let name = unsafe { CStr::from_ptr(node.ifa_name) }.to_string_lossy().into_owned();
        // SAFETY: an address of the list, of the length that its family says.
        if let Some(mac) = unsafe { hardware_address(node.ifa_addr) } {
            macs.push((name, mac));
            continue;
        }
        // SAFETY: as above; the mask has the address's family, or is null.
        let (address, mask) = unsafe { (ip_address(node.ifa_addr), ip_address(node.ifa_netmask)) };
        if let Some((address, scope_id)) = address {
            let none = if address.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
            let is_internal = node.ifa_flags & libc::IFF_LOOPBACK as libc::c_uint != 0;
            let netmask = mask.map_or(none, |(mask, _)| mask);
            found.push(Interface { name, address, netmask, mac: [0; 6], is_internal, scope_id });
        }
    }
    // SAFETY: made by `getifaddrs`, freed once, not used any more.
    unsafe { libc::freeifaddrs(list) };
    for interface in &mut found {
        // An alias such as `eth0:1` has its device's hardware address.
        let device = interface.name.split(':').next().unwrap_or("");
        if let Some((_, mac)) = macs.iter().find(|(name, _)| name == device) {
            interface.mac = *mac;
        }
    }
    Ok(found)
}

/// # Safety
/// `address` is null or points to a socket address as long as its family says.
unsafe fn ip_address(address: *const libc::sockaddr) -> Option<(IpAddr, u32)> {
    // SAFETY: the caller's promise; unaligned reads copy the structures out.
    unsafe {
        if address.is_null() {
            return None;
        }
        match i32::from((*address).sa_family) {
            libc::AF_INET => {
                let v4 = address.cast::<libc::sockaddr_in>().read_unaligned();
                Some((Ipv4Addr::from(u32::from_be(v4.sin_addr.s_addr)).into(), 0))
            }
            libc::AF_INET6 => {
                let v6 = address.cast::<libc::sockaddr_in6>().read_unaligned();
                Some((Ipv6Addr::from(v6.sin6_addr.s6_addr).into(), v6.sin6_scope_id))
            }
            _ => None,
        }
    }
}

/// # Safety
/// `address` points to a socket address as long as its family says.
#[cfg(target_os = "linux")]
unsafe fn hardware_address(address: *const libc::sockaddr) -> Option<[u8; 6]> {
    // SAFETY: the caller's promise.
    unsafe {
        if i32::from((*address).sa_family) != libc::AF_PACKET {
            return None;
        }
        let link = address.cast::<libc::sockaddr_ll>().read_unaligned();
        let [a, b, c, d, e, f, ..] = link.sll_addr;
        Some([a, b, c, d, e, f])
    }
}

/// # Safety
/// None is needed: elsewhere there is no such address.
#[cfg(not(target_os = "linux"))]
unsafe fn hardware_address(_address: *const libc::sockaddr) -> Option<[u8; 6]> {
    None
}

/// A user, by the password file.
#[derive(Clone, Debug)]
pub struct User {
    /// The name.
    pub name: OsString,
    /// The user's number.
    pub uid: u32,
    /// The number of the user's group.
    pub gid: u32,
    /// The shell.
    pub shell: OsString,
    /// The home directory.
    pub home: OsString,
}

/// The effective user of this process.
#[doc(alias = "uv_os_get_passwd")]
pub fn user() -> Result<User> {
    let uid = rustix::process::geteuid().as_raw();
    let mut buffer = vec![0_u8; 2048];
    loop {
        let mut record = std::mem::MaybeUninit::<libc::passwd>::uninit();
        let mut found = std::ptr::null_mut();
        // SAFETY: the record and the buffer live through the call and the copies below.
        let status =
            unsafe { libc::getpwuid_r(uid, record.as_mut_ptr(), buffer.as_mut_ptr().cast(), buffer.len(), &mut found) };
        match status {
            libc::ERANGE if buffer.len() < 1 << 20 => buffer.resize(buffer.len() * 2, 0),
            libc::EINTR => {}
            0 if found.is_null() => return Err(Errno::ENOENT),
            0 => {
                // SAFETY: success filled the record; its strings lie in `buffer`.
                let record = unsafe { record.assume_init() };
                let text = |pointer: *const libc::c_char| {
                    // SAFETY: null, or a C string in `buffer`.
                    let bytes = if pointer.is_null() { &[][..] } else { unsafe { CStr::from_ptr(pointer) }.to_bytes() };
                    OsString::from_vec(bytes.to_vec())
                };
                return Ok(User {
                    name: text(record.pw_name),
                    uid: record.pw_uid,
                    gid: record.pw_gid,
                    shell: text(record.pw_shell),
                    home: text(record.pw_dir),
                });
            }
            error => return Err(Errno::from_raw(error)),
        }
    }
}

/// The scheduling priority of a process; 0 means this one.
#[doc(alias = "uv_os_getpriority")]
pub fn priority(pid: i32) -> Result<i32> {
    Ok(rustix::process::getpriority_process(process(pid)?)?)
}

/// Sets the scheduling priority of a process; 0 means this one.
#[doc(alias = "uv_os_setpriority")]
pub fn set_priority(pid: i32, priority: i32) -> Result<()> {
    if !(-20..=19).contains(&priority) {
        return Err(Errno::EINVAL);
    }
    Ok(rustix::process::setpriority_process(process(pid)?, priority)?)
}

fn process(pid: i32) -> Result<Option<rustix::process::Pid>> {
    if pid < 0 { Err(Errno::ESRCH) } else { Ok(rustix::process::Pid::from_raw(pid)) }
}

macro_rules! numbers {
    ($($name:ident)*) => { &[$((stringify!($name), libc::$name as i32)),*] };
}

/// The error numbers of the system by name, in the order that Node lists them.
pub const ERROR_NUMBERS: &[(&str, i32)] = numbers! {
    E2BIG EACCES EADDRINUSE EADDRNOTAVAIL EAFNOSUPPORT EAGAIN EALREADY EBADF EBADMSG EBUSY ECANCELED ECHILD ECONNABORTED
    ECONNREFUSED ECONNRESET EDEADLK EDESTADDRREQ EDOM EDQUOT EEXIST EFAULT EFBIG EHOSTUNREACH EIDRM EILSEQ EINPROGRESS EINTR
    EINVAL EIO EISCONN EISDIR ELOOP EMFILE EMLINK EMSGSIZE EMULTIHOP ENAMETOOLONG ENETDOWN ENETRESET ENETUNREACH ENFILE
    ENOBUFS ENODATA ENODEV ENOENT ENOEXEC ENOLCK ENOLINK ENOMEM ENOMSG ENOPROTOOPT ENOSPC ENOSR ENOSTR ENOSYS ENOTCONN
    ENOTDIR ENOTEMPTY ENOTSOCK ENOTSUP ENOTTY ENXIO EOPNOTSUPP EOVERFLOW EPERM EPIPE EPROTO EPROTONOSUPPORT EPROTOTYPE ERANGE
    EROFS ESPIPE ESRCH ESTALE ETIME ETIMEDOUT ETXTBSY EWOULDBLOCK EXDEV
};

/// The signals of the system by name, in the order that Node lists them.
#[cfg(target_os = "linux")]
pub const SIGNAL_NUMBERS: &[(&str, i32)] = numbers! {
    SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT SIGIOT SIGBUS SIGFPE SIGKILL SIGUSR1 SIGSEGV SIGUSR2 SIGPIPE SIGALRM SIGTERM
    SIGCHLD SIGSTKFLT SIGCONT SIGSTOP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGXCPU SIGXFSZ SIGVTALRM SIGPROF SIGWINCH SIGIO
    SIGPOLL SIGPWR SIGSYS
};

/// The signals of the system by name, in the order that Node lists them.
#[cfg(not(target_os = "linux"))]
pub const SIGNAL_NUMBERS: &[(&str, i32)] = numbers! {
    SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT SIGIOT SIGBUS SIGFPE SIGKILL SIGUSR1 SIGSEGV SIGUSR2 SIGPIPE SIGALRM SIGTERM
    SIGCHLD SIGCONT SIGSTOP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGXCPU SIGXFSZ SIGVTALRM SIGPROF SIGWINCH SIGIO SIGSYS
};

/// How a library may be opened, in the order that Node lists them.
pub const DLOPEN_FLAGS: &[(&str, i32)] = numbers! { RTLD_LAZY RTLD_NOW RTLD_GLOBAL RTLD_LOCAL };

/// Opens a library so that its own symbols come first.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub const RTLD_DEEPBIND: Option<i32> = Some(libc::RTLD_DEEPBIND);

/// Opens a library so that its own symbols come first.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub const RTLD_DEEPBIND: Option<i32> = None;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_has_a_name_and_memory() {
        assert!(!uname().sysname.is_empty());
        let (total, free) = memory_bytes();
        assert!(free <= total);
        assert!(uptime_s() > 0.0);
        assert!(!cpus().is_empty());
    }

    #[test]
    fn the_loopback_is_internal() {
        let list = interfaces().expect("interfaces");
        for interface in list.iter().filter(|interface| interface.address.is_loopback()) {
            assert!(interface.is_internal, "{interface:?}");
        }
    }

    #[test]
    fn priorities_are_checked() {
        let now = priority(0).expect("own priority");
        set_priority(0, now).expect("to what it is");
        assert_eq!(set_priority(0, 20), Err(Errno::EINVAL));
        assert_eq!(priority(-1), Err(Errno::ESRCH));
    }
}
