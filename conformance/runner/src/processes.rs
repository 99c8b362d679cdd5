//! Processes with a time limit that leave nothing behind: neither a child that runs on, nor one that holds a pipe open, nor anything if
//! this process is killed. What is run and how its output is judged is not known here.

use std::fs;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often to look whether a process has ended.
const INTERVAL: Duration = Duration::from_millis(3);

/// How a process ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// By itself, or by a signal that this file did not send.
    Ended(ExitStatus),
    /// It was killed because it exceeded its limit.
    Late,
    /// It ended, and a child process kept its output open until the limit.
    OutputHeld,
}

/// A process that ended, and what it printed into pipes.
#[derive(Debug)]
pub struct Ended {
    /// How it ended.
    pub fate: Fate,
    /// What it printed to standard output, if that is a pipe.
    pub stdout: Vec<u8>,
    /// What it printed to standard error, if that is a pipe.
    pub stderr: Vec<u8>,
}

/// Runs a command until it has ended and its output is closed, and then kills the rest of its process group.
///
/// # Errors
///
/// When the command cannot be started.
pub fn run(command: &mut Command, limit: Duration) -> io::Result<Ended> {
    let deadline = Instant::now() + limit;
    // A group of its own, so that it is killed together with its children. Ctrl-C does not reach it: see `scratch`.
    let mut child = command.process_group(0).spawn()?;
    let readers = [Reader::new(child.stdout.take()), Reader::new(child.stderr.take())];
    let status = status_until(&mut child, deadline)?;
    // Children of the script may print after its end.
    while status.is_some() && !readers.iter().all(Reader::is_finished) && Instant::now() < deadline {
        std::thread::sleep(INTERVAL);
    }
    let fate = match status {
        None => Fate::Late,
        Some(_) if !readers.iter().all(Reader::is_finished) => Fate::OutputHeld,
        Some(status) => Fate::Ended(status),
    };
    // The group exists as long as it has a process, so its number is not given to another one before that.
    kill(&format!("-{}", child.id()))?;
    child.wait()?;
    let [stdout, stderr] = readers.map(Reader::bytes);
    Ok(Ended { fate, stdout, stderr })
}

fn status_until(child: &mut Child, deadline: Instant) -> io::Result<Option<ExitStatus>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= deadline {
            return Ok(None);
        }
        std::thread::sleep(INTERVAL);
    }
}

/// Kills a process, or a group by its number with a minus. That it has ended already is no error.
fn kill(process: &str) -> io::Result<()> {
    // The shell's own `kill`: a minimal Debian has no program of that name.
    let mut command = Command::new("sh");
    command.args(["-c", &format!("kill -KILL {process}")]).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    Ok(())
}

/// Kills every process that has its working directory in a folder: the children of a script that left its group, too.
pub(crate) fn kill_in(folder: &Path) {
    // Without `/proc` there is nothing to look through.
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(id) = name.to_str().filter(|id| id.bytes().all(|byte| byte.is_ascii_digit())) else { continue };
        if fs::read_link(entry.path().join("cwd")).is_ok_and(|path| path.starts_with(folder)) {
            // It may have ended since.
            let _ = kill(id);
        }
    }
}

/// Reads a pipe on a thread, so that the process never waits for its reader.
struct Reader {
    bytes: Arc<Mutex<Vec<u8>>>,
    thread: JoinHandle<()>,
}

impl Reader {
    fn new(pipe: Option<impl Read + Send + 'static>) -> Reader {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let shared = Arc::clone(&bytes);
        let thread = std::thread::spawn(move || {
            let (Some(mut pipe), mut part) = (pipe, vec![0; 1 << 16]) else { return };
            // A pipe that cannot be read has no more output.
            while let Ok(count @ 1..) = pipe.read(&mut part) {
                shared.lock().unwrap_or_else(PoisonError::into_inner).extend(&part[..count]);
            }
        });
        Reader { bytes, thread }
    }

    fn is_finished(&self) -> bool {
        self.thread.is_finished()
    }

    /// What was read so far. The thread ends when the last process closes the pipe.
    fn bytes(self) -> Vec<u8> {
        std::mem::take(&mut self.bytes.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What the cleaner does when its standard input ends: this process has ended, however that came. It kills what runs in one of the
/// folders, twice because a process may start another meanwhile, and removes the folders.
const CLEANER: &str = r#"
cat >/dev/null
for round in 1 2; do
  for link in /proc/[0-9]*/cwd; do
    case $(readlink "$link") in "$1"*) id=${link#/proc/}; kill -KILL "${id%/cwd}" ;; esac
  done
done
rm -rf -- "$1"*
"#;

/// A folder for one run of a script. It does not exist yet. What runs there is killed when this process ends.
pub(crate) fn scratch() -> io::Result<PathBuf> {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    /// The standard input of the cleaner, which ends together with this process. Ctrl-C reaches neither the cleaner nor the scripts,
    /// which have groups of their own.
    static CLEANED: OnceLock<(String, Option<Child>)> = OnceLock::new();
    let folder = std::env::temp_dir().canonicalize()?;
    let (prefix, _) = CLEANED.get_or_init(|| {
        let prefix = folder.join(format!("phasor-conformance-{}-", std::process::id())).to_string_lossy().into_owned();
        let mut cleaner = Command::new("sh");
        cleaner.args(["-c", CLEANER, "sh", &prefix]).current_dir("/").process_group(0);
        let cleaner = cleaner.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        (prefix, cleaner.ok())
    });
    Ok(PathBuf::from(format!("{prefix}{}", RUNS.fetch_add(1, Ordering::Relaxed))))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_millis(700);

    fn sh(text: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", text]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Waits until a process has ended; its number is what a shell printed. A killed process is seen for a moment longer.
    fn has_ended(id: Vec<u8>) -> bool {
        let stat = format!("/proc/{}/stat", String::from_utf8(id).unwrap().trim());
        let deadline = Instant::now() + Duration::from_secs(20);
        // A zombie has ended.
        while fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z ")) {
            if Instant::now() > deadline {
                return false;
            }
            std::thread::sleep(INTERVAL);
        }
        true
    }

    #[test]
    fn output_is_read_to_its_end() {
        let ended = run(&mut sh("(sleep 0.1; printf later) & printf 'now '; exit 3"), Duration::from_secs(20)).unwrap();
        assert!(matches!(ended.fate, Fate::Ended(status) if status.code() == Some(3)), "{ended:?}");
        assert_eq!(ended.stdout, b"now later");
    }

    #[test]
    fn a_process_that_does_not_end_is_killed_with_its_children() {
        let ended = run(&mut sh("sleep 60 & echo $!; sleep 60"), LIMIT).unwrap();
        assert_eq!(ended.fate, Fate::Late);
        assert!(has_ended(ended.stdout));
    }

    #[test]
    fn a_child_that_holds_the_output_is_reported() {
        let ended = run(&mut sh("sleep 60 & echo $!"), LIMIT).unwrap();
        assert_eq!(ended.fate, Fate::OutputHeld);
        assert!(has_ended(ended.stdout));
    }

    #[test]
    fn a_child_with_a_session_of_its_own_is_killed_by_its_folder() {
        let folder = scratch().unwrap();
        fs::create_dir_all(&folder).unwrap();
        let ended = run(sh("setsid sleep 60 & echo $!").current_dir(&folder), LIMIT).unwrap();
        assert_eq!(ended.fate, Fate::OutputHeld);
        kill_in(&folder);
        fs::remove_dir_all(&folder).unwrap();
        assert!(has_ended(ended.stdout));
    }

    #[test]
    fn the_cleaner_kills_what_is_left() {
        let folder = scratch().unwrap().with_extension("cleaned");
        fs::create_dir_all(&folder).unwrap();
        let mut left = Command::new("sleep").arg("60").current_dir(&folder).spawn().unwrap();
        let mut cleaner = Command::new("sh");
        cleaner.args(["-c", CLEANER, "sh"]).arg(&folder).stdin(Stdio::null()).status().unwrap();
        assert!(!left.wait().unwrap().success());
        assert!(!folder.exists());
    }
}
