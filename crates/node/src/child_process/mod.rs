//! Native functions of `child_process`: process handles of the core, and `spawnSync`. JavaScript emits the events.
//!
//! Process handles use the number table of `net`, so `close`, `ref` and `unref` are the same native functions. A handle reports the exit by
//! calling `exited(code, signal)` of its JavaScript object. Functions return libuv's error numbers: negative on error.

mod sync;

use std::ffi::CString;

use phasor_core::{Errno, Spawn, Stdio};
use phasor_engine::{Bytes, Fallible, JsString, Local, Object, Scope, define_natives};
use phasor_js::bytes::Text;
use phasor_js::{ResourceId, SpanKind, state};

use crate::net::handles::{Wrap, binding_of, id_of};
use crate::net::{HandleBinding, with};

/// Creates the object of native functions.
pub(crate) fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    let natives = Object::new(scope);
    define_natives!(scope, natives,
        "open" => open,
        "spawn" => spawn,
        "spawnSync" => sync::spawn,
        "kill" => |scope: Scope<'_>, number: u32, signal: i32| {
            with(scope, number, |core, id| core.process_kill(id, signal))
        },
    );
    Ok(natives)
}

/// An entry of the `stdio` list that JavaScript passes.
enum StdioEntry<'s> {
    Ignore,
    Fd(i32),
    /// The number of a handle whose descriptor the child inherits.
    Stream(u32),
    /// The number of the pipe handle that is the parent's end.
    Pipe(u32),
    /// A pipe of `spawnSync`: the child reads `input`. If `input` is `None`, the parent collects the child's output.
    Private {
        input: Option<Bytes<'s>>,
        is_input: bool,
    },
}

impl<'s> StdioEntry<'s> {
    /// The entries of the option `stdio`.
    fn list(scope: Scope<'s>, options: Local<'s, Object>) -> Fallible<Vec<StdioEntry<'s>>> {
        let items: Vec<Local<'s, Object>> = options.get_as(scope, "stdio")?;
        items.into_iter().map(|item| StdioEntry::of(scope, item)).collect()
    }

    fn of(scope: Scope<'s>, item: Local<'s, Object>) -> Fallible<StdioEntry<'s>> {
        Ok(match item.get_as::<String>(scope, "kind")?.as_str() {
            "fd" => StdioEntry::Fd(item.get_as(scope, "value")?),
            "stream" => StdioEntry::Stream(item.get_as(scope, "value")?),
            "pipe" => StdioEntry::Pipe(item.get_as(scope, "value")?),
            "input" => StdioEntry::Private { input: item.get_as(scope, "value")?, is_input: true },
            "output" => StdioEntry::Private { input: None, is_input: false },
            _ => StdioEntry::Ignore,
        })
    }
}

fn open(scope: Scope<'_>, object: Local<'_, Object>) -> u32 {
    let binding = HandleBinding::new(scope, Wrap::Process, object);
    let id = state(scope).core().process_open(binding.clone());
    binding.opened(id)
}

/// Returns the pid, or a negative error number.
fn spawn<'s>(scope: Scope<'s>, number: u32, options: Local<'s, Object>) -> Fallible<i32> {
    let Some(id) = id_of(number) else { return Ok(-Errno::EBADF.raw()) };
    let Some(mut spawn) = spawn_options(scope, options)? else { return Ok(-Errno::EINVAL.raw()) };
    // As `src/process_wrap.cc: ProcessWrap::Spawn`: an empty `cwd` means the parent's. `spawnSync` passes an empty `cwd` to the system.
    spawn.cwd = spawn.cwd.filter(|cwd| !cwd.is_empty());
    for entry in StdioEntry::list(scope, options)? {
        let stdio = match entry {
            StdioEntry::Fd(fd) => Some(Stdio::Inherit(fd)),
            StdioEntry::Stream(number) => id_of(number).map(Stdio::Stream),
            // As `ProcessWrap::ParseStdioOptions` (`src/process_wrap.cc`): created pipes are readable and writable.
            StdioEntry::Pipe(number) => {
                id_of(number).map(|handle| Stdio::Pipe { handle, readable: true, writable: true })
            }
            StdioEntry::Ignore | StdioEntry::Private { .. } => Some(Stdio::Ignore),
        };
        let Some(stdio) = stdio else { return Ok(-Errno::EINVAL.raw()) };
        spawn.stdio.push(stdio);
    }
    let state = state(scope);
    let command = if state.is_recorded() { command(&spawn) } else { String::new() };
    let spawned = state.core().process_spawn(id, spawn);
    if spawned.is_ok()
        && let Some(binding) = binding_of(number)
    {
        binding.begin_span(scope, SpanKind::Child, id, || command.clone());
        state.describe(ResourceId::handle(id), || command);
    }
    Ok(spawned.unwrap_or_else(|errno| -errno.raw()))
}

/// All options except the descriptors; `None` if a string cannot be passed to the system, because it contains NUL.
fn spawn_options(scope: Scope<'_>, options: Local<'_, Object>) -> Fallible<Option<Spawn>> {
    let program = c_string(&options.get_as(scope, "file")?);
    let args = c_strings(options.get_as(scope, "args")?);
    let (Some(program), Some(args)) = (program, args) else { return Ok(None) };
    let env = match options.get_as::<Option<Vec<Text>>>(scope, "envPairs")? {
        Some(pairs) => match c_strings(pairs) {
            Some(pairs) => Some(pairs),
            None => return Ok(None),
        },
        None => None,
    };
    let cwd = match options.get(scope, "cwd")?.cast::<JsString>() {
        Some(_) => match c_string(&options.get_as(scope, "cwd")?) {
            Some(cwd) => Some(cwd),
            None => return Ok(None),
        },
        None => None,
    };
    let number = |name: &str| -> Fallible<Option<u32>> {
        // The system's ids are unsigned: -1 is `u32::MAX`, which `setuid` rejects.
        Ok(options.get_as::<Option<i32>>(scope, name)?.map(i32::cast_unsigned))
    };
    let (uid, gid) = (number("uid")?, number("gid")?);
    let detached = options.get_as(scope, "detached")?;
    Ok(Some(Spawn { program, args, env, cwd, stdio: Vec::new(), uid, gid, detached, fork_handlers: false }))
}

/// The command that a child runs, for people.
fn command(spawn: &Spawn) -> String {
    // The first argument is the name that the child gets.
    let words = std::iter::once(&spawn.program).chain(spawn.args.iter().skip(1));
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

fn c_string(text: &Text) -> Option<CString> {
    CString::new(text.to_utf8().into_owned()).ok()
}

fn c_strings(list: Vec<Text>) -> Option<Vec<CString>> {
    list.iter().map(c_string).collect()
}
