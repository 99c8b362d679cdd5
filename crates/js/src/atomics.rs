//! `Atomics.wait`, `notify` and `waitAsync` for all threads of the process: lists of waiters by address, first in, first out.
//!
//! QuickJS implements the first two, but its waiting threads cannot be terminated, and its `notify` does not wake
//! `waitAsync`.
//!
//! # Ground rules
//! One lock guards all lists. It is held for one read or change, never while JavaScript runs or while the engine
//! creates or frees a value. The thread that removes a waiter from its list must notify it.
//!
//! # Safety
//! An address is only read while its buffer is held: by the caller's arguments, or by the waiter's own reference to the
//! shared memory. Raw values as in `raw`.
#![allow(unsafe_code)]

use std::collections::{HashMap, VecDeque};
use std::os::raw::c_int;
use std::rc::Rc;
use std::sync::atomic::{AtomicI32, AtomicI64, Ordering};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use phasor_core::{AsyncSender, Event, HandleId};
use rquickjs::{Ctx, Object, Result, Value, qjs};

use crate::face::{JsFace, OnEvent};
use crate::raw::{self, Raw, RawCtx};
use crate::shared::SharedBytes;
use crate::state::{State, current, state};

/// Waiters by address.
#[derive(Default)]
struct Lists {
    by_address: HashMap<usize, VecDeque<Arc<Waiter>>>,
}

static LISTS: LazyLock<Mutex<Lists>> = LazyLock::new(Mutex::default);

struct Waiter {
    address: usize,
    kind: Kind,
}

enum Kind {
    /// A thread that sleeps on this condition variable.
    Thread(Condvar),
    /// A promise of a running thread: its id there, and the thread's queue of notifications.
    Promise(u64, Arc<Notifications>),
}

/// The notified promises of a thread, and the sender that wakes its loop.
struct Notifications {
    notified: Mutex<Vec<u64>>,
    bell: AsyncSender,
}

/// The pending promises of a thread.
#[derive(Default)]
pub(crate) struct Waits {
    notifications: Option<Arc<Notifications>>,
    waiting: HashMap<u64, Promised>,
    last: u64,
}

struct Promised {
    /// A counted reference to the function that settles the promise.
    resolve: Raw,
    waiter: Arc<Waiter>,
    timer: Option<HandleId>,
    /// Keeps the memory alive, so that the address is not reused while this waits on it.
    _memory: SharedBytes,
}

fn lists() -> MutexGuard<'static, Lists> {
    LISTS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Lists {
    fn add(&mut self, waiter: &Arc<Waiter>) {
        self.by_address.entry(waiter.address).or_default().push_back(waiter.clone());
    }

    /// Removes a waiter from its list. Returns whether it was on the list.
    fn remove(&mut self, waiter: &Arc<Waiter>) -> bool {
        let Some(list) = self.by_address.get_mut(&waiter.address) else { return false };
        let at = list.iter().position(|other| Arc::ptr_eq(other, waiter));
        if let Some(at) = at {
            list.remove(at);
        }
        if list.is_empty() {
            self.by_address.remove(&waiter.address);
        }
        at.is_some()
    }

    fn has(&self, waiter: &Arc<Waiter>) -> bool {
        self.by_address.get(&waiter.address).is_some_and(|list| list.iter().any(|other| Arc::ptr_eq(other, waiter)))
    }

    fn notify(&mut self, address: usize, most: usize) -> usize {
        let Some(list) = self.by_address.get_mut(&address) else { return 0 };
        let count = list.len().min(most);
        for waiter in list.drain(..count) {
            match &waiter.kind {
                Kind::Thread(bell) => bell.notify_one(),
                Kind::Promise(number, notifications) => {
                    notifications.notified.lock().unwrap_or_else(PoisonError::into_inner).push(*number);
                    notifications.bell.send();
                }
            }
        }
        if list.is_empty() {
            self.by_address.remove(&address);
        }
        count
    }
}

/// Wakes every sleeping thread, so that it checks for termination.
pub(crate) fn wake_sleepers() {
    for waiter in lists().by_address.values().flatten() {
        if let Kind::Thread(bell) = &waiter.kind {
            bell.notify_one();
        }
    }
}

/// Replaces the engine's functions. Runs before any script.
pub(crate) fn install(ctx: &Ctx<'_>) -> Result<()> {
    let atomics: Object<'_> = ctx.globals().get("Atomics")?;
    raw::define_hidden(ctx, &atomics, c"wait", 4, wait)?;
    raw::define_hidden(ctx, &atomics, c"notify", 3, notify)?;
    raw::define_hidden(ctx, &atomics, c"waitAsync", 4, wait_async)
}

/// An element of a typed array.
struct Place {
    address: usize,
    /// Whether the element has 64 bits.
    long: bool,
    /// The buffer; a counted reference.
    buffer: Raw,
    shared: bool,
}

/// An exception is pending.
struct Thrown;

type Try<T> = std::result::Result<T, Thrown>;

fn type_error(ctx: RawCtx, value: Raw, what: &str) -> Thrown {
    let text = format!("{} is not {what}.\0", described(ctx, value));
    // SAFETY: both strings end with a nul, and the format takes one string.
    unsafe { qjs::JS_ThrowTypeError(ctx, c"%s".as_ptr(), text.as_ptr().cast::<std::ffi::c_char>()) };
    Thrown
}

/// Formats a value as V8 does in these messages.
fn described(ctx: RawCtx, value: Raw) -> String {
    const NAMES: [&str; 12] = [
        "Uint8ClampedArray",
        "Int8Array",
        "Uint8Array",
        "Int16Array",
        "Uint16Array",
        "Int32Array",
        "Uint32Array",
        "BigInt64Array",
        "BigUint64Array",
        "Float16Array",
        "Float32Array",
        "Float64Array",
    ];
    // SAFETY: reads the value; converting a primitive cannot run code, and the C string is freed once.
    unsafe {
        if let Some(name) = usize::try_from(qjs::JS_GetTypedArrayType(value)).ok().and_then(|kind| NAMES.get(kind)) {
            return format!("[object {name}]");
        }
        if qjs::JS_IsObject(value) || qjs::JS_IsSymbol(value) {
            return if qjs::JS_IsArray(value) { "[object Array]" } else { "#<Object>" }.to_owned();
        }
        let mut length = 0;
        let text = qjs::JS_ToCStringLen2(ctx, &mut length, value, false);
        if text.is_null() {
            raw::free(ctx, qjs::JS_GetException(ctx));
            return "#<Object>".to_owned();
        }
        let copy = std::ffi::CStr::from_ptr(text).to_string_lossy().into_owned();
        qjs::JS_FreeCString(ctx, text);
        copy
    }
}

/// Converts a value to a number; may run user code.
fn number(ctx: RawCtx, value: Raw) -> Try<f64> {
    let mut number = 0.0;
    // SAFETY: the value is one of the call's arguments.
    if unsafe { qjs::JS_ToFloat64(ctx, &mut number, value) } < 0 { Err(Thrown) } else { Ok(number) }
}

/// The array element that the first two arguments refer to.
fn place(ctx: RawCtx, args: &[Raw; 4], must_share: bool) -> Try<Place> {
    let array = args[0];
    // SAFETY: reads a live value.
    let kind = unsafe { qjs::JS_GetTypedArrayType(array) };
    let long = kind == qjs::JSTypedArrayEnum_JS_TYPED_ARRAY_BIG_INT64 as c_int;
    if !long && kind != qjs::JSTypedArrayEnum_JS_TYPED_ARRAY_INT32 as c_int {
        return Err(type_error(ctx, array, "an int32 or BigInt64 typed array"));
    }
    let buffer_of = |offset: &mut qjs::size_t, length: &mut qjs::size_t| {
        let mut step = 0;
        // SAFETY: it is a typed array.
        let buffer = unsafe { qjs::JS_GetTypedArrayBuffer(ctx, array, offset, length, &mut step) };
        if raw::is_exception(buffer) { Err(Thrown) } else { Ok(buffer) }
    };
    let (mut offset, mut length) = (0, 0);
    let buffer = buffer_of(&mut offset, &mut length)?;
    // SAFETY: only reads the class; a shared buffer has a class of its own.
    let shared = unsafe { !qjs::JS_IsArrayBuffer(buffer) };
    raw::free(ctx, buffer);
    if must_share && !shared {
        return Err(type_error(ctx, array, "a shared typed array"));
    }
    let index = number(ctx, args[1])?;
    let index = if index.is_nan() { 0.0 } else { index.trunc() };
    // Converting the index may have run user code: check the array again.
    let buffer = buffer_of(&mut offset, &mut length)?;
    let mut size = 0;
    // SAFETY: the buffer is held.
    let bytes = unsafe { qjs::JS_GetArrayBuffer(ctx, &mut size, buffer) };
    let step = if long { 8.0 } else { 4.0 };
    if index < 0.0 || (index + 1.0) * step > length as f64 || bytes.is_null() {
        raw::free(ctx, buffer);
        // SAFETY: a format without arguments.
        unsafe { qjs::JS_ThrowRangeError(ctx, c"Invalid atomic access index".as_ptr()) };
        return Err(Thrown);
    }
    let address = bytes.expose_provenance() + offset as usize + (index * step) as usize;
    Ok(Place { address, long, buffer, shared })
}

/// The value and the timeout of `wait`; `None` means no timeout.
fn wanted(ctx: RawCtx, args: &[Raw; 4], long: bool) -> Try<(i64, Option<Duration>)> {
    let mut value = 0;
    // SAFETY: the value is one of the call's arguments.
    unsafe {
        if long {
            if qjs::JS_ToBigInt64(ctx, &mut value, args[2]) < 0 {
                return Err(Thrown);
            }
        } else {
            let mut short = 0;
            if qjs::JS_ToInt32(ctx, &mut short, args[2]) < 0 {
                return Err(Thrown);
            }
            value = i64::from(short);
        }
    }
    let after_ms = number(ctx, args[3])?;
    // Treat a timeout of thousands of years, or NaN, as none.
    let after = Duration::try_from_secs_f64(after_ms.max(0.0) / 1e3).ok().filter(|after| after.as_secs() < 1 << 40);
    Ok((value, if after_ms.is_nan() { None } else { after }))
}

/// Whether the memory holds another value than expected.
fn differs(place: &Place, value: i64) -> bool {
    // SAFETY: the buffer is held; the element lies inside of it and is aligned as typed arrays are.
    unsafe {
        if place.long {
            AtomicI64::from_ptr(std::ptr::with_exposed_provenance_mut(place.address)).load(Ordering::SeqCst) != value
        } else {
            let now = AtomicI32::from_ptr(std::ptr::with_exposed_provenance_mut(place.address)).load(Ordering::SeqCst);
            i64::from(now) != value
        }
    }
}

/// The four arguments; missing ones are undefined.
unsafe fn four(argc: c_int, argv: *mut Raw) -> [Raw; 4] {
    // SAFETY: as passed by the engine.
    let given = unsafe { raw::arguments(argc, argv) };
    std::array::from_fn(|at| given.get(at).copied().unwrap_or(qjs::JS_UNDEFINED))
}

fn text(ctx: RawCtx, text: &str) -> Raw {
    // SAFETY: the bytes are read during the call.
    unsafe { qjs::JS_NewStringLen(ctx, text.as_ptr().cast(), text.len() as _) }
}

unsafe extern "C" fn wait(ctx: RawCtx, _this: Raw, argc: c_int, argv: *mut Raw) -> Raw {
    // SAFETY: called by the engine of this thread's host.
    let (args, state) = unsafe { (four(argc, argv), current()) };
    let Ok(place) = place(ctx, &args, true) else { return qjs::JS_EXCEPTION };
    let result = wanted(ctx, &args, place.long).and_then(|(value, after)| sleep(state, &place, value, after));
    raw::free(ctx, place.buffer);
    result.map_or(qjs::JS_EXCEPTION, |outcome| text(ctx, outcome))
}

fn sleep(state: &State, place: &Place, value: i64, after: Option<Duration>) -> Try<&'static str> {
    let until = after.and_then(|after| Instant::now().checked_add(after));
    let waiter = Arc::new(Waiter { address: place.address, kind: Kind::Thread(Condvar::new()) });
    let Kind::Thread(bell) = &waiter.kind else { return Err(Thrown) };
    let mut all = lists();
    if differs(place, value) {
        return Ok("not-equal");
    }
    all.add(&waiter);
    loop {
        if state.poll_control() {
            all.remove(&waiter);
            drop(all);
            state.throw_uncatchable();
            return Err(Thrown);
        }
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        if left == Some(Duration::ZERO) {
            all.remove(&waiter);
            return Ok("timed-out");
        }
        all = match left {
            Some(left) => bell.wait_timeout(all, left).unwrap_or_else(PoisonError::into_inner).0,
            None => bell.wait(all).unwrap_or_else(PoisonError::into_inner),
        };
        // Off the list means notified. Otherwise this was a spurious wakeup or the timeout.
        if !all.has(&waiter) {
            return Ok("ok");
        }
    }
}

unsafe extern "C" fn notify(ctx: RawCtx, _this: Raw, argc: c_int, argv: *mut Raw) -> Raw {
    // SAFETY: called by the engine.
    let args = unsafe { four(argc, argv) };
    let Ok(place) = place(ctx, &args, false) else { return qjs::JS_EXCEPTION };
    // SAFETY: reads the tag.
    let most = match unsafe { qjs::JS_IsUndefined(args[2]) } {
        true => Ok(f64::INFINITY),
        false => number(ctx, args[2]),
    };
    let count = most.map(|most| if place.shared { lists().notify(place.address, most.max(0.0) as usize) } else { 0 });
    raw::free(ctx, place.buffer);
    count.map_or(qjs::JS_EXCEPTION, |count| qjs::JS_MKVAL(qjs::JS_TAG_INT, count.min(i32::MAX as usize) as i32))
}

unsafe extern "C" fn wait_async(ctx: RawCtx, _this: Raw, argc: c_int, argv: *mut Raw) -> Raw {
    // SAFETY: called by the engine of this thread's host.
    let (args, state) = unsafe { (four(argc, argv), current()) };
    let Ok(place) = place(ctx, &args, true) else { return qjs::JS_EXCEPTION };
    let result = wanted(ctx, &args, place.long).and_then(|(value, after)| state.promise(&place, value, after));
    raw::free(ctx, place.buffer);
    let Ok((is_async, value)) = result else { return qjs::JS_EXCEPTION };
    // SAFETY: the object is new; the engine takes over the references of the values that are set.
    unsafe {
        let object = qjs::JS_NewObject(ctx);
        if raw::is_exception(object) {
            raw::free(ctx, value);
            return object;
        }
        qjs::JS_SetPropertyStr(ctx, object, c"async".as_ptr(), if is_async { qjs::JS_TRUE } else { qjs::JS_FALSE });
        qjs::JS_SetPropertyStr(ctx, object, c"value".as_ptr(), value);
        object
    }
}

/// Attached to the async handle that delivers notifications.
struct NotifyHandle;

impl OnEvent for NotifyHandle {
    fn on_event(&self, ctx: &Ctx<'_>, _id: HandleId, _event: Event<JsFace>) -> Result<()> {
        let state = state(ctx);
        let notifications = state.waits.borrow().notifications.clone();
        let Some(notifications) = notifications else { return Ok(()) };
        let numbers = std::mem::take(&mut *notifications.notified.lock().unwrap_or_else(PoisonError::into_inner));
        for number in numbers {
            state.settle_wait(number, "ok");
        }
        Ok(())
    }
}

/// Attached to the timer of a promise.
struct WaitTimeout(u64);

impl OnEvent for WaitTimeout {
    fn on_event(&self, ctx: &Ctx<'_>, _id: HandleId, _event: Event<JsFace>) -> Result<()> {
        let state = state(ctx);
        let waiter = state.waits.borrow().waiting.get(&self.0).map(|promised| promised.waiter.clone());
        // If the waiter is off its list, its notification is on the way.
        if waiter.is_some_and(|waiter| lists().remove(&waiter)) {
            state.settle_wait(self.0, "timed-out");
        }
        Ok(())
    }
}

impl State {
    /// Creates the promise of `waitAsync`, or returns the result if there is nothing to wait for.
    fn promise(&self, place: &Place, value: i64, after: Option<Duration>) -> Try<(bool, Raw)> {
        let ctx = self.ctx;
        if differs(place, value) {
            return Ok((false, text(ctx, "not-equal")));
        }
        if after == Some(Duration::ZERO) {
            return Ok((false, text(ctx, "timed-out")));
        }
        let Some(memory) = self.memory_of(place) else { return Err(Thrown) };
        let mut functions = [qjs::JS_UNDEFINED; 2];
        // SAFETY: the promise and both functions are new references.
        let promise = unsafe { qjs::JS_NewPromiseCapability(ctx, functions.as_mut_ptr()) };
        if raw::is_exception(promise) {
            return Err(Thrown);
        }
        raw::free(ctx, functions[1]);
        let notifications = self.notifications();
        let mut waits = self.waits.borrow_mut();
        waits.last += 1;
        let number = waits.last;
        let waiter = Arc::new(Waiter { address: place.address, kind: Kind::Promise(number, notifications) });
        {
            // Compare again under the lock: a change and its notification may have happened in between.
            let mut all = lists();
            if differs(place, value) {
                drop((all, waits));
                raw::free(ctx, functions[0]);
                raw::free(ctx, promise);
                return Ok((false, text(ctx, "not-equal")));
            }
            all.add(&waiter);
        }
        let timer = after.map(|after| {
            let mut core = self.core();
            let timer = core.timer_open(Rc::new(WaitTimeout(number)));
            // Cannot fail: the timer was just opened. Unreferenced: in Node, a pending `waitAsync` does not keep the
            // process alive.
            let _ = core.timer_start(timer, after.as_millis().try_into().unwrap_or(u64::MAX), 0);
            let _ = core.set_ref(timer, false);
            timer
        });
        waits.waiting.insert(number, Promised { resolve: functions[0], waiter, timer, _memory: memory });
        Ok((true, promise))
    }

    fn memory_of(&self, place: &Place) -> Option<SharedBytes> {
        // SAFETY: the context is the host's and alive, as it is the caller. `place` holds the buffer; the value gets a
        // reference of its own.
        unsafe {
            let ctx = Ctx::from_raw(std::ptr::NonNull::new(self.ctx)?);
            let buffer = Value::from_raw(ctx, raw::dup(self.ctx, place.buffer));
            SharedBytes::of(&buffer, 0)
        }
    }

    fn notifications(&self) -> Arc<Notifications> {
        if let Some(notifications) = &self.waits.borrow().notifications {
            return notifications.clone();
        }
        let (id, bell) = self.core().async_open(Rc::new(NotifyHandle));
        let _ = self.core().set_ref(id, false);
        let notifications = Arc::new(Notifications { notified: Mutex::default(), bell });
        self.waits.borrow_mut().notifications = Some(notifications.clone());
        notifications
    }

    fn settle_wait(&self, number: u64, outcome: &str) {
        let Some(promised) = self.waits.borrow_mut().waiting.remove(&number) else { return };
        if let Some(timer) = promised.timer {
            let _ = self.core().close(timer);
        }
        let outcome = text(self.ctx, outcome);
        let result = raw::call(self.ctx, promised.resolve, qjs::JS_UNDEFINED, &mut [outcome]);
        raw::free(self.ctx, result);
        raw::free(self.ctx, outcome);
        raw::free(self.ctx, promised.resolve);
    }

    /// Cancels all waits of this thread: no other thread notifies it any more.
    pub(crate) fn clear_waits(&self) {
        let waits = self.waits.take();
        for promised in waits.waiting.into_values() {
            lists().remove(&promised.waiter);
            raw::free(self.ctx, promised.resolve);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(address: usize) -> Arc<Waiter> {
        Arc::new(Waiter { address, kind: Kind::Thread(Condvar::new()) })
    }

    #[test]
    fn waiters_are_notified_in_order() {
        let mut lists = Lists::default();
        let waiters = [thread(8), thread(8), thread(16), thread(8)];
        waiters.iter().for_each(|waiter| lists.add(waiter));
        assert_eq!(lists.notify(8, 2), 2);
        assert_eq!(waiters.each_ref().map(|waiter| lists.has(waiter)), [false, false, true, true]);
        assert!(lists.remove(&waiters[2]) && !lists.remove(&waiters[2]));
        assert_eq!((lists.notify(8, usize::MAX), lists.notify(8, 1)), (1, 0));
        assert!(lists.by_address.is_empty());
    }
}
