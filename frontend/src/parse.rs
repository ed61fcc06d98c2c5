//! The parser, and the stack it needs.
//!
//! lang-c, `sema` and `lower` recurse along the syntax, and so does dropping a tree. `tokens::nesting` bounds the
//! depth; [`on_big_stack`] has room for it. Run the whole front end inside it, the drop of its results included.

use crate::error::FrontError;
use crate::preprocess::Text;
use crate::tokens::{self, Source};
use lang_c::ast::TranslationUnit;
use lang_c::driver::{self, Config, Flavor, SyntaxError};

/// Reserved, not used: pages cost memory when they are touched.
const STACK: usize = 1 << 30;

/// How many expected tokens an error names.
const NAMED: usize = 8;

/// Runs `f` on a thread whose stack suits any input within the limits of `tokens::nesting`.
pub fn on_big_stack<T: Send>(f: impl FnOnce() -> T + Send) -> std::io::Result<T> {
    std::thread::scope(|scope| {
        let handle = std::thread::Builder::new().name("front".into()).stack_size(STACK).spawn_scoped(scope, f)?;
        match handle.join() {
            Ok(value) => Ok(value),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// A translation unit and its text.
#[derive(Debug)]
pub struct Parsed {
    pub unit: TranslationUnit,
    pub source: Source,
}

pub fn parse(text: Text, name: &str) -> Result<Parsed, FrontError> {
    let (rewritten, source) = tokens::rewrite(text, name)?;
    // The preprocessor has run; of the configuration only the flavour is read.
    let config = Config { cpp_command: String::new(), cpp_options: Vec::new(), flavor: Flavor::GnuC11 };
    match driver::parse_preprocessed(&config, rewritten) {
        Ok(parse) => Ok(Parsed { unit: parse.unit, source }),
        Err(error) => Err(syntax_error(&error, &source)),
    }
}

fn syntax_error(error: &SyntaxError, source: &Source) -> FrontError {
    if let Some(place) = source.unclosed_section() {
        return FrontError::new(place, "this atomic section is not closed: a `}` is missing in it, or at its end");
    }
    let rest = source.original(error.offset).trim_start();
    let found = match rest.chars().next() {
        None => "end of file".to_string(),
        Some(c) if c == '_' || c.is_alphanumeric() => {
            let end = rest.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(rest.len());
            format!("`{}`", &rest[..end])
        }
        Some(c) if c.is_control() => format!("the character {}", c.escape_default()),
        Some(c) => format!("`{c}`"),
    };
    // The parser stops before blanks; the token is what the user sees.
    let skipped = source.original(error.offset).len() - rest.len();
    let place = source.place(error.offset + if skipped <= 1 { skipped } else { 0 });
    let expected = expected(error);
    let result = FrontError::new(place, format!("syntax error before {found}"));
    match expected.len() {
        0 => result,
        1..=NAMED => result.with_hint(format!("expected {}", expected.join(", "))),
        _ => result.with_hint(format!("expected {}, ...", expected[..NAMED].join(", "))),
    }
}

/// What would have been right, in words where the grammar has character classes.
fn expected(error: &SyntaxError) -> Vec<String> {
    let has = |s: &str| error.expected.contains(s);
    let expression = has("[_a-zA-Z]") && has("(") && has("!");
    let mut names = Vec::new();
    if expression {
        names.push("an expression".to_string());
    } else if has("[_a-zA-Z]") {
        names.push("a name".to_string());
    }
    if has("<typedef_name>") {
        names.push("a type".to_string());
    }
    let starts = ["!", "&", "*", "+", "-", "~", "(", "++", "--", "\"", "u8", "'"];
    let mut tokens: Vec<&str> = error.expected.iter().copied().collect();
    tokens.sort_unstable();
    for token in tokens {
        let class = token.starts_with('[') && token.len() > 1 || token.starts_with('<') && token.len() > 2;
        let blank = token.trim().is_empty() || token.contains(char::is_whitespace) || token == "#";
        let named = class || blank || (expression && starts.contains(&token));
        if !named {
            names.push(format!("`{token}`"));
        }
    }
    names
}
