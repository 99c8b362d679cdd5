//! Name resolution by the system's resolver. The resolver blocks, so it runs on pool threads, on at most half of them.

use std::net::SocketAddr;

use phasor_sys::dns::{self, AddrInfo, Query};
use phasor_sys::{Errno, Result};

use super::{Failure, RequestId, RequestKind, Task};
use crate::describe::TaskDetail;
use crate::event::Outcome;
use crate::face::Face;
use crate::pool::Class;
use crate::state::Loop;

impl<F: Face> Task<F> for Query {
    type Value = Vec<AddrInfo>;

    fn detail(&self) -> TaskDetail {
        let host = self.host().or(self.service()).map(|name| name.to_string_lossy().into_owned());
        TaskDetail { host, ..TaskDetail::of("getaddrinfo") }
    }

    fn perform(&mut self) -> Result<Vec<AddrInfo>> {
        self.run()
    }

    fn outcome(self, ended: Result<Vec<AddrInfo>, Failure>) -> Outcome<F> {
        Outcome::Getaddrinfo(ended.map_err(resolver_errno))
    }
}

struct Names {
    address: SocketAddr,
    flags: i32,
}

impl<F: Face> Task<F> for Names {
    type Value = (String, String);

    fn detail(&self) -> TaskDetail {
        TaskDetail::of_address("getnameinfo", &self.address)
    }

    fn perform(&mut self) -> Result<(String, String)> {
        dns::name(self.address, self.flags)
    }

    fn outcome(self, ended: Result<(String, String), Failure>) -> Outcome<F> {
        Outcome::Getnameinfo(ended.map_err(resolver_errno))
    }
}

/// Converts a failure to an error number. The resolver has its own number for cancellation (`src/unix/getaddrinfo.c:
/// uv__getaddrinfo_done`).
fn resolver_errno(failure: Failure) -> Errno {
    match failure.into() {
        Errno::ECANCELED => Errno::EAI_CANCELED,
        errno => errno,
    }
}

impl<F: Face> Loop<F> {
    /// Resolves a host or service name. The result is an [`Outcome::Getaddrinfo`]; `EAI_CANCELED` if the request was
    /// cancelled.
    ///
    /// [`Query::new`] has refused invalid names before.
    #[doc(alias = "uv_getaddrinfo")]
    pub fn getaddrinfo(&mut self, query: Query, request: F::Request) -> RequestId {
        self.submit(RequestKind::Getaddrinfo, Class::Slow, request, query)
    }

    /// Finds the names of an address; `flags` are the bits of [`dns::NameFlags`]. The result is an
    /// [`Outcome::Getnameinfo`] with the host and the service name; `EAI_CANCELED` if the request was cancelled.
    #[doc(alias = "uv_getnameinfo")]
    pub fn getnameinfo(&mut self, address: SocketAddr, flags: i32, request: F::Request) -> RequestId {
        self.submit(RequestKind::Getnameinfo, Class::Slow, request, Names { address, flags })
    }
}
