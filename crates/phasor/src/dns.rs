//! Names and addresses, by the system's resolver on a thread of the pool.

use std::net::SocketAddr;

use phasor_core::dns::Query;
pub use phasor_core::dns::{AddrInfo, Hints, NameFlags};
use phasor_core::{Outcome, RequestId, Result};

use crate::Loop;

/// Looks the addresses of a host up, in the system's order of preference, with port 0.
///
/// `EINVAL` at once for what is no name; `EAI_CANCELED` in the call if it was [cancelled](Loop::cancel).
///
/// ```
/// use phasor::{Loop, RunMode, dns};
///
/// let mut l = Loop::new()?;
/// dns::lookup(&mut l, "localhost", |_, found| assert!(found.unwrap()[0].ip().is_loopback()))?;
/// l.run(RunMode::Default)?;
/// # Ok::<(), phasor::Errno>(())
/// ```
#[doc(alias = "uv_getaddrinfo")]
pub fn lookup(
    l: &mut Loop,
    host: &str,
    then: impl FnOnce(&mut Loop, Result<Vec<SocketAddr>>) + 'static,
) -> Result<RequestId> {
    // Of one type, or every address would be there once for each type of socket.
    let hints = Hints { socktype: Hints::STREAM, ..Hints::default() };
    query(l, Some(host), None, Some(hints), |l, found| {
        then(l, found.map(|all| all.into_iter().map(|info| info.address).collect()));
    })
}

/// Looks a host, a service or both up, with everything that `getaddrinfo` can be told.
///
/// `EINVAL` at once if there is neither, or either is not a name.
#[doc(alias = "uv_getaddrinfo")]
pub fn query(
    l: &mut Loop,
    host: Option<&str>,
    service: Option<&str>,
    hints: Option<Hints>,
    then: impl FnOnce(&mut Loop, Result<Vec<AddrInfo>>) + 'static,
) -> Result<RequestId> {
    let query = Query::new(host.map(str::as_bytes), service.map(str::as_bytes), hints)?;
    let finish = |l: &mut Loop, outcome: Outcome<_>| {
        if let Outcome::Getaddrinfo(found) = outcome {
            then(l, found);
        }
    };
    Ok(l.core.getaddrinfo(query, Box::new(finish)))
}

/// Looks the host's and the service's name of an address up; `flags` are those of [`NameFlags`].
#[doc(alias = "uv_getnameinfo")]
pub fn name(
    l: &mut Loop,
    address: impl Into<SocketAddr>,
    flags: i32,
    then: impl FnOnce(&mut Loop, Result<(String, String)>) + 'static,
) -> RequestId {
    let finish = |l: &mut Loop, outcome: Outcome<_>| {
        if let Outcome::Getnameinfo(found) = outcome {
            then(l, found);
        }
    };
    l.core.getnameinfo(address.into(), flags, Box::new(finish))
}
