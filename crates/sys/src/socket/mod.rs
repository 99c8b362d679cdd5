//! Sockets and pipes: the system calls behind TCP, pipe and UDP handles.
//!
//! One topic per file: addresses ([`Address`]), connections (`stream`), reading and writing (`bytes`), passing
//! descriptors (`pass`), single datagrams (`udp`) and batches (`batch`), multicast groups (`multicast`), socket options
//! (`options`), and properties of existing descriptors (`inspect`). Every socket created here is close-on-exec and
//! nonblocking, except where the caller chooses. Not here: write queues, retries after `EAGAIN` and errors that are
//! reported later; these belong to the event loop in `phasor-core`.
//!
//! The functions for each packet (read, write, send, receive, batches) make one system call and do not allocate, except
//! that receiving from a named Unix datagram socket allocates the sender's name.

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
pub use inspect::{Access, access_of, family, is_listening, peer_user};
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

/// The address families that handles support.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    /// IPv4.
    V4,
    /// IPv6.
    V6,
    /// Unix sockets: names in the file system or in Linux's abstract namespace.
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

/// Repeats a call of the C library while signals interrupt it.
fn retry_interrupted(mut call: impl FnMut() -> isize) -> Result<usize> {
    loop {
        // A call that fails returns -1, so a count that does not fit means failure.
        if let Ok(count) = usize::try_from(call()) {
            return Ok(count);
        }
        match Errno::last() {
            Errno::EINTR => {}
            errno => return Err(errno),
        }
    }
}

/// Maps `ENOBUFS` to `EAGAIN`, so that the caller tries again later, as `src/unix/stream.c: uv__try_write` and
/// `src/unix/udp.c: uv__udp_sendmsg1`.
fn enobufs_to_eagain(errno: Errno) -> Errno {
    if errno == Errno::ENOBUFS { Errno::EAGAIN } else { errno }
}

#[cfg(test)]
mod testing {
    //! Helpers for the tests of the files in this module.
    use super::*;
    use crate::Fd;
    use std::os::fd::AsFd;
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// A temporary directory for each test, removed with its content on drop.
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

    /// Waits until the descriptor is ready (or has an error); fails the test after ten seconds.
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

    /// True if this machine has `::1`.
    pub(super) fn has_ipv6_loopback() -> bool {
        stream_socket(Domain::V6).and_then(|fd| bind(&fd, &localhost(Domain::V6))).is_ok()
    }

    pub(super) fn localhost(domain: Domain) -> Address {
        match domain {
            Domain::V6 => Address::from("[::1]:0".parse::<std::net::SocketAddr>().unwrap()),
            _ => Address::from("127.0.0.1:0".parse::<std::net::SocketAddr>().unwrap()),
        }
    }

    /// A listening socket, a client connected to it, and the accepted socket.
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
