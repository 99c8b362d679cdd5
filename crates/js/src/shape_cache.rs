//! Keeps one object alive per shape, so that natives can create objects with the same properties without building the shape.
//!
//! QuickJS creates one shape per added property and frees a shape when its last object dies. `fs.Stats` is the main user.
//!
//! # Safety
//! As `raw`: the prototype, the names and the kept objects are counted references, released once, by
//! [`State::clear_records`].
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::rc::Rc;

use rquickjs::{Ctx, Error, Object, Result, Value, qjs};

use crate::raw::{self, Raw, RawCtx};
use crate::state::State;

/// A set of objects with the same prototype and properties, registered with one host.
#[derive(Clone, Copy, Debug)]
pub struct Record(usize);

/// The records of a thread.
#[derive(Default)]
pub(crate) struct Records(RefCell<Vec<Rc<Kind>>>);

struct Kind {
    prototype: Raw,
    names: Vec<qjs::JSAtom>,
    kept: RefCell<Vec<Raw>>,
}

impl Kind {
    /// An object with the first properties, one for each value, or `JS_EXCEPTION`.
    fn make(&self, ctx: RawCtx, values: impl Iterator<Item = Raw>) -> Raw {
        // SAFETY: the prototype and the names live as long as the kind; setting a property takes over the reference to
        // its value.
        unsafe {
            let object = qjs::JS_NewObjectProto(ctx, self.prototype);
            if raw::is_exception(object) {
                return object;
            }
            for (name, value) in self.names.iter().zip(values) {
                if qjs::JS_DefinePropertyValue(ctx, object, *name, value, qjs::JS_PROP_C_W_E as _) < 0 {
                    raw::free(ctx, object);
                    return qjs::JS_EXCEPTION;
                }
            }
            object
        }
    }
}

impl State {
    /// Registers a prototype and the names of the properties, in order.
    pub fn new_record(&self, prototype: &Object<'_>, names: &[&str]) -> Record {
        // SAFETY: creates atoms, which the kind owns.
        let name = |name: &&str| unsafe { qjs::JS_NewAtomLen(self.ctx, name.as_ptr().cast(), name.len() as _) };
        let prototype = raw::dup(self.ctx, prototype.as_value().as_raw());
        let kind = Kind { prototype, names: names.iter().map(name).collect(), kept: RefCell::default() };
        for count in 0..=names.len() {
            let object = kind.make(self.ctx, std::iter::repeat_n(qjs::JS_UNDEFINED, count));
            if raw::is_exception(object) {
                // Out of memory: works without the kept object, only slower.
                self.drop_exception();
                break;
            }
            kind.kept.borrow_mut().push(object);
        }
        let mut records = self.records.0.borrow_mut();
        records.push(Rc::new(kind));
        Record(records.len() - 1)
    }

    /// Creates an object of a record with the given values.
    pub fn make_record<'js>(
        &self,
        ctx: &Ctx<'js>,
        record: Record,
        values: impl IntoIterator<Item = Value<'js>>,
    ) -> Result<Value<'js>> {
        let kind = self.records.0.borrow().get(record.0).cloned().ok_or(Error::Unknown)?;
        let raw_ctx = ctx.as_raw().as_ptr();
        let values = values.into_iter().map(|value| raw::dup(raw_ctx, value.as_raw()));
        let object = kind.make(raw_ctx, values);
        if raw::is_exception(object) {
            return Err(Error::Exception);
        }
        // SAFETY: the new reference goes to the value.
        Ok(unsafe { Value::from_raw(ctx.clone(), object) })
    }

    /// Releases all records before the runtime is freed.
    pub(crate) fn clear_records(&self) {
        for kind in self.records.0.take() {
            for object in kind.kept.take() {
                raw::free(self.ctx, object);
            }
            for name in &kind.names {
                // SAFETY: the kind owned the name and is gone.
                unsafe { qjs::JS_FreeAtom(self.ctx, *name) };
            }
            raw::free(self.ctx, kind.prototype);
        }
    }
}
