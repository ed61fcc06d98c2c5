//! What a witness needs of the source's text: where calls end, where loops begin, which names can be seen there. All of it
//! is read off the tokens, and what is not plain to see is left out.

/// A word or a sign, with its place: line and column from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub text: String,
    pub line: u32,
    pub column: u32,
}

impl Token {
    fn is_word(&self) -> bool {
        self.text.starts_with(|c: char| c.is_alphabetic() || c == '_')
    }
}

/// A C file as tokens; comments and directives are gone, literals are one token.
pub struct Source {
    pub tokens: Vec<Token>,
}

/// An integer type: whether it is signed, and its bits.
pub type IntType = (bool, u32);

impl Source {
    pub fn new(text: &str) -> Source {
        let mut scanner = Scanner { rest: text, line: 1, column: 1, tokens: Vec::new(), begun: false };
        while scanner.next() {}
        Source { tokens: scanner.tokens }
    }

    fn at(&self, line: u32, column: u32) -> Option<usize> {
        self.tokens.iter().position(|t| t.line == line && t.column == column)
    }

    fn is(&self, n: usize, text: &str) -> bool {
        self.tokens.get(n).is_some_and(|t| t.text == text)
    }

    /// The end of the parenthesis or brace that begins there.
    fn matching(&self, open: usize) -> Option<usize> {
        let mut depth = 0;
        for (n, token) in self.tokens.iter().enumerate().skip(open) {
            match token.text.as_str() {
                "(" | "{" | "[" => depth += 1,
                ")" | "}" | "]" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(n);
            }
        }
        None
    }

    /// The call of a function without arguments at this place: its name, and the place of its right parenthesis.
    pub fn call(&self, line: u32, column: u32) -> Option<(&str, &Token)> {
        let n = self.at(line, column)?;
        let called = self.tokens[n].is_word() && self.is(n + 1, "(") && self.is(n + 2, ")");
        called.then(|| (self.tokens[n].text.as_str(), &self.tokens[n + 2]))
    }

    /// The loop whose condition is evaluated at this place, or which has none and whose body begins there: its keyword. The
    /// state before the condition is then that of every iteration's start. (`do` has its condition at the end.)
    pub fn loop_at(&self, line: u32, column: u32) -> Option<usize> {
        let place = self.at(line, column)?;
        let is_loop = |n: usize| self.is(n, "while") || self.is(n, "for");
        let loops = (0..place).rev().filter(|&n| is_loop(n) && self.is(n + 1, "("));
        for n in loops {
            let close = self.matching(n + 1)?;
            if place > n + 1 && place < close {
                // Behind the first `;` of a `for`, that is, in its condition.
                let head = &self.tokens[n + 2..place];
                let semicolons = head.iter().filter(|t| t.text == ";").count();
                let holds = if self.is(n, "for") { semicolons == 1 } else { !self.ends_do(n) };
                return holds.then_some(n);
            }
            if place > close && self.is_endless(n, close) && self.is_first(place, close) && !self.ends_do(n) {
                return Some(n);
            }
        }
        None
    }

    /// The loop has no condition, or one that is a number other than 0.
    fn is_endless(&self, keyword: usize, close: usize) -> bool {
        let head: Vec<&str> = self.tokens[keyword + 2..close].iter().map(|t| t.text.as_str()).collect();
        match self.tokens[keyword].text.as_str() {
            "while" => matches!(head[..], [number] if number.parse::<u32>().is_ok_and(|n| n != 0)),
            _ => head == [";", ";"],
        }
    }

    /// The place is in the first statement of the body behind `close`.
    fn is_first(&self, place: usize, close: usize) -> bool {
        let begin = if self.is(close + 1, "{") { close + 2 } else { close + 1 };
        let stops = |t: &Token| matches!(t.text.as_str(), ";" | "{" | "}");
        place >= begin && !self.tokens[begin..place].iter().any(stops)
    }

    /// This `while` ends a `do`: behind its condition comes `;`, and before it the end of a body.
    fn ends_do(&self, keyword: usize) -> bool {
        let Some(close) = self.matching(keyword + 1) else { return true };
        self.is(close + 1, ";")
    }

    /// Whether the name is declared where it can be seen at the loop: outside of all blocks that end before it, and of the
    /// parentheses of other loops and functions. Names in the loop's own head count.
    pub fn sees(&self, keyword: usize, name: &str) -> bool {
        let mut open: Vec<Vec<&str>> = vec![Vec::new()];
        let mut n = 0;
        while n <= keyword {
            let token = &self.tokens[n];
            let heads = self.is(n, "(") && (open.len() == 1 || (n > 0 && self.is(n - 1, "for")));
            if heads && !self.is_around(n, keyword) {
                n = self.matching(n).unwrap_or(keyword);
            }
            match token.text.as_str() {
                "{" => open.push(Vec::new()),
                "}" => drop(open.pop()),
                text => open.last_mut().into_iter().for_each(|names| names.push(text)),
            }
            n += 1;
        }
        let own = self.matching(keyword + 1).filter(|_| self.is(keyword, "for"));
        let own = own.map_or(&[][..], |close| &self.tokens[keyword + 1..close]);
        open.iter().flatten().any(|seen| *seen == name) || own.iter().any(|t| t.text == name)
    }

    /// What the parenthesis heads, the body of a function or of a loop, has the place in it.
    fn is_around(&self, parenthesis: usize, place: usize) -> bool {
        let Some(close) = self.matching(parenthesis) else { return false };
        let end = match self.is(close + 1, "{") {
            true => self.matching(close + 1),
            false => (close..self.tokens.len()).find(|&n| self.is(n, ";")),
        };
        end.is_some_and(|end| place > close && place < end)
    }

    /// The integer type with which the name at this place is declared, if that is plain to see.
    pub fn declared(&self, line: u32, column: u32, name: &str, long: u32) -> Option<IntType> {
        let n = self.at(line, column).filter(|&n| self.is(n, name))?;
        let after = self.tokens.get(n + 1)?;
        if !matches!(after.text.as_str(), "=" | ";" | "," | ")") {
            return None;
        }
        // Its own part of the declaration has nothing but words before the name.
        let mut begin = n;
        while begin > 0 && (self.tokens[begin - 1].is_word()) {
            begin -= 1;
        }
        let words: Vec<&str> = self.tokens[begin..n].iter().map(|t| t.text.as_str()).collect();
        let before = begin.checked_sub(1).map(|k| self.tokens[k].text.as_str());
        match before {
            None | Some("{" | "}" | ";" | "(") => int_type(&words, long),
            // A further parameter has words of its own.
            Some(",") if !words.is_empty() => int_type(&words, long),
            // A later name of a list has the type at the list's begin.
            Some(",") => self.listed(begin - 1, long),
            Some(_) => None,
        }
    }

    /// The type at the beginning of the list of names that this comma is in.
    fn listed(&self, comma: usize, long: u32) -> Option<IntType> {
        let ends = |t: &Token| matches!(t.text.as_str(), "{" | "}" | ";" | "(" | ")" | "[" | "]");
        let begin = (0..comma).rev().find(|&k| ends(&self.tokens[k])).map_or(0, |k| k + 1);
        let stops = begin.checked_sub(1).map(|k| self.tokens[k].text.as_str());
        if !matches!(stops, None | Some("{" | "}" | ";" | "(")) {
            return None;
        }
        let words: Vec<&str> =
            self.tokens[begin..comma].iter().take_while(|t| t.is_word()).map(|t| t.text.as_str()).collect();
        // The last of them is the first name.
        int_type(words.split_last()?.1, long)
    }
}

/// The integer type that these words say; `long` has so many bits.
fn int_type(words: &[&str], long: u32) -> Option<IntType> {
    let (mut signed, mut unsigned, mut longs, mut base) = (false, false, 0, None);
    for word in words {
        match *word {
            "static" | "const" | "volatile" | "register" | "extern" | "auto" => {}
            "signed" => signed = true,
            "unsigned" => unsigned = true,
            "long" => longs += 1,
            "int" => base = base.or(Some((true, 32))),
            "char" => base = Some((true, 8)),
            "short" => base = Some((true, 16)),
            "int8_t" => base = Some((true, 8)),
            "int16_t" => base = Some((true, 16)),
            "int32_t" => base = Some((true, 32)),
            "int64_t" => base = Some((true, 64)),
            "uint8_t" | "_Bool" | "bool" => base = Some((false, 8)),
            "uint16_t" => base = Some((false, 16)),
            "uint32_t" => base = Some((false, 32)),
            "uint64_t" => base = Some((false, 64)),
            _ => return None,
        }
    }
    let (is_signed, bits) = match base {
        None if signed || unsigned || longs > 0 => (true, 32),
        None => return None,
        Some(base) => base,
    };
    let bits = match longs {
        0 => bits,
        1 => long,
        _ => 64,
    };
    Some((is_signed && !unsigned, bits))
}

struct Scanner<'t> {
    rest: &'t str,
    line: u32,
    column: u32,
    tokens: Vec<Token>,
    /// Something stands on this line already.
    begun: bool,
}

impl Scanner<'_> {
    /// Goes on by so many bytes.
    fn skip(&mut self, bytes: usize) {
        for b in self.rest[..bytes].bytes() {
            if b == b'\n' {
                (self.line, self.column, self.begun) = (self.line + 1, 1, false);
            } else {
                self.column += 1;
            }
        }
        self.rest = &self.rest[bytes..];
    }

    /// The next token; false at the end.
    fn next(&mut self) -> bool {
        let Some(first) = self.rest.chars().next() else { return false };
        let bytes = self.rest.as_bytes();
        if first.is_whitespace() {
            self.skip(first.len_utf8());
        } else if self.rest.starts_with("//") || (first == '#' && !self.begun) {
            self.skip(self.logical_line());
        } else if self.rest.starts_with("/*") {
            self.skip(self.rest[2..].find("*/").map_or(self.rest.len(), |n| n + 4));
        } else {
            let length = match first {
                '"' | '\'' => quoted(bytes),
                c if c.is_alphanumeric() || c == '_' => {
                    self.rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest.len())
                }
                c => c.len_utf8(),
            };
            let text = self.rest[..length].to_string();
            self.tokens.push(Token { text, line: self.line, column: self.column });
            self.begun = true;
            self.skip(length);
        }
        true
    }

    /// To the end of the line, over those that end in a backslash.
    fn logical_line(&self) -> usize {
        let mut end = 0;
        loop {
            let line = self.rest[end..].find('\n').map_or(self.rest.len() - end, |n| n);
            let goes_on = self.rest[end..end + line].trim_end().ends_with('\\');
            end += line;
            if !goes_on || end == self.rest.len() {
                return end;
            }
            end += 1;
        }
    }
}

/// The length of a string or character.
fn quoted(bytes: &[u8]) -> usize {
    let mut n = 1;
    while n < bytes.len() {
        match bytes[n] {
            b'\\' => n += 2,
            b if b == bytes[0] => return n + 1,
            b'\n' => return n,
            _ => n += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "#define N \\\n 3\nint g, *p, k;\nint f(unsigned char a, int *q) { /* { */\n    { int gone; gone = 1; }\n\
        \x20   for (int i = 0; i < a; i++) g = 'x';\n    while (1) {\n        int t = nondet ( );\n    }\n    do k--; while (k > 0);\n}\n";

    #[test]
    fn calls_end_at_their_parenthesis() {
        let source = Source::new(TEXT);
        let (name, end) = source.call(8, 17).expect("a call");
        assert_eq!((name, end.line, end.column), ("nondet", 8, 26));
        assert_eq!(source.call(6, 14), None);
    }

    #[test]
    fn loops_are_found_by_their_condition() {
        let source = Source::new(TEXT);
        let keyword = |line, column| source.loop_at(line, column).map(|n| source.tokens[n].line);
        assert_eq!(keyword(6, 21), Some(6), "the condition of for");
        assert_eq!(keyword(6, 28), None, "what for does at the end");
        assert_eq!(keyword(8, 17), Some(7), "an endless loop's first statement");
        assert_eq!(keyword(10, 20), None, "the condition of do");
        assert_eq!(keyword(5, 16), None);
    }

    #[test]
    fn names_have_scopes_and_types() {
        let source = Source::new(TEXT);
        let (first, second) = (source.loop_at(6, 21).expect("for"), source.loop_at(8, 17).expect("while"));
        let seen = |keyword, names: [&str; 4]| names.map(|name| source.sees(keyword, name));
        assert_eq!(seen(first, ["g", "a", "i", "gone"]), [true, true, true, false]);
        assert_eq!(seen(second, ["g", "t", "gone", "k"]), [true, false, false, true]);
        assert_eq!(seen(second, ["i", "a", "q", "f"]), [false, true, true, true], "the head of another loop");
        let of = |line, column, name| source.declared(line, column, name, 64);
        assert_eq!(of(3, 5, "g"), Some((true, 32)));
        assert_eq!(of(3, 9, "p"), None, "a pointer");
        assert_eq!(of(3, 12, "k"), Some((true, 32)), "the list's type, without the star of another name");
        assert_eq!(of(4, 21, "a"), Some((false, 8)));
        assert_eq!(of(4, 29, "q"), None);
        assert_eq!(int_type(&["static", "unsigned", "long"], 32), Some((false, 32)));
        assert_eq!(int_type(&["T"], 64), None);
    }
}
