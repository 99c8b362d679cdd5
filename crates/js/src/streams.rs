//! Native steps of Node's streams: `write`, `push`, `read` and the callbacks that they queue as ticks. Each chunk
//! passes several of them, and each step reads many properties of the stream's state.
//!
//! The JavaScript in `phasor-node` defines the semantics: a step changes the same properties, and calls every method by
//! its name. Each step is created with its slow path, a JavaScript function that handles every case. `write`,
//! `onwrite`, `push` and `read` call it for uncommon states, before they change anything. The other steps handle every
//! case themselves. If fast paths are off, no step is created, and JavaScript uses the slow paths.
//!
//! # Safety
//! The engine calls a step with live values: `this`, the arguments, and the functions of the step's data. A stream's
//! state is held while a script may run; a borrowed value is not used after that. `Known` is only used by its own host;
//! JavaScript keeps its functions and objects alive.
#![allow(unsafe_code)]

mod bits;
mod readable;
mod transform;
mod writable;

use std::cell::{Cell, RefCell};
use std::ffi::CStr;
use std::os::raw::c_int;
use std::rc::Rc;

use rquickjs::{Ctx, Error, Function, Object, Result, Value, qjs};

pub use self::bits::{READABLE_BITS, WRITABLE_BITS};
use crate::engine::{EnginePatch, engine_patch};
use crate::fast_paths;
use crate::keys::{Key, Plain};
use crate::raw::{self, Held, Raw, RawCtx};
use crate::ticks::queue_tick;

crate::keys! {
    /// The properties, by Node's names or by the symbols that JavaScript gives.
    struct Keys;
    awaits: "awaitDrainWriters",
    buffer: "buffer",
    callback: "callback",
    clear: "clear",
    count: "count",
    emit: "emit",
    held: "kCallback",
    index: "bufferIndex",
    length: "length",
    most: "highWaterMark",
    next_tick: "nextTick",
    on_write: "onwrite",
    pending: "pendingcb",
    push: "push",
    read: "read",
    readable: "_readableState",
    state: "kState",
    tick_info: "kAfterWriteTickInfoValue",
    to_read: "_read",
    to_transform: "_transform",
    to_write: "_write",
    writable: "_writableState",
    write_callback: "kWriteCbValue",
    write_length: "writelen",
}

crate::keys! {
    /// What events and an encoding are called.
    struct Names;
    bytes: "buffer",
    data: "data",
    drain: "drain",
    pause: "pause",
    readable: "readable",
    resume: "resume",
}

/// What the steps know.
struct Known {
    /// The realm that streams are of, whichever they are called from.
    realm: RawCtx,
    keys: Keys,
    names: Names,
    process: Raw,
    /// What buffers inherit from.
    bytes: usize,
    /// Stands for a callback that was not given.
    no_callback: usize,
    /// The functions that were made of the steps.
    made: [Cell<Raw>; STEPS.len()],
}

thread_local! {
    /// Set when streams are loaded.
    static KNOWN: RefCell<Option<Rc<Known>>> = const { RefCell::new(None) };
}

/// A call threw.
struct Thrown;
type Outcome<T = ()> = std::result::Result<T, Thrown>;
/// What a step returns, or nothing where it leaves all to JavaScript.
type Done = Outcome<Option<Raw>>;

/// What a step is called with.
struct Call<'a> {
    ctx: RawCtx,
    runtime: *mut qjs::JSRuntime,
    added: Option<&'static EnginePatch>,
    known: &'a Known,
    this: Raw,
    args: &'a [Raw],
    /// The functions that the step was made with, or other values.
    with: *mut Raw,
}

/// A step: what it does, what its function is called, how many arguments that says to have, and how many functions it is made with.
struct Step {
    run: fn(&Call<'_>) -> Done,
    shown: &'static CStr,
    length: c_int,
    with: usize,
}

macro_rules! steps {
    ($($step:ident, $name:literal: $run:path, $shown:literal, $length:literal, $with:literal;)*) => {
        /// The steps.
        #[derive(Clone, Copy)]
        enum Which { $($step,)* }

        const STEPS: &[Step] = &[$(Step { run: $run, shown: $shown, length: $length, with: $with },)*];

        impl Which {
            /// The one that JavaScript calls so.
            fn of(name: &str) -> Option<Which> {
                match name {
                    $($name => Some(Which::$step),)*
                    _ => None,
                }
            }
        }
    };
}

steps! {
    Write, "write": writable::write, c"", 3, 1;
    OnWrite, "onwrite": writable::on_write, c"onwrite", 2, 2;
    AfterWrite, "afterWrite": writable::after_write, c"afterWrite", 4, 2;
    Push, "push": readable::push, c"", 2, 1;
    Read, "read": readable::read, c"", 1, 4;
    ReadMore, "readMore": readable::read_more, c"readMore", 2, 1;
    EmitReadable, "emitReadable": readable::emit_readable, c"emitReadable", 1, 1;
    Resume, "resume": readable::resume, c"", 0, 1;
    Resumed, "resumed": readable::resumed, c"resumed", 2, 1;
    Pause, "pause": readable::pause, c"", 0, 1;
    Transform, "transform": transform::write, c"", 3, 1;
    Transformed, "transformed": transform::transformed, c"", 2, 4;
    Release, "release": transform::read, c"", 0, 1;
    PassOn, "passOn": transform::pass_on, c"", 3, 1;
}

/// Tells the steps of what there is: the symbols by their names, `process`, what buffers inherit from, and the function that stands for
/// no callback. JavaScript keeps them.
pub fn know<'js>(
    symbols: &Object<'js>,
    process: &Object<'js>,
    bytes: &Object<'js>,
    no_callback: &Object<'js>,
) -> Result<()> {
    let ctx = symbols.ctx();
    let address = |object: &Object<'js>| raw::object_address(object.as_value().as_raw());
    let known = Known {
        realm: ctx.as_raw().as_ptr(),
        keys: Keys::new(ctx, symbols)?,
        names: Names::new(ctx, symbols)?,
        process: process.as_value().as_raw(),
        bytes: address(bytes),
        no_callback: address(no_callback),
        made: [const { Cell::new(qjs::JS_UNDEFINED) }; STEPS.len()],
    };
    KNOWN.set(Some(Rc::new(known)));
    Ok(())
}

/// Makes the function of the step `name`. `with` is its slow path, then the other functions that it calls. JavaScript keeps the
/// function. `None` if fast paths are off, or if `with` has not as many functions as the step takes.
pub fn step_function<'js>(ctx: &Ctx<'js>, name: &str, with: &[Function<'js>]) -> Result<Option<Value<'js>>> {
    if !fast_paths::are_enabled() {
        return Ok(None);
    }
    let (Some(which), Some(known)) = (Which::of(name), KNOWN.with_borrow(Option::clone)) else { return Ok(None) };
    if with.len() != STEPS[which as usize].with {
        return Ok(None);
    }
    let mut data: Vec<Raw> = with.iter().map(|function| function.as_value().as_raw()).collect();
    let made = made(ctx.as_raw().as_ptr(), which, &mut data);
    if raw::is_exception(made) {
        return Err(Error::Exception);
    }
    known.made[which as usize].set(made);
    // SAFETY: the new reference goes to the value.
    Ok(Some(unsafe { Value::from_raw(ctx.clone(), made) }))
}

/// A new function of the step `which`.
fn made(ctx: RawCtx, which: Which, with: &mut [Raw]) -> Raw {
    let step = &STEPS[which as usize];
    let count = with.len() as c_int;
    // SAFETY: the engine takes references of its own to what the function is made with.
    unsafe {
        let name = step.shown.as_ptr();
        qjs::JS_NewCFunctionData2(ctx, Some(take_step), name, step.length, which as c_int, count, with.as_mut_ptr())
    }
}

unsafe extern "C" fn take_step(
    ctx: RawCtx,
    this: Raw,
    argc: c_int,
    argv: *mut Raw,
    number: c_int,
    with: *mut Raw,
) -> Raw {
    // SAFETY: the engine passes a living context, its arguments and what the function was made with.
    let (runtime, args) = unsafe { (qjs::JS_GetRuntime(ctx), raw::arguments(argc, argv)) };
    let (known, added) = (KNOWN.with_borrow(Option::clone), engine_patch());
    // SAFETY: as above.
    if added.is_some_and(|added| unsafe { !(added.has_stack)(ctx) }) {
        return qjs::JS_EXCEPTION;
    }
    if let Some(known) = known.as_deref().filter(|known| known.keys.state.is_of_runtime(runtime)) {
        match (STEPS[number as usize].run)(&Call { ctx: known.realm, runtime, added, known, this, args, with }) {
            Ok(Some(result)) => return result,
            Ok(None) => {}
            Err(Thrown) => return qjs::JS_EXCEPTION,
        }
    }
    // SAFETY: as above; the first value that the function was made with is its slow path.
    unsafe { qjs::JS_Call(ctx, *with, this, argc, argv) }
}

/// A number, as the engine has it.
fn number(value: f64) -> Raw {
    Plain::from(value).0
}

fn boolean(value: bool) -> Raw {
    Plain::from(value).0
}

fn is_object(value: Raw) -> bool {
    // SAFETY: only looks at the tag.
    unsafe { qjs::JS_IsObject(value) }
}

fn is_nullish(value: Raw) -> bool {
    is_null(value) || is_undefined(value)
}

fn is_undefined(value: Raw) -> bool {
    // SAFETY: only looks at the tag.
    unsafe { qjs::JS_IsUndefined(value) }
}

fn is_null(value: Raw) -> bool {
    // SAFETY: only looks at the tag.
    unsafe { qjs::JS_IsNull(value) }
}

impl Call<'_> {
    fn arg(&self, at: usize) -> Raw {
        self.args.get(at).copied().unwrap_or(qjs::JS_UNDEFINED)
    }

    /// What the step was made with.
    fn with(&self, at: usize) -> Raw {
        // SAFETY: JavaScript made it with so many.
        unsafe { *self.with.add(at) }
    }

    /// The function of another step.
    fn step(&self, which: Which) -> Raw {
        self.known.made[which as usize].get()
    }

    fn hold(&self, value: Raw) -> Held {
        Held::new(self.ctx, raw::dup(self.ctx, value))
    }

    /// A result, to hold it, unless it is the mark of an exception.
    fn held(&self, result: Raw) -> Outcome<Held> {
        if raw::is_exception(result) { Err(Thrown) } else { Ok(Held::new(self.ctx, result)) }
    }

    /// Looks at a property that is a plain value, or not there.
    #[inline]
    fn look(&self, object: Raw, key: Key) -> Option<Raw> {
        if !is_object(object) {
            return None;
        }
        // SAFETY: a living object, and a name of its runtime; no script runs.
        unsafe { (self.added?.look)(&object, key.atom()).as_ref() }.copied()
    }

    fn get(&self, object: Raw, key: Key) -> Outcome<Held> {
        match self.look(object, key) {
            Some(value) => Ok(self.hold(value)),
            // SAFETY: a living value, and a name of its runtime.
            None => self.held(unsafe { qjs::JS_GetProperty(self.ctx, object, key.atom()) }),
        }
    }

    /// Sets a property as an assignment does.
    #[inline]
    fn put(&self, object: Raw, key: Key, value: Raw) -> Outcome {
        // SAFETY: living values, and a name of their runtime; the engine takes a reference of its own.
        let done = unsafe {
            match self.added.filter(|_| is_object(object)) {
                Some(added) => (added.put)(self.ctx, self.runtime, &object, key.atom(), &value),
                None => qjs::JS_SetProperty(self.ctx, object, key.atom(), raw::dup(self.ctx, value)),
            }
        };
        if done < 0 { Err(Thrown) } else { Ok(()) }
    }

    #[inline]
    fn number(&self, object: Raw, key: Key) -> Outcome<f64> {
        match self.look(object, key).and_then(raw::as_number) {
            Some(number) => Ok(number),
            None => {
                let value = self.get(object, key)?;
                let mut number = 0.0;
                // SAFETY: a held value.
                let done = unsafe { qjs::JS_ToFloat64(self.ctx, &mut number, value.raw()) };
                if done < 0 { Err(Thrown) } else { Ok(number) }
            }
        }
    }

    fn put_number(&self, object: Raw, key: Key, value: f64) -> Outcome {
        self.put(object, key, number(value))
    }

    fn add(&self, object: Raw, key: Key, more: f64) -> Outcome {
        self.put_number(object, key, self.number(object, key)? + more)
    }

    /// The state of a stream, and its bits; nothing if they are not as most are.
    fn state(&self, stream: Raw, key: Key) -> Option<(Held, u32)> {
        let state = self.look(stream, key).filter(|state| is_object(*state))?;
        let bits = self.look(state, self.known.keys.state)?;
        // SAFETY: looks at the tag first.
        let is_whole = unsafe { qjs::JS_VALUE_GET_TAG(bits) } == qjs::JS_TAG_INT;
        // SAFETY: as above.
        is_whole.then(|| (self.hold(state), unsafe { qjs::JS_VALUE_GET_INT(bits) } as u32))
    }

    #[inline]
    fn bits(&self, state: Raw) -> Outcome<u32> {
        Ok(self.number(state, self.known.keys.state)? as i64 as u32)
    }

    #[inline]
    fn set_bits(&self, state: Raw, bits: u32) -> Outcome {
        self.put(state, self.known.keys.state, qjs::JS_MKVAL(qjs::JS_TAG_INT, bits as i32))
    }

    fn call(&self, function: Raw, this: Raw, args: &mut [Raw]) -> Outcome<Held> {
        self.held(raw::call(self.ctx, function, this, args))
    }

    /// The same, of what Node has this name for.
    fn call_named(&self, name: &CStr, function: Raw, this: Raw, args: &mut [Raw]) -> Outcome<Held> {
        self.call(function, this, args).inspect_err(|_| self.tell_name(name, function))
    }

    fn call_method(&self, name: &CStr, object: Raw, key: Key, args: &mut [Raw]) -> Outcome<Held> {
        let method = self.get(object, key)?;
        self.call_named(name, method.raw(), object, args)
    }

    /// What was thrown for something that is no function says so of its name.
    #[cold]
    fn tell_name(&self, name: &CStr, function: Raw) {
        if raw::is_function(self.ctx, function) {
            return;
        }
        // SAFETY: the exception is given up for another, whose text the engine copies.
        unsafe {
            raw::free(self.ctx, qjs::JS_GetException(self.ctx));
            qjs::JS_ThrowTypeError(self.ctx, c"%s is not a function".as_ptr(), name.as_ptr());
        }
    }

    fn emit(&self, stream: Raw, name: Key, chunk: Option<Raw>) -> Outcome {
        self.emit_named(c"stream.emit", stream, name, chunk)
    }

    fn emit_named(&self, method: &CStr, stream: Raw, name: Key, chunk: Option<Raw>) -> Outcome {
        // SAFETY: a name of this runtime; the new reference is held.
        let name = self.held(unsafe { qjs::JS_AtomToValue(self.ctx, name.atom()) })?;
        let emit = self.known.keys.emit;
        match chunk {
            Some(chunk) => self.call_method(method, stream, emit, &mut [name.raw(), chunk])?,
            None => self.call_method(method, stream, emit, &mut [name.raw()])?,
        };
        Ok(())
    }

    /// Puts the function of a step off by a tick, in the way of `process`.
    fn tick(&self, which: Which, args: &[Raw]) -> Outcome {
        self.tick_function(self.step(which), args)
    }

    fn tick_function(&self, function: Raw, args: &[Raw]) -> Outcome {
        let process = self.known.process;
        let next_tick = self.get(process, self.known.keys.next_tick)?;
        if queue_tick(next_tick.raw(), function, args) {
            return Ok(());
        }
        let mut all: Vec<Raw> = std::iter::once(function).chain(args.iter().copied()).collect();
        self.call(next_tick.raw(), process, &mut all)?;
        Ok(())
    }

    /// How many bytes a buffer has: nothing if it is none, or empty.
    fn bytes(&self, chunk: Raw) -> Option<f64> {
        // SAFETY: looks at the class of a living value first, which is a typed array of bytes then; what it throws is given up.
        unsafe {
            if qjs::JS_GetTypedArrayType(chunk) != qjs::JSTypedArrayEnum_JS_TYPED_ARRAY_UINT8 as c_int {
                return None;
            }
            let mut length = 0;
            if qjs::JS_GetUint8Array(self.ctx, &mut length, chunk).is_null() {
                raw::free(self.ctx, qjs::JS_GetException(self.ctx));
                return None;
            }
            let prototype = Held::new(self.ctx, qjs::JS_GetPrototype(self.ctx, chunk));
            (length > 0 && raw::object_address(prototype.raw()) == self.known.bytes).then_some(length as f64)
        }
    }

    fn is_true(&self, value: Raw) -> bool {
        // SAFETY: a living value, which no script is asked for.
        unsafe { qjs::JS_ToBool(self.ctx, value) > 0 }
    }

    fn is_no_callback(&self, callback: Raw) -> bool {
        raw::object_address(callback) == self.known.no_callback
    }
}
