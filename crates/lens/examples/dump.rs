//! Prints the records of a recording as text: `cargo run -p phasor-lens --example dump FILE`.

use std::process::ExitCode;

use phasor_core::Phase;
use phasor_lens::{
    CallbackKind, FindingKind, Record, RecordKind, Recording, ResourceId, ResourceKind, ThreadRecording,
};

fn main() -> ExitCode {
    let Some(path) = std::env::args_os().nth(1) else {
        eprintln!("usage: dump FILE");
        return ExitCode::from(2);
    };
    let recording = match Recording::read(path.as_ref()) {
        Ok(recording) => recording,
        Err(error) => {
            eprintln!("{}: {error}", path.display());
            return ExitCode::FAILURE;
        }
    };
    let process = &recording.process;
    println!("process {} ({}): {}", process.pid, process.runtime, process.arguments.join(" "));
    println!(
        "{}",
        if recording.is_complete { "complete" } else { "not complete: the process was killed, or still runs" }
    );
    for thread in recording.threads.values() {
        println!("\nthread {} ({}): {} records", thread.info.name, thread.info.os_id, thread.records.len());
        let mut depth = 0;
        for record in &thread.records {
            if record.kind == RecordKind::CallbackEnd {
                depth -= 1;
            }
            println!("{:14.3} {}{}", record.time_ns as f64 / 1e3, "  ".repeat(depth), text(thread, record));
            if record.kind == RecordKind::CallbackBegin {
                depth += 1;
            }
        }
    }
    ExitCode::SUCCESS
}

/// A record in words.
fn text(thread: &ThreadRecording, record: &Record) -> String {
    let name = record.kind.name();
    let location = || thread.locations.get(&record.word).map(|location| format!(" {location}")).unwrap_or_default();
    let resource_kind = || ResourceKind::from_number(record.code).map_or("?", ResourceKind::name);
    match record.kind {
        RecordKind::Turn => format!("{name} {}", record.a),
        RecordKind::PhaseBegin | RecordKind::PhaseEnd => {
            format!("{name}: {}", Phase::ALL.get(usize::from(record.code)).map_or("?", |phase| phase.name()))
        }
        RecordKind::PollBegin if record.word == u32::MAX => format!("{name}, no timeout"),
        RecordKind::PollBegin => format!("{name}, at most {} ms", record.word),
        RecordKind::PollEnd => format!("{name}, {} ready", record.word),
        RecordKind::CallbackBegin => {
            let kind = CallbackKind::from_number(record.code).map_or("?", CallbackKind::name);
            format!("{name}: {kind}{}{}", resource(thread, record.a), location())
        }
        RecordKind::CallbackLocated => format!("{name}:{}", location()),
        RecordKind::Created | RecordKind::RequestBegun => {
            let kind = resource_kind();
            let of = if record.b == 0 { String::new() } else { format!(" of{}", resource(thread, record.b)) };
            format!("{name}: {kind}{}{of}{}", resource(thread, record.a), stack(thread, record.word))
        }
        RecordKind::Closed => format!("{name}: {}{}", resource_kind(), resource(thread, record.a)),
        RecordKind::TimerStarted => {
            let (after, repeat) = (record.b & u64::from(u32::MAX), record.b >> 32);
            format!(
                "{name}:{} {after} ms, repeat {repeat} ms{}",
                resource(thread, record.a),
                stack(thread, record.word)
            )
        }
        RecordKind::PoolTask => {
            let run_us = record.b.saturating_sub(record.time_ns) as f64 / 1e3;
            let request = resource(thread, record.a);
            format!("{name}:{request} waited {} us, ran {run_us} us on thread {}", record.word, record.code)
        }
        RecordKind::Finding => {
            let kind = FindingKind::from_number(record.code).map_or("?", FindingKind::name);
            let label = thread.labels.get(&record.word).map_or("", String::as_str);
            format!("{name}: {kind} {label} {}{}", record.b as u32, stack(thread, (record.b >> 32) as u32))
        }
        RecordKind::SpanBegin | RecordKind::Mark => {
            format!("{name}: {}", thread.labels.get(&record.word).map_or("", String::as_str))
        }
        RecordKind::Lost => format!("{name}: {} records", record.a),
        _ => format!("{name} code {} word {} a {:x} b {:x}", record.code, record.word, record.a, record.b),
    }
}

/// A resource by its number, with what is known of it.
fn resource(thread: &ThreadRecording, id: u64) -> String {
    let known = thread.resources.get(&ResourceId(id)).map(|text| format!(" ({text})")).unwrap_or_default();
    format!(" #{id:x}{known}")
}

/// A stack in a line.
fn stack(thread: &ThreadRecording, number: u32) -> String {
    let locations = thread.stacks.get(&number).into_iter().flatten();
    let calls: Vec<_> = locations.filter_map(|number| thread.locations.get(number)).map(ToString::to_string).collect();
    if calls.is_empty() { String::new() } else { format!(" by {}", calls.join(" < ")) }
}
