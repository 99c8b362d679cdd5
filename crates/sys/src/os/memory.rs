//! Memory of the machine, and the limits for this process by control groups and `ulimit`.

use rustix::process::{Resource, getrlimit};

use super::cgroup::Groups;

/// The total memory, and the memory available without swapping, in bytes: `MemTotal` and `MemAvailable` of
/// `/proc/meminfo`, as `src/unix/linux.c: uv__read_proc_meminfo`.
#[doc(alias = "uv_get_total_memory")]
#[doc(alias = "uv_get_free_memory")]
pub fn memory_bytes() -> (u64, u64) {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let (total, free) = (field(&text, "MemTotal:"), field(&text, "MemAvailable:"));
    if total != 0 && free != 0 {
        return (total, free);
    }
    let (raw_total, raw_free) = from_sysinfo();
    (if total != 0 { total } else { raw_total }, if free != 0 { free } else { raw_free })
}

fn field(text: &str, name: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0).saturating_mul(1024)
}

/// The total and the unused memory by `sysinfo(2)`, for systems without `/proc`.
#[cfg(target_os = "linux")]
fn from_sysinfo() -> (u64, u64) {
    let info = rustix::system::sysinfo();
    let bytes = |units| u64::saturating_mul(units, u64::from(info.mem_unit));
    (bytes(info.totalram as u64), bytes(info.freeram as u64))
}

#[cfg(not(target_os = "linux"))]
fn from_sysinfo() -> (u64, u64) {
    (0, 0)
}

/// The memory limit of the process's control group in bytes: 0 if it is unknown, [`u64::MAX`] if the group has no
/// limit.
pub fn cgroup_limit_bytes() -> u64 {
    Groups::of_this_process().map_or(0, |groups| groups.memory_limit_bytes())
}

/// The lowest memory limit in bytes: the limit of the control group (see [`cgroup_limit_bytes`]), or of the process
/// (`ulimit -v`, `ulimit -d`). 0 if no limit is known.
#[doc(alias = "uv_get_constrained_memory")]
pub fn constrained_memory_bytes() -> u64 {
    let own = [Resource::As, Resource::Data].map(|resource| getrlimit(resource).current.unwrap_or(0));
    lowest([cgroup_limit_bytes(), own[0], own[1]])
}

/// The lowest limit; 0 means unknown and does not count.
fn lowest(limits: [u64; 3]) -> u64 {
    limits.into_iter().filter(|limit| *limit != 0).min().unwrap_or(0)
}

/// The memory that the process can still allocate, in bytes: what its control group leaves, or the machine's available
/// memory if the group has no limit below the total memory. 0 if the group is over its limit, or if there are no
/// control groups. As `src/unix/linux.c: uv_get_available_memory`.
#[doc(alias = "uv_get_available_memory")]
pub fn available_memory_bytes() -> u64 {
    let Some(groups) = Groups::of_this_process() else { return 0 };
    let limit = groups.memory_limit_bytes();
    let (total, free) = memory_bytes();
    if limit == 0 || limit > total {
        return free;
    }
    limit.saturating_sub(groups.memory_used_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn total_and_available_memory_are_plausible() {
        let (total, free) = memory_bytes();
        assert!(free > 0 && free <= total);
        assert!(available_memory_bytes() <= total);
        #[cfg(target_os = "linux")]
        assert!(from_sysinfo().0 >= total, "MemTotal excludes memory that the kernel reserves");
    }

    #[test]
    fn meminfo_fields_are_converted_from_kibibytes() {
        let text = "MemTotal:       10 kB\nMemFree:  3 kB\nMemAvailable:        4 kB\n";
        assert_eq!((field(text, "MemTotal:"), field(text, "MemAvailable:"), field(text, "Swap:")), (10240, 4096, 0));
    }

    #[test]
    fn an_unknown_limit_does_not_count() {
        assert_eq!(lowest([0, 0, 0]), 0);
        assert_eq!(lowest([u64::MAX, 0, 0]), u64::MAX);
        assert_eq!(lowest([u64::MAX, 7, 9]), 7);
        assert_eq!(lowest([5, 7, 9]), 5);
    }
}
