//! The internal properties of a `Timeout` that packages read and set: `_idleTimeout`, `_onTimeout`, `_repeat` and the
//! rest.

use rquickjs::{Array, Ctx, Result, Value};

use super::LONGEST_MS;
use super::natives::this_timer;
use crate::raw::{self, ObjPtr};
use crate::state::value_of;

/// Indices of the parts that can be set, in the array of `timeout_parts`.
const DELAY: usize = 0;
const CALLBACK: usize = 2;
const PERIOD: usize = 4;

/// The internals of a timer: `[delay, start, callback, arguments, period, over, ref, named, id]`; `None` for a value
/// that is not a `Timeout`.
pub(super) fn timeout_parts<'js>(ctx: Ctx<'js>, value: Value<'js>) -> Result<Option<Array<'js>>> {
    let Some((state, place)) = this_timer(value.as_raw()) else { return Ok(None) };
    // Take references: filling an array may run a setter on `Array.prototype`, which may clear the timer.
    let (numbers, flags, callback, args) = {
        let timers = state.timers.borrow();
        let timer = timers.timer(place);
        let args = timer.args.as_ref().map(|args| args.iter().map(|arg| value_of(&ctx, *arg)).collect::<Vec<_>>());
        let requested_ms = |ms| timers.requested_ms(place, ms);
        let numbers = (requested_ms(timer.idle_ms), timer.start_ms, requested_ms(timer.repeat_ms), timer.id);
        (numbers, (timer.over, timer.has_ref, timer.named), value_of(&ctx, timer.callback.raw()), args)
    };
    let parts = Array::new(ctx.clone())?;
    parts.set(DELAY, numbers.0)?;
    parts.set(1, numbers.1 as f64)?;
    parts.set(CALLBACK, callback)?;
    if let Some(args) = args {
        let list = Array::new(ctx.clone())?;
        for (at, arg) in args.into_iter().enumerate() {
            list.set(at, arg)?;
        }
        parts.set(3, list)?;
    }
    parts.set(PERIOD, numbers.2)?;
    parts.set(5, flags.0)?;
    parts.set(6, flags.1)?;
    parts.set(7, flags.2)?;
    parts.set(8, numbers.3 as f64)?;
    Ok(Some(parts))
}

/// Sets a part of a timer: the delay from the next start on, the callback, or the period. Returns false if the part
/// cannot be set.
pub(super) fn set_timeout_part<'js>(timer: Value<'js>, part: usize, value: Value<'js>) -> bool {
    let Some((state, place)) = this_timer(timer.as_raw()) else { return false };
    let asked_ms = value.as_number().unwrap_or(0.0).clamp(-1.0, LONGEST_MS);
    match part {
        DELAY => {
            let mut timers = state.timers.borrow_mut();
            timers.set_idle(place, asked_ms as i32);
            timers.set_fraction(place, asked_ms.fract());
        }
        CALLBACK => {
            let called = match value.is_function() {
                true => ObjPtr::of(raw::dup(state.ctx, value.as_raw())),
                false => ObjPtr::NONE,
            };
            let before = std::mem::replace(&mut state.timers.borrow_mut().timer_mut(place).callback, called);
            raw::free(state.ctx, before.raw());
        }
        PERIOD => state.timers.borrow_mut().timer_mut(place).repeat_ms = asked_ms.max(0.0) as i32,
        _ => return false,
    }
    true
}
