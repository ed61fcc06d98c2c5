//! Running compilers, compiled programs and `syncline` with a time limit.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The data model a program is compiled and interpreted for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Model {
    Ilp32,
    Lp64,
}

impl Model {
    /// The option that selects the model on `syncline`'s command line.
    pub fn option(self) -> &'static str {
        match self {
            Model::Ilp32 => "--32",
            Model::Lp64 => "--64",
        }
    }

    fn gcc_options(self) -> &'static [&'static str] {
        match self {
            Model::Ilp32 => &["-m32", "-msse2", "-mfpmath=sse"],
            Model::Lp64 => &["-m64"],
        }
    }
}

/// What a process left behind.
pub struct Outcome {
    /// `None` if it was ended by a signal or by the time limit.
    pub status: Option<i32>,
    pub timed_out: bool,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

impl Outcome {
    /// The last line on standard error, for messages.
    pub fn last_error_line(&self) -> String {
        let text = String::from_utf8_lossy(&self.stderr);
        text.lines().last().unwrap_or("").to_string()
    }
}

/// Runs to the end or to the limit, whichever comes first.
pub fn run(command: &mut Command, limit: Duration) -> Outcome {
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
    let (stdout, stderr) = (collect(child.stdout.take()), collect(child.stderr.take()));
    let (status, timed_out) = wait(&mut child, limit);
    let join = |reader: thread::JoinHandle<Vec<u8>>| reader.join().unwrap_or_default();
    Outcome { status, timed_out, stdout: join(stdout), stderr: join(stderr) }
}

fn collect(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // A read that fails leaves the output short, and the comparison fails.
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

fn wait(child: &mut Child, limit: Duration) -> (Option<i32>, bool) {
    let start = Instant::now();
    let mut pause = Duration::from_micros(500);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return (status.code(), false),
            Ok(None) if start.elapsed() < limit => {
                thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(10));
            }
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return (None, true);
            }
        }
    }
}

/// The tool: as built for the tests, or the binary that `SYNCLINE_BIN` names.
pub fn syncline() -> Command {
    Command::new(std::env::var_os("SYNCLINE_BIN").unwrap_or_else(|| env!("CARGO_BIN_EXE_syncline").into()))
}

/// Compiles with the semantics the tool claims, plus `extra` options; gives gcc's messages if it refuses.
pub fn compile(model: Model, source: &Path, program: &Path, extra: &[&str]) -> Result<(), String> {
    let mut gcc = Command::new("gcc");
    gcc.args(["-std=gnu11", "-O0", "-fwrapv", "-fgnu89-inline"]).args(model.gcc_options()).args(extra);
    // `-w` would silence warnings that were asked for as errors.
    if !extra.iter().any(|option| option.starts_with("-W")) {
        gcc.arg("-w");
    }
    let outcome = run(gcc.arg(source).arg("-o").arg(program), Duration::from_secs(60));
    match outcome.status {
        Some(0) => Ok(()),
        _ => Err(String::from_utf8_lossy(&outcome.stderr).into_owned()),
    }
}

/// A directory below cargo's place for test output, created if need be.
pub fn scratch(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
    dir
}

/// A number from the environment, or the default.
pub fn setting(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} must be a number, not {text:?}")),
        Err(_) => default,
    }
}

/// Runs `job(0..count)` on every core and gives the results in order.
pub fn parallel<T: Send>(count: usize, job: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let workers = thread::available_parallelism().map_or(2, usize::from);
    let next = AtomicUsize::new(0);
    let mut results: Vec<(usize, T)> = thread::scope(|scope| {
        let work = || {
            let mut mine = Vec::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= count {
                    return mine;
                }
                mine.push((index, job(index)));
            }
        };
        let handles: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        handles.into_iter().flat_map(|handle| handle.join().expect("a worker panicked")).collect()
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}
