//! Timers as in `lib/internal/timers.js`: a list per duration, a heap of lists ordered by expiry, and one core timer
//! below.
//!
//! When the core timer fires, every due list runs its due timers, with a drain between two timers and between two
//! lists. A pass reads the clock once: a timer created during the pass belongs to a later pass.
//!
//! The lists are in `timers/lists`, the native functions in `timers/natives`.
//!
//! As with immediates, an unreferenced `Timeout` object is recycled for the next timer; the timer it was created for
//! gets another object when it fires.
//!
//! # Safety
//! As `raw`. The opaque pointer of a `Timeout` object holds its slab index plus one. The slab entry is freed when the
//! object is finalized or reassigned to another entry, so the index is never stale. While a timer is in a list, the
//! list holds a reference to the object. An entry without an object alone owns its callback and arguments, and is freed
//! when the timer has fired or was skipped. Nothing is borrowed while a value is created, called or freed.
#![allow(unsafe_code)]

mod lists;
mod natives;
mod parts;

use std::os::raw::c_int;

use rquickjs::qjs;

pub(crate) use self::lists::Timers;
use self::lists::{NO, Place, Timer};
pub(crate) use self::natives::define;
use crate::class::Kind;
use crate::dispatch::{Ended, Exiting};
use crate::raw::{self, ObjPtr, Raw, Work};
use crate::state::{Hook, State};

/// The longest delay, `TIMEOUT_MAX` in `lib/internal/timers.js`; a longer delay becomes 1.
const LONGEST_MS: f64 = 2_147_483_647.0;

impl Timers {
    /// The slab index of an object, if it is a timer.
    #[inline]
    fn place(&self, object: Raw) -> Option<Place> {
        let opaque = self.kind.opaque(object) as usize;
        opaque.checked_sub(1).map(|index| index as Place)
    }
}

impl State {
    /// Updates the loop's clock and returns it (`src/env.cc: GetNowUint64`).
    #[inline]
    fn timer_now(&self) -> u64 {
        let mut core = self.core();
        core.update_time();
        core.now_ms()
    }

    /// Runs every timer that is due when the pass begins.
    pub(crate) fn run_timers(&self) -> Result<(), Exiting> {
        let now = self.timer_now();
        self.timers.borrow_mut().in_pass = true;
        // As `src/env.cc: RunTimers`: an exception ends the call into JavaScript, which then resumes at the same list.
        while self.run_lists(now)? == Ended::Threw {}
        let next = {
            let mut timers = self.timers.borrow_mut();
            timers.in_pass = false;
            let next = timers.first_expiry_ms();
            timers.next_expiry_ms = next.unwrap_or(u64::MAX);
            next
        };
        if let Some(own) = self.own.get() {
            let mut core = self.core();
            if let Some(expiry_ms) = next {
                let after_ms = expiry_ms.saturating_sub(core.now_ms()).max(1);
                let _ = core.timer_start(own.timer, after_ms, 0);
            }
            // Slow callbacks have used up time: poll must not wait for it again.
            core.update_time();
        }
        self.drain()
    }

    fn run_lists(&self, now: u64) -> Result<Ended, Exiting> {
        let mut first = true;
        loop {
            let due = |timers: &mut Timers| timers.first_list().filter(|list| timers.expiry_ms(*list) <= now);
            if due(&mut self.timers.borrow_mut()).is_none() {
                return Ok(Ended::Completed);
            }
            if !std::mem::take(&mut first) && self.run_next_ticks()? == Ended::Threw {
                return Ok(Ended::Threw);
            }
            // A tick may have emptied the next list.
            let Some((list, made)) = ({
                let mut timers = self.timers.borrow_mut();
                due(&mut timers).map(|list| (list, timers.made(list)))
            }) else {
                return Ok(Ended::Completed);
            };
            if self.run_list(list, made, now)? == Ended::Threw {
                return Ok(Ended::Threw);
            }
        }
    }

    fn run_list(&self, list: u32, made: u64, now: u64) -> Result<Ended, Exiting> {
        let mut first = true;
        loop {
            let Some(place) = self.timers.borrow_mut().due_head(list, made, now) else { return Ok(Ended::Completed) };
            let ended = match !std::mem::take(&mut first) && !self.is_drained() {
                true => self.drain_and_fire(place)?,
                false => self.fire(place)?,
            };
            if ended == Ended::Threw {
                return Ok(Ended::Threw);
            }
        }
    }

    /// As `lib/internal/timers.js: listOnTimeout`: the next timer is chosen before the drain. If the drain restarts the
    /// timer, it still fires; if the drain clears the timer, it is skipped.
    fn drain_and_fire(&self, place: Place) -> Result<Ended, Exiting> {
        let object = raw::dup(self.ctx, self.timers.borrow().timer(place).object.raw());
        let ended = match self.run_next_ticks() {
            Ok(Ended::Completed) => self.fire(place),
            other => other,
        };
        raw::free(self.ctx, object);
        ended
    }

    /// Calls a timer's callback. The timer leaves its list before the call and, if it repeats, is restarted after it.
    fn fire(&self, place: Place) -> Result<Ended, Exiting> {
        if self.timers.borrow().timer(place).callback == ObjPtr::NONE {
            self.skip_timer(place);
            return Ok(Ended::Completed);
        }
        if !self.give_object(place) {
            return self.settle(qjs::JS_EXCEPTION);
        }
        let (object, callback, mut args, repeats) = {
            let mut timers = self.timers.borrow_mut();
            timers.prefetch_next(place);
            // Take over the list's reference to the object.
            timers.unlink(place);
            let timer = timers.timer(place);
            let args: Option<Box<[Raw]>> =
                timer.args.as_ref().map(|args| args.iter().map(|arg| raw::dup(self.ctx, *arg)).collect());
            (timer.object.raw(), raw::dup(self.ctx, timer.callback.raw()), args, timer.repeat_ms != 0)
        };
        let start = if repeats { self.timer_now() } else { 0 };
        let depth = self.depth();
        let track = self.enter_timer(place, object);
        let result = raw::call(self.ctx, callback, object, args.as_deref_mut().unwrap_or_default());
        let again = {
            let mut timers = self.timers.borrow_mut();
            let timer = timers.timer_mut(place);
            if timer.repeat_ms != 0 && timer.idle_ms >= 0 {
                timer.idle_ms = timer.repeat_ms;
                // If the callback inserted the timer into a list, that list already holds a reference.
                if timer.list == NO {
                    raw::dup(self.ctx, object);
                    self.root(1);
                }
                true
            } else {
                if timer.list == NO && !timer.over {
                    timers.end(place);
                }
                false
            }
        };
        if again {
            // The callback turned the timer into an interval: start it now.
            self.insert_timer(place, if repeats { start } else { self.timer_now() });
        }
        raw::free(self.ctx, callback);
        for arg in args.into_iter().flatten() {
            raw::free(self.ctx, arg);
        }
        self.root(-1);
        if track {
            self.save_timer_context(place);
            self.remove_timer_track(place);
            let ended = self.settle(result);
            self.leave_to(depth);
            raw::free(self.ctx, object);
            return ended;
        }
        self.release_timer_object(place, object);
        self.settle(result)
    }

    /// Returns a recycled or new object for a timer, or `JS_EXCEPTION`.
    #[inline]
    fn timer_object(&self) -> Raw {
        let recycled = if self.tracks() { None } else { self.timers.borrow_mut().take_recycled(self.ctx) };
        let kind = self.timers.borrow().kind;
        recycled.unwrap_or_else(|| kind.make(self.ctx))
    }

    /// Makes sure that a timer has an object. On failure the timer is freed and an exception is pending.
    #[inline]
    fn give_object(&self, place: Place) -> bool {
        if self.timers.borrow().timer(place).object != ObjPtr::NONE {
            return true;
        }
        let object = self.timer_object();
        if !raw::is_exception(object) {
            self.timers.borrow_mut().timer_mut(place).object = ObjPtr::of(object);
            Kind::set_opaque(object, place as usize + 1);
            return true;
        }
        let work = {
            let mut timers = self.timers.borrow_mut();
            timers.unlink(place);
            timers.end(place);
            timers.forget(place)
        };
        self.root(-1);
        work.free(self.ctx);
        false
    }

    /// Releases a timer's object after a call. If that was the last reference, the object is kept for the next timer.
    #[inline]
    fn release_timer_object(&self, place: Place, object: Raw) {
        let work = self.timers.borrow_mut().recycle(self.ctx, place, object);
        match work {
            Some(work) => work.free(self.ctx),
            None => raw::free(self.ctx, object),
        }
    }

    /// Enters a timer's async context, if it is tracked.
    #[inline]
    fn enter_timer(&self, place: Place, object: Raw) -> bool {
        if !self.tracks() {
            return false;
        }
        let Some(track) = self.tracking.timers.borrow().get(&place).copied() else { return false };
        self.enter(track.again(self.ctx), object);
        true
    }

    /// Saves the current context for the next firing. In Node a store belongs to the `Timeout`, so `enterWith` in an
    /// interval's callback lasts (`lib/internal/async_local_storage/async_hooks.js: enterWith`).
    fn save_timer_context(&self, place: Place) {
        let context = self.context();
        let before = match self.tracking.timers.borrow_mut().get_mut(&place) {
            Some(track) => std::mem::replace(&mut track.context, context),
            None => context,
        };
        raw::free(self.ctx, before);
    }

    /// Assigns async ids to a timer when it is first started, or started again after it had ended.
    fn track_timer(&self, place: Place, object: Raw) {
        let (track, _) = self.track("Timeout", object, || qjs::JS_UNDEFINED);
        let before = self.tracking.timers.borrow_mut().insert(place, track);
        if let Some(before) = before {
            raw::free(self.ctx, before.context);
        }
    }

    /// Ends the track of a timer that is over.
    fn remove_timer_track(&self, place: Place) {
        if self.timers.borrow().timer(place).over {
            let track = self.tracking.timers.borrow_mut().remove(&place);
            self.end_track(track);
        }
    }

    /// Skips a due timer without a callback: `clearTimeout` was followed by `refresh()`, or `_onTimeout` was set to
    /// null (`lib/internal/timers.js: listOnTimeout`). Frees its slab entry if it has no object, as no finalizer will.
    fn skip_timer(&self, place: Place) {
        let (listed, object, work) = {
            let mut timers = self.timers.borrow_mut();
            let listed = timers.timer(place).list != NO;
            let object = timers.timer(place).object;
            timers.unlink(place);
            timers.end(place);
            let work = (listed && object == ObjPtr::NONE).then(|| timers.forget(place));
            (listed, object, work)
        };
        if listed {
            self.root(-1);
            raw::free(self.ctx, object.raw());
        }
        if let Some(work) = work {
            work.free(self.ctx);
        }
    }

    /// Inserts a timer into its list and restarts the core timer if this timer is due first. The caller has added the
    /// list's reference to the object.
    fn insert_timer(&self, place: Place, start_ms: u64) {
        let sooner = self.timers.borrow_mut().insert(place, start_ms);
        if let (Some(after_ms), Some(own)) = (sooner, self.own.get()) {
            let _ = self.core().timer_start(own.timer, after_ms, 0);
        }
    }

    /// References the core timer while any timer is referenced, so that the loop stays alive. Runs once before the loop
    /// checks whether it is alive, not for each timer set or cleared.
    #[inline]
    pub(crate) fn sync_timer_ref(&self) {
        if let Some(keeps) = self.timers.borrow_mut().ref_change()
            && let Some(own) = self.own.get()
        {
            let _ = self.core().set_ref(own.timer, keeps);
        }
    }

    fn clear_timer(&self, place: Place) {
        let (object, work) = {
            let mut timers = self.timers.borrow_mut();
            if timers.timer(place).callback == ObjPtr::NONE {
                return;
            }
            let listed = timers.timer(place).list != NO;
            timers.cancel(place);
            let timer = timers.timer_mut(place);
            (listed.then_some(timer.object), Work::take(&mut timer.callback, &mut timer.args))
        };
        if self.tracks() {
            let track = self.tracking.timers.borrow_mut().remove(&place);
            self.end_track(track);
        }
        work.free(self.ctx);
        if let Some(object) = object {
            self.root(-1);
            raw::free(self.ctx, object.raw());
        }
    }

    fn refresh_timer(&self, place: Place) {
        let (was_over, object) = {
            let timers = self.timers.borrow();
            let timer = timers.timer(place);
            (timer.over && timer.idle_ms >= 0, timer.object.raw())
        };
        if was_over && self.tracks() {
            // As `lib/internal/timers.js: insertGuarded`: a restarted timer gets a new async id.
            self.track_timer(place, object);
        }
        {
            let mut timers = self.timers.borrow_mut();
            if timers.timer(place).idle_ms < 0 {
                return;
            }
            let timer = timers.timer(place);
            if timer.list == NO {
                // The list's reference.
                raw::dup(self.ctx, timer.object.raw());
                self.root(1);
            }
            timers.revive(place);
        }
        let now = self.timer_now();
        self.insert_timer(place, now);
    }

    pub(crate) fn clear_timers(&self) {
        let held = self.timers.borrow_mut().take_all();
        for value in held {
            raw::free(self.ctx, value);
        }
    }

    /// The delay for a value: 1 to `TIMEOUT_MAX`. `None` if the conversion threw.
    #[inline]
    fn delay_ms(&self, value: Raw) -> Option<f64> {
        // SAFETY: reads the tag, and converts as ECMA-262 `ToNumber`.
        unsafe {
            if qjs::JS_VALUE_GET_TAG(value) == qjs::JS_TAG_INT {
                return Some(f64::from(qjs::JS_VALUE_GET_INT(value).max(1)));
            }
            let mut delay = 0.0;
            if qjs::JS_ToFloat64(self.ctx, &mut delay, value) < 0 {
                return None;
            }
            if delay > LONGEST_MS {
                let number = qjs::JS_NewNumber(self.ctx, delay);
                let result = raw::call(self.ctx, self.hook(Hook::Overflow), qjs::JS_UNDEFINED, &mut [number]);
                if raw::is_exception(result) {
                    return None;
                }
                raw::free(self.ctx, result);
            }
            Some(if (1.0..=LONGEST_MS).contains(&delay) { delay } else { 1.0 })
        }
    }

    fn make_timer(&self, argc: c_int, argv: *mut Raw, repeats: bool) -> Raw {
        let ctx = self.ctx;
        // SAFETY: the engine calls this with two arguments at least, as the length is 2.
        let (callback, delay, args) = unsafe { (*argv, *argv.add(1), raw::arguments(argc, argv)) };
        if !raw::is_function(ctx, callback) {
            return self.refuse_callback(callback);
        }
        let Some(asked_ms) = self.delay_ms(delay) else { return qjs::JS_EXCEPTION };
        let delay_ms = asked_ms as i32;
        let object = self.timer_object();
        if raw::is_exception(object) {
            return object;
        }
        let args = args.get(2..).filter(|rest| !rest.is_empty());
        let timer = Timer {
            object: ObjPtr::of(raw::dup(ctx, object)),
            callback: ObjPtr::of(raw::dup(ctx, callback)),
            args: args.map(|rest| Box::new(rest.iter().map(|arg| raw::dup(ctx, *arg)).collect())),
            idle_ms: delay_ms,
            repeat_ms: if repeats { delay_ms } else { 0 },
            ..Timer::NEW
        };
        let place = self.timers.borrow_mut().add(timer);
        if asked_ms.fract() != 0.0 {
            self.timers.borrow_mut().set_fraction(place, asked_ms.fract());
        }
        Kind::set_opaque(object, place as usize + 1);
        self.root(1);
        let now = self.timer_now();
        self.insert_timer(place, now);
        if self.tracks() {
            self.track_timer(place, object);
        }
        object
    }
}
