//! Native verbs of `assert`: the source that a failed call is in.

use phasor_js::bytes::Utf8;
use rquickjs::function::Func;
use rquickjs::{Ctx, Object, Result};

/// Makes the object of native verbs.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let verbs = Object::new(ctx.clone())?;
    verbs.set("sourceText", Func::from(|Utf8(path): Utf8| source_text(&path)))?;
    Ok(verbs)
}

/// The text of a file, if there is one that is text.
fn source_text(path: &str) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_read() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/assert/mod.rs");
        assert!(source_text(path).is_some_and(|text| text.starts_with("//! Native verbs of `assert`")));
        assert_eq!(source_text("/no/such/file"), None);
    }
}
