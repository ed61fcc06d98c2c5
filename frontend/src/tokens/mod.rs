//! Makes preprocessed GNU C palatable to the parser, and remembers what the text said before.
//!
//! [`rewrite`] replaces in place wherever it can, so offsets stay; the few insertions are in an offset map.
//! `sema` asks [`Source::original`] what stood at a node where the parser got a stand-in:
//!
//! | text | what the parser sees |
//! | --- | --- |
//! | `a ?: b` | `a ? __syncline_same : b` |
//! | `&&label`, `__real__ x` | `~ label`, `~ x` |
//! | `goto *p;` | `~~~~ *p;` |
//! | `asm ...;` in a function | `~0;` |
//! | `__int128`, `__uint128_t`, `__auto_type` | `_Float16`, `_Float16x`, `_Float16x` |
//! | `__alignof__(x)` | `__alignof__(typeof(x))` |
//! | `__builtin_types_compatible_p(A, B)` | `...(sizeof(A), sizeof(B))` |
//! | attributes that change nothing, asm labels, `__extension__`, `__thread`, `__label__` | blanks |
//! | attributes after `struct` | blanks, and [`Source::struct_attributes`] |
//! | `f() {` | `int f() {` |
//! | parentheses that change nothing | blanks |
//!
//! Top-level `asm` is dropped: what it may define is then only declared, and listed as such.

mod lex;
mod lines;
pub mod nesting;
mod parens;
mod rewrite;
mod sections;

pub use lines::Position;

use crate::error::{FrontError, Place};
use crate::preprocess::Text;
use lex::Pack;
use lines::LineTable;
use rustc_hash::FxHashMap;

/// The identifier that stands for the missing operand of `a ?: b`.
pub const SAME: &str = "__syncline_same";

/// An attribute that the parser does not get to see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawAttribute {
    pub name: String,
    /// Its argument if that is one plain number.
    pub number: Option<u64>,
    /// Whether there is an argument at all.
    pub argument: bool,
}

/// One translation unit's text, and the way back from the parser's offsets to it.
#[derive(Debug)]
pub struct Source {
    original: String,
    pub latin1: bool,
    lines: LineTable,
    /// Where text was inserted: (offset after it in the parser's text, bytes inserted up to there).
    inserted: Vec<(usize, usize)>,
    packs: Vec<Pack>,
    struct_attributes: FxHashMap<usize, Vec<RawAttribute>>,
}

impl Source {
    /// The offset in the original text.
    fn offset(&self, at: usize) -> usize {
        if self.inserted.is_empty() {
            return at;
        }
        let n = self.inserted.partition_point(|&(after, _)| after <= at);
        let done = if n == 0 { 0 } else { self.inserted[n - 1].1 };
        // Inside an insertion: the place it was put in.
        match self.inserted.get(n) {
            Some(&(after, total)) if at + (total - done) > after => after - total,
            _ => at - done,
        }
    }

    pub fn position(&self, at: usize) -> Position {
        self.lines.position(self.offset(at))
    }

    pub fn position_near(&self, at: usize, near: &mut usize) -> Position {
        self.lines.position_near(self.offset(at), near)
    }

    pub fn files(&self) -> &[String] {
        self.lines.files()
    }

    pub fn place(&self, at: usize) -> Place {
        let p = self.position(at);
        Place { file: self.files()[p.file as usize].clone(), line: p.line, column: p.column }
    }

    /// The original text from the place the parser knows as `at`.
    pub fn original(&self, at: usize) -> &str {
        self.original.get(self.offset(at)..).unwrap_or("")
    }

    /// The original text of a span.
    pub fn original_span(&self, start: usize, end: usize) -> &str {
        self.original.get(self.offset(start)..self.offset(end)).unwrap_or("")
    }

    /// Where the atomic section begins that is not closed, if one is the reason for a syntax error.
    pub fn unclosed_section(&self) -> Option<Place> {
        let offset = sections::unclosed(&self.original)?;
        let p = self.lines.position(offset);
        Some(Place { file: self.files()[p.file as usize].clone(), line: p.line, column: 0 })
    }

    /// What `#pragma pack` says at a place.
    pub fn pack(&self, at: usize) -> Option<u64> {
        if self.packs.is_empty() {
            return None;
        }
        let at = self.offset(at);
        let n = self.packs.partition_point(|p| p.offset <= at);
        self.packs[..n].last().and_then(|p| p.limit)
    }

    /// Attributes between the keyword (`struct`, `union`, `enum`) at this place and what follows it.
    pub fn struct_attributes(&self, at: usize) -> &[RawAttribute] {
        self.struct_attributes.get(&self.offset(at)).map_or(&[], Vec::as_slice)
    }
}

/// The text for the parser, and the source to ask about it.
pub fn rewrite(text: Text, name: &str) -> Result<(String, Source), FrontError> {
    let mut bytes = text.text.clone().into_bytes();
    let lexed = lex::lex(&mut bytes, name).map_err(|deep| {
        let p = deep.lines.position(deep.offset.saturating_sub(1));
        let place = Place { file: deep.lines.files()[p.file as usize].clone(), line: p.line, column: p.column };
        FrontError::new(place, deep.message).with_hint("nesting this deep is refused; see docs/soundness.md")
    })?;
    parens::simplify(&mut bytes, &lexed.tokens);
    let mut rewriter = rewrite::Rewriter::new(&mut bytes, &lexed.tokens);
    rewriter.run();
    let (insertions, struct_attributes) = rewriter.finish();
    let (bytes, inserted) = splice(bytes, &insertions);
    // Replacements are ASCII for ASCII, whole tokens at a time, so this is UTF-8 as before.
    let parser_text = String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned());
    let source = Source {
        original: text.text,
        latin1: text.latin1,
        lines: lexed.lines,
        inserted,
        packs: lexed.packs,
        struct_attributes,
    };
    Ok((parser_text, source))
}

/// `insertions` are (offset, text) in order.
fn splice(bytes: Vec<u8>, insertions: &[(usize, &'static str)]) -> (Vec<u8>, Vec<(usize, usize)>) {
    if insertions.is_empty() {
        return (bytes, Vec::new());
    }
    let extra: usize = insertions.iter().map(|(_, text)| text.len()).sum();
    let mut out = Vec::with_capacity(bytes.len() + extra);
    let mut map = Vec::with_capacity(insertions.len());
    let (mut from, mut total) = (0, 0);
    for &(at, text) in insertions {
        out.extend_from_slice(&bytes[from..at]);
        out.extend_from_slice(text.as_bytes());
        from = at;
        total += text.len();
        map.push((out.len(), total));
    }
    out.extend_from_slice(&bytes[from..]);
    (out, map)
}
