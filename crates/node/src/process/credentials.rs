//! User and group ids of the process: native functions to read and set them.

use std::ffi::CString;

use phasor_js::bytes::Utf8;
use phasor_sys::process::{self, Id};
use rquickjs::function::Func;
use rquickjs::{Object, Result};

use super::code;

/// Defines the native functions.
pub(super) fn define<'js>(natives: &Object<'js>) -> Result<()> {
    natives.set("groups", Func::from(|| process::groups().unwrap_or_default()))?;
    natives.set("setUid", Func::from(|id: u32| code(process::set_id(Id::User, id))))?;
    natives.set("setEuid", Func::from(|id: u32| code(process::set_id(Id::EffectiveUser, id))))?;
    natives.set("setGid", Func::from(|id: u32| code(process::set_id(Id::Group, id))))?;
    natives.set("setEgid", Func::from(|id: u32| code(process::set_id(Id::EffectiveGroup, id))))?;
    natives.set("setGroups", Func::from(|ids: Vec<u32>| code(process::set_groups(&ids))))?;
    natives.set("initGroups", Func::from(init_groups))?;
    natives.set("userId", Func::from(|Utf8(name): Utf8| number_of("/etc/passwd", &name)))?;
    natives.set("groupId", Func::from(|Utf8(name): Utf8| number_of("/etc/group", &name)))?;
    natives.set("userName", Func::from(|id: u32| name_of("/etc/passwd", id)))?;
    Ok(())
}

fn init_groups(Utf8(user): Utf8, extra: u32) -> i32 {
    CString::new(user).map_or(-phasor_core::Errno::EINVAL.raw(), |user| code(process::init_groups(&user, extra)))
}

/// The id of a user or group in `/etc/passwd` or `/etc/group`, whose lines are `name:password:id:…`.
fn number_of(list: &str, name: &str) -> Option<u32> {
    let text = std::fs::read_to_string(list).ok()?;
    let mut lines = text.lines().map(|line| line.split(':'));
    lines.find_map(|mut fields| (fields.next()? == name).then(|| fields.nth(1)?.parse().ok())?)
}

/// The name of a user or group id.
fn name_of(list: &str, id: u32) -> Option<String> {
    let text = std::fs::read_to_string(list).ok()?;
    let mut lines = text.lines().map(|line| line.split(':').collect::<Vec<_>>());
    lines.find_map(|fields| (fields.get(2)?.parse() == Ok(id)).then(|| (*fields.first()?).to_owned().into())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_names_are_looked_up() {
        assert_eq!(number_of("/etc/passwd", "root"), Some(0));
        assert_eq!(name_of("/etc/passwd", 0).as_deref(), Some("root"));
        assert_eq!(number_of("/etc/group", "no such group"), None);
    }
}
