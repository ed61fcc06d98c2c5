//! The action language: labels `trigger[condition]/action`, actions, event expressions, requirements.
//!
//! `text -> lexer -> parser -> syntax`; [`super::check`] gives names and types their meaning.

pub(crate) mod lexer;
pub(crate) mod parser;
pub(crate) mod syntax;

/// A label that is wrong: the offset into its text, and why.
pub(crate) type Failure = (usize, String);
