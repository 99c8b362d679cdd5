//! File operations: all operations of libuv, as values that can be run at once or submitted to the pool.
//!
//! The functions with the same names in [`phasor_sys::file`] document the operations, flags and modes. This file makes
//! no system calls.

use std::ffi::{CStr, CString, OsStr};
use std::io::{IoSlice, IoSliceMut};
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt;

use phasor_sys::file::{self, Dir, DirEntry, Stat, StatFs};
use phasor_sys::{Errno, Fd, Result};

use super::{Failure, RequestId, RequestKind, Task};
use crate::describe::TaskDetail;
use crate::event::Outcome;
use crate::face::{Buffers, Face};
use crate::pool::Class;
use crate::state::Loop;

/// One file operation. Paths are made with [`fs_path`]; file descriptors are plain numbers and stay owned by the
/// caller.
///
/// `ReadNew` is a `Read` of at most `most` bytes into a new vector.
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

/// The result of a file operation.
#[derive(Debug)]
pub enum FsValue {
    /// The operation succeeded and has no value.
    None,
    /// The number of bytes read, written or sent.
    Count(usize),
    /// The bytes of a [`FsOp::ReadNew`].
    Bytes(Vec<u8>),
    /// An opened file. Dropping it closes it.
    Fd(Fd),
    /// The attributes of a file.
    Stat(Box<Stat>),
    /// The attributes of a file system.
    StatFs(Box<StatFs>),
    /// A path, or the target of a symbolic link.
    Path(CString),
    /// An open temporary file and its path.
    File(Fd, CString),
    /// Directory entries; empty at the end of a [`FsOp::Readdir`].
    Entries(Vec<DirEntry>),
    /// An opened directory. Boxed, because it is large, and every event has the size of the largest variant.
    Dir(Box<Dir>),
}

/// A finished file operation, with the buffer or directory that the caller passed to it.
#[derive(Debug)]
pub struct FsDone<B> {
    /// The result.
    pub result: Result<FsValue>,
    /// The buffer of a read or write, even after an error.
    pub bytes: Option<B>,
    /// The directory of a [`FsOp::Readdir`], even after an error, or of a [`FsOp::Closedir`] that was cancelled.
    pub dir: Option<Box<Dir>>,
}

/// A path for an [`FsOp`]. `EINVAL` if it contains a NUL.
pub fn fs_path(path: impl AsRef<OsStr>) -> Result<CString> {
    file::path(path.as_ref().as_bytes())
}

impl<B: Buffers> FsOp<B> {
    /// Runs the operation on this thread and blocks until it is done.
    pub fn run(mut self) -> FsDone<B> {
        let result = self.perform(Prealloc::default());
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

    /// The paths of the operation, in the order of its arguments.
    pub fn paths(&self) -> Vec<&CStr> {
        match self {
            FsOp::Access { path, .. }
            | FsOp::Chmod { path, .. }
            | FsOp::Chown { path, .. }
            | FsOp::Lchown { path, .. }
            | FsOp::Lstat { path }
            | FsOp::Lutime { path, .. }
            | FsOp::Mkdir { path, .. }
            | FsOp::Mkdtemp { template: path }
            | FsOp::Mkstemp { template: path }
            | FsOp::Open { path, .. }
            | FsOp::Opendir { path }
            | FsOp::Readlink { path }
            | FsOp::Realpath { path }
            | FsOp::Rmdir { path }
            | FsOp::Scandir { path }
            | FsOp::Stat { path }
            | FsOp::Statfs { path }
            | FsOp::Unlink { path }
            | FsOp::Utime { path, .. } => vec![path],
            FsOp::Copyfile { from: first, to: second, .. }
            | FsOp::Link { existing: first, new: second }
            | FsOp::Rename { old: first, new: second }
            | FsOp::Symlink { target: first, path: second } => vec![first, second],
            FsOp::Close { .. }
            | FsOp::Closedir { .. }
            | FsOp::Fchmod { .. }
            | FsOp::Fchown { .. }
            | FsOp::Fdatasync { .. }
            | FsOp::Fstat { .. }
            | FsOp::Fsync { .. }
            | FsOp::Ftruncate { .. }
            | FsOp::Futime { .. }
            | FsOp::Read { .. }
            | FsOp::Readdir { .. }
            | FsOp::ReadNew { .. }
            | FsOp::Sendfile { .. }
            | FsOp::Write { .. } => Vec::new(),
        }
    }

    /// The file descriptor that the operation uses.
    pub fn fd(&self) -> Option<RawFd> {
        match self {
            FsOp::Close { fd }
            | FsOp::Fchmod { fd, .. }
            | FsOp::Fchown { fd, .. }
            | FsOp::Fdatasync { fd }
            | FsOp::Fstat { fd }
            | FsOp::Fsync { fd }
            | FsOp::Ftruncate { fd, .. }
            | FsOp::Futime { fd, .. }
            | FsOp::Read { fd, .. }
            | FsOp::ReadNew { fd, .. }
            | FsOp::Sendfile { output: fd, .. }
            | FsOp::Write { fd, .. } => Some(*fd),
            _ => None,
        }
    }

    /// Runs the operation. Buffers and directories stay in `self`, so that they can be returned to the caller even if a
    /// method of the front end's buffer type panics.
    fn perform(&mut self, prealloc: Prealloc) -> Result<FsValue> {
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
            FsOp::Fstat { .. } | FsOp::Lstat { .. } | FsOp::Stat { .. } => self.describe(prealloc),
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
                let mut bytes = prealloc.bytes;
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

    /// Runs one of the `stat` operations, into preallocated memory.
    fn describe(&self, prealloc: Prealloc) -> Result<FsValue> {
        let stat = match self {
            FsOp::Fstat { fd } => file::fstat(*fd)?,
            FsOp::Lstat { path } => file::lstat(path)?,
            FsOp::Stat { path } => file::stat(path)?,
            _ => return Err(Errno::EINVAL),
        };
        let mut prealloc = prealloc.stat.unwrap_or_default();
        *prealloc = stat;
        Ok(FsValue::Stat(prealloc))
    }

    /// Adds the caller's buffer or directory to the result.
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

/// Memory for the result. The loop's thread allocates and frees it, because freeing memory that another thread
/// allocated costs both threads a lock. Other memory is allocated when it is needed.
#[derive(Default)]
struct Prealloc {
    stat: Option<Box<Stat>>,
    bytes: Vec<u8>,
}

impl Prealloc {
    fn of<B>(operation: &FsOp<B>) -> Prealloc {
        let mut prealloc = Prealloc::default();
        match operation {
            FsOp::Fstat { .. } | FsOp::Lstat { .. } | FsOp::Stat { .. } => prealloc.stat = Some(Box::default()),
            // If the allocation fails, the read fails with `ENOMEM` later.
            FsOp::ReadNew { most, .. } => drop(prealloc.bytes.try_reserve_exact(*most)),
            _ => {}
        }
        prealloc
    }
}

/// A task that runs a file operation on the pool.
struct FsTask<B> {
    operation: FsOp<B>,
    prealloc: Prealloc,
}

impl<F: Face> Task<F> for FsTask<F::Bytes> {
    type Value = FsValue;

    fn detail(&self) -> TaskDetail {
        let paths = self.operation.paths().into_iter().map(CString::from).collect();
        TaskDetail { paths, fd: self.operation.fd(), ..TaskDetail::of(self.operation.name()) }
    }

    fn perform(&mut self) -> Result<FsValue> {
        self.operation.perform(std::mem::take(&mut self.prealloc))
    }

    fn outcome(self, ended: Result<FsValue, Failure>) -> Outcome<F> {
        Outcome::Fs(self.operation.end(ended.map_err(Errno::from)))
    }
}

impl<F: Face> Loop<F> {
    /// Runs a file operation on a pool thread. The result is an [`Outcome::Fs`] with the caller's buffer; `ECANCELED`
    /// if the request was cancelled.
    #[doc(alias = "uv_fs_open")]
    #[doc(alias = "uv_fs_read")]
    #[doc(alias = "uv_fs_stat")]
    #[doc(alias = "uv_fs_write")]
    pub fn fs(&mut self, operation: FsOp<F::Bytes>, request: F::Request) -> RequestId {
        let prealloc = Prealloc::of(&operation);
        self.submit(RequestKind::Fs, Class::Fast, request, FsTask { operation, prealloc })
    }
}
