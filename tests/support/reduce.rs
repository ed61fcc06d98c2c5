//! A small reducer: deletes runs of lines while the failure persists, from large runs to single lines.

/// The shortest text found that still satisfies `fails`; at most `budget` attempts.
pub fn reduce(text: &str, budget: usize, fails: impl Fn(&str) -> bool) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let mut attempts = 0;
    let mut size = lines.len() / 2;
    while size > 0 {
        let mut removed = false;
        let mut at = 0;
        while at < lines.len() && attempts < budget {
            let end = (at + size).min(lines.len());
            let shorter: Vec<&str> = lines[..at].iter().chain(&lines[end..]).copied().collect();
            attempts += 1;
            if fails(&joined(&shorter)) {
                lines = shorter;
                removed = true;
            } else {
                at += size;
            }
        }
        // Single lines are tried again as long as that helps: one deletion makes others possible.
        if !(removed && size == 1) || attempts >= budget {
            size /= 2;
        }
    }
    joined(&lines)
}

fn joined(lines: &[&str]) -> String {
    let mut text = lines.join("\n");
    text.push('\n');
    text
}
