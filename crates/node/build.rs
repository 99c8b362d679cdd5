//! Compiles the builtins to bytecode, so that startup does not parse JavaScript.
//!
//! The table in `src/lib.rs` is the only list of builtins; this script extracts ids and files from its text. Build and program use the same
//! engine version, because both resolve it from the same lock file. If the engine rejects bytecode, it compiles the source instead.

use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=src");
    let table = fs::read_to_string("src/lib.rs").expect("the table is in src/lib.rs");
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let start = start(&table);
    let mut all = Vec::new();
    let mut lines = lines(&table);
    lines.sort_by_key(|(id, _)| !start.contains(&id.as_str()));
    for (id, file) in lines {
        let source = fs::read_to_string(Path::new("src").join(&file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        let bytes = match phasor_js::compile_builtin(&id, &source) {
            Ok(bytes) => bytes,
            Err(message) => panic!("src/{file}: {message}"),
        };
        let path = Path::new(&out).join(format!("{id}.range"));
        fs::create_dir_all(path.parent().expect("it is in OUT_DIR")).expect("OUT_DIR can be written to");
        fs::write(path, format!("{}..{}", all.len(), all.len() + bytes.len())).expect("OUT_DIR can be written to");
        all.extend(bytes);
    }
    fs::write(Path::new(&out).join("bytecode"), all).expect("OUT_DIR can be written to");
}

/// The ids in the list `START`.
fn start(table: &str) -> Vec<&str> {
    let (_, list) = table.split_once("const START: &[&str] = &[").expect("the list is in src/lib.rs");
    let (list, _) = list.split_once("];").expect("the list has an end");
    list.split('"').skip(1).step_by(2).collect()
}

/// The ids and files of the entries `public!("id", "file"…)` and `internal!("id", "file"…)`.
fn lines(table: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for part in table.split("public!(").skip(1).chain(table.split("internal!(").skip(1)) {
        let words: Vec<&str> = part.split('"').collect();
        // `"id", "file"`: only a comma and whitespace between them.
        if let [before, id, between, file, ..] = words[..]
            && before.trim().is_empty()
            && between.trim() == ","
        {
            found.push((id.to_owned(), file.to_owned()));
        }
    }
    found
}
