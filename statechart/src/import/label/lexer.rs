//! Labels as tokens.

use super::Failure;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    /// Names and words; words are told apart by the parser.
    Name(String),
    /// `$x`
    Context(String),
    /// `tr!`: a word of an action, without the `!`.
    Bang(String),
    Integer(u64),
    Real(f64),
    Symbol(&'static str),
    End,
}

/// The longest come first.
const SYMBOLS: &[&str] = &[
    ":=", "/=", "!=", "<>", "<=", ">=", "==", "**", ";;", "(", ")", "[", "]", ",", ";", "/", "=", "<", ">", "+", "-",
    "*", ".", "'",
];

/// With the offset of each token's first byte; the last one is [`Token::End`].
pub(crate) fn tokens(text: &str) -> Result<Vec<(usize, Token)>, Failure> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
        } else if rest.starts_with("/*") {
            at += rest.find("*/").ok_or_else(|| (at, "the comment has no `*/`".to_string()))? + 2;
        } else if starts_name(first) {
            let length = name_length(rest);
            let name = rest[..length].to_string();
            if rest[length..].starts_with('!') && !rest[length..].starts_with("!=") {
                tokens.push((at, Token::Bang(name)));
                at += length + 1;
            } else {
                tokens.push((at, Token::Name(name)));
                at += length;
            }
        } else if first == '$' {
            let length = name_length(&rest[1..]);
            if !rest[1..].starts_with(starts_name) {
                return Err((at, "`$` begins the name of a context variable".into()));
            }
            tokens.push((at, Token::Context(rest[..=length].to_string())));
            at += length + 1;
        } else if first.is_ascii_digit() {
            let (token, length) = number(rest).map_err(|message| (at, message))?;
            tokens.push((at, token));
            at += length;
        } else if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            tokens.push((at, Token::Symbol(symbol)));
            at += symbol.len();
        } else {
            return Err((at, format!("the character `{}` has no meaning here", first.escape_default())));
        }
    }
    tokens.push((text.len(), Token::End));
    Ok(tokens)
}

pub(crate) fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn name_length(text: &str) -> usize {
    text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len())
}

/// A name as it is declared: `speed_2`.
pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(starts_name) && name_length(text) == text.len()
}

/// `12`, `0x1F`, `1.5`, `2e-3`.
pub(crate) fn number(text: &str) -> Result<(Token, usize), String> {
    let digits = |from: usize| text[from..].bytes().take_while(u8::is_ascii_digit).count();
    if text.starts_with("0x") || text.starts_with("0X") {
        let length = 2 + text[2..].bytes().take_while(u8::is_ascii_hexdigit).count();
        ends(text, length)?;
        let value =
            u64::from_str_radix(&text[2..length], 16).map_err(|_| "a hexadecimal number is wrong or too large")?;
        return Ok((Token::Integer(value), length));
    }
    let whole = digits(0);
    let mut length = whole;
    if text[length..].starts_with('.') && digits(length + 1) > 0 {
        length += 1 + digits(length + 1);
    }
    if text[length..].starts_with(['e', 'E']) {
        let sign = usize::from(text[length + 1..].starts_with(['+', '-']));
        let exponent = digits(length + 1 + sign);
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    ends(text, length)?;
    if length == whole {
        let value = text[..length].parse().map_err(|_| "the number is too large")?;
        return Ok((Token::Integer(value), length));
    }
    let value: f64 = text[..length].parse().map_err(|_| "the number is wrong")?;
    if !value.is_finite() {
        return Err("the number is too large".into());
    }
    Ok((Token::Real(value), length))
}

fn ends(text: &str, length: usize) -> Result<(), String> {
    match text[length..].chars().next().filter(|&c| starts_name(c)) {
        Some(_) => Err("a number is followed by letters".into()),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_names_and_symbols() {
        let kinds: Vec<Token> =
            tokens("ä_1 $i tr! 0x1F 1.5e-1 a/=b /* x */ 1..2").unwrap().into_iter().map(|t| t.1).collect();
        use Token::*;
        let name = |s: &str| Name(s.into());
        assert_eq!(
            kinds,
            [
                name("ä_1"),
                Context("$i".into()),
                Bang("tr".into()),
                Integer(31),
                Real(0.15),
                name("a"),
                Symbol("/="),
                name("b"),
                Integer(1),
                Symbol("."),
                Symbol("."),
                Integer(2),
                End
            ]
        );
    }

    #[test]
    fn errors_have_an_offset() {
        for (text, at) in
            [("a # b", 2), ("x /* y", 2), ("1 + 3x", 4), ("$ 1", 0), ("99999999999999999999", 0), ("ä\u{1f600}", 2)]
        {
            assert_eq!(tokens(text).unwrap_err().0, at, "{text}");
        }
    }
}
