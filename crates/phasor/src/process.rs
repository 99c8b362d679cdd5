//! Child processes.

use std::ffi::{CString, OsStr, OsString};
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use phasor_core::{Errno, HandleId, Result, Spawn, fs_path};
pub use phasor_core::{ExitStatus, kill};

use crate::face::Happening;
use crate::handle::handle;
use crate::{Loop, Pipe};

handle! {
    /// A child process. The handle is active while the child runs, and closes itself when it has ended.
    ///
    /// Closing it before lets go of the child, which runs on.
    #[doc(alias = "uv_process_t")]
    Process
}

impl Process {
    /// Sends a signal to the child; 0 only asks whether it is there. `ESRCH` if it has ended.
    ///
    /// Unlike [`kill`] this can never hit another process that was given the same number.
    #[doc(alias = "uv_process_kill")]
    pub fn kill(self, l: &mut Loop, signum: i32) -> Result<()> {
        l.core.process_kill(self.0, signum)
    }

    /// The child's number.
    #[doc(alias = "uv_process_get_pid")]
    pub fn pid(self, l: &Loop) -> Result<i32> {
        l.core.process_pid(self.0)
    }
}

/// What one of a child's descriptors is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stdio {
    /// `/dev/null` for 0, 1 and 2; others are not there.
    #[doc(alias = "UV_IGNORE")]
    Null,
    /// The parent's own of the same number.
    #[doc(alias = "UV_INHERIT_FD")]
    Inherit,
    /// A copy of this descriptor of the parent's.
    #[doc(alias = "UV_INHERIT_FD")]
    Fd(RawFd),
    /// A pipe to the parent, which gets the other end as [`Child::pipe`]: the child reads its 0, writes its 1 and 2, and
    /// does both with others.
    #[doc(alias = "UV_CREATE_PIPE")]
    Pipe,
    /// As [`Stdio::Pipe`], and handles can be passed through it.
    #[doc(alias = "UV_CREATE_PIPE")]
    IpcPipe,
    /// A copy of the descriptor of this handle of the loop.
    #[doc(alias = "UV_INHERIT_STREAM")]
    Handle(HandleId),
}

/// A child that was started.
#[derive(Clone, Debug)]
pub struct Child {
    /// Its handle.
    pub process: Process,
    /// By the child's descriptors.
    pipes: Vec<Option<Pipe>>,
}

impl Child {
    /// The parent's end of the child's descriptor of this number, if that is a pipe.
    pub fn pipe(&self, number: usize) -> Option<Pipe> {
        self.pipes.get(number).copied().flatten()
    }

    /// What is written here, the child reads; [shut it down](Pipe::shutdown) or close it to let it read the end.
    pub fn stdin(&self) -> Option<Pipe> {
        self.pipe(0)
    }

    /// What the child writes is read here.
    pub fn stdout(&self) -> Option<Pipe> {
        self.pipe(1)
    }

    /// What the child complains of is read here.
    pub fn stderr(&self) -> Option<Pipe> {
        self.pipe(2)
    }
}

/// What to start, and in which surroundings. By default the child has the parent's environment, folder and standard
/// descriptors.
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
    /// The whole environment, once anything of it was set.
    env: Option<Vec<(OsString, OsString)>>,
    folder: Option<PathBuf>,
    stdio: Vec<Stdio>,
    uid: Option<u32>,
    gid: Option<u32>,
    detached: bool,
}

impl Command {
    /// A program: a path if it has a slash, else a name looked for along `PATH` (the child's, if its environment is set).
    pub fn new(program: impl AsRef<OsStr>) -> Command {
        Command {
            program: program.as_ref().to_owned(),
            args: Vec::new(),
            env: None,
            folder: None,
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

    /// Sets a variable of the child's environment, which has the parent's others.
    pub fn env(&mut self, key: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> &mut Command {
        let key = key.as_ref();
        let env = self.env.get_or_insert_with(|| std::env::vars_os().collect());
        env.retain(|(other, _)| other != key);
        env.push((key.to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Takes a variable out of the child's environment, which has the parent's others.
    pub fn env_remove(&mut self, key: impl AsRef<OsStr>) -> &mut Command {
        let env = self.env.get_or_insert_with(|| std::env::vars_os().collect());
        env.retain(|(other, _)| other != key.as_ref());
        self
    }

    /// Lets the child's environment begin with nothing.
    pub fn env_clear(&mut self) -> &mut Command {
        self.env = Some(Vec::new());
        self
    }

    /// Sets the folder that the child starts in.
    pub fn current_dir(&mut self, folder: impl AsRef<Path>) -> &mut Command {
        self.folder = Some(folder.as_ref().to_owned());
        self
    }

    /// Sets what the child reads from.
    pub fn stdin(&mut self, what: Stdio) -> &mut Command {
        self.stdio(0, what)
    }

    /// Sets what the child writes to.
    pub fn stdout(&mut self, what: Stdio) -> &mut Command {
        self.stdio(1, what)
    }

    /// Sets what the child complains to.
    pub fn stderr(&mut self, what: Stdio) -> &mut Command {
        self.stdio(2, what)
    }

    /// Sets the child's descriptor of this number. Those before it that were not set are not there.
    pub fn stdio(&mut self, number: usize, what: Stdio) -> &mut Command {
        if self.stdio.len() <= number {
            self.stdio.resize(number + 1, Stdio::Null);
        }
        self.stdio[number] = what;
        self
    }

    /// Sets the user to become. Extra groups are dropped whenever this or [`gid`](Command::gid) is set.
    #[doc(alias = "UV_PROCESS_SETUID")]
    pub fn uid(&mut self, uid: u32) -> &mut Command {
        self.uid = Some(uid);
        self
    }

    /// Sets the group to become.
    #[doc(alias = "UV_PROCESS_SETGID")]
    pub fn gid(&mut self, gid: u32) -> &mut Command {
        self.gid = Some(gid);
        self
    }

    /// Lets the child lead a new session, and so survive its parent's terminal.
    #[doc(alias = "UV_PROCESS_DETACHED")]
    pub fn detached(&mut self, detached: bool) -> &mut Command {
        self.detached = detached;
        self
    }

    /// Starts the child. `then` is called when it has ended; its handle is being closed then. Its pipes are not: what
    /// it has written may still be there to read.
    ///
    /// `ENOENT` if there is no such program, `EINVAL` for a NUL in any of the words.
    #[doc(alias = "uv_spawn")]
    pub fn spawn(&self, l: &mut Loop, then: impl FnOnce(&mut Loop, Process, ExitStatus) + 'static) -> Result<Child> {
        let mut child = Child { process: Process(l.core.process_open(Loop::bare())), pipes: Vec::new() };
        if let Err(errno) = self.start(l, &mut child) {
            child.process.close(l);
            child.pipes.iter().flatten().for_each(|pipe| pipe.close(l));
            return Err(errno);
        }
        let mut then = Some(then);
        l.set_hook(
            child.process.0,
            Box::new(move |l, id, happening| {
                if let (&Happening::Exit(status), Some(then)) = (happening, then.take()) {
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
        for (number, &what) in self.stdio.iter().enumerate() {
            let pipe = match what {
                Stdio::Pipe => Some(Pipe::new(l)),
                Stdio::IpcPipe => Some(Pipe::new_ipc(l)),
                _ => None,
            };
            child.pipes.push(pipe);
            stdio.push(told(number, what, pipe)?);
        }
        let spawn = Spawn {
            program,
            args,
            env,
            cwd: self.folder.as_ref().map(fs_path).transpose()?,
            stdio,
            uid: self.uid,
            gid: self.gid,
            detached: self.detached,
        };
        l.core.process_spawn(child.process.0, spawn).map(drop)
    }
}

/// What the core is told of a descriptor.
fn told(number: usize, what: Stdio, pipe: Option<Pipe>) -> Result<phasor_core::Stdio> {
    Ok(match (what, pipe) {
        (_, Some(pipe)) => phasor_core::Stdio::Pipe {
            handle: pipe.0,
            readable: number == 0 || number > 2 || what == Stdio::IpcPipe,
            writable: number != 0 || what == Stdio::IpcPipe,
        },
        (Stdio::Inherit, _) => phasor_core::Stdio::Inherit(RawFd::try_from(number).map_err(|_| Errno::EINVAL)?),
        (Stdio::Fd(fd), _) => phasor_core::Stdio::Inherit(fd),
        (Stdio::Handle(id), _) => phasor_core::Stdio::Stream(id),
        _ => phasor_core::Stdio::Ignore,
    })
}

/// `KEY=value`.
fn variable(key: &OsStr, value: &OsStr) -> Result<CString> {
    CString::new([key.as_bytes(), b"=", value.as_bytes()].concat()).map_err(|_| Errno::EINVAL)
}
