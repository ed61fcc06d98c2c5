//! The solver's process: started, written to and read from by threads of their own, and killed when it is time.

use super::Command as CommandLine;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// The most text of one answer.
const MAX_ANSWER: usize = 1 << 30;

/// Why there is no answer.
pub enum Failure {
    /// The solver cannot be started.
    Start(io::Error),
    /// The process ended, after these words.
    Ended(String),
    Timeout,
    /// Something that is no answer to the question.
    Said(String),
}

impl Failure {
    pub fn words(&self, command: &str) -> String {
        match self {
            Failure::Start(e) => format!("the solver `{command}` cannot be run: {e}"),
            Failure::Ended(words) if words.is_empty() => format!("the solver `{command}` ended"),
            Failure::Ended(words) => format!("the solver `{command}` ended: {words}"),
            Failure::Timeout => "timeout".into(),
            Failure::Said(words) => {
                let words: String = words.chars().take(200).collect();
                format!("the solver `{command}` says: {words}")
            }
        }
    }
}

/// What others than the owner may do: stop the process that runs now, and every later one.
#[derive(Default)]
pub struct Control {
    stop: AtomicBool,
    child: Mutex<Option<Child>>,
}

impl Control {
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    pub fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
        self.kill();
    }

    fn kill(&self) {
        let child = self.child.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut child) = child {
            // Both fail when the child is gone already, which is what we want.
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    fn take_over(&self, child: Child) {
        *self.child.lock().unwrap_or_else(PoisonError::into_inner) = Some(child);
        if self.is_stopped() {
            self.kill();
        }
    }
}

pub struct Process {
    control: Arc<Control>,
    /// Text goes to a thread: a solver that answers before it has read everything must not stop us.
    input: Option<Sender<String>>,
    output: Receiver<String>,
}

impl Drop for Process {
    fn drop(&mut self) {
        self.input = None;
        self.control.kill();
    }
}

impl Process {
    pub fn start(command: &CommandLine, control: &Arc<Control>) -> Result<Process, Failure> {
        let mut child = spawn(command).map_err(Failure::Start)?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        control.take_over(child);
        let (input, texts) = mpsc::channel();
        let (answers, output) = mpsc::channel();
        let writer = std::thread::Builder::new().name("to solver".into());
        writer.spawn(move || write_all(stdin, &texts)).map_err(Failure::Start)?;
        let reader = std::thread::Builder::new().name("from solver".into());
        reader.spawn(move || stdout.into_iter().for_each(|s| read_all(s, &answers))).map_err(Failure::Start)?;
        Ok(Process { control: Arc::clone(control), input: Some(input), output })
    }

    pub fn send(&mut self, text: String) -> Result<(), Failure> {
        match &self.input {
            Some(input) => input.send(text).map_err(|_| Failure::Ended(String::new())),
            None => Err(Failure::Ended(String::new())),
        }
    }

    pub fn receive(&mut self, deadline: Option<Instant>) -> Result<String, Failure> {
        let left = |d: Instant| d.saturating_duration_since(Instant::now());
        let answer = match deadline {
            Some(deadline) => self.output.recv_timeout(left(deadline)),
            None => self.output.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        answer.map_err(|e| match e {
            RecvTimeoutError::Timeout => Failure::Timeout,
            RecvTimeoutError::Disconnected => Failure::Ended(String::new()),
        })
    }
}

fn write_all(stdin: Option<ChildStdin>, texts: &Receiver<String>) {
    let Some(mut stdin) = stdin else { return };
    // The pipe breaks when the process ends; the reader says so.
    while let Ok(text) = texts.recv() {
        if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

/// Cuts what the process says into answers: words, and lists in parentheses.
fn read_all(mut stdout: impl Read, answers: &Sender<String>) {
    let mut cutter = Cutter::default();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let n = match stdout.read(&mut buffer) {
            Ok(0) => return,
            Ok(n) => n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        for &byte in &buffer[..n] {
            if let Some(answer) = cutter.take(byte) {
                if answers.send(answer).is_err() {
                    return;
                }
            }
        }
        if cutter.text.len() > MAX_ANSWER {
            return;
        }
    }
}

#[derive(Default)]
struct Cutter {
    text: Vec<u8>,
    depth: usize,
    /// Inside a string or a quoted symbol.
    quote: Option<u8>,
}

impl Cutter {
    fn take(&mut self, byte: u8) -> Option<String> {
        if self.depth == 0 && self.quote.is_none() && byte.is_ascii_whitespace() {
            return self.finish();
        }
        self.text.push(byte);
        match (self.quote, byte) {
            (Some(quote), b) if b == quote => self.quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'|') => self.quote = Some(byte),
            (None, b'(') => self.depth += 1,
            (None, b')') => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    return self.finish();
                }
            }
            (None, _) => {}
        }
        None
    }

    fn finish(&mut self) -> Option<String> {
        let text = std::mem::take(&mut self.text);
        (!text.is_empty()).then(|| String::from_utf8_lossy(&text).into_owned())
    }
}

fn spawn(command: &CommandLine) -> io::Result<Child> {
    let mut words = command.line.split_whitespace();
    let program = words.next().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no command"))?;
    let mut process = Command::new(program);
    process.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    limit(&mut process, command.memory);
    process.spawn()
}

/// The child dies with the thread that starts it, and gets no more memory than this.
fn limit(process: &mut Command, memory: Option<u64>) {
    extern "C" {
        fn prctl(option: i32, ...) -> i32;
        fn setrlimit(resource: i32, limits: *const [u64; 2]) -> i32;
    }
    const PR_SET_PDEATHSIG: i32 = 1;
    const SIGKILL: u64 = 9;
    const RLIMIT_AS: i32 = 9;
    let parent = std::process::id();
    // SAFETY: between fork and exec only async-signal-safe calls are allowed; prctl, setrlimit and getppid are plain
    // system calls, and no memory is allocated. The limits live until the call returns.
    unsafe {
        process.pre_exec(move || {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if let Some(bytes) = memory {
                setrlimit(RLIMIT_AS, &[bytes, bytes]);
            }
            match std::os::unix::process::parent_id() == parent {
                true => Ok(()),
                // We died before the first call could see it.
                false => Err(io::Error::from_raw_os_error(3)),
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn answers_are_cut() {
        let mut cutter = Cutter::default();
        let text = b"sat\n((|a) b| #x0)\n (y (_ bv1 2)))\nunsat\n(error \"a ) b\")\n";
        let found: Vec<String> = text.iter().filter_map(|&b| cutter.take(b)).collect();
        assert_eq!(found, ["sat", "((|a) b| #x0)\n (y (_ bv1 2)))", "unsat", "(error \"a ) b\")"]);
    }

    #[test]
    fn a_process_is_killed_at_the_deadline() {
        let control = Arc::new(Control::default());
        let command = CommandLine { line: "sleep 100".into(), memory: None };
        let mut process = Process::start(&command, &control).unwrap_or_else(|f| panic!("{}", f.words("sleep")));
        let start = Instant::now();
        let answer = process.receive(Some(start + Duration::from_millis(50)));
        assert!(matches!(answer, Err(Failure::Timeout)));
        drop(process);
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}
