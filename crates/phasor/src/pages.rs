//! The pages of `docs/` as doc tests: every example there is compiled and run with the tests of this crate.
//!
//! Nothing else belongs here: the module exists only in doc tests.

macro_rules! pages {
    ($($name:ident: $page:literal;)*) => {
        $(#[doc = include_str!($page)] mod $name {})*
    };
}

pages! {
    handles: "../../../docs/handles/README.md";
    handle_async: "../../../docs/handles/async.md";
    handle_check: "../../../docs/handles/check.md";
    handle_fs_event: "../../../docs/handles/fs_event.md";
    handle_fs_poll: "../../../docs/handles/fs_poll.md";
    handle_idle: "../../../docs/handles/idle.md";
    handle_pipe: "../../../docs/handles/pipe.md";
    handle_poll: "../../../docs/handles/poll.md";
    handle_prepare: "../../../docs/handles/prepare.md";
    handle_process: "../../../docs/handles/process.md";
    handle_signal: "../../../docs/handles/signal.md";
    handle_tcp: "../../../docs/handles/tcp.md";
    handle_timer: "../../../docs/handles/timer.md";
    handle_tty: "../../../docs/handles/tty.md";
    handle_udp: "../../../docs/handles/udp.md";
    the_loop: "../../../docs/loop.md";
    requests: "../../../docs/requests.md";
    streams: "../../../docs/streams.md";
}
