//! Text of a file after decoding, which still knows where each of its bytes came from.
//!
//! `&lt;` is one byte of a label and four of the file: a [`Text`] is a string with the places where its position jumps.

use crate::model::Position;
use smallvec::SmallVec;

#[derive(Clone, Debug, Default)]
pub(crate) struct Text {
    pub text: String,
    /// Where the bytes from this offset on come from, one after the other on one line; the first one is at 0.
    jumps: SmallVec<[(u32, Position); 1]>,
}

/// The position behind `bytes`, which begin at `position`. Columns count bytes.
pub(crate) fn advance(mut position: Position, bytes: &[u8]) -> Position {
    for &byte in bytes {
        if byte == b'\n' {
            position.line = position.line.saturating_add(1);
            position.column = 1;
        } else {
            position.column = position.column.saturating_add(1);
        }
    }
    position
}

impl Text {
    pub fn at(position: Position) -> Text {
        Text { text: String::new(), jumps: smallvec::smallvec![(0, position)] }
    }

    /// Of a byte of the text, or of its end.
    pub fn position(&self, offset: usize) -> Position {
        let after = self.jumps.partition_point(|&(start, _)| start as usize <= offset);
        let Some(&(start, position)) = self.jumps.get(after.saturating_sub(1)) else {
            return Position::default();
        };
        Position { column: position.column.saturating_add((offset - start as usize) as u32), ..position }
    }

    pub fn start(&self) -> Position {
        self.position(self.text.len() - self.text.trim_start().len())
    }

    /// The next bytes come from `position`.
    fn jump(&mut self, position: Position) {
        let offset = self.text.len() as u32;
        match self.jumps.last_mut() {
            Some(last) if last.0 == offset => last.1 = position,
            _ => self.jumps.push((offset, position)),
        }
    }

    /// Appends what stands in the file at `position` without entities. Line ends become `\n`, in attributes spaces.
    pub fn push_raw(&mut self, raw: &str, mut position: Position, attribute: bool) {
        self.jump(position);
        let mut rest = raw;
        while let Some(at) = rest.find(['\n', '\r', '\t']) {
            let (line, end) = rest.split_at(at);
            self.text.push_str(line);
            position = advance(position, line.as_bytes());
            let length = if end.starts_with("\r\n") { 2 } else { 1 };
            self.text.push(match &end[..1] {
                _ if attribute => ' ',
                "\t" => '\t',
                _ => '\n',
            });
            position = advance(position, &end.as_bytes()[..length]);
            self.jump(position);
            rest = &end[length..];
        }
        self.text.push_str(rest);
        self.jump_if_needed(advance(position, rest.as_bytes()));
    }

    /// Appends what a reference `&name;` at `position` stands for.
    pub fn push_reference(&mut self, name: &str, position: Position) -> Result<(), String> {
        self.jump(position);
        self.text.push(reference(name)?);
        let end = Position { column: position.column.saturating_add(name.len() as u32 + 2), ..position };
        self.jump(end);
        Ok(())
    }

    /// Appends an attribute's value, with references; an error has the place it is at.
    pub fn push_value(&mut self, raw: &str, mut position: Position) -> Result<(), (Position, String)> {
        let mut rest = raw;
        while let Some(at) = rest.find(['&', '<']) {
            let (plain, end) = rest.split_at(at);
            self.push_raw(plain, position, true);
            position = advance(position, plain.as_bytes());
            if end.starts_with('<') {
                return Err((position, "`<` in the value of an attribute is written `&lt;`".into()));
            }
            let Some(length) = end.find(';') else {
                return Err((position, "`&` begins a reference like `&lt;`, and this one has no `;`".into()));
            };
            self.push_reference(&end[1..length], position).map_err(|message| (position, message))?;
            position = advance(position, &end.as_bytes()[..=length]);
            rest = &end[length + 1..];
        }
        self.push_raw(rest, position, true);
        Ok(())
    }

    fn jump_if_needed(&mut self, position: Position) {
        if self.position(self.text.len()) != position {
            self.jump(position);
        }
    }
}

/// The five entities of XML and character references; there are no others without a DTD.
fn reference(name: &str) -> Result<char, String> {
    let character = match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "apos" => Some('\''),
        "quot" => Some('"'),
        _ => {
            let code = match name.strip_prefix("#x") {
                Some(hex) => u32::from_str_radix(hex, 16).ok().filter(|_| !hex.starts_with('+')),
                None => name.strip_prefix('#').filter(|d| !d.starts_with('+')).and_then(|d| d.parse().ok()),
            };
            code.and_then(char::from_u32).filter(|&c| allowed(c))
        }
    };
    character.ok_or_else(|| {
        let shown: String = name.chars().take(40).collect();
        format!("unknown reference `&{shown};`: known are lt, gt, amp, apos, quot and characters like `&#65;`")
    })
}

/// `Char` of XML 1.0.
fn allowed(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r') || (c >= ' ' && c != '\u{fffe}' && c != '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(line: u32, column: u32) -> Position {
        Position { file: 0, line, column }
    }

    #[test]
    fn positions_survive_references_and_line_ends() {
        let mut text = Text::at(place(3, 10));
        text.push_value("a &lt;\r\n  b&#65;c", place(3, 10)).unwrap();
        assert_eq!(text.text, "a <   bAc");
        assert_eq!(text.position(0), place(3, 10));
        assert_eq!(text.position(2), place(3, 12));
        assert_eq!(text.position(3), place(3, 16));
        assert_eq!(text.position(4), place(4, 1));
        assert_eq!(text.position(6), place(4, 3));
        assert_eq!(text.position(7), place(4, 4));
        assert_eq!(text.position(8), place(4, 9));
        assert_eq!(text.position(9), place(4, 10));
    }

    #[test]
    fn references_are_the_five_and_characters() {
        for bad in ["", "lol", "#", "#x", "#0", "#x110000", "#+65", "#xD800", "#xFFFF"] {
            assert!(reference(bad).is_err(), "{bad}");
        }
        assert_eq!(reference("#xe4"), Ok('ä'));
    }
}
