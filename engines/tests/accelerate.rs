//! Acceleration is exact: of generated loops over few bits, some with an array, the states at the loop's header are the same
//! before and after the rewrite, and so are the states in which runs end when the automaton is on; by enumeration with the
//! interpreter, every choice and every number of iterations tried. Where a run violates the property inside the loop, iterations
//! that are made at once may go on behind it: then nothing may be missing, and the violation must be there.
//!
//! `SYNCLINE_LOOPS=N` tries so many loops.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::fmt::Write;
use std::time::{Duration, Instant};
use syncline_engines::accelerate::{rewrite, Accelerated, Steps};
use syncline_engines::annotation::Cell;
use syncline_engines::task::Context;
use syncline_ir::interp::{Inputs, Limits, Observer, Outcome, Prepared};
use syncline_ir::{read, Block, Const, Origin, Place, Proc, Program, Scalar, Site, Type, Var};

/// Loops with more states are left out.
const MAX_STATES: usize = 150;
/// What the interpreter may take for a step, and for a run that asks for nothing.
const STEP: u64 = 1500;
const RUN: u64 = 600_000;

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len() as u64) as usize]
    }
}

/// A loop in the text form: variables of one width that start with constants, a condition, a body of one path or two.
struct Generator {
    random: Random,
    width: u32,
    vars: usize,
    /// Whether there is an array.
    array: bool,
    text: String,
    next: u32,
}

impl Generator {
    fn new(seed: u64) -> Generator {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        random.below(2);
        let vars = 1 + random.below(3) as usize;
        let width = if vars == 1 { 6 + random.below(3) as u32 } else { 6 };
        let array = random.below(2) == 0;
        Generator { random, width, vars, array, text: String::new(), next: 0 }
    }

    fn value(&mut self, text: &str) -> String {
        let name = format!("v{}", self.next);
        self.next += 1;
        let ty = if text.starts_with("const") { "" } else { &self.ty_of(text) };
        writeln!(self.text, "    {name}{ty} = {text}").expect("a string takes text");
        name
    }

    fn ty_of(&self, text: &str) -> String {
        let is_bool = ["u", "s"].iter().any(|s| ["lt", "le"].iter().any(|o| text.starts_with(&format!("{s}{o}"))))
            || ["eq", "not", "and", "or"].iter().any(|o| text.starts_with(&format!("{o} ")));
        if is_bool || text.contains("in0") {
            ": bool".into()
        } else {
            format!(": bv{}", self.width)
        }
    }

    fn constant(&mut self, small: bool) -> String {
        let all = 1 << self.width;
        let bits = match self.random.below(4) {
            0 if !small => self.random.below(all),
            1 => all - 1 - self.random.below(3),
            _ => self.random.below(5),
        };
        self.value(&format!("const bv{} {bits}", self.width))
    }

    /// A variable; the first one counts, most of the time.
    fn operand(&mut self) -> String {
        let n = if self.random.below(3) == 0 { 0 } else { self.random.below(self.vars as u64) };
        self.value(&format!("read @x{n}"))
    }

    fn condition(&mut self) -> String {
        let a = self.operand();
        let b = if self.random.below(3) == 0 { self.operand() } else { self.constant(false) };
        let op = self.random.one(&["ult", "ule", "slt", "sle", "eq"]);
        let mut cond = self.value(&format!("{op} {a}, {b}"));
        if op == "eq" || self.random.below(3) == 0 {
            cond = self.value(&format!("not {cond}"));
        }
        cond
    }

    fn assignments(&mut self) {
        let counts = self.random.below(4) > 0;
        if counts {
            let (old, by) = (self.value("read @x0"), self.constant(true));
            let sum = self.value(&format!("add {old}, {by}"));
            writeln!(self.text, "    write @x0, {sum}").expect("a string takes text");
        }
        for _ in usize::from(counts)..1 + self.random.below(self.vars as u64 + 1) as usize {
            let mut target = self.random.below(self.vars as u64);
            if counts && target == 0 {
                target = self.random.below(self.vars as u64);
            }
            let value = match self.random.below(8) {
                0..=3 => {
                    let (old, by) = (self.value(&format!("read @x{target}")), self.constant(true));
                    let op = self.random.one(&["add", "sub"]);
                    self.value(&format!("{op} {old}, {by}"))
                }
                4 | 5 => {
                    let (old, by) = (self.value(&format!("read @x{target}")), self.operand());
                    let op = self.random.one(&["add", "sub"]);
                    self.value(&format!("{op} {old}, {by}"))
                }
                6 => self.constant(false),
                _ => {
                    let (a, b) = (self.operand(), self.constant(true));
                    self.value(&format!("add {a}, {b}"))
                }
            };
            writeln!(self.text, "    write @x{target}, {value}").expect("a string takes text");
        }
    }

    /// A write to the array, and what an iteration needs to go on, now and then.
    fn effects(&mut self) {
        if self.random.below(3) == 0 {
            self.assertion();
        }
        let writes = if self.array { [0, 1, 1, 1, 1, 2, 2, 2][self.random.below(8) as usize] } else { 0 };
        for _ in 0..writes {
            let (index, value) = (self.index(), self.content());
            writeln!(self.text, "    store @a[{index}], {value}").expect("a string takes text");
        }
        self.assignments();
    }

    /// About something that has no closed form, which may fail in the middle of the loop.
    fn assertion(&mut self) {
        let a = match self.array {
            true => self.content(),
            false => self.operand(),
        };
        let (b, c) = (self.operand(), self.constant(false));
        let product = self.value(&format!("mul {a}, {b}"));
        let holds = match self.random.below(3) {
            0 => self.value(&format!("ule {product}, {c}")),
            op => {
                let op = if op == 1 { "ult" } else { "eq" };
                let fails = self.value(&format!("{op} {product}, {c}"));
                self.value(&format!("not {fails}"))
            }
        };
        writeln!(self.text, "    assert prop0, {holds}").expect("a string takes text");
    }

    fn index(&mut self) -> String {
        let a = self.operand();
        match self.random.below(5) {
            0 => {
                let by = self.constant(true);
                self.value(&format!("add {a}, {by}"))
            }
            1 => {
                let by = self.constant(true);
                self.value(&format!("sub {a}, {by}"))
            }
            2 => {
                let by = self.constant(true);
                self.value(&format!("mul {a}, {by}"))
            }
            _ => a,
        }
    }

    /// Something to write or to compare.
    fn content(&mut self) -> String {
        match self.random.below(4) {
            0 => self.constant(false),
            1 => self.operand(),
            _ if self.array => {
                let index = self.index();
                let cell = self.value(&format!("load @a[{index}]"));
                let by = if self.random.below(2) == 0 { self.operand() } else { self.constant(true) };
                self.value(&format!("add {cell}, {by}"))
            }
            _ => {
                let (a, b) = (self.operand(), self.operand());
                self.value(&format!("mul {a}, {b}"))
            }
        }
    }

    fn program(mut self) -> String {
        let starts: Vec<u64> = (0..self.vars).map(|_| self.random.below(1 << self.width)).collect();
        let cond = self.condition();
        writeln!(self.text, "    branch {cond}, block2, block5\nblock2:").expect("a string takes text");
        match self.random.below(4) {
            0 | 1 => self.effects(),
            two => {
                let cond = if two == 2 { self.condition() } else { self.value("havoc in0") };
                writeln!(self.text, "    branch {cond}, block3, block4\nblock3:").expect("a string takes text");
                self.effects();
                self.text.push_str("    jump block1\nblock4:\n");
                self.effects();
            }
        }
        self.around(&starts)
    }

    /// A loop that is not random: what it compares and what an iteration does.
    fn chosen(starts: &[u64], condition: Compared, body: &dyn Fn(&mut Generator)) -> String {
        let random = Random(0);
        let mut made = Generator { random, width: 6, vars: starts.len(), array: true, text: String::new(), next: 0 };
        let (x, bound) = (made.value("read @x0"), made.value(&format!("const bv6 {}", condition.bound)));
        let (a, b) = if condition.from_above { (bound, x) } else { (x, bound) };
        let mut cond = made.value(&format!("{} {a}, {b}", condition.op));
        if condition.op == "eq" {
            cond = made.value(&format!("not {cond}"));
        }
        writeln!(made.text, "    branch {cond}, block2, block5\nblock2:").expect("a string takes text");
        body(&mut made);
        made.around(starts)
    }

    /// Adds a constant to a variable, or what another one is.
    fn add(&mut self, target: &str, source: &str, by: &str) {
        let source = self.value(&format!("read {source}"));
        let by = self.value(&if by.starts_with('@') { format!("read {by}") } else { format!("const bv6 {by}") });
        let sum = self.value(&format!("add {source}, {by}"));
        writeln!(self.text, "    write {target}, {sum}").expect("a string takes text");
    }

    /// Writes a constant to the cell so far behind the first variable.
    fn store(&mut self, behind: u64, bits: u64) {
        let (x, by) = (self.value("read @x0"), self.value(&format!("const bv6 {behind}")));
        let (index, value) = (self.value(&format!("add {x}, {by}")), self.value(&format!("const bv6 {bits}")));
        writeln!(self.text, "    store @a[{index}], {value}").expect("a string takes text");
    }

    /// The program around the loop.
    fn around(mut self, starts: &[u64]) -> String {
        let mut head = "in0 = site \"b\": bool\n".to_string();
        for (n, bits) in starts.iter().enumerate() {
            writeln!(head, "var @x{n}: bv{w} = bv{w} {bits}", w = self.width).expect("a string takes text");
        }
        if self.array {
            writeln!(head, "var @a: [bv{w}]bv{w} = [bv{w}]bv{w} {{0}}", w = self.width).expect("a string takes text");
        }
        head.push_str(
            "prop0 = assertion \"main.assertion.1\" \"\"\nentry main\nproc main {\nblock0:\n    jump block1\nblock1:\n",
        );
        self.text.push_str("    jump block1\nblock5:\n");
        // Every variable counts.
        let mut sum = self.constant(true);
        for n in 0..self.vars {
            let x = self.value(&format!("read @x{n}"));
            sum = self.value(&format!("add {sum}, {x}"));
        }
        if self.array {
            let cell = self.value(&format!("load @a[{sum}]"));
            sum = self.value(&format!("add {sum}, {cell}"));
        }
        let zero = self.value(&format!("const bv{} 17", self.width));
        let holds = self.value(&format!("ult {sum}, {zero}"));
        writeln!(self.text, "    assert prop0, {holds}\n    return\n}}").expect("a string takes text");
        head + &self.text
    }
}

/// The first variable against a constant. Of `eq` the negation is meant.
#[derive(Clone, Copy)]
struct Compared {
    op: &'static str,
    bound: u64,
    from_above: bool,
}

/// The numbers, and the cells of the array that are not 0.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
struct State {
    vars: Vec<u128>,
    cells: BTreeMap<u128, u128>,
}

impl State {
    fn set(&mut self, index: u128, bits: u128) {
        match bits {
            0 => drop(self.cells.remove(&index)),
            _ => drop(self.cells.insert(index, bits)),
        }
    }

    /// Only what the rest of a run from the header may depend on.
    fn only(mut self, counts: &HashSet<Cell>) -> State {
        let is_counted = |n: usize| counts.contains(&Cell::Global(Var::from_u32(n as u32)));
        (0..self.vars.len()).filter(|&n| !is_counted(n)).for_each(|n| self.vars[n] = 0);
        // The array is the last of them, if there is one.
        if self.vars.len().checked_sub(1).is_some_and(|array| !is_counted(array)) {
            self.cells.clear();
        }
        self
    }
}

/// The state in which a run ends, and whether it violates nothing.
type End = (State, bool);

/// What a run does, up to a number of inputs.
struct Log {
    header: Block,
    vars: State,
    asked: Vec<Type>,
    /// States at the header, with the number of inputs before.
    visits: Vec<(usize, State)>,
}

impl Observer for Log {
    fn input(&mut self, _: Site, value: &Const, _: Origin) {
        self.asked.push(value.ty());
    }

    fn write(&mut self, _: Proc, place: Place, index: Option<u128>, value: &Const, _: Origin) {
        let Place::Global(var) = place else { return };
        match (value, index) {
            (Const::Array(array), _) => {
                self.vars.cells.clear();
                array.cells().for_each(|(i, c)| self.vars.set(i, c.as_bits().unwrap_or(0)));
            }
            (value, Some(index)) => self.vars.set(index, value.as_bits().unwrap_or(0)),
            (value, None) => self.vars.vars[var.as_u32() as usize] = value.as_bits().unwrap_or(0),
        }
    }

    fn branch(&mut self, proc: Proc, block: Block, _: usize, _: Origin) {
        if proc == Proc::from_u32(0) && block == self.header {
            self.visits.push((self.asked.len(), self.vars.clone()));
        }
    }
}

/// The inputs of a prefix, and then what ends a run soon: the first accelerated path, no iterations of it.
struct Prefix<'p>(std::slice::Iter<'p, u128>);

impl Inputs for Prefix<'_> {
    fn next(&mut self, _: Site, ty: Type) -> Const {
        let bits = self.0.next().copied();
        match ty {
            Type::Scalar(Scalar::Bv(width)) => Const::bv(width, bits.unwrap_or(u128::from(width < 6))),
            _ => Const::Bool(bits.unwrap_or(0) != 0),
        }
    }
}

/// The states at the header, and those in which runs end with how they do; `None` if there are too many.
fn reachable(program: &Program, header: Block, counts: &HashSet<Cell>) -> Option<(BTreeSet<State>, BTreeSet<End>)> {
    let initial = program.vars.values().map(|v| match &v.init {
        syncline_ir::Initial::Const(c) => c.as_bits().unwrap_or(0),
        syncline_ir::Initial::Any(_) => 0,
    });
    let start = State { vars: initial.collect(), cells: BTreeMap::new() };
    let prepared = Prepared::new(program);
    let (mut states, mut ends) = (BTreeSet::new(), BTreeSet::new());
    let mut seen = HashSet::new();
    let mut work: VecDeque<Vec<u128>> = VecDeque::from([Vec::new()]);
    while let Some(prefix) = work.pop_front() {
        let mut log = Log { header, vars: start.clone(), asked: Vec::new(), visits: Vec::new() };
        let fuel = if prefix.is_empty() { RUN } else { STEP * (prefix.len() as u64 + 2) };
        let limits = Limits { fuel, ..Limits::default() };
        let outcome = prepared.run(&mut Prefix(prefix.iter()), &mut log, limits);
        let decided = log.visits.iter().filter(|(before, _)| *before <= prefix.len());
        let last = decided.clone().next_back().cloned().unwrap_or_default();
        states.extend(decided.map(|(_, state)| state.clone().only(counts)));
        if states.len() > MAX_STATES {
            return None;
        }
        match log.asked.get(prefix.len()) {
            None => match outcome {
                Outcome::Returned(_) | Outcome::Stopped => drop(ends.insert((log.vars.only(counts), true))),
                Outcome::Violated(_) => drop(ends.insert((log.vars.only(counts), false))),
                // An endless loop that asks for nothing: all its states have been seen.
                Outcome::OutOfFuel | Outcome::AssumeFailed(_) => {}
                other => panic!("{other:?}"),
            },
            Some(ty) => {
                if seen.insert((last.1.only(counts), prefix[last.0.min(prefix.len())..].to_vec())) {
                    let values = match ty {
                        Type::Scalar(Scalar::Bool) => 2,
                        Type::Scalar(Scalar::Bv(w)) => 1u128 << w,
                        other => panic!("an input of type {other}"),
                    };
                    work.extend((0..values).map(|v| prefix.iter().copied().chain([v]).collect()));
                }
            }
        }
    }
    Some((states, ends))
}

fn parse(text: &str) -> Program {
    read::well_formed(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn accelerated(program: &Program) -> Option<Accelerated> {
    let deadline = Instant::now() + Duration::from_secs(600);
    let props: Vec<_> = program.props.keys().collect();
    Accelerated::new(program, &props, deadline, &mut Context::new(deadline, |_, _| {}))
}

/// Whether the loop was accelerated, and compared.
fn compare(name: &str, text: &str) -> bool {
    let program = parse(text);
    let Some(accelerated) = accelerated(&program) else { return false };
    let header = accelerated.accelerators[0].header;
    let plain = rewrite(&accelerated.inlined, &[], Steps::Any).program;
    let mut counts: HashSet<Cell> = HashSet::new();
    for a in &accelerated.accelerators {
        let changed = a.forms.iter().map(|f| f.cell).chain(a.writes.iter().map(|w| w.array));
        counts.extend(a.kept.iter().copied().chain(changed));
    }
    let Some((states, ends)) = reachable(&plain, header, &counts) else { return false };
    // Behind a loop that never ends nothing is asserted, so that some of its state may not matter.
    if ends.is_empty() {
        return false;
    }
    let words =
        || format!("{name}\n{text}\n{:?}", accelerated.accelerators.iter().map(|a| &a.text).collect::<Vec<_>>());
    let any = rewrite(&accelerated.inlined, &accelerated.accelerators, Steps::Any).program;
    // Behind a violation there may be more.
    let is_violated = ends.iter().any(|(_, holds)| !holds);
    let more = || panic!("more states than before: {}", words());
    match reachable(&any, header, &counts) {
        Some((after, _)) if is_violated => assert!(states.is_subset(&after), "states are missing: {}", words()),
        Some((after, _)) => assert_eq!(states, after, "the states at the header: {}", words()),
        None => assert!(is_violated || more()),
    }
    let last = rewrite(&accelerated.inlined, &accelerated.accelerators, Steps::Last).program;
    match reachable(&last, header, &counts) {
        Some((_, after)) if is_violated => {
            assert!(after.iter().any(|(_, holds)| !holds), "the violation is gone: {}", words());
            let missing = ends.iter().find(|end| end.1 && !after.contains(end));
            assert_eq!(missing, None, "an end that is gone: {}", words());
        }
        Some((subset, after)) => {
            assert!(subset.is_subset(&states), "states at the header that there are not: {}", words());
            assert_eq!(ends, after, "the states at the end: {}", words());
        }
        None => assert!(is_violated || more()),
    }
    true
}

#[test]
fn the_rewrite_is_exact() {
    let count: u64 = std::env::var("SYNCLINE_LOOPS").ok().and_then(|n| n.parse().ok()).unwrap_or(200);
    let generated = |seed: &u64| compare(&format!("seed {seed}"), &Generator::new(*seed).program());
    let compared = (0..count).filter(generated).count() as u64;
    println!("{compared} of {count} loops were accelerated and compared");
    assert!(compared * 8 > count, "only {compared} of {count} loops were accelerated");
}

/// Loops that show one rule each: they must be accelerated, and exactly.
#[test]
fn loops_that_need_a_rule_are_accelerated() {
    let below = |op, bound| Compared { op, bound, from_above: false };
    let above = |op, bound| Compared { op, bound, from_above: true };
    let by = |step: &'static str| move |g: &mut Generator| g.add("@x0", "@x0", step);
    let sum = |g: &mut Generator| {
        g.add("@x1", "@x1", "@x0");
        g.add("@x0", "@x0", "1");
    };
    let late = |g: &mut Generator| {
        g.add("@x2", "@x2", "@x1");
        g.add("@x1", "@x0", "3");
        g.add("@x0", "@x0", "1");
    };
    let two_writes = |g: &mut Generator| {
        g.store(0, 1);
        g.store(8, 2);
        g.add("@x0", "@x0", "1");
    };
    let loops = [
        ("steps that jump over the bound", Generator::chosen(&[0], below("ult", 60), &by("5"))),
        ("steps around the end of the numbers", Generator::chosen(&[4], below("ult", 60), &by("5"))),
        ("a signed bound passed from below", Generator::chosen(&[40], below("slt", 29), &by("5"))),
        ("counting down", Generator::chosen(&[50], above("ult", 3), &by("63"))),
        ("counting down through zero", Generator::chosen(&[20], above("slt", 50), &by("62"))),
        ("until it is met", Generator::chosen(&[3], below("eq", 21), &by("3"))),
        ("a sum of the counter", Generator::chosen(&[0, 5], below("ult", 20), &sum)),
        ("a form from the first iteration on", Generator::chosen(&[0, 9, 1], below("ult", 12), &late)),
        ("two writes to one array", Generator::chosen(&[0], below("ult", 8), &two_writes)),
    ];
    for (name, text) in &loops {
        assert!(compare(name, text), "{name}: not accelerated\n{text}");
    }
}
