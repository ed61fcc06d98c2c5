//! One token of look-ahead over the lexer, and the small phrases every part of the text shares: lists of punctuation,
//! names, entities, types, constants.

use super::lexer::{clip, Fault, Lexer, Token};
use crate::consts::{mask, ArrayConst, Const};
use crate::types::{FloatFormat, Scalar, Type, MAX_WIDTH};

pub(super) struct Cursor<'a> {
    lexer: Lexer<'a>,
    token: Token<'a>,
    /// Where `token` begins.
    pub at: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str) -> Result<Cursor<'a>, Fault> {
        let mut lexer = Lexer::new(text);
        let (at, token) = lexer.next()?;
        Ok(Cursor { lexer, token, at })
    }

    pub fn peek(&self) -> &Token<'a> {
        &self.token
    }

    /// The current token; goes on to the next.
    pub fn take(&mut self) -> Result<Token<'a>, Fault> {
        let (at, token) = self.lexer.next()?;
        self.at = at;
        Ok(std::mem::replace(&mut self.token, token))
    }

    pub fn expected<T>(&self, what: &str) -> Result<T, Fault> {
        Err(Fault { at: self.at, message: format!("expected {what}, found {}", self.token) })
    }

    /// Takes the punctuation if it is next.
    pub fn eat(&mut self, punct: char) -> Result<bool, Fault> {
        let found = self.token == Token::Punct(punct);
        if found {
            self.take()?;
        }
        Ok(found)
    }

    pub fn expect(&mut self, punct: char) -> Result<(), Fault> {
        match self.eat(punct)? {
            true => Ok(()),
            false => self.expected(&format!("`{punct}`")),
        }
    }

    /// Takes the keyword if it is next.
    pub fn eat_word(&mut self, word: &str) -> Result<bool, Fault> {
        let found = self.token == Token::Word(word);
        if found {
            self.take()?;
        }
        Ok(found)
    }

    pub fn eat_arrow(&mut self) -> Result<bool, Fault> {
        let found = self.token == Token::Arrow;
        if found {
            self.take()?;
        }
        Ok(found)
    }

    pub fn word(&mut self, what: &str) -> Result<&'a str, Fault> {
        match self.token {
            Token::Word(word) => {
                self.take()?;
                Ok(word)
            }
            _ => self.expected(what),
        }
    }

    pub fn string(&mut self, what: &str) -> Result<String, Fault> {
        match self.token {
            Token::Str(_) => match self.take()? {
                Token::Str(text) => Ok(text),
                _ => self.expected(what),
            },
            _ => self.expected(what),
        }
    }

    /// A bare or quoted name.
    pub fn name(&mut self, what: &str) -> Result<String, Fault> {
        match self.token {
            Token::Word(word) => {
                self.take()?;
                Ok(word.to_string())
            }
            _ => self.string(what),
        }
    }

    pub fn number(&mut self, what: &str) -> Result<u128, Fault> {
        match self.token {
            Token::Number(number) => {
                self.take()?;
                Ok(number)
            }
            _ => self.expected(what),
        }
    }

    pub fn number32(&mut self, what: &str) -> Result<u32, Fault> {
        let at = self.at;
        let number = self.number(what)?;
        u32::try_from(number).map_err(|_| Fault { at, message: format!("{number} is too large for {what}") })
    }

    /// The number of the entity that is next, if it has this prefix.
    pub fn peek_entity(&self, prefix: &str) -> Option<u32> {
        match self.token {
            Token::Word(word) => entity_number(word, prefix),
            _ => None,
        }
    }

    /// An entity: its number in the text, and where it stands.
    pub fn entity(&mut self, prefix: &str) -> Result<(u32, usize), Fault> {
        let at = self.at;
        match self.peek_entity(prefix) {
            Some(number) => {
                self.take()?;
                Ok((number, at))
            }
            None => self.expected(&format!("`{prefix}` with a number")),
        }
    }

    pub fn scalar(&mut self) -> Result<Scalar, Fault> {
        let at = self.at;
        let word = self.word("a type")?;
        let scalar = match word {
            "bool" => Some(Scalar::Bool),
            _ => match float_format(word) {
                Some(format) => Some(Scalar::Float(format)),
                None => entity_number(word, "bv").filter(|w| (1..=MAX_WIDTH).contains(w)).map(Scalar::Bv),
            },
        };
        let message = || format!("`{}` is not a type (bool, bv1 to bv{MAX_WIDTH}, f32, f64, x87, arrays)", clip(word));
        scalar.ok_or_else(|| Fault { at, message: message() })
    }

    pub fn ty(&mut self) -> Result<Type, Fault> {
        if !self.eat('[')? {
            return Ok(Type::Scalar(self.scalar()?));
        }
        let at = self.at;
        let Scalar::Bv(index) = self.scalar()? else {
            return Err(Fault { at, message: "an array is indexed by a bit-vector".to_string() });
        };
        self.expect(']')?;
        Ok(Type::Array { index, elem: self.scalar()? })
    }

    pub fn constant(&mut self) -> Result<Const, Fault> {
        if let Token::Word("true" | "false") = self.token {
            return self.payload(Scalar::Bool);
        }
        match self.ty()? {
            Type::Scalar(scalar) => self.payload(scalar),
            Type::Array { index, elem } => self.array(index, elem),
        }
    }

    /// `{default; index: cell, ...}`
    fn array(&mut self, index: u32, elem: Scalar) -> Result<Const, Fault> {
        self.expect('{')?;
        let mut array = ArrayConst::filled(index, self.payload(elem)?);
        if self.eat(';')? {
            loop {
                let cell = self.bits(index)?;
                self.expect(':')?;
                array.set(cell, self.payload(elem)?);
                if !self.eat(',')? {
                    break;
                }
            }
        }
        self.expect('}')?;
        Ok(Const::Array(array))
    }

    /// A scalar constant without its type.
    fn payload(&mut self, scalar: Scalar) -> Result<Const, Fault> {
        Ok(match scalar {
            Scalar::Bool if self.eat_word("true")? => Const::TRUE,
            Scalar::Bool if self.eat_word("false")? => Const::FALSE,
            Scalar::Bool => return self.expected("`true` or `false`"),
            Scalar::Bv(width) => Const::Bv { width, bits: self.bits(width)? },
            Scalar::Float(format) => Const::Float { format, bits: self.bits(format.storage_bits())? },
        })
    }

    /// A number of this many bits; a negative one is read as two's complement.
    fn bits(&mut self, width: u32) -> Result<u128, Fault> {
        let at = self.at;
        let negative = self.eat('-')?;
        let number = self.number("a number")?;
        let bits = match negative {
            true if number <= 1u128 << (width - 1) => Some(mask(width, number.wrapping_neg())),
            true => None,
            false => Some(number).filter(|&n| mask(width, n) == n),
        };
        let sign = if negative { "-" } else { "" };
        bits.ok_or_else(|| Fault { at, message: format!("{sign}{number} does not fit in {width} bits") })
    }
}

pub(super) fn float_format(word: &str) -> Option<FloatFormat> {
    match word {
        "f32" => Some(FloatFormat::F32),
        "f64" => Some(FloatFormat::F64),
        "x87" => Some(FloatFormat::X87),
        _ => None,
    }
}

/// The number after the prefix. The largest `u32` marks absence in entity tables, so it is none.
pub(super) fn entity_number(word: &str, prefix: &str) -> Option<u32> {
    let digits = word.strip_prefix(prefix)?;
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok().filter(|&n| n != u32::MAX)
}
