//! `cargo xtask uv-differential`: differential tests of our `libuv.so.1` against real libuv.
//!
//! The C programs are in `crates/uv/differential`, whose README defines what they may print. Each is compiled once, with libuv's
//! header, and must print the same with both libraries.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Parser;

use crate::crate_rules::workspace_root;
use crate::libuv::{self, Libuv, compiler};
use crate::sandbox::{Ran, SandboxRoot};
use crate::test::succeed;
use crate::uv_suite::Side;

/// Time limit for one program.
const LIMIT: Duration = Duration::from_secs(60);

/// Maximum number of differing lines printed per program.
const MAX_PRINTED: usize = 10;

/// The command line of `uv-differential`.
#[derive(Parser)]
pub(crate) struct Args {
    /// Test this file in place of the libuv.so that is built here
    #[arg(long, value_name = "FILE")]
    ours: Option<PathBuf>,
    /// The programs, without `.c`; without a name all of them
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

/// Runs every program: the step of `cargo xtask test`.
pub(crate) fn run_all() -> Result<()> {
    run(&Args { ours: None, names: Vec::new() })
}

/// Runs the programs; fails if the output of one differs between the libraries.
pub(crate) fn run(args: &Args) -> Result<()> {
    let libuv = Libuv::find()?;
    let real = libuv.library()?;
    let folder = libuv.folder.join("differential");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut programs = Vec::new();
    for source in select(&workspace_root().join("crates/uv/differential"), &args.names)? {
        let program = folder.join(source.file_stem().unwrap_or_default());
        let mut compile = compiler();
        compile.args(["-std=gnu11", "-O1", "-g", "-w", "-D_GNU_SOURCE", "-Wl,-z,lazy", "-I"]);
        compile.arg(libuv.sources.join("include")).arg(&source).arg(&real).args(["-lpthread", "-o"]);
        succeed(compile.arg(&program))?;
        programs.push(program);
    }
    drop(libuv);
    let ours = args.ours.clone().map_or_else(libuv::ours, Ok)?;

    let root = SandboxRoot::new("uv-differential")?;
    let of_real = run_programs(&root, Side::Real, &real, &programs)?;
    let of_ours = run_programs(&root, Side::Ours, &ours, &programs)?;
    let mut different = Vec::new();
    for ((program, real), ours) in programs.iter().zip(of_real).zip(of_ours) {
        let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match difference(&real, &ours) {
            None => println!("   {name}: the same, {} lines", ours.output.lines().count()),
            Some(text) => {
                println!("-- {name} differs:\n{text}");
                different.push(name);
            }
        }
    }
    if different.is_empty() { Ok(()) } else { bail!("not as on libuv: {}", different.join(" ")) }
}

/// The sources selected by `names`, sorted; all of them if `names` is empty. An unknown name is an error.
fn select(folder: &Path, names: &[String]) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut sources: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    sources.retain(|path| path.extension().is_some_and(|ending| ending == "c"));
    sources.sort();
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    if let Some(name) = names.iter().find(|name| !sources.iter().any(|path| stem(path) == **name)) {
        bail!("there is no differential program {name:?} in {}", folder.display());
    }
    sources.retain(|path| names.is_empty() || names.contains(&stem(path)));
    Ok(sources)
}

/// Runs each program on one library and returns their output.
fn run_programs(root: &SandboxRoot, side: Side, library: &Path, programs: &[PathBuf]) -> Result<Vec<Ran>> {
    let lib = root.folder(&format!("lib-{}", side.name()))?;
    root.copy(library, &lib.join("libuv.so.1"))?;
    // Both libraries use the same folder: a program may print its working directory.
    let work = root.folder("work")?;
    let mut sandbox = root.open(side.name(), &work, &[("LD_LIBRARY_PATH", &*lib.to_string_lossy())])?;
    let mut answers = Vec::new();
    for program in programs {
        let name = program.file_name().unwrap_or_default();
        root.copy(program, &work.join(name))?;
        answers.push(sandbox.run(&format!("./{}", name.to_string_lossy()), LIMIT)?);
    }
    Ok(answers)
}

/// The first differing lines of two runs; `None` if they are equal.
fn difference(real: &Ran, ours: &Ran) -> Option<String> {
    let mut text = String::new();
    if real.code != ours.code {
        text += &format!("   exit code {} on libuv, {} on ours\n", real.code, ours.code);
    }
    let (real, ours): (Vec<_>, Vec<_>) = (real.output.lines().collect(), ours.output.lines().collect());
    let line =
        |lines: &[&str], at: usize| lines.get(at).map_or_else(|| "(the end)".to_owned(), |line| (*line).to_owned());
    let differ = (0..real.len().max(ours.len())).filter(|at| real.get(*at) != ours.get(*at));
    for at in differ.take(MAX_PRINTED) {
        text += &format!("   line {}\n     libuv {}\n     ours  {}\n", at + 1, line(&real, at), line(&ours, at));
    }
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ran(code: i32, output: &str) -> Ran {
        Ran { code, output: output.to_owned(), cpu_seconds: 0.0 }
    }

    #[test]
    fn a_differing_line_or_exit_code_is_reported() {
        assert_eq!(difference(&ran(0, "a\nb\n"), &ran(0, "a\nb\n")), None);
        assert!(difference(&ran(0, "a\nb\n"), &ran(0, "a\nc\n")).is_some_and(|text| text.contains("line 2")));
        assert!(difference(&ran(0, "a\n"), &ran(0, "a\nb\n")).is_some_and(|text| text.contains("(the end)")));
        assert!(difference(&ran(0, ""), &ran(139, "")).is_some_and(|text| text.contains("139")));
    }

    #[test]
    fn names_select_programs_and_an_unknown_name_is_an_error() {
        let folder = workspace_root().join("crates/uv/differential");
        assert!(select(&folder, &[]).unwrap().len() > 1);
        assert_eq!(select(&folder, &["wtf8".to_owned()]).unwrap(), [folder.join("wtf8.c")]);
        assert!(select(&folder, &["nothing".to_owned()]).is_err());
    }
}
