//! Loops and `switch`. Trip counts are constant or bounded by a counter that nothing else writes, so every run ends.

use super::{Class, Gen, Storage, Var};
use crate::support::kinds::Kind;

impl Gen {
    pub(super) fn loop_statement(&mut self, depth: u32) {
        let trips = 2 + self.rng.below(5);
        match self.rng.below(7) {
            0 | 1 => self.for_up(depth, trips),
            2 => self.for_down(depth, trips),
            3 => self.for_wrap(depth),
            4 => self.fuelled(depth, trips, "while"),
            5 => self.fuelled(depth, trips, "do"),
            _ => self.fuelled(depth, trips, "for-ever"),
        }
    }

    /// The body of a loop that runs `trips` times.
    pub(super) fn body(&mut self, depth: u32, trips: usize) {
        let count = 1 + self.rng.below(2);
        self.repeated(trips, |gen| {
            gen.statements(count, depth);
            if gen.rng.chance(40) {
                gen.early_exit();
                gen.statements(1, depth.min(1));
            }
        });
    }

    /// Generates what runs `trips` times, where `break` and `continue` are allowed.
    pub(super) fn repeated(&mut self, trips: usize, make: impl FnOnce(&mut Self)) {
        let mult = self.mult;
        self.mult *= trips as u64;
        self.loops += 1;
        self.scoped(make);
        self.loops -= 1;
        self.mult = mult;
    }

    fn counter(&mut self, name: &str, kind: Kind, bound: Option<usize>) {
        let name = name.to_string();
        self.vars.push(Var { read_only: true, bound, ..Var::new(name, kind, Storage::Local) });
    }

    fn counter_kind(&mut self) -> Kind {
        use Kind::*;
        self.rng.pick(&[Int, Int, UInt, Char, SChar, UChar, Short, UShort, Long, ULong, LLong, ULLong, EnumU, EnumS])
    }

    fn for_up(&mut self, depth: u32, trips: usize) {
        self.cov.hit("statement", "for-up");
        let (name, kind) = (self.fresh("i"), self.counter_kind());
        let step = self.rng.pick(&["{}++", "++{}", "{} += 1", "{} = {} + 1"]).replace("{}", &name);
        let test = self.rng.pick(&["{} < {n}", "{} != {n}", "{n} > {}"]);
        let test = test.replace("{n}", &trips.to_string()).replace("{}", &name);
        let outside = self.rng.chance(40);
        self.scoped(|gen| {
            if outside {
                gen.open("");
                gen.line(format!("{} {name};", kind.c_name()));
                gen.open(format!("for ({name} = 0; {test}; {step})"));
            } else {
                gen.open(format!("for ({} {name} = 0; {test}; {step})", kind.c_name()));
            }
            gen.counter(&name, kind, Some(trips));
            gen.body(depth, trips);
            gen.close();
            if outside {
                // The counter's last value is worth seeing too.
                gen.vars.iter_mut().filter(|var| var.name == name).for_each(|var| var.bound = None);
                gen.simple_statement();
                gen.close();
            }
        });
    }

    fn for_down(&mut self, depth: u32, trips: usize) {
        self.cov.hit("statement", "for-down");
        let (name, kind) = (self.fresh("i"), self.counter_kind());
        let c_name = kind.c_name();
        self.scoped(|gen| {
            if gen.rng.chance(50) {
                gen.open(format!("for ({c_name} {name} = {trips}; {name}-- > 0;)"));
            } else {
                let limit = trips - 1;
                gen.open(format!("for ({c_name} {name} = {limit}; {name} > 0; {name}--)"));
            }
            gen.counter(&name, kind, Some(trips));
            gen.body(depth, trips);
            gen.close();
        });
    }

    /// Loops whose counter wraps around its type.
    fn for_wrap(&mut self, depth: u32) {
        self.cov.hit("statement", "for-wrap");
        let name = self.fresh("i");
        let (kind, head, trips) = match self.rng.below(6) {
            0 => (Kind::UChar, "= 252; {} != 2; {}++", 6),
            1 => (Kind::SChar, "= 124; {} > 0; {}++", 4),
            2 => (Kind::UShort, "= 2; {} < 10; {}--", 3),
            3 => (Kind::UInt, "= 3; {} <= 3; {} -= 1", 4),
            4 => (Kind::Short, "= -32766; {} < 0; {}--", 3),
            _ => (Kind::UChar, "= 1; {}; {} <<= 2", 4),
        };
        let head = head.replace("{}", &name);
        self.scoped(|gen| {
            gen.open(format!("for ({} {name} {head})", kind.c_name()));
            gen.counter(&name, kind, None);
            gen.body(depth, trips);
            gen.close();
        });
    }

    /// Loops under a condition, with a counter that ends them.
    fn fuelled(&mut self, depth: u32, trips: usize, form: &'static str) {
        self.cov.hit("statement", form);
        let (name, kind) = (self.fresh("n"), self.counter_kind());
        self.open("");
        self.scoped(|gen| {
            gen.line(format!("{} {name} = {trips};", kind.c_name()));
            gen.counter(&name, kind, None);
            let condition = gen.expr(2, Class::Any).at(6);
            match form {
                "while" => {
                    gen.open(format!("while ({name}-- > 0 && {condition})"));
                    gen.body(depth, trips);
                    gen.close();
                }
                "do" => {
                    gen.open("do");
                    gen.body(depth, trips);
                    gen.close_with(&format!("while (--{name} > 0 && {condition});"));
                }
                _ => {
                    gen.open("for (;;)");
                    gen.cov.hit("statement", "break");
                    gen.line(format!("if ({name}-- == 0) break;"));
                    gen.body(depth, trips);
                    gen.close();
                }
            }
        });
        self.close();
    }

    /// A `switch` over any integer kind, with fall-through, ranges and `default` anywhere.
    pub(super) fn switch(&mut self, depth: u32, nested: bool) {
        self.cov.hit("statement", if nested { "switch-nested" } else { "switch" });
        let subject = self.subject();
        self.cov.hit("switch on", subject.kind.label());
        self.open(format!("switch ({})", subject.text));
        let cases = 2 + self.rng.below(4);
        let default_at = self.rng.below(cases + 2);
        let mut labels = Labels::default();
        for case in 0..cases {
            if case == default_at {
                self.cov.hit("statement", "switch-default-middle");
                self.line("default:");
            } else {
                let label = labels.next(self, subject.kind);
                self.line(label);
            }
            if self.rng.chance(15) {
                let label = labels.next(self, subject.kind);
                self.line(label);
            }
            self.case_body(depth, nested);
        }
        if default_at >= cases {
            self.line("default:");
            self.case_body(0, nested);
        }
        self.close();
    }

    /// What a `switch` decides on: a value small enough that its cases are taken.
    fn subject(&mut self) -> super::Expr {
        let kind = self.int_kind();
        let inner = self.expr(2, Class::Int);
        if kind == Kind::Bool || self.rng.chance(25) {
            return self.cast(kind, inner);
        }
        let mask = super::Expr::primary(self.rng.pick(&["3", "7", "15"]), Kind::Int);
        let low = self.binary("&", inner, mask);
        let low = if kind.is_signed() && self.rng.chance(40) {
            let offset = super::Expr::primary("4", Kind::Int);
            self.binary("-", low, offset)
        } else {
            low
        };
        self.cast(kind, low)
    }

    fn case_body(&mut self, depth: u32, nested: bool) {
        // `break` belongs to the switch here, `continue` to the loop around it.
        let loops = std::mem::replace(&mut self.loops, 0);
        self.indent += 1;
        if depth > 0 && !nested && self.rng.chance(20) {
            self.switch(0, true);
        } else if self.rng.chance(40) {
            self.braced(1, depth);
        } else if self.pure_fn {
            self.braced(1, 0);
        } else {
            self.simple_statement();
        }
        self.loops = loops;
        match self.rng.below(10) {
            0..=5 => {
                self.cov.hit("statement", "break");
                self.line("break;");
            }
            6 if loops > 0 => {
                self.cov.hit("statement", "switch-continue");
                self.line("continue;");
            }
            _ => self.cov.hit("statement", "switch-fall"),
        }
        self.indent -= 1;
    }

    /// Duff's device: case labels within a loop within the switch.
    pub(super) fn duff(&mut self, depth: u32) {
        self.cov.hit("statement", "duff");
        let name = self.fresh("n");
        let loops = std::mem::replace(&mut self.loops, 0);
        self.open("");
        self.scoped(|gen| {
            gen.line(format!("int {name} = 3;"));
            gen.counter(&name, Kind::Int, None);
            let subject = gen.expr(2, Class::Int).at(9);
            gen.open(format!("switch ({subject} & 3)"));
            gen.line("case 0:");
            gen.open("do");
            gen.repeated(3, |gen| {
                gen.braced(1, depth);
                for label in ["case 3:", "case 2:", "case 1:"] {
                    gen.line(label);
                    gen.braced(1, 0);
                }
            });
            gen.close_with(&format!("while (--{name} > 0);"));
            gen.close();
        });
        self.close();
        self.loops = loops;
    }
}

/// Case labels that stay apart after conversion to any switch type: small and increasing, or beyond 32 bits.
#[derive(Default)]
pub(super) struct Labels {
    last: i64,
    wide: bool,
    minus: bool,
}

impl Labels {
    pub(super) fn next(&mut self, gen: &mut Gen, kind: Kind) -> String {
        if matches!(kind, Kind::LLong | Kind::ULLong) && !self.wide && gen.rng.chance(20) {
            self.wide = true;
            return "case 0x100000003LL:".to_string();
        }
        if !self.minus && gen.rng.chance(20) {
            self.minus = true;
            return gen.rng.pick(&["case -1:", "case ~0:", "case LOW + 2:"]).to_string();
        }
        let low = self.last + gen.rng.range(0, 1);
        self.last = low + 1;
        if gen.rng.chance(15) {
            gen.cov.hit("statement", "switch-range");
            let high = low + gen.rng.range(0, 2);
            self.last = high + 1;
            return format!("case {low} ... {high}:");
        }
        match gen.rng.below(4) {
            0 => format!("case 0x{low:x}:"),
            1 => format!("case {} - 2:", low + 2),
            2 if low < 8 => format!("case '\\{low}':"),
            _ => format!("case {low}:"),
        }
    }
}
