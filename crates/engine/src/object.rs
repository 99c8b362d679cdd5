//! [`Object`]: properties and prototypes.

use mozjs::jsapi;
use mozjs::rooted;

use crate::convert::{FromJs, IntoJs};
use crate::exception::{Fallible, Thrown};
use crate::function::{Function, Native};
use crate::local::{Kind, Local, sealed};
use crate::raw;
use crate::scope::Scope;
use crate::string::JsString;
use crate::value::{Symbol, Value};

/// Any object, functions and arrays included.
#[derive(Debug)]
pub enum Object {}

impl sealed::Sealed for Object {}

impl Kind for Object {
    fn matches(value: sealed::Raw) -> bool {
        value.0.is_object()
    }
}

/// The name of a property: a text, an index, or a string or symbol of JavaScript.
#[derive(Clone, Copy, Debug)]
pub enum Key<'a> {
    /// A name, which is looked up in the engine's table of names at each use.
    Name(&'a str),
    /// An index of an array or typed array.
    Index(u32),
    /// A string of JavaScript.
    String(Local<'a, JsString>),
    /// A symbol.
    Symbol(Local<'a, Symbol>),
}

impl<'a> From<&'a str> for Key<'a> {
    fn from(name: &'a str) -> Key<'a> {
        Key::Name(name)
    }
}

impl From<u32> for Key<'_> {
    fn from(index: u32) -> Self {
        Key::Index(index)
    }
}

impl<'a> From<Local<'a, JsString>> for Key<'a> {
    fn from(name: Local<'a, JsString>) -> Key<'a> {
        Key::String(name)
    }
}

impl<'a> From<Local<'a, Symbol>> for Key<'a> {
    fn from(symbol: Local<'a, Symbol>) -> Key<'a> {
        Key::Symbol(symbol)
    }
}

/// The attributes of a property that [`Local::define`] makes. The default has none: not writable, not enumerable, not
/// configurable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attributes {
    /// The value can be changed.
    pub writable: bool,
    /// Loops and `Object.keys` show the property.
    pub enumerable: bool,
    /// The property can be deleted and defined anew.
    pub configurable: bool,
}

impl Attributes {
    /// The attributes of a property that an assignment makes.
    pub const ALL: Attributes = Attributes { writable: true, enumerable: true, configurable: true };

    /// The attributes of a method of a builtin class: writable and configurable.
    pub const METHOD: Attributes = Attributes { enumerable: false, ..Attributes::ALL };

    fn bits(self) -> u32 {
        let bit = |set: bool, bit: u8| if set { u32::from(bit) } else { 0 };
        bit(self.enumerable, jsapi::JSPROP_ENUMERATE)
            | bit(!self.writable, jsapi::JSPROP_READONLY)
            | bit(!self.configurable, jsapi::JSPROP_PERMANENT)
    }
}

/// Which keys [`Local::own_keys`] lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnKeys {
    /// The keys that `Object.keys` returns.
    EnumerableStrings,
    /// The keys that `Object.getOwnPropertyNames` returns.
    Strings,
    /// The keys that `Reflect.ownKeys` returns.
    All,
}

impl Key<'_> {
    /// Converts the key to the engine's form. The caller must root the result before the next call into the engine.
    fn to_id(self, scope: Scope<'_>) -> Fallible<jsapi::jsid> {
        scope.nested(|scope| {
            let cx = scope.cx();
            let value = match self {
                // An index of 31 bits is an integer key. A number is converted to it without an allocation.
                Key::Index(index) => scope.value(raw::number(index.into())),
                Key::Name(name) => JsString::new(scope, name)?.as_value(),
                Key::String(string) => scope.value(string.raw()),
                Key::Symbol(symbol) => scope.value(symbol.raw()),
            };
            rooted!(in(cx) let mut id = jsapi::jsid { asBits_: 0 });
            // SAFETY: both handles are rooted.
            let ok = unsafe { jsapi::JS_ValueToId(cx, raw::handle(value.slot()), id.handle_mut().into()) };
            Thrown::check(scope, ok)?;
            Ok(id.get())
        })
    }
}

/// A list of property keys that the collector traces.
pub(crate) struct IdList(pub(crate) *mut jsapi::PersistentRootedIdVector);

impl Drop for IdList {
    fn drop(&mut self) {
        // SAFETY: `CreateRootedIdVector` made it.
        unsafe { mozjs::glue::DestroyRootedIdVector(self.0) }
    }
}

impl Object {
    /// An object without properties, whose prototype is `Object.prototype`.
    ///
    /// # Panics
    ///
    /// If there is no memory for it.
    pub fn new<'s>(scope: Scope<'s>) -> Local<'s, Object> {
        // SAFETY: the context is in a realm.
        unsafe {
            let object = jsapi::JS_NewPlainObject(scope.cx());
            assert!(!object.is_null(), "no memory for an object");
            scope.root(raw::object(object))
        }
    }
}

impl<'s, T: Kind> Local<'s, T>
where
    T: IsObject,
{
    /// The same value, with the kind [`Object`].
    pub fn as_object(self) -> Local<'s, Object> {
        self.cast().expect("its kind is a kind of object")
    }

    /// Reads a property, as `object[key]`. May run JavaScript: getters and proxies.
    ///
    /// # Errors
    ///
    /// The exception that the called JavaScript throws.
    pub fn get<'t, 'k>(self, scope: Scope<'t>, key: impl Into<Key<'k>>) -> Fallible<Local<'t, Value>> {
        let id = key.into().to_id(scope)?;
        let cx = scope.cx();
        rooted!(in(cx) let id = id);
        rooted!(in(cx) let object = self.raw().to_object());
        rooted!(in(cx) let mut value = raw::undefined());
        // SAFETY: all handles are rooted.
        let ok = unsafe {
            jsapi::JS_GetPropertyById(cx, object.handle().into(), id.handle().into(), value.handle_mut().into())
        };
        // SAFETY: the value was just read.
        unsafe { scope.root_if(ok, value.get()) }
    }

    /// Reads a property like [`get`](Local::get), and converts the value.
    ///
    /// # Errors
    ///
    /// The errors of [`get`](Local::get) and of the conversion.
    pub fn get_as<'t, 'k, U: FromJs<'t>>(self, scope: Scope<'t>, key: impl Into<Key<'k>>) -> Fallible<U> {
        U::from_js(scope, self.get(scope, key)?)
    }

    /// Writes a property, as `object[key] = value` in strict code. May run JavaScript: setters and proxies.
    ///
    /// # Errors
    ///
    /// The exception that the called JavaScript throws; a TypeError for a property that is read-only.
    pub fn set<'t, 'k>(self, scope: Scope<'t>, key: impl Into<Key<'k>>, value: impl IntoJs<'t>) -> Fallible<()> {
        let value = value.into_js(scope)?;
        let id = key.into().to_id(scope)?;
        let cx = scope.cx();
        rooted!(in(cx) let id = id);
        rooted!(in(cx) let object = self.raw().to_object());
        // SAFETY: all handles are rooted.
        let ok = unsafe {
            jsapi::JS_SetPropertyById(cx, object.handle().into(), id.handle().into(), raw::handle(value.slot()))
        };
        Thrown::check(scope, ok)
    }

    /// Defines a property with its attributes, as `Object.defineProperty`.
    ///
    /// # Errors
    ///
    /// A TypeError if the object refuses it; the exception that a proxy trap throws.
    pub fn define<'t, 'k>(
        self,
        scope: Scope<'t>,
        key: impl Into<Key<'k>>,
        value: impl IntoJs<'t>,
        attributes: Attributes,
    ) -> Fallible<()> {
        let value = value.into_js(scope)?;
        let id = key.into().to_id(scope)?;
        let cx = scope.cx();
        rooted!(in(cx) let id = id);
        rooted!(in(cx) let object = self.raw().to_object());
        // SAFETY: all handles are rooted.
        let ok = unsafe {
            jsapi::JS_DefinePropertyById2(
                cx,
                object.handle().into(),
                id.handle().into(),
                raw::handle(value.slot()),
                attributes.bits(),
            )
        };
        Thrown::check(scope, ok)
    }

    /// Defines a method in Rust: writable, enumerable and configurable, as an assignment would.
    ///
    /// # Errors
    ///
    /// The errors of [`define`](Local::define).
    pub fn define_function<F: Native>(self, scope: Scope<'_>, name: &str, arity: u32, native: F) -> Fallible<()> {
        scope.nested(|scope| {
            let function = Function::new(scope, name, arity, native)?;
            self.define(scope, name, function, Attributes::ALL)
        })
    }

    /// Defines an accessor with its attributes (`writable` has no meaning), as `Object.defineProperty`.
    ///
    /// # Errors
    ///
    /// The errors of [`define`](Local::define).
    pub fn define_accessor<'k>(
        self,
        scope: Scope<'_>,
        key: impl Into<Key<'k>>,
        getter: Option<Local<'_, Function>>,
        setter: Option<Local<'_, Function>>,
        attributes: Attributes,
    ) -> Fallible<()> {
        let id = key.into().to_id(scope)?;
        let cx = scope.cx();
        let object_of =
            |function: Option<Local<'_, Function>>| function.map_or(std::ptr::null_mut(), |f| f.raw().to_object());
        rooted!(in(cx) let id = id);
        rooted!(in(cx) let object = self.raw().to_object());
        rooted!(in(cx) let getter = object_of(getter));
        rooted!(in(cx) let setter = object_of(setter));
        let bits = Attributes { writable: true, ..attributes }.bits();
        // SAFETY: all handles are rooted.
        let ok = unsafe {
            jsapi::JS_DefinePropertyById4(
                cx,
                object.handle().into(),
                id.handle().into(),
                getter.handle().into(),
                setter.handle().into(),
                bits,
            )
        };
        Thrown::check(scope, ok)
    }

    /// Whether the object itself has a property.
    ///
    /// # Errors
    ///
    /// The exception that a proxy trap throws.
    pub fn has_own<'k>(self, scope: Scope<'_>, key: impl Into<Key<'k>>) -> Fallible<bool> {
        let id = key.into().to_id(scope)?;
        let cx = scope.cx();
        rooted!(in(cx) let id = id);
        rooted!(in(cx) let object = self.raw().to_object());
        let mut found = false;
        // SAFETY: all handles are rooted.
        let ok =
            unsafe { jsapi::JS_HasOwnPropertyById(cx, object.handle().into(), id.handle().into(), &raw mut found) };
        Thrown::check(scope, ok)?;
        Ok(found)
    }

    /// The object's own keys, strings and symbols, in the order of `Reflect.ownKeys`.
    ///
    /// # Errors
    ///
    /// The exception that a proxy trap throws.
    pub fn own_keys<'t>(self, scope: Scope<'t>, include: OwnKeys) -> Fallible<Vec<Local<'t, Value>>> {
        let cx = scope.cx();
        let flags = match include {
            OwnKeys::EnumerableStrings => 0,
            OwnKeys::Strings => jsapi::JSITER_HIDDEN,
            OwnKeys::All => jsapi::JSITER_HIDDEN | jsapi::JSITER_SYMBOLS,
        } | jsapi::JSITER_OWNONLY;
        rooted!(in(cx) let object = self.raw().to_object());
        // SAFETY: the vector is rooted until it is dropped; each key is rooted as soon as it is read.
        unsafe {
            let ids = IdList(mozjs::glue::CreateRootedIdVector(cx));
            assert!(!ids.0.is_null(), "no memory for a list of keys");
            let list = jsapi::MutableHandleIdVector { ptr: mozjs::glue::GetIdVectorAddress(ids.0).cast() };
            let ok = jsapi::GetPropertyKeys(cx, object.handle().into(), flags, list);
            Thrown::check(scope, ok)?;
            let mut length = 0;
            mozjs::glue::SliceRootedIdVector(ids.0, &raw mut length);
            let mut keys = Vec::with_capacity(length);
            for index in 0..length {
                // The collector may move the list, so its address is read again for each key.
                let mut count = 0;
                rooted!(in(cx) let id = *mozjs::glue::SliceRootedIdVector(ids.0, &raw mut count).add(index));
                let key = scope.out();
                let ok = jsapi::JS_IdToValue(cx, id.get(), raw::handle_mut(key.slot().cast_mut()));
                Thrown::check(scope, ok)?;
                // The engine lists array indices as numbers.
                keys.push(if key.raw().is_number() { key.to_js_string(scope)?.as_value() } else { key });
            }
            Ok(keys)
        }
    }

    /// Whether the object or one of its prototypes has a property.
    ///
    /// # Errors
    ///
    /// The exception that a proxy trap throws.
    pub fn has<'k>(self, scope: Scope<'_>, key: impl Into<Key<'k>>) -> Fallible<bool> {
        let id = key.into().to_id(scope)?;
        let cx = scope.cx();
        rooted!(in(cx) let id = id);
        rooted!(in(cx) let object = self.raw().to_object());
        let mut found = false;
        // SAFETY: all handles are rooted.
        let ok = unsafe { jsapi::JS_HasPropertyById(cx, object.handle().into(), id.handle().into(), &raw mut found) };
        Thrown::check(scope, ok)?;
        Ok(found)
    }

    /// Deletes a property, as `delete object[key]` in strict code.
    ///
    /// # Errors
    ///
    /// A TypeError if the property is not configurable; the exception that a proxy trap throws.
    pub fn delete<'k>(self, scope: Scope<'_>, key: impl Into<Key<'k>>) -> Fallible<()> {
        let id = key.into().to_id(scope)?;
        let cx = scope.cx();
        rooted!(in(cx) let id = id);
        rooted!(in(cx) let object = self.raw().to_object());
        // SAFETY: all handles are rooted.
        let ok = unsafe { jsapi::JS_DeletePropertyById1(cx, object.handle().into(), id.handle().into()) };
        Thrown::check(scope, ok)
    }

    /// The prototype. None if it is `null`.
    ///
    /// # Errors
    ///
    /// The exception that a proxy trap throws.
    pub fn prototype<'t>(self, scope: Scope<'t>) -> Fallible<Option<Local<'t, Object>>> {
        let cx = scope.cx();
        rooted!(in(cx) let object = self.raw().to_object());
        rooted!(in(cx) let mut prototype = std::ptr::null_mut::<raw::RawObject>());
        // SAFETY: both handles are rooted.
        let ok = unsafe { jsapi::JS_GetPrototype(cx, object.handle().into(), prototype.handle_mut().into()) };
        Thrown::check(scope, ok)?;
        // SAFETY: the object was just read.
        Ok((!prototype.get().is_null()).then(|| unsafe { scope.root(raw::object(prototype.get())) }))
    }

    /// Sets the prototype.
    ///
    /// # Errors
    ///
    /// A TypeError if the object refuses it; the exception that a proxy trap throws.
    pub fn set_prototype(self, scope: Scope<'_>, prototype: Option<Local<'_, Object>>) -> Fallible<()> {
        let cx = scope.cx();
        rooted!(in(cx) let object = self.raw().to_object());
        rooted!(in(cx) let prototype = prototype.map_or(std::ptr::null_mut::<raw::RawObject>(), |local| local.raw().to_object()));
        // SAFETY: both handles are rooted.
        let ok = unsafe { jsapi::JS_SetPrototype(cx, object.handle().into(), prototype.handle().into()) };
        Thrown::check(scope, ok)
    }
}

/// The kinds of values that are objects.
///
/// This trait is sealed.
pub trait IsObject: Kind {}

impl IsObject for Object {}
