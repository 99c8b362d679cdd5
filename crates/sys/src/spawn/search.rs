//! Searches the program to run with the rules of `execvp(3)`, in the parent, before there is a child.

use std::ffi::{CStr, CString, c_char};
use std::os::unix::ffi::OsStringExt;

use crate::{Errno, Result};

/// The search path without `PATH`: `_PATH_DEFPATH` of the C library.
const DEFAULT_PATH: &[u8] = b"/usr/bin:/bin";

/// The longest file name in bytes (`NAME_MAX`).
const NAME_MAX: usize = 255;

/// The interpreter for a file that is executable but has an unknown format (`ENOEXEC`).
const SHELL: &CStr = c"/bin/sh";

/// The paths to try, in order; at least one.
///
/// `ENAMETOOLONG` for a name that is longer than [`NAME_MAX`]. Entries of `PATH` that are too long are skipped. As
/// `src/unix/process.c: uv__spawn_resolve_and_spawn`: an empty name yields the directories themselves, which cannot be
/// executed, and an empty `PATH` means the working directory.
pub(super) fn candidates(program: &CStr, env: Option<&[CString]>) -> Result<Vec<CString>> {
    let name = program.to_bytes();
    if name.contains(&b'/') {
        return Ok(vec![program.to_owned()]);
    }
    if name.len() > NAME_MAX {
        return Err(Errno::ENAMETOOLONG);
    }
    let inherited;
    let path = match env {
        Some(env) => env.iter().find_map(|entry| entry.to_bytes().strip_prefix(b"PATH=")),
        None => {
            inherited = std::env::var_os("PATH").map(OsStringExt::into_vec);
            inherited.as_deref()
        }
    };
    let path = path.unwrap_or(DEFAULT_PATH);
    let found = path.split(|&byte| byte == b':').filter(|entry| entry.len() < libc::PATH_MAX as usize).map(|entry| {
        let mut candidate = Vec::with_capacity(entry.len() + name.len() + 2);
        candidate.extend_from_slice(entry);
        // An empty entry means the working directory.
        if !entry.is_empty() {
            candidate.push(b'/');
        }
        candidate.extend_from_slice(name);
        candidate
    });
    let found: Vec<CString> = found.filter_map(|candidate| CString::new(candidate).ok()).collect();
    if found.is_empty() { Err(Errno::ENOENT) } else { Ok(found) }
}

/// The child's `argv`: null-terminated arrays of pointers for `execve(2)`.
pub(super) struct Argv {
    direct: Vec<*const c_char>,
    /// The `argv` for running a script with the shell: the shell's name, a slot for the script's path, and the
    /// arguments after `argv[0]`.
    shell: Vec<*const c_char>,
}

impl Argv {
    /// The pointers are valid as long as `args`.
    pub(super) fn new(args: &[CString]) -> Argv {
        let end = [std::ptr::null()];
        let direct = args.iter().map(|arg| arg.as_ptr()).chain(end).collect();
        let rest = args.iter().skip(1).map(|arg| arg.as_ptr()).chain(end);
        let shell = [SHELL.as_ptr(), std::ptr::null()].into_iter().chain(rest).collect();
        Argv { direct, shell }
    }

    /// The `argv` for running the program itself.
    pub(super) fn direct(&self) -> *const *const c_char {
        self.direct.as_ptr()
    }
}

/// Calls `start` with each candidate until the error says more than that the file is missing or denied. Returns the
/// error number, or 0 for success.
///
/// `EACCES` is remembered and takes precedence over "not found" at the end, as in `execvp(3)`. Also runs in the forked
/// child, so it neither allocates nor panics.
pub(super) fn first_that_starts(
    candidates: &[CString],
    argv: &mut Argv,
    mut start: impl FnMut(&CStr, *const *const c_char) -> i32,
) -> i32 {
    let mut missing = libc::ENOENT;
    let mut denied = false;
    for path in candidates {
        let mut error = start(path, argv.direct.as_ptr());
        if error == libc::ENOEXEC {
            if let Some(script) = argv.shell.get_mut(1) {
                *script = path.as_ptr();
            }
            error = start(SHELL, argv.shell.as_ptr());
        }
        match error {
            libc::EACCES => denied = true,
            libc::ENOENT | libc::ENOTDIR => missing = error,
            other => return other,
        }
    }
    if denied { libc::EACCES } else { missing }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(program: &CStr, path: &CStr) -> Vec<String> {
        let found = candidates(program, Some(&[c"HOME=/".into(), path.into()])).unwrap();
        found.into_iter().map(|path| path.into_string().unwrap()).collect()
    }

    #[test]
    fn path_is_split_as_execvp_does() {
        assert_eq!(paths(c"x", c"PATH=/a:b"), ["/a/x", "b/x"]);
        assert_eq!(paths(c"x", c"PATH=/a::/b:"), ["/a/x", "x", "/b/x", "x"]);
        assert_eq!(paths(c"./x", c"PATH=/a"), ["./x"]);
        assert_eq!(paths(c"x", c"PATH="), ["x"]);
        assert_eq!(paths(c"x", c"NOPATH=/a"), ["/usr/bin/x", "/bin/x"]);
        assert_eq!(paths(c"", c"PATH=/a::b"), ["/a/", "", "b/"]);
    }

    #[test]
    fn too_long_names_and_entries_are_refused() {
        let long = CString::new(vec![b'x'; 256]).unwrap();
        assert_eq!(candidates(&long, None), Err(Errno::ENAMETOOLONG));
        let too_long = CString::new([b"PATH=".to_vec(), vec![b'x'; 5000]].concat()).unwrap();
        assert_eq!(candidates(c"x", Some(&[too_long])), Err(Errno::ENOENT));
    }

    #[test]
    fn eacces_takes_precedence_and_other_errors_stop_the_search() {
        let run = |errors: &'static [i32]| {
            let candidates = vec![CString::from(c"x"); errors.len()];
            let mut errors = errors.iter();
            first_that_starts(&candidates, &mut Argv::new(&[]), |_, _| *errors.next().unwrap())
        };
        assert_eq!(run(&[libc::ENOENT, libc::ENOENT]), libc::ENOENT);
        assert_eq!(run(&[libc::ENOENT, libc::EACCES, libc::ENOENT]), libc::EACCES);
        assert_eq!(run(&[libc::EACCES, 0]), 0);
        assert_eq!(run(&[libc::E2BIG, 0]), libc::E2BIG);
    }
}
