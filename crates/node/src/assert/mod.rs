//! Native verbs of `assert`: the line of source that a failed call is in.

use std::fs::File;
use std::io::{BufRead, BufReader};

use rquickjs::function::Func;
use rquickjs::{Ctx, Object, Result};

/// Makes the object of native verbs.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let verbs = Object::new(ctx.clone())?;
    verbs.set("sourceLine", Func::from(source_line))?;
    Ok(verbs)
}

/// A line of a file, counted from 1, if there is such a file with such a line.
fn source_line(path: String, line: u32) -> Option<String> {
    let lines = BufReader::new(File::open(path).ok()?).lines();
    lines.map_while(std::result::Result::ok).nth((line as usize).checked_sub(1)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_count_from_one() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/assert/mod.rs").to_owned();
        assert_eq!(
            source_line(path.clone(), 1).as_deref(),
            Some("//! Native verbs of `assert`: the line of source that a failed call is in.")
        );
        assert_eq!(source_line(path.clone(), 0), None);
        assert_eq!(source_line(path, 1_000_000), None);
        assert_eq!(source_line("/no/such/file".to_owned(), 1), None);
    }
}
