//! `cargo xtask abi`: compares the C front end with real libuv: sizes, offsets, constants and exported symbols.
//!
//! This library's values are parsed from `crates/uv/src/layout`, where the compiler asserts them. libuv's values are printed by a C
//! program that is compiled with its `uv.h`. Any difference is an error.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::crate_rules::{target_folder, workspace_root};
use crate::libuv::{self, Build, Libuv, compiler};
use crate::test::succeed;

/// Types and constants added after libuv 1.44, the oldest header that programs in use were compiled with, and their first version.
const SINCE: &[(&str, u32)] = &[
    ("uv_timespec64_t", 0x012d00),
    ("uv_metrics_t", 0x012d00),
    ("uv_group_t", 0x012d00),
    ("UV_CLOCK_MONOTONIC", 0x012d00),
    ("UV_CLOCK_REALTIME", 0x012d00),
    ("UV_LOOP_USE_IO_URING_SQPOLL", 0x013100),
    ("UV_TCP_REUSEPORT", 0x013100),
    ("UV_UDP_REUSEPORT", 0x013100),
    ("UV_TTY_MODE_RAW_VT", 0x013300),
    ("UV_PIPE_NO_TRUNCATE", 0x012e00),
    ("UV_PROCESS_WINDOWS_FILE_PATH_EXACT_NAME", 0x013000),
    ("UV_THREAD_PRIORITY_HIGHEST", 0x013000),
    ("UV_THREAD_PRIORITY_ABOVE_NORMAL", 0x013000),
    ("UV_THREAD_PRIORITY_NORMAL", 0x013000),
    ("UV_THREAD_PRIORITY_BELOW_NORMAL", 0x013000),
    ("UV_THREAD_PRIORITY_LOWEST", 0x013000),
];

/// The definition of `UV_EXTERN` with which `uv.h` is preprocessed here: it marks each public function.
const MARK: &str = "uv__extern";

/// Handle and request types that are unions and have no typedef in C.
const UNIONS: &[&str] = &["uv_any_handle", "uv_any_req"];

/// C expressions (`sizeof(uv_loop_t)`, `offsetof(uv_loop_t, data)`, `UV_TIMER`) with the type or constant that [`SINCE`] lists, and the
/// value in this library.
type Facts = BTreeMap<String, (String, i64)>;

/// Compares everything. The error lists every difference.
pub(crate) fn run() -> Result<()> {
    let facts = our_facts()?;
    let mut faults = Vec::new();
    let newest = Libuv::find()?.sources.join("include");
    let mut expected = declared(&newest)?;
    for (name, include) in [("libuv1-dev", debian_include()?), ("libuv-sys2", newest)] {
        let theirs = evaluate(&facts, &include)?;
        println!("   {name}: {} of {} sizes, offsets and constants compared", theirs.len(), facts.len());
        for (question, theirs) in &theirs {
            let ours = facts.get(question).map(|(_, ours)| *ours);
            if ours != Some(*theirs) {
                faults.push(format!("{question} is {theirs} in {name}, here {ours:?}"));
            }
        }
    }
    expected.extend(exported(&Path::new("/usr/lib").join(format!("{}-linux-gnu/libuv.so.1", std::env::consts::ARCH)))?);
    let ours = exported(&libuv::ours_as(Build::Debug)?)?;
    println!("   symbols: {} of {}", ours.intersection(&expected).count(), expected.len());
    faults.extend(expected.difference(&ours).map(|name| format!("{name} is missing")));
    faults.extend(ours.difference(&expected).map(|name| format!("{name} is exported, and libuv has no such symbol")));
    if faults.is_empty() {
        return Ok(());
    }
    bail!("the C front end differs from libuv: {} differences:\n  {}", faults.len(), faults.join("\n  "));
}

/// The sizes, offsets and constants of the layout in `crates/uv`.
fn our_facts() -> Result<Facts> {
    let layout = workspace_root().join("crates/uv/src/layout");
    let read = |name: &str| {
        let path = layout.join(name);
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    };
    let mut facts = parse_table(&read("abi_table.rs")?)?;
    facts.extend(constants(&read("constants.rs")?));
    Ok(facts)
}

/// Parses the lines of `abi_table!`: `type size { field [path] offset, … }`.
fn parse_table(text: &str) -> Result<Facts> {
    let mut facts = Facts::new();
    let lines = text.lines().skip_while(|line| *line != "abi_table! {").skip(1).take_while(|line| *line != "}");
    for line in lines {
        let parts = line.trim().strip_suffix('}').and_then(|line| line.split_once('{'));
        let (head, fields) = parts.with_context(|| format!("not a line of the table: {line}"))?;
        let (kind, size) = head.trim().split_once(' ').with_context(|| format!("no size: {line}"))?;
        let c_kind = if UNIONS.contains(&kind) { format!("union {kind}") } else { kind.to_owned() };
        facts.insert(format!("sizeof({c_kind})"), (kind.to_owned(), size.trim().parse()?));
        for field in fields.split(',').map(str::trim).filter(|field| !field.is_empty()) {
            let mut words = field.split(' ');
            let (name, offset) = (words.next().unwrap_or_default(), words.next_back().unwrap_or_default());
            let offset = offset.parse().with_context(|| format!("no offset: {field} of {kind}"))?;
            facts.insert(format!("offsetof({c_kind}, {name})"), (kind.to_owned(), offset));
        }
    }
    if facts.is_empty() {
        bail!("crates/uv/src/layout/abi_table.rs has no lines");
    }
    Ok(facts)
}

/// Parses the constants, one per line. Indented ones belong to a nested module, which libuv does not have.
fn constants(text: &str) -> Facts {
    let one = |line: &str| {
        let (name, rest) = line.strip_prefix("pub const ")?.split_once(':')?;
        let value = rest.split_once('=')?.1.trim().strip_suffix(';')?;
        Some((name.to_owned(), (name.to_owned(), value.replace('_', "").parse().ok()?)))
    };
    text.lines().filter_map(one).collect()
}

/// The values of those expressions that a header defines.
fn evaluate(facts: &Facts, include: &Path) -> Result<BTreeMap<String, i64>> {
    let folder = target_folder()?.join("abi");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let (source, program) = (folder.join("values.c"), folder.join("values"));
    fs::write(&source, questions(facts))?;
    succeed(compiler().arg("-D_GNU_SOURCE").arg("-I").arg(include).arg("-o").arg(&program).arg(&source))?;
    let output = Command::new(&program).output().context("cannot run the program that prints the values")?;
    let output = String::from_utf8(output.stdout).context("its output is not UTF-8")?;
    let one = |line: &str| {
        let (question, answer) = line.rsplit_once(' ')?;
        Some((question.to_owned(), answer.parse().ok()?))
    };
    Ok(output.lines().filter_map(one).collect())
}

/// A C program that prints each expression and its value.
fn questions(facts: &Facts) -> String {
    let mut text = String::from("#include <stddef.h>\n#include <stdio.h>\n#include <uv.h>\nint main(void) {\n");
    for (question, (name, _)) in facts {
        let since = SINCE.iter().find(|(newer, _)| newer == name).map_or(0, |(_, since)| *since);
        let _ = writeln!(text, "#if UV_VERSION_HEX >= {since:#x}");
        let _ = writeln!(text, "  printf(\"%s %lld\\n\", \"{question}\", (long long) {question});\n#endif");
    }
    text + "  return 0;\n}\n"
}

/// The public functions that a header declares.
fn declared(include: &Path) -> Result<BTreeSet<String>> {
    let mut cc = compiler();
    cc.args(["-E", "-P", "-D_GNU_SOURCE"]).arg(format!("-DUV_EXTERN={MARK}")).arg("-I").arg(include);
    let seen = cc.arg(include.join("uv.h")).output().with_context(|| format!("cannot start {cc:?}"))?;
    if !seen.status.success() {
        bail!("cannot read uv.h of {}: {}", include.display(), String::from_utf8_lossy(&seen.stderr).trim());
    }
    Ok(functions(&String::from_utf8_lossy(&seen.stdout)))
}

/// The names of the marked functions in a preprocessed header.
fn functions(text: &str) -> BTreeSet<String> {
    let one = |declaration: &str| {
        let before = declaration.split_once('(')?.0;
        let name = before.rsplit(|letter: char| !letter.is_alphanumeric() && letter != '_').next()?;
        name.starts_with("uv_").then(|| name.to_owned())
    };
    text.split(MARK).skip(1).filter_map(one).collect()
}

/// The symbols that a library exports.
fn exported(library: &Path) -> Result<BTreeSet<String>> {
    let seen = Command::new("nm").args(["-D", "--defined-only"]).arg(library).output();
    let seen = seen.context("cannot start nm (Debian: binutils)")?;
    if !seen.status.success() {
        bail!("cannot read the symbols of {}: {}", library.display(), String::from_utf8_lossy(&seen.stderr).trim());
    }
    let text = String::from_utf8_lossy(&seen.stdout).into_owned();
    Ok(text.lines().filter_map(|line| line.rsplit(' ').next()).map(str::to_owned).collect())
}

/// The folder of Debian's `uv.h`. Installs the package if it is missing and this process may do so.
fn debian_include() -> Result<PathBuf> {
    let folder = PathBuf::from("/usr/include");
    if !folder.join("uv.h").exists() {
        println!("   installing libuv1-dev");
        for args in
            [&["update", "--quiet=2"][..], &["install", "--yes", "--quiet=2", "--no-install-recommends", "libuv1-dev"]]
        {
            let mut apt = Command::new("apt-get");
            succeed(apt.args(args).env("DEBIAN_FRONTEND", "noninteractive"))
                .context("/usr/include/uv.h is missing: install the package libuv1-dev (this needs root)")?;
        }
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_parsed() {
        let facts =
            parse_table("macro\nabi_table! {\n    uv_x_t 24 { data [handle.data] 0, cb 16 }\n    uv_any_req 8 {}\n}\n")
                .unwrap();
        let output: Vec<_> = facts.iter().map(|(question, (_, value))| (question.as_str(), *value)).collect();
        let expected = [
            ("offsetof(uv_x_t, cb)", 16),
            ("offsetof(uv_x_t, data)", 0),
            ("sizeof(union uv_any_req)", 8),
            ("sizeof(uv_x_t)", 24),
        ];
        assert_eq!(output, expected);
        assert!(parse_table("abi_table! {\n    uv_x_t { data 0 }\n}\n").is_err());
        assert!(parse_table("nothing").is_err());
    }

    #[test]
    fn our_layout_is_parsed() {
        let facts = our_facts().unwrap();
        assert_eq!(facts["sizeof(uv_loop_t)"].1, 848);
        assert_eq!(facts["offsetof(uv_timer_t, timeout)"].1, 128);
        assert_eq!((facts["UV_TIMER"].1, facts["UV_FS_UNKNOWN"].1), (13, -1));
    }

    #[test]
    fn constants_and_public_functions_are_parsed() {
        let facts = constants("pub type a = u32;\npub const UV_A: a = -1;\n    pub const INNER: u32 = 2;\n");
        assert_eq!(facts.into_iter().collect::<Vec<_>>(), [("UV_A".to_owned(), ("UV_A".to_owned(), -1))]);
        let text = "int hidden(void);\nuv__extern const char* uv_name(int (*f)(void));\n\
                    uv__extern uv_buf_t uv_buf_init(char* base, unsigned int len);";
        assert_eq!(functions(text).into_iter().collect::<Vec<_>>(), ["uv_buf_init", "uv_name"]);
    }
}
