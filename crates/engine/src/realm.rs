//! [`Realm`]: a global object with its builtins.

use std::ptr;

use mozjs::jsapi;
use mozjs::rooted;

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
    /// That of all realms of the embedder: a local of one is a value in the others too, without a wrapper.
    Shared,
    /// Its own. A debugger must not be in the compartment of what it observes.
    Own,
}

impl Realm {
    pub(crate) fn new(state: &State) -> Realm {
        Realm::new_in(state, Compartment::Shared)
    }

    pub(crate) fn new_in(state: &State, compartment: Compartment) -> Realm {
        let is_shared = compartment == Compartment::Shared;
        let global = Scope::run(state, |scope| {
            // SAFETY: all handles are rooted, and each object is rooted or used at once.
            unsafe {
                let mut options = mozjs::rust::RealmOptions::default();
                options.creationOptions_.sharedMemoryAndAtomics_ = true;
                options.creationOptions_.invisibleToDebugger_ = !is_shared;
                if let Some(first) = state.first_realm.borrow().as_ref()
                    && is_shared
                {
                    options.creationOptions_.compSpec_ = jsapi::CompartmentSpecifier::ExistingCompartment;
                    options.creationOptions_.__bindgen_anon_1.comp_ = compartment_of(first.raw().to_object());
                }
                rooted!(in(scope.cx()) let global = jsapi::JS_NewGlobalObject(
                    scope.cx(),
                    &raw const mozjs::rust::SIMPLE_GLOBAL_CLASS,
                    ptr::null_mut(),
                    jsapi::OnNewGlobalHookOption::FireOnNewGlobalHook,
                    &raw const *options,
                ));
                assert!(!global.get().is_null(), "no memory for a global object");
                let local = scope.root(raw::object(global.get()));
                if is_shared {
                    state.first_realm.borrow_mut().get_or_insert_with(|| Global::new(scope, local));
                }
                Global::new(scope, local)
            }
        });
        Realm { global }
    }

    /// Runs `body` with this realm as the current one.
    pub(crate) fn run_in<'s, R>(&self, scope: Scope<'s>, body: impl FnOnce(Scope<'s>) -> R) -> R {
        struct Leave(*mut raw::RawContext, *mut jsapi::Realm);
        impl Drop for Leave {
            fn drop(&mut self) {
                // SAFETY: this is the realm that `EnterRealm` returned, and realms are left in the reverse order.
                unsafe { jsapi::LeaveRealm(self.0, self.1) };
            }
        }
        let cx = scope.cx();
        // SAFETY: the global was just read and is a global object of this context.
        let _leave = Leave(cx, unsafe { jsapi::EnterRealm(cx, self.global.raw().to_object()) });
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

/// # Safety
///
/// `object` is alive.
unsafe fn compartment_of(object: *mut RawObject) -> *mut jsapi::Compartment {
    // SAFETY: the caller's. A realm begins with the fields of its shadow.
    unsafe { (*mozjs::rust::get_object_realm(object).cast::<mozjs_sys::jsapi::JS::shadow::Realm>()).compartment_ }
}

impl<'s> Scope<'s> {
    /// The global object of the current realm.
    pub fn global(self) -> Local<'s, Object> {
        // SAFETY: a scope that users have is in a realm; the object was just read.
        unsafe {
            let global = jsapi::CurrentGlobalOrNull(self.cx());
            self.root(raw::object(global))
        }
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
