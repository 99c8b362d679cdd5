//! Whose environment `process.env` of a thread is: the process's, a copy that only the thread has, or one that threads
//! share which are not the process's.
//!
//! A copy lives in JavaScript alone. What is shared is asked for here each time.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use phasor_js::bytes::Utf8;
use phasor_sys::own;
use rquickjs::{Ctx, Object, Result};

/// Names and values, in the order they came.
type Pairs = Vec<(String, String)>;

/// The environment of a thread.
pub(crate) enum Environment {
    /// The process's own.
    Process,
    /// A copy, until JavaScript has taken it.
    Copy(Pairs),
    /// One that several threads have.
    Shared(Arc<Mutex<Pairs>>),
}

thread_local! {
    static MINE: RefCell<Environment> = const { RefCell::new(Environment::Process) };
}

fn lock(pairs: &Mutex<Pairs>) -> MutexGuard<'_, Pairs> {
    pairs.lock().unwrap_or_else(PoisonError::into_inner)
}

fn pairs_of(flat: Vec<Utf8>) -> Pairs {
    let mut flat = flat.into_iter().map(|Utf8(text)| text);
    std::iter::from_fn(|| Some((flat.next()?, flat.next()?))).collect()
}

/// What a worker gets: the pairs in `env`, or this thread's own if there are none.
pub(crate) fn of_worker(given: &Object<'_>) -> Result<Environment> {
    if let Some(flat) = given.get::<_, Option<Vec<Utf8>>>("env")? {
        return Ok(Environment::Copy(pairs_of(flat)));
    }
    Ok(MINE.with_borrow(|mine| match mine {
        Environment::Shared(pairs) => Environment::Shared(pairs.clone()),
        _ => Environment::Process,
    }))
}

/// Gives this thread its environment.
pub(crate) fn become_mine(environment: Environment) {
    MINE.set(environment);
}

pub(super) fn define<'js>(ctx: &Ctx<'js>, verbs: &Object<'js>) -> Result<()> {
    verbs! { ctx, verbs,
        "env" => env,
        "setEnv" => set,
        "getEnv" => get,
        "envNames" => names,
        "shareEnv" => share,
        "isSharedEnv" => || MINE.with_borrow(|mine| !matches!(mine, Environment::Copy(_))),
    }
    Ok(())
}

/// The environment as it is now. What is no text is given as near as text can be.
fn env(ctx: Ctx<'_>) -> Result<Object<'_>> {
    let object = Object::new(ctx)?;
    for (name, value) in all() {
        object.set(name, value)?;
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

fn get(Utf8(name): Utf8) -> Option<String> {
    MINE.with_borrow(|mine| match mine {
        // As the system, which knows no such names.
        Environment::Process if name.is_empty() || name.contains(['=', '\0']) => None,
        Environment::Process => std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()),
        Environment::Copy(_) => None,
        Environment::Shared(pairs) => lock(pairs).iter().find(|pair| pair.0 == name).map(|pair| pair.1.clone()),
    })
}

/// Sets or removes. 0, or a negative error number.
fn set(Utf8(name): Utf8, value: Option<Utf8>) -> i32 {
    let value = value.map(|Utf8(value)| value);
    MINE.with_borrow(|mine| match mine {
        Environment::Process => super::code(own::set_env(&name, value.as_deref())),
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

/// Makes a copy, whose names and values these are, one that can be shared.
fn share(flat: Vec<Utf8>) {
    MINE.with_borrow_mut(|mine| {
        if matches!(mine, Environment::Copy(_)) {
            *mine = Environment::Shared(Arc::new(Mutex::new(pairs_of(flat))));
        }
    });
}
