//! Random programs that use the facade: sequences of its operations, in natives that JavaScript calls, and which call
//! JavaScript and natives again.
//!
//! Each program is generated from a seed, so it can be repeated. A normal run takes a few seconds. Environment
//! variables for longer runs:
//!
//! - `PHASOR_FUZZ_SECONDS`: how long to run.
//! - `PHASOR_FUZZ_SEED`: the first seed. With `PHASOR_FUZZ_SECONDS=0`, only the program of this seed runs.
//!
//! The seed of the last program is in a file `random-seed*` in the folder `tmp` of the target folder, even if the
//! process was killed. Half of the programs have little memory for new objects, so the collector moves them often. With
//! the feature `debug-engine`, collections take place at random allocations, in a mode that the seed chooses, and the
//! engine checks what it does.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use phasor_engine::{
    Arguments, Array, ArrayBuffer, Attributes, BigInt, Bytes, ElementType, ErrorKind, Fallible, Function, Global,
    Interrupter, JsString, Key, Local, Module, Object, Options, Origin, OwnKeys, Part, Runtime, Scope, Script,
    Serialized, Source, TypedArray, Value,
};

/// The number of steps of one program, including the steps in natives.
const STEPS: u32 = 600;

/// The greatest depth to which natives call natives through JavaScript.
const MOST_DEPTH: u32 = 6;

/// How many values a program keeps.
const MOST_KEPT: usize = 40;

/// The panic payload of natives. `resume_unwind` throws it, so that the panic hook does not run.
struct OnPurpose;

/// A payload that records whether it is alive.
struct Token {
    magic: Cell<u32>,
    alive: Rc<Cell<i32>>,
    /// Some payloads own a global.
    kept: RefCell<Option<Global>>,
}

const MAGIC: u32 = 0xA11C_E5ED;

impl Token {
    fn new(alive: &Rc<Cell<i32>>) -> Token {
        alive.set(alive.get() + 1);
        Token { magic: Cell::new(MAGIC), alive: Rc::clone(alive), kept: RefCell::new(None) }
    }

    fn check(&self) {
        assert_eq!(self.magic.get(), MAGIC, "a payload that was dropped");
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        self.check();
        self.magic.set(0);
        self.alive.set(self.alive.get() - 1);
    }
}

/// The state of a random program.
struct World {
    random: Cell<u64>,
    steps: Cell<u32>,
    depth: Cell<u32>,
    alive: Rc<Cell<i32>>,
    kept: RefCell<Vec<Global>>,
    functions: RefCell<Vec<Global<Function>>>,
    scripts: RefCell<Vec<Global<Script>>>,
    modules: RefCell<Vec<Global<Module>>>,
    realms: RefCell<Vec<Global<Object>>>,
    tokens: RefCell<Vec<Global<Object>>>,
    interrupter: Interrupter,
}

/// Messages that one program sends to a later program, or to a program on another thread.
static MESSAGES: Mutex<Vec<Serialized>> = Mutex::new(Vec::new());

impl World {
    fn next(&self) -> u64 {
        // The generator is xorshift64*.
        let mut x = self.random.get();
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        self.random.set(x);
        x.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11
    }

    fn below(&self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }

    fn chance(&self, of: u64) -> bool {
        self.below(of) == 0
    }

    fn one_of<T: Copy>(&self, list: &[T]) -> T {
        list[self.index(list)]
    }

    fn index<T>(&self, list: &[T]) -> usize {
        self.below(list.len() as u64) as usize
    }

    fn size(&self) -> usize {
        self.one_of(&[0, 1, 7, 8, 63, 64, 65, 96, 97, 128, 500, 1024, 1025, 4096, 5000, 70_000])
    }

    fn text(&self) -> String {
        let piece = self.one_of(&[
            "",
            "a",
            "stack",
            "length",
            "grün",
            "日本",
            "🎉",
            "0",
            "17",
            "__proto__",
            "constructor",
            "then",
        ]);
        let times = self.one_of(&[1, 1, 1, 2, 30, 400]);
        piece.repeat(times)
    }
}

/// Scripts that a program runs. `step(…)` runs random steps, `pick()` returns a random value, `keep(…)` keeps values.
const SCRIPTS: &[&str] = &[
    "step()",
    "step(pick(), pick())",
    "keep({ a: pick(), b: step() })",
    "keep([pick(), pick(), , step()])",
    "try { step() } catch (error) { keep(error) } finally { step() }",
    "try { pick()(pick()) } catch (error) { String(error); }",
    "new Promise(step).then(step, step)",
    "(async () => { for (let i = 0; i < 3; i++) { await pick(); step(); } })()",
    "(async function* () { yield step(); await null; yield pick(); })().next().then(keep)",
    "for (const one of function* () { yield 1; step(); yield 2; }()) { step(); break; }",
    "Promise.race([pick(), pick()]).then(step)",
    "Promise.reject(pick())",
    "Promise.reject(pick()).catch(step)",
    "Promise.resolve({ then: step })",
    "keep(new Proxy(Object(pick()), { get: step, has: step, ownKeys: step, getPrototypeOf: step }))",
    "keep(new Proxy(Object(pick()), {}))",
    "keep(new Map([[pick(), pick()], [1, step()]]))",
    "keep(new Set([pick(), pick()]).values())",
    "keep(new WeakMap([[{}, pick()]]))",
    "keep(new WeakRef({ a: pick() }))",
    "globalThis.registry ??= new FinalizationRegistry(step); registry.register({}, pick())",
    "keep(new Error(String(Symbol('x').description), { cause: pick() })).stack",
    "Object.keys(Object(pick()))",
    "JSON.stringify(pick(), (_, value) => { step(); return value; })",
    "keep(structured = { get a() { return step(); }, b: pick() })",
    "[3, 1, 2, pick()].sort(() => step() ? 1 : -1)",
    "Array.from({ length: 5 }, step)",
    "'abcabc'.replace(/b/g, step)",
    "keep(new ArrayBuffer(100))",
    "keep(new ArrayBuffer(8, { maxByteLength: 10000 }))",
    "keep(new SharedArrayBuffer(64, { maxByteLength: 8192 }))",
    "keep(new Uint8Array(50)), keep(new Float64Array(300)), keep(new DataView(new ArrayBuffer(9)))",
    "{ const view = new Uint8Array(new ArrayBuffer(64, { maxByteLength: 4096 })); keep(view); keep(view.buffer); step(); view.fill(1); }",
    "{ const one = pick(); if (one instanceof ArrayBuffer && !one.detached) { keep(one.transfer(Math.max(1, one.byteLength >> 1))); } }",
    "{ const one = pick(); if (one?.resizable) { one.resize(one.maxByteLength >> 1); step(); one.resize(0); } }",
    "{ const one = pick(); if (one?.growable) one.grow(one.maxByteLength); }",
    "{ const one = pick(); if (ArrayBuffer.isView(one) && one.set) { one.set([1, 2].map(step)); one.sort(); keep(one.subarray(1)); } }",
    "keep('x'.repeat(3000) + String(Object(pick()).length))",
    "{ let s = ''; for (let i = 0; i < 200; i++) s += i; keep(s); keep(s.slice(3, 90)); }",
    "keep(2n ** 100n), keep(Symbol('s')), keep(1.5), keep(null)",
    "keep((...all) => { step(); return all; })",
    "keep(class A { #x = step(); static y = pick(); get z() { return this.#x; } })",
    "keep(step.bind(pick(), pick()))",
    "import('a').then(keep, keep)",
    "(0, eval)('var v' + Math.floor(Number(typeof pick() === 'string')) + ' = step()')",
    "for (let i = 0; i < 300; i++) ({ i, pick })",
    "for (let i = 0; i < 3000; i++) ({ i }); step()",
    "function deep(n) { return n ? deep(n - 1) : step(); } deep(50)",
    "(function over() { over(); })()",
    "throw pick()",
    "missing",
    "syntax error here",
    "globalThis['g' + (step() ? 1 : 2)] = pick()",
    "delete globalThis.g1",
    "{ const shared = new Int32Array(new SharedArrayBuffer(8)); Atomics.waitAsync(shared, 0, 0, 1).value; Atomics.notify(shared, 0); }",
    "WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])).then(keep)",
    "keep(new WebAssembly.Memory({ initial: 1, maximum: 2 })).grow(1)",
    "keep(new WebAssembly.Memory({ initial: 1 }).buffer)",
    "Object.defineProperty(Object(pick()), 'z', { get: step, configurable: true }).z",
    "keep(Object.setPrototypeOf({}, Object(pick())))",
    "Object.freeze(Object(pick()))",
    "new Intl.NumberFormat('de').format(1234)",
    "new Date(1e12).toLocaleDateString('en')",
    "queue(() => step())",
    "{ const f = (a) => a + 1; let n = 0; for (let i = 0; i < 5000; i++) n = f(n); step(n); }",
];

const MODULES: &[&str] = &[
    "export let a = step(); export default a",
    "import * as b from 'b'; step(); keep(b)",
    "import 'b'; import 'c'; await pick(); step()",
    "export * from 'b'; export const x = pick(); throw x",
    "import.meta.x; export let y = import('d')",
    "import { a } from 'b'; keep(a)",
];

fn origin() -> Origin<'static> {
    Origin::new("random.js")
}

/// A value: one that the program has kept, or a new one.
fn pick<'s>(scope: Scope<'s>) -> Local<'s, Value> {
    let world = scope.host::<World>();
    let kept = world.kept.borrow();
    if !kept.is_empty() && !world.chance(4) {
        return kept[world.index(&kept)].get(scope);
    }
    drop(kept);
    match world.below(7) {
        0 => scope.undefined(),
        1 => scope.number(world.below(1000) as f64 - 500.0),
        2 => scope.boolean(world.chance(2)),
        3 => JsString::new(scope, &world.text()).map_or(scope.null(), Local::as_value),
        4 => Object::new(scope).as_value(),
        5 => scope.global().as_value(),
        _ => token(scope).map_or(scope.null(), Local::as_value),
    }
}

fn token<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    let world = scope.host::<World>();
    let token = Token::new(&world.alive);
    if world.chance(3) {
        *token.kept.borrow_mut() = Some(Global::new(scope, scope.number(1)));
    }
    Object::with_payload(scope, None, token)
}

fn keep(scope: Scope<'_>, value: Local<'_, Value>) {
    let world = scope.host::<World>();
    let global = Global::new(scope, value);
    let mut kept = world.kept.borrow_mut();
    if kept.len() < MOST_KEPT {
        kept.push(global);
    } else {
        let at = world.below(MOST_KEPT as u64) as usize;
        kept[at] = global;
    }
}

/// Drops one random entry of a list, or several.
fn thin<T>(world: &World, list: &RefCell<Vec<T>>) {
    let mut list = list.borrow_mut();
    if list.len() > 8 || (world.chance(3) && !list.is_empty()) {
        let at = world.below(list.len() as u64) as usize;
        list.swap_remove(at);
    }
}

fn random_of<'s, T: phasor_engine::Kind>(scope: Scope<'s>, list: &RefCell<Vec<Global<T>>>) -> Option<Local<'s, T>> {
    let world = scope.host::<World>();
    let list = list.borrow();
    if list.is_empty() { None } else { Some(list[world.index(&list)].get(scope)) }
}

/// The native `step(…)`: takes random steps. Sometimes it panics; an outer `step` may catch the panic.
fn step_native<'s>(scope: Scope<'s>, arguments: Arguments<'s>) -> Fallible<Local<'s, Value>> {
    let world = scope.host::<World>();
    for index in 0..arguments.len() {
        let _ = arguments.get(scope, index).type_name();
    }
    if world.depth.get() >= MOST_DEPTH || world.steps.get() == 0 {
        return Ok(scope.undefined());
    }
    match world.below(60) {
        0 => resume_unwind(Box::new(OnPurpose)),
        1 => return Err(scope.terminate()),
        2 => return Err(scope.throw_error(ErrorKind::RangeError, &world.text())),
        3 => {
            let outcome = catch_unwind(AssertUnwindSafe(|| drop(steps(scope))));
            if let Err(payload) = outcome
                && !payload.is::<OnPurpose>()
            {
                resume_unwind(payload);
            }
            return Ok(scope.undefined());
        }
        4 => return scope.try_escape(steps),
        _ => {}
    }
    steps(scope)
}

/// Up to three steps, each in a scope of its own or not.
fn steps<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Value>> {
    let world = scope.host::<World>();
    world.depth.set(world.depth.get() + 1);
    // A guard: its destructor also runs when a step panics.
    struct Leave<'a>(&'a World);
    impl Drop for Leave<'_> {
        fn drop(&mut self) {
            self.0.depth.set(self.0.depth.get() - 1);
        }
    }
    let _leave = Leave(world);
    let mut last = scope.undefined();
    for _ in 0..=world.below(3) {
        last = match world.below(3) {
            0 => scope.try_escape(step)?,
            1 => {
                let outcome = step(scope);
                match scope.try_catch(|| outcome) {
                    Ok(value) | Err(Some(value)) => value,
                    Err(None) => return Err(scope.terminate()),
                }
            }
            _ => step(scope)?,
        };
    }
    Ok(last)
}

/// One random operation.
fn step<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Value>> {
    let world = scope.host::<World>();
    if world.steps.get() == 0 {
        return Ok(scope.undefined());
    }
    world.steps.set(world.steps.get() - 1);
    let value = pick(scope);
    match world.below(12) {
        0..=2 => scope.eval(world.one_of(SCRIPTS), origin()),
        3 => step_memory(scope, value),
        4 => step_object(scope, value),
        5 => step_text(scope, value),
        6 => step_code(scope),
        7 => step_module(scope),
        8 => step_realm(scope, value),
        9 => step_roots(scope),
        10 => step_jobs(scope, value),
        _ => step_inspect(scope, value),
    }
}

fn step_memory<'s>(scope: Scope<'s>, value: Local<'s, Value>) -> Fallible<Local<'s, Value>> {
    let world = scope.host::<World>();
    let other = pick(scope);
    if let (Some(one), Some(two)) = (Bytes::of(value), Bytes::of(other)) {
        let (at, from) = (world.size(), world.size());
        one.copy_to(two, at, from, world.size());
        one.read_both(two, |one, two| one == two);
        let parts = [Part::Bytes(one), Part::Owned(vec![1, 2]), Part::Bytes(two)];
        let length = Part::with_slices(&parts, |slices| slices.iter().map(|slice| slice.len()).sum::<usize>());
        assert_eq!(length, one.len() + 2 + two.len());
        Part::with_io_slices(&parts, |slices| {
            assert_eq!(slices.iter().map(|slice| slice.len()).sum::<usize>(), length);
        });
    }
    if let Some(bytes) = Bytes::of(value) {
        bytes.write(|bytes| bytes.iter_mut().for_each(|byte| *byte = byte.wrapping_add(1)));
        let (start, end) = (world.size(), world.size());
        let decoded = if world.chance(2) {
            JsString::from_buffer_utf8(scope, bytes, start, end)?
        } else {
            JsString::from_buffer_latin1(scope, bytes, start, end)?
        };
        decoded.write_to(scope, bytes, |target, units| units.write_utf8(target))?;
        keep(scope, decoded.as_value());
    }
    if let Some(buffer) = value.cast::<ArrayBuffer>() {
        match world.below(6) {
            0 => buffer.detach(scope)?,
            1 => keep(scope, buffer.bytes(scope, world.size(), world.size())?.as_value()),
            2 => keep(scope, buffer.int32_view(scope)?.as_value()),
            3 => keep(scope, buffer.float64_view(scope)?.as_value()),
            _ => {
                let message = scope.serialize(other, &[buffer])?;
                send(message);
            }
        }
    }
    match world.below(4) {
        0 => keep(scope, ArrayBuffer::from_vec(scope, vec![7; world.size()])?.as_value()),
        1 => keep(scope, ArrayBuffer::copy_of(scope, &vec![8; world.size()])?.as_value()),
        2 => keep(
            scope,
            TypedArray::zeroed(
                scope,
                world.one_of(&[ElementType::Uint8, ElementType::Float64, ElementType::BigInt64]),
                world.size(),
            )?
            .as_value(),
        ),
        _ => {}
    }
    match world.below(3) {
        0 => send(scope.serialize(value, &[])?),
        1 => {
            let message = MESSAGES.lock().unwrap().pop();
            if let Some(mut message) = message {
                let value = scope.deserialize(&mut message);
                if world.chance(2) {
                    send(message);
                }
                keep(scope, value?);
            }
        }
        _ => {}
    }
    Ok(value)
}

fn send(message: Serialized) {
    let mut messages = MESSAGES.lock().unwrap();
    if messages.len() > 30 {
        messages.clear();
    }
    messages.push(message);
}

fn step_object<'s>(scope: Scope<'s>, value: Local<'s, Value>) -> Fallible<Local<'s, Value>> {
    let world = scope.host::<World>();
    let Some(object) = value.cast::<Object>() else { return Ok(value) };
    let other = pick(scope);
    let text = world.text();
    let name = JsString::new(scope, &text)?;
    let key = match world.below(3) {
        0 => Key::Name(&text),
        1 => Key::Index(world.one_of(&[0, 1, 5, 1 << 31, u32::MAX])),
        _ => Key::String(name),
    };
    match world.below(12) {
        0 => return object.get(scope, key),
        1 => object.set(scope, key, other)?,
        2 => object.define(
            scope,
            key,
            other,
            Attributes { writable: world.chance(2), enumerable: world.chance(2), configurable: true },
        )?,
        3 => object.delete(scope, key)?,
        4 => drop((object.has(scope, key)?, object.has_own(scope, key)?)),
        5 => {
            for key in
                object.own_keys(scope, world.one_of(&[OwnKeys::All, OwnKeys::Strings, OwnKeys::EnumerableStrings]))?
            {
                let _ = key.type_name();
            }
        }
        6 => return Ok(object.prototype(scope)?.map_or(scope.null(), Local::as_value)),
        7 => {
            // The prototype is set on a new object, so that `instanceof` always ends: a cycle of prototypes, which
            // proxies allow, would make it run forever.
            let child = Object::new(scope);
            child.set_prototype(scope, other.cast())?;
            keep(scope, child.as_value());
        }
        8 => {
            let token = Token::new(&world.alive);
            object.define_function(scope, "native", 1, move |scope, arguments| {
                token.check();
                let result = step_native(scope, arguments);
                token.check();
                result
            })?;
            return object.get(scope, "native");
        }
        9 => {
            let getter = random_of(scope, &world.functions);
            object.define_accessor(scope, key, getter, getter, Attributes::ALL)?;
        }
        10 => drop((object.resolve_promise(scope, other)?, object.mark_handled(scope)?)),
        _ => object.reject_promise(scope, other)?,
    }
    Ok(value)
}

fn step_text<'s>(scope: Scope<'s>, value: Local<'s, Value>) -> Fallible<Local<'s, Value>> {
    let world = scope.host::<World>();
    let text = world.text();
    let string = JsString::new(scope, &text)?;
    if world.chance(3) {
        scope.collect_garbage();
    }
    assert_eq!(string.to_text(scope)?, text);
    assert_eq!(string.to_wtf8(scope)?, text.as_bytes());
    assert_eq!(string.to_utf16(scope)?.len(), string.len());
    let units = JsString::from_utf16(scope, &[0xd800, 0x61, 0xdc00, world.below(0xffff) as u16])?;
    let mut bytes = Vec::new();
    units.append_utf8(scope, &mut bytes)?;
    units.append_latin1(scope, &mut bytes)?;
    assert!(scope.strict_equals(string, string)?);
    let integer = BigInt::from_i64(scope, world.next() as i64)?;
    assert!(scope.strict_equals(BigInt::from_i64(scope, integer.to_i64_wrapping())?, integer)?);
    keep(scope, units.as_value());
    Ok(value.to_js_string(scope)?.as_value())
}

fn step_code<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Value>> {
    let world = scope.host::<World>();
    match world.below(7) {
        0 => {
            let text = JsString::new(scope, world.one_of(SCRIPTS))?;
            let referrer = world.chance(2).then(|| pick(scope));
            let source = Source { referrer, ..Source::new(text, "compiled.js") };
            let function = Function::compile(scope, source, "f", &["a", "b"])?;
            world.functions.borrow_mut().push(Global::new(scope, function));
            thin(world, &world.functions);
            Ok(function.as_value())
        }
        1 => {
            let text = JsString::new(scope, world.one_of(SCRIPTS))?;
            let script =
                Script::compile(scope, Source { referrer: Some(pick(scope)), ..Source::new(text, "script.js") })?;
            if scope.global().is_same(world.realms.borrow()[0].get(scope)) {
                world.scripts.borrow_mut().push(Global::new(scope, script));
                thin(world, &world.scripts);
            }
            script.run(scope)
        }
        2 => match random_of(scope, &world.scripts) {
            Some(script) if scope.global().is_same(world.realms.borrow()[0].get(scope)) => script.run(scope),
            _ => Ok(scope.null()),
        },
        3 => match random_of(scope, &world.functions) {
            Some(function) => {
                let arguments: Vec<_> = (0..world.below(20)).map(|_| pick(scope)).collect();
                if world.chance(4) {
                    function.construct(scope, &arguments).map(Local::as_value)
                } else {
                    function.call(scope, pick(scope), &arguments)
                }
            }
            None => Ok(scope.null()),
        },
        4 => match pick(scope).cast::<Function>() {
            Some(function) => function.call(scope, pick(scope), &[pick(scope)]),
            None => Ok(scope.null()),
        },
        5 => {
            let token = Token::new(&world.alive);
            let function = Function::new(scope, "native", 2, move |scope, arguments| {
                token.check();
                step_native(scope, arguments)
            })?;
            world.functions.borrow_mut().push(Global::new(scope, function));
            thin(world, &world.functions);
            Ok(function.as_value())
        }
        _ => {
            let bytes = scope.compile_ahead(world.one_of(SCRIPTS), origin())?;
            assert!(!bytes.is_empty());
            Ok(scope.null())
        }
    }
}

fn step_module<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Value>> {
    let world = scope.host::<World>();
    let Some(module) = random_of(scope, &world.modules).filter(|_| !world.chance(3)) else {
        let referrer = Some(pick(scope));
        let module = if world.chance(4) {
            let evaluate = Function::new(scope, "evaluate", 0, step_native)?;
            Module::synthetic(scope, "synthetic.mjs", vec!["default".into(), "a".into()], referrer, evaluate)?
        } else {
            let text = JsString::new(scope, world.one_of(MODULES))?;
            Module::compile(scope, Source { referrer, ..Source::new(text, "module.mjs") })?
        };
        world.modules.borrow_mut().push(Global::new(scope, module));
        thin(world, &world.modules);
        return Ok(scope.null());
    };
    match world.below(9) {
        0 | 1 => {
            let count = module.requests(scope).len();
            let imports: Option<Vec<_>> = (0..count).map(|_| random_of(scope, &world.modules)).collect();
            module.set_imports(scope, &imports.unwrap_or_default())?;
        }
        2 => module.instantiate(scope)?,
        3 | 4 => {
            module.instantiate(scope)?;
            return Ok(module.evaluate(scope)?.as_value());
        }
        5 => drop((module.status(scope)?, module.imports(scope)?, module.is_synthetic(scope))),
        6 => return Ok(module.error(scope)?.unwrap_or(scope.null())),
        7 => return Ok(module.namespace(scope)?.as_value()),
        _ => drop(module.set_export(scope, "a", pick(scope))?),
    }
    module.referrer(scope)
}

/// Moves the properties of a realm's global object to another object, for a sandbox.
const MOVE: &str = "(() => {
    const global = globalThis, { defineProperty, getOwnPropertyDescriptor } = Object, { deleteProperty, ownKeys } = Reflect;
    const inner = Object.create(Object.create(Object.prototype));
    for (const key of ownKeys(global)) {
        defineProperty(inner, key, getOwnPropertyDescriptor(global, key));
        deleteProperty(global, key);
    }
    return inner;
})()";

fn step_realm<'s>(scope: Scope<'s>, value: Local<'s, Value>) -> Fallible<Local<'s, Value>> {
    let world = scope.host::<World>();
    if world.realms.borrow().len() < 4 && world.chance(6) {
        let global = scope.new_realm()?;
        world.realms.borrow_mut().push(Global::new(scope, global));
        scope.in_realm_of(global, define_natives)?;
        return Ok(global.as_value());
    }
    if world.realms.borrow().len() < 6 && world.chance(6) {
        let global = scope.new_realm()?;
        let inner = scope.in_realm_of(global, |scope| {
            define_natives(scope)?;
            scope.eval(MOVE, origin())
        })?;
        let inner = inner.cast::<Object>().expect("an object");
        let sandbox = value.cast::<Object>().unwrap_or_else(|| Object::new(scope));
        let outer = scope.attach_sandbox(global, sandbox, inner)?;
        inner.set(scope, "globalThis", outer)?;
        world.realms.borrow_mut().push(Global::new(scope, global));
        keep(scope, outer.as_value());
        return Ok(outer.as_value());
    }
    let realm = random_of(scope, &world.realms).expect("the first realm");
    let realm = if world.chance(5) { value.cast::<Object>().unwrap_or(realm) } else { realm };
    scope.in_realm_of(realm, |scope| {
        // A sandbox may throw.
        let _ = scope.global().get(scope, "Object").is_ok();
        if world.chance(2) { scope.eval(world.one_of(SCRIPTS), origin()) } else { step(scope) }
    })
}

fn step_roots<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Value>> {
    let world = scope.host::<World>();
    match world.below(8) {
        0 => scope.collect_garbage(),
        1 => {
            let token = token(scope)?;
            world.tokens.borrow_mut().push(Global::new(scope, token));
            thin(world, &world.tokens);
        }
        2 | 3 => {
            if let Some(token) = random_of(scope, &world.tokens) {
                let payload = token.payload::<Token>().expect("a token");
                payload.check();
                let result = step(scope);
                payload.check();
                *payload.kept.borrow_mut() = world.chance(2).then(|| Global::new(scope, scope.number(2)));
                return result;
            }
        }
        4 => {
            let mut kept = world.kept.borrow_mut();
            let length = world.index(&kept).min(kept.len());
            let dropped = kept.split_off(length);
            drop(kept);
            drop(dropped);
        }
        5 => {
            let objects: Vec<_> = (0..700_u32).map(|_| Object::new(scope)).collect();
            for (number, object) in objects.iter().enumerate() {
                object.set(scope, "number", number as f64)?;
            }
            for (number, object) in objects.iter().enumerate() {
                assert_eq!(object.get(scope, "number")?.to_f64(), Some(number as f64));
            }
        }
        6 => {
            for _ in 0..50 {
                let _ = scope.nested(|scope| token(scope).is_ok());
            }
        }
        _ => {
            let escaped = scope.escape(pick);
            return Ok(escaped);
        }
    }
    Ok(scope.null())
}

fn step_jobs<'s>(scope: Scope<'s>, value: Local<'s, Value>) -> Fallible<Local<'s, Value>> {
    let world = scope.host::<World>();
    match world.below(9) {
        0 | 1 => scope.run_microtasks()?,
        2 => {
            if let Some(function) = value.cast::<Function>() {
                scope.enqueue_microtask(function)?;
            }
        }
        3 => {
            scope.wait_for_helpers();
            scope.run_async_tasks();
        }
        4 => drop(scope.clean_up_registry()?),
        5 => scope.clear_kept_objects(),
        6 => world.interrupter.interrupt(),
        7 => scope.watch_promises(world.chance(2))?,
        _ => {
            let interrupter = world.interrupter.clone();
            std::thread::spawn(move || interrupter.interrupt());
        }
    }
    Ok(value)
}

fn step_inspect<'s>(scope: Scope<'s>, value: Local<'s, Value>) -> Fallible<Local<'s, Value>> {
    let world = scope.host::<World>();
    let [_, used] = scope.heap_bytes();
    assert!(used > 0);
    let Some(object) = value.cast::<Object>() else {
        return Ok(scope.boolean(value.is_truthy()));
    };
    let _ = (object.class_name(scope), object.builtin_class(scope), object.function_kind());
    if let Some(Some((target, handler))) = object.proxy_parts(scope) {
        keep(scope, target.as_value());
        return Ok(handler.as_value());
    }
    let _ = (object.promise_state(scope), object.iterator_position(scope));
    if let Some(keys) = object.weak_keys(scope)?
        && object.class_name(scope) == "WeakMap"
        && keys.len(scope) > 0
    {
        return object.weak_value(scope, keys.get(scope, 0)?);
    }
    if let Some(array) = value.cast::<Array>() {
        let _ = array.len(scope);
    }
    match world.below(4) {
        0 => return Ok(object.collection_entries(scope)?.as_value()),
        1 => drop(object.non_index_keys(scope, world.chance(2))?),
        2 => {
            let stack = object.error_stack(scope).or(scope.capture_stack(5, value.cast())?);
            if let Some(stack) = stack {
                for frame in stack.stack_frames(scope) {
                    assert!(frame.file.is_none_or(|file| !file.is_empty()));
                }
            }
        }
        _ => {
            if let Some(token) = object.payload::<Token>() {
                token.check();
            }
        }
    }
    Ok(value)
}

/// Defines the natives that scripts call, in the current realm.
fn define_natives(scope: Scope<'_>) -> Fallible<()> {
    let global = scope.global();
    global.define_function(scope, "step", 0, step_native)?;
    global.define_function(scope, "pick", 0, |scope, _| Ok(pick(scope)))?;
    global.define_function(scope, "keep", 1, |scope, arguments| {
        for index in 0..arguments.len() {
            keep(scope, arguments.get(scope, index));
        }
        Ok(arguments.get(scope, 0))
    })?;
    global.define_function(scope, "queue", 1, |scope, arguments| {
        if let Some(function) = arguments.get(scope, 0).cast() {
            scope.enqueue_microtask(function)?;
        }
        Ok(scope.undefined())
    })
}

/// Sets the callbacks of a runtime, each of which runs random steps.
fn set_callbacks(runtime: &Runtime) {
    runtime.on_interrupt(|scope| {
        let world = scope.host::<World>();
        let outcome = if world.depth.get() < MOST_DEPTH && world.chance(3) { steps(scope).map(drop) } else { Ok(()) };
        outcome.is_ok() && !world.chance(3)
    });
    runtime.on_rejection(|scope, promise, reason, _| {
        let world = scope.host::<World>();
        keep(scope, if world.chance(2) { promise.as_value() } else { reason });
        if world.depth.get() < MOST_DEPTH && world.chance(8) {
            drop(steps(scope));
        }
    });
    runtime.on_import(|scope, call| {
        let world = scope.host::<World>();
        assert!(!call.specifier.is_empty());
        match random_of(scope, &world.modules) {
            Some(module) if world.chance(2) => {
                module.instantiate(scope)?;
                module.evaluate(scope)?;
                call.promise.resolve_promise(scope, module.namespace(scope)?.as_value())
            }
            _ => {
                steps(scope)?;
                call.promise.reject_promise(scope, scope.null())
            }
        }
    });
    runtime.on_import_meta(|scope, _, meta| {
        let value = steps(scope)?;
        meta.set(scope, "x", value)
    });
    runtime.on_registry_cleanup(|| ());
    runtime.on_async_task(|| ());
}

/// Functions for `Scope::set_promise_hooks`.
const HOOKS: &str = "({ event() { if (globalThis.deep) return; globalThis.deep = true; try { step(); } finally { globalThis.deep = false; } },
    reaction() { return pick() === 1 ? undefined : { a: 1 }; }, begin(kept) { return kept; }, end() {} })";

/// Runs the program that a seed generates.
fn run(seed: u64) {
    let random = Cell::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let alive = Rc::new(Cell::new(0));
    let world = World {
        random,
        steps: Cell::new(STEPS),
        depth: Cell::new(0),
        alive: Rc::clone(&alive),
        kept: RefCell::default(),
        functions: RefCell::default(),
        scripts: RefCell::default(),
        modules: RefCell::default(),
        realms: RefCell::default(),
        tokens: RefCell::default(),
        interrupter: interrupter_of_none(),
    };
    let heap_limit_bytes = world.chance(2).then_some(64 << 20);
    let runtime = Runtime::new(Options { heap_limit_bytes, ..Options::default() });
    #[cfg(feature = "debug-engine")]
    {
        let mode = world.one_of(&[0, 2, 4, 7, 10, 11, 14]);
        runtime.set_gc_zeal(mode, world.one_of(&[1, 7, 50, 200]) + if mode == 2 { 20 } else { 0 });
    }
    if world.chance(2) {
        runtime.set_nursery_bytes(world.one_of(&[4096, 8192, 1 << 16]));
    }
    let world = World { interrupter: runtime.interrupter(), ..world };
    let interrupter = runtime.interrupter();
    runtime.on_heap_limit(move || interrupter.interrupt());
    set_callbacks(&runtime);
    runtime.set_host(world);
    let realm = runtime.new_realm();
    let other = runtime.new_realm();
    let contexts = runtime.enter(&realm, |scope| {
        let world = scope.host::<World>();
        for realm in [&realm, &other] {
            world.realms.borrow_mut().push(Global::new(scope, realm.global(scope)));
            scope.in_realm(realm, define_natives).expect("natives are defined");
        }
        world.below(4)
    });
    let mut spared = Vec::new();
    let unexpected = |payload: Box<dyn std::any::Any + Send>| {
        if !payload.is::<OnPurpose>() {
            eprintln!("seed {seed}");
            resume_unwind(payload);
        }
    };
    let prepare = || {
        runtime.enter(&realm, |scope| {
            if contexts >= 2 {
                let holder = Object::new(scope);
                keep(scope, holder.as_value());
                scope.propagate_context(holder, "context").expect("a name");
            }
            if contexts == 3 {
                let hooks = scope.eval(HOOKS, origin()).ok().and_then(Local::cast).expect("an object");
                if scope.set_promise_hooks(hooks).is_ok() {
                    let _ = scope.watch_promises(true);
                }
            }
        });
    };
    catch_unwind(AssertUnwindSafe(prepare)).unwrap_or_else(unexpected);
    loop {
        let realm = if spared.len() % 5 == 4 { &other } else { &realm };
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            runtime.enter(realm, |scope| {
                let world = scope.host::<World>();
                let outcome = steps(scope);
                if let Err(thrown) = outcome {
                    let _ = scope.caught(thrown);
                }
                scope.clear_kept_objects();
                world.steps.get() == 0
            })
        }));
        match outcome {
            Ok(true) => break,
            Ok(false) => {}
            Err(payload) => unexpected(payload),
        }
        let collect = runtime.enter(realm, |scope| {
            spared.push(Global::new(scope, pick(scope)));
            scope.host::<World>().chance(10)
        });
        if collect {
            catch_unwind(AssertUnwindSafe(|| runtime.collect_garbage())).unwrap_or_else(unexpected);
        }
    }
    // Drops the globals, the realms and the runtime in any order.
    if seed.is_multiple_of(2) {
        spared.clear();
        drop(realm);
    }
    runtime.interrupter().interrupt();
    drop(runtime);
    drop(other);
    assert_eq!(alive.get(), 0, "payloads that were not dropped");
    drop(spared);
}

/// An interrupter of a runtime that is gone, as the initial value of a variable.
fn interrupter_of_none() -> Interrupter {
    let runtime = Runtime::new(Options::default());
    runtime.interrupter()
}

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Runs programs with consecutive seeds, beginning with `first`.
fn run_from(first: u64, limit: Duration, note: &str) -> u64 {
    let note = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(note);
    let start = Instant::now();
    let mut seed = first;
    loop {
        let _ = std::fs::write(&note, seed.to_string());
        run(seed);
        seed += 1;
        if start.elapsed() >= limit {
            return seed - first;
        }
    }
}

#[test]
fn random_programs_keep_the_rules() {
    let limit = variable("PHASOR_FUZZ_SECONDS").map_or(Duration::from_secs(3), Duration::from_secs);
    let count = run_from(variable("PHASOR_FUZZ_SEED").unwrap_or(1), limit, "random-seed");
    println!("{count} programs");
}

#[test]
fn random_programs_of_two_threads_share_messages() {
    let limit =
        variable("PHASOR_FUZZ_SECONDS").map_or(Duration::from_secs(2), |seconds| Duration::from_secs(seconds / 4));
    let threads = [1_000_000_000, 2_000_000_000].map(|first| {
        let first = first + variable("PHASOR_FUZZ_SEED").unwrap_or(1);
        std::thread::spawn(move || run_from(first, limit, &format!("random-seed-{first}")))
    });
    for thread in threads {
        thread.join().expect("no program panics");
    }
}
