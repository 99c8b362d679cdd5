//! Native functions of the module loaders: file lookup, and analysis of source text.

mod export_names;
mod source_map;
mod syntax;
mod typescript;

use self::source_map::Entries;
pub(crate) use self::source_map::magic_comment;

use phasor_core::Errno;
use phasor_js::bytes::Utf8;
use phasor_js::state;
use rquickjs::function::Func;
use rquickjs::{Ctx, IntoJs, Object, Result, TypedArray, Value};

/// Creates the object of native functions.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let natives = Object::new(ctx.clone())?;
    natives.set("readText", Func::from(read_text))?;
    natives.set("readIfThere", Func::from(read_if_there))?;
    natives.set("kind", Func::from(kind))?;
    natives.set("realPath", Func::from(real_path))?;
    natives.set("isModuleSyntax", Func::from(|Utf8(text): Utf8| syntax::is_module(&text)))?;
    natives.set("requests", Func::from(requests))?;
    natives.set("topLevelAwait", Func::from(|Utf8(text): Utf8| syntax::top_level_await(&text)))?;
    natives.set("functionEnd", Func::from(|Utf8(text): Utf8| syntax::function_end(&text)))?;
    natives.set("commonJsNames", Func::from(common_js_names))?;
    natives.set("stripTypes", Func::from(strip_types))?;
    natives.set("magicComment", Func::from(last_magic_comment))?;
    natives.set("lineLengths", Func::from(|Utf8(text): Utf8| source_map::line_lengths(&text)))?;
    natives.set("decodeMappings", Func::from(decode_mappings))?;
    natives.set("evaluatedText", Func::from(|ctx: Ctx<'js>, file: String| state(&ctx).evaluated_text(&file)))?;
    natives.set("evaluatedNames", Func::from(|ctx: Ctx<'js>| state(&ctx).evaluated_names()))?;
    Ok(natives)
}

/// The value of the last magic comment of a kind in a text.
fn last_magic_comment(Utf8(text): Utf8, kind: String) -> Option<String> {
    magic_comment(&text, &kind).map(str::to_owned)
}

/// The entries of a source map, as an `Int32Array` or a `Float64Array`.
fn decode_mappings<'js>(ctx: Ctx<'js>, Utf8(mappings): Utf8) -> Result<Value<'js>> {
    Ok(match source_map::decode(&mappings) {
        Entries::Small(entries) => TypedArray::new(ctx, entries)?.into_value(),
        Entries::Large(entries) => TypedArray::new(ctx, entries)?.into_value(),
    })
}

/// The contents of a file, with invalid UTF-8 replaced; or a negative error number.
fn read_text(ctx: Ctx<'_>, Utf8(path): Utf8) -> Result<Value<'_>> {
    match std::fs::read(&path) {
        Ok(bytes) => text_of(bytes).into_js(&ctx),
        Err(error) => (-error.raw_os_error().unwrap_or(Errno::EIO.raw())).into_js(&ctx),
    }
}

fn read_if_there(Utf8(path): Utf8) -> Option<String> {
    std::fs::read(&path).ok().map(text_of)
}

fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// 0 for a file, 1 for a directory, -1 if the path does not exist.
fn kind(Utf8(path): Utf8) -> i32 {
    std::fs::metadata(path).map_or(-1, |found| i32::from(found.is_dir()))
}

fn real_path(Utf8(path): Utf8) -> Option<String> {
    std::fs::canonicalize(path).ok().map(|path| path.to_string_lossy().into_owned())
}

/// The imports of a module: lists of a specifier and its import attributes, as alternating names and values.
fn requests(Utf8(text): Utf8) -> Vec<Vec<String>> {
    let flat = |(specifier, attributes): (String, Vec<String>)| [vec![specifier], attributes].concat();
    syntax::requests(&text).into_iter().map(flat).collect()
}

/// The export names of a CommonJS source, and the specifiers that it re-exports.
fn common_js_names(ctx: Ctx<'_>, Utf8(text): Utf8) -> Result<Object<'_>> {
    let names = export_names::of(&text);
    let object = Object::new(ctx)?;
    object.set("exports", names.exports)?;
    object.set("reexports", names.reexports)?;
    Ok(object)
}

/// The source without types, or the problem that prevents it.
fn strip_types(ctx: Ctx<'_>, Utf8(text): Utf8) -> Result<Object<'_>> {
    let object = Object::new(ctx)?;
    match typescript::strip(&text) {
        Ok(code) => object.set("code", code)?,
        Err(problem) => {
            let (line, marked) = problem.place(&text);
            object.set("problem", problem.message)?;
            object.set("line", line)?;
            object.set("marked", marked)?;
            object.set("unsupported", problem.unsupported)?;
        }
    }
    Ok(object)
}
