//! The programs' text: state, inputs, unbounded loops alone, one after another, one in another or in a function, and
//! bodies of rules, branches, bounded loops, calls and array accesses.

mod statement;

use std::collections::BTreeSet;

use crate::support::rng::Rng;

use super::{Observed, Var, ASSERT, HARNESS_LINE, INPUT, TOOL_LINE, VISIT};

/// The input functions and their types.
pub const INPUTS: [(&str, &str); 5] =
    [("uchar", "unsigned char"), ("int", "int"), ("uint", "unsigned int"), ("char", "char"), ("bool", "_Bool")];

/// Everything a program may have; the suite checks that each occurs.
pub const KINDS: [&str; 36] = [
    "one loop",
    "two loops",
    "nested loop",
    "loop in a function",
    "loop function called twice",
    "while (1)",
    "while (input)",
    "while (state)",
    "do-while",
    "for (;;)",
    "masked input",
    "input or continue",
    "input or return",
    "assumed input",
    "input or nothing",
    "rule",
    "assignment",
    "constant",
    "step",
    "if",
    "else",
    "switch",
    "continue",
    "break",
    "bounded loop",
    "bounded while",
    "helper",
    "helper with a loop",
    "array",
    "temporary",
    "global state",
    "local state",
    "signed state",
    "assertion after the loop",
    "copy",
    "constants and copies only",
];

/// Bits of state in all, and of the inputs of one turn of a loop.
const STATE_BITS: u32 = 13;
const INPUT_BITS: u32 = 6;

/// A program with markers and what is to be known of it.
pub struct Text {
    pub text: String,
    pub state: Vec<Var>,
    pub observed: Vec<Observed>,
    pub kinds: BTreeSet<&'static str>,
}

/// Something with a value: its text and range.
#[derive(Clone)]
struct Atom {
    text: String,
    low: i64,
    high: i64,
}

struct Array {
    bits: u32,
    global: bool,
}

struct Body<'a> {
    rng: &'a mut Rng,
    lines: Vec<String>,
    indent: usize,
    /// What may be assigned here.
    vars: Vec<Var>,
    array: Option<Array>,
    /// Inputs, temporaries and parameters.
    atoms: Vec<Atom>,
    inputs_left: u32,
    helpers: Vec<(String, usize)>,
    kinds: BTreeSet<&'static str>,
    fresh: usize,
    /// Whether `continue` and `break` belong to a loop here.
    in_loop: bool,
    in_switch: bool,
    /// The statement that ends the function of the loop.
    leave: &'static str,
    asserted: bool,
    /// Variables get constants and copies of each other only: a machine of states.
    plain_state: bool,
}

const TYPES: [(&str, bool); 6] = [
    ("unsigned char", false),
    ("unsigned char", false),
    ("int", true),
    ("int", true),
    ("unsigned int", false),
    ("signed char", true),
];

pub fn generate(rng: &mut Rng) -> Text {
    let in_function = rng.chance(18);
    let vars = state(rng, in_function);
    let mut body = Body {
        rng,
        lines: Vec::new(),
        indent: 0,
        vars,
        array: None,
        atoms: Vec::new(),
        inputs_left: 0,
        helpers: Vec::new(),
        kinds: BTreeSet::new(),
        fresh: 0,
        in_loop: false,
        in_switch: false,
        leave: "return 0;",
        asserted: false,
        plain_state: false,
    };
    if body.rng.chance(20) {
        body.plain_state = true;
        body.kind("constants and copies only");
    }
    let mut state = body.vars.clone();
    body.array_of_state(&mut state, in_function);
    body.declare_globals();
    body.helper_functions();
    let observed = body.observe();
    match in_function {
        true => body.loop_in_function(),
        false => body.loops_in_main(),
    }
    let Body { lines, kinds, .. } = body;
    Text { text: lines.join("\n") + "\n", state, observed, kinds }
}

/// One to three variables.
fn state(rng: &mut Rng, all_global: bool) -> Vec<Var> {
    let mut left = STATE_BITS;
    let mut vars = Vec::new();
    for name in ["a", "b", "c"].into_iter().take(1 + rng.weighted(&[1, 4, 4])) {
        if left < 2 {
            break;
        }
        let bits = (rng.range(2, 8) as u32).min(left);
        left -= bits;
        let (c_type, signed) = rng.pick(&TYPES);
        let low = if signed && bits < 8 && rng.chance(40) { -rng.range(1, 1 << (bits - 1)) } else { 0 };
        // What fits the type for certain: eight bits of an unsigned one.
        let c_type = if bits == 8 && c_type == "signed char" { "int" } else { c_type };
        let high = low + (1 << bits) - 1;
        let init = if rng.chance(50) { 0 } else { rng.range(low, high) };
        vars.push(Var { name: name.into(), c_type, bits, low, init, global: all_global || rng.chance(40) });
    }
    vars
}

impl Body<'_> {
    fn line(&mut self, text: impl AsRef<str>) {
        self.lines.push(format!("{}{}", "  ".repeat(self.indent), text.as_ref()));
    }

    fn open(&mut self, text: impl AsRef<str>) {
        self.line(text);
        self.indent += 1;
    }

    fn close(&mut self, text: &str) {
        self.indent -= 1;
        self.line(text);
    }

    fn kind(&mut self, kind: &'static str) {
        self.kinds.insert(kind);
    }

    fn name(&mut self, base: &str) -> String {
        self.fresh += 1;
        format!("{base}{}", self.fresh)
    }

    /// Four cells, if there are bits left for them.
    fn array_of_state(&mut self, state: &mut Vec<Var>, all_global: bool) {
        let used: u32 = self.vars.iter().map(|v| v.bits).sum();
        if used + 4 > STATE_BITS || !self.rng.chance(50) {
            return;
        }
        let bits = if used + 8 <= STATE_BITS && self.rng.chance(60) { 2 } else { 1 };
        let global = all_global || self.rng.chance(50);
        for k in 0..4 {
            state.push(Var { name: format!("m[{k}]"), c_type: "unsigned char", bits, low: 0, init: 0, global });
        }
        self.array = Some(Array { bits, global });
    }

    fn declare_globals(&mut self) {
        for var in self.vars.clone() {
            let Var { name, c_type, init, .. } = &var;
            self.line(format!("{HARNESS_LINE}static {c_type} {name};"));
            if var.global {
                self.line(format!("{TOOL_LINE}{c_type} {name} = {init};"));
            }
            self.kind(if var.global { "global state" } else { "local state" });
            if var.low < 0 {
                self.kind("signed state");
            }
        }
        if let Some(Array { global, .. }) = self.array {
            self.line(format!("{HARNESS_LINE}static unsigned char m[4];"));
            if global {
                self.line(format!("{TOOL_LINE}unsigned char m[4];"));
            }
        }
    }

    fn declare_locals(&mut self) {
        for Var { name, c_type, init, global, .. } in self.vars.clone() {
            if !global {
                self.line(format!("{TOOL_LINE}{c_type} {name} = {init};"));
            }
        }
        if self.array.as_ref().is_some_and(|a| !a.global) {
            self.line(format!("{TOOL_LINE}unsigned char m[4] = {{0, 0, 0, 0}};"));
        }
    }

    /// What the assertion is about: one to three variables or sums, with 2^16 values in all at most.
    fn observe(&mut self) -> Vec<Observed> {
        let mut atoms: Vec<Atom> = self.vars.iter().map(var_atom).collect();
        if self.array.is_some() && self.rng.chance(60) {
            let k = self.rng.below(4);
            atoms.push(Atom { text: format!("m[{k}]"), low: 0, high: 3 });
        }
        if self.rng.chance(15) && self.vars.iter().all(|v| v.bits <= 6) {
            let texts: Vec<String> = self.vars.iter().map(|v| format!("(int){}", v.name)).collect();
            let (low, high) = self.vars.iter().fold((0, 0), |(l, h), v| (l + v.low, h + v.high()));
            return vec![Observed { text: format!("({})", texts.join(" + ")), low, high }];
        }
        let mut observed = Vec::new();
        let wanted = 1 + self.rng.weighted(&[2, 5, 3]);
        while observed.len() < wanted && !atoms.is_empty() {
            let Atom { text, low, high } = atoms.remove(self.rng.below(atoms.len()));
            // Comparisons with negative constants mean the same whatever the type.
            observed.push(Observed { text: format!("(int){text}"), low, high });
        }
        observed
    }

    /// One or two functions, which see the global state.
    fn helper_functions(&mut self) {
        let count = self.rng.weighted(&[5, 4, 2]);
        let (vars, array) = (self.vars.clone(), self.array.take());
        for _ in 0..count {
            self.vars = vars.iter().filter(|v| v.global).cloned().collect();
            let (name, parameters) = (self.name("f"), self.rng.below(3));
            let names = ["x", "y"];
            let list: Vec<String> = names[..parameters].iter().map(|p| format!("int {p}")).collect();
            let list = if list.is_empty() { "void".to_string() } else { list.join(", ") };
            self.open(format!("int {name}({list}) {{"));
            for p in &names[..parameters] {
                self.atoms.push(Atom { text: p.to_string(), low: -64, high: 255 });
            }
            let init = self.expression(1);
            self.vars.push(Var { name: "r".into(), c_type: "int", bits: 3, low: 0, init: 0, global: false });
            self.line(format!("int r = ({init}) & 7;"));
            self.kind("helper");
            if self.rng.chance(50) {
                self.kind("helper with a loop");
                self.bounded_loop(1);
            }
            self.statement(1);
            self.line("return r;");
            self.close("}");
            self.atoms.clear();
            self.helpers.push((name, parameters));
        }
        (self.vars, self.array) = (vars, array);
    }

    /// Jumps of the harness to the loop where a run is resumed.
    fn jumps(&mut self, heads: usize) {
        for k in 1..=heads {
            self.line(format!("{HARNESS_LINE}if (resume == {k}) goto r{k};"));
        }
    }

    /// Variables may begin with an input instead of their constant.
    fn begin(&mut self) {
        self.inputs_left = INPUT_BITS;
        if self.rng.chance(30) {
            let var = self.vars[self.rng.below(self.vars.len())].clone();
            let atom = self.input();
            self.atoms.clear();
            let value = wrapped(&var, &atom.text);
            self.line(format!("{} = {value};", var.name));
        }
    }

    fn loops_in_main(&mut self) {
        let form = self.rng.weighted(&[6, 3, 2]);
        self.open("int main(void) {");
        self.declare_locals();
        self.jumps(if form == 0 { 1 } else { 2 });
        self.begin();
        let after = self.rng.chance(20);
        match form {
            0 => {
                self.kind("one loop");
                self.reactive_loop(1, !after, false);
            }
            1 => {
                self.kind("two loops");
                let first = self.rng.chance(25);
                self.reactive_loop(1, first && !after, false);
                self.reactive_loop(2, !first && !after, false);
            }
            _ => {
                self.kind("nested loop");
                self.reactive_loop(1, !after, true);
            }
        }
        self.finish();
    }

    fn loop_in_function(&mut self) {
        self.kind("loop in a function");
        let after = self.rng.chance(20);
        self.leave = "return;";
        self.open("void run(void) {");
        self.jumps(1);
        self.reactive_loop(1, !after, false);
        self.close("}");
        self.leave = "return 0;";
        self.open("int main(void) {");
        let twice = self.rng.chance(50);
        self.line(format!("{HARNESS_LINE}if (resume && !site) goto s0;"));
        if twice {
            self.line(format!("{HARNESS_LINE}if (resume) goto s1;"));
        }
        self.begin();
        self.line(format!("{HARNESS_LINE}site = 0; s0:"));
        self.line("run();");
        if twice {
            self.kind("loop function called twice");
            self.plain(2);
            self.line(format!("{HARNESS_LINE}site = 1; s1:"));
            self.line("run();");
        }
        self.finish();
    }

    /// After the loops: the assertion if it is not in them.
    fn finish(&mut self) {
        self.inputs_left = 2;
        if self.rng.chance(30) {
            self.plain(1);
        }
        if !self.asserted {
            self.kind("assertion after the loop");
            self.assertion();
        }
        self.line("return 0;");
        self.close("}");
    }

    fn assertion(&mut self) {
        self.asserted = true;
        self.line(format!("{ASSERT}}}"));
    }

    /// A loop without a bound. The body sees nothing but the state.
    fn reactive_loop(&mut self, head: usize, asserts: bool, nested: bool) {
        self.atoms.clear();
        let endless = [("while (1)", "while (1) {"), ("for (;;)", "for (;;) {")];
        let form = self.rng.weighted(&[3, 3, 1, 1, 1]);
        let end = match form {
            0 | 4 if asserts => {
                let (kind, text) = endless[usize::from(form == 4)];
                self.kind(kind);
                self.open(text);
                "}".to_string()
            }
            0 | 1 | 4 => {
                self.kind("while (input)");
                let c_type = self.rng.pick(&["int", "bool", "uchar"]);
                self.open(format!("while ({INPUT}{c_type},0,1}}) {{"));
                "}".to_string()
            }
            2 => {
                self.kind("while (state)");
                let condition = self.condition();
                self.open(format!("while ({condition}) {{"));
                "}".to_string()
            }
            _ => {
                self.kind("do-while");
                self.open("do {");
                format!("}} while ({INPUT}int,0,1}});")
            }
        };
        self.line(format!("{VISIT}{head}}}"));
        self.turn(asserts, nested);
        self.atoms.clear();
        self.close(&end);
    }

    /// The body of an unbounded loop.
    fn turn(&mut self, asserts: bool, nested: bool) {
        let outer = std::mem::replace(&mut self.in_loop, true);
        self.inputs_left = INPUT_BITS;
        for _ in 0..self.rng.weighted(&[1, 4, 3]) {
            let atom = self.input();
            self.atoms.push(atom);
        }
        let count = 2 + self.rng.below(4);
        let (assert_at, nested_at) = (self.rng.below(count), self.rng.below(count));
        for k in 0..count {
            if asserts && k == assert_at && !self.asserted {
                self.assertion();
            }
            if nested && k == nested_at {
                self.reactive_loop(2, false, false);
                self.inputs_left = INPUT_BITS / 2;
            }
            self.statement(2);
        }
        if asserts && !self.asserted {
            self.assertion();
        }
        self.in_loop = outer;
    }

    /// Declares an input and restricts it.
    fn input(&mut self) -> Atom {
        let bits = (self.rng.range(1, 4) as u32).min(self.inputs_left);
        let name = self.name("in");
        if bits == 0 {
            return Atom { text: "0".into(), low: 0, high: 0 };
        }
        self.inputs_left -= bits;
        let high = (1i64 << bits) - 1;
        let form = self.rng.below(5);
        if form == 0 || (form == 1 && (!self.in_loop || self.in_switch)) {
            self.kind("masked input");
            let (source, c_type) = self.rng.pick(&INPUTS);
            let top = if source == "bool" { 1 } else { high };
            self.line(format!("{c_type} {name} = {INPUT}{source},0,{top}}} & {high};"));
            return Atom { text: name, low: 0, high: top };
        }
        // One value on either side stands for all that are refused.
        let high = (high - 2).max(1);
        let (source, low) = self.rng.pick(&[("int", -1), ("uchar", 0), ("uint", 0), ("char", -1)]);
        let c_type = INPUTS.iter().find(|(name, _)| *name == source).map_or("int", |(_, c_type)| c_type);
        self.line(format!("{c_type} {name} = {INPUT}{source},{low},{}}};", high + 1));
        let wrong = if low < 0 { format!("{name} < 0 || {name} > {high}") } else { format!("{name} > {high}") };
        match form {
            1 => {
                self.kind("input or continue");
                self.line(format!("if ({wrong}) continue;"));
            }
            2 => {
                self.kind("input or return");
                let leave = self.leave;
                self.line(format!("if ({wrong}) {leave}"));
            }
            3 => {
                self.kind("assumed input");
                self.line(format!("__VERIFIER_assume(!({wrong}));"));
            }
            _ => {
                self.kind("input or nothing");
                self.line(format!("if ({wrong}) {name} = {};", high / 2));
            }
        }
        Atom { text: name, low: 0, high }
    }

    /// Statements outside loops.
    fn plain(&mut self, count: usize) {
        self.atoms.clear();
        let outer = std::mem::replace(&mut self.in_loop, false);
        for _ in 0..count {
            self.statement(1);
        }
        self.in_loop = outer;
    }
}

fn var_atom(var: &Var) -> Atom {
    Atom { text: var.name.clone(), low: var.low, high: var.high() }
}

/// The value brought into the variable's range.
fn wrapped(var: &Var, value: &str) -> String {
    let mask = (1i64 << var.bits) - 1;
    match var.low {
        0 if var.bits == 8 && var.c_type == "unsigned char" => value.to_string(),
        0 => format!("({value}) & {mask}"),
        low => format!("(int)(({value}) & {mask}) - {}", -low),
    }
}
