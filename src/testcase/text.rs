//! The preprocessed text as something to edit: its tokens, the way from a source position to them, and insertions.
//!
//! gcc splits a source line at every system macro in it, so one position may be that of several tokens. The front end
//! counts columns within such a piece; what has the right name at the right column is edited, all of it: of the copies
//! that `assert` makes of its argument only one is evaluated.

use std::collections::{BTreeMap, HashMap};
use syncline_frontend::preprocess::Text;

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    Word,
    Number,
    /// A string or character constant.
    Literal,
    /// One character of an operator or bracket.
    Sign(u8),
}

#[derive(Copy, Clone, Debug)]
pub struct Token {
    pub start: usize,
    pub end: usize,
    pub kind: Kind,
}

/// A place in the source, as origins have it.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Spot {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

pub struct Editor {
    text: Text,
    tokens: Vec<Token>,
    /// Where the pieces of a source line begin.
    lines: HashMap<(String, u32), Vec<usize>>,
    counts: HashMap<String, usize>,
    /// What replaces so many bytes at an offset.
    edits: BTreeMap<usize, Edit>,
}

#[derive(Default)]
struct Edit {
    /// Belongs to what ends here.
    behind: String,
    removed: usize,
    text: String,
}

impl Editor {
    pub fn new(text: Text, name: &str) -> Editor {
        let (tokens, lines) = scan(&text.text, name);
        let mut counts = HashMap::new();
        for token in tokens.iter().filter(|t| t.kind == Kind::Word) {
            *counts.entry(text.text[token.start..token.end].to_string()).or_default() += 1;
        }
        Editor { text, tokens, lines, counts, edits: BTreeMap::new() }
    }

    pub fn word(&self, token: usize) -> &str {
        let token = self.tokens[token];
        &self.text.text[token.start..token.end]
    }

    pub fn sign(&self, token: usize) -> Option<u8> {
        match self.tokens.get(token)?.kind {
            Kind::Sign(sign) => Some(sign),
            Kind::Word | Kind::Number | Kind::Literal => None,
        }
    }

    pub fn is_word(&self, token: usize, word: &str) -> bool {
        self.tokens.get(token).is_some_and(|t| t.kind == Kind::Word) && self.word(token) == word
    }

    /// The tokens at a place.
    pub fn at(&self, spot: &Spot) -> Vec<usize> {
        let pieces = self.lines.get(&(spot.file.clone(), spot.line)).map_or(&[][..], Vec::as_slice);
        let offsets = pieces.iter().map(|start| start + spot.column.saturating_sub(1) as usize);
        offsets.filter_map(|at| self.tokens.binary_search_by_key(&at, |t| t.start).ok()).collect()
    }

    /// The tokens at a place that are this word.
    pub fn words_at(&self, spot: &Spot, word: &str) -> Vec<usize> {
        self.at(spot).into_iter().filter(|&t| self.is_word(t, word)).collect()
    }

    /// The first of the given signs outside brackets from `token` on; `None` where an enclosing bracket closes first.
    pub fn find(&self, token: usize, signs: &[u8]) -> Option<usize> {
        let mut depth = 0;
        for t in token..self.tokens.len() {
            match self.sign(t) {
                Some(sign) if depth == 0 && signs.contains(&sign) => return Some(t),
                Some(b'(' | b'[' | b'{') => depth += 1,
                Some(b')' | b']' | b'}') if depth == 0 => return None,
                Some(b')' | b']' | b'}') => depth -= 1,
                _ => {}
            }
        }
        None
    }

    /// The bracket that closes the one at `token`.
    pub fn close(&self, token: usize) -> Option<usize> {
        let closing = match self.sign(token)? {
            b'(' => b')',
            b'[' => b']',
            b'{' => b'}',
            _ => return None,
        };
        self.find(token + 1, &[closing])
    }

    /// The braces of the body of the function that is named at `token`.
    pub fn body(&self, token: usize) -> Option<(usize, usize)> {
        let open = self.find_body(token)?;
        Some((open, self.close(open)?))
    }

    fn find_body(&self, token: usize) -> Option<usize> {
        // The name may stand in parentheses: `int (f)(void) {`.
        let mut from = token;
        while self.sign(from + 1) == Some(b')') {
            from += 1;
        }
        self.find(from + 1, b"{")
    }

    /// The ends of the accesses that begin at a token, the shortest first: `p->a`, `p->a->b`, `p->a->b[i]`; `*p`.
    pub fn accesses(&self, token: usize) -> Vec<usize> {
        let mut end = token;
        let dereferences = self.sign(token) == Some(b'*');
        while self.sign(end) == Some(b'*') {
            end += 1;
        }
        // Casts stand before what they convert.
        loop {
            match self.sign(end) {
                Some(b'(') => match self.close(end) {
                    Some(close) => end = close,
                    None => return Vec::new(),
                },
                Some(_) => return Vec::new(),
                None => break,
            }
            let word = self.tokens.get(end + 1).is_some_and(|t| t.kind == Kind::Word);
            if !word && self.sign(end + 1) != Some(b'(') {
                break;
            }
            end += 1;
        }
        let mut ends = Vec::new();
        loop {
            let next = (self.sign(end + 1), self.sign(end + 2));
            end = match next {
                (Some(b'['), _) | (Some(b'('), _) => match self.close(end + 1) {
                    Some(close) => close,
                    None => break,
                },
                (Some(b'-'), Some(b'>')) => end + 3,
                (Some(b'.'), None) => {
                    // A member is a part of what is accessed.
                    if let Some(last) = ends.last_mut() {
                        *last = end + 2;
                    }
                    end += 2;
                    continue;
                }
                _ => break,
            };
            if next.0 != Some(b'(') {
                ends.push(end);
            }
        }
        if dereferences {
            ends = vec![end];
        }
        ends
    }

    /// How often a word occurs.
    pub fn uses(&self, word: &str) -> usize {
        self.counts.get(word).copied().unwrap_or(0)
    }

    /// The words before `token` in its declaration.
    pub fn declared(&self, token: usize) -> Vec<&str> {
        let before = (0..token).rev().take_while(|&t| !matches!(self.sign(t), Some(b';' | b'}' | b'{')));
        before.filter(|&t| self.tokens[t].kind == Kind::Word).map(|t| self.word(t)).collect()
    }

    /// The text of tokens `from` to `to`, the last included.
    pub fn span(&self, from: usize, to: usize) -> &str {
        &self.text.text[self.tokens[from].start..self.tokens[to].end]
    }

    pub fn replace(&mut self, from: usize, to: usize, text: &str) {
        let (start, end) = (self.tokens[from].start, self.tokens[to].end);
        let edit = self.edits.entry(start).or_default();
        // Two sites at one place: the first has it.
        if edit.removed == 0 {
            edit.removed = end - start;
            edit.text.push_str(text);
        }
    }

    pub fn insert_before(&mut self, token: usize, text: &str) {
        self.edits.entry(self.tokens[token].start).or_default().text.insert_str(0, text);
    }

    pub fn insert_after(&mut self, token: usize, text: &str) {
        self.edits.entry(self.tokens[token].end).or_default().behind.push_str(text);
    }

    /// The edited text between `before` and `after`, in the encoding of the source.
    pub fn finish(self, before: &str, after: &str) -> Vec<u8> {
        let mut out = String::with_capacity(self.text.text.len() + before.len() + after.len());
        out.push_str(before);
        let mut at = 0;
        for (&start, edit) in &self.edits {
            if start < at {
                // Inside something that was replaced as a whole.
                continue;
            }
            out.push_str(&self.text.text[at..start]);
            out.push_str(&edit.behind);
            out.push_str(&edit.text);
            at = start + edit.removed;
        }
        out.push_str(&self.text.text[at..]);
        out.push_str(after);
        match self.text.latin1 {
            true => out.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect(),
            false => out.into_bytes(),
        }
    }
}

type Lines = HashMap<(String, u32), Vec<usize>>;

fn scan(text: &str, name: &str) -> (Vec<Token>, Lines) {
    let (mut tokens, mut lines) = (Vec::new(), Lines::new());
    let (mut file, mut number) = (name.to_string(), 1);
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        match marker(line) {
            Some((next, new_file)) => {
                number = next;
                file = new_file.unwrap_or(file);
            }
            None => {
                // A `#pragma` is a line of its own.
                if !line.trim_start().starts_with('#') {
                    lines.entry((file.clone(), number)).or_default().push(start);
                    scan_line(line, start, &mut tokens);
                }
                number += 1;
            }
        }
        start += line.len();
    }
    (tokens, lines)
}

/// `# 12 "file.c" 3 4`, also spelt `#line`.
fn marker(line: &str) -> Option<(u32, Option<String>)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let number = rest[..digits].parse().ok()?;
    let rest = rest[digits..].trim_start();
    let Some(quoted) = rest.strip_prefix('"') else { return Some((number, None)) };
    let mut file = String::new();
    let mut chars = quoted.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => break,
            '\\' => file.extend(chars.next()),
            c => file.push(c),
        }
    }
    Some((number, Some(file)))
}

/// Preprocessed text has no comments, and no token goes over the end of a line.
fn scan_line(line: &str, start: usize, tokens: &mut Vec<Token>) {
    let bytes = line.as_bytes();
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b >= 0x80;
    let mut at = 0;
    while at < bytes.len() {
        let from = at;
        let kind = match bytes[at] {
            b if b.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            quote @ (b'"' | b'\'') => {
                at += 1;
                while at < bytes.len() && bytes[at] != quote {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at = (at + 1).min(bytes.len());
                Kind::Literal
            }
            b if word(b) => {
                while at < bytes.len() && word(bytes[at]) {
                    at += 1;
                }
                if b.is_ascii_digit() {
                    Kind::Number
                } else {
                    Kind::Word
                }
            }
            sign => {
                at += 1;
                Kind::Sign(sign)
            }
        };
        tokens.push(Token { start: start + from, end: start + at, kind });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn editor(text: &str) -> Editor {
        Editor::new(Text { text: text.to_string(), latin1: false }, "a.c")
    }

    #[test]
    fn pieces_of_a_line_are_all_found() {
        let text = "# 1 \"a.c\"\nint f();\n# 5 \"a.c\" 3 4\n  (\n# 5 \"a.c\"\n  f()\n# 5 \"a.c\" 3 4\n  )\n";
        let e = editor(text);
        let spot = Spot { file: "a.c".into(), line: 5, column: 3 };
        assert_eq!(e.at(&spot).len(), 3);
        assert_eq!(e.words_at(&spot, "f").len(), 1);
    }

    #[test]
    fn brackets_and_edits() {
        let mut e = editor("int f(int a[3]) { return (a[0]); }\n");
        let name = e.words_at(&Spot { file: "a.c".into(), line: 1, column: 5 }, "f")[0];
        let (open, close) = e.body(name).expect("a body");
        e.insert_after(open, " one;");
        e.insert_before(close, "two; ");
        let out = String::from_utf8(e.finish("", "")).expect("text");
        assert_eq!(out, "int f(int a[3]) { one; return (a[0]); two; }\n");
    }
}
