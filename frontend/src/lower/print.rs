//! The `printf` family: what an interpreted program prints. It never matters to a verdict, so a call whose format
//! or arguments are out of reach prints nothing.

use super::build::FnLower;
use crate::hir::Expr;
use syncline_ir::{InstData, Value};

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
        let plan = self.plan(args);
        let mut values = Vec::new();
        let printed = plan.as_ref().map_or(&[][..], |(_, printed)| printed);
        for (n, arg) in args.iter().enumerate() {
            if printed.contains(&n) {
                values.push(self.expr(arg));
            } else {
                self.effect(arg);
            }
        }
        self.set_loc(whole.loc);
        if let Some((format, _)) = plan {
            self.print(&format, values);
        }
    }

    /// The format with its string arguments put in, and which arguments remain.
    fn plan(&self, args: &[Expr]) -> Option<(String, Vec<usize>)> {
        let mut format = String::new();
        let mut printed = Vec::new();
        let mut next = 1;
        for piece in pieces(&self.text_of(&args[0])?)? {
            match piece {
                Piece::Text(text) => format.push_str(&text),
                Piece::Text1 => {
                    format.push_str(&self.text_of(args.get(next)?)?.replace('%', "%%"));
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
        Some((format, printed))
    }
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
