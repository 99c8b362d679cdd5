//! The environment behind a thread's `process.env`: that of the process, a private copy, or one shared between workers
//! (`worker_threads.SHARE_ENV`).
//!
//! A private copy becomes a JavaScript object. JavaScript accesses the other environments through these functions each time.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use phasor_engine::{Fallible, Local, Object, Scope, define_natives};
use phasor_sys::process;

/// Names and values in insertion order.
type Pairs = Vec<(String, String)>;

/// The environment of a thread.
pub(crate) enum Environment {
    /// The environment of the process.
    Process,
    /// A private copy, stored here until JavaScript takes it.
    Copy(Pairs),
    /// An environment shared by several threads.
    Shared(Arc<Mutex<Pairs>>),
}

thread_local! {
    static MINE: RefCell<Environment> = const { RefCell::new(Environment::Process) };
}

fn lock(pairs: &Mutex<Pairs>) -> MutexGuard<'_, Pairs> {
    pairs.lock().unwrap_or_else(PoisonError::into_inner)
}

fn pairs_of(flat: Vec<String>) -> Pairs {
    let mut flat = flat.into_iter();
    std::iter::from_fn(|| Some((flat.next()?, flat.next()?))).collect()
}

/// The environment of a new worker: the pairs in `env`, or this thread's environment if `env` is absent.
pub(crate) fn of_worker(scope: Scope<'_>, given: Local<'_, Object>) -> Fallible<Environment> {
    if let Some(flat) = given.get_as::<Option<Vec<String>>>(scope, "env")? {
        return Ok(Environment::Copy(pairs_of(flat)));
    }
    Ok(MINE.with_borrow(|mine| match mine {
        Environment::Shared(pairs) => Environment::Shared(pairs.clone()),
        _ => Environment::Process,
    }))
}

/// Sets the environment of this thread.
pub(crate) fn set_current(environment: Environment) {
    MINE.set(environment);
}

pub(super) fn define(scope: Scope<'_>, natives: Local<'_, Object>) -> Fallible<()> {
    define_natives!(scope, natives,
        "env" => env,
        "setEnv" => set,
        "getEnv" => get,
        "envNames" => |_: Scope<'_>| names(),
        "shareEnv" => |_: Scope<'_>, flat: Vec<String>| share(flat),
        "isSharedEnv" => |_: Scope<'_>| MINE.with_borrow(|mine| !matches!(mine, Environment::Copy(_))),
    );
    Ok(())
}

/// All variables. Invalid UTF-8 is replaced.
fn env(scope: Scope<'_>) -> Fallible<Local<'_, Object>> {
    let object = Object::new(scope);
    for (name, value) in all() {
        scope.nested(|scope| object.set(scope, name.as_str(), value))?;
    }
    Ok(object)
}

fn all() -> Pairs {
    MINE.with_borrow_mut(|mine| match mine {
        Environment::Process => {
            let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
            std::env::vars_os().map(|(name, value)| (text(name), text(value))).collect()
        }
        Environment::Copy(pairs) => std::mem::take(pairs),
        Environment::Shared(pairs) => lock(pairs).clone(),
    })
}

fn names() -> Vec<String> {
    all().into_iter().map(|(name, _)| name).collect()
}

fn get(_: Scope<'_>, name: String) -> Option<String> {
    MINE.with_borrow(|mine| match mine {
        // As `getenv`: no variable can have such a name.
        Environment::Process if name.is_empty() || name.contains(['=', '\0']) => None,
        Environment::Process => std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()),
        Environment::Copy(_) => None,
        Environment::Shared(pairs) => lock(pairs).iter().find(|pair| pair.0 == name).map(|pair| pair.1.clone()),
    })
}

/// Sets or removes a variable. Returns 0 or a negative error number.
fn set(_: Scope<'_>, name: String, value: Option<String>) -> i32 {
    MINE.with_borrow(|mine| match mine {
        Environment::Process => set_of_process(&name, value.as_deref()),
        Environment::Copy(_) => 0,
        Environment::Shared(pairs) => {
            let mut pairs = lock(pairs);
            let at = pairs.iter().position(|pair| pair.0 == name);
            match (at, value) {
                (Some(at), Some(value)) => pairs[at].1 = value,
                (None, Some(value)) => pairs.push((name, value)),
                (Some(at), None) => {
                    pairs.remove(at);
                }
                (None, None) => {}
            }
            0
        }
    })
}

/// A new `TZ` takes effect at once (`src/node_env_var.cc: DateTimeConfigurationChangeNotification`).
fn set_of_process(name: &str, value: Option<&str>) -> i32 {
    let result = process::set_env(name, value);
    if name == "TZ" {
        phasor_engine::reset_time_zone();
    }
    super::code(result)
}

/// Turns a private copy with these names and values into a shared environment.
fn share(flat: Vec<String>) {
    MINE.with_borrow_mut(|mine| {
        if matches!(mine, Environment::Copy(_)) {
            *mine = Environment::Shared(Arc::new(Mutex::new(pairs_of(flat))));
        }
    });
}
