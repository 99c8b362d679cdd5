//! The seven phases, and how long a run lasts.

/// A phase of the loop. Every event is handed out in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Phase {
    /// Timers whose time has come, in the order of their due times.
    Timers,
    /// What was put off until after the call that caused it: finished writes, refused connections.
    Pending,
    /// Handles that run every turn and keep the loop from sleeping.
    Idle,
    /// Handles that run just before the loop may sleep.
    Prepare,
    /// The one place where the loop sleeps: descriptors, wakes, results of the pool, signals.
    Poll,
    /// Handles that run just after the loop may have slept.
    Check,
    /// Handles that were closed.
    Closing,
}

impl Phase {
    /// All seven, in the order of a turn that begins with timers.
    pub const ALL: [Phase; 7] =
        [Phase::Timers, Phase::Pending, Phase::Idle, Phase::Prepare, Phase::Poll, Phase::Check, Phase::Closing];

    /// The phase's noun, as it is written in traces and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Phase::Timers => "timers",
            Phase::Pending => "pending",
            Phase::Idle => "idle",
            Phase::Prepare => "prepare",
            Phase::Poll => "poll",
            Phase::Check => "check",
            Phase::Closing => "closing",
        }
    }
}

impl std::fmt::Display for Phase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// How far one run of the loop goes.
#[doc(alias = "uv_run_mode")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum RunMode {
    /// Until nothing keeps the loop alive, or it is stopped.
    #[default]
    Default,
    /// One turn, which may sleep.
    Once,
    /// One turn, which does not sleep.
    NoWait,
}
