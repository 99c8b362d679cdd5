//! Compiles the builtins and the engine's own JavaScript to bytecode, so that a start does not parse JavaScript.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use phasor_js::engine::{COMPILED_ALIGNMENT, SelfHostedCode};

#[path = "src/table.rs"]
mod table;

use table::{Entry, TABLE, Text};

fn main() {
    println!("cargo::rerun-if-changed=src");
    let texts: Vec<String> = TABLE.iter().map(text).collect();
    let sources: Vec<_> = TABLE.iter().zip(&texts).map(|(entry, text)| (entry.id, text.as_str())).collect();
    let compiled = phasor_js::compile_builtins(&sources).unwrap_or_else(|error| panic!("{error}"));

    let mut bytes = Vec::new();
    let mut generated = String::from("[\n");
    for (entry, code) in TABLE.iter().zip(&compiled) {
        let range = append(&mut bytes, code);
        let Entry { id, is_public, natives, .. } = entry;
        let _ = write!(generated, "    (Builtin {{ id: {id:?}, public: {is_public}, natives: {natives:?}, source: || ");
        let _ = match entry.text {
            Text::File(file) => {
                write!(
                    generated,
                    "source({file:?}, include_str!({:?}))",
                    fs::canonicalize(path(file)).unwrap_or_default()
                )
            }
            Text::Line(line) => write!(generated, "{line:?}"),
        };
        let _ = writeln!(generated, " }}, {range:?}),");
    }
    generated.push(']');
    let self_hosted = append(&mut bytes, &SelfHostedCode::compile());
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let write = |name: &str, contents: &[u8]| {
        fs::write(Path::new(&out).join(name), contents).expect("OUT_DIR can be written to");
    };
    write("code", &bytes);
    write("table.rs", generated.as_bytes());
    write("self_hosted.rs", format!("{self_hosted:?}").as_bytes());
}

/// Appends compiled code at an aligned offset. Returns its range.
fn append(bytes: &mut Vec<u8>, code: &[u8]) -> (usize, usize) {
    bytes.resize(bytes.len().next_multiple_of(COMPILED_ALIGNMENT), 0);
    let start = bytes.len();
    bytes.extend_from_slice(code);
    (start, bytes.len())
}

fn text(entry: &Entry) -> String {
    match entry.text {
        Text::File(file) => fs::read_to_string(path(file)).unwrap_or_else(|error| panic!("{file}: {error}")),
        Text::Line(line) => line.to_owned(),
    }
}

fn path(file: &str) -> std::path::PathBuf {
    Path::new("src").join(file)
}
