//! Constants by name: error numbers, signals and `dlopen` flags, for `os.constants`.

macro_rules! numbers {
    ($($name:ident)*) => { &[$((stringify!($name), libc::$name as i32)),*] };
}

/// Error numbers by name, in the order of Node's `src/node_constants.cc: DefineErrnoConstants`.
pub const ERROR_NUMBERS: &[(&str, i32)] = numbers! {
    E2BIG EACCES EADDRINUSE EADDRNOTAVAIL EAFNOSUPPORT EAGAIN EALREADY EBADF EBADMSG EBUSY ECANCELED ECHILD ECONNABORTED
    ECONNREFUSED ECONNRESET EDEADLK EDESTADDRREQ EDOM EDQUOT EEXIST EFAULT EFBIG EHOSTUNREACH EIDRM EILSEQ EINPROGRESS EINTR
    EINVAL EIO EISCONN EISDIR ELOOP EMFILE EMLINK EMSGSIZE EMULTIHOP ENAMETOOLONG ENETDOWN ENETRESET ENETUNREACH ENFILE
    ENOBUFS ENODATA ENODEV ENOENT ENOEXEC ENOLCK ENOLINK ENOMEM ENOMSG ENOPROTOOPT ENOSPC ENOSR ENOSTR ENOSYS ENOTCONN
    ENOTDIR ENOTEMPTY ENOTSOCK ENOTSUP ENOTTY ENXIO EOPNOTSUPP EOVERFLOW EPERM EPIPE EPROTO EPROTONOSUPPORT EPROTOTYPE ERANGE
    EROFS ESPIPE ESRCH ESTALE ETIME ETIMEDOUT ETXTBSY EWOULDBLOCK EXDEV
};

/// Signals by name, in the order of Node's `src/node_constants.cc: DefineSignalConstants`.
#[cfg(target_os = "linux")]
pub const SIGNAL_NUMBERS: &[(&str, i32)] = numbers! {
    SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT SIGIOT SIGBUS SIGFPE SIGKILL SIGUSR1 SIGSEGV SIGUSR2 SIGPIPE SIGALRM SIGTERM
    SIGCHLD SIGSTKFLT SIGCONT SIGSTOP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGXCPU SIGXFSZ SIGVTALRM SIGPROF SIGWINCH SIGIO
    SIGPOLL SIGPWR SIGSYS
};

/// Signals by name, in the order of Node's `src/node_constants.cc: DefineSignalConstants`.
#[cfg(not(target_os = "linux"))]
pub const SIGNAL_NUMBERS: &[(&str, i32)] = numbers! {
    SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT SIGIOT SIGBUS SIGFPE SIGKILL SIGUSR1 SIGSEGV SIGUSR2 SIGPIPE SIGALRM SIGTERM
    SIGCHLD SIGCONT SIGSTOP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGXCPU SIGXFSZ SIGVTALRM SIGPROF SIGWINCH SIGIO SIGSYS
};

/// Flags of `dlopen(3)`, in the order of Node's `src/node_constants.cc: DefineDLOpenConstants`.
pub const DLOPEN_FLAGS: &[(&str, i32)] = numbers! { RTLD_LAZY RTLD_NOW RTLD_GLOBAL RTLD_LOCAL };

/// The `dlopen(3)` flag that makes a library prefer its own symbols to global ones; `None` where it does not exist.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub const RTLD_DEEPBIND: Option<i32> = Some(libc::RTLD_DEEPBIND);

/// The `dlopen(3)` flag that makes a library prefer its own symbols to global ones; `None` where it does not exist.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub const RTLD_DEEPBIND: Option<i32> = None;
