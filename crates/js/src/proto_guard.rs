//! Prototype guards: snapshot the property slots of a prototype and compare them later to detect monkey-patching.
//!
//! A native fast path replaces methods of these prototypes, called layers here. It may do so only while no script has changed them.
//! Comparing slots and property counts is cheaper than looking each method up by name.
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

/// The value of a property, or its two accessors.
type Slot = [u64; 2];

/// A property of a layer: what it was, and at which byte of the layer's memory it is. As the header has it.
#[repr(C, align(16))]
struct Property {
    was: Slot,
    offset: u64,
}

/// Properties of a layer: where that is, and the last of their places. As the header has it.
#[repr(C)]
pub(crate) struct Kept {
    layer: usize,
    properties: *const Property,
    count: u32,
    most: u32,
}

/// What a layer inherits from, and how many properties it has, with those that were added and that change nothing. As the header has it.
#[repr(C)]
pub(crate) struct Count {
    layer: usize,
    above: usize,
    count: Cell<u64>,
}

/// A prototype as it was.
struct Layer {
    object: raw::Raw,
    /// Where what it inherits from is.
    above: usize,
    slots: Vec<Slot>,
}

/// Prototypes that a native skips.
pub struct Layers {
    host: u64,
    layers: Vec<Rc<Layer>>,
    counts: Vec<Count>,
    addresses: Vec<usize>,
    /// Names that nothing may be added by.
    unwanted: Vec<qjs::JSAtom>,
}

thread_local! {
    /// All prototypes that were told of, and by which host.
    static KEPT: RefCell<(u64, Vec<Rc<Layer>>)> = const { RefCell::new((0, Vec::new())) };
}

fn slots_of(object: &raw::Raw) -> &[Slot] {
    let Some(added) = engine_patch() else { return &[] };
    let mut count = 0;
    // SAFETY: the caller has an object; nothing runs before the slots are compared or copied.
    unsafe {
        let first = (added.slots)(object, &mut count);
        if first.is_null() { &[] } else { slice::from_raw_parts(first, count as usize) }
    }
}

fn above(object: &raw::Raw) -> usize {
    // SAFETY: the caller has an object.
    engine_patch().map_or(0, |added| unsafe { (added.above)(object) })
}

/// Notes how a prototype is. JavaScript keeps it and all that its properties are now.
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

    /// The properties of these names, as far as it has them.
    fn properties(&self, names: &[qjs::JSAtom]) -> Vec<Property> {
        let Some(added) = engine_patch() else { return Vec::new() };
        // SAFETY: it is an object that lives; the names are of its runtime.
        let place = |name: &qjs::JSAtom| usize::try_from(unsafe { (added.slot_of)(&self.object, *name) }).ok();
        let offset = |place: usize| (place * size_of::<Slot>()) as u64;
        let property = |place: usize| Some(Property { was: *self.slots.get(place)?, offset: offset(place) });
        let mut properties: Vec<Property> = names.iter().filter_map(place).filter_map(property).collect();
        properties.sort_by_key(|property| property.offset);
        properties.dedup_by_key(|property| property.offset);
        properties
    }

    /// How many there are now, if what was added hides nothing, has none of these names, and nothing happens when it is set; and if it
    /// inherits from what it did.
    fn count_alone(&self, unwanted: &[qjs::JSAtom]) -> Option<u64> {
        let count = slots_of(&self.object).len();
        let from = self.slots.len() as c_uint;
        // SAFETY: it is an object that lives; the names are as many as is told.
        let is_alone = |added: &EnginePatch| unsafe {
            (added.is_added_alone)(&self.object, from, unwanted.as_ptr(), unwanted.len() as c_uint)
        };
        let is_same = self.above == above(&self.object) && count >= self.slots.len();
        (is_same && engine_patch().is_some_and(is_alone)).then_some(count as u64)
    }
}

impl Layers {
    /// These prototypes, as far as they were told of.
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

    /// The same, where nothing may be added to any by these names.
    pub fn without(mut self, keys: impl IntoIterator<Item = Key>) -> Layers {
        self.unwanted.extend(keys.into_iter().map(Key::atom));
        self
    }

    /// Whether all were told of, and none has got or lost a property that changes something, or inherits from something else.
    #[inline]
    pub fn is_unpatched(&self) -> bool {
        let Some(added) = engine_patch().filter(|_| self.host == host_number()) else { return false };
        // SAFETY: the counts are as many as is told, of objects that live.
        let is_same = unsafe { (added.are_as_many)(self.counts.as_ptr(), self.counts.len() as c_uint) };
        (is_same || self.are_complete_now()) && self.layers.len() == self.addresses.len()
    }

    /// The same, where the numbers are others.
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

    /// Some of their properties, by their names: methods, and values that an object below may have others of.
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

/// Properties of layers that a native goes past.
pub struct Methods {
    host: u64,
    names: Vec<qjs::JSAtom>,
    kept: Vec<Kept>,
    /// What these point to.
    _properties: Vec<(usize, Vec<Property>)>,
    addresses: Vec<usize>,
    /// Where an object is that has none of the names, nor anything else that most do not have; or nowhere.
    like: usize,
}

impl Methods {
    /// What the header adds, if the layers are of the host that runs.
    fn engine_patch(&self) -> Option<&'static EnginePatch> {
        engine_patch().filter(|_| self.host == host_number())
    }

    /// Whether the layers have them as they were. Of layers that are not [complete](Layers::is_unpatched) this says nothing.
    pub fn are_untouched(&self) -> bool {
        // SAFETY: they are as many as is told, of objects that live.
        self.engine_patch()
            .is_some_and(|added| unsafe { (added.are_kept)(self.kept.as_ptr(), self.kept.len() as c_uint) })
    }

    /// The same, for objects most of which are made like this one, which JavaScript keeps as it is.
    pub fn of_those_like(mut self, model: &Object<'_>) -> Methods {
        if self.are_below(model) {
            self.like = raw::object_address(model.as_value().as_raw());
        }
        self
    }

    /// Whether an object inherits from one of the layers, and has none of these names before that.
    pub fn are_below(&self, object: &Object<'_>) -> bool {
        let Some(added) = self.engine_patch() else { return false };
        // SAFETY: the object is held by the caller; the names and the addresses are as many as is told.
        unsafe {
            let (names, layers) = (&self.names, &self.addresses);
            let (count, most) = (names.len() as c_uint, layers.len() as c_uint);
            let object = object.as_value().as_raw();
            (added.is_bare)(&object, self.like, names.as_ptr(), count, layers.as_ptr(), most)
        }
    }

    /// Whether an object has these methods, and none of its own.
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
            assert!(after("below.more = () => {}; above.other = 1; below.rest = 1"), "nobody goes past these");
            assert!(!after("below.push = () => {}"), "it hides another");
            assert!(after("delete below.push"));
            assert!(!after("Object.setPrototypeOf(below, Object.create(above))"), "something is between");
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
            assert!(!Layers::of([&layer]).is_unpatched(), "it was not told of");
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
