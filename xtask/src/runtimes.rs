//! The runtimes that tasks compare: phasor, built from this workspace, and others from PATH or installed by npm into `target/`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::crate_rules::target_folder;
use crate::test::{cargo, succeed};

/// Builds phasor and returns the path of the program.
pub(crate) fn phasor(release: bool) -> Result<PathBuf> {
    let mut build = cargo();
    build.args(["build", "--quiet", "--package", "phasor-cli"]).args(release.then_some("--release"));
    succeed(&mut build)?;
    Ok(target_folder()?.join(if release { "release" } else { "debug" }).join("phasor"))
}

/// Node 22, with which all output was recorded: from PATH, else installed by npm.
pub(crate) fn node() -> Result<PathBuf> {
    let on_path = PathBuf::from("node");
    if version(&on_path).is_ok_and(|version| version.starts_with("v22.")) {
        return Ok(on_path);
    }
    npm_program("node@22", "node22", &["node/bin/node"])
}

/// Bun, installed by npm.
pub(crate) fn bun() -> Result<PathBuf> {
    // The first path exists only after the package's install script, which npm may be configured not to run.
    npm_program("bun", "js-runtimes/bun", &["bun/bin/bun.exe", "@oven/*/bin/bun"])
}

/// Deno, installed by npm.
pub(crate) fn deno() -> Result<PathBuf> {
    // Not the package's own `deno`, which is a script for Node and would be measured too.
    npm_program("deno", "js-runtimes/deno", &["@deno/*/deno"])
}

/// The version that a runtime prints.
pub(crate) fn version(program: &Path) -> Result<String> {
    let ran = Command::new(program).arg("--version").output();
    let ran = ran.with_context(|| format!("cannot start {}", program.display()))?;
    if !ran.status.success() {
        bail!("{} --version ended with {}", program.display(), ran.status);
    }
    Ok(String::from_utf8_lossy(&ran.stdout).lines().next().unwrap_or_default().trim().to_owned())
}

/// A command for npm, which apt installs if it is not on PATH.
pub(crate) fn npm() -> Result<Command> {
    if version(Path::new("npm")).is_err() {
        println!("   apt-get install npm");
        for args in [&["update", "--quiet=2"][..], &["install", "--yes", "--quiet=2", "--no-install-recommends", "npm"]]
        {
            let mut apt = Command::new("apt-get");
            apt.args(args).env("DEBIAN_FRONTEND", "noninteractive");
            succeed(&mut apt).context("npm is missing, and apt cannot install it")?;
        }
    }
    Ok(Command::new("npm"))
}

/// The program of an npm package, at one of `places` under `node_modules`. Installs the package into `target/FOLDER` if it is missing.
/// A `*` in a place matches any folder, because packages contain the platform in a folder name.
fn npm_program(package: &str, folder: &str, places: &[&str]) -> Result<PathBuf> {
    let folder = target_folder()?.join(folder);
    let modules = folder.join("node_modules");
    let found = || places.iter().flat_map(|place| matching(&modules, place)).find(|path| version(path).is_ok());
    if let Some(program) = found() {
        return Ok(program);
    }
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut npm = npm()?;
    npm.args(["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"]).arg(&folder);
    let ran = npm.arg(package).output().context("cannot start npm")?;
    if !ran.status.success() {
        bail!("npm install {package} ended with {}: {}", ran.status, String::from_utf8_lossy(&ran.stderr).trim());
    }
    found().with_context(|| format!("npm install {package} installed no program that starts"))
}

/// The paths under `folder` that match `place`.
fn matching(folder: &Path, place: &str) -> Vec<PathBuf> {
    let mut paths = vec![folder.to_owned()];
    for part in place.split('/') {
        paths = match part {
            "*" => {
                paths.iter().filter_map(|path| fs::read_dir(path).ok()).flatten().flatten().map(|e| e.path()).collect()
            }
            _ => paths.into_iter().map(|path| path.join(part)).collect(),
        };
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crate_rules::workspace_root;

    #[test]
    fn a_star_matches_one_folder() {
        let found = matching(workspace_root(), "*/src/runtimes.rs").into_iter().filter(|path| path.exists());
        assert_eq!(found.collect::<Vec<_>>(), [workspace_root().join("xtask/src/runtimes.rs")]);
    }

    #[test]
    fn a_program_that_does_not_start_is_an_error() {
        assert!(version(Path::new("/no/such/program")).is_err());
        assert!(version(Path::new("false")).is_err());
    }
}
