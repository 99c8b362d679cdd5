//! Native functions of `os`: system information and constants.

use std::ffi::CString;

use phasor_js::bytes::string_from_utf8;
use phasor_sys::{Errno, os};
use rquickjs::{Array, ArrayBuffer, Ctx, Object, Result, Value};

/// Creates the object of native functions.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    define_natives! { ctx, native,
        "uname" => || {
            let names = os::uname();
            [names.sysname, names.nodename, names.release, names.version, names.machine].map(text).to_vec()
        },
        "uptime" => os::uptime_s,
        "loadavg" => || os::loadavg().to_vec(),
        "totalmem" => || os::memory_bytes().0 as f64,
        "freemem" => || os::memory_bytes().1 as f64,
        "availableParallelism" => os::available_parallelism,
        "cpus" => cpus, "interfaces" => interfaces, "user" => user,
        "getPriority" => get_priority,
        // Returns 0 or libuv's error number.
        "setPriority" => |pid: i32, priority: i32| os::set_priority(pid, priority).map_or_else(negative, |()| 0),
        "constants" => constants,
    }
    Ok(native)
}

/// `[error, priority]`, since a priority may itself be negative.
fn get_priority(pid: i32) -> Vec<i32> {
    os::priority(pid).map_or_else(|errno| vec![negative(errno), 0], |priority| vec![0, priority])
}

fn negative(errno: Errno) -> i32 {
    -errno.raw()
}

fn text(name: CString) -> String {
    name.to_string_lossy().into_owned()
}

/// For each processor: model, MHz, and the five values of `times`.
fn cpus<'js>(ctx: Ctx<'js>) -> Result<Array<'js>> {
    let array = Array::new(ctx.clone())?;
    for (index, cpu) in os::cpus().unwrap_or_default().into_iter().enumerate() {
        let item = Array::new(ctx.clone())?;
        item.set(0, cpu.model)?;
        item.set(1, cpu.speed_mhz as f64)?;
        for (place, time_ms) in cpu.times_ms.into_iter().enumerate() {
            item.set(place + 2, time_ms as f64)?;
        }
        array.set(index, item)?;
    }
    Ok(array)
}

/// For each address: interface name, address, netmask, prefix length, MAC, is internal, is IPv6, scope id. Or libuv's error number.
fn interfaces<'js>(ctx: Ctx<'js>) -> Result<Value<'js>> {
    let list = match os::interfaces() {
        Ok(list) => list,
        Err(errno) => return Ok(Value::new_int(ctx, negative(errno))),
    };
    let array = Array::new(ctx.clone())?;
    for (index, interface) in list.into_iter().enumerate() {
        let [a, b, c, d, e, f] = interface.mac;
        let bits = match interface.netmask {
            std::net::IpAddr::V4(mask) => u32::from(mask).leading_ones(),
            std::net::IpAddr::V6(mask) => u128::from(mask).leading_ones(),
        };
        let item = Array::new(ctx.clone())?;
        item.set(0, text(interface.name))?;
        item.set(1, interface.address.to_string())?;
        item.set(2, interface.netmask.to_string())?;
        item.set(3, bits)?;
        item.set(4, format!("{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{f:02x}"))?;
        item.set(5, interface.is_internal)?;
        item.set(6, interface.address.is_ipv6())?;
        item.set(7, interface.scope_id)?;
        array.set(index, item)?;
    }
    Ok(array.into_value())
}

/// Name, shell and home directory (as bytes if `raw`), uid and gid. Or libuv's error number.
fn user<'js>(ctx: Ctx<'js>, raw: bool) -> Result<Value<'js>> {
    let user = match os::user() {
        Ok(user) => user,
        Err(errno) => return Ok(Value::new_int(ctx, negative(errno))),
    };
    let array = Array::new(ctx.clone())?;
    for (index, text) in [&user.name, &user.shell, &user.home].into_iter().enumerate() {
        let value = if raw {
            ArrayBuffer::new(ctx.clone(), text.to_bytes())?.into_value()
        } else {
            string_from_utf8(&ctx, text.to_bytes())?
        };
        array.set(index, value)?;
    }
    array.set(3, user.uid)?;
    array.set(4, user.gid)?;
    Ok(array.into_value())
}

/// `{ dlopen, errno, signals }`, each an object of names and numbers.
fn constants<'js>(ctx: Ctx<'js>) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    let deepbind = os::RTLD_DEEPBIND.map(|flag| ("RTLD_DEEPBIND", flag));
    let dlopen: Vec<_> = os::DLOPEN_FLAGS.iter().copied().chain(deepbind).collect();
    for (name, list) in [("dlopen", &dlopen[..]), ("errno", os::ERROR_NUMBERS), ("signals", os::SIGNAL_NUMBERS)] {
        let numbers = Object::new(ctx.clone())?;
        for (name, number) in list {
            numbers.set(*name, *number)?;
        }
        object.set(name, numbers)?;
    }
    Ok(object)
}
