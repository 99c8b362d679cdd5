//! Open files, and the two calls that need none.

use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use phasor_core::{Errno, Fd, FsDone, FsOp, FsValue, RequestId, Result};

use super::{Metadata, count, metadata, none, path, path_of, seconds, submit};
use crate::bytes::Bytes;
use crate::{Loop, work};

/// An open file. It is closed when its last clone is gone; an operation under way holds one.
///
/// A loop that is dropped while a thread works on a file leaves the file open: nobody could tell when the thread is through.
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

/// What keeps a file open while a thread of the pool works on it: dropped by the closure of the request.
///
/// If the loop goes before the thread is through, that closure is dropped and not called, and nobody can tell when the
/// thread is. The descriptor then stays open for ever: closed, its number could be another file's when the thread
/// comes to use it.
struct Held(Option<File>);

impl Held {
    fn new(file: &File) -> Held {
        Held(Some(file.clone()))
    }

    /// The thread is through.
    fn release(mut self) {
        self.0.take();
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        std::mem::forget(self.0.take());
    }
}

/// How [`open`] opens a file. New ones open nothing: say at least one of read, write and append.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenOptions {
    read: bool,
    write: bool,
    /// Bits beside the three of reading and writing.
    flags: i32,
    mode: Option<u32>,
}

// Linux' numbers for the most common machines, x86 and ARM; these four are the same on all that Rust's tier 1 knows.
const O_CREAT: i32 = 0o100;
const O_EXCL: i32 = 0o200;
const O_TRUNC: i32 = 0o1000;
const O_APPEND: i32 = 0o2000;

impl OpenOptions {
    /// Nothing yet.
    pub fn new() -> OpenOptions {
        OpenOptions::default()
    }

    /// To be read.
    pub fn read(mut self) -> OpenOptions {
        self.read = true;
        self
    }

    /// To be written.
    pub fn write(mut self) -> OpenOptions {
        self.write = true;
        self
    }

    /// To be written at its end, wherever that is by then.
    pub fn append(mut self) -> OpenOptions {
        self.flags |= O_APPEND;
        self.write()
    }

    /// Made if it is not there.
    pub fn create(mut self) -> OpenOptions {
        self.flags |= O_CREAT;
        self
    }

    /// Made; `EEXIST` if it is there.
    pub fn create_new(mut self) -> OpenOptions {
        self.flags |= O_CREAT | O_EXCL;
        self
    }

    /// Emptied.
    pub fn truncate(mut self) -> OpenOptions {
        self.flags |= O_TRUNC;
        self
    }

    /// The mode of a file that is made, before the process's mask; `0o666` unless said.
    pub fn mode(mut self, mode: u32) -> OpenOptions {
        self.mode = Some(mode);
        self
    }

    /// Further bits of `open(2)`.
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

/// Opens a file. `EINVAL` at once if the options open it for nothing.
#[doc(alias = "uv_fs_open")]
pub fn open(
    l: &mut Loop,
    name: impl AsRef<Path>,
    options: OpenOptions,
    then: impl FnOnce(&mut Loop, Result<File>) + 'static,
) -> Result<RequestId> {
    Ok(submit(l, options.operation(name)?, opened, then))
}

/// Makes and opens a file with a name of its own: the six `X` at the end of `template` are replaced.
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

/// Reads into `buffer`, as much as its length, from an offset or, with `None`, from where the last read or write ended.
/// The buffer comes back with the count; 0 is the end of the file.
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
    let held = Held::new(file);
    submit(l, FsOp::Read { fd: file.as_raw_fd(), bytes: buffer.into(), offset }, unpack, move |l, (count, buffer)| {
        held.release();
        then(l, count, buffer);
    })
}

/// Writes, at an offset or, with `None`, where the last read or write ended. Says how many bytes were written, which may
/// be fewer than there are, and gives them back.
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
    let held = Held::new(file);
    submit(l, FsOp::Write { fd: file.as_raw_fd(), bytes: bytes.into(), offset }, unpack, move |l, (count, bytes)| {
        held.release();
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
            let held = Held::new(file);
            submit(l, $operation, $unpack, move |l, result| {
                held.release();
                then(l, result);
            })
        })*
    };
}

of_file! {
    /// Changes an open file's mode.
    #[doc(alias = "uv_fs_fchmod")]
    fchmod(mode: u32) -> (), none, |fd| FsOp::Fchmod { fd, mode };
    /// Changes an open file's owner and group.
    #[doc(alias = "uv_fs_fchown")]
    fchown(uid: u32, gid: u32) -> (), none, |fd| FsOp::Fchown { fd, uid, gid };
    /// Waits until the file's content is on the disk.
    #[doc(alias = "uv_fs_fdatasync")]
    fdatasync() -> (), none, |fd| FsOp::Fdatasync { fd };
    /// Describes an open file.
    #[doc(alias = "uv_fs_fstat")]
    fstat() -> Metadata, metadata, |fd| FsOp::Fstat { fd };
    /// Waits until the file's content and description are on the disk.
    #[doc(alias = "uv_fs_fsync")]
    fsync() -> (), none, |fd| FsOp::Fsync { fd };
    /// Cuts an open file off, or fills it up with zeros, at this length.
    #[doc(alias = "uv_fs_ftruncate")]
    ftruncate(length: u64) -> (), none, |fd| FsOp::Ftruncate { fd, length };
    /// Sets when an open file was read and changed.
    #[doc(alias = "uv_fs_futime")]
    futime(read: SystemTime, changed: SystemTime) -> (), none,
        |fd| FsOp::Futime { fd, atime_s: seconds(read), mtime_s: seconds(changed) };
}

/// Sends so many bytes of one open file, from an offset on, to another; says how many were.
#[doc(alias = "uv_fs_sendfile")]
pub fn sendfile(
    l: &mut Loop,
    output: &File,
    input: &File,
    offset: u64,
    len: usize,
    then: impl FnOnce(&mut Loop, Result<usize>) + 'static,
) -> RequestId {
    let held = [Held::new(output), Held::new(input)];
    let operation = FsOp::Sendfile { output: output.as_raw_fd(), input: input.as_raw_fd(), offset, len };
    submit(l, operation, count, move |l, sent| {
        held.into_iter().for_each(Held::release);
        then(l, sent);
    })
}

/// Closes a file on a thread of the pool, and tells of an error, if nobody else has a clone of it; else lets go of it.
#[doc(alias = "uv_fs_close")]
pub fn close(l: &mut Loop, file: File, then: impl FnOnce(&mut Loop, Result<()>) + 'static) -> RequestId {
    match Arc::try_unwrap(file.0) {
        Ok(fd) => submit(l, FsOp::Close { fd: fd.release() }, none, then),
        Err(shared) => work(l, move || drop(shared), then),
    }
}

/// Reads a whole file, with one trip to the pool.
pub fn read_to_end(
    l: &mut Loop,
    name: impl AsRef<Path>,
    then: impl FnOnce(&mut Loop, Result<Vec<u8>>) + 'static,
) -> Result<RequestId> {
    let operation = OpenOptions::new().read().operation(name)?;
    Ok(work(l, move || read_all(operation), |l, read| then(l, read.and_then(|read| read))))
}

/// Writes a whole file, which is made, or emptied first; with one trip to the pool.
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

/// On a thread of the pool. The size that the system tells is a guess: files grow, and some have none.
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

/// On a thread of the pool.
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
