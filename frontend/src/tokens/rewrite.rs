//! The rewriter's rules, one pass over the tokens. The table in the parent module says what becomes what.

use super::lex::{Kind, Token};
use super::RawAttribute;
use rustc_hash::FxHashMap;

/// What the rewriter gives back: insertions in order, and the attributes that follow `struct`, by the keyword's offset.
type Outcome = (Vec<(usize, &'static str)>, FxHashMap<usize, Vec<RawAttribute>>);

pub struct Rewriter<'a> {
    text: &'a mut [u8],
    tokens: &'a [Token],
    insertions: Vec<(usize, &'static str)>,
    struct_attributes: FxHashMap<usize, Vec<RawAttribute>>,
    /// For each open bracket: its kind and what stood before it.
    open: Vec<(Kind, Option<Kind>)>,
    braces: usize,
    /// What stood before the bracket that was closed last.
    before_closed: Option<Kind>,
    /// The last token that was kept.
    previous: Option<Kind>,
    /// Where a kept attribute ends, and what stood before it: it is no part of the syntax around it.
    attribute_end: Option<(usize, Option<Kind>)>,
    /// A declaration has begun with words like `static`, and no type yet.
    untyped: bool,
}

/// Attributes that `sema` wants to see.
const SIGNIFICANT: &[&str] = &["packed", "aligned", "mode", "noreturn", "vector_size", "transparent_union"];

impl<'a> Rewriter<'a> {
    pub fn new(text: &'a mut [u8], tokens: &'a [Token]) -> Rewriter<'a> {
        Rewriter {
            text,
            tokens,
            insertions: Vec::new(),
            struct_attributes: FxHashMap::default(),
            open: Vec::new(),
            braces: 0,
            before_closed: None,
            previous: None,
            attribute_end: None,
            untyped: false,
        }
    }

    pub fn finish(mut self) -> Outcome {
        self.insertions.sort_by_key(|&(at, _)| at);
        (self.insertions, self.struct_attributes)
    }

    pub fn run(&mut self) {
        let mut i = 0;
        while i < self.tokens.len() {
            let next = self.rule(i);
            if next == i {
                self.keep(i);
                if let Some((_, previous)) = self.attribute_end.filter(|a| a.0 == i) {
                    self.previous = previous;
                    self.attribute_end = None;
                }
                i += 1;
            } else {
                i = next;
            }
        }
    }

    fn kind(&self, i: usize) -> Option<Kind> {
        self.tokens.get(i).map(|t| t.kind)
    }

    fn word(&self, i: usize) -> &[u8] {
        let t = self.tokens[i];
        &self.text[t.start as usize..t.end as usize]
    }

    fn insert(&mut self, at: u32, text: &'static str) {
        self.insertions.push((at as usize, text));
    }

    /// Blanks the tokens `from..to` and what is between them.
    fn blank(&mut self, from: usize, to: usize) {
        let (start, end) = (self.tokens[from].start as usize, self.tokens[to - 1].end as usize);
        for b in &mut self.text[start..end] {
            if *b != b'\n' {
                *b = b' ';
            }
        }
    }

    /// Puts `with` in the place of token `i`, which is at least as long.
    fn replace(&mut self, i: usize, with: &str) {
        let t = self.tokens[i];
        self.blank(i, i + 1);
        self.text[t.start as usize..t.start as usize + with.len()].copy_from_slice(with.as_bytes());
    }

    /// The index of the bracket that closes the one at `i`.
    fn close_of(&self, i: usize) -> Option<usize> {
        let mut depth = 0usize;
        for (n, t) in self.tokens.iter().enumerate().skip(i) {
            match t.kind {
                Kind::LParen | Kind::LBracket | Kind::LBrace => depth += 1,
                Kind::RParen | Kind::RBracket | Kind::RBrace => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return Some(n);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// Keeps track of brackets and of the token before.
    fn keep(&mut self, i: usize) {
        let kind = self.tokens[i].kind;
        match kind {
            Kind::LParen | Kind::LBracket | Kind::LBrace => {
                self.open.push((kind, self.previous));
                self.braces += usize::from(kind == Kind::LBrace);
            }
            Kind::RParen | Kind::RBracket | Kind::RBrace => {
                self.before_closed = self.open.pop().and_then(|(_, before)| before);
                self.braces -= usize::from(kind == Kind::RBrace && self.braces > 0);
            }
            _ => {}
        }
        self.previous = Some(kind);
    }

    /// Applies the rule for token `i`; gives the next token to look at, `i` itself if it is kept.
    fn rule(&mut self, i: usize) -> usize {
        let kind = self.tokens[i].kind;
        if self.attribute_end.is_none() {
            self.implicit_int(i, kind);
        }
        if let Some(stand_in) = self.stand_in(i, kind) {
            self.replace(i, stand_in);
            return i;
        }
        match kind {
            Kind::Extension | Kind::Thread => {
                self.blank(i, i + 1);
                i + 1
            }
            Kind::LocalLabel => {
                let mut end = i;
                while self.kind(end).is_some_and(|k| k != Kind::Semi) {
                    end += 1;
                }
                let end = (end + 1).min(self.tokens.len());
                self.blank(i, end);
                end
            }
            Kind::Attribute => self.attribute(i),
            Kind::Asm => self.asm(i),
            Kind::Question => {
                if self.kind(i + 1) == Some(Kind::Colon) {
                    self.insert(self.tokens[i].end, " __syncline_same ");
                }
                i
            }
            Kind::Colon => {
                self.label_end(i);
                i
            }
            Kind::LBrace => {
                self.empty_literal(i);
                i
            }
            Kind::LBracket if self.kind(i + 1) == Some(Kind::LBracket) => self.standard_attribute(i),
            Kind::Alignof | Kind::StaticAssert | Kind::TypesCompatible => {
                self.pseudo_call(i, kind);
                i
            }
            // A file that begins with `;`.
            Kind::Semi if self.previous.is_none() => {
                self.blank(i, i + 1);
                i + 1
            }
            _ => i,
        }
    }

    /// What the parser gets to see in the place of a word it does not know.
    fn stand_in(&self, i: usize, kind: Kind) -> Option<&'static str> {
        Some(match kind {
            Kind::Int128 if self.word(i) == b"__uint128_t" => "_Float16x",
            Kind::Int128 => "_Float16",
            Kind::AutoType => "_Float16x",
            Kind::Float128 if self.word(i) == b"__float80" => "_Float64x",
            Kind::Float128 => "_Float128",
            Kind::Typeof => "__typeof",
            Kind::RealImag => "~",
            Kind::AndAnd if self.kind(i + 1) == Some(Kind::Ident) && self.starts_operand(i) => "~",
            Kind::Goto if self.kind(i + 1) == Some(Kind::Star) => "~~~~",
            _ => return None,
        })
    }

    fn starts_operand(&self, i: usize) -> bool {
        match self.previous {
            // `(void *)&&label`: no expression ends in `*)`.
            Some(Kind::RParen) => i >= 2 && self.kind(i - 2) == Some(Kind::Star),
            Some(k) => !k.ends_operand(),
            None => true,
        }
    }

    /// A label before `}` or before a declaration is no statement in the parser's grammar.
    fn label_end(&mut self, i: usize) {
        if self.open.last().map(|o| o.0) != Some(Kind::LBrace) {
            return;
        }
        let declaration =
            matches!(self.kind(i + 1), Some(Kind::RBrace | Kind::Type | Kind::Decl | Kind::Struct | Kind::Typedef));
        if declaration {
            self.insert(self.tokens[i].end, ";");
        }
    }

    /// `(T){}`: the parser wants an element.
    fn empty_literal(&mut self, i: usize) {
        if self.kind(i + 1) != Some(Kind::RBrace) || self.previous != Some(Kind::RParen) {
            return;
        }
        let literal = match self.before_closed {
            Some(k) => !k.ends_operand() && !matches!(k, Kind::Control | Kind::Type | Kind::Typeof | Kind::RBrace),
            None => false,
        };
        if literal {
            self.insert(self.tokens[i].end, "0");
        }
    }

    /// `[[...]]`: blanked, but for `noreturn`.
    fn standard_attribute(&mut self, i: usize) -> usize {
        let Some(close) = self.close_of(i) else { return i };
        let noreturn = (i + 2..close).any(|n| matches!(self.word(n), b"noreturn" | b"_Noreturn" | b"__noreturn__"));
        self.blank(i, close + 1);
        if noreturn {
            let start = self.tokens[i].start as usize;
            self.text[start..start + 9].copy_from_slice(b"_Noreturn");
        }
        close + 1
    }

    fn pseudo_call(&mut self, i: usize, kind: Kind) {
        if self.kind(i + 1) != Some(Kind::LParen) {
            return;
        }
        let Some(close) = self.close_of(i + 1) else { return };
        let (inside, end) = (self.tokens[i + 1].end, self.tokens[close].start);
        let comma = self.top_level_comma(i + 1, close);
        match (kind, comma) {
            (Kind::Alignof, _) => {
                self.insert(inside, "__typeof(");
                self.insert(end, ")");
            }
            (Kind::StaticAssert, None) => self.insert(end, ",\"\""),
            (Kind::TypesCompatible, Some(comma)) => {
                let comma = self.tokens[comma];
                self.insert(inside, "sizeof(");
                self.insert(comma.start, ")");
                self.insert(comma.end, "sizeof(");
                self.insert(end, ")");
            }
            _ => {}
        }
    }

    fn top_level_comma(&self, open: usize, close: usize) -> Option<usize> {
        let mut depth = 0usize;
        for n in open + 1..close {
            match self.tokens[n].kind {
                Kind::LParen | Kind::LBracket | Kind::LBrace => depth += 1,
                Kind::RParen | Kind::RBracket | Kind::RBrace => depth = depth.saturating_sub(1),
                Kind::Comma if depth == 0 => return Some(n),
                _ => {}
            }
        }
        None
    }

    fn attribute(&mut self, i: usize) -> usize {
        if self.kind(i + 1) != Some(Kind::LParen) || self.kind(i + 2) != Some(Kind::LParen) {
            return i;
        }
        let Some(close) = self.close_of(i + 1) else { return i };
        let attributes = self.attribute_list(i + 3, close - 1);
        let after_keyword = matches!(self.previous, Some(Kind::Struct | Kind::Enum));
        if after_keyword {
            let keyword = (0..i).rev().find(|&n| matches!(self.tokens[n].kind, Kind::Struct | Kind::Enum));
            if let Some(n) = keyword {
                self.struct_attributes.entry(self.tokens[n].start as usize).or_default().extend(attributes);
            }
            self.blank(i, close + 1);
            return close + 1;
        }
        let blocking = (i + 3..close).any(|n| self.word(n) == b"\"syncline_blocking\"");
        let significant = blocking || attributes.iter().any(|a| SIGNIFICANT.contains(&a.name.as_str()));
        // After a colon it belongs to a label.
        if !significant || self.previous == Some(Kind::Colon) {
            self.blank(i, close + 1);
            return close + 1;
        }
        self.tighten(i, close);
        self.attribute_end = Some((close, self.previous));
        i
    }

    /// The parser knows only `((` and `))` without blanks between.
    fn tighten(&mut self, i: usize, close: usize) {
        let (first, second) = (self.tokens[i + 1].start as usize, self.tokens[i + 2].start as usize);
        self.text[first] = b' ';
        self.text[second - 1] = b'(';
        let (last, end) = (self.tokens[close].start as usize, self.tokens[close - 1].end as usize);
        self.text[last] = b' ';
        self.text[end] = b')';
    }

    fn attribute_list(&self, from: usize, to: usize) -> Vec<RawAttribute> {
        let mut list = Vec::new();
        let mut n = from;
        while n < to {
            let word = String::from_utf8_lossy(self.word(n)).into_owned();
            let name = word.trim_start_matches("__").trim_end_matches("__").to_string();
            let mut attribute = RawAttribute { name, number: None, argument: false };
            n += 1;
            if self.kind(n) == Some(Kind::LParen) && n < to {
                let end = self.close_of(n).unwrap_or(to).min(to);
                attribute.argument = true;
                if end == n + 2 {
                    attribute.number = std::str::from_utf8(self.word(n + 1)).ok().and_then(|w| w.parse().ok());
                }
                n = end + 1;
            }
            list.push(attribute);
            while n < to && self.kind(n) == Some(Kind::Comma) {
                n += 1;
            }
        }
        list
    }

    fn asm(&mut self, i: usize) -> usize {
        let mut open = i + 1;
        while matches!(self.kind(open), Some(Kind::Decl | Kind::Goto)) {
            open += 1;
        }
        if self.kind(open) != Some(Kind::LParen) {
            return i;
        }
        let Some(close) = self.close_of(open) else { return i };
        let statement = match self.previous {
            None | Some(Kind::Semi | Kind::LBrace | Kind::RBrace | Kind::Colon | Kind::Else | Kind::Do) => true,
            Some(Kind::RParen) => self.before_closed == Some(Kind::Control),
            Some(_) => false,
        };
        let start = self.tokens[i].start as usize;
        self.blank(i, close + 1);
        if statement && self.braces > 0 {
            self.text[start..start + 2].copy_from_slice(b"~0");
            self.previous = Some(Kind::Number);
        } else if statement && self.kind(close + 1) == Some(Kind::Semi) {
            self.blank(close + 1, close + 2);
            return close + 2;
        }
        close + 1
    }

    /// `main() {`, `static n;`: C before 1999 left out `int`, and gcc takes it.
    fn implicit_int(&mut self, i: usize, kind: Kind) {
        let at_start = match self.previous {
            None | Some(Kind::Semi | Kind::RBrace) => true,
            Some(Kind::LBrace) => self.braces > 0,
            Some(Kind::RParen) => self.braces == 0,
            Some(_) => false,
        };
        if kind == Kind::Decl && (at_start || self.untyped) {
            self.untyped = true;
            return;
        }
        if matches!(kind, Kind::Attribute | Kind::Extension | Kind::Thread) {
            return;
        }
        let untyped = std::mem::replace(&mut self.untyped, false);
        if kind != Kind::Ident {
            return;
        }
        let function_start = at_start && self.braces == 0 && self.previous != Some(Kind::RParen);
        let insert = match self.kind(i + 1) {
            Some(Kind::Semi | Kind::Comma | Kind::Assign | Kind::LBracket) => untyped,
            Some(Kind::LParen) if untyped || function_start => {
                let after = self.close_of(i + 1).and_then(|close| self.kind(close + 1));
                match after {
                    Some(Kind::LBrace | Kind::Type) => true,
                    Some(Kind::Ident | Kind::Struct | Kind::Decl) => self.braces == 0,
                    Some(Kind::Semi | Kind::Comma) => untyped,
                    _ => false,
                }
            }
            _ => false,
        };
        if insert {
            self.insert(self.tokens[i].start, "int ");
        }
    }
}
