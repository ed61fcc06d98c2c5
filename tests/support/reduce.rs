//! A small reducer: deletes windows of lines, whole blocks and single lines while the failure persists.

/// The shortest text found that still satisfies `fails`; at most `budget` attempts.
pub fn reduce(text: &str, budget: usize, fails: impl Fn(&str) -> bool) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let mut attempts = 0;
    for size in [16, 6] {
        pass(&mut lines, budget, &mut attempts, &fails, |_, _| size);
    }
    // One deletion makes others possible, so this goes on as long as it helps.
    while pass(&mut lines, budget, &mut attempts, &fails, block_length) {}
    joined(&lines)
}

/// Tries each place once with a deletion of `length` lines; tells whether anything went.
fn pass(
    lines: &mut Vec<&str>,
    budget: usize,
    attempts: &mut usize,
    fails: &impl Fn(&str) -> bool,
    length: impl Fn(&[&str], usize) -> usize,
) -> bool {
    let before = lines.len();
    let mut at = lines.len();
    // From the back, since later lines use earlier ones.
    while at > 0 && *attempts < budget {
        at = at.min(lines.len()).saturating_sub(1);
        let end = (at + length(lines, at)).min(lines.len());
        let shorter: Vec<&str> = lines[..at].iter().chain(&lines[end..]).copied().collect();
        *attempts += 1;
        if fails(&joined(&shorter)) {
            *lines = shorter;
        }
    }
    lines.len() < before
}

/// From a line that opens a brace to the one that closes it; otherwise one line.
fn block_length(lines: &[&str], at: usize) -> usize {
    let mut open = 0i64;
    for (count, line) in lines[at..].iter().enumerate() {
        open += line.matches('{').count() as i64 - line.matches('}').count() as i64;
        if open <= 0 {
            return count + 1;
        }
    }
    1
}

fn joined(lines: &[&str]) -> String {
    let mut text = lines.join("\n");
    text.push('\n');
    text
}
