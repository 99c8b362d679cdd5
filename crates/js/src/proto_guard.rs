//! Prototype guards: snapshot the property slots of a prototype and compare them later to detect monkey-patching.
//!
//! A fast path skips methods of prototypes, called *layers* here, and may do so only while no script has changed them. There are two checks:
//!
//! - [`Layers::is_unpatched`]: no layer has gained a property that matters or got another prototype. It compares the number of properties
//!   of each layer, and examines added properties only if a number has changed.
//! - [`Methods::are_untouched`]: the skipped methods still have the values of the snapshot; a deleted one has not.
//!
//! Both compare memory, which is cheaper than looking each method up by name. The comparing functions are in the engine patch.
//!
//! # Safety
//! A layer is an object that JavaScript keeps alive for the life of the host, with a snapshot of its property slots
//! taken by [`keep`]. JavaScript also keeps the values of that snapshot alive, so equal addresses mean equal values. A
//! layer of another host is never read.
#![allow(unsafe_code)]

use std::cell::{Cell, RefCell};
use std::os::raw::c_uint;
use std::rc::Rc;
use std::slice;

use rquickjs::{Object, qjs};

use crate::engine::{EnginePatch, engine_patch};
use crate::keys::Key;
use crate::raw;
use crate::state::host_number;

/// The memory of a property: its value, or the pointers of its getter and setter.
type Slot = [u64; 2];

/// A property of a layer. The layout is that of `phasor_are_kept` in the engine patch.
#[repr(C, align(16))]
struct Property {
    /// The slot when the snapshot was taken.
    was: Slot,
    /// The byte offset of the slot in the layer's array of slots.
    offset: u64,
}

/// Properties of one layer, for `phasor_are_kept` in the engine patch, which has the same layout.
#[repr(C)]
pub(crate) struct Kept {
    /// The address of the layer.
    layer: usize,
    properties: *const Property,
    /// The number of `properties`.
    count: u32,
    /// The largest slot index among them.
    most: u32,
}

/// The expected prototype and number of properties of a layer, for `phasor_are_as_many` in the engine patch, which has the same layout.
#[repr(C)]
pub(crate) struct Count {
    /// The address of the layer.
    layer: usize,
    /// The address of the layer's prototype; 0 if it has none.
    above: usize,
    /// The number of properties, including harmless ones that were added after the snapshot.
    count: Cell<u64>,
}

/// The snapshot of a layer.
struct Layer {
    object: raw::Raw,
    /// The address of the layer's prototype; 0 if it has none.
    above: usize,
    slots: Vec<Slot>,
}

/// Prototypes whose methods a fast path skips.
pub struct Layers {
    /// The host of the prototypes.
    host: u64,
    layers: Vec<Rc<Layer>>,
    /// One entry for each of `layers`.
    counts: Vec<Count>,
    /// The addresses of all prototypes that [`Layers::of`] got, also of those without a snapshot.
    addresses: Vec<usize>,
    /// A property of one of these names must not be added to a layer.
    unwanted: Vec<qjs::JSAtom>,
}

thread_local! {
    /// The number of the current host, and its snapshots.
    static KEPT: RefCell<(u64, Vec<Rc<Layer>>)> = const { RefCell::new((0, Vec::new())) };
}

/// The property slots of an object. Empty without the engine patch.
fn slots_of(object: &raw::Raw) -> &[Slot] {
    let Some(added) = engine_patch() else { return &[] };
    let mut count = 0;
    // SAFETY: the value is an object that the caller holds; no script runs before the slots are compared or copied.
    unsafe {
        let first = (added.slots)(object, &mut count);
        if first.is_null() { &[] } else { slice::from_raw_parts(first, count as usize) }
    }
}

/// The address of an object's prototype; 0 if it has none.
fn above(object: &raw::Raw) -> usize {
    // SAFETY: the value is an object that the caller holds.
    engine_patch().map_or(0, |added| unsafe { (added.above)(object) })
}

/// Takes the snapshot of a prototype. JavaScript must keep the prototype and its current property values alive.
pub fn keep(object: &Object<'_>) {
    let object = object.as_value().as_raw();
    let (above, slots) = (above(&object), slots_of(&object).to_vec());
    KEPT.with_borrow_mut(|(host, kept)| {
        if *host != host_number() {
            *host = host_number();
            kept.clear();
        }
        kept.push(Rc::new(Layer { object, above, slots }));
    });
}

impl Layer {
    fn address(&self) -> usize {
        raw::object_address(self.object)
    }

    /// The properties that the snapshot has of these names, by slot.
    fn properties(&self, names: &[qjs::JSAtom]) -> Vec<Property> {
        let Some(added) = engine_patch() else { return Vec::new() };
        // SAFETY: the layer is alive, see the head of this file; the names are atoms of its runtime.
        let place = |name: &qjs::JSAtom| usize::try_from(unsafe { (added.slot_of)(&self.object, *name) }).ok();
        let offset = |place: usize| (place * size_of::<Slot>()) as u64;
        let property = |place: usize| Some(Property { was: *self.slots.get(place)?, offset: offset(place) });
        let mut properties: Vec<Property> = names.iter().filter_map(place).filter_map(property).collect();
        properties.sort_by_key(|property| property.offset);
        properties.dedup_by_key(|property| property.offset);
        properties
    }

    /// The current number of properties, if the layer still has its prototype and added properties are harmless: plain values that hide no
    /// inherited property and have none of the unwanted names.
    fn count_alone(&self, unwanted: &[qjs::JSAtom]) -> Option<u64> {
        let count = slots_of(&self.object).len();
        let from = self.slots.len() as c_uint;
        // SAFETY: the layer is alive, see the head of this file; the pointer and the count are those of one slice.
        let is_alone = |added: &EnginePatch| unsafe {
            (added.is_added_alone)(&self.object, from, unwanted.as_ptr(), unwanted.len() as c_uint)
        };
        let is_same = self.above == above(&self.object) && count >= self.slots.len();
        (is_same && engine_patch().is_some_and(is_alone)).then_some(count as u64)
    }
}

impl Layers {
    /// Guards these prototypes. Without a snapshot of each, [`is_unpatched`](Layers::is_unpatched) is false.
    pub fn of<'a, 'js: 'a>(objects: impl IntoIterator<Item = &'a Object<'js>>) -> Layers {
        KEPT.with_borrow(|(host, kept)| {
            let addresses = objects.into_iter().map(|object| raw::object_address(object.as_value().as_raw()));
            let addresses: Vec<usize> = addresses.collect();
            let layers: Vec<Rc<Layer>> =
                kept.iter().filter(|layer| addresses.contains(&layer.address())).cloned().collect();
            let count = |layer: &Rc<Layer>| Count {
                layer: layer.address(),
                above: layer.above,
                count: Cell::new(layer.slots.len() as u64),
            };
            let counts = layers.iter().map(count).collect();
            Layers { host: *host, layers, counts, addresses, unwanted: Vec::new() }
        })
    }

    /// Adds names that no added property may have, such as those that the fast path reads from objects below the layers.
    pub fn without(mut self, keys: impl IntoIterator<Item = Key>) -> Layers {
        self.unwanted.extend(keys.into_iter().map(Key::atom));
        self
    }

    /// True if every layer has a snapshot, still has its prototype, and has gained only harmless properties. A deleted property is found by
    /// [`Methods::are_untouched`], if it is guarded.
    #[inline]
    pub fn is_unpatched(&self) -> bool {
        let Some(added) = engine_patch().filter(|_| self.host == host_number()) else { return false };
        // SAFETY: the layers are alive, see the head of this file; the pointer and the count are those of one vector.
        let is_same = unsafe { (added.are_as_many)(self.counts.as_ptr(), self.counts.len() as c_uint) };
        (is_same || self.are_complete_now()) && self.layers.len() == self.addresses.len()
    }

    /// Examines added properties when a number has changed. Stores the new numbers, so that the next check is a comparison again.
    #[cold]
    fn are_complete_now(&self) -> bool {
        self.layers.iter().zip(&self.counts).all(|(layer, known)| match layer.count_alone(&self.unwanted) {
            Some(count) => {
                known.count.set(count);
                true
            }
            None => false,
        })
    }

    /// Guards properties of the layers: methods by `keys`, which objects below the layers must not override, and `values`, which they may.
    pub fn methods(&self, keys: impl IntoIterator<Item = Key>, values: &[Key]) -> Methods {
        let names: Vec<qjs::JSAtom> = keys.into_iter().map(Key::atom).collect();
        let all: Vec<qjs::JSAtom> = names.iter().copied().chain(values.iter().map(|key| key.atom())).collect();
        let properties = self.layers.iter().map(|layer| (layer.address(), layer.properties(&all)));
        let properties: Vec<(usize, Vec<Property>)> = properties.filter(|(_, some)| !some.is_empty()).collect();
        let kept = |(layer, some): &(usize, Vec<Property>)| Kept {
            layer: *layer,
            properties: some.as_ptr(),
            count: some.len() as u32,
            most: (some[some.len() - 1].offset / size_of::<Slot>() as u64) as u32,
        };
        let kept = properties.iter().map(kept).collect();
        Methods { host: self.host, names, kept, _properties: properties, addresses: self.addresses.clone(), like: 0 }
    }
}

/// Properties of layers that a fast path skips.
pub struct Methods {
    /// The host of the layers.
    host: u64,
    /// The names that objects below the layers must not have.
    names: Vec<qjs::JSAtom>,
    kept: Vec<Kept>,
    /// Owns the memory that `kept` points to.
    _properties: Vec<(usize, Vec<Property>)>,
    /// The addresses of the layers.
    addresses: Vec<usize>,
    /// The address of a model object without any of `names`; 0 if there is none. An object of the same shape has none either.
    like: usize,
}

impl Methods {
    /// The engine patch, if the layers belong to the current host.
    fn engine_patch(&self) -> Option<&'static EnginePatch> {
        engine_patch().filter(|_| self.host == host_number())
    }

    /// True if the guarded properties have the values of the snapshot. Slots are compared by index, so the result is valid only together with
    /// [`Layers::is_unpatched`].
    pub fn are_untouched(&self) -> bool {
        // SAFETY: the layers are alive, see the head of this file; the pointer and the count are those of one vector.
        self.engine_patch()
            .is_some_and(|added| unsafe { (added.are_kept)(self.kept.as_ptr(), self.kept.len() as c_uint) })
    }

    /// Sets a model for [`are_below`](Methods::are_below): objects with the shape of `model` pass at once. JavaScript must keep the model alive
    /// and unchanged.
    pub fn of_those_like(mut self, model: &Object<'_>) -> Methods {
        if self.are_below(model) {
            self.like = raw::object_address(model.as_value().as_raw());
        }
        self
    }

    /// True if the prototype chain of an object reaches a layer, and no object before that layer has one of the names.
    pub fn are_below(&self, object: &Object<'_>) -> bool {
        let Some(added) = self.engine_patch() else { return false };
        // SAFETY: the caller holds the object; each pointer and count are those of one vector.
        unsafe {
            let (names, layers) = (&self.names, &self.addresses);
            let (count, most) = (names.len() as c_uint, layers.len() as c_uint);
            let object = object.as_value().as_raw();
            (added.is_bare)(&object, self.like, names.as_ptr(), count, layers.as_ptr(), most)
        }
    }

    /// True if the guarded methods are those that a lookup on the object finds.
    pub fn resolves_to(&self, object: &Object<'_>) -> bool {
        self.are_below(object) && self.are_untouched()
    }
}

#[cfg(test)]
mod tests {
    use rquickjs::{Context, Ctx, Runtime, Value};

    use super::*;

    fn object<'js>(ctx: &Ctx<'js>, code: &str) -> Object<'js> {
        ctx.eval(code).unwrap()
    }

    #[test]
    fn changes_of_a_layer_are_detected() {
        Context::full(&Runtime::new().unwrap()).unwrap().with(|ctx| {
            let above = object(&ctx, "globalThis.above = { push() {}, get name() {} }");
            let below = object(&ctx, "globalThis.below = Object.assign(Object.create(above), { read() {}, rest: 0 })");
            object(&ctx, "globalThis.kept = [above, below].map(Object.getOwnPropertyDescriptors)");
            keep(&above);
            keep(&below);
            let layers = Layers::of([&above, &below]);
            let key = |name: &str| Key::new(&ctx, &ctx.eval::<Value<'_>, _>(format!("'{name}'")).unwrap()).unwrap();
            let methods = layers.methods(["push", "name"].map(key), &[key("read")]);
            let after = |code: &str| {
                ctx.eval::<Value<'_>, _>(code).unwrap();
                layers.is_unpatched() && methods.are_untouched()
            };
            assert!(after(""));
            assert!(!after("globalThis.read = below.read; below.read = () => {}"));
            assert!(after("below.read = read"));
            assert!(after("below.more = () => {}; above.other = 1; below.rest = 1"), "none of these is guarded");
            assert!(!after("below.push = () => {}"), "it overrides a guarded method");
            assert!(after("delete below.push"));
            assert!(!after("Object.setPrototypeOf(below, Object.create(above))"), "another prototype is between");
            assert!(after("Object.setPrototypeOf(below, above)"));
            assert!(!after("Object.defineProperty(above, 'socket', { get() {}, configurable: true })"));
            assert!(after("delete above.socket"));
            let layers = layers.without(["unwanted"].map(key));
            let after = |code: &str| {
                ctx.eval::<Value<'_>, _>(code).unwrap();
                layers.is_unpatched() && methods.are_untouched()
            };
            assert!(!after("above.unwanted = 1"));
            assert!(after("delete above.unwanted"));
            assert!(!after("Object.defineProperty(above, 'name', { get() { return 1; } })"));
            assert!(!after("delete above.push"));
        });
    }

    #[test]
    fn own_properties_below_the_layers_are_detected() {
        Context::full(&Runtime::new().unwrap()).unwrap().with(|ctx| {
            let layer = object(&ctx, "globalThis.layer = { push() {} }");
            let names = [Key::new(&ctx, &ctx.eval::<Value<'_>, _>("'push'").unwrap()).unwrap()];
            assert!(!Layers::of([&layer]).is_unpatched(), "there is no snapshot of it");
            object(&ctx, "globalThis.kept = [layer].map(Object.getOwnPropertyDescriptors)");
            keep(&layer);
            let layers = Layers::of([&layer]);
            let methods = layers.methods(names, &[]);
            let model = object(&ctx, "globalThis.model = Object.create(layer)");
            let methods = methods.of_those_like(&model);
            let is_below = |code: &str| methods.resolves_to(&object(&ctx, code));
            assert!(is_below("Object.create(Object.create(layer))"));
            assert!(is_below("Object.assign(Object.create(layer), { read() {} })"));
            assert!(!is_below("Object.assign(Object.create(layer), { push() {} })"));
            assert!(!is_below("Object.create(Object.assign(Object.create(layer), { push() {} }))"));
            assert!(!is_below("({})"));
            assert!(!is_below("new Proxy(Object.create(layer), {})"));
            assert!(!is_below("layer.push = () => {}; Object.create(layer)"));
            assert!(layers.is_unpatched());
            object(&ctx, "Object.defineProperty(layer, 'more', { get() {} })");
            assert!(!layers.is_unpatched());
        });
    }
}
