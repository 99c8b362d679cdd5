//! ES modules through the facade: graphs, errors, top-level await, `import()`, `import.meta`, synthetic modules.

use std::cell::RefCell;
use std::rc::Rc;

use phasor_engine::{
    Fallible, Function, JsString, Local, Module, ModuleStatus, Object, Options, Origin, Realm, RequestKind, Runtime,
    Scope, Source, native_fn,
};

fn start() -> (Runtime, Realm) {
    let runtime = Runtime::new(Options::default());
    let realm = runtime.new_realm();
    #[cfg(feature = "debug-engine")]
    runtime.set_gc_zeal(2, 10);
    (runtime, realm)
}

fn module<'s>(scope: Scope<'s>, file: &str, text: &str) -> Local<'s, Module> {
    let referrer = JsString::new(scope, &format!("referrer of {file}")).unwrap().as_value();
    let text = JsString::new(scope, text).unwrap();
    Module::compile(scope, Source { referrer: Some(referrer), ..Source::new(text, file) }).expect("it compiles")
}

/// Links a module to others, in the order of its requests.
fn link(scope: Scope<'_>, module: Local<'_, Module>, imports: &[Local<'_, Module>]) {
    module.set_imports(scope, imports).expect("as many as requests");
}

fn text_of<'a, T>(scope: Scope<'a>, value: Local<'a, T>) -> String {
    value.as_value().to_text(scope).expect("it has a text")
}

fn caught<T>(scope: Scope<'_>, result: Fallible<T>) -> String {
    match result {
        Ok(_) => panic!("it throws"),
        Err(thrown) => text_of(scope, scope.caught(thrown).expect("an exception")),
    }
}

/// The value of a global variable as text.
fn global(scope: Scope<'_>, expression: &str) -> String {
    let value = scope.eval(expression, Origin::new("global.js")).expect("it throws nothing");
    text_of(scope, value)
}

fn run(scope: Scope<'_>, module: Local<'_, Module>) {
    module.instantiate(scope).expect("it links");
    module.evaluate(scope).expect("it can be evaluated");
    scope.run_microtasks().expect("no job throws");
}

#[test]
fn a_graph_is_linked_and_evaluated_in_order() {
    let (runtime, realm) = start();
    runtime.enter(&realm, |scope| {
        scope.eval("var log = []", Origin::new("log.js")).unwrap();
        let root =
            module(scope, "root.mjs", "import { b } from 'b';\nimport * as a from 'a';\nlog.push(`root ${b} ${a.a}`);");
        let requests = root.requests(scope);
        let shown: Vec<_> =
            requests.iter().map(|one| (one.specifier.as_str(), one.kind, one.line, one.column)).collect();
        assert_eq!(shown, [("b", RequestKind::None, 1, 19), ("a", RequestKind::None, 2, 20)]);
        let a = module(
            scope,
            "a.mjs",
            "import { b } from 'b'; export let a = `a${b()}`; log.push(a); export function f() { return 'f'; }",
        );
        let b = module(
            scope,
            "b.mjs",
            "import { f } from 'a'; log.push(f()); export function b() { return 'b'; } b.toString = b;",
        );
        let unlinked = root.instantiate(scope);
        assert_eq!(caught(scope, unlinked), "Error: request for 'b' is not yet fulfilled");
        link(scope, root, &[b, a]);
        link(scope, a, &[b]);
        link(scope, b, &[a]);
        assert_eq!(root.status(scope).unwrap(), ModuleStatus::Unlinked);
        root.instantiate(scope).expect("the graph is complete");
        assert_eq!([root, a, b].map(|one| one.status(scope).unwrap()), [ModuleStatus::Linked; 3]);
        root.evaluate(scope).expect("it can be evaluated");
        assert_eq!([root, a, b].map(|one| one.status(scope).unwrap()), [ModuleStatus::Evaluated; 3]);
        assert_eq!(global(scope, "log.join()"), "ab,f,root b ab");
        let namespace = a.namespace(scope).unwrap();
        assert_eq!(text_of(scope, namespace.get(scope, "a").unwrap()), "ab");
        assert_eq!(text_of(scope, a.referrer(scope).unwrap()), "referrer of a.mjs");
    });
}

#[test]
fn errors_are_kept_by_their_modules() {
    let (runtime, realm) = start();
    runtime.enter(&realm, |scope| {
        let text = JsString::new(scope, "let a;\nlet a;").unwrap();
        let failed = Module::compile(scope, Source::new(text, "bad.mjs"));
        assert!(caught(scope, failed).starts_with("SyntaxError"));

        let root = module(scope, "root.mjs", "import 'ok'; import 'bad'; import 'late';");
        let ok = module(scope, "ok.mjs", "");
        let bad = module(scope, "bad.mjs", "throw 'thrown'");
        let late = module(scope, "late.mjs", "globalThis.late = 1");
        link(scope, root, &[ok, bad, late]);
        run(scope, root);
        let statuses = [root, ok, bad, late].map(|one| one.status(scope).unwrap());
        use ModuleStatus::{Errored, Evaluated, Linked};
        assert_eq!(statuses, [Errored, Evaluated, Errored, Linked]);
        assert_eq!(text_of(scope, bad.error(scope).unwrap().expect("it threw")), "thrown");
        assert!(ok.error(scope).unwrap().is_none() && late.error(scope).unwrap().is_none());

        let root = module(scope, "root.mjs", "import\n  { x } from 'ok';");
        link(scope, root, &[ok]);
        let Err(thrown) = root.instantiate(scope) else { panic!("there is no export x") };
        let error = scope.caught(thrown).and_then(|error| error.cast::<Object>()).expect("an error");
        assert_eq!(
            text_of(scope, error),
            "SyntaxError: The requested module 'ok.mjs' doesn't provide an export named: 'x'"
        );
        let place =
            ["fileName", "lineNumber", "columnNumber"].map(|key| text_of(scope, error.get(scope, key).unwrap()));
        assert_eq!(place, ["root.mjs", "2", "5"]);
    });
}

#[test]
fn a_module_that_is_running_is_evaluating() {
    let (runtime, realm) = start();
    let seen = Rc::new(RefCell::new(Vec::new()));
    let statuses = Rc::clone(&seen);
    runtime.on_import_meta(move |scope, module, meta| {
        statuses.borrow_mut().push(module.status(scope)?);
        meta.set(scope, "url", module.referrer(scope)?)
    });
    runtime.enter(&realm, |scope| {
        let one = module(
            scope,
            "one.mjs",
            "export const url = import.meta.url; await null; export const same = import.meta;",
        );
        one.instantiate(scope).unwrap();
        one.evaluate(scope).unwrap();
        assert_eq!(one.status(scope).unwrap(), ModuleStatus::Evaluated);
        scope.run_microtasks().unwrap();
        let namespace = one.namespace(scope).unwrap();
        assert_eq!(text_of(scope, namespace.get(scope, "url").unwrap()), "referrer of one.mjs");
    });
    assert_eq!(*seen.borrow(), [ModuleStatus::Evaluating]);
}

#[test]
fn import_calls_are_answered_by_the_embedder() {
    let (runtime, realm) = start();
    runtime.on_import(|scope, call| {
        let referrer = call.referrer.map(|referrer| text_of(scope, referrer)).unwrap_or_default();
        let file = call.file.unwrap_or_default();
        let specifier = call.specifier.to_text(scope)?;
        let answer = JsString::new(scope, &format!("{specifier} {:?} from {file}, {referrer}", call.kind))?.as_value();
        match specifier.as_str() {
            "refused" => call.promise.reject_promise(scope, answer),
            "thrown" => Err(scope.throw_type("no")),
            _ => call.promise.resolve_promise(scope, answer),
        }
    });
    runtime.enter(&realm, |scope| {
        let one = module(
            scope,
            "one.mjs",
            "globalThis.a = await import('x'); globalThis.b = await import('y', { with: { type: 'json' } });",
        );
        run(scope, one);
        assert_eq!(global(scope, "a"), "x None from one.mjs, referrer of one.mjs");
        assert_eq!(global(scope, "b"), "y Json from one.mjs, referrer of one.mjs");
        let text =
            JsString::new(scope, "return import(name).then(String, String).then((text) => result = text)").unwrap();
        let referrer = JsString::new(scope, "f").unwrap().as_value();
        let source = Source { referrer: Some(referrer), line: 7, ..Source::new(text, "f.js") };
        let function = Function::compile(scope, source, "Object.<anonymous>", &["name"]).expect("it compiles");
        for (name, result) in
            [("x", "x None from f.js, f"), ("refused", "refused None from f.js, f"), ("thrown", "TypeError: no")]
        {
            function.call_with(scope, (), (name,)).unwrap();
            scope.run_microtasks().unwrap();
            assert_eq!(global(scope, "result"), result);
        }
        // Code of `eval` has no referrer, but has a file name.
        scope.eval("import('x').then((text) => result = text)", Origin::new("script.js")).unwrap();
        scope.run_microtasks().unwrap();
        assert_eq!(global(scope, "result"), "x None from script.js, ");
    });
}

#[test]
fn synthetic_modules_have_the_exports_that_are_set() {
    let (runtime, realm) = start();
    runtime.enter(&realm, |scope| {
        let exports = ["b", "default", "a\"\\\n\u{2028}é"].map(str::to_owned).to_vec();
        let evaluate = Function::new(scope, "evaluate", 0, native_fn!(|scope: Scope<'_>| -> Fallible<()> {
            let evaluate: Local<'_, Function> = scope.global().get_as(scope, "evaluate")?;
            evaluate.call(scope, scope.undefined(), &[]).map(drop)
        }))
        .unwrap();
        let synthetic = Module::synthetic(scope, "synthetic", exports, None, evaluate).expect("it can be made");
        assert!(synthetic.is_synthetic(scope) && synthetic.requests(scope).is_empty());
        let one = scope.number(1);
        assert_eq!(caught(scope, synthetic.set_export(scope, "b", one)), "Error: the module is not linked");
        let root = module(scope, "root.mjs", "import d, { b } from 's'; import * as all from 's'; globalThis.read = () => `${b} ${d} ${Object.keys(all).map(escape)}`;");
        link(scope, root, &[synthetic, ]);
        root.instantiate(scope).unwrap();
        assert!(synthetic.set_export(scope, "b", one).unwrap());
        assert!(!synthetic.set_export(scope, "c", one).unwrap());
        scope.eval("var count = 0; function evaluate() { count++; }", Origin::new("evaluate.js")).unwrap();
        run(scope, root);
        assert_eq!(global(scope, "read()"), "1 undefined a%22%5C%0A%u2028%E9,b,default");
        let two = scope.number(2);
        synthetic.set_export(scope, "b", two).unwrap();
        synthetic.set_export(scope, "default", two).unwrap();
        assert_eq!(global(scope, "read() + count"), "2 2 a%22%5C%0A%u2028%E9,b,default1");

        scope.eval("function evaluate() { throw 'thrown'; }", Origin::new("evaluate.js")).unwrap();
        let failing = Module::synthetic(scope, "failing", Vec::new(), None, evaluate).unwrap();
        run(scope, failing);
        assert_eq!(text_of(scope, failing.error(scope).unwrap().expect("it threw")), "thrown");
        let duplicate = Module::synthetic(scope, "twice", vec!["a".to_owned(), "a".to_owned()], None, evaluate);
        assert!(caught(scope, duplicate).starts_with("SyntaxError"));
    });
}

#[test]
fn compiled_functions_have_places() {
    let (runtime, realm) = start();
    runtime.enter(&realm, |scope| {
        let text = JsString::new(
            scope,
            "const e = new Error;\nreturn `${a} ${e.lineNumber}:${e.columnNumber} ${e.fileName} é\u{1F600}`",
        )
        .unwrap();
        let source = Source { line: 5, ..Source::new(text, "file.js") };
        let function = Function::compile(scope, source, "", &["a", "b"]).expect("it compiles");
        let result = function.call_with(scope, (), (3,)).unwrap();
        assert_eq!(text_of(scope, result), "3 5:11 file.js é\u{1F600}");
        for text in ["}); (function () {", "}\nfunction f() {", "let a;;\n  let a a"] {
            let text = JsString::new(scope, text).unwrap();
            let failed = Function::compile(scope, Source::new(text, "file.js"), "", &[]);
            assert!(caught(scope, failed).starts_with("SyntaxError"));
        }
    });
}

#[test]
fn a_panic_in_a_module_goes_on() {
    let (runtime, realm) = start();
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        runtime.enter(&realm, |scope| {
            scope
                .global()
                .define_function(scope, "panic", 0, native_fn!(|_: Scope<'_>| -> () { panic!("native") }))
                .unwrap();
            run(scope, module(scope, "one.mjs", "panic()"));
        });
    }));
    assert!(panicked.is_err());
}
