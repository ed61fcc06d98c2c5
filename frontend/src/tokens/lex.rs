//! Cuts preprocessed text into tokens, coarsely: only what the rewriter asks about has a kind of its own.
//!
//! On the way it fills the line table, collects `#pragma pack`, and blanks what the parser stumbles over:
//! directives, comments (`gcc -E` leaves none), form feeds, escapes that only GNU knows.

use super::lines::LineTable;
use super::nesting::Nesting;

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    Ident,
    Number,
    Str,
    Char,
    LParen,
    RParen,
    LBracket,
    RBracket,
    LBrace,
    RBrace,
    Semi,
    Comma,
    Colon,
    Question,
    AndAnd,
    Star,
    Assign,
    IncDec,
    Op,
    /// `if while for switch`: what a parenthesis follows.
    Control,
    Else,
    Do,
    Return,
    /// `case`, `sizeof`.
    Prefix,
    Goto,
    Struct,
    Enum,
    /// `int`, `void`, ...
    Type,
    /// `static`, `const`, `inline`, ...: a declaration may begin so and never name a type.
    Decl,
    Typedef,
    Extension,
    Thread,
    Int128,
    AutoType,
    Float128,
    LocalLabel,
    Attribute,
    Asm,
    Alignof,
    StaticAssert,
    TypesCompatible,
    RealImag,
    Typeof,
}

impl Kind {
    /// Whether a run of these nests in the syntax tree.
    pub fn recurses(self) -> bool {
        matches!(
            self,
            Kind::Op
                | Kind::IncDec
                | Kind::Star
                | Kind::AndAnd
                | Kind::Assign
                | Kind::Question
                | Kind::Colon
                | Kind::Control
                | Kind::Do
                | Kind::Prefix
                | Kind::Extension
        )
    }

    /// Whether an expression can end here, so that what follows is a binary operator. After `++` in front of its
    /// operand only `*`, `(` or a name can follow, so taking it for the one behind does no harm.
    pub fn ends_operand(self) -> bool {
        matches!(
            self,
            Kind::Ident | Kind::Number | Kind::Str | Kind::Char | Kind::RParen | Kind::RBracket | Kind::IncDec
        )
    }
}

#[derive(Copy, Clone, Debug)]
pub struct Token {
    pub kind: Kind,
    pub start: u32,
    pub end: u32,
}

/// `#pragma pack`: from `offset` on, members are aligned to at most this (`None`: as usual).
#[derive(Copy, Clone, Debug)]
pub struct Pack {
    pub offset: usize,
    pub limit: Option<u64>,
}

pub struct Lexed {
    pub tokens: Vec<Token>,
    pub lines: LineTable,
    pub packs: Vec<Pack>,
}

struct Lexer<'a> {
    text: &'a mut [u8],
    at: usize,
    tokens: Vec<Token>,
    lines: LineTable,
    packs: Vec<Pack>,
    pack_stack: Vec<Option<u64>>,
    nesting: Nesting,
}

/// Nesting beyond the limits, found at `offset`.
pub struct TooDeep {
    pub offset: usize,
    pub message: String,
    pub lines: LineTable,
}

/// `text` is changed in place: blanked, never moved.
pub fn lex(text: &mut [u8], name: &str) -> Result<Lexed, TooDeep> {
    let mut lexer = Lexer {
        at: 0,
        tokens: Vec::with_capacity(text.len() / 5),
        lines: LineTable::new(name),
        packs: Vec::new(),
        pack_stack: Vec::new(),
        nesting: Nesting::new(),
        text,
    };
    if lexer.text.starts_with(b"\xef\xbb\xbf") {
        lexer.blank(0, 3);
        lexer.at = 3;
    }
    lexer.directive();
    while lexer.at < lexer.text.len() {
        if let Err(message) = lexer.token() {
            return Err(TooDeep { offset: lexer.at, message, lines: lexer.lines });
        }
    }
    Ok(Lexed { tokens: lexer.tokens, lines: lexer.lines, packs: lexer.packs })
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn blank(&mut self, from: usize, to: usize) {
        for b in &mut self.text[from..to] {
            if *b != b'\n' {
                *b = b' ';
            }
        }
    }

    fn push(&mut self, kind: Kind, start: usize) -> Result<(), String> {
        self.tokens.push(Token { kind, start: start as u32, end: self.at as u32 });
        self.nesting.feed(kind)
    }

    fn token(&mut self) -> Result<(), String> {
        let start = self.at;
        match self.text[start] {
            b'\n' => {
                self.at += 1;
                self.lines.newline(self.at);
                self.directive();
                Ok(())
            }
            b' ' | b'\t' => {
                self.at += 1;
                Ok(())
            }
            b'\r' | 0x0b | 0x0c => {
                self.text[start] = b' ';
                self.at += 1;
                Ok(())
            }
            b'/' if matches!(self.peek(1), b'/' | b'*') => {
                self.comment();
                Ok(())
            }
            b'_' | b'a'..=b'z' | b'A'..=b'Z' => self.word(),
            b'0'..=b'9' => self.number(),
            b'.' if self.peek(1).is_ascii_digit() => self.number(),
            quote @ (b'"' | b'\'') => self.literal(start, quote),
            _ => self.punctuation(),
        }
    }

    fn word(&mut self) -> Result<(), String> {
        let start = self.at;
        while matches!(self.peek(0), b'_' | b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'$') {
            self.at += 1;
        }
        let word = &self.text[start..self.at];
        let quote = self.peek(0);
        if matches!(quote, b'"' | b'\'') && matches!(word, b"L" | b"u" | b"U" | b"u8") {
            return self.literal(start, quote);
        }
        self.push(keyword(word), start)
    }

    fn number(&mut self) -> Result<(), String> {
        let start = self.at;
        self.at += 1;
        loop {
            let before = self.text[self.at - 1];
            match self.peek(0) {
                b'_' | b'.' | b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => self.at += 1,
                b'+' | b'-' if matches!(before, b'e' | b'E' | b'p' | b'P') && !self.hex_digit_e(start, before) => {
                    self.at += 1
                }
                _ => break,
            }
        }
        self.push(Kind::Number, start)
    }

    /// `0xe+1` is a sum: in a hexadecimal integer `e` is a digit.
    fn hex_digit_e(&self, start: usize, before: u8) -> bool {
        matches!(before, b'e' | b'E') && self.text[start] == b'0' && matches!(self.text[start + 1], b'x' | b'X')
    }

    fn literal(&mut self, start: usize, quote: u8) -> Result<(), String> {
        self.at += 1;
        while self.at < self.text.len() {
            match self.text[self.at] {
                b'\\' => {
                    let next = self.peek(1);
                    let known = matches!(next, b'\'' | b'"' | b'?' | b'\\' | b'0'..=b'7')
                        || matches!(next, b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' | b'x');
                    // `sema` reads the literal in the original text; the parser only has to get past it.
                    if !known && next.is_ascii_graphic() {
                        self.text[self.at + 1] = b'a';
                    }
                    self.at = (self.at + 2).min(self.text.len());
                }
                // An unfinished literal: the parser will say so.
                b'\n' => break,
                b if b == quote => {
                    self.at += 1;
                    break;
                }
                _ => self.at += 1,
            }
        }
        self.push(if quote == b'"' { Kind::Str } else { Kind::Char }, start)
    }

    fn comment(&mut self) {
        let start = self.at;
        let line = self.peek(1) == b'/';
        self.at += 2;
        while self.at < self.text.len() {
            match self.text[self.at] {
                b'\n' if line => break,
                b'\n' => {
                    self.at += 1;
                    self.lines.newline(self.at);
                }
                b'*' if !line && self.peek(1) == b'/' => {
                    self.at += 2;
                    break;
                }
                _ => self.at += 1,
            }
        }
        self.blank(start, self.at);
    }

    fn punctuation(&mut self) -> Result<(), String> {
        let start = self.at;
        let (first, second) = (self.peek(0), self.peek(1));
        let (kind, len) = match first {
            b'(' => (Kind::LParen, 1),
            b')' => (Kind::RParen, 1),
            b'[' => (Kind::LBracket, 1),
            b']' => (Kind::RBracket, 1),
            b'{' => (Kind::LBrace, 1),
            b'}' => (Kind::RBrace, 1),
            b';' => (Kind::Semi, 1),
            b',' => (Kind::Comma, 1),
            b':' => (Kind::Colon, 1),
            b'?' => (Kind::Question, 1),
            b'&' if second == b'&' => (Kind::AndAnd, 2),
            b'*' if second != b'=' => (Kind::Star, 1),
            b'=' if second != b'=' => (Kind::Assign, 1),
            b'.' if second == b'.' && self.peek(2) == b'.' => (Kind::Op, 3),
            b'-' if second == b'>' => (Kind::Op, 2),
            b'<' | b'>' if second == first => (Kind::Op, if self.peek(2) == b'=' { 3 } else { 2 }),
            b'+' | b'-' if second == first => (Kind::IncDec, 2),
            b'|' if second == first => (Kind::Op, 2),
            b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' | b'=' | b'!' | b'<' | b'>' if second == b'=' => {
                (Kind::Op, 2)
            }
            _ => (Kind::Op, 1),
        };
        self.at = (start + len).min(self.text.len());
        self.push(kind, start)
    }

    /// At the start of a line: takes a directive, if there is one, and blanks it.
    fn directive(&mut self) {
        let start = self.at;
        let mut at = start;
        while matches!(self.text.get(at), Some(b' ' | b'\t')) {
            at += 1;
        }
        if self.text.get(at) != Some(&b'#') {
            return;
        }
        let end = self.text[at..].iter().position(|&b| b == b'\n').map_or(self.text.len(), |n| at + n);
        let line = String::from_utf8_lossy(&self.text[at + 1..end]).trim().to_string();
        let line = line.strip_prefix("line ").unwrap_or(&line).trim_start();
        if line.starts_with(|c: char| c.is_ascii_digit()) {
            self.marker(line);
        } else if let Some(rest) = line.strip_prefix("pragma") {
            self.pragma(rest.trim(), start);
        }
        self.blank(start, end);
        self.at = end;
    }

    fn marker(&mut self, line: &str) {
        let digits = line.find(|c: char| !c.is_ascii_digit()).unwrap_or(line.len());
        let Ok(number) = line[..digits].parse() else { return };
        let mut name = None;
        if let Some(rest) = line[digits..].trim_start().strip_prefix('"') {
            let mut text = String::new();
            let mut chars = rest.chars();
            while let Some(c) = chars.next() {
                match c {
                    '"' => break,
                    '\\' => text.extend(chars.next()),
                    _ => text.push(c),
                }
            }
            name = Some(text);
        }
        self.lines.marker(number, name);
    }

    fn pragma(&mut self, text: &str, offset: usize) {
        let Some(rest) = text.strip_prefix("pack") else { return };
        let Some(inside) = rest.trim().strip_prefix('(').and_then(|s| s.strip_suffix(')')) else { return };
        let mut limit = self.packs.last().and_then(|p| p.limit);
        for word in inside.split(',').map(str::trim) {
            match word {
                "push" => self.pack_stack.push(limit),
                "pop" => limit = self.pack_stack.pop().flatten(),
                "" => limit = None,
                _ => limit = word.parse().ok().filter(|&n| n > 0).or(limit),
            }
        }
        self.packs.push(Pack { offset, limit });
    }
}

fn keyword(word: &[u8]) -> Kind {
    match word {
        b"if" | b"while" | b"for" | b"switch" => Kind::Control,
        b"else" => Kind::Else,
        b"do" => Kind::Do,
        b"return" => Kind::Return,
        b"case" | b"sizeof" => Kind::Prefix,
        b"goto" => Kind::Goto,
        b"struct" | b"union" => Kind::Struct,
        b"enum" => Kind::Enum,
        b"int" | b"char" | b"short" | b"long" | b"float" | b"double" | b"void" | b"signed" | b"unsigned" | b"_Bool"
        | b"__signed__" | b"__signed" => Kind::Type,
        b"static" | b"extern" | b"register" | b"auto" | b"const" | b"volatile" | b"inline" | b"__inline"
        | b"__inline__" | b"_Noreturn" | b"__const" | b"__volatile" | b"__volatile__" | b"_Thread_local" => Kind::Decl,
        b"typedef" => Kind::Typedef,
        _ if !word.starts_with(b"_") && word != b"asm" => Kind::Ident,
        b"__extension__" => Kind::Extension,
        b"__thread" => Kind::Thread,
        b"__int128" | b"__int128_t" | b"__uint128_t" => Kind::Int128,
        b"__auto_type" => Kind::AutoType,
        b"__float128" | b"__float80" => Kind::Float128,
        b"__label__" => Kind::LocalLabel,
        b"__attribute__" | b"__attribute" => Kind::Attribute,
        b"asm" | b"__asm__" | b"__asm" => Kind::Asm,
        b"_Alignof" | b"__alignof__" | b"__alignof" => Kind::Alignof,
        b"_Static_assert" => Kind::StaticAssert,
        b"__builtin_types_compatible_p" => Kind::TypesCompatible,
        b"__real__" | b"__real" | b"__imag__" | b"__imag" => Kind::RealImag,
        b"__typeof__" => Kind::Typeof,
        _ => Kind::Ident,
    }
}
