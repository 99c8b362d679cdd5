//! Error numbers: the kernel's, plus the few that libuv adds.
//!
//! One type serves all crates. Errors of the operating system keep their number; libuv's own codes (`UV_EOF`,
//! `UV_EAI_*` ...) keep libuv's number as a positive value. So the C API returns the negated number, and JavaScript
//! uses [`Errno::name`] and [`Errno::message`].

use std::ffi::CStr;
use std::fmt;

/// The result of every fallible function of `sys` and `core`.
pub type Result<T, E = Errno> = std::result::Result<T, E>;

/// An error number. A number that the kernel returns and that has no name here is kept unchanged.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Errno(i32);

macro_rules! errnos {
    ($($name:ident = $value:expr, $message:literal;)*) => {
        impl Errno {
            $(#[doc = $message] pub const $name: Errno = Errno($value);)*

            /// The symbolic name, such as `"ENOENT"`, if this number has one.
            pub fn name(self) -> Option<&'static str> {
                match self { $(Errno::$name => Some(stringify!($name)),)* _ => None }
            }

            /// libuv's message (`uv_strerror`), such as `"no such file or directory"`, if this number has one.
            pub fn message(self) -> Option<&'static str> {
                match self { $(Errno::$name => Some($message),)* _ => None }
            }

            /// [`Errno::name`] as a C string.
            pub fn c_name(self) -> Option<&'static CStr> {
                match self { $(Errno::$name => Some(c_text(concat!(stringify!($name), "\0"))),)* _ => None }
            }

            /// [`Errno::message`] as a C string.
            pub fn c_message(self) -> Option<&'static CStr> {
                match self { $(Errno::$name => Some(c_text(concat!($message, "\0"))),)* _ => None }
            }

            /// Every named error number with its name and message, in alphabetical order of the names.
            pub const ALL: &'static [(Errno, &'static str, &'static str)] =
                &[$((Errno::$name, stringify!($name), $message)),*];
        }
    };
}

/// A C string from a literal that ends with its only NUL.
const fn c_text(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text,
        Err(_) => c"",
    }
}

errnos! {
    E2BIG = libc::E2BIG, "argument list too long";
    EACCES = libc::EACCES, "permission denied";
    EADDRINUSE = libc::EADDRINUSE, "address already in use";
    EADDRNOTAVAIL = libc::EADDRNOTAVAIL, "address not available";
    EAFNOSUPPORT = libc::EAFNOSUPPORT, "address family not supported";
    EAGAIN = libc::EAGAIN, "resource temporarily unavailable";
    EAI_ADDRFAMILY = 3000, "address family not supported";
    EAI_AGAIN = 3001, "temporary failure";
    EAI_BADFLAGS = 3002, "bad ai_flags value";
    EAI_BADHINTS = 3013, "invalid value for hints";
    EAI_CANCELED = 3003, "request canceled";
    EAI_FAIL = 3004, "permanent failure";
    EAI_FAMILY = 3005, "ai_family not supported";
    EAI_MEMORY = 3006, "out of memory";
    EAI_NODATA = 3007, "no address";
    EAI_NONAME = 3008, "unknown node or service";
    EAI_OVERFLOW = 3009, "argument buffer overflow";
    EAI_PROTOCOL = 3014, "resolved protocol is unknown";
    EAI_SERVICE = 3010, "service not available for socket type";
    EAI_SOCKTYPE = 3011, "socket type not supported";
    EALREADY = libc::EALREADY, "connection already in progress";
    EBADF = libc::EBADF, "bad file descriptor";
    EBUSY = libc::EBUSY, "resource busy or locked";
    ECANCELED = libc::ECANCELED, "operation canceled";
    ECHARSET = 4080, "invalid Unicode character";
    ECHILD = libc::ECHILD, "no child processes";
    ECONNABORTED = libc::ECONNABORTED, "software caused connection abort";
    ECONNREFUSED = libc::ECONNREFUSED, "connection refused";
    ECONNRESET = libc::ECONNRESET, "connection reset by peer";
    EDESTADDRREQ = libc::EDESTADDRREQ, "destination address required";
    EEXIST = libc::EEXIST, "file already exists";
    EFAULT = libc::EFAULT, "bad address in system call argument";
    EFBIG = libc::EFBIG, "file too large";
    EFTYPE = 4028, "inappropriate file type or format";
    EHOSTDOWN = libc::EHOSTDOWN, "host is down";
    EHOSTUNREACH = libc::EHOSTUNREACH, "host is unreachable";
    EILSEQ = libc::EILSEQ, "illegal byte sequence";
    EINTR = libc::EINTR, "interrupted system call";
    EINVAL = libc::EINVAL, "invalid argument";
    EIO = libc::EIO, "i/o error";
    EISCONN = libc::EISCONN, "socket is already connected";
    EISDIR = libc::EISDIR, "illegal operation on a directory";
    ELOOP = libc::ELOOP, "too many symbolic links encountered";
    EMFILE = libc::EMFILE, "too many open files";
    EMLINK = libc::EMLINK, "too many links";
    EMSGSIZE = libc::EMSGSIZE, "message too long";
    ENAMETOOLONG = libc::ENAMETOOLONG, "name too long";
    ENETDOWN = libc::ENETDOWN, "network is down";
    ENETUNREACH = libc::ENETUNREACH, "network is unreachable";
    ENFILE = libc::ENFILE, "file table overflow";
    ENOBUFS = libc::ENOBUFS, "no buffer space available";
    ENODATA = libc::ENODATA, "no data available";
    ENODEV = libc::ENODEV, "no such device";
    ENOENT = libc::ENOENT, "no such file or directory";
    ENOEXEC = libc::ENOEXEC, "exec format error";
    ENOMEM = libc::ENOMEM, "not enough memory";
    ENONET = libc::ENONET, "machine is not on the network";
    ENOPROTOOPT = libc::ENOPROTOOPT, "protocol not available";
    ENOSPC = libc::ENOSPC, "no space left on device";
    ENOSYS = libc::ENOSYS, "function not implemented";
    ENOTCONN = libc::ENOTCONN, "socket is not connected";
    ENOTDIR = libc::ENOTDIR, "not a directory";
    ENOTEMPTY = libc::ENOTEMPTY, "directory not empty";
    ENOTSOCK = libc::ENOTSOCK, "socket operation on non-socket";
    ENOTSUP = libc::ENOTSUP, "operation not supported on socket";
    ENOTTY = libc::ENOTTY, "inappropriate ioctl for device";
    ENXIO = libc::ENXIO, "no such device or address";
    EOF = 4095, "end of file";
    EOVERFLOW = libc::EOVERFLOW, "value too large for defined data type";
    EPERM = libc::EPERM, "operation not permitted";
    EPIPE = libc::EPIPE, "broken pipe";
    EPROTO = libc::EPROTO, "protocol error";
    EPROTONOSUPPORT = libc::EPROTONOSUPPORT, "protocol not supported";
    EPROTOTYPE = libc::EPROTOTYPE, "protocol wrong type for socket";
    ERANGE = libc::ERANGE, "result too large";
    EREMOTEIO = libc::EREMOTEIO, "remote I/O error";
    EROFS = libc::EROFS, "read-only file system";
    ESHUTDOWN = libc::ESHUTDOWN, "cannot send after transport endpoint shutdown";
    ESOCKTNOSUPPORT = libc::ESOCKTNOSUPPORT, "socket type not supported";
    ESPIPE = libc::ESPIPE, "invalid seek";
    ESRCH = libc::ESRCH, "no such process";
    ETIMEDOUT = libc::ETIMEDOUT, "connection timed out";
    ETXTBSY = libc::ETXTBSY, "text file is busy";
    EUNATCH = libc::EUNATCH, "protocol driver not attached";
    EXDEV = libc::EXDEV, "cross-device link not permitted";
    UNKNOWN = 4094, "unknown error";
}

impl Errno {
    /// An error from its positive number, as `errno` holds it.
    pub const fn from_raw(number: i32) -> Errno {
        Errno(number)
    }

    /// The positive number.
    pub const fn raw(self) -> i32 {
        self.0
    }

    /// The calling thread's `errno`, which the last failed call of the C library set.
    pub fn last() -> Errno {
        Errno::from(std::io::Error::last_os_error())
    }
}

impl From<rustix::io::Errno> for Errno {
    fn from(errno: rustix::io::Errno) -> Errno {
        Errno(errno.raw_os_error())
    }
}

/// An error without an operating system error number becomes [`Errno::UNKNOWN`].
impl From<std::io::Error> for Errno {
    fn from(error: std::io::Error) -> Errno {
        error.raw_os_error().map_or(Errno::UNKNOWN, Errno)
    }
}

/// libuv's own codes, which the operating system does not have, become errors of kind `Other` or `UnexpectedEof`.
impl From<Errno> for std::io::Error {
    fn from(errno: Errno) -> std::io::Error {
        match errno {
            Errno::EOF => std::io::Error::new(std::io::ErrorKind::UnexpectedEof, errno),
            Errno(number) if number < 3000 => std::io::Error::from_raw_os_error(number),
            _ => std::io::Error::other(errno),
        }
    }
}

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.name(), self.message()) {
            (Some(name), Some(message)) => write!(f, "{name}: {message}"),
            // libuv has no name for this number; the C library may have a message.
            _ => write!(f, "{}", std::io::Error::from_raw_os_error(self.0)),
        }
    }
}

impl fmt::Debug for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "Errno({})", self.0),
        }
    }
}

impl std::error::Error for Errno {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_survive_the_conversion_to_io_error_and_back() {
        for &(errno, name, message) in Errno::ALL {
            assert_eq!(errno.name(), Some(name));
            assert_eq!(errno.to_string(), format!("{name}: {message}"));
            assert_eq!(errno.c_name().and_then(|text| text.to_str().ok()), Some(name));
            assert_eq!(errno.c_message().and_then(|text| text.to_str().ok()), Some(message));
            let io = std::io::Error::from(errno);
            if errno.raw() < 3000 {
                assert_eq!(Errno::from(io), errno);
            }
        }
    }

    #[test]
    fn an_unknown_number_is_kept() {
        let odd = Errno::from_raw(999);
        assert_eq!((odd.raw(), odd.name()), (999, None));
        assert_eq!(odd.to_string(), "Unknown error 999 (os error 999)");
    }
}
