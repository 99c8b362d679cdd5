//! `cargo xtask outside-build`: a crate of another workspace that depends on `phasor-js` gets a patched engine, or no build.
//!
//! Cargo reads `.cargo/config.toml` of the directory where it is started and of those above, not of a dependency. So the crate is in a
//! temporary directory: without the flags its build must fail with the advice of `crates/js/build.rs`, and with the lines of
//! that advice it must build and run a script. Only the build directory is kept, under `target/`. Nothing is downloaded.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs, process};

use anyhow::{Context, Result, ensure};

use crate::crate_rules;

/// The program: a host with the fewest builtins that one needs. `Host::new` itself refuses an unpatched engine.
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
        outside: None,
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

/// Builds the crate both ways.
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
    println!("   outside of the workspace: refused without the flags, ran a script with them");
    Ok(())
}

/// A crate in a temporary directory, which goes with it.
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
        // The versions that are there already: cargo leaves out of the file what is not needed.
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
        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.args([verb, "--offline", "--quiet", "--target-dir"]).arg(&self.target).current_dir(&self.folder);
        // `cargo xtask` was started by cargo inside of the workspace, which gave it the flags.
        for (variable, _) in env::vars_os() {
            let name = variable.to_string_lossy();
            if name.contains("CFLAGS") || name == "CPATH" || name == "DOCS_RS" {
                command.env_remove(&variable);
            }
        }
        command.output().with_context(|| format!("cannot start {command:?}"))
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}
