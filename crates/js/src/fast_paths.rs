//! The switch behind `--no-fast-paths`: native fast paths decline, and the JavaScript behind them runs.
//!
//! The switch is read when a module obtains its natives, never per call, so it costs nothing on hot paths. It holds for the whole
//! process: workers run in the same mode as the main thread. `docs/fast-paths.md` lists the fast paths.

use std::sync::atomic::{AtomicBool, Ordering};

/// True unless [`disable`] was called.
static ENABLED: AtomicBool = AtomicBool::new(true);

/// Switches fast paths off for hosts that are created from now on. There is no way back: natives are handed out once.
pub fn disable() {
    ENABLED.store(false, Ordering::Relaxed);
}

/// True if natives may take fast paths.
pub fn are_enabled() -> bool {
    ENABLED.load(Ordering::Relaxed)
}
