//! Native functions of `fs`: the core's file operations, each callable in three ways.
//!
//! An entry of `OPERATIONS` is a function's name, and a closure that builds the [`FsOp`] from the arguments. `native.callback.open(done, …)`
//! runs the operation on the thread pool and calls back from the poll phase with Node's arguments: `done(error)`, `done(null)` or
//! `done(null, value)`. So `done` can be the script's own callback, with no JavaScript in between. Without `done` the operation runs
//! synchronously and returns the value or libuv's negative error number. `native.makePromise()` returns the same functions with a separate
//! request count, because Node distinguishes the two kinds of requests.
//!
//! JavaScript validates arguments and creates errors. The fields of a `Stats` object are passed as an array (`stats.rs`).

pub(crate) mod descriptors;
mod read_file;
mod stats;
mod watch;

use std::cell::{Cell, RefCell};
use std::ffi::CString;
use std::rc::Rc;

use phasor_core::file::{self, Dir, DirEntry};
use phasor_core::{Errno, FsDone, FsOp, FsValue, Outcome, fs_path};
use phasor_engine::{
    Arguments, Array, ArrayBuffer, BigInt, Bytes, Fallible, FromJs, Function, Global, IntoJs, JsString, Local, Object,
    Part, Scope, Value, define_natives, native_fn,
};
use phasor_js::{About, JsFace, OnDone, ResourceId, require_builtin, shown_text, state};

/// Index into [`Shared::active`]: requests of `fs.promises` (`FSReqPromise`).
const PROMISE: usize = 1;
/// Index into [`Shared::active`]: requests that close a `FileHandle` (`src/node_file.h: FileHandle::CloseReq`).
const CLOSE: usize = 2;

/// State shared by all functions of one context.
#[derive(Default)]
struct Shared {
    /// Directories that scripts have open; the index is the number that JavaScript uses.
    dirs: RefCell<Vec<Slot>>,
    /// The number of active requests of each kind: `FSReqCallback`, `FSReqPromise` and `CloseReq`.
    active: [Cell<u32>; 3],
    stats: stats::Arrays,
}

/// The slot of an open directory: `Away` while the pool uses the directory.
enum Slot {
    Free,
    Away,
    Here(Box<Dir>),
}

impl Shared {
    /// Takes a directory out of its slot.
    fn take_dir(&self, number: usize) -> Option<Box<Dir>> {
        let mut dirs = self.dirs.borrow_mut();
        let slot = dirs.get_mut(number)?;
        match std::mem::replace(slot, Slot::Away) {
            Slot::Here(dir) => Some(dir),
            other => {
                *slot = other;
                None
            }
        }
    }

    /// Puts a new directory into a slot.
    fn add_dir(&self, dir: Box<Dir>) -> usize {
        let mut dirs = self.dirs.borrow_mut();
        let number = dirs.iter().position(|slot| matches!(slot, Slot::Free)).unwrap_or(dirs.len());
        if number == dirs.len() {
            dirs.push(Slot::Free);
        }
        dirs[number] = Slot::Here(dir);
        number
    }
}

/// A request that is listed as active until this is dropped.
struct Listed(Rc<Shared>, usize);

impl Listed {
    fn new(shared: &Rc<Shared>, kind: usize) -> Listed {
        let count = &shared.active[kind];
        count.set(count.get() + 1);
        Listed(shared.clone(), kind)
    }

    /// Counts a request of `fs.promises` as the close of a `FileHandle` from now on.
    fn becomes_close(&mut self) {
        if self.1 == PROMISE {
            *self = Listed::new(&self.0, CLOSE);
        }
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        let count = &self.0.active[self.1];
        count.set(count.get() - 1);
    }
}

/// The conversion of an operation's value to JavaScript.
enum Shape {
    /// Numbers as numbers, file names as strings.
    Plain,
    /// Numbers as BigInts, file names as array buffers.
    Exact,
    /// The bytes are copied into these buffers, starting at an offset in the first.
    Fill(Vec<Global<Value>>, usize),
    /// The directory is put back into the slot with this number. `true`: file names as array buffers.
    Slot(usize, bool),
}

type Made = (FsOp<Vec<u8>>, Shape);
type Make = for<'a, 's> fn(&Args<'a, 's>) -> Fallible<Made>;

/// The arguments of a function.
struct Args<'a, 's> {
    scope: Scope<'s>,
    shared: &'a Shared,
    /// All arguments: the first is the callback.
    values: Arguments<'s>,
    /// The number of leading arguments that are paths; errors name them.
    paths: Cell<usize>,
}

impl<'s> Args<'_, 's> {
    /// The argument at an index. The callback is not counted.
    fn value(&self, at: usize) -> Local<'s, Value> {
        self.values.get(self.scope, at + 1)
    }

    /// The operation and its path, for a recording.
    fn about(&self, syscall: &str) -> String {
        match (self.paths.get() > 0).then(|| path_of(self.scope, self.value(0))) {
            Some(Ok(path)) => format!("{syscall} {}", path.to_string_lossy()),
            _ => syscall.to_owned(),
        }
    }

    fn path(&self, at: usize) -> Fallible<CString> {
        self.paths.set(at + 1);
        path_of(self.scope, self.value(at))
    }

    /// The paths, or the descriptor, for a report of a call that blocks.
    fn shown(&self) -> String {
        let path = |at: usize| match Bytes::of(self.value(at)) {
            Some(bytes) => shown_text(&bytes.to_vec()),
            None => shown_text(self.value(at).to_text(self.scope).unwrap_or_default().as_bytes()),
        };
        match (self.paths.get(), self.value(0).to_int32()) {
            (0, Some(fd)) => format!("descriptor {fd}"),
            (count, _) => (0..count).map(path).collect::<Vec<_>>().join(", "),
        }
    }

    fn float(&self, at: usize) -> Fallible<f64> {
        f64::from_js(self.scope, self.value(at))
    }

    fn int(&self, at: usize) -> Fallible<i32> {
        Ok(self.float(at)? as i64 as i32)
    }

    /// An unsigned argument. Negative numbers wrap: `chown` leaves an owner of -1 unchanged.
    fn uint(&self, at: usize) -> Fallible<u32> {
        Ok(self.float(at)? as i64 as u32)
    }

    /// A position in a file; a negative one means the current position.
    fn position(&self, at: usize) -> Fallible<Option<u64>> {
        let position = self.float(at)?;
        Ok((position >= 0.0).then_some(position as u64))
    }

    fn shape(&self, at: usize) -> Shape {
        if self.value(at).to_bool() == Some(true) { Shape::Exact } else { Shape::Plain }
    }

    fn dir(&self, at: usize) -> Fallible<Box<Dir>> {
        let number = self.float(at)? as usize;
        self.shared.take_dir(number).ok_or_else(|| self.scope.throw_type("the directory is closed or in use"))
    }

    fn bytes(&self, at: usize) -> Fallible<Bytes<'s>> {
        Bytes::from_js(self.scope, self.value(at))
    }

    fn buffers(&self, at: usize) -> Fallible<Vec<Bytes<'s>>> {
        Vec::<Bytes<'s>>::from_js(self.scope, self.value(at))
    }
}

/// A path given as string or bytes.
fn path_of(scope: Scope<'_>, value: Local<'_, Value>) -> Fallible<CString> {
    use std::os::unix::ffi::OsStrExt;
    let made = match Bytes::of(value) {
        Some(bytes) => bytes.read(|bytes| fs_path(std::ffi::OsStr::from_bytes(bytes))),
        None => fs_path(scope.nested(|scope| {
            let value = value.into_js(scope)?;
            String::from_js(scope, value)
        })?),
    };
    made.map_err(|_| scope.throw_type("a path has no NUL"))
}

/// All functions: the name, which is also the `syscall` of errors, and a closure that builds the operation.
const OPERATIONS: &[(&str, Make)] = &[
    ("access", |a| plain(FsOp::Access { path: a.path(0)?, mode: a.int(1)? })),
    ("chmod", |a| plain(FsOp::Chmod { path: a.path(0)?, mode: a.uint(1)? })),
    ("chown", |a| plain(FsOp::Chown { path: a.path(0)?, uid: a.uint(1)?, gid: a.uint(2)? })),
    ("close", |a| {
        let fd = a.int(0)?;
        descriptors::closing(a.scope, fd);
        plain(FsOp::Close { fd })
    }),
    ("closedir", |a| {
        let number = a.float(0)? as usize;
        let dir = a.dir(0)?;
        if let Some(slot) = a.shared.dirs.borrow_mut().get_mut(number) {
            *slot = Slot::Free;
        }
        plain(FsOp::Closedir { dir })
    }),
    ("copyfile", |a| plain(FsOp::Copyfile { from: a.path(0)?, to: a.path(1)?, flags: a.uint(2)? })),
    ("fchmod", |a| plain(FsOp::Fchmod { fd: a.int(0)?, mode: a.uint(1)? })),
    ("fchown", |a| plain(FsOp::Fchown { fd: a.int(0)?, uid: a.uint(1)?, gid: a.uint(2)? })),
    ("fdatasync", |a| plain(FsOp::Fdatasync { fd: a.int(0)? })),
    ("fstat", |a| Ok((FsOp::Fstat { fd: a.int(0)? }, a.shape(1)))),
    ("fsync", |a| plain(FsOp::Fsync { fd: a.int(0)? })),
    ("ftruncate", |a| plain(FsOp::Ftruncate { fd: a.int(0)?, length: a.float(1)? as u64 })),
    ("futime", |a| plain(FsOp::Futime { fd: a.int(0)?, atime_s: a.float(1)?, mtime_s: a.float(2)? })),
    ("lchown", |a| plain(FsOp::Lchown { path: a.path(0)?, uid: a.uint(1)?, gid: a.uint(2)? })),
    ("link", |a| plain(FsOp::Link { existing: a.path(0)?, new: a.path(1)? })),
    ("lstat", |a| Ok((FsOp::Lstat { path: a.path(0)? }, a.shape(1)))),
    ("lutime", |a| plain(FsOp::Lutime { path: a.path(0)?, atime_s: a.float(1)?, mtime_s: a.float(2)? })),
    ("mkdir", |a| plain(FsOp::Mkdir { path: a.path(0)?, mode: a.uint(1)? })),
    ("mkdtemp", |a| Ok((FsOp::Mkdtemp { template: a.path(0)? }, a.shape(1)))),
    ("open", |a| plain(FsOp::Open { path: a.path(0)?, flags: a.int(1)?, mode: a.uint(2)? })),
    ("opendir", |a| plain(FsOp::Opendir { path: a.path(0)? })),
    ("read", read),
    ("readdir", |a| {
        let limit = a.float(1)? as usize;
        let exact = matches!(a.shape(2), Shape::Exact);
        let number = a.float(0)? as usize;
        let dir = a.dir(0)?;
        Ok((FsOp::Readdir { dir, limit }, Shape::Slot(number, exact)))
    }),
    ("readlink", |a| Ok((FsOp::Readlink { path: a.path(0)? }, a.shape(1)))),
    ("readv", |a| {
        let buffers = a.buffers(1)?;
        let most = buffers.iter().map(|buffer| buffer.len()).sum();
        let kept = buffers.iter().map(|buffer| Global::new(a.scope, buffer.as_value())).collect();
        Ok((FsOp::ReadNew { fd: a.int(0)?, most, offset: a.position(2)? }, Shape::Fill(kept, 0)))
    }),
    ("realpath", |a| Ok((FsOp::Realpath { path: a.path(0)? }, a.shape(1)))),
    ("rename", |a| plain(FsOp::Rename { old: a.path(0)?, new: a.path(1)? })),
    ("rmdir", |a| plain(FsOp::Rmdir { path: a.path(0)? })),
    ("scandir", |a| Ok((FsOp::Scandir { path: a.path(0)? }, a.shape(1)))),
    ("stat", |a| Ok((FsOp::Stat { path: a.path(0)? }, a.shape(1)))),
    ("statfs", |a| Ok((FsOp::Statfs { path: a.path(0)? }, a.shape(1)))),
    ("symlink", |a| plain(FsOp::Symlink { target: a.path(0)?, path: a.path(1)? })),
    ("unlink", |a| plain(FsOp::Unlink { path: a.path(0)? })),
    ("utime", |a| plain(FsOp::Utime { path: a.path(0)?, atime_s: a.float(1)?, mtime_s: a.float(2)? })),
    ("write", |a| {
        let (offset, length) = (a.float(2)? as usize, a.float(3)? as usize);
        let bytes = a.bytes(1)?.read(|bytes| {
            let start = offset.min(bytes.len());
            bytes[start..start.saturating_add(length).min(bytes.len())].to_vec()
        });
        plain(FsOp::Write { fd: a.int(0)?, bytes, offset: a.position(4)? })
    }),
    ("writev", |a| {
        let mut bytes = Vec::new();
        for buffer in a.buffers(1)? {
            Part::Bytes(buffer).append_to(&mut bytes);
        }
        plain(FsOp::Write { fd: a.int(0)?, bytes, offset: a.position(2)? })
    }),
];

fn plain(operation: FsOp<Vec<u8>>) -> Fallible<Made> {
    Ok((operation, Shape::Plain))
}

fn read(a: &Args<'_, '_>) -> Fallible<Made> {
    let buffer = a.bytes(1)?;
    let offset = (a.float(2)? as usize).min(buffer.len());
    let most = (a.float(3)? as usize).min(buffer.len() - offset);
    let kept = Global::new(a.scope, buffer.as_value());
    let (fd, position) = (a.int(0)?, a.position(4)?);
    Ok((FsOp::ReadNew { fd, most, offset: position }, Shape::Fill(vec![kept], offset)))
}

/// Creates the object of native functions.
pub fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    let shared = Rc::new(Shared::default());
    let native = Object::new(scope);
    native.set(scope, "callback", operations(scope, &shared, 0)?)?;
    // Created on demand: many programs do not use `fs/promises`.
    let mine = shared.clone();
    native.define_function(scope, "makePromise", 0, native_fn!(|scope| operations(scope, &mine, PROMISE)))?;
    native.set(scope, "outcomes", read_file::outcomes(scope)?)?;
    define_natives!(
        scope, native,
        "readFileSync" => read_file::sync,
        "readSync" => read_sync,
        "writeSync" => write_sync,
        "closeIfLost" => |_, fd: i32| descriptors::close_if_lost(fd),
        "moved" => |_, fd: i32, is_here: bool| descriptors::moved(fd, is_here),
        "watch" => watch::watch,
    );
    let mine = shared.clone();
    native.define_function(scope, "watchFile", 5, watch::watch_file(mine))?;
    let active = move || shared.active.iter().map(Cell::get).collect::<Vec<u32>>();
    native.define_function(scope, "active", 0, native_fn!(|_| active()))?;
    Ok(native)
}

/// The functions for one kind of request.
fn operations<'s>(scope: Scope<'s>, shared: &Rc<Shared>, kind: usize) -> Fallible<Local<'s, Object>> {
    let functions = Object::new(scope);
    for operation in OPERATIONS {
        let shared = shared.clone();
        functions.define_function(scope, operation.0, 0, move |scope, arguments| {
            start(scope, &shared, kind, operation, arguments)
        })?;
    }
    let shared = shared.clone();
    functions.define_function(scope, "readFile", 0, move |scope, arguments| {
        read_file::start(scope, &shared, kind, arguments).into_js(scope)
    })?;
    Ok(functions)
}

/// Runs an operation, or submits it to the pool if the first argument is a callback.
fn start<'s>(
    scope: Scope<'s>,
    shared: &Rc<Shared>,
    kind: usize,
    &(syscall, make): &'static (&'static str, Make),
    values: Arguments<'s>,
) -> Fallible<Local<'s, Value>> {
    let args = Args { scope, shared, values, paths: Cell::new(0) };
    let (operation, shape) = make(&args)?;
    let Some(done) = values.get(scope, 0).cast::<Function>() else {
        let done = state(scope).blocking(scope, syscall, || args.shown(), || operation.run());
        let value = finish(scope, shared, done, shape)?;
        return Ok(value.unwrap_or_else(|errno| failure(scope, errno)));
    };
    let done = Global::new(scope, done);
    let kept = |at: usize| (at < args.paths.get()).then(|| Global::new(scope, args.value(at)));
    let paths = [kept(0), kept(1)];
    let listed = Listed::new(shared, if kind == PROMISE && syscall == "close" { CLOSE } else { kind });
    let in_pool = descriptors::InPool::new();
    let fd = operation.fd();
    let request = FsRequest { syscall, paths, fd, done, shape, listed, in_pool };
    let request = state(scope).core().fs(operation, Box::new(request));
    state(scope).describe(ResourceId::request(request), || args.about(syscall));
    Ok(scope.undefined())
}

/// An operation that runs on the pool.
struct FsRequest {
    syscall: &'static str,
    /// The paths among its arguments.
    paths: [Option<Global<Value>>; 2],
    fd: Option<i32>,
    done: Global<Function>,
    shape: Shape,
    listed: Listed,
    in_pool: descriptors::InPool,
}

impl OnDone for FsRequest {
    fn on_done(self: Box<Self>, scope: Scope<'_>, outcome: Outcome<JsFace>) -> Fallible<()> {
        let FsRequest { syscall, paths, done, shape, listed, in_pool, .. } = *self;
        drop(in_pool);
        let Outcome::Fs(ended) = outcome else { return Ok(()) };
        let value = finish(scope, &listed.0, ended, shape)?;
        state(scope).drop_after_drain(listed);
        let (this, null) = (scope.undefined(), scope.null());
        let done = done.get(scope);
        state(scope).locate(scope, done);
        match value {
            Ok(value) if value.is_undefined() => done.call(scope, this, &[null]),
            Ok(value) => done.call(scope, this, &[null, value]),
            Err(errno) => done.call(scope, this, &[error(scope, errno, syscall, &paths)?]),
        }?;
        Ok(())
    }

    fn describe<'s>(&self, scope: Scope<'s>, about: &mut About<'s>) {
        describe_operation(scope, about, self.syscall, self.paths.iter().flatten(), self.fd);
        about.callback = Some(self.done.get(scope));
    }
}

/// Describes a request for a report of what keeps the loop alive.
fn describe_operation<'s, 'p>(
    scope: Scope<'s>,
    about: &mut About<'s>,
    operation: &str,
    paths: impl IntoIterator<Item = &'p Global<Value>>,
    fd: Option<i32>,
) {
    about.entry.what = operation.to_owned();
    for (at, path) in paths.into_iter().enumerate() {
        let path = path.get(scope);
        let text = match Bytes::of(path) {
            Some(bytes) => bytes.read(|bytes| String::from_utf8_lossy(bytes).into_owned()),
            None => path.to_text(scope).unwrap_or_default(),
        };
        about.entry.what.push_str(if at == 0 { " " } else { " → " });
        about.entry.what.push_str(&text);
    }
    if let Some(fd) = fd {
        about.entry.add(&format!("file descriptor {fd}"));
    }
}

/// The error of an operation that ran on the pool.
fn error<'s>(
    scope: Scope<'s>,
    errno: Errno,
    syscall: &str,
    [path, dest]: &[Option<Global<Value>>; 2],
) -> Fallible<Local<'s, Value>> {
    let run = Local::<'s, Object>::from_js(scope, require_builtin(scope, "internal/fs/run")?)?;
    let failed: Local<'s, Function> = run.get_as(scope, "failedLater")?;
    failed.call_with(scope, (), (-errno.raw(), syscall, path.as_ref(), dest.as_ref()))
}

/// The value for JavaScript, or the error.
type Finished<'s> = Result<Local<'s, Value>, Errno>;

/// Converts the value of an operation to JavaScript.
fn finish<'s>(scope: Scope<'s>, shared: &Shared, done: FsDone<Vec<u8>>, shape: Shape) -> Fallible<Finished<'s>> {
    let FsDone { result, dir, .. } = done;
    if let (Shape::Slot(number, _), Some(dir)) = (&shape, dir)
        && let Some(slot) = shared.dirs.borrow_mut().get_mut(*number)
    {
        *slot = Slot::Here(dir);
    }
    let value = match result {
        Ok(value) => value,
        Err(errno) => return Ok(Err(errno)),
    };
    let exact = matches!(shape, Shape::Exact | Shape::Slot(_, true));
    Ok(Ok(match value {
        FsValue::None => scope.undefined(),
        FsValue::Count(count) => scope.number(count as f64),
        FsValue::Bytes(bytes) => {
            if let Shape::Fill(buffers, offset) = shape {
                fill(scope, &buffers, offset, &bytes)?;
            }
            scope.number(bytes.len() as f64)
        }
        FsValue::Fd(fd) => {
            let fd = fd.release();
            descriptors::opened(scope, fd);
            scope.number(fd)
        }
        FsValue::File(fd, _) => scope.number(fd.release()),
        FsValue::Stat(stat) => shared.stats.write(scope, &[&stat], exact)?.as_value(),
        FsValue::StatFs(found) => {
            let f = &*found;
            numbers(scope, &[f.fs_type, f.bsize, f.blocks, f.bfree, f.bavail, f.files, f.ffree], exact)?
        }
        FsValue::Path(path) => name_value(scope, path.as_bytes(), exact)?,
        FsValue::Entries(entries) => entries_value(scope, &entries, exact)?,
        FsValue::Dir(dir) => scope.number(shared.add_dir(dir) as f64),
    }))
}

/// libuv's error number.
fn failure(scope: Scope<'_>, errno: Errno) -> Local<'_, Value> {
    scope.number(-errno.raw())
}

/// Copies the bytes read into the buffers in order.
fn fill(scope: Scope<'_>, buffers: &[Global<Value>], mut offset: usize, mut bytes: &[u8]) -> Fallible<()> {
    for buffer in buffers {
        let buffer = Bytes::from_js(scope, buffer.get(scope))?;
        let taken = buffer.write(|room| {
            let start = offset.min(room.len());
            let count = bytes.len().min(room.len() - start);
            room[start..start + count].copy_from_slice(&bytes[..count]);
            count
        });
        bytes = &bytes[taken..];
        offset = 0;
    }
    Ok(())
}

fn numbers<'s>(scope: Scope<'s>, numbers: &[u64], exact: bool) -> Fallible<Local<'s, Value>> {
    let value = |&number: &u64| {
        if exact { Ok(BigInt::from_i64(scope, number as i64)?.as_value()) } else { number.into_js(scope) }
    };
    let values: Vec<_> = numbers.iter().map(value).collect::<Fallible<_>>()?;
    Ok(Array::new(scope, &values)?.as_value())
}

fn name_value<'s>(scope: Scope<'s>, name: &[u8], exact: bool) -> Fallible<Local<'s, Value>> {
    Ok(if exact {
        ArrayBuffer::copy_of(scope, name)?.as_value()
    } else {
        JsString::from_utf8_lossy(scope, name)?.as_value()
    })
}

/// The names, then their types as libuv's numbers.
fn entries_value<'s>(scope: Scope<'s>, entries: &[DirEntry], exact: bool) -> Fallible<Local<'s, Value>> {
    scope.try_escape(|scope| {
        let names: Vec<_> =
            entries.iter().map(|entry| name_value(scope, entry.name.as_bytes(), exact)).collect::<Fallible<_>>()?;
        let kinds: Vec<_> = entries.iter().map(|entry| scope.number(entry.kind as u8)).collect();
        let both = [Array::new(scope, &names)?.as_value(), Array::new(scope, &kinds)?.as_value()];
        Ok(Array::new(scope, &both)?.as_value())
    })
}

/// Reads directly into a buffer.
fn read_sync(scope: Scope<'_>, fd: i32, buffer: Bytes<'_>, offset: f64, length: f64, position: f64) -> f64 {
    let position = (position >= 0.0).then_some(position as u64);
    let shown = || format!("descriptor {fd}");
    let read = || {
        buffer.write(|bytes| {
            let start = (offset as usize).min(bytes.len());
            let end = start.saturating_add(length as usize).min(bytes.len());
            let mut slices = [std::io::IoSliceMut::new(&mut bytes[start..end])];
            file::read(fd, &mut slices, position).map_or_else(|errno| -f64::from(errno.raw()), |count| count as f64)
        })
    };
    state(scope).blocking(scope, "read", shown, read)
}

/// Writes directly from a buffer.
fn write_sync(scope: Scope<'_>, fd: i32, buffer: Bytes<'_>, offset: f64, length: f64, position: f64) -> f64 {
    let position = (position >= 0.0).then_some(position as u64);
    let shown = || format!("descriptor {fd}, {} bytes", buffer.len());
    let write = || {
        buffer.read(|bytes| {
            let start = (offset as usize).min(bytes.len());
            let end = start.saturating_add(length as usize).min(bytes.len());
            let slices = [std::io::IoSlice::new(&bytes[start..end])];
            file::write(fd, &slices, position).map_or_else(|errno| -f64::from(errno.raw()), |count| count as f64)
        })
    };
    state(scope).blocking(scope, "write", shown, write)
}
