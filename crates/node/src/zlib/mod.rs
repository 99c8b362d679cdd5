//! Native functions of `zlib`. A stream is a closure `(operation, …)`: steps on the pool or synchronously, parameters, reset and close.
//! JavaScript validates the arguments.
//!
//! A failure is an array, or a call of the callback, that starts with null, followed by Node's message, errno and code.

mod brotli;
mod engine;
mod zstd;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use phasor_core::Outcome;
use phasor_engine::{
    Arguments, Array, ArrayBuffer, Bytes, ErrorKind, Fallible, FromJs, Function, Global, IntoJs, Local, Object, Scope,
    Value, define_natives,
};
use phasor_js::{About, JsFace, OnDone, state};

use self::brotli::{Decoder, Encoder};
use self::engine::{Engine, Failure, Step, Zlib, ZlibOptions};
use self::zstd::{Compressor, Decompressor};

/// Creates the object of native functions.
pub fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    let native = Object::new(scope);
    define_natives!(scope, native, "zlib" => zlib, "brotli" => brotli, "zstd" => zstd, "crc32" => crc32);
    Ok(native)
}

/// `(data, value)`: the CRC-32, starting from `value`.
fn crc32<'s>(scope: Scope<'s>, data: Local<'s, Value>, start: f64) -> Fallible<u32> {
    let start = start as u32;
    match Bytes::of(data) {
        Some(bytes) => Ok(bytes.read(|bytes| phasor_sys::zlib::crc32(start, bytes))),
        None => Ok(phasor_sys::zlib::crc32(start, String::from_js(scope, data)?.as_bytes())),
    }
}

fn bytes_or_none(bytes: Option<Bytes<'_>>) -> Vec<u8> {
    bytes.map_or_else(Vec::new, Bytes::to_vec)
}

/// `(mode, windowBits, level, memLevel, strategy, dictionary)`: creates a stream.
fn zlib<'s>(
    scope: Scope<'s>,
    mode: i32,
    window_bits: f64,
    level: f64,
    mem_level: f64,
    strategy: f64,
    dictionary: Option<Bytes<'s>>,
) -> Fallible<Local<'s, Function>> {
    let options = ZlibOptions {
        mode,
        level: level as i32,
        window_bits: window_bits as i32,
        mem_level: mem_level as i32,
        strategy: strategy as i32,
        dictionary: bytes_or_none(dictionary),
    };
    streaming(scope, Engine::Zlib(Zlib::new(options)))
}

/// Applies a flat list of parameter numbers and values. Returns false at the first invalid one.
fn set_all(params: &[f64], mut set: impl FnMut(u32, u32) -> bool) -> bool {
    params.chunks_exact(2).all(|pair| set(pair[0] as u32, pair[1] as i64 as u32))
}

/// `(compresses, params)`: creates a stream, or returns the name of the failed operation.
fn brotli<'s>(scope: Scope<'s>, compresses: bool, params: Vec<f64>) -> Fallible<Local<'s, Value>> {
    let (engine, is_well) = if compresses {
        let mut encoder = Encoder::new();
        let is_well = set_all(&params, |key, value| encoder.set(key, value));
        (Engine::BrotliEncode(Box::new(encoder)), is_well)
    } else {
        let mut decoder = Decoder::new();
        let is_well = set_all(&params, |key, value| decoder.set(key, value));
        (Engine::BrotliDecode(Box::new(decoder)), is_well)
    };
    if !is_well {
        return "Initialization failed".into_js(scope);
    }
    Ok(streaming(scope, engine)?.as_value())
}

/// `(compresses, params, pledged, dictionary)`: creates a stream, or returns the name of the failed operation. A negative `pledged` means
/// an unknown source size.
fn zstd<'s>(
    scope: Scope<'s>,
    compresses: bool,
    params: Vec<f64>,
    pledged: f64,
    dictionary: Option<Bytes<'s>>,
) -> Fallible<Local<'s, Value>> {
    let dictionary = bytes_or_none(dictionary);
    let refused = "Setting parameter failed";
    let made = if compresses {
        let pledged_bytes = (pledged >= 0.0).then_some(pledged as u64);
        Compressor::new(&dictionary, pledged_bytes).and_then(|mut compressor| {
            let is_well = set_all(&params, |key, value| compressor.set(key, value));
            if is_well { Ok(Engine::ZstdCompress(compressor)) } else { Err(refused) }
        })
    } else {
        Decompressor::new(&dictionary).and_then(|mut decompressor| {
            let is_well = set_all(&params, |key, value| decompressor.set(key, value));
            if is_well { Ok(Engine::ZstdDecompress(decompressor)) } else { Err(refused) }
        })
    };
    match made {
        Ok(engine) => Ok(streaming(scope, engine)?.as_value()),
        Err(message) => message.into_js(scope),
    }
}

/// Operations of a stream: the first argument of its closure.
const WRITE: i32 = 0;
const ALL: i32 = 1;
const RESET: i32 = 2;
const PARAMS: i32 = 3;
const CLOSE: i32 = 4;
const STEP: i32 = 5;

/// The state that moves to the pool and back. It owns its bytes, because scripts may change or detach their buffers meanwhile.
struct Job {
    engine: Engine,
    input: Vec<u8>,
    /// The number of consumed bytes of `input`.
    at: usize,
    output: Vec<u8>,
    flush: i32,
    /// The output space of the next step.
    room: usize,
    /// The result of the last step.
    step: Step,
}

impl Job {
    fn run(&mut self) {
        if !self.has_room() {
            self.step = Step { failure: Some(no_memory()), ..Step::default() };
            return;
        }
        self.step = self.engine.step(&self.input[self.at..], &mut self.output[..self.room], self.flush);
        self.at += self.step.consumed;
    }

    fn has_room(&mut self) -> bool {
        let more = self.room.saturating_sub(self.output.len());
        if self.output.try_reserve_exact(more).is_err() {
            return false;
        }
        self.output.resize(self.output.len() + more, 0);
        true
    }
}

fn no_memory() -> Failure {
    Failure::new("out of memory", "Z_MEM_ERROR", -4)
}

/// The state behind a stream's closure.
struct StreamState {
    /// `None` while the pool works on it.
    job: RefCell<Option<Box<Job>>>,
    /// Shared with the pool: a job that is still queued when the stream is closed does nothing.
    closed: Arc<AtomicBool>,
}

impl StreamState {
    fn put_back(&self, mut job: Box<Job>) {
        if self.closed.load(Relaxed) {
            return;
        }
        if job.at == job.input.len() {
            (job.input, job.at) = (Vec::new(), 0);
        }
        self.job.replace(Some(job));
    }
}

fn streaming<'s>(scope: Scope<'s>, engine: Engine) -> Fallible<Local<'s, Function>> {
    let job = Job { engine, input: Vec::new(), at: 0, output: Vec::new(), flush: 0, room: 0, step: Step::default() };
    let stream = Rc::new(StreamState { job: RefCell::new(Some(Box::new(job))), closed: Arc::default() });
    Function::new(scope, "", 1, move |scope, arguments| operate(scope, &stream, arguments))
}

/// One operation of a stream: `(operation, …)`.
fn operate<'s>(scope: Scope<'s>, stream: &Rc<StreamState>, arguments: Arguments<'s>) -> Fallible<Local<'s, Value>> {
    let operation = i32::from_js(scope, arguments.get(scope, 0))?;
    if operation == CLOSE {
        stream.closed.store(true, Relaxed);
        let job = stream.job.take();
        drop(job);
        return Ok(scope.undefined());
    }
    let Some(mut job) = stream.job.take() else {
        let words = if operation == RESET {
            "Cannot reset zlib stream while a write is in progress"
        } else {
            "write already in progress"
        };
        return Err(scope.throw_error(ErrorKind::Error, words));
    };
    let value = |at: usize| arguments.get(scope, at + 1);
    let number = |at: usize| f64::from_js(scope, value(at));
    match operation {
        WRITE => write(scope, stream, job, [value(0), value(1), value(2), value(3)]),
        ALL => {
            let (flush, chunk_bytes, limit_bytes) = (number(0)? as i32, number(2)? as usize, number(3)?);
            let input = Bytes::from_js(scope, value(1))?;
            let (name, shown) = (job.engine.function(), || format!("{} bytes", input.len()));
            let work = || input.read(|input| all(&mut job.engine, input, flush, chunk_bytes, limit_bytes));
            let answer = state(scope).blocking(scope, name, shown, work);
            stream.put_back(job);
            output_value(scope, answer)
        }
        STEP => {
            (job.flush, job.room) = (number(0)? as i32, number(2)? as usize);
            (job.input, job.at) = (Bytes::from_js(scope, value(1))?.to_vec(), 0);
            let (name, shown) = (job.engine.function(), format!("{} bytes", job.input.len()));
            state(scope).blocking(scope, name, || shown, || job.run());
            let values = step_values(scope, &mut job)?;
            stream.put_back(job);
            values.into_js(scope)
        }
        _ => {
            let failure = if operation == PARAMS {
                job.engine.params(number(0)? as i32, number(1)? as i32)
            } else {
                job.engine.reset()
            };
            stream.put_back(job);
            match failure {
                Some(failure) => failure_values(scope, &failure)?.into_js(scope),
                None => Ok(scope.undefined()),
            }
        }
    }
}

/// `(flush, chunk, room, done)`: runs a step on the pool, then calls `done(output, room left, input left)`. Without a chunk it continues
/// with the rest of the last one.
fn write<'s>(
    scope: Scope<'s>,
    stream: &Rc<StreamState>,
    mut job: Box<Job>,
    [flush, chunk, room, done]: [Local<'s, Value>; 4],
) -> Fallible<Local<'s, Value>> {
    job.flush = f64::from_js(scope, flush)? as i32;
    job.room = f64::from_js(scope, room)? as usize;
    if let Some(chunk) = Option::<Bytes<'s>>::from_js(scope, chunk)? {
        (job.input, job.at) = (chunk.to_vec(), 0);
    }
    let done = Global::new(scope, Local::<Function>::from_js(scope, done)?);
    let slot = Arc::new(Mutex::new(None::<Box<Job>>));
    let (result, stream, closed) = (slot.clone(), stream.clone(), stream.closed.clone());
    state(scope).core().work(
        move || {
            if !closed.load(Relaxed) {
                job.run();
            }
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(job);
        },
        Box::new(StepRequest { done, result, stream }),
    );
    Ok(scope.undefined())
}

/// A step on the pool.
struct StepRequest {
    done: Global<Function>,
    result: Arc<Mutex<Option<Box<Job>>>>,
    stream: Rc<StreamState>,
}

impl OnDone for StepRequest {
    fn on_done(self: Box<Self>, scope: Scope<'_>, _outcome: Outcome<JsFace>) -> Fallible<()> {
        let done = self.done.get(scope);
        let ended = self.result.lock().unwrap_or_else(PoisonError::into_inner).take();
        let values = match ended {
            Some(mut job) => {
                let values = step_values(scope, &mut job)?;
                self.stream.put_back(job);
                values
            }
            None => failure_values(scope, &no_memory())?,
        };
        done.call(scope, scope.undefined(), &values)?;
        Ok(())
    }

    fn describe<'s>(&self, scope: Scope<'s>, about: &mut About<'s>) {
        about.entry.kind = "zlib request".into();
        about.callback = Some(self.done.get(scope));
    }
}

/// The values that a step reports: output, room left, input left.
fn step_values<'s>(scope: Scope<'s>, job: &mut Job) -> Fallible<Vec<Local<'s, Value>>> {
    let step = std::mem::take(&mut job.step);
    if let Some(failure) = &step.failure {
        return failure_values(scope, failure);
    }
    let output = ArrayBuffer::copy_of(scope, &job.output[..step.produced])?;
    let left = [job.room - step.produced, job.input.len() - job.at].map(|left| scope.number(left as f64));
    Ok(vec![output.as_value(), left[0], left[1]])
}

/// The whole output and the number of input bytes used; `None` if the output exceeds the limit.
type WholeOutput = Result<Option<(Vec<u8>, usize)>, Failure>;

fn all(engine: &mut Engine, input: &[u8], flush: i32, chunk_bytes: usize, limit_bytes: f64) -> WholeOutput {
    let mut output = Vec::new();
    let (mut at, mut filled) = (0, 0_usize);
    loop {
        // The vector grows by doubling, but a step gets at most `chunk_bytes` of room. If a step fills its room, more output may follow.
        output.try_reserve(chunk_bytes).map_err(|_| no_memory())?;
        output.resize(filled + chunk_bytes, 0);
        let step = engine.step(&input[at..], &mut output[filled..], flush);
        if let Some(failure) = step.failure {
            return Err(failure);
        }
        at += step.consumed;
        filled += step.produced;
        if filled as f64 > limit_bytes {
            return Ok(None);
        }
        if filled < output.len() {
            output.truncate(filled);
            output.shrink_to_fit();
            return Ok(Some((output, at)));
        }
    }
}

/// `[output, used input bytes]`, or false if the output exceeds the limit.
fn output_value<'s>(scope: Scope<'s>, answer: WholeOutput) -> Fallible<Local<'s, Value>> {
    match answer {
        Ok(Some((output, used))) => {
            let values = [ArrayBuffer::from_vec(scope, output)?.as_value(), scope.number(used as f64)];
            Ok(Array::new(scope, &values)?.as_value())
        }
        Ok(None) => Ok(scope.boolean(false)),
        Err(failure) => failure_values(scope, &failure)?.into_js(scope),
    }
}

/// A failure as a list for JavaScript: null, then Node's message, errno and code.
fn failure_values<'s>(scope: Scope<'s>, failure: &Failure) -> Fallible<Vec<Local<'s, Value>>> {
    Ok(vec![
        scope.null(),
        failure.message.as_ref().into_js(scope)?,
        failure.errno.into_js(scope)?,
        failure.code.as_ref().into_js(scope)?,
    ])
}
