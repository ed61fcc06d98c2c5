//! Generated programs of several procedures, with calls in loops, recursion and loops with two entries: all inputs are tried on
//! the interpreter, and `inline` must say the same with every strategy, with and without contracts, and with variables abstracted
//! by each of the refinements; what it proves must be confirmed. So must what `kinduction`, `pdr` and `lawi` prove and refute when every
//! call is open at first. `SYNCLINE_INLINE_COUNT` sets the number of programs (60),
//! `SYNCLINE_INLINE_FIRST` the number of the first.

use std::fmt::Write;
use std::time::{Duration, Instant};
use syncline_engines::evidence;
use syncline_engines::inline::{self, Config, Refinement, Strategy};
use syncline_engines::task::{Certificate, Context, Reason, Task, Verdict};
use syncline_engines::{kinduction, lawi, pdr};
use syncline_ir::interp::{Inputs, Limits, NoObserver, Outcome, Prepared};
use syncline_ir::{eval, read, Const, Program, Scalar, Site, Type};

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) % n
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

const GLOBALS: u64 = 5;
const PROCS: u64 = 4;

/// The text of one procedure.
struct Writer<'a> {
    random: &'a mut Random,
    text: String,
    proc: u64,
    values: u32,
    blocks: u32,
    slots: u32,
    /// Calls left to write, and of itself.
    calls: u32,
    recursions: u32,
}

impl Writer<'_> {
    fn line(&mut self, text: impl AsRef<str>) {
        self.text += text.as_ref();
        self.text.push('\n');
    }

    /// A new value, defined by what the words say of its name.
    fn define(&mut self, ty: &str, words: impl AsRef<str>) -> u32 {
        self.values += 1;
        let v = self.values;
        self.line(format!("v{v}: {ty} = {}", words.as_ref()));
        v
    }

    fn constant(&mut self, n: u64) -> u32 {
        self.values += 1;
        let v = self.values;
        self.line(format!("v{v} = const bv3 {n}"));
        v
    }

    fn block(&mut self) -> u32 {
        self.blocks += 1;
        self.blocks
    }

    fn leaf(&mut self) -> u32 {
        match self.random.below(8) {
            0 => {
                let n = self.random.below(8);
                self.constant(n)
            }
            1 if self.proc > 0 => self.define("bv3", "read slot0"),
            2 => {
                let index = self.global();
                self.define("bv3", format!("load @m[v{index}]"))
            }
            _ => self.global(),
        }
    }

    fn global(&mut self) -> u32 {
        let n = self.random.below(GLOBALS);
        self.define("bv3", format!("read @g{n}"))
    }

    fn expression(&mut self) -> u32 {
        let a = self.leaf();
        if self.random.chance(40) {
            return a;
        }
        let b = self.leaf();
        let op = ["add", "sub", "bvand", "bvxor", "mul"][self.random.below(5) as usize];
        self.define("bv3", format!("{op} v{a}, v{b}"))
    }

    fn condition(&mut self) -> u32 {
        let (a, b) = (self.expression(), self.leaf());
        let op = ["eq", "ult", "ule", "slt"][self.random.below(4) as usize];
        self.define("bool", format!("{op} v{a}, v{b}"))
    }

    fn write(&mut self) {
        let value = self.expression();
        if self.random.chance(15) {
            let index = self.leaf();
            self.line(format!("store @m[v{index}], v{value}"));
        } else {
            let n = self.random.below(GLOBALS);
            self.line(format!("write @g{n}, v{value}"));
        }
    }

    fn assertion(&mut self) {
        let (a, b) = (self.condition(), self.condition());
        let c = self.condition();
        let either = self.define("bool", format!("or v{a}, v{b}"));
        let any = self.define("bool", format!("or v{either}, v{c}"));
        self.line(format!("assert prop0, v{any}"));
    }

    /// Another procedure, further down; or this one, with a smaller argument.
    fn call(&mut self) {
        if self.calls == 0 || self.proc + 1 == PROCS {
            return self.write();
        }
        self.calls -= 1;
        let callee = self.proc + 1 + self.random.below(PROCS - self.proc - 1);
        let arg = self.expression();
        let result = self.define("bv3", format!("call p{callee}(v{arg})"));
        let n = self.random.below(GLOBALS);
        self.line(format!("write @g{n}, v{result}"));
    }

    fn recursion(&mut self) {
        if self.recursions == 0 || self.proc == 0 {
            return self.call();
        }
        self.recursions -= 1;
        let (deeper, after) = (self.block(), self.block());
        let (arg, zero, one) = (self.define("bv3", "read slot0"), self.constant(0), self.constant(1));
        let more = self.define("bool", format!("ult v{zero}, v{arg}"));
        self.line(format!("branch v{more}, block{deeper}, block{after}\nblock{deeper}:"));
        let less = self.define("bv3", format!("sub v{arg}, v{one}"));
        let result = self.define("bv3", format!("call p{}(v{less})", self.proc));
        self.line(format!("write @g1, v{result}\njump block{after}\nblock{after}:"));
    }

    fn branch(&mut self, depth: u32) {
        let (then, other, after) = (self.block(), self.block(), self.block());
        let cond = self.condition();
        self.line(format!("branch v{cond}, block{then}, block{other}\nblock{then}:"));
        self.statements(2, depth);
        self.line(format!("jump block{after}\nblock{other}:"));
        self.statements(1, depth);
        self.line(format!("jump block{after}\nblock{after}:"));
    }

    /// A loop of at most three iterations, entered at its header or, if there are two entries, in its middle.
    fn repeat(&mut self, depth: u32) {
        self.slots += 1;
        let (slot, bound) = (self.slots, 1 + self.random.below(3));
        let (header, body, middle, after) = (self.block(), self.block(), self.block(), self.block());
        let kept = self.expression();
        let zero = self.constant(0);
        self.line(format!("write slot{slot}, v{zero}"));
        if self.random.chance(30) {
            let cond = self.condition();
            self.line(format!("branch v{cond}, block{header}, block{middle}"));
        } else {
            self.line(format!("jump block{header}"));
        }
        self.line(format!("block{header}:"));
        let (count, bound) = (self.define("bv3", format!("read slot{slot}")), self.constant(bound));
        let mut goes = self.define("bool", format!("ult v{count}, v{bound}"));
        if self.random.chance(40) {
            let cond = self.condition();
            goes = self.define("bool", format!("and v{goes}, v{cond}"));
        }
        self.line(format!("branch v{goes}, block{body}, block{after}\nblock{body}:"));
        self.statements(1, depth);
        self.line(format!("jump block{middle}\nblock{middle}:"));
        self.statements(1, depth);
        if self.random.chance(40) {
            self.line(format!("write @g2, v{kept}"));
        }
        let (count, one) = (self.define("bv3", format!("read slot{slot}")), self.constant(1));
        let next = self.define("bv3", format!("add v{count}, v{one}"));
        self.line(format!("write slot{slot}, v{next}\njump block{header}\nblock{after}:"));
    }

    fn statements(&mut self, most: u64, depth: u32) {
        for _ in 0..1 + self.random.below(most) {
            match self.random.below(12) {
                0 | 1 if depth > 0 => self.branch(depth - 1),
                2 | 3 if depth > 0 => self.repeat(depth - 1),
                4 | 5 => self.call(),
                6 => self.recursion(),
                7 => self.assertion(),
                8 if depth > 1 => {
                    let input = self.define("bv3", "havoc in0");
                    self.line(format!("write @g0, v{input}"));
                }
                _ => self.write(),
            }
        }
    }
}

fn program(seed: u64) -> (Program, String) {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    for _ in 0..4 {
        random.below(2);
    }
    let mut text = String::from("in0 = site \"x\": bv3\nvar @m: [bv3]bv3 = [bv3]bv3 {0}\n");
    for n in 0..GLOBALS {
        let _ = writeln!(text, "var @g{n}: bv3 = bv3 {}", random.below(8));
    }
    text += "prop0 = assertion \"p.assertion.1\" \"\"\nentry p0\n";
    for proc in 0..PROCS {
        let mut writer = Writer {
            random: &mut random,
            text: String::new(),
            proc,
            values: 0,
            blocks: 0,
            slots: 0,
            calls: 3,
            recursions: 1,
        };
        writer.statements(4, 2);
        writer.assertion();
        let result = writer.expression();
        let (body, slots) = (writer.text, writer.slots);
        let (head, first) = match proc {
            0 => ("", "block0:\n"),
            _ => (" -> bv3", "block0(v0: bv3):\nwrite slot0, v0\n"),
        };
        let _ = writeln!(text, "proc p{proc}{head} {{");
        for n in 0..=slots {
            let _ = writeln!(text, "slot{n} = slot \"s{n}\": bv3");
        }
        let end = if proc == 0 { "return".to_string() } else { format!("return v{result}") };
        let _ = writeln!(text, "{first}{body}{end}\n}}");
    }
    let program = read::well_formed(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    (program, text)
}

/// The inputs of one run after the other: the next one differs in the last input that has values left.
#[derive(Default)]
struct Tape {
    values: Vec<u128>,
    at: usize,
}

impl Inputs for Tape {
    fn next(&mut self, _: Site, _: Type) -> Const {
        if self.at == self.values.len() {
            self.values.push(0);
        }
        self.at += 1;
        eval::from_bits(Scalar::Bv(3), self.values[self.at - 1])
    }
}

impl Tape {
    fn rewind(&mut self) -> bool {
        self.values.truncate(self.at);
        self.at = 0;
        while let Some(last) = self.values.pop() {
            if last < 7 {
                self.values.push(last + 1);
                return true;
            }
        }
        false
    }
}

/// Whether some inputs violate the property; `None` if they are too many.
fn enumerated(program: &Program) -> Option<bool> {
    let prepared = Prepared::new(program);
    let mut tape = Tape::default();
    let mut fuel = 3_000_000u64;
    loop {
        match prepared.run(&mut tape, &mut NoObserver, Limits { fuel: 200_000, ..Limits::default() }) {
            Outcome::Violated(_) => return Some(true),
            Outcome::Returned(_) => {}
            Outcome::OutOfFuel => return None,
            other => panic!("{other:?}"),
        }
        fuel = fuel.checked_sub(5_000)?;
        if !tape.rewind() {
            return Some(false);
        }
    }
}

fn ask(program: &Program, config: Config) -> Verdict {
    let mut found = Vec::new();
    let deadline = Instant::now() + Duration::from_secs(10);
    let mut context = Context::new(deadline, |_, v| found.push(v));
    // Without runs on guessed inputs, which would find most violations.
    context.unwind = Some(1_000);
    let props = program.props.keys().collect();
    inline::check(&Task::new(program, props), config, &mut context);
    drop(context);
    assert_eq!(found.len(), 1);
    found.remove(0)
}

fn configs() -> Vec<Config> {
    let all = [Strategy::Tree, Strategy::First, Strategy::MaxC, Strategy::RandomPick, Strategy::Opt];
    let mut configs: Vec<Config> =
        all.iter().map(|&strategy| Config { strategy, contracts: false, refinement: None }).collect();
    configs.push(Config::default());
    for refinement in [Refinement::Hierarchical, Refinement::Conditions, Refinement::Linear] {
        configs.push(Config { contracts: false, refinement: Some(refinement), ..Config::default() });
    }
    configs.push(Config { refinement: Some(Refinement::Conditions), ..Config::default() });
    configs.push(Config { strategy: Strategy::Opt, refinement: Some(Refinement::Hierarchical), ..Config::default() });
    configs
}

fn setting(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

#[test]
fn every_strategy_agrees_with_enumeration() {
    let (count, first) = (setting("SYNCLINE_INLINE_COUNT", 60), setting("SYNCLINE_INLINE_FIRST", 1));
    let (mut violated, mut safe, mut skipped, mut unknown) = (0, 0, 0, Vec::new());
    for seed in first..first + count {
        let (program, text) = program(seed);
        let Some(expected) = enumerated(&program) else {
            skipped += 1;
            continue;
        };
        *(if expected { &mut violated } else { &mut safe }) += 1;
        for config in configs() {
            let verdict = ask(&program, config);
            let prop = program.props.keys().next().expect("there is one property");
            let confirmed =
                evidence::confirm(&program, prop, verdict.clone(), Instant::now() + Duration::from_secs(60));
            match (&verdict, &confirmed) {
                (Verdict::Unsafe(_), Verdict::Unsafe(_)) if expected => {}
                (Verdict::Safe(_), Verdict::Safe(_)) if !expected => {}
                (Verdict::Unknown(Reason::Time), _) => unknown.push((seed, config)),
                _ => panic!("program {seed} with {config:?}: {expected}, but {verdict:?}, {confirmed:?}\n{text}"),
            }
        }
    }
    println!("{safe} safe, {violated} violated, {skipped} with too many inputs, unknown: {unknown:?}");
    assert!(violated >= count / 5 && safe >= count / 5, "{violated} violated, {safe} safe");
    assert!(unknown.len() as u64 <= count / 10, "{unknown:?}");
}

/// Engines that open calls where their proofs ask for it, and the least share (in percent) of the programs that each decides.
/// A state with an array is not for `pdr`.
type Engine = fn(&Task, &mut Context);
const OPENERS: [(&str, Engine, u64); 3] = [
    ("kinduction", kinduction::check, 80),
    ("pdr", pdr::check, 20),
    ("lawi", |task, context| lawi::check(task, lawi::Config::default(), context), 50),
];

/// With every call open at first, and no help from runs on guessed inputs or, but for `kinduction`, a bounded search.
fn ask_opener(program: &Program, engine: Engine) -> Verdict {
    let mut found = Vec::new();
    let mut context = Context::new(Instant::now() + Duration::from_secs(4), |_, v| found.push(v));
    (context.guesses, context.beside, context.eager) = (false, true, 0);
    engine(&Task::new(program, program.props.keys().collect()), &mut context);
    drop(context);
    assert_eq!(found.len(), 1);
    found.remove(0)
}

#[test]
fn engines_that_open_calls_agree_with_enumeration() {
    let (count, first) = (setting("SYNCLINE_INLINE_COUNT", 60) / 2, setting("SYNCLINE_INLINE_FIRST", 1));
    let mut asked = 0;
    let (mut decided, mut partial) = ([0; OPENERS.len()], 0);
    for seed in first..first + count {
        let (program, text) = program(seed);
        let Some(expected) = enumerated(&program) else { continue };
        asked += 1;
        for (n, (name, engine, _)) in OPENERS.into_iter().enumerate() {
            let verdict = ask_opener(&program, engine);
            let prop = program.props.keys().next().expect("there is one property");
            let by = Instant::now() + Duration::from_secs(60);
            match (&verdict, evidence::confirm(&program, prop, verdict.clone(), by)) {
                (Verdict::Unsafe(_), Verdict::Unsafe(_)) if expected => decided[n] += 1,
                (Verdict::Safe(certificate), Verdict::Safe(_)) if !expected => {
                    decided[n] += 1;
                    partial += u64::from(matches!(certificate, Certificate::Inductive { opened: Some(_), .. }));
                }
                (Verdict::Unknown(_), _) => {}
                (_, confirmed) => panic!("program {seed}, {name}: {expected}, but {verdict:?}, {confirmed:?}\n{text}"),
            }
        }
    }
    println!("{asked} programs: {decided:?} decided, {partial} proofs with open calls");
    assert!(partial > 0, "no proof with open calls");
    for (decided, (name, _, least)) in decided.into_iter().zip(OPENERS) {
        assert!(decided * 100 >= asked * least, "{name} decides {decided} of {asked}");
    }
}
