//! Every rule of the verifier has a program that breaks it: as text where the reader lets it through, otherwise a
//! good program with one thing changed.

use std::time::{Duration, Instant};
use syncline_ir::verify::{verify, Rule, Violation};
use syncline_ir::*;

/// A well-formed program to break.
const GOOD: &str = r#"
file0 = "a.c"
loc1 = file0:1:1
in0 = site "x": bv32
var @x: bv32 = bv32 1
var @y: bv32 = any in0
var @a: [bv8]bv16 = [bv8]bv16 {0; 3: 4}
prop0 = assertion "p" ""
prop1 = assertion "q" ""
obligation0 = "asm"
system synchronous { process "a" = main process "b" = idle parent 0 shared @x next }
entry main
proc main {
    slot0 = slot "s": bv8
block0:
    v0: bv32 = havoc in0
    v1: bv32 = read @x
    v2: bool = eq v0, v1
    assert prop0, v2 !loc1
    branch v2, block1(v0), block2
block1(v3: bv32):
    step block2
block2:
    return
}
proc idle {
block0:
    return
}
"#;

fn parsed(text: &str) -> Program {
    read::program(text).unwrap_or_else(|e| panic!("{e} in:\n{text}"))
}

fn violations(program: &Program) -> Vec<Violation> {
    verify(program).err().unwrap_or_default()
}

/// Texts that read but break the rule: declarations, then the body of a procedure.
const BROKEN: &[(Rule, &str)] = &[
    (Rule::Origin, "loc0 = element \"x\""),
    (Rule::Initial, "var @x: bv8 = bv16 1"),
    (Rule::Initial, "in0 = site \"i\": bv8 var @x: bv16 = any in0"),
    (Rule::Name, "prop0 = reach \"p\" \"\" prop1 = reach \"p\" \"\""),
    (Rule::System, "system synchronous { process \"a\" = f } proc f { block0(v0: bv8): stop }"),
    (Rule::System, "system synchronous { environment f } proc f { block0(v0: bv8): stop }"),
    (Rule::System, "system synchronous { process \"a\" = f parent 1 } proc f { block0: stop }"),
    (Rule::System, "system synchronous { process \"a\" = f parent 0 } proc f { block0: stop }"),
    (
        Rule::System,
        "system synchronous { process \"a\" = f parent 1 process \"b\" = f parent 0 } proc f { block0: stop }",
    ),
    (Rule::System, "var @x: bool = true system synchronous { shared @x next shared @x next }"),
    (Rule::Step, "proc f { block0: step block1 block1: stop }"),
    (
        Rule::Step,
        "system synchronous { process \"a\" = g } proc f { block0: step block1 block1: stop } proc g { block0: stop }",
    ),
    (Rule::EntryBlock, "proc f { block0: jump block0 }"),
    (Rule::EntryBlock, "proc f { block0: stop block1: jump block0 }"),
    (Rule::Dominance, "proc f { block0: v1: bool = not v0 v0 = const true stop }"),
    (Rule::Dominance, "proc f { block0: v1: bool = not v1 stop }"),
    (
        Rule::Dominance,
        "proc f { block0: jump block1 block1: v1: bool = not v0 stop block2: v0 = const true jump block1 }",
    ),
    (
        Rule::Dominance,
        "proc f { block0(v9: bool): branch v9, block1, block2 block1: v0 = const true jump block3 block2: jump block3 \
         block3: branch v0, block4, block4 block4: stop }",
    ),
    (Rule::BlockArgs, "proc f { block0: jump block1 block1(v0: bv8): stop }"),
    (Rule::BlockArgs, "proc f { block0(v1: bool): jump block1(v1) block1(v0: bv8): stop }"),
    (Rule::BlockArgs, "proc f { block0(v1: bool): jump block1(v1) block1: stop }"),
    (Rule::Result, "proc f { block0: v0: bv8 = const true stop }"),
    (Rule::Result, "proc f { block0: const true stop }"),
    (Rule::Result, "proc f { block0(v0: bool): v1: bv8 = not v0 stop }"),
    (Rule::Result, "proc f { block0(v0: bool): v1: bv8 = eq v0, v0 stop }"),
    (Rule::Result, "proc f { block0(v0: bool): v1: bv8 = ite v0, v0, v0 stop }"),
    (Rule::Result, "proc f { block0(v0: bool): v1: bool = assume v0 stop }"),
    (Rule::Result, "proc f { block0: v1: bool = print \"\" stop }"),
    (Rule::Result, "in0 = site \"i\": bv8 proc f { block0: v0: bv16 = havoc in0 stop }"),
    (Rule::Result, "var @x: bv8 = bv8 0 proc f { block0: v0: bv16 = read @x stop }"),
    (Rule::Result, "var @x: [bv8]bool = [bv8]bool {true} proc f { block0(v0: bv8): v1: bv8 = load @x[v0] stop }"),
    (Rule::Result, "proc g -> bool { block0: stop } proc f { block0: v1: bv8 = call g() stop }"),
    (Rule::Result, "proc g -> bool { block0: stop } proc f { block0: call g() stop }"),
    (Rule::Operand, "proc f { block0(v0: bv8): v1: bool = not v0 stop }"),
    (Rule::Operand, "proc f { block0(v0: bv8, v1: bv9): v2: bv8 = add v0, v1 stop }"),
    (Rule::Operand, "proc f { block0(v0: bv128): v2: bv128 = concat v0, v0 stop }"),
    (Rule::Operand, "proc f { block0(v0: bv8): v2: bv4 = zext.4 v0 stop }"),
    (Rule::Operand, "proc f { block0(v0: bv8): v2: bv4 = extract.8.5 v0 stop }"),
    (Rule::Operand, "proc f { block0(v0: f32): v2: bv8 = ftos.129 v0 stop }"),
    (Rule::Operand, "proc f { block0(v0: [bv8]bool): v1: bool = eq v0, v0 stop }"),
    (Rule::Operand, "proc f { block0(v0: [bv8]bool, v1: bv9): v2: bool = select v0, v1 stop }"),
    (Rule::Operand, "proc f { block0(v0: bool, v1: bv8): v2: bool = ite v0, v0, v1 stop }"),
    (Rule::Operand, "proc f { block0(v0: [bv8]bool, v1: bv8): v2: [bv8]bool = update v0, v1, v1 stop }"),
    (Rule::Operand, "proc f { block0(v0: [bv8]bool, v1: bool): v2: [bv8]bool = update v0, v1, v1 stop }"),
    (Rule::Operand, "proc f { block0(v0: bool): v2: bool = update v0, v0, v0 stop }"),
    (Rule::Operand, "proc f { block0: stop block1(v0: bv8): v1: bool = not v0 stop }"),
    (Rule::Condition, "proc f { block0(v0: bv8): v2: bv8 = ite v0, v0, v0 stop }"),
    (Rule::Condition, "proc f { block0(v0: bv8): assume v0 stop }"),
    (Rule::Condition, "prop0 = reach \"p\" \"\" proc f { block0(v0: bv8): assert prop0, v0 stop }"),
    (Rule::Condition, "proc f { block0(v0: bv8): branch v0, block1, block1 block1: stop }"),
    (Rule::Place, "var @x: bv8 = bv8 0 proc f { block0(v0: bool): write @x, v0 stop }"),
    (Rule::Place, "proc f { slot0 = slot \"s\": bv8 block0(v0: bv8): v1: bv8 = load slot0[v0] stop }"),
    (Rule::Place, "proc f { slot0 = slot \"s\": bv8 block0(v0: bv8): store slot0[v0], v0 stop }"),
    (Rule::Place, "proc f { slot0 = slot \"s\": [bv8]bool block0(v0: bool): v1: bool = load slot0[v0] stop }"),
    (Rule::Place, "proc f { slot0 = slot \"s\": [bv8]bool block0(v0: bv8): store slot0[v0], v0 stop }"),
    (Rule::Call, "proc g { block0(v0: bool): stop } proc f { block0: call g() stop }"),
    (Rule::Call, "proc g { block0(v0: bool): stop } proc f { block0(v0: bv8): call g(v0) stop }"),
    (Rule::Switch, "proc f { block0(v0: bool): switch v0 { default: block1 } block1: stop }"),
    (Rule::Switch, "proc f { block0(v0: bv8): switch v0 { 256: block1, default: block1 } block1: stop }"),
    (Rule::Switch, "proc f { block0(v0: bv8): switch v0 { 1: block1, 1: block1, default: block1 } block1: stop }"),
    (Rule::Return, "proc f -> bool { block0: return }"),
    (Rule::Return, "proc f -> bool { block0(v0: bv8): return v0 }"),
    (Rule::Return, "proc f { block0(v0: bv8): return v0 }"),
];

type Change = fn(&mut Program);

fn main_of(program: &mut Program) -> &mut Procedure {
    &mut program.procs[Proc::from_u32(0)]
}

fn var_of(program: &mut Program, var: u32) -> &mut VarData {
    &mut program.vars[Var::from_u32(var)]
}

fn inst_of(program: &mut Program, inst: u32) -> &mut InstNode {
    &mut main_of(program).insts[Inst::from_u32(inst)]
}

fn block_of(program: &mut Program, block: u32) -> &mut BlockData {
    &mut main_of(program).blocks[Block::from_u32(block)]
}

fn constant_of(program: &mut Program, value: Const) {
    let none = program.no_origin();
    let procedure = main_of(program);
    procedure.constant(procedure.entry, value, none);
}

fn array(index: u32, elem: Scalar, change: impl Fn(&mut ArrayConst)) -> Const {
    let mut array = ArrayConst::filled(8, Const::bv(8, 0));
    (array.index, array.elem) = (index, elem);
    change(&mut array);
    Const::Array(array)
}

/// Changes to [`GOOD`] no text can make.
const CHANGES: &[(Rule, Change)] = &[
    (Rule::Origin, |p| p.origins.clear()),
    (Rule::Origin, |p| p.files.clear()),
    (Rule::Origin, |p| var_of(p, 0).origin = Origin::from_u32(9)),
    (Rule::Origin, |p| p.sites[Site::from_u32(0)].origin = Origin::from_u32(9)),
    (Rule::Origin, |p| p.props[Prop::from_u32(0)].origin = Origin::from_u32(9)),
    (Rule::Origin, |p| p.obligations[Obligation::from_u32(0)].origin = Origin::from_u32(9)),
    (Rule::Origin, |p| p.assumptions.push((Origin::from_u32(9), String::new()))),
    (Rule::Origin, |p| main_of(p).origin = Origin::from_u32(9)),
    (Rule::Origin, |p| main_of(p).slots[Slot::from_u32(0)].origin = Origin::from_u32(9)),
    (Rule::Origin, |p| inst_of(p, 0).origin = Origin::from_u32(9)),
    (Rule::Origin, |p| block_of(p, 0).term_origin = Origin::from_u32(9)),
    (Rule::Type, |p| p.sites[Site::from_u32(0)].ty = Type::bv(0)),
    (Rule::Type, |p| var_of(p, 0).ty = Type::bv(129)),
    (Rule::Type, |p| var_of(p, 0).ty = Type::Array { index: 129, elem: Scalar::Bool }),
    (Rule::Type, |p| var_of(p, 0).ty = Type::Array { index: 1, elem: Scalar::Bv(0) }),
    (Rule::Type, |p| main_of(p).slots[Slot::from_u32(0)].ty = Type::bv(0)),
    (Rule::Type, |p| main_of(p).results.push(Type::bv(0))),
    (Rule::Type, |p| main_of(p).values[Value::from_u32(0)].ty = Type::bv(u32::MAX)),
    (Rule::Type, |p| main_of(p).values[Value::from_u32(3)].ty = Type::bv(0)),
    (Rule::Constant, |p| var_of(p, 0).init = Initial::Const(Const::Bv { width: 8, bits: 256 })),
    (Rule::Constant, |p| constant_of(p, Const::Bv { width: 0, bits: 0 })),
    (Rule::Constant, |p| constant_of(p, Const::Bv { width: 8, bits: 256 })),
    (Rule::Constant, |p| constant_of(p, Const::Float { format: FloatFormat::F32, bits: 1 << 32 })),
    (Rule::Constant, |p| constant_of(p, array(200, Scalar::Bv(8), |_| {}))),
    (Rule::Constant, |p| constant_of(p, array(8, Scalar::Bool, |_| {}))),
    (Rule::Constant, |p| constant_of(p, array(8, Scalar::Bv(8), |a| a.set(256, Const::bv(8, 1))))),
    (Rule::Constant, |p| constant_of(p, array(8, Scalar::Bv(8), |a| a.set(1, Const::bv(9, 1))))),
    (Rule::Constant, |p| constant_of(p, array(8, Scalar::Bv(8), |a| a.set(1, Const::Bv { width: 8, bits: 999 })))),
    (Rule::Constant, |p| constant_of(p, array(8, Scalar::Bv(8), |a| a.set(1, array(8, Scalar::Bv(8), |_| {}))))),
    (Rule::Name, |p| var_of(p, 0).name = "y".to_string()),
    (Rule::Name, |p| main_of(p).name = "idle".to_string()),
    (Rule::Name, |p| p.props[Prop::from_u32(0)].name = "q".to_string()),
    (Rule::Initial, |p| var_of(p, 0).init = Initial::Any(Site::from_u32(9))),
    (Rule::Entry, |p| p.entry = Some(Proc::from_u32(9))),
    (Rule::System, |p| p.system.iter_mut().for_each(|s| s.processes[0].body = Proc::from_u32(9))),
    (Rule::System, |p| p.system.iter_mut().for_each(|s| s.environment = Some(Proc::from_u32(9)))),
    (Rule::System, |p| p.system.iter_mut().for_each(|s| s.shared[0].var = Var::from_u32(9))),
    (Rule::Step, |p| p.system = None),
    (Rule::Layout, |p| main_of(p).layout.push(Block::from_u32(9))),
    (Rule::Layout, |p| main_of(p).layout.push(Block::from_u32(0))),
    (Rule::Layout, |p| main_of(p).layout.clear()),
    (Rule::Layout, |p| main_of(p).entry = Block::from_u32(9)),
    (Rule::Target, |p| main_of(p).layout.truncate(2)),
    (Rule::Target, |p| block_of(p, 1).term = Terminator::Jump(Block::from_u32(9).into())),
    (Rule::Inst, |p| block_of(p, 0).insts.push(Inst::from_u32(9))),
    (Rule::Inst, |p| block_of(p, 0).insts.push(Inst::from_u32(0))),
    (Rule::Inst, |p| block_of(p, 1).insts.push(Inst::from_u32(0))),
    (Rule::Definition, |p| inst_of(p, 0).results[0] = Value::from_u32(9)),
    (Rule::Definition, |p| inst_of(p, 0).results[0] = Value::from_u32(1)),
    (Rule::Definition, |p| block_of(p, 1).params[0] = Value::from_u32(9)),
    (Rule::Definition, |p| block_of(p, 1).params.push(Value::from_u32(3))),
    (Rule::Definition, |p| main_of(p).values[Value::from_u32(0)].def = ValueDef::Result(Inst::from_u32(1), 0)),
    (Rule::Definition, |p| main_of(p).values[Value::from_u32(3)].def = ValueDef::Param(Block::from_u32(2), 0)),
    (Rule::Use, |p| block_of(p, 2).term = Terminator::Return(vec![Value::from_u32(9)])),
    (Rule::Use, |p| block_of(p, 0).insts.retain(|i| i.as_u32() != 0)),
    (Rule::Reference, |p| inst_of(p, 0).data = InstData::Havoc { site: Site::from_u32(9) }),
    (Rule::Reference, |p| inst_of(p, 1).data = InstData::Read { place: Place::Global(Var::from_u32(9)) }),
    (Rule::Reference, |p| inst_of(p, 1).data = InstData::Read { place: Place::Local(Slot::from_u32(9)) }),
    (Rule::Reference, |p| p.props.clear()),
    (Rule::Reference, |p| inst_of(p, 3).data = InstData::Unsupported { obligation: Obligation::from_u32(9) }),
    (Rule::Reference, |p| inst_of(p, 3).data = InstData::Call { callee: Proc::from_u32(9), args: Vec::new() }),
];

#[test]
fn every_rule_has_a_failing_program() {
    assert_eq!(violations(&parsed(GOOD)), []);
    let mut seen: Vec<Rule> = Vec::new();
    for (rule, text) in BROKEN {
        let found = violations(&parsed(text));
        assert!(found.iter().all(|v| v.rule == *rule) && !found.is_empty(), "{rule:?}: {found:?} in\n{text}");
        seen.push(*rule);
    }
    for (n, (rule, change)) in CHANGES.iter().enumerate() {
        let mut program = parsed(GOOD);
        change(&mut program);
        let found = violations(&program);
        assert!(found.iter().any(|v| v.rule == *rule), "change {n}, {rule:?}: {found:?}");
        // The dump of a broken program is wanted most, and messages are made from it.
        write::program(&program);
        seen.push(*rule);
    }
    let missing: Vec<&Rule> = Rule::ALL.iter().filter(|rule| !seen.contains(rule)).collect();
    assert!(missing.is_empty(), "no failing program for {missing:?}");
}

#[test]
fn the_header_lists_every_rule() {
    let header = include_str!("../src/verify.rs").split("mod body;").next().expect("the header");
    for rule in Rule::ALL {
        assert!(header.contains(&format!("//! - `{}`:", rule.name())), "{rule:?} is not in the header");
    }
    assert_eq!(header.lines().filter(|l| l.starts_with("//! - `")).count(), Rule::ALL.len());
}

#[test]
fn messages_name_the_entity() {
    let program = parsed("proc f { block0(v0: bv8): v1: bool = not v0 v2: bool = not v0 stop }");
    let found = violations(&program);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].to_string(), "f, block0, inst0 `v1: bool = not v0`: does not take bv8 [operand]");
    assert_eq!(
        (found[1].proc, found[1].block, found[1].inst),
        (Some(Proc::from_u32(0)), Some(Block::from_u32(0)), Some(Inst::from_u32(1)))
    );
}

#[test]
fn unreachable_blocks_need_no_dominance() {
    let text = "proc f { block0: stop block1: v1: bool = not v0 v0 = const true jump block2 block2: assume v2 stop \
                block3: v2: bool = not v2 stop }";
    assert_eq!(violations(&parsed(text)), []);
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % u64::from(bound)) as u32
    }
}

/// Blocks reachable from the entry without passing `without`.
fn reach(edges: &[Vec<usize>], without: usize) -> Vec<bool> {
    let mut reached = vec![false; edges.len()];
    let mut stack = vec![0];
    while let Some(n) = stack.pop() {
        if n != without && !std::mem::replace(&mut reached[n], true) {
            stack.extend(&edges[n]);
        }
    }
    reached
}

/// One value in every block, used in every block: the complaints are exactly what removing blocks predicts.
#[test]
fn dominance_agrees_with_its_definition() {
    let mut random = Random(0xd0a1);
    for _ in 0..2000 {
        let count = 2 + random.below(9) as usize;
        let mut program = Program::new();
        let none = program.no_origin();
        let mut procedure = Procedure::new("f", none);
        let blocks: Vec<Block> =
            std::iter::once(procedure.entry).chain((1..count).map(|_| procedure.add_block(none))).collect();
        let values: Vec<Value> = blocks.iter().map(|&b| procedure.constant(b, Const::TRUE, none)).collect();
        let mut edges = Vec::new();
        for &block in &blocks {
            let mut target = || 1 + random.below(count as u32 - 1) as usize;
            let to = [target(), target()];
            let args = values.clone();
            procedure.append(block, InstData::Print { format: "".into(), args }, &[], none);
            let (cond, then, other) = (values[blocks[0].as_u32() as usize], blocks[to[0]].into(), blocks[to[1]].into());
            if random.below(5) > 0 {
                procedure.set_term(block, Terminator::Branch { cond, then, other }, none);
                edges.push(to.to_vec());
            } else {
                edges.push(Vec::new());
            }
        }
        program.procs.push(procedure);
        let reachable = reach(&edges, usize::MAX);
        let mut wanted = Vec::new();
        for home in 0..count {
            let avoiding = reach(&edges, home);
            wanted.extend((0..count).filter(|&user| avoiding[user] && user != home).map(|user| (user, home)));
        }
        // Every block is checked; a use in an unreachable block is free.
        wanted.retain(|&(user, _)| reachable[user]);
        wanted.sort();
        let complaint = |v: &Violation| {
            assert_eq!(v.rule, Rule::Dominance);
            let home = v.message.split("in block").nth(1).and_then(|s| s.split(' ').next()).expect("a block");
            (v.block.expect("a block").as_u32() as usize, home.parse::<usize>().expect("a number"))
        };
        let mut found: Vec<(usize, usize)> = violations(&program).iter().map(complaint).collect();
        found.sort();
        assert_eq!(found, wanted, "{}", write::program(&program));
    }
}

fn timed(program: &Program, what: &str) {
    let start = Instant::now();
    assert_eq!(violations(program), []);
    assert!(start.elapsed() < Duration::from_secs(10), "{what}: {:?}", start.elapsed());
}

/// Shapes on which iterative dominator algorithms or recursion go wrong.
#[test]
fn large_procedures_are_fast() {
    const COUNT: usize = 100_000;
    type Edges = fn(usize) -> [usize; 2];
    let shapes: [(&str, Edges); 4] = [
        ("chain", |n| [n + 1, n + 1]),
        ("ladder", |n| [n + 1, (n + 2).min(COUNT)]),
        ("back edges", |n| [n + 1, (n / 2).max(1)]),
        // Two interleaved chains, entered from both ends.
        ("irreducible", |n| [n + 1, if n == 0 { COUNT } else { n.saturating_sub(2).max(1) }]),
    ];
    for (what, edges) in shapes {
        let mut program = Program::new();
        let none = program.no_origin();
        let mut procedure = Procedure::new("f", none);
        let cond = procedure.constant(procedure.entry, Const::TRUE, none);
        let blocks: Vec<Block> =
            std::iter::once(procedure.entry).chain((0..COUNT).map(|_| procedure.add_block(none))).collect();
        for n in 0..COUNT {
            let [then, other] = edges(n).map(|to| blocks[to].into());
            procedure.set_term(blocks[n], Terminator::Branch { cond, then, other }, none);
        }
        let back = Terminator::Branch { cond, then: blocks[1].into(), other: blocks[COUNT - 1].into() };
        procedure.set_term(blocks[COUNT], back, none);
        program.procs.push(procedure);
        timed(&program, what);
    }
}
