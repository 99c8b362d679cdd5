//! Native functions of `process`: clock, resource usage and process attributes. Credentials, environment, signals and standard streams have
//! files of their own.

mod credentials;
pub(crate) mod environment;
pub mod node_flags;
mod signals;
pub(crate) mod stdio;

use phasor_js::bytes::Utf8;
use phasor_js::state;
use phasor_sys::clock::monotonic_ns;
use phasor_sys::{os, process};
use rquickjs::function::Func;
use rquickjs::{BigInt, Ctx, IntoJs, Object, Result, Value};

/// Creates the object of native functions.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let natives = Object::new(ctx.clone())?;
    natives.set("hrtime", Func::from(|| monotonic_ns() as f64))?;
    natives.set("hrtimeBigint", Func::from(|ctx: Ctx<'js>| BigInt::from_i64(ctx, monotonic_ns() as i64)))?;
    natives.set("readText", Func::from(read_text))?;
    natives.set(
        "builtinText",
        Func::from(|ctx: Ctx<'js>, id: String| state(&ctx).builtin_source(&id).unwrap_or_default()),
    )?;
    natives.set("cwd", Func::from(cwd))?;
    natives.set("pid", std::process::id())?;
    natives.set("ppid", Func::from(std::os::unix::process::parent_id))?;
    natives.set("version", env!("CARGO_PKG_VERSION"))?;
    natives.set("engineVersion", phasor_js::engine_version())?;
    natives.set("kill", Func::from(|pid: i32, number: i32| code(phasor_core::kill(pid, number))))?;
    natives.set("abort", Func::from(abort))?;
    natives.set("chdir", Func::from(|Utf8(path): Utf8| code(process::chdir(&path))))?;
    natives.set("becomeProgram", Func::from(become_program))?;
    natives.set("umask", Func::from(|mask: i32| process::umask(u32::try_from(mask).ok())))?;
    natives.set("ids", Func::from(|| process::ids().to_vec()))?;
    natives.set("rss", Func::from(|| process::resident_bytes().unwrap_or(0) as f64))?;
    natives.set("usage", Func::from(usage))?;
    natives.set("threadUsage", Func::from(thread_usage))?;
    natives.set("memory", Func::from(memory))?;
    natives.set("setName", Func::from(set_name))?;
    natives.set("heap", Func::from(heap))?;
    credentials::define(&natives)?;
    environment::define(ctx, &natives)?;
    signals::define(ctx, &natives)?;
    stdio::define(&natives)?;
    natives.set("arch", if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" })?;
    Ok(natives)
}

/// The text of a file, or a negative error number.
fn read_text<'js>(ctx: Ctx<'js>, Utf8(path): Utf8) -> Result<Value<'js>> {
    match std::fs::read(path) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).as_ref().into_js(&ctx),
        Err(error) => (-error.raw_os_error().unwrap_or(5)).into_js(&ctx),
    }
}

/// `process.execve`: replaces the program of this process. `environment` has alternating names and values. Returns only on failure, with a
/// negative error number.
fn become_program(Utf8(path): Utf8, args: Vec<String>, environment: Vec<String>) -> i32 {
    let pairs = environment.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect::<Vec<_>>();
    -process::become_program(&path, &args, &pairs).raw()
}

/// Raises SIGABRT, which writes a core file if these are enabled.
fn abort() {
    std::process::abort();
}

/// 0, or a negative error number as libuv's.
fn code(result: phasor_core::Result<()>) -> i32 {
    result.map_or_else(|errno| -errno.raw(), |()| 0)
}

/// The fields of `getrusage` in the order of `uv_rusage_t`.
fn usage() -> Vec<f64> {
    let used = process::usage().unwrap_or_default();
    let all = [
        used.user_us,
        used.system_us,
        used.max_rss_kib,
        used.minor_faults,
        used.major_faults,
        used.fs_reads,
        used.fs_writes,
        used.voluntary_switches,
        used.involuntary_switches,
    ];
    all.map(|number| number as f64).to_vec()
}

/// User and system time of this thread, in microseconds.
fn thread_usage() -> Vec<f64> {
    let used = process::thread_usage().unwrap_or_default();
    vec![used.user_us as f64, used.system_us as f64]
}

/// `[constrained memory, available memory]` in bytes, 0 if there is no limit. As the libuv of Node 22, which ignores `ulimit`.
fn memory() -> Vec<f64> {
    vec![os::cgroup_limit_bytes() as f64, os::available_memory_bytes() as f64]
}

/// Sets the name of the process in `ps`. Errors are ignored.
fn set_name(Utf8(name): Utf8) {
    let _ = std::fs::write("/proc/self/comm", name);
}

/// `[heap bytes allocated, heap bytes used, bytes in unread messages]`.
fn heap(ctx: Ctx<'_>) -> Vec<f64> {
    let [total, used] = phasor_js::heap_bytes(&ctx);
    vec![total as f64, used as f64, state(&ctx).posted_bytes() as f64]
}

fn cwd() -> Option<String> {
    std::env::current_dir().ok().map(|path| path.to_string_lossy().into_owned())
}
