//! The seven phases of a turn, and the run modes.

/// A phase of the loop. Every event is returned in one of the phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Phase {
    /// Due timers, in the order of their due times.
    Timers,
    /// Callbacks that were deferred from an earlier call: finished writes, failed connects.
    Pending,
    /// Handles that run in every turn and keep the loop from blocking.
    Idle,
    /// Handles that run just before the loop may block.
    Prepare,
    /// The only phase that blocks: file descriptors, wakes, results of the pool, signals.
    Poll,
    /// Handles that run just after the loop may have blocked.
    Check,
    /// Closed handles.
    Closing,
}

impl Phase {
    /// All seven phases, in the order of a turn that begins with timers.
    pub const ALL: [Phase; 7] =
        [Phase::Timers, Phase::Pending, Phase::Idle, Phase::Prepare, Phase::Poll, Phase::Check, Phase::Closing];

    /// The name of the phase in traces and on the command line.
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

/// How long one run of the loop lasts.
#[doc(alias = "uv_run_mode")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum RunMode {
    /// Until the loop is not alive, or is stopped.
    #[default]
    Default,
    /// One turn, which may block.
    Once,
    /// One turn, which does not block.
    NoWait,
}
