//! The libuv side of the benchmarks: each function calls the C function of the same name in `libuv/*.c`.
//!
//! # Safety
//!
//! Each C function gets the parameters and an array for its measures, keeps neither pointer, and is called once per process.

use std::array;

use crate::registry::{Measure, Params, Sample};

/// Declares C workloads, each with a Rust function and the number of its measures (`$parts`).
macro_rules! workloads {
    ($($(#[$doc:meta])* $name:ident => $symbol:ident, $parts:literal;)*) => {
        unsafe extern "C" {
            $(fn $symbol(params: *const Params, out: *mut Measure);)*
        }
        $($(#[$doc])*
        pub(crate) fn $name(params: &Params) -> Sample {
            let mut out: [Measure; $parts] = array::from_fn(|_| Measure::default());
            // SAFETY: both outlive the call and have the layout of bench.h, and `out` has as many elements as the function writes.
            unsafe { $symbol(params, out.as_mut_ptr()) };
            out.to_vec()
        })*
    };
}

workloads! {
    /// Loop iterations.
    loop_count => bench_loop_count, 1;
    /// Initialisation, dispatch, cleanup.
    million_timers => bench_million_timers, 3;
    /// Restarts.
    timers_restart => bench_timers_restart, 1;
    /// Callbacks.
    million_async => bench_million_async, 1;
    /// Callbacks.
    async_pummel => bench_async_pummel, 1;
    /// Round trips.
    ping_pongs => bench_ping_pongs, 1;
    /// Writes.
    tcp_write_batch => bench_tcp_write_batch, 1;
    /// Bytes.
    tcp_pump => bench_tcp_pump, 1;
    /// Datagrams received.
    udp_pummel => bench_udp_pummel, 1;
    /// `stat` calls.
    fs_stat_sync => bench_fs_stat_sync, 1;
    /// `stat` calls.
    fs_stat => bench_fs_stat, 1;
    /// Tasks.
    queue_work => bench_queue_work, 1;
    /// Processes.
    spawn => bench_spawn, 1;
    /// Bytes per connection.
    idle_tcp_memory => bench_idle_tcp_memory, 1;
}
