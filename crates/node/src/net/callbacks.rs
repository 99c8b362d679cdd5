//! The JavaScript functions through which natives call a method of a handle's or request's object.
//!
//! `net/handles.js` sets the functions once. Rust calls one of them with the object as its argument, and the function looks up the method in
//! JavaScript, where inline caches make the lookup cheap. A lookup from Rust would search the engine's table of property names.

use std::cell::RefCell;

use phasor_engine::{Fallible, Function, Global, Local, Object, Scope, Value};

/// A method of a handle's or request's object.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Callback {
    /// `onread(count, bytes)`: bytes were read, or `count` is libuv's error number.
    Read,
    /// `accepting(status, client)`: a connection arrived. `client` is its object if the server is tracked by async hooks.
    Accept,
    /// `newClient()`: returns the object of an incoming connection.
    NewClient,
    /// `exited(code, signal)`: a child process has ended.
    Exited,
    /// `closed()`: the handle is closed. Called if the object has the method.
    Closed,
    /// `ontimeout()`: a timer expired.
    Timeout,
    /// `onmessage(count, bytes, address, isIPv6, port)`: a datagram arrived, or `count` is libuv's error number.
    Message,
    /// `oncomplete(...results)`: a request is complete.
    Complete,
}

const NAMES: [&str; 8] =
    ["onread", "accepting", "newClient", "exited", "closed", "ontimeout", "onmessage", "oncomplete"];

thread_local! {
    /// The functions, in the order of [`NAMES`].
    static FUNCTIONS: RefCell<Vec<Global<Function>>> = const { RefCell::new(Vec::new()) };
}

/// `setCallbacks(functions)`: stores the functions. `functions` has a function `(object, ...arguments)` for each of [`NAMES`], which calls
/// the method of that name.
pub(super) fn set(scope: Scope<'_>, functions: Local<'_, Object>) -> Fallible<()> {
    let functions: Fallible<Vec<_>> = NAMES
        .iter()
        .map(|name| Ok(Global::new(scope, functions.get_as::<Local<'_, Function>>(scope, *name)?)))
        .collect();
    let before = FUNCTIONS.replace(functions?);
    drop(before);
    Ok(())
}

/// Calls a method of the object with up to five arguments.
pub(crate) fn call<'s, 'a>(
    scope: Scope<'s>,
    callback: Callback,
    object: Local<'a, Object>,
    arguments: &[Local<'a, Value>],
) -> Fallible<Local<'s, Value>> {
    let function = FUNCTIONS.with_borrow(|all| all.get(callback as usize).map(|function| function.get(scope)));
    let function = function.ok_or_else(|| scope.throw_type("the builtin internal/net/handles is not loaded"))?;
    let mut list = [object.as_value(); 6];
    let count = 1 + arguments.len();
    list[1..count].copy_from_slice(arguments);
    function.call(scope, scope.undefined(), &list[..count])
}
