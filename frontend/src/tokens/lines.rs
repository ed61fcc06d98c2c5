//! From a byte of the preprocessed text to file, line and column, by gcc's line markers.

/// Where a run of lines comes from.
#[derive(Clone, Debug)]
struct Marker {
    /// Number (from 0) of the first line that it governs.
    first: u32,
    file: u32,
    /// What that line is called.
    line: u32,
}

#[derive(Clone, Debug)]
pub struct LineTable {
    /// Byte offset of each line of the preprocessed text.
    starts: Vec<u32>,
    markers: Vec<Marker>,
    files: Vec<String>,
}

/// `file` indexes [`LineTable::files`].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Position {
    pub file: u32,
    pub line: u32,
    pub column: u32,
}

impl LineTable {
    pub fn new(name: &str) -> LineTable {
        let first = Marker { first: 0, file: 0, line: 1 };
        LineTable { starts: vec![0], markers: vec![first], files: vec![name.to_string()] }
    }

    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// A new line begins at `offset`.
    pub fn newline(&mut self, offset: usize) {
        self.starts.push(offset as u32);
    }

    /// The line after the current one is line `line` of `file` (of the same file if `None`).
    pub fn marker(&mut self, line: u32, file: Option<String>) {
        let file = match file {
            // The few files of one text alternate, and the last ones come again soonest.
            Some(name) => match self.files.iter().rposition(|f| *f == name) {
                Some(i) => i as u32,
                None => {
                    self.files.push(name);
                    self.files.len() as u32 - 1
                }
            },
            None => self.markers.last().map_or(0, |m| m.file),
        };
        self.markers.push(Marker { first: self.starts.len() as u32, file, line });
    }

    pub fn position(&self, offset: usize) -> Position {
        self.position_near(offset, &mut 0)
    }

    /// As [`LineTable::position`]; `near` remembers the line found, where the next question will likely be too.
    pub fn position_near(&self, offset: usize, near: &mut usize) -> Position {
        let offset = offset as u32;
        let end_of = |i: usize| self.starts.get(i + 1).copied().unwrap_or(u32::MAX);
        let inside = |i: usize| self.starts.get(i).is_some_and(|&s| s <= offset) && offset < end_of(i);
        let line = match (inside(*near), inside(*near + 1)) {
            (true, _) => *near,
            (_, true) => *near + 1,
            _ => self.starts.partition_point(|&s| s <= offset).saturating_sub(1),
        };
        *near = line;
        let at = self.markers.partition_point(|m| m.first as usize <= line).saturating_sub(1);
        let marker = &self.markers[at];
        Position {
            file: marker.file,
            line: marker.line + (line as u32).saturating_sub(marker.first),
            column: offset - self.starts[line] + 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_rename_what_follows() {
        let mut table = LineTable::new("a.i");
        // line 0: "x", line 1: marker, line 2 is line 10 of b.c, line 3 line 11.
        table.newline(2);
        table.marker(10, Some("b.c".into()));
        table.newline(12);
        table.newline(20);
        assert_eq!(table.position(0), Position { file: 0, line: 1, column: 1 });
        assert_eq!(table.position(15), Position { file: 1, line: 10, column: 4 });
        assert_eq!(table.position(20), Position { file: 1, line: 11, column: 1 });
    }
}
