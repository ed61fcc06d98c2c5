//! The programs' text: inputs, arithmetic of mixed widths, branches, loops with constant and input-dependent bounds,
//! `switch`, `goto`, functions, recursion, arrays, and observation points.

use crate::support::rng::Rng;

use super::{ASSERT, INPUT, STATIC};

/// The input functions: name, type, least value of the type.
pub const INPUTS: [(&str, &str, i64); 8] = [
    ("uchar", "unsigned char", 0),
    ("char", "char", -128),
    ("ushort", "unsigned short", 0),
    ("short", "short", -32768),
    ("int", "int", -2_147_483_648),
    ("uint", "unsigned int", 0),
    ("bool", "_Bool", 0),
    ("long", "long", -2_147_483_648),
];

const TYPES: [&str; 9] = [
    "int",
    "int",
    "unsigned int",
    "unsigned char",
    "signed char",
    "short",
    "unsigned short",
    "long long",
    "unsigned long long",
];

/// Bits of input a program may take in all.
const BITS: u32 = 16;
/// How often a statement may run in all.
const RUNS: u64 = 64;
const OBSERVATIONS: usize = 5;

struct Var {
    name: String,
    /// Length of an array; 0 for scalars.
    length: usize,
    read_only: bool,
}

struct Body<'a> {
    rng: &'a mut Rng,
    lines: Vec<String>,
    indent: usize,
    vars: Vec<Var>,
    /// Small inputs, with their largest value: bounds of loops.
    bounds: Vec<(String, i64)>,
    functions: Vec<(String, usize)>,
    observed: Vec<String>,
    fresh: usize,
    bits: u32,
    runs: u64,
    loops: usize,
}

/// The program with markers, and the expressions its assertions observe.
pub fn generate(rng: &mut Rng) -> (String, Vec<String>) {
    let mut body = Body {
        rng,
        lines: Vec::new(),
        indent: 0,
        vars: Vec::new(),
        bounds: Vec::new(),
        functions: Vec::new(),
        observed: Vec::new(),
        fresh: 0,
        bits: BITS,
        runs: 1,
        loops: 0,
    };
    body.program();
    (body.lines.join("\n") + "\n", body.observed)
}

impl Body<'_> {
    fn program(&mut self) {
        self.globals();
        for _ in 0..1 + self.rng.below(2) {
            self.function();
        }
        if self.rng.chance(45) {
            self.recursion();
        }
        self.open("int main(void)");
        for _ in 0..2 + self.rng.below(2) {
            self.input();
        }
        self.local();
        self.local();
        self.array("");
        for _ in 0..4 + self.rng.below(4) {
            self.statement(2);
        }
        self.observe();
        self.line("return 0;");
        self.close("");
    }

    fn line(&mut self, text: impl AsRef<str>) {
        self.lines.push(format!("{:width$}{}", "", text.as_ref(), width = self.indent * 2));
    }

    fn open(&mut self, head: impl AsRef<str>) {
        self.line(format!("{} {{", head.as_ref()));
        self.indent += 1;
    }

    fn close(&mut self, rest: &str) {
        self.indent -= 1;
        self.line(format!("}}{rest}"));
    }

    fn name(&mut self, stem: &str) -> String {
        self.fresh += 1;
        format!("{stem}{}", self.fresh)
    }

    fn add(&mut self, name: &str, length: usize, read_only: bool) {
        self.vars.push(Var { name: name.to_string(), length, read_only });
    }

    fn globals(&mut self) {
        for _ in 0..2 {
            let (name, kind) = (self.name("g"), self.rng.pick(&TYPES));
            let value = self.rng.range(-3, 9);
            self.line(format!("{STATIC}{kind} {name} = {value};"));
            self.add(&name, 0, false);
        }
        if self.rng.chance(60) {
            self.array(STATIC);
        }
    }

    fn array(&mut self, prefix: &str) {
        let (name, kind) = (self.name("a"), self.rng.pick(&TYPES));
        let length = self.rng.pick(&[2usize, 3, 4, 5, 8]);
        let values: Vec<_> = (0..1 + self.rng.below(length)).map(|_| self.rng.range(-5, 20).to_string()).collect();
        self.line(format!("{prefix}{kind} {name}[{length}] = {{{}}};", values.join(", ")));
        self.add(&name, length, false);
    }

    /// An input of 1 to 8 bits, restricted by an assumption or an early return.
    fn input(&mut self) {
        let (function, kind, least) = self.rng.pick(&INPUTS);
        if self.bits == 0 {
            return;
        }
        let most = if function == "bool" { 1 } else { self.bits.min(8) };
        let width = self.rng.range(1, i64::from(most)) as u32;
        self.bits -= width;
        let size = 1i64 << width;
        let signed = least < 0 && self.rng.chance(60);
        let low = if signed { -size / 2 } else { 0 };
        let high = low + size - 1;
        let name = self.name("x");
        self.line(format!("{kind} {name} = {INPUT}{function},{low},{high}}};"));
        let within = match least {
            0 => format!("{name} <= {high}"),
            _ => format!("{name} >= {low} && {name} <= {high}"),
        };
        if self.rng.chance(70) {
            self.line(format!("__VERIFIER_assume({within});"));
        } else {
            self.line(format!("if (!({within})) return 0;"));
        }
        let bounds_loops = low >= 0 && high <= 15;
        if bounds_loops {
            self.bounds.push((name.clone(), high));
        }
        self.add(&name, 0, bounds_loops);
    }

    fn local(&mut self) {
        let (name, kind) = (self.name("v"), self.rng.pick(&TYPES));
        let storage = if self.rng.chance(15) { format!("static {STATIC}") } else { String::new() };
        let value = if storage.is_empty() { self.expr(2) } else { self.rng.range(0, 9).to_string() };
        self.line(format!("{storage}{kind} {name} = {value};"));
        self.add(&name, 0, false);
    }

    fn function(&mut self) {
        let (name, ret) = (self.name("f"), self.rng.pick(&TYPES));
        let count = 1 + self.rng.below(3);
        let scope = self.vars.len();
        let params: Vec<_> = (0..count).map(|_| (self.rng.pick(&TYPES), self.name("p"))).collect();
        let list: Vec<_> = params.iter().map(|(kind, name)| format!("{kind} {name}")).collect();
        params.iter().for_each(|(_, name)| self.add(name, 0, false));
        self.open(format!("{ret} {name}({})", list.join(", ")));
        let bounds = std::mem::take(&mut self.bounds);
        let bits = std::mem::take(&mut self.bits);
        // A function may be called in a loop, so what it holds runs often already.
        self.runs = 8;
        self.local();
        self.statement(1);
        self.statement(1);
        self.runs = 1;
        let result = self.expr(2);
        self.line(format!("return {result};"));
        self.close("");
        (self.bounds, self.bits) = (bounds, bits);
        self.vars.truncate(scope);
        self.functions.push((name, count));
    }

    /// Recursion on a small first parameter, direct or through a second function.
    fn recursion(&mut self) {
        let (name, ret) = (self.name("r"), self.rng.pick(&TYPES));
        let (depth, value) = (self.name("d"), self.name("p"));
        let scope = self.vars.len();
        self.add(&value, 0, true);
        let (base, step, rest) = (self.expr(1), self.expr(2), self.expr(1));
        self.vars.truncate(scope);
        let other = self.name("r");
        let head = |name: &str| format!("{ret} {name}(int {depth}, int {value})");
        if self.rng.chance(30) {
            self.line(format!("{};", head(&other)));
            self.line(format!("{} {{ return {depth} <= 0 ? {base} : {other}({depth} - 1, {step}); }}", head(&name)));
            self.line(format!(
                "{} {{ return {depth} <= 1 ? {rest} : {name}({depth} - 2, {value} + 1); }}",
                head(&other)
            ));
        } else {
            self.open(head(&name));
            self.line(format!("if ({depth} <= 0) return {base};"));
            self.line(format!("return {name}({depth} - 1, {step}) + ({rest});"));
            self.close("");
        }
        // Only ever called with a bounded depth.
        let wrapper = self.name("f");
        self.line(format!("int {wrapper}(int {depth}, int {value}) {{ return {name}({depth} & 7, {value}); }}"));
        self.functions.push((wrapper, 2));
    }

    fn scalar(&mut self) -> String {
        let names: Vec<_> = self.vars.iter().filter(|var| var.length == 0).map(|var| var.name.clone()).collect();
        names[self.rng.below(names.len())].clone()
    }

    fn element(&mut self, name: &str, length: usize, depth: u32) -> String {
        if self.rng.chance(40) {
            return format!("{name}[{}]", self.rng.below(length));
        }
        let index = self.expr(depth);
        if length.is_power_of_two() {
            format!("{name}[({index}) & {}]", length - 1)
        } else {
            format!("{name}[(unsigned)({index}) % {length}]")
        }
    }

    fn leaf(&mut self) -> String {
        match self.rng.below(10) {
            0..=5 => self.scalar(),
            6 | 7 => {
                let arrays: Vec<_> = (0..self.vars.len()).filter(|&k| self.vars[k].length > 0).collect();
                if arrays.is_empty() {
                    return self.scalar();
                }
                let array = &self.vars[self.rng.pick(&arrays)];
                let (name, length) = (array.name.clone(), array.length);
                self.element(&name, length, 0)
            }
            _ => self
                .rng
                .pick(&["0", "1", "2", "3", "5", "7", "8", "15", "16", "100", "127", "255", "-1", "3u"])
                .to_string(),
        }
    }

    fn expr(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.leaf();
        }
        let left = self.expr(depth - 1);
        match self.rng.weighted(&[30, 8, 4, 6, 6, 8, 10, 6, 4]) {
            0 => {
                let op = self.rng.pick(&["+", "-", "&", "|", "^", "+"]);
                format!("({left} {op} {})", self.expr(depth - 1))
            }
            1 => format!("({left} * {})", self.rng.pick(&["2", "3", "5", "7", "-1"])),
            2 => format!("({left} {} {})", self.rng.pick(&["/", "%"]), self.rng.pick(&["2", "3", "4", "7", "10"])),
            3 => format!("({left} {} {})", self.rng.pick(&["<<", ">>"]), self.rng.below(8)),
            4 => format!("({left} >> ({} & 7))", self.expr(depth - 1)),
            5 => format!("({}){left}", self.rng.pick(&TYPES)),
            6 => {
                let op = self.rng.pick(&["<", ">", "<=", ">=", "==", "!=", "&&", "||"]);
                format!("({left} {op} {})", self.expr(depth - 1))
            }
            7 => format!("({left} ? {} : {})", self.expr(depth - 1), self.expr(depth - 1)),
            _ => format!("{}{left}", self.rng.pick(&["!", "~", "- "])),
        }
    }

    fn condition(&mut self) -> String {
        let op = self.rng.pick(&["<", ">", "<=", ">=", "==", "!="]);
        let left = self.expr(1);
        format!("{left} {op} {}", self.leaf())
    }

    /// A call with a result, at a place where it may run.
    fn call(&mut self) -> Option<String> {
        if self.functions.is_empty() || self.runs > 8 {
            return None;
        }
        let (name, count) = self.functions[self.rng.below(self.functions.len())].clone();
        let args: Vec<_> = (0..count).map(|_| self.expr(1)).collect();
        Some(format!("{name}({})", args.join(", ")))
    }

    fn target(&mut self) -> String {
        let writable: Vec<_> = (0..self.vars.len()).filter(|&k| !self.vars[k].read_only).collect();
        let var = &self.vars[self.rng.pick(&writable)];
        let (name, length) = (var.name.clone(), var.length);
        if length == 0 {
            name
        } else {
            self.element(&name, length, 1)
        }
    }

    fn statement(&mut self, depth: u32) {
        if depth == 0 || self.runs >= RUNS {
            return self.simple();
        }
        match self.rng.weighted(&[6, 4, 6, 2, 2, 3, 1]) {
            0 => self.simple(),
            1 => self.branch(depth - 1),
            2 => self.counted(depth - 1),
            3 => self.switch(depth - 1),
            4 => self.jump(depth - 1),
            5 => self.observe(),
            _ => self.input_in_loop(),
        }
    }

    fn scoped(&mut self, count: usize, depth: u32) {
        let scope = self.vars.len();
        for _ in 0..count {
            self.statement(depth);
        }
        self.vars.truncate(scope);
    }

    fn simple(&mut self) {
        let target = self.target();
        match self.rng.weighted(&[6, 3, 2, 3, 1]) {
            0 => {
                let value = self.expr(2);
                self.line(format!("{target} = {value};"));
            }
            1 => {
                let op = self.rng.pick(&["+", "-", "^", "|", "&", "*"]);
                // Chains of products of unknowns are hard for any solver and show nothing more.
                let value = if op == "*" { self.rng.pick(&["2", "3", "7", "-1"]).to_string() } else { self.leaf() };
                self.line(format!("{target} {op}= {value};"));
            }
            2 => {
                let op = self.rng.pick(&["++", "--"]);
                self.line(format!("{target}{op};"));
            }
            3 => match self.call() {
                Some(call) if !target.contains('[') => self.line(format!("{target} = {call};")),
                _ => self.line(format!("{target} += 3;")),
            },
            _ if self.loops > 0 => {
                let (condition, exit) = (self.condition(), self.rng.pick(&["break", "continue"]));
                self.line(format!("if ({condition}) {exit};"));
            }
            _ => self.line(format!("{target} -= 1;")),
        }
    }

    fn branch(&mut self, depth: u32) {
        let condition = self.condition();
        self.open(format!("if ({condition})"));
        self.scoped(2, depth);
        if self.rng.chance(50) {
            self.close(" else {");
            self.indent += 1;
            self.scoped(1, depth);
        }
        self.close("");
    }

    /// A loop with a constant bound, or bounded by an input.
    fn counted(&mut self, depth: u32) {
        let affordable = RUNS * 2 / self.runs;
        let usable: Vec<_> = self.bounds.iter().filter(|(_, most)| (*most as u64) <= affordable).cloned().collect();
        let (bound, most) = if !usable.is_empty() && self.rng.chance(65) {
            usable[self.rng.below(usable.len())].clone()
        } else {
            let most = self.rng.range(2, 6);
            (most.to_string(), most)
        };
        let (counter, kind) = (self.name("i"), self.rng.pick(&["int", "unsigned int", "unsigned char", "short"]));
        let form = self.rng.below(4);
        let (head, tail) = match form {
            0 => (format!("for ({kind} {counter} = 0; {counter} < {bound}; {counter}++)"), String::new()),
            1 => (format!("for ({kind} {counter} = {bound}; {counter} > 0; {counter}--)"), String::new()),
            2 => (format!("while ({counter}++ < {bound})"), String::new()),
            _ => ("do".to_string(), format!(" while ({counter}++ < {bound});")),
        };
        if form >= 2 {
            self.line(format!("{kind} {counter} = 0;"));
        }
        let (runs, scope) = (self.runs, self.vars.len());
        self.runs *= (most as u64 + 1).max(2);
        self.add(&counter, 0, true);
        self.open(head);
        self.loops += 1;
        self.scoped(2, depth);
        self.loops -= 1;
        self.close(&tail);
        self.runs = runs;
        self.vars.truncate(scope);
    }

    fn switch(&mut self, depth: u32) {
        let subject = self.expr(1);
        self.open(format!("switch ({subject} & 7)"));
        let loops = std::mem::take(&mut self.loops);
        for label in ["case 0:", "case 1: case 5:", "default:", "case 3:"] {
            if self.rng.chance(30) {
                continue;
            }
            self.open(label);
            self.scoped(1, depth);
            self.close("");
            if self.rng.chance(60) {
                self.line("break;");
            }
        }
        self.loops = loops;
        self.close("");
    }

    /// A loop made of `goto`, sometimes entered in its middle.
    fn jump(&mut self, depth: u32) {
        let (first, second, fuel) = (self.name("L"), self.name("L"), self.name("n"));
        let (runs, scope) = (self.runs, self.vars.len());
        self.line(format!("int {fuel} = 0;"));
        self.add(&fuel, 0, true);
        let (entry, again) = (self.condition(), self.condition());
        if self.rng.chance(50) {
            self.line(format!("if ({entry}) goto {second};"));
        }
        self.runs *= 4;
        self.open(format!("{first}:"));
        self.scoped(1, depth);
        self.close("");
        self.open(format!("{second}:"));
        self.scoped(1, 0);
        self.close("");
        self.line(format!("if ({fuel}++ < 3 && {again}) goto {first};"));
        self.runs = runs;
        self.vars.truncate(scope);
    }

    /// Inputs read one by one.
    fn input_in_loop(&mut self) {
        if self.bits < 4 || self.runs > 1 {
            return self.simple();
        }
        self.bits -= 4;
        let (counter, input, target) = (self.name("i"), self.name("x"), self.target());
        let (function, kind, low, high) = self.rng.pick(&[("uchar", "unsigned char", 0, 3), ("char", "char", -2, 1)]);
        self.open(format!("for (int {counter} = 0; {counter} < 2; {counter}++)"));
        self.line(format!("{kind} {input} = {INPUT}{function},{low},{high}}};"));
        self.line(format!("__VERIFIER_assume({input} >= {low} && {input} <= {high});"));
        self.line(format!("{target} += {input};"));
        self.close("");
    }

    /// An assertion on the value of an expression.
    fn observe(&mut self) {
        if self.observed.len() >= OBSERVATIONS {
            return self.simple();
        }
        let value = self.expr(2);
        self.line(format!("{ASSERT}{}}}", self.observed.len()));
        self.observed.push(format!("(int)({value})"));
    }
}
