//! `cargo xtask outside-build`: a crate outside the workspace that depends on `phasor-js` either gets the patched engine or fails to build.
//!
//! Cargo reads `.cargo/config.toml` in the current directory and its parents, not that of a dependency. So the test crate is in a
//! temporary directory: without the flags its build must fail with the advice of `crates/js/build.rs`, and with the lines of that
//! advice it must build and run a script. The build directory is kept in `target/`. Nothing is downloaded.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs, process};

use anyhow::{Context, Result, ensure};

use crate::crate_rules;

/// The program: a host with the minimal set of builtins. `Host::new` refuses an unpatched engine.
const MAIN: &str = r#"
use phasor_js::rquickjs::{Ctx, Object, Result, function::Func};
use phasor_js::{AtExit, Builtin, Host, Natives, Options, SCHEDULER};

fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    object.set("print", Func::from(|text: String| println!("{text}")))?;
    Ok(object)
}

const NATIVES: Natives = Natives { name: "outside", make: natives };
const BOOTSTRAP: &str = "'use strict';
const s = require('internal/scheduler');
globalThis.print = native.print;
s.setHooks({
  fatal(error) { print('fatal: ' + error.message); s.reallyExit(1); },
  beforeExit() {}, exit() { return 0; }, unhandled() {}, rejectionHandled() {}, badCallback() {}, overflow() {},
});";
const RUN: &str = "'use strict';
const s = require('internal/scheduler');
module.exports = () => { s.evalScript(s.options().eval, 'outside.js'); };";

static BUILTINS: &[Builtin] = &[
    SCHEDULER,
    Builtin { id: "internal/bootstrap", public: false, source: || BOOTSTRAP, bytecode: None, natives: Some(&NATIVES) },
    Builtin { id: "internal/main", public: false, source: || RUN, bytecode: None, natives: None },
];

fn main() {
    let host = Host::new(Options {
        builtins: BUILTINS,
        at_exit: AtExit::Return,
        exec_path: String::new(),
        argv0: String::new(),
        exec_argv: Vec::new(),
        args: Vec::new(),
        eval: Some("(async () => { await null; print('ran ' + 6 * 7); })()".to_owned()),
        eval_file: "[eval]",
        print: false,
        flags: Vec::new(),
        thread_control: None,
        thread_id: 0,
        heap_limit_bytes: None,
        stack_bytes: None,
    });
    match host {
        Ok(host) => std::process::exit(host.run()),
        Err(error) => panic!("{error}"),
    }
}
"#;

/// Builds the crate without and with the flags.
pub(crate) fn run() -> Result<()> {
    let outside = Outside::new()?;
    let refused = outside.cargo("build")?;
    let advice = String::from_utf8_lossy(&refused.stderr);
    ensure!(!refused.status.success(), "an engine without the patch was built outside of the workspace");
    let missing = "the flags lack `-include phasor_engine.h`";
    ensure!(advice.contains(missing), "the build failed, but did not say why:\n{advice}");

    let lines: Vec<&str> =
        advice.lines().map(str::trim).skip_while(|line| *line != "[env]").take_while(|line| !line.is_empty()).collect();
    ensure!(lines.len() == 3, "the advice has no lines for .cargo/config.toml:\n{advice}");
    outside.write(".cargo/config.toml", &lines.join("\n"))?;
    let built = outside.cargo("run")?;
    ensure!(
        built.status.success() && built.stdout == b"ran 42\n",
        "with the lines of the advice, the crate does not build and run:\n{}{}",
        String::from_utf8_lossy(&built.stderr),
        String::from_utf8_lossy(&built.stdout)
    );

    // The lines of the advice replace a user's own variables, so that these cannot lose the patch, and nothing is compiled again.
    let own_variables = [("CFLAGS_x86_64_unknown_linux_gnu", "-O1"), ("CPATH", "/nonexistent")];
    let built = outside.cargo_with("run", &own_variables)?;
    ensure!(
        built.status.success() && built.stdout == b"ran 42\n",
        "with a user's own flags, the crate does not build and run:\n{}",
        String::from_utf8_lossy(&built.stderr)
    );
    println!("   outside of the workspace: refused without the flags, ran a script with them");
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
        let outside = Outside { folder, target: crate_rules::target_folder()?.join("outside") };
        let phasor_js = crate_rules::workspace_root().join("crates/js");
        let manifest = format!(
            "[package]\nname = \"outside\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
             [dependencies]\nphasor-js = {{ path = {phasor_js:?} }}\n\n[workspace]\n"
        );
        outside.write("Cargo.toml", &manifest)?;
        outside.write("src/main.rs", MAIN)?;
        // The versions of the workspace, so that nothing is downloaded. Cargo removes unused packages from the file.
        let lock =
            fs::read_to_string(crate_rules::workspace_root().join("Cargo.lock")).context("cannot read Cargo.lock")?;
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
        self.cargo_with(verb, &[])
    }

    fn cargo_with(&self, verb: &str, variables: &[(&str, &str)]) -> Result<Output> {
        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.args([verb, "--offline", "--quiet", "--target-dir"]).arg(&self.target).current_dir(&self.folder);
        // Cargo has set these variables for `cargo xtask` from the workspace's configuration.
        for (variable, _) in env::vars_os() {
            let name = variable.to_string_lossy();
            if name.contains("CFLAGS") || name == "CPATH" || name == "DOCS_RS" {
                command.env_remove(&variable);
            }
        }
        command.envs(variables.iter().copied());
        command.output().with_context(|| format!("cannot start {command:?}"))
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}
