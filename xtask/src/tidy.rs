//! `cargo xtask tidy`: the writing rules that a program can check.
//!
//! It checks the length of commit subjects, the head comment of every source file, phrases without a named subject, the links between
//! documents, the groups of the changelog, and that `docs/README.md` lists every page. CONTRIBUTING.md has the other rules.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::crate_rules::workspace_root;

/// Maximum length of a commit subject, in characters.
const SUBJECT_MAX: usize = 72;

/// Commits since then must follow the rule for subjects.
const SUBJECTS_SINCE: &str = "2026-11-18T14:00:00Z";

/// Phrases used in place of a named subject, in lower case.
const BANNED: &[&str] =
    &["whoever", "nobody", "somebody", "so many", "what is held", "what is told", "what is asked", "what is wanted"];

/// How many banned phrases each folder may still have. Numbers may only decrease; a folder that is not listed may have none.
const BUDGET: &[(&str, usize)] = &[("crates/js", 42), ("crates/node", 37)];

/// Checks everything. The error lists every fault.
pub(crate) fn run() -> Result<()> {
    let root = workspace_root();
    let files = tracked_files(root)?;
    let mut faults = long_subjects(&subjects(root)?);
    let mut texts = Vec::new();
    for name in files.iter().filter(|name| is_text(name)) {
        let text = fs::read_to_string(root.join(name)).with_context(|| format!("cannot read {name}"))?;
        texts.push((name.as_str(), text));
    }
    for (name, text) in &texts {
        if needs_head(name) && !has_head(name, text) {
            faults.push(format!("{name} has no head comment that says what lives in it"));
        }
        if name.ends_with(".md") {
            faults.extend(dead_links(root, name, text));
        }
        if *name == "CHANGELOG.md" {
            faults.extend(ungrouped_changes(text));
        }
    }
    faults.extend(over_budget(&texts, BUDGET));
    faults.extend(missing_pages(&texts));
    if faults.is_empty() {
        println!("   {} files are tidy", texts.len());
        return Ok(());
    }
    bail!("not tidy:\n  {}", faults.join("\n  "));
}

/// The names of all files that git tracks, relative to the root, except deleted ones.
fn tracked_files(root: &Path) -> Result<Vec<String>> {
    let listed = git(root, &["ls-files"])?;
    Ok(listed.lines().filter(|name| root.join(name).is_file()).map(str::to_owned).collect())
}

/// The subjects of the checked commits.
fn subjects(root: &Path) -> Result<Vec<String>> {
    let since = format!("--since={SUBJECTS_SINCE}");
    let log = git(root, &["log", "--no-merges", "--format=%s", &since])?;
    Ok(log.lines().map(str::to_owned).collect())
}

fn git(root: &Path, arguments: &[&str]) -> Result<String> {
    let output = Command::new("git").current_dir(root).args(arguments).output().context("cannot start git")?;
    if !output.status.success() {
        bail!("git {} failed: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether a file is checked: our sources and documents, but not the conformance scripts, which are data.
fn is_text(name: &str) -> bool {
    let is_ours = !name.starts_with("conformance/");
    // This file and the glossary contain the banned phrases themselves.
    let names_phrases = name == "xtask/src/tidy.rs" || name == "docs/glossary.md";
    is_ours && !names_phrases && [".rs", ".js", ".h", ".md"].iter().any(|ending| name.ends_with(ending))
}

fn needs_head(name: &str) -> bool {
    name.ends_with(".rs") || (name.ends_with(".js") && name.starts_with("crates/node/src/"))
}

/// Whether a file opens with a comment: `//!` in Rust, `//` within the first three lines of JavaScript, after `'use strict'`.
fn has_head(name: &str, text: &str) -> bool {
    if name.ends_with(".rs") {
        return text.starts_with("//!");
    }
    text.lines().take(3).any(|line| line.starts_with("//"))
}

fn long_subjects(subjects: &[String]) -> Vec<String> {
    let long = subjects.iter().filter(|subject| subject.chars().count() > SUBJECT_MAX);
    long.map(|subject| format!("commit subject over {SUBJECT_MAX} characters: {subject}")).collect()
}

/// The folder in the budget: `crates/NAME`, else the first part of the path.
fn folder_of(name: &str) -> &str {
    let parts = if name.starts_with("crates/") { 2 } else { 1 };
    match name.match_indices('/').nth(parts - 1) {
        Some((end, _)) => &name[..end],
        None => name,
    }
}

/// The faults of folders with more banned phrases than their budget. Without a budget, each line with a phrase is a fault.
fn over_budget(texts: &[(&str, String)], budget: &[(&str, usize)]) -> Vec<String> {
    let mut found: Vec<(&str, Vec<String>)> = Vec::new();
    for (name, text) in texts {
        let folder = folder_of(name);
        for (line, number) in text.lines().zip(1..) {
            // `NoBody` is a name in the HTTP parser.
            let lower = line.replace("NoBody", "").to_lowercase();
            for phrase in BANNED.iter().filter(|phrase| has_word(&lower, phrase)) {
                let place = format!("{name}:{number} says {phrase:?}");
                match found.iter_mut().find(|(known, _)| *known == folder) {
                    Some((_, places)) => places.push(place),
                    None => found.push((folder, vec![place])),
                }
            }
        }
    }
    let mut faults = Vec::new();
    for (folder, places) in found {
        let allowed = budget.iter().find(|(known, _)| *known == folder).map_or(0, |(_, allowed)| *allowed);
        if allowed == 0 {
            faults.extend(places);
        } else if places.len() > allowed {
            faults.push(format!(
                "{folder} has {} phrases without a named subject, {allowed} before: name the subject in what you added \
                 (`git diff` shows it)",
                places.len()
            ));
        }
    }
    faults
}

/// Whether `phrase` occurs in `line` as whole words.
fn has_word(line: &str, phrase: &str) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    line.match_indices(phrase).any(|(at, _)| {
        !is_letter(line[..at].chars().next_back()) && !is_letter(line[at + phrase.len()..].chars().next())
    })
}

/// The changes in the changelog that are not in a `###` group of a module.
fn ungrouped_changes(text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let mut in_group = false;
    for (line, number) in text.lines().zip(1..) {
        if line.starts_with('#') {
            in_group = line.starts_with("### ");
        } else if line.starts_with("- ") && !in_group {
            faults.push(format!("CHANGELOG.md:{number} is not under the ### heading of its module"));
        }
    }
    faults
}

/// The relative links of a document to files that do not exist.
fn dead_links(root: &Path, name: &str, text: &str) -> Vec<String> {
    let folder = root.join(name).parent().map(Path::to_owned).unwrap_or_default();
    let dead = links(text).into_iter().filter(|link| !folder.join(link).exists());
    dead.map(|link| format!("{name} links to {link}, which does not exist")).collect()
}

/// The targets of Markdown links to files, without fragments.
fn links(text: &str) -> Vec<&str> {
    // Code is no link: `list[0](1)`. A backtick that no other one follows in its line opens no code span.
    let targets = text.match_indices("](").filter_map(|(at, opening)| {
        let line = &text[text[..at].rfind('\n').map_or(0, |end| end + 1)..at];
        let is_code = line.matches('`').count() % 2 == 1 && !line.ends_with('`');
        text[at + opening.len()..].split([')', ' ', '\n']).next().filter(|_| !is_code)
    });
    let files = targets.filter_map(|target| target.split('#').next());
    // `::` is in the Rust path of an intra-doc link.
    files.filter(|file| !file.is_empty() && !file.contains("://") && !file.contains("::")).collect()
}

/// The pages under `docs/` to which neither `docs/README.md` nor `docs/handles/README.md` links.
fn missing_pages(texts: &[(&str, String)]) -> Vec<String> {
    let mut linked: Vec<PathBuf> = Vec::new();
    for (name, text) in texts.iter().filter(|(name, _)| name.starts_with("docs/") && name.ends_with("README.md")) {
        let folder = Path::new(name).parent().unwrap_or(Path::new(""));
        linked.extend(links(text).into_iter().map(|link| folder.join(link)));
    }
    let pages = texts.iter().filter(|(name, _)| name.starts_with("docs/") && name.ends_with(".md"));
    let missing =
        pages.filter(|(name, _)| *name != "docs/README.md" && !linked.iter().any(|page| page == Path::new(name)));
    missing.map(|(name, _)| format!("docs/README.md does not list {name}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_subjects_are_found_by_characters() {
        let subjects = ["a".repeat(72), "ä".repeat(72), "a".repeat(73)];
        assert_eq!(long_subjects(&subjects).len(), 1);
    }

    #[test]
    fn heads_are_comments_at_the_top() {
        assert!(has_head("a.rs", "//! What it is.\n"));
        assert!(!has_head("a.rs", "use std::fs;\n//! Late.\n"));
        assert!(has_head("a.js", "'use strict';\n// What it is.\n"));
        assert!(!has_head("a.js", "'use strict';\nconst a = 1;\n"));
    }

    #[test]
    fn phrases_are_whole_words_and_counted_for_their_folder() {
        let texts =
            [("crates/core/a.rs", "// Nobody waits.\n// anybody's".to_owned()), ("README.md", "so many".to_owned())];
        assert_eq!(over_budget(&texts, &[("crates/core", 1)]), ["README.md:1 says \"so many\""]);
        assert_eq!(over_budget(&texts, &[("README.md", 1)]), ["crates/core/a.rs:1 says \"nobody\""]);
        let two = [("crates/core/a.rs", "nobody\nwhoever\n".to_owned())];
        assert!(over_budget(&two, &[("crates/core", 1)])[0].starts_with("crates/core has 2"));
        assert!(!has_word("nobody_waits", "nobody"));
    }

    #[test]
    fn changes_need_a_group() {
        let text = "# Changelog\n\n## Unreleased\n\n- a\n\n### fs\n\n- b\n  c\n\n## 0.1.0\n\n- d\n";
        let fault = |line| format!("CHANGELOG.md:{line} is not under the ### heading of its module");
        assert_eq!(ungrouped_changes(text), [fault(5), fault(14)]);
    }

    #[test]
    fn links_are_those_to_files() {
        let text = "[a](b.md#c), [d](https://e.f), [g](#h), [i](j/k.md)\n[l](phasor::Loop)";
        assert_eq!(links(text), ["b.md", "j/k.md"]);
    }

    #[test]
    fn a_page_that_the_index_misses_is_found() {
        let index = ("docs/README.md", "[a](a.md) [h](handles/README.md)".to_owned());
        let handles = ("docs/handles/README.md", "[t](timer.md)".to_owned());
        let page = |name| (name, String::new());
        let texts = [index, handles, page("docs/a.md"), page("docs/handles/timer.md"), page("docs/b.md")];
        assert_eq!(missing_pages(&texts), ["docs/README.md does not list docs/b.md"]);
    }
}
