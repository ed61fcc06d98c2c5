//! Random programs: any control flow (irreducible too), slots and globals of several types, arrays, values used
//! across blocks, calls with recursion. Runs may go on for ever; the caller gives them fuel.

use cranelift_entity::EntityRef;
use syncline_ir::analysis::Dominators;
use syncline_ir::*;

/// xorshift64*
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
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

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

const BYTE: Type = Type::bv(4);
const ARRAY: Type = Type::Array { index: 4, elem: Scalar::Bv(4) };
const TYPES: [Type; 4] = [BYTE, BYTE, Type::BOOL, ARRAY];

pub fn program(rng: &mut Rng) -> Program {
    let mut program = Program::new();
    let none = program.no_origin();
    for n in 0..3 {
        let name = format!("main.assertion.{n}");
        program.props.push(PropData { name, kind: PropKind::Assertion, description: String::new(), origin: none });
    }
    program.obligations.push(ObligationData { reason: "not modelled".into(), origin: none });
    for n in 0..1 + rng.below(4) {
        let ty = rng.pick(&TYPES);
        let name = format!("g{n}");
        let init = match rng.chance(50) {
            true => Initial::Any(program.sites.push(SiteData { name: name.clone(), ty, origin: none })),
            false => Initial::Const(Const::zero(ty)),
        };
        program.vars.push(VarData { name, ty, init, origin: none });
    }
    let procs = 1 + rng.below(4);
    for n in 0..procs {
        let origin = program.origins.push(OriginData::Element(format!("p{n}")));
        let mut proc = Procedure::new(format!("p{n}"), origin);
        if n > 0 {
            proc.results = (0..rng.below(3)).map(|_| rng.pick(&TYPES)).collect();
            for _ in 0..rng.below(3) {
                proc.add_param(proc.entry, rng.pick(&TYPES));
            }
        }
        program.procs.push(proc);
    }
    program.entry = program.procs.keys().next();
    for id in program.procs.keys().collect::<Vec<_>>() {
        let proc = program.procs[id].clone();
        program.procs[id] = Body::new(rng, &mut program, proc).fill();
    }
    program
}

struct Body<'a> {
    rng: &'a mut Rng,
    program: &'a mut Program,
    proc: Procedure,
    /// What may be used at the current place.
    available: Vec<Value>,
}

impl<'a> Body<'a> {
    fn new(rng: &'a mut Rng, program: &'a mut Program, proc: Procedure) -> Body<'a> {
        Body { rng, program, proc, available: Vec::new() }
    }

    fn fill(mut self) -> Procedure {
        let origin = self.proc.origin;
        for n in 0..self.rng.below(5) {
            let ty = self.rng.pick(&TYPES);
            self.proc.slots.push(SlotData { name: format!("s{n}"), ty, origin });
        }
        for _ in 0..2 + self.rng.below(10) {
            let block = self.proc.add_block(origin);
            for _ in 0..self.rng.below(3) {
                let ty = self.rng.pick(&TYPES);
                self.proc.add_param(block, ty);
            }
        }
        // The shape first, so that dominators say what each block may use; then the contents.
        for block in self.proc.layout.clone() {
            let term = self.shape();
            self.proc.set_term(block, term, origin);
        }
        let dom = Dominators::compute(&self.proc);
        let mut defined: Vec<Vec<Value>> = vec![Vec::new(); self.proc.blocks.len()];
        for block in analysis::Cfg::compute(&self.proc).rpo().to_vec() {
            let above = std::iter::successors(dom.idom(block), |&b| dom.idom(b));
            self.available = above.flat_map(|b| defined[b.as_u32() as usize].clone()).collect();
            let outer = self.available.len();
            self.available.extend(self.proc.blocks[block].params.clone());
            for _ in 0..self.rng.below(7) {
                self.inst(block);
            }
            self.terminator(block);
            defined[block.as_u32() as usize] = self.available.split_off(outer);
        }
        let reachable = analysis::Cfg::compute(&self.proc);
        self.proc.layout.retain(|&b| reachable.is_reachable(b));
        self.proc
    }

    fn target(&mut self) -> BlockCall {
        match self.proc.layout.len() {
            1 => self.proc.add_block(self.proc.origin).into(),
            n => self.proc.layout[1 + self.rng.below(n - 1)].into(),
        }
    }

    /// A terminator without values.
    fn shape(&mut self) -> Terminator {
        let none = Value::from_u32(u32::MAX - 1);
        match self.rng.below(18) {
            0 if self.rng.chance(30) => Terminator::Stop,
            0 | 1 => Terminator::Return(Vec::new()),
            2..=5 => Terminator::Jump(self.target()),
            6 | 7 => {
                let cases = (0..self.rng.below(4) as u128).map(|n| (n, self.target())).collect();
                Terminator::Switch { value: none, cases, default: self.target() }
            }
            _ => Terminator::Branch { cond: none, then: self.target(), other: self.target() },
        }
    }

    fn terminator(&mut self, block: Block) {
        let mut term = self.proc.blocks[block].term.clone();
        match &mut term {
            Terminator::Branch { cond, .. } => *cond = self.value(block, Type::BOOL),
            Terminator::Switch { value, .. } => *value = self.value(block, BYTE),
            Terminator::Return(values) => {
                *values = self.proc.results.clone().into_iter().map(|ty| self.value(block, ty)).collect();
            }
            Terminator::Jump(_) | Terminator::Step(_) | Terminator::Stop => {}
        }
        for target in term.targets_mut() {
            let params = self.proc.blocks[target.block].params.clone();
            target.args = params.iter().map(|&p| self.value(block, self.proc.value_type(p))).collect();
        }
        self.proc.blocks[block].term = term;
    }

    fn append(&mut self, block: Block, data: InstData, results: &[Type]) {
        let origin = self.program.origins.push(OriginData::Element(format!("{}/{block}", self.proc.name)));
        let inst = self.proc.append(block, data, results, origin);
        self.available.extend(self.proc.insts[inst].results.iter());
    }

    fn last(&mut self, block: Block, data: InstData, ty: Type) -> Value {
        self.append(block, data, &[ty]);
        self.available[self.available.len() - 1]
    }

    /// A value of this type: one that is there, or a new one.
    fn value(&mut self, block: Block, ty: Type) -> Value {
        let fitting: Vec<Value> = self.available.iter().copied().filter(|&v| self.proc.value_type(v) == ty).collect();
        if !fitting.is_empty() && self.rng.chance(70) {
            return self.rng.pick(&fitting);
        }
        if let Some(place) = self.place(Some(ty)).filter(|_| self.rng.chance(60)) {
            return self.last(block, InstData::Read { place }, ty);
        }
        if self.rng.chance(50) {
            let site = self.program.sites.push(SiteData { name: "in".into(), ty, origin: self.proc.origin });
            return self.last(block, InstData::Havoc { site }, ty);
        }
        let constant = match ty {
            Type::Scalar(Scalar::Bool) => Const::Bool(self.rng.chance(50)),
            ty if ty == BYTE => Const::bv(4, self.rng.below(4) as u128),
            ty => Const::zero(ty),
        };
        self.last(block, InstData::Const(constant), ty)
    }

    fn place(&mut self, ty: Option<Type>) -> Option<Place> {
        let globals = self.program.vars.keys().map(Place::Global);
        let all: Vec<Place> = globals.chain(self.proc.slots.keys().map(Place::Local)).collect();
        let fits = |&p: &Place| ty.is_none_or(|ty| self.program.place_type(&self.proc, p) == ty);
        let fitting: Vec<Place> = all.into_iter().filter(fits).collect();
        (!fitting.is_empty()).then(|| self.rng.pick(&fitting))
    }

    fn inst(&mut self, block: Block) {
        match self.rng.below(20) {
            0..=3 => self.operator(block),
            4 => {
                let (cond, ty) = (self.value(block, Type::BOOL), self.rng.pick(&TYPES));
                let (then, other) = (self.value(block, ty), self.value(block, ty));
                self.append(block, InstData::Ite { cond, then, other }, &[ty]);
            }
            5..=9 => {
                let Some(place) = self.place(None) else { return };
                let value = self.value(block, self.program.place_type(&self.proc, place));
                self.append(block, InstData::Write { place, value }, &[]);
            }
            10..=12 => self.cell(block),
            13 | 14 => self.call(block),
            15..=17 => {
                let value = match self.place(Some(BYTE)) {
                    Some(place) => self.last(block, InstData::Read { place }, BYTE),
                    None => self.value(block, BYTE),
                };
                let args = vec![value];
                self.append(block, InstData::Print { format: "%d\n".into(), args }, &[]);
            }
            18 if self.rng.chance(20) => {
                let cond = self.likely(block);
                self.append(block, InstData::Assume { cond }, &[]);
            }
            18 if self.rng.chance(70) => {
                let (prop, cond) = (Prop::from_u32(self.rng.below(3) as u32), self.likely(block));
                self.append(block, InstData::Assert { prop, cond }, &[]);
            }
            19 if self.rng.chance(5) => {
                self.append(block, InstData::Unsupported { obligation: Obligation::from_u32(0) }, &[]);
            }
            _ => {
                self.value(block, BYTE);
            }
        }
    }

    /// A condition that holds more often than not, so that runs go on.
    fn likely(&mut self, block: Block) -> Value {
        let mut cond = self.value(block, Type::BOOL);
        for _ in 0..self.rng.below(4) {
            let args = [cond, self.value(block, Type::BOOL)];
            cond = self.last(block, InstData::Binary { op: BinOp::Or, args }, Type::BOOL);
        }
        cond
    }

    fn operator(&mut self, block: Block) {
        let (a, b) = (self.value(block, BYTE), self.value(block, BYTE));
        let data = match self.rng.below(3) {
            0 => InstData::Unary { op: UnOp::Not, arg: self.value(block, Type::BOOL) },
            1 => InstData::Binary { op: self.rng.pick(&[BinOp::Eq, BinOp::Ult, BinOp::Slt]), args: [a, b] },
            _ => InstData::Binary { op: self.rng.pick(&[BinOp::Add, BinOp::Mul, BinOp::Sub]), args: [a, b] },
        };
        let ty = match data {
            InstData::Binary { op, .. } => op.result(BYTE, BYTE).unwrap_or(BYTE),
            _ => Type::BOOL,
        };
        self.append(block, data, &[ty]);
    }

    fn cell(&mut self, block: Block) {
        let (index, value) = (self.value(block, BYTE), self.value(block, BYTE));
        match (self.place(Some(ARRAY)), self.rng.below(4)) {
            (Some(place), 0 | 1) => self.append(block, InstData::Store { place, index, value }, &[]),
            (Some(place), 2) => self.append(block, InstData::Load { place, index }, &[BYTE]),
            _ => {
                let array = self.value(block, ARRAY);
                self.append(block, InstData::Update { array, index, value }, &[ARRAY]);
                let array = self.available[self.available.len() - 1];
                self.append(block, InstData::Binary { op: BinOp::Select, args: [array, index] }, &[BYTE]);
            }
        }
    }

    fn call(&mut self, block: Block) {
        // Calls of later procedures end; some of any procedure, for recursion.
        let count = self.program.procs.len();
        let own = self.program.procs.values().take_while(|p| p.name != self.proc.name).count();
        let callee = match own + 1 < count && self.rng.chance(85) {
            true => own + 1 + self.rng.below(count - own - 1),
            false if self.rng.chance(20) => self.rng.below(count),
            false => return,
        };
        let callee = Proc::new(callee);
        // A procedure's own results are still those it was made with.
        let signature = &self.program.procs[callee];
        let results = signature.results.clone();
        let types: Vec<Type> = signature.params().iter().map(|&p| signature.value_type(p)).collect();
        let args = types.into_iter().map(|ty| self.value(block, ty)).collect();
        self.append(block, InstData::Call { callee, args }, &results);
    }
}
