//! Runs `gcc -E` on one file.
//!
//! `.i` files go through it too: the parser skips `#` lines, so what an unprocessed `#if` hides would be taken in.
//! gcc reads and the text arrives through a pipe; nothing is written to disk, but for `syncline.h` and other stand-ins, in a
//! directory that lives as long as gcc, when gcc does not find them. The child is killed when we are dropped or die, and its output is bounded.

use crate::error::{Errors, FrontError, Place};
use crate::standin::Headers;
use crate::tokens::nesting::MAX_PARENS;
use crate::types::DataModel;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The most preprocessed text one file may give.
pub const MAX_OUTPUT: u64 = 512 << 20;

/// Files from this size on are looked at before gcc gets them: it needs memory for every open parenthesis.
const LARGE: u64 = 1 << 20;

/// Unprocessed text may open more than it closes (both sides of an `#if`), so the limit here is generous.
const MAX_RAW_PARENS: usize = 10 * MAX_PARENS as usize;

/// The most we keep of what gcc complains about.
const MAX_COMPLAINTS: u64 = 1 << 20;

#[derive(Clone, Debug)]
pub struct Options {
    /// Definitions of macros stay in the text: `-dD`.
    pub macros: bool,
    pub model: DataModel,
    /// Directories for `-I`.
    pub includes: Vec<String>,
    /// Macros for `-D`, as `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// Headers that are taken from here if they are not found ([`crate::standin`]).
    pub stand_ins: Vec<String>,
}

impl Options {
    pub fn new(model: DataModel) -> Options {
        Options { macros: false, model, includes: Vec::new(), defines: Vec::new(), stand_ins: Vec::new() }
    }
}

/// Preprocessed text. Input that is not UTF-8 is read as Latin-1: each byte is the character of its number.
#[derive(Clone, Debug)]
pub struct Text {
    pub text: String,
    pub latin1: bool,
}

impl Text {
    pub fn from_bytes(bytes: Vec<u8>) -> Text {
        match String::from_utf8(bytes) {
            Ok(text) => Text { text, latin1: false },
            Err(e) => Text { text: e.as_bytes().iter().map(|&b| b as char).collect(), latin1: true },
        }
    }
}

pub fn preprocess(path: &Path, options: &Options) -> Result<Text, Errors> {
    whole(path, None, options)
}

/// The file, and behind it text that sees its macros.
pub fn followed(path: &Path, text: &str, options: &Options) -> Result<Text, Errors> {
    let name = path.display().to_string();
    if name.contains(['"', '\n', '\\']) {
        return Err(FrontError::new(Place::file(&name), "a file of this name cannot be included in a harness").into());
    }
    whole(path, Some(&format!("#include \"{name}\"\n{text}")), options)
}

/// A file, or the text that stands for it.
fn whole(path: &Path, text: Option<&str>, options: &Options) -> Result<Text, Errors> {
    let name = path.display().to_string();
    readable(path)
        .map_err(|(line, message)| FrontError::new(Place { file: name.clone(), line, column: 0 }, message))?;
    let failed = |message: String| FrontError::new(Place::file(&name), message);
    let (mut output, mut complaints, mut ok) = run(path, text, options, None).map_err(failed)?;
    if !ok && missing(&complaints, options) {
        let made = |names: &[String]| Headers::new(names).map_err(|e| failed(format!("no directory for headers: {e}")));
        // gcc says less of where macros of system headers are used, which is what it takes those of the last directory for.
        let (own, others) = (made(&["syncline.h".to_string()])?, made(&options.stand_ins)?);
        let mut with = options.clone();
        with.includes.push(own.0.display().to_string());
        (output, complaints, ok) = run(path, text, &with, Some(&others.0)).map_err(failed)?;
        for headers in [own, others] {
            (output, complaints) = (headers.named(output), headers.named(complaints));
        }
    }
    if !ok {
        return Err(errors_of(&complaints, &name));
    }
    if let Some(at) = output.iter().position(|&b| b == 0) {
        let line = output[..at].iter().filter(|&&b| b == b'\n').count();
        let message = format!("not a text file: a zero byte (line {} after preprocessing)", line + 1);
        return Err(FrontError::new(Place::file(&name), message).into());
    }
    Ok(Text::from_bytes(output))
}

/// Fails early, and with our words and a line (0: the whole file), on what gcc would say less clearly. Looks at the
/// first block only, and at the nesting of large files.
fn readable(path: &Path) -> Result<(), (u32, String)> {
    let whole = |message: String| (0, message);
    let unreadable = |e: io::Error| whole(format!("cannot be read: {e}"));
    let meta = std::fs::metadata(path).map_err(|e| match e.kind() {
        io::ErrorKind::NotFound => whole("no such file".to_string()),
        _ => unreadable(e),
    })?;
    if meta.is_dir() {
        return Err(whole("is a directory".to_string()));
    }
    if !meta.is_file() {
        return Ok(());
    }
    let mut head = Vec::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(4096).read_to_end(&mut head).map_err(unreadable)?;
    if head.contains(&0) {
        return Err(whole("not a text file: it has zero bytes".to_string()));
    }
    if meta.len() >= LARGE {
        let text = std::fs::read(path).map_err(unreadable)?;
        if let Some(line) = too_deep(&text) {
            return Err((line, format!("more than {MAX_PARENS} nested parentheses and brackets")));
        }
    }
    Ok(())
}

/// The line where unprocessed text nests absurdly deep. Comments are not told apart, literals are.
fn too_deep(text: &[u8]) -> Option<u32> {
    let (mut depth, mut line, mut at) = (0usize, 1u32, 0);
    while at < text.len() {
        match text[at] {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            b'\n' => line += 1,
            quote @ (b'"' | b'\'') => {
                let end = text[at + 1..].iter().position(|&b| b == quote || b == b'\n').unwrap_or(0);
                // An apostrophe in a comment closes nowhere on its line.
                if text.get(at + 1 + end) == Some(&quote) {
                    at += end + 1;
                }
            }
            _ => {}
        }
        if depth > MAX_RAW_PARENS {
            return Some(line);
        }
        at += 1;
    }
    None
}

/// Whether gcc says that it does not find a header which we have.
fn missing(complaints: &[u8], options: &Options) -> bool {
    let complaints = String::from_utf8_lossy(complaints);
    let ours = |name: &str| complaints.contains(&format!(": {name}: No such file"));
    ours("syncline.h") || options.stand_ins.iter().any(|name| ours(name))
}

/// Kills the child unless it has been waited for.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail when the child is gone already, which is what we want.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// gcc's output, what it complains of, and whether it is content; `last` is looked into for headers that are nowhere else.
fn run(
    path: &Path,
    text: Option<&str>,
    options: &Options,
    last: Option<&Path>,
) -> Result<(Vec<u8>, Vec<u8>, bool), String> {
    let mut child = Running(spawn(path, text.is_some(), options, last)?);
    let stderr = child.0.stderr.take();
    if let (Some(text), Some(mut stdin)) = (text.map(str::to_string), child.0.stdin.take()) {
        // gcc may stop before it has read everything; then it says why.
        std::thread::spawn(move || drop(stdin.write_all(text.as_bytes())));
    }
    // A second thread reads the complaints, so that neither pipe can fill up and stop gcc.
    let complaints = std::thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(stderr) = stderr {
            let mut limited = stderr.take(MAX_COMPLAINTS);
            let _ = limited.read_to_end(&mut text);
            let _ = io::copy(&mut limited.into_inner(), &mut io::sink());
        }
        text
    });
    let mut output = Vec::new();
    if let Some(stdout) = child.0.stdout.take() {
        stdout.take(MAX_OUTPUT + 1).read_to_end(&mut output).map_err(|e| format!("reading from gcc: {e}"))?;
    }
    if output.len() as u64 > MAX_OUTPUT {
        return Err(format!("more than {} MB after preprocessing", MAX_OUTPUT >> 20));
    }
    let status = child.0.wait().map_err(|e| format!("waiting for gcc: {e}"))?;
    Ok((output, complaints.join().unwrap_or_default(), status.success()))
}

fn spawn(path: &Path, from_stdin: bool, options: &Options, last: Option<&Path>) -> Result<Child, String> {
    let mut command = Command::new("gcc");
    command.args(["-E", "-w", "-std=gnu11", "-fgnu89-inline", "-fwrapv"]);
    match options.model {
        DataModel::Ilp32 => command.args(["-m32", "-msse2", "-mfpmath=sse"]),
        DataModel::Lp64 => command.arg("-m64"),
    };
    if options.macros {
        command.arg("-dD");
    }
    command.args(options.includes.iter().map(|dir| format!("-I{dir}")));
    command.args(options.defines.iter().map(|define| format!("-D{define}")));
    if let Some(dir) = last {
        command.arg("-idirafter").arg(dir);
    }
    // A name that begins with '-' is a file all the same.
    let absolute = match path.as_os_str().as_encoded_bytes().first() {
        Some(b'-') => Path::new(".").join(path),
        _ => path.to_path_buf(),
    };
    command.args(["-x", "c"]).arg(if from_stdin { Path::new("-") } else { &absolute });
    // gcc's messages are read, so they must be in English.
    command.env("LC_ALL", "C");
    command.stdin(if from_stdin { Stdio::piped() } else { Stdio::null() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    die_with_parent(&mut command);
    command.spawn().map_err(|e| match e.kind() {
        io::ErrorKind::NotFound => "gcc is needed to preprocess C and was not found on PATH".to_string(),
        _ => format!("gcc cannot be run: {e}"),
    })
}

fn die_with_parent(command: &mut Command) {
    extern "C" {
        fn prctl(option: i32, ...) -> i32;
    }
    const PR_SET_PDEATHSIG: i32 = 1;
    const SIGKILL: u64 = 9;
    let parent = std::process::id();
    // SAFETY: between fork and exec only async-signal-safe calls are allowed; prctl and getppid are plain
    // system calls, and no memory is allocated.
    unsafe {
        command.pre_exec(move || {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            match std::os::unix::process::parent_id() == parent {
                true => Ok(()),
                // We died before the call above could see it.
                false => Err(io::Error::from_raw_os_error(3)),
            }
        });
    }
}

/// gcc's messages as ours: every `file:line:column: error: text`.
fn errors_of(complaints: &[u8], name: &str) -> Errors {
    let text = String::from_utf8_lossy(complaints);
    let errors: Vec<FrontError> = text.lines().filter_map(error_of).take(20).collect();
    if !errors.is_empty() {
        return Errors(errors);
    }
    let first = text.lines().find(|l| !l.trim().is_empty()).unwrap_or("gcc -E failed and gave no reason");
    FrontError::new(Place::file(name), first.trim()).into()
}

fn error_of(line: &str) -> Option<FrontError> {
    let (place, message) = line.split_once(": fatal error: ").or_else(|| line.split_once(": error: "))?;
    let mut parts = place.rsplitn(3, ':');
    let column = parts.next().and_then(|s| s.parse().ok());
    let number = parts.next().and_then(|s| s.parse().ok());
    let loc = match (parts.next(), number, column) {
        (Some(file), Some(line), Some(column)) => Place { file: file.to_string(), line, column },
        _ => Place::file(place),
    };
    Some(FrontError::new(loc, message))
}
