//! The four forms of a requirement; what is between the words is C.

use syncline_frontend::reactive::{Kind, Said};
use syncline_frontend::{Errors, Place};

const FORMS: &str =
    "a requirement is `always E`, `never E`, `E leads to F within n steps` or `after E, F until G`, with C for E, F, G";

/// The largest number of steps.
const MAX_STEPS: u32 = 1_000_000;

pub fn parse(said: &Said) -> Result<Kind, Errors> {
    let whole = Part { said, start: 0, end: said.text.len() };
    if let Some(rest) = whole.after_word("always") {
        return Ok(Kind::Always(rest.said()));
    }
    if let Some(rest) = whole.after_word("never") {
        return Ok(Kind::Never(rest.said()));
    }
    if let Some(rest) = whole.after_word("after") {
        let parts = rest.split(",").and_then(|(after, rest)| Some((after, rest.split(" until ")?)));
        let Some((after, (holds, until))) = parts else { return Err(said.error(FORMS)) };
        return Ok(Kind::AfterUntil(after.said(), holds.said(), until.said()));
    }
    let parts = whole.split(" leads to ").and_then(|(cause, rest)| Some((cause, rest.split(" within ")?)));
    let Some((cause, (effect, count))) = parts else { return Err(said.error(FORMS)) };
    let words = count.text().trim();
    let number = words.strip_suffix("steps").or_else(|| words.strip_suffix("step")).and_then(|n| n.trim().parse().ok());
    match number {
        Some(n) if n <= MAX_STEPS => Ok(Kind::LeadsTo(cause.said(), effect.said(), n)),
        _ => Err(count.said().error(format!("`{words}` is not a number of steps, such as `3 steps`"))),
    }
}

/// A piece of what was said.
#[derive(Copy, Clone)]
struct Part<'s> {
    said: &'s Said,
    start: usize,
    end: usize,
}

impl<'s> Part<'s> {
    fn text(&self) -> &'s str {
        &self.said.text[self.start..self.end]
    }

    /// What follows a first word.
    fn after_word(self, word: &str) -> Option<Part<'s>> {
        let text = self.text();
        let blank = text.len() - text.trim_start().len();
        let rest = text.trim_start().strip_prefix(word)?;
        let ends = rest.starts_with(|c: char| c.is_whitespace() || c == '(');
        ends.then_some(Part { start: self.start + blank + word.len(), ..self })
    }

    /// What is before and after some words, the first that are in no parentheses.
    fn split(self, words: &str) -> Option<(Part<'s>, Part<'s>)> {
        let text = self.text();
        let mut depth = 0usize;
        for (at, c) in text.char_indices() {
            match c {
                '(' | '[' => depth += 1,
                ')' | ']' => depth = depth.saturating_sub(1),
                _ if depth == 0 && text[at..].starts_with(words) => {
                    let before = Part { end: self.start + at, ..self };
                    return Some((before, Part { start: self.start + at + words.len(), ..self }));
                }
                _ => {}
            }
        }
        None
    }

    fn said(self) -> Said {
        let text = self.text();
        let start = self.start + text.len() - text.trim_start().len();
        let Place { file, line, column } = self.said.place.clone();
        let before = self.said.text[..start].chars().count() as u32;
        let column = if column > 0 { column + before } else { 0 };
        Said { text: text.trim().to_string(), place: Place { file, line, column } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Said {
        Said { text: text.to_string(), place: Place { file: "f".into(), line: 3, column: 10 } }
    }

    #[test]
    fn forms_are_told_apart() {
        let Ok(Kind::Always(e)) = parse(&said("always (a, b) > 0")) else { panic!() };
        assert_eq!((e.text.as_str(), e.place.column), ("(a, b) > 0", 17));
        let Ok(Kind::LeadsTo(e, f, 3)) = parse(&said("x.a leads to f(1) within 3 steps")) else { panic!() };
        assert_eq!((e.text.as_str(), f.text.as_str(), f.place.column), ("x.a", "f(1)", 23));
        let Ok(Kind::AfterUntil(e, f, g)) = parse(&said("after max(a, b), c until d")) else { panic!() };
        assert_eq!((e.text.as_str(), f.text.as_str(), g.text.as_str()), ("max(a, b)", "c", "d"));
        let Ok(Kind::Never(e)) = parse(&said("never(x)")) else { panic!() };
        assert_eq!(e.text, "(x)");
    }

    #[test]
    fn other_words_are_refused() {
        for text in ["x > 0", "x leads to y", "x leads to y within n steps", "after x, y", "alwaysx", ""] {
            assert!(parse(&said(text)).is_err(), "{text}");
        }
    }
}
