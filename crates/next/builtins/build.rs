//! Compiles the builtins and the engine's own JavaScript to bytecode, so that a start does not parse JavaScript.
//!
//! The table in `node/src/lib.rs` is the only list of builtins; this script extracts the ids and files from its text. A file of `next/node`
//! replaces the file of the same name in `crates/node`.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use phasor_js::engine::{COMPILED_ALIGNMENT, SelfHostedCode};

/// The folders with the sources; the first that has a file counts.
const FOLDERS: [&str; 2] = ["../node/src", "../../node/src"];

fn main() {
    for folder in FOLDERS {
        println!("cargo::rerun-if-changed={folder}");
    }
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let table = fs::read_to_string("../node/src/lib.rs").expect("the table is in node/src/lib.rs");
    let (ids, sources): (Vec<_>, Vec<_>) = entries(&table).into_iter().map(|(id, file)| (id, source(file))).unzip();
    let texts: Vec<_> = ids.iter().zip(&sources).map(|(id, source)| (*id, source.as_str())).collect();
    let compiled = phasor_js::compile_builtins(&texts).unwrap_or_else(|error| panic!("{error}"));

    let mut parts: Vec<_> = ids.into_iter().zip(compiled).collect();
    parts.sort();
    let mut bytes = Vec::new();
    let mut table = String::from("[\n");
    for (id, code) in &parts {
        let range = append(&mut bytes, code);
        let _ = writeln!(table, "    ({id:?}, {range:?}),");
    }
    table.push(']');
    let self_hosted = append(&mut bytes, &SelfHostedCode::compile());
    let write = |name: &str, contents: &[u8]| {
        fs::write(Path::new(&out).join(name), contents).expect("OUT_DIR can be written to");
    };
    write("code", &bytes);
    write("table.rs", table.as_bytes());
    write("self_hosted.rs", format!("{self_hosted:?}").as_bytes());
}

/// Appends compiled code at an aligned offset. Returns its range.
fn append(bytes: &mut Vec<u8>, code: &[u8]) -> (usize, usize) {
    bytes.resize(bytes.len().next_multiple_of(COMPILED_ALIGNMENT), 0);
    let start = bytes.len();
    bytes.extend_from_slice(code);
    (start, bytes.len())
}

fn source(file: &str) -> String {
    let path = FOLDERS.iter().map(|folder| Path::new(folder).join(file)).find(|path| path.exists());
    let path = path.unwrap_or_else(|| panic!("{file}, which is in the table of builtins, does not exist"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The ids and files of the entries `public!("id", "file"…)` and `internal!("id", "file"…)`.
fn entries(table: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    for part in table.split("public!(").skip(1).chain(table.split("internal!(").skip(1)) {
        let words: Vec<&str> = part.split('"').collect();
        // `"id", "file"`: only a comma and whitespace between them.
        if let [before, id, between, file, ..] = words[..]
            && before.trim().is_empty()
            && between.trim() == ","
        {
            found.push((id, file));
        }
    }
    found
}
