//! Sockets, pipes and the bytes that go through them: what TCP, pipe and UDP handles ask of the kernel.
//!
//! One idea per file: names of endpoints ([`Address`]), connections (`stream`), bytes in and out (`bytes`), passed
//! descriptors (`pass`), datagrams one by one (`udp`) and in batches (`batch`), groups (`multicast`), the knobs
//! (`options`), and what a foreign descriptor can do (`inspect`). Every socket made here is close-on-exec and nonblocking,
//! except where the caller chooses. Queues, retries after `EAGAIN` and delayed errors are not here: they belong to who
//! knows what a loop is.
//!
//! The paths taken per packet (read, write, send, receive, the batches) make one system call and do not allocate; the
//! one exception is the name of a Unix socket that sends datagrams.

mod addr;
mod batch;
mod bytes;
mod inspect;
mod multicast;
mod options;
mod pass;
mod scope;
mod stream;
mod udp;

pub use addr::{Address, Encoded, UnixName};
pub use batch::{BATCH, CHUNK_BYTES, Outgoing, recv_batch, send_batch};
pub use bytes::{MAX_BYTES, MAX_SLICES, Transport, ignore_sigpipe_once, read, readv, write, writev};
pub use inspect::{Access, access_of, family, is_listening};
pub use multicast::{
    Interface, Membership, set_membership, set_multicast_interface, set_multicast_loop, set_multicast_ttl,
    set_source_membership,
};
pub use options::{
    Keepalive, recv_buffer_size, send_buffer_size, set_broadcast, set_ipv6_only, set_keepalive, set_nodelay,
    set_recv_buffer_size, set_reset_on_close, set_reuse_address, set_reuse_port, set_send_buffer_size, set_ttl,
};
pub use pass::{MAX_PASSED, recv_with_fds, send_with_fd};
pub use scope::with_link_local_scope;
pub use stream::{
    Progress, accept, bind, connect, listen, local_address, pair, peer_address, pipe, set_unix_mode, shutdown_write,
    stream_pair, stream_socket, take_error,
};
pub use udp::{
    Datagram, QueuedError, UdpBind, recv_from, recv_queued_error, send_to, udp_bind, udp_connect, udp_disconnect,
    udp_socket,
};

use crate::{Errno, Result};

/// The address families that handles know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    /// IPv4.
    V4,
    /// IPv6.
    V6,
    /// Names in the file system or in Linux's abstract namespace.
    Unix,
}

impl Domain {
    fn family(self) -> rustix::net::AddressFamily {
        match self {
            Domain::V4 => rustix::net::AddressFamily::INET,
            Domain::V6 => rustix::net::AddressFamily::INET6,
            Domain::Unix => rustix::net::AddressFamily::UNIX,
        }
    }

    fn from_family(family: rustix::net::AddressFamily) -> Option<Domain> {
        [Domain::V4, Domain::V6, Domain::Unix].into_iter().find(|domain| domain.family() == family)
    }
}

/// Repeats a call of the C library as long as signals interrupt it.
fn uninterrupted(mut call: impl FnMut() -> isize) -> Result<usize> {
    loop {
        // A count is what a call returns that did not fail, and failing is the only way to be negative.
        if let Ok(count) = usize::try_from(call()) {
            return Ok(count);
        }
        match Errno::last() {
            Errno::EINTR => {}
            errno => return Err(errno),
        }
    }
}

/// As `uv__try_write` and `uv__udp_sendmsg1`: a kernel without buffers is one to be asked again later.
fn full_means_again(errno: Errno) -> Errno {
    if errno == Errno::ENOBUFS { Errno::EAGAIN } else { errno }
}

#[cfg(test)]
mod testing {
    //! What the tests of several files here need.
    use super::*;
    use crate::Fd;
    use std::os::fd::AsFd;
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// A directory of its own for each test, removed with all in it when dropped.
    pub(super) struct TempDir(pub(super) PathBuf);

    impl TempDir {
        pub(super) fn new() -> TempDir {
            static NEXT: AtomicU32 = AtomicU32::new(0);
            let name = format!("phasor-socket-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
            let path = std::env::temp_dir().join(name);
            std::fs::create_dir(&path).unwrap();
            TempDir(path)
        }

        pub(super) fn name(&self, file: &str) -> UnixName {
            use std::os::unix::ffi::OsStrExt;
            UnixName::new(self.0.join(file).as_os_str().as_bytes()).unwrap()
        }
    }

    impl Drop for TempDir {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    /// Waits until the descriptor is ready for what is asked (or broken), failing the test after ten seconds.
    pub(super) fn wait_for(fd: impl AsFd, flags: rustix::event::PollFlags) {
        let fd = fd.as_fd();
        let mut watched = [rustix::event::PollFd::from_borrowed_fd(fd, flags)];
        let limit = rustix::event::Timespec { tv_sec: 10, tv_nsec: 0 };
        let ready = rustix::io::retry_on_intr(|| rustix::event::poll(&mut watched, Some(&limit))).unwrap();
        assert_eq!(ready, 1, "nothing became ready in ten seconds");
    }

    pub(super) fn wait_readable(fd: impl AsFd) {
        wait_for(fd, rustix::event::PollFlags::IN);
    }

    /// Whether this machine has `::1`.
    pub(super) fn has_ipv6_loopback() -> bool {
        stream_socket(Domain::V6).and_then(|fd| bind(&fd, &localhost(Domain::V6))).is_ok()
    }

    pub(super) fn localhost(domain: Domain) -> Address {
        match domain {
            Domain::V6 => Address::from("[::1]:0".parse::<std::net::SocketAddr>().unwrap()),
            _ => Address::from("127.0.0.1:0".parse::<std::net::SocketAddr>().unwrap()),
        }
    }

    /// A listening socket, a socket connected to it, and the accepted other end.
    pub(super) fn connected(domain: Domain, address: &Address) -> (Fd, Fd, Fd) {
        let server = stream_socket(domain).unwrap();
        bind(&server, address).unwrap();
        listen(&server, 8).unwrap();
        let client = stream_socket(domain).unwrap();
        connect(&client, &local_address(&server).unwrap()).unwrap();
        wait_readable(&server);
        let accepted = accept(&server).unwrap();
        wait_for(&client, rustix::event::PollFlags::OUT);
        assert_eq!(take_error(&client), Ok(()));
        (server, client, accepted)
    }
}
