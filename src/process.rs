//! Processes that are copies of this one and do a part of the work: an engine has its own memory and its own solver, can be
//! ended at any moment, and takes nobody along when it fails.
//!
//! A copy (`fork`) has what this process has read, so nothing is read or sent twice. Only the thread that copies goes on in
//! it, and locks that others held would never be free: so copies are made by the main thread, while the only other one waits
//! for signals and holds nothing, and before any solver is used here.

use crate::interrupt;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsRawFd;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::Duration;

/// The exit status of a copy that could not do its work.
const FAILED: i32 = 70;

/// A copy that is at work.
pub struct Child {
    id: libc::pid_t,
    from: PipeReader,
    /// `None`: it listens no more.
    to: Option<PipeWriter>,
    /// The beginning of a line.
    begun: Vec<u8>,
}

/// How a copy speaks with who started it.
pub struct Link {
    pub to: PipeWriter,
    pub from: PipeReader,
}

/// Starts a copy of this process that does the work, says whether it could, and ends.
pub fn start(work: impl FnOnce(Link) -> bool) -> io::Result<Child> {
    let (from, to_parent) = io::pipe()?;
    let (from_parent, to) = io::pipe()?;
    let parent = std::process::id();
    // SAFETY: this is the main thread, and no other thread holds a lock (see above), so the copy may go on as any process.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            drop((from, to));
            let link = Link { to: to_parent, from: from_parent };
            let done = become_child(parent) && catch_unwind(AssertUnwindSafe(|| work(link))).unwrap_or(false);
            // SAFETY: ends the copy at once; what is to be done at the end of a process is its original's to do.
            unsafe { libc::_exit(if done { 0 } else { FAILED }) }
        }
        id => {
            // What it does not read it need not hear: nobody waits for it.
            // SAFETY: sets a flag of a file that is open.
            unsafe { libc::fcntl(to.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) };
            Ok(Child { id, from, to: Some(to), begun: Vec::new() })
        }
    }
}

/// A copy ends with its original, and signals end it at once; false if the original has gone already.
fn become_child(parent: u32) -> bool {
    // SAFETY: plain system calls on this process.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            libc::signal(signal, libc::SIG_DFL);
        }
    }
    std::os::unix::process::parent_id() == parent
}

/// How a copy has ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    Well,
    /// With another exit status, or by a signal.
    Badly,
}

impl Child {
    pub fn id(&self) -> u32 {
        self.id.unsigned_abs()
    }

    /// The whole lines that have come, without their ends; `None` after the last one.
    pub fn lines(&mut self) -> Option<Vec<Vec<u8>>> {
        let mut buffer = vec![0; 1 << 16];
        let count = match self.from.read(&mut buffer) {
            Ok(0) => return None,
            Ok(count) => count,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => 0,
            Err(_) => return None,
        };
        let mut lines = Vec::new();
        for piece in buffer[..count].split_inclusive(|&b| b == b'\n') {
            self.begun.extend_from_slice(piece);
            if self.begun.last() == Some(&b'\n') {
                self.begun.pop();
                lines.push(std::mem::take(&mut self.begun));
            }
        }
        Some(lines)
    }

    /// Tells it something, if it listens.
    pub fn tell(&mut self, line: &str) {
        let Some(to) = &mut self.to else { return };
        // Half a line would spoil the next one.
        if !matches!(to.write(line.as_bytes()), Ok(count) if count == line.len()) {
            self.to = None;
        }
    }

    /// Ends it and every process below it. It is still to be waited for.
    pub fn kill(&self) {
        interrupt::end(self.id());
    }

    /// Waits for its end.
    pub fn wait(self) -> Ended {
        let mut status = 0;
        loop {
            // SAFETY: waits for a child of this process that nobody else waits for.
            let result = unsafe { libc::waitpid(self.id, &mut status, 0) };
            if result == self.id {
                break;
            }
            if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
                return Ended::Badly;
            }
        }
        match libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0 {
            true => Ended::Well,
            false => Ended::Badly,
        }
    }
}

/// Waits until one of them has something to say or the time is over; the numbers of those that have.
pub fn ready<'c>(children: impl Iterator<Item = &'c Child>, most: Duration) -> Vec<usize> {
    let poll = |child: &Child| libc::pollfd { fd: child.from.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    let mut list: Vec<libc::pollfd> = children.map(poll).collect();
    let most = i32::try_from(most.as_millis()).unwrap_or(i32::MAX);
    // SAFETY: the list is as long as it is said to be, and its files are open.
    let count = unsafe { libc::poll(list.as_mut_ptr(), list.len() as libc::nfds_t, most) };
    let some = |(n, poll): (usize, &libc::pollfd)| (poll.revents != 0).then_some(n);
    if count > 0 {
        list.iter().enumerate().filter_map(some).collect()
    } else {
        Vec::new()
    }
}
