//! `phasor with -- PROGRAM`: runs a program that loads libuv dynamically on Phasor's `libuv.so.1`.
//!
//! [`command`] prepares the program's start, or says why it cannot run on our library; [`run`] starts it and waits. The
//! library is a file beside this program, see `docs/decisions/0027-carry-libuv-as-a-file.md`.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use phasor_sys::elf::ElfFile;

use crate::child::{self, exit_code};

/// The options for a program that runs on Phasor's libuv.
#[derive(Debug, Default)]
pub(crate) struct WithOptions {
    /// Variables that are added to its environment.
    pub(crate) environment: Vec<(OsString, OsString)>,
}

/// The name of the library, by which the dynamic linker knows it.
const SONAME: &str = "libuv.so.1";

/// The environment variable with the path of the library, if it is in another folder.
const LIBRARY_VARIABLE: &str = "PHASOR_LIBUV";

/// Where the library is, relative to the folder of this program: as `cargo xtask install` places it, as cargo builds it, and
/// as cargo builds it for tests.
const PLACES: &[&str] = &["../lib/phasor/libuv.so.1", "libuv.so.1", "libuv.so", "../libuv.so"];

/// The function that tells where a libuv is.
const UV_RUN: &[u8] = b"uv_run";

/// Functions by which a program may come to a libuv that is not seen: it loads an extension, or starts another program.
const STARTERS: &[&[u8]] = &[b"dlopen", b"execve", b"execv", b"execvp", b"execvpe", b"posix_spawn", b"posix_spawnp"];

/// How many `#!` lines lead from a script to a program at most, as in the kernel.
const MOST_INTERPRETERS: usize = 4;

/// The start of a program on our library, with the options' environment.
///
/// # Errors
///
/// A text for people, one sentence or two: the program or the library is not found, or the program cannot run on it, because
/// its libuv is built in, for example. A program that does not load libuv itself, but may load an extension or start a
/// program that does, gets a warning on standard error.
pub(crate) fn command(options: &WithOptions, program: &OsStr, arguments: &[OsString]) -> Result<Command, String> {
    let library = library()?;
    let path = find(program)?;
    let loads = loading(&path, &library)?;
    let mut command = Command::new(&path);
    command.arg0(program).args(arguments);
    if loads == Loading::Unseen {
        eprintln!(
            "phasor: {} does not load {SONAME} itself; what it loads or starts later runs on Phasor's, if it is linked with \
             it dynamically",
            program.display()
        );
    }
    let (variable, value) = match loads {
        Loading::ByPreload => ("LD_PRELOAD", library.as_os_str()),
        // Programs that do not use libuv are not touched.
        Loading::BySearch | Loading::Unseen if library.ends_with(SONAME) => {
            ("LD_LIBRARY_PATH", library.parent().unwrap_or(Path::new("/")).as_os_str())
        }
        Loading::BySearch | Loading::Unseen => ("LD_PRELOAD", library.as_os_str()),
    };
    command.env(variable, listed(variable, value)?);
    command.envs(options.environment.iter().map(|(name, value)| (name, value)));
    Ok(command)
}

/// Runs a program on our library and waits for its end. Signals for this process go to the program. The exit code is that of
/// the program, or, as in shells, 128 and the number of the signal that killed it.
///
/// # Errors
///
/// The errors of [`command`], and an error if the program cannot be started.
pub(crate) fn run(options: &WithOptions, program: &OsStr, arguments: &[OsString]) -> Result<ExitCode, String> {
    let mut command = command(options, program, arguments)?;
    Ok(exit_code(child::wait(&mut command).map_err(|error| format!("cannot start {}: {error}", program.display()))?))
}

/// The path of our library.
///
/// # Errors
///
/// The path of the library. If it does not exist, the error says how to build it.
pub(crate) fn library() -> Result<PathBuf, String> {
    if let Some(path) = std::env::var_os(LIBRARY_VARIABLE).filter(|path| !path.is_empty()) {
        let path = PathBuf::from(path);
        return std::fs::canonicalize(&path)
            .map(|real| keep_name(&path, real))
            .map_err(|error| format!("cannot read {}, which {LIBRARY_VARIABLE} names: {error}", path.display()));
    }
    let program = std::env::current_exe().map_err(|error| format!("cannot find this program's own file: {error}"))?;
    let folder = program.parent().unwrap_or(Path::new("/"));
    let found = PLACES.iter().map(|place| folder.join(place)).find(|path| path.is_file());
    let found = found.and_then(|path| std::fs::canonicalize(&path).ok().map(|real| keep_name(&path, real)));
    found.ok_or_else(|| {
        format!(
            "Phasor's {SONAME} is missing: it should be in {}. In the source tree, `./x build` builds it, as does `cargo \
             build -p phasor-uv`; {LIBRARY_VARIABLE}=FILE names it if it is elsewhere",
            folder.join("../lib/phasor").display()
        )
    })
}

/// The absolute path of a file whose name may be a link, such as `libuv.so.1` to `libuv.so.1.0.0`.
fn keep_name(named: &Path, real: PathBuf) -> PathBuf {
    let absolute = named
        .parent()
        .and_then(|folder| std::fs::canonicalize(if folder == Path::new("") { Path::new(".") } else { folder }).ok());
    match (absolute, named.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => real,
    }
}

/// The file of a program, as the shell finds it.
fn find(program: &OsStr) -> Result<PathBuf, String> {
    let name = program.display();
    if program.as_bytes().contains(&b'/') {
        let path = PathBuf::from(program);
        let metadata = path.metadata().map_err(|error| format!("cannot run {name}: {error}"))?;
        if metadata.is_dir() {
            return Err(format!("cannot run {name}: it is a folder"));
        }
        if metadata.permissions().mode() & 0o111 == 0 {
            return Err(format!("cannot run {name}: the file is not executable"));
        }
        return Ok(path);
    }
    let is_program = |path: &PathBuf| {
        path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
    };
    let search = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&search).map(|folder| folder.join(program)).find(is_program);
    found.ok_or_else(|| format!("cannot find the program {name} in PATH"))
}

/// How a program comes to our library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loading {
    /// The dynamic linker finds it first when it searches.
    BySearch,
    /// The program has a search path of its own, so the library has to be loaded before.
    ByPreload,
    /// The program does not load libuv, but what it loads or starts may.
    Unseen,
}

/// How a program comes to our library, or why it cannot.
fn loading(path: &Path, library: &Path) -> Result<Loading, String> {
    let (path, elf, file) = executable(path)?;
    let name = path.display();
    let metadata = file.metadata().map_err(|error| format!("cannot read {name}: {error}"))?;
    if metadata.mode() & 0o6000 != 0 {
        return Err(format!(
            "cannot run {name} on Phasor's libuv: it runs as another user (set-user-ID), and the dynamic \
             linker does not let the environment choose the libraries of such programs"
        ));
    }
    if !elf.is_native {
        return Err(format!("cannot run {name} on Phasor's libuv: the program is for another processor architecture"));
    }
    if defines_uv_run(&elf) {
        return Err(built_in(&path, &path));
    }
    let Some(linker) = &elf.interpreter else {
        return Err(format!(
            "cannot run {name} on Phasor's libuv: the program is linked statically, so that no library can be replaced"
        ));
    };
    let objects = objects(linker, &path, library)?;
    let mut starts = may_start(&elf);
    for (soname, object) in &objects {
        if soname == SONAME {
            // The dynamic linker searches the program's `DT_RPATH` before `LD_LIBRARY_PATH` (ld.so(8)), so it may find
            // another libuv.
            let is_ours = object.as_ref().is_some_and(|object| is_same_file(object, library));
            return Ok(if is_ours { Loading::BySearch } else { Loading::ByPreload });
        }
        let Some(object) = object.as_ref().filter(|_| !is_of_c_library(soname)) else { continue };
        let Some(elf) = read(object)? else { continue };
        if defines_uv_run(&elf) {
            return Err(built_in(&path, object));
        }
        starts |= may_start(&elf);
    }
    if starts {
        return Ok(Loading::Unseen);
    }
    Err(format!("{name} does not use libuv: it does not load {SONAME}, and can load or start nothing that does"))
}

/// The error of a program whose libuv is a part of it or of a library.
fn built_in(path: &Path, object: &Path) -> String {
    let part = if path == object { "the program itself".to_owned() } else { object.display().to_string() };
    format!(
        "cannot run {} on Phasor's libuv: its libuv is built into {part} and cannot be replaced. A build that is linked with \
         {SONAME} dynamically can run on it: Linux distributions have such builds, Debian for example of nodejs and neovim",
        path.display()
    )
}

/// The executable of a program: its file, or that of the interpreter in a script's `#!` line.
fn executable(path: &Path) -> Result<(PathBuf, ElfFile, File), String> {
    let mut path = path.to_owned();
    for _ in 0..=MOST_INTERPRETERS {
        let failed = |error: std::io::Error| format!("cannot read {}: {error}", path.display());
        let mut file = File::open(&path).map_err(failed)?;
        if let Some(elf) = ElfFile::read(&file).map_err(failed)? {
            return Ok((path, elf, file));
        }
        let mut line = [0; 256];
        let length = file.read(&mut line).map_err(failed)?;
        // A script without the line is run by the shell.
        path = interpreter(&line[..length])?.unwrap_or_else(|| "/bin/sh".into());
    }
    Err(format!("cannot run {}: a script's interpreter is a script, and so on", path.display()))
}

/// Whether a program or library has a libuv of its own.
fn defines_uv_run(elf: &ElfFile) -> bool {
    elf.symbols().any(|symbol| symbol.is_defined && symbol.name() == UV_RUN)
}

/// Whether a program or library imports one of [`STARTERS`].
fn may_start(elf: &ElfFile) -> bool {
    elf.symbols().any(|symbol| !symbol.is_defined && STARTERS.contains(&symbol.name()))
}

/// What an object says of itself; `None` if it is no ELF file.
fn read(path: &Path) -> Result<Option<ElfFile>, String> {
    let elf = File::open(path).and_then(|file| ElfFile::read(&file));
    elf.map_err(|error| format!("cannot read {}: {error}", path.display()))
}

/// The interpreter of a script that begins with these bytes: the program of its `#!` line, and if that is `env`, the one that
/// `env` starts.
fn interpreter(head: &[u8]) -> Result<Option<PathBuf>, String> {
    let Some(line) = head.strip_prefix(b"#!").and_then(|rest| rest.split(|byte| *byte == b'\n').next()) else {
        return Ok(None);
    };
    let mut words =
        line.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty()).map(OsStr::from_bytes);
    let Some(first) = words.next() else { return Ok(None) };
    if Path::new(first).file_name() != Some(OsStr::new("env")) {
        return Ok(Some(first.into()));
    }
    // `env -S node --flag` and `env NAME=value node`.
    let is_program = |word: &&OsStr| !word.as_bytes().starts_with(b"-") && !word.as_bytes().contains(&b'=');
    words.find(is_program).map(find).transpose()
}

/// The shared libraries that a program loads at its start, by their names, as the dynamic linker lists them. `None` for a
/// library that it does not find.
fn objects(linker: &Path, path: &Path, library: &Path) -> Result<Vec<(String, Option<PathBuf>)>, String> {
    if linker.file_name().is_some_and(|name| name.as_bytes().starts_with(b"ld-musl")) {
        return Err(format!(
            "cannot run {} on Phasor's libuv: the program uses the C library musl, and Phasor's libuv the GNU C library",
            path.display()
        ));
    }
    let folder = library.parent().unwrap_or(Path::new("/")).as_os_str();
    // A path without a slash would be searched for.
    let path = std::path::absolute(path).map_err(|error| format!("cannot find {}: {error}", path.display()))?;
    let listed = Command::new(linker)
        .arg("--list")
        .arg(&path)
        .env("LD_LIBRARY_PATH", listed("LD_LIBRARY_PATH", folder)?)
        .env_remove("LD_PRELOAD")
        .output()
        .map_err(|error| format!("cannot run the dynamic linker {}: {error}", linker.display()))?;
    if !listed.status.success() {
        let text = String::from_utf8_lossy(&listed.stderr);
        return Err(format!("the dynamic linker cannot load {}: {}", path.display(), text.trim()));
    }
    Ok(listed.stdout.split(|byte| *byte == b'\n').filter_map(object).collect())
}

/// A line of the dynamic linker's list: `libuv.so.1 => /usr/lib/libuv.so.1 (0x00007f…)`, or `not found` behind the arrow.
fn object(line: &[u8]) -> Option<(String, Option<PathBuf>)> {
    let line = line.trim_ascii();
    let arrow = line.windows(4).position(|window| window == b" => ")?;
    let (name, rest) = (&line[..arrow], &line[arrow + 4..]);
    // A name with a slash is a path that the program was linked with.
    let name = name.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let end = rest.windows(4).rposition(|window| window == b" (0x");
    let path = end.map(|end| PathBuf::from(OsString::from_vec(rest[..end].to_vec())));
    Some((String::from_utf8_lossy(name).into_owned(), path))
}

/// Whether a library belongs to the C library, whose parts import each other's functions.
fn is_of_c_library(soname: &str) -> bool {
    ["libc.", "libdl.", "libpthread.", "libm.", "librt.", "ld-linux"].iter().any(|prefix| soname.starts_with(prefix))
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    match (one.metadata(), other.metadata()) {
        (Ok(one), Ok(other)) => (one.dev(), one.ino()) == (other.dev(), other.ino()),
        _ => false,
    }
}

/// The value of a variable of the dynamic linker with a file or folder added. In `LD_LIBRARY_PATH` it is the first; in
/// `LD_PRELOAD` the last, because a sanitizer's library has to be the first.
fn listed(variable: &str, added: &OsStr) -> Result<OsString, String> {
    let is_preload = variable == "LD_PRELOAD";
    // The dynamic linker has no way to quote these (ld.so(8)).
    let separators: &[u8] = if is_preload { b": \t\n" } else { b":;" };
    if added.as_bytes().iter().any(|byte| separators.contains(byte)) {
        return Err(format!(
            "the dynamic linker cannot load {}, because the path has a character that separates paths in {variable}; set \
             {LIBRARY_VARIABLE} to a copy of the library in another folder",
            added.display()
        ));
    }
    let before = std::env::var_os(variable).filter(|before| !before.is_empty());
    let Some(before) = before else { return Ok(added.to_owned()) };
    let (first, last) = if is_preload { (before.as_os_str(), added) } else { (added, before.as_os_str()) };
    let mut value = first.to_owned();
    value.push(":");
    value.push(last);
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A temporary folder, removed on drop.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let folder = std::env::temp_dir().join(format!("phasor-with-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&folder).unwrap();
            Scratch(folder)
        }

        fn script(&self, name: &str, text: &str) -> PathBuf {
            let path = self.0.join(name);
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
            path
        }

        /// Compiles a C program or library.
        fn compile(&self, name: &str, source: &str, flags: &[&str]) -> PathBuf {
            let (path, file) = (self.0.join(name), self.0.join(format!("{name}.c")));
            std::fs::write(&file, source).unwrap();
            let compiled = Command::new("cc").arg("-o").arg(&path).arg(&file).args(flags).status().unwrap();
            assert!(compiled.success(), "{name}");
            path
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    /// A library with the name and one function of libuv.
    fn stub(scratch: &Scratch, folder: &str) -> PathBuf {
        std::fs::create_dir_all(scratch.0.join(folder)).unwrap();
        let flags = ["-shared", "-fPIC", "-Wl,-soname,libuv.so.1"];
        scratch.compile(&format!("{folder}/libuv.so.1"), "int uv_run(void) { return 3; }", &flags)
    }

    const CALLER: &str = "int uv_run(void); int main(void) { return uv_run(); }";

    #[test]
    fn a_program_that_loads_libuv_gets_ours() {
        let scratch = Scratch::new("loads");
        let (ours, theirs) = (stub(&scratch, "ours"), stub(&scratch, "theirs"));
        let theirs = theirs.to_str().unwrap();
        let program = scratch.compile("plain", CALLER, &[theirs]);
        assert_eq!(loading(&program, &ours), Ok(Loading::BySearch));
        let rpath = format!("-Wl,--disable-new-dtags,-rpath,{}", scratch.0.join("theirs").display());
        let program = scratch.compile("rpath", CALLER, &[theirs, &rpath]);
        assert_eq!(loading(&program, &ours), Ok(Loading::ByPreload));
        let script = scratch.script("script", &format!("#!{}\n", program.display()));
        assert_eq!(loading(&script, &ours), Ok(Loading::ByPreload));
    }

    #[test]
    fn a_program_with_a_libuv_of_its_own_is_refused() {
        let scratch = Scratch::new("own");
        let ours = stub(&scratch, "ours");
        let program =
            scratch.compile("whole", "int uv_run(void) { return 3; } int main(void) { return uv_run(); }", &[]);
        let error = loading(&program, &ours).unwrap_err();
        assert!(error.contains("built into the program itself"), "{error}");
        let flags = ["-shared", "-fPIC", "-Wl,-soname,libnode.so.108"];
        let node = scratch.compile("libnode.so.108", "int uv_run(void) { return 3; }", &flags);
        let rpath = format!("-Wl,-rpath,{}", scratch.0.display());
        let program = scratch.compile("parts", CALLER, &[node.to_str().unwrap(), &rpath]);
        let error = loading(&program, &ours).unwrap_err();
        assert!(error.contains("built into /") && error.contains("libnode.so.108"), "{error}");
        let static_flags = ["-static", "-nostdlib", "-nostartfiles"];
        let program = scratch.compile("static", "void _start(void) { for (;;) {} }", &static_flags);
        let error = loading(&program, &ours).unwrap_err();
        assert!(error.contains("linked statically"), "{error}");
    }

    #[test]
    fn a_program_without_libuv_is_refused_unless_it_can_load_or_start_something() {
        let scratch = Scratch::new("without");
        let ours = stub(&scratch, "ours");
        let program = scratch.compile("sum", "int main(void) { return 1; }", &[]);
        let error = loading(&program, &ours).unwrap_err();
        assert!(error.contains("does not use libuv"), "{error}");
        let source = "#include <dlfcn.h>\nint main(void) { return dlopen(\"x\", RTLD_NOW) != 0; }";
        let program = scratch.compile("loader", source, &["-ldl"]);
        assert_eq!(loading(&program, &ours), Ok(Loading::Unseen));
        assert_eq!(loading(&scratch.script("shell", "echo hello\n"), &ours), Ok(Loading::Unseen));
        assert_eq!(loading(&scratch.script("env", "#!/usr/bin/env -S sh -e\n"), &ours), Ok(Loading::Unseen));
    }

    #[test]
    fn errors_of_the_search_name_the_program() {
        let scratch = Scratch::new("search");
        let error = |name: &OsStr| find(name).unwrap_err();
        assert!(error(OsStr::new("no-such-program")).contains("no-such-program in PATH"));
        assert!(error(scratch.0.as_os_str()).contains("it is a folder"));
        let text = scratch.0.join("text");
        std::fs::write(&text, "").unwrap();
        assert!(error(text.as_os_str()).contains("not executable"));
        assert!(find(OsStr::new("sh")).unwrap().is_absolute());
        let script = scratch.script("lost", "#!/no/such/interpreter\n");
        assert!(executable(&script).unwrap_err().contains("/no/such/interpreter"));
    }

    #[test]
    fn lines_of_the_dynamic_linker_are_understood() {
        // A library and where it was found.
        type Found<'a> = Option<(&'a str, Option<&'a str>)>;
        let cases: [(&str, Found<'_>); 4] = [
            ("\tlibuv.so.1 => /a (b)/libuv.so.1 (0x00007f12)", Some(("libuv.so.1", Some("/a (b)/libuv.so.1")))),
            ("\tlibuv.so.1 => not found", Some(("libuv.so.1", None))),
            ("\t/opt/libuv.so.1 => /opt/libuv.so.1 (0x1)", Some(("libuv.so.1", Some("/opt/libuv.so.1")))),
            ("\tlinux-vdso.so.1 (0x00007ffd)", None),
        ];
        for (line, expected) in cases {
            let expected = expected.map(|(name, path)| (name.to_owned(), path.map(PathBuf::from)));
            assert_eq!(object(line.as_bytes()), expected, "{line}");
        }
    }

    #[test]
    fn the_exit_status_is_passed_on() {
        let status = |text: &str| child::wait(Command::new("sh").args(["-c", text])).unwrap();
        assert_eq!(exit_code(status("exit 7")), ExitCode::from(7));
        assert_eq!(exit_code(status("kill -9 $$")), ExitCode::from(137));
        // The signal goes to the waiting process, which sends it on.
        let text = format!("trap 'exit 5' TERM; kill -TERM {}; while :; do sleep 0.01; done", std::process::id());
        assert_eq!(status(&text).code(), Some(5));
    }

    #[test]
    fn a_path_that_the_dynamic_linker_cannot_take_is_an_error() {
        assert!(listed("LD_PRELOAD", OsStr::new("/a b/libuv.so.1")).unwrap_err().contains("LD_PRELOAD"));
        assert!(listed("LD_LIBRARY_PATH", OsStr::new("/a:b")).unwrap_err().contains("LD_LIBRARY_PATH"));
        assert!(listed("LD_LIBRARY_PATH", OsStr::new("/a b")).is_ok());
    }
}
