//! `fs.readFile`: open, fstat, read, close. As in Node (`lib/internal/fs/read/context.js: ReadFileContext`), each step is a separate pool
//! operation, so that the loop turns between them. JavaScript is called only at the end.

use std::rc::Rc;

use phasor_core::{Errno, FsDone, FsOp, FsValue, Outcome, file};
use phasor_js::bytes::{array_on, string_from_str, string_from_utf8};
use phasor_js::state;
use rquickjs::{Coerced, Ctx, FromJs, Function, Object, Persistent, Result, Value};

use super::{Listed, Shared, descriptors, failure, path_of};

/// `kReadFileBufferLength` of `lib/internal/fs/utils.js`: bytes per read for a file of known size.
const CHUNK_BYTES: usize = 512 * 1024;
/// `kReadFileUnknownBufferLength` of `lib/internal/fs/utils.js`: bytes per read for a file of unknown size.
const UNKNOWN_BYTES: usize = 64 * 1024;
/// `kIoMaxLength` of `lib/internal/fs/utils.js`: larger files are refused.
const MAX_BYTES: u64 = (1 << 31) - 1;

/// Outcomes other than success, as number and failed system call. Errors of system calls are negative numbers. JavaScript gets the numbers
/// from [`outcomes`].
const ABORTED: (i32, &str) = (1, "");
const TOO_LARGE: (i32, &str) = (2, "");
/// Reading `signal.aborted` threw an exception.
const THREW: (i32, &str) = (3, "");
/// Creating the string or buffer from the bytes failed.
const UNMADE: (i32, &str) = (4, "");

/// The outcome numbers as an object for JavaScript.
pub(super) fn outcomes<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let outcomes = Object::new(ctx.clone())?;
    outcomes.set("ABORTED", ABORTED.0)?;
    outcomes.set("TOO_LARGE", TOO_LARGE.0)?;
    outcomes.set("THREW", THREW.0)?;
    outcomes.set("UNMADE", UNMADE.0)?;
    Ok(outcomes)
}

/// The state of one `fs.readFile` call.
struct ReadFile {
    /// Called with `(null, value)` on success.
    done: Persistent<Function<'static>>,
    /// Called instead of `done` on failure.
    failed: Persistent<Function<'static>>,
    /// The path or descriptor argument.
    target: Persistent<Value<'static>>,
    /// The `AbortSignal`, checked before each step.
    signal: Option<Persistent<Object<'static>>>,
    /// Lists the request as active.
    listed: Listed,
    fd: i32,
    /// True if this call opened the file and has to close it.
    own: bool,
    progress: Progress,
    /// The prototype of the resulting buffer; without one the result is a string.
    prototype: Option<Persistent<Object<'static>>>,
    /// The failure that ended the operation; `None` on success.
    outcome: Option<(i32, &'static str)>,
    /// The exception that reading `signal.aborted` threw.
    thrown: Option<Persistent<Value<'static>>>,
}

/// The bytes read so far.
#[derive(Default)]
struct Progress {
    /// The size from `fstat`; 0 if unknown.
    size: usize,
    /// The bytes, without spare capacity if the size is known.
    bytes: Vec<u8>,
}

impl Progress {
    /// Takes the result of `fstat`. Returns `false` if the file is too large.
    fn sized(&mut self, mode: u64, size: u64) -> bool {
        if mode & 0o170_000 != 0o100_000 {
            return true;
        }
        self.size = size as usize;
        size <= MAX_BYTES
    }

    /// How many bytes to read next.
    fn room(&self) -> usize {
        if self.size == 0 { UNKNOWN_BYTES } else { (self.size - self.bytes.len()).min(CHUNK_BYTES) }
    }

    /// Adds the result of a read. Returns true if it was the last one.
    fn took(&mut self, bytes: Vec<u8>) -> bool {
        let count = bytes.len();
        // Keep the first buffer if it is the whole file. An empty read's buffer has spare capacity and is not kept.
        if self.bytes.is_empty() && count > 0 && count == self.size {
            self.bytes = bytes;
        } else {
            self.bytes.reserve_exact(self.size.saturating_sub(self.bytes.len()));
            self.bytes.extend_from_slice(&bytes);
        }
        count == 0 || self.bytes.len() == self.size
    }

    fn value<'js>(self, ctx: &Ctx<'js>, prototype: Option<&Object<'js>>) -> Result<Value<'js>> {
        match prototype {
            Some(prototype) => array_on(prototype, self.bytes),
            None => string_from_utf8(ctx, &self.bytes),
        }
    }
}

type Step = for<'js> fn(Box<ReadFile>, &Ctx<'js>, FsDone<Vec<u8>>) -> Result<()>;

/// `(done, failed, path or descriptor, flags, prototype, signal)`: later calls `done(null, value)`, or `failed(done, outcome, syscall, path
/// or descriptor, signal)`.
pub(super) fn start<'js>(ctx: &Ctx<'js>, shared: &Rc<Shared>, kind: usize, values: &[Value<'js>]) -> Result<()> {
    let [done, failed, target, flags, prototype, signal] = values else { return Ok(()) };
    let object = |value: &Value<'js>| value.as_object().map(|object| Persistent::save(ctx, object.clone()));
    let mut reader = Box::new(ReadFile {
        done: Persistent::save(ctx, Function::from_js(ctx, done.clone())?),
        failed: Persistent::save(ctx, Function::from_js(ctx, failed.clone())?),
        target: Persistent::save(ctx, target.clone()),
        signal: object(signal),
        listed: Listed::new(shared, kind),
        fd: -1,
        own: false,
        progress: Progress::default(),
        prototype: object(prototype),
        outcome: None,
        thrown: None,
    });
    if let Some(fd) = target.as_int() {
        reader.fd = fd;
        return reader.fstat(ctx);
    }
    let open = FsOp::Open { path: path_of(ctx, target)?, flags: i32::from_js(ctx, flags.clone())?, mode: 0o666 };
    reader.submit(ctx, open, ReadFile::opened)
}

impl ReadFile {
    fn submit(self: Box<Self>, ctx: &Ctx<'_>, operation: FsOp<Vec<u8>>, step: Step) -> Result<()> {
        let in_pool = descriptors::InPool::new();
        state(ctx).core().fs(
            operation,
            Box::new(move |ctx, outcome| {
                drop(in_pool);
                match outcome {
                    Outcome::Fs(done) => step(self, ctx, done),
                    _ => Ok(()),
                }
            }),
        );
        Ok(())
    }

    /// Returns the outcome if the signal stops the operation. A getter of `signal` may run user code; if it throws, the file must still be
    /// closed.
    fn stopped(&mut self, ctx: &Ctx<'_>) -> Option<(i32, &'static str)> {
        let signal = self.signal.clone()?;
        let asked = signal.restore(ctx).and_then(|signal| signal.get::<_, Coerced<bool>>("aborted"));
        match asked {
            Ok(Coerced(true)) => Some(ABORTED),
            Ok(Coerced(false)) => None,
            Err(_) => {
                self.thrown = Some(Persistent::save(ctx, ctx.catch()));
                Some(THREW)
            }
        }
    }

    fn opened(mut self: Box<Self>, ctx: &Ctx<'_>, done: FsDone<Vec<u8>>) -> Result<()> {
        match done.result {
            Ok(FsValue::Fd(fd)) => {
                self.fd = fd.release();
                self.own = true;
                descriptors::moved(self.fd, true);
                self.fstat(ctx)
            }
            other => self.fail(ctx, other, "open"),
        }
    }

    fn fstat(mut self: Box<Self>, ctx: &Ctx<'_>) -> Result<()> {
        if let Some(outcome) = self.stopped(ctx) {
            return self.end(ctx, Some(outcome));
        }
        let fd = self.fd;
        self.submit(ctx, FsOp::Fstat { fd }, ReadFile::has_stat)
    }

    fn has_stat(mut self: Box<Self>, ctx: &Ctx<'_>, done: FsDone<Vec<u8>>) -> Result<()> {
        match done.result {
            Ok(FsValue::Stat(stat)) if self.progress.sized(stat.mode, stat.size) => self.read(ctx),
            Ok(FsValue::Stat(_)) => self.end(ctx, Some(TOO_LARGE)),
            other => self.fail(ctx, other, "fstat"),
        }
    }

    fn read(mut self: Box<Self>, ctx: &Ctx<'_>) -> Result<()> {
        if let Some(outcome) = self.stopped(ctx) {
            return self.end(ctx, Some(outcome));
        }
        let (fd, most) = (self.fd, self.progress.room());
        self.submit(ctx, FsOp::ReadNew { fd, most, offset: None }, ReadFile::was_read)
    }

    fn was_read(mut self: Box<Self>, ctx: &Ctx<'_>, done: FsDone<Vec<u8>>) -> Result<()> {
        match done.result {
            Ok(FsValue::Bytes(bytes)) => {
                if self.progress.took(bytes) {
                    self.end(ctx, None)
                } else {
                    self.read(ctx)
                }
            }
            other => self.fail(ctx, other, "read"),
        }
    }

    fn fail(self: Box<Self>, ctx: &Ctx<'_>, result: phasor_core::Result<FsValue>, call: &'static str) -> Result<()> {
        let errno = result.err().unwrap_or(Errno::UNKNOWN);
        self.end(ctx, Some((-errno.raw(), call)))
    }

    fn end(mut self: Box<Self>, ctx: &Ctx<'_>, outcome: Option<(i32, &'static str)>) -> Result<()> {
        self.outcome = outcome;
        if !self.own {
            return self.call_back(ctx);
        }
        let fd = self.fd;
        descriptors::moved(fd, false);
        self.listed.becomes_close();
        self.submit(ctx, FsOp::Close { fd }, |mut reader, ctx, done| {
            if let (Err(errno), None) = (done.result, reader.outcome) {
                reader.outcome = Some((-errno.raw(), "close"));
            }
            reader.call_back(ctx)
        })
    }

    fn call_back(self, ctx: &Ctx<'_>) -> Result<()> {
        state(ctx).drop_after_drain(self.listed);
        let done = self.done.restore(ctx)?;
        let size = self.progress.size as f64;
        let outcome = match self.outcome {
            None => {
                let prototype = self.prototype.map(|prototype| prototype.restore(ctx)).transpose()?;
                match self.progress.value(ctx, prototype.as_ref()) {
                    Ok(value) => return done.call((Value::new_null(ctx.clone()), value)),
                    // The string is too long, or allocation failed.
                    Err(_) => (UNMADE.0, ctx.catch()),
                }
            }
            Some(THREW) => {
                let thrown = self.thrown.map(|thrown| thrown.restore(ctx)).transpose()?;
                (THREW.0, thrown.unwrap_or_else(|| Value::new_undefined(ctx.clone())))
            }
            Some(TOO_LARGE) => (TOO_LARGE.0, Value::new_number(ctx.clone(), size)),
            Some((number, call)) => (number, string_from_str(ctx, call)?),
        };
        let signal = self.signal.map(|signal| signal.restore(ctx)).transpose()?;
        self.failed.restore(ctx)?.call((done, outcome.0, outcome.1, self.target.restore(ctx)?, signal))
    }
}

/// `fs.readFileSync`: returns the value or `[outcome, syscall]`. Without a buffer prototype the result is a string.
pub(super) fn sync<'js>(ctx: Ctx<'js>, target: Value<'js>, flags: i32, prototype: Value<'js>) -> Result<Value<'js>> {
    let mut progress = Progress::default();
    let ended = match target.as_int() {
        Some(fd) => read_all(fd, &mut progress),
        None => {
            let path = path_of(&ctx, &target)?;
            match run(FsOp::Open { path, flags, mode: 0o666 }).result {
                Ok(FsValue::Fd(fd)) => {
                    let fd = fd.release();
                    let ended = read_all(fd, &mut progress);
                    let closed = run(FsOp::Close { fd }).result;
                    ended.and(closed.map(|_| ()).map_err(|errno| (-errno.raw(), "close")))
                }
                other => Err((-other.err().unwrap_or(Errno::UNKNOWN).raw(), "open")),
            }
        }
    };
    let size = progress.size as f64;
    let (number, call) = match ended.map(|()| progress.value(&ctx, prototype.as_object())) {
        Ok(Ok(value)) => return Ok(value),
        Ok(Err(_)) => (Value::new_int(ctx.clone(), UNMADE.0), ctx.catch()),
        Err(TOO_LARGE) => (Value::new_int(ctx.clone(), TOO_LARGE.0), Value::new_number(ctx.clone(), size)),
        Err((number, call)) => (failure(&ctx, Errno::from_raw(-number)), string_from_str(&ctx, call)?),
    };
    let both = rquickjs::Array::new(ctx)?;
    both.set(0, number)?;
    both.set(1, call)?;
    Ok(both.into_value())
}

/// Runs an operation synchronously. Fixes the buffer type, which not every variant of `FsOp` determines.
fn run(operation: FsOp<Vec<u8>>) -> FsDone<Vec<u8>> {
    operation.run()
}

fn read_all(fd: i32, progress: &mut Progress) -> std::result::Result<(), (i32, &'static str)> {
    let failed = |call| move |errno: Errno| (-errno.raw(), call);
    let stat = file::fstat(fd).map_err(failed("fstat"))?;
    if !progress.sized(stat.mode, stat.size) {
        return Err(TOO_LARGE);
    }
    loop {
        let room = if progress.size == 0 { UNKNOWN_BYTES } else { progress.size - progress.bytes.len() };
        let mut bytes = Vec::new();
        file::read_more(fd, &mut bytes, room, None).map_err(failed("read"))?;
        if progress.took(bytes) {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_known_size_is_read_in_chunks_and_no_further() {
        let mut progress = Progress::default();
        assert!(progress.sized(0o100_644, CHUNK_BYTES as u64 + 5));
        assert_eq!(progress.room(), CHUNK_BYTES);
        assert!(!progress.took(vec![1; CHUNK_BYTES]));
        assert_eq!(progress.room(), 5);
        assert!(progress.took(vec![2; 5]));
        assert_eq!((progress.bytes.len(), progress.bytes[CHUNK_BYTES]), (CHUNK_BYTES + 5, 2));
    }

    #[test]
    fn file_of_unknown_size_is_read_until_an_empty_read() {
        let mut progress = Progress::default();
        assert!(progress.sized(0o010_644, 77));
        assert_eq!(progress.room(), UNKNOWN_BYTES);
        assert!(!progress.took(vec![3; 4]));
        assert!(progress.took(vec![0; 0]));
        assert_eq!(progress.bytes, [3; 4]);
    }

    #[test]
    fn shrunk_file_ends_early_and_too_large_file_is_refused() {
        let mut progress = Progress::default();
        assert!(progress.sized(0o100_644, 10));
        assert!(!progress.took(vec![4; 6]));
        assert!(progress.took(vec![0; 0]));
        assert_eq!(progress.bytes.len(), 6);
        assert!(!Progress::default().sized(0o100_644, MAX_BYTES + 1));
    }

    #[test]
    fn empty_file_keeps_no_capacity() {
        let mut progress = Progress::default();
        assert!(progress.sized(0o100_644, 0));
        assert!(progress.took(Vec::with_capacity(UNKNOWN_BYTES)));
        assert_eq!(progress.bytes.capacity(), 0);
    }
}
