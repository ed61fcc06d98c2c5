//! What the front end says about input it cannot take: a place, a message, sometimes a hint.

use std::fmt;

/// A place as the user knows it. `line` 0 means the whole file, `column` 0 the whole line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Place {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

impl Place {
    pub fn file(name: impl Into<String>) -> Place {
        Place { file: name.into(), line: 0, column: 0 }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
            if self.column > 0 {
                write!(f, ":{}", self.column)?;
            }
        }
        Ok(())
    }
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{loc}: error: {message}{}", Hint(hint))]
pub struct FrontError {
    pub loc: Place,
    pub message: String,
    pub hint: Option<String>,
}

impl FrontError {
    pub fn new(loc: Place, message: impl Into<String>) -> FrontError {
        FrontError { loc, message: message.into(), hint: None }
    }

    pub fn with_hint(mut self, hint: impl Into<String>) -> FrontError {
        self.hint = Some(hint.into());
        self
    }
}

/// All that is wrong with the input, in source order; never empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Errors(pub Vec<FrontError>);

impl From<FrontError> for Errors {
    fn from(error: FrontError) -> Errors {
        Errors(vec![error])
    }
}

impl std::error::Error for Errors {}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, error) in self.0.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{error}")?;
        }
        Ok(())
    }
}

struct Hint<'a>(&'a Option<String>);

impl fmt::Display for Hint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}
