//! `spawnSync`: runs a child to its end on a loop of its own, which never calls JavaScript.

use phasor_core::{Errno, Event, ExitStatus, Face, HandleId, Loop, Outcome, RunMode, Stdio};
use phasor_engine::{Array, ArrayBuffer, Fallible, Local, Object, Scope};
use phasor_js::bytes::Text;
use phasor_js::{shown_text, state};

use super::{StdioEntry, spawn_options};
use crate::net::with_slab;

/// The [`Face`] of the loop of `spawnSync`: handles and requests have no user data.
struct NoUserData;

impl Face for NoUserData {
    type Handle = ();
    type Request = ();
    type Bytes = Vec<u8>;
}

/// The parent's end of a pipe to the child.
struct Pipe {
    handle: HandleId,
    /// The bytes that the child reads; `None` if the child writes.
    input: Option<Vec<u8>>,
    /// The bytes that the child wrote.
    output: Vec<u8>,
}

/// A running child and its results so far.
struct Run {
    core: Loop<NoUserData>,
    child: HandleId,
    /// Index n is the pipe of the child's descriptor n.
    pipes: Vec<Option<Pipe>>,
    /// The `timeout` option; not started without one.
    timer: HandleId,
    /// Sent on timeout and when `max_buffer` is exceeded.
    kill_signal: i32,
    /// `maxBuffer` in bytes; 0 means no limit.
    max_buffer: f64,
    /// The bytes of all outputs so far, compared with `max_buffer`.
    buffered_bytes: usize,
    /// True once the run has failed; later errors do not kill again.
    is_killed: bool,
    /// The first error of the run. It takes precedence over `pipe_error`.
    error: Option<Errno>,
    /// The first error of a pipe.
    pipe_error: Option<Errno>,
    /// `None` while the child runs.
    status: Option<ExitStatus>,
}

/// Runs a child to its end. Returns the result object of `src/spawn_sync.cc: SyncProcessRunner::BuildResultObject`: `{ error, status,
/// signal, output, pid }`. `error` is a negative number and absent on success; `signal` is a number, 0 for none.
pub(super) fn spawn<'s>(scope: Scope<'s>, options: Local<'s, Object>) -> Fallible<Local<'s, Object>> {
    let result = Object::new(scope);
    let command: Vec<Text> = options.get_as(scope, "args")?;
    let command = command.iter().map(|text| text.as_wtf8()).collect::<Vec<_>>().join(&b' ');
    let shown = shown_text(&command);
    let (pid, run) = match start(scope, options)? {
        Ok(started) => started,
        Err(errno) => {
            result.set(scope, "error", -errno.raw())?;
            return Ok(result);
        }
    };
    let Run { pipes, error, pipe_error, status, .. } =
        state(scope).blocking(scope, "spawnSync", || shown, || run.finish());
    if let Some(errno) = error.or(pipe_error) {
        result.set(scope, "error", -errno.raw())?;
    }
    if let Some(status) = status {
        result.set(scope, "status", status.code as f64)?;
        result.set(scope, "signal", status.signal)?;
        let mut output = Vec::new();
        for pipe in pipes {
            output.push(match pipe {
                Some(Pipe { input: None, output, .. }) => {
                    let length = output.len();
                    ArrayBuffer::from_vec(scope, output)?.bytes(scope, 0, length)?.as_value()
                }
                _ => scope.null(),
            });
        }
        result.set(scope, "output", Array::new(scope, &output)?)?;
    }
    result.set(scope, "pid", pid)?;
    Ok(result)
}

fn start<'s>(scope: Scope<'s>, options: Local<'s, Object>) -> Fallible<Result<(i32, Run), Errno>> {
    let Some(mut spawn) = spawn_options(scope, options)? else { return Ok(Err(Errno::EINVAL)) };
    let mut core = match Loop::new() {
        Ok(core) => core,
        Err(errno) => return Ok(Err(errno)),
    };
    let (child, timer) = (core.process_open(()), core.timer_open(()));
    let mut pipes = Vec::new();
    for entry in StdioEntry::list(scope, options)? {
        let (stdio, pipe) = match entry {
            StdioEntry::Ignore => (Stdio::Ignore, None),
            StdioEntry::Fd(fd) => (Stdio::Inherit(fd), None),
            StdioEntry::Stream(_) | StdioEntry::Pipe(_) => return Ok(Err(Errno::EINVAL)),
            StdioEntry::Private { input, is_input } => {
                let bytes = input.map(|bytes| bytes.to_vec()).unwrap_or_default();
                let handle = core.pipe_open(false, ());
                let input = is_input.then_some(bytes);
                let stdio = Stdio::Pipe { handle, readable: is_input, writable: !is_input };
                (stdio, Some(Pipe { handle, input, output: Vec::new() }))
            }
        };
        spawn.stdio.push(stdio);
        pipes.push(pipe);
    }
    let pid = match core.process_spawn(child, spawn) {
        Ok(pid) => pid,
        Err(errno) => return Ok(Err(errno)),
    };
    let mut run = Run {
        core,
        child,
        pipes,
        timer,
        kill_signal: options.get_as::<Option<i32>>(scope, "killSignal")?.filter(|&signal| signal > 0).unwrap_or(15),
        max_buffer: options.get_as::<Option<f64>>(scope, "maxBuffer")?.unwrap_or(0.0),
        buffered_bytes: 0,
        is_killed: false,
        error: None,
        pipe_error: None,
        status: None,
    };
    let timeout_ms = options.get_as::<Option<f64>>(scope, "timeout")?.unwrap_or(0.0);
    if timeout_ms > 0.0 {
        // Cannot fail: the timer handle is open.
        let _ = run.core.timer_start(run.timer, timeout_ms as u64, 0);
    }
    run.start_pipes();
    Ok(Ok((pid, run)))
}

impl Run {
    fn start_pipes(&mut self) {
        for pipe in self.pipes.iter_mut().flatten() {
            let begun = match &mut pipe.input {
                None => self.core.stream_read_start(pipe.handle),
                Some(input) => {
                    let input = std::mem::take(input);
                    let written = if input.is_empty() {
                        Ok(())
                    } else {
                        self.core.stream_write(pipe.handle, input, ()).map(|_| ()).map_err(Errno::from)
                    };
                    written.and_then(|()| self.core.stream_shutdown(pipe.handle, ()).map(|_| ()).map_err(Errno::from))
                }
            };
            if let Err(errno) = begun {
                self.pipe_error.get_or_insert(errno);
            }
        }
    }

    fn finish(mut self) -> Run {
        while let Some(event) = self.core.next(RunMode::Default) {
            match event {
                Event::Readable(id) => self.read(id),
                Event::Timer(_) => self.fail(Errno::ETIMEDOUT),
                Event::Exit(_, status) => {
                    self.status = Some(status);
                    let _ = self.core.timer_stop(self.timer);
                }
                Event::Done((), Outcome::Write { result: Err(errno), .. }) => {
                    self.pipe_error.get_or_insert(errno);
                }
                // The child may have closed its end before the last write completed: ENOTCONN is not an error here.
                Event::Done((), Outcome::Shutdown(Err(errno))) if errno != Errno::ENOTCONN => {
                    self.pipe_error.get_or_insert(errno);
                }
                _ => {}
            }
        }
        self
    }

    fn read(&mut self, id: HandleId) {
        let Some(pipe) = self.pipes.iter_mut().flatten().find(|pipe| pipe.handle == id) else { return };
        let got = with_slab(|slab| {
            let got = self.core.stream_read(id, slab);
            if let Ok(count) = got {
                pipe.output.extend_from_slice(&slab[..count]);
            }
            got
        });
        match got {
            Ok(count) => {
                self.buffered_bytes += count;
                if self.max_buffer > 0.0 && self.buffered_bytes as f64 > self.max_buffer {
                    self.fail(Errno::ENOBUFS);
                }
            }
            Err(Errno::EOF) => {}
            Err(errno) => {
                self.pipe_error.get_or_insert(errno);
            }
        }
    }

    /// Records an error and kills the child. The pipes are closed in any case: a grandchild may hold them open after the child exited, and
    /// the run must wait only for the child.
    fn fail(&mut self, errno: Errno) {
        self.error.get_or_insert(errno);
        if std::mem::replace(&mut self.is_killed, true) {
            return;
        }
        if self.status.is_none() {
            match self.core.process_kill(self.child, self.kill_signal) {
                Ok(()) | Err(Errno::ESRCH) => {}
                Err(errno) => {
                    self.error.get_or_insert(errno);
                    // As `src/spawn_sync.cc: SyncProcessRunner::Kill`: try SIGKILL if the chosen signal fails, and ignore its result.
                    let _ = self.core.process_kill(self.child, 9);
                }
            }
        }
        for pipe in self.pipes.iter().flatten() {
            let _ = self.core.close(pipe.handle);
        }
        let _ = self.core.timer_stop(self.timer);
    }
}
