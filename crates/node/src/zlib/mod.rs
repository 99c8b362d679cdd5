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

use phasor_js::bytes::{Bytes, Text, string_from_str};
use phasor_js::state;
use rquickjs::function::{Args, Rest};
use rquickjs::{Array, ArrayBuffer, Ctx, Exception, FromJs, Function, Object, Persistent, Result, Value};

use self::brotli::{Decoder, Encoder};
use self::engine::{Engine, Failure, Step, Zlib, ZlibOptions};
use self::zstd::{Compressor, Decompressor};

/// Creates the object of native functions.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    define_natives! { ctx, native, "zlib" => zlib, "brotli" => brotli, "zstd" => zstd, "crc32" => crc32 }
    Ok(native)
}

/// `(data, value)`: the CRC-32, starting from `value`.
fn crc32<'js>(ctx: Ctx<'js>, data: Value<'js>, start: f64) -> Result<f64> {
    let start = start as u32;
    if data.is_string() {
        let text = Text::from_js(&ctx, data)?;
        return Ok(phasor_sys::zlib::crc32(start, text.to_utf8().as_bytes()).into());
    }
    Ok(Bytes::from_js(&ctx, data)?.read(move |bytes| phasor_sys::zlib::crc32(start, bytes)).into())
}

fn bytes_or_none<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Vec<u8>> {
    if value.is_undefined() {
        return Ok(Vec::new());
    }
    Ok(Bytes::from_js(ctx, value)?.read(<[u8]>::to_vec))
}

/// `(mode, windowBits, level, memLevel, strategy, dictionary)`: creates a stream.
fn zlib<'js>(
    ctx: Ctx<'js>,
    mode: i32,
    window_bits: f64,
    level: f64,
    mem_level: f64,
    strategy: f64,
    dictionary: Value<'js>,
) -> Result<Function<'js>> {
    let options = ZlibOptions {
        mode,
        level: level as i32,
        window_bits: window_bits as i32,
        mem_level: mem_level as i32,
        strategy: strategy as i32,
        dictionary: bytes_or_none(&ctx, dictionary)?,
    };
    streaming(&ctx, Engine::Zlib(Zlib::new(options)))
}

/// Applies a flat list of parameter numbers and values. Returns false at the first invalid one.
fn set_all(params: &[f64], mut set: impl FnMut(u32, u32) -> bool) -> bool {
    params.chunks_exact(2).all(|pair| set(pair[0] as u32, pair[1] as i64 as u32))
}

/// `(compresses, params)`: creates a stream, or returns the name of the failed operation.
fn brotli<'js>(ctx: Ctx<'js>, compresses: bool, params: Vec<f64>) -> Result<Value<'js>> {
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
        return string_from_str(&ctx, "Initialization failed");
    }
    Ok(streaming(&ctx, engine)?.into_value())
}

/// `(compresses, params, pledged, dictionary)`: creates a stream, or returns the name of the failed operation. A negative `pledged` means
/// an unknown source size.
fn zstd<'js>(
    ctx: Ctx<'js>,
    compresses: bool,
    params: Vec<f64>,
    pledged: f64,
    dictionary: Value<'js>,
) -> Result<Value<'js>> {
    let dictionary = bytes_or_none(&ctx, dictionary)?;
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
        Ok(engine) => Ok(streaming(&ctx, engine)?.into_value()),
        Err(message) => string_from_str(&ctx, message),
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
    /// How many bytes of `input` are consumed.
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

fn streaming<'js>(ctx: &Ctx<'js>, engine: Engine) -> Result<Function<'js>> {
    let job = Job { engine, input: Vec::new(), at: 0, output: Vec::new(), flush: 0, room: 0, step: Step::default() };
    let stream = Rc::new(StreamState { job: RefCell::new(Some(Box::new(job))), closed: Arc::default() });
    Function::new(ctx.clone(), move |ctx: Ctx<'js>, operation: i32, values: Rest<Value<'js>>| -> Result<Value<'js>> {
        if operation == CLOSE {
            stream.closed.store(true, Relaxed);
            drop(stream.job.take());
            return Ok(Value::new_undefined(ctx));
        }
        let Some(mut job) = stream.job.take() else {
            let words = if operation == RESET {
                "Cannot reset zlib stream while a write is in progress"
            } else {
                "write already in progress"
            };
            return Err(Exception::throw_message(&ctx, words));
        };
        let value = |at: usize| values.get(at).cloned().unwrap_or_else(|| Value::new_undefined(ctx.clone()));
        let number = |at: usize| f64::from_js(&ctx, value(at));
        match operation {
            WRITE => write(&ctx, &stream, job, &values),
            ALL => {
                let (flush, chunk_bytes, limit_bytes) = (number(0)? as i32, number(2)? as usize, number(3)?);
                let input = Bytes::from_js(&ctx, value(1))?;
                let answer = input.read(|input| all(&mut job.engine, input, flush, chunk_bytes, limit_bytes));
                stream.put_back(job);
                output_value(&ctx, answer)
            }
            STEP => {
                (job.flush, job.room) = (number(0)? as i32, number(2)? as usize);
                (job.input, job.at) = (Bytes::from_js(&ctx, value(1))?.read(<[u8]>::to_vec), 0);
                job.run();
                let values = step_values(&ctx, &mut job)?;
                stream.put_back(job);
                Ok(values.into_value())
            }
            _ => {
                let failure = if operation == PARAMS {
                    job.engine.params(number(0)? as i32, number(1)? as i32)
                } else {
                    job.engine.reset()
                };
                stream.put_back(job);
                match failure {
                    Some(failure) => Ok(failure_values(&ctx, &failure)?.into_value()),
                    None => Ok(Value::new_undefined(ctx)),
                }
            }
        }
    })
}

/// `(flush, chunk, room, done)`: runs a step on the pool, then calls `done(output, room left, input left)`. Without a chunk it continues
/// with the rest of the last one.
fn write<'js>(
    ctx: &Ctx<'js>,
    stream: &Rc<StreamState>,
    mut job: Box<Job>,
    values: &[Value<'js>],
) -> Result<Value<'js>> {
    let [flush, chunk, room, done] = values else { return Err(Exception::throw_type(ctx, "four arguments")) };
    job.flush = f64::from_js(ctx, flush.clone())? as i32;
    job.room = f64::from_js(ctx, room.clone())? as usize;
    if !chunk.is_undefined() {
        job.input = Bytes::from_js(ctx, chunk.clone())?.read(<[u8]>::to_vec);
        job.at = 0;
    }
    let done = Persistent::save(ctx, Function::from_js(ctx, done.clone())?);
    let slot = Arc::new(Mutex::new(None::<Box<Job>>));
    let (result, stream, closed) = (slot.clone(), stream.clone(), stream.closed.clone());
    state(ctx).core().work(
        move || {
            if !closed.load(Relaxed) {
                job.run();
            }
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(job);
        },
        Box::new(move |ctx, _| {
            let done = done.restore(ctx)?;
            let ended = result.lock().unwrap_or_else(PoisonError::into_inner).take();
            let mut args = Args::new(ctx.clone(), 4);
            let values = match ended {
                Some(mut job) => {
                    let values = step_values(ctx, &mut job)?;
                    stream.put_back(job);
                    values
                }
                None => failure_values(ctx, &no_memory())?,
            };
            args.push_args(values.iter::<Value>().flatten())?;
            done.call_arg(args)
        }),
    );
    Ok(Value::new_undefined(ctx.clone()))
}

/// The values that a step reports: output, room left, input left.
fn step_values<'js>(ctx: &Ctx<'js>, job: &mut Job) -> Result<Array<'js>> {
    let step = std::mem::take(&mut job.step);
    if let Some(failure) = &step.failure {
        return failure_values(ctx, failure);
    }
    let array = Array::new(ctx.clone())?;
    array.set(0, ArrayBuffer::new_copy(ctx.clone(), &job.output[..step.produced])?)?;
    array.set(1, (job.room - step.produced) as f64)?;
    array.set(2, (job.input.len() - job.at) as f64)?;
    Ok(array)
}

/// The whole output and the number of input bytes used; `None` if the output exceeds the limit.
type WholeOutput = std::result::Result<Option<(Vec<u8>, usize)>, Failure>;

fn all(engine: &mut Engine, input: &[u8], flush: i32, chunk_bytes: usize, limit_bytes: f64) -> WholeOutput {
    let mut output = Vec::new();
    let (mut at, mut filled) = (0, 0_usize);
    loop {
        // The vector grows by doubling, but a step gets at most `chunk_bytes` of room: a step that fills its room means that more may
        // follow.
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
fn output_value<'js>(ctx: &Ctx<'js>, answer: WholeOutput) -> Result<Value<'js>> {
    match answer {
        Ok(Some((output, used))) => {
            let array = Array::new(ctx.clone())?;
            array.set(0, ArrayBuffer::new(ctx.clone(), output)?)?;
            array.set(1, used as f64)?;
            Ok(array.into_value())
        }
        Ok(None) => Ok(Value::new_bool(ctx.clone(), false)),
        Err(failure) => Ok(failure_values(ctx, &failure)?.into_value()),
    }
}

fn failure_values<'js>(ctx: &Ctx<'js>, failure: &Failure) -> Result<Array<'js>> {
    let array = Array::new(ctx.clone())?;
    array.set(0, Value::new_null(ctx.clone()))?;
    array.set(1, string_from_str(ctx, &failure.message)?)?;
    array.set(2, failure.errno)?;
    array.set(3, string_from_str(ctx, &failure.code)?)?;
    Ok(array)
}
