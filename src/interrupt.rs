//! Ctrl-C and termination: ends at once, and takes every process below along. The preprocessor's driver has children of
//! its own, which would outlive it.

use std::process::{Command, Stdio};

/// The exit status of a program that an interrupt ended, as shells have it.
const INTERRUPTED: i32 = 130;

pub fn install() {
    let result = ctrlc::set_handler(|| {
        end_children();
        std::process::exit(INTERRUPTED);
    });
    // Without a handler an interrupt still ends this process.
    drop(result);
}

/// Ends every process below this one.
pub fn end_children() {
    let children = below(std::process::id());
    if !children.is_empty() {
        let ids = children.iter().map(u32::to_string);
        let _ = Command::new("kill").arg("-KILL").args(ids).stderr(Stdio::null()).status();
    }
}

/// The processes started by this one, and by those, as the kernel lists them.
fn below(root: u32) -> Vec<u32> {
    let mut found = Vec::new();
    let mut work = vec![root];
    while let Some(id) = work.pop() {
        let Ok(threads) = std::fs::read_dir(format!("/proc/{id}/task")) else { continue };
        for thread in threads.flatten() {
            let list = std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            let children = list.split_whitespace().filter_map(|w| w.parse::<u32>().ok());
            let before = found.len();
            found.extend(children);
            work.extend_from_slice(&found[before..]);
        }
    }
    found
}
