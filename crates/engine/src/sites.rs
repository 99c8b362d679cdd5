//! Numbers for places in source code. Recordings of a program refer by these numbers to function definitions and
//! stacks.
//!
//! A place is captured for each callback, so a second capture of the same place must be cheap. Functions are recognized
//! by their script, stacks by their innermost frame: the engine makes equal stacks one object (`SavedStacks` in the
//! engine). Both are recognized by address. The frames are rooted here, and a collection moves them, so their addresses
//! are read again after each collection. A script may be freed and another may take its address, so an entry also
//! stores the position of its script.
//!
//! # Safety
//!
//! The object of a function and its script are alive while the function is rooted.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::{CStr, c_void};
use std::ptr;
use std::rc::Rc;

use mozjs::jsapi;
use mozjs::rooted;

use crate::error_stack::{StackFrame, plain_frames};
use crate::function::Function;
use crate::global::Global;
use crate::inspect::{ScriptExtent, script_extent, script_of};
use crate::local::Local;
use crate::object::Object;
use crate::raw::{self, RawContext, RawString};
use crate::runtime::{Runtime, State, contain_panic, state_of};
use crate::scope::Scope;

/// How many places of each kind get a number. Further places get 0, so that generated code cannot take all memory.
const MOST: usize = 1 << 16;

/// Where a function is defined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionSite {
    /// The name that the function has or that the engine has inferred; empty if there is none.
    pub name: String,
    /// The name of the file.
    pub file: String,
    /// The line, from 1 on.
    pub line: u32,
    /// The column in UTF-16 units, from 1 on.
    pub column: u32,
}

/// A part of a collection of garbage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollectionStep {
    /// Whether only new objects are collected.
    pub is_nursery: bool,
    /// Whether the step begins; otherwise it ends.
    pub begins: bool,
    /// The used part of the heap in bytes, as by [`Scope::heap_bytes`], when a step of the whole heap ends; otherwise 0.
    pub heap_bytes: u64,
}

type StepHandler = Rc<dyn Fn(CollectionStep)>;
type NativeEndHandler = Rc<dyn Fn(Scope<'_>)>;

/// The numbered places of a runtime.
#[derive(Default)]
pub(crate) struct Sites {
    /// How many collections have ended.
    collections: Cell<u64>,
    functions: RefCell<HashMap<usize, (ScriptExtent, u32)>>,
    /// The function whose number was looked up last. Programs often look up the same function again.
    last_function: Cell<Option<(usize, ScriptExtent, u32)>>,
    function_count: Cell<u32>,
    stacks: RefCell<Stacks>,
    on_step: RefCell<Option<StepHandler>>,
    native_end: NativeEnd,
    on_native_end: RefCell<Option<NativeEndHandler>>,
}

#[derive(Default)]
struct Stacks {
    /// The number of a stack by the address of its innermost frame, as it is after the collection with number `collections`.
    numbers: HashMap<usize, u32>,
    collections: u64,
    /// The innermost frames, which stay alive. The frame at index 0 has number 1.
    frames: Vec<Global<Object>>,
}

/// A handle that requests a call when the running native function ends: [`Runtime::on_native_end`].
#[derive(Clone, Debug, Default)]
pub struct NativeEnd(Rc<Cell<bool>>);

impl NativeEnd {
    /// Requests one call.
    #[inline]
    pub fn request(&self) {
        self.0.set(true);
    }
}

impl Sites {
    /// Called when a collection of the whole heap has ended.
    pub(crate) fn collected(&self) {
        self.collections.set(self.collections.get() + 1);
    }

    /// Releases all references to the heap and to values of the embedder.
    pub(crate) fn clear(&self) {
        self.stacks.take();
        self.on_step.take();
        self.on_native_end.take();
    }

    #[inline]
    pub(crate) fn wants_native_end(&self) -> bool {
        self.native_end.0.get()
    }

    /// Called when a native function has ended and [`NativeEnd::request`] was called.
    #[cold]
    pub(crate) fn native_ended(&self, scope: Scope<'_>) {
        self.native_end.0.set(false);
        let handler = self.on_native_end.borrow().clone();
        if let Some(handler) = handler {
            scope.nested(|scope| handler(scope));
        }
    }
}

impl Stacks {
    /// The number of a stack, if it has one.
    fn find(&mut self, frame: usize, collections: u64) -> Option<u32> {
        if self.collections != collections {
            self.collections = collections;
            self.numbers.clear();
            let numbered =
                self.frames.iter().zip(1..).map(|(frame, number)| (frame.raw().to_object() as usize, number));
            self.numbers.extend(numbered);
        }
        self.numbers.get(&frame).copied()
    }
}

impl Runtime {
    /// Sets the function that is called when a native function has ended in which [`NativeEnd::request`] was called.
    /// Code that must not run JavaScript or allocate, because it runs in the middle of another operation, uses this to
    /// have the stack captured later. At that time the stack still has the same caller.
    pub fn on_native_end(&self, handler: impl Fn(Scope<'_>) + 'static) -> NativeEnd {
        let sites = &self.state().sites;
        sites.on_native_end.replace(Some(Rc::new(handler)));
        sites.native_end.clone()
    }
}

impl Scope<'_> {
    /// The number of the place where a function is defined. A bound function has the number of its target.
    /// [`Scope::function_site`] describes the place.
    pub fn function_number(self, function: Local<'_, Function>) -> SiteNumber {
        let mut object = function.raw().to_object();
        // SAFETY: the object is alive, and so are the targets of bound functions.
        unsafe {
            while jsapi::JS_ObjectIsBoundFunction(object) {
                object = jsapi::JS_GetBoundFunctionTarget(object);
            }
            if !jsapi::JS_ObjectIsFunction(object) {
                return SiteNumber::NONE;
            }
        }
        let Some(script) = script_of(object) else { return SiteNumber::NONE };
        let extent = script_extent(script);
        let sites = &self.state().sites;
        if let Some((address, known, number)) = sites.last_function.get()
            && address == script as usize
            && known == extent
        {
            return SiteNumber { number, is_new: false };
        }
        let mut functions = sites.functions.borrow_mut();
        let found = match functions.get(&(script as usize)) {
            Some((known, number)) if *known == extent => SiteNumber { number: *number, is_new: false },
            _ if sites.function_count.get() as usize >= MOST => SiteNumber::NONE,
            _ => {
                let number = sites.function_count.get() + 1;
                sites.function_count.set(number);
                functions.insert(script as usize, (extent, number));
                SiteNumber { number, is_new: true }
            }
        };
        sites.last_function.set(Some((script as usize, extent, found.number)));
        found
    }

    /// Where a function is defined. None for native functions.
    pub fn function_site(self, function: Local<'_, Function>) -> Option<FunctionSite> {
        let cx = self.cx();
        rooted!(in(cx) let mut object = function.raw().to_object());
        // SAFETY: the object and the targets of bound functions are alive; the handles are rooted.
        unsafe {
            while jsapi::JS_ObjectIsBoundFunction(object.get()) {
                object.set(jsapi::JS_GetBoundFunctionTarget(object.get()));
            }
            if !jsapi::JS_ObjectIsFunction(object.get()) {
                return None;
            }
            let extent = script_extent(script_of(object.get())?);
            rooted!(in(cx) let function = jsapi::JS_GetObjectFunction(object.get()));
            // Compiles the function if it has not run yet.
            rooted!(in(cx) let script = jsapi::JS_GetFunctionScript(cx, function.handle().into()));
            rooted!(in(cx) let mut name = ptr::null_mut::<RawString>());
            if script.get().is_null()
                || !jsapi::JS_GetFunctionDisplayId(cx, function.handle().into(), name.handle_mut().into())
            {
                jsapi::JS_ClearPendingException(cx);
                return None;
            }
            let file = jsapi::JS_GetScriptFilename(script.get());
            let file = if file.is_null() { String::new() } else { CStr::from_ptr(file).to_string_lossy().into_owned() };
            let name = if name.get().is_null() {
                String::new()
            } else {
                let name: Local<'_, crate::string::JsString> = self.root(raw::string(name.get()));
                name.to_text(self).unwrap_or_default()
            };
            Some(FunctionSite { name, file, line: extent.line(), column: extent.column() })
        }
    }

    /// The number of the current stack, of at most `limit` frames. [`Scope::numbered_frames`] describes it.
    pub fn stack_number(self, limit: u32) -> SiteNumber {
        let Ok(Some(stack)) = self.capture_stack(limit, None) else {
            // Without memory there is no stack to show; the program's own next allocation fails too.
            // SAFETY: the context is alive.
            unsafe { jsapi::JS_ClearPendingException(self.cx()) };
            return SiteNumber::NONE;
        };
        let sites = &self.state().sites;
        let frame = stack.raw().to_object() as usize;
        let mut stacks = sites.stacks.borrow_mut();
        if let Some(number) = stacks.find(frame, sites.collections.get()) {
            return SiteNumber { number, is_new: false };
        }
        if stacks.frames.len() >= MOST {
            return SiteNumber::NONE;
        }
        stacks.frames.push(Global::new(self, stack));
        let number = stacks.frames.len() as u32;
        stacks.numbers.insert(frame, number);
        SiteNumber { number, is_new: true }
    }

    /// The frames of the stack with the given number of [`Scope::stack_number`], innermost first.
    pub fn numbered_frames(self, number: u32) -> Vec<StackFrame> {
        let stacks = self.state().sites.stacks.borrow();
        let stack =
            number.checked_sub(1).and_then(|index| stacks.frames.get(index as usize)).map(|stack| stack.get(self));
        drop(stacks);
        stack.map_or_else(Vec::new, |stack| plain_frames(self, stack))
    }

    /// Sets the function that is called when a collection begins and ends, or removes it. The function must not call
    /// the engine.
    pub fn on_collection(self, handler: Option<Box<dyn Fn(CollectionStep)>>) {
        let state = self.state();
        let is_on = handler.is_some();
        let was_on = state.sites.on_step.replace(handler.map(Rc::from)).is_some();
        if is_on == was_on {
            return;
        }
        let cx = self.cx();
        // SAFETY: the callbacks find the state through the context.
        unsafe {
            if is_on {
                jsapi::SetGCSliceCallback(cx, Some(on_slice));
                jsapi::AddGCNurseryCollectionCallback(cx, Some(on_nursery), ptr::null_mut());
            } else {
                jsapi::SetGCSliceCallback(cx, None);
                jsapi::RemoveGCNurseryCollectionCallback(cx, Some(on_nursery), ptr::null_mut());
            }
        }
    }
}

/// The number of a place in source code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SiteNumber {
    /// The number, from 1 on; 0 if there is no place, or too many places have numbers.
    pub number: u32,
    /// Whether this call has given the number.
    pub is_new: bool,
}

impl SiteNumber {
    const NONE: SiteNumber = SiteNumber { number: 0, is_new: false };
}

fn report_step(state: &State, step: CollectionStep) {
    let handler = state.sites.on_step.borrow().clone();
    if let Some(handler) = handler {
        contain_panic(|| handler(step));
    }
}

unsafe extern "C" fn on_slice(cx: *mut RawContext, progress: jsapi::GCProgress, _: *const jsapi::JS::GCDescription) {
    let begins = match progress {
        jsapi::GCProgress::GC_SLICE_BEGIN => true,
        jsapi::GCProgress::GC_SLICE_END => false,
        _ => return,
    };
    // SAFETY: the engine calls this with its context.
    let state = unsafe { state_of(cx) };
    let heap_bytes = if begins { 0 } else { state.heap_bytes_used() };
    report_step(state, CollectionStep { is_nursery: false, begins, heap_bytes });
}

unsafe extern "C" fn on_nursery(
    cx: *mut RawContext,
    progress: jsapi::JS::GCNurseryProgress,
    _: jsapi::GCReason,
    _: *mut c_void,
) {
    let begins = progress == jsapi::JS::GCNurseryProgress::GC_NURSERY_COLLECTION_START;
    // SAFETY: the engine calls this with its context.
    report_step(unsafe { state_of(cx) }, CollectionStep { is_nursery: true, begins, heap_bytes: 0 });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, Origin, define_natives};

    #[test]
    fn equal_places_have_one_number_also_after_a_collection() {
        let runtime = Runtime::new(Options::default());
        let realm = runtime.new_realm();
        runtime.enter(&realm, |scope| {
            let list =
                scope.eval("const f = function named() {};\n[f, f.bind(1), () => 1, Math.max]", Origin::new("a.js"));
            let list = list.unwrap().cast::<Object>().unwrap();
            let function = |index: u32| list.get_as::<Local<'_, Function>>(scope, index).unwrap();
            let first = scope.function_number(function(0));
            assert_eq!(first, SiteNumber { number: 1, is_new: true });
            scope.collect_garbage();
            assert_eq!(scope.function_number(function(1)), SiteNumber { number: 1, is_new: false });
            assert_eq!(scope.function_number(function(2)), SiteNumber { number: 2, is_new: true });
            assert_eq!(scope.function_number(function(3)), SiteNumber::NONE);
            assert_eq!(scope.function_site(function(3)), None);
            let site = scope.function_site(function(1)).unwrap();
            assert_eq!((site.name.as_str(), site.file.as_str(), site.line), ("named", "a.js", 1));
        });
    }

    #[test]
    fn stacks_have_numbers_and_frames() {
        let runtime = Runtime::new(Options::default());
        let realm = runtime.new_realm();
        runtime.enter(&realm, |scope| {
            let object = Object::new(scope);
            let define = || -> crate::Fallible<()> {
                define_natives!(scope, object, "number" => |scope: Scope<'_>| scope.stack_number(8).number);
                scope.global().set(scope, "native", object)
            };
            define().unwrap();
            let source = "function f() { return native.number(); }\nlet seen = [];\nfor (let i = 0; i < 3; i++) seen.push(f());\nseen.push(f());\nseen.join()";
            let numbers = scope.eval(source, Origin::new("b.js")).unwrap().to_text(scope).unwrap();
            assert_eq!(numbers, "1,1,1,2");
            scope.collect_garbage();
            let again = scope.eval("f()", Origin::new("c.js")).unwrap();
            assert_eq!(again.to_int32(), Some(3));
            let frames = scope.numbered_frames(2);
            let lines: Vec<_> = frames.iter().map(|frame| (frame.file.clone().unwrap_or_default(), frame.line)).collect();
            assert_eq!(lines, [("b.js".to_owned(), 1), ("b.js".to_owned(), 4)]);
            assert!(scope.numbered_frames(9).is_empty());
        });
    }

    #[test]
    fn a_native_that_asks_for_it_is_followed_by_a_call_and_collections_are_reported() {
        let runtime = Runtime::new(Options::default());
        let realm = runtime.new_realm();
        let calls = Rc::new(RefCell::new(Vec::new()));
        let seen = Rc::clone(&calls);
        let end = runtime.on_native_end(move |scope| seen.borrow_mut().push(scope.stack_number(1).number));
        runtime.enter(&realm, |scope| {
            let object = Object::new(scope);
            let define = || -> crate::Fallible<()> {
                define_natives!(scope, object, "ask" => |_: Scope<'_>| end.request(), "plain" => |_: Scope<'_>| 1);
                scope.global().set(scope, "native", object)
            };
            define().unwrap();
            scope.eval("native.plain(); native.ask();\nnative.ask(); native.plain()", Origin::new("d.js")).unwrap();
            assert_eq!(*calls.borrow(), [1, 2]);
            let steps = Rc::new(RefCell::new(Vec::new()));
            let seen = Rc::clone(&steps);
            scope.on_collection(Some(Box::new(move |step| seen.borrow_mut().push(step))));
            scope.collect_garbage();
            scope.on_collection(None);
            let count = steps.borrow().len();
            assert!(count >= 2 && count % 2 == 0);
            scope.collect_garbage();
            assert_eq!(steps.borrow().len(), count);
        });
    }
}
