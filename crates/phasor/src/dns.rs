//! DNS lookups by the C library's resolver (`getaddrinfo(3)`), on a thread of the pool.

use std::net::SocketAddr;

use phasor_core::dns::Query;
pub use phasor_core::dns::{AddrInfo, Hints, NameFlags};
use phasor_core::{Outcome, RequestId, Result};

use crate::Loop;

/// Looks up the addresses of a host, in the resolver's order of preference, with port 0.
///
/// `EINVAL` at once for an invalid host name; `then` gets `EAI_CANCELED` if the request was [cancelled](Loop::cancel).
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
    // With a socket type, since the resolver otherwise returns each address once per socket type.
    let hints = Hints { socktype: Hints::STREAM, ..Hints::default() };
    query(l, Some(host), None, Some(hints), |l, found| {
        then(l, found.map(|all| all.into_iter().map(|info| info.address).collect()));
    })
}

/// Looks up a host, a service, or both, with all options of `getaddrinfo(3)`.
///
/// `EINVAL` at once if both are `None`, or one is invalid.
///
/// ```
/// use phasor::dns::{self, Hints};
/// use phasor::{Loop, RunMode};
///
/// let mut l = Loop::new()?;
/// let hints = Hints { flags: Hints::NUMERICHOST, socktype: Hints::STREAM, ..Hints::default() };
/// dns::query(&mut l, Some("127.0.0.1"), Some("80"), Some(hints), |_, found| {
///     assert_eq!(found.unwrap()[0].address, ([127, 0, 0, 1], 80).into());
/// })?;
/// l.run(RunMode::Default)?;
/// # Ok::<(), phasor::Errno>(())
/// ```
#[doc(alias = "uv_getaddrinfo")]
pub fn query(
    l: &mut Loop,
    host: Option<&str>,
    service: Option<&str>,
    hints: Option<Hints>,
    then: impl FnOnce(&mut Loop, Result<Vec<AddrInfo>>) + 'static,
) -> Result<RequestId> {
    let query = Query::new(host.map(str::as_bytes), service.map(str::as_bytes), hints)?;
    let completion = |l: &mut Loop, outcome: Outcome<_>| {
        if let Outcome::Getaddrinfo(found) = outcome {
            then(l, found);
        }
    };
    Ok(l.core.getaddrinfo(query, Box::new(completion)))
}

/// Reverse lookup (`getnameinfo(3)`): the host name and the service name of an address. `flags` are those of
/// [`NameFlags`].
///
/// ```
/// use phasor::dns::{self, NameFlags};
/// use phasor::{Loop, RunMode};
///
/// let mut l = Loop::new()?;
/// let numeric = NameFlags::NUMERICHOST | NameFlags::NUMERICSERV;
/// dns::name(&mut l, ([127, 0, 0, 1], 80), numeric, |_, names| {
///     assert_eq!(names, Ok(("127.0.0.1".to_owned(), "80".to_owned())));
/// });
/// l.run(RunMode::Default)?;
/// # Ok::<(), phasor::Errno>(())
/// ```
#[doc(alias = "uv_getnameinfo")]
pub fn name(
    l: &mut Loop,
    address: impl Into<SocketAddr>,
    flags: i32,
    then: impl FnOnce(&mut Loop, Result<(String, String)>) + 'static,
) -> RequestId {
    let completion = |l: &mut Loop, outcome: Outcome<_>| {
        if let Outcome::Getnameinfo(found) = outcome {
            then(l, found);
        }
    };
    l.core.getnameinfo(address.into(), flags, Box::new(completion))
}
