//! File operations: all of libuv's `uv_fs_*`, run on threads of the pool.
//!
//! Each function passes its result to a closure on the loop's thread. It returns the request, which can be
//! [cancelled](crate::Loop::cancel) until a thread has started it (`ECANCELED`). A path with NUL is `EINVAL` at once.
//! Modes are the kernel's bits, such as `0o644`.
//!
//! ```
//! use phasor::{Loop, RunMode, fs};
//!
//! let path = std::env::temp_dir().join(format!("phasor-doc-{}", std::process::id()));
//! let mut l = Loop::new()?;
//! fs::write_all(&mut l, path.clone(), "hello", move |l, written| {
//!     written.unwrap();
//!     let again = path.clone();
//!     fs::read_to_end(l, path, move |l, text| {
//!         assert_eq!(text.unwrap(), b"hello");
//!         fs::unlink(l, again, |_, gone| gone.unwrap()).unwrap();
//!     }).unwrap();
//! })?;
//! l.run(RunMode::Default)?;
//! # Ok::<(), phasor::Errno>(())
//! ```

mod file;
mod name;

use std::ffi::{CString, OsString};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use phasor_core::file::Stat;
pub use phasor_core::file::Stat as Metadata;
pub use phasor_core::file::{
    COPYFILE_EXCL, COPYFILE_FICLONE, COPYFILE_FICLONE_FORCE, Dir, DirEntry, FileKind, StatFs, Timespec,
};
use phasor_core::{Errno, FsDone, FsOp, FsValue, Outcome, RequestId, Result};

pub use self::file::*;
pub use self::name::*;
use crate::Loop;
use crate::bytes::Bytes;

/// Submits an operation to the pool; `then` is called with the outcome as `unpack` converts it.
fn submit<T: 'static>(
    l: &mut Loop,
    operation: FsOp<Bytes>,
    unpack: fn(FsDone<Bytes>) -> T,
    then: impl FnOnce(&mut Loop, T) + 'static,
) -> RequestId {
    let completion = move |l: &mut Loop, outcome: Outcome<_>| {
        if let Outcome::Fs(done) = outcome {
            then(l, unpack(done));
        }
    };
    l.core.fs(operation, Box::new(completion))
}

fn path(path: impl AsRef<Path>) -> Result<CString> {
    phasor_core::fs_path(path.as_ref())
}

fn none(done: FsDone<Bytes>) -> Result<()> {
    done.result.map(drop)
}

fn count(done: FsDone<Bytes>) -> Result<usize> {
    match done.result? {
        FsValue::Count(count) => Ok(count),
        _ => Err(Errno::UNKNOWN),
    }
}

fn metadata(done: FsDone<Bytes>) -> Result<Stat> {
    match done.result? {
        FsValue::Stat(stat) => Ok(*stat),
        _ => Err(Errno::UNKNOWN),
    }
}

fn path_found(done: FsDone<Bytes>) -> Result<PathBuf> {
    match done.result? {
        FsValue::Path(path) => Ok(path_of(path)),
        _ => Err(Errno::UNKNOWN),
    }
}

fn path_of(path: CString) -> PathBuf {
    OsString::from_vec(path.into_bytes()).into()
}

fn entries(done: FsDone<Bytes>) -> Result<Vec<DirEntry>> {
    match done.result? {
        FsValue::Entries(entries) => Ok(entries),
        _ => Err(Errno::UNKNOWN),
    }
}

/// Seconds since the Unix epoch; negative before it.
fn seconds(time: SystemTime) -> f64 {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => after.as_secs_f64(),
        Err(before) => -before.duration().as_secs_f64(),
    }
}
