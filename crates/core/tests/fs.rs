//! Tests of file operations through a loop: each operation once, in a temporary directory.

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

/// A directory that is removed after the test, and a loop.
struct TestDir {
    core: Loop<Plain>,
    root: PathBuf,
}

impl TestDir {
    fn new() -> TestDir {
        let mut core = Loop::new().unwrap();
        let template = fs_path(std::env::temp_dir().join("phasor-core-fs-XXXXXX")).unwrap();
        let FsValue::Path(root) = run(&mut core, Op::Mkdtemp { template }).result.unwrap() else { panic!("no path") };
        TestDir { core, root: PathBuf::from(OsStr::from_bytes(root.to_bytes())) }
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

    fn run_op(&mut self, operation: Op) -> Done {
        run(&mut self.core, operation)
    }

    /// Runs an operation that returns no value and expects success.
    fn ok(&mut self, operation: Op) {
        let name = operation.name();
        let done = self.run_op(operation);
        assert!(matches!(done.result, Ok(FsValue::None)), "{name}: {done:?}");
        assert!(done.bytes.is_none() && done.dir.is_none());
    }

    fn fails(&mut self, operation: Op, errno: Errno) {
        let name = operation.name();
        assert_eq!(self.run_op(operation).result.err(), Some(errno), "{name}");
    }

    fn stat(&mut self, operation: Op) -> Box<Stat> {
        let Ok(FsValue::Stat(stat)) = self.run_op(operation).result else { panic!("no attributes") };
        stat
    }

    fn path(&mut self, operation: Op) -> CString {
        let Ok(FsValue::Path(path)) = self.run_op(operation).result else { panic!("no path") };
        path
    }

    fn open(&mut self, name: &str, flags: OFlags) -> Fd {
        let operation = Op::Open { path: self.at(name), flags: flags.bits() as i32, mode: 0o644 };
        let Ok(FsValue::Fd(fd)) = self.run_op(operation).result else { panic!("not opened") };
        fd
    }
}

impl Drop for TestDir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

/// Runs the loop until the operation is done.
fn run(core: &mut Loop<Plain>, operation: Op) -> Done {
    core.fs(operation, 7);
    let mut outcome = None;
    while let Some(event) = core.next(RunMode::Default) {
        let Event::Done(7, Outcome::Fs(done)) = event else { panic!("unexpected event") };
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
fn a_write_and_a_read_return_their_buffers() {
    let mut scratch = TestDir::new();
    let fd = scratch.open("file", OFlags::RDWR | OFlags::CREATE | OFlags::EXCL);
    let raw = fd.as_raw_fd();
    let done = scratch.run_op(Op::Write { fd: raw, bytes: pieces(&["hello", "", " world"]), offset: None });
    assert_eq!((count(&done), done.bytes), (11, Some(pieces(&["hello", "", " world"]))));
    let done = scratch.run_op(Op::Write { fd: raw, bytes: pieces(&["J"]), offset: Some(0) });
    assert_eq!(count(&done), 1);
    let done = scratch.run_op(Op::Read { fd: raw, bytes: vec![vec![0; 3], vec![0; 20]], offset: Some(0) });
    assert_eq!(count(&done), 11);
    let read = done.bytes.unwrap();
    assert_eq!((&read[0][..], &read[1][..8]), (&b"Jel"[..], &b"lo world"[..]));
    let done = scratch.run_op(Op::Read { fd: raw, bytes: pieces(&["xxx"]), offset: None });
    assert_eq!((count(&done), done.bytes), (0, Some(pieces(&["xxx"]))), "the position is at the end");
    scratch.ok(Op::Fsync { fd: raw });
    scratch.ok(Op::Fdatasync { fd: raw });
    scratch.ok(Op::Ftruncate { fd: raw, length: 5 });
    assert_eq!(scratch.stat(Op::Fstat { fd: raw }).size, 5);
    assert_eq!(scratch.content("file"), "Jello");
    scratch.ok(Op::Close { fd: fd.release() });
}

#[test]
fn failed_operations_return_their_buffers() {
    let mut scratch = TestDir::new();
    let read_only = {
        scratch.file("file", "x");
        scratch.open("file", OFlags::RDONLY)
    };
    let done = scratch.run_op(Op::Write { fd: read_only.as_raw_fd(), bytes: pieces(&["kept"]), offset: None });
    assert_eq!((done.result.err(), done.bytes), (Some(Errno::EBADF), Some(pieces(&["kept"]))));
    let done = scratch.run_op(Op::Read { fd: -1, bytes: pieces(&["kept"]), offset: Some(3) });
    assert_eq!((done.result.err(), done.bytes), (Some(Errno::EBADF), Some(pieces(&["kept"]))));
    let done = scratch.run_op(Op::Read { fd: read_only.as_raw_fd(), bytes: Vec::new(), offset: None });
    assert_eq!((done.result.err(), done.bytes), (Some(Errno::EINVAL), Some(Vec::new())));
}

#[test]
fn directory_entries_are_created_renamed_and_removed() {
    let mut scratch = TestDir::new();
    let file = scratch.file("file", "content");
    scratch.ok(Op::Link { existing: file.clone(), new: scratch.at("hard") });
    scratch.ok(Op::Symlink { target: c"file".to_owned(), path: scratch.at("soft") });
    assert_eq!(scratch.path(Op::Readlink { path: scratch.at("soft") }).as_c_str(), c"file");
    let real = scratch.path(Op::Realpath { path: scratch.at("soft") });
    assert_eq!(
        Path::new(OsStr::from_bytes(real.to_bytes())),
        std::fs::canonicalize(&scratch.root).unwrap().join("file")
    );
    let (followed, itself) =
        (scratch.stat(Op::Stat { path: scratch.at("soft") }), scratch.stat(Op::Lstat { path: scratch.at("soft") }));
    assert_eq!((followed.nlink, followed.size, itself.nlink, itself.size), (2, 7, 1, 4));
    scratch.ok(Op::Rename { old: scratch.at("hard"), new: scratch.at("other") });
    scratch.fails(Op::Stat { path: scratch.at("hard") }, Errno::ENOENT);
    scratch.ok(Op::Copyfile { from: file.clone(), to: scratch.at("copy"), flags: 0 });
    assert_eq!(scratch.content("copy"), "content");
    scratch.fails(
        Op::Copyfile { from: file, to: scratch.at("copy"), flags: phasor_core::file::COPYFILE_EXCL },
        Errno::EEXIST,
    );
    scratch.ok(Op::Mkdir { path: scratch.at("dir"), mode: 0o755 });
    scratch.fails(Op::Rmdir { path: scratch.at("copy") }, Errno::ENOTDIR);
    scratch.ok(Op::Rmdir { path: scratch.at("dir") });
    scratch.ok(Op::Unlink { path: scratch.at("copy") });
    scratch.fails(Op::Unlink { path: scratch.at("copy") }, Errno::ENOENT);
}

#[test]
fn permissions_owners_and_times_are_set() {
    let mut scratch = TestDir::new();
    let path = scratch.file("file", "x");
    scratch.ok(Op::Symlink { target: c"file".to_owned(), path: scratch.at("soft") });
    let fd = scratch.open("file", OFlags::RDWR);
    let raw = fd.as_raw_fd();
    scratch.ok(Op::Chmod { path: path.clone(), mode: 0o640 });
    assert_eq!(scratch.stat(Op::Stat { path: path.clone() }).mode & 0o7777, 0o640);
    scratch.ok(Op::Fchmod { fd: raw, mode: 0o600 });
    assert_eq!(scratch.stat(Op::Fstat { fd: raw }).mode & 0o7777, 0o600);
    scratch.ok(Op::Access { path: path.clone(), mode: 4 });
    scratch.fails(Op::Access { path: scratch.at("none"), mode: 0 }, Errno::ENOENT);
    // `-1` leaves owner and group unchanged, which every user may do.
    let (uid, gid) = (u32::MAX, u32::MAX);
    scratch.ok(Op::Chown { path: path.clone(), uid, gid });
    scratch.ok(Op::Fchown { fd: raw, uid, gid });
    scratch.ok(Op::Lchown { path: scratch.at("soft"), uid, gid });
    scratch.ok(Op::Utime { path: path.clone(), atime_s: 1.0, mtime_s: 2.5 });
    let stat = scratch.stat(Op::Stat { path: path.clone() });
    assert_eq!((stat.atime.sec, stat.mtime.sec, stat.mtime.nsec), (1, 2, 500_000_000));
    scratch.ok(Op::Futime { fd: raw, atime_s: 3.0, mtime_s: 4.0 });
    scratch.ok(Op::Lutime { path: scratch.at("soft"), atime_s: 5.0, mtime_s: 6.0 });
    assert_eq!(scratch.stat(Op::Stat { path }).mtime.sec, 4);
    assert_eq!(scratch.stat(Op::Lstat { path: scratch.at("soft") }).mtime.sec, 6);
}

#[test]
fn scandir_and_readdir_list_a_directory() {
    let mut scratch = TestDir::new();
    for name in ["c", "a", "b"] {
        scratch.file(name, "");
    }
    scratch.ok(Op::Mkdir { path: scratch.at("dir"), mode: 0o755 });
    let root = fs_path(&scratch.root).unwrap();
    let done = scratch.run_op(Op::Scandir { path: root.clone() });
    let Ok(FsValue::Entries(entries)) = &done.result else { panic!("no entries") };
    assert_eq!(entries[3].kind, FileKind::Dir);
    assert_eq!(names(done).0, ["a", "b", "c", "dir"]);
    let Ok(FsValue::Dir(dir)) = scratch.run_op(Op::Opendir { path: root }).result else { panic!("not opened") };
    let (mut all, dir) = names(scratch.run_op(Op::Readdir { dir, limit: 3 }));
    assert_eq!(all.len(), 3);
    let (rest, dir) = names(scratch.run_op(Op::Readdir { dir: dir.unwrap(), limit: 3 }));
    all.extend(rest);
    all.sort();
    assert_eq!(all, ["a", "b", "c", "dir"]);
    let (end, dir) = names(scratch.run_op(Op::Readdir { dir: dir.unwrap(), limit: 3 }));
    assert!(end.is_empty());
    scratch.ok(Op::Closedir { dir: dir.unwrap() });
    scratch.fails(Op::Opendir { path: scratch.at("a") }, Errno::ENOTDIR);
    scratch.fails(Op::Scandir { path: scratch.at("none") }, Errno::ENOENT);
}

#[test]
fn mkdtemp_and_mkstemp_create_new_entries() {
    let mut scratch = TestDir::new();
    let done = scratch.run_op(Op::Mkstemp { template: scratch.at("file-XXXXXX") });
    let Ok(FsValue::File(fd, path)) = done.result else { panic!("not created") };
    let done = scratch.run_op(Op::Write { fd: fd.as_raw_fd(), bytes: pieces(&["x"]), offset: None });
    assert_eq!(count(&done), 1);
    assert_eq!(scratch.stat(Op::Stat { path }).size, 1);
    let dir = scratch.path(Op::Mkdtemp { template: scratch.at("dir-XXXXXX") });
    scratch.ok(Op::Rmdir { path: dir });
    scratch.fails(Op::Mkstemp { template: scratch.at("file") }, Errno::EINVAL);
}

#[test]
fn sendfile_copies_between_files() {
    let mut scratch = TestDir::new();
    scratch.file("from", "0123456789");
    let (from, to) = (scratch.open("from", OFlags::RDONLY), scratch.open("to", OFlags::WRONLY | OFlags::CREATE));
    let (output, input): (RawFd, RawFd) = (to.as_raw_fd(), from.as_raw_fd());
    let done = scratch.run_op(Op::Sendfile { output, input, offset: 2, len: 5 });
    assert_eq!(count(&done), 5);
    assert_eq!(scratch.content("to"), "23456");
}

#[test]
fn statfs_reports_the_file_system() {
    let mut scratch = TestDir::new();
    let path = fs_path(&scratch.root).unwrap();
    let Ok(FsValue::StatFs(found)) = scratch.run_op(Op::Statfs { path }).result else { panic!("no attributes") };
    let StatFs { bsize, blocks, .. } = *found;
    assert!(bsize > 0 && blocks > 0);
}

#[test]
fn an_operation_can_run_without_a_loop() {
    let scratch = TestDir::new();
    let path = scratch.file("file", "here and now");
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
    let mut scratch = TestDir::new();
    let id = scratch.core.fs(Op::Stat { path: scratch.at("none") }, 1);
    assert_eq!(scratch.core.why_alive(), [phasor_core::Reason::Request(id, RequestKind::Fs)]);
    let event = scratch.core.next(RunMode::Default);
    assert!(matches!(event, Some(Event::Done(1, Outcome::Fs(FsDone { result: Err(Errno::ENOENT), .. })))));
    assert!(!scratch.core.is_alive());
    assert_eq!(scratch.core.cancel(id), Err(Errno::EBADF));
}
