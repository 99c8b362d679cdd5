//! Output: the table, the list of benchmarks, and the file of samples.

use serde_json::{Value, json};

use crate::registry::{BENCHES, Measure, Row, Sample, Unit};
use crate::runner::{BenchResult, Conditions};

/// Prints each benchmark's name and description.
pub(crate) fn list() {
    for bench in BENCHES {
        println!("{:<20} {}", bench.name, bench.about);
    }
}

/// The table: the best value of each side, and their ratio. Above 1, Phasor is better.
pub(crate) fn table(results: &[BenchResult]) -> String {
    let mut text =
        format!("{:<24} {:>10} {:>10} {:<7} {:>6} {:>6}\n", "benchmark", "libuv", "phasor", "unit", "ratio", "cpu");
    for result in results {
        for (index, row) in result.bench.rows.iter().enumerate() {
            text += &line(result, index, row);
        }
    }
    text +=
        "ratio: phasor against libuv, best of the rounds, higher is better; cpu: the same for work per CPU second\n";
    text
}

fn line(result: &BenchResult, index: usize, row: &Row) -> String {
    let libuv = best(&result.libuv, index, row.unit);
    let phasor = best(&result.phasor, index, row.unit);
    let ratio = phasor.zip(libuv).map(|(ours, theirs)| row.unit.ratio(ours, theirs));
    let work_per_cpu = |samples| best(samples, index, Unit::PerCpuSecond).filter(|_| row.cpu_counts);
    let cpu = work_per_cpu(&result.phasor).zip(work_per_cpu(&result.libuv)).map(|(ours, theirs)| ours / theirs);
    let figure = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), format_value);
    let times = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"));
    format!(
        "{:<24} {:>10} {:>10} {:<7} {:>6} {:>6}\n",
        result.bench.row_name(row),
        figure(libuv),
        figure(phasor),
        row.unit.name(),
        times(ratio),
        times(cpu)
    )
}

/// The best value of a row, because noise only makes a run worse.
fn best(samples: &[Sample], index: usize, unit: Unit) -> Option<f64> {
    let figures = samples.iter().filter_map(|sample| Some(unit.figure(sample.get(index)?)));
    if unit.less_is_better() { figures.reduce(f64::min) } else { figures.reduce(f64::max) }
}

/// A value with three or four significant digits and a suffix for thousands or millions.
fn format_value(value: f64) -> String {
    match value {
        value if value >= 1e7 => format!("{:.1}M", value / 1e6),
        value if value >= 1e6 => format!("{:.2}M", value / 1e6),
        value if value >= 1e4 => format!("{:.1}k", value / 1e3),
        value if value >= 100.0 => format!("{value:.0}"),
        value => format!("{value:.2}"),
    }
}

/// All samples of all rounds as JSON.
pub(crate) fn json(results: &[BenchResult], rounds: u32, conditions: &Conditions) -> String {
    let rows = results.iter().flat_map(|result| {
        result.bench.rows.iter().enumerate().map(|(index, row)| {
            let side = |samples: &[Sample]| {
                json!({ "best": best(samples, index, row.unit), "samples": measures(samples, index) })
            };
            json!({
                "benchmark": result.bench.row_name(row),
                "unit": row.unit.name(),
                "less_is_better": row.unit.less_is_better(),
                "libuv": side(&result.libuv),
                "phasor": side(&result.phasor),
                "failures": result.failures,
            })
        })
    });
    let rows: Vec<Value> = rows.collect();
    let all = json!({ "rounds": rounds, "smoke": conditions.smoke, "pinned": conditions.pinned, "rows": rows });
    format!("{all:#}\n")
}

fn measures(samples: &[Sample], index: usize) -> Vec<Value> {
    let to_json =
        |measure: &Measure| json!({ "amount": measure.amount, "wall_ns": measure.wall_ns, "cpu_ns": measure.cpu_ns });
    samples.iter().filter_map(|sample| sample.get(index)).map(to_json).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Bench;

    fn sample(amount: u64, wall_ns: u64) -> Sample {
        vec![Measure { amount, wall_ns, cpu_ns: wall_ns * 2 }]
    }

    fn result(name: &str, libuv: Vec<Sample>, phasor: Vec<Sample>) -> BenchResult {
        BenchResult { bench: Bench::named(name).unwrap(), libuv, phasor, failures: Vec::new() }
    }

    fn words(results: &[BenchResult]) -> Vec<String> {
        table(results).lines().nth(1).unwrap().split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn the_best_round_of_each_side_is_compared() {
        let second = 1_000_000_000;
        let libuv = vec![sample(1_000_000, second), sample(2_000_000, second)];
        let phasor = vec![sample(6_000_000, second), sample(1_000_000, second)];
        assert_eq!(
            words(&[result("loop_count", libuv, phasor)]),
            ["loop_count", "2.00M", "6.00M", "/s", "3.00", "3.00"]
        );
    }

    #[test]
    fn less_memory_has_a_ratio_above_one() {
        let libuv = vec![sample(600, 1), sample(500, 1)];
        assert_eq!(
            words(&[result("idle_tcp_memory", libuv, vec![sample(250, 1)])]),
            ["idle_tcp_memory", "500", "250", "B", "each", "2.00", "-"]
        );
    }

    #[test]
    fn a_missing_side_is_a_dash() {
        let libuv = vec![sample(20_000, 1_000_000_000)];
        assert_eq!(words(&[result("ping_pongs", libuv, Vec::new())]), ["ping_pongs", "20.0k", "-", "/s", "-", "-"]);
        assert!(
            json(&[result("ping_pongs", Vec::new(), Vec::new())], 1, &Conditions { smoke: true, pinned: true })
                .contains("\"best\": null")
        );
    }
}
