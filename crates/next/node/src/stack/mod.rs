//! Native functions of `internal/stack`: source texts of stack frames.

mod texts;

use phasor_js::engine::{Fallible, Local, Object, Scope, Value, define_natives};
use phasor_js::state;

use self::texts::Offset;

/// Creates the object of native functions.
pub(crate) fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    let natives = Object::new(scope);
    define_natives!(scope, natives,
        "know" => know,
        "line" => |scope: Scope<'_>, file: String, line: i32| texts::line(state(scope), &file, line),
        "firstLine" => |_: Scope<'_>, file: String| Offset::of(&file).lines.saturating_add(1),
        "columnOffset" => |_: Scope<'_>, file: String, line: i32| Offset::of(&file).column_of(line),
        "isError" => |scope: Scope<'_>, value: Local<'_, Value>| is_error(scope, value),
        "syntaxWords" => |_: Scope<'_>, _message: Local<'_, Value>| None::<String>,
        "unopenedBrace" => |_: Scope<'_>, _text: Local<'_, Value>| None::<u32>,
    );
    Ok(natives)
}

/// Keeps a text that no file has.
fn know(_: Scope<'_>, name: String, text: String, lines: Option<i32>, columns: Option<i32>) {
    texts::keep(name, text, Offset { lines: lines.unwrap_or(0), columns: columns.unwrap_or(0) });
}

/// Whether a value is an error object, of any realm.
fn is_error(scope: Scope<'_>, value: Local<'_, Value>) -> bool {
    value.cast::<Object>().is_some_and(|object| object.class_name(scope) == "Error")
}
