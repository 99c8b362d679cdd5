//! `cargo xtask install --prefix DIR`: installs our libuv.so.1 where the loader, the linker and pkg-config find it.
//!
//! With `--program` it installs `phasor` instead, and for its command `with` the library in a folder of its own, where only `phasor`
//! looks for it: other programs keep the libuv that they have.
//!
//! An existing file is replaced by renaming, so a program that has mapped the old library keeps it. No header is generated: programs
//! are compiled with the headers of libuv1-dev, which are copied if they are installed.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Parser;

use crate::crate_rules::target_folder;
use crate::libuv;
use crate::test::{cargo, succeed};

/// The libuv version that ours implements. pkg-config reports it unless headers of another version are copied.
const VERSION: &str = "1.53.0";

/// The file name, as in libuv's own build. Two symbolic links point to it.
const FILE: &str = "libuv.so.1.0.0";

/// The folder of the headers of libuv1-dev.
const HEADERS: &str = "/usr/include";

/// The arguments of this command.
#[derive(Parser)]
pub(crate) struct Args {
    /// The folder that gets lib/, lib/pkgconfig/ and include/
    #[arg(long, value_name = "DIR")]
    prefix: PathBuf,
    /// Install the program phasor, with the library for its commands, instead of the library for all programs
    #[arg(long)]
    pub(crate) program: bool,
}

/// Builds the library in release mode and installs it under the prefix.
pub(crate) fn run(args: &Args) -> Result<()> {
    let prefix = std::path::absolute(&args.prefix).context("a prefix is needed, such as --prefix /usr/local")?;
    let library = libuv::ours()?;
    if args.program {
        for line in install_program(&program()?, &library, &prefix)? {
            println!("{line}");
        }
        return Ok(());
    }
    for line in install(&library, Path::new(HEADERS), &prefix)? {
        println!("{line}");
    }
    println!("\nA program runs on it with\n  LD_LIBRARY_PATH={} PROGRAM", prefix.join("lib").display());
    Ok(())
}

/// Builds phasor in release mode and returns its path.
fn program() -> Result<PathBuf> {
    println!("   building phasor");
    succeed(cargo().args(["build", "--quiet", "--release", "--package", "phasor-cli"]))?;
    Ok(target_folder()?.join("release/phasor"))
}

/// Installs the program and its library. Returns a line for each file.
fn install_program(program: &Path, library: &Path, prefix: &Path) -> Result<Vec<String>> {
    let mut done = Vec::new();
    for (file, to) in [(program, "bin/phasor"), (library, "lib/phasor/libuv.so.1")] {
        let to = prefix.join(to);
        make_folder(to.parent().unwrap_or(prefix))?;
        let text = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
        done.push(write_file(&to, &text, 0o755)?);
    }
    Ok(done)
}

/// Installs everything. Returns a line for each file that was installed or skipped.
fn install(library: &Path, headers: &Path, prefix: &Path) -> Result<Vec<String>> {
    let lib = prefix.join("lib");
    let pkgconfig = lib.join("pkgconfig");
    make_folder(&pkgconfig)?;
    let mut done = Vec::new();
    let text = fs::read(library).with_context(|| format!("cannot read {}", library.display()))?;
    done.push(write_file(&lib.join(FILE), &text, 0o755)?);
    for (link, to) in [("libuv.so.1", FILE), ("libuv.so", "libuv.so.1")] {
        done.push(write_link(&lib.join(link), to)?);
    }
    let version = version_of(headers).unwrap_or_else(|| VERSION.to_owned());
    done.push(write_file(&pkgconfig.join("libuv.pc"), pkg_config(prefix, &version)?.as_bytes(), 0o644)?);
    done.extend(copy_headers(headers, &prefix.join("include"))?);
    Ok(done)
}

/// Copies `uv.h` and the folder `uv` beside it, if they exist.
fn copy_headers(from: &Path, to: &Path) -> Result<Vec<String>> {
    let (first, rest) = (from.join("uv.h"), from.join("uv"));
    if !first.exists() || !rest.is_dir() {
        let word = "no headers: they are copied from libuv1-dev, which is not installed (apt install libuv1-dev)";
        return Ok(vec![format!("{word}; programs that are compiled already need none")]);
    }
    let mut files = vec![(first, to.join("uv.h"))];
    for entry in fs::read_dir(&rest).with_context(|| format!("cannot list {}", rest.display()))? {
        let entry = entry?;
        if entry.path().extension().is_some_and(|ending| ending == "h") {
            files.push((entry.path(), to.join("uv").join(entry.file_name())));
        }
    }
    // With the prefix /usr they would be copied onto themselves.
    if from == to {
        return Ok(vec![format!("headers are in {}", to.display())]);
    }
    make_folder(&to.join("uv"))?;
    for (from, to) in &files {
        let text = fs::read(from).with_context(|| format!("cannot read {}", from.display()))?;
        write_file(to, &text, 0o644)?;
    }
    Ok(vec![format!("{} headers in {}", files.len(), to.display())])
}

/// The version in the headers of a folder. It takes precedence, because programs are compiled with these headers.
fn version_of(headers: &Path) -> Option<String> {
    let text = fs::read_to_string(headers.join("uv/version.h")).ok()?;
    let number = |name: &str| {
        let mut args = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        args.find_map(|args| (args.get(1) == Some(&name)).then(|| args.get(2)?.parse::<u32>().ok()).flatten())
    };
    let (major, minor) = (number("UV_VERSION_MAJOR")?, number("UV_VERSION_MINOR")?);
    Some(format!("{major}.{minor}.{}", number("UV_VERSION_PATCH")?))
}

/// The text of `libuv.pc`.
fn pkg_config(prefix: &Path, version: &str) -> Result<String> {
    let prefix_text = prefix.to_str().context("the prefix is not UTF-8, which pkg-config needs")?;
    if prefix_text.contains(|byte: char| byte.is_whitespace() || "\"'$#\\".contains(byte)) {
        bail!("the prefix {prefix_text:?} has a character with a meaning in pkg-config files");
    }
    Ok(format!(
        "prefix={prefix_text}\nlibdir=${{prefix}}/lib\nincludedir=${{prefix}}/include\n\nName: libuv\nVersion: {version}\n\
         Description: libuv's interface on Phasor's loop\nLibs: -L${{libdir}} -luv\nCflags: -I${{includedir}}\n"
    ))
}

fn make_folder(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))
}

/// Writes a file under a temporary name, then renames it.
fn write_file(file: &Path, text: &[u8], mode: u32) -> Result<String> {
    let failure = || format!("cannot write {}", file.display());
    let unfinished = file.with_added_extension(format!("{}.part", std::process::id()));
    let made = fs::write(&unfinished, text)
        .and_then(|()| fs::set_permissions(&unfinished, fs::Permissions::from_mode(mode)))
        .and_then(|()| fs::rename(&unfinished, file));
    if made.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    made.with_context(failure)?;
    Ok(file.display().to_string())
}

/// Creates a symbolic link, replacing an existing file.
fn write_link(link: &Path, to: &str) -> Result<String> {
    let unfinished = link.with_added_extension(format!("{}.part", std::process::id()));
    let made = symlink(to, &unfinished).and_then(|()| fs::rename(&unfinished, link));
    if made.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    made.with_context(|| format!("cannot link {}", link.display()))?;
    Ok(format!("{} -> {to}", link.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A temporary folder, removed on drop.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let folder = std::env::temp_dir().join(format!("phasor-install-{name}-{}", std::process::id()));
            fs::create_dir_all(folder.join("from/uv")).unwrap();
            fs::write(folder.join("from/libuv.so"), "library").unwrap();
            Scratch(folder)
        }

        fn install(&self) -> Result<Vec<String>> {
            install(&self.0.join("from/libuv.so"), &self.0.join("from"), &self.0.join("to"))
        }

        fn files(&self) -> Vec<String> {
            let mut found = Vec::new();
            let mut folders = vec![self.0.join("to")];
            while let Some(folder) = folders.pop() {
                for entry in fs::read_dir(folder).unwrap() {
                    let path = entry.unwrap().path();
                    match path.is_dir() {
                        true => folders.push(path),
                        false => found.push(path.strip_prefix(self.0.join("to")).unwrap().display().to_string()),
                    }
                }
            }
            found.sort();
            found
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn installing_twice_gives_the_same_files() {
        let scratch = Scratch::new("twice");
        let done = scratch.install().unwrap();
        assert!(done.last().unwrap().contains("libuv1-dev"), "{done:?}");
        let once = scratch.files();
        assert_eq!(once, ["lib/libuv.so", "lib/libuv.so.1", "lib/libuv.so.1.0.0", "lib/pkgconfig/libuv.pc"]);
        fs::write(scratch.0.join("from/libuv.so"), "newer").unwrap();
        scratch.install().unwrap();
        assert_eq!(scratch.files(), once);
        assert_eq!(fs::read(scratch.0.join("to/lib/libuv.so")).unwrap(), b"newer");
    }

    #[test]
    fn the_program_gets_its_library_in_a_folder_of_its_own() {
        let scratch = Scratch::new("program");
        let (library, program) = (scratch.0.join("from/libuv.so"), scratch.0.join("from/phasor"));
        fs::write(&program, "program").unwrap();
        install_program(&program, &library, &scratch.0.join("to")).unwrap();
        assert_eq!(scratch.files(), ["bin/phasor", "lib/phasor/libuv.so.1"]);
        let mode = fs::metadata(scratch.0.join("to/bin/phasor")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o755);
    }

    #[test]
    fn headers_are_copied_if_they_exist() {
        let scratch = Scratch::new("headers");
        fs::write(scratch.0.join("from/uv.h"), "").unwrap();
        fs::write(scratch.0.join("from/uv/unix.h"), "").unwrap();
        let done = scratch.install().unwrap();
        assert!(done.last().unwrap().starts_with("2 headers"), "{done:?}");
        assert!(scratch.files().contains(&"include/uv/unix.h".to_owned()));
        let text = "#define UV_VERSION_MAJOR 1\n#define UV_VERSION_MINOR 44\n#define UV_VERSION_PATCH 2\n";
        fs::write(scratch.0.join("from/uv/version.h"), text).unwrap();
        scratch.install().unwrap();
        let text = fs::read_to_string(scratch.0.join("to/lib/pkgconfig/libuv.pc")).unwrap();
        assert!(text.contains("Version: 1.44.2\n"), "{text}");
    }

    #[test]
    fn an_invalid_prefix_is_an_error_that_names_it() {
        let scratch = Scratch::new("bad");
        let library = scratch.0.join("from/libuv.so");
        let error = install(&library, &scratch.0, &library).unwrap_err();
        assert!(error.to_string().contains("libuv.so/lib"), "{error}");
        assert!(pkg_config(Path::new("/with space"), VERSION).unwrap_err().to_string().contains("with space"));
        assert!(pkg_config(Path::new("/usr"), VERSION).unwrap().contains("prefix=/usr\n"));
    }
}
