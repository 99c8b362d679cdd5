//! `cargo xtask test --changed`: which steps the changed files need.
//!
//! A changed crate is tested together with the crates that depend on it. A JavaScript builtin needs only the conformance scripts of
//! its module and those on order, so an edit is checked in seconds. The choice is a shortcut for the time between two edits; what
//! lands must pass all steps.

use std::collections::BTreeSet;
use std::process::Command;

use anyhow::{Context, Result, bail};
use cargo_metadata::MetadataCommand;

use super::{Step, cargo_step, task_step};
use crate::crate_rules::workspace_root;
use crate::{crate_rules, tidy, uv_differential};

/// A package of the workspace.
struct Package {
    name: String,
    /// The folder of the crate, relative to the root.
    folder: String,
    /// The workspace packages it depends on.
    uses: Vec<String>,
}

/// The steps for the files that differ from `revision`.
pub(super) fn steps(revision: Option<&str>) -> Result<Vec<Step>> {
    let files = changed_files(revision)?;
    if files.is_empty() {
        bail!("no file differs");
    }
    println!("{} changed files: {}", files.len(), shortened(&files));
    let scripts = phasor_conformance::scripts().context("cannot read the scripts")?;
    let scripts: Vec<_> = scripts.into_iter().map(|script| script.name).collect();
    Ok(plan(&files, &packages()?, &scripts))
}

/// The files that differ from `revision`; without one, those that are not committed, or else those of the last commit.
fn changed_files(revision: Option<&str>) -> Result<Vec<String>> {
    let mut files = differing(&[revision.unwrap_or("HEAD")])?;
    files.extend(names(&git(&["ls-files", "-z", "--others", "--exclude-standard"])?));
    if files.is_empty() && revision.is_none() {
        files = differing(&["HEAD~1", "HEAD"])?;
    }
    Ok(files)
}

/// The files below the workspace that differ between revisions. The dashes end the revisions: git takes none for a file or an option.
fn differing(revisions: &[&str]) -> Result<Vec<String>> {
    if let Some(option) = revisions.iter().find(|revision| revision.starts_with('-') || revision.is_empty()) {
        bail!("{option:?} is no revision");
    }
    let arguments = [&["diff", "-z", "--name-only", "--relative"], revisions, &["--"]].concat();
    Ok(names(&git(&arguments)?))
}

/// The names of a list of git with `-z`. Without it, git puts names with other letters than ASCII in quotes.
fn names(list: &str) -> Vec<String> {
    list.split_terminator('\0').map(str::to_owned).collect()
}

fn git(arguments: &[&str]) -> Result<String> {
    let output =
        Command::new("git").current_dir(workspace_root()).args(arguments).output().context("cannot start git")?;
    if !output.status.success() {
        bail!("git {} failed: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn shortened(files: &[String]) -> String {
    const SHOWN: usize = 5;
    let mut text = files.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    if files.len() > SHOWN {
        text += " …";
    }
    text
}

fn packages() -> Result<Vec<Package>> {
    let metadata = MetadataCommand::new()
        .manifest_path(workspace_root().join("Cargo.toml"))
        .no_deps()
        .exec()
        .context("cannot read the workspace with `cargo metadata`")?;
    let packages = metadata.workspace_packages().into_iter().map(|package| {
        let folder = package.manifest_path.parent().and_then(|folder| folder.strip_prefix(workspace_root()).ok());
        Package {
            name: package.name.to_string(),
            folder: folder.map(ToString::to_string).unwrap_or_default(),
            uses: package.dependencies.iter().map(|dependency| dependency.name.clone()).collect(),
        }
    });
    Ok(packages.collect())
}

/// The steps that check these files. `all_scripts` are names such as `fs/open.js`.
fn plan(files: &[String], packages: &[Package], all_scripts: &[String]) -> Vec<Step> {
    let script_folders: BTreeSet<&str> = all_scripts.iter().filter_map(|name| Some(name.split_once('/')?.0)).collect();
    // Filters for script names: a folder, a script without its ending, or the empty text for all scripts.
    let mut scripts = BTreeSet::new();
    let (mut npm, mut examples, mut has_rust) = (false, false, false);
    // The names of changed packages.
    let mut changed = BTreeSet::new();
    for file in files {
        has_rust |= file.ends_with(".rs");
        if let Some(builtin) = file.strip_prefix("crates/builtins/src/").filter(|file| file.ends_with(".js")) {
            scripts.insert("order".to_owned());
            // A builtin without scripts of its own is part of many others.
            let folder = builtin.split('/').next().unwrap_or_default();
            scripts.insert(if script_folders.contains(folder) { folder.to_owned() } else { String::new() });
        } else if let Some(filter) = file.strip_prefix("conformance/").and_then(|file| script_filter(file, all_scripts))
        {
            scripts.insert(filter.to_owned());
        } else if file.starts_with("conformance/npm/") {
            npm = true;
        } else if file.starts_with("examples/") {
            examples = true;
        } else if matches!(file.as_str(), "Cargo.toml" | "Cargo.lock" | "rust-toolchain.toml")
            || file.starts_with(".cargo/")
        {
            changed.extend(packages.iter().map(|package| package.name.as_str()));
        } else if !file.ends_with(".md") {
            let owner = packages.iter().filter(|package| file.starts_with(&format!("{}/", package.folder)));
            changed.extend(owner.max_by_key(|package| package.folder.len()).map(|package| package.name.as_str()));
        }
    }
    let affected = with_dependents(changed, packages);
    let mut steps = Vec::new();
    if has_rust {
        steps.push(cargo_step("format", "", "fmt --all --check"));
    }
    steps.push(task_step("tidy", "tidy", tidy::run));
    if !affected.is_empty() {
        let selected: String = affected.iter().map(|name| format!(" -p {name}")).collect();
        steps.push(task_step("crate-rules", "crate-rules", crate_rules::run));
        steps.push(cargo_step("lints", "", &format!("clippy{selected} --all-targets -- -D warnings")));
        // `--tests` includes the unit tests of libraries and programs.
        let targets = format!("{selected} --tests --examples");
        steps.push(cargo_step("tests", &format!("build{targets}"), &format!("test{targets} --quiet --no-fail-fast")));
    }
    if affected.contains("phasor-uv") {
        steps.push(task_step("uv-differential", "uv-differential", uv_differential::run_all));
    }
    // The tests of the command line program run all scripts.
    if !affected.contains("phasor-cli") {
        if scripts.contains("") {
            scripts = BTreeSet::from([String::new()]);
        }
        for filter in &scripts {
            let filter = if script_folders.contains(filter.as_str()) { format!("{filter}/") } else { filter.clone() };
            let run = format!("test -p phasor-cli --test scripts --quiet -- --quiet {filter}");
            steps.push(cargo_step(&format!("scripts {filter}"), "build -p phasor-cli --test scripts", &run));
        }
    }
    if examples && !affected.contains("phasor-cli") {
        let run = "test -p phasor-cli --test command_line --quiet -- example";
        steps.push(cargo_step("examples", "build -p phasor-cli --test command_line", run));
    }
    if npm {
        steps.push(task_step("npm", "npm", crate::npm::run_all));
    }
    steps
}

/// The filter for the scripts that a file under `conformance/` belongs to: the script of that name, or the whole folder for a file that
/// scripts share. None outside of the folders of scripts, and for documents.
fn script_filter<'a>(file: &'a str, all_scripts: &[String]) -> Option<&'a str> {
    let (folder, _) = file.split_once('/').filter(|_| !file.ends_with(".md"))?;
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let is_folder = all_scripts.iter().any(|name| name.split_once('/').is_some_and(|(own, _)| own == folder));
    let is_script = all_scripts.iter().any(|name| name.rsplit_once('.').is_some_and(|(own, _)| own == stem));
    is_folder.then_some(if is_script { stem } else { folder })
}

/// The packages and all that depend on them, directly or not.
fn with_dependents<'a>(changed: BTreeSet<&'a str>, packages: &'a [Package]) -> BTreeSet<&'a str> {
    let mut affected = changed;
    loop {
        let before = affected.len();
        let dependents =
            packages.iter().filter(|package| package.uses.iter().any(|used| affected.contains(used.as_str())));
        let names: Vec<_> = dependents.map(|package| package.name.as_str()).collect();
        affected.extend(names);
        if affected.len() == before {
            return affected;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(files: &[&str]) -> Vec<String> {
        let package = |name: &str, folder: &str, uses: &[&str]| Package {
            name: name.to_owned(),
            folder: folder.to_owned(),
            uses: uses.iter().map(ToString::to_string).collect(),
        };
        let packages = [
            package("phasor-core", "crates/core", &[]),
            package("phasor", "crates/phasor", &["phasor-core"]),
            package("phasor-uv", "crates/uv", &["phasor-core"]),
            package("phasor-node", "crates/node", &["phasor-core"]),
            package("phasor-cli", "crates/cli", &["phasor-node"]),
            package("xtask", "xtask", &[]),
        ];
        let scripts = ["fs/open.js", "order/001-a.mjs"].map(str::to_owned);
        let files: Vec<_> = files.iter().map(ToString::to_string).collect();
        plan(&files, &packages, &scripts).iter().map(|step| format!("{}: {}", step.name, step.describe())).collect()
    }

    #[test]
    fn a_builtin_needs_the_scripts_of_its_module() {
        let steps = planned(&["crates/builtins/src/fs/fs.js"]);
        assert_eq!(steps.len(), 3, "{steps:?}");
        assert_eq!(steps[1], "scripts fs/: cargo test -p phasor-cli --test scripts --quiet -- --quiet fs/");
        assert!(steps[2].ends_with("--quiet order/"), "{steps:?}");
        // A builtin of a module without scripts may break any script.
        assert!(planned(&["crates/builtins/src/internal/x.js"])[1].ends_with("-- --quiet"));
    }

    #[test]
    fn a_script_is_run_alone() {
        let steps = planned(&["conformance/fs/open.js", "conformance/fs/open.out"]);
        assert_eq!(steps[1..], ["scripts fs/open: cargo test -p phasor-cli --test scripts --quiet -- --quiet fs/open"]);
    }

    #[test]
    fn a_file_that_scripts_share_needs_the_scripts_of_its_folder() {
        for file in ["conformance/fs/helper.js", "conformance/fs/fixtures/data.json", "conformance/fs/deleted.out"] {
            assert_eq!(
                planned(&[file])[1..],
                ["scripts fs/: cargo test -p phasor-cli --test scripts --quiet -- --quiet fs/"]
            );
        }
        assert_eq!(planned(&["conformance/fs/README.md"]).len(), 1);
    }

    #[test]
    fn an_example_needs_the_tests_that_run_it() {
        assert!(
            planned(&["examples/phases.js"])[1].starts_with("examples: cargo test -p phasor-cli --test command_line")
        );
    }

    #[test]
    fn a_crate_is_tested_with_its_dependents() {
        let steps = planned(&["crates/core/src/run.rs"]).join("\n");
        for package in ["phasor-core", "phasor", "phasor-uv", "phasor-node", "phasor-cli"] {
            assert!(steps.contains(&format!("-p {package} ")), "{steps}");
        }
        assert!(!steps.contains("-p xtask") && steps.contains("uv-differential"), "{steps}");
        assert!(planned(&["xtask/src/main.rs"]).join("\n").contains("test -p xtask"));
    }

    #[test]
    fn names_and_revisions_are_those_of_git() {
        assert_eq!(names("conformance/fs/\u{e9} a.js\0b\0"), ["conformance/fs/\u{e9} a.js", "b"]);
        assert!(names("").is_empty());
        for revision in ["--output=file", ""] {
            assert!(changed_files(Some(revision)).unwrap_err().to_string().contains("is no revision"));
        }
    }

    #[test]
    fn documents_need_tidy_alone() {
        assert_eq!(planned(&["README.md", "crates/core/README.md"]), ["tidy: cargo xtask tidy"]);
    }
}
