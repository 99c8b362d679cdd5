//! `fs.readFile`: open, fstat, read, close. As in Node (`lib/internal/fs/read/context.js: ReadFileContext`), each step is a separate pool
//! operation, so that the loop turns between them. JavaScript is called only at the end.

use std::ffi::CString;
use std::rc::Rc;

use phasor_core::{Errno, FsDone, FsOp, FsValue, Outcome, file};
use phasor_engine::{
    Arguments, Array, ErrorKind, Fallible, FromJs, Function, Global, IntoJs, JsString, Local, Object, Scope, Value,
};
use phasor_js::bytes::array_on;
use phasor_js::{About, JsFace, OnDone, ResourceId, shown_text, state};

use super::{Listed, Shared, descriptors, failure, path_of};

/// `kReadFileBufferLength` of `lib/internal/fs/utils.js`: bytes per read for a file of known size.
const CHUNK_BYTES: usize = 512 * 1024;
/// `kReadFileUnknownBufferLength` of `lib/internal/fs/utils.js`: bytes per read for a file of unknown size.
const UNKNOWN_BYTES: usize = 64 * 1024;
/// `kIoMaxLength` of `lib/internal/fs/utils.js`: larger files are refused.
const MAX_BYTES: u64 = (1 << 31) - 1;
/// `buffer.constants.MAX_STRING_LENGTH`: the engine's limit is higher.
const MAX_STRING_UNITS: usize = 0x1fff_ffe8;

/// Outcomes other than success, as number and failed system call. Errors of system calls are negative numbers. JavaScript gets the numbers
/// from [`outcomes`].
const ABORTED: (i32, &str) = (1, "");
const TOO_LARGE: (i32, &str) = (2, "");
/// Reading `signal.aborted` threw an exception.
const THREW: (i32, &str) = (3, "");
/// Creating the string or buffer from the bytes failed.
const UNMADE: (i32, &str) = (4, "");

/// The outcome numbers as an object for JavaScript.
pub(super) fn outcomes<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    let outcomes = Object::new(scope);
    outcomes.set(scope, "ABORTED", ABORTED.0)?;
    outcomes.set(scope, "TOO_LARGE", TOO_LARGE.0)?;
    outcomes.set(scope, "THREW", THREW.0)?;
    outcomes.set(scope, "UNMADE", UNMADE.0)?;
    Ok(outcomes)
}

/// The state of one `fs.readFile` call.
struct ReadFile {
    /// Called with `(null, value)` on success.
    done: Global<Function>,
    /// Called instead of `done` on failure.
    failed: Global<Function>,
    /// The path or descriptor argument.
    target: Global<Value>,
    /// The `AbortSignal`, checked before each step.
    signal: Option<Global<Object>>,
    /// Lists the request as active.
    listed: Listed,
    fd: i32,
    /// True if this call opened the file and has to close it.
    own: bool,
    progress: Progress,
    /// The prototype of the resulting buffer; without one the result is a string.
    prototype: Option<Global<Object>>,
    /// The failure that ended the operation; `None` on success.
    outcome: Option<(i32, &'static str)>,
    /// The exception that reading `signal.aborted` threw.
    thrown: Option<Global<Value>>,
    /// The stack of the call in a recording, or 0.
    stack: u32,
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

    /// The number of bytes to read next.
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

    fn value<'s>(self, scope: Scope<'s>, prototype: Option<Local<'_, Object>>) -> Fallible<Local<'s, Value>> {
        match prototype {
            Some(prototype) => array_on(scope, prototype, self.bytes),
            None => {
                let text = JsString::from_utf8_lossy(scope, &self.bytes)?;
                if text.len() > MAX_STRING_UNITS {
                    return Err(scope.throw_error(ErrorKind::RangeError, "Invalid string length"));
                }
                Ok(text.as_value())
            }
        }
    }
}

type Step = for<'s> fn(Box<ReadFile>, Scope<'s>, FsDone<Vec<u8>>) -> Fallible<()>;

/// `(done, failed, path or descriptor, flags, prototype, signal)`: later calls `done(null, value)`, or `failed(done, outcome, syscall, path
/// or descriptor, signal)`.
pub(super) fn start<'s>(scope: Scope<'s>, shared: &Rc<Shared>, kind: usize, values: Arguments<'s>) -> Fallible<()> {
    let [done, failed, target, flags, prototype, signal] = std::array::from_fn(|at| values.get(scope, at));
    let function = |value| Ok(Global::new(scope, Local::<Function>::from_js(scope, value)?));
    let object = |value: Local<'s, Value>| value.cast::<Object>().map(|object| Global::new(scope, object));
    let mut reader = Box::new(ReadFile {
        done: function(done)?,
        failed: function(failed)?,
        target: Global::new(scope, target),
        signal: object(signal),
        listed: Listed::new(shared, kind),
        fd: -1,
        own: false,
        progress: Progress::default(),
        prototype: object(prototype),
        outcome: None,
        thrown: None,
        stack: state(scope).recording().map_or(0, |recording| recording.stack(scope)),
    });
    if let Some(fd) = target.to_int32() {
        reader.fd = fd;
        return reader.fstat(scope);
    }
    let open = FsOp::Open { path: path_of(scope, target)?, flags: i32::from_js(scope, flags)?, mode: 0o666 };
    reader.submit(scope, open, ReadFile::opened)
}

/// The request of one step.
struct ReadFileRequest {
    reader: Box<ReadFile>,
    syscall: &'static str,
    in_pool: descriptors::InPool,
    step: Step,
}

impl OnDone for ReadFileRequest {
    fn on_done(self: Box<Self>, scope: Scope<'_>, outcome: Outcome<JsFace>) -> Fallible<()> {
        let ReadFileRequest { reader, in_pool, step, .. } = *self;
        drop(in_pool);
        match outcome {
            Outcome::Fs(done) => step(reader, scope, done),
            _ => Ok(()),
        }
    }

    fn describe<'s>(&self, scope: Scope<'s>, about: &mut About<'s>) {
        let reader = &self.reader;
        match reader.target.get(scope).to_int32() {
            Some(fd) => super::describe_operation(scope, about, "readFile", [], Some(fd)),
            None => super::describe_operation(scope, about, "readFile", [&reader.target], None),
        }
        about.entry.add(&format!("in {}", self.syscall));
        about.callback = Some(reader.done.get(scope));
    }
}

impl ReadFile {
    fn submit(self: Box<Self>, scope: Scope<'_>, operation: FsOp<Vec<u8>>, step: Step) -> Fallible<()> {
        let name = match operation {
            FsOp::Open { .. } => "readFile: open",
            FsOp::Fstat { .. } => "readFile: fstat",
            FsOp::Close { .. } => "readFile: close",
            _ => "readFile: read",
        };
        let in_pool = descriptors::InPool::new();
        let stack = self.stack;
        let request = ReadFileRequest { reader: self, syscall: operation.name(), in_pool, step };
        let request = state(scope).core().fs(operation, Box::new(request));
        if let Some(recording) = state(scope).recording() {
            // No JavaScript is on the stack of the later steps.
            recording.recorder().settle(stack);
            recording.recorder().describe(ResourceId::request(request), name);
        }
        Ok(())
    }

    /// Returns the outcome if the signal stops the operation. A getter of `signal` may run user code; if it throws, the file must still be
    /// closed.
    fn stopped(&mut self, scope: Scope<'_>) -> Option<(i32, &'static str)> {
        let signal = self.signal.as_ref()?.get(scope);
        match scope.try_catch(|| signal.get(scope, "aborted")) {
            Ok(aborted) => aborted.is_truthy().then_some(ABORTED),
            Err(thrown) => {
                self.thrown = thrown.map(|thrown| Global::new(scope, thrown));
                Some(THREW)
            }
        }
    }

    fn opened(mut self: Box<Self>, scope: Scope<'_>, done: FsDone<Vec<u8>>) -> Fallible<()> {
        match done.result {
            Ok(FsValue::Fd(fd)) => {
                self.fd = fd.release();
                self.own = true;
                descriptors::moved(self.fd, true);
                self.fstat(scope)
            }
            other => self.fail(scope, other, "open"),
        }
    }

    fn fstat(mut self: Box<Self>, scope: Scope<'_>) -> Fallible<()> {
        if let Some(outcome) = self.stopped(scope) {
            return self.end(scope, Some(outcome));
        }
        let fd = self.fd;
        self.submit(scope, FsOp::Fstat { fd }, ReadFile::has_stat)
    }

    fn has_stat(mut self: Box<Self>, scope: Scope<'_>, done: FsDone<Vec<u8>>) -> Fallible<()> {
        match done.result {
            Ok(FsValue::Stat(stat)) if self.progress.sized(stat.mode, stat.size) => self.read(scope),
            Ok(FsValue::Stat(_)) => self.end(scope, Some(TOO_LARGE)),
            other => self.fail(scope, other, "fstat"),
        }
    }

    fn read(mut self: Box<Self>, scope: Scope<'_>) -> Fallible<()> {
        if let Some(outcome) = self.stopped(scope) {
            return self.end(scope, Some(outcome));
        }
        let (fd, most) = (self.fd, self.progress.room());
        self.submit(scope, FsOp::ReadNew { fd, most, offset: None }, ReadFile::was_read)
    }

    fn was_read(mut self: Box<Self>, scope: Scope<'_>, done: FsDone<Vec<u8>>) -> Fallible<()> {
        match done.result {
            Ok(FsValue::Bytes(bytes)) => {
                if self.progress.took(bytes) {
                    self.end(scope, None)
                } else {
                    self.read(scope)
                }
            }
            other => self.fail(scope, other, "read"),
        }
    }

    fn fail(
        self: Box<Self>,
        scope: Scope<'_>,
        result: phasor_core::Result<FsValue>,
        call: &'static str,
    ) -> Fallible<()> {
        let errno = result.err().unwrap_or(Errno::UNKNOWN);
        self.end(scope, Some((-errno.raw(), call)))
    }

    fn end(mut self: Box<Self>, scope: Scope<'_>, outcome: Option<(i32, &'static str)>) -> Fallible<()> {
        self.outcome = outcome;
        if !self.own {
            return self.call_back(scope);
        }
        let fd = self.fd;
        descriptors::moved(fd, false);
        self.listed.becomes_close();
        self.submit(scope, FsOp::Close { fd }, |mut reader, scope, done| {
            if let (Err(errno), None) = (done.result, reader.outcome) {
                reader.outcome = Some((-errno.raw(), "close"));
            }
            reader.call_back(scope)
        })
    }

    fn call_back(self, scope: Scope<'_>) -> Fallible<()> {
        state(scope).drop_after_drain(self.listed);
        let done = self.done.get(scope);
        state(scope).locate(scope, done);
        let size = self.progress.size as f64;
        let (number, value) = match self.outcome {
            None => {
                let prototype = self.prototype.map(|prototype| prototype.get(scope));
                match scope.try_catch(|| self.progress.value(scope, prototype)) {
                    Ok(value) => {
                        done.call(scope, scope.undefined(), &[scope.null(), value])?;
                        return Ok(());
                    }
                    // The string is too long, or allocation failed.
                    Err(thrown) => (UNMADE.0, thrown.unwrap_or_else(|| scope.undefined())),
                }
            }
            Some(THREW) => (THREW.0, self.thrown.map_or_else(|| scope.undefined(), |thrown| thrown.get(scope))),
            Some(TOO_LARGE) => (TOO_LARGE.0, scope.number(size)),
            Some((number, call)) => (number, call.into_js(scope)?),
        };
        self.failed.get(scope).call_with(scope, (), (done, number, value, &self.target, self.signal.as_ref()))?;
        Ok(())
    }
}

/// `fs.readFileSync`: returns the value or `[outcome, syscall]`. Without a buffer prototype the result is a string.
pub(super) fn sync<'s>(
    scope: Scope<'s>,
    target: Local<'s, Value>,
    flags: i32,
    prototype: Option<Local<'s, Object>>,
) -> Fallible<Local<'s, Value>> {
    let mut progress = Progress::default();
    let ended = match target.to_int32() {
        Some(fd) => {
            let shown = || format!("descriptor {fd}");
            state(scope).blocking(scope, "readFile", shown, || read_all(fd, &mut progress))
        }
        None => {
            let path = path_of(scope, target)?;
            let shown = shown_text(path.to_bytes());
            state(scope).blocking(scope, "readFile", || shown, || read_path(path, flags, &mut progress))
        }
    };
    let size = progress.size as f64;
    let both = match ended {
        Ok(()) => match scope.try_catch(|| progress.value(scope, prototype)) {
            Ok(value) => return Ok(value),
            Err(Some(thrown)) => [scope.number(UNMADE.0), thrown],
            Err(None) => return Err(scope.terminate()),
        },
        Err(TOO_LARGE) => [scope.number(TOO_LARGE.0), scope.number(size)],
        Err((number, call)) => [failure(scope, Errno::from_raw(-number)), call.into_js(scope)?],
    };
    Ok(Array::new(scope, &both)?.as_value())
}

/// Opens a file, reads all of it and closes it.
fn read_path(path: CString, flags: i32, progress: &mut Progress) -> Result<(), (i32, &'static str)> {
    match run(FsOp::Open { path, flags, mode: 0o666 }).result {
        Ok(FsValue::Fd(fd)) => {
            let fd = fd.release();
            let ended = read_all(fd, progress);
            let closed = run(FsOp::Close { fd }).result;
            ended.and(closed.map(|_| ()).map_err(|errno| (-errno.raw(), "close")))
        }
        other => Err((-other.err().unwrap_or(Errno::UNKNOWN).raw(), "open")),
    }
}

/// Runs an operation synchronously. Fixes the buffer type, which not every variant of `FsOp` determines.
fn run(operation: FsOp<Vec<u8>>) -> FsDone<Vec<u8>> {
    operation.run()
}

fn read_all(fd: i32, progress: &mut Progress) -> Result<(), (i32, &'static str)> {
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
