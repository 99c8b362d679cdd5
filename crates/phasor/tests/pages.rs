//! Checks the pages of `docs/`: the names in their tables exist, links have targets, every handle type has a page.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All files below a directory with this ending.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.to_string_lossy().ends_with(ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn source(crates: &[&str]) -> String {
    let all = crates.iter().flat_map(|name| files(&root().join("crates").join(name).join("src"), ".rs"));
    all.map(|file| fs::read_to_string(file).unwrap()).collect()
}

/// The identifiers in code, without comments.
fn words(source: &str) -> BTreeSet<&str> {
    let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.split(|letter: char| !letter.is_alphanumeric() && letter != '_')).collect()
}

/// The texts between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The rows of the tables of operations: the page, and the columns `phasor`, `phasor-core` and libuv.
fn operations() -> Vec<(String, [String; 3])> {
    let mut rows = Vec::new();
    for page in files(&root().join("docs"), ".md") {
        let mut inside = false;
        for line in fs::read_to_string(&page).unwrap().lines() {
            inside = line.starts_with("| `phasor` | `phasor-core` | libuv |") || inside && line.starts_with('|');
            let cells: Vec<_> = line.split('|').skip(1).map(str::to_owned).collect();
            if let ([a, b, c, ..], true) = (&cells[..], inside) {
                rows.push((page.display().to_string(), [a.clone(), b.clone(), c.clone()]));
            }
        }
    }
    rows
}

/// The name of a function without its type and arguments; `None` if the text is not a function name.
fn function_name(word: &str) -> Option<&str> {
    let name = word.split(['(', '<']).next()?.rsplit("::").next()?;
    let is_function = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    (is_function && !matches!(name, "phasor")).then_some(name)
}

#[test]
fn operations_in_the_pages_exist() {
    let (face, core) = (source(&["phasor", "core"]), source(&["core", "sys"]));
    let (known, known_to_core) = (words(&face), words(&core));
    let rows = operations();
    assert!(rows.len() > 100, "the tables were not found");
    let mut missing = BTreeSet::new();
    for (page, [ours, theirs, libuv]) in &rows {
        for (cell, known) in [(ours, &known), (theirs, &known_to_core)] {
            for name in quoted(cell).filter_map(function_name).filter(|name| !known.contains(name)) {
                missing.insert(format!("{page}: {name}"));
            }
        }
        for name in quoted(libuv).filter(|name| name.starts_with("uv_") && !name.contains('…')) {
            if ![&face, &core].iter().any(|source| source.contains(&format!("\"{name}\""))) {
                missing.insert(format!("{page}: {name} is not a doc alias"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn links_have_targets() {
    let mut broken = Vec::new();
    for page in files(&root().join("docs"), ".md") {
        let text = fs::read_to_string(&page).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.contains("://") {
                continue;
            }
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            // A picture is no text.
            let there = fs::read(&target).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
            let anchor = |line: &str| line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
            let found = !there.is_empty()
                && (heading.is_empty() || there.lines().any(|line| line.starts_with('#') && anchor(line) == heading));
            if !found {
                broken.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn every_handle_type_has_a_page_with_tested_examples() {
    let kinds = source(&["core"]);
    let index = fs::read_to_string(root().join("docs/handles/README.md")).unwrap();
    let tested = fs::read_to_string(root().join("crates/phasor/src/pages.rs")).unwrap();
    let names: BTreeSet<_> = kinds
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Kind::")?.split_once(" => \"")?.1.strip_suffix("\","))
        .collect();
    assert!(names.len() >= 14, "{names:?}");
    for name in names {
        assert!(root().join(format!("docs/handles/{name}.md")).exists(), "{name}");
        assert!(index.contains(&format!("({name}.md)")), "{name} is not in the index");
        assert!(tested.contains(&format!("handles/{name}.md")), "the examples of {name} are not tested");
    }
}
