//! The embedder's part of `WeakRef` and `FinalizationRegistry`.

use std::cell::RefCell;
use std::ffi::c_void;
use std::rc::Rc;

use mozjs::jsapi;

use crate::exception::Fallible;
use crate::function::Function;
use crate::global::Global;
use crate::raw::{self, RawContext, RawObject};
use crate::runtime::{Runtime, State, contain_panic};
use crate::scope::Scope;

/// The registries whose cleanup callbacks have to be called.
#[derive(Default)]
pub(crate) struct Registries {
    /// Functions of the engine, each of which calls the callbacks of one registry.
    pending: RefCell<Vec<Global<Function>>>,
    notify: RefCell<Option<Rc<dyn Fn()>>>,
}

impl Registries {
    /// # Safety
    ///
    /// `state` is the state of the context, and outlives it.
    pub(crate) unsafe fn install(cx: *mut RawContext, state: *const State) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            jsapi::SetHostCleanupFinalizationRegistryCallback(cx, Some(on_registry), state.cast_mut().cast::<c_void>());
        }
    }

    pub(crate) fn clear(&self) {
        self.pending.take();
        self.notify.take();
    }
}

/// Called at the end of a collection that has freed targets of a registry. The function must not allocate in the heap.
unsafe extern "C" fn on_registry(clean_up: *mut jsapi::JSFunction, _global: *mut RawObject, state: *mut c_void) {
    // SAFETY: `install` has set the pointer.
    let state = unsafe { &*state.cast::<State>() };
    // SAFETY: the function is alive, and is rooted before the engine continues.
    let function = unsafe { Global::of_raw(&state.roots, raw::object(jsapi::JS_GetFunctionObject(clean_up))) };
    state.registries.pending.borrow_mut().push(function);
    let notify = state.registries.notify.borrow().clone();
    if let Some(notify) = notify {
        contain_panic(|| notify());
    }
}

impl Runtime {
    /// Sets the function that is called during a collection when [`Scope::clean_up_registry`] has something to do. The
    /// function must not call the engine.
    pub fn on_registry_cleanup(&self, notify: impl Fn() + 'static) {
        self.state().registries.notify.replace(Some(Rc::new(notify)));
    }
}

impl Scope<'_> {
    /// Calls the callbacks of one `FinalizationRegistry` whose targets were collected. Returns false if there is none.
    ///
    /// # Errors
    ///
    /// The exception that a callback throws. The remaining values of the registry are left for the next collection.
    pub fn clean_up_registry(self) -> Fallible<bool> {
        let next = {
            let mut pending = self.state().registries.pending.borrow_mut();
            if pending.is_empty() { None } else { Some(pending.remove(0)) }
        };
        let Some(clean_up) = next else { return Ok(false) };
        clean_up.get(self).call(self, self.undefined(), &[])?;
        Ok(true)
    }

    /// Clears the list of objects that `WeakRef`s keep alive until the current job ends (ECMA-262 `ClearKeptObjects`). Call it when the
    /// job and its microtasks have ended.
    #[inline]
    pub fn clear_kept_objects(self) {
        // SAFETY: the context is alive.
        unsafe { jsapi::ClearKeptObjects(self.cx()) };
    }
}
