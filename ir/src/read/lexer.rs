//! Tokens of the text form, one at a time. White space only separates; `//` begins a comment up to the line's end.

use crate::write::is_word_byte;
use std::fmt;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// A keyword, a bare name, an entity or a mnemonic with its parameters (`extract.7.0`).
    Word(&'a str),
    Number(u128),
    Str(String),
    Punct(char),
    /// `->`
    Arrow,
    End,
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Word(word) => write!(f, "`{}`", clip(word)),
            Token::Number(number) => write!(f, "`{number}`"),
            Token::Str(text) => write!(f, "the string {:?}", clip(text)),
            Token::Punct(c) => write!(f, "`{c}`"),
            Token::Arrow => write!(f, "`->`"),
            Token::End => write!(f, "the end of the text"),
        }
    }
}

/// The beginning of a text, for messages.
pub(super) fn clip(text: &str) -> &str {
    match text.char_indices().nth(40) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

/// A message and the byte it is about. Line and column are counted once, when the error is handed out.
#[derive(Debug)]
pub(super) struct Fault {
    pub at: usize,
    pub message: String,
}

pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str) -> Lexer<'a> {
        Lexer { text, at: 0 }
    }

    /// The next token and the byte it begins at.
    pub fn next(&mut self) -> Result<(usize, Token<'a>), Fault> {
        self.skip();
        let at = self.at;
        let Some(&byte) = self.text.as_bytes().get(at) else { return Ok((at, Token::End)) };
        let token = match byte {
            b'0'..=b'9' => self.number()?,
            b'"' => self.string()?,
            b'-' if self.text.as_bytes().get(at + 1) == Some(&b'>') => {
                self.at += 2;
                Token::Arrow
            }
            b'(' | b')' | b'[' | b']' | b'{' | b'}' | b',' | b';' | b':' | b'=' | b'@' | b'!' | b'-' => {
                self.at += 1;
                Token::Punct(char::from(byte))
            }
            _ if is_word_byte(byte) => Token::Word(self.word()),
            _ => {
                let c = self.text[at..].chars().next().unwrap_or(char::REPLACEMENT_CHARACTER);
                return Err(Fault { at, message: format!("unexpected character {c:?}") });
            }
        };
        Ok((at, token))
    }

    fn skip(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            if byte.is_ascii_whitespace() {
                self.at += 1;
            } else if byte == b'/' && bytes.get(self.at + 1) == Some(&b'/') {
                let rest = &bytes[self.at..];
                self.at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
            } else {
                break;
            }
        }
    }

    fn word(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let length = rest.bytes().position(|b| !is_word_byte(b)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn number(&mut self) -> Result<Token<'a>, Fault> {
        let at = self.at;
        let word = self.word();
        let number = match word.strip_prefix("0x") {
            // `from_str_radix` would take a sign.
            Some(digits) if digits.starts_with(|c: char| c.is_ascii_hexdigit()) => {
                u128::from_str_radix(digits, 16).ok()
            }
            Some(_) => None,
            None => word.parse().ok(),
        };
        match number {
            Some(number) => Ok(Token::Number(number)),
            None => Err(Fault { at, message: format!("`{}` is not a number of up to 128 bits", clip(word)) }),
        }
    }

    fn string(&mut self) -> Result<Token<'a>, Fault> {
        let start = self.at;
        let mut out = String::new();
        let mut chars = self.text[start + 1..].char_indices();
        while let Some((offset, c)) = chars.next() {
            let at = start + 1 + offset;
            let bad = || Fault { at, message: "unknown escape in a string".to_string() };
            match c {
                '"' => {
                    self.at = at + 1;
                    return Ok(Token::Str(out));
                }
                '\n' => break,
                '\\' => out.push(match chars.next().ok_or_else(bad)?.1 {
                    '"' => '"',
                    '\\' => '\\',
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    'u' => unicode(&mut chars).ok_or_else(bad)?,
                    _ => return Err(bad()),
                }),
                c => out.push(c),
            }
        }
        Err(Fault { at: start, message: "this string does not end on its line".to_string() })
    }
}

/// The rest of `\u{1f}`.
fn unicode(chars: &mut std::str::CharIndices<'_>) -> Option<char> {
    if chars.next()?.1 != '{' {
        return None;
    }
    let mut code = 0u32;
    for _ in 0..=6 {
        match chars.next()?.1 {
            '}' => return char::from_u32(code),
            c => code = code.checked_mul(16)?.checked_add(c.to_digit(16)?)?,
        }
    }
    None
}
