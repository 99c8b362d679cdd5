//! `cargo xtask programs`: runs programs of Debian on Debian's libuv and on ours, and compares their output.
//!
//! apt downloads the packages, which are unpacked into `target/programs`; nothing is installed. The scenarios are in
//! `crates/uv/programs`; each runs in a sandbox (`sandbox.rs`).

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Parser;

use crate::crate_rules::{target_folder, workspace_root};
use crate::libuv;
use crate::sandbox::{Ran, SandboxRoot};

/// Time limit for one scenario.
const LIMIT: Duration = Duration::from_secs(120);

/// The packages beside `nodejs`, which is downloaded in the version of libnode108, because a newer one may be available.
const PACKAGES: &[&str] = &["libnode108", "neovim", "python3-uvloop", "libuv1"];

/// For each program: the folder of its scenarios, the command for a scenario, and a command that prints the libuv version.
const PROGRAMS: &[(&str, &str, &str)] = &[
    ("node", "node SCRIPT", "node -p 'process.version + \" \" + process.versions.uv'"),
    (
        "nvim",
        "nvim --headless -u NONE -i NONE -n -c 'luafile SCRIPT' -c 'cquit 0'",
        "nvim --headless -u NONE -i NONE -c 'lua io.stdout:write(vim.loop.version_string())' -c 'cquit 0'",
    ),
    (
        "uvloop",
        "python3 SCRIPT",
        "python3 -c 'import uvloop.loop; print(uvloop.__version__, uvloop.loop.libuv_get_version())'",
    ),
];

/// The arguments of this command.
#[derive(Parser)]
pub(crate) struct Args {
    /// Use this file in place of the libuv.so that is built here
    #[arg(long, value_name = "FILE")]
    ours: Option<PathBuf>,
    /// Only the scenarios with one of these in their name, such as `node/http`
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

/// Runs every scenario: the step of `cargo xtask test`.
pub(crate) fn run_all() -> Result<()> {
    run(&Args { ours: None, names: Vec::new() })
}

/// Runs the scenarios on both libraries. The error names those that differ.
pub(crate) fn run(args: &Args) -> Result<()> {
    let scenarios = scenarios(&args.names)?;
    let unpacked = unpacked()?;
    let ours = args.ours.clone().map_or_else(libuv::ours, Ok)?;
    let root = SandboxRoot::new("programs")?;
    let library = root.folder("library")?;
    root.copy(&ours, &library.join("libuv.so.1"))?;
    let mut environments = [
        Environment::new(&root, "Debian's", &unpacked, None)?,
        Environment::new(&root, "ours", &unpacked, Some(&library))?,
    ];
    for (program, _, version) in PROGRAMS {
        let versions: Vec<_> = environments
            .iter_mut()
            .map(|environment| environment.sandbox.run(version, LIMIT))
            .collect::<Result<_>>()?;
        println!("   {program}: {} and {}", versions[0].output.trim(), versions[1].output.trim());
    }
    let mut faults = Vec::new();
    for scenario in &scenarios {
        let began = Instant::now();
        let mut fault = compare(&mut environments, scenario)?;
        let mut word = "same";
        if let Some(first) = &fault {
            println!("   {scenario} differs, running it again:\n{first}");
            fault = compare(&mut environments, scenario)?;
            word = if fault.is_some() { "FAILED" } else { "flaky" };
        }
        println!("   {word:<6} {scenario} {:.1} s", began.elapsed().as_secs_f64());
        if let Some(fault) = fault {
            println!("{fault}");
            faults.push(scenario.as_str());
        }
    }
    if !faults.is_empty() {
        bail!("{} of {} scenarios: {}", faults.len(), scenarios.len(), faults.join(" "));
    }
    println!("   {} scenarios print the same on both", scenarios.len());
    Ok(())
}

/// Runs a scenario on both libraries in parallel and returns the difference.
fn compare([debian, ours]: &mut [Environment; 2], scenario: &str) -> Result<Option<String>> {
    let (debian, ours) = std::thread::scope(|scope| {
        let debian = scope.spawn(|| debian.run(scenario));
        let ours = ours.run(scenario);
        (debian.join().unwrap_or_else(|_| bail!("a thread that runs scenarios panicked")), ours)
    });
    Ok(difference(&debian?, &ours?))
}

/// The scenarios, as `program/file`.
fn scenarios(names: &[String]) -> Result<Vec<String>> {
    let mut all = Vec::new();
    for (program, ..) in PROGRAMS {
        let folder = scripts().join(program);
        for entry in fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))? {
            all.push(format!("{program}/{}", entry?.file_name().to_string_lossy()));
        }
    }
    all.sort();
    if let Some(name) = names.iter().find(|name| !all.iter().any(|scenario| scenario.contains(*name))) {
        bail!("no scenario has {name:?} in its name; there are {}", all.join(" "));
    }
    all.retain(|scenario| names.is_empty() || names.iter().any(|name| scenario.contains(name)));
    Ok(all)
}

fn scripts() -> PathBuf {
    workspace_root().join("crates/uv/programs")
}

/// The difference between two runs of a scenario, if there is one.
fn difference(debian: &Ran, ours: &Ran) -> Option<String> {
    let complete = |ran: &Ran| ran.code == 0 && ran.output.lines().last() == Some("done");
    if complete(debian) && complete(ours) && debian.output == ours.output {
        return None;
    }
    let mut text = format!("   exit code {} on Debian's, {} on ours", debian.code, ours.code);
    let (mut theirs, mut mine) = (debian.output.lines(), ours.output.lines());
    for number in 1.. {
        match (theirs.next(), mine.next()) {
            (None, None) => break,
            (one, other) if one != other => {
                let shorten = |line: Option<&str>| line.unwrap_or("(end)").chars().take(400).collect::<String>();
                text += &format!(
                    "\n   line {number} on Debian's: {}\n   line {number} on ours:     {}",
                    shorten(one),
                    shorten(other)
                );
                let rest: Vec<_> = mine.take(15).map(|line| format!("\n                    {line}")).collect();
                return Some(text + &rest.concat());
            }
            _ => {}
        }
    }
    Some(format!("{text}; both printed, without a last line `done`:\n{}", debian.output))
}

/// The sandbox with one of the libraries.
struct Environment {
    sandbox: crate::sandbox::Sandbox,
}

impl Environment {
    /// A sandbox in which the unpacked packages are mounted; `library` precedes them in the search path.
    fn new(root: &SandboxRoot, name: &str, unpacked: &Path, library: Option<&Path>) -> Result<Environment> {
        let folder = root.folder(if library.is_some() { "work-ours" } else { "work-debian" })?;
        root.copy(&scripts(), &folder.join("programs"))?;
        // The sandbox user may lack permission to enter our target folder: bind-mount it inside the sandbox root.
        let packages = root.folder("root")?;
        let usr = packages.join("usr");
        let of_machine = usr.join(format!("lib/{}-linux-gnu", std::env::consts::ARCH));
        let libraries = library.iter().map(|path| (*path).to_owned()).chain([of_machine]);
        let libraries = std::env::join_paths(libraries).context("a folder's name has a colon")?;
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths([usr.join("bin")].into_iter().chain(std::env::split_paths(&path)))?;
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let env = [
            ("PATH", path.to_string_lossy().into_owned()),
            ("LD_LIBRARY_PATH", libraries.to_string_lossy().into_owned()),
            ("PYTHONPATH", text(&usr.join("lib/python3/dist-packages"))),
            ("VIMRUNTIME", text(&usr.join("share/nvim/runtime"))),
            ("PYTHONDONTWRITEBYTECODE", "1".to_owned()),
        ];
        let env: Vec<_> = env.iter().map(|(key, value)| (*key, value.as_str())).collect();
        // Debian's node reads parts of itself from /usr/share/nodejs, whatever its path is.
        let mounts = [(unpacked, packages.as_path()), (&unpacked.join("usr/share"), Path::new("/usr/share"))];
        let sandbox = root.open_with(&name.replace('\'', ""), &folder, &env, &mounts)?;
        Ok(Environment { sandbox })
    }

    fn run(&mut self, scenario: &str) -> Result<Ran> {
        let program = scenario.split('/').next().unwrap_or_default();
        let known = PROGRAMS.iter().find(|(name, ..)| *name == program);
        let (_, command, _) = known.with_context(|| format!("{scenario} is no program's scenario"))?;
        self.sandbox.run(&command.replace("SCRIPT", &format!("programs/{scenario}")), LIMIT)
    }
}

/// The folder with the unpacked packages, which are downloaded if it does not exist.
fn unpacked() -> Result<PathBuf> {
    let target = target_folder()?;
    let (finished, unfinished) = (target.join("programs"), target.join("programs.part"));
    if finished.exists() {
        return Ok(finished);
    }
    let _ = fs::remove_dir_all(&unfinished);
    let (archives, root) = (unfinished.join("archives"), unfinished.join("root"));
    fs::create_dir_all(&archives).and_then(|()| fs::create_dir(&root)).context("cannot make target/programs.part")?;
    let node = match candidate("libnode108")? {
        Some(version) => version,
        None => {
            println!("   apt-get update");
            apt("apt-get", &["update", "--quiet=2"], &unfinished)?;
            candidate("libnode108")?.context("apt has no package libnode108: this task needs Debian 12's packages")?
        }
    };
    let missing = missing()?;
    println!("   downloading {} packages", missing.len() + 1);
    let node = format!("nodejs={node}");
    let args: Vec<_> = ["download", "--quiet=2", &node].into_iter().chain(missing.iter().map(String::as_str)).collect();
    apt("apt-get", &args, &archives)?;
    for entry in fs::read_dir(&archives)? {
        let archive = entry?.path();
        apt("dpkg", &["-x", &archive.to_string_lossy(), &root.to_string_lossy()], &unfinished)?;
    }
    fs::rename(&root, &finished).context("cannot name target/programs")?;
    fs::remove_dir_all(&unfinished).context("cannot remove target/programs.part")?;
    Ok(finished)
}

/// The version of a package that apt would install.
fn candidate(package: &str) -> Result<Option<String>> {
    let text = apt("apt-cache", &["policy", package], Path::new("/"))?;
    let version = text.lines().find_map(|line| line.trim().strip_prefix("Candidate: "));
    Ok(version.filter(|version| *version != "(none)").map(str::to_owned))
}

/// The packages that the programs need and that are not installed. [`PACKAGES`] are always among them: Debian's libuv is compared.
fn missing() -> Result<BTreeSet<String>> {
    let only =
        ["recommends", "suggests", "conflicts", "breaks", "replaces", "enhances"].map(|kind| format!("--no-{kind}"));
    let args =
        ["depends", "--recurse"].into_iter().chain(only.iter().map(String::as_str)).chain(PACKAGES.iter().copied());
    let needed = apt("apt-cache", &args.collect::<Vec<_>>(), Path::new("/"))?;
    let here = apt("dpkg-query", &["-W", "-f", "${db:Status-Status} ${Package}\n"], Path::new("/"))?;
    let here: BTreeSet<_> = here.lines().filter_map(|line| line.strip_prefix("installed ")).collect();
    Ok(needed_of(&needed).filter(|name| !here.contains(name) || PACKAGES.contains(name)).map(str::to_owned).collect())
}

/// The packages that `apt-cache depends --recurse` lists: the lines without indentation, except virtual packages.
fn needed_of(text: &str) -> impl Iterator<Item = &str> {
    let real = |line: &&str| line.starts_with(|byte: char| byte.is_ascii_alphanumeric());
    text.lines().filter(real).filter_map(|line| line.split(':').next())
}

/// Runs a Debian package tool and returns its output.
fn apt(tool: &str, args: &[&str], folder: &Path) -> Result<String> {
    let ran = Command::new(tool).args(args).current_dir(folder).output();
    let ran =
        ran.with_context(|| format!("cannot start {tool}: this task takes its programs from Debian 12 by apt"))?;
    if !ran.status.success() {
        let text = String::from_utf8_lossy(&ran.stderr);
        bail!("{tool} {} ended with {}: {}", args.join(" "), ran.status, text.trim());
    }
    Ok(String::from_utf8_lossy(&ran.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ran(code: i32, output: &str) -> Ran {
        Ran { code, output: output.to_owned(), cpu_seconds: 0.0 }
    }

    #[test]
    fn the_output_must_be_equal_and_end_with_done() {
        assert_eq!(difference(&ran(0, "a\ndone\n"), &ran(0, "a\ndone\n")), None);
        let text = difference(&ran(0, "a\nb\ndone\n"), &ran(0, "a\nc\ndone\n")).unwrap();
        assert!(text.contains("line 2 on Debian's: b") && text.contains("line 2 on ours:     c"), "{text}");
        assert!(difference(&ran(0, "a\n"), &ran(0, "a\n")).unwrap().contains("without a last line"));
        assert!(difference(&ran(0, "a\ndone\n"), &ran(1, "a\n")).unwrap().contains("(end)"));
        assert!(difference(&ran(1, "done\n"), &ran(1, "done\n")).is_some());
    }

    #[test]
    fn packages_are_the_lines_without_indentation() {
        let text = "neovim\n  Depends: libc6\n    libuv1:amd64\nlibc6:amd64\n<virtual>\n";
        assert_eq!(needed_of(text).collect::<Vec<_>>(), ["neovim", "libc6"]);
    }
}
