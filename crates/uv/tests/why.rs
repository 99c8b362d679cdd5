//! Runs the C program `why.c` on the library, and asks through the control socket what keeps its loop alive.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use phasor_lens::agent::Client;
use phasor_lens::json::Json;
use phasor_lens::{WhyLoop, agent};

/// How long the program may take to start.
const LIMIT: Duration = Duration::from_secs(60);

/// The program, which is ended on drop.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Asks until the control socket is open.
fn ask(pid: u32, folder: &Path) -> Json {
    let began = Instant::now();
    let path = &agent::paths(pid, 0, |name| (name == "XDG_RUNTIME_DIR").then(|| folder.to_owned()))[0];
    loop {
        let answer = Client::connect(path).and_then(|mut client| client.ask(&Json::object([("ask", "why".into())])));
        match answer {
            // The loop is registered before its first run; it answers when it runs.
            Ok(answer) if answer.get("loops").map_or(0, |loops| loops.items().len()) == 1 => return answer,
            other => assert!(began.elapsed() < LIMIT, "no answer: {other:?}"),
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn handles_and_requests_have_their_callbacks_addresses_and_paths() {
    let built = Command::new(env!("CARGO")).args(["build", "--quiet", "--package", "phasor-uv"]).status();
    assert!(built.unwrap().success());
    let test = std::env::current_exe().unwrap();
    let library = test.parent().and_then(Path::parent).unwrap().with_file_name("debug").join("libuv.so");
    let folder = std::env::temp_dir().join(format!("phasor-uv-why-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    std::fs::set_permissions(&folder, private).unwrap();
    std::fs::copy(library, folder.join("libuv.so.1")).unwrap();
    let compiled = Command::new("cc")
        .args(["-g", "-O0", "-Wall", "-Werror", "-o"])
        .arg(folder.join("why"))
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/why.c"))
        .arg(folder.join("libuv.so.1"))
        .status();
    assert!(compiled.unwrap().success());
    // Opening it for reading waits for a writer.
    let fifo = folder.join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());

    let mut command = Command::new(folder.join("why"));
    command.arg(&fifo).env("LD_LIBRARY_PATH", &folder).env("XDG_RUNTIME_DIR", &folder).env(agent::VARIABLE, "1");
    let program = Program(command.stdin(Stdio::piped()).spawn().unwrap());
    let answer = ask(program.0.id(), &folder);
    let found = WhyLoop::from_json(&answer.get("loops").unwrap().items()[0]);
    drop(program);
    std::fs::remove_dir_all(&folder).unwrap();

    let mut words: Vec<_> = found
        .entries
        .iter()
        .map(|entry| {
            let callback = entry.callback.as_ref().map_or("", |callback| callback.function.as_str());
            (entry.kind.as_str(), callback, entry.has_ref)
        })
        .collect();
    words.sort_unstable();
    let wanted = [
        ("file request", "on_open", false),
        ("pipe", "on_input", true),
        ("tcp server", "on_connection", true),
        ("timer", "on_timer", true),
        ("work request", "wait_for_end", false),
    ];
    assert_eq!(words, wanted, "{found}");
    let what = |kind: &str| found.entries.iter().find(|entry| entry.kind == kind).unwrap().what.as_str();
    assert!(what("file request").starts_with(&format!("open {}, at 0x", fifo.display())), "{found}");
    assert!(what("tcp server").starts_with("127.0.0.1:") && what("pipe").starts_with("pipe:["), "{found}");
    assert!(what("timer").starts_with("every 1000 ms, at 0x"), "{found}");
    assert!(found.to_string().contains("to end it: uv_close() or uv_unref()"), "{found}");
}
