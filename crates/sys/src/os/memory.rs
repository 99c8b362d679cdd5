//! How much memory there is, and how much of it a program may have.

use rustix::process::{Resource, getrlimit};

use super::cgroup::Groups;

/// All memory and what a program could still get, in bytes: `MemTotal` and `MemAvailable`, as libuv reads them.
#[doc(alias = "uv_get_total_memory")]
#[doc(alias = "uv_get_free_memory")]
pub fn memory_bytes() -> (u64, u64) {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let (total, free) = (field(&text, "MemTotal:"), field(&text, "MemAvailable:"));
    if total != 0 && free != 0 {
        return (total, free);
    }
    let (raw_total, raw_free) = counted();
    (if total != 0 { total } else { raw_total }, if free != 0 { free } else { raw_free })
}

fn field(text: &str, name: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0).saturating_mul(1024)
}

/// All memory and what is unused, where there is no `/proc`.
#[cfg(target_os = "linux")]
fn counted() -> (u64, u64) {
    let info = rustix::system::sysinfo();
    let bytes = |units| u64::saturating_mul(units, u64::from(info.mem_unit));
    (bytes(info.totalram as u64), bytes(info.freeram as u64))
}

#[cfg(not(target_os = "linux"))]
fn counted() -> (u64, u64) {
    (0, 0)
}

/// The limit of memory that the process's control group sets, in bytes: 0 if it cannot be known, [`u64::MAX`] if there is
/// a group without one.
pub fn cgroup_limit_bytes() -> u64 {
    Groups::own().map_or(0, |groups| groups.memory_limit_bytes())
}

/// The lowest limit of memory, in bytes: the control group's as [`cgroup_limit_bytes`], or one set for the process with
/// `ulimit -v` or `-d`. 0 if none can be known.
#[doc(alias = "uv_get_constrained_memory")]
pub fn constrained_memory_bytes() -> u64 {
    let own = [Resource::As, Resource::Data].map(|resource| getrlimit(resource).current.unwrap_or(0));
    lowest([cgroup_limit_bytes(), own[0], own[1]])
}

/// The lowest that is a limit.
fn lowest(limits: [u64; 3]) -> u64 {
    limits.into_iter().filter(|limit| *limit != 0).min().unwrap_or(0)
}

/// How much memory the process could still get, in bytes: what its control group leaves, or what is free if there is no
/// limit lower than all memory. 0 if the group already has more than its limit, or if nothing is known of groups.
#[doc(alias = "uv_get_available_memory")]
pub fn available_memory_bytes() -> u64 {
    let Some(groups) = Groups::own() else { return 0 };
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
    fn there_is_memory() {
        let (total, free) = memory_bytes();
        assert!(free > 0 && free <= total);
        assert!(available_memory_bytes() <= total);
        #[cfg(target_os = "linux")]
        assert!(counted().0 >= total, "the kernel's reserve is counted too");
    }

    #[test]
    fn fields_are_in_kibibytes() {
        let text = "MemTotal:       10 kB\nMemFree:  3 kB\nMemAvailable:        4 kB\n";
        assert_eq!((field(text, "MemTotal:"), field(text, "MemAvailable:"), field(text, "Swap:")), (10240, 4096, 0));
    }

    #[test]
    fn nothing_is_no_limit() {
        assert_eq!(lowest([0, 0, 0]), 0);
        assert_eq!(lowest([u64::MAX, 0, 0]), u64::MAX);
        assert_eq!(lowest([u64::MAX, 7, 9]), 7);
        assert_eq!(lowest([5, 7, 9]), 5);
    }
}
