//! Terminals: opening one for an event loop, its modes, its window size, and the type of a descriptor.
//!
//! A terminal's open file description is usually shared with other processes (the shell, other parts of a pipeline), so
//! nothing here may set `O_NONBLOCK` on it: [`open`] opens the device again. The terminal's attributes (`termios(3)`)
//! are shared all the same, so the original ones are saved once per process and restored by [`reset_mode`]. Reading and
//! writing are not here: a terminal is a stream, see `socket`.
//!
//! # Ground rules
//! `ORIGINAL` is locked for at most two system calls. A signal handler must not wait for it: [`reset_mode`] only tries
//! the lock and returns `EBUSY`.
//!
//! # Safety
//! `atexit` is the only call that rustix does not have.
#![allow(unsafe_code)]

use std::os::fd::{AsRawFd, RawFd};
use std::sync::{Mutex, MutexGuard, Once, PoisonError, TryLockError};

use rustix::fs::{FileType, OFlags};
use rustix::io::retry_on_intr;
use rustix::net::{AddressFamily, SocketType};
use rustix::termios::{
    ControlModes, InputModes, LocalModes, OptionalActions, OutputModes, SpecialCodeIndex, Termios, tcgetattr,
    tcgetwinsize, tcsetattr,
};

use crate::{Errno, Fd, Result, fd};

/// The type of a descriptor, as far as it decides which kind of handle can use it. The types are those of libuv's
/// `uv_handle_type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A terminal.
    Tty,
    /// A regular file, or a character device that is not a terminal.
    File,
    /// A FIFO, an anonymous pipe, or a Unix stream socket.
    NamedPipe,
    /// An IPv4 or IPv6 stream socket.
    Tcp,
    /// An IPv4 or IPv6 datagram socket.
    Udp,
    /// Anything else, and numbers that are not open descriptors.
    Unknown,
}

/// Determines the type of a descriptor.
#[doc(alias = "uv_guess_handle")]
pub fn guess_kind(raw: RawFd) -> Kind {
    let Ok(file) = fd::borrow(raw) else { return Kind::Unknown };
    // `tcgetattr` is the test that the C library's `isatty(3)` makes; rustix's `isatty` reads the window size instead.
    if retry_on_intr(|| tcgetattr(file)).is_ok() {
        return Kind::Tty;
    }
    let Ok(stat) = rustix::fs::fstat(file) else { return Kind::Unknown };
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile | FileType::CharacterDevice => Kind::File,
        FileType::Fifo => Kind::NamedPipe,
        FileType::Socket => {
            let (Ok(name), Ok(socket_type)) = (rustix::net::getsockname(file), rustix::net::sockopt::socket_type(file))
            else {
                return Kind::Unknown;
            };
            match (socket_type, name.address_family()) {
                (SocketType::STREAM, AddressFamily::INET | AddressFamily::INET6) => Kind::Tcp,
                (SocketType::STREAM, AddressFamily::UNIX) => Kind::NamedPipe,
                (SocketType::DGRAM, AddressFamily::INET | AddressFamily::INET6) => Kind::Udp,
                _ => Kind::Unknown,
            }
        }
        _ => Kind::Unknown,
    }
}

/// A terminal opened by [`open`].
#[derive(Debug)]
pub struct TtyFile {
    /// The descriptor to use: a new one, or the given one, now owned.
    pub fd: Fd,
    /// True if it is open for reading.
    pub readable: bool,
    /// True if it is open for writing.
    pub writable: bool,
    /// True if the open file description is still shared and thus in blocking mode: each write waits for the previous
    /// one.
    pub blocking_writes: bool,
}

/// Opens a terminal for an event loop.
///
/// As `src/unix/tty.c: uv_tty_init`: the device is opened again with the same access mode, and `dup3` makes the
/// caller's number `raw` refer to the new open file description too. Other processes that share the old one keep it and
/// never see `O_NONBLOCK`. If the device cannot be reopened (the master of a pty, no permission), `raw` itself is used
/// and owned from here on, with [`TtyFile::blocking_writes`] if it is writable.
///
/// `EINVAL` for regular files, devices that are not terminals, and unknown types. Pipes and stream sockets are used as
/// they are and made nonblocking, again as `uv_tty_init`.
#[doc(alias = "uv_tty_init")]
pub fn open(raw: RawFd) -> Result<TtyFile> {
    let kind = guess_kind(raw);
    if matches!(kind, Kind::File | Kind::Unknown) {
        return Err(Errno::EINVAL);
    }
    let access = rustix::fs::fcntl_getfl(fd::borrow(raw)?)? & OFlags::RWMODE;
    let (readable, writable) = (access != OFlags::WRONLY, access != OFlags::RDONLY);

    if kind == Kind::Tty
        && let Some(reopened) = reopen(raw, access)
    {
        // If another thread closed `raw` meanwhile, `reopened` may have got that number; `replace` allows it.
        fd::replace(raw, &reopened)?;
        fd::set_nonblocking(reopened.as_raw_fd(), true)?;
        return Ok(TtyFile { fd: reopened, readable, writable, blocking_writes: false });
    }
    let blocking_writes = kind == Kind::Tty && writable;
    if !blocking_writes {
        fd::set_nonblocking(raw, true)?;
    }
    Ok(TtyFile { fd: Fd::adopt(raw)?, readable, writable, blocking_writes })
}

/// Opens the device behind `raw` again. `None` if that is impossible.
fn reopen(raw: RawFd, access: OFlags) -> Option<Fd> {
    // Only the master of a pty has a slave name. Opening a master again would create another pty.
    if rustix::pty::ptsname(fd::borrow(raw).ok()?, Vec::new()).is_ok() {
        return None;
    }
    // By `/proc/self/fd` and not by `ttyname(3)`: this is certainly the same device, and it works if the terminal
    // belongs to another mount namespace, as under `docker exec`.
    let path = format!("/proc/self/fd/{raw}");
    let flags = access | OFlags::NOCTTY | OFlags::CLOEXEC;
    let reopened = retry_on_intr(|| rustix::fs::open(path.as_str(), flags, rustix::fs::Mode::empty())).ok()?;
    let reopened = Fd::from(reopened);
    // The path may lead to another file (no /proc, or another file system mounted there).
    (guess_kind(reopened.as_raw_fd()) == Kind::Tty).then_some(reopened)
}

/// The mode of a terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// The original attributes.
    #[default]
    Normal,
    /// Raw mode: each key is delivered at once and without echo, and Ctrl-C sends no signal. Output is still processed,
    /// so a newline also returns the carriage.
    Raw,
    /// Binary mode: bytes pass unchanged in both directions (`cfmakeraw`).
    Io,
}

impl Mode {
    /// Converts a `uv_tty_mode_t`: 0 normal, 1 raw, 2 io, 3 raw with virtual terminal sequences, which equals raw on
    /// Unix. `EINVAL` for other numbers.
    #[doc(alias = "uv_tty_mode_t")]
    pub fn from_raw(number: i32) -> Result<Mode> {
        match number {
            0 => Ok(Mode::Normal),
            1 | 3 => Ok(Mode::Raw),
            2 => Ok(Mode::Io),
            _ => Err(Errno::EINVAL),
        }
    }

    /// The attributes of this mode, derived from the original ones.
    fn apply(self, original: &Termios) -> Termios {
        let mut termios = original.clone();
        match self {
            Mode::Normal => {}
            Mode::Raw => {
                termios.input_modes.remove(
                    InputModes::BRKINT | InputModes::ICRNL | InputModes::INPCK | InputModes::ISTRIP | InputModes::IXON,
                );
                termios.output_modes.insert(OutputModes::ONLCR);
                termios.control_modes.insert(ControlModes::CS8);
                termios
                    .local_modes
                    .remove(LocalModes::ECHO | LocalModes::ICANON | LocalModes::IEXTEN | LocalModes::ISIG);
                termios.special_codes[SpecialCodeIndex::VMIN] = 1;
                termios.special_codes[SpecialCodeIndex::VTIME] = 0;
            }
            Mode::Io => termios.make_raw(),
        }
        termios
    }
}

/// The current mode of one terminal, and its original attributes.
#[derive(Debug, Default)]
pub struct Settings {
    mode: Mode,
    /// The attributes when the normal mode was last left.
    original: Option<Termios>,
}

impl Settings {
    /// The settings of a terminal in its normal mode.
    pub fn new() -> Settings {
        Settings::default()
    }

    /// The mode that was set last.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Changes the mode immediately, without waiting for output to drain (`TCSANOW`). Setting the current mode again
    /// does nothing.
    #[doc(alias = "uv_tty_set_mode")]
    pub fn set_mode(&mut self, raw: RawFd, mode: Mode) -> Result<()> {
        if self.mode == mode {
            return Ok(());
        }
        let tty = fd::borrow(raw)?;
        let original = match (self.mode, &self.original) {
            (Mode::Raw | Mode::Io, Some(original)) => original.clone(),
            _ => {
                let found = retry_on_intr(|| tcgetattr(tty))?;
                self.original = Some(found.clone());
                lock().get_or_insert_with(|| Original { raw, termios: found.clone() });
                found
            }
        };
        let termios = mode.apply(&original);
        retry_on_intr(|| tcsetattr(tty, OptionalActions::Now, &termios))?;
        self.mode = mode;
        Ok(())
    }
}

/// The attributes that [`reset_mode`] restores.
struct Original {
    /// The terminal's descriptor, not owned: the stream that owns it calls [`restore_before_close`] before it closes
    /// it.
    raw: RawFd,
    termios: Termios,
}

/// The first terminal of this process that left its normal mode, with its original attributes.
static ORIGINAL: Mutex<Option<Original>> = Mutex::new(None);

fn lock() -> MutexGuard<'static, Option<Original>> {
    ORIGINAL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Restores the attributes from before the first [`Settings::set_mode`] of this process; for use before exit.
///
/// May be called from a signal handler: it does not block, does not allocate and preserves `errno`. `EBUSY` if the
/// handler interrupted a change of mode. As `src/unix/tty.c: uv_tty_reset_mode`.
#[doc(alias = "uv_tty_reset_mode")]
pub fn reset_mode() -> Result<()> {
    let guard = match ORIGINAL.try_lock() {
        Ok(guard) => guard,
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        Err(TryLockError::WouldBlock) => return Err(Errno::EBUSY),
    };
    match &*guard {
        Some(original) => original.restore(),
        None => Ok(()),
    }
}

/// Calls [`reset_mode`] when the process exits by returning from `main` or by `exit(3)`. Further calls do nothing.
pub fn reset_mode_at_exit() {
    extern "C" fn on_exit() {
        // The process is exiting, so the error cannot be reported.
        let _ = reset_mode();
    }
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the function is static, takes no argument and does not unwind.
        unsafe { libc::atexit(on_exit) };
    });
}

impl Original {
    fn restore(&self) -> Result<()> {
        let tty = fd::borrow(self.raw)?;
        Ok(retry_on_intr(|| tcsetattr(tty, OptionalActions::Now, &self.termios))?)
    }
}

/// Restores the terminal's mode; to be called before its descriptor is closed.
///
/// As `src/unix/tty.c: uv__tty_close`: if [`reset_mode`] would restore this terminal, it is restored now and forgotten.
pub fn restore_before_close(raw: RawFd) {
    let mut guard = lock();
    if let Some(original) = guard.take_if(|original| original.raw == raw) {
        // If the terminal is gone there is no mode to restore; the close continues.
        let _ = original.restore();
    }
}

/// The size of the terminal's window: columns, rows.
#[doc(alias = "uv_tty_get_winsize")]
pub fn window_size(raw: RawFd) -> Result<(u16, u16)> {
    let tty = fd::borrow(raw)?;
    let size = retry_on_intr(|| tcgetwinsize(tty))?;
    Ok((size.ws_col, size.ws_row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::fcntl_getfl;
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use std::fs::File;
    use std::net::{TcpListener, UdpSocket};
    use std::os::fd::OwnedFd;
    use std::os::unix::net::{UnixDatagram, UnixStream};

    /// The original attributes are saved once per process, so the tests that change modes take turns.
    static TURN: Mutex<()> = Mutex::new(());

    fn turn() -> MutexGuard<'static, ()> {
        TURN.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pty() -> (OwnedFd, OwnedFd) {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let slave = slave_of(&master, OFlags::RDWR);
        (master, slave)
    }

    fn slave_of(master: &OwnedFd, access: OFlags) -> OwnedFd {
        let path = ptsname(master, Vec::new()).unwrap();
        rustix::fs::open(path, access | OFlags::NOCTTY | OFlags::CLOEXEC, rustix::fs::Mode::empty()).unwrap()
    }

    fn is_nonblocking(file: &impl std::os::fd::AsFd) -> bool {
        fcntl_getfl(file).unwrap().contains(OFlags::NONBLOCK)
    }

    #[test]
    fn guess_kind_recognizes_every_type() {
        let (master, slave) = pty();
        assert_eq!(guess_kind(master.as_raw_fd()), Kind::Tty);
        assert_eq!(guess_kind(slave.as_raw_fd()), Kind::Tty);
        assert_eq!(guess_kind(File::open("/dev/null").unwrap().as_raw_fd()), Kind::File);
        assert_eq!(guess_kind(File::open("/proc/self/exe").unwrap().as_raw_fd()), Kind::File);
        assert_eq!(guess_kind(File::open("/").unwrap().as_raw_fd()), Kind::Unknown);
        assert_eq!(guess_kind(rustix::pipe::pipe().unwrap().0.as_raw_fd()), Kind::NamedPipe);
        assert_eq!(guess_kind(UnixStream::pair().unwrap().0.as_raw_fd()), Kind::NamedPipe);
        assert_eq!(guess_kind(UnixDatagram::unbound().unwrap().as_raw_fd()), Kind::Unknown);
        assert_eq!(guess_kind(TcpListener::bind("127.0.0.1:0").unwrap().as_raw_fd()), Kind::Tcp);
        assert_eq!(guess_kind(UdpSocket::bind("127.0.0.1:0").unwrap().as_raw_fd()), Kind::Udp);
        assert_eq!(guess_kind(-1), Kind::Unknown);
        assert_eq!(guess_kind(i32::MAX), Kind::Unknown);
    }

    #[test]
    fn files_and_other_devices_are_refused() {
        for path in ["/dev/null", "/dev/zero", "/proc/self/exe", "/"] {
            assert_eq!(open(File::open(path).unwrap().as_raw_fd()).unwrap_err(), Errno::EINVAL, "{path}");
        }
        assert_eq!(open(-1).unwrap_err(), Errno::EINVAL);
        assert_eq!(open(i32::MAX).unwrap_err(), Errno::EINVAL);
    }

    #[test]
    fn a_slave_is_reopened_and_the_shared_description_stays_blocking() {
        let (_master, slave) = pty();
        let sharer = slave.try_clone().unwrap();
        let tty = open(slave.as_raw_fd()).unwrap();
        assert_ne!(tty.fd.as_raw_fd(), slave.as_raw_fd());
        assert_eq!((tty.readable, tty.writable, tty.blocking_writes), (true, true, false));
        assert!(is_nonblocking(&tty.fd));
        assert!(is_nonblocking(&slave), "the given number refers to the new open file description");
        assert!(!is_nonblocking(&sharer), "O_NONBLOCK leaked into the shared open file description");
        for file in [tty.fd.as_raw_fd(), slave.as_raw_fd()] {
            let flags = rustix::io::fcntl_getfd(fd::borrow(file).unwrap()).unwrap();
            assert!(flags.contains(rustix::io::FdFlags::CLOEXEC));
        }
    }

    #[test]
    fn the_access_mode_is_kept() {
        let (master, _slave) = pty();
        for (access, readable, writable) in [(OFlags::RDONLY, true, false), (OFlags::WRONLY, false, true)] {
            let slave = slave_of(&master, access);
            let tty = open(slave.as_raw_fd()).unwrap();
            assert_eq!((tty.readable, tty.writable, tty.blocking_writes), (readable, writable, false));
            assert_eq!(fcntl_getfl(&tty.fd).unwrap() & OFlags::RWMODE, access);
        }
    }

    #[test]
    fn a_master_is_kept_with_blocking_writes() {
        let (master, _slave) = pty();
        let raw = Fd::from(master).release();
        let tty = open(raw).unwrap();
        assert_eq!(tty.fd.as_raw_fd(), raw);
        assert!(tty.blocking_writes && tty.readable && tty.writable);
        assert!(!is_nonblocking(&tty.fd));
    }

    #[test]
    fn a_pipe_is_taken_as_it_is() {
        let (reader, _writer) = rustix::pipe::pipe().unwrap();
        let raw = Fd::from(reader).release();
        let tty = open(raw).unwrap();
        assert_eq!((tty.fd.as_raw_fd(), tty.readable, tty.writable, tty.blocking_writes), (raw, true, false, false));
        assert!(is_nonblocking(&tty.fd));
    }

    fn same(a: &Termios, b: &Termios) -> bool {
        (a.input_modes, a.output_modes, a.control_modes, a.local_modes)
            == (b.input_modes, b.output_modes, b.control_modes, b.local_modes)
    }

    #[test]
    fn modes_are_set_and_restored() {
        let _turn = turn();
        let (_master, slave) = pty();
        let raw = slave.as_raw_fd();
        let before = tcgetattr(&slave).unwrap();
        assert!(before.local_modes.contains(LocalModes::ICANON | LocalModes::ECHO));

        let mut settings = Settings::new();
        settings.set_mode(raw, Mode::Raw).unwrap();
        let now = tcgetattr(&slave).unwrap();
        assert!(!now.local_modes.intersects(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG));
        assert!(now.output_modes.contains(OutputModes::OPOST | OutputModes::ONLCR), "output is still processed");

        settings.set_mode(raw, Mode::Io).unwrap();
        let now = tcgetattr(&slave).unwrap();
        assert!(!now.local_modes.contains(LocalModes::ICANON));
        assert!(!now.output_modes.contains(OutputModes::OPOST));

        settings.set_mode(raw, Mode::Normal).unwrap();
        assert!(same(&tcgetattr(&slave).unwrap(), &before));
        assert_eq!(settings.mode(), Mode::Normal);
        restore_before_close(raw);
    }

    #[test]
    fn reset_restores_the_first_terminal() {
        let _turn = turn();
        reset_mode().unwrap();
        let ((_m1, first), (_m2, second)) = (pty(), pty());
        let before = tcgetattr(&first).unwrap();
        let (mut one, mut two) = (Settings::new(), Settings::new());
        one.set_mode(first.as_raw_fd(), Mode::Raw).unwrap();
        two.set_mode(second.as_raw_fd(), Mode::Raw).unwrap();

        let guard = lock();
        assert_eq!(reset_mode(), Err(Errno::EBUSY));
        drop(guard);
        reset_mode().unwrap();
        assert!(same(&tcgetattr(&first).unwrap(), &before));
        assert!(!same(&tcgetattr(&second).unwrap(), &before), "only the first terminal is saved");
        restore_before_close(second.as_raw_fd());
        assert!(lock().is_some(), "closing another terminal forgets nothing");
        restore_before_close(first.as_raw_fd());
        assert!(lock().is_none());
    }

    #[test]
    fn closing_restores_the_mode() {
        let _turn = turn();
        let (_master, slave) = pty();
        let before = tcgetattr(&slave).unwrap();
        Settings::new().set_mode(slave.as_raw_fd(), Mode::Io).unwrap();
        assert!(!same(&tcgetattr(&slave).unwrap(), &before));
        restore_before_close(slave.as_raw_fd());
        assert!(same(&tcgetattr(&slave).unwrap(), &before));
    }

    #[test]
    fn modes_have_libuvs_numbers() {
        let modes: Vec<_> = (-1..5).map(Mode::from_raw).collect();
        let refused = Err(Errno::EINVAL);
        assert_eq!(modes, [refused, Ok(Mode::Normal), Ok(Mode::Raw), Ok(Mode::Io), Ok(Mode::Raw), refused]);
    }

    #[test]
    fn a_mode_on_a_file_fails_and_is_not_saved() {
        let _turn = turn();
        let file = File::open("/dev/null").unwrap();
        let mut settings = Settings::new();
        assert_eq!(settings.set_mode(file.as_raw_fd(), Mode::Raw), Err(Errno::ENOTTY));
        assert_eq!(settings.mode(), Mode::Normal);
        assert!(lock().is_none());
    }

    #[test]
    fn the_size_is_columns_then_rows() {
        let (master, slave) = pty();
        let size = rustix::termios::Winsize { ws_col: 132, ws_row: 43, ws_xpixel: 0, ws_ypixel: 0 };
        rustix::termios::tcsetwinsize(&master, size).unwrap();
        assert_eq!(window_size(slave.as_raw_fd()), Ok((132, 43)));
        assert_eq!(window_size(File::open("/dev/null").unwrap().as_raw_fd()), Err(Errno::ENOTTY));
    }
}
