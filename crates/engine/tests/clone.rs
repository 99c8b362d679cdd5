//! Tests of values that are cloned between runtimes.

use phasor_engine::{
    ArrayBuffer, BuiltinClass, Bytes, Fallible, Local, Object, Options, Origin, Realm, Runtime, Scope, Serialized,
    Value,
};

fn start() -> (Runtime, Realm) {
    let runtime = Runtime::new(Options::default());
    let realm = runtime.new_realm();
    (runtime, realm)
}

fn eval<'s>(scope: Scope<'s>, source: &str) -> Local<'s, Value> {
    try_eval(scope, source).unwrap_or_else(|_| panic!("{source} throws"))
}

fn try_eval<'s>(scope: Scope<'s>, source: &str) -> Fallible<Local<'s, Value>> {
    scope.eval(source, Origin::new("test.js"))
}

fn text(scope: Scope<'_>, source: &str) -> String {
    eval(scope, source).to_text(scope).unwrap()
}

/// Sets the global variable `copy` to a clone of `value`.
fn copy(scope: Scope<'_>) -> Fallible<()> {
    let value = eval(scope, "value");
    let mut serialized = scope.serialize(value, &[])?;
    let copy = scope.deserialize(&mut serialized)?;
    scope.global().set(scope, "copy", copy)
}

#[test]
fn values_keep_their_structure() {
    let (runtime, realm) = start();
    runtime.enter(&realm, |scope| {
        eval(
            scope,
            "var value = { text: 'grün\\ud800', list: [1, , -0, NaN, 2n ** 70n], when: new Date(5), re: /a+/gi, boxed: Object('x') };
             value.self = value; value['__proto__x'] = 1; Object.defineProperty(value, '__proto__', { value: 7, enumerable: true });
             value.map = new Map([[value, 'me'], ['k', new Set([1, value.list])]]);
             value.bytes = new Uint16Array([1, 2, 3]).subarray(1); value.same = value.bytes.buffer; value.error = new RangeError('no');",
        );
        copy(scope).unwrap();
        for (source, expected) in [
            ("copy.text === value.text && copy !== value && copy.self === copy", "true"),
            ("[1 in copy.list, Object.is(copy.list[2], -0), copy.list[3], copy.list[4]].join()", "false,true,NaN,1180591620717411303424"),
            ("[copy.when.getTime(), copy.re, copy.boxed + 'y', typeof copy.boxed].join()", "5,/a+/gi,xy,object"),
            ("copy.map.get(copy) + copy.map.get('k').has(copy.list)", "metrue"),
            ("[copy.bytes.join(), copy.same === copy.bytes.buffer, copy.same !== value.same].join()", "2,3,true,true"),
            ("Object.getOwnPropertyDescriptor(copy, '__proto__').value", "7"),
            ("[copy.error instanceof RangeError, copy.error.message].join()", "true,no"),
        ] {
            assert_eq!(text(scope, source), expected, "{source}");
        }
    });
}

#[test]
fn unknown_objects_are_refused() {
    let (runtime, realm) = start();
    runtime.enter(&realm, |scope| {
        for source in [
            "() => 1",
            "Symbol('a')",
            "new Promise(() => {})",
            "new WeakMap()",
            "new Proxy({}, {})",
            "[function () {}]",
        ] {
            eval(scope, &format!("var value = {source}"));
            assert!(copy(scope).is_err(), "{source}");
        }
        // The runtime still works after the failure.
        eval(scope, "var value = 1");
        copy(scope).unwrap();
        assert_eq!(text(scope, "copy"), "1");
    });
}

#[test]
fn getters_may_throw_and_change_the_value() {
    let (runtime, realm) = start();
    runtime.enter(&realm, |scope| {
        eval(scope, "var value = { get a() { throw new Error('mine'); } }");
        let thrown = copy(scope).unwrap_err();
        assert_eq!(scope.caught(thrown).unwrap().to_text(scope).unwrap(), "Error: mine");
        // A getter that transfers a buffer, deletes properties and shortens an array.
        eval(
            scope,
            "var buffer = new ArrayBuffer(1 << 16); var list = [1, 2, 3, 4];
             var value = { get first() { structured = buffer.transfer(); delete value.gone; list.length = 1; return 1; }, list, gone: 1, buffer };
             var structured;",
        );
        // The getter detached the buffer before the engine read it: the copy is refused, and no freed memory is read.
        assert!(copy(scope).is_err());
        eval(scope, "delete value.buffer; value.gone = 1; list.push(2, 3); buffer = structured");
        copy(scope).unwrap();
        assert_eq!(text(scope, "[copy.first, copy.list, 'gone' in copy].join()"), "1,1,false");
        // A view whose buffer a getter detaches after the view was seen.
        eval(
            scope,
            "var view = new Uint8Array(1 << 16); var value = [view, { get x() { view.buffer.transfer(); return view; } }]",
        );
        copy(scope).unwrap();
        assert_eq!(text(scope, "[copy[0].length, copy[1].x === copy[0]].join()"), "65536,true");
    });
}

#[test]
fn buffers_are_transferred_once() {
    let (runtime, realm) = start();
    runtime.enter(&realm, |scope| {
        for bytes in [0, 8, 1 << 20] {
            eval(scope, &format!("var buffer = new ArrayBuffer({bytes}); new Uint8Array(buffer).fill(7); var view = new Uint8Array(buffer)"));
            let buffer = eval(scope, "buffer").cast::<ArrayBuffer>().unwrap();
            let mut serialized = scope.serialize(eval(scope, "[view, buffer]"), &[buffer]).unwrap();
            assert!(serialized.len_bytes() > bytes);
            assert_eq!(text(scope, "[buffer.detached, view.length].join()"), "true,0");
            let read = scope.deserialize(&mut serialized).unwrap();
            scope.global().set(scope, "read", read).unwrap();
            assert_eq!(text(scope, "[read[0].length, read[0].every((byte) => byte === 7), read[0].buffer === read[1]].join()"), format!("{bytes},true,true"));
            assert!(scope.deserialize(&mut serialized).is_err(), "a second read");
        }
        // The message is never read, and is dropped on another thread.
        let buffer = eval(scope, "new ArrayBuffer(1 << 20)").cast::<ArrayBuffer>().unwrap();
        let unread = scope.serialize(scope.null(), &[buffer]).unwrap();
        std::thread::spawn(move || drop(unread)).join().unwrap();
        assert!(Bytes::of(buffer).unwrap().is_empty());
        // Refused: a detached buffer, and a buffer that is listed twice.
        assert!(scope.serialize(scope.null(), &[buffer]).is_err());
        let buffer = eval(scope, "buffer = new ArrayBuffer(8)").cast::<ArrayBuffer>().unwrap();
        assert!(scope.serialize(scope.null(), &[buffer, buffer]).is_err());
        assert!(scope.serialize(eval(scope, "[buffer, () => 1]"), &[buffer]).is_err());
        assert_eq!(text(scope, "buffer.byteLength"), "8");
        // A resizable buffer keeps its limit.
        let buffer = eval(scope, "buffer = new ArrayBuffer(8, { maxByteLength: 64 })").cast::<ArrayBuffer>().unwrap();
        let mut serialized = scope.serialize(buffer.as_value(), &[buffer]).unwrap();
        let read = scope.deserialize(&mut serialized).unwrap();
        scope.global().set(scope, "read", read).unwrap();
        assert_eq!(text(scope, "read.resize(64); [read.byteLength, read.maxByteLength, buffer.detached].join()"), "64,64,true");
    });
}

#[test]
fn threads_share_memory_and_messages_outlive_their_runtime() {
    let message: Serialized = std::thread::spawn(|| {
        let (runtime, realm) = start();
        runtime.enter(&realm, |scope| {
            let value = eval(
                scope,
                "({ shared: new Int32Array(new SharedArrayBuffer(16, { maxByteLength: 32 })), text: 'x'.repeat(10000), wide: 'ü€'.repeat(1000) })",
            );
            scope.serialize(value, &[]).unwrap()
        })
    })
    .join()
    .unwrap();
    let (runtime, realm) = start();
    let mut message = message;
    runtime.enter(&realm, |scope| {
        for name in ["one", "other"] {
            let value = scope.deserialize(&mut message).unwrap();
            scope.global().set(scope, name, value).unwrap();
        }
        drop(message);
        eval(scope, "one.shared[3] = 5; one.shared.buffer.grow(32)");
        assert_eq!(
            text(scope, "[other.shared[3], other.shared.length, one.text.length, one.wide.length].join()"),
            "5,8,10000,2000"
        );
        let value = eval(scope, "one.shared");
        let mut again = scope.serialize(value, &[]).unwrap();
        let thread = std::thread::spawn(move || {
            let (runtime, realm) = start();
            runtime.enter(&realm, |scope| {
                let value = scope.deserialize(&mut again).unwrap();
                scope.global().set(scope, "far", value).unwrap();
                eval(scope, "Atomics.add(far, 3, 6); Atomics.notify(far, 3)");
            });
        });
        assert_eq!(text(scope, "while (Atomics.load(one.shared, 3) === 5); other.shared[3]"), "11");
        thread.join().unwrap();
    });
}

#[test]
fn deep_values_do_not_overflow_the_stack() {
    let (runtime, realm) = start();
    runtime.enter(&realm, |scope| {
        eval(scope, "var value = []; for (let i = 0; i < 200_000; i++) value = [value]");
        copy(scope).unwrap();
        assert_eq!(
            text(scope, "let depth = 0; for (let at = copy; at.length > 0; at = at[0]) depth++; depth"),
            "200000"
        );
    });
}

#[test]
fn builtin_classes_are_told_by_slots() {
    let (runtime, realm) = start();
    runtime.enter(&realm, |scope| {
        use BuiltinClass::*;
        for (source, class) in [
            ("{}", Plain),
            ("new (class A { #x = 1 })", Plain),
            ("Object.create(null)", Plain),
            ("Object.create(Map.prototype)", Plain),
            ("[]", Array),
            ("Object(1n)", Boxed),
            ("Object(Symbol())", Other),
            ("new (class extends Error {})", Error),
            ("Object.setPrototypeOf(new Date, null)", Date),
            ("/a/", RegExp),
            ("new Map", Map),
            ("new Set", Set),
            ("new ArrayBuffer(1)", ArrayBuffer),
            ("new SharedArrayBuffer(1)", SharedArrayBuffer),
            ("new DataView(new ArrayBuffer(1))", View),
            ("new Float64Array(1)", View),
            ("new Proxy([], {})", Proxy),
            ("Promise.resolve()", Other),
            ("() => 1", Other),
            ("(function () { return arguments; })()", Other),
            ("new Map().keys()", Other),
            ("(function* () {})()", Other),
        ] {
            let object = eval(scope, &format!("({source})")).cast::<Object>().unwrap();
            assert_eq!(object.builtin_class(scope), class, "{source}");
        }
    });
}
