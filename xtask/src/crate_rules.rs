//! `cargo xtask crate-rules`: which crate may depend on which, and where unsafe code is allowed.
//!
//! Dependencies point one way: cli -> node -> builtins -> js -> lens -> core -> sys; js -> engine; phasor and uv -> lens -> core. A crate is named by its folder
//! under `crates/`, or by a package folder at the root (`benches`, `conformance/*`, `xtask`). Dev-dependencies count too.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use cargo_metadata::{Metadata, MetadataCommand, TargetKind};

/// The crates that each crate may depend on. A crate that is not listed is an error.
const MAY_USE: &[(&str, &[&str])] = &[
    ("sys", &[]),
    ("core", &["sys"]),
    ("lens", &["core"]),
    ("phasor", &["lens", "core"]),
    ("uv", &["lens", "core", "sys"]),
    ("engine", &[]),
    ("crypto", &["core"]),
    ("http1", &[]),
    ("url", &[]),
    ("js", &["engine", "lens", "core", "sys"]),
    ("builtins", &["js"]),
    ("node", &["builtins", "crypto", "engine", "http1", "url", "js", "lens", "core", "sys"]),
    ("cli", &["node", "js", "lens", "core", "sys", "runner", "programs"]),
    // Used by tests and xtask only.
    ("runner", &[]),
    ("programs", &[]),
    // No crate depends on these two.
    ("benches", &["phasor", "core", "sys"]),
    ("xtask", &["runner", "programs"]),
];

/// Crates whose library and binary roots must contain `#![forbid(unsafe_code)]`.
const FORBID_UNSAFE: &[&str] =
    &["core", "lens", "phasor", "crypto", "http1", "url", "node", "cli", "runner", "programs", "xtask"];

/// The attribute, as one whole line.
const FORBID: &str = "#![forbid(unsafe_code)]";

/// A workspace crate, reduced to what the rules check.
#[derive(Debug, Default)]
struct CrateInfo {
    /// The folder name.
    name: String,
    /// The folder path.
    folder: PathBuf,
    /// Workspace crates in its manifest, of any dependency kind.
    uses: Vec<String>,
    /// Root files of its library and binaries.
    roots: Vec<PathBuf>,
}

/// Checks the workspace. The error lists every violation.
pub(crate) fn run() -> Result<()> {
    let metadata = MetadataCommand::new()
        .manifest_path(workspace_root().join("Cargo.toml"))
        .no_deps()
        .exec()
        .context("cannot read the workspace with `cargo metadata`")?;
    let crates = crates_of(&metadata);
    let mut faults = forbidden_dependencies(&crates);
    faults.extend(stale_names(&crates));
    for info in &crates {
        faults.extend(missing_forbids(info)?);
        if info.name == "sys" {
            faults.extend(mentions_phase(&info.folder)?);
        }
    }
    if faults.is_empty() {
        println!("   {} crates, no forbidden dependency", crates.len());
        return Ok(());
    }
    bail!("crate rules are violated:\n  {}", faults.join("\n  "));
}

/// The workspace root directory.
pub(crate) fn workspace_root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}

/// Cargo's target directory.
pub(crate) fn target_folder() -> Result<PathBuf> {
    let metadata = MetadataCommand::new().manifest_path(workspace_root().join("Cargo.toml")).no_deps().exec();
    Ok(metadata.context("cannot read the workspace with `cargo metadata`")?.target_directory.into_std_path_buf())
}

fn crates_of(metadata: &Metadata) -> Vec<CrateInfo> {
    let last_name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut crates = Vec::new();
    for package in metadata.workspace_packages() {
        let folder = package.manifest_path.parent().map(|path| path.as_std_path().to_owned()).unwrap_or_default();
        let uses = package.dependencies.iter().filter_map(|dependency| dependency.path.as_ref());
        let is_root = |kind: &TargetKind| {
            !matches!(kind, TargetKind::Bench | TargetKind::Test | TargetKind::Example | TargetKind::CustomBuild)
        };
        let roots = package.targets.iter().filter(|target| target.kind.iter().any(is_root));
        crates.push(CrateInfo {
            name: last_name(&folder),
            uses: uses.map(|path| last_name(path.as_std_path())).collect(),
            roots: roots.map(|target| target.src_path.as_std_path().to_owned()).collect(),
            folder,
        });
    }
    crates
}

/// Every dependency that the table does not allow, one sentence each.
fn forbidden_dependencies(crates: &[CrateInfo]) -> Vec<String> {
    let mut faults = Vec::new();
    for info in crates {
        let Some((_, allowed)) = MAY_USE.iter().find(|(name, _)| *name == info.name) else {
            faults.push(format!("crate `{}` is not in the table of xtask/src/crate_rules.rs", info.name));
            continue;
        };
        for used in info.uses.iter().filter(|used| **used != info.name && !allowed.contains(&used.as_str())) {
            let may = if allowed.is_empty() { "no other crate".to_owned() } else { allowed.join(", ") };
            faults.push(format!("forbidden dependency `{} -> {used}`: {} may use {may}", info.name, info.name));
        }
    }
    faults
}

/// Names in the two tables that no package has.
fn stale_names(crates: &[CrateInfo]) -> Vec<String> {
    let named = MAY_USE.iter().map(|(name, _)| name).chain(FORBID_UNSAFE);
    let stale = named.filter(|name| !crates.iter().any(|info| info.name == **name));
    stale.map(|name| format!("xtask/src/crate_rules.rs names `{name}`, which does not exist")).collect()
}

/// Root files of a safe crate that lack the attribute.
fn missing_forbids(info: &CrateInfo) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    if FORBID_UNSAFE.contains(&info.name.as_str()) {
        for root in &info.roots {
            let text = fs::read_to_string(root).with_context(|| format!("cannot read {}", root.display()))?;
            if !text.lines().any(|line| line.trim_end() == FORBID) {
                faults.push(format!("{} lacks the line {FORBID}", relative(root)));
            }
        }
    }
    Ok(faults)
}

/// Lines under `folder` that mention `phase`: `sys` wraps system calls and must not depend on the order of the loop.
fn mentions_phase(folder: &Path) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ["rs", "md", "toml"].iter().any(|known| ending == *known)) {
                let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
                let matches = text.lines().zip(1..).filter(|(line, _)| line.to_lowercase().contains("phase"));
                faults.extend(matches.map(|(_, number)| format!("{}:{number} mentions `phase`", relative(&path))));
            }
        }
    }
    faults.sort();
    Ok(faults)
}

/// The path relative to the workspace root.
fn relative(path: &Path) -> String {
    path.strip_prefix(workspace_root()).unwrap_or(path).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(name: &str, uses: &[&str]) -> CrateInfo {
        let uses = uses.iter().map(ToString::to_string).collect();
        CrateInfo { name: name.to_owned(), uses, ..CrateInfo::default() }
    }

    /// A temporary folder, removed on drop.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let folder = std::env::temp_dir().join(format!("xtask-crate-rules-{name}-{}", std::process::id()));
            fs::create_dir_all(folder.join("src")).unwrap();
            Scratch(folder)
        }

        fn write(&self, name: &str, text: &str) -> PathBuf {
            let path = self.0.join(name);
            fs::write(&path, text).unwrap();
            path
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn the_allowed_dependencies_pass() {
        let crates = [
            info("sys", &[]),
            info("core", &["sys"]),
            info("phasor", &["core"]),
            info("uv", &["core", "sys"]),
            info("js", &["core", "sys"]),
            info("node", &["js", "core"]),
            info("cli", &["node", "core"]),
        ];
        assert_eq!(forbidden_dependencies(&crates), Vec::<String>::new());
    }

    #[test]
    fn every_forbidden_dependency_is_named() {
        let bad = [
            ("sys", "core"),
            ("core", "phasor"),
            ("phasor", "uv"),
            ("phasor", "sys"),
            ("uv", "phasor"),
            ("js", "node"),
            ("js", "uv"),
            ("cli", "uv"),
            ("core", "benches"),
        ];
        for (from, to) in bad {
            let faults = forbidden_dependencies(&[info(from, &[to])]);
            assert_eq!(faults.len(), 1, "{from} -> {to}");
            assert!(faults[0].contains(&format!("`{from} -> {to}`")), "{}", faults[0]);
        }
    }

    #[test]
    fn an_unlisted_crate_is_an_error_and_a_crate_may_name_itself() {
        assert!(forbidden_dependencies(&[info("attic", &[])])[0].contains("attic"));
        assert!(forbidden_dependencies(&[info("core", &["core"])]).is_empty());
    }

    #[test]
    fn a_name_without_a_package_is_stale() {
        let all: Vec<CrateInfo> = MAY_USE.iter().map(|(name, _)| info(name, &[])).collect();
        assert_eq!(stale_names(&all), Vec::<String>::new());
        assert!(stale_names(&all[1..])[0].contains("`sys`"));
    }

    #[test]
    fn no_two_crates_use_each_other() {
        for (name, uses) in MAY_USE {
            for used in *uses {
                let (_, back) = MAY_USE.iter().find(|(other, _)| other == used).expect("a used crate is listed");
                assert!(!back.contains(name), "{name} and {used} use each other");
            }
        }
    }

    #[test]
    fn a_root_without_forbid_is_found() {
        let scratch = Scratch::new("forbid");
        let good = scratch.write("src/lib.rs", "//! Safe.\n#![forbid(unsafe_code)]\n");
        let bad = scratch.write("src/main.rs", "//! Says #![forbid(unsafe_code)] in passing only.\n");
        let mut info = info("core", &[]);
        info.roots = vec![good, bad.clone()];
        let faults = missing_forbids(&info).unwrap();
        assert_eq!(faults.len(), 1);
        assert!(faults[0].starts_with(&bad.display().to_string()), "{}", faults[0]);
        info.name = "sys".to_owned();
        assert!(missing_forbids(&info).unwrap().is_empty());
    }

    #[test]
    fn phase_is_found_in_any_case_with_its_line() {
        let scratch = Scratch::new("word");
        scratch.write("src/lib.rs", "//! Phasor's floor.\n\nenum Phase {}\n");
        scratch.write("src/notes.txt", "phase\n");
        let faults = mentions_phase(&scratch.0).unwrap();
        assert_eq!(faults.len(), 1);
        assert!(faults[0].ends_with("src/lib.rs:3 mentions `phase`"), "{}", faults[0]);
    }
}
