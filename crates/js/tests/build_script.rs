//! The checks of `build.rs`: each way to lose the patch of the engine is found, and the advice names the variables of the target.
//!
//! `cargo xtask outside-build` tests the same with cargo; it is slow, and has one target only.

#[expect(dead_code, reason = "main runs in builds only")]
#[path = "../build.rs"]
mod build;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use build::{HEADER, advice, cflags_variables, check, revision};

fn engine() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("engine")
}

/// Checks flags, with a CPATH that has the engine's directory.
fn check_flags(flags: &str) -> Result<(), String> {
    check_with(flags, engine().into_os_string())
}

fn check_with(flags: &str, cpath: OsString) -> Result<(), String> {
    let flags: Vec<String> = flags.split_ascii_whitespace().map(str::to_owned).collect();
    check(&flags, Some(cpath), &engine(), &revision(&engine()))
}

/// The flags that bring the patch in.
fn flags() -> String {
    format!("-include {HEADER} -DPHASOR_ENGINE={}", revision(&engine()))
}

/// A copy of the engine's headers, removed by the next run.
fn copy_of_engine(name: &str) -> PathBuf {
    let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&copy);
    fs::create_dir_all(&copy).expect("the directory for temporary files is writable");
    for header in fs::read_dir(engine()).expect("the engine has headers").flatten() {
        fs::copy(header.path(), copy.join(header.file_name())).expect("a header can be copied");
    }
    copy
}

#[test]
fn flags_with_the_patch_pass_among_others() {
    assert_eq!(check_flags(&flags()), Ok(()));
    assert_eq!(check_flags(&format!("-g -O1 -include other.h {} -march=native", flags())), Ok(()));
    assert_eq!(check_with(&format!("-include {}/{}", engine().display(), &flags()[9..]), OsString::new()), Ok(()));
}

#[test]
fn flags_without_the_patch_are_refused() {
    let refused = |flags: &str, problem: &str| {
        let found = check_flags(flags).expect_err(flags);
        assert!(found.contains(problem), "{flags:?}: {found}");
    };
    refused("", "the flags lack `-include phasor_engine.h`");
    refused("-O1", "the flags lack `-include phasor_engine.h`");
    refused("-include other.h", "the flags lack `-include phasor_engine.h`");
    refused("-include phasor_engine.h", "the flags lack `-DPHASOR_ENGINE=");
    refused("-include phasor_engine.h -DPHASOR_ENGINE=1", "the flags are for revision 1 of the patch");
    refused(&format!("{} -DPHASOR_ENGINE=1", flags()), "the flags are for revision 1 of the patch");
}

#[test]
fn a_directory_without_the_headers_is_refused() {
    for cpath in ["", "/", "relative/engine"] {
        let problem = check_with(&flags(), cpath.into()).expect_err(cpath);
        assert!(problem.contains("no directory of CPATH"), "{cpath:?}: {problem}");
    }
}

#[test]
fn headers_of_another_version_are_refused() {
    let copy = copy_of_engine("same-engine");
    assert_eq!(check_with(&flags(), copy.into_os_string()), Ok(()), "a copy with the same contents");

    // The revision is in another header than the one that differs.
    let copy = copy_of_engine("other-engine");
    let header = copy.join("phasor_errors.h");
    let text = fs::read_to_string(&header).expect("the header is readable");
    fs::write(&header, text + "int another_version;\n").expect("the copy is writable");
    let problem = check_with(&flags(), copy.clone().into_os_string()).expect_err("the header differs");
    assert!(problem.ends_with("phasor_errors.h is the header of another version of phasor-js"), "{problem}");

    fs::remove_file(&header).expect("the copy can be removed");
    check_with(&flags(), copy.into_os_string()).expect_err("the header is missing");
}

#[test]
fn the_variables_are_those_of_the_target() {
    let native = ["CFLAGS", "HOST_CFLAGS", "CFLAGS_x86_64_unknown_linux_gnu", "CFLAGS_x86_64-unknown-linux-gnu"];
    assert_eq!(cflags_variables("x86_64-unknown-linux-gnu", false), native);
    let cross = ["CFLAGS", "TARGET_CFLAGS", "CFLAGS_thumbv8m_main_none_eabi", "CFLAGS_thumbv8m.main-none-eabi"];
    assert_eq!(cflags_variables("thumbv8m.main-none-eabi", true), cross);
}

/// A target that `.cargo/config.toml` has no flags for.
#[test]
fn the_advice_for_an_unknown_target_names_its_variable() {
    let target = "riscv64gc-unknown-linux-gnu";
    let problem = check_flags("").expect_err("no flags");
    let text = advice(&problem, &cflags_variables(target, true), target, &engine(), &revision(&engine()));
    let line = text.lines().find(|line| line.starts_with("CFLAGS_riscv64gc_unknown_linux_gnu = ")).expect(&text);
    assert_eq!(check_flags(line.split('"').nth(1).expect(line)), Ok(()), "{line}");
    assert!(text.contains(&format!("Problem: {problem}.\n")), "{text}");
    assert!(text.contains(&format!("The C compiler for {target} gets:\n")), "{text}");
}
