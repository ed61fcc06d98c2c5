//! The limits of a run, kept from outside the engine: it may be deep in a solver when they are met.

use crate::interrupt;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};
use syncline_engines::task::Reason;

/// How often the limits are looked at.
pub const LOOK: Duration = Duration::from_millis(40);
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

impl Limit {
    pub fn reason(self) -> Reason {
        match self {
            Limit::Time => Reason::Time,
            Limit::Memory => Reason::Memory,
        }
    }
}

impl Watch {
    /// `memory` is in bytes.
    pub fn new(start: Instant, time: Duration, memory: u64) -> Watch {
        // A far future that no clock reaches stands for "no limit".
        let year = Duration::from_secs(365 * 24 * 3600);
        Watch { start, deadline: start + time.min(year), memory }
    }

    /// The same limits with another deadline.
    pub fn until(&self, deadline: Instant) -> Watch {
        Watch { deadline, ..*self }
    }

    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// The one of these processes that must end because they and this one together have too much memory: the largest.
    pub fn too_large(&self, children: &[u32]) -> Option<usize> {
        let own = resident("self").unwrap_or(0);
        let sizes: Vec<u64> = children.iter().map(|id| resident(&id.to_string()).unwrap_or(0)).collect();
        // They share what was read before they started, so this is more than they have; counting that exactly takes longer.
        if own + sizes.iter().sum::<u64>() <= self.memory {
            return None;
        }
        let sizes = children.iter().zip(sizes).map(|(id, all)| proportional(*id).unwrap_or(all));
        let sizes: Vec<u64> = sizes.collect();
        let own = proportional(std::process::id()).unwrap_or(own);
        if own + sizes.iter().sum::<u64>() <= self.memory {
            return None;
        }
        (0..sizes.len()).max_by_key(|&n| sizes[n])
    }

    /// What the work gives; `None` if it fails, which it has said itself. If a limit is met first, the processes it has
    /// started are ended; its thread goes when this process does.
    pub fn within<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<Option<T>, Limit> {
        let (sender, receiver) = mpsc::channel();
        let thread = std::thread::spawn(move || drop(sender.send(work())));
        loop {
            match receiver.recv_timeout(LOOK) {
                Ok(result) => {
                    // Processes are copied from this one later: no other thread should be at work then.
                    let _ = thread.join();
                    return Ok(Some(result));
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Some(limit) = self.met() {
                interrupt::end_children();
                return Err(limit);
            }
        }
    }

    /// The limit that was met, so that the run must end here and now.
    pub fn met(&self) -> Option<Limit> {
        if Instant::now() >= self.deadline + GRACE {
            Some(Limit::Time)
        } else if resident("self").is_some_and(|bytes| bytes > self.memory) {
            Some(Limit::Memory)
        } else {
            None
        }
    }
}

/// Memory a process has in use.
fn resident(process: &str) -> Option<u64> {
    let statm = std::fs::read_to_string(format!("/proc/{process}/statm")).ok()?;
    let pages: u64 = statm.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

/// Memory a process has in use, what it shares divided by how many share it.
fn proportional(process: u32) -> Option<u64> {
    let rollup = std::fs::read_to_string(format!("/proc/{process}/smaps_rollup")).ok()?;
    let line = rollup.lines().find_map(|l| l.strip_prefix("Pss:"))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib * 1024)
}
