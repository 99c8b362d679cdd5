//! Measuring for both sides: clocks, resident memory, pinning, idle clients, and a random number generator.
//!
//! The functions with a `bench_` name are called from C, and from the Phasor side as Rust functions.
//!
//! # Safety
//!
//! The `#[unsafe(no_mangle)]` names are declared in bench.h only. The only pointer argument is a `uint64_t*` of the C side.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};

use crate::registry::Measure;

/// Measures the time from `begin` to `end`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch {
    wall_ns: u64,
    cpu_ns: u64,
}

/// The C side has the same two functions in bench.h.
impl Stopwatch {
    /// Starts both clocks.
    pub(crate) fn begin() -> Stopwatch {
        Stopwatch { cpu_ns: bench_cpu_ns(), wall_ns: bench_wall_ns() }
    }

    /// The time since `begin`, with the amount of work done in it.
    pub(crate) fn end(self, amount: u64) -> Measure {
        Measure { amount, wall_ns: bench_wall_ns() - self.wall_ns, cpu_ns: bench_cpu_ns() - self.cpu_ns }
    }
}

fn clock_ns(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    u64::try_from(i128::from(time.tv_sec) * 1_000_000_000 + i128::from(time.tv_nsec)).unwrap_or(0)
}

/// The monotonic clock, in nanoseconds.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn bench_wall_ns() -> u64 {
    clock_ns(ClockId::Monotonic)
}

/// CPU time of the process in nanoseconds: all threads, user and system.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn bench_cpu_ns() -> u64 {
    clock_ns(ClockId::ProcessCPUTime)
}

/// The resident set size. `smaps_rollup` is exact, whereas the counters of `statm` may lag by some pages.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn bench_resident_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/smaps_rollup").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("Rss:"));
    let kibibytes = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    kibibytes.unwrap_or_else(|| panic!("cannot read the resident memory from /proc/self/smaps_rollup")) * 1024
}

/// The next number of a splitmix64 sequence. Both sides use the same sequence, and so access handles in the same order.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn bench_random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// The process that holds the client ends of idle connections. With both ends in one process it would need twice the descriptors.
struct ClientHolder {
    /// Not waited for: it ends when its standard input closes.
    _process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

static CLIENT_HOLDER: Mutex<Option<ClientHolder>> = Mutex::new(None);

/// Connects `count` more idle clients to a loopback port, from another process. Returns 0 or a negative errno. The connections stay
/// open until this process ends.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn bench_connect(port: u16, count: u64) -> i32 {
    let Ok(mut slot) = CLIENT_HOLDER.lock() else { return -libc::EIO };
    match connect_through(&mut slot, port, count) {
        Ok(()) => 0,
        Err(error) => -error.raw_os_error().unwrap_or(libc::EIO),
    }
}

fn connect_through(slot: &mut Option<ClientHolder>, port: u16, count: u64) -> io::Result<()> {
    let holder = match slot {
        Some(holder) => holder,
        None => slot.insert(ClientHolder::start(port)?),
    };
    writeln!(holder.requests, "{count}")?;
    holder.requests.flush()?;
    let mut answer = String::new();
    holder.answers.read_line(&mut answer)?;
    match answer.trim().parse::<i32>() {
        Ok(0) => Ok(()),
        Ok(errno) => Err(io::Error::from_raw_os_error(errno)),
        Err(_) => Err(io::Error::from_raw_os_error(libc::EPIPE)),
    }
}

impl ClientHolder {
    fn start(port: u16) -> io::Result<ClientHolder> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["--hold-clients", &port.to_string()]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn()?;
        let missing = || io::Error::from_raw_os_error(libc::EPIPE);
        let requests = process.stdin.take().ok_or_else(missing)?;
        let answers = BufReader::new(process.stdout.take().ok_or_else(missing)?);
        Ok(ClientHolder { _process: process, requests, answers })
    }
}

/// The main function of that process: reads a count per line, connects as many clients, and prints 0 or an errno.
pub(crate) fn hold_clients(port: u16) -> io::Result<()> {
    let mut held = Vec::new();
    for order in io::stdin().lock().lines() {
        let count = order?.trim().parse::<usize>().map_err(io::Error::other)?;
        let made: io::Result<Vec<TcpStream>> =
            (0..count).map(|_| TcpStream::connect((Ipv4Addr::LOCALHOST, port))).collect();
        let answer = match made {
            Ok(streams) => {
                held.extend(streams);
                0
            }
            Err(error) => error.raw_os_error().unwrap_or(libc::EIO),
        };
        println!("{answer}");
    }
    Ok(())
}

/// Pins this process and its children to the last CPU that it may use: interrupts are usually handled on the first.
pub(crate) fn pin_to_one_cpu() -> io::Result<()> {
    let allowed = sched_getaffinity(None)?;
    let Some(last) = (0..CpuSet::MAX_CPU).rev().find(|cpu| allowed.is_set(*cpu)) else { return Ok(()) };
    let mut one = CpuSet::new();
    one.set(last);
    Ok(sched_setaffinity(None, &one)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopwatch_measures_cpu_time() {
        let watch = Stopwatch::begin();
        let mut state = 1;
        while bench_cpu_ns() - watch.cpu_ns < 1_000_000 {
            std::hint::black_box(bench_random(&mut state));
        }
        let measure = watch.end(7);
        assert_eq!(measure.amount, 7);
        assert!(measure.cpu_ns >= 1_000_000 && measure.wall_ns > 0, "{measure:?}");
    }

    #[test]
    fn resident_memory_grows_with_touched_pages() {
        let before = bench_resident_bytes();
        let touched = std::hint::black_box(vec![1_u8; 32 << 20]);
        let after = bench_resident_bytes();
        assert!(after >= before + (24 << 20), "{before} -> {after}, {}", touched.len());
    }

    #[test]
    fn the_random_sequence_is_the_published_one() {
        let mut state = 1_234_567;
        assert_eq!(bench_random(&mut state), 6_457_827_717_110_365_317);
        assert_eq!(bench_random(&mut state), 3_203_168_211_198_807_973);
    }
}
