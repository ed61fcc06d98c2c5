//! Tokens to trees, by recursive descent.
//!
//! ```text
//! label     = [trigger] ["/" actions]
//! trigger   = expr                                  without division outside of brackets
//! expr      = or ["implies" expr]                   `implies` in requirements only
//! or        = xor {"or" xor}     xor = and {"xor" and}     and = not {"and" not}     as flat trees, however long
//! not       = "not" not | sum [("=" | "/=" | "<" | "<=" | ">" | ">=") sum]
//! sum       = product {("+" | "-") product}
//! product   = unary {("*" | "/" | "mod") unary}
//! unary     = "-" unary | postfix
//! postfix   = primary {"[" expr "]"}
//! primary   = number | "true" | "false" | "$" name | word "(" expr {"," expr} ")" | name | "(" expr ")" | "[" expr "]"
//! name      = part {"." part}                       part = NAME ["(" expr ")"]
//! actions   = [action] {";" [action]}
//! ```

use super::super::document::shorten;
use super::super::error::nearest;
use super::lexer::{self, Token};
use super::syntax::{Kind, Label, Name, Operator, Part, Step, StepKind, Tree, Wish, Word, MAX_NESTING};
use super::Failure;

type Result<T> = std::result::Result<T, Failure>;

/// Words that no declared element may have as its name; they are written in small or in capital letters.
const RESERVED: &[&str] = &[
    "and", "or", "xor", "not", "mod", "true", "false", "if", "then", "else", "end", "when", "for", "in", "to",
    "downto", "loop", "while", "break",
];

pub(crate) fn is_reserved(name: &str) -> bool {
    let small = name.to_ascii_lowercase();
    (RESERVED.contains(&small.as_str()) && (name == small || name == small.to_ascii_uppercase()))
        || word(name).is_some()
}

fn word(name: &str) -> Option<Word> {
    Word::from_text(name).or_else(|| {
        let small = name.to_ascii_lowercase();
        (small.to_ascii_uppercase() == name).then(|| Word::from_text(&small)).flatten()
    })
}

pub(crate) struct Parser {
    tokens: Vec<(usize, Token)>,
    next: usize,
    depth: usize,
    /// `/` begins an action here.
    trigger: bool,
    requirement: bool,
}

/// `E[C]/A`; a label without anything always holds and does nothing.
pub(crate) fn label(text: &str) -> Result<Label> {
    let mut parser = Parser::new(text)?;
    let label = parser.label()?;
    parser.end()?;
    Ok(label)
}

/// Static reactions: labels with `;;` between them.
pub(crate) fn reactions(text: &str) -> Result<Vec<Label>> {
    let mut parser = Parser::new(text)?;
    let mut labels = Vec::new();
    loop {
        if !parser.peek_symbol(";;") && !parser.at_end() {
            labels.push(parser.label()?);
        }
        if !parser.accept(";;") {
            break;
        }
    }
    parser.end()?;
    Ok(labels)
}

pub(crate) fn actions(text: &str) -> Result<Vec<Step>> {
    let mut parser = Parser::new(text)?;
    let steps = parser.actions()?;
    parser.end()?;
    Ok(steps)
}

/// An event or a condition.
pub(crate) fn expression(text: &str) -> Result<Tree> {
    let mut parser = Parser::new(text)?;
    let tree = parser.expr()?;
    parser.end()?;
    Ok(tree)
}

pub(crate) fn requirement(text: &str) -> Result<Wish> {
    let mut parser = Parser::new(text)?;
    parser.requirement = true;
    let wish = parser.wish()?;
    parser.end()?;
    Ok(wish)
}

impl Parser {
    fn new(text: &str) -> Result<Parser> {
        Ok(Parser { tokens: lexer::tokens(text)?, next: 0, depth: 0, trigger: false, requirement: false })
    }

    fn token(&self) -> &Token {
        // The last token is the end, and nothing steps over it.
        &self.tokens[self.next.min(self.tokens.len() - 1)].1
    }

    fn at(&self) -> usize {
        self.tokens[self.next.min(self.tokens.len() - 1)].0
    }

    fn at_end(&self) -> bool {
        *self.token() == Token::End
    }

    fn advance(&mut self) {
        if !self.at_end() {
            self.next += 1;
        }
    }

    fn peek_symbol(&self, symbol: &str) -> bool {
        matches!(self.token(), Token::Symbol(found) if *found == symbol)
    }

    fn accept(&mut self, symbol: &str) -> bool {
        let found = self.peek_symbol(symbol);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, symbol: &str) -> Result<()> {
        if self.accept(symbol) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{symbol}`")))
    }

    /// Words of the language are written in small or in capital letters.
    fn peek_word(&self, word: &str) -> bool {
        matches!(self.token(), Token::Name(name) if name == word || *name == word.to_ascii_uppercase())
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let found = self.peek_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn expect_word(&mut self, word: &str) -> Result<()> {
        if self.accept_word(word) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{word}`")))
    }

    fn end(&self) -> Result<()> {
        if self.at_end() {
            return Ok(());
        }
        Err(self.unexpected("the end"))
    }

    fn unexpected(&self, wanted: &str) -> Failure {
        let found = match self.token() {
            Token::Name(name) | Token::Context(name) => format!("`{}`", shorten(name)),
            Token::Bang(name) => format!("`{}!`", shorten(name)),
            Token::Integer(_) | Token::Real(_) => "a number".to_string(),
            Token::Symbol(symbol) => format!("`{symbol}`"),
            Token::End => "the end".to_string(),
        };
        (self.at(), format!("expected {wanted}, found {found}"))
    }

    /// One level deeper, for as long as `inner` takes.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Parser) -> Result<T>) -> Result<T> {
        if self.depth >= MAX_NESTING {
            return Err((self.at(), format!("nested more than {MAX_NESTING} deep")));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// In brackets, where `/` divides.
    fn bracketed<T>(&mut self, close: &str, inner: impl FnOnce(&mut Parser) -> Result<T>) -> Result<T> {
        let trigger = std::mem::replace(&mut self.trigger, false);
        let result = self.nested(inner);
        self.trigger = trigger;
        let result = result?;
        self.expect(close)?;
        Ok(result)
    }

    fn tree(&self, at: usize, kind: Kind) -> Result<Tree> {
        let height = 1 + match &kind {
            Kind::Integer(_) | Kind::Real(_) | Kind::Truth(_) | Kind::Context(_) => 0,
            Kind::Name(name) => {
                name.parts.iter().filter_map(|part| part.index.as_ref()).map(|index| index.height).max().unwrap_or(0)
            }
            Kind::Call(_, arguments) => arguments.iter().map(|a| a.height).max().unwrap_or(0),
            Kind::Not(inner) | Kind::Negate(inner) | Kind::Bracket(inner) => inner.height,
            Kind::Binary(_, a, b) | Kind::When(a, b) => a.height.max(b.height),
        };
        if height > MAX_NESTING {
            return Err((at, format!("an expression more than {MAX_NESTING} deep")));
        }
        Ok(Tree { at, height, kind })
    }

    fn label(&mut self) -> Result<Label> {
        let mut trigger = None;
        if !self.peek_symbol("/") && !self.peek_symbol(";;") && !self.at_end() {
            self.trigger = true;
            trigger = Some(self.expr()?);
            self.trigger = false;
        }
        let mut action = Vec::new();
        if self.accept("/") {
            let action_at = self.at();
            action = self.actions()?;
            return Ok(Label { trigger, action, action_at });
        }
        Ok(Label { trigger, action, action_at: self.at() })
    }

    fn expr(&mut self) -> Result<Tree> {
        let left = self.binary(0)?;
        if self.requirement && self.peek_word("implies") {
            let at = self.at();
            self.advance();
            let right = self.nested(Parser::expr)?;
            return self.tree(at, Kind::Binary(Operator::Implies, Box::new(left), Box::new(right)));
        }
        Ok(left)
    }

    /// Operators by level: `or`, `xor`, `and`; comparison; sums; products.
    fn binary(&mut self, level: usize) -> Result<Tree> {
        const NOT: usize = 3;
        const COMPARISON: usize = 3;
        const UNARY: usize = 6;
        if level == UNARY {
            return self.unary();
        }
        if level == NOT && self.peek_word("not") {
            let at = self.at();
            self.advance();
            let inner = self.nested(|parser| parser.binary(NOT))?;
            return self.tree(at, Kind::Not(Box::new(inner)));
        }
        if level < COMPARISON {
            return self.chain(level);
        }
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = self.operator(level) {
            let at = self.at();
            self.advance();
            let right = self.binary(level + 1)?;
            left = self.tree(at, Kind::Binary(operator, Box::new(left), Box::new(right)))?;
            if level == COMPARISON && self.operator(level).is_some() {
                return Err((self.at(), "comparisons do not follow each other: write `and` between them".into()));
            }
        }
        Ok(left)
    }

    /// `a or b or c ...`, and the like: these are associative, also in what they evaluate, so a long chain need not be a deep tree.
    fn chain(&mut self, level: usize) -> Result<Tree> {
        let mut operands = vec![(self.at(), self.binary(level + 1)?)];
        let mut operator = None;
        while let Some(next) = self.operator(level) {
            let at = self.at();
            self.advance();
            operator = Some(next);
            operands.push((at, self.binary(level + 1)?));
        }
        match operator {
            Some(operator) => self.balanced(operator, operands),
            None => Ok(operands.swap_remove(0).1),
        }
    }

    /// One tree of operands, each with the place of the operator before it, in their order.
    fn balanced(&self, operator: Operator, mut operands: Vec<(usize, Tree)>) -> Result<Tree> {
        while operands.len() > 1 {
            let mut pairs = Vec::with_capacity(operands.len().div_ceil(2));
            let mut rest = operands.into_iter();
            while let Some((at, left)) = rest.next() {
                pairs.push(match rest.next() {
                    Some((between, right)) => {
                        (at, self.tree(between, Kind::Binary(operator, Box::new(left), Box::new(right)))?)
                    }
                    None => (at, left),
                });
            }
            operands = pairs;
        }
        Ok(operands.swap_remove(0).1)
    }

    fn operator(&self, level: usize) -> Option<Operator> {
        let name = match self.token() {
            Token::Name(_) => ["or", "xor", "and", "mod"].into_iter().find(|word| self.peek_word(word))?,
            Token::Symbol("/") if self.trigger => return None,
            Token::Symbol(symbol) => symbol,
            _ => return None,
        };
        let (found, operator) = match name {
            "or" => (0, Operator::Or),
            "xor" => (1, Operator::Xor),
            "and" => (2, Operator::And),
            "=" | "==" => (3, Operator::Eq),
            "/=" | "!=" | "<>" => (3, Operator::Ne),
            "<" => (3, Operator::Lt),
            "<=" => (3, Operator::Le),
            ">" => (3, Operator::Gt),
            ">=" => (3, Operator::Ge),
            "+" => (4, Operator::Add),
            "-" => (4, Operator::Sub),
            "*" => (5, Operator::Mul),
            "/" => (5, Operator::Div),
            "mod" => (5, Operator::Mod),
            _ => return None,
        };
        (found == level).then_some(operator)
    }

    fn unary(&mut self) -> Result<Tree> {
        let at = self.at();
        if self.accept("-") {
            let inner = self.nested(Parser::unary)?;
            return self.tree(at, Kind::Negate(Box::new(inner)));
        }
        let mut tree = self.primary()?;
        while self.peek_symbol("[") {
            let at = self.at();
            self.advance();
            let condition = self.bracketed("]", Parser::expr)?;
            tree = self.tree(at, Kind::When(Box::new(tree), Box::new(condition)))?;
        }
        Ok(tree)
    }

    fn primary(&mut self) -> Result<Tree> {
        let at = self.at();
        let kind = match self.token().clone() {
            Token::Integer(value) => Kind::Integer(value),
            Token::Real(value) => Kind::Real(value),
            Token::Context(name) => Kind::Context(name),
            Token::Symbol("(") => {
                self.advance();
                return self.bracketed(")", Parser::expr);
            }
            Token::Symbol("[") => {
                self.advance();
                let inner = self.bracketed("]", Parser::expr)?;
                return self.tree(at, Kind::Bracket(Box::new(inner)));
            }
            Token::Name(_) if self.peek_word("true") => Kind::Truth(true),
            Token::Name(_) if self.peek_word("false") => Kind::Truth(false),
            Token::Name(name) => {
                if let Some(word) = word(&name) {
                    self.advance();
                    return self.call(at, word);
                }
                let name = self.name()?;
                return self.tree(at, Kind::Name(name));
            }
            Token::Bang(_) | Token::Symbol(_) | Token::End => return Err(self.unexpected("an event or an expression")),
        };
        self.advance();
        self.tree(at, kind)
    }

    fn call(&mut self, at: usize, word: Word) -> Result<Tree> {
        self.expect("(")?;
        let arguments = self.bracketed(")", |parser| {
            let mut arguments = vec![parser.expr()?];
            while parser.accept(",") {
                arguments.push(parser.expr()?);
            }
            Ok(arguments)
        })?;
        if arguments.len() != word.arguments() {
            let message =
                format!("`{}` has {} in its brackets, not {}", word.text(), word.arguments(), arguments.len());
            return Err((at, message));
        }
        self.tree(at, Kind::Call(word, arguments))
    }

    fn name(&mut self) -> Result<Name> {
        let at = self.at();
        let mut parts = Vec::new();
        loop {
            let Token::Name(name) = self.token().clone() else { return Err(self.unexpected("a name")) };
            if parts.is_empty() && is_reserved(&name) {
                return Err(self.unexpected("a name"));
            }
            self.advance();
            let mut index = None;
            if self.accept("(") {
                index = Some(Box::new(self.bracketed(")", Parser::expr)?));
            }
            parts.push(Part { name, index });
            if !self.accept(".") && !self.accept("'") {
                return Ok(Name { at, parts });
            }
        }
    }

    /// What stands behind a list of actions.
    fn actions_end(&self) -> bool {
        let symbols = [";;", ")", ","];
        self.at_end()
            || symbols.iter().any(|symbol| self.peek_symbol(symbol))
            || self.peek_word("end")
            || self.peek_word("else")
    }

    fn actions(&mut self) -> Result<Vec<Step>> {
        let mut steps = Vec::new();
        loop {
            while self.accept(";") {}
            if self.actions_end() {
                return Ok(steps);
            }
            steps.push(self.nested(Parser::action)?);
            if !self.peek_symbol(";") && !self.actions_end() {
                return Err(self.unexpected("`;` or the end"));
            }
        }
    }

    fn action(&mut self) -> Result<Step> {
        let at = self.at();
        let kind = match self.token().clone() {
            Token::Bang(word) => {
                self.advance();
                self.command(at, &word)?
            }
            Token::Context(name) => {
                self.advance();
                self.expect(":=")?;
                StepKind::SetContext(name, self.expr()?)
            }
            Token::Name(_) if self.accept_word("if") => {
                let condition = self.expr()?;
                let (then, otherwise) = self.branches("if")?;
                StepKind::If(condition, then, otherwise)
            }
            Token::Name(_) if self.accept_word("when") => {
                let event = self.expr()?;
                let (then, otherwise) = self.branches("when")?;
                StepKind::When(event, then, otherwise)
            }
            Token::Name(_) if self.accept_word("for") => self.for_loop()?,
            Token::Name(_) if self.accept_word("while") => {
                let condition = self.expr()?;
                StepKind::While(condition, self.body()?)
            }
            Token::Name(_) if self.peek_word("break") => return Err((at, "`break` is not supported".into())),
            Token::Name(_) => {
                let name = self.name()?;
                if self.accept(":=") {
                    StepKind::Assign(name, self.expr()?)
                } else {
                    StepKind::Name(name)
                }
            }
            _ => return Err(self.unexpected("an action")),
        };
        Ok(Step { at, kind })
    }

    /// `then A [else B] end word`
    fn branches(&mut self, word: &str) -> Result<(Vec<Step>, Vec<Step>)> {
        self.expect_word("then")?;
        let then = self.actions()?;
        let otherwise = if self.accept_word("else") { self.actions()? } else { Vec::new() };
        self.expect_word("end")?;
        self.expect_word(word)?;
        Ok((then, otherwise))
    }

    fn for_loop(&mut self) -> Result<StepKind> {
        let Token::Context(variable) = self.token().clone() else {
            return Err(self.unexpected("a context variable like `$i`"));
        };
        self.advance();
        self.expect_word("in")?;
        let from = self.expr()?;
        let down = self.accept_word("downto");
        if !down {
            self.expect_word("to")?;
        }
        let to = self.expr()?;
        let body = self.body()?;
        Ok(StepKind::For { variable, from, to, down, body })
    }

    fn body(&mut self) -> Result<Vec<Step>> {
        self.expect_word("loop")?;
        let body = self.actions()?;
        self.expect_word("end")?;
        self.expect_word("loop")?;
        Ok(body)
    }

    /// `word!(...)`
    fn command(&mut self, at: usize, word: &str) -> Result<StepKind> {
        let small = word.to_ascii_lowercase();
        let word = if word == small.to_ascii_uppercase() { small.as_str() } else { word };
        let known = ["tr", "fs", "st", "sp", "hc", "dc", "sc"];
        let long = ["make_true", "make_false", "start", "stop", "history_clear", "deep_clear", "schedule"];
        let Some(which) = known.iter().position(|k| *k == word).or_else(|| long.iter().position(|k| *k == word)) else {
            let hint = nearest(word, known).unwrap_or_default();
            return Err((at, format!("unknown action `{}!`; the nearest is `{hint}!`", shorten(word))));
        };
        self.expect("(")?;
        self.bracketed(")", |parser| {
            Ok(match known[which] {
                "tr" | "fs" => StepKind::Make(parser.name()?, which == 0),
                "st" | "sp" => StepKind::Run(parser.name()?, which == 2),
                "hc" | "dc" => StepKind::Clear { state: parser.name()?, deep: which == 5 },
                _ => {
                    let steps = if parser.accept("(") {
                        parser.bracketed(")", Parser::actions)?
                    } else {
                        vec![parser.nested(Parser::action)?]
                    };
                    parser.expect(",")?;
                    StepKind::Schedule(steps, parser.expr()?)
                }
            })
        })
    }

    fn wish(&mut self) -> Result<Wish> {
        let at = self.at();
        if self.accept_word("always") {
            return Ok(Wish::Always(self.expr()?));
        }
        if self.accept_word("never") {
            return Ok(Wish::Never(self.expr()?));
        }
        if self.accept_word("after") {
            let after = self.expr()?;
            self.expect(",")?;
            let holds = self.expr()?;
            self.expect_word("until")?;
            let until = self.expr()?;
            return Ok(Wish::AfterUntil { after, holds, until });
        }
        let cause = self.expr()?;
        if self.accept_word("leads") {
            self.expect_word("to")?;
            let effect = self.expr()?;
            self.expect_word("within")?;
            let within = self.count()?;
            if !self.accept_word("step") {
                self.expect_word("steps")?;
            }
            return Ok(Wish::LeadsTo { cause, effect, within });
        }
        match cause.kind {
            Kind::Binary(Operator::Implies, ..) if self.at_end() => Ok(Wish::Always(cause)),
            _ if !self.at_end() => Err(self.unexpected("`leads to`, `implies` or the end")),
            _ => {
                Err((at, "a requirement is `always C`, `never C`, `C implies D`, `C leads to D within n steps` or `after E, C until F`".into()))
            }
        }
    }

    fn count(&mut self) -> Result<u32> {
        let Token::Integer(value) = *self.token() else { return Err(self.unexpected("a number of steps")) };
        let count = u32::try_from(value).map_err(|_| (self.at(), "the number of steps is too large".to_string()))?;
        self.advance();
        Ok(count)
    }
}
