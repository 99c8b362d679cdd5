//! Native functions of the module loaders: file lookup, and analysis of source text.

mod attributes;
mod export_names;
mod source_map;
mod syntax;
mod typescript;

use phasor_core::Errno;
use phasor_engine::{ArrayBuffer, BufferView, Fallible, IntoJs, Local, Object, Scope, Value, define_natives};

use self::source_map::Entries;
pub(crate) use self::source_map::magic_comment;

/// Creates the object of native functions.
pub(crate) fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    let natives = Object::new(scope);
    define_natives!(scope, natives,
        "readText" => read_text,
        "readIfThere" => |_: Scope<'_>, path: String| std::fs::read(&path).ok().map(text_of),
        "kind" => kind,
        "realPath" => real_path,
        "isModuleSyntax" => |_: Scope<'_>, text: String| syntax::is_module(&text),
        "blankAttributes" => |_: Scope<'_>, text: String| attributes::blank_static(&text),
        "encodeAttributes" => |_: Scope<'_>, text: String, is_module: bool| attributes::encode_dynamic(&text, is_module),
        "requests" => |_: Scope<'_>, text: String| requests(&text),
        "topLevelAwait" => |_: Scope<'_>, text: String| syntax::top_level_await(&text),
        "functionEnd" => |_: Scope<'_>, text: String| syntax::function_end(&text),
        "commonJsNames" => common_js_names,
        "stripTypes" => strip_types,
        "magicComment" => |_: Scope<'_>, text: String, kind: String| magic_comment(&text, &kind).map(str::to_owned),
        "lineLengths" => |_: Scope<'_>, text: String| source_map::line_lengths(&text),
        "decodeMappings" => decode_mappings,
    );
    Ok(natives)
}

/// The entries of a source map, as an `Int32Array` or a `Float64Array`.
fn decode_mappings<'s>(scope: Scope<'s>, mappings: String) -> Fallible<Local<'s, BufferView>> {
    match source_map::decode(&mappings) {
        Entries::Small(entries) => {
            let bytes = entries.iter().flat_map(|entry| entry.to_ne_bytes()).collect();
            ArrayBuffer::from_vec(scope, bytes)?.int32_view(scope)
        }
        Entries::Large(entries) => {
            let bytes = entries.iter().flat_map(|entry| entry.to_ne_bytes()).collect();
            ArrayBuffer::from_vec(scope, bytes)?.float64_view(scope)
        }
    }
}

/// The contents of a file, with invalid UTF-8 replaced; or a negative error number.
fn read_text<'s>(scope: Scope<'s>, path: String) -> Fallible<Local<'s, Value>> {
    match std::fs::read(&path) {
        Ok(bytes) => text_of(bytes).into_js(scope),
        Err(error) => (-error.raw_os_error().unwrap_or(Errno::EIO.raw())).into_js(scope),
    }
}

fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// 0 for a file, 1 for a directory, -1 if the path does not exist.
fn kind(_: Scope<'_>, path: String) -> i32 {
    std::fs::metadata(path).map_or(-1, |found| i32::from(found.is_dir()))
}

fn real_path(_: Scope<'_>, path: String) -> Option<String> {
    std::fs::canonicalize(path).ok().map(|path| path.to_string_lossy().into_owned())
}

/// The imports of a module: lists of a specifier and its import attributes, as alternating names and values.
fn requests(text: &str) -> Vec<Vec<String>> {
    let flat = |(specifier, attributes): (String, Vec<String>)| [vec![specifier], attributes].concat();
    syntax::requests(text).into_iter().map(flat).collect()
}

/// The export names of a CommonJS source, and the specifiers that it re-exports.
fn common_js_names<'s>(scope: Scope<'s>, text: String) -> Fallible<Local<'s, Object>> {
    let names = export_names::of(&text);
    let object = Object::new(scope);
    object.set(scope, "exports", names.exports)?;
    object.set(scope, "reexports", names.reexports)?;
    Ok(object)
}

/// The source without types, or the problem that prevents it.
fn strip_types<'s>(scope: Scope<'s>, text: String) -> Fallible<Local<'s, Object>> {
    let object = Object::new(scope);
    match typescript::strip(&text) {
        Ok(code) => object.set(scope, "code", code)?,
        Err(problem) => {
            let (line, marked) = problem.place(&text);
            object.set(scope, "problem", problem.message)?;
            object.set(scope, "line", line)?;
            object.set(scope, "marked", marked)?;
            object.set(scope, "unsupported", problem.unsupported)?;
        }
    }
    Ok(object)
}
