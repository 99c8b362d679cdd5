//! The numbers that programs know by name: errors, signals, and how to open a library.

macro_rules! numbers {
    ($($name:ident)*) => { &[$((stringify!($name), libc::$name as i32)),*] };
}

/// The error numbers of the system by name, in the order that Node lists them.
pub const ERROR_NUMBERS: &[(&str, i32)] = numbers! {
    E2BIG EACCES EADDRINUSE EADDRNOTAVAIL EAFNOSUPPORT EAGAIN EALREADY EBADF EBADMSG EBUSY ECANCELED ECHILD ECONNABORTED
    ECONNREFUSED ECONNRESET EDEADLK EDESTADDRREQ EDOM EDQUOT EEXIST EFAULT EFBIG EHOSTUNREACH EIDRM EILSEQ EINPROGRESS EINTR
    EINVAL EIO EISCONN EISDIR ELOOP EMFILE EMLINK EMSGSIZE EMULTIHOP ENAMETOOLONG ENETDOWN ENETRESET ENETUNREACH ENFILE
    ENOBUFS ENODATA ENODEV ENOENT ENOEXEC ENOLCK ENOLINK ENOMEM ENOMSG ENOPROTOOPT ENOSPC ENOSR ENOSTR ENOSYS ENOTCONN
    ENOTDIR ENOTEMPTY ENOTSOCK ENOTSUP ENOTTY ENXIO EOPNOTSUPP EOVERFLOW EPERM EPIPE EPROTO EPROTONOSUPPORT EPROTOTYPE ERANGE
    EROFS ESPIPE ESRCH ESTALE ETIME ETIMEDOUT ETXTBSY EWOULDBLOCK EXDEV
};

/// The signals of the system by name, in the order that Node lists them.
#[cfg(target_os = "linux")]
pub const SIGNAL_NUMBERS: &[(&str, i32)] = numbers! {
    SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT SIGIOT SIGBUS SIGFPE SIGKILL SIGUSR1 SIGSEGV SIGUSR2 SIGPIPE SIGALRM SIGTERM
    SIGCHLD SIGSTKFLT SIGCONT SIGSTOP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGXCPU SIGXFSZ SIGVTALRM SIGPROF SIGWINCH SIGIO
    SIGPOLL SIGPWR SIGSYS
};

/// The signals of the system by name, in the order that Node lists them.
#[cfg(not(target_os = "linux"))]
pub const SIGNAL_NUMBERS: &[(&str, i32)] = numbers! {
    SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT SIGIOT SIGBUS SIGFPE SIGKILL SIGUSR1 SIGSEGV SIGUSR2 SIGPIPE SIGALRM SIGTERM
    SIGCHLD SIGCONT SIGSTOP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGXCPU SIGXFSZ SIGVTALRM SIGPROF SIGWINCH SIGIO SIGSYS
};

/// How a library may be opened, in the order that Node lists them.
pub const DLOPEN_FLAGS: &[(&str, i32)] = numbers! { RTLD_LAZY RTLD_NOW RTLD_GLOBAL RTLD_LOCAL };

/// Opens a library so that its own symbols come first.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub const RTLD_DEEPBIND: Option<i32> = Some(libc::RTLD_DEEPBIND);

/// Opens a library so that its own symbols come first.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub const RTLD_DEEPBIND: Option<i32> = None;
