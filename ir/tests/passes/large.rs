//! Large programs: nothing recurses as deeply as they nest, and time stays near their size. The limits are wide, since
//! the suite runs unoptimised on whatever machine there is.

use std::time::{Duration, Instant};
use syncline_ir::passes;
use syncline_ir::*;

const BYTE: Type = Type::bv(8);

fn program_of(procs: Vec<Procedure>) -> Program {
    let mut program = Program::new();
    let origin = program.no_origin();
    program.props.push(PropData {
        name: "main.assertion.0".into(),
        kind: PropKind::Assertion,
        description: String::new(),
        origin,
    });
    program.sites.push(SiteData { name: "x".into(), ty: BYTE, origin });
    program.procs = procs.into_iter().collect();
    program.entry = program.procs.keys().next();
    program
}

fn within(limit: Duration, what: &str, f: impl FnOnce()) {
    let start = Instant::now();
    f();
    let time = start.elapsed();
    eprintln!("{what}: {time:?}");
    assert!(time < limit, "{what} took {time:?}");
}

fn havoc(proc: &mut Procedure, block: Block, ty: Type) -> Value {
    proc.append1(block, InstData::Havoc { site: Site::from_u32(0) }, ty, Origin::from_u32(0))
}

fn add_slots(proc: &mut Procedure, count: usize) -> Vec<Slot> {
    let origin = Origin::from_u32(0);
    (0..count).map(|n| proc.slots.push(SlotData { name: format!("s{n}"), ty: BYTE, origin })).collect()
}

/// A bit of an unknown value.
fn condition(proc: &mut Procedure, block: Block) -> Value {
    let byte = havoc(proc, block, BYTE);
    let zero = proc.constant(block, Const::bv(8, 0), Origin::from_u32(0));
    proc.binary(block, BinOp::Eq, byte, zero, Origin::from_u32(0))
}

/// A state machine: a loop of `arms` diamonds, each of which writes one slot, with an early exit.
fn state_machine(arms: usize, slots: usize) -> Procedure {
    let origin = Origin::from_u32(0);
    let mut proc = Procedure::new("main", origin);
    let slots = add_slots(&mut proc, slots);
    let head = proc.add_block(origin);
    let done = proc.add_block(origin);
    proc.set_term(proc.entry, Terminator::Jump(head.into()), origin);
    let mut at = head;
    for n in 0..arms {
        let (slot, other) = (slots[n * 7 % slots.len()], slots[n % slots.len()]);
        let (then, join) = (proc.add_block(origin), proc.add_block(origin));
        let cond = condition(&mut proc, at);
        proc.set_term(at, Terminator::Branch { cond, then: then.into(), other: join.into() }, origin);
        let value = proc.append1(then, InstData::Read { place: Place::Local(other) }, BYTE, origin);
        proc.append(then, InstData::Write { place: Place::Local(slot), value }, &[], origin);
        let leave = condition(&mut proc, then);
        proc.set_term(then, Terminator::Branch { cond: leave, then: done.into(), other: join.into() }, origin);
        at = join;
    }
    proc.set_term(at, Terminator::Jump(head.into()), origin);
    for &slot in &slots {
        let value = proc.append1(done, InstData::Read { place: Place::Local(slot) }, BYTE, origin);
        let zero = proc.constant(done, Const::bv(8, 0), origin);
        let cond = proc.binary(done, BinOp::Eq, value, zero, origin);
        proc.append(done, InstData::Assert { prop: Prop::from_u32(0), cond }, &[], origin);
    }
    proc
}

#[test]
fn many_blocks_and_slots() {
    let mut program = program_of(vec![state_machine(33_000, 300)]);
    for name in ["slice", "lift-globals", "ssa", "constprop", "dce", "simplify-cfg", "close-loops"] {
        within(Duration::from_secs(30), name, || passes::run_by_name(&mut program, name).unwrap());
    }
}

/// Loops in loops; the innermost counts in a slot per level.
fn nest(depth: usize) -> Procedure {
    let origin = Origin::from_u32(0);
    let mut proc = Procedure::new("main", origin);
    let slots = add_slots(&mut proc, 20);
    let mut at = proc.entry;
    let mut exit = proc.add_block(origin);
    for n in 0..depth {
        let (head, latch) = (proc.add_block(origin), proc.add_block(origin));
        proc.set_term(at, Terminator::Jump(head.into()), origin);
        let value = havoc(&mut proc, head, BYTE);
        proc.append(head, InstData::Write { place: Place::Local(slots[n % slots.len()]), value }, &[], origin);
        let cond = condition(&mut proc, latch);
        proc.set_term(latch, Terminator::Branch { cond, then: head.into(), other: exit.into() }, origin);
        (at, exit) = (head, latch);
    }
    proc.set_term(at, Terminator::Jump(exit.into()), origin);
    let done = proc.layout[1];
    for &slot in &slots {
        let value = proc.append1(done, InstData::Read { place: Place::Local(slot) }, BYTE, origin);
        let cond = proc.binary(done, BinOp::Eq, value, value, origin);
        proc.append(done, InstData::Assert { prop: Prop::from_u32(0), cond }, &[], origin);
    }
    proc
}

#[test]
fn deep_nests() {
    let mut program = program_of(vec![nest(1_500)]);
    within(Duration::from_secs(30), "deep nest", || {
        passes::ssa(&mut program);
        passes::close_loops(&mut program);
        passes::check_loop_closed(&program.procs[program.entry.unwrap()]).unwrap();
    });
}

#[test]
fn long_call_chains() {
    let origin = Origin::from_u32(0);
    let length = 20_000;
    let make = |n: u32| {
        let mut proc = Procedure::new(format!("p{n}"), origin);
        let entry = proc.entry;
        let place = Place::Global(Var::from_u32(n % 5));
        let value = havoc(&mut proc, entry, BYTE);
        proc.append(entry, InstData::Write { place, value }, &[], origin);
        if n + 1 < length {
            proc.append(entry, InstData::Call { callee: Proc::from_u32(n + 1), args: vec![] }, &[], origin);
        }
        let cond = condition(&mut proc, entry);
        proc.append(entry, InstData::Assert { prop: Prop::from_u32(0), cond }, &[], origin);
        proc.set_term(entry, Terminator::Return(vec![]), origin);
        proc
    };
    let mut program = program_of((0..length).map(make).collect());
    for n in 0..5 {
        let init = Initial::Const(Const::bv(8, n));
        program.vars.push(VarData { name: format!("g{n}"), ty: BYTE, init, origin });
    }
    within(Duration::from_secs(30), "long call chain", || passes::prepare(&mut program, &[Prop::from_u32(0)]));
}
