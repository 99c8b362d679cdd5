//! `cargo xtask outside-build`: a crate outside of the workspace embeds the runtime.
//!
//! Its program is the example `embed` of `phasor-node`, and its build script has the one line that the documentation of that crate names.
//! It must build from a temporary directory, where no configuration of the workspace applies, and run like a program of the workspace:
//! natives, timers, promises and the engine's messages. The build directory is kept in `target/`. Nothing is downloaded.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs, process};

use anyhow::{Context, Result, ensure};

use crate::crate_rules::{target_folder, workspace_root};

/// The build script: the line of the documentation of `phasor-node`.
const BUILD_SCRIPT: &str = "fn main() {
    println!(\"cargo::rustc-link-arg-bins=-Wl,--wrap=_ZN11JSErrorBase16newMessageStringEP9JSContext\");
    println!(\"cargo::rustc-link-arg-bins=-Wl,--wrap=_ZN2JS19CaptureCurrentStackEP9JSContextNS_13MutableHandleIP8JSObjectEEON7mozilla7VariantIJNS_9AllFramesENS_9MaxFramesENS_18FirstSubsumedFrameEEEENS_6HandleIS4_EE\");
}
";

/// The output of the example.
const PRINTED: &str = "the area is 42
TypeError: cannot convert string to a number
TypeError: Cannot read properties of undefined (reading 'x')
";

/// Builds the crate and runs it.
pub(crate) fn run() -> Result<()> {
    let outside = Outside::new()?;
    let ran = outside.cargo("run")?;
    let (printed, trouble) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    ensure!(ran.status.success() && printed == PRINTED, "the crate does not build and run:\n{trouble}{printed}");
    println!("   a crate outside of the workspace embeds the runtime");
    Ok(())
}

/// The test crate in a temporary directory, removed on drop.
struct Outside {
    folder: PathBuf,
    target: PathBuf,
}

impl Outside {
    fn new() -> Result<Outside> {
        let folder = env::temp_dir().join(format!("phasor-outside-{}", process::id()));
        let outside = Outside { folder, target: target_folder()?.join("outside") };
        let node = workspace_root().join("crates/node");
        // Resolver 1, as in the workspace: with later ones the engine is compiled once more for the build script of phasor-builtins.
        let manifest = format!(
            "[package]\nname = \"outside\"\nversion = \"0.0.0\"\nedition = \"2024\"\nresolver = \"1\"\n\n\
             [dependencies]\nphasor-node = {{ path = {node:?} }}\n\n[workspace]\n"
        );
        let example = node.join("examples/embed.rs");
        let example = fs::read_to_string(&example).with_context(|| format!("cannot read {}", example.display()))?;
        outside.write("Cargo.toml", &manifest)?;
        outside.write("build.rs", BUILD_SCRIPT)?;
        outside.write("src/main.rs", &example)?;
        // The versions of the workspace, so that nothing is downloaded. Cargo removes unused packages from the file.
        let lock = fs::read_to_string(workspace_root().join("Cargo.lock")).context("cannot read Cargo.lock")?;
        outside.write("Cargo.lock", &lock)?;
        Ok(outside)
    }

    fn write(&self, file: &str, text: &str) -> Result<()> {
        let path = self.folder.join(file);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("/")))
            .and_then(|()| fs::write(&path, text))
            .with_context(|| format!("cannot write {}", path.display()))
    }

    fn cargo(&self, verb: &str) -> Result<Output> {
        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.args([verb, "--offline", "--quiet", "--target-dir"]).arg(&self.target).current_dir(&self.folder);
        command.output().with_context(|| format!("cannot start {command:?}"))
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}
