//! User and group ids of the process: native functions to read and set them.

use std::ffi::CString;

use phasor_engine::{Fallible, Local, Object, Scope, define_natives};
use phasor_sys::process::{self, Id};

use super::code;

/// Defines the native functions.
pub(super) fn define(scope: Scope<'_>, natives: Local<'_, Object>) -> Fallible<()> {
    define_natives!(scope, natives,
        "groups" => |_: Scope<'_>| process::groups().unwrap_or_default(),
        "setUid" => |_: Scope<'_>, id: u32| code(process::set_id(Id::User, id)),
        "setEuid" => |_: Scope<'_>, id: u32| code(process::set_id(Id::EffectiveUser, id)),
        "setGid" => |_: Scope<'_>, id: u32| code(process::set_id(Id::Group, id)),
        "setEgid" => |_: Scope<'_>, id: u32| code(process::set_id(Id::EffectiveGroup, id)),
        "setGroups" => |_: Scope<'_>, ids: Vec<u32>| code(process::set_groups(&ids)),
        "initGroups" => init_groups,
        "userId" => |_: Scope<'_>, name: String| number_of("/etc/passwd", &name),
        "groupId" => |_: Scope<'_>, name: String| number_of("/etc/group", &name),
        "userName" => |_: Scope<'_>, id: u32| name_of("/etc/passwd", id),
    );
    Ok(())
}

fn init_groups(_: Scope<'_>, user: String, extra: u32) -> i32 {
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
