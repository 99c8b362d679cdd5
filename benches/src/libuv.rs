//! The libuv side: each function calls its namesake in `libuv/*.c`. No workload lives here.
//!
//! # Safety
//!
//! Every C function takes the parameters and room for its measures, keeps neither, and runs once in its process.

use std::array;

use crate::registry::{Measure, Params, Sample};

/// Declares a C workload that fills `$parts` measures, and its Rust name.
macro_rules! workloads {
    ($($(#[$doc:meta])* $name:ident => $symbol:ident, $parts:literal;)*) => {
        unsafe extern "C" {
            $(fn $symbol(params: *const Params, out: *mut Measure);)*
        }
        $($(#[$doc])*
        pub(crate) fn $name(params: &Params) -> Sample {
            let mut out: [Measure; $parts] = array::from_fn(|_| Measure::default());
            // SAFETY: both live over the call, are laid out as bench.h says, and `out` has room for what it fills.
            unsafe { $symbol(params, out.as_mut_ptr()) };
            out.to_vec()
        })*
    };
}

workloads! {
    /// Turns of the loop.
    loop_count => bench_loop_count, 1;
    /// Init, dispatch, cleanup.
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
    /// Stats.
    fs_stat_sync => bench_fs_stat_sync, 1;
    /// Stats.
    fs_stat => bench_fs_stat, 1;
    /// Tasks.
    queue_work => bench_queue_work, 1;
    /// Processes.
    spawn => bench_spawn, 1;
    /// Bytes for one connection.
    idle_tcp_memory => bench_idle_tcp_memory, 1;
}
