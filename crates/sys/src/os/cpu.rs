//! The processors: model, speed and times, and the number of threads that can run in parallel.
//!
//! # Safety
//! `sysconf` takes and returns a number.
#![allow(unsafe_code)]

use std::collections::HashMap;

use crate::Result;

/// A logical processor.
#[derive(Clone, Debug, Default)]
pub struct Cpu {
    /// The model name.
    pub model: String,
    /// The maximum frequency in MHz; 0 if it is unknown.
    pub speed_mhz: u64,
    /// Milliseconds spent in user mode, in user mode with low priority (nice), in the kernel, idle, and in interrupts.
    pub times_ms: [u64; 5],
}

/// The online processors, in the order of `/proc/stat`.
#[doc(alias = "uv_cpu_info")]
pub fn cpus() -> Result<Vec<Cpu>> {
    let stat = std::fs::read_to_string("/proc/stat")?;
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let models = models(&info);
    // SAFETY: see the head of the file.
    let ticks_per_s = u64::try_from(unsafe { libc::sysconf(libc::_SC_CLK_TCK) }).unwrap_or(100).max(1);
    let cpu = |(number, ticks): (usize, [u64; 5])| Cpu {
        model: (*models.get(&number).unwrap_or(&"unknown")).to_owned(),
        speed_mhz: speed_mhz(number),
        times_ms: ticks.map(|ticks| ticks.saturating_mul(1000) / ticks_per_s),
    };
    Ok(times(&stat).map(cpu).collect())
}

/// The index of each processor in `/proc/stat` (`proc(5)`), and its ticks: user, nice, system, idle, interrupts.
fn times(stat: &str) -> impl Iterator<Item = (usize, [u64; 5])> {
    stat.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        // The first line is `cpu`, the sum over all processors, and has no index.
        let number = words.next()?.strip_prefix("cpu")?.parse().ok()?;
        let mut ticks = words.map(|word| word.parse().unwrap_or(0));
        let mut tick = || ticks.next().unwrap_or(0);
        let (user, nice, system, idle, _io_wait, irq) = (tick(), tick(), tick(), tick(), tick(), tick());
        Some((number, [user, nice, system, idle, irq]))
    })
}

/// The model name of each processor in `/proc/cpuinfo`. On ARM there is only the part number.
fn models(info: &str) -> HashMap<usize, &str> {
    let mut models = HashMap::new();
    let mut number = None;
    for (name, value) in info.lines().filter_map(|line| line.split_once(':')) {
        match (name.trim(), number) {
            ("processor", _) => number = value.trim().parse().ok(),
            ("model name" | "CPU part", Some(number)) => {
                models.entry(number).or_insert(value.trim());
            }
            _ => {}
        }
    }
    models
}

/// The maximum frequency of a processor. libuv (`src/unix/linux.c: uv_cpu_info`) reads `scaling_cur_freq`, the current
/// frequency; on some machines that takes 20 ms per processor.
fn speed_mhz(number: usize) -> u64 {
    let path = format!("/sys/devices/system/cpu/cpu{number}/cpufreq/scaling_max_freq");
    let khz: u64 = std::fs::read_to_string(path).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0);
    khz / 1000
}

/// The number of threads that can run in parallel: the processors in the affinity mask, or fewer if the control group
/// has a CPU quota.
#[doc(alias = "uv_available_parallelism")]
pub fn available_parallelism() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_least_one_processor_is_listed() {
        let cpus = cpus().expect("there is a /proc");
        assert!(!cpus.is_empty());
        assert!((1..=cpus.len()).contains(&available_parallelism()));
    }

    #[test]
    fn processor_indices_may_have_gaps() {
        let stat = "cpu  9 9 9 9 9 9 9\ncpu0 1 2 3 4 5 6 7 0\ncpu3 10 20 30 40 50 60\nintr 1 2\n";
        let all: Vec<_> = times(stat).collect();
        assert_eq!(all, [(0, [1, 2, 3, 4, 6]), (3, [10, 20, 30, 40, 60])]);
        let info = "processor\t: 0\nmodel name\t: Big\nflags\t\t: a b\n\nprocessor\t: 3\nmodel name\t: Little: 2\n";
        assert_eq!(models(info), HashMap::from([(0, "Big"), (3, "Little: 2")]));
        assert!(models("model name : without index\n").is_empty());
    }
}
