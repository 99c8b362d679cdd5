//! Native verbs of the module system: looking at files.

use rquickjs::function::Func;
use rquickjs::{Ctx, Exception, Object, Result};

/// Makes the object of native verbs.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let verbs = Object::new(ctx.clone())?;
    verbs.set("readText", Func::from(read_text))?;
    verbs.set("kind", Func::from(kind))?;
    verbs.set("realPath", Func::from(real_path))?;
    Ok(verbs)
}

/// A file's text; bytes that are no UTF-8 are replaced.
fn read_text(ctx: Ctx<'_>, path: String) -> Result<String> {
    match std::fs::read(&path) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) => Err(Exception::throw_message(&ctx, &format!("cannot read '{path}': {error}"))),
    }
}

/// 0 for a file, 1 for a directory, -1 for nothing.
fn kind(path: String) -> i32 {
    std::fs::metadata(path).map_or(-1, |found| i32::from(found.is_dir()))
}

fn real_path(path: String) -> Option<String> {
    std::fs::canonicalize(path).ok().map(|path| path.to_string_lossy().into_owned())
}
