//! Rates and shares that are computed from two consecutive answers of a process.

use phasor_lens::json::Json;
use phasor_lens::stats::Delays;

/// The activity of a process in a period.
#[derive(Debug, Default)]
pub(crate) struct Sample {
    pub(crate) loops: Vec<LoopSample>,
    /// Threads of the pool, how many of them are busy, and how many tasks wait.
    pub(crate) pool: [u64; 3],
}

/// The activity of a loop in a period.
#[derive(Debug, Default)]
pub(crate) struct LoopSample {
    pub(crate) name: String,
    /// Whether there are numbers. A blocked loop has none until it is observed.
    pub(crate) is_observed: bool,
    /// The share of the time in which the loop did not wait for events.
    pub(crate) utilisation: f64,
    /// The median, the 99th percentile and the maximum of the delays, in ms.
    pub(crate) delays_ms: [f64; 3],
    pub(crate) turns_per_s: f64,
    pub(crate) callbacks_per_s: f64,
    /// The time since the loop last polled for events.
    pub(crate) busy_ms: f64,
    /// Phases with their shares of the time.
    pub(crate) phases: Vec<(String, f64)>,
    /// Kinds of callbacks, with their number for each second and their share of the time; the most expensive first.
    pub(crate) callbacks: Vec<(String, f64, f64)>,
    /// Kinds of open handles with their number.
    pub(crate) handles: Vec<(String, u64)>,
    /// The slowest callbacks of the last seconds.
    pub(crate) slow: Vec<SlowSample>,
    /// The callback that runs, and for how long in ms.
    pub(crate) current: Option<(String, f64)>,
}

/// A callback that took long.
#[derive(Debug)]
pub(crate) struct SlowSample {
    pub(crate) took_ms: f64,
    pub(crate) ago_s: f64,
    pub(crate) kind: String,
    pub(crate) location: String,
}

impl Sample {
    /// Compares two answers to `{"ask":"stats"}`.
    pub(crate) fn between(before: &Json, now: &Json) -> Sample {
        let items = |json: &'_ Json| json.get("loops").map(|loops| loops.items().to_vec()).unwrap_or_default();
        let earlier = items(before);
        let passed_s = ((now.number("at") - before.number("at")) / 1e9).max(1e-6);
        let nothing = Json::Null;
        let each = |json: &Json| {
            let before = earlier.iter().find(|other| other.number("number") == json.number("number"));
            LoopSample::between(before.unwrap_or(&nothing), json, passed_s)
        };
        let pool = |name| now.get("pool").map_or(0, |pool| pool.number(name) as u64);
        Sample { loops: items(now).iter().map(each).collect(), pool: ["threads", "busy", "queued"].map(pool) }
    }
}

/// The rows of a table in an answer: a name, then numbers.
fn rows(json: &Json, name: &str) -> Vec<(String, [f64; 2])> {
    let rows = json.get(name).map(Json::items).unwrap_or_default();
    let number = |row: &Json, at: usize| row.items().get(at).and_then(Json::as_f64).unwrap_or_default();
    rows.iter()
        .filter_map(|row| Some((row.items().first()?.as_str()?.to_owned(), [number(row, 1), number(row, 2)])))
        .collect()
}

/// How much the rows of a table have grown.
fn growth(before: &Json, now: &Json, name: &str) -> Vec<(String, [f64; 2])> {
    let earlier = rows(before, name);
    let of = |name: &str| earlier.iter().find(|(other, _)| other == name).map_or([0.0; 2], |(_, numbers)| *numbers);
    let grown = rows(now, name).into_iter().map(|(name, numbers)| {
        let before = of(&name);
        (name, [(numbers[0] - before[0]).max(0.0), (numbers[1] - before[1]).max(0.0)])
    });
    grown.collect()
}

impl LoopSample {
    fn between(before: &Json, now: &Json, passed_s: f64) -> LoopSample {
        let passed_ns = passed_s * 1e9;
        let is_observed = now.get("turns").is_some();
        let grown = |name| (now.number(name) - before.number(name)).max(0.0);
        let delays = |json: &Json| json.get("delays").map(Delays::from_json).unwrap_or_default();
        let delays = delays(now).since(&delays(before));
        let busy_ms = now.number("busyMs");
        let ms = |ns: u64| ns as f64 / 1e6;
        let mut callbacks: Vec<_> = growth(before, now, "callbacks")
            .into_iter()
            .filter(|(_, [count, _])| *count > 0.0)
            .map(|(name, [count, ns])| (name, count / passed_s, ns / passed_ns))
            .collect();
        callbacks.sort_by(|one, other| other.2.total_cmp(&one.2));
        let current = now.get("current").map(Json::items).unwrap_or_default();
        let current = match current {
            [kind, ns] => kind.as_str().map(|kind| (kind.to_owned(), ns.as_f64().unwrap_or_default() / 1e6)),
            _ => None,
        };
        let slow = now.get("slow").map(Json::items).unwrap_or_default().iter().map(|slow| SlowSample {
            took_ms: slow.number("took") / 1e6,
            ago_s: slow.number("ago") / 1e9,
            kind: slow.text("kind").to_owned(),
            location: slow.text("location").to_owned(),
        });
        LoopSample {
            name: now.text("name").to_owned(),
            is_observed,
            utilisation: if is_observed { (1.0 - grown("idle") / passed_ns).clamp(0.0, 1.0) } else { 0.0 },
            // A block that is still in progress counts as a delay.
            delays_ms: [
                ms(delays.quantile_ns(0.5)),
                ms(delays.quantile_ns(0.99)),
                ms(delays.most_ns()).max(if busy_ms >= 10.0 { busy_ms } else { 0.0 }),
            ],
            turns_per_s: grown("turns") / passed_s,
            callbacks_per_s: callbacks.iter().map(|(_, per_s, _)| per_s).sum(),
            busy_ms,
            phases: growth(before, now, "phases").into_iter().map(|(name, [ns, _])| (name, ns / passed_ns)).collect(),
            callbacks,
            handles: rows(now, "handles").into_iter().map(|(name, [count, _])| (name, count as u64)).collect(),
            slow: slow.collect(),
            current,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_those_of_the_period() {
        let answer = |at: u64, turns: u64, idle: u64, timers: u64| {
            Json::parse(&format!(
                "{{\"at\":{at},\"loops\":[{{\"number\":1,\"name\":\"main\",\"busyMs\":0,\"turns\":{turns},\"idle\":{idle},\
                 \"phases\":[[\"timers\",{timers}]],\"callbacks\":[[\"timer\",{turns},{timers}],[\"async\",1,1]],\
                 \"handles\":[[\"tcp\",3]]}}],\"pool\":{{\"threads\":4,\"busy\":1,\"queued\":2}}}}"
            ))
            .unwrap()
        };
        let sample = Sample::between(&answer(0, 100, 0, 0), &answer(2_000_000_000, 300, 1_500_000_000, 400_000_000));
        let main = &sample.loops[0];
        assert_eq!((main.utilisation, main.turns_per_s, main.callbacks_per_s), (0.25, 100.0, 100.0));
        assert_eq!(main.phases, [("timers".to_owned(), 0.2)]);
        assert_eq!(main.callbacks, [("timer".to_owned(), 100.0, 0.2)]);
        assert_eq!((main.handles[0].1, sample.pool), (3, [4, 1, 2]));
    }
}
