//! The limits of a run, kept from outside the engine: it may be deep in a solver when they are met.

use std::time::{Duration, Instant};

/// How long an engine that was told to stop may take to do so.
const GRACE: Duration = Duration::from_millis(1500);

pub struct Watch {
    start: Instant,
    pub deadline: Instant,
    memory: u64,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Limit {
    Time,
    Memory,
}

impl Watch {
    /// `memory` is in bytes.
    pub fn new(start: Instant, time: Duration, memory: u64) -> Watch {
        // A far future that no clock reaches stands for "no limit".
        let year = Duration::from_secs(365 * 24 * 3600);
        Watch { start, deadline: start + time.min(year), memory }
    }

    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// The limit that was met, so that the run must end here and now.
    pub fn met(&self) -> Option<Limit> {
        if Instant::now() >= self.deadline + GRACE {
            Some(Limit::Time)
        } else if resident().is_some_and(|bytes| bytes > self.memory) {
            Some(Limit::Memory)
        } else {
            None
        }
    }
}

/// Memory the process has in use.
fn resident() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}
