//! Native functions of `internal/why`: what the loop counts, and where functions are defined.

use phasor_engine::{Fallible, Local, Object, Scope, define_natives};
use phasor_js::{About, function_site, stack_frames, state};

/// Defines the native functions.
pub(super) fn define(scope: Scope<'_>, natives: Local<'_, Object>) -> Fallible<()> {
    define_natives!(scope, natives,
        "reasons" => reasons,
        "functionSite" => function_site,
        "stackFrames" => stack_frames,
    );
    Ok(())
}

/// What the loop counts, except timers and immediates: `{ kind, what, hasRef, ageMs?, deadlineMs?, stack?, object?, callback? }`.
fn reasons(scope: Scope<'_>) -> Fallible<Vec<Local<'_, Object>>> {
    let reasons = state(scope).reasons_alive(scope);
    reasons.into_iter().map(|about| reason(scope, about)).collect()
}

fn reason<'s>(scope: Scope<'s>, about: About<'s>) -> Fallible<Local<'s, Object>> {
    let About { entry, stack, object, callback } = about;
    let reason = Object::new(scope);
    reason.set(scope, "kind", entry.kind)?;
    reason.set(scope, "what", entry.what)?;
    reason.set(scope, "hasRef", entry.has_ref)?;
    if let Some(age_ms) = entry.age_ms {
        reason.set(scope, "ageMs", age_ms)?;
    }
    if let Some(deadline_ms) = entry.deadline_ms {
        reason.set(scope, "deadlineMs", deadline_ms)?;
    }
    if stack != 0 {
        reason.set(scope, "stack", stack_frames(scope, stack)?)?;
    }
    if let Some(object) = object {
        reason.set(scope, "object", object)?;
    }
    if let Some(callback) = callback {
        reason.set(scope, "callback", callback)?;
    }
    Ok(reason)
}
