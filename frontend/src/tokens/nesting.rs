//! How deep the text nests, measured before the parser runs, because parser, `sema` and `lower` recurse.
//!
//! Three limits, each far beyond what people and generators write:
//! - [`MAX_PARENS`] open `(` and `[`. The parser keeps a copy of what is inside each level, so the memory for
//!   an expression grows with the square of this.
//! - [`MAX_BRACES`] open `{`: generated code nests `else { if ... }` deeply.
//! - [`MAX_CHAIN`] operators, casts or keywords in a row in one expression or statement, `else if` too.

use super::lex::Kind;

pub const MAX_PARENS: u32 = 1_000;
pub const MAX_BRACES: u32 = 20_000;
pub const MAX_CHAIN: u32 = 100_000;

#[derive(Clone, Default)]
struct Level {
    /// Operators since the statement or list element began.
    operators: u32,
    /// `else`s since the outermost `if` of the chain.
    elses: u32,
    /// A statement has ended; what comes now says whether an `else` carries it on.
    ended: bool,
    brace: bool,
}

pub(super) struct Nesting {
    levels: Vec<Level>,
    parens: u32,
    braces: u32,
}

impl Nesting {
    pub fn new() -> Nesting {
        Nesting { levels: vec![Level::default()], parens: 0, braces: 0 }
    }

    /// Takes in the next token; an error says which limit it breaks.
    pub fn feed(&mut self, kind: Kind) -> Result<(), String> {
        match kind {
            Kind::LParen | Kind::LBracket | Kind::LBrace => self.open(kind == Kind::LBrace),
            Kind::RParen | Kind::RBracket | Kind::RBrace => {
                self.close();
                Ok(())
            }
            _ => self.token(kind),
        }
    }

    fn open(&mut self, brace: bool) -> Result<(), String> {
        self.count()?;
        let (open, max, what) = match brace {
            true => (&mut self.braces, MAX_BRACES, "braces"),
            false => (&mut self.parens, MAX_PARENS, "parentheses and brackets"),
        };
        *open += 1;
        if *open > max {
            return Err(format!("more than {max} nested {what}"));
        }
        self.levels.push(Level { brace, ..Level::default() });
        Ok(())
    }

    fn close(&mut self) {
        // Unbalanced text is the parser's to refuse.
        if self.levels.len() < 2 {
            return;
        }
        let closed = self.levels.pop().unwrap_or_default();
        match closed.brace {
            true => self.braces -= 1,
            false => self.parens -= 1,
        }
        if closed.brace {
            if let Some(level) = self.levels.last_mut() {
                level.ended = true;
                level.operators = 0;
            }
        }
    }

    fn token(&mut self, kind: Kind) -> Result<(), String> {
        let Some(level) = self.levels.last_mut() else { return Ok(()) };
        if level.ended {
            level.ended = false;
            if kind != Kind::Else {
                level.elses = 0;
            }
        }
        match kind {
            Kind::Semi => {
                level.operators = 0;
                level.ended = true;
                Ok(())
            }
            Kind::Comma => {
                level.operators = 0;
                Ok(())
            }
            Kind::Else => {
                level.elses += 1;
                match level.elses > MAX_CHAIN {
                    true => Err(format!("more than {MAX_CHAIN} `else` branches in one chain")),
                    false => Ok(()),
                }
            }
            _ if kind.recurses() => self.count(),
            _ => Ok(()),
        }
    }

    fn count(&mut self) -> Result<(), String> {
        let Some(level) = self.levels.last_mut() else { return Ok(()) };
        level.operators += 1;
        match level.operators > MAX_CHAIN {
            true => Err(format!("more than {MAX_CHAIN} operators in one expression or statement")),
            false => Ok(()),
        }
    }
}
