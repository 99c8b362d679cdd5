//! Operations on open files, and reading or writing a whole file by path.

use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use phasor_core::{Errno, Fd, FsDone, FsOp, FsValue, RequestId, Result};

use super::{Metadata, count, metadata, none, path, path_of, seconds, submit};
use crate::bytes::Bytes;
use crate::{Loop, work};

/// An open file. It is closed when its last clone is dropped; a running operation holds a clone.
///
/// If the loop is dropped while a thread of the pool uses the file, the file stays open, because there is no way to
/// learn when the thread is done.
///
/// ```
/// use std::path::Path;
/// use phasor::fs::{self, OpenOptions};
/// use phasor::{Loop, RunMode};
///
/// let mut l = Loop::new()?;
/// fs::open(&mut l, Path::new("/dev/zero"), OpenOptions::new().read(), |l, file| {
///     let file = file.unwrap();
///     fs::read(l, &file, vec![1; 4], None, |_, count, buffer| {
///         assert_eq!((count, buffer), (Ok(4), vec![0; 4]));
///     });
/// })?;
/// l.run(RunMode::Default)?;
/// # Ok::<(), phasor::Errno>(())
/// ```
#[derive(Clone, Debug)]
pub struct File(Arc<Fd>);

impl From<OwnedFd> for File {
    fn from(fd: OwnedFd) -> File {
        File(Arc::new(fd.into()))
    }
}

impl AsRawFd for File {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

/// Keeps a file open while a thread of the pool uses it. Owned by the closure of the request.
///
/// If the loop is dropped before the thread is done, that closure is dropped without being called, and there is no way
/// to learn when the thread is done. The descriptor is then leaked: if it were closed, its number might refer to
/// another file when the thread uses it.
struct FileLease(Option<File>);

impl FileLease {
    fn new(file: &File) -> FileLease {
        FileLease(Some(file.clone()))
    }

    /// Drops the clone of the file: the thread is done.
    fn release(mut self) {
        self.0.take();
    }
}

impl Drop for FileLease {
    fn drop(&mut self) {
        std::mem::forget(self.0.take());
    }
}

/// The options of [`open`]. At least one of read, write and append must be set.
///
/// ```
/// use phasor::fs::OpenOptions;
///
/// let log = OpenOptions::new().append().create().mode(0o600);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenOptions {
    read: bool,
    write: bool,
    /// Flags other than the access mode.
    flags: i32,
    mode: Option<u32>,
}

// Linux's numbers on x86 and ARM; these four are equal on all architectures of Rust's tier 1.
const O_CREAT: i32 = 0o100;
const O_EXCL: i32 = 0o200;
const O_TRUNC: i32 = 0o1000;
const O_APPEND: i32 = 0o2000;

impl OpenOptions {
    /// Options without any access.
    pub fn new() -> OpenOptions {
        OpenOptions::default()
    }

    /// Open for reading.
    pub fn read(mut self) -> OpenOptions {
        self.read = true;
        self
    }

    /// Open for writing.
    pub fn write(mut self) -> OpenOptions {
        self.write = true;
        self
    }

    /// Open for writing at the current end of the file (`O_APPEND`).
    pub fn append(mut self) -> OpenOptions {
        self.flags |= O_APPEND;
        self.write()
    }

    /// Create the file if it does not exist.
    pub fn create(mut self) -> OpenOptions {
        self.flags |= O_CREAT;
        self
    }

    /// Create the file; `EEXIST` if it exists.
    pub fn create_new(mut self) -> OpenOptions {
        self.flags |= O_CREAT | O_EXCL;
        self
    }

    /// Truncate an existing file to length 0.
    pub fn truncate(mut self) -> OpenOptions {
        self.flags |= O_TRUNC;
        self
    }

    /// The mode of a created file, before the umask is applied; the default is `0o666`.
    pub fn mode(mut self, mode: u32) -> OpenOptions {
        self.mode = Some(mode);
        self
    }

    /// Further flags of `open(2)`.
    pub fn flags(mut self, flags: i32) -> OpenOptions {
        self.flags |= flags;
        self
    }

    fn operation(self, name: impl AsRef<Path>) -> Result<FsOp<Bytes>> {
        let access = match (self.read, self.write) {
            (true, false) => 0,
            (false, true) => 1,
            (true, true) => 2,
            (false, false) => return Err(Errno::EINVAL),
        };
        Ok(FsOp::Open { path: path(name)?, flags: access | self.flags, mode: self.mode.unwrap_or(0o666) })
    }
}

fn opened(done: FsDone<Bytes>) -> Result<File> {
    match done.result? {
        FsValue::Fd(fd) => Ok(File(Arc::new(fd))),
        _ => Err(Errno::UNKNOWN),
    }
}

/// Opens a file. `EINVAL` at once if the options have no access mode.
#[doc(alias = "uv_fs_open")]
pub fn open(
    l: &mut Loop,
    name: impl AsRef<Path>,
    options: OpenOptions,
    then: impl FnOnce(&mut Loop, Result<File>) + 'static,
) -> Result<RequestId> {
    Ok(submit(l, options.operation(name)?, opened, then))
}

/// Creates and opens a file with a unique name: the `XXXXXX` at the end of `template` is replaced.
#[doc(alias = "uv_fs_mkstemp")]
pub fn mkstemp(
    l: &mut Loop,
    template: impl AsRef<Path>,
    then: impl FnOnce(&mut Loop, Result<(File, PathBuf)>) + 'static,
) -> Result<RequestId> {
    let unpack = |done: FsDone<Bytes>| match done.result? {
        FsValue::File(fd, name) => Ok((File(Arc::new(fd)), path_of(name))),
        _ => Err(Errno::UNKNOWN),
    };
    Ok(submit(l, FsOp::Mkstemp { template: path(template)? }, unpack, then))
}

/// Reads up to `buffer.len()` bytes into `buffer`, at an offset or, with `None`, at the current position. `then` gets
/// the count, 0 at the end of the file, and the buffer.
#[doc(alias = "uv_fs_read")]
pub fn read(
    l: &mut Loop,
    file: &File,
    buffer: Vec<u8>,
    offset: Option<u64>,
    then: impl FnOnce(&mut Loop, Result<usize>, Vec<u8>) + 'static,
) -> RequestId {
    let unpack = |mut done: FsDone<Bytes>| {
        let buffer = done.bytes.take().map(Bytes::into_vec).unwrap_or_default();
        (count(done), buffer)
    };
    let lease = FileLease::new(file);
    submit(l, FsOp::Read { fd: file.as_raw_fd(), bytes: buffer.into(), offset }, unpack, move |l, (count, buffer)| {
        lease.release();
        then(l, count, buffer);
    })
}

/// Writes at an offset or, with `None`, at the current position. `then` gets the number of bytes written, which may be
/// fewer than passed, and the bytes.
#[doc(alias = "uv_fs_write")]
pub fn write(
    l: &mut Loop,
    file: &File,
    bytes: impl Into<Bytes>,
    offset: Option<u64>,
    then: impl FnOnce(&mut Loop, Result<usize>, Bytes) + 'static,
) -> RequestId {
    let unpack = |mut done: FsDone<Bytes>| {
        let bytes = done.bytes.take().unwrap_or_default();
        (count(done), bytes)
    };
    let lease = FileLease::new(file);
    submit(l, FsOp::Write { fd: file.as_raw_fd(), bytes: bytes.into(), offset }, unpack, move |l, (count, bytes)| {
        lease.release();
        then(l, count, bytes);
    })
}

macro_rules! of_file {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $Arg:ty),*) -> $Value:ty, $unpack:ident, |$fd:ident| $operation:expr;)*) => {
        $($(#[$doc])*
        pub fn $name(
            l: &mut Loop,
            file: &File,
            $($arg: $Arg,)*
            then: impl FnOnce(&mut Loop, Result<$Value>) + 'static,
        ) -> RequestId {
            let $fd = file.as_raw_fd();
            let lease = FileLease::new(file);
            submit(l, $operation, $unpack, move |l, result| {
                lease.release();
                then(l, result);
            })
        })*
    };
}

of_file! {
    /// Changes the mode of an open file.
    #[doc(alias = "uv_fs_fchmod")]
    fchmod(mode: u32) -> (), none, |fd| FsOp::Fchmod { fd, mode };
    /// Changes the owner and the group of an open file.
    #[doc(alias = "uv_fs_fchown")]
    fchown(uid: u32, gid: u32) -> (), none, |fd| FsOp::Fchown { fd, uid, gid };
    /// Waits until the content of the file is on the disk.
    #[doc(alias = "uv_fs_fdatasync")]
    fdatasync() -> (), none, |fd| FsOp::Fdatasync { fd };
    /// Reads the metadata of an open file.
    #[doc(alias = "uv_fs_fstat")]
    fstat() -> Metadata, metadata, |fd| FsOp::Fstat { fd };
    /// Waits until the content and the metadata of the file are on the disk.
    #[doc(alias = "uv_fs_fsync")]
    fsync() -> (), none, |fd| FsOp::Fsync { fd };
    /// Truncates an open file to this length, or extends it with zeros.
    #[doc(alias = "uv_fs_ftruncate")]
    ftruncate(length: u64) -> (), none, |fd| FsOp::Ftruncate { fd, length };
    /// Sets the access time and the modification time of an open file.
    #[doc(alias = "uv_fs_futime")]
    futime(read: SystemTime, changed: SystemTime) -> (), none,
        |fd| FsOp::Futime { fd, atime_s: seconds(read), mtime_s: seconds(changed) };
}

/// Copies `len` bytes of one open file, from an offset on, to the current position of another, inside the kernel.
/// `then` gets the number of bytes copied.
#[doc(alias = "uv_fs_sendfile")]
pub fn sendfile(
    l: &mut Loop,
    output: &File,
    input: &File,
    offset: u64,
    len: usize,
    then: impl FnOnce(&mut Loop, Result<usize>) + 'static,
) -> RequestId {
    let lease = [FileLease::new(output), FileLease::new(input)];
    let operation = FsOp::Sendfile { output: output.as_raw_fd(), input: input.as_raw_fd(), offset, len };
    submit(l, operation, count, move |l, sent| {
        lease.into_iter().for_each(FileLease::release);
        then(l, sent);
    })
}

/// Closes a file on a thread of the pool. `then` gets an error of `close(2)` if this is the last clone; otherwise only
/// this clone is dropped.
#[doc(alias = "uv_fs_close")]
pub fn close(l: &mut Loop, file: File, then: impl FnOnce(&mut Loop, Result<()>) + 'static) -> RequestId {
    match Arc::try_unwrap(file.0) {
        Ok(fd) => submit(l, FsOp::Close { fd: fd.release() }, none, then),
        Err(shared) => work(l, move || drop(shared), then),
    }
}

/// Reads a whole file by path, as one task of the pool.
pub fn read_to_end(
    l: &mut Loop,
    name: impl AsRef<Path>,
    then: impl FnOnce(&mut Loop, Result<Vec<u8>>) + 'static,
) -> Result<RequestId> {
    let operation = OpenOptions::new().read().operation(name)?;
    Ok(work(l, move || read_all(operation), |l, read| then(l, read.and_then(|read| read))))
}

/// Writes a whole file by path, as one task of the pool. The file is created, or truncated first.
pub fn write_all(
    l: &mut Loop,
    name: impl AsRef<Path>,
    bytes: impl Into<Bytes>,
    then: impl FnOnce(&mut Loop, Result<()>) + 'static,
) -> Result<RequestId> {
    let operation = OpenOptions::new().write().create().truncate().operation(name)?;
    let bytes = bytes.into().into_vec();
    Ok(work(l, move || write_whole(operation, bytes), |l, written| then(l, written.and_then(|written| written))))
}

/// Runs on a thread of the pool. The reported size is only a hint for the buffer: files grow, and those in `/proc`
/// report 0.
fn read_all(open: FsOp<Bytes>) -> Result<Vec<u8>> {
    let file = opened(open.run())?;
    let fd = file.as_raw_fd();
    let guess = metadata(FsOp::<Bytes>::Fstat { fd }.run())?.size;
    let mut all = Vec::new();
    let mut chunk = vec![0; usize::try_from(guess).unwrap_or(0).clamp(4096, 1 << 20) + 1];
    loop {
        let mut done = FsOp::Read { fd, bytes: Bytes::from(chunk), offset: None }.run();
        chunk = done.bytes.take().map(Bytes::into_vec).unwrap_or_default();
        match count(done)? {
            0 => return Ok(all),
            len => all.extend_from_slice(chunk.get(..len).unwrap_or_default()),
        }
    }
}

/// Runs on a thread of the pool.
fn write_whole(open: FsOp<Bytes>, mut bytes: Vec<u8>) -> Result<()> {
    let file = opened(open.run())?;
    while !bytes.is_empty() {
        let mut done = FsOp::Write { fd: file.as_raw_fd(), bytes: Bytes::from(bytes), offset: None }.run();
        bytes = done.bytes.take().map(Bytes::into_vec).unwrap_or_default();
        let written = count(done)?;
        bytes.drain(..written.min(bytes.len()));
    }
    Ok(())
}
