//! What is wrong with a file, and where.

use crate::model::Position;

/// An error in a chart file: `lamp.xml:12:20: unknown event `buton` (transition off -> on)`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[error("{}", self.line())]
pub struct Error {
    /// `position.line` is 0 if the file as a whole is meant.
    pub position: Position,
    /// The file's name, as it was given or as an off-page state names it.
    pub file: String,
    pub message: String,
    /// The element it stands in, in chart words; empty if it stands in none.
    pub element: String,
}

impl Error {
    fn line(&self) -> String {
        let mut line = self.file.clone();
        if self.position.line > 0 {
            line += &format!(":{}:{}", self.position.line, self.position.column);
        }
        line += &format!(": {}", self.message);
        if !self.element.is_empty() {
            line += &format!(" ({})", self.element);
        }
        line
    }
}

/// Errors beyond this number are not kept.
pub const MAX_ERRORS: usize = 200;

/// The errors of one import, and the names of its files.
#[derive(Default)]
pub(crate) struct Errors {
    pub files: Vec<String>,
    list: Vec<Error>,
}

impl Errors {
    pub fn new(files: Vec<String>) -> Errors {
        Errors { files, list: Vec::new() }
    }

    pub fn report(&mut self, position: Position, element: &str, message: impl Into<String>) {
        if self.full() {
            return;
        }
        let file = self.files.get(position.file as usize).cloned().unwrap_or_default();
        let error = Error { position, file, message: message.into(), element: element.to_string() };
        // A defined element that is used often is wrong as often.
        if !self.list.contains(&error) {
            self.list.push(error);
        }
    }

    /// No further error is kept: who could go on for long stops.
    pub fn full(&self) -> bool {
        self.list.len() >= MAX_ERRORS
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// By file, line and column.
    pub fn sorted(mut self) -> Vec<Error> {
        let full = self.full();
        self.list.sort();
        if full {
            let message = format!("more than {MAX_ERRORS} errors; the others are not listed");
            let file = self.files.first().cloned().unwrap_or_default();
            self.list.push(Error { position: Position::default(), file, message, element: String::new() });
        }
        self.list
    }
}

/// The word of `known` that is nearest to `word`, for "did you mean".
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Long words are no misspellings of names; the distance is quadratic.
    let word: Vec<char> = word.chars().take(64).collect();
    known.into_iter().map(|k| (distance(&word, k), k)).min().map(|(_, k)| k)
}

/// Levenshtein's distance, without regard to case.
fn distance(word: &[char], other: &str) -> usize {
    let same = |a: char, b: char| a.to_ascii_lowercase() == b.to_ascii_lowercase();
    let mut row: Vec<usize> = (0..=word.len()).collect();
    for (i, b) in other.chars().take(64).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &a) in word.iter().enumerate() {
            let changed = diagonal + usize::from(!same(a, b));
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[word.len()]
}
