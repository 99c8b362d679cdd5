//! Scripts: plain data, every value of which means something.

use std::fmt;

/// What is done to a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(fuzzing, derive(arbitrary::Arbitrary))]
pub(crate) struct Script {
    /// Done one after the other from outside.
    pub(crate) steps: Vec<Step>,
    /// Done between two events.
    pub(crate) calls: Vec<Call>,
}

/// One step from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(fuzzing, derive(arbitrary::Arbitrary))]
pub(crate) enum Step {
    /// An operation while no run is under way.
    Do(Op),
    /// A run; after so many events (and one) the loop is stopped.
    Run(Mode, u8),
}

/// When an event of `who` is handed out the `time`-th time (from 0), `ops` are done before the next one is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(fuzzing, derive(arbitrary::Arbitrary))]
pub(crate) struct Call {
    pub(crate) target: Target,
    pub(crate) time: u8,
    pub(crate) ops: Vec<Op>,
}

/// Whose event it is, by the number of the opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(fuzzing, derive(arbitrary::Arbitrary))]
pub(crate) enum Target {
    Handle(u8),
    Request(u8),
}

/// Enums that are printed with their own name before the variant's, since scripts are printed to be pasted.
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
    /// How a run goes.
    Mode { Default, Once, NoWait }
    /// The kinds that need nothing to be opened. (The sixth, poll, needs a descriptor.)
    Kind { Timer, Idle, Prepare, Check, Async }
    /// The three kinds that have their turn in every turn.
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
    /// By a sender that may have outlived its handle.
    SendKept(Pick),
    PollStart(Pick, Bits),
    PollStop(Pick),
    /// A descriptor becomes ready for exactly this.
    Ready(Fd, Bits),
    /// The same, in time to come.
    ReadyIn(Ms, Fd, Bits),
    SetRef(Pick, bool),
    Close(Pick),
    Advance(Ms),
    UpdateTime,
    StopRun,
    Work,
    Cancel(u8),
}

/// Chooses a handle: mostly among those of the operation's own kind, else among all that ever were, or the one that is
/// being called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(fuzzing, derive(arbitrary::Arbitrary))]
pub(crate) struct Pick(pub(crate) u8);

impl Pick {
    /// From here on the choice is among handles of any kind.
    pub(crate) const ANY: u8 = 200;
    /// From here on it is the handle that is being called, if one is.
    pub(crate) const CURRENT: u8 = 232;

    /// The number of the handle in `opened` (each handle's kind). Nothing if there is none to choose from.
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

/// A time: small, or one of those at which sums overflow.
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

    /// From here on the time is huge.
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

/// A set of readiness bits; those above the sixth mean nothing.
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

/// As it can be pasted into a test that uses the names of `Step`, `Op` and `Who`.
impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format!("{self:?}").replace('[', "vec!["))
    }
}
