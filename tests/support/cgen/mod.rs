//! Generator of C programs whose output is determined: the differential suite runs each under gcc and under
//! `syncline run` and compares what they print.
//!
//! A program is a function of seed and number. It has no undefined or unspecified behaviour beyond signed wrap-around
//! (`-fwrapv`): shift counts and indices are masked, divisors are neither zero nor -1, locals are initialised, values
//! converted from floats are in range, and an operand with a side effect stands beside operands that neither read nor
//! write what it changes. Loops have constant trip counts; a cost estimate keeps calls in nested loops cheap.
//!
//! Two parts share the work. *Probes* (`probe`) walk systematically through every operator, conversion and pair of
//! operand kinds, program after program. *Statements* (`stmt`, `control`, `jumps`) and *functions* (`func`) combine them at
//! random; `sweep` adds calls over a range of values. With the profile `memory`, the folder of that name adds pointers,
//! structs, unions and more of floats.

mod consts;
mod control;
mod decl;
mod effect;
mod expr;
mod func;
mod jumps;
mod memory;
mod probe;
mod stmt;
mod sweep;

pub use memory::features;

use super::coverage::Coverage;
use super::kinds::Kind;
use super::rng::Rng;

/// What a program may contain.
#[derive(Clone, Copy)]
pub struct Config {
    pub seed: u64,
    /// Use `float` and `double`.
    pub floats: bool,
    /// The profile `memory` instead of `int`.
    pub memory: bool,
}

/// A generated program.
pub struct Program {
    pub text: String,
    pub coverage: Coverage,
}

/// Where a variable lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Storage {
    Local,
    /// Global or `static` in a function: a call may change it.
    Shared,
}

/// What a variable's text denotes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// An object by its name, which no pointer reaches.
    Plain,
    /// Something a pointer may reach.
    Memory,
    /// As `Memory`, but perhaps not aligned, so its address is not taken.
    Packed,
    /// As `Memory`, but it has neither size nor address.
    BitField,
}

/// A variable in scope.
#[derive(Clone, Debug)]
struct Var {
    /// Its text; `@` stands where an index belongs, other indices follow.
    name: String,
    kind: Kind,
    dims: Vec<usize>,
    storage: Storage,
    place: Place,
    /// Loop counters and `const` objects are read only.
    read_only: bool,
    /// Its value is known to be in `0..bound`, so it indexes an array without a mask.
    bound: Option<usize>,
}

/// A function that can be called.
#[derive(Clone, Debug)]
struct Func {
    name: String,
    ret: Option<Kind>,
    params: Vec<Kind>,
    /// Defined in the old style: arguments are cast to the exact type, since nothing converts them.
    old_style: bool,
    /// Changes no shared variable and prints nothing, so it may stand anywhere in an expression.
    pure_fn: bool,
    cost: u64,
}

/// Whether an expression may have a floating type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Int,
    Any,
}

/// An expression's text with what its surroundings need to know.
#[derive(Clone, Debug)]
struct Expr {
    text: String,
    kind: Kind,
    /// Binding strength, from 1 (comma) to 16 (primary).
    prec: u8,
}

/// What an expression must stay away from because a sibling without a sequence point in between changes it.
#[derive(Clone, Default, Debug)]
struct Touched {
    names: Vec<String>,
    /// All shared variables, by a call.
    shared: bool,
    /// Everything that pointers may reach.
    memory: bool,
}

/// Estimated statements a run may execute within one function.
const COST_LIMIT: u64 = 3000;

struct Gen {
    rng: Rng,
    cov: Coverage,
    config: Config,
    lines: Vec<String>,
    indent: usize,
    vars: Vec<Var>,
    funcs: Vec<Func>,
    fresh: usize,
    /// How often the current point runs each time its function is called.
    mult: u64,
    cost: u64,
    /// The function being generated may not change shared variables.
    pure_fn: bool,
    /// Its result; `None` within `void` functions.
    ret: Option<Kind>,
    /// Whether `return` may be generated: not within `main`.
    may_return: bool,
    loops: usize,
    ban: Touched,
    /// Function definitions that follow `main`.
    tail: Vec<String>,
    /// Statements for `main` that call the sweeping functions.
    sweeps: Vec<String>,
    records: Vec<memory::Record>,
    objects: Vec<memory::Object>,
    references: Vec<memory::Reference>,
}

/// Program number `index` of the suite.
pub fn generate(config: &Config, index: u64) -> Program {
    let mut gen = Gen {
        rng: Rng::new(config.seed, index),
        cov: Coverage::default(),
        config: *config,
        lines: Vec::new(),
        indent: 0,
        vars: Vec::new(),
        funcs: Vec::new(),
        fresh: 0,
        mult: 1,
        cost: 0,
        pure_fn: false,
        ret: None,
        may_return: false,
        loops: 0,
        ban: Touched::default(),
        tail: Vec::new(),
        sweeps: Vec::new(),
        records: Vec::new(),
        objects: Vec::new(),
        references: Vec::new(),
    };
    gen.program(index);
    let mut text = gen.lines.join("\n");
    text.push('\n');
    Program { text, coverage: gen.cov }
}

impl Gen {
    fn program(&mut self, index: u64) {
        self.prelude();
        self.globals();
        if self.config.memory {
            self.global_references();
            self.records();
            self.template_functions(index);
        }
        self.functions(index);
        self.line("");
        let head = self.rng.pick(&["int main(void)", "int main()"]);
        self.open(head);
        self.main_locals();
        if self.config.memory {
            self.local_references();
            self.local_objects();
        }
        let before = self.vars.len();
        self.probes(index);
        self.vars.truncate(before);
        self.call_everything();
        if self.config.memory {
            self.memory_statements();
        }
        let limit = 100.max(self.lines.len() + self.tail.len() + 8);
        while self.lines.len() + self.tail.len() < limit {
            let depth = self.rng.pick(&[0, 1, 2, 2, 3]);
            self.statement(depth);
        }
        self.observe_variables();
        self.line("printf(\"%llx\\n\", sum);");
        self.line("return 0;");
        self.close();
        let tail = std::mem::take(&mut self.tail);
        self.lines.extend(tail);
    }

    fn line(&mut self, text: impl AsRef<str>) {
        let text = text.as_ref();
        let pad = if text.is_empty() { 0 } else { self.indent * 2 };
        self.lines.push(format!("{:pad$}{text}", ""));
        self.cost += self.mult;
    }

    /// Begins a block; `head` stands before the brace.
    fn open(&mut self, head: impl AsRef<str>) {
        let head = head.as_ref();
        self.line(if head.is_empty() { "{".to_string() } else { format!("{head} {{") });
        self.indent += 1;
    }

    fn close(&mut self) {
        self.close_with("");
    }

    /// Ends a block; `rest` stands after the brace.
    fn close_with(&mut self, rest: &str) {
        self.indent -= 1;
        self.line(if rest.is_empty() { "}".to_string() } else { format!("}} {rest}") });
    }

    fn fresh(&mut self, stem: &str) -> String {
        self.fresh += 1;
        format!("{stem}{}", self.fresh)
    }

    /// The variables that are visible (not hidden by an inner one of the same name), not banned, and satisfy `wanted`.
    fn visible(&self, wanted: impl Fn(&Var) -> bool) -> Vec<usize> {
        let mut found = Vec::new();
        for (index, var) in self.vars.iter().enumerate() {
            let hidden = self.vars[index + 1..].iter().any(|inner| inner.name == var.name);
            if !hidden && !self.banned(var) && wanted(var) {
                found.push(index);
            }
        }
        found
    }

    fn banned(&self, var: &Var) -> bool {
        let reachable = self.ban.memory && var.place != Place::Plain;
        reachable || self.ban.names.contains(&var.name) || (self.ban.shared && var.storage == Storage::Shared)
    }

    fn pick_var(&mut self, wanted: impl Fn(&Var) -> bool) -> Option<Var> {
        let found = self.visible(wanted);
        if found.is_empty() {
            return None;
        }
        let index = self.rng.pick(&found);
        Some(self.vars[index].clone())
    }

    /// May the current function write this variable?
    fn writable(&self, var: &Var) -> bool {
        !(var.read_only || self.pure_fn && var.storage == Storage::Shared)
    }

    fn kinds(&self) -> &'static [Kind] {
        super::coverage::kinds(self.config.floats)
    }

    fn any_kind(&mut self) -> Kind {
        let kinds = self.kinds();
        self.rng.pick(kinds)
    }

    fn int_kind(&mut self) -> Kind {
        self.rng.pick(&super::kinds::INTS)
    }

    /// The class of expressions that convert to `kind` without leaving its range.
    fn class_for(kind: Kind) -> Class {
        // A float converted to `_Bool` is a comparison with zero and always in range.
        if kind.is_float() || kind == Kind::Bool {
            Class::Any
        } else {
            Class::Int
        }
    }
}

impl Var {
    /// A scalar that no pointer reaches.
    fn new(name: String, kind: Kind, storage: Storage) -> Self {
        Var { name, kind, dims: Vec::new(), storage, place: Place::Plain, read_only: false, bound: None }
    }

    /// The text with an index for each dimension.
    fn indexed(&self, indices: &[String]) -> String {
        let mut text = self.name.clone();
        for index in indices {
            let index = format!("[{index}]");
            text = if text.contains('@') { text.replacen('@', &index, 1) } else { text + &index };
        }
        text
    }
}

impl Touched {
    fn one(var: &Var) -> Self {
        Touched { names: vec![var.name.clone()], shared: false, memory: var.place != Place::Plain }
    }

    fn everything_shared() -> Self {
        Touched { names: Vec::new(), shared: true, memory: true }
    }

    fn join(mut self, other: Touched) -> Self {
        self.names.extend(other.names);
        self.shared |= other.shared;
        self.memory |= other.memory;
        self
    }
}

impl Expr {
    fn new(text: impl Into<String>, kind: Kind, prec: u8) -> Self {
        Expr { text: text.into(), kind, prec }
    }

    fn primary(text: impl Into<String>, kind: Kind) -> Self {
        Expr::new(text, kind, 16)
    }

    /// The text as an operand of something that binds with strength `prec`.
    fn at(&self, prec: u8) -> String {
        if self.prec < prec {
            format!("({})", self.text)
        } else {
            self.text.clone()
        }
    }
}
