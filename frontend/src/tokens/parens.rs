//! Takes out parentheses that change nothing, as in `((a == 1) && (b == 2)) && c`.
//!
//! The parser keeps a copy of the contents at every level, so the many parentheses of generated conditions cost
//! it time and memory with the square of their depth. A pair goes when what is inside is surely an expression of
//! binary operators that bind at least as tightly as what is around; the tree stays the same. (`&&` and `||` are
//! associative, so `a && (b && c)` may become `(a && b) && c`.)

use super::lex::{Kind, Token};

/// The weakest: a whole expression is expected, as after `(` or `,`.
const WHOLE: u8 = 0;
/// Stronger than any operator: nothing may be taken out here.
const NEVER: u8 = 100;

/// An open bracket.
struct Level {
    open: usize,
    /// How strongly the context binds from the left.
    left: u8,
    /// The weakest operator inside, directly at this level.
    weakest: u8,
    /// An operator has occurred that no type name contains.
    sure: bool,
    /// Commas, assignments, statements: not an expression of binary operators only.
    other: bool,
}

pub fn simplify(text: &mut [u8], tokens: &[Token]) {
    let mut levels: Vec<Level> = Vec::new();
    let mut removed: Vec<usize> = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        match tokens[i].kind {
            Kind::Attribute | Kind::Asm => {
                i = skip_group(tokens, i);
                if let Some(level) = levels.last_mut() {
                    level.other = true;
                }
                continue;
            }
            Kind::LParen | Kind::LBracket | Kind::LBrace => {
                let left = if tokens[i].kind == Kind::LParen { left_of(text, tokens, i) } else { NEVER };
                if tokens[i].kind == Kind::LBrace {
                    levels.iter_mut().rev().take(1).for_each(|l| l.other = true);
                }
                levels.push(Level { open: i, left, weakest: NEVER, sure: false, other: false });
            }
            Kind::RParen | Kind::RBracket | Kind::RBrace => {
                let Some(level) = levels.pop() else { break };
                if tokens[i].kind == Kind::RParen && redundant(&level, text, tokens, i) {
                    removed.extend([level.open, i]);
                    if let Some(outer) = levels.last_mut() {
                        outer.weakest = outer.weakest.min(level.weakest);
                        outer.sure |= level.sure;
                    }
                }
            }
            kind => {
                if let Some(level) = levels.last_mut() {
                    operator(level, kind, text, tokens, i);
                }
            }
        }
        i += 1;
    }
    for i in removed {
        text[tokens[i].start as usize] = b' ';
    }
}

fn operator(level: &mut Level, kind: Kind, text: &[u8], tokens: &[Token], i: usize) {
    match kind {
        Kind::Ident | Kind::Number | Kind::Str | Kind::Char | Kind::IncDec => {}
        Kind::Op | Kind::Star | Kind::AndAnd => {
            if i == 0 || !tokens[i - 1].kind.ends_operand() {
                return;
            }
            match strength(text, tokens[i]) {
                Some(strength) => {
                    level.weakest = level.weakest.min(strength);
                    level.sure |= !could_be_unary(text, tokens[i]);
                }
                None if is_member(text, tokens[i]) => {}
                None => level.other = true,
            }
        }
        _ => level.other = true,
    }
}

fn redundant(level: &Level, text: &[u8], tokens: &[Token], close: usize) -> bool {
    if level.other || !level.sure || level.left == NEVER {
        return false;
    }
    let right = match tokens.get(close + 1) {
        Some(token) => match token.kind {
            Kind::RParen | Kind::RBracket | Kind::RBrace | Kind::Comma | Kind::Semi | Kind::Colon | Kind::Question => {
                WHOLE
            }
            Kind::Op | Kind::Star | Kind::AndAnd => strength(text, *token).unwrap_or(NEVER),
            _ => NEVER,
        },
        None => NEVER,
    };
    let associative = level.left == level.weakest && level.weakest <= 2;
    right <= level.weakest && (level.left < level.weakest || associative)
}

/// How strongly what stands before the parenthesis at `i` binds to it.
fn left_of(text: &[u8], tokens: &[Token], i: usize) -> u8 {
    let Some(before) = i.checked_sub(1) else { return NEVER };
    match tokens[before].kind {
        Kind::LParen | Kind::LBracket | Kind::Comma | Kind::Assign | Kind::Return | Kind::Question | Kind::Colon => {
            WHOLE
        }
        Kind::Op | Kind::Star | Kind::AndAnd => {
            let Some(operand) = before.checked_sub(1) else { return NEVER };
            let kind = tokens[operand].kind;
            // After `)` the operator may be a unary one behind a cast.
            let binary = kind.ends_operand() && !(kind == Kind::RParen && could_be_unary(text, tokens[before]));
            match strength(text, tokens[before]) {
                Some(strength) if binary => strength,
                _ => NEVER,
            }
        }
        _ => NEVER,
    }
}

fn could_be_unary(text: &[u8], token: Token) -> bool {
    matches!(&text[token.start as usize..token.end as usize], b"*" | b"&" | b"+" | b"-")
}

fn is_member(text: &[u8], token: Token) -> bool {
    matches!(&text[token.start as usize..token.end as usize], b"." | b"->")
}

/// How strongly a binary operator binds.
fn strength(text: &[u8], token: Token) -> Option<u8> {
    Some(match &text[token.start as usize..token.end as usize] {
        b"||" => 1,
        b"&&" => 2,
        b"|" => 3,
        b"^" => 4,
        b"&" => 5,
        b"==" | b"!=" => 6,
        b"<" | b">" | b"<=" | b">=" => 7,
        b"<<" | b">>" => 8,
        b"+" | b"-" => 9,
        b"*" | b"/" | b"%" => 10,
        _ => return None,
    })
}

/// The token after the brackets that follow token `i`.
fn skip_group(tokens: &[Token], i: usize) -> usize {
    let mut depth = 0usize;
    for (n, token) in tokens.iter().enumerate().skip(i + 1) {
        match token.kind {
            Kind::LParen => depth += 1,
            Kind::RParen => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return n + 1;
                }
            }
            _ if depth == 0 && !matches!(token.kind, Kind::Decl | Kind::Goto) => return n,
            _ => {}
        }
    }
    tokens.len()
}
