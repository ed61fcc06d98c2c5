//! Ctrl-C and termination: ends at once, and takes every process below along. The preprocessor's driver and external
//! solvers have children of their own, which would outlive them.

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
    below(std::process::id()).into_iter().for_each(kill);
}

/// Ends this process, which was started by us, and every one below it.
pub fn end(id: u32) {
    let children = below(id);
    kill(id);
    children.into_iter().for_each(kill);
}

fn kill(id: u32) {
    let Ok(id) = libc::pid_t::try_from(id) else { return };
    // SAFETY: sends a signal; that the process may be gone already does no harm.
    unsafe { libc::kill(id, libc::SIGKILL) };
}

/// The processes started by this one, and by those, as the kernel lists them.
pub fn below(root: u32) -> Vec<u32> {
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
