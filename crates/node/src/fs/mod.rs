//! Native functions of `fs`: the core's file operations, each callable in three ways.
//!
//! A function is an entry of `OPERATIONS`: a name, and how to build the [`FsOp`] from its arguments. `native.callback.open(done, …)` runs
//! the operation on the thread pool and calls back from the poll phase with Node's arguments: `done(error)`, `done(null)` or `done(null,
//! value)`. So `done` can be the script's own callback, with no JavaScript in between. Without `done` the operation runs synchronously and
//! returns the value or libuv's negative error number. `native.makePromise()` returns the same functions with a separate request count,
//! because Node distinguishes the two kinds of requests.
//!
//! JavaScript validates arguments and creates errors.

pub(crate) mod descriptors;
mod read_file;
mod stats;
mod watch;

use std::cell::{Cell, RefCell};
use std::ffi::CString;
use std::rc::Rc;

use phasor_core::file::{self, Dir, DirEntry};
use phasor_core::{Errno, FsDone, FsOp, FsValue, Outcome, fs_path};
use phasor_js::bytes::{Bytes, Text, string_from_utf8};
use phasor_js::{require_builtin, state};
use rquickjs::function::Rest;
use rquickjs::{Array, ArrayBuffer, BigInt, Ctx, Exception, FromJs, Function, Object, Persistent, Result, Value};

/// The kind of requests that settle a promise.
const PROMISE: usize = 1;
/// The kind of the request that closes a `FileHandle` (`src/node_file.h: FileHandle::CloseReq`).
const CLOSE: usize = 2;

/// State shared by all functions of one context.
#[derive(Default)]
struct Shared {
    /// Directories that scripts have open; the index is the number that JavaScript uses.
    dirs: RefCell<Vec<Slot>>,
    /// The number of active requests of each kind: `FSReqCallback`, `FSReqPromise` and `CloseReq`.
    active: [Cell<u32>; 3],
    stats: Rc<stats::Kinds>,
}

/// The slot of an open directory: `Away` while the pool uses the directory.
enum Slot {
    Free,
    Away,
    Here(Box<Dir>),
}

/// A request that is listed as active until this is dropped.
struct Listed(Rc<Shared>, usize);

impl Listed {
    fn new(shared: &Rc<Shared>, kind: usize) -> Listed {
        let count = &shared.active[kind];
        count.set(count.get() + 1);
        Listed(shared.clone(), kind)
    }

    /// Lists a request of a promise as the close of a `FileHandle` from now on.
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

/// How an operation's value is converted.
enum Shape {
    /// Unchanged: numbers, and strings for names.
    Plain,
    /// BigInts for numbers, array buffers for names.
    Exact,
    /// The bytes go into these buffers, starting at an offset in the first.
    Fill(Vec<Persistent<Value<'static>>>, usize),
    /// The directory returns to its slot.
    Slot(usize, bool),
}

type Made = (FsOp<Vec<u8>>, Shape);
type Make = for<'a, 'js> fn(&Args<'a, 'js>) -> Result<Made>;

/// The arguments of a function.
struct Args<'a, 'js> {
    ctx: &'a Ctx<'js>,
    shared: &'a Shared,
    /// The arguments after the callback.
    values: &'a [Value<'js>],
    /// The number of leading arguments that are paths; errors name them.
    paths: Cell<usize>,
}

impl<'js> Args<'_, 'js> {
    fn value(&self, at: usize) -> Value<'js> {
        self.values.get(at).cloned().unwrap_or_else(|| Value::new_undefined(self.ctx.clone()))
    }

    fn path(&self, at: usize) -> Result<CString> {
        self.paths.set(at + 1);
        path_of(self.ctx, &self.value(at))
    }

    fn float(&self, at: usize) -> Result<f64> {
        f64::from_js(self.ctx, self.value(at))
    }

    fn int(&self, at: usize) -> Result<i32> {
        Ok(self.float(at)? as i64 as i32)
    }

    /// Negative numbers wrap, so that an owner of -1 means "as it is".
    fn uint(&self, at: usize) -> Result<u32> {
        Ok(self.float(at)? as i64 as u32)
    }

    /// A position in a file; a negative one means the current position.
    fn position(&self, at: usize) -> Result<Option<u64>> {
        let position = self.float(at)?;
        Ok((position >= 0.0).then_some(position as u64))
    }

    fn shape(&self, at: usize) -> Shape {
        if self.values.get(at).and_then(Value::as_bool).unwrap_or(false) { Shape::Exact } else { Shape::Plain }
    }

    fn dir(&self, at: usize) -> Result<(usize, Box<Dir>)> {
        let number = self.float(at)? as usize;
        let mut dirs = self.shared.dirs.borrow_mut();
        if let Some(slot) = dirs.get_mut(number) {
            match std::mem::replace(slot, Slot::Away) {
                Slot::Here(dir) => return Ok((number, dir)),
                other => *slot = other,
            }
        }
        Err(Exception::throw_type(self.ctx, "the directory is closed or in use"))
    }

    fn buffers(&self, at: usize) -> Result<Vec<Bytes<'js>>> {
        Vec::<Bytes<'js>>::from_js(self.ctx, self.value(at))
    }
}

/// A path given as string or bytes.
fn path_of<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<CString> {
    use std::os::unix::ffi::OsStrExt;
    let made = if value.is_string() {
        fs_path(&*Text::from_js(ctx, value.clone())?.to_utf8())
    } else {
        let bytes = Bytes::from_js(ctx, value.clone())?.read(<[u8]>::to_vec);
        fs_path(std::ffi::OsStr::from_bytes(&bytes))
    };
    made.map_err(|_| Exception::throw_type(ctx, "a path has no NUL"))
}

/// All functions: the name, which is also the `syscall` of errors, and how to build the operation.
const OPERATIONS: &[(&str, Make)] = &[
    ("access", |a| plain(FsOp::Access { path: a.path(0)?, mode: a.int(1)? })),
    ("chmod", |a| plain(FsOp::Chmod { path: a.path(0)?, mode: a.uint(1)? })),
    ("chown", |a| plain(FsOp::Chown { path: a.path(0)?, uid: a.uint(1)?, gid: a.uint(2)? })),
    ("close", |a| {
        let fd = a.int(0)?;
        descriptors::closing(a.ctx, fd);
        plain(FsOp::Close { fd })
    }),
    ("closedir", |a| {
        let (number, dir) = a.dir(0)?;
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
        let (number, dir) = a.dir(0)?;
        Ok((FsOp::Readdir { dir, limit }, Shape::Slot(number, exact)))
    }),
    ("readlink", |a| Ok((FsOp::Readlink { path: a.path(0)? }, a.shape(1)))),
    ("readv", |a| {
        let buffers = a.buffers(1)?;
        let most = buffers.iter().map(Bytes::len).sum();
        let kept = buffers.iter().map(|buffer| Persistent::save(a.ctx, buffer.as_value().clone())).collect();
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
        let bytes = Bytes::from_js(a.ctx, a.value(1))?.read(|bytes| {
            let start = offset.min(bytes.len());
            bytes[start..start.saturating_add(length).min(bytes.len())].to_vec()
        });
        plain(FsOp::Write { fd: a.int(0)?, bytes, offset: a.position(4)? })
    }),
    ("writev", |a| {
        let mut bytes = Vec::new();
        for buffer in a.buffers(1)? {
            bytes.extend(buffer.read(<[u8]>::to_vec));
        }
        plain(FsOp::Write { fd: a.int(0)?, bytes, offset: a.position(2)? })
    }),
];

fn plain(operation: FsOp<Vec<u8>>) -> Result<Made> {
    Ok((operation, Shape::Plain))
}

fn read(a: &Args<'_, '_>) -> Result<Made> {
    let buffer = Bytes::from_js(a.ctx, a.value(1))?;
    let offset = (a.float(2)? as usize).min(buffer.len());
    let most = (a.float(3)? as usize).min(buffer.len() - offset);
    let kept = Persistent::save(a.ctx, buffer.as_value().clone());
    let (fd, position) = (a.int(0)?, a.position(4)?);
    Ok((FsOp::ReadNew { fd, most, offset: position }, Shape::Fill(vec![kept], offset)))
}

/// Creates the object of native functions.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let shared = Rc::new(Shared::default());
    let native = Object::new(ctx.clone())?;
    native.set("callback", operations(ctx, &shared, 0)?)?;
    // Created on demand: many programs do not use `fs/promises`.
    let mine = shared.clone();
    native.set("makePromise", Function::new(ctx.clone(), move |ctx: Ctx<'js>| operations(&ctx, &mine, PROMISE))?)?;
    native.set("outcomes", read_file::outcomes(ctx)?)?;
    native.set("readFileSync", Function::new(ctx.clone(), read_file::sync)?)?;
    native.set("readSync", Function::new(ctx.clone(), read_sync)?)?;
    native.set("writeSync", Function::new(ctx.clone(), write_sync)?)?;
    native.set("moved", Function::new(ctx.clone(), descriptors::moved)?)?;
    native.set("closeIfLost", Function::new(ctx.clone(), descriptors::close_if_lost)?)?;
    native.set("watch", Function::new(ctx.clone(), watch::watch)?)?;
    native.set("watchFile", watch::watch_file(ctx, shared.stats.clone())?)?;
    let active = move || shared.active.iter().map(Cell::get).collect::<Vec<u32>>();
    native.set("active", Function::new(ctx.clone(), active)?)?;
    Ok(native)
}

/// The functions for one kind of request.
fn operations<'js>(ctx: &Ctx<'js>, shared: &Rc<Shared>, kind: usize) -> Result<Object<'js>> {
    let functions = Object::new(ctx.clone())?;
    for operation in OPERATIONS {
        let shared = shared.clone();
        let function = move |ctx: Ctx<'js>, args: Rest<Value<'js>>| start(&ctx, &shared, kind, operation, &args.0);
        functions.set(operation.0, Function::new(ctx.clone(), function)?)?;
    }
    let shared = shared.clone();
    let function = move |ctx: Ctx<'js>, args: Rest<Value<'js>>| read_file::start(&ctx, &shared, kind, &args.0);
    functions.set("readFile", Function::new(ctx.clone(), function)?)?;
    Ok(functions)
}

/// Runs an operation, or submits it to the pool if the first argument is a callback.
fn start<'js>(
    ctx: &Ctx<'js>,
    shared: &Rc<Shared>,
    kind: usize,
    &(syscall, make): &'static (&'static str, Make),
    values: &[Value<'js>],
) -> Result<Value<'js>> {
    let Some((done, values)) = values.split_first() else { return Ok(Value::new_undefined(ctx.clone())) };
    let args = Args { ctx, shared, values, paths: Cell::new(0) };
    let (operation, shape) = make(&args)?;
    let Some(done) = done.as_function() else {
        let value = finish(ctx, shared, operation.run(), shape)?;
        return Ok(value.unwrap_or_else(|errno| failure(ctx, errno)));
    };
    let done = Persistent::save(ctx, done.clone());
    let kept = |at: usize| (at < args.paths.get()).then(|| Persistent::save(ctx, args.value(at)));
    let paths = [kept(0), kept(1)];
    let listed = Listed::new(shared, if kind == PROMISE && syscall == "close" { CLOSE } else { kind });
    let in_pool = descriptors::InPool::new();
    state(ctx).core().fs(
        operation,
        Box::new(move |ctx, outcome| {
            drop(in_pool);
            let Outcome::Fs(ended) = outcome else { return Ok(()) };
            let value = finish(ctx, &listed.0, ended, shape)?;
            state(ctx).drop_after_drain(listed);
            let (done, null) = (done.restore(ctx)?, Value::new_null(ctx.clone()));
            match value {
                Ok(value) if value.is_undefined() => done.call((null,)),
                Ok(value) => done.call((null, value)),
                Err(errno) => done.call((error(ctx, errno, syscall, paths)?,)),
            }
        }),
    );
    Ok(Value::new_undefined(ctx.clone()))
}

/// The error of an operation that ran on the pool.
fn error<'js>(
    ctx: &Ctx<'js>,
    errno: Errno,
    syscall: &str,
    paths: [Option<Persistent<Value<'static>>>; 2],
) -> Result<Value<'js>> {
    let [path, dest] = paths.map(|path| path.map(|path| path.restore(ctx)).transpose());
    let failed: Function<'js> = require_builtin(ctx, "internal/fs/run")?.get::<Object<'js>>()?.get("failedLater")?;
    failed.call((-errno.raw(), syscall, path?, dest?))
}

/// The value that a script gets, or the error.
type Finished<'js> = std::result::Result<Value<'js>, Errno>;

/// Converts the value of an operation to JavaScript.
fn finish<'js>(ctx: &Ctx<'js>, shared: &Shared, done: FsDone<Vec<u8>>, shape: Shape) -> Result<Finished<'js>> {
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
        FsValue::None => Value::new_undefined(ctx.clone()),
        FsValue::Count(count) => Value::new_number(ctx.clone(), count as f64),
        FsValue::Bytes(bytes) => {
            if let Shape::Fill(buffers, offset) = shape {
                fill(ctx, buffers, offset, &bytes)?;
            }
            Value::new_number(ctx.clone(), bytes.len() as f64)
        }
        FsValue::Fd(fd) => {
            let fd = fd.release();
            descriptors::opened(ctx, fd);
            Value::new_int(ctx.clone(), fd)
        }
        FsValue::File(fd, _) => Value::new_int(ctx.clone(), fd.release()),
        FsValue::Stat(stat) => shared.stats.make(ctx, &stat, exact)?,
        FsValue::StatFs(found) => {
            let f = &*found;
            let all = [f.fs_type, f.bsize, f.blocks, f.bfree, f.bavail, f.files, f.ffree];
            numbers(ctx, &all.map(|n| n as i64), exact)?
        }
        FsValue::Path(path) => name_value(ctx, path.as_bytes(), exact)?,
        FsValue::Entries(entries) => entries_value(ctx, &entries, exact)?,
        FsValue::Dir(dir) => {
            let mut dirs = shared.dirs.borrow_mut();
            let number = dirs.iter().position(|slot| matches!(slot, Slot::Free)).unwrap_or(dirs.len());
            if number == dirs.len() {
                dirs.push(Slot::Free);
            }
            dirs[number] = Slot::Here(dir);
            Value::new_number(ctx.clone(), number as f64)
        }
    }))
}

/// libuv's error number.
fn failure<'js>(ctx: &Ctx<'js>, errno: Errno) -> Value<'js> {
    Value::new_int(ctx.clone(), -errno.raw())
}

/// Copies the bytes read into the buffers in order.
fn fill(ctx: &Ctx<'_>, buffers: Vec<Persistent<Value<'static>>>, mut offset: usize, mut bytes: &[u8]) -> Result<()> {
    for buffer in buffers {
        let buffer = Bytes::from_js(ctx, buffer.restore(ctx)?)?;
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

fn numbers<'js>(ctx: &Ctx<'js>, numbers: &[i64], exact: bool) -> Result<Value<'js>> {
    let array = Array::new(ctx.clone())?;
    for (at, &number) in numbers.iter().enumerate() {
        if exact {
            array.set(at, BigInt::from_i64(ctx.clone(), number)?)?;
        } else {
            array.set(at, number as f64)?;
        }
    }
    Ok(array.into_value())
}

fn name_value<'js>(ctx: &Ctx<'js>, name: &[u8], exact: bool) -> Result<Value<'js>> {
    if exact { Ok(ArrayBuffer::new_copy(ctx.clone(), name)?.into_value()) } else { string_from_utf8(ctx, name) }
}

/// The names, then their types as libuv's numbers.
fn entries_value<'js>(ctx: &Ctx<'js>, entries: &[DirEntry], exact: bool) -> Result<Value<'js>> {
    let (names, kinds, both) = (Array::new(ctx.clone())?, Array::new(ctx.clone())?, Array::new(ctx.clone())?);
    for (at, entry) in entries.iter().enumerate() {
        names.set(at, name_value(ctx, entry.name.as_bytes(), exact)?)?;
        kinds.set(at, entry.kind as u8)?;
    }
    both.set(0, names)?;
    both.set(1, kinds)?;
    Ok(both.into_value())
}

/// Reads directly into a buffer.
fn read_sync(fd: i32, buffer: Bytes<'_>, offset: f64, length: f64, position: f64) -> f64 {
    let position = (position >= 0.0).then_some(position as u64);
    buffer.write(|bytes| {
        let start = (offset as usize).min(bytes.len());
        let end = start.saturating_add(length as usize).min(bytes.len());
        let mut slices = [std::io::IoSliceMut::new(&mut bytes[start..end])];
        file::read(fd, &mut slices, position).map_or_else(|errno| -f64::from(errno.raw()), |count| count as f64)
    })
}

/// Writes directly from a buffer.
fn write_sync(fd: i32, buffer: Bytes<'_>, offset: f64, length: f64, position: f64) -> f64 {
    let position = (position >= 0.0).then_some(position as u64);
    buffer.read(|bytes| {
        let start = (offset as usize).min(bytes.len());
        let end = start.saturating_add(length as usize).min(bytes.len());
        let slices = [std::io::IoSlice::new(&bytes[start..end])];
        file::write(fd, &slices, position).map_or_else(|errno| -f64::from(errno.raw()), |count| count as f64)
    })
}
