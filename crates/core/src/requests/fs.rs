//! File operations: all of libuv's, as values that can be run here and now or handed to the pool.
//!
//! What each does, and what its flags and modes mean, is documented at the function of its name in
//! [`phasor_sys::file`]. Nothing here knows the kernel.

use std::ffi::{CString, OsStr};
use std::io::{IoSlice, IoSliceMut};
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt;

use phasor_sys::file::{self, Dir, DirEntry, Stat, StatFs};
use phasor_sys::{Errno, Fd, Result};

use super::{Failure, RequestId, RequestKind, Task};
use crate::event::Outcome;
use crate::face::{Buffers, Face};
use crate::pool::Class;
use crate::state::Loop;

/// One file operation. Paths are made with [`fs_path`]; descriptors are numbers, which stay the caller's.
///
/// `ReadNew` is as `Read`, of at most so many bytes, into memory that is made for them.
#[doc(alias = "uv_fs_t")]
#[derive(Debug)]
#[allow(missing_docs, reason = "documented at the functions of `phasor_sys::file` with these names")]
pub enum FsOp<B> {
    Access { path: CString, mode: i32 },
    Chmod { path: CString, mode: u32 },
    Chown { path: CString, uid: u32, gid: u32 },
    Close { fd: RawFd },
    Closedir { dir: Box<Dir> },
    Copyfile { from: CString, to: CString, flags: u32 },
    Fchmod { fd: RawFd, mode: u32 },
    Fchown { fd: RawFd, uid: u32, gid: u32 },
    Fdatasync { fd: RawFd },
    Fstat { fd: RawFd },
    Fsync { fd: RawFd },
    Ftruncate { fd: RawFd, length: u64 },
    Futime { fd: RawFd, atime_s: f64, mtime_s: f64 },
    Lchown { path: CString, uid: u32, gid: u32 },
    Link { existing: CString, new: CString },
    Lstat { path: CString },
    Lutime { path: CString, atime_s: f64, mtime_s: f64 },
    Mkdir { path: CString, mode: u32 },
    Mkdtemp { template: CString },
    Mkstemp { template: CString },
    Open { path: CString, flags: i32, mode: u32 },
    Opendir { path: CString },
    Read { fd: RawFd, bytes: B, offset: Option<u64> },
    Readdir { dir: Box<Dir>, limit: usize },
    ReadNew { fd: RawFd, most: usize, offset: Option<u64> },
    Readlink { path: CString },
    Realpath { path: CString },
    Rename { old: CString, new: CString },
    Rmdir { path: CString },
    Scandir { path: CString },
    Sendfile { output: RawFd, input: RawFd, offset: u64, len: usize },
    Stat { path: CString },
    Statfs { path: CString },
    Symlink { target: CString, path: CString },
    Unlink { path: CString },
    Utime { path: CString, atime_s: f64, mtime_s: f64 },
    Write { fd: RawFd, bytes: B, offset: Option<u64> },
}

/// What a file operation found or made.
#[derive(Debug)]
pub enum FsValue {
    /// Nothing but that it was done.
    None,
    /// How many bytes were read, written or sent.
    Count(usize),
    /// What [`FsOp::ReadNew`] has read.
    Bytes(Vec<u8>),
    /// A file that was opened. Dropping it closes it.
    Fd(Fd),
    /// A file's description.
    Stat(Box<Stat>),
    /// A file system's description.
    StatFs(Box<StatFs>),
    /// A path, or the text of a link.
    Path(CString),
    /// A temporary file that was made, open, and its name.
    File(Fd, CString),
    /// Entries of a directory; for [`FsOp::Readdir`] none means the end.
    Entries(Vec<DirEntry>),
    /// A directory that was opened. Boxed, because it is large and every event has room for the largest.
    Dir(Box<Dir>),
}

/// A file operation that is over, and what its caller had lent it.
#[derive(Debug)]
pub struct FsDone<B> {
    /// How it ended.
    pub result: Result<FsValue>,
    /// The bytes of a read or write, however it ended.
    pub bytes: Option<B>,
    /// The directory of a [`FsOp::Readdir`], however it ended, or of a [`FsOp::Closedir`] that was not begun.
    pub dir: Option<Box<Dir>>,
}

/// A path for an [`FsOp`]. `EINVAL` if there is a NUL in it.
pub fn fs_path(path: impl AsRef<OsStr>) -> Result<CString> {
    file::path(path.as_ref().as_bytes())
}

impl<B: Buffers> FsOp<B> {
    /// Does it on this thread, which blocks meanwhile.
    pub fn run(mut self) -> FsDone<B> {
        let result = self.perform(Room::default());
        self.end(result)
    }

    /// The operation's name in libuv and Node, such as `"copyfile"`.
    #[doc(alias = "uv_fs_get_type")]
    pub fn name(&self) -> &'static str {
        match self {
            FsOp::Access { .. } => "access",
            FsOp::Chmod { .. } => "chmod",
            FsOp::Chown { .. } => "chown",
            FsOp::Close { .. } => "close",
            FsOp::Closedir { .. } => "closedir",
            FsOp::Copyfile { .. } => "copyfile",
            FsOp::Fchmod { .. } => "fchmod",
            FsOp::Fchown { .. } => "fchown",
            FsOp::Fdatasync { .. } => "fdatasync",
            FsOp::Fstat { .. } => "fstat",
            FsOp::Fsync { .. } => "fsync",
            FsOp::Ftruncate { .. } => "ftruncate",
            FsOp::Futime { .. } => "futime",
            FsOp::Lchown { .. } => "lchown",
            FsOp::Link { .. } => "link",
            FsOp::Lstat { .. } => "lstat",
            FsOp::Lutime { .. } => "lutime",
            FsOp::Mkdir { .. } => "mkdir",
            FsOp::Mkdtemp { .. } => "mkdtemp",
            FsOp::Mkstemp { .. } => "mkstemp",
            FsOp::Open { .. } => "open",
            FsOp::Opendir { .. } => "opendir",
            FsOp::Read { .. } => "read",
            FsOp::Readdir { .. } => "readdir",
            FsOp::ReadNew { .. } => "read",
            FsOp::Readlink { .. } => "readlink",
            FsOp::Realpath { .. } => "realpath",
            FsOp::Rename { .. } => "rename",
            FsOp::Rmdir { .. } => "rmdir",
            FsOp::Scandir { .. } => "scandir",
            FsOp::Sendfile { .. } => "sendfile",
            FsOp::Stat { .. } => "stat",
            FsOp::Statfs { .. } => "statfs",
            FsOp::Symlink { .. } => "symlink",
            FsOp::Unlink { .. } => "unlink",
            FsOp::Utime { .. } => "utime",
            FsOp::Write { .. } => "write",
        }
    }

    /// Does it and keeps what was lent, so that it is there to give back even if a face's own bytes panic.
    fn perform(&mut self, room: Room) -> Result<FsValue> {
        let none = |()| FsValue::None;
        match self {
            FsOp::Access { path, mode } => file::access(path, *mode).map(none),
            FsOp::Chmod { path, mode } => file::chmod(path, *mode).map(none),
            FsOp::Chown { path, uid, gid } => file::chown(path, *uid, *gid).map(none),
            FsOp::Close { fd } => file::close(*fd).map(none),
            FsOp::Closedir { dir } => {
                dir.close();
                Ok(FsValue::None)
            }
            FsOp::Copyfile { from, to, flags } => file::copyfile(from, to, *flags).map(none),
            FsOp::Fchmod { fd, mode } => file::fchmod(*fd, *mode).map(none),
            FsOp::Fchown { fd, uid, gid } => file::fchown(*fd, *uid, *gid).map(none),
            FsOp::Fdatasync { fd } => file::fdatasync(*fd).map(none),
            FsOp::Fstat { .. } | FsOp::Lstat { .. } | FsOp::Stat { .. } => self.describe(room),
            FsOp::Fsync { fd } => file::fsync(*fd).map(none),
            FsOp::Ftruncate { fd, length } => file::ftruncate(*fd, *length).map(none),
            FsOp::Futime { fd, atime_s, mtime_s } => file::futime(*fd, *atime_s, *mtime_s).map(none),
            FsOp::Lchown { path, uid, gid } => file::lchown(path, *uid, *gid).map(none),
            FsOp::Link { existing, new } => file::link(existing, new).map(none),
            FsOp::Lutime { path, atime_s, mtime_s } => file::lutime(path, *atime_s, *mtime_s).map(none),
            FsOp::Mkdir { path, mode } => file::mkdir(path, *mode).map(none),
            FsOp::Mkdtemp { template } => file::mkdtemp(template).map(FsValue::Path),
            FsOp::Mkstemp { template } => file::mkstemp(template).map(|(fd, path)| FsValue::File(fd, path)),
            FsOp::Open { path, flags, mode } => file::open(path, *flags, *mode).map(FsValue::Fd),
            FsOp::Opendir { path } => file::opendir(path).map(|dir| FsValue::Dir(Box::new(dir))),
            FsOp::Read { fd, bytes, offset } => read(*fd, bytes, *offset).map(FsValue::Count),
            FsOp::Readdir { dir, limit } => dir.read(*limit).map(FsValue::Entries),
            FsOp::ReadNew { fd, most, offset } => {
                let mut bytes = room.bytes;
                file::read_more(*fd, &mut bytes, *most, *offset)?;
                Ok(FsValue::Bytes(bytes))
            }
            FsOp::Readlink { path } => file::readlink(path).map(FsValue::Path),
            FsOp::Realpath { path } => file::realpath(path).map(FsValue::Path),
            FsOp::Rename { old, new } => file::rename(old, new).map(none),
            FsOp::Rmdir { path } => file::rmdir(path).map(none),
            FsOp::Scandir { path } => file::scandir(path).map(FsValue::Entries),
            FsOp::Sendfile { output, input, offset, len } => {
                file::sendfile(*output, *input, *offset, *len).map(FsValue::Count)
            }
            FsOp::Statfs { path } => file::statfs(path).map(|found| FsValue::StatFs(Box::new(found))),
            FsOp::Symlink { target, path } => file::symlink(target, path).map(none),
            FsOp::Unlink { path } => file::unlink(path).map(none),
            FsOp::Utime { path, atime_s, mtime_s } => file::utime(path, *atime_s, *mtime_s).map(none),
            FsOp::Write { fd, bytes, offset } => write(*fd, bytes, *offset).map(FsValue::Count),
        }
    }

    /// Writes a file's description into its room.
    fn describe(&self, room: Room) -> Result<FsValue> {
        let stat = match self {
            FsOp::Fstat { fd } => file::fstat(*fd)?,
            FsOp::Lstat { path } => file::lstat(path)?,
            FsOp::Stat { path } => file::stat(path)?,
            _ => return Err(Errno::EINVAL),
        };
        let mut room = room.stat.unwrap_or_default();
        *room = stat;
        Ok(FsValue::Stat(room))
    }

    /// The result with what was lent.
    fn end(self, result: Result<FsValue>) -> FsDone<B> {
        let (mut bytes, mut dir) = (None, None);
        match self {
            FsOp::Read { bytes: lent, .. } | FsOp::Write { bytes: lent, .. } => bytes = Some(lent),
            FsOp::Closedir { dir: lent } if result.is_err() => dir = Some(lent),
            FsOp::Readdir { dir: lent, .. } => dir = Some(lent),
            _ => {}
        }
        FsDone { result, bytes, dir }
    }
}

fn read(fd: RawFd, bytes: &mut impl Buffers, offset: Option<u64>) -> Result<usize> {
    let mut slices: Vec<IoSliceMut<'_>> = Vec::new();
    bytes.pieces_mut(&mut |piece| {
        slices.push(piece);
        true
    });
    file::read(fd, &mut slices, offset)
}

fn write(fd: RawFd, bytes: &impl Buffers, offset: Option<u64>) -> Result<usize> {
    let mut slices: Vec<IoSlice<'_>> = Vec::new();
    bytes.pieces(0, &mut |piece| {
        slices.push(piece);
        true
    });
    file::write(fd, &slices, offset)
}

/// Memory for what an operation finds, asked for by the thread that will give it back. Where there is none it is asked for when it
/// is needed.
#[derive(Default)]
struct Room {
    stat: Option<Box<Stat>>,
    bytes: Vec<u8>,
}

impl Room {
    fn of<B>(operation: &FsOp<B>) -> Room {
        let mut room = Room::default();
        match operation {
            FsOp::Fstat { .. } | FsOp::Lstat { .. } | FsOp::Stat { .. } => room.stat = Some(Box::default()),
            // Whether there is so much the thread will find out.
            FsOp::ReadNew { most, .. } => drop(room.bytes.try_reserve_exact(*most)),
            _ => {}
        }
        room
    }
}

/// An operation that the pool does.
struct Lent<B> {
    operation: FsOp<B>,
    room: Room,
}

impl<F: Face> Task<F> for Lent<F::Bytes> {
    type Value = FsValue;

    fn perform(&mut self) -> Result<FsValue> {
        self.operation.perform(std::mem::take(&mut self.room))
    }

    fn outcome(self, ended: Result<FsValue, Failure>) -> Outcome<F> {
        Outcome::Fs(self.operation.end(ended.map_err(Errno::from)))
    }
}

impl<F: Face> Loop<F> {
    /// Does a file operation on a thread of the pool. [`Outcome::Fs`] tells when it is done, `ECANCELED` if it was
    /// cancelled, and gives back what was lent.
    #[doc(alias = "uv_fs_open")]
    #[doc(alias = "uv_fs_read")]
    #[doc(alias = "uv_fs_stat")]
    #[doc(alias = "uv_fs_write")]
    pub fn fs(&mut self, operation: FsOp<F::Bytes>, request: F::Request) -> RequestId {
        let room = Room::of(&operation);
        self.submit(RequestKind::Fs, Class::Fast, request, Lent { operation, room })
    }
}
