//! Native functions of `os`: system information and constants.

use std::ffi::CString;

use phasor_engine::{Array, ArrayBuffer, Fallible, IntoJs, JsString, Local, Object, Scope, Value, define_natives};
use phasor_sys::{Errno, os};

/// Creates the object of native functions.
pub fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    let native = Object::new(scope);
    define_natives!(
        scope, native,
        "uname" => |_| {
            let names = os::uname();
            [names.sysname, names.nodename, names.release, names.version, names.machine].map(text).to_vec()
        },
        "uptime" => |_| os::uptime_s(),
        "loadavg" => |_| os::loadavg(),
        "totalmem" => |_| os::memory_bytes().0,
        "freemem" => |_| os::memory_bytes().1,
        "availableParallelism" => |_| os::available_parallelism(),
        "cpus" => cpus, "interfaces" => interfaces, "user" => user,
        "getPriority" => get_priority,
        // Returns 0 or libuv's error number.
        "setPriority" => |_, pid: i32, priority: i32| os::set_priority(pid, priority).map_or_else(negative, |()| 0),
        "constants" => constants,
    );
    Ok(native)
}

/// `[error, priority]`, since a priority may itself be negative.
fn get_priority(_: Scope<'_>, pid: i32) -> [i32; 2] {
    os::priority(pid).map_or_else(|errno| [negative(errno), 0], |priority| [0, priority])
}

fn negative(errno: Errno) -> i32 {
    -errno.raw()
}

fn text(name: CString) -> String {
    name.to_string_lossy().into_owned()
}

/// For each processor: model, MHz, and the five values of `times`.
fn cpus<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Value>> {
    scope.try_escape(|scope| {
        let array = |cpu: os::Cpu| {
            let mut values = vec![cpu.model.into_js(scope)?, scope.number(cpu.speed_mhz as f64)];
            values.extend(cpu.times_ms.into_iter().map(|time_ms| scope.number(time_ms as f64)));
            Array::new(scope, &values)
        };
        os::cpus().unwrap_or_default().into_iter().map(array).collect::<Fallible<Vec<_>>>()?.into_js(scope)
    })
}

/// For each address: interface name, address, netmask, prefix length, MAC, is internal, is IPv6, scope id. Or libuv's error number.
fn interfaces<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Value>> {
    let list = match os::interfaces() {
        Ok(list) => list,
        Err(errno) => return negative(errno).into_js(scope),
    };
    let array = |interface: os::Interface| {
        let [a, b, c, d, e, f] = interface.mac;
        let bits = match interface.netmask {
            std::net::IpAddr::V4(mask) => u32::from(mask).leading_ones(),
            std::net::IpAddr::V6(mask) => u128::from(mask).leading_ones(),
        };
        let values = [
            text(interface.name).into_js(scope)?,
            interface.address.to_string().into_js(scope)?,
            interface.netmask.to_string().into_js(scope)?,
            bits.into_js(scope)?,
            format!("{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{f:02x}").into_js(scope)?,
            interface.is_internal.into_js(scope)?,
            interface.address.is_ipv6().into_js(scope)?,
            interface.scope_id.into_js(scope)?,
        ];
        Array::new(scope, &values)
    };
    list.into_iter().map(array).collect::<Fallible<Vec<_>>>()?.into_js(scope)
}

/// Name, shell and home directory (as bytes if `raw`), uid and gid. Or libuv's error number.
fn user<'s>(scope: Scope<'s>, raw: bool) -> Fallible<Local<'s, Value>> {
    let user = match os::user() {
        Ok(user) => user,
        Err(errno) => return negative(errno).into_js(scope),
    };
    let text = |text: &CString| -> Fallible<_> {
        let bytes = text.to_bytes();
        Ok(if raw {
            ArrayBuffer::copy_of(scope, bytes)?.as_value()
        } else {
            JsString::from_utf8_lossy(scope, bytes)?.as_value()
        })
    };
    let values =
        [text(&user.name)?, text(&user.shell)?, text(&user.home)?, user.uid.into_js(scope)?, user.gid.into_js(scope)?];
    Ok(Array::new(scope, &values)?.as_value())
}

/// `{ dlopen, errno, signals }`, each an object of names and numbers.
fn constants<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    let object = Object::new(scope);
    let deepbind = os::RTLD_DEEPBIND.map(|flag| ("RTLD_DEEPBIND", flag));
    let dlopen: Vec<_> = os::DLOPEN_FLAGS.iter().copied().chain(deepbind).collect();
    for (name, list) in [("dlopen", &dlopen[..]), ("errno", os::ERROR_NUMBERS), ("signals", os::SIGNAL_NUMBERS)] {
        let numbers = Object::new(scope);
        for (name, number) in list {
            numbers.set(scope, *name, *number)?;
        }
        object.set(scope, name, numbers)?;
    }
    Ok(object)
}
