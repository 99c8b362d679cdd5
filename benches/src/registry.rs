//! The benchmarks: their parameters, their rows in the table, and their two sides.
//!
//! A side is a function from the parameters to a sample. It runs once in its own process, so it need not free anything, and it may
//! panic on an error, which the table then shows.

use crate::{libuv, phasor};

/// The size of a workload, the same for both sides. Mirrored in libuv/bench.h.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Params {
    /// Number of operations; of bytes for the pumps.
    pub(crate) count: u64,
    /// Number of handles, connections, threads or concurrent requests.
    pub(crate) width: u64,
    /// The duration of a workload with a fixed time; the timeout of timers that must not fire.
    pub(crate) limit_ms: u64,
}

/// The result of one part of a workload. Mirrored in libuv/bench.h.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Measure {
    /// Number of operations or bytes, depending on the row's unit.
    pub(crate) amount: u64,
    /// Elapsed time.
    pub(crate) wall_ns: u64,
    /// CPU time of the process: all threads, user and system.
    pub(crate) cpu_ns: u64,
}

/// One measure per row of the benchmark, in order.
pub(crate) type Sample = Vec<Measure>;

/// One side's workload.
pub(crate) type Run = fn(&Params) -> Sample;

/// One of the two libraries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Side {
    /// The C library, compiled from source.
    Libuv,
    /// This project's loop.
    Phasor,
}

impl Side {
    /// The name in the command line and the table.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Side::Libuv => "libuv",
            Side::Phasor => "phasor",
        }
    }
}

/// How a measure is converted to the value in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Operations per second of elapsed time.
    PerSecond,
    /// Operations per second of CPU time: for a workload that also sleeps.
    PerCpuSecond,
    /// The amount is bytes; gigabits (2^30, as in libuv) per second of elapsed time.
    GigabitPerSecond,
    /// The amount is bytes per connection. Less is better.
    BytesEach,
}

/// One row of the table.
pub(crate) struct Row {
    /// Appended to the benchmark's name; empty if there is only one row.
    pub(crate) part: &'static str,
    /// The unit of its value.
    pub(crate) unit: Unit,
    /// Whether CPU time is compared: not if other processes do the work, and not for memory.
    pub(crate) cpu_counts: bool,
}

/// One benchmark.
pub(crate) struct Bench {
    /// libuv's name for it, if libuv has it.
    pub(crate) name: &'static str,
    /// A description in one line.
    pub(crate) about: &'static str,
    /// Its size.
    pub(crate) params: Params,
    /// Its rows in the table. Both sides return a measure for each.
    pub(crate) rows: &'static [Row],
    /// The workload on libuv.
    pub(crate) libuv: Run,
    /// The workload on Phasor.
    pub(crate) phasor: Run,
}

impl Row {
    const fn of(part: &'static str, unit: Unit) -> Row {
        Row { part, unit, cpu_counts: true }
    }
}

const RATE: &[Row] = &[Row::of("", Unit::PerSecond)];
const GIGABIT: &[Row] = &[Row::of("", Unit::GigabitPerSecond)];

const fn size(count: u64, width: u64) -> Params {
    Params { count, width, limit_ms: 0 }
}

/// Every benchmark, in the order of the table.
pub(crate) static BENCHES: &[Bench] = &[
    Bench {
        name: "loop_count",
        about: "turns of the loop with one idle handle",
        params: size(2_000_000, 1),
        rows: RATE,
        libuv: libuv::loop_count,
        phasor: phasor::loop_count,
    },
    Bench {
        name: "million_timers",
        about: "a million timers, a thousand to each millisecond: start, fire, close",
        params: size(1_000_000, 1),
        rows: &[
            Row::of("init", Unit::PerSecond),
            // A side that dispatches faster than the clock advances sleeps in between, so only CPU time counts.
            Row::of("dispatch", Unit::PerCpuSecond),
            Row::of("cleanup", Unit::PerSecond),
        ],
        libuv: libuv::million_timers,
        phasor: phasor::million_timers,
    },
    Bench {
        name: "timers_restart_10k",
        about: "idle time-outs of 10 thousand connections, put off at random",
        params: Params { count: 5_000_000, width: 10_000, limit_ms: 120_000 },
        rows: RATE,
        libuv: libuv::timers_restart,
        phasor: phasor::timers_restart,
    },
    Bench {
        name: "timers_restart_1m",
        about: "idle time-outs of a million connections, put off at random",
        params: Params { count: 2_000_000, width: 1_000_000, limit_ms: 120_000 },
        rows: RATE,
        libuv: libuv::timers_restart,
        phasor: phasor::timers_restart,
    },
    Bench {
        name: "million_async",
        about: "another thread wakes a million async handles at random, for two seconds",
        params: Params { count: 0, width: 1024 * 1024, limit_ms: 2_000 },
        rows: RATE,
        libuv: libuv::million_async,
        phasor: phasor::million_async,
    },
    Bench {
        name: "async_pummel_1",
        about: "one thread wakes one async handle without pause",
        params: size(300_000, 1),
        rows: RATE,
        libuv: libuv::async_pummel,
        phasor: phasor::async_pummel,
    },
    Bench {
        name: "async_pummel_4",
        about: "four threads wake one async handle without pause",
        params: size(300_000, 4),
        rows: RATE,
        libuv: libuv::async_pummel,
        phasor: phasor::async_pummel,
    },
    Bench {
        name: "ping_pongs",
        about: "64 bytes there and back over TCP, both ends on one loop",
        params: size(100_000, 1),
        rows: RATE,
        libuv: libuv::ping_pongs,
        phasor: phasor::ping_pongs,
    },
    Bench {
        name: "tcp_write_batch",
        about: "200 thousand small writes queued at once on one connection",
        params: size(200_000, 1),
        rows: RATE,
        libuv: libuv::tcp_write_batch,
        phasor: phasor::tcp_write_batch,
    },
    Bench {
        name: "tcp_pump1",
        about: "writes of 8 KiB without pause on one connection",
        params: size(2 << 30, 1),
        rows: GIGABIT,
        libuv: libuv::tcp_pump,
        phasor: phasor::tcp_pump,
    },
    Bench {
        name: "tcp_pump100",
        about: "writes of 8 KiB without pause on a hundred connections",
        params: size(2 << 30, 100),
        rows: GIGABIT,
        libuv: libuv::tcp_pump,
        phasor: phasor::tcp_pump,
    },
    Bench {
        name: "udp_pummel_1v1",
        about: "datagrams of five pieces, one sender, one receiver; those that arrive count",
        params: size(300_000, 1),
        rows: RATE,
        libuv: libuv::udp_pummel,
        phasor: phasor::udp_pummel,
    },
    Bench {
        name: "fs_stat_sync",
        about: "stat without the pool",
        params: size(500_000, 1),
        rows: RATE,
        libuv: libuv::fs_stat_sync,
        phasor: phasor::fs_stat_sync,
    },
    Bench {
        name: "fs_stat_1",
        about: "stat on the pool, one at a time",
        params: size(50_000, 1),
        rows: RATE,
        libuv: libuv::fs_stat,
        phasor: phasor::fs_stat,
    },
    Bench {
        name: "fs_stat_4",
        about: "stat on the pool, four at a time",
        params: size(100_000, 4),
        rows: RATE,
        libuv: libuv::fs_stat,
        phasor: phasor::fs_stat,
    },
    Bench {
        name: "fs_stat_16",
        about: "stat on the pool, sixteen at a time",
        params: size(100_000, 16),
        rows: RATE,
        libuv: libuv::fs_stat,
        phasor: phasor::fs_stat,
    },
    Bench {
        name: "fs_stat_32",
        about: "stat on the pool, thirty-two at a time",
        params: size(100_000, 32),
        rows: RATE,
        libuv: libuv::fs_stat,
        phasor: phasor::fs_stat,
    },
    Bench {
        name: "queue_work",
        about: "next to no work on the pool, sixteen at a time",
        params: size(100_000, 16),
        rows: RATE,
        libuv: libuv::queue_work,
        phasor: phasor::queue_work,
    },
    Bench {
        name: "spawn",
        about: "/bin/true started and awaited, one after the other",
        params: size(1_000, 1),
        rows: &[Row { part: "", unit: Unit::PerSecond, cpu_counts: false }],
        libuv: libuv::spawn,
        phasor: phasor::spawn,
    },
    Bench {
        name: "idle_tcp_memory",
        about: "memory of a TCP connection that waits, among ten thousand",
        params: size(1, 10_000),
        rows: &[Row { part: "", unit: Unit::BytesEach, cpu_counts: false }],
        libuv: libuv::idle_tcp_memory,
        phasor: phasor::idle_tcp_memory,
    },
];

/// The benchmarks with these names, in the order of the table; all of them without a name.
pub(crate) fn select(names: &[String]) -> Vec<&'static Bench> {
    let matches = |name: &String, bench: &Bench| match Bench::named(name) {
        Some(exact) => exact.name == bench.name,
        None => bench.name.contains(name.as_str()),
    };
    BENCHES.iter().filter(|bench| names.is_empty() || names.iter().any(|name| matches(name, bench))).collect()
}

impl Bench {
    /// The benchmark with this name.
    pub(crate) fn named(name: &str) -> Option<&'static Bench> {
        BENCHES.iter().find(|bench| bench.name == name)
    }

    /// The workload of one side.
    pub(crate) fn side(&self, side: Side) -> Run {
        match side {
            Side::Libuv => self.libuv,
            Side::Phasor => self.phasor,
        }
    }

    /// The name of a row in the table.
    pub(crate) fn row_name(&self, row: &Row) -> String {
        if row.part.is_empty() { self.name.to_owned() } else { format!("{} {}", self.name, row.part) }
    }
}

impl Params {
    /// A hundredth of the work, except for numbers that are small already.
    pub(crate) fn smoke(self) -> Params {
        let less = |number: u64| if number >= 1000 { number / 100 } else { number };
        // The timeout of timers that must not fire stays, because it does not add work.
        let limit_ms = if self.count == 0 { less(self.limit_ms) } else { self.limit_ms };
        Params { count: less(self.count), width: less(self.width), limit_ms }
    }
}

impl Unit {
    /// The value in the table.
    pub(crate) fn figure(self, measure: &Measure) -> f64 {
        let amount = measure.amount as f64;
        let per = |ns: u64| amount / (ns.max(1) as f64 / 1e9);
        match self {
            Unit::PerSecond => per(measure.wall_ns),
            Unit::PerCpuSecond => per(measure.cpu_ns),
            Unit::GigabitPerSecond => per(measure.wall_ns) * 8.0 / f64::from(1 << 30),
            Unit::BytesEach => amount,
        }
    }

    /// The ratio of `ours` to `theirs`; above 1 is better, whatever the unit.
    pub(crate) fn ratio(self, ours: f64, theirs: f64) -> f64 {
        if self.less_is_better() { theirs / ours } else { ours / theirs }
    }

    /// Whether a smaller value is better.
    pub(crate) fn less_is_better(self) -> bool {
        self == Unit::BytesEach
    }

    /// The unit's name in the table.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Unit::PerSecond => "/s",
            Unit::PerCpuSecond => "/cpu-s",
            Unit::GigabitPerSecond => "Gb/s",
            Unit::BytesEach => "B each",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        for bench in BENCHES {
            assert!(std::ptr::eq(Bench::named(bench.name).unwrap(), bench), "{} is there twice", bench.name);
            assert!(!bench.rows.is_empty() && !bench.about.is_empty());
        }
        assert!(Bench::named("no_such").is_none());
    }

    #[test]
    fn a_full_name_selects_one_and_a_part_selects_all_that_contain_it() {
        let names = |given: &[&str]| {
            let given: Vec<String> = given.iter().map(ToString::to_string).collect();
            select(&given).iter().map(|bench| bench.name).collect::<Vec<_>>()
        };
        assert_eq!(names(&["tcp_pump1"]), ["tcp_pump1"]);
        assert_eq!(names(&["pump100", "tcp_pump1"]), ["tcp_pump1", "tcp_pump100"]);
        assert_eq!(names(&["tcp_pump"]), ["tcp_pump1", "tcp_pump100"]);
        assert_eq!(names(&[]).len(), BENCHES.len());
        assert!(names(&["no_such"]).is_empty());
    }

    #[test]
    fn figures_follow_their_unit() {
        let measure = Measure { amount: 1 << 30, wall_ns: 2_000_000_000, cpu_ns: 500_000_000 };
        assert_eq!(Unit::PerSecond.figure(&measure), f64::from(1 << 29));
        assert_eq!(Unit::PerCpuSecond.figure(&measure), 2.0 * f64::from(1 << 30));
        assert_eq!(Unit::GigabitPerSecond.figure(&measure), 4.0);
        assert_eq!(Unit::BytesEach.figure(&measure), f64::from(1 << 30));
    }

    #[test]
    fn a_ratio_above_one_is_better_in_every_unit() {
        assert_eq!(Unit::PerSecond.ratio(300.0, 100.0), 3.0);
        assert_eq!(Unit::BytesEach.ratio(100.0, 300.0), 3.0);
    }

    #[test]
    fn smoke_shrinks_the_work_but_not_the_timeouts() {
        let restart = Params { count: 2_000_000, width: 1_000_000, limit_ms: 120_000 }.smoke();
        assert_eq!(restart, Params { count: 20_000, width: 10_000, limit_ms: 120_000 });
        assert_eq!(Params { count: 0, width: 4, limit_ms: 2_000 }.smoke().limit_ms, 20);
    }
}
