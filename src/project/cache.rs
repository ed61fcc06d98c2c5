//! Verdicts that are taken from a directory as long as nothing they depend on has changed.
//!
//! What they depend on is the key, kept and compared as a whole: the arguments, the tool itself, and the preprocessed text of
//! every file with the macros it defines (requirements may use macros that the program does not). The name of an entry is a hash of the key, so that different programs get along. An entry
//! is written under another name and renamed: it is there as a whole or not at all, whoever is killed, and whoever
//! writes at the same time. It is written only if the key is still the same after the run, and only for verdicts that
//! another run would not better: all SAFE, or some UNSAFE.

use super::make;
use crate::args::CheckArgs;
use crate::{chart, check, load, BAD_INPUT};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Seek, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use syncline_frontend::preprocess::{self, Text};

/// Statuses of runs whose results are kept.
const KEPT: [u8; 2] = [0, 10];

/// Checks a program, with the cache and the stamp that are asked for. `beside` are files the arguments come from.
pub fn check(args: CheckArgs, beside: &[PathBuf]) -> u8 {
    if (args.cache.is_none() && args.stamp.is_none()) || chart::is_chart(&args.input.files) {
        return check::program(args);
    }
    let Some(depends) = Depends::of(&args) else { return check::program(args) };
    let status = match &args.cache {
        Some(dir) if !args.writes_files() => cached(dir, &args, &depends),
        _ => check::program(args.clone()),
    };
    match args.stamp.as_deref().map(|stamp| make::stamp(stamp, status == 0, &depends.texts, beside)) {
        Some(Err(words)) => {
            eprintln!("error: {words}");
            BAD_INPUT
        }
        Some(Ok(())) | None => status,
    }
}

/// What a verdict depends on.
struct Depends {
    key: Vec<u8>,
    texts: Vec<Text>,
}

impl Depends {
    /// `None` if something cannot be read: the run will say what.
    fn of(args: &CheckArgs) -> Option<Depends> {
        let plain = CheckArgs { cache: None, stamp: None, model: Vec::new(), ..args.clone() };
        let mut key = format!("syncline {} {}\n{plain:?}\n", env!("CARGO_PKG_VERSION"), tool()?).into_bytes();
        if let Some(path) = &args.propertyfile {
            key.extend(std::fs::read(path).ok()?);
        }
        let options = preprocess::Options { macros: true, ..load::source_options(&args.input) };
        let mut texts = Vec::new();
        for path in &args.input.files {
            let text = preprocess::preprocess(path, &options).ok()?;
            key.extend(format!("\n{} {}\n", path.display(), text.text.len()).into_bytes());
            key.extend(text.text.as_bytes());
            texts.push(text);
        }
        Some(Depends { key, texts })
    }
}

/// The tool that runs: another build of the same version may decide otherwise.
fn tool() -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let meta = std::fs::metadata(std::env::current_exe().ok()?).ok()?;
    Some(format!("{} {} {}.{}", meta.ino(), meta.len(), meta.mtime(), meta.mtime_nsec()))
}

fn cached(dir: &Path, args: &CheckArgs, depends: &Depends) -> u8 {
    let mut hasher = DefaultHasher::new();
    depends.key.hash(&mut hasher);
    let path = dir.join(format!("{:016x}.result", hasher.finish()));
    if let Some((status, output)) = std::fs::read(&path).ok().and_then(|bytes| read(&bytes, &depends.key)) {
        eprintln!("note: nothing has changed since {} was written", path.display());
        let _ = io::stdout().write_all(&output);
        return status;
    }
    let Ok(capture) = Capture::start() else { return check::program(args.clone()) };
    let status = check::program(args.clone());
    let output = capture.end();
    let _ = io::stdout().write_all(&output);
    // A file that has changed meanwhile may have been read before or after.
    if KEPT.contains(&status) && Depends::of(args).is_some_and(|again| again.key == depends.key) {
        if let Err(e) = write(&path, status, &depends.key, &output) {
            eprintln!("warning: {}: {e}", path.display());
        }
    }
    status
}

const HEAD: &str = "syncline result 1";
const END: &[u8] = b"\nend of result\n";

fn write(path: &Path, status: u8, key: &[u8], output: &[u8]) -> io::Result<()> {
    let head = format!("{HEAD} {status} {} {}\n", key.len(), output.len());
    replace(path, &[head.as_bytes(), key, output, END].concat())
}

/// The status and the output, if the entry is whole and about this key.
fn read(bytes: &[u8], key: &[u8]) -> Option<(u8, Vec<u8>)> {
    let line = bytes.iter().position(|&b| b == b'\n')?;
    let (head, rest) = (std::str::from_utf8(&bytes[..line]).ok()?, &bytes[line + 1..]);
    let mut numbers = head.strip_prefix(HEAD)?.split_whitespace().map(str::parse::<usize>);
    let (status, keys, outputs) = (numbers.next()?.ok()?, numbers.next()?.ok()?, numbers.next()?.ok()?);
    let status = u8::try_from(status).ok().filter(|s| KEPT.contains(s))?;
    let whole = rest.len() == keys.checked_add(outputs)?.checked_add(END.len())? && rest.ends_with(END);
    let same = whole && rest[..keys] == *key;
    same.then(|| (status, rest[keys..keys + outputs].to_vec()))
}

/// Writes a file as a whole or not at all.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let dir = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(dir)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let other = dir.join(format!(".{name}.{}", std::process::id()));
    let written = std::fs::write(&other, bytes).and_then(|()| std::fs::rename(&other, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&other);
    }
    written
}

/// Standard output goes to memory until the end.
struct Capture {
    memory: std::fs::File,
    stdout: OwnedFd,
}

impl Capture {
    fn start() -> io::Result<Capture> {
        io::stdout().flush()?;
        // SAFETY: the name is a C string; the descriptor is new, and ours.
        let memory = unsafe {
            match libc::memfd_create(c"syncline output".as_ptr(), libc::MFD_CLOEXEC) {
                -1 => return Err(io::Error::last_os_error()),
                fd => std::fs::File::from_raw_fd(fd),
            }
        };
        let stdout = io::stdout();
        let copy = std::os::fd::AsFd::as_fd(&stdout).try_clone_to_owned()?;
        redirect(memory.as_raw_fd())?;
        Ok(Capture { memory, stdout: copy })
    }

    fn end(mut self) -> Vec<u8> {
        let _ = io::stdout().flush();
        let _ = redirect(self.stdout.as_raw_fd());
        let mut output = Vec::new();
        let read = self.memory.rewind().and_then(|()| self.memory.read_to_end(&mut output));
        if let Err(e) = read {
            eprintln!("warning: the output is lost: {e}");
        }
        output
    }
}

/// Makes a descriptor standard output.
fn redirect(fd: i32) -> io::Result<()> {
    // SAFETY: both descriptors are open.
    match unsafe { libc::dup2(fd, libc::STDOUT_FILENO) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_an_entry_is_none() {
        let dir = std::env::temp_dir().join(format!("syncline-cache-{}", std::process::id()));
        let path = dir.join("entry");
        write(&path, 0, b"key", b"TRUE\n").expect("written");
        let bytes = std::fs::read(&path).expect("read");
        assert_eq!(read(&bytes, b"key"), Some((0, b"TRUE\n".to_vec())));
        assert_eq!(read(&bytes, b"kez"), None);
        for end in 0..bytes.len() {
            assert_eq!(read(&bytes[..end], b"key"), None);
        }
        write(&path, 5, b"key", b"UNKNOWN\n").expect("written");
        assert_eq!(read(&std::fs::read(&path).expect("read"), b"key"), None);
        assert_eq!(std::fs::read_dir(&dir).expect("a directory").count(), 1);
        let _ = std::fs::remove_dir_all(&dir);
    }
}
