//! Stacks and messages of errors in V8's format: native functions of `internal/stack`, and V8's wording of the engine's messages.

mod expressions;
mod map;
mod patterns;
mod printer;
mod rewrite;
mod sites;
mod syntax;
mod texts;
mod walk;
mod wordings;

use phasor_engine::{Fallible, Function, IntoJs, Local, Object, Scope, StackFrame, Value, define_natives};
use phasor_js::state;

pub use self::wordings::WORDINGS;

use self::sites::{Site, Top};
use self::texts::Offset;

/// Creates the object of native functions.
pub(crate) fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    let natives = Object::new(scope);
    define_natives!(scope, natives,
        "know" => store_text,
        "line" => |scope: Scope<'_>, file: String, line: i32| texts::line(state(scope), &file, line),
        "firstLine" => |_: Scope<'_>, file: String| Offset::of(&file).lines.saturating_add(1),
        "columnOffset" => |_: Scope<'_>, file: String, line: i32| Offset::of(&file).column_of(line),
        "isError" => |scope: Scope<'_>, value: Local<'_, Value>| is_error(scope, value),
        "isProxy" => |scope: Scope<'_>, object: Local<'_, Object>| object.class_name(scope) == "Proxy",
        "watchErrors" => watch_errors,
        "errorStack" => error_stack,
        "capture" => capture,
        "sites" => sites,
        "waitingFor" => waiting_for,
        "throwSite" => throw_site,
        "firstPlace" => first_place,
        "enclosing" => enclosing,
    );
    Ok(natives)
}

/// Stores a source text that is not in a file, for example of `vm` or the REPL.
fn store_text(_: Scope<'_>, name: String, text: String, lines: Option<i32>, columns: Option<i32>) {
    texts::store(name, text, Offset { lines: lines.unwrap_or(0), columns: columns.unwrap_or(0) });
}

/// Whether a value is an error object, of any realm.
fn is_error(scope: Scope<'_>, value: Local<'_, Value>) -> bool {
    value.cast::<Object>().is_some_and(|object| object.class_name(scope) == "Error")
}

/// Gives errors V8's messages, and an own accessor `stack` with this getter and setter.
fn watch_errors<'s>(scope: Scope<'s>, getter: Local<'s, Function>, setter: Local<'s, Function>) {
    scope.set_stack_accessor(getter, setter);
    scope.on_error_message(|scope, report| {
        let state = state(scope);
        rewrite::rewrite(
            &report,
            |file| texts::map(state, file),
            || {
                let line = report.line.cast_signed();
                texts::line(state, report.file, line).is_none() && texts::line(state, report.file, line - 1).is_some()
            },
        )
    });
}

/// The stack that an error has from its construction; undefined for other objects and for an error without frames.
fn error_stack<'s>(scope: Scope<'s>, error: Local<'s, Value>) -> Option<Local<'s, Object>> {
    error.cast::<Object>()?.error_stack(scope)
}

/// Captures the current stack without the frames up to and including `above`.
fn capture<'s>(scope: Scope<'s>, limit: f64, above: Local<'s, Function>) -> Fallible<Option<Local<'s, Object>>> {
    scope.capture_stack(limit as u32, Some(above))
}

/// The call sites of a stack, each as `[shown, function, file, line, column, isConstructor, isMethod, origin, isAsync, promiseIndex]`.
/// `message` is the message of the error that the first frame created; if it is undefined, `called` is the function that the first frame
/// called.
fn sites<'s>(
    scope: Scope<'s>,
    stack: Local<'s, Object>,
    message: Option<String>,
    called: Option<String>,
) -> Fallible<Local<'s, Value>> {
    let top = match &message {
        Some(message) => Top::Made(message),
        None => Top::Called(called.as_deref().unwrap_or_default()),
    };
    site_values(scope, stack.stack_frames(scope), top)
}

/// `[file, line, column]` of the statement that threw a value, if that is known.
fn throw_site<'s>(scope: Scope<'s>, thrown: Local<'s, Value>) -> Fallible<Local<'s, Value>> {
    let frames = scope.throw_stack(thrown).map(|stack| stack.stack_frames(scope)).unwrap_or_default();
    frames.first().map_or_else(|| Ok(scope.undefined()), |frame| place_value(scope, frame))
}

/// `[file, line, column]` of a frame.
fn place_value<'s>(scope: Scope<'s>, frame: &StackFrame) -> Fallible<Local<'s, Value>> {
    [frame.file.clone().into_js(scope)?, frame.line.into_js(scope)?, frame.column.into_js(scope)?].into_js(scope)
}

/// The async functions that wait for a promise, as call sites. `reject` is the function that rejects the promise.
fn waiting_for<'s>(scope: Scope<'s>, reject: Local<'s, Function>) -> Fallible<Local<'s, Value>> {
    site_values(scope, scope.frames_waiting_for(reject), Top::Called(""))
}

fn site_values<'s>(scope: Scope<'s>, frames: Vec<StackFrame>, top: Top<'_>) -> Fallible<Local<'s, Value>> {
    let sites = sites::sites(&texts::inside(frames), top, |file| texts::map(state(scope), file));
    sites.into_iter().map(|site| site_value(scope, site)).collect::<Fallible<Vec<_>>>()?.into_js(scope)
}

fn site_value<'s>(scope: Scope<'s>, site: Site) -> Fallible<Local<'s, Value>> {
    let (line, column) = site.file.as_deref().map_or(site.place, |file| Offset::of(file).outside(site.place));
    [
        site.shown.into_js(scope)?,
        site.function.into_js(scope)?,
        site.file.into_js(scope)?,
        line.into_js(scope)?,
        column.into_js(scope)?,
        site.is_constructor.into_js(scope)?,
        site.is_method.into_js(scope)?,
        site.origin.into_js(scope)?,
        site.is_async.into_js(scope)?,
        site.promise_index.into_js(scope)?,
    ]
    .into_js(scope)
}

/// `[file, line, column]` of the first frame of a stack that does not belong to the runtime.
fn first_place<'s>(scope: Scope<'s>, stack: Local<'s, Object>) -> Fallible<Local<'s, Value>> {
    let is_of_program = |file: &str| !file.starts_with("node:");
    let frame = stack.stack_frames(scope).into_iter().find(|frame| frame.file.as_deref().is_some_and(is_of_program));
    frame.map_or_else(|| Ok(scope.undefined()), |frame| place_value(scope, &frame))
}

/// `[line, column]` of the beginning of the function around a place; undefined if the text cannot be read.
fn enclosing<'s>(scope: Scope<'s>, file: String, line: u32, column: u32) -> Fallible<Local<'s, Value>> {
    let Some(map) = texts::map(state(scope), &file) else { return Ok(scope.undefined()) };
    let offset = Offset::of(&file);
    let (line, column) = offset.outside(map.enclosing(offset.inside((line, column))));
    [line.into_js(scope)?, column.into_js(scope)?].into_js(scope)
}
