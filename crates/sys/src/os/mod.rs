//! Facts about the machine and its users: kernel name, memory, processors, network interfaces, users, priorities, and
//! the constants of `os.constants`. State of the process itself is in [`process`](crate::process).

mod cgroup;
mod cpu;
mod interface;
mod memory;
mod numbers;
mod user;

use std::ffi::CString;

use crate::{Errno, Result, clock};

pub use cpu::{Cpu, available_parallelism, cpus};
pub use interface::{Interface, interface_index, interface_name, interfaces};
pub use memory::{available_memory_bytes, cgroup_limit_bytes, constrained_memory_bytes, memory_bytes};
pub use numbers::{DLOPEN_FLAGS, ERROR_NUMBERS, RTLD_DEEPBIND, SIGNAL_NUMBERS};
pub use user::{Group, User, group, user, user_by_id};

/// The kernel's `utsname`, see `uname(2)`.
#[doc(alias = "uv_os_uname")]
pub struct Uname {
    /// The name of the operating system, such as `Linux`.
    pub sysname: CString,
    /// The host name.
    #[doc(alias = "uv_os_gethostname")]
    pub nodename: CString,
    /// The release of the kernel, such as `6.1.0`.
    pub release: CString,
    /// The build of the kernel.
    pub version: CString,
    /// The hardware architecture, such as `x86_64`.
    pub machine: CString,
}

/// The names of the kernel, the host and the hardware.
#[doc(alias = "uv_os_uname")]
pub fn uname() -> Uname {
    let names = rustix::system::uname();
    Uname {
        sysname: names.sysname().into(),
        nodename: names.nodename().into(),
        release: names.release().into(),
        version: names.version().into(),
        machine: names.machine().into(),
    }
}

/// Seconds since boot. Reads `/proc/uptime` first, because a container may have its own value there; as
/// `src/unix/linux.c: uv_uptime`.
#[doc(alias = "uv_uptime")]
pub fn uptime_s() -> f64 {
    let text = std::fs::read_to_string("/proc/uptime").ok();
    let seconds = text.as_deref().and_then(|text| text.split_whitespace().next()?.parse().ok());
    seconds.unwrap_or_else(|| clock::since_boot().0 as f64)
}

/// The load average over one, five and fifteen minutes.
#[doc(alias = "uv_loadavg")]
pub fn loadavg() -> [f64; 3] {
    let text = std::fs::read_to_string("/proc/loadavg").ok();
    text.as_deref().and_then(parse_loadavg).unwrap_or_else(|| {
        // Fixed-point numbers with 16 fractional bits (`SI_LOAD_SHIFT`).
        #[cfg(target_os = "linux")]
        let loads = rustix::system::sysinfo().loads.map(|load| load as f64 / 65536.0);
        #[cfg(not(target_os = "linux"))]
        let loads = [0.0; 3];
        loads
    })
}

fn parse_loadavg(text: &str) -> Option<[f64; 3]> {
    let mut words = text.split_whitespace().map(|word| word.parse().ok());
    Some([words.next()??, words.next()??, words.next()??])
}

/// The nice value of a process; a `pid` of 0 means the calling process.
#[doc(alias = "uv_os_getpriority")]
pub fn priority(pid: i32) -> Result<i32> {
    Ok(rustix::process::getpriority_process(process(pid)?)?)
}

/// Sets the nice value of a process; a `pid` of 0 means the calling process. `EINVAL` outside -20..=19.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uname_uptime_and_loadavg_are_plausible() {
        assert!(!uname().sysname.is_empty());
        assert!(uptime_s() > 0.0);
        assert!(loadavg().iter().all(|load| *load >= 0.0));
    }

    #[test]
    fn loadavg_needs_three_numbers() {
        assert_eq!(parse_loadavg("0.50 1.25 2.00 1/234 999\n"), Some([0.5, 1.25, 2.0]));
        assert_eq!(parse_loadavg("0.50 1.25"), None);
        assert_eq!(parse_loadavg("0.50 x 2.00"), None);
    }

    #[test]
    fn priorities_are_validated() {
        let now = priority(0).expect("own priority");
        set_priority(0, now).expect("set to the current value");
        assert_eq!(set_priority(0, 20), Err(Errno::EINVAL));
        assert_eq!(priority(-1), Err(Errno::ESRCH));
    }
}
