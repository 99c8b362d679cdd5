//! Native functions of `child_process`: process handles of the core, and `spawnSync`. Which events are emitted and when is decided in
//! JavaScript.
//!
//! Process handles use the number table of `net`, so `close`, `ref` and `unref` are the same native functions. A handle reports the exit by
//! calling `exited(code, signal)` of its JavaScript object. Functions return libuv's error numbers: negative on error.

mod sync;

use std::ffi::CString;

use phasor_core::{Errno, Spawn, Stdio};
use phasor_js::bytes::Text;
use phasor_js::state;
use rquickjs::function::Func;
use rquickjs::{Array, Ctx, FromJs, Object, Result, Value};

use crate::net::handles::{Wrap, id_of};
use crate::net::{HandleBinding, with};

/// Creates the object of native functions.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let natives = Object::new(ctx.clone())?;
    natives.set("open", Func::from(open))?;
    natives.set("spawn", Func::from(spawn))?;
    natives.set("spawnSync", Func::from(sync::spawn))?;
    natives.set(
        "kill",
        Func::from(|ctx: Ctx<'js>, number: u32, signal: i32| {
            with(&ctx, number, |core, id| core.process_kill(id, signal))
        }),
    )?;
    Ok(natives)
}

/// An entry of the `stdio` list that JavaScript passes.
enum StdioEntry<'js> {
    Ignore,
    Fd(i32),
    /// The number of a handle whose descriptor the child inherits.
    Stream(u32),
    /// The number of the pipe handle that is the parent's end.
    Pipe(u32),
    /// A pipe of `spawnSync`: `input` is what the child reads. Without it the parent collects what the child writes.
    Private {
        input: Option<Value<'js>>,
        is_input: bool,
    },
}

impl<'js> StdioEntry<'js> {
    fn of(item: &Object<'js>) -> Result<StdioEntry<'js>> {
        Ok(match item.get::<_, String>("kind")?.as_str() {
            "fd" => StdioEntry::Fd(item.get("value")?),
            "stream" => StdioEntry::Stream(item.get("value")?),
            "pipe" => StdioEntry::Pipe(item.get("value")?),
            "input" => StdioEntry::Private { input: item.get("value")?, is_input: true },
            "output" => StdioEntry::Private { input: None, is_input: false },
            _ => StdioEntry::Ignore,
        })
    }
}

fn open<'js>(ctx: Ctx<'js>, object: Object<'js>) -> u32 {
    let binding = HandleBinding::new(&ctx, Wrap::Process, object);
    let id = state(&ctx).core().process_open(binding.clone());
    binding.opened(id)
}

/// Returns the pid, or a negative error number.
fn spawn<'js>(ctx: Ctx<'js>, number: u32, options: Object<'js>) -> Result<i32> {
    let Some(id) = id_of(number) else { return Ok(-Errno::EBADF.raw()) };
    let Some(mut spawn) = spawn_options(&ctx, &options)? else { return Ok(-Errno::EINVAL.raw()) };
    // As `src/process_wrap.cc: ProcessWrap::Spawn`: an empty `cwd` means the parent's. `spawnSync` passes an empty one on.
    spawn.cwd = spawn.cwd.filter(|cwd| !cwd.is_empty());
    let items: Array<'js> = options.get("stdio")?;
    for item in items.iter::<Object<'js>>() {
        let stdio = match StdioEntry::of(&item?)? {
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
    let spawned = state(&ctx).core().process_spawn(id, spawn);
    Ok(spawned.unwrap_or_else(|errno| -errno.raw()))
}

/// All options except the descriptors; `None` if a string cannot be passed to the system, because it contains NUL.
fn spawn_options<'js>(ctx: &Ctx<'js>, options: &Object<'js>) -> Result<Option<Spawn>> {
    let (Some(program), Some(args)) = (c_string(ctx, options.get("file")?)?, c_strings(ctx, options.get("args")?)?)
    else {
        return Ok(None);
    };
    let env = match options.get::<_, Option<Array<'js>>>("envPairs")? {
        Some(pairs) => match c_strings(ctx, pairs)? {
            Some(pairs) => Some(pairs),
            None => return Ok(None),
        },
        None => None,
    };
    let cwd = match options.get::<_, Option<Value<'js>>>("cwd")?.filter(Value::is_string) {
        Some(cwd) => match c_string(ctx, cwd)? {
            Some(cwd) => Some(cwd),
            None => return Ok(None),
        },
        None => None,
    };
    let number = |name: &str| -> Result<Option<u32>> {
        // The system's ids are unsigned: -1 is `u32::MAX`, which `setuid` rejects.
        Ok(options.get::<_, Option<i32>>(name)?.map(i32::cast_unsigned))
    };
    let (uid, gid) = (number("uid")?, number("gid")?);
    let detached = options.get("detached")?;
    Ok(Some(Spawn { program, args, env, cwd, stdio: Vec::new(), uid, gid, detached, fork_handlers: false }))
}

fn c_string<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Option<CString>> {
    let text = Text::from_js(ctx, value)?;
    Ok(CString::new(text.to_utf8().into_owned()).ok())
}

fn c_strings<'js>(ctx: &Ctx<'js>, list: Array<'js>) -> Result<Option<Vec<CString>>> {
    list.iter::<Value<'js>>().map(|item| c_string(ctx, item?)).collect()
}
