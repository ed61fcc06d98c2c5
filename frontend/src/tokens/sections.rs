//! Finds the atomic section that is not closed in a text the parser refuses. The parser notices a missing brace far
//! behind it; the lines' indentation, where there is one, tells which it was.

struct Brace {
    at: usize,
    indent: usize,
    atomic: bool,
}

/// The offset of the line on which the section begins.
pub(super) fn unclosed(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut open: Vec<Brace> = Vec::new();
    // The last section in the outermost brace that is open.
    let mut last = None;
    let (mut line, mut at) = (0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'\n' => line = at + 1,
            b'#' if text[line..at].trim().is_empty() => at += text[at..].find('\n').unwrap_or(text.len() - at) - 1,
            quote @ (b'"' | b'\'') => at = literal_end(bytes, at, quote),
            b'{' => {
                let atomic = begins_section(&text[..at]);
                if atomic {
                    last = Some(line);
                }
                open.push(Brace { at: line, indent: indent(&text[line..]), atomic });
            }
            b'}' => {
                let first = text[line..at].trim().is_empty();
                let shifted = open.last().is_some_and(|brace| first && at - line < brace.indent);
                if let (true, Some(section)) = (shifted, open.iter().rfind(|brace| brace.atomic)) {
                    return Some(section.at);
                }
                open.pop();
                if open.is_empty() {
                    last = None;
                }
            }
            _ => {}
        }
        at += 1;
    }
    let innermost = open.iter().rfind(|brace| brace.atomic).map(|brace| brace.at);
    innermost.or(last.filter(|_| !open.is_empty()))
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// Whether what stands before a brace is what `atomic` becomes.
fn begins_section(before: &str) -> bool {
    let Some(before) = before.trim_end().strip_suffix("else") else { return false };
    let Some(before) = before.trim_end().strip_suffix("{}") else { return false };
    before.trim_end().ends_with("__syncline_atomic())")
}

/// The offset of the quote that ends a literal, or of the end of its line.
fn literal_end(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != quote && bytes[at] != b'\n' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    if bytes.get(at) == Some(&b'\n') {
        at - 1
    } else {
        at
    }
}
