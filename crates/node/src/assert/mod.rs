//! Native function of `assert`: reads the source file of a failed call. `assert/source_text.js` takes the expression from it for the error
//! message.

use phasor_engine::{Fallible, Local, Object, Scope, define_natives};

/// Creates the object of native functions.
pub(crate) fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    let natives = Object::new(scope);
    define_natives!(scope, natives,
        "sourceText" => |_: Scope<'_>, path: String| source_text(&path),
    );
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
