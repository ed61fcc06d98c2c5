//! Runs code from a state to the headers that come next, along every path the inputs open.
//!
//! An input stays undecided, with the set of values it may have, until something depends on it. A comparison with a
//! constant splits the set; the machine goes on with one part and keeps a snapshot for the other, which does the same
//! instruction again. An undecided value is an input plus a constant, without wrapping around on any value the input may
//! have: extensions, truncations and additions split the set where that would fail. Whatever else needs a value takes
//! the input's values one by one if they are few, and gives the path up if they are many.

use super::code::*;
use super::domain::{flipped, satisfying, Domain};
use super::live::NONE;
use std::collections::BTreeSet;
use syncline_ir::{eval, BinOp, Const, Obligation, Prop, Scalar, Site, Type};

/// Inputs with more values than this are not tried one by one.
const MAX_VALUES: u128 = 256;
/// Paths from one state; more are too many.
const MAX_PATHS: u64 = 1 << 22;

const UNORDERED: &str = "an input that is an array or a float is read";
const MANY_VALUES: &str = "the program computes with an input of many values, or keeps one";
const MANY_PATHS: &str = "there are too many cases of the inputs within one step";

/// An input in the order of the path.
#[derive(Clone, Debug)]
pub(super) struct Symbol {
    pub site: Site,
    pub ty: Type,
    /// `None` for inputs that are no words.
    pub domain: Option<Domain>,
}

impl Symbol {
    /// One of the values it may have.
    pub fn example(&self) -> Const {
        match (&self.domain, self.ty) {
            (Some(domain), Type::Scalar(scalar)) => eval::from_bits(scalar, domain.min() as u128),
            (None, ty) | (Some(_), ty @ Type::Array { .. }) => Const::zero(ty),
        }
    }
}

/// The input plus the offset, a word of this width.
#[derive(Copy, Clone, Debug)]
struct Shifted {
    symbol: u32,
    offset: i128,
    width: u32,
}

/// What becomes of the paths. The answers say whether to go on.
pub(super) trait Sink {
    fn cut(&mut self, header: u32, regs: &[u64], inputs: &[Symbol]) -> bool;
    fn violated(&mut self, prop: Prop, inputs: &[Symbol]) -> bool;
    fn unsupported(&mut self, obligation: Obligation) -> bool;
    /// The path was given up.
    fn lost(&mut self, why: &'static str) -> bool;
}

#[derive(Default)]
struct Path {
    pc: usize,
    regs: Vec<u64>,
    tags: Vec<u32>,
    symbols: Vec<Symbol>,
    values: Vec<Shifted>,
}

pub(super) struct Machine<'c> {
    code: &'c Code,
    pub boxed: Interner,
    regs: Vec<u64>,
    /// For each register 0, or one more than the number of the undecided value in it.
    tags: Vec<u32>,
    symbols: Vec<Symbol>,
    values: Vec<Shifted>,
    pc: usize,
    pending: Vec<Path>,
    spare: Vec<Path>,
    paths: u64,
    pub total_paths: u64,
    /// The cells of arrays that were read: index width and index.
    pub read: BTreeSet<(u32, u128)>,
}

enum Resolved {
    /// Every operand is decided.
    Plain(Op),
    Next,
    Jump(u32),
    /// A set was split: the same again.
    Again,
    Lost(&'static str),
}

/// The result of a comparison.
enum Decision {
    Known(bool),
    Again,
    Lost(&'static str),
}

impl<'c> Machine<'c> {
    pub fn new(code: &'c Code, boxed: Interner) -> Machine<'c> {
        let mut regs = code.consts.clone();
        regs.resize(code.registers, 0);
        Machine {
            code,
            boxed,
            tags: vec![0; regs.len()],
            regs,
            symbols: Vec::new(),
            values: Vec::new(),
            pc: 0,
            pending: Vec::new(),
            spare: Vec::new(),
            paths: 0,
            total_paths: 0,
            read: BTreeSet::new(),
        }
    }

    /// Runs from the start of the program; false if the sink stopped it.
    pub fn run_initial(&mut self, sink: &mut impl Sink) -> bool {
        self.reset();
        for &(reg, word) in &self.code.initial {
            self.regs[reg as usize] = word;
        }
        for n in 0..self.code.inputs.len() {
            self.havoc(self.code.inputs[n]);
        }
        self.pc = self.code.entry as usize;
        self.run(sink)
    }

    /// Runs from a state at a header; false if the sink stopped it.
    pub fn run_state(&mut self, header: u32, state: &[u64], sink: &mut impl Sink) -> bool {
        self.reset();
        let header = &self.code.headers[header as usize];
        for cell in &header.cells {
            self.regs[cell.reg as usize] = header.unpack(cell, state);
        }
        self.pc = header.start as usize;
        self.run(sink)
    }

    fn reset(&mut self) {
        self.tags.fill(0);
        self.symbols.clear();
        self.values.clear();
        self.spare.append(&mut self.pending);
        self.paths = 0;
    }

    fn run(&mut self, sink: &mut impl Sink) -> bool {
        loop {
            self.paths += 1;
            self.total_paths += 1;
            let go_on = self.path(sink);
            if !go_on {
                return false;
            }
            let Some(next) = self.pending.pop() else { return true };
            self.restore(next);
            if self.paths > MAX_PATHS {
                return sink.lost(MANY_PATHS);
            }
        }
    }

    fn restore(&mut self, mut path: Path) {
        let first = self.code.consts.len();
        self.pc = path.pc;
        self.regs[first..].copy_from_slice(&path.regs);
        self.tags[first..].copy_from_slice(&path.tags);
        std::mem::swap(&mut self.symbols, &mut path.symbols);
        std::mem::swap(&mut self.values, &mut path.values);
        self.spare.push(path);
    }

    /// Keeps this point of the run for later, with another set for the input.
    fn fork(&mut self, symbol: u32, domain: Domain) {
        let first = self.code.consts.len();
        let mut path = self.spare.pop().unwrap_or_default();
        path.pc = self.pc;
        path.regs.clear();
        path.regs.extend_from_slice(&self.regs[first..]);
        path.tags.clear();
        path.tags.extend_from_slice(&self.tags[first..]);
        path.symbols.clone_from(&self.symbols);
        path.values.clone_from(&self.values);
        path.symbols[symbol as usize].domain = Some(domain);
        self.pending.push(path);
    }

    /// Follows one path to its end; false if the sink stops everything.
    fn path(&mut self, sink: &mut impl Sink) -> bool {
        let code = self.code;
        loop {
            let mut op = code.ops[self.pc];
            if let Op::Checked { at } = op {
                op = match self.resolve(&code.checked[at as usize]) {
                    Resolved::Plain(inner) => inner,
                    Resolved::Next => {
                        self.pc += 1;
                        continue;
                    }
                    Resolved::Jump(to) => {
                        self.pc = to as usize;
                        continue;
                    }
                    Resolved::Again => continue,
                    Resolved::Lost(why) => return sink.lost(why),
                };
            }
            let regs = &mut self.regs[..];
            match op {
                Op::TestEq { a, b, t, f } => {
                    self.pc = (if regs[a as usize] == regs[b as usize] { t } else { f }) as usize;
                    continue;
                }
                Op::Test { op, width, a, b, t, f } => {
                    let holds = compare(op, u32::from(width), regs[a as usize], regs[b as usize]);
                    self.pc = (if holds { t } else { f }) as usize;
                    continue;
                }
                Op::TestTrue { a, t, f } => {
                    self.pc = (if regs[a as usize] != 0 { t } else { f }) as usize;
                    continue;
                }
                Op::Jump { to } => {
                    self.pc = to as usize;
                    continue;
                }
                Op::Switch { a, at } => {
                    let (table, word) = (&code.switches[at as usize], regs[a as usize]);
                    let found = table.cases.binary_search_by_key(&word, |(c, _)| *c);
                    self.pc = found.map_or(table.default, |n| table.cases[n].1) as usize;
                    continue;
                }
                Op::Copy { dst, src } | Op::ZExt { dst, src, .. } => regs[dst as usize] = regs[src as usize],
                Op::CopySym { dst, src } => {
                    regs[dst as usize] = regs[src as usize];
                    self.tags[dst as usize] = self.tags[src as usize];
                }
                Op::SExt { dst, src, from, to } => {
                    regs[dst as usize] = sign_extended(u32::from(from), u32::from(to), regs[src as usize]);
                }
                Op::Extract { dst, src, lo, width } => {
                    regs[dst as usize] = extracted(u32::from(lo), u32::from(width), regs[src as usize]);
                }
                Op::Not { dst, src } => regs[dst as usize] = regs[src as usize] ^ 1,
                Op::Binary { op, width, dst, a, b } => {
                    regs[dst as usize] = binary(op, u32::from(width), regs[a as usize], regs[b as usize]);
                }
                Op::Ite { dst, cond, then, other } => {
                    let src = if regs[cond as usize] != 0 { then } else { other };
                    regs[dst as usize] = regs[src as usize];
                }
                Op::Assume { a } if regs[a as usize] == 0 => return true,
                Op::Assert { a, prop } if regs[a as usize] == 0 => return sink.violated(prop, &self.symbols),
                Op::Assume { .. } | Op::Assert { .. } => {}
                Op::Slow { at } => self.slow(&code.slow[at as usize]),
                Op::Havoc { at } => self.havoc(code.havocs[at as usize]),
                Op::Unsupported { obligation } => return sink.unsupported(obligation),
                Op::Stop => return true,
                Op::Cut { header } => match self.settle(&code.headers[header as usize]) {
                    Resolved::Lost(why) => return sink.lost(why),
                    Resolved::Again => continue,
                    Resolved::Plain(_) | Resolved::Next | Resolved::Jump(_) => {
                        return sink.cut(header, &self.regs, &self.symbols);
                    }
                },
                // Resolved above, and never nested.
                Op::Checked { .. } => {}
            }
            self.pc += 1;
        }
    }

    /// Decides every undecided cell of the state.
    fn settle(&mut self, header: &Header) -> Resolved {
        for cell in header.cells.iter().filter(|c| c.tainted) {
            if let Some(value) = self.undecided(cell.reg) {
                return self.decide(value);
            }
        }
        Resolved::Next
    }

    fn havoc(&mut self, havoc: HavocSite) {
        let domain = word_width(havoc.ty).map(Domain::full);
        self.symbols.push(Symbol { site: havoc.site, ty: havoc.ty, domain });
        if havoc.dst != NONE {
            let symbol = self.symbols.len() as u32 - 1;
            self.put(havoc.dst, Shifted { symbol, offset: 0, width: word_width(havoc.ty).unwrap_or(0) });
        }
    }

    fn put(&mut self, dst: Reg, value: Shifted) {
        self.values.push(value);
        self.tags[dst as usize] = self.values.len() as u32;
    }

    fn slow(&mut self, slow: &SlowOp) {
        if let (SlowKind::Binary(BinOp::Select), [_, (reg, Type::Scalar(Scalar::Bv(width)))]) =
            (&slow.kind, &slow.args[..])
        {
            let index = self.boxed.value(Type::bv(*width), self.regs[*reg as usize]);
            self.read.insert((*width, eval::to_bits(&index)));
        }
        let word = |n: usize| self.regs[slow.args[n].0 as usize];
        let value = |n: usize| self.boxed.value(slow.args[n].1, word(n));
        let result = match (&slow.kind, &slow.args[..]) {
            (SlowKind::Unary(op), _) => eval::unary(*op, &value(0)),
            (SlowKind::Binary(BinOp::Select), [_, (_, index)]) if !is_boxed(*index) => {
                match self.boxed.get(word(0)).as_array() {
                    Some(array) => array.get(u128::from(word(1))).clone(),
                    None => eval::binary(BinOp::Select, &value(0), &value(1)),
                }
            }
            (SlowKind::Binary(op), _) => eval::binary(*op, &value(0), &value(1)),
            (SlowKind::Update, _) => eval::update(&value(0), &value(1), &value(2)),
        };
        self.regs[slow.dst as usize] = self.boxed.word(result);
    }

    /// The undecided value in a register; one that is decided by now is put there.
    fn undecided(&mut self, reg: Reg) -> Option<Shifted> {
        let tag = self.tags[reg as usize];
        if tag == 0 {
            return None;
        }
        let value = self.values[tag as usize - 1];
        match self.symbols[value.symbol as usize].domain.as_ref().and_then(Domain::single) {
            Some(x) => {
                self.regs[reg as usize] = (x + value.offset) as u64;
                self.tags[reg as usize] = 0;
                None
            }
            None => Some(value),
        }
    }

    /// Goes on with the least value of the input, and with the others later.
    fn decide(&mut self, value: Shifted) -> Resolved {
        let Some(domain) = &self.symbols[value.symbol as usize].domain else { return Resolved::Lost(UNORDERED) };
        if domain.size() > MAX_VALUES {
            return Resolved::Lost(MANY_VALUES);
        }
        let least = domain.min();
        match self.narrow(value.symbol, &[(least, least)]) {
            Decision::Known(_) | Decision::Again => Resolved::Again,
            Decision::Lost(why) => Resolved::Lost(why),
        }
    }

    /// Whether the input lies within the ranges; if that is open, goes on with those values and keeps the others.
    fn narrow(&mut self, symbol: u32, ranges: &[(i128, i128)]) -> Decision {
        let Some(domain) = &self.symbols[symbol as usize].domain else { return Decision::Lost(UNORDERED) };
        match domain.split(ranges) {
            (Some(inside), Some(outside)) => {
                self.fork(symbol, outside);
                self.symbols[symbol as usize].domain = Some(inside);
                Decision::Again
            }
            (inside, _) => Decision::Known(inside.is_some()),
        }
    }

    /// The same for the value.
    fn narrow_value(&mut self, value: Shifted, ranges: &[(i128, i128)]) -> Decision {
        let shifted: Vec<(i128, i128)> = ranges.iter().map(|(lo, hi)| (lo - value.offset, hi - value.offset)).collect();
        self.narrow(value.symbol, &shifted)
    }

    fn resolve(&mut self, checked: &CheckedOp) -> Resolved {
        let mut open = None;
        for &reg in &checked.operands {
            open = self.undecided(reg).or(open);
        }
        let Some(open) = open else {
            if checked.dst != NONE {
                self.tags[checked.dst as usize] = 0;
            }
            return Resolved::Plain(checked.inner);
        };
        match checked.inner {
            Op::TestEq { a, b, t, f } => self.test(BinOp::Eq, a, b).then(t, f),
            Op::Test { op, a, b, t, f, .. } => self.test(op, a, b).then(t, f),
            Op::Binary {
                op: op @ (BinOp::Eq | BinOp::Ult | BinOp::Ule | BinOp::Slt | BinOp::Sle), dst, a, b, ..
            } => match self.test(op, a, b) {
                Decision::Known(holds) => {
                    self.regs[dst as usize] = u64::from(holds);
                    Resolved::Next
                }
                Decision::Again => Resolved::Again,
                Decision::Lost(why) => Resolved::Lost(why),
            },
            Op::Switch { at, .. } => self.switch(open, at),
            _ if checked.dst == NONE => self.decide(open),
            Op::Ite { dst, cond, then, other } => match self.undecided(cond) {
                Some(cond) => self.decide(cond),
                None => {
                    let src = if self.regs[cond as usize] != 0 { then } else { other };
                    self.regs[dst as usize] = self.regs[src as usize];
                    self.tags[dst as usize] = self.tags[src as usize];
                    Resolved::Next
                }
            },
            Op::ZExt { dst, to, .. } => {
                self.put(dst, Shifted { width: u32::from(to), ..open });
                Resolved::Next
            }
            Op::SExt { dst, from, to, .. } => self.sign_extend(open, dst, u32::from(from), u32::from(to)),
            Op::Extract { dst, lo: 0, width, .. } => self.truncate(open, dst, u32::from(width)),
            Op::Binary { op: op @ (BinOp::Add | BinOp::Sub), dst, a, b, .. } => self.add(op, open, dst, a, b),
            _ => self.decide(open),
        }
    }

    fn test(&mut self, op: BinOp, a: Reg, b: Reg) -> Decision {
        match (self.undecided(a), self.undecided(b)) {
            (Some(x), None) => match satisfying(op, i128::from(self.regs[b as usize]), x.width) {
                Some(ranges) => self.narrow_value(x, &ranges),
                None => Decision::Lost(MANY_VALUES),
            },
            (None, Some(y)) => {
                let c = i128::from(self.regs[a as usize]);
                let Some((op, negated)) = flipped(op) else { return Decision::Lost(MANY_VALUES) };
                let Some(ranges) = satisfying(op, c, y.width) else { return Decision::Lost(MANY_VALUES) };
                match self.narrow_value(y, &ranges) {
                    Decision::Known(holds) => Decision::Known(holds != negated),
                    other => other,
                }
            }
            (Some(x), Some(y)) if x.symbol == y.symbol && op == BinOp::Eq => Decision::Known(x.offset == y.offset),
            (Some(x), Some(y)) if x.symbol == y.symbol && op == BinOp::Ult => Decision::Known(x.offset < y.offset),
            (Some(x), Some(y)) if x.symbol == y.symbol && op == BinOp::Ule => Decision::Known(x.offset <= y.offset),
            (Some(x), Some(y)) => {
                let size = |v: Shifted| self.symbols[v.symbol as usize].domain.as_ref().map(Domain::size);
                let smaller = if size(x) <= size(y) { x } else { y };
                match self.decide(smaller) {
                    Resolved::Lost(why) => Decision::Lost(why),
                    Resolved::Plain(_) | Resolved::Next | Resolved::Jump(_) | Resolved::Again => Decision::Again,
                }
            }
            // Only undecided operands come here.
            (None, None) => Decision::Again,
        }
    }

    fn switch(&mut self, value: Shifted, at: u32) -> Resolved {
        let table = &self.code.switches[at as usize];
        let Some(domain) = &self.symbols[value.symbol as usize].domain else { return Resolved::Lost(UNORDERED) };
        let shifted = |c: u64| (i128::from(c) - value.offset, i128::from(c) - value.offset);
        let possible = table.cases.iter().find(|(c, _)| domain.split(&[shifted(*c)]).0.is_some());
        match possible {
            // A set of one value does not come here, so this splits it.
            Some((c, _)) => match self.narrow(value.symbol, &[shifted(*c)]) {
                Decision::Lost(why) => Resolved::Lost(why),
                Decision::Known(_) | Decision::Again => Resolved::Again,
            },
            None => Resolved::Jump(table.default),
        }
    }

    /// The value plus an offset within the ranges, another elsewhere.
    fn shift(&mut self, value: Shifted, dst: Reg, width: u32, within: (i128, i128), offsets: [i128; 2]) -> Resolved {
        match self.narrow_value(value, &[within]) {
            Decision::Known(holds) => {
                let offset = value.offset + offsets[usize::from(!holds)];
                self.put(dst, Shifted { symbol: value.symbol, offset, width });
                Resolved::Next
            }
            Decision::Again => Resolved::Again,
            Decision::Lost(why) => Resolved::Lost(why),
        }
    }

    fn sign_extend(&mut self, value: Shifted, dst: Reg, from: u32, to: u32) -> Resolved {
        let above = (1i128 << to) - (1i128 << from);
        self.shift(value, dst, to, (0, (1i128 << (from - 1)) - 1), [0, above])
    }

    fn truncate(&mut self, value: Shifted, dst: Reg, width: u32) -> Resolved {
        let Some(domain) = &self.symbols[value.symbol as usize].domain else { return Resolved::Lost(UNORDERED) };
        let (first, last) = ((domain.min() + value.offset) >> width, (domain.max() + value.offset) >> width);
        if last - first >= MAX_VALUES as i128 {
            return Resolved::Lost(MANY_VALUES);
        }
        let base = first << width;
        match self.narrow_value(value, &[(base, base + (1i128 << width) - 1)]) {
            Decision::Known(_) => {
                self.put(dst, Shifted { symbol: value.symbol, offset: value.offset - base, width });
                Resolved::Next
            }
            Decision::Again => Resolved::Again,
            Decision::Lost(why) => Resolved::Lost(why),
        }
    }

    fn add(&mut self, op: BinOp, open: Shifted, dst: Reg, a: Reg, b: Reg) -> Resolved {
        let end = 1i128 << open.width;
        let (value, by) = match (self.undecided(a), self.undecided(b)) {
            (Some(x), None) if op == BinOp::Sub => (x, (end - i128::from(self.regs[b as usize])) % end),
            (Some(x), None) => (x, i128::from(self.regs[b as usize])),
            (None, Some(y)) if op == BinOp::Add => (y, i128::from(self.regs[a as usize])),
            _ => return self.decide(open),
        };
        self.shift(value, dst, value.width, (0, end - by - 1), [by, by - end])
    }
}

impl Decision {
    fn then(self, t: u32, f: u32) -> Resolved {
        match self {
            Decision::Known(true) => Resolved::Jump(t),
            Decision::Known(false) => Resolved::Jump(f),
            Decision::Again => Resolved::Again,
            Decision::Lost(why) => Resolved::Lost(why),
        }
    }
}
