//! The rules of order: every script of `conformance/order` prints what Node 22 printed.
//!
//! `NAME.out` is the exact output, `NAME.any` lists the legal ones, `NAME.code` has the exit code and what standard error
//! must hold. `conformance/waiting.txt` lists the scripts that do not pass yet, each with its reason; one that passes must
//! be taken out of the list, so the list can only shrink. `CONFORMANCE=text` runs only the scripts with that in their name.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How long a script may take.
const LIMIT: Duration = Duration::from_secs(10);

/// How many scripts run at a time: their tolerance for a busy machine has an end.
const AT_A_TIME: usize = 3;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance")
}

/// Everything that a script's head, its code file and its output files say.
struct Script {
    name: String,
    path: PathBuf,
    flags: Vec<String>,
    env: Vec<(String, String)>,
    code: i32,
    /// What standard error must hold.
    errors: Vec<String>,
    /// The outputs that are legal.
    legal: Vec<String>,
}

impl Script {
    fn read(path: PathBuf) -> Option<Script> {
        let name = path.file_name()?.to_string_lossy().into_owned();
        let ending = path.extension()?.to_str()?;
        if !name.starts_with(|first: char| first.is_ascii_digit()) || !["js", "mjs"].contains(&ending) {
            return None;
        }
        let legal = match fs::read_to_string(path.with_extension("any")) {
            Ok(any) => legal_ones(&any),
            Err(_) => vec![fs::read_to_string(path.with_extension("out")).ok()?],
        };
        let text = fs::read_to_string(&path).unwrap();
        let (mut flags, mut env) = (Vec::new(), Vec::new());
        for line in text.lines().take(6) {
            if let Some(rest) = line.strip_prefix("// flags:") {
                flags = rest.split_whitespace().map(str::to_owned).collect();
            } else if let Some(rest) = line.strip_prefix("// env:") {
                let pair = |word: &str| word.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
                env = rest.split_whitespace().filter_map(pair).collect();
            }
        }
        let code_file = fs::read_to_string(path.with_extension("code")).unwrap_or_default();
        let code = code_file.lines().next().and_then(|line| line.trim().parse().ok()).unwrap_or(0);
        let errors = code_file.lines().filter_map(|line| line.strip_prefix("stderr: ")).map(str::to_owned).collect();
        Some(Script { name, path, flags, env, code, errors, legal })
    }

    /// Why the script does not do what it should; nothing if it does.
    fn fault(&self, scratch: &Path) -> Option<String> {
        let work = scratch.join(&self.name);
        fs::create_dir_all(work.join("t")).unwrap();
        let here = work.join("t").canonicalize().unwrap();
        let pipes = (0..8).map(|number| here.join(format!("p{number}")));
        assert!(Command::new("mkfifo").args(pipes).status().unwrap().success());
        let (out, err) = (work.join("out"), work.join("err"));
        let mut child = Command::new(env!("CARGO_BIN_EXE_phasor"))
            .args(&self.flags)
            .arg(&self.path)
            .current_dir(&here)
            .env("CONF_TMP", &here)
            .env("NO_COLOR", "1")
            .envs(self.env.iter().map(|(key, value)| (key, value)))
            .stdin(Stdio::null())
            .stdout(File::create(&out).unwrap())
            .stderr(File::create(&err).unwrap())
            .spawn()
            .unwrap();
        let started = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if started.elapsed() > LIMIT {
                let _ = child.kill();
                let _ = child.wait();
                return Some("takes too long".to_owned());
            }
            std::thread::sleep(Duration::from_millis(3));
        };
        let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
        let stdout = String::from_utf8_lossy(&fs::read(&out).unwrap()).into_owned();
        let stderr = String::from_utf8_lossy(&fs::read(&err).unwrap()).into_owned();
        let first_error = stderr.lines().find(|line| !line.is_empty()).unwrap_or_default();
        if code != self.code {
            return Some(format!("ended with {code}, not {}: {first_error}", self.code));
        }
        if !self.legal.contains(&stdout) {
            return Some(format!("printed\n{stdout}and not\n{}{first_error}", self.legal.join("or\n")));
        }
        let missing = self.errors.iter().find(|wanted| !stderr.contains(wanted.as_str()))?;
        Some(format!("standard error lacks {missing:?}: {first_error}"))
    }
}

/// The outputs of an `.any` file, parted by lines of `---`.
fn legal_ones(text: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    for line in text.lines() {
        match (line, all.last_mut()) {
            ("---", _) => all.push(String::new()),
            (_, Some(last)) => {
                last.push_str(line);
                last.push('\n');
            }
            (_, None) => {}
        }
    }
    all
}

/// The scripts that do not pass yet, with their reasons.
fn waiting() -> BTreeMap<String, String> {
    let text = fs::read_to_string(folder().join("waiting.txt")).unwrap();
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let (name, reason) = line.split_once(": ").expect("a line is `NAME: reason`");
            (name.to_owned(), reason.to_owned())
        })
        .collect()
}

#[test]
fn scripts_print_what_node_prints() {
    let mut scripts: Vec<Script> = fs::read_dir(folder().join("order"))
        .unwrap()
        .filter_map(|entry| Script::read(entry.unwrap().path().canonicalize().unwrap()))
        .collect();
    scripts.sort_by(|one, other| one.name.cmp(&other.name));
    let pattern = std::env::var("CONFORMANCE").unwrap_or_default();
    scripts.retain(|script| script.name.contains(&pattern));
    let waiting = waiting();
    let scratch = std::env::temp_dir().join(format!("phasor-conformance-{}", std::process::id()));
    let (next, faults) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                while let Some(script) = scripts.get(next.fetch_add(1, Ordering::Relaxed)) {
                    // A slow machine may upset a script that measures: it gets a second chance.
                    let fault = script
                        .fault(&scratch.join("1"))
                        .filter(|_| waiting.contains_key(&script.name) || script.fault(&scratch.join("2")).is_some());
                    if let Some(fault) = fault {
                        faults.lock().unwrap().insert(script.name.clone(), fault);
                    }
                }
            });
        }
    });
    let _ = fs::remove_dir_all(&scratch);
    let faults = faults.into_inner().unwrap();
    println!("{} of {} scripts pass", scripts.len() - faults.len(), scripts.len());
    let mut wrong = Vec::new();
    for script in &scripts {
        match (faults.get(&script.name), waiting.get(&script.name)) {
            (Some(fault), None) => wrong.push(format!("{}: {fault}", script.name)),
            (None, Some(_)) => wrong.push(format!("{}: passes, take it out of waiting.txt", script.name)),
            _ => {}
        }
    }
    let unknown = |name: &&String| pattern.is_empty() && !scripts.iter().any(|script| script.name == **name);
    wrong.extend(waiting.keys().filter(unknown).map(|name| format!("{name}: there is no such script")));
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
