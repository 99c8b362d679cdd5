//! [`Realm`]: a global object with its builtins.

use std::ptr;

use mozjs::jsapi;
use mozjs::rooted;

use crate::exception::{ErrorKind, Fallible, Thrown};
use crate::global::Global;
use crate::local::Local;
use crate::object::Object;
use crate::raw::{self, RawObject};
use crate::runtime::State;
use crate::scope::Scope;

/// A global object with its own `Object`, `Array`, `Promise` and so on.
#[derive(Debug)]
pub struct Realm {
    global: Global<Object>,
}

/// The compartment of a realm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compartment {
    /// The compartment that all realms of the embedder share. A local of one realm is valid in the other realms without
    /// a wrapper.
    Shared,
    /// A compartment of its own: a debugger must not be in the compartment that it observes.
    Own,
}

impl Realm {
    pub(crate) fn new(state: &State) -> Realm {
        Realm::new_in(state, Compartment::Shared)
    }

    pub(crate) fn new_in(state: &State, compartment: Compartment) -> Realm {
        let global = Scope::run(state, |scope| {
            let local = new_global(scope, &raw const mozjs::rust::SIMPLE_GLOBAL_CLASS, compartment);
            let local = local.unwrap_or_else(|_| panic!("no memory for a realm"));
            if compartment == Compartment::Shared {
                state.first_realm.borrow_mut().get_or_insert_with(|| Global::new(scope, local));
            }
            Global::new(scope, local)
        });
        Realm { global }
    }

    /// Runs `body` with this realm as the current one.
    pub(crate) fn run_in<'s, R>(&self, scope: Scope<'s>, body: impl FnOnce(Scope<'s>) -> R) -> R {
        // SAFETY: the value was just read and is a global object of this context.
        let _entered = unsafe { Entered::new(scope.cx(), self.global.raw().to_object()) };
        body(scope)
    }

    pub(crate) fn assert_of(&self, state: &State) {
        assert!(self.global.is_of(&state.roots), "a realm of another runtime");
    }

    /// The global object.
    ///
    /// # Panics
    ///
    /// If the realm is of another runtime.
    pub fn global<'s>(&self, scope: Scope<'s>) -> Local<'s, Object> {
        self.global.get(scope)
    }
}

/// Makes a realm current until this guard is dropped.
struct Entered {
    cx: *mut raw::RawContext,
    outer: *mut jsapi::Realm,
}

impl Entered {
    /// # Safety
    ///
    /// The context outlives the guard. `object` is alive and not a wrapper. Realms are left in the reverse order.
    unsafe fn new(cx: *mut raw::RawContext, object: *mut RawObject) -> Entered {
        // SAFETY: guaranteed by the caller.
        Entered { cx, outer: unsafe { jsapi::EnterRealm(cx, object) } }
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        // SAFETY: `outer` is the realm that `EnterRealm` returned, and realms are left in the reverse order.
        unsafe { jsapi::LeaveRealm(self.cx, self.outer) };
    }
}

/// Makes a global object of the given class.
fn new_global<'s>(
    scope: Scope<'s>,
    class: *const jsapi::JSClass,
    compartment: Compartment,
) -> Fallible<Local<'s, Object>> {
    let is_shared = compartment == Compartment::Shared;
    // SAFETY: all handles are rooted, and each object is rooted or used at once. The class lives as long as the process.
    unsafe {
        let mut options = mozjs::rust::RealmOptions::default();
        options.creationOptions_.sharedMemoryAndAtomics_ = true;
        options.creationOptions_.invisibleToDebugger_ = !is_shared;
        if let Some(first) = scope.state().first_realm.borrow().as_ref()
            && is_shared
        {
            options.creationOptions_.compSpec_ = jsapi::CompartmentSpecifier::ExistingCompartment;
            options.creationOptions_.__bindgen_anon_1.comp_ = compartment_of(first.raw().to_object());
        }
        if !has_stack(scope.cx()) {
            return Err(full_stack(scope));
        }
        let fire = jsapi::OnNewGlobalHookOption::FireOnNewGlobalHook;
        let global = jsapi::JS_NewGlobalObject(scope.cx(), class, ptr::null_mut(), fire, &raw const *options);
        if global.is_null() {
            return Err(full_stack(scope));
        }
        let local = scope.root(raw::object(global));
        if is_shared {
            let entered = Entered::new(scope.cx(), global);
            let ok = always_derive_promises(scope.cx()) && make_error_classes(scope.cx());
            drop(entered);
            if !ok {
                return Err(full_stack(scope));
            }
        }
        Ok(local)
    }
}

/// Whether enough stack is left to make a realm. Without enough, the engine would make the realm in part, and then create the
/// error in that realm.
///
/// # Safety
///
/// The context is alive.
unsafe fn has_stack(cx: *mut raw::RawContext) -> bool {
    /// More than the engine uses for it, also in builds with assertions.
    const NEEDED_BYTES: usize = 64 << 10;
    let here = 0_u8;
    // SAFETY: the caller's. A context begins with the fields of its `RootingContext`; all its limits are the same.
    let limit = unsafe { (*cx.cast::<jsapi::RootingContext>()).nativeStackLimit[0] };
    (&raw const here).addr().saturating_sub(limit) >= NEEDED_BYTES
}

/// Makes `then` and `catch` create a promise even if the program ignores it. The engine's fast path for ignored
/// promises (`js::Promise_then_noRetVal`) drops the value that the callback returns. If that value is a thenable, its
/// `then` would not be called, which `NewPromiseReactionJob` of ECMA-262 requires. Queries of many database libraries
/// are such thenables.
///
/// # Safety
///
/// The context is in a realm in which no script has run.
unsafe fn always_derive_promises(cx: *mut raw::RawContext) -> bool {
    // SAFETY: guaranteed by the caller; the handles are rooted. Both properties are builtin functions, for which the
    // engine allows to disable the fast path.
    unsafe {
        rooted!(in(cx) let prototype = jsapi::GetPromisePrototype(cx));
        !prototype.is_null()
            && [c"then", c"catch"].into_iter().all(|name| {
                rooted!(in(cx) let mut function = raw::undefined());
                let found =
                    jsapi::JS_GetProperty(cx, prototype.handle().into(), name.as_ptr(), function.handle_mut().into());
                if found {
                    mozjs::glue::RUST_SET_JITINFO(function.to_object().cast(), ptr::null());
                }
                found
            })
    }
}

/// Makes the classes of the errors that the engine throws when the stack is full. The engine makes each class at its
/// first use. With a full stack that would fail, and the running JavaScript would end without an exception.
///
/// # Safety
///
/// The context is in a realm.
unsafe fn make_error_classes(cx: *mut raw::RawContext) -> bool {
    use jsapi::JSProtoKey::{JSProto_Error, JSProto_InternalError, JSProto_RangeError};
    // Which of these classes the engine throws depends on the formats of the runtime's messages.
    [JSProto_Error, JSProto_InternalError, JSProto_RangeError].into_iter().all(|class| {
        rooted!(in(cx) let mut constructor = ptr::null_mut::<RawObject>());
        // SAFETY: guaranteed by the caller; the handle is rooted.
        unsafe { jsapi::JS_GetClassObject(cx, class, constructor.handle_mut().into()) }
    })
}

/// Throws the error for a realm that cannot be made, in the current realm. The engine's own error, if there is one,
/// belongs to the realm that is dropped.
#[cold]
fn full_stack(scope: Scope<'_>) -> Thrown {
    let thrown = Thrown::pending(scope);
    let _ = scope.caught(thrown);
    match scope.new_error(ErrorKind::RangeError, "Maximum call stack size exceeded") {
        Ok(error) => scope.throw(error),
        Err(thrown) => thrown,
    }
}

/// # Safety
///
/// `object` is alive.
unsafe fn compartment_of(object: *mut RawObject) -> *mut jsapi::Compartment {
    // SAFETY: guaranteed by the caller. `JS::shadow::Realm` declares the first fields of the engine's `JS::Realm`.
    unsafe { (*mozjs::rust::get_object_realm(object).cast::<mozjs_sys::jsapi::JS::shadow::Realm>()).compartment_ }
}

/// Whether an object belongs to another compartment than the embedder's realms: the compartment of the debugger
/// (`promise_hooks.rs`). Values of different compartments must not be mixed.
///
/// # Safety
///
/// `object` is alive or null.
pub(crate) unsafe fn is_foreign(state: &State, object: *mut RawObject) -> bool {
    let first = state.first_realm.borrow();
    // SAFETY: guaranteed by the caller; a `Global` keeps its object alive.
    first.as_ref().is_some_and(|first| unsafe {
        !object.is_null() && !ptr::eq(compartment_of(object), compartment_of(first.raw().to_object()))
    })
}

impl<'s> Scope<'s> {
    /// The global object of the current realm.
    pub fn global(self) -> Local<'s, Object> {
        // SAFETY: a scope of the embedder is always in a realm; the object was just read.
        unsafe {
            let global = jsapi::CurrentGlobalOrNull(self.cx());
            self.root(raw::object(global))
        }
    }

    /// Makes a realm and returns its global object. The realm is collected when nothing refers to that object.
    /// [`attach_sandbox`](Scope::attach_sandbox) makes another object stand for the global object.
    ///
    /// # Errors
    ///
    /// If there is no memory or no stack for the realm.
    pub fn new_realm(self) -> Fallible<Local<'s, Object>> {
        new_global(self, &raw const crate::sandbox::GLOBAL, Compartment::Shared)
    }

    /// Runs `body` in the realm to which an object belongs.
    pub fn in_realm_of<R>(self, object: Local<'_, Object>, body: impl FnOnce(Scope<'s>) -> R) -> R {
        // SAFETY: the object was just read; all realms share a compartment, so the object is not a wrapper.
        let _entered = unsafe { Entered::new(self.cx(), object.raw().to_object()) };
        body(self)
    }

    /// Runs `body` in another realm of this runtime.
    ///
    /// # Panics
    ///
    /// If the realm is of another runtime.
    pub fn in_realm<R>(self, realm: &Realm, body: impl FnOnce(Scope<'s>) -> R) -> R {
        realm.assert_of(self.state());
        realm.run_in(self, body)
    }
}
