//! The native functions of `internal/vm/engine`: scripts and realms, from which `src/vm` of `phasor-builtins` makes the module `vm`.
//!
//! A realm is identified by the engine's global object, which programs do not see.

use phasor_engine::{Fallible, Function, JsString, Local, Object, Scope, Script, Source, Value, define_natives};
use phasor_sys::signal::Receiver;

use crate::builtins::Natives;
use crate::limits::Stopped;
use crate::state::state;

/// The native functions of `internal/vm/engine`: scripts and realms of `vm`.
pub const SCRIPTS: Natives = Natives { name: "scripts", make: natives };

fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    let natives = Object::new(scope);
    define_natives!(scope, natives,
        "compile" => compile,
        "run" => run,
        "makeRealm" => make_realm,
        "attachSandbox" => attach_sandbox,
        "limited" => limited,
    );
    Ok(natives)
}

/// A new realm.
fn make_realm<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    scope.new_realm()
}

/// `(realm, sandbox, inner)`: connects a sandbox to a realm, and returns the realm's new global object.
fn attach_sandbox<'s>(
    scope: Scope<'s>,
    realm: Local<'s, Object>,
    sandbox: Local<'s, Object>,
    inner: Local<'s, Object>,
) -> Fallible<Local<'s, Object>> {
    scope.attach_sandbox(realm, sandbox, inner)
}

/// `(text, file, offset, realm, referrer)`: compiles a script whose first line has the number `offset` + 1. The hook of
/// `import()` gets the referrer.
fn compile<'s>(
    scope: Scope<'s>,
    text: Local<'s, JsString>,
    file: String,
    offset: i32,
    realm: Option<Local<'s, Object>>,
    referrer: Option<Local<'s, Object>>,
) -> Fallible<Local<'s, Value>> {
    let line = u32::try_from(offset.saturating_add(1)).unwrap_or(0);
    let source = Source { line, referrer: referrer.map(Local::as_value), ..Source::new(text, &file) };
    // A SyntaxError belongs to the realm for which the script is compiled (`src/node_contextify.cc:
    // ContextifyScript::New`).
    let script = match realm {
        Some(realm) => scope.in_realm_of(realm, |scope| Script::compile(scope, source))?,
        None => Script::compile(scope, source)?,
    };
    Ok(script.as_value())
}

/// `(script, realm)`: runs a script in the realm that it was compiled for.
fn run<'s>(
    scope: Scope<'s>,
    script: Local<'s, Script>,
    realm: Option<Local<'s, Object>>,
) -> Fallible<Local<'s, Value>> {
    match realm {
        Some(realm) => scope.in_realm_of(realm, |scope| script.run(scope)),
        None => script.run(scope),
    }
}

/// The number of SIGINT, which Ctrl-C sends.
const INTERRUPT: i32 = 2;

/// Calls a function within limits: returns `[value]`, `[undefined, true]` after a timeout, or `[undefined, false]` after SIGINT.
fn limited<'s>(
    scope: Scope<'s>,
    function: Local<'s, Function>,
    timeout_ms: f64,
    on_signal: bool,
) -> Fallible<Vec<Local<'s, Value>>> {
    let signals = on_signal.then(|| -> phasor_core::Result<Receiver> {
        let mut receiver = Receiver::new()?;
        receiver.watch(INTERRUPT, false)?;
        Ok(receiver)
    });
    let signals = match signals.transpose() {
        Ok(signals) => signals,
        Err(errno) => {
            let message = format!("SIGINT cannot be heard: {errno:?}");
            return Err(scope.throw_error(phasor_engine::ErrorKind::Error, &message));
        }
    };
    let timeout_ms = (timeout_ms > 0.0).then_some(timeout_ms as u32);
    let call = || function.call(scope, scope.undefined(), &[]);
    match state(scope).run_limited(scope, timeout_ms, signals, call) {
        Ok(result) => Ok(vec![result?]),
        Err(stopped) => Ok(vec![scope.undefined(), scope.boolean(stopped == Stopped::TimedOut)]),
    }
}
