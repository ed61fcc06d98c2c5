//! The `printf` family: what an interpreted program prints. It never matters to a verdict, so a call whose format
//! or arguments are out of reach prints nothing.

use super::build::FnLower;
use super::path::Access;
use crate::hir::Expr;
use syncline_ir::{InstData, Scalar, Type, Value};

/// A piece of a format: text without conversions, or one conversion and the arguments it takes.
#[derive(Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    /// `%...d`; `stars` counts the widths and precisions that are arguments.
    Number {
        spec: String,
        stars: usize,
    },
    /// `%s` without width and precision.
    Text1,
}

/// Splits a format, or says that it holds something that is not printed.
fn pieces(format: &str) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            text.push(c);
            continue;
        }
        let mut spec = String::from("%");
        let conversion = loop {
            let c = chars.next()?;
            spec.push(c);
            if !(c.is_ascii_digit() || "-+ #0.*'hlLqjzt".contains(c)) {
                break c;
            }
        };
        if conversion == '%' {
            text.push_str("%%");
            continue;
        }
        if !text.is_empty() {
            pieces.push(Piece::Text(std::mem::take(&mut text)));
        }
        pieces.push(match conversion {
            's' if spec == "%s" => Piece::Text1,
            'd' | 'i' | 'u' | 'x' | 'X' | 'o' | 'c' | 'e' | 'E' | 'f' | 'F' | 'g' | 'G' | 'a' | 'A' => {
                Piece::Number { stars: spec.matches('*').count(), spec }
            }
            _ => return None,
        });
    }
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
    Some(pieces)
}

impl FnLower<'_, '_> {
    pub fn print(&mut self, format: &str, args: Vec<Value>) {
        self.act(InstData::Print { format: format.into(), args });
    }

    pub fn puts(&mut self, arg: &Expr, whole: &Expr) {
        match self.text_of(arg) {
            Some(text) => {
                self.set_loc(whole.loc);
                self.print(&format!("{}\n", text.replace('%', "%%")), Vec::new());
            }
            None => self.effect(arg),
        }
    }

    pub fn printf(&mut self, args: &[Expr], whole: &Expr) {
        let steps = self.plan(args).unwrap_or_default();
        let wanted = |n: usize| {
            steps.iter().any(|s| match s {
                Step::Format(_, printed) => printed.contains(&n),
                Step::Characters(arg) => *arg == n,
            })
        };
        let mut values: Vec<Option<Value>> = Vec::new();
        for (n, arg) in args.iter().enumerate() {
            if wanted(n) {
                values.push(Some(self.expr(arg)));
            } else {
                self.effect(arg);
                values.push(None);
            }
        }
        self.set_loc(whole.loc);
        for step in &steps {
            match step {
                Step::Format(format, printed) => {
                    let printed = printed.iter().filter_map(|&n| values[n]).collect();
                    self.print(format, printed);
                }
                Step::Characters(n) => {
                    if let Some(address) = values[*n] {
                        self.print_string(&args[*n], address, whole);
                    }
                }
            }
        }
    }

    /// Prints the characters a pointer points to, up to the zero.
    fn print_string(&mut self, pointer: &Expr, address: Value, whole: &Expr) {
        let bits = self.cx.pointer_bits();
        let (head, body, exit) = (self.new_block(), self.new_block(), self.new_block());
        let at = self.proc.add_param(head, Type::bv(bits));
        self.jump_with(head, address);
        self.switch_to(head);
        let path = self.pointer_path(pointer, at);
        let access = Access::new(path, 0, Scalar::Bv(8), whole.loc);
        let character = self.load_access(&access, "a character");
        let more = self.truth(character);
        self.branch_on(more, body, exit);
        self.switch_to(body);
        self.print("%c", vec![character]);
        let next = self.advance(at, 1);
        self.jump_with(head, next);
        self.switch_to(exit);
    }

    /// The prints a call consists of, or `None` if some of it is out of reach. String literals go into the format.
    fn plan(&self, args: &[Expr]) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        let mut format = String::new();
        let mut printed = Vec::new();
        let mut next = 1;
        for piece in pieces(&self.text_of(&args[0])?)? {
            match piece {
                Piece::Text(text) => format.push_str(&text),
                Piece::Text1 => {
                    let arg = args.get(next)?;
                    match self.text_of(arg) {
                        Some(text) => format.push_str(&text.replace('%', "%%")),
                        None if self.prints_memory(arg) => {
                            steps.push(Step::Format(std::mem::take(&mut format), std::mem::take(&mut printed)));
                            steps.push(Step::Characters(next));
                        }
                        None => return None,
                    }
                    next += 1;
                }
                Piece::Number { spec, stars } => {
                    format.push_str(&spec);
                    for _ in 0..=stars {
                        let arg = args.get(next)?;
                        if self.cx.is_pointer(arg.ty) || self.cx.scalar(arg.ty).is_none() {
                            return None;
                        }
                        printed.push(next);
                        next += 1;
                    }
                }
            }
        }
        steps.push(Step::Format(format, printed));
        Some(steps)
    }

    /// Whether what is printed matters: only to a program that is interpreted, not to one that is checked.
    fn prints_memory(&self, arg: &Expr) -> bool {
        self.cx.options.print_strings && self.cx.is_pointer(arg.ty)
    }
}

/// A part of what a call prints.
enum Step {
    /// A format and the arguments it takes.
    Format(String, Vec<usize>),
    /// The characters an argument points to.
    Characters(usize),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_split_at_conversions() {
        let number = |spec: &str, stars| Piece::Number { spec: spec.into(), stars };
        assert_eq!(
            pieces("a%%b %5d%s%-*.*lf\n"),
            Some(vec![
                Piece::Text("a%%b ".into()),
                number("%5d", 0),
                Piece::Text1,
                number("%-*.*lf", 2),
                Piece::Text("\n".into()),
            ])
        );
        assert_eq!(pieces("%p"), None);
        assert_eq!(pieces("%"), None);
        assert_eq!(pieces("%10s"), None);
    }
}
