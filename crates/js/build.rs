//! Refuses to build on an engine without Phasor's patch.
//!
//! The patch is `engine/phasor_engine.h`, which the C compiler includes before each file of `rquickjs-sys`. That crate
//! has no option for this, so the header comes in through environment variables, `CFLAGS_<target>` and `CPATH`, which
//! the `[env]` table of the workspace's `.cargo/config.toml` sets. Cargo does not read that file for a build that
//! starts outside of the workspace, and a variable of the user overrides a value in it. The engine would then compile
//! without a warning, but without the patch.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{env, fs, process};

/// The header, as passed to `-include`.
pub(crate) const HEADER: &str = "phasor_engine.h";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=engine");
    println!("cargo::rerun-if-env-changed=DOCS_RS");
    println!("cargo::rerun-if-env-changed=CPATH");
    let target = required("TARGET");
    let variables = cflags_variables(&target, target != required("HOST"));
    for variable in &variables {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    // docs.rs sets no flags, and does not run the built code.
    if env::var_os("DOCS_RS").is_some() {
        return;
    }
    let engine = Path::new(&required("CARGO_MANIFEST_DIR")).join("engine");
    let revision = revision(&engine);
    let flags: Vec<String> = variables
        .iter()
        .filter_map(env::var_os)
        .flat_map(|value| value.to_string_lossy().split_ascii_whitespace().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    if let Err(problem) = check(&flags, env::var_os("CPATH"), &engine, &revision) {
        eprintln!("{}", advice(&problem, &variables, &target, &engine, &revision));
        process::exit(1);
    }
}

fn required(variable: &str) -> String {
    env::var(variable).unwrap_or_else(|error| panic!("cargo sets {variable}: {error}"))
}

/// The variables that the `cc` crate joins, the weakest first (cc: `Build::envflags`).
pub(crate) fn cflags_variables(target: &str, is_cross: bool) -> [String; 4] {
    let underscored = target.replace(['-', '.'], "_");
    let kind = if is_cross { "TARGET" } else { "HOST" };
    ["CFLAGS".to_owned(), format!("{kind}_CFLAGS"), format!("CFLAGS_{underscored}"), format!("CFLAGS_{target}")]
}

/// The revision of the patch, which the header defines. It is part of the flags, because cargo does not recompile the
/// engine when only a header changes.
pub(crate) fn revision(engine: &Path) -> String {
    let header = engine.join(HEADER);
    let text = fs::read_to_string(&header).unwrap_or_else(|error| panic!("{}: {error}", header.display()));
    text.lines()
        .find_map(|line| line.strip_prefix("#define PHASOR_ENGINE_REVISION "))
        .unwrap_or_else(|| panic!("{} defines PHASOR_ENGINE_REVISION", header.display()))
        .trim()
        .to_owned()
}

/// Returns an error that describes what is wrong with the engine's compiler flags.
pub(crate) fn check(flags: &[String], cpath: Option<OsString>, engine: &Path, revision: &str) -> Result<(), String> {
    let included = flags
        .windows(2)
        .filter(|pair| pair[0] == "-include")
        .map(|pair| Path::new(&pair[1]))
        .find(|file| file.file_name().is_some_and(|name| name == HEADER))
        .ok_or_else(|| format!("the flags lack `-include {HEADER}`"))?;
    // The last definition counts.
    match flags.iter().rev().find_map(|flag| flag.strip_prefix("-DPHASOR_ENGINE=")) {
        Some(given) if given == revision => {}
        Some(given) => return Err(format!("the flags are for revision {given} of the patch, this is {revision}")),
        None => return Err(format!("the flags lack `-DPHASOR_ENGINE={revision}`")),
    }
    // Contents, not paths: cargo compiles a copy of the crate to verify a package. All headers, because the directory of another
    // version, such as an older checkout of a git dependency, may have the same revision.
    let found = find(included, cpath.unwrap_or_default())?;
    let read = |path: &Path| fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
    for header in fs::read_dir(engine).map_err(|error| format!("{}: {error}", engine.display()))?.flatten() {
        let given = found.with_file_name(header.file_name());
        if read(&given)? != read(&header.path())? {
            return Err(format!("{} is the header of another version of phasor-js", given.display()));
        }
    }
    Ok(())
}

/// The file that the compiler includes.
fn find(included: &Path, cpath: OsString) -> Result<PathBuf, String> {
    if included.is_absolute() {
        return Ok(included.to_owned());
    }
    // A relative directory would be searched from the directory of rquickjs-sys.
    env::split_paths(&cpath)
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(included))
        .find(|file| file.is_file())
        .ok_or_else(|| format!("no directory of CPATH ({}) has {HEADER}", cpath.display()))
}

pub(crate) fn advice(problem: &str, variables: &[String; 4], target: &str, engine: &Path, revision: &str) -> String {
    let flags = format!("-fno-semantic-interposition -include {HEADER} -DPHASOR_ENGINE={revision}");
    let variable = &variables[2];
    let engine = engine.display();
    let set: String = variables
        .iter()
        .map(String::as_str)
        .chain(["CPATH"])
        .filter_map(|name| Some(format!("    {name}={}\n", env::var_os(name)?.display())))
        .collect();
    let set = if set.is_empty() { "    none of its variables is set\n".to_owned() } else { set };
    format!(
        "
phasor-js: the JavaScript engine would be built without Phasor's patch.

  Problem: {problem}.
  The C compiler for {target} gets:
{set}
  For one command, such as `cargo install`, put both variables before it:

{variable}='{flags}' CPATH='{engine}' cargo ...

  In a workspace of your own, add these lines to .cargo/config.toml at its root, then build again:

[env]
{variable} = {{ value = \"{flags}\", force = true }}
CPATH = {{ value = \"{engine}\", force = true }}

  The compiler gets the flags of CFLAGS and the directories of C_INCLUDE_PATH too: use those two for your own. The directory of a git
  dependency changes with its revision: after an update, the build stops again and prints the new lines.

  The workspace of Phasor itself has these lines in .cargo/config.toml: run cargo inside of the workspace and unset {variable}. Another
  target needs a line of its own there. A change of a header in crates/js/engine needs a higher number both in that file and as
  PHASOR_ENGINE_REVISION in {HEADER}.
"
    )
}
