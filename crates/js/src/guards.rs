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

/// How many values there may be. The last is for those that nobody asks for.
const MOST: usize = 16;
const UNASKED: Slot = Slot(MOST as u8 - 1);

/// What a value has to be. As the header has it.
#[derive(Clone, Copy)]
enum Kind {
    Any,
    Object,
    Number,
    Is,
    Nothing,
    Not,
    Bits,
    Like,
    Known,
}

#[repr(C)]
union Wanted {
    value: Raw,
    bits: [u32; 2],
}

/// One look: of which value, at which property, where to put what is there; and how many looks are left out if it is as it should be,
/// without harm if it is not. As the header has it.
#[repr(C)]
pub(crate) struct Step {
    kind: u8,
    from: Slot,
    to: Slot,
    past: u8,
    name: qjs::JSAtom,
    /// Where the property was the last time: at which place of the object, or of how many prototypes above at which place.
    own: Cell<u32>,
    level: Cell<u16>,
    place: Cell<u16>,
    wanted: Wanted,
}

const _: () = assert!(size_of::<Step>() == 32, "as the header has it");

/// Where a value is among those of a list.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Slot(u8);

impl Slot {
    /// The first that the list is given.
    pub const FIRST: Slot = Slot(0);
    /// The second.
    pub const SECOND: Slot = Slot(1);
}

/// A list of looks.
pub struct GuardList {
    runtime: *mut qjs::JSRuntime,
    host: u64,
    steps: Vec<Step>,
    given: u8,
    found: u8,
    /// The first of those that are only gone through, which come from behind.
    through: u8,
}

impl GuardList {
    /// An empty list, for so many objects that it is given.
    pub fn new(ctx: &Ctx<'_>, given: u8) -> GuardList {
        // SAFETY: a living context.
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

    /// Where the last look puts what it finds.
    fn put_last(&mut self, to: Slot) -> Slot {
        assert!(self.found <= self.through, "too many values");
        self.steps.last_mut().expect("it was added").to = to;
        to
    }

    /// Takes a property, whatever it is.
    pub fn any(&mut self, from: Slot, key: Key) -> Slot {
        self.take(Kind::Any, from, key)
    }

    /// Takes a property that has to be an object.
    pub fn object(&mut self, from: Slot, key: Key) -> Slot {
        self.take(Kind::Object, from, key)
    }

    /// Goes through a property that has to be an object: it is for other looks only.
    pub fn through(&mut self, from: Slot, key: Key) -> Slot {
        self.want(Kind::Object, from, key, Wanted { value: qjs::JS_UNDEFINED });
        self.through -= 1;
        self.put_last(Slot(self.through))
    }

    /// Goes from an object that is known beforehand, and that JavaScript keeps.
    pub fn known(&mut self, object: &Object<'_>) -> Slot {
        let value = object.as_value().as_raw();
        self.add(Kind::Known, Slot::FIRST, qjs::JS_ATOM_NULL, UNASKED, Wanted { value });
        self.through -= 1;
        self.put_last(Slot(self.through))
    }

    /// Takes a property that has to be a number.
    pub fn number(&mut self, from: Slot, key: Key) -> Slot {
        self.take(Kind::Number, from, key)
    }

    /// A property has to be this.
    pub fn is(&mut self, from: Slot, key: Key, wanted: impl Into<Plain>) {
        self.want(Kind::Is, from, key, Wanted { value: wanted.into().0 });
    }

    /// A property has to be this object, which JavaScript keeps.
    pub fn is_object(&mut self, from: Slot, key: Key, wanted: &Object<'_>) {
        self.want(Kind::Is, from, key, Wanted { value: wanted.as_value().as_raw() });
    }

    /// A property has to be undefined or null.
    pub fn is_nothing(&mut self, from: Slot, key: Key) {
        self.want(Kind::Nothing, from, key, Wanted { value: qjs::JS_UNDEFINED });
    }

    /// A property has to be undefined or false.
    pub fn is_not(&mut self, from: Slot, key: Key) {
        self.want(Kind::Not, from, key, Wanted { value: qjs::JS_UNDEFINED });
    }

    /// Some bits of a property have to be these.
    pub fn has_bits(&mut self, from: Slot, key: Key, looked: u32, wanted: u32) {
        self.want(Kind::Bits, from, key, Wanted { bits: [looked, wanted] });
    }

    /// If one look does not find what it should, others have to.
    pub fn either(&mut self, one: impl FnOnce(&mut GuardList), others: impl FnOnce(&mut GuardList)) {
        let at = self.steps.len();
        one(self);
        assert_eq!(self.steps.len(), at + 1, "one look");
        others(self);
        self.steps[at].past = u8::try_from(self.steps.len() - at - 1).expect("not so many looks");
    }

    /// If an object has not the very shape of another, which JavaScript keeps as it is, others have to be made.
    pub fn unless_like(&mut self, from: Slot, model: &Object<'_>, others: impl FnOnce(&mut GuardList)) {
        let value = model.as_value().as_raw();
        self.either(|guards| guards.add(Kind::Like, from, qjs::JS_ATOM_NULL, UNASKED, Wanted { value }), others);
    }

    /// Makes them. Nothing if something is not as it should be.
    #[inline]
    pub fn make<'a, 'js, const N: usize>(
        &self,
        given: [&'a Object<'js>; N],
        room: &'a mut Room,
    ) -> Option<Found<'a, 'js>> {
        assert_eq!(N, self.given as usize, "other objects than the list is for");
        let added = engine_patch().filter(|_| self.host == host_number())?;
        let ctx = given[0].ctx();
        for (to, object) in room.0.iter_mut().zip(given) {
            to.write(object.as_value().as_raw());
        }
        // Those that a look finds which is left out.
        for to in &mut room.0[N..self.found as usize] {
            to.write(qjs::JS_UNDEFINED);
        }
        let (steps, count) = (self.steps.as_ptr(), self.steps.len() as c_uint);
        let (given, found) = (c_uint::from(self.given), c_uint::from(self.found));
        // SAFETY: the steps are as many as is told, of this runtime or refused; their places are within the room, and those that are
        // looked at hold objects: given ones, or found as such.
        unsafe {
            let (ctx, values) = (ctx.as_raw().as_ptr(), room.0.as_mut_ptr().cast::<Raw>());
            if !(added.find)(ctx, self.runtime, steps, count, given, found, values) {
                return None;
            }
        }
        // SAFETY: so many were written above.
        let values = unsafe { slice::from_raw_parts(room.0.as_ptr().cast::<Raw>(), self.found as usize) };
        Some(Found { ctx, values, given: self.given })
    }
}

/// Room for what is found by one list.
pub struct Room([MaybeUninit<Raw>; MOST]);

impl Room {
    /// With nothing in it.
    #[inline]
    #[allow(clippy::new_without_default, reason = "nothing is its default")]
    pub fn new() -> Room {
        Room([const { MaybeUninit::uninit() }; MOST])
    }
}

/// What a list of looks has found.
pub struct Found<'a, 'js> {
    ctx: &'a Ctx<'js>,
    values: &'a [Raw],
    given: u8,
}

impl<'js> Found<'_, 'js> {
    /// What a value is.
    #[inline]
    pub fn look(&self, at: Slot) -> Look {
        Look::at(self.values[at.0 as usize])
    }

    /// A number; what is none is not a number.
    #[inline]
    pub fn number(&self, at: Slot) -> f64 {
        match self.look(at) {
            Look::Number(number) => number,
            _ => f64::NAN,
        }
    }

    /// A value.
    #[inline]
    fn value(&self, at: Slot) -> Lent<'_, 'js, Value<'js>> {
        // SAFETY: the context and the value are counted for this, which outlives what it lends; the copies are never dropped.
        let value = unsafe { Value::from_raw(ptr::read(self.ctx), self.values[at.0 as usize]) };
        Lent(ManuallyDrop::new(value), PhantomData)
    }

    /// An object.
    ///
    /// # Panics
    /// If it is none.
    #[inline]
    pub fn object(&self, at: Slot) -> Lent<'_, 'js, Object<'js>> {
        let value = self.value(at);
        assert!(value.is_object(), "no object was asked for");
        Lent(value.0, PhantomData)
    }

    /// An object, if it is one.
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

/// A value, or an object, that another holds.
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
        // SAFETY: it is an object.
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
