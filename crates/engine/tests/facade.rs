//! Tests of the facade through its public interface: values, functions, exceptions, lifetimes, interrupts.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::time::Duration;

use phasor_engine::{
    Arguments, Array, Attributes, CompiledScript, Fallible, Function, Global, JsString, Local, Object, Options, Origin,
    Realm, Runtime, Scope, SelfHostedCode, Value,
};

/// Makes a runtime with a realm. With the feature `debug-engine` it collects at every tenth allocation.
fn start() -> (Runtime, Realm) {
    let runtime = Runtime::new(Options::default());
    let realm = runtime.new_realm();
    #[cfg(feature = "debug-engine")]
    runtime.set_gc_zeal(2, 10);
    (runtime, realm)
}

fn eval<'s>(scope: Scope<'s>, source: &str) -> Fallible<Local<'s, Value>> {
    scope.eval(source, Origin::new("test.js"))
}

/// The result of a script as text, or the text of the exception that it throws.
fn text_of(scope: Scope<'_>, source: &str) -> String {
    scope.nested(|scope| {
        let result = scope.try_catch(|| eval(scope, source));
        let value = match result {
            Ok(value) | Err(Some(value)) => value,
            Err(None) => return "ended".to_owned(),
        };
        value.to_text(scope).expect("it has a text")
    })
}

fn add<'s>(scope: Scope<'s>, arguments: Arguments<'s>) -> Fallible<Local<'s, Value>> {
    let sum: f64 = (0..arguments.len()).filter_map(|index| arguments.given(index)?.to_f64()).sum();
    Ok(scope.number(sum))
}

/// Defines a native function on the global object.
fn define<F: phasor_engine::Native>(scope: Scope<'_>, name: &str, native: F) {
    let global = scope.global();
    let function = Function::new(scope, name, 0, native).expect("a function");
    global.define(scope, name, function, Attributes::METHOD).expect("it is defined");
}

#[test]
fn values_go_both_ways() {
    let (runtime, realm) = start();
    runtime.enter(&realm, |scope| {
        for (source, kind) in [
            ("undefined", "undefined"),
            ("null", "null"),
            ("true", "boolean"),
            ("1.5", "number"),
            ("'a'", "string"),
            ("1n", "bigint"),
        ] {
            assert_eq!(eval(scope, source).unwrap().type_name(), kind, "{source}");
        }
        assert_eq!(eval(scope, "-0").unwrap().to_f64().map(f64::is_sign_negative), Some(true));
        assert_eq!(eval(scope, "2 ** 31").unwrap().to_int32(), None);
        for text in ["", "ascii", "grün", "日本語", "🎉"] {
            let string = JsString::new(scope, text).unwrap();
            assert_eq!(string.to_text(scope).unwrap(), text);
            assert_eq!(string.len(), text.encode_utf16().count());
        }
        let lone = eval(scope, "'a\\ud800'").unwrap().cast::<JsString>().unwrap();
        assert_eq!(lone.to_utf16(scope).unwrap(), [0x61, 0xd800]);
        assert_eq!(lone.to_text(scope).unwrap(), "a\u{fffd}");
        // A rope: a string that the engine keeps in parts.
        let parts = eval(scope, "let t = ''; for (let i = 0; i < 100; i++) t += i + 'ü'; t")
            .unwrap()
            .cast::<JsString>()
            .unwrap();
        assert!(parts.to_text(scope).unwrap().ends_with("99ü"));
    });
}

#[test]
fn properties_are_read_and_written() {
    let (runtime, realm) = start();
    runtime.enter(&realm, |scope| {
        let object = Object::new(scope);
        let one = scope.number(1);
        object.set(scope, "a", one).unwrap();
        object.set(scope, 7, one).unwrap();
        object.define(scope, "fixed", one, Attributes::default()).unwrap();
        let global = scope.global();
        global.set(scope, "object", object).unwrap();
        assert_eq!(text_of(scope, "JSON.stringify(object)"), r#"{"7":1,"a":1}"#);
        assert_eq!(text_of(scope, "'use strict'; object.fixed = 2"), "TypeError: \"fixed\" is read-only");
        assert!(object.has(scope, "toString").unwrap());
        object.delete(scope, "a").unwrap();
        assert!(!object.has(scope, "a").unwrap());
        assert!(object.get(scope, "a").unwrap().is_undefined());
        let array = Array::new(scope, &[one, one.as_value()]).unwrap();
        assert_eq!(array.len(scope), 2);
        assert!(array.as_value().is::<Array>() && !object.is::<Array>());
        object.set_prototype(scope, None).unwrap();
        assert!(object.prototype(scope).unwrap().is_none());
    });
}

#[test]
fn functions_are_called_in_both_directions() {
    let (runtime, realm) = start();
    runtime.enter(&realm, |scope| {
        define(scope, "add", add);
        assert_eq!(text_of(scope, "add(1, 2, 3.5)"), "6.5");
        let calls = Rc::new(Cell::new(0));
        let counted = Rc::clone(&calls);
        define(scope, "count", move |scope, _| {
            counted.set(counted.get() + 1);
            Ok(scope.undefined())
        });
        eval(scope, "for (let i = 0; i < 20_000; i++) count(i)").unwrap();
        assert_eq!(calls.get(), 20_000);
        let function = eval(scope, "(function (...rest) { return [this.x, ...rest].join(); })")
            .unwrap()
            .cast::<Function>()
            .unwrap();
        let this = Object::new(scope);
        let x = scope.number(5);
        this.set(scope, "x", x).unwrap();
        let many: Vec<_> = (0..12).map(|value| scope.number(value)).collect();
        for count in [0, 3, 12] {
            let result = function.call(scope, this, &many[..count]).unwrap().to_text(scope).unwrap();
            assert_eq!(result.split(',').count(), count + 1, "{result}");
        }
        let class = eval(scope, "(class A { constructor(x) { this.x = x; } })").unwrap().cast::<Function>().unwrap();
        let made = class.construct(scope, &[x]).unwrap();
        assert_eq!(made.get(scope, "x").unwrap().to_int32(), Some(5));
    });
}

#[test]
fn exceptions_pass_through_both_languages() {
    let (runtime, realm) = start();
    runtime.enter(&realm, |scope| {
        define(scope, "run", |scope, arguments| {
            let function = arguments.given(0).and_then(Local::cast::<Function>).expect("a function is given");
            let this = scope.undefined();
            function.call(scope, this, &[])
        });
        assert_eq!(text_of(scope, "try { run(() => { throw 'inner' }) } catch (e) { 'caught ' + e }"), "caught inner");
        assert_eq!(text_of(scope, "run(() => missing)"), "ReferenceError: missing is not defined");
        assert_eq!(text_of(scope, "1 +"), "SyntaxError: expected expression, got end of script");
        define(scope, "fail", |scope, _| {
            let reason = JsString::new(scope, "reason")?.as_value();
            Err(scope.throw(reason))
        });
        assert_eq!(text_of(scope, "try { fail() } catch (e) { e + '!' }"), "reason!");
        // No exception is left pending.
        assert_eq!(text_of(scope, "1"), "1");
    });
}

#[test]
fn a_panic_ends_javascript_and_goes_on_in_rust() {
    let (runtime, realm) = start();
    runtime.enter(&realm, |scope| define(scope, "fail", |_, _| panic!("on purpose")));
    let source =
        "let ran = []; try { fail() } catch { ran.push('catch') } finally { ran.push('finally') } ran.push('after')";
    let outcome = catch_unwind(AssertUnwindSafe(|| runtime.enter(&realm, |scope| drop(eval(scope, source)))));
    assert_eq!(outcome.unwrap_err().downcast_ref(), Some(&"on purpose"));
    assert_eq!(runtime.enter(&realm, |scope| text_of(scope, "String(ran)")), "");
}

#[test]
fn locals_and_globals_follow_what_moves() {
    let (runtime, realm) = start();
    let kept: Vec<Global<Object>> = runtime.enter(&realm, |scope| {
        let objects: Vec<_> = (0..3000)
            .map(|number| {
                let object = Object::new(scope);
                let value = scope.number(number);
                object.set(scope, "number", value).unwrap();
                object
            })
            .collect();
        eval(scope, "for (let i = 0; i < 200_000; i++) ({ i })").unwrap();
        for (object, number) in objects.iter().zip(0..) {
            assert_eq!(object.get(scope, "number").unwrap().to_int32(), Some(number));
        }
        objects.into_iter().map(|object| Global::new(scope, object)).collect()
    });
    runtime.collect_garbage();
    runtime.enter(&realm, |scope| {
        for (global, number) in kept.iter().zip(0..) {
            let object = global.get(scope);
            assert_eq!(object.get(scope, "number").unwrap().to_int32(), Some(number));
        }
    });
    let rest = kept.len() / 2;
    kept.into_iter().take(rest).for_each(drop);
}

#[test]
fn a_nested_scope_frees_its_locals_and_may_keep_one() {
    let (runtime, realm) = start();
    runtime.enter(&realm, |scope| {
        let mut last = Object::new(scope).as_value();
        for number in 0..100_000 {
            scope.nested(|scope| {
                let object = Object::new(scope);
                let value = scope.number(number);
                object.set(scope, "number", value).unwrap();
            });
            if number % 1000 == 0 {
                last = scope.escape(|scope| scope.number(number));
            }
        }
        assert_eq!(last.to_int32(), Some(99_000));
        let failed = scope.try_catch(|| scope.try_escape(|scope| eval(scope, "throw 4")));
        assert_eq!(failed.unwrap_err().unwrap().to_int32(), Some(4));
    });
}

#[test]
fn payloads_are_found_by_type_and_dropped_with_their_object() {
    struct Payload(Rc<RefCell<Vec<u32>>>, u32);
    impl Drop for Payload {
        fn drop(&mut self) {
            self.0.borrow_mut().push(self.1);
        }
    }
    let dropped = Rc::new(RefCell::new(Vec::new()));
    let (runtime, realm) = start();
    runtime.enter(&realm, |scope| {
        let kept = Object::with_payload(scope, None, Payload(Rc::clone(&dropped), 1)).unwrap();
        let global = scope.global();
        global.set(scope, "kept", kept).unwrap();
        scope.nested(|scope| {
            let lost = Object::with_payload(scope, None, Payload(Rc::clone(&dropped), 2)).unwrap();
            assert_eq!(lost.payload::<Payload>().unwrap().1, 2);
            assert!(lost.payload::<u32>().is_none());
        });
        assert!(Object::new(scope).payload::<Payload>().is_none());
        assert!(global.payload::<Payload>().is_none());
    });
    runtime.collect_garbage();
    assert_eq!(*dropped.borrow(), [2]);
    drop(realm);
    drop(runtime);
    assert_eq!(*dropped.borrow(), [2, 1]);
}

#[test]
fn an_interrupt_ends_a_loop_that_nothing_else_ends() {
    let (runtime, realm) = start();
    let asked = Rc::new(Cell::new(0));
    let count = Rc::clone(&asked);
    runtime.on_interrupt(move |_| {
        count.set(count.get() + 1);
        count.get() < 2
    });
    let interrupter = runtime.interrupter();
    let thread = std::thread::spawn(move || {
        // The first interrupts may come before the script runs its loop. The handler is called then or in the loop; its second
        // call returns false, which ends the script.
        for _ in 0..200 {
            std::thread::sleep(Duration::from_millis(5));
            interrupter.interrupt();
        }
    });
    let text = runtime
        .enter(&realm, |scope| text_of(scope, "try { for (;;); } catch { 'caught' } finally { globalThis.last = 1 }"));
    assert_eq!(text, "ended");
    assert_eq!(asked.get(), 2);
    // The runtime can be used again, and an interrupt of a runtime that is gone does nothing.
    runtime.on_interrupt(|_| true);
    assert_eq!(runtime.enter(&realm, |scope| text_of(scope, "typeof last")), "undefined");
    drop(realm);
    drop(runtime);
    thread.join().unwrap();
}

#[test]
fn an_interrupt_that_comes_just_before_a_wait_ends_it() {
    let (runtime, realm) = start();
    runtime.on_interrupt(|_| false);
    let interrupter = runtime.interrupter();
    runtime.enter(&realm, |scope| {
        // JavaScript does not check for interrupts between this call and the wait.
        define(scope, "interrupt", move |scope, _| {
            interrupter.interrupt();
            Ok(scope.undefined())
        });
        let text = text_of(scope, "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, interrupt())");
        assert_eq!(text, "ended");
    });
}

#[test]
fn errors_can_be_caught_in_a_realm_made_with_little_stack_left() {
    let (runtime, realm) = start();
    runtime.enter(&realm, |scope| {
        define(scope, "inNewRealm", |scope, _| {
            let realm = scope.new_realm()?;
            scope.in_realm_of(realm, |scope| scope.eval("(function f() { return f() + 1; })()", Origin::new("f.js")))
        });
        let source = "let left = 600; let ends = new Set(); \
            function f() { \
                try { f(); } catch {} \
                if (left-- > 0) try { inNewRealm(); } catch (error) { ends.add(error.message); } \
            } \
            f(); ends.delete('Maximum call stack size exceeded'); [...ends].join()";
        assert_eq!(text_of(scope, source), "too much recursion");
    });
}

#[test]
fn too_many_frames_are_a_range_error() {
    let (runtime, realm) = start();
    runtime.enter(&realm, |scope| {
        define(scope, "again", |scope, arguments| {
            let function = arguments.given(0).and_then(Local::cast::<Function>).expect("a function is given");
            let this = scope.undefined();
            function.call(scope, this, &[])
        });
        let text = text_of(
            scope,
            "let depth = 0; function f() { depth++; again(f); } try { f() } catch (e) { e.name + (depth > 100) }",
        );
        assert_eq!(text, "InternalErrortrue");
        assert_eq!(text_of(scope, "1"), "1");
    });
}

#[test]
fn a_value_of_another_runtime_is_refused() {
    let (one, realm) = start();
    let kept = one.enter(&realm, |scope| {
        let object = Object::new(scope);
        Global::new(scope, object)
    });
    drop(realm);
    drop(one);
    let (other, realm) = start();
    let outcome = catch_unwind(AssertUnwindSafe(|| other.enter(&realm, |scope| kept.get(scope).is::<Object>())));
    assert!(outcome.is_err());
}

#[test]
fn threads_have_runtimes_of_their_own() {
    let threads: Vec<_> = (0..4)
        .map(|number| {
            std::thread::spawn(move || {
                let (runtime, realm) = start();
                runtime.enter(&realm, |scope| text_of(scope, &format!("[1, 2, 3].map((x) => x * {number}).join()")))
            })
        })
        .collect();
    let texts: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    assert_eq!(texts, ["0,0,0", "1,2,3", "2,4,6", "3,6,9"]);
}

#[test]
fn realms_share_their_values_and_have_builtins_of_their_own() {
    let (runtime, realm) = start();
    let other = runtime.new_realm();
    runtime.enter(&realm, |scope| {
        let array = eval(scope, "globalThis.list = [1, 2]; list").unwrap();
        scope.in_realm(&other, |scope| {
            let global = scope.global();
            global.set(scope, "foreign", array).unwrap();
            assert_eq!(
                text_of(
                    scope,
                    "foreign.push(3); [typeof list, foreign instanceof Array, Array.isArray(foreign)].join()"
                ),
                "undefined,false,true"
            );
        });
        assert_eq!(text_of(scope, "list.length"), "3");
    });
}

#[test]
fn a_script_compiled_ahead_runs_without_its_source() {
    fn leak(bytes: Vec<u8>) -> &'static [u8] {
        // The allocator aligns to more than the four bytes that compiled code needs.
        bytes.leak()
    }
    let source = "(function (a) { return [a, 2].map((n) => { const f = (m) => m * n; return f(10); }); })";
    let bytes = {
        let runtime = Runtime::new(Options::default());
        let realm = runtime.new_realm();
        runtime.enter(&realm, |scope| scope.compile_ahead(source, Origin::new("ahead.js")).expect("it compiles"))
    };
    let self_hosted = SelfHostedCode::compile();
    assert!(self_hosted.len() > 100_000);
    // SAFETY: this build has just made both.
    let (script, self_hosted) = unsafe { (CompiledScript::new(leak(bytes)), SelfHostedCode::new(leak(self_hosted))) };
    let runtime = Runtime::new(Options { self_hosted: Some(self_hosted), ..Options::default() });
    for _ in 0..2 {
        let realm = runtime.new_realm();
        runtime.enter(&realm, |scope| {
            let function = scope.run_compiled(script).expect("it throws nothing").expect("it is of this build");
            let function = function.cast::<Function>().expect("a function");
            let list = function.call(scope, scope.undefined(), &[scope.number(4)]).expect("it throws nothing");
            assert_eq!(list.to_text(scope).expect("a text"), "40,20");
            scope.collect_garbage();
        });
    }
}

#[test]
fn a_syntax_error_is_found_when_a_script_is_compiled_ahead() {
    let runtime = Runtime::new(Options::default());
    let realm = runtime.new_realm();
    runtime.enter(&realm, |scope| {
        let thrown = scope.try_catch(|| scope.compile_ahead("function (", Origin::new("x.js"))).expect_err("an error");
        assert!(thrown.expect("it can be caught").to_text(scope).expect("a text").starts_with("SyntaxError"));
    });
}

#[test]
fn jobs_of_promises_run_in_the_context_of_their_reaction() {
    let (runtime, realm) = start();
    runtime.enter(&realm, |scope| {
        let holder = Object::new(scope);
        scope.propagate_context(holder, "context").unwrap();
        scope.global().set(scope, "state", holder).unwrap();
        eval(
            scope,
            "var seen = [];
            const say = (name) => seen.push(name + state.context?.name);
            let settle;
            const pending = new Promise((done) => { settle = done; });
            state.context = { name: 1 };
            pending.then(() => say('pending'));
            Promise.resolve().then(() => say('settled'));
            (async () => { await 0; say('await'); state.context = { name: 2 }; await pending; say('later'); })();
            Promise.resolve({ then(done) { say('thenable'); done(); } });
            state.context = undefined;
            pending.then(() => say('none'));
            Promise.resolve().then(() => say('none'));
            state.context = { name: 3 };
            settle();",
        )
        .unwrap();
        scope.collect_garbage();
        scope.run_microtasks().unwrap();
        let seen = "settled1 await1 thenable1 noneundefined pending1 noneundefined later2";
        assert_eq!(text_of(scope, "seen.join(' ')"), seen);
        assert_eq!(text_of(scope, "String(state.context)"), "undefined");
    });
}

#[test]
fn reset_time_zone_is_safe_while_dates_are_used() {
    let (runtime, realm) = start();
    runtime.enter(&realm, |scope| {
        let before = text_of(scope, "new Date(0).getTimezoneOffset()");
        phasor_engine::reset_time_zone();
        assert_eq!(text_of(scope, "new Date(0).getTimezoneOffset()"), before);
    });
}
