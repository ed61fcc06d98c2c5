//! Random structured programs for the facts: nested loops with counters, comparisons of variables, copies, small
//! state machines, arrays, parameters of loop headers and values used across blocks, over widths of 3 to 8 bits.

use syncline_ir::*;

/// xorshift64*
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

const INDEX: u32 = 3;

struct Gen<'r> {
    rng: &'r mut Rng,
    program: Program,
    proc: Procedure,
    at: Block,
    main: u32,
    other: u32,
    numbers: Vec<(Place, u32)>,
    flags: Vec<Place>,
    array: Option<Place>,
    /// Numbers of the main width that may be used here, for those of several blocks.
    available: Vec<Value>,
    budget: usize,
}

pub fn program(rng: &mut Rng) -> Program {
    let mut program = Program::new();
    let none = program.no_origin();
    let name = "main.assertion.0".to_string();
    program.props.push(PropData { name, kind: PropKind::Assertion, description: String::new(), origin: none });
    let proc = Procedure::new("main", none);
    const WIDTHS: [u32; 8] = [3, 4, 5, 6, 7, 8, 8, 8];
    let (at, main, other) = (proc.entry, rng.pick(&WIDTHS), rng.pick(&WIDTHS));
    let mut gen = Gen {
        rng,
        program,
        proc,
        at,
        main,
        other,
        numbers: Vec::new(),
        flags: Vec::new(),
        array: None,
        available: Vec::new(),
        budget: 60,
    };
    gen.variables();
    gen.statements(0);
    gen.proc.set_term(gen.at, Terminator::Return(Vec::new()), none);
    let Gen { mut program, proc, .. } = gen;
    program.entry = Some(program.procs.push(proc));
    program
}

impl Gen<'_> {
    fn variables(&mut self) {
        for n in 0..3 + self.rng.below(4) {
            let width = if self.rng.chance(75) { self.main } else { self.other };
            let place = self.place(format!("x{n}"), Type::bv(width));
            self.numbers.push((place, width));
        }
        for n in 0..1 + self.rng.below(2) {
            let place = self.place(format!("b{n}"), Type::BOOL);
            self.flags.push(place);
        }
        if self.rng.chance(50) {
            self.array = Some(self.place("a".into(), Type::Array { index: INDEX, elem: Scalar::Bv(self.main) }));
        }
    }

    fn place(&mut self, name: String, ty: Type) -> Place {
        let origin = self.program.no_origin();
        if self.rng.chance(50) {
            return Place::Local(self.proc.slots.push(SlotData { name, ty, origin }));
        }
        let init = match (self.rng.chance(50), ty) {
            (true, _) => Initial::Any(self.program.sites.push(SiteData { name: name.clone(), ty, origin })),
            (false, Type::Scalar(Scalar::Bv(w))) => Initial::Const(Const::bv(w, self.rng.below(5) as u128)),
            (false, _) => Initial::Const(Const::zero(ty)),
        };
        Place::Global(self.program.vars.push(VarData { name, ty, init, origin }))
    }

    fn result(&mut self, data: InstData, ty: Type) -> Value {
        self.proc.append1(self.at, data, ty, Origin::from_u32(0))
    }

    fn effect(&mut self, data: InstData) {
        self.proc.append(self.at, data, &[], Origin::from_u32(0));
    }

    fn block(&mut self) -> Block {
        self.proc.add_block(Origin::from_u32(0))
    }

    fn end(&mut self, term: Terminator) {
        self.proc.set_term(self.at, term, Origin::from_u32(0));
    }

    fn un(&mut self, op: UnOp, arg: Value) -> Value {
        self.proc.unary(self.at, op, arg, Origin::from_u32(0))
    }

    fn bin(&mut self, op: BinOp, a: Value, b: Value) -> Value {
        self.proc.binary(self.at, op, a, b, Origin::from_u32(0))
    }

    fn constant(&mut self, width: u32) -> Value {
        let bits = match self.rng.below(8) {
            0 => u128::MAX,
            1 => self.rng.next() as u128,
            _ => self.rng.below(7) as u128,
        };
        self.result(InstData::Const(Const::bv(width, bits)), Type::bv(width))
    }

    fn havoc(&mut self, ty: Type) -> Value {
        let site = self.program.sites.push(SiteData { name: "in".into(), ty, origin: Origin::from_u32(0) });
        self.result(InstData::Havoc { site }, ty)
    }

    fn read(&mut self, width: u32) -> Value {
        let fitting: Vec<Place> = self.numbers.iter().filter(|n| n.1 == width).map(|n| n.0).collect();
        match fitting.is_empty() {
            true => self.constant(width),
            false => {
                let place = self.rng.pick(&fitting);
                self.result(InstData::Read { place }, Type::bv(width))
            }
        }
    }

    fn resized(&mut self, value: Value, from: u32, to: u32) -> Value {
        match from.cmp(&to) {
            std::cmp::Ordering::Less if self.rng.chance(50) => self.un(UnOp::ZExt(to), value),
            std::cmp::Ordering::Less => self.un(UnOp::SExt(to), value),
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Greater => {
                let lo = if self.rng.chance(80) { 0 } else { from - to };
                self.un(UnOp::Extract { hi: lo + to - 1, lo }, value)
            }
        }
    }

    fn expr(&mut self, width: u32, depth: usize) -> Value {
        use BinOp::*;
        const OPS: [BinOp; 16] =
            [Add, Add, Add, Sub, Sub, Mul, UDiv, SDiv, URem, SRem, BvAnd, BvOr, BvXor, Shl, LShr, AShr];
        match self.rng.below(if depth == 0 { 8 } else { 16 }) {
            0..=3 => self.read(width),
            4 | 5 => self.constant(width),
            6 if width == self.main && !self.available.is_empty() => self.rng.pick(&self.available.clone()),
            7 if self.rng.chance(40) => self.havoc(Type::bv(width)),
            6 | 7 => self.read(width),
            8..=11 => {
                let (op, a) = (self.rng.pick(&OPS), self.expr(width, depth - 1));
                let b = if self.rng.chance(60) { self.constant(width) } else { self.expr(width, depth - 1) };
                self.bin(op, a, b)
            }
            12 => {
                let (op, a) = (self.rng.pick(&[UnOp::BvNot, UnOp::BvNeg]), self.expr(width, depth - 1));
                self.un(op, a)
            }
            13 => {
                let from = if width == self.main { self.other } else { self.main };
                let value = self.expr(from, depth - 1);
                self.resized(value, from, width)
            }
            14 => match self.array.filter(|_| width == self.main) {
                Some(place) if self.rng.chance(70) => {
                    let index = self.index();
                    self.result(InstData::Load { place, index }, Type::bv(width))
                }
                Some(place) => {
                    let array = self.result(InstData::Read { place }, self.array_type());
                    let index = self.index();
                    self.bin(Select, array, index)
                }
                None => self.read(width),
            },
            _ => {
                let cond = self.cond(depth - 1);
                let (then, other) = (self.expr(width, depth - 1), self.expr(width, depth - 1));
                self.result(InstData::Ite { cond, then, other }, Type::bv(width))
            }
        }
    }

    fn array_type(&self) -> Type {
        Type::Array { index: INDEX, elem: Scalar::Bv(self.main) }
    }

    fn index(&mut self) -> Value {
        match self.rng.chance(65) {
            true => {
                let bits = self.rng.below(4) as u128;
                self.result(InstData::Const(Const::bv(INDEX, bits)), Type::bv(INDEX))
            }
            false => {
                let value = self.read(self.main);
                self.resized(value, self.main, INDEX)
            }
        }
    }

    fn cond(&mut self, depth: usize) -> Value {
        let width = if self.rng.chance(75) { self.main } else { self.other };
        match self.rng.below(if depth == 0 { 6 } else { 11 }) {
            0..=4 => {
                let op = self.rng.pick(&[BinOp::Eq, BinOp::Ult, BinOp::Ule, BinOp::Slt, BinOp::Slt, BinOp::Sle]);
                let a = if self.rng.chance(80) { self.read(width) } else { self.expr(width, depth.min(1)) };
                let b = match self.rng.below(10) {
                    0..=4 => self.constant(width),
                    5..=8 => self.read(width),
                    _ => self.expr(width, depth.min(1)),
                };
                if self.rng.chance(20) {
                    self.bin(op, b, a)
                } else {
                    self.bin(op, a, b)
                }
            }
            5 => {
                let place = self.rng.pick(&self.flags.clone());
                self.result(InstData::Read { place }, Type::BOOL)
            }
            6 => {
                let c = self.cond(depth - 1);
                self.un(UnOp::Not, c)
            }
            7 | 8 => {
                let (op, a, b) = (
                    self.rng.pick(&[BinOp::And, BinOp::Or, BinOp::And, BinOp::Or, BinOp::Xor, BinOp::Eq]),
                    self.cond(depth - 1),
                    self.cond(depth - 1),
                );
                self.bin(op, a, b)
            }
            9 => {
                // C's `(a < b) != 0`.
                let cond = self.cond(depth - 1);
                let one = self.result(InstData::Const(Const::bv(width, 1)), Type::bv(width));
                let zero = self.result(InstData::Const(Const::bv(width, 0)), Type::bv(width));
                let number = self.result(InstData::Ite { cond, then: one, other: zero }, Type::bv(width));
                let is_zero = self.bin(BinOp::Eq, number, zero);
                self.un(UnOp::Not, is_zero)
            }
            _ => self.havoc(Type::BOOL),
        }
    }

    fn statements(&mut self, depth: usize) {
        let outer = self.available.len();
        for _ in 0..2 + self.rng.below(5) {
            if self.budget == 0 {
                break;
            }
            self.budget -= 1;
            self.statement(depth);
        }
        self.available.truncate(outer);
    }

    fn statement(&mut self, depth: usize) {
        let nested = depth < 3;
        match self.rng.below(20) {
            0..=2 => self.assign(),
            3 | 4 => self.step(),
            5 => self.copy(),
            6 => {
                let (place, value) = (self.rng.pick(&self.flags.clone()), self.cond(2));
                self.effect(InstData::Write { place, value });
            }
            7 | 8 => self.store(),
            9 => {
                let value = self.expr(self.main, 2);
                self.available.push(value);
            }
            10 if self.rng.chance(40) => {
                let (a, b) = (self.cond(1), self.havoc(Type::BOOL));
                let cond = self.bin(BinOp::Or, a, b);
                self.effect(InstData::Assume { cond });
            }
            10 if self.rng.chance(40) => {
                let (a, b) = (self.cond(1), self.havoc(Type::BOOL));
                let cond = self.bin(BinOp::Or, a, b);
                self.effect(InstData::Assert { prop: Prop::from_u32(0), cond });
            }
            11..=13 if nested => self.conditional(depth),
            14 if nested => self.cases(depth),
            15..=17 if nested => self.counted(depth),
            18 | 19 if nested => self.repeated(depth),
            _ => self.assign(),
        }
    }

    fn assign(&mut self) {
        let (place, width) = self.rng.pick(&self.numbers.clone());
        let value = match self.rng.below(6) {
            0 => self.havoc(Type::bv(width)),
            1 | 2 => self.constant(width),
            _ => self.expr(width, 2),
        };
        self.effect(InstData::Write { place, value });
    }

    /// `x = x + c`, `x = x * c`
    fn step(&mut self) {
        let (place, width) = self.rng.pick(&self.numbers.clone());
        let x = self.result(InstData::Read { place }, Type::bv(width));
        let even = Const::bv(width, self.rng.pick(&[2, 4, 6, 1 << (width - 2)]));
        let value = match self.rng.below(3) {
            0 => {
                let c = self.constant(width);
                self.bin(BinOp::Add, x, c)
            }
            n => {
                let c = self.result(InstData::Const(even), Type::bv(width));
                self.bin(if n == 1 { BinOp::Add } else { BinOp::Mul }, x, c)
            }
        };
        self.effect(InstData::Write { place, value });
    }

    fn copy(&mut self) {
        let (place, width) = self.rng.pick(&self.numbers.clone());
        let value = self.read(width);
        self.effect(InstData::Write { place, value });
    }

    fn store(&mut self) {
        let Some(place) = self.array else { return self.assign() };
        match self.rng.below(10) {
            0 => {
                let value = self.result(InstData::Const(Const::zero(self.array_type())), self.array_type());
                self.effect(InstData::Write { place, value });
            }
            1 => {
                let array = self.result(InstData::Read { place }, self.array_type());
                let (index, value) = (self.index(), self.expr(self.main, 1));
                let value = self.result(InstData::Update { array, index, value }, self.array_type());
                self.effect(InstData::Write { place, value });
            }
            _ => {
                let index = self.index();
                let value = if self.rng.chance(50) { self.constant(self.main) } else { self.expr(self.main, 1) };
                self.effect(InstData::Store { place, index, value });
            }
        }
    }

    fn conditional(&mut self, depth: usize) {
        let cond = self.cond(2);
        let (then, other, after) = (self.block(), self.block(), self.block());
        self.end(Terminator::Branch { cond, then: then.into(), other: other.into() });
        for side in [then, other] {
            self.at = side;
            self.statements(depth + 1);
            self.end(Terminator::Jump(after.into()));
        }
        self.at = after;
    }

    fn cases(&mut self, depth: usize) {
        let (place, width) = self.rng.pick(&self.numbers.clone());
        let value = self.result(InstData::Read { place }, Type::bv(width));
        let blocks: Vec<Block> = (0..1 + self.rng.below(4)).map(|_| self.block()).collect();
        let (default, after) = (self.block(), self.block());
        let cases = (0u128..).zip(&blocks).map(|(n, &b)| (n, b.into())).collect();
        self.end(Terminator::Switch { value, cases, default: default.into() });
        for side in blocks.into_iter().chain([default]) {
            self.at = side;
            let value = self.constant(width);
            self.effect(InstData::Write { place, value });
            if self.rng.chance(40) {
                self.statements(depth + 1);
            }
            self.end(Terminator::Jump(after.into()));
        }
        self.at = after;
    }

    /// A loop whose counter is a variable, or a parameter of its header, up to a constant or a variable.
    fn counted(&mut self, depth: usize) {
        let (place, width) = self.rng.pick(&self.numbers.clone());
        let by_param = self.rng.chance(30);
        let start = Const::bv(width, self.rng.below(4) as u128);
        let start = self.result(InstData::Const(start), Type::bv(width));
        let (header, body, after) = (self.block(), self.block(), self.block());
        let args = if by_param { vec![start] } else { Vec::new() };
        if !by_param {
            self.effect(InstData::Write { place, value: start });
        }
        self.end(Terminator::Jump(BlockCall::new(header, args)));
        self.at = header;
        let counter = match by_param {
            true => self.proc.add_param(header, Type::bv(width)),
            false => self.result(InstData::Read { place }, Type::bv(width)),
        };
        let far = Const::bv(width, 4 + self.rng.below((1 << (width - 1)) - 4 + 1) as u128);
        let limit = match self.rng.below(5) {
            0 => self.constant(width),
            1 | 2 => self.result(InstData::Const(far), Type::bv(width)),
            _ => self.read(width),
        };
        let op = self.rng.pick(&[BinOp::Slt, BinOp::Slt, BinOp::Ult, BinOp::Sle]);
        let cond = self.bin(op, counter, limit);
        self.end(Terminator::Branch { cond, then: body.into(), other: after.into() });
        self.at = body;
        // Most counters are left alone in the loop.
        let own = self.numbers.iter().position(|n| n.0 == place).filter(|_| self.rng.chance(60));
        let hidden = own.filter(|_| self.numbers.len() > 1).map(|n| self.numbers.remove(n));
        self.statements(depth + 1);
        self.numbers.extend(hidden);
        let by = self.rng.pick(&[1, 1, 2, 3, 3, 4, 5]);
        let step = self.result(InstData::Const(Const::bv(width, by)), Type::bv(width));
        let counter = match by_param {
            true => counter,
            false => self.result(InstData::Read { place }, Type::bv(width)),
        };
        let next = self.bin(BinOp::Add, counter, step);
        let args = if by_param { vec![next] } else { Vec::new() };
        if !by_param {
            self.effect(InstData::Write { place, value: next });
        }
        self.end(Terminator::Jump(BlockCall::new(header, args)));
        self.at = after;
    }

    fn repeated(&mut self, depth: usize) {
        let (header, body, after) = (self.block(), self.block(), self.block());
        self.end(Terminator::Jump(header.into()));
        self.at = header;
        let cond = if self.rng.chance(70) { self.havoc(Type::BOOL) } else { self.cond(2) };
        self.end(Terminator::Branch { cond, then: body.into(), other: after.into() });
        self.at = body;
        self.statements(depth + 1);
        self.end(Terminator::Jump(header.into()));
        self.at = after;
    }
}
