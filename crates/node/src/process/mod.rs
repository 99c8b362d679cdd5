//! Native functions of `process`: clock, resource usage and process attributes. Credentials, environment, signals and standard streams have
//! files of their own.

mod credentials;
pub(crate) mod environment;
pub mod node_flags;
mod signals;
pub(crate) mod stdio;

use phasor_engine::{BigInt, Fallible, IntoJs, Local, Object, Scope, Value, define_natives};
use phasor_js::state;
use phasor_sys::clock::monotonic_ns;
use phasor_sys::{os, process};

/// Creates the object of native functions.
pub(crate) fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    let natives = Object::new(scope);
    define_natives!(scope, natives,
        "hrtime" => |_: Scope<'_>| monotonic_ns() as f64,
        "readText" => read_text,
        "builtinText" => builtin_text,
        "cwd" => |_: Scope<'_>| cwd(),
        "ppid" => |_: Scope<'_>| std::os::unix::process::parent_id(),
        "kill" => |_: Scope<'_>, pid: i32, number: i32| code(phasor_core::kill(pid, number)),
        "abort" => |_: Scope<'_>| abort(),
        "chdir" => |_: Scope<'_>, path: String| code(process::chdir(&path)),
        "becomeProgram" => become_program,
        "umask" => |_: Scope<'_>, mask: i32| process::umask(u32::try_from(mask).ok()),
        "ids" => |_: Scope<'_>| process::ids().to_vec(),
        "rss" => |_: Scope<'_>| process::resident_bytes().unwrap_or(0) as f64,
        "usage" => |_: Scope<'_>| usage(),
        "threadUsage" => |_: Scope<'_>| thread_usage(),
        "memory" => |_: Scope<'_>| memory(),
        "setName" => |_: Scope<'_>, name: String| set_name(&name),
        "heap" => heap,
    );
    natives.define_function(scope, "hrtimeBigint", 0, |scope, _| {
        Ok(BigInt::from_u64(scope, monotonic_ns())?.as_value())
    })?;
    natives.set(scope, "pid", std::process::id())?;
    natives.set(scope, "version", env!("CARGO_PKG_VERSION"))?;
    natives.set(scope, "engineVersion", phasor_engine::version())?;
    natives.set(scope, "arch", if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" })?;
    credentials::define(scope, natives)?;
    environment::define(scope, natives)?;
    signals::define(scope, natives)?;
    stdio::define(scope, natives)?;
    Ok(natives)
}

/// The text of a file, or a negative error number.
fn read_text(scope: Scope<'_>, path: String) -> Fallible<Local<'_, Value>> {
    match std::fs::read(path) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_js(scope),
        Err(error) => (-error.raw_os_error().unwrap_or(5)).into_js(scope),
    }
}

fn builtin_text(scope: Scope<'_>, id: String) -> &'static str {
    state(scope).builtin_source(&id).unwrap_or_default()
}

/// `process.execve`: replaces the program of this process. `environment` has alternating names and values. Returns only on failure, with a
/// negative error number.
fn become_program(_: Scope<'_>, path: String, args: Vec<String>, environment: Vec<String>) -> i32 {
    let pairs = environment.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect::<Vec<_>>();
    -process::become_program(&path, &args, &pairs).raw()
}

/// Raises SIGABRT, which writes a core file if these are enabled.
///
/// `abort(3)` alone is not enough: the engine replaces it by a function that ends with SIGSEGV (`mozalloc_abort.cpp`).
fn abort() {
    const SIGABRT: i32 = 6;
    let own_id = i32::try_from(std::process::id()).unwrap_or_default();
    let _ = phasor_core::kill(own_id, SIGABRT);
    std::process::abort();
}

/// 0, or libuv's negative error number.
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
fn set_name(name: &str) {
    let _ = std::fs::write("/proc/self/comm", name);
}

/// `[heap bytes allocated, heap bytes used, bytes in unread messages]`. The last is not measured: always 0.
fn heap(scope: Scope<'_>) -> Vec<f64> {
    let [total, used] = scope.heap_bytes();
    vec![total as f64, used as f64, 0.0]
}

fn cwd() -> Option<String> {
    std::env::current_dir().ok().map(|path| path.to_string_lossy().into_owned())
}
