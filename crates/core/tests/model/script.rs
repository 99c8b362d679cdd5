//! Scripts: plain data, in which every value is valid.

use std::fmt;

/// Operations on a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(fuzzing, derive(arbitrary::Arbitrary))]
pub(crate) struct Script {
    /// Executed one after the other, outside of callbacks.
    pub(crate) steps: Vec<Step>,
    /// Executed in callbacks.
    pub(crate) calls: Vec<Call>,
}

/// One step outside of callbacks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(fuzzing, derive(arbitrary::Arbitrary))]
pub(crate) enum Step {
    /// An operation outside of a run.
    Do(Op),
    /// A run, which is stopped after this many events plus one.
    Run(Mode, u8),
}

/// When an event of `target` is returned for the `time`-th time (from 0), `ops` are executed in its callback.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(fuzzing, derive(arbitrary::Arbitrary))]
pub(crate) struct Call {
    pub(crate) target: Target,
    pub(crate) time: u8,
    pub(crate) ops: Vec<Op>,
}

/// The handle or request of an event, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(fuzzing, derive(arbitrary::Arbitrary))]
pub(crate) enum Target {
    Handle(u8),
    Request(u8),
}

/// Enums whose `Debug` output includes the name of the enum, because scripts are printed to be pasted.
macro_rules! named {
    ($($(#[$doc:meta])* $Name:ident { $($Variant:ident),* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq)]
        #[cfg_attr(fuzzing, derive(arbitrary::Arbitrary))]
        pub(crate) enum $Name {
            $($Variant),*
        }

        impl fmt::Debug for $Name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $($Name::$Variant => concat!(stringify!($Name), "::", stringify!($Variant))),*
                })
            }
        }
    )*};
}

named! {
    /// The mode of a run.
    Mode { Default, Once, NoWait }
    /// The kinds that need nothing to be opened; the sixth, poll, needs a descriptor.
    Kind { Timer, Idle, Prepare, Check, Async }
    /// The three kinds that run once in every turn.
    Watcher { Idle, Prepare, Check }
}

/// One operation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(fuzzing, derive(arbitrary::Arbitrary))]
pub(crate) enum Op {
    Open(Kind),
    OpenPoll(Fd),
    TimerStart(Pick, Ms, Ms),
    TimerStop(Pick),
    TimerAgain(Pick),
    TimerSetRepeat(Pick, Ms),
    Start(Watcher, Pick),
    Stop(Watcher, Pick),
    Send(Pick),
    /// With a sender that may have outlived its handle.
    SendKept(Pick),
    PollStart(Pick, Bits),
    PollStop(Pick),
    /// Sets the readiness of a descriptor.
    Ready(Fd, Bits),
    /// Sets the readiness of a descriptor at a later time.
    ReadyIn(Ms, Fd, Bits),
    SetRef(Pick, bool),
    Close(Pick),
    Advance(Ms),
    UpdateTime,
    StopRun,
    Work,
    Cancel(u8),
}

/// Chooses a handle: usually among those of the operation's kind, else among all ever opened, or the one whose callback
/// is running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(fuzzing, derive(arbitrary::Arbitrary))]
pub(crate) struct Pick(pub(crate) u8);

impl Pick {
    /// Values from here on choose among handles of all kinds.
    pub(crate) const ANY: u8 = 200;
    /// Values from here on choose the handle whose callback is running, if there is one.
    pub(crate) const CURRENT: u8 = 232;

    /// The number of the chosen handle; `opened` has the kind of each handle. `None` if there is none to choose from.
    pub(crate) fn choose<K: Copy + PartialEq>(
        self,
        opened: &[K],
        kind: Option<K>,
        current: Option<usize>,
    ) -> Option<usize> {
        if self.0 >= Pick::CURRENT && current.is_some() {
            return current;
        }
        let matches = |&n: &usize| self.0 >= Pick::ANY || kind.is_none_or(|kind| opened[n] == kind);
        let candidates: Vec<usize> = (0..opened.len()).filter(matches).collect();
        candidates.get(usize::from(self.0 % Pick::ANY).checked_rem(candidates.len())?).copied()
    }
}

/// A time: small, or one at which sums overflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(fuzzing, derive(arbitrary::Arbitrary))]
pub(crate) struct Ms(pub(crate) u8);

impl Ms {
    const HUGE: [u64; 8] = [
        i32::MAX as u64,
        1 << 32,
        1 << 40,
        u64::MAX / 1_000_000,
        u64::MAX / 1_000_000 + 1,
        1 << 63,
        u64::MAX - 1,
        u64::MAX,
    ];

    /// Values from here on are huge times.
    pub(crate) const LARGE: u8 = 248;

    pub(crate) fn ms(self) -> u64 {
        match self.0.checked_sub(Ms::LARGE) {
            Some(n) => Ms::HUGE[usize::from(n)],
            None => u64::from(self.0 % 31),
        }
    }
}

/// One of a few descriptors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(fuzzing, derive(arbitrary::Arbitrary))]
pub(crate) struct Fd(pub(crate) u8);

impl Fd {
    pub(crate) const ALL: [i32; 3] = [3, 4, 5];

    pub(crate) fn number(self) -> i32 {
        Fd::ALL[usize::from(self.0) % Fd::ALL.len()]
    }
}

/// A set of readiness bits; bits above the sixth are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(fuzzing, derive(arbitrary::Arbitrary))]
pub(crate) struct Bits(pub(crate) u8);

impl Bits {
    pub(crate) const READABLE: u32 = 0x1;
    pub(crate) const PRIORITIZED: u32 = 0x2;
    pub(crate) const WRITABLE: u32 = 0x4;
    pub(crate) const ERROR: u32 = 0x8;
    pub(crate) const HANGUP: u32 = 0x10;
    pub(crate) const PEER_CLOSED: u32 = 0x2000;

    pub(crate) fn epoll(self) -> u32 {
        let bits = [Bits::READABLE, Bits::WRITABLE, Bits::PEER_CLOSED, Bits::PRIORITIZED, Bits::HANGUP, Bits::ERROR];
        (0..6).filter(|n| self.0 >> n & 1 == 1).map(|n| bits[n]).sum()
    }
}

/// Prints a script so that it can be pasted into a test that imports the variants of `Step`, `Op` and `Target`.
impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format!("{self:?}").replace('[', "vec!["))
    }
}
