//! Real libuv, its test runner and its benchmark runner, compiled from the sources in the crate libuv-sys2.
//!
//! The build output is in `target/uv-suite`. An existing object file is not compiled again, because the sources of a published crate
//! do not change. This file also builds our library; other files run the programs.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail};
use cargo_metadata::MetadataCommand;

use crate::crate_rules::{target_folder, workspace_root};
use crate::test::{cargo, succeed};

/// The source files of the library, relative to libuv's `src`. The build script of `benches` uses the same list.
const LIBRARY: &str = include_str!("../../benches/libuv/sources.txt");

/// The name of the test runner. It is long because the test `process_title` overwrites it and needs 39 bytes.
const TEST_RUNNER: &str = "uv_run_tests_of_libuv_against_a_shared_library";

/// The compiler flags of libuv's CMakeLists.txt for Linux.
const COMMON_FLAGS: &[&str] = &[
    "-std=gnu11",
    "-g",
    "-fno-strict-aliasing",
    "-D_GNU_SOURCE",
    "-D_FILE_OFFSET_BITS=64",
    "-D_LARGEFILE_SOURCE",
    "-D_POSIX_C_SOURCE=200112",
    "-w",
];

/// Flags of libuv's release build: optimised, without assertions.
const LIBRARY_FLAGS: &[&str] = &["-O3", "-DNDEBUG", "-fPIC", "-fvisibility=hidden", "-DBUILDING_UV_SHARED=1"];

/// Flags of the runners. Their assertions stay enabled.
const RUNNER_FLAGS: &[&str] = &["-O1", "-DUSING_UV_SHARED=1"];

/// Additional flags to build a runner with AddressSanitizer. If the library is built with AddressSanitizer too, the runner also
/// checks the library. `__ASAN__` makes the tests skip what AddressSanitizer does not support, as in libuv's own build.
const SANITIZE: &[&str] = &["-fsanitize=address", "-fno-omit-frame-pointer", "-D__ASAN__=1"];

/// A build of our library.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Build {
    Debug,
    Release,
    /// With the address sanitizer, for a [runner with it](Libuv::asan_test_runner).
    Asan,
}

/// The sources of libuv, and the folder for its build output.
pub(crate) struct Libuv {
    /// The folder `libuv` of the crate libuv-sys2.
    pub(crate) sources: PathBuf,
    /// A folder under `target/` for this version of the crate.
    pub(crate) folder: PathBuf,
    /// Prevents two tasks from writing the same files.
    _lock: File,
}

impl Libuv {
    /// Finds the sources with cargo, and locks the output folder.
    pub(crate) fn find() -> Result<Libuv> {
        let metadata = MetadataCommand::new().manifest_path(workspace_root().join("Cargo.toml")).exec();
        let metadata = metadata.context("cannot find libuv's sources with `cargo metadata` (try `cargo fetch`)")?;
        let package = metadata.packages.iter().find(|package| package.name.as_str() == "libuv-sys2");
        let package = package.context("libuv-sys2 is not a dependency of benches any more")?;
        let suite = metadata.target_directory.join("uv-suite").into_std_path_buf();
        let folder = suite.join(package.version.to_string());
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let lock = File::create(suite.join("lock")).context("cannot make target/uv-suite/lock")?;
        lock.lock().context("cannot lock target/uv-suite/lock")?;
        Ok(Libuv { sources: package.manifest_path.with_file_name("libuv").into_std_path_buf(), folder, _lock: lock })
    }

    /// Builds the shared library and returns its path.
    pub(crate) fn library(&self) -> Result<PathBuf> {
        let built = self.folder.join("library/libuv.so.1");
        let sources: Vec<_> = LIBRARY.lines().map(|file| format!("src/{file}")).collect();
        let fresh = self.compile("library", &sources, LIBRARY_FLAGS)?;
        if fresh || !built.exists() {
            let args = ["-shared", "-Wl,-soname,libuv.so.1", "-lpthread", "-ldl", "-lrt"];
            self.link("library", &built, &args)?;
        }
        Ok(built)
    }

    /// Builds the runner of the test suite, linked against [`library`](Self::library).
    pub(crate) fn test_runner(&self) -> Result<PathBuf> {
        self.runner("tests", TEST_RUNNER, self.tests()?, &[])
    }

    /// Returns the test runner with the address sanitizer, which then also checks the library.
    pub(crate) fn asan_test_runner(&self) -> Result<PathBuf> {
        let made = self.runner("asan-tests", TEST_RUNNER, self.tests()?, SANITIZE);
        made.context("the C compiler has no address sanitizer, perhaps (Debian: libasan8 comes with gcc)")
    }

    fn tests(&self) -> Result<Vec<String>> {
        let skip = ["test/runner-win.c", "test/run-benchmarks.c", "test/appcontainer.c"];
        let wanted = |file: &String| !file.starts_with("test/benchmark-") && !skip.contains(&file.as_str());
        Ok(self.listed_tests()?.into_iter().filter(wanted).collect())
    }

    /// Builds the runner of the benchmarks, linked against [`library`](Self::library).
    pub(crate) fn benchmark_runner(&self) -> Result<PathBuf> {
        let listed = self.listed_tests()?;
        let extra = ["blackhole-server.c", "echo-server.c", "run-benchmarks.c", "runner.c", "runner-unix.c"];
        let wanted = |file: &String| {
            let name = file.trim_start_matches("test/");
            name.starts_with("benchmark-") || extra.contains(&name)
        };
        self.runner("benchmarks", "uv_run_benchmarks", listed.into_iter().filter(wanted).collect(), &[])
    }

    fn runner(&self, kind: &str, name: &str, sources: Vec<String>, extra: &[&str]) -> Result<PathBuf> {
        let library = self.library()?;
        let built = self.folder.join(kind).join(name);
        let fresh = self.compile(kind, &sources, &[RUNNER_FLAGS, extra].concat())?;
        if fresh || !built.exists() {
            // Lazy binding: a function that a library lacks fails only the tests that call it.
            let library = library.display().to_string();
            self.link(kind, &built, &[&["-Wl,-z,lazy", &library, "-lutil", "-lpthread"], extra].concat())?;
        }
        Ok(built)
    }

    /// The files of `test/` in libuv's CMakeLists.txt, each once.
    fn listed_tests(&self) -> Result<Vec<String>> {
        let list = self.sources.join("CMakeLists.txt");
        let text = fs::read_to_string(&list).with_context(|| format!("cannot read {}", list.display()))?;
        let files = test_files(&text);
        if files.is_empty() {
            bail!("{} names no file of test/", list.display());
        }
        Ok(files)
    }

    /// Compiles the missing objects of `sources` in the folder `kind`. Returns whether there were any.
    fn compile(&self, kind: &str, sources: &[String], flags: &[&str]) -> Result<bool> {
        let folder = self.folder.join(kind);
        let flags: Vec<_> = COMMON_FLAGS.iter().chain(flags).copied().collect();
        let stamp = folder.join("flags");
        if fs::read_to_string(&stamp).is_ok_and(|old| old != flags.join(" ")) {
            fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
        }
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        fs::write(&stamp, flags.join(" ")).with_context(|| format!("cannot write {}", stamp.display()))?;
        let missing: Vec<_> = sources.iter().filter(|source| !folder.join(object(source)).exists()).collect();
        if missing.is_empty() {
            return Ok(false);
        }
        println!("   compiling {} files of libuv's {kind}", missing.len());
        let (next, failure) = (AtomicUsize::new(0), Mutex::new(None));
        std::thread::scope(|scope| {
            for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
                scope.spawn(|| {
                    while let Some(source) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
                        if let Err(error) = self.compile_one(source, &folder.join(object(source)), &flags) {
                            *failure.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(error);
                            next.store(missing.len(), Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        match failure.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(true),
        }
    }

    /// Compiles one file. The object is renamed last, so that an interrupted build leaves no incomplete object.
    fn compile_one(&self, source: &str, object: &Path, flags: &[&str]) -> Result<()> {
        let unfinished = object.with_extension("part");
        let mut compiler = compiler();
        compiler.args(flags).arg("-I").arg(self.sources.join("include")).arg("-I").arg(self.sources.join("src"));
        succeed(compiler.arg("-c").arg(self.sources.join(source)).arg("-o").arg(&unfinished))?;
        fs::rename(&unfinished, object).with_context(|| format!("cannot name {}", object.display()))
    }

    fn link(&self, kind: &str, built: &Path, args: &[&str]) -> Result<()> {
        let objects = fs::read_dir(self.folder.join(kind))?.flatten().map(|entry| entry.path());
        let objects: Vec<_> = objects.filter(|path| path.extension().is_some_and(|ending| ending == "o")).collect();
        let unfinished = built.with_extension("part");
        succeed(compiler().args(objects).args(args).arg("-o").arg(&unfinished))?;
        fs::rename(&unfinished, built).with_context(|| format!("cannot name {}", built.display()))
    }
}

/// Builds our library in release mode and returns its path.
pub(crate) fn ours() -> Result<PathBuf> {
    ours_as(Build::Release)
}

/// Builds our library and returns its path.
pub(crate) fn ours_as(build: Build) -> Result<PathBuf> {
    println!("   building libuv.so");
    let args = ["build", "--quiet", "--package", "phasor-uv"];
    let folder = match build {
        Build::Debug => succeed(cargo().args(args)).map(|()| "debug".to_owned()),
        Build::Release => succeed(cargo().args(args).arg("--release")).map(|()| "release".to_owned()),
        Build::Asan => build_with_asan(&args),
    };
    Ok(target_folder()?.join(folder?).join("libuv.so"))
}

/// Whether a nightly toolchain is installed, which the address sanitizer needs.
pub(crate) fn has_nightly() -> bool {
    nightly_cargo().arg("--version").output().is_ok_and(|output| output.status.success())
}

/// rustup's cargo, which can select a toolchain. The removed variables would select the current one.
fn nightly_cargo() -> Command {
    let mut cargo = Command::new("cargo");
    cargo.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO").env_remove("RUSTC").arg("+nightly");
    cargo
}

/// Builds our library with the address sanitizer. Returns the folder relative to `target/`.
fn build_with_asan(args: &[&str]) -> Result<String> {
    let triple = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let mut cargo = nightly_cargo();
    // With `--target` the flag applies to the library and not to build scripts. In the usual target folder the flag would
    // invalidate all other builds.
    cargo.current_dir(workspace_root()).env("RUSTFLAGS", "-Zsanitizer=address");
    cargo.args(args).args(["--release", "--target", &triple]);
    succeed(cargo.arg("--target-dir").arg(target_folder()?.join("asan"))).context(
        "cannot build with the address sanitizer; if there is no nightly compiler: \
         `rustup toolchain install nightly --profile minimal`",
    )?;
    Ok(format!("asan/{triple}/release"))
}

/// The C compiler: `$CC`, else `cc`.
pub(crate) fn compiler() -> Command {
    Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()))
}

/// The name of a source file's object.
fn object(source: &str) -> String {
    source.trim_start_matches("test/").trim_start_matches("src/").replace('/', "-").replace(".c", ".o")
}

/// Every `test/….c` in a CMakeLists.txt, in order, each once.
fn test_files(text: &str) -> Vec<String> {
    let mut files = Vec::new();
    for word in text.split(|byte: char| byte.is_whitespace() || "()".contains(byte)) {
        if word.starts_with("test/") && word.ends_with(".c") && !files.iter().any(|file| file == word) {
            files.push(word.to_owned());
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_is_listed_once() {
        let text = "list(APPEND x test/runner-unix.c)\n add_executable(b\n test/runner.c)\n test/runner.c test/a.h)";
        assert_eq!(test_files(text), ["test/runner-unix.c", "test/runner.c"]);
    }

    #[test]
    fn object_names_of_two_folders_differ() {
        assert_eq!(object("src/unix/random.c"), "unix-random.o");
        assert_eq!(object("src/random.c"), "random.o");
        assert_eq!(object("test/test-random.c"), "test-random.o");
    }
}
