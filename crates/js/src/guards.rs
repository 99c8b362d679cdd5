//! Batched property guards: a precompiled list of property loads and checks, run in one call without running JavaScript.
//!
//! A native fast path describes its preconditions once as a [`GuardList`]. Each step loads a property of an object that was passed in
//! or that an earlier step loaded. A getter or a proxy on the way makes the whole list fail, so no user code can run.
//!
//! # Safety
//! As `keys`: the property names of a list belong to one runtime and host, and the list is rejected for any other. The
//! values found are held as long as [`Found`] lives; what it lends cannot outlive it.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::marker::PhantomData;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ops::Deref;
use std::os::raw::c_uint;
use std::{ptr, slice};

use rquickjs::{Ctx, Object, Value, qjs};

use crate::engine::engine_patch;
use crate::keys::{Key, Look, Plain};
use crate::raw::{self, Raw};
use crate::state::host_number;

/// The number of value slots of a list. Steps that only check store the loaded value in the last one.
const MOST: usize = 16;
const UNASKED: Slot = Slot(MOST as u8 - 1);

/// The check of a step. The numbers are those of `phasor_find` in the engine patch.
#[derive(Clone, Copy)]
enum Kind {
    /// No check.
    Any,
    /// The value is an object.
    Object,
    /// The value is a number.
    Number,
    /// The value is strictly equal to the wanted one.
    Is,
    /// The value is undefined or null.
    Nothing,
    /// The value is undefined or false.
    Not,
    /// The value is an integer with the wanted bits.
    Bits,
    /// No load: the object has the shape of the wanted one.
    Like,
    /// No load: stores the wanted object.
    Known,
}

#[repr(C)]
union Wanted {
    value: Raw,
    /// A mask, and the values of its bits.
    bits: [u32; 2],
}

/// One load and check. The layout is that of `PhasorStep` in the engine patch.
#[repr(C)]
pub(crate) struct Step {
    kind: u8,
    /// The object to load from.
    from: Slot,
    /// The slot for the loaded value.
    to: Slot,
    /// The number of next steps to skip if the check succeeds. If it is not 0, a failed check does not make the list fail.
    past: u8,
    /// The name of the property.
    name: qjs::JSAtom,
    /// Inline cache: the property index in the object itself.
    own: Cell<u32>,
    /// Inline cache: the number of prototypes between the object and the one with the property.
    level: Cell<u16>,
    /// Inline cache: the property index in that prototype.
    place: Cell<u16>,
    wanted: Wanted,
}

const _: () = assert!(size_of::<Step>() == 32, "the size of `PhasorStep`");

/// The index of a value of a list.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Slot(u8);

impl Slot {
    /// The first object that is passed to the list.
    pub const FIRST: Slot = Slot(0);
    /// The second one.
    pub const SECOND: Slot = Slot(1);
}

/// A list of property loads and checks.
pub struct GuardList {
    /// The runtime of the property names.
    runtime: *mut qjs::JSRuntime,
    /// The host that the list was built on.
    host: u64,
    steps: Vec<Step>,
    /// The number of objects that are passed to the list. They have the first slots.
    given: u8,
    /// The number of slots with results, including `given`.
    found: u8,
    /// The first slot of intermediate objects, which are not results. They are allocated from the end.
    through: u8,
}

impl GuardList {
    /// An empty list, to be run on `given` objects.
    pub fn new(ctx: &Ctx<'_>, given: u8) -> GuardList {
        // SAFETY: a live context.
        let runtime = unsafe { qjs::JS_GetRuntime(ctx.as_raw().as_ptr()) };
        GuardList { runtime, host: host_number(), steps: Vec::new(), given, found: given, through: UNASKED.0 }
    }

    fn add(&mut self, kind: Kind, from: Slot, name: qjs::JSAtom, to: Slot, wanted: Wanted) {
        self.steps.push(Step {
            kind: kind as u8,
            from,
            to,
            past: 0,
            name,
            own: Cell::new(u32::MAX),
            level: Cell::new(0),
            place: Cell::new(0),
            wanted,
        });
    }

    fn want(&mut self, kind: Kind, from: Slot, key: Key, wanted: Wanted) {
        assert!(key.is_of_runtime(self.runtime), "a key of another runtime");
        self.add(kind, from, key.atom(), UNASKED, wanted);
    }

    fn take(&mut self, kind: Kind, from: Slot, key: Key) -> Slot {
        self.want(kind, from, key, Wanted { value: qjs::JS_UNDEFINED });
        let to = Slot(self.found);
        self.found += 1;
        self.put_last(to)
    }

    /// Sets the slot for the value of the last step.
    fn put_last(&mut self, to: Slot) -> Slot {
        assert!(self.found <= self.through, "too many values");
        self.steps.last_mut().expect("it was added").to = to;
        to
    }

    /// Loads a property of any type.
    pub fn any(&mut self, from: Slot, key: Key) -> Slot {
        self.take(Kind::Any, from, key)
    }

    /// Loads a property that must be an object.
    pub fn object(&mut self, from: Slot, key: Key) -> Slot {
        self.take(Kind::Object, from, key)
    }

    /// Loads a property that must be an object, for further steps only: it is not a result and gets no reference.
    pub fn through(&mut self, from: Slot, key: Key) -> Slot {
        self.want(Kind::Object, from, key, Wanted { value: qjs::JS_UNDEFINED });
        self.through -= 1;
        self.put_last(Slot(self.through))
    }

    /// Begins at a fixed object, which JavaScript must keep alive.
    pub fn known(&mut self, object: &Object<'_>) -> Slot {
        let value = object.as_value().as_raw();
        self.add(Kind::Known, Slot::FIRST, qjs::JS_ATOM_NULL, UNASKED, Wanted { value });
        self.through -= 1;
        self.put_last(Slot(self.through))
    }

    /// Loads a property that must be a number.
    pub fn number(&mut self, from: Slot, key: Key) -> Slot {
        self.take(Kind::Number, from, key)
    }

    /// Requires that a property has this value.
    pub fn is(&mut self, from: Slot, key: Key, wanted: impl Into<Plain>) {
        self.want(Kind::Is, from, key, Wanted { value: wanted.into().0 });
    }

    /// Requires that a property is this object, which JavaScript must keep alive.
    pub fn is_object(&mut self, from: Slot, key: Key, wanted: &Object<'_>) {
        self.want(Kind::Is, from, key, Wanted { value: wanted.as_value().as_raw() });
    }

    /// Requires that a property is undefined or null.
    pub fn is_nothing(&mut self, from: Slot, key: Key) {
        self.want(Kind::Nothing, from, key, Wanted { value: qjs::JS_UNDEFINED });
    }

    /// Requires that a property is undefined or false.
    pub fn is_not(&mut self, from: Slot, key: Key) {
        self.want(Kind::Not, from, key, Wanted { value: qjs::JS_UNDEFINED });
    }

    /// Requires that a property is an integer whose bits under the mask `looked` are `wanted`.
    pub fn has_bits(&mut self, from: Slot, key: Key, looked: u32, wanted: u32) {
        self.want(Kind::Bits, from, key, Wanted { bits: [looked, wanted] });
    }

    /// Requires that `one`, a single step, succeeds, or else all steps of `others`.
    pub fn either(&mut self, one: impl FnOnce(&mut GuardList), others: impl FnOnce(&mut GuardList)) {
        let at = self.steps.len();
        one(self);
        assert_eq!(self.steps.len(), at + 1, "one step");
        others(self);
        self.steps[at].past = u8::try_from(self.steps.len() - at - 1).expect("too many steps");
    }

    /// Requires the steps of `others`, unless the object has the shape of `model`, for which they succeed. JavaScript must keep the model alive
    /// and unchanged.
    pub fn unless_like(&mut self, from: Slot, model: &Object<'_>, others: impl FnOnce(&mut GuardList)) {
        let value = model.as_value().as_raw();
        self.either(|guards| guards.add(Kind::Like, from, qjs::JS_ATOM_NULL, UNASKED, Wanted { value }), others);
    }

    /// Runs the list. `None` if a check fails, or if a load needs a getter or a proxy trap.
    #[inline]
    pub fn make<'a, 'js, const N: usize>(
        &self,
        given: [&'a Object<'js>; N],
        room: &'a mut Room,
    ) -> Option<Found<'a, 'js>> {
        assert_eq!(N, self.given as usize, "the list takes another number of objects");
        let added = engine_patch().filter(|_| self.host == host_number())?;
        let ctx = given[0].ctx();
        for (to, object) in room.0.iter_mut().zip(given) {
            to.write(object.as_value().as_raw());
        }
        // Results of steps that are skipped.
        for to in &mut room.0[N..self.found as usize] {
            to.write(qjs::JS_UNDEFINED);
        }
        let (steps, count) = (self.steps.as_ptr(), self.steps.len() as c_uint);
        let (given, found) = (c_uint::from(self.given), c_uint::from(self.found));
        // SAFETY: the pointer and the count are those of the steps, which the engine refuses for another runtime. Their slots are within
        // `room`, and those that they load from hold objects: passed ones, or ones that a step has checked to be objects.
        unsafe {
            let (ctx, values) = (ctx.as_raw().as_ptr(), room.0.as_mut_ptr().cast::<Raw>());
            if !(added.find)(ctx, self.runtime, steps, count, given, found, values) {
                return None;
            }
        }
        // SAFETY: the first `found` slots were written above.
        let values = unsafe { slice::from_raw_parts(room.0.as_ptr().cast::<Raw>(), self.found as usize) };
        Some(Found { ctx, values, given: self.given })
    }
}

/// Memory for the values of one list.
pub struct Room([MaybeUninit<Raw>; MOST]);

impl Room {
    /// Uninitialized memory.
    #[inline]
    #[allow(clippy::new_without_default, reason = "there is no default content")]
    pub fn new() -> Room {
        Room([const { MaybeUninit::uninit() }; MOST])
    }
}

/// The results of a list. Releases their references on drop.
pub struct Found<'a, 'js> {
    ctx: &'a Ctx<'js>,
    values: &'a [Raw],
    /// The number of passed objects, which come first and have no reference here.
    given: u8,
}

impl<'js> Found<'_, 'js> {
    /// The value in a slot.
    #[inline]
    pub fn look(&self, at: Slot) -> Look {
        Look::at(self.values[at.0 as usize])
    }

    /// The number in a slot; NaN for a value of another type.
    #[inline]
    pub fn number(&self, at: Slot) -> f64 {
        match self.look(at) {
            Look::Number(number) => number,
            _ => f64::NAN,
        }
    }

    /// The value in a slot, borrowed.
    #[inline]
    fn value(&self, at: Slot) -> Lent<'_, 'js, Value<'js>> {
        // SAFETY: `self` holds references to the context and the value, and outlives the borrow; the copies are never dropped.
        let value = unsafe { Value::from_raw(ptr::read(self.ctx), self.values[at.0 as usize]) };
        Lent(ManuallyDrop::new(value), PhantomData)
    }

    /// The object in a slot.
    ///
    /// # Panics
    /// If the value is not an object.
    #[inline]
    pub fn object(&self, at: Slot) -> Lent<'_, 'js, Object<'js>> {
        let value = self.value(at);
        assert!(value.is_object(), "the slot of a step that loads an object");
        Lent(value.0, PhantomData)
    }

    /// The object in a slot, or `None` for a value of another type.
    #[inline]
    pub fn as_object(&self, at: Slot) -> Option<Lent<'_, 'js, Object<'js>>> {
        matches!(self.look(at), Look::Object(_)).then(|| self.object(at))
    }
}

impl Drop for Found<'_, '_> {
    fn drop(&mut self) {
        for value in &self.values[self.given as usize..] {
            raw::free(self.ctx.as_raw().as_ptr(), *value);
        }
    }
}

/// A borrowed value or object, whose reference belongs to another owner.
pub struct Lent<'a, 'js, T>(pub(crate) ManuallyDrop<Value<'js>>, pub(crate) PhantomData<&'a T>);

impl<'js> Deref for Lent<'_, 'js, Value<'js>> {
    type Target = Value<'js>;

    #[inline]
    fn deref(&self) -> &Value<'js> {
        &self.0
    }
}

impl<'js> Deref for Lent<'_, 'js, Object<'js>> {
    type Target = Object<'js>;

    #[inline]
    fn deref(&self) -> &Object<'js> {
        // SAFETY: values of this type are objects.
        unsafe { self.0.ref_object() }
    }
}

#[cfg(test)]
mod tests {
    use rquickjs::{Context, Runtime};

    use super::*;

    fn key(ctx: &Ctx<'_>, name: &str) -> Key {
        Key::new(ctx, &ctx.eval::<Value<'_>, _>(format!("'{name}'")).unwrap()).unwrap()
    }

    #[test]
    fn every_guard_must_pass() {
        Context::full(&Runtime::new().unwrap()).unwrap().with(|ctx| {
            let [a, b, c, d, e] = ["a", "b", "c", "d", "e"].map(|name| key(&ctx, name));
            let known: Object<'_> = ctx.eval("globalThis.known = {}").unwrap();
            let mut guards = GuardList::new(&ctx, 1);
            let inner = guards.object(Slot::FIRST, a);
            let number = guards.number(inner, b);
            guards.is(inner, c, 0);
            guards.is_nothing(inner, d);
            guards.is_not(inner, e);
            let passed = guards.through(Slot::FIRST, a);
            guards.is(passed, c, 0);
            let kept = guards.known(&known);
            guards.is_nothing(kept, a);
            guards.is_object(Slot::FIRST, b, &known);
            guards.has_bits(Slot::FIRST, c, 6, 2);
            guards.either(|guards| guards.is(Slot::FIRST, d, true), |guards| guards.is(Slot::FIRST, e, Plain::NULL));
            let look = |inner: &str, outer: &str| {
                let object: Object<'_> = ctx
                    .eval(format!("({{ a: {{ b: 1.5, c: 0, {inner} }}, b: known, c: 3, d: true, {outer} }})"))
                    .unwrap();
                let mut room = Room::new();
                guards.make([&object], &mut room).map(|found| {
                    object.remove("a").unwrap();
                    assert_eq!(found.object(inner_at(&guards)).get::<_, f64>("b").unwrap(), found.number(number));
                    found.number(number)
                })
            };
            assert_eq!(look("", ""), Some(1.5));
            assert_eq!(look("b: 2, c: -0, d: null, e: false, __proto__: { e: true }", ""), Some(2.0));
            assert_eq!(look("", "d: 1, e: null"), Some(1.5));
            for refused in ["b: '1'", "c: 1", "c: '0'", "d: 0", "e: 0", "e: true", "get d() {}"] {
                assert_eq!(look(refused, ""), None, "{refused}");
            }
            for refused in
                ["a: 1", "b: {}", "c: 4", "c: 2.5", "d: false", "get d() { return true; }", "a: new Proxy({}, {})"]
            {
                assert_eq!(look("", refused), None, "{refused}");
            }
        });
    }

    /// The first that a list takes.
    fn inner_at(guards: &GuardList) -> Slot {
        Slot(guards.given)
    }

    #[test]
    fn moved_properties_are_found() {
        Context::full(&Runtime::new().unwrap()).unwrap().with(|ctx| {
            let mut guards = GuardList::new(&ctx, 1);
            let a = guards.any(Slot::FIRST, key(&ctx, "a"));
            let look = |code: &str| {
                let object: Object<'_> = ctx.eval(format!("({code})")).unwrap();
                guards.make([&object], &mut Room::new()).map(|found| found.look(a))
            };
            for _ in 0..2 {
                assert_eq!(look("{ a: 1 }"), Some(Look::Number(1.0)));
                assert_eq!(look("{ b: 0, a: 2 }"), Some(Look::Number(2.0)));
                assert_eq!(look("{ b: 0, c: 1 }"), Some(Look::Undefined));
                assert_eq!(look("{ __proto__: { a: 3 } }"), Some(Look::Number(3.0)));
                assert_eq!(look("{ b: 0, __proto__: { b: 0, a: 4 } }"), Some(Look::Number(4.0)));
                assert_eq!(look("{ __proto__: { __proto__: { b: 0, a: 5 } } }"), Some(Look::Number(5.0)));
                assert_eq!(look("{ a: 6, __proto__: { __proto__: { b: 0, a: 5 } } }"), Some(Look::Number(6.0)));
                assert_eq!(look("{ b: 0, get a() {} }"), None);
                assert_eq!(look("{ b: 0, __proto__: { b: 0, get a() {} } }"), None);
                assert_eq!(
                    look("(() => { const it = { b: 0, a: 7 }; delete it.a; return it; })()"),
                    Some(Look::Undefined)
                );
                assert_eq!(look("[]"), None);
            }
        });
    }

    #[test]
    fn objects_with_the_model_shape_skip_the_guards() {
        Context::full(&Runtime::new().unwrap()).unwrap().with(|ctx| {
            let object = |code: &str| ctx.eval::<Object<'_>, _>(code).unwrap();
            let model = object("globalThis.model = { a: 1 }");
            let mut guards = GuardList::new(&ctx, 2);
            guards.unless_like(Slot::SECOND, &model, |guards| guards.is(Slot::SECOND, key(&ctx, "a"), 2));
            let is_so = |code: &str| guards.make([&model, &object(code)], &mut Room::new()).is_some();
            assert!(is_so("({ a: 1 })"));
            assert!(is_so("({ a: 2, b: 1 })"));
            assert!(!is_so("({ a: 1, b: 1 })"));
            assert!(!is_so("[1]"));
        });
    }

    #[test]
    fn keys_of_another_runtime_are_rejected() {
        let other = Runtime::new().unwrap();
        let guards = Context::full(&other).unwrap().with(|ctx| {
            let mut guards = GuardList::new(&ctx, 1);
            guards.any(Slot::FIRST, key(&ctx, "a"));
            guards
        });
        Context::full(&Runtime::new().unwrap()).unwrap().with(|ctx| {
            assert!(guards.make([&ctx.eval::<Object<'_>, _>("({ a: 1 })").unwrap()], &mut Room::new()).is_none());
        });
    }
}
