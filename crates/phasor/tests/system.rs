//! Files, DNS, child processes, signals and watched files on the real system.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use phasor::fs::{self, OpenOptions};
use phasor::process::{Command, Stdio};
use phasor::{Errno, FsEvent, FsPoll, Loop, Pipe, Read, RequestId, Result, RunMode, dns, process, random, signal};

/// A temporary directory for each test, removed on drop.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("phasor-face-{}-{number}", std::process::id()));
        std::fs::create_dir(&path).unwrap();
        Folder(path)
    }

    fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs one request and returns the result that its closure gets.
fn wait<T: 'static>(
    ask: impl FnOnce(&mut Loop, Box<dyn FnOnce(&mut Loop, Result<T>)>) -> Result<RequestId>,
) -> Result<T> {
    let mut l = Loop::new().unwrap();
    let slot = Rc::new(Cell::new(None));
    let result_slot = slot.clone();
    ask(&mut l, Box::new(move |_, result| result_slot.set(Some(result))))?;
    assert_eq!(l.run(RunMode::Default), Ok(false));
    slot.take().expect("every request calls its closure")
}

#[test]
fn path_operations_work() {
    let folder = Folder::new();
    let (a, b, c) = (folder.join("a"), folder.join("b"), folder.join("c"));
    let dir = folder.join("dir");
    wait(|l, then| fs::write_all(l, &a, "content", then)).unwrap();
    assert_eq!(wait(|l, then| fs::read_to_end(l, &a, then)).unwrap(), b"content");
    assert_eq!(wait(|l, then| fs::stat(l, &a, then)).unwrap().size, 7);
    wait(|l, then| fs::chmod(l, &a, 0o600, then)).unwrap();
    wait(|l, then| fs::copyfile(l, &a, &b, 0, then)).unwrap();
    let again = wait(|l, then| fs::copyfile(l, &a, &b, fs::COPYFILE_EXCL, then));
    assert_eq!(again, Err(Errno::EEXIST));
    wait(|l, then| fs::symlink(l, &a, &c, then)).unwrap();
    assert_eq!(wait(|l, then| fs::readlink(l, &c, then)).unwrap(), a);
    let real = std::fs::canonicalize(&a).unwrap();
    assert_eq!(wait(|l, then| fs::realpath(l, &c, then)).unwrap(), real);
    assert_ne!(wait(|l, then| fs::lstat(l, &c, then)).unwrap().ino, wait(|l, then| fs::stat(l, &c, then)).unwrap().ino,);
    wait(|l, then| fs::unlink(l, &c, then)).unwrap();
    wait(|l, then| fs::link(l, &a, &c, then)).unwrap();
    wait(|l, then| fs::access(l, &c, fs::R_OK | fs::W_OK, then)).unwrap();
    wait(|l, then| fs::mkdir(l, &dir, 0o755, then)).unwrap();
    wait(|l, then| fs::rename(l, &c, dir.join("c"), then)).unwrap();
    assert_eq!(wait(|l, then| fs::rmdir(l, &dir, then)), Err(Errno::ENOTEMPTY));
    let listed = wait(|l, then| fs::scandir(l, &folder.0, then)).unwrap();
    let listed: Vec<_> = listed.iter().map(|entry| entry.name.to_str().unwrap()).collect();
    assert_eq!(listed, ["a", "b", "dir"]);
    let time = std::time::SystemTime::UNIX_EPOCH + Duration::from_millis(1500);
    wait(|l, then| fs::utime(l, &a, time, time, then)).unwrap();
    assert_eq!(std::fs::metadata(&a).unwrap().modified().unwrap(), time);
    assert!(wait(|l, then| fs::statfs(l, &a, then)).unwrap().bsize > 0);
    let made = wait(|l, then| fs::mkdtemp(l, folder.join("tXXXXXX"), then)).unwrap();
    assert!(made.is_dir() && made.parent() == Some(Path::new(&folder.0)));
    let mut l = Loop::new().unwrap();
    assert_eq!(fs::stat(&mut l, "a\0b", |_, _| ()).err(), Some(Errno::EINVAL));
}

#[test]
fn open_file_operations_work() {
    let folder = Folder::new();
    let path = folder.join("file");
    let mut l = Loop::new().unwrap();
    assert_eq!(fs::open(&mut l, &path, OpenOptions::new(), |_, _| ()).err(), Some(Errno::EINVAL));
    let options = OpenOptions::new().read().write().create_new().mode(0o600);
    let ended = Rc::new(Cell::new(false));
    let end = ended.clone();
    fs::open(&mut l, &path, options, move |l, file| {
        let file = file.unwrap();
        let file_clone = file.clone();
        fs::write(l, &file, vec![b"hel".to_vec(), b"lo".to_vec()], None, move |l, written, bytes| {
            assert_eq!((written, bytes.len()), (Ok(5), 5));
            let file = file_clone;
            let file_clone = file.clone();
            fs::read(l, &file, vec![0; 10], Some(1), move |l, read, buffer| {
                assert_eq!((read, &buffer[..4], buffer.len()), (Ok(4), &b"ello"[..], 10));
                fs::ftruncate(l, &file_clone.clone(), 2, move |l, cut| {
                    cut.unwrap();
                    fs::fstat(l, &file_clone.clone(), move |l, stat| {
                        assert_eq!(stat.unwrap().size, 2);
                        fs::fsync(l, &file_clone.clone(), move |l, synced| {
                            synced.unwrap();
                            fs::close(l, file_clone, move |_, closed| {
                                closed.unwrap();
                                end.set(true);
                            });
                        });
                    });
                });
            });
        });
    })
    .unwrap();
    l.run(RunMode::Default).unwrap();
    assert!(ended.get());
    assert_eq!(std::fs::read(path).unwrap(), b"he");
}

#[test]
fn dropping_the_loop_keeps_a_file_open_that_a_thread_uses() {
    use std::os::fd::AsRawFd;
    let folder = Folder::new();
    let file: fs::File = std::os::fd::OwnedFd::from(std::fs::File::create(folder.join("file")).unwrap()).into();
    let number = file.as_raw_fd();
    let link = PathBuf::from(format!("/proc/self/fd/{number}"));
    let mut l = Loop::new().unwrap();
    fs::write(&mut l, &file, "late", None, |_, _, _| unreachable!());
    drop((l, file));
    assert_eq!(std::fs::read_link(&link).unwrap(), std::fs::canonicalize(folder.join("file")).unwrap());
}

#[test]
fn a_directory_is_read_in_portions() {
    let folder = Folder::new();
    for n in 0..5 {
        std::fs::write(folder.join(&n.to_string()), "").unwrap();
    }
    fn portions(l: &mut Loop, dir: fs::Dir, found: Rc<RefCell<Vec<usize>>>) {
        fs::readdir(l, dir, 2, move |l, entries, dir| {
            let entries = entries.unwrap();
            found.borrow_mut().push(entries.len());
            let dir = dir.unwrap();
            if entries.is_empty() {
                fs::closedir(l, dir, |_, closed| closed.unwrap());
            } else {
                portions(l, dir, found);
            }
        });
    }
    let mut l = Loop::new().unwrap();
    let found = Rc::new(RefCell::new(Vec::new()));
    let note = found.clone();
    fs::opendir(&mut l, &folder.0, move |l, dir| portions(l, dir.unwrap(), note)).unwrap();
    l.run(RunMode::Default).unwrap();
    assert_eq!(*found.borrow(), [2, 2, 1, 0]);
}

#[test]
fn dns_and_random_requests_work() {
    let found = wait(|l, then| dns::lookup(l, "127.0.0.1", then)).unwrap();
    assert_eq!(found, ["127.0.0.1:0".parse().unwrap()]);
    let flags = dns::NameFlags::NUMERICHOST | dns::NameFlags::NUMERICSERV;
    let names = wait(|l, then| Ok(dns::name(l, ([127, 0, 0, 1], 80), flags, then))).unwrap();
    assert_eq!(names, ("127.0.0.1".to_owned(), "80".to_owned()));
    let mut l = Loop::new().unwrap();
    assert!(dns::query(&mut l, None, None, None, |_, _| ()).is_err());
    let (a, b) = (wait(|l, then| random(l, 32, then)), wait(|l, then| random(l, 32, then)));
    assert!(a.as_ref().unwrap().len() == 32 && a != b);
    assert_eq!(random(&mut l, usize::MAX, |_, _| ()).err(), Some(Errno::E2BIG));
}

/// Collects all data from a pipe.
fn collect(l: &mut Loop, pipe: Pipe) -> Rc<RefCell<Vec<u8>>> {
    let all = Rc::new(RefCell::new(Vec::new()));
    let note = all.clone();
    pipe.read_start(l, move |l, pipe, read| match read {
        Ok(Read::Data(bytes)) => note.borrow_mut().extend_from_slice(bytes),
        _ => pipe.close(l),
    })
    .unwrap();
    all
}

#[test]
fn a_child_reads_writes_and_exits() {
    let folder = Folder::new();
    let mut l = Loop::new().unwrap();
    let ended = Rc::new(Cell::new(None));
    let note = ended.clone();
    let mut command = Command::new("sh");
    command.args(["-c", "cat; pwd >&2; echo $WORD >&2; exit 7"]).env("WORD", "of the parent").current_dir(&folder.0);
    command.stdin(Stdio::Pipe).stdout(Stdio::Pipe).stderr(Stdio::Pipe);
    let child = command.spawn(&mut l, move |l, process, status| {
        assert!(process.is_closing(l) && process.pid(l).is_ok());
        note.set(Some((status.code, status.signal)));
    });
    let child = child.unwrap();
    let (out, err) = (collect(&mut l, child.stdout().unwrap()), collect(&mut l, child.stderr().unwrap()));
    let stdin = child.stdin().unwrap();
    stdin.write(&mut l, "through the child").unwrap();
    stdin.shutdown(&mut l, move |l, _| stdin.close(l)).unwrap();
    assert_eq!(l.run(RunMode::Default), Ok(false));
    assert_eq!(ended.get(), Some((7, 0)));
    assert_eq!(*out.borrow(), b"through the child");
    let folder = std::fs::canonicalize(&folder.0).unwrap();
    assert_eq!(String::from_utf8_lossy(&err.borrow()), format!("{}\nof the parent\n", folder.display()));
    assert!(l.handles().is_empty());
}

#[test]
fn a_child_can_be_killed_and_a_failed_start_leaves_no_handle() {
    let mut l = Loop::new().unwrap();
    let failed = Command::new("/no/such/program").stdout(Stdio::Pipe).spawn(&mut l, |_, _, _| unreachable!());
    assert_eq!(failed.err(), Some(Errno::ENOENT));
    let ended = Rc::new(Cell::new(0));
    let note = ended.clone();
    let child = Command::new("sleep").arg("1000").spawn(&mut l, move |_, _, status| note.set(status.signal)).unwrap();
    child.process.kill(&mut l, 0).unwrap();
    child.process.kill(&mut l, signal::SIGTERM).unwrap();
    assert_eq!(l.run(RunMode::Default), Ok(false));
    assert_eq!(ended.get(), signal::SIGTERM);
    assert!(child.process.kill(&mut l, 0).is_err());
    assert!(l.handles().is_empty());
}

#[test]
fn signals_reach_every_handle_and_a_oneshot_only_once() {
    let mut l = Loop::new().unwrap();
    assert_eq!(signal::on(&mut l, signal::SIGKILL, |_, _, _| ()), Err(Errno::EINVAL));
    let (always, once) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
    let (count, pid) = (always.clone(), std::process::id() as i32);
    signal::on(&mut l, signal::SIGUSR1, move |l, handle, _| {
        count.set(count.get() + 1);
        match count.get() {
            3 => handle.close(l),
            _ => process::kill(pid, signal::SIGUSR1).unwrap(),
        }
    })
    .unwrap();
    let count = once.clone();
    let oneshot = phasor::Signal::new(&mut l);
    oneshot.start_oneshot(&mut l, signal::SIGUSR1, move |_, _, _| count.set(count.get() + 1)).unwrap();
    process::kill(pid, signal::SIGUSR1).unwrap();
    assert_eq!(l.run(RunMode::Default), Ok(false));
    assert_eq!((always.get(), once.get()), (3, 1));
}

#[test]
fn changes_are_reported_by_fs_event_and_fs_poll() {
    let folder = Folder::new();
    let path = folder.join("file");
    std::fs::write(&path, "").unwrap();
    let mut l = Loop::new().unwrap();
    let results = Rc::new(RefCell::new(Vec::new()));
    let note = results.clone();
    let event = FsEvent::new(&mut l);
    event
        .start(&mut l, &folder.0, move |l, event, change| {
            note.borrow_mut().push(change.name.clone());
            event.close(l);
        })
        .unwrap();
    let found = Rc::new(Cell::new((0, 0)));
    let note = found.clone();
    let poll = FsPoll::new(&mut l);
    poll.start(&mut l, &path, Duration::from_millis(5), move |l, poll, change| {
        let (before, after) = (change.previous.size, change.current.unwrap().size);
        // `std::fs::write` truncates first: a poll in between sees an empty file with a new modification time.
        if before < after {
            note.set((before, after));
            poll.close(l);
        }
    })
    .unwrap();
    // Writes repeatedly, because the first poll may come after the first change.
    let mut text = String::new();
    l.every(Duration::from_millis(10), move |l, timer| {
        if poll.is_closing(l) && event.is_closing(l) {
            return timer.close(l);
        }
        text.push('x');
        std::fs::write(&path, &text).unwrap();
    });
    assert_eq!(l.run(RunMode::Default), Ok(false));
    assert_eq!(*results.borrow(), [Some(b"file".to_vec())]);
    let (before, after) = found.get();
    assert!(before < after, "{before} {after}");
}

#[test]
fn an_environment_variable_can_be_removed_for_a_child() {
    let mut l = Loop::new().unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", "test -z \"$GONE\" && test -n \"$PATH\""]).env("GONE", "here").env_remove("GONE");
    let good = Rc::new(Cell::new(false));
    let note = good.clone();
    command.spawn(&mut l, move |_, _, status| note.set(status.success())).unwrap();
    l.run(RunMode::Default).unwrap();
    assert!(good.get());
    command.env("GONE", "here");
    let note = good.clone();
    command.spawn(&mut l, move |_, _, status| note.set(status.success())).unwrap();
    l.run(RunMode::Default).unwrap();
    assert!(!good.get());
}
