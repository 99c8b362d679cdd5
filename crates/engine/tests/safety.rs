//! Tests of the safety of the facade: each test tries to misuse it from safe code, or makes a callback fail.

use std::cell::{Cell, OnceCell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use phasor_engine::{
    Array, ArrayBuffer, Attributes, BigInt, Bytes, ElementType, Fallible, Function, Global, JsString, Local, Module,
    Native, Object, Options, Origin, OwnKeys, PromiseState, Realm, Runtime, Scope, Script, Source, TypedArray, Value,
};

fn start() -> (Runtime, Realm) {
    let runtime = Runtime::new(Options::default());
    let realm = runtime.new_realm();
    #[cfg(feature = "debug-engine")]
    runtime.set_gc_zeal(2, 10);
    (runtime, realm)
}

fn try_eval<'s>(scope: Scope<'s>, source: &str) -> Fallible<Local<'s, Value>> {
    scope.eval(source, Origin::new("test.js"))
}

fn eval<'s>(scope: Scope<'s>, source: &str) -> Local<'s, Value> {
    try_eval(scope, source).unwrap_or_else(|_| panic!("{source} throws"))
}

fn object<'s>(scope: Scope<'s>, source: &str) -> Local<'s, Object> {
    eval(scope, source).cast().expect("an object")
}

fn text(scope: Scope<'_>, source: &str) -> String {
    eval(scope, source).to_text(scope).unwrap()
}

fn define<F: Native>(scope: Scope<'_>, name: &str, native: F) {
    let function = Function::new(scope, name, 0, native).unwrap();
    scope.global().define(scope, name, function, Attributes::METHOD).unwrap();
}

/// The message with which a closure panics.
fn panic_of<R>(body: impl FnOnce() -> R) -> String {
    let payload = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(_) => return String::from("none"),
        Err(payload) => payload,
    };
    payload
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_default()
}

#[test]
fn a_thread_has_one_runtime_at_a_time() {
    for _ in 0..2 {
        let (runtime, realm) = start();
        assert!(panic_of(|| Runtime::new(Options::default())).contains("already"));
        assert_eq!(runtime.enter(&realm, |scope| text(scope, "1")), "1");
    }
}

thread_local! {
    static RUNTIME: OnceCell<(Realm, Runtime)> = const { OnceCell::new() };
}

/// Calls a closure with a runtime that is in a thread-local variable, which any code can reach.
fn with_reachable_runtime(body: impl FnOnce(&Runtime, &Realm)) {
    RUNTIME.with(|kept| {
        let (realm, runtime) = kept.get_or_init(|| {
            let (runtime, realm) = start();
            (realm, runtime)
        });
        body(runtime, realm);
    });
}

#[test]
fn closures_with_memory_of_the_engine_cannot_enter_the_runtime() {
    with_reachable_runtime(|runtime, realm| {
        runtime.enter(realm, |scope| {
            let buffer = ArrayBuffer::zeroed(scope, 1 << 20).unwrap();
            scope.global().set(scope, "buffer", buffer).unwrap();
            let detach = || {
                with_reachable_runtime(|runtime, realm| {
                    runtime.enter(realm, |scope| drop(try_eval(scope, "buffer.transfer()")));
                });
            };
            let bytes = Bytes::of(buffer).unwrap();
            let string = JsString::new(scope, "text").unwrap();
            let entered = "the runtime is entered: use the scope";
            assert_eq!(panic_of(|| bytes.read(|_| detach())), entered);
            assert_eq!(panic_of(|| bytes.write(|_| detach())), entered);
            assert_eq!(panic_of(|| string.read_units(scope, |_| detach())), entered);
            assert_eq!(
                panic_of(|| bytes.read(|_| with_reachable_runtime(|runtime, _| runtime.collect_garbage()))),
                entered
            );
            assert_eq!(
                panic_of(|| bytes.read(|_| with_reachable_runtime(|runtime, _| drop(runtime.new_realm())))),
                entered
            );
            assert_eq!(bytes.len(), 1 << 20);
        });
    });
}

#[test]
fn destructors_of_payloads_cannot_enter_the_runtime() {
    struct Enters;
    impl Drop for Enters {
        fn drop(&mut self) {
            with_reachable_runtime(|runtime, realm| {
                runtime.enter(realm, |scope| drop(try_eval(scope, "[1, 2, 3].map(String)")));
            });
        }
    }
    with_reachable_runtime(|runtime, realm| {
        let make =
            || runtime.enter(realm, |scope| scope.nested(|scope| drop(Object::with_payload(scope, None, Enters))));
        // The panic resumes where the collection was requested.
        make();
        assert!(panic_of(|| runtime.enter(realm, |scope| scope.collect_garbage())).contains("entered"));
        make();
        runtime.collect_garbage();
        assert!(panic_of(|| runtime.enter(realm, |scope| drop(try_eval(scope, "for (;;);")))).contains("entered"));
        assert_eq!(panic_of(|| runtime.enter(realm, |scope| text(scope, "1"))), "none");
    });
}

#[test]
fn a_panic_in_a_destructor_goes_on_when_the_runtime_is_dropped() {
    struct Panics;
    impl Drop for Panics {
        fn drop(&mut self) {
            panic!("in a destructor");
        }
    }
    let (runtime, realm) = start();
    runtime.enter(&realm, |scope| {
        let payload = Object::with_payload(scope, None, Panics).unwrap();
        scope.global().set(scope, "payload", payload).unwrap();
    });
    drop(realm);
    assert_eq!(panic_of(|| drop(runtime)), "in a destructor");
    drop(start());
}

#[test]
fn panics_pass_through_all_ways_to_call_a_native_function() {
    let (runtime, realm) = start();
    runtime.on_import(|_, _| panic!("on purpose"));
    runtime.on_import_meta(|_, _, _| panic!("on purpose"));
    runtime.enter(&realm, |scope| {
        define(scope, "fail", |_, _| panic!("on purpose"));
        for source in [
            "fail()",
            "try { fail() } catch {} finally { globalThis.ran = 1 }",
            "new Promise(fail)",
            "new Promise(() => fail())",
            "(async () => { fail(); })()",
            "(async function* () { fail(); })().next()",
            "[...function* () { try { yield 1; fail(); } finally { globalThis.ran = 1; } }()]",
            "for (const one of { [Symbol.iterator]: () => ({ next: () => ({}), return: fail }) }) break",
            "for (const one of { [Symbol.iterator]: () => ({ next: () => ({}), return: fail }) }) throw 1",
            "`${{ toString: fail }}`",
            "({ valueOf: fail }) + 1",
            "({ get a() { return fail(); } }).a",
            "new Proxy({}, { get: fail }).a",
            "JSON.stringify({ toJSON: fail })",
            "[1, 2].sort(fail)",
            "Array.fromAsync([1], fail)",
            "'a'.replace(/a/, fail)",
            "Reflect.construct(Object, [], new Proxy(Object, { get: fail }))",
            "Promise.all({ [Symbol.iterator]: fail })",
            "Promise.resolve({ get then() { return fail(); } })",
            "Promise.prototype.finally.call({ then: fail, constructor: Promise }, () => {})",
            "eval('fail()')",
            "new Function('fail()')()",
            "class A { static { fail(); } }",
            "new (class { #a = fail(); })",
            "import('a')",
            "new Map([[1, 1]]).forEach(fail)",
            "Array.from({ length: 1 }, fail)",
            "(await2 = (async () => { await null; fail(); })())",
            "Promise.resolve().then(fail)",
            "new Error('a', { get cause() { return fail(); } })",
            "structured",
            "module",
            "meta",
            "awaiting",
        ] {
            let run = || {
                scope.nested(|scope| {
                    let done = match source {
                        "structured" => scope.serialize(eval(scope, "({ get a() { return fail(); } })"), &[]).map(drop),
                        "module" => evaluate(scope, "fail()"),
                        "meta" => evaluate(scope, "import.meta.url"),
                        "awaiting" => evaluate(scope, "await 1; fail()"),
                        _ => try_eval(scope, source).map(drop),
                    };
                    drop(done);
                    drop(scope.run_microtasks());
                });
            };
            assert_eq!(panic_of(run), "on purpose", "{source}");
            assert_eq!(text(scope, "typeof ran"), "undefined", "{source}");
        }
    });
}

fn evaluate(scope: Scope<'_>, source: &str) -> Fallible<()> {
    let module = Module::compile(scope, Source::new(JsString::new(scope, source)?, "test.mjs"))?;
    module.instantiate(scope)?;
    module.evaluate(scope).map(drop)
}

#[test]
fn a_panic_in_a_callback_that_cannot_fail_is_not_lost() {
    let (runtime, realm) = start();
    runtime.on_rejection(|_, _, _, _| panic!("on purpose"));
    // The loop ends, although no engine function has reported a failure.
    for source in ["Promise.reject(1); for (;;);", "Promise.reject(1)", "(async () => { throw 1 })(); 2"] {
        let outcome = panic_of(|| runtime.enter(&realm, |scope| drop(try_eval(scope, source))));
        assert_eq!(outcome, "on purpose", "{source}");
    }
    runtime.on_rejection(|_, _, _, _| ());
    assert_eq!(
        runtime.enter(&realm, |scope| text(scope, "Promise.reject(1); let n = 0; while (n < 1e6) n++; n")),
        "1000000"
    );
}

#[test]
fn interrupts_while_promises_are_watched_come_in_a_realm_of_the_program() {
    let (runtime, realm) = start();
    let count = Rc::new(Cell::new(0));
    let counted = Rc::clone(&count);
    let busy = Cell::new(false);
    runtime.on_interrupt(move |scope| {
        if busy.replace(true) {
            return true;
        }
        // The object is not in the realm of the debugger, whose values must not be mixed with those of the program.
        assert_eq!(text(scope, "typeof mine"), "object");
        busy.set(false);
        counted.set(counted.get() + 1);
        counted.get() < 300
    });
    let end = Arc::new(AtomicBool::new(false));
    let (ended, interrupter) = (Arc::clone(&end), runtime.interrupter());
    let thread = runtime.enter(&realm, |scope| {
        eval(scope, "var mine = {}");
        scope.propagate_context(Object::new(scope), "context").unwrap();
        scope
            .set_promise_hooks(object(scope, "({ event() {}, reaction() {}, begin(kept) { return kept; }, end() {} })"))
            .unwrap();
        scope.watch_promises(true).unwrap();
        let thread = std::thread::spawn(move || {
            while !ended.load(Ordering::Relaxed) {
                interrupter.interrupt();
                std::thread::sleep(std::time::Duration::from_micros(50));
            }
        });
        // The interrupt handler ends the script.
        let thrown = try_eval(scope, "for (;;) new Promise((done) => done(1))").unwrap_err();
        assert!(scope.caught(thrown).is_none());
        thread
    });
    end.store(true, Ordering::Relaxed);
    thread.join().unwrap();
    assert!(count.get() >= 300);
}

#[test]
fn the_prototype_of_stack_frames_is_no_frame() {
    let (runtime, realm) = start();
    runtime.enter(&realm, |scope| {
        define(scope, "capture", |scope, _| Ok(scope.capture_stack(8, None)?.expect("a stack").as_value()));
        let stack = object(scope, "(function f() { return capture(); })()");
        assert!(stack.stack_frames(scope).iter().any(|frame| frame.function.as_deref() == Some("f")));
        let prototype = stack.prototype(scope).unwrap().unwrap();
        assert!(prototype.stack_frames(scope).is_empty());
        assert!(object(scope, "({})").stack_frames(scope).is_empty());
        assert!(prototype.error_stack(scope).is_none());
    });
}

#[test]
fn a_sandbox_needs_a_global_object_of_its_own() {
    let (runtime, realm) = start();
    runtime.enter(&realm, |scope| {
        let plain = Object::new(scope);
        assert!(panic_of(|| scope.attach_sandbox(plain, plain, plain).is_ok()).contains("not a global object"));
        let main = scope.global();
        assert!(panic_of(|| scope.attach_sandbox(main, plain, plain).is_ok()).contains("not a global object"));
    });
}

#[test]
fn a_script_runs_in_its_realm_alone() {
    let (runtime, realm) = start();
    let other = runtime.new_realm();
    runtime.enter(&realm, |scope| {
        let source = Source::new(JsString::new(scope, "var here = 1; this").unwrap(), "test.js");
        let script = Script::compile(scope, source).unwrap();
        assert!(script.run(scope).unwrap().is_same(scope.global()));
        assert!(panic_of(|| scope.in_realm(&other, |scope| script.run(scope).is_ok())).contains("another realm"));
    });
}

#[test]
fn a_holder_of_contexts_may_throw() {
    let (runtime, realm) = start();
    runtime.enter(&realm, |scope| {
        let holder = object(scope, "var mood = ''; ({ get context() { if (mood === 'get') throw 'get'; }, set context(_) { if (mood === 'set') throw 'set'; } })");
        scope.propagate_context(holder, "context").unwrap();
        assert_eq!(
            text(scope, "mood = 'get'; const settled = Promise.resolve(), open = new Promise(() => {}); [settled, open].map((one) => { try { one.then(() => {}); } catch (error) { return error; } }).join()"),
            "get,get"
        );
        eval(scope, "mood = ''; Promise.resolve().then(() => { mood = 'set'; })");
        let thrown = scope.run_microtasks().unwrap_err();
        assert_eq!(scope.caught(thrown).unwrap().to_text(scope).unwrap(), "set");
        assert_eq!(text(scope, "mood = ''; 1"), "1");
    });
}

#[test]
fn captured_values_without_size_live_as_long_as_their_function() {
    thread_local! {
        static ALIVE: Cell<u32> = const { Cell::new(0) };
    }
    struct Token;
    impl Drop for Token {
        fn drop(&mut self) {
            ALIVE.set(ALIVE.get() - 1);
        }
    }
    ALIVE.set(1);
    let token = Token;
    let (runtime, realm) = start();
    runtime.enter(&realm, |scope| {
        define(scope, "alive", move |scope, _| {
            let _token = &token;
            Ok(scope.number(ALIVE.get()))
        });
        assert_eq!(text(scope, "alive()"), "1");
    });
    drop(realm);
    drop(runtime);
    assert_eq!(ALIVE.get(), 0);
}

#[test]
fn a_slice_of_shared_memory_does_not_change() {
    let (runtime, realm) = start();
    let end = Arc::new(AtomicBool::new(false));
    let mut message = runtime.enter(&realm, |scope| {
        scope
            .serialize(eval(scope, "globalThis.shared = new Uint8Array(new SharedArrayBuffer(4096)).fill(65)"), &[])
            .unwrap()
    });
    let ended = Arc::clone(&end);
    let thread = std::thread::spawn(move || {
        let (runtime, realm) = start();
        runtime.on_interrupt(|_| true);
        runtime.enter(&realm, |scope| {
            let shared = scope.deserialize(&mut message).unwrap();
            scope.global().set(scope, "shared", shared).unwrap();
            while !ended.load(Ordering::Relaxed) {
                eval(scope, "for (let i = 0; i < 100; i++) { shared.fill(0xf0 + i % 16); shared.fill(65); }");
            }
        });
    });
    runtime.enter(&realm, |scope| {
        let bytes = Bytes::of(eval(scope, "shared")).unwrap();
        let string = JsString::new(scope, &"ü".repeat(2048)).unwrap();
        for _ in 0..300 {
            scope.nested(|scope| {
                assert!(bytes.read(|bytes| bytes.to_vec() == bytes));
                assert!(bytes.read_both(bytes, |one, other| one.len() == other.len()));
                bytes.write(|bytes| bytes.reverse());
                let (_, written) = string.write_to(scope, bytes, |target, units| units.write_utf8(target)).unwrap();
                assert_eq!(written, 4096);
                let decoded = JsString::from_buffer_utf8(scope, bytes, 0, 4096).unwrap();
                assert!(decoded.len() <= 4096);
            });
        }
        assert_eq!(bytes.copy_to(bytes, 1, 0, usize::MAX), 4095);
    });
    end.store(true, Ordering::Relaxed);
    thread.join().unwrap();
}

#[test]
fn a_write_to_shared_memory_stores_what_has_changed() {
    let (runtime, realm) = start();
    runtime.enter(&realm, |scope| {
        let bytes =
            Bytes::of(eval(scope, "globalThis.shared = new Uint8Array(new SharedArrayBuffer(8), 2, 4)")).unwrap();
        assert_eq!(
            bytes.write(|bytes| {
                bytes[1] = 7;
                bytes.len()
            }),
            4
        );
        assert_eq!(text(scope, "new Uint8Array(shared.buffer).join()"), "0,0,0,7,0,0,0,0");
    });
}

#[test]
fn buffers_may_change_in_any_way_between_two_calls() {
    let (runtime, realm) = start();
    runtime.enter(&realm, |scope| {
        for change in ["buffer.transfer()", "buffer.resize(0)", "buffer.resize(10)", "buffer.resize(1 << 16)"] {
            eval(scope, "globalThis.buffer = new ArrayBuffer(100, { maxByteLength: 1 << 16 }); globalThis.view = new Uint8Array(buffer, 8)");
            let (buffer, view) = (Bytes::of(eval(scope, "buffer")).unwrap(), Bytes::of(eval(scope, "view")).unwrap());
            assert_eq!((buffer.len(), view.len()), (100, 92));
            eval(scope, change);
            for bytes in [buffer, view] {
                let length = bytes.len();
                bytes.write(|bytes| bytes.fill(1));
                assert!(bytes.read(|bytes| bytes.len() == length && bytes.iter().all(|byte| *byte == 1)));
                assert!(bytes.copy_to(bytes, 50, 0, 100) <= length);
                assert!(JsString::from_buffer_latin1(scope, bytes, 5, 200).unwrap().len() <= length);
            }
        }
        // Small contents are stored inside of the object, and move with it.
        for length in [0_u32, 1, 8, 64, 96, 97, 200, 1024, 1025] {
            let make = format!("new Uint8Array({length}).fill(7)");
            let view = Bytes::of(eval(scope, &make)).unwrap();
            scope.collect_garbage();
            assert!(view.read(|bytes| bytes.len() == length as usize && bytes.iter().all(|byte| *byte == 7)));
            let owned = ArrayBuffer::from_vec(scope, vec![9; length as usize]).unwrap();
            let text = JsString::from_buffer_latin1(scope, view, 0, usize::MAX).unwrap();
            assert_eq!(text.len(), length as usize);
            assert_eq!(Bytes::of(owned).unwrap().len(), length as usize);
            // The engine may transfer memory that Rust allocated, or refuse it.
            if let Ok(mut message) = scope.serialize(scope.null(), &[owned]) {
                scope.deserialize(&mut message).unwrap();
            }
            scope.global().set(scope, "owned", owned).unwrap();
            eval(scope, "if (!owned.detached) { globalThis.moved = owned.transfer(5000); moved.slice(1); structured = moved.transferToFixedLength(1); }");
        }
    });
}

#[test]
fn sizes_beyond_all_memory_throw() {
    let (runtime, realm) = start();
    runtime.enter(&realm, |scope| {
        for size in [usize::MAX, usize::MAX / 2, 1 << 60, 1 << 40] {
            assert!(ArrayBuffer::zeroed(scope, size).is_err());
            for element in [ElementType::Uint8, ElementType::Float64, ElementType::BigInt64] {
                assert!(TypedArray::zeroed(scope, element, size).is_err());
            }
        }
        let buffer = ArrayBuffer::zeroed(scope, 16).unwrap();
        for (offset, length) in [(17, 0), (0, 17), (usize::MAX, 1), (1, usize::MAX - 2), (8, 1 << 62)] {
            if let Ok(view) = buffer.bytes(scope, offset, length) {
                assert!(Bytes::of(view).unwrap().len() <= 16);
            }
        }
        assert!(buffer.int32_view(scope).is_ok() && buffer.float64_view(scope).is_ok());
        buffer.detach(scope).unwrap();
        assert!(buffer.bytes(scope, 0, 1).is_err());
    });
}

#[test]
fn globals_and_strings_of_a_runtime_that_is_gone_are_inert() {
    thread_local! {
        static KEPT: RefCell<Vec<Global<Object>>> = const { RefCell::new(Vec::new()) };
    }
    struct KeepsGlobal(#[allow(dead_code)] Option<Global<Object>>);
    let (runtime, realm) = start();
    runtime.enter(&realm, |scope| {
        for _ in 0..100 {
            let object = Object::new(scope);
            KEPT.with(|kept| kept.borrow_mut().push(Global::new(scope, object)));
            // The last collection drops the payload, after the table of globals was closed.
            let kept = KeepsGlobal(Some(Global::new(scope, object)));
            let holder = Object::with_payload(scope, None, kept).unwrap();
            scope.global().set(scope, "last", holder).unwrap();
        }
    });
    drop(runtime);
    drop(realm);
    let (_runtime, _realm) = start();
    KEPT.with(|kept| kept.borrow_mut().truncate(50));
}

#[test]
fn helper_threads_may_have_work_when_a_runtime_is_dropped() {
    for round in 0..15 {
        let (runtime, realm) = start();
        let woken = Arc::new(AtomicBool::new(false));
        let wake = Arc::clone(&woken);
        runtime.on_async_task(move || wake.store(true, Ordering::Relaxed));
        runtime.enter(&realm, |scope| {
            let source = "const body = [0x41, 0, 0x41, 1, 0x6a, 0x1a], code = [];
                for (let i = 0; i < 3000; i++) code.push(...body);
                const leb = (n) => { const out = []; do { let b = n & 127; n >>>= 7; if (n) b |= 128; out.push(b); } while (n); return out; };
                const one = [...leb(code.length + 2), 0, ...code, 0x0b], section = [1, ...one];
                const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 10, ...leb(section.length), ...section]);
                for (let i = 0; i < 8; i++) WebAssembly.compile(bytes).then(() => { globalThis.done = (globalThis.done ?? 0) + 1; });
                const shared = new Int32Array(new SharedArrayBuffer(8));
                Atomics.waitAsync(shared, 0, 0, 1); Atomics.waitAsync(shared, 1, 0); Atomics.notify(shared, 1); 1";
            eval(scope, source);
            if round % 3 == 1 {
                scope.run_async_tasks();
            }
            if round % 3 == 2 {
                while scope.eval("globalThis.done", Origin::new("done.js")).unwrap().to_int32() != Some(8) {
                    scope.wait_for_helpers();
                    scope.run_async_tasks();
                    scope.run_microtasks().unwrap();
                }
            }
        });
        drop((runtime, realm));
    }
}

#[test]
fn the_promise_of_an_async_function_is_settled_by_it_alone() {
    let (runtime, realm) = start();
    runtime.enter(&realm, |scope| {
        let promise = object(scope, "(async () => { await 1; return 2; })()");
        for settle in [Local::resolve_promise, Local::reject_promise] {
            let thrown = settle(promise, scope, scope.null()).unwrap_err();
            let error = scope.caught(thrown).expect("it can be caught");
            assert_eq!(error.to_text(scope).unwrap(), "TypeError: the promise of an async function");
        }
        scope.run_microtasks().unwrap();
        assert!(matches!(promise.promise_state(scope), Some(PromiseState::Fulfilled(_))));
    });
}

#[test]
fn any_object_may_be_asked_for_anything() {
    let (runtime, realm) = start();
    runtime.enter(&realm, |scope| {
        define(scope, "capture", |scope, _| Ok(scope.capture_stack(8, None)?.expect("a stack").as_value()));
        let module =
            Module::compile(scope, Source::new(JsString::new(scope, "export let a").unwrap(), "m.mjs")).unwrap();
        module.instantiate(scope).unwrap();
        let script = Script::compile(scope, Source::new(JsString::new(scope, "1").unwrap(), "s.js")).unwrap();
        let mut objects: Vec<Local<'_, Object>> = vec![
            module.as_value().cast().unwrap(),
            script.as_value().cast().unwrap(),
            module.namespace(scope).unwrap(),
            Object::with_payload(scope, None, 1).unwrap(),
            object(scope, "capture()"),
            object(scope, "Object.getPrototypeOf(capture())"),
        ];
        for source in [
            "{}",
            "[]",
            "function () {}",
            "function* () {}",
            "async () => {}",
            "class {}",
            "Math.max",
            "(() => 1).bind()",
            "Proxy",
            "new Proxy({}, {})",
            "new Proxy(() => {}, {})",
            "(() => { const r = Proxy.revocable({}, {}); r.revoke(); return r.proxy; })()",
            "new Map([[1, 2]])",
            "new Set([1])",
            "new WeakMap",
            "new WeakSet",
            "new WeakRef({})",
            "new FinalizationRegistry(() => {})",
            "new Map().entries()",
            "new Set().values()",
            "[].values()",
            "Promise.resolve(1)",
            "Promise.reject(1)",
            "new Promise(() => {})",
            "new Date",
            "/a/",
            "new Error",
            "new AggregateError([])",
            "Error.prototype",
            "Map.prototype",
            "Set.prototype",
            "WeakMap.prototype",
            "Promise.prototype",
            "Object.getPrototypeOf(new Map().entries())",
            "new ArrayBuffer(1)",
            "new SharedArrayBuffer(1)",
            "new Uint8Array(1)",
            "new DataView(new ArrayBuffer(1))",
            "globalThis",
            "Math",
            "new WebAssembly.Memory({ initial: 1 }).buffer",
            "new WebAssembly.Memory({ initial: 1 })",
            "(function () { return arguments; })(1)",
            "Object(Symbol())",
            "Object(1n)",
            "Intl",
            "new Intl.DateTimeFormat",
            "(function* () {})()",
            "(async function* () {})()",
            "Symbol.prototype",
            "Function.prototype",
            "ArrayBuffer.prototype",
            "Uint8Array.prototype",
            "Object.getPrototypeOf(Uint8Array.prototype)",
            "RegExp.prototype",
        ] {
            objects.push(object(scope, &format!("({source})")));
        }
        for one in objects {
            ask(scope, one);
        }
    });
}

fn ask<'s>(scope: Scope<'s>, one: Local<'s, Object>) {
    let value = one.as_value();
    let _ = (one.class_name(scope), one.builtin_class(scope), one.proxy_parts(scope), one.function_kind());
    let _ = (one.promise_state(scope), one.iterator_position(scope), one.weak_keys(scope).is_ok());
    let _ = (one.collection_entries(scope).is_ok(), one.error_stack(scope), one.stack_frames(scope));
    let _ = (
        one.own_keys(scope, OwnKeys::All).is_ok(),
        one.non_index_keys(scope, false).is_ok(),
        one.prototype(scope).is_ok(),
    );
    let _ = (one.resolve_promise(scope, value).is_ok(), one.mark_handled(scope).is_ok(), one.payload::<i32>());
    if one.class_name(scope) == "WeakMap" {
        for key in [value, scope.null(), scope.number(1), eval(scope, "Symbol()"), eval(scope, "Symbol.for('a')")] {
            assert!(one.weak_value(scope, key).is_ok());
        }
    }
    if let Some(bytes) = Bytes::of(value) {
        let _ = bytes.to_vec();
    }
    if let Some(array) = value.cast::<Array>() {
        let _ = array.len(scope);
    }
    if let Some(function) = value.cast::<Function>() {
        let _ = (function.call(scope, value, &[]).is_ok(), function.construct(scope, &[]).is_ok());
        let _ = scope.capture_stack(2, Some(function)).is_ok();
    }
    let _ = scope.serialize(value, &[]).map(|mut message| scope.deserialize(&mut message).is_ok());
    let _ = (
        value.to_text(scope).is_ok(),
        value.is_truthy(),
        one.set(scope, "a", value).is_ok(),
        one.get(scope, "a").is_ok(),
    );
    scope.in_realm_of(one, |scope| assert!(scope.global().get(scope, "Object").is_ok()));
    let _ = BigInt::from_i64(scope, i64::MIN).map(Local::to_u64_wrapping);
}

#[test]
fn modules_are_evaluated_again_from_inside() {
    let (runtime, realm) = start();
    let other = runtime.new_realm();
    runtime.enter(&realm, |scope| {
        let module =
            |text: &str| Module::compile(scope, Source::new(JsString::new(scope, text).unwrap(), "m.mjs")).unwrap();
        let kept: Rc<RefCell<Vec<Global<Module>>>> = Rc::default();
        let modules = Rc::clone(&kept);
        define(scope, "again", move |scope, _| {
            for module in modules.borrow().iter() {
                let module = module.get(scope);
                let _ =
                    (module.status(scope).is_ok(), module.instantiate(scope).is_ok(), module.evaluate(scope).is_ok());
                let _ = (module.namespace(scope).is_ok(), module.error(scope).is_ok(), module.status(scope).is_ok());
            }
            Ok(scope.undefined())
        });
        for texts in [
            ["import 'b'; again()", "import 'a'; again()"],
            ["import 'b'; again(); throw 1", "import 'a'; again()"],
            ["import 'b'; again()", "import 'a'; again(); throw 1"],
            ["import 'b'; await 1; again()", "import 'a'; await 1; again(); throw 1"],
            ["import {x} from 'b'; again()", "import 'a'; again()"],
        ] {
            // The modules belong to a realm that is not the current one.
            let (one, two) = scope.in_realm(&other, |_| (module(texts[0]), module(texts[1])));
            assert!(one.set_imports(scope, &[module("")]).is_err(), "a module of another realm");
            *kept.borrow_mut() = vec![Global::new(scope, one), Global::new(scope, two)];
            // Partly linked graphs are refused.
            let _ = (one.instantiate(scope).is_err(), one.evaluate(scope).is_err(), one.status(scope).is_ok());
            one.set_imports(scope, &[two]).unwrap();
            let _ = (one.instantiate(scope).is_err(), one.evaluate(scope).is_err(), two.instantiate(scope).is_err());
            two.set_imports(scope, &[one]).unwrap();
            let _ = (one.instantiate(scope).is_ok(), one.evaluate(scope).is_ok(), two.evaluate(scope).is_ok());
            let _ = (scope.run_microtasks().is_ok(), one.status(scope).is_ok(), two.error(scope).is_ok());
        }
    });
}

/// Ends the process in a native function while helper threads compile. The next test runs this test in a process of its
/// own.
#[test]
#[ignore = "the body of a child process; the next test runs it"]
fn exits() {
    let (runtime, realm) = start();
    runtime.enter(&realm, |scope| {
        define(scope, "exit", |_, _| std::process::exit(7));
        drop(try_eval(scope, "for (let i = 0; i < 60; i++) { const f = new Function('n', `let s = ${i}; for (let j = 0; j < n; j++) s = (s * 31 + j) | 0; return s`); f(3e5); } exit()"));
    });
}

#[test]
fn a_process_may_exit_while_its_runtime_is_in_use() {
    for _ in 0..5 {
        let program = std::env::current_exe().unwrap();
        let output = std::process::Command::new(program).args(["--ignored", "--exact", "exits"]).output().unwrap();
        assert_eq!(output.status.code(), Some(7), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
