//! The `JSClass`es of this crate (timers and immediates), and the shapes that their objects share. Frequently used
//! shapes are kept alive.
//!
//! # Safety
//! A class is registered with one runtime, the host's. The meaning of an object's opaque pointer is up to the module
//! that creates the objects. The object with the shape of functions is kept alive, with the builtin it belongs to,
//! until the host releases its last values.
#![allow(unsafe_code)]

use std::os::raw::c_void;

use rquickjs::object::Property;
use rquickjs::{Ctx, Error, Object, Result, Value, qjs};

use crate::engine::engine_patch;
use crate::fast_paths;
use crate::raw::{self, ObjPtr, Raw, RawCtx};
use crate::state::{State, current_or_none, state};

/// Registers a class whose objects have an opaque pointer.
pub(crate) fn new_class(
    state: &State,
    name: &'static std::ffi::CStr,
    finalizer: unsafe extern "C" fn(*mut qjs::JSRuntime, Raw),
    mark: unsafe extern "C" fn(*mut qjs::JSRuntime, Raw, qjs::JS_MarkFunc),
) -> qjs::JSClassID {
    let mut id = 0;
    let definition = qjs::JSClassDef {
        class_name: name.as_ptr(),
        finalizer: Some(finalizer),
        gc_mark: Some(mark),
        call: None,
        exotic: std::ptr::null_mut(),
    };
    // SAFETY: the definition is read before the call returns; the name is static.
    unsafe {
        qjs::JS_NewClassID(state.runtime, &mut id);
        qjs::JS_NewClass(state.runtime, id, &definition);
    }
    id
}

/// A class whose objects have an opaque pointer that is not null.
#[derive(Clone, Copy, Default)]
pub(crate) struct Kind(qjs::JSClassID);

impl Kind {
    /// Wraps a class. The builtin that its objects belong to keeps one object, with a null pointer: without it, the
    /// engine would create and free the objects' common shape with each object.
    pub(crate) fn new<'js>(class: qjs::JSClassID, builtin: &Object<'js>) -> Result<Kind> {
        let kind = Kind(class);
        kind.keep(builtin, kind.make(builtin.ctx().as_raw().as_ptr()))
    }

    /// As [`new`](Kind::new), with a prototype. Hardly any of the objects gets own properties, so they are created
    /// without room for any.
    pub(crate) fn with_methods<'js>(
        class: qjs::JSClassID,
        methods: &Object<'js>,
        builtin: &Object<'js>,
    ) -> Result<Kind> {
        let ctx = builtin.ctx().as_raw().as_ptr();
        let mut first = qjs::JS_UNDEFINED;
        // SAFETY: the class is registered, and none of its objects exists yet; the engine takes over the reference to
        // the prototype.
        unsafe {
            qjs::JS_SetClassProto(ctx, class, raw::dup(ctx, methods.as_value().as_raw()));
            match engine_patch() {
                Some(added) => (added.make_bare)(ctx, class, &mut first),
                None => first = Kind(class).make(ctx),
            }
        }
        Kind(class).keep(builtin, first)
    }

    fn keep<'js>(self, builtin: &Object<'js>, first: Raw) -> Result<Kind> {
        // SAFETY: the new reference goes to the value.
        let first = unsafe { Value::from_raw(builtin.ctx().clone(), first) };
        if first.is_exception() {
            return Err(Error::Exception);
        }
        builtin.set(format!("shape of {}", self.0), first)?;
        Ok(self)
    }

    /// A new object, or `JS_EXCEPTION`.
    #[inline]
    pub(crate) fn make(self, ctx: RawCtx) -> Raw {
        // SAFETY: the class is registered.
        unsafe { qjs::JS_NewObjectClass(ctx, self.0) }
    }

    /// True if the refcount is 1 and the object has no own properties or weak references: it may be recycled.
    #[inline]
    pub(crate) fn is_recyclable(self, ctx: RawCtx, object: Raw) -> bool {
        // SAFETY: the object is alive, and of this kind.
        engine_patch().is_some_and(|added| unsafe { (added.is_recyclable)(ctx, &object, self.0) })
    }

    /// Sets the opaque pointer of an object of this class.
    #[inline]
    pub(crate) fn set_opaque(object: Raw, opaque: usize) {
        // SAFETY: objects of these classes have an opaque pointer.
        unsafe { qjs::JS_SetOpaque(object, opaque as *mut c_void) };
    }

    /// The opaque pointer of an object of this class; null for any other value.
    #[inline]
    pub(crate) fn opaque(self, object: Raw) -> *mut c_void {
        // SAFETY: accepts any value.
        unsafe { qjs::JS_GetOpaque(object, self.0) }
    }
}

/// One unreferenced object of a kind, kept for reuse. If fast paths are off, the cache stays empty and every request declines, so that
/// each timer and immediate gets an object of its own.
pub(crate) struct ObjectCache {
    object: ObjPtr,
    is_enabled: bool,
}

impl Default for ObjectCache {
    fn default() -> ObjectCache {
        ObjectCache { object: ObjPtr::NONE, is_enabled: fast_paths::are_enabled() }
    }
}

impl ObjectCache {
    /// The cached object, or that of `latest` if the caller's reference is the only one. The reference is the caller's.
    #[inline]
    pub(crate) fn take(&mut self, kind: Kind, ctx: RawCtx, latest: Option<&mut ObjPtr>) -> Option<Raw> {
        if self.object != ObjPtr::NONE {
            return Some(std::mem::take(&mut self.object).raw());
        }
        let latest = latest
            .filter(|latest| self.is_enabled && **latest != ObjPtr::NONE && kind.is_recyclable(ctx, latest.raw()))?;
        Some(std::mem::take(latest).raw())
    }

    /// Takes over an object, and clears its opaque word, if the caller's reference is the only one and the cache is empty. Returns true
    /// if it did.
    #[inline]
    pub(crate) fn keep(&mut self, kind: Kind, ctx: RawCtx, object: Raw) -> bool {
        let keeps = self.is_enabled && self.object == ObjPtr::NONE && kind.is_recyclable(ctx, object);
        if keeps {
            Kind::set_opaque(object, 0);
            self.object = ObjPtr::of(object);
        }
        keeps
    }

    /// Takes the object, or undefined.
    pub(crate) fn take_object(&mut self) -> Raw {
        std::mem::take(&mut self.object).raw()
    }
}

/// Keeps objects with the shapes that each new function and promise goes through, in the order in which a function gets
/// its properties. Without them, the engine would create and free these shapes with each one.
pub(crate) fn keep_function_shapes<'js>(ctx: &Ctx<'js>, object: &Object<'js>) -> Result<()> {
    let function = ctx.globals().get::<_, Object<'js>>("Function")?.get::<_, Object<'js>>("prototype")?;
    let promise = ctx.globals().get::<_, Object<'js>>("Promise")?.get::<_, Object<'js>>("prototype")?;
    // An object whose prototype is set later has a shape of its own, so set it at creation.
    let of = |prototype: &Object<'js>| {
        // SAFETY: the prototype is alive; the new reference goes to the value.
        let made = unsafe { qjs::JS_NewObjectProto(ctx.as_raw().as_ptr(), prototype.as_value().as_raw()) };
        // SAFETY: as above.
        Object::from_value(unsafe { Value::from_raw(ctx.clone(), made) })
    };
    let (bare, long, named) = (of(&function)?, of(&function)?, of(&function)?);
    long.prop("length", Property::from(0).configurable())?;
    named.prop("length", Property::from(0).configurable())?;
    named.prop("name", Property::from("").configurable())?;
    object.set("shapes of functions", vec![bare, long, named.clone(), of(&promise)?])?;
    state(ctx).function_model.set(named.as_value().as_raw());
    Ok(())
}

/// The object with whose shape a context creates functions: see `engine/phasor_quick.h`. Null if there is none.
#[unsafe(no_mangle)]
unsafe extern "C" fn phasor_function_model(ctx: RawCtx) -> *const Raw {
    // SAFETY: on the thread of the engine's host; the engine of a build script has no host.
    match unsafe { current_or_none() } {
        // SAFETY: reads the tag.
        Some(state) if state.ctx == ctx && unsafe { qjs::JS_IsObject(state.function_model.get()) } => {
            state.function_model.as_ptr()
        }
        _ => std::ptr::null(),
    }
}
