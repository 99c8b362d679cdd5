//! `cargo xtask uv-twins`: programs of ours that put odd questions to libuv, on real libuv and on ours.
//!
//! The programs are in `crates/uv/twins`; what they may print is said there. Each is compiled once, against libuv's header,
//! and both libraries must make it print the same.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Parser;

use crate::libuv::{self, Libuv, compiler};
use crate::rooms::workspace_root;
use crate::sandbox::{Ran, Sandbox};
use crate::test::succeed;
use crate::uv_suite::Side;

/// How long one program may take.
const LIMIT: Duration = Duration::from_secs(60);

/// How many lines of a difference are shown.
const SHOWN: usize = 10;

/// The words of this chore.
#[derive(Parser)]
pub(crate) struct Words {
    /// Test this file in place of the libuv.so that is built here
    #[arg(long, value_name = "FILE")]
    ours: Option<PathBuf>,
    /// The programs, without `.c`; without a name all of them
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

/// As `cargo xtask test` runs it.
pub(crate) fn run_all() -> Result<()> {
    run(&Words { ours: None, names: Vec::new() })
}

/// Runs the programs; an error if one prints different things.
pub(crate) fn run(words: &Words) -> Result<()> {
    let libuv = Libuv::find()?;
    let real = libuv.library()?;
    let folder = libuv.folder.join("twins");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut programs = Vec::new();
    for source in chosen(&workspace_root().join("crates/uv/twins"), &words.names)? {
        let program = folder.join(source.file_stem().unwrap_or_default());
        let mut compile = compiler();
        compile.args(["-std=gnu11", "-O1", "-g", "-w", "-D_GNU_SOURCE", "-Wl,-z,lazy", "-I"]);
        compile.arg(libuv.sources.join("include")).arg(&source).arg(&real).args(["-lpthread", "-o"]);
        succeed(compile.arg(&program))?;
        programs.push(program);
    }
    drop(libuv);
    let ours = words.ours.clone().map_or_else(libuv::ours, Ok)?;

    let sandbox = Sandbox::new("uv-twins")?;
    let of_real = answers(&sandbox, Side::Real, &real, &programs)?;
    let of_ours = answers(&sandbox, Side::Ours, &ours, &programs)?;
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

/// The programs that the names choose, in order; a name that there is not is an error.
fn chosen(folder: &Path, names: &[String]) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut sources: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    sources.retain(|path| path.extension().is_some_and(|ending| ending == "c"));
    sources.sort();
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    if let Some(name) = names.iter().find(|name| !sources.iter().any(|path| stem(path) == **name)) {
        bail!("there is no twin {name:?} in {}", folder.display());
    }
    sources.retain(|path| names.is_empty() || names.contains(&stem(path)));
    Ok(sources)
}

/// What each program prints on a library.
fn answers(sandbox: &Sandbox, side: Side, library: &Path, programs: &[PathBuf]) -> Result<Vec<Ran>> {
    let lib = sandbox.folder(&format!("lib-{}", side.name()))?;
    sandbox.copy(library, &lib.join("libuv.so.1"))?;
    // One place for both: a program may print where it is.
    let work = sandbox.folder("work")?;
    let mut cell = sandbox.cell(side.name(), &work, &[("LD_LIBRARY_PATH", &*lib.to_string_lossy())])?;
    let mut answers = Vec::new();
    for program in programs {
        let name = program.file_name().unwrap_or_default();
        sandbox.copy(program, &work.join(name))?;
        answers.push(cell.run(&format!("./{}", name.to_string_lossy()), LIMIT)?);
    }
    Ok(answers)
}

/// The first lines in which two answers differ, if they do.
fn difference(real: &Ran, ours: &Ran) -> Option<String> {
    let mut text = String::new();
    if real.code != ours.code {
        text += &format!("   it ends with {} on libuv, with {} on ours\n", real.code, ours.code);
    }
    let (real, ours): (Vec<_>, Vec<_>) = (real.output.lines().collect(), ours.output.lines().collect());
    let line =
        |lines: &[&str], at: usize| lines.get(at).map_or_else(|| "(the end)".to_owned(), |line| (*line).to_owned());
    let differ = (0..real.len().max(ours.len())).filter(|at| real.get(*at) != ours.get(*at));
    for at in differ.take(SHOWN) {
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
    fn a_difference_is_a_line_or_an_end() {
        assert_eq!(difference(&ran(0, "a\nb\n"), &ran(0, "a\nb\n")), None);
        assert!(difference(&ran(0, "a\nb\n"), &ran(0, "a\nc\n")).is_some_and(|text| text.contains("line 2")));
        assert!(difference(&ran(0, "a\n"), &ran(0, "a\nb\n")).is_some_and(|text| text.contains("(the end)")));
        assert!(difference(&ran(0, ""), &ran(139, "")).is_some_and(|text| text.contains("139")));
    }

    #[test]
    fn names_choose_and_a_wrong_one_is_refused() {
        let folder = workspace_root().join("crates/uv/twins");
        assert!(chosen(&folder, &[]).unwrap().len() > 1);
        assert_eq!(chosen(&folder, &["wtf8".to_owned()]).unwrap(), [folder.join("wtf8.c")]);
        assert!(chosen(&folder, &["nothing".to_owned()]).is_err());
    }
}
