//! Tests that start real child processes.
#![allow(unsafe_code)]

use std::fs::File;
use std::io::Read;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pipe::{PipeFlags, pipe_with};

use super::*;

fn text(string: &str) -> CString {
    CString::new(string).unwrap()
}

fn command(program: &str, args: &[&str]) -> Command {
    let args = [program].iter().chain(args).map(|arg| text(arg)).collect();
    Command { program: text(program), args, stdio: vec![None, None, Some(2)], ..Command::default() }
}

fn shell(script: &str) -> Command {
    command("/bin/sh", &["-c", script])
}

fn end_of(child: &Child) -> ExitStatus {
    let limit = Timespec { tv_sec: 20, tv_nsec: 0 };
    let mut polled = [PollFd::new(&child.pidfd, PollFlags::IN)];
    while let Err(rustix::io::Errno::INTR) = poll(&mut polled, Some(&limit)) {}
    wait(&child.pidfd).unwrap().expect("the child ends in time")
}

fn pipe() -> (File, OwnedFd) {
    let (read_end, write_end) = pipe_with(PipeFlags::CLOEXEC).unwrap();
    (read_end.into(), write_end)
}

/// Starts a command; retries on `ETXTBSY`: the test's script may still be open for writing in a child that a concurrent
/// test is starting.
fn start(command: &Command) -> Result<Child> {
    loop {
        match spawn(command) {
            Err(Errno::ETXTBSY) => std::thread::yield_now(),
            started => return started,
        }
    }
}

/// The standard output of a command and its exit status.
fn output(mut command: Command) -> (String, ExitStatus) {
    let (mut read_end, write_end) = pipe();
    command.stdio.resize(command.stdio.len().max(2), None);
    command.stdio[1] = Some(write_end.as_raw_fd());
    let child = start(&command).unwrap();
    drop(write_end);
    let mut out = String::new();
    read_end.read_to_string(&mut out).unwrap();
    (out, end_of(&child))
}

const SUCCESS: ExitStatus = ExitStatus { code: 0, signal: 0 };

/// A temporary directory that is removed on drop.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("phasor-spawn-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        Scratch(path)
    }

    fn file(&self, name: &str, content: &str, mode: u32) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, content).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The same command started by `fork`: setting a user or group forces it.
fn forked(command: &Command) -> Command {
    Command { gid: Some(rustix::process::getgid().as_raw()), ..command.clone() }
}

#[test]
fn exit_codes_and_signals_are_reported() {
    for command in [shell("exit 7"), forked(&shell("exit 7"))] {
        assert_eq!(end_of(&spawn(&command).unwrap()), ExitStatus { code: 7, signal: 0 });
    }
    assert_eq!(end_of(&spawn(&shell("kill -9 $$")).unwrap()), ExitStatus { code: 0, signal: 9 });
    assert_eq!(end_of(&spawn(&command("true", &[])).unwrap()), SUCCESS);
}

#[test]
fn a_running_child_has_no_status_and_can_be_killed_once() {
    let (read_end, write_end) = pipe();
    let mut command = command("/bin/cat", &[]);
    command.stdio[0] = Some(read_end.as_raw_fd());
    let child = spawn(&command).unwrap();
    assert_eq!(wait(&child.pidfd), Ok(None));
    assert_eq!(kill(child.pid, 0), Ok(()));
    assert_eq!(kill_child(&child.pidfd, 0), Ok(()));
    assert_eq!(kill(child.pid, 65), Err(Errno::EINVAL));
    assert_eq!(kill(child.pid, -1), Err(Errno::EINVAL));
    assert_eq!(kill_child(&child.pidfd, 65), Err(Errno::EINVAL));
    kill_child(&child.pidfd, libc::SIGTERM).unwrap();
    assert_eq!(end_of(&child), ExitStatus { code: 0, signal: libc::SIGTERM });
    assert_eq!(kill_child(&child.pidfd, libc::SIGTERM), Err(Errno::ESRCH));
    assert_eq!(wait(&child.pidfd), Err(Errno::ECHILD));
    drop(write_end);
}

/// Each of the targets 0 to 3 is `None` or one of the descriptors 0 to 3: 5^4 mappings.
///
/// The descriptors 0 to 3 of this process are in use by other tests, so an inner process is started that moves known
/// files there and makes the mappings.
#[test]
fn every_mapping_of_four_descriptors_is_right() {
    let name = "spawn::tests::every_mapping_of_four_descriptors_is_right";
    if !is_inner() {
        return run_inner(name);
    }
    let scratch = Scratch::new("mapping");
    let files: Vec<File> = (0..4).map(|n| File::open(scratch.file(&format!("f{n}"), "", 0o644)).unwrap()).collect();
    let keep = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stderr(), 20).unwrap();
    let stdout = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 20).unwrap();
    let moved: Vec<OwnedFd> = files.iter().map(|file| rustix::io::fcntl_dupfd_cloexec(file, 30).unwrap()).collect();
    drop(files);
    let before = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 20).unwrap();
    let dup3 = |from: &OwnedFd, to: i32| {
        // SAFETY: 3 is unused or belongs to the test harness; this process runs only this test.
        assert!(unsafe { libc::dup3(from.as_raw_fd(), to, libc::O_CLOEXEC) } >= 0);
    };
    moved.iter().zip(0..).for_each(|(file, to)| dup3(file, to));

    let links = |pid: i32| {
        let link = |n| std::fs::read_link(format!("/proc/{pid}/fd/{n}")).unwrap_or_default();
        (0..4).map(|n| link(n).to_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let mut wrong = Vec::new();
    let sources = [None, Some(0), Some(1), Some(2), Some(3)];
    for number in 0..5usize.pow(4) {
        let stdio: Vec<_> = (0..4).map(|digit| sources[number / 5usize.pow(digit) % 5]).collect();
        let command = Command { stdio: stdio.clone(), ..command("/bin/sleep", &["60"]) };
        for command in [command.clone(), forked(&command)] {
            let child = spawn(&command).unwrap();
            let seen = links(child.pid);
            kill_child(&child.pidfd, libc::SIGKILL).unwrap();
            end_of(&child);
            let right = seen.iter().zip(&stdio).enumerate().all(|(to, (link, source))| match source {
                Some(n) => *link == format!("{}/f{n}", scratch.path()),
                None if to < 3 => link == "/dev/null",
                // Descriptor 3 is free for files that the program itself opens.
                None => !link.starts_with(scratch.path()),
            });
            if !right {
                wrong.push((stdio.clone(), seen));
            }
        }
    }
    for (from, to) in [(&before, 0), (&stdout, 1), (&keep, 2)] {
        dup3(from, to);
    }
    assert!(wrong.is_empty(), "{} wrong, first {:?}", wrong.len(), wrong.first());
}

#[test]
fn a_source_above_all_targets_is_closed() {
    // Without close-on-exec, so only the explicit close removes it.
    let (mut read_end, write_end) = pipe();
    crate::fd::set_cloexec(write_end.as_raw_fd(), false).unwrap();
    let number = write_end.as_raw_fd();
    for command in [shell(""), forked(&shell(""))] {
        let script = format!("test -e /proc/$$/fd/{number} && echo there || echo gone");
        let mut command = Command { args: ["sh", "-c", &script].map(text).into(), ..command };
        command.stdio[1] = Some(number);
        end_of(&spawn(&command).unwrap());
        let mut seen = [0; 64];
        let count = read_end.read(&mut seen).unwrap();
        assert_eq!(&seen[..count], b"gone\n");
    }
}

#[test]
fn standard_descriptors_become_blocking_and_invalid_ones_fail() {
    let (read_end, write_end) = pipe();
    crate::fd::set_nonblocking(write_end.as_raw_fd(), true).unwrap();
    let mut command = command("/bin/true", &[]);
    command.stdio[1] = Some(write_end.as_raw_fd());
    end_of(&spawn(&command).unwrap());
    assert!(!rustix::fs::fcntl_getfl(&write_end).unwrap().contains(rustix::fs::OFlags::NONBLOCK));
    drop(read_end);
    command.stdio[1] = Some(-1);
    assert_eq!(spawn(&command).unwrap_err(), Errno::EINVAL);
    command.stdio[1] = Some(1_000_000);
    assert_eq!(spawn(&command).unwrap_err(), Errno::EBADF);
    assert_eq!(spawn(&forked(&command)).unwrap_err(), Errno::EBADF);
}

#[test]
fn the_environment_is_replaced_or_inherited() {
    let mut given = command("/usr/bin/env", &[]);
    given.env = Some(vec![text("A=1"), text("B=two words")]);
    assert_eq!(output(given.clone()).0, "A=1\nB=two words\n");
    assert_eq!(output(forked(&given)).0, "A=1\nB=two words\n");
    let path = std::env::var("PATH").unwrap_or_default();
    assert!(output(command("/usr/bin/env", &[])).0.lines().any(|line| line == format!("PATH={path}")));
}

#[test]
fn the_working_directory_is_changed_and_must_exist() {
    let scratch = Scratch::new("cwd");
    let mut command = command("pwd", &[]);
    command.program = text("/bin/pwd");
    for (cwd, expected) in [
        (scratch.path().to_owned(), Ok(())),
        (format!("{}/missing", scratch.path()), Err(Errno::ENOENT)),
        (scratch.file("file", "", 0o644), Err(Errno::ENOTDIR)),
    ] {
        command.cwd = Some(text(&cwd));
        for (command, name) in [(command.clone(), "spawned"), (forked(&command), "forked")] {
            match expected {
                Ok(()) => assert_eq!(output(command), (format!("{cwd}\n"), SUCCESS), "{name}"),
                Err(error) => {
                    assert_eq!(spawn(&command).unwrap_err(), error, "{name} {cwd}");
                    let searched = Command { program: text("pwd"), ..command };
                    assert_eq!(spawn(&searched).unwrap_err(), error, "{name} {cwd} by PATH");
                }
            }
        }
    }
}

#[test]
fn programs_are_searched_as_by_execvp() {
    let scratch = Scratch::new("search");
    let [first, second] = ["first", "second"].map(|name| {
        std::fs::create_dir(scratch.0.join(name)).unwrap();
        format!("{}/{name}", scratch.path())
    });
    scratch.file("first/denied", "#!/bin/sh\necho no", 0o644);
    scratch.file("first/both", "#!/bin/sh\necho no", 0o644);
    scratch.file("second/both", "#!/bin/sh\necho both", 0o755);
    scratch.file("second/script", "echo \"$0 $1\"", 0o755);
    scratch.file("second/orphan", "#!/missing/interpreter\n", 0o755);
    let dirs = [text(&format!("PATH={first}:/missing:{second}:/dev/null"))];
    let run = |name: &str| {
        let mut command = command(name, &["arg"]);
        command.env = Some(dirs.to_vec());
        [command.clone(), forked(&command)]
    };
    for command in run("both") {
        assert_eq!(output(command).0, "both\n");
    }
    for command in run("script") {
        assert_eq!(
            output(command).0,
            format!("{second}/script arg\n"),
            "a script without a #! line is run by the shell"
        );
    }
    let errors = [("denied", Errno::EACCES), ("orphan", Errno::ENOENT), ("absent", Errno::ENOENT), ("", Errno::EACCES)];
    for (name, error) in errors {
        for command in run(name) {
            assert_eq!(start(&command).unwrap_err(), error, "{name}");
        }
    }
    for command in run(&format!("{first}/denied")) {
        assert_eq!(start(&command).unwrap_err(), Errno::EACCES);
    }
    let relative = |cwd: &Path| Command {
        env: Some(vec![text("PATH=second:")]),
        cwd: Some(text(cwd.to_str().unwrap())),
        ..command("both", &[])
    };
    assert_eq!(output(relative(&scratch.0)).0, "both\n", "relative to the child's working directory");
    assert_eq!(
        output(relative(&scratch.0.join("second"))).0,
        "both\n",
        "an empty entry is the child's working directory"
    );
    assert_eq!(start(&relative(Path::new("/"))).unwrap_err(), Errno::ENOENT);
}

#[test]
fn too_long_arguments_are_e2big() {
    let huge = "x".repeat(200_000);
    for command in [shell(&huge), forked(&shell(&huge))] {
        assert_eq!(spawn(&command).unwrap_err(), Errno::E2BIG);
    }
}

#[test]
fn user_and_group_are_changed_or_refused() {
    let mut command = command("/bin/sh", &["-c", "id -u; id -g; id -G"]);
    (command.uid, command.gid) = (Some(65534), Some(65534));
    if is_root() {
        assert_eq!(output(command.clone()), ("65534\n65534\n65534\n".to_owned(), SUCCESS));
        command.gid = None;
        assert_eq!(output(command), ("65534\n0\n0\n".to_owned(), SUCCESS));
    } else {
        command.uid = Some(0);
        assert_eq!(spawn(&command).unwrap_err(), Errno::EPERM);
    }
}

#[test]
fn a_detached_child_leads_a_session() {
    for command in [shell("read x"), forked(&shell("read x"))] {
        let (read_end, write_end) = pipe();
        let mut command = Command { detached: true, ..command };
        command.stdio[0] = Some(read_end.as_raw_fd());
        let detached = spawn(&command).unwrap();
        // SAFETY: no memory is involved.
        assert_eq!(unsafe { libc::getsid(detached.pid) }, detached.pid);
        command.detached = false;
        let attached = spawn(&command).unwrap();
        // SAFETY: no memory is involved.
        assert_eq!(unsafe { libc::getsid(attached.pid) }, unsafe { libc::getsid(0) });
        drop(write_end);
        end_of(&detached);
        end_of(&attached);
    }
}

#[test]
fn the_child_starts_with_default_signals() {
    // The Rust runtime ignores SIGPIPE in this process, and ignored signals survive exec.
    let _blocked = crate::signal::AllBlocked::new();
    for command in [command("/bin/cat", &["/proc/self/status"]), forked(&command("/bin/cat", &["/proc/self/status"]))] {
        let status = output(command).0;
        for field in ["SigBlk:", "SigIgn:", "SigCgt:"] {
            let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap();
            assert_eq!(line.trim(), "0000000000000000", "{field}");
        }
    }
}

#[test]
fn no_descriptor_and_no_zombie_is_left() {
    let name = "spawn::tests::no_descriptor_and_no_zombie_is_left";
    if !is_inner() {
        return run_inner(name);
    }
    let open = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let before = open();
    for number in 0..500 {
        let mut good = command("/bin/true", &[]);
        good.stdio = vec![Some(0), Some(2), Some(1), None, Some(1)];
        let bad = command("/missing", &[]);
        let (good, bad) = if number % 5 == 0 { (forked(&good), forked(&bad)) } else { (good, bad) };
        assert_eq!(end_of(&spawn(&good).unwrap()), SUCCESS);
        assert_eq!(spawn(&bad).unwrap_err(), Errno::ENOENT);
    }
    // No descriptor is left for the pidfd: spawn must fail before or kill the child.
    let lowest_free = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stderr(), 0).unwrap().as_raw_fd();
    let limits = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    let limit = rustix::process::Rlimit { current: Some(lowest_free as u64), ..limits };
    rustix::process::setrlimit(rustix::process::Resource::Nofile, limit).unwrap();
    let refused = spawn(&command("/bin/cat", &[]));
    rustix::process::setrlimit(rustix::process::Resource::Nofile, limits).unwrap();
    assert_eq!(refused.unwrap_err(), Errno::EMFILE);
    assert_eq!(open(), before);
    let any = rustix::process::wait(rustix::process::WaitOptions::NOHANG);
    assert_eq!(any.map(|_| ()), Err(rustix::io::Errno::CHILD), "no zombie and no child");
}

#[test]
fn an_ignored_sigchld_is_reset() {
    let name = "spawn::tests::an_ignored_sigchld_is_reset";
    if !is_inner() {
        return run_inner(name);
    }
    // SAFETY: no handler is installed.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_IGN) };
    assert_eq!(end_of(&spawn(&shell("exit 3")).unwrap()), ExitStatus { code: 3, signal: 0 });
}

/// True if this process was started to run one test alone. Some tests examine state of the whole process.
fn is_inner() -> bool {
    std::env::var_os("PHASOR_INNER_TEST").is_some()
}

fn run_inner(name: &str) {
    let run = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--test-threads=1", "--nocapture"])
        .env("PHASOR_INNER_TEST", "1")
        .output()
        .unwrap();
    let [out, err] = [&run.stdout, &run.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    assert!(run.status.success() && out.contains("1 passed"), "{out}\n{err}");
}

/// The child handler acts for a test only while that test starts its child; children of other tests may be forked
/// meanwhile, so the handler changes something that those children do not use.
#[test]
fn fork_handlers_run_only_on_request_and_change_the_child() {
    use std::sync::atomic::{AtomicBool, Ordering};
    static ACTIVE: AtomicBool = AtomicBool::new(false);
    extern "C" fn in_child() {
        if ACTIVE.load(Ordering::Relaxed) {
            // SAFETY: system calls in a child, which has one thread. The second fails without privileges.
            unsafe {
                libc::umask(0o123);
                libc::setgroups(1, &12345);
            }
        }
    }
    // SAFETY: a static function without preconditions.
    assert_eq!(unsafe { libc::pthread_atfork(None, None, Some(in_child)) }, 0);
    ACTIVE.store(true, Ordering::Relaxed);
    let usual = output(shell("umask"));
    let forked = output(Command { fork_handlers: true, ..shell("umask") });
    let with_env = output(Command {
        fork_handlers: true,
        env: Some(vec![text("PATH=/usr/bin:/bin")]),
        ..command("sh", &["-c", "umask"])
    });
    let groups = output(Command { fork_handlers: true, ..command("id", &["-G"]) });
    let missing = spawn(&Command { fork_handlers: true, ..command("/nonexistent/program", &[]) });
    let searched = spawn(&Command { fork_handlers: true, ..command("no-such-program", &[]) });
    ACTIVE.store(false, Ordering::Relaxed);
    assert_ne!(usual.0, "0123\n");
    // Groups are dropped only for another user or group.
    // SAFETY: no preconditions.
    let privileged = unsafe { libc::geteuid() } == 0;
    assert!(!privileged || groups.0.contains("12345"), "{}", groups.0);
    assert_eq!(forked, ("0123\n".to_owned(), SUCCESS));
    assert_eq!(with_env, forked);
    assert_eq!(missing.err(), Some(Errno::ENOENT));
    assert_eq!(searched.err(), Some(Errno::ENOENT));
}
