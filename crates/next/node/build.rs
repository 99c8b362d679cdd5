//! Collects the sources of the builtins: a file of this crate replaces the file of the same name in `crates/node`.
//!
//! The table in `src/lib.rs` is the only list of builtins; this script extracts the files from its text.

use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=../../node/src");
    let table = fs::read_to_string("src/lib.rs").expect("the table is in src/lib.rs");
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    for file in files(&table) {
        let own = Path::new("src").join(file);
        let source = if own.exists() { own } else { Path::new("../../node/src").join(file) };
        let text = fs::read(&source).unwrap_or_else(|error| panic!("{}: {error}", source.display()));
        let target = Path::new(&out).join(file);
        fs::create_dir_all(target.parent().expect("it is in OUT_DIR")).expect("OUT_DIR can be written to");
        // Without a change of the time, so that an unchanged builtin is not compiled again.
        if fs::read(&target).is_ok_and(|old| old == text) {
            continue;
        }
        fs::write(target, text).expect("OUT_DIR can be written to");
    }
}

/// The files of the entries `public!("id", "file"…)` and `internal!("id", "file"…)`.
fn files(table: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for part in table.split("public!(").skip(1).chain(table.split("internal!(").skip(1)) {
        let words: Vec<&str> = part.split('"').collect();
        // `"id", "file"`: only a comma and whitespace between them.
        if let [before, _, between, file, ..] = words[..]
            && before.trim().is_empty()
            && between.trim() == ","
        {
            found.push(file);
        }
    }
    found
}
