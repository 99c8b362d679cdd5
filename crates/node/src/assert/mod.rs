//! Native function of `assert`: reads the source file of a failed call. `assert/source_text.js` takes the expression from it for the error
//! message.

use phasor_js::bytes::Utf8;
use rquickjs::function::Func;
use rquickjs::{Ctx, Object, Result};

/// Creates the object of native functions.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let natives = Object::new(ctx.clone())?;
    natives.set("sourceText", Func::from(|Utf8(path): Utf8| source_text(&path)))?;
    Ok(natives)
}

/// The contents of a file; `None` if it cannot be read or is not UTF-8.
fn source_text(path: &str) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_read() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/assert/mod.rs");
        assert!(source_text(path).is_some_and(|text| text.starts_with("//! Native function of `assert`")));
        assert_eq!(source_text("/no/such/file"), None);
    }
}
