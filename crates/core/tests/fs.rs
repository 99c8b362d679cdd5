//! File operations through a loop: each one once, on real files in a directory of the test's own.

use std::ffi::{CString, OsStr};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use phasor_core::file::{Dir, FileKind, Stat, StatFs};
use phasor_core::{Errno, Event, Face, Fd, FsDone, FsOp, FsValue, Loop, Outcome, RequestKind, RunMode, fs_path};
use rustix::fs::OFlags;

struct Plain;

impl Face for Plain {
    type Handle = ();
    type Request = u32;
    type Bytes = Vec<Vec<u8>>;
}

type Op = FsOp<Vec<Vec<u8>>>;
type Done = FsDone<Vec<Vec<u8>>>;

/// A directory that goes with its test, and a loop to work in it.
struct Place {
    core: Loop<Plain>,
    root: PathBuf,
}

impl Place {
    fn new() -> Place {
        let mut core = Loop::new().unwrap();
        let template = fs_path(std::env::temp_dir().join("phasor-core-fs-XXXXXX")).unwrap();
        let FsValue::Path(root) = run(&mut core, Op::Mkdtemp { template }).result.unwrap() else { panic!("no path") };
        Place { core, root: PathBuf::from(OsStr::from_bytes(root.to_bytes())) }
    }

    fn at(&self, name: &str) -> CString {
        fs_path(self.root.join(name)).unwrap()
    }

    fn file(&self, name: &str, content: &str) -> CString {
        std::fs::write(self.root.join(name), content).unwrap();
        self.at(name)
    }

    fn content(&self, name: &str) -> String {
        std::fs::read_to_string(self.root.join(name)).unwrap()
    }

    fn done(&mut self, operation: Op) -> Done {
        run(&mut self.core, operation)
    }

    /// Does what has no result but success.
    fn ok(&mut self, operation: Op) {
        let name = operation.name();
        let done = self.done(operation);
        assert!(matches!(done.result, Ok(FsValue::None)), "{name}: {done:?}");
        assert!(done.bytes.is_none() && done.dir.is_none());
    }

    fn fails(&mut self, operation: Op, errno: Errno) {
        let name = operation.name();
        assert_eq!(self.done(operation).result.err(), Some(errno), "{name}");
    }

    fn stat(&mut self, operation: Op) -> Box<Stat> {
        let Ok(FsValue::Stat(stat)) = self.done(operation).result else { panic!("no description") };
        stat
    }

    fn path(&mut self, operation: Op) -> CString {
        let Ok(FsValue::Path(path)) = self.done(operation).result else { panic!("no path") };
        path
    }

    fn open(&mut self, name: &str, flags: OFlags) -> Fd {
        let operation = Op::Open { path: self.at(name), flags: flags.bits() as i32, mode: 0o644 };
        let Ok(FsValue::Fd(fd)) = self.done(operation).result else { panic!("not opened") };
        fd
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

/// Runs the loop until the one operation is done.
fn run(core: &mut Loop<Plain>, operation: Op) -> Done {
    core.fs(operation, 7);
    let mut outcome = None;
    while let Some(event) = core.next(RunMode::Default) {
        let Event::Done(7, Outcome::Fs(done)) = event else { panic!("another event") };
        assert!(outcome.replace(done).is_none());
    }
    outcome.unwrap()
}

fn count(done: &Done) -> usize {
    let Ok(FsValue::Count(count)) = done.result else { panic!("no count: {done:?}") };
    count
}

fn names(done: Done) -> (Vec<String>, Option<Box<Dir>>) {
    let Ok(FsValue::Entries(entries)) = done.result else { panic!("no entries") };
    (entries.into_iter().map(|entry| entry.name.into_string().unwrap()).collect(), done.dir)
}

fn pieces(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

#[test]
fn bytes_are_written_and_read_and_come_back() {
    let mut place = Place::new();
    let fd = place.open("file", OFlags::RDWR | OFlags::CREATE | OFlags::EXCL);
    let raw = fd.as_raw_fd();
    let done = place.done(Op::Write { fd: raw, bytes: pieces(&["hello", "", " world"]), offset: None });
    assert_eq!((count(&done), done.bytes), (11, Some(pieces(&["hello", "", " world"]))));
    let done = place.done(Op::Write { fd: raw, bytes: pieces(&["J"]), offset: Some(0) });
    assert_eq!(count(&done), 1);
    let done = place.done(Op::Read { fd: raw, bytes: vec![vec![0; 3], vec![0; 20]], offset: Some(0) });
    assert_eq!(count(&done), 11);
    let read = done.bytes.unwrap();
    assert_eq!((&read[0][..], &read[1][..8]), (&b"Jel"[..], &b"lo world"[..]));
    let done = place.done(Op::Read { fd: raw, bytes: pieces(&["xxx"]), offset: None });
    assert_eq!((count(&done), done.bytes), (0, Some(pieces(&["xxx"]))), "the position is at the end");
    place.ok(Op::Fsync { fd: raw });
    place.ok(Op::Fdatasync { fd: raw });
    place.ok(Op::Ftruncate { fd: raw, length: 5 });
    assert_eq!(place.stat(Op::Fstat { fd: raw }).size, 5);
    assert_eq!(place.content("file"), "Jello");
    place.ok(Op::Close { fd: fd.release() });
}

#[test]
fn bytes_come_back_from_what_fails() {
    let mut place = Place::new();
    let read_only = {
        place.file("file", "x");
        place.open("file", OFlags::RDONLY)
    };
    let done = place.done(Op::Write { fd: read_only.as_raw_fd(), bytes: pieces(&["kept"]), offset: None });
    assert_eq!((done.result.err(), done.bytes), (Some(Errno::EBADF), Some(pieces(&["kept"]))));
    let done = place.done(Op::Read { fd: -1, bytes: pieces(&["kept"]), offset: Some(3) });
    assert_eq!((done.result.err(), done.bytes), (Some(Errno::EBADF), Some(pieces(&["kept"]))));
    let done = place.done(Op::Read { fd: read_only.as_raw_fd(), bytes: Vec::new(), offset: None });
    assert_eq!((done.result.err(), done.bytes), (Some(Errno::EINVAL), Some(Vec::new())));
}

#[test]
fn names_are_made_changed_and_removed() {
    let mut place = Place::new();
    let file = place.file("file", "content");
    place.ok(Op::Link { existing: file.clone(), new: place.at("hard") });
    place.ok(Op::Symlink { target: c"file".to_owned(), path: place.at("soft") });
    assert_eq!(place.path(Op::Readlink { path: place.at("soft") }).as_c_str(), c"file");
    let real = place.path(Op::Realpath { path: place.at("soft") });
    assert_eq!(Path::new(OsStr::from_bytes(real.to_bytes())), std::fs::canonicalize(&place.root).unwrap().join("file"));
    let (followed, itself) =
        (place.stat(Op::Stat { path: place.at("soft") }), place.stat(Op::Lstat { path: place.at("soft") }));
    assert_eq!((followed.nlink, followed.size, itself.nlink, itself.size), (2, 7, 1, 4));
    place.ok(Op::Rename { old: place.at("hard"), new: place.at("other") });
    place.fails(Op::Stat { path: place.at("hard") }, Errno::ENOENT);
    place.ok(Op::Copyfile { from: file.clone(), to: place.at("copy"), flags: 0 });
    assert_eq!(place.content("copy"), "content");
    place.fails(
        Op::Copyfile { from: file, to: place.at("copy"), flags: phasor_core::file::COPYFILE_EXCL },
        Errno::EEXIST,
    );
    place.ok(Op::Mkdir { path: place.at("dir"), mode: 0o755 });
    place.fails(Op::Rmdir { path: place.at("copy") }, Errno::ENOTDIR);
    place.ok(Op::Rmdir { path: place.at("dir") });
    place.ok(Op::Unlink { path: place.at("copy") });
    place.fails(Op::Unlink { path: place.at("copy") }, Errno::ENOENT);
}

#[test]
fn permissions_owners_and_times_are_set() {
    let mut place = Place::new();
    let path = place.file("file", "x");
    place.ok(Op::Symlink { target: c"file".to_owned(), path: place.at("soft") });
    let fd = place.open("file", OFlags::RDWR);
    let raw = fd.as_raw_fd();
    place.ok(Op::Chmod { path: path.clone(), mode: 0o640 });
    assert_eq!(place.stat(Op::Stat { path: path.clone() }).mode & 0o7777, 0o640);
    place.ok(Op::Fchmod { fd: raw, mode: 0o600 });
    assert_eq!(place.stat(Op::Fstat { fd: raw }).mode & 0o7777, 0o600);
    place.ok(Op::Access { path: path.clone(), mode: 4 });
    place.fails(Op::Access { path: place.at("none"), mode: 0 }, Errno::ENOENT);
    // Leaves both halves as they are, which anybody may.
    let (uid, gid) = (u32::MAX, u32::MAX);
    place.ok(Op::Chown { path: path.clone(), uid, gid });
    place.ok(Op::Fchown { fd: raw, uid, gid });
    place.ok(Op::Lchown { path: place.at("soft"), uid, gid });
    place.ok(Op::Utime { path: path.clone(), atime_s: 1.0, mtime_s: 2.5 });
    let stat = place.stat(Op::Stat { path: path.clone() });
    assert_eq!((stat.atime.sec, stat.mtime.sec, stat.mtime.nsec), (1, 2, 500_000_000));
    place.ok(Op::Futime { fd: raw, atime_s: 3.0, mtime_s: 4.0 });
    place.ok(Op::Lutime { path: place.at("soft"), atime_s: 5.0, mtime_s: 6.0 });
    assert_eq!(place.stat(Op::Stat { path }).mtime.sec, 4);
    assert_eq!(place.stat(Op::Lstat { path: place.at("soft") }).mtime.sec, 6);
}

#[test]
fn directories_are_listed_at_once_and_in_portions() {
    let mut place = Place::new();
    for name in ["c", "a", "b"] {
        place.file(name, "");
    }
    place.ok(Op::Mkdir { path: place.at("dir"), mode: 0o755 });
    let root = fs_path(&place.root).unwrap();
    let done = place.done(Op::Scandir { path: root.clone() });
    let Ok(FsValue::Entries(entries)) = &done.result else { panic!("no entries") };
    assert_eq!(entries[3].kind, FileKind::Dir);
    assert_eq!(names(done).0, ["a", "b", "c", "dir"]);
    let Ok(FsValue::Dir(dir)) = place.done(Op::Opendir { path: root }).result else { panic!("not opened") };
    let (mut all, dir) = names(place.done(Op::Readdir { dir, limit: 3 }));
    assert_eq!(all.len(), 3);
    let (rest, dir) = names(place.done(Op::Readdir { dir: dir.unwrap(), limit: 3 }));
    all.extend(rest);
    all.sort();
    assert_eq!(all, ["a", "b", "c", "dir"]);
    let (end, dir) = names(place.done(Op::Readdir { dir: dir.unwrap(), limit: 3 }));
    assert!(end.is_empty());
    place.ok(Op::Closedir { dir: dir.unwrap() });
    place.fails(Op::Opendir { path: place.at("a") }, Errno::ENOTDIR);
    place.fails(Op::Scandir { path: place.at("none") }, Errno::ENOENT);
}

#[test]
fn temporary_files_are_fresh_and_open() {
    let mut place = Place::new();
    let done = place.done(Op::Mkstemp { template: place.at("file-XXXXXX") });
    let Ok(FsValue::File(fd, path)) = done.result else { panic!("not made") };
    let done = place.done(Op::Write { fd: fd.as_raw_fd(), bytes: pieces(&["x"]), offset: None });
    assert_eq!(count(&done), 1);
    assert_eq!(place.stat(Op::Stat { path }).size, 1);
    let dir = place.path(Op::Mkdtemp { template: place.at("dir-XXXXXX") });
    place.ok(Op::Rmdir { path: dir });
    place.fails(Op::Mkstemp { template: place.at("file") }, Errno::EINVAL);
}

#[test]
fn a_file_is_sent_to_another() {
    let mut place = Place::new();
    place.file("from", "0123456789");
    let (from, to) = (place.open("from", OFlags::RDONLY), place.open("to", OFlags::WRONLY | OFlags::CREATE));
    let (output, input): (RawFd, RawFd) = (to.as_raw_fd(), from.as_raw_fd());
    let done = place.done(Op::Sendfile { output, input, offset: 2, len: 5 });
    assert_eq!(count(&done), 5);
    assert_eq!(place.content("to"), "23456");
}

#[test]
fn a_file_system_is_described() {
    let mut place = Place::new();
    let path = fs_path(&place.root).unwrap();
    let Ok(FsValue::StatFs(found)) = place.done(Op::Statfs { path }).result else { panic!("no description") };
    let StatFs { bsize, blocks, .. } = *found;
    assert!(bsize > 0 && blocks > 0);
}

#[test]
fn an_operation_can_be_done_without_a_loop() {
    let place = Place::new();
    let path = place.file("file", "here and now");
    let FsDone { result, .. } = Op::Open { path, flags: OFlags::RDONLY.bits() as i32, mode: 0 }.run();
    let Ok(FsValue::Fd(fd)) = result else { panic!("not opened") };
    let done = Op::Read { fd: fd.as_raw_fd(), bytes: vec![vec![0; 12]], offset: None }.run();
    assert_eq!((count(&done), done.bytes), (12, Some(pieces(&["here and now"]))));
}

#[test]
fn a_nul_in_a_path_is_refused() {
    assert_eq!(fs_path("a\0b"), Err(Errno::EINVAL));
    assert_eq!(fs_path(Path::new("a/b")).unwrap().as_c_str(), c"a/b");
}

#[test]
fn a_request_keeps_the_loop_alive_until_its_outcome_is_handed_out() {
    let mut place = Place::new();
    let id = place.core.fs(Op::Stat { path: place.at("none") }, 1);
    assert_eq!(place.core.why_alive(), [phasor_core::Reason::Request(id, RequestKind::Fs)]);
    let event = place.core.next(RunMode::Default);
    assert!(matches!(event, Some(Event::Done(1, Outcome::Fs(FsDone { result: Err(Errno::ENOENT), .. })))));
    assert!(!place.core.is_alive());
    assert_eq!(place.core.cancel(id), Err(Errno::EBADF));
}
