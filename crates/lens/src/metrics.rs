//! Metrics of the loops of this process as OpenMetrics text, and the server that answers with them.
//!
//! The server has threads of its own: it answers while a loop is blocked. Names are those of OpenTelemetry's conventions for
//! Node, as Prometheus spells them: `nodejs.eventloop.delay.p99` in seconds is `nodejs_eventloop_delay_p99_seconds`. What the
//! conventions do not have begins with `phasor_`.

use std::fmt::{Display, Write as _};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use phasor_core::{Phase, PoolStatus, pool_status, with_signals_blocked};

use crate::registry::loops;
use crate::stats::{self, Delays, EVENT_KINDS, HANDLE_KINDS, Snapshot};

/// What OpenMetrics text is called in HTTP.
const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Minimum, maximum and quantiles are those of this time, or since the last request if that is longer ago.
const WINDOW: Duration = Duration::from_secs(60);

/// How many connections are served at a time; more are closed at once.
const MOST_CONNECTIONS: usize = 8;

/// How long a client may take to send its request, and to read the answer.
const CLIENT_LIMIT: Duration = Duration::from_secs(5);

/// The longest request head, in bytes.
const MOST_HEAD: usize = 8 << 10;

/// How long the thread rests after it has refused a connection.
const REFUSAL_REST: Duration = Duration::from_millis(20);

/// The upper bounds of the buckets of `phasor_eventloop_delay_seconds`, with their text.
const BOUNDS: [(u64, &str); 10] = [
    (1_000_000, "0.001"),
    (2_500_000, "0.0025"),
    (5_000_000, "0.005"),
    (10_000_000, "0.01"),
    (25_000_000, "0.025"),
    (50_000_000, "0.05"),
    (100_000_000, "0.1"),
    (250_000_000, "0.25"),
    (1_000_000_000, "1.0"),
    (5_000_000_000, "5.0"),
];

/// Starts to observe all loops, and to serve `http://ADDRESS/metrics`. Returns the address, with the port that was chosen if
/// 0 was asked for.
///
/// # Errors
///
/// The address is wrong or in use, or no thread can be started.
pub fn serve(address: &str) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind(address.to_socket_addrs()?.collect::<Vec<_>>().as_slice())?;
    let address = listener.local_addr()?;
    // Until the process ends.
    std::mem::forget(stats::enable());
    let thread = thread::Builder::new().name("phasor-metrics".into());
    with_signals_blocked(|| thread.spawn(move || accept(&listener)))?;
    Ok(address)
}

fn accept(listener: &TcpListener) {
    let history = Arc::new(Mutex::new(History::default()));
    let connections = Arc::new(AtomicUsize::new(0));
    loop {
        let Ok((stream, _)) = listener.accept() else {
            thread::sleep(REFUSAL_REST);
            continue;
        };
        if connections.load(Ordering::SeqCst) >= MOST_CONNECTIONS {
            drop(stream);
            thread::sleep(REFUSAL_REST);
            continue;
        }
        connections.fetch_add(1, Ordering::SeqCst);
        let (history, counted) = (Arc::clone(&history), Counted(Arc::clone(&connections)));
        let answer = move || {
            let _counted = counted;
            // The client has gone, or was too slow.
            let _ = answer(stream, &history);
        };
        // Without a thread the connection is closed.
        let _ = thread::Builder::new().name("phasor-metrics".into()).spawn(answer);
    }
}

/// Counts a connection while it lives.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Answers one HTTP request and closes the connection.
fn answer(mut stream: TcpStream, history: &Mutex<History>) -> io::Result<()> {
    stream.set_read_timeout(Some(CLIENT_LIMIT))?;
    stream.set_write_timeout(Some(CLIENT_LIMIT))?;
    let until = Instant::now() + CLIENT_LIMIT;
    let (mut head, mut bytes) = (Vec::new(), [0; 2048]);
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let count = stream.read(&mut bytes)?;
        head.extend(&bytes[..count]);
        if count == 0 || head.len() > MOST_HEAD || Instant::now() > until {
            return Ok(());
        }
    }
    let line = String::from_utf8_lossy(head.split(|byte| *byte == b'\r').next().unwrap_or_default()).into_owned();
    let mut words = line.split(' ');
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let path = path.split('?').next().unwrap_or_default();
    let (status, content_type, body) = match (method, path) {
        ("GET" | "HEAD", "/" | "/metrics") => ("200 OK", CONTENT_TYPE, text(history)),
        ("GET" | "HEAD", _) => ("404 Not Found", "text/plain", "the metrics are at /metrics\n".to_owned()),
        _ => ("405 Method Not Allowed", "text/plain", "only GET is understood\n".to_owned()),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    if method != "HEAD" {
        stream.write_all(body.as_bytes())?;
    }
    Ok(())
}

/// What was counted at earlier requests, the oldest first.
#[derive(Default)]
struct History(Vec<(Instant, Vec<(u32, Snapshot)>)>);

impl History {
    /// Adds what was counted now. Returns what was counted at the beginning of the window.
    fn add(&mut self, now: Vec<(u32, Snapshot)>) -> Vec<(u32, Snapshot)> {
        // The newest that is older than the window, and all that are younger.
        let outside = self.0.iter().filter(|(at, _)| at.elapsed() >= WINDOW).count();
        self.0.drain(..outside.saturating_sub(1));
        let first = self.0.first().map(|(_, snapshots)| snapshots.clone()).unwrap_or_default();
        // A client that asks all the time adds nothing.
        if self.0.last().is_none_or(|(at, _)| at.elapsed() >= WINDOW / 60) {
            self.0.push((Instant::now(), now));
        }
        first
    }
}

/// The metrics now.
fn text(history: &Mutex<History>) -> String {
    let named: Vec<_> = loops()
        .into_iter()
        .filter_map(|entry| Some((entry.number(), entry.name().to_owned(), entry.stats()?.snapshot())))
        .collect();
    let numbered = named.iter().map(|(number, _, snapshot)| (*number, snapshot.clone())).collect();
    let before = history.lock().unwrap_or_else(PoisonError::into_inner).add(numbered);
    let loops: Vec<_> = named
        .into_iter()
        .map(|(number, name, now)| {
            let before = before.iter().find(|(other, _)| *other == number).map(|(_, snapshot)| snapshot.clone());
            LoopMetrics { name, now, before: before.unwrap_or_default() }
        })
        .collect();
    format(&loops, pool_status())
}

/// What the text says of one loop.
struct LoopMetrics {
    name: String,
    now: Snapshot,
    /// At the beginning of the window.
    before: Snapshot,
}

/// Writes metric families.
#[derive(Default)]
struct Text(String);

impl Text {
    /// Begins a family.
    fn family(&mut self, name: &str, kind: &str, unit: &str, help: &str) {
        let _ = writeln!(self.0, "# TYPE {name} {kind}");
        if !unit.is_empty() {
            let _ = writeln!(self.0, "# UNIT {name} {unit}");
        }
        let _ = writeln!(self.0, "# HELP {name} {help}");
    }

    /// A sample. Labels are names of this program; their values need no escapes but those of names of loops.
    fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        let escape = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        let labels: Vec<_> = labels.iter().map(|(label, value)| format!("{label}=\"{}\"", escape(value))).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.0, "{name}{labels} {value}");
    }
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

/// A gauge of the delays in the window: its name, what it is, its value in ns.
type DelayGauge = (&'static str, &'static str, fn(&Delays) -> f64);

const DELAY_GAUGES: [DelayGauge; 7] = [
    ("min", "Minimum", |delays| delays.least_ns() as f64),
    ("max", "Maximum", |delays| delays.most_ns() as f64),
    ("mean", "Mean", Delays::mean_ns),
    ("stddev", "Standard deviation", Delays::deviation_ns),
    ("p50", "Median", |delays| delays.quantile_ns(0.5) as f64),
    ("p90", "90th percentile", |delays| delays.quantile_ns(0.9) as f64),
    ("p99", "99th percentile", |delays| delays.quantile_ns(0.99) as f64),
];

fn format(loops: &[LoopMetrics], pool: PoolStatus) -> String {
    let mut text = Text::default();
    for (name, what, value) in DELAY_GAUGES {
        let family = format!("nodejs_eventloop_delay_{name}_seconds");
        text.family(
            &family,
            "gauge",
            "seconds",
            &format!("{what} of how long a ready callback waits for the event loop, of the last minute."),
        );
        for each in loops {
            let delays = each.now.delays.since(&each.before.delays);
            text.sample(&family, &[("loop", &each.name)], value(&delays) / 1e9);
        }
    }
    let family = "phasor_eventloop_delay_seconds";
    text.family(
        family,
        "histogram",
        "seconds",
        "How long a ready callback waits for the event loop, sampled every 10 ms.",
    );
    for each in loops {
        let (delays, name) = (&each.now.delays, each.name.as_str());
        for (bound_ns, bound) in BOUNDS {
            text.sample(&format!("{family}_bucket"), &[("loop", name), ("le", bound)], delays.count_to(bound_ns));
        }
        text.sample(&format!("{family}_bucket"), &[("loop", name), ("le", "+Inf")], delays.count());
        text.sample(&format!("{family}_count"), &[("loop", name)], delays.count());
        text.sample(&format!("{family}_sum"), &[("loop", name)], seconds(delays.sum_ns()));
    }
    let family = "nodejs_eventloop_utilization_ratio";
    text.family(
        family,
        "gauge",
        "ratio",
        "Share of the time in which the event loop was not waiting for events, of the last minute.",
    );
    for each in loops {
        let passed = each.now.observed_ns.saturating_sub(each.before.observed_ns).max(1);
        let idle = each.now.idle_ns.saturating_sub(each.before.idle_ns);
        text.sample(family, &[("loop", &each.name)], (1.0 - idle as f64 / passed as f64).clamp(0.0, 1.0));
    }
    let family = "nodejs_eventloop_time_seconds";
    text.family(family, "counter", "seconds", "Time that the event loop was active, or idle in the poll phase.");
    for each in loops {
        let (name, now) = (each.name.as_str(), &each.now);
        let active = now.observed_ns.saturating_sub(now.idle_ns);
        for (state, ns) in [("active", active), ("idle", now.idle_ns)] {
            text.sample(&format!("{family}_total"), &[("loop", name), ("nodejs_eventloop_state", state)], seconds(ns));
        }
    }
    let family = "phasor_eventloop_busy_seconds";
    text.family(
        family,
        "gauge",
        "seconds",
        "How long the event loop has not polled for events; a large value means that it is blocked now.",
    );
    for each in loops {
        text.sample(family, &[("loop", &each.name)], seconds(each.now.busy_ns));
    }
    let family = "phasor_eventloop_turns";
    text.family(family, "counter", "", "Turns of the event loop.");
    for each in loops {
        text.sample(&format!("{family}_total"), &[("loop", &each.name)], each.now.turns);
    }
    let family = "phasor_eventloop_phase_seconds";
    text.family(family, "counter", "seconds", "Time in the callbacks of each phase of the event loop.");
    for each in loops {
        for (phase, ns) in Phase::ALL.iter().zip(each.now.phase_ns) {
            text.sample(&format!("{family}_total"), &[("loop", &each.name), ("phase", phase.name())], seconds(ns));
        }
    }
    let family = "phasor_eventloop_callbacks";
    text.family(family, "counter", "", "Callbacks of the event loop by the kind of their event.");
    for each in loops {
        for ((_, kind), (count, _)) in EVENT_KINDS.iter().zip(each.now.callbacks) {
            text.sample(&format!("{family}_total"), &[("loop", &each.name), ("kind", kind)], count);
        }
    }
    let family = "phasor_eventloop_callback_seconds";
    text.family(family, "counter", "seconds", "Time in callbacks of the event loop by the kind of their event.");
    for each in loops {
        for ((_, kind), (_, ns)) in EVENT_KINDS.iter().zip(each.now.callbacks) {
            text.sample(&format!("{family}_total"), &[("loop", &each.name), ("kind", kind)], seconds(ns));
        }
    }
    let family = "phasor_eventloop_handles";
    text.family(family, "gauge", "", "Open handles of the event loop by kind.");
    for each in loops {
        for ((_, kind), count) in HANDLE_KINDS.iter().zip(each.now.handles) {
            text.sample(family, &[("loop", &each.name), ("kind", kind)], count);
        }
    }
    for (family, help, value) in [
        ("phasor_pool_threads", "Threads of the thread pool.", pool.threads),
        ("phasor_pool_busy_threads", "Threads of the thread pool that run a task.", pool.busy),
        ("phasor_pool_queued_tasks", "Tasks that wait for a thread of the pool.", pool.queued),
    ] {
        text.family(family, "gauge", "", help);
        text.sample(family, &[], value);
    }
    text.0.push_str("# EOF\n");
    text.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_has_a_type_and_help_and_the_text_an_end() {
        let loops = [LoopMetrics { name: "a \"b\"".into(), now: Snapshot::default(), before: Snapshot::default() }];
        let text = format(&loops, PoolStatus { threads: 4, busy: 1, queued: 2 });
        assert!(text.ends_with("phasor_pool_queued_tasks 2\n# EOF\n"));
        assert!(text.contains("nodejs_eventloop_utilization_ratio{loop=\"a \\\"b\\\"\"} "));
        let mut families = Vec::new();
        for line in text.lines() {
            if let Some(family) = line.strip_prefix("# TYPE ") {
                families.push(family.split(' ').next().unwrap());
            } else if !line.starts_with('#') {
                assert!(line.starts_with(families.last().unwrap()), "{line}");
            }
        }
        assert_eq!(text.matches("# HELP ").count(), families.len());
    }

    #[test]
    fn the_window_begins_with_the_last_request_before_it() {
        let mut history = History::default();
        let snapshot = |turns| vec![(1, Snapshot { turns, ..Snapshot::default() })];
        assert!(history.add(snapshot(1)).is_empty());
        assert_eq!(history.add(snapshot(2))[0].1.turns, 1);
        assert_eq!(history.0.len(), 1, "too soon for another entry");
    }
}
