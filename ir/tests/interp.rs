//! The interpreter on hand-built programs: every instruction, terminator and outcome, before and after SSA.

use std::time::{Duration, Instant};
use syncline_ir::interp::{run, Inputs, Limits, NoObserver, Observer, Outcome, Sequence, SiteQueues, ZeroInputs};
use syncline_ir::*;

const BV32: Type = Type::bv(32);
const BYTES: Type = Type::Array { index: 32, elem: Scalar::Bv(8) };

fn bv(width: u32, bits: u128) -> Const {
    Const::bv(width, bits)
}

/// A program under construction, with its entry procedure.
struct Build {
    program: Program,
    main: Procedure,
    none: Origin,
}

impl Build {
    fn new() -> Build {
        let program = Program::new();
        let none = program.no_origin();
        Build { main: Procedure::new("main", none), program, none }
    }

    fn entry(&self) -> Block {
        self.main.entry
    }

    fn block(&mut self) -> Block {
        self.main.add_block(self.none)
    }

    fn origin(&mut self, line: u32) -> Origin {
        self.program.origins.push(OriginData::Source { file: 0, line, column: 1 })
    }

    fn var(&mut self, ty: Type, init: Initial) -> Var {
        self.program.vars.push(VarData { name: "g".into(), ty, init, origin: self.none })
    }

    fn slot(&mut self, ty: Type) -> Slot {
        self.main.slots.push(SlotData { name: "s".into(), ty, origin: self.none })
    }

    fn site(&mut self, ty: Type) -> Site {
        self.program.sites.push(SiteData { name: "input".into(), ty, origin: self.none })
    }

    fn prop(&mut self) -> Prop {
        let (name, description) = ("main.assertion.1".into(), String::new());
        self.program.props.push(PropData { name, kind: PropKind::Assertion, description, origin: self.none })
    }

    fn constant(&mut self, block: Block, width: u32, bits: u128) -> Value {
        self.main.constant(block, bv(width, bits), self.none)
    }

    fn binary(&mut self, block: Block, op: BinOp, a: Value, b: Value) -> Value {
        self.main.binary(block, op, a, b, self.none)
    }

    fn value(&mut self, block: Block, data: InstData, ty: Type) -> Value {
        self.main.append1(block, data, ty, self.none)
    }

    fn effect(&mut self, block: Block, data: InstData) {
        self.main.append(block, data, &[], self.none);
    }

    fn term(&mut self, block: Block, term: Terminator) {
        self.main.set_term(block, term, self.none);
    }

    fn returns(&mut self, block: Block, values: &[Value]) {
        self.main.results = values.iter().map(|&v| self.main.value_type(v)).collect();
        self.term(block, Terminator::Return(values.to_vec()));
    }

    fn finish(mut self) -> Program {
        self.program.entry = Some(self.program.procs.push(self.main));
        self.program
    }

    fn run(self) -> Outcome {
        run(&self.finish(), &mut ZeroInputs, &mut NoObserver, Limits::default())
    }
}

/// Everything an observer is told, as text.
#[derive(Default)]
struct Log(Vec<String>);

impl Observer for Log {
    fn input(&mut self, site: Site, value: &Const, origin: Origin) {
        self.0.push(format!("{origin}: {site} = {value}"));
    }
    fn write(&mut self, proc: Proc, place: Place, index: Option<u128>, value: &Const, origin: Origin) {
        self.0.push(format!("{origin}: {proc} {place:?} {index:?} := {value}"));
    }
    fn enter(&mut self, proc: Proc, origin: Origin) {
        self.0.push(format!("{origin}: enter {proc}"));
    }
    fn leave(&mut self, proc: Proc) {
        self.0.push(format!("leave {proc}"));
    }
    fn print(&mut self, text: &str) {
        self.0.push(text.to_string());
    }
    fn branch(&mut self, proc: Proc, block: Block, target: usize, origin: Origin) {
        self.0.push(format!("{origin}: {proc} {block} -> {target}"));
    }
}

#[test]
fn pure_instructions() {
    let mut b = Build::new();
    let e = b.entry();
    let (x, y) = (b.constant(e, 32, 7), b.constant(e, 32, 5));
    let sum = b.binary(e, BinOp::Add, x, y);
    let narrow = b.main.unary(e, UnOp::Extract { hi: 2, lo: 1 }, sum, b.none);
    let less = b.binary(e, BinOp::Slt, x, y);
    let chosen = b.main.ite(e, less, x, y, b.none);
    let array = b.main.constant(e, Const::zero(BYTES), b.none);
    let cell = b.constant(e, 8, 255);
    let changed = b.value(e, InstData::Update { array, index: x, value: cell }, BYTES);
    let other = b.main.ite(e, less, changed, array, b.none);
    let (in_new, in_old) = (b.binary(e, BinOp::Select, changed, x), b.binary(e, BinOp::Select, other, x));
    b.returns(e, &[sum, narrow, less, chosen, in_new, in_old, changed]);
    let mut expected = ArrayConst::filled(32, bv(8, 0));
    expected.set(7, bv(8, 255));
    let scalars = [bv(32, 12), bv(2, 2), Const::FALSE, bv(32, 5), bv(8, 255), bv(8, 0)];
    let all = scalars.into_iter().chain([Const::Array(expected)]).collect();
    assert_eq!(b.run(), Outcome::Returned(all));
}

#[test]
fn floats_run() {
    let mut b = Build::new();
    let e = b.entry();
    let float = |x: f64| Const::Float { format: FloatFormat::F64, bits: x.to_bits().into() };
    let (x, y) = (b.main.constant(e, float(1.5), b.none), b.main.constant(e, float(-0.25), b.none));
    let product = b.binary(e, BinOp::FMul, x, y);
    // Another NaN than the canonical one.
    let odd = Const::Float { format: FloatFormat::F64, bits: 0xfff0_0000_0000_0001 };
    let nan = b.main.constant(e, odd, b.none);
    let bits = b.main.unary(e, UnOp::ToBits, nan, b.none);
    b.returns(e, &[product, bits]);
    assert_eq!(b.run(), Outcome::Returned(vec![float(-0.375), bv(64, 0x7ff8 << 48)]));
}

#[test]
fn variables_and_slots() {
    let mut b = Build::new();
    let e = b.entry();
    let (scalar, array) = (b.var(BV32, Initial::Const(bv(32, 9))), b.var(BYTES, Initial::Const(Const::zero(BYTES))));
    let (local, local_array, copy) = (b.slot(BV32), b.slot(BYTES), b.slot(BYTES));
    let (i, far) = (b.constant(e, 32, 3), b.constant(e, 32, 0xffff_fff0));
    let cell = b.constant(e, 8, 42);
    let before = b.value(e, InstData::Read { place: Place::Global(scalar) }, BV32);
    let fresh = b.value(e, InstData::Read { place: Place::Local(local) }, BV32);
    b.effect(e, InstData::Write { place: Place::Local(local), value: before });
    b.effect(e, InstData::Write { place: Place::Global(scalar), value: i });
    let (after, kept) = (
        b.value(e, InstData::Read { place: Place::Global(scalar) }, BV32),
        b.value(e, InstData::Read { place: Place::Local(local) }, BV32),
    );
    for place in [Place::Global(array), Place::Local(local_array)] {
        b.effect(e, InstData::Store { place, index: far, value: cell });
    }
    // A copy of the whole array does not see the store that follows.
    let whole = b.value(e, InstData::Read { place: Place::Local(local_array) }, BYTES);
    b.effect(e, InstData::Write { place: Place::Local(copy), value: whole });
    b.effect(e, InstData::Store { place: Place::Local(local_array), index: i, value: cell });
    let stored = b.value(e, InstData::Read { place: Place::Local(local_array) }, BYTES);
    b.effect(e, InstData::Write { place: Place::Global(array), value: stored });
    let cells: Vec<Value> = [(Place::Global(array), i), (Place::Local(copy), i), (Place::Local(copy), far)]
        .map(|(place, index)| b.value(e, InstData::Load { place, index }, Type::bv(8)))
        .to_vec();
    b.returns(e, &[before, fresh, after, kept, cells[0], cells[1], cells[2]]);
    let words = [9, 0, 3, 9].map(|n| bv(32, n));
    let bytes = [42, 0, 42].map(|n| bv(8, n));
    assert_eq!(b.run(), Outcome::Returned(words.into_iter().chain(bytes).collect()));
}

/// Blocks pass values around in a loop: the parameters change places at every turn.
#[test]
fn parameters_are_assigned_at_once() {
    let mut b = Build::new();
    let (e, head, body, exit) = (b.entry(), b.block(), b.block(), b.block());
    let (x, y, n) = (b.main.add_param(head, BV32), b.main.add_param(head, BV32), b.main.add_param(head, BV32));
    let (p, q) = (b.main.add_param(head, BYTES), b.main.add_param(head, BYTES));
    let (one, two, zero) = (b.constant(e, 32, 1), b.constant(e, 32, 2), b.constant(e, 32, 0));
    let first = b.main.constant(e, Const::Array(ArrayConst::filled(32, bv(8, 1))), b.none);
    let second = b.main.constant(e, Const::Array(ArrayConst::filled(32, bv(8, 2))), b.none);
    b.term(e, Terminator::Jump(BlockCall::new(head, vec![one, two, zero, first, second])));
    let limit = b.constant(head, 32, 5);
    let more = b.binary(head, BinOp::Ult, n, limit);
    b.term(head, Terminator::Branch { cond: more, then: body.into(), other: exit.into() });
    let next = b.binary(body, BinOp::Add, n, one);
    b.term(body, Terminator::Jump(BlockCall::new(head, vec![y, x, next, q, p])));
    let (in_p, in_q) = (b.binary(exit, BinOp::Select, p, x), b.binary(exit, BinOp::Select, q, x));
    b.returns(exit, &[x, y, in_p, in_q]);
    assert_eq!(b.run(), Outcome::Returned(vec![bv(32, 2), bv(32, 1), bv(8, 2), bv(8, 1)]));
}

#[test]
fn switch_takes_the_matching_case() {
    for (input, expected) in [(7u128, 1u128), (2, 0), (3, 2), (u32::MAX.into(), 2)] {
        let mut b = Build::new();
        let (e, exit) = (b.entry(), b.block());
        let result = b.main.add_param(exit, BV32);
        let value = b.constant(e, 32, input);
        let targets: Vec<BlockCall> = (0..3)
            .map(|n| {
                let v = b.constant(e, 32, n);
                BlockCall::new(exit, vec![v])
            })
            .collect();
        let cases = vec![(2, targets[0].clone()), (7, targets[1].clone())];
        b.term(e, Terminator::Switch { value, cases: cases.into_iter().rev().collect(), default: targets[2].clone() });
        b.returns(exit, &[result]);
        assert_eq!(b.run(), Outcome::Returned(vec![bv(32, expected)]));
    }
}

#[test]
fn outcomes() {
    let with = |make: &dyn Fn(&mut Build, Block, Value)| {
        let mut b = Build::new();
        let e = b.entry();
        let no = b.main.constant(e, Const::FALSE, b.none);
        make(&mut b, e, no);
        b.run()
    };
    assert_eq!(with(&|_, _, _| {}), Outcome::Stopped);
    let prop = Prop::from_u32(0);
    let assert = |b: &mut Build, e, cond| {
        b.prop();
        b.effect(e, InstData::Assert { prop, cond });
    };
    assert_eq!(with(&assert), Outcome::Violated(prop));
    let assume = |b: &mut Build, e, cond| {
        let origin = b.origin(3);
        b.main.append(e, InstData::Assume { cond }, &[], origin);
    };
    assert_eq!(with(&assume), Outcome::AssumeFailed(Origin::from_u32(1)));
    let obligation = Obligation::from_u32(0);
    let unsupported = |b: &mut Build, e, _| b.effect(e, InstData::Unsupported { obligation });
    assert_eq!(with(&unsupported), Outcome::Unsupported(obligation));
    let passes = |b: &mut Build, e, no| {
        b.prop();
        let yes = b.main.unary(e, UnOp::Not, no, b.none);
        b.effect(e, InstData::Assume { cond: yes });
        b.effect(e, InstData::Assert { prop, cond: yes });
    };
    assert_eq!(with(&passes), Outcome::Stopped);
    let step = |b: &mut Build, e: Block, _| b.term(e, Terminator::Step(e.into()));
    assert!(matches!(with(&step), Outcome::NotRunnable(_)));
}

#[test]
fn programs_it_does_not_run() {
    let library = Program::new();
    let go = |p: &Program| run(p, &mut ZeroInputs, &mut NoObserver, Limits::default());
    assert!(matches!(go(&library), Outcome::NotRunnable(_)));
}

/// `sum(n) = n == 0 ? 0 : n + sum(n - 1)`, with `n` kept in a slot over the call. Also returns an array.
fn summation(program: &mut Program) -> Proc {
    let none = program.no_origin();
    let mut p = Procedure::new("sum", none);
    let own = program.procs.next_key();
    p.results = vec![BV32, BYTES];
    let (entry, stop, more) = (p.entry, p.add_block(none), p.add_block(none));
    let (n, bytes) = (p.add_param(entry, BV32), p.add_param(entry, BYTES));
    let slot = p.slots.push(SlotData { name: "n".into(), ty: BV32, origin: none });
    p.append(entry, InstData::Write { place: Place::Local(slot), value: n }, &[], none);
    let zero = p.constant(entry, bv(32, 0), none);
    let done = p.binary(entry, BinOp::Eq, n, zero, none);
    p.set_term(entry, Terminator::Branch { cond: done, then: stop.into(), other: more.into() }, none);
    p.set_term(stop, Terminator::Return(vec![zero, bytes]), none);
    let one = p.constant(more, bv(32, 1), none);
    let less = p.binary(more, BinOp::Sub, n, one, none);
    let call = p.append(more, InstData::Call { callee: own, args: vec![less, bytes] }, &[BV32, BYTES], none);
    let (rest, array) = (p.insts[call].results[0], p.insts[call].results[1]);
    let n = p.append1(more, InstData::Read { place: Place::Local(slot) }, BV32, none);
    let sum = p.binary(more, BinOp::Add, rest, n, none);
    let byte = p.constant(more, bv(8, 1), none);
    let array = p.append1(more, InstData::Update { array, index: n, value: byte }, BYTES, none);
    p.set_term(more, Terminator::Return(vec![sum, array]), none);
    program.procs.push(p)
}

fn calls_summation(n: u128) -> Program {
    let mut b = Build::new();
    let callee = summation(&mut b.program);
    let e = b.entry();
    let n = b.constant(e, 32, n);
    let array = b.main.constant(e, Const::zero(BYTES), b.none);
    let call = b.main.append(e, InstData::Call { callee, args: vec![n, array] }, &[BV32, BYTES], b.none);
    let results = b.main.insts[call].results.to_vec();
    b.returns(e, &results);
    b.finish()
}

#[test]
fn deep_recursion() {
    let program = calls_summation(50_000);
    let outcome = run(&program, &mut ZeroInputs, &mut NoObserver, Limits::default());
    let Outcome::Returned(results) = outcome else { panic!("{outcome:?}") };
    assert_eq!(results[0], bv(32, 50_000 * 50_001 / 2));
    let array = results[1].as_array().unwrap();
    assert_eq!(array.cell_count(), 50_000);
    assert_eq!((array.get(0), array.get(1), array.get(50_000)), (&bv(8, 0), &bv(8, 1), &bv(8, 1)));

    let shallow =
        |depth| run(&calls_summation(8), &mut ZeroInputs, &mut NoObserver, Limits { depth, ..Limits::default() });
    assert_eq!(shallow(9), Outcome::StackOverflow);
    assert!(matches!(shallow(10), Outcome::Returned(_)));
    let endless = calls_summation(200_000);
    assert_eq!(run(&endless, &mut ZeroInputs, &mut NoObserver, Limits::default()), Outcome::StackOverflow);
}

/// A slot of an earlier activation does not shine through into a later one.
#[test]
fn slots_are_fresh_in_each_activation() {
    let mut b = Build::new();
    let (none, e) = (b.none, b.entry());
    let mut p = Procedure::new("twice", none);
    p.results = vec![BV32, Type::bv(8)];
    let slot = p.slots.push(SlotData { name: "n".into(), ty: BV32, origin: none });
    let array = p.slots.push(SlotData { name: "a".into(), ty: BYTES, origin: none });
    let entry = p.entry;
    let old = p.append1(entry, InstData::Read { place: Place::Local(slot) }, BV32, none);
    let cell = p.append1(entry, InstData::Load { place: Place::Local(array), index: old }, Type::bv(8), none);
    let (seven, byte) = (p.constant(entry, bv(32, 7), none), p.constant(entry, bv(8, 7), none));
    p.append(entry, InstData::Write { place: Place::Local(slot), value: seven }, &[], none);
    p.append(entry, InstData::Store { place: Place::Local(array), index: old, value: byte }, &[], none);
    p.set_term(entry, Terminator::Return(vec![old, cell]), none);
    let callee = b.program.procs.push(p);
    let mut results = Vec::new();
    for _ in 0..2 {
        let call = b.main.append(e, InstData::Call { callee, args: vec![] }, &[BV32, Type::bv(8)], none);
        results.extend_from_slice(&b.main.insts[call].results);
    }
    b.returns(e, &results);
    assert_eq!(b.run(), Outcome::Returned(vec![bv(32, 0), bv(8, 0), bv(32, 0), bv(8, 0)]));
}

fn endless() -> Program {
    let mut b = Build::new();
    let e = b.entry();
    let head = b.block();
    b.term(e, Terminator::Jump(head.into()));
    b.term(head, Terminator::Jump(head.into()));
    b.finish()
}

#[test]
fn fuel_and_deadline_end_a_loop() {
    let limits = Limits { fuel: 1_000_000, ..Limits::default() };
    assert_eq!(run(&endless(), &mut ZeroInputs, &mut NoObserver, limits), Outcome::OutOfFuel);
    let deadline = Some(Instant::now() + Duration::from_millis(50));
    let limits = Limits { deadline, ..Limits::default() };
    assert_eq!(run(&endless(), &mut ZeroInputs, &mut NoObserver, limits), Outcome::OutOfFuel);
}

#[test]
fn fuel_counts_instructions_and_terminators() {
    let go = |fuel| {
        let mut b = Build::new();
        let e = b.entry();
        let v = b.constant(e, 32, 1);
        b.returns(e, &[v]);
        run(&b.finish(), &mut ZeroInputs, &mut NoObserver, Limits { fuel, ..Limits::default() })
    };
    assert_eq!(go(1), Outcome::OutOfFuel);
    assert_eq!(go(2), Outcome::Returned(vec![bv(32, 1)]));
}

/// Two sites, the first twice, a variable of any value and an array.
fn asks() -> (Program, Vec<Site>) {
    let mut b = Build::new();
    let e = b.entry();
    let sites: Vec<Site> = [Type::bv(8), Type::BOOL, BYTES, BV32].map(|ty| b.site(ty)).to_vec();
    let var = b.var(BV32, Initial::Any(sites[3]));
    let first = b.value(e, InstData::Havoc { site: sites[0] }, Type::bv(8));
    let second = b.value(e, InstData::Havoc { site: sites[1] }, Type::BOOL);
    let third = b.value(e, InstData::Havoc { site: sites[0] }, Type::bv(8));
    let array = b.value(e, InstData::Havoc { site: sites[2] }, BYTES);
    let global = b.value(e, InstData::Read { place: Place::Global(var) }, BV32);
    let cell = b.binary(e, BinOp::Select, array, global);
    b.returns(e, &[global, first, second, third, cell]);
    (b.finish(), sites)
}

#[test]
fn inputs() {
    let (program, sites) = asks();
    let go = |inputs: &mut dyn Inputs| run(&program, inputs, &mut NoObserver, Limits::default());
    let returned = |global, first, second, third, cell| {
        let bytes = |n| bv(8, n);
        let values = vec![bv(32, global), bytes(first), Const::Bool(second), bytes(third), bytes(cell)];
        Outcome::Returned(values)
    };
    assert_eq!(go(&mut ZeroInputs), returned(0, 0, false, 0, 0));
    let numbers = [1 << 31, 0x1ff, 2, 4].into_iter().collect();
    assert_eq!(go(&mut Sequence(numbers)), returned(1 << 31, 0xff, true, 4, 0));
    let mut queues = SiteQueues::default();
    for n in [5, 6, 7] {
        queues.push(sites[0], bv(8, n));
    }
    let mut array = ArrayConst::filled(32, bv(8, 1));
    array.set(77, bv(8, 2));
    queues.push(sites[2], Const::Array(array));
    queues.push(sites[3], bv(32, 77));
    assert_eq!(go(&mut queues), returned(77, 5, false, 6, 2));
    // An answer of the wrong type is zero.
    queues.push(sites[3], bv(8, 77));
    assert_eq!(go(&mut queues), returned(0, 7, false, 0, 0));
}

#[test]
fn the_observer_sees_the_run() {
    let mut b = Build::new();
    let (e, next) = (b.entry(), b.block());
    let lines: Vec<Origin> = (1..=8).map(|n| b.origin(n)).collect();
    let global = b.var(BYTES, Initial::Const(Const::zero(BYTES)));
    let (slot, site) = (b.slot(BV32), b.site(BV32));
    let mut p = Procedure::new("nothing", lines[7]);
    p.set_term(p.entry, Terminator::Return(vec![]), lines[7]);
    let callee = b.program.procs.push(p);
    let x = b.main.append1(e, InstData::Havoc { site }, BV32, lines[0]);
    b.main.append(e, InstData::Write { place: Place::Local(slot), value: x }, &[], lines[1]);
    let byte = b.constant(e, 8, 255);
    b.main.append(e, InstData::Store { place: Place::Global(global), index: x, value: byte }, &[], lines[2]);
    let whole = b.value(e, InstData::Read { place: Place::Global(global) }, BYTES);
    b.main.append(e, InstData::Write { place: Place::Global(global), value: whole }, &[], lines[3]);
    b.main.append(e, InstData::Call { callee, args: vec![] }, &[], lines[4]);
    b.effect(e, InstData::Print { format: "x = %d, %%\n".into(), args: vec![x] });
    let no = b.main.constant(e, Const::FALSE, b.none);
    b.main.set_term(e, Terminator::Branch { cond: no, then: e.into(), other: next.into() }, lines[5]);
    let cases = vec![(1, e.into()), (9, b.main.entry.into())];
    b.main.set_term(next, Terminator::Switch { value: x, cases, default: next.into() }, lines[6]);
    let mut log = Log::default();
    let limits = Limits { fuel: 12, ..Limits::default() };
    run(&b.finish(), &mut Sequence([5].into()), &mut log, limits);
    let expected = [
        "loc0: enter proc1",
        "loc1: in0 = bv32 5",
        "loc2: proc1 Local(slot0) None := bv32 5",
        "loc3: proc1 Global(var0) Some(5) := bv8 255",
        "loc4: proc1 Global(var0) None := [bv32]bv8 {0; 5: 255}",
        "loc5: enter proc0",
        "leave proc0",
        "x = 5, %\n",
        "loc6: proc1 block0 -> 1",
        "loc7: proc1 block1 -> 2",
    ];
    assert_eq!(log.0, expected);
}

/// Updates after SSA share what they do not change, and an array of the past keeps its cells.
#[test]
fn a_loop_of_updates() {
    let mut b = Build::new();
    let (e, head, body, exit) = (b.entry(), b.block(), b.block(), b.block());
    let (n, array) = (b.main.add_param(head, BV32), b.main.add_param(head, BYTES));
    let zero = b.constant(e, 32, 0);
    let empty = b.main.constant(e, Const::zero(BYTES), b.none);
    b.term(e, Terminator::Jump(BlockCall::new(head, vec![zero, empty])));
    let limit = b.constant(head, 32, 100_000);
    let more = b.binary(head, BinOp::Ult, n, limit);
    b.term(head, Terminator::Branch { cond: more, then: body.into(), other: exit.into() });
    let one = b.constant(body, 32, 1);
    let byte = b.main.unary(body, UnOp::Extract { hi: 7, lo: 0 }, n, b.none);
    let once = b.value(body, InstData::Update { array, index: n, value: byte }, BYTES);
    let twice = b.value(body, InstData::Update { array: once, index: zero, value: byte }, BYTES);
    let next = b.binary(body, BinOp::Add, n, one);
    b.term(body, Terminator::Jump(BlockCall::new(head, vec![next, twice])));
    let at = b.constant(exit, 32, 99_999);
    let results = [(array, at), (array, zero), (empty, at)].map(|(a, i)| b.binary(exit, BinOp::Select, a, i));
    b.returns(exit, &results);
    let last = 99_999 % 256;
    assert_eq!(b.run(), Outcome::Returned(vec![bv(8, last), bv(8, last), bv(8, 0)]));
}

/// Registers are shared within a block: random values over a chain of blocks against plain evaluation.
#[test]
fn values_keep_apart() {
    let mut seed = 0x2545_f491_4f6c_dd1du64;
    let mut random = move |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 20) as usize % below
    };
    let ops = [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::BvXor, BinOp::URem, BinOp::SDiv, BinOp::Shl];
    for _ in 0..300 {
        let mut b = Build::new();
        let mut block = b.entry();
        let slot = b.slot(BV32);
        let mut in_slot = bv(32, 0);
        let mut known: Vec<(Value, Const)> = Vec::new();
        for n in 0..60 {
            let pick =
                |random: &mut dyn FnMut(usize) -> usize| known[known.len() - 1 - random(known.len().min(12))].clone();
            let new = match random(9) {
                0 | 1 if n > 0 => {
                    let (v, value) = pick(&mut random);
                    b.effect(block, InstData::Write { place: Place::Local(slot), value: v });
                    in_slot = value;
                    (b.value(block, InstData::Read { place: Place::Local(slot) }, BV32), in_slot.clone())
                }
                2 if n > 0 => {
                    let (v, value) = pick(&mut random);
                    let next = b.block();
                    let param = b.main.add_param(next, BV32);
                    b.term(block, Terminator::Jump(BlockCall::new(next, vec![v])));
                    block = next;
                    (param, value)
                }
                3..=7 if n > 0 => {
                    let ((x, a), (y, c)) = (pick(&mut random), pick(&mut random));
                    let op = ops[random(ops.len())];
                    (b.binary(block, op, x, y), eval::binary(op, &a, &c))
                }
                _ => (b.constant(block, 32, n * 77 + 1), bv(32, n * 77 + 1)),
            };
            known.push(new);
        }
        let last = b.value(block, InstData::Read { place: Place::Local(slot) }, BV32);
        known.push((last, in_slot));
        let returned: Vec<_> =
            (0..10).map(|_| known[random(known.len())].clone()).chain(known.last().cloned()).collect();
        b.returns(block, &returned.iter().map(|(v, _)| *v).collect::<Vec<_>>());
        assert_eq!(b.run(), Outcome::Returned(returned.into_iter().map(|(_, c)| c).collect()));
    }
}
