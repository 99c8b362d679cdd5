//! Child processes: [`Command`] starts them, [`Process`] is their handle.

use std::ffi::{CString, OsStr, OsString};
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use phasor_core::{Errno, HandleId, Result, Spawn, fs_path};
pub use phasor_core::{ExitStatus, kill};

use crate::face::HandleEvent;
use crate::handle::handle;
use crate::{Loop, Pipe};

handle! {
    /// A child process. The handle is active while the child runs, and closes itself when the child has ended.
    ///
    /// Closing it earlier does not end the child.
    #[doc(alias = "uv_process_t")]
    Process
}

impl Process {
    /// Sends a signal to the child; 0 only checks that it exists. `ESRCH` if it has ended.
    ///
    /// Unlike [`kill`] it cannot reach another process that reuses the id.
    #[doc(alias = "uv_process_kill")]
    pub fn kill(self, l: &mut Loop, signum: i32) -> Result<()> {
        l.core.process_kill(self.0, signum)
    }

    /// The child's process id.
    #[doc(alias = "uv_process_get_pid")]
    pub fn pid(self, l: &Loop) -> Result<i32> {
        l.core.process_pid(self.0)
    }
}

/// The file behind one of a child's descriptors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stdio {
    /// `/dev/null` for descriptors 0, 1 and 2; other descriptors are closed.
    #[doc(alias = "UV_IGNORE")]
    Null,
    /// The parent's descriptor with the same number.
    #[doc(alias = "UV_INHERIT_FD")]
    Inherit,
    /// A copy of this descriptor of the parent.
    #[doc(alias = "UV_INHERIT_FD")]
    Fd(RawFd),
    /// A pipe to the parent, which has the other end as [`Child::pipe`]. The child reads from 0, writes to 1 and 2, and
    /// does both with other numbers.
    #[doc(alias = "UV_CREATE_PIPE")]
    Pipe,
    /// A [`Stdio::Pipe`] that can also pass handles.
    #[doc(alias = "UV_CREATE_PIPE")]
    IpcPipe,
    /// A copy of the descriptor of this handle.
    #[doc(alias = "UV_INHERIT_STREAM")]
    Handle(HandleId),
}

/// A started child process.
#[derive(Clone, Debug)]
pub struct Child {
    /// The handle of the process.
    pub process: Process,
    /// The parent's ends of the pipes, by the child's descriptor number.
    pipes: Vec<Option<Pipe>>,
}

impl Child {
    /// The parent's end of the pipe at this descriptor of the child; `None` if it is not a pipe.
    pub fn pipe(&self, number: usize) -> Option<Pipe> {
        self.pipes.get(number).copied().flatten()
    }

    /// The pipe to the child's standard input. [Shut it down](Pipe::shutdown) or close it to signal end of file.
    pub fn stdin(&self) -> Option<Pipe> {
        self.pipe(0)
    }

    /// The pipe from the child's standard output.
    pub fn stdout(&self) -> Option<Pipe> {
        self.pipe(1)
    }

    /// The pipe from the child's standard error.
    pub fn stderr(&self) -> Option<Pipe> {
        self.pipe(2)
    }
}

/// The program to start, and its environment. By default the child inherits the parent's environment variables, working
/// directory and standard descriptors.
///
/// ```
/// use phasor::process::{Command, Stdio};
/// use phasor::{Loop, Read, RunMode};
///
/// let mut l = Loop::new()?;
/// Command::new("sh").args(["-c", "exit 3"]).spawn(&mut l, |_, _, status| assert_eq!(status.code, 3))?;
///
/// let child = Command::new("echo").arg("hello").stdout(Stdio::Pipe).spawn(&mut l, |_, _, status| {
///     assert!(status.success());
/// })?;
/// child.stdout().expect("was asked for").read_start(&mut l, |l, pipe, read| match read {
///     Ok(Read::Data(bytes)) => assert_eq!(bytes, b"hello\n"),
///     _ => pipe.close(l),
/// })?;
/// l.run(RunMode::Default)?;
/// # Ok::<(), phasor::Errno>(())
/// ```
#[doc(alias = "uv_process_options_t")]
#[derive(Clone, Debug)]
pub struct Command {
    program: OsString,
    args: Vec<OsString>,
    /// The complete environment; `None` until one of its methods is called, which means the parent's.
    env: Option<Vec<(OsString, OsString)>>,
    cwd: Option<PathBuf>,
    stdio: Vec<Stdio>,
    uid: Option<u32>,
    gid: Option<u32>,
    detached: bool,
}

impl Command {
    /// Starts `program`: a path if it contains a slash, else a name to search for in `PATH` (the child's, if its
    /// environment is set).
    pub fn new(program: impl AsRef<OsStr>) -> Command {
        Command {
            program: program.as_ref().to_owned(),
            args: Vec::new(),
            env: None,
            cwd: None,
            stdio: vec![Stdio::Inherit; 3],
            uid: None,
            gid: None,
            detached: false,
        }
    }

    /// Adds an argument.
    pub fn arg(&mut self, arg: impl AsRef<OsStr>) -> &mut Command {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    /// Adds arguments.
    pub fn args<S: AsRef<OsStr>>(&mut self, args: impl IntoIterator<Item = S>) -> &mut Command {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    /// Sets an environment variable for the child, in addition to the inherited ones.
    pub fn env(&mut self, key: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> &mut Command {
        let key = key.as_ref();
        let env = self.env.get_or_insert_with(|| std::env::vars_os().collect());
        env.retain(|(other, _)| other != key);
        env.push((key.to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Removes an inherited environment variable for the child.
    pub fn env_remove(&mut self, key: impl AsRef<OsStr>) -> &mut Command {
        let env = self.env.get_or_insert_with(|| std::env::vars_os().collect());
        env.retain(|(other, _)| other != key.as_ref());
        self
    }

    /// Removes all inherited environment variables.
    pub fn env_clear(&mut self) -> &mut Command {
        self.env = Some(Vec::new());
        self
    }

    /// Sets the child's working directory.
    pub fn current_dir(&mut self, cwd: impl AsRef<Path>) -> &mut Command {
        self.cwd = Some(cwd.as_ref().to_owned());
        self
    }

    /// Sets the child's standard input.
    pub fn stdin(&mut self, stdio: Stdio) -> &mut Command {
        self.stdio(0, stdio)
    }

    /// Sets the child's standard output.
    pub fn stdout(&mut self, stdio: Stdio) -> &mut Command {
        self.stdio(1, stdio)
    }

    /// Sets the child's standard error.
    pub fn stderr(&mut self, stdio: Stdio) -> &mut Command {
        self.stdio(2, stdio)
    }

    /// Sets descriptor `number` of the child. Lower descriptors that were not set are closed.
    pub fn stdio(&mut self, number: usize, stdio: Stdio) -> &mut Command {
        if self.stdio.len() <= number {
            self.stdio.resize(number + 1, Stdio::Null);
        }
        self.stdio[number] = stdio;
        self
    }

    /// Sets the user id of the child. Supplementary groups are dropped if this or [`gid`](Command::gid) is set.
    #[doc(alias = "UV_PROCESS_SETUID")]
    pub fn uid(&mut self, uid: u32) -> &mut Command {
        self.uid = Some(uid);
        self
    }

    /// Sets the group id of the child.
    #[doc(alias = "UV_PROCESS_SETGID")]
    pub fn gid(&mut self, gid: u32) -> &mut Command {
        self.gid = Some(gid);
        self
    }

    /// Makes the child lead a new session (`setsid(2)`), so that it survives the end of its parent's terminal.
    #[doc(alias = "UV_PROCESS_DETACHED")]
    pub fn detached(&mut self, detached: bool) -> &mut Command {
        self.detached = detached;
        self
    }

    /// Starts the child. `then` is called when it has ended; the handle is then closing. Its pipes stay open, since
    /// they may still have output to read.
    ///
    /// `ENOENT` if the program does not exist, `EINVAL` for a NUL in the program, an argument or the environment.
    #[doc(alias = "uv_spawn")]
    pub fn spawn(&self, l: &mut Loop, then: impl FnOnce(&mut Loop, Process, ExitStatus) + 'static) -> Result<Child> {
        let mut child = Child { process: Process(l.core.process_open(Loop::no_hooks())), pipes: Vec::new() };
        if let Err(errno) = self.start(l, &mut child) {
            child.process.close(l);
            child.pipes.iter().flatten().for_each(|pipe| pipe.close(l));
            return Err(errno);
        }
        let mut then = Some(then);
        l.set_hook(
            child.process.0,
            Box::new(move |l, id, event| {
                if let (&HandleEvent::Exit(status), Some(then)) = (event, then.take()) {
                    l.close(id);
                    then(l, Process(id), status);
                }
            }),
        );
        Ok(child)
    }

    fn start(&self, l: &mut Loop, child: &mut Child) -> Result<()> {
        let program = fs_path(&self.program)?;
        let mut args = vec![program.clone()];
        for arg in &self.args {
            args.push(fs_path(arg)?);
        }
        let env = match &self.env {
            None => None,
            Some(env) => Some(env.iter().map(|(key, value)| variable(key, value)).collect::<Result<_>>()?),
        };
        let mut stdio = Vec::new();
        for (number, &setting) in self.stdio.iter().enumerate() {
            let pipe = match setting {
                Stdio::Pipe => Some(Pipe::new(l)),
                Stdio::IpcPipe => Some(Pipe::new_ipc(l)),
                _ => None,
            };
            child.pipes.push(pipe);
            stdio.push(core_stdio(number, setting, pipe)?);
        }
        let spawn = Spawn {
            program,
            args,
            env,
            cwd: self.cwd.as_ref().map(fs_path).transpose()?,
            stdio,
            uid: self.uid,
            gid: self.gid,
            detached: self.detached,
            fork_handlers: false,
        };
        l.core.process_spawn(child.process.0, spawn).map(drop)
    }
}

/// Converts a descriptor's setting to the core's type.
fn core_stdio(number: usize, setting: Stdio, pipe: Option<Pipe>) -> Result<phasor_core::Stdio> {
    Ok(match (setting, pipe) {
        (_, Some(pipe)) => phasor_core::Stdio::Pipe {
            handle: pipe.0,
            readable: number == 0 || number > 2 || setting == Stdio::IpcPipe,
            writable: number != 0 || setting == Stdio::IpcPipe,
        },
        (Stdio::Inherit, _) => phasor_core::Stdio::Inherit(RawFd::try_from(number).map_err(|_| Errno::EINVAL)?),
        (Stdio::Fd(fd), _) => phasor_core::Stdio::Inherit(fd),
        (Stdio::Handle(id), _) => phasor_core::Stdio::Stream(id),
        _ => phasor_core::Stdio::Ignore,
    })
}

/// An environment entry `KEY=value`.
fn variable(key: &OsStr, value: &OsStr) -> Result<CString> {
    CString::new([key.as_bytes(), b"=", value.as_bytes()].concat()).map_err(|_| Errno::EINVAL)
}
