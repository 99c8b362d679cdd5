//! Runs the C program `recorded.c` on the library, and checks its recording.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use phasor_lens::{CallbackKind, RecordKind, Recording, ResourceId, ResourceKind, THREW, ThreadRecording};

/// The library. Cargo builds it for no test by itself, because tests cannot link with it.
fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let built = Command::new(env!("CARGO")).args(["build", "--quiet", "--package", "phasor-uv"]).status();
        assert!(built.unwrap().success());
        // The test is in the folder `deps` of the profile's folder.
        let test = std::env::current_exe().unwrap();
        test.parent().and_then(Path::parent).unwrap().with_file_name("debug").join("libuv.so")
    })
}

/// The compiled program, its library and its recordings, in a folder that is removed on drop.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let folder = std::env::temp_dir().join(format!("phasor-uv-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let built = library();
        std::fs::copy(built, folder.join("libuv.so.1")).unwrap_or_else(|error| panic!("{}: {error}", built.display()));
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recorded.c");
        let compiled = Command::new("cc")
            .args(["-g", "-O0", "-Wall", "-Werror", "-pthread", "-o"])
            .arg(folder.join("recorded"))
            .arg(source)
            .arg(folder.join("libuv.so.1"))
            .status();
        assert!(compiled.unwrap().success());
        Scratch(folder)
    }

    /// The program with an argument, recorded with this value of the variable.
    fn command(&self, how: &str, recorded: &str) -> Command {
        let mut command = Command::new(self.0.join("recorded"));
        command.arg(how).current_dir(&self.0).env("LD_LIBRARY_PATH", &self.0).env("PHASOR_RECORD", recorded);
        command
    }

    /// Runs the program. Returns its exit code and what it has written to standard error.
    fn run(&self, how: &str, recorded: &str) -> (Option<i32>, String) {
        let output = self.command(how, recorded).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    }

    fn read(&self, name: &str) -> Recording {
        Recording::read(&self.0.join(name)).unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The only thread of a recording.
fn only_thread(recording: &Recording) -> &ThreadRecording {
    assert_eq!(recording.threads.len(), 1);
    recording.threads.values().next().unwrap()
}

/// The functions of a stack.
fn stack(thread: &ThreadRecording, number: u32) -> Vec<&str> {
    let locations = thread.stacks.get(&number).into_iter().flatten();
    locations.map(|number| thread.locations[number].function.as_str()).collect()
}

/// How many callbacks of each kind call which function. Checks that callbacks are balanced.
fn callbacks(thread: &ThreadRecording) -> BTreeMap<(&str, &str), usize> {
    let (mut counts, mut open) = (BTreeMap::new(), Vec::new());
    for record in &thread.records {
        match record.kind {
            RecordKind::CallbackBegin => open.push((CallbackKind::from_number(record.code).unwrap().name(), "")),
            RecordKind::CallbackLocated => {
                let location = &thread.locations[&record.word];
                assert_eq!(location.file, "recorded");
                open.last_mut().unwrap().1 = &location.function;
            }
            RecordKind::CallbackEnd => *counts.entry(open.pop().expect("a callback is open")).or_insert(0) += 1,
            _ => {}
        }
    }
    assert_eq!(open, []);
    counts
}

#[test]
fn a_recording_has_what_the_program_did() {
    let scratch = Scratch::new("all");
    assert_eq!(scratch.run("", "path=a.phasor;detail=2"), (Some(0), String::new()));
    let recording = scratch.read("a.phasor");
    assert!(recording.is_complete && recording.process.runtime.starts_with("libuv.so.1 of phasor"));
    let thread = only_thread(&recording);
    assert_eq!((thread.info.name.as_str(), thread.info.os_id), ("main", u64::from(recording.process.pid)));

    let expected = [
        (("async", "on_wake"), 1),
        (("check", "on_check"), 2),
        (("closed", "on_closed"), 8),
        (("connection", "on_connection"), 1),
        (("idle", "on_idle"), 1),
        (("read", "on_read"), 2),
        (("request done", "after_work"), 2),
        (("request done", "on_connected"), 1),
        (("request done", "on_stat"), 1),
        (("request done", "on_written"), 1),
        (("timer", "on_once"), 1),
        (("timer", "on_repeat"), 3),
    ];
    // A read may be split or be tried without result.
    let mut found = callbacks(thread);
    found.entry(("read", "on_read")).and_modify(|count| *count = (*count).min(2));
    assert_eq!(found, BTreeMap::from(expected));

    // Every handle is made once, by the function of the program that did it, and closed.
    let of_kind = |kind| thread.records.iter().filter(move |record| record.kind == kind);
    let mut created: Vec<_> = of_kind(RecordKind::Created)
        .map(|record| (ResourceKind::from_number(record.code).unwrap().name(), stack(thread, record.word)))
        .collect();
    created.sort();
    let by = |function: &'static str| vec![function, "main"];
    let expected = vec![
        ("async", by("start_watchers")),
        ("check", by("start_watchers")),
        ("idle", by("start_watchers")),
        ("tcp", vec!["on_connection", "main"]),
        ("tcp", by("start_connection")),
        ("tcp", by("start_connection")),
        ("timer", by("start_timers")),
        ("timer", by("start_timers")),
    ];
    assert_eq!(created, expected);
    let ids = |kind| of_kind(kind).map(|record| record.a).collect::<BTreeSet<_>>();
    assert_eq!(ids(RecordKind::Created), ids(RecordKind::Closed));
    // The program has started two timers; the loop has started one of them again.
    let starts: Vec<_> = of_kind(RecordKind::TimerStarted).map(|record| stack(thread, record.word)).collect();
    assert_eq!(starts.iter().filter(|stack| **stack == by("start_timers")).count(), 2);
    assert!(starts.iter().all(|stack| stack.is_empty() || *stack == by("start_timers")));

    // Every request is begun before it is done, and the tasks of the pool have run in between.
    let position = |kind, id| thread.records.iter().position(|record| record.kind == kind && record.a == id);
    let mut requests = Vec::new();
    for (at, record) in thread.records.iter().enumerate().filter(|(_, record)| record.kind == RecordKind::RequestBegun)
    {
        let kind = ResourceKind::from_number(record.code).unwrap();
        let done = position(RecordKind::CallbackBegin, record.a).unwrap();
        assert!(at < done);
        if let Some(task) = position(RecordKind::PoolTask, record.a) {
            let task_record = &thread.records[task];
            assert!(task < done && record.time_ns <= task_record.time_ns && task_record.time_ns <= task_record.b);
            assert!(task_record.b <= thread.records[done].time_ns && task_record.code > 0);
        }
        let text = thread.resources.get(&ResourceId(record.a)).map_or("", String::as_str);
        requests.push((
            kind.name(),
            text,
            position(RecordKind::PoolTask, record.a).is_some(),
            stack(thread, record.word),
        ));
    }
    requests.sort();
    let expected = vec![
        ("connect", "", false, by("start_connection")),
        ("fs", "stat /", true, by("start_tasks")),
        ("work", "work (recorded)", true, by("start_tasks")),
        ("work", "work (recorded)", true, by("start_tasks")),
        ("write", "", false, vec!["on_connected", "main"]),
    ];
    assert_eq!(requests, expected);

    // The call that blocks is a span within its callback.
    let kinds: Vec<_> = thread.records.iter().map(|record| record.kind).collect();
    let span = kinds.iter().position(|kind| *kind == RecordKind::SpanBegin).unwrap();
    assert_eq!(thread.labels[&thread.records[span].word], "stat /");
    assert_eq!(
        kinds[span - 2..=span + 1],
        [RecordKind::CallbackBegin, RecordKind::CallbackLocated, RecordKind::SpanBegin, RecordKind::SpanEnd]
    );

    // Phases begin and end in turn, and each callback runs in one.
    let mut phase = None;
    for record in &thread.records {
        match record.kind {
            RecordKind::PhaseBegin => assert_eq!(phase.replace(record.code), None),
            RecordKind::PhaseEnd => assert_eq!(phase.take(), Some(record.code)),
            RecordKind::CallbackBegin => assert!(phase.is_some()),
            _ => {}
        }
    }
    let described: Vec<_> = thread.resources.values().filter(|text| text.starts_with("127.0.0.1:")).collect();
    assert_eq!(described.len(), 3, "{:?}", thread.resources);
}

#[test]
fn exit_in_a_callback_ends_the_callback_and_the_recording() {
    let scratch = Scratch::new("exit");
    assert_eq!(scratch.run("exit", "path=a.phasor"), (Some(3), String::new()));
    let recording = scratch.read("a.phasor");
    assert!(recording.is_complete);
    let thread = only_thread(&recording);
    assert_eq!(callbacks(thread), BTreeMap::from([(("timer", "on_exit_timer"), 1)]));
    assert_eq!(thread.records.last().map(|record| (record.kind, record.flags)), Some((RecordKind::CallbackEnd, THREW)));
}

#[test]
fn a_child_of_fork_gets_a_file_of_its_own_or_none() {
    let scratch = Scratch::new("fork");
    let expected = BTreeMap::from([(("closed", "on_closed"), 1), (("timer", "on_child_timer"), 1)]);
    assert_eq!(scratch.run("fork", "path=a.phasor"), (Some(0), String::new()));
    let recording = scratch.read("a.phasor");
    assert!(recording.is_complete);
    assert_eq!(callbacks(only_thread(&recording)), expected);

    assert_eq!(scratch.run("fork", "path=each-%p"), (Some(0), String::new()));
    let files = std::fs::read_dir(&scratch.0).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let recordings: Vec<_> = files.filter(|name| name.starts_with("each-")).map(|name| scratch.read(&name)).collect();
    let [one, other] = &recordings[..] else { panic!("{} files", recordings.len()) };
    assert!(one.process.pid == other.process.parent || other.process.pid == one.process.parent);
    for recording in [one, other] {
        assert!(recording.is_complete);
        assert_eq!(callbacks(only_thread(recording)), expected);
    }
}

#[test]
fn what_was_recorded_before_the_process_is_killed_can_be_read() {
    use std::io::BufRead;

    let scratch = Scratch::new("kill");
    let mut child = scratch.command("kill", "path=a.phasor").stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    std::io::BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "ran\n");
    let began = std::time::Instant::now();
    while scratch.read("a.phasor").threads.values().all(|thread| thread.records.len() < 10) {
        assert!(began.elapsed().as_secs() < 20, "the records do not come");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let recording = scratch.read("a.phasor");
    assert!(!recording.is_complete);
    let expected = BTreeMap::from([(("closed", "on_closed"), 1), (("timer", "on_child_timer"), 1)]);
    assert_eq!(callbacks(only_thread(&recording)), expected);
}

#[test]
fn an_error_is_one_line_and_the_program_goes_on() {
    let scratch = Scratch::new("error");
    let cases = [
        ("path=/no/such/folder/a.phasor", "phasor: cannot record to /no/such/folder/a.phasor: No such file"),
        ("detail=2", "phasor: PHASOR_RECORD: path=FILE is missing"),
        ("path=a;detail=9", "phasor: PHASOR_RECORD: \"detail=9\" is not"),
        ("path=/dev/full", "phasor: cannot record to /dev/full: No space left"),
    ];
    for (recorded, expected) in cases {
        let (code, text) = scratch.run("", recorded);
        assert_eq!(code, Some(0));
        assert!(text.starts_with(expected) && text.lines().count() == 1, "{recorded}: {text}");
    }
    assert_eq!(scratch.run("", ""), (Some(0), String::new()));
}
